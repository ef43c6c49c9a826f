r"""The law of the rate with one mode under which the mean of a function is greatest.

A law that is unimodal about m is a mixture of uniform laws between m and x, over x, and
of m itself (Khinchine 1938). So for each m the best law of a set is that of a linear
program in the shares of these parts, with a row for each thing that is known, of which
few parts are in use. With prices of the rows that of x gains

    1/(x - m) * integral from m to x of g(u) du,
    g(u) = f(u) - sum_j price_j 1{u <= q_j} - price_mean u,

where f is straight between knots, so that in each cell the best x has a closed form.
Parts that gain are added until none does, which makes the program exact for m. Of the
modes a grid is taken, with the best knot of f in each of its cells, and a finer one
around the best of them, until nothing is gained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.rate_curves import RateCurve, with_knots
from skrate.core.rate_sets import RateSet
from skrate.core.rates import Fixed, Interval, Mixture, RateDistribution
from skrate.core.unimodal_ends import cells_around, new_ends
from skrate.core.unimodal_programs import NEAR, UnimodalPrograms

# Modes of a grid, and knots that are all among them.
_MODES = 16
_KNOTS = 48
# So many peaks over a grid are followed.
_PEAKS = 3
# Of the range of f: what ends the search, and what peaks may differ by in any case.
_ENOUGH = 1e-8
_ROUGH = 1e-2
_MOST_ROUNDS = 20
_MOST_ENDS = 60


@dataclass(frozen=True)
class UnimodalParts:
    """The knots of a curve among a set of laws with one mode."""

    among: RateSet
    curve: RateCurve

    @classmethod
    def of(cls, among: RateSet, curve: RateCurve) -> UnimodalParts:
        ends = [(of.low, of.high) for of in among.mode_ranges]
        extra = np.unique(np.append(np.ravel(ends), among.edges))
        curve = with_knots(curve, extra)
        low, high = np.searchsorted(curve.rates, among.support)
        inside = [None if of is None else of[low : high + 1] for of in curve]
        assert inside[0] is not None
        # Cells without a width hold nothing.
        apart = np.append(np.diff(inside[0]) > 0, True)
        rates, values, widths = (None if of is None else of[apart] for of in inside)
        assert rates is not None
        assert values is not None
        return cls(among, RateCurve(rates, values, widths))

    @property
    def values(self) -> FloatArray:
        """Those of the curve at its knots."""
        return self.curve.values

    @property
    def widths(self) -> FloatArray | None:
        """Those of the curve at its knots."""
        return self.curve.widths

    @property
    def exactness(self) -> float:
        """Share of a greatest mean that the search may leave."""
        return _ENOUGH

    def greatest(self, values: FloatArray, mean: tuple[float, float] | None) -> Mixture:
        """Return a law of the set under which the mean of ``values`` is greatest."""
        rates = self.curve.rates
        return _law(_best(UnimodalPrograms(self.among, mean, rates, values)))


class _Best(NamedTuple):
    """The best law with a mode."""

    mode: float
    value: float
    ends: FloatArray
    shares: FloatArray


def _value(found: _Best) -> float:
    return found.value


def _best(program: UnimodalPrograms) -> _Best:
    """Return the best law of all modes."""
    ranges = program.among.mode_ranges
    modes = _grid(program, ranges[0].low, ranges[-1].high, program.first_ends)
    values = program.solved(modes, program.first_ends).values
    first, *others = _peaks(values)
    best = _climbed(program, modes, first)
    gained = best.value - values[first] + _ROUGH * program.spread
    for peak in others:
        # What another can gain is judged by what the best of the grid did.
        if values[peak] + 2 * gained > best.value:
            other = _climbed(program, modes, peak)
            best = max(best, other, key=_value)
    return best


def _climbed(program: UnimodalPrograms, modes: FloatArray, peak: int) -> _Best:
    """Return the best law of a mode around a peak over a grid."""
    low, high = _around(modes, peak)
    best, ends = _exact(program, modes[[peak]], program.first_ends, (low, high))
    for _ in range(_MOST_ROUNDS):
        modes = _grid(program, low, high, ends)
        peaks = _peaks(program.solved(modes, ends).values)
        found, ends = _exact(program, modes[peaks], ends, (low, high))
        gain = found.value - best.value
        best = max(best, found, key=_value)
        if gain <= _ENOUGH * program.spread:
            break
        low, high = _around(modes, int(np.searchsorted(modes, best.mode)))
    return best


def _exact(
    program: UnimodalPrograms,
    modes: FloatArray,
    ends: FloatArray,
    bounds: tuple[float, float],
) -> tuple[_Best, FloatArray]:
    """Return the best law of some modes, and ends with those that it needed.

    The modes are between the bounds.
    """
    cells = cells_around(program, *bounds)
    found = []
    for mode in modes.tolist():
        at, basis = np.array([mode]), None
        for _ in range(_MOST_ENDS):
            solved = program.solved(at, ends, basis)
            basis = solved.basis
            new = new_ends(program, mode, solved.prices[0], cells)
            if not len(new):
                break
            ends = np.append(ends, new)
        places = np.concatenate([at, at, np.full(program.n_slack, np.nan), ends])
        used = places[solved.basis[0]]
        is_part = ~np.isnan(used)
        shares = solved.weights[0][is_part].clip(0)
        value = float(solved.values[0])
        found.append(_Best(mode, value, used[is_part], shares))
    return max(found, key=_value), ends


def _grid(
    program: UnimodalPrograms, low: float, high: float, ends: FloatArray
) -> FloatArray:
    """Return modes between two: evenly, and few knots, or the best between each."""
    rates, values = program.rates, program.values
    even = np.linspace(low, high, _MODES + 1)
    starts = np.searchsorted(program.rates, even, side="right")
    knots = list(range(starts[0], starts[-1]))
    if len(knots) > _KNOTS:
        tilts = program.mean_prices(even[:-1], ends)
        # At the best mode the law is as good as the mode alone, at these prices.
        knots = [
            start + int((values[start:end] - tilt * rates[start:end]).argmax())
            for (start, end), tilt in zip(pairwise(starts), tilts, strict=True)
            if end > start
        ]
    edges = program.among.edges
    special = edges[(low <= edges) & (edges <= high)]
    modes = np.unique(np.concatenate([even, program.rates[knots], special]))
    # What is next to an edge is at it.
    near = np.searchsorted(modes, edges)
    for edge, place in zip(edges, near, strict=True):
        if place < len(modes) and modes[place] == edge:
            modes[np.abs(modes - edge) < NEAR] = edge
    return np.unique(modes)


def _peaks(values: FloatArray) -> list[int]:
    """Return the highest peaks of values over a grid, the highest one first."""
    padded = np.pad(values, 1, constant_values=-np.inf)
    peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]))
    in_order = peaks[np.argsort(-values[peaks], kind="stable")]
    return [int(peak) for peak in in_order[:_PEAKS]]


def _around(grid: FloatArray, place: int) -> tuple[float, float]:
    """Return the neighbours of an entry of a grid."""
    return float(grid[max(place - 1, 0)]), float(grid[min(place + 1, len(grid) - 1)])


def _law(best: _Best) -> Mixture:
    """Return the mixture of a law with a mode."""
    parts = []
    for end in best.ends.tolist():
        low, high = min(end, best.mode), max(end, best.mode)
        parts.append(Fixed(best.mode) if high - low < NEAR else Interval(low, high))
    return _mixture(parts, best.shares.tolist())


def _mixture(parts: Sequence[RateDistribution], shares: Sequence[float]) -> Mixture:
    """Return a mixture in which each part is there once, in their order."""
    found: dict[RateDistribution, float] = {}
    for part, share in zip(parts, shares, strict=True):
        if share > 0:
            found[part] = found.get(part, 0.0) + share
    in_order = sorted(found, key=_bounds)
    whole = sum(found.values())
    return Mixture(tuple(in_order), tuple(found[part] / whole for part in in_order))


def mixed(first: Mixture, second: Mixture, share: float) -> Mixture:
    """Return the law that is the first with a probability, and else the second."""
    shares = [share * weight for weight in first.weights]
    shares += [(1 - share) * weight for weight in second.weights]
    return _mixture([*first.components, *second.components], shares)


def mode_of(law: Mixture, among: RateSet) -> float:
    """Return a mode of a law that was found here: a rate that all its parts hold."""
    assert among.mode is not None
    bounds = list(map(_bounds, law.components))
    first, last = max(low for low, _ in bounds), min(high for _, high in bounds)
    return min(max(first, among.mode[0]), last)


def _bounds(part: RateDistribution) -> tuple[float, float]:
    if isinstance(part, Fixed):
        return part.r, part.r
    assert isinstance(part, Interval)
    return part.low, part.high
