"""The partial AUC: the area under a part of the ROC curve."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from skrate.data.arrays import (
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
from skrate.rates.laws import (
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
# What of a distribution may be out of reach of all curves.
_NEGLIGIBLE = 1e-9
# What may be told of an axis: a window, or a weight.
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

    Where a test that alarms one healthy person in ten is of no use, what the curve does
    beyond a false positive rate of 0.1 is noise: ``fpr=(0, 0.1)`` leaves it out.
    ``tpr=(0.9, 1)`` is the part where nine in ten are found; both windows together are
    the two-way partial AUC. A distribution in place of a window weighs all of an axis.
    Unlike scikit-learn's ``max_fpr`` it has a window on either axis and a standard
    error, see :func:`estimate` and :func:`compare`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    fpr : (float, float), "uniform" or distribution, default=None
        What counts of the false positive rates: those from the first number to the
        second, within [0, 1]; or all of them, weighted by the density of a frozen
        ``scipy.stats`` distribution or one from :mod:`skrate.rates`. None is (0, 1).
        Specificity above 0.9 is ``fpr=(0, 0.1)``.
    tpr : (float, float), "uniform" or distribution, default=None
        The same of the true positive rates (recall, sensitivity): sensitivity above 0.8
        is ``tpr=(0.8, 1)``. A distribution leaves the other axis as it is.
    standardize : {"mcclish"} or None, default="mcclish"
        "mcclish" maps the area of a random ranking to 0.5 and of a perfect ranking to
        1, as scikit-learn does. None gives the area itself, of which a perfect ranking
        has all of the window, or 1 under a distribution.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        At most 1, and 0.5 for random scores, if standardized: lower for a curve below
        the diagonal, and below 0 where most of the window is below it. nan where
        undefined.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked; a window that is empty,
        reversed, not within [0, 1] or of next to no area; a distribution without a
        density, with mass below 0 for ``fpr`` or above 1 for ``tpr``, or beside the
        other axis; or where the area to standardize is one that every ranking
        has, as of a window below the diagonal.

    Warns
    -----
    UndefinedMetricWarning
        If either class is absent.

    See Also
    --------
    sklearn.metrics.roc_auc_score : Up to a false positive rate, ``max_fpr=``.
    recall_at_rate_score : A weight on the share of all cases that is processed.
    rate_weighted_auc_score : The same, between worst and best ranking.

    Notes
    -----
    With T(f) the curve, where cases tie a straight line, and windows (a, b) on the
    false and (c, d) on the true positive rate,

    .. math:: A = \int_a^b \min(\max(T(f), c), d) - c \; df,

    the area in the rectangle below and to the right of the curve: for ``fpr`` alone the
    integral of T, for ``tpr`` alone the integral of the specificity over the
    sensitivities, and
    for (0, b) and (c, 1) the two-way partial AUC of [3]_. Divided by (b - a)(d - c) it
    is how often a positive outscores a negative, if both are between these shares of
    their class from the top. Under a distribution it is the mean of T:
    :func:`recall_at_rate_score` with the negatives in place of all cases. Where a
    window ends within a group of ties, A follows the straight line.

    McClish's standard [1]_ is (1 + (A - m) / (M - m)) / 2, with m the area of the
    diagonal in the window and M all of it.

    The variance is of two samples [2]_, and depends on the few cases within the window:
    up to a false positive rate of b, n b of n negatives. Cost: one sort.

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
    Above the first negative there is one positive of two, above the second there are
    both. Up to a false positive rate of a half the height equals the first:

    >>> from skrate import partial_auc_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> partial_auc_score(
    ...     y_true, y_score, fpr=(0, 0.5), standardize=None
    ... )
    0.25

    A random ranking has an area of 1/8 there, and a perfect one 1/2:

    >>> round(partial_auc_score(y_true, y_score, fpr=(0, 0.5)), 4)
    0.6667

    To the right of the upper half of the curve:

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
        for axis, other in (("fpr", "tpr"), ("tpr", "fpr")):
            is_law = isinstance(getattr(self, axis), RateDistribution)
            if is_law and getattr(self, other) is not None:
                raise ValueError(
                    f"{other} must be left out where {axis} is a distribution: two "
                    "windows have an area in common, and two weights have none."
                )
        if self.region.most < np.finfo(np.float64).tiny:
            raise ValueError(
                f"The window with fpr={self.fpr} and tpr={self.tpr} is too narrow: its "
                "area is next to 0 for all rankings."
            )
        check_choice("standardize", self.standardize, STANDARDS, or_none=True)
        if self.standardize is not None:
            self._check_above_diagonal()

    def _check_above_diagonal(self) -> None:
        region = self.region
        if isinstance(region, Window) and region.fpr[0] >= region.tpr[1]:
            raise ValueError(
                f"The window with fpr={self.fpr} and tpr={self.tpr} is below the "
                "diagonal, so that a random ranking has all of its area: leave it as "
                "it is, by standardize=None, or choose another."
            )
        if isinstance(region, Weighted):
            end = 1.0 if region.axis == "fpr" else 0.0
            points, masses = region.law.point_masses()
            has_all = masses[points == end].sum() > 1 - _NEGLIGIBLE
            room = (self.mirrored or self).region.room
            if has_all or not room > 0:
                raise ValueError(
                    f"{region.axis} has next to all of its probability at {end:g} or "
                    "beyond, where every curve has all of the area: leave it as it is, "
                    "by standardize=None, or choose another."
                )

    @property
    def region(self) -> Window | Weighted:
        """What is taken of the area under the curve."""
        if isinstance(self.fpr, RateDistribution):
            return Weighted(self.fpr, "fpr")
        if isinstance(self.tpr, RateDistribution):
            return Weighted(self.tpr, "tpr")
        return Window(self.fpr or (0.0, 1.0), self.tpr or (0.0, 1.0))

    groups = "runs"
    is_two_sample = ignores_prevalence = True

    @property
    def rests_on_few(self) -> bool:  # type: ignore[override]
        # The cases of a part of the curve are few.
        return isinstance(self.region, Window) and self.region != Window()

    def min_window_class(self, n_pos: float, n_neg: float) -> tuple[str, float]:
        region = self.region
        if not isinstance(region, Window) or not self.rests_on_few:
            return "cases", float("inf")
        (left, right), (bottom, top) = region.fpr, region.tpr
        in_window = {
            "positives": (top - bottom) * n_pos,
            "negatives": (right - left) * n_neg,
        }
        return min(in_window.items(), key=lambda item: item[1])

    def excess(self, table: RankTable) -> float:
        if not self.rests_on_few or min(table.n_pos, table.n_neg) > 200:
            return 0.0
        # By the jackknife: the cases of a group count the same.
        small, value, found = table.runs.table, self.value(table), 0.0
        for i, weights in enumerate((small.pos, small.neg)):
            total = weights.sum()
            groups = np.flatnonzero(weights)
            if total < 2:
                return 0.0
            rows = [np.tile(part, (len(groups), 1)) for part in (small.pos, small.neg)]
            rows[i][np.arange(len(groups)), groups] -= 1
            away = self.values(*rows) - value
            found += (total - 1) * float(dot(weights[groups], away)) / total
        return found

    def caution(
        self, table: RankTable, sizes: tuple[float, float], *, is_compared: bool = False
    ) -> str | None:
        if not is_compared:
            return None
        name, n_least = self.min_window_class(*sizes)
        # With fewer than 5, tests of equal models reject too often.
        if n_least >= 5 * (1 - _NEGLIGIBLE):
            return None
        return (
            f"{self.name}: the window holds {n_least:.3g} {name}, and with fewer than "
            f"5 {TOO_SMALL}"
        )

    @property
    def _unit(self) -> float:
        """What a unit of the area is worth."""
        return 1.0 if self.standardize is None else 0.5 / self.region.room

    def _convert_area(self, area: Any) -> Any:
        """Return the metric from the area below the curve, or that above it."""
        most = self.region.most
        if self.standardize is None:
            return most - area if self.region.is_above else area
        return 1 - (area if self.region.is_above else most - area) * self._unit

    @property
    def mirrored(self) -> PartialAUC | None:
        """That of swapped classes, if what differs is next to 1, with few digits."""
        region = self.region
        if isinstance(region, Window) or not is_late(region.law):
            return None
        # Already checked, as it was given.
        found = copy(self)
        other = "tpr" if region.axis == "fpr" else "fpr"
        object.__setattr__(found, region.axis, None)
        object.__setattr__(found, other, region.law.mirrored)
        return found

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        if (mirrored := self.mirrored) is not None:
            return mirrored.bounds()
        low, high = sorted(map(self._convert_area, (0.0, self.region.most)))
        return float(low), float(high)

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
        # Some groups at a time, which stay in the cache.
        areas = np.zeros(len(pos))
        for part in parts(pos.shape[1]):
            some = Steps(*(step[:, part] for step in steps))
            areas += self.region.areas(some).sum(axis=1)
        return np.where(is_defined, self._convert_area(areas), np.nan)

    def slopes(self, table: RankTable) -> Slopes:
        if (mirrored := self.mirrored) is not None:
            return mirrored.slopes(table.mirrored).mirrored()
        of_pos, of_neg = self.region.slopes(table)
        return Slopes(of_pos, of_neg, 0.0).scaled(self._unit)


def _check_axis(name: str, given: Any) -> tuple[float, float] | RateDistribution | None:
    """Return what is given for an axis: a window, a weight with a density, or None."""
    if given is None:
        return None
    is_named = isinstance(given, str) and given == "uniform"
    if is_named or isinstance(given, RateDistribution) or is_scipy_distribution(given):
        return _check_weight(name, given)
    if isinstance(given, numbers.Real) and not isinstance(given, bool):
        raise ValueError(
            f"{name} must be a window or a distribution, got {shown(given)}: the part "
            f"up to there is {name}=(0, {given})."
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
        found = "is empty" if low == high else "is reversed" if low > high else "is not"
        raise ValueError(
            f"{name} must be a window (low, high) with 0 <= low < high <= 1, got "
            f"{shown(given)}, which {found}."
        )
    return low, high


def _check_weight(name: str, given: Any) -> RateDistribution:
    try:
        is_frozen = is_scipy_distribution(given)
        law = from_scipy(given) if is_frozen else check_rate(given)
    except ValueError as error:
        raise ValueError(f"{name} cannot be such a distribution: {error}") from error
    if law.table.is_discrete or len(rate_cuts(law)):
        raise ValueError(
            f"{name} must be a distribution with a density, got {shown(given)}, which "
            "has a probability at single points."
        )
    # At the other end it counts all, of whatever ranking.
    lost = 0 if name == "fpr" else 1
    points, masses = law.point_masses()
    mass = float(masses[points == lost].sum())
    if mass > _NEGLIGIBLE:
        side = "below" if lost == 0 else "above"
        raise ValueError(
            f"{name} has {mass:.3g} of its probability at or {side} {lost}, where no "
            "curve has an area: give a distribution on [0, 1], such as "
            "stats.truncnorm in place of stats.norm."
        )
    return law


class Steps(NamedTuple):
    """Where the straight pieces of ROC curves begin and end, in arrays of any shape."""

    fpr_low: Array
    fpr_high: Array
    tpr_low: Array
    tpr_high: Array


@dataclass(frozen=True)
class Window:
    """A rectangle, that cuts out the area below and to the right of the curve."""

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
        """How much more that is than the area under the diagonal."""
        whole = np.zeros(1), np.ones(1)
        return self.most - float(self.areas(Steps(*whole, *whole))[0])

    def areas(self, steps: Steps) -> FloatArray:
        """Return what each piece of a curve adds to the area."""
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
        # The mean height in the window: of what is within it, and of what is above.
        inside = np.clip(low, bottom, top), np.clip(high, bottom, top)
        middle = (inside[0] + inside[1]) / 2 - bottom
        rise = high - low
        within = _quotient(inside[1] - inside[0], rise) * middle
        above = _quotient(high - np.maximum(low, top), rise).clip(0) * (top - bottom)
        heights = np.where(rise > 0, within + above, middle)
        return np.asarray((end - start) * heights)

    def slopes(self, table: RankTable) -> tuple[FloatArray, FloatArray]:
        """Return the slopes of the area by the shares of both classes, by group.

        That is how much of the part lies beyond each group, on either axis.
        """
        fpr, tpr = table.fpr, table.tpr
        (left, right), (bottom, top) = self.fpr, self.tpr
        # The later of two places to enter, the earlier of two to leave. A side that
        # the curve does not cross has the corner that is nearest.
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

    On the true positive rate it is the mean of what is to the right of the curve.
    """

    law: RateDistribution
    axis: Axis

    @property
    def most(self) -> float:
        """The area under a perfect curve."""
        return 1.0

    @property
    def room(self) -> float:
        """How much more that is than the area under the diagonal."""
        mean = self.law.mean()
        return 1 - mean if self.axis == "fpr" else mean

    @property
    def is_above(self) -> bool:
        """Whether areas are those above the curve: of a weight on its other axis."""
        return self.axis == "tpr"

    def areas(self, steps: Steps) -> FloatArray:
        """Return what each piece of a curve adds to the area."""
        fpr, tpr = steps[:2], steps[2:]
        if self.axis == "fpr":
            return np.asarray((tpr[1] - tpr[0]) * self.law.table.mean(*fpr))
        return np.asarray((fpr[1] - fpr[0]) * self.law.table.mean(*tpr))

    def slopes(self, table: RankTable) -> tuple[FloatArray, FloatArray]:
        """Return the slopes of the area by the shares of both classes, by group."""
        pos, neg = table.pos / table.n_pos, table.neg / table.n_neg
        if self.axis == "fpr":
            return self._slopes(table.fpr, neg, pos)
        of_neg, of_pos = self._slopes(table.tpr, pos, neg)
        return -of_pos, -of_neg

    def _slopes(
        self, edges: FloatArray, widths: FloatArray, shares: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the slopes of the mean over ``shares`` of what survives their place.

        By the shares, and by the ``widths`` of groups, which are between ``edges`` on
        the axis: a group more moves all that follow it down, and itself in part.
        """
        table = self.law.table
        mean, at_edge = table.mean(edges[:-1], edges[1:]), table.survival(edges)
        fall = _quotient(at_edge[:-1] - at_edge[1:], widths)
        # Over no width it is the density. After all others that counts for all alike,
        # and may have no bound.
        is_point = (widths == 0) & (edges[:-1] < 1)
        fall[is_point] = table.density(edges[:-1][is_point])
        fall *= shares
        own = shares * _quotient(mean - at_edge[1:], widths)
        return mean, fall - own - reverse_cumsum(fall)


def _interpolate_curve(
    along: FloatArray, value: float, across: FloatArray, limits: tuple[float, float]
) -> float:
    """Return where a curve with a value on one axis is on the other, within limits.

    Where it has that value for a while, it is the middle of that piece.
    """
    if value <= 0:
        return limits[0]
    if value >= 1:
        return limits[1]
    # Sums of weights have rounding.
    first = int(np.searchsorted(along, value - 1e-12, side="left"))
    last = int(np.searchsorted(along, value + 1e-12, side="right")) - 1
    if first <= last:
        ends = across[[first, last]]
    else:
        share = (value - along[last]) / (along[first] - along[last])
        ends = across[last] + share * (across[first] - across[last])
    return float(np.clip(ends, *limits).mean())


def _beyond(edges: FloatArray, part: tuple[float, float]) -> FloatArray:
    """Return how much of an interval lies beyond groups, in the mean over each."""
    first, last = part
    low, high = edges[:-1], edges[1:]
    inside = np.clip(low, first, last), np.clip(high, first, last)
    before = (np.minimum(high, first) - low).clip(0) * (last - first)
    within = (inside[1] - inside[0]) * (last - (inside[0] + inside[1]) / 2)
    width = high - low
    return np.where(width > 0, _quotient(before + within, width), last - inside[0])


def _quotient(part: Array, whole: Array) -> FloatArray:
    """Return ``part / whole``, 0 where there is no whole."""
    found = np.zeros(np.broadcast(part, whole).shape)
    np.divide(part, whole, out=found, where=whole > 0)
    return found
