"""Rates of one case of a billion, next to 1, and at the ends of what numbers hold."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from looped import looped
from reference.rate_laws import (
    beta_limited_mean,
    gamma_limited_mean,
    histogram_limited_mean,
    lognormal_limited_mean,
    normal_limited_mean,
)
from skrate import (
    estimate,
    group_scores,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
)
from skrate.rates.distributions import check_rate

# Means from ordinary to one case of a billion.
MEANS = [0.1, 2e-5, 1e-9]
BINS, SHARES = np.array([0.0, 0.5, 0.75, 2.0, 8.0]), np.array([0.5, 0.0, 0.375, 0.125])


def places(mean):
    """Return rates from far below the mean to 1."""
    x = mean * 10.0 ** np.arange(-5, 12, 1.5)
    return np.append(x[x < 1], 1.0)


def histogram(mean):
    """Return bins, and scipy's distribution, in units of ``mean``."""
    edges = BINS * mean
    return edges, stats.rv_histogram((SHARES, edges), density=False)()


LAWS = {
    "beta(6, b)": lambda m: (
        rates.beta(6, round(6 / m) - 6),
        lambda x: beta_limited_mean(6, round(6 / m) - 6, x),
    ),
    "beta(1, b)": lambda m: (
        rates.beta(1, round(1 / m)),
        lambda x: beta_limited_mean(1, round(1 / m), x),
    ),
    "concentrated beta": lambda m: (
        rates.beta(90, round(90 / m)),
        lambda x: beta_limited_mean(90, round(90 / m), x),
    ),
    "exponential": lambda m: (
        rates.exponential(1 / m),
        lambda x: gamma_limited_mean(1, 1 / np.float64(1 / m), x),
    ),
    "scipy gamma": lambda m: (
        check_rate(stats.gamma(4, scale=m / 4)),
        lambda x: gamma_limited_mean(4, m / 4, x),
    ),
    "scipy normal": lambda m: (
        check_rate(stats.norm(m, m / 2)),
        lambda x: normal_limited_mean(m, m / 2, x),
    ),
    "narrow normal": lambda m: (
        check_rate(stats.norm(m, m / 1000)),
        lambda x: normal_limited_mean(m, m / 1000, x),
    ),
    "scipy lognormal": lambda m: (
        check_rate(stats.lognorm(1.5, scale=m)),
        lambda x: lognormal_limited_mean(1.5, m, x),
    ),
    "scipy histogram": lambda m: (
        check_rate(histogram(m)[1]),
        lambda x: histogram_limited_mean(histogram(m)[0], SHARES, x),
    ),
    "interval": lambda m: (
        rates.interval(m / 2, 2 * m),
        lambda x: histogram_limited_mean([m / 2, 2 * m], [1.0], x),
    ),
}
each_law = looped("name", LAWS)
each_mean = looped("mean", MEANS)


@each_law
@each_mean
def test_the_mean_and_every_limited_mean_are_exact(name, mean):
    rate, limited_mean = LAWS[name](mean)
    x = places(mean)
    if "histogram" in name and mean == 0.1:
        x = x[x < 0.8]
    expected = [limited_mean(at) for at in x]
    # The closed form of the normal is a difference of two areas of the mean's size.
    atol = 4e-16 * mean if "normal" in name else 0
    assert_allclose(rate.limited_mean(x), expected, rtol=1e-12, atol=atol)


@each_law
@each_mean
def test_survival_averages_over_cells_of_any_width_to_the_mean(name, mean):
    rate, _ = LAWS[name](mean)
    edges = np.unique(np.concatenate([[0.0], places(mean), mean * np.arange(0.5, 9)]))
    edges = edges[edges <= 1]
    cells = rate.mean_survival(edges[:-1], edges[1:])
    assert_allclose(cells @ np.diff(edges), rate.mean(), rtol=1e-13)
    assert np.all(np.diff(cells) <= 1e-13)


BY_LAST = np.array([0, 1, 0, 1, 0, 0, 1])
OF_LAST = np.array([1.0, 1, 1, 0, 2, 0, 0])
# Only who is last counts, a negative (the best) or a positive (the worst). Of the three
# cases that tie for the place one is negative.
LAST = 1 / 3
NEXT_TO_1 = [
    rates.fixed(1 - 1e-9),
    rates.fixed(1 - 1e-12),
    rates.fixed(1 - 1e-13),
    rates.fixed(np.nextafter(1, 0)),
    rates.beta(3e9, 3),
    rates.beta(3e14, 3),
    rates.interval(1 - 1e-12, 1),
    rates.empirical([1, 1 - 1e-12]),
    rates.mixture([1, rates.fixed(1 - 1e-9), rates.beta(3e9, 3)]),
    check_rate(stats.norm(1 - 1e-9, 1e-10)),
    check_rate(stats.norm(1, 1e-12)),
]
next_to_1 = looped("rate", NEXT_TO_1)


@pytest.mark.filterwarnings("ignore:The rAUC .* depends on the best:UserWarning")
@next_to_1
def test_lists_and_intervals_see_the_same_next_to_1(rate):
    groups = np.repeat([3, 1], 7)
    lists = group_scores(
        rate_weighted_auc_score,
        np.tile(BY_LAST, 2),
        np.append(OF_LAST, -OF_LAST),
        groups=groups,
        rate=rate,
    )
    # Of the negated scores the last is a negative that ties with none: nothing is lost.
    by_list = dict(zip(lists.groups.tolist(), lists.values.tolist(), strict=True))
    assert by_list == pytest.approx({3: LAST, 1: 1.0}, rel=1e-14)
    result = estimate(rate_weighted_auc_score, BY_LAST, OF_LAST, rate=rate)
    mirrored = estimate(
        rate_weighted_auc_score, 1 - BY_LAST, -OF_LAST, rate=check_rate(rate).mirrored
    )
    assert result.value == pytest.approx(LAST, rel=1e-14)
    assert result.standard_error == pytest.approx(mirrored.standard_error, rel=1e-6)


MIRRORED = [
    rates.beta(9, 2),
    rates.fixed(0.75),
    rates.interval(0.5, 0.875),
    rates.empirical([0.25, 1, 0.875], [1, 2, 5]),
    rates.log_discount(3, base=1.5),
    rates.exponential(0.2),
    rates.mixture([0.75, rates.beta(9, 2)], [1, 3]),
    check_rate(stats.norm(0.8, 0.2)),
    check_rate(stats.triang(0.75, 0.25, 0.5)),
]


@looped("rate", MIRRORED)
def test_the_mirrored_distribution_is_that_of_1_minus_the_rate(rate):
    x = np.array([0.03, 0.22, 0.41, 0.6, 0.81, 0.97])
    below = 1 - rate.mirrored.survival(1 - x)
    assert_allclose(below, rate.survival(x), rtol=0, atol=1e-12)
    assert_allclose(rate.mirrored.mean(), 1 - rate.mean(), rtol=1e-12)
    assert_allclose(rate.mirrored.mirrored.mean(), rate.mean(), rtol=1e-12)


class Rising(stats.rv_continuous):
    def _sf(self, x):
        return 0.5 + 0.25 * np.sin(20 * x)


class Above(stats.rv_continuous):
    def _sf(self, x):
        return 1.5 * (1 - x)


@looped(
    "frozen, what",
    [
        (stats.vonmises(4, 0.5, 0.05), r"in \[0, 1\]"),
        (Above()(), r"in \[0, 1\]"),
        (Rising()(), "rises"),
    ],
)
def test_what_is_no_survival_function_is_refused(frozen, what):
    message = f"no valid survival function: .*{what}"
    with pytest.raises(ValueError, match=message):
        rates.mixture([frozen])
    with pytest.raises(ValueError, match=message):
        rate_weighted_auc_score(BY_LAST, OF_LAST, rate=frozen)


@looped("rate, words",
    [
        (rates.from_budget(100, 5_000_000, (1, 5)),
         "0.00105 % of the samples will be processed on average, between 0.000400 % "
         "and 0.00200 % with probability 0.95"),
        (rates.fixed(0.16), "16.0 % of the samples will be processed"),
        (rates.fixed(1e-9), "1.00e-07 % of the samples will be processed"),
        (rates.fixed(0.9999), "99.990 % of the samples will be processed"),
        (rates.fixed(1), "100.0 % of the samples will be processed"),
    ],
)  # fmt: skip
def test_a_rate_in_words_keeps_digits_of_any_size(rate, words):
    assert repr(rates.fixed(1 - 1e-9)) == "fixed(0.999999999)"
    assert rate.describe() == words


EXTREMES = {
    "beta(1e-3, 1e6)": rates.beta(1e-3, 1e6),
    "beta(1e6, 1e-3)": rates.beta(1e6, 1e-3),
    "beta(1e-5, 1e-5)": check_rate(stats.beta(1e-5, 1e-5)),
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
@looped("name", EXTREMES)
@pytest.mark.filterwarnings("ignore:rAUC is undefined")
def test_no_extreme_of_the_parameters_overflows(name):
    rate = EXTREMES[name]
    if name == "beta(1e300, 1e300)" and np.isnan(special.betaincc(1e300, 1e300, 0.5)):
        # Older releases of scipy do not know it: an error then, and no number.
        with pytest.raises(ValueError, match="survival"):
            rate.limited_mean(0.5)
        return
    x = [0.0, 1e-300, 1e-9, 0.5, 1.0]
    for found in (rate.survival(x), rate.limited_mean(x), rate.ppf([0, 0.1, 0.5, 1])):
        assert np.all((found >= 0) & (found <= 1))
    assert np.all(rate.density(x) >= 0)
    assert_allclose(rate.instance_weights(50).mean(), rate.mean(), rtol=1e-12)
    assert "processed" in rate.describe()
    assert 0 <= recall_at_rate_score(LABELS, SCORES, rate=rate) <= 1
    value = rate_weighted_auc_score(LABELS, SCORES, rate=rate)
    assert np.isnan(value) or 0 <= value <= 1
    estimate(rate_weighted_auc_score, LABELS, SCORES, rate=rate)


def test_rounding_never_takes_the_rauc_out_of_range():
    values = []
    rng = np.random.default_rng(0)
    for _ in range(20):
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
