"""What is known of metrics at a known rate, where a case is above the cut or not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference_cases import JUMPS, SMOOTH, each
from skrate import (
    RankTable,
    average_precision_score,
    estimate,
    expected_recall_score,
    influence,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
)
from skrate.core.metric import find_metric
from skrate.core.rank_table import merged_but_at
from skrate.metrics.recall_slopes import bandwidth


def runs_of_negatives(seed, n=300, prevalence=0.1):
    generator = np.random.default_rng(seed)
    y_true = (generator.random(n) < prevalence).astype(int)
    return y_true, np.round(generator.normal(size=n) + 2 * y_true, seed % 3 + 1)


def variance_of_recall(y_true, y_score, rate):
    """Return the variance of recall at a known rate, case by case.

    A case above the cut counts itself if it is positive, and pushes another one below,
    which is positive with the probability pi: that of the cases around the cut. Tied
    cases are above it in part.
    """
    n, p = len(y_true), np.mean(y_true)
    seen = rate * n
    is_above, around = [], 0.0
    (width,) = n * bandwidth(np.array([rate]), n)
    for score in y_score:
        better, tied = np.sum(y_score > score), np.sum(y_score == score)
        is_above.append(np.clip((seen - better) / tied, 0, 1))
    for label, score in zip(y_true, y_score, strict=True):
        better, tied = np.sum(y_score > score), np.sum(y_score == score)
        low, high = max(better, seen - width), min(better + tied, seen + width)
        around += label * max(high - low, 0) / tied
    pi = around / (2 * width)
    above = np.array(is_above)
    of_pos, of_neg = above[y_true == 1], above[y_true == 0]
    by_prevalence = (of_pos.mean() - of_neg.mean()) * pi / p
    return (
        np.var((1 - pi) * of_pos) / len(of_pos)
        + np.var(pi * (1 - p) / p * of_neg) / len(of_neg)
        + by_prevalence**2 * p * (1 - p) / n
    )


@pytest.mark.parametrize("rate", [0.03, 0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(6))
def test_negatives_above_the_cut_are_told_from_those_below(rate, seed):
    y_true, y_score = runs_of_negatives(seed)
    found = estimate(recall_at_rate_score, y_true, y_score, rate=rate).standard_error
    expected = variance_of_recall(y_true, y_score, rate)
    assert found**2 == pytest.approx(expected, rel=1e-9)


@each(SMOOTH + JUMPS)
@pytest.mark.parametrize("seed", range(3))
def test_the_variance_is_that_of_the_ranking_that_is_not_merged(metric, kwargs, seed):
    y_true, y_score = runs_of_negatives(seed)
    table = RankTable.from_arrays(y_true, y_score)
    of = find_metric(metric, kwargs).of_sample(len(y_true), is_weighted=False)
    by_pos, by_neg, by_prevalence = of.slopes(table)
    n_pos, n_neg, n = table.n_pos, table.n_neg, table.total
    expected = by_prevalence**2 * n_pos * n_neg / n**3
    for slopes, weights in ((by_pos, table.pos), (by_neg, table.neg)):
        size = weights.sum()
        mean = np.average(slopes, weights=weights)
        lost = 1 if of.is_two_sample else 0
        squares = np.average((slopes - mean) ** 2, weights=weights)
        expected += squares / (size - lost)
    found = estimate(metric, y_true, y_score, **kwargs).standard_error
    assert found**2 == pytest.approx(expected, rel=1e-9)
    by_case = influence(metric, y_true, y_score, **kwargs)
    assert np.sum(by_case**2) / n**2 == pytest.approx(expected, rel=1e-9)


@given(st.integers(1, 19), st.integers(0, 200))
def test_a_cut_between_two_cases_parts_a_run(n_seen, seed):
    generator = np.random.default_rng(seed)
    labels = generator.random(20) < 0.2
    table = RankTable.from_arrays([*labels, 1, 0], [*range(20, 0, -1), 21, 0])
    cuts = np.array([n_seen / 22])
    small = merged_but_at(table, cuts)
    assert cuts[0] in small.table.rates
    group = small.group_of(22)
    assert group[n_seen - 1] != group[n_seen]
    assert len(small.pos) <= len(table.merged.pos) + 2


def test_what_is_not_cut_is_merged_as_before():
    y_true, y_score = runs_of_negatives(0)
    table = RankTable.from_arrays(y_true, y_score)
    for metric, kwargs in [
        (average_precision_score, {}),
        (recall_at_rate_score, {"rate": 1.0}),
        ("roc_auc", {}),
    ]:
        assert merged_but_at(table, find_metric(metric, kwargs).cuts) is table.merged


def test_the_rates_with_a_probability_of_their_own_cut():
    mixed = rates.mixture([0.2, rates.beta(3, 19), 1.0])
    for metric in (expected_recall_score, rate_weighted_auc_score):
        assert find_metric(metric, {"rate": mixed}).cuts.tolist() == [0.2]
        assert find_metric(metric, {"rate": rates.beta(3, 19)}).cuts.tolist() == []
    assert find_metric(recall_at_rate_score, {"rate": 0.2}).cuts.tolist() == [0.2]
