"""Negative recall: by hand, and as the mean over all orders of tied cases."""

from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given

from metric_cases import Case
from reference import tables
from reference.rate_law import Points
from skrate import (
    expected_recall_from_rauc,
    expected_recall_score,
    negative_recall_score,
    rate_weighted_auc_score,
    rates,
)
from strategies import ranked_samples

BETA = rates.beta(3, 19)


def oracle(groups, rate):
    """Return what is left of the negatives by the expected recall of these, turned."""
    law = Points(np.array([rate]), np.ones(1))
    return 1 - tables.expected_recall(groups, law, "negatives")


CASES = [
    Case(
        "negative recall",
        negative_recall_score,
        {"rate": 0.25},
        constant=lambda p: 0.25,
        perfect=lambda p: max(0, (0.25 - p) / (1 - p)),
        worst=lambda p: min(1, 0.25 / (1 - p)),
        oracle=oracle,
        slopes="jump",
        needs_positives=False,
        needs_negatives=True,
    ),
    Case("by a beta", negative_recall_score, {"rate": BETA}, slopes="smooth"),
]


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        pytest.param(1 / 4, 0, id="the first is positive"),
        pytest.param(1 / 2, 1 / 2, id="the second is one of two negatives"),
        pytest.param(3 / 8, 1 / 4, id="half of the second"),
        pytest.param(1, 1, id="all"),
        pytest.param("uniform", (5 / 8 + 1 / 8) / 2, id="places 2 and 4 of 4"),
    ],
)
def test_by_hand(rate, expected):
    found = negative_recall_score([1, 0, 1, 0], [4, 3, 2, 1], rate=rate)
    assert found == pytest.approx(expected, abs=1e-15)


def test_ties_are_the_mean_over_all_orders():
    y_true, y_score, n_seen = [1, 0, 0, 1, 0], [2, 2, 1, 1, 1], 3
    orders = [
        order
        for order in permutations(range(5))
        if all(y_score[a] >= y_score[b] for a, b in pairwise(order))
    ]
    lost = [sum(1 - y_true[case] for case in order[:n_seen]) for order in orders]
    expected = Fraction(sum(lost), 3 * len(orders))
    found = negative_recall_score(y_true, y_score, rate=n_seen / 5)
    assert found == pytest.approx(float(expected), abs=1e-15)


@given(ranked_samples(both_classes=True))
def test_it_is_what_the_expected_recall_of_the_negatives_leaves(sample):
    y_true, y_score, _ = sample
    left = expected_recall_score(y_true, y_score, rate=BETA, of="negatives")
    found = negative_recall_score(y_true, y_score, rate=BETA)
    assert found == pytest.approx(1 - left, abs=1e-14)


# --- Theorems 5 and 6 of Millard, Flach and Higgins, for the negatives ---------------


def spared(y_true, y_score, rate):
    """Return 1 - F1, the share of the negatives that a known rate spares."""
    return 1 - negative_recall_score(y_true, y_score, rate=rate)


@pytest.mark.parametrize("seed", range(4))
def test_the_rauc_is_the_same_in_the_space_of_the_negatives(seed):
    generator = np.random.default_rng(seed)
    y_true = (generator.random(40) < 0.3).astype(int)
    y_score = generator.normal(size=40).round(1) + y_true
    known = generator.random(6)
    rest = np.mean(y_true == 0)
    # Each rate as probable as another: the weighted areas are means over them.
    above, whole = 0.0, 0.0
    for rate in known.tolist():
        most, least = min(1, (1 - rate) / rest), max(0, 1 - rate / rest)
        above += spared(y_true, y_score, rate) - least
        whole += most - least
    rauc = rate_weighted_auc_score(y_true, y_score, rate=rates.empirical(known))
    assert rauc == pytest.approx(above / whole, abs=1e-12)


@pytest.mark.parametrize("rate", [BETA, 0.3, "uniform"], ids=repr)
def test_the_rauc_says_how_many_negatives_are_spared(rate):
    generator = np.random.default_rng(0)
    y_true = (generator.random(60) < 0.2).astype(int)
    y_score = generator.normal(size=60) + y_true
    rauc = rate_weighted_auc_score(y_true, y_score, rate=rate)
    # Those that are spared are what the rest of the ranking finds, from its end.
    rest = rates.beta(19, 3) if rate is BETA else 0.7 if rate == 0.3 else rate
    expected = expected_recall_from_rauc(
        rauc, rate=rest, prevalence=float(np.mean(y_true == 0))
    )
    found = expected_recall_score(y_true, y_score, rate=rate, of="negatives")
    assert found == pytest.approx(expected, abs=1e-10)
    assert found == pytest.approx(1 - negative_recall_score(y_true, y_score, rate=rate))
