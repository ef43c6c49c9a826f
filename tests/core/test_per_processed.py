"""Rates weighted by 1 / R: E[min(1, x / R)] by closed forms and by literal laws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from reference.rate_law import Density
from skrate import rates
from skrate.core.elicitation import check_rate
from skrate.core.per_processed import PerProcessed

PLACES = np.array([1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.7, 0.99, 1.0])


def share_within(rate, x=PLACES):
    """Return E[min(1, x / R) | R > 0]."""
    law = PerProcessed(check_rate(rate))
    return law.mean_inverse * law.table.limited_mean(x)


def of_beta(a, b, x):
    """Return the same of a beta distribution, by its recurrence in a."""
    below, above = special.betainc(a, b, x), special.betaincc(a, b, x)
    edge = x ** (a - 1) * (1 - x) ** b / special.beta(a, b)
    return below + x * ((a + b - 1) * above - edge) / (a - 1)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (3, 19), (6.2, 32.8), (50, 2), (1.5, 4), (1.1, 3), (400, 600),
        (0.5, 0.5), (0.1, 1), (0.9, 7), (1e4, 3),
    ],
)  # fmt: skip
def test_a_beta_is_its_closed_form(a, b):
    assert_allclose(
        share_within(rates.beta(a, b)), of_beta(a, b, PLACES), rtol=0, atol=3e-12
    )


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (2.865, 0.867),
        (2.36, 1.59),
        (4.58, 10.08),
        (3, 19),
        (50, 2),
        (1.5, 4),
        (400, 600),
    ],
)
def test_a_place_before_most_rates_keeps_its_digits(a, b):
    # The share within 1e-6 may be 1e-6: 1e-12 of it, as of any other.
    found = share_within(rates.beta(a, b))
    assert_allclose(found, of_beta(a, b, PLACES), rtol=1e-12, atol=0)


@pytest.mark.parametrize("low", [0.01, 0.5])
def test_an_interval_is_a_logarithm(low):
    rate, width = rates.interval(low, 0.9), 0.9 - low
    above = np.log(0.9 / np.clip(PLACES, low, 0.9)) / width
    below = np.clip(PLACES - low, 0, width) / width
    expected = below + PLACES * above
    assert_allclose(share_within(rate), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("b", [19, 1e6])
def test_a_beta_of_shape_two_is_a_power(b):
    found = share_within(rates.beta(2, b))
    expected = -np.expm1((b + 1) * np.log1p(-PLACES[:-1]))
    assert_allclose(found[:-1], expected, rtol=1e-9, atol=1e-14)
    assert_allclose(found[-1], 1, rtol=0, atol=1e-13)


@pytest.mark.parametrize("rate", ["uniform", rates.beta(1, 1), stats.uniform()])
def test_the_uniform_rate_is_x_less_x_log_x(rate):
    expected = PLACES - PLACES * np.log(PLACES)
    assert_allclose(share_within(rate), expected, rtol=1e-12, atol=5e-14)


def test_an_exponential_rate_is_an_exponential_integral():
    found = share_within(rates.exponential(20))
    # All above 1 is at 1.
    inverse = 20 * (special.exp1(20 * PLACES) - special.exp1(20)) + np.exp(-20)
    inverse[-1] = 0.0
    above = np.where(PLACES < 1, PLACES * inverse, np.exp(-20))
    below = -np.expm1(-20 * PLACES)
    assert_allclose(found, below + above, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("rate", "points", "masses"),
    [
        (0.3, [0.3], [1]),
        (rates.empirical([0.1, 0.5, 1.4], [1, 2, 1]), [0.1, 0.5, 1], [1, 2, 1]),
        (rates.empirical([0, 0.1, 0.5]), [0.1, 0.5], [1, 1]),
        (rates.mixture([0.1, rates.empirical([0, 0.4])]), [0.1, 0.4], [2, 1]),
        (rates.mixture([rates.empirical([0]), 0.2]), [0.2], [1]),
        (rates.empirical([1e-9, 0.5]), [1e-9, 0.5], [1, 1]),
        (rates.log_discount(3), [1 / 3, 2 / 3, 1],
         [1 - 1 / np.log2(3), 1 / np.log2(3) - 0.5, 0.5]),
    ],
)  # fmt: skip
def test_points_are_sums(rate, points, masses):
    at = np.minimum(1, PLACES[:, None] / np.array(points))
    expected = np.average(at, axis=1, weights=masses)
    assert_allclose(share_within(rate), expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    ("rate", "sf"),
    [
        (stats.norm(0.1, 0.1), stats.norm(0.1, 0.1).sf),
        (stats.lognorm(0.7, scale=0.1), stats.lognorm(0.7, scale=0.1).sf),
        (stats.gamma(2.5, scale=1e-4), stats.gamma(2.5, scale=1e-4).sf),
        (stats.uniform(-0.2, 0.5), stats.uniform(-0.2, 0.5).sf),
        (rates.interval(0.1, 0.4), stats.uniform(0.1, 0.3).sf),
    ],
)
def test_other_laws_are_integrated_literally(rate, sf):
    # E[min(1, x / R)] = S(0) - x times the integral of S(u) / u^2 above x, given R > 0.
    knots = [1e-5, 1e-4, 3e-4, 1e-3, 0.01, 0.1, 0.3, 0.4]
    law = Density(sf, knots)
    ends = np.ones_like(PLACES)
    beyond = law.inverse_squares(PLACES, ends)
    expected = 1 - PLACES * beyond / sf(0)
    assert_allclose(share_within(rate), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-3, 1e-6, 1e-12])
def test_small_rates_are_as_exact(scale):
    rate = stats.beta(3, 19, scale=scale)
    expected = of_beta(3, 19, np.minimum(PLACES, 1))
    assert_allclose(share_within(rate, PLACES * scale), expected, rtol=0, atol=3e-12)


def test_a_mixture_weighs_its_parts_by_how_often_they_are_above_zero():
    parts = [rates.beta(3, 19), stats.norm(0, 0.2), 0.8]
    shares = [0.5, 0.3, 0.2]
    positive = [1, 0.5, 1]
    weights = np.multiply(shares, positive)
    expected = np.average([share_within(p) for p in parts], axis=0, weights=weights)
    found = share_within(rates.mixture(parts, shares))
    assert_allclose(found, expected, rtol=0, atol=1e-13)


def test_the_mean_inverse_is_that_of_the_law():
    law = PerProcessed(rates.beta(3, 19))
    assert_allclose(law.mean_inverse, 21 / 2, rtol=1e-8)
    assert law.is_bounded
    for unbounded in ("uniform", rates.beta(0.5, 3), rates.exponential(3)):
        assert not PerProcessed(check_rate(unbounded)).is_bounded


@pytest.mark.parametrize(
    "rate",
    [rates.empirical([0]), stats.norm(-9, 0.01), rates.mixture([rates.empirical([0])])],
)
def test_of_a_rate_that_is_zero_there_is_no_mean_inverse(rate):
    assert np.isnan(PerProcessed(check_rate(rate)).mean_inverse)


def test_equal_laws_share_what_was_found():
    first, second = PerProcessed(rates.beta(3, 19)), PerProcessed(rates.beta(3, 19))
    assert first == second
    assert hash(first) == hash(second)
    assert first.table is second.table
    assert repr(first) == "beta(3, 19) by 1 / rate"
