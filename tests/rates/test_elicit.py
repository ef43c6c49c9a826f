"""Constructors of rates, their elicitation from what users know, what rate= takes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from looped import looped
from skrate import rates
from skrate.rates.distributions import (
    Beta,
    Empirical,
    Exponential,
    Fixed,
    Interval,
    check_rate,
)


@looped("given", [3, None, float("nan"), "uniform", np.array(0.3)])
def test_what_is_no_sequence_of_rates_is_no_mixture(given):
    with pytest.raises(ValueError, match=r"rates.*rate="):
        rates.mixture(given)


# --- Constructors --------------------------------------------------------------------


@looped(
    "build, message",
    [
        (lambda: rates.beta(0, 1), r"^a .*0"),
        (lambda: rates.beta(1, -1), r"0.*-1"),
        (lambda: rates.empirical([3.2, 4.1, 5.5]), r"100 %.*5.5: divide perc.* by 100"),
        (lambda: rates.empirical([0.5, 2.5], [1, 2]), r"67 %"),
        (lambda: rates.exponential(0), r"alpha.*0.*0"),
        (lambda: rates.fixed(0), r"\br\b.*0.*1.*0"),
        (lambda: rates.interval(-1, 1), r"0.*1.*-1"),
        (lambda: rates.interval(0, 2), r"0.*1.*2"),
        (lambda: rates.interval(0.2, 0.2), r"0\.2"),
        (lambda: rates.empirical([]), "samples"),
        (lambda: rates.empirical([0.1, np.nan]), r"samples.*NaN"),
        (lambda: rates.empirical([0.1, -0.2]), r"samples.*0"),
        (lambda: rates.empirical([[0.1, 0.2]]), "samples"),
        (lambda: rates.empirical(["few"]), "samples"),
        (lambda: rates.empirical([0.1], [1, 2]), r"samples.*1.*2"),
        (lambda: rates.empirical([0.1], [0]), "weights"),
        (lambda: rates.empirical([0.1], [-1]), "weights"),
        (lambda: rates.mixture([]), "rates"),
        (lambda: rates.mixture([0.1, "wide"]), r"rates.*1.*rate='wide'"),
        (lambda: rates.mixture([0.1], [1, 1]), r"rates.*1.*2"),
        (lambda: rates.log_discount(0), r"\bn\b.*1.*0"),
        (lambda: rates.log_discount(10**9), r"\bn\b.*1000000000"),
        (lambda: rates.log_discount(3, base=1), r"base.*1.*1"),
        (lambda: rates.log_discount(3, base=-2), "base"),
    ],
)
def test_bad_parameters_are_named(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@looped(
    "build, hint",
    [
        (lambda: rates.interval(200, 400), r"200.*from_counts"),
        (lambda: rates.interval(0.1, 400), r"400.*from_counts"),
        (lambda: rates.from_quantiles({0.1: 200, 0.9: 400}), "from_counts"),
        (lambda: rates.fixed(200), r"\br\b.*200.*200.*20"),
        (lambda: check_rate(200), r"rate.*200.*200"),
        (lambda: check_rate(200), r"cost=.*200.*200"),
        (lambda: check_rate(10), r"10.*10.*0\.1.*10"),
        (lambda: check_rate("10%"), r"10.*rate=0\.1"),
        (lambda: check_rate((0.05, 0.1)), r"0\.1.*from_quantiles"),
        (lambda: rates.empirical([200, 400]), "400"),
        (lambda: rates.empirical([0, 1, 2]), r"samples.*2"),
        (lambda: check_rate(stats.norm(300, 50)), r"300.*50.*1"),
        (lambda: check_rate(stats.poisson(300)), r"rate.*poisson\(300\)"),
        (lambda: check_rate(stats.poisson(300)), "from_counts"),
        (lambda: rates.mixture([0.1, 40]), r"40.*40"),
    ],
)
def test_a_count_given_for_a_rate_is_told_what_to_do(build, hint):
    with pytest.raises(ValueError, match=hint):
        build()


# --- What rate= takes ---------------------------------------------------------------


@looped(
    "rate, kind",
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


@looped(
    "quantiles",
    [
        {0.025: 0.064, 0.975: 0.288},
        {0.975: 0.288, 0.025: 0.064},
        {0.05: 0.1, 0.5: 0.2},
        {0.1: 1e-6, 0.9: 1e-4},
        {0.1: 0.001, 0.9: 0.999},
        {0.025: 0.4999, 0.975: 0.5001},
        {0.25: 0.97, 0.75: 0.999},
        {0.01: 0.3, 0.02: 0.31},
    ],
)
def test_the_beta_goes_through_the_quantiles_to_1e_8(quantiles):
    rate = rates.from_quantiles(quantiles)
    for probability, quantile in quantiles.items():
        assert_allclose(special.betainc(rate.a, rate.b, quantile), probability, 0, 1e-9)
        assert_allclose(rate.ppf(probability), quantile, rtol=1e-8)


def test_a_mean_and_a_standard_deviation_are_no_shape_parameters():
    with pytest.warns(UserWarning, match=r"mean 0.667.*pass beta\(3.5, 31.5\)"):
        rates.beta(0.1, 0.05)
    meant = stats.beta(3.5, 31.5)
    assert_allclose([meant.mean(), meant.std()], [0.1, 0.05])
    # No shape has these moments.
    with pytest.warns(UserWarning, match=r"are shape parameters\.$"):
        rates.beta(0.1, 0.4)


@looped(
    "quantiles, message",
    [
        ({0.5: 0.2}, r"0\.5"),
        ([(0.1, 0.2), (0.9, 0.3)], "quantiles"),
        ({0.1: 0.2, "0.9": 0.3}, r"quantiles.*'0\.9'"),
        ({0.1: 0.2, 0.9: "0.3"}, r"quantiles.*'0\.3'"),
        ({0.1: 0.2, 0.9: 10**400}, r"quantiles.*401"),
        ({0.1: 0.3, 0.9: 0.2}, "quantiles"),
        ({0.1: 0.3, 0.9: 0.3}, "quantiles"),
        ({0: 0.1, 0.9: 0.3}, r"quantiles.*0\.$"),
        ({0.1: 0.1, 0.9: 1.3}, r"1\.3"),
        ({0.1: 0.5, 0.9: 0.5 + 1e-9}, r"quantiles.*0\.500000001"),
    ],
)
def test_bad_quantiles_are_named(quantiles, message):
    with pytest.raises(ValueError, match=message):
        rates.from_quantiles(quantiles)


@looped(
    "changes, message",
    [
        ({"total": 0}, r"total.*0.*0"),
        ({"n_items": 0}, r"n_items.*1.*0"),
        ({"n_items": 2.5}, r"n_items.*1.*2\.5"),
        ({"cost": 10}, r"cost.*10"),
        ({"cost": (0, 2)}, r"cost.*0.*0.*0"),
        ({"cost": (1, np.inf)}, r"cost.*1.*0.*inf"),
        ({"cost": (45, 10)}, "cost"),
        ({"confidence": 1}, r"confidence.*0.*1.*1"),
        ({"total": (1, 2, 3)}, r"total.*1.*2.*3"),
        ({"total": (22, 18)}, "total"),
        ({"total": (18, np.nan)}, r"total.*1.*0"),
        ({"cost": ((1, 2), 3)}, r"cost.*0.*0"),
        ({"cost": (1, 2, 3)}, "bounds"),
        ({"cost": "123"}, r"cost.*0.*'123'"),
        ({"cost": (1, 45), "distribution": "beta"}, r'distribution="beta".*2\.88'),
    ],
)
def test_bad_budgets_are_named(changes, message):
    budget = {"total": 7200, "n_items": 2500, "cost": (10, 45), **changes}
    with pytest.raises(ValueError, match=message):
        rates.from_budget(**budget)


# --- Counts --------------------------------------------------------------------------


@looped("confidence", [0.95, 0.8, 0.5])
def test_counts_are_their_shares_at_the_quantiles(confidence):
    rate = rates.from_counts(200, 400, n_items=5000, confidence=confidence)
    assert type(rate) is Beta
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    assert_allclose(rate.ppf(tails), [200 / 5000, 400 / 5000], rtol=1e-8)


@looped(
    "changes, message",
    [
        ({"low": 0}, r"^low .*0"),
        ({"high": "many"}, r"0.*'many'"),
        ({"low": 400}, r"400.*400"),
        ({"low": 0.2, "high": 0.4}, r"0\.2.*0\.4.*from_quantiles"),
        ({"high": 5000}, r"n_items=5000.*5000"),
        ({"n_items": 0}, r"n_items.*1.*0"),
        ({"confidence": 0}, r"confidence.*0.*1.*0"),
    ],
)
def test_bad_counts_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        rates.from_counts(**{"low": 200, "high": 400, "n_items": 5000, **changes})


# --- Totals that are uncertain -------------------------------------------------------


@looped("total", [7200, (7200, 7200), np.array([7200.0, 7200.0])])
def test_a_total_without_room_is_a_known_one_to_the_last_bit(total):
    rate = rates.from_budget(total, 2500, cost=(10, 45))
    assert rate == rates.from_quantiles(
        {0.025000000000000022: 7200 / (2500 * 45), 0.975: 7200 / (2500 * 10)}
    )


def test_where_the_law_matters_a_budget_says_so():
    budget = (3600, 4800), 4300, (1, 3)
    with pytest.warns(UserWarning, match=r"mean.*0\.741.*0\.579"):
        unsaid = rates.from_budget(*budget)
    assert unsaid == rates.from_budget(*budget, distribution="beta")
    found = rates.from_budget(*budget, distribution="lognormal")
    assert_allclose(found.ppf([0.025, 0.975]), unsaid.ppf([0.025, 0.975]), rtol=1e-8)
    with pytest.raises(ValueError, match=r"distribution.*'normal'"):
        rates.from_budget(*budget, distribution="normal")


@looped("total, cost", [(3600, (1, 2)), ((2000, 9000), 1), ((3000, 6000), (1, 2))])
def test_a_budget_that_may_cover_everything_has_a_mass_at_1(total, cost):
    # As the draws of a log-normal share, those above 1 as 1.
    generator, tails = np.random.default_rng(0), stats.norm.ppf([0.025, 0.975])

    def drawn(bounds):
        low, high = np.log(np.broadcast_to(bounds, 2))
        spread = (high - low) / (tails[1] - tails[0])
        return np.exp((low + high) / 2 + spread * generator.normal(size=200_000))

    simulated = np.minimum(drawn(total) / drawn(cost) / 3000, 1)
    rate = rates.from_budget(total, 3000, cost)
    assert rate == rates.from_budget(total, 3000, cost, distribution="lognormal")
    points, masses = rate.point_masses()
    assert points.tolist() == [1]
    # A share of draws has a standard error of at most 0.5 / 447, and so has a mean.
    assert_allclose(masses, [(simulated == 1).mean()], rtol=0, atol=3 * 0.0012)
    assert_allclose(rate.mean(), simulated.mean(), rtol=0, atol=3 * 0.0012)


def test_a_budget_that_surely_covers_everything_says_so():
    message = r"cost of 2 an item.* budget of 6600 pays for 3300 of 3000"
    with pytest.warns(UserWarning, match=message):
        rate = rates.from_budget(6600, 3000, cost=(1, 2))
    distribution = stats.lognorm(
        np.log(2) / 2 / stats.norm.ppf(0.975), scale=2.2 / np.sqrt(2)
    )
    assert_allclose(rate.point_masses()[1], [distribution.sf(1)], rtol=1e-9)
