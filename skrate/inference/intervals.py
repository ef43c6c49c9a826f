"""Intervals and p-values, from a value and its standard error or from replicates."""

from typing import Literal, get_args

import numpy as np
from scipy import optimize, special

from skrate.core.arrays import FloatArray
from skrate.core.metric import Metric
from skrate.core.results import (
    ConfidenceInterval,
    clipped_interval,
    t_interval,
    t_quantile,
)
from skrate.inference.sample import Ranked

Interval = Literal["logit", "wald", "percentile", "basic"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)
Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
# Standard errors below are rounding: the sample shows no variation at all.
NEGLIGIBLE = 1e-12


def metric_interval(
    metric: Metric,
    ranked: Ranked,
    value: float,
    standard_error: float,
    level: float,
    kind: Interval,
    freedom: float = np.inf,
    draws: FloatArray | None = None,
) -> ConfidenceInterval:
    """Return the interval of a kind, or one with a width if there is no variation."""
    bounds = metric.bounds(ranked.table)
    is_at_bound = value - bounds[0] < NEGLIGIBLE or bounds[1] - value < NEGLIGIBLE
    if standard_error < NEGLIGIBLE or is_at_bound:
        bounds = bounds[0], min(bounds[1], max(1.0, value))
        return score_interval(
            min(max(value, bounds[0]), bounds[1]),
            ranked.effective_sizes,
            level,
            bounds,
            is_two_sample=metric.is_two_sample,
        )
    return interval_of(kind, value, standard_error, level, bounds, freedom, draws)


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
    if draws is not None and kind == "percentile":
        return clipped_interval(*_quantiles(draws, level), bounds)
    if draws is not None and kind == "basic":
        # The quantiles mirrored at the value.
        low, high = _quantiles(draws, level)
        return clipped_interval(2 * value - high, 2 * value - low, bounds)
    make = logit_interval if kind == "logit" else t_interval
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


def score_interval(
    value: float,
    sizes: tuple[float, float],
    level: float,
    bounds: tuple[float, float] = (0.0, 1.0),
    *,
    is_two_sample: bool = False,
) -> ConfidenceInterval:
    """Return an interval where the sample shows no variation: all x not too far off.

    It holds each x that is within z standard errors of the value, if x is true. For
    the AUC these are Newcombe's (2006, method 5). The other metrics average quantities
    in [0, 1] over cases, and none of these varies more than a proportion: it is
    Wilson's interval (1927) for a proportion of the smaller class, which is wide.

    Examples
    --------
    All of ten, by Wilson's interval:

    >>> low, high = score_interval(1.0, (10, 30), 0.95)
    >>> round(low, 4), high
    (0.7225, 1.0)
    """
    low, high = bounds
    width = high - low
    z = t_quantile(level)
    start = (value - low) / width

    def excess(x: float) -> float:
        variance = _newcombe if is_two_sample else _wilson
        return (start - x) ** 2 - z**2 * variance(x, *sizes)

    # At 0 and 1 the variance is 0, so that the value itself is a root there.
    inner = min(max(start, NEGLIGIBLE), 1 - NEGLIGIBLE)
    first = 0.0 if start <= NEGLIGIBLE else optimize.brentq(excess, 0, inner)
    last = 1.0 if start >= 1 - NEGLIGIBLE else optimize.brentq(excess, inner, 1)
    return ConfidenceInterval(_at(first, bounds), _at(last, bounds))


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


def _at(share: float, bounds: tuple[float, float]) -> float:
    """Return what lies a share of the way between the bounds, from the nearer one."""
    low, high = bounds
    width = high - low
    return float(low + width * share if share < 0.5 else high - width * (1 - share))


def _wilson(x: float, n_pos: float, n_neg: float) -> float:
    return x * (1 - x) / min(n_pos, n_neg)


def _newcombe(x: float, n_pos: float, n_neg: float) -> float:
    pairs = (n_pos + n_neg) / 2 - 1
    spread = (1 - x) / (2 - x) + x / (1 + x)
    return x * (1 - x) * (1 + pairs * spread) / (n_pos * n_neg)


def _quantiles(replicates: FloatArray, level: float) -> tuple[float, float]:
    if len(replicates) < 2:
        return float("nan"), float("nan")
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
