"""What displays share: styles by any alias, and what to install to draw at all."""

import sys

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from optional import require
from skrate import (
    AUCErrorRateDisplay,
    BudgetReportDisplay,
    HitCurveDisplay,
    MarkersDisplay,
    RateAveragedROC,
)
from skrate.displays.base import mean_and_spread

Y, SCORES = [0, 1, 0, 1], [0.1, 0.4, 0.2, 0.3]


class Untouched(GaussianNB):
    def fit(self, X, y):
        raise AssertionError("folds are run that cannot be drawn")


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("HitCurveDisplay", lambda: HitCurveDisplay.from_predictions(Y, SCORES)),
        ("RateAveragedROC", lambda: RateAveragedROC.from_predictions([Y], [SCORES])),
        ("AUCErrorRateDisplay", AUCErrorRateDisplay.from_class_ratios),
        (
            "BudgetReportDisplay",
            lambda: BudgetReportDisplay.from_predictions(Y * 9, SCORES * 9, rate=0.5),
        ),
        (
            "MarkersDisplay",
            lambda: MarkersDisplay.from_predictions(Y * 9, {"A": SCORES * 9}),
        ),
        (
            "RateAveragedROC",
            lambda: RateAveragedROC.from_cross_validation(
                Untouched(), [[0], [1], [2], [3]], Y, cv=2
            ),
        ),
    ],
)
def test_a_missing_matplotlib_is_named_with_what_to_install(monkeypatch, name, draw):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(
        ImportError, match=rf'{name} .*pip install "scikit-rate\[plot\]"'
    ):
        draw()


STYLES = [
    (RateAveragedROC, "curve_kwargs", "line_"),
    (RateAveragedROC, "chance_level_kwargs", "chance_level_"),
    (RateAveragedROC, "fold_kwargs", "fold_lines_"),
    (HitCurveDisplay, "curve_kwargs", "line_"),
    (HitCurveDisplay, "chance_level_kwargs", "chance_level_"),
    (HitCurveDisplay, "perfect_kwargs", "perfect_"),
    (AUCErrorRateDisplay, "curve_kwargs", "lines_"),
    (BudgetReportDisplay, "curve_kwargs", "lines_"),
    (BudgetReportDisplay, "chance_level_kwargs", "chance_level_"),
    (BudgetReportDisplay, "perfect_kwargs", "perfect_"),
    (AUCErrorRateDisplay, "point_kwargs", "point_"),
]
OPTIONS = {
    RateAveragedROC: {
        "plot_chance_level": True,
        "plot_isometrics": True,
        "plot_folds": True,
        "plot_rate": True,
        "rate": 0.2,
    },
    HitCurveDisplay: {"plot_momentum": True},
    AUCErrorRateDisplay: {"y_pred": Y},
    BudgetReportDisplay: {"rate": 0.5, "sample_weight": [9, 9, 9, 9]},
}


def drawn(display, **styles):
    arguments = ([Y], [SCORES]) if display is RateAveragedROC else (Y, SCORES)
    return display.from_predictions(*arguments, **OPTIONS[display], **styles)


@pytest.mark.parametrize(("display", "option", "attribute"), STYLES)
def test_styles_go_by_the_aliases_of_matplotlib(display, option, attribute):
    require("matplotlib")
    style = {"c": "red", "ls": ":", "lw": 7}
    lines = getattr(drawn(display, **{option: style}), attribute)
    for line in lines if isinstance(lines, list) else [lines]:
        assert line.get_color() == "red"
        assert line.get_linestyle() == ":"
        assert line.get_linewidth() == 7
    assert style == {"c": "red", "ls": ":", "lw": 7}
    with pytest.raises(TypeError, match="'color' and 'c'"):
        drawn(display, **{option: {"color": "red", "c": "blue"}})


@pytest.mark.parametrize("style", [{"fc": "red"}, {"facecolor": "red"}, {"c": "red"}])
def test_the_area_between_the_bounds_has_the_colour_asked_for(style):
    require("matplotlib")
    area = drawn(RateAveragedROC, bounds_kwargs=style).bounds_
    assert area.get_facecolor() == (1, 0, 0, 0.2)


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


def test_legends_show_small_spreads():
    require("matplotlib")
    rng = np.random.default_rng(0)
    y = [np.arange(4000) % 4 == 0] * 3
    scores = [fold + rng.normal(size=4000) for fold in y]
    display = RateAveragedROC.from_predictions(y, scores, rates=[0.5])
    label = display.line_.get_label()
    spread = np.std(display.curve.fold_rate_weighted_auc())
    assert 0.001 < spread < 0.01
    assert label == f"AUC = {display.curve.rate_weighted_auc():.3f} ± {spread:.3f}"
