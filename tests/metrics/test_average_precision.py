"""Average precision at the prevalence of the sample or of a population."""

import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from metric_cases import Case
from reference import average_precision as reference
from reference import tables
from skrate import average_precision_score, estimate
from skrate.core.rank_table import RankTable
from skrate.metrics.average_precision import AveragePrecision
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
    pytest.param([1, 0], [2, 1], {}, 1.0, id="perfect"),
    pytest.param([0, 1], [2, 1], {}, 1 / 2, id="worst of two"),
    pytest.param([1, 0, 1], [3, 2, 1], {}, (1 + 2 / 3) / 2, id="one between"),
    pytest.param([1, 0, 1, 0], [2, 1, 1, 0], {}, (1 + 2 / 3) / 2, id="one tie"),
    pytest.param([1, 0, 0, 0], [1, 1, 1, 1], {}, 1 / 4, id="constant scores"),
    pytest.param([1, 1], [1, 2], {}, 1.0, id="no negative"),
    pytest.param([0, 1], [2, 1], {"sample_weight": [3, 1]}, 1 / 4, id="weights"),
    pytest.param([0, 1], [2, 1], {"prevalence": 0.1}, 0.1, id="prevalence"),
    pytest.param(
        [1, 0, 1, 0], [4, 3, 2, 1], {"prevalence": 0.2},
        # Negatives count four each: 2 of 2 + 4 at the second positive.
        (1 + 2 / (2 + 4)) / 2, id="prevalence of one in five",
    ),
    pytest.param([1, 0], [2, 1], {"adjusted": True}, 1.0, id="perfect, adjusted"),
    pytest.param([1, 0, 0], [1, 1, 1], {"adjusted": True}, 0.0, id="adjusted chance"),
    pytest.param(
        [0, 1, 0], [1, 1, 1], {"adjusted": True, "prevalence": 0.01}, 0.0,
        id="constant, adjusted, prevalence",
    ),
    pytest.param(
        [0, 0, 1, 0], [4, 3, 2, 1], {"adjusted": True}, (1 / 3 - 1 / 4) / (3 / 4),
        id="adjusted",
    ),
]  # fmt: skip


def empirical(table, prevalence=None):
    """Return the value of a table, with rates as they are seen."""
    return AveragePrecision(prevalence, tail="empirical").value(table)


@pytest.mark.parametrize(("y_true", "y_score", "options", "expected"), BY_HAND)
def test_by_hand(y_true, y_score, options, expected):
    score = average_precision_score(y_true, y_score, **options)
    assert type(score) is float
    assert score == pytest.approx(expected, abs=1e-15)


@given(ranked_samples(weighted=True))
def test_agrees_with_the_oracle(sample):
    exact = reference.average_precision(*sample)
    assert average_precision_score(
        sample.y_true, sample.y_score, sample_weight=sample.sample_weight
    ) == pytest.approx(float(exact), abs=1e-14)


@given(ranked_samples())
def test_is_scikit_learns(sample):
    theirs = sklearn.metrics.average_precision_score(sample.y_true, sample.y_score)
    ours = average_precision_score(sample.y_true, sample.y_score)
    assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("decimals", [1, 3, 15])
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


@given(ranked_samples(n_scores=40))
def test_short_cut_without_ties_is_the_sum_over_groups(sample):
    order = np.argsort(sample.y_score, kind="stable")
    places = np.empty(len(order))
    places[order] = np.arange(len(order))
    table = RankTable.from_arrays(sample.y_true, places)
    groups = RankTable(table.pos, table.neg)
    assert table.labels is not None
    assert groups.labels is None
    for prevalence in (None, 0.2):
        quick, slow = (empirical(t, prevalence) for t in (table, groups))
        assert quick == pytest.approx(slow, abs=1e-14)


@pytest.mark.parametrize(
    ("y_true", "options", "missing"),
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


@pytest.mark.parametrize("prevalence", [0, 1, -0.1, 1.5, math.nan, "0.1", True])
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
