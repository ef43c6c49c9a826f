"""The difference of two models at every rate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.curves.consensus import Band
from skrate.curves.fold_tables import check_rates, default_rates
from skrate.data.arrays import ROUNDING, ArrayLike, FloatArray, Label, RandomState
from skrate.data.checks import (
    Check,
    check_arguments,
    check_number,
    check_positive,
    or_none,
    warn,
    warn_undefined,
)
from skrate.data.folds import (
    FoldRankings,
    accept_reports,
    are_fold_rankings,
    check_cuts,
)
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
from skrate.inference.options import Plan
from skrate.inference.rankings import (
    SAMPLE_ARGUMENTS,
    Ranked,
    Rankings,
    RankingsOfModels,
    ScoresOfModels,
    Weights,
    are_columns,
    find_model_rankings,
    find_two_rankings,
)
from skrate.inference.units import Units
from skrate.metrics.metric import suggest_arguments
from skrate.metrics.result_types import Drawn, Params, Rows, params_text

# The fields of a comparison that have a number for each rate.
_CURVES = "value_a", "value_b", "difference", "standard_error"
_BOUNDS = "confidence_interval", "band"
_ARGUMENTS: dict[str, Check] = {
    "metric": CURVE_METRICS,
    **BAND_ARGUMENTS,
    "rates": or_none(lambda name, value: check_places(name, value)),
}
Stretch = tuple[float, float]


class WinningRates(NamedTuple):
    """Intervals (low, high) of rates where a, b or neither is significantly better."""

    a: list[Stretch]
    b: list[Stretch]
    open: list[Stretch]


@dataclass(frozen=True, eq=False)
class CurveComparison(Drawn, Rows):
    """Two curves over the rate, from :func:`skrate.compare_curves`.

    Attributes
    ----------
    metric : str
        Name of the metric.
    rates : array of shape (n_rates,)
        Fractions of all samples that are processed, increasing.
    value_a, value_b, difference : array of shape (n_rates,)
        The metric of each model, and a minus b.
    standard_error : array of shape (n_rates,)
        Estimated standard deviation of the difference over samples.
    confidence_interval, band : CurveBounds
        Bounds of the difference at single rates, and of the type ``kind``; ``.low`` and
        ``.high`` are arrays.
    kind : str
        The type of the band: "simultaneous" for all rates at once, or "pointwise".
    confidence_level : float
        Level of both bounds.
    n_pos, n_neg : float
        Number of positives and of negatives; repetitions count.
    params : dict
        Parameters of the metric: "benefit" and "cost" of a gain.
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
    params: Params = field(default_factory=dict)
    name_a: str = "a"
    name_b: str = "b"
    _index = "rates"

    def winning_rates(self, *, max_gap: float = 0.0) -> WinningRates:
        """Return the rates where a or b is significantly better, and the open rates.

        Lists ``a``, ``b`` and ``open`` of pairs (low, high): an interval goes from the
        first to the last of consecutive ``rates`` with a band that excludes 0, and may
        be a single rate. All other rates are open.

        Parameters
        ----------
        max_gap : float, default=0.0
            Join two intervals of the same model if there is no interval of the other
            model between them, and if the second begins at most this rate after the end
            of the first. The open rates between them are then part of the interval.

        Returns
        -------
        intervals : WinningRates
            The three lists.
        """
        max_gap = check_number("max_gap", max_gap)
        # 1 if a wins, -1 if b wins, 0 if neither wins or the band is nan.
        winner = (self.band.low > 0).astype(int) - (self.band.high < 0)
        intervals, rates = WinningRates([], [], []), self.rates.tolist()
        for i, j in pairwise(np.flatnonzero(winner).tolist()):
            if winner[i] == winner[j] and rates[j] - rates[i] <= max_gap + ROUNDING:
                winner[i:j] = winner[i]
        reached = rates[0]
        for who, run in groupby(rates, dict(zip(rates, winner, strict=True)).get):
            low, *_, high = [*run] * 2
            if who:
                if low > reached:
                    intervals.open.append((reached, low))
                (intervals.a if who > 0 else intervals.b).append((low, high))
                reached = high
        if not who:
            intervals.open.append((reached, high))
        return intervals

    def __repr__(self) -> str:
        first, last = self.rates[[0, -1]]
        text = (
            f"CurveComparison({self.metric}{params_text(self.params)} at "
            f"{len(self.rates)} rates from {first:.4g} to {last:.4g}: "
        )
        if np.isnan(self.difference).all():
            return f"{text}undefined)"
        low, high = np.argmin(self.difference), np.argmax(self.difference)
        won, a, b = self.winning_rates(), self.name_a, self.name_b
        return (
            f"{text}{a} - {b} from {self.difference[low]:.4f} at "
            f"{self.rates[low]:.4g} to {self.difference[high]:.4f} at "
            f"{self.rates[high]:.4g}; by the {self.kind} "
            f"{100 * self.confidence_level:g} % band {a} is better "
            f"{_where(won.a)}, {b} {_where(won.b)})"
        )


def _where(stretches: list[Stretch]) -> str:
    """Return the rates where a model wins, in words."""
    if not stretches:
        return "nowhere"
    return "at " + ", ".join(
        f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
        for low, high in stretches
    )


@accept_reports
@suggest_arguments
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

    For which budgets is b better than a? One number per model averages over budgets,
    and curves that cross have two answers. Both models are taken as given.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), FoldRankings or mapping
        True labels of two classes; or the rankings of folds by model a, followed by the
        rankings of model b; or, without scores, a mapping or list with both.
    y_score_a : array-like, mapping or data frame, default=None
        Scores of model a, of shape (n_samples,), higher for the positive class; or of
        both models, with a first: a mapping or data frame with an entry or column per
        model, or an array of shape (n_samples, 2).
    y_score_b : array-like of shape (n_samples,), default=None
        Scores of model b.
    metric : {"recall", "precision", "lift", "hits", "gain"}, default="recall"
        The metric at each rate: the fraction of positives that are processed
        ("recall"), the fraction of processed samples that are positive ("precision"),
        recall over the rate ("lift"), or, per sample of the ranking, the number of
        processed positives ("hits"), or ``benefit`` for each of these minus ``cost``
        for each processed sample ("gain").
    rates : array-like of shape (n_rates,), default=None
        Increasing rates in (0, 1], at most 2,000. None takes up to 199 in equal steps,
        and finer ones near the end of a class with a fraction below 2 %.
    band : {"simultaneous", "pointwise"}, default="simultaneous"
        Whether the band, and so the winning rates, are valid for all ``rates`` at once,
        or for a single rate that was chosen beforehand.
    confidence_level : float, default=0.95
        Level of the intervals and the band, in (0, 1).
    n_resamples : int, default=2000
        Number of draws of multipliers for the band.
    benefit : float, default=None
        The benefit of each positive that is processed, above 0; None means 1. For
        "gain" only.
    cost : float, default=None
        The cost of processing a sample, at least 0, in units of ``benefit``. Required
        for "gain", and for "gain" only.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    weights : {"frequency", "sampling"}, default="frequency"
        The meaning of the weights: "frequency" are whole numbers of repetitions of a
        sample, "sampling" are the inverse probabilities with which samples were drawn.
        For a case-control study, use the average precision with its ``prevalence=``.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.
    random_state : int, Generator or RandomState, default=None
        Source of the draws.

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
        If ``rates`` do not increase within (0, 1]; ``benefit`` or ``cost`` is given
        without "gain"; :func:`compare` would refuse labels, scores, weights or
        clusters; folds do not match; or no fold has both classes.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two samples, or folds lack a class and are left out.

    See Also
    --------
    compare : At one rate, or under one distribution of the rate.
    CurveComparisonDisplay : Draws the comparison.

    Notes
    -----
    Let :math:`y_i` be 1 for a positive and 0 for a negative, :math:`m_i(r)` the
    fraction of sample i that is above the cut at the rate r, :math:`\pi` the
    prevalence, and L(r) the fraction of positives at the cut, estimated from its
    neighbours. The influence of sample i on the recall F(r) is

    .. math:: \psi_i(r) = \frac{y_i}{\pi} \big( m_i(r) - F(r) \big)
              - \frac{L(r)}{\pi} \big( m_i(r) - r \big).

    The square of the standard error s(r) is the sum of the squared differences of this
    influence between the models, over n^2, as in :func:`compare` at r. With normal
    multipliers :math:`\xi_i`, the sums :math:`\sum_i \xi_i \psi_i(r) / n` of these
    differences vary over rates like the difference of the models over samples.
    Therefore the critical value c of the band is the quantile of their maximum
    deviation, in units of :math:`\sqrt{s(r)^2 + g(r)^2}` [1]_, [2]_. For an interval c
    is the normal quantile. With ``clusters``, both increase by the ratio of Student's
    quantile to the normal one. The bounds are

    .. math:: D(r) \pm c \sqrt{s(r)^2 + c^2 g(r)^2 / 4},

    where g(r) is the effect of one sample at the cut. The distance of the band from
    D(r) is at least -log((1 - level) / 2) g(r), or 3.7 samples at 0.95.

    Each fold is cut at the same rate, and the hits of folds are added up. A sample in
    several repeats counts once. Cost: O(n log n + n_rates^3 + n_resamples
    n_rates^2).

    References
    ----------
    .. [1] Montiel Olea and Plagborg-Moller (2019), Simultaneous confidence bands:
       theory, implementation, and an application to SVARs, :doi:`10.1002/jae.2656`.
    .. [2] Ash and Hughes-Oliver (2022), Confidence bands and hypothesis tests for hit
       enrichment curves, :doi:`10.1186/s13321-022-00629-0`.

    Examples
    --------
    Model a is better at low rates, model b at high rates:

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
    gain, plan = check_benefit_cost(metric, benefit, cost), Plan.of(arguments)
    options = {name: arguments[name] for name in SAMPLE_ARGUMENTS}
    models = _named_rankings(y_true, y_score_a, y_score_b, options, weights)
    rankings, units = _two_class_rankings(list(models.values()))
    samples = units.distinct_samples
    steps = _default_rates(samples) if rates is None else arguments["rates"]
    reason = no_inference_reason(samples)
    if reason is None:
        a, b = (
            evaluate_curve(metric, model, steps, units, **gain) for model in rankings
        )
        fields = _compared(a, b, band, plan)
    else:
        warn_undefined(f"The comparison of the {metric}", reason)
        curve = np.full(len(steps), np.nan)
        fields = dict.fromkeys(_CURVES, curve)
        fields |= dict.fromkeys(_BOUNDS, CurveBounds(curve, curve))
    (name_a, name_b), (n_pos, n_neg) = models, samples.sizes
    return CurveComparison(
        metric=metric,
        rates=steps,
        **fields,
        kind=band,
        confidence_level=plan.level,
        n_pos=n_pos,
        n_neg=n_neg,
        params=gain,
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


def _named_rankings(
    y_true: Any, a: Any, b: Any, options: dict[str, Any], weights: Weights
) -> dict[str, Rankings]:
    """Return the rankings of both models by name."""
    are_several = are_fold_rankings(y_true)
    if are_several:
        check_alone(FoldRankings, y_score_a=a, y_score_b=b)
    if are_several or (b is None and are_columns(a)):
        models = find_model_rankings("y_score_a", a, y_true, options, weights)
        if len(models) > 2:
            raise ValueError(
                f"{'y_true' if are_several else 'y_score_a'} must have two models, got "
                f"{len(models)}, {list(models)}: pass two models, or use compare for "
                "several."
            )
        return models
    are_folds = isinstance(y_true, FoldRankings) or isinstance(a, FoldRankings)
    if not are_folds and (a is None or b is None):
        raise ValueError(
            f"{'y_score_a' if a is None else 'y_score_b'} is missing: pass y_true and "
            "the scores of both models, or two FoldRankings, compare_curves(a, b)."
        )
    pair = find_two_rankings(y_true, a, b, weights, **options)
    return dict(zip("ab", pair.values(), strict=True))


def _two_class_rankings(models: list[Rankings]) -> tuple[list[list[Ranked]], Units]:
    """Return the rankings with both classes by each model, and warn of other folds."""
    first, plan = models[0], Plan(stratify=False)
    if first.folds is None:
        return [model.rankings for model in models], Units(first.rankings, plan)
    n_folds = len(first.rankings)
    kept = [i for i, fold in enumerate(first.rankings) if min(fold.sizes) > 0]
    if not kept:
        raise ValueError(
            f"None of the {n_folds} folds has both classes. Use stratified or fewer "
            "folds."
        )
    check_cuts("curve", 0.5, first.folds)
    if len(kept) < n_folds:
        warn(
            f"{n_folds - len(kept)} of {n_folds} folds have one class only and are "
            "left out.",
            UndefinedMetricWarning,
        )
    rankings = [model.rankings for model in models]
    weights = [fold.given for fold in first.rankings if fold.given is not None]
    if weights:
        # One scale for all folds: sampling weights average 1 over these folds.
        mean = np.concatenate([weights[i] for i in kept]).mean()
        rankings = [
            [
                replace(fold, weights=w / mean)
                for fold, w in zip(folds, weights, strict=True)
            ]
            for folds in rankings
        ]
    units = Units.make_fold_units(
        rankings[0], first.folds, kept, [], plan, by_class=False
    )
    return [[folds[i] for i in kept] for folds in rankings], units


def _default_rates(samples: Ranked) -> FloatArray:
    """Return rates that are enough to draw a curve, below 1 if there are several."""
    weight = None if samples.are_repetitions else samples.weights
    has_weights = weight is not None and bool(weight.min() < weight.max())
    steps = default_rates([samples.table], has_weights=has_weights)[1:]
    # At the last rate, 1, all samples are processed. A single sample has only this one.
    return steps[: max(len(steps) - 1, 1)]


def check_places(name: str, values: ArrayLike) -> FloatArray:
    """Return increasing points in (0, 1] for the comparison or drawing of curves."""
    points = check_rates(name, values)
    if points[0] == 0:
        raise ValueError(
            f"{name} must be in (0, 1], got 0: leave it out, because at 0 no samples "
            "are processed and all models are equal."
        )
    # The covariance has a row and a column for each.
    max_points = 2000
    if len(points) > max_points:
        raise ValueError(
            f"{name} must have at most {max_points} numbers, got {len(points)}: use "
            "fewer, such as numpy.linspace(0.005, 0.995, 199). The covariance would "
            "need too much memory."
        )
    return points


def check_benefit_cost(
    metric: str, benefit: float | None, cost: float | None
) -> dict[str, float]:
    """Return the benefit and the cost of a gain; empty for other metrics."""
    if metric != "gain":
        for key, amount in {"benefit": benefit, "cost": cost}.items():
            if amount is not None:
                raise ValueError(
                    f"{key} must be None unless metric='gain', got metric={metric!r}: "
                    "leave it out."
                )
        return {}
    if cost is None:
        raise ValueError(
            "metric='gain' needs cost, the cost of processing a sample: pass cost=0 "
            "for the benefit of the hits."
        )
    if check_number("cost", cost) < 0:
        raise ValueError(f"cost must not be negative, got {float(cost):g}.")
    per_positive = 1.0 if benefit is None else check_positive("benefit", benefit)
    return {"benefit": per_positive, "cost": float(cost)}
