"""Whatever stands in one picture is told apart, by whoever sees fewer colours, too."""

from itertools import combinations

import numpy as np
import pytest

from colour_vision import difference, lab, linear
from optional import require
from skrate import (
    AUCErrorRateDisplay,
    BudgetReportDisplay,
    CurveComparisonDisplay,
    HitCurveDisplay,
    MarkersDisplay,
    RateAveragedROC,
    StoppingCurveDisplay,
    rates,
)
from skrate.displays.base import COLORS, LINE_STYLES, model_color

plt = require("matplotlib.pyplot")
colors = require("matplotlib.colors")
containers = require("matplotlib.container")
lines = require("matplotlib.lines")

# In CIELAB, where about 2 are seen side by side. Lines are thin, and far apart.
FAR = {"line": 20, "area": 10}
RNG = np.random.default_rng(0)
Y_TRUE = RNG.random(200) < 0.3
SCORES = RNG.normal(size=(7, 200)) + Y_TRUE
LAW = rates.beta(8, 40)
TWO = dict(zip("ab", SCORES, strict=False))


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def consensus():
    ax = plt.subplots()[1]
    for i, scores in enumerate(SCORES):
        band = "simultaneous" if i == 0 else "pointwise"
        display = RateAveragedROC.from_predictions(
            [Y_TRUE], [scores], rates=np.linspace(0, 1, 11), name=f"model {i}", ax=ax,
            rate=LAW, plot_rate=True, plot_chance_level=True, band=band,
            n_resamples=99,
        )  # fmt: skip
    return display


def hits():
    ax = plt.subplots()[1]
    for i, scores in enumerate(SCORES):
        display = HitCurveDisplay.from_predictions(
            Y_TRUE, scores, name=f"model {i}", ax=ax, plot_momentum=i == 0
        )
    return display


def errors():
    return AUCErrorRateDisplay.from_predictions(
        Y_TRUE, SCORES[0], y_pred=SCORES[0] > 1, pos_label=True
    )


DISPLAYS = {
    "errors": errors,
    "stopping": lambda: StoppingCurveDisplay.from_predictions(
        np.sort(Y_TRUE)[::-1], n_items=200
    ),
    "consensus": consensus,
    "hits": hits,
    "comparison": lambda: CurveComparisonDisplay.from_predictions(
        Y_TRUE, SCORES[0] + 3 * Y_TRUE, SCORES[1], rate=LAW, n_resamples=99,
        random_state=0,
    ),
    "report": lambda: BudgetReportDisplay.from_predictions(
        Y_TRUE, models=TWO, rate=LAW
    ),
    "one report": lambda: BudgetReportDisplay.from_predictions(
        Y_TRUE, SCORES[0], rate=LAW
    ),
    "markers": lambda: MarkersDisplay.from_predictions(
        Y_TRUE, {"a": SCORES[0] + Y_TRUE, "b": SCORES[1] - Y_TRUE}, n_resamples=99
    ),
}  # fmt: skip


def on_white(color, alpha=None):
    *rgb, alpha = colors.to_rgba(color, alpha)
    return alpha * np.array(rgb) + 1 - alpha


def look_of(handle):
    """Return what tells an entry from others: its kind, its form and its colour."""
    if isinstance(handle, containers.ErrorbarContainer):
        return "bar", None, None
    if isinstance(handle, lines.Line2D):
        form = (handle.get_marker(), handle._unscaled_dash_pattern)
        return "line", form, on_white(handle.get_color(), handle.get_alpha())
    face, edge = np.atleast_2d(handle.get_facecolor(), handle.get_edgecolor())
    width = float(np.max(handle.get_linewidth()))
    has_face = face.size and face[0, 3] > 0
    form = (bool(has_face), width > 0, handle.get_hatch())
    return "area", form, on_white((face if has_face else edge)[0])


def too_close(one, other):
    (kind, form, color), (kind_b, form_b, color_b) = look_of(one), look_of(other)
    is_told = kind != kind_b or form != form_b
    return not is_told and difference(color, color_b) < FAR[kind]


@pytest.mark.parametrize("name", DISPLAYS)
def test_no_two_entries_of_a_legend_look_alike(name):
    handles, labels = DISPLAYS[name]().ax_.get_legend_handles_labels()
    assert len(labels) > 1
    pairs = combinations(zip(labels, handles, strict=True), 2)
    alike = [(a, b) for (a, one), (b, other) in pairs if too_close(one, other)]
    assert not alike


def test_models_next_to_each_other_differ_in_colour_alone():
    for one, other in combinations(COLORS[:4], 2):
        assert difference(on_white(one), on_white(other)) > 15
    # Those of matplotlib do not.
    assert difference(on_white("C2"), on_white("C3")) < 10


def test_the_line_styles_and_colours_of_many_models_do_not_repeat_together():
    n = len(COLORS) * len(LINE_STYLES)
    pairs = {(COLORS[i % 7], LINE_STYLES[i % 5]) for i in range(n)}
    assert (len(COLORS), len(LINE_STYLES), len(pairs)) == (7, 5, n)


def test_a_cycle_of_the_users_own_is_kept():
    cycler = require("cycler").cycler
    with plt.rc_context({"axes.prop_cycle": cycler(color=["red", "blue"])}):
        ax = plt.subplots()[1]
        drawn = [
            HitCurveDisplay.from_predictions(Y_TRUE, scores, ax=ax).line_
            for scores in SCORES[:2]
        ]
        assert model_color(1) == "#0000ff"
    assert [line.get_color() for line in drawn] == ["red", "blue"]
    assert drawn[0].get_linestyle() == "-" != drawn[1].get_linestyle()
    with plt.rc_context({"axes.prop_cycle": cycler(color="rb", linestyle=["-", ":"])}):
        ax = plt.subplots()[1]
        for scores in SCORES[:2]:
            line = HitCurveDisplay.from_predictions(Y_TRUE, scores, ax=ax).line_
        assert line.get_linestyle() == ":"


def test_what_is_given_is_kept():
    style = {"curve_kwargs": {"c": "C1"}}
    line = HitCurveDisplay.from_predictions(Y_TRUE, SCORES[0], **style).line_
    assert (line.get_color(), line.get_linestyle()) == ("C1", "-")
    ax = plt.subplots()[1]
    for scores in SCORES[:2]:
        line = HitCurveDisplay.from_predictions(
            Y_TRUE, scores, ax=ax, curve_kwargs={"ls": ":"}
        ).line_
    assert (line.get_color(), line.get_linestyle()) == (COLORS[1], ":")


def test_differences_are_those_of_cielab():
    # Bruce Lindbloom's values of sRGB's primaries.
    assert lab(linear([1, 0, 0])) == pytest.approx([53.24, 80.09, 67.20], abs=0.01)
    assert lab(linear([0, 1, 0])) == pytest.approx([87.73, -86.18, 83.18], abs=0.01)
    assert difference([1, 1, 1], [0, 0, 0]) == pytest.approx(100, abs=0.01)
    # Red and a green, which only some tell apart.
    assert difference([0.6, 0.3, 0], [0.35, 0.4, 0]) < 12
