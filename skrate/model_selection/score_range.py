"""The range of a metric, which its interval must not leave."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.results import ConfidenceInterval

_INFINITE = float("inf")
UNKNOWN = (-_INFINITE, _INFINITE)
_UNIT = (0.0, 1.0)

# Scorers of scikit-learn and scores of this package, by the names they go by there; a
# trailing "_score" is left off. Errors, losses, lift and r2 have other ranges.
_UNIT_METRICS = {
    "accuracy",
    "ap",
    "auc",
    "average_precision",
    "balanced_accuracy",
    "expected_recall",
    "f1",
    "jaccard",
    "macro_auc",
    "momentum",
    "precision",
    "precision_at_rate",
    "ranking_auc",
    "rate_weighted_auc",
    "rauc",
    "recall",
    "recall_at_rate",
    "roc_auc",
    "stamina",
    "top_k_accuracy",
}
# What scikit-learn adds to a name where there are more than two classes.
_AVERAGES = ("_micro", "_macro", "_samples", "_weighted", "_ovr", "_ovo")


def check_range(name: str, score_range: Any) -> tuple[float, float]:
    """Return the ends of a range; None is an end that does not exist."""
    try:
        low, high = score_range
        low = -_INFINITE if low is None else float(low)
        high = _INFINITE if high is None else float(high)
    except (TypeError, ValueError):
        low = high = float("nan")
    if not low < high:
        raise ValueError(
            f"{name} must be a pair (low, high) of increasing numbers, None where "
            f"there is no end; got {score_range!r}."
        )
    return low, high


def range_of(metric: str, values: FloatArray, score_range: Any) -> tuple[float, float]:
    """Return the range of a metric: as given, by its name, or unlimited.

    ``score_range`` is None, a pair for all metrics or a dict of pairs by name.
    """
    if isinstance(score_range, Mapping):
        score_range = score_range.get(metric)
    if score_range is None:
        low, high = _known_range(metric)
        # A name may be borrowed: scores that lie outside show it.
        return UNKNOWN if len(_outside(values, low, high)) else (low, high)
    low, high = check_range("score_range", score_range)
    check_within("score_range", values, low, high, f"of {metric!r}")
    return low, high


def check_within(
    name: str, values: FloatArray, low: float, high: float, what: str
) -> None:
    """Raise if a score lies outside the range that was given for it."""
    outside = _outside(values, low, high)
    if len(outside):
        raise ValueError(
            f"{name}=({low:g}, {high:g}) does not hold the score {outside[0]:g} {what}."
        )


def clipped(
    interval: ConfidenceInterval, low: float, high: float
) -> ConfidenceInterval:
    """Return the part of an interval that lies in a range; nan stays nan."""
    return ConfidenceInterval(*(float(np.clip(end, low, high)) for end in interval))


def _known_range(metric: str) -> tuple[float, float]:
    name = metric.lower().removesuffix("_score")
    for average in _AVERAGES:
        # Names such as "roc_auc_ovr_weighted" have two.
        name = name.removesuffix(average)
    return _UNIT if name in _UNIT_METRICS else UNKNOWN


def _outside(values: FloatArray, low: float, high: float) -> FloatArray:
    """Return the scores that lie outside a range; undefined ones do not."""
    return values[np.isfinite(values) & ((values < low) | (values > high))]
