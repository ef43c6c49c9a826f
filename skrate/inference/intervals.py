"""Intervals and p-values, from a value and its standard error or from replicates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np
from scipy import optimize, special, stats

from skrate.core.results import (
    ConfidenceInterval,
    clipped_interval,
    t_interval,
    t_quantile,
)
from skrate.data.arrays import FloatArray
from skrate.inference.delta import (
    NEGLIGIBLE,
    Parts,
    degrees_of_freedom,
    variance_parts,
)
from skrate.inference.sample import Ranked
from skrate.inference.wilson import (
    Augmented,
    augmented,
    range_of,
    wilson_interval,
    with_room,
)
from skrate.metrics.base import Metric, Sizes, Tested

Interval = Literal["wilson", "logit", "wald", "percentile", "basic"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)
Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
Adjust = Literal["holm", "bh", "by"]
ADJUSTMENTS: tuple[Adjust, ...] = get_args(Adjust)
# Less than this a level cannot be told from 1.
_LEAST_PVALUE = 1e-15


def metric_interval(
    kind: Interval,
    value: float,
    standard_error: float,
    level: float,
    metric: Metric,
    ranked: Ranked,
    *,
    stratify: bool,
    freedom: float = np.inf,
    draws: FloatArray | None = None,
    independent: float | None = None,
) -> ConfidenceInterval:
    """Return the interval of a kind, or Wilson's if the sample shows no variation.

    ``independent`` is the variance of independent cases, if it is known.
    """

    def find_augmented() -> Augmented:
        return augmented(
            metric,
            ranked,
            standard_error**2,
            stratify=stratify,
            independent=independent,
        )

    def find_tested(value: float) -> ConfidenceInterval:
        return tested_interval(value, level, metric, ranked, stratify=stratify)

    low, high = range_of(metric, ranked.table, stratify=stratify)
    # Rounding of the range must not leave the value outside of its interval.
    bounds = min(low, value), max(high, value)
    if ranked.worth is not None:
        # No cases are added to these, and of no gain there is no logarithm.
        if not value > NEGLIGIBLE:
            bounds = -np.inf, np.inf
        return interval_of(kind, value, standard_error, level, bounds, freedom, draws)
    if kind == "wilson":
        bounds = with_room(metric, bounds, value)
    return bounded_interval(
        kind, value, standard_error, level, bounds, freedom, draws, find_augmented,
        find_tested if isinstance(metric, Tested) else None,
    )  # fmt: skip


def bounded_interval(
    kind: Interval,
    value: float,
    standard_error: float,
    level: float,
    bounds: tuple[float, float],
    freedom: float,
    draws: FloatArray | None,
    find_augmented: Callable[[], Augmented],
    find_tested: Callable[[float], ConfidenceInterval] | None = None,
) -> ConfidenceInterval:
    """Return the interval of a kind, or Wilson's if the sample shows no variation.

    Wilson's is that of the augmented sample, or of a test if there is one.
    """
    if np.isinf(bounds[0]):
        # Nothing says how a value without bounds may vary but the sample.
        return interval_of(kind, value, standard_error, level, bounds, freedom, draws)
    if bounds[0] == bounds[1]:
        # As the recall where all cases are processed.
        return ConfidenceInterval(*bounds)
    is_at_bound = value - bounds[0] < NEGLIGIBLE or bounds[1] - value < NEGLIGIBLE
    shows_none = standard_error < NEGLIGIBLE or is_at_bound
    is_wilson = kind == "wilson" and np.isfinite(bounds).all()
    if not (shows_none or is_wilson):
        return interval_of(kind, value, standard_error, level, bounds, freedom, draws)
    value = min(max(value, bounds[0]), bounds[1])
    if find_tested is not None:
        return find_tested(value)
    found = find_augmented()
    if np.isfinite(bounds).all() and np.isnan(found.value):
        # Not even the augmented ranking has a value: nothing is left out.
        return ConfidenceInterval(*bounds)
    if np.isfinite(bounds).all():
        return wilson_interval(value, bounds, level, found)
    # Without a greatest value there is nothing that Wilson's variance could be of.
    kind = "logit" if value - bounds[0] > NEGLIGIBLE else "wald"
    error = float(np.sqrt(found.variance))
    ends = interval_of(kind, value, error, level, bounds, found.freedom, None)
    # Their perfect rankings are at most 1, though an approximation may lie above.
    most = max(value, 1.0)
    if np.isnan(ends).any():
        # Not even the augmented ranking has a value: nothing is left out.
        return ConfidenceInterval(bounds[0], most)
    return ConfidenceInterval(ends.low, min(ends.high, most))


def tested_interval(
    value: float, level: float, metric: Metric, ranked: Ranked, *, stratify: bool
) -> ConfidenceInterval:
    """Return what the test of a metric that has one does not reject.

    The design of the sample counts by the ratio of the variances that it and
    independent cases have.
    """
    effect = 1.0
    if not ranked.is_plain:
        variance = variance_parts(metric, ranked, stratify=stratify).total
        effect = augmented(metric, ranked, variance, stratify=stratify).effect
    # The variance of the recall is mostly that of the positives.
    freedom = degrees_of_freedom((Parts(1.0, 0.0, 0.0), ranked))
    quantile = t_quantile(level, freedom) * float(np.sqrt(effect))
    sizes = Sizes(*ranked.effective_sizes, are_fixed=stratify)
    assert isinstance(metric, Tested)
    low, high = metric.not_rejected(ranked.table, sizes, quantile)
    return ConfidenceInterval(min(low, value), max(high, value))


def interval_of(
    kind: Interval,
    value: float,
    standard_error: float,
    level: float,
    bounds: tuple[float, float],
    freedom: float,
    draws: FloatArray | None,
) -> ConfidenceInterval:
    """Return the interval of a kind; two kinds need ``draws`` of the value."""
    if draws is not None and kind in ("percentile", "basic"):
        low, high = _quantiles(draws, level)
        if kind == "basic":
            # Mirrored at the value.
            low, high = 2 * value - high, 2 * value - low
        low, high = clipped_interval(low, high, bounds)
        # Of a metric that is biased, as momentum is, all replicates may be on one side.
        return ConfidenceInterval(min(low, value), max(high, value))
    # Wilson's of a metric without a greatest value is symmetric in the logarithm.
    has_odds = kind in ("logit", "wilson") and np.isfinite(bounds[0])
    make = logit_interval if has_odds else t_interval
    return make(value, standard_error, level, bounds, freedom)


def logit_interval(
    value: float,
    standard_error: float,
    level: float,
    bounds: tuple[float, float],
    freedom: float = np.inf,
) -> ConfidenceInterval:
    """Return the interval that is symmetric in log((x - low) / (high - x)).

    Without a greatest value it is symmetric in log(x - low).
    """
    low, high = bounds
    if np.isinf(high):
        half = t_quantile(level, freedom) * standard_error / (value - low)
        with np.errstate(over="ignore"):
            factor = np.exp(half)
        below, above = low + (value - low) / factor, low + (value - low) * factor
        return ConfidenceInterval(float(below), float(above))
    odds = np.log(value - low) - np.log(high - value)
    by_value = 1 / (value - low) + 1 / (high - value)
    half = t_quantile(level, freedom) * standard_error * by_value
    reach = np.array([odds - half, odds + half])
    # From the bound that is nearer, so that no digits are lost where the other is far.
    if odds < 0:
        ends = low + (high - low) * special.expit(reach)
    else:
        ends = high - (high - low) * special.expit(-reach)
    # Rounding must not leave the value outside of a narrow one.
    return ConfidenceInterval(min(float(ends[0]), value), max(float(ends[1]), value))


def standardised(difference: float, standard_error: float) -> float:
    """Return the difference in standard errors: 0 for none, nan where it is unknown."""
    if standard_error > NEGLIGIBLE:
        return difference / standard_error
    return 0.0 if abs(difference) < NEGLIGIBLE else float("nan")


def t_pvalue(statistic: float, alternative: Alternative, freedom: float) -> float:
    """Return the p-value of a statistic with Student's t distribution."""
    if alternative == "less":
        return float(special.stdtr(freedom, statistic))
    if alternative == "greater":
        return float(special.stdtr(freedom, -statistic))
    return float(2 * special.stdtr(freedom, -abs(statistic)))


def inverted_pvalue(
    interval_at: Callable[[float], ConfidenceInterval], difference: float
) -> float:
    """Return the greatest 1 - level at which an interval leaves 0 out, at least 1e-15.

    ``interval_at`` returns the interval of the difference at a level; that at a higher
    level contains it.
    """

    def excess(logarithm: float) -> float:
        low, high = interval_at(-np.expm1(logarithm))
        return low if difference > 0 else -high

    least, most = np.log(_LEAST_PVALUE), -1e-12
    if abs(difference) < NEGLIGIBLE or excess(most) <= 0:
        return 1.0
    if excess(least) >= 0:
        return _LEAST_PVALUE
    return float(np.exp(optimize.brentq(excess, least, most, xtol=1e-10)))


def hybrid_interval(
    values: tuple[float, float],
    intervals: tuple[ConfidenceInterval, ConfidenceInterval],
) -> ConfidenceInterval:
    """Return the interval of a difference from one of each value, without correlation.

    For samples that show no variation; it is wider than with the correlation of paired
    models (Zou and Donner 2008, as :func:`compare` cites it).

    Examples
    --------
    >>> one = ConfidenceInterval(0.7, 1.0), ConfidenceInterval(0.6, 0.9)
    >>> low, high = hybrid_interval((1.0, 0.8), one)
    >>> round(low, 4), round(high, 4)
    (-0.1162, 0.4)
    """
    (a, b), (of_a, of_b) = values, intervals
    low = a - b - np.hypot(a - of_a.low, of_b.high - b)
    high = a - b + np.hypot(of_a.high - a, b - of_b.low)
    return ConfidenceInterval(float(low), float(high))


def intervals_apart(
    metrics: Sequence[Metric],
    ranked: Sequence[Ranked],
    values: Sequence[float],
    *,
    stratify: Sequence[bool],
) -> Callable[[float], ConfidenceInterval]:
    """Return what makes the interval of a difference at a level, for two models.

    It is for samples that show no variation of the difference: Wilson's interval of
    each model alone, combined without their correlation.
    """
    each = [
        (value, metric, one, fixed, variance_parts(metric, one, stratify=fixed))
        for value, metric, one, fixed in zip(
            values, metrics, ranked, stratify, strict=True
        )
    ]

    def interval_at(level: float) -> ConfidenceInterval:
        of_a, of_b = (
            metric_interval(
                "wilson", value, parts.standard_error, level, metric, one,
                stratify=fixed,
            )
            for value, metric, one, fixed, parts in each
        )  # fmt: skip
        return hybrid_interval((values[0], values[1]), (of_a, of_b))

    return interval_at


def _quantiles(replicates: FloatArray, level: float) -> tuple[float, float]:
    if len(replicates) < 2:
        return float("nan"), float("nan")
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def adjusted(pvalues: FloatArray, adjust: Adjust) -> FloatArray:
    """Return p-values adjusted for the number of those that are known; nan stays."""
    found = np.full(len(pvalues), np.nan)
    is_known = ~np.isnan(pvalues)
    if not is_known.any():
        return found
    known = pvalues[is_known]
    if adjust == "holm":
        order = np.argsort(known)
        factors = np.arange(len(known), 0, -1)
        of_known = np.empty(len(known))
        of_known[order] = np.maximum.accumulate(known[order] * factors)
        found[is_known] = np.minimum(of_known, 1.0)
    else:
        found[is_known] = stats.false_discovery_control(known, method=adjust)
    return found
