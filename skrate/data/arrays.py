"""Types of signatures, ratios and sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.intp]
# The ArrayLike of numpy, and lists of other objects: dates, decimals, None.
ArrayLike: TypeAlias = npt.ArrayLike | Sequence[Any]
# One array for each fold.
ArraysByFold: TypeAlias = Sequence[ArrayLike] | Array
Number: TypeAlias = float | np.floating[Any] | np.integer[Any]
# A class of y_true; None if the labels themselves determine it.
Label: TypeAlias = bool | float | str | np.generic | None
# A source of random numbers; None is a new source each time.
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


# The error by rounding of a fraction that equals a limit.
ROUNDING = 1e-12
# Numbers of products and of keys that stay in the cache of a core.
_TERMS, CACHED = 2**13, 2**14


def float_or_array(values: Array) -> float | FloatArray:
    """Return a scalar array as a builtin float, any other as it is."""
    return float(values) if values.ndim == 0 else values


def dot(first: Array, second: Array) -> Any:
    """Return ``first @ second`` for a vector ``second``, the same on every processor.

    BLAS would add the products in an order that depends on the processor and on its
    threads. Its rounding errors can move a result out of its range.
    """
    n = len(second)
    if n <= _TERMS:
        return np.add.reduce(first * second, axis=-1)
    ends = [(i, i + _TERMS) for i in range(0, n, _TERMS)]
    sums = [dot(first[..., low:high], second[low:high]) for low, high in ends]
    return np.add.reduce(sums, axis=0)


def reverse_cumsum(values: FloatArray) -> FloatArray:
    """Return the sums of each entry and all entries after it, within its row."""
    sums = np.empty_like(values)
    np.cumsum(values[..., ::-1], axis=-1, out=sums[..., ::-1])
    return sums


def ratio(part: Array, whole: Array) -> FloatArray:
    """Return ``part / whole``, 0 where ``whole`` is 0 (and so is ``part``)."""
    lowest = 1 if whole.dtype.kind == "i" else np.finfo(np.float64).tiny
    return np.asarray(part / np.maximum(whole, lowest))


def divide_or_nan(part: Array, whole: Array) -> FloatArray:
    """Return ``part / whole``, nan where ``whole`` is not above 0."""
    fractions = np.full(len(part), np.nan)
    np.divide(part, whole, out=fractions, where=whole > 0)
    return fractions


def effective_number(weights: Array) -> float:
    """Return the effective sample size (sum w)^2 / sum w^2, 0 without weights."""
    if not len(weights):
        return 0.0
    # Relative to the maximum, because squares of weights may overflow.
    scaled = weights / weights.max()
    return float(scaled.sum() ** 2 / dot(scaled, scaled))


def centring_factors(sizes: Array, groups: IntArray | None = None) -> FloatArray:
    """Return factors for squares of clusters' sums, because centring reduces them.

    One factor for each group. Let effects be alike within clusters and independent
    between clusters, and let cluster j be the fraction h_j of its group. Centring
    subtracts sum_l h_l e_l from the effect e_j. With S = sum_l h_l^2 the factor is
    S / sum_j h_j^2 (1 - 2 h_j + S), which is k / (k - 1) for k clusters of equal size.
    """
    groups = np.zeros(len(sizes), dtype=np.intp) if groups is None else groups
    totals = np.bincount(groups, sizes)[groups]
    squares, complements = (sizes / totals) ** 2, (totals - sizes) / totals
    sums = np.bincount(groups, squares)
    # 1 - 2 h + S, as a sum of squares.
    left = complements**2 + np.maximum(sums[groups] - squares, 0)
    return np.asarray(sums / np.bincount(groups, squares * left))


def parts(n: int) -> list[slice]:
    """Return consecutive slices of ``n`` samples that each stay in the cache."""
    return [slice(first, first + CACHED) for first in range(0, n, CACHED)]
