"""Several models on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from skrate.core.results import Comparison, Comparisons, comparisons_on_demand, pairs_of
from skrate.data.arrays import ArrayLike, FloatArray, Label, RandomState
from skrate.data.checks import check_choice, check_generator, check_n_jobs
from skrate.data.folds import FoldRankings, are_of_folds, check_same_folds
from skrate.data.table import check_alone
from skrate.inference.adjustment import ADJUSTMENTS, Adjust, adjusted
from skrate.inference.compare import METHODS, Method, paired
from skrate.inference.compare_range import (
    check_plan_over_set,
    compare_over_set,
    set_of,
)
from skrate.inference.delta import covariance, influence_values
from skrate.inference.estimate_folds import (
    check_no_set,
    paired_folds,
    retraining,
    undefined_difference,
    unknown_difference,
)
from skrate.inference.fold_sample import fold_samples
from skrate.inference.intervals import Alternative
from skrate.inference.plan import Plan, check_metric, check_worth, defined_value
from skrate.inference.sample import (
    Ranked,
    Weights,
    check_cases,
    columns_of,
    scored,
    with_worth,
)
from skrate.inference.turned import (
    chance_of,
    folds_model,
    ranked_model,
    warn_of_turned,
)
from skrate.metrics.base import Metric, MetricLike, find_metric


def compare_all(
    metric: MetricLike,
    y_true: ArrayLike | Mapping[Any, FoldRankings] | Sequence[FoldRankings],
    y_scores: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    *,
    method: Method = "delta",
    alternative: Alternative = "two-sided",
    reference: Any = None,
    adjust: Adjust = "holm",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    stratify: bool | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    **metric_kwargs: Any,
) -> Comparisons:
    """Compare all pairs of several models, with p-values adjusted for their number.

    Among many comparisons some look significant by chance. Holm's adjustment keeps
    the probability of any false one, however the tests depend on each other. With
    ``reference`` each model is compared with that one alone.

    Parameters
    ----------
    metric : callable or str
        As in :func:`estimate`.
    y_true : array-like of shape (n_samples,), or mapping of FoldRankings
        True labels of two classes; or the rankings of each model, of the same folds,
        by its name (of a list by its number), without ``y_scores``.
    y_scores : array-like of shape (n_samples, n_models), mapping or data frame
        Scores of each model, one column or entry each; keys and column names are the
        names of the models.
    method : {"delta", "bootstrap", "permutation"}, default="delta"
        As in :func:`compare`.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        As in :func:`compare`.
    reference : str or int, default=None
        Name of the model that all others are compared with, or of an array the number
        of its column: each difference is that of a model less the reference. None
        compares all pairs.
    adjust : {"holm", "bh", "by"}, default="holm"
        What the adjusted p-values keep to a level, as in :func:`estimate_all`.
    confidence_level : float, default=0.95
        Level of each interval, not adjusted, in (0, 1).
    n_resamples : int, default=2000
        Number of resamples or permutations of each pair.
    stratify : bool, default=None
        As in :func:`estimate`.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are, as in :func:`estimate`.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    random_state : int, Generator or RandomState, default=None
        Source of the resamples. The first pair has those of :func:`compare` of the
        same random state; each other pair has others, independent of them.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``, which may be a set of distributions
        as in :func:`compare`.

    Returns
    -------
    result : Comparisons
        With ``pairs``, one :class:`Comparison` each, ``adjusted_pvalues``, and the
        ``covariance`` of the models' metrics. Over a set of distributions the pairs are
        of :class:`ComparisonRange`, and the covariance, which differs between
        distributions, is nan.

    Raises
    ------
    ValueError
        As :func:`compare`, for fewer than two models, and for a ``reference`` that is
        none of them.

    Warns
    -----
    UndefinedMetricWarning
        As :func:`compare`.
    UserWarning
        As :func:`compare`; models whose scores may be turned round are named.

    See Also
    --------
    compare : Two models.
    estimate : One model.
    estimate_all : Each of many against chance.

    Notes
    -----
    By "holm" the i-th smallest of m p-values is multiplied by m - i + 1 [1]_. The
    covariance multiplies the models' influence values case by case: DeLong's matrix for
    the AUC. Contrasts of any kind follow from it: the variance of ``c @ values`` is
    ``c @ covariance @ c``. Cost: one sort per model by the delta method, which
    compares the pairs when they are first asked for: until then the result holds the
    influence values of all models.

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
    >>> result = compare_all("roc_auc", y_true, y_scores)
    >>> [round(pair.value, 3) for pair in result.pairs]
    [0.4, -0.133, -0.533]
    >>> result.covariance.shape
    (3, 3)

    The others, each less the first:

    >>> result = compare_all("roc_auc", y_true, y_scores, reference="A")
    >>> [round(pair.value, 3) for pair in result.pairs]
    [-0.4, 0.133]
    """
    check_choice("method", method, METHODS)
    check_choice("adjust", adjust, ADJUSTMENTS)
    plan = Plan(
        method, confidence_level, "wald", n_resamples, stratify,
        check_generator(random_state), n_jobs, alternative,
    )  # fmt: skip
    if are_of_folds(y_true):
        check_alone(
            FoldRankings, y_scores=y_scores, clusters=clusters,
            sample_weight=sample_weight, pos_label=pos_label,
        )  # fmt: skip
        meant = metric, metric_kwargs
        return _of_folds(meant, y_true, reference, plan, weights, adjust)
    if y_scores is None:
        raise ValueError(
            "y_scores is missing: give the scores of each model, or y_true as a dict "
            "of FoldRankings by model."
        )
    labels: Any = y_true
    cases = check_cases(
        labels,
        sample_weight=sample_weight,
        weights=weights,
        clusters=clusters,
        pos_label=pos_label,
    )
    if cases.weights is not None:
        # Of a caller who may change theirs before the pairs are asked for.
        cases = replace(cases, weights=cases.weights.copy())
    among = set_of(metric, metric_kwargs)
    if among is not None:
        check_plan_over_set(plan)
    columns = columns_of("y_scores", y_scores, cases.n_given)
    names = tuple(str(name) for name in columns)
    ranked = [
        scored(cases, f"y_scores[{name!r}]", column) for name, column in columns.items()
    ]
    if len(names) < 2:
        raise ValueError(f"y_scores must hold at least 2 models, found {len(names)}.")
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
            ranked_model(f"y_scores[{name!r}]", found, one, value, plan, chance=chance)
            for name, one, value in named
        ]
    )
    if influences is not None:
        matrix = covariance(influences, cases)
    tests = partial(_tests, found, ranked, plan, values, influences, places, adjust)
    if method == "delta":
        return comparisons_on_demand(names, matrix, tests, *kind)
    # Not later: what is drawn depends on the state of the generator now.
    return Comparisons(names, *tests(), matrix, *kind)


def _place_of(reference: Any, names: tuple[str, ...]) -> int:
    if str(reference) not in names:
        some = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
        raise ValueError(
            f"reference={reference!r} is no model of y_scores, which has {some}."
        )
    return names.index(str(reference))


def _of_folds(
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
    warn_of_turned([folds_model(*model, plan, None) for model in models], stacklevel=4)
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
