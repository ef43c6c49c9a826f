"""The area under the ROC curve: of a ranking, and within lists."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.special import betaln

from skrate.data.arrays import Array, ArrayLike, FloatArray, Label, divide_or_nan, dot
from skrate.data.estimated import EstimatedLabels
from skrate.data.folds import FoldRankings
from skrate.data.list_table import ListTable, ListValues
from skrate.data.table import RankTable, check_alone
from skrate.metrics.list_scores import Average, Policy, mean_list_score
from skrate.metrics.metric import (
    LIST_METRICS,
    SCORES,
    Metric,
    Slopes,
    reject_scoring,
    score,
)

__all__ = ["ranking_auc_score"]


@reject_scoring
def ranking_auc_score(
    y_true: ArrayLike | FoldRankings,
    y_score: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    k: int | None = None,
    undefined: Policy | float = "skip",
    average: Average | Iterable[float] = "macro",
    sample_weight: ArrayLike | None = None,
    relevance_threshold: float | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the AUC within lists, averaged over the lists.

    How often is a relevant item above an irrelevant item of the same user or query?
    Unlike :func:`sklearn.metrics.roc_auc_score` on all rows, it
    never compares items of two lists, so it measures whether each list is in order, not
    which users click much. Known as GAUC, uAUC and wuAUC. Only the order of the
    scores within each list counts.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or FoldRankings
        True labels of two classes, or grades with ``relevance_threshold``; or, alone,
        the rankings of folds, each of which is one list.
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
        - "nan" makes the score nan if there is such a list;
        - a number, such as 0.5, counts as its AUC.
    average : {"macro", "pairs", "positives", "size"} or array-like, default="macro"
        How much a list counts:

        - "macro": as much as any other;
        - "pairs": by its pairs of a relevant and an irrelevant item, which gives the
          share of all comparable pairs that are in order: without ties one minus the
          ranking loss of RankBoost [2]_;
        - "positives", "size": by its relevant items (clicks) or by all (impressions),
          also those beyond ``k``, where pairs are those that are seen;
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
        If ``undefined``, ``average`` or ``k`` is not one of the choices, ``k`` comes
        with ``sample_weight`` or ``relevance_threshold`` with ``pos_label``, labels,
        scores or weights cannot be ranked, ``groups`` has another length or missing
        labels, or anything is given beside rankings of folds.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and one of them is not; for a fold
        that is left out.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The AUC of one list.
    group_scores : Values per list, a standard error, and other metrics.
    make_ranking_scorer : The same as a ``scoring=`` object.

    Notes
    -----
    With :math:`U_i` the pairs of list i in the right order (ties count one half) and
    :math:`P_i` all of its pairs of a relevant and an irrelevant item,

    .. math:: \frac{\sum_i w_i U_i / P_i}{\sum_i w_i},

    where :math:`w_i` is 1, :math:`P_i`, the number of relevant items or the number of
    items; equal to the mean of ``roc_auc_score`` over the lists with "macro".

    Where the cut at ``k`` falls within tied items, each choice of items above it is
    equally likely: the number of relevant items is hypergeometric. A list counts
    by its mean AUC over the choices with which it is defined, and a number for
    ``undefined`` stands for the others; with "pairs" by its mean numbers of pairs, of
    all and of those in the right order.

    Rows of weight zero do not exist: a list of nothing else is left out. Cost: one sort
    of 64-bit integers, O(n log n).

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

    Two of three comparable pairs are in order:

    >>> score = ranking_auc_score(
    ...     y_true, y_score, groups=user, average="pairs"
    ... )
    >>> round(score, 4)
    0.6667
    """
    if isinstance(y_true, FoldRankings):
        others = {"y_score": y_score, "groups": groups, "sample_weight": sample_weight}
        others["relevance_threshold"] = relevance_threshold
        check_alone(y_true, **others, pos_label=pos_label)
        if k is not None:
            raise ValueError(
                f"k={k!r} cuts lists, and y_true is a FoldRankings: leave it out, or "
                "give the share of each fold that is processed as rate= to "
                "recall_at_rate_score."
            )
        options = ("average", average, "macro"), ("undefined", undefined, "skip")
        for name, value, default in options:
            if not isinstance(value, str) or value != default:
                raise ValueError(
                    f"{name} must be {default!r} where y_true is a FoldRankings: folds "
                    "count the same, and those that are undefined are left out."
                )
        return score(AUC(), y_true)
    are_of_lists = any(each is not None for each in (groups, k, relevance_threshold))
    if isinstance(y_true, EstimatedLabels) and not are_of_lists:
        return score(AUC(), y_true, y_score, sample_weight, pos_label)
    rows = y_true, y_score, groups, sample_weight, relevance_threshold, pos_label
    return mean_list_score(AUC(), rows, k, average, undefined)


class AUC(Metric):
    """The probability that a positive outscores a negative, ties one half."""

    name = "AUC"
    groups = "runs"
    is_two_sample = ignores_prevalence = takes_estimates = True

    def compute(self, table: RankTable) -> float:
        if table.own_products is None:
            return super().compute(table)
        # A sample makes no pair with itself.
        own, pairs = table.own_products[0].sum(), table.n_pos * table.n_neg
        lost = dot(table.pos, table.neg / 2 + table.cum_neg[:-1])
        return float(1 - (lost - own / 2) / (pairs - own))

    def values(self, pos: Array, neg: Array) -> FloatArray:
        # Whole numbers are summed as such, which is quicker.
        above = np.cumsum(neg, axis=1)
        pairs = pos.sum(axis=1) * above[:, -1].astype(np.float64)
        above *= 2
        above -= neg
        lost = np.einsum("ij,ij->i", pos.astype(np.float64, copy=False), above) / 2
        return divide_or_nan(pairs - lost, pairs)

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        return list_auc(lists, k)

    def lost_recall(self, table: RankTable) -> float:
        # By a uniform rate a ranking finds p / 2 + (1 - p) AUC of the positives.
        return table.negative_fraction * (1 - self.value(table))

    def slopes(self, table: RankTable) -> Slopes:
        # Per case they are the placement values of DeLong and others (1988).
        by_pos, by_neg = table.neg / -2, table.pos / 2
        by_pos -= table.cum_neg[:-1]
        by_pos /= table.n_neg
        by_pos += 1
        by_neg += table.cum_pos[:-1]
        by_neg /= table.n_pos
        return Slopes(by_pos, by_neg, 0.0)


def list_auc(table: ListTable, k: int | None = None) -> ListValues:
    """Return the AUC of lists, or of the best ``k`` cases (of weight one) of each."""
    if k is None:
        ordered = table.sum(table.neg * table.cum_pos)
        ordered -= table.sum(table.neg * table.pos) / 2
        return _whole(ordered, table.n_pos, table.n_neg)
    fits = table.ends <= k
    pos, neg = table.pos * fits, table.neg * fits
    ordered = table.sum(neg * (table.cum_pos - pos / 2))
    whole = _whole(ordered, table.sum(pos), table.sum(neg))
    cut = np.flatnonzero(~fits & (table.begins < k))
    lists = np.searchsorted(table.starts, cut, side="right") - 1
    if len(cut):
        above = ListValues(*(values[lists] for values in whole))
        drawn = _drawn_auc(above, table.pos[cut], table.neg[cut], k - table.begins[cut])
        for values, of_drawn in zip(whole, drawn, strict=True):
            values[lists] = of_drawn
    return whole


def _whole(ordered: FloatArray, n_pos: FloatArray, n_neg: FloatArray) -> ListValues:
    pairs = n_pos * n_neg
    defined = (pairs > 0).astype(np.float64)
    return ListValues(
        values=divide_or_nan(ordered, pairs),
        defined=defined,
        part=ordered,
        whole=pairs,
        n_pos=n_pos,
        n_neg=n_neg,
    )


def _drawn_auc(
    above: ListValues, pos: FloatArray, neg: FloatArray, n_drawn: FloatArray
) -> ListValues:
    """Return the AUC of lists that end in ``n_drawn`` of tied cases.

    The possible numbers of positives among them, of all the lists, stand in one array.
    """
    least = np.maximum(0, n_drawn - neg)
    counts = (np.minimum(n_drawn, pos) - least).astype(np.int64) + 1
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    lists = np.repeat(np.arange(len(counts)), counts)
    drawn_pos = least[lists] + np.arange(len(lists)) - starts[lists]
    drawn_neg = n_drawn[lists] - drawn_pos
    # Hypergeometric probabilities, which sum to 1 from each start on.
    pos, neg = pos[lists], neg[lists]
    logs = -betaln(drawn_pos + 1, pos - drawn_pos + 1)
    logs -= betaln(drawn_neg + 1, neg - drawn_neg + 1)
    chances = np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts), counts))
    chances /= np.repeat(np.add.reduceat(chances, starts), counts)
    n_pos, n_neg = above.n_pos[lists] + drawn_pos, above.n_neg[lists] + drawn_neg
    ordered = above.part[lists] + (above.n_pos[lists] + drawn_pos / 2) * drawn_neg
    given = _whole(ordered, n_pos, n_neg)

    def mean(values: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(chances * values, starts))

    defined = np.minimum(mean(given.defined), 1.0)
    values = divide_or_nan(mean(np.nan_to_num(given.values)), defined)
    pairs = mean(given.whole)
    return ListValues(
        values=values,
        defined=defined,
        part=mean(ordered),
        whole=pairs,
        n_pos=mean(n_pos),
        n_neg=mean(n_neg),
    )


LIST_METRICS[ranking_auc_score] = AUC
SCORES["ranking_auc"] = ranking_auc_score
