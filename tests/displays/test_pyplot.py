"""Without matplotlib, displays say what to install before they start to work."""

import sys

import pytest
from sklearn.naive_bayes import GaussianNB

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
