"""A dict of scorers by the names of metrics."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB

from looped import looped
from optional import require
from skrate import average_precision_score, make_ranking_scorer, rates

RATE = rates.beta(3, 19)


@pytest.fixture(scope="module")
def data():
    return make_classification(200, weights=[0.7], flip_y=0.2, random_state=0)


def test_each_metric_takes_the_parameters_that_it_has():
    expected = {
        "rate_weighted_auc": {"rate": 0.2},
        "average_precision": {"prevalence": 0.1},
        "roc_auc": {},
        "recall_at_rate": {"rate": 0.2},
    }
    found = make_ranking_scorer(list(expected), rate=0.2, prevalence=0.1, pos_label=1)
    assert list(found) == list(expected)
    for name, params in expected.items():
        alone = make_ranking_scorer(name, pos_label=1, **params)
        assert repr(found[name]) == repr(alone)


def test_a_dict_goes_where_scikit_learn_takes_a_list(data):
    names = ["rate_weighted_auc", "average_precision"]
    scorers = make_ranking_scorer(names, rate=RATE)
    both = scorers | {"accuracy": "accuracy"}
    found = cross_validate(GaussianNB(), *data, scoring=both, cv=3)
    for name in names:
        alone = cross_val_score(GaussianNB(), *data, scoring=scorers[name], cv=3)
        assert found[f"test_{name}"].tolist() == alone.tolist()
    assert "test_accuracy" in found
    options = {"scoring": scorers, "refit": "rate_weighted_auc", "cv": 3}
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, **options).fit(*data)
    again = pickle.loads(pickle.dumps(clone(search))).fit(*data)
    assert again.best_score_ == search.best_score_


def test_lists_are_found_by_their_column(data):
    pandas = require("pandas")
    X, y = data
    frame = pandas.DataFrame(X).rename(columns=str).assign(user=np.arange(len(y)) % 20)
    names, options = (
        ["ndcg", "average_precision"],
        {"groups": "user", "average": "size"},
    )
    scorers = make_ranking_scorer(names, k=5, **options)
    model = GaussianNB().fit(frame, y)
    alone = make_ranking_scorer(average_precision_score, **options)
    assert scorers["average_precision"](model, frame, y) == alone(model, frame, y)
    assert np.isfinite(scorers["ndcg"](model, frame, y))


@looped(
    "metrics, params, message",
    [
        ([], {}, r"metric.*\[\]"),
        (None, {}, "metric=None"),
        ([average_precision_score], {}, r"metric.*average_precision_score"),
        (["roc_auc", "roc_auc"], {}, r"'roc_auc'.*'roc_auc'"),
        (["rate_weigthed_auc"], {}, "'rate_weighted_auc'"),
        (["skrate_ndcg_score"], {}, r"'skrate_ndcg_score'.*'ndcg'"),
        (["roc_auc"], {"rate": 0.2}, r"rate=0\.2"),
        (["roc_auc"], {"response_method": 3}, r"response_method.*3"),
    ],
)
def test_bad_input_says_what_to_do(metrics, params, message):
    with pytest.raises(ValueError, match=message):
        make_ranking_scorer(metrics, **params)
