"""Scorers of more than two classes, in scikit-learn's searches."""

from functools import partial

import numpy as np
import pytest
import sklearn
import sklearn.metrics
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from looped import looped
from skrate import (
    AveragePrecisionScorer,
    RateWeightedAUCScorer,
    average_precision_score,
    estimate,
    make_ranking_scorer,
    precision_at_rate_score,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
    refit_best,
)

IRIS = load_iris()
X = np.random.default_rng(0).normal(size=IRIS.data.shape) * 2 + IRIS.data
NAMES = IRIS.target_names[IRIS.target]
MODEL = GaussianNB().fit(X, NAMES)
# Two labels that a case may have, and a third that is rare.
LABELS = np.column_stack([IRIS.target > 0, X[:, 0] > 6, X[:, 1] > 5]).astype(int)


# --- Several classes ------------------------------------------------------------------


def test_folds_of_iris_are_scored_as_by_scikit_learn():
    validate = partial(cross_val_score, GaussianNB(), X, NAMES)
    precision = sklearn.metrics.average_precision_score

    def theirs(model, X, y):
        # Its scorers take numbers for classes only, in older releases.
        return precision(y, model.predict_proba(X))

    for ours, scoring in (
        (RateWeightedAUCScorer(), "roc_auc_ovr"),
        (RateWeightedAUCScorer(average="weighted"), "roc_auc_ovr_weighted"),
        (make_ranking_scorer("roc_auc"), "roc_auc_ovr"),
        (AveragePrecisionScorer(), theirs),
        (make_ranking_scorer(precision), theirs),
    ):
        np.testing.assert_allclose(
            validate(scoring=ours), validate(scoring=scoring), rtol=0, atol=1e-12
        )


# --- Several labels a case ------------------------------------------------------------


@looped(
    "model",
    [
        OneVsRestClassifier(GaussianNB()),
        OneVsRestClassifier(LinearSVC()),
        MultiOutputClassifier(GaussianNB()),
        DecisionTreeClassifier(max_depth=3, random_state=0),
    ],
)
@looped("n_labels", [2, 3])
def test_estimators_of_several_labels_are_scored(model, n_labels):
    y = LABELS[:, :n_labels]
    model = model.fit(X, y)
    if hasattr(model, "predict_proba"):
        found = model.predict_proba(X)
        columns = found
        if isinstance(found, list):
            columns = np.column_stack([each[:, 1] for each in found])
    else:
        columns = model.decision_function(X)
    for average in ("macro", "micro"):
        scorer = AveragePrecisionScorer(average=average)
        expected = average_precision_score(y, columns, average=average)
        assert scorer(model, X, y) == expected
    scorer = RateWeightedAUCScorer(
        0.2, pos_label="tall", labels=["new", "tall", "x"][:n_labels]
    )
    expected = rate_weighted_auc_score(y[:, 1], columns[:, 1], rate=0.2)
    assert scorer(model, X, y) == expected
    assert RateWeightedAUCScorer(0.2, pos_label=1)(model, X, y) == expected


# --- What is undefined, or wrong ------------------------------------------------------


def test_a_class_that_a_fold_lacks_is_nan_and_no_reason_to_choose():
    # Sorted by class: no fold of three has seen the class that it is to score.
    with pytest.warns(UndefinedMetricWarning, match="of the class"):
        found = cross_val_score(
            GaussianNB(), X, NAMES, scoring=RateWeightedAUCScorer(), cv=KFold(5)
        )
    assert np.isnan(found).all()
    rare = np.where(np.arange(150) < 3, "rare", NAMES)
    folds = [(np.arange(2, 150), np.arange(2, 150)), (np.arange(150),) * 2]
    search = GridSearchCV(
        GaussianNB(), {"var_smoothing": [1e-9, 10]}, cv=folds,
        scoring=RateWeightedAUCScorer(), refit=refit_best(min_defined=0.5),
    )  # fmt: skip
    assert search.fit(X, rare).best_params_ == {"var_smoothing": 1e-9}


BAD = [
    (
        RateWeightedAUCScorer(pos_label="rose"),
        r"pos_label='rose'.*RateWeightedAUCScorer",
    ),
    (RateWeightedAUCScorer(rate={"rose": 0.1}), r"rate.*'rose'.*\['setosa'"),
    (
        AveragePrecisionScorer(labels=["setosa", "versicolor", "rose"]),
        r"labels.*AveragePrecisionScorer",
    ),
    (
        AveragePrecisionScorer(labels=["setosa", "versicolor"]),
        r"labels.*AveragePrecisionScorer",
    ),
    (
        make_ranking_scorer(average_precision_score, average=None),
        r"average=None.*make_ranking_scorer",
    ),
    (AveragePrecisionScorer(average="mean"), r"average.*'macro'.*None"),
    (
        RateWeightedAUCScorer(response_method="predict"),
        r"classes \['setosa', 'versicolor', 'virginica'\].*predict.*\(150,\)",
    ),
    (
        make_ranking_scorer(precision_at_rate_score, rate=0.2),
        r"make_ranking_scorer.*two",
    ),
]


@looped("scorer, message", BAD)
def test_what_cannot_be_scored_says_so(scorer, message):
    with pytest.raises(ValueError, match=message):
        scorer(MODEL, X, NAMES)


PAIRS = SVC(decision_function_shape="ovo")


@looped(
    "model",
    [
        PAIRS,
        make_pipeline(StandardScaler(), PAIRS),
        GridSearchCV(make_pipeline(PAIRS), {"svc__C": [1.0]}, cv=2, scoring="accuracy"),
    ],
)
def test_pairs_of_classes_are_not_classes(model):
    y = np.arange(150) % 4
    model = clone(model).fit(X, y)
    for scorer in (AveragePrecisionScorer(), RateWeightedAUCScorer(pos_label=1)):
        with pytest.raises(ValueError, match=r"SVC.*decision_function_shape='ovr'"):
            scorer(model, X, y)


def test_what_two_of_three_classes_taught_is_as_two_of_four():
    is_known = NAMES != "virginica"
    model = LogisticRegression().fit(X[is_known], NAMES[is_known])
    probabilities = model.predict_proba(X)
    for scorer in (
        AveragePrecisionScorer(), AveragePrecisionScorer(average="micro"),
        RateWeightedAUCScorer(), make_ranking_scorer(recall_at_rate_score, rate=0.2),
    ):  # fmt: skip
        with pytest.warns(UndefinedMetricWarning, match="'virginica'"):
            assert np.isnan(scorer(model, X, NAMES))
    for column, label in enumerate(["setosa", "versicolor"]):
        scorer = AveragePrecisionScorer(pos_label=label)
        expected = average_precision_score(label == NAMES, probabilities[:, column])
        assert scorer(model, X, NAMES) == expected
    with pytest.raises(ValueError, match=r"y_true.*'setosa'"):
        AveragePrecisionScorer(pos_label="virginica")(model, X, NAMES)
    with pytest.raises(ValueError, match=r"make_ranking_scorer.*pos_label="):
        make_ranking_scorer(precision_at_rate_score, rate=0.2)(model, X, NAMES)
    scorer = AveragePrecisionScorer(response_method="predict", pos_label="setosa")
    with pytest.raises(ValueError, match=r"classes.*predict"):
        scorer(model, X, NAMES)


def test_what_one_of_three_classes_taught_is_nothing():
    model = GaussianNB().fit(X[:50], NAMES[:50])
    for label in (None, "setosa", "virginica"):
        scorer = AveragePrecisionScorer(pos_label=label)
        with pytest.warns(UndefinedMetricWarning, match="'setosa'"):
            assert np.isnan(scorer(model, X, NAMES))


def test_the_rate_of_the_positive_class_is_taken_from_that_of_each():
    budget = {"setosa": 0.1, "versicolor": 0.5, "virginica": rates.beta(2, 3)}
    for label, rate in budget.items():
        for make in (
            RateWeightedAUCScorer,
            partial(make_ranking_scorer, recall_at_rate_score),
        ):
            found = make(rate=budget, pos_label=label)(MODEL, X, NAMES)
            assert found == make(rate=rate, pos_label=label)(MODEL, X, NAMES)
    y = NAMES == "setosa"
    model = GaussianNB().fit(X, y)
    found = RateWeightedAUCScorer(rate={True: 0.1, False: 0.9})(model, X, y)
    assert found == RateWeightedAUCScorer(rate=0.1)(model, X, y)
    with pytest.raises(ValueError, match=r"rate.*True"):
        RateWeightedAUCScorer(rate={"setosa": 0.1})(model, X, y)
    with pytest.raises(ValueError, match=r"rate.*'setosa'"):
        RateWeightedAUCScorer(rate={"versicolor": 0.1}, pos_label="setosa")(
            MODEL, X, NAMES
        )
    with pytest.raises(ValueError, match="rate"):
        rate_weighted_auc_score(y, X[:, 0], rate=budget)


def test_the_uncertainty_of_an_average_is_not_known():
    y, y_score = IRIS.target > 1, X[:, 2]
    assert estimate(AveragePrecisionScorer(), y, y_score).value > 0
    for scorer in (
        AveragePrecisionScorer(average="weighted"),
        make_ranking_scorer(average_precision_score, average="micro"),
        RateWeightedAUCScorer(labels=["a", "b"]),
    ):
        with pytest.raises(ValueError, match=r"average=.*labels="):
            estimate(scorer, y, y_score)
