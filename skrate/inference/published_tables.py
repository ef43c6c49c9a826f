"""The comparison of two published tables, at one correlation or at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, special

from skrate.data.arrays import FloatArray
from skrate.data.checks import check_number, warn_undefined
from skrate.data.table import RankTable, check_alone
from skrate.inference.cautions import warn_unreliable_difference
from skrate.inference.evaluation import Evaluation, warn_reversed_scores
from skrate.inference.models import evaluate
from skrate.inference.options import Plan
from skrate.inference.rankings import find_rankings
from skrate.metrics.hypothesis_tests import NEGLIGIBLE, t_test
from skrate.metrics.metric import find_metric
from skrate.metrics.result_types import (
    Comparison,
    ConfidenceInterval,
    clip_interval,
    t_quantile,
)

_NAN = float("nan")
_TABLES = ("y_true", "y_score_a")
# A grid of all correlations; roots are searched between two neighbours.
_ALL = np.linspace(-1, 1, 401)


@dataclass(frozen=True)
class Results:
    """Two values with their standard errors and degrees of freedom."""

    values: tuple[float, float]
    errors: tuple[float, float]
    freedoms: tuple[float, float]
    max_dof: float = np.inf

    @property
    def difference(self) -> float:
        """The first minus the second."""
        return self.values[0] - self.values[1]

    def standard_error(self, correlation: FloatArray) -> FloatArray:
        """Return s of the difference: s^2 = s_a^2 + s_b^2 - 2 rho s_a s_b."""
        of_a, of_b = self._parts(correlation)
        return np.asarray(np.sqrt(np.maximum(of_a + of_b, 0.0)))

    def freedom(self, correlation: FloatArray) -> FloatArray:
        """Return the degrees of freedom of the standard error.

        At rho = 0 this is Welch's number; at 1 and -1 the number of a paired test.
        """
        (of_a, of_b), (free_a, free_b) = self._parts(correlation), self.freedoms
        common = correlation**2 * of_a * of_b / np.sqrt(free_a * free_b)
        squares = of_a**2 / free_a + of_b**2 / free_b + 2 * common
        with np.errstate(invalid="ignore", divide="ignore"):
            freedom = (of_a + of_b) ** 2 / squares
        # Without variation the number is undefined: use the minimum, 1.
        return np.minimum(np.where(freedom > 1, freedom, 1.0), self.max_dof)

    def reach(self, correlation: FloatArray, tail: float) -> FloatArray:
        """Return the half width of an interval that leaves ``tail`` at each end."""
        quantile = -special.stdtrit(self.freedom(correlation), tail)
        return np.asarray(quantile * self.standard_error(correlation))

    def min_significant_correlation(self, plan: Plan) -> float:
        """Return the rho above which p is below 1 - level, or 1."""
        distances = []
        for x, side in plan.nulls:
            away = self.difference - x
            signed = {"less": -away, "greater": away}
            distances.append(signed.get(side, abs(away)))

        def excess(correlation: FloatArray) -> FloatArray:
            return min(distances) - self.reach(correlation, (1 - plan.level) / 2)

        too_little = np.flatnonzero(excess(_ALL) <= 0)
        if len(too_little) == 0:
            return -1.0
        last = too_little[-1]
        if last == len(_ALL) - 1:
            return 1.0
        return float(optimize.brentq(excess, _ALL[last], _ALL[last + 1]))

    def _parts(self, correlation: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the contributions of both values to the variance of the difference."""
        a, b = self.errors
        return a * (a - correlation * b), b * (b - correlation * a)


def check_correlation(name: str, correlation: Any) -> float:
    """Return the correlation of two values as a float."""
    if -1 <= check_number(name, correlation) <= 1:
        return float(correlation)
    raise ValueError(f"{name} must be in [-1, 1], got {correlation:g}.")


def check_tables(
    metric: Any, tables: tuple[Any, Any], method: str, others: dict[str, Any]
) -> None:
    """Raise for arguments that two tables do not support; ``others`` must be None."""
    for name, partner, table in zip(_TABLES, _TABLES[::-1], tables, strict=True):
        if not isinstance(table, RankTable):
            raise ValueError(
                f"{name} must be a RankTable like {partner}, got "
                f"{type(table).__name__}: compare a table with a table, and scores "
                "with other scores of the same labels."
            )
    if isinstance(metric, tuple | list):
        raise ValueError("metric must be one, not a pair, to compare two RankTables.")
    if method != "delta":
        raise ValueError(
            f"method must be 'delta' for two RankTables, got {method!r}, because "
            "their common samples are unknown."
        )
    check_alone(tables[0], **others)


def compare_tables(
    metric: Any,
    tables: tuple[Any, Any],
    plan: Plan,
    correlation: float | None,
    metric_kwargs: dict[str, Any],
) -> Comparison:
    """Compare two tables, at all correlations if none is given."""
    samples = [find_rankings(table) for table in tables]
    metrics = [find_metric(metric, metric_kwargs)] * 2
    models = evaluate(metrics, samples, plan, are_paired=False)
    bound, ranked = zip(*((model.metric, model.cases) for model in models), strict=True)
    a, b = (model.value if model.is_known else _NAN for model in models)
    error, statistic, pvalue, min_rho = _NAN, _NAN, _NAN, _NAN
    ends = ConfidenceInterval(_NAN, _NAN)
    if not np.isnan(a - b):
        warn_reversed_scores(zip(_TABLES, models, [None] * 2, strict=True))
        warn_unreliable_difference(bound, ranked, plan.method)
        errors, freedoms = zip(*map(_standard_error_dof, models), strict=True)
        max_dof = min(model.max_dof for model in models)
        pair = Results((a, b), errors, freedoms, max_dof)
        ends = _interval(pair, models, plan, correlation)
        min_rho = pair.min_significant_correlation(plan)
        at = np.array(correlation or 0.0)
        error, freedom = float(pair.standard_error(at)), float(pair.freedom(at))
        statistic, pvalue = t_test(pair.difference, error, plan.nulls, freedom)
        if np.isnan(statistic):
            warn_undefined(
                "The p-value", "at this correlation the difference has no variation"
            )
    return Comparison(
        metric=bound[0].name,
        value=a - b,
        value_a=a,
        value_b=b,
        standard_error=error,
        statistic=statistic,
        pvalue=pvalue,
        confidence_interval=ends,
        alternative=plan.alternative,
        method=plan.method,
        confidence_level=plan.displayed_level,
        correlation=correlation,
        min_significant_correlation=min_rho,
        params=models[0].question,
        margin=plan.margin,
    )


def _standard_error_dof(model: Evaluation) -> tuple[float, float]:
    """Return the standard error of a table, or by its interval if 0, and its dof."""
    freedom = model.degrees_of_freedom
    if model.parts.standard_error > NEGLIGIBLE:
        return model.parts.standard_error, freedom
    low, high = model.interval(error=0.0)
    away = max(model.value - low, high - model.value)
    return away / t_quantile(model.plan.confidence_level), freedom


def _interval(
    pair: Results, models: list[Evaluation], plan: Plan, correlation: float | None
) -> ConfidenceInterval:
    """Return the interval at a correlation, or the union of all if it is unknown."""
    at = _ALL if correlation is None else np.array([correlation])
    reach = float(pair.reach(at, (1 - plan.level) / 2).max())
    of_a, of_b = (model.bounds for model in models)
    bounds = of_a[0] - of_b[1], of_a[1] - of_b[0]
    plan.check_margin(bounds)
    difference = pair.difference
    ends = clip_interval(difference - reach, difference + reach, bounds)
    return plan.sided(ends, bounds)
