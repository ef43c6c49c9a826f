"""What is drawn is what was computed."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

from drawn import data, texts
from optional import require
from skrate import (
    HitCurveDisplay,
    average_precision_score,
    expected_gain_score,
    hit_curve,
    rates,
    recall_at_rate_score,
)
from skrate.data.table import RankTable
from skrate.displays.drawing import COLORS
from skrate.metrics.momentum import Momentum

plt = require("matplotlib.pyplot")

RNG = np.random.default_rng(0)
Y = np.where(RNG.random(200) < 0.3, "ill", "well")
X = RNG.normal(size=(200, 2)) + (Y == "ill")[:, None]
Y_TRUE, Y_SCORE = Y == "ill", np.round(X[:, 0], 1)
RATE, HITS = hit_curve(Y_TRUE, Y_SCORE)
P = HITS[-1]


def drawn(**options):
    return HitCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, **options)


def of_folds(**options):
    """Draw four folds as one model."""
    rng = np.random.default_rng(1)
    y_true = [np.repeat([1, 0], [10, 40])] * 4
    curves = [hit_curve(y, y + rng.normal(size=50)) for y in y_true]
    return HitCurveDisplay(*zip(*curves, strict=True), name="A").plot(**options)


def test_folds_are_drawn_behind_their_mean_and_its_band():
    display = of_folds()
    assert display.mean_.get_label().startswith("A (AP = ")
    assert display.mean_.get_linewidth() > display.line_[0].get_linewidth()
    colours = {line.get_color() for line in (display.mean_, *display.line_)}
    assert colours == {COLORS[0]}
    assert [text.split(" (")[0] for text in texts(display)] == [
        "A", "Random", "Perfect", "± 1 standard deviation"
    ]  # fmt: skip
    other = of_folds(ax=display.ax_, plot_folds=False, metric="hits")
    assert other.line_ == []
    assert other.mean_.get_color() == other.mean_.get_color() == COLORS[1]
    assert texts(other).count("± 1 standard deviation") == 1
    red = of_folds(curve_kwargs={"color": "red", "label": "mine"})
    assert [red.mean_.get_color(), red.line_[0].get_color()] == ["red", "red"]
    assert texts(red)[0] == "mine"
    assert of_folds(plot_folds=False, metric="lift").ax_.get_ylim()[1] > 1


def test_axes_may_be_in_counts():
    display = HitCurveDisplay(RATE, HITS).plot(n_items=3000, plot_momentum=True)
    assert np.allclose(data(display.line_), (3000 * RATE, 3000 * HITS))
    assert data(display.perfect_)[1][-1] == pytest.approx(3000 * P)
    assert display.ax_.get_xlabel() == "Samples processed, of 3,000"
    assert display.ax_.get_ylabel() == f"Positives found, of {3000 * P:,.0f}"
    assert display.ax_.get_xlim() == (-30, 3030)
    assert display.ax_.xaxis.get_major_formatter()(2000) == "2,000"
    recall = display.plot(n_items=3000, metric="recall")
    assert np.allclose(data(recall.line_), (3000 * RATE, HITS / P))
    lift = display.plot(n_items=3000, metric="lift")
    assert lift.ax_.get_ylabel() == "Lift"
    assert 1 < lift.ax_.get_ylim()[1] < 2 / P
    assert display.plot(n_items=1000, rate=0.2).rate_[0].get_xdata()[0] == 200
    gain = drawn(gain={"positive": 5}, n_items=3000)
    assert gain.ax_.get_ylabel() == "Gain"
    assert data(gain.line_)[1][-1] == pytest.approx(15000 * P)
    with pytest.raises(ValueError, match="n_items"):
        drawn(cost=np.ones(200), n_items=3000)


def test_a_momentum_above_one_is_drawn_along_the_perfect_curve_and_said():
    rng = np.random.default_rng(1)
    ill = np.repeat([1, 0], 500)
    scores = rng.normal(size=1000) + 3.5 * ill * (rng.random(1000) < 0.5)
    display = HitCurveDisplay.from_predictions(ill, scores, plot_momentum=True)
    beta = Momentum().value(RankTable.from_arrays(ill, scores))
    assert beta > 1.2
    assert np.array_equal(data(display.momentum_), ([0, 0.5], [0, 0.5]))
    told = texts(display)[1]
    assert told == f"Momentum {beta:.2f} (drawn as 1, the most)"
    lift = display.plot(metric="lift", plot_momentum=True)
    assert data(lift.momentum_)[1] == pytest.approx(2)


def test_references_stand_once_on_the_axes():
    _, ax = plt.subplots()
    first, second = (
        HitCurveDisplay.from_predictions(Y_TRUE, scores, name=name, ax=ax)
        for name, scores in (("a", Y_SCORE), ("b", -Y_SCORE))
    )
    assert len(ax.lines) == 4
    assert second.chance_level_ is first.chance_level_
    assert second.perfect_ is first.perfect_
    of_a, of_b = (average_precision_score(Y_TRUE, s) for s in (Y_SCORE, -Y_SCORE))
    models = [f"a (AP = {of_a:.2f})", f"b (AP = {of_b:.2f})"]
    assert texts(second) == [*models, "Random", "Perfect"]
    # Also of one that ties, whose lift begins elsewhere.
    lift = drawn(metric="lift")
    ties = HitCurveDisplay.from_predictions(
        Y_TRUE, (Y_SCORE > 0) * 1.0, metric="lift", ax=lift.ax_
    )
    assert ties.line_.get_xdata()[0] > lift.line_.get_xdata()[0]
    assert ties.chance_level_ is lift.chance_level_
    assert ties.perfect_ is lift.perfect_
    # That of another sample is another line, of the same name.
    other = HitCurveDisplay.from_predictions([1, 0], [1, 0], name="c", ax=ax)
    assert other.perfect_ is not first.perfect_
    assert len(ax.lines) == 7
    assert texts(other) == [*models, "c (AP = 1.00)", "Random", "Perfect"]
    # One that looks otherwise has its own.
    green = {"color": "green"}
    HitCurveDisplay(RATE, HITS).plot(ax, chance_level_kwargs=green, plot_perfect=False)
    assert texts(other).count("Random") == 2


def test_the_axis_of_lift_has_what_the_curves_need():
    y_true, y_score = np.arange(2000) < 4, np.zeros(2000)
    y_score[[0, 1, 1500]] = 3, 2, 2
    display = HitCurveDisplay.from_predictions(y_true, y_score, metric="lift")
    x, y = data(display.line_)
    assert data(display.perfect_)[1].max() == 500
    low, high = display.ax_.get_ylim()
    assert low == 0
    assert high == 2 * y[x >= 0.05].max() < 30
    # Of several none is cut that was not before.
    HitCurveDisplay.from_predictions(y_true, -y_score, metric="lift", ax=display.ax_)
    assert display.ax_.get_ylim() == (low, high)
    # Where it is not so high, all is seen.
    display = drawn(metric="lift")
    assert display.ax_.get_ylim() == (0, 1.05 * data(display.perfect_)[1].max())
    # Lift of gains may fall below 0.
    loss = np.where(Y_TRUE, 1.0, -0.35)
    display = HitCurveDisplay.from_predictions(
        Y_TRUE, -Y_SCORE, gain=loss, metric="lift"
    )
    x, y = data(display.line_)
    assert display.ax_.get_ylim()[0] == 1.05 * y.min() < 0


def test_without_positives_there_are_hits_only():
    display = HitCurveDisplay.from_predictions([0, 0], [1, 2], plot_momentum=True)
    assert data(display.line_)[1].tolist() == [0, 0, 0]
    assert display.momentum_ is None
    with pytest.raises(ValueError, match="metric='lift'"):
        display.plot(metric="lift")


# --- Gain against the share of the cost -------------------------------------------

GAIN = np.where(Y_TRUE, RNG.lognormal(size=200), -0.2)
COST = RNG.lognormal(size=200)


def test_gain_is_drawn_against_the_share_of_the_cost():
    display = drawn(gain=GAIN, cost=COST, plot_momentum=True)
    found = hit_curve(Y_TRUE, Y_SCORE, gain=GAIN, cost=COST)
    assert np.array_equal(data(display.line_), found)
    assert np.array_equal(data(display.chance_level_), ([0, 1], [0, found[1][-1]]))
    x, y = data(display.perfect_)
    # Concave, and above every ranking.
    order = np.argsort(-GAIN / COST)
    assert y == pytest.approx(np.append(0, np.cumsum(GAIN[order])) / 200)
    assert (np.interp(found[0], x, y) > found[1] - 1e-12).all()
    assert display.momentum_ is None
    assert display.ax_.get_xlabel() == "Fraction of the cost"
    assert display.ax_.get_ylabel().startswith("Gain per sample")
    mean = expected_gain_score(Y_TRUE, Y_SCORE, gain=GAIN, cost=COST, normalize=True)
    assert texts(display)[0] == f"mean gain = {mean:.2f}"
    with pytest.raises(ValueError, match=r"metric.*'gain'.*got 'hits'"):
        display.plot(metric="hits")
    shares = drawn(gain=GAIN, cost=COST, metric="recall")
    assert shares.ax_.get_ylabel() == "Fraction of the gain"
    assert texts(shares)[0] == f"mean gain per sample = {mean:.2f}"
    assert data(shares.line_)[1] == pytest.approx(found[1] / found[1][-1])


def test_gain_of_folds_is_that_of_their_cases():
    results = cross_validate(
        LogisticRegression(), X, Y, return_estimator=True, return_indices=True
    )
    draw = HitCurveDisplay.from_cv_results
    display = draw(results, X, Y, gain=GAIN, cost=COST, pos_label="ill")
    test = results["indices"]["test"][1]
    expected = hit_curve(
        Y[test], -results["estimator"][1].decision_function(X[test]), gain=GAIN[test],
        cost=COST[test], pos_label="ill",
    )  # fmt: skip
    assert np.array_equal(data(display.line_[1]), expected)
    assert len(display.perfect) == 5
    draw(results, X, Y, gain={"positive": 3}, pos_label="ill")
    with pytest.raises(ValueError, match=r"gain.*100"):
        draw(results, X, Y, gain=GAIN[:100], pos_label="ill")


def test_what_is_no_curve_of_gain_is_refused():
    with pytest.raises(ValueError, match="metric='lift'"):
        drawn(gain=-np.ones(200), metric="lift")
    with pytest.raises(ValueError, match="gain"):
        hit_curve(RankTable([1, 0], [0, 1]), gain=[1, 2])


def test_the_legend_names_the_number_of_the_budget():
    recall = recall_at_rate_score(Y_TRUE, Y_SCORE, rate=0.2)
    display = HitCurveDisplay(RATE, HITS).plot(rate=0.2)
    assert texts(display)[0] == f"recall = {recall:.2f}"
    budget = rates.beta(8, 72)
    recall = recall_at_rate_score(Y_TRUE, Y_SCORE, rate=budget)
    assert texts(display.plot(rate=budget))[0] == f"expected recall = {recall:.2f}"
    display = drawn(gain=GAIN, cost=COST, rate=budget)
    gain = expected_gain_score(
        Y_TRUE, Y_SCORE, gain=GAIN, cost=COST, rate=budget, normalize=True
    )
    assert texts(display)[0] == f"expected gain = {gain:.2f}"
