"""What metrics have in common that are linear in the distribution of the rate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.extreme_laws import extreme
from skrate.core.list_table import ListTable
from skrate.core.metric import SumOverGroups, is_defined
from skrate.core.rank_table import RankTable
from skrate.core.rate_curves import RateCurve
from skrate.core.rate_sets import End, check_rate_or_set
from skrate.metrics.recall_slopes import UnderRate


class ByRate(UnderRate, ABC):
    """A metric that is linear in the distribution of the rate, or a ratio of such."""

    @property
    def is_of_negatives(self) -> bool:
        """Whether it is the negatives whose recall counts."""
        return False

    @abstractmethod
    def by_rate(self, table: RankTable) -> RateCurve:
        """Return the metric of a table at every rate, from which all others follow."""


class UnderSet(ByRate, SumOverGroups, ABC):
    """One that may be told a set of distributions for its rate.

    Then ``worst`` says which end of its range over the set is meant: it is the metric
    under the distribution that attains this end, which depends on the ranking.
    """

    worst: End | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", check_rate_or_set(self.rate, self.worst))

    def is_sum_over_groups(self, table: RankTable) -> bool:
        """Return whether the distribution is the same for every ranking."""
        return self.worst is None

    def resolved(self, table: RankTable) -> Any:
        """Return the metric under the distribution of the set that is worst."""
        if self.worst is None or not is_defined(self, table):  # type: ignore[arg-type]
            return self
        found = extreme(self.rate, self.by_rate(table), self.worst)
        return replace(self, rate=found.law, worst=None)  # type: ignore[type-var]

    def worst_in_lists(self, lists: ListTable) -> FloatArray:
        """Return the metric within each list under what is worst for that list."""
        values = np.full(len(lists.starts), np.nan)
        for i, (start, end) in enumerate(pairwise(lists.edges.tolist())):
            table = RankTable(lists.pos[start:end], lists.neg[start:end])
            resolved = self.resolved(table)
            if resolved.worst is None:
                values[i] = resolved.value(table)
        return values
