"""What functions of several folds take: lists with an entry for each, or rankings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from skrate.core.fold_rankings import FoldRankings

# What says of a row which case it is, and the words for it.
_OF_ROW = {
    "fold": "folds",
    "is_pos": "labels",
    "sample_weight": "weights",
    "clusters": "clusters",
    "indices": "cases",
}


def are_of_folds(given: Any) -> bool:
    """Return whether rankings of folds are given, of each of several models."""
    if isinstance(given, Mapping):
        given = list(given.values())
    is_listed = isinstance(given, list | tuple)
    return is_listed and any(isinstance(one, FoldRankings) for one in given)


def check_no_labels(y_true: Any, name: str) -> None:
    """Raise where labels are given beside rankings of folds, which hold theirs.

    Examples
    --------
    >>> check_no_labels([1, 0], "y_score_a")
    Traceback (most recent call last):
        ...
    ValueError: y_true must be left out where y_score_a is a FoldRankings, which
    ...
    """
    if not isinstance(y_true, FoldRankings):
        raise ValueError(
            f"y_true must be left out where {name} is a FoldRankings, which holds "
            f"labels, scores and weights: give the rankings in its place, found "
            f"{type(y_true).__name__}."
        )


def check_same_folds(rankings: Mapping[str, Any]) -> None:
    """Raise unless all are rankings of the same cases in the same folds.

    Examples
    --------
    >>> one = FoldRankings([1, 0, 0, 1], [3, 2, 1, 9], [0, 0, 1, 1])
    >>> other = FoldRankings([1, 0, 0, 1], [3, 2, 1, 9], [0, 1, 1, 0])
    >>> check_same_folds({"rankings_a": one, "rankings_b": other})
    Traceback (most recent call last):
        ...
    ValueError: rankings_b has other folds than rankings_a: models are compared
    by ...
    """
    first_name, first = next(iter(rankings.items()))
    for name, one in rankings.items():
        if not isinstance(one, FoldRankings):
            raise ValueError(
                f"{name} must be FoldRankings, as others are, found "
                f"{type(one).__name__}: models are compared fold by fold."
            )
    for name, one in rankings.items():
        for field, words in _OF_ROW.items():
            if not _is_same(getattr(first, field), getattr(one, field)):
                raise ValueError(
                    f"{name} has other {words} than {first_name}: models are compared "
                    "by the same cases in the same folds. Train each by "
                    "cross_val_rankings with the same cv: a number, a splitter whose "
                    "random_state is a number, or the list of its splits."
                )


def _is_same(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)
