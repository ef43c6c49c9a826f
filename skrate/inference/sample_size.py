"""The number of samples that a test set needs, or the power that it has."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from skrate.data.arrays import ROUNDING, ArrayLike, Label
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
    check_left_out,
    check_sample,
    check_samples,
    make_table_samples,
)
from skrate.metrics.hypothesis_tests import (
    ALTERNATIVES,
    NEGLIGIBLE,
    Alternative,
    Null,
    check_null,
    hypothesis_text,
    null_hypotheses,
    t_quantile,
)
from skrate.metrics.metric import Metric, MetricLike, find_metric
from skrate.metrics.result_types import Drawn, Params, params_text

_NAN = float("nan")
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
    SampleSize(AUC, n=288 (123 positive, 165 negative), half width 0.04999 at 95 %)
    """

    metric: str
    n: float
    n_pos: float
    n_neg: float
    half_width: float
    difference: float | None
    power: float | None
    confidence_level: float
    n_clusters: float | None = None
    params: Params = field(default_factory=dict, hash=False)
    n_lists: float | None = None
    alternative: Alternative | None = None
    margin: float | None = None
    null_value: float | None = None
    _pilot: Any = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        units = {"lists": self.n_lists, "clusters": self.n_clusters}
        counted = [f" in {n} {name}" for name, n in units.items() if n is not None]
        text = (
            f"{self.metric}{params_text(self.params)}, n={self.n}{''.join(counted)} "
            f"({self.n_pos} positive, {self.n_neg} negative), half width "
            f"{self.half_width:.4g} at {100 * self.confidence_level:g} %"
        )
        if self.power is not None:
            text += f", power {self.power:.3f} for {self._hypothesis()}"
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
        if these are the units), and the expected interval and power. They are nan if
        the pilot is uninformative. A pilot with few positives gives an uncertain plan.

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
    influence; clusters are drawn whole. :ref:`planning` has the formulas. Cost: one
    sort per model, or two with ``planned_prevalence``.

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
    samples = {name: arguments[name] for name in SAMPLE_ARGUMENTS}
    if groups is None and not isinstance(y_true, GroupScores):
        ranked = _rankings(*scores, **samples)
        pilot = _evaluate_samples(
            goal, _check_planned_metric(*meant), ranked, planned_prevalence
        )
    else:
        check_left_out(
            MEAN_OVER_LISTS,
            stratify=(stratify, False),
            planned_prevalence=(planned_prevalence, None),
        )
        pilot = _evaluate_list_means(goal, meant, scores, groups, samples)
    return pilot.size()


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
                f"Take more samples than n, because the {metric.name} depends on the "
                "ranking near one point. With 20 to 200 positives, sizes for a power "
                "of 0.8 had 0.58 to 0.77 on average, and half widths were up to 2.7 "
                "times as planned."
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


@dataclass(frozen=True)
class _Pilot:
    """The goal, and the evaluations of one or two models on a pilot of ``n`` samples.

    ``prevalence`` is the planned prevalence, ``least`` the minimum number of samples
    that can be planned, and ``cases_of`` has the samples per list and per cluster.
    """

    goal: _Goal
    models: Sequence[Evaluation]
    n: float
    prevalence: float
    least: int
    samples_of: dict[str, float]

    def size(self) -> SampleSize:
        """Return the planned size; nan if the pilot is uninformative."""
        goal, n, size = self.goal, self.goal.n_samples, self._unknown_size()
        if not all(model.is_known for model in self.models):
            return size
        size = replace(size, _pilot=self)
        is_test, what = size.power is not None, f"The sample size for the {size.metric}"
        model, difference = self.at(self.n), 0.0
        if model.parts.standard_error <= NEGLIGIBLE:
            reason = "the pilot shows no variation of the value or difference"
            warn_undefined(what, reason)
            return size
        if n is not None:
            if n < self.least:
                raise ValueError(
                    f"n_samples={n} must be at least {self.least}, to expect two "
                    "samples of each class and two units."
                )
            size = replace(size, **self._fields(n))
        if is_test:
            difference = model.value - (goal.null_value or 0.0)
            if goal.difference is not None:
                difference = float(goal.difference)
            if abs(difference) <= NEGLIGIBLE and goal.plan.margin is None:
                warn_undefined(what, "the difference to detect is 0: pass another")
                return size
            self._check_detectable(difference)
            size = replace(size, difference=difference)
        if n is None:
            n = self._min_n_samples(difference)
            if n is None and is_test:
                return size
            if n is None:
                raise ValueError(
                    f"half_width={goal.half_width:g} needs over 2^53 samples: increase "
                    "it."
                )
            size = replace(size, **self._fields(n))
        return replace(size, power=self.power(n, difference)) if is_test else size

    def _unknown_size(self) -> SampleSize:
        """Return the result for a pilot that is uninformative."""
        goal, plan, first = self.goal, self.goal.plan, self.models[0]
        n, null_value = goal.n_samples, goal.null_value
        is_of_test = n is None or len(self.models) > 1 or null_value is not None
        is_test = goal.half_width is None and is_of_test
        is_sided = is_test or not plan.is_two_sided
        difference = _NAN if goal.difference is None else goal.difference
        return SampleSize(
            metric=first.name,
            n=_NAN if n is None else n,
            n_pos=_NAN,
            n_neg=_NAN,
            half_width=_NAN,
            difference=difference if is_test else None,
            power=_NAN if is_test else None,
            confidence_level=plan.displayed_level,
            params=first.params,
            alternative=plan.alternative if is_sided else None,
            margin=plan.margin,
            null_value=None if null_value is None else float(null_value),
            **dict.fromkeys(self.samples_of, _NAN),
        )

    def _fields(self, n: float) -> dict[str, Any]:
        """Return the fields of a result for n samples."""
        n_pos, width = round(n * self.prevalence), self.half_width(n)
        units = {name: math.ceil(n / size) for name, size in self.samples_of.items()}
        return {"n": n, "n_pos": n_pos, "n_neg": n - n_pos, "half_width": width} | units

    def _check_detectable(self, difference: float) -> None:
        """Raise for a difference that no test would detect."""
        plan = self.goal.plan
        if min(self._distances(difference)) <= 0:
            with_margin = "" if plan.margin is None else f" with margin={plan.margin:g}"
            raise ValueError(
                f"difference={difference:g} must satisfy "
                f"alternative={plan.alternative!r}{with_margin}, or no number of "
                "samples would show it."
            )

    def _min_n_samples(self, difference: float) -> int | None:
        """Return the minimum n for which n or more are enough, or None."""
        goal = self.goal
        # Larger integers are not exact as floats.
        maximum = 2**53

        def is_enough(n: float) -> bool:
            if goal.half_width is not None:
                return self.half_width(n) <= goal.half_width
            enough = 0.8 if goal.power is None else goal.power
            return self.power(n, difference) >= enough

        powers = range(maximum.bit_length())
        k = bisect_left(powers, True, key=lambda k: is_enough(self.least << k))
        if self.least << k > maximum:
            return None
        return bisect_left(range(self.least << k), True, self.least, key=is_enough)

    def at(self, n: float) -> Evaluation | Difference:
        """Return the expected evaluation of n samples: one model, or a difference."""
        units = replace(self.models[0].units, scale=n / self.n)
        first, *others = (replace(model, units=units) for model in self.models)
        # Do not compute again what is slow.
        if not others:
            vars(first)["excess"] = self.models[0].excess * self.n / n
            return first
        for future, model in zip((first, *others), self.models, strict=True):
            vars(future)["influence"] = model.influence
        return first - others[0]

    def half_width(self, n: float) -> float:
        """Return half the width of the interval, as `estimate` or `compare` has it.

        If the interval has a single end, return its distance from the value.
        """
        future, plan = self.at(n), self.goal.plan
        if isinstance(future, Difference):
            quantile = t_quantile(plan.level, future.degrees_of_freedom)
            return quantile * future.parts.standard_error
        low, high = future.interval(level=plan.level)
        to_low, to_high = future.value - low, high - future.value
        whole = {"greater": to_low, "less": to_high}
        return whole.get(plan.alternative, (to_low + to_high) / 2)

    def power(self, n: float, difference: float) -> float:
        """Return the probability that a test of n samples detects a difference."""
        future, plan = self.at(n), self.goal.plan
        error, null_error, dof = self._errors(future, difference)
        needed = t_quantile(plan.level, dof) * null_error / error
        away = self._distances(difference)
        is_equivalence = len(away) == 2
        if plan.is_two_sided and not is_equivalence:
            away.append(-away[0])
        power = sum(_shifted_t_tail(needed, dof, x / error) for x in away)
        return max(power - 1, 0.0) if is_equivalence else power

    def _distances(self, difference: float) -> list[float]:
        """Return the distance of a difference from each null hypothesis.

        It is negative inside the null hypothesis. A two-sided test uses the side of the
        difference.
        """
        side = "less" if difference < 0 else "greater"
        nulls = [
            (x, side if of == "two-sided" else of) for x, of in self.goal.plan.nulls
        ]
        return [x - difference if of == "less" else difference - x for x, of in nulls]

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
        if future.samples.gains is not None:
            return by_t
        (low, high), x = future.value_range(), null_value + difference
        of_pilot = (future.value - low) * (high - future.value)
        null_error, dof = future.null_error(null_value, error)
        if np.isnan(null_error) or not low < x < high or not of_pilot > 0:
            return by_t
        error *= float(np.sqrt((x - low) * (high - x) / of_pilot))
        return error, null_error, dof


def _shifted_t_tail(needed: float, dof: float, excess: float) -> float:
    """Return P(T > needed) for noncentral t with noncentrality ``excess``."""
    # At more than 20 standard errors it is 0 or 1.
    if min(abs(excess - needed), abs(excess)) > 20:
        return float(excess > needed)
    # The distribution is then normal.
    if dof > 1e5:
        return float(special.ndtr(excess - needed))
    # Older versions of scipy divide by zero, but return the correct value.
    with np.errstate(divide="ignore"):
        return float(stats.nct.sf(needed, dof, excess))


def _rankings(
    y_true: Any, y_score_a: Any, y_score_b: Any, **sample_arguments: Any
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
        samples = check_sample(y_true, None, **sample_arguments)
        # As samples, whose weights can be changed.
        return [replace(samples, scores=-samples.group, counts=None)]
    if y_score_a is None:
        raise ValueError("y_score_a is missing: give the scores of model a.")
    samples, named = check_samples(y_true, **sample_arguments), {"y_score_a": y_score_a}
    if y_score_b is not None:
        named["y_score_b"] = y_score_b
    are_two = len(named) > 1
    return [
        add_model_scores(samples, *pair, needs_groups=are_two) for pair in named.items()
    ]


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


def _evaluate_samples(
    goal: _Goal, metric: Metric, ranked: list[Ranked], planned: float | None
) -> _Pilot:
    """Return the pilot of samples that one or two models rank."""
    goal.check(metric, len(ranked))

    def evaluated(rankings: list[Ranked], *, are_warned: bool) -> list[Evaluation]:
        by_model = [Rankings([ranking]) for ranking in rankings]
        metrics = [metric] * len(rankings)
        return evaluate(metrics, by_model, goal.plan, are_warned=are_warned)

    samples = ranked[0]
    n, n_units, samples_of = samples.total, samples.total, {}
    if samples.clusters is not None:
        n_units = float(samples.n_units)
        samples_of["n_clusters"] = n / n_units
    # A variance needs at least 2 clusters, and 2 samples of each class.
    least, fraction = 2 * n / n_units, samples.sizes[0] / n
    models = evaluated(ranked, are_warned=True)
    if all(model.is_known for model in models):
        if planned is not None:
            fraction = planned
            repeated = [_change_prevalence(ranking, planned) for ranking in ranked]
            models = evaluated(repeated, are_warned=False)
        least = max(least, 2 / min(fraction, 1 - fraction))
        if len(models) == 1 and _lacks_errors(models[0]):
            # Plan with the rare errors that augmented data have.
            ((bound, observed, _),) = models[0].rankings
            rare = make_table_samples(augmented_table(bound, observed))
            models = evaluated([rare], are_warned=False)
        _warn_small_window(metric, *samples.effective_sizes)
    return _Pilot(
        goal=goal,
        models=models,
        n=models[0].samples.total,
        prevalence=fraction,
        least=math.ceil(least),
        samples_of=samples_of,
    )


def _change_prevalence(ranked: Ranked, planned: float) -> Ranked:
    """Return the ranking with samples of one class repeated: the planned prevalence."""
    factors = ranked.class_factors(planned)
    weights = ranked.row_weights * (factors / factors.min())
    return replace(ranked, weights=weights, kind="frequency")


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
            "were 1.2 to 1.6 times as planned on average."
        )


def _evaluate_list_means(
    goal: _Goal,
    meant: tuple[MetricLike, dict[str, Any]],
    data: tuple[Any, Any, Any],
    groups: ArrayLike | None,
    samples: dict[str, Any],
) -> _Pilot:
    """Return the pilot of lists; some future lists are undefined, too."""
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
    by_model, of_mean = compute_list_scores(*meant, y_true, named, groups, samples)
    first, *_ = lists = list(by_model.values())
    means = evaluate_lists(lists, goal.plan, **of_mean)
    goal.check(means[0].metric, len(means))
    if not all(model.is_known and model.parts.total >= 0 for model in means):
        reason = "fewer than two lists of the pilot are defined"
        warn_undefined(f"The sample size for the {means[0].name}", reason)
        means = [replace(model, is_known=False) for model in means]
    n, counted = float(first.n_items.sum()), np.flatnonzero(first.n_items)
    n_units, samples_of = len(counted), {"n_lists": n / len(counted)}
    units = check_list_clusters(of_mean["clusters"], first)
    if units is not None:
        n_units = len(np.unique(units[counted]))
        samples_of["n_clusters"] = n / n_units
    return _Pilot(
        goal=goal,
        models=means,
        n=n,
        prevalence=float(first.n_pos.sum()) / n,
        least=math.ceil(2 * n / n_units),
        samples_of=samples_of,
    )
