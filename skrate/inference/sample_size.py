"""How many cases a test set needs, and what one of a given size will show."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from skrate.data.arrays import ROUNDING, Array, ArrayLike, FloatArray, IntArray, Label
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
from skrate.data.table import RankTable, build_weight_table, check_alone
from skrate.inference.evaluation import Evaluation
from skrate.inference.group_scores import GroupScores, compute_list_scores
from skrate.inference.intervals import (
    Augmented,
    UncertainValue,
    augmented,
    bounded_interval,
    metric_range,
)
from skrate.inference.list_means import check_list_clusters, evaluate_lists
from skrate.inference.models import evaluate
from skrate.inference.options import Plan
from skrate.inference.rankings import (
    MEAN_OVER_LISTS,
    OF_CASES,
    Ranked,
    Rankings,
    check_cases,
    check_left_out,
    check_sample,
    scored,
)
from skrate.inference.variance import (
    Parts,
    influence_kurtosis_dof,
    influence_parts,
    scaled_units,
)
from skrate.metrics.hypothesis_tests import (
    ALTERNATIVES,
    NEGLIGIBLE,
    Alternative,
    Null,
    check_null,
    hypothesis_text,
    null_hypotheses,
)
from skrate.metrics.metric import Metric, MetricLike, find_metric
from skrate.metrics.result_types import (
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
    "n_samples": or_none(check_count),
    "difference": or_none(check_number),
    "power": or_none(check_fraction),
    "alternative": ALTERNATIVES,
    "margin": or_none(check_positive),
    "confidence_level": check_fraction,
    "planned_prevalence": or_none(check_fraction),
    "stratify": check_flag,
}
# A variance needs at least 2 samples of each class, or 2 clusters.
_LEAST = 2
# The jackknife leaves out parts of the pilot.
_PARTS = 20
# Numbers of cases beyond this are not exact.
_MOST = 2**53


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
    alternative: Alternative | None = None
    margin: float | None = None
    null_value: float | None = None

    def __repr__(self) -> str:
        units = {"lists": self.n_lists, "clusters": self.n_clusters}
        counted = [f" in {n} {name}" for name, n in units.items() if n is not None]
        text = (
            f"{self.metric}{question_text(self.params)}, n={self.n}{''.join(counted)} "
            f"({self.n_pos} positive, {self.n_neg} negative), half width "
            f"{self.half_width:.4g} at {100 * self.confidence_level:g} %"
        )
        if self.power is not None:
            text += f", power {self.power:.3f} for {self._hypothesis()}"
        if self.n_interval is not None:
            text += "; by this pilot {:.0f} to {:.0f}".format(*self.n_interval)
        elif self.power_interval is not None:
            text += "; by this pilot {:.3f} to {:.3f}".format(*self.power_interval)
        return f"SampleSize({text})"

    def _hypothesis(self) -> str:
        """Return what the test is to find."""
        assert self.difference is not None
        assert self.alternative is not None
        what, value = "a - b", self.difference
        nulls = null_hypotheses(self.alternative, self.margin)
        if self.null_value is not None:
            what, value = self.metric, self.null_value + self.difference
            nulls = (Null(self.null_value, self.alternative),)
        elif self.margin is None:
            return f"{value:.4g}"
        return f"{hypothesis_text(what, nulls)} if it is {value:.4g}"


def sample_size(
    metric: MetricLike,
    y_true: ArrayLike | RankTable | GroupScores,
    y_score_a: ArrayLike | GroupScores | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    half_width: float | None = None,
    n_samples: int | None = None,
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
    n_samples : int, default=None
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
    ...     "roc_auc", *models, difference=0.05, n_samples=500
    ... )
    >>> round(found.power, 2)
    0.82
    """
    arguments = check_arguments(_ARGUMENTS, locals())
    plan = Plan.of(arguments)
    if clusters is not None and (stratify or planned_prevalence is not None):
        name = "stratify=True" if planned_prevalence is None else "planned_prevalence"
        raise ValueError(
            f"{name} excludes clusters: a cluster may hold cases of both classes."
        )
    goal = _Goal(plan, **{name: arguments[name] for name in _Goal._fields[1:]})
    meant, scores = (metric, metric_kwargs), (y_true, y_score_a, y_score_b)
    cases = {name: arguments[name] for name in OF_CASES}
    if groups is None and not isinstance(y_true, GroupScores):
        ranked = _rankings(*scores, **cases)
        return _plan_samples(
            goal, _check_planned_metric(*meant), ranked, planned_prevalence
        )
    check_left_out(
        MEAN_OVER_LISTS,
        stratify=(stratify, False),
        planned_prevalence=(planned_prevalence, None),
    )
    return _plan_lists(goal, meant, scores, groups, cases)


class _Goal(NamedTuple):
    """What a test set is for."""

    plan: Plan
    half_width: float | None
    n_samples: int | None
    power: float | None
    difference: float | None
    null_value: float | None

    def check(self, metric: Metric, n_models: int) -> None:
        """Check that one thing is asked for, and that it can be had."""
        plan, named = self.plan, self._asdict() | {"margin": self.plan.margin}
        given = [name for name, value in named.items() if value is not None][1:]
        of_size = given if self.half_width is not None else ["n_samples", "power"]
        excluding = [name for name in given if name in of_size]
        if len(excluding) > 1:
            names = " and ".join(excluding[:2])
            raise ValueError(f"{names} ask for different results: give one of them.")
        if n_models == 1:
            self._check_single_model(given)
        elif self.null_value is not None:
            raise ValueError(
                "null_value is for one model: leave out y_score_b, or give the margin "
                "of both."
            )
        least = 1 - plan.confidence_level
        if self.power is not None and self.power <= least:
            raise ValueError(
                f"power must be above 1 - confidence_level = {least:g}, which is that "
                f"of a test without any difference, got {self.power:g}."
            )
        low, high = metric.bounds()
        plan.check_margin((low - high, high - low))
        for goal, share in (("half_width", n_models / 2), ("difference", 1.0)):
            value, beyond = named[goal], f"is beyond all values of the {metric.name}"
            if value is not None and abs(value) > share * (high - low):
                raise ValueError(
                    f"{goal}={value:g} {beyond}, which lie between {low:g} and "
                    f"{high:g}: five points are 0.05."
                )
        if self.null_value is not None:
            x = check_null(self.null_value, metric.name, (low, high))
            if not low < x + (self.difference or 0.0) < high:
                raise ValueError(
                    f"difference={self.difference:g} from null_value={x:g} {beyond}, "
                    f"or at their end: they lie between {low:g} and {high:g}."
                )
        if metric.has_test:
            warn(
                f"The {metric.name} depends on the ranking near one point, of which a "
                "pilot says little: with 20 to 200 positives, sizes for a power of 0.8 "
                "had 0.58 to 0.77 on average, and half widths were up to 2.7 times as "
                "planned. Take the upper end of n_interval for n."
            )

    def _check_single_model(self, given: list[str]) -> None:
        """Raise for goals that are of two models, or none."""
        if "margin" in given or ("difference" in given and self.null_value is None):
            what = "difference is for two models, or from a null_value"
            if "margin" in given:
                what = "margin is for two models"
            raise ValueError(f"{what}: y_score_b is missing.")
        if not {"half_width", "n_samples", "null_value"} & {*given}:
            raise ValueError(
                "half_width is missing: with one model it says how wide the interval "
                "shall be; for the power of a test give null_value, or y_score_b."
            )

    def unknown(
        self, name: str, params: Question, n_models: int, units: Iterable[str]
    ) -> SampleSize:
        """Return the result of a pilot that says nothing."""
        n, plan = self.n_samples, self.plan
        difference = _NAN if self.difference is None else self.difference
        is_of_test = n is None or n_models > 1 or self.null_value is not None
        is_test = self.half_width is None and is_of_test
        is_sided = is_test or not plan.is_two_sided
        return SampleSize(
            metric=name,
            n=_NAN if n is None else n,
            n_pos=_NAN,
            n_neg=_NAN,
            half_width=_NAN,
            difference=difference if is_test else None,
            power=_NAN if is_test else None,
            confidence_level=plan.displayed_level,
            n_interval=_UNKNOWN if n is None else None,
            power_interval=_UNKNOWN if is_test and n is not None else None,
            params=params,
            alternative=plan.alternative if is_sided else None,
            margin=plan.margin,
            null_value=None if self.null_value is None else float(self.null_value),
            **dict.fromkeys(units, _NAN),
        )


@dataclass(frozen=True)
class _Pilot:
    """The evaluation of a pilot, with variances that scale: ``unit.total / n``.

    ``sizes`` are the independent positives and negatives per case, ``per_unit`` the
    cases of an independent unit, ``least`` the fewest cases that can be planned, and
    ``cases_of`` the cases of a list and of a cluster. The logarithm of a standard error
    may be off by ``reach``. A difference has no ``bounds``. A class has ``n`` times its
    entry of ``freedoms``, if that is less than its size.
    """

    goal: _Goal
    value: float
    n: float
    prevalence: float
    least: int
    per_unit: float
    cases_of: dict[str, float]
    sizes: tuple[float, float]
    unit: Parts
    reach: float
    bounds: tuple[float, float] | None = None
    freedoms: tuple[float, float] = (np.inf, np.inf)
    metric: Metric | None = None

    def shown(self, n: float) -> dict[str, Any]:
        """Return the fields of a result that n cases fill."""
        n_pos, width = round(n * self.prevalence), self.half_width(n)
        units = {name: math.ceil(n / each) for name, each in self.cases_of.items()}
        return {
            "n": n,
            "n_pos": n_pos,
            "n_neg": n - n_pos,
            "half_width": width,
            **units,
        }

    def scaled_dof(self, n: float) -> float:
        """Return the degrees of freedom of the variance of n cases, about.

        They are those of `variance.degrees_of_freedom`, for parts in these proportions.
        """
        sizes = n * np.array([*self.sizes, sum(self.sizes)]) - 1
        sizes = np.minimum(sizes, n * np.array([*self.freedoms, np.inf]))
        squares = sum(np.square(self.unit) / np.maximum(sizes, 1))
        most = np.inf if self.per_unit == 1 else n / self.per_unit - 1
        if self.metric is not None and self.bounds is None:
            most = min(most, self.metric.max_dof(*(n * np.array(self.sizes))))
        return float(min(max(self.unit.total**2 / squares, 1.0), most))

    def standard_error(self, n: float) -> float:
        """Return the standard error in a sample of n cases."""
        return float(np.sqrt(self.unit.total / n))

    def half_width(self, n: float) -> float:
        """Return half the width of the interval, as `estimate` or `compare` has it.

        With a single end it is the distance of this end from the value.
        """
        plan, bounds, freedom = self.goal.plan, self.bounds, self.scaled_dof(n)
        parts = Parts(*(part / n for part in self.unit))
        value, error = self.value, parts.standard_error
        if bounds is None:
            return t_quantile(plan.level, freedom) * error
        found = Augmented(value, parts, bounds, freedom=freedom)
        planned = UncertainValue(value, error, bounds, freedom)
        low, high = bounded_interval("wilson", plan.level, planned, lambda: found)
        whole = {"greater": 2 * (value - low), "less": 2 * (high - value)}
        return whole.get(plan.alternative, high - low) / 2

    def power(self, n: float, difference: float, factor: float = 1.0) -> float:
        """Return the probability that a test of n cases finds a difference.

        Its distance from what is rejected counts ``factor`` times.
        """
        plan, freedom = self.goal.plan, self.scaled_dof(n)
        away = self.distances(difference, difference)
        at_null, at_planned = self.error_ratio(0.0), self.error_ratio(difference)
        error = self.standard_error(n) * at_planned
        needed = t_quantile(plan.level, freedom) * (at_null / at_planned)
        is_equivalence = len(away) == 2
        if plan.is_two_sided and not is_equivalence:
            away.append(-away[0])
        found = sum(
            _shifted_t_tail(needed, freedom, factor * one / error) for one in away
        )
        return max(found - 1, 0.0) if is_equivalence else found

    def distances(self, difference: float, planned: float) -> list[float]:
        """Return how far a difference is beyond what the test rejects, at each end.

        A test of both sides looks to that of the planned difference.
        """
        side = "less" if planned < 0 else "greater"
        nulls = [
            (x, side if of == "two-sided" else of) for x, of in self.goal.plan.nulls
        ]
        return [x - difference if of == "less" else difference - x for x, of in nulls]

    def error_ratio(self, difference: float) -> float:
        """Return how many times the pilot's the standard error is at some distance.

        From a null value, by Wilson's variance; that of two models stays.
        """
        if self.goal.null_value is None or self.bounds is None:
            return 1.0
        (low, high), x = self.bounds, self.goal.null_value + difference
        of_pilot = (self.value - low) * (high - self.value)
        if np.isinf(high) or of_pilot == 0:
            return 1.0
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
            level, freedom = self.goal.plan.confidence_level, self.scaled_dof(self.n)
            half = t_quantile(level, freedom) * self.standard_error(self.n)
            at = [difference, difference - half, difference + half]
            if len(self.goal.plan.nulls) == 2 and abs(difference) < half:
                at.append(0.0)
            of, *away = (min(self.distances(x, difference)) for x in at)
            few, many = sorted([abs(min(away) / of), abs(max(away) / of)])
            above = np.exp(np.hypot(self.reach, np.log(many)))
            if min(away) * max(away) <= 0:
                return 0.0, float(above)
            return float(np.exp(-np.hypot(self.reach, np.log(few)))), float(above)

    def min_n_samples(self, difference: float) -> int | None:
        """Return the fewest cases that are enough, as are more; None if none are."""
        goal = self.goal

        def is_enough(n: float) -> bool:
            if goal.half_width is not None:
                return self.half_width(n) <= goal.half_width
            enough = 0.8 if goal.power is None else goal.power
            return self.power(n, difference) >= enough

        low, high = self.least, self.least
        while not is_enough(high):
            low, high = high + 1, 2 * high
            if high > _MOST:
                return None
        return bisect_left(range(high), True, low, key=is_enough)


def _plan_result(result: SampleSize, pilot: _Pilot) -> SampleSize:
    """Return the result that was unknown, by a pilot; nan where it says nothing."""
    goal, is_test, difference = pilot.goal, result.power is not None, 0.0
    n, what = goal.n_samples, f"The sample size for the {result.metric}"
    if pilot.standard_error(pilot.n) <= NEGLIGIBLE:
        warn_undefined(what, "the pilot shows no variation of it, or of the difference")
        return result
    if n is not None:
        if n < pilot.least:
            raise ValueError(
                f"n_samples={n} is too few: of fewer than {pilot.least} less than two "
                "are expected to be of one class."
            )
        result = replace(result, **pilot.shown(n))
    if is_test:
        difference = pilot.value - (goal.null_value or 0.0)
        if goal.difference is not None:
            difference = float(goal.difference)
        if abs(difference) <= NEGLIGIBLE and goal.plan.margin is None:
            warn_undefined(what, "there is no difference to find: give another")
            return result
        _check_detectable(pilot, difference)
        result = replace(result, difference=difference)
    low, high = pilot.factors(difference, is_own=is_test and goal.difference is None)
    if n is None:
        n = pilot.min_n_samples(difference)
        if n is None and is_test:
            return result
        if n is None:
            raise ValueError(
                f"half_width={goal.half_width:g} takes more cases than can be counted."
            )
        # Unknown ends stay unknown.
        least = float(np.maximum(n / high / high, pilot.least))
        most = np.inf if low == 0 else n / low / low
        between = ConfidenceInterval(least, np.inf if most > _MOST else most)
        result = replace(result, n_interval=between, **pilot.shown(n))
    elif is_test:
        ends = (pilot.power(n, difference, factor) for factor in (low, high))
        result = replace(result, power_interval=ConfidenceInterval(*ends))
    return replace(result, power=pilot.power(n, difference)) if is_test else result


def _check_detectable(pilot: _Pilot, difference: float) -> None:
    """Raise for a difference that no test would find."""
    if min(pilot.distances(difference, difference)) <= 0:
        plan = pilot.goal.plan
        with_margin = "" if plan.margin is None else f" with margin={plan.margin:g}"
        raise ValueError(
            f"difference={difference:g} is not what alternative={plan.alternative!r}"
            f"{with_margin} looks for: no number of cases would show it."
        )


def _shifted_t_tail(needed: float, freedom: float, excess: float) -> float:
    """Return P(T > needed) of Student's T that is off by ``excess``."""
    # Beyond 20 standard errors it is 0 or 1.
    if min(abs(excess - needed), abs(excess)) > 20:
        return float(excess > needed)
    # Student's distributions are then normal ones.
    if freedom > 1e5:
        return float(special.ndtr(excess - needed))
    # Older versions of scipy divide by zero on the way, and yet find it.
    with np.errstate(divide="ignore"):
        return float(stats.nct.sf(needed, freedom, excess))


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
        cases = check_sample(y_true, None, **case_arguments)
        # As cases that can be left out.
        return [replace(cases, scores=-cases.group, counts=None)]
    if y_score_a is None:
        raise ValueError("y_score_a is missing: give the scores of model a.")
    cases, named = check_cases(y_true, **case_arguments), {"y_score_a": y_score_a}
    if y_score_b is not None:
        named["y_score_b"] = y_score_b
    are_two = len(named) > 1
    return [scored(cases, *one, by_case=are_two) for one in named.items()]


def _plan_samples(
    goal: _Goal, metric: Metric, ranked: list[Ranked], planned: float | None
) -> SampleSize:
    """Return the result by one ranking or two."""
    goal.check(metric, len(ranked))
    cases, has_clusters = ranked[0], ranked[0].clusters is not None
    n, (n_pos, n_neg) = cases.total, cases.effective_sizes
    n_units = float(cases.n_units) if has_clusters else n
    cases_of = {"n_clusters": n / n_units} if has_clusters else {}
    result = goal.unknown(metric.name, metric.question, len(ranked), cases_of)
    models = _evaluated(metric, ranked, planned, goal.plan, are_warned=True)
    if not all(model.is_known for model in models):
        return result
    value, influence = _joined(models)
    unit, bounds = _unit_variance(influence, cases, planned), None
    spread = _spread(metric, ranked, planned, goal.plan)
    one, stratify = models[0], bool(goal.plan.stratify)
    if len(models) == 1:
        bounds = metric_range(one.metric, one.cases.table, stratify=stratify)
        bounds = one.metric.attainable(bounds, value)
        if np.sqrt(unit.total / n) <= NEGLIGIBLE:
            # What was never seen varies by nobody knows how much.
            rare = augmented(one.metric, one.cases, stratify=stratify)
            unit = Parts(*(part * n for part in rare.parts))
            value, bounds, spread = rare.value, rare.bounds, _NAN
    share = cases.sizes[0] / n if planned is None else planned
    least = max(_LEAST / min(share, 1 - share), _LEAST * n / n_units)
    freedom = min(n_pos, n_neg, n_units, _PARTS) - 1
    freedoms = np.inf, np.inf
    _warn_small_window(metric, n_pos, n_neg)
    rests_on_few = metric.rests_on_few or goal.plan.margin is not None
    if rests_on_few and not has_clusters:
        freedoms = influence_kurtosis_dof(influence, cases)
    pilot = _Pilot(
        goal=goal,
        value=value,
        n=n,
        prevalence=share,
        least=math.ceil(least),
        per_unit=n / n_units,
        cases_of=cases_of,
        sizes=(n_pos / n, n_neg / n) if planned is None else (share, 1 - share),
        unit=unit,
        reach=t_quantile(goal.plan.confidence_level, freedom) * spread / 2,
        bounds=bounds,
        freedoms=(freedoms[0] / n, freedoms[1] / n),
        metric=metric,
    )
    return _plan_result(result, pilot)


def _warn_small_window(metric: Metric, n_pos: float, n_neg: float) -> None:
    """Warn if a pilot has few samples in the window of a partial AUC."""
    name, n_least = metric.min_window_class(n_pos, n_neg)
    if n_least < 5 * (1 - ROUNDING):
        warn(
            f"Take a pilot with at least 5 {name} in the window of the partial AUC, or "
            f"a wider window: this one has {n_least:.3g}. With 2 to 4, half widths "
            "were 1.2 to 1.6 times as planned on average, and n_interval contained the "
            "right n in 0.72 to 0.98 of pilots."
        )


def _check_planned_metric(metric: MetricLike, params: dict[str, Any]) -> Metric:
    """Return the metric, which must not depend on the size of the pilot."""
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
    return found


def _evaluated(
    metric: Metric,
    ranked: list[Ranked],
    planned: float | None,
    plan: Plan,
    *,
    are_warned: bool = False,
) -> list[Evaluation]:
    """Return the metric of each ranking at the prevalence to come."""
    to_come = [Rankings([_change_prevalence(one, planned)]) for one in ranked]
    return evaluate([metric] * len(ranked), to_come, plan, are_warned=are_warned)


def _change_prevalence(ranked: Ranked, planned: float | None) -> Ranked:
    """Return the ranking as it would be, were there more positives or fewer."""
    if planned is None or min(ranked.sizes) == 0:
        return ranked
    table = ranked.table
    by_pos, by_neg = planned / table.prevalence, (1 - planned) / table.negative_fraction
    counts = build_weight_table(table.pos * by_pos, table.neg * by_neg)
    return replace(ranked, counts=counts)


def _joined(models: Sequence[Evaluation]) -> tuple[float, FloatArray]:
    """Return the value of one model, or of a difference, and its influence values."""
    if len(models) == 1:
        return models[0].value, models[0].influence
    return models[0].value - models[1].value, (models[0] - models[1]).influence


def _unit_variance(
    influence: FloatArray, cases: Ranked, planned: float | None
) -> Parts:
    """Return the variance per case by its sources, U of the guide."""
    parts = np.array(influence_parts(influence, cases)) * cases.total
    if planned is not None:
        # Of the third the sources are the means of both classes, whose sum is 0.
        share, odds = cases.sizes[0] / cases.total, planned / (1 - planned)
        between = odds / (share + (1 - share) * odds**2)
        parts *= planned / share, (1 - planned) / (1 - share), between
    return Parts(*parts.tolist())


def _spread(
    metric: Metric, ranked: list[Ranked], planned: float | None, plan: Plan
) -> float:
    """Return the standard error of the logarithm of the variance per case.

    It is by the jackknife over some twenty parts of the pilot; nan if one of them is
    all that makes the metric defined.
    """
    logarithms = []
    by_class = bool(plan.stratify) or planned is not None
    for weights in _jackknife_weights(ranked, by_class=by_class):
        left = [_taken(one, weights) for one in ranked]
        models = _evaluated(metric, left, planned, plan)
        # Two clusters, too, without one of them.
        if left[0].n_units < _LEAST or not all(one.is_known for one in models):
            return _NAN
        total = _unit_variance(_joined(models)[1], left[0], planned).total
        logarithms.append(np.log(total) if total > 0 else np.nan)
    return float(np.sqrt((len(logarithms) - 1) * np.var(logarithms)))


def _jackknife_weights(ranked: list[Ranked], *, by_class: bool) -> Iterator[FloatArray]:
    """Yield the weights of the cases without each part, parts at random.

    With ``by_class`` each holds as many of both classes, about. Their seed is fixed, so
    that a pilot always has the same, in any order of its rows.
    """
    generator, cases, units = np.random.default_rng(0), ranked[0], _sort_units(ranked)
    weights = cases.row_weights
    if cases.clusters is None and cases.weights is not None:
        # Repetitions are cases, each of them in a part.
        counts = np.rint(weights).astype(np.int64)
        taken = np.empty((len(counts), _PARTS))
        shares = np.full(_PARTS, 1 / _PARTS)
        taken[units] = generator.multinomial(counts[units], shares)
        yield from weights - taken.T
        return
    n_units = cases.n_units
    part = np.empty(n_units, dtype=np.intp)
    order = units[generator.permutation(n_units)]
    part[order] = np.arange(n_units) % _PARTS
    if cases.clusters is not None:
        part = part[cases.clusters]
    else:
        held = [np.bincount(part[of]) for of in (cases.is_pos, ~cases.is_pos)]
        # Too few of a class may be left without one of the parts.
        if by_class or min(own.sum() - own.max() for own in held) < _LEAST:
            order = order[np.argsort(cases.is_pos[order], kind="stable")]
            part[order] = np.arange(n_units) % _PARTS
    for left_out in range(min(_PARTS, n_units)):
        yield np.where(part == left_out, 0.0, weights)


def _sort_units(ranked: list[Ranked]) -> IntArray:
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
    is_new = np.any([np.diff(column[order]) != 0 for column in columns], axis=0)
    kind = np.append(0, np.cumsum(is_new))
    held: list[list[int]] = [[] for _ in range(cases.n_units)]
    for unit, code in zip(cases.clusters[order].tolist(), kind.tolist(), strict=True):
        held[unit].append(code)
    return np.array(sorted(range(len(held)), key=held.__getitem__), dtype=np.intp)


def _taken(ranked: Ranked, weights: FloatArray) -> Ranked:
    """Return the ranking of the cases that have weight left."""
    left = replace(ranked, weights=weights).drop_zero_weights()
    if ranked.weights is None:
        left = replace(left, weights=None)
    if left.clusters is None:
        return left
    return replace(left, clusters=np.unique(left.clusters, return_inverse=True)[1])


def _plan_lists(
    goal: _Goal,
    meant: tuple[MetricLike, dict[str, Any]],
    given: tuple[Any, Any, Any],
    groups: ArrayLike | None,
    cases: dict[str, Any],
) -> SampleSize:
    """Return the result by means over lists; undefined ones are among those to come."""
    y_true, *scores = given
    named = dict(zip(("y_score_a", "y_score_b"), scores, strict=True))
    if groups is None:
        check_alone(GroupScores, y_score_b=scores[1])
        named = {"y_true": y_true, "y_score_a": scores[0]}
    if list(named.values())[1] is None:
        named.popitem()
    by_model, of_mean = compute_list_scores(*meant, y_true, named, groups, cases)
    first, *_ = lists = list(by_model.values())
    means = evaluate_lists(lists, goal.plan, **of_mean)
    name, of_lists = means[0].name, means[0].cases
    goal.check(means[0].metric, len(means))
    n, counted = float(first.n_items.sum()), np.flatnonzero(first.n_items)
    n_units, cases_of = len(counted), {"n_lists": n / len(counted)}
    units = check_list_clusters(of_mean["clusters"], first)
    if units is not None:
        n_units = len(np.unique(units[counted]))
        cases_of["n_clusters"] = n / n_units
    result = goal.unknown(name, means[0].question, len(means), cases_of)
    if not all(one.is_known and one.parts.total >= 0 for one in means):
        reason = "fewer than two lists of the pilot are defined"
        warn_undefined(f"The sample size for the {name}", reason)
        return result
    value, influence = _joined(means)
    squares = (scaled_units(influence, of_lists) / of_lists.total) ** 2
    # The standard error of the logarithm of a mean of squares.
    mean, m = squares.mean(), len(squares)
    spread = np.std(squares, ddof=1) / mean / np.sqrt(m) if mean else 0.0
    pilot = _Pilot(
        goal=goal,
        value=value,
        n=n,
        prevalence=float(first.n_pos.sum()) / n,
        least=math.ceil(_LEAST * n / n_units),
        per_unit=n / n_units,
        cases_of=cases_of,
        sizes=(max(of_lists.effective_sizes[0], 2.0) / n, 0.0),
        unit=Parts(0.0, 0.0, n * float(np.add.reduce(squares))),
        reach=t_quantile(goal.plan.confidence_level, m - 1) * float(spread) / 2,
    )
    return _plan_result(result, pilot)
