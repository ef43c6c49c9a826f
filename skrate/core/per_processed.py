"""A rate weighted by 1 over it: the law behind what is divided by the processed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skrate.core import interpolation
from skrate.core.arrays import FloatArray, IntArray, dot, sum_from_right
from skrate.core.kept import kept
from skrate.core.rates import RateDistribution
from skrate.core.survival import Survival, SurvivalMixture, SurvivalTable

# Panels in which a rate doubles, and the degree at which 1 / r is exact to rounding on
# each: its pole is so far away that a degree more is worth a factor of 17.
_PER_OCTAVE = 3
_N_NODES = 12
# How often the first panel of a law is halved towards 0. What is left below counts as
# the rate where halving ends: to at least that rate the precision is constant.
_HALVINGS = 60
# What the survival function at 0 may be off for the first panel to be relied on.
_SLIP = 1e-10
# Rates below count as this one: 1 over them could be infinite.
_LEAST = 1e-200
# The share of E[1 / R] that such rates have, from which on it counts as infinite.
_UNBOUNDED = 1e-3


@dataclass(frozen=True, repr=False)
class PerProcessed(RateDistribution):
    """A rate R of law F, weighted by 1 / R: what has masses like dF(r) / r at r > 0.

    With H(r) the positives in the share r of a ranking, h(u) the share of positives at
    place u and V(u) = E[1 / R; R > u],

        E[H(R) / R] = integral of h(u) V(u) du,

    as H(r) is the integral of h up to r. V(u) / V(0) is the survival function of this
    law. So lift averaged over R > 0 is ``mean_inverse`` = E[1 / R | R > 0] times the
    expected recall under it, and precision the prevalence times that.

    Where E[1 / R] is infinite, as of a uniform rate, the least rates are taken for one
    that is less than 1e-18 of all others, so that it is finite and nothing else changes
    by more than rounding.
    """

    of: RateDistribution

    @property
    def table(self) -> Survival:
        return self._found.table

    @property
    def mean_inverse(self) -> float:
        """E[1 / R | R > 0]; nan where the rate is 0."""
        return self._found.mean_inverse

    @property
    def is_bounded(self) -> bool:
        """Whether 1 / R has a mean without the least rates being taken for another."""
        return self._found.at_least < _UNBOUNDED

    @property
    def nbytes(self) -> int:
        return self.of.nbytes

    @cached_property
    def _found(self) -> _Weighted:
        return _weighted(self.of)

    def __repr__(self) -> str:
        return f"{self.of!r} by 1 / rate"


class _Weighted(NamedTuple):
    """A law weighted by 1 / R."""

    table: Survival
    mean_inverse: float  # Of R, given that it is above 0
    positive: float  # the probability of which is this.
    at_least: float  # The share of the mean that the least rates have.


@kept
def _weighted(rate: RateDistribution) -> _Weighted:
    return _of_table(rate.table)


def _of_table(table: Survival) -> _Weighted:
    if isinstance(table, SurvivalMixture):
        return _of_mixture(table)
    return _of_points(table) if table.is_discrete else _of_panels(table)


def _of_mixture(table: SurvivalMixture) -> _Weighted:
    parts = [_of_table(part) for part in table.parts]
    shares = np.array([part.positive for part in parts]) * table.weights
    possible = np.flatnonzero(shares)
    if not len(possible):
        return _nothing()
    parts = [parts[i] for i in possible]
    shares = shares[possible]
    inverses = shares * [part.mean_inverse for part in parts]
    total = float(inverses.sum())
    weights = inverses / total
    return _Weighted(
        SurvivalMixture([part.table for part in parts], weights.tolist()),
        total / float(shares.sum()),
        float(shares.sum()),
        float(dot(weights, np.array([part.at_least for part in parts]))),
    )


def _of_points(table: SurvivalTable) -> _Weighted:
    points, masses = table.point_masses()
    points, masses = np.maximum(points[points > 0], _LEAST), masses[points > 0]
    if not len(points):
        return _nothing()
    inverses = masses / points
    total, positive = float(inverses.sum()), float(masses.sum())
    weighted = SurvivalTable.from_steps(points, inverses / total)
    return _Weighted(weighted, total / positive, positive, 0.0)


def _nothing() -> _Weighted:
    """Return what there is of a rate that is 0."""
    table = SurvivalTable.from_steps(np.zeros(1), np.ones(1))
    return _Weighted(table, float("nan"), 0.0, 0.0)


def _of_panels(table: SurvivalTable) -> _Weighted:
    """Return the law of a rate with a density, which may have jumps as well.

    V is integrated from the right: on panels so short that 1 / r is a polynomial on
    each, the density over r is one too.
    """
    points, masses = table.point_masses()
    positive = _positive(table)
    if positive <= 0:
        return _nothing()
    panels = _panels(table, positive)
    edges = np.append(panels.low, 1.0)
    least = float(edges[0])
    nodes = interpolation.nodes(_N_NODES)
    places = panels.low[:, None] + np.diff(edges)[:, None] * (nodes + 1) / 2
    # By panel: the next one may begin where places are rounded to.
    falls = _falls(table.coefficients[panels.of], panels.start, panels.width, nodes)
    powers = interpolation.to_powers(interpolation.to_chebyshev(falls / places))
    integrals = powers / np.arange(1, _N_NODES + 1)
    areas = 2 * integrals[:, ::2].sum(axis=1)
    # What the survival function falls by between its panels: at its points, and by
    # rounding, so that all falls are no more and no less than all there is.
    breaks = table.breaks[1:]
    gaps = table.coefficients.sum(axis=1)
    gaps[:-1] -= table.coefficients[1:, ::2].sum(axis=1)
    gaps[:-1] += table.coefficients[1:, 1::2].sum(axis=1)
    jumps = np.zeros(len(edges))
    is_above = breaks > least
    jumps[np.searchsorted(edges, breaks[is_above])] = (gaps / breaks)[is_above]
    beyond = sum_from_right(np.append(areas, 0.0) + jumps)
    below = _below(table, positive, least)
    total = float(beyond[0]) + below
    coefficients = np.zeros((len(areas) + 1, _N_NODES + 1))
    coefficients[0, 0] = total
    coefficients[1:, 0] = beyond[1:] + integrals.sum(axis=1)
    coefficients[1:, 1:] = -integrals
    points, masses = points[points > least], masses[points > least]
    weighted = SurvivalTable(
        np.append(0.0, edges), coefficients / total, points, masses / points / total
    )
    return _Weighted(weighted, total / positive, positive, below / total)


class _Panels(NamedTuple):
    """The panels of a table, cut where the rate has grown by a third of an octave."""

    low: FloatArray  # Where each begins, at the least rate or above,
    of: IntArray  # in which panel of the table,
    start: FloatArray  # at which share of its width,
    width: FloatArray  # and its own width, as such a share.


def _panels(table: SurvivalTable, positive: float) -> _Panels:
    first, last = table.breaks[:-1], table.breaks[1:]
    n_halvings = _HALVINGS if _is_smooth(table, positive) else 0
    least = max(float(last[0]) * 0.5**n_halvings, _LEAST)
    low = np.maximum(first, least)
    ratio = np.maximum(last / low, 1.0)
    n_parts = np.ceil(_PER_OCTAVE * np.log2(ratio)).astype(np.intp)
    of: IntArray = np.repeat(np.arange(len(low)), n_parts)
    part = np.arange(len(of)) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    edges = np.append(low[of] * ratio[of] ** (part / n_parts[of]), 1.0)
    whole = (last - first)[of]
    return _Panels(
        edges[:-1], of, (edges[:-1] - first[of]) / whole, np.diff(edges) / whole
    )


def _falls(
    coefficients: FloatArray, start: FloatArray, width: FloatArray, nodes: FloatArray
) -> FloatArray:
    """Return what polynomials fall by per unit of a node, at nodes in part of each."""
    t = 2 * (start[:, None] + width[:, None] * (nodes + 1) / 2) - 1
    slope = np.zeros_like(t)
    for power in range(coefficients.shape[1] - 1, 0, -1):
        slope = slope * t + power * coefficients[:, power, None]
    return -slope * width[:, None]


def _positive(table: SurvivalTable) -> float:
    """Return P(R > 0)."""
    points, masses = table.point_masses()
    at_zero = float(masses[points == 0].sum())
    # The first panel may not reach up to it, and 1 less next to all has few digits.
    return 1.0 - at_zero if at_zero < 0.5 else float(table.survival(np.zeros(1))[0])


def _is_smooth(table: SurvivalTable, positive: float) -> bool:
    """Return whether the first panel tells how the rate is spread next to 0.

    A density without bounds at 0 is not a polynomial on any panel.
    """
    return abs(float(table.survival(np.zeros(1))[0]) - positive) <= _SLIP


def _below(table: SurvivalTable, positive: float, least: float) -> float:
    """Return P(0 < R <= least) / least, of differences that are not all rounding."""
    if _is_smooth(table, positive) and least < table.breaks[1]:
        return max(float(table.density(np.full(1, least / 2))[0]), 0.0)
    return max(positive - float(table.survival(np.full(1, least))[0]), 0.0) / least
