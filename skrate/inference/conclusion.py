"""What is concluded from two values and the standard error of their difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from skrate.core.results import (
    Comparison,
    ConfidenceInterval,
    question_of_both,
    t_interval,
    t_quantile,
)
from skrate.data.arrays import FloatArray
from skrate.inference.counting import (
    bootstrap_interval,
    bootstrap_pvalue,
    permutation_interval,
    permutation_pvalue,
)
from skrate.inference.delta import NEGLIGIBLE
from skrate.inference.intervals import inverted_pvalue, standardised, t_pvalue
from skrate.inference.plan import Plan
from skrate.metrics.base import Metric, question_of

_NAN = float("nan")
# What makes the interval of a difference at a level.
IntervalAt = Callable[[float], ConfidenceInterval]


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
