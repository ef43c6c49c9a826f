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
    """Compare models by a metric: difference, interval and p-value.

    Is model a better than model b, or could another sample have said the opposite?
    Both are taken as given, trained on other cases than these. On the same cases the
    comparison is paired, which makes small differences visible. With several models all
    pairs are compared, and p-values adjusted for their number, as some of many
    comparisons look significant by chance.

    Parameters
    ----------
    metric : callable, {"average_precision", "roc_auc"} or a pair of these
        As in :func:`estimate`. A pair compares two metrics of one model, without
        ``y_score_b``; give their parameters by :func:`functools.partial`.
    y_true : array-like of shape (n_samples,), RankTable, GroupScores or FoldRankings
        True labels of two classes; or the table of counts that was published of a, or
        its values within lists, or its rankings of folds, or those of the one model of
        which two metrics are compared; or, without scores, a mapping or list of the
        FoldRankings of several models, of the same folds, or of their GroupScores.
    y_score_a : array-like, mapping, data frame or as y_true, default=None
        Scores of model a, of shape (n_samples,), higher for the positive class; or the
        table of b, or its values within the same lists, or its rankings of the same
        cases in the same folds. None where two metrics of one table, or of one model's
        folds, are compared. Scores of several models have a column or entry each, in a
        mapping by name, a data frame, or an array of shape (n_samples, n_models), named
        by the numbers of the columns.
    y_score_b : array-like of shape (n_samples,), default=None
        Scores of model b, on the same cases unless ``y_true_b`` is given.
    y_true_b : array-like of shape (n_samples_b,), default=None
        Labels of the cases of b, where these are others: an unpaired comparison.
    method : {"delta", "bootstrap", "permutation"}, default="delta"
        - "delta": by the influence of each case; DeLong's test for the AUC.
        - "bootstrap": resamples cases, the same for both models.
        - "permutation": exchanges the ranks of both models in a random half of the
          cases; the standard error is the one of "delta".
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What a small p-value speaks for; "greater": a has the greater metric. One-sided
        the interval has its ``confidence_level`` at one end: with "greater" the lower
        one; the other is the greatest difference that there can be.
    margin : float, default=None
        How large a difference would not matter, above 0 and in units of the metric:
        five points are 0.05. A small p-value then speaks for:

        - "greater": a - b > -margin, against the null hypothesis a - b <= -margin.
          Where more is better, a is not inferior to b.
        - "less": a - b < margin. Where less is better, as of a
          :func:`rate_at_recall_score`, a is not inferior to b; else b is not to a.
        - "two-sided": -margin < a - b < margin, equivalence, by the greater p-value of
          both one-sided tests. The interval has level 1 - 2 alpha, as each end has the
          ``confidence_level`` 1 - alpha: 90 % for 0.95.

        Choose it before you look at the data. "permutation" has none.
    reference : str or int, default=None
        Of several models the name of the one that all others are compared with:
        differences are those from it. Columns of an array and entries of a list are
        named by their numbers, from 0. None compares all pairs.
    adjust : {"holm", "bh"}, default="holm"
        What the adjusted p-values of several models control:

        - "holm": the probability of any false finding, by Holm's method;
        - "bh": the expected proportion of false findings, by the method of Benjamini
          and Hochberg, for models that are independent or positively dependent.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    interval : {"wald", "percentile"}, default="wald"
        Kind of the interval; "percentile" needs the bootstrap, and the p-value goes by
        the same replicates. "permutation" has another kind.
    n_resamples : int, default=2000
        Number of resamples or permutations, of each pair.
    stratify : bool, default=None
        Whether class sizes were fixed by design, as in a case-control study. None
        means True for "bootstrap" and "permutation" without ``clusters``, and False
        otherwise. For the AUC it makes next to no difference; for the average precision
        it does.
    groups : array-like of shape (n_samples,), default=None
        The list or queue of each row, as in :func:`estimate`: lists are then the units,
        and "delta" is Student's t over them. For metrics that do not
        take ``groups``, give what :func:`group_scores` returns.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient, as in :func:`estimate`; for
        GroupScores the cluster of each list.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are: "frequency" are whole numbers of repetitions of a case,
        "sampling" the inverse probabilities with which cases were sampled. For a
        case-control sample pass ``prevalence`` to the average precision instead.
    correlation : float, default=None
        Of the values of two tables, in [-1, 1]; 0 where no case is in both. None says
        that it is unknown: the interval then holds those at all correlations, and the
        p-value is that at 0. Without tables it is found from the cases.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    random_state : int, Generator or RandomState, default=None
        Source of the resamples. Each pair of several models has its own draws, the
        first pair the draws of two models.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``; within lists also ``average`` and
        ``undefined`` of :meth:`GroupScores.mean`.

    Returns
    -------
    result : Comparison or Comparisons
        With ``value`` (a - b), ``value_a``, ``value_b``, ``standard_error``,
        ``confidence_interval``, ``statistic`` and ``pvalue``; nan where a metric is
        undefined, and all but the values where a class has fewer than two cases. For
        tables also ``min_significant_correlation``. Several models have ``pairs`` of
        these, ``adjusted_pvalues``, and the ``covariance`` of their metrics.

    Raises
    ------
    ValueError
        As :func:`estimate`, and for options that exclude each other, or that several
        models do not have.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, or a metric is undefined.
    UserWarning
        As :func:`estimate`, of scores that may be turned round by their argument; for a
        recall at a precision with few negatives above the cut, and for what is taken at
        a recall with few positives on a side of it, but by "permutation"; and for
        unpaired samples with so few cases of a class that the test finds too much.
        Within lists, if models differ in few of them, or if some are undefined for one
        model only.

    See Also
    --------
    estimate : One model, or many against chance.
    compare_folds : Scores of two models over the folds of a cross-validation.

    Notes
    -----
    The statistic is the difference over its standard error: DeLong's z for the AUC.
    The p-value and the interval "wald" take it for Student's t, with the degrees of
    freedom of :func:`estimate`: with five positives the normal distribution would
    reject a true null in one of ten samples at a level of 0.05. Partial AUCs, momentum,
    and all metrics with a ``margin``, have them by the kurtosis of the influence on the
    difference, and what is taken at a recall at most twice the number of positives on a
    side of its cut.

    P-values and intervals agree: one of level 1 - alpha leaves 0 out where the p-value
    is below alpha; with a ``margin`` d it lies above -d, below d, or between both [3]_.
    The statistic is then for the difference plus or minus d. The permutation tests
    that the models are exchangeable within cases ([1]_, [2]_): stronger than equal
    metrics, but exact at any size. Midranks are exchanged, so that models need no
    common scale.

    Rankings of folds are paired by the cases; it is about the models that were trained,
    while :func:`compare_folds` counts in that others would have been trained on other
    cases. If their clusters make folds the units, as in leave-one-site-out, it is the
    paired t-test of the values of the folds. :ref:`uncertainty` has what is done
    without variation, by replicates and with two tables, and :ref:`several_in_lists`
    the test within lists.

    The covariance of several models multiplies their influence values case by case
    (DeLong's matrix for the AUC), so that a contrast ``c @ values`` has the variance
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

    Two tables that were published, best category first:

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
    given = _CompareArguments(
        **{name: arguments[name] for name in _CompareArguments._fields}
    )
    given.check()
    plan = Plan.of(arguments)
    if given.are_lists:
        return _within_lists(given, plan)
    return _compare_several(given, plan) if given.are_several else _two(given, plan)


class _CompareArguments(NamedTuple):
    """The arguments: a metric, or a pair, and the data of two or more models."""

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
        """What is said of the cases, beside their labels and scores."""
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
        """Return whether the data of a model are of some type."""
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
            raise ValueError("metric must be one, no pair, where models are compared.")


def _two(given: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models, or two metrics of one, of cases, folds or tables."""
    y_true, a = given.y_true, given.y_score_a
    are_tables = isinstance(y_true, RankTable) and a is not None
    if given.correlation is not None and not are_tables:
        raise ValueError(
            "correlation is for two RankTables: where cases are given, or one table, "
            "it is found from them."
        )
    if given.has(FoldRankings):
        return _compare_fold_means(given, plan)
    if given.has(RankTable):
        return _compare_tables(given, plan)
    if a is None:
        raise ValueError("y_score_a is missing: give the scores of model a.")
    if given.y_true_b is not None:
        return _compare_unpaired(given, plan)
    return _compare_paired(given, plan)


def _compare_several(given: _CompareArguments, plan: Plan) -> Comparisons:
    """Compare all pairs of models by the same cases, or all with a reference."""
    samples = find_model_rankings(
        "y_score_a", given.y_score_a, given.y_true, given.cases, given.weights
    )
    names, rankings = tuple(samples), list(samples.values())
    folds = rankings[0].folds
    models = evaluate_models((given.metric, given.metric_kwargs), rankings, plan)
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
        adjust=given.adjust,
        reference=given.reference,
    )


def _covariance(models: Sequence[Evaluation]) -> FloatArray:
    """Return the covariances of the values of models, nan if one is unknown."""
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

    ``compare_two(i, j, plan)`` compares those in these places.
    """
    base = None if reference is None else str(reference)
    if base is not None and base not in names:
        some = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
        raise ValueError(f"reference={reference!r} is no {what}: there are {some}.")
    first, *others = model_pairs(
        len(names), None if base is None else names.index(base)
    )

    # The first pair spawns from the generator itself, as compare does. The others share
    # what it spawns after that, which is independent of all before.
    pairs = [compare_two(*first, plan)]
    for places, share in zip(others, plan.split(len(others)), strict=True):
        pairs.append(compare_two(*places, share))
    pvalues = adjusted(np.array([pair.pvalue for pair in pairs]), adjust)
    return Comparisons(
        names=names,
        pairs=tuple(pairs),
        adjusted_pvalues=tuple(pvalues.tolist()),
        covariance=covariance,
        reference=base,
        adjust=adjust,
    )


def _within_lists(given: _CompareArguments, plan: Plan) -> Comparison | Comparisons:
    """Compare two models, or several, by a metric that is a mean over lists."""
    if plan.method == "bootstrap":
        raise ValueError(
            "method='bootstrap' is not known of a mean over lists: use 'delta', which "
            "is Student's t over the lists, or 'permutation'."
        )
    are_several = given.are_several
    named, how = compute_list_scores(
        given.metric,
        given.metric_kwargs,
        given.y_true,
        models=_find_model_scores(given),
        groups=given.groups,
        cases=given.cases,
    )
    names, scores = tuple(map(str, named)), list(named.values())
    if given.groups is not None:
        argued = [f"y_score_a[{name!r}]" for name in named] if are_several else names
        each = [evaluate_lists([one], plan, **how)[0] for one in scores]
        warn_reversed_scores(zip(argued, each, [None] * len(each), strict=True))

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
        adjust=given.adjust,
        reference=given.reference,
    )


def _find_model_scores(given: _CompareArguments) -> dict[Any, Any]:
    """Return the scores of models, or their values within lists."""
    y_true, a, b = given.y_true, given.y_score_a, given.y_score_b
    if given.groups is None:
        check_alone(GroupScores, y_score_b=b)
        if not given.are_several:
            return {"y_true": y_true, "y_score_a": a}
        check_alone(GroupScores, y_score_a=a)
        return check_several("y_true", name_models(y_true))
    if given.are_several:
        return check_model_columns("y_score_a", a, y_true)
    is_missing = a is None or b is None or isinstance(y_true, RankTable)
    if is_missing and not given.is_pair:
        raise ValueError(
            "y_score_a and y_score_b must be the scores of both models, and y_true the "
            "labels of the same cases, to compare them within lists."
        )
    return dict(zip(_SCORES, (a, b), strict=True))


def _compare_fold_means(given: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models, or two metrics of one, by the mean over the same folds."""
    y_true, other = given.y_true, given.y_score_a
    others = {"y_true_b": given.y_true_b, **given.cases}
    if not given.is_pair:
        both = find_two_rankings(
            y_true, other, given.y_score_b, given.weights, **others
        )
        return _compare_two(given, both, plan)
    check_no_labels(y_true, "y_score_a")
    check_alone(y_true, y_score_b=given.y_score_b, **others)
    sample = find_rankings(y_true, weights=given.weights)
    return _two_metrics(given, sample, "y_true", plan)


def _compare_tables(given: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two published tables, or two metrics of one."""
    y_true, table_b = given.y_true, given.y_score_a
    others = {"y_score_b": given.y_score_b, "y_true_b": given.y_true_b, **given.cases}
    if given.is_pair and table_b is None:
        check_alone(y_true, **others)
        return _two_metrics(given, find_rankings(y_true), "y_true", plan)
    tables = y_true, table_b
    check_tables(given.metric, tables, plan.method, others)
    return compare_tables(
        given.metric, tables, plan, given.correlation, given.metric_kwargs
    )


def _compare_unpaired(given: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models on different cases."""
    if given.y_score_b is None:
        raise ValueError("y_score_b is missing: y_true_b needs scores.")
    if plan.method == "permutation":
        raise ValueError(
            "method='permutation' exchanges two models within cases: it excludes "
            "y_true_b."
        )
    for name in ("clusters", "sample_weight"):
        if given.cases[name] is not None:
            raise ValueError(
                f"{name} excludes y_true_b: it would say nothing about the cases of b."
            )
    pos_label = given.cases["pos_label"]
    of_a = find_rankings(given.y_true, given.y_score_a, pos_label=pos_label)
    of_b = find_rankings(given.y_true_b, given.y_score_b, pos_label=pos_label)
    return _compare_two(given, dict(zip(_SCORES, (of_a, of_b), strict=True)), plan)


def _compare_paired(given: _CompareArguments, plan: Plan) -> Comparison:
    """Compare two models, or two metrics of one, by the same cases."""
    y_true, a, b = given.y_true, given.y_score_a, given.y_score_b
    if given.is_pair:
        cases = check_cases(
            y_true, weights=given.weights, takes_estimates=True, **given.cases
        )
        sample = Rankings([scored(cases, "y_score_a", a)])
        return _two_metrics(given, sample, "y_score_a", plan)
    if b is None:
        raise ValueError(
            "y_score_b is missing: give it, or a pair of metrics, or in y_score_a the "
            "scores of several models, with a column or entry each."
        )
    both = find_two_rankings(y_true, a, b, given.weights, **given.cases)
    return _compare_two(given, both, plan)


def _two_metrics(
    given: _CompareArguments, sample: Rankings, name: str, plan: Plan
) -> Comparison:
    """Compare a pair of metrics of one model, which the argument ``name`` ranks."""
    if len(given.metric) != 2:
        raise ValueError(f"metric must be one or a pair, found {len(given.metric)}.")
    other = "y_score_b" if name == "y_score_a" else "y_score_a"
    if getattr(given, other) is not None:
        raise ValueError(f"{other} must be None where two metrics are compared.")
    if plan.method == "permutation":
        raise ValueError(
            "method='permutation' exchanges two models: it cannot compare two metrics."
        )
    if given.metric_kwargs:
        raise ValueError(
            f"{sorted(given.metric_kwargs)[0]} is ambiguous for two metrics: use "
            "functools.partial(metric, ...)."
        )
    return _compare_two(given, {name: sample}, plan)


def _compare_two(
    given: _CompareArguments, named: dict[str, Rankings], plan: Plan
) -> Comparison:
    """Compare two models, or two metrics of one, by the arguments that rank."""
    samples = list(named.values()) * (2 if given.is_pair else 1)
    are_paired = given.y_true_b is None
    if given.is_pair:
        asked = [find_metric(metric) for metric in given.metric]
    else:
        asked = [find_metric(given.metric, given.metric_kwargs)] * 2
    models = evaluate(asked, samples, plan, are_paired=are_paired)
    if not are_paired and any(model.cases.worth is not None for model in models):
        raise ValueError(
            "gain or cost per case excludes y_true_b: they would be of the cases of a. "
            "Estimate each model by itself."
        )
    if samples[0].folds is None and all(model.is_known for model in models):
        found = [model.metric for model in models]
        warn_small_sample(found, [model.cases for model in models])
    result = Difference(*models).comparison(plan)
    warn_reversed_scores(zip(named, models, [None] * 2, strict=False))
    return result
