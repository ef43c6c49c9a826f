"""The minimum rate with a recall: its value, its slopes and its test."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from skrate.data.arrays import ROUNDING, Array, FloatArray, divide_or_nan, ratio
from skrate.data.table import RankTable
from skrate.metrics.metric import Sizes, Slopes


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
