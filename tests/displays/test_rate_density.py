"""The drawn density of a rate is its density."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from skrate import rates
from skrate.displays.rate_density import density_outline


@pytest.mark.parametrize(
    "rate",
    [
        rates.beta(3, 19),
        rates.from_budget(200, 5_000, (0.5, 1)),
        rates.from_budget(100, 5_000_000, (1, 5)),
        rates.beta(600, 9_400),
        rates.exponential(5),
    ],
    ids=repr,
)
def test_a_density_is_drawn_up_to_its_maximum(rate):
    places, density = density_outline(rate)
    assert np.all(np.diff(places) > 0)
    assert_allclose(density[1:-1], rate.density(places[1:-1]), rtol=1e-12)
    if hasattr(rate, "a"):
        law = stats.beta(rate.a, rate.b)
        mode = (rate.a - 1) / (rate.a + rate.b - 2)
        assert density.max() == pytest.approx(law.pdf(mode), rel=1e-3)
        # Not a trapezoid: half of the maximum is crossed by many steps.
        assert np.sum((density > density.max() / 2) & (density < density.max())) > 50
    # The area is that of all the mass with a density.
    mass = 1 - rate.point_masses()[1].sum()
    assert np.sum(np.diff(places) * (density[1:] + density[:-1]) / 2) == pytest.approx(
        mass, rel=1e-3
    )


def test_edges_of_an_interval_are_upright():
    places, density = density_outline(rates.interval(0.2, 0.45))
    assert_allclose(density[(places > 0.2) & (places < 0.45)], 4, rtol=1e-12)
    assert not density[(places < 0.2) | (places > 0.45)].any()
    assert np.diff(places)[np.flatnonzero(np.diff(density))].max() < 1e-5


@pytest.mark.parametrize("rate", [rates.beta(0.5, 0.5), rates.beta(0.5, 4)], ids=repr)
def test_an_unbounded_density_does_not_flatten_the_rest(rate):
    places, density = density_outline(rate)
    law = stats.beta(rate.a, rate.b)
    highest = law.pdf(max(law.ppf(0.05), law.mean() / 100))
    assert density.max() == pytest.approx(highest, rel=0.2)
    middle = (places > law.ppf(0.1)) & (places < law.ppf(0.9))
    assert_allclose(density[middle], law.pdf(places[middle]), rtol=1e-6)
