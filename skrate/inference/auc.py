"""The area under the ROC curve, as inference sees it."""

import numpy as np

from skrate.core.arrays import Array, FloatArray
from skrate.core.rank_table import RankTable
from skrate.inference.table_metric import Gradients, TableMetric
from skrate.metrics.rate_weighted_auc import auc


def auc_metric() -> TableMetric:
    """Return the AUC: the probability that a positive outscores a negative."""
    return TableMetric("AUC", auc, _gradients, _resampled, is_two_sample=True)


def _gradients(table: RankTable) -> Gradients:
    """Return the shares outscored by a positive and outscoring a negative.

    Per case they are the placement values of [1]_.

    References
    ----------
    .. [1] DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or
       more correlated receiver operating characteristic curves,
       :doi:`10.2307/2531595`.
    """
    by_pos = 1 - (table.cum_neg[:-1] + table.neg / 2) / table.n_neg
    by_neg = (table.cum_pos[:-1] + table.pos / 2) / table.n_pos
    return Gradients(by_pos, by_neg, 0.0)


def _resampled(pos: Array, neg: Array) -> FloatArray:
    pos, neg = pos.astype(np.float64), neg.astype(np.float64)
    above = np.cumsum(neg, axis=1)
    n_pos, n_neg = pos.sum(axis=1), above[:, -1].copy()
    neg /= 2
    above -= neg
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - np.einsum("ij,ij->i", pos, above) / (n_pos * n_neg))
