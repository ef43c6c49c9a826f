"""Rank tables of folds that are averaged at equal rate, and their common curve."""

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
from skrate.data.ranking import check_ranking
from skrate.data.table import RankTable, build_table, check_alone


@dataclass(frozen=True, eq=False)
class Folds:
    """Rank tables of folds, each with both classes.

    The consensus at a rate processes the same fraction of every fold. ``repeats`` has
    the number of the repeat of each fold; None means one repeat, in which no sample is
    tested twice. ``added`` samples of each class are added to the source of new folds,
    half of each above all other samples and half below.
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
            Folds(tuple(repeat_tables), self.has_weights, added=self.added)
            for repeat_tables in tables.values()
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
        """Fraction of positives in all folds together."""
        return self.n_pos / (self.n_pos + self.n_neg)

    def interpolate_tpr(self, rates: FloatArray) -> FloatArray:
        """Return the recall of each fold at ``rates``; 0 without positives."""
        pos = np.stack(
            [np.interp(rates, table.rates, table.cum_pos) for table in self.tables]
        )
        n_pos = self.column("n_pos")
        return np.divide(pos, n_pos, out=np.zeros_like(pos), where=n_pos > 0)

    def pooled_count(self, tpr: FloatArray) -> FloatArray:
        """Return the selected weight of positives, given the recall of each fold."""
        return np.asarray((self.column("n_pos") * tpr).sum(axis=0))

    def reachable(self, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the minimum and maximum weight of positives selected at ``rates``."""
        minimum, maximum = np.zeros_like(rates), np.zeros_like(rates)
        for table in self.tables:
            processed = rates * table.total
            minimum += np.maximum(processed - table.n_neg, 0.0)
            maximum += np.minimum(processed, table.n_pos)
        return minimum, maximum

    @cached_property
    def cuts(self) -> FloatArray:
        """All rates where the curve of a fold bends, from 0 to 1."""
        return np.unique(np.concatenate([table.rates for table in self.tables]))

    @cached_property
    def pooled(self) -> RankTable:
        """The consensus as a table, with one group between two adjacent ``cuts``."""
        processed = self.cuts * (self.n_pos + self.n_neg)
        pos = np.diff(self.pooled_count(self.interpolate_tpr(self.cuts)))
        pos = np.maximum(pos, 0.0)
        # Up to rounding, all other weight is negative.
        neg = np.maximum(np.diff(processed) - pos, 0.0)
        return RankTable(pos, neg)

    @cached_property
    def has_one_prevalence(self) -> bool:
        """Whether every fold has the same fraction of positives."""
        n_pos, total = self.column("n_pos"), self.column("total")
        # The tolerance is for weights, because their sums are rounded.
        return bool(np.allclose(n_pos / total, self.prevalence, rtol=1e-12, atol=0))

    @cached_property
    def places(self) -> list[FloatArray]:
        """The cuts of each fold, as positions along the common ROC curve of all folds.

        A position is the rate of the cut in a fold with the overall prevalence.
        """
        if self.has_one_prevalence:
            return [table.rates for table in self.tables]
        p, q = self.prevalence, self.n_neg / (self.n_pos + self.n_neg)
        return [p * table.tpr + q * table.fpr for table in self.tables]

    @cached_property
    def shared(self) -> RankTable:
        """All samples at their ``places``, with one group between adjacent cuts."""
        cuts = np.unique(np.concatenate(self.places))
        pos, neg = np.zeros(len(cuts)), np.zeros(len(cuts))
        for places, table in zip(self.places, self.tables, strict=True):
            pos += np.interp(cuts, places, table.cum_pos)
            neg += np.interp(cuts, places, table.cum_neg)
        # Negative differences are rounding errors.
        return RankTable(*(np.maximum(np.diff(above), 0.0) for above in (pos, neg)))

    @cached_property
    def sizes(self) -> dict[tuple[int, int], int]:
        """Number of folds by (number of positives, number of negatives)."""
        n_folds: dict[tuple[int, int], int] = {}
        for table in self.tables:
            size = (round(table.n_pos), round(table.n_neg))
            n_folds[size] = n_folds.get(size, 0) + 1
        return n_folds

    def column(self, name: str) -> FloatArray:
        """Return an attribute of the tables as a column, one row per fold."""
        return np.array([[getattr(table, name)] for table in self.tables])


# Labels or tables by fold, rankings of folds, or the `folds` of another curve.
FoldsLike: TypeAlias = Sequence[ArrayLike | RankTable] | Array | FoldRankings | Folds


def count_hits(labels: Array, rates: FloatArray) -> FloatArray:
    """Return the number of ``labels`` equal to 1 in the first fraction of each ranking.

    Labels are 0 or 1, and rankings lie along the last axis. A sample that is cut counts
    by its processed fraction.
    """
    n_samples = labels.shape[-1]
    processed = rates * n_samples
    whole = np.minimum((processed + 1e-9).astype(np.intp), n_samples - 1)
    fraction = np.clip(processed - whole, 0, 1)
    cuts, where = np.unique(np.append(0, whole), return_inverse=True)
    # First the hits between adjacent cuts, then the hits above each cut.
    hits = np.add.reduceat(labels, cuts, axis=-1, dtype=np.int32)
    above = np.zeros_like(hits)
    np.cumsum(hits[..., :-1], axis=-1, out=above[..., 1:])
    return np.asarray(above[..., where[1:]] + fraction * labels[..., whole])


def check_rates(name: str, values: Any) -> FloatArray:
    """Return ``values`` as increasing rates in [0, 1]."""
    rates = within_rounding(as_float64(name, check_scores(name, values)))
    if rates.min() < 0 or rates.max() > 1:
        outside = rates[(rates < 0) | (rates > 1)][0]
        raise ValueError(f"{name} must lie in [0, 1], got {outside:g}.")
    is_low = np.diff(rates) <= 0
    if is_low.any():
        where = int(np.argmax(is_low))
        found = f"{rates[where + 1]:g} after {rates[where]:g}"
        raise ValueError(f"{name} must increase, got {found}: use numpy.unique.")
    return rates


def check_folds(
    y_trues: FoldsLike,
    y_scores: ArraysByFold | None = None,
    sample_weight: ArraysByFold | None = None,
    pos_label: Label = None,
    *,
    repeats: Repeats = None,
) -> Folds:
    """Return the folds that have both classes; warn if folds are left out."""
    by_fold: dict[str, Any] = {"y_scores": y_scores, "sample_weight": sample_weight}
    if isinstance(y_trues, Folds | FoldRankings):
        check_alone(y_trues, "y_trues", **by_fold, pos_label=pos_label, repeats=repeats)
    if isinstance(y_trues, Folds):
        return y_trues
    entries = y_trues if isinstance(y_trues, list | tuple) else []
    tables = [fold for fold in entries if isinstance(fold, RankTable)]
    if 0 < len(tables) < len(entries):
        found = f"{len(entries)} folds, {len(tables)} as tables"
        raise ValueError(f"y_trues must be labels or RankTables, got {found}.")
    if isinstance(y_trues, FoldRankings):
        folds = make_folds(y_trues)
    elif tables:
        check_alone(tables[0], "y_trues", **by_fold, pos_label=pos_label)
        has_weights = any(table.n_samples is None for table in tables)
        folds = Folds(tuple(tables), has_weights)
    else:
        labels = _sequence("y_trues", y_trues)
        for name, arrays in by_fold.items():
            if name == "y_scores" or arrays is not None:
                by_fold[name] = _sequence(name, arrays)
                if len(by_fold[name]) != len(labels):
                    found = f"{len(by_fold[name])} arrays for {len(labels)} folds"
                    raise ValueError(f"{name} must be like y_trues, got {found}.")
        weights = by_fold["sample_weight"] or [None] * len(labels)
        arrays_of_folds = zip(labels, by_fold["y_scores"], weights, strict=True)
        folds = _build_folds(list(arrays_of_folds), pos_label)
    numbers = folds.repeats if repeats is None else repeats
    return _select_two_class_folds(folds, numbers)


def _select_two_class_folds(folds: Folds, repeats: Repeats) -> Folds:
    """Return the folds that have both classes, with the numbers of their repeats."""
    numbers = check_repeats("repeats", repeats, len(folds.tables)).tolist()
    has_both = [table.n_pos > 0 and table.n_neg > 0 for table in folds.tables]
    selected, n_folds = np.flatnonzero(has_both), len(has_both)
    if len(selected) == 0:
        raise ValueError(
            f"None of the {n_folds} folds has both classes with weights above 0: use "
            "stratified or fewer folds."
        )
    if len(selected) < n_folds:
        text = (
            f"{n_folds - len(selected)} of {n_folds} folds are left out, because they"
        )
        text += " contain one class only: use stratified or fewer folds."
        warn(text, UndefinedMetricWarning)
    tables = tuple(folds.tables[i] for i in selected)
    return replace(folds, tables=tables, repeats=tuple(numbers[i] for i in selected))


def make_folds(rankings: FoldRankings) -> Folds:
    """Return all folds, including folds of one class, which have no ROC curve."""
    folds, numbers = _build_folds(list(rankings), None), rankings.repeats.tolist()
    return replace(folds, repeats=tuple(numbers), pos_label=rankings.pos_label)


def _build_folds(
    arrays: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike | None]], pos_label: Label
) -> Folds:
    """Return the folds, given tuples of labels, scores and weights or None."""
    tables, sums, used = [], [], [np.ones(1)]
    for i, (y_true, y_score, weights) in enumerate(arrays):
        try:
            sample = check_ranking(y_true, y_score, weights, pos_label)
            tables.append(build_table(sample, with_scores=True))
            if weights is not None:
                weights = check_weights("sample_weight", weights)
                sums.append(weights.sum())
                used.append(weights[weights > 0])
        except ValueError as error:
            raise ValueError(f"Fold {i}: {error}") from None
    # Equal weights were dropped within a fold, but can differ between folds.
    all_used = np.concatenate(used[1:] or used)
    has_weights = bool(all_used.min() < all_used.max())
    if has_weights:
        scales = [total / fold.total for total, fold in zip(sums, tables, strict=True)]
        tables = [
            RankTable(table.pos * scale, table.neg * scale, table.thresholds)
            for table, scale in zip(tables, scales, strict=True)
        ]
    return Folds(tuple(tables), has_weights, pos_label=pos_label)


def _sequence(name: str, values: Any) -> list[Any]:
    """Return ``values`` as a non-empty list with one array per fold."""
    is_sequence = isinstance(values, Sequence) and not isinstance(values, str | bytes)
    is_sequence |= isinstance(values, np.ndarray) and values.ndim > 0
    if not is_sequence or any(np.ndim(fold) == 0 for fold in values):
        raise ValueError(
            f"{name} must be a list with one array per fold: for one fold pass "
            "[y_true], [y_score]; for several models use RateAveragedROC.from_models("
            f"y_true, models). Got {type(values).__name__}."
        )
    if len(values) == 0:
        raise ValueError(f"{name} is empty: pass at least one fold.")
    return list(values)


def default_rates(tables: Sequence[RankTable], *, has_weights: bool) -> FloatArray:
    """Return rates from 0 to 1 that are dense enough to draw a curve."""
    sizes = {table.total for table in tables}
    # Folds of one size get a step per sample up to this number, else this number.
    n_steps = most_steps = 200
    if len(sizes) == 1 and not has_weights:
        n_steps = min(round(sizes.pop()), most_steps)
    steps = np.arange(n_steps + 1) / n_steps
    # If the fraction of a class is below 4 steps, add steps of a tenth of this
    # fraction.
    prevalence = Folds(tuple(tables)).prevalence
    rare = min(prevalence, 1 - prevalence)
    if n_steps < most_steps or rare * n_steps >= 4:
        return steps
    finer = rare * np.arange(51) / 10
    is_of_pos = prevalence < 0.5
    return np.union1d(steps, finer if is_of_pos else 1 - finer)
