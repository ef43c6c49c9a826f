"""Thresholds of one feature, and the weight of the cases below each of them."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from skrate.data.arrays import Array, BoolArray, FloatArray, IntArray

# Codes are one byte, and one of them stands for a missing value.
MAX_BINS = 255


class Column(ABC):
    """A feature prepared for the search: candidates are its thresholds, ascending.

    If values are missing, the first threshold is minus infinity: it tells the
    missing values from all others.

    ``order`` are the cases by increasing value, those that lack it last, ``ordered``
    the values in this order, and ``ends`` the last place below each threshold.
    """

    def __init__(
        self, feature: int, order: IntArray, ordered: Array, ends: IntArray
    ) -> None:
        self.feature, self.has_missing = feature, len(ordered) < len(order)
        lower = ordered[ends].astype(np.float64)
        upper = ordered[ends + 1].astype(np.float64)
        middle = lower / 2 + upper / 2
        # lower <= threshold < upper, halfway where numbers allow it.
        is_between = (lower <= middle) & (middle < upper)
        self.thresholds: FloatArray = np.where(is_between, middle, lower)
        if self.has_missing:
            self.thresholds = np.concatenate([[-np.inf], self.thresholds])
        self._keep(order, ordered, ends)

    @abstractmethod
    def _keep(self, order: IntArray, ordered: Array, ends: IntArray) -> None:
        """Keep what the search needs of the cases."""

    @abstractmethod
    def below(self, signed: FloatArray) -> tuple[FloatArray, float]:
        """Return the sums of ``signed`` up to each threshold and where missing."""

    @abstractmethod
    def above(self, candidate: int, missing_above: bool) -> BoolArray:
        """Return which cases lie above the threshold."""


def prepare_columns(
    X: Array, weights: FloatArray, max_bins: int | None
) -> list[Column]:
    """Return the features that hold a threshold, ready for the search.

    A feature of few values is kept as one-byte codes, without loss. One of more
    values is binned so too if `max_bins` says so, else sorted once and for all.
    """
    columns: list[Column] = []
    for feature in range(X.shape[1]):
        values = np.ascontiguousarray(X[:, feature])
        order = np.argsort(values)
        n_present = len(values) - int(np.isnan(values).sum())
        ordered = values[order[:n_present]]
        # A value ends where the next is greater.
        ends = np.flatnonzero(ordered[1:] != ordered[:-1])
        # A feature of one value tells nothing, unless it is missing in places.
        if len(ends) == 0 and not 0 < n_present < len(values):
            continue
        if max_bins is None and len(ends) >= MAX_BINS:
            columns.append(SortedColumn(feature, order, ordered, ends))
            continue
        n_bins = MAX_BINS if max_bins is None else max_bins
        if len(ends) >= n_bins:
            mass = np.cumsum(weights[order[:n_present]])
            ends = _quantile_ends(ends, mass, n_bins)
        columns.append(BinnedColumn(feature, order, ordered, ends))
    return columns


def _quantile_ends(ends: IntArray, mass: FloatArray, n_bins: int) -> IntArray:
    """Return the ends of values at which the bins hold about equal weight."""
    targets = np.arange(1, n_bins) / n_bins * mass[-1]
    # The slack makes repeated rows and integer weights cut at the same values.
    first = np.searchsorted(mass[ends], targets * (1 - 1e-9))
    kept = np.unique(first[first < len(ends)])
    return np.asarray(ends[kept], dtype=np.intp)


class SortedColumn(Column):
    """A feature of many values: the order of the cases is kept."""

    def _keep(self, order: IntArray, ordered: Array, ends: IntArray) -> None:
        self._order = order
        self._n_present = len(ordered)
        # Where the running sum of the ordered cases is read; none if all are read.
        self._ends = None if len(ends) == len(ordered) - 1 else ends
        # Entry i is the sum over the first i cases.
        self._running = np.zeros(len(order) + 1)
        self._taken = np.empty(len(order))

    def below(self, signed: FloatArray) -> tuple[FloatArray, float]:
        running, n_present = self._running, self._n_present
        # mode="clip" writes into the buffer directly; the indices are in range.
        np.take(signed, self._order, out=self._taken, mode="clip")
        np.cumsum(self._taken[:n_present], out=running[1 : n_present + 1])
        first = 0 if self.has_missing else 1
        if self._ends is None:
            sums = running[first:n_present]
        else:
            sums = running[self._ends + 1]
            if self.has_missing:
                sums = np.concatenate([[0.0], sums])
        return sums, float(self._taken[n_present:].sum())

    def above(self, candidate: int, missing_above: bool) -> BoolArray:
        position = candidate - self.has_missing
        if position < 0:
            start = 0
        elif self._ends is None:
            start = position + 1
        else:
            start = int(self._ends[position]) + 1
        above = np.zeros(len(self._order), dtype=bool)
        above[self._order[start : self._n_present]] = True
        above[self._order[self._n_present :]] = missing_above
        return above


class BinnedColumn(Column):
    """A feature of few values or bins: one byte for each case is kept."""

    def _keep(self, order: IntArray, ordered: Array, ends: IntArray) -> None:
        self._n_bins = len(ends) + 1
        # Cases in order fill one bin after the other; the missing come last.
        limits = np.concatenate([[0], ends + 1, [len(ordered), len(order)]])
        codes = np.arange(self._n_bins + 1, dtype=np.uint8)
        self._codes = np.empty(len(order), dtype=np.uint8)
        self._codes[order] = np.repeat(codes, np.diff(limits))

    def below(self, signed: FloatArray) -> tuple[FloatArray, float]:
        n_bins = self._n_bins
        sums = np.bincount(self._codes, weights=signed, minlength=n_bins + 1)
        running: FloatArray = np.cumsum(sums[: n_bins - 1], dtype=np.float64)
        if self.has_missing:
            running = np.concatenate([[0.0], running])
        return running, float(sums[n_bins])

    def above(self, candidate: int, missing_above: bool) -> BoolArray:
        above = self._codes > candidate - self.has_missing
        if self.has_missing:
            above[self._codes == self._n_bins] = missing_above
        return np.asarray(above)
