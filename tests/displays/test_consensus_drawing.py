"""How consensus curves are drawn: where the budget lies."""

import functools

import numpy as np
import pytest

from optional import require
from skrate import RateAveragedROC, rate_averaged_roc_curve, rates
from skrate.displays.base import COLORS, LINE_STYLES

plt = require("matplotlib.pyplot")

LAW = rates.beta(8, 72)
SPACES = ("roc", "rate-recall", "rate-negative-recall", "rate-accuracy")
NAMES = ("Logistic regression", "Naive Bayes, counts", "Decision tree")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@functools.cache
def curve_of(seed, n_pos=60):
    rng = np.random.default_rng(seed)
    y_trues = [np.repeat([1, 0], [n_pos, 240])] * 2
    y_scores = [rng.normal(size=len(y)) + 1.5 * y for y in y_trues]
    return rate_averaged_roc_curve(y_trues, y_scores, rates=np.linspace(0, 1, 51))


def draw(ax=None, **options):
    """Draw three models on one axis."""
    ax = plt.subplots()[1] if ax is None else ax
    return [
        RateAveragedROC(curve_of(seed), name=name, rate=LAW).plot(ax, **options)
        for seed, name in enumerate(NAMES)
    ]


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_bounds_have_one_entry_in_grey_and_models_one_of_their_own():
    *_, last = draw(space="rate-recall", plot_rate=True, plot_chance_level=True)
    found = texts(last.ax_)
    assert [text.split(" (")[0].split("\n")[0] for text in found[:3]] == list(NAMES)
    assert found[3:] == ["Perfect and worst", "Random", "budget", "95 % bounds"]
    red, green, blue, _ = last.ax_.get_legend().get_patches()[-1].get_facecolor()
    assert red == green == blue
    # The area itself has the colour of its model.
    assert plt.matplotlib.colors.same_color(
        (*last.bounds_.get_facecolor()[:3],), COLORS[2]
    )
    mine = RateAveragedROC(curve_of(0)).plot(bounds_kwargs={"label": "mine"})
    assert texts(mine.ax_)[1:] == ["mine"]


def test_models_differ_in_line_style_and_colour():
    lines = [display.line_ for display in draw()]
    assert [line.get_color() for line in lines] == list(COLORS[:3])
    styles = [line._unscaled_dash_pattern[1] for line in lines]
    assert styles == [None, *(form[1] for form in LINE_STYLES[1:3])]


def test_what_models_share_is_drawn_once():
    first, *others = draw(plot_rate=True, plot_chance_level=True)
    for display in others:
        assert display.rate_ == first.rate_
        assert display.reachable_ == first.reachable_
        assert display.chance_level_ is first.chance_level_
    assert len(first.ax_.lines) == 3 + 2 + 1
    # The perfect ranking of another sample is another one, of the same name.
    rare = RateAveragedROC(curve_of(0, n_pos=20)).plot(first.ax_)
    assert rare.reachable_ != first.reachable_
    assert texts(first.ax_).count("Perfect and worst") == 1
    shades = draw(space="roc", plot_rate=True)
    assert {id(display.rate_[0]) for display in shades} == {id(shades[0].rate_[0])}
    known = [
        RateAveragedROC(curve_of(0), rate=0.2).plot(shades[0].ax_, plot_rate=True)
        for _ in range(2)
    ]
    assert known[0].rate_ == known[1].rate_


def test_a_budget_is_drawn_against_the_rate_unless_the_plane_is_asked_for():
    display = RateAveragedROC(curve_of(0), rate=LAW)
    assert display.plot().ax_.get_xlabel() == "False positive rate"
    for options in ({"plot_rate": True}, {"zoom": "rate"}):
        assert display.plot(**options).ax_.get_ylabel() == "Recall"
        other = display.plot(**options, space="rate-accuracy").ax_
        assert other.get_ylabel() == "Accuracy"
    assert display.plot(plot_rate=True, space="roc").ax_.get_aspect() == 1
    # The space of the axes is kept.
    ax = display.plot(space="rate-accuracy").ax_
    assert display.plot(ax).ax_.get_ylabel() == "Accuracy"
    ax = display.plot().ax_
    assert display.plot(ax, plot_rate=True).ax_.get_xlabel() == "False positive rate"


@pytest.mark.parametrize("space", SPACES)
def test_a_zoom_shows_the_budget_and_what_the_curves_have_there(space):
    display = RateAveragedROC(curve_of(0), rate=LAW).plot(space=space, zoom="rate")
    assert display.rate_
    low, high = display.ax_.get_xlim()
    x = display.line_.get_xdata()
    at = np.interp([LAW.ppf(0.01), LAW.ppf(0.99)], display.curve.rates, x)
    assert low < at[0] < at[1] < high < 0.45
    bottom, top = display.ax_.get_ylim()
    drawn = display.bounds_.get_xy()
    seen = drawn[(drawn[:, 0] >= low) & (drawn[:, 0] <= high)]
    assert bottom <= seen[:, 1].min() < seen[:, 1].max() <= top
    assert display.ax_.get_aspect() == "auto"


def test_a_zoom_of_several_models_shows_all_of_them():
    displays = draw(zoom="rate")
    ax = displays[0].ax_
    single = [display.plot(zoom="rate").ax_.get_ylim() for display in displays]
    assert ax.get_ylim() == (min(s[0] for s in single), max(s[1] for s in single))
    late = rates.beta(700, 300)
    ends = RateAveragedROC(curve_of(0), rate=late).plot(zoom="rate").ax_.get_xlim()
    assert 0.5 < ends[0] < 0.7 < ends[1] < 0.9
    # Where the rate is known, there is no distance between its quantiles.
    ends = RateAveragedROC(curve_of(0), rate=0.2).plot(zoom="rate").ax_.get_xlim()
    assert ends == pytest.approx((0.16, 0.24))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"zoom": "budget"}, "zoom must be one of .*got 'budget'"),
        ({"zoom": "rate"}, "zoom='rate' needs a rate: pass rate="),
    ],
)
def test_what_cannot_be_shown_is_named_before_a_figure_is_made(options, match):
    n_figures = len(plt.get_fignums())
    with pytest.raises(ValueError, match=match):
        RateAveragedROC(curve_of(0)).plot(**options)
    assert len(plt.get_fignums()) == n_figures
