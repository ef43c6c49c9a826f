"""Several models on the same cases."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.conversion import as_array
from skrate.core.results import Comparisons
from skrate.inference.checks import check_stratify, defined_value
from skrate.inference.compare import model_influences, paired
from skrate.inference.delta import covariance as influence_covariance
from skrate.inference.differences import Method, Question
from skrate.inference.pvalues import Alternative, holm
from skrate.inference.registry import Metric, table_metric
from skrate.inference.sample import Ranked, Weights, check_cases, scored
from skrate.inference.table_metric import TableMetric


def covariance(
    metric: Metric,
    y_true: Any,
    y_scores: Any,
    *,
    stratify: bool = False,
    groups: Any = None,
    sample_weight: Any = None,
    weights: Weights = "frequency",
    pos_label: Any = None,
    **metric_kwargs: Any,
) -> FloatArray:
    """Compute the covariance matrix of a metric of several models on the same cases.

    Its diagonal holds the squared standard errors of :func:`estimate`, and contrasts
    of any kind follow from it: the variance of ``c @ values`` is ``c @ matrix @ c``.

    Parameters
    ----------
    metric : callable or "auc"
        As in :func:`estimate`.
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_scores : array-like of shape (n_samples, n_models), mapping or data frame
        Scores of each model, one column or entry each.
    stratify : bool, default=False
        Whether class sizes were fixed by design.
    groups : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are, as in :func:`estimate`.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    matrix : array of shape (n_models, n_models)
        In squared units of the metric; nan where it is undefined.

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
    compare_all : Tests of all differences.

    Notes
    -----
    The influence values of the models, multiplied case by case; DeLong's matrix for
    the AUC. Cost: one sort per model.

    References
    ----------
    .. [1] DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or
       more correlated receiver operating characteristic curves,
       :doi:`10.2307/2531595`.

    Examples
    --------
    >>> from skrate import covariance
    >>> y_scores = [[4, 4], [2, 3], [3, 1], [1, 2]]
    >>> covariance("auc", [1, 1, 0, 0], y_scores).tolist()
    [[0.125, 0.0], [0.0, 0.0]]
    """
    _, found, ranked = _models(
        metric, y_true, y_scores, sample_weight, weights, groups, pos_label,
        metric_kwargs,
    )  # fmt: skip
    values = _values(found, ranked)
    if np.isnan(values).any():
        return np.full((len(ranked), len(ranked)), np.nan)
    is_stratified = check_stratify(stratify, "delta", ranked[0].cases)
    rows = model_influences([found] * len(ranked), ranked, stratify=is_stratified)
    return influence_covariance(np.stack(rows), ranked[0].cases)


def compare_all(
    metric: Metric,
    y_true: Any,
    y_scores: Any,
    *,
    method: Method = "delta",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    stratify: bool | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    weights: Weights = "frequency",
    pos_label: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    **metric_kwargs: Any,
) -> Comparisons:
    """Compare all pairs of several models, with p-values adjusted for their number.

    Among many comparisons some look significant by chance. Holm's adjustment keeps
    the probability of any false one, however the tests depend on each other.

    Parameters
    ----------
    metric : callable or "auc"
        As in :func:`estimate`.
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_scores : array-like of shape (n_samples, n_models), mapping or data frame
        Scores of each model, one column or entry each; keys and column names are the
        names of the models.
    method : {"delta", "bootstrap", "permutation"}, default="delta"
        As in :func:`compare`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        As in :func:`compare`.
    confidence_level : float, default=0.95
        Level of each interval, not adjusted, in (0, 1).
    n_resamples : int, default=2000
        Number of resamples or permutations of each pair.
    stratify : bool, default=None
        As in :func:`estimate`.
    groups : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are, as in :func:`estimate`.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    random_state : int, Generator or RandomState, default=None
        Source of the resamples.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    result : Comparisons
        With ``pairs``, one :class:`Comparison` each, and ``adjusted_pvalues``.

    Raises
    ------
    ValueError
        As :func:`compare`, and for fewer than two models.

    Warns
    -----
    UndefinedMetricWarning
        As :func:`compare`.

    See Also
    --------
    compare : Two models.
    covariance : The matrix behind the tests.

    Notes
    -----
    The i-th smallest of m p-values is multiplied by m - i + 1 [1]_. Cost: one sort per
    model by the delta method.

    References
    ----------
    .. [1] Holm (1979), A simple sequentially rejective multiple test procedure,
       Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> from skrate import compare_all
    >>> y_true = [1, 1, 1, 0, 0, 0, 0, 0]
    >>> y_scores = {
    ...     "A": [8, 7, 4, 6, 5, 3, 2, 1],
    ...     "B": [8, 3, 2, 7, 6, 5, 4, 1],
    ...     "C": [8, 6, 7, 1, 2, 3, 5, 4],
    ... }
    >>> result = compare_all("auc", y_true, y_scores)
    >>> [round(pair.difference, 3) for pair in result.pairs]
    [0.4, -0.133, -0.533]
    """
    question = Question(
        method, alternative, confidence_level, "wald", n_resamples, stratify,
        random_state, n_jobs,
    )  # fmt: skip
    names, found, ranked = _models(
        metric, y_true, y_scores, sample_weight, weights, groups, pos_label,
        metric_kwargs,
    )  # fmt: skip
    if len(names) < 2:
        raise ValueError(f"y_scores must hold at least 2 models, found {len(names)}.")
    values = _values(found, ranked)
    influences = None
    if not np.isnan(values).any():
        is_stratified = check_stratify(stratify, method, ranked[0].cases)
        influences = model_influences(
            [found] * len(ranked), ranked, stratify=is_stratified
        )
    indices = list(combinations(range(len(names)), 2))
    pairs = tuple(
        paired(
            [found] * 2,
            [ranked[i], ranked[j]],
            share,
            [values[i], values[j]],
            None if influences is None else [influences[i], influences[j]],
        )
        for (i, j), share in zip(indices, question.split(len(indices)), strict=True)
    )
    adjusted = holm(np.array([pair.pvalue for pair in pairs]))
    return Comparisons(names, pairs, tuple(adjusted.tolist()))


def _models(
    metric: Metric,
    y_true: Any,
    y_scores: Any,
    sample_weight: Any,
    weights: Weights,
    groups: Any,
    pos_label: Any,
    metric_kwargs: dict[str, Any],
) -> tuple[tuple[str, ...], TableMetric, list[Ranked]]:
    """Return the models' names, the metric and the rankings."""
    cases = check_cases(
        y_true,
        sample_weight=sample_weight,
        weights=weights,
        groups=groups,
        pos_label=pos_label,
    )
    found = table_metric(
        metric,
        metric_kwargs,
        n_cases=cases.total,
        is_weighted=sample_weight is not None,
    )
    columns = _columns(y_scores)
    ranked = [
        scored(cases, f"y_scores[{name!r}]", column) for name, column in columns.items()
    ]
    return tuple(str(name) for name in columns), found, ranked


def _columns(y_scores: Any) -> dict[Any, Any]:
    if hasattr(y_scores, "columns"):
        return {name: y_scores[name] for name in y_scores.columns}
    if isinstance(y_scores, Mapping):
        return dict(y_scores)
    table = as_array("y_scores", y_scores)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(
            "y_scores must have one column per model, found an array of shape "
            f"{table.shape}."
        )
    return {str(j): column for j, column in enumerate(np.ascontiguousarray(table.T))}


def _values(metric: TableMetric, ranked: list[Ranked]) -> list[float]:
    """Return the metric of each model; what all lack is warned of once."""
    first = defined_value(metric, ranked[0])
    if np.isnan(first):
        return [first] * len(ranked)
    return [first, *(metric.value(one.table) for one in ranked[1:])]
