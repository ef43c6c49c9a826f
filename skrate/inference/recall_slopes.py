"""Slopes of expected recall, for rates with a density and for known rates."""

from typing import cast

import numpy as np
from scipy import special

from skrate.core.arrays import FloatArray
from skrate.core.rank_table import RankTable
from skrate.core.rates import Empirical, Fixed, Mixture, RateDistribution
from skrate.core.survival import SurvivalTable
from skrate.inference.table_metric import Gradients, sum_from_right


def recall_gradients(table: RankTable, rate: RateDistribution) -> Gradients:
    """Return the slopes of expected recall."""
    if isinstance(rate, Fixed):
        return _jump_gradients(table, np.array([rate.r]), np.ones(1))
    if isinstance(rate, Empirical):
        return _jump_gradients(table, rate.points, rate.masses)
    if isinstance(rate, Mixture):
        return _mixed_gradients(table, rate)
    return _smooth_gradients(table, rate)


def _smooth_gradients(table: RankTable, rate: RateDistribution) -> Gradients:
    """Return the slopes for a rate with a density.

    E = sum_k P_k m_k, with m_k = (G(D_k) - G(D_(k-1))) / s_k the mean survival in
    group k, s_k = D_k - D_(k-1) and G' = S. With pi_k the share of positives in it,

        p dE/dD_k = pi_k (S(D_k) - m_k) + pi_(k+1) (m_(k+1) - S(D_k)),

    and a share of either class in group j moves all D_k with k >= j.
    """
    p, edges = table.prevalence, table.rates
    mean = rate._mean_survival(edges[:-1], edges[1:])
    # A mean over no width is the value; the last cut is always at 1.
    inner = edges[1:-1]
    at_cut = rate._mean_survival(inner, inner)
    share = table.pos / (table.pos + table.neg)
    by_cut = np.zeros_like(mean)
    by_cut[:-1] = share[:-1] * (at_cut - mean[:-1]) + share[1:] * (mean[1:] - at_cut)
    by_prevalence = float(by_cut @ (table.tpr[1:] - table.fpr[1:])) / p
    moved = sum_from_right(by_cut)
    return Gradients(mean + moved, (1 - p) / p * moved, by_prevalence)


def _jump_gradients(
    table: RankTable, points: FloatArray, masses: FloatArray
) -> Gradients:
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
    return Gradients(kept, -(1 - p) / p * lost, by_prevalence)


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


def _mixed_gradients(table: RankTable, rate: Mixture) -> Gradients:
    parts = [recall_gradients(table, component) for component in rate.components]
    weights = np.array(rate.weights)
    sums = (
        sum(w * part[i] for w, part in zip(weights, parts, strict=True))
        for i in range(3)
    )
    return Gradients(*cast(tuple[FloatArray, FloatArray, float], tuple(sums)))
