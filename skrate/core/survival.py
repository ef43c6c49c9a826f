"""Piecewise polynomials for the survival function of a rate."""

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev

from skrate.core.arrays import FloatArray, IntArray

_DEGREE = 9
_TOLERANCE = 2e-14
_NEGLIGIBLE_AREA = 1e-18
_MAX_PANELS = 20_000


class SurvivalTable:
    """P(R > u) on [0, 1] as one polynomial per panel between ``breaks``.

    On panel i, with t running from -1 to 1 between ``breaks[i]`` and
    ``breaks[i + 1]``, the survival function is ``sum_j coefficients[i, j] * t**j``.
    Jumps lie at the breaks, so a discrete rate is a table of constants.

    Parameters
    ----------
    breaks : array of shape (n_panels + 1,)
        Increasing, from 0 to 1.
    coefficients : array of shape (n_panels, degree + 1)
        Coefficients of increasing power.
    """

    def __init__(self, breaks: FloatArray, coefficients: FloatArray) -> None:
        self.breaks = breaks
        self.coefficients = coefficients
        self._half_widths = np.diff(breaks) / 2
        self._centers = (breaks[1:] + breaks[:-1]) / 2
        areas = 2 * self._half_widths * self._panel_means()
        self._limited_means = np.concatenate([[0.0], np.cumsum(areas)])

    @classmethod
    def fit(cls, survival: Callable[[FloatArray], FloatArray]) -> "SurvivalTable":
        """Interpolate ``survival``, halving panels until each is exact to rounding.

        A panel is also accepted once the area of its error cannot matter, which ends
        the halving towards a point where the density is unbounded.
        """
        nodes = chebyshev.chebpts1(_DEGREE + 1)
        checks = chebyshev.chebpts1(_DEGREE + 4)
        to_chebyshev = np.linalg.inv(chebyshev.chebvander(nodes, _DEGREE))
        to_power = np.zeros((_DEGREE + 1, _DEGREE + 1))
        for degree, unit in enumerate(np.eye(_DEGREE + 1)):
            to_power[degree, : degree + 1] = chebyshev.cheb2poly(unit)[: degree + 1]
        at_checks = chebyshev.chebvander(checks, _DEGREE)
        edges = np.linspace(0, 1, 33)
        low, high = edges[:-1], edges[1:]
        done: list[tuple[FloatArray, FloatArray]] = []
        n_done = 0
        while len(low):
            center, half = (low + high)[:, None] / 2, (high - low)[:, None] / 2
            series = survival(center + half * nodes) @ to_chebyshev.T
            errors = survival(center + half * checks) - series @ at_checks.T
            error = np.abs(errors).max(axis=1)
            good = (error <= _TOLERANCE) | (error * (high - low) <= _NEGLIGIBLE_AREA)
            n_done += int(good.sum())
            if n_done + 2 * len(low) > _MAX_PANELS:
                good[:] = True
            done.append((low[good], series[good] @ to_power))
            middle = ((low + high) / 2)[~good]
            low = np.concatenate([low[~good], middle])
            high = np.concatenate([middle, high[~good]])
        starts = np.concatenate([start for start, _ in done])
        coefficients = np.concatenate([rows for _, rows in done])
        order = np.argsort(starts)
        return cls(np.append(starts[order], 1.0), coefficients[order])

    @classmethod
    def from_steps(cls, points: FloatArray, masses: FloatArray) -> "SurvivalTable":
        """Return the table of a discrete rate with ``masses``, summing to 1.

        Points below 0 and above 1 count as 0 and 1.
        """
        points, where = np.unique(np.clip(points, 0, 1), return_inverse=True)
        # Summed from the right, so that small tails keep their digits.
        sums = np.cumsum(np.bincount(where, masses)[::-1])[::-1]
        levels = np.append(sums, 0.0)
        inner = (points > 0) & (points < 1)
        at_zero = levels[1] if points[0] == 0 else levels[0]
        steps = np.concatenate([[at_zero], levels[1:][inner]])
        return cls(np.concatenate([[0.0], points[inner], [1.0]]), steps[:, None])

    def limited_mean(self, x: FloatArray) -> FloatArray:
        """Return the integral of the survival function from 0 to ``x``."""
        panel = self._panel(x)
        start = self.breaks[panel]
        mean = self._mean_inside(panel, start, x)
        return np.asarray(self._limited_means[panel] + (x - start) * mean)

    def mean(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return the mean of the survival function over cells [low, high].

        Inside a panel it is a divided difference of powers, so that a cell of width
        1e-9 is as exact as one of width 1: no difference of two integrals is formed.
        """
        panel = self._panel(low)
        means = self._mean_inside(panel, low, high)
        across = high > self.breaks[panel + 1]
        if across.any():
            first, last = low[across], high[across]
            below_first, below_last = self.limited_mean(np.stack([first, last]))
            means[across] = (below_last - below_first) / (last - first)
        return means

    def density(self, x: FloatArray) -> FloatArray:
        """Return minus the derivative of the survival function inside the panels."""
        panel = self._panel(x)
        t = self._local(panel, x)
        slope = np.zeros_like(t)
        for power in range(self.coefficients.shape[1] - 1, 0, -1):
            slope = slope * t + power * self.coefficients[panel, power]
        return np.asarray(-slope / self._half_widths[panel])

    @property
    def is_discrete(self) -> bool:
        """Whether the survival function is constant between its jumps."""
        return len(self.coefficients[0]) == 1

    def point_masses(self) -> tuple[FloatArray, FloatArray]:
        """Return where the survival function of a discrete rate jumps, and how far."""
        levels = np.concatenate([[1.0], self.coefficients[:, 0], [0.0]])
        falls = -np.diff(levels)
        is_jump = falls > 1e-15
        return self.breaks[is_jump], falls[is_jump]

    def _panel(self, x: FloatArray) -> IntArray:
        last = len(self.breaks) - 2
        return np.minimum(np.searchsorted(self.breaks, x, side="right") - 1, last)

    def _local(self, panel: IntArray, x: FloatArray) -> FloatArray:
        return np.asarray((x - self._centers[panel]) / self._half_widths[panel])

    def _mean_inside(
        self, panel: IntArray, low: FloatArray, high: FloatArray
    ) -> FloatArray:
        """Return means over [low, high], read as if within ``panel``."""
        t_low, t_high = self._local(panel, low), self._local(panel, high)
        # (t_high**(j + 1) - t_low**(j + 1)) / (t_high - t_low), by recurrence over j.
        quotient = np.ones_like(t_low)
        power = np.ones_like(t_low)
        mean = np.array(self.coefficients[panel, 0])
        for j in range(1, self.coefficients.shape[1]):
            power = power * t_low
            quotient = quotient * t_high + power
            mean += self.coefficients[panel, j] * quotient / (j + 1)
        return mean

    def _panel_means(self) -> FloatArray:
        powers = np.arange(self.coefficients.shape[1])
        return np.asarray(self.coefficients @ np.where(powers % 2, 0, 1 / (powers + 1)))
