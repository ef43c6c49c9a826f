"""Runs of RankBoost that go on, stop early or report."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from looped import looped
from reference.rankboost_pairs import ranking_loss, sample
from skrate import (
    RankBoostClassifier,
    average_precision_score,
    group_scores,
    ndcg_score,
    ranking_auc_score,
    rate_at_recall_score,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
)


@looped("scoring", ["average_precision", "f1", "neg_brier_score"])
def test_names_of_scikit_learn_score_the_second_class(scoring):
    X, y, _ = sample(18, n=200)
    model = RankBoostClassifier(
        n_estimators=4, n_iter_no_change=10, scoring=scoring, random_state=0
    )
    expected = model.fit(X, y).validation_scores_
    for labels in (["no", "yes"], [1, 2], [-1, 1]):
        found = model.fit(X, np.array(labels)[y]).validation_scores_
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_held_out_score_is_the_share_of_pairs_in_order_by_default():
    X, y, rng = sample(25, n=200)
    weights, groups = rng.uniform(0.5, 2, size=200), rng.integers(0, 12, size=200)
    seen = []

    def spy(estimator, X, y, sample_weight):
        seen.append((X[:, 0], estimator.decision_function(X), y, sample_weight))
        return 0.0

    model = RankBoostClassifier(
        n_estimators=6, n_iter_no_change=6, validation_fraction=0.3, random_state=0
    )
    clone(model).set_params(scoring=spy).fit(X, y, weights, groups=groups)
    default = model.fit(X, y, weights, groups=groups).validation_scores_
    for (first, scores, labels, held_out_weights), score in zip(
        seen, default, strict=True
    ):
        lists = [groups[X[:, 0] == value][0] for value in first]
        wrong = ranking_loss(labels, scores, held_out_weights, lists)
        strictly_wrong = 1 - ranking_loss(1 - labels, scores, held_out_weights, lists)
        assert score == pytest.approx(1 - (wrong + strictly_wrong) / 2)


@looped("rare", [0, 1])
@looped("n_rare", [2, 5])
def test_both_classes_are_held_out_however_rare(rare, n_rare):
    X, _, rng = sample(n_rare, n=300)
    y = np.full(300, 1 - rare)
    y[rng.permutation(300)[:n_rare]] = rare
    seen = []

    def spy(estimator, X, y):
        seen.append(y)
        return roc_auc_score(y, estimator.decision_function(X))

    model = RankBoostClassifier(
        n_estimators=20, n_iter_no_change=3, scoring=spy, random_state=0
    ).fit(X, y)
    assert 1 <= np.count_nonzero(seen[0] == rare) < n_rare
    assert len(seen[0]) == round(0.1 * (300 - n_rare)) + 1
    assert np.isfinite(model.validation_scores_).all()


@looped("seed", range(5))
def test_a_list_of_both_classes_is_held_out_and_one_is_trained_on(seed):
    X, _, _ = sample(seed, n=200)
    # Two lists of twenty hold both classes; the labels of lists leave gaps.
    groups = 37 * (np.arange(200) // 10)
    X[:, 1], y = groups, np.zeros(200, dtype=int)
    y[[3, 4, 105]] = 1
    seen = []

    def spy(estimator, X, y):
        seen.append((X, y))
        return 0.0

    RankBoostClassifier(
        n_iter_no_change=1, scoring=spy, validation_fraction=0.2, random_state=seed
    ).fit(X, y, groups=groups)
    # One of the two, and a fifth of the eighteen others, all of them whole.
    held_out, labels = seen[0]
    assert len(set(held_out[:, 1])) == 1 + round(0.2 * 18)
    assert len(labels) == 10 * (1 + round(0.2 * 18))
    assert 1 <= labels.sum() <= 2


@looped("rare", ["a", "b"])
def test_early_stopping_needs_two_cases_of_each_class(rare):
    X, y = np.arange(20.0)[:, None], np.full(20, "b" if rare == "a" else "a")
    y[4] = rare
    message = r"class.*1.*n_iter_no_change=None"
    with pytest.raises(ValueError, match=message):
        RankBoostClassifier(n_iter_no_change=2, random_state=0).fit(X, y)


def test_a_score_of_nan_ends_the_run_at_once():
    X, y, _ = sample(33, n=100)
    scores = iter([0.5, 0.5, np.nan])
    model = RankBoostClassifier(n_iter_no_change=5, scoring=lambda *_: next(scores))
    with pytest.raises(ValueError, match=r"10.*nan.*3"):
        model.fit(X, y)


OF_BUDGET = partial(rate_weighted_auc_score, rate=rates.beta(2, 20))


@looped(
    "scoring, of_lists, is_weighted",
    [
        (OF_BUDGET, False, True),
        ("average_precision_score", False, True),
        (rate_at_recall_score, False, False),
        (OF_BUDGET, True, True),
        # Places have no weights.
        (partial(ndcg_score, k=3), True, False),
        (partial(ranking_auc_score, average="size", undefined=0.5), True, True),
    ],
)
def test_a_metric_of_this_package_may_stop_the_run(scoring, of_lists, is_weighted):
    X, y, rng = sample(31, n=400)
    rows, lists = np.arange(400), rng.integers(0, 30, 400)
    weights = rng.integers(1, 4, 400).astype(float) if is_weighted else None
    seen, stops = [], {"n_iter_no_change": 8, "random_state": 0}
    stops["validation_fraction"] = 0.4

    def spy(estimator, X, y, sample_weight=None):
        seen.append(X[:, -1].astype(int))
        return len(seen)

    given = (weights, lists) if of_lists else (weights,)
    first = RankBoostClassifier(n_estimators=1, scoring=spy, **stops)
    first.fit(np.column_stack([X, rows]), y, *given)
    held_out = seen[0]
    model = RankBoostClassifier(n_estimators=60, scoring=scoring, tol=0, **stops)
    model.fit(X, y, *given)
    metric, params = getattr(scoring, "func", scoring), {}
    if isinstance(metric, str):
        metric = average_precision_score
    params |= getattr(scoring, "keywords", {})
    if is_weighted:
        params["sample_weight"] = weights[held_out]
    if of_lists:
        params["groups"] = lists[held_out]

    def score(y_score):
        if of_lists and metric is rate_weighted_auc_score:
            return group_scores(metric, y[held_out], y_score, **params).mean()
        value = metric(y[held_out], y_score, **params)
        return -value if metric is rate_at_recall_score else value

    staged = [score(each) for each in model.staged_decision_function(X[held_out])]
    np.testing.assert_allclose(model.validation_scores_, staged, rtol=0, atol=1e-12)
    assert len(staged) == min(int(np.argmax(staged)) + 1 + 8, 60)


@looped(
    "scoring, message",
    [
        (ndcg_score, "scoring=ndcg_score"),
        (partial(rate_weighted_auc_score, rat=1), "'rat'"),
        (recall_at_rate_score, "'rate'"),
        ("recall_at_rate", "'rate'"),
        ("recal_at_rate", "scoring='recal_at_rate'"),
        ("jacard", "'jaccard'"),
    ],
)
def test_metrics_that_cannot_stop_a_run_are_refused(scoring, message):
    X, y, _ = sample(32, n=60)
    model = RankBoostClassifier(n_iter_no_change=5, scoring=scoring)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
