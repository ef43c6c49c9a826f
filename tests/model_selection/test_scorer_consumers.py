"""With a uniform rate our scorer does everywhere what "roc_auc" does."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import (
    GridSearchCV,
    LearningCurveDisplay,
    ValidationCurveDisplay,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import skrate
from looped import looped
from optional import require
from skrate import RateWeightedAUCScorer, make_ranking_scorer

SMOOTHING = {"var_smoothing": [1e-9, 1e-1, 10.0]}
X, Y = make_classification(180, 5, n_informative=2, flip_y=0.3, random_state=0)
WEIGHT = np.random.default_rng(0).choice([0.5, 1.0, 3.0], 180)


def by_cross_validate_dict(y, scoring):
    both = {"one": scoring, "other": "balanced_accuracy"}
    return cross_validate(GaussianNB(), X, y, scoring=both)["test_one"]


def by_grid_search_dict(y, scoring):
    both = {"one": scoring, "other": "accuracy"}
    search = GridSearchCV(GaussianNB(), SMOOTHING, scoring=both, refit="one")
    search.fit(X, y)
    return [*search.cv_results_["mean_test_one"], search.best_score_]


def by_rfecv(y, scoring):
    search = RFECV(DecisionTreeClassifier(random_state=0), scoring=scoring)
    return search.fit(X, y).cv_results_["mean_test_score"]


def by_sequential_selection(y, scoring):
    selector = SequentialFeatureSelector(
        GaussianNB(), n_features_to_select=2, scoring=scoring
    )
    return selector.fit(X, y).get_support()


def by_weighted_permutation_importance(y, scoring):
    model = GaussianNB().fit(X, y)
    return permutation_importance(
        model, X, y, scoring=scoring, n_repeats=2, random_state=0, sample_weight=WEIGHT
    ).importances


def by_learning_curve(y, scoring):
    return learning_curve(GaussianNB(), X, y, scoring=scoring)[2]


def by_logistic_regression_cv(y, scoring):
    with warnings.catch_warnings():
        # Each release deprecates something else of this class.
        warnings.simplefilter("ignore", FutureWarning)
        # Older releases fit -1 and 1 in place of labels, so that none can be named.
        warnings.simplefilter("ignore", UserWarning)
        if isinstance(scoring, RateWeightedAUCScorer):
            scoring = clone(scoring).set_params(pos_label=None)
        model = LogisticRegressionCV(Cs=3, cv=3, scoring=scoring).fit(X, y, WEIGHT)
        held_out = model.score(X, y)
    scores = model.scores_
    if isinstance(scores, dict):
        (scores,) = scores.values()
    return [*np.ravel(scores), held_out]


CONSUMERS = [
    by_cross_validate_dict,
    by_grid_search_dict,
    by_rfecv,
    by_sequential_selection,
    by_weighted_permutation_importance,
    by_learning_curve,
    by_logistic_regression_cv,
]


@looped("consumer", CONSUMERS)
def test_consumers_do_with_a_uniform_rate_what_they_do_with_roc_auc(consumer):
    y = np.where(Y == 1, "ill", "healthy")
    found = consumer(y, RateWeightedAUCScorer(pos_label="ill"))
    expected = consumer(y, "roc_auc")
    assert np.isfinite(expected).all()
    assert_allclose(found, expected, rtol=0, atol=1e-12)


METRICS = [name for name in skrate.__all__ if name.endswith("_score")]
CLASSES = [name for name in skrate.__all__ if name.endswith("Scorer")]


@looped("name", [*METRICS, *CLASSES])
def test_a_metric_or_class_in_place_of_a_scorer_is_refused(name):
    scoring, model = getattr(skrate, name), GaussianNB()
    remedy = f"make_ranking_scorer({name}) or make_scorer"
    if name in CLASSES:
        remedy = f"scoring={name}()"
    for given in (scoring, partial(scoring)):
        search, both = partial(GridSearchCV, model, SMOOTHING), {"one": given}
        for call in (
            partial(cross_val_score, model, scoring=given),
            partial(cross_validate, model, scoring=given),
            partial(cross_validate, model, scoring=both),
            partial(learning_curve, model, scoring=given),
            search(scoring=given).fit,
            search(scoring=given, error_score="raise").fit,
            search(scoring=both, refit="one").fit,
        ):
            with pytest.raises(ValueError, match=re.escape(remedy)):
                call(X, Y)
    if name in METRICS:
        with pytest.raises(TypeError, match=re.escape(remedy)):
            permutation_importance(model.fit(X, Y), X, Y, scoring=scoring, n_repeats=1)


@looped(
    "scorer, label",
    [
        ("roc_auc", "Roc auc"),
        (RateWeightedAUCScorer(rate=0.2), "Rate weighted auc"),
        (make_ranking_scorer("ranking_auc", groups="list"), "Ranking auc"),
        (make_ranking_scorer("recall_at_rate", rate=0.2), "Recall at rate"),
        (make_ranking_scorer("rate_at_recall"), "Negative rate at recall"),
    ],
)
def test_displays_of_scikit_learn_name_the_scores(scorer, label):
    pyplot = require("matplotlib.pyplot")
    samples = require("pandas").DataFrame(X).rename(columns=str)
    samples["list"] = np.arange(len(samples)) % 9
    of_sizes = LearningCurveDisplay.from_estimator(
        GaussianNB(), samples, Y, scoring=scorer, cv=2, train_sizes=[0.5, 1.0]
    )
    of_values = ValidationCurveDisplay.from_estimator(
        GaussianNB(), samples, Y, scoring=scorer, cv=2,
        param_name="var_smoothing", param_range=SMOOTHING["var_smoothing"],
    )  # fmt: skip
    assert of_sizes.ax_.get_ylabel() == of_values.ax_.get_ylabel() == label
    assert np.isfinite(of_sizes.test_scores).all()
    pyplot.close("all")
