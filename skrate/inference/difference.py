"""What the difference of two models is concluded from; two published tables as well."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import optimize, special

from skrate.data.arrays import Array, ArrayLike, FloatArray, dot
from skrate.data.checks import check_number, warn, warn_undefined
from skrate.data.table import RankTable, check_alone
from skrate.inference.evaluation import Evaluation, conclude, warn_of_turned
from skrate.inference.intervals import Adjust, adjusted
from skrate.inference.models import evaluate
from skrate.inference.plan import Plan, warn_of_difference
from skrate.inference.resampling import Draw
from skrate.inference.sample import rankings_of
from skrate.metrics.auc import AUC
from skrate.metrics.base import (
    GROUPS_ARE_LISTS,
    LIST_METRICS,
    METRICS,
    find_metric,
    unwrap,
)
from skrate.metrics.bound_metric import is_known
from skrate.metrics.hypothesis_tests import NEGLIGIBLE, t_test
from skrate.metrics.lists import (
    Average,
    GroupScores,
    ListAverage,
    Policy,
    average_of,
    check_clusters_of_lists,
    clusters_of_lists,
    freedom_of_sums,
    group_scores,
    question_of_mean,
    spread_of_sums,
)
from skrate.metrics.rate_weighted_auc import RateWeightedAUC
from skrate.metrics.results import (
    Comparison,
    Comparisons,
    ConfidenceInterval,
    Estimate,
    clipped_interval,
    pairs_of,
    question_of_both,
    t_quantile,
)

_NAN = float("nan")
# All flips are tried where there are no more than 2 to this number of them.
_MOST_LISTS = 20
_FEW_LISTS = 10
# What a metric of lists is told of the lists, and of their mean.
_OF_MEAN = ("average", "undefined")
_TABLES = ("y_true", "y_score_a")
# Of all correlations; between two of these a root is looked for.
_ALL = np.linspace(-1, 1, 401)


def compare_pairs(
    names: tuple[str, ...],
    compare_two: Callable[[int, int, Plan], Comparison],
    plan: Plan,
    covariance: FloatArray,
    adjust: Adjust,
    reference: Any = None,
    *,
    what: str = "model",
) -> Comparisons:
    """Compare all pairs, or all with a reference.

    ``compare_two(i, j, plan)`` compares those in these places.
    """
    base = None if reference is None else str(reference)
    if base is not None and base not in names:
        some = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
        raise ValueError(f"reference={reference!r} is no {what}: there are {some}.")
    first, *others = pairs_of(len(names), None if base is None else names.index(base))

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


def in_lists(
    metric: Any, params: dict[str, Any], groups: ArrayLike
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what group_scores is given, and the options of the mean over lists."""
    if isinstance(metric, tuple | list):
        raise ValueError(GROUPS_ARE_LISTS)
    function, own = unwrap(metric, params)
    if not is_known(function):
        # It raises, and says which name may be meant.
        find_metric(function, own, in_lists=True)
    if "groups" not in inspect.signature(function).parameters:
        raise ValueError(GROUPS_ARE_LISTS)
    of_mean = {name: own.pop(name) for name in _OF_MEAN if name in own}
    return {"metric": function, **own, "groups": groups}, of_mean


def scores_in_lists(
    metric: Any,
    params: dict[str, Any],
    y_true: Any,
    models: Mapping[Any, Any],
    groups: ArrayLike | None,
    cases: dict[str, Any],
) -> tuple[dict[Any, GroupScores], dict[str, Any], ArrayLike | None]:
    """Return models' values within lists, the options of their mean, and clusters.

    Without ``groups`` the models are such values, and clusters those of lists.
    """
    clusters, others = cases["clusters"], cases | {"clusters": None}
    if groups is None:
        check_alone(GroupScores, **others)
        _check_group_scores(metric, params, models)
        return dict(models), params, clusters
    options, of_mean = in_lists(metric, params, groups)
    options |= {name: cases[name] for name in ("sample_weight", "pos_label")}
    scores = {
        name: group_scores(y_true=y_true, y_score=one, **options)
        for name, one in models.items()
    }
    return scores, of_mean, clusters_of_lists(groups, clusters)


def _check_group_scores(
    metric: Any, params: dict[str, Any], named: Mapping[Any, Any]
) -> None:
    """Raise for what is no scores of lists, or those of another metric."""
    for name, one in named.items():
        if not isinstance(one, GroupScores):
            raise ValueError(
                f"{name} must be what group_scores returns, as that of the other model "
                f"is; got a {type(one).__name__}."
            )
    unknown = [name for name in params if name not in _OF_MEAN]
    if unknown:
        raise ValueError(
            f"{unknown[0]} has no meaning for GroupScores, which hold the values of "
            "the lists: give it to group_scores."
        )
    function, given = unwrap(metric, {})
    kind = METRICS.get(function) or LIST_METRICS.get(function)
    for name, one in named.items():
        # Names of others, and those with a uniform rate, stand for the AUC.
        is_auc = one.metric == "AUC" and not given and kind in (None, RateWeightedAUC)
        if not (is_auc or (kind is not None and isinstance(one._metric, kind))):
            raise ValueError(
                f"metric={metric!r} is another than that of {name}, the {one.metric}."
            )


def warn_of_turned_in_lists(
    models: Iterable[tuple[str, GroupScores, Estimate]], undefined: Policy | float
) -> None:
    """Warn of models within lists if the AUC ranks these, which is known already."""
    if isinstance(undefined, str):
        of_auc = {"metric": AUC(), "chance": 0.5}
        warn_of_turned(
            (
                argument,
                SimpleNamespace(value=mean.value, auc=mean.value, **of_auc),
                mean.confidence_interval,
            )
            for argument, scores, mean in models
            if scores.metric == "AUC"
        )


def paired_in_lists(
    scores_a: GroupScores,
    scores_b: GroupScores,
    plan: Plan,
    *,
    average: Average | Iterable[float] | None = None,
    undefined: Policy | float = "skip",
    clusters: ArrayLike | None = None,
) -> Comparison:
    """Compare two models by their values within the same lists."""
    both = scores_a, scores_b
    a, b = averages_in_lists(both, average, undefined, clusters)
    of_a, of_b = (scores._lists.defined > 0 for scores in both)
    n_of_one = np.count_nonzero(of_a ^ of_b)
    if isinstance(undefined, str) and undefined == "skip" and n_of_one:
        warn(
            f"{n_of_one} of {len(scores_a.is_defined)} lists are undefined for one of "
            "the models and are left out of both, so that value_a and value_b are not "
            "the scores of all lists: give undefined=0.5, or another number, to count "
            "them."
        )
    name = " - ".join(dict.fromkeys((scores_a.metric, scores_b.metric)))
    name = f"{name} within lists"
    params = question_of_both([scores.params for scores in (scores_a, scores_b)])
    error, freedom, draws = _NAN, _NAN, None
    if np.isnan(a.value - b.value):
        warn_undefined(name, "no list that counts is defined")
    else:
        shares = (a.shares + b.shares) / 2
        freedom = freedom_of_sums(shares)
        if a.n_units > 1:
            error = spread_of_sums(a.residuals - b.residuals, shares)
        if plan.method == "permutation":
            draws = _flipped(a, b, plan)
    found = conclude(
        name, (a.value, b.value), error, plan, freedom, draws,
        (a.limits[0] - b.limits[1], a.limits[1] - b.limits[0]), None,
        params | question_of_mean(scores_a, average, undefined),
    )  # fmt: skip
    if not np.isnan(freedom) and np.isnan(found.statistic):
        reason = "there is one list"
        if a.n_units > 1:
            reason = "all lists have the same difference: method='permutation' has "
            reason += "a p-value"
        warn_undefined(f"t of the {name}", reason)
    _warn_of_few_lists(a, b)
    method = "permutation" if plan.method == "permutation" else "t"
    return replace(found, method=method, of=a.units_text)


def averages_in_lists(
    scores: Sequence[GroupScores],
    average: Average | Iterable[float] | None = None,
    undefined: Policy | float = "skip",
    clusters: ArrayLike | None = None,
) -> list[ListAverage]:
    """Return the means of models over the same lists, skipped for one or for all."""
    for one in scores[1:]:
        _check_same_lists(scores[0], one)
    of_all = np.all([one._lists.defined > 0 for one in scores], axis=0)
    among = of_all if isinstance(undefined, str) and undefined == "skip" else None
    units = check_clusters_of_lists(clusters, scores[0])
    return [average_of(one, average, undefined, among, units) for one in scores]


def covariance_in_lists(models: Sequence[ListAverage]) -> FloatArray:
    """Return the covariances of means over the same lists."""
    left = 1 - np.mean([one.shares for one in models], axis=0)
    rows = np.full((len(models), 1), np.nan)
    # As `spread_of_sums`, which is nan of one list.
    if len(left) and not np.isnan(spread_of_sums(left, 1 - left)):
        rows = np.array([one.residuals for one in models]) / np.sqrt(left)
    return np.array([[np.add.reduce(a * b) for b in rows] for a in rows])


def _warn_of_few_lists(a: ListAverage, b: ListAverage) -> None:
    """Warn if few lists say how models differ: the spread of most is then 0."""
    of_lists = a.parts / a.weights.sum() - b.parts / b.weights.sum()
    n_differ = np.count_nonzero(a.summed(of_lists))
    if np.isnan(a.value - b.value) or n_differ >= min(_FEW_LISTS, a.n_units / 2):
        return
    warn(
        f"The models differ in {n_differ} of {a.n_units} lists: with fewer than "
        f"{_FEW_LISTS} the interval may be far too short. Take more lists, or a metric "
        "that sees more of them."
    )


def _check_same_lists(a: GroupScores, b: GroupScores) -> None:
    if not np.array_equal(a.groups, b.groups):
        raise ValueError(
            "scores_a and scores_b are of other lists: give both models the same "
            "groups."
        )
    for what in ("n_items", "n_pos"):
        if not np.array_equal(getattr(a, what), getattr(b, what)):
            raise ValueError(
                f"scores_a and scores_b differ in the {what} of their lists: give both "
                "models the same y_true and sample_weight."
            )


def _flipped(a: ListAverage, b: ListAverage, plan: Plan) -> FloatArray:
    """Return the difference where both models are exchanged in some of the lists."""
    parts, weights = a.summed(b.parts - a.parts), a.summed(b.weights - a.weights)
    have_own = weights.any()

    def statistic(rows: Array) -> FloatArray:
        flips = rows.astype(np.float64)
        moved = dot(flips, parts)
        more = dot(flips, weights) if have_own else 0.0
        of_a = (a.parts.sum() + moved) / (a.weights.sum() + more)
        of_b = (b.parts.sum() - moved) / (b.weights.sum() - more)
        return np.asarray(of_a - of_b)

    n = len(parts)
    if n <= _MOST_LISTS and 2**n - 1 <= plan.n_resamples:
        # The lists as they are make one more.
        numbers = np.arange(1, 2**n)
        return statistic(numbers[:, None] >> np.arange(n) & 1)

    def flips(generator: np.random.Generator, size: int) -> Array:
        return generator.integers(2, size=(size, n), dtype=np.uint8)

    return plan.replicates("difference", Draw(n, flips), statistic)


@dataclass(frozen=True)
class Results:
    """Two values with their standard errors and degrees of freedom."""

    values: tuple[float, float]
    errors: tuple[float, float]
    freedoms: tuple[float, float]

    @property
    def difference(self) -> float:
        """The first minus the second."""
        return self.values[0] - self.values[1]

    def standard_error(self, correlation: FloatArray) -> FloatArray:
        """Return that of the difference: s^2 = s_a^2 + s_b^2 - 2 rho s_a s_b."""
        of_a, of_b = self._parts(correlation)
        return np.asarray(np.sqrt(np.maximum(of_a + of_b, 0.0)))

    def freedom(self, correlation: FloatArray) -> FloatArray:
        """Return the degrees of freedom of that standard error.

        Without rho this is Welch's number; at 1 and -1 that of a paired test.
        """
        (of_a, of_b), (free_a, free_b) = self._parts(correlation), self.freedoms
        common = correlation**2 * of_a * of_b / np.sqrt(free_a * free_b)
        squares = of_a**2 / free_a + of_b**2 / free_b + 2 * common
        with np.errstate(invalid="ignore", divide="ignore"):
            freedom = (of_a + of_b) ** 2 / squares
        # Without variation there is no estimate of it: as few as there can be.
        return np.where(freedom > 1, freedom, 1.0)

    def reach(self, correlation: FloatArray, tail: float) -> FloatArray:
        """Return how far off a difference must be so that ``tail`` lies beyond."""
        quantile = -special.stdtrit(self.freedom(correlation), tail)
        return np.asarray(quantile * self.standard_error(correlation))

    def least_significant_correlation(self, plan: Plan) -> float:
        """Return the rho above which p is below 1 - the level; 1 if none is."""
        distances = []
        for x, side in plan.nulls:
            away = self.difference - x
            signed = {"less": -away, "greater": away}
            distances.append(signed.get(side, abs(away)))

        def excess(correlation: FloatArray) -> FloatArray:
            return min(distances) - self.reach(correlation, (1 - plan.level) / 2)

        too_little = np.flatnonzero(excess(_ALL) <= 0)
        if len(too_little) == 0:
            return -1.0
        last = too_little[-1]
        if last == len(_ALL) - 1:
            return 1.0
        return float(optimize.brentq(excess, _ALL[last], _ALL[last + 1]))

    def _parts(self, correlation: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the variance of the difference, as what each of both adds to it."""
        a, b = self.errors
        return a * (a - correlation * b), b * (b - correlation * a)


def check_correlation(name: str, correlation: Any) -> float:
    """Return the correlation of two values as a float."""
    if -1 <= check_number(name, correlation) <= 1:
        return float(correlation)
    raise ValueError(f"{name} must be in [-1, 1], got {correlation:g}.")


def check_tables(
    metric: Any, tables: tuple[Any, Any], method: str, others: dict[str, Any]
) -> None:
    """Raise for what does not go with two tables; ``others`` must be None."""
    for name, other, table in zip(_TABLES, _TABLES[::-1], tables, strict=True):
        if not isinstance(table, RankTable):
            raise ValueError(
                f"{name} must be a RankTable, as {other} is one, found "
                f"{type(table).__name__}: a table is compared with a table, and scores "
                "with other scores of the same labels."
            )
    if isinstance(metric, tuple | list):
        raise ValueError("metric must be one where two RankTables are compared.")
    if method != "delta":
        raise ValueError(
            f"method must be 'delta' for two RankTables, got {method!r}: which of "
            "their cases are the same is not known."
        )
    check_alone(tables[0], **others)


def compare_tables(
    metric: Any,
    tables: tuple[Any, Any],
    plan: Plan,
    correlation: float | None,
    metric_kwargs: dict[str, Any],
) -> Comparison:
    """Compare two tables; where no correlation is given, at all there can be."""
    samples = [rankings_of(table) for table in tables]
    metrics = [find_metric(metric, metric_kwargs)] * 2
    models = evaluate(metrics, samples, plan, are_paired=False)
    found, ranked = zip(*((model.metric, model.cases) for model in models), strict=True)
    a, b = (model.value if model.is_known else _NAN for model in models)
    error, statistic, pvalue, least = _NAN, _NAN, _NAN, _NAN
    ends = ConfidenceInterval(_NAN, _NAN)
    if not np.isnan(a - b):
        warn_of_turned(zip(_TABLES, models, [None] * 2, strict=True))
        warn_of_difference(found, ranked, plan.method)
        errors, freedoms = zip(*map(_spread_of, models), strict=True)
        results = Results((a, b), errors, freedoms)
        ends = _interval(results, models, plan, correlation)
        least = results.least_significant_correlation(plan)
        at = np.array(correlation or 0.0)
        error, freedom = float(results.standard_error(at)), float(results.freedom(at))
        statistic, pvalue = t_test(results.difference, error, plan.nulls, freedom)
        if np.isnan(statistic):
            warn_undefined(
                "The p-value", "such a correlation leaves the difference no variation"
            )
    return Comparison(
        metric=found[0].name,
        value=a - b,
        value_a=a,
        value_b=b,
        standard_error=error,
        statistic=statistic,
        pvalue=pvalue,
        confidence_interval=ends,
        alternative=plan.alternative,
        method=plan.method,
        confidence_level=plan.told_level,
        correlation=correlation,
        least_significant_correlation=least,
        params=models[0].question,
        margin=plan.margin,
    )


def _spread_of(model: Evaluation) -> tuple[float, float]:
    """Return the standard error of a table, or by its interval, and its freedom."""
    freedom = model.freedom(model.parts)
    if model.parts.standard_error > NEGLIGIBLE:
        return model.parts.standard_error, freedom
    low, high = model.interval(error=0.0)
    away = max(model.value - low, high - model.value)
    return away / t_quantile(model.plan.confidence_level), freedom


def _interval(
    results: Results, models: list[Evaluation], plan: Plan, correlation: float | None
) -> ConfidenceInterval:
    """Return the interval at a correlation, or what holds that at each there is."""
    at = _ALL if correlation is None else np.array([correlation])
    reach = float(results.reach(at, (1 - plan.level) / 2).max())
    of_a, of_b = (model.bounds for model in models)
    bounds = of_a[0] - of_b[1], of_a[1] - of_b[0]
    plan.check_margin(bounds)
    difference = results.difference
    ends = clipped_interval(difference - reach, difference + reach, bounds)
    return plan.sided(ends, bounds)
