"""Rates with jumps, widened so that slopes at a jump can be estimated."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import special

from skrate.core.arrays import FloatArray
from skrate.core.rates import Empirical, Fixed, Mixture, RateDistribution
from skrate.core.survival import SurvivalTable


def smoothed(rate: RateDistribution, n: float) -> RateDistribution:
    """Return ``rate`` with each point mass spread over a small interval around it.

    Where a known share of the ranking is processed, the variance depends on the share
    of positives *at* the cut, as that of a quantile depends on the density there. One
    case cannot tell it; its neighbours within a bandwidth can, which is that of [1]_
    for quantiles. Rates with a density are returned as they are.

    References
    ----------
    .. [1] Hall and Sheather (1988), On the distribution of a studentized quantile,
       :doi:`10.1111/j.2517-6161.1988.tb01735.x`.
    """
    if isinstance(rate, Fixed):
        return _spread((rate.r,), (1.0,), n)
    if isinstance(rate, Empirical):
        return _spread(tuple(rate.points.tolist()), tuple(rate.masses.tolist()), n)
    if isinstance(rate, Mixture):
        parts = tuple(smoothed(component, n) for component in rate.components)
        return Mixture(parts, rate.weights)
    return rate


def bandwidth(points: FloatArray, n: float) -> FloatArray:
    """Return half widths for rates in [0, 1], none of which leaves [0, 1]."""
    at = special.ndtri(points)
    density = np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi)
    # Of a two-sided level of 0.05.
    factor = special.ndtri(0.975) ** (2 / 3) * n ** (-1 / 3)
    with np.errstate(invalid="ignore"):
        width = factor * np.cbrt(1.5 * density**2 / (2 * at**2 + 1))
    width = np.where((points > 0) & (points < 1), width, 0.0)
    return np.minimum(width, np.minimum(points, 1 - points))


@lru_cache(maxsize=8)
def _spread(
    points: tuple[float, ...], masses: tuple[float, ...], n: float
) -> RateDistribution:
    at = np.array(points)
    return Spread(at, np.array(masses), bandwidth(at, n))


@dataclass(frozen=True, repr=False, eq=False)
class Spread(RateDistribution):
    """A mixture of uniform distributions on ``points`` plus and minus ``widths``.

    A width of 0, at 0 or 1, is a point mass.
    """

    points: FloatArray
    masses: FloatArray
    widths: FloatArray

    @cached_property
    def _table(self) -> SurvivalTable:
        low, high = self.points - self.widths, self.points + self.widths
        breaks = np.unique(np.concatenate([[0.0, 1.0], low, high]))
        breaks = breaks[(breaks >= 0) & (breaks <= 1)]
        # The slope of the survival function is constant between breaks.
        is_wide = self.widths > 0
        heights = self.masses[is_wide] / (2 * self.widths[is_wide])
        steps = np.zeros(len(breaks))
        np.add.at(steps, np.searchsorted(breaks, low[is_wide]), heights)
        np.add.at(steps, np.searchsorted(breaks, high[is_wide]), -heights)
        density = np.cumsum(steps)[:-1]
        falls = density * np.diff(breaks)
        start = 1.0 - self.masses[self.points <= 0].sum()
        middles = start - np.cumsum(falls) + falls / 2
        return SurvivalTable(breaks, np.stack([middles, -falls / 2], axis=1))
