"""The moments of the AUC along the error rate, for ratios of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, Label
from skrate.data.checks import (
    check_equal_length,
    check_fraction,
    check_vector,
    distinct_labels,
    is_missing,
    shown,
)
from skrate.data.sample import check_ranking
from skrate.data.table import RankTable
from skrate.error_rate.moments import auc_moments

_MOST_POINTS = 500


class ErrorRateCurve(NamedTuple):
    """Moments of the AUC for one class ratio, by increasing error rate."""

    class_ratio: float
    error_rates: FloatArray
    means: FloatArray
    standard_deviations: FloatArray


class ModelPoint(NamedTuple):
    """A model's error rate and AUC, and what its error rate alone would say."""

    error_rate: float
    auc: float
    mean: float
    standard_deviation: float


def error_rate_curves(
    class_ratios: Sequence[float], n_cases: int
) -> list[ErrorRateCurve]:
    """Return the curves of some ratios, rounded to whole cases."""
    ratios = [check_fraction("class_ratios", ratio) for ratio in class_ratios]
    if any(ratio > 0.5 for ratio in ratios):
        raise ValueError(
            "class_ratios must be shares of the smaller class, at most 0.5, got "
            f"{list(class_ratios)}."
        )
    return [_curve(r, max(1, round(r * n_cases)), n_cases) for r in ratios]


def model_curves(
    y_true: ArrayLike,
    y_score: ArrayLike | None,
    *,
    y_pred: ArrayLike,
    class_ratios: Sequence[float],
    pos_label: Label,
) -> tuple[list[ErrorRateCurve], ModelPoint, float]:
    """Return curves for a model's number of cases, its point and its class ratio."""
    if isinstance(y_true, RankTable):
        raise ValueError(
            "y_true is a RankTable, which knows no single cases, and so not those "
            "that y_pred has wrong: give their labels and scores."
        )
    sample = check_ranking(y_true, y_score, pos_label=pos_label, keep_order=True)
    is_error = _is_error(y_true, y_pred)
    n_cases, n_pos = len(is_error), int(sample.is_pos.sum())
    if not 0 < n_pos < n_cases:
        raise ValueError("y_true must hold both classes, found one.")
    n_errors = int(np.count_nonzero(is_error))
    moments = auc_moments(n_pos, n_cases - n_pos, n_errors)
    point = ModelPoint(
        n_errors / n_cases,
        float(roc_auc_score(sample.is_pos, sample.scores)),
        moments.mean,
        moments.standard_deviation,
    )
    n_smaller = min(n_pos, n_cases - n_pos)
    own = _curve(n_smaller / n_cases, n_smaller, n_cases)
    grid = error_rate_curves(class_ratios, n_cases)
    curves = {curve.class_ratio: curve for curve in [*grid, own]}
    return [curves[ratio] for ratio in sorted(curves)], point, own.class_ratio


def _is_error(y_true: ArrayLike, y_pred: ArrayLike) -> BoolArray:
    """Return which predicted labels are wrong; none may be of another class."""
    labels = check_vector("y_true", y_true)
    predicted = check_vector("y_pred", y_pred)
    check_equal_length(y_true=labels, y_pred=predicted)
    # As objects: numpy would compare numbers with strings as strings.
    labels, predicted = labels.astype(object), predicted.astype(object)
    known = distinct_labels(labels)
    unknown = [
        label for label in predicted.tolist() if is_missing(label) or label not in known
    ]
    if unknown:
        raise ValueError(
            "y_pred holds labels that y_true does not: "
            f"{', '.join(sorted({shown(label) for label in unknown})[:6])}."
        )
    return np.asarray(labels != predicted)


def _curve(ratio: float, n_smaller: int, n_cases: int) -> ErrorRateCurve:
    """Return the moments for numbers of errors up to the smaller class."""
    n_points = min(n_smaller + 1, _MOST_POINTS)
    n_errors = np.unique(np.linspace(0, n_smaller, n_points).round().astype(int))
    moments = auc_moments(n_smaller, n_cases - n_smaller, n_errors)
    error_rates = n_errors / n_cases
    return ErrorRateCurve(ratio, error_rates, moments.mean, moments.standard_deviation)
