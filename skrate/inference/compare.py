"""Models, or two metrics of one, against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args, overload

import numpy as np
from joblib import Parallel, delayed

from skrate.data.array_api import check_one_place
from skrate.data.arrays import ArrayLike, Label, RandomState
from skrate.data.checks import check_choice, check_generator, check_n_jobs
from skrate.data.folds import (
    FoldRankings,
    are_of_folds,
    check_no_labels,
    check_same_folds,
)
from skrate.data.show import described_like
from skrate.data.table import RankTable, check_alone
from skrate.inference.compare_range import check_plan_over_set, compare_over_set, set_of
from skrate.inference.delta import covariance
from skrate.inference.difference import (
    check_correlation,
    check_group_scores,
    check_tables,
    compare_tables,
    in_lists,
    paired,
    paired_in_lists,
    unpaired,
    warn_of_turned_in_lists,
)
from skrate.inference.estimate import estimate
from skrate.inference.intervals import ADJUSTMENTS, Adjust, Alternative, adjusted
from skrate.inference.measured import Measured, measured, warn_of_turned
from skrate.inference.plan import Plan, warn_of_few_cases
from skrate.inference.sample import (
    WEIGHTS,
    Frame,
    Rankings,
    Weights,
    are_columns,
    check_cases,
    check_left_out,
    columns_of,
    rankings_of,
    scored,
)
from skrate.metrics.base import GROUPS_ARE_LISTS, MetricLike, find_metric
from skrate.metrics.lists import GroupScores, clusters_of_lists, group_scores
from skrate.metrics.results import (
    Comparison,
    Comparisons,
    comparisons_on_demand,
    pairs_of,
)

Method = Literal["delta", "bootstrap", "permutation"]
METHODS: tuple[Method, ...] = get_args(Method)
Interval = Literal["wald", "percentile", "basic"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)
_NO_SET_OVER_FOLDS = (
    "rate is a set of distributions, over which FoldRankings are not known to be "
    "compared: give one distribution, or compare one fold at a time."
)


@overload
def compare(
    metric: MetricLike,
    y_true: Mapping[Any, FoldRankings] | list[FoldRankings] | tuple[FoldRankings, ...],
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


@described_like(estimate)
def compare(
    metric: MetricLike | tuple[MetricLike, MetricLike] | list[MetricLike],
    y_true: Any,
    y_score_a: Any = None,
    y_score_b: ArrayLike | None = None,
    *,
    y_true_b: ArrayLike | None = None,
    method: Method = "delta",
    alternative: Alternative = "two-sided",
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
    r"""Compare models by a metric: difference, interval and p-value.

    Is model a better than model b, or could another sample have said the opposite?
    Both are taken as given, trained on other cases than these. On the same cases the
    comparison is paired, which is what makes small differences visible. Of several
    models all pairs are compared, with p-values adjusted for their number: among many
    comparisons some look significant by chance.

    Parameters
    ----------
    metric : callable, {"average_precision", "roc_auc"} or a pair of these
        As in :func:`estimate`. A pair compares two metrics of one model, without
        ``y_score_b``; give their parameters by :func:`functools.partial`.
    y_true : array-like of shape (n_samples,), RankTable, GroupScores or FoldRankings
        True labels of two classes; or the table of counts that was published of a, or
        its values within lists, or its rankings of folds, or those of the one model of
        which two metrics are compared; or, without scores, a mapping or list of the
        FoldRankings of several models, of the same folds.
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
          cases; the standard error is that of "delta".
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What a small p-value speaks for; "greater": a has the greater metric.
    reference : str or int, default=None
        Of several models the one that all others are compared with, by its name or
        number: differences are those from it. None compares all pairs.
    interval : {"wald", "percentile", "basic"}, default="wald"
        Kind of the interval; the last two need the bootstrap, and the p-value goes by
        the same replicates. That of "permutation" is of its own kind.
    n_resamples : int, default=2000
        Number of resamples or permutations, of each pair.
    groups : array-like of shape (n_samples,), default=None
        The list or queue of each row, as in :func:`estimate`: lists are then the units,
        and "delta" is Student's t over them. For metrics without ``groups`` of their
        own, give what :func:`group_scores` returns.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient, as in :func:`estimate`; of
        GroupScores that of each list.
    correlation : float, default=None
        Of the values of two tables, in [-1, 1]; 0 where no case is in both. None says
        that it is unknown: the interval then holds those at all correlations, and the
        p-value is that at 0. Without tables it is found from the cases.
    random_state : int, Generator or RandomState, default=None
        Source of the resamples. Each pair of several models has its own, the first
        those of two.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``; within lists also ``average`` and
        ``undefined`` of :meth:`GroupScores.mean`. The rate may be a set of
        distributions, from :func:`skrate.rates.between`: see Notes.

    Returns
    -------
    result : Comparison, ComparisonRange or Comparisons
        With ``value`` (a less b), ``value_a``, ``value_b``, ``standard_error``,
        ``confidence_interval``, ``statistic`` and ``pvalue``; nan where a metric is
        undefined. Of tables also with ``least_significant_correlation``. Over a set of
        distributions it also has the ``range`` of the difference, and what attains its
        ends. Several models have ``pairs`` of these, ``adjusted_pvalues``, and the
        ``covariance`` of their metrics, nan over a set of distributions.

    Raises
    ------
    ValueError
        As :func:`estimate`, and for options that exclude each other, or that a set of
        distributions or several models do not have.

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
    reject a true null in one of ten samples at a level of 0.05.

    P-values and intervals agree: one of level 1 - alpha leaves 0 out where the
    two-sided p-value is below alpha. "percentile" and "basic" count replicates, the
    second after mirroring them at the difference: of n, of which m are on the other
    side of 0 than the difference, p = 2 (m + 1) / (n + 1). The permutation tests that
    the models are exchangeable within cases ([1]_, [2]_): stronger than equal metrics,
    but exact at any size. Midranks are exchanged, so that models need no common scale.

    Where the sample shows no variation of the difference, as of a perfect and a random
    ranking, the interval combines that of each model, "wilson" of :func:`estimate`,
    without their correlation [3]_. The p-value is the greatest at which it leaves 0
    out, and not below 1e-15.

    With the correlation rho of two tables and their standard errors s_a and s_b the
    difference has [4]_ :math:`s^2 = s_a^2 + s_b^2 - 2 \rho s_a s_b`, the least where
    rho is 1. ``least_significant_correlation`` is the rho above which the p-value would
    be less than 1 less the confidence level, 1 where none would do.

    Rankings of folds are paired by the cases; it is about the models that were trained,
    while :func:`compare_folds` counts in that others would have been trained on other
    cases.

    Within lists the mean of each model is the ratio of two sums over m lists, A = sum
    a_i / sum w_i and B = sum b_i / sum v_i. The squared standard error of A - B is

    .. math:: \sum_i \frac{1}{1 - h_i} \left( \frac{a_i - A w_i}{\sum_j w_j}
              - \frac{b_i - B v_i}{\sum_j v_j} \right)^2,

    where h_i is the share of list i in the weight, by the mean of both models, with
    :math:`1 / \sum_i h_i^2 - 1` degrees of freedom: of equal weights the paired t-test.
    The permutation flips the sign of the difference in a random half of the lists, and
    of few lists in all ways that there are; of clusters that of the sum over lists.

    Over a set of distributions of the rate the range of the difference in the sample is
    exact (:func:`skrate.rates.between` has the closed form). With D(r) the difference
    at the rate r and s(r) its standard error, the interval is from the least E_F[D - t
    s] over all distributions F of the set to the greatest E_F[D + t s]; the p-value is
    that under the one that says least.

    The covariance of several models multiplies their influence values case by case
    (DeLong's matrix for the AUC), so that a contrast ``c @ values`` has the variance
    ``c @ covariance @ c``. By "delta" their pairs are compared when they are first
    asked for. Cost: one sort per model.

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
    .. [4] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, section 5.2, :doi:`10.48550/arXiv.1310.5103`.

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

    All pairs, and each less the first:

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
    Comparison(AUC 0.7969 - 0.6875 = 0.1094, 95 % interval [-0.0474, 0.2661] at
    any
    correlation, p = 0.0525 (two-sided, delta, correlation 0), significant above
    correlation 0.02)

    Two quantiles of the share that will be processed are known, and nothing else:

    >>> from skrate import rates
    >>> known = rates.between({0.1: 0.25, 0.9: 0.5})
    >>> a, b = models["A"], models["B"]
    >>> result = compare("expected_recall", y_true, a, b, rate=known)
    >>> result.range.low.__round__(4), result.range.high.__round__(4)
    (0.2667, 0.3667)
    """
    check_choice("method", method, METHODS)
    check_choice("interval", interval, INTERVALS)
    check_choice("weights", weights, WEIGHTS)
    check_choice("adjust", adjust, ADJUSTMENTS)
    # Pairs of several models share one generator, whatever it is made of.
    plan_of_all = partial(
        Plan, method, confidence_level, interval, n_resamples, stratify,
        check_generator(random_state), n_jobs, alternative,
    )  # fmt: skip
    given: dict[str, Any] = {
        "sample_weight": sample_weight, "clusters": clusters, "pos_label": pos_label
    }  # fmt: skip
    asked: Any = metric
    is_pair = isinstance(asked, tuple | list)
    if are_of_folds(y_true) or (y_score_b is None and are_columns(y_score_a)):
        check_left_out(
            "several models",
            y_score_b=(y_score_b, None), y_true_b=(y_true_b, None),
            interval=(interval, "wald"), correlation=(correlation, None),
        )  # fmt: skip
        if groups is not None:
            raise ValueError(GROUPS_ARE_LISTS)
        plan = plan_of_all()
        if set_of(asked, metric_kwargs) is not None:
            check_plan_over_set(plan)
        models = _rankings_of_models(y_true, y_score_a, weights, given)
        return _several(asked, metric_kwargs, models, reference, plan, adjust)
    check_left_out("two models", reference=(reference, None), adjust=(adjust, "holm"))
    given_scores = y_true, y_score_a
    if groups is not None or any(isinstance(o, GroupScores) for o in given_scores):
        lists = None if groups is None else in_lists(asked, metric_kwargs, groups)
        check_left_out(
            "a mean over lists, whose units are the lists",
            y_true_b=(y_true_b, None), interval=(interval, "wald"),
            stratify=(stratify, None), weights=(weights, "frequency"),
            correlation=(correlation, None),
        )  # fmt: skip
        if method == "bootstrap":
            raise ValueError(
                "method='bootstrap' is not known of a mean over lists: use 'delta', "
                "which is Student's t over the lists, or 'permutation'."
            )
        plan = plan_of_all()
        if lists is None:
            check_alone(
                GroupScores, y_score_b=y_score_b, sample_weight=sample_weight,
                pos_label=pos_label,
            )  # fmt: skip
            both = check_group_scores(asked, metric_kwargs, given_scores)
            return paired_in_lists(*both, plan, clusters=clusters, **metric_kwargs)
        if y_score_a is None or y_score_b is None or isinstance(y_true, RankTable):
            raise ValueError(
                "y_score_a and y_score_b must be the scores of both models, and y_true "
                "the labels of the same cases, to compare them within lists."
            )
        return _within_lists(*lists, y_true, (y_score_a, y_score_b), given, plan)
    among = None if is_pair else set_of(asked, metric_kwargs)
    plan = plan_of_all()
    known = check_correlation(correlation)
    meant = [(asked, metric_kwargs)] * 2
    names: tuple[str, ...] = ("y_score_a", "y_score_b")
    if isinstance(y_true, FoldRankings) or isinstance(y_score_a, FoldRankings):
        check_no_labels(y_true, "y_score_a")
        check_alone(
            y_true, y_score_b=y_score_b, y_true_b=y_true_b, clusters=clusters,
            sample_weight=sample_weight, correlation=known, pos_label=pos_label,
        )  # fmt: skip
        if is_pair:
            meant = _check_pair(asked, y_score_a, method, metric_kwargs, "y_score_a")
            y_score_a = y_true
        else:
            if among is not None:
                raise ValueError(_NO_SET_OVER_FOLDS)
            check_same_folds({"y_true": y_true, "y_score_a": y_score_a})
        samples = [rankings_of(one, weights=weights) for one in (y_true, y_score_a)]
        names = ("y_true", "y_true" if is_pair else "y_score_a")
        return _of_two(meant, samples, names, plan)
    if among is not None:
        check_plan_over_set(plan)
        for name, value in (("y_true", y_true), ("y_score_a", y_score_a)):
            if isinstance(value, RankTable):
                raise ValueError(
                    f"{name} is a RankTable, whose cases are not known to be those of "
                    "another: over a set of distributions give labels and scores."
                )
        if y_true_b is not None:
            raise ValueError(
                "y_true_b excludes a set of distributions: both models must score the "
                "same cases."
            )
    is_of_one = is_pair and y_score_a is None
    if known is not None and (is_of_one or not isinstance(y_true, RankTable)):
        raise ValueError(
            "correlation is for two RankTables: where cases are given, or one table, "
            "it is found from them."
        )
    if isinstance(y_true, RankTable) or isinstance(y_score_a, RankTable):
        others = {"y_score_b": y_score_b, "y_true_b": y_true_b, **given}
        if not is_of_one:
            tables = y_true, y_score_a
            check_tables(asked, tables, method, others)
            return compare_tables(asked, tables, plan, known, metric_kwargs)
        check_alone(y_true, **others)
        meant = _check_pair(asked, y_score_b, method, metric_kwargs)
        return _of_two(meant, [rankings_of(y_true)] * 2, ("y_true",) * 2, plan)
    if y_score_a is None:
        raise ValueError("y_score_a is missing: give the scores of model a.")
    if y_true_b is not None:
        if y_score_b is None:
            raise ValueError("y_score_b is missing: y_true_b needs scores.")
        if method == "permutation":
            raise ValueError(
                "method='permutation' exchanges two models within cases: it excludes "
                "y_true_b."
            )
        for name, value in (("clusters", clusters), ("sample_weight", sample_weight)):
            if value is not None:
                raise ValueError(
                    f"{name} excludes y_true_b: it would say nothing about the cases "
                    "of b."
                )
        samples = [
            rankings_of(labels, scores, pos_label=pos_label)
            for labels, scores in ((y_true, y_score_a), (y_true_b, y_score_b))
        ]
        return _of_two(meant, samples, names, plan, are_paired=False)
    check_one_place(y_true=y_true, y_score_a=y_score_a, y_score_b=y_score_b)
    cases = check_cases(y_true, weights=weights, **given)
    model_a = scored(cases, "y_score_a", y_score_a)
    if is_pair:
        meant = _check_pair(asked, y_score_b, method, metric_kwargs)
        return _of_two(meant, [Rankings([model_a])] * 2, ("y_score_a",) * 2, plan)
    if y_score_b is None:
        raise ValueError(
            "y_score_b is missing: give it, or a pair of metrics, or in y_score_a the "
            "scores of several models, with a column or entry each."
        )
    ranked = [model_a, scored(cases, "y_score_b", y_score_b)]
    if among is not None:
        return compare_over_set(asked, metric_kwargs, among, ranked, plan)
    return _of_two(meant, [Rankings([one]) for one in ranked], names, plan)


def _of_two(
    meant: Sequence[tuple[MetricLike, dict[str, Any]]],
    samples: Sequence[Rankings],
    names: Sequence[str],
    plan: Plan,
    *,
    are_paired: bool = True,
) -> Comparison:
    """Compare two models, or two metrics of one; ``names`` are arguments that rank."""
    models = measured(meant, samples, plan, are_paired=are_paired)
    are_known = all(model.is_known for model in models)
    if not are_paired and any(model.metric.facts.is_of_cases for model in models):
        raise ValueError(
            "gain or cost per case excludes y_true_b: they would be of the cases of a. "
            "Estimate each model by itself."
        )
    if are_known and samples[0].folds is None:
        metrics = [model.metric for model in models]
        warn_of_few_cases(metrics, [model.cases for model in models])
    result = (paired if are_paired else unpaired)(models, plan)
    of_models = 1 if samples[0] is samples[1] else 2
    ranking = list(zip(names, models, [None] * 2, strict=True))[:of_models]
    warn_of_turned(ranking)
    return result


def _within_lists(
    options: dict[str, Any],
    of_mean: dict[str, Any],
    y_true: Any,
    y_scores: tuple[Any, Any],
    given: dict[str, Any],
    plan: Plan,
) -> Comparison:
    """Compare two models by a metric that is a mean over lists."""
    units = clusters_of_lists(options["groups"], given["clusters"])
    data = {name: given[name] for name in ("sample_weight", "pos_label")} | options
    a, b = (group_scores(y_true=y_true, y_score=one, **data) for one in y_scores)
    found = paired_in_lists(a, b, plan, clusters=units, **of_mean)
    level = plan.confidence_level
    models = [
        (name, one, one.estimate(**of_mean, confidence_level=level, clusters=units))
        for name, one in (("y_score_a", a), ("y_score_b", b))
    ]
    warn_of_turned_in_lists(models, of_mean.get("undefined", "skip"))
    return found


def _check_pair(
    metrics: Any,
    other: Any,
    method: str,
    metric_kwargs: dict[str, Any],
    name: str = "y_score_b",
) -> list[tuple[MetricLike, dict[str, Any]]]:
    """Return both metrics, without parameters of their own."""
    if len(metrics) != 2:
        raise ValueError(f"metric must be one or a pair, found {len(metrics)}.")
    if other is not None:
        raise ValueError(f"{name} must be None where two metrics are compared.")
    if method == "permutation":
        raise ValueError(
            "method='permutation' exchanges two models: it cannot compare two metrics."
        )
    if metric_kwargs:
        raise ValueError(
            f"{sorted(metric_kwargs)[0]} is ambiguous for two metrics: use "
            "functools.partial(metric, ...)."
        )
    return [(metric, {}) for metric in metrics]


def _rankings_of_models(
    y_true: Any, y_scores: Any, weights: Weights, given: dict[str, Any]
) -> dict[str, Rankings]:
    """Return the rankings of several models, of the same cases or folds."""
    argument = "y_score_a"
    if are_of_folds(y_true):
        check_alone(FoldRankings, y_score_a=y_scores, **given)
        argument = "y_true"
        models = y_true if isinstance(y_true, Mapping) else dict(enumerate(y_true))
    else:
        cases = check_cases(y_true, weights=weights, **given)
        models = columns_of("y_score_a", y_scores, cases.n_given)
    if len(models) < 2:
        found = len(models)
        raise ValueError(f"{argument} must hold at least 2 models, found {found}.")
    named = {f"{argument}[{name!r}]": one for name, one in models.items()}
    if argument == "y_true":
        check_same_folds(named)
        rankings = [rankings_of(one, weights=weights) for one in models.values()]
    else:
        if cases.weights is not None:
            # Of a caller who may change theirs before the pairs are asked for.
            cases = replace(cases, weights=cases.weights.copy())
        rankings = [Rankings([scored(cases, *one)]) for one in named.items()]
    return dict(zip(map(str, models), rankings, strict=True))


def _several(
    metric: Any,
    metric_kwargs: dict[str, Any],
    samples: dict[str, Rankings],
    reference: Any,
    plan: Plan,
    adjust: Adjust,
) -> Comparisons:
    """Compare all pairs of models by the same cases, or all with a reference."""
    names, rankings = tuple(samples), list(samples.values())
    among, folds = set_of(metric, metric_kwargs), rankings[0].folds
    base = None if reference is None else str(reference)
    if base is not None and base not in names:
        some = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
        raise ValueError(f"reference={reference!r} is no model: there are {some}.")
    places = pairs_of(len(names), None if base is None else names.index(base))
    kind = (base, adjust)
    matrix = np.full((len(names), len(names)), np.nan)
    if among is not None:
        if folds is not None:
            raise ValueError(_NO_SET_OVER_FOLDS)
        pairs = tuple(
            compare_over_set(
                metric, metric_kwargs, among, [*rankings[i].each, *rankings[j].each],
                plan,
            )
            for i, j in places
        )  # fmt: skip
        return Comparisons(names, pairs, _adjusted(pairs, adjust), matrix, *kind)
    worst = getattr(find_metric(metric, metric_kwargs), "worst", None)
    if worst is not None and folds is None:
        raise ValueError(
            f"worst={worst!r} means another distribution for each model: compare "
            "them pair by pair."
        )
    models = _measured((metric, metric_kwargs), rankings, plan)
    argument = "y_score_a" if folds is None else "y_true"
    named = zip(names, models, strict=True)
    warn_of_turned([(f"{argument}[{name!r}]", one, None) for name, one in named])
    if all(model.is_known for model in models):
        matrix = covariance([model.influence for model in models], models[0].cases)
    tests = partial(_tests, models, places, plan, adjust)
    if plan.method == "delta":
        return comparisons_on_demand(
            tests, names=names, covariance=matrix, reference=kind[0], adjust=adjust
        )
    # Not later: what is drawn depends on the state of the generator now.
    return Comparisons(names, *tests(), matrix, *kind)


def _measured(
    meant: tuple[MetricLike, dict[str, Any]], samples: list[Rankings], plan: Plan
) -> list[Measured]:
    """Return the metric of each model; warn once of what all of them lack."""
    if samples[0].folds is not None:
        return measured([meant] * len(samples), samples, plan)

    def fill(sample: Rankings) -> Measured:
        first = sample is samples[0]
        (model,) = measured([meant], [sample], plan, are_warned=first)
        if model.is_known:
            model.influence  # noqa: B018
        if plan.method == "delta":
            # Memory that the next model takes again need not be cleared for it.
            model.cases.forget()
        return model

    # Threads, whatever else joblib is told to use: they write into the same memory.
    run = Parallel(n_jobs=check_n_jobs(plan.n_jobs), require="sharedmem")
    return list(run(map(delayed(fill), samples)))


def _tests(
    models: list[Measured], places: list[tuple[int, int]], plan: Plan, adjust: Adjust
) -> tuple[tuple[Comparison, ...], tuple[float, ...]]:
    """Return the comparison of each pair, and their adjusted p-values."""
    # The first pair spawns from the generator itself, as compare does. The others
    # share what it spawns after that, which is independent of all before.
    (i, j), *others = places
    pairs = [paired([models[i], models[j]], plan)]
    for (i, j), share in zip(others, plan.split(len(others)), strict=True):
        pairs.append(paired([models[i], models[j]], share))
    return tuple(pairs), _adjusted(pairs, adjust)


def _adjusted(pairs: Sequence[Comparison], adjust: Adjust) -> tuple[float, ...]:
    pvalues = np.array([pair.pvalue for pair in pairs])
    return tuple(adjusted(pvalues, adjust).tolist())
