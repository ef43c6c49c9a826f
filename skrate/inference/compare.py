"""Comparisons of models, or of two metrics of one model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray, Label, RandomState
from skrate.data.checks import (
    Check,
    check_arguments,
    check_generator,
    check_positive,
    or_none,
)
from skrate.data.folds import (
    FoldRankings,
    accept_reports,
    are_fold_rankings,
    check_no_labels,
)
from skrate.data.table import RankTable, check_alone
from skrate.inference.cautions import warn_reversed_scores, warn_small_sample
from skrate.inference.equal_budget import add_equal_budget
from skrate.inference.evaluation import Difference, Evaluation
from skrate.inference.group_scores import GroupScores, compute_list_scores
from skrate.inference.intervals import ADJUSTMENTS, Adjust, adjust_pvalues
from skrate.inference.judged_lists import evaluate_lists
from skrate.inference.models import evaluate, evaluate_models
from skrate.inference.options import ARGUMENTS, Plan
from skrate.inference.rankings import (
    MEAN_OVER_LISTS,
    SAMPLE_ARGUMENTS,
    WEIGHTS,
    Frame,
    Rankings,
    Weights,
    add_model_scores,
    are_columns,
    check_left_out,
    check_model_columns,
    check_samples,
    check_several,
    find_model_rankings,
    find_rankings,
    find_two_rankings,
    name_models,
)
from skrate.inference.variance import covariance
from skrate.metrics.hypothesis_tests import Alternative
from skrate.metrics.metric import MetricLike, check_metric_first, find_metric
from skrate.metrics.result_types import Comparison, Comparisons, model_pairs

Method = Literal["delta", "bootstrap", "permutation"]
METHODS: tuple[Method, ...] = get_args(Method)
Interval = Literal["wald", "percentile"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)
_ARGUMENTS: dict[str, Check] = {
    **ARGUMENTS,
    "method": METHODS,
    "interval": INTERVALS,
    "weights": WEIGHTS,
    "adjust": ADJUSTMENTS,
    "margin": or_none(check_positive),
    "random_state": lambda _, value: check_generator(value),
}
_ModelData = FoldRankings | GroupScores


@overload
def compare(
    metric: MetricLike,
    y_true: Mapping[Any, _ModelData] | list[_ModelData] | tuple[_ModelData, ...],
    **options: Any,
) -> Comparisons: ...


@overload
def compare(
    metric: MetricLike,
    y_true: ArrayLike,
    y_score_a: Mapping[Any, ArrayLike] | Frame,
    **options: Any,
) -> Comparisons: ...


@overload
def compare(
    metric: MetricLike | tuple[MetricLike, MetricLike] | list[MetricLike],
    y_true: ArrayLike | RankTable | FoldRankings | GroupScores,
    y_score_a: ArrayLike | FoldRankings | GroupScores | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    y_true_b: ArrayLike | RankTable | None = None,
    method: Method = "delta",
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    confidence_level: float = 0.95,
    interval: Interval = "wald",
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
) -> Comparison: ...


@accept_reports
def compare(
    metric: MetricLike | tuple[MetricLike, MetricLike] | list[MetricLike],
    y_true: Any,
    y_score_a: Any = None,
    y_score_b: ArrayLike | None = None,
    *,
    y_true_b: ArrayLike | RankTable | None = None,
    method: Method = "delta",
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    reference: Any = None,
    adjust: Adjust = "holm",
    confidence_level: float = 0.95,
    interval: Interval = "wald",
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
) -> Comparison | Comparisons:
    """Test whether a model is better than another: difference, interval and p-value.

    Is model a better than model b, or could another data set have shown the opposite?
    The models are taken as fixed, and must have been trained on other data. If both
    models rank the same samples, the comparison is paired, which detects smaller
    differences. If there are several models, all pairs are compared. Their p-values are
    adjusted, because some of many comparisons look significant by chance.

    Parameters
    ----------
    metric : callable, str or a pair of these
        A score function or its name, as in :func:`estimate`. A pair of metrics compares
        two metrics of one model, without ``y_score_b``: pass their parameters by
        :func:`functools.partial`.
    y_true : array-like of shape (n_samples,), RankTable, GroupScores or FoldRankings
        True labels of two classes. Instead of labels and scores, model a (or the only
        model, if ``metric`` is a pair) can have GroupScores, which are values within
        lists; FoldRankings; or a RankTable, which is a published table of counts (for
        two models, only with ``y_true_b``). For several models, pass a mapping or list
        of their FoldRankings on the same folds, or of their GroupScores.
    y_score_a : array-like, mapping, data frame or as y_true, default=None
        Scores of model a, of shape (n_samples,), higher for the positive class. For
        several models, a mapping of names to scores, or a data frame or array with a
        column per model (of an array, named by the column numbers). If ``y_true`` is
        GroupScores or FoldRankings of model a, the object of the same type for model b,
        of the same lists, or samples and folds.
    y_score_b : array-like of shape (n_samples,), default=None
        Scores of model b, on the same samples unless ``y_true_b`` is given.
    y_true_b : array-like of shape (n_samples_b,) or RankTable, default=None
        Labels of the samples of model b, if they are not the samples of model a, or a
        table of their counts, without ``y_score_b``. The comparison is then unpaired.
    method : {"delta", "bootstrap", "permutation"}, default="delta"
        - "delta": the variance follows from the influence of each sample; for the AUC
          this is DeLong's test.
        - "bootstrap": a replicate draws samples, which are the same for both models.
        - "permutation": a replicate exchanges the ranks of both models in each sample
          with the probability 1/2. The standard error is the one of "delta".
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        The alternative hypothesis. "greater": the metric of a is greater than the
        metric of b. The interval is then one-sided: its lower end is a bound at the
        ``confidence_level``, and its upper end is the maximum possible difference.
        "less" is the opposite.
    margin : float, default=None
        The size of a difference that does not matter in practice, above 0 and in units
        of the metric (five points are 0.05), chosen before you look at the data. A
        small p-value then shows that a is not inferior to b ("greater", if higher
        values are better), or that both are equivalent ("two-sided"); see Notes. Not
        for "permutation".
    reference : str or int, default=None
        For several models, the name of the model that is subtracted from every other
        model. Columns of an array and entries of a list are named by their numbers,
        from 0. If None, all pairs are compared.
    adjust : {"holm", "bh"}, default="holm"
        The error rate that the adjusted p-values of several models control:

        - "holm": the probability of one or more false findings, by Holm's method;
        - "bh": the expected proportion of false findings, by the method of Benjamini
          and Hochberg, for models that are independent or positively dependent.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    interval : {"wald", "percentile"}, default="wald"
        Kind of the interval. "percentile" needs ``method="bootstrap"`` and is for two
        models; the p-value is then computed from the same replicates. Leave it out for
        "permutation", whose interval is computed from the permutations.
    n_resamples : int, default=2000
        Number of replicates for each pair of models.
    stratify : bool, default=None
        Whether class sizes were fixed by design, as in a case-control study. None means
        True for "bootstrap" and "permutation" without ``clusters``, and False
        otherwise. The effect on a paired difference is often small.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each row's list, as in :func:`estimate`. Lists are then the
        independent units, and "delta" is Student's t-test of the differences within
        lists. If the metric does not take ``groups``, pass the results of
        :func:`group_scores` as ``y_true`` and ``y_score_a``.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient, as in :func:`estimate`. For
        GroupScores: the cluster of each list.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples; ``weights`` says what they mean.
    weights : {"frequency", "sampling"}, default="frequency"
        The meaning of the weights. "frequency": whole numbers of repetitions of a
        sample. "sampling": inverses of the probabilities with which samples were drawn.
        For the average precision in a case-control study, pass ``prevalence=`` instead.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.
    random_state : int, Generator or RandomState, default=None
        Source of the replicates. Each pair of models has its own replicates. The first
        pair has the same replicates as if only two models were compared.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``. For lists, also ``average`` and
        ``undefined`` of :meth:`GroupScores.mean`.

    Returns
    -------
    result : Comparison or Comparisons
        A Comparison has ``value`` (a - b), ``value_a``, ``value_b``,
        ``standard_error``, ``confidence_interval``, ``statistic`` and ``pvalue``. If a
        metric is undefined, its value is nan, and so are the difference and its
        uncertainty. If a class has fewer than two samples, the standard error,
        interval, statistic and p-value are nan. For the recall at one rate,
        ``equal_budget()`` is how many times as many samples b must process to find as
        many positives as a: see :class:`~skrate.results.EqualBudget`. The result for
        several models is Comparisons: it has ``pairs``, a Comparison for each pair,
        ``adjusted_pvalues``, and the ``covariance`` of the metrics of the models.

    Raises
    ------
    ValueError
        As for :func:`estimate`; also if options exclude each other, or if several
        models do not support an option.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two samples, or a metric is undefined.
    UserWarning
        As for :func:`estimate`. The warning of reversed scores names their argument.
        For methods other than "permutation": if a recall at a precision has fewer than
        10 negatives above the cut, or if a metric at a recall has fewer than 8
        positives on one side of the cut. For unpaired data: if a class is so small that
        the test rejects too often. For lists: if the models differ in fewer than 10
        lists, or if some lists are undefined for one model only.

    See Also
    --------
    estimate : One model, or many against chance.
    compare_folds : A test that includes the variation from training, by
        cross-validation.

    Notes
    -----
    The statistic is the difference divided by its standard error: DeLong's z for the
    AUC. The p-value and the interval "wald" use Student's t distribution with the
    degrees of freedom of :func:`estimate`. (With five positives, a test at a level of
    0.05 that used the normal distribution would reject a true null hypothesis in one of
    ten data sets.) For partial AUCs, for momentum, and for all metrics if there is a
    ``margin``, the degrees of freedom are computed from the kurtosis of the influence
    on the difference. With ``clusters``, this holds for momentum and average precision,
    with the sums over clusters. For metrics at a recall, they are at most
    twice the number of positives on the smaller side of the cut.

    If sampling weights vary within the classes, a class with fewer than 12 samples of
    high weight may lack others by chance. The standard error is then increased as if up
    to one were missing; the ``covariance`` is not (:ref:`uncertainty`).

    With a ``margin`` d > 0, a small p-value is evidence for one of these statements:

    - "greater": a - b > -d. If higher values of the metric are better, a is then not
      inferior to b.
    - "less": a - b < d. If lower values are better, as for
      :func:`rate_at_recall_score`, a is then not inferior to b; otherwise, b is not
      inferior to a.
    - "two-sided": -d < a - b < d, which is equivalence. The p-value is the maximum of
      the p-values of both one-sided tests. Each end of the interval is a one-sided
      bound at the ``confidence_level`` 1 - alpha, so the interval has the level
      1 - 2 alpha: 90 % for 0.95.

    For two models, p-values and intervals agree: an interval of level 1 - alpha
    excludes 0 if the p-value is below alpha. With a ``margin`` d, the interval is above
    -d, below d, or between -d and d if the p-value is below alpha [3]_, and the
    statistic is the difference plus or minus d, divided by the standard error. The null
    hypothesis of "permutation" is that the models are exchangeable within samples
    ([1]_, [2]_). This is a stronger hypothesis than equal metrics, but the test is
    exact for any number of samples. Midranks are exchanged, so the scores of the models
    can have different scales.

    FoldRankings of two models are paired by their samples. The comparison holds for the
    models that were trained, while :func:`compare_folds` also includes the variation
    from the choice of the training data. If clusters make folds the independent units,
    as in leave-one-site-out, the test is the paired t-test of the values of the folds.
    :ref:`several_in_lists` explains the test within lists.

    The covariance of two models is computed from the products of their influence values
    of each sample; for the AUC this is DeLong's matrix. A contrast ``c @ values`` of
    several models has the variance ``c @ covariance @ c``. Cost: one sort per model.

    References
    ----------
    .. [1] Venkatraman and Begg (1996), A distribution-free procedure for comparing
       receiver operating characteristic curves from a paired experiment,
       :doi:`10.1093/biomet/83.4.835`.
    .. [2] Bandos, Rockette and Gur (2005), A permutation test sensitive to differences
       in areas for comparing ROC curves from a paired design,
       :doi:`10.1002/sim.2149`.
    .. [3] Liu, Ma, Wu and Tai (2006), Tests of equivalence and non-inferiority for
       diagnostic accuracy based on the paired areas under ROC curves,
       :doi:`10.1002/sim.2358`.

    Examples
    --------
    >>> from skrate import compare
    >>> y_true = [1, 1, 1, 0, 0, 0, 0, 0]
    >>> models = {
    ...     "A": [8, 7, 4, 6, 5, 3, 2, 1],
    ...     "B": [8, 3, 2, 7, 6, 5, 4, 1],
    ...     "C": [8, 6, 7, 1, 2, 3, 5, 4],
    ... }
    >>> result = compare("roc_auc", y_true, models["A"], models["B"])
    >>> round(result.value, 4), round(result.pvalue, 4)
    (0.4, 0.2193)

    All pairs of three models, and then the difference of each model from A:

    >>> result = compare("roc_auc", y_true, models)
    >>> [round(pair.value, 3) for pair in result.pairs]
    [0.4, -0.133, -0.533]
    >>> result = compare("roc_auc", y_true, models, reference="A")
    >>> [round(pair.value, 3) for pair in result.pairs]
    [-0.4, 0.133]

    Two published tables of different samples, with the best category first:

    >>> from skrate import RankTable
    >>> a = RankTable([30, 20, 10], [5, 25, 50])
    >>> b = RankTable([20, 20, 20], [5, 25, 50])
    >>> compare("roc_auc", a, y_true_b=b)
    Comparison(AUC 0.7969 - 0.6875 = 0.1094, 95 % interval [-0.0012, 0.2199],
    p = 0.0525 (two-sided, delta))
    """
    arguments = check_arguments(_ARGUMENTS, locals())
    check_metric_first(metric)
    plan = Plan.of(arguments)
    are_several = are_fold_rankings(y_true, _ModelData) or (
        y_score_b is None and are_columns(y_score_a)
    )
    args = _CompareArguments(
        **{name: arguments[name] for name in _COPIED_FIELDS},
        sample_options={name: arguments[name] for name in SAMPLE_ARGUMENTS},
        is_pair=isinstance(metric, tuple | list),
        are_several=are_several,
    )
    are_lists = (
        groups is not None
        or isinstance(y_true, GroupScores)
        or isinstance(y_score_a, GroupScores)
        or (are_several and are_fold_rankings(y_true, GroupScores))
    )
    _check_combination(args, plan, are_lists=are_lists)
    if are_lists:
        return _compare_within_lists(args, plan)
    return _compare_several(args, plan) if are_several else _compare_two(args, plan)


class _CompareArguments(NamedTuple):
    """The checked arguments: the metric or metrics, and the data of the models.

    ``sample_options`` are the ``SAMPLE_ARGUMENTS``. ``is_pair`` says whether two
    metrics of one model are compared, and ``are_several`` whether there are several
    models, by name or in columns.
    """

    metric: Any
    metric_kwargs: dict[str, Any]
    y_true: Any
    y_score_a: Any
    y_score_b: Any
    y_true_b: Any
    groups: Any
    weights: Weights
    reference: Any
    adjust: Adjust
    sample_options: dict[str, Any]
    is_pair: bool
    are_several: bool


_COPIED_FIELDS = _CompareArguments._fields[:-3]


def _check_combination(args: _CompareArguments, plan: Plan, *, are_lists: bool) -> None:
    """Raise an error if arguments exclude each other."""
    pair_options: dict[str, Any] = {
        "y_true_b": (args.y_true_b, None),
        "interval": (plan.interval, "wald"),
    }
    if args.are_several:
        check_left_out(
            "several models", y_score_b=(args.y_score_b, None), **pair_options
        )
    else:
        check_left_out(
            "two models", reference=(args.reference, None), adjust=(args.adjust, "holm")
        )
    if are_lists:
        if are_fold_rankings(args.y_true):
            check_alone(FoldRankings, groups=args.groups)
        check_left_out(
            MEAN_OVER_LISTS,
            stratify=(plan.stratify, None),
            weights=(args.weights, "frequency"),
            **pair_options,
        )
    if args.is_pair and (args.are_several or args.y_true_b is not None):
        raise ValueError("metric must be one metric to compare models, got a pair.")


def _compare_several(args: _CompareArguments, plan: Plan) -> Comparisons:
    """Compare all pairs of models on the same samples, or all models to a reference."""
    samples = find_model_rankings(
        "y_score_a", args.y_score_a, args.y_true, args.sample_options, args.weights
    )
    names, rankings = tuple(samples), list(samples.values())
    folds = rankings[0].folds
    models = evaluate_models((args.metric, args.metric_kwargs), rankings, plan)
    argument = "y_score_a" if folds is None else "y_true"
    labels = [f"{argument}[{name!r}]" for name in names]
    warn_reversed_scores(zip(labels, models, [None] * len(models), strict=True))

    def compare_two(i: int, j: int, plan: Plan) -> Comparison:
        comparison = (models[i] - models[j]).comparison(plan)
        if not models[i].metric.has_equal_budget:
            return comparison
        return add_equal_budget(comparison, models[i], models[j])

    return compare_pairs(
        names,
        compare_two,
        plan,
        covariance=_covariance(models),
        adjust=args.adjust,
        reference=args.reference,
    )


def _covariance(models: Sequence[Evaluation]) -> FloatArray:
    """Return the covariance of the values of models; all nan if one is unknown."""
    if not all(model.is_known for model in models):
        return np.full((len(models), len(models)), np.nan)
    return covariance([model.influence for model in models], models[0].samples)


def compare_pairs(
    names: tuple[str, ...],
    compare_two: Callable[[int, int, Plan], Comparison],
    plan: Plan,
    *,
    covariance: FloatArray,
    adjust: Adjust,
    reference: Any = None,
    what: str = "model",
) -> Comparisons:
    """Compare all pairs of models, or all models to a reference.

    ``compare_two(i, j, plan)`` must compare the models with the indices i and j.
    """
    base = None if reference is None else str(reference)
    if base is not None and base not in names:
        choices = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
        raise ValueError(f"reference={reference!r} is not a {what}: use {choices}.")
    first, *later = model_pairs(len(names), None if base is None else names.index(base))

    # The first pair uses the generator itself, as if only two models were compared. The
    # other pairs use generators that are spawned from it, which are independent.
    pairs = [compare_two(*first, plan)]
    for indices, pair_plan in zip(later, plan.split(len(later)), strict=True):
        pairs.append(compare_two(*indices, pair_plan))
    pvalues = adjust_pvalues(np.array([pair.pvalue for pair in pairs]), adjust)
    return Comparisons(
        names=names,
        pairs=tuple(pairs),
        adjusted_pvalues=tuple(pvalues.tolist()),
        covariance=covariance,
        reference=base,
        adjust=adjust,
    )


def _compare_within_lists(
    args: _CompareArguments, plan: Plan
) -> Comparison | Comparisons:
    """Compare two or more models by the mean of a metric over lists."""
    if plan.method == "bootstrap":
        raise ValueError(
            "method='bootstrap' does not support a mean over lists: use "
            "method='delta', which is Student's t-test, or method='permutation'."
        )
    are_several = args.are_several
    scores_by_name, list_options = compute_list_scores(
        args.metric,
        args.metric_kwargs,
        args.y_true,
        models=_find_model_scores(args),
        groups=args.groups,
        samples=args.sample_options,
    )
    names, scores = tuple(map(str, scores_by_name)), list(scores_by_name.values())
    if args.groups is not None:
        labels = names
        if are_several:
            labels = tuple(f"y_score_a[{name!r}]" for name in scores_by_name)
        means = [evaluate_lists([lists], plan, **list_options)[0] for lists in scores]
        warn_reversed_scores(zip(labels, means, [None] * len(means), strict=True))

    def compare_two(i: int, j: int, plan: Plan) -> Comparison:
        a, b = evaluate_lists([scores[i], scores[j]], plan, **list_options)
        return (a - b).comparison(plan)

    if not are_several:
        return compare_two(0, 1, plan)
    return compare_pairs(
        names,
        compare_two,
        plan,
        covariance=_covariance(evaluate_lists(scores, plan, **list_options)),
        adjust=args.adjust,
        reference=args.reference,
    )


def _find_model_scores(args: _CompareArguments) -> dict[Any, Any]:
    """Return the scores of the models, or their values within lists, by name."""
    y_true, a, b = args.y_true, args.y_score_a, args.y_score_b
    if args.groups is None:
        check_alone(GroupScores, y_score_b=b)
        if not args.are_several:
            return {"y_true": y_true, "y_score_a": a}
        check_alone(GroupScores, y_score_a=a)
        return check_several("y_true", name_models(y_true))
    if args.are_several:
        return check_model_columns("y_score_a", a, y_true)
    is_missing = a is None or b is None or isinstance(y_true, RankTable)
    if is_missing and not args.is_pair:
        raise ValueError(
            "y_score_a and y_score_b must be the scores of both models, and y_true the "
            "labels of the same samples, to compare them within lists."
        )
    return {"y_score_a": a, "y_score_b": b}


def _compare_two(args: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models, or two metrics of one model, by samples, folds or tables."""
    y_true, a, b, weights = args.y_true, args.y_score_a, args.y_score_b, args.weights
    unused = {"y_score_b": b, "y_true_b": args.y_true_b, **args.sample_options}
    if isinstance(y_true, FoldRankings) or isinstance(a, FoldRankings):
        if args.is_pair:
            check_no_labels(y_true, "y_score_a")
            check_alone(y_true, **unused)
            rankings = {"y_true": find_rankings(y_true, weights=weights)}
        else:
            del unused["y_score_b"]
            rankings = find_two_rankings(y_true, a, b, weights, **unused)
    elif args.y_true_b is not None:
        rankings = _find_unpaired_rankings(args, plan)
    elif args.is_pair and isinstance(y_true, RankTable) and a is None:
        check_alone(y_true, **unused)
        rankings = {"y_true": find_rankings(y_true)}
    elif isinstance(y_true, RankTable) or isinstance(a, RankTable):
        name = "y_true" if isinstance(y_true, RankTable) else "y_score_a"
        raise ValueError(
            f"{name} must not be a RankTable to compare two models: pass labels and "
            "the scores of both models for each sample, because a table does not show "
            "which samples the models have in common. If they have none in common, "
            "pass the tables as y_true and y_true_b."
        )
    elif a is None:
        raise ValueError("y_score_a is missing: pass the scores of model a.")
    elif args.is_pair:
        samples = check_samples(
            y_true, weights=weights, takes_estimates=True, **args.sample_options
        )
        rankings = {"y_score_a": Rankings([add_model_scores(samples, "y_score_a", a)])}
    elif b is None:
        raise ValueError(
            "y_score_b is missing: pass the scores of model b, or a pair of metrics, "
            "or as y_score_a the scores of several models, with a column or entry each."
        )
    else:
        rankings = find_two_rankings(y_true, a, b, weights, **args.sample_options)
    if args.is_pair:
        _check_metric_pair(args, plan, next(iter(rankings)))
    return _compare_rankings(args, rankings, plan)


def _find_unpaired_rankings(args: _CompareArguments, plan: Plan) -> dict[str, Rankings]:
    """Return the rankings of two models on different samples."""
    if args.y_score_b is None and not isinstance(args.y_true_b, RankTable):
        raise ValueError("y_score_b is missing: pass the scores for y_true_b.")
    if plan.method == "permutation":
        raise ValueError(
            "method='permutation' excludes y_true_b: use method='delta', because two "
            "models can only be exchanged within the same samples."
        )
    for name in ("clusters", "sample_weight"):
        if args.sample_options[name] is not None:
            raise ValueError(
                f"{name} excludes y_true_b: leave {name} out, because it has no values "
                "for the samples of b."
            )
    pos_label = args.sample_options["pos_label"]
    rankings = {}
    for y_true, name in (("y_true", "y_score_a"), ("y_true_b", "y_score_b")):
        labels = getattr(args, y_true)
        argument = y_true if isinstance(labels, RankTable) else name
        scores = getattr(args, name)
        try:
            rankings[argument] = find_rankings(labels, scores, pos_label=pos_label)
        except ValueError as error:
            message = re.sub(r"\by_score\b", name, str(error))
            raise ValueError(re.sub(r"\by_true\b", y_true, message)) from None
    return rankings


def _check_metric_pair(args: _CompareArguments, plan: Plan, name: str) -> None:
    """Raise an error if options exclude a comparison of two metrics of one model.

    ``name`` is the argument with the scores or the folds of the model.
    """
    if len(args.metric) != 2:
        raise ValueError(
            f"metric must be one metric or a pair, got {len(args.metric)} metrics."
        )
    unused = "y_score_b" if name == "y_score_a" else "y_score_a"
    if getattr(args, unused) is not None:
        raise ValueError(f"{unused} must be None for two metrics: leave it out.")
    if plan.method == "permutation":
        raise ValueError(
            "method='permutation' cannot compare two metrics: use method='delta'."
        )
    if args.metric_kwargs:
        parameter = min(args.metric_kwargs)
        raise ValueError(
            f"{parameter} is ambiguous for two metrics: pass "
            f"functools.partial(metric, {parameter}=...) for a metric that needs it."
        )


def _compare_rankings(
    args: _CompareArguments, named: dict[str, Rankings], plan: Plan
) -> Comparison:
    """Compare two models, or two metrics of one model, by their rankings."""
    samples = list(named.values())
    are_paired = args.y_true_b is None
    if args.is_pair:
        metrics, samples = [find_metric(metric) for metric in args.metric], samples * 2
    else:
        metrics = [find_metric(args.metric, args.metric_kwargs)] * 2
    a, b = evaluate(metrics, samples, plan, are_paired=are_paired)
    if not are_paired and (a.samples.gains is not None or b.samples.gains is not None):
        raise ValueError(
            "y_true_b excludes a gain or cost per sample: call estimate for each "
            "model, because gain and cost have no values for the samples of b."
        )
    if a.folds is None and a.is_known and b.is_known:
        warn_small_sample([*a.rankings, *b.rankings])
    comparison = Difference(a, b).comparison(plan)
    warn_reversed_scores(zip(named, (a, b), (None, None), strict=False))
    if args.is_pair or not a.metric.has_equal_budget:
        return comparison
    return add_equal_budget(comparison, a, b)
