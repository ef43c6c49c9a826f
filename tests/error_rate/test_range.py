"""Which AUCs a confusion matrix allows."""

from math import sqrt

import numpy as np
import pytest

from looped import looped
from reference.error_enumeration import auc_counts
from skrate.error_rate import auc_range_from_errors
from skrate.error_rate.moments import auc_probabilities

SIZES = [(1, 1), (1, 6), (2, 3), (4, 4), (6, 2)]


def shares(counts, pairs):
    """Enumerated counts as probabilities of 0, ..., pairs in order."""
    result = np.zeros(pairs + 1)
    for auc, count in counts.items():
        result[int(auc * pairs)] = count / sum(counts.values())
    return result


@looped("n_pos, n_neg", SIZES)
def test_exact_distribution_equals_enumeration(n_pos, n_neg):
    for n_errors in range(n_pos + n_neg + 1):
        expected = shares(auc_counts(n_pos, n_neg, n_errors), n_pos * n_neg)
        found = auc_probabilities(n_pos, n_neg, n_errors)
        np.testing.assert_allclose(found, expected, atol=1e-15)


@looped("n_pos, n_neg", SIZES)
def test_exact_distribution_given_both_kinds_equals_enumeration(n_pos, n_neg):
    for false_pos in range(n_neg + 1):
        for false_neg in range(n_pos + 1):
            counts = auc_counts(n_pos, n_neg, errors_apart=(false_pos, false_neg))
            found = auc_probabilities(n_pos, n_neg, false_pos, false_neg)
            expected = shares(counts, n_pos * n_neg)
            np.testing.assert_allclose(found, expected, atol=1e-15)


def test_exact_tails_are_as_large_as_allowed():
    found = auc_range_from_errors(8, 9, 6, 0.9)
    p = auc_probabilities(8, 9, 6)
    low, high = (round(end * 72) for end in found.range)
    assert p[:low].sum() <= 0.05 < p[: low + 1].sum()
    assert p[high + 1 :].sum() <= 0.05 < p[high:].sum()


def test_moments_interval_is_chebyshevs():
    found = auc_range_from_errors(500, 400, 200, 0.75, method="moments")
    reach = found.standard_deviation / sqrt(0.25)
    assert found.range.low == pytest.approx(found.mean - reach)
    assert found.range.high == pytest.approx(found.mean + reach)


@looped(
    "n_pos, n_neg, method",
    [(100, 100, "exact"), (100, 101, "moments"), (1, 10_000, "exact")],
)
def test_says_which_method_it_took(n_pos, n_neg, method):
    assert auc_range_from_errors(n_pos, n_neg, 5).method == method


@looped(
    "arguments, message",
    [
        ((0, 3, 1), r"n_pos.*1"),
        ((2, 3.0, 1), r"n_neg.*1"),
        ((2, 3, -1), r"n_errors.*0"),
        ((2, 3, 6), "n_errors"),
        ((2, 3), "n_errors"),
        ((2, 3, 1, 1.0), "share"),
    ],
)
def test_refuses_impossible_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        auc_range_from_errors(*arguments)
    with pytest.raises(ValueError, match="method"):
        auc_range_from_errors(2, 3, 1, method="normal")
