"""Average precision, as inference sees it."""

import numpy as np

from skrate.core.arrays import Array, FloatArray
from skrate.core.rank_table import RankTable
from skrate.core.validation import check_fraction
from skrate.inference.table_metric import Gradients, TableMetric, ratio, sum_from_right
from skrate.metrics.average_precision import (
    adjusted_average_precision,
    average_precision,
)


def average_precision_metric(
    *, prevalence: float | None = None, adjusted: bool = False
) -> TableMetric:
    """Return the average precision, at the prevalence of the sample or a known one."""
    if prevalence is not None:
        prevalence = check_fraction("prevalence", prevalence)

    def value(table: RankTable) -> float:
        if adjusted:
            return adjusted_average_precision(table, prevalence)
        return average_precision(table, prevalence)

    def gradients(table: RankTable) -> Gradients:
        return _gradients(table, prevalence, adjusted)

    def resampled(pos: Array, neg: Array) -> FloatArray:
        return _resampled(pos, neg, prevalence, adjusted)

    def bounds(table: RankTable) -> tuple[float, float]:
        p, rest = _class_shares(table, prevalence)
        return (-p / rest if adjusted else 0.0), 1.0

    name = "Adjusted average precision" if adjusted else "Average precision"
    return TableMetric(name, value, gradients, resampled, bounds)


def _class_shares(table: RankTable, prevalence: float | None) -> tuple[float, float]:
    if prevalence is None:
        return table.prevalence, table.negative_share
    return prevalence, 1 - prevalence


def _gradients(table: RankTable, prevalence: float | None, adjusted: bool) -> Gradients:
    """Return the slopes of g = sum_k P_k p T_k / C_k, as in appendix B of [1]_.

    T_k and F_k are the shares of positives and negatives down to group k, and
    C_k = p T_k + (1 - p) F_k. Sums from the right take the place of the K x K
    matrices, and the last group that of a base: it may lack either class. With
    ``adjusted`` they are those of (g - p) / (1 - p), whose slope by p is
    sum_k P_k F_k (T_k - F_k) / C_k^2.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.
    """
    p, rest = _class_shares(table, prevalence)
    found, lost = p * table.tpr[1:], rest * table.fpr[1:]
    # Of the least number at least, and never squared: shares may be of any size.
    inverse = 1 / np.maximum(found + lost, np.finfo(np.float64).tiny)
    # Precision, what it lacks to 1, and P_k / C_k.
    precision, missed = found * inverse, lost * inverse
    density = table.pos / table.n_pos * inverse
    # P_k p T_k / C_k^2 and P_k (1 - p) F_k / C_k^2, summed.
    by_lost = sum_from_right(density * missed)
    by_neg = sum_from_right(density * precision)
    by_prevalence = 0.0
    if prevalence is None and not adjusted:
        by_prevalence = float(density * missed @ found) / p / rest
    elif prevalence is None:
        tpr, fpr = table.tpr[1:], table.fpr[1:]
        by_prevalence = float(density @ (fpr * inverse * (tpr - fpr)))
    by_neg *= -rest
    by_lost *= p
    # Less 1 where 1 - p divides it: a constant is no slope, and would be all rounding.
    by_lost += -missed if adjusted else precision
    if adjusted:
        return Gradients(by_lost / rest, by_neg / rest, by_prevalence)
    return Gradients(by_lost, by_neg, by_prevalence)


def _resampled(
    pos: Array, neg: Array, prevalence: float | None, adjusted: bool
) -> FloatArray:
    pos = pos.astype(np.float64)
    found = np.cumsum(pos, axis=1)
    # Whole numbers are summed as such, which is quicker.
    lost = np.cumsum(neg, axis=1).astype(np.float64)
    n_pos, n_neg = found[:, -1].copy(), lost[:, -1].copy()
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = n_neg / (n_pos + n_neg)
        if prevalence is not None:
            rest = np.full_like(n_neg, 1 - prevalence)
            lost *= ((1 - prevalence) / prevalence * n_pos / n_neg)[:, None]
        # The mean precision, or what it lacks to 1.
        part = lost.copy() if adjusted else found
        lost += found
        value = np.einsum("ij,ij->i", pos, ratio(part, lost)) / n_pos
        if adjusted:
            # (AP - p) / (1 - p) = 1 - (1 - AP) / (1 - p)
            value = 1 - value / rest
    value[(n_pos == 0) | (n_neg == 0)] = np.nan
    return np.asarray(value)
