"""Metrics within lists: each list is what the metric gives for it alone."""

import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import skrate
from list_strategies import ranked_lists
from skrate import group_scores, ranking_auc_score, rates

BETA = rates.beta(3, 19)

# Two lists in another order of rows: relevant items at places 1 and 3, and at 2.
Y_TRUE = [1, 0, 1, 1, 0, 0]
Y_SCORE = [5, 9, 1, 8, 3, 2]
GROUPS = ["a", "b", "a", "b", "a", "b"]

BY_HAND = [
    pytest.param("recall", {"k": 1}, [1 / 2, 0], id="recall at 1"),
    pytest.param("recall", {"k": 2}, [1 / 2, 1], id="recall at 2"),
    pytest.param("recall", {"k": 9}, [1, 1], id="recall of all"),
    pytest.param("recall", {"rate": 1 / 2}, [1 / 2, 1 / 2], id="recall at half"),
    pytest.param("precision", {"k": 2}, [1 / 2, 1 / 2], id="precision at 2"),
    pytest.param("precision", {"k": 9}, [2 / 3, 1 / 3], id="precision of all"),
    pytest.param("precision", {"rate": 1 / 3}, [1, 0], id="precision at a third"),
    pytest.param("auc", {}, [1 / 2, 1 / 2], id="auc"),
    pytest.param("auc", {"k": 2}, [1, 0], id="auc of two"),
    pytest.param("average_precision", {}, [(1 + 2 / 3) / 2, 1 / 2], id="AP"),
    pytest.param("expected_recall", {"rate": 1 / 3}, [1 / 2, 0], id="known rate"),
    pytest.param("expected_recall", {}, [(5 / 6 + 1 / 6) / 2, 1 / 2], id="uniform"),
    pytest.param("rauc", {}, [1 / 2, 1 / 2], id="uniform rAUC"),
]


@pytest.mark.parametrize(("metric", "options", "expected"), BY_HAND)
def test_by_hand(metric, options, expected):
    result = group_scores(metric, Y_TRUE, Y_SCORE, groups=GROUPS, **options)
    assert result.groups.tolist() == ["a", "b"]
    assert result.scores == pytest.approx(expected, abs=1e-15)
    assert (result.n_items.tolist(), result.n_pos.tolist()) == ([3, 3], [2, 1])


ALONE = {
    "expected_recall": (skrate.expected_recall_score, [{}, {"rate": BETA}]),
    "rauc": (skrate.rate_weighted_auc_score, [{}, {"rate": BETA}, {"rate": 0.3}]),
    "recall": (skrate.recall_at_rate_score, [{"rate": 0.3}, {"rate": 1.0}]),
    "precision": (skrate.precision_at_rate_score, [{"rate": 0.3}, {"rate": 1.0}]),
    "average_precision": (skrate.average_precision_score, [{}]),
    "auc": (ranking_auc_score, [{}]),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("metric", ALONE)
@given(lists=st.one_of(ranked_lists(), ranked_lists(weighted=True)))
def test_each_list_is_as_if_alone(metric, lists):
    function, all_options = ALONE[metric]
    weights = lists.sample_weight
    for options in all_options:
        result = group_scores(
            metric,
            lists.y_true,
            lists.y_score,
            groups=lists.groups,
            sample_weight=weights,
            **options,
        )
        assert result.groups.tolist() == np.unique(lists.groups).tolist()
        for label, score in zip(result.groups, result.scores, strict=True):
            rows = lists.groups == label
            if weights is not None and not weights[rows].any():
                assert math.isnan(score)
                continue
            weight = None if weights is None else weights[rows]
            alone = function(
                lists.y_true[rows], lists.y_score[rows], sample_weight=weight, **options
            )
            assert score == pytest.approx(alone, abs=1e-12, nan_ok=True)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("metric", ["recall", "precision"])
@given(lists=ranked_lists(), k=st.integers(1, 9))
def test_a_number_of_items_is_that_share_of_each_list(metric, lists, k):
    function = ALONE[metric][0]
    result = group_scores(metric, *lists[:2], groups=lists.groups, k=k)
    for label, score in zip(result.groups, result.scores, strict=True):
        rows = lists.groups == label
        rate = min(k, int(rows.sum()))
        alone = function(lists.y_true[rows], lists.y_score[rows], rate=rate)
        assert score == pytest.approx(alone, abs=1e-14, nan_ok=True)


def test_average_precision_agrees_with_scikit_learn_over_many_lists():
    rng = np.random.default_rng(11)
    groups, y_true = rng.integers(0, 60, 1500), rng.random(1500) < 0.3
    y_score, weight = np.round(rng.random(1500), 1), rng.random(1500)
    result = group_scores(
        "average_precision", y_true, y_score, groups=groups, sample_weight=weight
    )
    expected = [
        sklearn.metrics.average_precision_score(
            y_true[groups == label],
            y_score[groups == label],
            sample_weight=weight[groups == label],
        )
        for label in range(60)
    ]
    assert result.scores == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, (1 + 0) / 2),
        ({"undefined": 1}, (1 + 0 + 1) / 3),
        ({"average": "size"}, (2 * 1 + 1 * 0) / 3),
        ({"average": "positives"}, (1 * 1 + 1 * 0) / 2),
        ({"average": [3, 1, 5]}, 3 / 4),
    ],
)
def test_the_mean_counts_lists_as_told(arguments, expected):
    # Recall at 1 of one list is 1, of one 0 (half of a tie is not), of one undefined.
    result = group_scores(
        "recall", [1, 0, 0, 1, 0], [2, 1, 2, 1, 1], groups=[0, 0, 1, 1, 2], k=1
    )
    assert np.array_equal(result.scores, [1, 0, np.nan], equal_nan=True)
    if arguments.get("average") == "size":
        expected = (2 * 1 + 2 * 0) / 4
    score = result.mean(**arguments)
    assert type(score) is float
    assert score == pytest.approx(expected, abs=1e-15)


def test_the_mean_agrees_with_ranking_auc_score():
    rng = np.random.default_rng(2)
    groups, y_true = rng.integers(0, 40, 300), rng.random(300) < 0.3
    y_score = np.round(rng.random(300), 1)
    result = group_scores("auc", y_true, y_score, groups=groups)
    for options in ({}, {"undefined": 0.5}, {"average": "size"}):
        assert result.mean(**options) == pytest.approx(
            ranking_auc_score(y_true, y_score, groups=groups, **options), abs=1e-15
        )


def test_an_undefined_mean_is_nan_with_a_warning():
    result = group_scores("recall", [1, 0], [1, 2], groups=[0, 1], k=1)
    with pytest.warns(UndefinedMetricWarning, match="1 of 2 lists are undefined"):
        assert math.isnan(result.mean(undefined="nan"))
    assert result.mean() == 1
    result = group_scores("auc", [1, 0], [1, 2], groups=[0, 1])
    with pytest.warns(UndefinedMetricWarning, match="2 of 2 lists are undefined"):
        assert math.isnan(result.mean())


def test_an_empty_list_is_nan_and_counts_for_nothing():
    options = {"groups": [0, 1, 1], "sample_weight": [0, 1, 1]}
    result = group_scores("average_precision", [1, 1, 0], [1, 2, 1], **options)
    assert np.array_equal(result.scores, [np.nan, 1], equal_nan=True)
    assert (result.n_items.tolist(), result.n_pos.tolist()) == ([0, 2], [0, 1])
    assert result.mean(undefined=0) == 1


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("ndcg", {}, "metric must be one of .* got 'ndcg'"),
        ("recall", {}, "'recall' needs k or rate, and not both"),
        ("recall", {"k": 1, "rate": 0.5}, "'recall' needs k or rate, and not both"),
        ("recall", {"k": 0}, "k must be an integer >= 1"),
        ("recall", {"rate": 2}, r"rate must be a number in \(0, 1\]"),
        ("precision", {"k": 1, "sample_weight": [1] * 6}, "k=1 is a number of items"),
        ("rauc", {"k": 1}, "k=1 has no meaning for 'rauc'"),
        ("average_precision", {"k": 1}, "k=1 has no meaning"),
        ("auc", {"rate": 0.1}, "rate=0.1 has no meaning for 'auc'"),
        ("expected_recall", {"rate": 2.0}, "rate"),
        ("auc", {"groups": [1]}, "y_true has 6, groups has 1"),
    ],
)
def test_bad_input_is_named(metric, options, message):
    with pytest.raises(ValueError, match=message):
        group_scores(metric, Y_TRUE, Y_SCORE, **{"groups": GROUPS, **options})


def test_the_mean_has_no_pairs():
    result = group_scores("recall", [1, 0], [1, 2], groups=[0, 0], k=1)
    with pytest.raises(ValueError, match="average must be one of"):
        result.mean(average="pairs")
    with pytest.raises(ValueError, match="undefined must be one of"):
        result.mean(undefined="zero")
