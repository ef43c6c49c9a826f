"""A rate weighted by 1 over it: the law behind what is divided by the processed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skrate.core import interpolation
from skrate.core.arrays import BoolArray, FloatArray, IntArray, dot, sum_from_right
from skrate.core.kept import kept
from skrate.core.rates import Mixture, RateDistribution
from skrate.core.survival import Survival, SurvivalMixture, SurvivalTable, rounded_up

# Panels in which a rate doubles, and how many nodes make the density over r exact to
# rounding on each: the pole of 1 / r is so far away that one is worth a factor of 17.
_PER_OCTAVE = 3
_N_NODES = 14
# How often the first panel of a law is halved towards 0. What is left below counts as
# the rate where halving ends: to at least that rate the precision is constant.
_HALVINGS = 60
# What may be lost in the first panel for it to be relied on next to a mass at 0.
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
    if isinstance(rate, Mixture):
        return _of_mixture(rate)
    table = rate.table
    assert isinstance(table, SurvivalTable)
    return _of_points(table) if table.is_discrete else _of_panels(rate, table)


def _of_mixture(rate: Mixture) -> _Weighted:
    parts = [_weighted(component) for component in rate.components]
    shares = np.array([part.positive for part in parts]) * rate.weights
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


def _of_panels(rate: RateDistribution, table: SurvivalTable) -> _Weighted:
    """Return the law of a rate with a density, which may have jumps as well.

    V is integrated from the right: on panels so short that 1 / r is a polynomial on
    each, the density over r is one too. The table is exact to rounding of its greatest
    values, which 1 / r would enlarge: so the rate itself says what is in a panel.
    """
    positive = float(rate._survival(np.zeros(1))[0])
    if positive <= 0:
        return _nothing()
    points, masses = table.point_masses()
    first = _read_off(rate, np.zeros(1), table.breaks[1:2])
    # Without mass at 0, P(R <= r) keeps its digits next to it.
    is_zero = float(rate._below(np.zeros(1))[0]) > 0
    is_smooth = abs(float(first.lost[0])) <= _SLIP
    panels = _panels(table, _HALVINGS if is_smooth or not is_zero else 0)
    edges = np.append(panels.low, 1.0)
    least = float(edges[0])
    read = _read_off(rate, edges[:-1], edges[1:])
    lost = np.where(panels.is_jump, 0.0, read.lost)
    nodes = interpolation.nodes(_N_NODES)
    places = panels.low[:, None] + np.diff(edges)[:, None] * (nodes + 1) / 2
    falls = np.where(panels.is_jump[:, None], 0.0, _falls(read.powers, nodes))
    below = float(_read_off(rate, np.zeros(1), edges[:1]).whole[0]) / least
    if is_zero and is_smooth:
        # Differences of what is next to the mass at 0 would be rounding.
        end = float(table.breaks[1])
        inside = panels.low < end
        share = np.diff(edges)[inside, None] / end
        falls[inside] = _falls(first.powers, 2 * places[inside] / end - 1) * share
        lost[inside] = 0.0
        below = 2 * float(_falls(first.powers, np.full(1, -1.0))[0, 0]) / end
    # By panel: the next one may begin where places are rounded to.
    powers = interpolation.to_powers(interpolation.to_chebyshev(falls / places))
    integrals = powers / np.arange(1, _N_NODES + 1)
    areas = 2 * integrals[:, ::2].sum(axis=1)
    is_above = points > least
    points, masses = points[is_above], masses[is_above]
    jumps = np.append(lost / edges[:-1], 0.0)
    np.add.at(jumps, np.searchsorted(edges, points), masses / points)
    beyond = sum_from_right(np.append(areas, 0.0) + jumps)
    below = max(below, 0.0)
    total = float(beyond[0]) + below
    coefficients = np.zeros((len(areas) + 1, _N_NODES + 1))
    coefficients[0, 0] = total
    coefficients[1:, 0] = beyond[1:] + integrals.sum(axis=1)
    coefficients[1:, 1:] = -integrals
    weighted = SurvivalTable(
        np.append(0.0, edges), coefficients / total, points, masses / points / total
    )
    return _Weighted(weighted, total / positive, positive, below / total)


class _Panels(NamedTuple):
    """The panels of a table, cut where the rate has grown by a third of an octave."""

    low: FloatArray  # Where each begins, at the least rate or above,
    is_jump: BoolArray  # and whether all that is in it is a point mass at its end.


def _panels(table: SurvivalTable, n_halvings: int) -> _Panels:
    first, last = table.breaks[:-1], table.breaks[1:]
    least = max(float(last[0]) * 0.5**n_halvings, _LEAST)
    low = np.maximum(first, least)
    ratio = np.maximum(last / low, 1.0)
    n_parts = np.ceil(_PER_OCTAVE * np.log2(ratio)).astype(np.intp)
    of: IntArray = np.repeat(np.arange(len(low)), n_parts)
    part = np.arange(len(of)) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    is_constant = (table.coefficients[:, 1:] == 0).all(axis=1)
    is_jump = is_constant & np.isin(rounded_up(last), table.points)
    return _Panels(low[of] * ratio[of] ** (part / n_parts[of]), is_jump[of])


class _ReadOff(NamedTuple):
    """Polynomials for what a rate lacks to the end of each panel."""

    powers: FloatArray
    whole: FloatArray  # What is in a panel, exactly,
    lost: FloatArray  # and less what the polynomial falls by.


def _read_off(rate: RateDistribution, low: FloatArray, high: FloatArray) -> _ReadOff:
    """Return P(r < R <= high) by panel, from the less of P(R > r) and P(R <= r)."""
    places = np.append(interpolation.nodes(_N_NODES), [-1.0, 1.0])
    at = low[:, None] + (high - low)[:, None] * (places + 1) / 2
    at[:, -1] = high
    above, below = rate._survival(at), rate._below(at)
    values = np.where(above[:, -2:-1] < below[:, -1:], above, -below)
    values -= values[:, -1:]
    powers = interpolation.to_powers(interpolation.to_chebyshev(values[:, :-2]))
    whole = values[:, -2]
    return _ReadOff(powers, whole, whole + 2 * powers[:, 1::2].sum(axis=1))


def _falls(powers: FloatArray, t: FloatArray) -> FloatArray:
    """Return what polynomials fall by per unit of t."""
    slope = np.zeros((len(powers), 1)) * t
    for power in range(powers.shape[1] - 1, 0, -1):
        slope = slope * t + power * powers[:, power, None]
    return -slope
