"""Two models against each other at every rate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.curves.consensus import Band
from skrate.curves.fold_tables import check_rates, default_rates
from skrate.data.arrays import ArrayLike, FloatArray, Label, RandomState
from skrate.data.checks import (
    Check,
    check_arguments,
    check_number,
    check_positive,
    or_none,
    warn,
    warn_undefined,
)
from skrate.data.folds import FoldRankings, are_fold_rankings, check_cuts
from skrate.data.table import check_alone
from skrate.inference.cautions import no_inference_reason
from skrate.inference.curve_evaluation import (
    BAND_ARGUMENTS,
    CURVE_METRICS,
    CurveBounds,
    CurveEvaluation,
    CurveMetric,
    evaluate_curve,
)
from skrate.inference.models import find_model_rankings, find_two_rankings
from skrate.inference.options import Plan
from skrate.inference.rankings import (
    OF_CASES,
    Ranked,
    Rankings,
    RankingsOfModels,
    ScoresOfModels,
    Weights,
    are_columns,
)
from skrate.inference.units import Units
from skrate.metrics.result_types import Drawn, Question, Rows, question_text

# What a comparison has at each rate.
_CURVES = "value_a", "value_b", "difference", "standard_error"
_BOUNDS = "confidence_interval", "band"
_ARGUMENTS: dict[str, Check] = {
    "metric": CURVE_METRICS,
    **BAND_ARGUMENTS,
    "rates": or_none(lambda name, value: check_places(name, value)),
}
Stretch = tuple[float, float]


class WinningRates(NamedTuple):
    """Intervals (low, high) of rates where a model is better beyond doubt, or none."""

    a: list[Stretch]
    b: list[Stretch]
    open: list[Stretch]


@dataclass(frozen=True, eq=False)
class CurveComparison(Drawn, Rows):
    """Two curves over the rate, as :func:`skrate.compare_curves` returns them.

    Attributes
    ----------
    metric : str
        Name of the metric.
    rates : array of shape (n_rates,)
        Shares of all cases that are processed, increasing.
    value_a, value_b, difference : array of shape (n_rates,)
        The metric of each model, and a minus b.
    standard_error : array of shape (n_rates,)
        Estimated standard deviation of the difference over samples.
    confidence_interval, band : CurveBounds
        Of the difference at a single rate, and as the band was asked for; ``.low`` and
        ``.high`` are arrays.
    kind : str
        What the band holds: "simultaneous", all rates at once, or "pointwise".
    confidence_level : float
        Level of both.
    n_pos, n_neg : float
        Number of positives and of negatives; repetitions count.
    params : dict
        Parameters of the metric: "benefit" and "cost", where it has them.
    name_a, name_b : str
        Names of the models.

    Examples
    --------
    >>> from skrate import compare_curves
    >>> y_true, a, b = [1, 0, 1, 0, 0], [5, 3, 4, 2, 1], [1, 2, 3, 4, 5]
    >>> result = compare_curves(y_true, a, b, random_state=0)
    >>> result.rates.tolist(), result.difference.tolist()
    ([0.2, 0.4, 0.6, 0.8], [0.5, 1.0, 0.5, 0.5])
    >>> result.winning_rates().open
    [(0.2, 0.8)]
    """

    metric: str
    rates: FloatArray
    value_a: FloatArray
    value_b: FloatArray
    difference: FloatArray
    standard_error: FloatArray
    confidence_interval: CurveBounds
    band: CurveBounds
    kind: str
    confidence_level: float
    n_pos: float
    n_neg: float
    params: Question = field(default_factory=dict)
    name_a: str = "a"
    name_b: str = "b"
    _index = "rates"

    def winning_rates(self) -> WinningRates:
        """Return where a is better than b beyond doubt, where b is, and what is open.

        Lists ``a``, ``b`` and ``open`` of pairs (low, high): an interval goes from the
        first to the last in a row of ``rates`` at which the band leaves 0 out, and may
        be a single rate; all else is open.
        """
        # 1 where a wins, -1 where b does, 0 where it is open, and where it is unknown.
        winner = (self.band.low > 0).astype(int) - (self.band.high < 0)
        found, rates = WinningRates([], [], []), self.rates.tolist()
        reached = rates[0]
        for who, run in groupby(rates, dict(zip(rates, winner, strict=True)).get):
            low, *_, high = [*run] * 2
            if who:
                if low > reached:
                    found.open.append((reached, low))
                (found.a if who > 0 else found.b).append((low, high))
                reached = high
        if not who:
            found.open.append((reached, high))
        return found

    def __repr__(self) -> str:
        first, last = self.rates[[0, -1]]
        text = (
            f"CurveComparison({self.metric}{question_text(self.params)} at "
            f"{len(self.rates)} rates from {first:.4g} to {last:.4g}: "
        )
        if np.isnan(self.difference).all():
            return f"{text}undefined)"
        least, most = np.argmin(self.difference), np.argmax(self.difference)
        won, a, b = self.winning_rates(), self.name_a, self.name_b
        return (
            f"{text}{a} - {b} from {self.difference[least]:.4f} at "
            f"{self.rates[least]:.4g} to {self.difference[most]:.4f} at "
            f"{self.rates[most]:.4g}; by the {self.kind} "
            f"{100 * self.confidence_level:g} % band {a} is better "
            f"{_where(won.a)}, {b} {_where(won.b)})"
        )


def _where(stretches: list[Stretch]) -> str:
    """Return in words where a model wins."""
    if not stretches:
        return "nowhere"
    return "at " + ", ".join(
        f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
        for low, high in stretches
    )


def compare_curves(
    y_true: ArrayLike | FoldRankings | RankingsOfModels,
    y_score_a: ScoresOfModels | FoldRankings | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    metric: CurveMetric = "recall",
    rates: ArrayLike | None = None,
    band: Band = "simultaneous",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    benefit: float | None = None,
    cost: float | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
    random_state: RandomState = None,
) -> CurveComparison:
    r"""Compare two models at every rate: difference, interval and simultaneous band.

    At which budgets is b better than a? One number per model averages over budgets, and
    curves that cross have two answers. Both models are taken as given.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), FoldRankings or mapping
        True labels of two classes; or the rankings of folds by model a, followed by the
        rankings of model b; or, without scores, a mapping or list with both.
    y_score_a : array-like, mapping or data frame, default=None
        Scores of model a, of shape (n_samples,), higher for the positive class; or of
        both models, the first of which is a: a mapping or data frame with an entry or
        column per model, or an array of shape (n_samples, 2).
    y_score_b : array-like of shape (n_samples,), default=None
        Scores of model b.
    metric : {"recall", "precision", "lift", "hits", "gain"}, default="recall"
        What is compared at a rate: the share of the positives found ("recall"), of
        positives among what is processed ("precision"), recall over the rate ("lift"),
        or, per case of the ranking, positives found ("hits"), and ``benefit`` for each
        of them minus ``cost`` for each case processed ("gain").
    rates : array-like of shape (n_rates,), default=None
        Increasing rates in (0, 1], at most 2,000; None takes up to 199 in equal steps,
        and finer ones near the end of a class with a share below 2 %.
    band : {"simultaneous", "pointwise"}, default="simultaneous"
        What the band, and so the winning rates, hold: the whole difference, at all
        ``rates`` at once, or the one at a single rate that is chosen beforehand.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    n_resamples : int, default=2000
        Number of draws of multipliers for the band.
    benefit : float, default=None
        What a positive that is found is worth, above 0; None means 1. For "gain" only.
    cost : float, default=None
        What it costs to process a case, at least 0, in units of ``benefit``; needed
        for "gain", and only there.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are: "frequency" are whole numbers of repetitions of a case,
        "sampling" the inverse probabilities with which cases were sampled. For a
        case-control sample pass ``prevalence`` to the average precision instead.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    random_state : int, Generator or RandomState, default=None
        Source of the replicates.

    Returns
    -------
    result : CurveComparison
        With ``rates``, ``value_a``, ``value_b``, ``difference`` (a - b: 0 for models
        that are equally good, for random scores and at the rate 1), ``standard_error``,
        ``confidence_interval`` and ``band``, arrays of shape (n_rates,); ``name_a`` and
        ``name_b``, "a" and "b" unless given; and ``winning_rates()``. All nan where
        undefined.

    Raises
    ------
    ValueError
        For ``rates`` that do not increase within (0, 1], ``benefit`` or ``cost``
        without "gain", labels, scores, weights or clusters as :func:`compare`, or folds
        that do not match or of which none has both classes.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, or folds lack a class and are left out.

    See Also
    --------
    compare : At one rate, or under one distribution of it.
    CurveComparisonDisplay : Draws it.

    Notes
    -----
    With :math:`y_i` 1 for a positive, :math:`m_i(r)` the part of case i that is above
    the cut at the rate r, :math:`\pi` the prevalence and L(r) the share of positives at
    the cut, estimated from its neighbours, case i has on the recall F(r) the influence

    .. math:: \psi_i(r) = \frac{y_i}{\pi} \big( m_i(r) - F(r) \big)
              - \frac{L(r)}{\pi} \big( m_i(r) - r \big).

    The squares of the difference of both models', summed over n^2, are the square of
    the standard error s(r), as of :func:`compare` at r. With normal multipliers
    :math:`\xi_i` the sums :math:`\sum_i \xi_i \psi_i(r) / n` vary over rates as the
    difference does over samples: the critical value c of the band is the quantile of
    their largest deviation in units of :math:`\sqrt{s(r)^2 + g(r)^2}` [1]_, [2]_, that
    of an interval the normal quantile (with ``clusters`` both grow as Student's t
    does). The bounds are

    .. math:: D(r) \pm c \sqrt{s(r)^2 + c^2 g(r)^2 / 4},

    with g(r) what one case at the cut is worth; the band leaves at least
    -log((1 - level) / 2) cases open, 3.7 of them at 0.95.

    Each fold is cut at the same rate, what they find is added up, and a case
    of several repeats counts once. Cost: O(n log n + n_rates^3 + n_resamples
    n_rates^2).

    References
    ----------
    .. [1] Montiel Olea and Plagborg-Moller (2019), Simultaneous confidence bands:
       theory, implementation, and an application to SVARs, :doi:`10.1002/jae.2656`.
    .. [2] Ash and Hughes-Oliver (2022), Confidence bands and hypothesis tests for hit
       enrichment curves, :doi:`10.1186/s13321-022-00629-0`.

    Examples
    --------
    a finds the first positives sooner, b the last:

    >>> import numpy as np
    >>> from skrate import compare_curves
    >>> rng = np.random.default_rng(1)
    >>> y_true = rng.random(3000) < 0.2
    >>> a, b = rng.normal(size=3000), rng.random(3000) < 0.6
    >>> a, b = a + 5 * b * y_true, rng.normal(size=3000) + 1.5 * y_true
    >>> result = compare_curves(y_true, a, b, random_state=0)
    >>> result.winning_rates().a
    [(0.055, 0.165)]
    >>> result.winning_rates().b
    [(0.29, 0.97)]
    """
    arguments = check_arguments(_ARGUMENTS, locals())
    worth, plan = check_benefit_cost(metric, benefit, cost), Plan.of(arguments)
    given = {name: arguments[name] for name in OF_CASES}
    models = _named_rankings(y_true, y_score_a, y_score_b, given, weights)
    rankings, units = _two_class_rankings(list(models.values()))
    cases = units.distinct_cases
    steps = _default_rates(cases) if rates is None else arguments["rates"]
    reason = no_inference_reason(cases)
    if reason is None:
        a, b = (evaluate_curve(metric, one, steps, units, **worth) for one in rankings)
        found = _compared(a, b, band, plan)
    else:
        warn_undefined(f"The comparison of the {metric}", reason)
        found = _undefined(len(steps))
    (name_a, name_b), (n_pos, n_neg) = models, cases.sizes
    return CurveComparison(
        metric=metric,
        rates=steps,
        **found,
        kind=band,
        confidence_level=plan.level,
        n_pos=n_pos,
        n_neg=n_neg,
        params=worth,
        name_a=name_a,
        name_b=name_b,
    )


def _compared(
    a: CurveEvaluation, b: CurveEvaluation, band: Band, plan: Plan
) -> dict[str, Any]:
    """Return both curves and their difference, with its error and bounds."""
    process = (a - b).process
    interval = process.interval(plan.level)
    return {
        "value_a": a.values,
        "value_b": b.values,
        "difference": process.values,
        "standard_error": process.standard_error,
        "confidence_interval": interval,
        "band": interval if band == "pointwise" else process.band(plan),
    }


def _undefined(n_rates: int) -> dict[str, Any]:
    """Return the same of curves of which nothing is known."""
    curve = np.full(n_rates, np.nan)
    found: dict[str, Any] = dict.fromkeys(_CURVES, curve)
    return found | dict.fromkeys(_BOUNDS, CurveBounds(curve, curve))


def _named_rankings(
    y_true: Any, a: Any, b: Any, given: dict[str, Any], weights: Weights
) -> dict[str, Rankings]:
    """Return the rankings of both models by their names."""
    are_several = are_fold_rankings(y_true)
    if are_several:
        check_alone(FoldRankings, y_score_a=a, y_score_b=b)
    if are_several or (b is None and are_columns(a)):
        models = find_model_rankings("y_score_a", a, y_true, given, weights)
        if len(models) > 2:
            raise ValueError(
                f"{'y_true' if are_several else 'y_score_a'} must hold two models, got "
                f"{len(models)}, {list(models)}: pass two of them, or use compare, "
                "which takes several."
            )
        return models
    are_folds = isinstance(y_true, FoldRankings) or isinstance(a, FoldRankings)
    if not are_folds and (a is None or b is None):
        raise ValueError(
            f"{'y_score_a' if a is None else 'y_score_b'} is missing: pass y_true and "
            "the scores of both models, or two FoldRankings, compare_curves(a, b)."
        )
    both = find_two_rankings(y_true, a, b, weights, **given)
    return dict(zip("ab", both.values(), strict=True))


def _two_class_rankings(models: list[Rankings]) -> tuple[list[list[Ranked]], Units]:
    """Return the rankings of both classes by each model, and warn of other folds."""
    first, plan = models[0], Plan(stratify=False)
    if first.folds is None:
        return [one.each for one in models], Units(first.each, plan)
    n_folds = len(first.each)
    both = [i for i, one in enumerate(first.each) if min(one.sizes) > 0]
    if not both:
        raise ValueError(
            f"None of the {n_folds} folds has both classes. Use stratified or fewer "
            "folds."
        )
    check_cuts("curve", 0.5, first.folds)
    if len(both) < n_folds:
        warn(
            f"{n_folds - len(both)} of {n_folds} folds hold one class only and are "
            "left out.",
            UndefinedMetricWarning,
        )
    rankings = [one.each for one in models]
    given = [one.given for one in first.each if one.given is not None]
    if given:
        # On one scale: sampling weights average 1 over all of these folds.
        mean = np.concatenate([given[i] for i in both]).mean()
        rankings = [
            [
                replace(one, weights=own / mean)
                for one, own in zip(each, given, strict=True)
            ]
            for each in rankings
        ]
    units = Units.make_fold_units(
        rankings[0], first.folds, both, [], plan, by_class=False
    )
    return [[each[i] for i in both] for each in rankings], units


def _default_rates(cases: Ranked) -> FloatArray:
    """Return rates that show a curve as it is, all below 1 unless there is one."""
    weight = None if cases.are_repetitions else cases.weights
    has_weights = weight is not None and bool(weight.min() < weight.max())
    steps = default_rates([cases.table], has_weights=has_weights)[1:]
    # All is processed at the last of them, which a single case has alone.
    return steps[: max(len(steps) - 1, 1)]


def check_places(name: str, values: ArrayLike) -> FloatArray:
    """Return increasing places in (0, 1] at which curves are compared or drawn."""
    places = check_rates(name, values)
    if places[0] == 0:
        raise ValueError(
            f"{name} must lie in (0, 1], found 0: there nothing is processed, and all "
            "models are alike. Leave it out."
        )
    # Their covariance is an array of as many rows and columns.
    most = 2000
    if len(places) > most:
        raise ValueError(
            f"{name} holds {len(places)} numbers, more than {most}: their "
            "covariance would not fit in little memory. Take fewer, such as "
            "numpy.linspace(0.005, 0.995, 199)."
        )
    return places


def check_benefit_cost(
    metric: str, benefit: float | None, cost: float | None
) -> dict[str, float]:
    """Return the benefit and the cost of a gain, none of other metrics."""
    if metric != "gain":
        for key, value in {"benefit": benefit, "cost": cost}.items():
            if value is not None:
                raise ValueError(
                    f"{key} is for metric='gain' only, found metric={metric!r}: leave "
                    "it out."
                )
        return {}
    if cost is None:
        raise ValueError(
            "metric='gain' needs cost, what it costs to process a case: with cost=0 "
            "it is the benefit of the hits."
        )
    if check_number("cost", cost) < 0:
        raise ValueError(f"cost must not be negative, found {float(cost):g}.")
    worth = 1.0 if benefit is None else check_positive("benefit", benefit)
    return {"benefit": worth, "cost": float(cost)}
