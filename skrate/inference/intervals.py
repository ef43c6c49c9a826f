"""Intervals and p-values: from a standard error, from replicates, and Wilson's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import optimize, stats

from skrate.data.arrays import FloatArray
from skrate.data.table import (
    RankTable,
    add_end_groups,
    build_weight_table,
    merge_except_cuts,
)
from skrate.inference.cautions import FEW_OF_STRATUM
from skrate.inference.rankings import Ranked
from skrate.inference.variance import (
    Parts,
    kurtosis_dof,
    sample_kurtosis_dof,
    table_variance,
)
from skrate.metrics.hypothesis_tests import (
    NEGLIGIBLE,
    Alternative,
    exceeds,
    sided_pvalue,
)
from skrate.metrics.metric import Metric
from skrate.metrics.result_types import (
    ConfidenceInterval,
    clip_interval,
    t_interval,
    t_quantile,
    wilson_ends,
)

# The number of samples added to each class, half of them at either end of the ranking.
ADDED = 0.1
_ROUNDING = 1e-9
# If the room between the bounds is smaller, its square has lost its digits.
_LEAST_ROOM = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)
Interval = Literal["wilson", "wald", "percentile"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)
Adjust = Literal["holm", "bh"]
ADJUSTMENTS: tuple[Adjust, ...] = get_args(Adjust)
# If a p-value is smaller, 1 minus the p-value cannot be distinguished from 1.
_LEAST_PVALUE = 1e-15
# Differences that are equal up to rounding count as equal.
SLACK = 1e-12


class Augmented(NamedTuple):
    """A metric on a table that always shows some misranking.

    ``parts`` is its variance for independent samples. The design multiplies it by
    ``effect`` and adds ``unseen``, the variance by samples that were rarely drawn.
    ``class_dofs`` are the maximum degrees of freedom of each class.
    """

    value: float
    parts: Parts
    bounds: tuple[float, float]
    class_dofs: tuple[float, float] = (np.inf, np.inf)
    freedom: float = np.inf
    effect: float = 1.0
    unseen: float = 0.0

    @property
    def variance(self) -> float:
        """The variance under the design of the sample."""
        return self.parts.total * self.effect + self.unseen


def augmented(
    metric: Metric, ranked: Ranked, *, stratify: bool = False, added: float = ADDED
) -> Augmented:
    """Return a metric on a ranking with ``added`` more samples of each class."""
    sizes = ranked.effective_sizes
    more = (sizes[0] + added, sizes[1] + added)
    table = augmented_table(metric, ranked, added)
    parts = table_variance(metric, table, stratify=stratify, sizes=more, is_merged=True)
    score = metric.value(table)
    bounds = metric.attainable(metric_range(metric, table, stratify=stratify), score)
    return Augmented(score, parts, bounds, _max_class_dof(metric, ranked, table))


def unseen_variance(metric: Metric, ranked: Ranked) -> float:
    """Return the variance by samples that were drawn too rarely to be in the sample.

    In each class, weights may reach its minimum weight times a ratio: the maximum over
    a low quantile of the weights in the other class. The ratio does not depend on the
    scale of a class. If fewer than 6 samples have at least half this weight, up to a
    tenth of a sample is added. Its weight is the excess over the minimum, and its
    distribution is that in the other class.
    """
    weights = ranked.given
    if weights is None or ranked.clusters is not None:
        return 0.0
    amounts, fractions = [], []
    for is_own in (ranked.is_pos, ~ranked.is_pos):
        own_weights, other_weights = weights[is_own], weights[~is_own]
        # The minimum of n samples is about the quantile 1 / (n + 1).
        low = np.quantile(other_weights, 1 / (len(own_weights) + 1), method="lower")
        heaviest = own_weights.min() * (other_weights.max() / low)
        # Allow for rounding, because the scale of a class has any digits.
        n_heavy = np.count_nonzero(own_weights > heaviest / 2 * (1 + _ROUNDING))
        amount = ADDED * max(1 - n_heavy / FEW_OF_STRATUM, 0)
        excess = heaviest - own_weights.min()
        amounts.append(amount)
        fractions.append(excess / (own_weights.sum() + amount * excess))
    counts = np.multiply(amounts, np.square(fractions))
    if not counts.any():
        return 0.0
    table = ranked.table
    by_pos, by_neg, _ = metric.slopes(table)
    by_pos = by_pos - np.average(by_pos, weights=table.pos)
    by_neg = by_neg - np.average(by_neg, weights=table.neg)
    of_pos = np.average(by_pos**2, weights=table.neg)
    of_neg = np.average(by_neg**2, weights=table.pos)
    return float(counts[0] * of_pos + counts[1] * of_neg)


def augmented_mean(
    value: Any,
    variance: Any,
    n: Any,
    ends: tuple[Any, Any],
    bounds: tuple[Any, Any],
    freedom: float = np.inf,
) -> Augmented:
    """Return a mean over n samples and a tenth of a sample, half at each of ``ends``.

    The variance is the variance of the mixture, divided by its size. For the values of
    a curve, arguments are arrays, and each entry is a mean.
    """
    (low, high), size = ends, n + ADDED
    mean = (n * value + ADDED / 2 * (low + high)) / size
    added = ADDED / 2 * ((low - mean) ** 2 + (high - mean) ** 2)
    added += n * (value - mean) ** 2
    sources = Parts(0.0, 0.0, (n**2 * variance + added) / size**2)
    return Augmented(mean, sources, bounds, freedom=freedom)


def _max_class_dof(
    metric: Metric, ranked: Ranked, augmented: RankTable
) -> tuple[float, float]:
    """Return the maximum degrees of freedom of each class."""
    is_weighted = ranked.weights is not None and not ranked.are_repetitions
    if ranked.clusters is None and is_weighted:
        return sample_kurtosis_dof(metric, ranked)
    if not metric.rests_on_few:
        return np.inf, np.inf
    tables = ranked.table, augmented
    dofs = [kurtosis_dof(metric, table) for table in tables]
    of_pos, of_neg = np.maximum(np.add.reduce(dofs) / 2, metric.min_dof)
    return float(of_pos), float(of_neg)


def metric_range(
    metric: Metric, table: RankTable, *, stratify: bool
) -> tuple[float, float]:
    """Return the range over all rankings, with ``stratify`` for these class sizes."""
    low, high = metric.bounds(table)
    if not stratify or not np.isfinite([low, high]).all():
        return low, high
    first, last = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    worst, best = (
        metric.value(build_weight_table(table.n_pos * pos, table.n_neg * pos[::-1]))
        for pos in (last, first)
    )
    if np.isnan(worst):
        # Momentum and stamina are for rankings that are better than random.
        worst = low
    # For most metrics a perfect ranking reaches the bound, for all class sizes.
    is_reached = not best < high - _ROUNDING
    return (low, high) if is_reached or best - worst < _ROUNDING else (worst, best)


def augmented_table(metric: Metric, ranked: Ranked, added: float = ADDED) -> RankTable:
    """Return the table with half of the added samples in a group at each end.

    An added sample has the weight of an independent sample of its class. Groups are
    merged except at rates that cut, because groups count one by one there.
    """
    table = ranked.table
    n_pos, n_neg = ranked.effective_sizes
    pos, neg = added / 2 * table.n_pos / n_pos, added / 2 * table.n_neg / n_neg
    cuts = metric.cut_rates(table)
    if metric.law is not None:
        # The cuts of the augmented table, as rates of this table.
        cuts = cuts * (table.total + 2 * (pos + neg)) - (pos + neg)
        cuts /= table.total
        cuts = cuts[(cuts > 0) & (cuts < 1)]
    merged = merge_except_cuts(table, cuts, metric.groups)
    return add_end_groups(merged.table, pos, neg)


def wilson_interval(
    value: float, bounds: tuple[float, float], level: float, found: Augmented
) -> ConfidenceInterval:
    """Return all null values x that the score test does not reject.

    If x is true, the variance is x (1 - x) times a constant, by the augmented table.
    """
    bottom, top = found.bounds
    up, down = found.value - bottom, top - found.value
    if np.isnan(up * found.variance):
        return ConfidenceInterval(float("nan"), float("nan"))
    k = np.inf
    # If the bounds are too close, the variance is unknown: return the whole range.
    if up > 0 and down > 0 and up * down > _LEAST_ROOM:
        k = t_quantile(level, found.freedom) ** 2 * found.variance / (up * down)
    ends = wilson_ends(value, bounds, k)
    return ConfidenceInterval(float(ends[0]), float(ends[1]))


class UncertainValue(NamedTuple):
    """A value with its bounds, standard error, degrees of freedom, and replicates.

    ``skewness`` is used for a value without bounds.
    """

    value: float
    standard_error: float
    bounds: tuple[float, float]
    freedom: float
    draws: FloatArray | None = None
    skewness: float = 0.0

    def interval(self, kind: Interval, level: float) -> ConfidenceInterval:
        """Return the interval of a kind; "percentile" needs replicates."""
        value, error, bounds, freedom, draws, skewness = self
        if draws is not None and kind == "percentile":
            if len(draws) < 2:
                return ConfidenceInterval(float("nan"), float("nan"))
            low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
            low, high = clip_interval(low, high, bounds)
            # For a biased metric, such as momentum, all replicates can be on one side.
            return ConfidenceInterval(min(low, value), max(high, value))
        # For a metric without a maximum, "wilson" is symmetric in the logarithm.
        if kind == "wilson" and np.isfinite(bounds[0]):
            ends = log_interval(value, error, level, bounds[0], freedom)
            return ends._replace(high=min(ends.high, bounds[1]))
        if kind == "wilson" and abs(skewness) > NEGLIGIBLE:
            # Hall (1992): a cubic function of t removes its skewness.
            t = t_quantile(level, freedom) * np.array([1, -1])
            cubic = np.cbrt(1 + skewness * (t - skewness / 6))
            low, high = value - error * 3 / skewness * (cubic - 1)
            # A sample without the largest gains would shorten the upper arm.
            return clip_interval(low, max(high, value + t[0] * error), bounds)
        return t_interval(value, error, level, bounds, freedom)


def bounded_interval(
    kind: Interval,
    level: float,
    found: UncertainValue,
    find_augmented: Callable[[], Augmented],
    find_tested: Callable[[], ConfidenceInterval] | None = None,
) -> ConfidenceInterval:
    """Return the interval of a kind, or Wilson's if the data show no variation."""
    low, high = bounds = found.bounds
    if low == high:
        # For example, the recall if all samples are processed.
        return ConfidenceInterval(low, high)
    is_finite = bool(np.isfinite(bounds).all())
    is_at_bound = found.value - low < NEGLIGIBLE or high - found.value < NEGLIGIBLE
    shows_none = found.standard_error < NEGLIGIBLE or is_at_bound
    # Without bounds, only the sample shows how much a value can vary.
    if np.isinf(low) or not (shows_none or (kind == "wilson" and is_finite)):
        return found.interval(kind, level)
    point = min(max(found.value, low), high)
    if find_tested is not None:
        return find_tested()
    more = find_augmented()
    if is_finite and not np.isnan(more.value):
        return wilson_interval(point, bounds, level, more)
    ends = ConfidenceInterval(float("nan"), float("nan"))
    most = high
    if not is_finite:
        # Wilson's variance needs a maximum.
        kind = "wilson" if point - low > NEGLIGIBLE else "wald"
        error = float(np.sqrt(more.variance))
        ends = UncertainValue(point, error, bounds, more.freedom).interval(kind, level)
        # A perfect ranking has at most 1, but an approximation may lie above.
        most = max(point, 1.0)
    if np.isnan(ends).any():
        # Even the augmented ranking has no value: return the whole range.
        return ConfidenceInterval(low, most)
    return ConfidenceInterval(ends.low, min(ends.high, most))


def log_interval(
    value: float, standard_error: float, level: float, low: float, freedom: float
) -> ConfidenceInterval:
    """Return the interval that is symmetric in log(x - low), without an upper limit."""
    with np.errstate(over="ignore"):
        half = t_quantile(level, freedom) * standard_error / (value - low)
        factor = np.exp(half)
        below, above = low + (value - low) / factor, low + (value - low) * factor
    return ConfidenceInterval(float(below), float(above))


def inverted_pvalue(
    interval_at: Callable[[float], ConfidenceInterval], value: float, x: float = 0.0
) -> float:
    """Return the maximum 1 - level at which an interval excludes x, or 1e-15."""
    difference = value - x

    def excess(logarithm: float) -> float:
        low, high = interval_at(-np.expm1(logarithm))
        return low - x if difference > 0 else x - high

    least, most = np.log(_LEAST_PVALUE), -1e-12
    if abs(difference) < NEGLIGIBLE or excess(most) <= 0:
        return 1.0
    if excess(least) >= 0:
        return _LEAST_PVALUE
    return float(np.exp(optimize.brentq(excess, least, most, xtol=1e-10)))


def hybrid_interval(
    values: tuple[float, float],
    intervals: tuple[ConfidenceInterval, ConfidenceInterval],
    correlation: float = 0.0,
) -> ConfidenceInterval:
    """Return the interval of a difference from both intervals (Zou, Donner 2008).

    Without the correlation of paired models it is wider than with it.
    """
    (a, b), (of_a, of_b) = values, intervals

    def reach(one: float, other: float) -> float:
        apart, shared = np.hypot(one, other), 2 * correlation * one * other
        return float(np.sqrt(max(apart**2 - shared, 0.0)) if shared else apart)

    low = a - b - reach(a - of_a.low, of_b.high - b)
    high = a - b + reach(of_a.high - a, b - of_b.low)
    return ConfidenceInterval(float(low), float(high))


def adjusted(pvalues: FloatArray, adjust: Adjust) -> FloatArray:
    """Return p-values adjusted for the number that are not nan; nan stays."""
    adjusted_pvalues = np.full(len(pvalues), np.nan)
    is_known = ~np.isnan(pvalues)
    if not is_known.any():
        return adjusted_pvalues
    known = pvalues[is_known]
    if adjust == "holm":
        order = np.argsort(known)
        factors = np.arange(len(known), 0, -1)
        of_known = np.empty(len(known))
        of_known[order] = np.maximum.accumulate(known[order] * factors)
        adjusted_pvalues[is_known] = np.minimum(of_known, 1.0)
    else:
        adjusted_pvalues[is_known] = stats.false_discovery_control(known, method=adjust)
    return adjusted_pvalues


def bootstrap_pvalue(
    difference: float, draws: FloatArray, alternative: Alternative
) -> float:
    """Return the p-value: if two-sided, 2 (b + 1) / (n + 1), for b of n beyond 0."""
    if abs(difference) <= SLACK:
        two_sided = 1.0
    else:
        n_beyond = np.count_nonzero(np.copysign(1, difference) * draws <= SLACK)
        two_sided = _pvalue(n_beyond, len(draws), sides=2)
    return sided_pvalue(two_sided, difference, alternative)


def bootstrap_interval(
    difference: float, draws: FloatArray, level: float, bounds: tuple[float, float]
) -> ConfidenceInterval:
    """Return the interval that excludes equally many replicates at either end."""
    n_outside = _count_significant(level, len(draws), sides=2)
    low, high = bounds
    if n_outside > 0:
        ordered = np.sort(np.where(np.abs(draws) <= SLACK, 0.0, draws))
        low, high = ordered[n_outside - 1], ordered[-n_outside]
    low, high = clip_interval(low, high, bounds)
    return ConfidenceInterval(min(low, difference), max(high, difference))


def permutation_pvalue(
    difference: float, permuted: FloatArray, alternative: Alternative
) -> float:
    """Return (b + 1) / (n + 1), for b of n permuted differences at least as extreme."""
    if alternative == "less":
        n_beyond = np.count_nonzero(permuted <= difference + SLACK)
    elif alternative == "greater":
        n_beyond = np.count_nonzero(permuted >= difference - SLACK)
    else:
        n_beyond = np.count_nonzero(np.abs(permuted) >= abs(difference) - SLACK)
    return _pvalue(n_beyond, len(permuted))


def permutation_interval(
    difference: float,
    permuted: FloatArray,
    level: float,
    bounds: tuple[float, float],
    alternative: Alternative = "two-sided",
) -> ConfidenceInterval:
    """Return the null differences that a permutation test does not reject.

    For a one-sided alternative both ends have the distance of the end on that side.
    """
    n_outside = _count_significant(level, len(permuted))
    reach, away, distance = np.inf, np.abs(permuted), abs(difference)
    if alternative != "two-sided":
        sign = 1 if alternative == "greater" else -1
        away, distance = sign * permuted, sign * difference
    if n_outside > 0:
        reach = max(np.sort(away)[-n_outside], 0.0)
        if reach >= distance - SLACK:
            reach = max(reach, distance)
    return clip_interval(difference - reach, difference + reach, bounds)


def _pvalue(n_beyond: int | np.intp, n: int, *, sides: int = 1) -> float:
    return float(min(sides * (n_beyond + 1) / (n + 1), 1.0))


def _count_significant(level: float, n: int, *, sides: int = 1) -> int:
    """Return the number of ``n_beyond`` with a p-value below 1 - ``level``."""
    count = min(int((1 - level) * (n + 1) / sides) + 1, n)
    # Compare p-values, because the test rounds them in the same way.
    while count > 0 and not exceeds(1 - level, _pvalue(count - 1, n, sides=sides)):
        count -= 1
    return count
