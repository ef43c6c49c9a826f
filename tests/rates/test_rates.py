"""What every rate distribution answers: against quadrature and closed forms."""

import copy
import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, special, stats

from skrate import rates
from skrate.rates.laws import check_rate

NAMES = {
    "uniform": rates.uniform(),
    "beta(3, 19)": rates.beta(3, 19),
    "beta(7, 15)": rates.beta(7, 15),
    "beta(19, 3)": rates.beta(19, 3),
    "beta(0.5, 0.5)": rates.beta(0.5, 0.5),
    "beta(0.1, 3)": rates.beta(0.1, 3),
    "beta(1, 1)": rates.beta(1, 1),
    "beta(600, 9400)": rates.beta(600, 9400),
    "interval": rates.interval(0.15, 0.45),
    "interval from 0": rates.interval(0, 0.3),
    "interval to 1": rates.interval(0.8, 1),
    "fixed": rates.fixed(0.3),
    "fixed at 1": rates.fixed(1.0),
    "empirical": rates.empirical([0, 0.1, 0.1, 0.4, 1, 1.7], [1, 1, 2, 3, 1, 1]),
    "exponential(1)": rates.exponential(1),
    "exponential(160.9)": rates.exponential(160.9),
    "log_discount": rates.log_discount(20),
    "log_discount, base 10": rates.log_discount(20, base=10),
    "mixture": rates.mixture([rates.beta(3, 19), 0.8, "uniform"], [7, 2, 1]),
    "scipy triang": check_rate(stats.triang(0.3)),
    "scipy truncnorm": check_rate(stats.truncnorm(-2, 8, loc=0.2, scale=0.1)),
    "scipy norm": check_rate(stats.norm(0.4, 0.5)),
    "scipy discrete": check_rate(stats.randint(0, 3)),
}
each_rate = pytest.mark.parametrize("name", NAMES)
GRID = np.r_[0, np.sort(np.random.default_rng(0).random(40)), 1]

BETAS = [
    (3, 19),
    (7, 15),
    (11, 11),
    (15, 7),
    (19, 3),
    (0.5, 0.5),
    (0.1, 3),
    (600, 9400),
]


def closed_form(a, b, x):
    """Return G of a beta distribution."""
    mean = a / (a + b)
    return mean * special.betainc(a + 1, b, x) + x * special.betaincc(a, b, x)


@pytest.mark.parametrize(("a", "b"), BETAS)
def test_limited_mean_of_a_beta_is_its_closed_form(a, b):
    found = rates.beta(a, b).limited_mean(GRID)
    assert_allclose(found, closed_form(a, b, GRID), rtol=0, atol=2e-14)


@each_rate
def test_limited_mean_is_the_integral_of_the_survival_function(name):
    rate = NAMES[name]
    jumps = [0.1, 0.15, 0.3, 0.4, 0.45, 0.8, *(np.arange(1, 20) / 20)]
    if "600" in name:
        jumps += [0.05, 0.055, 0.06, 0.065, 0.07]
    for x in (0.02, 0.333, 1.0):
        edges = np.unique([0, *(1e-6 * 10.0 ** np.arange(6)), *jumps, 1])
        edges = [*edges[edges < x], x]
        area = math.fsum(
            integrate.quad(rate.survival, low, high, epsabs=1e-14, epsrel=1e-12)[0]
            for low, high in pairwise(edges)
        )
        # Quadrature itself stalls where the density is unbounded at 0.
        atol = 1e-9 if "0.1, 3" in name else 1e-12
        assert_allclose(rate.limited_mean(x), area, rtol=0, atol=atol)


@each_rate
def test_mean_survival_is_the_slope_of_the_limited_mean(name):
    rate = NAMES[name]
    low, high = GRID[:-1], GRID[1:]
    expected = np.diff(rate.limited_mean(GRID)) / (high - low)
    assert_allclose(rate.mean_survival(low, high), expected, rtol=0, atol=1e-12)
    whole = rate.mean_survival(0.0, 1.0)
    assert_allclose(whole, rate.mean(), rtol=0, atol=1e-15)


@pytest.mark.parametrize(("a", "b"), BETAS)
def test_mean_survival_of_narrow_cells_keeps_its_digits(a, b):
    low = GRID[1:-1]
    found = rates.beta(a, b).mean_survival(low, low + 1e-9)
    expected = special.betaincc(a, b, low + 5e-10)
    assert_allclose(found, expected, rtol=0, atol=1e-13)


@each_rate
def test_survival_falls_and_averages_over_positions_to_the_mean(name):
    rate = NAMES[name]
    survival = rate.survival(GRID)
    assert np.all(np.diff(survival) <= 0)
    assert survival[0] <= 1
    assert survival[-1] == 0
    assert 0 <= rate.mean() <= 1


@pytest.mark.parametrize(
    ("name", "mean"),
    [
        ("beta(3, 19)", 3 / 22),
        ("beta(0.5, 0.5)", 0.5),
        ("interval", 0.3),
        ("fixed", 0.3),
        ("empirical", (2 * 0.1 + 1 * 0.1 + 3 * 0.4 + 2 * 1) / 9),
        ("exponential(1)", 1 - math.exp(-1)),
        ("mixture", 0.7 * 3 / 22 + 0.2 * 0.8 + 0.1 * 0.5),
        ("scipy triang", (0 + 1 + 0.3) / 3),
    ],
)
def test_means_by_hand(name, mean):
    assert_allclose(NAMES[name].mean(), mean, rtol=0, atol=1e-14)


def test_a_normal_rate_is_clipped_to_its_meaning():
    draws = stats.norm(0.4, 0.5).ppf((np.arange(200_000) + 0.5) / 200_000)
    expected = np.minimum(np.clip(draws, 0, 1)[:, None], [0.2, 0.7, 1]).mean(axis=0)
    found = NAMES["scipy norm"].limited_mean([0.2, 0.7, 1])
    assert_allclose(found, expected, rtol=0, atol=1e-6)


@each_rate
def test_ppf_inverts_the_distribution(name):
    rate = NAMES[name]
    q = np.r_[1e-6, np.linspace(0.01, 0.99, 23)]
    quantile = rate.ppf(q)
    assert np.all(np.diff(quantile) >= 0)
    # P(R <= x) reaches q at the quantile, and not before it.
    reached = 1 - rate.survival(np.minimum(quantile + 1e-9, 1))
    assert np.all(reached >= q - 1e-6)
    before = 1 - rate.survival(np.maximum(quantile - 1e-9, 0))
    assert np.all((before <= q + 1e-6) | (quantile < 1e-9))


@pytest.mark.parametrize(
    ("rate", "q", "expected"),
    [
        (rates.fixed(0.3), [0.0, 0.5, 1.0], [0.3, 0.3, 0.3]),
        (rates.empirical([0.1, 0.2]), [0.25, 0.5, 0.75, 1.0], [0.1, 0.1, 0.2, 0.2]),
        (rates.interval(0.2, 0.4), [0.0, 0.5, 1.0], [0.2, 0.3, 0.4]),
        (rates.exponential(2), [0.0, 1.0], [0.0, 1.0]),
        # A third of the mass of the discount for 2 lies at 1/2: 1 - log(2)/log(3).
        (rates.log_discount(2), [0.3, 0.4], [0.5, 1.0]),
        (rates.mixture([0.2, 0.6], [1, 3]), [0.2, 0.25, 0.3], [0.2, 0.2, 0.6]),
    ],
)
def test_quantiles_by_hand(rate, q, expected):
    assert_allclose(rate.ppf(q), expected, rtol=0, atol=1e-12)


@each_rate
def test_shapes_are_kept(name):
    rate = NAMES[name]
    for method in (rate.survival, rate.limited_mean, rate.ppf):
        assert type(method(0.5)) is float
        assert method([0.5]).shape == (1,)
        assert method(np.full((2, 3), 0.5)).shape == (2, 3)
    assert type(rate.mean()) is float
    assert rate.mean_survival(np.zeros((2, 1)), np.ones(3)).shape == (2, 3)


@each_rate
def test_distributions_pickle_and_compare_by_value(name):
    rate = NAMES[name]
    rate.mean()  # builds what is derived, which a pickle leaves out
    for twin in (pickle.loads(pickle.dumps(rate)), copy.deepcopy(rate)):
        assert twin == rate
        assert hash(twin) == hash(rate)
        assert repr(twin) == repr(rate)
        assert np.array_equal(twin.limited_mean(GRID), rate.limited_mean(GRID))
    # A uniform distribution on [0, 1] may be written in several ways.
    others = [other for key, other in NAMES.items() if key != name]
    assert rate not in others


def test_pickles_are_small():
    rate = rates.beta(3, 19)
    rate.mean()
    assert len(pickle.dumps(rate)) < 300


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("uniform", "uniform()"),
        ("beta(3, 19)", "beta(3, 19)"),
        ("interval", "interval(0.15, 0.45)"),
        ("fixed", "fixed(0.3)"),
        ("empirical", "empirical(4 rates from 0 to 1, mean 0.388889)"),
        ("exponential(1)", "exponential(1)"),
        ("log_discount", "log_discount(20, base=2)"),
        ("mixture", "mixture(0.7: beta(3, 19), 0.2: fixed(0.8), 0.1: uniform())"),
        ("scipy triang", "triang(0.3)"),
        ("scipy truncnorm", "truncnorm(-2, 8, loc=0.2, scale=0.1)"),
    ],
)
def test_the_repr_is_readable(name, text):
    assert repr(NAMES[name]) == text


# --- Weights of positions (the paper's section 3.1 and figure 3) --------------------


@each_rate
@pytest.mark.parametrize("n", [1, 20])
def test_instance_and_threshold_weights_belong_together(name, n):
    rate = NAMES[name]
    instance, threshold = rate.instance_weights(n), rate.threshold_weights(n)
    assert np.all(np.diff(instance) <= 1e-15)
    assert_allclose(instance.mean(), rate.mean(), rtol=0, atol=1e-14)
    # Equation 17: processed at i if the last processed is i or later.
    assert_allclose(np.cumsum(threshold[::-1])[::-1], instance, rtol=0, atol=1e-14)
    assert np.all(threshold >= -1e-15)


def test_instance_weights_of_log_discount_are_those_of_ndcg():
    found = rates.log_discount(20).instance_weights(20)
    expected = [1 / math.log2(i + 1) for i in range(1, 21)]
    assert_allclose(found, expected, rtol=1e-14)
    threshold = rates.log_discount(20).threshold_weights(20)
    assert_allclose(threshold[:2], [1 - 1 / math.log2(3), 1 / math.log2(3) - 0.5])
    # Ever smaller further down (figure 3b), but for the last, which takes the rest.
    assert np.all(np.diff(threshold[:-1]) < 0)


def test_threshold_weights_of_the_elicited_beta_peak_where_figure_3_does():
    # "processing is most likely to stop at a rate of 14 %": the mode is 0.14.
    threshold = rates.beta(6.23, 32.80).threshold_weights(100)
    assert threshold.argmax() in (13, 14)


def test_a_base_above_two_leaves_the_first_positions_undiscounted():
    found = rates.log_discount(20, base=10).instance_weights(20)
    assert_allclose(found[:9], 1)
    assert_allclose(found[9:], [1 / math.log10(i + 1) for i in range(10, 21)])


# --- Words and errors ---------------------------------------------------------------


def test_a_rate_says_itself_in_words():
    assert rates.fixed(0.25).describe() == "25.0 % of the cases will be processed"
    assert rates.interval(0.1, 0.3).describe(0.5) == (
        "20.0 % of the cases will be processed on average, between 15.0 % and 25.0 % "
        "with probability 0.5"
    )


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan, [0.5, 2]])
def test_rates_and_probabilities_must_lie_within_0_and_1(value):
    rate = rates.beta(3, 19)
    for name in ("survival", "limited_mean"):
        with pytest.raises(ValueError, match=r"x must lie in \[0, 1\], found"):
            getattr(rate, name)(value)
    with pytest.raises(ValueError, match=r"q must lie in \[0, 1\], found"):
        rate.ppf(value)


def test_other_bad_arguments_are_named():
    rate = rates.beta(3, 19)
    with pytest.raises(ValueError, match="low must be below high in every cell"):
        rate.mean_survival([0.1, 0.5], [0.2, 0.5])
    with pytest.raises(ValueError, match="n must be an integer >= 1, got 0"):
        rate.instance_weights(0)
    with pytest.raises(ValueError, match=r"n must be an integer >= 1, got 2\.5"):
        rate.threshold_weights(2.5)
    with pytest.raises(ValueError, match=r"confidence_level must .* got 1"):
        rate.describe(1)
