"""Two models under all distributions of a set: range, interval and p-value.

With D(r) the difference at the rate r and s(r) its standard error, that under a
distribution F has a standard error of at most E_F[s], so that min_F E_F[D - c s] is a
lower bound. It is below the least true difference as often as that of one distribution,
the one that attains it: so c is a quantile of Student's t, though the statement is of
all distributions of the set.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skrate.data.arrays import FloatArray
from skrate.data.checks import warn_undefined
from skrate.inference.compare_curves import CurveProcess, curve_process
from skrate.inference.intervals import hybrid_interval
from skrate.inference.measured import of_ranking
from skrate.inference.plan import Plan, check_metric, defined_values
from skrate.inference.sample import Ranked, check_left_out
from skrate.metrics.base import METRICS, MetricLike, question_of, unwrap
from skrate.metrics.hypotheses import NEGLIGIBLE, Alternative, t_pvalue
from skrate.metrics.recall import ByRate
from skrate.metrics.results import (
    ComparisonRange,
    ConfidenceInterval,
    Range,
    clipped_interval,
    t_quantile,
)
from skrate.rates.extremes import Extreme, extreme, extremes, law_of_zero
from skrate.rates.laws import Empirical, Mixture, from_masses
from skrate.rates.sets import RateCurve, RateSet, difference, with_knots

_NAN = float("nan")
# Rates at which the standard error is found: some in each interval of a set, and more
# by its share of the probability.
_LEAST_RATES = 4
_MORE_RATES = 64


def set_of(metric: Any, params: dict[str, Any]) -> RateSet | None:
    """Return the set of distributions that a metric shall be compared over, if any.

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
    check_left_out(
        "a set of distributions",
        method=(plan.method, "delta"), interval=(plan.interval, "wald"),
        stratify=(plan.stratify or None, None), margin=(plan.margin, None),
    )  # fmt: skip
    if models[0].estimated is not None:
        raise ValueError(
            "rate is a set of distributions, and y_true holds estimated labels: give "
            "one distribution."
        )
    found = _under_one(metric, params, among, models[0])
    unknown = _unknown(found, among, plan)
    if np.isnan(defined_values([found, found], models)).any():
        return unknown
    of_each = [found.by_rate(one.table) for one in models]
    curve = difference(*of_each)
    low, high = extremes(among, curve)
    if np.isnan(low.value):
        warn_undefined(
            f"The difference in {found.name}",
            f"under a distribution of rate={among!r} all rankings are equally good, "
            "as where all cases are processed, or none: say more of the rate",
        )
        return unknown
    range_a, range_b = (_range(extremes(among, one)) for one in of_each)
    process = _process(found, among, models)
    freedom = plan.freedom(max(min(models[0].effective_sizes) - 1, 1.0))
    # The same whatever the side, so that p-values are.
    curve, error = _with_error(
        curve, process, t_quantile(plan.confidence_level, freedom)
    )
    critical = t_quantile(plan.level, freedom)
    statistic, law = _least_telling(among, curve, error, (low, high), plan.alternative)
    # What holds the differences under all laws of the set.
    least = extreme(
        among, curve._replace(values=curve.values - critical * error), "low"
    )
    most = extreme(
        among, curve._replace(values=curve.values + critical * error), "high"
    )
    ends = clipped_interval(least.value, most.value, (-1.0, 1.0))
    seen = np.interp(curve.rates, process.rates, process.standard_error)
    for one in (low.law, high.law, law):
        if curve._replace(values=seen).top(one) < NEGLIGIBLE:
            ends = _with_one_law(ends, found, one, models, plan.level)
    pvalue = t_pvalue(statistic, plan.alternative, freedom)
    greater = None
    if pvalue < 1 - plan.confidence_level:
        greater = "a" if statistic > 0 else "b"
    value_a, value_b = (one.under(law) for one in of_each)
    return replace(
        unknown, value=value_a - value_b, value_a=value_a, value_b=value_b,
        standard_error=curve._replace(values=error).under(law), statistic=statistic,
        pvalue=pvalue, confidence_interval=plan.sided(ends, (-1.0, 1.0)),
        range=_range((low, high)),
        range_a=range_a, range_b=range_b, law=law, law_low=low.law, law_high=high.law,
        greater=greater,
    )  # fmt: skip


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

    Between two rates it is taken for what is greatest next to them.
    """
    error = np.hypot(process.standard_error, critical * process.grain / 2)
    padded = np.pad(error, 1, mode="edge")
    error = np.max([padded[:-2], error, padded[2:]], axis=0)
    curve = with_knots(curve, process.rates)
    return curve, np.interp(curve.rates, process.rates, error)


def _with_one_law(
    ends: ConfidenceInterval,
    metric: Any,
    law: Empirical | Mixture,
    models: list[Ranked],
    level: float,
) -> ConfidenceInterval:
    """Return the union of an interval and one under a rate that shows no variation."""
    under = replace(metric, rate=law)
    a, b = (of_ranking(under, one, under.value(one.table), level) for one in models)
    apart = hybrid_interval((a.value, b.value), (a.interval(), b.interval()))
    low, high = min(ends.low, apart.low), max(ends.high, apart.high)
    return clipped_interval(low, high, (-1.0, 1.0))


def _least_telling(
    among: RateSet,
    curve: RateCurve,
    error: FloatArray,
    ends: tuple[Extreme, Extreme],
    alternative: Alternative,
) -> tuple[float, Empirical | Mixture]:
    """Return the statistic that says least for the alternative, with its rate."""
    low, high = ends
    if alternative == "two-sided" and low.value <= 0 <= high.value:
        return 0.0, law_of_zero(among, curve, ends)
    is_low = alternative == "greater" or (alternative == "two-sided" and low.value > 0)
    found = extreme(among, curve._replace(widths=error), "low" if is_low else "high")
    return (0.0, found.law) if np.isnan(found.value) else found


def _unknown(metric: Any, among: RateSet, plan: Plan) -> ComparisonRange:
    """Return the result without numbers; the rate that is asked is the set."""
    nothing, law = Range(_NAN, _NAN), metric.rate
    params = {name: v for name, v in question_of(metric).items() if name != "rate"}
    return ComparisonRange(
        metric.name, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN,
        ConfidenceInterval(_NAN, _NAN), plan.alternative, plan.method,
        plan.confidence_level, params=params, rate=among, range=nothing,
        range_a=nothing, range_b=nothing, law=law, law_low=law, law_high=law,
        greater=None,
    )  # fmt: skip
