"""Influence of the cases on curves over the rate, and the covariance that it gives.

What a case adds depends on its class and on the cells between cuts in which the models
put it. So cases are counted by these, and no array of cases times rates is ever made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import sparse

from skrate.core.arrays import FloatArray, IntArray
from skrate.core.rank_table import RankTable
from skrate.inference.delta import multiples
from skrate.inference.sample import Ranked
from skrate.metrics.recall_slopes import share_at_cut

CurveMetric = Literal["recall", "precision", "lift", "hits", "gain"]
CURVE_METRICS: tuple[CurveMetric, ...] = get_args(CurveMetric)
# Clusters whose sums are in memory at once.
_BLOCK = 2**13


@dataclass(frozen=True, eq=False)
class OverRate:
    """A metric of what is processed: hits times ``scale``, plus ``offset``, by rate.

    Hits are the share of all cases that is processed and positive; where
    ``is_per_positive`` they are divided by the prevalence.
    """

    metric: CurveMetric
    rates: FloatArray
    scale: FloatArray
    offset: FloatArray
    is_per_positive: bool

    def values(self, hits: FloatArray, prevalence: float) -> FloatArray:
        """Return the curve of which the hits are given."""
        share = hits / prevalence if self.is_per_positive else hits
        return self.scale * share + self.offset

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest value at each rate, of any ranking."""
        most = np.ones_like(self.rates) if self.is_per_positive else self.rates
        return self.offset, self.offset + self.scale * most


def over_rate(
    metric: CurveMetric, rates: FloatArray, *, benefit: float = 1.0, cost: float = 0.0
) -> OverRate:
    """Return what a metric is at increasing ``rates`` in [0, 1].

    Precision and lift are undefined at 0. A gain is ``benefit`` for each positive that
    is found, less ``cost`` for each case that is processed, per case of the ranking.
    """
    scale, offset = np.ones_like(rates), np.zeros_like(rates)
    if metric in ("precision", "lift"):
        scale = 1 / rates
    elif metric == "gain":
        scale, offset = benefit * scale, -cost * rates
    return OverRate(metric, rates, scale, offset, metric in ("recall", "lift"))


class RepeatedCases(NamedTuple):
    """The cases that the rows of several repeats test, each of them once."""

    cases: Ranked
    case: IntArray  # That of each row.


class Spread(NamedTuple):
    """Curves of models, and how the curve of the first less that of the second varies.

    ``values`` has a row for each model. ``grain`` is what one independent case near
    the cut is worth at each rate: where none tells the models apart no variance is
    seen, which is no sign that there is none.
    """

    values: FloatArray
    covariance: FloatArray
    grain: FloatArray


def curve_spread(
    curve: OverRate,
    models: Sequence[Ranked],
    folds: IntArray | None = None,
    repeats: RepeatedCases | None = None,
) -> Spread:
    """Return the curves of one or two models of the same cases, and their spread.

    ``folds`` numbers the fold of each row, if scores are comparable within folds only:
    then each is cut at the rate on its own, and what they find is added up.
    """
    cases = models[0] if repeats is None else repeats.cases
    ranked = [_ranked(curve, model, cases, folds) for model in models]
    width = len(ranked[0].influence)
    rows, codes = [], []
    for sign, start, one in zip((1, -1), (0, width), ranked, strict=False):
        rows.append(sign * one.influence)
        codes.append(start + one.codes)
    covariance = _covariance(np.concatenate(rows), codes, models[0], repeats)
    # Rounding must not leave it askew.
    return Spread(
        np.stack([one.values for one in ranked]),
        (covariance + covariance.T) / 2,
        np.max([one.grain for one in ranked], axis=0),
    )


class _Curve(NamedTuple):
    """The curve of one model, and what a case of each code adds to it, by rate."""

    values: FloatArray
    grain: FloatArray
    influence: FloatArray
    codes: IntArray


def _ranked(
    curve: OverRate, model: Ranked, cases: Ranked, folds: IntArray | None
) -> _Curve:
    rates = curve.rates
    parts = by_fold(model, folds)
    tables = [part.table for _, part in parts]
    total = sum(table.total for table in tables)
    prevalence = sum(table.n_pos for table in tables) / total
    # By the share of positives: the slope of large weights may not be finite.
    found = [_recall(table, rates) for table in tables]
    n_found = [table.n_pos * tpr for table, tpr in zip(tables, found, strict=True)]
    hits = np.sum(n_found, axis=0) / total
    lost = share_at_cut(tables, rates, model.total / cases.total)
    influence: list[FloatArray] = []
    codes = np.empty(len(model.is_pos), dtype=np.intp)
    start = 0
    for (places, part), tpr in zip(parts, found, strict=True):
        table, starts = part.table, _starts(part.table, rates)
        of_neg, of_pos = _influence(table, starts, tpr, lost, rates)
        if curve.is_per_positive:
            # The share of positives, which divides, is an estimate itself.
            recall = hits / prevalence
            of_neg = (of_neg + recall * table.prevalence) / prevalence
            of_pos = (of_pos - recall * table.negative_share) / prevalence
        influence += [curve.scale * of_neg, curve.scale * of_pos]
        sizes = np.diff(starts, append=table.n_groups)
        cell = np.repeat(np.arange(len(starts)), sizes).take(part.group)
        codes[places] = start + cell + len(starts) * part.is_pos
        start += 2 * len(starts)
    return _Curve(
        curve.values(hits, prevalence),
        _grain(curve, cases, lost, prevalence),
        np.concatenate(influence),
        codes,
    )


def _recall(table: RankTable, rates: FloatArray) -> FloatArray:
    """Return the recall at ``rates``; 0 where there is nothing to find."""
    if table.n_pos == 0:
        return np.zeros_like(rates)
    return np.asarray(np.interp(rates, table.rates, table.tpr))


def by_fold(model: Ranked, folds: IntArray | None) -> list[tuple[Any, Ranked]]:
    """Return the cases of each fold, as their places and as a sample."""
    if folds is None:
        return [(slice(None), model)]
    order = np.argsort(folds, kind="stable")
    ends = np.cumsum(np.bincount(folds))[:-1]
    parts = []
    for chosen in np.split(order, ends):
        part = Ranked(
            model.is_pos[chosen],
            None if model.scores is None else model.scores[chosen],
            None if model.weights is None else model.weights[chosen],
            kind=model.kind,
            by_case=model.by_case,
        )
        parts.append((chosen, part))
    return parts


def _starts(table: RankTable, rates: FloatArray) -> IntArray:
    """Return where cells begin: those that a rate cuts, and those between them."""
    inner = rates[(rates > 0) & (rates < 1)]
    cut = np.searchsorted(table.rates, inner, side="left") - 1
    starts = np.unique(np.concatenate([[0], cut, cut + 1]))
    return starts[starts < table.n_groups]


def _influence(
    table: RankTable,
    starts: IntArray,
    tpr: FloatArray,
    lost: FloatArray,
    rates: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return what negatives and positives in cells add to the hits, by cell and rate.

    With ``lost`` the share of positives at the cut: a case above the cut pushes such a
    part of a positive below it.
    """
    edges = np.append(table.rates[starts], 1.0)
    low, high = edges[:-1, None], edges[1:, None]
    # The weight of a cell may be lost in that of the others.
    above = (rates >= high).astype(np.float64)
    np.divide(rates - low, high - low, out=above, where=high > low)
    above = np.clip(above, 0, 1)
    of_neg = -table.prevalence * tpr - lost * (above - rates)
    return of_neg, above + of_neg


def _grain(
    curve: OverRate, cases: Ranked, lost: FloatArray, prevalence: float
) -> FloatArray:
    """Return what one independent case at the cut is worth, at each rate."""
    is_cut = (curve.rates > 0) & (curve.rates < 1)
    size = cases.sizes[0] / cases.effective_sizes[0] / cases.total
    if curve.is_per_positive:
        size /= prevalence
    return is_cut * curve.scale * size * np.maximum(lost, 1 - lost)


def _covariance(
    influence: FloatArray,
    codes: Sequence[IntArray],
    rows: Ranked,
    repeats: RepeatedCases | None,
) -> FloatArray:
    """Return the covariance of what rows of ``influence`` add, by the codes of cases.

    A case adds the row of each of its codes, in each of its repeats.
    """
    n_rows, n_units = len(rows.is_pos), rows.n_units
    unit = np.arange(n_rows) if rows.clusters is None else rows.clusters
    times = np.ones(n_rows) if rows.weights is None else rows.weights
    if rows.clusters is None and rows.weights is not None:
        # As roots, since they are about to be squared.
        times = np.sqrt(multiples(times, rows))
    if rows.clusters is None and repeats is not None:
        unit, n_units = repeats.case, len(repeats.cases.is_pos)
    of_units: Any = sparse.coo_array(
        (
            np.tile(times, len(codes)),
            (np.tile(unit, len(codes)), np.concatenate(codes)),
        ),
        shape=(n_units, len(influence)),
    ).tocsr()
    if rows.clusters is None:
        # How many cases have two codes: of cells there are few.
        together = of_units.T @ of_units
        return np.asarray(influence.T @ (together @ influence)) / rows.total**2
    summed = np.zeros((influence.shape[1],) * 2)
    for first in range(0, n_units, _BLOCK):
        sums = of_units[first : first + _BLOCK] @ influence
        summed += sums.T @ sums
    return summed * (n_units / (n_units - 1) / rows.total**2)
