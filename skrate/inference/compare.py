"""Models, or two metrics of one, against each other."""

from __future__ import annotations

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
from skrate.data.folds import FoldRankings, are_fold_rankings, check_no_labels
from skrate.data.table import RankTable, check_alone
from skrate.inference.cautions import warn_small_sample
from skrate.inference.evaluation import Difference, Evaluation, warn_reversed_scores
from skrate.inference.group_scores import GroupScores, compute_list_scores
from skrate.inference.intervals import ADJUSTMENTS, Adjust, adjusted
from skrate.inference.list_means import evaluate_lists
from skrate.inference.models import (
    check_model_columns,
    check_several,
    evaluate,
    evaluate_models,
    find_model_rankings,
    find_two_rankings,
    name_models,
)
from skrate.inference.options import ARGUMENTS, Plan
from skrate.inference.published_tables import (
    check_correlation,
    check_tables,
    compare_tables,
)
from skrate.inference.rankings import (
    MEAN_OVER_LISTS,
    OF_CASES,
    WEIGHTS,
    Frame,
    Rankings,
    Weights,
    are_columns,
    check_cases,
    check_left_out,
    find_rankings,
    scored,
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
    "correlation": or_none(check_correlation),
    "random_state": lambda _, value: check_generator(value),
}
_Several = FoldRankings | GroupScores
_SCORES = ("y_score_a", "y_score_b")


@overload
def compare(
    metric: MetricLike,
    y_true: Mapping[Any, _Several] | list[_Several] | tuple[_Several, ...],
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
    y_score_a: ArrayLike | RankTable | FoldRankings | GroupScores | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    y_true_b: ArrayLike | None = None,
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
    correlation: float | None = None,
    pos_label: Label = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    **metric_kwargs: Any,
) -> Comparison: ...


def compare(
    metric: MetricLike | tuple[MetricLike, MetricLike] | list[MetricLike],
    y_true: Any,
    y_score_a: Any = None,
    y_score_b: ArrayLike | None = None,
    *,
    y_true_b: ArrayLike | None = None,
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
    correlation: float | None = None,
    pos_label: Label = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    **metric_kwargs: Any,
) -> Comparison | Comparisons:
    """Test whether a model is better than another: difference, interval and p-value.

    Is model a better than model b, or could another sample have shown the opposite? The
    models are fixed, and were trained on other data. On the same samples the comparison
    is paired, which reveals smaller differences. With several models all pairs are
    compared. Their p-values are adjusted, because some of many comparisons look
    significant by chance.

    Parameters
    ----------
    metric : callable, str or a pair of these
        A score function or its name, as in :func:`estimate`. A pair compares two
        metrics of one model, without ``y_score_b``; give their parameters by
        :func:`functools.partial`.
    y_true : array-like of shape (n_samples,), RankTable, GroupScores or FoldRankings
        True labels of two classes. It can also be the published table of counts of
        model a, its values within lists or its rankings of folds; for a pair of
        metrics, the same of the one model. Without scores, it is a mapping or list of
        the FoldRankings of several models on the same folds, or of their GroupScores.
    y_score_a : array-like, mapping, data frame or as y_true, default=None
        Scores of model a, of shape (n_samples,), higher for the positive class; or the
        table of b, its values within the same lists, or its rankings of the same
        samples in the same folds. None if two metrics of one table, or of the folds of
        one model, are compared. Scores of several models have a column or entry each:
        in a mapping by name, a data frame, or an array of shape (n_samples, n_models),
        named by the numbers of the columns.
    y_score_b : array-like of shape (n_samples,), default=None
        Scores of model b, on the same samples unless ``y_true_b`` is given.
    y_true_b : array-like of shape (n_samples_b,), default=None
        Labels of the samples of b, if these are not the samples of a: an unpaired
        comparison.
    method : {"delta", "bootstrap", "permutation"}, default="delta"
        - "delta": by the influence of each sample; DeLong's test for the AUC.
        - "bootstrap": resamples the samples, in the same way for both models.
        - "permutation": exchanges the ranks of both models in a random half of the
          samples; the standard error is the one of "delta".
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        The alternative hypothesis; "greater": a has the greater metric. A one-sided
        interval has its ``confidence_level`` at one end. With "greater" this is the
        lower end, and the upper end is the maximum possible difference.
    margin : float, default=None
        The size of a difference that would not matter, above 0 and in units of the
        metric: five points are 0.05. A small p-value is then evidence for:

        - "greater": a - b > -margin, against the null hypothesis a - b <= -margin.
          If more is better, a is not inferior to b.
        - "less": a - b < margin. If less is better, as for
          :func:`rate_at_recall_score`, a is not inferior to b; else b is not to a.
        - "two-sided": -margin < a - b < margin, equivalence, by the maximum p-value of
          both one-sided tests. The interval has level 1 - 2 alpha, because each end has
          the ``confidence_level`` 1 - alpha: 90 % for 0.95.

        Choose it before you look at the data. "permutation" does not support it.
    reference : str or int, default=None
        For several models, the name of the model that is subtracted from each other
        model. Columns of an array and entries of a list are named by their numbers,
        from 0. If None, all pairs are compared.
    adjust : {"holm", "bh"}, default="holm"
        The error that the adjusted p-values of several models control:

        - "holm": the probability of any false finding, by Holm's method;
        - "bh": the expected proportion of false findings, by the method of Benjamini
          and Hochberg, for models that are independent or positively dependent.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    interval : {"wald", "percentile"}, default="wald"
        Kind of the interval. "percentile" needs the bootstrap, and the p-value then
        uses the same replicates. "permutation" has another kind.
    n_resamples : int, default=2000
        Number of resamples or permutations for each pair.
    stratify : bool, default=None
        Whether class sizes were fixed by design, as in a case-control study. None
        means True for "bootstrap" and "permutation" without ``clusters``, and False
        otherwise. It hardly matters for the AUC, but does for the average precision.
    groups : array-like of shape (n_samples,), default=None
        The list or queue of each row, as in :func:`estimate`. Lists are then the units,
        and "delta" is Student's t over them. If the metric does not take ``groups``,
        pass the results of :func:`group_scores` as ``y_true`` and ``y_score_a``.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient, as in :func:`estimate`; for
        GroupScores the cluster of each list.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    weights : {"frequency", "sampling"}, default="frequency"
        The meaning of the weights: "frequency" are whole numbers of repetitions of a
        sample, "sampling" the inverse probabilities with which samples were drawn. For
        a case-control sample pass ``prevalence`` to the average precision instead.
    correlation : float, default=None
        Correlation of the values of two tables, in [-1, 1]; 0 if no sample is in both.
        If None, it is unknown: the interval then contains the intervals at all
        correlations, and the p-value is for a correlation of 0. Without tables it is
        computed from the samples.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.
    random_state : int, Generator or RandomState, default=None
        Source of the resamples. Each pair of several models has its own draws. The
        first pair has the same draws as a comparison of two models.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``; within lists also ``average`` and
        ``undefined`` of :meth:`GroupScores.mean`.

    Returns
    -------
    result : Comparison or Comparisons
        With ``value`` (a - b), ``value_a``, ``value_b``, ``standard_error``,
        ``confidence_interval``, ``statistic`` and ``pvalue``. They are nan if a metric
        is undefined. If a class has fewer than two samples, all but the values are nan.
        Tables also have ``min_significant_correlation``. Several models have ``pairs``
        of these, ``adjusted_pvalues``, and the ``covariance`` of their metrics.

    Raises
    ------
    ValueError
        As :func:`estimate`, and for options that exclude each other, or that several
        models do not support.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two samples, or a metric is undefined.
    UserWarning
        As :func:`estimate`, with the name of the argument if scores seem to be
        reversed. Except for "permutation", also for a recall at a precision if there
        are not enough negatives above the cut, and for a metric at a recall if there
        are not enough positives on a side of the cut. For unpaired data, if a class is
        so small that the test rejects too often. Within lists, if models differ in too
        small a number of lists, or if some lists are undefined for one model only.

    See Also
    --------
    estimate : One model, or many against chance.
    compare_folds : Scores of two models over the folds of a cross-validation.

    Notes
    -----
    The statistic is the difference over its standard error: DeLong's z for the AUC.
    The p-value and the interval "wald" use Student's t distribution, with the degrees
    of freedom of :func:`estimate`: with five positives, the normal distribution would
    reject a true null hypothesis in one of ten data sets at a level of 0.05. For
    partial AUCs, momentum, and all metrics with a ``margin``, the degrees of freedom
    come from the kurtosis of the influence on the difference. For metrics at a recall,
    they are at most twice the number of positives on a side of the cut.

    P-values and intervals agree: an interval of level 1 - alpha excludes 0 if the
    p-value is below alpha. With a ``margin`` d it lies above -d, below d, or between
    both [3]_, and the statistic is for the difference plus or minus d. The permutation
    tests that the models are exchangeable within samples ([1]_, [2]_): this is a
    stronger hypothesis than equal metrics, but the test is exact at any size. Midranks
    are exchanged, so models need no common scale.

    Rankings of folds are paired by the samples. The comparison is about the models that
    were trained, while :func:`compare_folds` also allows for the choice of the training
    data. If clusters make folds the units, as in leave-one-site-out, it is the paired
    t-test of the values of the folds. :ref:`uncertainty` explains samples without
    variation, replicates and two tables, and :ref:`several_in_lists` the test within
    lists.

    The covariance of several models multiplies their influence values sample by sample
    (DeLong's matrix for the AUC). A contrast ``c @ values`` therefore has the variance
    ``c @ covariance @ c``. Cost: one sort per model.

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

    All pairs, and each minus the first:

    >>> result = compare("roc_auc", y_true, models)
    >>> [round(pair.value, 3) for pair in result.pairs]
    [0.4, -0.133, -0.533]
    >>> result = compare("roc_auc", y_true, models, reference="A")
    >>> [round(pair.value, 3) for pair in result.pairs]
    [-0.4, 0.133]

    Two published tables, best category first:

    >>> from skrate import RankTable
    >>> a = RankTable([30, 20, 10], [5, 25, 50])
    >>> b = RankTable([20, 20, 20], [5, 25, 50])
    >>> compare("roc_auc", a, b)
    Comparison(AUC 0.7969 - 0.6875 = 0.1094,
    95 % interval [-0.0474, 0.2661] at any correlation,
    p = 0.0525 (two-sided, delta, correlation 0),
    significant above correlation 0.02)
    """
    arguments = check_arguments(_ARGUMENTS, locals())
    check_metric_first(metric)
    args = _CompareArguments(
        **{name: arguments[name] for name in _CompareArguments._fields}
    )
    args.check()
    plan = Plan.of(arguments)
    if args.are_lists:
        return _within_lists(args, plan)
    return _compare_several(args, plan) if args.are_several else _two(args, plan)


class _CompareArguments(NamedTuple):
    """The checked arguments: a metric or a pair, and the data of the models."""

    metric: Any
    metric_kwargs: dict[str, Any]
    y_true: Any
    y_score_a: Any
    y_score_b: Any
    y_true_b: Any
    groups: Any
    sample_weight: Any
    clusters: Any
    pos_label: Label
    weights: Weights
    correlation: float | None
    interval: Interval
    stratify: bool | None
    reference: Any
    adjust: Adjust

    @property
    def cases(self) -> dict[str, Any]:
        """The arguments that describe the samples, except labels and scores."""
        return {name: getattr(self, name) for name in OF_CASES}

    @property
    def is_pair(self) -> bool:
        """Whether two metrics of one model are compared."""
        return isinstance(self.metric, tuple | list)

    @property
    def are_several(self) -> bool:
        """Whether models are given by name, or as columns."""
        if are_fold_rankings(self.y_true) or are_fold_rankings(
            self.y_true, GroupScores
        ):
            return True
        return self.y_score_b is None and are_columns(self.y_score_a)

    @property
    def are_lists(self) -> bool:
        """Whether the metric is a mean over lists."""
        have_values = are_fold_rankings(self.y_true, GroupScores) or self.has(
            GroupScores
        )
        return self.groups is not None or have_values

    def has(self, kind: type) -> bool:
        """Return whether the data of a model have this type."""
        return isinstance(self.y_true, kind) or isinstance(self.y_score_a, kind)

    def check(self) -> None:
        """Raise for arguments that exclude each other."""
        of_two: dict[str, Any] = {
            "y_true_b": (self.y_true_b, None),
            "interval": (self.interval, "wald"),
            "correlation": (self.correlation, None),
        }
        are_several = self.are_several
        if are_several:
            of_b = {"y_score_b": (self.y_score_b, None)}
            check_left_out("several models", **of_b, **of_two)
        else:
            of_several = {
                "reference": (self.reference, None),
                "adjust": (self.adjust, "holm"),
            }
            check_left_out("two models", **of_several)
        if self.groups is not None and are_fold_rankings(self.y_true):
            check_alone(FoldRankings, groups=self.groups)
        if self.are_lists:
            of_cases = {
                "stratify": (self.stratify, None),
                "weights": (self.weights, "frequency"),
            }
            check_left_out(MEAN_OVER_LISTS, **of_two, **of_cases)
        if self.is_pair and (are_several or self.y_true_b is not None):
            raise ValueError("metric must be one, not a pair, to compare models.")


def _two(args: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models, or two metrics of one, by samples, folds or tables."""
    y_true, a = args.y_true, args.y_score_a
    are_tables = isinstance(y_true, RankTable) and a is not None
    if args.correlation is not None and not are_tables:
        raise ValueError(
            "correlation is only for two RankTables: leave it out, because samples or "
            "one table determine it."
        )
    if args.has(FoldRankings):
        return _compare_fold_means(args, plan)
    if args.has(RankTable):
        return _compare_tables(args, plan)
    if a is None:
        raise ValueError("y_score_a is missing: give the scores of model a.")
    if args.y_true_b is not None:
        return _compare_unpaired(args, plan)
    return _compare_paired(args, plan)


def _compare_several(args: _CompareArguments, plan: Plan) -> Comparisons:
    """Compare all pairs of models on the same samples, or all with a reference."""
    samples = find_model_rankings(
        "y_score_a", args.y_score_a, args.y_true, args.cases, args.weights
    )
    names, rankings = tuple(samples), list(samples.values())
    folds = rankings[0].folds
    models = evaluate_models((args.metric, args.metric_kwargs), rankings, plan)
    argument = "y_score_a" if folds is None else "y_true"
    named = zip(names, models, strict=True)
    warn_reversed_scores([(f"{argument}[{name!r}]", one, None) for name, one in named])

    def compare_two(i: int, j: int, plan: Plan) -> Comparison:
        return (models[i] - models[j]).comparison(plan)

    return compare_pairs(
        names,
        compare_two,
        plan,
        covariance=_covariance(models),
        adjust=args.adjust,
        reference=args.reference,
    )


def _covariance(models: Sequence[Evaluation]) -> FloatArray:
    """Return the covariance matrix of the values of models, nan if one is unknown."""
    if not all(model.is_known for model in models):
        return np.full((len(models), len(models)), np.nan)
    return covariance([model.influence for model in models], models[0].cases)


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
    """Compare all pairs, or all with a reference.

    ``compare_two(i, j, plan)`` compares the models with these indices.
    """
    base = None if reference is None else str(reference)
    if base is not None and base not in names:
        choices = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
        raise ValueError(f"reference={reference!r} is not a {what}: use {choices}.")
    first, *later = model_pairs(len(names), None if base is None else names.index(base))

    # The first pair spawns from the generator itself, as a comparison of two models.
    # Later spawns of the generator are independent, and serve the other pairs.
    pairs = [compare_two(*first, plan)]
    for indices, pair_plan in zip(later, plan.split(len(later)), strict=True):
        pairs.append(compare_two(*indices, pair_plan))
    pvalues = adjusted(np.array([pair.pvalue for pair in pairs]), adjust)
    return Comparisons(
        names=names,
        pairs=tuple(pairs),
        adjusted_pvalues=tuple(pvalues.tolist()),
        covariance=covariance,
        reference=base,
        adjust=adjust,
    )


def _within_lists(args: _CompareArguments, plan: Plan) -> Comparison | Comparisons:
    """Compare two models, or several, by a metric that is a mean over lists."""
    if plan.method == "bootstrap":
        raise ValueError(
            "method='bootstrap' does not support a mean over lists: use 'delta', which "
            "is Student's t over the lists, or 'permutation'."
        )
    are_several = args.are_several
    named, how = compute_list_scores(
        args.metric,
        args.metric_kwargs,
        args.y_true,
        models=_find_model_scores(args),
        groups=args.groups,
        cases=args.cases,
    )
    names, scores = tuple(map(str, named)), list(named.values())
    if args.groups is not None:
        argued = [f"y_score_a[{name!r}]" for name in named] if are_several else names
        means = [evaluate_lists([lists], plan, **how)[0] for lists in scores]
        warn_reversed_scores(zip(argued, means, [None] * len(means), strict=True))

    def compare_two(i: int, j: int, plan: Plan) -> Comparison:
        a, b = evaluate_lists([scores[i], scores[j]], plan, **how)
        return (a - b).comparison(plan)

    if not are_several:
        return compare_two(0, 1, plan)
    return compare_pairs(
        names,
        compare_two,
        plan,
        covariance=_covariance(evaluate_lists(scores, plan, **how)),
        adjust=args.adjust,
        reference=args.reference,
    )


def _find_model_scores(args: _CompareArguments) -> dict[Any, Any]:
    """Return the scores of models, or their values within lists."""
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
    return dict(zip(_SCORES, (a, b), strict=True))


def _compare_fold_means(args: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models, or two metrics of one, by the mean over the same folds."""
    y_true, y_score_a = args.y_true, args.y_score_a
    unused = {"y_true_b": args.y_true_b, **args.cases}
    if not args.is_pair:
        rankings = find_two_rankings(
            y_true, y_score_a, args.y_score_b, args.weights, **unused
        )
        return _compare_two(args, rankings, plan)
    check_no_labels(y_true, "y_score_a")
    check_alone(y_true, y_score_b=args.y_score_b, **unused)
    sample = find_rankings(y_true, weights=args.weights)
    return _two_metrics(args, sample, "y_true", plan)


def _compare_tables(args: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two published tables, or two metrics of one."""
    y_true, table_b = args.y_true, args.y_score_a
    unused = {"y_score_b": args.y_score_b, "y_true_b": args.y_true_b, **args.cases}
    if args.is_pair and table_b is None:
        check_alone(y_true, **unused)
        return _two_metrics(args, find_rankings(y_true), "y_true", plan)
    tables = y_true, table_b
    check_tables(args.metric, tables, plan.method, unused)
    return compare_tables(
        args.metric, tables, plan, args.correlation, args.metric_kwargs
    )


def _compare_unpaired(args: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models on different samples."""
    if args.y_score_b is None:
        raise ValueError("y_score_b is missing: pass the scores for y_true_b.")
    if plan.method == "permutation":
        raise ValueError(
            "method='permutation' excludes y_true_b, because it exchanges two models "
            "within samples: use method='delta'."
        )
    for name in ("clusters", "sample_weight"):
        if args.cases[name] is not None:
            raise ValueError(
                f"{name} excludes y_true_b: leave it out, it is only for samples of a."
            )
    pos_label = args.cases["pos_label"]
    of_a = find_rankings(args.y_true, args.y_score_a, pos_label=pos_label)
    of_b = find_rankings(args.y_true_b, args.y_score_b, pos_label=pos_label)
    return _compare_two(args, dict(zip(_SCORES, (of_a, of_b), strict=True)), plan)


def _compare_paired(args: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models, or two metrics of one, on the same samples."""
    y_true, a, b = args.y_true, args.y_score_a, args.y_score_b
    if args.is_pair:
        cases = check_cases(
            y_true, weights=args.weights, takes_estimates=True, **args.cases
        )
        sample = Rankings([scored(cases, "y_score_a", a)])
        return _two_metrics(args, sample, "y_score_a", plan)
    if b is None:
        raise ValueError(
            "y_score_b is missing: give it, or a pair of metrics, or in y_score_a the "
            "scores of several models, with a column or entry each."
        )
    rankings = find_two_rankings(y_true, a, b, args.weights, **args.cases)
    return _compare_two(args, rankings, plan)


def _two_metrics(
    args: _CompareArguments, sample: Rankings, name: str, plan: Plan
) -> Comparison:
    """Compare two metrics of one model, ranked by the argument ``name``."""
    if len(args.metric) != 2:
        raise ValueError(f"metric must be one or a pair, got {len(args.metric)}.")
    unused = "y_score_b" if name == "y_score_a" else "y_score_a"
    if getattr(args, unused) is not None:
        raise ValueError(f"{unused} must be None to compare two metrics.")
    if plan.method == "permutation":
        raise ValueError(
            "method='permutation' cannot compare two metrics: use method='delta'."
        )
    if args.metric_kwargs:
        raise ValueError(
            f"{sorted(args.metric_kwargs)[0]} is ambiguous for two metrics: use "
            "functools.partial(metric, ...)."
        )
    return _compare_two(args, {name: sample}, plan)


def _compare_two(
    args: _CompareArguments, named: dict[str, Rankings], plan: Plan
) -> Comparison:
    """Compare two models, or two metrics of one, by their rankings."""
    samples = list(named.values()) * (2 if args.is_pair else 1)
    are_paired = args.y_true_b is None
    if args.is_pair:
        metrics = [find_metric(metric) for metric in args.metric]
    else:
        metrics = [find_metric(args.metric, args.metric_kwargs)] * 2
    models = evaluate(metrics, samples, plan, are_paired=are_paired)
    if not are_paired and any(model.cases.worth is not None for model in models):
        raise ValueError(
            "gain or cost per sample excludes y_true_b, because they describe only the "
            "samples of a: estimate each model by itself."
        )
    if samples[0].folds is None and all(model.is_known for model in models):
        bound_metrics = [model.metric for model in models]
        warn_small_sample(bound_metrics, [model.cases for model in models])
    comparison = Difference(*models).comparison(plan)
    warn_reversed_scores(zip(named, models, [None] * 2, strict=False))
    return comparison
