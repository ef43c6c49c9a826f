"""Slopes of expected recall, for rates with a density and for known rates."""

from functools import lru_cache

import numpy as np
from scipy import special

from skrate.core.arrays import FloatArray
from skrate.core.rank_table import RankTable
from skrate.core.rates import Empirical, Fixed, Mixture, RateDistribution
from skrate.core.survival import SurvivalTable
from skrate.inference.table_metric import Gradients, sum_from_right

# Rankings with more groups look a rate with a density up on a grid of as many cells.
_GRID = 2**15


def recall_gradients(
    table: RankTable, rate: RateDistribution
) -> tuple[Gradients, float]:
    """Return the slopes of expected recall, and its value."""
    if isinstance(rate, Fixed):
        return _jump_gradients(table, np.array([rate.r]), np.ones(1))
    if isinstance(rate, Empirical):
        return _jump_gradients(table, rate.points, rate.masses)
    if isinstance(rate, Mixture):
        return _mixed_gradients(table, rate)
    return _smooth_gradients(table, rate)


def _smooth_gradients(
    table: RankTable, rate: RateDistribution
) -> tuple[Gradients, float]:
    """Return the slopes for a rate with a density.

    E = sum_k P_k m_k, with m_k = (G(D_k) - G(D_(k-1))) / s_k the mean survival in
    group k, s_k = D_k - D_(k-1) and G' = S. With pi_k the share of positives in it,

        p dE/dD_k = pi_k (S(D_k) - m_k) + pi_(k+1) (m_(k+1) - S(D_k)),

    and a share of either class in group j moves all D_k with k >= j.
    """
    p, edges = table.prevalence, table.rates
    mean, at_cut = _mean_and_at_cut(rate, edges)
    share = table.pos / (table.pos + table.neg)
    by_cut = np.zeros_like(mean)
    np.subtract(at_cut, mean[:-1], out=by_cut[:-1])
    by_cut[:-1] *= share[:-1]
    np.subtract(mean[1:], at_cut, out=at_cut)
    at_cut *= share[1:]
    by_cut[:-1] += at_cut
    # With T and F the shares of the classes above, D = p T + (1 - p) F.
    by_lead = (by_cut @ table.cum_pos[1:]) / table.n_pos - by_cut @ edges[1:]
    by_prevalence = float(by_lead) / (1 - p) / p
    moved = sum_from_right(by_cut)
    value = float(table.pos @ mean) / table.n_pos
    mean += moved
    moved *= (1 - p) / p
    return Gradients(mean, moved, by_prevalence), value


def _mean_and_at_cut(
    rate: RateDistribution, edges: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mean survival between edges, and the survival at the inner ones."""
    inner = edges[1:-1]
    if len(inner) < _GRID:
        # A mean over no width is the value.
        at_cut = rate._mean_survival(inner, inner)
        return rate._mean_survival(edges[:-1], edges[1:]), at_cut
    # On the grid the survival is linear, and its integral from 0 is quadratic.
    survival, integral = _on_grid(rate)
    scaled = edges * _GRID
    cell = np.minimum(scaled.astype(np.intp), _GRID - 1)
    scaled -= cell
    start = survival.take(cell)
    slope = np.diff(survival).take(cell)
    slope *= scaled
    at_edge = start + slope
    start += slope / 2
    start *= scaled
    start /= _GRID
    start += integral.take(cell)
    return np.diff(start) / np.diff(edges), at_edge[1:-1]


@lru_cache(maxsize=8)
def _on_grid(rate: RateDistribution) -> tuple[FloatArray, FloatArray]:
    nodes = np.arange(_GRID + 1) / _GRID
    survival = rate._mean_survival(nodes, nodes)
    areas = (survival[1:] + survival[:-1]) / 2 / _GRID
    return survival, np.concatenate([[0.0], np.cumsum(areas)])


def _jump_gradients(
    table: RankTable, points: FloatArray, masses: FloatArray
) -> tuple[Gradients, float]:
    """Return the slopes for a rate that is one of ``points``.

    More weight above a cut at r pushes cases below it: a positive above adds itself
    and costs the share pi of positives at the cut, a negative above costs pi,

        g_P = m_j (1 - pi), g_Q = -m_j pi (1 - p) / p, g_p = -(T - F) pi / p,

    with m_j the part of group j above the cut, T and F the shares of the classes
    there. As the density at a quantile, pi must be estimated from the neighbours of
    the cut: one case is positive or not.
    """
    p = table.prevalence
    width = bandwidth(points, table.total)
    ends = np.interp(
        np.concatenate([points - width, points + width]), table.rates, table.cum_pos
    )
    found = ends[len(points) :] - ends[: len(points)]
    share = np.where(width > 0, found / (2 * np.where(width > 0, width, 1)), 0.0)
    share = share / table.total
    low, high = table.rates[:-1], table.rates[1:]
    kept = SurvivalTable.from_steps(points, masses * (1 - share)).mean(low, high)
    lost = SurvivalTable.from_steps(points, masses * share).mean(low, high)
    lead = np.interp(points, table.rates, table.tpr - table.fpr)
    by_prevalence = -float((masses * share) @ lead) / p
    value = float(table.pos @ (kept + lost)) / table.n_pos
    return Gradients(kept, -(1 - p) / p * lost, by_prevalence), value


def bandwidth(points: FloatArray, n: float) -> FloatArray:
    """Return half widths around rates in [0, 1]: those of [1]_ for quantiles.

    They never leave [0, 1], and are 0 at 0 and at 1, where nothing is cut.

    References
    ----------
    .. [1] Hall and Sheather (1988), On the distribution of a studentized quantile,
       :doi:`10.1111/j.2517-6161.1988.tb01735.x`.
    """
    inner = np.clip(points, 1e-12, 1 - 1e-12)
    at = special.ndtri(inner)
    density = np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi)
    # For a two-sided level of 0.05.
    factor = special.ndtri(0.975) ** (2 / 3) * n ** (-1 / 3)
    width = factor * np.cbrt(1.5 * density**2 / (2 * at**2 + 1))
    width = np.minimum(width, np.minimum(points, 1 - points))
    return np.where((points > 0) & (points < 1), width, 0.0)


def _mixed_gradients(table: RankTable, rate: Mixture) -> tuple[Gradients, float]:
    by_pos, by_neg = np.zeros(table.n_groups), np.zeros(table.n_groups)
    by_prevalence, value = 0.0, 0.0
    for weight, component in zip(rate.weights, rate.components, strict=True):
        slopes, recall = recall_gradients(table, component)
        by_pos += weight * slopes.by_pos
        by_neg += weight * slopes.by_neg
        by_prevalence += weight * slopes.by_prevalence
        value += weight * recall
    return Gradients(by_pos, by_neg, by_prevalence), value
