"""Two models, or two metrics, against each other."""

from typing import Any

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.metric import Metric, MetricLike
from skrate.core.results import Comparison
from skrate.inference.checks import check_metric, check_stratify, defined_value
from skrate.inference.delta import (
    covariance,
    degrees_of_freedom,
    influence_parts,
    influence_values,
    variance_parts,
)
from skrate.inference.differences import Interval, Method, Question, conclude
from skrate.inference.permutation import ExchangeDraw
from skrate.inference.pvalues import Alternative
from skrate.inference.replicates import defined_replicates, spread, statistic_of
from skrate.inference.resampling import resample_draw
from skrate.inference.sample import (
    Ranked,
    Weights,
    check_cases,
    check_sample,
    repeated,
    scored,
)


def compare(
    metric: MetricLike | tuple[MetricLike, MetricLike] | list[MetricLike],
    y_true: Any,
    y_score_a: Any,
    y_score_b: Any = None,
    *,
    y_true_b: Any = None,
    method: Method = "delta",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    interval: Interval = "wald",
    n_resamples: int = 2000,
    stratify: bool | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    weights: Weights = "frequency",
    pos_label: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    **metric_kwargs: Any,
) -> Comparison:
    r"""Compare two models by a metric: difference, interval and p-value.

    Is model a better than model b, or could another sample have said the opposite?
    Both are taken as given, trained on other cases than these. On the same cases the
    comparison is paired, which is what makes small differences visible.

    Parameters
    ----------
    metric : callable, {"average_precision", "roc_auc"} or a pair of these
        As in :func:`estimate`. A pair compares two metrics of one model, without
        ``y_score_b``; give their parameters by :func:`functools.partial`.
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score_a : array-like of shape (n_samples,)
        Scores of model a, higher for the positive class.
    y_score_b : array-like of shape (n_samples,), default=None
        Scores of model b, on the same cases unless ``y_true_b`` is given.
    y_true_b : array-like of shape (n_samples_b,), default=None
        Labels of the cases of b, where these are others: an unpaired comparison.
    method : {"delta", "bootstrap", "permutation"}, default="delta"
        - "delta": by the influence of each case; DeLong's test for the AUC.
        - "bootstrap": resamples cases, the same for both models.
        - "permutation": exchanges the ranks of both models in a random half of the
          cases; standard error and interval are those of "delta".
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What a small p-value speaks for; "greater": a has the greater metric.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    interval : {"wald", "percentile", "basic"}, default="wald"
        Kind of the interval; the last two need the bootstrap.
    n_resamples : int, default=2000
        Number of resamples or permutations.
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
    result : Comparison
        With ``value`` (a less b), ``value_a``, ``value_b``, ``standard_error``,
        ``confidence_interval``, ``statistic`` and ``pvalue``; nan where a metric is
        undefined.

    Raises
    ------
    ValueError
        As :func:`estimate`, and for options that exclude each other.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, a metric is undefined, or the values
        differ although the sample shows no variation: then there is no p-value.

    See Also
    --------
    estimate : One model.
    compare_all : Several models, with adjusted p-values.
    compare_folds : Scores of two models over the folds of a cross-validation.

    Notes
    -----
    The statistic is the difference over its standard error: DeLong's z for the AUC.
    The p-value and the interval "wald" take it for Student's t, as :func:`estimate`
    does: with a and b the parts of its variance that the positives and the negatives
    estimate, of (a + b)^2 / (a^2 / (n_1 - 1) + b^2 / (n_0 - 1)) degrees of freedom (and
    one part more if class sizes are chance), of the number of clusters less 1 with
    ``groups``. With five positives the normal distribution, which other programs take,
    would reject a true null in one of ten samples at a level of 0.05; its p-value is
    ``2 * norm.sf(abs(statistic))``. Where both models show no variation, or none in
    their difference, the interval combines one interval per model [3]_ and is wide.

    The permutation tests that the models are exchangeable within cases ([1]_, [2]_):
    stronger than equal metrics, but exact at any size; it finds differences in the
    metric. Midranks are exchanged, so that models need no common scale.

    References
    ----------
    .. [1] Venkatraman and Begg (1996), A distribution-free procedure for comparing
       receiver operating characteristic curves from a paired experiment,
       :doi:`10.1093/biomet/83.4.835`.
    .. [2] Bandos, Rockette and Gur (2005), A permutation test sensitive to differences
       in areas for comparing ROC curves from a paired design,
       :doi:`10.1002/sim.2149`.
    .. [3] Zou and Donner (2008), Construction of confidence limits about effect
       measures: a general approach, :doi:`10.1002/sim.3095`.

    Examples
    --------
    >>> from skrate import compare
    >>> y_true = [1, 1, 1, 0, 0, 0, 0, 0]
    >>> model_a, model_b = [8, 7, 4, 6, 5, 3, 2, 1], [8, 3, 2, 7, 6, 5, 4, 1]
    >>> result = compare("roc_auc", y_true, model_a, model_b)
    >>> round(result.value, 4), round(result.pvalue, 4)
    (0.4, 0.2193)
    """
    question = Question(
        method, alternative, confidence_level, interval, n_resamples, stratify,
        random_state, n_jobs,
    )  # fmt: skip
    if y_true_b is not None:
        _check_unpaired(y_score_b, method, groups, sample_weight)
        given = ((y_true, y_score_a), (y_true_b, y_score_b))
        ranked = [check_sample(*one, pos_label=pos_label) for one in given]
        metrics = [check_metric(metric, metric_kwargs, one) for one in ranked]
        return _unpaired(metrics, ranked, question)
    cases = check_cases(
        y_true,
        sample_weight=sample_weight,
        weights=weights,
        groups=groups,
        pos_label=pos_label,
    )
    model_a = scored(cases, "y_score_a", y_score_a)
    if isinstance(metric, tuple | list):
        _check_pair(metric, y_score_b, method, metric_kwargs)
        metrics = [check_metric(one, {}, cases) for one in metric]
        return paired(metrics, [model_a, model_a], question)
    if y_score_b is None:
        raise ValueError("y_score_b is missing: give it, or a pair of metrics.")
    model_b = scored(cases, "y_score_b", y_score_b)
    metrics = [check_metric(metric, metric_kwargs, cases)] * 2
    return paired(metrics, [model_a, model_b], question)


def paired(
    metrics: list[Metric],
    ranked: list[Ranked],
    question: Question,
    values: list[float] | None = None,
    influences: list[FloatArray] | None = None,
) -> Comparison:
    """Compare two rankings of the same cases; what is known needs no second look."""
    cases = ranked[0]
    if values is None:
        values = [
            defined_value(metric, one)
            for metric, one in zip(metrics, ranked, strict=True)
        ]
    if np.isnan(values).any():
        return conclude(metrics, ranked, values, float("nan"), question)
    is_stratified = check_stratify(question.stratify, question.method, cases)
    if influences is None:
        influences = model_influences(metrics, ranked, stratify=is_stratified)
    standard_error, freedom = _spread_of(influences[0] - influences[1], cases)
    draws = None
    if question.method == "bootstrap":
        draws = _replicates(metrics, ranked, is_stratified, question)
        standard_error = spread(draws)
    elif question.method == "permutation":
        draws = _permuted(metrics, ranked, question)
    return conclude(metrics, ranked, values, standard_error, question, freedom, draws)


def model_influences(
    metrics: list[Metric], ranked: list[Ranked], *, stratify: bool
) -> list[FloatArray]:
    """Return the influence values of several rankings of the same cases."""
    return [
        influence_values(metric, one, stratify=stratify)
        for metric, one in zip(metrics, ranked, strict=True)
    ]


def _spread_of(influence: FloatArray, cases: Ranked) -> tuple[float, float]:
    """Return the standard error of a difference, and its degrees of freedom."""
    if cases.groups is not None:
        squared = float(covariance(influence[None, :], cases)[0, 0])
        return float(np.sqrt(squared)), cases.n_units - 1.0
    parts = influence_parts(influence, cases)
    return float(np.sqrt(parts.total)), degrees_of_freedom((parts, cases))


def _replicates(
    metrics: list[Metric],
    ranked: list[Ranked],
    is_stratified: bool,
    question: Question,
) -> FloatArray:
    return defined_replicates(
        "difference",
        resample_draw(ranked, stratify=is_stratified),
        statistic_of(metrics, ranked),
        n_resamples=question.n_resamples,
        random_state=question.random_state,
        n_jobs=question.n_jobs,
    )


def _permuted(
    metrics: list[Metric], ranked: list[Ranked], question: Question
) -> FloatArray:
    a, b = (repeated(one) for one in ranked)
    draw = ExchangeDraw.of(a, b)

    def statistic(rows: FloatArray) -> FloatArray:
        first, second = np.split(rows, 2, axis=1)
        of_a = metrics[0].values(*np.split(first, 2, axis=1))
        return of_a - metrics[1].values(*np.split(second, 2, axis=1))

    return defined_replicates(
        "difference",
        draw,
        statistic,
        n_resamples=question.n_resamples,
        random_state=question.random_state,
        n_jobs=question.n_jobs,
    )


def _unpaired(
    metrics: list[Metric], ranked: list[Ranked], question: Question
) -> Comparison:
    values = [
        defined_value(metric, one) for metric, one in zip(metrics, ranked, strict=True)
    ]
    if np.isnan(values).any():
        return conclude(metrics, ranked, values, float("nan"), question)
    is_stratified = [
        check_stratify(question.stratify, question.method, one) for one in ranked
    ]
    each = list(zip(metrics, ranked, is_stratified, strict=True))
    parts = [variance_parts(of, one, stratify=fixed) for of, one, fixed in each]
    freedom = degrees_of_freedom(
        *((part, one) for part, one in zip(parts, ranked, strict=True))
    )
    if question.method == "delta":
        error = float(np.sqrt(sum(part.total for part in parts)))
        return conclude(metrics, ranked, values, error, question, freedom)
    of_a, of_b = (
        _replicates([of], [one], fixed, share)
        for (of, one, fixed), share in zip(each, question.split(2), strict=True)
    )
    n_both = min(len(of_a), len(of_b))
    draws = of_a[:n_both] - of_b[:n_both]
    return conclude(metrics, ranked, values, spread(draws), question, freedom, draws)


def _check_unpaired(
    y_score_b: Any, method: str, groups: Any, sample_weight: Any
) -> None:
    if y_score_b is None:
        raise ValueError("y_score_b is missing: y_true_b needs scores.")
    if method == "permutation":
        raise ValueError(
            "method='permutation' exchanges two models within cases: it excludes "
            "y_true_b."
        )
    for name, value in (("groups", groups), ("sample_weight", sample_weight)):
        if value is not None:
            raise ValueError(
                f"{name} excludes y_true_b: it would say nothing about the cases of b."
            )


def _check_pair(
    metrics: Any, y_score_b: Any, method: str, metric_kwargs: dict[str, Any]
) -> None:
    if len(metrics) != 2:
        raise ValueError(f"metric must be one or a pair, found {len(metrics)}.")
    if y_score_b is not None:
        raise ValueError("y_score_b must be None where two metrics are compared.")
    if method == "permutation":
        raise ValueError(
            "method='permutation' exchanges two models: it cannot compare two metrics."
        )
    if metric_kwargs:
        raise ValueError(
            f"{sorted(metric_kwargs)[0]} is ambiguous for two metrics: use "
            "functools.partial(metric, ...)."
        )
