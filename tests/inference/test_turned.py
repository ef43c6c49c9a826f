"""A warning where scores, or the positive label, are probably turned round."""

import warnings
from functools import partial

import numpy as np
import pytest

from inference_cases import JUMPS, SMOOTH, each
from skrate import (
    FoldRankings,
    RankTable,
    budget_report,
    compare,
    estimate,
    recall_at_rate_score,
)

RNG = np.random.default_rng(0)
Y = np.arange(200) % 2
M1, M2 = (Y * size + RNG.normal(size=200) for size in (1.5, 1.6))
TABLE = RankTable([5, 20, 30], [40, 20, 3])
FOLDS = np.arange(200) // 40


def said(call):
    """Return the messages of a call, which comes from this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    found = [one for one in caught if "Scores may be reversed" in str(one.message)]
    assert all(one.filename == __file__ for one in found)
    assert all(one.category is UserWarning for one in found)
    return [str(one.message) for one in found]


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


def test_within_lists_the_better_side_says_nothing():
    assert not said(lambda: estimate("ranking_auc", Y, M1, groups=LISTS))
    assert not said(lambda: compare("ranking_auc", Y, M1, M2, groups=LISTS))


@pytest.mark.parametrize("prevalence", [0.001, 0.1, 0.9])
@pytest.mark.filterwarnings("ignore:.*third negative")
def test_so_are_those_of_the_average_precision_elsewhere(prevalence):
    assert said(lambda: estimate("average_precision", Y, -M1, prevalence=prevalence))


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


def test_a_budget_report_of_the_better_side_says_nothing():
    models = {"a": M1, "b": M2}
    for rate in (0.01, 0.5, 1.0, "uniform"):
        assert not said(partial(budget_report, Y, models, rate=rate))


@pytest.mark.filterwarnings("ignore:.*depends on the best|.*third negative")
@each(SMOOTH + JUMPS)
def test_of_every_metric_the_better_side_says_nothing(metric, kwargs):
    assert not said(lambda: estimate(metric, Y, M1, **kwargs))
    assert not said(lambda: compare(metric, Y, M1, M2, **kwargs))


def test_the_worse_side_is_above_where_less_is_better():
    (message,) = said(lambda: estimate("rate_at_recall", Y, -M1, recall=0.5))
    assert "Rate at recall" in message
    assert "above 0.5" in message


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


def test_each_of_several_models_is_looked_at():
    assert said(lambda: estimate("roc_auc", Y, {"a": M1, "b": -M1}))


def test_gains_of_cases_have_no_value_by_chance():
    gain = np.where(Y == 1, 2.0, -1.0)
    assert not said(lambda: estimate("expected_gain", Y, -M1, gain=gain))
