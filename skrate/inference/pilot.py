"""What a pilot tells of larger samples: variances per case, and how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special, stats

from skrate.core.arrays import Array, BoolArray, FloatArray, IntArray
from skrate.core.metric import Metric, find_metric
from skrate.core.rank_table import RankTable, table_of_weights
from skrate.core.results import ConfidenceInterval, t_quantile
from skrate.inference.delta import NEGLIGIBLE, Parts, influence_parts, influence_values
from skrate.inference.intervals import Alternative, interval_of
from skrate.inference.plan import check_metric
from skrate.inference.sample import Ranked, counted
from skrate.inference.wilson import (
    Augmented,
    augmented,
    range_of,
    wilson_interval,
    with_room,
)

# Of each class as many cases are planned at least: no variance is found of fewer.
_LEAST = 2
# Samples of more cases are not planned.
_MOST = 2**53
# From here on Student's distributions are normal ones.
_NORMAL = 1e5
# Into so many parts a pilot is cut to see how sure its variance is.
_PARTS = 20
# Where so many standard errors are beyond what is needed, the power is 1.
_CERTAIN = 20.0


@dataclass(frozen=True)
class Pilot:
    """Variances of a metric, or of a difference, as samples of other sizes have them.

    A sample of n cases has the variance ``unit.total / n``, of parts that the classes
    are the sources of in the shares ``prevalence`` and its rest.
    """

    value: float
    unit: Parts
    prevalence: float
    spread: float  # The standard error of the logarithm of ``unit.total``
    freedom: float  # and its degrees of freedom, those of the pilot.
    cases_per_unit: float  # Cases of an independent unit: more than 1 in clusters.
    sizes: tuple[float, float]  # Independent positives and negatives per case.
    # The interval around the value of what has a variance and degrees of freedom.
    interval_at: Callable[[Parts, float], ConfidenceInterval]

    @property
    def least(self) -> int:
        """The fewest cases that can be planned."""
        rarer = min(self.prevalence, 1 - self.prevalence)
        return int(np.ceil(max(_LEAST / rarer, _LEAST * self.cases_per_unit)))

    def sizes_between(self, low: float, high: float) -> ConfidenceInterval:
        """Return what a size may be, within what can be planned."""
        most = np.inf if high > _MOST else high
        return ConfidenceInterval(float(np.maximum(low, self.least)), most)

    def freedom_of(self, n: float) -> float:
        """Return the degrees of freedom of the variance of n cases, about."""
        # As those of `delta.degrees_of_freedom`, for parts in these proportions.
        shares = (*self.sizes, sum(self.sizes))
        squares = sum(
            part**2 / max(n * share - 1, 1)
            for part, share in zip(self.unit, shares, strict=True)
        )
        most = np.inf if self.cases_per_unit == 1 else n / self.cases_per_unit - 1
        return float(min(max(self.unit.total**2 / squares, 1.0), most))

    def standard_error(self, n: float) -> float:
        """Return the standard error in a sample of n cases."""
        return float(np.sqrt(self.unit.total / n))

    def half_width(self, n: float) -> float:
        """Return half the width of the interval in a sample of n cases."""
        parts = Parts(*(part / n for part in self.unit))
        low, high = self.interval_at(parts, self.freedom_of(n))
        return (high - low) / 2

    def power(
        self, n: float, difference: float, level: float, alternative: Alternative
    ) -> float:
        """Return the probability that a test of n cases finds a difference."""
        towards = -difference if alternative == "less" else difference
        if alternative == "two-sided":
            towards = abs(difference)
        freedom, excess = self.freedom_of(n), towards / self.standard_error(n)
        is_two_sided = alternative == "two-sided"
        tail = (1 - level) / (2 if is_two_sided else 1)
        needed = -float(special.stdtrit(freedom, tail))
        found = _beyond(needed, freedom, excess)
        return found + (_beyond(needed, freedom, -excess) if is_two_sided else 0.0)

    def least_cases(self, is_enough: Callable[[float], bool]) -> int | None:
        """Return the fewest cases that are enough, as are more; None if none are."""
        low, high = self.least - 1, self.least
        while not is_enough(high):
            low, high = high, 2 * high
            if high > _MOST:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high


def _beyond(needed: float, freedom: float, excess: float) -> float:
    """Return P(T > needed) of Student's T that is off by ``excess``."""
    if abs(excess - needed) > _CERTAIN and abs(excess) > _CERTAIN:
        return float(excess > needed)
    if freedom > _NORMAL:
        return float(special.ndtr(excess - needed))
    # Older versions of scipy divide by zero on the way, and yet find it.
    with np.errstate(divide="ignore"):
        return float(stats.nct.sf(needed, freedom, excess))


def planned_metric(metric: Any, params: dict[str, Any], cases: Ranked) -> Metric:
    """Return the metric that is planned with."""
    found = find_metric(metric, params)
    k = getattr(found, "k", None)
    if k is not None:
        raise ValueError(
            f"k={k} counts cases of the pilot, and would be another share of more of "
            "them: give the rate."
        )
    if found.is_sum:
        raise ValueError(
            f"metric: {found.name} is a sum over the cases of the pilot, and would be "
            "another of more of them: use normalize=True."
        )
    return check_metric(metric, params, cases)


def pilot_of(
    metric: Metric,
    ranked: list[Ranked],
    values: list[float],
    *,
    level: float,
    prevalence: float | None,
    stratify: bool,
) -> Pilot:
    """Return what one ranking tells of its metric, or two of its difference.

    ``prevalence`` is that of the samples to come, None for that of the pilot.
    """
    cases = ranked[0]
    n_units = cases.total if cases.clusters is None else float(cases.n_units)
    share = cases.sizes[0] / cases.total if prevalence is None else prevalence
    sizes = cases.effective_sizes
    planned = [at_prevalence(one, prevalence) for one in ranked]
    unit = _unit(metric, ranked, prevalence, stratify=stratify)
    spread = _spread(metric, ranked, prevalence, stratify=stratify)
    if ranked[1:]:
        make = _of_difference(values[0] - values[1], level)
    else:
        bounds = range_of(metric, planned[0].table, stratify=stratify)
        bounds = with_room(metric, bounds, values[0])
        make = _of_metric(values[0], bounds, level)
        if np.sqrt(unit.total / cases.total) <= NEGLIGIBLE:
            # What was never seen varies by nobody knows how much.
            rare = augmented(metric, planned[0], stratify=stratify)
            unit, spread = Parts(*(part * cases.total for part in rare.parts)), np.nan
            make = _of_metric(rare.value, rare.bounds, level)
    return Pilot(
        value=values[0] - values[1] if ranked[1:] else values[0],
        unit=unit,
        prevalence=share,
        spread=spread,
        freedom=min(*sizes, n_units, _PARTS) - 1,
        cases_per_unit=cases.total / n_units,
        sizes=(share, 1 - share)
        if cases.clusters is None
        else (sizes[0] / cases.total, sizes[1] / cases.total),
        interval_at=make,
    )


def _unit(
    metric: Metric, ranked: list[Ranked], prevalence: float | None, *, stratify: bool
) -> Parts:
    """Return the variance per case by its sources.

    Of n independent cases with influence values v, a share p of them positive, the
    metric has the variance (p E[v^2 | positive] + (1 - p) E[v^2 | negative]) / n; a
    square about the mean of its class is that of the class, the mean itself is what the
    number of positives adds.
    """
    values = [influence_values(metric, at_prevalence(o, prevalence)) for o in ranked]
    per_case, cases = values[0] - values[1] if ranked[1:] else values[0], ranked[0]
    if cases.clusters is not None:
        parts = influence_parts(per_case, cases)
        return Parts(*(part * cases.total for part in parts))
    share = cases.sizes[0] / cases.total if prevalence is None else prevalence
    found, between = [], 0.0
    for chosen, of_class in ((cases.is_pos, share), (~cases.is_pos, 1 - share)):
        weights = None if cases.weights is None else cases.weights[chosen]
        mean = float(np.average(per_case[chosen], weights=weights))
        squares = (per_case[chosen] - mean) ** 2
        found.append(of_class * float(np.average(squares, weights=weights)))
        between += of_class * mean**2
    return Parts(found[0], found[1], 0.0 if stratify else between)


def at_prevalence(ranked: Ranked, prevalence: float | None) -> Ranked:
    """Return the ranking as it would be, were there more positives or fewer."""
    if prevalence is None:
        return ranked
    table = ranked.table
    by_pos = prevalence / table.prevalence
    by_neg = (1 - prevalence) / table.negative_share
    return replace(
        ranked, counts=table_of_weights(table.pos * by_pos, table.neg * by_neg)
    )


def _spread(
    metric: Metric, ranked: list[Ranked], prevalence: float | None, *, stratify: bool
) -> float:
    """Return the standard error of the logarithm of the variance per case.

    By the jackknife that leaves out one of some twenty parts of the pilot: it sees that
    influence values are themselves found from few cases, and, of parts at random, that
    the prevalence is that of the pilot, unless it is given. nan where a part is all
    that a class has, or all clusters but one, or all that makes the metric defined.
    """
    logarithms = []
    is_given = stratify or prevalence is not None
    for rest in _without_parts(ranked, by_class=is_given):
        left = [_taken(one, rest) for one in ranked]
        # Two clusters, too, without one of them.
        if min(*left[0].sizes, left[0].n_units) < _LEAST:
            return float("nan")
        values = [metric.value(at_prevalence(one, prevalence).table) for one in left]
        if np.isnan(values).any():
            return float("nan")
        total = _unit(metric, left, prevalence, stratify=stratify).total
        logarithms.append(np.log(total) if total > 0 else np.nan)
    n = len(logarithms)
    return float(np.sqrt((n - 1) * np.var(logarithms)))


def _without_parts(ranked: list[Ranked], *, by_class: bool) -> Iterator[FloatArray]:
    """Yield the weights of the cases without each part, parts at random.

    With ``by_class`` each holds as many of both classes, about. They are drawn with a
    seed of their own, so that a pilot always has the same, in any order of its rows.
    """
    generator, cases, units = np.random.default_rng(0), ranked[0], _in_order(ranked)
    weights = np.ones(len(cases.is_pos)) if cases.weights is None else cases.weights
    if cases.clusters is None and cases.weights is not None:
        # Repetitions are cases, each of them in a part.
        counts = np.rint(weights).astype(np.int64)
        shares = np.full(_PARTS, 1 / _PARTS)
        taken = np.empty((len(counts), _PARTS))
        taken[units] = generator.multinomial(counts[units], shares)
        yield from weights - taken.T
        return
    n_units = cases.n_units
    part = np.empty(n_units, dtype=np.intp)
    order = units[generator.permutation(n_units)]
    part[order] = np.arange(n_units) % _PARTS
    if cases.clusters is not None:
        part = part[cases.clusters]
    elif by_class or _hold_a_class(part, cases.is_pos):
        order = order[np.argsort(cases.is_pos[order], kind="stable")]
        part[order] = np.arange(n_units) % _PARTS
    for left_out in range(min(_PARTS, n_units)):
        yield np.where(part == left_out, 0.0, weights)


def _in_order(ranked: list[Ranked]) -> IntArray:
    """Return the cases, or the clusters, in an order that is that of no rows.

    Positives first, best first; those that are all alike are exchangeable.
    """
    cases = ranked[0]
    # Whichever model is the first.
    models = sorted(ranked, key=lambda one: [*one.table.pos, *one.table.neg])
    columns: list[Array] = [*(one.group for one in models), ~cases.is_pos]
    if cases.weights is not None:
        columns = [cases.weights, *columns]
    order = np.lexsort(columns)
    if cases.clusters is None:
        return order
    is_new = [np.diff(column[order]) != 0 for column in columns]
    kind = np.append(0, np.cumsum(np.any(is_new, axis=0)))
    held: list[list[int]] = [[] for _ in range(cases.n_units)]
    for unit, code in zip(cases.clusters[order].tolist(), kind.tolist(), strict=True):
        held[unit].append(code)
    return np.array(sorted(range(len(held)), key=held.__getitem__), dtype=np.intp)


def _hold_a_class(part: IntArray, is_pos: BoolArray) -> bool:
    """Say whether too few cases of a class are left without one of the parts."""
    of_class = [np.bincount(part[of]) for of in (is_pos, ~is_pos)]
    return any(held.sum() - held.max() < _LEAST for held in of_class)


def _taken(ranked: Ranked, weights: FloatArray) -> Ranked:
    """Return the ranking of the cases that have weight left."""
    kept = weights > 0
    is_pos, weight = ranked.is_pos[kept], weights[kept]
    if ranked.scores is None:
        group, size = ranked.group[kept], ranked.table.n_groups
        pos, neg = (
            np.bincount(group[of], weight[of], minlength=size)
            for of in (is_pos, ~is_pos)
        )
        return counted(RankTable(pos, neg))
    clusters = ranked.clusters
    if clusters is not None:
        clusters = np.unique(clusters[kept], return_inverse=True)[1]
    return Ranked(
        is_pos,
        ranked.scores[kept],
        None if ranked.weights is None else weight,
        clusters,
        kind=ranked.kind,
        by_case=ranked.by_case,
    )


def _of_difference(
    value: float, level: float
) -> Callable[[Parts, float], ConfidenceInterval]:
    """Return what makes the interval of a difference, as `compare` does."""

    def made(parts: Parts, freedom: float) -> ConfidenceInterval:
        half = t_quantile(level, freedom) * parts.standard_error
        return ConfidenceInterval(value - half, value + half)

    return made


def _of_metric(
    value: float, bounds: tuple[float, float], level: float
) -> Callable[[Parts, float], ConfidenceInterval]:
    """Return what makes the interval of a metric, as `estimate` does."""

    def made(parts: Parts, freedom: float) -> ConfidenceInterval:
        if np.isfinite(bounds).all():
            found = Augmented(value, parts, bounds, 1.0, freedom)
            return wilson_interval(value, bounds, level, found)
        error = parts.standard_error
        return interval_of("wilson", value, error, level, bounds, freedom, None)

    return made
