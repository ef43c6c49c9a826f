"""The parts that laws with a mode gain most by: where uniform laws from it end."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from skrate.core.arrays import BoolArray, FloatArray, IntArray, dot
from skrate.core.unimodal_programs import NEAR, UnimodalPrograms

# Cells that are not worth the search for those that cannot hold an end.
_FEW = 4096


class Cells(NamedTuple):
    """Cells between knots: values and integrals at their ends."""

    starts: FloatArray
    ends: FloatArray
    first: FloatArray
    last: FloatArray
    areas: FloatArray
    after: FloatArray
    intervals: IntArray

    def some(self, which: BoolArray | slice) -> Cells:
        """Return some of them."""
        return Cells(
            self.starts[which], self.ends[which], self.first[which], self.last[which],
            self.areas[which], self.after[which], self.intervals[which],
        )  # fmt: skip


def cells_around(program: UnimodalPrograms, low: float, high: float) -> Cells:
    """Return the cells that may hold an end, for modes between two."""
    rates, values, areas = program.rates, program.values, program.areas
    cells = Cells(
        rates[:-1], rates[1:], values[:-1], values[1:], areas[:-1], areas[1:],
        np.searchsorted(program.known, rates[1:]),
    )  # fmt: skip
    if len(cells.starts) <= _FEW:
        return cells
    edges = np.unique(np.concatenate([program.among.edges, [low, high]]))
    may_hold = np.ones(len(cells.starts), dtype=bool)
    for first, last in pairwise(np.searchsorted(rates, edges)):
        part = cells.some(slice(first, last))
        if last > first and part.ends[-1] <= low:
            may_hold[first:last] = _on_hull(part, is_rising=True)
        elif last > first and part.starts[0] >= high:
            may_hold[first:last] = _on_hull(part, is_rising=False)
    return cells.some(may_hold)


def new_ends(
    program: UnimodalPrograms, mode: float, prices: FloatArray, cells: Cells
) -> FloatArray:
    """Return the end that gains most in each interval, where one does."""
    places, gains = _gains(program, mode, prices, cells)
    top = gains.argmax(axis=0)
    columns = np.arange(len(top))
    places, gains = places[top, columns], gains[top, columns]
    group = 2 * cells.intervals + (cells.ends > mode)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    found = [
        start + int(gains[start:end].argmax())
        for start, end in pairwise([*starts, len(group)])
    ]
    return np.asarray(places[[i for i in found if gains[i] > program.tolerance]])


def _gains(
    program: UnimodalPrograms, mode: float, prices: FloatArray, cells: Cells
) -> tuple[FloatArray, FloatArray]:
    """Return places in each cell and their gains: both ends, and a top between."""
    known = program.known
    of_known, of_mean = (
        prices[1 : len(known) + 1],
        float(prices[len(known) + 1 :].sum()),
    )
    # The integral of the prices up to x is base + tail * x in an interval.
    tail = np.append(np.cumsum(of_known[::-1])[::-1], 0.0)[cells.intervals]
    base = np.append(0.0, np.cumsum(of_known * known))[cells.intervals]
    to_mode = float(program.area(np.array([mode]))[0])
    to_mode -= float(dot(of_known, np.minimum(known, mode))) + of_mean * mode**2 / 2

    def net(areas: FloatArray, x: FloatArray) -> FloatArray:
        return np.asarray(areas - base - tail * x - of_mean * x**2 / 2 - to_mode)

    low, high = cells.starts - mode, cells.ends - mode
    to_low, to_high = net(cells.areas, cells.starts), net(cells.after, cells.ends)
    at_low = cells.first - tail - of_mean * cells.starts
    at_high = cells.last - tail - of_mean * cells.ends
    # From the mode to mode + t it is a + b t + c t^2, over t.
    c = (at_high - at_low) / (cells.ends - cells.starts) / 2
    a = to_low - at_low * low + c * low**2
    b = at_low - 2 * c * low
    side = np.sign(low + high)
    has_top = (a * c > 0) & (a * side < 0) & (low * high >= 0)
    t = side * np.sqrt(np.where(has_top, a / np.where(c == 0, 1.0, c), 0.0))
    has_top &= (low < t) & (t < high)
    places = np.stack([cells.starts, cells.ends, mode + t])
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.stack([to_low / low, to_high / high, a / t + b + c * t])
    gains[2, ~has_top] = -np.inf
    gains[np.abs(places - mode) < NEAR] = -np.inf
    return places, gains - prices[0]


def _on_hull(cells: Cells, *, is_rising: bool) -> BoolArray:
    """Return which cells may hold the end of a part with a mode beyond all of them.

    These touch the least concave function above the integral, or the greatest convex
    one below it on the side where the density rises; both come of an isotonic
    regression. Within a cell the integral is an arc, by so much above its ends.
    """
    widths = cells.ends - cells.starts
    means = (cells.first + cells.last) / 2
    fit = isotonic_regression(means, weights=widths, increasing=is_rising).x
    hull = cells.areas[0] + np.concatenate([[0.0], np.cumsum(fit * widths)])
    arc = np.abs(cells.last - cells.first) * widths / 8
    away = np.minimum(np.abs(hull[:-1] - cells.areas), np.abs(hull[1:] - cells.after))
    return np.asarray(away <= arc + 1e-12 * np.ptp(means))
