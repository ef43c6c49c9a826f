"""A legend covers nothing, at whatever size, and nothing of it is cut."""

import functools
import warnings

import numpy as np
import pytest

from optional import require
from skrate import (
    BudgetReportDisplay,
    CurveComparisonDisplay,
    budget_report,
    compare_curves,
    rates,
)
from skrate.displays._legend import draw_legend, entry

plt = require("matplotlib.pyplot")

RNG = np.random.default_rng(0)
Y_TRUE = RNG.random(600) < 0.1
A, B, C = RNG.normal(size=(3, 600)) + np.array([[1], [2], [0.5]]) * Y_TRUE
LAW = rates.beta(10, 10)
LONG = "a model of which all parameters are in its name"
MODELS = {
    "two": {"A": A, "B": B},
    "long": {f"{LONG}, {i}": A for i in range(3)},
}
COMPARISON = compare_curves(Y_TRUE, A, B, random_state=0)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@functools.cache
def report_of(models):
    report = budget_report(Y_TRUE, models=MODELS[models], rate=LAW, n_items=4300)
    return BudgetReportDisplay(report, pos_label="include")


def comparison_of(names):
    return CurveComparisonDisplay(
        COMPARISON, names=names, rate=LAW, n_items=4300, pos_label="include"
    )


DISPLAYS = {
    **{f"report-{key}": lambda key=key: report_of(key) for key in MODELS},
    "comparison": lambda: comparison_of(("A", "B")),
    "comparison-long": lambda: comparison_of((f"{LONG}, 1", f"{LONG}, 2")),
}


def box_of(display):
    display.figure_.canvas.draw()
    return display.ax_.get_legend().get_window_extent()


def is_inside(box, outer):
    """Return whether a box lies within another one, up to a pixel."""
    return (
        box.x0 >= outer.x0 - 1
        and box.y0 >= outer.y0 - 1
        and box.x1 <= outer.x1 + 1
        and box.y1 <= outer.y1 + 1
    )


@pytest.mark.parametrize("name", DISPLAYS)
@pytest.mark.parametrize(
    ("layout", "size"),
    [("constrained", (6.4, 4.8)), ("constrained", (4, 3)), (None, (4, 3))],
)
def test_nothing_is_covered_and_nothing_cut(name, layout, size):
    figure, ax = plt.subplots(figsize=size, layout=layout)
    display = DISPLAYS[name]().plot(ax=ax)
    box = box_of(display)
    inside = ax.get_window_extent()
    assert is_inside(box, figure.bbox)
    assert is_inside(ax.get_tightbbox(), figure.bbox)
    assert inside.height > 0.25 * figure.bbox.height
    if box.y1 > ax.xaxis.get_tightbbox().y1:
        assert is_inside(box, inside)
        for line in ax.lines:
            path = line.get_path().transformed(line.get_transform())
            assert not path.intersects_bbox(box, filled=False)
        for area in ax.collections:
            (path,) = area.get_paths()
            assert not path.transformed(area.get_transform()).intersects_bbox(box)
    else:
        assert box.y1 <= ax.xaxis.get_tightbbox().y0


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_legends_of_axes_beside_each_other_do_not_overlap(layout):
    figure, axes = plt.subplots(1, 2, layout=layout)
    displays = [
        DISPLAYS[name]().plot(ax=ax)
        for name, ax in zip(("report-two", "comparison"), axes, strict=True)
    ]
    left, right = map(box_of, displays)
    assert left.x1 < right.x0
    assert all(is_inside(box, figure.bbox) for box in (left, right))


def test_a_legend_does_not_lie_on_the_axes_below():
    _, axes = plt.subplots(2, 1, figsize=(6.4, 8))
    display = DISPLAYS["comparison"]().plot(ax=axes[0])
    box = box_of(display)
    assert box.y1 <= axes[0].xaxis.get_tightbbox().y0
    assert box.y0 > axes[1].get_window_extent().y1


def test_a_legend_takes_the_first_corner_that_is_free():
    ax = plt.subplots()[1]
    ax.plot([0, 1], [1, 1], label="high")
    ax.set(xlim=(0, 1), ylim=(0, 1.01))
    assert draw_legend(ax)._loc == 4  # lower right


def test_a_legend_that_has_no_room_at_all_leaves_it_to_the_axes():
    figure, ax = plt.subplots(figsize=(2, 1.5), layout="constrained")
    for i in range(20):
        ax.plot([0, 1], [i, 20 - i], label=f"{LONG}, {i}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_legend(ax)
        figure.canvas.draw()
    assert ax.get_window_extent().height > 0.4 * figure.bbox.height


def test_an_entry_is_wrapped_and_its_number_kept_whole():
    ax = plt.subplots(figsize=(3, 3))[1]
    assert entry(ax, "short:", "12 (9 to 15)") == "short: 12 (9 to 15)"
    assert entry(ax, "as long as a line is:", "12 (9 to 15)").splitlines() == [
        "as long as a line is:",
        "12 (9 to 15)",
    ]
    assert entry(ax, "a name that takes two lines:", "12 (9)").splitlines() == [
        "a name that takes two",
        "lines: 12 (9)",
    ]
