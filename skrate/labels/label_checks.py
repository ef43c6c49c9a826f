"""Checks of numbers and probabilities that describe labels."""

from __future__ import annotations

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray
from skrate.data.checks import (
    as_array,
    as_float64,
    check_finite,
    check_vector,
    within_rounding,
)


def check_numbers(name: str, values: ArrayLike) -> FloatArray:
    """Return finite numbers, one for each sample."""
    numbers = as_float64(name, check_vector(name, values))
    check_finite(name, numbers)
    return numbers


def check_chances(
    name: str, values: ArrayLike, n_samples: int, *, hint_at_zero: str | None = None
) -> FloatArray:
    """Return a probability for each sample, above 0 if there is a hint about 0."""
    chances = as_array(name, values)
    chances = chances.reshape(1) if chances.ndim == 0 else chances
    numbers = within_rounding(check_numbers(name, chances))
    if len(numbers) not in (1, n_samples):
        raise ValueError(
            f"{name} must have an entry for each of the {n_samples} samples, got "
            f"{len(numbers)}."
        )
    is_within = (numbers >= 0 if hint_at_zero is None else numbers > 0) & (numbers <= 1)
    if not is_within.all():
        first = numbers[~is_within][0]
        hint = (hint_at_zero or "") if first == 0 else ""
        hint = f": did you mean {first / 100:g}?" if 1 < first <= 100 else f"{hint}."
        raise ValueError(
            f"{name} must be in {'[' if hint_at_zero is None else '('}0, 1], got "
            f"{first:g}{hint}"
        )
    return np.asarray(np.broadcast_to(numbers, n_samples))
