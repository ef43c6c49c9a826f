"""A dict of scorers by the names of metrics."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

from optional import require
from skrate import average_precision_score, make_ranking_scorer, rates

RATE = rates.beta(3, 19)


@pytest.fixture(scope="module")
def data():
    return make_classification(200, weights=[0.7], flip_y=0.2, random_state=0)


def test_each_metric_takes_the_parameters_that_it_has(data):
    names = ["rate_weighted_auc", "average_precision", "roc_auc", "recall_at_rate"]
    found = make_ranking_scorer(names, rate=0.2, prevalence=0.1, pos_label=1)
    assert list(found) == names
    options = {"pos_label": 1}
    alone = {
        "rate_weighted_auc": {"rate": 0.2},
        "average_precision": {"prevalence": 0.1},
        "recall_at_rate": {"rate": 0.2},
    }
    for name, params in alone.items():
        function = found[name].metric
        expected = make_ranking_scorer(function, **params, **options)
        assert repr(found[name]) == repr(expected)
    assert repr(found["roc_auc"]) == repr(make_ranking_scorer("roc_auc", pos_label=1))


def test_a_dict_goes_where_scikit_learn_takes_a_list(data):
    names = ["rate_weighted_auc", "average_precision"]
    scorers = make_ranking_scorer(names, rate=RATE)
    found = cross_validate(
        GaussianNB(), *data, scoring=scorers | {"accuracy": "accuracy"}, cv=3
    )
    for name in names:
        alone = cross_val_score(GaussianNB(), *data, scoring=scorers[name], cv=3)
        assert found[f"test_{name}"].tolist() == alone.tolist()
    assert "test_accuracy" in found
    search = GridSearchCV(
        LogisticRegression(),
        {"C": [0.01, 1]},
        scoring=scorers,
        refit="rate_weighted_auc",
        cv=3,
    ).fit(*data)
    assert search.best_score_ == max(search.cv_results_["mean_test_rate_weighted_auc"])
    again = pickle.loads(pickle.dumps(clone(search))).fit(*data)
    assert again.best_score_ == search.best_score_


def test_lists_are_found_by_their_column(data):
    pandas = require("pandas")
    X, y = data
    frame = pandas.DataFrame(X).rename(columns=str).assign(user=np.arange(len(y)) % 20)
    scorers = make_ranking_scorer(
        ["ndcg", "average_precision", "ranking_auc"], groups="user", k=5, average="size"
    )
    model = GaussianNB().fit(frame, y)
    options = {"groups": "user", "average": "size"}
    alone = make_ranking_scorer(average_precision_score, **options)
    assert scorers["average_precision"](model, frame, y) == alone(model, frame, y)
    folds = GroupKFold(3)
    found = cross_validate(
        GaussianNB(), frame, y, scoring=scorers, cv=folds, groups=frame["user"]
    )
    assert np.isfinite(found["test_ndcg"]).all()


@pytest.mark.parametrize(
    ("metrics", "params", "message"),
    [
        ([], {}, r"must be a list of different names, .*got \[\]"),
        (None, {}, r"metric=None is not one of"),
        ([average_precision_score], {}, r"list of different names.*a function makes"),
        (["roc_auc", "roc_auc"], {}, r"different names.*'roc_auc', 'roc_auc'"),
        (["rate_weigthed_auc"], {}, r"is 'rate_weighted_auc'.*meant\?"),
        (["skrate_ndcg_score"], {}, r"'skrate_ndcg_score' is not.*: is 'ndcg' meant\?"),
        (["roc_auc"], {"rate": 0.2}, r"rate=0.2 is a parameter of none of.*roc_auc"),
        (["roc_auc"], {"response_method": 3}, r"response_method.*3"),
    ],
)
def test_bad_input_says_what_to_do(metrics, params, message):
    with pytest.raises(ValueError, match=message):
        make_ranking_scorer(metrics, **params)
