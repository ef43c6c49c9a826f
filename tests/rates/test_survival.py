"""Piecewise polynomials for survival functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

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


@pytest.mark.parametrize(
    ("a", "b", "atol"),
    [
        (3, 19, 1e-13),
        (19, 3, 1e-13),
        (600, 9400, 1e-13),
        (1, 1, 1e-13),
        (0.5, 0.5, 1e-6),
        (0.1, 3, 1e-2),
    ],
)
def test_interpolation_is_exact_to_rounding_where_it_matters(a, b, atol):
    table = SurvivalTable.fit(lambda u: special.betaincc(a, b, u))
    x = np.sort(np.random.default_rng(0).random(3000))
    # Older releases of scipy round betaincc(600, 9400) to 1e-13.
    assert_allclose(values(table, x), special.betaincc(a, b, x), rtol=0, atol=1e-13)
    # Next to an unbounded density only the area is exact.
    x = np.concatenate([np.logspace(-20, -1, 200), 1 - np.logspace(-16, -1, 200)])
    assert_allclose(values(table, x), special.betaincc(a, b, x), rtol=0, atol=atol)
    mean = a / (a + b)
    assert_allclose(table.limited_mean(np.ones(1)), [mean], rtol=0, atol=1e-14)
    area = mean * special.betainc(a + 1, b, x) + x * special.betaincc(a, b, x)
    assert_allclose(table.limited_mean(x), area, rtol=0, atol=1e-14)


def test_panels_cover_0_to_1_in_order():
    table = SurvivalTable.fit(lambda u: np.exp(-50 * u))
    assert table.breaks[0] == 0
    assert table.breaks[-1] == 1
    assert np.all(np.diff(table.breaks) > 0)
    assert len(table.coefficients) == len(table.breaks) - 1


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


@pytest.mark.parametrize("point", [0.0, 1.0, 0.5])
def test_a_single_step(point):
    table = SurvivalTable.from_steps(np.array([point]), np.ones(1))
    assert table.limited_mean(np.ones(1)).tolist() == [point]


def test_means_over_cells_within_and_across_panels():
    table = SurvivalTable.fit(lambda u: special.betaincc(3, 19, u))
    edges = np.sort(np.random.default_rng(1).random(200))
    low, high = edges[:-1], edges[1:]
    areas = np.diff(table.limited_mean(edges))
    assert_allclose(table.mean(low, high) * (high - low), areas, rtol=0, atol=1e-16)


def test_density_is_minus_the_slope():
    table = SurvivalTable.fit(lambda u: special.betaincc(3, 19, u))
    x = np.linspace(0.001, 0.999, 500)
    expected = x**2 * (1 - x) ** 18 / special.beta(3, 19)
    assert_allclose(table.density(x), expected, rtol=0, atol=1e-9)
