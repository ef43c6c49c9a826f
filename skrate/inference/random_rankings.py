"""What a metric would be if scores and labels had nothing to do with each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

import numpy as np
from scipy import special

from skrate.data.arrays import BoolArray, FloatArray, IntArray
from skrate.data.table import RankTable, rank_table
from skrate.inference.delta import NEGLIGIBLE
from skrate.inference.intervals import (
    Alternative,
    standardised,
    t_pvalue,
)
from skrate.inference.rank_sums import (
    MOST_TERMS,
    distance_of_auc,
    is_normal,
    law_of_auc,
)
from skrate.inference.sample import Ranked
from skrate.inference.wilson import augmented
from skrate.metrics.base import Metric

# Entries of random rankings that are in memory at a time, and of orders of the labels
# that are kept for all rankings; longer ones are drawn as chance does only.
_MOST_ENTRIES = 2**20
_MOST_KEPT = 2**28
# How far orders lean to the positives first, or last, in standard deviations of what
# the metric goes by, and the share of the orders that lean so.
_LEANS = np.array([0.0, 2.0, 4.0, 6.0, -2.0, -4.0, -6.0])
_SHARES = np.array([0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
# Random rankings whose slopes say what the metric goes by.
_FOR_SLOPES = 20


class Drawn(NamedTuple):
    """Values of random rankings, increasing, with how much each counts."""

    values: FloatArray
    weights: FloatArray

    def pvalue(self, value: float, weight: float, alternative: Alternative) -> float:
        """Return the weight of values as far off, of all and the one that was found.

        That counts by its own weight, so that rankings drawn in any other way than by
        chance never find more than there is [1]_.

        References
        ----------
        .. [1] Harrison (2012), Conservative hypothesis tests and confidence intervals
           using importance sampling, Biometrika 99(1), :doi:`10.1093/biomet/asr079`.
        """
        ends = np.array([value - NEGLIGIBLE, value + NEGLIGIBLE])
        first, last = np.searchsorted(self.values, ends).tolist()
        above = weight + float(self.weights[first:].sum())
        below = weight + float(self.weights[:last].sum())
        of_all = weight + float(self.weights.sum())
        if alternative == "two-sided":
            return min(2 * min(above, below) / of_all, 1.0)
        return min((above if alternative == "greater" else below) / of_all, 1.0)


class Orders(NamedTuple):
    """Random orders of the labels, a row each, and how much more likely by chance."""

    labels: BoolArray
    weights: FloatArray
    lean: FloatArray  # By how much more likely a positive is at each place, as a log,
    shares: FloatArray  # and how many of the rows lean so, as ``_LEANS``.


@dataclass
class RandomRankings:
    """The p-values of a metric, of rankings of the same cases.

    What random rankings have depends on how many cases tie where. Of the AUC it is
    known where there are few sums of ranks, and where it is normal. Otherwise orders of
    the labels are drawn, the same for all rankings.
    """

    metric: Metric
    alternative: Alternative
    n_resamples: int
    seed: IntArray
    _untied: Drawn | None = None
    _is_law_known: bool = False
    _orders: Orders | None = None
    _lock: Lock = field(default_factory=Lock)

    def pvalue(
        self, ranked: Ranked, value: float, chance: float, error: float
    ) -> float:
        """Return the p-value of one ranking, with its value and standard error."""
        if np.isnan(value):
            return value
        if not ranked.is_plain:
            return self._by_interval(ranked, value, chance, error)
        table = ranked.table
        # Of U-statistics of two samples only the AUC is its own mirror.
        if self.metric.facts.is_auc:
            law = self._law_of_auc(table)
            if law is not None:
                return law.pvalue(value, 0.0, self.alternative)
            distance = distance_of_auc(table, value)
            if is_normal(table, distance):
                return t_pvalue(distance, self.alternative, np.inf)
        is_weighted = ranked.weights is not None or ranked.counts is not None
        if table.labels is None and is_weighted:
            return self._of_counts(table).pvalue(value, 1.0, self.alternative)
        with self._lock:
            if self._orders is None:
                self._orders = self._random_orders(table)
        orders = self._orders
        if table.labels is None:
            drawn = self._drawn(table, orders)
        else:
            with self._lock:
                if self._untied is None:
                    self._untied = self._drawn(table, orders)
            drawn = self._untied
        places = _labels_by_place(table, np.random.default_rng([*self.seed, 1]))
        weight = _weights(places[None], orders.lean, orders.shares)
        return drawn.pvalue(value, float(weight[0]), self.alternative)

    def _law_of_auc(self, table: RankTable) -> Drawn | None:
        """Return the law of the AUC, where it is cheap; without ties it is kept."""
        if table.labels is None or table.n_groups**2 > MOST_TERMS:
            return _as_drawn(table)
        with self._lock:
            if not self._is_law_known:
                self._is_law_known = True
                self._untied = _as_drawn(table)
            return self._untied

    def _drawn(self, table: RankTable, orders: Orders) -> Drawn:
        """Return the values of the orders, with cases that tie as in a table."""
        sizes = np.rint(table.pos + table.neg).astype(np.intp)
        starts = np.cumsum(sizes) - sizes
        found = [
            self._values(np.add.reduceat(rows, starts, axis=1, dtype=np.intp), sizes)
            for rows in _batches(orders.labels)
        ]
        return _in_order(np.concatenate(found), orders.weights)

    def _of_counts(self, table: RankTable) -> Drawn:
        """Return the same of a table of counts, drawn as chance does."""
        sizes = np.rint(table.pos + table.neg).astype(np.intp)
        generator = np.random.default_rng(self.seed)
        most = max(_MOST_ENTRIES // len(sizes), 1)
        found = []
        for first in range(0, self.n_resamples, most):
            n_rows = min(most, self.n_resamples - first)
            pos = generator.multivariate_hypergeometric(
                sizes, round(table.n_pos), n_rows, method="marginals"
            )
            found.append(self._values(pos, sizes))
        return _in_order(np.concatenate(found), np.ones(self.n_resamples))

    def _values(self, pos: IntArray, sizes: IntArray) -> FloatArray:
        return self.metric.values(pos, sizes - pos)

    def _random_orders(self, table: RankTable) -> Orders:
        """Return orders of the labels, some with the positives rather first, or last.

        So that values far from those of chance are among them, whose weight is as much
        less as chance has them less often.
        """
        n, n_pos = round(table.total), round(table.n_pos)
        generator = np.random.default_rng([*self.seed, 0])
        counts = np.floor(_SHARES * self.n_resamples).astype(np.intp)
        lean = np.zeros(n)
        if n * self.n_resamples <= _MOST_KEPT:
            lean = self._lean(n, n_pos, generator)
        else:
            counts[:] = 0
        counts[0] += self.n_resamples - counts.sum()
        labels = _leaning(np.repeat(_LEANS, counts), lean, n_pos, generator)
        shares = counts / self.n_resamples
        weights = [_weights(rows, lean, shares) for rows in _batches(labels)]
        return Orders(labels, np.concatenate(weights), lean, shares)

    def _lean(self, n: int, n_pos: int, generator: np.random.Generator) -> FloatArray:
        """Return how much a positive at each place adds, in standard deviations.

        More than one at the mean of all places further down, by the slopes of random
        rankings.
        """
        labels = np.arange(n) < n_pos
        gain = np.zeros(n)
        for _ in range(_FOR_SLOPES):
            table = rank_table(generator.permuted(labels), -np.arange(n))
            with np.errstate(all="ignore"):
                slopes = self.metric.slopes(table)
                by_place = slopes.by_pos - slopes.by_neg
            if np.isfinite(by_place).all():
                gain += by_place - by_place.mean()
        if not gain.any():
            gain = np.linspace(1, -1, n)
        gain -= gain.mean()
        variance = n_pos * (n - n_pos) / (n * (n - 1)) * float((gain**2).sum())
        gain /= np.sqrt(variance)
        left = np.arange(n)[::-1]
        return np.asarray(
            gain - (gain[::-1].cumsum()[::-1] - gain) / np.maximum(left, 1)
        )

    def _by_interval(
        self, ranked: Ranked, value: float, chance: float, error: float
    ) -> float:
        """Return the level at which Wilson's interval begins, or ends, at chance.

        With clusters or sampling weights the labels cannot be put in another order.
        """
        if ranked.worth is not None or np.isnan(chance):
            return float("nan")
        found = augmented(self.metric, ranked, error**2 or None)
        bottom, top = found.bounds
        if not (np.isfinite([bottom, top]).all() and bottom < chance < top):
            return float("nan")
        # Where a window holds no part of the curve, or weights are those of next to no
        # case, no variance is left to measure the distance by.
        room = (found.value - bottom) * (top - found.value)
        if room <= 0:
            return float("nan")
        scale = (chance - bottom) * (top - chance) / room
        spread = float(np.sqrt(found.variance * scale))
        distance = standardised(value - chance, spread)
        return t_pvalue(distance, self.alternative, found.freedom)


def _as_drawn(table: RankTable) -> Drawn | None:
    law = law_of_auc(table)
    return None if law is None else _in_order(*law)


def _batches(rows: BoolArray) -> list[BoolArray]:
    """Return so many rows at a time as fit into memory with what is made of them."""
    most = max(_MOST_ENTRIES // rows.shape[1], 1)
    return [rows[first : first + most] for first in range(0, len(rows), most)]


def _in_order(values: FloatArray, weights: FloatArray) -> Drawn:
    """Return values that are defined, increasing."""
    order = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]
    return Drawn(values[order], weights[order])


def _leaning(
    leans: FloatArray, lean: FloatArray, n_pos: int, generator: np.random.Generator
) -> BoolArray:
    """Return orders drawn from the top, an order for each of ``leans``.

    The next case is one of the positives that are left with odds of their number to
    that of the negatives, times the exponential of the lean at its place.
    """
    left_pos = np.full(len(leans), float(n_pos))
    left_neg = np.full(len(leans), float(len(lean) - n_pos))
    labels = np.empty((len(leans), len(lean)), dtype=bool)
    for place, by in enumerate(lean.tolist()):
        odds = left_pos * np.exp(leans * by)
        is_pos = generator.random(len(leans)) * (odds + left_neg) < odds
        labels[:, place] = is_pos
        left_pos -= is_pos
        left_neg -= ~is_pos
    return labels


def _weights(labels: BoolArray, lean: FloatArray, shares: FloatArray) -> FloatArray:
    """Return how much likelier by chance orders are than they were drawn.

    The product over places of the weight of the one that was drawn is the same for all
    orders, but for the lean; what differs is what they are divided by.
    """
    n = len(lean)
    left = n - np.arange(n)
    left_pos = labels.sum(axis=1, keepdims=True) - labels.cumsum(axis=1) + labels
    part = left_pos / left
    leaned = np.where(labels, lean, 0.0).sum(axis=1)
    of_drawn = np.array(
        [
            by * leaned - np.log1p(part * np.expm1(by * lean)).sum(axis=1)
            for by in _LEANS
        ]
    )
    with np.errstate(divide="ignore"):
        likelihood = special.logsumexp(of_drawn, axis=0, b=shares[:, None])
    return np.asarray(np.exp(-likelihood))


def _labels_by_place(table: RankTable, generator: np.random.Generator) -> BoolArray:
    """Return whether each place has a positive, at random within ties."""
    if table.labels is not None:
        return table.labels
    sizes = np.rint(table.pos + table.neg).astype(np.intp)
    group = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((generator.random(len(group)), group))
    within = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    labels = np.empty(len(group), dtype=bool)
    labels[order] = within < table.pos[group]
    return labels
