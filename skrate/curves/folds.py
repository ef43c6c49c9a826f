"""Folds that are averaged at equal rate, and what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skrate.data.arrays import Array, FloatArray
from skrate.data.table import RankTable


@dataclass(frozen=True, eq=False)
class Folds:
    """Rank tables of folds that hold both classes each.

    The consensus at a rate pools what the same share of every fold finds: its recall
    is that of all positives together, so that the point of the consensus curve lies
    on the rate isometric of the pooled prevalence. For folds of one size and
    prevalence it is the plain mean over folds.

    ``repeats`` numbers the repeat that each fold belongs to; None is one repeat. Within
    a repeat no case is tested twice, so that its folds are independent given the curve;
    between repeats the same cases come again, and tell nothing new. ``pos_label`` is
    the positive label, where it was named. ``added`` is how many cases the source of
    new folds has more of each class, half of each above all others and half below.
    """

    tables: tuple[RankTable, ...]
    has_weights: bool = False
    repeats: tuple[int, ...] | None = None
    pos_label: Any = None
    added: int = 1

    @cached_property
    def by_repeat(self) -> list[Folds]:
        """The folds of each repeat, as a single cross-validation."""
        if self.repeats is None:
            return [self]
        tables: dict[int, list[RankTable]] = {}
        for table, repeat in zip(self.tables, self.repeats, strict=True):
            tables.setdefault(repeat, []).append(table)
        return [
            Folds(tuple(own), self.has_weights, added=self.added)
            for own in tables.values()
        ]

    @property
    def n_pos(self) -> float:
        """Weight of the positives of all folds."""
        return sum(table.n_pos for table in self.tables)

    @property
    def n_neg(self) -> float:
        """Weight of the negatives of all folds."""
        return sum(table.n_neg for table in self.tables)

    @property
    def prevalence(self) -> float:
        """Share of the positives in all folds together."""
        return self.n_pos / (self.n_pos + self.n_neg)

    def tpr_at(self, rates: FloatArray) -> FloatArray:
        """Return the recall of each fold at ``rates``, of shape (n_folds, n_rates).

        It is 0 of a fold without positives.
        """
        found = np.stack([_found(table, rates) for table in self.tables])
        n_pos = self._column("n_pos")
        return np.divide(found, n_pos, out=np.zeros_like(found), where=n_pos > 0)

    def fpr_at(self, rates: FloatArray, tpr: FloatArray) -> FloatArray:
        """Return the false positive rates of the folds at given recalls."""
        processed = rates * self._column("total")
        fpr = (processed - self._column("n_pos") * tpr) / self._column("n_neg")
        # Rounding must not leave the ROC plane.
        return np.clip(fpr, 0, 1)

    def pooled_count(self, tpr: FloatArray) -> FloatArray:
        """Return the weight of positives that folds with given recalls have found."""
        return np.asarray((self._column("n_pos") * tpr).sum(axis=0))

    def reachable(self, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the least and the greatest weight that can be found at ``rates``."""
        least, most = np.zeros_like(rates), np.zeros_like(rates)
        for table in self.tables:
            processed = rates * table.total
            least += np.maximum(processed - table.n_neg, 0.0)
            most += np.minimum(processed, table.n_pos)
        return least, most

    @cached_property
    def cuts(self) -> FloatArray:
        """Every rate at which the curve of some fold bends, from 0 to 1."""
        return np.unique(np.concatenate([table.rates for table in self.tables]))

    @cached_property
    def pooled(self) -> RankTable:
        """The consensus as a table: one group between two ``cuts``."""
        processed = self.cuts * (self.n_pos + self.n_neg)
        pos = np.diff(self.pooled_count(self.tpr_at(self.cuts)))
        pos = np.maximum(pos, 0.0)
        # The rest is negative, but for rounding.
        neg = np.maximum(np.diff(processed) - pos, 0.0)
        return RankTable(pos, neg)

    @cached_property
    def has_one_prevalence(self) -> bool:
        """Whether the share of the positives is that of all in every fold."""
        n_pos, total = self._column("n_pos"), self._column("total")
        # Numbers of cases, or weights, whose sums are rounded.
        return bool(np.allclose(n_pos / total, self.prevalence, rtol=1e-12, atol=0))

    @cached_property
    def places(self) -> list[FloatArray]:
        """The cuts of each fold, as places along a ROC curve that all folds share.

        A place is the rate that the cut would have if the fold had the prevalence of
        all. Folds that are drawn from one ROC curve meet at a place, whatever their
        prevalences; at a rate they do only if these are equal.
        """
        if self.has_one_prevalence:
            return [table.rates for table in self.tables]
        p, rest = self.prevalence, self.n_neg / (self.n_pos + self.n_neg)
        return [p * table.tpr + rest * table.fpr for table in self.tables]

    @cached_property
    def shared(self) -> RankTable:
        """The cases of all folds at their ``places``, one group between two of them.

        It is the consensus itself if all folds have one prevalence.
        """
        if self.has_one_prevalence:
            return self.pooled
        cuts = np.unique(np.concatenate(self.places))
        pos, neg = np.zeros(len(cuts)), np.zeros(len(cuts))
        for places, table in zip(self.places, self.tables, strict=True):
            pos += np.interp(cuts, places, table.cum_pos)
            neg += np.interp(cuts, places, table.cum_neg)
        # What falls does so by rounding.
        return RankTable(*(np.maximum(np.diff(above), 0.0) for above in (pos, neg)))

    @cached_property
    def sizes(self) -> dict[tuple[int, int], int]:
        """How many folds have a number of positives and of negatives, by these."""
        found: dict[tuple[int, int], int] = {}
        for table in self.tables:
            size = (round(table.n_pos), round(table.n_neg))
            found[size] = found.get(size, 0) + 1
        return found

    def _column(self, name: str) -> FloatArray:
        """Return an attribute of the tables as a column."""
        return np.array([[getattr(table, name)] for table in self.tables])


def counts_at(labels: Array, rates: FloatArray) -> FloatArray:
    """Return how many ``labels``, 0 or 1, are 1 in the first share of each ranking.

    Rankings lie along the last axis, rates take its place in the result. Of a case that
    is cut, its part is counted.
    """
    n_cases = labels.shape[-1]
    processed = rates * n_cases
    whole = np.minimum((processed + 1e-9).astype(np.intp), n_cases - 1)
    part = np.clip(processed - whole, 0, 1)
    cuts, where = np.unique(np.append(0, whole), return_inverse=True)
    # From one cut to the next, then above each.
    gains = np.add.reduceat(labels, cuts, axis=-1, dtype=np.int32)
    above = np.zeros_like(gains)
    np.cumsum(gains[..., :-1], axis=-1, out=above[..., 1:])
    return np.asarray(above[..., where[1:]] + part * labels[..., whole])


def _found(table: RankTable, rates: FloatArray) -> FloatArray:
    """Return the weight of positives above the cut at each rate."""
    labels = table.labels
    if labels is None or len(rates) > len(labels):
        return np.interp(rates, table.rates, table.cum_pos)
    return counts_at(labels.view(np.uint8), rates)
