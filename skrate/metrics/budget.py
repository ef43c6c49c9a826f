"""Recall, precision and lift of the share of the ranking that is processed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skrate.core.arrays import ArrayLike, FloatArray, Label
from skrate.core.fold_rankings import FoldRankings
from skrate.core.metric import Facts, Slopes, score
from skrate.core.per_processed import PerProcessed
from skrate.core.rank_table import RankTable
from skrate.core.rates import RateDistribution, RateLike
from skrate.metrics.at_rate import AtRate, Value, found_at
from skrate.metrics.group_scores import of_queues
from skrate.metrics.recall_slopes import recall_limits, recall_slopes

__all__ = ["lift_at_rate_score", "precision_at_rate_score", "recall_at_rate_score"]


def recall_at_rate_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    rate: RateLike | None = None,
    k: int | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    """Compute the share of the positives in the processed part of the ranking.

    If the best-scored tenth of all cases is processed, or the best 50, which share
    of the positives is found? For a rate that is known roughly it is the mean over its
    distribution, which is :func:`expected_recall_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    rate : float, "uniform" or distribution, default=None
        The share of all cases that is processed, in (0, 1]; or, where it is known
        roughly, a frozen ``scipy.stats`` distribution or one from :mod:`skrate.rates`.
    k : int, default=None
        In place of ``rate``, how many of the cases at hand are processed, at least 1
        (not with ``sample_weight``, nor of a table whose weights are not whole).
    groups : array-like of shape (n_samples,), default=None
        The queue of each case, such as its day or clinic. Then the share, or number, of
        cases is that of each queue (all of a shorter one), and those of all queues
        together are what is processed.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Recall in [0, 1]: the rate for random scores, ``min(1, rate / prevalence)``
        for a perfect ranking; nan where undefined.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, both or neither of ``rate``
        and ``k``, a rate outside (0, 1] (one above 1 may be meant as a number of
        cases, and so may the integer 1), a ``k`` that is not between 1 and the
        number of cases, or ``groups`` of another length, or with a rate that is not
        known or a table.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive case.

    See Also
    --------
    sklearn.metrics.recall_score : The same for predicted labels.
    expected_recall_score : The same of a distribution, also of the negatives.
    group_scores : At the best ``k`` of each list.

    Notes
    -----
    Where the cut falls among cases of one score, it is the expectation over random
    orders of these cases: recall rises linearly within them. Cost: one sort.

    Examples
    --------
    >>> from skrate import recall_at_rate_score
    >>> recall_at_rate_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=0.5
    ... )
    0.5
    >>> recall_at_rate_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], k=3
    ... )
    1.0

    One case can be processed on each of two days:

    >>> day = [1, 1, 2, 2]
    >>> recall_at_rate_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], k=1, groups=day
    ... )
    1.0
    """
    metric = RecallAtRate(rate, k)
    if groups is not None:
        return of_queues(metric, y_true, y_score, groups, sample_weight, pos_label)
    return score(metric, y_true, y_score, sample_weight, pos_label)


def precision_at_rate_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    rate: RateLike | None = None,
    k: int | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the share of positives among the cases that are processed.

    If the best-scored tenth of all cases is processed, or the best 50, which share
    of them is positive? With a number of cases it is what search calls precision at k;
    for a rate that is known roughly it is the mean over its distribution.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    rate : float, "uniform" or distribution, default=None
        The share of all cases that is processed, in (0, 1]; or, where it is known
        roughly, a frozen ``scipy.stats`` distribution or one from :mod:`skrate.rates`.
    k : int, default=None
        In place of ``rate``, how many of the cases at hand are processed, at least 1
        (not with ``sample_weight``, nor of a table whose weights are not whole).
    groups : array-like of shape (n_samples,), default=None
        The queue of each case, such as its day or clinic. Then the share, or number, of
        cases is that of each queue (all of a shorter one), and those of all queues
        together are what is processed.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Precision in [0, 1]: the prevalence for random scores,
        ``min(1, prevalence / rate)``, or its mean, for a perfect ranking; nan where
        undefined.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, both or neither of ``rate``
        and ``k``, a rate outside (0, 1] (one above 1 may be meant as a number of
        cases, and so may the integer 1), a ``k`` that is not between 1 and the
        number of cases, or ``groups`` of another length, or with a rate that is not
        known or a table.

    Warns
    -----
    UndefinedMetricWarning
        If the rate is certain to be 0.

    See Also
    --------
    sklearn.metrics.precision_score : The same for predicted labels.
    lift_at_rate_score : Relative to the prevalence.

    Notes
    -----
    Where the cut falls among cases of one score, it is the expectation over random
    orders of these cases. Without positives it is 0.

    Under a distribution of the rate R it is the expected precision, the mean of found
    over processed given that something is processed,

    .. math:: E\left[ \frac{H(R)}{R} \,\middle|\, R > 0 \right]
              = \sum_k h_k \bigl( W(D_k) - W(D_{k-1}) \bigr), \qquad
              W(x) = E\left[ \min\left(1, \frac{x}{R}\right) \,\middle|\, R > 0 \right],

    with H(r) the hit curve, the positives among the first r as a share of all cases,
    and :math:`h_k` the share of positives in group k of tied scores, which spans the
    rates from :math:`D_{k-1}` to :math:`D_k`. Mass at 0, where nothing is processed, is
    left out; within the first group the precision is the same at any rate, so that the
    mean exists for every law. It is not the expected hits over the expected rate, which
    are :func:`expected_recall_score` times the prevalence, over ``rate.mean()``: there
    large budgets count more. It is exact to about 1e-12. Cost: one sort.

    Examples
    --------
    >>> from skrate import precision_at_rate_score
    >>> precision_at_rate_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=0.25
    ... )
    1.0
    >>> precision_at_rate_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], k=2
    ... )
    0.5

    The best of each day:

    >>> day = [1, 1, 2, 2]
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> precision_at_rate_score(y_true, y_score, k=1, groups=day)
    1.0

    A quarter or a half, who knows: half of 1 and half of 0.5.

    >>> from skrate import rates
    >>> rate = rates.empirical([0.25, 0.5])
    >>> precision_at_rate_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=rate
    ... )
    0.75
    """
    metric = PrecisionAtRate(rate, k)
    if groups is not None:
        return of_queues(metric, y_true, y_score, groups, sample_weight, pos_label)
    return score(metric, y_true, y_score, sample_weight, pos_label)


def lift_at_rate_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    rate: RateLike | None = None,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    """Compute how many times more positives are found than in a random order.

    Precision of the processed part over the prevalence: the height of a lift chart, or
    its mean over the distribution of a rate that is known roughly.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    rate : float, "uniform" or distribution, default=None
        The share of all cases that is processed, in (0, 1]; or, where it is known
        roughly, a frozen ``scipy.stats`` distribution or one from :mod:`skrate.rates`.
    k : int, default=None
        In place of ``rate``, how many of the cases at hand are processed, at least 1
        (not with ``sample_weight``, nor of a table whose weights are not whole).
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Lift, at least 0: 1 for random scores, ``min(1 / rate, 1 / prevalence)`` for a
        perfect ranking; nan where undefined.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, both or neither of ``rate``
        and ``k``, a rate outside (0, 1] (one above 1 may be meant as a number of
        cases, and so may the integer 1), or a ``k`` that is not between 1 and
        the number of cases.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive case, or the rate is certain to be 0.

    See Also
    --------
    sklearn.metrics.class_likelihood_ratios : Ratios for predicted labels.
    recall_at_rate_score : Lift times the rate.

    Notes
    -----
    Where the cut falls among cases of one score, it is the expectation over random
    orders of these cases. Under a distribution of the rate it is the mean given that
    the rate is above 0, as that of :func:`precision_at_rate_score`. Cost: one sort.

    Examples
    --------
    >>> from skrate import lift_at_rate_score
    >>> lift_at_rate_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=0.25
    ... )
    2.0

    The budget is known roughly:

    >>> from skrate import rates
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> round(
    ...     lift_at_rate_score(y_true, y_score, rate=rates.beta(3, 9)),
    ...     4,
    ... )
    1.767
    """
    return score(LiftAtRate(rate, k), y_true, y_score, sample_weight, pos_label)


class RecallAtRate(AtRate, score=recall_at_rate_score):
    """The share of the positives that is found."""

    name = "Recall"
    needs = ("positive",)

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return its range: one value where all is processed."""
        return recall_limits(self.rate)

    @property
    def weighting(self) -> tuple[RateDistribution, float]:
        return self.rate, 1.0

    @property
    def _unit(self) -> float:
        return float(self.rate)

    def slopes(self, table: RankTable) -> Slopes:
        return recall_slopes(table, self.law)[0]

    def _of_mean(self, found: Any, prevalence: Any) -> Any:
        return found

    def _whole(self, n_pos: FloatArray, seen: FloatArray) -> FloatArray:
        return n_pos

    def _scaled(self, found: Value, n_pos: Value, seen: Value, total: Value) -> Value:
        return found / n_pos


class _PerProcessed(AtRate):
    """What is divided by the share that is processed."""

    @property
    def weighting(self) -> tuple[RateDistribution, float]:
        law = PerProcessed(self.rate)
        return law, law.mean_inverse


class PrecisionAtRate(_PerProcessed, score=precision_at_rate_score):
    """The share of positives among those seen: recall times prevalence over rate."""

    name = "Precision"
    needs = ()

    def slopes(self, table: RankTable) -> Slopes:
        p = table.prevalence
        if self.is_uncertain:
            law, factor = self.weighting
            slopes, recall = recall_slopes(table, law)
            return slopes.scaled(factor * p, factor * recall)
        at_rate = found_at(table, self.rate) / table.n_pos / self.rate
        return recall_slopes(table, self.law)[0].scaled(p / self.rate, at_rate)

    def _of_mean(self, found: Any, prevalence: Any) -> Any:
        # Without positives their recall is undefined, but not the precision.
        precision = np.where(
            prevalence > 0, found * prevalence, 0.0 * self.weighting[1]
        )
        return np.minimum(precision, 1.0)

    def _whole(self, n_pos: FloatArray, seen: FloatArray) -> FloatArray:
        return seen

    def _scaled(self, found: Value, n_pos: Value, seen: Value, total: Value) -> Value:
        return found / total / (seen / total)


class LiftAtRate(_PerProcessed, score=lift_at_rate_score):
    """How many times more is found than in a random order: recall over rate."""

    name = "Lift"
    needs = ("positive",)

    def slopes(self, table: RankTable) -> Slopes:
        if self.is_uncertain:
            law, factor = self.weighting
            return recall_slopes(table, law)[0].scaled(factor)
        return recall_slopes(table, self.law)[0].scaled(1 / self.rate)

    @property
    def facts(self) -> Facts:
        # That of all queues together is no ratio of two sums.
        return replace(super().facts, is_of_queues=False)

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return its range: as the rate, unbounded where lists have their own."""
        if self.rate == 1:
            return 1.0, 1.0
        if self.is_uncertain:
            law = PerProcessed(self.rate)
            return 0.0, law.mean_inverse if law.is_bounded else np.inf
        return 0.0, np.inf if self.rate is None else 1 / self.rate

    def _of_mean(self, found: Any, prevalence: Any) -> Any:
        return found

    def _scaled(self, found: Value, n_pos: Value, seen: Value, total: Value) -> Value:
        return found / n_pos / (seen / total)
