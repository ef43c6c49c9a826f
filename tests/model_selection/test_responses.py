"""Scores of an estimator: the method asked, the class they are for, the folds."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from looped import looped
from optional import require
from skrate import (
    AveragePrecisionScorer,
    HitCurveDisplay,
    RateAveragedROC,
    RateWeightedAUCScorer,
    cross_val_rankings,
    make_ranking_scorer,
)
from skrate.model_selection.cross_validation import fold_rankings
from skrate.model_selection.responses import ranking_scores

RNG = np.random.default_rng(0)
Y = np.where(RNG.random(60) < 0.4, "ill", "well")
X = RNG.normal(size=(60, 2)) + (Y == "ill")[:, None]
BAYES = GaussianNB().fit(X, Y)


@looped("names", [3, None, b"predict", "", (), ("predict", 3), {"predict"}, len])
def test_what_is_no_name_of_a_method_is_refused(names):
    message = r"response_method must be the name of a method .* names .*, got [^ ]+"
    y, options = Y == "ill", {"response_method": names}
    model = LogisticRegression().fit(X, y)
    scorer = RateWeightedAUCScorer(**options)
    for call in (
        lambda: scorer(model, X, y),
        lambda: make_ranking_scorer("roc_auc", **options),
        lambda: RateAveragedROC.from_estimator(model, X, y, **options),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_classes_are_checked():
    with pytest.raises(ValueError, match="pos_label='sick'"):
        ranking_scores(BAYES, X, Y, pos_label="sick", user="It")
    three = GaussianNB().fit(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match=r"0.*1.*2"):
        ranking_scores(three, X, Y, user="It")


def test_columns_without_class_labels_are_refused():
    require("matplotlib")
    y = (Y == "ill").astype(int)
    model = GaussianMixture(2, random_state=0).fit(X)
    calls = [
        lambda **options: RateWeightedAUCScorer(**options)(model, X, y),
        lambda **options: AveragePrecisionScorer(**options)(model, X, y),
        lambda **options: make_ranking_scorer("roc_auc", **options)(model, X, y),
        lambda **options: cross_val_rankings(model, X, y, **options),
        lambda **options: RateAveragedROC.from_estimator(model, X, y, **options),
        lambda **options: HitCurveDisplay.from_estimator(model, X, y, **options),
    ]
    # Some versions of scikit-learn refuse a model that is no classifier themselves.
    ours = r"response_method=.*GaussianMixture\.predict_proba.*2 columns.*classes_"
    message = f"{ours}|GaussianMixture should either be a classifier"
    for call in calls:
        with pytest.raises(ValueError, match=message) as found:
            call()
        assert "pos_label" not in str(found.value)
        if "classes_" in str(found.value):
            call(response_method="score_samples")


def test_what_the_message_about_regressors_suggests_works():
    require("matplotlib")
    model, y = Ridge().fit(X, Y == "ill"), Y == "ill"
    for call in (
        lambda **options: RateAveragedROC.from_cross_validation(model, X, y, **options),
        lambda **options: HitCurveDisplay.from_estimator(model, X, y, **options),
        lambda **options: make_ranking_scorer("roc_auc", **options)(model, X, y),
    ):
        with pytest.raises(AttributeError, match=r"pass response_method='predict' to"):
            call()
        call(response_method="predict")


@looped("kind", ["array", "list", "sparse", "pandas", "polars"])
def test_each_fold_is_scored_by_its_own_estimator(kind):
    data, labels, weights = X, Y, np.arange(60.0)
    if kind == "list":
        data, labels = X.tolist(), Y.tolist()
    elif kind == "sparse":
        data = scipy.sparse.csr_matrix(X)
    elif kind == "pandas":
        pandas = require("pandas")
        data = pandas.DataFrame(X, columns=["a", "b"], index=np.arange(60)[::-1])
        labels = pandas.Series(Y, index=data.index)
    elif kind == "polars":
        polars = require("polars")
        data, labels = polars.DataFrame(X, schema=["a", "b"]), polars.Series(Y)
    kept = {"return_estimator": True, "return_indices": True}
    results = cross_validate(LogisticRegression(), data, Y, cv=3, **kept)
    given = {"sample_weight": weights, "pos_label": "well", "user": "It"}
    rankings = fold_rankings(results, data, labels, **given)
    tests = results["indices"]["test"]
    for (is_pos, y_score, weight), model, test in zip(
        rankings, results["estimator"], tests, strict=True
    ):
        # Names of columns matter to the model, not to its coefficients.
        expected = X[test] @ model.coef_[0] + model.intercept_[0]
        assert y_score == pytest.approx(expected, abs=1e-12)
        assert np.array_equal(is_pos, Y[test] == "well")
        assert np.array_equal(weight, weights[test])


@looped("short", ["X", "y", "sample_weight"])
def test_folds_need_the_same_data(short):
    results = cross_validate(BAYES, X, Y, return_estimator=True, return_indices=True)
    data = {"X": X, "y": Y, "sample_weight": np.ones(60)}
    data[short] = data[short][:50]
    with pytest.raises(ValueError, match=rf"{short}.*50.*6"):
        fold_rankings(results, **data, user="It")
