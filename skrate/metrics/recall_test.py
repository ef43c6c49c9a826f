"""Where the recall curve of the population may meet a recall or a precision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.metric import Sizes
from skrate.core.rank_table import RankTable

# What rounding may leave of a share that is reached.
ROUNDING = 1e-12
# Rates that are tried beside the cuts of the ranking, and in place of more cuts.
_STEPS, _MOST_CUTS = 512, 2**16
# Between two of them.
_FINER = 64


class RecallTest(NamedTuple):
    """Whether the recall of the population may be a given one, rate by rate.

    At the rate r that is ``recall``, or where a ``precision`` is given that times r
    over the prevalence. The sample has it at the rate ``found_at``. In the population
    the prevalence may be another, which changes a precision but not a recall;
    ``is_precise`` says that a precision is what follows from the rate.
    """

    table: RankTable
    sizes: Sizes
    found_at: float
    recall: float = 0.0
    precision: float = 0.0
    is_precise: bool = False

    def last_below(self, quantile: float) -> float:
        """Return the last rate at which the deviation is no more than the quantile."""
        return self._last(_tried(self.table), quantile, 1)

    def last_above(self, quantile: float) -> float:
        """Return the last rate at which it is no less; the first where none is."""
        return self._last(_tried(self.table), -quantile, -1)

    def first_above(self, quantile: float) -> float:
        """Return the first rate at which it is no less."""
        return self._last(_tried(self.table)[::-1], -quantile, -1)

    def deviations(self, rates: FloatArray) -> FloatArray:
        """Return how far the recall of the sample is above the one that is tested.

        In standard errors, if that one is true. With rho that recall, p the prevalence,
        F = (r - p rho) / (1 - p) the false positive rate that goes with it and L the
        share of positives at the cut, the recall of the sample has the variance

            (1 - L)^2 rho (1 - rho) / n_1 + (L (1 - p) / p)^2 F (1 - F) / n_0
            + (L (c + F - rho) / p)^2 p (1 - p) / n,

        without the last part if class sizes are fixed, where c is r / p if a precision
        is meant, else 0. L is the share between r and where the sample has the recall:
        what moves the cut moves the recall by what the sample itself finds there,
        however the curve bends.
        """
        table, (n_pos, n_neg, are_fixed) = self.table, self.sizes
        p, rest = table.prevalence, table.negative_share
        tpr = np.interp(rates, table.rates, table.tpr)
        gain = p * (tpr - np.interp(self.found_at, table.rates, table.tpr))
        step = rates - self.found_at
        share = np.zeros_like(rates)
        np.divide(gain, step, out=share, where=step != 0)
        share = np.clip(share, 0.0, 1.0)
        recall = self.recall + self.precision / p * rates
        difference = tpr - recall
        recall = np.minimum(recall, 1.0)
        lost = np.clip((rates - p * recall) / rest, 0.0, 1.0)
        variance = (1 - share) ** 2 * recall * (1 - recall) / n_pos
        variance += (share * rest / p) ** 2 * lost * (1 - lost) / n_neg
        if not are_fixed:
            moved = rates / p * self.is_precise + lost - recall
            variance += (share * moved / p) ** 2 * p * rest / (n_pos + n_neg)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = difference / np.sqrt(variance)
        # No difference is none, even without a variance.
        found[(difference == 0) | (step == 0)] = 0.0
        return found

    def _last(self, rates: FloatArray, quantile: float, sign: int) -> float:
        """Return the last of the rates, in their order, that is not left out.

        That is where the deviation times the sign is no more than the quantile; the
        first where there is none.
        """
        last = _last_place(sign * self.deviations(rates), quantile)
        if last is None or last == len(rates) - 1:
            return float(rates[last or 0])
        finer = np.linspace(rates[last], rates[last + 1], _FINER)
        found = sign * self.deviations(finer)
        last = _last_place(found[:-1], quantile) or 0
        low, high = found[last], found[last + 1]
        # A straight line, but nothing is left out up to an infinite deviation.
        part = (quantile - low) / (high - low) if np.isfinite(high - low) else 1.0
        return float(finer[last] + part * (finer[last + 1] - finer[last]))


def _last_place(values: FloatArray, most: float) -> int | None:
    """Return the last place of a value that is no more than ``most``."""
    places = np.flatnonzero(values <= most)
    return int(places[-1]) if len(places) else None


def _tried(table: RankTable) -> FloatArray:
    """Return the rates at which the curve bends, and steps between them."""
    cuts = table.merged.table.rates
    if len(cuts) > _MOST_CUTS:
        return np.arange(_MOST_CUTS + 1) / _MOST_CUTS
    return np.union1d(cuts, np.arange(_STEPS + 1) / _STEPS)
