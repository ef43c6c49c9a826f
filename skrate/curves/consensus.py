"""ROC curves of several folds, averaged at equal rate, and values read from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from skrate.curves.bounds import (
    Ends,
    beta_bounds,
    bootstrap_counts,
    exact_bounds,
    find_bends,
    joint_range,
    normal_bounds,
    parametric_bounds,
    pointwise_range,
    shift_consensus_bounds,
)
from skrate.curves.fold_tables import (
    Folds,
    FoldsLike,
    check_folds,
    check_rates,
    default_rates,
)
from skrate.data.arrays import ArrayLike, ArraysByFold, FloatArray, Label, RandomState
from skrate.data.checks import (
    check_choice,
    check_count,
    check_flag,
    check_fraction,
    check_generator,
)
from skrate.data.folds import Repeats
from skrate.data.table import RankTable, build_weight_table
from skrate.metrics.hypothesis_tests import ConfidenceInterval, t_quantile
from skrate.metrics.metric import Sizes
from skrate.metrics.rate_weighted_auc import RateWeightedAUC
from skrate.metrics.recall import RecallTest
from skrate.metrics.result_types import Drawn, Result, Rows, plain_columns
from skrate.rates.distributions import RateLike

# Estimated from the spread over folds. They also support sample weights.
BASELINES = {"normal": normal_bounds, "beta": beta_bounds}
BOOTSTRAPS = ("bootstrap", "bootstrap-adjusted")
Bounds = Literal[
    "normal", "beta", "parametric", "exact", "bootstrap", "bootstrap-adjusted"
]
METHODS: tuple[Bounds, ...] = get_args(Bounds)
Band = Literal["pointwise", "simultaneous"]
BANDS: tuple[Band, ...] = get_args(Band)
Average = Literal["rate", "fpr", "tpr", "threshold"]
AVERAGES: tuple[Average, ...] = get_args(Average)
# The fpr and tpr of a curve.
Points: TypeAlias = tuple[FloatArray, FloatArray]


def rate_averaged_roc_curve(
    y_trues: FoldsLike,
    y_scores: ArraysByFold | None = None,
    *,
    sample_weight: ArraysByFold | None = None,
    pos_label: Label = None,
    repeats: Repeats = None,
    rates: ArrayLike | None = None,
    bounds: Bounds | None = "exact",
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    augment: bool = True,
    n_resamples: int = 2000,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> ConsensusCurve:
    r"""Average the ROC curves of several folds at equal rate, with bounds.

    If the same fraction of every fold is processed, which fraction of all positives is
    selected, and how uncertain is it? Only the order of the scores within a fold
    matters.

    Parameters
    ----------
    y_trues : sequence of array-like of shape (n_samples,) or of RankTable
        True labels of two classes, an array per fold; or a table per fold, without
        ``y_scores``; or a ``FoldRankings``, or the ``folds`` of another curve, without
        the next four arguments.
    y_scores : sequence of array-like of shape (n_samples,), default=None
        Scores of the same samples, higher for the positive class.
    sample_weight : sequence of array-like of shape (n_samples,), default=None
        Relative weights of the samples, for ``bounds`` "normal", "beta" and None; the
        other bounds are distributions of a number of samples.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the larger of {0, 1}, {-1, 1} or booleans.
    repeats : int or array-like of shape (n_folds,), default=None
        Only for repeated cross-validation, whose bounds would otherwise be too narrow:
        the repeat of each fold, or the number of repeats if they have equally many
        folds and follow each other.
    rates : array-like of shape (n_rates,), default=None
        Increasing rates in [0, 1] of the averages and bounds, between which bounds are
        interpolated. None means up to 201 rates in equal steps, with finer steps at the
        start of the ranking if less than 2 % are positive, or at its end if less than
        2 % are negative.
    bounds : str or None, default="exact"
        Method of the bounds, see Notes: "exact", "parametric", "bootstrap" and
        "bootstrap-adjusted" are for new folds; "normal" and "beta", from the variance
        of the recall over folds, are for comparison; None for no bounds.
    band : {"pointwise", "simultaneous"}, default="pointwise"
        Whether the bounds are for the recall at one rate that is chosen beforehand, or
        for all ``rates`` simultaneously ("exact" and the bootstraps only).
    confidence_level : float, default=0.95
        Confidence level of the bounds, in (0, 1).
    augment : bool, default=True
        Whether to add one sample of each class to the source of new folds, see Notes.
        False is as in [1]_, too narrow near both ends of the curve.
    n_resamples : int, default=2000
        Number of sets of folds drawn by the bootstraps, and for a simultaneous band.
    random_state : int, Generator, RandomState or None, default=None
        Seed or generator for these draws.
    n_jobs : int, default=None
        Number of threads, as in joblib. The result does not depend on it.

    Returns
    -------
    curve : ConsensusCurve
        With ``rates``, ``tpr``, ``fpr``, the bounds ``confidence_interval.low.tpr`` and
        ``.high.tpr``, and methods that read them. The tpr is the rate for random
        scores, and ``min(1, rate / prevalence)`` for perfect scores.

    Raises
    ------
    ValueError
        If ``bounds`` does not support a simultaneous band, weights or this number of
        samples (at most 1e10, or 1e8 if folds are drawn), ``rates`` do not increase
        within [0, 1], folds are invalid, no fold has both classes, or "normal" or
        "beta" gets fewer than two folds in a repeat.

    Warns
    -----
    UndefinedMetricWarning
        If folds are left out because they contain only one class.

    See Also
    --------
    sklearn.metrics.roc_curve : The curve of one fold.
    RateAveragedROC : Draws the curve, also of fitted estimators.

    Notes
    -----
    With s_i(r) the number of positives in the first r n_i samples of fold i, which has
    n_i samples and :math:`n_{1i}` positives, the consensus is
    :math:`tpr(r) = \sum_i s_i(r) / \sum_i n_{1i}`.

    The bounds are for the consensus of new folds of the same sizes and class counts,
    drawn from the common ROC curve. If prevalences differ, the folds are aligned by the
    positions of their cuts, :math:`p \cdot tpr_i + (1 - p) fpr_i`, with p the overall
    prevalence, and the bounds are shifted to lie around the consensus. One positive and
    one negative are added to the common curve, half of each above all other samples and
    half below, unless ``augment=False``.

    "bootstrap" draws folds from the common curve. "bootstrap-adjusted" also draws the
    numbers of positives, and then stretches the rankings to the class counts. "exact"
    and "parametric" are the distribution of the selected positives (theorem 1 of
    [1]_), with a quadrature error of about 1e-8 for folds of up to 300 samples and 1e-4
    for larger folds. "exact" convolves the distributions of the folds by FFT;
    "parametric" fits a beta distribution to their moments (equations 22 to 29). A
    simultaneous band consists of pointwise bounds of one level: the minimum level for
    which a fraction ``confidence_level`` of drawn sets of folds lies between them at
    all rates. Bounds of repeats are averaged. The bounds cover neither a different
    prevalence, nor the dependence of models through common training data.

    Cost: one sort per fold; one quadrature per rate and distinct size of folds
    ("exact", "parametric"); ``n_resamples`` sorts (bootstraps, simultaneous bands).

    References
    ----------
    .. [1] Millard, Kull and Flach (2014), Rate-oriented point-wise confidence bounds
       for ROC curves, :doi:`10.1007/978-3-662-44851-9_26`.

    Examples
    --------
    Two folds of five samples. If two samples of each are processed, three of four
    positives are selected:

    >>> from skrate import rate_averaged_roc_curve
    >>> y_trues = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]]
    >>> y_scores = [[9, 8, 4, 3, 1], [7, 6, 5, 2, 1]]
    >>> curve = rate_averaged_roc_curve(y_trues, y_scores)
    >>> curve.rates.tolist()[2], curve.tpr.tolist()[2]
    (0.4, 0.75)

    Which rate selects half of the positives? With four positives, the upper bound is 1:

    >>> rate = curve.rate_at_recall(0.5)
    >>> low, high = rate.confidence_interval
    >>> round(rate.value, 3), round(low, 3), round(high, 3)
    (0.2, 0.2, 1.0)
    """
    bounds = check_choice("bounds", bounds, METHODS, or_none=True)
    check_choice("band", band, BANDS)
    level = check_fraction("confidence_level", confidence_level)
    n_resamples = check_count("n_resamples", n_resamples)
    generator = check_generator(random_state)
    given = None if rates is None else check_rates("rates", rates)
    folds = check_folds(y_trues, y_scores, sample_weight, pos_label, repeats=repeats)
    if folds.added != check_flag("augment", augment):
        folds = replace(folds, added=int(augment))
    _check_method(folds, bounds, band)
    default = default_rates(folds.tables, has_weights=folds.has_weights)
    steps = default if given is None else given
    points = partial(_bound_curve, folds, steps, is_clipped=bounds != "normal")
    fold_tpr, interval = folds.interpolate_tpr(steps), None
    fold_neg = steps * folds.column("total") - folds.column("n_pos") * fold_tpr
    fold_fpr = np.clip(fold_neg / folds.column("n_neg"), 0, 1)  # For rounding.
    curve = points(folds.pooled_count(fold_tpr))
    if bounds is not None:
        how = bounds, band, level, n_resamples, generator, n_jobs
        ends = [_bound_repeat(repeat, steps, *how) for repeat in folds.split_repeats]
        # Sums over repeats, divided by all positives: one more repeat does not narrow
        # the bounds, because it tests the same samples.
        interval = CurveInterval(*map(points, np.sum(ends, axis=0)))
    arrays = {"rates": steps, "fold_tpr": fold_tpr, "fold_fpr": fold_fpr}
    arrays |= curve._asdict()
    for column in (*arrays.values(), *sum(interval or (), ())):
        column.flags.writeable = False
    return ConsensusCurve(
        **arrays,
        confidence_interval=interval,
        prevalence=folds.prevalence,
        bounds=bounds,
        band=band,
        confidence_level=level,
        folds=folds,
    )


def _bound_repeat(
    repeat: Folds,
    steps: FloatArray,
    bounds: Bounds,
    band: Band,
    level: float,
    n_resamples: int,
    generator: np.random.Generator,
    n_jobs: int | None,
) -> Ends:
    """Return bounds of the selected weight of positives in the folds of one repeat."""
    if bounds in BASELINES:
        count = repeat.pooled_count(repeat.interpolate_tpr(steps))
        low, high = BASELINES[bounds](repeat, steps, level)
        return np.minimum(low, count), np.maximum(high, count)
    drawn = None
    if bounds in BOOTSTRAPS or band == "simultaneous":
        is_adjusted = bounds == "bootstrap-adjusted"
        draw = partial(bootstrap_counts, is_adjusted=is_adjusted, n_jobs=n_jobs)
        drawn = draw(repeat, steps, n_resamples, generator)
    if bounds == "parametric":
        ends = parametric_bounds(repeat, steps, level, n_jobs=n_jobs)
    elif bounds == "exact" or drawn is None:
        ends = exact_bounds(repeat, steps, level, drawn, n_jobs=n_jobs)
    else:
        range_of = pointwise_range if band == "pointwise" else joint_range
        ends = range_of(drawn, level)
    return shift_consensus_bounds(repeat, steps, *ends)


def _bound_curve(
    folds: Folds, rates: FloatArray, count: FloatArray, *, is_clipped: bool
) -> CurveBound:
    """Return ROC points at ``rates`` of a curve that selects ``count`` positives."""
    processed = rates * (folds.n_pos + folds.n_neg)
    fpr = (processed - count) / folds.n_neg
    if is_clipped:
        # Only rounding exceeds [0, 1].
        fpr = np.clip(fpr, 0, 1)
    return CurveBound(count / folds.n_pos, fpr)


def _check_method(folds: Folds, bounds: str | None, band: Band) -> None:
    if band == "simultaneous" and bounds not in ("exact", *BOOTSTRAPS):
        raise ValueError(
            f"bounds={bounds!r} does not support band='simultaneous': use "
            "bounds='exact', 'bootstrap' or 'bootstrap-adjusted'."
        )
    if bounds in BASELINES and min(len(r.tables) for r in folds.split_repeats) < 2:
        where = "" if len(folds.split_repeats) == 1 else " in a repeat"
        raise ValueError(
            f"bounds={bounds!r} needs at least two folds with both classes, got "
            f"one{where}: use bounds='exact'."
        )
    if bounds in {*BASELINES, None}:
        return
    if folds.has_weights:
        raise ValueError(
            f"bounds={bounds!r} does not support weights: use bounds='normal', 'beta' "
            "or None, or leave out sample_weight and fractions in RankTables."
        )
    n = folds.n_pos + folds.n_neg
    is_sampled = bounds in BOOTSTRAPS or band == "simultaneous"
    n_max = 10**8 if is_sampled else 10**10  # 2 GB of memory, or ten seconds.
    if n > n_max:
        raise ValueError(
            f"bounds={bounds!r} takes at most {n_max:,} samples, got {n:,.0f}: use "
            "bounds='normal' or 'beta'."
        )


@dataclass(frozen=True)
class CurvePoint(Result):
    """A value that is read from a consensus curve, with its interval.

    Attributes
    ----------
    value : float
        The recall at a rate, or the rate at a recall.
    confidence_interval : ConfidenceInterval
        The ends ``.low`` and ``.high``. They are nan without bounds, or if a bound does
        not extend to the requested rate or recall.
    confidence_level : float
        Level of the interval.

    Examples
    --------
    >>> from skrate import rate_averaged_roc_curve
    >>> curve = rate_averaged_roc_curve(
    ...     [[1, 0, 1, 0, 0]], [[5, 4, 3, 2, 1]]
    ... )
    >>> curve.recall_at_rate(0.6).to_dict()
    {'value': 1.0, 'low': 0.0, 'high': 1.0, 'confidence_level': 0.95}
    """

    value: float
    confidence_interval: ConfidenceInterval
    confidence_level: float


class CurveBound(NamedTuple):
    """The points of a ROC curve, or of a bound of a ROC curve."""

    tpr: FloatArray
    fpr: FloatArray


class CurveInterval(NamedTuple):
    """The lower and the upper bound of a ROC curve."""

    low: CurveBound
    high: CurveBound


@dataclass(frozen=True, eq=False, repr=False)
class ConsensusCurve(Drawn, Rows):
    """ROC curve averaged over folds at equal rates, with confidence bounds.

    Returned by :func:`rate_averaged_roc_curve`; all arrays are read-only.

    Attributes
    ----------
    rates : array of shape (n_rates,)
        Fraction of the samples of every fold that is processed, increasing.
    tpr, fpr : array of shape (n_rates,)
        Processed fraction of the positives and of the negatives of all folds.
    confidence_interval : object or None
        The bounds ``.low`` and ``.high``, with ``.tpr`` and ``.fpr`` at the same
        ``rates``; None if not requested. The lower tpr goes with the higher fpr.
    fold_tpr, fold_fpr : array of shape (n_folds, n_rates)
        The curves of the single folds, at the same rates.
    prevalence : float
        Fraction of positives in all folds together.
    bounds, band : str
        The method of the bounds, and whether they are "pointwise" or "simultaneous".
    confidence_level : float
        Nominal confidence level of the bounds.
    folds : object
        The rank tables of the folds, from which the methods compute their results.

    Notes
    -----
    The methods use the curve at full resolution; between ``rates``, the distance of the
    bounds from the curve is interpolated. Intervals of a simultaneous band hold
    jointly.

    Examples
    --------
    >>> from skrate import rate_averaged_roc_curve
    >>> y_trues = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]]
    >>> y_scores = [[5, 4, 3, 2, 1]] * 2
    >>> curve = rate_averaged_roc_curve(y_trues, y_scores)
    >>> curve
    ConsensusCurve(2 folds, prevalence=0.4, 6 rates, bounds='exact' at 0.95)
    >>> curve.recall_at_rate(0.4).value
    0.75
    >>> curve.rate_at_recall(0.75).value
    0.4
    """

    rates: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    confidence_interval: CurveInterval | None
    fold_tpr: FloatArray
    fold_fpr: FloatArray
    prevalence: float
    bounds: str | None
    band: str
    confidence_level: float
    folds: Folds = field(repr=False)
    _index = "rate"

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.fold_tpr)

    @property
    def n_repeats(self) -> int:
        """Number of repeats of the cross-validation; bounds are averaged over them."""
        return len(self.folds.split_repeats)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of columns such as "rate" and "tpr_low", an entry per rate."""
        names = CurveBound._fields
        columns = {"rate": self.rates} | {name: getattr(self, name) for name in names}
        if self.confidence_interval is not None:
            for end, bound in self.confidence_interval._asdict().items():
                for name, column in bound._asdict().items():
                    columns[f"{name}_{end}"] = column
        return plain_columns(columns)

    def recall_at_rate(self, r: float) -> CurvePoint:
        """Return the recall with its bounds, if the fraction ``r`` is processed."""
        r = check_fraction("r", r, include_zero=True, include_one=True)
        recalls = self.folds.interpolate_tpr(np.array([r]))
        recall = float(self.folds.pooled_count(recalls)[0]) / self.folds.n_pos
        interval, after = self.confidence_interval, int(np.searchsorted(self.rates, r))
        if interval is None or after == len(self.rates):
            return self._point(recall)
        if self.rates[after] == r:
            return self._point(recall, *(float(bound.tpr[after]) for bound in interval))
        if after == 0:
            return self._point(recall)
        rates, *bounds = self._bounds_before(after)
        return self._point(recall, *(float(np.interp(r, rates, end)) for end in bounds))

    def rate_at_recall(self, recall: float) -> CurvePoint:
        """Return the minimum rate that reaches a recall, with its interval.

        With pointwise bounds, except "normal" and "beta", the interval contains all
        rates where a test does not reject this recall, as in :func:`estimate`; else the
        rates from where the upper bound reaches the recall to where the lower does.
        """
        recall = check_fraction("recall", recall, include_zero=True, include_one=True)
        pooled = self.folds.pooled
        rate = _first_rate(pooled.rates, pooled.tpr, recall)
        if self.confidence_interval is None:
            return self._point(rate)
        if recall > 0 and self.band == "pointwise" and self.bounds not in BASELINES:
            # Repeats test the same samples, which count once.
            n_pos = self.folds.n_pos / self.n_repeats
            sizes = Sizes(n_pos, self.folds.n_neg / self.n_repeats, are_fixed=True)
            test = RecallTest(pooled, sizes, rate, recall)
            quantile = t_quantile(self.confidence_level, max(n_pos - 1, 1))
            return self._point(rate, *test.not_rejected(quantile))
        # The upper bound reaches the recall first, possibly before the first rate.
        first = self._bound_reaches("high", recall)
        if self.confidence_interval.high.tpr[0] > recall:
            first = 0.0
        return self._point(rate, first, self._bound_reaches("low", recall))

    def rate_weighted_auc(self, rate: RateLike = "uniform") -> float:
        """Return the rate-weighted AUC of the consensus curve; the AUC by default.

        If all folds have the same prevalence, this equals the mean of the folds'
        values. It is nan if ``rate`` gives every ranking the same value.
        """
        return RateWeightedAUC(rate).value(self.folds.pooled)

    def fold_rate_weighted_auc(self, rate: RateLike = "uniform") -> FloatArray:
        """Return the rate-weighted AUCs of the folds, an array of shape (n_folds,)."""
        metric = RateWeightedAUC(rate)
        return np.array([metric.value(table) for table in self.folds.tables])

    def averaged(self, average: Average) -> CurveBound:
        """Return the vertices of the average of the folds' curves.

        ``average`` names the quantity that is equal in all folds: "rate" (as in this
        curve), "fpr", "tpr" or "threshold" (of scores on a common scale). For the last
        three, all folds have equal weight. With "fpr",
        ``np.interp(x, points.fpr, points.tpr)`` takes the upper end of a vertical step,
        as in scikit-learn's example of a cross-validated ROC curve.
        """
        average = check_choice("average", average, AVERAGES)
        fpr, tpr = _averaged(self.folds.tables, average)
        return CurveBound(tpr, fpr)

    def fixed_width_band(
        self,
        average: Average = "rate",
        *,
        n_resamples: int = 1000,
        random_state: RandomState = None,
    ) -> CurveInterval:
        r"""Return a fixed-width band: the average curve shifted right-down and left-up.

        The curve is shifted along a line of slope :math:`-\sqrt{n_0 / n_1}`, with
        :math:`n_1` positives and :math:`n_0` negatives, the ratio of the standard
        deviations of tpr and fpr, by the minimum for which a fraction
        ``confidence_level`` of resampled averages lies entirely within the band
        (Macskassy, Provost and Rosset 2005, :doi:`10.1145/1102351.1102419`). The width
        is 0 if all rankings are perfect. Sample weights are not supported.

        Parameters
        ----------
        average : {"rate", "fpr", "tpr", "threshold"}, default="rate"
            Which average to use, as in :meth:`averaged`.
        n_resamples : int, default=1000
            Number of times the samples of each fold are resampled.
        random_state : int, Generator, RandomState or None, default=None
            Seed or generator for the resampling.

        Returns
        -------
        band : CurveInterval
            The curves ``.low`` and ``.high``, which leave the unit square at the ends.
        """
        middle = self.averaged(average)
        n_resamples = check_count("n_resamples", n_resamples)
        generator = check_generator(random_state)
        if self.folds.has_weights:
            raise ValueError("fixed_width_band does not support sample_weight.")
        right, down = _fixed_width(
            self.folds, average, self.confidence_level, n_resamples, generator
        )
        low = CurveBound(middle.tpr - down, middle.fpr + right)
        return CurveInterval(low, CurveBound(middle.tpr + down, middle.fpr - right))

    def _bounds_before(self, after: int) -> list[FloatArray]:
        """Return bends from ``rates[after - 1]`` to ``rates[after]``, with bounds."""
        cell, folds = slice(after - 1, after + 1), self.folds
        ends = [bound.tpr[cell] for bound in self.confidence_interval or ()]
        lower, upper = (end * folds.n_pos for end in ends)
        rates, *counts = find_bends(folds, self.rates[cell], lower, upper, self.bounds)
        recalls = [count / folds.n_pos for count in counts]
        for recall, end in zip(recalls, ends, strict=True):
            recall[[0, -1]] = end
        return [rates, *recalls]

    def _bound_reaches(self, side: Literal["low", "high"], recall: float) -> float:
        """Return the minimum rate where a bound reaches ``recall``; nan if nowhere."""
        bound = getattr(self.confidence_interval, side).tpr
        after = _first_place(bound, recall)
        if not 0 < after < len(bound):
            return _first_rate(self.rates, bound, recall)
        rates, low, high = self._bounds_before(after)
        return _first_rate(rates, low if side == "low" else high, recall)

    def _point(
        self, value: float, low: float = np.nan, high: float = np.nan
    ) -> CurvePoint:
        # Bounds can miss the value by rounding, or start after the curve.
        interval = ConfidenceInterval(
            low if np.isnan(low) else min(low, value),
            high if np.isnan(high) else max(high, value),
        )
        return CurvePoint(value, interval, self.confidence_level)

    def __repr__(self) -> str:
        bounds = "no bounds"
        if self.bounds is not None:
            kind = "simultaneous " if self.band == "simultaneous" else ""
            bounds = f"{kind}bounds={self.bounds!r} at {self.confidence_level:g}"
        folds = f"{self.n_folds} folds"
        if self.n_repeats > 1:
            folds += f" in {self.n_repeats} repeats"
        return (
            f"ConsensusCurve({folds}, prevalence={self.prevalence:.3g}, "
            f"{len(self.rates)} rates, {bounds})"
        )


def _first_rate(rates: FloatArray, recalls: FloatArray, recall: float) -> float:
    """Return the minimum rate where a curve reaches ``recall``; nan if nowhere."""
    above = _first_place(recalls, recall)
    if above == len(rates):
        return float("nan")
    if above == 0:
        return float(rates[0])
    before = slice(above - 1, above + 1)
    return float(np.interp(recall, recalls[before], rates[before]))


def _first_place(recalls: FloatArray, recall: float) -> int:
    """Return the index of the first of ``recalls`` that reaches ``recall``."""
    # The tolerance is for the last sum, which can miss 1 by rounding.
    return int(np.searchsorted(np.maximum.accumulate(recalls), recall - 1e-12))


def _averaged(tables: Sequence[RankTable], average: Average) -> Points:
    """Return the average of the curves of folds, at full resolution."""
    fprs, tprs = [table.fpr for table in tables], [table.tpr for table in tables]
    if average == "fpr":
        return _mean_curve(fprs, tprs)
    if average == "tpr":
        return _mean_curve(tprs, fprs)[::-1]
    if average == "rate":
        pooled = Folds(tuple(tables)).pooled
        return pooled.fpr, pooled.tpr
    scores = [table.thresholds for table in tables if table.thresholds is not None]
    if len(scores) < len(tables):
        raise ValueError(
            "average='threshold' needs scores of every fold, got "
            f"{len(tables) - len(scores)} of {len(tables)} tables without scores."
        )
    cuts = np.unique(np.concatenate(scores))[::-1]
    above = [len(fold) - np.searchsorted(fold[::-1], cuts) for fold in scores]
    fpr, tpr = (
        np.mean([y[n] for y, n in zip(ys, above, strict=True)], axis=0)
        for ys in (fprs, tprs)
    )
    return np.append(0.0, fpr), np.append(0.0, tpr)


def _mean_curve(xs: list[FloatArray], ys: list[FloatArray]) -> Points:
    """Return the mean of y at every x, before and after the jumps there."""
    knots, curves = np.unique(np.concatenate(xs)), list(zip(xs, ys, strict=True))
    # Of equal x, np.interp uses the last; in reversed arrays this is the first.
    before = np.mean([np.interp(-knots, -x[::-1], y[::-1]) for x, y in curves], axis=0)
    after = np.mean([np.interp(knots, x, y) for x, y in curves], axis=0)
    return np.repeat(knots, 2), np.column_stack([before, after]).ravel()


def _fixed_width(
    folds: Folds,
    average: Average,
    level: float,
    n_resamples: int,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """Return the distance of a band from the average curve, in fpr and in tpr.

    The band contains a fraction ``level`` of the averages of resampled folds. The
    distance is a mean over repeats.
    """
    slope, widths = float(np.sqrt(folds.n_neg / folds.n_pos)), []
    for repeat in folds.split_repeats:
        middle, distances = _averaged(repeat.tables, average), []
        for _ in range(n_resamples):
            resampled = [_resample(table, generator) for table in repeat.tables]
            distances.append(_distance(middle, _averaged(resampled, average), slope))
        widths.append(np.quantile(distances, level, method="inverted_cdf"))
    width = float(np.mean(widths))
    return width / slope, width


def _resample(table: RankTable, generator: np.random.Generator) -> RankTable:
    # Groups without drawn samples stay in the table: they do not change averages.
    pos, neg = (
        generator.multinomial(round(n), weights / n).astype(np.float64)
        for n, weights in ((table.n_pos, table.pos), (table.n_neg, table.neg))
    )
    return build_weight_table(pos, neg, table.thresholds)


def _distance(a: Points, b: Points, slope: float) -> float:
    """Return the maximum difference in tpr of two curves along lines of -``slope``.

    Every curve meets such a falling line once.
    """
    positions = [slope * fpr + tpr for fpr, tpr in (a, b)]
    tprs = [
        np.interp(np.concatenate(positions), position, tpr)
        for position, (_, tpr) in zip(positions, (a, b), strict=True)
    ]
    return float(np.abs(np.subtract(*tprs)).max())
