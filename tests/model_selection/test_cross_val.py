"""Models that are trained once, and how they rank the cases left out."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from looped import looped
from optional import require
from skrate import (
    AveragePrecisionScorer,
    ConstrainedThresholdClassifier,
    RateWeightedAUCScorer,
    cross_val_rankings,
    rate_weighted_auc_score,
)

X, Y = make_classification(200, 5, flip_y=0.3, weights=[0.7], random_state=0)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())


@looped("cv", [3, RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)])
def test_metrics_are_those_of_cross_val_score(cv):
    rankings = cross_val_rankings(MODEL, X, Y, cv=cv)
    scorer = RateWeightedAUCScorer(rate=0.3)
    scores = cross_val_score(MODEL, X, Y, cv=cv, scoring=scorer)
    found = rankings.scores(rate_weighted_auc_score, rate=0.3)
    np.testing.assert_array_equal(found, scores)
    assert rate_weighted_auc_score(rankings, rate=0.3) == pytest.approx(scores.mean())


def test_groups_only_split_and_clusters_are_units():
    groups, cluster = np.arange(200) // 4, np.arange(200) // 2
    cv = GroupKFold(5)
    found = cross_val_rankings(GaussianNB(), X, Y, cv=cv, groups=groups)
    expected = [test for _, test in cv.split(X, Y, groups)]
    for rows, test in zip(found.rows(), expected, strict=True):
        np.testing.assert_array_equal(np.sort(found.indices[rows]), test)
    assert found.clusters is None
    both = cross_val_rankings(
        GaussianNB(), X, Y, cv=cv, groups=groups, clusters=cluster
    )
    np.testing.assert_array_equal(both.fold, found.fold)
    np.testing.assert_array_equal(both.clusters, cluster[both.indices])
    by_number = cross_val_rankings(GaussianNB(), X, Y, cv=3, groups=groups)
    of_fold = [set(groups[by_number.indices[rows]]) for rows in by_number.rows()]
    assert sum(map(len, of_fold)) == 50
    with pytest.raises(ValueError, match="groups"):
        cross_val_rankings(GaussianNB(), X, Y, cv=cv)
    with pytest.raises(ValueError, match="y has 200, groups has 3"):
        cross_val_rankings(GaussianNB(), X, Y, cv=cv, groups=[1, 2, 3])


def test_models_are_kept_if_asked_for():
    rankings = cross_val_rankings(GaussianNB(), X, Y, cv=3, return_estimator=True)
    for model, rows in zip(rankings.estimators, rankings.rows(), strict=True):
        scores = model.predict_proba(X[rankings.indices[rows]])[:, 1]
        np.testing.assert_array_equal(scores, rankings.y_score[rows])


def test_weights_are_of_rankings_and_params_of_training():
    of_test, of_train = np.random.default_rng(0).random((2, 200)) + 0.5
    given = {"cv": 3, "params": {"sample_weight": of_train}}
    model = LogisticRegression()
    rankings = cross_val_rankings(model, X, Y, sample_weight=of_test, **given)
    np.testing.assert_array_equal(rankings.sample_weight, of_test[rankings.indices])
    scores = cross_val_score(model, X, Y, scoring=AveragePrecisionScorer(), **given)
    unweighted = cross_val_rankings(model, X, Y, **given)
    np.testing.assert_array_equal(unweighted.scores("average_precision"), scores)


@looped("is_routed", [False, True])
def test_clusters_split_the_cases_and_stay(is_routed):
    clusters = np.array(["p" + str(i // 4) for i in range(200)])
    with sklearn.config_context(enable_metadata_routing=is_routed):
        rankings = cross_val_rankings(
            GaussianNB(), X, Y, clusters=clusters, cv=GroupKFold(3)
        )
    np.testing.assert_array_equal(rankings.clusters, clusters[rankings.indices])
    assert all(
        len(set(rankings.fold[rankings.clusters == one])) == 1 for one in set(clusters)
    )


def test_a_fold_whose_model_knows_one_class_is_left_out():
    first, second = np.flatnonzero(Y == 0)[:2].tolist()
    rest = np.flatnonzero(Y == 0)[2:]
    splits = [(rest, [first, second]), (np.arange(100), np.arange(100, 200))]
    with pytest.warns(UndefinedMetricWarning, match="Fold 0"):
        found = cross_val_rankings(GaussianNB(), X, Y, cv=splits)
    assert found.names == ("1",)
    with pytest.warns(UndefinedMetricWarning), pytest.raises(ValueError, match="All 1"):
        cross_val_rankings(GaussianNB(), X, Y, cv=splits[:1])


class _Fits(ClassifierMixin, BaseEstimator):
    """Says that it was fitted."""

    def fit(self, X, y):
        raise AssertionError("it was fitted")


@looped(
    "given, message",
    [
        ({"cv": ShuffleSplit(3, random_state=0)}, r"Folds 0 and 1.*StratifiedKFold"),
        ({"cv": [(range(200), range(200))]}, r"Fold 0.*\bcv\b"),
        ({"cv": [(range(9), [-192])]}, r"Fold 0.*\bcv\b"),
        ({"cv": [(range(9), [9, 200])]}, r"0.*200"),
        ({"y": np.zeros(200)}, r"\by\b"),
        ({"y": np.arange(200) % 3}, r"y_true.*0, 1, 2"),
        ({"y": Y[:50]}, "inconsistent numbers of samples"),
        ({"sample_weight": np.ones(3)}, r"sample_weight.*3"),
        ({"clusters": np.full(200, np.nan)}, r"clusters.*NaN"),
        ({"response_method": 3}, "response_method"),
        ({"return_estimator": "yes"}, r"return_estimator.*True.*False"),
        ({"pos_label": 7}, "pos_label=7"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_trained(given, message):
    with pytest.raises(ValueError, match=message):
        cross_val_rankings(
            _Fits(), **({"X": X, "y": Y, "cv": StratifiedKFold(3)} | given)
        )


def test_tables_and_columns_of_pyarrow_are_data():
    arrow, _ = require("pyarrow"), require("pandas")
    table = arrow.table({f"x{i}": column for i, column in enumerate(X.T)})
    halves = arrow.chunked_array([Y[:90], Y[90:]])
    expected = cross_val_rankings(GaussianNB(), X, Y, cv=3)
    for data, labels in ((table, Y), (X, arrow.array(Y)), (table, halves)):
        found = cross_val_rankings(GaussianNB(), data, labels, cv=3)
        np.testing.assert_allclose(found.y_score, expected.y_score, rtol=1e-12)
        model = ConstrainedThresholdClassifier(GaussianNB(), rate=0.2, cv=3)
        marked = model.fit(data, labels).predict(X if data is X else table.to_pandas())
        assert 0 < np.mean(marked) < 0.5


def test_clusters_that_models_were_trained_on_are_named():
    clusters = np.array(list("abcdefghij"))[np.arange(200) % 10]
    splits = list(StratifiedKFold(4).split(X, Y))
    with pytest.warns(UserWarning, match=r"Fold 0 trains and tests .* 'a'.*GroupKFold"):
        cross_val_rankings(GaussianNB(), X, Y, clusters=clusters, cv=splits)
    cross_val_rankings(GaussianNB(), X, Y, clusters=clusters, cv=4)
