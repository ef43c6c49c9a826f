"""Models, or two metrics of one, against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args, overload

import numpy as np
from joblib import Parallel, delayed

from skrate.data.array_api import check_one_place
from skrate.data.arrays import ArrayLike, FloatArray, Label, RandomState
from skrate.data.checks import check_choice, check_generator, check_n_jobs, warn
from skrate.data.folds import (
    FoldRankings,
    are_of_folds,
    check_no_labels,
    check_same_folds,
)
from skrate.data.table import RankTable, check_alone
from skrate.inference.compare_groups import (
    check_group_scores,
    compare_group_scores,
    compare_in_lists,
    in_lists,
)
from skrate.inference.compare_range import (
    check_plan_over_set,
    compare_over_set,
    set_of,
)
from skrate.inference.delta import (
    covariance,
    degrees_of_freedom,
    influence_values,
    is_rounding,
    variance_parts,
)
from skrate.inference.estimate_folds import (
    check_no_set,
    compare_rankings,
    paired_folds,
    retraining,
    undefined_difference,
    unknown_difference,
)
from skrate.inference.fold_sample import fold_samples
from skrate.inference.intervals import ADJUSTMENTS, Adjust, Alternative, adjusted
from skrate.inference.paired import conclude_ranked, paired
from skrate.inference.plan import (
    Plan,
    check_metric,
    check_worth,
    defined_value,
    warn_of_difference,
    warn_of_few_cases,
)
from skrate.inference.published import (
    check_correlation,
    check_tables,
    compare_tables,
)
from skrate.inference.resampling import condensed, resample_draw, spread, statistic_of
from skrate.inference.sample import (
    WEIGHTS,
    Frame,
    Ranked,
    Weights,
    are_columns,
    check_cases,
    check_left_out,
    check_sample,
    columns_of,
    scored,
    with_worth,
)
from skrate.inference.turned import (
    Model,
    chance_of,
    folds_model,
    ranked_model,
    warn_of_turned,
)
from skrate.metrics.base import (
    GROUPS_ARE_LISTS,
    Metric,
    MetricLike,
    find_metric,
)
from skrate.metrics.lists import GroupScores
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
# Of the rarer class of unpaired samples, alike or not: with fewer, tests find too much.
_FEW_ALIKE, _FEW_UNLIKE = 10, 30


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
    adjust : {"holm", "bh", "by"}, default="holm"
        What the adjusted p-values of several models keep to a level, as in
        :func:`estimate`.
    confidence_level : float, default=0.95
        Level of each interval, in (0, 1).
    interval : {"wald", "percentile", "basic"}, default="wald"
        Kind of the interval; the last two need the bootstrap, and the p-value goes by
        the same replicates. That of "permutation" is of its own kind.
    n_resamples : int, default=2000
        Number of resamples or permutations, of each pair.
    stratify : bool, default=None
        As in :func:`estimate`.
    groups : array-like of shape (n_samples,), default=None
        The list or queue of each row, as in :func:`estimate`: lists are then the units,
        and "delta" is Student's t over them. For metrics without ``groups`` of their
        own, give what :func:`group_scores` returns.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient, as in :func:`estimate`; of
        GroupScores that of each list.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are, as in :func:`estimate`.
    correlation : float, default=None
        Of the values of two tables, in [-1, 1]; 0 where no case is in both. None says
        that it is unknown: the interval then holds those at all correlations, and the
        p-value is that at 0. Without tables it is found from the cases.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    random_state : int, Generator or RandomState, default=None
        Source of the resamples. Each pair of several models has its own, the first
        those of two.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
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
        As :func:`estimate`, for a few gains or sampling weights that decide the
        variance, for known rates that process few cases, and for scores that may be
        turned round, of which it names the argument; for a recall at a
        precision with few negatives above the cut, and for what is taken at a recall
        with few positives on a side of it, but by "permutation"; and for unpaired
        samples with so few cases of a class that the test finds too much. Within lists,
        if models differ in few of them, or if some are undefined for one model only.

    See Also
    --------
    estimate : One model, or many against chance.
    compare_folds : Scores of two models over the folds of a cross-validation.

    Notes
    -----
    The statistic is the difference over its standard error: DeLong's z for the AUC.
    The p-value and the interval "wald" take it for Student's t, with the degrees of
    freedom of :func:`estimate`. With five positives the normal distribution, which
    other programs take, would reject a true null in one of ten samples at a level of
    0.05; its p-value is ``2 * norm.sf(abs(statistic))``.

    P-values and intervals agree: one of level 1 - alpha leaves 0 out where the
    two-sided p-value is below alpha. "percentile" and "basic" count replicates, the
    second after mirroring them at the difference: of n, of which m are on the other
    side of 0 than the difference, p = 2 (m + 1) / (n + 1). The permutation tests that
    the models are exchangeable within cases ([1]_, [2]_): stronger than equal metrics,
    but exact at any size. Midranks are exchanged, so that models need no common scale.

    Where the sample shows no variation of the difference, as of a perfect and a random
    ranking, the interval combines that of each model, "wilson" of :func:`estimate`,
    without their correlation [3]_. It is wide. The p-value is the greatest at which it
    leaves 0 out, and not below 1e-15.

    With the correlation rho of two tables and their standard errors s_a and s_b the
    difference has [4]_

    .. math:: s^2 = s_a^2 + s_b^2 - 2 \rho s_a s_b,

    the least where rho is 1. ``least_significant_correlation`` is the rho above which
    the p-value would be less than 1 less the confidence level, 1 where none would do.

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
    of few lists in all ways that there are. What is squared, or flipped, of clusters is
    the sum over their lists.

    Over a set of distributions of the rate the range of the difference in the sample is
    exact (:func:`skrate.rates.between` has the closed form). With D(r) the difference
    at the rate r, s(r) its standard error and t the quantile of Student's distribution,
    the interval is from the least E_F[D - t s] over all distributions F of the set to
    the greatest E_F[D + t s], which holds the differences under all of them at once;
    the p-value is that under the one that says least.

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

    >>> from skrate import expected_recall_score, rates
    >>> known = rates.between({0.1: 0.25, 0.9: 0.5})
    >>> a, b = models["A"], models["B"]
    >>> result = compare(expected_recall_score, y_true, a, b, rate=known)
    >>> result.range.low.__round__(4), result.range.high.__round__(4)
    (0.2667, 0.3667)
    """
    check_choice("method", method, METHODS)
    check_choice("interval", interval, INTERVALS)
    check_choice("weights", weights, WEIGHTS)
    check_choice("adjust", adjust, ADJUSTMENTS)
    if are_of_folds(y_true) or (y_score_b is None and are_columns(y_score_a)):
        check_left_out(
            "several models",
            y_score_b=(y_score_b, None), y_true_b=(y_true_b, None),
            interval=(interval, "wald"), correlation=(correlation, None),
        )  # fmt: skip
        if groups is not None:
            raise ValueError(GROUPS_ARE_LISTS)
        plan = Plan(
            method, confidence_level, interval, n_resamples, stratify,
            check_generator(random_state), n_jobs, alternative,
        )  # fmt: skip
        given: dict[str, Any] = {
            "sample_weight": sample_weight, "clusters": clusters, "pos_label": pos_label
        }  # fmt: skip
        several: Any = metric, metric_kwargs
        if are_of_folds(y_true):
            check_alone(FoldRankings, y_score_a=y_score_a, **given)
            return _several_of_folds(several, y_true, reference, plan, weights, adjust)
        labelled = check_cases(y_true, weights=weights, **given)
        return _several(several, labelled, y_score_a, reference, plan, adjust)
    check_left_out("two models", reference=(reference, None), adjust=(adjust, "holm"))
    given_scores = y_true, y_score_a
    of_lists = in_lists(metric, metric_kwargs, groups)
    if of_lists is not None or any(isinstance(o, GroupScores) for o in given_scores):
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
        plan = Plan(
            method, confidence_level, "wald", n_resamples, None, random_state, n_jobs,
            alternative,
        )  # fmt: skip
        if of_lists is None:
            check_alone(
                GroupScores, y_score_b=y_score_b, sample_weight=sample_weight,
                pos_label=pos_label,
            )  # fmt: skip
            lists = check_group_scores(metric, metric_kwargs, given_scores)
            return compare_group_scores(
                *lists, plan, clusters=clusters, **metric_kwargs
            )
        if y_score_a is None or y_score_b is None or isinstance(y_true, RankTable):
            raise ValueError(
                "y_score_a and y_score_b must be the scores of both models, and y_true "
                "the labels of the same cases, to compare them within lists."
            )
        return compare_in_lists(
            of_lists[0], y_true, (y_score_a, y_score_b), sample_weight, pos_label,
            clusters, plan, of_lists[1],
        )  # fmt: skip
    among = None
    if not isinstance(metric, tuple | list):
        among = set_of(metric, metric_kwargs)
    plan = Plan(
        method, confidence_level, interval, n_resamples, stratify, random_state, n_jobs,
        alternative,
    )  # fmt: skip
    known = check_correlation(correlation)
    if isinstance(y_true, FoldRankings) or isinstance(y_score_a, FoldRankings):
        check_no_labels(y_true, "y_score_a")
        check_alone(
            y_true, y_score_b=y_score_b, y_true_b=y_true_b, clusters=clusters,
            sample_weight=sample_weight, correlation=known, pos_label=pos_label,
        )  # fmt: skip
        rankings = y_true, y_score_a
        if isinstance(metric, tuple | list):
            _check_pair(metric, y_score_a, method, metric_kwargs, "y_score_a")
        return compare_rankings(metric, rankings, plan, weights, metric_kwargs)
    if among is not None:
        check_plan_over_set(plan)
        _check_cases_of_both(y_true, y_score_a, y_true_b)
    is_of_one = isinstance(metric, tuple | list) and y_score_a is None
    if known is not None and (is_of_one or not isinstance(y_true, RankTable)):
        raise ValueError(
            "correlation is for two RankTables: where cases are given, or one table, "
            "it is found from them."
        )
    if isinstance(y_true, RankTable) or isinstance(y_score_a, RankTable):
        others = {
            "y_score_b": y_score_b, "y_true_b": y_true_b, "clusters": clusters,
            "sample_weight": sample_weight, "pos_label": pos_label,
        }  # fmt: skip
        if isinstance(metric, tuple | list) and y_score_a is None:
            check_alone(y_true, **others)
            _check_pair(metric, y_score_b, method, metric_kwargs)
            return _two_metrics(metric, check_sample(y_true, None), plan)
        tables = y_true, y_score_a
        check_tables(metric, tables, method, others)
        return compare_tables(metric, tables, plan, known, metric_kwargs)
    if y_score_a is None:
        raise ValueError("y_score_a is missing: give the scores of model a.")
    if y_true_b is not None:
        _check_unpaired(y_score_b, method, clusters, sample_weight)
        samples = ((y_true, y_score_a), (y_true_b, y_score_b))
        ranked = [check_sample(*one, pos_label=pos_label) for one in samples]
        metrics = [check_metric(metric, metric_kwargs, one) for one in ranked]
        _check_worth_of_both(metrics)
        result = _unpaired(metrics, ranked, plan)
        warn_of_turned(_models(metrics, ranked, result, plan))
        return result
    check_one_place(y_true=y_true, y_score_a=y_score_a, y_score_b=y_score_b)
    cases = check_cases(
        y_true,
        sample_weight=sample_weight,
        weights=weights,
        clusters=clusters,
        pos_label=pos_label,
    )
    model_a = scored(cases, "y_score_a", y_score_a)
    if isinstance(metric, tuple | list):
        _check_pair(metric, y_score_b, method, metric_kwargs)
        return _two_metrics(metric, model_a, plan)
    if y_score_b is None:
        raise ValueError(
            "y_score_b is missing: give it, or a pair of metrics, or in y_score_a the "
            "scores of several models, with a column or entry each."
        )
    model_b = scored(cases, "y_score_b", y_score_b)
    ranked = [model_a, model_b]
    if among is not None:
        assert not isinstance(metric, tuple | list)
        return compare_over_set(metric, metric_kwargs, among, ranked, plan)
    metrics = [check_metric(metric, metric_kwargs, one) for one in ranked]
    pairs = zip(ranked, metrics, strict=True)
    ranked = [with_worth(*pair) for pair in pairs]
    result = paired(metrics, ranked, plan)
    warn_of_turned(_models(metrics, ranked, result, plan))
    return result


def _models(
    metrics: list[Metric], ranked: list[Ranked], result: Comparison, plan: Plan
) -> list[Model]:
    """Return both models with what is known of them."""
    names, values = ("y_score_a", "y_score_b"), (result.value_a, result.value_b)
    known = zip(names, metrics, ranked, values, strict=True)
    return [ranked_model(*one, plan) for one in known]


def _two_metrics(
    metrics: tuple[MetricLike, ...] | list[MetricLike], model: Ranked, plan: Plan
) -> Comparison:
    """Compare two metrics of one model."""
    found = [check_metric(metric, {}, model) for metric in metrics]
    result = paired(found, [with_worth(model, metric) for metric in found], plan)
    named = "y_true" if model.counts is not None else "y_score_a"
    warn_of_turned([ranked_model(named, found[0], model, result.value_a, plan)])
    return result


def _unpaired(metrics: list[Metric], ranked: list[Ranked], plan: Plan) -> Comparison:
    values = [
        defined_value(metric, one) for metric, one in zip(metrics, ranked, strict=True)
    ]
    if np.isnan(values).any():
        return conclude_ranked(metrics, ranked, values, float("nan"), plan)
    warn_of_difference(metrics, ranked, plan.method)
    warn_of_few_cases(metrics, ranked)
    each = [
        (metric, one, plan.is_stratified(one))
        for metric, one in zip(metrics, ranked, strict=True)
    ]
    parts = [variance_parts(of, one, stratify=fixed) for of, one, fixed in each]
    if not is_rounding(sum(part.total for part in parts)):
        _warn_of_unlike_samples(ranked)
    freedom = degrees_of_freedom(*zip(parts, ranked, strict=True))
    if plan.method == "delta":
        error = float(np.sqrt(sum(part.total for part in parts)))
        return conclude_ranked(metrics, ranked, values, error, plan, freedom)
    small = [(of, condensed(of, one), fixed) for of, one, fixed in each]
    of_a, of_b = (
        share.replicates(
            "difference",
            resample_draw([one], stratify=fixed),
            statistic_of([metric], [one]),
        )
        for (metric, one, fixed), share in zip(small, plan.split(2), strict=True)
    )
    n_both = min(len(of_a), len(of_b))
    draws = of_a[:n_both] - of_b[:n_both]
    return conclude_ranked(metrics, ranked, values, spread(draws), plan, freedom, draws)


def _warn_of_unlike_samples(ranked: list[Ranked]) -> None:
    """Warn where the skewness of a small sample is not cancelled by the other's."""
    rarer = [min(one.sizes) for one in ranked]
    few, many = min(rarer), max(rarer)
    if few >= (_FEW_UNLIKE if many > 2 * few else _FEW_ALIKE):
        return
    warn(
        "y_true_b are other cases than y_true, and the rarer classes have "
        f"{rarer[0]:g} and {rarer[1]:g} of them: with so few, tests at a level of "
        "0.05 found up to "
        "0.15 of equal models different. Take a p-value above 0.01 for no evidence, or "
        f"compare on the same cases, or on samples that are alike, of {_FEW_UNLIKE} of "
        "each class."
    )


def _check_unpaired(
    y_score_b: ArrayLike | None,
    method: str,
    clusters: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> None:
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
                f"{name} excludes y_true_b: it would say nothing about the cases of b."
            )


def _check_worth_of_both(metrics: list[Metric]) -> None:
    """Raise where each case has a gain or a cost, and both samples one array."""
    for metric in metrics:
        if metric.facts.is_of_cases:
            raise ValueError(
                "gain or cost per case excludes y_true_b: they would be of the cases "
                "of a. Estimate each model by itself."
            )


def _check_cases_of_both(
    y_true: Any, y_score_a: Any, y_true_b: ArrayLike | None
) -> None:
    """Raise where models are not of the same cases, as a set of distributions needs."""
    for name, value in (("y_true", y_true), ("y_score_a", y_score_a)):
        if isinstance(value, RankTable):
            raise ValueError(
                f"{name} is a RankTable, whose cases are not known to be those of "
                "another: over a set of distributions give labels and scores."
            )
    if y_true_b is not None:
        raise ValueError(
            "y_true_b excludes a set of distributions: both models must score the same "
            "cases."
        )


def _check_pair(
    metrics: tuple[MetricLike, ...] | list[MetricLike],
    other: Any,
    method: str,
    metric_kwargs: dict[str, Any],
    name: str = "y_score_b",
) -> None:
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


def _several(
    meant: tuple[MetricLike, dict[str, Any]],
    cases: Ranked,
    y_scores: Any,
    reference: Any,
    plan: Plan,
    adjust: Adjust,
) -> Comparisons:
    """Compare all pairs of models by their scores of the same cases."""
    metric, metric_kwargs = meant
    if cases.weights is not None:
        # Of a caller who may change theirs before the pairs are asked for.
        cases = replace(cases, weights=cases.weights.copy())
    among = set_of(metric, metric_kwargs)
    if among is not None:
        check_plan_over_set(plan)
    columns = columns_of("y_score_a", y_scores, cases.n_given)
    names = tuple(str(name) for name in columns)
    ranked = [
        scored(cases, f"y_score_a[{name!r}]", column)
        for name, column in columns.items()
    ]
    if len(names) < 2:
        raise ValueError(f"y_score_a must hold at least 2 models, found {len(names)}.")
    base = None if reference is None else _place_of(reference, names)
    places = pairs_of(len(names), base)
    kind = (None if base is None else names[base], adjust)
    matrix = np.full((len(names), len(names)), np.nan)
    if among is not None:
        over_set = partial(compare_over_set, metric, metric_kwargs, among, plan=plan)
        pairs = tuple(over_set([ranked[i], ranked[j]]) for i, j in places)
        return Comparisons(names, pairs, _adjusted(pairs, adjust), matrix, *kind)
    found = check_metric(metric, metric_kwargs, cases)
    worst = getattr(found, "worst", None)
    if worst is not None:
        raise ValueError(
            f"worst={worst!r} means another distribution for each model: compare "
            "them pair by pair."
        )
    ranked = [with_worth(one, found) for one in ranked]
    check_worth(plan, ranked[0])
    chance = chance_of(found, ranked[0])
    values, influences = _of_models(found, ranked, plan)
    named = zip(names, ranked, values, strict=True)
    warn_of_turned(
        [
            ranked_model(f"y_score_a[{name!r}]", found, one, value, plan, chance=chance)
            for name, one, value in named
        ],
    )
    if influences is not None:
        matrix = covariance(influences, cases)
    tests = partial(_tests, found, ranked, plan, values, influences, places, adjust)
    if plan.method == "delta":
        return comparisons_on_demand(names, matrix, tests, *kind)
    # Not later: what is drawn depends on the state of the generator now.
    return Comparisons(names, *tests(), matrix, *kind)


def _place_of(reference: Any, names: tuple[str, ...]) -> int:
    if str(reference) not in names:
        some = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
        raise ValueError(f"reference={reference!r} is no model: there are {some}.")
    return names.index(str(reference))


def _several_of_folds(
    meant: tuple[MetricLike, dict[str, Any]],
    given: Any,
    reference: Any,
    plan: Plan,
    weights: Weights,
    adjust: Adjust,
) -> Comparisons:
    """Compare all pairs of models by their rankings of the same folds."""
    if not isinstance(given, Mapping):
        given = dict(enumerate(given))
    rankings = {f"y_true[{name!r}]": one for name, one in given.items()}
    names = tuple(map(str, given))
    if len(names) < 2:
        raise ValueError(f"y_true must hold at least 2 models, found {len(names)}.")
    check_same_folds(rankings)
    check_no_set(*meant)
    base = None if reference is None else _place_of(reference, names)
    places = pairs_of(len(names), base)
    found = fold_samples([meant] * len(names), list(rankings.values()), weights)
    matrix = np.full((len(names), len(names)), np.nan)
    kind = (None if base is None else names[base], adjust)
    if found is None:
        nothing = undefined_difference([find_metric(*meant)] * 2, plan)
        pairs = (nothing,) * len(places)
        return Comparisons(names, pairs, _adjusted(pairs, adjust), matrix, *kind)
    if found[0].why_unknown is not None:
        pairs = tuple(unknown_difference([found[i], found[j]], plan) for i, j in places)
        return Comparisons(names, pairs, _adjusted(pairs, adjust), matrix, *kind)
    is_stratified = plan.is_stratified(found[0].cases)
    influences = [one.influence(stratify=is_stratified) for one in found]
    matrix = covariance(np.stack(influences), found[0].cases)
    factor = retraining(next(iter(given.values())))

    def test(i: int, j: int, share: Plan) -> Comparison:
        known = [influences[i], influences[j]]
        return paired_folds([found[i], found[j]], share, factor, known)

    models = zip(rankings, found, strict=True)
    warn_of_turned([folds_model(*model, plan, None) for model in models])
    pairs = _of_pairs(test, places, plan)
    return Comparisons(names, pairs, _adjusted(pairs, adjust), matrix, *kind)


def _tests(
    metric: Metric,
    ranked: list[Ranked],
    plan: Plan,
    values: list[float],
    influences: FloatArray | None,
    places: list[tuple[int, int]],
    adjust: Adjust,
) -> tuple[tuple[Comparison, ...], tuple[float, ...]]:
    """Return the comparison of each pair, and their adjusted p-values."""

    def test(i: int, j: int, share: Plan) -> Comparison:
        known = None if influences is None else [influences[i], influences[j]]
        both = [ranked[i], ranked[j]]
        return paired([metric] * 2, both, share, [values[i], values[j]], known)

    pairs = _of_pairs(test, places, plan)
    return pairs, _adjusted(pairs, adjust)


def _of_pairs(
    test: Callable[[int, int, Plan], Comparison],
    places: list[tuple[int, int]],
    plan: Plan,
) -> tuple[Comparison, ...]:
    """Return the comparison of each pair, the random states of which differ."""
    first, *others = places
    # The first pair spawns from the generator itself, as compare does. The others
    # share what it spawns after that, which is independent of all before.
    pairs = [test(*first, plan)]
    pairs += [
        test(*pair, share)
        for pair, share in zip(others, plan.split(len(others)), strict=True)
    ]
    return tuple(pairs)


def _adjusted(pairs: Sequence[Comparison], adjust: Adjust) -> tuple[float, ...]:
    pvalues = np.array([pair.pvalue for pair in pairs])
    return tuple(adjusted(pvalues, adjust).tolist())


def _of_models(
    metric: Metric, ranked: list[Ranked], plan: Plan
) -> tuple[list[float], FloatArray | None]:
    """Return the metric of each model, and the influence values of the cases on it.

    What all models lack is warned of once. The influence values are None where the
    metric of a model is undefined.
    """
    cases = ranked[0]
    first = defined_value(metric, cases)
    if np.isnan(first):
        return [first] * len(ranked), None
    is_stratified = plan.is_stratified(cases)
    influences = np.empty((len(ranked), len(cases.is_pos)))

    def fill(one: Ranked, row: FloatArray) -> float:
        value = first if one is cases else one.score(metric)
        if not np.isnan(value):
            influence_values(metric, one, stratify=is_stratified, out=row)
        if plan.method == "delta":
            # Memory that the next model takes again need not be cleared for it.
            one.forget()
        return value

    # Threads, whatever else joblib is told to use: they write into the same memory.
    run = Parallel(n_jobs=check_n_jobs(plan.n_jobs), require="sharedmem")
    values = list(run(map(delayed(fill), ranked, influences)))
    return values, None if np.isnan(values).any() else influences
