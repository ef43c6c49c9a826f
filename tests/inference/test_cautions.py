"""Warnings that scores may be reversed, or that a few cases decide on a result."""

import re
import warnings

import numpy as np
import pytest

from inference_cases import JUMPS, SMOOTH, each
from skrate import (
    FoldRankings,
    RankTable,
    budget_report,
    compare,
    estimate,
    rates,
    recall_at_rate_score,
)

RNG = np.random.default_rng(0)
Y = np.arange(200) % 2
M1, M2 = (Y * size + RNG.normal(size=200) for size in (1.5, 1.6))
TABLE = RankTable([5, 20, 30], [40, 20, 3])
FOLDS = np.arange(200) // 40


def messages(function, *samples, **options):
    """Return the messages of the warnings of a call, which come from this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*samples, **options)
    assert all(one.filename == __file__ for one in caught)
    return [str(one.message) for one in caught]


def said(call):
    """Return the messages of a call that scores may be reversed."""
    return [one for one in messages(call) if "Scores may be reversed" in one]


def folds(y_score):
    return FoldRankings(Y, y_score, FOLDS)


CALLS = [
    ("y_score", lambda: estimate("roc_auc", Y, -M1)),
    ("y_score", lambda: estimate("roc_auc", Y, M1, pos_label=0)),
    ("y_score", lambda: estimate("roc_auc", Y, -M1, clusters=np.arange(200) // 2)),
    ("y_score", lambda: estimate("roc_auc", TABLE)),
    ("y_true", lambda: estimate("roc_auc", folds(-M1))),
    ("y_score_b", lambda: compare("roc_auc", Y, M1, -M2)),
    ("y_score_a", lambda: compare("roc_auc", Y, -M1, M2, method="permutation")),
    ("y_score_a and y_score_b", lambda: compare("roc_auc", Y, -M1, -M2)),
    ("y_score_b", lambda: compare("roc_auc", Y, M1, -M2, y_true_b=Y)),
    ("y_score_a", lambda: compare(("roc_auc", "average_precision"), Y, -M1)),
    ("y_true and y_true_b", lambda: compare("roc_auc", TABLE, y_true_b=TABLE)),
    ("y_score_a", lambda: compare("roc_auc", folds(M1), folds(-M2))),
    ("y_true", lambda: compare(("roc_auc", "average_precision"), folds(-M1))),
    (
        "y_score_a['b'] and y_score_a['c']",
        lambda: compare("roc_auc", Y, {"a": M1, "b": -M2, "c": -M1}).pairs,
    ),
    (
        "y_true['b']",
        lambda: compare("roc_auc", {"a": folds(M1), "b": folds(-M2)}).pairs,
    ),
]


LISTS = np.arange(200) // 10
CALLS += [
    ("y_score", lambda: estimate("ranking_auc", Y, -M1, groups=LISTS)),
    ("y_score", lambda: estimate("ranking_auc", Y, M1, groups=LISTS, pos_label=0)),
    ("y_score_b", lambda: compare("ranking_auc", Y, M1, -M2, groups=LISTS)),
    ("y_score_a and y_score_b",
     lambda: compare("ranking_auc", Y, -M1, -M2, groups=LISTS, average="pairs")),
]  # fmt: skip


@pytest.mark.parametrize(("argument", "call"), CALLS)
def test_what_is_turned_round_is_named_once(argument, call):
    (message,) = said(call)
    assert message.startswith(f"Scores may be reversed in {argument}: ")
    assert "pos_label" in message
    assert "AUC" in message


REPORTS = [
    ("y_score", (Y, -M1), {}),
    ("y_score", (Y, M1), {"pos_label": 0}),
    ("y_true", (TABLE,), {}),
    ("y_true", (folds(-M1),), {}),
    ("y_true['b']", ({"a": folds(M1), "b": folds(-M2)},), {}),
    ("y_score['a']", (Y, {"a": -M1}), {}),
    (
        "y_score['b'] and y_score['c']",
        (Y, {"a": M1, "b": -M2, "c": -M1}),
        {"reference": "a"},
    ),
]


@pytest.mark.parametrize(("argument", "given", "options"), REPORTS)
def test_a_budget_report_names_what_is_turned_round_once(argument, given, options):
    (message,) = said(lambda: budget_report(*given, rate="uniform", **options))
    start = f"Scores may be reversed in {argument}: "
    assert message.startswith(start)


@pytest.mark.filterwarnings("ignore:.*depends on the best|.*third negative")
@each(SMOOTH + JUMPS)
def test_of_every_metric_the_better_side_says_nothing(metric, kwargs):
    assert not said(lambda: estimate(metric, Y, M1, **kwargs))
    assert not said(lambda: compare(metric, Y, M1, M2, **kwargs))


def test_the_interval_decides():
    weak = 0.1 * Y + np.random.default_rng(1).normal(size=200)
    result = estimate("roc_auc", Y, weak)
    assert result.confidence_interval.low < 0.5 < result.value
    assert not said(lambda: estimate("roc_auc", Y, -weak))
    assert said(lambda: estimate("roc_auc", Y, -weak, confidence_level=0.01))


def test_few_positives_at_the_top_of_a_good_ranking_are_no_sign_of_it():
    # Next to none of the best twentieth is positive, and most that follow are.
    y_true = np.repeat([0, 1, 0], [300, 2000, 4000])
    y_score = np.arange(6300, 0, -1)
    result = estimate(recall_at_rate_score, y_true, y_score, rate=0.03)
    assert result.confidence_interval.high < 0.03
    assert not said(lambda: estimate(recall_at_rate_score, y_true, y_score, rate=0.03))


# --- A few cases decide ----------------------------------------------------------

GENERATOR = np.random.default_rng(0)
LABELS = (np.arange(200) < 80).astype(int)
NOISE = GENERATOR.normal(size=200)
CLEAR, PLAIN = NOISE + 4.5 * LABELS, NOISE + LABELS
ALMOST_CLEAR = CLEAR + 0.3 * NOISE[::-1]


def positives_missed(y_score, rate):
    """Return how many positives a perfect ranking finds in addition, case by case."""
    # The mean of P(rate > x) over the place of each case.
    places = np.diff(rate.limited_mean(np.arange(201) / 200)) * 200
    found = places[LABELS[np.argsort(-y_score, kind="stable")] == 1].sum()
    return places[:80].sum() - found


LAWS = {"uniform": rates.beta(1, 1), "beta": rates.beta(2, 8)}


@pytest.mark.parametrize("distribution", LAWS)
@pytest.mark.parametrize("metric", ["expected_recall", "rate_weighted_auc"])
def test_two_rankings_without_errors_show_no_difference(metric, distribution):
    one = NOISE + {"uniform": 3.0, "beta": 2.6}[distribution] * LABELS
    other = one + 0.3 * NOISE[::-1]
    missed = [positives_missed(scores, LAWS[distribution]) for scores in (one, other)]
    assert 0.1 < min(missed) < max(missed) < 1
    (message,) = messages(compare, metric, LABELS, one, other, rate=LAWS[distribution])
    assert message.startswith("The interval of the difference may be too short: both")
    numbers = re.search(r"(\S+) and (\S+) positives", message).groups()
    assert list(map(float, numbers)) == pytest.approx(missed, abs=0.006)


def test_two_clear_rankings_are_warned_of_and_one_with_errors_is_enough():
    distribution = {"rate": LAWS["beta"]}
    at_rate = [
        ("recall_at_rate", options)
        for options in ({"rate": 0.2}, {"k": 40}, distribution)
    ]
    for metric, options in [*at_rate, ("roc_auc", {})]:
        (message,) = messages(compare, metric, LABELS, CLEAR, ALMOST_CLEAR, **options)
        assert "both rankings are next to perfect" in message
    assert positives_missed(PLAIN, LAWS["uniform"]) > 1
    for metric, options in (("roc_auc", {}), ("expected_recall", distribution)):
        assert not messages(compare, metric, LABELS, CLEAR, PLAIN, **options)


def test_few_cases_in_a_window_are_counted_by_their_weights():
    weight = np.where(np.arange(200) % 10 == 0, 20.0, 1.0)
    options = {"tpr": (0.8, 1), "sample_weight": weight, "weights": "sampling"}
    of_pos = weight[LABELS == 1]
    alike = 0.2 * of_pos.sum() ** 2 / (of_pos**2).sum()
    assert alike < 8
    (message,) = messages(estimate, "partial_auc", LABELS, PLAIN, **options)
    assert f"count as {alike:.2g} of equal weight, and at least 8" in message
    equal = {**options, "sample_weight": np.ones(200)}
    assert not messages(estimate, "partial_auc", LABELS, PLAIN, **equal)
    # The whole curve has no window.
    assert not messages(
        estimate, "partial_auc", LABELS, PLAIN, **{**options, "tpr": None}
    )
