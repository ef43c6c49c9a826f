"""Average precision, at the prevalence of the sample or of a population."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, overload

import numpy as np
import sklearn.metrics

from skrate.data.arrays import (
    Array,
    ArrayLike,
    FloatArray,
    Label,
    Number,
    divide_or_nan,
    dot,
    parts,
    ratio,
    reverse_cumsum,
)
from skrate.data.checks import check_flag, check_fraction, find_label
from skrate.data.compressed import Cells, reach
from skrate.data.folds import FoldRankings
from skrate.data.list_table import ListTable, ListValues
from skrate.data.table import RankTable
from skrate.metrics.classes import AverageName, ClassAverage, has_columns, score_any
from skrate.metrics.list_scores import find_unreturned, mean_list_score
from skrate.metrics.metric import Metric, Slopes, reject_scoring

__all__ = ["average_precision_score"]

# The fraction of a class in a sample of very small weight can round to 0.
_LEAST = np.finfo(np.float64).tiny


@overload
def average_precision_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    prevalence: Number | None = ...,
    adjusted: bool = ...,
    average: AverageName = ...,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> float: ...


@overload
def average_precision_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = ...,
    *,
    prevalence: Number | None = ...,
    adjusted: bool = ...,
    average: None,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label = ...,
) -> FloatArray: ...


@reject_scoring
def average_precision_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    prevalence: Number | None = None,
    adjusted: bool = False,
    average: ClassAverage = "macro",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float | FloatArray:
    r"""Compute the average precision, at the prevalence of the data or a population.

    For each positive, take the precision among the samples with the same score or a
    higher one. The metric is the mean of these precisions. It depends most on the top
    of the ranking, and is used for screening and rare events. By default it is equal to
    :func:`sklearn.metrics.average_precision_score`, and faster. In addition, it can
    estimate the average precision in a population with another prevalence.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels of two or of several classes, a matrix of 0 and 1 with a column for each
        label, a RankTable or FoldRankings, as for :func:`rate_weighted_auc_score`.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for the class of the column. For one
        class, -inf marks items that were not returned; positives among them add 0.
    prevalence : float, default=None
        Fraction of positives in the population, in (0, 1), if it differs from the data,
        as in a case-control study. The classes are weighted to obtain this fraction.
        None means the fraction in the data.
    adjusted : bool, default=False
        Whether to rescale the value, so that constant scores have the value 0 at any
        prevalence.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        Average over several classes, each of which is ranked against the rest, as for
        :func:`rate_weighted_auc_score`. None returns the value of each class.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, as for :func:`rate_weighted_auc_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the samples; None means equal weights. Integer weights are
        equivalent to repeated rows.
    pos_label : int, float, bool or str, default=None
        The positive label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        Average precision in [0, 1], 0 only if no positive was returned, and nan if
        there are no positives. A perfect ranking has the value 1, and the value for
        constant scores is the prevalence. The expectation for random scores is slightly
        higher than the prevalence. If ``adjusted``, constant scores have the value 0,
        worse rankings less, and it is also nan if there are no negatives. An array with
        ``average=None``.

    Raises
    ------
    ValueError
        If labels, scores or weights are invalid or differ in length, or ``prevalence``
        is outside (0, 1). :func:`rate_weighted_auc_score` lists the errors for several
        classes.

    Warns
    -----
    UndefinedMetricWarning
        If there are no positives (scikit-learn then returns 0.0), or no negatives and
        ``prevalence`` is given or ``adjusted`` is True. With several classes, the
        average is then nan, except that "weighted" ignores classes without positives.
        The warning names the class, or for "samples" the number of undefined samples.
    UserWarning
        If there are too few negatives for ``prevalence``, see Notes. The warning
        contains the approximate number that is needed.

    See Also
    --------
    sklearn.metrics.average_precision_score : At the prevalence of the data.
    mean_average_precision_score : The mean over several ranked lists.
    rate_weighted_auc_score : The metric if you know which rates are likely.
    AveragePrecisionScorer : This metric as a ``scoring=`` object.

    Notes
    -----
    Samples with equal scores form a group; the groups k = 1, 2, ... are in decreasing
    order of the score. Let :math:`P_k` and :math:`Q_k` be the fractions of all
    positives and of all negatives in the first k groups, :math:`\Delta P_k = P_k -
    P_{k-1}`, and p the prevalence. Then

    .. math:: AP = \sum_k \Delta P_k \frac{p P_k}{p P_k + (1 - p) Q_k},

    which is equation 24 of [1]_, and equation 17 if p is the prevalence of the data. If
    ``adjusted``, it is (AP - p) / (1 - p), equation 11. Samples with equal scores are
    processed together. :func:`mean_average_precision_score` takes the expectation over
    their random orders instead. Cost: one sort for each class.

    Several classes are averaged as in :func:`sklearn.metrics.average_precision_score`,
    except that a class or sample without a positive is undefined, and not 0.

    At a low ``prevalence``, one of the m negatives in the data represents many in the
    population. There is a warning if both of these conditions hold. (1) m is below
    10 (1 - p) / p, the number in the warning. (2) Positives with fewer than 3 negatives
    above them contribute more than the fraction min(0.9, m p / (1 - p)) of the value. m
    is the number of rows with negatives, or their total weight in a :class:`RankTable`.
    With ``sample_weight``, weights of negatives are divided by their mean first.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2013), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    The positives have the ranks 1 and 3, with the precisions 1 and 2/3:

    >>> from skrate import average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> round(average_precision_score(y_true, y_score), 4)
    0.8333

    In a population with 1 % positives, the second positive is below many negatives. (It
    also warns, because two negatives are too few.)

    >>> score = average_precision_score(y_true, y_score, prevalence=0.01)
    >>> round(score, 4)
    0.5099
    """
    metric = AveragePrecision(prevalence, adjusted)
    if has_columns(y_score) and find_label(pos_label, [1]):
        # Ignored as in scikit-learn, because 1 is its default.
        pos_label = None
    y_score, has_unreturned = find_unreturned(y_score)
    if has_unreturned:
        rows = y_true, y_score, None, sample_weight, None, pos_label
        return mean_list_score(metric, rows, average="macro")
    sample = y_true, y_score, sample_weight, pos_label
    return score_any(lambda _: metric, None, *sample, average=average, labels=labels)


class AveragePrecision(
    Metric,
    score=average_precision_score,
    aliases=(sklearn.metrics.average_precision_score,),
):
    """The average precision at a prevalence."""

    prevalence: Any = None
    adjusted: bool = False

    def __post_init__(self) -> None:
        check_flag("adjusted", self.adjusted)
        if self.prevalence is not None:
            # A Python float, because float16 or float32 would round later results.
            prevalence = check_fraction("prevalence", self.prevalence)
            object.__setattr__(self, "prevalence", prevalence)

    @property
    def name(self) -> str:
        return "Adjusted average precision" if self.adjusted else "Average precision"

    enough_positives, least_positives = 20, 5
    # With degrees of freedom by cluster sums, tests of equal models with 12 clusters
    # reject in 7 %, otherwise in 8 %.
    rests_on_few_clusters = True
    # Only the number of negatives above each positive matters.
    groups = "down"

    @property
    def takes_estimates(self) -> bool:  # type: ignore[override]
        return self.prevalence is None and not self.adjusted

    @property
    def ignores_prevalence(self) -> bool:  # type: ignore[override]
        return self.prevalence is not None

    @property
    def takes_unreturned(self) -> bool:  # type: ignore[override]
        return self.takes_estimates

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        if lists.unreturned is None:
            return super().score_lists(lists, k)
        # The AP of the returned items, times the fraction of positives among them.
        neg = lists.neg.copy()
        neg[lists.unreturned] = 0
        returned = replace(lists, pos=lists.returned_pos, neg=neg, unreturned=None)
        ap = np.nan_to_num(super().score_lists(returned, k).values)
        return ListValues.of(ap * divide_or_nan(returned.n_pos, lists.n_pos), lists)

    @property
    def needs(self) -> tuple[str, ...]:
        if self.adjusted or self.prevalence is not None:
            return "positive", "negative"
        return ("positive",)

    def compute_estimated(self, table: RankTable) -> float:
        assert table.own_products is not None
        # If a sample is positive, it counts as one whole positive for itself.
        hits = table.pos * table.cum_pos[1:] + table.own_products[1]
        return float(np.add.reduce(hits / _above(table)) / table.n_pos)

    def compute(self, table: RankTable) -> float:
        # Only groups with positives count, in parts that fit into the cache.
        at = np.flatnonzero(table.pos > 0 if table.labels is None else table.labels)
        sizes = np.array([[[table.n_pos]], [[table.n_neg]]])
        mean = np.zeros(1)
        for chunk in parts(max(len(at), 1)):
            cut = at[chunk] + 1
            if table.labels is None:
                pos, cum_pos = table.pos[at[chunk]], table.cum_pos[cut]
                cum_neg = table.cum_neg[cut]
            else:
                cum_pos = chunk.start + np.arange(1.0, len(cut) + 1)
                pos, cum_neg = np.broadcast_to(1.0, cut.shape), cut - cum_pos
            mean += self._mean(pos[None], cum_pos[None], cum_neg[None], sizes)
        return float(1 - mean[0] if self.adjusted else mean[0])

    def values(self, pos: Array, neg: Array) -> FloatArray:
        # Integers are summed as integers, which is faster.
        cum_pos, cum_neg = np.cumsum(pos, axis=1), np.cumsum(neg, axis=1)
        sizes = np.array([cum_pos[:, -1:], cum_neg[:, -1:]], dtype=np.float64)
        mean = self._mean(pos, cum_pos, cum_neg, sizes)
        return 1 - mean if self.adjusted else mean

    def _mean(
        self, pos: Array, cum_pos: Array, cum_neg: Array, sizes: FloatArray
    ) -> FloatArray:
        """Return the mean precision, or (1 - precision) / (1 - p) if adjusted.

        The mean is over the positives. ``cum_pos`` and ``cum_neg`` are the positives
        and negatives above each cut, ``sizes`` the totals of both classes. It is nan
        without a needed class.
        """
        p, (n_pos, n_neg) = self.prevalence, sizes
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.adjusted or p is not None:
                # By fractions of the classes, because weights have any scale.
                cum_pos, cum_neg = cum_pos / n_pos, cum_neg / n_neg
            if not self.adjusted:
                cum_neg = cum_neg if p is None else (1 - p) / p * cum_neg
                precision = ratio(cum_pos, cum_pos + cum_neg)
                return np.asarray(np.einsum("ij,ij->i", pos, precision) / n_pos[:, 0])
            total = n_pos + n_neg
            p, q = (n_pos / total, n_neg / total) if p is None else (p, 1 - p)
            # (AP - p) / (1 - p) = 1 - (1 - AP) / (1 - p).
            missed = ratio(cum_neg, p * cum_pos + q * cum_neg)
            return np.asarray(np.einsum("ij,ij->i", pos, missed) / n_pos[:, 0])

    def slopes(self, table: RankTable) -> Slopes:
        slopes = _slopes(table, self.prevalence, self.adjusted)
        if table.own_products is None:
            return slopes
        # A sample counts as one in its own precision, for any weight.
        once = (table.pos - table.neg) / (table.pos + table.neg) - 1
        by_pos = slopes.by_pos - np.maximum(once, 0) / _above(table)
        return slopes._replace(by_pos=by_pos)

    def caution(self, table: RankTable, sizes: tuple[float, float]) -> str | None:
        """Return a warning if the prevalence needs more negatives, else None."""
        p = self.prevalence
        if p is None:
            return None
        n_neg, odds = sizes[1], p / (1 - p)
        # Ten negatives above the cut at a false positive rate equal to the odds, with a
        # precision of about one half, are enough for any ranking.
        n_needed = 10 / odds
        if n_needed <= n_neg * (1 + 1e-9):
            return None
        tpr = table.cum_pos[1:] / table.n_pos
        fpr = table.cum_neg[1:] / table.n_neg
        # The precisions, divided by the odds and the number of positives.
        contributions = tpr / np.maximum(odds * tpr + fpr, _LEAST)
        contributions *= table.pos / table.n_pos
        # With fewer than three negatives above, up to rounding, it is unreliable.
        is_unreliable = n_neg * fpr < 3 * (1 - 1e-9)
        fraction = contributions[is_unreliable].sum() / contributions.sum()
        if fraction <= min(0.9, n_neg * odds):
            return None
        # Two digits, rounded up, without an exponent below 1e9.
        digits = max(int(np.floor(np.log10(n_needed))) - 1, 0)
        rounded = float(np.ceil(n_needed / 10**digits - 1e-9)) * 10**digits
        needed = f"{rounded:,.0f}" if rounded < 1e9 else f"{rounded:g}"
        return (
            f"{self.name} at prevalence {p:g}: collect about {needed} negatives "
            f"(there are {np.floor(n_neg):,.0f}), or report the AUC or a partial AUC. "
            "The value, its interval and comparisons are unreliable, because positives "
            f"with fewer than 3 negatives above them contribute {fraction:.0%} of it."
        )

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return the range, which extends below 0 if adjusted."""
        if not self.adjusted or table is None:
            return (-np.inf if self.adjusted else 0.0), 1.0
        p, q = _class_fractions(table, self.prevalence)
        # Undefined without negatives, because the adjustment divides by 0.
        return (-p / q if q > 0 else float("-inf")), 1.0

    def extremes(self, table: RankTable) -> tuple[float, float]:
        per_neg = 1.0
        if self.prevalence is not None:
            odds = self.prevalence / (1 - self.prevalence)
            per_neg = table.n_pos / table.n_neg / odds
        p, q = _class_fractions(table, self.prevalence)
        # Like the value, from 1 - AP, which keeps its digits if negatives are rare.
        of_missed = self.adjusted and p > 0.5
        low, high = _extremes(table.cells, per_neg, of_missed=of_missed)
        if of_missed:
            return 1 - low / q, 1 - high / q
        if self.adjusted:
            return (low - p) / q, (high - p) / q
        return low, high

    def excess(self, table: RankTable) -> float:
        p, q = _class_fractions(table, self.prevalence)
        excess = precision_excess(table.merged.table, p)
        return excess / q if self.adjusted else excess


def _extremes(
    cells: Cells, per_neg: float, *, of_missed: bool = False
) -> tuple[float, float]:
    """Return the minimum and maximum average precision that cells allow.

    The maximum has all positives above that can be, and only the negatives that must
    be; the minimum is the reverse. If ``of_missed``, return 1 minus these two.
    """
    above = reach(cells)
    n_pos = cells.pos.sum()
    neg = per_neg * above.neg_least
    pos = above.pos_most
    high = ratio(neg if of_missed else pos, pos + neg)
    neg = per_neg * above.neg_most
    pos = above.pos_least + np.where(cells.is_exact, 0, cells.pos)
    low = cells.pos * ratio(neg if of_missed else pos, pos + neg)
    # An integral over the positives of a cell, which is valid for any weights.
    is_inexact = ~cells.is_exact & (cells.pos > 0) & (neg > 0)
    pos, before, neg = (x[is_inexact] for x in (cells.pos, above.pos_least, neg))
    missed = neg * np.log1p(pos / (before + neg))
    low[is_inexact] = missed if of_missed else pos - missed
    return float(low.sum() / n_pos), float(dot(cells.pos, high) / n_pos)


def _class_fractions(table: RankTable, prevalence: float | None) -> tuple[float, float]:
    if prevalence is None:
        return table.prevalence, table.negative_fraction
    return prevalence, 1 - prevalence


def _slopes(table: RankTable, prevalence: float | None, adjusted: bool) -> Slopes:
    """Return the slopes of g = sum_k P_k p T_k / C_k, as in appendix B of the article.

    P_k is the fraction of the positives in group k, T_k and F_k are the fractions of
    positives and negatives down to group k, and C_k = p T_k + (1 - p) F_k. If
    ``adjusted``, return the slopes of (g - p) / (1 - p); the slope by p is then
    sum_k P_k F_k (T_k - F_k) / C_k^2.
    """
    p, q = _class_fractions(table, prevalence)
    precision = p / table.n_pos * table.cum_pos[1:]
    missed = q / table.n_neg * table.cum_neg[1:]
    # Neither 0 nor squared, because fractions can be extremely small.
    inverse = precision + missed
    np.divide(1, np.maximum(inverse, _LEAST, out=inverse), out=inverse)
    # The precision, 1 - precision, and P_k / C_k.
    precision *= inverse
    missed *= inverse
    fraction = table.pos / table.n_pos
    inverse *= fraction
    # P_k p T_k / C_k^2 and P_k (1 - p) F_k / C_k^2, summed.
    by_pos = p * reverse_cumsum(inverse * missed)
    by_neg = -q * reverse_cumsum(inverse * precision)
    by_prevalence = 0.0
    if prevalence is None and not adjusted:
        by_prevalence = float(dot(fraction, missed * precision)) / p / q
    elif prevalence is None:
        lead = precision / p - missed / q
        by_prevalence = float(dot(fraction, missed / q * lead))
    # Minus 1 before the division by 1 - p: constants only add rounding errors.
    by_pos += -missed if adjusted else precision
    if adjusted:
        by_pos, by_neg = by_pos / q, by_neg / q
    return Slopes(by_pos, by_neg, by_prevalence)


def _above(table: RankTable) -> FloatArray:
    """Return the weight down to each cut, with a positive at the cut counted as one."""
    above = table.rates[1:] * table.total
    if table.is_of_samples or table.own_products is None:
        return above
    with_neg, with_rest = table.own_products
    excess = np.zeros_like(above)
    # The mean of 1 minus the sample's weight, over the positives of a group.
    np.divide(with_rest - with_neg, table.pos, out=excess, where=table.pos > 0)
    return above + excess


def precision_excess(table: RankTable, prevalence: float) -> float:
    """Return the bias of the average precision by the jackknife of both classes.

    Each of the m samples of a class is removed in turn, at a constant prevalence. The
    bias is m - 1 times (mean of these values - value), summed over the classes. A
    positive with t positives and f negatives down to it has the precision
    t / (t + r f), and (t - 1) / (t - 1 + r f) without a positive above it. Negatives
    are treated in the same way.
    """
    n_pos, n_neg = table.n_pos, table.n_neg
    if min(n_pos, n_neg) < 2:
        return float("nan")
    groups = table.pos > 0
    pos = table.pos[groups]
    hits, wasted = table.cum_pos[1:][groups], table.cum_neg[1:][groups]
    # The weight r of a negative divided by the weight of a positive.
    ratio = (1 - prevalence) / prevalence * n_pos / n_neg
    rest_pos, rest_neg = n_pos - 1, n_neg - 1

    def mean(
        hits: FloatArray, wasted: FloatArray, ratio: float, weight: FloatArray
    ) -> float:
        with np.errstate(invalid="ignore"):
            precision = np.where(hits > 0, hits / (hits + ratio * wasted), 0.0)
        return float(dot(pos * weight, precision)) / n_pos

    full = mean(hits, wasted, ratio, np.ones_like(pos))
    by_pos = ratio * rest_pos / n_pos
    without_pos = mean(hits, wasted, by_pos, (n_pos - hits) / rest_pos)
    without_pos += mean(hits - 1, wasted, by_pos, (hits - 1) / rest_pos)
    by_neg = ratio * n_neg / rest_neg
    without_neg = mean(hits, wasted, by_neg, (n_neg - wasted) / n_neg)
    without_neg += mean(hits, np.maximum(wasted - 1, 0), by_neg, wasted / n_neg)
    return rest_pos * (without_pos - full) + rest_neg * (without_neg - full)
