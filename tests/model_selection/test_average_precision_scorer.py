"""What AveragePrecisionScorer adds to the machinery that all scorers share."""

import math
import pickle

import numpy as np
import pytest
from sklearn import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from skrate import (
    AveragePrecisionScorer,
    RateWeightedAUCScorer,
    average_precision_score,
)


@pytest.fixture
def screening():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.2
    X = rng.normal(size=(300, 3)) + y[:, None]
    return X, np.where(y, "ill", "well")


@pytest.mark.parametrize("options", [{}, {"prevalence": 0.01}, {"adjusted": True}])
@pytest.mark.parametrize("pos_label", ["ill", "well"])
def test_score_is_that_of_the_function(screening, options, pos_label):
    X, y = screening
    model = LogisticRegression().fit(X, y)
    scores = model.decision_function(X)
    expected = average_precision_score(
        y,
        -scores if pos_label == "ill" else scores,
        pos_label=pos_label,
        **options,
    )
    scorer = AveragePrecisionScorer(pos_label=pos_label, **options)
    for copy in (scorer, clone(scorer), pickle.loads(pickle.dumps(scorer))):
        assert copy(model, X, y) == expected


def test_weights_count(screening):
    X, y = screening
    model = GaussianNB().fit(X, y)
    weights = np.random.default_rng(1).random(len(y))
    scorer = AveragePrecisionScorer(pos_label="ill", response_method="predict_proba")
    assert scorer(model, X, y, sample_weight=weights) == average_precision_score(
        y, -model.predict_proba(X)[:, 1], pos_label="ill", sample_weight=weights
    )


def test_metric_works_in_make_scorer(screening):
    X, y = screening
    scorer = make_scorer(
        average_precision_score, response_method="predict_proba", pos_label="ill"
    )
    ours = AveragePrecisionScorer(response_method="predict_proba", pos_label="ill")
    model = GaussianNB().fit(X, y)
    # The scores of the one are one minus those of the other: ties may differ.
    assert scorer(model, X, y) == pytest.approx(ours(model, X, y), abs=1e-6)


def test_fold_without_positives_is_nan_and_predictions_are_shared(screening):
    X, y = screening
    # A hundred of the well make up the first fold.
    first = np.flatnonzero(y == "well")[:100]
    order = np.append(first, np.setdiff1d(np.arange(300), first))
    calls = []

    class Counting(GaussianNB):
        def predict_proba(self, X):
            calls.append(len(X))
            return super().predict_proba(X)

    scoring = {
        "ap": AveragePrecisionScorer(pos_label="ill"),
        "adjusted": AveragePrecisionScorer(pos_label="ill", adjusted=True),
        "rauc": RateWeightedAUCScorer(pos_label="ill"),
    }
    with pytest.warns(UndefinedMetricWarning, match="no positive case"):
        results = cross_validate(
            Counting(), X[order], y[order], cv=KFold(3), scoring=scoring
        )
    assert len(calls) == 3
    assert math.isnan(results["test_ap"][0])
    assert math.isnan(results["test_adjusted"][0])
    assert not math.isnan(results["test_ap"][2])


def test_bad_prevalence_is_named(screening):
    X, y = screening
    model = GaussianNB().fit(X, y)
    with pytest.raises(ValueError, match="prevalence must be a number"):
        AveragePrecisionScorer(prevalence=2, pos_label="ill")(model, X, y)
