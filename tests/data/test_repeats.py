"""Repeats are found so that no case is tested twice in one of them."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, TimeSeriesSplit

from looped import looped
from skrate.data.folds import check_repeats, disjoint_repeats

N = 60
X, Y = np.zeros((N, 1)), np.arange(N) % 3 == 0
GROUPS = np.arange(N) // 4


def sets_of(splitter):
    groups = GROUPS if "Group" in type(splitter).__name__ else None
    return [test for _, test in splitter.split(X, Y, groups)]


@looped("splitter", [KFold(5), GroupKFold(5), LeaveOneOut(), TimeSeriesSplit(5)])
def test_folds_that_share_no_case_are_one_repeat(splitter):
    assert set(disjoint_repeats(sets_of(splitter))) == {0}


def test_a_case_twice_in_a_fold_is_named():
    with pytest.raises(ValueError, match=r"1.*7.*3"):
        disjoint_repeats([[0, 1], [7, 2, 7, 7]])


@looped(
    "repeats, expected",
    [
        (None, [0] * 6),
        (1, [0] * 6),
        (3, [0, 0, 1, 1, 2, 2]),
        (np.int64(2), [0, 0, 0, 1, 1, 1]),
        (list("bbabaa"), [1, 1, 0, 1, 0, 0]),
        ([5, 5, 9, 9, 9, 7], [0, 0, 2, 2, 2, 1]),
    ],
)
def test_repeats_are_a_number_or_labels(repeats, expected):
    assert check_repeats("repeats", repeats, 6).tolist() == expected


@looped(
    "repeats, message",
    [
        (4, r"repeats=4.*6"),
        (0, r"repeats=0.*6"),
        ([0, 1], r"6.*0.*1"),
        (np.zeros((2, 3)), r"repeats.*array"),
        (2.0, r"repeats.*2\.0"),
        (True, r"repeats.*True"),
        ("abcdef", "'abcdef'"),
        ([0, 0, 1, 1, np.nan, np.nan], "repeats"),
    ],
)
def test_bad_repeats_are_named(repeats, message):
    with pytest.raises(ValueError, match=message):
        check_repeats("repeats", repeats, 6)
