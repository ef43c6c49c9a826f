"""The rounds of RankBoost on one training sample."""

from typing import NamedTuple

import numpy as np

from skrate.core.arrays import BoolArray, FloatArray
from skrate.ensemble.cases import Cases
from skrate.ensemble.columns import prepare_columns
from skrate.ensemble.pair_weights import PairWeights
from skrate.ensemble.search import TIE, WeakRanker, best_ranker


class Round(NamedTuple):
    """A weak ranker found: a row for the estimator, and the normaliser Z."""

    stump: tuple[int, float, bool, float]
    normaliser: float
    is_perfect: bool


class Boosting:
    """RankBoost with the "third method", one round a call.

    Parameters
    ----------
    cases : Cases
        Each list holds both classes.
    scores : float array of shape (n,)
        What the model gives so far.
    max_bins : int or None
    learning_rate : float
    """

    def __init__(
        self,
        cases: Cases,
        scores: FloatArray,
        max_bins: int | None,
        learning_rate: float,
    ) -> None:
        self._learning_rate = learning_rate
        self._case_weights = cases.weights
        self._pairs = PairWeights(cases.is_pos, cases.weights, cases.lists, scores)
        self._columns = prepare_columns(cases.X, cases.weights, max_bins)

    def step(self) -> Round | None:
        """Find the next weak ranker and turn to the pairs that are still wrong.

        None if no ranker orders the weighted pairs better than chance.
        """
        found = best_ranker(self._columns, self._pairs.signed)
        if found is None or abs(found.r) <= TIE:
            return None
        # A ranker that orders every pair would get an infinite weight.
        r = float(np.clip(found.r, TIE - 1, 1 - TIE))
        alpha = self._learning_rate * 0.5 * float(np.log((1 + r) / (1 - r)))
        column = self._columns[found.column]
        above = column.above(found.candidate, found.missing_above)
        normaliser = self._pairs.update(above, alpha)
        stump = (
            column.feature,
            float(column.thresholds[found.candidate]),
            self._side_of_missing(found, above),
            alpha,
        )
        return Round(stump, normaliser, r != found.r)

    def _side_of_missing(self, found: WeakRanker, above: BoolArray) -> bool:
        """Return the learned side, or the heavier one if no value was missing."""
        if self._columns[found.column].has_missing:
            return found.missing_above
        weights = self._case_weights
        return bool(2 * weights[above].sum() > weights.sum())
