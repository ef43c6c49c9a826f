"""One metric of one model, or of several, with its uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args, overload

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray, Label, RandomState
from skrate.data.checks import Check, check_arguments
from skrate.data.folds import FoldRankings, are_fold_rankings
from skrate.data.table import RankTable, check_alone
from skrate.inference.evaluation import Evaluation, warn_reversed_scores
from skrate.inference.group_scores import compute_list_scores
from skrate.inference.intervals import (
    ADJUSTMENTS,
    INTERVALS,
    Adjust,
    Interval,
    adjusted,
)
from skrate.inference.list_means import evaluate_lists
from skrate.inference.models import check_model_columns, evaluate, find_model_rankings
from skrate.inference.options import ARGUMENTS, Plan
from skrate.inference.rankings import (
    MEAN_OVER_LISTS,
    OF_CASES,
    WEIGHTS,
    Frame,
    Ranked,
    Weights,
    are_columns,
    check_left_out,
    find_rankings,
)
from skrate.metrics.hypothesis_tests import Alternative
from skrate.metrics.metric import MetricLike, check_metric_first, find_metric
from skrate.metrics.result_types import Estimate, Estimates

Method = Literal["delta", "bootstrap", "parametric", "jackknife"]
METHODS: tuple[Method, ...] = get_args(Method)
_ARGUMENTS: dict[str, Check] = {
    **ARGUMENTS,
    "method": METHODS,
    "interval": INTERVALS,
    "adjust": ADJUSTMENTS,
    "weights": WEIGHTS,
}
_NAN = float("nan")


@overload
def estimate(
    metric: MetricLike,
    y_true: Mapping[Any, FoldRankings] | list[FoldRankings] | tuple[FoldRankings, ...],
    **options: Any,
) -> Estimates: ...


@overload
def estimate(
    metric: MetricLike,
    y_true: ArrayLike,
    y_score: Mapping[Any, ArrayLike] | Frame,
    **options: Any,
) -> Estimates: ...


@overload
def estimate(
    metric: MetricLike,
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    method: Method = "delta",
    confidence_level: float = 0.95,
    interval: Interval = "wilson",
    null_value: float | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 2000,
    stratify: bool | None = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    **metric_kwargs: Any,
) -> Estimate: ...


def estimate(
    metric: MetricLike,
    y_true: Any,
    y_score: Any = None,
    *,
    method: Method = "delta",
    confidence_level: float = 0.95,
    interval: Interval = "wilson",
    null_value: float | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjust = "holm",
    n_resamples: int = 2000,
    stratify: bool | None = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    **metric_kwargs: Any,
) -> Estimate | Estimates:
    r"""Estimate a metric with its standard error and confidence interval.

    How much could the value differ if other samples were drawn? The model is taken as
    fixed: cross-validation shows the spread from training (:func:`compare_folds`).
    Several models have one row each and, with ``null_value``, p-values adjusted for
    the number of models; :func:`compare` tests whether models differ.

    Parameters
    ----------
    metric : callable or str
        A score function of this package, such as :func:`rate_weighted_auc_score`, its
        name, with or without "_score", a :func:`functools.partial` or a scorer of a
        score function; also :func:`sklearn.metrics.roc_auc_score` or
        :func:`sklearn.metrics.average_precision_score`, without options.
    y_true : array-like of shape (n_samples,), RankTable, FoldRankings or mapping
        True labels of two classes; or, without ``y_score``, a table of counts per
        category, as screening studies publish them, the rankings of folds, or a mapping
        or list with the rankings of several models in the same folds.
    y_score : array-like, mapping or data frame, default=None
        Scores of shape (n_samples,), higher for the positive class. For several
        models: a mapping or data frame with an entry or column per model, or an array
        of shape (n_samples, n_models) with two or more columns, named by their numbers.
    method : {"delta", "bootstrap", "parametric", "jackknife"}, default="delta"
        - "delta": by the slopes of the metric, in one pass. DeLong's variance for the
          AUC, Su, Yuan and Zhu's for the average precision.
        - "bootstrap": resamples samples, or clusters.
        - "parametric": draws the number of positives, then the groups of both classes
          from multinomials, [3]_ (19 to 21).
        - "jackknife": leaves out each sample, or each cluster.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    interval : {"wilson", "wald", "percentile"}, default="wilson"
        - "wilson": Wilson's for a proportion [5]_, extended to any metric with a range,
          [6]_ and [2]_. It has a width even if the data show no variation. For metrics
          without a maximum, such as the lift, it is symmetric in the logarithm;
        - "wald": symmetric, cut off at the range;
        - "percentile": by the quantiles of replicates: choose a method that draws them.
    null_value : float, default=None
        The value of the metric under the null hypothesis, between the minimum and the
        maximum of the metric, such as the AUC that a protocol requires. None: no test.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        The alternative hypothesis: the metric is greater than ``null_value``, less, or
        either. A one-sided interval has its ``confidence_level`` at one end: with
        "greater" the lower end; the upper end is then the maximum of the metric, or
        infinity.
    adjust : {"holm", "bh"}, default="holm"
        The error rate that the adjusted p-values of several models control:

        - "holm": the probability of any false finding, by Holm's method;
        - "bh": the expected proportion of false findings, by the method of Benjamini
          and Hochberg, for models that are independent or positively dependent.
    n_resamples : int, default=2000
        Number of replicates of both bootstraps.
    stratify : bool, default=None
        Whether class sizes were fixed by design, as in a case-control study. None
        means True for "bootstrap" and "permutation" without ``clusters``, and False
        otherwise. For the AUC it makes almost no difference; for the average precision
        it does.
    groups : array-like of shape (n_samples,), default=None
        The list or queue of each row, as the score function takes it, such as
        :func:`ndcg_score` or :func:`recall_at_rate_score`: lists are then the units, as
        in :meth:`GroupScores.estimate`.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. Clusters are independent,
        samples within a cluster need not be. With ``groups``, all rows of a list are in
        one cluster.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    weights : {"frequency", "sampling"}, default="frequency"
        The meaning of the weights: "frequency" are whole numbers of repetitions of a
        sample, "sampling" the inverse probabilities of drawing the samples. For a
        case-control sample pass ``prevalence`` to the average precision instead.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.
    random_state : int, Generator or RandomState, default=None
        Source of the replicates.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    result : Estimate or Estimates
        With ``value``, nan if the metric is undefined, ``standard_error`` and
        ``confidence_interval``, nan also if a class has fewer than two samples, and
        with a ``null_value`` the ``statistic`` and the ``pvalue``. ``influence`` has
        the contribution of each sample. For several models, ``result[name]`` equals the
        estimate of a call with only that model, ``to_frame()`` has a row per model with
        the adjusted p-value, and ``plot()`` draws the intervals.

    Raises
    ------
    ValueError
        If the metric is not one of this package or does not have these parameters;
        for labels, scores, weights or clusters that do not fit; or for options that
        exclude each other. For folds, if no fold with both classes has two positives,
        or no such fold has two negatives, unless folds are the units: use fewer folds.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two samples, the metric is undefined, or a replicate
        has only one class (it is left out). If the metric is undefined on some folds
        (they are left out). If the clusters of folds leave a single unit.
    UserWarning
        If the effective number of gains, (sum g)^2 / sum g^2, is below 10; if fewer
        than 6 samples of a class have sampling weights above half the maximum; if a
        rate that is given leaves fewer than 5 samples above the cut or tied with it; or
        if the average number of positives per fold is so small that the bias of the
        mean exceeds the correction in the interval. If the interval is worse than
        uninformative scores, such as an AUC below 0.5: the scores, or ``pos_label``,
        may be reversed. If estimated labels, of a class estimated to be nearly empty,
        give a value outside the bounds of the metric.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The AUC without its uncertainty.
    compare : Two models or several, or two metrics.
    select_best : The best of several models, corrected for the selection.

    Notes
    -----
    With P and Q the fractions of the positives and negatives in each group of ties, p
    the prevalence and g_P, g_Q, g_p the slopes of the metric,

    .. math:: Var = \frac{Var_P(g_P)}{n_1} + \frac{Var_Q(g_Q)}{n_0}
              + g_p^2 \frac{p (1 - p)}{n},

    without the last term if ``stratify``. For the AUC, n_1 - 1 and n_0 - 1 replace n_1
    and n_0, which gives DeLong's variance [1]_.

    "wilson" replaces other intervals if the data show no variation. P-values and
    intervals agree: the p-value of ``null_value`` is below alpha if the interval of
    level 1 - alpha excludes it; by "wilson" it is a score test. For metrics at a recall
    or at a precision the interval inverts a test: see :func:`rate_at_recall_score`.
    Student's t has degrees of freedom by the size of each class [4]_ or, if a small
    number of samples decides the value, by the kurtosis of their influence.
    :ref:`uncertainty` has the formulas, and how often intervals cover the truth.

    If samples were drawn with two or more probabilities, the sampling weights may leave
    too small a number of positives among the rarely drawn samples. "wilson" then adds
    the variance of up to a tenth of a positive. Its weight, relative to the minimum
    weight of the positives, is the ratio of the maximum to the minimum weight of the
    negatives. Its distribution is that among the negatives. The variance is not added
    if 6 positives have half this weight. The same holds for a negative. Clusters, folds
    and comparisons have no such term.

    A gain or a cost of a sample is drawn together with the sample. Such a gain has no
    bounds: if no gain is negative, "wilson" is symmetric in the logarithm, otherwise it
    corrects for the skewness (Hall 1992). The average precision, momentum and partial
    AUCs of small samples are too high on average: lower ends are lower by the
    jackknife's estimate of this bias. The methods of gains are "delta" and "bootstrap".

    For folds [7]_ the estimand is the mean performance of the V models as they were
    trained: :ref:`train_once` has its variance. A single positive or negative of a fold
    is assumed to vary like the positives or negatives of the other folds. A fold that
    lacks a class, but has a value, is taken as a constant. With ``clusters`` in the
    folds, a group of folds that has no cluster in common with other groups loses one
    degree of freedom, in each class if it is a single fold:
    :ref:`the factor <clusters>` is in the guide. If a group has a single cluster, as in
    leave-one-site-out, the groups are the units: "wilson" is then Student's t interval
    of their values.

    Cost: one sort; the bootstrap does not sort again and needs bounded memory; the
    jackknife is quadratic in the number of groups.

    References
    ----------
    .. [1] DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or
       more correlated receiver operating characteristic curves,
       :doi:`10.2307/2531595`.
    .. [2] Korn and Graubard (1998), Confidence intervals for proportions with small
       expected number of positive counts estimated from survey data, Survey
       Methodology 24, 193-201.
    .. [3] Su, Yuan and Zhu (2013), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.
    .. [4] Brunner and Munzel (2000), The nonparametric Behrens-Fisher problem:
       asymptotic theory and a small-sample approximation,
       :doi:`10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U`.
    .. [5] Wilson (1927), Probable inference, the law of succession, and statistical
       inference, :doi:`10.1080/01621459.1927.10502953`.
    .. [6] Agresti and Coull (1998), Approximate is better than "exact" for interval
       estimation of binomial proportions, :doi:`10.1080/00031305.1998.10480550`.
    .. [7] LeDell, Petersen and van der Laan (2015), Computationally efficient
       confidence intervals for cross-validated area under the ROC curve estimates,
       :doi:`10.1214/15-EJS1035`.

    Examples
    --------
    >>> from skrate import RankTable, estimate, rate_weighted_auc_score
    >>> y_true = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    >>> result = estimate(
    ...     rate_weighted_auc_score, y_true, y_score, rate=0.5
    ... )
    >>> round(result.value, 4)
    0.75

    Counts per category, best first:

    >>> estimate("roc_auc", RankTable([30, 20, 10], [5, 25, 50]))
    Estimate(AUC 0.7969, 95 % interval [0.7157, 0.8594], standard error 0.03649;
    n_pos=60, n_neg=80, delta)

    Two models, tested against an AUC of 0.5:

    >>> models = {"a": y_score, "b": [5, 9, 8, 1, 6, 7, 4, 3, 2, 0]}
    >>> estimate("roc_auc", y_true, models, null_value=0.5)
    Estimates(AUC of 2 models, 95 % intervals, p-values for AUC != 0.5 adjusted
    by Holm's method; n_pos=4, n_neg=6, delta:
      a    0.8333  [  0.3651,   0.9775]  p = 0.287
      b    0.5417  [  0.1592,   0.8806]  p = 0.853)
    """
    arguments = check_arguments(_ARGUMENTS, locals())
    check_metric_first(metric)
    are_several = are_fold_rankings(y_true) or are_columns(y_score)
    if not are_several or null_value is None:
        situation = "models without null_value" if are_several else "one model"
        check_left_out(situation, adjust=(adjust, "holm"))
    cases = {name: arguments[name] for name in OF_CASES}
    meant, scores = (metric, metric_kwargs), (y_true, y_score)
    if groups is None:
        pairs = _evaluate_rankings(meant, *scores, weights, cases, Plan.of(arguments))
    else:
        _check_lists(arguments)
        pairs = _evaluate_list_means(meant, *scores, groups, cases, Plan.of(arguments))
    by_name = {
        name: _estimated(name, evaluation, null_value, are_several=are_several)
        for name, evaluation in pairs
    }
    estimates = tuple(by_name.values())
    if not are_several:
        return estimates[0]
    names = tuple(map(str, by_name))
    if null_value is None:
        return Estimates(names=names, estimates=estimates)
    pvalues = np.array([row.pvalue for row in estimates], dtype=np.float64)
    return Estimates(
        names=names,
        estimates=estimates,
        adjust=adjust,
        adjusted_pvalues=tuple(adjusted(pvalues, adjust).tolist()),
    )


def _check_lists(arguments: dict[str, Any]) -> None:
    """Raise an error for arguments that a mean over lists does not support."""
    if are_fold_rankings(arguments["y_true"]):
        check_alone(FoldRankings, groups=arguments["groups"])
    defaults: dict[str, Any] = {
        "method": "delta",
        "interval": "wilson",
        "stratify": None,
        "weights": "frequency",
    }
    options = {name: (arguments[name], default) for name, default in defaults.items()}
    check_left_out(MEAN_OVER_LISTS, **options)


def _estimated(
    name: Any, model: Evaluation, null_value: float | None, *, are_several: bool
) -> Estimate:
    """Return the estimate of a model, and warn if its scores seem reversed."""
    estimated = model.estimate(null_value)
    if model.folds is not None or any(ranked.counts is None for ranked in model.ranked):
        influence = partial(_influence, _copy_evaluation(model))
        estimated = replace(estimated, _find_influence=influence)
    argument = "y_score" if model.folds is None else "y_true"
    label = f"{argument}[{name!r}]" if are_several else argument
    interval = estimated.confidence_interval if model.plan.is_two_sided else None
    warn_reversed_scores([(label, model, interval)])
    return estimated


def _evaluate_list_means(
    meant: tuple[MetricLike, dict[str, Any]],
    y_true: Any,
    y_score: Any,
    groups: ArrayLike,
    cases: dict[str, Any],
    plan: Plan,
) -> Iterator[tuple[Any, Evaluation]]:
    """Yield the names of models and their means over lists."""
    models = {"y_score": y_score}
    if are_columns(y_score):
        models = check_model_columns("y_score", y_score, y_true, least=1)
    scores, options = compute_list_scores(*meant, y_true, models, groups, cases)
    for name, list_scores in scores.items():
        (evaluation,) = evaluate_lists([list_scores], plan, **options)
        yield name, evaluation


def _evaluate_rankings(
    meant: tuple[MetricLike, dict[str, Any]],
    y_true: Any,
    y_score: Any,
    weights: Weights,
    cases: dict[str, Any],
    plan: Plan,
) -> Iterator[tuple[Any, Evaluation]]:
    """Yield the names of models and the metric of their rankings."""
    if are_fold_rankings(y_true) or are_columns(y_score):
        samples = find_model_rankings(
            "y_score", y_score, y_true, cases, weights, least=1, by_case=False
        )
    else:
        samples = {"": find_rankings(y_true, y_score, weights=weights, **cases)}
    resolved = find_metric(*meant)
    for name, sample in samples.items():
        (evaluation,) = evaluate([resolved], [sample], plan)
        yield name, evaluation


def _copy_evaluation(evaluation: Evaluation) -> Evaluation:
    """Return an evaluation without cached properties, for a later influence.

    Scores and weights are copied, because the caller may change the originals.
    """
    if evaluation.folds is not None:
        # Their arrays are copies already.
        return replace(evaluation)

    def copied(ranked: Ranked) -> Ranked:
        names = ("scores", "weights", "given")
        arrays = {name: getattr(ranked, name) for name in names}
        copies = {name: x.copy() for name, x in arrays.items() if x is not None}
        return replace(ranked, **copies)

    rankings = [pair._replace(ranked=copied(pair.ranked)) for pair in evaluation.each]
    units = replace(evaluation.units, each=[pair.ranked for pair in rankings])
    return replace(evaluation, each=rankings, units=units)


def _influence(model: Evaluation) -> FloatArray:
    """Return the influence of each input sample, 0 for a sample without weight."""
    plan = replace(model.plan, method="delta", interval="wald")
    model = replace(model, units=replace(model.units, plan=plan))
    folds = model.folds
    if folds is None:
        ranked = model.ranked[0]
        rows: Any = slice(None) if ranked.kept is None else ranked.kept
        per_row = np.zeros(ranked.n_input)
        per_row[rows] = _NAN
        if model.is_known:
            per_row[rows] = _weight_factors(model) * model.influence[: len(per_row)]
        return per_row
    if not model.is_known:
        return np.full(len(folds.y_true), _NAN)
    rows = np.concatenate([*model.units.rows, *model.units.other_rows])
    rows = rows[: len(model.cases.is_pos)]
    weight = folds.sample_weight
    per_row = np.zeros(len(folds.y_true))
    # The variance is over the number of all rows, also rows of other folds.
    fraction = len(rows) / len(per_row)
    if weight is not None:
        fraction = weight[rows].sum() / weight.sum()
    per_row[rows] = _weight_factors(model) * model.row_influence / fraction
    return per_row


def _weight_factors(model: Evaluation) -> FloatArray | float:
    """Return balanced weights relative to the sampling weights, with mean 1."""
    factors = [
        ranked.weights * (ranked.given.mean() / ranked.given)
        for ranked in model.ranked
        if ranked.weights is not None and ranked.given is not None
    ]
    return np.concatenate(factors) if factors else 1.0
