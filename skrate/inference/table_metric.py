"""What inference needs to know of a metric: its value, its slopes, many tables at once.

A new metric is one function that returns a :class:`TableMetric`, and one line in
``registry.py``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from skrate.core.arrays import Array, FloatArray, IntArray
from skrate.core.rank_table import RankTable, table_of_weights


def _unit(table: RankTable) -> tuple[float, float]:
    return 0.0, 1.0


class Gradients(NamedTuple):
    """Derivatives of a metric by the group shares of each class and the prevalence.

    ``by_pos`` and ``by_neg`` have one entry per group of the table. Only differences
    between groups matter: shares sum to 1, so a constant cancels.
    """

    by_pos: FloatArray
    by_neg: FloatArray
    by_prevalence: float


@dataclass(frozen=True)
class TableMetric:
    """A metric with its parameters, as a functional of a :class:`RankTable`.

    All are functions of the shares of positives and negatives per group and of the
    prevalence, and do not change when neighbouring groups without a positive merge.

    Parameters
    ----------
    name : str
        What it is called in messages and results.
    value : callable
        Takes a table with both classes, returns a float; nan where undefined.
    gradients : callable
        Takes such a table, returns :class:`Gradients`.
    resampled : callable
        Takes weights of positives and of negatives of shape (n_tables, n_groups),
        whole numbers if their dtype is, returns one value per table; groups may be
        empty. nan where a class is.
    bounds : callable
        Takes such a table, returns the least and the greatest value, which may be
        infinite.
    is_two_sample : bool
        Whether it is a U-statistic of two samples, for which variances within a class
        of m cases are divided by m - 1.
    undefined : str
        Why the value may be nan, for the warning.
    """

    name: str
    value: Callable[[RankTable], float]
    gradients: Callable[[RankTable], Gradients]
    resampled: Callable[[Array, Array], FloatArray]
    bounds: Callable[[RankTable], tuple[float, float]] = _unit
    is_two_sample: bool = False
    undefined: str = "every ranking has the same value at this prevalence"


class Merged(NamedTuple):
    """A table in which neighbouring groups without a positive are one."""

    pos: FloatArray
    neg: FloatArray
    starts: IntArray

    @property
    def table(self) -> RankTable:
        """The same as a table."""
        return table_of_weights(self.pos, self.neg)

    def group_of(self, n_groups: int) -> IntArray:
        """Return for each of the ``n_groups`` groups the one it became part of."""
        is_start = np.zeros(n_groups, dtype=np.intp)
        is_start[self.starts] = 1
        return np.cumsum(is_start) - 1


def merged(table: RankTable) -> Merged:
    """Merge neighbouring groups without a positive: no metric here tells them apart.

    With few positives it makes all that follows cheaper: at most two groups per
    positive are left, and one.
    """
    labels = table.labels
    has_pos = table.pos > 0 if labels is None else labels
    is_start = np.empty(len(has_pos), dtype=bool)
    is_start[0] = True
    np.logical_or(has_pos[1:], has_pos[:-1], out=is_start[1:])
    starts = np.flatnonzero(is_start)
    if labels is None:
        neg = np.add.reduceat(table.neg, starts)
        return Merged(table.pos[starts], neg, starts)
    pos = labels[starts].astype(np.float64)
    sizes = np.diff(starts, append=len(labels))
    return Merged(pos, sizes * (1 - pos), starts)


def sum_from_right(values: FloatArray) -> FloatArray:
    """Return for each entry the sum of it and all that follow."""
    sums = np.empty_like(values)
    np.cumsum(values[::-1], out=sums[::-1])
    return sums


def ratio(part: Array, whole: Array) -> FloatArray:
    """Return ``part / whole``, 0 where ``whole`` is 0 (and so is ``part``)."""
    least = 1 if whole.dtype.kind == "i" else np.finfo(np.float64).tiny
    return np.asarray(part / np.maximum(whole, least))
