"""Rates from frozen scipy distributions."""

import gc
import pickle
import weakref

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose
from scipy import stats

from skrate import expected_recall_score, rates
from skrate.core.elicitation import check_rate
from skrate.core.scipy_rates import ScipyRate

GRID = np.linspace(0, 1, 41)


@pytest.mark.parametrize(
    ("frozen", "same"),
    [
        (stats.beta(3, 19), rates.beta(3, 19)),
        (stats.beta(b=19, a=3), rates.beta(3, 19)),
        (stats.beta(3, 19, 0, 1), rates.beta(3, 19)),
        (stats.uniform(), rates.uniform()),
        (stats.uniform(0.25, 0.5), rates.interval(0.25, 0.75)),
        (stats.expon(scale=0.05), rates.exponential(20.0)),
    ],
)
def test_known_distributions_are_ours(frozen, same):
    assert check_rate(frozen) == same


@pytest.mark.parametrize(
    "frozen",
    [
        stats.beta(3, 19, loc=0.1, scale=0.5),
        stats.uniform(-0.5, 2),
        stats.expon(loc=0.1, scale=0.2),
        stats.norm(0.2, 0.1),
        stats.truncnorm(-1, 3, loc=0.3, scale=0.2),
        stats.triang(0.2, 0.1, 0.5),
        stats.gamma(2, scale=0.1),
        stats.lognorm(0.5, scale=0.2),
        stats.beta(0.3, 0.4, loc=0, scale=0.9),
    ],
    ids=lambda frozen: f"{frozen.dist.name}{frozen.args}{frozen.kwds}",
)
def test_continuous_distributions_are_clipped_to_0_and_1(frozen):
    rate = check_rate(frozen)
    assert type(rate) is ScipyRate
    assert_allclose(rate.survival(GRID[:-1]), frozen.sf(GRID[:-1]), rtol=0, atol=1e-13)
    # The mean of min(R, x) over the quantiles, by the midpoint rule.
    q = (np.arange(400_000) + 0.5) / 400_000
    draws = np.clip(frozen.ppf(q), 0, 1)
    for x in (0.15, 0.5, 1.0):
        expected = np.minimum(draws, x).mean()
        assert_allclose(rate.limited_mean(x), expected, rtol=0, atol=1e-7)
    quantiles = np.clip(frozen.ppf([0.1, 0.6]), 0, 1)
    assert_allclose(rate.ppf([0.1, 0.6]), quantiles, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("frozen", "same"),
    [
        (
            stats.rv_discrete(values=([0.1, 0.4], [0.25, 0.75]))(),
            rates.empirical([0.1, 0.4], [1, 3]),
        ),
        (
            stats.rv_discrete(values=([0.1, 0.4], [0.25, 0.75]))(loc=0.5),
            rates.empirical([0.6, 0.9], [1, 3]),
        ),
        (
            stats.rv_discrete(values=([-0.5, 0.5, 1.5], [0.25, 0.25, 0.5]))(),
            rates.empirical([0, 0.5, 1], [1, 1, 2]),
        ),
        (stats.bernoulli(0.25), rates.empirical([0, 1], [3, 1])),
        (stats.randint(0, 4), rates.empirical([0, 1, 1, 1])),
        (stats.randint(0, 2, loc=0.25), rates.empirical([0.25, 1])),
    ],
)
def test_discrete_distributions_are_their_masses(frozen, same):
    rate = check_rate(frozen)
    assert_allclose(rate.points, same.points, rtol=0, atol=1e-15)
    assert_allclose(rate.masses, same.masses, rtol=0, atol=1e-15)


def test_the_new_random_variables_of_scipy_are_taken():
    if not hasattr(stats, "make_distribution"):
        pytest.skip(f"scipy {scipy.__version__} has no make_distribution")
    variable = stats.make_distribution(stats.beta)(a=3.0, b=19.0)
    rate = check_rate(variable)
    expected = rates.beta(3, 19).limited_mean(GRID)
    assert_allclose(rate.limited_mean(GRID), expected, rtol=0, atol=1e-12)
    assert_allclose(rate.ppf(0.5), rates.beta(3, 19).ppf(0.5), rtol=1e-9)


def test_a_frozen_distribution_is_converted_once_and_not_kept_for_ever():
    frozen = stats.norm(0.2, 0.1)
    assert check_rate(frozen) is check_rate(frozen)
    alive = weakref.ref(frozen)
    del frozen
    for loc in np.linspace(0.1, 0.9, 65):
        check_rate(stats.norm(loc, 0.1))
    gc.collect()
    assert alive() is None


def test_equal_distributions_are_equal():
    one, other = stats.norm(0.2, 0.1), stats.norm(0.2, 0.1)
    assert check_rate(one) == check_rate(other)
    assert hash(check_rate(one)) == hash(check_rate(other))
    assert check_rate(one) != check_rate(stats.norm(0.2, 0.11))
    assert check_rate(one) != check_rate(stats.norm(0.2, scale=0.2))
    twin = pickle.loads(pickle.dumps(check_rate(one)))
    assert twin == check_rate(one)
    assert np.array_equal(twin.limited_mean(GRID), check_rate(one).limited_mean(GRID))


@pytest.mark.parametrize(
    ("frozen", "message"),
    [
        (stats.norm(np.nan, 1), "rate has no finite survival function"),
        (stats.beta([1, 2], 3), "rate must be one distribution, got several"),
        (stats.beta(-1, 3), "rate has no finite survival function"),
        (stats.uniform(0.1, -0.1), "rate has no finite survival function"),
        (stats.multivariate_normal([0, 0]), "rate must be 'uniform', a number"),
    ],
)
def test_what_is_no_distribution_of_one_rate_is_refused(frozen, message):
    with pytest.raises(ValueError, match=message):
        expected_recall_score([1, 0], [2, 1], rate=frozen)
