"""Constructors of rates, their elicitation, and what ``rate=`` takes."""

import numpy as np
import pytest
from scipy import stats

from skrate import rates
from skrate.rates.laws import Beta, Empirical, Exponential, Fixed, Interval, check_rate


@pytest.mark.parametrize("given", [3, None, float("nan"), "uniform", np.array(0.3)])
def test_what_is_no_sequence_of_rates_is_no_mixture(given):
    with pytest.raises(ValueError, match="rates must be a sequence of what rate= acc"):
        rates.mixture(given)


# --- Constructors --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: rates.beta(0, 1), "a must be a finite number above 0, got 0"),
        (lambda: rates.beta(1, -1), "b must be a finite number above 0, got -1"),
        (lambda: rates.beta(1, np.nan), "b must be a finite number above 0, got nan"),
        (lambda: rates.beta(True, 1), "a must be a finite number above 0, got True"),
        (lambda: rates.exponential(0), "alpha must be a finite number above 0, got 0"),
        (lambda: rates.fixed(0), r"r must be a number in \(0, 1\], got 0"),
        (lambda: rates.fixed(1.1), r"r must be a number in \(0, 1\], got 1\.1"),
        (lambda: rates.interval(-1, 1), r"low must be a number in \[0, 1\], got -1"),
        (lambda: rates.interval(0, 2), r"high must be a number in \[0, 1\], got 2"),
        (lambda: rates.interval(0.2, 0.2), "low must be below high, got low=0.2"),
        (lambda: rates.empirical([]), "samples is empty"),
        (lambda: rates.empirical([0.1, np.nan]), "samples contains NaN"),
        (lambda: rates.empirical([0.1, -0.2]), "samples are rates, at least 0; found"),
        (lambda: rates.empirical([[0.1, 0.2]]), "samples must be one-dimensional"),
        (lambda: rates.empirical(["few"]), "samples must be numeric"),
        (lambda: rates.empirical([0.1], [1, 2]), "samples has 1, weights has 2"),
        (lambda: rates.empirical([0.1], [0]), "weights is zero for every case"),
        (lambda: rates.empirical([0.1], [-1]), "weights must not be negative"),
        (lambda: rates.mixture([]), "rates is empty: a mixture needs at least one"),
        (lambda: rates.mixture([0.1, "wide"]), r"rates\[1\]: rate='wide' is unknown"),
        (lambda: rates.mixture([0.1], [1, 1]), "rates has 1, weights has 2"),
        (lambda: rates.log_discount(0), "n must be an integer >= 1, got 0"),
        (lambda: rates.log_discount(3, base=1), "base must be above 1, got 1"),
        (lambda: rates.log_discount(3, base=-2), "base must be a finite number above"),
    ],
)
def test_bad_parameters_are_named(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    ("build", "hint"),
    [
        (lambda: rates.interval(200, 400), r"low .* got 200: counts .*from_counts\("),
        (lambda: rates.interval(0.1, 400), r"high .* got 400: counts .*from_counts\("),
        (lambda: rates.from_quantiles({0.1: 200, 0.9: 400}), r"from_counts\("),
        (lambda: rates.fixed(200), "r must .* got 200: 200 of N items are the rate 20"),
        (lambda: check_rate(200), "rate must .* got 200: 200 of N items are the rate"),
        (lambda: check_rate(200), r"with cost= a budget of 200 is 200 / cost.sum\(\)"),
        (lambda: check_rate(200.0), "got 200.0: 200 of N items are the rate 200/N"),
        (lambda: rates.empirical([200, 400]), "whole numbers up to 400: divide counts"),
        (lambda: rates.empirical([0, 1, 2]), "whole numbers up to 2: divide counts by"),
        (lambda: check_rate(stats.norm(300, 50)), r"norm\(300, 50\), is above 1 wi"),
        (lambda: check_rate(stats.poisson(300)), r"above 1 .*: divide counts by the"),
        (lambda: check_rate(stats.poisson(300)), r"skrate\.rates\.from_counts"),
        (lambda: rates.mixture([0.1, 40]), "40 of N items are the rate 40/N"),
    ],
)
def test_a_count_given_for_a_rate_is_told_what_to_do(build, hint):
    with pytest.raises(ValueError, match=hint):
        build()


@pytest.mark.parametrize("rate", [1.5, np.inf, np.nan, -3, True, 10**400])
def test_what_is_no_count_either_is_told_nothing_of_counts(rate):
    with pytest.raises(ValueError, match=r"got (?!.*items)"):
        rates.fixed(rate)


def test_samples_are_gathered():
    rate = rates.empirical([0.4, 0.1, 0.1, 1.5, 2.0], weights=[1, 1, 1, 0, 1])
    assert rate.points.tolist() == [0.1, 0.4, 1.0]
    assert rate.masses.tolist() == [0.5, 0.25, 0.25]
    assert rate == rates.empirical([0.1, 0.1, 0.4, 1.0])
    assert rate != rates.empirical([0.1, 0.4, 1.0])
    for array in (rate.points, rate.masses):
        assert not array.flags.writeable


def test_samples_are_not_changed():
    samples = np.array([0.4, 0.1, 1.7])
    rates.empirical(samples)
    assert samples.tolist() == [0.4, 0.1, 1.7]
    assert samples.flags.writeable


def test_scale_of_weights_is_free():
    assert rates.mixture([0.1, 0.2], [1, 3]) == rates.mixture([0.1, 0.2], [2, 6])
    assert rates.empirical([0.1, 0.2], [1, 3]) == rates.empirical([0.1, 0.2], [2, 6])


# --- What rate= takes ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("rate", "kind"),
    [
        ("uniform", Interval),
        (0.2, Fixed),
        (1, Fixed),
        (np.float32(0.25), Fixed),
        (stats.beta(3, 19), Beta),
        (stats.expon(scale=0.1), Exponential),
        (stats.uniform(0.1, 0.2), Interval),
        (rates.empirical([0.1]), Empirical),
    ],
)
def test_rates_are_recognised(rate, kind):
    assert type(check_rate(rate)) is kind


def test_equal_betas_share_their_tables():
    assert rates.beta(3, 19).table is rates.beta(3.0, 19).table
    assert rates.exponential(20).table is rates.exponential(20.0).table
