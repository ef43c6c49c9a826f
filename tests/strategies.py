"""A Hypothesis strategy: ranked samples full of ties, with small weights; batches."""

from typing import NamedTuple

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st


class Ranked(NamedTuple):
    """Labels in {0, 1}, scores and, unless they were not asked for, weights."""

    y_true: np.ndarray
    y_score: np.ndarray
    sample_weight: np.ndarray | None


@st.composite
def ranked_samples(
    draw: st.DrawFn,
    *,
    min_size: int = 2,
    max_size: int = 30,
    n_scores: int = 5,
    weighted: bool = False,
    max_weight: int = 3,
    zero_weights: bool = True,
    both_classes: bool = True,
) -> Ranked:
    """Draw labels, few distinct scores (so that many are tied) and integer weights.

    With ``both_classes`` each class has weight; without, a class may be absent, or
    be there with weight zero only.
    """
    n_samples = draw(st.integers(max(min_size, 2 if both_classes else 1), max_size))

    def vector(elements: st.SearchStrategy, dtype: type) -> np.ndarray:
        samples = st.lists(elements, min_size=n_samples, max_size=n_samples)
        return np.array(draw(samples), dtype=dtype)

    y_true = vector(st.integers(0, 1), int)
    # Quarters around zero: negative scores, and sums that are exact.
    low = -(n_scores // 2)
    y_score = vector(st.integers(low, low + n_scores - 1), float) / 4
    sample_weight = None
    if weighted:
        least = 0 if zero_weights else 1
        sample_weight = vector(st.integers(least, max_weight), float)
    if both_classes:
        weight = np.ones(n_samples) if sample_weight is None else sample_weight
        assume(weight[y_true == 1].sum() > 0 and weight[y_true == 0].sum() > 0)
    return Ranked(y_true, y_score, sample_weight)


def in_parts(arrays: tuple[np.ndarray, ...], sizes: list[int]) -> list[tuple]:
    """Return the arrays in consecutive parts."""
    ends = np.cumsum([*sizes])
    parts = np.split(np.arange(len(arrays[0])), ends[ends < len(arrays[0])])
    return [tuple(array[part] for array in arrays) for part in parts if len(part)]
