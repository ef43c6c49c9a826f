"""What threshold tuners hand to our scorers are classes, which are no scores."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import TunedThresholdClassifierCV

from looped import looped
from skrate import RateWeightedAUCScorer, make_ranking_scorer, recall_at_rate_score

X, Y = make_classification(120, 4, flip_y=0.2, random_state=0)
SCORERS = [
    RateWeightedAUCScorer(rate=0.2),
    make_ranking_scorer(recall_at_rate_score, rate=0.2),
]


def tuner(scoring):
    model = LogisticRegression()
    return TunedThresholdClassifierCV(model, scoring=scoring, cv=2, thresholds=5)


@looped("scorer", SCORERS)
def test_a_threshold_tuner_is_told_that_classes_are_no_scores(scorer):
    told = rf"{scorer._name} needs scores.*ConstrainedThresholdClassifier"
    for labels in (Y, Y == 1, 2 * Y - 1):
        with pytest.raises(ValueError, match=told):
            tuner(scorer).fit(X, labels)
    named = clone(scorer).set_params(pos_label="yes")
    with pytest.raises(ValueError, match=r"predicted classes.*'(yes|no)'"):
        tuner(named).fit(X, np.where(Y == 1, "yes", "no"))
    with pytest.warns(UserWarning, match=r"predicted.*0"):
        tuner(scorer).fit(X, Y.astype(float))


def test_who_hands_over_scores_is_told_nothing():
    with warnings.catch_warnings():
        # Of later releases, about its own parameters.
        warnings.simplefilter("ignore", FutureWarning)
        LogisticRegressionCV(scoring=RateWeightedAUCScorer(rate=0.2), cv=2).fit(X, Y)
    score = RateWeightedAUCScorer()._score_func
    assert score([0, 1, 0, 1], [0.0, 1.0, 0.0, 0.0]) == 0.75
    assert score([0, 1, 0, 1], np.array([[1, 0], [0, 1], [1, 0], [1, 0]])) == 0.75


def test_predictions_that_are_asked_for_are_scores():
    scorer = RateWeightedAUCScorer(response_method="predict")
    assert scorer._score_func([0, 1, 0, 1], [0, 1, 0, 0]) == 0.75
    tuner(scorer).fit(X, Y)
