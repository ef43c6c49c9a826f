"""Rates from frozen scipy distributions."""

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose
from scipy import stats

from looped import looped
from skrate import rates, recall_at_rate_score
from skrate.rates.distributions import check_rate

GRID = np.linspace(0, 1, 41)


@looped(
    "frozen, same",
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


@looped(
    "frozen, same",
    [
        (
            stats.rv_discrete(values=([0.1, 0.4], [0.25, 0.75]))(),
            rates.empirical([0.1, 0.4], [1, 3]),
        ),
        (
            stats.rv_discrete(values=([0.1, 0.4], [0.25, 0.75]))(loc=0.5),
            rates.empirical([0.6, 0.9], [1, 3]),
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


@looped(
    "frozen, same, below",
    [
        (
            stats.rv_discrete(values=([-0.5, 0.5, 1.5], [0.25, 0.25, 0.5]))(),
            rates.empirical([0, 0.5, 1], [1, 1, 2]),
            "25 %.*0.625",
        ),
        (
            stats.randint(0, 5, loc=-1.75),
            rates.empirical([0, 0, 0.25, 1, 1]),
            "40 %.*0.45",
        ),
        (stats.norm(0.1, 0.1), None, r"16 % of norm\(0.1, 0.1\).*quantiles.*0.108"),
    ],
)
def test_mass_below_0_is_named_each_time(frozen, same, below):
    for _ in range(2):
        with pytest.warns(UserWarning, match=below):
            rate = check_rate(frozen)
    if same is not None:
        assert_allclose(rate.points, same.points, rtol=0, atol=1e-15)
        assert_allclose(rate.masses, same.masses, rtol=0, atol=1e-15)


class Ramp(stats.rv_continuous):
    """A density that rises from 0 to ``top``."""

    def __init__(self, top):
        super().__init__(a=0, b=top, name="ramp")
        self.top = top

    def _updated_ctor_param(self):
        return {"top": self.top}

    def _sf(self, x):
        return 1 - (x / self.top) ** 2


# Pairs of different laws that scipy calls the same or nearly so, and that agree at many
# rates, with their means.
EDGES = np.array([0, 0.01, 0.03, 0.05, 1])
TWINS = {
    "histograms": (
        stats.rv_histogram((np.array([8, 1, 1, 0]), EDGES), density=False)(),
        stats.rv_histogram((np.array([1, 1, 8, 0]), EDGES), density=False)(),
        0.8 * 0.005 + 0.1 * 0.02 + 0.1 * 0.04,
        0.1 * 0.005 + 0.1 * 0.02 + 0.8 * 0.04,
    ),
    "custom": (Ramp(0.03)(), Ramp(0.06)(), 0.02, 0.04),
    "samples": (
        stats.rv_discrete(values=([0.1, 0.4], [0.25, 0.75]))(),
        stats.rv_discrete(values=([0.1, 0.41], [0.25, 0.75]))(),
        0.325,
        0.3325,
    ),
    "six digits": (
        stats.norm(0.03, 0.0001),
        stats.norm(0.03 * (1 + 1e-8), 0.0001),
        0.03,
        0.03 * (1 + 1e-8),
    ),
    "supports": (
        type(stats.norm)(name="norm")(0.03, 0.001),
        type(stats.norm)(name="norm", a=5)(0.03, 0.001),
        0.03,
        None,
    ),
}
if hasattr(stats, "Normal"):
    TWINS["random variables"] = (
        stats.Normal(mu=0.03, sigma=0.0001),
        stats.Normal(mu=0.03 * (1 + 1e-8), sigma=0.0001),
        0.03,
        0.03 * (1 + 1e-8),
    )


@looped("name", TWINS)
def test_two_laws_never_share_what_was_computed(name):
    one, other, mean, other_mean = TWINS[name]
    first, second = check_rate(one), check_rate(other)
    assert first != second
    # By the mean, as all of the rate lies within the first of 2 cases; twice, since
    # what the first left behind is what the second must not get.
    for frozen, expected in [(one, mean), (other, other_mean)] * 2:
        if expected is not None:
            weights = check_rate(frozen).instance_weights(2)
            found = recall_at_rate_score([1, 0], [2, 1], rate=frozen)
            assert_allclose(found, weights[0], rtol=1e-14)
            assert_allclose(check_rate(frozen).mean(), expected, rtol=1e-12)
            assert_allclose(found, 2 * expected, rtol=1e-12)


def test_jumps_of_a_law_given_as_continuous_are_point_masses():
    class Jumps(stats.rv_continuous):
        def _sf(self, x):
            return 0.25 * (x < 0.1) + 0.5 * np.exp(-5 * x) + 0.25 * (x < 0.3)

    rate = check_rate(Jumps(a=0)())
    points, masses = rate.point_masses()
    assert_allclose(points, [0.1, 0.3, 1], rtol=1e-15)
    assert_allclose(masses, [0.25, 0.25, 0.5 * np.exp(-5)], rtol=0, atol=1e-14)
    expected = 0.025 + 0.075 + 0.1 * (1 - np.exp(-5))
    assert_allclose(rate.mean(), expected, rtol=1e-13)


def test_the_new_random_variables_of_scipy_are_taken():
    if not hasattr(stats, "make_distribution"):
        pytest.skip(f"scipy {scipy.__version__} has no make_distribution")
    variable = stats.make_distribution(stats.beta)(a=3.0, b=19.0)
    rate = check_rate(variable)
    expected = rates.beta(3, 19).limited_mean(GRID)
    assert_allclose(rate.limited_mean(GRID), expected, rtol=0, atol=1e-12)
    assert_allclose(rate.ppf(0.5), rates.beta(3, 19).ppf(0.5), rtol=1e-9)


@looped(
    "frozen, message",
    [
        (stats.norm(np.nan, 1), "rate"),
        (stats.beta([1, 2], 3), "rate"),
        (stats.beta(-1, 3), "rate"),
        (stats.uniform(0.1, -0.1), "rate"),
        (stats.randint(0, 5, loc=1.25), r"rate.*randint"),
        (stats.uniform(0.4, 1.4), r"uniform.*0\.4.*1\.4.*1.*0\.571"),
        (stats.multivariate_normal([0, 0]), r"rate.*'uniform'"),
    ],
)
def test_what_is_no_distribution_of_one_rate_is_refused(frozen, message):
    with pytest.raises(ValueError, match=message):
        recall_at_rate_score([1, 0], [2, 1], rate=frozen)
