"""The expected recall under a distribution of the rate, the minimum rate, and slopes.

R is the rate, G(x) = E[min(R, x)] and S(x) = P(R > x) is its survival function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from skrate.data.arrays import (
    ROUNDING,
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
from skrate.metrics.metric import Sizes, Slopes
from skrate.rates.distributions import RateDistribution
from skrate.rates.survival import SurvivalTable, kept

# With fewer samples above a cut, the fraction of positives near it is unreliable.
FEW_PROCESSED = 5


def expected_recall(
    table: RankTable, rate: RateDistribution, *, of_negatives: bool = False
) -> float:
    """Return E[F0], the mean over positives of the probability of being processed.

    With ``of_negatives`` return E[F1], the mean over negatives. It is summed over the
    negatives: the mean rate minus the part of the positives would lose all digits if
    negatives are rare.
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


def missed_fraction(table: RankTable, distribution: RateDistribution) -> float:
    """Return the expected recall of a perfect ranking minus the recall of the table."""
    perfect = build_weight_table(
        np.array([table.n_pos, 0.0]), np.array([0.0, table.n_neg])
    )
    return expected_recall(perfect, distribution) - expected_recall(table, distribution)


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
    """Return the mean survival in groups, and the loss per weight added to each group.

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
    # Divided by the width: the number of samples in the window is not continuous.
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


def min_rates(pos: Array, neg: Array, recall: float) -> FloatArray:
    """Return the minimum rate with a recall for each row of group weights.

    nan if a row has no positives.
    """
    return min_processed_fractions(pos, pos + neg, recall)


def min_processed_fractions(pos: Array, weights: Array, recall: float) -> FloatArray:
    """Return the fraction of ``weights`` above the first cut with a recall, by row.

    nan if a row has no positives or no weight.
    """
    cum_pos, cum_weights = np.cumsum(pos, axis=1), np.cumsum(weights, axis=1)
    n_pos = cum_pos[:, -1]
    n_needed = recall * n_pos
    is_reached = cum_pos >= n_needed[:, None] * (1 - ROUNDING)
    group = np.arange(len(pos)), np.argmax(is_reached, axis=1)
    # Linear interpolation within the group that reaches the recall.
    fraction_below = ratio(np.maximum(cum_pos[group] - n_needed, 0.0), pos[group])
    weight_above = cum_weights[group] - fraction_below * weights[group]
    return np.where(n_pos > 0, divide_or_nan(weight_above, cum_weights[:, -1]), np.nan)


def table_min_rate(table: RankTable, recall: float) -> float:
    """Return the minimum rate with a recall."""
    return float(min_rates(*merge_around_recall(table, recall), recall)[0])


def merge_around_recall(
    table: RankTable, recall: float
) -> tuple[FloatArray, FloatArray]:
    """Return a row of 3 groups: above, in and below the group that reaches a recall."""
    n_needed = recall * table.n_pos * (1 - ROUNDING)
    # Sums of estimated labels can decrease: the first group that reaches the recall.
    cum_pos = np.maximum.accumulate(table.cum_pos[1:-1])
    group = int(np.searchsorted(cum_pos, n_needed))
    cuts = np.array([0, group, group + 1, table.n_groups])
    cum_pos = table.cum_pos[cuts]
    cum_neg = table.cum_neg[cuts] if table.labels is None else cuts - cum_pos
    return np.diff(cum_pos)[None], np.diff(cum_neg)[None]


def rate_slopes(table: RankTable, recall: float) -> Slopes:
    """Return the slopes of the minimum rate with a recall.

    The rate is p rho + (1 - p) F, with p the prevalence, rho the recall and F the
    fraction of negatives above the cut. A negative above the cut adds its own weight; a
    positive above the cut moves the cut:

        g_P = -m_j p (1 - L) / L, g_Q = m_j (1 - p), g_p = rho - F,

    with m_j the fraction of group j above the cut, and L the fraction of positives
    among the samples between two cuts, at the recalls one standard error below and
    above rho.
    """
    p, q = table.prevalence, table.negative_fraction
    rate = table_min_rate(table, recall)
    low, high = table.rates[:-1], table.rates[1:]
    above = np.clip(ratio(rate - low, high - low), 0.0, 1.0)
    error = math.sqrt(recall * (1 - recall) / table.n_pos)
    step = min(error, recall / 2, 1 - recall)
    cut_slope = 0.0
    if step > 0:
        rates = [table_min_rate(table, recall + change) for change in (-step, step)]
        # p (1 - L) / L, which is 0 up to rounding if all these samples are positive.
        cut_slope = max((rates[1] - rates[0]) / (2 * step) - p, 0.0)
    by_prevalence = recall - float(np.interp(rate, table.rates, table.fpr))
    return Slopes(-cut_slope * above, q * above, by_prevalence)


class RecallTest(NamedTuple):
    """Test at each rate whether the population has a given recall.

    At the rate r the tested recall is ``recall``, or the recall at which the precision
    is ``precision``: r times ``precision`` divided by the prevalence. The measured
    recall equals the tested recall at the rate ``measured_rate``. If ``is_precision``,
    the variance includes the variance of a precision that is due to the prevalence.
    """

    table: RankTable
    sizes: Sizes
    measured_rate: float
    recall: float = 0.0
    precision: float = 0.0
    is_precision: bool = False

    def not_rejected(self, quantile: float) -> tuple[float, float]:
        """Return the first rate with a deviation of at least minus the quantile.

        The second rate is the last one with a deviation of at most the quantile.
        """
        first = self.find_last_rate(quantile, -1, backwards=True)
        return first, self.find_last_rate(quantile, 1)

    def deviations(self, rates: FloatArray) -> FloatArray:
        """Return the measured recall minus the tested recall, in standard errors.

        With rho the tested recall, p the prevalence, F = (r - p rho) / (1 - p), and L
        the fraction of positives among the samples between r and ``measured_rate``, the
        variance is

            (1 - L)^2 rho (1 - rho) / n_1 + (L (1 - p) / p)^2 F (1 - F) / n_0
            + (L (c + F - rho) / p)^2 p (1 - p) / n,

        with c = r / p for a precision and c = 0 otherwise. If class sizes are fixed,
        the last term is 0. Within a group of tied samples, both binomial variances are
        smaller: see `_class_variance`.
        """
        table, (n_pos, n_neg, are_fixed) = self.table, self.sizes
        p, q = table.prevalence, table.negative_fraction
        tpr = np.interp(rates, table.rates, table.tpr)
        pos_between = p * (tpr - np.interp(self.measured_rate, table.rates, table.tpr))
        step = rates - self.measured_rate
        fraction = np.zeros_like(rates)
        np.divide(pos_between, step, out=fraction, where=step != 0)
        fraction = np.clip(fraction, 0.0, 1.0)
        recall = self.recall + self.precision / p * rates
        difference = tpr - recall
        recall = np.minimum(recall, 1.0)
        fpr = np.clip((rates - p * recall) / q, 0.0, 1.0)
        pos_variance = self._class_variance(
            rates, recall, table.pos / table.n_pos, n_pos
        )
        neg_variance = self._class_variance(rates, fpr, table.neg / table.n_neg, n_neg)
        variance = (1 - fraction) ** 2 * pos_variance / n_pos
        variance += (fraction * q / p) ** 2 * neg_variance / n_neg
        if not are_fixed:
            prevalence_slope = rates / p * self.is_precision + fpr - recall
            variance += (fraction * prevalence_slope / p) ** 2 * p * q / (n_pos + n_neg)
        with np.errstate(divide="ignore", invalid="ignore"):
            deviation = difference / np.sqrt(variance)
        # A difference of 0 has the deviation 0, even if the variance is 0.
        deviation[(difference == 0) | (step == 0)] = 0.0
        return deviation

    def _class_variance(
        self, rates: FloatArray, mean: FloatArray, groups: FloatArray, size: float
    ) -> FloatArray:
        """Return the variance of a sample's contribution to the fraction above a rate.

        Each rate is the position of a cut within a group of tied samples. A sample of
        this group contributes a, the fraction of the group above the cut. Samples above
        the group contribute 1, and samples below it 0. If t is the fraction of the
        class in this group, and m is the mean contribution, the variance is m (1 - m) -
        a (1 - a) t. In the first group, t = m / a, because no sample is above it; in
        the last group, t = (1 - m) / (1 - a). If k samples of the class are in the
        group, the subtracted term is multiplied by (k - 1) / k.
        """
        table = self.table
        last = table.n_groups - 1
        group = np.searchsorted(table.rates, rates, side="right") - 1
        group = np.clip(group, 0, last)
        start, end = table.rates[group], table.rates[group + 1]
        above = np.clip(ratio(rates - start, end - start), 0.0, 1.0)
        binomial = mean * (1 - mean)
        if_first, if_last = (1 - above) * mean, above * (1 - mean)
        reduction = np.minimum(above * (1 - above) * groups[group], binomial)
        reduction = np.minimum(np.minimum(reduction, if_first), if_last)
        reduction = np.where(group == last, if_last, reduction)
        reduction = np.minimum(np.where(group == 0, if_first, reduction), binomial)
        # In a group of one class, the order of tied samples has no effect.
        is_tied = (table.pos[group] > 0) & (table.neg[group] > 0)
        count = np.maximum(size * groups[group], 1.0)
        return np.asarray(binomial - np.where(is_tied, 1 - 1 / count, 0.0) * reduction)

    def find_last_rate(
        self, limit: float, sign: int, *, backwards: bool = False
    ) -> float:
        """Return the last (or first) rate with sign * deviation <= limit."""
        # All cuts of the merged ranking and 512 equal steps, or only 2**16 equal steps.
        rates = self.table.merged.table.rates
        if len(rates) > 2**16:
            rates = np.arange(2**16 + 1) / 2**16
        else:
            rates = np.union1d(rates, np.arange(513) / 512)
        if backwards:
            rates = rates[::-1]
        accepted = np.flatnonzero(sign * self.deviations(rates) <= limit)
        if not len(accepted) or accepted[-1] == len(rates) - 1:
            return float(rates[accepted[-1] if len(accepted) else 0])
        rates = np.linspace(rates[accepted[-1]], rates[accepted[-1] + 1], 64)
        signed = sign * self.deviations(rates)
        last = np.flatnonzero(signed[:-1] <= limit).max(initial=0)
        low, high = signed[last : last + 2]
        # Linear interpolation; the end of the step if the deviation is infinite there.
        step = (limit - low) / (high - low) if np.isfinite(high - low) else 1.0
        return float(rates[last] + step * (rates[last + 1] - rates[last]))
