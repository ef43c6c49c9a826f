"""Tables in which groups that no metric tells apart are one."""

from typing import NamedTuple

import numpy as np

from skrate.core.arrays import FloatArray, IntArray
from skrate.core.rank_table import RankTable, table_of_weights


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
