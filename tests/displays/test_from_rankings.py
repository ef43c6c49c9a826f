"""Displays of rankings of folds: they draw what the same folds have otherwise."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate

from drawn import data, texts
from fold_cases import both_rankings, by_fold, drawn_folds
from looped import looped
from optional import require
from skrate import (
    FoldRankings,
    HitCurveDisplay,
    RateAveragedROC,
    budget_report,
    hit_curve,
    rates,
)

plt = require("matplotlib.pyplot")

RNG = np.random.default_rng(0)
Y = np.where(RNG.random(200) < 0.3, "ill", "well")
X = RNG.normal(size=(200, 2)) + (Y == "ill")[:, None]
CASES = drawn_folds()
Y_TRUE, A, B, FOLD = CASES


def of_cv_results():
    """Return what scikit-learn keeps of a cross-validation, and the rankings of it."""
    results = cross_validate(
        LogisticRegression(),
        X,
        Y,
        cv=StratifiedKFold(4),
        return_estimator=True,
        return_indices=True,
    )
    tests = results["indices"]["test"]
    scores = [
        -model.decision_function(X[test])
        for model, test in zip(results["estimator"], tests, strict=True)
    ]
    rows = np.concatenate(tests)
    fold = np.repeat(np.arange(4), [len(test) for test in tests])
    rankings = FoldRankings(
        Y[rows], np.concatenate(scores), fold, indices=rows, pos_label="ill"
    )
    return results, rankings


@looped("kind", ["hits", "gains", "lift"])
def test_hit_curves_are_those_of_the_estimators(kind):
    results, rankings = of_cv_results()
    expected = HitCurveDisplay.from_cv_results(
        results, X, Y, pos_label="ill", kind=kind
    )
    name = "LogisticRegression"
    found = HitCurveDisplay.from_predictions(rankings, name=name, kind=kind)
    for line, other in zip(found.line_, expected.line_, strict=True):
        assert np.array_equal(data(line), data(other))
    assert texts(found) == texts(expected)
    assert found.ax_.get_ylabel() == expected.ax_.get_ylabel()
    assert "ill" in found.ax_.get_ylabel()


def test_gains_per_class_are_drawn_by_fold():
    rankings, gain = both_rankings(CASES)[0], {"positive": 5, "negative": -1}
    display = HitCurveDisplay.from_predictions(rankings, gain=gain)
    for line, *fold in zip(display.line_, *by_fold(FOLD, Y_TRUE, A), strict=True):
        assert np.allclose(data(line), hit_curve(*fold, gain=gain), atol=1e-12)
    expected = hit_curve(rankings, gain=gain)
    assert np.allclose(data(display.mean_), expected, atol=1e-12)
    assert display.ax_.get_xlabel() == "Rate"


def test_the_mean_is_the_hit_curve_of_all_folds():
    rankings = both_rankings(CASES)[0]
    display = HitCurveDisplay.from_predictions(rankings)
    rate, hits = hit_curve(rankings)
    assert np.allclose(data(display.mean_), (rate, hits), rtol=0, atol=1e-12)
    assert display.mean_.get_color() == display.line_[0].get_color()
    assert display.mean_.get_label() == texts(display)[0]
    gains = HitCurveDisplay.from_predictions(rankings, kind="gains")
    assert np.allclose(data(gains.mean_), (rate, hits / hits[-1]), rtol=0, atol=1e-12)
    x, lift = data(HitCurveDisplay.from_predictions(rankings, kind="lift").mean_)
    expected = np.interp(x, rate, hits / hits[-1])
    assert np.allclose(x * lift, expected, rtol=0, atol=1e-12)


def test_the_band_is_a_standard_deviation_of_the_folds_about_their_mean():
    rankings = both_rankings(CASES)[0]
    display = HitCurveDisplay.from_predictions(
        rankings, bounds_kwargs={"alpha": 0.4}, curve_kwargs={"lw": 0}
    )
    assert display.band_.get_alpha() == 0.4
    (path,) = display.band_.get_paths()
    rate, mean = hit_curve(rankings)
    where, sizes = len(rate) // 3, np.bincount(FOLD)
    each = [
        np.interp(rate[where], *hit_curve(*fold))
        for fold in zip(*by_fold(FOLD, Y_TRUE, A), strict=True)
    ]
    spread = np.sqrt(np.average((each - mean[where]) ** 2, weights=sizes))
    heights = path.vertices[np.isclose(path.vertices[:, 0], rate[where]), 1]
    ends = mean[where] - spread, mean[where] + spread
    assert (heights.min(), heights.max()) == pytest.approx(ends)
    assert "± 1 standard deviation" in texts(display)


def test_folds_without_positives_have_hits_but_no_gains():
    rankings = FoldRankings([1, 0, 0, 0], [4, 3, 2, 1], [0, 0, 1, 1])
    display = HitCurveDisplay.from_predictions(rankings)
    assert data(display.line_[1])[1].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="'gains'"):
        HitCurveDisplay.from_predictions(rankings, kind="gains")


def test_the_consensus_is_that_of_the_estimators():
    results, rankings = of_cv_results()
    expected = RateAveragedROC.from_cv_results(results, X, Y, pos_label="ill")
    found = RateAveragedROC.from_predictions(rankings, name="LogisticRegression")
    assert np.array_equal(data(found.line_), data(expected.line_))
    assert found.curve.to_dict() == expected.curve.to_dict()
    assert texts(found) == texts(expected)
    assert found.pos_label == "ill"


def test_the_positive_label_of_rankings_is_named():
    labels = np.where(Y_TRUE, "ill", "well")
    one, _ = both_rankings((labels, A, B, FOLD), pos_label="ill")
    drawn = (
        HitCurveDisplay.from_predictions(one),
        RateAveragedROC.from_predictions(one, bounds=None),
    )
    for display in drawn:
        assert "positive label: ill" in display.ax_.get_ylabel()
        plt.close("all")


def test_the_report_card_is_drawn_of_rankings():
    pair = dict(zip("AB", both_rankings(CASES), strict=True))
    options = {"rate": rates.beta(2, 6), "n_items": 1000}
    display = budget_report(pair, **options).plot()
    assert len(display.lines_) == len(display.bands_) == 2
    rate, hits = hit_curve(pair["A"])
    x, y = data(display.lines_[0])
    assert np.allclose(y, 1000 * np.interp(x / 1000, rate, hits), atol=1e-9)
