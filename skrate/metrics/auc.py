"""The area under the ROC curve: what the rAUC is under a uniform rate."""

from __future__ import annotations

import numpy as np

from skrate.core.arrays import Array, FloatArray, dot
from skrate.core.list_table import ListTable, ListValues
from skrate.core.merged import merged_runs
from skrate.core.metric import Facts, Metric, Slopes, SumOverGroups
from skrate.core.rank_table import RankTable
from skrate.metrics.list_auc import list_auc

# Products of weights are normal numbers, or next to nothing beside their sum.
_LEAST_PAIRS = 2.0**-800


AUC_FACTS = Facts(is_two_sample=True, is_auc=True, condensed=merged_runs)


class AUC(SumOverGroups, Metric):
    """The probability that a positive outscores a negative, ties one half."""

    name = "AUC"
    facts = AUC_FACTS

    def value(self, table: RankTable) -> float:
        return auc(table)

    def values(self, pos: Array, neg: Array) -> FloatArray:
        # Whole numbers are summed as such, which is quicker.
        above = np.cumsum(neg, axis=1).astype(np.float64)
        pos, neg = pos.astype(np.float64), neg.astype(np.float64)
        n_pos, n_neg = pos.sum(axis=1), above[:, -1].copy()
        neg /= 2
        above -= neg
        with np.errstate(invalid="ignore", divide="ignore"):
            discordant = np.einsum("ij,ij->i", pos, above) / (n_pos * n_neg)
        return np.asarray(1 - discordant)

    def per_list(self, lists: ListTable, k: int | None = None) -> ListValues:
        return list_auc(lists, k)

    def slopes(self, table: RankTable) -> Slopes:
        """Return the shares outscored by a positive and outscoring a negative.

        Per case they are the placement values of DeLong and others (1988).
        """
        by_pos = 1 - (table.cum_neg[:-1] + table.neg / 2) / table.n_neg
        by_neg = (table.cum_pos[:-1] + table.pos / 2) / table.n_pos
        return Slopes(by_pos, by_neg, 0.0)


def auc(table: RankTable) -> float:
    """Return the AUC of a table with both classes: ties count one half."""
    if table.cases is not None:
        n_pairs = table.n_pos * table.n_neg
        return (n_pairs - _n_above(table)) / n_pairs
    pos, above = table.pos, table.cum_neg[:-1] + table.neg / 2
    n_pairs = table.n_pos * table.n_neg
    if not _LEAST_PAIRS < n_pairs < 1 / _LEAST_PAIRS:
        # Scaled by powers of two, which is exact: the scale of weights is free.
        by_pos, by_neg = np.frexp([table.n_pos, table.n_neg])[1]
        pos, above = np.ldexp(pos, -by_pos), np.ldexp(above, -by_neg)
        n_pairs = float(np.ldexp(table.n_pos, -by_pos) * np.ldexp(table.n_neg, -by_neg))
    return min(max((n_pairs - float(dot(pos, above))) / n_pairs, 0.0), 1.0)


def _n_above(table: RankTable) -> float:
    """Return how many pairs are in the wrong order where weights are equal.

    Ties count one half. Whole numbers are summed as such.
    """
    cases = table.cases
    assert cases is not None
    if 2 * table.n_groups < len(cases):
        # With many ties it is quicker by group than by case.
        found, ends = np.cumsum(table.pos, dtype=np.int64), table.ends
        assert ends is not None
        lost = ends - found
        # Those above, and those above or tied: twice the mean of both.
        twice = lost.copy()
        twice[1:] += lost[:-1]
        return float(dot(table.pos.astype(np.int64), twice)) / 2
    # The positive at place i, the j-th, has i - j negatives above it; positives come
    # first among ties, where half of the negatives count as above.
    places = np.flatnonzero(cases)
    n_above = float(places.sum() - len(places) * (len(places) - 1) // 2)
    if table.labels is None:
        start, turn, end = table.mixed_ties()
        n_above += float(((turn - start) * (end - turn)).sum()) / 2
    return n_above
