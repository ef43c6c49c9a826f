"""Piecewise polynomials for survival functions, and what is kept of them."""

import gc
import tracemalloc
import weakref

import numpy as np
from numpy.testing import assert_allclose
from scipy import special, stats

from looped import looped
from skrate import rate_weighted_auc_score, rates, recall_at_rate_score
from skrate.rates import survival as kept_module
from skrate.rates.laws import check_rate
from skrate.rates.survival import ByteLimitedCache, SurvivalTable


def values(table, x):
    """Return the polynomials at ``x``, by numpy."""
    panel = np.minimum(
        np.searchsorted(table.breaks, x, "right") - 1, len(table.breaks) - 2
    )
    low, high = table.breaks[panel], table.breaks[panel + 1]
    t = (2 * x - low - high) / (high - low)
    return np.array(
        [
            np.polynomial.polynomial.polyval(place, table.coefficients[row])
            for place, row in zip(t, panel, strict=True)
        ]
    )


def test_the_number_of_panels_is_bounded():
    def jumps(u):
        return 1 - np.floor(u * 5_000.5) / 5_001

    table = SurvivalTable.fit(jumps)
    assert len(table.coefficients) <= 40_000
    assert_allclose(table.limited_mean(np.ones(1)), [0.5], atol=1e-3)


def test_steps_by_hand():
    table = SurvivalTable.from_steps(
        np.array([0.5, 0.25, -1.0, 1.5, 0.25]),
        np.array([0.25, 0.125, 0.25, 0.25, 0.125]),
    )
    assert table.breaks.tolist() == [0, 0.25, 0.5, 1]
    assert table.coefficients[:, 0].tolist() == [0.75, 0.5, 0.25]
    x = np.array([0.0, 0.125, 0.25, 0.375, 1.0])
    expected = [0, 0.125 * 0.75, 0.1875, 0.1875 + 0.0625, 0.1875 + 0.125 + 0.125]
    assert table.limited_mean(x).tolist() == expected
    means = table.mean(np.array([0.0, 0.125, 0.0]), np.array([0.25, 0.375, 1.0]))
    assert means.tolist() == [0.75, 0.625, 0.4375]


def test_means_over_cells_within_and_across_panels():
    table = SurvivalTable.fit(lambda u: special.betaincc(3, 19, u))
    edges = np.sort(np.random.default_rng(1).random(200))
    low, high = edges[:-1], edges[1:]
    areas = np.diff(table.limited_mean(edges))
    assert_allclose(table.mean(low, high) * (high - low), areas, rtol=0, atol=1e-16)


def test_results_are_computed_once():
    kept, calls = ByteLimitedCache(), []

    @kept
    def square(x, y=0):
        calls.append(x)
        return np.array([x * x + y])

    assert square(3) is square(3)
    assert square(3, 1)[0] == 10
    assert calls == [3, 3]
    kept.clear()
    assert len(kept) == 0
    assert kept.nbytes == 0
    square(3)
    assert calls == [3, 3, 3]


def test_the_least_recently_used_go_first():
    kept, calls = ByteLimitedCache(max_bytes=3 * 9_000), []

    @kept
    def zeros(n):
        calls.append(n)
        return np.zeros(1000)

    for n in (1, 2, 3, 1, 4, 1, 2):
        zeros(n)
    assert calls == [1, 2, 3, 4, 2]
    assert kept.nbytes <= 3 * 9_000


@looped(
    "law",
    [
        lambda x: stats.rv_histogram((x, np.linspace(0, 1, len(x) + 1)))(),
        lambda x: rates.mixture([rates.empirical(x), 0.5]),
    ],
)
def test_many_large_rates_take_no_more_than_the_room(law, monkeypatch):
    rng = np.random.default_rng(0)
    labels, scores = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
    kept_module.kept.clear()
    room = 2_000_000
    monkeypatch.setattr(kept_module.kept, "max_bytes", room)
    tracemalloc.start()
    try:
        for _ in range(5):
            x = rng.random(2_000)
            recall_at_rate_score(labels, scores, rate=law(x))
            rate_weighted_auc_score(labels, scores, rate=law(x))
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 1.25 * room
    assert 0 < kept_module.kept.nbytes <= room


def test_what_is_kept_is_released():
    frozen = stats.norm(0.2, 0.1)
    check_rate(frozen).mean()
    alive = weakref.ref(frozen)
    del frozen
    for _ in range(3):
        large = rates.empirical(np.random.default_rng(0).random(50_000))
        recall_at_rate_score([0, 1], [0, 1], rate=large)
        recall_at_rate_score([0, 1, 1], [0, 1, 2], rate=large)
    kept_module.kept.clear()
    gc.collect()
    assert alive() is None
