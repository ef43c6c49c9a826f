"""Where legends are, and what stands in them in what order."""

import numpy as np
import pytest

from optional import require
from skrate import BudgetReportDisplay, HitCurveDisplay, rates
from skrate.displays.base import entry

plt = require("matplotlib.pyplot")

RNG = np.random.default_rng(0)
Y_TRUE = RNG.random(200) < 0.2
A, B = RNG.normal(size=(2, 200)) + np.array([[1], [2]]) * Y_TRUE


def box_of(display):
    display.figure_.draw_without_rendering()
    return display.ax_.get_legend().get_window_extent()


def test_a_layout_has_room_for_the_legend_below_the_axes():
    figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
    displays = [
        HitCurveDisplay.from_predictions(Y_TRUE, A, ax=axes[0]),
        BudgetReportDisplay.from_predictions(
            Y_TRUE, models={"A": A, "B": B}, rate=rates.beta(8, 40), ax=axes[1]
        ),
    ]
    boxes = [box_of(display) for display in displays]
    assert boxes[0].x1 < boxes[1].x0
    for ax, box in zip(axes, boxes, strict=True):
        assert figure.bbox.y0 <= box.y0 < box.y1 <= ax.xaxis.get_tightbbox().y0 + 1
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert ax.get_window_extent().height > 0.4 * figure.bbox.height


def test_without_a_layout_the_legend_is_within_the_axes():
    ax = plt.subplots()[1]
    box = box_of(HitCurveDisplay.from_predictions(Y_TRUE, A, ax=ax))
    inside = ax.get_window_extent()
    assert inside.x0 <= box.x0 < box.x1 <= inside.x1
    assert inside.y0 <= box.y0 < box.y1 <= inside.y1


def test_a_model_is_no_reference_by_its_name():
    ax = plt.subplots()[1]
    for model in ("Random forest", "Perfect booster", "A"):
        HitCurveDisplay.from_predictions(
            Y_TRUE, A if model == "A" else B, name=model, ax=ax
        )
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    starts = [text.split(" (")[0] for text in entries]
    assert starts == ["Random forest", "Perfect booster", "A", "Random", "Perfect"]


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        (("short:", "12 (9 to 15)"), ["short: 12 (9 to 15)"]),
        (
            ("as long as most of a line is:", "12 (9 to 15)"),
            ["as long as most of a line is:", "12 (9 to 15)"],
        ),
        (
            ("a name that takes two lines as it is too long:", "12 (9)"),
            ["a name that takes two lines as it is too", "long:", "12 (9)"],
        ),
    ],
)
def test_an_entry_is_wrapped_and_its_number_kept_whole(parts, lines):
    assert entry(*parts).splitlines() == lines
