"""What displays share: styles by any alias, and what to install to draw at all."""

import sys

import pytest
from sklearn.naive_bayes import GaussianNB

from optional import require
from skrate import AUCErrorRateDisplay, HitCurveDisplay, RateAveragedROC

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
    with pytest.raises(ImportError, match=rf'{name} .*pip install "skrate\[plot\]"'):
        draw()


STYLES = [
    (RateAveragedROC, "curve_kwargs", "line_"),
    (RateAveragedROC, "chance_level_kwargs", "chance_level_"),
    (RateAveragedROC, "reachable_kwargs", "reachable_"),
    (RateAveragedROC, "isometrics_kwargs", "isometrics_"),
    (RateAveragedROC, "fold_kwargs", "fold_lines_"),
    (RateAveragedROC, "rate_kwargs", "rate_"),
    (HitCurveDisplay, "curve_kwargs", "line_"),
    (HitCurveDisplay, "chance_level_kwargs", "chance_level_"),
    (HitCurveDisplay, "perfect_kwargs", "perfect_"),
    (HitCurveDisplay, "momentum_kwargs", "momentum_"),
    (AUCErrorRateDisplay, "curve_kwargs", "lines_"),
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
