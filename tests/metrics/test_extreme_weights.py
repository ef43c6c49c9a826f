"""Weights may differ by any factor: between cases, classes and lists."""

from fractions import Fraction

import numpy as np
import pytest

import skrate
from looped import looped
from reference import weighted_shares as reference
from reference.weighted_shares import Shares
from skrate import RankTable, rates

# (weight of the positives, weight of the negatives)
RATIOS = [
    *((w, 1.0) for w in (1e-12, 1e-17, 1e-90, 1e17, 1e90)),
    *((1e-90, 1e90), (1e90, 1e-90), (1e-90, 1e-90), (1e90, 1e90)),
]
Y_TRUE = np.array([1, 0, 1, 1, 0, 0, 1, 0])
Y_SCORE = np.array([8.0, 7, 6, 5, 5, 3, 2, 1])
OWN = np.array([1.0, 2, 3, 1, 1.5, 2.5, 1, 2])


def weights_of(ratio):
    return OWN * np.where(Y_TRUE == 1, *ratio)


def close(expected):
    return pytest.approx(float(expected), rel=1e-12, abs=1e-13)


@pytest.fixture(params=RATIOS, ids="{0[0]:g} to {0[1]:g}".format)
def sample(request):
    weights = weights_of(request.param)
    return weights, Shares(Y_TRUE, Y_SCORE, weights)


RATES = [
    ("uniform", "uniform"),
    (rates.mixture(["uniform", "uniform"]), "uniform"),
    (0.3, Fraction(0.3)),
]


@looped("rate, exact", RATES)
def test_expected_recall_and_rauc_are_exact(sample, rate, exact):
    weights, shares = sample
    for of in ("positives", "negatives"):
        value = skrate.recall_at_rate_score(
            Y_TRUE, Y_SCORE, rate=rate, of=of, sample_weight=weights
        )
        assert value == close(reference.expected_recall(shares, exact, of))
    value = skrate.rate_weighted_auc_score(
        Y_TRUE, Y_SCORE, rate=rate, sample_weight=weights
    )
    assert value == close(reference.rauc(shares, exact))


@looped("rate", [1e-9, 0.3, 1.0])
def test_budget_metrics_are_exact(sample, rate):
    weights, shares = sample
    found = reference.found_at(shares, Fraction(rate))
    prevalence = shares.n_pos / shares.total
    for function, expected in (
        (skrate.recall_at_rate_score, found / prevalence),
        (skrate.precision_at_rate_score, found / Fraction(rate)),
        (skrate.lift_at_rate_score, found / prevalence / Fraction(rate)),
    ):
        value = function(Y_TRUE, Y_SCORE, rate=rate, sample_weight=weights)
        assert value == pytest.approx(float(expected), rel=1e-12, abs=1e-13)


@looped("factors", [(1, 1e9), (1e9, 1), (1e17, 1), (1, 1e17)])
@looped("rate", ["uniform", rates.beta(3, 9), 0.3])
def test_errors_are_those_of_the_rare_class(factors, rate):
    pos = np.array([3, 0, 2, 5, 1, 0, 4.0])
    neg = np.array([0, 2, 2, 1, 5, 3, 6.0])
    table = RankTable(pos * factors[0], neg * factors[1])
    result = skrate.estimate(skrate.rate_weighted_auc_score, table, rate=rate)
    assert 0 < result.standard_error < 1
    assert 0 <= result.confidence_interval.low < result.value


# --- Lists ---------------------------------------------------------------------------


LIST_METRICS = [
    ("roc_auc", {}),
    (skrate.average_precision_score, {}),
    (skrate.average_precision_score, {"prevalence": 0.1}),
    (skrate.recall_at_rate_score, {"rate": rates.beta(3, 9)}),
    (skrate.rate_weighted_auc_score, {"rate": rates.beta(3, 9)}),
    (skrate.recall_at_rate_score, {"rate": 0.3}),
    (skrate.precision_at_rate_score, {"rate": 0.3}),
]


@looped("alone, options", LIST_METRICS[1:])
@looped("ratio", RATIOS)
def test_a_list_of_classes_of_any_weight_is_as_if_alone(alone, options, ratio):
    weights = np.concatenate([weights_of(ratio), OWN])
    both = skrate.group_scores(
        alone,
        np.tile(Y_TRUE, 2),
        np.tile(Y_SCORE, 2),
        groups=np.repeat([0, 1], 8),
        sample_weight=weights,
        **options,
    )
    for score, weight in zip(both.values, (weights[:8], OWN), strict=True):
        expected = alone(Y_TRUE, Y_SCORE, sample_weight=weight, **options)
        assert score == pytest.approx(expected, rel=1e-12, abs=1e-13)
