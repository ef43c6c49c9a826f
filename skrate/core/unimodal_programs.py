"""Linear programs for the laws of a set that have a mode, of a few parts each.

The parts of a law with the mode m are uniform between m and ends x, and m itself; see
:mod:`skrate.core.unimodal_laws`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skrate.core.arrays import FloatArray, IntArray
from skrate.core.rate_sets import RateSet
from skrate.core.small_programs import Solutions, solve

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
    mean: tuple[float, float] | None
    rates: FloatArray
    values: FloatArray

    @cached_property
    def spread(self) -> float:
        """The range of the values, or 1."""
        return float(np.ptp(self.values)) or 1.0

    @property
    def tolerance(self) -> float:
        """What a part may gain that is left out."""
        return _EXACT * self.spread

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
    def right(self) -> FloatArray:
        """What is known: the probability in all, at the quantiles, and the mean."""
        levels = np.append(1.0, np.cumsum(self.among.masses)[:-1])
        return np.append(levels, [bound for bound, _ in self.mean_rows])

    @cached_property
    def mean_rows(self) -> list[tuple[float, tuple[float, float]]]:
        """Bounds of the mean, and what being below and above each gains."""
        if self.mean is None:
            return []
        low, high = self.mean
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
        return solve(gains, columns, self.right, basis, self.tolerance)

    def mean_prices(self, modes: FloatArray, ends: FloatArray) -> FloatArray:
        """Return what a unit of the mean costs the best mixture of each mode."""
        if not self.mean_rows:
            return np.zeros(len(modes))
        prices = self.solved(modes, ends).prices
        return np.asarray(prices[:, 1 + len(self.known) :].sum(axis=1))

    @property
    def n_slack(self) -> int:
        """How many columns say what the mean is beyond its bounds."""
        return 2 * len(self.mean_rows)

    def _columns(
        self, modes: FloatArray, ends: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return gains and columns of the parts between modes and ends.

        Before them come those of the mode itself, as it counts at a quantile and as it
        does above it, and what the mean is below and above its bounds.
        """
        here = modes[:, None]
        low, high = np.minimum(here, ends), np.maximum(here, ends)
        width = high - low
        is_point = width < NEAR
        width[is_point] = 1.0
        at, to_mode = self._at(modes), self.area(modes)[:, None]
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
        """Return a law with each mode: steps from the edges but those next to it."""
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
        basis = np.column_stack([is_above.astype(np.intp), edges])
        if not self.mean_rows:
            return basis
        square = np.take_along_axis(columns[:, : n + 1], basis[:, None], axis=2)
        shares = np.linalg.solve(
            square, np.broadcast_to(self.right[: n + 1, None], (len(modes), n + 1, 1))
        )[..., 0]
        of_mean = np.take_along_axis(columns[:, n + 1], basis, axis=1)
        mean = (of_mean * shares).sum(axis=1)
        slack = [
            2 + 2 * i + (mean > bound) for i, (bound, _) in enumerate(self.mean_rows)
        ]
        return np.column_stack([basis, *slack])

    def _at(self, places: FloatArray) -> FloatArray:
        return np.asarray(np.interp(places, self.rates, self.values))

    def area(self, places: FloatArray) -> FloatArray:
        """Return the integral of the values up to places."""
        last = len(self.rates) - 2
        cell = np.clip(np.searchsorted(self.rates, places, "right") - 1, 0, last)
        start, at_start = self.rates[cell], self.values[cell]
        slope = (self.values[cell + 1] - at_start) / (self.rates[cell + 1] - start)
        width = places - start
        return np.asarray(self.areas[cell] + width * (at_start + slope * width / 2))
