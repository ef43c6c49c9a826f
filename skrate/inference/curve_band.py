"""The band of one curve, on every pair of axes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from scipy import special

from skrate.curves.consensus import Band
from skrate.curves.fold_tables import default_rates
from skrate.data.arrays import ArrayLike, FloatArray, Label, RandomState
from skrate.data.checks import Check, check_arguments, or_none, warn_undefined
from skrate.data.folds import FoldRankings, check_cuts
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
    OF_CASES,
    Ranked,
    Weights,
    check_sample,
    pool_folds,
)
from skrate.metrics.hypothesis_tests import NEGLIGIBLE
from skrate.metrics.recall import cut_positive_fraction
from skrate.metrics.result_types import (
    Drawn,
    Question,
    Rows,
    question_text,
    t_quantile,
    wilson_ends,
)

BandMetric = Literal["recall", "precision", "roc", "pr", "lift", "gain"]
BAND_METRICS: tuple[BandMetric, ...] = get_args(BandMetric)
_ARGUMENTS: dict[str, Check] = {
    "metric": BAND_METRICS,
    **BAND_ARGUMENTS,
    "at": or_none(check_places),
}
# What stands on the horizontal axis.
AXES = dict.fromkeys(BAND_METRICS, "rate") | {"roc": "fpr", "pr": "recall"}


@dataclass(frozen=True, eq=False)
class CurveBand(Drawn, Rows):
    """A curve with its band, as :func:`skrate.curve_band` returns it.

    Attributes
    ----------
    metric : str
        The curve: "recall", "precision", "lift" or "gain" against the rate, "roc" or
        "pr".
    at : array of shape (n_points,)
        Places on the horizontal axis: rates, false positive rates or recalls.
    value, low, high : array of shape (n_points,)
        The curve of the sample, and its bounds.
    band : str
        What the bounds hold: "simultaneous", all of the curve at once, or "pointwise".
    confidence_level, prevalence : float
        Level of the bounds, and share of the positives.
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
    params: Question = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per place; "rate", "fpr" or "recall" first.

        The curve is "value", its bounds "low" and "high".
        """
        names = (AXES[self.metric], "value", "low", "high")
        columns = (self.at, self.value, self.low, self.high)
        return {name: plain(one) for name, one in zip(names, columns, strict=True)}

    def __float__(self) -> float:
        raise TypeError("CurveBand has no single value: take those in .value.")

    def __repr__(self) -> str:
        width = float(np.mean(self.high - self.low))
        return (
            f"CurveBand({self.metric}{question_text(self.params)} at {len(self.at)} "
            f"places from {AXES[self.metric]} {self.at[0]:.4g} to {self.at[-1]:.4g}, "
            f"{self.band} {100 * self.confidence_level:g} % band of mean width "
            f"{width:.4f}, n_pos={self.n_pos:g}, n_neg={self.n_neg:g})"
        )


def curve_band(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
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
) -> CurveBand:
    r"""Find the band of one model's curve, on the axes that are asked for.

    Where may the true curve of a model lie, given these cases? To see whether two
    models differ use :func:`compare_curves`: their bands may overlap where one of them
    is better beyond doubt.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or, without ``y_score``, a table of counts, or the
        rankings of folds.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    metric : {"recall", "precision", "roc", "pr", "lift", "gain"}, default="recall"
        The curve: recall (cumulative gains), precision, lift (recall over the rate) or
        gain per case (``benefit`` for each positive found minus ``cost`` for each case
        processed) against the rate; recall against the false positive rate ("roc"); or
        precision against the recall ("pr").
    at : array-like of shape (n_points,), default=None
        Increasing places on the horizontal axis, in (0, 1], at most 2,000; None takes
        up to 200 or a few more.
    band : {"simultaneous", "pointwise"}, default="simultaneous"
        What the bounds hold: the whole curve at once, or each of its points alone.
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
    result : CurveBand
        With ``at``, ``value``, ``low`` and ``high``, arrays of shape (n_points,), in
        the units of the curve: shares, multiples of chance ("lift") or the units of
        ``benefit``. The value of random scores is the place ("recall", "roc"), the
        prevalence ("precision", "pr") or 1 ("lift"). All nan where undefined.

    Raises
    ------
    ValueError
        For ``at`` that does not increase within (0, 1], ``benefit`` or ``cost``
        without "gain", or labels, scores, weights, clusters or folds that do not fit.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases.

    See Also
    --------
    sklearn.metrics.roc_curve : The points of a ROC curve, without a band.
    CurveBandDisplay : Draws it.
    compare_curves : The band of the difference of two models.

    Notes
    -----
    The band of the ROC curve holds every point (f, t) that, as some cut of the scores,
    agrees with the sample: :math:`z_0^2 + z_1^2 \le c^2` for the binomial deviations of
    its fpr and its tpr there, in standard errors. No slope of the curve is estimated,
    and no shape assumed: where no negative, or each of them, may be above the cut, the
    bound is 0, or 1. So it is the least and the greatest Jeffreys limit [1]_ at
    :math:`c \cos\theta` about the tpr of the sample at

    .. math:: \hat f = f + c \sin\theta \sqrt{f (1 - f) / n_0}
              + (1 - 2 f) (c^2 \sin^2\theta - 1) / (6 n_0),

    at the angle where Wilson's limit is extreme. c is the critical value of
    :func:`compare_curves` for the recall of this model, made a little less, as the
    nearest of several cuts counts; for "pointwise" the normal quantile. Weights,
    clusters and folds scale the class sizes by the variance of the recall relative to
    independent cases.

    Other axes show this band with the prevalence of the sample, and add the effect of
    another one, within Wilson's interval at c, in squares. A precision at the recall 0
    is undefined, and left out. Derivation and measured coverage are in the
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
    worth, plan = check_benefit_cost(metric, benefit, cost), Plan.of(arguments)
    given = {name: arguments[name] for name in OF_CASES}
    ranked, places = _checked(y_true, y_score, weights, given), arguments["at"]
    if places is None:
        places = _default_places(metric, ranked.table)
    value, low, high = _bounded_curve(metric, ranked, places, band, plan, worth)
    n_pos, n_neg = ranked.sizes
    return CurveBand(
        metric=metric,
        at=places,
        value=value,
        low=low,
        high=high,
        band=band,
        confidence_level=plan.level,
        prevalence=ranked.table.prevalence,
        n_pos=n_pos,
        n_neg=n_neg,
        params=worth,
    )


def _checked(
    y_true: Any, y_score: Any, weights: Weights, given: dict[str, Any]
) -> Ranked:
    """Return the ranking, or the consensus of folds."""
    if isinstance(y_true, FoldRankings):
        check_alone(y_true, y_score=y_score, **given)
        check_cuts("curve", 0.5, y_true)
        return pool_folds(y_true, weights)
    given = given | {"weights": weights, "takes_estimates": True}
    return replace(check_sample(y_true, y_score, **given), by_case=True)


def _default_places(metric: BandMetric, table: RankTable) -> FloatArray:
    """Return places on the horizontal axis of a curve that show it as it is."""
    if AXES[metric] != "rate":
        return np.arange(1, 201) / 200
    return default_rates([table], has_weights=table.n_samples is None)[1:]


def _bounded_curve(
    metric: BandMetric,
    ranked: Ranked,
    places: FloatArray,
    band: Band,
    plan: Plan,
    worth: dict[str, float],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a curve and its bounds."""

    def critical_value(process: CurveProcess) -> float:
        if band == "simultaneous":
            return process.critical_value(plan)
        return t_quantile(plan.level, float(np.min(process.freedom)))

    reason = no_inference_reason(ranked)
    if reason is not None:
        warn_undefined(f"The band of the {metric!r} curve", reason)
        nothing = np.full(len(places), np.nan)
        return nothing, nothing, nothing
    if ranked.estimated is not None:
        if metric == "roc" or metric == "pr":
            raise ValueError(
                f"metric={metric!r} has fractions of a class on its horizontal axis, "
                "which estimated labels leave uncertain: use 'recall', 'precision', "
                "'lift' or 'gain'."
            )
        process = curve_process(metric, [ranked], places, **worth)
        if band == "pointwise":
            return process.values, *process.interval(plan.level)
        return process.values, *process.bounds(critical_value(process))
    steps = _default_places("recall", ranked.table)
    process = curve_process("recall", [ranked], steps)
    critical = critical_value(process)
    value, low, high = _recall_process_bounds(metric, ranked, process, critical, places)
    if metric == "gain":
        benefit, cost = worth["benefit"], worth["cost"]
        value, low, high = (benefit * x - cost * places for x in (value, low, high))
    return value, low, high


def _recall_process_bounds(
    metric: BandMetric,
    ranked: Ranked,
    process: CurveProcess,
    critical: float,
    places: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a curve of known labels and its bounds, by the process of the recall."""
    effect = _design_effect(process, ranked)
    sizes = ranked.sizes[0] / effect, ranked.sizes[1] / effect
    # The nearest of several cuts is closer than that of the sample, by so much of the
    # critical value: the fewer samples tie, the more cuts there are to choose from.
    untied = min(ranked.table.n_groups / sum(ranked.sizes), 1.0)
    critical *= 1 - min(0.75 * untied / np.sqrt(max(sizes)), 0.2)
    return _bounds(metric, ranked.table, sizes, critical, places)


def _design_effect(process: CurveProcess, ranked: Ranked) -> float:
    """Return how many times the recall varies as much as that of independent cases."""
    if ranked.is_plain:
        return 1.0
    table, rates, recall = ranked.table, process.rates, process.values
    lost = cut_positive_fraction([table], rates)
    n_pos, n_neg = ranked.sizes
    variance = recall * (1 - recall) * (1 - 2 * lost) / n_pos
    variance += lost**2 * rates * (1 - rates) * (n_pos + n_neg) / n_pos**2
    found = float(np.sum(process.standard_error**2))
    expected = float(variance.sum())
    # Of rankings without an error both are 0.
    return found / expected if min(found, expected) > NEGLIGIBLE else 1.0


def _bounds(
    metric: BandMetric,
    table: RankTable,
    sizes: tuple[float, float],
    critical: float,
    places: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a curve and its bounds at places of its horizontal axis."""
    curve = table.fpr, table.tpr
    p = table.prevalence
    # Where the curve passes these places, and finer at either end.
    if metric == "roc":
        passed = places
    elif metric == "pr":
        passed = _interpolate_min(places, table.tpr, table.fpr)
    else:
        passed = np.interp(places, table.rates, table.fpr)
    ends = np.geomspace(0.1 / sizes[1], 0.5, 40)
    fpr = np.concatenate([[0.0, 1.0], passed, ends, 1 - ends])
    fpr = np.unique(np.clip(fpr, 0, 1))
    low, high = roc_band(table, sizes, critical, fpr)
    # From (0, 0) to (1, 1), straight up at either end.
    outer = np.append(0.0, fpr), np.append(0.0, high)
    inner = np.append(fpr, 1.0), np.append(low, 1.0)
    others = wilson_ends(p, (0.0, 1.0), critical**2 / sum(sizes))
    value, low, high = (
        np.array([_on_axes(metric, one, float(q), places) for q in (p, *others)])
        for one in (curve, inner, outer)
    )
    most = places if metric in ("precision", "gain") else np.ones_like(places)
    # What another prevalence makes of the curve, or of its bound if that is more.
    below = np.maximum(value[0] - value.min(axis=0), low[0] - low.min(axis=0))
    above = np.maximum(value.max(axis=0) - value[0], high.max(axis=0) - high[0])
    least, value, low, high = low.min(axis=0), value[0], low[0], high[0]
    # Where the prevalence has no effect, the bounds to the last digit: they rise.
    spread = np.hypot(value - np.minimum(low, value), below)
    low = np.where(below > 0, value - spread, low)
    if metric == "pr":
        # All may have to be processed: the prevalence is all that is uncertain.
        low = np.where(places > inner[1][-2], np.minimum(low, least), low)
    spread = np.hypot(np.maximum(high, value) - value, above)
    high = np.where(above > 0, value + spread, high)
    # What lies on a limit may be beyond it by rounding.
    low = np.minimum(np.maximum(low, 0.0), value)
    high = np.maximum(np.minimum(high, most), value)
    scale = 1 / places if metric in ("precision", "lift") else np.ones_like(places)
    return scale * value, scale * low, scale * high


def _on_axes(
    metric: BandMetric,
    curve: tuple[FloatArray, FloatArray],
    prevalence: float,
    places: FloatArray,
) -> FloatArray:
    """Return at places what a ROC curve is: hits for a precision or gain by rate."""
    fpr, tpr = curve
    if metric == "roc":
        return np.interp(places, fpr, tpr)
    if metric == "pr":
        found = prevalence * places
        wrong = (1 - prevalence) * _interpolate_min(places, tpr, fpr)
        return np.asarray(found / (found + wrong))
    recall = np.interp(places, prevalence * tpr + (1 - prevalence) * fpr, tpr)
    return prevalence * recall if metric in ("precision", "gain") else recall


def _interpolate_min(places: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the least y at places, of a curve that may rise straight up there."""
    return 1 - np.interp(1 - places, 1 - x[::-1], 1 - y[::-1])


def roc_band(
    table: RankTable, sizes: tuple[float, float], critical: float, fpr: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the true positive rate."""
    n_pos, n_neg = sizes
    # How a squared deviation may be shared between the axes.
    angles = np.linspace(-np.pi / 2, np.pi / 2, 25)[:, None]
    across, along = critical * np.sin(angles), critical * np.cos(angles)
    # Quantiles of the share of negatives above a cut whose true share is `fpr`.
    seen = fpr + across * np.sqrt(fpr * (1 - fpr) / n_neg)
    seen += (1 - 2 * fpr) * (across**2 - 1) / (6 * n_neg)
    seen = np.clip(seen, 0, 1)
    tpr = np.interp(seen, table.fpr, table.tpr)
    # Where none, or all, may be above the cut, nothing is known of the tpr beyond.
    low = _jeffreys_limit(np.where(seen > 0, tpr, 0.0), n_pos, along)
    high = 1 - _jeffreys_limit(np.where(seen < 1, 1 - tpr, 0.0), n_pos, along)
    # A ROC curve rises.
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]


def _jeffreys_limit(
    share: FloatArray, n_samples: float, along: FloatArray
) -> FloatArray:
    """Return Jeffreys' lower limit at the angle where Wilson's, a root, is least."""
    wilson, _ = wilson_ends(share, (0.0, 1.0), along**2 / n_samples)
    best = np.argmin(wilson, axis=0)
    share, tail = share[best, np.arange(len(best))], special.ndtr(-along[best, 0])
    found = n_samples * share
    low = special.betaincinv(found + 0.5, n_samples - found + 0.5, tail)
    return np.where(share > 0, np.minimum(low, share), 0.0)
