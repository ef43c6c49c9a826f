"""Rates as small as one case of a billion, and their mirror images next to 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from reference.rate_laws import (
    beta_limited_mean,
    beta_survival,
    gamma_limited_mean,
    histogram_limited_mean,
    lognormal_limited_mean,
    normal_limited_mean,
)
from skrate import (
    expected_recall_score,
    rate_weighted_auc_score,
    rates,
)
from skrate.rates.laws import check_rate

# Means from ordinary to one case of a billion.
MEANS = [0.1, 1e-3, 2e-5, 3e-7, 1e-9]
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
        rates.beta(900, round(900 / m)),
        lambda x: beta_limited_mean(900, round(900 / m), x),
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
each_law = pytest.mark.parametrize("name", LAWS)
each_mean = pytest.mark.parametrize("mean", MEANS)


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


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5e6), (0.01, 1e7), (1e-3, 1e6)])
def test_an_unbounded_density_of_a_small_rate_keeps_its_mean(a, b):
    assert_allclose(rates.beta(a, b).mean(), a / (a + b), rtol=1e-13)
    # By Markov nothing is left far out, and next to nothing is missing.
    assert_allclose(rates.beta(a, b).limited_mean(1e-3), a / (a + b), rtol=1e-12)


def test_the_budget_of_a_hundred_cases_of_millions_has_its_mean():
    rate = rates.from_budget(100, 5_000_000, (1, 5))
    # Costs of 1 to 5 an item pay for 20 to 100 of 5,000,000.
    assert_allclose(rate.ppf([0.025, 0.975]), [4e-6, 2e-5], rtol=1e-9)
    assert_allclose(rate.mean(), rate.a / (rate.a + rate.b), rtol=1e-14)
    assert 4e-6 < rate.mean() < 2e-5


@pytest.mark.parametrize("n_items", [10**3, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("cost", [(1, 5), (1, 1.05)])
def test_a_budget_can_be_any_share_of_the_items(n_items, cost):
    rate = rates.from_budget(100, n_items, cost)
    expected = [100 / n_items / cost[1], 100 / n_items / cost[0]]
    assert_allclose(rate.ppf([0.025, 0.975]), expected, rtol=1e-8)


def test_scales_far_apart_are_both_seen():
    small, large = rates.beta(6, 6 * 10**8), rates.interval(0.25, 0.75)
    rate = rates.mixture([small, large], [0.5, 0.5])
    x = places(1e-8)
    expected = (small.limited_mean(x) + large.limited_mean(x)) / 2
    assert_allclose(rate.limited_mean(x), expected, rtol=1e-15)
    assert_allclose(rate.mean_survival(1e-7, 0.25), 0.5, rtol=1e-12)

    class Both(stats.rv_continuous):
        def _sf(self, x):
            near = stats.norm(1e-8, 1e-9).sf(x)
            return 0.5 * near + 0.5 * stats.norm(0.5, 1e-9).sf(x)

    whole = check_rate(Both()())
    assert_allclose(whole.limited_mean(1e-6), 0.5 * 1e-8 + 0.5e-6, rtol=1e-12)
    assert_allclose(whole.mean(), 0.25 + 0.5e-8, rtol=1e-14)


@each_mean
def test_the_mirror_image_of_a_small_rate_has_the_mirrored_mean(mean):
    b = round(6 / mean)
    near_one, near_zero = rates.beta(b, 6), rates.beta(6, b)
    assert_allclose(near_one.mean(), 1 - near_zero.mean(), rtol=0, atol=1e-15)
    # E_min of a prevalence p is the mean of P(R > u) over the last cells, which is
    # P(1 - R <= v) over as many first ones.
    for p in (mean / 3, mean, 5 * mean, 0.5):
        start = 1 - p
        expected = 1 - beta_limited_mean(6, b, 1 - start) / (1 - start)
        # A double next to 1 is known to 1e-16, so a share of the mean rate to this.
        atol = 1e-13 + 1e-16 / mean
        found = near_one.mean_survival(start, 1.0)
        assert_allclose(found, expected, rtol=0, atol=atol)
    normal = check_rate(stats.norm(1 - mean, mean / 10))
    assert_allclose(normal.mean(), 1 - mean, rtol=0, atol=1e-15)


def ranked(n, n_pos, seed=0):
    """Return labels in the order of falling scores, positives mostly early."""
    rng = np.random.default_rng(seed)
    places = np.unique(np.floor(n * rng.random(3 * n_pos) ** 8).astype(int))
    labels = np.zeros(n, dtype=int)
    labels[rng.permutation(places)[:n_pos]] = 1
    return labels, -np.arange(n, dtype=np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("n", [5_000_000])
@pytest.mark.parametrize(
    "rate",
    [
        rates.from_budget(100, 5_000_000, (1, 5)),
        rates.beta(6, 6 * 10**9),
        rates.beta(6 * 10**6, 6),
        check_rate(stats.lognorm(2, scale=1e-6)),
        rates.mixture([2e-6, rates.beta(2, 2 * 10**7)]),
    ],
    ids=repr,
)
def test_scores_of_millions_of_cases_are_the_direct_sum(n, rate):
    labels, scores = ranked(n, 500)
    found = np.flatnonzero(labels)
    area = rate.limited_mean
    processed = (area((found + 1) / n) - area(found / n)) * n
    # A difference of areas loses digits next to 1, where S is hardly below 1.
    rtol = 1e-12 if rate.mean() < 0.5 else 1e-9
    recall = expected_recall_score(labels, scores, rate=rate)
    assert_allclose(recall, processed.mean(), rtol=rtol)
    p = len(found) / n
    worst, best = (area(1.0) - area(1 - p)) / p, area(p) / p
    expected = (processed.mean() - worst) / (best - worst)
    rauc = rate_weighted_auc_score(labels, scores, rate=rate)
    assert_allclose(rauc, expected, rtol=1e3 * rtol, atol=0)


def test_survival_of_small_betas_is_exact_at_their_own_scale():
    for a, b in [(6, 6 * 10**9), (2, 10**7), (40, 10**6)]:
        x = a / b * np.array([0.1, 0.5, 1.0, 1.5, 3.0])
        expected = [float(beta_survival(a, b, at)) for at in x]
        found = rates.beta(a, b).table.survival(x)
        # The table is of scipy's function, of which older releases are less exact.
        miss = np.abs(special.betaincc(a, b, x) - expected)
        assert_allclose(found, expected, rtol=0, atol=1e-13 + miss.max())
        assert_allclose(
            rates.beta(a, b).survival(x), expected, rtol=1e-11 + (miss / expected).max()
        )
