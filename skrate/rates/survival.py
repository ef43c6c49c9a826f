"""Piecewise polynomials for the survival function of a rate."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.polynomial import chebyshev, polynomial
from scipy import fft

from skrate.data.arrays import (
    CACHED,
    BoolArray,
    FloatArray,
    IntArray,
    dot,
    reverse_cumsum,
)

# The maximum error, relative to the survival function at the start of a panel, or to
# the mean if it is greater.
_TOLERANCE = 5e-15
# A decrease within this number of floating-point spacings is a point mass.
_SPACINGS = 16
_EPS = float(np.finfo(np.float64).eps)
# Keeps the last results of a function of rates: equal rates share one table.
kept = lru_cache(maxsize=32)


class SurvivalTable:
    """P(R > u) of a random rate R, as one polynomial per panel between ``breaks``.

    On panel i, with t running from -1 to 1 between ``breaks[i]`` and
    ``breaks[i + 1]``, the survival function is ``sum_j coefficients[i, j] * t**j``.
    Jumps are at the breaks: a discrete rate is a table of constants. ``points`` are
    the increasing rates of the jumps, and ``masses`` their sizes.
    """

    def __init__(
        self,
        breaks: FloatArray,
        coefficients: FloatArray,
        points: FloatArray | None = None,
        masses: FloatArray | None = None,
    ) -> None:
        self.breaks = breaks
        self.coefficients = coefficients
        self.points = np.empty(0) if points is None else points
        self.masses = np.empty(0) if masses is None else masses
        # Coefficients and integrals by power, for all panels.
        self._by_power = np.ascontiguousarray(coefficients.T)
        powers = np.arange(len(self._by_power))
        with np.errstate(under="ignore"):
            self._integrals = self._by_power / (powers + 1)[:, None]
        self._widths = np.diff(breaks)
        self._centers = breaks[:-1] + self._widths / 2
        # Odd powers have an integral of zero over a panel.
        areas = self._widths * np.clip(self._integrals[::2].sum(axis=0), 0.0, 1.0)
        sums = np.concatenate([[0.0], np.cumsum(areas)])
        # The rounding errors of the sums, because the area of a cell near 1 is a small
        # difference of two sums.
        added = np.diff(sums)
        lost = (sums[:-1] - (sums[1:] - added)) + (areas - added)
        self._limited_means = sums
        self._remainders = np.concatenate([[0.0], np.cumsum(lost)])

    @classmethod
    def fit(
        cls,
        survival: Callable[[FloatArray], FloatArray],
        knots: FloatArray | None = None,
        *,
        spacing: float = 0.0,
        name: str = "rate",
    ) -> SurvivalTable:
        """Interpolate ``survival``, halving panels until each is exact to rounding.

        If this takes about 20,000 panels, the rest is less exact.

        Each panel is checked at its ends, too, to detect mass of any scale. ``knots``
        are rates with abrupt changes of the density, and ``spacing`` is the absolute
        rounding error of rates, if it does not depend on their size.
        """
        nodes, checks = chebyshev.chebpts1(10), chebyshev.chebpts2(14)
        in_order = np.argsort(np.append(nodes, checks), kind="stable")
        edges, whole, scale = _first_edges(survival, knots)
        low, high = edges[:-1], edges[1:]
        before = np.full(len(low), np.inf)
        done: list[tuple[FloatArray, FloatArray, FloatArray]] = []
        n_done = 0
        while len(low):
            width = high - low
            center, half = low + width / 2, width / 2
            # Rounding must not move a rate outside its panel.
            u = center[:, None] + half[:, None] * np.append(nodes, checks)
            u = np.clip(u, low[:, None], high[:, None])
            probs = survival(u)
            _check_falling(u[:, in_order], probs[:, in_order], name)
            at_nodes, at_checks = probs[:, : len(nodes)], probs[:, len(nodes) :]
            start, end = at_checks[:, 0], at_checks[:, -1]
            # Relative to the start: constants are then exact, without rounding.
            falls = to_chebyshev(at_nodes - start[:, None])
            interpolated = chebyshev.chebval(checks, falls.T)
            error = np.abs(at_checks - start[:, None] - interpolated).max(axis=1)
            rounding = np.maximum(_EPS * high, spacing)
            good = error <= _TOLERANCE * np.maximum(start, scale)
            # Errors that do not matter, or are below the effect of rounding x.
            good |= error * width <= 1e-24 * scale
            good |= error * width <= 4 * rounding * np.abs(start - end)
            good |= (width <= 2 * rounding) | (width < 1e-300)
            # Errors of the values themselves, such as 1 - cdf: halving does not help.
            good |= (error <= 1e-12 * start + 1e-15 * whole) & (error > before / 4)
            n_done += int(good.sum())
            if n_done + 2 * len(low) > 20_000:
                good[:] = True
            ends = np.stack([start, end], axis=1)
            done.append((low[good], falls[good], ends[good]))
            bad, middle = ~good, center[~good]
            before = np.tile(error[bad], 2)
            low, high = np.append(low[bad], middle), np.append(middle, high[bad])
        starts, all_falls, all_ends = map(np.concatenate, zip(*done, strict=True))
        order = np.argsort(starts)
        coefficients, ends = to_powers(all_falls[order]), all_ends[order]
        coefficients[:, 0] += ends[:, 0]
        breaks = np.append(starts[order], 1.0)
        return cls._replace_jumps(breaks, coefficients, ends, spacing)

    @classmethod
    def _replace_jumps(
        cls,
        breaks: FloatArray,
        coefficients: FloatArray,
        ends: FloatArray,
        spacing: float,
    ) -> SurvivalTable:
        """Return the table with jumps at the ends of panels of almost zero width."""
        start, end = ends[:, 0], ends[:, 1]
        rounding = np.maximum(_EPS * breaks[1:], spacing)
        is_jump = np.diff(breaks) <= _SPACINGS * rounding
        is_jump &= start - end > _TOLERANCE
        coefficients[is_jump] = 0.0
        coefficients[is_jump, 0] = start[is_jump]
        points = np.concatenate([[0.0], breaks[1:][is_jump], [1.0]])
        masses = np.concatenate([[1 - start[0]], (start - end)[is_jump], [end[-1]]])
        if (coefficients[:, 1:] == 0).all():
            coefficients = coefficients[:, :1]
        return cls(breaks, coefficients, *summed(rounded_up(points), masses))

    @classmethod
    def from_steps(cls, points: FloatArray, masses: FloatArray) -> SurvivalTable:
        """Return the table of a discrete rate, clipped to [0, 1]; masses sum to 1."""
        points, masses = summed(np.clip(points, 0, 1), masses)
        # Summed from the right, to preserve the digits of small tails.
        levels = reverse_cumsum(masses[points > 0])
        if not len(points) or points[-1] < 1:
            levels = np.append(levels, 0.0)
        breaks = np.concatenate([[0.0], points[(points > 0) & (points < 1)], [1.0]])
        return cls(breaks, levels[:, None], points, masses)

    def survival(self, x: FloatArray) -> FloatArray:
        """Return P(R > x)."""
        if x.ndim == 1 and len(x) > CACHED:
            return np.concatenate([self.survival(x[part]) for part in self._split(x)])
        panel = self._panel(x)
        t = (x - self._centers.take(panel)) / self._widths.take(panel) * 2
        probs = np.zeros_like(t)
        for of_power in self._by_power[::-1]:
            probs *= t
            probs += of_power.take(panel)
        return np.clip(probs, 0.0, 1.0, out=probs)

    def limited_mean(self, x: FloatArray) -> FloatArray:
        """Return E[min(R, x)], the integral of the survival function up to ``x``."""
        panel = self._panel(x)
        start = self.breaks[panel]
        area = (x - start) * self._mean_inside(panel, start, x)
        integral = self._limited_means[panel] + (self._remainders[panel] + area)
        return np.asarray(np.clip(integral, 0.0, x))

    def mean(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the mean of the survival function over cells [low, high].

        Within a panel it is a divided difference of powers, which is exact for cells of
        any width, also zero; across panels it is a sum of areas.
        """
        if low.ndim == 1 and len(low) > CACHED:
            return np.concatenate(
                [self.mean(low[part], high[part]) for part in self._split(low)]
            )
        panel = self._panel(low)
        end = self.breaks[panel + 1]
        means = self._mean_inside(panel, low, np.minimum(high, end))
        across = high > end
        if np.any(across):
            first, last = low[across], high[across]
            start = np.broadcast_to(panel, low.shape)[across] + 1
            final = np.searchsorted(self.breaks, last, side="left") - 1
            final_start = self.breaks[final]
            area = self._limited_means[final] - self._limited_means[start]
            area += self._remainders[final] - self._remainders[start]
            area += means[across] * (self.breaks[start] - first)
            area += self._mean_inside(final, final_start, last) * (last - final_start)
            means[across] = area / (last - first)
        # Interpolation can round to values outside [0, 1].
        return np.clip(means, 0.0, 1.0, out=means)

    def density(self, x: FloatArray) -> FloatArray:
        """Return the density of the continuous part: minus the slope of P(R > x)."""
        panel = self._panel(x)
        t = (x - self._centers[panel]) / self._widths[panel] * 2
        slopes = polynomial.polyder(self.coefficients, axis=1)[panel]
        slope = polynomial.polyval(t, np.moveaxis(slopes, -1, 0), tensor=False)
        with np.errstate(over="ignore"):
            return np.asarray(-2 * slope / self._widths[panel])

    @property
    def is_discrete(self) -> bool:
        """Whether the survival function is constant between its jumps."""
        return bool(self.coefficients.shape[1] == 1)

    def point_masses(self) -> tuple[FloatArray, FloatArray]:
        """Return the rates and the sizes of the jumps of the survival function."""
        return self.points, self.masses

    def _panel(self, x: FloatArray) -> IntArray:
        """Return the panel of each rate, or one entry if all are in the same panel."""
        last = len(self.breaks) - 2
        if x.size > 1:
            extremes = np.array([x.min(), x.max()])
            first, final = np.searchsorted(self.breaks, extremes, side="right")
            if first == final and not np.isnan(extremes[0]):
                x = extremes[:1]
        return np.minimum(np.searchsorted(self.breaks, x, side="right") - 1, last)

    def _split(self, x: FloatArray) -> list[slice]:
        """Return slices that fit in the cache of a core, of one panel if x is sorted.

        Then, coefficients are constants of a slice.
        """
        starts = np.arange(0, len(x), CACHED)
        if len(x) > 4_096 * len(self.breaks):
            starts = np.union1d(starts, np.searchsorted(x, self.breaks[:-1]))
        ends = np.append(starts[1:], len(x))
        return [slice(*pair) for pair in zip(starts, ends, strict=True)]

    def _mean_inside(
        self, panel: IntArray, low: FloatArray, high: FloatArray
    ) -> FloatArray:
        """Return means over [low, high] within ``panel``."""
        if self.is_discrete:
            return np.broadcast_to(self._integrals[0].take(panel), high.shape).copy()
        center, width = self._centers.take(panel), self._widths.take(panel)
        t_low, t_high = (low - center) / width * 2, (high - center) / width * 2
        # The divided difference of the integral, by Horner's scheme in both variables.
        inner = np.broadcast_to(self._integrals[-1].take(panel), high.shape).copy()
        mean = inner.copy()
        for of_power in self._integrals[-2::-1]:
            inner *= t_high
            inner += of_power.take(panel)
            mean *= t_low
            mean += inner
        return mean


class SurvivalMixture:
    """The methods of :class:`SurvivalTable` for a mixture, a weighted sum of tables."""

    def __init__(self, parts: Sequence[Survival], weights: Sequence[float]) -> None:
        self.parts = tuple(parts)
        self.weights = tuple(weights)

    def survival(self, x: FloatArray) -> FloatArray:
        return self.weighted(table.survival(x) for table in self.parts)

    def limited_mean(self, x: FloatArray) -> FloatArray:
        return self.weighted(table.limited_mean(x) for table in self.parts)

    def mean(self, low: FloatArray, high: FloatArray) -> FloatArray:
        return self.weighted(table.mean(low, high) for table in self.parts)

    def density(self, x: FloatArray) -> FloatArray:
        return self.weighted(table.density(x) for table in self.parts)

    @property
    def is_discrete(self) -> bool:
        return all(table.is_discrete for table in self.parts)

    def point_masses(self) -> tuple[FloatArray, FloatArray]:
        jumps = [table.point_masses() for table in self.parts]
        masses = [w * mass for w, (_, mass) in zip(self.weights, jumps, strict=True)]
        return summed(
            np.concatenate([points for points, _ in jumps]), np.concatenate(masses)
        )

    @property
    def breaks(self) -> FloatArray:
        return np.unique(np.concatenate([table.breaks for table in self.parts]))

    def weighted(self, parts: Iterable[FloatArray]) -> FloatArray:
        """Return the weighted sum of one term for each component."""
        weighted = (w * term for w, term in zip(self.weights, parts, strict=True))
        return np.asarray(sum(weighted))


# The kernel behind every distribution: P(R > u) on [0, 1].
Survival: TypeAlias = SurvivalTable | SurvivalMixture


def summed(points: FloatArray, masses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct points with mass, in increasing order, and their masses."""
    points, where = np.unique(points + 0.0, return_inverse=True)
    sums = np.bincount(where, masses, minlength=len(points)).astype(np.float64)
    return points[sums > 0], sums[sums > 0]


def rounded_up(rates: FloatArray) -> FloatArray:
    """Return rates next to 1 as 1, which processes all samples."""
    return np.where(rates > 1 - _SPACINGS * _EPS, 1.0, rates)


def _first_edges(
    survival: Callable[[FloatArray], FloatArray], knots: FloatArray | None
) -> tuple[FloatArray, float, float]:
    """Return the first panels, P(R > 0), and the mean up to a small factor."""
    edges = np.linspace(0, 1, 33)
    if knots is not None:
        edges = np.unique(np.append(edges, knots[(knots > 0) & (knots < 1)]))
    at_edges = survival(edges)
    whole = float(at_edges[0])
    near = np.empty(0)
    if at_edges[1] < whole / 2:
        near = _halvings(edges[1], lambda u: survival(u) >= whole / 2)
    if at_edges[-2] > whole / 2:
        # The median is next to 1.
        late = _halvings(1 - edges[-2], lambda u: survival(1 - u) <= whole / 2)
        near = np.append(near, 1 - late[:47])
    if len(near):
        edges = np.unique(np.append(edges, near))
        at_edges = survival(edges)
    # A lower bound of the mean, from the survival function at the right ends.
    return edges, whole, float(dot(at_edges[1:], np.diff(edges)))


def _check_falling(rates: FloatArray, probs: FloatArray, name: str) -> None:
    """Raise an error unless values at increasing rates can be a survival function."""
    rough = 1e-7  # Possible error of a numerical integral.
    outside = ~((probs >= -rough) & (probs <= 1 + rough))
    if outside.any():
        rate, p = rates[outside][0], probs[outside][0]
        raise ValueError(
            f"{name} has no valid survival function: P(R > {rate:.6g}) must be in "
            f"[0, 1], got {p:.6g}."
        )
    rises = np.diff(probs, axis=-1) > rough
    if rises.any():
        rate, p = rates[..., :-1][rises][0], probs[..., :-1][rises][0]
        after, greater = rates[..., 1:][rises][0], probs[..., 1:][rises][0]
        raise ValueError(
            f"{name} has no valid survival function: it must not increase, but rises "
            f"from {p:.6g} at {rate:.6g} to {greater:.6g} at {after:.6g}."
        )


def _halvings(first: Any, is_within: Callable[[FloatArray], BoolArray]) -> FloatArray:
    """Return halves, quarters, ... of ``first``, up to the first that is within."""
    halves = np.asarray(first * 0.5 ** np.arange(1, 1002))
    last = bisect_left(range(1000), True, key=lambda i: is_within(halves[[i]])[0])
    return halves[: last + 1]


def to_chebyshev(values: FloatArray) -> FloatArray:
    """Return the coefficients in T_0, T_1, ... of rows of values at ``chebpts1``."""
    coefficients: FloatArray = fft.dct(values[:, ::-1], axis=1) / values.shape[1]
    coefficients[:, 0] /= 2
    return coefficients


def to_powers(coefficients: FloatArray) -> FloatArray:
    """Return coefficients of powers for each row of coefficients in T_0, T_1, ..."""
    powers = _chebyshev_powers(coefficients.shape[1])
    return np.asarray(np.einsum("ij,jk->ik", coefficients, powers))


@lru_cache
def _chebyshev_powers(n: int) -> FloatArray:
    powers = np.eye(n)
    for degree in range(2, n):
        # T_k(t) = 2 t T_(k - 1)(t) - T_(k - 2)(t).
        powers[degree] = 2 * np.roll(powers[degree - 1], 1) - powers[degree - 2]
    return powers
