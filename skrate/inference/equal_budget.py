"""The rate at which one model has the recall of another."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from skrate.inference.curve_evaluation import evaluate_curve
from skrate.inference.evaluation import Evaluation
from skrate.inference.options import Plan
from skrate.inference.rankings import Ranked
from skrate.inference.units import Units
from skrate.metrics.hypothesis_tests import NEGLIGIBLE, ConfidenceInterval
from skrate.metrics.recall import table_min_rate
from skrate.metrics.result_types import Comparison, EqualBudget
from skrate.rates.distributions import fixed_rate

_NAN = float("nan")


def add_equal_budget(
    comparison: Comparison, a: Evaluation, b: Evaluation
) -> Comparison:
    """Return the comparison, with the equal budget if both have the same metric."""
    metric = a.metric
    if a.folds is not None or a.units is not b.units or metric != b.metric:
        return comparison
    rate = fixed_rate(metric.distribution)
    assert rate is not None
    is_known = a.is_known and b.is_known
    models = a.samples.copy_data(), b.samples.copy_data()
    find = partial(_find_equal_budget, *models, rate, a.plan, is_known=is_known)
    return replace(comparison, _find_equal_budget=find)


def _find_equal_budget(
    a: Ranked, b: Ranked, rate: float, plan: Plan, *, is_known: bool
) -> EqualBudget:
    """Return the rate of b that gives it the recall of a, relative to the rate of a."""
    rate_b, ends = _NAN, ConfidenceInterval(_NAN, _NAN)
    if is_known:
        rate_b, ends = find_equal_rate(a, b, rate, plan)
        ends = plan.sided(ends, (0.0, 1.0))
    return EqualBudget(
        rate=rate,
        rate_b=rate_b,
        value=rate_b / rate,
        confidence_interval=ConfidenceInterval(ends.low / rate, ends.high / rate),
        alternative=plan.alternative,
        confidence_level=plan.displayed_level,
    )


def find_equal_rate(
    a: Ranked, b: Ranked, rate: float, plan: Plan
) -> tuple[float, ConfidenceInterval]:
    """Return the rate that gives b the recall of a at ``rate``.

    At the rates in the interval, the pointwise interval of the difference of both
    recalls contains 0.
    """
    units = Units([a], Plan(stratify=False))
    # Rates from a fiftieth of the rate to fifty times the rate.
    spread = rate * np.geomspace(1 / 50, 50, 160)
    steps = np.unique(np.append(spread[spread < 1], [rate, 1.0]))
    target = evaluate_curve("recall", [a], np.full(len(steps), rate), units)
    process = (evaluate_curve("recall", [b], steps, units) - target).process
    low, high = process.interval(plan.level)
    # If b has this recall at several rates, return the nearest of them.
    cuts, recalls = b.table.rates, b.table.tpr
    recall = np.interp(rate, a.table.rates, a.table.tpr)
    reached = cuts[recalls <= recall * (1 + NEGLIGIBLE)][-1]
    equal_rate = max(table_min_rate(b.table, recall), min(rate, reached))
    lowest = np.interp(0.0, np.maximum.accumulate(high), steps, left=0.0)
    highest = np.interp(0.0, np.maximum.accumulate(low), steps, right=1.0)
    ends = min(lowest, equal_rate), max(highest, equal_rate)
    return float(equal_rate), ConfidenceInterval(*map(float, ends))
