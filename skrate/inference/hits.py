"""What a budget finds and leaves, per case of the batch that is ranked."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from skrate.core.arrays import Array, FloatArray
from skrate.core.metric import Metric, Slopes
from skrate.core.rank_table import RankTable
from skrate.core.rates import RateDistribution
from skrate.metrics.expected_recall import expected_recall, recall_of_tables
from skrate.metrics.recall_slopes import UnderRate, recall_slopes


class _OfPositives(UnderRate, Metric):
    """A share of all cases: the prevalence times that of the positives."""

    rate: Any
    needs = ("positive",)

    def value(self, table: RankTable) -> float:
        return float(table.prevalence * self._share(expected_recall(table, self.law)))

    def values(self, pos: Array, neg: Array) -> FloatArray:
        n_pos = pos.sum(axis=1)
        share = self._share(recall_of_tables(pos, neg, self.law))
        return np.asarray(n_pos / (n_pos + neg.sum(axis=1)) * share)

    @abstractmethod
    def _share(self, recall: Any) -> Any:
        """Return the share of the positives that is meant, by the expected recall."""


class ExpectedHits(_OfPositives):
    """The share of all cases that is processed and positive: prevalence x recall.

    No more can be found than is processed.
    """

    name = "Expected hits"

    @property
    def limits(self) -> tuple[float, float]:
        """Its range, whatever the prevalence."""
        return 0.0, self.law.mean()

    def slopes(self, table: RankTable) -> Slopes:
        slopes, recall = recall_slopes(table, self.law)
        return slopes.scaled(table.prevalence, recall)

    def _share(self, recall: Any) -> Any:
        return recall


class ExpectedMisses(_OfPositives):
    """The share of all cases that is positive and not processed."""

    name = "Expected misses"
    greater_is_better = False

    @property
    def limits(self) -> tuple[float, float]:
        """Its range, whatever the prevalence."""
        return 0.0, left_by(self.law)

    def slopes(self, table: RankTable) -> Slopes:
        slopes, recall = recall_slopes(table, self.law)
        return slopes.scaled(-table.prevalence, 1 - recall)

    def _share(self, recall: Any) -> Any:
        return 1 - recall


def left_by(law: RateDistribution) -> float:
    """Return the share of the cases that is not processed, on average."""
    return law.mirrored.mean()
