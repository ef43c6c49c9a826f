"""Scores at the worst of a set of distributions of the rate."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

from reference.rate_programs import end_of_range
from set_strategies import random_law, sets_of_laws
from skrate import (
    RankTable,
    RateWeightedAUCScorer,
    estimate,
    expected_recall_score,
    group_scores,
    influence,
    make_ranking_scorer,
    rate_weighted_auc_score,
    rates,
)
from skrate.core.metric import find_metric
from strategies import ranked_samples

KNOWN = rates.between({0.1: 0.1, 0.5: 0.2, 0.9: 0.45}, mean=(0.2, 0.25))
SCORES = {
    "expected recall": expected_recall_score,
    "of the negatives": partial(expected_recall_score, of="negatives"),
    "rAUC": rate_weighted_auc_score,
}
each_score = pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)


def sample(seed=0, n=200):
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < 0.3
    return y_true, np.round(rng.normal(size=n) + y_true, 1)


def test_by_hand():
    # Recall is 1/2 at 0.25, 1/2 at 0.5, 1 from 0.75 on.
    y_true, y_score = [1, 0, 1, 0], [4, 3, 2, 1]
    known = rates.between({0.1: 0.25, 0.9: 0.5})
    score = partial(expected_recall_score, y_true, y_score, rate=known)
    # What is found grows with the rate: all budgets at their least, or greatest.
    assert_allclose(score(worst="low"), 0.1 * 0 + 0.8 * 0.5 + 0.1 * 0.5)
    assert_allclose(score(worst="high"), 0.1 * 0.5 + 0.8 * 0.5 + 0.1 * 1)


@given(cases=ranked_samples(weighted=True, zero_weights=False), known=sets_of_laws())
def test_expected_recall_is_the_end_that_a_linear_program_finds(cases, known):
    table = RankTable.from_arrays(*cases[:2], sample_weight=cases.sample_weight)
    score = partial(expected_recall_score, *cases[:2], rate=known)
    for end in ("low", "high"):
        found = score(worst=end, sample_weight=cases.sample_weight)
        expected = end_of_range(known, table.rates, table.tpr, end=end)
        assert_allclose(found, expected, rtol=0, atol=1e-9)


@each_score
def test_no_distribution_of_the_set_is_worse(score):
    y_true, y_score = sample()
    low, high = (
        score(y_true, y_score, rate=KNOWN, worst=end) for end in ("low", "high")
    )
    rng = np.random.default_rng(1)
    for _ in range(50):
        found = score(y_true, y_score, rate=random_law(rng, KNOWN))
        assert low - 1e-12 <= found <= high + 1e-12
    assert 0 < low < high < 1


@each_score
def test_its_uncertainty_is_that_under_the_distribution_that_attains_it(score):
    y_true, y_score = sample()
    metric = find_metric(score, {"rate": KNOWN, "worst": "low"})
    law = metric.resolved(RankTable.from_arrays(y_true, y_score)).rate
    assert KNOWN.contains(law)
    for method in ("delta", "bootstrap"):
        options = {"method": method, "random_state": 0, "n_resamples": 100}
        found = estimate(score, y_true, y_score, rate=KNOWN, worst="low", **options)
        same = estimate(score, y_true, y_score, rate=law, **options)
        # They differ in what was asked only.
        assert found == replace(same, params=found.params)
    of_cases = influence(score, y_true, y_score, rate=KNOWN, worst="low")
    assert_allclose(of_cases, influence(score, y_true, y_score, rate=law))


@each_score
def test_the_slopes_are_those_of_the_worst_value(score):
    # As some cases become heavier the worst law follows, which adds nothing to the
    # slope. What is next to a cut is averaged over its neighbours.
    y_true, y_score = sample(n=5_000)
    worst = partial(score, y_true, y_score, rate=KNOWN, worst="low")
    of_cases = influence(score, y_true, y_score, rate=KNOWN, worst="low")
    for heavier in (y_true & (y_score > 0), ~y_true & (y_score > 1)):
        weights = 1 + 0.05 * heavier
        change = worst(sample_weight=weights) - worst()
        assert_allclose(change, weights @ of_cases / weights.sum(), rtol=0.25)


@each_score
def test_lists_have_the_worst_of_their_own(score):
    y_true, y_score = sample()
    groups = np.arange(200) // 20
    found = group_scores(
        score, y_true, y_score, groups=groups, rate=KNOWN, worst="low"
    ).mean()
    alone = [
        score(y_true[groups == i], y_score[groups == i], rate=KNOWN, worst="low")
        for i in range(10)
    ]
    assert_allclose(found, np.mean(alone))


def test_scorers_answer_by_the_worst():
    X, y = make_classification(300, random_state=0)
    model = LogisticRegression().fit(X[:200], y[:200])
    scorer = clone(RateWeightedAUCScorer(rate=KNOWN, worst="low"))
    made = make_ranking_scorer(rate_weighted_auc_score, rate=KNOWN, worst="low")
    expected = rate_weighted_auc_score(
        y[200:], model.decision_function(X[200:]), rate=KNOWN, worst="low"
    )
    assert scorer(model, X[200:], y[200:]) == made(model, X[200:], y[200:]) == expected
    assert "worst='low'" in repr(scorer)
    with pytest.raises(ValueError, match="worst='low' gives the least value"):
        RateWeightedAUCScorer(rate=KNOWN)(model, X, y)


@each_score
def test_a_set_needs_an_end_and_an_end_a_set(score):
    with pytest.raises(ValueError, match="rate is a set of distributions, between"):
        score([1, 0], [2, 1], rate=KNOWN)
    with pytest.raises(ValueError, match="worst='low' is for a set of distributions"):
        score([1, 0], [2, 1], rate=0.5, worst="low")
    with pytest.raises(ValueError, match="worst must be one of"):
        score([1, 0], [2, 1], rate=KNOWN, worst="least")


def test_what_is_undefined_under_one_distribution_is_nan():
    known = rates.between({0.5: 0.2})
    with pytest.warns(UndefinedMetricWarning, match="every ranking has the same"):
        found = rate_weighted_auc_score([1, 0], [2, 1], rate=known, worst="low")
    assert np.isnan(found)
    with pytest.warns(UndefinedMetricWarning, match="y_true holds no positive"):
        found = rate_weighted_auc_score([0, 0], [2, 1], rate=KNOWN, worst="low")
    assert np.isnan(found)


@each_score
def test_compressed_tables_bound_it(score):
    y_true, y_score = sample(n=5_000)
    table = RankTable.from_arrays(y_true, y_score + 1e-6 * np.arange(5_000))
    small = table.compress(50)
    error = small.max_error(score, rate=KNOWN, worst="low")
    exact, found = (score(one, rate=KNOWN, worst="low") for one in (table, small))
    assert 0 < abs(found - exact) <= error
    metric = find_metric(score, {"rate": KNOWN, "worst": "low"})
    assert not metric.is_sum_over_groups(table)
