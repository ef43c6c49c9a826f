"""How the expected gain changes with the gain and with the cost of each case."""

from __future__ import annotations

import numpy as np

from skrate.core.arrays import FloatArray, dot, sum_from_right
from skrate.core.rates import RateDistribution
from skrate.core.survival import SurvivalTable
from skrate.core.worth import GroupWorth, WorthTable
from skrate.metrics.gain_sums import just_reached
from skrate.metrics.recall_slopes import bandwidth, cuts_of, is_of_few

# As many average cases are added to the neighbours of a cut that few cases reach.
_ADDED = 4.0

# What one more unit of gain, or of cost, in each group adds.
WorthSlopes = tuple[FloatArray, FloatArray]


def worth_slopes(table: WorthTable, rate: RateDistribution) -> WorthSlopes:
    """Return the slopes of the expected gain, a sum over cases, by group.

    With g_k the gain and c_k the cost of group k, of C in all, and m_k the mean
    survival over its share of the cost, from D_(k-1) to D_k, it is E = sum g_k m_k. So
    the slope by g_k is m_k. A cost in group j moves all D_k with k >= j:

        dE/dc_j = sum_k (1{k >= j} - D_k) / C * dE/dD_k.

    E does not depend on the unit of the costs, so that what cases add, g m_k +
    c dE/dc_k, sums to E.
    """
    by_gain, by_cost = _of_shares(table, rate)
    return by_gain + just_reached(table.worth, rate), by_cost


def _of_shares(table: WorthTable, rate: RateDistribution) -> WorthSlopes:
    """Return the same, but for free groups that a budget may just reach."""
    worth = table.worth
    points, masses = rate.point_masses()
    if rate.table.is_discrete:
        return _jump_slopes(table, points, masses)
    edges, cuts = worth.shares, cuts_of(rate)
    low, high = edges[:-1], edges[1:]
    mean, at_edge = rate.table.mean(low, high), rate.table.survival(edges)
    if len(cuts) == 0:
        return _smooth_slopes(worth, rate, mean, at_edge)
    # The jumps are taken out of the survival function, and what is left has a density.
    is_cut = np.isin(points, cuts)
    points, masses = points[is_cut], masses[is_cut]
    steps = SurvivalTable.from_steps(points, masses)
    mean, at_edge = mean - steps.mean(low, high), at_edge - steps.survival(edges)
    of_jumps = _jump_slopes(table, points, masses)
    of_rest = _smooth_slopes(worth, rate, mean, at_edge)
    return of_jumps[0] + of_rest[0], of_jumps[1] + of_rest[1]


def _smooth_slopes(
    worth: GroupWorth, rate: RateDistribution, mean: FloatArray, at_edge: FloatArray
) -> WorthSlopes:
    """Return them for a rate with a density, by its mean survival and that at edges."""
    is_free = worth.cost == 0
    per_cost = np.divide(
        worth.gain, worth.cost, out=np.zeros_like(worth.gain), where=~is_free
    )
    # Minus dE/dD_k / C. Nothing moves the last cut.
    by_cut = per_cost * (mean - at_edge[1:])
    by_cut[:-1] += per_cost[1:] * (at_edge[:-1] - mean)[1:]
    if is_free.any():
        # What costs nothing is processed as soon as all above it is.
        free = worth.gain[is_free] * rate.table.density(worth.shares[1:][is_free])
        by_cut[is_free] += free / worth.cost.sum()
    by_cut[-1] = 0.0
    whole = float(dot(by_cut, worth.shares[1:]))
    return mean, whole - sum_from_right(by_cut)


def _jump_slopes(
    table: WorthTable, points: FloatArray, masses: FloatArray
) -> WorthSlopes:
    """Return them for a rate that is one of ``points``.

    A unit of cost above the cut at r pushes one below it, with what the neighbours of
    the cut gain per cost, and 1 - r of it, as all costs are the budget's measure.
    """
    edges = table.worth.shares
    low, high = edges[:-1], edges[1:]
    per_cost = gain_at_cut(table, points)
    above = SurvivalTable.from_steps(points, masses).mean(low, high)
    least, width = float(per_cost.min()), float(np.ptp(per_cost))
    pushed = least * above
    if width > 0:
        # Survival functions lie between 0 and 1.
        shares = masses * ((per_cost - least) / width)
        pushed += width * SurvivalTable.from_steps(points, shares).mean(low, high)
    return above, float(dot(masses * per_cost, points)) - pushed


def gain_at_cut(table: WorthTable, points: FloatArray) -> FloatArray:
    """Return what the neighbours of the cut at each rate gain per cost."""
    worth = table.worth
    width = bandwidth(points, table.total)
    gained = np.append(0.0, np.cumsum(worth.gain))
    ends = np.interp(
        np.concatenate([points - width, points + width]), worth.shares, gained
    )
    found = ends[len(points) :] - ends[: len(points)]
    spent = float(worth.cost.sum())
    around: FloatArray = 2 * width * spent
    # Few cases may happen to gain all the same.
    where = np.searchsorted(worth.shares, points, side="left")
    added = np.where(is_of_few([table], table.rates[where]), _ADDED, 0.0) / table.total
    around_all = around + added * spent
    per_cost = np.zeros_like(around)
    np.divide(found + added * gained[-1], around_all, out=per_cost, where=around > 0)
    return per_cost
