"""The expected recall under a distribution of the rate, and its slopes.

R is the rate, G(x) = E[min(R, x)] and S(x) = P(R > x) is its survival function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import special

from skrate.data.arrays import (
    Array,
    BoolArray,
    FloatArray,
    divide_or_nan,
    dot,
    ratio,
    reverse_cumsum,
)
from skrate.data.list_table import ListTable
from skrate.data.ranking import begins_group
from skrate.data.table import RankTable, build_weight_table
from skrate.metrics.metric import Slopes
from skrate.rates.laws import RateDistribution
from skrate.rates.survival import SurvivalTable, kept

# With fewer samples above a cut, the fraction of positives near it is unreliable.
FEW_PROCESSED = 5


def expected_recall(
    table: RankTable, rate: RateDistribution, *, of_negatives: bool = False
) -> float:
    """Return E[F0], the mean over positives of the probability of being processed.

    With ``of_negatives`` return E[F1], the mean over negatives. It is summed over the
    negatives: as the mean rate minus the part of the positives, it would be a rounding
    error if there are few negatives.
    """
    n = table.n_neg if of_negatives else table.n_pos
    labels = table.labels
    if labels is not None:
        # Several times faster than by group.
        return sum_untied(~labels if of_negatives else labels, rate) / n
    weights = table.neg if of_negatives else table.pos
    # With a small number of ties, sum over samples instead of groups.
    if table.is_of_samples and table.n_groups > table.total / 2:
        if table.n_groups < table.total:
            # Tied samples have equal parts of their group.
            sizes = np.rint(table.pos + table.neg).astype(np.intp)
            weights = np.repeat(ratio(weights, sizes), sizes)
        return sum_untied(weights, rate) / n
    edges, groups = table.rates, np.flatnonzero(weights)
    means = rate.table.mean(edges[groups], edges[groups + 1])
    return float(dot(weights[groups], means)) / n


def missed_fraction(table: RankTable, law: RateDistribution) -> float:
    """Return the expected recall of a perfect ranking minus the recall of the table."""
    perfect = build_weight_table(
        np.array([table.n_pos, 0.0]), np.array([0.0, table.n_neg])
    )
    return expected_recall(perfect, law) - expected_recall(table, law)


def sum_untied(counts: Array, rate: RateDistribution) -> float:
    """Return the expected sum of ``counts`` over processed samples; none are tied."""
    n = len(counts)
    # The weights of short rankings are cached.
    if n <= 16_384:
        return float(dot(counts, _cached_weights(rate, n)))
    # Merge neighbours with equal counts, and omit samples that count 0.
    edges = np.append(np.flatnonzero(begins_group(counts)), n)
    groups = np.flatnonzero(counts[edges[:-1]])
    starts, ends = edges[groups], edges[groups + 1]
    means = rate.table.mean(starts / n, ends / n)
    return float(dot(counts[starts] * (ends - starts), means))


@kept
def _cached_weights(rate: RateDistribution, n: int) -> FloatArray:
    edges = np.arange(n + 1) / n
    return rate.table.mean(edges[:-1], edges[1:])


def table_recalls(pos: Array, neg: Array, rate: RateDistribution) -> FloatArray:
    """Return the expected recall of many tables, nan without positives."""
    return divide_or_nan(table_gains(pos, pos + neg, rate), pos.sum(axis=1))


def table_gains(gain: Array, weight: Array, rate: RateDistribution) -> FloatArray:
    """Return the expected gain of the processed samples, for each table (row)."""
    ends = np.cumsum(weight, axis=1)
    total = ends[:, -1:]
    n = int(total.max())
    if ends.dtype.kind == "i" and total.min() == n <= 16 * ends.size:
        # Use a cache, because all tables have n samples without fractional weights.
        means = _cached_limited_means(rate, n)
        area = np.diff(means.take(ends), axis=1, prepend=0.0)
        return np.asarray(np.einsum("ij,ij->i", area, ratio(gain, weight)))
    cuts = ratio(np.hstack([np.zeros_like(total), ends]), total)
    processed = rate.table.mean(cuts[:, :-1], cuts[:, 1:])
    return np.asarray(np.einsum("ij,ij->i", gain, processed))


@kept
def _cached_limited_means(rate: RateDistribution, n: int) -> FloatArray:
    """Return n E[min(R, i / n)] for i = 0, ..., n."""
    return n * rate.table.limited_mean(np.arange(n + 1) / n)


def processed_rows(lists: ListTable, rate: RateDistribution) -> FloatArray:
    """Return the probability of being processed for the samples of each row."""
    n_items = lists.spread(lists.sizes)
    return rate.table.mean(lists.begins / n_items, lists.ends / n_items)


def recall_slopes(table: RankTable, rate: RateDistribution) -> tuple[Slopes, float]:
    """Return the slopes of the expected recall, and its value.

    P_j and Q_j are the fractions of the positives and of the negatives in group j, and
    p is the prevalence. A positive in group j adds the mean survival m_j of the group.
    It moves the cuts below it, which reduces the recall by a_j. A negative only moves
    cuts. The derivatives by P_j, Q_j and p are

        g_P = m_j - a_j, g_Q = -a_j (1 - p) / p, g_p = (sum Q_j a_j - sum P_j a_j) / p.
    """
    gain = table.pos / (table.pos + table.neg)
    mean, moved = mean_and_moved(
        rate, table.rates, gain, lambda points: cut_positive_fraction([table], points)
    )
    p, q = table.prevalence, table.negative_fraction
    of_pos, of_neg = dot(table.pos, moved), dot(table.neg, moved)
    by_prevalence = float(of_neg / table.n_neg - of_pos / table.n_pos) / p
    recall = float(dot(table.pos, mean)) / table.n_pos
    return Slopes(mean - moved, moved * (-q / p), by_prevalence), recall


def mean_and_moved(
    rate: RateDistribution,
    edges: FloatArray,
    gain: FloatArray,
    at_cut: Callable[[FloatArray], FloatArray],
    at_once: FloatArray | float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Return the mean survival in groups, and the loss by more weight in each group.

    E = sum_k w_k s_k m_k, with w_k the ``gain`` of a sample in group k, s_k = D_k -
    D_(k-1) its width between ``edges``, m_k = (G(D_k) - G(D_(k-1))) / s_k and G' = S.
    More weight in group j moves all D_k with k >= j. The gain w_k s_k of a group does
    not change by this, only its width s_k. Each moved edge reduces E by

        w_k (m_k - S(D_k)) + w_(k+1) (S(D_k) - m_(k+1)), plus ``at_once`` of group k.

    This holds for the density of the distribution. A point mass within (0, 1) cuts the
    ranking: more weight above the cut displaces samples with the gain ``at_cut``.
    ``gain`` and ``at_cut`` may have one row for each of several sums.
    """
    low, high = edges[:-1], edges[1:]
    points, masses = rate.point_masses()
    is_discrete = rate.table.is_discrete
    # A point mass at 0 or 1 does not cut the ranking. A discrete distribution keeps
    # it, because the mean needs all masses.
    is_cut = is_discrete | ((points > 0) & (points < 1))
    points, masses = points[is_cut], masses[is_cut]
    moved = np.zeros_like(gain)
    if len(points):
        steps = SurvivalTable.from_steps(points, masses)
        of_steps = steps.mean(low, high)

        def move_steps(pushed: FloatArray) -> FloatArray:
            minimum, width = float(pushed.min()), float(np.ptp(pushed))
            if not width > 0:
                return minimum * of_steps
            # Rescaled, because survival functions are between 0 and 1.
            scaled = masses * ((pushed - minimum) / width)
            by_scaled = SurvivalTable.from_steps(points, scaled)
            return minimum * of_steps + width * by_scaled.mean(low, high)

        moved = np.apply_along_axis(move_steps, -1, at_cut(points))
        if is_discrete:
            return of_steps, moved
    mean, at_edge = rate.table.mean(low, high), rate.table.survival(edges)
    smooth_mean = mean
    if len(points):
        smooth_mean = mean - of_steps
        at_edge -= steps.survival(edges)
    by_cut = gain * (smooth_mean - at_edge[1:])
    by_cut[..., :-1] += gain[..., 1:] * (at_edge[:-1] - smooth_mean)[1:]
    by_cut += at_once
    # The last cut is 1 and does not move.
    by_cut[..., -1] = 0.0
    return mean, moved + reverse_cumsum(by_cut)


def cut_positive_fraction(
    tables: Sequence[RankTable], points: FloatArray, n_repeats: float = 1.0
) -> FloatArray:
    """Return the fraction of positives among the samples near the cut at each rate.

    A single sample is positive or not. Therefore the fraction is estimated like a
    density at a quantile. Folds test each sample ``n_repeats`` times, and are pooled.
    """
    total = sum(table.total for table in tables) / n_repeats
    width = bandwidth(points, total)
    n_pos = np.zeros_like(width)
    for table in tables:
        above = np.interp(points + width, table.rates, table.cum_pos)
        above -= np.interp(points - width, table.rates, table.cum_pos)
        n_pos += above / n_repeats
    # Divided by the width of the window: the number of samples in it jumps.
    around = 2 * width * total
    # A small number of samples may have only one class: two of each class are added, by
    # Agresti and Coull (1998), :doi:`10.1080/00031305.1998.10480550`.
    added = np.where(is_small_budget(tables, points, n_repeats), 2.0, 0.0)
    # Sums of estimated labels may be outside of [0, 1].
    fraction: FloatArray = np.clip(ratio(n_pos + added, around + 2 * added), 0.0, 1.0)
    return fraction


def is_small_budget(
    tables: Sequence[RankTable], points: FloatArray, n_repeats: float = 1.0
) -> BoolArray:
    """Return whether fewer than FEW_PROCESSED samples are above or tied with a cut."""
    seen = np.zeros_like(points)
    for table in tables:
        where = np.searchsorted(table.rates, points, side="left")
        seen += table.rates[where] * table.total / n_repeats
    # The tolerance is for rounding in sums of weights.
    is_small = seen < FEW_PROCESSED * (1 - 1e-9)
    return is_small & (points > 0) & (points < 1)


def bandwidth(points: FloatArray, n: float) -> FloatArray:
    """Return half widths of windows around rates, within [0, 1].

    They are those of a density estimate at a quantile, from Hall and Sheather (1988),
    :doi:`10.1111/j.2517-6161.1988.tb01735.x`.
    """
    # The quantile would be infinite at 0 and 1, which have a width of 0 below.
    inner = np.clip(points, 1e-12, 1 - 1e-12)
    at = special.ndtri(inner)
    density = np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi)
    # For a two-sided level of 0.05.
    factor = special.ndtri(0.975) ** (2 / 3) * n ** (-1 / 3)
    width = factor * np.cbrt(1.5 * density**2 / (2 * at**2 + 1))
    width = np.minimum(width, np.minimum(points, 1 - points))
    return np.where((points > 0) & (points < 1), width, 0.0)
