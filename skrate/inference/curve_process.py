r"""Curves over the rate as random processes: values, covariance, intervals and bands.

The kernel under :func:`skrate.compare_curves`, and under whatever else says something
of a whole curve. It takes checked samples, as ``check_cases`` and ``scored`` return
them, and increasing ``rates`` in [0, 1]::

    process = curve_process("hits", [model], rates)              # the curve of a model
    process = curve_process("hits", [model_a, model_b], rates)   # that of a less b

    process.values, process.standard_error, process.covariance   # by rate
    process.interval(0.95)                         # pointwise: .low and .high by rate
    process.band(0.95, 2000, generator)            # simultaneous: the same
    process.critical_value(0.95, 2000, generator)  # what the band is made of

The band holds the true curve at all rates at once with the probability asked for. So
it does what follows from it: sum_j w_j D(r_j) lies between the least and the greatest
value that is possible within the band, for all w together, chosen before or after. For
one w that was chosen before, the standard error is sqrt(w @ covariance @ w).

A case of label y that lies above the cut at r with probability m (1 or 0, or a part
where it ties at the cut) has on the hits h(r) = E[y m] the influence

    psi(r) = y m - h - L (m - r),

with L the share of positives at the cut, from its neighbours: more weight above the
cut pushes cases below it. Other metrics are multiples of the hits; from a recall or a
lift, whose denominator is an estimate as well, its value times y - p is taken. The
covariance at two rates is that of psi, over n, or that of the sums of clusters. Given
the data, multipliers of psi that are normal make a normal process of this covariance:
it is drawn as such, at a cost that does not depend on n.

What a case adds depends on its class and on the cells between cuts in which the models
put it: cases are counted by these, and no array of cases times rates is ever made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import sparse

from skrate.core.results import t_quantile, wilson_ends
from skrate.data.arrays import FloatArray, IntArray
from skrate.data.table import RankTable
from skrate.inference.delta import multiples
from skrate.inference.sample import Ranked
from skrate.inference.wilson import ADDED
from skrate.metrics.recall import share_at_cut

CurveMetric = Literal["recall", "precision", "lift", "hits", "gain"]
CURVE_METRICS: tuple[CurveMetric, ...] = get_args(CurveMetric)
# Draws that are in memory at once, and clusters whose sums are.
_BATCH, _BLOCK = 500, 2**13
# Of all variation this share is rounding.
_ROUNDING = 1e-13


class CurveBounds(NamedTuple):
    """Bounds of a curve, by rate.

    Attributes
    ----------
    low, high : array of shape (n_rates,)
        Its lower and its upper bounds.
    """

    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class CurveProcess:
    """The curve of one model, or that of a first less that of a second.

    Attributes
    ----------
    rates : array of shape (n_rates,)
        Increasing, in [0, 1].
    of_models : array of shape (n_models, n_rates)
        The curve of each model.
    covariance : array of shape (n_rates, n_rates)
        Of ``values`` over samples.
    grain : array of shape (n_rates,)
        What one independent case at the cut is worth.
    limits : tuple of two arrays of shape (n_rates,)
        The range of the curve of a model.
    freedom : float
        The degrees of freedom of Student's t in place of the normal distribution.
    """

    rates: FloatArray
    of_models: FloatArray
    covariance: FloatArray
    grain: FloatArray
    limits: tuple[FloatArray, FloatArray]
    freedom: float = np.inf

    @property
    def is_difference(self) -> bool:
        """Whether there are two models."""
        return len(self.of_models) > 1

    @cached_property
    def values(self) -> FloatArray:
        """The curve, or the difference of two."""
        return np.asarray(self.of_models[0] - self.of_models[1:].sum(axis=0))

    @cached_property
    def standard_error(self) -> FloatArray:
        """Estimated standard deviation of ``values`` over samples, by rate."""
        return np.sqrt(self._variance)

    def interval(self, level: float) -> CurveBounds:
        """Return bounds that hold the true curve at one rate that was chosen before.

        Those of one curve are Wilson's, as an interval of :func:`skrate.estimate`.
        """
        critical = t_quantile(level, self.freedom)
        return self.bounds(critical) if self.is_difference else self._wilson(critical)

    def band(
        self, level: float, n_resamples: int, generator: np.random.Generator
    ) -> CurveBounds:
        """Return bounds that hold the true curve at all rates at once.

        If it were x cases away at some rate, all of them on one side, no case would
        show it with probability exp(-x): the bounds are at least so far away that this
        is half of 1 less the level, 3.7 cases at 0.95.
        """
        critical = self.critical_value(level, n_resamples, generator)
        return self.bounds(critical, -float(np.log((1 - level) / 2)))

    def critical_value(
        self, level: float, n_resamples: int, generator: np.random.Generator
    ) -> float:
        """Return what takes the place of the normal quantile in a band.

        It is the quantile of the largest deviation over all rates, in standard errors,
        of so many draws of the process (Montiel Olea and Plagborg-Moller 2019,
        algorithm 1). Of a difference that of one more case is added to their squares:
        where hardly a case tells the models apart what can be seen is whole cases,
        while draws deviate there as anywhere. It is at least the normal quantile, as of
        models that agree at all rates; and of few clusters greater, as Student's t is.
        """
        least, normal = t_quantile(level, self.freedom), t_quantile(level)
        error = self.standard_error
        if not error.any():
            return least
        if self.is_difference:
            error = np.hypot(error, self.grain)
        varies = error > 0
        root = _root(self.covariance)[:, varies] / error[varies]
        largest = []
        for first in range(0, n_resamples, _BATCH):
            size = min(_BATCH, n_resamples - first)
            drawn = generator.standard_normal((size, len(root))) @ root
            largest.append(np.abs(drawn).max(axis=1))
        found = float(np.quantile(np.concatenate(largest), level))
        return max(found * least / normal, least)

    def bounds(self, critical: float, least: float = 0.0) -> CurveBounds:
        """Return the bounds that a critical value c makes, at least some cases away.

        With s the standard error and g the grain, they are c sqrt(s^2 + (c g / 2)^2)
        away, as if c^2 / 4 more cases at the cut varied: as much as Wilson's interval
        of a share is wider, which holds where few vary, or none.
        """
        half = critical * np.hypot(self.standard_error, critical * self.grain / 2)
        half = np.maximum(half, least * self.grain)
        low, high = self.limits
        if self.is_difference:
            low, high = low - high, high - low
        value = self.values
        # What lies on a limit may be beyond it by rounding.
        low = np.minimum(np.maximum(value - half, low), value)
        return CurveBounds(low, np.maximum(np.minimum(value + half, high), value))

    def _wilson(self, critical: float) -> CurveBounds:
        value, (low, high) = self.values, self.limits
        # With a tenth of a case that varies, half of it at either end.
        added = ADDED / 2 * self.grain
        variance = self._variance + added * self.grain
        room = (value - low + added) * (high - value + added)
        k = np.zeros_like(value)
        np.divide(critical**2 * variance, room, out=k, where=room > 0)
        is_open = high > low
        ends = wilson_ends(value, (low, np.where(is_open, high, low + 1)), k)
        return CurveBounds(*(np.where(is_open, end, value) for end in ends))

    @cached_property
    def _variance(self) -> FloatArray:
        variance = np.diag(self.covariance).copy()
        # Models may agree all but exactly, and the rest is rounding.
        variance[variance < _ROUNDING * self.grain**2] = 0.0
        return variance


class RepeatedCases(NamedTuple):
    """The cases that the rows of several repeats test, each of them once."""

    cases: Ranked
    case: IntArray  # That of each row.


def curve_process(
    metric: CurveMetric,
    models: Sequence[Ranked],
    rates: FloatArray,
    *,
    folds: IntArray | None = None,
    repeats: RepeatedCases | None = None,
    benefit: float = 1.0,
    cost: float = 0.0,
) -> CurveProcess:
    """Return the curve of one model, or that of a first less that of a second.

    Parameters
    ----------
    metric : {"recall", "precision", "lift", "hits", "gain"}
        What is found of the positives, its share of what is processed, or of all cases;
        or ``benefit`` for each positive found less ``cost`` for each case processed,
        per case of the ranking. Precision and lift are undefined at the rate 0.
    models : sequence of Ranked
        One model, or two of the same cases; with positives and negatives.
    rates : array of shape (n_rates,)
        Increasing, in [0, 1].
    folds : array of shape (n_samples,), default=None
        The fold of each case, from 0, where scores are comparable within folds only:
        each fold is cut at the rate on its own, and holds both classes.
    repeats : RepeatedCases, default=None
        Which rows test the same cases again, of which none counts more than once.
    benefit, cost : float
        For the gain only.

    Returns
    -------
    process : CurveProcess
        Its cost is O(n log n + n_rates^3), its memory O(n + n_rates^2).

    Examples
    --------
    >>> from skrate.inference.sample import check_cases, scored
    >>> cases = check_cases([1, 0, 1, 0, 0])
    >>> models = [
    ...     scored(cases, "y_score", s)
    ...     for s in ([5, 3, 4, 2, 1], range(5))
    ... ]
    >>> process = curve_process("recall", models, np.array([0.4, 0.8]))
    >>> process.values.tolist()
    [1.0, 0.5]
    """
    curve = _over_rate(metric, rates, benefit=benefit, cost=cost)
    cases = models[0] if repeats is None else repeats.cases
    freedom = np.inf
    if cases.clusters is not None:
        # As many as clusters that hold cases of the rarer class, less 1.
        freedom = max(min(cases.effective_sizes) - 1, 1.0)
    ranked = [_ranked(curve, model, cases, folds) for model in models]
    rows, codes = [], []
    for sign, start, one in zip(
        (1, -1), (0, len(ranked[0].influence)), ranked, strict=False
    ):
        rows.append(sign * one.influence)
        codes.append(start + one.codes)
    covariance = _covariance(np.concatenate(rows), codes, models[0], repeats)
    return CurveProcess(
        rates,
        np.stack([one.values for one in ranked]),
        # Rounding must not leave it askew.
        (covariance + covariance.T) / 2,
        np.max([one.grain for one in ranked], axis=0),
        curve.limits,
        freedom,
    )


def _root(covariance: FloatArray) -> FloatArray:
    """Return the symmetric matrix whose square is the covariance.

    It is the only one: of others the draws would depend on who found them.
    """
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T)


@dataclass(frozen=True, eq=False)
class _OverRate:
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


def _over_rate(
    metric: CurveMetric, rates: FloatArray, *, benefit: float = 1.0, cost: float = 0.0
) -> _OverRate:
    """Return what a metric is at increasing ``rates`` in [0, 1].

    Precision and lift are undefined at 0. A gain is ``benefit`` for each positive that
    is found, less ``cost`` for each case that is processed, per case of the ranking.
    """
    scale, offset = np.ones_like(rates), np.zeros_like(rates)
    if metric in ("precision", "lift"):
        scale = 1 / rates
    elif metric == "gain":
        scale, offset = benefit * scale, -cost * rates
    return _OverRate(metric, rates, scale, offset, metric in ("recall", "lift"))


class _Curve(NamedTuple):
    """The curve of one model, and what a case of each code adds to it, by rate."""

    values: FloatArray
    grain: FloatArray
    influence: FloatArray
    codes: IntArray


def _ranked(
    curve: _OverRate, model: Ranked, cases: Ranked, folds: IntArray | None
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
    curve: _OverRate, cases: Ranked, lost: FloatArray, prevalence: float
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
