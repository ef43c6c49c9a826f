"""The share that must be processed for a recall, and the work that this saves."""

from __future__ import annotations

from typing import Any

from skrate.core.arrays import ArrayLike, Label
from skrate.core.fold_rankings import FoldRankings
from skrate.core.metric import Slopes, score
from skrate.core.rank_table import RankTable
from skrate.metrics.at_recall import AtRecall

__all__ = ["rate_at_recall_score", "work_saved_score"]


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

    Its slopes are those of the recall at this rate, over the negative of its rise
    :math:`L / \pi`, with L the share of positives at the cut and :math:`\pi` the
    prevalence, so that its variance is :math:`Var(F(r)) / (L / \pi)^2`, by which
    :func:`compare` tests. L is the share between the recalls a standard error of
    ``recall``, :math:`\sqrt{\rho (1 - \rho) / n_1}`, less and more. In a bandwidth of
    the rate, as for :func:`recall_at_rate_score`, it would be too great where the curve
    gets flatter.

    Late in a ranking positives are far between and the curve goes by steps, so that
    :func:`estimate` does not take this for the interval "wilson" (whatever ``method``
    the error is found by), but turns a test round: it holds all rates r for which a
    true recall of :math:`\rho` = ``recall`` at r is at most t standard errors from the
    recall that the sample has there. If it is the true one, the variance is

    .. math:: \frac{(1 - L)^2 \rho (1 - \rho)}{n_1}
              + \frac{(L (1 - \pi) / \pi)^2 \varphi (1 - \varphi)}{n_0}
              + \left(\frac{L (\rho - \varphi)}{\pi}\right)^2 \frac{\pi (1 - \pi)}{n}

    with :math:`\varphi = (r - \pi \rho) / (1 - \pi)` and with L the share of positives
    between r and where the sample reaches the recall, so that no bandwidth is needed;
    t has a degree of freedom less than there are positives. At r = 1 all are found, and
    that is more than t standard errors from :math:`\rho` if they are more than
    :math:`t^2 \rho (1 - L)^2 / (1 - \rho)`, nearly. With fewer (75 for 0.95 and 37 for
    0.9, where L is small) the interval ends at 1. With one more it ends where the last
    positive is, since nothing less than all shows it: a step, not a slope. Cost: one
    sort.

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


def work_saved_score(
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    recall: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the work saved over sampling (WSS) at a recall.

    Which share of all cases need not be processed, beside those that a random order
    would leave as well, if a share ``recall`` of the positives is to be found? WSS@95
    is what screening of the literature is measured by, [1]_.

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
    group_scores : Of each of many reviews, and their mean.

    Notes
    -----
    It is :math:`\rho - r`, with r the rate at which the recall :math:`\rho` is reached,
    as :func:`rate_at_recall_score` has it. Cohen's definition [1]_,

    .. math:: \frac{TN + FN}{N} - (1 - R),

    is the same where R is the recall that was reached. Where :math:`\rho n_1` is not
    whole, other programs go on to the next positive, whole, and are lower by up to its
    share of the cases; or, with R = :math:`\rho` as planned and the rate of a whole
    case, likewise. A WSS is comparable between reviews of the same prevalence only: a
    perfect ranking has :math:`\rho (1 - \pi)`. Cost: one sort.

    References
    ----------
    .. [1] Cohen, Hersh, Peterson and Yen (2006), Reducing workload in systematic review
       preparation using automated citation classification,
       :doi:`10.1197/jamia.M1929`.

    Examples
    --------
    All four positives are among the first six of ten:

    >>> from skrate import work_saved_score
    >>> y_true, y_score = (
    ...     [1, 1, 0, 1, 0, 1, 0, 0, 0, 0],
    ...     range(10, 0, -1),
    ... )
    >>> work_saved_score(y_true, y_score, recall=1)
    0.4

    To find half of them, two are enough:

    >>> work_saved_score(y_true, y_score, recall=0.5)
    0.3
    """
    return score(WorkSaved(recall), y_true, y_score, sample_weight, pos_label)


class RateAtRecall(AtRecall, score=rate_at_recall_score):
    """The least rate with that recall."""

    name = "Rate at recall"
    greater_is_better = False

    def _of_rate(self, rate: Any, prevalence: Any) -> Any:
        return rate

    def _slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        return slopes


class WorkSaved(AtRecall, score=work_saved_score):
    """The recall less that rate."""

    name = "Work saved"

    def bounds(self, table: RankTable | None = None) -> tuple[float, float]:
        """Return its range: that of the rate, turned."""
        return self.recall - 1.0, self.recall

    def _of_rate(self, rate: Any, prevalence: Any) -> Any:
        return self.recall - rate

    def _slopes(self, slopes: Slopes, rate: float, prevalence: float) -> Slopes:
        return slopes.scaled(-1.0)
