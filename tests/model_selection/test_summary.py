"""Summaries over folds: intervals within range, and no case counted twice."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from looped import case, looped
from skrate import ScoreReport, average_precision_score, summarize

X, Y = make_classification(
    150, 4, weights=[0.6], flip_y=0.1, class_sep=0.6, random_state=0
)
REPORT = ScoreReport(metrics={"auc": "roc_auc", "ap": average_precision_score})
WIDE = [0.05, 0.5, 0.95]


def results_of(cv, **kwargs):
    return cross_validate(GaussianNB(), X, Y, cv=cv, scoring=REPORT, **kwargs)


def interval_of(values, metric="auc", **kwargs):
    (row,) = summarize({f"test_{metric}": values}, **kwargs)
    return row.confidence_interval


# --- The range of a metric ------------------------------------------------------------


def test_an_interval_ends_where_the_range_of_a_known_metric_does():
    known = """
        auc rauc ap roc_auc roc_auc_ovr_weighted average_precision_score f1_macro
        recall_at_rate momentum AUC
    """
    for metric in known.split():
        with case(metric):
            assert interval_of(WIDE, metric) == (0, 1)
    for metric in ("score", "neg_log_loss", "lift_at_rate", "adjusted_ap", "mine"):
        with case(metric):
            low, high = interval_of(WIDE, metric)
            assert low < 0
            assert high > 1


@looped("outside", [-0.1, 1.5, 70])
def test_a_score_outside_shows_that_the_name_is_borrowed(outside):
    # As those of the adjusted average precision, or in per cent.
    low, high = interval_of([*WIDE, outside], "ap")
    assert low < 0
    assert high > 1


def test_a_range_may_be_given():
    assert interval_of(WIDE, "score", score_range=(0, 1)) == (0, 1)
    low, high = interval_of(WIDE, "auc", score_range=(None, 1))
    assert low < 0
    assert high == 1
    low, high = interval_of(WIDE, "auc", score_range=(-np.inf, np.inf))
    assert low < 0
    assert high > 1


def test_scores_of_folds_may_come_alone():
    for values in (WIDE, tuple(WIDE), np.array(WIDE)):
        # By what they say, since what is undefined does not equal itself.
        assert repr(summarize(values)) == repr(summarize({"test_score": WIDE}))
    (row,) = summarize(WIDE, score_range=(0, 1))
    assert (row.metric, row.n_folds, row.confidence_interval) == ("score", 3, (0, 1))


@looped(
    "given, message",
    [
        ([], r"cv_results must hold one score per fold.*\(0,\)"),
        (0.5, r"cv_results must hold one score per fold"),
        ([WIDE, WIDE], r"one score per fold, found an array of shape \(2, 3\)"),
        ("auc", "cv_results must"),
        ([0.5, np.inf], "cv_results holds an infinite score"),
        ({"auc": WIDE}, "a dict of these by model, or the scores of the folds"),
    ],
)
def test_scores_alone_that_are_none_are_named(given, message):
    with pytest.raises(ValueError, match=message):
        summarize(given)


@looped(
    "score_range, message",
    [
        ((1, 0), r"score_range must be a pair \(low, high\)"),
        ((0, np.nan), "score_range must be a pair"),
        ("auc", "score_range must be a pair"),
        ((0.1, 1), r"score_range=\(0.1, 1\) does not hold the score 0.05 of 'auc'"),
        ({"auk": (0, 1)}, r"names \['auk'\], .* metrics are \['auc'\]"),
    ],
)
def test_bad_ranges_are_named(score_range, message):
    with pytest.raises(ValueError, match=message):
        interval_of(WIDE, score_range=score_range)


# --- Repeats --------------------------------------------------------------------------


def test_pooled_standard_error_of_repeats_is_that_of_one():
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=6, random_state=0)
    results = results_of(cv, return_indices=True)
    singles = [
        summarize({k: v[i : i + 5] for k, v in results.items() if k != "indices"})
        for i in range(0, 30, 5)
    ]
    for j in (0, 1):
        expected = np.mean([table[j].pooled_standard_error for table in singles])
        row = summarize(results)[j]
        assert row.pooled_standard_error == pytest.approx(expected, rel=1e-3)
        assert row.n_folds == 30


def test_indices_say_what_repeats_and_sizes_would():
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    results = results_of(cv, return_indices=True)
    found = summarize(results)
    del results["indices"]
    assert summarize(results, repeats=4) == found
    assert summarize(results, repeats=np.repeat(list("abcd"), 5)) == found
    for row, same in zip(
        summarize(results, n_train=120, n_test=30), found, strict=True
    ):
        assert row.standard_error == pytest.approx(same.standard_error)
        # Each case was tested four times: that much is known from the sizes.
        assert row.pooled_standard_error == pytest.approx(
            same.pooled_standard_error, rel=0.01
        )


def test_mean_of_repeats_by_hand():
    values = np.random.default_rng(0).uniform(0.6, 0.9, 12)
    results = {
        "test_auc": values,
        "test_auc_standard_error": np.full(12, 0.06),
        "test_n_pos": np.full(12, 10),
        "test_n_neg": np.full(12, 40),
    }
    (row,) = summarize(results, repeats=3)
    # Four folds a repeat: n_test / n_train is 1 / 3.
    variance = (1 / 12 + 1 / 3) * np.var(values, ddof=1)
    assert row.standard_error == pytest.approx(np.sqrt(variance))
    assert row.pooled_standard_error == pytest.approx(0.06 / np.sqrt(4))
    results["test_auc"] = np.where(np.arange(12) == 5, np.nan, values)
    results["test_auc_standard_error"] = np.repeat([0.06, 0.06, 0.12], 4)
    (row,) = summarize(results, repeats=3)
    # Eleven folds, of which the second repeat has three.
    expected = (0.06 * (np.sqrt(4) + np.sqrt(3)) + 0.12 * np.sqrt(4)) / 11
    assert row.pooled_standard_error == pytest.approx(expected)


def test_many_flat_folds_are_warned_of_unless_something_tells():
    results = {"test_auc": np.linspace(0.6, 0.8, 20)}
    with pytest.warns(UserWarning, match=r"20 flat scores, .* = 1/19.*repeats="):
        summarize({"a": results, "b": results})
    for kwargs in ({"repeats": 4}, {"repeats": 1}, {"n_train": 120, "n_test": 30}):
        summarize(results, **kwargs)
    summarize({"test_auc": np.linspace(0.6, 0.8, 10)})
    # Models have folds of their own.
    few, many = (results_of(KFold(n), return_indices=True) for n in (5, 15))
    table = summarize({"few": few, "many": many})
    assert [row.n_folds for row in table] == [5, 5, 15, 15]


@looped(
    "kwargs, message",
    [
        ({"repeats": 2}, "repeats=2 does not divide the 3 folds"),
        ({"repeats": 3}, "n_train and n_test are needed where there is one fold"),
        ({"n_train": 3}, "n_test is missing"),
    ],
)
def test_bad_designs_are_named(kwargs, message):
    with pytest.raises(ValueError, match=message):
        interval_of(WIDE, **kwargs)
