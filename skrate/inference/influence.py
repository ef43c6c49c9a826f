"""What each case contributes to a metric."""

from __future__ import annotations

from typing import Any

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray, Label
from skrate.data.folds import FoldRankings
from skrate.data.table import RankTable, check_alone
from skrate.inference.delta import influence_values
from skrate.inference.estimate_folds import influence_of_folds
from skrate.inference.plan import check_metric, defined_value
from skrate.inference.sample import Weights, check_sample, with_worth
from skrate.metrics.base import MetricLike


def influence(
    metric: MetricLike,
    y_true: ArrayLike | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
    **metric_kwargs: Any,
) -> FloatArray:
    """Compute what each case contributes to a metric, per case.

    The sample's value plus a case's influence over n is about what the metric would
    be with one more case of that kind. Positive values pull the metric up.

    Parameters
    ----------
    metric : callable or str
        As in :func:`estimate`.
    y_true : array-like of shape (n_samples,) or FoldRankings
        True labels of two classes; or the rankings of folds, without ``y_score``.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the ranked.
    weights : {"frequency", "sampling"}, default="frequency"
        As in :func:`estimate`.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    values : array of shape (n_samples,)
        With weighted mean 0; the mean of their squares over the number of cases is the
        variance of :func:`estimate`, and with sampling weights w
        ``sum((w * values)**2) / sum(w)**2``. nan where the metric is undefined or a
        class has fewer than two cases, 0 for a case of weight 0. Of folds there is one
        per row of the rankings, and the variance is theirs where cases are independent:
        without clusters and repeats.

    Raises
    ------
    ValueError
        As :func:`estimate`.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases or the metric is undefined.

    See Also
    --------
    estimate : Sums them up.

    Notes
    -----
    The empirical influence function: (g_P - mean) / p for a positive, (g_Q - mean) /
    (1 - p) for a negative, plus (y - p) g_p, in the symbols of :func:`estimate`. Those
    of the AUC are scaled so that their squares give DeLong's variance. Cost: one sort.

    Examples
    --------
    The negative in second place is what keeps the AUC from 1:

    >>> from skrate import influence
    >>> influence("roc_auc", [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).round(
    ...     2
    ... ).tolist()
    [0.71, -0.71, -0.71, 0.71]
    """
    if isinstance(y_true, FoldRankings):
        check_alone(
            y_true, y_score=y_score, sample_weight=sample_weight, pos_label=pos_label
        )
        return influence_of_folds(metric, y_true, weights, metric_kwargs)
    if isinstance(y_true, RankTable):
        raise ValueError(
            "y_true is a RankTable, which knows no single cases: give their labels and "
            "scores."
        )
    ranked = check_sample(
        y_true,
        y_score,
        sample_weight=sample_weight,
        weights=weights,
        pos_label=pos_label,
    )
    found = check_metric(metric, metric_kwargs, ranked)
    ranked = with_worth(ranked, found)
    values = np.full(len(ranked.is_pos), np.nan)
    if not np.isnan(defined_value(found, ranked)):
        values = influence_values(found, ranked)
    if ranked.kept is None:
        return values
    given = np.zeros(len(ranked.kept))
    given[ranked.kept] = values
    return given
