"""Comparisons of models, or of two metrics of one model."""

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
from skrate.data.reports import accept_reports
from skrate.data.table import RankTable, check_alone
from skrate.inference.cautions import warn_small_sample
from skrate.inference.evaluation import Difference, Evaluation, warn_reversed_scores
from skrate.inference.group_scores import GroupScores, compute_list_scores
from skrate.inference.intervals import ADJUSTMENTS, Adjust, adjusted
from skrate.inference.judged_lists import evaluate_lists
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
    SAMPLE_ARGUMENTS,
    WEIGHTS,
    Frame,
    Rankings,
    Weights,
    add_model_scores,
    are_columns,
    check_cases,
    check_left_out,
    find_rankings,
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


@accept_reports
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
        model, if ``metric`` is a pair) can have a RankTable, which is a published table
        of counts; GroupScores, which are values within lists; or FoldRankings. For
        several models, pass a mapping or list of their FoldRankings on the same folds,
        or of their GroupScores.
    y_score_a : array-like, mapping, data frame or as y_true, default=None
        Scores of model a, of shape (n_samples,), higher for the positive class. For
        several models, a mapping of names to scores, or a data frame or array with a
        column per model (of an array, named by the column numbers). If ``y_true`` is a
        RankTable, GroupScores or FoldRankings of model a, the object of the same type
        for model b, of the same lists, or samples and folds.
    y_score_b : array-like of shape (n_samples,), default=None
        Scores of model b, on the same samples unless ``y_true_b`` is given.
    y_true_b : array-like of shape (n_samples_b,), default=None
        Labels of the samples of model b, if they are not the samples of model a. The
        comparison is then unpaired.
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
        Kind of the interval. "percentile" needs ``method="bootstrap"``, and the p-value
        is then computed from the same replicates. ``method="permutation"`` does not use
        this: its interval is computed from the permutations.
    n_resamples : int, default=2000
        Number of replicates for each pair of models.
    stratify : bool, default=None
        Whether class sizes were fixed by design, as in a case-control study. None means
        True for "bootstrap" and "permutation" without ``clusters``, and False
        otherwise. The effect is small for the AUC, but not for the average precision.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each row's list, as in :func:`estimate`. Lists are then the
        independent units, and "delta" is Student's t-test of the differences within
        lists. If the metric does not take ``groups``, pass the results of
        :func:`group_scores` as ``y_true`` and ``y_score_a``.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient, as in :func:`estimate`. For
        GroupScores: the cluster of each list.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    weights : {"frequency", "sampling"}, default="frequency"
        The meaning of the weights. "frequency": whole numbers of repetitions of a
        sample. "sampling": inverses of the probabilities with which samples were drawn.
        For a case-control study, use the average precision with its ``prevalence=``.
    correlation : float, default=None
        Correlation between the values of two RankTables, in [-1, 1]; 0 if they have no
        samples in common. If None, the correlation is unknown: the interval then
        contains the intervals for all correlations, and the p-value is for a
        correlation of 0. For samples, the correlation is computed, so leave this out.
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
        ``standard_error``, ``confidence_interval``, ``statistic`` and ``pvalue``, and
        for two tables ``min_significant_correlation``. If a metric is undefined, its
        value is nan, and so are the difference and its uncertainty. If a class has
        fewer than two samples, the standard error, interval, statistic and p-value are
        nan. The result for several models is Comparisons: it has ``pairs``, a
        Comparison for each pair, ``adjusted_pvalues``, and the ``covariance`` of the
        metrics of the models.

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
    on the difference. For metrics at a recall, they are at most twice the number of
    positives on the smaller side of the cut.

    If sampling weights vary within the classes, a class with fewer than 12 samples of
    high weight may lack others by chance. The standard error then allows for up to one
    more, so it is larger than the ``covariance`` implies (:ref:`uncertainty`).

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

    P-values and intervals agree: an interval of level 1 - alpha excludes 0 if the
    p-value is below alpha. With a ``margin`` d, the interval is above -d, below d, or
    between -d and d if the p-value is below alpha [3]_, and the statistic is the
    difference plus or minus d, divided by the standard error. The null hypothesis of
    "permutation" is that the models are exchangeable within samples ([1]_, [2]_). This
    is a stronger hypothesis than equal metrics, but the test is exact for any number of
    samples. Midranks are exchanged, so the scores of the models can have different
    scales.

    FoldRankings of two models are paired by their samples. The comparison holds for the
    models that were trained, while :func:`compare_folds` also includes the variation
    from the choice of the training data. If clusters make folds the independent units,
    as in leave-one-site-out, the test is the paired t-test of the values of the folds.
    :ref:`uncertainty` explains samples without variation, replicates and two tables;
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

    Two published tables, with the best category first:

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
        return _compare_within_lists(args, plan)
    return (
        _compare_several(args, plan)
        if args.are_several
        else _compare_two_models(args, plan)
    )


class _CompareArguments(NamedTuple):
    """The checked arguments: the metric or metrics, and the data of the models."""

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
        return {name: getattr(self, name) for name in SAMPLE_ARGUMENTS}

    @property
    def is_pair(self) -> bool:
        """Whether two metrics of one model are compared."""
        return isinstance(self.metric, tuple | list)

    @property
    def are_several(self) -> bool:
        """Whether there are several models, by name or in columns."""
        if are_fold_rankings(self.y_true) or are_fold_rankings(
            self.y_true, GroupScores
        ):
            return True
        return self.y_score_b is None and are_columns(self.y_score_a)

    @property
    def are_lists(self) -> bool:
        """Whether the metric is a mean over lists."""
        has_list_values = are_fold_rankings(self.y_true, GroupScores) or self.has(
            GroupScores
        )
        return self.groups is not None or has_list_values

    def has(self, kind: type) -> bool:
        """Return whether the data of a model have this type."""
        return isinstance(self.y_true, kind) or isinstance(self.y_score_a, kind)

    def check(self) -> None:
        """Raise an error if arguments exclude each other."""
        pair_options: dict[str, Any] = {
            "y_true_b": (self.y_true_b, None),
            "interval": (self.interval, "wald"),
            "correlation": (self.correlation, None),
        }
        are_several = self.are_several
        if are_several:
            score_options = {"y_score_b": (self.y_score_b, None)}
            check_left_out("several models", **score_options, **pair_options)
        else:
            several_options = {
                "reference": (self.reference, None),
                "adjust": (self.adjust, "holm"),
            }
            check_left_out("two models", **several_options)
        if self.groups is not None and are_fold_rankings(self.y_true):
            check_alone(FoldRankings, groups=self.groups)
        if self.are_lists:
            sample_options = {
                "stratify": (self.stratify, None),
                "weights": (self.weights, "frequency"),
            }
            check_left_out(MEAN_OVER_LISTS, **pair_options, **sample_options)
        if self.is_pair and (are_several or self.y_true_b is not None):
            raise ValueError("metric must be one metric to compare models, got a pair.")


def _compare_two_models(args: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models, or two metrics of one model, by samples, folds or tables."""
    y_true, a = args.y_true, args.y_score_a
    are_tables = isinstance(y_true, RankTable) and a is not None
    if args.correlation is not None and not are_tables:
        raise ValueError(
            "correlation is only for two RankTables: leave it out, because it is "
            "computed from all other data."
        )
    if args.has(FoldRankings):
        return _compare_fold_means(args, plan)
    if args.has(RankTable):
        return _compare_tables(args, plan)
    if a is None:
        raise ValueError("y_score_a is missing: pass the scores of model a.")
    if args.y_true_b is not None:
        return _compare_unpaired(args, plan)
    return _compare_paired(args, plan)


def _compare_several(args: _CompareArguments, plan: Plan) -> Comparisons:
    """Compare all pairs of models on the same samples, or all models to a reference."""
    samples = find_model_rankings(
        "y_score_a", args.y_score_a, args.y_true, args.cases, args.weights
    )
    names, rankings = tuple(samples), list(samples.values())
    folds = rankings[0].folds
    models = evaluate_models((args.metric, args.metric_kwargs), rankings, plan)
    argument = "y_score_a" if folds is None else "y_true"
    labels = [f"{argument}[{name!r}]" for name in names]
    warn_reversed_scores(zip(labels, models, [None] * len(models), strict=True))

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
    """Return the covariance of the values of models; all nan if one is unknown."""
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
    pvalues = adjusted(np.array([pair.pvalue for pair in pairs]), adjust)
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
        cases=args.cases,
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
    return dict(zip(_SCORES, (a, b), strict=True))


def _compare_fold_means(args: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models, or two metrics of one model, by the mean over folds."""
    y_true, y_score_a = args.y_true, args.y_score_a
    unused = {"y_true_b": args.y_true_b, **args.cases}
    if not args.is_pair:
        rankings = find_two_rankings(
            y_true, y_score_a, args.y_score_b, args.weights, **unused
        )
        return _compare_rankings(args, rankings, plan)
    check_no_labels(y_true, "y_score_a")
    check_alone(y_true, y_score_b=args.y_score_b, **unused)
    sample = find_rankings(y_true, weights=args.weights)
    return _compare_two_metrics(args, sample, "y_true", plan)


def _compare_tables(args: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two published tables, or two metrics of one table."""
    y_true, table_b = args.y_true, args.y_score_a
    unused = {"y_score_b": args.y_score_b, "y_true_b": args.y_true_b, **args.cases}
    if args.is_pair and table_b is None:
        check_alone(y_true, **unused)
        return _compare_two_metrics(args, find_rankings(y_true), "y_true", plan)
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
            "method='permutation' excludes y_true_b: use method='delta', because two "
            "models can only be exchanged within the same samples."
        )
    for name in ("clusters", "sample_weight"):
        if args.cases[name] is not None:
            raise ValueError(
                f"{name} excludes y_true_b: leave {name} out, because it has no values "
                "for the samples of b."
            )
    pos_label = args.cases["pos_label"]
    ranked_a = find_rankings(args.y_true, args.y_score_a, pos_label=pos_label)
    ranked_b = find_rankings(args.y_true_b, args.y_score_b, pos_label=pos_label)
    return _compare_rankings(
        args, dict(zip(_SCORES, (ranked_a, ranked_b), strict=True)), plan
    )


def _compare_paired(args: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models, or two metrics of one model, on the same samples."""
    y_true, a, b = args.y_true, args.y_score_a, args.y_score_b
    if args.is_pair:
        cases = check_cases(
            y_true, weights=args.weights, takes_estimates=True, **args.cases
        )
        sample = Rankings([add_model_scores(cases, "y_score_a", a)])
        return _compare_two_metrics(args, sample, "y_score_a", plan)
    if b is None:
        raise ValueError(
            "y_score_b is missing: pass the scores of model b, or a pair of metrics, "
            "or as y_score_a the scores of several models, with a column or entry each."
        )
    rankings = find_two_rankings(y_true, a, b, args.weights, **args.cases)
    return _compare_rankings(args, rankings, plan)


def _compare_two_metrics(
    args: _CompareArguments, sample: Rankings, name: str, plan: Plan
) -> Comparison:
    """Compare two metrics of one model; ``name`` is the argument with its ranking."""
    if len(args.metric) != 2:
        raise ValueError(
            f"metric must be one metric or a pair, got {len(args.metric)} metrics."
        )
    unused = "y_score_b" if name == "y_score_a" else "y_score_a"
    if getattr(args, unused) is not None:
        raise ValueError(f"{unused} must be None for two metrics: pass one of them.")
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
    return _compare_rankings(args, {name: sample}, plan)


def _compare_rankings(
    args: _CompareArguments, named: dict[str, Rankings], plan: Plan
) -> Comparison:
    """Compare two models, or two metrics of one model, by their rankings."""
    samples = list(named.values()) * (2 if args.is_pair else 1)
    are_paired = args.y_true_b is None
    if args.is_pair:
        metrics = [find_metric(metric) for metric in args.metric]
    else:
        metrics = [find_metric(args.metric, args.metric_kwargs)] * 2
    models = evaluate(metrics, samples, plan, are_paired=are_paired)
    if not are_paired and any(model.cases.worth is not None for model in models):
        raise ValueError(
            "y_true_b excludes a gain or cost per sample: call estimate for each "
            "model, because gain and cost have no values for the samples of b."
        )
    if samples[0].folds is None and all(model.is_known for model in models):
        bound_metrics = [model.metric for model in models]
        warn_small_sample(bound_metrics, [model.cases for model in models])
    comparison = Difference(*models).comparison(plan)
    warn_reversed_scores(zip(named, models, [None] * 2, strict=False))
    return comparison
