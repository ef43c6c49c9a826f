"""Tables made smaller, or longer at their ends, for what follows from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skrate.core.arrays import FloatArray, IntArray, frozen
from skrate.core.lazy import lazy
from skrate.core.rank_table import RankTable, table_of_weights


@dataclass(frozen=True, eq=False)
class Merged:
    """A table in which neighbouring groups are one: most often those without positives.

    Which they are, is up to the function that merged it.
    """

    pos: FloatArray
    neg: FloatArray
    starts: IntArray
    # Number of cases, where each of the groups that became one was a single case.
    n_cases: int | None = None

    @lazy
    def table(self) -> RankTable:
        """The same as a table."""
        table = table_of_weights(self.pos, self.neg)
        if self.n_cases is not None:
            # Whole numbers are summed as such: it is quicker, and exact.
            edges = np.append(self.starts, self.n_cases)
            cum_pos = np.zeros(len(edges))
            np.cumsum(self.pos, out=cum_pos[1:])
            sums = {
                "cum_pos": cum_pos,
                "cum_neg": edges - cum_pos,
                "rates": edges / self.n_cases,
            }
            vars(table).update({name: frozen(array) for name, array in sums.items()})
        return table

    def group_of(self, n_groups: int) -> IntArray:
        """Return for each of the ``n_groups`` groups the one it became part of."""
        is_start = np.zeros(n_groups, dtype=np.intp)
        is_start[self.starts] = 1
        return np.cumsum(is_start) - 1


def merged_but_at(table: RankTable, cuts: FloatArray) -> Merged:
    """Return a table merged, where no group spans one of these rates but as it did.

    A case above a cut counts and one below does not. In a merged group all would count
    in part: the same for their sum, and too little for its variance.
    """
    if len(cuts) == 0:
        return table.merged
    # The group that a rate cuts, and the one after it, begin as they did.
    first = np.searchsorted(table.rates, cuts, side="left") - 1
    starts = np.concatenate([first, first + 1])
    return merged_groups(table, starts[starts < table.n_groups])


def merged_groups(table: RankTable, kept_starts: IntArray | None = None) -> Merged:
    """Return a table merged, but for groups that shall begin where they did."""
    labels = table.labels
    has_pos = table.pos > 0 if labels is None else labels
    is_start = np.empty(len(has_pos), dtype=bool)
    is_start[0] = True
    np.logical_or(has_pos[1:], has_pos[:-1], out=is_start[1:])
    if kept_starts is not None:
        is_start[kept_starts] = True
    starts = np.flatnonzero(is_start)
    if labels is None and len(starts) == len(is_start):
        merged = Merged(table.pos, table.neg, starts)
        # The table itself, which knows its sums.
        vars(merged)["table"] = table
        return merged
    if labels is None:
        neg = np.add.reduceat(table.neg, starts)
        return Merged(table.pos[starts], neg, starts)
    pos = labels[starts].astype(np.float64)
    sizes = np.diff(starts, append=len(labels))
    return Merged(pos, sizes * (1 - pos), starts, len(labels))


def merged_runs(table: RankTable) -> Merged:
    """Return a table in which neighbouring groups of one and the same class are one."""
    has_pos, has_neg = table.pos > 0, table.neg > 0
    is_start = has_pos & has_neg
    is_start[1:] |= (has_pos[1:] != has_pos[:-1]) | (has_neg[1:] != has_neg[:-1])
    is_start[0] = True
    return _at(table, np.flatnonzero(is_start))


def merged_down(table: RankTable) -> Merged:
    """Return a table in which negatives tie with the next positives below them."""
    is_start = np.append(True, table.pos[:-1] > 0)
    return _at(table, np.flatnonzero(is_start))


def _at(table: RankTable, starts: IntArray) -> Merged:
    pos, neg = (np.add.reduceat(weights, starts) for weights in (table.pos, table.neg))
    return Merged(pos, neg, starts)


def with_ends(table: RankTable, pos: float, neg: float) -> RankTable:
    """Return the table with another group at each end, both of the same weights.

    Examples
    --------
    >>> table = with_ends(RankTable([2, 0], [0, 3]), 0.5, 0.25)
    >>> table.pos.tolist(), table.cum_neg.tolist()
    ([0.5, 2.0, 0.0, 0.5], [0.0, 0.25, 0.25, 3.25, 3.5])
    """
    more = table_of_weights(_between(pos, table.pos), _between(neg, table.neg))
    # What the table knows of its sums need not be summed again.
    sums = {
        name: np.concatenate([[0.0], added + known, [known[-1] + 2 * added]])
        for name, added, known in (
            ("cum_pos", pos, table.cum_pos),
            ("cum_neg", neg, table.cum_neg),
        )
    }
    processed = sums["cum_pos"] + sums["cum_neg"]
    sums["rates"] = processed / processed[-1]
    vars(more).update({name: frozen(array) for name, array in sums.items()})
    return more


def _between(end: float, weights: FloatArray) -> FloatArray:
    return np.concatenate([[end], weights, [end]])
