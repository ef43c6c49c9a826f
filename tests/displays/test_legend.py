"""A legend covers nothing, at whatever size, and nothing of it is cut."""

import functools
import warnings

import numpy as np
import pytest

from optional import require
from skrate import (
    BudgetReportDisplay,
    CurveComparisonDisplay,
    HitCurveDisplay,
    RateAveragedROC,
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


def draw_hits(ax):
    return HitCurveDisplay.from_predictions(
        Y_TRUE, A, rate=LAW, plot_momentum=True, ax=ax
    )


def draw_recall(ax):
    folds = [np.array_split(of_cases, 5) for of_cases in (Y_TRUE, A)]
    return RateAveragedROC.from_predictions(
        *folds, rate=LAW, plot_rate=True, space="rate-recall",
        plot_chance_level=True, ax=ax,
    )  # fmt: skip


DRAWINGS = {
    "hits": draw_hits,
    "recall": draw_recall,
    **{key: lambda ax, key=key: DISPLAYS[key]().plot(ax=ax) for key in DISPLAYS},
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
@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
@pytest.mark.parametrize("size", [(6.4, 4.8), (4, 3)])
@pytest.mark.parametrize("drawn", [False, True], ids=["plotted", "drawn"])
# What matplotlib says of a figure that had the other layout.
@pytest.mark.filterwarnings("ignore:The figure layout has changed to tight")
def test_a_tight_layout_leaves_legends_whole(draw, layout, size, drawn):
    figure, ax = plt.subplots(figsize=size, layout=layout)
    display = draw(ax)
    if drawn:
        figure.canvas.draw()
    figure.tight_layout()
    assert is_inside(box_of(display), figure.bbox)
    assert is_inside(ax.xaxis.get_tightbbox(), figure.bbox)


def test_a_tight_layout_leaves_legends_beside_each_other_whole():
    figure, axes = plt.subplots(1, 2, figsize=(8, 4))
    displays = [draw_hits(axes[0]), draw_recall(axes[1])]
    figure.tight_layout()
    boxes = [box_of(display) for display in displays]
    assert all(is_inside(box, figure.bbox) for box in boxes)
    assert boxes[0].x1 < boxes[1].x0


def test_a_model_is_no_reference_by_its_name():
    ax = plt.subplots()[1]
    for model in ("Random forest", "Perfect booster", "A"):
        HitCurveDisplay.from_predictions(
            Y_TRUE, A if model == "A" else B, name=model, ax=ax
        )
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    starts = [text.split(" (")[0] for text in entries]
    assert starts == ["Random forest", "Perfect booster", "A", "Random", "Perfect"]


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
