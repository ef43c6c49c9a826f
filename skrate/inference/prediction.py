"""What a budget finds and leaves, and bounds for the counts of the next batch."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from skrate.core.results import ConfidenceInterval, t_quantile
from skrate.data.arrays import Array, FloatArray, IntArray
from skrate.data.table import RankTable
from skrate.inference.delta import (
    NEGLIGIBLE,
    degrees_of_freedom,
    is_rounding,
    table_variance,
    variance_parts,
)
from skrate.inference.sample import Ranked
from skrate.metrics.base import Metric, Slopes
from skrate.metrics.recall import (
    UnderRate,
    expected_recall,
    recall_of_tables,
    recall_slopes,
    share_at_cut,
)
from skrate.rates.laws import RateDistribution

# Budgets that stand for their distribution, each with a share of positives of its own.
_POINTS = 1024
# The shares are spread over their distribution by multiples of the golden ratio, which
# fill the unit interval evenly for any few budgets in a row.
_GOLDEN = (np.sqrt(5) - 1) / 2
# Cases of each class that are added above the cut, and below: a share of next to no
# cases is nearly unknown.
_ADDED = 0.5
# Clusters that vary less than single cases do not make a sample worth any number.
_LEAST_EFFECT = 1e-3


class ExpectedHits(UnderRate, Metric):
    """The share of all cases that is processed and positive: prevalence x recall.

    Or, where ``missed``, the share that is positive and not processed.
    """

    rate: Any
    missed: bool = False
    name = "Expected hits"
    needs = ("positive",)

    @property
    def greater_is_better(self) -> bool:  # type: ignore[override]
        """Whether more is better."""
        return not self.missed

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return its range: no more is found than is processed."""
        return 0.0, (self.law.mirrored if self.missed else self.law).mean()

    def value(self, table: RankTable) -> float:
        return float(table.prevalence * self._share(expected_recall(table, self.law)))

    def values(self, pos: Array, neg: Array) -> FloatArray:
        n_pos = pos.sum(axis=1)
        share = self._share(recall_of_tables(pos, neg, self.law))
        return np.asarray(n_pos / (n_pos + neg.sum(axis=1)) * share)

    def slopes(self, table: RankTable) -> Slopes:
        slopes, recall = recall_slopes(table, self.law)
        sign = -1 if self.missed else 1
        return slopes.scaled(sign * table.prevalence, self._share(recall))

    def _share(self, recall: Any) -> Any:
        return 1 - recall if self.missed else recall


class Spread(NamedTuple):
    """How many independent cases the sample is worth, and a case of the next batch.

    ``n`` are those of the sample, and ``effect`` is how many times more a batch varies
    than one of independent cases, as where both come in clusters.
    """

    n: float
    effect: float = 1.0


def predicted(
    ranked: Ranked,
    law: RateDistribution,
    n_items: int,
    level: float,
    expected: Sequence[ConfidenceInterval] | None = None,
) -> list[ConfidenceInterval]:
    """Return bounds for what a batch of ``n_items`` will hold, by a sample.

    Of what is found, what is missed, and the false alarms.

    Given the rate, the cases above the cut are positive with one probability: its
    uncertainty, and that of where the scores of the batch are cut, make it a beta
    variable, and the count beta-binomial. The bounds are quantiles of the mixture over
    the rates. The intervals of what is ``expected`` of each count lie between them:
    where a sample hardly varies, these know better that others do.
    """
    table = ranked.table
    of_found = _spread(ExpectedHits(law), ranked, level)
    # Clusters of positives move the number of all, and so what is left of them.
    of_missed = _spread(ExpectedHits(law, missed=True), ranked, level)
    rates = law.ppf((np.arange(_POINTS) + 0.5) / _POINTS)
    n_processed = np.rint(n_items * rates).astype(np.intp)
    hits = np.interp(rates, table.rates, table.cum_pos) / table.total
    purity = share_at_cut([table], rates)
    above = _shares(hits, rates, purity, n_items, of_found)
    below = _shares(table.prevalence - hits, 1 - rates, purity, n_items, of_missed)
    counts = [
        (n_processed, above),
        (n_items - n_processed, below),
        (n_processed, 1 - above),
    ]
    tails = (1 - level) / 2, 1 - (1 - level) / 2
    ends = [
        ConfidenceInterval(*(_quantile(*count, tail) for tail in tails))
        for count in counts
    ]
    if expected is not None:
        # Whole cases, also of a budget for a part of one.
        parts = rates.max(), 1 - rates.min(), rates.max()
        most = [int(np.ceil(round(n_items * float(part), 6))) for part in parts]
        ends = list(map(_holding, ends, expected, most))
    return ends


def _spread(metric: Metric, ranked: Ranked, level: float) -> Spread:
    """Return what the cases are worth to a count, by the variance of its mean."""
    if ranked.is_plain:
        return Spread(ranked.total)
    parts = variance_parts(metric, ranked)
    independent = table_variance(metric, ranked.table).total
    shows_none = is_rounding(min(parts.total, independent))
    effect = 1.0 if shows_none else parts.total / independent
    if ranked.clusters is not None and not shows_none:
        # Few clusters may vary less than others would: Student's t is wider.
        of_few = t_quantile(level, degrees_of_freedom((parts, ranked)))
        # At a level of next to 0 both are 0.
        effect *= (of_few / max(t_quantile(level), NEGLIGIBLE)) ** 2
    effect = max(effect, _LEAST_EFFECT)
    n = ranked.total / effect
    if ranked.weights is not None and not ranked.are_repetitions:
        # Where heavy cases have not erred, they could have.
        n = min(n, ranked.total / float(np.mean(ranked.weights**2)))
    # Clusters are in the next batch, too; weights are not.
    return Spread(n, effect if ranked.clusters is not None else 1.0)


def _shares(
    positives: FloatArray,
    part: FloatArray,
    purity: FloatArray,
    n_items: int,
    spread: Spread,
) -> FloatArray:
    """Return shares of positives in a part of the next batch, one for each rate.

    ``positives`` and ``part`` are shares of all cases, ``purity`` the share of
    positives at the cut. With q their share in the part r, a part of n cases has q (1 -
    q) + (purity - q)^2 (1 - r) over r n as its variance: the first term is binomial,
    the second that of the place of the cut, which the batch adds, too.
    """
    seen, batch = part * spread.n, np.maximum(part * n_items, 1.0)
    share = (positives * spread.n + _ADDED) / (seen + 2 * _ADDED)
    share = np.clip(share, _ADDED / (seen + 2 * _ADDED), None)
    binomial, of_cut = share * (1 - share), (purity - share) ** 2 * (1 - part)
    each = binomial + of_cut
    # As of a posterior distribution: a sample of none leaves the prior one.
    variance = each / (seen + 2)
    # Clusters that vary less than single cases leave the binomial counts as they are.
    variance += np.maximum(of_cut + (spread.effect - 1) * each, 0) / batch
    size = np.maximum(binomial / variance - 1, _ADDED)
    quantiles = (np.arange(_POINTS) + 0.5) * _GOLDEN % 1
    shares = special.betaincinv(size * share, size * (1 - share), quantiles)
    return np.asarray(shares)


def _holding(
    ends: ConfidenceInterval, expected: ConfidenceInterval, most: int
) -> ConfidenceInterval:
    """Return whole numbers, none above ``most``, that hold what is expected."""
    low, high = np.floor(expected.low), min(np.ceil(expected.high), most)
    return ConfidenceInterval(min(ends.low, float(low)), max(ends.high, float(high)))


def _quantile(sizes: IntArray, shares: FloatArray, q: float) -> float:
    """Return the least count that a mixture of binomials exceeds with 1 - q or less."""

    def reaches(count: int) -> bool:
        more = np.maximum(sizes - count, 1)
        below = special.betainc(more, count + 1.0, 1 - shares)
        return float(np.where(sizes > count, below, 1.0).mean()) >= q

    return float(bisect_left(range(int(sizes.max())), True, key=reaches))
