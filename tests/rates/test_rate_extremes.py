"""Rates at the ends of what numbers can hold, and the guards that rounding needs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from skrate import (
    estimate,
    expected_recall_score,
    rate_weighted_auc_score,
    rates,
)
from skrate.rates.laws import check_rate

EXTREMES = {
    "beta(1e-3, 1e6)": rates.beta(1e-3, 1e6),
    "beta(1e6, 1e-3)": rates.beta(1e6, 1e-3),
    "beta(1e-5, 1e-5)": rates.beta(1e-5, 1e-5),
    "beta(1e300, 1e300)": rates.beta(1e300, 1e300),
    "exponential(1e9)": rates.exponential(1e9),
    "exponential(1e-300)": rates.exponential(1e-300),
    "interval(0, 1e-12)": rates.interval(0, 1e-12),
    "interval(0, 5e-324)": rates.interval(0, 5e-324),
    "interval next to 1": rates.interval(1 - 1e-16, 1),
    "fixed(1e-300)": rates.fixed(1e-300),
    "fixed(5e-324)": rates.fixed(5e-324),
    "lognormal, sigma 1e10": check_rate(stats.lognorm(1e10)),
    "normal, sigma 1e-300": check_rate(stats.norm(0.3, 1e-300)),
    "weibull": check_rate(stats.weibull_min(0.01, scale=1e-10)),
    "mixture": rates.mixture([1e-300, 0.5, rates.beta(1e-3, 1e6)]),
}
LABELS = np.random.default_rng(0).random(200) < 0.3
SCORES = np.random.default_rng(1).standard_normal(200) + LABELS


@pytest.mark.filterwarnings("ignore:The rAUC .* depends on the best:UserWarning")
@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.filterwarnings("ignore:rAUC is undefined")
def test_no_extreme_of_the_parameters_overflows(name):
    rate = EXTREMES[name]
    if name == "beta(1e300, 1e300)" and np.isnan(special.betaincc(1e300, 1e300, 0.5)):
        # Older releases of scipy do not know it: an error then, and no number.
        with pytest.raises(ValueError, match="no valid survival function"):
            rate.limited_mean(0.5)
        return
    x = [0.0, 1e-300, 1e-9, 0.5, 1.0]
    for found in (rate.survival(x), rate.limited_mean(x), rate.ppf([0, 0.1, 0.5, 1])):
        assert np.all((found >= 0) & (found <= 1))
    assert np.all(rate.density(x) >= 0)
    assert_allclose(rate.instance_weights(50).mean(), rate.mean(), rtol=1e-12)
    assert "processed" in rate.describe()
    assert 0 <= expected_recall_score(LABELS, SCORES, rate=rate) <= 1
    value = rate_weighted_auc_score(LABELS, SCORES, rate=rate)
    assert np.isnan(value) or 0 <= value <= 1
    estimate(rate_weighted_auc_score, LABELS, SCORES, rate=rate)


def test_rounding_in_the_sum_of_masses_does_not_move_a_quantile():
    # Ten masses of 0.1 sum to 0.7999999999999999 and to 0.9999999999999999.
    rate = rates.empirical(np.arange(1, 11) / 10)
    q = np.arange(1, 11) / 10
    assert rate.ppf(q).tolist() == q.tolist()
    # One minus 0.9 is less than 0.1.
    assert rates.mixture([0.2, 0.6], [0.1, 0.9]).ppf(0.1) == pytest.approx(0.2)


@pytest.mark.parametrize("small", [1e-5, 1e-8, 1e-10, 1e-30])
def test_a_small_difference_between_rankings_is_seen(small):
    # All that any ranking finds is found by the case that comes first.
    rate = rates.fixed(small)
    assert rate_weighted_auc_score([1, 0, 0, 0], [4, 3, 2, 1], rate=rate) == 1
    assert rate_weighted_auc_score([0, 1, 0, 0], [4, 3, 2, 1], rate=rate) == 0


def test_a_rate_next_to_1_still_tells_rankings_apart():
    # The last of four cases, a positive, is missed with a probability of 4e-9: there
    # the best and the worst ranking differ by 4e-9, to a rounding of 1e-16.
    rate = rates.fixed(1 - 1e-9)
    found = rate_weighted_auc_score([0, 1, 0, 1], [4, 3, 2, 1], rate=rate)
    assert found == pytest.approx(0, abs=1e-6)
    found = rate_weighted_auc_score([1, 1, 0, 0], [4, 3, 2, 1], rate=rate)
    assert found == pytest.approx(1, abs=1e-6)


def test_rounding_never_takes_the_rauc_out_of_range():
    values = []
    rng = np.random.default_rng(0)
    for _ in range(60):
        n = int(rng.integers(3, 30))
        n_pos = int(rng.integers(1, n))
        labels = np.arange(n) < n_pos
        rate = rates.beta(*rng.uniform(0.5, 30, 2))
        values.append(rate_weighted_auc_score(labels, -np.arange(n), rate=rate))
        values.append(rate_weighted_auc_score(labels, np.arange(n), rate=rate))
    assert min(values) >= 0
    assert max(values) <= 1
    assert_allclose(values[::2], 1, rtol=0, atol=1e-9)
    assert_allclose(values[1::2], 0, rtol=0, atol=1e-9)


def test_small_masses_are_point_masses_of_their_own():
    rate = rates.empirical([0.1, 0.2, 0.3], [1e-4, 1e-20, 1])
    points, masses = rate.point_masses()
    assert points.tolist() == [0.1, 0.2, 0.3]
    assert_allclose(masses, np.array([1e-4, 1e-20, 1]) / 1.0001, rtol=1e-12)
    # A rounding is not a mass.
    whole = rates.empirical([0.1, 0.3, 0.7], [0.1, 0.2, 0.7]).point_masses()[0]
    assert whole.tolist() == [0.1, 0.3, 0.7]


def test_small_masses_beyond_the_ends_are_point_masses():
    points, masses = check_rate(stats.norm(0.5, 0.125)).point_masses()
    assert points.tolist() == [0, 1]
    assert_allclose(masses, stats.norm.sf([4, 4]), rtol=1e-10)
