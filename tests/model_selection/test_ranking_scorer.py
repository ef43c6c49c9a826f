"""The scorer of the AUC within lists: where it finds lists, and whom it scores."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_score

from looped import looped
from optional import require
from skrate import make_ranking_scorer, ranking_auc_score

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


def expected_scores(model, X, y, groups):
    """Return what the metric gives fold by fold."""
    found = []
    for train, test in GroupKFold(4).split(X, y, groups):
        fitted = clone(model).fit(X[train], y[train])
        scores = fitted.predict_proba(X[test])[:, 1]
        found.append(ranking_auc_score(y[test], scores, groups=groups[test]))
    return found


@looped("kind", ["column", "series", "series for y"])
def test_without_routing_groups_come_from_a_column_or_a_series(data, kind):
    pandas = require("pandas")
    X, y, groups = data
    index = np.random.default_rng(0).permutation(N_ROWS) + 1000
    frame = pandas.DataFrame(X, columns=["taste", "level"], index=index)
    # A Series is found by index, not by place.
    target, source = y, pandas.Series(groups, index=index).sort_index()
    if kind == "column":
        frame["user_id"] = groups
        source = "user_id"
    elif kind == "series for y":
        target, frame = pandas.Series(y, index=index), X
    scorer = make_ranking_scorer("ranking_auc", groups=source)
    given = {"cv": list(GroupKFold(4).split(X, y, groups)), "error_score": "raise"}
    model = LogisticRegression()
    scores = cross_val_score(model, frame, target, scoring=scorer, **given)
    expected = expected_scores(model, np.asarray(frame), y, groups)
    assert scores.tolist() == pytest.approx(expected, abs=1e-12)


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
    message = r"make_ranking_scorer\(groups=.*set_score_request\(groups=True"
    for routing in (False, True):
        with (
            sklearn.config_context(enable_metadata_routing=routing),
            pytest.raises(ValueError, match=message),
        ):
            make_ranking_scorer("ranking_auc")(model, X, y)


def test_groups_that_cannot_be_matched_are_errors(data):
    pandas = require("pandas")
    X, y, groups = data
    model = LogisticRegression().fit(X, y)
    frame = pandas.DataFrame(X, columns=["taste", "level"])
    series = pandas.Series(groups)
    cases = [
        ("user", X, r"groups='user'.*ndarray"),
        ("user", frame, r"groups='user'.*'taste', 'level'"),
        (groups, frame, r"groups.*nda"),
        (series, X, r"groups.*X.*y"),
        (series[5:], frame, r"groups.*5 of 240.*0"),
        (pandas.concat([series, series]), frame, r"groups.*duplicates"),
    ]
    for source, inputs, message in cases:
        with pytest.raises(ValueError, match=message):
            make_ranking_scorer("ranking_auc", groups=source)(model, inputs, y)


def test_grades_and_regressors(data):
    pandas = require("pandas")
    X, y, groups = data
    grades = y + (X[:, 0] > 1)
    model = LinearRegression().fit(X, grades)
    options = {"groups": pandas.Series(groups), "relevance_threshold": 2}
    scorer = make_ranking_scorer("ranking_auc", response_method="predict", **options)
    expected = ranking_auc_score(grades >= 2, model.predict(X), groups=groups)
    assert scorer(model, pandas.DataFrame(X), grades) == expected
