"""What is known of metrics at a known rate, where a case is above the cut or not."""

from functools import partial

import numpy as np
import pytest

from inference_cases import JUMPS, SMOOTH, each
from looped import looped
from skrate import (
    RankTable,
    compare,
    estimate,
    lift_at_rate_score,
    precision_at_rate_score,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
)
from skrate.metrics.metric import find_metric


def runs_of_negatives(seed, n=300, prevalence=0.1):
    generator = np.random.default_rng(seed)
    y_true = (generator.random(n) < prevalence).astype(int)
    return y_true, np.round(generator.normal(size=n) + 2 * y_true, seed % 3 + 1)


@each(SMOOTH + JUMPS)
@pytest.mark.parametrize("seed", range(3))
def test_the_variance_is_that_of_the_ranking_that_is_not_merged(metric, kwargs, seed):
    y_true, y_score = runs_of_negatives(seed)
    table = RankTable.from_arrays(y_true, y_score)
    of = find_metric(metric, kwargs).bind_sample_size(len(y_true), is_weighted=False)
    by_pos, by_neg, by_prevalence = of.slopes(table)
    n_pos, n_neg, n = table.n_pos, table.n_neg, table.total
    expected = by_prevalence**2 * n_pos * n_neg / n**3
    for slopes, weights in ((by_pos, table.pos), (by_neg, table.neg)):
        size = weights.sum()
        mean = np.average(slopes, weights=weights)
        lost = 1 if of.is_two_sample else 0
        squares = np.average((slopes - mean) ** 2, weights=weights)
        expected += squares / (size - lost)
    found = estimate(metric, y_true, y_score, **kwargs).standard_error
    assert found**2 == pytest.approx(expected, rel=1e-9)
    needs_groups = estimate(metric, y_true, y_score, **kwargs).influence
    assert np.sum(needs_groups**2) / n**2 == pytest.approx(expected, rel=1e-9)


AT_RATE = [
    recall_at_rate_score,
    precision_at_rate_score,
    lift_at_rate_score,
    partial(recall_at_rate_score, of="negatives"),
    rate_weighted_auc_score,
]


@looped("metric", AT_RATE)
def test_a_rate_at_which_fewer_than_five_are_processed_is_warned_of(metric):
    y_true, y_score = runs_of_negatives(0)
    message = (
        r"at rate=0.01 depends on the best 3 of 300 samples. Take at least 500 "
        r"samples, or a rate of at least 0.017\."
    )
    with pytest.warns(UserWarning, match=message):
        estimate(metric, y_true, y_score, rate=0.01)
    with pytest.warns(UserWarning, match=message):
        compare(metric, y_true, y_score, -y_score, rate=0.01)
    with pytest.warns(UserWarning, match=message):
        compare(metric, y_true, {"a": y_score, "b": -y_score}, rate=0.01)
    # These are not: warnings are errors.
    estimate(metric, y_true, y_score, rate=5 / 300)
    estimate(metric, np.tile(y_true, 2), np.tile(y_score, 2), rate=0.01)


def test_what_is_said_of_few_processed_counts_repetitions_and_numbers_of_cases():
    y_true, y_score = runs_of_negatives(0)
    twice = np.full(300, 2)
    estimate(recall_at_rate_score, y_true, y_score, sample_weight=twice, rate=0.01)
    with pytest.warns(UserWarning, match=r"4.*300"):
        estimate(recall_at_rate_score, y_true, y_score, k=4)
    distribution = rates.mixture([0.01, rates.beta(3, 19)])
    estimate(recall_at_rate_score, y_true, y_score, rate=distribution)


@pytest.mark.filterwarnings("ignore:.* depends on the best:UserWarning")
@looped("metric", [recall_at_rate_score, precision_at_rate_score])
@looped("n_best", [1, 2, 4])
@looped("label", [0, 1])
def test_few_processed_of_one_class_are_not_taken_for_all(metric, n_best, label):
    # The neighbours of the cut are of the same class as what is above it.
    y_true = np.repeat([label, 0, 1, 0], [10, 50, 60, 80])
    result = estimate(metric, y_true, -np.arange(200), k=n_best)
    # Of a precision q the variance is q (1 - q) / n_best, and a q of 1 / 9 or 8 / 9
    # is as likely as not to show one class alone in up to five cases.
    at_least = np.sqrt(8 / 81 / n_best) / 2
    if metric is recall_at_rate_score:
        at_least *= n_best / y_true.sum()
    assert result.standard_error > at_least
