"""Repeats of a cross-validation: sets of folds that test no case twice."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TypeAlias

import numpy as np

from skrate.core.arrays import ArrayLike, IntArray
from skrate.core.grouping import check_groups

# A number of repeats, or a label for each fold; None is one repeat.
Repeats: TypeAlias = int | ArrayLike | None


def check_repeats(name: str, repeats: Repeats, n_folds: int) -> IntArray:
    """Return the number of each fold's repeat, from 0.

    None is one repeat of all folds, a number that many repeats of equally many folds
    in a row; anything else labels the folds.
    """
    if repeats is None:
        return np.zeros(n_folds, dtype=np.intp)
    if isinstance(repeats, Integral) and not isinstance(repeats, bool):
        n_repeats = int(repeats)
        if n_repeats < 1 or n_folds % n_repeats:
            raise ValueError(
                f"{name}={n_repeats} does not divide the {n_folds} folds into repeats "
                "of equally many: give a label for each fold."
            )
        return np.repeat(np.arange(n_repeats), n_folds // n_repeats)
    if np.shape(repeats) != (n_folds,):
        raise ValueError(
            f"{name} must be a number of repeats, or one label for each of the "
            f"{n_folds} folds; found {_found(repeats)}."
        )
    groups = check_groups(name, repeats)
    # A code may be left without folds; numbers have no gaps.
    return np.unique(groups.codes, return_inverse=True)[1]


def disjoint_repeats(tests: Sequence[ArrayLike]) -> IntArray:
    """Return the number of each fold's repeat, from the test indices of the folds.

    A repeat is a run of folds whose test sets share no case: it ends before the first
    fold that tests a case again. The folds of one cross-validation are one repeat, a
    random split that overlaps the one before it is a repeat of its own.

    Examples
    --------
    >>> disjoint_repeats([[0, 1], [2, 3], [0, 2], [1, 3]]).tolist()
    [0, 0, 1, 1]
    """
    sets = [row_numbers(test) for test in tests]
    last = np.full(1 + max(int(test.max(initial=-1)) for test in sets), -1)
    numbers = np.zeros(len(sets), dtype=np.intp)
    number = 0
    for i, test in enumerate(sets):
        if (last[test] == number).any():
            number += 1
        last[test] = number
        numbers[i] = number
        if np.unique(test).size < test.size:
            values, counts = np.unique(test, return_counts=True)
            raise ValueError(
                f"The test set of fold {i} holds case {values[counts.argmax()]} "
                f"{counts.max()} times: a case can be tested once in a fold."
            )
    return numbers


def row_numbers(test: ArrayLike) -> IntArray:
    """Return row numbers; a custom splitter may give a mask."""
    rows = np.asarray(test)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)


def rows_of_part(part: ArrayLike, n_cases: int, fold: int) -> IntArray:
    """Return the row numbers of a part of a fold; negative ones are from the end.

    Examples
    --------
    >>> rows_of_part([0, -1], 5, fold=0).tolist()
    [0, 4]
    """
    rows = row_numbers(part)
    outside = rows[(rows < -n_cases) | (rows >= n_cases)]
    if outside.size:
        raise ValueError(
            f"Fold {fold} of cv holds row {outside[0]}, and there are {n_cases} cases."
        )
    return np.asarray(rows % n_cases)


def check_unseen(train: IntArray, test: IntArray, fold: int) -> None:
    """Raise where a fold tests cases that its model was trained on."""
    if np.intersect1d(train, test).size:
        raise ValueError(
            f"Fold {fold} of cv tests cases that it trains on, of which the scores "
            "are no guide to new ones: leave them out of the training part."
        )


def _found(repeats: ArrayLike) -> str:
    if np.ndim(repeats) == 0:
        return repr(repeats)
    return f"an array of shape {np.shape(repeats)}"
