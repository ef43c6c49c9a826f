r"""Two models under all distributions of a set: range, interval and p-value.

With D(r) the difference at the rate r and s(r) its standard error, that under a law F
is E_F[D], estimated with a standard error of at most E_F[s]. Both are means, so that

    low = min_F E_F[D - c s]

has the closed form of :mod:`skrate.core.extreme_laws`. It is below the least true
difference over the set with the probability that a single law has: with F_0 the law
where the true difference is least, low is at most E_F0[D - c s], and that is above the
true difference under F_0 as seldom as c says. So c is a quantile of Student's t, though
the statement is of all laws of the set at once.
"""

from typing import Any

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.extreme_laws import (
    Extreme,
    RateCurve,
    difference,
    extremes,
    with_knots,
)
from skrate.core.metric import METRICS, MetricLike, unwrap
from skrate.core.range_results import ComparisonRange, Range
from skrate.core.rate_sets import RateSet
from skrate.core.rates import from_masses
from skrate.core.results import ConfidenceInterval, clipped_interval, t_quantile
from skrate.core.validation import warn_undefined
from skrate.inference.curve_process import CurveProcess, curve_process
from skrate.inference.intervals import Alternative, t_pvalue
from skrate.inference.plan import Plan, check_metric, defined_value
from skrate.inference.sample import Ranked
from skrate.metrics.under_set import ByRate

_NAN = float("nan")
# Rates at which the standard error is found: some in each interval of a set, and more
# by its share of the probability.
_LEAST_RATES = 4
_MORE_RATES = 64


def set_of(metric: Any, params: dict[str, Any]) -> RateSet | None:
    """Return the set of distributions that a metric is to be compared over, if any.

    None where it is asked for at its worst: then it is a number for each model.
    """
    function, own = unwrap(metric, params)
    among = own.get("rate")
    if not isinstance(among, RateSet) or own.get("worst") is not None:
        return None
    kind = METRICS.get(function)
    if kind is None or not issubclass(kind, ByRate):
        name = getattr(function, "__name__", repr(function))
        known = (f.__name__ for f, k in METRICS.items() if issubclass(k, ByRate))
        raise ValueError(
            f"rate is a set of distributions, {among!r}, over which {', '.join(known)} "
            f"can be compared: metric={name} is none of them."
        )
    return among


def compare_over_set(
    metric: MetricLike,
    params: dict[str, Any],
    among: RateSet,
    models: list[Ranked],
    plan: Plan,
) -> ComparisonRange:
    """Compare two models of the same cases over a set of distributions."""
    found = _under_one(metric, params, among, models[0])
    if np.isnan([defined_value(found, one) for one in models]).any():
        return _undefined(found, among, plan)
    of_each = [found.by_rate(one.table) for one in models]
    curve = difference(*of_each)
    low, high = extremes(among, curve)
    if np.isnan(low.value):
        warn_undefined(
            f"The difference in {found.name}",
            f"under a distribution of rate={among!r} all rankings are equally good, "
            "as where all cases are processed, or none: say more of the rate",
        )
        return _undefined(found, among, plan)
    range_a, range_b = (_range(extremes(among, one)) for one in of_each)
    process = _process(found, among, models)
    freedom = max(min(models[0].effective_sizes) - 1, 1.0)
    critical = t_quantile(plan.confidence_level, freedom)
    curve, error = _with_error(curve, process, critical)
    statistic = _statistic(among, curve, error, plan.alternative)
    pvalue = t_pvalue(statistic, plan.alternative, freedom)
    greater = None
    if pvalue < 1 - plan.confidence_level:
        greater = "a" if statistic > 0 else "b"
    return ComparisonRange(
        found.name,
        among,
        _range((low, high)),
        range_a,
        range_b,
        low.law,
        high.law,
        _interval(among, curve, critical * error),
        statistic,
        pvalue,
        greater,
        plan.alternative,
        plan.confidence_level,
    )


def _range(ends: tuple[Extreme, Extreme]) -> Range:
    return Range(ends[0].value, ends[1].value)


def _under_one(
    metric: MetricLike, params: dict[str, Any], among: RateSet, cases: Ranked
) -> Any:
    """Return the metric under some distribution: only its kind counts."""
    function, own = unwrap(metric, params)
    # Several rates, as one alone is warned of where it processes few cases.
    low, high = among.edges[[0, -1]]
    some = from_masses(np.linspace(low, high, 4)[1:-1], np.ones(2))
    return check_metric(function, {**own, "rate": some}, cases)


def _process(metric: Any, among: RateSet, models: list[Ranked]) -> CurveProcess:
    """Return the difference of the recalls at rates of the set, as a process."""
    counts = np.ceil(_LEAST_RATES + _MORE_RATES * among.masses).astype(int)
    inner = map(np.linspace, among.edges[:-1], among.edges[1:], counts)
    rates = np.unique(np.concatenate(list(inner)))
    if metric.is_of_negatives:
        models = [one.swapped for one in models]
    return curve_process("recall", models, rates)


def _with_error(
    curve: RateCurve, process: CurveProcess, critical: float
) -> tuple[RateCurve, FloatArray]:
    """Return a curve with knots at the rates of a process, and standard errors there.

    With what few cases that tell the models apart do not show, as in the bounds of the
    process. Between two rates it is taken for what is greatest next to them.
    """
    error = np.hypot(process.standard_error, critical * process.grain / 2)
    padded = np.pad(error, 1, mode="edge")
    error = np.max([padded[:-2], error, padded[2:]], axis=0)
    curve = with_knots(curve, process.rates)
    return curve, np.interp(curve.rates, process.rates, error)


def _interval(among: RateSet, curve: RateCurve, half: FloatArray) -> ConfidenceInterval:
    """Return what holds the differences under all laws of the set."""
    low = extremes(among, curve._replace(values=curve.values - half))[0]
    high = extremes(among, curve._replace(values=curve.values + half))[1]
    return clipped_interval(low.value, high.value, (-1.0, 1.0))


def _statistic(
    among: RateSet, curve: RateCurve, error: FloatArray, alternative: Alternative
) -> float:
    """Return the difference over its standard error where it says least."""
    ends = extremes(among, curve._replace(widths=error))
    low, high = (end.value for end in ends)
    if np.isnan(low):
        return 0.0
    if alternative == "two-sided":
        return max(low, 0.0) + min(high, 0.0)
    return low if alternative == "greater" else high


def _undefined(metric: Any, among: RateSet, plan: Plan) -> ComparisonRange:
    nothing, law = Range(_NAN, _NAN), metric.rate
    return ComparisonRange(
        metric.name,
        among,
        nothing,
        nothing,
        nothing,
        law,
        law,
        ConfidenceInterval(_NAN, _NAN),
        _NAN,
        _NAN,
        None,
        plan.alternative,
        plan.confidence_level,
    )
