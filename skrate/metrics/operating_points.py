"""Precision where the recall is fixed, and recall where the precision is."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Self

import numpy as np

from skrate.core.arrays import Array, ArrayLike, FloatArray, Label, ratio
from skrate.core.fold_rankings import FoldRankings
from skrate.core.metric import (
    NEEDED,
    Metric,
    Sizes,
    Slopes,
    Tested,
    missing_parameters,
    score,
)
from skrate.core.rank_table import RankTable
from skrate.core.rates import Fixed
from skrate.core.validation import check_fraction
from skrate.metrics.at_recall import AtRecall
from skrate.metrics.recall_slopes import recall_slopes, share_at_cut
from skrate.metrics.recall_test import ROUNDING, RecallTest

__all__ = ["precision_at_recall_score", "recall_at_precision_score"]

# Above the cut; with fewer, tests by the standard error find what is not there.
_LEAST_NEGATIVES = 10


def precision_at_recall_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    recall: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the precision of what is processed until a recall is reached.

    If one stops as soon as 95 % of the positives are found, which share of all that
    was processed is positive? Its inverse is how many cases are processed for each
    that is found.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    recall : float, default=0.95
        The share of the positives that is to be found, in (0, 1].
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Precision in (0, 1]: the prevalence for random scores, 1 for a perfect ranking;
        nan where undefined.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, or a ``recall`` outside
        (0, 1].

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive case.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision and recall of each threshold.
    recall_at_precision_score : The recall at a known precision.
    rate_at_recall_score : How much is processed.

    Notes
    -----
    With the prevalence :math:`\pi` and r the rate at which the recall :math:`\rho` is
    reached, as :func:`rate_at_recall_score` has it, it is :math:`\pi \rho / r`: at this
    recall, and not the greatest precision at this recall or a greater one, which other
    programs mean. The two differ where the precision rises further down; of arrays of
    scikit-learn's curve the latter is ``precision[recall >= 0.95].max()``. The interval
    "wilson" of :func:`estimate` turns a test round, as that of the rate. Where all
    cases may be needed, its lower end is that of Wilson's interval of the prevalence,
    times :math:`\rho`. Cost: one sort.

    Examples
    --------
    >>> from skrate import precision_at_recall_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> precision_at_recall_score(y_true, y_score, recall=0.5)
    1.0

    Three quarters of two positives are the first and half of the second:

    >>> precision_at_recall_score(y_true, y_score, recall=0.75)
    0.6
    """
    return score(PrecisionAtRecall(recall), y_true, y_score, sample_weight, pos_label)


def recall_at_precision_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    precision: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the greatest recall at which the precision is still high enough.

    Where at least 30 % of what is processed must be positive, which share of the
    positives can be found?

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    precision : float, default=None
        The share of positives that is asked of what is processed, in (0, 1]. There is
        no default: it has to be given.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Recall in [0, 1]: 1 for a perfect ranking, and for any where the prevalence is
        no less than ``precision``; 0 where no rate has the precision, as of random
        scores of a lesser prevalence; nan where undefined.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, or a ``precision`` that is
        missing or outside (0, 1].

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive case.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision and recall of each threshold.
    precision_at_recall_score : The precision at a known recall.
    recall_at_rate_score : The recall at a known rate.

    Notes
    -----
    With F(r) the expected recall at the rate r and :math:`\pi` the prevalence, it is
    the greatest F(r) with :math:`\pi F(r) \ge \tau r`, where :math:`\tau` is
    ``precision``. Without tied scores that is the greatest recall among those of
    scikit-learn's curve with this precision; a group of tied scores may be processed
    in part, at random. The target is met by processing nothing, so that it is 0, and
    no nan, where no rate meets it: as in Keras and torchmetrics, and so that models of
    which one never gets there can be compared.

    At the last rate r with that precision, where the share of positives at the cut is
    L, the rate has the slopes of the hits :math:`\pi F(r)` over :math:`\tau - L`, and
    the recall is :math:`\tau r / \pi`. The interval "wilson" of :func:`estimate` is
    that of a test turned round: it ends where the precision is significantly below the
    target at all further rates, and begins where it was last significantly above.
    :func:`compare` goes by the standard error, which those slopes give. Where fewer
    than ten negatives lie above the cut of a model, as at high precisions, that is
    often far too small: it warns, and ``method="permutation"`` is to be taken.
    Cost: one sort.

    Examples
    --------
    >>> from skrate import recall_at_precision_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> recall_at_precision_score(y_true, y_score, precision=0.6)
    1.0

    Only the first is as sure as that:

    >>> recall_at_precision_score(y_true, y_score, precision=0.9)
    0.5
    """
    return score(
        RecallAtPrecision(precision), y_true, y_score, sample_weight, pos_label
    )


class PrecisionAtRecall(AtRecall, score=precision_at_recall_score):
    """Prevalence times recall over the least rate with that recall."""

    name = "Precision at recall"
    is_precision = True

    def _of_rate(self, rate: Any, prevalence: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.minimum(np.divide(prevalence * self.recall, rate), 1.0)

    def _slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        by_rate = -prevalence * self.recall / rate**2
        return slopes.scaled(by_rate, self.recall / rate)


class RecallAtPrecision(Tested, Metric, score=recall_at_precision_score):
    """The recall at the last rate with a precision."""

    precision: float | None = field(default=None, metadata=NEEDED)

    name = "Recall at precision"
    needs = ("positive",)

    def __post_init__(self) -> None:
        if self.precision is not None:
            precision = check_fraction("precision", self.precision, include_one=True)
            object.__setattr__(self, "precision", precision)

    def of_sample(self, n_cases: float | None, *, is_weighted: bool) -> Self:
        """Return the metric itself, if the precision is given."""
        if missing_parameters(self):
            raise ValueError(
                "precision is missing: give the share of positives that is asked of "
                "what is processed."
            )
        return self

    @property
    def target(self) -> float:
        """The precision that is asked for."""
        assert self.precision is not None
        return self.precision

    def value(self, table: RankTable) -> float:
        if table.labels is None:
            return self._last(table)[0]
        # Of single cases the precision is greatest where a positive was processed.
        seen = np.flatnonzero(table.labels) + 1
        found = np.arange(1, len(seen) + 1)
        is_met = found >= self.target * seen * (1 - ROUNDING)
        n_last = len(seen) - int(np.argmax(is_met[::-1])) if is_met.any() else 0
        return n_last / len(seen)

    def values(self, pos: Array, neg: Array) -> FloatArray:
        first = np.zeros((len(pos), 1))
        found = np.hstack([first, np.cumsum(pos, axis=1, dtype=np.float64)])
        seen = np.hstack([first, np.cumsum(pos + neg, axis=1, dtype=np.float64)])
        is_met = found >= self.target * seen * (1 - ROUNDING)
        last = is_met.shape[1] - 1 - np.argmax(is_met[:, ::-1], axis=1)
        after = np.minimum(last + 1, found.shape[1] - 1)
        rows, n_pos = np.arange(len(pos)), found[:, -1]
        before = found[rows, last], seen[rows, last]
        reached = _part(before, (found[rows, after], seen[rows, after]), self.target)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(reached / n_pos)

    def slopes(self, table: RankTable) -> Slopes:
        p, target = table.prevalence, self.target
        recall, rate = self._last(table)
        if rate in (0, 1):
            # Nothing is cut there that another case could move.
            zeros = np.zeros(table.n_groups)
            return Slopes(zeros, zeros, 0.0)
        share = float(share_at_cut([table], np.array([rate]))[0])
        if share >= target:
            # By chance of the neighbours: over all that follows it is less.
            share = (p - p * recall) / (1 - rate)
        by_hits = target / p / (target - share)
        slopes = recall_slopes(table, Fixed(rate))[0]
        return slopes.scaled(by_hits * p, by_hits * recall - recall / p)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        by_rate = self.target / table.prevalence
        test = RecallTest(
            table, sizes, min(self.value(table) / by_rate, 1.0),
            precision=self.target, is_precise=True,
        )  # fmt: skip
        low, high = (
            min(by_rate * test.last_above(deviation), 1.0)
            for deviation in (quantile, -quantile)
        )
        return low, high

    def caution(
        self, table: RankTable, compared: tuple[float, float] | None = None
    ) -> str | None:
        """Return what the sample cannot tell, if it has few negatives above the cut."""
        if compared is None:
            return None
        _, n_neg = compared
        recall, rate = self._last(table)
        wrong = rate * table.total - recall * table.n_pos
        n_wrong = wrong / table.n_neg * n_neg
        if rate == 1 or n_wrong >= _LEAST_NEGATIVES:
            return None
        return (
            f"{self.name} {self.target:g}: {n_wrong:.1f} negatives lie above the cut, "
            f"and with fewer than {_LEAST_NEGATIVES} its standard error may be far "
            "too small, so that models that are equally good often seem to differ. "
            "Compare two models on the same cases by method='permutation'."
        )

    def _last(self, table: RankTable) -> tuple[float, float]:
        """Return the greatest recall with the precision, and where it is reached."""
        found = table.cum_pos
        seen = found + table.cum_neg
        is_met = found >= self.target * seen * (1 - ROUNDING)
        # Nothing, which is processed first of all, meets every target.
        last = int(np.flatnonzero(is_met)[-1])
        if last == table.n_groups:
            return 1.0, 1.0
        before, after = ((found[k], seen[k]) for k in (last, last + 1))
        reached = float(_part(before, after, self.target))
        if table.pos[last] > 0:
            rate = max(reached / self.target / table.total, float(table.rates[last]))
        else:
            # Among negatives the recall stays what it was before them.
            rate = float(table.rates[np.searchsorted(found, found[last])])
        return reached / table.n_pos, rate


def _part(before: Any, after: Any, target: float) -> Any:
    """Return the weight of positives down to where the precision falls below a target.

    ``before`` and ``after`` are those found and all, at the last cut that meets it and
    at the next one; between the two both rise linearly.
    """
    excess = np.maximum(before[0] - target * before[1], 0.0)
    lack = np.maximum(target * after[1] - after[0], 0.0)
    return before[0] + ratio(excess, excess + lack) * (after[0] - before[0])
