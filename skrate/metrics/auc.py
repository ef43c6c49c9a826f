"""The area under the ROC curve: what the rAUC is under a uniform rate."""

from collections.abc import Callable

import numpy as np

from skrate.core.arrays import Array, FloatArray
from skrate.core.list_table import ListTable, ListValues
from skrate.core.metric import Metric, PartSlopes, Slopes
from skrate.core.rank_table import RankTable
from skrate.core.table_parts import LongTable, TablePart
from skrate.metrics.list_auc import list_auc


class AUC(Metric):
    """The probability that a positive outscores a negative, ties one half."""

    name = "AUC"
    is_two_sample = True
    has_parts = True

    def value(self, table: RankTable) -> float:
        return auc(table)

    def is_sum_over_groups(self, table: RankTable) -> bool:
        return True

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
        return _slopes(table)

    def part_slopes(self, table: LongTable) -> Callable[[TablePart], PartSlopes]:
        return _part_slopes


def _part_slopes(part: TablePart) -> PartSlopes:
    slopes = _slopes(part)
    return PartSlopes(slopes, float(part.pos @ slopes.by_pos) / part.n_pos)


def _slopes(table: RankTable | TablePart) -> Slopes:
    by_pos = 1 - (table.cum_neg[:-1] + table.neg / 2) / table.n_neg
    by_neg = (table.cum_pos[:-1] + table.pos / 2) / table.n_pos
    return Slopes(by_pos, by_neg, 0.0)


def auc(table: RankTable) -> float:
    """Return the AUC of a table with both classes: ties count one half."""
    if table.cases is not None:
        # The positive at place i, the j-th, has i - j negatives above it; positives
        # come first among ties, where half of the negatives count as above.
        places = np.flatnonzero(table.cases)
        n_above = float(places.sum() - len(places) * (len(places) - 1) // 2)
        start, turn, end = table.mixed_ties()
        n_above += float(((turn - start) * (end - turn)).sum()) / 2
        n_pairs = table.n_pos * table.n_neg
        return (n_pairs - n_above) / n_pairs
    # Scaled by powers of two, which is exact: the scale of weights is free.
    by_pos, by_neg = np.frexp([table.n_pos, table.n_neg])[1]
    pos = np.ldexp(table.pos, -by_pos)
    above = np.ldexp(table.cum_neg[:-1] + table.neg / 2, -by_neg)
    n_pairs = float(np.ldexp(table.n_pos, -by_pos) * np.ldexp(table.n_neg, -by_neg))
    return min(max((n_pairs - float(pos @ above)) / n_pairs, 0.0), 1.0)
