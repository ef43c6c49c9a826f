"""Paired tests over folds, against scipy and by hand."""

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from skrate import compare_folds

A = [0.81, 0.78, 0.84, 0.80, 0.79]
B = [0.78, 0.77, 0.79, 0.79, 0.76]


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_paired_is_the_t_test_of_scipy(alternative):
    found = compare_folds(A, B, method="paired", alternative=alternative)
    expected = stats.ttest_rel(A, B, alternative=alternative)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.pvalue == pytest.approx(expected.pvalue)
    interval = stats.ttest_rel(A, B).confidence_interval(0.95)
    assert found.confidence_interval == pytest.approx((interval.low, interval.high))


def test_corrected_by_hand():
    # Differences 3, 1, 5, 1, 3 hundredths: mean 2.6, variance 2.8.
    found = compare_folds(A, B)
    expected = np.sqrt((1 / 5 + 1 / 4) * 2.8) / 100
    assert found.standard_error == pytest.approx(expected)
    assert found.statistic == pytest.approx(0.026 / expected)
    assert found.pvalue == pytest.approx(2 * stats.t.sf(0.026 / expected, 4))
    assert found.values == pytest.approx((0.804, 0.778))


def test_sizes_say_what_the_folds_do_not():
    found = compare_folds(A, B, n_train=90, n_test=10)
    expected = np.sqrt((1 / 5 + 1 / 9) * 2.8) / 100
    assert found.standard_error == pytest.approx(expected)


def test_repetitions_are_rows():
    a, b = np.reshape([*A, *B], (2, 5)), np.zeros((2, 5))
    found = compare_folds(a, b)
    variance = np.var(a, ddof=1)
    # Ten values, of five folds each: n_test / n_train is 1 / 4 all the same.
    assert found.standard_error == pytest.approx(np.sqrt((1 / 10 + 1 / 4) * variance))


def test_undefined_folds_are_left_out_with_a_warning():
    with pytest.warns(UndefinedMetricWarning, match="1 of 6 folds are left out"):
        found = compare_folds([*A, np.nan], [*B, 0.5], n_train=4, n_test=1)
    assert found == compare_folds(A, B, n_train=4, n_test=1)


def test_equal_scores_do_not_differ():
    found = compare_folds(A, A)
    assert (found.difference, found.pvalue) == (0, 1)


def test_equal_differences_have_no_p_value():
    with pytest.warns(UndefinedMetricWarning, match="differences are equal"):
        found = compare_folds([0.5, 0.75], [0.25, 0.5])
    assert np.isnan(found.pvalue)


@pytest.mark.parametrize(
    ("a", "b", "kwargs", "message"),
    [
        (A, B[:4], {}, r"found shapes \(5,\) and \(4,\)"),
        (A[:1], B[:1], {}, "a must hold one score per fold"),
        (A, B, {"n_train": 10}, "n_test is missing"),
        (A, B, {"n_test": 10}, "n_train is missing"),
        (A, B, {"n_test": 10, "n_train": 0}, "n_train must be a finite number above 0"),
        (A, B, {"method": "wilcoxon"}, "method must be one of"),
        (A, B, {"alternative": "more"}, "alternative must be one of"),
        (A, B, {"confidence_level": 0}, "confidence_level"),
        ([0.1, np.nan], [0.1, 0.2], {}, "defined on 1 of 2 folds"),
        (np.ones((3, 1)), np.ones((3, 1)), {}, "one fold per repetition"),
    ],
)
def test_bad_input_is_named(a, b, kwargs, message):
    with pytest.raises(ValueError, match=message):
        compare_folds(a, b, **kwargs)
