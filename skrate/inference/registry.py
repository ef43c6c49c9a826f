"""The metrics whose uncertainty is known: one line each."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from skrate.inference.auc import auc_metric
from skrate.inference.momentum_slopes import momentum_metric, stamina_metric
from skrate.inference.precision import average_precision_metric
from skrate.inference.recall import (
    expected_recall_metric,
    lift_at_rate_metric,
    precision_at_rate_metric,
    rate_weighted_auc_metric,
    recall_at_rate_metric,
)
from skrate.inference.table_metric import TableMetric
from skrate.metrics.average_precision import average_precision_score
from skrate.metrics.budget import (
    lift_at_rate_score,
    precision_at_rate_score,
    recall_at_rate_score,
)
from skrate.metrics.expected_recall import expected_recall_score
from skrate.metrics.rate_weighted_auc import rate_weighted_auc_score

# The parameters of a function here are those of the score, and n_cases and
# is_weighted where the sample decides what a parameter means.
METRICS: dict[Any, Callable[..., TableMetric]] = {
    "auc": auc_metric,
    "momentum": momentum_metric,
    "stamina": stamina_metric,
    average_precision_score: average_precision_metric,
    expected_recall_score: expected_recall_metric,
    lift_at_rate_score: lift_at_rate_metric,
    precision_at_rate_score: precision_at_rate_metric,
    rate_weighted_auc_score: rate_weighted_auc_metric,
    recall_at_rate_score: recall_at_rate_metric,
}


def table_metric(
    metric: Any,
    metric_kwargs: dict[str, Any],
    *,
    n_cases: float,
    is_weighted: bool = False,
) -> TableMetric:
    """Return what inference needs of a score function, a partial of one, or "auc"."""
    if isinstance(metric, partial):
        if metric.args:
            raise ValueError(
                "metric is a partial with positional arguments: give keywords only."
            )
        metric_kwargs = {**metric.keywords, **metric_kwargs}
        metric = metric.func
    build = _find(metric)
    known = inspect.signature(build).parameters
    of_sample = {"n_cases": int(n_cases), "is_weighted": is_weighted}
    allowed = [name for name in known if name not in of_sample]
    unknown = sorted(set(metric_kwargs) - set(allowed))
    if unknown:
        raise ValueError(
            f"metric={_name(metric)} has no parameter {unknown[0]!r}; it takes "
            f"{allowed}."
        )
    needed = {name: value for name, value in of_sample.items() if name in known}
    missing = [
        name
        for name in allowed
        if known[name].default is inspect.Parameter.empty and name not in metric_kwargs
    ]
    if missing:
        raise ValueError(f"metric={_name(metric)} needs the keyword {missing[0]!r}.")
    return build(**metric_kwargs, **needed)


def is_metric(metric: Any) -> bool:
    """Return whether ``metric`` is a score whose uncertainty is known."""
    try:
        return (metric.func if isinstance(metric, partial) else metric) in METRICS
    except TypeError:
        return False


def _find(metric: Any) -> Callable[..., TableMetric]:
    if not is_metric(metric):
        known = ", ".join(sorted(_name(known) for known in METRICS))
        raise ValueError(
            f"metric={_name(metric)} is not one whose uncertainty is known, which are "
            f"{known} (and functools.partial of these)."
        )
    return METRICS[metric]


def _name(metric: Any) -> str:
    return str(getattr(metric, "__name__", None) or repr(metric))
