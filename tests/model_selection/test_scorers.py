"""RateWeightedAUCScorer: estimators, labels, weights, shared predictions."""

import inspect
import pickle
from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
import sklearn
from sklearn import clone
from sklearn.datasets import make_classification
from sklearn.metrics import check_scoring, make_scorer, roc_auc_score
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from looped import looped
from skrate import AveragePrecisionScorer, RateWeightedAUCScorer, rates

RATE = rates.beta(3, 19)
X, Y = make_classification(180, 5, n_informative=2, flip_y=0.3, random_state=0)
LABELS = {
    "numbers": Y,
    "strings": np.where(Y == 1, "ill", "healthy"),
    "booleans": Y == 1,
}
# Where labels do not say themselves what is positive, it is named.
POSITIVE = {"numbers": None, "strings": "ill", "booleans": None}


# --- Estimators ---------------------------------------------------------------------


# --- One prediction per fold and response method --------------------------------------


class CountingNB(GaussianNB):
    calls: ClassVar[Counter] = Counter()

    def predict_proba(self, X):
        self.calls["predict_proba"] += 1
        return super().predict_proba(X)

    def predict(self, X):
        self.calls["predict"] += 1
        # Not by way of the counted method.
        return self.classes_[self._joint_log_likelihood(X).argmax(axis=1)]


@looped("labels", ["numbers", "strings"])
def test_an_estimator_predicts_once_per_fold_and_response_method(labels):
    y, positive = LABELS[labels], POSITIVE[labels]
    theirs = make_scorer(
        roc_auc_score, response_method=("decision_function", "predict_proba")
    )
    scoring = {
        "beta": RateWeightedAUCScorer(rate=RATE, pos_label=positive),
        "half": RateWeightedAUCScorer(rate=0.5, pos_label=positive),
        "first class": RateWeightedAUCScorer(rate=RATE, pos_label=np.unique(y)[0]),
        "average precision": AveragePrecisionScorer(pos_label=positive),
        "roc_auc": theirs,
        "accuracy": check_scoring(GaussianNB(), "accuracy"),
    }
    CountingNB.calls.clear()
    cross_validate(CountingNB(), X, y, scoring=scoring, cv=2)
    # Once for all of ours, and once for all of scikit-learn's.
    assert CountingNB.calls == {"predict_proba": 4, "predict": 2}


# --- Sample weights ------------------------------------------------------------------


# --- The object ----------------------------------------------------------------------


def test_parameters_clone_and_pickle():
    scorer = RateWeightedAUCScorer(rate=RATE, pos_label="ill")
    assert scorer.get_params() == {
        "rate": RATE,
        "response_method": ("decision_function", "predict_proba"),
        "pos_label": "ill",
        "average": "macro",
        "labels": None,
    }
    for copy in (clone(scorer), pickle.loads(pickle.dumps(scorer))):
        assert copy is not scorer
        assert copy.get_params() == scorer.get_params()
        assert repr(copy) == "RateWeightedAUCScorer(pos_label='ill', rate=beta(3, 19))"
    assert scorer.set_params(rate=0.5).rate == 0.5


# --- What cannot be scored -----------------------------------------------------------


# --- What is private in scikit-learn -------------------------------------------------


def test_the_private_class_of_scorers_is_what_it_was():
    """Checked on scikit-learn 1.6.0, 1.7.2, 1.8.0 and 1.9.1.

    Scorers share predictions in a dict only as instances of the class that
    ``make_scorer`` makes, through its method ``_score``.
    If this fails on a new release, look at ``_MultimetricScorer.__call__`` there.
    """
    private = type(make_scorer(roc_auc_score))
    assert private.__name__ == "_Scorer"
    assert issubclass(RateWeightedAUCScorer, private)
    expected = ["self", "method_caller", "estimator", "X", "y_true", "kwargs"]
    assert list(inspect.signature(private._score).parameters) == expected
    assert list(inspect.signature(RateWeightedAUCScorer._score).parameters) == expected
    # What scikit-learn's own methods read of an instance: nothing that ours lacks.
    made = make_scorer(roc_auc_score)
    ours = RateWeightedAUCScorer()
    for name in vars(made):
        assert hasattr(ours, name), name


def test_an_estimator_that_is_not_fitted_is_named():
    with pytest.raises(sklearn.exceptions.NotFittedError, match="GaussianNB"):
        RateWeightedAUCScorer()(GaussianNB(), [[0.0], [1.0]], [0, 1])
