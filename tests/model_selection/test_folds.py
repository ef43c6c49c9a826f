"""Paired tests over folds, against scipy and by hand."""

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from looped import looped
from skrate import FoldRankings, compare_folds

A = [0.81, 0.78, 0.84, 0.80, 0.79]
B = [0.78, 0.77, 0.79, 0.79, 0.76]


@looped("alternative", ["two-sided", "less", "greater"])
def test_paired_is_the_t_test_of_scipy(alternative):
    found = compare_folds(A, B, method="paired", alternative=alternative)
    expected = stats.ttest_rel(A, B, alternative=alternative)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.pvalue == pytest.approx(expected.pvalue)
    assert found.confidence_interval == pytest.approx(expected.confidence_interval())


def test_flat_scores_of_repeats_are_warned_of():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.6, 0.8, (2, 20, 5))
    message = r"shape \(n_repeats, n_folds\).*100 scores"
    with pytest.warns(UserWarning, match=message) as caught:
        flat = compare_folds(a.ravel(), b.ravel())
    assert caught[0].filename == __file__
    told = compare_folds(a.ravel(), b.ravel(), n_train=80, n_test=20)
    assert told == compare_folds(a, b)
    assert told.standard_error > 3 * flat.standard_error


def test_scores_that_say_where_they_come_from_are_not():
    a, b = np.random.default_rng(0).uniform(0.6, 0.8, (2, 100))
    compare_folds(a[:10], b[:10])
    for shape in ((1, 100), (20, 5)):
        compare_folds(a.reshape(shape), b.reshape(shape))
    for kwargs in ({"n_train": 80, "n_test": 20}, {"method": "paired"}):
        compare_folds(a, b, **kwargs)


def test_what_is_undefined_is_told():
    with pytest.warns(UndefinedMetricWarning, match="1 of 6"):
        found = compare_folds([*A, np.nan], [*B, 0.5], n_train=4, n_test=1)
    assert found == compare_folds(A, B, n_train=4, n_test=1)
    same = compare_folds(A, A)
    assert (same.value, same.pvalue) == (0, 1)
    with pytest.warns(UndefinedMetricWarning, match="p-value"):
        found = compare_folds([0.5, 0.75], [0.25, 0.5])
    assert np.isnan(found.pvalue)


RANKINGS = FoldRankings([0, 1, 0, 1], [1, 2, 3, 4], [0, 0, 1, 1])


@looped(
    "a, b, kwargs, message",
    [
        (A, B[:4], {}, r"\(5,\).*\(4,\)"),
        ({"test_score": A}, B, {}, "'test_score'"),
        ("roc_auc", {"a": A, "b": B}, {}, r"^a .*'roc_auc'"),
        (RANKINGS, RANKINGS, {}, r"^a .*FoldRankings.*compare\("),
        (A[:1], B[:1], {}, r"^a .*2.*\(1,\)"),
        (A, B, {"n_train": 10}, "n_test"),
        (A, B, {"n_test": 10}, "n_train"),
        (A, B, {"n_test": 10, "n_train": 0}, r"n_train.*0"),
        (A, B, {"method": "wilcoxon"}, "method"),
        (A, B, {"alternative": "more"}, "alternative"),
        (A, B, {"confidence_level": 0}, "confidence_level"),
        ([0.1, np.nan], [0.1, 0.2], {}, r"^a .*1 of 2"),
        (np.ones((3, 1)), np.ones((3, 1)), {}, r"n_train.*n_test"),
    ],
)
def test_bad_input_is_named(a, b, kwargs, message):
    with pytest.raises(ValueError, match=message):
        compare_folds(a, b, **kwargs)
