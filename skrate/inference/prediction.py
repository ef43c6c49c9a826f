"""The hits under a budget, and prediction intervals for counts in the next batch."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from skrate.data.arrays import Array, FloatArray, IntArray
from skrate.data.table import RankTable
from skrate.inference.curve_evaluation import CurveProcess, curve_process
from skrate.inference.evaluation import Evaluation
from skrate.inference.options import Plan
from skrate.inference.rankings import Ranked
from skrate.inference.variance import is_zero_variance, table_variance
from skrate.metrics.hypothesis_tests import NEGLIGIBLE, ConfidenceInterval, t_quantile
from skrate.metrics.metric import Metric, Slopes
from skrate.metrics.recall import (
    cut_positive_fraction,
    expected_recall,
    recall_slopes,
    table_recalls,
)

# Number of budgets that represent their distribution. Each budget gets one quantile of
# the fraction of positives.
_POINTS = 1024


def hits_process(
    models: Sequence[Ranked], rates: FloatArray, plan: Plan
) -> CurveProcess:
    """Return the process of the hits, or of a difference of hits, by rate."""
    if not plan.stratify:
        return curve_process("hits", models, rates)
    # The prevalence is known, and the recall is an estimate.
    return curve_process("recall", models, rates, benefit=models[0].table.prevalence)


class ExpectedHits(Metric):
    """The fraction of all samples that is processed and positive: prevalence x recall.

    With ``missed``, it is the fraction that is positive and not processed.
    """

    rate: Any
    missed: bool = False
    name = "Expected hits"
    needs = ()
    takes_estimates = True

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return 0 and the fraction processed, or with ``missed`` not processed."""
        return 0.0, (
            self.distribution.mirrored if self.missed else self.distribution
        ).mean()

    def compute(self, table: RankTable) -> float:
        if not table.n_pos:
            return 0.0
        return float(
            table.prevalence * self._share(expected_recall(table, self.distribution))
        )

    def values(self, pos: Array, neg: Array) -> FloatArray:
        n_pos = pos.sum(axis=1)
        fraction = self._share(table_recalls(pos, neg, self.distribution))
        return np.asarray(n_pos / (n_pos + neg.sum(axis=1)) * fraction)

    def slopes(self, table: RankTable) -> Slopes:
        slopes, recall = recall_slopes(table, self.distribution)
        sign = -1 if self.missed else 1
        return slopes.scaled(sign * table.prevalence, self._share(recall))

    def _share(self, recall: Any) -> Any:
        return 1 - recall if self.missed else recall


class Spread(NamedTuple):
    """The number of independent samples with the same variance, and a design effect."""

    n: float
    effect: float = 1.0  # Variance of a batch relative to independent samples.


def predict_counts(
    found: Evaluation,
    missed: Evaluation,
    n_items: int,
    expected: Sequence[ConfidenceInterval],
) -> list[ConfidenceInterval]:
    """Return prediction intervals for the hits, misses and false alarms of a batch.

    Given the rate, the samples above the cut are positive with one probability. It has
    a beta distribution, because it is estimated, and because the cut of the batch
    varies. The bounds contain the intervals of the ``expected`` counts.
    """
    plan, distribution, table = (
        found.plan,
        found.metric.distribution,
        found.samples.table,
    )
    assert distribution is not None
    # Clusters of positives change the number of all positives, and thus of misses.
    of_found, of_missed = _spread(found), _spread(missed)
    rates = distribution.ppf((np.arange(_POINTS) + 0.5) / _POINTS)
    n_processed = np.rint(n_items * rates).astype(np.intp)
    hits = np.interp(rates, table.rates, table.cum_pos) / table.total
    purity = cut_positive_fraction([table], rates)
    above = _shares(hits, rates, purity, n_items, of_found)
    below = _shares(table.prevalence - hits, 1 - rates, purity, n_items, of_missed)
    counts = [
        (n_processed, above),
        (n_items - n_processed, below),
        (n_processed, 1 - above),
    ]
    tails = (1 - plan.level) / 2, 1 - (1 - plan.level) / 2
    limits = rates.max(), 1 - rates.min(), rates.max()
    return [
        _round_outward(
            [_quantile(*count, tail) for tail in tails], reach, n_items * float(limit)
        )
        for count, reach, limit in zip(counts, expected, limits, strict=True)
    ]


def _round_outward(
    ends: Sequence[float], expected: ConfidenceInterval, maximum: float
) -> ConfidenceInterval:
    """Return whole-number bounds that contain an interval, within the maximum count."""
    # Round up, because a budget can end within a sample.
    maximum = float(np.ceil(round(maximum, 6)))
    low = min(float(ends[0]), float(np.floor(expected.low)))
    high = max(float(ends[1]), float(np.ceil(expected.high)))
    return ConfidenceInterval(max(low, -maximum), min(high, maximum))


def predict_difference(
    a: Evaluation, b: Evaluation, n_items: int, expected: ConfidenceInterval
) -> ConfidenceInterval:
    """Return a prediction interval for the hits of the first model minus the second."""
    plan, distribution, first, models = (
        a.plan,
        a.metric.distribution,
        a.samples,
        [a.samples, b.samples],
    )
    assert distribution is not None
    # Each budget gets _POINTS / n_budgets quantiles of the difference.
    n_budgets = 128
    budgets = distribution.ppf((np.arange(n_budgets) + 0.5) / n_budgets)
    rates, of_budget = np.unique(budgets, return_inverse=True)
    process = hits_process(models, rates, plan)
    of_batch = process.standard_error
    if not first.are_repetitions and first.clusters is None:
        # The next batch has no sampling weights.
        repeated = [replace(model, kind="frequency") for model in models]
        of_batch = hits_process(repeated, rates, plan).standard_error
    # Rarely observed differences are uncertain by one sample at the cut.
    difference, error, of_batch = (
        np.tile(by_rate[of_budget], _POINTS // n_budgets)
        for by_rate in (
            process.values,
            np.hypot(process.standard_error, process.grain),
            np.hypot(of_batch, process.grain),
        )
    )
    # Symmetric levels: exchanged models must have the negative interval.
    half = _even_levels(_POINTS // 2)
    quantiles = np.concatenate([half, 1 - half])
    dof = first.unit_dof
    mean = n_items * (difference + error * special.stdtrit(dof, quantiles))
    # Avoid division by 0: a thousandth of a sample is negligible.
    spread = np.maximum(np.sqrt(n_items * first.total) * of_batch, 1e-3)
    skewness = n_items * difference / spread**3
    max_difference = n_items * float(np.minimum(rates, 1 - rates).max())
    max_count = int(np.ceil(round(max_difference, 6)))

    def below(count: int) -> float:
        """Return P(difference <= count), by three moments."""
        distance = (count + 0.5 - mean) / spread
        return float(stats.pearson3.cdf(distance, skewness).mean())

    ends = [
        bisect_left(range(-max_count, max_count), tail, key=below) - max_count
        for tail in ((1 - plan.level) / 2, (1 + plan.level) / 2)
    ]
    return _round_outward(ends, expected, max_difference)


def _spread(model: Evaluation) -> Spread:
    """Return the effective number of samples for a count, by its variance."""
    ranked, level, are_fixed = model.samples, model.plan.level, model.units.stratify
    if ranked.is_plain:
        return Spread(ranked.total)
    variance = model.parts
    independent = table_variance(model.metric, ranked.table).total
    shows_none = is_zero_variance(min(variance.total, independent))
    effect = 1.0 if shows_none else variance.total / independent
    if ranked.clusters is not None and not shows_none:
        # The variance of a small number of clusters is uncertain: use Student's t.
        of_few = t_quantile(level, model.degrees_of_freedom)
        # At a level near 0 both quantiles are 0.
        effect *= (of_few / max(t_quantile(level), NEGLIGIBLE)) ** 2
    # Clusters that vary less than single samples must not make n arbitrarily large.
    effect = max(effect, 1e-3)
    n = ranked.total / effect
    if ranked.weights is not None and not ranked.are_repetitions and not are_fixed:
        # At most Kish's effective size: heavy samples without errors could have some.
        n = min(n, ranked.total / float(np.mean(ranked.weights**2)))
    # The next batch has clusters, but no weights.
    return Spread(n, effect if ranked.clusters is not None else 1.0)


def _shares(
    positives: FloatArray,
    part: FloatArray,
    purity: FloatArray,
    n_items: int,
    spread: Spread,
) -> FloatArray:
    """Return the fraction of positives in a part of the next batch, for each rate.

    Let q be the fraction of positives in the part r of n samples, and ``purity`` the
    fraction at the cut; ``positives`` is q r. The variance of q is
    (q (1 - q) + (purity - q)^2 (1 - r)) / (r n). The second term comes from the
    position of the cut, which varies in the batch, too.
    """
    seen, batch = part * spread.n, np.maximum(part * n_items, 1.0)
    # Add half a sample of each class: with almost no samples, q is nearly unknown.
    fraction = (positives * spread.n + 0.5) / (seen + 1)
    fraction = np.clip(fraction, 0.5 / (seen + 1), None)
    binomial, of_cut = fraction * (1 - fraction), (purity - fraction) ** 2 * (1 - part)
    unit_variance = binomial + of_cut
    # The variance of a posterior distribution; without samples, of the prior one.
    variance = unit_variance / (seen + 2)
    # Clusters that vary less than single samples do not change the binomial counts.
    variance += np.maximum(of_cut + (spread.effect - 1) * unit_variance, 0) / batch
    size = np.maximum(binomial / variance - 1, 0.5)
    levels = _even_levels(_POINTS)
    fractions = special.betaincinv(size * fraction, size * (1 - fraction), levels)
    return np.asarray(fractions)


def _even_levels(n: int) -> FloatArray:
    """Return n levels that fill the unit interval evenly in any short run of them."""
    golden_ratio = (np.sqrt(5) - 1) / 2
    return np.asarray((np.arange(n) + 0.5) * golden_ratio % 1)


def _quantile(sizes: IntArray, fractions: FloatArray, q: float) -> float:
    """Return the minimum x with P(X <= x) >= q, for X a mixture of binomials."""

    def reaches(count: int) -> bool:
        more = np.maximum(sizes - count, 1)
        below = special.betainc(more, count + 1.0, 1 - fractions)
        return float(np.where(sizes > count, below, 1.0).mean()) >= q

    return float(bisect_left(range(int(sizes.max())), True, key=reaches))
