"""Metrics at a recall, and the recall at a precision or a false positive rate."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar, overload

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
from skrate.metrics.hypothesis_tests import wilson_ends
from skrate.metrics.metric import Metric, Sizes, Slopes, needed, reject_scoring, score
from skrate.metrics.recall import (
    RecallTest,
    cut_positive_fraction,
    merge_around_recall,
    min_processed_fractions,
    min_rates,
    rate_slopes,
    recall_slopes,
    table_min_rate,
)
from skrate.rates.distributions import Fixed

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
    "may be far too small, so that tests of equally good models reject too often."
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

    How far down the ranking must a reviewer read to find 95 % of the positives? This is
    the inverse of :func:`recall_at_rate_score`: the recall is given instead of the
    rate. Lower values are better, so scorers negate them.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes, or rankings that replace labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    recall : float, default=0.95
        The fraction of the positives to find, in (0, 1].
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Rate in (0, 1]: ``recall`` if all scores are equal, ``recall * prevalence`` for
        a perfect ranking, nan if there are no positives.

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
    estimate : The value with its confidence interval.

    Notes
    -----
    Let F(r) be the recall at the rate r, averaged over random orders of tied samples.
    The value is the minimum r with F(r) = ``recall``. F is linear within a group of
    tied samples, and also within a single sample: if the cut divides a positive in
    halves, it counts as half of a positive.

    At the end of a ranking the recall increases in a small number of large steps, so
    its slope is uncertain. The interval "wilson" of :func:`estimate` therefore inverts
    a test: it contains a rate if the measured recall at this rate and ``recall`` differ
    by at most t standard errors. Here t is a quantile of Student's t, whose degrees of
    freedom are the number of positives minus 1. With a small number of positives, the
    upper end of the interval is 1; see the user guide. Cost: one sort.

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

    Which fraction of all samples need not be processed to find 95 % of the positives?
    The 5 % that a random order saves are subtracted. This is the WSS@95 of literature
    screening [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes, or rankings that replace labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    recall : float, default=0.95
        The fraction of the positives to find, in (0, 1].
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        In [``recall`` - 1, ``recall``): 0 if all scores are equal,
        ``recall * (1 - prevalence)`` for a perfect ranking, nan if there are no
        positives.

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
    group_scores : The values of many reviews, and their mean.

    Notes
    -----
    The value is :math:`\rho - r`, where r is the rate from :func:`rate_at_recall_score`
    for the recall :math:`\rho`. Cohen's formula :math:`(TN + FN) / N - (1 - R)` [1]_ is
    the same if the recall R of the processed samples is :math:`\rho`. In other programs
    R is larger, because they continue to the next whole positive. Compare the values of
    two reviews only if their prevalences are equal. Cost: one sort.

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
    the processed samples is positive? The inverse of this precision is the number of
    processed samples per positive.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes, or rankings that replace labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    recall : float, default=0.95
        The fraction of the positives to find, in (0, 1].
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Precision in (0, 1]: the prevalence if all scores are equal, 1 for a perfect
        ranking, nan if there are no positives.

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
    rate_at_recall_score : The fraction of all samples that is processed.

    Notes
    -----
    The value is :math:`\pi \rho / r`, where :math:`\pi` is the prevalence, and r is the
    rate from :func:`rate_at_recall_score` for the recall :math:`\rho`. This is the
    precision at exactly this recall. Other programs return the maximum precision at
    this or a higher recall, such as ``precision[recall >= 0.95].max()`` for
    scikit-learn's curve. The interval "wilson" of :func:`estimate` inverts a test, as
    for :func:`rate_at_recall_score`; the variance then includes the variance of the
    prevalence. Cost: one sort.

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
        True labels of two classes, or rankings that replace labels and scores.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    precision : float, default=None
        Required. The minimum fraction of positives among the processed samples, in
        (0, 1].
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Recall in [0, 1]: 1 for a perfect ranking, and for any ranking if the prevalence
        is at least ``precision``; 0 if the precision is lower at all rates, for example
        if all scores are equal and the prevalence is lower; nan if there are no
        positives.

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
    Let F(r) be the recall at the rate r, averaged over random orders of tied samples,
    :math:`\pi` the prevalence and :math:`\tau` the ``precision``. The value is the
    maximum F(r) with :math:`\pi F(r) \ge \tau r`. Without tied scores it is the maximum
    recall of the points of scikit-learn's curve with at least this precision. With tied
    scores, a part of a group of tied samples may be processed, in random order. If the
    precision is too low at all rates, the value is 0 and not nan, as in Keras and
    torchmetrics: no sample is processed then.

    The interval "wilson" of :func:`estimate` inverts a test. Let :math:`r_1` be the
    last rate at which the precision is significantly above :math:`\tau`, and
    :math:`r_2` the last rate at which it is not significantly below :math:`\tau`. At a
    rate r, the precision is :math:`\tau` if the recall is :math:`\tau r / \pi`. The
    interval therefore goes from :math:`\tau r_1 / \pi` to :math:`\tau r_2 / \pi`, but
    at most to 1. :func:`compare` uses the standard error. It warns if fewer than ten
    negatives are above the cut of a model: use ``method="permutation"`` then. Cost: one
    sort.

    Examples
    --------
    >>> from skrate import recall_at_precision_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> recall_at_precision_score(y_true, y_score, precision=0.6)
    1.0

    A precision of at least 0.9 is reached only by the first sample alone:

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

    If 1 % of the negatives may be flagged, which fraction of the positives is flagged?
    This is the sensitivity at a specificity of 1 - ``fpr``, and does not depend on the
    prevalence. If the budget is a fraction of all samples, use
    :func:`recall_at_rate_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels of two or of several classes, a matrix of 0 and 1 with a column for each
        label, a RankTable or FoldRankings, as for :func:`rate_weighted_auc_score`.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for the class of the column.
    fpr : float, default=None
        Required. The fraction of the negatives that may be above the cut, in [0, 1).
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        Average over several classes, each of which is ranked against the rest, as for
        :func:`rate_weighted_auc_score`. None returns the value of each class.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, as for :func:`rate_weighted_auc_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        Recall in [0, 1]: ``fpr`` if all scores are equal, 1 for a perfect ranking, nan
        if a class is absent. An array if ``average=None``.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid, or ``fpr`` is missing or outside
        [0, 1). For several classes, see also :func:`rate_weighted_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If there are no positives or no negatives. With several classes, the warning
        names the class, and a mean that includes it is nan ("weighted" ignores classes
        without samples).

    See Also
    --------
    sklearn.metrics.roc_curve : All points of the curve.
    fpr_at_recall_score : The false positive rate at a given recall.
    partial_auc_score : The mean recall up to a false positive rate.

    Notes
    -----
    The value is T(f), the height of the ROC curve at f = ``fpr``, or the maximum height
    if the curve is vertical there. A group of tied samples is a straight segment of the
    curve, as in pROC: each point of the segment is the mean over random orders of these
    samples. torchmetrics flags either all samples of a group or none. Its value is
    therefore lower if the cut is within a group, and otherwise the same.

    The variance is :math:`T (1 - T) / n_1 + \lambda^2 f (1 - f) / n_0` [1]_, where
    :math:`n_1` and :math:`n_0` are the numbers of positives and negatives, and
    :math:`\lambda` is the slope of the curve between the false positive rates that are
    one standard error of f below and above f. The second term is missing in a binomial
    interval: the threshold is also estimated from these samples. The interval "wilson"
    of :func:`estimate` inverts a test with this variance. :func:`estimate` warns if f
    :math:`n_0` is below 3, because the interval then often begins at 0. Cost: one sort
    for each class.

    References
    ----------
    .. [1] Hsieh and Turnbull (1996), Nonparametric and semiparametric estimation of the
       receiver operating characteristic curve, Ann. Stat. 24(1),
       :doi:`10.1214/aos/1033066197`.

    Examples
    --------
    If one of the two negatives may be flagged, both positives are flagged:

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

    If 95 % of the positives must be flagged, which fraction of the negatives is also
    flagged? This is FPR\@95 of out-of-distribution detection, and 1 minus the
    specificity at a given sensitivity. Lower values are better, so scorers negate them.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels of two or of several classes, a matrix of 0 and 1 with a column for each
        label, a RankTable or FoldRankings, as for :func:`rate_weighted_auc_score`.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for the class of the column.
    recall : float, default=0.95
        The fraction of the positives to find, in (0, 1].
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        Average over several classes, each of which is ranked against the rest, as for
        :func:`rate_weighted_auc_score`. None returns the value of each class.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, as for :func:`rate_weighted_auc_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        False positive rate in [0, 1]: ``recall`` if all scores are equal, 0 for a
        perfect ranking, nan if a class is absent. An array if ``average=None``.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid, or ``recall`` is outside (0, 1]. For
        several classes, see also :func:`rate_weighted_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If there are no positives or no negatives, as for :func:`recall_at_fpr_score`.

    See Also
    --------
    sklearn.metrics.roc_curve : All points of the curve.
    recall_at_fpr_score : The recall at a given false positive rate.
    rate_at_recall_score : The fraction of all samples that is flagged.

    Notes
    -----
    The value is the minimum f with T(f) = ``recall``, where T is the ROC curve as in
    :func:`recall_at_fpr_score`. If the classes are swapped, the scores are negated and
    ``fpr`` is 1 - ``recall``, then :func:`recall_at_fpr_score` returns 1 minus this
    value. Variance and interval are therefore computed in the same way. Cost: one sort
    for each class.

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
    """Base class of metrics that are computed from the minimum rate with a recall."""

    recall: float = 0.95

    needs: ClassVar[tuple[str, ...]] = ("positive",)
    enough_positives = 20
    has_test = is_at_recall = True
    # Whether the metric is a precision, which is proportional to the prevalence.
    is_precision = False

    def __post_init__(self) -> None:
        recall = check_fraction("recall", self.recall, include_one=True)
        object.__setattr__(self, "recall", recall)

    def compute(self, table: RankTable) -> float:
        return float(self.values(*merge_around_recall(table, self.recall))[0])

    def values(self, pos: Array, neg: Array) -> FloatArray:
        rates = min_rates(pos, neg, self.recall)
        n_pos = pos.sum(axis=1)
        return np.asarray(self.convert_rate(rates, n_pos / (n_pos + neg.sum(axis=1))))

    def slopes(self, table: RankTable) -> Slopes:
        rate = table_min_rate(table, self.recall)
        slopes = rate_slopes(table, self.recall)
        return self._convert_slopes(slopes, rate, table.prevalence)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        rate = table_min_rate(table, self.recall)
        test = RecallTest(
            table, sizes, rate, self.recall, is_precision=self.is_precision
        )
        rates = test.not_rejected(quantile)
        low, high = sorted(self.convert_rate(rate, table.prevalence) for rate in rates)
        if self.is_precision and not sizes.are_fixed and rates[1] >= 1 - ROUNDING:
            # If all samples are processed, only the prevalence is uncertain.
            k = quantile**2 / (sizes.n_pos + sizes.n_neg)
            min_prevalence = wilson_ends(table.prevalence, (0.0, 1.0), k)[0]
            low = min(low, self.recall * float(min_prevalence))
        return float(low), float(high)

    def difference_caution(
        self, table: RankTable, sizes: tuple[float, float]
    ) -> str | None:
        sides = "found", "missed"
        return small_side_caution(self, self.recall, sizes[0], "positives", sides)

    def max_dof(self, n_pos: float, n_neg: float) -> float:
        # Twice the number of positives on the smaller side of the cut, because these
        # positives determine the cut. Tests of equal models at a level of 0.01 then
        # reject in 0.01 to 0.02 of the data sets.
        return max(2 * n_pos * min(self.recall, 1 - self.recall), 1.0)

    def convert_rate(self, rate: Any, prevalence: Any) -> Any:
        """Return the value of the metric, given the minimum rate with the recall."""
        return rate

    def _convert_slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        """Return the slopes of the metric, given the rate and its slopes."""
        return slopes


class RateAtRecall(TargetRecallMetric, score=rate_at_recall_score):
    """The minimum rate with a given recall."""

    name = "Rate at recall"
    greater_is_better = False
    takes_estimates = True


class WorkSaved(TargetRecallMetric, score=work_saved_score):
    """The recall minus the minimum rate with this recall."""

    name = "Work saved"
    takes_estimates = True

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        return self.recall - 1.0, self.recall

    def convert_rate(self, rate: Any, prevalence: Any) -> Any:
        return self.recall - rate

    def _convert_slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        return slopes.scaled(-1.0)


class PrecisionAtRecall(TargetRecallMetric, score=precision_at_recall_score):
    """The prevalence times the recall, divided by the minimum rate with this recall."""

    name = "Precision at recall"
    is_precision = True

    def convert_rate(self, rate: Any, prevalence: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.minimum(np.divide(prevalence * self.recall, rate), 1.0)

    def _convert_slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        factor = -prevalence * self.recall / rate**2
        return slopes.scaled(factor, self.recall / rate)


class RecallAtPrecision(Metric, score=recall_at_precision_score):
    """The recall at the last rate at which the precision is at least the given one."""

    precision: Any = field(
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

    def compute(self, table: RankTable) -> float:
        merged = table.merged.table
        n_found = self._find_last_cut(merged.cum_pos[None], merged.cum_neg[None])[0]
        return float(divide_or_nan(n_found, np.array([table.n_pos]))[0])

    def values(self, pos: Array, neg: Array) -> FloatArray:
        cum_pos, cum_neg = (
            np.pad(np.cumsum(weights, axis=1), ((0, 0), (1, 0)))
            for weights in (pos, neg)
        )
        return divide_or_nan(self._find_last_cut(cum_pos, cum_neg)[0], cum_pos[:, -1])

    def _find_last_cut(
        self, cum_pos: Array, cum_neg: Array
    ) -> tuple[FloatArray, IntArray]:
        """Return the weight of positives above the last cut, and the group of the cut.

        The precision above the cut is at least the target. ``cum_pos`` and ``cum_neg``
        are the weights of both classes above each group, and increase linearly within
        it. If all samples are above the cut, the group is the number of groups.
        """
        processed, n_groups = cum_pos + cum_neg, cum_pos.shape[1] - 1
        # Without processed samples, every target is met.
        is_met = cum_pos >= self.precision * processed * (1 - ROUNDING)
        group = n_groups - np.argmax(is_met[:, ::-1], axis=1)
        rows = np.arange(len(cum_pos))
        before, after = (rows, group), (rows, np.minimum(group + 1, n_groups))
        excess = np.maximum(cum_pos[before] - self.precision * processed[before], 0.0)
        deficit = np.maximum(self.precision * processed[after] - cum_pos[after], 0.0)
        fraction = ratio(excess, excess + deficit)
        n_found_in_group = fraction * (cum_pos[after] - cum_pos[before])
        return cum_pos[before] + n_found_in_group, group

    def slopes(self, table: RankTable) -> Slopes:
        p, target = table.prevalence, self.precision
        recall, rate = self._evaluate_last_cut(table)
        if rate in (0, 1):
            # All samples or none are processed, and small changes of weights keep this.
            zeros = np.zeros(table.n_groups)
            return Slopes(zeros, zeros, 0.0)
        at_cut = float(cut_positive_fraction([table], np.array([rate]))[0])
        if at_cut >= target * (1 - ROUNDING):
            # By chance, the precision does not fall at the cut: use the fraction of
            # positives among all samples below the cut.
            at_cut = (p - p * recall) / (1 - rate)
        factor = target / p / (target - at_cut)
        slopes = recall_slopes(table, Fixed(rate))[0]
        return slopes.scaled(factor * p, factor * recall - recall / p)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        recall_per_rate = self.precision / table.prevalence
        measured_rate = min(self.value(table) / recall_per_rate, 1.0)
        test = RecallTest(
            table, sizes, measured_rate, precision=self.precision, is_precision=True
        )
        low, high = (
            min(recall_per_rate * test.find_last_rate(limit, -1), 1.0)
            for limit in (-quantile, quantile)
        )
        return low, high

    def difference_caution(
        self, table: RankTable, sizes: tuple[float, float]
    ) -> str | None:
        recall, rate = self._evaluate_last_cut(table)
        false_pos_weight = rate * table.total - recall * table.n_pos
        n_false_pos = false_pos_weight / table.n_neg * sizes[1]
        # With fewer negatives, tests with the standard error reject too often.
        n_enough = 10
        if rate == 1 or n_false_pos >= n_enough:
            return None
        return (
            f"{self.name} {self.precision:g}: only {n_false_pos:.1f} negatives above "
            f"the cut (fewer than {n_enough}): {TOO_SMALL}"
        )

    def _evaluate_last_cut(self, table: RankTable) -> tuple[float, float]:
        """Return the recall and the rate at the last cut with the precision."""
        (n_found,), (group,) = self._find_last_cut(
            table.cum_pos[None], table.cum_neg[None]
        )
        if group == table.n_groups:
            return 1.0, 1.0
        if table.pos[group] > 0:
            rate = max(n_found / self.precision / table.total, table.rates[group])
        else:
            # In a run of negatives the recall is constant: use the rate at its start.
            rate = table.rates[np.searchsorted(table.cum_pos, table.cum_pos[group])]
        return float(n_found / table.n_pos), float(rate)


class FPRAtRecall(TargetRecallMetric, score=fpr_at_recall_score):
    """The minimum fraction of negatives above a cut with a given recall.

    It does not depend on the prevalence, so tests treat class sizes as fixed.
    """

    name = "FPR at recall"
    needs = ("positive", "negative")
    greater_is_better = False
    ignores_prevalence = True

    def values(self, pos: Array, neg: Array) -> FloatArray:
        # Computing this from the rate would lose digits if false positives are rare.
        return min_processed_fractions(pos, neg, self.recall)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        return super().not_rejected(table, sizes._replace(are_fixed=True), quantile)

    def convert_rate(self, rate: Any, prevalence: Any) -> Any:
        return (rate - prevalence * self.recall) / (1 - prevalence)

    def slopes(self, table: RankTable) -> Slopes:
        # 1 - prevalence would be 0 by rounding if negatives have almost no weight.
        slopes = rate_slopes(table, self.recall).scaled(1 / table.negative_fraction)
        return slopes._replace(by_prevalence=0.0)


class RecallAtFPR(Metric, score=recall_at_fpr_score):
    """The recall at an FPR: 1 - FPRAtRecall with exchanged classes, negated scores."""

    fpr: Any = field(
        default=None,
        metadata=needed("the fraction of the negatives that may be above the cut"),
    )

    name = "Recall at FPR"
    ignores_prevalence = has_test = takes_estimates = True

    def __post_init__(self) -> None:
        if self.fpr is not None:
            fpr = check_fraction("fpr", self.fpr, include_zero=True)
            object.__setattr__(self, "fpr", fpr)

    @property
    def mirrored(self) -> FPRAtRecall:
        """The metric that has the value 1 minus this one on the mirrored table."""
        return FPRAtRecall(1 - self.fpr)

    def compute(self, table: RankTable) -> float:
        return 1 - self.mirrored.compute(table.mirrored)

    def values(self, pos: Array, neg: Array) -> FloatArray:
        return 1 - self.mirrored.values(neg[:, ::-1], pos[:, ::-1])

    def slopes(self, table: RankTable) -> Slopes:
        return self.mirrored.slopes(table.mirrored).mirrored().scaled(-1.0)

    def count_cut_negatives(self, n_neg: float) -> float:
        return float(self.fpr * n_neg)

    def not_rejected(
        self, table: RankTable, sizes: Sizes, quantile: float
    ) -> tuple[float, float]:
        swapped = sizes._replace(n_pos=sizes.n_neg, n_neg=sizes.n_pos)
        low, high = self.mirrored.not_rejected(table.mirrored, swapped, quantile)
        return 1 - high, 1 - low

    def difference_caution(
        self, table: RankTable, sizes: tuple[float, float]
    ) -> str | None:
        sides = "above the cut", "below the cut"
        return small_side_caution(self, self.fpr, sizes[1], "negatives", sides)

    def cut_rates(self, table: RankTable) -> FloatArray:
        return np.array([1 - table_min_rate(table.mirrored, self.mirrored.recall)])


def small_side_caution(
    metric: Metric, fraction: float, n_samples: float, name: str, sides: tuple[str, str]
) -> str | None:
    """Return a warning if a side of the cut at a fraction has fewer than 8 samples."""
    counts = fraction * n_samples, (1 - fraction) * n_samples
    n_side, side = min(zip(counts, sides, strict=True))
    # With fewer samples, standard errors are too small.
    n_enough = 8
    if n_side >= n_enough * (1 - ROUNDING):
        return None
    return (
        f"{metric.name} {fraction:g}: only {n_side:.3g} of {n_samples:g} {name} are "
        f"{side} (fewer than {n_enough}): {TOO_SMALL}"
    )
