"""How many cases a test set needs, and what one of a given size will show."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from skrate.core.array_api import check_one_place
from skrate.core.arrays import ArrayLike, Label
from skrate.core.conversion import shown
from skrate.core.fold_rankings import FoldRankings
from skrate.core.metric import Metric, MetricLike
from skrate.core.rank_table import RankTable
from skrate.core.results import ConfidenceInterval, t_quantile
from skrate.core.validation import (
    check_choice,
    check_count,
    check_flag,
    check_fraction,
    check_number,
    check_positive,
    warn_undefined,
)
from skrate.inference.delta import NEGLIGIBLE
from skrate.inference.intervals import ALTERNATIVES, Alternative
from skrate.inference.pilot import at_prevalence, pilot_of, planned_metric
from skrate.inference.plan import defined_value
from skrate.inference.sample import Ranked, check_cases, check_sample, scored
from skrate.inference.size_plan import SampleSize, SizePlan

# That is planned for where none is told.
_POWER = 0.8


def sample_size(
    metric: MetricLike,
    y_true: ArrayLike | RankTable,
    y_score_a: ArrayLike | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    half_width: float | None = None,
    difference: float | None = None,
    power: float = _POWER,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    planned_prevalence: float | None = None,
    stratify: bool = False,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    **metric_kwargs: Any,
) -> SampleSize:
    r"""Compute how many cases a test set needs, from a pilot.

    For an interval of a half width, of a metric or of the difference of two models; or
    for the power of :func:`compare` to find a difference of two models on the same
    cases. It holds for every metric of which :func:`estimate` knows the uncertainty.

    Parameters
    ----------
    metric : callable or str
        As in :func:`estimate`. A rate is a share, not a number of cases of the pilot.
    y_true : array-like of shape (n_samples,) or RankTable
        True labels of the pilot; or its table of counts, without scores, for one model.
    y_score_a : array-like of shape (n_samples,), default=None
        Scores of the model, or of model a.
    y_score_b : array-like of shape (n_samples,), default=None
        Scores of model b on the same cases; None for one model.
    half_width : float, default=None
        Half the width that the interval shall have, of the metric or of the difference.
        None with two models: the size is that of a test.
    difference : float, default=None
        The difference, a less b, that the test shall find; None takes that of the
        pilot.
    power : float, default=0.8
        The probability that it shall be found, in (1 - ``confidence_level``, 1).
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        That of the test, as in :func:`compare`.
    confidence_level : float, default=0.95
        Level of the interval; that of the test is 1 less it.
    planned_prevalence : float, default=None
        Share of positives among the cases to come, if it is not that of the pilot. Not
        with ``clusters``.
    stratify : bool, default=False
        Whether the numbers of positives and negatives will be fixed by design.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case of the pilot. Clusters to come are as large, and as
        alike within.
    sample_weight : array-like of shape (n_samples,), default=None
        How often each case of the pilot is repeated: whole numbers.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    result : SampleSize
        With ``n``, the fewest cases that are enough, ``n_pos``, ``n_neg``, what they
        will show, and ``n_interval``: what n may be as far as this pilot tells. nan
        where the pilot says nothing.

    Raises
    ------
    ValueError
        As :func:`compare`; for one model without ``half_width``, for ``half_width``
        beside ``difference`` or ``power``, a width or a difference beyond the range of
        the metric, a difference to the other side of ``alternative``, a power that is
        out of range, a metric with ``k``, or a half width that takes more cases
        than can be counted.

    Warns
    -----
    UndefinedMetricWarning
        If the metric is undefined on the pilot, a class has fewer than two cases, or
        the pilot shows no difference, or no variation of the difference or the metric.
    UserWarning
        For what is taken at a recall or at a precision: its ``n`` is rough.

    See Also
    --------
    power : What a number of cases will show.
    estimate : The interval itself.
    compare : The test itself.

    Notes
    -----
    With influence values v of the pilot's cases (of a difference, a's less b's), a
    sample of n cases of which a share p is positive has the variance U / n,

    .. math:: U = p \, E[v^2 | y = 1] + (1 - p) \, E[v^2 | y = 0],

    around the means of the classes if ``stratify``. Another p weighs the pilot's cases
    for their influence as well: what is found at a rate depends on the prevalence.
    Clusters are drawn as one: n is what makes enough of them. The interval is that of
    :func:`estimate` or :func:`compare` for such a variance; the power that of
    Student's t at its degrees of freedom, with the noncentrality
    :math:`\Delta / \sqrt{U / n}`. For the AUC of two normal laws that is the size by
    the exact variance. Obuchowski's formula [1]_, which leaves out a covariance of its
    two parameters, agrees at an AUC of 0.6 and asks for up to twice as many at 0.9.

    Of a small pilot n is a rough number. It grows with U, whose logarithm has a
    standard error by the jackknife: a twentieth of the pilot is left out at a time,
    always the same at random, and with it the positives that happen to be in it, unless
    the prevalence is given or class sizes are fixed. ``n_interval`` goes by Student's t
    on that scale; in simulations it held the true size in 92 to 99 % of pilots. Where
    ``difference`` is that of the pilot, n falls with its square, and the intervals of
    both are combined [2]_: there is no end where that of the difference holds 0.
    Better give the difference that matters. Cost: some twenty sorts a model.

    References
    ----------
    .. [1] Obuchowski (1994), Computing sample size for receiver operating
       characteristic studies, :doi:`10.1097/00004424-199402000-00020`.
    .. [2] Zou and Donner (2008), Construction of confidence limits about effect
       measures: a general approach, :doi:`10.1002/sim.3095`.

    Examples
    --------
    A pilot of 100 cases; how many for an AUC within 0.05?

    >>> import numpy as np
    >>> from skrate import sample_size
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(100) < 0.3
    >>> first = rng.normal(size=100) + 1.5 * y_true
    >>> second = 0.8 * first + 0.6 * rng.normal(size=100)
    >>> result = sample_size("roc_auc", y_true, first, half_width=0.05)
    >>> result.n, result.n_pos
    (421, 105)

    And to find that the first is better by 0.05, nine times of ten?

    >>> sample_size(
    ...     "roc_auc", y_true, first, second, difference=0.05, power=0.9
    ... ).n
    627
    """
    level = check_fraction("confidence_level", confidence_level)
    _check_pilot(y_true, y_score_a)
    _check_goal(half_width, difference, power, level, y_score_b)
    plan = _plan(
        metric, metric_kwargs, (y_true, y_score_a, y_score_b), level, alternative,
        difference, planned_prevalence, stratify, half_width=half_width,
        clusters=clusters, sample_weight=sample_weight, pos_label=pos_label,
    )  # fmt: skip
    if half_width is not None:
        return plan.of_half_width(float(half_width))
    return plan.of_power(float(power))


def power(
    metric: MetricLike,
    y_true: ArrayLike,
    y_score_a: ArrayLike,
    y_score_b: ArrayLike | None = None,
    *,
    n_cases: int,
    difference: float | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    planned_prevalence: float | None = None,
    stratify: bool = False,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    **metric_kwargs: Any,
) -> SampleSize:
    """Compute how likely a test set of a size finds the difference of two models.

    The power of :func:`compare` on ``n_cases`` cases, and half the width of its
    interval, from a pilot: :func:`sample_size` the other way.

    Parameters
    ----------
    metric : callable or str
        As in :func:`sample_size`.
    y_true : array-like of shape (n_samples,)
        True labels of the pilot.
    y_score_a, y_score_b : array-like of shape (n_samples,)
        Scores of both models on the pilot, both of which are needed.
    n_cases : int
        Number of cases of the test set.
    difference : float, default=None
        The difference, a less b, that there is; None takes that of the pilot.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        That of the test, as in :func:`compare`.
    confidence_level : float, default=0.95
        Level of the interval; that of the test is 1 less it.
    planned_prevalence : float, default=None
        As in :func:`sample_size`.
    stratify : bool, default=False
        As in :func:`sample_size`.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case of the pilot.
    sample_weight : array-like of shape (n_samples,), default=None
        How often each case of the pilot is repeated: whole numbers.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``.

    Returns
    -------
    result : SampleSize
        With ``power``, ``half_width``, and ``power_interval``: what the power may be as
        far as this pilot tells. nan where the pilot says nothing.

    Raises
    ------
    ValueError
        As :func:`sample_size`, or for an ``n_cases`` of which fewer than two would be
        of one class.

    Warns
    -----
    UndefinedMetricWarning, UserWarning
        As :func:`sample_size`.

    See Also
    --------
    sample_size : How many cases a power takes.
    compare : The test itself.

    Notes
    -----
    The formula is that of :func:`sample_size`. With the difference of the pilot it is
    what is called post hoc power, which says no more than the p-value of the pilot:
    give the difference that matters. Cost: some twenty sorts a model.

    Examples
    --------
    >>> import numpy as np
    >>> from skrate import power
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(100) < 0.3
    >>> first = rng.normal(size=100) + 1.5 * y_true
    >>> second = 0.8 * first + 0.6 * rng.normal(size=100)
    >>> result = power(
    ...     "roc_auc",
    ...     y_true,
    ...     first,
    ...     second,
    ...     n_cases=500,
    ...     difference=0.05,
    ... )
    >>> round(result.power, 2)
    0.82
    """
    level = check_fraction("confidence_level", confidence_level)
    _check_pilot(y_true, y_score_a)
    if y_score_b is None:
        raise ValueError("y_score_b is missing: give the scores of model b.")
    n = check_count("n_cases", n_cases)
    if difference is not None:
        check_number("difference", difference)
    plan = _plan(
        metric, metric_kwargs, (y_true, y_score_a, y_score_b), level, alternative,
        difference, planned_prevalence, stratify, half_width=None,
        clusters=clusters, sample_weight=sample_weight, pos_label=pos_label,
    )  # fmt: skip
    if plan.pilot is not None and n < plan.pilot.least:
        raise ValueError(
            f"n_cases={n} is too few: of fewer than {plan.pilot.least} less than two "
            "are expected to be of one class."
        )
    return plan.of_cases(n)


def _check_pilot(y_true: Any, y_score_a: Any) -> None:
    """Raise for rankings of folds, whose variance is not that of one sample."""
    for name, given in (("y_true", y_true), ("y_score_a", y_score_a)):
        if isinstance(given, FoldRankings):
            raise ValueError(
                f"{name} is a FoldRankings, of which a sample is not planned, as it "
                "will be ranked by one model: give labels and scores of one, such as "
                "those of a fold, y_true, y_score, weights = next(iter(rankings))."
            )


def _check_goal(
    half_width: float | None,
    difference: float | None,
    power: float,
    level: float,
    y_score_b: ArrayLike | None,
) -> None:
    """Check that one thing is asked for, and that it can be had."""
    if half_width is not None:
        check_positive("half_width", half_width)
        if difference is not None:
            raise ValueError(
                "half_width and difference ask for two sizes: leave out one of them."
            )
        if power != _POWER:
            raise ValueError(
                f"power={shown(power)} is for a test: leave it out where half_width "
                "says how wide the interval shall be."
            )
        return
    if y_score_b is None:
        raise ValueError(
            "half_width is missing: with one model it says how wide the interval shall "
            "be; for the power of a test give y_score_b."
        )
    if difference is not None:
        check_number("difference", difference)
    if check_fraction("power", power) <= 1 - level:
        raise ValueError(
            f"power must be above 1 - confidence_level = {1 - level:g}, which is that "
            f"of a test without any difference, got {power:g}."
        )


def _check_reach(
    metric: Metric,
    half_width: float | None,
    difference: float | None,
    *,
    n_models: int,
) -> None:
    """Raise for what no two values of a metric are apart."""
    low, high = metric.limits
    goals = ("half_width", half_width, n_models / 2), ("difference", difference, 1.0)
    for name, goal, share in goals:
        if goal is not None and abs(goal) > share * (high - low):
            raise ValueError(
                f"{name}={goal:g} is beyond all values of the {metric.name}, which lie "
                f"between {low:g} and {high:g}: five points are 0.05."
            )


def _plan(
    metric: MetricLike,
    params: dict[str, Any],
    data: tuple[Any, Any, Any],
    level: float,
    alternative: Alternative,
    difference: float | None,
    prevalence: float | None,
    stratify: bool,
    *,
    half_width: float | None,
    **case_arguments: Any,
) -> SizePlan:
    """Return what is planned with, checked."""
    check_choice("alternative", alternative, ALTERNATIVES)
    check_flag("stratify", stratify)
    if prevalence is not None:
        check_fraction("planned_prevalence", prevalence)
    has_clusters = case_arguments["clusters"] is not None
    for name, is_given in (
        ("planned_prevalence", prevalence is not None),
        ("stratify=True", stratify),
    ):
        if has_clusters and is_given:
            raise ValueError(
                f"{name} excludes clusters: a cluster may hold cases of both classes."
            )
    ranked = _rankings(*data, case_arguments)
    found = planned_metric(metric, params, ranked[0])
    _check_reach(found, half_width, difference, n_models=len(ranked))
    is_test = half_width is None
    if found.has_test:
        warnings.warn(
            f"The {found.name} depends on the ranking near one point, of which a pilot "
            "says little: with 20 to 200 positives, sizes for a power of 0.8 had 0.58 "
            "to 0.77 on average, and half widths were up to 2.7 times as planned. Take "
            "the upper end of n_interval for n.",
            UserWarning,
            stacklevel=3,
        )
    # With the values that they have at the prevalence to come.
    values = [defined_value(found, at_prevalence(one, prevalence)) for one in ranked]
    plan = SizePlan(found, None, level, alternative, None, None, is_test, has_clusters)
    unknown = replace(plan, difference=difference)
    if np.isnan(values).any():
        return unknown
    pilot = pilot_of(
        found, ranked, values, level=level, prevalence=prevalence, stratify=stratify
    )
    n = ranked[0].total
    if pilot.standard_error(n) <= NEGLIGIBLE:
        what = "the difference" if len(ranked) > 1 else "it"
        _warn(plan, f"the pilot shows no variation of {what}")
        return unknown
    plan = replace(plan, pilot=pilot)
    if not is_test:
        return plan
    chosen = pilot.value if difference is None else float(difference)
    if abs(chosen) <= NEGLIGIBLE:
        _warn(plan, "there is no difference to find: give another")
        return plan
    ends = None
    if difference is None:
        half = t_quantile(level, pilot.freedom_of(n)) * pilot.standard_error(n)
        ends = ConfidenceInterval(chosen - half, chosen + half)
    return replace(plan, difference=chosen, difference_interval=ends)


def _warn(plan: SizePlan, reason: str) -> None:
    warn_undefined(f"The sample size for the {plan.metric.name}", reason, stacklevel=5)


def _rankings(
    y_true: Any, y_score_a: Any, y_score_b: Any, case_arguments: dict[str, Any]
) -> list[Ranked]:
    """Return the pilot as ranked by one model or by two."""
    if y_score_b is None:
        return [check_sample(y_true, y_score_a, **case_arguments)]
    if y_score_a is None:
        raise ValueError("y_score_a is missing: give the scores of model a.")
    check_one_place(y_true=y_true, y_score_a=y_score_a, y_score_b=y_score_b)
    cases = check_cases(y_true, **case_arguments)
    names = ("y_score_a", y_score_a), ("y_score_b", y_score_b)
    return [scored(cases, name, scores) for name, scores in names]
