"""Negative recall: what is wasted on the negatives."""

from __future__ import annotations

from typing import Any

from skrate.core.arrays import Array, ArrayLike, FloatArray, Label, share_of
from skrate.core.elicitation import check_rate
from skrate.core.fold_rankings import FoldRankings
from skrate.core.list_table import ListTable
from skrate.core.metric import InLists, Metric, Slopes, SumOverGroups, score
from skrate.core.rank_table import RankTable
from skrate.core.rate_curves import RateCurve
from skrate.core.rates import RateLike
from skrate.metrics.expected_recall import (
    expected_recall,
    processed_rows,
    recall_of_tables,
    swapped,
)
from skrate.metrics.recall_slopes import recall_limits, recall_slopes
from skrate.metrics.under_set import ByRate

__all__ = ["negative_recall_score"]


def negative_recall_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    rate: RateLike = "uniform",
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the expected share of the negatives that is processed in vain.

    The false positive rate at the rate R, averaged over the distribution of R: what a
    reviewer will have read for nothing, as a share of all that is not worth reading.
    Less is better, so that scorers negate it. It is 1 less the
    :func:`expected_recall_score` of the negatives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), RankTable or FoldRankings
        True labels of two classes; or a table, or folds, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class: decision values or probabilities.
    rate : "uniform", float or distribution, default="uniform"
        The share of all cases that will be processed: a number in (0, 1], a frozen
        ``scipy.stats`` distribution or one from :mod:`skrate.rates`.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Negative recall in [0, 1]: the mean rate for random scores, less for better
        ones; a perfect ranking gives 0 only where no more cases are processed than
        there are positives. nan where undefined.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, or a ``rate`` that is none
        of the choices.

    Warns
    -----
    UndefinedMetricWarning
        If there is no negative case.

    See Also
    --------
    sklearn.metrics.roc_curve : The false positive rate at each threshold.
    expected_recall_score : What is found.

    Notes
    -----
    With :math:`v_k` of the :math:`W_0` negatives in group k of tied scores, which
    spans the rates from :math:`D_{k-1}` to :math:`D_k`, and
    :math:`G(x) = E[\min(R, x)]`,

    .. math:: \sum_k \frac{v_k}{W_0} \frac{G(D_k) - G(D_{k-1})}{D_k - D_{k-1}},

    E[F1] in the notation of [1]_ (definition 1): the mean over negatives of the
    probability of being processed, an expectation over random orders of the tied. What
    [1]_ calls negative recall is 1 - F1, the share that is spared:
    ``expected_recall_score(..., of="negatives")``. Between what the worst and the best
    ranking spare, it lies where the rAUC lies between 0 and 1 (theorem 5).
    ``RateAveragedROC.plot(space="rate-negative-recall")`` draws it. Cost: one sort.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`.

    Examples
    --------
    Two of four cases will be processed; one of them is negative, of two in all:

    >>> from skrate import negative_recall_score
    >>> negative_recall_score(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=0.5
    ... )
    0.5

    With any rate as probable as another, it is what a random order would waste, less
    what the ranking spares:

    >>> negative_recall_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.375
    """
    return score(NegativeRecall(rate), y_true, y_score, sample_weight, pos_label)


class NegativeRecall(
    ByRate, SumOverGroups, InLists, Metric, score=negative_recall_score
):
    """The expected share of the negatives that is processed."""

    rate: Any = "uniform"

    name = "Negative recall"
    needs = ("negative",)
    greater_is_better = False
    is_of_negatives = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", check_rate(self.rate))

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return its range: one value where all is processed, or nothing."""
        return recall_limits(self.rate)

    def by_rate(self, table: RankTable) -> RateCurve:
        return RateCurve(table.rates, table.fpr)

    def value(self, table: RankTable) -> float:
        return expected_recall(table, self.rate, of_negatives=True)

    def values(self, pos: Array, neg: Array) -> FloatArray:
        return recall_of_tables(neg, pos, self.rate)

    def list_values(self, lists: ListTable) -> FloatArray:
        processed = processed_rows(lists, self.rate)
        return share_of(lists.sum(lists.neg * processed), lists.n_neg)

    def slopes(self, table: RankTable) -> Slopes:
        of_other, _ = recall_slopes(swapped(table), self.rate)
        return of_other.turned().scaled(-1.0)
