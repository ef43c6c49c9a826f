"""Recall, precision and lift at a rate or a count."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

from metric_cases import Case
from reference import tables
from skrate import lift_at_rate_score, precision_at_rate_score, recall_at_rate_score
from strategies import ranked_samples


def found_at(groups, rate):
    """Return the recall at a rate."""
    return float(tables.found_at(groups, Fraction(rate)))


CASES = [
    Case(
        "recall at rate",
        recall_at_rate_score,
        {"rate": 0.3},
        constant=lambda p: 0.3,
        perfect=lambda p: min(1, 0.3 / p),
        worst=lambda p: max(0, (p - 0.7) / p),
        oracle=found_at,
    ),
    Case(
        "precision at rate",
        precision_at_rate_score,
        {"rate": 0.3},
        constant=lambda p: p,
        perfect=lambda p: min(1, p / 0.3),
        worst=lambda p: max(0, (p - 0.7) / 0.3),
        oracle=lambda groups, rate: (
            found_at(groups, rate) * groups.prevalence / rate if groups.n_pos else 0.0
        ),
        needs_positives=False,
    ),
    Case(
        "lift at rate",
        lift_at_rate_score,
        {"rate": 0.3},
        constant=lambda p: 1.0,
        perfect=lambda p: min(1 / 0.3, 1 / p),
        worst=lambda p: max(0, (p - 0.7) / p / 0.3),
        oracle=lambda groups, rate: found_at(groups, rate) / rate,
    ),
    Case("lift at a quarter", lift_at_rate_score, {"rate": 0.25}, slopes="jump"),
    Case("precision at 40", precision_at_rate_score, {"rate": 40}, slopes="jump"),
    Case("recall at a quarter", recall_at_rate_score, {"rate": 0.25}, slopes="jump"),
]


SCORES = [recall_at_rate_score, precision_at_rate_score, lift_at_rate_score]
each_score = pytest.mark.parametrize("score", SCORES, ids=lambda s: s.__name__)


@pytest.mark.parametrize(
    ("y_true", "y_score", "rate", "recall", "precision"),
    [
        pytest.param("1010", "4321", 0.25, 1 / 2, 1, id="a quarter"),
        pytest.param("1010", "4321", 1, 1 / 2, 1, id="one case"),
        pytest.param("1010", "4321", 1.0, 1, 1 / 2, id="everything"),
        pytest.param("1010", "4321", 4, 1, 1 / 2, id="all four cases"),
        pytest.param("1010", "4321", 0.125, 1 / 4, 1, id="half a case"),
        pytest.param("1010", "4441", 1, 1 / 3, 2 / 3, id="one of three that tie"),
        pytest.param("0011", "4321", 2, 0, 0, id="none found"),
    ],
)
def test_by_hand(y_true, y_score, rate, recall, precision):
    y_true = [int(label) for label in y_true]
    y_score = [int(score) for score in y_score]
    found = [score(y_true, y_score, rate=rate) for score in SCORES]
    lift = precision / np.mean(y_true)
    assert_allclose(found, [recall, precision, lift], rtol=0, atol=1e-15)


@given(
    cases=ranked_samples(max_size=6, n_scores=3, both_classes=False),
    count=st.integers(1, 6),
)
def test_a_tie_at_the_cut_is_the_mean_over_all_orders_of_the_tied(cases, count):
    y_true, y_score, _ = cases
    count = min(count, len(y_true))
    found = []
    for order in permutations(range(len(y_true))):
        order = np.array(order)
        if np.all(np.diff(y_score[order]) <= 0):
            found.append(y_true[order[:count]].sum())
    precision = precision_at_rate_score(y_true, y_score, rate=count)
    assert_allclose(precision, np.mean(found) / count, rtol=0, atol=1e-12)
    if y_true.any():
        recall = recall_at_rate_score(y_true, y_score, rate=count)
        assert_allclose(recall, np.mean(found) / y_true.sum(), rtol=0, atol=1e-12)


@each_score
@given(cases=ranked_samples())
def test_a_count_is_its_share_of_the_cases(score, cases):
    n = len(cases.y_true)
    share = score(*cases[:2], rate=1 / n) if n > 1 else score(*cases[:2], rate=1.0)
    assert_allclose(score(*cases[:2], rate=1), share, rtol=0, atol=1e-12)
    assert score(*cases[:2], rate=np.int64(1)) == score(*cases[:2], rate=1)


@given(cases=ranked_samples(weighted=True), rate=st.floats(0.01, 1))
def test_lift_is_recall_over_rate_and_precision_over_prevalence(cases, rate):
    kwargs = {"rate": rate, "sample_weight": cases.sample_weight}
    recall, precision, lift = [score(*cases[:2], **kwargs) for score in SCORES]
    prevalence = np.average(cases.y_true, weights=cases.sample_weight)
    assert_allclose(lift, recall / rate, rtol=1e-12)
    assert_allclose(lift, precision / prevalence, rtol=1e-12)


@each_score
@pytest.mark.parametrize(
    ("rate", "message"),
    [
        (0, "rate must be an integer >= 1, got 0"),
        (-2, "rate must be an integer >= 1, got -2"),
        (5, "rate=5 is more than the 4 cases there are"),
        (0.0, r"rate must be a number in \(0, 1\], got 0.0"),
        (1.5, r"rate must be a number in \(0, 1\], got 1.5"),
        (np.nan, r"rate must be a number in \(0, 1\], got nan"),
        (True, r"rate must be a number in \(0, 1\], got True"),
        ("uniform", r"rate must be a number in \(0, 1\], got 'uniform'"),
        (None, r"rate must be a number in \(0, 1\], got None"),
    ],
)
def test_a_bad_rate_is_named(score, rate, message):
    with pytest.raises(ValueError, match=message):
        score([1, 0, 1, 0], [4, 3, 2, 1], rate=rate)


@each_score
def test_a_count_has_no_meaning_with_weights(score):
    with pytest.raises(ValueError, match="rate=2 is a number of cases, which sample_"):
        score([1, 0, 1], [3, 2, 1], rate=2, sample_weight=[1, 2, 1])


@pytest.mark.parametrize(
    ("score", "name"), [(recall_at_rate_score, "Recall"), (lift_at_rate_score, "Lift")]
)
def test_without_positives_recall_and_lift_are_undefined(score, name):
    message = f"{name} is undefined: y_true holds no positive case"
    with pytest.warns(UndefinedMetricWarning, match=message):
        assert np.isnan(score([0, 0], [2, 1], rate=0.5))


def test_precision_without_positives_is_zero():
    assert precision_at_rate_score([0, 0], [2, 1], rate=0.5) == 0
