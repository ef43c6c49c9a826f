"""How many cases a test set needs, and what one of a given size will show."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from scipy import special, stats

from skrate.data.arrays import Array, ArrayLike, FloatArray, IntArray, Label
from skrate.data.checks import (
    Check,
    check_arguments,
    check_count,
    check_flag,
    check_fraction,
    check_number,
    check_positive,
    or_none,
    warn,
    warn_undefined,
)
from skrate.data.folds import FoldRankings
from skrate.data.table import RankTable, check_alone, table_of_weights
from skrate.inference.group_scores import GroupScores, scores_in_lists
from skrate.inference.intervals import (
    Augmented,
    Uncertain,
    augmented,
    bounded_interval,
    range_of,
)
from skrate.inference.list_means import (
    MeanOverLists,
    check_clusters_of_lists,
    evaluate_lists,
    question_of_mean,
)
from skrate.inference.plan import Plan, check_metric, defined_value
from skrate.inference.sample import (
    OF_CASES,
    Ranked,
    check_cases,
    check_left_out,
    check_sample,
    scored,
)
from skrate.inference.variance import (
    Parts,
    influence_parts,
    influence_values,
    scaled_units,
)
from skrate.metrics.base import Metric, MetricLike, find_metric
from skrate.metrics.hypothesis_tests import (
    ALTERNATIVES,
    NEGLIGIBLE,
    Alternative,
    Null,
    check_null,
    hypothesis_text,
    nulls_of,
)
from skrate.metrics.results import (
    ConfidenceInterval,
    Question,
    Result,
    question_text,
    t_quantile,
)

_NAN = float("nan")
_UNKNOWN = ConfidenceInterval(_NAN, _NAN)
_ARGUMENTS: dict[str, Check] = {
    "half_width": or_none(check_positive),
    "n_cases": or_none(check_count),
    "difference": or_none(check_number),
    "power": or_none(check_fraction),
    "alternative": ALTERNATIVES,
    "margin": or_none(check_positive),
    "confidence_level": check_fraction,
    "planned_prevalence": or_none(check_fraction),
    "stratify": check_flag,
}
# That is planned for where none is given.
_POWER = 0.8
# Of each class as many cases are planned at least: no variance is found of fewer.
_LEAST = 2
# Samples of more cases are not planned.
_MOST = 2**53
# From here on Student's distributions are normal ones.
_NORMAL = 1e5
# Into so many parts a pilot is cut to see how sure its variance is.
_PARTS = 20
# Where so many standard errors are beyond what is needed, the power is 1.
_CERTAIN = 20.0


@dataclass(frozen=True)
class SampleSize(Result):
    """A test set of a size, and what it will show.

    Attributes
    ----------
    metric : str
        Name of the metric.
    n, n_pos, n_neg : int
        Number of cases, and how many of them are expected to be positive and negative;
        nan where it is unknown.
    half_width : float
        Half the width of the interval that is expected: of the metric, or of the
        difference of two models; of one with a single end, how far that is off.
    difference, power : float or None
        The difference to detect, of two models or of the metric and the null value, and
        the probability of detecting it; None if no test is planned.
    confidence_level : float
        Level of the interval, as :func:`skrate.compare` has it.
    n_interval, power_interval : ConfidenceInterval or None
        What ``n``, or the power where n was given, may be as far as the pilot tells.
    n_clusters : int or None
        Number of clusters, where the pilot has some.
    alternative : str or None
        The side of the test or of the interval; None for an interval of both sides.
    margin, null_value : float or None
        What is tested, as :func:`skrate.compare` and :func:`skrate.estimate` have it.
    params : dict
        Parameters of the metric, such as "rate", as numbers and text.
    n_lists : int or None
        Number of lists, where they are the units.

    Examples
    --------
    >>> from skrate import RankTable, sample_size
    >>> pilot = RankTable([30, 20, 10], [5, 25, 50])
    >>> sample_size("roc_auc", pilot, half_width=0.05)
    SampleSize(AUC, n=288 (123 positive, 165 negative), half width 0.04996 at 95
    %; by
    this pilot 212 to 391)
    """

    metric: str
    n: float
    n_pos: float
    n_neg: float
    half_width: float
    difference: float | None
    power: float | None
    confidence_level: float
    n_interval: ConfidenceInterval | None = None
    power_interval: ConfidenceInterval | None = None
    n_clusters: float | None = None
    params: Question = field(default_factory=dict, hash=False)
    n_lists: float | None = None
    alternative: str | None = None
    margin: float | None = None
    null_value: float | None = None

    def __repr__(self) -> str:
        clusters = "" if self.n_lists is None else f" in {self.n_lists} lists"
        if self.n_clusters is not None:
            clusters += f" in {self.n_clusters} clusters"
        parts = [
            f"{self.metric}{question_text(self.params)}, n={self.n}{clusters} "
            f"({self.n_pos} positive, {self.n_neg} negative)",
            f"half width {self.half_width:.4g} at {100 * self.confidence_level:g} %",
        ]
        if self.power is not None:
            parts.append(f"power {self.power:.3f} {self._test_text()}")
        found = self.n_interval or self.power_interval
        text = ", ".join(parts)
        if found is None:
            return f"SampleSize({text})"
        digits = ".0f" if self.n_interval else ".3f"
        return (
            f"SampleSize({text}; by this pilot {found.low:{digits}} to "
            f"{found.high:{digits}})"
        )

    def _test_text(self) -> str:
        """Return what the test is to find."""
        if self.margin is None and self.null_value is None:
            return f"for {self.difference:.4g}"
        assert self.difference is not None
        side = cast(Alternative, self.alternative)
        if self.null_value is None:
            shown = hypothesis_text("a - b", nulls_of(side, self.margin))
            return f"for {shown} if it is {self.difference:.4g}"
        shown = hypothesis_text(self.metric, [Null(self.null_value, side)])
        return f"for {shown} if it is {self.null_value + self.difference:.4g}"


def sample_size(
    metric: MetricLike,
    y_true: ArrayLike | RankTable | GroupScores,
    y_score_a: ArrayLike | GroupScores | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    half_width: float | None = None,
    n_cases: int | None = None,
    difference: float | None = None,
    power: float | None = None,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    null_value: float | None = None,
    confidence_level: float = 0.95,
    planned_prevalence: float | None = None,
    stratify: bool = False,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    **metric_kwargs: Any,
) -> SampleSize:
    """Compute how many cases a test set needs, or what so many show, from a pilot.

    For an interval, of a metric or of the difference of two models; or for the power of
    :func:`compare` on the same cases, or of :func:`estimate` with a ``null_value``.

    Parameters
    ----------
    metric : callable or str
        As in :func:`estimate`. A rate is a share, not a number of cases of the pilot.
    y_true : array-like of shape (n_samples,), RankTable or GroupScores
        True labels of the pilot; or its table of counts, without scores, for one model;
        or its values within lists.
    y_score_a, y_score_b : array-like of shape (n_samples,), default=None
        Scores of the model, or of both on the same cases. With GroupScores,
        ``y_score_a`` are the GroupScores of the second model, if any.
    half_width : float, default=None
        Half the width that the interval shall have, or how far its end shall be off if
        ``alternative`` leaves it one. None with two models or a ``null_value``: the
        size is that of a test.
    n_cases : int, default=None
        Size of the test set, in place of ``half_width`` or ``power``.
    difference : float, default=None
        The difference to detect, a - b or metric - ``null_value``; None takes the
        pilot's. With a ``margin`` it is how much the models really
        differ: 0 where they are alike.
    power : float, default=None
        The probability that it shall be found, in (1 - ``confidence_level``, 1); None
        is 0.8.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        As in :func:`compare`.
    margin : float, default=None
        That of non-inferiority or equivalence, as in :func:`compare`.
    null_value : float, default=None
        The value of the metric that is tested, between its least and its greatest, such
        as the AUC that a protocol asks for; None tests nothing.
    confidence_level : float, default=0.95
        Level of the interval; the test has 1 minus it.
    planned_prevalence : float, default=None
        Share of positives in future cases, if not the pilot's.
    stratify : bool, default=False
        Whether the numbers of positives and negatives will be fixed by design.
    groups : array-like of shape (n_samples,), default=None
        The list or queue of each row of the pilot, as in :func:`compare`: lists are
        then the units, and others to come are as long and alike.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case of the pilot; others to come are as large and alike.
        For GroupScores the cluster of each list.
    sample_weight : array-like of shape (n_samples,), default=None
        How often each case of the pilot is repeated: whole numbers.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    result : SampleSize
        With ``n``, the fewest cases that are enough (of ``n_lists`` lists, where these
        are the units), what they will show, and ``n_interval``, what n may be as far as
        this pilot tells; or, where n is given, ``power_interval``. nan where the pilot
        says nothing.

    Raises
    ------
    ValueError
        As :func:`compare`; for goals that are missing, exclude each other or are out of
        reach, a difference to the other side of ``alternative`` or beyond the
        ``margin``, or a metric with ``k``.

    Warns
    -----
    UndefinedMetricWarning
        If the metric is undefined on the pilot, or does not vary or differ there.
    UserWarning
        For what is taken at a recall or at a precision: its ``n`` is rough.

    See Also
    --------
    compare : The test itself.

    Notes
    -----
    A sample of n cases has the variance U / n, where U is the variance of the influence
    values of the pilot's cases (for a difference, a's minus b's). Another prevalence
    weighs the
    cases for their influence as well; clusters are drawn whole. ``n_interval`` goes by
    the jackknife and, where no ``difference`` is given, by the interval of the pilot's:
    it has no end if this one contains 0. :ref:`planning` has the formulas. Cost: some
    twenty sorts a model.

    Examples
    --------
    A pilot of 100 cases; how many for an AUC within 0.05, and to find that the first is
    better by 0.05? How often will 500 find it?

    >>> import numpy as np
    >>> from skrate import sample_size
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(100) < 0.3
    >>> first = rng.normal(size=100) + 1.5 * y_true
    >>> second = 0.8 * first + 0.6 * rng.normal(size=100)
    >>> result = sample_size("roc_auc", y_true, first, half_width=0.05)
    >>> result.n, result.n_pos
    (421, 105)
    >>> models = y_true, first, second
    >>> sample_size("roc_auc", *models, difference=0.05).n
    470
    >>> found = sample_size(
    ...     "roc_auc", *models, difference=0.05, n_cases=500
    ... )
    >>> round(found.power, 2)
    0.82
    """
    arguments = check_arguments(_ARGUMENTS, locals())
    plan = Plan.of(arguments, interval="wilson")
    if clusters is not None and (stratify or planned_prevalence is not None):
        name = "stratify=True" if planned_prevalence is None else "planned_prevalence"
        raise ValueError(
            f"{name} excludes clusters: a cluster may hold cases of both classes."
        )
    cases = {name: arguments[name] for name in OF_CASES}
    scores = y_score_a, y_score_b
    if groups is not None or isinstance(y_true, GroupScores):
        check_left_out(
            "a mean over lists, whose units are the lists", stratify=(stratify, False),
            planned_prevalence=(planned_prevalence, None),
        )  # fmt: skip
        given = _given_lists(metric, metric_kwargs, y_true, scores, groups, cases)
    else:
        ranked = _rankings(y_true, *scores, **cases)
        found = _planned_metric(metric, metric_kwargs, ranked[0])
        learn = partial(_pilot_of_cases, found, ranked, planned_prevalence)
        given = _Given(found, len(ranked), found.name, found.question, learn)
    goals = _Goals(**{name: arguments[name] for name in _Goals._fields})
    goals.check(plan, given.metric, given.n_models)
    if given.metric.has_test:
        warn(
            f"The {given.metric.name} depends on the ranking near one point, of which "
            "a pilot says little: with 20 to 200 positives, sizes for a power of 0.8 "
            "had 0.58 to 0.77 on average, and half widths were up to 2.7 times as "
            "planned. Take the upper end of n_interval for n."
        )
    return _planned(given, goals, plan, has_clusters=clusters is not None)


class _Goals(NamedTuple):
    """What a test set is for."""

    half_width: float | None
    n_cases: int | None
    power: float | None
    difference: float | None
    margin: float | None
    null_value: float | None

    def is_test(self, n_models: int) -> bool:
        """Return whether a test is planned, not an interval."""
        is_of_test = n_models > 1 or self.null_value is not None
        return self.half_width is None and (self.n_cases is None or is_of_test)

    def check(self, plan: Plan, metric: Metric, n_models: int) -> None:
        """Check that one thing is asked for, and that it can be had."""
        names = ("n_cases", "power") if self.half_width is None else self._fields
        given = self._given(names)
        if len(given) > 1:
            raise ValueError(
                f"{' and '.join(given[:2])} ask for different results: give one of "
                "them."
            )
        self._check_models(are_two=n_models == 2)
        least = 1 - plan.confidence_level
        if self.power is not None and self.power <= least:
            raise ValueError(
                f"power must be above 1 - confidence_level = {least:g}, which is that "
                f"of a test without any difference, got {self.power:g}."
            )
        low, high = metric.bounds()
        self._check_reach(metric.name, low, high, n_models)
        plan.check_margin((low - high, high - low))

    def _given(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if getattr(self, name) is not None]

    def _check_models(self, *, are_two: bool) -> None:
        """Raise for goals that are not of so many models."""
        of_two = "y_score_b is missing"
        needs = {
            "margin": (are_two, f"two models: {of_two}"),
            "null_value": (
                not are_two,
                "one model: leave out y_score_b, or give the margin of both",
            ),
            "difference": (
                are_two or self.null_value is not None,
                f"two models, or from a null_value: {of_two}",
            ),
        }
        for name in self._given(list(needs)):
            is_meant, models = needs[name]
            if not is_meant:
                raise ValueError(f"{name} is for {models}.")
        if not are_two and not self._given(("half_width", "n_cases", "null_value")):
            raise ValueError(
                "half_width is missing: with one model it says how wide the interval "
                "shall be; for the power of a test give null_value, or y_score_b."
            )

    def _check_reach(self, name: str, low: float, high: float, n_models: int) -> None:
        """Raise for goals beyond the values of a metric."""
        reaches = ("half_width", n_models / 2), ("difference", 1.0)
        for goal, share in reaches:
            value = getattr(self, goal)
            if value is not None and abs(value) > share * (high - low):
                raise ValueError(
                    f"{goal}={value:g} is beyond all values of the {name}, which lie "
                    f"between {low:g} and {high:g}: five points are 0.05."
                )
        if self.null_value is None:
            return
        null_value = check_null(self.null_value, name, (low, high))
        difference = self.difference or 0.0
        if self.difference is not None and not low < null_value + difference < high:
            raise ValueError(
                f"difference={difference:g} from null_value={null_value:g} is beyond "
                f"all values of the {name}, or at their end: they lie between "
                f"{low:g} and {high:g}."
            )


def _planned(
    given: _Given, goals: _Goals, plan: Plan, *, has_clusters: bool
) -> SampleSize:
    """Return the result, nan where the pilot says nothing."""
    n_cases, is_test = goals.n_cases, goals.is_test(given.n_models)
    known = SampleSize(
        metric=given.name,
        n=_NAN if n_cases is None else n_cases,
        n_pos=_NAN,
        n_neg=_NAN,
        half_width=_NAN,
        difference=_NAN if is_test else None,
        power=_NAN if is_test else None,
        confidence_level=plan.told_level,
        n_interval=_UNKNOWN if n_cases is None else None,
        power_interval=_UNKNOWN if is_test and n_cases is not None else None,
        n_clusters=_NAN if has_clusters else None,
        params=given.params,
        n_lists=given.n_lists,
        alternative=plan.alternative if is_test or not plan.is_two_sided else None,
        margin=plan.margin,
        null_value=None if goals.null_value is None else float(goals.null_value),
    )
    if is_test and goals.difference is not None:
        known = replace(known, difference=goals.difference)
    undefined = f"The sample size for the {given.name}"
    pilot = given.learn(plan, known.null_value)
    if pilot is None:
        return known
    if pilot.standard_error(pilot.n_pilot) <= NEGLIGIBLE:
        what = "the difference" if given.n_models > 1 else "it"
        warn_undefined(undefined, f"the pilot shows no variation of {what}")
        return known
    if n_cases is not None:
        if n_cases < pilot.least:
            raise ValueError(
                f"n_cases={n_cases} is too few: of fewer than {pilot.least} less than "
                "two are expected to be of one class."
            )
        known = pilot.seen(known, n_cases)
    chosen = pilot.value - (goals.null_value or 0.0)
    if goals.difference is not None:
        chosen = float(goals.difference)
    if is_test:
        if abs(chosen) <= NEGLIGIBLE and plan.margin is None:
            warn_undefined(undefined, "there is no difference to find: give another")
            return known
        known = replace(known, difference=_check_found(chosen, plan))
    return _with_size(known, pilot, goals, chosen, is_test=is_test)


def _check_found(difference: float, plan: Plan) -> float:
    """Return a difference that a test may find."""
    if min(_distances(difference, difference, plan)) <= 0:
        with_margin = "" if plan.margin is None else f" with margin={plan.margin:g}"
        raise ValueError(
            f"difference={difference:g} is not what alternative={plan.alternative!r}"
            f"{with_margin} looks for: no number of cases would show it."
        )
    return difference


def _with_size(
    known: SampleSize, pilot: _Pilot, goals: _Goals, chosen: float, *, is_test: bool
) -> SampleSize:
    """Return the result with the size that is enough, or the power of a given one."""
    low, high = pilot.factors(chosen, is_own=is_test and goals.difference is None)
    if goals.n_cases is not None:
        if not is_test:
            return known
        power, *between = (
            pilot.power(goals.n_cases, chosen, factor) for factor in (1.0, low, high)
        )
        return replace(known, power=power, power_interval=ConfidenceInterval(*between))

    def is_enough(n: float) -> bool:
        if goals.half_width is not None:
            return pilot.half_width(n) <= goals.half_width
        enough = _POWER if goals.power is None else goals.power
        return pilot.power(n, chosen, 1.0) >= enough

    n = pilot.least_cases(is_enough)
    if n is None:
        if is_test:
            return known
        raise ValueError(
            f"half_width={goals.half_width:g} takes more cases than can be counted."
        )
    # Unknown ends stay unknown.
    most = np.inf if low == 0 else n / low / low
    between_sizes = ConfidenceInterval(
        float(np.maximum(n / high / high, pilot.least)),
        np.inf if most > _MOST else most,
    )
    known = replace(pilot.seen(known, n), n_interval=between_sizes)
    return replace(known, power=pilot.power(n, chosen, 1.0)) if is_test else known


def _given_lists(
    metric: Any,
    params: dict[str, Any],
    y_true: Any,
    scores: tuple[Any, Any],
    groups: ArrayLike | None,
    cases: dict[str, Any],
) -> _Given:
    """Return what is planned of means over lists, from rows or from their scores."""
    named: dict[str, Any] = dict(zip(("y_score_a", "y_score_b"), scores, strict=True))
    if groups is None:
        check_alone(GroupScores, y_score_b=scores[1])
        named = {"y_true": y_true, "y_score_a": scores[0]}
    if list(named.values())[1] is None:
        named.popitem()
    return _in_lists(*scores_in_lists(metric, params, y_true, named, groups, cases))


def _rankings(
    y_true: Any, y_score_a: Any, y_score_b: Any, **case_arguments: Any
) -> list[Ranked]:
    """Return the pilot as ranked by one model or by two."""
    for name, given in (("y_true", y_true), ("y_score_a", y_score_a)):
        if isinstance(given, FoldRankings):
            raise ValueError(
                f"{name} is a FoldRankings, of which a sample is not planned, as it "
                "will be ranked by one model: give labels and scores of one, such as "
                "those of a fold, y_true, y_score, weights = next(iter(rankings))."
            )
    if isinstance(y_true, RankTable):
        check_alone(y_true, y_score_a=y_score_a, y_score_b=y_score_b)
        return [check_sample(y_true, None, **case_arguments)]
    if y_score_a is None:
        raise ValueError("y_score_a is missing: give the scores of model a.")
    cases = check_cases(y_true, **case_arguments)
    named = {"y_score_a": y_score_a, "y_score_b": y_score_b}
    are_two = y_score_b is not None
    return [
        scored(cases, name, scores, by_case=are_two)
        for name, scores in named.items()
        if scores is not None
    ]


def _planned_metric(metric: Any, params: dict[str, Any], cases: Ranked) -> Metric:
    """Return the metric that is planned with."""
    found = find_metric(metric, params)
    k = getattr(found, "k", None)
    if k is not None:
        raise ValueError(
            f"k={k} counts cases of the pilot, and would be another share of more of "
            "them: give the rate."
        )
    if found.is_sum:
        raise ValueError(
            f"metric: {found.name} is a sum over the cases of the pilot, and would be "
            "another of more of them: use normalize=True."
        )
    return check_metric(found, cases)


def _distances(difference: float, planned: float, plan: Plan) -> list[float]:
    """Return how far a difference is beyond what the test rejects, at each end.

    A test of both sides looks to that of the planned difference.
    """
    found = []
    for x, side in plan.nulls:
        is_down = side == "less" or (side == "two-sided" and planned < 0)
        found.append(x - difference if is_down else difference - x)
    return found


class _Given(NamedTuple):
    """What is planned, and the function that learns of it from the pilot."""

    metric: Metric
    n_models: int
    name: str
    params: Question
    learn: Callable[[Plan, float | None], _Pilot | None]
    n_lists: float | None = None


@dataclass(frozen=True)
class _Pilot:
    """Variances of a metric, or of a difference: ``unit.total / n`` of n cases.

    ``sizes`` are the independent positives and negatives per case, ``least`` the fewest
    cases that can be planned. The logarithm of a standard error may be off by
    ``reach``. A difference has no ``bounds``.
    """

    plan: Plan
    null_value: float | None
    value: float
    n_pilot: float
    prevalence: float
    cases_per_unit: float
    least: int
    sizes: tuple[float, float]
    unit: Parts
    reach: float
    bounds: tuple[float, float] | None = None
    cases_per_list: float | None = None

    def seen(self, result: SampleSize, n: int) -> SampleSize:
        """Return a result with what n cases show."""
        n_pos, n_lists, n_clusters = round(n * self.prevalence), None, None
        if self.cases_per_list is not None:
            n_lists = math.ceil(n / self.cases_per_list)
        if result.n_clusters is not None:
            n_clusters = math.ceil(n / self.cases_per_unit)
        return replace(
            result, n=n, n_pos=n_pos, n_neg=n - n_pos, half_width=self.half_width(n),
            n_clusters=n_clusters, n_lists=n_lists,
        )  # fmt: skip

    def freedom_of(self, n: float) -> float:
        """Return the degrees of freedom of the variance of n cases, about."""
        # As those of `variance.degrees_of_freedom`, for parts in these proportions.
        shares = (*self.sizes, sum(self.sizes))
        squares = sum(
            part**2 / max(n * share - 1, 1)
            for part, share in zip(self.unit, shares, strict=True)
        )
        most = np.inf if self.cases_per_unit == 1 else n / self.cases_per_unit - 1
        return float(min(max(self.unit.total**2 / squares, 1.0), most))

    def standard_error(self, n: float) -> float:
        """Return the standard error in a sample of n cases."""
        return float(np.sqrt(self.unit.total / n))

    def half_width(self, n: float) -> float:
        """Return half the width of the interval, as `estimate` or `compare` has it.

        With a single end it is the distance of this end from the value.
        """
        parts, freedom = Parts(*(part / n for part in self.unit)), self.freedom_of(n)
        level, side = self.plan.level, self.plan.alternative
        if self.bounds is None:
            return t_quantile(level, freedom) * parts.standard_error
        found = Augmented(self.value, parts, self.bounds, freedom=freedom)
        planned = Uncertain(self.value, parts.standard_error, self.bounds, freedom)
        low, high = bounded_interval("wilson", level, planned, lambda: found)
        whole = {"greater": 2 * (self.value - low), "less": 2 * (high - self.value)}
        return whole.get(side, high - low) / 2

    def power(self, n: float, difference: float, factor: float) -> float:
        """Return the probability that a test of n cases finds a difference.

        Its distance from what is rejected counts ``factor`` times.
        """
        away = _distances(difference, difference, self.plan)
        at_null, at_planned = self.spread_at(0.0), self.spread_at(difference)
        error, freedom = self.standard_error(n) * at_planned, self.freedom_of(n)
        needed = -float(special.stdtrit(freedom, (1 - self.plan.level) / 2))
        needed *= at_null / at_planned
        found = [_beyond(needed, freedom, factor * one / error) for one in away]
        if len(away) == 2:
            return max(sum(found) - 1, 0.0)
        if self.plan.is_two_sided:
            found.append(_beyond(needed, freedom, -factor * away[0] / error))
        return sum(found)

    def spread_at(self, difference: float) -> float:
        """Return how many times the pilot's the standard error is at some distance.

        From a null value, by Wilson's variance; that of two models stays.
        """
        if self.null_value is None or self.bounds is None:
            return 1.0
        (low, high), x = self.bounds, self.null_value + difference
        if np.isinf(high):
            return 1.0
        of_pilot = (self.value - low) * (high - self.value)
        return float(np.sqrt((x - low) * (high - x) / of_pilot))

    def factors(self, difference: float, *, is_own: bool) -> tuple[float, float]:
        """Return how much less and more standard errors the difference may be.

        The ends of one that is the pilot's own, and of the standard error, are combined
        as legs of a right angle.
        """
        # Of few cases at a high level some are no numbers.
        with np.errstate(over="ignore"):
            if not is_own:
                return float(np.exp(-self.reach)), float(np.exp(self.reach))
            freedom = self.freedom_of(self.n_pilot)
            half = t_quantile(self.plan.confidence_level, freedom)
            half *= self.standard_error(self.n_pilot)
            at = [difference, difference - half, difference + half]
            if len(self.plan.nulls) == 2 and abs(difference) < half:
                at.append(0.0)
            of, *away = (min(_distances(x, difference, self.plan)) for x in at)
            least, most = min(away), max(away)
            sizes, below = [abs(end / of) for end in (least, most)], 0.0
            if least * most > 0:
                below = float(np.exp(-np.hypot(self.reach, np.log(min(sizes)))))
            return below, float(np.exp(np.hypot(self.reach, np.log(max(sizes)))))

    def least_cases(self, is_enough: Callable[[float], bool]) -> int | None:
        """Return the fewest cases that are enough, as are more; None if none are."""
        low, high = self.least, self.least
        while not is_enough(high):
            low, high = high + 1, 2 * high
            if high > _MOST:
                return None
        return bisect_left(range(high), True, low, key=is_enough)


def _pilot_of_cases(
    metric: Metric,
    ranked: list[Ranked],
    planned: float | None,
    plan: Plan,
    null_value: float | None,
) -> _Pilot | None:
    """Return what one ranking or two say; None, with a warning, where it is nothing."""
    # With the values that they have at the prevalence to come.
    to_come = [_at_prevalence(one, planned) for one in ranked]
    values = [defined_value(metric, one) for one in to_come]
    if np.isnan(values).any():
        return None
    if ranked[0].counts is not None:
        # As cases that can be left out.
        ranked = [replace(ranked[0], scores=-ranked[0].group, counts=None)]
        to_come = [_at_prevalence(ranked[0], planned)]
    cases, stratify = ranked[0], bool(plan.stratify)
    n_units = cases.total if cases.clusters is None else float(cases.n_units)
    prevalence = _share(cases, planned)
    sizes = prevalence, 1 - prevalence
    if cases.clusters is not None:
        n_pos, n_neg = cases.effective_sizes
        sizes = n_pos / cases.total, n_neg / cases.total
    unit_of = partial(_unit, metric, planned=planned, stratify=stratify)
    value, unit, bounds = values[0] - sum(values[1:]), unit_of(ranked), None
    spread = _spread(unit_of, metric, ranked, planned, stratify=stratify)
    if len(ranked) == 1:
        bounds = range_of(metric, to_come[0].table, stratify=stratify)
        bounds = metric.attainable(bounds, value)
        if np.sqrt(unit.total / cases.total) <= NEGLIGIBLE:
            # What was never seen varies by nobody knows how much.
            rare = augmented(metric, to_come[0], stratify=stratify)
            unit = Parts(*(part * cases.total for part in rare.parts))
            value, bounds, spread = rare.value, rare.bounds, _NAN
    per_unit = cases.total / n_units
    least = max(_LEAST / min(prevalence, 1 - prevalence), _LEAST * per_unit)
    freedom = min(*cases.effective_sizes, n_units, _PARTS) - 1
    return _Pilot(
        plan, null_value, value, cases.total, prevalence, per_unit, math.ceil(least),
        sizes, unit, t_quantile(plan.confidence_level, freedom) * spread / 2, bounds,
    )  # fmt: skip


def _share(cases: Ranked, planned: float | None) -> float:
    """Return the share of positives that is planned with."""
    return cases.sizes[0] / cases.total if planned is None else planned


def _unit(
    metric: Metric, ranked: list[Ranked], *, planned: float | None, stratify: bool
) -> Parts:
    """Return the variance per case by its sources, U of the guide."""
    values = [influence_values(metric, _at_prevalence(one, planned)) for one in ranked]
    per_case, cases = values[0] - sum(values[1:]), ranked[0]
    if cases.clusters is not None:
        parts = influence_parts(per_case, cases)
        return Parts(*(part * cases.total for part in parts))
    share, found, between = _share(cases, planned), [], 0.0
    for chosen, of_class in ((cases.is_pos, share), (~cases.is_pos, 1 - share)):
        weights = None if cases.weights is None else cases.weights[chosen]
        mean = float(np.average(per_case[chosen], weights=weights))
        squares = (per_case[chosen] - mean) ** 2
        found.append(of_class * float(np.average(squares, weights=weights)))
        between += of_class * mean**2
    return Parts(found[0], found[1], 0.0 if stratify else between)


def _spread(
    unit_of: Callable[[list[Ranked]], Parts],
    metric: Metric,
    ranked: list[Ranked],
    planned: float | None,
    *,
    stratify: bool,
) -> float:
    """Return the standard error of the logarithm of the variance per case.

    By the jackknife over some twenty parts of the pilot; nan where one of them is all
    that makes the metric defined.
    """
    logarithms = []
    for rest in _without_parts(ranked, by_class=stratify or planned is not None):
        left = [_taken(one, rest) for one in ranked]
        # Two clusters, too, without one of them.
        if min(*left[0].sizes, left[0].n_units) < _LEAST:
            return _NAN
        tables = [_at_prevalence(one, planned).table for one in left]
        if np.isnan([metric.value(table) for table in tables]).any():
            return _NAN
        total = unit_of(left).total
        logarithms.append(np.log(total) if total > 0 else np.nan)
    n = len(logarithms)
    return float(np.sqrt((n - 1) * np.var(logarithms)))


def _in_lists(by_model: dict[Any, GroupScores], of_mean: dict[str, Any]) -> _Given:
    """Return what is planned of means over lists, of one model or two."""
    lists = list(by_model.values())
    metric, name = lists[0]._metric, f"{lists[0].metric} within lists"
    params = lists[0].params | question_of_mean(
        lists[0], of_mean.get("average"), of_mean.get("undefined", "skip")
    )

    def learn(plan: Plan, null_value: float | None) -> _Pilot | None:
        means = evaluate_lists(lists, plan, **of_mean)
        if not all(one.is_known and one.parts.total >= 0 for one in means):
            reason = "fewer than two lists of the pilot are defined"
            warn_undefined(f"The sample size for the {name}", reason)
            return None
        units = check_clusters_of_lists(of_mean["clusters"], lists[0])
        return _pilot_of_lists(lists[0], means, units, plan, null_value)

    return _Given(metric, len(lists), name, params, learn, _NAN)


def _pilot_of_lists(
    of_all: GroupScores,
    means: Sequence[MeanOverLists],
    units: IntArray | None,
    plan: Plan,
    null_value: float | None,
) -> _Pilot:
    """Return what means over lists say; undefined ones are among those to come."""
    n_pilot, counted = float(of_all.n_items.sum()), np.flatnonzero(of_all.n_items)
    n_units = len(counted if units is None else np.unique(units[counted]))
    per_unit = n_pilot / n_units
    away, cases = (
        means[0].influence - sum(m.influence for m in means[1:]),
        means[0].cases,
    )
    squares = (scaled_units(away, cases) / cases.total) ** 2
    # The standard error of the logarithm of a mean of squares.
    mean = squares.mean()
    spread = np.std(squares, ddof=1) / mean / np.sqrt(len(squares)) if mean else 0.0
    reach = t_quantile(plan.confidence_level, len(squares) - 1) * float(spread) / 2
    return _Pilot(
        plan, null_value, means[0].value - sum(one.value for one in means[1:]), n_pilot,
        float(of_all.n_pos.sum()) / n_pilot, per_unit, math.ceil(_LEAST * per_unit),
        (max(cases.effective_sizes[0], 2.0) / n_pilot, 0.0),
        Parts(0.0, 0.0, n_pilot * float(np.add.reduce(squares))), reach,
        cases_per_list=n_pilot / len(counted),
    )  # fmt: skip


def _beyond(needed: float, freedom: float, excess: float) -> float:
    """Return P(T > needed) of Student's T that is off by ``excess``."""
    if abs(excess - needed) > _CERTAIN and abs(excess) > _CERTAIN:
        return float(excess > needed)
    if freedom > _NORMAL:
        return float(special.ndtr(excess - needed))
    # Older versions of scipy divide by zero on the way, and yet find it.
    with np.errstate(divide="ignore"):
        return float(stats.nct.sf(needed, freedom, excess))


def _at_prevalence(ranked: Ranked, prevalence: float | None) -> Ranked:
    """Return the ranking as it would be, were there more positives or fewer."""
    if prevalence is None:
        return ranked
    table = ranked.table
    by_pos = prevalence / table.prevalence
    by_neg = (1 - prevalence) / table.negative_share
    return replace(
        ranked, counts=table_of_weights(table.pos * by_pos, table.neg * by_neg)
    )


def _without_parts(ranked: list[Ranked], *, by_class: bool) -> Iterator[FloatArray]:
    """Yield the weights of the cases without each part, parts at random.

    With ``by_class`` each holds as many of both classes, about. Their seed is fixed, so
    that a pilot always has the same, in any order of its rows.
    """
    generator, cases, units = np.random.default_rng(0), ranked[0], _in_order(ranked)
    weights = cases.row_weights
    if cases.clusters is None and cases.weights is not None:
        # Repetitions are cases, each of them in a part.
        counts = np.rint(weights).astype(np.int64)
        shares = np.full(_PARTS, 1 / _PARTS)
        taken = np.empty((len(counts), _PARTS))
        taken[units] = generator.multinomial(counts[units], shares)
        yield from weights - taken.T
        return
    n_units = cases.n_units
    part = np.empty(n_units, dtype=np.intp)
    order = units[generator.permutation(n_units)]
    part[order] = np.arange(n_units) % _PARTS
    if cases.clusters is not None:
        part = part[cases.clusters]
    elif by_class or any(
        # Too few of a class are left without one of the parts.
        (held := np.bincount(part[of])).sum() - held.max() < _LEAST
        for of in (cases.is_pos, ~cases.is_pos)
    ):
        order = order[np.argsort(cases.is_pos[order], kind="stable")]
        part[order] = np.arange(n_units) % _PARTS
    for left_out in range(min(_PARTS, n_units)):
        yield np.where(part == left_out, 0.0, weights)


def _in_order(ranked: list[Ranked]) -> IntArray:
    """Return the cases, or the clusters, in an order that does not depend on rows."""
    cases = ranked[0]
    # Whichever model is the first.
    models = sorted(ranked, key=lambda one: [*one.table.pos, *one.table.neg])
    columns: list[Array] = [*(one.group for one in models), ~cases.is_pos]
    if cases.weights is not None:
        columns = [cases.weights, *columns]
    order = np.lexsort(columns)
    if cases.clusters is None:
        return order
    is_new = [np.diff(column[order]) != 0 for column in columns]
    kind = np.append(0, np.cumsum(np.any(is_new, axis=0)))
    held: list[list[int]] = [[] for _ in range(cases.n_units)]
    for unit, code in zip(cases.clusters[order].tolist(), kind.tolist(), strict=True):
        held[unit].append(code)
    return np.array(sorted(range(len(held)), key=held.__getitem__), dtype=np.intp)


def _taken(ranked: Ranked, weights: FloatArray) -> Ranked:
    """Return the ranking of the cases that have weight left."""
    left = replace(ranked, weights=weights).with_weight()
    if ranked.weights is None:
        left = replace(left, weights=None)
    if left.clusters is None:
        return left
    return replace(left, clusters=np.unique(left.clusters, return_inverse=True)[1])
