"""What a recall costs, and the recall at a precision or a false positive rate."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any, ClassVar, NamedTuple, overload

import numpy as np

from skrate.data.arrays import (
    ROUNDING,
    Array,
    ArrayLike,
    FloatArray,
    IntArray,
    Label,
    divide_or_nan,
    ratio,
)
from skrate.data.checks import check_fraction
from skrate.data.folds import FoldRankings
from skrate.data.table import RankTable
from skrate.metrics.classes import AverageName, ClassAverage, score_any
from skrate.metrics.metric import Metric, Sizes, Slopes, needed, reject_scoring, score
from skrate.metrics.recall import cut_positive_fraction, recall_slopes
from skrate.metrics.result_types import wilson_ends
from skrate.rates.laws import Fixed

__all__ = [
    "fpr_at_recall_score",
    "precision_at_recall_score",
    "rate_at_recall_score",
    "recall_at_fpr_score",
    "recall_at_precision_score",
    "work_saved_score",
]

TOO_SMALL = (
    "its standard error may be far too small, so that models that are equally good "
    "often seem to differ. Compare two models on the same cases by "
    "method='permutation'."
)


@reject_scoring
def rate_at_recall_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    recall: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the least share of all cases that must be processed for a recall.

    How far down must a reviewer read to find 95 % of what is there? It is
    :func:`recall_at_rate_score` read backwards: the recall is fixed, and not the
    budget. Less is better, so that scorers negate it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    recall : float, default=0.95
        The share of the positives to find, in (0, 1].
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Rate in (0, 1]: ``recall`` for random scores, ``recall * prevalence`` for a
        perfect ranking; nan where undefined.

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
    sklearn.metrics.recall_score : The recall of predicted labels.
    work_saved_score : What is saved beside a random order.
    recall_at_rate_score : The recall of a known rate.
    estimate : How far one may have to go in other cases.

    Notes
    -----
    With F(r) the expected recall at the rate r, over random orders of tied cases, it is
    the least r with F(r) = ``recall``. Within tied cases, and within one, recall rises
    linearly: half of a positive counts as found in its first half.

    Late in a ranking the curve goes by steps, so that the interval "wilson" of
    :func:`estimate` turns a test round: it contains all rates at which a true recall of
    ``recall`` is at most t standard errors from the sample's recall, with Student's t
    and a degree of freedom fewer than positives. With few positives it ends at 1;
    see the user guide. Cost: one sort.

    Examples
    --------
    >>> from skrate import rate_at_recall_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> rate_at_recall_score(y_true, y_score, recall=1)
    0.75

    Three quarters of two positives are the first and half of the second:

    >>> rate_at_recall_score(y_true, y_score, recall=0.75)
    0.625
    """
    return score(RateAtRecall(recall), y_true, y_score, sample_weight, pos_label)


@reject_scoring
def work_saved_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    recall: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the work saved over sampling (WSS) at a recall.

    Which share of all cases need not be processed to find a share ``recall`` of the
    positives, beyond the share that a random order would also save? This is WSS@95 of
    literature screening, [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    recall : float, default=0.95
        The share of the positives to find, in (0, 1].
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        In [``recall`` - 1, ``recall``): 0 for random scores,
        ``recall * (1 - prevalence)`` for a perfect ranking; nan where undefined.

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
    sklearn.metrics.recall_score : The recall of predicted labels.
    rate_at_recall_score : The share that must be processed.
    group_scores : For each of many reviews, and their mean.

    Notes
    -----
    It is :math:`\rho - r`, with r the rate at which the recall :math:`\rho` is reached,
    as :func:`rate_at_recall_score` has it. Cohen's :math:`(TN + FN) / N - (1 - R)` [1]_
    is the same where R is the recall that was reached; other programs go on to the next
    positive, whole. It is comparable between reviews of the same prevalence only.
    Cost: one sort.

    References
    ----------
    .. [1] Cohen, Hersh, Peterson and Yen (2006), Reducing workload in systematic review
       preparation using automated citation classification,
       :doi:`10.1197/jamia.M1929`.

    Examples
    --------
    All four positives are in the first six of ten:

    >>> from skrate import work_saved_score
    >>> y_true, y_score = (
    ...     [1, 1, 0, 1, 0, 1, 0, 0, 0, 0],
    ...     range(10, 0, -1),
    ... )
    >>> work_saved_score(y_true, y_score, recall=1)
    0.4
    """
    return score(WorkSaved(recall), y_true, y_score, sample_weight, pos_label)


@reject_scoring
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
        Scores, higher for the positive class: decision values or probabilities.
    recall : float, default=0.95
        The share of the positives to find, in (0, 1].
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
    programs mean: ``precision[recall >= 0.95].max()`` of scikit-learn's curve. The
    interval "wilson" of :func:`estimate` inverts a test, as for the rate.
    Cost: one sort.

    Examples
    --------
    >>> from skrate import precision_at_recall_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> precision_at_recall_score(y_true, y_score, recall=0.5)
    1.0
    """
    return score(PrecisionAtRecall(recall), y_true, y_score, sample_weight, pos_label)


@reject_scoring
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
        Scores, higher for the positive class: decision values or probabilities.
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
    ``precision``. Without tied scores this is the greatest recall on scikit-learn's
    curve with this precision; a group of tied scores may be processed
    in part, at random. Processing nothing meets every target: it is 0, and no nan,
    where no rate does, as in Keras and torchmetrics.

    The interval "wilson" of :func:`estimate` inverts a test: it ends where the
    precision is significantly below the target at all further rates, and
    begins where it was last significantly above. :func:`compare` goes by the standard
    error, and warns where fewer than ten negatives lie above the cut of a model:
    use ``method="permutation"`` then. Cost: one sort.

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


@overload
def recall_at_fpr_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    fpr: float | None = ...,
    average: AverageName = ...,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> float: ...
@overload
def recall_at_fpr_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    fpr: float | None = ...,
    average: None,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> FloatArray: ...
@reject_scoring
def recall_at_fpr_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    fpr: float | None = None,
    average: ClassAverage = "macro",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float | FloatArray:
    r"""Compute the recall at a false positive rate: a point of the ROC curve.

    If one negative in a hundred may be flagged, which share of the positives is found?
    It is the sensitivity at a specificity of 1 - ``fpr``, at any prevalence. Where the
    budget is a share of all cases, use :func:`recall_at_rate_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels: two classes, several with a column of ``y_score`` each, or a matrix
        of 0 and 1 for each case and label. Or a :class:`RankTable`, or
        :class:`FoldRankings`, without ``y_score``.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for the class of the column: decision
        values or probabilities.
    fpr : float, default=None
        The share of the negatives that may lie above the cut, in [0, 1). There is no
        default: it has to be given.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How the classes are averaged, each ranked against the rest. "macro" weighs them
        equally, "weighted" by their cases; None returns a value for each. "micro" ranks
        all pairs of a case and a class in one queue; "samples" ranks the classes of
        each case, and averages over cases. Not used for two classes.
    labels : array-like of shape (n_classes,), default=None
        The classes of the columns of ``y_score``, in their order. None takes those in
        ``y_true``, sorted; where this has columns itself, their numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        Recall in [0, 1]: ``fpr`` for constant scores, 1 for a perfect ranking; nan
        where undefined. An array with ``average=None``.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, or an ``fpr`` that is
        missing or outside [0, 1); of several classes as
        :func:`rate_weighted_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If either class is absent. With several classes it names the class; a mean that
        needs it is nan ("weighted" needs no class without cases).

    See Also
    --------
    sklearn.metrics.roc_curve : All points of the curve.
    fpr_at_recall_score : The reverse.
    partial_auc_score : The mean recall up to a false positive rate.

    Notes
    -----
    It is T(f), the height of the ROC curve at f = ``fpr``, and the top where the curve
    is vertical. Tied scores are a straight line of the curve, as in pROC: each of its
    points is the expectation, at a rate, over random orders of the tied. torchmetrics
    flags tied cases together or not at all, which gives less if the cut is within them,
    and else the same.

    The variance is :math:`T (1 - T) / n_1 + \lambda^2 f (1 - f) / n_0` [1]_, with
    :math:`\lambda` the slope of the curve between false positive rates a standard error
    of f less and more: a binomial interval leaves out that the threshold, too, is found
    from these cases. The interval "wilson" of :func:`estimate` turns the test with this
    variance round. Cost: one sort for each class.

    References
    ----------
    .. [1] Hsieh and Turnbull (1996), Nonparametric and semiparametric estimation of the
       receiver operating characteristic curve, Ann. Stat. 24(1),
       :doi:`10.1214/aos/1033066197`.

    Examples
    --------
    One of two negatives may be flagged; above the second there are both positives:

    >>> from skrate import recall_at_fpr_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> recall_at_fpr_score(y_true, y_score, fpr=0.5)
    1.0
    >>> recall_at_fpr_score(y_true, y_score, fpr=0.1)
    0.5
    """
    metric = RecallAtFPR(fpr)
    sample = y_true, y_score, sample_weight, pos_label
    return score_any(lambda _: metric, None, *sample, average=average, labels=labels)


@overload
def fpr_at_recall_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    recall: float = ...,
    average: AverageName = ...,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> float: ...
@overload
def fpr_at_recall_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    recall: float = ...,
    average: None,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> FloatArray: ...
@reject_scoring
def fpr_at_recall_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    recall: float = 0.95,
    average: ClassAverage = "macro",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float | FloatArray:
    r"""Compute the false positive rate at which a recall is reached.

    If 95 % of the positives must be found, which share of the negatives is flagged with
    them? This is FPR\@95 of out-of-distribution detection, and 1 - specificity at a
    sensitivity. Less is better, so that scorers negate it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels: two classes, several with a column of ``y_score`` each, or a matrix
        of 0 and 1 for each case and label. Or a :class:`RankTable`, or
        :class:`FoldRankings`, without ``y_score``.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for the class of the column: decision
        values or probabilities.
    recall : float, default=0.95
        The share of the positives to find, in (0, 1].
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How the classes are averaged, each ranked against the rest. "macro" weighs them
        equally, "weighted" by their cases; None returns a value for each. "micro" ranks
        all pairs of a case and a class in one queue; "samples" ranks the classes of
        each case, and averages over cases. Not used for two classes.
    labels : array-like of shape (n_classes,), default=None
        The classes of the columns of ``y_score``, in their order. None takes those in
        ``y_true``, sorted; where this has columns itself, their numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        False positive rate in [0, 1]: ``recall`` for constant scores, 0 for a perfect
        ranking; nan where undefined. An array with ``average=None``.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, or a ``recall`` outside
        (0, 1]; of several classes as :func:`rate_weighted_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If either class is absent. With several classes it names the class; a mean that
        needs it is nan ("weighted" needs no class without cases).

    See Also
    --------
    sklearn.metrics.roc_curve : All points of the curve.
    recall_at_fpr_score : The reverse.
    rate_at_recall_score : The share of all cases that is flagged.

    Notes
    -----
    It is the least f with T(f) = ``recall``, on the curve T of
    :func:`recall_at_fpr_score`. With swapped classes, negated scores and 1 - ``recall``
    that function gives 1 minus this one, and so variance and interval.
    Cost: one sort for each class.

    Examples
    --------
    >>> from skrate import fpr_at_recall_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> fpr_at_recall_score(y_true, y_score, recall=1)
    0.5
    >>> fpr_at_recall_score(y_true, y_score, recall=0.5)
    0.0
    """
    metric = FPRAtRecall(recall)
    sample = y_true, y_score, sample_weight, pos_label
    return score_any(lambda _: metric, None, *sample, average=average, labels=labels)


class TargetRecallMetric(Metric):
    """What they share: all are functions of the least rate with that recall."""

    recall: float = 0.95

    needs: ClassVar[tuple[str, ...]] = ("positive",)
    enough_positives = 20
    has_test = True
    # Whether the prevalence of the population is part of it.
    is_precision = False

    def __post_init__(self) -> None:
        recall = check_fraction("recall", self.recall, include_one=True)
        object.__setattr__(self, "recall", recall)

    def compute(self, table: RankTable) -> float:
        return float(self.values(*_around_recall(table, self.recall))[0])

    def values(self, pos: Array, neg: Array) -> FloatArray:
        rates = min_rates(pos, neg, self.recall)
        n_pos = pos.sum(axis=1)
        return np.asarray(self._convert_rate(rates, n_pos / (n_pos + neg.sum(axis=1))))

    def slopes(self, table: RankTable) -> Slopes:
        rate = table_min_rate(table, self.recall)
        slopes = rate_slopes(table, self.recall)
        return self._slopes(slopes, rate, table.prevalence)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        rate = table_min_rate(table, self.recall)
        test = RecallTest(table, sizes, rate, self.recall, is_precise=self.is_precision)
        rates = test.first_above(-quantile), test.last_below(quantile)
        low, high = sorted(self._convert_rate(rate, table.prevalence) for rate in rates)
        if self.is_precision and not sizes.are_fixed and rates[1] >= 1 - ROUNDING:
            # Where all cases are processed, the prevalence is all that is not known.
            k = quantile**2 / (sizes.n_pos + sizes.n_neg)
            least = wilson_ends(table.prevalence, (0.0, 1.0), k)[0]
            low = min(low, self.recall * float(least))
        return float(low), float(high)

    def caution(
        self, table: RankTable, sizes: tuple[float, float], *, is_compared: bool = False
    ) -> str | None:
        if not is_compared:
            return None
        few = small_side_reason(self.recall, sizes[0], "positives", ("found", "left"))
        return None if few is None else f"{self.name} {self.recall:g}: {few}"

    def max_dof(self, n_pos: float, n_neg: float) -> float:
        # Twice the positives on a side of the cut, which decide where it is: equal
        # models are then different in 0.01 to 0.02 of samples at a level of 0.01.
        return max(2 * n_pos * min(self.recall, 1 - self.recall), 1.0)

    def _convert_rate(self, rate: Any, prevalence: Any) -> Any:
        """Return the metric from the rate at which the recall is reached."""
        return rate

    def _slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        """Return its slopes from those of the rate."""
        return slopes


class RateAtRecall(TargetRecallMetric, score=rate_at_recall_score):
    """The least rate with that recall."""

    name = "Rate at recall"
    greater_is_better = False


class WorkSaved(TargetRecallMetric, score=work_saved_score):
    """The recall less that rate."""

    name = "Work saved"

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        return self.recall - 1.0, self.recall

    def _convert_rate(self, rate: Any, prevalence: Any) -> Any:
        return self.recall - rate

    def _slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        return slopes.scaled(-1.0)


class PrecisionAtRecall(TargetRecallMetric, score=precision_at_recall_score):
    """Prevalence times recall over the least rate with that recall."""

    name = "Precision at recall"
    is_precision = True

    def _convert_rate(self, rate: Any, prevalence: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.minimum(np.divide(prevalence * self.recall, rate), 1.0)

    def _slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        by_rate = -prevalence * self.recall / rate**2
        return slopes.scaled(by_rate, self.recall / rate)


class RecallAtPrecision(Metric, score=recall_at_precision_score):
    """The recall at the last rate with a precision."""

    precision: float | None = field(
        default=None,
        metadata=needed("the share of positives that is asked of what is processed"),
    )

    name = "Recall at precision"
    needs = ("positive",)
    has_test = True

    def __post_init__(self) -> None:
        if self.precision is not None:
            precision = check_fraction("precision", self.precision, include_one=True)
            object.__setattr__(self, "precision", precision)

    @property
    def target(self) -> float:
        """The precision that is asked for."""
        assert self.precision is not None
        return self.precision

    def compute(self, table: RankTable) -> float:
        small = table.merged.table
        reached = self._reached(small.cum_pos[None], small.cum_neg[None])[0]
        return float(divide_or_nan(reached, np.array([table.n_pos]))[0])

    def values(self, pos: Array, neg: Array) -> FloatArray:
        found, lost = (
            np.pad(np.cumsum(weights, axis=1), ((0, 0), (1, 0)))
            for weights in (pos, neg)
        )
        return divide_or_nan(self._reached(found, lost)[0], found[:, -1])

    def _reached(self, found: Array, lost: Array) -> tuple[FloatArray, IntArray]:
        """Return what is found down to the last cut with the precision, and its group.

        ``found`` and ``lost`` are the weights of both classes above each cut. Between
        two cuts what is found and what is processed both rise linearly.
        """
        seen, n_groups = found + lost, found.shape[1] - 1
        # Nothing, which is processed first of all, meets every target.
        is_met = found >= self.target * seen * (1 - ROUNDING)
        group = n_groups - np.argmax(is_met[:, ::-1], axis=1)
        rows = np.arange(len(found))
        before, after = (rows, group), (rows, np.minimum(group + 1, n_groups))
        over = np.maximum(found[before] - self.target * seen[before], 0.0)
        lack = np.maximum(self.target * seen[after] - found[after], 0.0)
        part = ratio(over, over + lack)
        return found[before] + part * (found[after] - found[before]), group

    def slopes(self, table: RankTable) -> Slopes:
        p, target = table.prevalence, self.target
        recall, rate = self._last(table)
        if rate in (0, 1):
            # Nothing is cut there that another case could move.
            zeros = np.zeros(table.n_groups)
            return Slopes(zeros, zeros, 0.0)
        share = float(cut_positive_fraction([table], np.array([rate]))[0])
        if share >= target * (1 - ROUNDING):
            # By chance of the neighbours: over all that follows it is less.
            share = (p - p * recall) / (1 - rate)
        by_hits = target / p / (target - share)
        slopes = recall_slopes(table, Fixed(rate))[0]
        return slopes.scaled(by_hits * p, by_hits * recall - recall / p)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        by_rate = self.target / table.prevalence
        found_at = min(self.value(table) / by_rate, 1.0)
        test = RecallTest(
            table, sizes, found_at, precision=self.target, is_precise=True
        )
        low, high = (
            min(by_rate * test.last_above(deviation), 1.0)
            for deviation in (quantile, -quantile)
        )
        return low, high

    def caution(
        self, table: RankTable, sizes: tuple[float, float], *, is_compared: bool = False
    ) -> str | None:
        if not is_compared:
            return None
        _, n_neg = sizes
        recall, rate = self._last(table)
        wrong = rate * table.total - recall * table.n_pos
        n_wrong = wrong / table.n_neg * n_neg
        # With fewer, tests by the standard error find differences that do not exist.
        n_enough = 10
        if rate == 1 or n_wrong >= n_enough:
            return None
        return (
            f"{self.name} {self.target:g}: {n_wrong:.1f} negatives lie above the cut, "
            f"and with fewer than {n_enough} {TOO_SMALL}"
        )

    def _last(self, table: RankTable) -> tuple[float, float]:
        """Return the greatest recall with the precision, and where it is reached."""
        (reached,), (group,) = self._reached(table.cum_pos[None], table.cum_neg[None])
        if group == table.n_groups:
            return 1.0, 1.0
        if table.pos[group] > 0:
            rate = max(reached / self.target / table.total, table.rates[group])
        else:
            # Among negatives the recall stays what it was before them.
            rate = table.rates[np.searchsorted(table.cum_pos, table.cum_pos[group])]
        return float(reached / table.n_pos), float(rate)


class FPRAtRecall(TargetRecallMetric, score=fpr_at_recall_score):
    """The share of the negatives above the cut at which the recall is reached.

    The prevalence is no part of it: it is the rate as if class sizes were fixed.
    """

    name = "FPR at recall"
    needs = ("positive", "negative")
    greater_is_better = False
    ignores_prevalence = True

    def values(self, pos: Array, neg: Array) -> FloatArray:
        # Not from the rate: of few false positives digits would be lost.
        return min_processed_fractions(pos, neg, self.recall)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        return super().not_rejected(table, sizes._replace(are_fixed=True), quantile)

    def _convert_rate(self, rate: Any, prevalence: Any) -> Any:
        return (rate - prevalence * self.recall) / (1 - prevalence)

    def slopes(self, table: RankTable) -> Slopes:
        # Not by 1 - prevalence, which rounds to 0 if positives have all the weight.
        slopes = rate_slopes(table, self.recall).scaled(1 / table.negative_fraction)
        return slopes._replace(by_prevalence=0.0)


class RecallAtFPR(Metric, score=recall_at_fpr_score):
    """The recall at a false positive rate: the reverse, from the end of the ranking."""

    fpr: float | None = field(
        default=None,
        metadata=needed("the share of the negatives that may be above the cut"),
    )

    name = "Recall at FPR"
    ignores_prevalence = has_test = True

    def __post_init__(self) -> None:
        if self.fpr is not None:
            fpr = check_fraction("fpr", self.fpr, include_zero=True)
            object.__setattr__(self, "fpr", fpr)

    @property
    def mirrored(self) -> FPRAtRecall:
        """What is 1 minus its value if classes are swapped and scores negated."""
        assert self.fpr is not None
        return FPRAtRecall(1 - self.fpr)

    def compute(self, table: RankTable) -> float:
        return 1 - self.mirrored.compute(table.mirrored)

    def values(self, pos: Array, neg: Array) -> FloatArray:
        return 1 - self.mirrored.values(neg[:, ::-1], pos[:, ::-1])

    def slopes(self, table: RankTable) -> Slopes:
        return self.mirrored.slopes(table.mirrored).mirrored().scaled(-1.0)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        swapped = sizes._replace(n_pos=sizes.n_neg, n_neg=sizes.n_pos)
        low, high = self.mirrored.not_rejected(table.mirrored, swapped, quantile)
        return 1 - high, 1 - low

    def caution(
        self, table: RankTable, sizes: tuple[float, float], *, is_compared: bool = False
    ) -> str | None:
        if not is_compared:
            return None
        sides = "above the cut", "below the cut"
        few = small_side_reason(self.fpr or 0.0, sizes[1], "negatives", sides)
        return None if few is None else f"{self.name} {self.fpr:g}: {few}"

    def cut_rates(self, table: RankTable) -> FloatArray:
        return np.array([1 - table_min_rate(table.mirrored, self.mirrored.recall)])


def small_side_reason(
    share: float, n_samples: float, name: str, sides: tuple[str, str]
) -> str | None:
    """Return that few cases of a class are on one side of a cut, None where enough."""
    on_sides = zip((share * n_samples, (1 - share) * n_samples), sides, strict=True)
    n_least, side = min(on_sides)
    # With fewer, standard errors are too small.
    n_enough = 8
    if n_least >= n_enough * (1 - ROUNDING):
        return None
    return (
        f"of {n_samples:g} {name} {n_least:.3g} are {side}, and with fewer than "
        f"{n_enough} {TOO_SMALL}"
    )


def min_rates(pos: Array, neg: Array, recall: float) -> FloatArray:
    """Return the least rates at which tables have a recall, nan without positives."""
    return min_processed_fractions(pos, pos + neg, recall)


def min_processed_fractions(pos: Array, weights: Array, recall: float) -> FloatArray:
    """Return the least shares of weights above the cut at which tables have a recall.

    nan without positives, or without weight.
    """
    found, ends = np.cumsum(pos, axis=1), np.cumsum(weights, axis=1)
    n_pos = found[:, -1]
    needed = recall * n_pos
    reached = found >= needed[:, None] * (1 - ROUNDING)
    last = np.arange(len(pos)), np.argmax(reached, axis=1)
    # From the end of the group back to where it is reached.
    beyond = ratio(np.maximum(found[last] - needed, 0.0), pos[last])
    cut = ends[last] - beyond * weights[last]
    return np.where(n_pos > 0, divide_or_nan(cut, ends[:, -1]), np.nan)


def table_min_rate(table: RankTable, recall: float) -> float:
    """Return the least rate at which a table has a recall."""
    return float(min_rates(*_around_recall(table, recall), recall)[0])


def _around_recall(table: RankTable, recall: float) -> tuple[FloatArray, FloatArray]:
    """Return a table of the group that reaches a recall, and all above and below it."""
    needed = recall * table.n_pos * (1 - ROUNDING)
    group = int(np.searchsorted(table.cum_pos[1:-1], needed))
    cuts = np.array([0, group, group + 1, table.n_groups])
    above = table.cum_pos[cuts]
    lost = table.cum_neg[cuts] if table.labels is None else cuts - above
    return np.diff(above)[None], np.diff(lost)[None]


def rate_slopes(table: RankTable, recall: float) -> Slopes:
    """Return the slopes of the least rate at which a table has a recall.

    The rate is p rho + (1 - p) F, with F the share of the negatives above the cut: a
    negative there adds itself, a positive moves the cut,

        g_P = -m_j p (1 - L) / L, g_Q = m_j (1 - p), g_p = rho - F,

    with m_j the part of group j above the cut and L the share of positives between the
    recalls that are a standard error of rho less and more.
    """
    p, rest = table.prevalence, table.negative_fraction
    rate = table_min_rate(table, recall)
    low, high = table.rates[:-1], table.rates[1:]
    above = np.clip(ratio(rate - low, high - low), 0.0, 1.0)
    error = math.sqrt(recall * (1 - recall) / table.n_pos)
    half = min(error, recall / 2, 1 - recall)
    moved = 0.0
    if half > 0:
        ends = [table_min_rate(table, recall + step) for step in (-half, half)]
        # All of it above the cut is positive, or more but for rounding.
        moved = max((ends[1] - ends[0]) / (2 * half) - p, 0.0)
    lead = recall - float(np.interp(rate, table.rates, table.fpr))
    return Slopes(-moved * above, rest * above, lead)


class RecallTest(NamedTuple):
    """Whether the recall of the population may be a given one, rate by rate.

    At the rate r that is ``recall``, or where a ``precision`` is given that times r
    over the prevalence; the sample has it ``found_at`` a rate. ``is_precise`` says that
    a precision follows, which another prevalence changes.
    """

    table: RankTable
    sizes: Sizes
    found_at: float
    recall: float = 0.0
    precision: float = 0.0
    is_precise: bool = False

    def last_below(self, quantile: float) -> float:
        """Return the last rate at which the deviation is no more than the quantile."""
        return self._last(quantile, 1)

    def last_above(self, quantile: float) -> float:
        """Return the last rate at which it is no less; the first where none is."""
        return self._last(-quantile, -1)

    def first_above(self, quantile: float) -> float:
        """Return the first rate at which it is no less."""
        return self._last(-quantile, -1, backwards=True)

    def deviations(self, rates: FloatArray) -> FloatArray:
        """Return how far the recall of the sample is above the tested one, in errors.

        With rho the tested one, p the prevalence, F = (r - p rho) / (1 - p) and L the
        share of positives between r and where the sample has rho, its variance is

            (1 - L)^2 rho (1 - rho) / n_1 + (L (1 - p) / p)^2 F (1 - F) / n_0
            + (L (c + F - rho) / p)^2 p (1 - p) / n,

        without the last part if class sizes are fixed; c is r / p for a precision.
        Within a tied group both binomial variances are less, see `_class_variance`.
        """
        table, (n_pos, n_neg, are_fixed) = self.table, self.sizes
        p, rest = table.prevalence, table.negative_fraction
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
        of_pos = self._class_variance(rates, recall, table.pos / table.n_pos, n_pos)
        of_neg = self._class_variance(rates, lost, table.neg / table.n_neg, n_neg)
        variance = (1 - share) ** 2 * of_pos / n_pos
        variance += (share * rest / p) ** 2 * of_neg / n_neg
        if not are_fixed:
            moved = rates / p * self.is_precise + lost - recall
            variance += (share * moved / p) ** 2 * p * rest / (n_pos + n_neg)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = difference / np.sqrt(variance)
        # No difference is none, even without a variance.
        found[(difference == 0) | (step == 0)] = 0.0
        return found

    def _class_variance(
        self, rates: FloatArray, mean: FloatArray, groups: FloatArray, size: float
    ) -> FloatArray:
        """Return the variance, per sample of a class, of the fraction above each rate.

        A sample counts 1 above the tied group that a rate cuts, a in it and 0 below,
        with a the part of the group above the cut. If the group has the fraction t of
        the class, and the mean is m, the variance is m (1 - m) - a (1 - a) t. Nothing
        is above the first group, so that t is m / a, and (1 - m) / (1 - a) in the last.
        The reduction is (k - 1) / k of this in a group of k samples of the class.
        """
        table = self.table
        last = table.n_groups - 1
        group = np.searchsorted(table.rates, rates, side="right") - 1
        group = np.clip(group, 0, last)
        start, end = table.rates[group], table.rates[group + 1]
        part = np.clip(ratio(rates - start, end - start), 0.0, 1.0)
        binomial = mean * (1 - mean)
        if_first, if_last = (1 - part) * mean, part * (1 - mean)
        within = np.minimum(part * (1 - part) * groups[group], binomial)
        within = np.minimum(np.minimum(within, if_first), if_last)
        within = np.where(group == last, if_last, within)
        within = np.minimum(np.where(group == 0, if_first, within), binomial)
        # Groups of one class, and single samples, are not tied with the other class.
        is_tied = (table.pos[group] > 0) & (table.neg[group] > 0)
        count = np.maximum(size * groups[group], 1.0)
        return np.asarray(binomial - np.where(is_tied, 1 - 1 / count, 0.0) * within)

    def _last(self, most: float, sign: int, *, backwards: bool = False) -> float:
        """Return the last rate where the deviation times the sign is no more.

        The first where there is none.
        """
        # The cuts of the merged ranking with 513 rates, or rates in place of many cuts.
        rates = self.table.merged.table.rates
        if len(rates) > 2**16:
            rates = np.arange(2**16 + 1) / 2**16
        else:
            rates = np.union1d(rates, np.arange(513) / 512)
        if backwards:
            rates = rates[::-1]
        kept = np.flatnonzero(sign * self.deviations(rates) <= most)
        if not len(kept) or kept[-1] == len(rates) - 1:
            return float(rates[kept[-1] if len(kept) else 0])
        rates = np.linspace(rates[kept[-1]], rates[kept[-1] + 1], 64)
        found = sign * self.deviations(rates)
        last = np.flatnonzero(found[:-1] <= most).max(initial=0)
        low, high = found[last : last + 2]
        # A straight line, but nothing is left out up to an infinite deviation.
        part = (most - low) / (high - low) if np.isfinite(high - low) else 1.0
        return float(rates[last] + part * (rates[last + 1] - rates[last]))
