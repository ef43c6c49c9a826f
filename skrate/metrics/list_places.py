"""What goes by the places of relevant items in lists: kernels on a table of lists."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaln

from skrate.core.arrays import FloatArray, IntArray, share_of
from skrate.core.list_table import ListTable


class RelevantRows(NamedTuple):
    """The groups of tied items that hold relevant ones, list after list, best first.

    Items of a list that tie are in a random order: of ``size`` of them, of which
    ``pos`` are relevant, some may be among the first k and some not.
    """

    lists: IntArray  # The list that each row is in.
    above: IntArray  # Items of the list above the row,
    found: IntArray  # and the relevant ones among them.
    size: IntArray
    pos: IntArray
    n_pos: FloatArray  # Relevant items of each list, not of each row.
    longest: int  # Items of the longest list.

    @classmethod
    def of(cls, table: ListTable) -> RelevantRows:
        """Return those of a table of items of weight one."""
        if table.cases is not None:
            rows = np.flatnonzero(table.cases)
            n_pos = table.n_pos.astype(np.intp)
            lists = np.repeat(np.arange(len(n_pos)), n_pos)
            first = np.cumsum(n_pos) - n_pos
            found = np.arange(len(rows)) - first[lists]
            ones = np.ones(len(rows), dtype=np.intp)
            longest = int(table.sizes.max())
            above = rows - table.starts[lists]
            return cls(lists, above, found, ones, ones, table.n_pos, longest)
        rows = np.flatnonzero(table.pos)
        lists = np.searchsorted(table.starts, rows, side="right") - 1
        above, ends, pos, found = (
            values[rows].astype(np.intp)
            for values in (table.begins, table.ends, table.pos, table.cum_pos)
        )
        longest = int(table.sizes.max())
        return cls(lists, above, found - pos, ends - above, pos, table.n_pos, longest)

    def seen(self, k: int | None) -> IntArray:
        """Return how many items of each row are among the first ``k`` of the list."""
        if k is None:
            return self.size
        return np.clip(k - self.above, 0, self.size)

    def sum(self, values: FloatArray | IntArray) -> FloatArray:
        """Return the sum of row ``values`` over each list."""
        sums = np.bincount(self.lists, values, minlength=len(self.n_pos))
        return sums.astype(np.float64, copy=False)


def discounted_gain(table: ListTable, k: int | None) -> FloatArray:
    """Return the NDCG of each list."""
    rows = RelevantRows.of(table)
    discounts = 1 / np.log2(np.arange(2, rows.longest + 2))
    sums = np.concatenate([[0.0], np.cumsum(discounts)])
    seen = rows.seen(k)
    gain = rows.pos * discounts[rows.above] * seen
    ties = np.flatnonzero(rows.size > 1)
    if len(ties):
        above = rows.above[ties]
        of_seen = sums[above + seen[ties]] - sums[above]
        gain[ties] = rows.pos[ties] * of_seen / rows.size[ties]
    n_first = rows.longest if k is None else min(k, rows.longest)
    best = sums[np.minimum(rows.n_pos, n_first).astype(np.intp)]
    return np.minimum(share_of(rows.sum(gain), best), 1.0)


def mean_precision(table: ListTable, k: int | None) -> FloatArray:
    """Return the average precision of each list, down to place ``k``.

    Of n tied items below c others, of which r and R are relevant, place c + i holds a
    relevant one with probability r / n, and then R + 1 + (i - 1) (r - 1) / (n - 1)
    relevant items are expected down to it.
    """
    rows = RelevantRows.of(table)
    seen = rows.seen(k)
    precision = seen * (rows.found + 1.0) / (rows.above + 1)
    ties = np.flatnonzero(rows.size > 1)
    if len(ties):
        inverses = 1 / np.arange(1, rows.longest + 1)
        sums = np.concatenate([[0.0], np.cumsum(inverses)])
        above, found, size, pos, n_seen = (
            values[ties]
            for values in (rows.above, rows.found, rows.size, rows.pos, seen)
        )
        of_seen = sums[above + n_seen] - sums[above]
        others = n_seen - (above + 1) * of_seen
        down = (found + 1) * of_seen + (pos - 1) / (size - 1) * others
        precision[ties] = pos / size * down
    return np.minimum(share_of(rows.sum(precision), rows.n_pos), 1.0)


def first_inverse(table: ListTable, k: int | None) -> FloatArray:
    """Return one over the place of the first relevant item of each list."""
    rows = RelevantRows.of(table)
    first = np.flatnonzero(rows.found == 0)
    above, size, pos = rows.above[first], rows.size[first], rows.pos[first]
    last = rows.longest if k is None else k
    inverse = np.where(above < last, 1 / (above + 1.0), 0.0)
    mixed = np.flatnonzero(pos < size)
    if len(mixed):
        inverse[mixed] = _mean_inverse(above[mixed], size[mixed], pos[mixed], last)
    values = np.full(len(rows.n_pos), np.nan)
    values[rows.lists[first]] = inverse
    return values


def _mean_inverse(
    above: IntArray, size: IntArray, pos: IntArray, last: int
) -> FloatArray:
    """Return the mean of one over the first place of ``pos`` among ``size`` tied items.

    It is the j-th of n of which r are relevant with a probability in proportion to
    C(n - j, r - 1); beyond place ``last`` it counts nothing. The possible j of all the
    lists stand in one array.
    """
    counts = size - pos + 1
    starts = np.cumsum(counts) - counts
    row = np.repeat(np.arange(len(counts)), counts)
    j = np.arange(len(row)) - starts[row] + 1
    left = (size[row] - j).astype(np.float64)
    logs = -betaln(pos[row], left - pos[row] + 2) - np.log(left + 1)
    # The first is the most probable.
    chances = np.exp(logs - logs[starts][row])
    place = above[row] + j
    parts = np.where(place <= last, chances / place, 0.0)
    total = np.add.reduceat(chances, starts)
    return np.asarray(np.add.reduceat(parts, starts) / total)
