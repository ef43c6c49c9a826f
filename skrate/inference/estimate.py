"""Estimates of a metric of one or more models, with their uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args, overload

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray, Label, RandomState
from skrate.data.checks import (
    Check,
    are_missing,
    check_arguments,
    check_equal_length,
    check_index,
    check_vector,
)
from skrate.data.folds import FoldRankings, accept_reports, are_fold_rankings
from skrate.data.table import RankTable, check_alone
from skrate.inference.cautions import warn_reversed_scores
from skrate.inference.evaluation import Evaluation
from skrate.inference.group_scores import compute_list_scores
from skrate.inference.intervals import ADJUSTMENTS, Adjust, adjust_pvalues
from skrate.inference.judged_lists import evaluate_lists
from skrate.inference.models import evaluate
from skrate.inference.options import ARGUMENTS, INTERVALS, Interval, Plan
from skrate.inference.rankings import (
    MEAN_OVER_LISTS,
    SAMPLE_ARGUMENTS,
    WEIGHTS,
    Frame,
    OnRanking,
    Weights,
    are_columns,
    check_left_out,
    check_model_columns,
    find_model_rankings,
    find_rankings,
    model_columns,
)
from skrate.inference.units import Units
from skrate.metrics.hypothesis_tests import Alternative
from skrate.metrics.metric import MetricLike, check_metric_first, find_metric
from skrate.metrics.result_types import Estimate, Estimates
from skrate.rates.distributions import is_row

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


@accept_reports
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
    fixed; :func:`compare_folds` also includes the variation from training. The result
    for several models has one row per model. With ``null_value``, their p-values are
    adjusted for the number of models. To test whether models differ, use
    :func:`compare`.

    Parameters
    ----------
    metric : callable or str
        A score function of this package, such as :func:`rate_weighted_auc_score`; its
        name, with or without "_score"; or a :func:`functools.partial` or a scorer of a
        score function. :func:`sklearn.metrics.roc_auc_score` and
        :func:`sklearn.metrics.average_precision_score` are also accepted, without
        options.
    y_true : array-like of shape (n_samples,), RankTable, FoldRankings or mapping
        True labels of two classes. Without ``y_score``: a RankTable, which has counts
        per category, as screening studies publish them; FoldRankings; or a mapping or
        list of the FoldRankings of several models in the same folds. For several
        labels per sample, such as findings: a mapping, data frame or array with a
        column per label, where nan or None means that it was not measured.
    y_score : array-like, mapping or data frame, default=None
        Scores of shape (n_samples,), higher for the positive class. For several models:
        a mapping of names to scores, a data frame with a column per model, or an array
        of shape (n_samples, n_models) with two or more columns, whose models are named
        by the column numbers. If ``y_true`` has columns: scores with the same columns,
        or one column of scores for all labels.
    method : {"delta", "bootstrap", "parametric", "jackknife"}, default="delta"
        - "delta": from the slopes of the metric, without replicates. For the AUC this
          is DeLong's variance; for the average precision, the variance of Su, Yuan and
          Zhu [3]_.
        - "bootstrap": a replicate draws samples, or clusters, with replacement.
        - "parametric": a replicate draws the number of positives, and then the counts
          of both classes in each group of tied samples from multinomial distributions
          (equations 19 to 21 of [3]_).
        - "jackknife": leaves out one sample, or one cluster, at a time.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    interval : {"wilson", "wald", "percentile"}, default="wilson"
        - "wilson": Wilson's interval for a proportion [5]_, extended to all metrics
          with a minimum and a maximum ([6]_, [2]_). Its width is positive even if the
          data show no variation. For metrics without a maximum, such as the lift, it is
          symmetric in the logarithm;
        - "wald": symmetric about the value, and cut off at the minimum and maximum;
        - "percentile": the quantiles of the replicates. It needs the method "bootstrap"
          or "parametric".
    null_value : float, default=None
        The value of the metric under the null hypothesis, between the minimum and the
        maximum of the metric, such as the AUC that a protocol requires. If None, there
        is no test.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        The alternative hypothesis. "greater": the metric is greater than
        ``null_value``. The interval is then one-sided: its lower end is a bound at the
        ``confidence_level``, and its upper end is the maximum of the metric, or
        infinity. "less" is the opposite.
    adjust : {"holm", "bh"}, default="holm"
        The error rate that the adjusted p-values of several models control:

        - "holm": the probability of one or more false findings, by Holm's method;
        - "bh": the expected proportion of false findings, by the method of Benjamini
          and Hochberg, for models that are independent or positively dependent.
    n_resamples : int, default=2000
        Number of replicates, for the methods "bootstrap" and "parametric".
    stratify : bool, default=None
        Whether class sizes were fixed by design, as in a case-control study. None means
        True for "bootstrap" without ``clusters``, and False otherwise. The effect is
        small for the AUC, but not for the average precision.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each row's list, if the metric is computed within lists, as by
        :func:`ndcg_score` or :func:`recall_at_rate_score`. Lists are then the
        independent units, as in :meth:`GroupScores.estimate`. Leave out ``method``,
        ``interval``, ``stratify`` and ``weights``; ``sample_weight`` are weights of
        rows within their list.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. Clusters are independent, but
        samples in a cluster may depend on each other. With ``groups``, all rows of a
        list must have the same cluster.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    weights : {"frequency", "sampling"}, default="frequency"
        The meaning of the weights. "frequency": whole numbers of repetitions of a
        sample. "sampling": inverses of the probabilities with which samples were drawn.
        In a case-control study, pass no weights: only metrics that depend on the
        prevalence need a correction, such as ``prevalence=`` of the average precision.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.
    random_state : int, Generator or RandomState, default=None
        Source of the replicates.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``. For one model, ``k`` or ``rate`` can
        have several numbers: the result is then Estimates, with a row for each, and
        p-values are adjusted for their number.

    Returns
    -------
    result : Estimate or Estimates
        An Estimate has ``value``, which is nan if the metric is undefined;
        ``standard_error`` and ``confidence_interval``, which are also nan if a class
        has fewer than two samples; ``statistic`` and ``pvalue``, if there is a
        ``null_value``; and ``influence``, n times the contribution of each of n samples
        to the error of the value. The result for several models is Estimates:
        ``result[name]`` equals the Estimate of a call with only this model,
        ``to_frame()`` has a row per model with the adjusted p-value, and ``plot()``
        draws the intervals. If ``y_true`` has columns, the rows are its columns, each
        from the samples on which the label was measured.

    Raises
    ------
    ValueError
        If the metric is not in this package or does not have these parameters; if
        labels, scores, weights or clusters are invalid or differ in length; or if
        options exclude each other. For folds: at least one fold with both classes must
        have two positives, and one must have two negatives (use fewer folds), unless
        groups of folds are the independent units (see Notes).

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two samples, or the metric is undefined; if the metric
        is undefined on some folds or replicates, which are left out; or if the clusters
        put all folds into one group (see Notes).
    UserWarning
        If the effective number of gains, (sum g)^2 / sum g^2, is below 10; with an
        ``interval`` other than "wilson", if fewer than 6 samples of a class have
        sampling weights above half the maximum; if fewer
        than 5 samples are above the cut at a given rate or tied with it; or if the
        folds have so small a number of positives that the interval corrects only a part
        of the bias of the mean. If the whole interval is worse than the value of
        uninformative scores, such as an AUC below 0.5: the scores, or ``pos_label``,
        may be reversed. With estimated labels, if the value is outside the bounds of
        the metric.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The AUC without its uncertainty.
    compare : Differences of two or more models, or of two metrics.
    select_best : The best of several models, corrected for the selection.

    Notes
    -----
    Let P and Q be the fractions of the positives and of the negatives in each group of
    tied samples, p the prevalence, g_P, g_Q and g_p the slopes of the metric with
    respect to these, and n_1, n_0 and n the numbers of positives, negatives and
    samples. The variance is

    .. math:: Var = \frac{Var_P(g_P)}{n_1} + \frac{Var_Q(g_Q)}{n_0}
              + g_p^2 \frac{p (1 - p)}{n},

    without the last term if class sizes are fixed (``stratify``). For the AUC, n_1 - 1
    and n_0 - 1 replace n_1 and n_0, which gives DeLong's variance [1]_.

    If the data show no variation, "wilson" replaces the other kinds of interval. For
    one model, p-values and intervals agree: the p-value is below :math:`\alpha` if the
    interval of level :math:`1 - \alpha` excludes ``null_value``. With "wilson" the test
    is a score test; for metrics at a recall, a precision or a false positive rate, it
    inverts a test (see :func:`rate_at_recall_score`). The degrees of freedom of
    Student's t are computed from the sizes of the classes [4]_ or, if a small number of
    samples determines the value, from the kurtosis of their influence.
    :ref:`uncertainty` has the formulas, and the measured coverage of the intervals.

    If samples were drawn with different probabilities, those that were drawn rarely may
    include no positive, or too few. "wilson" then adds the variance of up to half a
    positive with a large weight w: one half of it has the scores of the positives, the
    other half those of the negatives. Here, w is the minimum weight of the positives,
    times the ratio of a high to a low quantile of the weights of the negatives. No
    variance is added if 6 positives have more than half of this weight. The same holds
    for negatives. Nothing is added with clusters or folds. :func:`compare` adds up to
    one positive and one negative.

    If samples have different gains or costs, these are random, like the labels, and the
    total gain has no bounds. If no gain is negative, "wilson" is then symmetric
    in the logarithm; otherwise it corrects for the skewness [8]_. Only the
    methods "delta" and "bootstrap" support such gains and costs. In small data sets,
    the average precision, momentum and partial AUCs are too high on average: the lower
    ends of their intervals are lowered by the jackknife's estimate of this bias, except
    with "percentile" or sampling weights.

    For folds [7]_ the interval is for the mean performance of the models of all folds
    as they were trained; its variance is given in :ref:`train_once`. If a fold has a
    single positive, its variance is assumed to be the one of the positives in the other
    folds; the same holds for negatives. A fold that lacks a class, but has a value, is
    taken as a constant. If the FoldRankings have ``clusters``, folds with a cluster in
    common are in the same group of folds. A group of folds costs one degree of freedom,
    or if it is a single fold, one degree of freedom in each class. :ref:`The guide
    <clusters>` has the factor that corrects the variance. If any group has a single
    cluster, as in leave-one-site-out, all groups are the independent units. "wilson" is
    then Student's t interval of their values.

    Cost: one sort. The bootstrap does not sort again, and its memory is bounded. The
    time of the jackknife is quadratic in the number of groups of tied samples.

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
    .. [8] Hall (1992), On the removal of skewness by transformation, Journal of the
       Royal Statistical Society B 54, 221-228.

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

    A table of counts per category, with the best category first:

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
    are_folds = are_fold_rankings(y_true)
    # A frame with one column has one label.
    is_column = getattr(y_true, "shape", ())[1:] == (1,)
    has_columns = not (are_folds or is_column) and are_columns(y_true)
    are_several = are_folds or has_columns or are_columns(y_score)
    for name in sorted({"k", "rate"} & metric_kwargs.keys()):
        if not are_several and is_row(metric_kwargs[name]):
            return _estimate_each(name, arguments)
    if not are_several or null_value is None:
        situation = "models without null_value" if are_several else "one model"
        check_left_out(situation, adjust=(adjust, "holm"))
    if has_columns:
        evaluations = _evaluate_label_columns(arguments)
    elif groups is not None:
        evaluations = _evaluate_list_means(arguments)
    else:
        evaluations = _evaluate_rankings(arguments, are_several=are_several)
    by_name = {
        name: _estimate_model(name, evaluation, null_value, are_several=are_several)
        for name, evaluation in evaluations
    }
    estimates = tuple(by_name.values())
    if not are_several:
        return estimates[0]
    names, kind = tuple(map(str, by_name)), "label" if has_columns else "model"
    rows = Estimates(names=names, estimates=estimates, kind=kind)
    return rows if null_value is None else _adjust_rows(rows, adjust)


def _estimate_each(name: str, arguments: dict[str, Any]) -> Estimates:
    """Return a row for each of several values of the parameter ``name``."""
    params = arguments.pop("metric_kwargs")
    cuts, adjust = list(params[name]), arguments.pop("adjust")
    if not cuts:
        raise ValueError(f"{name} must have one or more numbers, got none.")
    estimates = [estimate(**arguments, **params | {name: cut}) for cut in cuts]
    names = tuple(map(str, cuts))
    rows = Estimates(names=names, estimates=tuple(estimates), kind=name)
    return rows if arguments["null_value"] is None else _adjust_rows(rows, adjust)


def _adjust_rows(rows: Estimates, adjust: Adjust) -> Estimates:
    """Return the estimates with p-values adjusted for their number."""
    pvalues = np.array([row.pvalue for row in rows.estimates], dtype=np.float64)
    adjusted_pvalues = tuple(adjust_pvalues(pvalues, adjust).tolist())
    return replace(rows, adjust=adjust, adjusted_pvalues=adjusted_pvalues)


def _estimate_model(
    name: Any, model: Evaluation, null_value: float | None, *, are_several: bool
) -> Estimate:
    """Return the estimate of a model, and warn if its scores may be reversed."""
    estimated = model.estimate(null_value)
    find: Callable[[], FloatArray] | None = None
    if model.folds is not None:
        # Without cached values. FoldRankings have copied their arrays.
        find = partial(_compute_fold_influence, replace(model))
    elif model.ranked and model.ranked[0].counts is None:
        one = model.rankings[0]
        # Copied, because the caller may change scores and weights.
        one = one._replace(ranked=one.ranked.copy_data())
        find = partial(_compute_influence, one, model.plan, is_known=model.is_known)
    if find is not None:
        estimated = replace(estimated, _find_influence=find)
    argument = "y_score" if model.folds is None else "y_true"
    label = f"{argument}[{name!r}]" if are_several else argument
    interval = estimated.confidence_interval if model.plan.is_two_sided else None
    warn_reversed_scores([(label, model, interval)])
    return estimated


def _evaluate_list_means(arguments: dict[str, Any]) -> Iterator[tuple[Any, Evaluation]]:
    """Yield the name of each model and the evaluation of its mean over lists."""
    y_true, y_score = arguments["y_true"], arguments["y_score"]
    if are_fold_rankings(y_true):
        check_alone(FoldRankings, groups=arguments["groups"])
    defaults: dict[str, Any] = {
        "method": "delta",
        "interval": "wilson",
        "stratify": None,
        "weights": "frequency",
    }
    options = {name: (arguments[name], default) for name, default in defaults.items()}
    check_left_out(MEAN_OVER_LISTS, **options)
    plan = Plan.of(arguments)
    models = {"y_score": y_score}
    if are_columns(y_score):
        models = check_model_columns("y_score", y_score, y_true, least=1)
    sample_options = {name: arguments[name] for name in SAMPLE_ARGUMENTS}
    scores, mean_options = compute_list_scores(
        arguments["metric"],
        arguments["metric_kwargs"],
        y_true,
        models,
        arguments["groups"],
        sample_options,
    )
    for name, list_scores in scores.items():
        (evaluation,) = evaluate_lists([list_scores], plan, **mean_options)
        yield name, evaluation


def _evaluate_rankings(
    arguments: dict[str, Any], *, are_several: bool = False
) -> Iterator[tuple[Any, Evaluation]]:
    """Yield the name of each model and the evaluation of its ranking or folds."""
    plan = Plan.of(arguments)
    y_true, y_score = arguments["y_true"], arguments["y_score"]
    weights = arguments["weights"]
    sample_options = {name: arguments[name] for name in SAMPLE_ARGUMENTS}
    if are_several:
        samples = find_model_rankings(
            "y_score",
            y_score,
            y_true,
            sample_options,
            weights,
            least=1,
            needs_groups=False,
        )
    else:
        samples = {
            "": find_rankings(y_true, y_score, weights=weights, **sample_options)
        }
    metric = find_metric(arguments["metric"], arguments["metric_kwargs"])
    for name, sample in samples.items():
        (evaluation,) = evaluate([metric], [sample], plan)
        yield name, evaluation


def _evaluate_label_columns(
    arguments: dict[str, Any],
) -> Iterator[tuple[Any, Evaluation]]:
    """Yield the name of each label, and its evaluation on samples that have it."""
    y_true, y_score = arguments["y_true"], arguments["y_score"]
    check_left_out("several labels in y_true", groups=(arguments["groups"], None))
    labels = model_columns("y_true", y_true)
    scores = dict.fromkeys(labels, y_score)
    if are_columns(y_score):
        scores = model_columns("y_score", y_score)
    if not labels or set(labels) != set(scores):
        raise ValueError(
            "y_score must have the columns of y_true, or one column of scores, got "
            f"{list(scores)} for the labels {list(labels)}."
        )
    for name, column in labels.items():
        check_index(column, y_score=scores[name])
        values = check_vector(f"y_true[{name!r}]", column)
        columns = {"y_score": check_vector(f"y_score[{name!r}]", scores[name])}
        columns |= {
            option: check_vector(option, arguments[option])
            for option in ("sample_weight", "clusters")
            if arguments[option] is not None
        }
        check_equal_length(y_true=values, **columns)
        is_measured = ~are_missing(values)
        if not is_measured.any():
            raise ValueError(f"y_true[{name!r}] must have a label: all are missing.")
        measured = {option: entry[is_measured] for option, entry in columns.items()}
        label_arguments = arguments | measured | {"y_true": values[is_measured]}
        try:
            ((_, evaluation),) = _evaluate_rankings(label_arguments)
        except ValueError as error:
            subset = f"Label {name!r}, among the samples on which it was measured"
            raise ValueError(f"{subset}: {error}") from error
        yield name, evaluation


def _compute_influence(one: OnRanking, plan: Plan, *, is_known: bool) -> FloatArray:
    """Return the influence of each input sample: 0 if its weight is 0."""
    ranked = one.ranked
    rows: Any = slice(None) if ranked.kept is None else ranked.kept
    per_row = np.zeros(ranked.n_input)
    per_row[rows] = _NAN
    if is_known:
        plan = replace(plan, method="delta", interval="wald")
        model = Evaluation(one.metric, [one], Units([ranked], plan))
        per_row[rows] = _weight_factors(model) * model.influence[: len(per_row)]
    return per_row


def _compute_fold_influence(model: Evaluation) -> FloatArray:
    """Return the influence of each input sample of folds."""
    plan = replace(model.plan, method="delta", interval="wald")
    model = replace(model, units=replace(model.units, plan=plan))
    folds = model.folds
    assert folds is not None
    if not model.is_known:
        return np.full(len(folds.y_true), _NAN)
    rows = np.concatenate([*model.units.rows, *model.units.other_rows])
    rows = rows[: len(model.samples.is_pos)]
    weight = folds.sample_weight
    per_row = np.zeros(len(folds.y_true))
    # Influence is n times a contribution. Here n counts all rows, and in the evaluation
    # only the rows of folds that are not left out.
    fraction = len(rows) / len(per_row)
    if weight is not None:
        fraction = weight[rows].sum() / weight.sum()
    per_row[rows] = _weight_factors(model) * model.row_influence / fraction
    return per_row


def _weight_factors(model: Evaluation) -> FloatArray | float:
    """Return the weights in the evaluation, divided by given weights with mean 1."""
    factors = [
        ranked.weights * (ranked.given.mean() / ranked.given)
        for ranked in model.ranked
        if ranked.weights is not None and ranked.given is not None
    ]
    return np.concatenate(factors) if factors else 1.0
