"""Scorers of every metric: objects for scikit-learn, and metrics for inference."""

import pickle
from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn import clone, metrics
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_validate

from looped import looped
from optional import require
from scores_as_they_are import FirstColumn
from skrate import (
    AveragePrecisionScorer,
    RateWeightedAUCScorer,
    average_precision_score,
    compare,
    estimate,
    group_scores,
    make_ranking_scorer,
    ranking_auc_score,
    rate_weighted_auc_score,
    recall_at_rate_score,
)

X, Y = make_classification(240, 5, n_informative=2, flip_y=0.3, random_state=0)
MODEL = LogisticRegression().fit(X, Y)
SCORES = MODEL.decision_function(X)
USERS = np.random.default_rng(0).permutation(np.arange(240) % 24)
NAMES = np.where(Y == 1, "ill", "well")


def test_parameters_are_read_set_and_searched():
    scorer = make_ranking_scorer(rate_weighted_auc_score, pos_label=1)
    assert scorer.get_params() == {
        "metric": rate_weighted_auc_score,
        "rate": "uniform",
        "groups": None,
        "response_method": ("decision_function", "predict_proba"),
        "pos_label": 1,
        "average": "macro",
        "labels": None,
    }
    assert repr(scorer) == "make_ranking_scorer(rate_weighted_auc_score, pos_label=1)"
    scorer.set_params(rate=0.2)
    named = RateWeightedAUCScorer(rate=0.2, pos_label=1)
    assert scorer(MODEL, X, Y) == named(MODEL, X, Y)
    assert repr(scorer).endswith("(rate_weighted_auc_score, pos_label=1, rate=0.2)")
    with pytest.raises(ValueError, match="'prevalence'"):
        scorer.set_params(prevalence=0.2)


@looped(
    "metric, params, message",
    [
        (average_precision_score, {"rate": 0.1}, "'rate'"),
        (ranking_auc_score, {"rate": 0.1}, "'rate'"),
        (rate_weighted_auc_score, {"rate": 7}, "rate"),
        (metrics.roc_auc_score, {"max_fpr": 0.1}, r"0\.1"),
        (metrics.f1_score, {}, r"metric=.*f1_score"),
        ("accuracy", {}, "metric='accuracy'"),
        (recall_at_rate_score, {}, r"'rate'.*'k'"),
        (recall_at_rate_score, {"rate": 400}, r"k=400.*400"),
        (recall_at_rate_score, {"rate": 0.1, "k": 4}, r"k=4.*rate=0\.1"),
        (
            partial(rate_weighted_auc_score, sample_weight=1),
            {},
            r"sample_weight.*rate_weighted_auc_score",
        ),
        (RateWeightedAUCScorer(pos_label=1), {}, "pos_label=1"),
    ],
)
def test_what_is_unknown_fails_at_construction(metric, params, message):
    with pytest.raises(ValueError, match=message):
        make_ranking_scorer(metric, **params)


# --- A scorer stands for its metric --------------------------------------------------

RATE, PREVALENCE = {"rate": 0.2}, {"prevalence": 0.1}
SAME = [
    (RateWeightedAUCScorer(**RATE), rate_weighted_auc_score, RATE),
    (AveragePrecisionScorer(**PREVALENCE), average_precision_score, PREVALENCE),
    (make_ranking_scorer(recall_at_rate_score, **RATE), recall_at_rate_score, RATE),
]


@looped("scorer, metric, own", SAME)
def test_a_scorer_is_a_metric_to_inference(scorer, metric, own):
    other = np.random.default_rng(0).permutation(SCORES)
    assert estimate(scorer, Y, SCORES) == estimate(metric, Y, SCORES, **own)
    assert compare(scorer, Y, SCORES, other) == compare(metric, Y, SCORES, other, **own)
    models = {"a": SCORES, "b": other}
    assert compare(scorer, Y, models) == compare(metric, Y, models, **own)
    found = estimate(scorer, Y, SCORES).influence
    assert found.tolist() == estimate(metric, Y, SCORES, **own).influence.tolist()
    # A keyword given beside the scorer counts, as beside a partial.
    beside = dict.fromkeys(own, 0.4)
    assert estimate(scorer, Y, SCORES, **beside) == estimate(
        metric, Y, SCORES, **beside
    )


def test_the_positive_class_of_a_scorer_is_not_dropped():
    scorer = RateWeightedAUCScorer(pos_label="well")
    message = "pos_label='well' of RateWeightedAUCScorer"
    for call in (
        partial(estimate, scorer, NAMES, SCORES, pos_label="ill"),
        partial(compare, scorer, NAMES, SCORES, SCORES, pos_label="ill"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_a_scorer_of_lists_says_where_its_uncertainty_is():
    for scorer in (
        make_ranking_scorer("ranking_auc"),
        make_ranking_scorer("roc_auc", groups="user"),
    ):
        with pytest.raises(ValueError, match="group_scores"):
            estimate(scorer, Y, SCORES)


# --- Lists ---------------------------------------------------------------------------


def frame():
    pandas = require("pandas")
    return pandas.DataFrame(X).rename(columns=str).assign(user=USERS)


class IgnoresUsers(LogisticRegression):
    def decision_function(self, X):
        return MODEL.decision_function(np.asarray(X)[:, :5])


@looped(
    "metric, params",
    [
        (average_precision_score, {"prevalence": 0.2}),
        (rate_weighted_auc_score, {"rate": 0.5}),
        (recall_at_rate_score, {"k": 3}),
        ("roc_auc", {"k": 6}),
    ],
)
def test_a_metric_of_one_list_is_averaged_over_lists(metric, params):
    model = IgnoresUsers().fit(X, Y)
    options = {"average": "size", "undefined": 0.25}
    scorer = make_ranking_scorer(metric, groups="user", **params, **options)
    scores = group_scores(metric, Y, SCORES, groups=USERS, **params)
    assert scorer(model, frame(), Y) == scores.mean(**options)
    grades = Y + (X[:, 0] > 0)
    graded = make_ranking_scorer(metric, relevance_threshold=2, **params)
    expected = group_scores(metric, grades >= 2, SCORES, groups=USERS, **params)
    with sklearn.config_context(enable_metadata_routing=True):
        graded.set_score_request(groups=True)
        for copy in (graded, clone(graded), pickle.loads(pickle.dumps(graded))):
            assert copy(model, X, grades, groups=USERS) == expected.mean()
    with pytest.raises(ValueError, match=r"make_ranking_scorer.*groups="):
        graded(model, X, grades)


# Lists of the AUC 1, 1/2 and 0, and one without a negative item. The precision of the
# first item is 1, 1, 0 and 1.
SHOWN = [
    (1, 4, "a"), (0, 3, "a"), (0, 2, "a"),
    (1, 9, "b"), (0, 5, "b"), (1, 1, "b"),
    (0, 7, "c"), (1, 6, "c"),
    (1, 8, "d"),
]  # fmt: skip
CLICKED, SHOWN_SCORES, OWNERS = (list(column) for column in zip(*SHOWN, strict=True))


def test_lists_and_weights_reach_scorers_by_routing():
    data = np.tile(np.c_[SHOWN_SCORES, np.zeros(9)], (2, 1)), CLICKED * 2
    weight = np.tile(np.arange(9) % 3, 2)
    params = {"groups": OWNERS * 2, "users": OWNERS * 2, "sample_weight": weight}
    with sklearn.config_context(enable_metadata_routing=True):
        requests = {
            "lists": ("ranking_auc", {"groups": True}),
            "made": (average_precision_score, {"groups": "users"}),
            "weighted": ("roc_auc", {"sample_weight": True}),
            "all": ("roc_auc", {}),
        }
        scorers = {
            name: make_ranking_scorer(metric).set_score_request(
                **{"sample_weight": False, **request}
            )
            for name, (metric, request) in requests.items()
        }
        found = cross_validate(
            FirstColumn(), *data, scoring=scorers, cv=KFold(2), params=params
        )
    assert found["test_lists"] == pytest.approx([1 / 2] * 2, abs=1e-15)
    # (1/1 + 2/3) / 2 for the second list, 1/2 for the third.
    expected = (1 + 5 / 6 + 1 / 2 + 1) / 4
    assert found["test_made"] == pytest.approx([expected] * 2, abs=1e-15)
    rows = np.repeat(np.arange(9), weight[:9])
    labels, scores = np.array(CLICKED), np.array(SHOWN_SCORES)
    repeated = estimate("roc_auc", labels[rows], scores[rows]).value
    assert found["test_weighted"] == pytest.approx([repeated] * 2, rel=1e-12)
    alone = estimate("roc_auc", CLICKED, SHOWN_SCORES).value
    assert found["test_all"].tolist() == [alone] * 2


@looped("metric", ["recall_at_rate", "precision_at_rate", "hit_rate"])
def test_a_list_that_is_seen_completely_ranks_no_models(metric):
    # Ten samples per user.
    def score_lists(metric, k):
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = make_ranking_scorer(metric, k=k)
            return scorer(MODEL, X, Y, groups=np.arange(240) % 24)

    for k in (10, 30):
        with pytest.warns(UserWarning, match=rf"k={k} .*below 10"):
            score_lists(metric, k)
    assert 0 < score_lists(metric, 9) <= 1
    # It depends on the order of all items.
    assert 0 < score_lists("ndcg", 30) < 1
    with pytest.raises(ValueError, match=r"k=99 .* 40 samples \(of a fold"):
        make_ranking_scorer("recall_at_rate", k=99)(MODEL, X[:40], Y[:40])
