"""The curve of a planned size has the numbers that other sizes would have."""

from functools import partial

import numpy as np
import pytest

from drawn import data, texts
from looped import looped
from optional import require
from skrate import sample_size

plt = require("matplotlib.pyplot")

RNG = np.random.default_rng(0)
Y = RNG.random(300) < 0.3
A = RNG.normal(size=300) + 1.5 * Y
B = 0.8 * A + 0.6 * RNG.normal(size=300)


@looped("options", [{}, {"difference": 0.05}, {"margin": 0.1, "difference": 0.0}])
def test_the_power_is_the_one_of_each_size(options):
    plan = partial(sample_size, "roc_auc", Y, A, B, **options)
    planned = plan(power=0.7)
    display = planned.plot(name="A")
    x, y = data(display.line_)
    for i in (5, 30, 59):
        n = round(x[i])
        found = plan(n_samples=n)
        # The power of neighbouring sizes differs by less than 1 / n.
        assert y[i] == pytest.approx(found.power, abs=1 / n)
    assert data(display.point_) == ([planned.n], [planned.power])
    assert texts(display)[0] == f"A: n = {planned.n:,}, power {planned.power:.2f}"
    assert display.ax_.get_ylabel() == "Power"


def test_the_half_width_is_the_one_of_each_size():
    plan = partial(sample_size, "roc_auc", Y, A)
    planned = plan(half_width=0.05)
    display = planned.plot()
    x, y = data(display.line_)
    assert y[30] == pytest.approx(plan(n_samples=round(x[30])).half_width, rel=1e-2)
    assert display.ax_.get_ylabel() == "Half width of the interval"


def test_what_is_undefined_is_not_drawn():
    with pytest.warns(match="no variation"):
        planned = sample_size("roc_auc", Y, A, A, power=0.8)
    with pytest.raises(ValueError, match="result"):
        planned.plot()
