"""Kernels of the expected recall under a distribution of the rate."""

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

# Rankings with more groups look a rate with a density up on a grid of as many cells.
_GRID = 2**15
# Of fewer cases above a cut the share of positives is no estimate of itself.
FEW_PROCESSED = 5


def expected_recall(
    table: RankTable, rate: RateDistribution, *, of_negatives: bool = False
) -> float:
    """Return E[F0], the mean over positives of the probability of being processed.

    Or E[F1], that over the negatives: summed over them, not taken from what the
    positives leave of the mean rate, which next to many positives is all rounding.
    """
    n = table.n_neg if of_negatives else table.n_pos
    labels = table.labels
    if labels is not None:
        # By place, which is several times quicker than by group.
        return sum_untied(~labels if of_negatives else labels, rate) / n
    weights = table.neg if of_negatives else table.pos
    # Where ties are few, cases are summed one by one.
    if table.is_of_cases and table.n_groups > table.total / 2:
        if table.n_groups < table.total:
            # Cases that tie share their places.
            sizes = np.rint(table.pos + table.neg).astype(np.intp)
            weights = np.repeat(ratio(weights, sizes), sizes)
        return sum_untied(weights, rate) / n
    edges, groups = table.rates, np.flatnonzero(weights)
    means = rate.table.mean(edges[groups], edges[groups + 1])
    return float(dot(weights[groups], means)) / n


def missed_fraction(table: RankTable, law: RateDistribution) -> float:
    """Return the share of positives that a perfect ranking finds in addition."""
    perfect = build_weight_table(
        np.array([table.n_pos, 0.0]), np.array([0.0, table.n_neg])
    )
    return expected_recall(perfect, law) - expected_recall(table, law)


def sum_untied(counts: Array, rate: RateDistribution) -> float:
    """Return the sum over cases in separate places; labels may be numbers."""
    n = len(counts)
    # Short rankings keep their weights.
    if n <= 16_384:
        return float(dot(counts, _cached_weights(rate, n)))
    # Neighbours that count the same are one group; those that count nothing are none.
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
    """Return the sum of the gains of groups by the probability of being processed."""
    ends = np.cumsum(weight, axis=1)
    total = ends[:, -1:]
    n = int(total.max())
    if ends.dtype.kind == "i" and total.min() == n <= 16 * ends.size:
        # Looked up, as all have n whole cases.
        means = _cached_limited_means(rate, n)
        area = np.diff(means.take(ends), axis=1, prepend=0.0)
        return np.asarray(np.einsum("ij,ij->i", area, ratio(gain, weight)))
    cuts = ratio(np.hstack([np.zeros_like(total), ends]), total)
    processed = rate.table.mean(cuts[:, :-1], cuts[:, 1:])
    return np.asarray(np.einsum("ij,ij->i", gain, processed))


@kept
def _cached_limited_means(rate: RateDistribution, n: int) -> FloatArray:
    """Return n G(i / n) for i = 0, ..., n."""
    return n * rate.table.limited_mean(np.arange(n + 1) / n)


def processed_rows(lists: ListTable, rate: RateDistribution) -> FloatArray:
    """Return the probability of being processed for the cases of each row."""
    n_items = lists.spread(lists.sizes)
    return rate.table.mean(lists.begins / n_items, lists.ends / n_items)


def recall_slopes(table: RankTable, rate: RateDistribution) -> tuple[Slopes, float]:
    """Return the slopes of expected recall, and its value.

    A positive adds the mean survival m_j of its group beside what it moves, a_j; a
    negative moves only:

        g_P = m_j - a_j, g_Q = -a_j (1 - p) / p, g_p = (sum Q_j a_j - sum P_j a_j) / p.
    """
    share = table.pos / (table.pos + table.neg)
    mean, moved = mean_and_moved(
        rate, table.rates, share, lambda points: cut_positive_fraction([table], points)
    )
    p, rest = table.prevalence, table.negative_fraction
    of_pos, of_neg = dot(table.pos, moved), dot(table.neg, moved)
    by_prevalence = float(of_neg / table.n_neg - of_pos / table.n_pos) / p
    value = float(dot(table.pos, mean)) / table.n_pos
    return Slopes(mean - moved, moved * (-rest / p), by_prevalence), value


def mean_and_moved(
    rate: RateDistribution,
    edges: FloatArray,
    worth: FloatArray,
    at_cut: Callable[[FloatArray], FloatArray],
    at_once: FloatArray | float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Return the mean survival in groups, and what more weight in each pushes away.

    E = sum_k w_k s_k m_k, with w_k the ``worth`` of a case of group k, s_k = D_k -
    D_(k-1) its width between ``edges``, m_k = (G(D_k) - G(D_(k-1))) / s_k and G' = S.
    More weight in group j moves all D_k with k >= j, by which E falls by

        w_k (m_k - S(D_k)) + w_(k+1) (S(D_k) - m_(k+1)), and what is ``at_once`` there.

    The distribution decides: where it has points within (0, 1) it cuts the ranking, and
    weight above pushes away what is worth ``at_cut``; the rest has a density. ``worth``
    and ``at_cut`` may have a row each for several sums.
    """
    low, high = edges[:-1], edges[1:]
    points, masses = rate.point_masses()
    is_discrete = rate.table.is_discrete
    # Nothing is cut at 0 and at 1.
    is_cut = is_discrete | ((points > 0) & (points < 1))
    points, masses = points[is_cut], masses[is_cut]
    if not len(points):
        mean, before, after = _survival_falls(rate, edges)
        moved = np.zeros_like(worth)
    else:
        steps = SurvivalTable.from_steps(points, masses)
        of_steps = steps.mean(low, high)

        def move_steps(pushed: FloatArray) -> FloatArray:
            least, width = float(pushed.min()), float(np.ptp(pushed))
            if not width > 0:
                return least * of_steps
            # Survival functions lie between 0 and 1.
            shares = masses * ((pushed - least) / width)
            by_share = SurvivalTable.from_steps(points, shares)
            return least * of_steps + width * by_share.mean(low, high)

        moved = np.apply_along_axis(move_steps, -1, at_cut(points))
        if is_discrete:
            return of_steps, moved
        mean = rate.table.mean(low, high)
        at_edge = rate.table.survival(edges) - steps.survival(edges)
        before = at_edge[:-1] - (mean - of_steps)
        after = (mean - of_steps) - at_edge[1:]
    by_cut = worth * after
    by_cut[..., :-1] += worth[..., 1:] * before[1:]
    by_cut += at_once
    # Nothing moves the last cut.
    by_cut[..., -1] = 0.0
    return mean, moved + reverse_cumsum(by_cut)


def _survival_falls(
    rate: RateDistribution, edges: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean survival between edges, and the falls to it and from it.

    Where there are many, a group counts for the cell of a grid that its middle is in.
    """
    above, size = edges[:-1], np.diff(edges)
    if len(size) <= _GRID:
        mean, at_edge = rate.table.mean(above, edges[1:]), rate.table.survival(edges)
        return mean, at_edge[:-1] - mean, mean - at_edge[1:]
    of_cell, fall, is_linear = _grid(rate)
    place = size / 2
    place += above
    place *= _GRID
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
    before *= _GRID / 2
    after = before
    # Of groups that are wide, and where the survival bends, as where all of a small
    # rate lies in one cell, the table itself is asked.
    if size.max() * _GRID > 1 or not is_linear[cell[0] : cell[-1] + 1].all():
        bad = np.flatnonzero((size * _GRID > 1) | ~is_linear[cell])
        low, high = above[bad], edges[bad + 1]
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
    # Both the mean and a place: a curve may cross its chord, by symmetry in the middle.
    place = 0.3
    at = rate.table.survival(nodes[:-1] + place / _GRID)
    off_chord = np.abs(at - (survival[:-1] - place * falls))
    off_chord /= 4 * place * (1 - place)
    miss = np.maximum(np.abs(means - chord), off_chord)
    # Where hardly anything survives the mean rate is the scale, and where nearly all
    # does what does not.
    mean = rate.mean()
    scale = np.maximum(survival[:-1], mean)
    scale = np.minimum(scale, np.maximum(1 - survival[1:], 1 - mean))
    # Less than the second number is rounding.
    is_bent = miss > np.maximum(1e-7 * scale, 4e-15)
    # A group may reach into the next cell.
    is_linear = ~(is_bent | np.roll(is_bent, 1) | np.roll(is_bent, -1))
    return means, falls, is_linear


def cut_positive_fraction(
    tables: Sequence[RankTable], points: FloatArray, n_repeats: float = 1.0
) -> FloatArray:
    """Return the share of positives among the neighbours of the cut at each rate.

    One case is positive or not, so that it is estimated as a density is at a quantile.
    For folds, which test each case ``n_repeats`` times, of all together.
    """
    total = sum(table.total for table in tables) / n_repeats
    width = bandwidth(points, total)
    found = np.zeros_like(width)
    for table in tables:
        above = np.interp(points + width, table.rates, table.cum_pos)
        above -= np.interp(points - width, table.rates, table.cum_pos)
        found += above / n_repeats
    # Per case within the bandwidth, so that it does not jump from one to the next.
    around = 2 * width * total
    # Few cases may be all of one class: two of each are added, as Agresti and Coull
    # (1998) have it, :doi:`10.1080/00031305.1998.10480550`.
    added = np.where(is_small_budget(tables, points, n_repeats), 2.0, 0.0)
    # Few estimated labels may add up to a share that none has.
    share: FloatArray = np.clip(ratio(found + added, around + 2 * added), 0.0, 1.0)
    return share


def is_small_budget(
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
    """Return half widths around rates that stay in [0, 1], as around quantiles.

    Those of Hall and Sheather (1988), :doi:`10.1111/j.2517-6161.1988.tb01735.x`.
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
