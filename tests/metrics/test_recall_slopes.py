"""The variance of expected recall follows the law of the rate, not its class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from skrate import estimate, expected_recall_score, rate_weighted_auc_score, rates
from skrate.core.elicitation import check_rate
from skrate.core.rank_table import rank_table
from skrate.metrics.recall_slopes import recall_slopes


def sample(n, seed=0, prevalence=0.2):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < prevalence
    return labels, rng.standard_normal(n) + 1.2 * labels


def twin(rate):
    """Return the same discrete law as an empirical rate."""
    return rates.empirical(*rate.point_masses())


DISCRETE = [
    rates.log_discount(20),
    rates.log_discount(30, base=10),
    rates.fixed(0.3),
    rates.mixture([0.1, 0.4, rates.empirical([0.2, 0.3, 1.0])], [1, 2, 3]),
    rates.mixture([rates.log_discount(5), rates.log_discount(9)]),
    check_rate(stats.randint(0, 2, loc=0.25)),
]


@pytest.mark.parametrize("rate", DISCRETE, ids=repr)
@pytest.mark.parametrize("metric", [expected_recall_score, rate_weighted_auc_score])
def test_a_discrete_law_has_one_standard_error_however_it_is_made(rate, metric):
    labels, scores = sample(500)
    found = estimate(metric, labels, scores, rate=rate)
    expected = estimate(metric, labels, scores, rate=twin(rate))
    assert_allclose(found.value, expected.value, rtol=1e-12)
    assert_allclose(found.standard_error, expected.standard_error, rtol=1e-9)


class Jumps(stats.rv_continuous):
    """Half of the mass at 0.1, half exponential."""

    def _sf(self, x):
        return 0.5 * (x < 0.1) + 0.5 * np.exp(-5 * x)


MIXED = {
    "log discount": rates.log_discount(20),
    "a point and a beta": rates.mixture([0.1, rates.beta(3, 19)], [3, 1]),
    "a point and a clipped normal": rates.mixture([0.2, stats.norm(0.1, 0.2)], [1, 1]),
    "clipped normal": stats.norm(0.1, 0.2),
    "clipped on both sides": stats.norm(0.5, 0.8),
    "jump of a custom law": Jumps(a=0)(),
    "several budgets and any": rates.mixture([0.05, 0.1, "uniform"], [1, 1, 1]),
}


@pytest.mark.parametrize("name", MIXED)
def test_the_standard_error_is_the_spread_over_samples(name):
    rate = check_rate(MIXED[name])
    n, n_samples = 2_000, 400
    values, errors = np.empty(n_samples), np.empty(n_samples)
    for seed in range(n_samples):
        labels, scores = sample(n, seed)
        values[seed] = expected_recall_score(labels, scores, rate=rate)
        if seed < 50:
            found = estimate(expected_recall_score, labels, scores, rate=rate)
            errors[seed] = found.standard_error
    # Three standard errors of a standard deviation over 400 samples, and of the mean
    # of 50 estimates, each some 10 % off.
    tolerance = 3 * np.hypot(1 / np.sqrt(2 * n_samples), 0.1 / np.sqrt(50))
    assert_allclose(errors[:50].mean(), values.std(), rtol=tolerance)


def test_slopes_of_a_mixture_are_the_mixed_slopes():
    table = rank_table(*sample(3_000))
    parts = [rates.beta(3, 19), rates.fixed(0.1), rates.interval(0.2, 0.3)]
    weights = np.array([0.5, 0.3, 0.2])
    slopes, recall = recall_slopes(table, rates.mixture(parts, weights))
    apart = [recall_slopes(table, part) for part in parts]
    for name in ("by_pos", "by_neg", "by_prevalence"):
        expected = sum(
            w * getattr(each, name) for w, (each, _) in zip(weights, apart, strict=True)
        )
        assert_allclose(getattr(slopes, name), expected, rtol=0, atol=1e-12)
    assert_allclose(recall, weights @ [value for _, value in apart], rtol=1e-12)


@pytest.mark.parametrize(
    "rate",
    [
        rates.beta(3, 19),
        rates.beta(6, 6 * 10**5),
        rates.beta(6 * 10**5, 6),
        rates.beta(0.5, 0.5),
        check_rate(stats.norm(0.3, 1e-6)),
        rates.exponential(1e4),
    ],
    ids=repr,
)
def test_long_rankings_have_the_slopes_of_the_rate_itself(rate, monkeypatch):
    labels, scores = sample(60_000, prevalence=0.01)
    table = rank_table(labels, scores)
    slopes, recall = recall_slopes(table, rate)
    monkeypatch.setattr("skrate.metrics.recall_slopes._GRID", 2**20)
    exact, exact_recall = recall_slopes(table, rate)
    # In the cells of the grid the survival is a straight line.
    assert_allclose(recall, exact_recall, rtol=1e-6)
    size = np.abs(exact.by_pos).max()
    for name in ("by_pos", "by_neg", "by_prevalence"):
        found, expected = getattr(slopes, name), getattr(exact, name)
        assert_allclose(found, expected, rtol=0, atol=1e-4 * size)


# The middle of a cell of the grid, and the end of one within a group of 200,000.
MIDDLE, END = 0.5 + 2**-16, 20_001 / 2**15


@pytest.mark.parametrize(
    "rate",
    [
        rates.interval(MIDDLE - 4e-6, MIDDLE + 4e-6),
        rates.interval(END - 4e-6, END - 1e-9),
        rates.beta(2e4, 2),
        rates.exponential(1e4),
    ],
    ids=repr,
)
def test_long_rankings_have_the_variance_of_the_rate_itself(rate, monkeypatch):
    table = rank_table(*sample(200_000, prevalence=0.5))

    def standard_error():
        return estimate(expected_recall_score, table, rate=rate).standard_error

    found = standard_error()
    # No ranking is as long.
    monkeypatch.setattr("skrate.metrics.recall_slopes._GRID", 2**20)
    # Of slopes of about 1, some 1e-13 is rounding.
    assert_allclose(found, standard_error(), rtol=5e-5, atol=1e-13)
