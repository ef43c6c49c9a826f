"""A dict of scorers by the names of metrics."""

import pytest
from sklearn.datasets import make_classification

from looped import looped
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
        "recall_at_rate": {"rate": 0.2, "prevalence": 0.1},
    }
    found = make_ranking_scorer(list(expected), rate=0.2, prevalence=0.1, pos_label=1)
    assert list(found) == list(expected)
    for name, params in expected.items():
        alone = make_ranking_scorer(name, pos_label=1, **params)
        assert repr(found[name]) == repr(alone)


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
