"""What a metric would be if scores and labels had nothing to do with each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from skrate.core.arrays import Array, FloatArray, IntArray
from skrate.core.metric import Metric
from skrate.core.rank_table import RankTable
from skrate.inference.chance import upper_tail
from skrate.inference.delta import NEGLIGIBLE
from skrate.inference.intervals import Alternative, standardised, t_pvalue
from skrate.inference.sample import Ranked
from skrate.inference.wilson import augmented

# Random rankings as far off that are enough to count them; of fewer it is their law
# that tells.
_ENOUGH = 10
# Entries of random rankings that are in memory at a time.
_MOST_ENTRIES = 2**20
# Bytes of orders of the labels that are kept for the next ranking.
_MOST_KEPT = 2**26


@dataclass(frozen=True)
class NullLaw:
    """The law of a metric of random rankings: moments, and values drawn, increasing.

    ``half`` is half of a step where it moves in steps, else 0.
    """

    mean: float
    deviation: float
    skewness: float = 0.0
    draws: FloatArray = field(default_factory=lambda: np.empty(0))
    half: float = 0.0

    @classmethod
    def of_auc(cls, table: RankTable) -> NullLaw:
        """Return the law of the AUC: that of Mann and Whitney's U, ties allowed for."""
        n, n_pairs = table.total, table.n_pos * table.n_neg
        tied = 0.0
        if table.labels is None:
            sizes = table.pos + table.neg
            tied = float(((sizes**3 - sizes) / (n * (n - 1))).sum())
        return cls(0.5, float(np.sqrt((n + 1 - tied) / (12 * n_pairs))))

    @classmethod
    def of_draws(cls, draws: FloatArray) -> NullLaw:
        """Return the law with the moments of these draws."""
        draws = np.sort(draws)
        mean, deviation = float(draws.mean()), float(draws.std())
        skewness = 0.0
        if deviation > NEGLIGIBLE:
            skewness = float((((draws - mean) / deviation) ** 3).mean())
        steps = np.diff(draws)
        steps = steps[steps > NEGLIGIBLE]
        moves_in_steps = 0 < len(steps) < len(draws) / 4
        half = float(steps.min()) / 2 if moves_in_steps else 0.0
        return cls(mean, deviation, skewness, draws, half)

    def pvalue(self, value: float, alternative: Alternative) -> float:
        """Return the probability of a value as far off."""
        if np.isnan(value) or np.isnan(self.mean):
            return float("nan")
        if alternative == "greater":
            return self._above(value)
        if alternative == "less":
            return self._below(value)
        return min(2 * min(self._above(value), self._below(value)), 1.0)

    def _above(self, value: float) -> float:
        """Return the probability of this value or a greater one."""
        n_above = len(self.draws) - np.searchsorted(self.draws, value - NEGLIGIBLE)
        return self._beyond(value - self.mean, self.skewness, int(n_above))

    def _below(self, value: float) -> float:
        """Return the probability of this value or a lesser one."""
        n_below = np.searchsorted(self.draws, value + NEGLIGIBLE)
        return self._beyond(self.mean - value, -self.skewness, int(n_below))

    def _beyond(self, distance: float, skewness: float, n_beyond: int) -> float:
        """Return the probability of a distance, at which so many were drawn."""
        counted = (n_beyond + 1) / (len(self.draws) + 1)
        if n_beyond >= _ENOUGH or self.deviation <= NEGLIGIBLE:
            return counted
        by_law = upper_tail((distance - self.half) / self.deviation, skewness)
        return min(by_law, counted)


@dataclass
class RandomRankings:
    """The p-values of a metric, of rankings of the same cases.

    The law of random rankings depends on how many cases tie where, and is known for
    the AUC; of other metrics rankings without ties have one in common.
    """

    metric: Metric
    alternative: Alternative
    n_resamples: int
    seed: IntArray
    _untied: NullLaw | None = None
    _orders: dict[int, Array] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def pvalue(
        self, ranked: Ranked, value: float, chance: float, error: float
    ) -> float:
        """Return the p-value of one ranking, with its value and standard error."""
        if np.isnan(value):
            return value
        if not ranked.is_plain:
            return self._by_interval(ranked, value, chance, error)
        return self._law_of(ranked.table).pvalue(value, self.alternative)

    def _law_of(self, table: RankTable) -> NullLaw:
        # Of U-statistics of two samples only the AUC is its own mirror.
        is_auc = self.metric.is_two_sample and self.metric.is_symmetric
        make = NullLaw.of_auc if is_auc else self._drawn
        if table.labels is None:
            return make(table)
        with self._lock:
            if self._untied is None:
                self._untied = make(table)
            return self._untied

    def _drawn(self, table: RankTable) -> NullLaw:
        sizes = np.rint(table.pos + table.neg).astype(np.intp)
        width = len(sizes) if table.cases is None else len(table.cases)
        most = max(_MOST_ENTRIES // width, 1)
        draws = []
        for first in range(0, self.n_resamples, most):
            n_rows = min(most, self.n_resamples - first)
            pos = self._random_rows(table, sizes, first, n_rows)
            draws.append(self.metric.values(pos, sizes - pos))
        found = np.concatenate(draws)
        found = found[np.isfinite(found)]
        if len(found) == 0:
            return NullLaw(float("nan"), float("nan"))
        return NullLaw.of_draws(found)

    def _random_rows(
        self, table: RankTable, sizes: IntArray, first: int, n_rows: int
    ) -> IntArray:
        """Return rows of positives per group, each order of the labels as likely."""
        if table.cases is None:
            return self._generator(first).multivariate_hypergeometric(
                sizes, round(table.n_pos), n_rows, method="marginals"
            )
        labels = self._orders.get(first)
        if labels is None:
            labels = np.zeros((n_rows, len(table.cases)), dtype=np.int8)
            labels[:, : round(table.n_pos)] = 1
            self._generator(first).permuted(labels, axis=1, out=labels)
            # All rankings have them in common; threads may find them at once.
            if self.n_resamples * len(table.cases) <= _MOST_KEPT:
                self._orders[first] = labels
        if table.labels is not None:
            return labels.astype(np.intp)
        starts = np.cumsum(sizes) - sizes
        return np.add.reduceat(labels, starts, axis=1, dtype=np.intp)

    def _generator(self, first: int) -> np.random.Generator:
        """Return the source of the rows from this one on, the same for all tables."""
        return np.random.default_rng([*self.seed, first])

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
