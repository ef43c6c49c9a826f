"""AUC within lists: what one user or query was shown, in the right order."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skrate.core.arrays import Array, FloatArray
from skrate.core.list_table import ListTable, check_top, list_table
from skrate.core.results import ConfidenceInterval
from skrate.core.validation import check_fraction, warn_undefined
from skrate.metrics.list_auc import ListAUC, list_auc
from skrate.metrics.list_average import (
    Average,
    ListAverage,
    Policy,
    by_label,
    check_average,
    check_undefined,
    list_weights,
)

__all__ = ["ranking_auc_score"]


def ranking_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    undefined: Policy | float = "skip",
    average: Average | Iterable[float] = "macro",
    sample_weight: Any = None,
    relevance_threshold: float | None = None,
    pos_label: Any = None,
) -> float:
    r"""Compute the AUC within lists, averaged over the lists.

    Of the items that one user or query was shown, how often is a relevant one above
    an irrelevant one? Unlike :func:`sklearn.metrics.roc_auc_score` on all rows, it
    never compares items of two lists, so that it tells whether each list is in order,
    not which users click much. Known as GAUC, uAUC and wuAUC. Only the order of the
    scores within each list counts.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items.
    groups : array-like of shape (n_samples,), default=None
        The list of each row: integers, strings or other labels, in any order of rows.
        None takes all rows for one list.
    k : int, default=None
        If given, only the k items of the highest score of each list count; not with
        ``sample_weight``.
    undefined : {"skip", "nan"} or float, default="skip"
        What to do with a list that holds one class only:

        - "skip" leaves it out;
        - "nan" makes the score nan as soon as there is one;
        - a number, such as 0.5, counts as its AUC.
    average : {"macro", "pairs", "positives", "size"} or array-like, default="macro"
        How much a list counts:

        - "macro": as much as any other;
        - "pairs": by its pairs of a relevant and an irrelevant item, which gives the
          share of all comparable pairs that are in order. One minus it is the ranking
          loss of RankBoost;
        - "positives": by its relevant items (clicks);
        - "size": by its items (impressions);
        - an array of shape (n_lists,): by these weights, in the order of
          ``numpy.unique(groups)``.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the rows; None means equal ones.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades and those from it on are relevant.
    pos_label : int, float, bool or str, default=None
        The label of relevant items; None takes the greater of {0, 1}, {-1, 1} or
        booleans.

    Returns
    -------
    score : float
        AUC in [0, 1]: 0.5 for random and for constant scores, 1 where every list has
        its relevant items first; nan where undefined.

    Raises
    ------
    ValueError
        If ``undefined``, ``average`` or ``k`` is not one of the choices, ``k`` is below
        1 or comes with ``sample_weight``, ``relevance_threshold`` comes with
        ``pos_label`` or with labels that are not numbers, labels, scores or weights
        cannot be ranked, or ``groups`` has another length or missing labels.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and one of them is not.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The AUC of one list.
    ranking_auc_report : The same with values per list and a standard error.
    group_scores : Other metrics within lists.
    RankingAUCScorer : The same as a ``scoring=`` object.

    Notes
    -----
    With U_i the pairs of list i in the right order (ties count one half) and P_i all
    of its pairs of a relevant and an irrelevant item,

    .. math:: \frac{\sum_i w_i U_i / P_i}{\sum_i w_i},

    where w_i is 1, P_i, the number of relevant items or the number of items; equal to
    the mean of ``roc_auc_score`` over the lists with "macro".

    Where the cut at ``k`` falls among items of one score, each choice of those above
    it is equally likely: the number of relevant ones is hypergeometric. A list counts
    by its mean AUC over the choices with which it is defined, with "pairs" by its mean
    numbers of pairs; a number for ``undefined`` stands for the others.

    Rows of weight zero do not exist: a list of nothing else is left out whatever
    ``undefined`` says. Cost: one sort of 64-bit integers, O(n log n), at any number of
    lists.

    References
    ----------
    .. [1] Zhu et al. (2017), Optimized cost per click in Taobao display advertising,
       :doi:`10.1145/3097983.3098134`, which uses it as group AUC (GAUC).
    .. [2] Freund, Iyer, Schapire and Singer (2003), An efficient boosting algorithm
       for combining preferences, Journal of Machine Learning Research 4, 933-969.

    Examples
    --------
    The first list has its relevant item on top, the second one of two pairs in order:

    >>> from skrate import ranking_auc_score
    >>> y_true = [1, 0, 0, 1, 0]
    >>> y_score = [0.9, 0.2, 0.7, 0.5, 0.3]
    >>> user = ["a", "a", "b", "b", "b"]
    >>> ranking_auc_score(y_true, y_score, groups=user)
    0.75

    Of three comparable pairs, two are in order:

    >>> round(ranking_auc_score(y_true, y_score, groups=user, average="pairs"), 4)
    0.6667

    Of each list only two items are seen:

    >>> ranking_auc_score(y_true, y_score, groups=user, k=2)
    0.5
    """
    undefined, average = check_undefined(undefined), check_average(average)
    k = check_top(k, sample_weight)
    table = list_table(
        y_true, y_score, groups, sample_weight, relevance_threshold, pos_label
    )
    auc = list_auc(table, k)
    score = _average(auc, table, average, undefined).score
    if np.isnan(score):
        return warn_undefined("The ranking AUC", _reason(auc, k, undefined))
    return score


@dataclass(frozen=True, eq=False)
class RankingAUCReport:
    """The AUC within lists, with what it is made of and how sure it is.

    Attributes
    ----------
    score : float
        The average over the lists.
    standard_error : float
        Its standard error, lists being drawn independently; nan for a single list.
    confidence_interval : ConfidenceInterval
        With fields ``low`` and ``high``.
    confidence_level : float
        The level of the interval.
    groups : array of shape (n_lists,)
        The labels of the lists, increasing.
    scores : array of shape (n_lists,)
        The AUC of each list; nan where it is undefined.
    n_defined : int
        Lists with both classes.
    n_all_positive : int
        Lists of relevant items only.
    n_all_negative : int
        Lists of irrelevant items only.
    n_empty : int
        Lists all of whose rows have weight zero.

    See Also
    --------
    ranking_auc_report : Makes it.

    Examples
    --------
    >>> from skrate import ranking_auc_report
    >>> report = ranking_auc_report([1, 0, 1], [0.9, 0.2, 0.7], groups=[1, 1, 2])
    >>> report
    RankingAUCReport(score=1, standard_error=nan, 1 of 2 lists defined)
    """

    score: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    confidence_level: float
    groups: Array
    scores: FloatArray
    n_defined: int
    n_all_positive: int
    n_all_negative: int
    n_empty: int

    def __repr__(self) -> str:
        return (
            f"RankingAUCReport(score={self.score:.6g}, "
            f"standard_error={self.standard_error:.3g}, {self.n_defined} of "
            f"{len(self.groups)} lists defined)"
        )


def ranking_auc_report(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any = None,
    k: int | None = None,
    undefined: Policy | float = "skip",
    average: Average | Iterable[float] = "macro",
    confidence_level: float = 0.95,
    sample_weight: Any = None,
    relevance_threshold: float | None = None,
    pos_label: Any = None,
) -> RankingAUCReport:
    r"""Report the AUC within lists: per list, on average, and how sure it is.

    What :func:`ranking_auc_score` is made of: the value of each list, how many lists
    say nothing and why, and a standard error that respects that the items of a list
    belong together.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items.
    groups : array-like of shape (n_samples,), default=None
        The list of each row; None takes all rows for one list.
    k : int, default=None
        If given, only the k items of the highest score of each list count; not with
        ``sample_weight``.
    undefined : {"skip", "nan"} or float, default="skip"
        What to do with a list that holds one class only, as in
        :func:`ranking_auc_score`.
    average : {"macro", "pairs", "positives", "size"} or array-like, default="macro"
        How much a list counts, as in :func:`ranking_auc_score`.
    confidence_level : float, default=0.95
        Level of the interval, in (0, 1).
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the rows; None means equal ones.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades and those from it on are relevant.
    pos_label : int, float, bool or str, default=None
        The label of relevant items; None takes the greater of {0, 1}, {-1, 1} or
        booleans.

    Returns
    -------
    report : RankingAUCReport
        ``score``, ``standard_error``, ``confidence_interval``, ``groups`` and
        ``scores`` per list, and the numbers of lists.

    Raises
    ------
    ValueError
        As :func:`ranking_auc_score`, or if ``confidence_level`` is not in (0, 1).

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and one of them is not.

    See Also
    --------
    ranking_auc_score : The average alone.
    group_scores : Other metrics within lists.

    Notes
    -----
    With parts a_i and weights w_i, so that the score is the ratio A of their sums, the
    squared standard error of m lists is that of a ratio estimator,

    .. math:: \frac{m}{m - 1} \frac{\sum_i (a_i - A w_i)^2}{(\sum_i w_i)^2},

    for equal weights the variance of the values over m. The interval is Student's
    with m - 1 degrees of freedom, cut to [0, 1], which a number for ``undefined``
    beyond it widens. Both are for a model that was not fitted to these lists.

    Examples
    --------
    >>> from skrate import ranking_auc_report
    >>> y_true = [1, 0, 0, 1, 0, 1]
    >>> y_score = [0.9, 0.2, 0.7, 0.5, 0.3, 0.4]
    >>> report = ranking_auc_report(y_true, y_score, groups=list("aabbbc"))
    >>> report
    RankingAUCReport(score=0.75, standard_error=0.25, 2 of 3 lists defined)
    >>> dict(zip(report.groups.tolist(), report.scores.tolist()))
    {'a': 1.0, 'b': 0.5, 'c': nan}
    >>> report.n_all_positive
    1
    """
    undefined, average = check_undefined(undefined), check_average(average)
    k = check_top(k, sample_weight)
    confidence_level = check_fraction("confidence_level", confidence_level)
    table = list_table(
        y_true, y_score, groups, sample_weight, relevance_threshold, pos_label
    )
    auc = list_auc(table, k)
    mean = _average(auc, table, average, undefined)
    if np.isnan(mean.score):
        warn_undefined("The ranking AUC", _reason(auc, k, undefined))
    return RankingAUCReport(
        mean.score,
        mean.standard_error,
        ConfidenceInterval(*mean.interval(confidence_level, undefined)),
        confidence_level,
        table.labels,
        by_label(auc.scores, table, np.nan),
        n_defined=int(np.count_nonzero(auc.defined)),
        n_all_positive=int(np.count_nonzero(auc.n_neg == 0)),
        n_all_negative=int(np.count_nonzero(auc.n_pos == 0)),
        n_empty=len(table.labels) - len(table.lists),
    )


def _average(
    auc: ListAUC, table: ListTable, average: Any, undefined: Any
) -> ListAverage:
    """Return the average over the lists that count."""
    is_defined = auc.defined > 0
    if undefined == "nan" and not is_defined.all():
        return ListAverage(np.full(1, np.nan), np.ones(1))
    if isinstance(average, str) and average == "pairs":
        return ListAverage(auc.ordered[is_defined], auc.pairs[is_defined])
    if isinstance(average, str) and average != "macro":
        weights = auc.n_pos if average == "positives" else auc.n_pos + auc.n_neg
    else:
        weights = list_weights(average, table.labels, table.lists)
    scores = auc.scores
    if not isinstance(undefined, str):
        scores = np.where(is_defined, auc.defined * scores, 0.0)
        scores = scores + (1 - auc.defined) * undefined
        is_defined = np.ones_like(is_defined)
    weights = weights[is_defined]
    return ListAverage(weights * scores[is_defined], weights)


def _reason(auc: ListAUC, k: int | None, undefined: Any) -> str:
    n_defined, n_lists = int(np.count_nonzero(auc.defined)), len(auc.defined)
    if undefined == "nan" and n_defined:
        return f"{n_lists - n_defined} of {n_lists} lists hold one class only"
    if n_defined or not isinstance(undefined, str):
        return "no list that counts has a weight"
    if k is not None:
        return f"no list holds a positive and a negative case among its first {k}"
    for name, weights in (("positive", auc.n_pos), ("negative", auc.n_neg)):
        if not weights.any():
            return f"y_true holds no {name} case"
    return "no list holds a positive and a negative case"
