"""Displays of rankings of folds: they draw what the same folds have otherwise."""

import numpy as np
import pytest

from drawn import data, texts
from fold_cases import both_rankings, by_fold, drawn_folds
from optional import require
from skrate import HitCurveDisplay, RateAveragedROC, hit_curve

plt = require("matplotlib.pyplot")

RNG = np.random.default_rng(0)
Y = np.where(RNG.random(200) < 0.3, "ill", "well")
X = RNG.normal(size=(200, 2)) + (Y == "ill")[:, None]
CASES = drawn_folds()
Y_TRUE, A, B, FOLD = CASES


def test_gains_per_class_are_drawn_by_fold():
    rankings, gain = both_rankings(CASES)[0], {"positive": 5, "negative": -1}
    display = HitCurveDisplay.from_predictions(rankings, gain=gain)
    for line, *fold in zip(display.line_, *by_fold(FOLD, Y_TRUE, A), strict=True):
        assert np.allclose(data(line), hit_curve(*fold, gain=gain), atol=1e-12)
    expected = hit_curve(rankings, gain=gain)
    assert np.allclose(data(display.mean_), expected, atol=1e-12)
    assert display.ax_.get_xlabel() == "Rate"


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
