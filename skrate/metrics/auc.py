"""The area under the ROC curve of one ranking, and within lists."""

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
    Unlike :func:`sklearn.metrics.roc_auc_score` on all rows, it never compares items of
    two lists: it measures whether each list is in order, not which users click much.
    Other names are GAUC (group AUC) [1]_, uAUC and wuAUC. Only the order of the scores
    within each list matters.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or FoldRankings
        True labels of two classes, or grades with ``relevance_threshold``; or, without
        other arguments, the rankings of folds, where each fold is one list.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each row's list, such as an integer or a string, in any order.
        If None, all rows are one list.
    k : int, default=None
        If given, only the k items with the highest scores of each list count; not with
        ``sample_weight``.
    undefined : {"skip", "nan"} or float, default="skip"
        How to treat a list with only one class: "skip" leaves it out, "nan" makes the
        score nan if there is such a list, and a number, such as 0.5, is used as its
        AUC.
    average : {"macro", "pairs", "positives", "size"} or array-like, default="macro"
        The weight of each list: "macro" is equal weights; "positives" and "size" are
        the number of relevant items (clicks) and of all items (impressions), including
        items below ``k``; "pairs" is the number of pairs of a relevant and an
        irrelevant item within ``k``, which gives the fraction of all comparable pairs
        that are in order (without ties one minus the ranking loss of RankBoost [2]_).
        An array of shape (n_lists,) has the order of ``numpy.unique(groups)``.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the rows; None means equal weights.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades, and grades of at least this value are relevant.
    pos_label : int, float, bool or str, default=None
        The relevant label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        AUC in [0, 1]: 0.5 for random and for constant scores, 1 if every list has its
        relevant items first; nan where undefined.

    Raises
    ------
    ValueError
        If ``undefined``, ``average`` or ``k`` is not one of the choices, ``k`` is given
        with ``sample_weight`` or ``relevance_threshold`` with ``pos_label``, labels,
        scores or weights are invalid, ``groups`` has another length or missing labels,
        or another argument is given with rankings of folds.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, a list is undefined and ``undefined="nan"``, or an
        undefined fold is left out.

    See Also
    --------
    sklearn.metrics.roc_auc_score : The AUC of one list.
    group_scores : Values per list, a standard error, and other metrics.
    make_ranking_scorer : The same as a ``scoring=`` object.

    Notes
    -----
    With :math:`U_i` the number of correctly ordered pairs of list i (ties count one
    half) and :math:`P_i` the number of its pairs of a relevant and an irrelevant item,

    .. math:: \frac{\sum_i w_i U_i / P_i}{\sum_i w_i},

    where :math:`w_i` is 1, :math:`P_i`, the number of relevant items or the number of
    items. With "macro" it is the mean of ``roc_auc_score`` over the lists.

    If the cut at ``k`` falls within tied items, each selection of the tied items is
    equally likely: the number of relevant items above the cut is hypergeometric. The
    AUC of a list is its mean over the selections for which it is defined; a number for
    ``undefined`` is used for all other selections. With "pairs", a list counts by its
    mean numbers of all pairs and of correctly ordered pairs.

    Rows of weight zero are ignored: a list with only such rows is left out. Cost: one
    sort of 64-bit integers, O(n log n).

    References
    ----------
    .. [1] Zhu et al. (2017), Optimized cost per click in Taobao display advertising,
       :doi:`10.1145/3097983.3098134`.
    .. [2] Freund, Iyer, Schapire and Singer (2003), An efficient boosting algorithm
       for combining preferences, Journal of Machine Learning Research 4, 933-969.

    Examples
    --------
    The first list has its relevant item on top, the second has one of two pairs in
    order:

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
        columns = {"y_score": y_score, "groups": groups, "sample_weight": sample_weight}
        columns["relevance_threshold"] = relevance_threshold
        check_alone(y_true, **columns, pos_label=pos_label)
        if k is not None:
            raise ValueError(
                f"k={k!r} is not supported for FoldRankings: leave it out, or pass "
                "rate=, the processed fraction of each fold, to recall_at_rate_score."
            )
        options = ("average", average, "macro"), ("undefined", undefined, "skip")
        for name, choice, default in options:
            if not isinstance(choice, str) or choice != default:
                raise ValueError(
                    f"{name} must be {default!r} if y_true is a FoldRankings: folds "
                    "have equal weights, and undefined folds are left out."
                )
        return score(AUC(), y_true)
    are_of_lists = any(x is not None for x in (groups, k, relevance_threshold))
    if isinstance(y_true, EstimatedLabels) and not are_of_lists:
        return score(AUC(), y_true, y_score, sample_weight, pos_label)
    rows = y_true, y_score, groups, sample_weight, relevance_threshold, pos_label
    return mean_list_score(AUC(), rows, k, average, undefined)


class AUC(Metric):
    """The probability that a positive outscores a negative, ties one half."""

    name = "AUC"
    groups = "runs"
    is_two_sample = ignores_prevalence = takes_estimates = True

    def compute_estimated(self, table: RankTable) -> float:
        assert table.own_products is not None
        itself, pairs = table.own_products[0].sum(), table.n_pos * table.n_neg
        lost = dot(table.pos, table.neg / 2 + table.cum_neg[:-1])
        return float(1 - (lost - itself / 2) / (pairs - itself))

    def values(self, pos: Array, neg: Array) -> FloatArray:
        # Integers are summed as integers, which is faster.
        above = np.cumsum(neg, axis=1)
        pairs = pos.sum(axis=1) * above[:, -1].astype(np.float64)
        above *= 2
        above -= neg
        lost = np.einsum("ij,ij->i", pos.astype(np.float64, copy=False), above) / 2
        with np.errstate(invalid="ignore"):
            return np.asarray((pairs - lost) / pairs)

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        return list_auc(lists, k)

    def lost_recall(self, table: RankTable, value: float) -> float:
        # The expected recall under a uniform rate is p / 2 + (1 - p) AUC.
        return table.negative_fraction * (1 - value)

    def slopes(self, table: RankTable) -> Slopes:
        # Per sample they are the placement values of DeLong et al. (1988).
        by_pos, by_neg = table.neg / -2, table.pos / 2
        by_pos -= table.cum_neg[:-1]
        by_pos /= table.n_neg
        by_pos += 1
        by_neg += table.cum_pos[:-1]
        by_neg /= table.n_pos
        return Slopes(by_pos, by_neg, 0.0)


def list_auc(table: ListTable, k: int | None = None) -> ListValues:
    """Return the AUC of lists, or of the best ``k`` samples (of weight 1) of each."""
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
        above = ListValues(*(column[lists] for column in whole))
        drawn = _drawn_auc(above, table.pos[cut], table.neg[cut], k - table.begins[cut])
        for column, of_drawn in zip(whole, drawn, strict=True):
            column[lists] = of_drawn
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
    """Return the AUC of lists that end in ``n_drawn`` of tied samples.

    One array contains the possible numbers of positives among them, for all lists.
    """
    min_pos = np.maximum(0, n_drawn - neg)
    counts = (np.minimum(n_drawn, pos) - min_pos).astype(np.int64) + 1
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    lists = np.repeat(np.arange(len(counts)), counts)
    drawn_pos = min_pos[lists] + np.arange(len(lists)) - starts[lists]
    drawn_neg = n_drawn[lists] - drawn_pos
    # Hypergeometric probabilities, which sum to 1 within each list.
    pos, neg = pos[lists], neg[lists]
    logs = -betaln(drawn_pos + 1, pos - drawn_pos + 1)
    logs -= betaln(drawn_neg + 1, neg - drawn_neg + 1)
    chances = np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts), counts))
    chances /= np.repeat(np.add.reduceat(chances, starts), counts)
    n_pos, n_neg = above.n_pos[lists] + drawn_pos, above.n_neg[lists] + drawn_neg
    ordered = above.part[lists] + (above.n_pos[lists] + drawn_pos / 2) * drawn_neg
    by_count = _whole(ordered, n_pos, n_neg)

    def mean(column: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(chances * column, starts))

    known_values = np.nan_to_num(by_count.values)
    means = ListValues(*map(mean, by_count._replace(values=known_values)))
    defined = np.minimum(means.defined, 1.0)
    values = divide_or_nan(means.values, defined)
    return means._replace(values=values, defined=defined)


LIST_METRICS[ranking_auc_score] = AUC
SCORES["ranking_auc"] = ranking_auc_score
