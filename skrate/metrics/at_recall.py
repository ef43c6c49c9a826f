"""What the rate, the work saved and the precision at a recall have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from skrate.core.arrays import Array, FloatArray, ratio
from skrate.core.metric import Facts, Metric, Sizes, Slopes, Tested
from skrate.core.rank_table import RankTable
from skrate.core.validation import check_fraction
from skrate.core.wilson_ends import wilson_ends
from skrate.metrics.recall_test import ROUNDING, RecallTest

# Of positives on the lesser side of the cut: with fewer a standard error is too small.
_LEAST_POSITIVES = 8


class AtRecall(Tested, Metric):
    """What the three share: all are functions of the least rate with that recall."""

    recall: float = 0.95

    needs = ("positive",)
    facts = Facts(enough_positives=20)
    # Whether the prevalence of the population is part of it.
    is_precision = False

    def __post_init__(self) -> None:
        recall = check_fraction("recall", self.recall, include_one=True)
        object.__setattr__(self, "recall", recall)

    def value(self, table: RankTable) -> float:
        return float(
            self._of_rate(rate_of_recall(table, self.recall), table.prevalence)
        )

    def values(self, pos: Array, neg: Array) -> FloatArray:
        cum_pos = np.cumsum(pos, axis=1, dtype=np.float64)
        ends = np.cumsum(pos + neg, axis=1, dtype=np.float64)
        n_pos, total = cum_pos[:, -1], ends[:, -1]
        needed = self.recall * n_pos
        reached = cum_pos >= needed[:, None] * (1 - ROUNDING)
        rows, k = np.arange(len(pos)), np.argmax(reached, axis=1)
        beyond = ratio(np.maximum(cum_pos[rows, k] - needed, 0.0), pos[rows, k])
        cut = ends[rows, k] - beyond * (pos[rows, k] + neg[rows, k])
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self._of_rate(cut / total, n_pos / total)
        return np.where(n_pos > 0, found, np.nan)

    def slopes(self, table: RankTable) -> Slopes:
        rate = rate_of_recall(table, self.recall)
        slopes = rate_slopes(table, self.recall)
        return self._slopes(slopes, rate, table.prevalence)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        rate = rate_of_recall(table, self.recall)
        test = RecallTest(table, sizes, rate, self.recall, is_precise=self.is_precision)
        rates = test.first_above(-quantile), test.last_below(quantile)
        low, high = sorted(self._of_rate(rate, table.prevalence) for rate in rates)
        if self.is_precision and not sizes.are_fixed and rates[1] >= 1 - ROUNDING:
            # Where all cases are processed, the prevalence is all that is not known.
            k = quantile**2 / (sizes.n_pos + sizes.n_neg)
            least = wilson_ends(table.prevalence, (0.0, 1.0), k)[0]
            low = min(low, self.recall * float(least))
        return float(low), float(high)

    def caution(
        self, table: RankTable, compared: tuple[float, float] | None = None
    ) -> str | None:
        """Return what the sample cannot tell, if few positives decide on the cut."""
        if compared is None:
            return None
        n_pos, _ = compared
        sides = {"found": self.recall * n_pos, "left": (1 - self.recall) * n_pos}
        side, n_least = min(sides.items(), key=lambda item: item[1])
        if n_least >= _LEAST_POSITIVES * (1 - ROUNDING):
            return None
        return (
            f"{self.name} {self.recall:g}: of {n_pos:g} positives {n_least:.3g} are "
            f"{side}, and with fewer than {_LEAST_POSITIVES} its standard error may be "
            "far too small, so that models that are equally good often seem to differ. "
            "Compare two models on the same cases by method='permutation'."
        )

    @abstractmethod
    def _of_rate(self, rate: Any, prevalence: Any) -> Any:
        """Return the metric from the rate at which the recall is reached."""

    @abstractmethod
    def _slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        """Return its slopes from those of the rate."""


def rate_of_recall(table: RankTable, recall: float) -> float:
    """Return the least rate at which a table with positives has a recall."""
    if table.labels is not None:
        # Of single cases only the places of the positives matter.
        places, n_pos = np.flatnonzero(table.labels), table.n_pos
        last = math.ceil(recall * n_pos * (1 - ROUNDING))
        beyond = n_pos * max(last / n_pos - recall, 0.0)
        return float((places[last - 1] + 1 - beyond) / table.total)
    tpr, rates = table.tpr, table.rates
    k = int(np.searchsorted(tpr, recall * (1 - ROUNDING), side="left")) - 1
    # From the end of the group back to where it is reached.
    beyond = max(tpr[k + 1] - recall, 0.0) / (tpr[k + 1] - tpr[k])
    return float(rates[k + 1] - beyond * (rates[k + 1] - rates[k]))


def rate_slopes(table: RankTable, recall: float) -> Slopes:
    """Return the slopes of the least rate at which a table has a recall.

    The rate is p rho + (1 - p) F, with F the share of the negatives above the cut: a
    negative there adds itself, and a positive moves the cut up to where the recall is
    rho again,

        g_P = -m_j p (1 - L) / L, g_Q = m_j (1 - p), g_p = rho - F,

    with m_j the part of group j above the cut and L the share of positives at it. That
    is the slope of the recall at this rate over that of the curve, -L / p. A curve that
    gets flatter is steeper before the cut than after it: so L is the share of positives
    between the recalls that are a standard error of rho less and more.
    """
    p, rest = table.prevalence, table.negative_share
    rate = rate_of_recall(table, recall)
    low, high = table.rates[:-1], table.rates[1:]
    above = np.clip(ratio(rate - low, high - low), 0.0, 1.0)
    error = math.sqrt(recall * (1 - recall) / table.n_pos)
    half = min(error, recall / 2, 1 - recall)
    moved = 0.0
    if half > 0:
        ends = [rate_of_recall(table, recall + step) for step in (-half, half)]
        # All of it above the cut is positive, or more but for rounding.
        moved = max((ends[1] - ends[0]) / (2 * half) - p, 0.0)
    lead = recall - float(np.interp(rate, table.rates, table.fpr))
    return Slopes(-moved * above, rest * above, lead)
