"""Multinomial counts of many units of few cases, by numbers of 8 bits.

Independent Poisson counts with means in proportion to probabilities are, given their
sum, multinomial. So each unit draws a Poisson count, with means a little too small;
what is missing of the sum is drawn case by case, and the few rows that have too much
are drawn anew. A Poisson count takes one byte: as many of the 256 values stand for a
count as fit into its probability, and those left over for another draw, among what did
not fit. All of it is exact, whatever the means are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy import special

from skrate.core.arrays import Array, FloatArray, IntArray

# Standard deviations by which the sum of the Poisson counts is to be too small.
_MARGIN = 2.5
# Of units of twice as many cases the counts may be too great for bytes.
_MOST = 32
# Beyond, no count of such a unit has a probability that floats can hold.
_N_COUNTS = 400


@dataclass(frozen=True)
class MultinomialDraw:
    """How often each unit is drawn among as many cases as there are, with replacement.

    Parameters
    ----------
    repeats : array of shape (n_units,)
        The number of cases of each unit, at least 1.
    """

    repeats: IntArray

    @cached_property
    def n_cases(self) -> int:
        """Number of cases that are drawn."""
        return int(self.repeats.sum())

    @cached_property
    def _unit_of_case(self) -> IntArray:
        return np.repeat(np.arange(len(self.repeats)), self.repeats)

    @cached_property
    def _mean(self) -> float:
        """The mean of the Poisson count of a single case, below 1."""
        return max(1 - _MARGIN / float(np.sqrt(self.n_cases)), 0.0)

    @cached_property
    def _dtype(self) -> type[np.unsignedinteger[Any]] | type[np.intp]:
        """A type that holds four times what is expected, in which counts are moved."""
        most = self.repeats.max()
        if most < 2 * _MOST:
            return np.uint8
        return np.uint16 if most < 2**14 else np.intp

    def __call__(self, generator: np.random.Generator, size: int) -> Array:
        """Return counts of shape (n_units, size), each column one draw."""
        counts = self._poisson(generator, size)
        missing = self.n_cases - _column_sums(counts)
        while (missing < 0).any():
            beyond = np.flatnonzero(missing < 0)
            anew = self._poisson(generator, len(beyond))
            counts[:, beyond] = anew
            missing[beyond] = self.n_cases - _column_sums(anew)
        cases = generator.integers(self.n_cases, size=missing.sum())
        places = self._unit_of_case[cases]
        places *= size
        places += np.repeat(np.arange(size), missing)
        np.add.at(counts.reshape(-1), places, counts.dtype.type(1))
        return counts

    def _poisson(self, generator: np.random.Generator, size: int) -> Array:
        """Return independent Poisson counts.

        That of several cases is the sum of those of a power of two of them each.
        """
        is_few = self.repeats < 2 * _MOST
        counts = np.zeros((len(self.repeats), size), dtype=self._dtype)
        n_cases = 1
        while n_cases <= _MOST:
            units = np.flatnonzero(is_few & (self.repeats & n_cases > 0))
            if len(units):
                drawn = _by_bytes(generator, len(units) * size, n_cases * self._mean)
                counts[units] += drawn.reshape(-1, size)
            n_cases *= 2
        many = np.flatnonzero(~is_few)
        means = self._mean * self.repeats[many, None]
        counts[many] = generator.poisson(means, size=(len(many), size))
        return counts


def _column_sums(counts: Array) -> IntArray:
    # In two steps, which is several times quicker than to sum bytes as wide numbers.
    wide: Array = counts.astype(np.uint32) if counts.itemsize < 4 else counts
    sums: IntArray = wide.sum(axis=0, dtype=wide.dtype).astype(np.intp)
    return sums


def _by_bytes(generator: np.random.Generator, n: int, mean: float) -> Array:
    """Return ``n`` independent Poisson counts, as bytes."""
    thresholds, left = _slots(mean)
    # Four bytes of padding at most: words are the generator's cheapest numbers.
    words = generator.integers(
        2**64 - 1, size=-(-n // 8), dtype=np.uint64, endpoint=True
    )
    numbers = words.view(np.uint8)[:n]
    counts = np.zeros(n, dtype=np.uint8)
    beyond = np.empty(n, dtype=bool)
    for threshold in thresholds:
        np.greater_equal(numbers, threshold, out=beyond)
        counts += beyond.view(np.uint8)
    # Now those that are beyond the last one stand for another draw.
    again = np.flatnonzero(beyond)
    places = generator.random(len(again)) * left[-1]
    counts[again] = np.searchsorted(left, places, side="right")
    return counts


@lru_cache(maxsize=256)
def _slots(mean: float) -> tuple[Array, FloatArray]:
    """Return the bytes at which the count rises, and the sums of what did not fit.

    From the last of these bytes on none stands for a count.
    """
    k = np.arange(_N_COUNTS)
    probabilities = np.exp(special.xlogy(k, mean) - mean - special.gammaln(k + 1))
    # One byte at least is left over.
    fits = np.minimum(np.floor(256 * probabilities), 255).astype(np.intp)
    left = np.maximum(256 * probabilities - fits, 0.0)
    ends = np.cumsum(fits)[: np.flatnonzero(fits)[-1] + 1]
    return ends.astype(np.uint8), np.cumsum(left)
