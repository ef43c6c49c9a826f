"""Areas under parts of the ROC curve: within a window, or by a weight on one axis."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from skrate.core.arrays import (
    Array,
    BoolArray,
    FloatArray,
    dot,
    sum_from_right,
)
from skrate.core.rank_table import RankTable
from skrate.core.rates import RateDistribution
from skrate.metrics.expected_recall import sum_of_survivals, sum_over_gaps

Axis = Literal["fpr", "tpr"]

# Fewer cases than these take no longer by groups.
_FEW = 256


class Steps(NamedTuple):
    """Where the straight pieces of ROC curves begin and end, in arrays of any shape."""

    fpr_low: Array
    fpr_high: Array
    tpr_low: Array
    tpr_high: Array


class Part(NamedTuple):
    """The part of a curve within a window, from where it enters to where it leaves."""

    fpr: tuple[float, float]
    tpr: tuple[float, float]


class Region(ABC):
    """What is taken of the area under a ROC curve."""

    @property
    @abstractmethod
    def most(self) -> float:
        """The area under a perfect curve."""

    @property
    @abstractmethod
    def room(self) -> float:
        """How much more that is than the area under the diagonal."""

    # Whether areas are those above the curve, up to that of a perfect one: where that
    # is next to all, what is above it has digits of its own.
    is_above = False

    @abstractmethod
    def area(self, table: RankTable) -> float:
        """Return the area of a table with both classes."""

    @abstractmethod
    def areas(self, steps: Steps) -> FloatArray:
        """Return what each piece of a curve adds to the area."""

    @abstractmethod
    def slopes(self, table: RankTable) -> tuple[FloatArray, FloatArray]:
        """Return the derivatives of the area below by the shares of both classes.

        Per group, but for a constant.
        """

    def of_ties(self, table: RankTable) -> float:
        """Return what the area is more than with positives first where cases tie.

        The curve is straight there, in place of going up and then to the right.
        """
        start, turn, end = table.mixed_ties()
        if len(start) == 0:
            return 0.0
        assert table.cases is not None
        found = np.searchsorted(np.flatnonzero(table.cases), start)
        f = (start - found) / table.n_neg
        f_end = f + (end - turn) / table.n_neg
        t, t_end = found / table.n_pos, (found + turn - start) / table.n_pos
        line, up, right = (
            self.areas(Steps(*steps))
            for steps in (
                (f, f_end, t, t_end),
                (f, f, t, t_end),
                (f, f_end, t_end, t_end),
            )
        )
        return float(np.sum(line - up - right))


@dataclass(frozen=True)
class Window(Region):
    """A rectangle, in which the area below and to the right of the curve is meant.

    A window on one axis is one that leaves the other as it is.
    """

    fpr: tuple[float, float] = (0.0, 1.0)
    tpr: tuple[float, float] = (0.0, 1.0)

    @property
    def most(self) -> float:
        (left, right), (bottom, top) = self.fpr, self.tpr
        return (right - left) * (top - bottom)

    @property
    def room(self) -> float:
        whole = np.zeros(1), np.ones(1)
        return self.most - float(self.areas(Steps(*whole, *whole))[0])

    def area(self, table: RankTable) -> float:
        cases = _cases_of(table)
        if cases is not None:
            return self._area_of_cases(table, cases)
        fpr, tpr = table.fpr, table.tpr
        steps = Steps(fpr[:-1], fpr[1:], tpr[:-1], tpr[1:])
        return float(self.areas(steps).sum())

    def _area_of_cases(self, table: RankTable, cases: BoolArray) -> float:
        """Return the same where weights are equal, by pairs of both classes.

        A positive is a step of the curve, to the right of which are the negatives below
        it; those above are summed as whole numbers.
        """
        n_pos, n_neg = table.n_pos, table.n_neg
        left, right = (end * n_neg for end in self.fpr)
        bottom, top = (end * n_pos for end in self.tpr)
        above = np.flatnonzero(cases)
        above -= np.arange(len(above))
        # Of the first and the last step there may be a part only, and of one at least.
        first = min(math.floor(bottom), len(above) - 1)
        last = max(math.ceil(top), first + 1)
        steps = above[first:last]
        outside, inside = np.searchsorted(steps, [left, right]).tolist()
        pairs = outside * (right - left)
        pairs += (inside - outside) * right - float(steps[outside:inside].sum())
        ends = right - np.clip(steps[[0, -1]], left, right)
        pairs -= float(dot(ends, np.array([bottom - first, last - top])))
        area: float = pairs / (n_pos * n_neg)
        return area + self.of_ties(table)

    def areas(self, steps: Steps) -> FloatArray:
        (left, right), (bottom, top) = self.fpr, self.tpr
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
        """Return how much of the part lies beyond each group, on either axis.

        A share of the positives more raises the curve from their group on, and one of
        the negatives moves it to the right. Where the curve enters and leaves moves as
        well, but there the height, or the width, of what is gained is 0.
        """
        fpr, tpr = self._part(table.fpr, table.tpr)
        return _beyond(table.fpr, fpr), -_beyond(table.tpr, tpr)

    def _part(self, fpr: FloatArray, tpr: FloatArray) -> Part:
        (left, right), (bottom, top) = self.fpr, self.tpr
        # The later of two places to enter, the earlier of two to leave. A side that
        # the curve does not cross has the corner that is nearest.
        start = max(
            (left, _at(fpr, left, tpr, self.tpr)),
            (_at(tpr, bottom, fpr, self.fpr), bottom),
            key=sum,
        )
        end = min(
            (right, _at(fpr, right, tpr, self.tpr)),
            (_at(tpr, top, fpr, self.fpr), top),
            key=sum,
        )
        return Part((start[0], end[0]), (start[1], end[1]))


@dataclass(frozen=True)
class Weighted(Region):
    """The mean height of the curve under a weight on the false positive rate.

    The expected recall, with the rate among the negatives in place of that among all
    cases. Under a weight on the true positive rate it is the mean of what is to the
    right of the curve, and the area above it the same of swapped classes.
    """

    law: RateDistribution
    axis: Axis

    @property
    def most(self) -> float:
        return 1.0

    @property
    def room(self) -> float:
        mean = self.law.mean()
        return 1 - mean if self.axis == "fpr" else mean

    @property
    def is_above(self) -> bool:  # type: ignore[override]
        """Whether the weight is on the true positive rate."""
        return self.axis == "tpr"

    def area(self, table: RankTable) -> float:
        cases = _cases_of(table)
        if cases is not None:
            along = cases if self.axis == "tpr" else ~cases
            between = np.diff(np.flatnonzero(along), prepend=-1, append=len(along)) - 1
            mean = sum_over_gaps(between, self.law) / float(between.sum())
            return mean + self.of_ties(table)
        if self.axis == "fpr":
            return sum_of_survivals(table.pos, table.fpr, self.law) / table.n_pos
        return sum_of_survivals(table.neg, table.tpr, self.law) / table.n_neg

    def areas(self, steps: Steps) -> FloatArray:
        fpr, tpr = steps[:2], steps[2:]
        if self.axis == "fpr":
            return np.asarray((tpr[1] - tpr[0]) * self.law.table.mean(*fpr))
        return np.asarray((fpr[1] - fpr[0]) * self.law.table.mean(*tpr))

    def slopes(self, table: RankTable) -> tuple[FloatArray, FloatArray]:
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
        return mean, fall - own - sum_from_right(fall)


def _cases_of(table: RankTable) -> BoolArray | None:
    """Return the cases if they are quicker than groups: of equal weight, few tied.

    Of a few cases they are hardly quicker, and what ties correct costs a digit.
    """
    cases = table.cases
    if cases is None or 2 * table.n_groups < len(cases):
        return None
    return None if table.n_groups < len(cases) < _FEW else cases


def _at(
    along: FloatArray, value: float, across: FloatArray, limits: tuple[float, float]
) -> float:
    """Return where a curve with a value on one axis is on the other, within limits.

    Where it has that value for a while, it is the middle of that piece: what a case
    more would change there and what one less would are not the same, and count alike.
    """
    if value <= 0:
        return limits[0]
    if value >= 1:
        return limits[1]
    first = int(np.searchsorted(along, value, side="left"))
    last = int(np.searchsorted(along, value, side="right")) - 1
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
