"""The distribution of a rate weighted by its reciprocal, for the mean lift."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from skrate.data.arrays import BoolArray, FloatArray, IntArray, dot, reverse_cumsum
from skrate.rates.distributions import Mixture, RateDistribution
from skrate.rates.survival import (
    Survival,
    SurvivalMixture,
    SurvivalTable,
    kept,
    rounded_up,
    to_chebyshev,
    to_powers,
)

# 14 nodes interpolate the density over r to rounding error on a third of an octave:
# each node divides the error by 17, because the pole of 1 / r is far away.
_N_NODES = 14
# Smaller rates are replaced by this one, because their reciprocal could overflow.
_LEAST_RATE = 1e-200


@dataclass(frozen=True, repr=False)
class InverseWeightedRate(RateDistribution):
    """A rate R weighted by 1 / R: P(R > u) becomes V(u) = E[1 / R; R > u] / E[1 / R].

    For a hit curve H, E[H(R) / R] is E[1 / R] times the integral of H' V. Therefore the
    mean lift is ``mean_inverse`` times the expected recall under this distribution. If
    E[1 / R] is infinite, rates below a tiny limit are replaced by this limit.
    """

    of: RateDistribution

    @property
    def table(self) -> Survival:
        return self._inverse_weighted.table

    @property
    def mean_inverse(self) -> float:
        """E[1 / R | R > 0]; nan if the rate is 0 with probability 1."""
        return self._inverse_weighted.mean_inverse

    @property
    def is_bounded(self) -> bool:
        """Whether E[1 / R] is finite: replaced rates contribute less than 0.1 %."""
        return self._inverse_weighted.least_share < 1e-3

    @cached_property
    def _inverse_weighted(self) -> _InverseWeighted:
        return _weight_inverse(self.of)

    def __repr__(self) -> str:
        return f"{self.of!r} by 1 / rate"


class _InverseWeighted(NamedTuple):
    """A distribution weighted by 1 / R."""

    table: Survival
    mean_inverse: float  # E[1 / R | R > 0]
    positive: float  # P(R > 0)
    least_share: float  # The fraction of the mean that the replaced rates contribute.


@kept
def _weight_inverse(rate: RateDistribution) -> _InverseWeighted:
    """Return the distribution of a rate weighted by 1 / R."""
    if isinstance(rate, Mixture):
        return _weight_mixture(rate)
    table = rate.table
    assert isinstance(table, SurvivalTable)
    if not table.is_discrete:
        return _weight_density(rate, table)
    points, masses = table.point_masses()
    points, masses = np.maximum(points[points > 0], _LEAST_RATE), masses[points > 0]
    if not len(points):
        return _zero_rate()
    inverses = masses / points
    total, positive = float(inverses.sum()), float(masses.sum())
    weighted = SurvivalTable.from_steps(points, inverses / total)
    return _InverseWeighted(weighted, total / positive, positive, 0.0)


def _weight_mixture(rate: Mixture) -> _InverseWeighted:
    terms = [_weight_inverse(component) for component in rate.components]
    masses = np.array([term.positive for term in terms]) * rate.weights
    possible = np.flatnonzero(masses)
    if not len(possible):
        return _zero_rate()
    terms = [terms[i] for i in possible]
    masses = masses[possible]
    inverses = masses * [term.mean_inverse for term in terms]
    total = float(inverses.sum())
    weights = inverses / total
    return _InverseWeighted(
        SurvivalMixture([term.table for term in terms], weights.tolist()),
        total / float(masses.sum()),
        float(masses.sum()),
        float(dot(weights, np.array([term.least_share for term in terms]))),
    )


def _zero_rate() -> _InverseWeighted:
    """Return the weighted distribution of a rate that is 0 with probability 1."""
    table = SurvivalTable.from_steps(np.zeros(1), np.ones(1))
    return _InverseWeighted(table, float("nan"), 0.0, 0.0)


def _weight_density(rate: RateDistribution, table: SurvivalTable) -> _InverseWeighted:
    """Return the weighted distribution of a rate with a density and possibly jumps.

    On short panels 1 / r is a polynomial to rounding error, and so is the density over
    r. The probability of a panel comes from the functions of the rate, because 1 / r
    would amplify the rounding errors of its table.
    """
    positive = float(rate._survival(np.zeros(1))[0])
    if positive <= 0:
        return _zero_rate()
    points, masses = table.point_masses()
    first = _fit_panels(rate, np.zeros(1), table.breaks[1:2])
    # Without mass at 0, P(R <= r) has all its digits near 0.
    is_zero = float(rate._below(np.zeros(1))[0]) > 0
    # Else the polynomial of the first panel is unreliable near the mass at 0.
    is_smooth = abs(float(first.lost[0])) <= 1e-10
    # Rates below 60 halvings of the first panel are replaced by their upper end,
    # because the precision is constant up to at least that rate.
    panels = _panels(table, 60 if is_smooth or not is_zero else 0)
    edges = np.append(panels.low, 1.0)
    min_rate = float(edges[0])
    read = _fit_panels(rate, edges[:-1], edges[1:])
    lost = np.where(panels.is_jump, 0.0, read.lost)
    nodes = chebyshev.chebpts1(_N_NODES)
    rates = panels.low[:, None] + np.diff(edges)[:, None] * (nodes + 1) / 2
    densities = np.where(panels.is_jump[:, None], 0.0, _density(read.powers, nodes))
    below = float(_fit_panels(rate, np.zeros(1), edges[:1]).whole[0]) / min_rate
    if is_zero and is_smooth:
        # Differences of probabilities near the mass at 0 would be rounding errors.
        end = float(table.breaks[1])
        inside = panels.low < end
        scale = np.diff(edges)[inside, None] / end
        densities[inside] = _density(first.powers, 2 * rates[inside] / end - 1) * scale
        lost[inside] = 0.0
        below = 2 * float(_density(first.powers, np.full(1, -1.0))[0, 0]) / end
    # By panel, because a rounded node may be the start of the next panel.
    powers = to_powers(to_chebyshev(densities / rates))
    integrals = powers / np.arange(1, _N_NODES + 1)
    areas = 2 * integrals[:, ::2].sum(axis=1)
    is_above = points > min_rate
    points, masses = points[is_above], masses[is_above]
    jumps = np.append(lost / edges[:-1], 0.0)
    np.add.at(jumps, np.searchsorted(edges, points), masses / points)
    beyond = reverse_cumsum(np.append(areas, 0.0) + jumps)
    below = max(below, 0.0)
    total = float(beyond[0]) + below
    coefficients = np.zeros((len(areas) + 1, _N_NODES + 1))
    coefficients[0, 0] = total
    coefficients[1:, 0] = beyond[1:] + integrals.sum(axis=1)
    coefficients[1:, 1:] = -integrals
    weighted = SurvivalTable(
        np.append(0.0, edges), coefficients / total, points, masses / points / total
    )
    return _InverseWeighted(weighted, total / positive, positive, below / total)


class _Panels(NamedTuple):
    """The panels of a table, split into at most a third of an octave each."""

    low: FloatArray  # The start of each panel, at least the minimum rate.
    is_jump: BoolArray  # Whether its probability is a point mass at its end.


def _panels(table: SurvivalTable, n_halvings: int) -> _Panels:
    """Return panels from the end of the first panel / 2**n_halvings to 1."""
    first, last = table.breaks[:-1], table.breaks[1:]
    min_rate = max(float(last[0]) * 0.5**n_halvings, _LEAST_RATE)
    low = np.maximum(first, min_rate)
    ratio = np.maximum(last / low, 1.0)
    n_steps = np.ceil(3 * np.log2(ratio)).astype(np.intp)
    panel: IntArray = np.repeat(np.arange(len(low)), n_steps)
    step = np.arange(len(panel)) - np.repeat(np.cumsum(n_steps) - n_steps, n_steps)
    is_constant = (table.coefficients[:, 1:] == 0).all(axis=1)
    is_jump = is_constant & np.isin(rounded_up(last), table.points)
    return _Panels(low[panel] * ratio[panel] ** (step / n_steps[panel]), is_jump[panel])


class _PanelPolynomials(NamedTuple):
    """Polynomials for P(r < R <= high), with ``high`` the end of each panel."""

    powers: FloatArray
    whole: FloatArray  # The exact probability of each panel.
    lost: FloatArray  # ``whole`` minus the fall of the polynomial.


def _fit_panels(
    rate: RateDistribution, low: FloatArray, high: FloatArray
) -> _PanelPolynomials:
    """Return P(r < R <= high) by panel, from the smaller of P(R > r), P(R <= r)."""
    nodes = np.append(chebyshev.chebpts1(_N_NODES), [-1.0, 1.0])
    rates = low[:, None] + (high - low)[:, None] * (nodes + 1) / 2
    rates[:, -1] = high
    above, below = rate._survival(rates), rate._below(rates)
    falls = np.where(above[:, -2:-1] < below[:, -1:], above, -below)
    falls -= falls[:, -1:]
    powers = to_powers(to_chebyshev(falls[:, :-2]))
    whole = falls[:, -2]
    return _PanelPolynomials(powers, whole, whole + 2 * powers[:, 1::2].sum(axis=1))


def _density(powers: FloatArray, t: FloatArray) -> FloatArray:
    """Return the negative derivatives of polynomials in t."""
    slope = np.zeros((len(powers), 1)) * t
    for power in range(powers.shape[1] - 1, 0, -1):
        slope = slope * t + power * powers[:, power, None]
    return -slope
