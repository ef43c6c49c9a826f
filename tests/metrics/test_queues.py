"""What is seen of queues, such as those of days, counts as one."""

import math
from fractions import Fraction
from functools import partial
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning

from list_strategies import ranked_lists
from optional import require
from skrate import (
    RankTable,
    ScoreReport,
    expected_gain_score,
    group_scores,
    lift_at_rate_score,
    make_ranking_scorer,
    precision_at_rate_score,
    rates,
    recall_at_rate_score,
)

# Three days: one of three cases, one of two, and one of a single case.
Y_TRUE = [1, 0, 1, 0, 1, 1]
Y_SCORE = [3, 2, 1, 9, 8, 5]
DAY = ["mo", "mo", "mo", "tu", "tu", "we"]
AMOUNT = [100, -1, 900, -2, 50, 30]


@pytest.mark.parametrize(
    ("score", "k", "expected"),
    [
        (recall_at_rate_score, 1, 2 / 4),
        (recall_at_rate_score, 2, 3 / 4),
        (recall_at_rate_score, 9, 1),
        (precision_at_rate_score, 1, 2 / 3),
        (precision_at_rate_score, 2, 3 / 5),
        (precision_at_rate_score, 9, 4 / 6),
    ],
)
def test_by_hand(score, k, expected):
    found = score(Y_TRUE, Y_SCORE, k=k, groups=DAY)
    assert type(found) is float
    assert found == pytest.approx(expected, abs=1e-15)
    by_day = group_scores(score, Y_TRUE, Y_SCORE, groups=DAY, k=k)
    assert by_day.mean() == by_day.mean("pooled") == found
    assert by_day.estimate().value == found
    mean = by_day.mean("macro")
    assert mean == pytest.approx(np.mean(by_day.values), abs=1e-15)


def seen_in_all_orders(y_true, y_score, groups, k):
    """Yield the rows that are seen, for each order of the tied of all the queues."""
    tops = []
    for label in sorted(set(groups)):
        rows = [i for i, group in enumerate(groups) if group == label]
        orders = [
            order
            for order in permutations(rows)
            if [y_score[i] for i in order] == sorted(y_score[i] for i in rows)[::-1]
        ]
        tops.append([order[:k] for order in orders])
    for chosen in product(*tops):
        yield [i for top in chosen for i in top]


@given(
    lists=ranked_lists(max_size=9, n_scores=2), k=st.integers(1, 3),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_it_is_the_mean_over_the_orders_of_the_tied(lists, k, seed):
    rows = slice(0, 7)
    y_true, y_score, groups = (column[rows].tolist() for column in lists[:3])
    gain = np.random.default_rng(seed).integers(-3, 9, len(y_true)).tolist()
    orders = list(seen_in_all_orders(y_true, y_score, groups, k))
    found = Fraction(sum(y_true[i] for seen in orders for i in seen), len(orders))
    options = {"groups": groups, "k": k}
    n_seen, n_pos = len(orders[0]), sum(y_true)
    precision = precision_at_rate_score(y_true, y_score, **options)
    assert precision == pytest.approx(float(found / n_seen), abs=1e-14)
    if n_pos:
        recall = recall_at_rate_score(y_true, y_score, **options)
        assert recall == pytest.approx(float(found / n_pos), abs=1e-14)
    gained = Fraction(sum(gain[i] for seen in orders for i in seen), len(orders))
    by_list = group_scores(
        expected_gain_score, y_true, y_score, groups=groups, gain=gain, k=k
    )
    assert by_list.mean("pooled") == pytest.approx(float(gained), abs=1e-12)


def test_gain_of_what_is_seen():
    options = {"groups": DAY, "gain": AMOUNT}
    scores = group_scores(expected_gain_score, Y_TRUE, Y_SCORE, k=1, **options)
    assert scores.values.tolist() == [100, -2, 30]
    total = scores.estimate("pooled")
    assert total.value == pytest.approx(128, abs=1e-12)
    # Of a sum of three days: sqrt(3) times their standard deviation.
    spread = np.std([100, -2, 30], ddof=1) * math.sqrt(3)
    assert total.standard_error == pytest.approx(spread, rel=1e-12)
    low, high = total.confidence_interval
    assert low < 0 < 128 < high
    per_case = group_scores(
        expected_gain_score, Y_TRUE, Y_SCORE, k=1, normalize=True, **options
    )
    assert per_case.mean("pooled") == pytest.approx(128 / 6, abs=1e-14)
    # Without k, as each list alone, in any order of rows, weighted or not.
    order, weight = np.random.default_rng(0).permutation(6), [1, 2, 1, 1, 0, 3]
    columns = [np.array(c)[order] for c in (Y_TRUE, Y_SCORE, DAY, AMOUNT, weight)]
    found = group_scores(
        expected_gain_score, *columns[:2], groups=columns[2], gain=columns[3],
        sample_weight=columns[4], rate=0.4,
    )  # fmt: skip
    for label, value in zip(found.groups, found.values, strict=True):
        y, s, _, gain, w = (c[columns[2] == label] for c in columns)
        alone = expected_gain_score(y, s, gain=gain, sample_weight=w, rate=0.4)
        assert value == pytest.approx(alone, abs=1e-12)


def test_the_gain_of_classes_is_that_of_their_cases():
    per_class = {"positive": 3, "negative": -1}
    gain = np.where(Y_TRUE, 3, -1)
    for options in ({"k": 2}, {"rate": 0.3}):
        found = [
            group_scores(
                expected_gain_score, Y_TRUE, Y_SCORE, groups=DAY, gain=one, **options
            ).values
            for one in (per_class, gain)
        ]
        assert found[0] == pytest.approx(found[1], abs=1e-14)


def test_a_share_of_each_queue():
    found = recall_at_rate_score(Y_TRUE, Y_SCORE, rate=0.5, groups=DAY)
    assert found == pytest.approx((1 + 0 + 0.5) / 4, abs=1e-15)
    weight = [1, 1, 1, 2, 2, 2]
    found = precision_at_rate_score(
        Y_TRUE, Y_SCORE, rate=0.5, groups=DAY, sample_weight=weight
    )
    assert found == pytest.approx((1 + 0 + 1) / (1.5 + 2 + 1), abs=1e-15)


def test_the_pooled_auc_is_that_of_pairs():
    options = {"groups": [1, 1, 1, 2, 2, 2]}
    scores = group_scores("roc_auc", Y_TRUE, Y_SCORE, **options)
    assert scores.mean("pooled") == scores.mean("pairs")


def test_without_positives_recall_is_undefined():
    with pytest.warns(UndefinedMetricWarning, match="no positive"):
        assert math.isnan(recall_at_rate_score([0, 0], [1, 2], k=1, groups=[1, 2]))
    assert precision_at_rate_score([0, 0], [1, 2], k=1, groups=[1, 2]) == 0


def test_the_error_of_the_pooled_precision_is_that_of_a_ratio():
    # By resampling the days themselves.
    rng = np.random.default_rng(8)
    day = np.repeat(np.arange(400), rng.integers(1, 20, 400))
    y_true = rng.random(len(day)) < rng.beta(2, 5, 400)[day]
    y_score = rng.normal(size=len(day)) + y_true
    for score in (precision_at_rate_score, recall_at_rate_score):
        scores = group_scores(score, y_true, y_score, groups=day, k=5)
        found = np.bincount(day, y_true)
        wholes = np.minimum(scores.n_items, 5)
        if score is recall_at_rate_score:
            wholes = found
        parts = np.nan_to_num(scores.values) * wholes
        drawn = rng.integers(0, 400, (4000, 400))
        means = parts[drawn].sum(axis=1) / wholes[drawn].sum(axis=1)
        assert scores.estimate().standard_error == pytest.approx(means.std(), rel=0.05)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_scorers_find_queues_and_gains_by_column(library):
    frames = require(library)
    X = frames.DataFrame({"score": Y_SCORE, "day": DAY, "amount": AMOUNT})

    class Model(ClassifierMixin, BaseEstimator):
        classes_ = np.array([0, 1])

        def decision_function(self, X):
            return np.asarray(X["score"])

    scorer = make_ranking_scorer(precision_at_rate_score, k=2, groups="day")
    assert scorer(Model(), X, Y_TRUE) == pytest.approx(3 / 5, abs=1e-15)
    recall = make_ranking_scorer(recall_at_rate_score, k=2, groups="day")
    assert recall(Model(), X, Y_TRUE) == pytest.approx(3 / 4, abs=1e-15)
    gain = make_ranking_scorer(
        expected_gain_score, gain="amount", k=1, average="pooled", groups="day"
    )
    assert gain(Model(), X, Y_TRUE) == pytest.approx(128, abs=1e-12)
    report = ScoreReport({"recall": recall})(Model(), X, np.array(Y_TRUE))
    assert report["recall"] == pytest.approx(3 / 4, abs=1e-15)
    expected = group_scores(
        recall_at_rate_score, Y_TRUE, Y_SCORE, groups=DAY, k=2
    ).estimate()
    assert report["recall_standard_error"] == expected.standard_error


@pytest.mark.parametrize(
    ("score", "options", "message"),
    [
        (partial(recall_at_rate_score, k=3), {"k": 2}, "k=2 and k=3 of the metric"),
        (
            recall_at_rate_score,
            {"k": 2, "sample_weight": [1] * 6},
            "k=2 is a number of items, which sample_weight leaves",
        ),
        (expected_gain_score, {"gain": [1, 2], "k": 1}, "gain has 2"),
        (expected_gain_score, {"gain": AMOUNT, "cost": AMOUNT}, "cost must not be neg"),
        (
            expected_gain_score,
            {"gain": AMOUNT, "cost": [1] * 6},
            "cost is not known wi",
        ),
        (expected_gain_score, {"gain": AMOUNT, "rate": 0.1, "k": 1}, "k=1 takes the p"),
        (expected_gain_score, {"k": 1}, "gain is missing"),
    ],
)
def test_bad_input_is_named(score, options, message):
    with pytest.raises(ValueError, match=message):
        group_scores(score, Y_TRUE, Y_SCORE, groups=DAY, **options)


def test_what_cannot_be_pooled_is_named():
    scores = group_scores(lift_at_rate_score, Y_TRUE, Y_SCORE, groups=DAY, k=1)
    with pytest.raises(ValueError, match="average='pooled' is known of"):
        scores.mean("pooled")
    options = {"rate": rates.beta(2, 3), "groups": DAY}
    with pytest.raises(ValueError, match="average='pooled' is known of"):
        recall_at_rate_score(Y_TRUE, Y_SCORE, **options)
    with pytest.raises(ValueError, match="y_true is a RankTable, which has no lists"):
        recall_at_rate_score(RankTable([1], [1]), rate=0.5, groups=[1])
