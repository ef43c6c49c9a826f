"""Intervals and p-values, from standard errors or from replicates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import optimize, stats

from skrate.data.arrays import BoolArray, FloatArray
from skrate.data.table import (
    RankTable,
    add_end_groups,
    build_weight_table,
    merge_except_cuts,
)
from skrate.inference.cautions import MIN_HEAVY_SAMPLES
from skrate.inference.options import Interval, Plan
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
    ConfidenceInterval,
    clip_interval,
    exceeds,
    max_pvalue_test,
    sided_pvalue,
    t_interval,
    t_pvalue,
    t_quantile,
    t_test,
    wilson_ends,
)
from skrate.metrics.metric import Metric
from skrate.metrics.result_types import Comparison, Params

_NAN = float("nan")
# The number of samples that augmented data add to each class: half of it at the top of
# the ranking, and half at the bottom.
ADDED = 0.1
# The argument ``heavy`` of ``unseen_variance`` for one metric and for differences. For
# one metric, up to 2 * 0.25 samples are added, as by Jeffreys' prior of a count.
HEAVY = 0.25, MIN_HEAVY_SAMPLES
HEAVY_IN_DIFFERENCE = 0.5, 2 * MIN_HEAVY_SAMPLES
# Smaller products of the distances to both bounds have large rounding errors.
_MIN_DISTANCE_PRODUCT = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)
# The interval of a difference, as a function of the level.
IntervalAt = Callable[[float], ConfidenceInterval]
Adjust = Literal["holm", "bh"]
ADJUSTMENTS: tuple[Adjust, ...] = get_args(Adjust)
# Differences are equal if they differ by at most this rounding error.
SLACK = 1e-12


class Augmented(NamedTuple):
    """The value and the variance of a metric on augmented data.

    Augmented data include ``ADDED`` further samples of each class: half at the top of
    the ranking and half at the bottom. Therefore the ranking is not perfect, and the
    variance is not 0. ``parts`` is the variance for independent samples. ``effect``
    is the design effect, a factor of the variance due to clusters or weights.
    ``unseen`` is the variance due to samples that were drawn too rarely (see
    ``unseen_variance``). ``class_dofs`` are the maximum degrees of freedom of each
    class, and ``dof`` are the degrees of freedom of the variance.
    """

    value: float
    parts: Parts
    bounds: tuple[float, float]
    class_dofs: tuple[float, float] = (np.inf, np.inf)
    dof: float = np.inf
    effect: float = 1.0
    unseen: float = 0.0

    @property
    def variance(self) -> float:
        """The variance with the design effect and the unseen samples."""
        return self.parts.total * self.effect + self.unseen


def evaluate_augmented(
    metric: Metric, ranked: Ranked, *, stratify: bool = False, added: float = ADDED
) -> Augmented:
    """Return a metric on a ranking with ``added`` further samples of each class."""
    n_pos, n_neg = ranked.effective_sizes
    sizes = (n_pos + added, n_neg + added)
    table = augmented_table(metric, ranked, added)
    parts = table_variance(
        metric, table, stratify=stratify, sizes=sizes, is_merged=True
    )
    value, bounds = metric.value(table), metric.bounds(table)
    if stratify:
        bounds = range_with_sizes(metric, table, bounds)
    class_dofs = np.inf, np.inf
    is_sampled = ranked.weights is not None and ranked.kind == "sampling"
    if is_sampled and ranked.clusters is None:
        class_dofs = sample_kurtosis_dof(metric, ranked)
    elif metric.rests_on_few:
        dofs = [kurtosis_dof(metric, each) for each in (ranked.table, table)]
        pos_dof, neg_dof = np.maximum(np.add.reduce(dofs) / 2, metric.min_dof).tolist()
        class_dofs = pos_dof, neg_dof
    return Augmented(value, parts, metric.attainable(bounds, value), class_dofs)


def unseen_variance(
    samples: Ranked,
    find_influence: Callable[[], FloatArray],
    heavy: tuple[float, float] = HEAVY,
) -> float:
    """Return the variance due to samples that may be missing because of rare sampling.

    If samples have sampling weights, a class may lack samples of high weight, which are
    drawn rarely. Therefore, samples are added to each class: up to ``heavy[0]`` with
    the scores of this class, and up to ``heavy[0]`` with the scores of the other class.
    None is added if the class has at least ``heavy[1]`` samples of high weight.
    ``find_influence`` returns two rows: the influence that each sample would have as a
    negative, and as a positive.
    """
    factors = unseen_factors(samples, heavy)
    return sum_unseen(samples, factors, find_influence()) if any(factors) else 0.0


def unseen_factors(samples: Ranked, heavy: tuple[float, float]) -> list[float]:
    """Return the factors of the squared influence of samples that may be missing."""
    weights, is_pos = samples.given, samples.is_pos
    if weights is None or samples.clusters is not None or samples.gains is not None:
        return [0.0, 0.0]
    return [_unseen_factor(weights, rows, *heavy) for rows in (~is_pos, is_pos)]


def sum_unseen(
    samples: Ranked, factors: Sequence[float], class_influence: FloatArray
) -> float:
    """Return the variance due to missing samples of both classes."""
    weights, is_pos, table = samples.given, samples.is_pos, samples.table
    assert weights is not None
    fractions = np.array([[table.negative_fraction], [table.prevalence]])
    squares = (fractions * class_influence) ** 2
    mean_squares = [
        np.average(squares[:, rows], weights=weights[rows], axis=1)
        for rows in (~is_pos, is_pos)
    ]
    as_neg, as_pos = np.add.reduce(mean_squares)
    return float(factors[0] * as_neg + factors[1] * as_pos)


def _unseen_factor(
    all_weights: FloatArray, in_class: BoolArray, added: float, enough: float
) -> float:
    """Return the factor of squared influence, n / 2 * h^2, for n missing samples.

    Each of them adds the fraction h to the weight of the class. The assumed weight of a
    missing sample is the minimum weight of the class, times a ratio: a high quantile of
    the weights of the other class, divided by a low quantile. The ratio does not depend
    on the scale of the weights of either class. Samples of the class are heavy if they
    have more than half the assumed weight. A missing sample adds its assumed weight
    minus the minimum weight.
    """
    weights, other_weights = all_weights[in_class], np.sort(all_weights[~in_class])
    # The minimum of n weights is about their quantile 1 / (n + 1): use this quantile
    # of the other class.
    low = np.quantile(other_weights, 1 / (len(weights) + 1), method="lower")
    # Samples up to the high weight have three quarters of the total weight. The maximum
    # weight would vary too much if weights are continuous.
    sums = np.cumsum(other_weights)
    high = other_weights[np.searchsorted(sums, 0.75 * sums[-1])]
    assumed_weight = weights.min() * (high / low)
    if weights.max() < 2 * other_weights[-1]:
        # If both classes have the same scale, no sample has a larger weight.
        assumed_weight = min(assumed_weight, all_weights.max())
    # Rounding must not change n_heavy if all weights are multiplied by a constant.
    n_heavy = np.count_nonzero(weights > assumed_weight / 2 * (1 + 1e-9))
    n_missing = 2 * added * max(1 - n_heavy / enough, 0)
    added_weight = assumed_weight - weights.min()
    fraction = added_weight / (weights.sum() + n_missing * added_weight)
    return float(n_missing / 2 * fraction**2)


def augmented_mean(
    value: Any,
    variance: Any,
    n: Any,
    ends: tuple[Any, Any],
    bounds: tuple[Any, Any],
    dof: float = np.inf,
    added: float = ADDED,
    extra: float = 0.0,
) -> Augmented:
    """Return the mean over n samples and ``added`` samples, half at each of ``ends``.

    ``value`` and ``variance`` are the mean over the n samples and its variance. For the
    values of a curve, the arguments are arrays with an entry for each mean. ``extra``
    is a further number of samples at the upper end.
    """
    (low, high), size = ends, n + added + extra
    mean = (n * value + added / 2 * (low + high) + extra * high) / size
    squares = added / 2 * ((low - mean) ** 2 + (high - mean) ** 2)
    squares += n * (value - mean) ** 2 + extra * (high - mean) ** 2
    parts = Parts(0.0, 0.0, (n**2 * variance + squares) / size**2)
    return Augmented(mean, parts, bounds, dof=dof)


def range_with_sizes(
    metric: Metric, table: RankTable, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return ``bounds``, or the range of a metric if fixed class sizes narrow it.

    ``bounds`` is the range over all rankings. It is narrower if no ranking with the
    class sizes of the table reaches the maximum.
    """
    low, high = bounds
    if not np.isfinite(bounds).all():
        return low, high
    pos_first, pos_last = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    worst, best = (
        metric.value(build_weight_table(table.n_pos * pos, table.n_neg * pos[::-1]))
        for pos in (pos_last, pos_first)
    )
    if np.isnan(worst):
        # Momentum and stamina are undefined for rankings that are worse than random.
        worst = low
    # Keep the bounds if a perfect ranking reaches the maximum, as for most metrics, or
    # if all rankings have the same value.
    rounding = 1e-9
    is_reached = not best < high - rounding
    return (low, high) if is_reached or best - worst < rounding else (worst, best)


def augmented_table(metric: Metric, ranked: Ranked, added: float = ADDED) -> RankTable:
    """Return the table with half of the added samples in a new group at each end.

    An added sample has the total weight of its class, divided by the effective number
    of samples of the class. Other groups are merged, except at the cuts of the metric.
    """
    table = ranked.table
    n_pos, n_neg = ranked.effective_sizes
    pos, neg = added / 2 * table.n_pos / n_pos, added / 2 * table.n_neg / n_neg
    cuts = metric.cut_rates(table)
    if len(cuts) and metric.distribution is not None:
        # Convert the cuts from rates of the augmented table to rates of this table.
        cuts = cuts * (table.total + 2 * (pos + neg)) - (pos + neg)
        cuts /= table.total
        cuts = cuts[(cuts > 0) & (cuts < 1)]
    merged = merge_except_cuts(table, cuts, metric.groups)
    return add_end_groups(merged.table, pos, neg)


def wilson_interval(
    value: float, bounds: tuple[float, float], level: float, augmented_value: Augmented
) -> ConfidenceInterval:
    """Return the interval of all null values that the score test does not reject.

    Let x be the relative position of the null value between the bounds. If the null
    value is true, the variance is assumed to be c x (1 - x). The constant c follows
    from the value and the variance on augmented data.
    """
    bottom, top = augmented_value.bounds
    to_low, to_high = augmented_value.value - bottom, top - augmented_value.value
    k, variance = np.inf, augmented_value.variance
    if np.isnan(to_low * variance):
        return ConfidenceInterval(_NAN, _NAN)
    # If the product is too small, c is unknown: return the whole range.
    if to_low > 0 and to_high > 0 and to_low * to_high > _MIN_DISTANCE_PRODUCT:
        quantile = t_quantile(level, augmented_value.dof)
        k = quantile**2 * variance / (to_low * to_high)
    low, high = wilson_ends(value, bounds, k)
    return ConfidenceInterval(float(low), float(high))


class UncertainValue(NamedTuple):
    """A value with its bounds, standard error, degrees of freedom and replicates.

    ``skewness`` is the skewness of its distribution, for values without bounds.
    """

    value: float
    standard_error: float
    bounds: tuple[float, float]
    dof: float
    draws: FloatArray | None = None
    skewness: float = 0.0

    def interval(self, kind: Interval, level: float) -> ConfidenceInterval:
        """Return the interval of this kind; "percentile" needs replicates."""
        value, error, bounds, dof, draws, skewness = self
        if draws is not None and kind == "percentile":
            if len(draws) < 2:
                return ConfidenceInterval(_NAN, _NAN)
            low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
            low, high = clip_interval(low, high, bounds)
            # If a metric is biased, such as momentum, all replicates can be above the
            # value, or all below.
            return ConfidenceInterval(min(low, value), max(high, value))
        # "wilson" is symmetric in the logarithm of the distance to the minimum.
        if kind == "wilson" and np.isfinite(bounds[0]):
            interval = log_interval(value, error, level, bounds[0], dof)
            return interval._replace(high=min(interval.high, bounds[1]))
        if kind == "wilson" and abs(skewness) > NEGLIGIBLE:
            # Hall (1992): a cubic function of the t statistic removes its skewness.
            t = t_quantile(level, dof) * np.array([1, -1])
            cubic = np.cbrt(1 + skewness * (t - skewness / 6))
            low, high = value - error * 3 / skewness * (cubic - 1)
            # If the largest gains are missing from the data, the skewness and the upper
            # end are too small: use at least the upper end of Student's t interval.
            return clip_interval(low, max(high, value + t[0] * error), bounds)
        return t_interval(value, error, level, bounds, dof)


def bounded_interval(
    kind: Interval,
    level: float,
    uncertain: UncertainValue,
    find_augmented: Callable[[], Augmented],
    find_test_interval: Callable[[], ConfidenceInterval] | None = None,
) -> ConfidenceInterval:
    """Return the interval of this kind, or Wilson's if the data have no variance.

    ``find_test_interval`` replaces Wilson's interval, for metrics with their own test.
    """
    low, high = bounds = uncertain.bounds
    if low == high:
        # For example, the recall if all samples are processed.
        return ConfidenceInterval(low, high)
    is_finite = bool(np.isfinite(bounds).all())
    to_low, to_high = uncertain.value - low, high - uncertain.value
    is_at_bound = to_low < NEGLIGIBLE or to_high < NEGLIGIBLE
    has_no_variance = uncertain.standard_error < NEGLIGIBLE or is_at_bound
    # Without a minimum, only the standard error shows how much the value can vary.
    if np.isinf(low) or not (has_no_variance or (kind == "wilson" and is_finite)):
        return uncertain.interval(kind, level)
    value = min(max(uncertain.value, low), high)
    if find_test_interval is not None:
        return find_test_interval()
    augmented_value = find_augmented()
    if is_finite and not np.isnan(augmented_value.value):
        return wilson_interval(value, bounds, level, augmented_value)
    interval = ConfidenceInterval(_NAN, _NAN)
    if not is_finite:
        # Wilson's interval needs a maximum: use the standard error of augmented data.
        kind = "wilson" if value - low > NEGLIGIBLE else "wald"
        error = float(np.sqrt(augmented_value.variance))
        substitute = UncertainValue(value, error, bounds, augmented_value.dof)
        interval = substitute.interval(kind, level)
    if np.isnan(interval).any():
        # The metric is undefined even on augmented data: return the whole range.
        return ConfidenceInterval(*bounds)
    return ConfidenceInterval(interval.low, min(interval.high, high))


def log_interval(
    value: float, standard_error: float, level: float, low: float, dof: float
) -> ConfidenceInterval:
    """Return the interval of x that is symmetric in log(x - low).

    The upper end is not limited.
    """
    with np.errstate(over="ignore"):
        half_width = t_quantile(level, dof) * standard_error / (value - low)
        factor = np.exp(half_width)
        below, above = low + (value - low) / factor, low + (value - low) * factor
    return ConfidenceInterval(float(below), float(above))


def compare_values(
    name: str,
    values: Sequence[float],
    plan: Plan,
    *,
    standard_error: float,
    limits: tuple[float, float],
    params: Params,
    dof: float = np.inf,
    draws: FloatArray | None = None,
    interval_at: IntervalAt | None = None,
) -> Comparison:
    """Return the comparison of two values.

    ``draws`` are replicates of their difference. ``interval_at`` is used if the
    difference has no variance: it combines the intervals of both values.
    """
    a, b = values
    difference = a - b
    statistic, pvalue = _NAN, _NAN
    interval = ConfidenceInterval(_NAN, _NAN)
    plan.check_margin(limits)
    if interval_at is not None and standard_error < NEGLIGIBLE:
        statistic, pvalue = _test_constant_difference(interval_at, difference, plan)
        interval = interval_at(plan.level)
    elif not np.isnan(difference + standard_error):
        statistic, pvalue = t_test(difference, standard_error, plan.nulls, dof)
        interval = t_interval(difference, standard_error, plan.level, limits, dof)
        if draws is not None and plan.interval != "wald" and len(draws) > 1:
            pvalue = max(
                bootstrap_pvalue(difference - null_value, draws - null_value, side)
                for null_value, side in plan.nulls
            )
            interval = bootstrap_interval(difference, draws, plan.level, limits)
    if draws is not None and plan.method == "permutation":
        statistic = difference
        pvalue = permutation_pvalue(difference, draws, plan.alternative)
        if interval_at is None or np.ptp(draws) > NEGLIGIBLE:
            level, side = plan.confidence_level, plan.alternative
            interval = permutation_interval(difference, draws, level, limits, side)
    return Comparison(
        metric=name,
        value=float(difference),
        value_a=float(a),
        value_b=float(b),
        standard_error=standard_error,
        statistic=statistic,
        pvalue=pvalue,
        confidence_interval=plan.sided(interval, limits),
        alternative=plan.alternative,
        method=plan.method,
        confidence_level=plan.displayed_level,
        params=params,
        margin=plan.margin,
    )


def _test_constant_difference(
    interval_at: IntervalAt, difference: float, plan: Plan
) -> tuple[float, float]:
    """Return the statistic and the p-value of a difference without variance."""
    tests = []
    for null_value, side in plan.nulls:
        pvalue = inverted_pvalue(interval_at, difference, null_value)
        quantile = t_quantile(1 - pvalue)
        statistic = float(np.copysign(quantile, difference - null_value))
        if side != "two-sided":
            pvalue = t_pvalue(statistic, side, np.inf)
        tests.append((statistic, pvalue))
    return max_pvalue_test(tests)


def inverted_pvalue(
    interval_at: Callable[[float], ConfidenceInterval],
    value: float,
    null_value: float = 0.0,
) -> float:
    """Return the p-value that agrees with an interval, at least 1e-15.

    It is 1 - level for the level at which the interval ends at the null value.
    """
    difference = value - null_value

    def distance(log_pvalue: float) -> float:
        """Return the distance of the null value from the interval, < 0 if inside."""
        low, high = interval_at(-np.expm1(log_pvalue))
        return low - null_value if difference > 0 else null_value - high

    # Smaller p-values get lost in the rounding of the level 1 - pvalue.
    min_pvalue, log_max = 1e-15, -1e-12
    log_min = np.log(min_pvalue)
    if abs(difference) < NEGLIGIBLE or distance(log_max) <= 0:
        return 1.0
    if distance(log_min) >= 0:
        return min_pvalue
    return float(np.exp(optimize.brentq(distance, log_min, log_max, xtol=1e-10)))


def hybrid_interval(
    values: tuple[float, float],
    intervals: tuple[ConfidenceInterval, ConfidenceInterval],
    correlation: float = 0.0,
) -> ConfidenceInterval:
    """Return the interval of a - b from the intervals of a and b (Zou, Donner 2008).

    ``correlation`` is the correlation of the estimates of a and b. If it is positive,
    the interval without this argument is too wide.
    """
    (a, b), (interval_a, interval_b) = values, intervals

    def combine(distance_a: float, distance_b: float) -> float:
        """Return the distance of an end of the interval from a - b."""
        independent = np.hypot(distance_a, distance_b)
        common = 2 * correlation * distance_a * distance_b
        if not common:
            return float(independent)
        return float(np.sqrt(max(independent**2 - common, 0.0)))

    low = a - b - combine(a - interval_a.low, interval_b.high - b)
    high = a - b + combine(interval_a.high - a, b - interval_b.low)
    return ConfidenceInterval(float(low), float(high))


def adjust_pvalues(pvalues: FloatArray, adjust: Adjust) -> FloatArray:
    """Return p-values that are adjusted for the number of tests that are not nan."""
    adjusted_pvalues = np.full(len(pvalues), np.nan)
    is_known = ~np.isnan(pvalues)
    if not is_known.any():
        return adjusted_pvalues
    known = pvalues[is_known]
    if adjust == "holm":
        order = np.argsort(known)
        factors = np.arange(len(known), 0, -1)
        products = np.empty(len(known))
        products[order] = np.maximum.accumulate(known[order] * factors)
        adjusted_pvalues[is_known] = np.minimum(products, 1.0)
    else:
        adjusted_pvalues[is_known] = stats.false_discovery_control(known, method=adjust)
    return adjusted_pvalues


def bootstrap_pvalue(
    difference: float, draws: FloatArray, alternative: Alternative
) -> float:
    """Return the p-value of no difference, from n replicates of the difference.

    The two-sided p-value is 2 (b + 1) / (n + 1), if b replicates have the opposite sign
    of the difference or are 0.
    """
    if abs(difference) <= SLACK:
        two_sided = 1.0
    else:
        n_beyond = np.count_nonzero(np.copysign(1, difference) * draws <= SLACK)
        two_sided = _pvalue(n_beyond, len(draws), sides=2)
    return sided_pvalue(two_sided, difference, alternative)


def bootstrap_interval(
    difference: float, draws: FloatArray, level: float, bounds: tuple[float, float]
) -> ConfidenceInterval:
    """Return the interval that excludes the same number of replicates at each end."""
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
    """Return the p-value (b + 1) / (n + 1) by n differences of permuted models.

    Of these, b are at least as extreme as the observed difference.
    """
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

    The interval is symmetric about the difference. For a one-sided alternative, one
    tail of the permuted differences gives the half-width. Only the lower end for
    "greater", and the upper end for "less", then has a meaning.
    """
    n_outside = _count_significant(level, len(permuted))
    half_width, distances, distance = np.inf, np.abs(permuted), abs(difference)
    if alternative != "two-sided":
        sign = 1 if alternative == "greater" else -1
        distances, distance = sign * permuted, sign * difference
    if n_outside > 0:
        half_width = max(np.sort(distances)[-n_outside], 0.0)
        # The interval includes 0 if the test does not reject it, in spite of rounding.
        if half_width >= distance - SLACK:
            half_width = max(half_width, distance)
    return clip_interval(difference - half_width, difference + half_width, bounds)


def _pvalue(n_beyond: int | np.intp, n: int, *, sides: int = 1) -> float:
    """Return ``sides`` (n_beyond + 1) / (n + 1), at most 1."""
    return float(min(sides * (n_beyond + 1) / (n + 1), 1.0))


def _count_significant(level: float, n: int, *, sides: int = 1) -> int:
    """Return how many values 0, 1, ... of n_beyond are significant at 1 - ``level``.

    P-values increase with n_beyond: the count is the first non-significant value.
    """
    count = min(int((1 - level) * (n + 1) / sides) + 1, n)
    # Compare p-values as the test does, so that both round in the same way.
    while count > 0 and not exceeds(1 - level, _pvalue(count - 1, n, sides=sides)):
        count -= 1
    return count
