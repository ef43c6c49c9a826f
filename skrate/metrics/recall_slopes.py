"""Slopes of expected recall, for rates with a density and for known rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import special

from skrate.core.arrays import BoolArray, FloatArray, dot, sum_from_right
from skrate.core.kept import kept
from skrate.core.metric import Slopes
from skrate.core.rank_table import RankTable
from skrate.core.rates import RateDistribution
from skrate.core.survival import SurvivalTable

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
        return _slopes_of_mean(table, *_falls_of_table(rate, table))
    # Both parts are slopes of their own: the jumps are taken out of the survival
    # function, and what is left has a density.
    points, masses = points[is_cut], masses[is_cut]
    jumps, recall_of_jumps = _jump_slopes(table, points, masses)
    steps = SurvivalTable.from_steps(points, masses)
    edges = table.rates
    mean = rate.table.mean(edges[:-1], edges[1:]) - steps.mean(edges[:-1], edges[1:])
    at_edge = rate.table.survival(edges) - steps.survival(edges)
    smooth, recall = _slopes_of_mean(table, mean, *_falls(mean, at_edge))
    slopes = Slopes(
        jumps.by_pos + smooth.by_pos,
        jumps.by_neg + smooth.by_neg,
        jumps.by_prevalence + smooth.by_prevalence,
    )
    return slopes, recall + recall_of_jumps


def cuts_of(rate: RateDistribution | None) -> FloatArray:
    """Return the rates within (0, 1) with a probability of their own.

    They increase; slopes jump there from one case to the next.
    """
    if rate is None:
        return np.empty(0)
    points = rate.point_masses()[0]
    # Nothing is cut at 0 and at 1.
    return points[(points > 0) & (points < 1)]


def rate_of(rate: RateDistribution | None) -> float | None:
    """Return the rate that alone is possible, None if there are several."""
    if rate is None:
        return None
    points = rate.point_masses()[0]
    is_known = rate.table.is_discrete and len(points) == 1
    return float(points[0]) if is_known else None


def recall_limits(rate: Any) -> tuple[float, float]:
    """Return the range of the recall of a class under what ``rate=`` takes.

    Where nothing is processed or all, no ranking finds more than another.
    """
    known = rate_of(rate) if isinstance(rate, RateDistribution) else rate
    return (float(known), float(known)) if known in (0, 1) else (0.0, 1.0)


def _slopes_of_mean(
    table: RankTable, mean: FloatArray, before: FloatArray, after: FloatArray
) -> tuple[Slopes, float]:
    """Return slopes and value from the mean survival, and the falls to it and from it.

    E = sum_k P_k m_k, with m_k = (G(D_k) - G(D_(k-1))) / s_k the mean survival in
    group k, s_k = D_k - D_(k-1) and G' = S. With pi_k the share of positives in it,

        p dE/dD_k = pi_k (S(D_k) - m_k) + pi_(k+1) (m_(k+1) - S(D_k)),

    and a share of either class in group j moves all D_k with k >= j.
    """
    p, rest = table.prevalence, table.negative_share
    share = table.pos / (table.pos + table.neg)
    # Minus p dE/dD_k. Nothing moves the last cut.
    by_cut = share * after
    by_cut[:-1] += share[1:] * before[1:]
    by_cut[-1] = 0.0
    # With T and F the shares of the classes above, D = p T + (1 - p) F.
    of_pos = dot(by_cut, table.cum_pos[1:])
    of_neg = dot(by_cut, table.cum_neg[1:])
    by_prevalence = float(of_neg / table.n_neg - of_pos / table.n_pos) / p
    # A share of a class in group j moves D_j and all that follow: sums from the right.
    moved = sum_from_right(by_cut)
    value = float(dot(table.pos, mean)) / table.n_pos
    # A positive adds its own m_j beside what it moves.
    return Slopes(mean - moved, moved * (-rest / p), by_prevalence), value


def _falls_of_table(
    rate: RateDistribution, table: RankTable
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean survival in groups, and the falls to it and from it."""
    edges = table.rates
    if table.n_groups > _GRID:
        return _on_grid(rate, edges[:-1], np.diff(edges), 1.0)
    mean = rate.table.mean(edges[:-1], edges[1:])
    return mean, *_falls(mean, rate.table.survival(edges))


def _falls(mean: FloatArray, at_edge: FloatArray) -> tuple[FloatArray, FloatArray]:
    return at_edge[:-1] - mean, mean - at_edge[1:]


def _on_grid(
    rate: RateDistribution, above: FloatArray, size: FloatArray, total: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the same for groups of these sizes, in the cells of a grid of the rate.

    A group counts for the cell that its middle is in.
    """
    of_cell, fall, is_linear = _grid(rate)
    place = size / 2
    place += above
    place *= _GRID / total
    start = np.floor(place)
    if start[-1] == _GRID:
        # Rounded, or a group of no size at the end.
        np.minimum(start, _GRID - 1, out=start)
    place -= start
    cell = start.astype(np.intp)
    before = fall.take(cell)
    place -= 0.5
    place *= before
    mean = of_cell.take(cell)
    mean -= place
    before *= size
    before *= _GRID / total / 2
    after = before
    # Of groups that are wide, and where the survival bends, as where all of a small
    # rate lies in one cell, the table itself is asked.
    if size.max() * _GRID > total or not is_linear[cell[0] : cell[-1] + 1].all():
        bad = np.flatnonzero((size * _GRID > total) | ~is_linear[cell])
        low, high = above[bad] / total, (above[bad] + size[bad]) / total
        mean[bad] = rate.table.mean(low, high)
        after = before.copy()
        before[bad] = rate.table.survival(low) - mean[bad]
        after[bad] = mean[bad] - rate.table.survival(high)
    return mean, before, after


@kept
def _grid(rate: RateDistribution) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return per cell the mean survival and its fall, and whether it is linear there.

    With the mean in place of the middle of a chord, sums over whole cells are exact.
    """
    nodes = np.arange(_GRID + 1) / _GRID
    survival = rate.table.survival(nodes)
    means = rate.table.mean(nodes[:-1], nodes[1:])
    chord = (survival[1:] + survival[:-1]) / 2
    falls = survival[:-1] - survival[1:]
    # Both the mean and a place: a curve may cross its chord. Not in the middle, where
    # it crosses if it is symmetric; but if it bends one way, it is there that it misses
    # most.
    at = rate.table.survival(nodes[:-1] + _PLACE / _GRID)
    off_chord = np.abs(at - (survival[:-1] - _PLACE * falls))
    off_chord /= 4 * _PLACE * (1 - _PLACE)
    miss = np.maximum(np.abs(means - chord), off_chord)
    # Where hardly anything survives no share of it could be kept: there the mean rate,
    # which is the mean of the survival over all cells, is the scale. Where all but
    # little survives it is what does not, but for rounding.
    mean = rate.mean()
    scale = np.maximum(survival[:-1], mean)
    scale = np.minimum(scale, np.maximum(1 - survival[1:], 1 - mean))
    is_bent = miss > np.maximum(_LINEAR * scale, _ROUNDING)
    # A group may reach into the next cell.
    is_linear = ~(is_bent | np.roll(is_bent, 1) | np.roll(is_bent, -1))
    return means, falls, is_linear


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
    by_prevalence = -float(dot(masses * share, lead)) / p
    value = float(dot(table.pos, kept + lost)) / table.n_pos
    return Slopes(kept, -table.negative_share / p * lost, by_prevalence), value


def share_at_cut(
    tables: Sequence[RankTable], points: FloatArray, n_repeats: float = 1.0
) -> FloatArray:
    """Return the share of positives among the neighbours of the cut at each rate.

    Of several folds, cut at the same rate each, those of all together; ``n_repeats`` is
    how often these test each case. At 0 and at 1, where nothing is cut, it is of no
    use.
    """
    total = sum(table.total for table in tables) / n_repeats
    width = bandwidth(points, total)
    found = np.zeros_like(width)
    for table in tables:
        ends = np.interp(
            np.concatenate([points - width, points + width]),
            table.rates,
            table.cum_pos,
        )
        found += (ends[len(points) :] - ends[: len(points)]) / n_repeats
    # Per case within the bandwidth, so that it does not jump from one to the next.
    around = 2 * width * total
    # Few cases may be all of one class, which is no sign that others would be.
    added = np.where(is_of_few(tables, points, n_repeats), _ADDED, 0.0)
    share = np.zeros_like(around)
    np.divide(found + added, around + 2 * added, out=share, where=around > 0)
    return share


def is_of_few(
    tables: Sequence[RankTable], points: FloatArray, n_repeats: float = 1.0
) -> BoolArray:
    """Return at which rates the cases above the cut or tied with it are few."""
    seen = np.zeros_like(points)
    for table in tables:
        where = np.searchsorted(table.rates, points, side="left")
        seen += table.rates[where] * table.total / n_repeats
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
