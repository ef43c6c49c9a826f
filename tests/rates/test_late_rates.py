"""Rates next to 1, counted from the other end, and laws that are none."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from skrate import (
    convert_rauc,
    estimate,
    group_scores,
    rate_weighted_auc_score,
    rates,
)
from skrate.data.table import rank_table
from skrate.rates.laws import check_rate

LABELS = np.array([0, 1, 0, 1, 0, 0, 1])
SCORES = np.array([1.0, 1, 1, 0, 2, 0, 0])
# Only who is last counts, a negative (the best) or a positive (the worst). Of the three
# cases that tie for the place one is negative.
LAST = 1 / 3
NEXT_TO_1 = [
    rates.fixed(1 - 1e-9),
    rates.fixed(1 - 1e-12),
    rates.fixed(1 - 1e-13),
    rates.fixed(np.nextafter(1, 0)),
    rates.beta(3e9, 3),
    rates.beta(3e14, 3),
    rates.interval(1 - 1e-12, 1),
    rates.empirical([1, 1 - 1e-12]),
    rates.mixture([1, rates.fixed(1 - 1e-9), rates.beta(3e9, 3)]),
    check_rate(stats.norm(1 - 1e-9, 1e-10)),
    check_rate(stats.norm(1, 1e-12)),
]
next_to_1 = pytest.mark.parametrize("rate", NEXT_TO_1, ids=repr)


@next_to_1
def test_the_rauc_of_a_rate_next_to_1_is_exact(rate):
    found = rate_weighted_auc_score(LABELS, SCORES, rate=rate)
    assert found == pytest.approx(LAST, rel=1e-14)
    weights = np.ones(7)
    found = rate_weighted_auc_score(LABELS, SCORES, rate=rate, sample_weight=weights)
    assert found == pytest.approx(LAST, rel=1e-14)


@pytest.mark.filterwarnings("ignore:The rAUC .* depends on the best:UserWarning")
@next_to_1
def test_lists_and_intervals_see_the_same_next_to_1(rate):
    groups = np.repeat([3, 1], 7)
    lists = group_scores(
        rate_weighted_auc_score,
        np.tile(LABELS, 2),
        np.append(SCORES, -SCORES),
        groups=groups,
        rate=rate,
    )
    # Of the negated scores the last is a negative that ties with none: nothing is lost.
    by_list = dict(zip(lists.groups.tolist(), lists.values.tolist(), strict=True))
    assert by_list == pytest.approx({3: LAST, 1: 1.0}, rel=1e-14)
    result = estimate(rate_weighted_auc_score, LABELS, SCORES, rate=rate)
    mirrored = estimate(
        rate_weighted_auc_score, 1 - LABELS, -SCORES, rate=check_rate(rate).mirrored
    )
    assert result.value == pytest.approx(LAST, rel=1e-14)
    assert result.standard_error == pytest.approx(mirrored.standard_error, rel=1e-6)


def test_a_beta_next_to_1_is_as_exact_as_its_mirror_image_next_to_0():
    rng = np.random.default_rng(0)
    labels, scores = rng.random(500) < 0.3, rng.integers(0, 60, 500)
    for a, b in [(3, 2), (30, 2.5), (3e3, 3), (3e5, 0.5)]:
        found = rate_weighted_auc_score(labels, scores, rate=rates.beta(a, b))
        mirror = rate_weighted_auc_score(~labels, -scores, rate=rates.beta(b, a))
        assert found == mirror


LAWS = [
    rates.beta(9, 2),
    rates.fixed(0.75),
    rates.interval(0.5, 0.875),
    rates.empirical([0.25, 1, 0.875], [1, 2, 5]),
    rates.log_discount(3, base=1.5),
    rates.exponential(0.2),
    rates.mixture([0.75, rates.beta(9, 2)], [1, 3]),
    check_rate(stats.norm(0.8, 0.2)),
    check_rate(stats.triang(0.75, 0.25, 0.5)),
]


@pytest.mark.parametrize("rate", LAWS, ids=repr)
def test_the_mirrored_distribution_is_that_of_1_minus_the_rate(rate):
    x = np.array([0.03, 0.22, 0.41, 0.6, 0.81, 0.97])
    below = 1 - rate.mirrored.survival(1 - x)
    assert_allclose(below, rate.survival(x), rtol=0, atol=1e-12)
    assert_allclose(rate.mirrored.mean(), 1 - rate.mean(), rtol=1e-12)
    assert_allclose(rate.mirrored.mirrored.mean(), rate.mean(), rtol=1e-12)


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4, 5, 6, 7]])
def test_the_mirrored_table_is_that_of_swapped_classes_and_negated_scores(weights):
    table = rank_table(LABELS, SCORES, weights).mirrored
    assert table.thresholds is None
    expected = rank_table(1 - LABELS, -SCORES, weights)
    assert table.pos.tolist() == expected.pos.tolist()
    assert table.neg.tolist() == expected.neg.tolist()
    assert table.n_groups == 3


def test_recall_converts_to_the_rauc_next_to_1():
    # At a prevalence of 1/2, what lacks to 1 is 0 for the best and 2e for the worst.
    lacking = 2.0**-40
    rate = rates.fixed(1 - lacking)
    recall = 1 - Fraction(1, 2) * Fraction(2 * lacking)
    found = convert_rauc(float(recall), to="rauc", rate=rate, prevalence=0.5)
    assert found == 0.5
    assert convert_rauc(0.5, to="expected_recall", rate=rate, prevalence=0.5) == float(
        recall
    )


def test_a_rate_next_to_1_is_not_called_1():
    assert repr(rates.fixed(1 - 1e-9)) == "fixed(0.999999999)"


class Rising(stats.rv_continuous):
    def _sf(self, x):
        return 0.5 + 0.25 * np.sin(20 * x)


class Above(stats.rv_continuous):
    def _sf(self, x):
        return 1.5 * (1 - x)


@pytest.mark.parametrize(
    ("frozen", "what"),
    [
        (stats.vonmises(4, 0.5, 0.05), r"not in \[0, 1\]"),
        (Above()(), r"not in \[0, 1\]"),
        (Rising()(), "it rises"),
    ],
)
def test_what_is_no_survival_function_is_refused(frozen, what):
    message = f"no valid survival function: .*{what}"
    with pytest.raises(ValueError, match=message):
        rates.mixture([frozen])
    with pytest.raises(ValueError, match=message):
        rate_weighted_auc_score(LABELS, SCORES, rate=frozen)


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (rates.from_budget(100, 5_000_000, (1, 5)),
         "0.00105 % of the cases will be processed on average, between 0.000400 % and "
         "0.00200 % with probability 0.95"),
        (rates.fixed(0.16), "16.0 % of the cases will be processed"),
        (rates.fixed(1e-9), "1.00e-07 % of the cases will be processed"),
        (rates.fixed(0.9999), "99.990 % of the cases will be processed"),
        (rates.fixed(1), "100.0 % of the cases will be processed"),
    ],
)  # fmt: skip
def test_a_rate_in_words_keeps_digits_of_any_size(rate, words):
    assert rate.describe() == words
