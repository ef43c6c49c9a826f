"""Mean and variance of the AUC for a known number of errors."""

from fractions import Fraction

import pytest

from looped import looped
from reference.error_enumeration import auc_counts, moments, moments_by_counting
from skrate.error_rate import auc_moments, auc_range_from_errors

SIZES = [(m, n) for m in range(1, 9) for n in range(1, 10 - m)]


def test_enumeration_of_three_cases():
    # The oracle itself, on the case worked out above.
    half = Fraction(1, 2)
    assert auc_counts(2, 1, 1) == {Fraction(1): 2, half: 2, Fraction(0): 1}


@looped("n_pos, n_neg", SIZES)
def test_equals_enumeration_of_all_rankings_and_thresholds(n_pos, n_neg):
    for n_errors in range(n_pos + n_neg + 1):
        mean, variance = moments(auc_counts(n_pos, n_neg, n_errors))
        found = auc_moments(n_pos, n_neg, n_errors)
        assert found.mean == pytest.approx(float(mean), abs=1e-15)
        assert found.variance == pytest.approx(float(variance), abs=1e-15)


@looped("n_pos, n_neg", [(1, 4), (3, 3), (4, 2), (2, 6)])
def test_equals_enumeration_given_both_kinds_of_errors(n_pos, n_neg):
    for false_pos in range(n_neg + 1):
        for false_neg in range(n_pos + 1):
            counts = auc_counts(n_pos, n_neg, errors_apart=(false_pos, false_neg))
            mean, variance = moments(counts)
            found = auc_moments(
                n_pos, n_neg, n_false_pos=false_pos, n_false_neg=false_neg
            )
            assert found.mean == pytest.approx(float(mean), abs=1e-15)
            assert found.variance == pytest.approx(float(variance), abs=1e-15)


def test_counting_oracle_equals_enumeration():
    for n_pos, n_neg in [(1, 3), (3, 2), (2, 5)]:
        for n_errors in range(n_pos + n_neg + 1):
            exact = moments(auc_counts(n_pos, n_neg, n_errors))
            assert moments_by_counting(n_pos, n_neg, n_errors) == exact


@looped(
    "n_pos, n_neg, n_errors",
    [(300_000, 700_000, 300), (999_000, 1_000, 250), (900, 1_100, 1_500)],
)
def test_keeps_twelve_digits_on_large_samples(n_pos, n_neg, n_errors):
    mean, variance = moments_by_counting(n_pos, n_neg, n_errors)
    found = auc_moments(n_pos, n_neg, n_errors)
    assert found.mean == pytest.approx(float(mean), rel=1e-12)
    assert found.variance == pytest.approx(float(variance), rel=1e-12)


@looped(
    "arguments, message",
    [
        ({"n_pos": 2.0, "n_neg": 3, "n_errors": 1}, "n_pos"),
        ({"n_pos": 2, "n_neg": "3", "n_errors": 1}, "n_neg"),
        ({"n_pos": 0, "n_neg": 3, "n_errors": 1}, r"n_pos.*1"),
        ({"n_pos": 2, "n_neg": 3, "n_errors": -1}, r"n_errors.*0"),
        ({"n_pos": 2, "n_neg": 3, "n_errors": [1, 6]}, r"n_pos.*5.*6"),
        ({"n_pos": 2, "n_neg": 3}, "n_errors"),
        ({"n_pos": 2, "n_neg": 3, "n_false_pos": 1}, "n_errors"),
        (
            {"n_pos": 2, "n_neg": 3, "n_false_pos": 4, "n_false_neg": 0},
            r"n_false_pos.*n_neg",
        ),
        (
            {"n_pos": 2, "n_neg": 3, "n_false_pos": 0, "n_false_neg": 3},
            r"n_false_neg.*n_pos",
        ),
        ({"n_pos": [2, 3], "n_neg": [3, 4, 5], "n_errors": 1}, "broadcast"),
    ],
)
def test_refuses_impossible_counts(arguments, message):
    with pytest.raises(ValueError, match=message):
        auc_moments(**arguments)


def test_the_possible_range_of_large_counts():
    # The worst ranking has 0.8 x 0.9 of the pairs in order, the best all but 0.2 x 0.1.
    for n in (10, 10**9, 10**10, 10**12):
        found = auc_range_from_errors(n, n, n_false_pos=n // 10, n_false_neg=n // 5)
        assert found.possible == pytest.approx((0.72, 0.98), rel=1e-14)
    with pytest.raises(ValueError, match=rf"method='exact'.*{10**18}"):
        auc_range_from_errors(10**9, 10**9, 10, method="exact")


def test_more_splits_than_fit_in_memory_raise():
    for function in (auc_moments, auc_range_from_errors):
        with pytest.raises(ValueError, match="n_errors=1000000000 has"):
            function(10**9, 10**9, 10**9)
        apart = function(10**9, 10**9, n_false_pos=5 * 10**8, n_false_neg=5 * 10**8)
        assert apart.mean == pytest.approx(0.5)
