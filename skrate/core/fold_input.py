"""What functions of several folds take: lists with an entry for each, or rankings."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from skrate.core.arrays import Array, BoolArray, FloatArray
from skrate.core.fold_rankings import FoldRankings


class ByFold(NamedTuple):
    """Rankings as lists, with an array for each fold; None for what is not known.

    ``groups`` are the clusters of the cases; of folds that test cases again, without
    any, the cases themselves, as a case that is tested again tells nothing new.
    """

    y_trues: list[BoolArray]
    y_scores: list[Array]
    sample_weight: list[FloatArray] | None
    groups: list[Array] | None


def by_fold(rankings: FoldRankings) -> ByFold:
    """Return the cases of each fold.

    Examples
    --------
    >>> lists = by_fold(FoldRankings([1, 0, 0, 1], [3, 2, 1, 9], [0, 0, 1, 1]))
    >>> [labels.tolist() for labels in lists.y_trues]
    [[True, False], [False, True]]
    """
    labels, scores, weights = (list(column) for column in zip(*rankings, strict=True))
    groups = rankings.groups
    if groups is None and rankings.n_repeats > 1:
        groups = rankings.indices
    return ByFold(
        labels,
        scores,
        None if rankings.sample_weight is None else weights,
        None if groups is None else [groups[rows] for rows in rankings.rows()],
    )


def check_same_folds(named: Mapping[str, Any]) -> list[FoldRankings]:
    """Return rankings of several models if they rank the same cases in the same folds.

    Examples
    --------
    >>> one = FoldRankings([1, 0, 0, 1], [3, 2, 1, 9], [0, 0, 1, 1])
    >>> other = FoldRankings([1, 0, 0, 1], [3, 2, 1, 9], [0, 1, 1, 0])
    >>> check_same_folds({"rankings_a": one, "rankings_b": other})
    Traceback (most recent call last):
        ...
    ValueError: rankings_b has other folds than rankings_a: give cross_val_rankings ...
    """
    (first, one), *others = named.items()
    for name, other in named.items():
        if not isinstance(other, FoldRankings):
            raise ValueError(
                f"{name} must be a FoldRankings, as others here are, found "
                f"{type(other).__name__}."
            )
    for name, other in others:
        what = _difference(one, other)
        if what is not None:
            raise ValueError(
                f"{name} has other {what} than {first}: give cross_val_rankings the "
                "same data and the same splits for both, as "
                "cv=list(splitter.split(X, y))."
            )
    return [one, *(other for _, other in others)]


def _difference(one: FoldRankings, other: FoldRankings) -> str | None:
    """Return what tells the cases or folds of two rankings apart."""
    if len(one.y_true) != len(other.y_true):
        return "cases"
    own, others = one.rows(), other.rows()
    is_same = len(own) == len(others) and all(map(np.array_equal, own, others))
    if not is_same:
        return "folds"
    for name, what in (
        ("is_pos", "labels"),
        ("indices", "cases"),
        ("sample_weight", "weights"),
        ("groups", "clusters"),
    ):
        if not _are_equal(getattr(one, name), getattr(other, name)):
            return what
    return None


def _are_equal(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return one is None and other is None
    return bool(np.array_equal(one, other))
