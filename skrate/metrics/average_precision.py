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
from skrate.metrics.list_scores import has_unreturned, mean_list_score
from skrate.metrics.metric import Metric, Slopes, reject_scoring

__all__ = ["average_precision_score"]

# A case may count so little that its share of its class is 0.
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
    r"""Compute the average precision, at the prevalence of sample or population.

    The mean, over the positives, of the precision down to each of them: a measure for
    screening and rare events, where the top of the ranking counts. Equal to
    :func:`sklearn.metrics.average_precision_score` by default, and quicker; unlike it,
    it can tell what a case-control sample says about a population. Only the order of
    the scores counts.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels: two classes, several with a column of ``y_score`` each, or a matrix
        of 0 and 1 for each case and label. Or a :class:`RankTable`, or
        :class:`FoldRankings`, without ``y_score``.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, higher for the positive class, or for the class of the column: decision
        values or probabilities.
    prevalence : float, default=None
        Proportion of positives in the population, in (0, 1): positives and negatives
        are weighted to it. If None, the proportion in the sample is used.
    adjusted : bool, default=False
        Whether to rescale so that constant scores give 0, at any prevalence.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        How the classes are averaged, each ranked against the rest. "macro" weighs them
        equally, "weighted" by their cases; None returns a value for each. "micro" ranks
        all pairs of a case and a class in one queue; "samples" ranks the classes of
        each case, and averages over cases. Not used for two classes.
    labels : array-like of shape (n_classes,), default=None
        The classes of the columns of ``y_score``, in their order. None takes those in
        ``y_true``, sorted; where this has columns itself, their numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones. Whole weights equal
        repeated rows.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float, or array of shape (n_classes,)
        Average precision in (0, 1]: 1 for a perfect ranking; constant scores give the
        prevalence, and random scores in expectation a little more, the less the more
        cases. ``adjusted`` it is 1 and 0 for these, and less than 0 for worse. nan
        where undefined. An array with ``average=None``.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, or a ``prevalence`` outside
        (0, 1); of several classes as :func:`rate_weighted_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive case (scikit-learn returns 0.0 there), or no negative
        one and ``prevalence`` is given or ``adjusted`` is True. With several classes it
        names the class, with several cases it counts them; a mean that needs it is nan
        ("weighted" needs no class without cases).
    UserWarning
        If the sample has too few negatives for ``prevalence``, see Notes; it says about
        how many are needed.

    See Also
    --------
    sklearn.metrics.average_precision_score : At the prevalence of the sample.
    rate_weighted_auc_score : For a rate that is known as a distribution.
    AveragePrecisionScorer : The same as a ``scoring=`` object.

    Notes
    -----
    With :math:`P_k` and :math:`Q_k` the shares of the positives and of the negatives in
    the first k of K groups of tied scores, :math:`\Delta P_k = P_k - P_{k-1}` and the
    prevalence p,

    .. math:: AP = \sum_k \Delta P_k \frac{p P_k}{p P_k + (1 - p) Q_k},

    equation 24 of [1]_, which is equation 17 at the sample's prevalence. Cases that
    tie are found together, none before the others; the expectation over their orders
    is :func:`mean_average_precision_score`. ``adjusted`` it is
    (AP - p) / (1 - p), equation 11. Cost: one sort for each class.

    Several classes are as in :func:`sklearn.metrics.average_precision_score`, but a
    class or case without a positive is not counted as 0.

    At a low ``prevalence`` a negative of the sample stands for many. With the odds p /
    (1 - p) and m negatives, there are too few if positives with fewer than 3 negatives
    above them contribute more than min(0.9, m p / (1 - p)) of the value and m is below
    10 (1 - p) / p, the number that the warning names. The m negatives are rows, or the
    weight of a :class:`RankTable`; with ``sample_weight`` a negative counts its weight
    divided by the mean weight of the negatives.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    The positives are at places 1 and 3, where the precision is 1 and 2/3:

    >>> from skrate import average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    >>> round(average_precision_score(y_true, y_score), 4)
    0.8333

    If one of a hundred were positive, many negatives would come before most of them:

    >>> score = average_precision_score(y_true, y_score, prevalence=0.01)
    >>> round(score, 4)
    0.5099
    """
    metric = AveragePrecision(prevalence, adjusted)
    if has_columns(y_score) and find_label(pos_label, [1]):
        # As scikit-learn takes it, whose default it is.
        pos_label = None
    if has_unreturned(y_score):
        rows = y_true, y_score, None, sample_weight, None, pos_label
        return mean_list_score(metric, rows, average="macro")
    sample = y_true, y_score, sample_weight, pos_label
    return score_any(lambda _: metric, None, *sample, average=average, labels=labels)


class AveragePrecision(
    Metric,
    score=average_precision_score,
    aliases=(sklearn.metrics.average_precision_score,),
):
    """Average precision, as inference and scorers see it."""

    prevalence: Any = None
    adjusted: bool = False

    def __post_init__(self) -> None:
        check_flag("adjusted", self.adjusted)
        if self.prevalence is not None:
            # As a float of Python: one of few bits would round what is made of it.
            prevalence = check_fraction("prevalence", self.prevalence)
            object.__setattr__(self, "prevalence", prevalence)

    @property
    def name(self) -> str:
        return "Adjusted average precision" if self.adjusted else "Average precision"

    enough_positives, least_positives = 20, 5
    # What counts is how many negatives there are down to each positive.
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
        # The AP of the returned items, times the proportion of positives among them.
        neg = lists.neg.copy()
        neg[lists.unreturned] = 0
        returned = replace(lists, pos=lists.returned_pos, neg=neg, unreturned=None)
        found = np.nan_to_num(super().score_lists(returned, k).values)
        return ListValues.of(found * divide_or_nan(returned.n_pos, lists.n_pos), lists)

    @property
    def needs(self) -> tuple[str, ...]:
        if self.adjusted or self.prevalence is not None:
            return "positive", "negative"
        return ("positive",)

    def compute(self, table: RankTable) -> float:
        if table.own_products is not None:
            # At a positive one more is found, whatever it counts itself.
            found = table.pos * table.cum_pos[1:] + table.own_products[1]
            return float(np.add.reduce(found / _above(table)) / table.n_pos)
        # Only groups with positives count. Their arrays stay in the cache.
        at = np.flatnonzero(table.pos > 0 if table.labels is None else table.labels)
        sizes = np.array([[[table.n_pos]], [[table.n_neg]]])
        mean = np.zeros(1)
        for part in parts(max(len(at), 1)):
            cut = at[part] + 1
            if table.labels is None:
                pos, found = table.pos[at[part]], table.cum_pos[cut]
                lost = table.cum_neg[cut]
            else:
                found = part.start + np.arange(1.0, len(cut) + 1)
                pos, lost = np.broadcast_to(1.0, cut.shape), cut - found
            mean += self._mean(pos[None], found[None], lost[None], sizes)
        return float(1 - mean[0] if self.adjusted else mean[0])

    def values(self, pos: Array, neg: Array) -> FloatArray:
        # Whole numbers are summed as such, which is quicker.
        found, lost = np.cumsum(pos, axis=1), np.cumsum(neg, axis=1)
        sizes = np.array([found[:, -1:], lost[:, -1:]], dtype=np.float64)
        mean = self._mean(pos, found, lost, sizes)
        return 1 - mean if self.adjusted else mean

    def _mean(
        self, pos: Array, found: Array, lost: Array, sizes: FloatArray
    ) -> FloatArray:
        """Return the mean precision at positives, or of 1 - precision if adjusted.

        ``found`` and ``lost`` are the positives and negatives above each cut, ``sizes``
        the totals of both classes. It is nan without a class that is needed.
        """
        p, (n_pos, n_neg) = self.prevalence, sizes
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.adjusted or p is not None:
                # By shares of the classes, whose weights may be of any size.
                found, lost = found / n_pos, lost / n_neg
            if not self.adjusted:
                lost = lost if p is None else (1 - p) / p * lost
                precision = ratio(found, found + lost)
                return np.asarray(np.einsum("ij,ij->i", pos, precision) / n_pos[:, 0])
            total = n_pos + n_neg
            chance, rest = (n_pos / total, n_neg / total) if p is None else (p, 1 - p)
            # (AP - p) / (1 - p) = 1 - (1 - AP) / (1 - p).
            missed = ratio(lost, chance * found + rest * lost)
            return np.asarray(np.einsum("ij,ij->i", pos, missed) / n_pos[:, 0])

    def slopes(self, table: RankTable) -> Slopes:
        slopes = _slopes(table, self.prevalence, self.adjusted)
        if table.own_products is None:
            return slopes
        # In its own precision a case is one, even if it stands for several.
        once = (table.pos - table.neg) / (table.pos + table.neg) - 1
        by_pos = slopes.by_pos - np.maximum(once, 0) / _above(table)
        return slopes._replace(by_pos=by_pos)

    def caution(
        self, table: RankTable, sizes: tuple[float, float], *, is_compared: bool = False
    ) -> str | None:
        """Return why the negatives are too few for the prevalence, None if not."""
        p = self.prevalence
        if p is None or is_compared:
            return None
        n_neg, odds = sizes[1], p / (1 - p)
        # Ten negatives above a false positive rate equal to the odds, where precision
        # is about a half, are enough for any ranking.
        n_needed = 10 / odds
        if n_needed <= n_neg * (1 + 1e-9):
            return None
        tpr = table.cum_pos[1:] / table.n_pos
        fpr = table.cum_neg[1:] / table.n_neg
        # The precisions, divided by the odds and the number of positives.
        contributions = tpr / np.maximum(odds * tpr + fpr, _LEAST)
        contributions *= table.pos / table.n_pos
        # Below fewer than three negatives, up to rounding, a precision is unreliable.
        is_few = n_neg * fpr < 3 * (1 - 1e-9)
        share = contributions[is_few].sum() / contributions.sum()
        if share <= min(0.9, n_neg * odds):
            return None
        # Two digits, rounded up, and no power of ten where it can be read without.
        digits = max(int(np.floor(np.log10(n_needed))) - 1, 0)
        rounded = float(np.ceil(n_needed / 10**digits - 1e-9)) * 10**digits
        needed = f"{rounded:,.0f}" if rounded < 1e9 else f"{rounded:g}"
        return (
            f"{self.name} at prevalence {p:g}: {np.floor(n_neg):,.0f} negatives are "
            f"too few, about {needed} negatives would be needed. {share:.0%} of the "
            "value comes from positives with fewer than 3 negatives above them: "
            "collect more negatives, or report the AUC or a partial AUC. "
            "Trust neither the value nor its interval, nor a comparison."
        )

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return its range; adjusted, it may be below 0."""
        if not self.adjusted or table is None:
            return (-np.inf if self.adjusted else 0.0), 1.0
        chance, rest = _class_fractions(table, self.prevalence)
        # Without negatives nothing is left to adjust by, and it is undefined.
        return (-chance / rest if rest > 0 else float("-inf")), 1.0

    def extremes(self, table: RankTable) -> tuple[float, float]:
        per_neg = 1.0
        if self.prevalence is not None:
            odds = self.prevalence / (1 - self.prevalence)
            per_neg = table.n_pos / table.n_neg / odds
        chance, rest = _class_fractions(table, self.prevalence)
        # As the value itself: next to few negatives, from what it lacks to 1.
        of_missed = self.adjusted and chance > 0.5
        least, most = _extremes(table.cells, per_neg, of_missed=of_missed)
        if of_missed:
            return 1 - least / rest, 1 - most / rest
        if self.adjusted:
            return (least - chance) / rest, (most - chance) / rest
        return least, most

    def excess(self, table: RankTable) -> float:
        chance, rest = _class_fractions(table, self.prevalence)
        found = precision_excess(table.merged.table, chance)
        return found / rest if self.adjusted else found


def _extremes(
    cells: Cells, per_neg: float, *, of_missed: bool = False
) -> tuple[float, float]:
    """Return the least and the greatest average precision that cells allow.

    Greatest with all positives above that may be and the negatives that must be, least
    the other way round; ``of_missed`` it is what these two lack to 1.
    """
    above = reach(cells)
    n_pos = cells.pos.sum()
    lost = per_neg * above.neg_least
    found = above.pos_most
    most = ratio(lost if of_missed else found, found + lost)
    lost = per_neg * above.neg_most
    found = above.pos_least + np.where(cells.is_exact, 0, cells.pos)
    least = cells.pos * ratio(lost if of_missed else found, found + lost)
    # The mean over the positives of a cell, whatever their weights: an integral.
    is_apart = ~cells.is_exact & (cells.pos > 0) & (lost > 0)
    pos, before, lost = (x[is_apart] for x in (cells.pos, above.pos_least, lost))
    missed = lost * np.log1p(pos / (before + lost))
    least[is_apart] = missed if of_missed else pos - missed
    return float(least.sum() / n_pos), float(dot(cells.pos, most) / n_pos)


def _class_fractions(table: RankTable, prevalence: float | None) -> tuple[float, float]:
    if prevalence is None:
        return table.prevalence, table.negative_fraction
    return prevalence, 1 - prevalence


def _slopes(table: RankTable, prevalence: float | None, adjusted: bool) -> Slopes:
    """Return the slopes of g = sum_k P_k p T_k / C_k, as in appendix B of the article.

    T_k and F_k are the shares of positives and negatives down to group k, and
    C_k = p T_k + (1 - p) F_k. With ``adjusted`` they belong to (g - p) / (1 - p),
    whose slope by p is sum_k P_k F_k (T_k - F_k) / C_k^2.
    """
    p, rest = _class_fractions(table, prevalence)
    precision = p / table.n_pos * table.cum_pos[1:]
    missed = rest / table.n_neg * table.cum_neg[1:]
    # Of the least number at least, and never squared: shares may be of any size.
    inverse = precision + missed
    np.divide(1, np.maximum(inverse, _LEAST, out=inverse), out=inverse)
    # Precision, what it lacks to 1, and P_k / C_k.
    precision *= inverse
    missed *= inverse
    share = table.pos / table.n_pos
    inverse *= share
    # P_k p T_k / C_k^2 and P_k (1 - p) F_k / C_k^2, summed.
    by_lost = p * reverse_cumsum(inverse * missed)
    by_neg = -rest * reverse_cumsum(inverse * precision)
    by_prevalence = 0.0
    if prevalence is None and not adjusted:
        by_prevalence = float(dot(share, missed * precision)) / p / rest
    elif prevalence is None:
        lead = precision / p - missed / rest
        by_prevalence = float(dot(share, missed / rest * lead))
    # Less 1 where 1 - p divides it: a constant is no slope, and would be all rounding.
    by_lost += -missed if adjusted else precision
    if adjusted:
        by_lost, by_neg = by_lost / rest, by_neg / rest
    return Slopes(by_lost, by_neg, by_prevalence)


def _above(table: RankTable) -> FloatArray:
    """Return how many cases are above each cut, of which a positive itself is one."""
    above = table.rates[1:] * table.total
    if table.is_of_cases or table.own_products is None:
        return above
    with_neg, with_rest = table.own_products
    own = np.zeros_like(above)
    # The mean of 1 less its weight, over the positives of a group.
    np.divide(with_rest - with_neg, table.pos, out=own, where=table.pos > 0)
    return above + own


def precision_excess(table: RankTable, prevalence: float) -> float:
    """Return the bias of the average precision by the jackknife of both classes.

    With the prevalence kept, each of the m cases of a class is left out in turn: m - 1
    times what the mean of these values is above the value, summed over the classes. A
    positive at which t positives and f negatives are reached has t / (t + r f), and
    (t - 1) / (t - 1 + r f) without another one above it, and so with the negatives.
    """
    n_pos, n_neg = table.n_pos, table.n_neg
    if min(n_pos, n_neg) < 2:
        return float("nan")
    groups = table.pos > 0
    pos = table.pos[groups]
    found, lost = table.cum_pos[1:][groups], table.cum_neg[1:][groups]
    # What a negative weighs in units of what a positive does.
    ratio = (1 - prevalence) / prevalence * n_pos / n_neg
    rest_pos, rest_neg = n_pos - 1, n_neg - 1

    def mean(
        found: FloatArray, lost: FloatArray, ratio: float, of: FloatArray
    ) -> float:
        with np.errstate(invalid="ignore"):
            precision = np.where(found > 0, found / (found + ratio * lost), 0.0)
        return float(dot(pos * of, precision)) / n_pos

    value = mean(found, lost, ratio, np.ones_like(pos))
    by_pos = ratio * rest_pos / n_pos
    without_pos = mean(found, lost, by_pos, (n_pos - found) / rest_pos)
    without_pos += mean(found - 1, lost, by_pos, (found - 1) / rest_pos)
    by_neg = ratio * n_neg / rest_neg
    without_neg = mean(found, lost, by_neg, (n_neg - lost) / n_neg)
    without_neg += mean(found, np.maximum(lost - 1, 0), by_neg, lost / n_neg)
    return rest_pos * (without_pos - value) + rest_neg * (without_neg - value)
