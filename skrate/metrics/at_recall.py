"""Metrics at a recall, and the recall at a precision or a false positive rate."""

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
    "compare by method='permutation' on the same samples, because the standard error "
    "may be far too small and equally good models often seem to differ."
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
    r"""Compute the minimum fraction of samples to process for a recall.

    How far down the ranking must a reviewer read to find 95 % of the positives? It is
    the inverse of :func:`recall_at_rate_score`: the recall is fixed instead of the
    budget. Lower is better, therefore scorers negate it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    recall : float, default=0.95
        The fraction of the positives to find, in (0, 1].
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.

    Returns
    -------
    score : float
        Rate in (0, 1]: ``recall`` for random scores, ``recall * prevalence`` for a
        perfect ranking; nan where undefined.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid, or ``recall`` is outside (0, 1].

    Warns
    -----
    UndefinedMetricWarning
        If there are no positives.

    See Also
    --------
    sklearn.metrics.recall_score : The recall of predicted labels.
    work_saved_score : The rate that is saved compared to a random order.
    recall_at_rate_score : The recall at a given rate.
    estimate : The uncertainty of the rate for other samples.

    Notes
    -----
    With F(r) the expected recall at the rate r, over random orders of tied samples, it
    is the minimum r with F(r) = ``recall``. Recall rises linearly within tied samples,
    and within a single positive: its first half counts as half of a positive.

    Late in a ranking the recall is a step function of the rate. The interval "wilson"
    of :func:`estimate` therefore inverts a test: it contains all rates at which a true
    recall of ``recall`` is at most t standard errors from the sample's recall, with t a
    quantile of Student's t, whose degrees of freedom are the number of positives minus
    1. With a small number of positives it ends at 1; see the user guide.
    Cost: one sort.

    Examples
    --------
    >>> from skrate import rate_at_recall_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> rate_at_recall_score(y_true, y_score, recall=1)
    0.75

    Three quarters of two positives are the first one and half of the second:

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

    Which fraction of all samples need not be processed to find the fraction ``recall``
    of the positives, minus the fraction that a random order saves? This is the WSS@95
    of literature screening [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    recall : float, default=0.95
        The fraction of the positives to find, in (0, 1].
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.

    Returns
    -------
    score : float
        In [``recall`` - 1, ``recall``): 0 for random scores,
        ``recall * (1 - prevalence)`` for a perfect ranking; nan where undefined.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid, or ``recall`` is outside (0, 1].

    Warns
    -----
    UndefinedMetricWarning
        If there are no positives.

    See Also
    --------
    sklearn.metrics.recall_score : The recall of predicted labels.
    rate_at_recall_score : The fraction that must be processed.
    group_scores : The value for each of many reviews, and their mean.

    Notes
    -----
    It is :math:`\rho - r`, with r the rate from :func:`rate_at_recall_score` for the
    recall :math:`\rho`. Cohen's :math:`(TN + FN) / N - (1 - R)` [1]_ is the same for
    the reached recall R; other programs continue to the next whole positive. It is
    comparable only between reviews of the same prevalence. Cost: one sort.

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
    r"""Compute the precision of the samples that are processed to reach a recall.

    If processing stops as soon as 95 % of the positives are found, which fraction of
    the processed samples is positive? Its inverse is the number of processed samples
    per positive.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    recall : float, default=0.95
        The fraction of the positives to find, in (0, 1].
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.

    Returns
    -------
    score : float
        Precision in (0, 1]: the prevalence for random scores, 1 for a perfect ranking;
        nan where undefined.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid, or ``recall`` is outside (0, 1].

    Warns
    -----
    UndefinedMetricWarning
        If there are no positives.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision and recall at each threshold.
    recall_at_precision_score : The recall at a given precision.
    rate_at_recall_score : The processed fraction.

    Notes
    -----
    With the prevalence :math:`\pi` and r the rate from :func:`rate_at_recall_score` for
    the recall :math:`\rho`, it is :math:`\pi \rho / r`: the precision at this recall.
    Other programs return the maximum precision at this or a higher recall, as
    ``precision[recall >= 0.95].max()`` of scikit-learn's curve. The interval "wilson"
    of :func:`estimate` inverts a test, as for the rate. Cost: one sort.

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
    r"""Compute the maximum recall with at least a given precision.

    If at least 30 % of the processed samples must be positive, which fraction of the
    positives can be found?

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    precision : float, default=None
        The minimum fraction of positives among the processed samples, in (0, 1]. It
        must be given.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.

    Returns
    -------
    score : float
        Recall in [0, 1]: 1 for a perfect ranking, and for any ranking if the prevalence
        is at least ``precision``; 0 if no rate has the precision, as for random scores
        at a lower prevalence; nan where undefined.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid, or ``precision`` is missing or outside
        (0, 1].

    Warns
    -----
    UndefinedMetricWarning
        If there are no positives.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision and recall at each threshold.
    precision_at_recall_score : The precision at a given recall.
    recall_at_rate_score : The recall at a given rate.

    Notes
    -----
    With F(r) the expected recall at the rate r, :math:`\pi` the prevalence and
    :math:`\tau` the ``precision``, it is the maximum F(r) with
    :math:`\pi F(r) \ge \tau r`. Without tied scores this is the maximum recall on
    scikit-learn's curve with this precision; a group of tied scores may be processed in
    part, in random order. If no rate meets the target, the score is 0 and not nan,
    because an empty selection meets every target, as in Keras and torchmetrics.

    The interval "wilson" of :func:`estimate` inverts a test: it begins at the last rate
    with a precision significantly above the target, and ends at the last rate with a
    precision not significantly below. :func:`compare` uses the standard error, and
    warns if fewer than ten negatives are above the cut of a model: use
    ``method="permutation"`` then. Cost: one sort.

    Examples
    --------
    >>> from skrate import recall_at_precision_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> recall_at_precision_score(y_true, y_score, precision=0.6)
    1.0

    Only the first sample has a precision of at least 0.9:

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

    If one negative in a hundred may be flagged, which fraction of the positives is
    flagged? It is the sensitivity at a specificity of 1 - ``fpr``, at any prevalence.
    If the budget is a fraction of all samples, use :func:`recall_at_rate_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels of two classes, of several classes with a column of ``y_score``
        each, or a matrix of 0 and 1 for each sample and label. Or a :class:`RankTable`
        or :class:`FoldRankings`, without ``y_score``.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for the class of the column: decision
        values or probabilities.
    fpr : float, default=None
        The fraction of the negatives that may be above the cut, in [0, 1). It must be
        given.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How the classes are averaged, each ranked against the rest. "macro" weighs them
        equally, "weighted" by their number of samples; None returns a value for each.
        "micro" ranks all pairs of a sample and a class in one queue; "samples" ranks
        the classes of each sample, and averages over samples. Not used for two classes.
    labels : array-like of shape (n_classes,), default=None
        The classes of the columns of ``y_score``, in their order. None takes the sorted
        classes in ``y_true``, or the column numbers if ``y_true`` has columns.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        Recall in [0, 1]: ``fpr`` for constant scores, 1 for a perfect ranking; nan
        where undefined. An array with ``average=None``.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid, or ``fpr`` is missing or outside
        [0, 1). For several classes as :func:`rate_weighted_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If either class is absent. With several classes the warning names it, and a mean
        that needs it is nan ("weighted" ignores classes without samples).

    See Also
    --------
    sklearn.metrics.roc_curve : All points of the curve.
    fpr_at_recall_score : The reverse.
    partial_auc_score : The mean recall up to a false positive rate.

    Notes
    -----
    It is T(f), the height of the ROC curve at f = ``fpr``, or the maximum height if the
    curve is vertical there. Tied scores are a straight segment of the curve, as in
    pROC: each of its points is the expectation, at a rate, over random orders of the
    tied samples. torchmetrics flags tied samples together or not at all, which gives a
    lower value if the cut is within them, and otherwise the same.

    The variance is :math:`T (1 - T) / n_1 + \lambda^2 f (1 - f) / n_0` [1]_, with
    :math:`\lambda` the slope of the curve between the false positive rates one standard
    error of f below and above f. A binomial interval ignores that the threshold is also
    estimated from these samples. The interval "wilson" of :func:`estimate` inverts the
    test with this variance. Cost: one sort for each class.

    References
    ----------
    .. [1] Hsieh and Turnbull (1996), Nonparametric and semiparametric estimation of the
       receiver operating characteristic curve, Ann. Stat. 24(1),
       :doi:`10.1214/aos/1033066197`.

    Examples
    --------
    If one of two negatives may be flagged, both positives are above the cut:

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
    r"""Compute the minimum false positive rate that is needed to reach a recall.

    If 95 % of the positives must be found, which fraction of the negatives is flagged
    with them? This is FPR\@95 of out-of-distribution detection, and 1 - specificity at
    a sensitivity. Lower is better, therefore scorers negate it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels of two classes, of several classes with a column of ``y_score``
        each, or a matrix of 0 and 1 for each sample and label. Or a :class:`RankTable`
        or :class:`FoldRankings`, without ``y_score``.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for the class of the column: decision
        values or probabilities.
    recall : float, default=0.95
        The fraction of the positives to find, in (0, 1].
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How the classes are averaged, each ranked against the rest. "macro" weighs them
        equally, "weighted" by their number of samples; None returns a value for each.
        "micro" ranks all pairs of a sample and a class in one queue; "samples" ranks
        the classes of each sample, and averages over samples. Not used for two classes.
    labels : array-like of shape (n_classes,), default=None
        The classes of the columns of ``y_score``, in their order. None takes the sorted
        classes in ``y_true``, or the column numbers if ``y_true`` has columns.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        False positive rate in [0, 1]: ``recall`` for constant scores, 0 for a perfect
        ranking; nan where undefined. An array with ``average=None``.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid, or ``recall`` is outside (0, 1]. For
        several classes as :func:`rate_weighted_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If either class is absent. With several classes the warning names it, and a mean
        that needs it is nan ("weighted" ignores classes without samples).

    See Also
    --------
    sklearn.metrics.roc_curve : All points of the curve.
    recall_at_fpr_score : The reverse.
    rate_at_recall_score : The fraction of all samples that is flagged.

    Notes
    -----
    It is the minimum f with T(f) = ``recall``, on the curve T of
    :func:`recall_at_fpr_score`. With swapped classes, negated scores and ``fpr`` equal
    to 1 - ``recall``, that function returns 1 minus this value. Variance and interval
    follow in the same way. Cost: one sort for each class.

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
    """Base class of the functions of the minimum rate with a given recall."""

    recall: float = 0.95

    needs: ClassVar[tuple[str, ...]] = ("positive",)
    enough_positives = 20
    has_test = True
    # Whether the prevalence of the population is a factor of the value.
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
            # If all samples are processed, only the prevalence is uncertain.
            k = quantile**2 / (sizes.n_pos + sizes.n_neg)
            min_prevalence = wilson_ends(table.prevalence, (0.0, 1.0), k)[0]
            low = min(low, self.recall * float(min_prevalence))
        return float(low), float(high)

    def caution(
        self, table: RankTable, sizes: tuple[float, float], *, is_compared: bool = False
    ) -> str | None:
        if not is_compared:
            return None
        sides = "found", "missed"
        reason = small_side_reason(self.recall, sizes[0], "positives", sides)
        return None if reason is None else f"{self.name} {self.recall:g}: {reason}"

    def max_dof(self, n_pos: float, n_neg: float) -> float:
        # Twice the positives on the smaller side of the cut, because they determine it.
        # Tests at a level of 0.01 then reject for 0.01 to 0.02 of equal models.
        return max(2 * n_pos * min(self.recall, 1 - self.recall), 1.0)

    def _convert_rate(self, rate: Any, prevalence: Any) -> Any:
        """Return the metric from the minimum rate with the recall."""
        return rate

    def _slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        """Return the slopes of the metric from the slopes of the rate."""
        return slopes


class RateAtRecall(TargetRecallMetric, score=rate_at_recall_score):
    """The minimum rate with the recall."""

    name = "Rate at recall"
    greater_is_better = False


class WorkSaved(TargetRecallMetric, score=work_saved_score):
    """The recall minus the minimum rate with this recall."""

    name = "Work saved"

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        return self.recall - 1.0, self.recall

    def _convert_rate(self, rate: Any, prevalence: Any) -> Any:
        return self.recall - rate

    def _slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        return slopes.scaled(-1.0)


class PrecisionAtRecall(TargetRecallMetric, score=precision_at_recall_score):
    """Prevalence times recall, divided by the minimum rate with this recall."""

    name = "Precision at recall"
    is_precision = True

    def _convert_rate(self, rate: Any, prevalence: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.minimum(np.divide(prevalence * self.recall, rate), 1.0)

    def _slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        by_rate = -prevalence * self.recall / rate**2
        return slopes.scaled(by_rate, self.recall / rate)


class RecallAtPrecision(Metric, score=recall_at_precision_score):
    """The recall at the last rate with at least the given precision."""

    precision: float | None = field(
        default=None,
        metadata=needed(
            "the minimum fraction of positives among the processed samples"
        ),
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
        """The required precision."""
        assert self.precision is not None
        return self.precision

    def compute(self, table: RankTable) -> float:
        small = table.merged.table
        reached = self._reached(small.cum_pos[None], small.cum_neg[None])[0]
        return float(divide_or_nan(reached, np.array([table.n_pos]))[0])

    def values(self, pos: Array, neg: Array) -> FloatArray:
        cum_pos, cum_neg = (
            np.pad(np.cumsum(weights, axis=1), ((0, 0), (1, 0)))
            for weights in (pos, neg)
        )
        return divide_or_nan(self._reached(cum_pos, cum_neg)[0], cum_pos[:, -1])

    def _reached(self, cum_pos: Array, cum_neg: Array) -> tuple[FloatArray, IntArray]:
        """Return the positives above the last cut with the precision, and its group.

        ``cum_pos`` and ``cum_neg`` are the weights of both classes above each cut; they
        rise linearly between two cuts.
        """
        processed, n_groups = cum_pos + cum_neg, cum_pos.shape[1] - 1
        # The empty selection before the first group meets every target.
        is_met = cum_pos >= self.target * processed * (1 - ROUNDING)
        group = n_groups - np.argmax(is_met[:, ::-1], axis=1)
        rows = np.arange(len(cum_pos))
        before, after = (rows, group), (rows, np.minimum(group + 1, n_groups))
        over = np.maximum(cum_pos[before] - self.target * processed[before], 0.0)
        lack = np.maximum(self.target * processed[after] - cum_pos[after], 0.0)
        step = ratio(over, over + lack) * (cum_pos[after] - cum_pos[before])
        return cum_pos[before] + step, group

    def slopes(self, table: RankTable) -> Slopes:
        p, target = table.prevalence, self.target
        recall, rate = self._last(table)
        if rate in (0, 1):
            # No sample is cut there, so other samples do not move the cut.
            zeros = np.zeros(table.n_groups)
            return Slopes(zeros, zeros, 0.0)
        fraction = float(cut_positive_fraction([table], np.array([rate]))[0])
        if fraction >= target * (1 - ROUNDING):
            # Only by chance near the cut: among all samples below the cut it is lower.
            fraction = (p - p * recall) / (1 - rate)
        by_hits = target / p / (target - fraction)
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
        # With fewer, tests with the standard error reject for equal models.
        n_enough = 10
        if rate == 1 or n_wrong >= n_enough:
            return None
        return (
            f"{self.name} {self.target:g}: only {n_wrong:.1f} negatives above the cut "
            f"(fewer than {n_enough}): {TOO_SMALL}"
        )

    def _last(self, table: RankTable) -> tuple[float, float]:
        """Return the maximum recall with the precision, and its rate."""
        (reached,), (group,) = self._reached(table.cum_pos[None], table.cum_neg[None])
        if group == table.n_groups:
            return 1.0, 1.0
        if table.pos[group] > 0:
            rate = max(reached / self.target / table.total, table.rates[group])
        else:
            # The recall is constant among negatives: use the rate before them.
            rate = table.rates[np.searchsorted(table.cum_pos, table.cum_pos[group])]
        return float(reached / table.n_pos), float(rate)


class FPRAtRecall(TargetRecallMetric, score=fpr_at_recall_score):
    """The minimum fraction of negatives above the cut with the recall.

    It does not depend on the prevalence: tests use the rate with fixed class sizes.
    """

    name = "FPR at recall"
    needs = ("positive", "negative")
    greater_is_better = False
    ignores_prevalence = True

    def values(self, pos: Array, neg: Array) -> FloatArray:
        # Not from the rate, which loses digits if false positives are rare.
        return min_processed_fractions(pos, neg, self.recall)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        return super().not_rejected(table, sizes._replace(are_fixed=True), quantile)

    def _convert_rate(self, rate: Any, prevalence: Any) -> Any:
        return (rate - prevalence * self.recall) / (1 - prevalence)

    def slopes(self, table: RankTable) -> Slopes:
        # Not 1 - prevalence, which rounds to 0 if negatives have almost no weight.
        slopes = rate_slopes(table, self.recall).scaled(1 / table.negative_fraction)
        return slopes._replace(by_prevalence=0.0)


class RecallAtFPR(Metric, score=recall_at_fpr_score):
    """The recall at a false positive rate: FPRAtRecall from the end of the ranking."""

    fpr: float | None = field(
        default=None,
        metadata=needed("the fraction of the negatives that may be above the cut"),
    )

    name = "Recall at FPR"
    ignores_prevalence = has_test = True

    def __post_init__(self) -> None:
        if self.fpr is not None:
            fpr = check_fraction("fpr", self.fpr, include_zero=True)
            object.__setattr__(self, "fpr", fpr)

    @property
    def mirrored(self) -> FPRAtRecall:
        """The metric of swapped classes and negated scores: 1 minus the value."""
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
        reason = small_side_reason(self.fpr or 0.0, sizes[1], "negatives", sides)
        return None if reason is None else f"{self.name} {self.fpr:g}: {reason}"

    def cut_rates(self, table: RankTable) -> FloatArray:
        return np.array([1 - table_min_rate(table.mirrored, self.mirrored.recall)])


def small_side_reason(
    fraction: float, n_samples: float, name: str, sides: tuple[str, str]
) -> str | None:
    """Return a warning if a side of the cut has fewer than 8 samples, else None."""
    counts = fraction * n_samples, (1 - fraction) * n_samples
    n_side, side = min(zip(counts, sides, strict=True))
    # With fewer, standard errors are too small.
    n_enough = 8
    if n_side >= n_enough * (1 - ROUNDING):
        return None
    return (
        f"only {n_side:.3g} of {n_samples:g} {name} are {side} "
        f"(fewer than {n_enough}): {TOO_SMALL}"
    )


def min_rates(pos: Array, neg: Array, recall: float) -> FloatArray:
    """Return the minimum rates with a recall by table, nan without positives."""
    return min_processed_fractions(pos, pos + neg, recall)


def min_processed_fractions(pos: Array, weights: Array, recall: float) -> FloatArray:
    """Return the minimum fractions of ``weights`` above a cut with a recall, by table.

    nan without positives, or without weight.
    """
    cum_pos, ends = np.cumsum(pos, axis=1), np.cumsum(weights, axis=1)
    n_pos = cum_pos[:, -1]
    needed = recall * n_pos
    reached = cum_pos >= needed[:, None] * (1 - ROUNDING)
    last = np.arange(len(pos)), np.argmax(reached, axis=1)
    # Linear interpolation, from the end of the group back to the recall.
    excess = ratio(np.maximum(cum_pos[last] - needed, 0.0), pos[last])
    cut = ends[last] - excess * weights[last]
    return np.where(n_pos > 0, divide_or_nan(cut, ends[:, -1]), np.nan)


def table_min_rate(table: RankTable, recall: float) -> float:
    """Return the minimum rate of a table with a recall."""
    return float(min_rates(*_around_recall(table, recall), recall)[0])


def _around_recall(table: RankTable, recall: float) -> tuple[FloatArray, FloatArray]:
    """Return the weights above, in and below the group that reaches a recall."""
    needed = recall * table.n_pos * (1 - ROUNDING)
    group = int(np.searchsorted(table.cum_pos[1:-1], needed))
    cuts = np.array([0, group, group + 1, table.n_groups])
    above = table.cum_pos[cuts]
    lost = table.cum_neg[cuts] if table.labels is None else cuts - above
    return np.diff(above)[None], np.diff(lost)[None]


def rate_slopes(table: RankTable, recall: float) -> Slopes:
    """Return the slopes of the minimum rate of a table with a recall.

    The rate is p rho + (1 - p) F, with F the fraction of negatives above the cut. A
    negative above the cut adds its own weight, a positive moves the cut:

        g_P = -m_j p (1 - L) / L, g_Q = m_j (1 - p), g_p = rho - F,

    with m_j the fraction of group j above the cut, and L the fraction of positives
    between the recalls that are one standard error of rho below and above rho.
    """
    p, q = table.prevalence, table.negative_fraction
    rate = table_min_rate(table, recall)
    low, high = table.rates[:-1], table.rates[1:]
    above = np.clip(ratio(rate - low, high - low), 0.0, 1.0)
    error = math.sqrt(recall * (1 - recall) / table.n_pos)
    half = min(error, recall / 2, 1 - recall)
    moved = 0.0
    if half > 0:
        ends = [table_min_rate(table, recall + step) for step in (-half, half)]
        # 0 if all samples between the ends are positive, up to rounding.
        moved = max((ends[1] - ends[0]) / (2 * half) - p, 0.0)
    lead = recall - float(np.interp(rate, table.rates, table.fpr))
    return Slopes(-moved * above, q * above, lead)


class RecallTest(NamedTuple):
    """Test at each rate whether the population has a given recall.

    At the rate r the tested recall is ``recall``, or ``precision`` times r divided by
    the prevalence; the sample reaches it at the rate ``found_at``. ``is_precise`` adds
    the variance that the prevalence causes in a precision.
    """

    table: RankTable
    sizes: Sizes
    found_at: float
    recall: float = 0.0
    precision: float = 0.0
    is_precise: bool = False

    def last_below(self, quantile: float) -> float:
        """Return the last rate with a deviation of at most the quantile."""
        return self._last(quantile, 1)

    def last_above(self, quantile: float) -> float:
        """Return the last rate with a deviation of at least the quantile."""
        return self._last(-quantile, -1)

    def first_above(self, quantile: float) -> float:
        """Return the first rate with a deviation of at least the quantile."""
        return self._last(-quantile, -1, backwards=True)

    def deviations(self, rates: FloatArray) -> FloatArray:
        """Return the sample's recall minus the tested recall, in standard errors.

        With rho the tested recall, p the prevalence, F = (r - p rho) / (1 - p), and L
        the fraction of positives between r and ``found_at``, the variance is

            (1 - L)^2 rho (1 - rho) / n_1 + (L (1 - p) / p)^2 F (1 - F) / n_0
            + (L (c + F - rho) / p)^2 p (1 - p) / n,

        without the last term if class sizes are fixed; c is r / p for a precision,
        else 0. Within a tied group both binomial variances are smaller, see
        `_class_variance`.
        """
        table, (n_pos, n_neg, are_fixed) = self.table, self.sizes
        p, q = table.prevalence, table.negative_fraction
        tpr = np.interp(rates, table.rates, table.tpr)
        gain = p * (tpr - np.interp(self.found_at, table.rates, table.tpr))
        step = rates - self.found_at
        fraction = np.zeros_like(rates)
        np.divide(gain, step, out=fraction, where=step != 0)
        fraction = np.clip(fraction, 0.0, 1.0)
        recall = self.recall + self.precision / p * rates
        difference = tpr - recall
        recall = np.minimum(recall, 1.0)
        fpr = np.clip((rates - p * recall) / q, 0.0, 1.0)
        of_pos = self._class_variance(rates, recall, table.pos / table.n_pos, n_pos)
        of_neg = self._class_variance(rates, fpr, table.neg / table.n_neg, n_neg)
        variance = (1 - fraction) ** 2 * of_pos / n_pos
        variance += (fraction * q / p) ** 2 * of_neg / n_neg
        if not are_fixed:
            moved = rates / p * self.is_precise + fpr - recall
            variance += (fraction * moved / p) ** 2 * p * q / (n_pos + n_neg)
        with np.errstate(divide="ignore", invalid="ignore"):
            deviation = difference / np.sqrt(variance)
        # A difference of 0 has the deviation 0, even if the variance is 0.
        deviation[(difference == 0) | (step == 0)] = 0.0
        return deviation

    def _class_variance(
        self, rates: FloatArray, mean: FloatArray, groups: FloatArray, size: float
    ) -> FloatArray:
        """Return the variance, per sample of a class, of the fraction above each rate.

        A sample counts 1 above the tied group that a rate cuts, a in it and 0 below,
        with a the fraction of the group above the cut. If the group has the fraction t
        of the class, and the mean is m, the variance is m (1 - m) - a (1 - a) t. In the
        first group t is m / a, because no sample is above it, and in the last group
        (1 - m) / (1 - a). In a group of k samples of the class the reduction is
        (k - 1) / k times a (1 - a) t.
        """
        table = self.table
        last = table.n_groups - 1
        group = np.searchsorted(table.rates, rates, side="right") - 1
        group = np.clip(group, 0, last)
        start, end = table.rates[group], table.rates[group + 1]
        above = np.clip(ratio(rates - start, end - start), 0.0, 1.0)
        binomial = mean * (1 - mean)
        if_first, if_last = (1 - above) * mean, above * (1 - mean)
        within = np.minimum(above * (1 - above) * groups[group], binomial)
        within = np.minimum(np.minimum(within, if_first), if_last)
        within = np.where(group == last, if_last, within)
        within = np.minimum(np.where(group == 0, if_first, within), binomial)
        # Groups of one class are not tied with the other class.
        is_tied = (table.pos[group] > 0) & (table.neg[group] > 0)
        count = np.maximum(size * groups[group], 1.0)
        return np.asarray(binomial - np.where(is_tied, 1 - 1 / count, 0.0) * within)

    def _last(self, limit: float, sign: int, *, backwards: bool = False) -> float:
        """Return the last rate with sign * deviation <= limit, or the first rate."""
        # All cuts of the merged ranking and 513 equal steps, or only 2**16 equal steps.
        rates = self.table.merged.table.rates
        if len(rates) > 2**16:
            rates = np.arange(2**16 + 1) / 2**16
        else:
            rates = np.union1d(rates, np.arange(513) / 512)
        if backwards:
            rates = rates[::-1]
        within = np.flatnonzero(sign * self.deviations(rates) <= limit)
        if not len(within) or within[-1] == len(rates) - 1:
            return float(rates[within[-1] if len(within) else 0])
        rates = np.linspace(rates[within[-1]], rates[within[-1] + 1], 64)
        signed = sign * self.deviations(rates)
        last = np.flatnonzero(signed[:-1] <= limit).max(initial=0)
        low, high = signed[last : last + 2]
        # Linear interpolation, or the whole step if the deviation becomes infinite.
        step = (limit - low) / (high - low) if np.isfinite(high - low) else 1.0
        return float(rates[last] + step * (rates[last + 1] - rates[last]))
