"""Laws of the rate, read literally: points with masses, and survival functions.

``mean_survival`` averages P(R > u) over cells: for points by the share of a cell that
lies below each of them, else by Gauss and Legendre's rule between the quantiles of the
law. Cells may have no width; then it is P(R >= u) at the place, from below.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)
HALVES = 0.5 ** np.arange(1, 61)
TAILS = 0.5 ** np.array([1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 36, 44, 52, 60])
# Towards both ends, where a density may be unbounded.
GRADED = np.concatenate([HALVES, 1 - HALVES[:50]])


@dataclass
class Points:
    """Masses at points, which are clipped to [0, 1]; the masses sum to 1."""

    points: np.ndarray
    masses: np.ndarray

    def mean_survival(self, low, high):
        points = np.clip(self.points, 0, 1)
        low, high = np.asarray(low)[:, None], np.asarray(high)[:, None]
        width = high - low
        below = (points - low) / np.where(width > 0, width, 1)
        shares = np.where(width > 0, np.clip(below, 0, 1), points >= high)
        return shares @ (self.masses / self.masses.sum())

    def inverse_squares(self, low, high):
        """Return the integral of P(R > u) / u^2 over each cell."""
        points = np.clip(self.points, 0, 1)
        low, high = np.asarray(low)[:, None], np.asarray(high)[:, None]
        ends = np.clip(points, low, high)
        return (1 / low - 1 / ends) @ (self.masses / self.masses.sum())

    def survival(self, x):
        points = np.clip(self.points, 0, 1)
        above = points > np.asarray(x)[..., None]
        return above @ (self.masses / self.masses.sum())


@dataclass
class Density:
    """A continuous law by P(R > u); ``knots`` are where it may not be smooth."""

    sf: Callable[[np.ndarray], np.ndarray]
    knots: np.ndarray
    _inner: np.ndarray = field(init=False)

    def __post_init__(self):
        knots = np.concatenate([np.asarray(self.knots, dtype=float), GRADED])
        self._inner = np.unique(knots[np.isfinite(knots) & (knots > 0) & (knots < 1)])

    @classmethod
    def of(cls, frozen, knots=()):
        """Return the law of a frozen distribution of scipy."""
        # They are places of knots, which need not be exact.
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            quantiles = [frozen.ppf(TAILS), frozen.isf(TAILS), frozen.ppf([0, 1])]
        return cls(frozen.sf, np.concatenate([*quantiles, knots]))

    def survival(self, x):
        return np.asarray(self.sf(np.asarray(x, dtype=float)))

    def mean_survival(self, low, high):
        low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        is_cell = high > low
        means = np.empty(len(low))
        if not is_cell.all():
            means[~is_cell] = self.sf(low[~is_cell])
        if is_cell.any():
            means[is_cell] = self._averages(low[is_cell], high[is_cell])
        return means

    def inverse_squares(self, low, high):
        """Return the integral of P(R > u) / u^2 over each cell."""
        low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        found = np.zeros(len(low))
        is_cell = high > low
        low, high = low[is_cell], high[is_cell]
        means = self._averages(low, high, lambda u: self.sf(u) / u**2)
        found[is_cell] = means * (high - low)
        return found

    def _averages(self, low, high, of=None):
        first = np.searchsorted(self._inner, low, side="right")
        last = np.searchsorted(self._inner, high, side="left")
        counts = np.maximum(last - first, 0) + 1
        cell = np.repeat(np.arange(len(low)), counts)
        place = np.arange(len(cell)) - np.repeat(np.cumsum(counts) - counts, counts)
        inner = np.append(self._inner, 1.0)
        at = np.minimum(first[cell] + place, len(inner) - 1)
        starts = np.where(place == 0, low[cell], inner[at - 1])
        ends = np.where(place == counts[cell] - 1, high[cell], inner[at])
        widths = ends - starts
        values = (of or self.sf)(starts[:, None] + widths[:, None] * (NODES + 1) / 2)
        areas = widths * (values @ WEIGHTS) / 2
        total = np.bincount(cell, widths, minlength=len(low))
        return np.bincount(cell, areas, minlength=len(low)) / total


@dataclass
class Mixed:
    """A mixture of laws; the shares sum to 1."""

    laws: list
    shares: list

    def mean_survival(self, low, high):
        return sum(
            share * distribution.mean_survival(low, high)
            for share, distribution in zip(self.shares, self.laws, strict=True)
        )

    def inverse_squares(self, low, high):
        return sum(
            share * distribution.inverse_squares(low, high)
            for share, distribution in zip(self.shares, self.laws, strict=True)
        )

    def survival(self, x):
        return sum(
            share * distribution.survival(x)
            for share, distribution in zip(self.shares, self.laws, strict=True)
        )


def mean(distribution):
    """Return E[R]."""
    return float(distribution.mean_survival(np.zeros(1), np.ones(1))[0])


def limited_mean(distribution, x):
    """Return E[min(R, x)]."""
    return (
        x * float(distribution.mean_survival(np.zeros(1), np.array([x]))[0])
        if x
        else 0.0
    )


def log_discount(n, base):
    """Return NDCG's law: position i of n is reached with probability 1 / log(i + 1)."""
    reached = [min(1.0, math.log(base) / math.log(i + 1)) for i in range(1, n + 1)]
    masses = np.diff([0.0, *reached[::-1]])[::-1]
    points = np.append(0, np.arange(1, n + 1)) / n
    return Points(points, np.append(1 - reached[0], masses))
