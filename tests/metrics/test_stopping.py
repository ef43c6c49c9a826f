"""The rate that a recall asks for, and the work saved."""

from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from metric_cases import Case, sample
from reference.recall_curve import rate_at_recall
from reference.tables import Groups
from skrate import (
    RankTable,
    group_scores,
    rate_at_recall_score,
    recall_at_rate_score,
    work_saved_score,
)
from strategies import ranked_samples


def rate_of(groups, recall=0.95):
    return float(rate_at_recall(groups, recall))


def saved(groups, recall=0.95):
    return float(Fraction(str(recall)) - rate_at_recall(groups, recall))


CASES = [
    Case(
        "rate at recall",
        rate_at_recall_score,
        constant=lambda p: 0.95,
        perfect=lambda p: 0.95 * p,
        worst=lambda p: 1 - 0.05 * p,
        oracle=rate_of,
    ),
    Case(
        "rate at half of the recall",
        rate_at_recall_score,
        {"recall": 0.5},
        constant=lambda p: 0.5,
        perfect=lambda p: 0.5 * p,
        worst=lambda p: 1 - 0.5 * p,
        oracle=rate_of,
        slopes="jump",
    ),
    Case(
        "work saved",
        work_saved_score,
        constant=lambda p: 0.0,
        perfect=lambda p: 0.95 * (1 - p),
        worst=lambda p: -0.05 * (1 - p),
        oracle=saved,
    ),
    Case("work saved at 0.6", work_saved_score, {"recall": 0.6}, slopes="jump"),
]


@pytest.mark.parametrize(
    ("y_true", "y_score", "recall", "expected"),
    [
        pytest.param("1010", "4321", 0.5, 1 / 4, id="the first"),
        pytest.param("1010", "4321", 1, 3 / 4, id="the second of two"),
        pytest.param("1010", "4321", 0.75, 5 / 8, id="half of the second"),
        pytest.param("1010", "4321", 0.25, 1 / 8, id="half of the first"),
        pytest.param("1001", "4331", 1, 1, id="the last case"),
        pytest.param("1010", "3333", 0.3, 0.3, id="all tied"),
        pytest.param("0110", "3222", 0.5, 1 / 4 + 1 / 2 * 3 / 4, id="half of the tied"),
        pytest.param("1" * 19 + "0" * 20 + "1", range(40, 0, -1), 0.95, 19 / 40,
                     id="19 of 20, and not the last"),
    ],
)  # fmt: skip
def test_by_hand(y_true, y_score, recall, expected):
    y_true, y_score = [int(y) for y in y_true], [int(s) for s in y_score]
    found = rate_at_recall_score(y_true, y_score, recall=recall)
    assert found == pytest.approx(expected, abs=1e-15)
    saved = work_saved_score(y_true, y_score, recall=recall)
    assert saved == pytest.approx(recall - expected, abs=1e-15)


@given(cases=ranked_samples(max_size=6, n_scores=3), recall=st.floats(0.01, 1))
def test_ties_are_the_mean_over_all_orders(cases, recall):
    y_true, y_score, _ = cases
    n = len(y_true)
    if not y_true.any():
        return
    found = [
        np.cumsum(y_true[list(order)]) / y_true.sum()
        for order in permutations(range(n))
        if all(y_score[a] >= y_score[b] for a, b in pairwise(order))
    ]
    mean = np.concatenate([[0], np.mean(found, axis=0)])
    # Above the mean recall of k cases, and up to that of k + 1.
    k = int(np.argmax(mean[1:] >= recall - 1e-12))
    expected = (k + (recall - mean[k]) / (mean[k + 1] - mean[k])) / n
    assert_allclose(rate_at_recall_score(y_true, y_score, recall=recall), expected)


@given(cases=ranked_samples(weighted=True), recall=st.floats(0.01, 1))
def test_it_is_the_recall_at_a_rate_turned_round(cases, recall):
    y_true, y_score, weight = cases
    if not (y_true * weight).any():
        return
    rate = rate_at_recall_score(y_true, y_score, recall=recall, sample_weight=weight)
    back = recall_at_rate_score(y_true, y_score, rate=rate, sample_weight=weight)
    assert back == pytest.approx(recall, abs=1e-11)
    if rate > 0.01:
        sooner = {"rate": rate - 0.001, "sample_weight": weight}
        assert recall_at_rate_score(y_true, y_score, **sooner) < recall


@given(cases=ranked_samples(weighted=True))
def test_full_recall_goes_down_to_the_last_positive(cases):
    groups = Groups(*map(np.ndarray.tolist, cases[:2]), cases[2].astype(int).tolist())
    if not groups.n_pos:
        return
    found = rate_at_recall_score(*cases[:2], sample_weight=cases[2], recall=1)
    assert found == pytest.approx(rate_of(groups, 1), rel=1e-12)


def test_what_rounding_leaves_below_a_recall_has_it():
    # 0.29 x 100 is less than 29, and 29 times 0.1 another sum than 0.29 times that of
    # all: the next positive is 500 cases away.
    y_true, y_score = np.repeat([1, 0, 1], [29, 500, 71]), -np.arange(600)
    assert rate_at_recall_score(y_true, y_score, recall=0.29) == 29 / 600
    above = 0.1 + 0.19
    assert above > 0.29
    tied = RankTable([29, 0, 71], [0, 500, 0])
    for found in (
        rate_at_recall_score(y_true, y_score, recall=above),
        rate_at_recall_score(tied, recall=above),
        group_scores(
            rate_at_recall_score, y_true, y_score, groups=y_score > 1, recall=above
        ).values[0],
    ):
        assert found == pytest.approx(29 / 600, rel=1e-12)


def test_it_is_cohens_definition_where_the_recall_is_that_of_whole_cases():
    y_true, y_score = sample(0, n=300)
    y_score = y_score + np.arange(300) / 1e6
    labels = y_true[np.argsort(-y_score)]
    n_found = int(labels.sum()) - 3
    recall = n_found / int(labels.sum())
    n_seen = int(np.searchsorted(np.cumsum(labels), n_found)) + 1
    true_neg = int((1 - labels[n_seen:]).sum())
    false_neg = int(labels[n_seen:].sum())
    expected = (true_neg + false_neg) / 300 - (1 - recall)
    found = work_saved_score(y_true, y_score, recall=recall)
    assert found == pytest.approx(expected, abs=1e-12)


def test_reviews_are_averaged():
    y_true, y_score = [1, 0, 0, 1, 0, 1], [3, 2, 1, 3, 2, 1]
    groups = ["a", "a", "a", "b", "b", "b"]
    scores = group_scores(work_saved_score, y_true, y_score, groups=groups, recall=1)
    assert scores.values.tolist() == pytest.approx([2 / 3, 0])


@pytest.mark.parametrize("score", [rate_at_recall_score, work_saved_score])
@pytest.mark.parametrize("recall", [0, -0.1, 1.01, 95, np.nan, None, "all", True])
def test_a_bad_recall_is_named(score, recall):
    with pytest.raises(ValueError, match=r"recall must be a number in \(0, 1\], got"):
        score([1, 0, 1, 0], [4, 3, 2, 1], recall=recall)


def test_a_compressed_table_knows_how_far_off_it_is():
    y_true, y_score = sample(1, n=2000, decimals=9)
    exact = RankTable.from_arrays(y_true, y_score)
    small = exact.compress(50)
    for score in (rate_at_recall_score, work_saved_score):
        error = small.max_error(score, recall=0.9)
        assert 0 < error < 0.1
        assert abs(score(small, recall=0.9) - score(exact, recall=0.9)) <= error
