"""The partial AUC: the area under a part of the ROC curve."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from skrate.data.arrays import (
    ROUNDING,
    Array,
    ArrayLike,
    FloatArray,
    Label,
    dot,
    parts,
    ratio,
    reverse_cumsum,
)
from skrate.data.checks import check_choice, shown, within_rounding
from skrate.data.folds import FoldRankings
from skrate.data.table import RankTable
from skrate.metrics.at_recall import TOO_SMALL
from skrate.metrics.metric import Metric, Slopes, reject_scoring, score
from skrate.metrics.rate_weighted_auc import is_late
from skrate.rates.distributions import (
    FrozenDistribution,
    RateDistribution,
    check_rate,
    from_scipy,
    is_scipy_distribution,
    rate_cuts,
)

__all__ = ["partial_auc_score"]

Standard = Literal["mcclish"]
STANDARDS: tuple[Standard, ...] = get_args(Standard)
# The argument for an axis: a window, or a weight.
OfAxis: TypeAlias = (
    Sequence[float] | Literal["uniform"] | RateDistribution | FrozenDistribution | None
)
Axis = Literal["fpr", "tpr"]


@reject_scoring
def partial_auc_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    fpr: OfAxis = None,
    tpr: OfAxis = None,
    standardize: Standard | None = "mcclish",
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the area under the part of the ROC curve that matters.

    If a test that alarms one healthy person in ten is useless, false positive rates
    above 0.1 do not matter: ``fpr=(0, 0.1)`` excludes them. ``tpr=(0.9, 1)`` is the
    part that selects at least nine in ten positives. Both windows together are the
    two-way partial AUC. A distribution instead of a window weights a whole axis. Unlike
    scikit-learn's ``max_fpr``, this metric has a window on either axis and a standard
    error, see :func:`estimate` and :func:`compare`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    fpr : (float, float), "uniform" or distribution, default=None
        The range of false positive rates (low, high), within [0, 1]. For a specificity
        above 0.9 pass ``(0, 0.1)``. Or a weight for each false positive rate: the
        density of a frozen ``scipy.stats`` distribution, of one from
        :mod:`skrate.rates`, or "uniform" (equal weights). None means (0, 1).
    tpr : (float, float), "uniform" or distribution, default=None
        The same for true positive rates (recall, sensitivity). For a sensitivity above
        0.8 pass ``(0.8, 1)``. If one of ``fpr`` and ``tpr`` is a distribution, the
        other must be None.
    standardize : {"mcclish"} or None, default="mcclish"
        "mcclish" maps the area of a random ranking to 0.5 and of a perfect ranking to
        1, as scikit-learn does. None returns the area itself: for a perfect ranking the
        area of the window, or 1 under a distribution.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        If standardized, at most 1, and 0.5 for random scores. It is lower for a curve
        below the diagonal, and can be below 0 if most of the window is below the
        diagonal. nan where undefined.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid; a window is empty, reversed, not
        within [0, 1] or has almost no area; a distribution has no density, has mass
        below 0 for ``fpr`` or above 1 for ``tpr``, or is combined with the other axis;
        or a random ranking has all of the area to standardize, as in a window below the
        diagonal.

    Warns
    -----
    UndefinedMetricWarning
        If either class is absent.

    See Also
    --------
    sklearn.metrics.roc_auc_score : Up to a false positive rate, ``max_fpr=``.
    recall_at_rate_score : A weight on the processed fraction of all samples.
    rate_weighted_auc_score : The same, relative to the worst and best ranking.

    Notes
    -----
    With T(f) the ROC curve, a straight line within ties, and windows (a, b) on the
    false and (c, d) on the true positive rate, it is

    .. math:: A = \int_a^b \min(\max(T(f), c), d) - c \; df,

    the area in the rectangle below and to the right of the curve. With only ``fpr`` it
    is the integral of T, with only ``tpr`` the integral of the specificity over the
    sensitivities, and with (0, b) and (c, 1) the two-way partial AUC of [3]_. Divided
    by (b - a)(d - c) it is the probability that a positive outscores a negative, if
    both are between these fractions of their class from the top. Under a distribution
    it is the mean of T: :func:`recall_at_rate_score` with the rate as a fraction of the
    negatives instead of all samples. If a window ends within a group of ties, A follows
    the straight line.

    McClish's standard [1]_ is (1 + (A - m) / (M - m)) / 2, with m the area under the
    diagonal in the window and M the area of the window.

    The variance is a two-sample variance [2]_. It depends on the samples within the
    window: for ``fpr=(0, b)``, n b of n negatives. Cost: one sort.

    References
    ----------
    .. [1] McClish (1989), Analyzing a portion of the ROC curve, Med. Decis. Making
       9(3), :doi:`10.1177/0272989X8900900307`.
    .. [2] Dodd and Pepe (2003), Partial AUC estimation and regression, Biometrics
       59(3), :doi:`10.1111/1541-0420.00071`.
    .. [3] Yang, Lu, Lyu and Hu (2019), Two-way partial AUC and its properties, Stat.
       Methods Med. Res. 28(1), :doi:`10.1177/0962280217718866`.

    Examples
    --------
    One of two positives is above the first negative, and both are above the second. Up
    to a false positive rate of 0.5, the height of the curve is 0.5:

    >>> from skrate import partial_auc_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> partial_auc_score(
    ...     y_true, y_score, fpr=(0, 0.5), standardize=None
    ... )
    0.25

    In this window, a random ranking has the area 1/8, and a perfect one 1/2:

    >>> round(partial_auc_score(y_true, y_score, fpr=(0, 0.5)), 4)
    0.6667

    The area to the right of the upper half of the curve:

    >>> partial_auc_score(
    ...     y_true, y_score, tpr=(0.5, 1), standardize=None
    ... )
    0.25
    """
    return score(
        PartialAUC(fpr, tpr, standardize), y_true, y_score, sample_weight, pos_label
    )


class PartialAUC(Metric, score=partial_auc_score):
    """The area under a part of the ROC curve."""

    fpr: Any = None
    tpr: Any = None
    standardize: Standard | None = "mcclish"

    name = "Partial AUC"

    def __post_init__(self) -> None:
        for axis in ("fpr", "tpr"):
            object.__setattr__(self, axis, _check_axis(axis, getattr(self, axis)))
        for axis, other_axis in (("fpr", "tpr"), ("tpr", "fpr")):
            is_distribution = isinstance(getattr(self, axis), RateDistribution)
            if is_distribution and getattr(self, other_axis) is not None:
                raise ValueError(
                    f"{axis} is a distribution: leave out {other_axis}. Only two "
                    "windows have an area in common."
                )
        if self.region.most < np.finfo(np.float64).tiny:
            raise ValueError(
                f"The window with fpr={self.fpr} and tpr={self.tpr} is too narrow: "
                "widen it. Its area is almost 0 for all rankings."
            )
        check_choice("standardize", self.standardize, STANDARDS, or_none=True)
        if self.standardize is None:
            return
        region = self.region
        if isinstance(region, Window) and region.fpr[0] >= region.tpr[1]:
            raise ValueError(
                f"The window with fpr={self.fpr} and tpr={self.tpr} is below the "
                "diagonal: pass standardize=None, or another window. A random ranking "
                "has all of its area."
            )
        if isinstance(region, Weighted):
            end = 1.0 if region.axis == "fpr" else 0.0
            points, masses = region.distribution.point_masses()
            has_all = masses[points == end].sum() > 1 - 1e-9
            room = (self.mirrored or self).region.room
            if has_all or not room > 0:
                raise ValueError(
                    f"{region.axis} has almost all of its probability at or past "
                    f"{end:g}: pass standardize=None, or another distribution. Every "
                    "curve has all of the area at this end."
                )

    @property
    def region(self) -> Window | Weighted:
        """The part of the area under the curve: a window, or a weight."""
        if isinstance(self.fpr, RateDistribution):
            return Weighted(self.fpr, "fpr")
        if isinstance(self.tpr, RateDistribution):
            return Weighted(self.tpr, "tpr")
        return Window(self.fpr or (0.0, 1.0), self.tpr or (0.0, 1.0))

    groups = "runs"
    is_two_sample = ignores_prevalence = True

    @property
    def takes_estimates(self) -> bool:  # type: ignore[override]
        return isinstance(self.region, Window)

    @property
    def rests_on_few(self) -> bool:  # type: ignore[override]
        # A window contains only a part of the samples.
        return isinstance(self.region, Window) and self.region != Window()

    def min_window_class(self, n_pos: float, n_neg: float) -> tuple[str, float]:
        region = self.region
        if not isinstance(region, Window) or not self.rests_on_few:
            return "samples", float("inf")
        (left, right), (bottom, top) = region.fpr, region.tpr
        in_window = {
            "positives": (top - bottom) * n_pos,
            "negatives": (right - left) * n_neg,
        }
        return min(in_window.items(), key=lambda item: item[1])

    def excess(self, table: RankTable) -> float:
        is_estimated = table.own_products is not None
        is_large = min(table.n_pos, table.n_neg) > 200
        if is_estimated or is_large or not self.rests_on_few:
            return 0.0
        # By the jackknife: omitting any sample of a group has the same effect.
        small, score, bias = table.runs.table, self.value(table), 0.0
        for i, weights in enumerate((small.pos, small.neg)):
            total = weights.sum()
            groups = np.flatnonzero(weights)
            if total < 2:
                return 0.0
            rows = [np.tile(kind, (len(groups), 1)) for kind in (small.pos, small.neg)]
            rows[i][np.arange(len(groups)), groups] -= 1
            away = self.values(*rows) - score
            bias += (total - 1) * float(dot(weights[groups], away)) / total
        return bias

    def difference_caution(
        self, table: RankTable, sizes: tuple[float, float]
    ) -> str | None:
        name, n_min = self.min_window_class(*sizes)
        # With fewer than 5, tests of equal models reject too often.
        if n_min >= 5 * (1 - ROUNDING):
            return None
        return (
            f"{self.name}: only {n_min:.3g} {name} in the window (fewer than 5): "
            f"{TOO_SMALL}"
        )

    @property
    def _unit(self) -> float:
        """The metric per unit of area."""
        return 1.0 if self.standardize is None else 0.5 / self.region.room

    def _convert_area(self, area: Any) -> Any:
        """Return the metric, given the area below or above the curve."""
        most = self.region.most
        if self.standardize is None:
            return most - area if self.region.is_above else area
        return 1 - (area if self.region.is_above else most - area) * self._unit

    @property
    def mirrored(self) -> PartialAUC | None:
        """The metric of swapped classes, for precision of weights near 1; else None."""
        region = self.region
        if isinstance(region, Window) or not is_late(region.distribution):
            return None
        # A copy skips the checks, which were done before.
        swapped = copy(self)
        other_axis = "tpr" if region.axis == "fpr" else "fpr"
        object.__setattr__(swapped, region.axis, None)
        object.__setattr__(swapped, other_axis, region.distribution.mirrored)
        return swapped

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        if (mirrored := self.mirrored) is not None:
            return mirrored.bounds()
        low, high = sorted(map(self._convert_area, (0.0, self.region.most)))
        return float(low), float(high)

    def compute_estimated(self, table: RankTable) -> float:
        assert table.own_products is not None
        fpr, tpr = table.fpr, table.tpr
        steps = Steps(fpr[:-1], fpr[1:], tpr[:-1], tpr[1:])
        itself = table.own_products[0] / (table.n_pos * table.n_neg)
        region: Any = self.region
        area = region.areas(steps).sum() - dot(itself, region.contains(steps)) / 2
        return float(self._convert_area(area / (1 - itself.sum())))

    def values(self, pos: Array, neg: Array) -> FloatArray:
        if (mirrored := self.mirrored) is not None:
            return mirrored.values(neg[:, ::-1], pos[:, ::-1])
        steps: list[FloatArray] = []
        is_defined = np.ones(len(pos), dtype=bool)
        for weights in (neg, pos):
            ends = np.cumsum(weights, axis=1)
            total = ends[:, -1:]
            is_defined &= total[:, 0] > 0
            high = ratio(ends, total)
            low = np.zeros_like(high)
            low[:, 1:] = high[:, :-1]
            steps += [low, high]
        # In chunks of groups that fit in the cache.
        areas = np.zeros(len(pos))
        for chunk in parts(pos.shape[1]):
            chunk_steps = Steps(*(step[:, chunk] for step in steps))
            areas += self.region.areas(chunk_steps).sum(axis=1)
        return np.where(is_defined, self._convert_area(areas), np.nan)

    def slopes(self, table: RankTable) -> Slopes:
        if (mirrored := self.mirrored) is not None:
            return mirrored.slopes(table.mirrored).mirrored()
        of_pos, of_neg = self.region.slopes(table)
        return Slopes(of_pos, of_neg, 0.0).scaled(self._unit)


def _check_axis(name: str, given: Any) -> tuple[float, float] | RateDistribution | None:
    """Return the window of an axis, its weight with a density, or None."""
    if given is None:
        return None
    is_named = isinstance(given, str) and given == "uniform"
    if is_named or isinstance(given, RateDistribution) or is_scipy_distribution(given):
        return _check_weight(name, given)
    if isinstance(given, numbers.Real) and not isinstance(given, bool):
        raise ValueError(
            f"{name} must be a window or a distribution, got {shown(given)}: pass "
            f"{name}=(0, {given}) for the rates up to this one."
        )
    try:
        ends = tuple(given)
        if any(isinstance(end, str | np.complexfloating) for end in ends):
            raise TypeError
        low, high = (float(within_rounding(float(end))) for end in ends)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{name} must be a window (low, high), 'uniform', a frozen scipy.stats "
            f"distribution or one from skrate.rates, got {shown(given)}."
        ) from None
    if not (0 <= low < high <= 1):
        fault = "is empty" if low == high else "is reversed" if low > high else "is not"
        raise ValueError(
            f"{name} must be a window (low, high) with 0 <= low < high <= 1, got "
            f"{shown(given)}, which {fault}."
        )
    return low, high


def _check_weight(name: str, given: Any) -> RateDistribution:
    try:
        is_frozen = is_scipy_distribution(given)
        distribution = from_scipy(given) if is_frozen else check_rate(given)
    except ValueError as error:
        raise ValueError(f"{name} is not a valid distribution: {error}") from error
    if distribution.table.is_discrete or len(rate_cuts(distribution)):
        raise ValueError(
            f"{name} must be a distribution with a density, got {shown(given)}, which "
            "has probability at single points."
        )
    # Mass at the other end counts all of the area, for every ranking.
    lost = 0 if name == "fpr" else 1
    points, masses = distribution.point_masses()
    mass = float(masses[points == lost].sum())
    # A tail of a scipy distribution may be rounding.
    if mass > 1e-9:
        side = "below" if lost == 0 else "above"
        raise ValueError(
            f"{name} has {mass:.3g} of its probability at or {side} {lost}, where no "
            "curve has an area: pass a distribution on [0, 1], such as "
            "stats.truncnorm instead of stats.norm."
        )
    return distribution


class Steps(NamedTuple):
    """The ends of the straight segments of ROC curves, in arrays of any shape."""

    fpr_low: Array
    fpr_high: Array
    tpr_low: Array
    tpr_high: Array


@dataclass(frozen=True)
class Window:
    """A rectangle, which limits the area below and to the right of the curve."""

    fpr: tuple[float, float] = (0.0, 1.0)
    tpr: tuple[float, float] = (0.0, 1.0)

    is_above = False

    @property
    def most(self) -> float:
        """The area under a perfect curve."""
        (left, right), (bottom, top) = self.fpr, self.tpr
        return (right - left) * (top - bottom)

    @property
    def room(self) -> float:
        """The area under a perfect curve minus the area under the diagonal."""
        whole = np.zeros(1), np.ones(1)
        return self.most - float(self.areas(Steps(*whole, *whole))[0])

    def areas(self, steps: Steps) -> FloatArray:
        """Return the area of each segment of a curve."""
        (left, right), (bottom, top) = self.fpr, self.tpr
        if (
            steps.fpr_high.max() <= left
            or steps.fpr_low.min() >= right
            or steps.tpr_high.max() <= bottom
        ):
            return np.zeros_like(steps.fpr_low)
        width, rise = steps.fpr_high - steps.fpr_low, steps.tpr_high - steps.tpr_low
        start = np.clip(steps.fpr_low, left, right)
        end = np.clip(steps.fpr_high, left, right)
        slope = _quotient(rise, width)
        low = steps.tpr_low + slope * (start - steps.fpr_low)
        high = steps.tpr_high - slope * (steps.fpr_high - end)
        # The mean height in the window, where the curve is within it and above it.
        inside = np.clip(low, bottom, top), np.clip(high, bottom, top)
        middle = (inside[0] + inside[1]) / 2 - bottom
        rise = high - low
        within = _quotient(inside[1] - inside[0], rise) * middle
        above = _quotient(high - np.maximum(low, top), rise).clip(0) * (top - bottom)
        heights = np.where(rise > 0, within + above, middle)
        return np.asarray((end - start) * heights)

    def contains(self, steps: Steps) -> FloatArray:
        """Return whether the middle of each segment is in the window, as 0 or 1."""
        fpr = (steps.fpr_low + steps.fpr_high) / 2
        tpr = (steps.tpr_low + steps.tpr_high) / 2
        (left, right), (bottom, top) = self.fpr, self.tpr
        is_inside = (fpr >= left) & (fpr <= right) & (tpr >= bottom) & (tpr <= top)
        return is_inside.astype(np.float64)

    def slopes(self, table: RankTable) -> tuple[FloatArray, FloatArray]:
        """Return the slopes of the area by the class fractions of each group.

        For positives it is the length of the window after the group on the fpr axis,
        for negatives minus the length on the tpr axis.
        """
        fpr, tpr = table.fpr, table.tpr
        (left, right), (bottom, top) = self.fpr, self.tpr
        # The curve enters at the later of two points and leaves at the earlier of two.
        # For a side that it does not cross, this is the nearest corner.
        start = max(
            (left, _interpolate_curve(fpr, left, tpr, self.tpr)),
            (_interpolate_curve(tpr, bottom, fpr, self.fpr), bottom),
            key=sum,
        )
        end = min(
            (right, _interpolate_curve(fpr, right, tpr, self.tpr)),
            (_interpolate_curve(tpr, top, fpr, self.fpr), top),
            key=sum,
        )
        by_fpr = _beyond(fpr, (start[0], end[0]))
        return by_fpr, -_beyond(tpr, (start[1], end[1]))


@dataclass(frozen=True)
class Weighted:
    """The mean height of the curve under a weight on the false positive rate.

    For a weight on the true positive rate, it is the mean width right of the curve.
    """

    distribution: RateDistribution
    axis: Axis

    # The area under a perfect curve.
    most = 1.0

    @property
    def room(self) -> float:
        """The area under a perfect curve minus the area under the diagonal."""
        mean = self.distribution.mean()
        return 1 - mean if self.axis == "fpr" else mean

    @property
    def is_above(self) -> bool:
        """Whether areas are above the curve: for a weight on the true positive rate."""
        return self.axis == "tpr"

    def areas(self, steps: Steps) -> FloatArray:
        """Return the area of each segment of a curve."""
        fpr, tpr = steps[:2], steps[2:]
        if self.axis == "fpr":
            return np.asarray((tpr[1] - tpr[0]) * self.distribution.table.mean(*fpr))
        return np.asarray((fpr[1] - fpr[0]) * self.distribution.table.mean(*tpr))

    def slopes(self, table: RankTable) -> tuple[FloatArray, FloatArray]:
        """Return the slopes of the area by the class fractions of each group."""
        pos, neg = table.pos / table.n_pos, table.neg / table.n_neg
        if self.axis == "fpr":
            return self._slopes(table.fpr, neg, pos)
        of_neg, of_pos = self._slopes(table.tpr, pos, neg)
        return -of_pos, -of_neg

    def _slopes(
        self, edges: FloatArray, widths: FloatArray, fractions: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the slopes of the mean survival, with ``fractions`` as weights.

        They are the slopes by the fractions, and by the ``widths`` of groups between
        ``edges`` on the axis: more width moves later groups, and the group in part.
        """
        table = self.distribution.table
        mean, at_edge = table.mean(edges[:-1], edges[1:]), table.survival(edges)
        fall = _quotient(at_edge[:-1] - at_edge[1:], widths)
        # Without width it is the density. After all other groups it would change all
        # slopes equally, and may be infinite.
        is_point = (widths == 0) & (edges[:-1] < 1)
        fall[is_point] = table.density(edges[:-1][is_point])
        fall *= fractions
        own_fall = fractions * _quotient(mean - at_edge[1:], widths)
        return mean, fall - own_fall - reverse_cumsum(fall)


def _interpolate_curve(
    along: FloatArray, value: float, across: FloatArray, limits: tuple[float, float]
) -> float:
    """Return the point across, within limits, of a curve at a value along one axis.

    If a whole segment of the curve has this value, return its middle.
    """
    if value <= 0:
        return limits[0]
    if value >= 1:
        return limits[1]
    # Sums of estimated labels can decrease: the first group that reaches the value.
    along = np.maximum.accumulate(along)
    # Tolerance for rounding in sums of weights.
    first = int(np.searchsorted(along, value - 1e-12, side="left"))
    last = int(np.searchsorted(along, value + 1e-12, side="right")) - 1
    if first <= last:
        ends = across[[first, last]]
    else:
        fraction = (value - along[last]) / (along[first] - along[last])
        ends = across[last] + fraction * (across[first] - across[last])
    return float(np.clip(ends, *limits).mean())


def _beyond(edges: FloatArray, part: tuple[float, float]) -> FloatArray:
    """Return the length of an interval after each group, averaged over the group."""
    first, last = part
    low, high = edges[:-1], edges[1:]
    inside = np.clip(low, first, last), np.clip(high, first, last)
    before = (np.minimum(high, first) - low).clip(0) * (last - first)
    within = (inside[1] - inside[0]) * (last - (inside[0] + inside[1]) / 2)
    width = high - low
    return np.where(width > 0, _quotient(before + within, width), last - inside[0])


def _quotient(part: Array, whole: Array) -> FloatArray:
    """Return ``part / whole``, or 0 if ``whole`` is 0."""
    quotient = np.zeros(np.broadcast(part, whole).shape)
    np.divide(part, whole, out=quotient, where=whole > 0)
    return quotient
