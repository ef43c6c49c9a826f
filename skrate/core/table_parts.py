"""A long table in parts that stay in the cache of a core.

Arrays of a million groups leave it, and memory that was never touched has to be given
to the process first: that takes longer than the arithmetic. A part takes neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from skrate.core.arrays import BoolArray, FloatArray, IntArray
from skrate.core.rank_table import RankTable, table_of_labels, table_of_weights

# Tables of more groups are long.
LONG = 2**15
# Groups of a part: products of vectors this short are not worth a thread to BLAS.
_GROUPS = 2**13


@dataclass(frozen=True, eq=False)
class TablePart:
    """Consecutive groups with positives, and the negatives alone before each.

    What metrics change by is at the positives: nothing else need be looked at.

    Parameters
    ----------
    pos : array of shape (n_groups,)
        Weight of the positives in each group.
    tied : array of shape (n_groups,) or None
        Weight of the negatives in each; None if there are none.
    gap : array of shape (n_groups,)
        Weight of the negatives between the group before and each.
    above_pos, above_neg : array of shape (n_groups,)
        Weight in the whole table above each group.
    n_pos, n_neg : float
        Weight of all positives and of all negatives in the table.
    """

    pos: FloatArray
    tied: FloatArray | None
    gap: FloatArray
    above_pos: FloatArray
    above_neg: FloatArray
    n_pos: float
    n_neg: float

    @property
    def below_pos(self) -> FloatArray:
        """Weight of the positives down to the end of each group."""
        return self.above_pos + self.pos

    @property
    def below_neg(self) -> FloatArray:
        """Weight of the negatives down to the end of each group."""
        return self.above_neg if self.tied is None else self.above_neg + self.tied

    @property
    def total(self) -> float:
        """Weight of all cases of the table."""
        return self.n_pos + self.n_neg

    @property
    def prevalence(self) -> float:
        """Share of the positives in the table."""
        return self.n_pos / self.total

    @property
    def negative_share(self) -> float:
        """Share of the negatives in the table."""
        return self.n_neg / self.total


@dataclass(frozen=True, eq=False)
class LongTable:
    """A table to be taken part by part, with a group added at each end.

    Parameters
    ----------
    table : RankTable
        The table.
    added : tuple of float, default=(0.0, 0.0)
        Weight of the positives and of the negatives in each of the added groups.

    Examples
    --------
    >>> table = RankTable([1, 0, 0, 2], [0, 1, 1, 0])
    >>> parts = list(LongTable(table, (0.5, 0.25)).parts())
    >>> [part.pos.tolist() for part in parts]
    [[0.5], [1.0, 2.0], [0.5]]
    >>> [part.gap.tolist() for part in parts]
    [[0.0], [0.0, 2.0], [0.0]]
    >>> [part.above_neg.tolist() for part in parts]
    [[0.0], [0.25, 2.25], [2.25]]
    """

    table: RankTable
    added: tuple[float, float] = (0.0, 0.0)

    @property
    def n_pos(self) -> float:
        """Weight of all positives."""
        return self.table.n_pos + 2 * self.added[0]

    @property
    def n_neg(self) -> float:
        """Weight of all negatives."""
        return self.table.n_neg + 2 * self.added[1]

    @property
    def classes(self) -> RankTable:
        """The table of a perfect ranking of as many cases of both classes."""
        return RankTable([self.n_pos, 0.0], [0.0, self.n_neg])

    @property
    def swapped(self) -> LongTable:
        """The table in which the negatives are the positives."""
        table, labels = self.table, self.table.labels
        if labels is None:
            other = table_of_weights(table.neg, table.pos)
        else:
            other = table_of_labels(~labels)
        return LongTable(other, self.added[::-1])

    def parts(self, *, by_run: bool = False) -> Iterator[TablePart]:
        """Yield the parts, best scores first, the added groups apart.

        Without them the last is a group of no weight, for the negatives before it. With
        ``by_run`` positives that are neighbours may be one group, as symmetric metrics
        do not tell them apart.
        """
        table, (pos, neg) = self.table, self.added
        inner = _of_groups(table)
        if table.labels is not None:
            inner = _of_labels(table.labels, by_run=by_run)
        none, below = np.zeros(1), 0.0
        end = TablePart(
            np.array([pos]), np.array([neg]), none, none, none, self.n_pos, self.n_neg
        )
        if pos or neg:
            yield end
        for part in inner:
            below = float(part.below_neg[-1])
            # They are no longer needed as they are.
            for above, more in ((part.above_pos, pos), (part.above_neg, neg)):
                if more:
                    above += more
            yield replace(part, n_pos=self.n_pos, n_neg=self.n_neg)
        # No less than nothing: sums are rounded.
        gap = np.maximum([table.n_neg - below], 0.0)
        yield replace(
            end,
            gap=gap,
            above_pos=self.n_pos - end.pos,
            above_neg=np.array([self.n_neg - neg]),
        )


def is_long(table: RankTable) -> bool:
    """Return whether a table has many groups, also when it is merged."""
    # A merged table has a group per positive, and one between any two of them.
    return min(table.n_groups, 2 * table.n_pos) > LONG


def _of_groups(table: RankTable) -> Iterator[TablePart]:
    has_pos = np.flatnonzero(table.pos > 0)
    below = 0.0
    for first in range(0, len(has_pos), _GROUPS):
        groups = has_pos[first : first + _GROUPS]
        above_neg, below_neg = table.cum_neg[groups], table.cum_neg[groups + 1]
        gap = above_neg - np.append(below, below_neg[:-1])
        below = float(below_neg[-1])
        tied = table.neg[groups]
        yield TablePart(
            table.pos[groups], tied if tied.any() else None, gap,
            table.cum_pos[groups], above_neg, table.n_pos, table.n_neg,
        )  # fmt: skip


def _of_labels(labels: BoolArray, *, by_run: bool) -> Iterator[TablePart]:
    """Yield the groups of a ranking of single cases: each, or runs of positives."""
    n, n_pos = len(labels), int(np.count_nonzero(labels))
    # So many cases hold the positives of two parts, on average.
    size = 2 * -(-_GROUPS * n // max(n_pos, 1))
    found, below = 0.0, 0.0
    for first in range(0, n, size):
        starts, sizes = (_runs if by_run else _cases)(labels[first : first + size])
        for start in range(0, len(starts), _GROUPS):
            groups = slice(start, start + _GROUPS)
            if sizes is None:
                pos = np.ones(len(starts[groups]))
                above_pos = np.arange(found, found + len(pos))
            else:
                pos = sizes[groups].astype(np.float64)
                # Whole numbers are summed as such: it is quicker, and exact.
                above_pos = np.cumsum(sizes[groups]) + found
                above_pos -= pos
            # Of all cases above a group the others are negative.
            above_neg = starts[groups] - above_pos
            above_neg += first
            gap = np.empty(len(pos))
            gap[0] = above_neg[0] - below
            np.subtract(above_neg[1:], above_neg[:-1], out=gap[1:])
            found, below = float(above_pos[-1] + pos[-1]), float(above_neg[-1])
            yield TablePart(
                pos, None, gap, above_pos, above_neg, float(n_pos), float(n - n_pos)
            )


def _cases(labels: BoolArray) -> tuple[IntArray, None]:
    """Return the places of the positives, each of which is one."""
    return np.flatnonzero(labels), None


def _runs(labels: BoolArray) -> tuple[IntArray, IntArray]:
    """Return where positives that are neighbours start, and how many they are."""
    changes = np.flatnonzero(labels[1:] != labels[:-1]) + 1
    first, last = [0] * int(labels[0]), [len(labels)] * int(labels[-1])
    edges = np.concatenate([first, changes, last]).astype(np.intp)
    return edges[::2], edges[1::2] - edges[::2]
