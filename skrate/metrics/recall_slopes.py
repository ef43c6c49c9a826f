"""Slopes of expected recall, for rates with a density and for known rates."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import special

from skrate.core.arrays import BoolArray, FloatArray, sum_from_right
from skrate.core.kept import kept
from skrate.core.metric import PartSlopes, Slopes
from skrate.core.rank_table import RankTable
from skrate.core.rates import RateDistribution
from skrate.core.survival import SurvivalTable
from skrate.core.table_parts import TablePart

# Rankings with more groups look a rate with a density up on a grid of as many cells.
_GRID = 2**15
# What a straight line in a cell of it may be off, as a share of what does or does not
# survive.
_LINEAR = 1e-7
# Where in a cell it is compared with the line, and what may be rounding.
_PLACE, _ROUNDING = 0.3, 4e-15
# Of fewer cases above a cut the share of positives is no estimate of itself.
FEW_PROCESSED = 5
_ADDED = 2.0


class UnderRate:
    """What metrics under a rate say of it: mixed into a ``Metric``."""

    rate: Any

    @property
    def law(self) -> RateDistribution:
        """The distribution of the rate."""
        law: RateDistribution = self.rate
        return law

    @property
    def cuts(self) -> FloatArray:
        """The known rates among those that are possible."""
        return cuts_of(self.law)

    @property
    def known_rate(self) -> float | None:
        """The rate, if no other is possible."""
        return rate_of(self.law)


def recall_slopes(table: RankTable, rate: RateDistribution) -> tuple[Slopes, float]:
    """Return the slopes of expected recall, and its value.

    The law decides: the part of it that lies in points within (0, 1) cuts the ranking
    there, the rest wherever it has a density.
    """
    points, masses = rate.point_masses()
    if rate.table.is_discrete:
        return _jump_slopes(table, points, masses)
    # Nothing is cut at 0 and at 1.
    is_cut = (points > 0) & (points < 1)
    if not is_cut.any():
        return smooth_slopes(table, rate)[:2]
    # Both parts are slopes of their own: the jumps are taken out of the survival
    # function, and what is left has a density.
    points, masses = points[is_cut], masses[is_cut]
    jumps, recall_of_jumps = _jump_slopes(table, points, masses)
    steps = SurvivalTable.from_steps(points, masses)
    edges = table.rates
    smooth, recall, _ = _slopes_of_mean(
        table,
        rate.table.mean(edges[:-1], edges[1:]) - steps.mean(edges[:-1], edges[1:]),
        rate.table.survival(edges) - steps.survival(edges),
    )
    slopes = Slopes(
        jumps.by_pos + smooth.by_pos,
        jumps.by_neg + smooth.by_neg,
        jumps.by_prevalence + smooth.by_prevalence,
    )
    return slopes, recall + recall_of_jumps


def cuts_of(rate: RateDistribution) -> FloatArray:
    """Return the rates within (0, 1) with a probability of their own."""
    points = rate.point_masses()[0]
    # Nothing is cut at 0 and at 1.
    return points[(points > 0) & (points < 1)]


def rate_of(rate: RateDistribution) -> float | None:
    """Return the rate that alone is possible, None if there are several."""
    points = rate.point_masses()[0]
    is_known = rate.table.is_discrete and len(points) == 1
    return float(points[0]) if is_known else None


def is_smooth(rate: RateDistribution) -> bool:
    """Return whether the rate has a density, with no point of its own within (0, 1)."""
    return not rate.table.is_discrete and len(cuts_of(rate)) == 0


def smooth_slopes(table: RankTable | TablePart, rate: RateDistribution) -> PartSlopes:
    """Return the slopes for a rate with a density, in a table or in part of one."""
    return _slopes_of_mean(table, *_mean_and_at_edge(rate, table))


def _slopes_of_mean(
    table: RankTable | TablePart, mean: FloatArray, at_edge: FloatArray
) -> PartSlopes:
    """Return the slopes from the mean survival in groups, and that at their edges.

    E = sum_k P_k m_k, with m_k = (G(D_k) - G(D_(k-1))) / s_k the mean survival in
    group k, s_k = D_k - D_(k-1) and G' = S. With pi_k the share of positives in it,

        p dE/dD_k = pi_k (S(D_k) - m_k) + pi_(k+1) (m_(k+1) - S(D_k)),

    and a share of either class in group j moves all D_k with k >= j.
    """
    p, rest = table.prevalence, table.negative_share
    share = table.pos / (table.pos + table.neg)
    # p dE/dD_k, by the group after a cut and by the one before it. In place from here
    # on: with a million groups each further array costs more than the arithmetic.
    by_next = mean - at_edge[:-1]
    by_next *= share
    by_cut = at_edge[1:] - mean
    by_cut *= share
    by_cut[:-1] += by_next[1:]
    if table.rates[-1] == 1:
        # Nothing moves the last cut, nor the first one.
        by_cut[-1] = 0.0
    first = float(by_next[0])
    # With T and F the shares of the classes above, D = p T + (1 - p) F.
    of_pos = by_cut @ table.cum_pos[1:] + first * table.cum_pos[0]
    of_neg = by_cut @ table.cum_neg[1:] + first * table.cum_neg[0]
    by_prevalence = float(of_pos / table.n_pos - of_neg / table.n_neg) / p
    # A share of a class in group j moves D_j and all that follow: sums from the right.
    moved = sum_from_right(by_cut)
    above = float(moved[0]) + first
    value = float(table.pos @ mean) / table.n_pos
    # A positive adds its own m_j beside what it moves.
    mean += moved
    moved *= rest / p
    slopes = Slopes(mean, moved, by_prevalence)
    return PartSlopes(slopes, value, (above, above * rest / p))


def _mean_and_at_edge(
    rate: RateDistribution, table: RankTable | TablePart
) -> tuple[FloatArray, FloatArray]:
    """Return the mean survival in groups, and the survival at their edges."""
    edges = table.rates
    low, high = edges[:-1], edges[1:]
    if len(low) <= _GRID and isinstance(table, RankTable):
        return rate.table.mean(low, high), rate.table.survival(edges)
    # On the grid the survival is linear, and its integral from 0 is quadratic.
    survival, falls, integral, is_linear = _on_grid(rate)
    scaled = edges * _GRID
    cell = np.minimum(scaled.astype(np.intp), _GRID - 1)
    scaled -= cell
    # `scaled` is now the place within the cell, from 0 to 1.
    start = survival[cell]
    slope = falls[cell]
    slope *= scaled
    at_edge = start + slope
    # The integral from 0: that of the cells before, and of this one up to the place,
    # which is the mean of survival at both ends times the width.
    start += slope / 2
    start *= scaled
    start /= _GRID
    start += integral[cell]
    mean = start[1:] - start[:-1]
    mean /= high - low
    # Where the survival bends, as where all of a small rate lies in one cell, the
    # table itself is asked.
    if not is_linear[cell[0] : cell[-1] + 1].all():
        bad = np.flatnonzero(~(is_linear[cell[:-1]] & is_linear[cell[1:]]))
        mean[bad] = rate.table.mean(low[bad], high[bad])
        ends = np.union1d(bad, bad + 1)
        at_edge[ends] = rate.table.survival(edges[ends])
    return mean, at_edge


@kept
def _on_grid(
    rate: RateDistribution,
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Return survival, its differences and its integral, and where it is linear."""
    nodes = np.arange(_GRID + 1) / _GRID
    survival = rate.table.survival(nodes)
    # Of the table, not of the straight lines: it stays exact over whole cells.
    areas = rate.table.mean(nodes[:-1], nodes[1:]) / _GRID
    integral = np.concatenate([[0.0], np.cumsum(areas)])
    linear = (survival[1:] + survival[:-1]) / 2
    falls = np.diff(survival)
    # Both the area and a place: a curve may cross its chord. Not in the middle, where
    # it crosses if it is symmetric; but if it bends one way, it is there that it misses
    # most.
    at = rate.table.survival(nodes[:-1] + _PLACE / _GRID)
    off_chord = np.abs(at - (survival[:-1] + _PLACE * falls))
    off_chord /= 4 * _PLACE * (1 - _PLACE)
    miss = np.maximum(np.abs(areas * _GRID - linear), off_chord)
    # Where hardly anything survives no share of it could be kept: there the mean rate,
    # which is the mean of the survival over all cells, is the scale. Where all but
    # little survives it is what does not, but for rounding.
    mean = rate.mean()
    scale = np.maximum(survival[:-1], mean)
    scale = np.minimum(scale, np.maximum(1 - survival[1:], 1 - mean))
    is_linear = miss <= np.maximum(_LINEAR * scale, _ROUNDING)
    return survival, falls, integral, is_linear


def _jump_slopes(
    table: RankTable, points: FloatArray, masses: FloatArray
) -> tuple[Slopes, float]:
    """Return the slopes for a rate that is one of ``points``.

    More weight above a cut at r pushes cases below it: a positive above adds itself
    and costs the share pi of positives at the cut, a negative above costs pi,

        g_P = m_j (1 - pi), g_Q = -m_j pi (1 - p) / p, g_p = -(T - F) pi / p,

    with m_j the part of group j above the cut, T and F the shares of the classes
    there. As the density at a quantile, pi must be estimated from the neighbours of
    the cut: one case is positive or not. Of few cases down to there, two of each class
    are added to these neighbours, as to a proportion [1]_.

    References
    ----------
    .. [1] Agresti and Coull (1998), Approximate is better than "exact" for interval
       estimation of binomial proportions, :doi:`10.1080/00031305.1998.10480550`.
    """
    p = table.prevalence
    share = share_at_cut([table], points)
    low, high = table.rates[:-1], table.rates[1:]
    # Each point counts by its mass times 1 - pi, or times pi, in the groups above it:
    # survival functions of discrete rates, whose table sums them in one pass.
    kept = SurvivalTable.from_steps(points, masses * (1 - share)).mean(low, high)
    lost = SurvivalTable.from_steps(points, masses * share).mean(low, high)
    # With the shares fixed, a greater prevalence moves a cut by T - F.
    lead = np.interp(points, table.rates, table.tpr - table.fpr)
    by_prevalence = -float((masses * share) @ lead) / p
    value = float(table.pos @ (kept + lost)) / table.n_pos
    return Slopes(kept, -table.negative_share / p * lost, by_prevalence), value


def share_at_cut(tables: Sequence[RankTable], points: FloatArray) -> FloatArray:
    """Return the share of positives among the neighbours of the cut at each rate.

    Of several folds, cut at the same rate each, those of all together. At 0 and at 1,
    where nothing is cut, it is of no use.
    """
    total = sum(table.total for table in tables)
    width = bandwidth(points, total)
    found = np.zeros_like(width)
    for table in tables:
        ends = np.interp(
            np.concatenate([points - width, points + width]),
            table.rates,
            table.cum_pos,
        )
        found += ends[len(points) :] - ends[: len(points)]
    # Per case within the bandwidth, so that it does not jump from one to the next.
    around = 2 * width * total
    # Few cases may be all of one class, which is no sign that others would be.
    added = np.where(is_of_few(tables, points), _ADDED, 0.0)
    share = np.zeros_like(around)
    np.divide(found + added, around + 2 * added, out=share, where=around > 0)
    return share


def is_of_few(tables: Sequence[RankTable], points: FloatArray) -> BoolArray:
    """Return at which rates the cases above the cut or tied with it are few."""
    seen = np.zeros_like(points)
    for table in tables:
        where = np.searchsorted(table.rates, points, side="left")
        seen += table.rates[where] * table.total
    # Less a trifle: a sum of weights is 5 to rounding.
    few = seen < FEW_PROCESSED * (1 - 1e-9)
    return few & (points > 0) & (points < 1)


def bandwidth(points: FloatArray, n: float) -> FloatArray:
    """Return half widths around rates in [0, 1]: those of [1]_ for quantiles.

    They never leave [0, 1], and are 0 at 0 and at 1, where nothing is cut.

    References
    ----------
    .. [1] Hall and Sheather (1988), On the distribution of a studentized quantile,
       :doi:`10.1111/j.2517-6161.1988.tb01735.x`.
    """
    # At 0 and 1, of which the result is not used, the quantile would be infinite.
    inner = np.clip(points, 1e-12, 1 - 1e-12)
    at = special.ndtri(inner)
    density = np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi)
    # For a two-sided level of 0.05.
    factor = special.ndtri(0.975) ** (2 / 3) * n ** (-1 / 3)
    width = factor * np.cbrt(1.5 * density**2 / (2 * at**2 + 1))
    width = np.minimum(width, np.minimum(points, 1 - points))
    return np.where((points > 0) & (points < 1), width, 0.0)
