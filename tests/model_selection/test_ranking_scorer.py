"""The scorer of the AUC within lists: where it finds lists, and whom it scores."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_val_score,
    cross_validate,
)

from optional import require
from skrate import make_ranking_scorer, ranking_auc_score, refit_best

N_ROWS = 240


@pytest.fixture
def data():
    """Return X, y and lists whose level says more than the items do."""
    rng = np.random.default_rng(4)
    groups = rng.permutation(np.arange(N_ROWS) % 30)
    X = rng.normal(size=(N_ROWS, 2))
    X[:, 1] = groups / 10
    y = (X[:, 0] + 2 * X[:, 1] + rng.normal(size=N_ROWS) > 4).astype(int)
    return X, y, groups


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def expected_scores(model, X, y, groups, **options):
    """Return what the metric gives fold by fold."""
    found = []
    for train, test in GroupKFold(4).split(X, y, groups):
        fitted = clone(model).fit(X[train], y[train])
        scores = fitted.predict_proba(X[test])[:, 1]
        found.append(ranking_auc_score(y[test], scores, groups=groups[test], **options))
    return found


def test_groups_come_by_metadata_routing(data, routing):
    X, y, groups = data
    scorer = make_ranking_scorer("ranking_auc", k=6, average="pairs").set_score_request(
        groups=True
    )
    scores = cross_val_score(
        LogisticRegression(),
        X,
        y,
        scoring=scorer,
        cv=GroupKFold(4),
        params={"groups": groups},
        error_score="raise",
    )
    expected = expected_scores(LogisticRegression(), X, y, groups, k=6, average="pairs")
    assert scores.tolist() == pytest.approx(expected, abs=1e-12)
    assert np.std(scores) > 0


def test_groups_and_weights_are_routed_together(data, routing):
    X, y, groups = data
    weight = np.arange(N_ROWS) % 4.0
    model = LogisticRegression().fit(X, y)
    scorer = make_ranking_scorer("ranking_auc").set_score_request(
        groups=True, sample_weight=True
    )
    score = scorer(model, X, y, groups=groups, sample_weight=weight)
    scores = model.decision_function(X)
    expected = ranking_auc_score(y, scores, groups=groups, sample_weight=weight)
    assert score == expected
    assert score != ranking_auc_score(y, scores, groups=groups)


@pytest.mark.parametrize("kind", ["column", "series", "series for y"])
def test_without_routing_groups_come_from_a_column_or_a_series(data, kind):
    pandas = require("pandas")
    X, y, groups = data
    index = np.random.default_rng(0).permutation(N_ROWS) + 1000
    frame = pandas.DataFrame(X, columns=["taste", "level"], index=index)
    target = y
    if kind == "column":
        frame["user_id"] = groups
        source = "user_id"
    else:
        source = pandas.Series(groups, index=index).sort_index()
    if kind == "series for y":
        target, frame = pandas.Series(y, index=index), X
    # A Series is found by index, not by place.
    cv = list(GroupKFold(4).split(X, y, groups))
    model = LogisticRegression()
    scores = cross_val_score(
        model,
        frame,
        target,
        scoring=make_ranking_scorer("ranking_auc", groups=source),
        cv=cv,
        error_score="raise",
    )
    inputs = np.asarray(frame)
    assert scores.tolist() == pytest.approx(
        expected_scores(model, inputs, y, groups), abs=1e-12
    )


def test_a_polars_column_will_do(data):
    polars = require("polars")
    X, y, groups = data
    model = LogisticRegression().fit(X, y)
    frame = polars.DataFrame({"taste": X[:, 0], "level": X[:, 1], "user": groups})

    class OnTwoColumns(LogisticRegression):
        def decision_function(self, X):
            return model.decision_function(X[["taste", "level"]].to_numpy())

    fitted = OnTwoColumns().fit(X, y)
    score = make_ranking_scorer("ranking_auc", groups="user")(fitted, frame, y)
    expected = ranking_auc_score(y, model.decision_function(X), groups=groups)
    assert score == expected


def test_routed_groups_come_before_the_parameter(data, routing):
    pandas = require("pandas")
    X, y, groups = data
    model = LogisticRegression().fit(X, y)
    constant = pandas.Series(np.zeros(N_ROWS))
    scorer = make_ranking_scorer("ranking_auc", groups=constant).set_score_request(
        groups=True
    )
    routed = scorer(model, X, y, groups=groups)
    assert routed == make_ranking_scorer("ranking_auc")(model, X, y, groups=groups)
    assert routed != scorer(model, X, pandas.Series(y))


def test_no_groups_is_an_error_that_names_the_line_to_add(data):
    X, y, _ = data
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"make_ranking_scorer\(groups='user_id'\)"):
        make_ranking_scorer("ranking_auc")(model, X, y)
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match=r"add scorer.set_score_request\(groups=True\)"),
    ):
        make_ranking_scorer("ranking_auc")(model, X, y)


def test_groups_that_cannot_be_matched_are_errors(data):
    pandas = require("pandas")
    X, y, groups = data
    model = LogisticRegression().fit(X, y)
    frame = pandas.DataFrame(X, columns=["taste", "level"])
    series = pandas.Series(groups)
    cases = [
        ("user", X, r"groups='user' .* ndarray with no columns"),
        ("user", frame, r"a DataFrame with the columns \['taste', 'level'\]"),
        (groups, frame, "must be the name of a column or a pandas Series, got a nda"),
        (series, X, "neither X nor y has one"),
        (series[5:], frame, "no entry for 5 of 240 rows, the first at index 0"),
        (pandas.concat([series, series]), frame, "an index with duplicates"),
    ]
    for source, inputs, message in cases:
        with pytest.raises(ValueError, match=message):
            make_ranking_scorer("ranking_auc", groups=source)(model, inputs, y)


def test_it_selects_what_orders_each_list(data, routing):
    X, y, groups = data

    class ByColumn(BaseEstimator):
        """Rank by one column."""

        def __init__(self, column=0):
            self.column = column

        def fit(self, X, y):
            self.fitted_ = True
            return self

        def predict(self, X):
            return X[:, self.column]

    within = make_ranking_scorer(
        "ranking_auc", response_method="predict"
    ).set_score_request(groups=True)
    search = GridSearchCV(
        ByColumn(),
        {"column": [1, 0]},
        scoring={"within": within},
        refit=refit_best("within"),
        cv=GroupKFold(3),
    ).fit(X, y, groups=groups)
    assert search.best_params_ == {"column": 0}
    # The level is the same throughout a list.
    assert search.cv_results_["mean_test_within"][0] == 0.5
    pooled = [roc_auc_score(y, X[:, column]) for column in (0, 1)]
    assert pooled[1] > pooled[0]


def test_grades_and_regressors(data):
    pandas = require("pandas")
    X, y, groups = data
    grades = y + (X[:, 0] > 1)
    model = LinearRegression().fit(X, grades)
    scorer = make_ranking_scorer(
        "ranking_auc",
        groups=pandas.Series(groups),
        relevance_threshold=2,
        response_method="predict",
    )
    expected = ranking_auc_score(grades >= 2, model.predict(X), groups=groups)
    assert scorer(model, pandas.DataFrame(X), grades) == expected
    classifier = LogisticRegression().fit(X, y)
    scorer.set_params(relevance_threshold=1, response_method="predict_proba")
    scores = classifier.predict_proba(X)[:, 1]
    expected = ranking_auc_score(y, scores, groups=groups)
    assert scorer(classifier, pandas.DataFrame(X), y) == expected


def test_string_labels_take_the_second_class_with_a_warning(data):
    pandas = require("pandas")
    X, y, groups = data
    names = np.where(y == 1, "seen", "no")
    model = LogisticRegression().fit(X, names)
    scorer = make_ranking_scorer("ranking_auc", groups=pandas.Series(groups))
    frame = pandas.DataFrame(X)
    with pytest.warns(UserWarning, match="_scorer takes 'seen' for the pos"):
        score = scorer(model, frame, names)
    assert score == ranking_auc_score(y, model.decision_function(X), groups=groups)
    # The AUC is the same from the other side.
    scorer.set_params(pos_label="no")
    assert scorer(model, frame, names) == pytest.approx(score, abs=1e-15)


def test_it_can_be_cloned_pickled_and_printed(routing):
    scorer = make_ranking_scorer("ranking_auc", k=5, undefined=0.5).set_score_request(
        groups=True
    )
    assert repr(scorer) == "make_ranking_scorer(ranking_auc_score, k=5, undefined=0.5)"
    for copy in (clone(scorer), pickle.loads(pickle.dumps(scorer))):
        assert copy.get_params() == scorer.get_params()
        assert copy.get_metadata_routing().score.requests == {"groups": True}


# LightGBM 4.6 names the columns of an array itself when it fits.
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("package", ["lightgbm", "xgboost"])
def test_rankers_are_scored_by_predict(data, package):
    pandas = require("pandas")
    X, y, groups = data
    order = np.argsort(groups, kind="stable")
    X, y, groups = X[order], y[order], groups[order]
    sizes = np.bincount(groups)
    if package == "lightgbm":
        ranker = require("lightgbm").LGBMRanker(
            n_estimators=10, min_child_samples=5, verbose=-1, n_jobs=1
        )
        ranker.fit(X, y, group=sizes)
    else:
        ranker = require("xgboost").XGBRanker(n_estimators=10, n_jobs=1)
        ranker.fit(X, y, group=sizes)
    scorer = make_ranking_scorer(
        "ranking_auc", groups=pandas.Series(groups), response_method="predict"
    )
    score = scorer(ranker, X, pandas.Series(y))
    assert score == ranking_auc_score(y, ranker.predict(X), groups=groups)
    assert score > 0.7
    with pytest.raises(AttributeError, match="response_method='predict'"):
        scorer.set_params(response_method="predict_proba")(ranker, X, pandas.Series(y))


def test_a_dict_of_scorers_predicts_once(data):
    pandas = require("pandas")
    X, y, groups = data
    calls = []

    class Counting(LogisticRegression):
        def decision_function(self, X):
            calls.append(len(X))
            return super().decision_function(X)

    scoring = {
        str(k): make_ranking_scorer("ranking_auc", k=k, groups=pandas.Series(groups))
        for k in (None, 5)
    }
    cross_validate(
        Counting(),
        pandas.DataFrame(X),
        y,
        scoring=scoring,
        cv=list(GroupKFold(4).split(X, y, groups)),
        error_score="raise",
    )
    assert len(calls) == 4
