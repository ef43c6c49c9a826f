"""Beta rates through what users know: quantiles, counts, and budgets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from skrate import rates
from skrate.rates.laws import Beta


def test_the_paper_s_budget_gives_the_paper_s_beta():
    for rate in (
        rates.from_quantiles({0.025: 0.064, 0.975: 0.288}),
        rates.from_budget(7200, 2500, cost=(10, 45)),
    ):
        assert type(rate) is Beta
        assert f"{rate.a:.3f}" == "6.226"
        assert f"{rate.b:.3f}" == "32.791"
    # Rounded to two digits as there, where it was found on a grid: 6.23 and 32.80.
    assert abs(rate.a - 6.23) < 0.01
    assert abs(rate.b - 32.80) < 0.01


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(("a", "b"), [(3, 19), (0.5, 0.5), (40, 2), (1, 1)])
def test_quantiles_of_a_beta_give_it_back(a, b):
    low, high = stats.beta(a, b).ppf([0.1, 0.8])
    rate = rates.from_quantiles({0.1: float(low), 0.8: float(high)})
    assert_allclose([rate.a, rate.b], [a, b], rtol=1e-8)


def test_a_budget_is_its_rates_at_the_quantiles():
    rate = rates.from_budget(100, 200, cost=(1, 5), confidence=0.8)
    assert_allclose(rate.ppf([0.1, 0.9]), [100 / 200 / 5, 100 / 200 / 1], rtol=1e-8)


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (3, r"cost must be a pair \(low, high\), got 3: .* the rate, 0\.0333333"),
        (np.float32(3), r"cost must be a pair \(low, high\)"),
        ((1, 2, 3), r"pair \(low, high\), got \(1, 2, 3\): bounds of the average over"),
        ([[1, 2]], r"cost must be a pair \(low, high\)"),
        ("123", "cost must be a finite number above 0, got '123'"),
        (None, "cost must be a finite number above 0, got None"),
    ],
)
def test_a_cost_is_a_pair(cost, message):
    with pytest.raises(ValueError, match=message):
        rates.from_budget(10, 100, cost)


@pytest.mark.parametrize(
    ("quantiles", "message"),
    [
        ({0.5: 0.2}, r"must be a dict of two entries \{probability: rate\}, got \{0.5"),
        ([(0.1, 0.2), (0.9, 0.3)], "quantiles must be a dict of two entries"),
        ({0.1: 0.2, "0.9": 0.3}, "a probability of quantiles must be a number in"),
        ({0.1: 0.2, None: 0.3}, "a probability of quantiles must be a number in"),
        ({0.1: 0.2, 0.9: "0.3"}, "a rate of quantiles must be a number in"),
        ({0.1: 0.2, 0.9: 10**400}, "a rate of quantiles must be a number in"),
        ({0.1: 0.3, 0.9: 0.2}, "quantiles must increase with probability"),
        ({0.1: 0.3, 0.9: 0.3}, "quantiles must increase with probability"),
        ({0: 0.1, 0.9: 0.3}, r"a probability of quantiles must be .* got 0"),
        ({0.1: 0.1, 0.9: 1.3}, r"a rate of quantiles must be .* got 1\.3"),
        ({0.1: 0.5, 0.9: 0.5 + 1e-9}, "No beta distribution was found through"),
    ],
)
def test_bad_quantiles_are_named(quantiles, message):
    with pytest.raises(ValueError, match=message):
        rates.from_quantiles(quantiles)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"total": 0}, "total must be a finite number above 0, got 0"),
        ({"total": "much"}, "total must be a finite number above 0, got 'much'"),
        ({"n_items": 0}, "n_items must be an integer >= 1, got 0"),
        ({"n_items": 2.5}, r"n_items must be an integer >= 1, got 2\.5"),
        ({"cost": 10}, r"cost must be a pair \(low, high\), got 10"),
        ({"cost": (1, 2, 3)}, r"cost must be a pair \(low, high\)"),
        ({"cost": (0, 2)}, r"cost\[0\] must be a finite number above 0, got 0"),
        ({"cost": (1, np.inf)}, r"cost\[1\] must be a finite number above 0, got inf"),
        ({"cost": (45, 10)}, r"cost must be \(low, high\) with low < high"),
        ({"confidence": 1}, r"confidence must be a number in \(0, 1\), got 1"),
        (
            {"cost": (1, 45), "law": "beta"},
            r'law="beta" has no upper quantile of 2\.88, as the budget may cover all',
        ),
    ],
)
def test_bad_budgets_are_named(changes, message):
    budget = {"total": 7200, "n_items": 2500, "cost": (10, 45), **changes}
    with pytest.raises(ValueError, match=message):
        rates.from_budget(**budget)


# --- Counts --------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.95, 0.8, 0.5])
def test_counts_are_their_shares_at_the_quantiles(confidence):
    rate = rates.from_counts(200, 400, n_items=5000, confidence=confidence)
    assert type(rate) is Beta
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    assert_allclose(rate.ppf(tails), [200 / 5000, 400 / 5000], rtol=1e-8)


def test_counts_may_be_of_any_number_type():
    given = np.int32(200), np.float32(400)
    assert rates.from_counts(*given, np.int64(5000)) == rates.from_counts(
        200, 400, 5000
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"low": 0}, "low must be a finite number above 0, got 0"),
        ({"high": "many"}, "high must be a finite number above 0, got 'many'"),
        ({"low": 400}, "low must be below high, got low=400 and high=400"),
        (
            {"low": 0.2, "high": 0.4},
            "count items, got low=0.2 and high=0.4: .*from_quantiles",
        ),
        ({"high": 5000}, "high must be below n_items=5000, .* got 5000: .*interval"),
        ({"n_items": 0}, "n_items must be an integer >= 1, got 0"),
        ({"confidence": 0}, r"confidence must be a number in \(0, 1\), got 0"),
    ],
)
def test_bad_counts_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        rates.from_counts(**{"low": 200, "high": 400, "n_items": 5000, **changes})


# --- Totals that are uncertain -------------------------------------------------------


@pytest.mark.parametrize("total", [7200, (7200, 7200), np.array([7200.0, 7200.0])])
def test_a_total_without_room_is_a_known_one_to_the_last_bit(total):
    rate = rates.from_budget(total, 2500, cost=(10, 45))
    assert rate == rates.from_quantiles(
        {0.025000000000000022: 7200 / (2500 * 45), 0.975: 7200 / (2500 * 10)}
    )


def test_with_a_known_cost_bounds_of_the_total_are_those_of_the_rate():
    rate = rates.from_budget((1080, 1320), 569, cost=12, confidence=0.8)
    expected = [1080 / 569 / 12, 1320 / 569 / 12]
    assert_allclose(rate.ppf([0.1, 0.9]), expected, rtol=1e-8)


@pytest.mark.parametrize("confidence", [0.95, 0.8])
@pytest.mark.parametrize(
    ("total", "cost"), [((1080, 1320), (6, 20)), ((400, 3000), (10, 12))]
)
def test_two_uncertainties_are_those_of_simulated_budgets(total, cost, confidence):
    # A total and a cost, each with its bounds at its own quantiles, drawn apart.
    generator = np.random.default_rng(0)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]

    def drawn(bounds):
        spread = np.log(bounds[1] / bounds[0]) / 2 / stats.norm.ppf(tails[1])
        middle = np.sqrt(bounds[0] * bounds[1])
        return middle * np.exp(spread * generator.normal(size=1_000_000))

    totals, costs = drawn(total), drawn(cost)
    for found, bounds in ((totals, total), (costs, cost)):
        assert_allclose(np.quantile(found, tails), bounds, rtol=0.01)
    n_items = 2000
    rate = rates.from_budget(total, n_items, cost, confidence)
    simulated = totals / costs / n_items
    assert_allclose(rate.ppf(tails), np.quantile(simulated, tails), rtol=0.005)
    rate = rates.from_budget(total, n_items, cost, confidence, law="lognormal")
    at = np.arange(1, 10) / 10
    expected = np.minimum(np.quantile(simulated, at), 1)
    assert_allclose(rate.ppf(at), expected, rtol=0.005)
    assert_allclose(rate.mean(), np.minimum(simulated, 1).mean(), rtol=0.005)


def test_where_the_law_matters_a_budget_says_so():
    budget = (3600, 4800), 4300, (1, 3)
    with pytest.warns(UserWarning, match=r"mean is 0.741 by the beta.* and 0.579 by"):
        unsaid = rates.from_budget(*budget)
    assert unsaid == rates.from_budget(*budget, law="beta")
    found = rates.from_budget(*budget, law="lognormal")
    assert_allclose(found.ppf([0.025, 0.975]), unsaid.ppf([0.025, 0.975]), rtol=1e-8)
    with pytest.raises(ValueError, match=r"law must be one of .* got 'normal'"):
        rates.from_budget(*budget, law="normal")


@pytest.mark.parametrize(
    ("total", "cost"), [(3600, (1, 2)), ((2000, 9000), 1), ((3000, 6000), (1, 2))]
)
def test_a_budget_that_may_cover_everything_has_a_mass_at_1(total, cost):
    # As the draws of a log-normal share, those above 1 as 1.
    generator, tails = np.random.default_rng(0), stats.norm.ppf([0.025, 0.975])

    def drawn(bounds):
        low, high = np.log(np.broadcast_to(bounds, 2))
        spread = (high - low) / (tails[1] - tails[0])
        return np.exp((low + high) / 2 + spread * generator.normal(size=1_000_000))

    simulated = np.minimum(drawn(total) / drawn(cost) / 3000, 1)
    rate = rates.from_budget(total, 3000, cost)
    assert rate == rates.from_budget(total, 3000, cost, law="lognormal")
    points, masses = rate.point_masses()
    assert points.tolist() == [1]
    # A share of draws has a standard error of at most 0.5 / 1000, and so has a mean.
    assert_allclose(masses, [(simulated == 1).mean()], rtol=0, atol=3 * 0.0005)
    assert_allclose(rate.mean(), simulated.mean(), rtol=0, atol=3 * 0.0005)


def test_a_budget_that_surely_covers_everything_says_so():
    message = r"least budget of 6600, at .* cost of 2 an item, pays for 3300 of 3000"
    with pytest.warns(UserWarning, match=message):
        rate = rates.from_budget(6600, 3000, cost=(1, 2))
    law = stats.lognorm(np.log(2) / 2 / stats.norm.ppf(0.975), scale=2.2 / np.sqrt(2))
    assert_allclose(rate.point_masses()[1], [law.sf(1)], rtol=1e-9)


def test_a_total_that_is_less_sure_widens_the_rate_as_variances_add():
    widths = []
    for factor in (1.0, 1.2, 1.5, 2.0):
        total = (1200 / factor, 1200 * factor)
        low, high = rates.from_budget(total, 2000, (6, 20)).ppf([0.025, 0.975])
        widths.append(np.log(high / low))
    own = [np.log(factor**2) for factor in (1.0, 1.2, 1.5, 2.0)]
    assert_allclose(widths, np.hypot(np.log(20 / 6), own), rtol=1e-8)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"total": (1, 2, 3)}, r"total must be a pair \(low, high\), got \(1, 2, 3\)"),
        ({"total": (22, 18)}, r"total must be \(low, high\) with low < high"),
        ({"total": (0, 18)}, r"total\[0\] must be a finite number above 0, got 0"),
        ({"total": (18, np.nan)}, r"total\[1\] must be a finite number above 0"),
        ({"cost": 0}, "cost must be a finite number above 0, got 0"),
    ],
)
def test_bad_uncertain_budgets_are_named(changes, message):
    budget = {"total": (6000, 7200), "n_items": 2500, "cost": (10, 45), **changes}
    with pytest.raises(ValueError, match=message):
        rates.from_budget(**budget)
