"""Expected recall, rAUC and the budget metrics, as inference sees them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from skrate.core.arrays import Array, FloatArray
from skrate.core.elicitation import check_rate
from skrate.core.kept import kept
from skrate.core.rank_table import RankTable, table_of_weights
from skrate.core.rates import Fixed, RateDistribution, is_uniform
from skrate.core.validation import check_choice
from skrate.inference.auc import auc_metric
from skrate.inference.recall_slopes import recall_gradients
from skrate.inference.table_metric import Gradients, TableMetric, ratio
from skrate.metrics.budget import check_budget, found_at
from skrate.metrics.expected_recall import (
    SIDES,
    Side,
    expected_negative_recall,
    expected_recall,
)
from skrate.metrics.rate_weighted_auc import expected_recall_range, rate_weighted_auc


def rate_weighted_auc_metric(*, rate: Any = "uniform") -> TableMetric:
    """Return the rAUC under a rate; under a uniform one it is the AUC."""
    checked = check_rate(rate)
    if is_uniform(checked):
        return replace(auc_metric(), name="rAUC")

    # Of the rarer class, as the metric: 1 minus the same of the other class.
    def gradients(table: RankTable) -> Gradients:
        if table.n_pos <= table.n_neg:
            return _rescaled(table, checked)
        return _turned(_rescaled(_swapped(table), checked))

    def resampled(pos: Array, neg: Array) -> FloatArray:
        if pos.sum() <= neg.sum():
            return _resampled_rauc(pos, neg, checked)
        return 1 - _resampled_rauc(neg, pos, checked)

    return TableMetric(
        "rAUC", lambda table: rate_weighted_auc(table, checked), gradients, resampled
    )


def expected_recall_metric(
    *, rate: Any = "uniform", of: Side = "positives"
) -> TableMetric:
    """Return the expected recall of either class under a rate."""
    checked = check_rate(rate)
    of = check_choice("of", of, SIDES)
    if of == "positives":
        return TableMetric(
            "Expected recall",
            lambda table: expected_recall(table, checked),
            lambda table: recall_gradients(table, checked)[0],
            lambda pos, neg: _resampled_recall(pos, neg, checked),
        )
    return TableMetric(
        "Expected recall of the negatives",
        lambda table: expected_negative_recall(table, checked),
        lambda table: _turned(recall_gradients(_swapped(table), checked)[0]),
        lambda pos, neg: np.where(
            pos.any(axis=1), 1 - _resampled_recall(neg, pos, checked), np.nan
        ),
    )


def recall_at_rate_metric(
    *, rate: Any, n_cases: int, is_weighted: bool = False
) -> TableMetric:
    """Return the recall at a known rate."""
    share = check_budget(rate, n_cases, is_weighted=is_weighted)
    return _at_rate("Recall", share, 1.0, lambda table: 1 / table.n_pos)


def precision_at_rate_metric(
    *, rate: Any, n_cases: int, is_weighted: bool = False
) -> TableMetric:
    """Return the precision at a known rate: recall times prevalence over the rate."""
    share = check_budget(rate, n_cases, is_weighted=is_weighted)
    fixed = Fixed(share)

    def gradients(table: RankTable) -> Gradients:
        slopes = recall_gradients(table, fixed)[0]
        at_rate = found_at(table, share) / table.n_pos / share
        return _scaled(slopes, table.prevalence / share, at_rate)

    def resampled(pos: Array, neg: Array) -> FloatArray:
        return _prevalences(pos, neg) / share * _resampled_recall(pos, neg, fixed)

    return TableMetric(
        "Precision",
        lambda table: found_at(table, share) / table.total / share,
        gradients,
        resampled,
    )


def lift_at_rate_metric(
    *, rate: Any, n_cases: int, is_weighted: bool = False
) -> TableMetric:
    """Return the lift at a known rate: recall over the rate."""
    share = check_budget(rate, n_cases, is_weighted=is_weighted)
    return _at_rate("Lift", share, 1 / share, lambda table: 1 / table.n_pos / share)


def _at_rate(
    name: str, share: float, high: float, scale: Callable[[RankTable], float]
) -> TableMetric:
    """Return recall at a share, times ``high``."""
    fixed = Fixed(share)
    return TableMetric(
        name,
        lambda table: found_at(table, share) * scale(table),
        lambda table: _scaled(recall_gradients(table, fixed)[0], high),
        lambda pos, neg: high * _resampled_recall(pos, neg, fixed),
        bounds=lambda table: (0.0, high),
    )


def _rescaled(table: RankTable, rate: RateDistribution) -> Gradients:
    """Return the slopes of (E - E_min) / (E_max - E_min) from those of E."""
    p = table.prevalence
    worst, best = expected_recall_range(p, rate)
    at = np.array([1 - p, p])
    survival = rate.table.mean(at, at)
    by_worst, by_best = (
        (float(survival[0]) - worst) / p,
        (float(survival[1]) - best) / p,
    )
    width = best - worst
    recall, expected = recall_gradients(table, rate)
    value = (expected - worst) / width
    shift = by_worst + value * (by_best - by_worst)
    return _scaled(recall, 1 / width, -shift / width)


def _swapped(table: RankTable) -> RankTable:
    """Return the table in which the negatives are the positives."""
    return table_of_weights(table.neg, table.pos)


def _turned(slopes: Gradients) -> Gradients:
    """Return the slopes of 1 minus a metric of the swapped table, by the classes."""
    return Gradients(-slopes.by_neg, -slopes.by_pos, slopes.by_prevalence)


def _scaled(slopes: Gradients, factor: float, by_prevalence: float = 0.0) -> Gradients:
    """Return ``factor`` times the slopes, with more by the prevalence."""
    return Gradients(
        factor * slopes.by_pos,
        factor * slopes.by_neg,
        factor * slopes.by_prevalence + by_prevalence,
    )


def _resampled_rauc(pos: Array, neg: Array, rate: RateDistribution) -> FloatArray:
    worst, best = _ranges(pos, neg, rate)
    recall = _resampled_recall(pos, neg, rate)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((recall - worst) / (best - worst))


def _resampled_recall(pos: Array, neg: Array, rate: RateDistribution) -> FloatArray:
    weight = pos + neg
    cuts = np.cumsum(weight, axis=1)
    area = _limited_means(cuts, rate)
    np.subtract(area[:, 1:], area[:, :-1], out=area[:, 1:])
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.einsum("ij,ij->i", area, ratio(pos, weight))
        return np.asarray(found / pos.sum(axis=1))


def _limited_means(cuts: Array, rate: RateDistribution) -> FloatArray:
    """Return G at the cuts, in cases: looked up where all tables have n whole cases."""
    totals = cuts[:, -1]
    if cuts.dtype.kind == "i" and totals.min() == totals.max():
        n = int(totals[0])
        if n <= 16 * cuts.size:
            return _kept_limited_means(rate, n).take(cuts)
    scaled = rate.table.limited_mean((cuts / totals[:, None]).ravel()).reshape(
        cuts.shape
    )
    return scaled * totals[:, None]


@kept
def _kept_limited_means(rate: RateDistribution, n: int) -> FloatArray:
    """Return n G(i / n) for i = 0, ..., n."""
    return n * rate.table.limited_mean(np.arange(n + 1) / n)


def _prevalences(pos: Array, neg: Array) -> FloatArray:
    n_pos = pos.sum(axis=1)
    return np.asarray(n_pos / (n_pos + neg.sum(axis=1)))


def _ranges(
    pos: Array, neg: Array, rate: RateDistribution
) -> tuple[FloatArray, FloatArray]:
    """Return the expected recall of worst and best ranking per table, nan if none."""
    prevalences = _prevalences(pos, neg)
    first = float(prevalences[0])
    if 0 < first < 1 and (prevalences == first).all():
        ends = np.full(
            (2, len(prevalences)), np.array(expected_recall_range(first, rate))[:, None]
        )
        return ends[0], ends[1]
    found, where = np.unique(prevalences, return_inverse=True)
    worst = np.full(len(found), np.nan)
    best = worst.copy()
    both = (found > 0) & (found < 1)
    p = found[both]
    zero, one = np.zeros_like(p), np.ones_like(p)
    worst[both] = rate.table.mean(1 - p, one)
    best[both] = rate.table.mean(zero, p)
    return worst[where], best[where]
