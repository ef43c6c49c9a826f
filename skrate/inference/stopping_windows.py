"""The last cases that were read, taken for a random sample: all windows of them."""

from __future__ import annotations

import numpy as np

from skrate.core.arrays import BoolArray, FloatArray, IntArray
from skrate.inference.urn import lower_tail, most_positives, tail_bounds

# Windows at a time, for memory's sake.
_MOST_WINDOWS = 2**19
# Of bounds, for their rounding.
_SLACK = 1e-9


class Windows:
    """The windows that end at each look, and begin at the start or after a positive.

    Of windows with the same hits the longest says most, and that is one of these.
    """

    def __init__(self, is_pos: BoolArray, n_read: IntArray, n_items: int) -> None:
        places = np.flatnonzero(is_pos) + 1
        self.begins = np.concatenate([[0], places])
        self.n_read = n_read
        self.found = np.searchsorted(places, n_read, side="right")
        self.rest = n_items - n_read

    def least(self, looks: IntArray, totals: IntArray) -> tuple[FloatArray, IntArray]:
        """Return the least p-value over the windows of some looks, and its hits.

        It is of the hypothesis that there are ``totals`` positives or more in all.
        """
        counts = self.found[looks] + 1
        if counts.sum() > _MOST_WINDOWS and len(looks) > 1:
            half = len(looks) // 2
            parts = (looks[:half], totals[:half]), (looks[half:], totals[half:])
            done = [self.least(*part) for part in parts]
            pvalues, best_hits = (
                np.concatenate(part) for part in zip(*done, strict=True)
            )
            return pvalues, best_hits
        first = np.cumsum(counts) - counts
        row = np.repeat(np.arange(len(looks)), counts)
        hits = np.arange(len(row)) - first[row]
        urn = self._urn(looks[row], hits, totals[row])
        low, high = tail_bounds(*urn)
        best = np.minimum.reduceat(high, first)
        # Exact are those only that may be the least; where it is 0, none.
        may_be = (low <= (best + _SLACK * best)[row]) & (best > 0)[row]
        may_be |= high == best[row]
        near = np.flatnonzero(may_be & ((best > 0)[row] | _is_first(may_be, row)))
        tails = lower_tail(*(part[near] for part in urn))
        order = np.lexsort((tails, row[near]))
        order = order[np.unique(row[near][order], return_index=True)[1]]
        is_impossible = totals > self.found[looks] + self.rest[looks]
        return np.where(is_impossible, 0.0, tails[order]), hits[near[order]]

    def _urn(
        self, looks: IntArray, hits: IntArray, totals: IntArray
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return hits, size, positives and cases of the urns of some windows."""
        found = self.found[looks]
        sizes = self.n_read[looks] - self.begins[found - hits]
        cases = self.rest[looks] + sizes
        return hits, sizes, np.minimum(totals - found + hits, cases), cases

    def most_positives(self, hits: IntArray, alpha: float) -> IntArray:
        """Return the most positives in all that no window excludes, at each look.

        The search begins with the windows of the ``hits``. What one window leaves is
        looked at by all of them, until none excludes it.
        """
        looks, totals = np.arange(len(hits)), self.found + self.rest
        while len(looks):
            x, size, _, cases = self._urn(looks, hits, totals[looks])
            left = most_positives(x, size, cases, alpha) - x
            totals[looks] = self.found[looks] + left
            pvalues, hits = self.least(looks, totals[looks])
            is_out = pvalues <= alpha
            looks, hits = looks[is_out], hits[is_out]
        return totals


def _is_first(chosen: BoolArray, row: IntArray) -> BoolArray:
    """Return which of the chosen are the first of their row."""
    first = np.zeros(len(chosen), dtype=bool)
    where = np.flatnonzero(chosen)
    first[where[np.unique(row[where], return_index=True)[1]]] = True
    return first
