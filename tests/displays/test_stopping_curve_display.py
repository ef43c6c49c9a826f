"""What is drawn of a review in progress is what stopping_curve says of it."""

import numpy as np
import pytest

from drawn import data, texts
from optional import require
from skrate.displays import StoppingCurveDisplay
from skrate.review import stopping_curve

plt = require("matplotlib.pyplot")

Y_TRUE = np.array([1] * 20 + [0] * 40 + [1] + [0] * 139)
CURVE = stopping_curve(Y_TRUE[:190], n_items=200)


def test_the_line_has_the_bounds_of_the_curve():
    display = StoppingCurveDisplay(CURVE).plot()
    x, y = data(display.line_)
    assert x.tolist() == CURVE.n_read.tolist()
    assert y.tolist() == CURVE.lower_bounds.tolist()
    assert data(display.target_)[1].tolist() == [0.95, 0.95]
    at = CURVE.lower_bounds[CURVE.n_read == CURVE.n_stop].item()
    assert [part.tolist() for part in data(display.stop_)] == [
        [CURVE.n_stop] * 2, [0, at]
    ]  # fmt: skip
    assert display.recall_ is display.ranked_ is display.last_ is None
    assert texts(display) == [
        "95 % bound if rest is no richer",
        f"reached at {CURVE.n_stop}",
        "target, 0.95",
    ]
    assert display.ax_.get_xlabel() == "Cases read, of 200"


def test_p_values_are_drawn_beside_what_they_are_compared_with():
    display = StoppingCurveDisplay(CURVE).plot(kind="pvalue")
    assert data(display.line_)[1].tolist() == CURVE.pvalues.tolist()
    assert data(display.target_)[1] == pytest.approx([0.05, 0.05])
    assert display.ax_.get_ylabel() == "p-value of a recall below 0.95"
    assert texts(display)[::2] == ["p-value if rest is no richer", "target, p = 0.05"]


def test_the_recall_is_drawn_where_it_is_known_in_the_end():
    display = StoppingCurveDisplay.from_predictions(Y_TRUE, n_items=200, step=10)
    x, y = data(display.recall_)
    assert y == pytest.approx(np.cumsum(Y_TRUE)[x - 1] / 21)
    assert "recall, as known in the end" in texts(display)


def test_random_cases_begin_at_a_line():
    display = StoppingCurveDisplay.from_predictions(
        Y_TRUE[:70], n_items=5_000, n_ranked=30
    )
    assert data(display.ranked_)[0].tolist() == [30, 30]
    assert display.stop_ is None
    assert texts(display)[0] == "95 % bound"
    assert "random cases from 30" in texts(display)


@pytest.mark.parametrize(
    ("kind", "number"), [("recall", "{:.3f}"), ("pvalue", "p = {:.2g}")]
)
def test_a_review_that_may_not_stop_says_so(kind, number):
    curve = stopping_curve(Y_TRUE[:90], n_items=1_000)
    display = StoppingCurveDisplay(curve).plot(kind=kind)
    last = (curve.lower_bounds if kind == "recall" else curve.pvalues)[-1]
    assert [part.tolist() for part in data(display.last_)] == [[90], [last]]
    says = f"not reached: 21 found, {number.format(last)}"
    assert says in texts(display)


def test_two_curves_share_the_target():
    display = StoppingCurveDisplay(CURVE).plot()
    other = stopping_curve(Y_TRUE[:100], n_items=200, n_ranked=30)
    display = StoppingCurveDisplay(other).plot(ax=display.ax_)
    assert texts(display).count("target, 0.95") == 1
