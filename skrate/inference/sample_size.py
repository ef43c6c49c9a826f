"""The number of samples that a test set needs, or the power that it has."""

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
    check_vector,
    or_none,
    warn,
    warn_undefined,
)
from skrate.data.folds import FoldRankings
from skrate.data.table import RankTable, check_alone
from skrate.inference.evaluation import Difference, Evaluation
from skrate.inference.group_scores import GroupScores, compute_list_scores
from skrate.inference.intervals import augmented_table
from skrate.inference.list_means import check_list_clusters, evaluate_lists
from skrate.inference.models import evaluate
from skrate.inference.options import Plan
from skrate.inference.rankings import (
    MEAN_OVER_LISTS,
    SAMPLE_ARGUMENTS,
    Ranked,
    Rankings,
    add_model_scores,
    check_cases,
    check_left_out,
    check_sample,
    make_table_samples,
)
from skrate.inference.variance import scaled_units
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
    Drawn,
    Question,
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
# Number of parts of the pilot that the jackknife leaves out in turn.
_PARTS = 20
# Larger integers are not exact as floats.
_MOST = 2**53


@dataclass(frozen=True)
class SampleSize(Drawn):
    """The size of a test set, with its expected interval and power.

    Attributes
    ----------
    metric : str
        Name of the metric.
    n, n_pos, n_neg : int
        Number of samples, and the expected numbers of positives and negatives; nan if
        they are unknown.
    half_width : float
        Expected half width of the interval, for the metric or for the difference of two
        models. If the interval has a single end, the expected distance of this end.
    difference, power : float or None
        The difference to detect, of two models or of the metric and the null value, and
        the probability of detecting it; None if no test is planned.
    confidence_level : float
        Level of the interval, as :func:`skrate.compare` has it.
    n_interval, power_interval : ConfidenceInterval or None
        Interval for ``n``, or for the power if n was given, by the uncertainty of the
        pilot.
    n_clusters : int or None
        Number of clusters, if the pilot has clusters.
    alternative : str or None
        The side of the test or of the interval; None for an interval of both sides.
    margin, null_value : float or None
        The hypothesis, as :func:`skrate.compare` and :func:`skrate.estimate` have it.
    params : dict
        Parameters of the metric, such as "rate", as numbers and text.
    n_lists : int or None
        Number of lists, if lists are the units.

    Examples
    --------
    >>> from skrate import RankTable, sample_size
    >>> pilot = RankTable([30, 20, 10], [5, 25, 50])
    >>> sample_size("roc_auc", pilot, half_width=0.05)
    SampleSize(AUC, n=288 (123 positive, 165 negative), half width 0.04999 at 95
    %; by
    this pilot 211 to 393)
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
    _pilot: Any = field(default=None, repr=False, compare=False)

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
        """Return the hypothesis that the test should show, as text."""
        assert self.difference is not None
        assert self.alternative is not None
        what, target = "a - b", self.difference
        nulls = null_hypotheses(self.alternative, self.margin)
        if self.null_value is not None:
            what, target = self.metric, self.null_value + self.difference
            nulls = (Null(self.null_value, self.alternative),)
        elif self.margin is None:
            return f"{target:.4g}"
        return f"{hypothesis_text(what, nulls)} if it is {target:.4g}"


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
    """Compute the number of samples that a test set needs, from a pilot.

    Or, for a given number, compute the interval and the power that you can expect. The
    size is for an interval, of a metric or of the difference of two models; or for the
    power of :func:`compare` on the same samples, or of :func:`estimate` with a
    ``null_value``.

    Parameters
    ----------
    metric : callable or str
        As in :func:`estimate`. A rate is a fraction, not a number of samples.
    y_true : array-like of shape (n_samples,), RankTable or GroupScores
        True labels of the pilot; or, for one model and without scores, its table of
        counts; or its values within lists.
    y_score_a, y_score_b : array-like of shape (n_samples,), default=None
        Scores of the model, or of two models on the same samples. With GroupScores,
        ``y_score_a`` is the GroupScores of the second model, if any.
    half_width : float, default=None
        The half width that the interval should have. If ``alternative`` leaves the
        interval a single end, the distance that this end should have. None with two
        models or a ``null_value``: the size is for a test.
    n_samples : int, default=None
        Size of the test set, instead of ``half_width`` or ``power``.
    difference : float, default=None
        The difference to detect, a - b or metric - ``null_value``. If None, the
        difference in the pilot. With a ``margin``, it is the true difference of the
        models: 0 if they are equally good.
    power : float, default=None
        The probability that the test should have to detect the difference, in (1 -
        ``confidence_level``, 1); None is 0.8.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        As in :func:`compare`.
    margin : float, default=None
        The margin of non-inferiority or equivalence, as in :func:`compare`.
    null_value : float, default=None
        The value of the metric to test, between its minimum and its maximum, such as
        the AUC that a protocol requires. If None, no value is tested.
    confidence_level : float, default=0.95
        Level of the interval. The level of the test is 1 minus it.
    planned_prevalence : float, default=None
        Fraction of positives in future samples, if it is not the pilot's.
    stratify : bool, default=False
        Whether the numbers of positives and negatives will be fixed by design.
    groups : array-like of shape (n_samples,), default=None
        The list or queue of each row of the pilot, as in :func:`compare`. Lists are
        then the units, and future lists are like them, and as long.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample of the pilot. Future clusters are like them, and as
        large. For GroupScores the cluster of each list.
    sample_weight : array-like of shape (n_samples,), default=None
        Number of repetitions of each sample of the pilot: whole numbers.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    result : SampleSize
        With ``n``, the minimum number of samples that is enough (in ``n_lists`` lists,
        if these are the units), the expected interval and power, and ``n_interval``,
        the interval for n by this pilot; or, if n is given, ``power_interval``. They
        are nan if the pilot is uninformative.

    Raises
    ------
    ValueError
        As :func:`compare`. Also for goals that are missing, exclude each other or
        cannot be reached, for a difference on the wrong side of ``alternative`` or
        outside the ``margin``, or for a metric with ``k``.

    Warns
    -----
    UndefinedMetricWarning
        If the metric is undefined on the pilot, or does not vary or differ there.
    UserWarning
        For a metric at a recall or at a precision, because its ``n`` is rough.

    See Also
    --------
    compare : The test itself.

    Notes
    -----
    A metric has the variance U / n on n samples, where U is the variance of the
    influence values in the pilot (for a difference, a's minus b's). The interval and
    the test of this variance are those of :func:`estimate` or :func:`compare` for n
    samples. Another prevalence also changes the weights of the samples in their
    influence; clusters are drawn whole. ``n_interval`` uses the jackknife and, if no
    ``difference`` is given, the interval of the pilot's difference: it has no upper end
    if this contains 0. For one model, it allows for rare samples that the pilot lacks.
    :ref:`planning` has the formulas. Cost: about twenty sorts per model.

    Examples
    --------
    A pilot of 100 samples. Find the size for an AUC within 0.05, the size to detect
    that the first model is better by 0.05, and the power of 500 samples to detect it:

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
            f"{name} excludes clusters, because a cluster can have both classes."
        )
    goal = _Goal(plan, **{name: arguments[name] for name in _Goal._fields[1:]})
    meant, scores = (metric, metric_kwargs), (y_true, y_score_a, y_score_b)
    cases = {name: arguments[name] for name in SAMPLE_ARGUMENTS}
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
    """The goal of a test set."""

    plan: Plan
    half_width: float | None
    n_samples: int | None
    power: float | None
    difference: float | None
    null_value: float | None

    def check(self, metric: Metric, n_models: int) -> None:
        """Raise unless there is a single goal, and it can be reached."""
        plan, named = self.plan, self._asdict() | {"margin": self.plan.margin}
        goals = [name for name, target in named.items() if target is not None][1:]
        of_size = goals if self.half_width is not None else ["n_samples", "power"]
        excluding = [name for name in goals if name in of_size]
        if len(excluding) > 1:
            names = " and ".join(excluding[:2])
            raise ValueError(f"{names} exclude each other: pass only one.")
        if n_models == 1:
            self._check_single_model(goals)
        elif self.null_value is not None:
            raise ValueError(
                "null_value is for one model: leave out y_score_b, or pass margin for "
                "two models."
            )
        least = 1 - plan.confidence_level
        if self.power is not None and self.power <= least:
            raise ValueError(
                f"power must be above 1 - confidence_level = {least:g}, the power "
                f"without any difference, got {self.power:g}."
            )
        low, high = metric.bounds()
        plan.check_margin((low - high, high - low))
        for goal, fraction in (("half_width", n_models / 2), ("difference", 1.0)):
            target, exceeds = named[goal], f"exceeds the range of the {metric.name}"
            if target is not None and abs(target) > fraction * (high - low):
                raise ValueError(
                    f"{goal}={target:g} {exceeds}, {low:g} to {high:g}: five points "
                    "are 0.05."
                )
        if self.null_value is not None:
            x = check_null(self.null_value, metric.name, (low, high))
            if not low < x + (self.difference or 0.0) < high:
                raise ValueError(
                    f"difference={self.difference:g} from null_value={x:g} {exceeds}, "
                    f"or reaches its end: it must stay between {low:g} and {high:g}."
                )
        if metric.has_test:
            warn(
                "Take the upper end of n_interval for n, because the "
                f"{metric.name} depends on the ranking near one point. With 20 to 200 "
                "positives, sizes for a power of 0.8 had 0.58 to 0.77 on average, and "
                "half widths were up to 2.7 times as planned."
            )

    def _check_single_model(self, goals: list[str]) -> None:
        """Raise for goals of two models, or without any goal."""
        if "margin" in goals or ("difference" in goals and self.null_value is None):
            what = "difference is for two models, or from a null_value"
            if "margin" in goals:
                what = "margin is for two models"
            raise ValueError(f"{what}: pass y_score_b.")
        if not {"half_width", "n_samples", "null_value"} & {*goals}:
            raise ValueError(
                "half_width is missing: pass it for the interval of one model; for the "
                "power of a test, pass null_value or y_score_b."
            )

    def unknown(
        self, name: str, params: Question, n_models: int, units: Iterable[str]
    ) -> SampleSize:
        """Return a result of nan, for a pilot that is uninformative."""
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
    """The evaluations of one or two models on a pilot of ``n`` samples.

    ``prevalence`` is the planned prevalence, ``least`` the minimum number of samples
    that can be planned, and ``cases_of`` has the samples per list and per cluster.
    ``log_ends`` is the interval for the logarithm of the true variance, divided by the
    variance in the pilot.
    """

    goal: _Goal
    models: list[Evaluation]
    n: float
    prevalence: float
    least: int
    cases_of: dict[str, float]
    log_ends: tuple[float, float]

    def at(self, n: float) -> Evaluation | Difference:
        """Return the expected evaluation of n samples: one model, or a difference."""
        return _joined(_scaled(self.models, n / self.n))

    def shown(self, n: float) -> dict[str, Any]:
        """Return the fields of a result for n samples."""
        n_pos, width = round(n * self.prevalence), self.half_width(n)
        units = {name: math.ceil(n / size) for name, size in self.cases_of.items()}
        return {"n": n, "n_pos": n_pos, "n_neg": n - n_pos, "half_width": width} | units

    def half_width(self, n: float) -> float:
        """Return half the width of the interval, as `estimate` or `compare` has it.

        If the interval has a single end, return its distance from the value.
        """
        future, plan = self.at(n), self.goal.plan
        if isinstance(future, Difference):
            return _t_half_width(future, plan.level)
        low, high = future.interval(level=plan.level)
        to_low, to_high = future.value - low, high - future.value
        whole = {"greater": to_low, "less": to_high}
        return whole.get(plan.alternative, (to_low + to_high) / 2)

    def power(self, n: float, difference: float, factor: float = 1.0) -> float:
        """Return the probability that a test of n samples detects a difference.

        Its distance from the null values is multiplied by ``factor``.
        """
        future, plan = self.at(n), self.goal.plan
        error, null_error, freedom = self._errors(future, difference)
        needed = t_quantile(plan.level, freedom) * null_error / error
        away = self.distances(difference, difference)
        is_equivalence = len(away) == 2
        if plan.is_two_sided and not is_equivalence:
            away.append(-away[0])
        power = sum(_shifted_t_tail(needed, freedom, factor * x / error) for x in away)
        return max(power - 1, 0.0) if is_equivalence else power

    def expected(self, sizes: FloatArray, difference: float | None) -> FloatArray:
        """Return the power, or the half width, at sizes, and its bounds by the pilot.

        Bounds are as in ``power_interval``, or by n times the square of a factor, as in
        ``n_interval``. Without a test, ``difference`` is None.
        """
        is_own = difference is not None and self.goal.difference is None
        factors = 1.0, *self.factors(difference or 0.0, is_own=is_own)
        if difference is not None:
            powers = [[self.power(n, difference, f) for n in sizes] for f in factors]
            return np.array(powers)
        scaled = np.clip(np.outer(np.square(factors), sizes), 1.0, _MOST)
        return np.asarray(np.vectorize(self.half_width)(scaled))

    def _errors(
        self, future: Evaluation | Difference, difference: float
    ) -> tuple[float, float, float]:
        """Return the errors at the difference and at the null value, and their dof.

        A null value of one model is tested by Wilson's interval. The variance is
        proportional to the product of the distances to both bounds.
        """
        error, null_value = future.parts.standard_error, self.goal.null_value
        by_t = error, error, future.degrees_of_freedom
        if null_value is None or isinstance(future, Difference):
            return by_t
        if future.cases.worth is not None:
            return by_t
        (low, high), x = future.value_range(), null_value + difference
        of_pilot = (future.value - low) * (high - future.value)
        null_error, freedom = future.null_error(null_value, error)
        if np.isnan(null_error) or not low < x < high or not of_pilot > 0:
            return by_t
        error *= float(np.sqrt((x - low) * (high - x) / of_pilot))
        return error, null_error, freedom

    def distances(self, difference: float, planned: float) -> list[float]:
        """Return the distance of a difference from each null hypothesis.

        It is negative inside the null hypothesis. A two-sided test uses the side of the
        planned difference.
        """
        side = "less" if planned < 0 else "greater"
        nulls = [
            (x, side if of == "two-sided" else of) for x, of in self.goal.plan.nulls
        ]
        return [x - difference if of == "less" else difference - x for x, of in nulls]

    def factors(self, difference: float, *, is_own: bool) -> tuple[float, float]:
        """Return factors for the minimum and maximum of difference / standard error.

        If the difference is the pilot's own, its uncertainty and the uncertainty of the
        standard error are combined as the root of the sum of squares of logarithms.
        """
        # Errors are square roots of variances.
        least, most = -self.log_ends[1] / 2, -self.log_ends[0] / 2
        # A small pilot at a high level gives infinite ends.
        with np.errstate(over="ignore"):
            if not is_own:
                return float(np.exp(least)), float(np.exp(most))
            half = _t_half_width(self.at(self.n), self.goal.plan.confidence_level)
            at = [difference, difference - half, difference + half]
            if len(self.goal.plan.nulls) == 2 and abs(difference) < half:
                at.append(0.0)
            center, *away = (min(self.distances(x, difference)) for x in at)
            less, more = sorted([abs(min(away) / center), abs(max(away) / center)])
            above = np.exp(np.hypot(most, np.log(more)))
            if min(away) * max(away) <= 0:
                return 0.0, float(above)
            return float(np.exp(-np.hypot(least, np.log(less)))), float(above)

    def min_n_samples(self, difference: float) -> int | None:
        """Return the minimum n for which n or more are enough, or None."""
        goal = self.goal

        def is_enough(n: float) -> bool:
            if goal.half_width is not None:
                return self.half_width(n) <= goal.half_width
            enough = 0.8 if goal.power is None else goal.power
            return self.power(n, difference) >= enough

        powers = range(_MOST.bit_length())
        k = bisect_left(powers, True, key=lambda k: is_enough(self.least << k))
        if self.least << k > _MOST:
            return None
        return bisect_left(range(self.least << k), True, self.least, key=is_enough)


def _scaled(models: Sequence[Evaluation], factor: float) -> list[Evaluation]:
    """Return the expected evaluations of a data set that is larger by a factor."""
    units = models[0].units
    units, larger = replace(units, scale=factor * units.scale), []
    for model in models:
        larger.append(replace(model, units=units))
        # Do not compute again what is slow.
        if len(models) > 1:
            vars(larger[-1])["influence"] = model.influence
        else:
            vars(larger[-1])["excess"] = model.excess / factor
    return larger


def _joined(models: Sequence[Evaluation]) -> Evaluation | Difference:
    """Return one model, or the difference of two."""
    return models[0] if len(models) == 1 else models[0] - models[1]


def _t_half_width(future: Evaluation | Difference, level: float) -> float:
    """Return half the width of Student's t interval."""
    return t_quantile(level, future.degrees_of_freedom) * future.parts.standard_error


def _plan_result(size: SampleSize, pilot: _Pilot) -> SampleSize:
    """Return the size filled in by a pilot; nan if the pilot is uninformative."""
    goal, is_test, difference = pilot.goal, size.power is not None, 0.0
    size = replace(size, _pilot=pilot)
    n, what = goal.n_samples, f"The sample size for the {size.metric}"
    model = pilot.at(pilot.n)
    if model.parts.standard_error <= NEGLIGIBLE:
        warn_undefined(what, "the pilot shows no variation of the value or difference")
        return size
    if n is not None:
        if n < pilot.least:
            raise ValueError(
                f"n_samples={n} must be at least {pilot.least}, to expect two samples "
                "of each class and two units."
            )
        size = replace(size, **pilot.shown(n))
    if is_test:
        difference = model.value - (goal.null_value or 0.0)
        if goal.difference is not None:
            difference = float(goal.difference)
        if abs(difference) <= NEGLIGIBLE and goal.plan.margin is None:
            warn_undefined(what, "the difference to detect is 0: pass another")
            return size
        _check_detectable(pilot, difference)
        size = replace(size, difference=difference)
    low, high = pilot.factors(difference, is_own=is_test and goal.difference is None)
    if n is None:
        n = pilot.min_n_samples(difference)
        if n is None and is_test:
            return size
        if n is None:
            raise ValueError(
                f"half_width={goal.half_width:g} needs over 2^53 samples: increase it."
            )
        # Ends that are nan remain nan.
        least = float(np.maximum(n / high / high, pilot.least))
        most = np.inf if low == 0 else n / low / low
        between = ConfidenceInterval(least, np.inf if most > _MOST else most)
        size = replace(size, n_interval=between, **pilot.shown(n))
    elif is_test:
        ends = (pilot.power(n, difference, factor) for factor in (low, high))
        size = replace(size, power_interval=ConfidenceInterval(*ends))
    return replace(size, power=pilot.power(n, difference)) if is_test else size


def _check_detectable(pilot: _Pilot, difference: float) -> None:
    """Raise for a difference that no test would detect."""
    if min(pilot.distances(difference, difference)) <= 0:
        plan = pilot.goal.plan
        with_margin = "" if plan.margin is None else f" with margin={plan.margin:g}"
        raise ValueError(
            f"difference={difference:g} must satisfy alternative={plan.alternative!r}"
            f"{with_margin}, or no number of samples would show it."
        )


def _shifted_t_tail(needed: float, freedom: float, excess: float) -> float:
    """Return P(T > needed) for noncentral t with noncentrality ``excess``."""
    # At more than 20 standard errors it is 0 or 1.
    if min(abs(excess - needed), abs(excess)) > 20:
        return float(excess > needed)
    # The distribution is then normal.
    if freedom > 1e5:
        return float(special.ndtr(excess - needed))
    # Older versions of scipy divide by zero, but return the correct value.
    with np.errstate(divide="ignore"):
        return float(stats.nct.sf(needed, freedom, excess))


def _rankings(
    y_true: Any, y_score_a: Any, y_score_b: Any, **case_arguments: Any
) -> list[Ranked]:
    """Return the rankings of the pilot by one or two models."""
    for name, data in (("y_true", y_true), ("y_score_a", y_score_a)):
        if isinstance(data, FoldRankings):
            raise ValueError(
                f"{name} is a FoldRankings: pass labels and scores of one model, such "
                "as one fold, y_true, y_score, weights = next(iter(rankings)), because "
                "one model will rank the test set."
            )
    if isinstance(y_true, RankTable):
        check_alone(y_true, y_score_a=y_score_a, y_score_b=y_score_b)
        cases = check_sample(y_true, None, **case_arguments)
        # As samples, which the jackknife can leave out.
        return [replace(cases, scores=-cases.group, counts=None)]
    if y_score_a is None:
        raise ValueError("y_score_a is missing: give the scores of model a.")
    cases, named = check_cases(y_true, **case_arguments), {"y_score_a": y_score_a}
    if y_score_b is not None:
        named["y_score_b"] = y_score_b
    are_two = len(named) > 1
    return [add_model_scores(cases, *pair, by_case=are_two) for pair in named.items()]


def _plan_samples(
    goal: _Goal, metric: Metric, ranked: list[Ranked], planned: float | None
) -> SampleSize:
    """Return the size for rankings of one or two models."""
    goal.check(metric, len(ranked))
    cases, has_clusters = ranked[0], ranked[0].clusters is not None
    n, (n_pos, n_neg) = cases.total, cases.effective_sizes
    n_units = float(cases.n_units) if has_clusters else n
    cases_of = {"n_clusters": n / n_units} if has_clusters else {}
    size = goal.unknown(metric.name, metric.question, len(ranked), cases_of)
    models = _evaluated(metric, ranked, None, goal.plan, are_warned=True)
    if not all(model.is_known for model in models):
        return size
    if planned is not None:
        models = _evaluated(metric, ranked, planned, goal.plan)
    logarithms = _jackknife_variances(metric, ranked, planned, goal.plan)
    if len(models) == 1 and _lacks_errors(models[0]):
        # The uncertainty of the variance of unobserved events is unknown.
        ((bound, observed, _),), logarithms = models[0].each, np.array([_NAN])
        rare = make_table_samples(augmented_table(bound, observed))
        models = _evaluated(metric, [rare], None, goal.plan)
    models = _scaled(models, n / models[0].cases.total)
    fraction = cases.sizes[0] / n if planned is None else planned
    least = max(_LEAST / min(fraction, 1 - fraction), _LEAST * n / n_units)
    _warn_small_window(metric, n_pos, n_neg)
    variance, m = _joined(models).parts.total * n, len(logarithms)
    bias = (m - 1) * float(np.log(variance or _NAN) - logarithms.mean())
    spread = float(np.sqrt((m - 1) * logarithms.var()))
    freedom = min(n_pos, n_neg, n_units, _PARTS) - 1
    pilot = _Pilot(
        goal=goal,
        models=models,
        n=n,
        prevalence=fraction,
        least=math.ceil(least),
        cases_of=cases_of,
        log_ends=_log_ends(goal, models, spread, freedom, bias),
    )
    return _plan_result(size, pilot)


def _lacks_errors(model: Evaluation) -> bool:
    """Return whether the value has no variance, or is an end of its range."""
    low, high = model.value_range()
    distance = min(model.parts.standard_error, model.value - low, high - model.value)
    return distance <= NEGLIGIBLE


def _warn_small_window(metric: Metric, n_pos: float, n_neg: float) -> None:
    """Warn if a pilot has fewer than 5 samples in the window of a partial AUC."""
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
    planned = find_metric(metric, params)
    k = getattr(planned, "k", None)
    if k is not None:
        raise ValueError(
            f"k={k} is another fraction of a larger sample than the pilot: pass rate "
            "instead."
        )
    if planned.is_sum:
        raise ValueError(
            f"metric: use normalize=True, because {planned.name} is a sum, which grows "
            "with the number of samples."
        )
    return planned


def _evaluated(
    metric: Metric,
    ranked: list[Ranked],
    planned: float | None,
    plan: Plan,
    *,
    are_warned: bool = False,
) -> list[Evaluation]:
    """Return the evaluation of each ranking at the planned prevalence."""
    to_come = [Rankings([_change_prevalence(ranking, planned)]) for ranking in ranked]
    return evaluate([metric] * len(ranked), to_come, plan, are_warned=are_warned)


def _change_prevalence(ranked: Ranked, planned: float | None) -> Ranked:
    """Return the ranking with samples of one class repeated: the planned prevalence."""
    if planned is None or min(ranked.sizes) == 0:
        return ranked
    factors = ranked.class_factors(planned)
    weights = ranked.row_weights * (factors / factors.min())
    return replace(ranked, weights=weights, kind="frequency")


def _log_ends(
    goal: _Goal,
    models: Sequence[Evaluation],
    spread: float,
    freedom: float,
    bias: float = 0.0,
) -> tuple[float, float]:
    """Return the interval for the logarithm of true variance / variance in the pilot.

    ``spread`` is the standard error of this logarithm, and ``bias`` the bias, by which
    the interval is extended to one side. For one model, the upper end allows for rare
    samples that the pilot lacks, as Wilson's interval does.
    """
    reach = t_quantile(goal.plan.confidence_level, freedom) * spread
    low, high = min(bias, 0.0) - reach, max(bias, 0.0) + reach
    model, variance = models[0], models[0].parts.total
    if len(models) == 1 and model.cases.worth is None and variance > 0:
        ratio = model.augmented(variance, 1.0).variance / variance
        high += float(np.fmax(np.log(ratio), 0.0))
    return low, high


def _jackknife_variances(
    metric: Metric, ranked: list[Ranked], planned: float | None, plan: Plan
) -> FloatArray:
    """Return logarithms of the variance per sample, each without a part of the pilot.

    About twenty parts are left out in turn. The result is nan if the metric is
    undefined without one of the parts.
    """
    logarithms = []
    by_class = bool(plan.stratify) or planned is not None
    for weights in _jackknife_weights(ranked, by_class=by_class):
        remaining = [_taken(one, weights) for one in ranked]
        models = _evaluated(metric, remaining, planned, plan)
        # At least two clusters must remain.
        if remaining[0].n_units < _LEAST or not all(one.is_known for one in models):
            return np.array([_NAN])
        total = _joined(models).parts.total * models[0].cases.total
        logarithms.append(np.log(total) if total > 0 else np.nan)
    return np.array(logarithms)


def _jackknife_weights(ranked: list[Ranked], *, by_class: bool) -> Iterator[FloatArray]:
    """Yield the weights of the samples without each of the random parts.

    With ``by_class`` all parts have about the same number of each class. The seed is
    fixed, and the order of rows does not matter, so a pilot always has the same parts.
    """
    generator, cases, units = np.random.default_rng(0), ranked[0], _sort_units(ranked)
    weights = cases.row_weights
    if cases.clusters is None and cases.weights is not None:
        # Each repetition is a sample, and belongs to one part.
        counts = np.rint(weights).astype(np.int64)
        taken = np.empty((len(counts), _PARTS))
        fractions = np.full(_PARTS, 1 / _PARTS)
        taken[units] = generator.multinomial(counts[units], fractions)
        yield from weights - taken.T
        return
    n_units = cases.n_units
    index = np.empty(n_units, dtype=np.intp)
    order = units[generator.permutation(n_units)]
    index[order] = np.arange(n_units) % _PARTS
    if cases.clusters is not None:
        index = index[cases.clusters]
    else:
        sizes = [np.bincount(index[mask]) for mask in (cases.is_pos, ~cases.is_pos)]
        # Without one of the parts, a class could be too small.
        if by_class or min(size.sum() - size.max() for size in sizes) < _LEAST:
            order = order[np.argsort(cases.is_pos[order], kind="stable")]
            index[order] = np.arange(n_units) % _PARTS
    for left_out in range(min(_PARTS, n_units)):
        yield np.where(index == left_out, 0.0, weights)


def _sort_units(ranked: list[Ranked]) -> IntArray:
    """Return the samples, or clusters, in an order that does not depend on rows."""
    cases = ranked[0]
    # The order of the models must not matter, either.
    models = sorted(ranked, key=lambda model: [*model.table.pos, *model.table.neg])
    columns: list[Array] = [*(model.group for model in models), ~cases.is_pos]
    if cases.weights is not None:
        columns = [cases.weights, *columns]
    order = np.lexsort(columns)
    if cases.clusters is None:
        return order
    is_new = np.any([np.diff(column[order]) != 0 for column in columns], axis=0)
    kind = np.append(0, np.cumsum(is_new))
    # Sums of random whole numbers, one for each kind of sample, identify a cluster.
    names = np.random.default_rng(0).integers(2**32, size=len(kind))[kind]
    return np.argsort(np.bincount(cases.clusters[order], names), kind="stable")


def _taken(ranked: Ranked, weights: FloatArray) -> Ranked:
    """Return the ranking of the samples with a positive weight."""
    left = replace(ranked, weights=weights).drop_zero_weights()
    if ranked.weights is None:
        left = replace(left, weights=None)
    if left.clusters is None:
        return left
    return replace(left, clusters=np.unique(left.clusters, return_inverse=True)[1])


def _plan_lists(
    goal: _Goal,
    meant: tuple[MetricLike, dict[str, Any]],
    data: tuple[Any, Any, Any],
    groups: ArrayLike | None,
    cases: dict[str, Any],
) -> SampleSize:
    """Return the size for means over lists; some future lists are undefined, too."""
    y_true, *scores = data
    named = dict(zip(("y_score_a", "y_score_b"), scores, strict=True))
    if groups is None:
        check_alone(GroupScores, y_score_b=scores[1])
        named = {"y_true": y_true, "y_score_a": scores[0]}
    if list(named.values())[1] is None:
        named.popitem()
    if groups is not None:
        # The size is for labels by people only.
        check_vector("y_true", y_true)
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
    size = goal.unknown(name, means[0].question, len(means), cases_of)
    if not all(model.is_known and model.parts.total >= 0 for model in means):
        reason = "fewer than two lists of the pilot are defined"
        warn_undefined(f"The sample size for the {name}", reason)
        return size
    influence = _joined(means).influence
    squares = scaled_units(influence, of_lists) ** 2
    # The standard error of the logarithm of a mean of squares.
    mean, m = squares.mean(), len(squares)
    spread = np.std(squares, ddof=1) / mean / np.sqrt(m) if mean else 0.0
    pilot = _Pilot(
        goal=goal,
        models=list(means),
        n=n,
        prevalence=float(first.n_pos.sum()) / n,
        least=math.ceil(_LEAST * n / n_units),
        cases_of=cases_of,
        log_ends=_log_ends(goal, means, float(spread), m - 1),
    )
    return _plan_result(size, pilot)
