r"""The unimodal distribution of the rate that maximises the mean of a function.

A distribution that is unimodal about m is a mixture of uniform distributions between m
and x, over x, and of m itself (Khinchine 1938). So for each m the best distribution of
a set is that of a linear program in the shares of these parts, with a row for each
thing that is known, of which few parts are in use. With prices of the rows that of x
gains

    1/(x - m) * integral from m to x of g(u) du,
    g(u) = f(u) - sum_j price_j 1{u <= q_j} - price_mean u,

where f is straight between knots, so that in each cell the best x has a closed form.
Parts that gain are added until none does, which makes the program exact for m. A grid
of modes is taken, with the best knot of f in each of its cells, and a finer one
around the best of them, until nothing is gained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from skrate.data.arrays import FloatArray, IntArray, dot, sum_from_right
from skrate.rates.laws import Fixed, Interval, Mixture, RateDistribution
from skrate.rates.sets import RateCurve, RateSet, with_knots

_MOST_STEPS = 200
# A column that moves a weight by less leaves it where it is.
_LEAST_MOVE = 1e-10
_ROUNDING = 1e-13


class Solutions(NamedTuple):
    """Solutions of linear programs."""

    basis: IntArray  # (n_programs, n_rows): the columns that are in use
    weights: FloatArray  # (n_programs, n_rows): of these
    prices: FloatArray  # (n_programs, n_rows): what a unit of each row is worth
    values: FloatArray  # (n_programs,)


def solve(
    gains: FloatArray,
    columns: FloatArray,
    right: FloatArray,
    basis: IntArray,
    tolerance: float,
) -> Solutions:
    """Maximise gains @ x where columns @ x = right and x >= 0, program by program.

    ``gains`` (n_programs, n_columns), ``columns`` (n_programs, n_rows, n_columns), and
    ``basis`` (n_programs, n_rows) is a start whose weights are not negative. No column
    that is left out gains more per unit than the tolerance.
    """
    basis = basis.copy()
    programs = np.arange(len(basis))
    by_column = columns.swapaxes(1, 2)
    for _ in range(_MOST_STEPS):
        square = by_column[programs[:, None], basis]
        inverse = np.linalg.inv(square)
        in_use = gains[programs[:, None], basis]
        weights = right @ inverse
        prices = (inverse @ in_use[:, :, None])[:, :, 0]
        left = gains - (prices[:, None] @ columns)[:, 0]
        new = left.argmax(axis=1)
        # Of what is in use a part is rounding.
        least = tolerance + _ROUNDING * np.abs(in_use).max(axis=1)
        is_open = left[programs, new] > least
        if not is_open.any():
            break
        moves = (by_column[programs, new][:, None] @ inverse)[:, 0]
        can = moves > _LEAST_MOVE
        room = np.full_like(moves, np.inf)
        np.divide(np.maximum(weights, 0.0), moves, out=room, where=can)
        # Of those that are spent first the one that moves most.
        first = room <= room.min(axis=1, keepdims=True) + 1e-15
        out = np.where(first, moves, -np.inf).argmax(axis=1)
        basis[programs[is_open], out[is_open]] = new[is_open]
    values = (in_use * weights).sum(axis=1)
    return Solutions(basis, weights, prices, values)


# Rates this close are one.
NEAR = 1e-9
# Ends to begin with, in each interval.
_ENDS = 16
# Of the range of the values: what a part may still gain, and a mean that is not met.
_EXACT = 1e-9
_PENALTY = 1e6


@dataclass(frozen=True)
class UnimodalPrograms:
    """Programs for the greatest mean of values that are straight between rates."""

    among: RateSet
    rates: FloatArray
    values: FloatArray

    @cached_property
    def spread(self) -> float:
        """The range of the values, or 1."""
        return float(np.ptp(self.values)) or 1.0

    @cached_property
    def areas(self) -> FloatArray:
        """Integrals of the values up to each knot."""
        cells = np.diff(self.rates) * (self.values[1:] + self.values[:-1]) / 2
        return np.concatenate([[0.0], np.cumsum(cells)])

    @cached_property
    def known(self) -> FloatArray:
        """The rates at the quantiles that are known."""
        return self.among.edges[1:-1]

    @cached_property
    def intervals(self) -> IntArray:
        """The interval between quantiles that each cell between knots lies in."""
        return np.searchsorted(self.known, self.rates[1:])

    @cached_property
    def right(self) -> FloatArray:
        """What is known: the probability in all, at the quantiles, and the mean."""
        levels = np.append(1.0, np.cumsum(self.among.masses)[:-1])
        return np.append(levels, [bound for bound, _ in self.mean_rows])

    @cached_property
    def mean_rows(self) -> list[tuple[float, tuple[float, float]]]:
        """Bounds of the mean, and what being below and above each gains."""
        if self.among.mean is None:
            return []
        low, high = self.among.mean
        penalty = -_PENALTY * self.spread
        if low == high:
            return [(low, (penalty, penalty))]
        return [(high, (0.0, penalty)), (low, (penalty, 0.0))]

    @cached_property
    def first_ends(self) -> FloatArray:
        """Ends of parts to begin with: the edges, and more between them."""
        edges = self.among.edges
        steps = np.arange(1, _ENDS) / _ENDS
        inner = edges[:-1, None] + np.diff(edges)[:, None] * steps
        return np.append(edges, inner.ravel())

    def solved(
        self, modes: FloatArray, ends: FloatArray, basis: IntArray | None = None
    ) -> Solutions:
        """Return the best mixtures of parts with these ends, for each mode."""
        gains, columns = self._columns(modes, ends)
        if basis is None:
            basis = self._start(modes, columns)
        return solve(gains, columns, self.right, basis, _EXACT * self.spread)

    @property
    def n_slack(self) -> int:
        """How many columns say what the mean is beyond its bounds."""
        return 2 * len(self.mean_rows)

    def _columns(
        self, modes: FloatArray, ends: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return gains and columns of the parts between modes and ends.

        Before them come the mode itself, as it counts at a quantile and above it, and
        what the mean is below and above its bounds.
        """
        here = modes[:, None]
        low, high = np.minimum(here, ends), np.maximum(here, ends)
        width = high - low
        is_point = width < NEAR
        width[is_point] = 1.0
        at = np.interp(modes, self.rates, self.values)
        to_mode = self.area(modes)[:, None]
        means = np.sign(ends - here) * (self.area(ends) - to_mode) / width
        means = np.where(is_point, at[:, None], means)
        known = self.known[:, None]
        below = np.clip((known - low[:, None]) / width[:, None], 0.0, 1.0)
        below = np.where(is_point[:, None], here[:, None] <= known, below)
        n_rows, n_slack = len(self.right), self.n_slack
        columns = np.zeros((len(modes), n_rows, 2 + n_slack + len(ends)))
        gains = np.zeros((len(modes), columns.shape[2]))
        gains[:, :2], gains[:, 2 + n_slack :] = at[:, None], means
        columns[:, 0, :2] = columns[:, 0, 2 + n_slack :] = 1.0
        last = 1 + len(known)
        columns[:, 1:last, 0] = here <= self.known
        columns[:, 1:last, 1] = here < self.known
        columns[:, 1:last, 2 + n_slack :] = below
        for i, (_, slack) in enumerate(self.mean_rows):
            place = slice(2 + 2 * i, 4 + 2 * i)
            columns[:, last + i, :2] = here
            columns[:, last + i, place] = 1.0, -1.0
            columns[:, last + i, 2 + n_slack :] = (low + high) / 2
            gains[:, place] = slack
        return gains, columns

    def _start(self, modes: FloatArray, columns: FloatArray) -> IntArray:
        """Return a distribution for each mode: steps from all but the nearest edges."""
        ranges = self.among.mode_ranges
        which = np.searchsorted([of.high for of in ranges], modes)
        intervals = np.array([of.interval for of in ranges])
        intervals = intervals[np.minimum(which, len(ranges) - 1)]
        n = len(self.known)
        steps = np.arange(n)
        first = 2 + self.n_slack
        edges = first + steps + 2 * (steps >= intervals[:, None])
        # At the quantile below its interval the mode counts as above it.
        is_above = (modes == self.among.edges[intervals]) & (intervals > 0)
        slack = np.tile(2 + 2 * np.arange(len(self.mean_rows)), (len(modes), 1))
        basis = np.column_stack([is_above.astype(np.intp), edges, slack])
        if self.mean_rows:
            square = np.take_along_axis(columns, basis[:, None], axis=2)
            right = np.broadcast_to(
                self.right[:, None], (len(modes), len(self.right), 1)
            )
            # What is missing below a bound is too much above it.
            basis[:, 1 + n :] += np.linalg.solve(square, right)[:, 1 + n :, 0] < 0
        return basis

    def area(self, places: FloatArray) -> FloatArray:
        """Return the integral of the values up to places."""
        last = len(self.rates) - 2
        cell = np.clip(np.searchsorted(self.rates, places, "right") - 1, 0, last)
        start, at_start = self.rates[cell], self.values[cell]
        slope = (self.values[cell + 1] - at_start) / (self.rates[cell + 1] - start)
        width = places - start
        return np.asarray(self.areas[cell] + width * (at_start + slope * width / 2))


def new_ends(program: UnimodalPrograms, mode: float, prices: FloatArray) -> FloatArray:
    """Return the end that gains most in each interval, where one does."""
    places, gains = _gains(program, mode, prices)
    top = gains.argmax(axis=0)
    columns = np.arange(len(top))
    places, gains = places[top, columns], gains[top, columns]
    group = 2 * program.intervals + (program.rates[1:] > mode)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    found = [
        start + int(gains[start:end].argmax())
        for start, end in pairwise([*starts, len(group)])
    ]
    return np.asarray(places[[i for i in found if gains[i] > _EXACT * program.spread]])


def _gains(
    program: UnimodalPrograms, mode: float, prices: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return places in each cell and their gains: both ends, and a top between."""
    known, intervals = program.known, program.intervals
    starts, ends = program.rates[:-1], program.rates[1:]
    first, last = program.values[:-1], program.values[1:]
    of_known = prices[1 : len(known) + 1]
    of_mean = float(prices[len(known) + 1 :].sum())
    # The integral of the prices up to x is base + tail * x in an interval.
    tail = np.append(sum_from_right(of_known), 0.0)[intervals]
    base = np.append(0.0, np.cumsum(of_known * known))[intervals]
    to_mode = float(program.area(np.array([mode]))[0])
    to_mode -= float(dot(of_known, np.minimum(known, mode))) + of_mean * mode**2 / 2

    def net(areas: FloatArray, x: FloatArray) -> FloatArray:
        return np.asarray(areas - base - tail * x - of_mean * x**2 / 2 - to_mode)

    low, high = starts - mode, ends - mode
    to_low = net(program.areas[:-1], starts)
    to_high = net(program.areas[1:], ends)
    at_low, at_high = first - tail - of_mean * starts, last - tail - of_mean * ends
    # From the mode to mode + t it is a + b t + c t^2, over t.
    c = (at_high - at_low) / (ends - starts) / 2
    a = to_low - at_low * low + c * low**2
    b = at_low - 2 * c * low
    side = np.sign(low + high)
    has_top = (a * c > 0) & (a * side < 0) & (low * high >= 0)
    t = side * np.sqrt(np.where(has_top, a / np.where(c == 0, 1.0, c), 0.0))
    has_top &= (low < t) & (t < high)
    places = np.stack([starts, ends, mode + t])
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.stack([to_low / low, to_high / high, a / t + b + c * t])
    gains[2, ~has_top] = -np.inf
    gains[np.abs(places - mode) < NEAR] = -np.inf
    return places, gains - prices[0]


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
    """The knots of a curve among a set of distributions with one mode."""

    among: RateSet
    curve: RateCurve

    @classmethod
    def of(cls, among: RateSet, curve: RateCurve) -> UnimodalParts:
        ends = [(of.low, of.high) for of in among.mode_ranges]
        curve = with_knots(curve, np.unique(np.append(np.ravel(ends), among.edges)))
        low, high = np.searchsorted(curve.rates, among.support)
        # Cells without a width hold nothing.
        apart = np.append(np.diff(curve.rates[low : high + 1]) > 0, True)
        inside = low + np.flatnonzero(apart)
        return cls(among, curve.changed(curve.rates[inside], lambda of: of[inside]))

    @property
    def exactness(self) -> float:
        """Share of a greatest mean that the search may leave."""
        return _ENOUGH

    def greatest(self, values: FloatArray) -> Mixture:
        """Return a distribution of the set that maximises the mean of ``values``."""
        program = UnimodalPrograms(self.among, self.curve.rates, values)
        best = _best(program)
        parts: list[RateDistribution] = []
        for end in best.ends.tolist():
            low, high = min(end, best.mode), max(end, best.mode)
            parts.append(Fixed(best.mode) if high - low < NEAR else Interval(low, high))
        return _mixture(parts, best.shares.tolist())


class _Best(NamedTuple):
    """The best distribution with a mode."""

    mode: float
    value: float
    ends: FloatArray
    shares: FloatArray


def _best(program: UnimodalPrograms) -> _Best:
    """Return the best distribution of all modes."""
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
            best = max(best, other, key=attrgetter("value"))
    return best


def _climbed(program: UnimodalPrograms, modes: FloatArray, peak: int) -> _Best:
    """Return the best distribution of a mode around a peak over a grid."""
    best, ends = _exact(program, modes[[peak]], program.first_ends)
    for _ in range(_MOST_ROUNDS):
        # Between the neighbours of the best.
        low, high = modes[max(peak - 1, 0)], modes[min(peak + 1, len(modes) - 1)]
        modes = _grid(program, float(low), float(high), ends)
        peaks = _peaks(program.solved(modes, ends).values)
        found, ends = _exact(program, modes[peaks], ends)
        gain = found.value - best.value
        best = max(best, found, key=attrgetter("value"))
        if gain <= _ENOUGH * program.spread:
            break
        peak = int(np.searchsorted(modes, best.mode))
    return best


def _exact(
    program: UnimodalPrograms, modes: FloatArray, ends: FloatArray
) -> tuple[_Best, FloatArray]:
    """Return the best distribution of some modes, and the ends that it needed."""
    found = []
    for mode in modes.tolist():
        at, basis = np.array([mode]), None
        for _ in range(_MOST_ENDS):
            solved = program.solved(at, ends, basis)
            basis = solved.basis
            new = new_ends(program, mode, solved.prices[0])
            if not len(new):
                break
            ends = np.append(ends, new)
        places = np.concatenate([at, at, np.full(program.n_slack, np.nan), ends])
        used = places[solved.basis[0]]
        is_part = ~np.isnan(used)
        shares = solved.weights[0][is_part].clip(0)
        value = float(solved.values[0])
        found.append(_Best(mode, value, used[is_part], shares))
    return max(found, key=attrgetter("value")), ends


def _grid(
    program: UnimodalPrograms, low: float, high: float, ends: FloatArray
) -> FloatArray:
    """Return modes between two: evenly, and few knots, or the best between each."""
    rates, values = program.rates, program.values
    even = np.linspace(low, high, _MODES + 1)
    starts = np.searchsorted(program.rates, even, side="right")
    knots = list(range(starts[0], starts[-1]))
    if len(knots) > _KNOTS:
        tilts = np.zeros(len(even) - 1)
        if program.mean_rows:
            prices = program.solved(even[:-1], ends).prices
            tilts = prices[:, 1 + len(program.known) :].sum(axis=1)
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
    for edge in special:
        modes[np.abs(modes - edge) < NEAR] = edge
    return np.unique(modes)


def _peaks(values: FloatArray) -> list[int]:
    """Return the highest peaks of values over a grid, the highest one first."""
    padded = np.pad(values, 1, constant_values=-np.inf)
    peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]))
    in_order = peaks[np.argsort(-values[peaks], kind="stable")]
    return [int(peak) for peak in in_order[:_PEAKS]]


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
    """Return the first distribution with a probability, else the second."""
    shares = [share * weight for weight in first.weights]
    shares += [(1 - share) * weight for weight in second.weights]
    return _mixture([*first.components, *second.components], shares)


def mode_of(law: Mixture, among: RateSet) -> float:
    """Return a mode of a distribution found here: a rate that all its parts contain."""
    assert among.mode is not None
    bounds = list(map(_bounds, law.components))
    first, last = max(low for low, _ in bounds), min(high for _, high in bounds)
    return min(max(first, among.mode[0]), last)


def _bounds(part: RateDistribution) -> tuple[float, float]:
    if isinstance(part, Fixed):
        return part.r, part.r
    assert isinstance(part, Interval)
    return part.low, part.high
