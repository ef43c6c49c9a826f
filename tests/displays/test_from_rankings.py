"""Displays of rankings of folds: they draw what the same folds have otherwise."""

import numpy as np

from drawn import data
from fold_cases import both_rankings, by_fold, drawn_folds
from optional import require
from skrate import HitCurveDisplay, hit_curve

plt = require("matplotlib.pyplot")

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
