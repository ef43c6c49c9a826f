"""Two rankings of the same cases: what their difference is concluded from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from skrate.data.arrays import Array, FloatArray, IntArray
from skrate.inference.delta import (
    NEGLIGIBLE,
    degrees_of_freedom,
    influence_parts,
    influence_values,
)
from skrate.inference.intervals import (
    bootstrap_interval,
    bootstrap_pvalue,
    intervals_apart,
    inverted_pvalue,
    permutation_interval,
    permutation_pvalue,
    standardised,
    t_pvalue,
)
from skrate.inference.plan import (
    Plan,
    check_worth,
    defined_values,
    warn_of_difference,
    warn_of_few_cases,
)
from skrate.inference.resampling import resample_draw, spread, statistic_of
from skrate.inference.sample import Ranked, repeated
from skrate.metrics.base import Metric, question_of
from skrate.metrics.results import (
    Comparison,
    ConfidenceInterval,
    question_of_both,
    t_interval,
    t_quantile,
)

_NAN = float("nan")
# What makes the interval of a difference at a level.
IntervalAt = Callable[[float], ConfidenceInterval]
# Of sums of shares, which round otherwise where other cases tie.
_ROUNDING = 1e-13


def paired(
    metrics: list[Metric],
    ranked: list[Ranked],
    plan: Plan,
    values: list[float] | None = None,
    influences: list[FloatArray] | None = None,
) -> Comparison:
    """Compare two rankings of the same cases; what is known needs no second look."""
    cases = ranked[0]
    for one in ranked:
        check_worth(plan, one)
    is_new = values is None
    if values is None:
        values = defined_values(metrics, ranked)
    if np.isnan(values).any():
        return conclude_ranked(metrics, ranked, values, float("nan"), plan)
    warn_of_difference(metrics, ranked, plan.method)
    if is_new:
        warn_of_few_cases(metrics, ranked)
    is_stratified = plan.is_stratified(cases)
    if influences is None:
        influences = model_influences(metrics, ranked, stratify=is_stratified)
    parts = influence_parts(influences[0] - influences[1], cases)
    standard_error, freedom = parts.standard_error, degrees_of_freedom((parts, cases))
    draws = None
    if plan.method == "bootstrap":
        draw = resample_draw(ranked, stratify=is_stratified)
        draws = plan.replicates("difference", draw, statistic_of(metrics, ranked))
        standard_error = spread(draws)
    elif plan.method == "permutation":
        draws = _exchanged(metrics, ranked, plan)
    return conclude_ranked(
        metrics, ranked, values, standard_error, plan, freedom, draws
    )


def model_influences(
    metrics: list[Metric], ranked: list[Ranked], *, stratify: bool
) -> list[FloatArray]:
    """Return the influence values of several rankings of the same cases."""
    return [
        influence_values(metric, one, stratify=stratify)
        for metric, one in zip(metrics, ranked, strict=True)
    ]


def _exchanged(metrics: list[Metric], ranked: list[Ranked], plan: Plan) -> FloatArray:
    """Return the difference where the ranks of random cases are exchanged."""
    draw = ExchangeDraw.of(*(repeated(one) for one in ranked))
    statistic = partial(exchanged_difference, metrics)
    return plan.replicates("difference", draw, statistic)


def conclude_ranked(
    metrics: list[Metric],
    ranked: list[Ranked],
    values: list[float],
    standard_error: float,
    plan: Plan,
    freedom: float = np.inf,
    draws: FloatArray | None = None,
) -> Comparison:
    """Return the comparison of two values; ``draws`` are of their difference.

    The degrees of freedom are those of the standard error.
    """

    def find_apart() -> Callable[[float], ConfidenceInterval]:
        fixed = [plan.is_stratified(one) for one in ranked]
        return intervals_apart(metrics, ranked, values, stratify=fixed)

    pairs = zip(metrics, ranked, strict=True)
    bounds = [metric.bounds(one.table) for metric, one in pairs]
    return conclude(
        metrics, values, standard_error, plan, freedom, draws, bounds, find_apart
    )


def conclude(
    metrics: Sequence[Metric],
    values: Sequence[float],
    standard_error: float,
    plan: Plan,
    freedom: float,
    draws: FloatArray | None,
    bounds: Sequence[tuple[float, float]],
    find_apart: Callable[[], IntervalAt],
) -> Comparison:
    """Return the comparison of two values; ``draws`` are of their difference.

    The degrees of freedom are those of the standard error, and ``bounds`` those of each
    value. Where the difference shows no variation ``find_apart`` is asked for intervals
    that combine those of each value alone.
    """
    a, b = values
    difference = a - b
    statistic, pvalue = _NAN, _NAN
    ends = ConfidenceInterval(_NAN, _NAN)
    (low_a, high_a), (low_b, high_b) = bounds
    limits = low_a - high_b, high_a - low_b
    if np.isnan(difference):
        limits = _NAN, _NAN
    if standard_error < NEGLIGIBLE:
        statistic, pvalue, ends = _without_variation(find_apart(), difference, plan)
    elif not np.isnan(difference):
        statistic = standardised(difference, standard_error)
        pvalue = t_pvalue(statistic, plan.alternative, freedom)
        ends = t_interval(
            difference, standard_error, plan.confidence_level, limits, freedom
        )
        if draws is not None and plan.interval != "wald" and len(draws) > 1:
            pvalue, ends = _by_counting(difference, draws, plan, limits)
    if draws is not None and plan.method == "permutation":
        statistic = difference
        pvalue = permutation_pvalue(difference, draws, plan.alternative)
        if np.ptp(draws) > NEGLIGIBLE:
            ends = permutation_interval(
                difference, draws, plan.confidence_level, limits
            )
    return Comparison(
        " - ".join(dict.fromkeys(metric.name for metric in metrics)),
        float(difference),
        float(a),
        float(b),
        standard_error,
        statistic,
        pvalue,
        ends,
        plan.alternative,
        plan.method,
        plan.confidence_level,
        params=question_of_both([question_of(metric) for metric in metrics]),
    )


def _without_variation(
    interval_at: IntervalAt, difference: float, plan: Plan
) -> tuple[float, float, ConfidenceInterval]:
    """Return statistic, p-value and interval where the difference shows no variation.

    The interval combines Wilson's of each model; the p-value is the greatest at which
    it leaves 0 out, and the statistic what it would be as a normal quantile.
    """
    pvalue = inverted_pvalue(interval_at, difference)
    statistic = float(np.copysign(t_quantile(1 - pvalue), difference))
    if plan.alternative != "two-sided":
        pvalue = t_pvalue(statistic, plan.alternative, np.inf)
    return statistic, pvalue, interval_at(plan.confidence_level)


def _by_counting(
    difference: float, draws: FloatArray, plan: Plan, limits: tuple[float, float]
) -> tuple[float, ConfidenceInterval]:
    """Return the p-value and the interval between quantiles of the bootstrap."""
    if plan.interval == "basic":
        # Mirrored at the difference.
        draws = 2 * difference - draws
    return (
        bootstrap_pvalue(difference, draws, plan.alternative),
        bootstrap_interval(difference, draws, plan.confidence_level, limits),
    )


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


def exchanged_difference(metrics: Sequence[Metric], rows: FloatArray) -> FloatArray:
    """Return the first metric less the second of rows of an :class:`ExchangeDraw`."""
    first, second = np.split(rows, 2, axis=1)
    of_a = metrics[0].values(*np.split(first, 2, axis=1))
    return of_a - metrics[1].values(*np.split(second, 2, axis=1))
