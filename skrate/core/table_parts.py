"""A long table in parts that stay in the cache of a core.

Arrays of a million groups leave it, and memory that was never touched has to be given
to the process first: that takes longer than the arithmetic. A part takes neither.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skrate.core.arrays import BoolArray, FloatArray
from skrate.core.rank_table import RankTable

# Tables of more groups are long.
LONG = 2**15
# Groups of a part, about.
_GROUPS = 2**14


@dataclass(frozen=True, eq=False)
class TablePart:
    """Consecutive groups of a table, with its sums.

    It has those attributes of a :class:`RankTable` that slopes are made of. ``pos`` and
    ``neg`` are of the groups of the part, ``cum_pos`` and ``cum_neg`` the weights of
    the whole table above their cuts, and ``n_pos`` and ``n_neg`` those of all of it.
    """

    pos: FloatArray
    neg: FloatArray
    cum_pos: FloatArray
    cum_neg: FloatArray
    n_pos: float
    n_neg: float

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

    @cached_property
    def tpr(self) -> FloatArray:
        """True positive rate at each cut."""
        return self.cum_pos / self.n_pos

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rate at each cut."""
        return self.cum_neg / self.n_neg

    @cached_property
    def rates(self) -> FloatArray:
        """Rate at each cut."""
        return (self.cum_pos + self.cum_neg) / self.total

    @property
    def swapped(self) -> "TablePart":
        """The part of the table in which the negatives are the positives."""
        return TablePart(
            self.neg, self.pos, self.cum_neg, self.cum_pos, self.n_neg, self.n_pos
        )

    def with_ends(self, pos: float, neg: float) -> "TablePart":
        """Return the part of the table that has another group at each end."""
        return TablePart(
            self.pos, self.neg, self.cum_pos + pos, self.cum_neg + neg,
            self.n_pos + 2 * pos, self.n_neg + 2 * neg,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class LongTable:
    """A table to be taken part by part, with a group added at each end.

    Neighbouring groups without a positive are merged, but where parts meet.

    Parameters
    ----------
    table : RankTable
        The table.
    added : tuple of float, default=(0.0, 0.0)
        Weight of the positives and of the negatives in each of the added groups.

    Examples
    --------
    >>> table = RankTable([1, 0, 0, 2], [0, 1, 1, 0])
    >>> parts = LongTable(table, (0.5, 0.25)).parts()
    >>> [part.cum_neg.tolist() for part in parts]
    [[0.0, 0.25], [0.25, 0.25, 2.25, 2.25], [2.25, 2.5]]
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

    def parts(self) -> Iterator[TablePart]:
        """Yield the parts, best scores first."""
        labels = self.table.labels
        inner = _of_groups(self.table) if labels is None else _of_labels(labels)
        if self.added == (0.0, 0.0):
            yield from inner
            return
        yield self._end(first=True)
        for part in inner:
            yield part.with_ends(*self.added)
        yield self._end(first=False)

    def _end(self, *, first: bool) -> TablePart:
        pos, neg = (np.array([added]) for added in self.added)
        cum_pos, cum_neg = (
            np.array([0.0, added]) if first else np.array([n - added, n])
            for added, n in zip(self.added, (self.n_pos, self.n_neg), strict=True)
        )
        return TablePart(pos, neg, cum_pos, cum_neg, self.n_pos, self.n_neg)


def is_long(table: RankTable) -> bool:
    """Return whether a table has many groups, also when it is merged."""
    # A merged table has a group per positive, and one between any two of them.
    return min(table.n_groups, 2 * table.n_pos) > LONG


def _of_groups(table: RankTable) -> Iterator[TablePart]:
    table = table.merged.table
    for first in range(0, table.n_groups, _GROUPS):
        groups, cuts = slice(first, first + _GROUPS), slice(first, first + _GROUPS + 1)
        yield TablePart(
            table.pos[groups], table.neg[groups],
            table.cum_pos[cuts], table.cum_neg[cuts], table.n_pos, table.n_neg,
        )  # fmt: skip


def _of_labels(labels: BoolArray) -> Iterator[TablePart]:
    """Yield the parts of a ranking of single cases, merged in each part alone."""
    n, n_pos = len(labels), int(np.count_nonzero(labels))
    # Of many positives little is merged, and it takes longer than it saves.
    is_merged = n_pos < n / 4
    size = _GROUPS * n // (2 * n_pos + 1) if is_merged else _GROUPS
    above = 0
    for first in range(0, n, size):
        found = labels[first : first + size]
        if is_merged:
            is_cut = np.ones(len(found) + 1, dtype=bool)
            np.logical_or(found[1:], found[:-1], out=is_cut[1:-1])
            cuts = np.flatnonzero(is_cut)
            found = found.take(cuts[:-1])
            cuts += first
        else:
            cuts = np.arange(first, first + len(found) + 1)
        # Whole numbers are summed and subtracted as such: it is quicker, and exact.
        cum_pos = np.empty_like(cuts)
        cum_pos[0] = above
        np.cumsum(found, out=cum_pos[1:])
        cum_pos[1:] += above
        above = int(cum_pos[-1])
        cuts -= cum_pos
        cum_neg = cuts.astype(np.float64)
        yield TablePart(
            found.astype(np.float64), cum_neg[1:] - cum_neg[:-1],
            cum_pos.astype(np.float64), cum_neg, float(n_pos), float(n - n_pos),
        )  # fmt: skip
