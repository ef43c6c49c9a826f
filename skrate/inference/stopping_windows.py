"""The last cases that were read, taken for a random sample: all windows of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from skrate.core.arrays import BoolArray, FloatArray, IntArray
from skrate.inference.urn import lower_tail, most_positives, tail_bounds

# Looks at a time, and their windows, for memory's sake.
_MOST_LOOKS, _MOST_WINDOWS = 128, 2**18
# Of bounds, for their rounding, and for what rounds to 1.
_SLACK, _ULPS = 1e-9, 2.0**-50


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

    def least(
        self, looks: IntArray, totals: IntArray, most: float = 1.0
    ) -> tuple[FloatArray, IntArray]:
        """Return the least p-value over the windows of some looks, and its hits.

        It is of the hypothesis that there are ``totals`` positives or more in all, and
        1 where none is below ``most``.
        """
        pvalues, hits = np.zeros(len(looks)), np.zeros_like(looks)
        rows = np.flatnonzero(totals <= self.found[looks] + self.rest[looks])
        for start in range(0, len(rows), _MOST_LOOKS):
            some = rows[start : start + _MOST_LOOKS]
            pvalues[some], hits[some] = self._least(looks[some], totals[some], most)
        return pvalues, hits

    def _least(
        self, looks: IntArray, totals: IntArray, most: float
    ) -> tuple[FloatArray, IntArray]:
        """Return the same, of looks at which so many positives are possible.

        Blocks of windows are halved. No p-value of a block is below one of the fewest
        hits and the greatest size in it, so that most blocks are out as a whole.
        """
        found = self.found[looks]
        best, hits = np.full(len(looks), most), np.zeros_like(looks)
        width = 1 << int(found.max(initial=0)).bit_length()
        row, first = np.arange(len(looks)), np.zeros_like(looks)
        while True:
            last = np.minimum(first + width - 1, found[row])
            low, _ = tail_bounds(*self._urn(looks[row], first, last, totals[row]))
            row, first, last, low = _that(
                _may_be(low, best, row), row, first, last, low
            )
            _, high = tail_bounds(*self._urn(looks[row], last, last, totals[row]))
            _lower(best, hits, row, high, last)
            row, first = _that(_may_be(low, best, row), row, first)
            if width == 1:
                break
            width //= 2
            row, first = np.repeat(row, 2), np.repeat(first, 2)
            first[1::2] += width
            row, first = _that(first <= found[row], row, first)
            if len(row) > _MOST_WINDOWS and len(looks) > 1:
                half = len(looks) // 2
                one = self._least(looks[:half], totals[:half], most)
                other = self._least(looks[half:], totals[half:], most)
                return np.append(one[0], other[0]), np.append(one[1], other[1])
        # Of bounds of 0 the tail is 0.
        pvalues = np.where(best > 0, 1.0, 0.0)
        tails = lower_tail(*self._urn(looks[row], first, first, totals[row]))
        _lower(pvalues, hits, row, tails, first)
        return pvalues, hits

    def _urn(
        self, looks: IntArray, hits: IntArray, longest: IntArray, totals: IntArray
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return hits, size, positives and cases of the urns of some windows.

        The size is of the windows of ``longest`` hits.
        """
        found = self.found[looks]
        sizes = self.n_read[looks] - self.begins[found - longest]
        return hits, sizes, totals - found + hits, self.rest[looks] + sizes

    def most_positives(self, hits: IntArray, alpha: float) -> IntArray:
        """Return the most positives in all that no window excludes, at each look.

        The search begins with the windows of the ``hits``, and with all that was read.
        What one window leaves is looked at by all of them, until none excludes it.
        """
        looks, totals = np.arange(len(hits)), self.found + self.rest
        self._exclude(totals, looks, self.found, alpha)
        while len(looks):
            self._exclude(totals, looks, hits, alpha)
            pvalues, hits = self.least(looks, totals[looks], alpha)
            looks, hits = _that(pvalues <= alpha, looks, hits)
        return totals

    def _exclude(
        self, totals: IntArray, looks: IntArray, hits: IntArray, alpha: float
    ) -> None:
        """Lower the totals of looks to what windows of some hits leave."""
        x, size, _, cases = self._urn(looks, hits, hits, totals[looks])
        left = most_positives(x, size, cases, alpha) - x
        totals[looks] = np.minimum(totals[looks], self.found[looks] + left)


def _that(chosen: BoolArray, *columns: Any) -> Any:
    """Return the chosen rows of some columns."""
    return tuple(column[chosen] for column in columns)


def _may_be(low: FloatArray, best: FloatArray, row: IntArray) -> BoolArray:
    """Return which are not above the best of their row, but for rounding, nor 1."""
    slack = _SLACK * np.minimum(best, 1 - best) + _ULPS * best
    return (low < 1) & (low <= (best + slack)[row]) & (best > 0)[row]


def _lower(
    best: FloatArray, hits: IntArray, row: IntArray, values: FloatArray, x: IntArray
) -> None:
    """Lower the best of each row to the least of its values, and its hits with it."""
    order = np.lexsort((values, row))
    order = order[np.unique(row[order], return_index=True)[1]]
    order = order[values[order] < best[row[order]]]
    best[row[order]], hits[row[order]] = values[order], x[order]
