"""Metrics of information retrieval: means over the lists of queries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaln

from skrate.data.arrays import (
    Array,
    ArrayLike,
    FloatArray,
    IntArray,
    Label,
    divide_or_nan,
)
from skrate.data.checks import check_flag
from skrate.data.list_table import (
    GradeGain,
    ListTable,
    ListValues,
    RelevantCounts,
    check_grade_gain,
    has_grades,
)
from skrate.data.table import RankTable
from skrate.metrics.list_scores import Average, Policy, mean_list_score
from skrate.metrics.metric import Metric, Slopes, reject_scoring

__all__ = [
    "hit_rate_score",
    "mean_average_precision_score",
    "ndcg_score",
    "reciprocal_rank_score",
]


@reject_scoring
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    k: int | Sequence[int] | None = None,
    gain: GradeGain | None = None,
    undefined: Policy | float = "skip",
    average: Average | Iterable[float] = "macro",
    relevance_threshold: float | None = None,
    n_relevant: RelevantCounts | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the normalized discounted cumulative gain within lists, averaged.

    Which fraction of the gain of a perfect order does each list show, if rank i has the
    weight 1 / log2(i + 1)? With ``undefined=0``, it equals
    :func:`sklearn.metrics.ndcg_score`, which takes lists of one length only.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades: non-negative numbers, or with ``gain`` as
        a dict also strings.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items; -inf for items that were not returned, which
        add 0.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each row's list, such as an integer or a string, in any order.
        None means that all rows are one list.
    k : int or array-like, default=None
        If given, only the first k positions of each list count, also in a perfect
        order. An array returns an array.
    gain : {"linear", "exponential"} or dict, default=None
        The gain of an item by its grade; an item is relevant if its gain is above 0.
        "linear" is the grade itself, a non-negative number, "exponential" is 2 to the
        power of the grade, minus 1, and a dict has the non-negative gain of each grade,
        a number or string, as ``{"fair": 1, "good": 5}``. None means "linear" for
        grades (numbers with more than two values: whole, multiples of 1/4, or at most
        10 values). With two classes it means 1 for relevant items and 0 for others.
    undefined : {"skip", "nan"} or float, default="skip"
        How to treat a list without relevant items: leave it out, return nan, or count
        this number, as in :func:`ranking_auc_score`; other programs count 0 or 1.
    average : {"macro", "positives", "size"} or array-like, default="macro"
        The weight of each list, as in :func:`ranking_auc_score`.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades, and grades of at least this are relevant.
    n_relevant : dict, pandas.Series, array-like or int, default=None
        Give this if relevant items that were not returned have no row: the number of
        relevant items of each list, by its identifier in ``groups`` (or in the order of
        ``numpy.unique(groups)``). Lists without rows may be named: they count 0 if they
        have relevant items.
    pos_label : int, float, bool or str, default=None
        The relevant label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        NDCG in [0, 1], 1 if every list has its items in decreasing order of gain; nan
        where undefined. Random scores have the mean discount of the ranks times the
        gain of all items, divided by the discounted gain of the perfect order: this is
        above 0, and higher in shorter lists.

    Raises
    ------
    ValueError
        As :func:`ranking_auc_score`; if ``gain`` is not one of the choices, or is given
        with ``relevance_threshold`` or ``pos_label``; if grades without a dict are
        negative or not numeric; or if gains overflow, or a grade is not in the dict.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and a list is undefined.

    See Also
    --------
    sklearn.metrics.ndcg_score : Lists as rows of an array, with linear gains.
    group_scores : Values per list, and their mean with its standard error.
    skrate.rates.log_discount : The same weighting as a distribution of the rate.

    Notes
    -----
    With :math:`g_i` the gain of the item at rank i of a list, and
    :math:`g_{(1)} \ge g_{(2)} \ge \dots` the sorted gains of all its items, a list has

    .. math:: \frac{\sum_{i \le k} g_i / \log_2(i + 1)}
                   {\sum_{i \le k} g_{(i)} / \log_2(i + 1)}.

    The exponential gain :math:`2^y - 1` is from [1]_. With tied items, the value of a
    list is the expectation over their orders: each tied item counts their mean gain
    [2]_. Cost for each k: one sort of 64-bit integers, O(n log n), for any number of
    lists; with grades a second sort, of the grades.

    References
    ----------
    .. [1] Burges et al. (2005), Learning to rank using gradient descent,
       :doi:`10.1145/1102351.1102363`.
    .. [2] McSherry and Najork (2008), Computing information retrieval performance
       measures efficiently in the presence of tied scores,
       :doi:`10.1007/978-3-540-78646-7_38`.

    Examples
    --------
    The relevant item is first in the first list, and second in the second list:

    >>> from skrate import ndcg_score
    >>> y_true, y_score = [1, 0, 0, 1, 0], [0.9, 0.2, 0.7, 0.5, 0.3]
    >>> user = ["a", "a", "b", "b", "b"]
    >>> round(ndcg_score(y_true, y_score, groups=user), 4)
    0.8155

    Only the first item of each list is seen:

    >>> ndcg_score(y_true, y_score, groups=user, k=1)
    0.5

    The second best of three items is first and gains 1. The best item would have gained
    3, or 7 with exponential gains:

    >>> grades, y_score = [3, 1, 0], [0.4, 0.9, 0.1]
    >>> [
    ...     round(ndcg_score(grades, y_score, k=1, gain=gain), 4)
    ...     for gain in ("linear", "exponential")
    ... ]
    [0.3333, 0.1429]
    """
    rows = y_true, y_score, groups, None, relevance_threshold, pos_label
    return mean_list_score(NDCG(gain), rows, k, average, undefined, n_relevant)


@reject_scoring
def mean_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    k: int | Sequence[int] | None = None,
    capped: bool = False,
    undefined: Policy | float = "skip",
    average: Average | Iterable[float] = "macro",
    relevance_threshold: float | None = None,
    n_relevant: RelevantCounts | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the average precision within lists, averaged over the lists: MAP.

    The average precision of a list is the mean, over its relevant items, of the
    fraction of relevant items from the top down to this item. Without ties and ``k``,
    MAP is the mean of :func:`average_precision_score` over the lists. Tied items are in
    random order here, as in a list that is shown, and :func:`average_precision_score`
    processes them together.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items; -inf for items that were not returned, which
        add 0.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each row's list, in any order; None means a single list.
    k : int or array-like, default=None
        If given, only the first k items of each list count: relevant items below them
        add 0 (MAP@k). The result for several numbers is an array.
    capped : bool, default=False
        With ``k``, whether to divide by min(k, m) instead of m, the number of
        relevant items, as in LightGBM and Kaggle's MAP@k. A perfect list then has the
        value 1 for any ``k``.
    undefined : {"skip", "nan"} or float, default="skip"
        How to treat a list without relevant items, as for :func:`ndcg_score`.
    average : {"macro", "positives", "size"} or array-like, default="macro"
        The weight of each list, as in :func:`ranking_auc_score`.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades, and grades of at least this are relevant.
    n_relevant : dict, pandas.Series, array-like or int, default=None
        The number of relevant items of each list, if items that were not returned have
        no row, as for :func:`ndcg_score`.
    pos_label : int, float, bool or str, default=None
        The relevant label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        MAP in [0, 1], nan where undefined. A perfect ranking has the value 1 (without
        ``capped``, only if no list has more than k relevant items). The expectation for
        random scores (without ``k``) is more than the fraction of relevant items: for
        one relevant item among n, it is (1 + 1/2 + ... + 1/n) / n. An array if ``k`` is
        an array.

    Raises
    ------
    ValueError
        As :func:`ranking_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and a list is undefined.

    See Also
    --------
    sklearn.metrics.label_ranking_average_precision_score : Lists as rows.
    average_precision_score : A single ranking, tied samples together.
    group_scores : Values per list, and their mean with its standard error.

    Notes
    -----
    Let :math:`y_i` be 1 if the item at rank i is relevant and 0 otherwise, and m the
    number of relevant items of the list. The value of the list is

    .. math:: \frac{1}{m} \sum_{i \le k} y_i \frac{y_1 + \dots + y_i}{i},

    as "map" and "map_cut" of trec_eval: unless ``capped`` is True, the sum is divided
    by m even if m is above k. If items tie, it is the expectation over their random
    orders [1]_. Cost: one sort, O(n log n), for each k.

    References
    ----------
    .. [1] McSherry and Najork (2008), Computing information retrieval performance
       measures efficiently in the presence of tied scores,
       :doi:`10.1007/978-3-540-78646-7_38`.

    Examples
    --------
    The relevant item of the first list is tied, as first or second; the relevant item
    of the second list is first:

    >>> from skrate import mean_average_precision_score
    >>> mean_average_precision_score(
    ...     [1, 0, 0, 1], [1, 1, 2, 3], groups=["a", "a", "b", "b"]
    ... )
    0.875
    """
    rows = y_true, y_score, groups, None, relevance_threshold, pos_label
    metric = MeanAveragePrecision(capped)
    return mean_list_score(metric, rows, k, average, undefined, n_relevant)


@reject_scoring
def reciprocal_rank_score(
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    k: int | Sequence[int] | None = None,
    undefined: Policy | float = "skip",
    average: Average | Iterable[float] = "macro",
    relevance_threshold: float | None = None,
    n_relevant: RelevantCounts | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the mean reciprocal rank (MRR) of the first relevant item of each list.

    How soon does a user find a relevant item, if the user stops there?

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items; -inf for items that were not returned, which
        add 0.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each row's list, in any order; None means a single list.
    k : int or array-like, default=None
        If given, a list counts 0 if its first relevant item is below position k
        (MRR@k). An array returns an array.
    undefined : {"skip", "nan"} or float, default="skip"
        How to treat a list without relevant items, as for :func:`ndcg_score`.
    average : {"macro", "positives", "size"} or array-like, default="macro"
        The weight of each list, as in :func:`ranking_auc_score`.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades, and grades of at least this are relevant.
    n_relevant : dict, pandas.Series, array-like or int, default=None
        The number of relevant items of each list, if items that were not returned have
        no row, as for :func:`ndcg_score`.
    pos_label : int, float, bool or str, default=None
        The relevant label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Reciprocal rank in [0, 1], 1 if every list has a relevant item first; nan where
        undefined. For random scores it is higher in shorter lists.

    Raises
    ------
    ValueError
        As :func:`ranking_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and a list is undefined.

    See Also
    --------
    sklearn.metrics.coverage_error : The rank of the last relevant item.
    mean_average_precision_score : The same if each list has one relevant item.
    group_scores : Values per list, and their mean with its standard error.

    Notes
    -----
    For tied items, it is the expectation over their orders [1]_. If r of n tied items
    are relevant, and the c items above them are irrelevant, the first relevant item is
    the j-th tied item with the probability

    .. math:: \binom{n - j}{r - 1} \Big/ \binom{n}{r}, \qquad j = 1, \dots, n - r + 1,

    and counts 1 / (c + j). Cost: one sort, O(n log n), for each k.

    References
    ----------
    .. [1] McSherry and Najork (2008), Computing information retrieval performance
       measures efficiently in the presence of tied scores,
       :doi:`10.1007/978-3-540-78646-7_38`.

    Examples
    --------
    A list without relevant items is omitted, unless ``undefined`` is a number:

    >>> from skrate import reciprocal_rank_score
    >>> reciprocal_rank_score(
    ...     [1, 0], [1, 2], groups=[7, 8], undefined=0
    ... )
    0.5
    """
    rows = y_true, y_score, groups, None, relevance_threshold, pos_label
    metric = ReciprocalRank()
    return mean_list_score(metric, rows, k, average, undefined, n_relevant)


@reject_scoring
def hit_rate_score(
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    k: int | Sequence[int] | None = None,
    undefined: Policy | float = "skip",
    average: Average | Iterable[float] = "macro",
    relevance_threshold: float | None = None,
    n_relevant: RelevantCounts | None = None,
    pos_label: Label = None,
) -> float:
    r"""Compute the fraction of lists with a relevant item among the first k.

    Which fraction of users finds at least one relevant item? It is also called hit@k or
    success@k. For lists with one relevant item it equals :func:`recall_at_rate_score`
    with ``k``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items; -inf for items that were not returned.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each row's list, in any order; None means a single list.
    k : int or array-like, default=None
        The number of items of each list that count; None counts all returned items. An
        array returns an array.
    undefined : {"skip", "nan"} or float, default="skip"
        How to treat a list without relevant items, as for :func:`ndcg_score`.
    average : {"macro", "positives", "size"} or array-like, default="macro"
        The weight of each list, as in :func:`ranking_auc_score`.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades; grades of at least this number are relevant.
    n_relevant : dict, pandas.Series, array-like or int, default=None
        The number of relevant items of each list, if items that were not returned have
        no row, as for :func:`ndcg_score`.
    pos_label : int, float, bool or str, default=None
        The relevant label. None means the larger one of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Hit rate in [0, 1], 1 for perfect lists; nan if undefined. Random scores of a
        list of n items with r relevant ones give
        :math:`1 - \binom{n - r}{k} / \binom{n}{k}`.

    Raises
    ------
    ValueError
        As :func:`ranking_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and a list is undefined.

    See Also
    --------
    sklearn.metrics.top_k_accuracy_score : One relevant class per sample.
    recall_at_rate_score : The fraction of the relevant items.
    group_scores : Values per list, and their mean with its standard error.

    Notes
    -----
    Tied items are in random order. If m of n tied items, with r relevant ones, are
    among the first k, and no relevant item is above them, the value of the list is the
    expectation :math:`1 - \binom{n - r}{m} / \binom{n}{m}`. Cost: one sort,
    O(n log n), for each k.

    Examples
    --------
    The relevant item is the first of one list, and the second of the other:

    >>> from skrate import hit_rate_score
    >>> y_true, y_score, user = [1, 0, 0, 1], [0.9, 0.1, 0.8, 0.3], ["a", "a", "b", "b"]
    >>> hit_rate_score(y_true, y_score, groups=user, k=1)
    0.5
    >>> hit_rate_score(y_true, y_score, groups=user, k=[1, 2])
    array([0.5, 1. ])
    """
    rows = y_true, y_score, groups, None, relevance_threshold, pos_label
    metric = HitRate()
    return mean_list_score(metric, rows, k, average, undefined, n_relevant)


class _RelevantRankMetric(Metric):
    """Base class of metrics of the ranks of relevant items, which need lists."""

    needs = ("positive",)
    counts_places = True
    takes_unreturned = True

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        return ListValues.of(self._top_values(lists, k), lists)

    @abstractmethod
    def _top_values(self, table: ListTable, k: int | None) -> FloatArray:
        """Return the metric of the first ``k`` items, or of all items, of each list."""

    def values(self, pos: Array, neg: Array) -> FloatArray:
        raise NotImplementedError

    def slopes(self, table: RankTable) -> Slopes:
        raise NotImplementedError


class NDCG(_RelevantRankMetric, score=ndcg_score, in_lists_only=True):
    """The discounted gain of a list, divided by the gain of the best order."""

    gain: Any = None

    name = "NDCG"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gain", check_grade_gain(self.gain))

    @property
    def grade_gain(self) -> GradeGain | None:  # type: ignore[override]
        gain: GradeGain | None = self.gain
        return gain

    def bind_labels(self, y_true: Any) -> Metric:
        if self.gain is None and has_grades(y_true):
            return replace(self, gain="linear")
        return self

    def _top_values(self, table: ListTable, k: int | None) -> FloatArray:
        rows, n_pos = RelevantRows.of(table), table.n_pos.astype(np.intp)
        gain = rows.cut(1 / np.log2(rows.above + 2.0), k)
        if table.gain is not None:
            gain *= table.gain[table.relevant]
        if len(rows.ties):
            ties, above = rows.ties, rows.above[rows.ties]
            whole: Array = rows.pos
            sums = _sums(1 / np.log2(np.arange(2, table.n_samples.max() + 2)))
            if table.gain is not None:
                whole = table.gain[table.relevant[ties]]
            of_seen = sums[above + rows.seen(k)] - sums[above]
            gain[ties] = whole * of_seen / rows.size
        discounts = 1 / np.log2(np.arange(2, n_pos.max() + 2))
        if k is not None:
            discounts[k:] = 0
        if table.best is None:
            best: Array = _sums(discounts)[n_pos]
        else:
            lists, ranks = list_positions(n_pos)
            best = np.bincount(lists, table.best * discounts[ranks], len(n_pos))
        return divide_or_nan(rows.sum(gain), best)


class MeanAveragePrecision(
    _RelevantRankMetric, score=mean_average_precision_score, in_lists_only=True
):
    """The mean over relevant items of the precision down to them.

    If r of n tied items are relevant, and R of the c items above them, rank c + i has a
    relevant item with probability r / n. In this case R + 1 + (i - 1) (r - 1) / (n - 1)
    relevant items are expected down to this rank.
    """

    capped: bool = False

    name = "MAP"

    def __post_init__(self) -> None:
        check_flag("capped", self.capped)

    def list_maxima(self, n_pos: FloatArray, k: int | None) -> FloatArray | None:
        if k is None or self.capped:
            return None
        return divide_or_nan(np.minimum(n_pos, k), n_pos)

    def _top_values(self, table: ListTable, k: int | None) -> FloatArray:
        rows = RelevantRows.of(table)
        precision = rows.cut((rows.found + 1.0) / (rows.above + 1), k)
        if len(rows.ties):
            ties, size, n_seen = rows.ties, rows.size, rows.seen(k)
            above, n_found = rows.above[ties], rows.found[ties]
            sums = _sums(1 / np.arange(1, table.n_samples.max() + 1))
            of_seen = sums[above + n_seen] - sums[above]
            index_sum = n_seen - (above + 1) * of_seen
            down = (n_found + 1) * of_seen + (rows.pos - 1) / (size - 1) * index_sum
            precision[ties] = rows.pos / size * down
        n_pos = table.n_pos
        if self.capped and k is not None:
            n_pos = np.minimum(n_pos, k)
        return divide_or_nan(rows.sum(precision), n_pos)


class _FirstRelevantMetric(_RelevantRankMetric):
    """Base class of metrics of the rank of the first relevant item of each list."""

    def _top_values(self, table: ListTable, k: int | None) -> FloatArray:
        lists = np.flatnonzero(np.diff(table.relevant_edges))
        rows = table.relevant[table.relevant_edges[lists]]
        n_above = rows_above(table, rows, table.starts[lists])
        n_pos, n_neg = (of[rows].astype(np.intp) for of in (table.pos, table.neg))
        # The possible ranks of all lists: relevant items may be tied with others.
        n_ranks = n_neg + 1
        starts = np.cumsum(n_ranks) - n_ranks
        row, n_before = list_positions(n_ranks)
        rank = n_above[row] + n_before + 1
        # The j-th of n tied items is the first of r relevant ones with a probability
        # proportional to C(n - j, r - 1). Relative to j = 1, the most probable one.
        left = (n_pos + n_neg)[row] - n_before
        logs = -betaln(n_pos[row], left - n_pos[row] + 1) - np.log(left)
        odds = np.exp(logs - logs[starts][row])
        counts = odds * self._rank_values(rank)
        if k is not None:
            counts[rank > k] = 0.0
        scores = np.where(table.n_pos > 0, 0.0, np.nan)
        scores[lists] = np.add.reduceat(counts, starts) / np.add.reduceat(odds, starts)
        return scores

    @abstractmethod
    def _rank_values(self, rank: IntArray) -> FloatArray:
        """Return the metric if the first relevant item has this rank."""


class ReciprocalRank(
    _FirstRelevantMetric, score=reciprocal_rank_score, in_lists_only=True
):
    """The reciprocal rank of the first relevant item."""

    name = "Reciprocal rank"

    def _rank_values(self, rank: IntArray) -> FloatArray:
        return 1 / rank


class HitRate(_FirstRelevantMetric, score=hit_rate_score, in_lists_only=True):
    """Whether a relevant item is among the first k of a list."""

    name = "Hit rate"

    def _rank_values(self, rank: IntArray) -> FloatArray:
        return np.ones(len(rank))


class RelevantRows(NamedTuple):
    """The groups of tied items with relevant items, list after list, best first."""

    counts: IntArray  # The number of rows of each list.
    above: IntArray  # The number of items of the list above each row.
    found: IntArray  # The number of relevant items above each row.
    ties: IntArray  # The rows with several items.
    size: IntArray  # The number of items in each row of ties.
    pos: IntArray  # The number of relevant items in each row of ties.

    @classmethod
    def of(cls, table: ListTable) -> RelevantRows:
        """Return the rows of a table of items of weight one."""
        rows, counts = table.relevant, np.diff(table.relevant_edges)
        above = rows_above(table, rows, np.repeat(table.starts, counts))
        if not table.has_ties:
            first = np.repeat(table.relevant_edges[:-1], counts)
            n_found = np.arange(len(rows)) - first
            return cls(counts, above, n_found, *[rows[:0]] * 3)
        pos = table.pos[rows].astype(np.intp)
        size, n_found = pos + table.neg[rows], np.cumsum(pos) - pos
        before = np.append(n_found, 0)[table.relevant_edges[:-1]]
        n_found = n_found - np.repeat(before, counts)
        ties = np.flatnonzero(size > 1)
        return cls(counts, above, n_found, ties, size[ties], pos[ties])

    def cut(self, terms: FloatArray, k: int | None) -> FloatArray:
        """Return terms of single items, with 0 below rank k."""
        if k is not None:
            terms[self.above >= k] = 0.0
        return terms

    def seen(self, k: int | None) -> IntArray:
        """Return the number of items in each row of ties among the first k."""
        if k is None:
            return self.size
        return np.clip(k - self.above[self.ties], 0, self.size)

    def sum(self, values: FloatArray) -> FloatArray:
        """Return the sum over each list of row ``values``."""
        lists = np.repeat(np.arange(len(self.counts)), self.counts)
        sums = np.bincount(lists, values, minlength=len(self.counts))
        return sums.astype(np.float64, copy=False)


def rows_above(table: ListTable, rows: IntArray, starts: IntArray) -> IntArray:
    """Return the number of items above rows of lists that begin at ``starts``."""
    return table.begins[rows] if table.has_ties else rows - starts


def _sums(values: FloatArray) -> FloatArray:
    """Return the sums of the first 0, 1, ... values."""
    return np.concatenate([[0.0], np.cumsum(values)])


def list_positions(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the list of each item, and its position there, given items per list."""
    lists = np.repeat(np.arange(len(counts)), counts)
    return lists, np.arange(len(lists)) - (np.cumsum(counts) - counts)[lists]
