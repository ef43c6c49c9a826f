"""Two models by their values within the same lists."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from skrate.core.results import (
    Comparison,
    ConfidenceInterval,
    question_of_both,
    t_interval,
)
from skrate.data.arrays import Array, ArrayLike, FloatArray, Label, RandomState, dot
from skrate.data.checks import check_choice, warn_undefined
from skrate.inference.counting import permutation_interval, permutation_pvalue
from skrate.inference.intervals import Alternative, standardised, t_pvalue
from skrate.inference.plan import Plan
from skrate.inference.turned import model_in_lists, warn_of_turned
from skrate.metrics.base import GROUPS_ARE_LISTS, MetricLike, unwrap
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
from skrate.metrics.monitored import is_known

Method = Literal["t", "permutation"]
METHODS: tuple[Method, ...] = get_args(Method)
_NAN = float("nan")
# All flips are tried where there are no more than 2 to this number of them.
_MOST_LISTS = 20
_FEW_LISTS = 10


def compare_groups(
    scores_a: GroupScores,
    scores_b: GroupScores,
    *,
    average: Average | Iterable[float] | None = None,
    undefined: Policy | float = "skip",
    clusters: ArrayLike | None = None,
    method: Method = "t",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Comparison:
    r"""Compare two models within the same lists: a paired test over lists.

    Does model a order the lists better than model b, or would other lists have said the
    opposite? Lists are the units: rows of one list belong together, and it does not
    matter how many there are. Any metric of :func:`group_scores` will do.

    Parameters
    ----------
    scores_a, scores_b : GroupScores
        What :func:`group_scores` returns for the labels and lists of both models.
    average : {"macro", "pooled", "pairs", "positives", "size"} or array-like
        How much a list counts, as in :meth:`GroupScores.mean`.
    undefined : {"skip", "nan"} or float, default="skip"
        As in :meth:`GroupScores.mean`; "skip" leaves out lists that are undefined for
        one of the models.
    clusters : array-like of shape (n_lists,), default=None
        The cluster of each list, as in :meth:`GroupScores.estimate`.
    method : {"t", "permutation"}, default="t"
        - "t": Student's t over the lists.
        - "permutation": exchanges both models in a random half of the lists, which
          flips the sign of their difference there; of few lists in all ways that there
          are. A cluster is exchanged as a whole.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        What a small p-value speaks for; "greater": a has the greater mean.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    n_resamples : int, default=9999
        Number of permutations.
    random_state : int, Generator or RandomState, default=None
        Source of the permutations.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    result : Comparison
        With ``value`` (a less b), ``value_a`` and ``value_b``, ``standard_error``,
        ``confidence_interval``, ``statistic`` and ``pvalue``; nan where undefined.

    Raises
    ------
    ValueError
        If the scores are of other lists or labels, or an option is none of the choices.

    Warns
    -----
    UndefinedMetricWarning
        If a mean is undefined, there is one list only, or all differences are equal and
        not 0: then there is no t, but a permutation test.
    UserWarning
        If "skip" leaves out lists that are undefined for one of the models only, as
        where a cut holds no pair: values are then over the lists that both have.

    See Also
    --------
    scipy.stats.ttest_rel : The same as "t" with ``average="macro"``.
    compare : By the cases of one ranking.
    group_scores : Makes the scores.

    Notes
    -----
    The mean of each model is the ratio of two sums over m lists, A = sum a_i / sum w_i
    and B = sum b_i / sum v_i. The squared standard error of A - B is

    .. math:: \sum_i \frac{1}{1 - h_i} \left( \frac{a_i - A w_i}{\sum_j w_j}
              - \frac{b_i - B v_i}{\sum_j v_j} \right)^2,

    where h_i is the share of list i in the weight, by the mean of both models; with
    "macro" it is the variance of the differences over m. The statistic has
    :math:`1 / \sum_i h_i^2 - 1` degrees of freedom, m - 1 for equal weights. The
    permutation test supposes that both models are exchangeable within each list, and is
    exact at any number of lists. In both tests lists are taken for independent; where
    several are of one user, name the users by ``clusters``: what is squared, or
    flipped, is then the sum over the lists of each.

    Examples
    --------
    >>> from skrate import compare_groups, group_scores, ndcg_score
    >>> y_true, query = (
    ...     [1, 0, 0, 1, 1, 0, 0, 1],
    ...     [1, 1, 2, 2, 3, 3, 4, 4],
    ... )
    >>> a, b = [2, 1, 1, 2, 2, 1, 1, 2], [1, 2, 2, 1, 2, 1, 2, 1]
    >>> scores_a, scores_b = (
    ...     group_scores(ndcg_score, y_true, model, groups=query)
    ...     for model in (a, b)
    ... )
    >>> result = compare_groups(scores_a, scores_b)
    >>> round(result.value, 4), round(result.pvalue, 4)
    (0.2768, 0.0577)

    Of the 16 ways to flip four signs, none gives more, and four as much:

    >>> compare_groups(scores_a, scores_b, method="permutation").pvalue
    0.25
    """
    check_choice("method", method, METHODS)
    as_plan = "permutation" if method == "permutation" else "delta"
    plan = Plan(
        as_plan, confidence_level, "wald", n_resamples, None, random_state, n_jobs,
        alternative,
    )  # fmt: skip
    for name, scores in (("scores_a", scores_a), ("scores_b", scores_b)):
        if not isinstance(scores, GroupScores):
            raise ValueError(
                f"{name} must be what group_scores returns, got a "
                f"{type(scores).__name__}."
            )
    _check_same_lists(scores_a, scores_b)
    both = scores_a.is_defined & scores_b.is_defined
    among = both if isinstance(undefined, str) and undefined == "skip" else None
    n_of_one = np.count_nonzero(scores_a.is_defined ^ scores_b.is_defined)
    if among is not None and n_of_one:
        warnings.warn(
            f"{n_of_one} of {len(both)} lists are undefined for one of the models and "
            "are left out of both, so that value_a and value_b are not the scores of "
            "all lists: give undefined=0.5, or another number, to count them.",
            UserWarning,
            stacklevel=3,
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
    warnings.warn(
        f"The models differ in {n_differ} of {a.n_units} lists: with fewer than "
        f"{_FEW_LISTS} the interval may be far too short. Take more lists, or a metric "
        "that sees more of them.",
        UserWarning,
        stacklevel=4,
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
        warn_undefined(name, "no list that counts is defined", stacklevel=4)
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
            warn_undefined(f"t of the {name}", reason, stacklevel=4)
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


def compare_in_lists(
    options: dict[str, Any],
    y_true: Any,
    y_scores: tuple[Any, Any],
    sample_weight: ArrayLike | None,
    pos_label: Label,
    clusters: ArrayLike | None = None,
    **how: Any,
) -> Comparison:
    """Return the comparison of two models by a metric that is a mean over lists."""
    metric: MetricLike = options.pop("metric")
    data = {"sample_weight": sample_weight, "pos_label": pos_label, **options}
    a, b = (group_scores(metric, y_true, y_score, **data) for y_score in y_scores)
    units = clusters_of_lists(options["groups"], clusters)
    found = compare_groups(a, b, clusters=units, **how)
    means = {name: how[name] for name in _OF_MEAN if name in how}
    level, models = how["confidence_level"], []
    for argument, scores in (("y_score_a", a), ("y_score_b", b)):
        own = scores.estimate(**means, confidence_level=level, clusters=units)
        models += model_in_lists(argument, scores, own, how.get("undefined", "skip"))
    warn_of_turned(models, stacklevel=4)
    return found
