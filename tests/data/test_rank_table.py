"""The table of tied scores: both ways of building it, merging, what it holds."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from looped import looped
from skrate import RankTable, ranking_auc_score
from skrate.data.table import rank_table
from strategies import ranked_samples


def test_quantities_by_hand():
    table = RankTable([1, 2, 0], [0, 2, 3], [0.9, 0.5, 0.1])
    assert table.n_groups == 3
    assert (table.n_pos, table.n_neg, table.total) == (3, 5, 8)
    assert table.prevalence == 3 / 8
    assert table.cum_pos.tolist() == [0, 1, 3, 3]
    assert table.cum_neg.tolist() == [0, 0, 2, 5]
    assert table.rates.tolist() == [0, 1 / 8, 5 / 8, 1]
    assert table.tpr.tolist() == [0, 1 / 3, 1, 1]
    assert table.fpr.tolist() == [0, 0, 2 / 5, 1]
    assert table.labels is None
    assert repr(table) == "RankTable(3 groups, n_pos=3, n_neg=5)"


def test_an_absent_class_has_no_shares():
    table = rank_table([0, 0, 0], [1, 2, 2])
    assert np.isnan(table.tpr).all()
    assert table.fpr.tolist() == [0, 2 / 3, 1]


# --- Merging -------------------------------------------------------------------------


@given(
    first=ranked_samples(weighted=True, both_classes=False),
    second=ranked_samples(weighted=True, both_classes=False),
    is_weighted=st.booleans(),
)
def test_tables_of_disjoint_cases_add(first, second, is_weighted):
    if is_weighted and not (first[2].any() and second[2].any()):
        return
    samples = [
        {"y_true": y, "y_score": s} | ({"sample_weight": w} if is_weighted else {})
        for y, s, w in (first, second)
    ]
    both = {key: np.concatenate([s[key] for s in samples]) for key in samples[0]}
    left, right = (RankTable.from_arrays(**sample) for sample in samples)
    assert left + right == right + left == RankTable.from_arrays(**both)


@looped("other", ["float64", "uint64"])
def test_scores_that_cannot_be_compared_do_not_add(other):
    whole = RankTable.from_arrays([1, 0], np.array([2**53 + 1, 2**53]))
    given = RankTable.from_arrays([1, 0], np.array([1, 2**53], dtype=other))
    with pytest.raises(ValueError, match=rf"{other}"):
        whole + given
    small = RankTable.from_arrays([1, 0], np.array([2**53 - 1, 1]))
    assert (small + given).thresholds.tolist() == [2**53, 2**53 - 1, 1]


def test_only_tables_with_thresholds_add():
    table = RankTable([1], [1])
    with pytest.raises(ValueError, match="thresholds"):
        table + RankTable([1], [1], [0.5])
    with pytest.raises(TypeError):
        table + 1


# --- Value semantics -----------------------------------------------------------------


def test_tables_are_immutable():
    source = np.array([1.0, 2.0])
    table = RankTable(source, [0, 1], [2.0, 1.0])
    twins = (table, copy.deepcopy(table), pickle.loads(pickle.dumps(table)))
    for name in ("pos", "neg", "thresholds", "cum_pos", "cum_neg", "rates", "tpr"):
        for twin in twins:
            with pytest.raises(ValueError, match="read-only"):
                getattr(twin, name)[0] = 7
        with pytest.raises(AttributeError, match=rf"{name}"):
            setattr(table, name, 7)
    source[0] = 9
    assert table.pos.tolist() == [1, 2]


def test_tables_compare_by_value():
    table = RankTable([1, 0], [0, 1], [2, 1])
    assert table == RankTable([1, 0], [0, 1], [2, 1])
    assert table != RankTable([1, 0], [0, 1], [3, 1])
    assert table != RankTable([1, 0], [0, 2], [2, 1])
    assert table != RankTable([1, 0], [0, 1])
    assert RankTable([1, 0], [0, 1]) == rank_table([1, 0], [5.0, 4.0])
    assert table != "table"
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)


@looped(
    "arguments, message",
    [
        (([1, 2], [1]), r"1.*2.*1"),
        (([], []), r"pos.*neg.*0"),
        (([[1]], [[1]]), "pos"),
        (([1, -1], [0, 1]), r"pos.*-1"),
        (([1, np.nan], [0, 1]), r"pos.*NaN"),
        (([1, 1], [0, np.inf]), "neg"),
        (([0, 0], [0, 0]), r"pos.*neg.*zero"),
        (([1, 1], [0, 1], [1, 2]), "thresholds"),
        (([1, 1], [0, 1], [1, 1]), "thresholds"),
        (([1, 1], [0, 1], [1]), "thresholds"),
        (([1, 1], [0, 1], [np.nan, 1]), r"thresholds.*NaN"),
    ],
)
def test_bad_parts_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        RankTable(*arguments)


@looped(
    "table, expected",
    [
        (RankTable([2, 0, 1], [0, 3, 1]), 7),
        (RankTable.from_arrays([1, 0, 1], [3, 2, 1]), 3),
        (RankTable.from_arrays([1, 0, 1], [3, 2, 1], sample_weight=[2, 1, 1]), 4),
        (RankTable([2.5, 0.5], [0, 3]), None),
        (RankTable([2, 0], [0, 0.5]), None),
        # Whole only as floats of that size have no digits after the point.
        (RankTable([2.0**53, 0], [0, 1]), None),
        (RankTable([1e90, 0], [0, 1e90]), None),
    ],
)
def test_whole_weights_are_a_number_of_cases(table, expected):
    assert table.n_samples == expected


@looped("weight", [1e-101, 3e-320, 1e101, 1e308])
def test_weights_that_cannot_be_multiplied_are_refused(weight):
    for call in (
        lambda: RankTable.from_arrays(
            [1, 0, 1], [1, 2, 3], sample_weight=[weight, 1, 0]
        ),
        lambda: ranking_auc_score([1, 0], [1, 2], sample_weight=[1, weight]),
    ):
        with pytest.raises(ValueError, match="sample_weight"):
            call()
    with pytest.raises(ValueError, match=r"neg.*1.*-100.*1.*100"):
        RankTable([1, 2], [0, weight])


def test_tables_are_summed_from_zero():
    first = RankTable.from_arrays([1, 0], [2, 1])
    second = RankTable.from_arrays([0, 1], [2, 3])
    assert sum([first, second]) == first + second
    assert sum([first]) == first
    for other in (1, 0.5, None):
        with pytest.raises(TypeError, match="unsupported operand"):
            other + first
