"""Piecewise polynomials for survival functions."""

import numpy as np
from numpy.testing import assert_allclose
from scipy import special

from skrate import rates
from skrate.rates.survival import SurvivalTable


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


def test_equal_rates_share_one_table():
    assert rates.beta(3, 19).table is rates.beta(3, 19).table


def test_limited_means_of_rates_in_one_panel():
    x = np.array([0.91, 0.92, 0.93])
    # The integral of 1 - u, and of the beta distribution's (1 - u)^4.
    found = rates.beta(1, 1).limited_mean(x)
    assert_allclose(found, x - x**2 / 2, rtol=0, atol=1e-15)
    found = rates.beta(1, 4).limited_mean(x)
    assert_allclose(found, (1 - (1 - x) ** 5) / 5, rtol=0, atol=1e-12)
