"""The metrics whose uncertainty is known: one line each."""

import inspect
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

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

# What may be given as a metric: by name, or a function.
MetricName = Literal["auc", "momentum", "stamina"]
Metric = MetricName | Callable[..., Any]

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
# Those of scikit-learn that are the same numbers, by their name in sklearn.metrics:
# which is not imported for it, as whoever passes one of them has done so.
OF_SKLEARN: dict[str, Any] = {
    "average_precision_score": average_precision_score,
    "roc_auc_score": "auc",
}


def table_metric(
    metric: Any,
    metric_kwargs: dict[str, Any],
    *,
    n_cases: float,
    is_weighted: bool = False,
) -> TableMetric:
    """Return what inference needs of a score function, a partial of one, or "auc".

    The function may be scikit-learn's.
    """
    if isinstance(metric, partial):
        if metric.args:
            raise ValueError(
                "metric is a partial with positional arguments: give keywords only."
            )
        metric_kwargs = {**metric.keywords, **metric_kwargs}
        metric = metric.func
    name = _sklearn_name(metric)
    if name is not None:
        _check_defaults(metric, metric_kwargs)
        metric, metric_kwargs = OF_SKLEARN[name], {}
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


def _sklearn_name(metric: Any) -> str | None:
    """Return the name of a function of scikit-learn that is one of the metrics."""
    theirs = sys.modules.get("sklearn.metrics")
    for name in OF_SKLEARN:
        if theirs is not None and metric is getattr(theirs, name, None):
            return name
    return None


def _check_defaults(metric: Any, metric_kwargs: dict[str, Any]) -> None:
    """Raise for options of scikit-learn's function that would change its number."""
    known = inspect.signature(metric).parameters
    for option, value in metric_kwargs.items():
        if option not in known:
            raise ValueError(f"metric={_name(metric)} has no parameter {option!r}.")
        default = known[option].default
        if type(value) is type(default) and value == default:
            continue
        if option in ("sample_weight", "pos_label"):
            raise ValueError(
                f"{option} must not be in the partial of {_name(metric)}: it concerns "
                "what the sample is, so give it beside the metric."
            )
        raise ValueError(
            f"{option}={value!r} is not an option whose uncertainty is known: "
            f"metric={_name(metric)} is taken with {option}={default!r} only."
        )


def _find(metric: Any) -> Callable[..., TableMetric]:
    try:
        return METRICS[metric]
    except (KeyError, TypeError):
        theirs = (f"sklearn.metrics.{name}" for name in OF_SKLEARN)
        known = ", ".join(sorted([*map(_name, METRICS), *theirs]))
        raise ValueError(
            f"metric={_name(metric)} is not one whose uncertainty is known, which are "
            f"{known} (and functools.partial of these)."
        ) from None


def _name(metric: Any) -> str:
    """Return where a function is found, so that those of one name differ."""
    name = getattr(metric, "__name__", None)
    if name is None:
        return repr(metric)
    if any(metric is known for known in METRICS):
        return f"skrate.{name}"
    if name == _sklearn_name(metric):
        return f"sklearn.metrics.{name}"
    return f"{getattr(metric, '__module__', None) or '?'}.{name}"
