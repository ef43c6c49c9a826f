"""Precision at a recall, and recall at a precision."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import precision_recall_curve

from metric_cases import Case, sample
from reference.recall_curve import rate_at_recall, recall_at_precision
from reference.tables import Groups
from skrate import (
    RankTable,
    precision_at_rate_score,
    precision_at_recall_score,
    rate_at_recall_score,
    recall_at_precision_score,
)
from skrate.metrics.at_recall import rate_slopes
from strategies import ranked_samples


def precision_of(groups, recall=0.95):
    if not groups.n_pos:
        return np.nan
    return recall * groups.prevalence / float(rate_at_recall(groups, recall))


def recall_of(groups, precision):
    return float(recall_at_precision(groups, precision))


def is_reached(p, precision):
    return float(p >= precision - 1e-12)


CASES = [
    Case(
        "precision at recall",
        precision_at_recall_score,
        constant=lambda p: p,
        worst=lambda p: 0.95 * p / (1 - 0.05 * p),
        oracle=precision_of,
    ),
    Case(
        "precision at half of the recall",
        precision_at_recall_score,
        {"recall": 0.5},
        constant=lambda p: p,
        worst=lambda p: 0.5 * p / (1 - 0.5 * p),
        oracle=precision_of,
        slopes="jump",
    ),
    Case(
        "recall at precision",
        recall_at_precision_score,
        {"precision": 0.6},
        constant=lambda p: is_reached(p, 0.6),
        worst=lambda p: is_reached(p, 0.6),
        oracle=recall_of,
        slopes="jump",
    ),
]


@pytest.mark.parametrize(
    ("y_true", "y_score", "recall", "expected"),
    [
        pytest.param("1010", "4321", 0.5, 1, id="the first"),
        pytest.param("1010", "4321", 1, 2 / 3, id="both"),
        pytest.param("1010", "4321", 0.75, 1.5 / 2.5, id="half of the second"),
        pytest.param("0110", "3222", 0.5, 1 / 2.5, id="half of the tied"),
        pytest.param("0111", "4321", 1 / 3, 1 / 2, id="not the greatest further down"),
    ],
)
def test_precision_by_hand(y_true, y_score, recall, expected):
    y_true, y_score = [int(y) for y in y_true], [int(s) for s in y_score]
    found = precision_at_recall_score(y_true, y_score, recall=recall)
    assert found == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("y_true", "y_score", "precision", "expected"),
    [
        pytest.param("1010", "4321", 1, 1 / 2, id="the first"),
        pytest.param("1010", "4321", 0.6, 1, id="both, in three cases"),
        pytest.param("1010", "4321", 0.5, 1, id="no more than the prevalence"),
        pytest.param("0110", "4321", 2 / 3, 1, id="two of three, but not at first"),
        pytest.param("0110", "4321", 0.7, 0, id="nowhere"),
        pytest.param("0000001", range(7, 0, -1), 0.2, 0, id="the prevalence, and less"),
        # 1 + t positives of 1 + 4 t cases, which are a half at t = 1 / 2.
        pytest.param("10010", "42222", 0.5, 3 / 4, id="half of the tied"),
    ],
)
def test_recall_by_hand(y_true, y_score, precision, expected):
    y_true, y_score = [int(y) for y in y_true], [int(s) for s in y_score]
    found = recall_at_precision_score(y_true, y_score, precision=precision)
    assert found == pytest.approx(expected, abs=1e-15)


@given(cases=ranked_samples(weighted=True), recall=st.floats(0.01, 1))
def test_it_is_the_precision_at_the_rate_of_the_recall(cases, recall):
    y_true, y_score, weight = cases
    if not (y_true * weight).any():
        return
    rate = rate_at_recall_score(y_true, y_score, recall=recall, sample_weight=weight)
    expected = precision_at_rate_score(y_true, y_score, rate=rate, sample_weight=weight)
    found = precision_at_recall_score(
        y_true, y_score, recall=recall, sample_weight=weight
    )
    assert found == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("precision", [0.2, 0.4, 0.6, 0.8, 1.0])
def test_without_ties_it_is_the_greatest_recall_of_scikit_learns_curve(seed, precision):
    y_true, y_score = sample(seed, decimals=15)
    assert len(np.unique(y_score)) == len(y_score)
    precisions, recalls, _ = precision_recall_curve(y_true, y_score)
    expected = recalls[precisions >= precision].max()
    found = recall_at_precision_score(y_true, y_score, precision=precision)
    assert found == pytest.approx(expected, abs=1e-12)


@given(cases=ranked_samples(max_size=6, n_scores=3), precision=st.floats(0.01, 1))
def test_ties_are_the_mean_over_all_orders(cases, precision):
    y_true, y_score, _ = cases
    n = len(y_true)
    if not y_true.any():
        return
    found = [
        np.cumsum(y_true[list(order)])
        for order in permutations(range(n))
        if all(y_score[a] >= y_score[b] for a, b in pairwise(order))
    ]
    hits = np.concatenate([[0], np.mean(found, axis=0)])
    # On a fine grid of what is processed: the last that meets the target.
    seen = np.linspace(0, n, 1000 * n + 1)
    mean = np.interp(seen, np.arange(n + 1), hits)
    expected = mean[mean >= precision * seen - 1e-9].max() / y_true.sum()
    found = recall_at_precision_score(y_true, y_score, precision=precision)
    assert_allclose(found, expected, rtol=0, atol=1.1e-3)


@given(cases=ranked_samples(weighted=True))
def test_perfect_precision_goes_down_to_the_first_negative(cases):
    groups = Groups(*map(np.ndarray.tolist, cases[:2]), cases[2].astype(int).tolist())
    if not groups.n_pos:
        return
    found = recall_at_precision_score(*cases[:2], sample_weight=cases[2], precision=1.0)
    assert found == pytest.approx(recall_of(groups, 1), rel=1e-12)


@pytest.mark.parametrize("value", [0, -0.1, 1.01, 60, np.nan, "all", True])
def test_a_bad_target_is_named(value):
    cases = [1, 0, 1, 0], [4, 3, 2, 1]
    with pytest.raises(ValueError, match=r"recall must be a number in \(0, 1\], got"):
        precision_at_recall_score(*cases, recall=value)
    with pytest.raises(ValueError, match=r"precision must be a number in \(0, 1\], go"):
        recall_at_precision_score(*cases, precision=value)


@pytest.mark.parametrize("y_true", [[1, 0, 1], [0, 0, 0]])
def test_a_precision_must_be_given(y_true):
    with pytest.raises(ValueError, match="precision is missing: give the share"):
        recall_at_precision_score(y_true, [3, 2, 1])


def test_a_compressed_table_knows_how_far_off_it_is():
    y_true, y_score = sample(1, n=2000, decimals=9)
    exact = RankTable.from_arrays(y_true, y_score)
    small = exact.compress(50)
    for score, options in (
        (precision_at_recall_score, {"recall": 0.9}),
        (recall_at_precision_score, {"precision": 0.5}),
    ):
        error = small.max_error(score, **options)
        assert 0 < error < 0.1
        assert abs(score(small, **options) - score(exact, **options)) <= error


def test_near_all_positives_the_slope_is_found_up_to_the_last():
    # A standard error of a recall of 0.95 would reach beyond 1.
    table = RankTable.from_arrays([1, 1, 0, 1, 0, 1, 0, 0], np.arange(8)[::-1])
    slopes = rate_slopes(table, 0.95)
    rate_at = [rate_at_recall_score(table, recall=recall) for recall in (0.9, 1.0)]
    moved = (rate_at[1] - rate_at[0]) / 0.1 - 0.5
    assert slopes.by_pos[0] == pytest.approx(-moved)
