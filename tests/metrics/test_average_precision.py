"""Average precision."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from guarantees import assert_share, held, simulated
from looped import looped
from metric_cases import Case
from reference import tables
from skrate import FoldRankings, RankTable, average_precision_score, estimate
from skrate.metrics.average_precision import precision_excess
from strategies import ranked_samples

CASES = [
    Case(
        "average precision",
        average_precision_score,
        constant=lambda p: p,
        worst=None,
        oracle=tables.average_precision,
        slopes="smooth",
    ),
    Case(
        "average precision at a prevalence",
        average_precision_score,
        {"prevalence": 0.02},
        constant=lambda p: 0.02,
        worst=None,
        oracle=tables.average_precision,
        needs_negatives=True,
    ),
    Case(
        "adjusted average precision",
        average_precision_score,
        {"adjusted": True},
        constant=lambda p: 0.0,
        worst=None,
        oracle=tables.average_precision,
        slopes="smooth",
        needs_negatives=True,
    ),
    *(
        Case("one in five", average_precision_score, kwargs, slopes="smooth")
        for kwargs in ({"prevalence": 0.2}, {"adjusted": True, "prevalence": 0.2})
    ),
]
BY_HAND = [
    ([1, 0], [2, 1], {}, 1.0),
    ([0, 1], [2, 1], {}, 1 / 2),
    ([1, 0, 1], [3, 2, 1], {}, (1 + 2 / 3) / 2),
    ([1, 0, 1, 0], [2, 1, 1, 0], {}, (1 + 2 / 3) / 2),
    ([1, 0, 0, 0], [1, 1, 1, 1], {}, 1 / 4),
    ([1, 1], [1, 2], {}, 1.0),
    ([0, 1], [2, 1], {"sample_weight": [3, 1]}, 1 / 4),
    ([0, 1], [2, 1], {"prevalence": 0.1}, 0.1),
    ([1, 0, 1, 0], [4, 3, 2, 1], {"prevalence": 0.2}, (1 + 2 / (2 + 4)) / 2),
    ([1, 0], [2, 1], {"adjusted": True}, 1.0),
    ([1, 0, 0], [1, 1, 1], {"adjusted": True}, 0.0),
    ([0, 1, 0], [1, 1, 1], {"adjusted": True, "prevalence": 0.01}, 0.0),
    ([0, 0, 1, 0], [4, 3, 2, 1], {"adjusted": True}, (1 / 3 - 1 / 4) / (3 / 4)),
]  # fmt: skip


@looped("y_true, y_score, options, expected", BY_HAND)
def test_by_hand(y_true, y_score, options, expected):
    score = average_precision_score(y_true, y_score, **options)
    assert type(score) is float
    assert score == pytest.approx(expected, abs=1e-15)


@given(ranked_samples(n_scores=40, max_size=12), st.sampled_from([2, 10, 100]))
def test_prevalence_equals_copied_negatives(sample, copies):
    repeats = np.where(sample.y_true == 1, 1, copies)
    y_true, y_score = (np.repeat(part, repeats) for part in sample[:2])
    at_prevalence, adjusted = (
        average_precision_score(
            sample.y_true, sample.y_score, prevalence=y_true.mean(), adjusted=adjusted
        )
        for adjusted in (False, True)
    )
    copied = average_precision_score(y_true, y_score)
    assert at_prevalence == pytest.approx(copied, abs=1e-12)
    copied = average_precision_score(y_true, y_score, adjusted=True)
    assert adjusted == pytest.approx(copied, abs=1e-12)


def drawn(seed, n_pos=60, n_neg=80, shift=1.0, decimals=9):
    rng = np.random.default_rng(seed)
    y_true = np.repeat([1, 0], [n_pos, n_neg])
    return y_true, np.round(rng.normal(size=len(y_true)) + shift * y_true, decimals)


def reference(y_true, y_score, weights, **options):
    groups = tables.Groups(y_true.tolist(), y_score.tolist(), weights.tolist())
    return tables.average_precision(groups, **options)


@looped("prevalence", [0.3, 0.01, 1e-6])
@looped("adjusted", [False, True])
@looped("decimals", [0, 9])
def test_weights_at_a_prevalence_have_the_value_and_error_of_the_definition(
    prevalence, adjusted, decimals
):
    y_true, y_score = drawn(decimals, 8, 14, decimals=decimals)
    weights = np.random.default_rng(1).random(len(y_true)) * 2 + 0.1
    options = {"prevalence": prevalence, "adjusted": adjusted}
    value = reference(y_true, y_score, weights, **options)
    found = average_precision_score(y_true, y_score, sample_weight=weights, **options)
    assert found == pytest.approx(value, abs=1e-12)
    result = estimate(
        average_precision_score, y_true, y_score,
        sample_weight=weights, weights="sampling", **options,
    )  # fmt: skip
    assert result.value == pytest.approx(value, abs=1e-12)
    # The variance is the sum of (w dAP / dw)^2, by central differences.
    squares = 0.0
    for i, weight in enumerate(weights):
        step = np.zeros(len(weights))
        step[i] = 1e-4 * weight
        high, low = (
            reference(y_true, y_score, weights + sign * step, **options)
            for sign in (1, -1)
        )
        squares += ((high - low) / 2e-4) ** 2
    assert result.standard_error == pytest.approx(math.sqrt(squares), rel=1e-6)


def negatives_named(call, *data, **options):
    """Return the number of negatives that a warning says are needed, or None."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*data, **options)
    messages = [str(one.message) for one in caught if "collect about" in str(one)]
    assert len(messages) <= 1
    if not messages:
        return None
    assert caught[0].filename == __file__
    return messages[0].split("about ")[1].split(" ")[0]


# Positives below 0, 0, 2 and 3 of 8 negatives; below 0, 3 and 3 of 8 negatives.
TWO_ON_TOP, ONE_ON_TOP = (
    np.array([1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]),
    np.array([1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]),
)


def by_hand(call, y_true, prevalence, **options):
    y_score = -np.arange(len(y_true))
    return negatives_named(call, y_true, y_score, prevalence=prevalence, **options)


@looped(
    "y_true, prevalence, expected",
    [
        # Precisions 1, 1, 1 / 4 and 8 / 35: a share of 2.25 / 2.479 > 8 / 9.
        (TWO_ON_TOP, 1 / 10, "90"),
        # 1, 1, 3 / 7 and 2 / 5: a share of 0.86 < 0.9.
        (TWO_ON_TOP, 1 / 5, None),
        # 1, 1 / 10 and 1 / 7: a share of 0.8 > 8 / 16.
        (ONE_ON_TOP, 1 / 17, "160"),
        # 1, 0.165 and 8 / 35: a share of 0.72 < 8 / 9.
        (ONE_ON_TOP, 1 / 10, None),
    ],
)
def test_the_warning_by_hand(y_true, prevalence, expected):
    assert by_hand(average_precision_score, y_true, prevalence) == expected


def jackknife_bias(samples, prevalence):
    """Return (m - 1) times (mean without one case - value), summed over the classes.

    Each of the m cases of a class is left out in turn, at the same prevalence.
    """

    def value(kept):
        groups = tables.Groups(*zip(*kept, strict=True))
        return tables.average_precision(groups, prevalence)

    total = 0.0
    for label in (0, 1):
        places = [i for i, (y, _) in enumerate(samples) if y == label]
        changes = [
            value(samples[:i] + samples[i + 1 :]) - value(samples) for i in places
        ]
        total += (len(places) - 1) * sum(changes) / len(places)
    return total


@looped("prevalence", [0.02, 0.3, 0.9])
@looped("seed", range(12))
def test_it_is_what_leaving_out_each_case_in_turn_gives(seed, prevalence):
    rng = np.random.default_rng(seed)
    y_true = np.repeat([1, 0], [2 + seed % 6, 2 + seed % 9])
    y_score = rng.integers(3 + seed, size=len(y_true)) + y_true
    table = RankTable.from_arrays(y_true, y_score)
    samples = list(zip(y_true.tolist(), y_score.tolist(), strict=True))
    expected = jackknife_bias(samples, prevalence)
    # Sums of some ten terms, times the number of cases.
    assert precision_excess(table, prevalence) == pytest.approx(expected, abs=1e-13)


def test_the_bias_by_hand():
    # 1 and 2 / 3, on average 5 / 6. Without either positive 5 / 6 again, as negatives
    # then weigh half; without the first negative 1, without the second (1 + 1 / 2) / 2.
    table = RankTable([1, 0, 1, 0], [0, 1, 0, 1])
    assert precision_excess(table, 0.5) == pytest.approx(1 / 24, abs=1e-15)


def test_one_case_of_a_class_does_not_tell():
    assert np.isnan(precision_excess(RankTable([1, 0], [1, 3]), 0.2))
    assert np.isnan(precision_excess(RankTable([2, 3], [1, 0]), 0.8))


def folds_of(rng, n_folds, n_pos, n_neg, distribution):
    y_true = np.tile(np.repeat([1, 0], [n_pos, n_neg]), n_folds)
    y_score = distribution.rvs(len(y_true), random_state=rng) + 2.0 * y_true
    return FoldRankings(y_true, y_score, np.repeat(np.arange(n_folds), n_pos + n_neg))


def test_the_value_stays_the_mean_of_folds_and_the_interval_allows_for_the_bias():
    rankings = folds_of(np.random.default_rng(0), 6, 8, 60, stats.norm())
    result = estimate("average_precision", rankings)
    assert result.value == average_precision_score(rankings)
    biases = [precision_excess(table, 8 / 68) for table in rankings.tables()]
    assert result.bias == pytest.approx(np.mean(biases), rel=1e-13)
    assert result.bias > 0
    low, high = result.confidence_interval
    # About the corrected value, and still around the value.
    assert (low + high) / 2 < result.value - result.bias
    assert low < result.value <= high
    # One ranking, and what has no such bias, say nothing of it.
    one = FoldRankings(rankings.y_true, rankings.y_score, np.zeros(len(rankings.fold)))
    assert estimate("average_precision", one).bias is None
    assert estimate("roc_auc", rankings).bias is None


@pytest.mark.slow
@looped("n_pos", [5, 20])
@looped("distribution", [stats.norm(), stats.t(3)])
def test_intervals_of_folds_hold_the_average_precision_of_many_cases(
    distribution, n_pos
):
    rng = np.random.default_rng(n_pos)

    def precision(recall):
        return (
            0.1
            * recall
            / (0.1 * recall + 0.9 * distribution.sf(2 + distribution.isf(recall)))
        )

    def drawn(_):
        rankings = folds_of(rng, 5, n_pos, 9 * n_pos, distribution)
        return estimate("average_precision", rankings, stratify=True)

    truth = integrate.quad(precision, 0, 1, limit=200)[0]
    assert_share(held(simulated(400, drawn), truth), at_least=0.9)
