"""Which class is positive: decided once, said aloud, and never by what a fold lacks."""

import os
import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LinearRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import TimeSeriesSplit, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import skrate
from looped import looped
from optional import require
from skrate import (
    AveragePrecisionScorer,
    RateWeightedAUCScorer,
    rate_weighted_auc_score,
)

X, Y = make_classification(240, 5, n_informative=3, flip_y=0.2, random_state=0)
# The first part of time has no positive case: the first estimator knows one class.
EARLY = np.flatnonzero(Y == 0)[:60]
LATE = np.append(EARLY, np.setdiff1d(np.arange(240), EARLY))
X_LATE, Y_LATE = X[LATE], Y[LATE]
SPLIT = TimeSeriesSplit(4)

# Negative and positive label; of the last two the first in order is positive.
LABELS = {
    "numbers": (0, 1, None),
    "floats": (0.0, 1.0, None),
    "signs": (-1, 1, None),
    "booleans": (False, True, None),
    "strings": ("other", "seen", "seen"),
    "reversed strings": ("other", "buyer", "buyer"),
    "reversed numbers": (2, 1, 1),
}


SOME = looped("labels", ["booleans", "reversed strings"])


def labelled(y, name):
    negative, positive, pos_label = LABELS[name]
    return np.where(y == 1, positive, negative), pos_label


def fold_aucs(y, model):
    """Return the AUC of each fold by hand, nan where the estimator knows one class."""
    found = []
    for train, test in SPLIT.split(X_LATE):
        if len(np.unique(y[train])) < 2:
            found.append(np.nan)
            continue
        fitted = clone(model).fit(X_LATE[train], y[train])
        scores = fitted.predict_proba(X_LATE[test])[:, 1]
        found.append(roc_auc_score(y[test], scores))
    return np.array(found)


EXPECTED = fold_aucs(Y_LATE, GaussianNB())


# --- Estimators that were trained on one class ---------------------------------------


@SOME
def test_scores_of_an_estimator_of_one_class_are_nan(labels):
    y, pos_label = labelled(Y_LATE, labels)
    scorers = {
        "auc": RateWeightedAUCScorer(pos_label=pos_label),
        "ap": AveragePrecisionScorer(pos_label=pos_label),
    }
    with pytest.warns(UndefinedMetricWarning) as caught:
        results = cross_validate(
            GaussianNB(), X_LATE, y, cv=SPLIT, scoring=scorers, error_score="raise"
        )
    texts = [str(w.message) for w in caught]
    assert len([t for t in texts if "NB was trained on one" in t]) == 2
    assert results["test_auc"] == pytest.approx(EXPECTED, nan_ok=True)
    assert np.isnan(results["test_ap"]).tolist() == [True, False, False, False]


# --- Labels of every kind ------------------------------------------------------------


def test_outlier_detectors_score_inliers_first():
    model = IsolationForest(n_estimators=10, random_state=0).fit(X)
    y = np.where(Y == 1, 1, -1)
    scores = model.decision_function(X)
    expected = rate_weighted_auc_score(y, scores)
    assert RateWeightedAUCScorer()(model, X, y) == expected
    outliers = RateWeightedAUCScorer(pos_label=-1)
    assert outliers(model, X, y) == rate_weighted_auc_score(y, -scores, pos_label=-1)
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(X)
    scores = pipeline.decision_function(X)
    assert outliers(pipeline, X, y) == rate_weighted_auc_score(y, -scores, pos_label=-1)


def test_a_detector_of_outliers_that_are_1_is_not_ranked_in_silence():
    model = IsolationForest(n_estimators=10, random_state=0).fit(X)
    with pytest.warns(UserWarning, match=r"Forest.*inliers high.*pos_label=-1"):
        RateWeightedAUCScorer()(model, X, Y)
    with pytest.warns(UserWarning, match=r"'odd'.*pos_label=-1"):
        RateWeightedAUCScorer(pos_label="odd")(
            model, X, np.where(Y == 1, "odd", "usual")
        )


# --- What is wrong -------------------------------------------------------------------


def test_labels_that_the_estimator_does_not_know_are_named():
    y, _ = labelled(Y, "strings")
    model = GaussianNB().fit(X, y)
    scorer = RateWeightedAUCScorer(pos_label="seen")
    with pytest.raises(ValueError, match=r"y_true.*'new'.*'seen'"):
        scorer(model, X, np.where(Y == 1, "seen", "new"))
    with pytest.raises(ValueError, match=r"RateWeightedAUCScorer.*'new'"):
        scorer(model, X, np.full(240, "new"))
    with pytest.raises(ValueError, match=r"y_true.*3"):
        RateWeightedAUCScorer(response_method="predict")(
            LinearRegression().fit(X, Y), X, np.arange(240) % 3
        )


def test_three_classes_are_refused_by_predict():
    y = np.arange(240) % 3
    model = GaussianNB().fit(X, y)
    with pytest.raises(ValueError, match="RateWeightedAUCScorer"):
        RateWeightedAUCScorer(response_method="predict")(model, X, y)
    several = DecisionTreeClassifier(max_depth=1).fit(X, np.column_stack([Y, 1 - Y]))
    with pytest.raises(ValueError, match=r"RateWeightedAUCScorer.*2 targets"):
        RateWeightedAUCScorer()(several, X, Y)


# --- The warning ---------------------------------------------------------------------

BUYERS = np.where(Y == 1, "buyer", "other")


def told(function):
    """Return what ``function`` says of the class it takes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    texts = [str(w.message) for w in caught]
    assert all("for the positive class" in text for text in texts), texts
    return texts


def test_the_class_taken_is_named_once_for_all_folds():
    scorer = RateWeightedAUCScorer()
    validate = partial(cross_validate, GaussianNB(), X, cv=3)
    texts = told(lambda: validate(BUYERS, scoring=scorer))
    assert texts == [
        f"{type(scorer).__name__} takes 'other' for the positive class, the second of "
        "['buyer', 'other']: pass pos_label='other' if it is right, "
        "pos_label='buyer' if it is the other."
    ]
    # Other labels are another matter, the same ones are not.
    seen = labelled(Y, "strings")[0]
    assert told(lambda: validate(BUYERS, scoring=scorer)) == []
    assert len(told(lambda: validate(seen, scoring=scorer))) == 1
    named = clone(scorer).set_params(pos_label="buyer")
    assert told(lambda: validate(BUYERS, scoring=named)) == []


@pytest.mark.slow
def test_processes_are_told_once_each():
    program = (
        "import numpy as np, warnings; warnings.simplefilter('always');"
        "from sklearn.model_selection import cross_validate;"
        "from sklearn.naive_bayes import GaussianNB;"
        "from skrate import RateWeightedAUCScorer;"
        "X = np.random.default_rng(0).normal(size=(200, 2));"
        "y = np.where(X[:, 0] > 0, 'buyer', 'other');"
        "cross_validate(GaussianNB(), X, y, cv=10, n_jobs=2, "
        "scoring=RateWeightedAUCScorer())"
    )
    root = os.path.dirname(os.path.dirname(skrate.__file__))
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert 1 <= run.stderr.count("takes 'other' for the positive class") <= 2


def test_where_warnings_are_errors_each_fold_fails():
    scorer = RateWeightedAUCScorer()
    for _ in range(2):
        with pytest.raises(UserWarning, match="'other'"):
            scorer(GaussianNB().fit(X, BUYERS), X, BUYERS)


# --- Displays ------------------------------------------------------------------------


def folds(y, cv=SPLIT):
    options = {"return_estimator": True, "return_indices": True}
    return cross_validate(
        GaussianNB(), X_LATE, y, cv=cv, scoring=lambda *_: 0.0, **options
    )


def test_folds_that_are_all_undefined_are_an_error():
    require("matplotlib")
    first = np.flatnonzero(Y_LATE == 0)
    cv = [(first[:20], np.arange(240)), (first[20:], np.arange(240))]
    for display in (skrate.RateAveragedROC, skrate.HitCurveDisplay):
        with (
            pytest.warns(UndefinedMetricWarning, match="Fold"),
            pytest.raises(ValueError, match="All 2"),
        ):
            display.from_cv_results(folds(Y_LATE, cv=cv), X_LATE, Y_LATE)
