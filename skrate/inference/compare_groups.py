"""Two models by their values within the same lists."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from skrate.data.arrays import Array, ArrayLike, FloatArray, Label, dot
from skrate.data.checks import warn, warn_undefined
from skrate.inference.intervals import (
    permutation_interval,
    permutation_pvalue,
    standardised,
    t_pvalue,
)
from skrate.inference.plan import Plan
from skrate.inference.turned import model_in_lists, warn_of_turned
from skrate.metrics.base import (
    GROUPS_ARE_LISTS,
    LIST_METRICS,
    METRICS,
    MetricLike,
    unwrap,
)
from skrate.metrics.bound import is_known
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
    ConfidenceInterval,
    question_of_both,
    t_interval,
)

Method = Literal["t", "permutation"]
METHODS: tuple[Method, ...] = get_args(Method)
_NAN = float("nan")
# All flips are tried where there are no more than 2 to this number of them.
_MOST_LISTS = 20
_FEW_LISTS = 10


def compare_group_scores(
    scores_a: GroupScores,
    scores_b: GroupScores,
    plan: Plan,
    *,
    average: Average | Iterable[float] | None = None,
    undefined: Policy | float = "skip",
    clusters: ArrayLike | None = None,
) -> Comparison:
    """Return the comparison of two models by their values within the same lists."""
    method: Method = "permutation" if plan.method == "permutation" else "t"
    _check_same_lists(scores_a, scores_b)
    both = scores_a.is_defined & scores_b.is_defined
    among = both if isinstance(undefined, str) and undefined == "skip" else None
    n_of_one = np.count_nonzero(scores_a.is_defined ^ scores_b.is_defined)
    if among is not None and n_of_one:
        warn(
            f"{n_of_one} of {len(both)} lists are undefined for one of the models and "
            "are left out of both, so that value_a and value_b are not the scores of "
            "all lists: give undefined=0.5, or another number, to count them."
        )
    units = check_clusters_of_lists(clusters, scores_a)
    a, b = (
        average_of(scores, average, undefined, among, units)
        for scores in (scores_a, scores_b)
    )
    names = list(dict.fromkeys((scores_a.metric, scores_b.metric)))
    name = f"{' - '.join(names)} within lists"
    bounds = a.limits[0] - b.limits[1], a.limits[1] - b.limits[0]
    found = _concluded(name, a, b, bounds, method, plan)
    warn_of_few_lists(a, b)
    params = question_of_both([scores.params for scores in (scores_a, scores_b)])
    return replace(
        found, params=params | question_of_mean(scores_a, average, undefined)
    )


def warn_of_few_lists(a: ListAverage, b: ListAverage) -> None:
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


def _concluded(
    name: str,
    a: ListAverage,
    b: ListAverage,
    bounds: tuple[float, float],
    method: Method,
    plan: Plan,
) -> Comparison:
    """Return the comparison of two averages over the same lists."""
    difference, n_units = a.value - b.value, a.n_units
    error = standard_error(a, b)
    statistic, pvalue, ends = _NAN, _NAN, ConfidenceInterval(_NAN, _NAN)
    level = plan.confidence_level
    if np.isnan(difference):
        warn_undefined(name, "no list that counts is defined")
    elif method == "permutation":
        statistic, draws = difference, _flipped(a, b, plan)
        pvalue = permutation_pvalue(difference, draws, plan.alternative)
        ends = permutation_interval(difference, draws, level, bounds)
    else:
        statistic = standardised(difference, error)
        freedom = freedom_of_sums((a.shares + b.shares) / 2)
        pvalue = t_pvalue(statistic, plan.alternative, freedom)
        ends = t_interval(difference, error, level, bounds, freedom)
        if np.isnan(statistic):
            reason = "there is one list"
            if n_units > 1:
                reason = "all lists have the same difference: method='permutation' has "
                reason += "a p-value"
            warn_undefined(f"t of the {name}", reason)
    return Comparison(
        name, float(difference), a.value, b.value, error, statistic, pvalue, ends,
        plan.alternative, method, level, of=a.units_text,
    )  # fmt: skip


def standard_error(a: ListAverage, b: ListAverage) -> float:
    """Return that of the difference of two averages; nan for one list."""
    if a.n_units < 2 or np.isnan(a.value - b.value):
        return _NAN
    return spread_of_sums(a.residuals - b.residuals, (a.shares + b.shares) / 2)


@dataclass(frozen=True)
class _Flips:
    """Draws of the lists in which both models are exchanged."""

    n_lists: int

    @property
    def width(self) -> int:
        """Entries of a row."""
        return self.n_lists

    def __call__(self, generator: np.random.Generator, size: int) -> Array:
        return generator.integers(2, size=(size, self.n_lists), dtype=np.uint8)


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
    return plan.replicates("difference", _Flips(n), statistic)


# What a metric of lists is told of the lists, and of their mean.
_OF_MEAN = ("average", "undefined")


def in_lists(
    metric: Any, params: dict[str, Any], groups: ArrayLike | None
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return the options of the lists and of their mean, None for a single ranking.

    A metric of lists or queues has them where their ``groups`` are known.
    """
    if groups is None:
        return None
    if isinstance(metric, tuple | list):
        raise ValueError(GROUPS_ARE_LISTS)
    function, own = unwrap(metric, params)
    if not is_known(function) or not takes_groups(function):
        raise ValueError(GROUPS_ARE_LISTS)
    of_mean = {name: own.pop(name) for name in _OF_MEAN if name in own}
    return {"metric": function, "groups": groups, **own}, of_mean


def takes_groups(function: Any) -> bool:
    """Return whether a score function is one of lists or queues."""
    return "groups" in inspect.signature(function).parameters


def check_group_scores(
    metric: Any, params: dict[str, Any], scores: tuple[Any, Any]
) -> tuple[GroupScores, GroupScores]:
    """Return both scores of lists; raise for others, or those of another metric."""
    for name, one in zip(("y_true", "y_score_a"), scores, strict=True):
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
    for name, one in zip(("y_true", "y_score_a"), scores, strict=True):
        # Names of others, and those with a uniform rate, stand for the AUC.
        is_auc = one.metric == "AUC" and not given and kind in (None, RateWeightedAUC)
        if not (is_auc or (kind is not None and isinstance(one._metric, kind))):
            raise ValueError(
                f"metric={metric!r} is another than that of {name}, the {one.metric}."
            )
    return scores


def compare_in_lists(
    options: dict[str, Any],
    y_true: Any,
    y_scores: tuple[Any, Any],
    sample_weight: ArrayLike | None,
    pos_label: Label,
    clusters: ArrayLike | None,
    plan: Plan,
    means: dict[str, Any],
) -> Comparison:
    """Return the comparison of two models by a metric that is a mean over lists."""
    metric: MetricLike = options.pop("metric")
    data = {"sample_weight": sample_weight, "pos_label": pos_label, **options}
    a, b = (group_scores(metric, y_true, y_score, **data) for y_score in y_scores)
    units = clusters_of_lists(options["groups"], clusters)
    found = compare_group_scores(a, b, plan, clusters=units, **means)
    level, models = plan.confidence_level, []
    for argument, scores in (("y_score_a", a), ("y_score_b", b)):
        own = scores.estimate(**means, confidence_level=level, clusters=units)
        models += model_in_lists(argument, scores, own, means.get("undefined", "skip"))
    warn_of_turned(models)
    return found
