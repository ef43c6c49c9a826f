"""Average precision."""

import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, held, simulated
from looped import looped
from metric_cases import Case
from reference import tables
from skrate import FoldRankings, RankTable, average_precision_score, estimate
from skrate.metrics.average_precision import AveragePrecision, excess, precision_excess
from skrate.metrics.base import find_metric
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
        "average precision at a prevalence, as seen",
        average_precision_score,
        {"prevalence": 0.02, "tail": "empirical"},
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
        for kwargs in (
            {"prevalence": 0.2, "tail": "empirical"},
            {"adjusted": True, "prevalence": 0.2, "tail": "empirical"},
        )
    ),
    # Positives begin to count for the line at the third control.
    *(
        Case("one in ten", average_precision_score, kwargs, slopes="jump")
        for kwargs in ({"prevalence": 0.1}, {"adjusted": True, "prevalence": 0.1})
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


def empirical(table, prevalence=None):
    """Return the value of a table, with rates as they are seen."""
    return AveragePrecision(prevalence, tail="empirical").value(table)


@looped("y_true, y_score, options, expected", BY_HAND)
def test_by_hand(y_true, y_score, options, expected):
    score = average_precision_score(y_true, y_score, **options)
    assert type(score) is float
    assert score == pytest.approx(expected, abs=1e-15)


@looped("is_weighted", [False, True])
@looped("decimals", [1, 3, 15])
def test_is_scikit_learns_on_many_cases(decimals, is_weighted):
    rng = np.random.default_rng(decimals)
    y_true = rng.random(20_000) < 0.03
    y_score = np.round(rng.normal(size=20_000) + y_true, decimals)
    weights = rng.exponential(size=20_000) if is_weighted else None
    theirs, ours = (
        function(y_true, y_score, sample_weight=weights)
        for function in (
            sklearn.metrics.average_precision_score,
            average_precision_score,
        )
    )
    assert ours == pytest.approx(theirs, abs=1e-12)


@given(ranked_samples(n_scores=40, max_size=12), st.sampled_from([2, 10, 100]))
def test_prevalence_equals_copied_negatives(sample, copies):
    repeats = np.where(sample.y_true == 1, 1, copies)
    y_true, y_score = (np.repeat(part, repeats) for part in sample[:2])
    at_prevalence, adjusted = (
        average_precision_score(
            sample.y_true,
            sample.y_score,
            prevalence=y_true.mean(),
            adjusted=adjusted,
            tail="empirical",
        )
        for adjusted in (False, True)
    )
    copied = average_precision_score(y_true, y_score)
    assert at_prevalence == pytest.approx(copied, abs=1e-12)
    copied = average_precision_score(y_true, y_score, adjusted=True)
    assert adjusted == pytest.approx(copied, abs=1e-12)


@given(ranked_samples(weighted=True), st.floats(0.01, 0.99))
def test_prevalence_does_not_depend_on_that_of_the_sample(sample, prevalence):
    y_true, y_score, weights = sample
    first, second = (
        average_precision_score(
            y_true,
            y_score,
            prevalence=prevalence,
            tail="empirical",
            sample_weight=weight,
        )
        for weight in (weights, np.where(y_true == 1, 7 * weights, weights / 3))
    )
    assert first == pytest.approx(second, abs=1e-12)


@looped(
    "y_true, options, missing",
    [
        ([0, 0], {}, "positive"),
        ([0, 0], {"adjusted": True}, "positive"),
        ([0, 0], {"prevalence": 0.1}, "positive"),
        ([1, 1], {"adjusted": True}, "negative"),
        ([1, 1], {"prevalence": 0.1}, "negative"),
    ],
)
def test_undefined_is_nan_with_a_warning(y_true, options, missing):
    with pytest.warns(UndefinedMetricWarning, match=f"no {missing} case"):
        assert math.isnan(average_precision_score(y_true, [0.1, 0.2], **options))


def test_kernel_of_one_class_is_nan():
    assert math.isnan(empirical(RankTable([0, 0], [1, 2])))
    assert math.isnan(empirical(RankTable([1, 2], [0, 0]), 0.1))
    assert empirical(RankTable([1, 2], [0, 0])) == 1.0


@looped("prevalence", [0, 1, math.nan, "0.1", True])
def test_prevalence_outside_of_0_and_1_raises(prevalence):
    with pytest.raises(ValueError, match=r"prevalence must be a number in \(0, 1\)"):
        average_precision_score([0, 1], [0, 1], prevalence=prevalence)


def test_repetitions_are_told_by_a_table_at_a_prevalence():
    y_true = np.tile([0, 0, 1, 0, 1, 1, 0, 0, 0, 0], 2)
    y_score, weight = np.arange(20.0)[::-1], np.full(20, 3)
    options = {"prevalence": 0.1}
    expected = average_precision_score(y_true.repeat(3), y_score.repeat(3), **options)
    table = RankTable.from_arrays(y_true, y_score, sample_weight=weight)
    assert average_precision_score(table, **options) == pytest.approx(expected)
    assert estimate(average_precision_score, table, **options).value == (
        pytest.approx(expected)
    )
    with pytest.raises(ValueError, match=r"goes by numbers of cases.* RankTable"):
        estimate(
            average_precision_score, y_true, y_score, sample_weight=weight, **options
        )
    # Relative weights have no scale: these are as good as none.
    once = average_precision_score(y_true, y_score, **options)
    relative = average_precision_score(y_true, y_score, sample_weight=weight, **options)
    assert relative == once != pytest.approx(expected, rel=1e-3)


def jackknife_bias(cases, prevalence):
    """Return (m - 1) times (mean without one case - value), summed over the classes.

    Each of the m cases of a class is left out in turn, at the same prevalence.
    """

    def value(kept):
        groups = tables.Groups(*zip(*kept, strict=True))
        return tables.average_precision(groups, prevalence, tail="empirical")

    total = 0.0
    for label in (0, 1):
        places = [i for i, (y, _) in enumerate(cases) if y == label]
        changes = [value(cases[:i] + cases[i + 1 :]) - value(cases) for i in places]
        total += (len(places) - 1) * sum(changes) / len(places)
    return total


@looped("prevalence", [0.02, 0.3, 0.9])
@looped("seed", range(12))
def test_it_is_what_leaving_out_each_case_in_turn_gives(seed, prevalence):
    rng = np.random.default_rng(seed)
    y_true = np.repeat([1, 0], [2 + seed % 6, 2 + seed % 9])
    y_score = rng.integers(3 + seed, size=len(y_true)) + y_true
    table = RankTable.from_arrays(y_true, y_score)
    cases = list(zip(y_true.tolist(), y_score.tolist(), strict=True))
    expected = jackknife_bias(cases, prevalence)
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


def test_adjusted_it_has_the_scale_of_the_metric():
    table = RankTable([3, 2, 1], [1, 2, 6])
    plain, adjusted = (
        excess(find_metric(average_precision_score, {"adjusted": adjusted}), table)
        for adjusted in (False, True)
    )
    assert adjusted == pytest.approx(plain / table.negative_share, rel=1e-14)


def test_a_line_through_the_roc_curve_is_not_left_out_of():
    table = RankTable(np.full(30, 4), np.arange(30))
    metric = find_metric(average_precision_score, {"prevalence": 0.01})
    assert np.isnan(excess(metric.of_sample(table.total, is_weighted=False), table))


def folds_of(rng, n_folds, n_pos, n_neg, law):
    y_true = np.tile(np.repeat([1, 0], [n_pos, n_neg]), n_folds)
    y_score = law.rvs(len(y_true), random_state=rng) + 2.0 * y_true
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
@looped("law", [stats.norm(), stats.t(3)])
def test_intervals_of_folds_hold_the_average_precision_of_many_cases(law, n_pos):
    rng = np.random.default_rng(n_pos)

    def precision(recall):
        return 0.1 * recall / (0.1 * recall + 0.9 * law.sf(2 + law.isf(recall)))

    def drawn(_):
        rankings = folds_of(rng, 5, n_pos, 9 * n_pos, law)
        return estimate("average_precision", rankings, stratify=True)

    truth = integrate.quad(precision, 0, 1, limit=200)[0]
    assert_share(held(simulated(400, drawn), truth), at_least=0.9)
