"""What displays share: legends, colours, styles and signatures."""

import inspect
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import skrate
from colour_vision import difference, lab, linear
from looped import case
from optional import require
from skrate import HitCurveDisplay, rates
from skrate.displays.drawing import Display, density_outline, mean_and_spread

plt = require("matplotlib.pyplot")
colors = require("matplotlib.colors")
lines = require("matplotlib.lines")


def test_differences_are_those_of_cielab():
    # Bruce Lindbloom's values of sRGB's primaries.
    assert lab(linear([1, 0, 0])) == pytest.approx([53.24, 80.09, 67.20], abs=0.01)
    assert lab(linear([0, 1, 0])) == pytest.approx([87.73, -86.18, 83.18], abs=0.01)
    assert difference([1, 1, 1], [0, 0, 0]) == pytest.approx(100, abs=0.01)
    # Red and a green, which only some tell apart.
    assert difference([0.6, 0.3, 0], [0.35, 0.4, 0]) < 12


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([0.3916, 0.3908], "0.3912 ± 0.0004"),
        ([0.34, 0.44], "0.39 ± 0.05"),
        ([0.388, 0.4], "0.394 ± 0.006"),
        ([0.38, 0.4], "0.39 ± 0.01"),
        ([0.1 + 0.2, 0.3], "0.30 ± 0.00"),
        ([0.3, 0.3], "0.30 ± 0.00"),
        ([0.3], "0.30"),
        ([np.nan, 0.3], "nan ± nan"),
    ],
)
def test_the_first_digit_of_a_spread_is_shown(values, text):
    assert mean_and_spread(values) == text


DISPLAYS = [
    value
    for module in (skrate, skrate.displays)
    for name in module.__all__
    if inspect.isclass(value := getattr(module, name)) and issubclass(value, Display)
]
METHODS = [
    (display, name)
    for display in DISPLAYS
    for name in dir(display)
    if name.startswith("from_")
]


def documented(method):
    """Return the parameters that a docstring describes, in their order."""
    text = inspect.cleandoc(method.__doc__)
    (section,) = re.findall(
        r"^Parameters\n-+\n(.*?)\n\n\S[^\n]*\n---", text, re.S | re.M
    )
    heads = re.findall(r"^(\S.*) : ", section, re.MULTILINE)
    return [name for head in heads for name in head.split(", ")]


def test_methods_describe_what_they_take_and_pass_on():
    assert len(METHODS) >= 8
    for display, name in METHODS:
        with case((display, name)):
            method = getattr(display, name)
            parameters = inspect.signature(method).parameters.values()
            names = [str(p).partition(":")[0].partition("=")[0] for p in parameters]
            assert documented(method) == names
            assert names[-1] == "**kwargs"
            assert ":meth:`plot`" in method.__doc__.partition("**kwargs")[2]


def test_a_class_of_the_users_own_has_its_own_options():
    class Wider(HitCurveDisplay):
        def plot(self, ax=None, *, width=1, **kwargs):
            return super().plot(ax, curve_kwargs={"lw": width}, **kwargs)

    display = Wider.from_predictions([0, 1], [0, 1], width=3)
    assert display.line_.get_linewidth() == 3


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
        distribution = stats.beta(rate.a, rate.b)
        mode = (rate.a - 1) / (rate.a + rate.b - 2)
        assert density.max() == pytest.approx(distribution.pdf(mode), rel=1e-3)
        # Not a trapezoid: half of the maximum is crossed by many steps.
        assert np.sum((density > density.max() / 2) & (density < density.max())) > 50
    # The area is that of all the mass with a density.
    mass = 1 - rate.point_masses()[1].sum()
    assert np.sum(np.diff(places) * (density[1:] + density[:-1]) / 2) == pytest.approx(
        mass, rel=1e-3
    )


@pytest.mark.parametrize("rate", [rates.beta(0.5, 0.5), rates.beta(0.5, 4)], ids=repr)
def test_an_unbounded_density_does_not_flatten_the_rest(rate):
    places, density = density_outline(rate)
    distribution = stats.beta(rate.a, rate.b)
    highest = distribution.pdf(max(distribution.ppf(0.05), distribution.mean() / 100))
    assert density.max() == pytest.approx(highest, rel=0.2)
    middle = (places > distribution.ppf(0.1)) & (places < distribution.ppf(0.9))
    assert_allclose(density[middle], distribution.pdf(places[middle]), rtol=1e-6)
