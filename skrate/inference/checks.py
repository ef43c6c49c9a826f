"""Checks that estimate and compare share."""

from typing import Any

import numpy as np

from skrate.core.metric import Metric, find_metric
from skrate.core.validation import check_choice, warn_undefined
from skrate.inference.intervals import INTERVALS, Interval
from skrate.inference.sample import Ranked

RESAMPLING = ("bootstrap", "parametric")
# Of the weights of the classes: beyond, the squares of slopes are no numbers.
_LEAST_RATIO = 1e-75


def check_interval(interval: Interval, method: str) -> Interval:
    """Return the kind of interval, if the method can give it."""
    kind = check_choice("interval", interval, INTERVALS)
    if kind in ("percentile", "basic") and method not in RESAMPLING:
        raise ValueError(
            f"interval={kind!r} needs replicates: use method='bootstrap', got "
            f"method={method!r}."
        )
    return kind


def check_metric(metric: Any, params: dict[str, Any], cases: Ranked) -> Metric:
    """Return the metric that is meant, as it is on a sample of these cases."""
    found = find_metric(metric, params)
    return found.of_sample(cases.total, is_weighted=(cases.weights is not None))


def defined_value(metric: Metric, ranked: Ranked) -> float:
    """Return the metric, or nan with a warning where nothing can be inferred."""
    for found, name in zip(ranked.sizes, ("positive", "negative"), strict=True):
        if found < 2:
            return warn_undefined(
                f"The uncertainty of the {metric.name}",
                f"y_true holds {found:g} {name} cases, and at least 2 are needed",
            )
    if not _LEAST_RATIO < ranked.table.n_pos / ranked.table.n_neg < 1 / _LEAST_RATIO:
        return warn_undefined(
            f"The uncertainty of the {metric.name}",
            "sample_weight gives next to all weight to one class",
        )
    value = metric.value(ranked.table)
    if np.isnan(value):
        return warn_undefined(metric.name, metric.undefined(ranked.table))
    return value


def check_stratify(stratify: bool | None, method: str, cases: Ranked) -> bool:
    """Return whether class sizes are fixed, by default for the bootstrap of cases."""
    if stratify is None and method != "parametric":
        return method in ("bootstrap", "permutation") and cases.groups is None
    if stratify and cases.groups is not None:
        raise ValueError(
            "stratify=True excludes groups: a cluster may hold cases of both classes."
        )
    if method == "parametric" and not cases.is_plain:
        raise ValueError(
            "method='parametric' excludes groups and sampling weights, which counts "
            "per group of ties know nothing of: use method='bootstrap'."
        )
    if method == "parametric" and stratify:
        raise ValueError(
            "stratify=True excludes method='parametric', which draws the number of "
            "positives: use method='bootstrap'."
        )
    return bool(stratify)
