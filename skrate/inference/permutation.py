"""Permutation of two models within cases, on their ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skrate.data.arrays import Array, FloatArray, IntArray
from skrate.inference.sample import Ranked

# Of sums of shares, which round otherwise where other cases tie.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class ExchangeDraw:
    """Rows of two rankings after their ranks were exchanged in a random half of cases.

    With no difference between the models, it is by chance which of both ranks of a
    case is whose (:func:`compare` cites the articles). Midranks are exchanged, and the
    two new rankings are read off their order without sorting: every rank has a place in
    the row. A cluster is exchanged as a whole.

    Parameters
    ----------
    places : array of shape (2, n_cases)
        For each model, the place of each case's rank among all ranks of both, best
        first; negatives are moved on by ``n_places``.
    n_places : int
        Number of different ranks.
    cases : Ranked
        Their weights and clusters.
    """

    places: IntArray
    n_places: int
    cases: Ranked

    @classmethod
    def of(cls, a: Ranked, b: Ranked) -> ExchangeDraw:
        """Return the draw for two rankings of the same cases."""
        middles = np.concatenate([_midranks(a), _midranks(b)])
        order = np.argsort(middles)
        # Ranks that are equal but for rounding are one place.
        is_new = np.diff(middles[order], prepend=-1.0) > _ROUNDING
        where = np.empty_like(order)
        where[order] = np.cumsum(is_new) - 1
        n_places = int(np.count_nonzero(is_new))
        places = where.reshape(2, -1) + n_places * ~a.is_pos
        return cls(places, n_places, a)

    @property
    def width(self) -> int:
        """Entries of a row."""
        return max(4 * self.n_places, self.places.size)

    def __call__(self, generator: np.random.Generator, size: int) -> Array:
        """Return rows of positives and negatives per rank, for a and then for b."""
        return self.rows(self._exchanged(generator, size))

    def rows(self, is_exchanged: Array) -> Array:
        """Return the rows where cases are exchanged as told, shape (size, n_cases)."""
        size = len(is_exchanged)
        first, second = self.places
        offset = 4 * self.n_places * np.arange(size)[:, None]
        of_a = np.where(is_exchanged, second, first) + offset
        of_b = np.where(is_exchanged, first, second) + offset + 2 * self.n_places
        slots = np.concatenate([of_a.ravel(), of_b.ravel()])
        weights = self.cases.weights
        rows = np.bincount(
            slots,
            None if weights is None else np.tile(weights, 2 * size),
            minlength=size * 4 * self.n_places,
        )
        return rows.reshape(size, -1)

    def _exchanged(self, generator: np.random.Generator, size: int) -> Array:
        clusters = self.cases.clusters
        n_units = self.cases.n_units
        drawn = generator.integers(2, size=(size, n_units), dtype=np.uint8).astype(bool)
        return drawn if clusters is None else drawn[:, clusters]


def _midranks(ranked: Ranked) -> FloatArray:
    """Return the middle of the rates that each case has its place among."""
    edges = ranked.table.rates
    return np.asarray(((edges[1:] + edges[:-1]) / 2).take(ranked.group))
