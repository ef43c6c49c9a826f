"""What every display keeps to, with a row for each."""

import re
import sys
from html import unescape
from inspect import signature
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from colour_vision import difference
from drawn import texts
from looped import case, looped
from optional import require
from skrate import (
    HitCurveDisplay,
    RateAveragedROC,
    budget_report,
    compare,
    compare_curves,
    curve_band,
    estimate,
    rate_averaged_roc_curve,
    rates,
    sample_size,
    select_best,
    subgroup_scores,
)
from skrate.displays import (
    AUCErrorRateDisplay,
    BestModelDisplay,
    BudgetReportDisplay,
    ComparisonsDisplay,
    CurveBandDisplay,
    CurveComparisonDisplay,
    EstimatesDisplay,
    SampleSizeDisplay,
    SubgroupDisplay,
)

plt = require("matplotlib.pyplot")
cbook = require("matplotlib.cbook")
text = require("matplotlib.text")
colors = require("matplotlib.colors")
containers = require("matplotlib.container")
lines = require("matplotlib.lines")

RNG = np.random.default_rng(0)
Y_TRUE = RNG.random(80) < 0.3
Y = np.where(Y_TRUE, "ill", "well")
X = RNG.normal(size=(80, 2)) + 1.5 * Y_TRUE[:, None]
A, B = X.T
WEIGHTS = RNG.integers(1, 4, size=80)
MODEL = LogisticRegression().fit(X, Y)
SCORES, LABELS = MODEL.predict_proba(X)[:, 0], MODEL.predict(X)
LAW = rates.beta(8, 40)
FEW = {"n_resamples": 99, "random_state": 0}


class Row(NamedTuple):
    """A display, and how to make it."""

    display: Any
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    # The artists that each option of styles is for.
    artists: dict[str, str]
    # The function whose result is drawn; None calls from_predictions.
    function: Any = None

    def draw(self, *arguments: Any, **options: Any) -> Any:
        arguments, options = arguments or self.arguments, self.options | options
        if self.function is None:
            return self.display.from_predictions(*arguments, **options)
        of_plot = {*signature(self.display.plot).parameters} - {"band"}
        drawn = {key: options.pop(key) for key in of_plot & {*options}}
        result = self.function(*arguments, **options)
        return result.plot(pos_label=options.get("pos_label"), **drawn)


REFERENCES = {"chance_level_kwargs": "chance_level_"}
ROWS = {
    "hits": Row(
        HitCurveDisplay, (Y, SCORES), {"pos_label": "ill"},
        {"curve_kwargs": "line_", **REFERENCES},
    ),
    "consensus": Row(
        RateAveragedROC, ([Y], [SCORES]),
        {"pos_label": "ill", "plot_chance_level": True, "plot_folds": True},
        {"curve_kwargs": "line_", "chance_level_kwargs": "chance_level_",
         "fold_kwargs": "fold_lines_", "bounds_kwargs": "bounds_"},
    ),
    "errors": Row(
        AUCErrorRateDisplay, (Y, SCORES), {"pos_label": "ill", "y_pred": LABELS},
        {"curve_kwargs": "lines_", "point_kwargs": "point_"},
    ),
    "best": Row(
        BestModelDisplay, ("roc_auc", Y, {"a": A + 3 * Y_TRUE, "b": B - 3 * Y_TRUE}),
        {"pos_label": "ill", **FEW}, {"point_kwargs": "points_"}, select_best,
    ),
    "report": Row(
        BudgetReportDisplay, (Y, SCORES), {"pos_label": "ill", "rate": 0.5},
        {"curve_kwargs": "lines_", "bounds_kwargs": "bands_", **REFERENCES},
        budget_report,
    ),
    "band": Row(
        CurveBandDisplay, (Y, SCORES), {"pos_label": "ill", "metric": "pr", **FEW},
        {"curve_kwargs": "line_", "bounds_kwargs": "band_",
         "chance_level_kwargs": "chance_level_"}, curve_band,
    ),
    "comparison": Row(
        CurveComparisonDisplay, (Y, A + 3 * Y_TRUE, B),
        {"pos_label": "ill", "rates": np.linspace(0.1, 1, 10), **FEW},
        {"curve_kwargs": "line_", "band_kwargs": "band_"}, compare_curves,
    ),
    "size": Row(
        SampleSizeDisplay, ("roc_auc", Y, SCORES),
        {"pos_label": "ill", "half_width": 0.1},
        {"curve_kwargs": "line_"}, sample_size,
    ),
    "estimates": Row(
        EstimatesDisplay, ("roc_auc", Y, {"a": A + Y_TRUE, "b": B - 3 * Y_TRUE}),
        {"pos_label": "ill", "null_value": 0.5}, {"point_kwargs": "points_"}, estimate,
    ),
    "differences": Row(
        ComparisonsDisplay, ("roc_auc", Y, {"a": A + Y_TRUE, "b": B - 3 * Y_TRUE}),
        {"pos_label": "ill", "margin": 0.9}, {"point_kwargs": "points_"}, compare,
    ),
    "subgroups": Row(
        SubgroupDisplay, (["recall", "fpr"], Y, SCORES),
        {"pos_label": "ill", "by": A > B, "rate": 0.4}, {"point_kwargs": "points_"},
        subgroup_scores,
    ),
}  # fmt: skip
BY_NAME = list(ROWS)


def artists(display, name):
    found = getattr(display, name)
    return found if isinstance(found, list) else [found]


def test_each_display_has_its_row():
    import skrate.displays

    names = {row.display.__name__ for row in ROWS.values()}
    known = {*skrate.displays.__all__, "HitCurveDisplay", "RateAveragedROC"}
    assert names == known


@looped("name", BY_NAME)
def test_axes_that_are_given_are_used(name):
    ax = plt.subplots()[1]
    display = ROWS[name].draw(ax=ax, despine=True)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert not ax.spines["top"].get_visible()
    assert display.plot() is display
    assert display.ax_ is not ax
    assert display.ax_.spines["top"].get_visible()
    plt.close("all")


@looped("name", BY_NAME)
def test_styles_go_by_the_aliases_of_matplotlib(name):
    row = ROWS[name]
    options = {o for o in signature(row.display.plot).parameters if "kwargs" in o}
    # Of hit curves only several folds have an area.
    assert options - set(row.artists) == (
        {"bounds_kwargs"} if name == "hits" else set()
    )
    areas = {"bounds_kwargs", "band_kwargs"}
    line, area = {"c": "red", "ls": ":", "lw": 7}, {"fc": "red"}
    found = row.draw(**{o: area if o in areas else line for o in row.artists})
    for option, attribute in row.artists.items():
        for artist in artists(found, attribute):
            with case(option):
                if option in areas:
                    *face, alpha = np.ravel(artist.get_facecolor())
                    assert face == [1, 0, 0]
                    assert alpha in (0.15, 0.2)
                else:
                    assert artist.get_color() == "red"
                    assert artist.get_linestyle() == ":"
                    assert artist.get_linewidth() == 7
        with pytest.raises(TypeError, match=r"'color'.*'c'"):
            row.draw(ax=found.ax_, **{option: {"color": "red", "c": "blue"}})
    assert line == {"c": "red", "ls": ":", "lw": 7}


@looped("name", ["hits", "consensus", "errors"])
def test_an_estimator_is_drawn_as_its_scores(name):
    row = ROWS[name]
    weights = {} if name == "errors" else {"sample_weight": WEIGHTS}
    options = {"pos_label": "ill"} | ({"bounds": None} if name == "consensus" else {})
    found = row.display.from_estimator(
        MODEL, X, Y, response_method="predict_proba", **weights, **options
    )
    if name == "consensus":
        weights = {"sample_weight": [WEIGHTS]}
        options |= {"plot_folds": False, "plot_chance_level": False}
    expected = row.draw(**weights, **options, name="LogisticRegression")
    assert_same_drawing(found, expected)
    assert "LogisticRegression" in texts(found)[-2 if name == "errors" else 0]
    with pytest.raises(NotFittedError):
        row.display.from_estimator(GaussianNB(), X, Y, **options)


def assert_same_drawing(found, expected):
    for line, other in zip(found.ax_.lines, expected.ax_.lines, strict=True):
        assert np.array_equal(line.get_xydata(), other.get_xydata())
    for area, other in zip(found.ax_.patches, expected.ax_.patches, strict=True):
        assert np.array_equal(area.get_path().vertices, other.get_path().vertices)
    assert texts(found) == texts(expected)


@looped("name", ["hits", "consensus", "comparison"])
def test_a_budget_lies_at_the_foot_once(name):
    row, on_axis = ROWS[name], {"plot_rate": True} if name == "consensus" else {}
    display = row.draw(rate=rates.beta(8, 72), **on_axis)
    (area,) = display.rate_
    outline = area.get_paths()[0].vertices
    assert outline[np.argmax(outline[:, 1]), 0] == pytest.approx(7 / 78, abs=0.01)
    assert area.get_zorder() < min(line.get_zorder() for line in display.ax_.lines)
    assert area.get_transform() != display.ax_.transData
    again = display.plot(display.ax_, rate=rates.beta(8, 72), **on_axis)
    assert again.rate_ == [area]
    assert texts(again).count("budget") == 1
    both = row.draw(rate=rates.mixture([rates.beta(3, 9), 0.8]), **on_axis)
    area, stem = both.rate_
    assert stem.get_xdata().tolist() == [0.8, 0.8]
    assert texts(both).count("budget") == 1
    with pytest.raises(ValueError, match="rate='beta'"):
        row.draw(rate="beta", **on_axis)


# In CIELAB, where about 2 are seen side by side. Lines are thin, and far apart.
FAR = {"line": 20, "area": 10}


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


def several(name):
    """Draw seven models, or as many as a display takes, with what else it draws."""
    if name == "report":
        pair = {"A": A, "B": B}
        return budget_report(Y_TRUE, pair, rate=LAW).plot()
    ax, row = plt.subplots()[1], ROWS[name]
    for i in range(7 if name == "hits" else 5):
        scores = Y_TRUE + RNG.normal(size=80)
        options = {"ax": ax, "name": f"model {i}"}
        if name == "hits":
            display = row.display.from_predictions(
                Y_TRUE, scores, plot_momentum=i == 0, **options
            )
        else:
            band = "simultaneous" if i == 0 else "pointwise"
            display = row.display.from_predictions(
                [Y_TRUE], [scores], rates=np.linspace(0, 1, 11), rate=LAW, band=band,
                plot_rate=True, plot_chance_level=True, n_resamples=99, **options,
            )  # fmt: skip
    return display


# The display of a sample size has a single entry.
@looped("name", [name for name in BY_NAME if name != "size"])
def test_no_two_entries_of_a_legend_look_alike(name):
    options = {"rate": LAW} if name == "comparison" else {}
    drawn = [ROWS[name].draw(**options)]
    if name in ("hits", "consensus", "report"):
        drawn.append(several(name))
    for display in drawn:
        handles, labels = display.ax_.get_legend_handles_labels()
        assert len(labels) > 1
        pairs = combinations(zip(labels, handles, strict=True), 2)
        for (a, one), (b, other) in pairs:
            assert not too_close(one, other), (a, b)


HITS = HitCurveDisplay([0, 1], [0, 0.3])
REPORT = budget_report(Y_TRUE, A, rate=0.2)
CONSENSUS = RateAveragedROC(rate_averaged_roc_curve([Y_TRUE], [A]))
RATIOS, OF_TWO = AUCErrorRateDisplay.from_class_ratios, ROWS["comparison"].draw
REFUSED = [
    (BudgetReportDisplay, (A,), {}, r"report.*budget_report"),
    (CurveBandDisplay, (A,), {}, r"curve.*curve_band"),
    (CurveComparisonDisplay, (A,), {}, r"comparison.*compare_curves"),
    (SubgroupDisplay, (A,), {}, r"scores.*subgroup_scores"),
    (ComparisonsDisplay, (A,), {}, r"result.*compare"),
    (EstimatesDisplay, (A,), {}, r"result.*estimate"),
    (BudgetReportDisplay(REPORT).plot, (), {"band": "both"}, r"band.*'both'"),
    (RATIOS, ([0.1, 0.6],), {}, r"0\.5.*0\.6"),
    (RATIOS, ([0.0],), {}, "class_ratios"),
    (RATIOS, (), {"n_samples": 1}, "n_samples"),
    (RATIOS, (), {"kind": "variance"}, r"kind.*'variance'"),
    *(
        (OF_TWO, (), {"names": names}, "names")
        for names in [("a",), "ab", ("a", "b", "c"), 3]
    ),
    (OF_TWO, (), {"n_items": 0}, "n_items"),
    (HITS.plot, (), {"metric": "roc"}, r"metric.*'roc'"),
    (HITS.plot, (), {"n_items": 0}, "n_items"),
    (HITS.plot, (), {"n_items": 2.5}, "n_items"),
    (CONSENSUS.plot, (), {"plot_rate": True}, r"plot_rate=True.*rate="),
    (CONSENSUS.plot, (), {"space": "roq"}, r"space.*'roq'"),
    (CONSENSUS.plot, (), {"plot_isometrics": [0.5, 2]}, r"plot_isometrics.*0.*1"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "arguments", "options", "message"), REFUSED)
def test_what_is_refused_is_named_before_a_figure_is_made(
    call, arguments, options, message
):
    n_figures = len(plt.get_fignums())
    with pytest.raises(ValueError, match=message):
        call(*arguments, **options)
    assert len(plt.get_fignums()) == n_figures


def test_what_is_undefined_cannot_be_drawn():
    one_class = np.zeros(9, int), np.arange(9)
    with pytest.warns(UndefinedMetricWarning):
        report = budget_report(*one_class, rate=0.2)
    with pytest.warns(UndefinedMetricWarning):
        comparison = compare_curves(*one_class, np.arange(9))
    with pytest.warns(UndefinedMetricWarning):
        curve = curve_band(*one_class)
    with pytest.raises(ValueError, match="curve"):
        CurveBandDisplay(curve)
    with pytest.raises(ValueError, match="report"):
        BudgetReportDisplay(report)
    with pytest.raises(ValueError, match="comparison"):
        CurveComparisonDisplay(comparison)


class Untouched(GaussianNB):
    def fit(self, X, y):
        raise AssertionError("folds are run that cannot be drawn")


def of_folds():
    RateAveragedROC.from_cross_validation(Untouched(), X, Y, cv=2)


@pytest.mark.parametrize("name", [*(row.display.__name__ for row in ROWS.values())])
def test_a_missing_matplotlib_is_named_with_what_to_install(monkeypatch, name):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    (draw,) = (row.draw for row in ROWS.values() if row.display.__name__ == name)
    message = rf'{name} .*pip install "scikit-rate\[plot\]"'
    for call in [draw, *([of_folds] if name == "RateAveragedROC" else [])]:
        with pytest.raises(ImportError, match=message):
            call()


NAMES = ["x$^$", "_a <b>&amp; $", "", "déjà ñ ≥", "$" + 200 * "y^", 5]


def shown_texts(display):
    """Return all texts as matplotlib shows them, and check that none is a formula."""
    display.figure_.draw_without_rendering()
    found = display.figure_.findobj(text.Text)
    assert not any(cbook.is_math_text(one.get_text()) for one in found)
    shown = [one.get_text().replace(r"\$", "$") for one in found]
    return [" ".join(one.split()) for one in shown if one]


def named(name, model):
    """Draw a display of a model, and for several models also of another."""
    row = ROWS[name]
    if name in ("best", "differences", "estimates"):
        return row.draw("roc_auc", Y, {model: A + Y_TRUE, "other": B})
    if name == "subgroups":
        return row.draw(by=np.where(A > B, str(model), "other"))
    if name == "comparison":
        return row.draw(names=(model, "other"))
    return row.draw(name=model)


@looped("name", BY_NAME)
def test_names_are_shown_as_they_are(name):
    n_entries = len(texts(named(name, "A")))
    for model in NAMES:
        with case(repr(model)):
            if model == 5 and name in ("best", "differences", "estimates"):
                continue
            display = named(name, model)
            shown = shown_texts(display)
            first = " ".join(str(model)[:30].split())
            assert any(one.startswith(first) for one in shown)
            assert max(map(len, shown)) < 200
            assert len(texts(display)) == n_entries
        plt.close("all")


def test_names_are_shown_as_they_are_in_pages():
    model, label = "x$^$ <b>", "1 <i> $&$"
    y = np.where(Y_TRUE, label, "0")
    result = estimate(
        "roc_auc", y, {model: A, "_b": B}, pos_label=label, null_value=0.5
    )
    page = result.to_html(title=5, others={"<u>": "<u>", 5: result}, pos_label=label)
    assert not {"<b>", "<i>", "<u>"} & set(re.findall("<[biu]>", page))
    assert "<title>5</title>" in page
    assert "x$^$ &lt;b&gt;" in page
    alt = re.search('alt="([^"]*)"', page)[1]
    assert unescape(alt).endswith(f"(positive label: {label})")
    ill = [{"others": 5}, {"others": {"a": 5}}, {"ax": 5}, {"point_kwargs": 5}]
    for options in ill:
        call = result.to_html if "others" in options else result.plot
        with (
            case(str(options)),
            pytest.raises(ValueError, match=f"{next(iter(options))[-6:]}.*5"),
        ):
            call(**options)
