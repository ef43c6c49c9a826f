"""The confidence band of one curve, on several pairs of axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict, Unpack, get_args, overload

import numpy as np
from scipy import special

from skrate.curves.consensus import Band
from skrate.curves.fold_tables import default_rates
from skrate.data.arrays import ArrayLike, FloatArray, Label, RandomState
from skrate.data.checks import Check, check_arguments, or_none, warn_undefined
from skrate.data.folds import FoldRankings, accept_reports, check_cuts
from skrate.data.representations import plain
from skrate.data.table import RankTable, check_alone
from skrate.inference.cautions import no_inference_reason
from skrate.inference.compare_curves import check_benefit_cost, check_places
from skrate.inference.curve_evaluation import (
    BAND_ARGUMENTS,
    CurveProcess,
    curve_process,
)
from skrate.inference.options import Plan
from skrate.inference.rankings import (
    SAMPLE_ARGUMENTS,
    Frame,
    Ranked,
    Weights,
    check_sample,
    pool_folds,
    several_models,
)
from skrate.metrics.hypothesis_tests import NEGLIGIBLE, t_quantile, wilson_ends
from skrate.metrics.metric import suggest_arguments
from skrate.metrics.recall import cut_positive_fraction
from skrate.metrics.result_types import Drawn, Params, Rows, params_text

BandMetric = Literal["recall", "precision", "roc", "pr", "lift", "hits", "gain"]
BAND_METRICS: tuple[BandMetric, ...] = get_args(BandMetric)
_ARGUMENTS: dict[str, Check] = {
    "metric": BAND_METRICS,
    **BAND_ARGUMENTS,
    "at": or_none(check_places),
}
# Curves that are computed from the hits, the positives processed per sample.
_OF_HITS = ("precision", "hits", "gain")
# The quantity on the horizontal axis.
AXES = dict.fromkeys(BAND_METRICS, "rate") | {"roc": "fpr", "pr": "recall"}


@dataclass(frozen=True, eq=False)
class CurveBand(Drawn, Rows):
    """A curve with its confidence band, from :func:`skrate.curve_band`.

    Attributes
    ----------
    metric : str
        The curve: "recall", "precision", "lift", "hits" or "gain" against the rate,
        "roc" or "pr".
    at : array of shape (n_points,)
        Points on the horizontal axis: rates, false positive rates or recalls.
    value, low, high : array of shape (n_points,)
        The observed curve, and its bounds.
    band : str
        The type of the bounds: "simultaneous" for the whole curve, or "pointwise".
    confidence_level, prevalence : float
        Level of the bounds, and fraction of positives.
    n_pos, n_neg : float
        Number of positives and of negatives; repetitions count.
    params : dict
        Parameters of the curve: "benefit" and "cost" of a gain.

    Examples
    --------
    >>> from skrate import curve_band
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> band = curve_band(
    ...     y_true, y_score, metric="roc", at=[0.2, 0.8], random_state=0
    ... )
    >>> band.value.tolist()
    [0.5, 1.0]
    >>> band.to_dict()["fpr"]
    [0.2, 0.8]
    """

    metric: BandMetric
    at: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    band: Band
    confidence_level: float
    prevalence: float
    n_pos: float
    n_neg: float
    params: Params = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per point; "rate", "fpr" or "recall" first.

        The curve is "value", its bounds "low" and "high".
        """
        names = (AXES[self.metric], "value", "low", "high")
        columns = (self.at, self.value, self.low, self.high)
        return {name: plain(col) for name, col in zip(names, columns, strict=True)}

    def __float__(self) -> float:
        raise TypeError("CurveBand has no single value: use the array .value.")

    def __repr__(self) -> str:
        width = float(np.mean(self.high - self.low))
        return (
            f"CurveBand({self.metric}{params_text(self.params)} at {len(self.at)} "
            f"points from {AXES[self.metric]} {self.at[0]:.4g} to {self.at[-1]:.4g}, "
            f"{self.band} {100 * self.confidence_level:g} % band of mean width "
            f"{width:.4f}, n_pos={self.n_pos:g}, n_neg={self.n_neg:g})"
        )


class _Options(TypedDict, total=False):
    """The keyword arguments of :func:`curve_band`."""

    metric: BandMetric
    at: ArrayLike | None
    band: Band
    confidence_level: float
    n_resamples: int
    benefit: float | None
    cost: float | None
    clusters: ArrayLike | None
    sample_weight: ArrayLike | None
    weights: Weights
    pos_label: Label
    random_state: RandomState


@overload
def curve_band(
    y_true: Mapping[Any, FoldRankings], **options: Unpack[_Options]
) -> dict[str, CurveBand]: ...


@overload
def curve_band(
    y_true: ArrayLike,
    y_score: Mapping[Any, ArrayLike] | Frame,
    **options: Unpack[_Options],
) -> dict[str, CurveBand]: ...


@overload
def curve_band(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    **options: Unpack[_Options],
) -> CurveBand: ...


@accept_reports
@suggest_arguments
def curve_band(
    y_true: Any,
    y_score: Any = None,
    *,
    metric: BandMetric = "recall",
    at: ArrayLike | None = None,
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
) -> CurveBand | dict[str, CurveBand]:
    r"""Compute the confidence band of the curve of one model.

    Which curves are possible for a model, given these samples? To see whether two
    models differ, use :func:`compare_curves`: their bands may overlap even if one of
    the models is significantly better.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable, FoldRankings or mapping
        True labels of two classes; or, without ``y_score``, a table of counts, the
        rankings of folds, or a mapping of such rankings by model.
    y_score : array-like, mapping or data frame, default=None
        Scores of shape (n_samples,), higher for the positive class. For several models,
        a mapping, data frame or array with an entry or column per model.
    metric : str, default="recall"
        The curve. Against the rate: "recall" (cumulative gains), "precision", "lift"
        (recall over the rate), "hits" (processed positives per sample) or "gain" per
        sample (``benefit`` for each processed positive minus ``cost`` for each
        processed sample). Or recall against the false positive rate ("roc"), or
        precision against the recall ("pr").
    at : array-like of shape (n_points,), default=None
        Increasing points on the horizontal axis, in (0, 1], at most 2,000. None takes
        up to 200, or slightly more.
    band : {"simultaneous", "pointwise"}, default="simultaneous"
        The type of the bounds: for the whole curve at once, or for each point.
    confidence_level : float, default=0.95
        Level of the band, in (0, 1).
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
    result : CurveBand, or dict of CurveBand
        For several models: the band of each model by its name, as a call with only this
        model returns it. With ``at``, ``value``, ``low`` and ``high``, arrays of shape
        (n_points,), in the units of the curve: fractions, multiples of chance ("lift")
        or the units of ``benefit``. The value of random scores is ``at`` ("recall",
        "roc"), the prevalence ("precision", "pr") or 1 ("lift"). All nan where
        undefined.

    Raises
    ------
    ValueError
        If ``at`` does not increase within (0, 1], ``benefit`` or ``cost`` is given
        without "gain", or labels, scores, weights, clusters or folds do not fit.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two samples.

    See Also
    --------
    sklearn.metrics.roc_curve : The points of a ROC curve, without a band.
    CurveBandDisplay : Draws the band.
    compare_curves : The band of the difference of two models.

    Notes
    -----
    The band of the ROC curve has every point (f, t) that agrees with the sample at some
    cut of the scores: :math:`z_0^2 + z_1^2 \le c^2` for the binomial deviations of the
    fpr and the tpr at this cut, in standard errors. No slope of the curve is estimated,
    and no shape is assumed: if no negatives, or all of them, may be above the cut, the
    bound is 0, or 1. The bounds are the minimum and maximum Jeffreys limit [1]_ at
    :math:`c \cos\theta` about the observed tpr at

    .. math:: \hat f = f + c \sin\theta \sqrt{f (1 - f) / n_0}
              + (1 - 2 f) (c^2 \sin^2\theta - 1) / (6 n_0),

    at the angle :math:`\theta` where Wilson's limit is extreme. c is the critical value
    of :func:`compare_curves` for the recall of this model, slightly reduced because the
    nearest of several cuts counts; for "pointwise" it is the normal quantile (Student's
    with ``clusters``). Weights, clusters and folds scale the class sizes by the
    variance of the recall relative to independent samples.

    Other axes show this band at the observed prevalence. The effect of other
    prevalences within Wilson's interval at c is added, in squares. The precision at the
    recall 0 is undefined, and left out. Derivation and measured coverage are in the
    :ref:`user guide <one_curve>`. Cost: O(n log n + n_points^3 + n_resamples
    n_points^2).

    References
    ----------
    .. [1] Brown, Cai and DasGupta (2001), Interval estimation for a binomial
       proportion, :doi:`10.1214/ss/1009213286`.

    Examples
    --------
    >>> import numpy as np
    >>> from skrate import curve_band
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(500) < 0.2
    >>> y_score = rng.normal(size=500) + 1.5 * y_true
    >>> roc = curve_band(y_true, y_score, metric="roc", random_state=0)
    >>> i = 19
    >>> print(f"{roc.at[i]:.2f}: {roc.low[i]:.2f} to {roc.high[i]:.2f}")
    0.10: 0.47 to 0.79
    """
    arguments = check_arguments(_ARGUMENTS, locals())
    # Each model gets the same random numbers.
    arguments["random_state"] = random_state
    models = several_models("y_score", y_true, y_score)
    if models is None:
        return _band_of_model(y_true, y_score, arguments)
    return {name: _band_of_model(*model, arguments) for name, model in models.items()}


def _band_of_model(y_true: Any, y_score: Any, arguments: dict[str, Any]) -> CurveBand:
    """Return the band of one model."""
    metric, band, weights = (arguments[key] for key in ("metric", "band", "weights"))
    gain = check_benefit_cost(metric, arguments["benefit"], arguments["cost"])
    plan = Plan.of(arguments)
    options = {name: arguments[name] for name in SAMPLE_ARGUMENTS}
    if isinstance(y_true, FoldRankings):
        check_alone(y_true, y_score=y_score, **options)
        check_cuts("curve", 0.5, y_true)
        ranked = pool_folds(y_true, weights)
    else:
        options |= {"weights": weights, "takes_estimates": True}
        ranked = replace(check_sample(y_true, y_score, **options), needs_groups=True)
    points = arguments["at"]
    if points is None:
        points = _default_places(metric, ranked.table)
    curve, low, high = _bounded_curve(metric, ranked, points, band, plan, gain)
    n_pos, n_neg = ranked.sizes
    return CurveBand(
        metric=metric,
        at=points,
        value=curve,
        low=low,
        high=high,
        band=band,
        confidence_level=plan.level,
        prevalence=ranked.table.prevalence,
        n_pos=n_pos,
        n_neg=n_neg,
        params=gain,
    )


def _default_places(metric: BandMetric, table: RankTable) -> FloatArray:
    """Return points on the horizontal axis that are enough to draw a curve."""
    if AXES[metric] != "rate":
        return np.arange(1, 201) / 200
    return default_rates([table], has_weights=table.n_samples is None)[1:]


def _bounded_curve(
    metric: BandMetric,
    ranked: Ranked,
    points: FloatArray,
    band: Band,
    plan: Plan,
    gain: dict[str, float],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a curve and its lower and upper bounds."""

    def critical_value(process: CurveProcess) -> float:
        if band == "simultaneous":
            return process.critical_value(plan)
        return t_quantile(plan.level, float(np.min(process.dof)))

    reason = no_inference_reason(ranked)
    if reason is not None:
        warn_undefined(f"The band of the {metric!r} curve", reason)
        undefined = np.full(len(points), np.nan)
        return undefined, undefined, undefined
    if ranked.estimated is not None:
        if metric == "roc" or metric == "pr":
            raise ValueError(
                f"metric={metric!r} does not support estimated labels: use 'recall', "
                "'precision', 'lift' or 'gain'. Its horizontal axis has fractions of a "
                "class, which are uncertain."
            )
        process = curve_process(metric, [ranked], points, **gain)
        if band == "pointwise":
            return process.values, *process.interval(plan.level)
        return process.values, *process.bounds(critical_value(process))
    steps = _default_places("recall", ranked.table)
    process = curve_process("recall", [ranked], steps)
    critical = critical_value(process)
    curve, low, high = _recall_process_bounds(metric, ranked, process, critical, points)
    if metric == "gain":
        benefit, cost = gain["benefit"], gain["cost"]
        curve, low, high = (benefit * x - cost * points for x in (curve, low, high))
    return curve, low, high


def _recall_process_bounds(
    metric: BandMetric,
    ranked: Ranked,
    process: CurveProcess,
    critical: float,
    points: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a curve by complete labels, and bounds from the process of the recall."""
    effect = _design_effect(process, ranked)
    sizes = ranked.sizes[0] / effect, ranked.sizes[1] / effect
    # The band has the points that agree with the nearest of several cuts. This reduces
    # the critical value, more with fewer ties, because then there are more cuts.
    untied = min(ranked.table.n_groups / sum(ranked.sizes), 1.0)
    critical *= 1 - min(0.75 * untied / np.sqrt(max(sizes)), 0.2)
    return _bounds(metric, ranked.table, sizes, critical, points)


def _design_effect(process: CurveProcess, ranked: Ranked) -> float:
    """Return the variance of the recall relative to independent samples."""
    if ranked.is_plain:
        return 1.0
    table, rates, recall = ranked.table, process.rates, process.values
    lost = cut_positive_fraction([table], rates)
    n_pos, n_neg = ranked.sizes
    variance = recall * (1 - recall) * (1 - 2 * lost) / n_pos
    variance += lost**2 * rates * (1 - rates) * (n_pos + n_neg) / n_pos**2
    observed = float(np.sum(process.standard_error**2))
    expected = float(variance.sum())
    # Both are 0 for rankings without an error.
    return observed / expected if min(observed, expected) > NEGLIGIBLE else 1.0


def _bounds(
    metric: BandMetric,
    table: RankTable,
    sizes: tuple[float, float],
    critical: float,
    points: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a curve and its bounds at points of its horizontal axis."""
    curve = table.fpr, table.tpr
    p = table.prevalence
    # The fpr of the curve at these points, and a finer grid at either end.
    if metric == "roc":
        passed = points
    elif metric == "pr":
        passed = _interpolate_min(points, table.tpr, table.fpr)
    else:
        passed = np.interp(points, table.rates, table.fpr)
    ends = np.geomspace(0.1 / sizes[1], 0.5, 40)
    fpr = np.concatenate([[0.0, 1.0], passed, ends, 1 - ends])
    fpr = np.unique(np.clip(fpr, 0, 1))
    low, high = roc_band(table, sizes, critical, fpr)
    # From (0, 0) to (1, 1), vertical at either end.
    outer = np.append(0.0, fpr), np.append(0.0, high)
    inner = np.append(fpr, 1.0), np.append(low, 1.0)
    ends_of_p = wilson_ends(p, (0.0, 1.0), critical**2 / sum(sizes))
    value, low, high = (
        np.array([_on_axes(metric, roc, float(q), points) for q in (p, *ends_of_p)])
        for roc in (curve, inner, outer)
    )
    max_hits = points if metric in _OF_HITS else np.ones_like(points)
    # The effect of another prevalence on the curve, or on its bound if larger.
    below = np.maximum(value[0] - value.min(axis=0), low[0] - low.min(axis=0))
    above = np.maximum(value.max(axis=0) - value[0], high.max(axis=0) - high[0])
    min_low, value, low, high = low.min(axis=0), value[0], low[0], high[0]
    # Without an effect of the prevalence, rounding must not make the bounds decrease.
    spread = np.hypot(value - np.minimum(low, value), below)
    low = np.where(below > 0, value - spread, low)
    if metric == "pr":
        # All samples may have to be processed: only the prevalence is uncertain.
        low = np.where(points > inner[1][-2], np.minimum(low, min_low), low)
    spread = np.hypot(np.maximum(high, value) - value, above)
    high = np.where(above > 0, value + spread, high)
    # Rounding can move a value across its limit.
    low = np.minimum(np.maximum(low, 0.0), value)
    high = np.maximum(np.minimum(high, max_hits), value)
    scale = 1 / points if metric in ("precision", "lift") else np.ones_like(points)
    return scale * value, scale * low, scale * high


def _on_axes(
    metric: BandMetric,
    curve: tuple[FloatArray, FloatArray],
    prevalence: float,
    points: FloatArray,
) -> FloatArray:
    """Return a ROC curve on other axes: for precision and gain, hits by rate."""
    fpr, tpr = curve
    if metric == "roc":
        return np.interp(points, fpr, tpr)
    if metric == "pr":
        hits = prevalence * points
        false_alarms = (1 - prevalence) * _interpolate_min(points, tpr, fpr)
        return np.asarray(hits / (hits + false_alarms))
    recall = np.interp(points, prevalence * tpr + (1 - prevalence) * fpr, tpr)
    return prevalence * recall if metric in _OF_HITS else recall


def _interpolate_min(points: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the minimum y at points of an increasing curve with vertical segments."""
    return 1 - np.interp(1 - points, 1 - x[::-1], 1 - y[::-1])


def roc_band(
    table: RankTable, sizes: tuple[float, float], critical: float, fpr: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the true positive rate at each fpr."""
    n_pos, n_neg = sizes
    # The squared deviation is split between the axes by an angle.
    angles = np.linspace(-np.pi / 2, np.pi / 2, 25)[:, None]
    across, along = critical * np.sin(angles), critical * np.cos(angles)
    # Quantiles of the observed fraction of negatives above a cut at the true `fpr`.
    seen = fpr + across * np.sqrt(fpr * (1 - fpr) / n_neg)
    seen += (1 - 2 * fpr) * (across**2 - 1) / (6 * n_neg)
    seen = np.clip(seen, 0, 1)
    tpr = np.interp(seen, table.fpr, table.tpr)
    # If no negatives, or all, may be above the cut, the bound of the tpr is 0, or 1.
    low = _jeffreys_limit(np.where(seen > 0, tpr, 0.0), n_pos, along)
    high = 1 - _jeffreys_limit(np.where(seen < 1, 1 - tpr, 0.0), n_pos, along)
    # ROC curves increase.
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]


def _jeffreys_limit(
    fraction: FloatArray, n_samples: float, along: FloatArray
) -> FloatArray:
    """Return Jeffreys' lower limit at the angle with the minimum of Wilson's."""
    wilson, _ = wilson_ends(fraction, (0.0, 1.0), along**2 / n_samples)
    best = np.argmin(wilson, axis=0)
    fraction, tail = fraction[best, np.arange(len(best))], special.ndtr(-along[best, 0])
    hits = n_samples * fraction
    low = special.betaincinv(hits + 0.5, n_samples - hits + 0.5, tail)
    return np.where(fraction > 0, np.minimum(low, fraction), 0.0)
