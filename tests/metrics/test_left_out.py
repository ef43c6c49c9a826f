"""The bias of the average precision by leaving out each case, and what it mends."""

import numpy as np
import pytest
from scipy import integrate, stats

from guarantees import binomial_tolerance, simulations
from reference.average_precision import jackknife_bias
from skrate import FoldRankings, RankTable, average_precision_score, estimate
from skrate.core.metric import find_metric
from skrate.metrics.left_out import excess, precision_excess


@pytest.mark.parametrize("prevalence", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("seed", range(12))
def test_it_is_what_leaving_out_each_case_in_turn_gives(seed, prevalence):
    rng = np.random.default_rng(seed)
    y_true = np.repeat([1, 0], [2 + seed % 6, 2 + seed % 9])
    y_score = rng.integers(3 + seed, size=len(y_true)) + y_true
    table = RankTable.from_arrays(y_true, y_score)
    expected = jackknife_bias(y_true.tolist(), y_score.tolist(), prevalence)
    # Sums of some ten terms, times the number of cases.
    assert precision_excess(table, prevalence) == pytest.approx(expected, abs=1e-13)


def test_by_hand():
    # 1 and 2 / 3, on average 5 / 6. Without either positive 5 / 6 again, as negatives
    # then weigh half; without the first negative 1, without the second (1 + 1 / 2) / 2.
    table = RankTable([1, 0, 1, 0], [0, 1, 0, 1])
    assert precision_excess(table, 0.5) == pytest.approx(1 / 24, abs=1e-15)


def test_one_case_of_a_class_does_not_tell():
    assert np.isnan(precision_excess(RankTable([1, 0], [1, 3]), 0.2))
    assert np.isnan(precision_excess(RankTable([2, 3], [1, 0]), 0.8))


def test_adjusted_it_has_the_scale_of_the_metric():
    table = RankTable([3, 2, 1], [1, 2, 6])
    plain, adjusted = (
        excess(find_metric(average_precision_score, {"adjusted": adjusted}), table)
        for adjusted in (False, True)
    )
    assert adjusted == pytest.approx(plain / table.negative_share, rel=1e-14)


def test_a_line_through_the_roc_curve_is_not_left_out_of():
    table = RankTable(np.full(30, 4), np.arange(30))
    metric = find_metric(average_precision_score, {"prevalence": 0.01})
    assert np.isnan(excess(metric.of_sample(table.total, is_weighted=False), table))


def folds_of(rng, n_folds, n_pos, n_neg, law):
    y_true = np.tile(np.repeat([1, 0], [n_pos, n_neg]), n_folds)
    y_score = law.rvs(len(y_true), random_state=rng) + 2.0 * y_true
    return FoldRankings(y_true, y_score, np.repeat(np.arange(n_folds), n_pos + n_neg))


def test_the_value_stays_the_mean_of_folds_and_the_interval_allows_for_the_bias():
    rankings = folds_of(np.random.default_rng(0), 6, 8, 60, stats.norm())
    result = estimate("average_precision", rankings)
    assert result.value == average_precision_score(rankings)
    biases = [precision_excess(table, 8 / 68) for table in rankings.tables()]
    assert result.bias == pytest.approx(np.mean(biases), rel=1e-13)
    assert result.bias > 0
    low, high = result.confidence_interval
    # About the corrected value, and still around the value.
    assert (low + high) / 2 < result.value - result.bias
    assert low < result.value <= high
    # One ranking, and what has no such bias, say nothing of it.
    one = FoldRankings(rankings.y_true, rankings.y_score, np.zeros(len(rankings.fold)))
    assert estimate("average_precision", one).bias is None
    assert estimate("roc_auc", rankings).bias is None


@pytest.mark.slow
@pytest.mark.parametrize("n_pos", [5, 20])
@pytest.mark.parametrize("law", [stats.norm(), stats.t(3)], ids=["normal", "t3"])
def test_intervals_of_folds_hold_the_average_precision_of_many_cases(law, n_pos):
    n_neg, n_simulations = 9 * n_pos, simulations(400)

    def precision(recall):
        return 0.1 * recall / (0.1 * recall + 0.9 * law.sf(2 + law.isf(recall)))

    truth = integrate.quad(precision, 0, 1, limit=200)[0]
    rng = np.random.default_rng(n_pos)
    n_held = 0
    for _ in range(n_simulations):
        rankings = folds_of(rng, 5, n_pos, n_neg, law)
        result = estimate("average_precision", rankings, stratify=True)
        low, high = result.confidence_interval
        n_held += low <= truth <= high
    assert n_held / n_simulations > 0.9 - binomial_tolerance(0.9, n_simulations)
