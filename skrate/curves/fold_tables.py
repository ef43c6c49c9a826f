"""Folds that are averaged at equal rate: as they are given, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.data.arrays import Array, ArrayLike, ArraysByFold, FloatArray, Label
from skrate.data.checks import (
    as_float64,
    check_scores,
    check_weights,
    warn,
    within_rounding,
)
from skrate.data.folds import FoldRankings, Repeats, check_repeats
from skrate.data.sample import check_ranking
from skrate.data.table import RankTable, build_table, check_alone


@dataclass(frozen=True, eq=False)
class Folds:
    """Rank tables of folds that have both classes each.

    The consensus at a rate pools what the same share of every fold finds: its recall
    is the recall of all positives together.

    ``repeats`` numbers the repeat of each fold, None being one: within a repeat no case
    is tested twice, so that its folds are independent given the curve. ``added`` is how
    many cases the source of new folds has more of each class, half of each above all
    others and half below.
    """

    tables: tuple[RankTable, ...]
    has_weights: bool = False
    repeats: tuple[int, ...] | None = None
    pos_label: Any = None
    added: int = 1

    @cached_property
    def split_repeats(self) -> list[Folds]:
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

    def interpolate_tpr(self, rates: FloatArray) -> FloatArray:
        """Return the recall of each fold at ``rates``: 0 without positives."""
        found = np.stack(
            [np.interp(rates, table.rates, table.cum_pos) for table in self.tables]
        )
        n_pos = self.column("n_pos")
        return np.divide(found, n_pos, out=np.zeros_like(found), where=n_pos > 0)

    def compute_fpr(self, rates: FloatArray, tpr: FloatArray) -> FloatArray:
        """Return the false positive rates of the folds at given recalls."""
        processed = rates * self.column("total")
        fpr = (processed - self.column("n_pos") * tpr) / self.column("n_neg")
        # Rounding must not leave the ROC plane.
        return np.clip(fpr, 0, 1)

    def pooled_count(self, tpr: FloatArray) -> FloatArray:
        """Return the weight of positives that folds with given recalls have found."""
        return np.asarray((self.column("n_pos") * tpr).sum(axis=0))

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
        pos = np.diff(self.pooled_count(self.interpolate_tpr(self.cuts)))
        pos = np.maximum(pos, 0.0)
        # The rest is negative, but for rounding.
        neg = np.maximum(np.diff(processed) - pos, 0.0)
        return RankTable(pos, neg)

    @cached_property
    def has_one_prevalence(self) -> bool:
        """Whether every fold has the same share of positives."""
        n_pos, total = self.column("n_pos"), self.column("total")
        # Numbers of cases, or weights, whose sums are rounded.
        return bool(np.allclose(n_pos / total, self.prevalence, rtol=1e-12, atol=0))

    @cached_property
    def places(self) -> list[FloatArray]:
        """The cuts of each fold, as places along a ROC curve that all folds share.

        A place is the rate that the cut would have if the fold had the prevalence of
        all.
        """
        if self.has_one_prevalence:
            return [table.rates for table in self.tables]
        p, rest = self.prevalence, self.n_neg / (self.n_pos + self.n_neg)
        return [p * table.tpr + rest * table.fpr for table in self.tables]

    @cached_property
    def shared(self) -> RankTable:
        """The cases of all folds at their ``places``, one group between two of them."""
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

    def column(self, name: str) -> FloatArray:
        """Return an attribute of the tables as a column."""
        return np.array([[getattr(table, name)] for table in self.tables])


# Labels by fold, or tables, or what another curve is of.
FoldsLike: TypeAlias = Sequence[ArrayLike | RankTable] | Array | FoldRankings | Folds


def count_hits(labels: Array, rates: FloatArray) -> FloatArray:
    """Return how many ``labels``, 0 or 1, are 1 in the first share of each ranking.

    Rankings lie along the last axis; of a case that is cut, its part is counted.
    """
    n_samples = labels.shape[-1]
    processed = rates * n_samples
    whole = np.minimum((processed + 1e-9).astype(np.intp), n_samples - 1)
    part = np.clip(processed - whole, 0, 1)
    cuts, where = np.unique(np.append(0, whole), return_inverse=True)
    # From one cut to the next, then above each.
    gains = np.add.reduceat(labels, cuts, axis=-1, dtype=np.int32)
    above = np.zeros_like(gains)
    np.cumsum(gains[..., :-1], axis=-1, out=above[..., 1:])
    return np.asarray(above[..., where[1:]] + part * labels[..., whole])


def check_rates(name: str, values: Any) -> FloatArray:
    """Return ``values`` as increasing rates in [0, 1]."""
    rates = within_rounding(as_float64(name, check_scores(name, values)))
    if rates.min() < 0 or rates.max() > 1:
        outside = rates[(rates < 0) | (rates > 1)][0]
        raise ValueError(f"{name} must lie in [0, 1], found {outside:g}.")
    is_low = np.diff(rates) <= 0
    if is_low.any():
        where = int(np.argmax(is_low))
        raise ValueError(
            f"{name} must increase, found {rates[where + 1]:g} after "
            f"{rates[where]:g}: pass numpy.unique({name})."
        )
    return rates


def check_folds(
    y_trues: FoldsLike,
    y_scores: ArraysByFold | None = None,
    sample_weight: ArraysByFold | None = None,
    pos_label: Label = None,
    *,
    repeats: Repeats = None,
) -> Folds:
    """Return the folds that have both classes, and warn of the others."""
    by_fold: dict[str, Any] = {"y_scores": y_scores, "sample_weight": sample_weight}
    if isinstance(y_trues, Folds | FoldRankings):
        check_alone(y_trues, "y_trues", **by_fold, pos_label=pos_label, repeats=repeats)
    if isinstance(y_trues, Folds):
        return y_trues
    given = y_trues if isinstance(y_trues, list | tuple) else []
    tables = [fold for fold in given if isinstance(fold, RankTable)]
    if 0 < len(tables) < len(given):
        raise ValueError(
            "y_trues must hold the labels of every fold, or a RankTable of every fold: "
            f"of {len(given)} folds {len(tables)} are tables."
        )
    if isinstance(y_trues, FoldRankings):
        folds = make_folds(y_trues)
    elif tables:
        check_alone(tables[0], "y_trues", **by_fold, pos_label=pos_label)
        has_weights = any(table.n_samples is None for table in tables)
        folds = Folds(tuple(tables), has_weights)
    else:
        labels = _sequence("y_trues", y_trues)
        for name, value in by_fold.items():
            if name == "y_scores" or value is not None:
                by_fold[name] = _sequence(name, value)
                if len(by_fold[name]) != len(labels):
                    raise ValueError(
                        f"{name} must hold as many arrays as y_trues, one for each "
                        f"fold: found {len(by_fold[name])} and {len(labels)}."
                    )
        weights = by_fold["sample_weight"] or [None] * len(labels)
        cases = zip(labels, by_fold["y_scores"], weights, strict=True)
        folds = _build_folds(list(cases), pos_label)
    known = folds.repeats if repeats is None else repeats
    return _select_two_class_folds(folds, known)


def _select_two_class_folds(folds: Folds, repeats: Repeats) -> Folds:
    """Return the folds that have both classes, with the number of each one's repeat."""
    numbers = check_repeats("repeats", repeats, len(folds.tables)).tolist()
    has_both = [table.n_pos > 0 and table.n_neg > 0 for table in folds.tables]
    kept, n_folds = np.flatnonzero(has_both), len(has_both)
    if len(kept) == 0:
        raise ValueError(
            f"None of the {n_folds} folds has both classes, of sample_weight above 0: "
            "a ROC curve needs positives and negatives. Use stratified or fewer folds."
        )
    if len(kept) < n_folds:
        warn(
            f"{n_folds - len(kept)} of {n_folds} folds hold one class only and are "
            "left out of the consensus curve.",
            UndefinedMetricWarning,
        )
    return replace(
        folds,
        tables=tuple(folds.tables[i] for i in kept),
        repeats=tuple(numbers[i] for i in kept),
    )


def make_folds(rankings: FoldRankings) -> Folds:
    """Return all folds, also folds of one class, which have no ROC curve."""
    folds, numbers = _build_folds(list(rankings), None), rankings.repeats.tolist()
    return replace(folds, repeats=tuple(numbers), pos_label=rankings.pos_label)


def _build_folds(
    cases: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike | None]], pos_label: Label
) -> Folds:
    """Return the folds of (labels, scores, weights or None)."""
    tables, sums, used = [], [], [np.ones(1)]
    for i, (y_true, y_score, weights) in enumerate(cases):
        try:
            sample = check_ranking(y_true, y_score, weights, pos_label)
            tables.append(build_table(sample, with_scores=True))
            if weights is not None:
                weights = check_weights("sample_weight", weights)
                sums.append(weights.sum())
                used.append(weights[weights > 0])
        except ValueError as error:
            raise ValueError(f"Fold {i}: {error}") from None
    # Those that are equal were dropped within a fold; other folds may have others.
    all_used = np.concatenate(used[1:] or used)
    differ = bool(all_used.min() < all_used.max())
    if differ:
        scales = [total / one.total for total, one in zip(sums, tables, strict=True)]
        tables = [
            RankTable(table.pos * scale, table.neg * scale, table.thresholds)
            for table, scale in zip(tables, scales, strict=True)
        ]
    return Folds(tuple(tables), differ, pos_label=pos_label)


def _sequence(name: str, values: Any) -> list[Any]:
    """Return a non-empty list of what is given for each fold."""
    is_sequence = isinstance(values, Sequence) and not isinstance(values, str | bytes)
    is_sequence |= isinstance(values, np.ndarray) and values.ndim > 0
    if not is_sequence or any(np.ndim(value) == 0 for value in values):
        raise ValueError(
            f"{name} must hold an array for each fold, as a list of them; found "
            f"{type(values).__name__}. For one fold pass [y_true], [y_score]; for "
            "several models use RateAveragedROC.from_models(y_true, models)."
        )
    if len(values) == 0:
        raise ValueError(f"{name} is empty: at least one fold is needed.")
    return list(values)


def default_rates(tables: Sequence[RankTable], *, has_weights: bool) -> FloatArray:
    """Return rates from 0 to 1 that show a curve over them as it is."""
    sizes = {table.total for table in tables}
    # Folds of one size have a rate per case up to this size, others this many steps.
    n_steps = most_steps = 200
    if len(sizes) == 1 and not has_weights:
        n_steps = min(round(sizes.pop()), most_steps)
    steps = np.arange(n_steps + 1) / n_steps
    # A class that is ranked within less than 4 steps gets 10 up to its share.
    prevalence = Folds(tuple(tables)).prevalence
    rare = min(prevalence, 1 - prevalence)
    if n_steps < most_steps or rare * n_steps >= 4:
        return steps
    finer = rare * np.arange(51) / 10
    is_of_pos = prevalence < 0.5
    return np.union1d(steps, finer if is_of_pos else 1 - finer)
