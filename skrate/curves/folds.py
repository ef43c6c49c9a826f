"""Folds that are averaged at equal rate, and what they have in common."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.rank_table import RankTable


@dataclass(frozen=True, eq=False)
class Folds:
    """Rank tables of folds that hold both classes each.

    The consensus at a rate pools what the same share of every fold finds: its recall
    is that of all positives together, so that the point of the consensus curve lies
    on the rate isometric of the pooled prevalence. For folds of one size and
    prevalence it is the plain mean over folds.
    """

    tables: tuple[RankTable, ...]
    has_weights: bool = False

    @property
    def n_pos(self) -> float:
        """Weight of the positives of all folds."""
        return sum(table.n_pos for table in self.tables)

    @property
    def n_neg(self) -> float:
        """Weight of the negatives of all folds."""
        return sum(table.n_neg for table in self.tables)

    @property
    def prevalence(self) -> float:
        """Share of the positives in all folds together."""
        return self.n_pos / (self.n_pos + self.n_neg)

    def tpr_at(self, rates: FloatArray) -> FloatArray:
        """Return the recall of each fold at ``rates``, of shape (n_folds, n_rates)."""
        return np.stack([np.interp(rates, t.rates, t.tpr) for t in self.tables])

    def fpr_at(self, rates: FloatArray) -> FloatArray:
        """Return the false positive rate of each fold at ``rates``."""
        return np.stack([np.interp(rates, t.rates, t.fpr) for t in self.tables])

    def found_at(self, rates: FloatArray) -> FloatArray:
        """Return the weight of positives found in all folds at ``rates``."""
        weights = np.array([table.n_pos for table in self.tables])
        return np.asarray(weights @ self.tpr_at(rates))

    def reachable(self, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the least and the greatest weight that can be found at ``rates``."""
        least, most = np.zeros_like(rates), np.zeros_like(rates)
        for table in self.tables:
            processed = rates * table.total
            least += np.maximum(processed - table.n_neg, 0.0)
            most += np.minimum(processed, table.n_pos)
        return least, most

    @cached_property
    def cuts(self) -> FloatArray:
        """Every rate at which the curve of some fold bends, from 0 to 1."""
        return np.unique(np.concatenate([table.rates for table in self.tables]))

    @cached_property
    def pooled(self) -> RankTable:
        """The consensus as a table: one group between two ``cuts``."""
        processed = self.cuts * (self.n_pos + self.n_neg)
        pos = np.diff(self.found_at(self.cuts))
        # The rest is negative, but for rounding.
        neg = np.maximum(np.diff(processed) - pos, 0.0)
        return RankTable(pos, neg)

    @cached_property
    def sizes(self) -> dict[tuple[int, int], int]:
        """How many folds have a number of positives and of negatives, by these."""
        found: dict[tuple[int, int], int] = {}
        for table in self.tables:
            size = (round(table.n_pos), round(table.n_neg))
            found[size] = found.get(size, 0) + 1
        return found
