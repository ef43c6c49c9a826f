"""Metrics of information retrieval: means over the lists of queries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaln, gammaln

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
from skrate.metrics.list_scores import Average, Policy, mean_list_score, score_each_k
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

    How much of what a perfect order would show does each list show, where a place
    counts one over the logarithm of its number? By default it equals
    :func:`sklearn.metrics.ndcg_score`, which takes lists of one length only.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades: numbers that are not negative, or with
        ``gain`` as a dict also strings.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items; -inf for items that were not returned, which
        add nothing.
    groups : array-like of shape (n_samples,), default=None
        The list of each row: integers, strings or other labels, in any order of rows.
        None takes all rows for one list.
    k : int or array-like, default=None
        If given, only the first k positions of each list count, also in a perfect
        order. An array returns an array.
    gain : {"linear", "exponential"} or dict, default=None
        What an item gains by its grade; it is relevant if this is more than 0:

        - "linear": the grade itself, a number that is not negative.
        - "exponential": 2 to the power of the grade, minus 1.
        - A dict: the number, not negative, that it has for the grade, as
          ``{"fair": 1, "good": 5}``; grades may then be numbers or strings.

        None means "linear" if ``y_true`` are numbers of more than two values; a
        relevant item of two classes gains 1, and others 0.
    undefined : {"skip", "nan"} or float, default="skip"
        What to do with a list that holds no relevant item: leave it out, return nan, or
        count this number, as in :func:`ranking_auc_score`; other programs count 0 or 1.
    average : {"macro", "positives", "size"} or array-like, default="macro"
        How much a list counts, as in :func:`ranking_auc_score`.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades and those from it on are relevant.
    n_relevant : dict, pandas.Series, array-like or int, default=None
        The number of relevant items of each list, by its label (or in the order of
        ``numpy.unique(groups)``), if those that were not returned have no row. Lists of
        which no row was returned may be named, too, and count 0.
    pos_label : int, float, bool or str, default=None
        The label of relevant items; None takes the greater of {0, 1}, {-1, 1} or
        booleans.

    Returns
    -------
    score : float
        NDCG in [0, 1], 1 where every list has its items in decreasing order of gain;
        nan where undefined. Random scores give the mean discount of the places times
        the gain of all items, as a share of the perfect: greater than 0, and greater in
        shorter lists.

    Raises
    ------
    ValueError
        As :func:`ranking_auc_score`; if ``gain`` is none of the choices, or given with
        ``relevance_threshold`` or ``pos_label``; or if grades are negative, no numbers,
        so great that their gains overflow, or not in the dict.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and one of them is not.

    See Also
    --------
    sklearn.metrics.ndcg_score : Lists as rows of an array, with linear gains.
    group_scores : Values per list, and their mean with its standard error.
    skrate.rates.log_discount : The same weighting as a distribution of the rate.

    Notes
    -----
    With :math:`g_i` the gain of the item at place i of a list, and
    :math:`g_{(1)} \ge g_{(2)} \ge \dots` the gains of all its items in order,

    .. math:: \frac{\sum_{i \le k} g_i / \log_2(i + 1)}
                   {\sum_{i \le k} g_{(i)} / \log_2(i + 1)}.

    The exponential gain :math:`2^y - 1` is from [1]_. Where items tie, the value is
    the expectation over their orders: each has the mean gain of all that tie [2]_.
    Cost: one sort of 64-bit integers, O(n log n), at any number of lists; with
    ``gain`` another, of the grades.

    References
    ----------
    .. [1] Burges et al. (2005), Learning to rank using gradient descent,
       :doi:`10.1145/1102351.1102363`.
    .. [2] McSherry and Najork (2008), Computing information retrieval performance
       measures efficiently in the presence of tied scores,
       :doi:`10.1007/978-3-540-78646-7_38`.

    Examples
    --------
    The first list has its relevant item on top, the second one below another:

    >>> from skrate import ndcg_score
    >>> y_true, y_score = [1, 0, 0, 1, 0], [0.9, 0.2, 0.7, 0.5, 0.3]
    >>> user = ["a", "a", "b", "b", "b"]
    >>> round(ndcg_score(y_true, y_score, groups=user), 4)
    0.8155

    Only the top of each list is seen:

    >>> ndcg_score(y_true, y_score, groups=user, k=1)
    0.5

    The second best of three items is on top. There it gains 1 where the best would
    have gained 3, or exponentially 7:

    >>> grades, y_score = [3, 1, 0], [0.4, 0.9, 0.1]
    >>> [
    ...     round(ndcg_score(grades, y_score, k=1, gain=gain), 4)
    ...     for gain in ("linear", "exponential")
    ... ]
    [0.3333, 0.1429]
    """
    rows = y_true, y_score, groups, None, relevance_threshold, pos_label
    options = average, undefined, n_relevant
    return score_each_k(k, lambda k: mean_list_score(NDCG(gain), rows, k, *options))


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

    How pure is each list down to each of its relevant items? Without ties and ``k`` it
    is the mean of :func:`average_precision_score` over the lists. That takes items of
    one score together; here they are in a random order, as where a list is shown.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items; -inf for items that were not returned, which
        add nothing.
    groups : array-like of shape (n_samples,), default=None
        The list of each row: integers, strings or other labels, in any order of rows.
        None takes all rows for one list.
    k : int or array-like, default=None
        If given, relevant items below position k count 0 (MAP@k). An array returns an
        array.
    capped : bool, default=False
        Whether to divide by min(k, m) instead of the number m of relevant items, so
        that a perfect list has 1 for any k, as in LightGBM and Kaggle's MAP@k.
    undefined : {"skip", "nan"} or float, default="skip"
        What to do with a list that holds no relevant item: leave it out, return nan, or
        count this number, as in :func:`ranking_auc_score`; other programs count 0 or 1.
    average : {"macro", "positives", "size"} or array-like, default="macro"
        How much a list counts, as in :func:`ranking_auc_score`.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades and those from it on are relevant.
    n_relevant : dict, pandas.Series, array-like or int, default=None
        The number of relevant items of each list, by its label (or in the order of
        ``numpy.unique(groups)``), if those that were not returned have no row. Lists of
        which no row was returned may be named, too, and count 0.
    pos_label : int, float, bool or str, default=None
        The label of relevant items; None takes the greater of {0, 1}, {-1, 1} or
        booleans.

    Returns
    -------
    score : float
        MAP in [0, 1]: a little more than the share of relevant items for random scores,
        1 where every list has its relevant items first (and no more than k of them);
        nan where undefined.

    Raises
    ------
    ValueError
        As :func:`ranking_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and one of them is not.

    See Also
    --------
    sklearn.metrics.label_ranking_average_precision_score : Lists as rows.
    average_precision_score : A single ranking, tied cases together.
    group_scores : Values per list, and their mean with its standard error.

    Notes
    -----
    With :math:`y_i \in \{0, 1\}` the relevance of the item at place i of a list, of
    which m are relevant,

    .. math:: \frac{1}{m} \sum_{i \le k} y_i \frac{y_1 + \dots + y_i}{i},

    as "map" and "map_cut" of trec_eval: divided by all relevant items, even if k is
    less than their number and ``capped`` is False. If items tie, it is the expectation
    over their orders [1]_. Cost: one sort, O(n log n), for each k.

    References
    ----------
    .. [1] McSherry and Najork (2008), Computing information retrieval performance
       measures efficiently in the presence of tied scores,
       :doi:`10.1007/978-3-540-78646-7_38`.

    Examples
    --------
    The relevant one of two tied items is first or second, the other list's is first:

    >>> from skrate import mean_average_precision_score
    >>> mean_average_precision_score(
    ...     [1, 0, 0, 1], [1, 1, 2, 3], groups=["a", "a", "b", "b"]
    ... )
    0.875
    """
    rows = y_true, y_score, groups, None, relevance_threshold, pos_label
    metric, options = MeanAveragePrecision(capped), (average, undefined, n_relevant)
    return score_each_k(k, lambda k: mean_list_score(metric, rows, k, *options))


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
    r"""Compute one over the place of the first relevant item, averaged over lists: MRR.

    How soon does a user come to something relevant, who then stops?

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items; -inf for items that were not returned, which
        add nothing.
    groups : array-like of shape (n_samples,), default=None
        The list of each row: integers, strings or other labels, in any order of rows.
        None takes all rows for one list.
    k : int or array-like, default=None
        If given, a list whose first relevant item is below position k counts 0 (MRR@k).
        An array returns an array.
    undefined : {"skip", "nan"} or float, default="skip"
        What to do with a list that holds no relevant item: leave it out, return nan, or
        count this number, as in :func:`ranking_auc_score`; other programs count 0 or 1.
    average : {"macro", "positives", "size"} or array-like, default="macro"
        How much a list counts, as in :func:`ranking_auc_score`.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades and those from it on are relevant.
    n_relevant : dict, pandas.Series, array-like or int, default=None
        The number of relevant items of each list, by its label (or in the order of
        ``numpy.unique(groups)``), if those that were not returned have no row. Lists of
        which no row was returned may be named, too, and count 0.
    pos_label : int, float, bool or str, default=None
        The label of relevant items; None takes the greater of {0, 1}, {-1, 1} or
        booleans.

    Returns
    -------
    score : float
        Reciprocal rank in [0, 1], 1 where every list has a relevant item on top; nan
        where undefined. For random scores it is greater in shorter lists.

    Raises
    ------
    ValueError
        As :func:`ranking_auc_score`.

    Warns
    -----
    UndefinedMetricWarning
        If no list is defined, or ``undefined="nan"`` and one of them is not.

    See Also
    --------
    sklearn.metrics.coverage_error : The place of the last relevant item.
    mean_average_precision_score : The same where each list has one relevant item.
    group_scores : Values per list, and their mean with its standard error.

    Notes
    -----
    Where items tie, it is the expectation over their orders [1]_: of n tied items below
    c others, of which r are relevant and none above, the first is the j-th of them with
    the probability

    .. math:: \binom{n - j}{r - 1} \Big/ \binom{n}{r}, \qquad j = 1, \dots, n - r + 1,

    and counts 1 / (c + j). Cost: one sort, O(n log n).

    References
    ----------
    .. [1] McSherry and Najork (2008), Computing information retrieval performance
       measures efficiently in the presence of tied scores,
       :doi:`10.1007/978-3-540-78646-7_38`.

    Examples
    --------
    A list without a relevant item is left out, unless it is to count something:

    >>> from skrate import reciprocal_rank_score
    >>> reciprocal_rank_score(
    ...     [1, 0], [1, 2], groups=[7, 8], undefined=0
    ... )
    0.5
    """
    rows = y_true, y_score, groups, None, relevance_threshold, pos_label
    metric, options = ReciprocalRank(), (average, undefined, n_relevant)
    return score_each_k(k, lambda k: mean_list_score(metric, rows, k, *options))


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

    How many users find at least one relevant item? It is also called hit@k or
    success@k. For lists with one relevant item it equals :func:`recall_at_rate_score`
    with ``k``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items; -inf for items that were not returned.
    groups : array-like of shape (n_samples,), default=None
        The list of each row: integers, strings or other labels, in any order of rows.
        None takes all rows for one list.
    k : int or array-like, default=None
        The number of items of each list that count; None counts all returned items. An
        array returns an array.
    undefined : {"skip", "nan"} or float, default="skip"
        What to do with a list without a relevant item: leave it out, return nan, or
        count this number, as in :func:`ranking_auc_score`.
    average : {"macro", "positives", "size"} or array-like, default="macro"
        The weight of each list, as in :func:`ranking_auc_score`.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades; grades of at least this number are relevant.
    n_relevant : dict, pandas.Series, array-like or int, default=None
        The number of relevant items of each list, by its label (or in the order of
        ``numpy.unique(groups)``), if items that were not returned have no row. It may
        name lists without any row, which count 0.
    pos_label : int, float, bool or str, default=None
        The label of relevant items; None takes the greater of {0, 1}, {-1, 1} or
        booleans.

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
        If no list is defined, or ``undefined="nan"`` and one of them is not.

    See Also
    --------
    sklearn.metrics.top_k_accuracy_score : One relevant class per sample.
    recall_at_rate_score : The fraction of the relevant items.
    group_scores : Values per list, and their mean with its standard error.

    Notes
    -----
    Tied items are in random order. If m of n tied items, r of them relevant, are among
    the first k, and no relevant item is above them, the value of the list is the
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
    metric, options = HitRate(), (average, undefined, n_relevant)
    return score_each_k(k, lambda k: mean_list_score(metric, rows, k, *options))


class _RelevantRankMetric(Metric):
    """What goes by the places of relevant items, of which a ranking is one list."""

    needs = ("positive",)
    counts_places = True
    takes_unreturned = True

    def score_lists(self, lists: ListTable, k: int | None = None) -> ListValues:
        return ListValues.of(self._top_values(lists, k), lists)

    @abstractmethod
    def _top_values(self, table: ListTable, k: int | None) -> FloatArray:
        """Return the metric of the first ``k`` items of each list, or of all."""

    def values(self, pos: Array, neg: Array) -> FloatArray:
        raise NotImplementedError

    def slopes(self, table: RankTable) -> Slopes:
        raise NotImplementedError


class NDCG(_RelevantRankMetric, score=ndcg_score, in_lists_only=True):
    """What a list shows of what the best order would, by discounted places."""

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
            lists, places = list_positions(n_pos)
            best = np.bincount(lists, table.best * discounts[places], len(n_pos))
        return divide_or_nan(rows.sum(gain), best)


class MeanAveragePrecision(
    _RelevantRankMetric, score=mean_average_precision_score, in_lists_only=True
):
    """The mean over relevant items of the precision down to them.

    With n tied items below c others, of which r and R are relevant, place c + i holds a
    relevant one with probability r / n, and then R + 1 + (i - 1) (r - 1) / (n - 1)
    relevant items are expected down to it.
    """

    capped: bool = False

    name = "MAP"

    def __post_init__(self) -> None:
        check_flag("capped", self.capped)

    def _top_values(self, table: ListTable, k: int | None) -> FloatArray:
        rows = RelevantRows.of(table)
        precision = rows.cut((rows.found + 1.0) / (rows.above + 1), k)
        if len(rows.ties):
            ties, size, n_seen = rows.ties, rows.size, rows.seen(k)
            above, found = rows.above[ties], rows.found[ties]
            sums = _sums(1 / np.arange(1, table.n_samples.max() + 1))
            of_seen = sums[above + n_seen] - sums[above]
            others = n_seen - (above + 1) * of_seen
            down = (found + 1) * of_seen + (rows.pos - 1) / (size - 1) * others
            precision[ties] = rows.pos / size * down
        n_pos = table.n_pos
        if self.capped and k is not None:
            n_pos = np.minimum(n_pos, k)
        return divide_or_nan(rows.sum(precision), n_pos)


class ReciprocalRank(
    _RelevantRankMetric, score=reciprocal_rank_score, in_lists_only=True
):
    """One over the place of the first relevant item."""

    name = "Reciprocal rank"

    def _top_values(self, table: ListTable, k: int | None) -> FloatArray:
        lists = np.flatnonzero(np.diff(table.relevant_edges))
        rows = table.relevant[table.relevant_edges[lists]]
        above = rows_above(table, rows, table.starts[lists])
        last = int(table.n_samples.max()) if k is None else k
        inverse = np.where(above < last, 1 / (above + 1.0), 0.0)
        pos, neg = (of[rows].astype(np.intp) for of in (table.pos, table.neg))
        mixed = np.flatnonzero(neg)
        if len(mixed):
            size = pos[mixed] + neg[mixed]
            inverse[mixed] = _mean_inverse(above[mixed], size, pos[mixed], last)
        values = np.where(table.n_pos > 0, 0.0, np.nan)
        values[lists] = inverse
        return values


class HitRate(_RelevantRankMetric, score=hit_rate_score, in_lists_only=True):
    """Whether a relevant item is among the first k of a list."""

    name = "Hit rate"

    def _top_values(self, table: ListTable, k: int | None) -> FloatArray:
        lists = np.flatnonzero(np.diff(table.relevant_edges))
        # Only the first row with relevant items matters: k cuts it, or it is seen.
        rows = table.relevant[table.relevant_edges[lists]]
        n_above = rows_above(table, rows, table.starts[lists])
        n_pos, n_neg = (
            column[rows].astype(np.intp) for column in (table.pos, table.neg)
        )
        size = n_pos + n_neg
        n_seen = size if k is None else np.clip(k - n_above, 0, size)
        values = np.where(table.n_pos > 0, 0.0, np.nan)
        values[lists] = 1 - _miss_probability(n_pos, n_neg, n_seen)
        return values


def _miss_probability(n_pos: IntArray, n_neg: IntArray, n_seen: IntArray) -> FloatArray:
    """Return the probability that ``n_seen`` tied items have no relevant one."""
    n_other = np.maximum(n_neg - n_seen, 0)
    size = n_pos + n_neg
    log_ratio = gammaln(n_neg + 1) - gammaln(n_other + 1)
    log_ratio += gammaln(size - n_seen + 1) - gammaln(size + 1)
    return np.where(n_seen > n_neg, 0.0, np.exp(log_ratio))


class RelevantRows(NamedTuple):
    """The groups of tied items that hold relevant ones, list after list, best first."""

    counts: IntArray  # The number of rows of each list.
    above: IntArray  # Items of the list above the row,
    found: IntArray  # and the relevant ones among them.
    ties: IntArray  # Which rows hold several items,
    size: IntArray  # how many these are,
    pos: IntArray  # and how many of them are relevant.

    @classmethod
    def of(cls, table: ListTable) -> RelevantRows:
        """Return those of a table of items of weight one."""
        rows, counts = table.relevant, np.diff(table.relevant_edges)
        above = rows_above(table, rows, spread(table.starts, counts))
        if not table.has_ties:
            found = np.arange(len(rows)) - spread(table.relevant_edges[:-1], counts)
            return cls(counts, above, found, *[rows[:0]] * 3)
        pos = table.pos[rows].astype(np.intp)
        size, found = pos + table.neg[rows], np.cumsum(pos) - pos
        before = np.append(found, 0)[table.relevant_edges[:-1]]
        found = found - spread(before, counts)
        ties = np.flatnonzero(size > 1)
        return cls(counts, above, found, ties, size[ties], pos[ties])

    def cut(self, values: FloatArray, k: int | None) -> FloatArray:
        """Return values of single items, 0 of those below place k."""
        if k is not None:
            values[self.above >= k] = 0.0
        return values

    def seen(self, k: int | None) -> IntArray:
        """Return how many items of each row of ties are among the first k."""
        if k is None:
            return self.size
        return np.clip(k - self.above[self.ties], 0, self.size)

    def sum(self, values: FloatArray) -> FloatArray:
        """Return the sum of row ``values``, which are used up, over each list."""
        if len(self.counts) == 1:
            return np.cumsum(values, out=values)[-1:] if len(values) else np.zeros(1)
        lists = spread(np.arange(len(self.counts)), self.counts)
        sums = np.bincount(lists, values, minlength=len(self.counts))
        return sums.astype(np.float64, copy=False)


def rows_above(table: ListTable, rows: IntArray, starts: IntArray) -> IntArray:
    """Return how many items are above rows of lists that begin at ``starts``."""
    return table.begins[rows] if table.has_ties else rows - starts


def spread(values: IntArray, counts: IntArray) -> IntArray:
    """Return the value of its list for each row, or that of a single list."""
    return values if len(counts) == 1 else np.repeat(values, counts)


def _sums(values: FloatArray) -> FloatArray:
    """Return the sums of the first 0, 1, ... values."""
    return np.concatenate([[0.0], np.cumsum(values)])


def list_positions(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the list of each item, and its place there from 0, by items per list."""
    lists = np.repeat(np.arange(len(counts)), counts)
    return lists, np.arange(len(lists)) - (np.cumsum(counts) - counts)[lists]


def _mean_inverse(
    above: IntArray, size: IntArray, pos: IntArray, last: int
) -> FloatArray:
    """Return the mean of one over the first place of ``pos`` among ``size`` tied items.

    It is the j-th of n of which r are relevant with a probability in proportion to
    C(n - j, r - 1); beyond place ``last`` it counts nothing.
    """
    counts = size - pos + 1
    starts = np.cumsum(counts) - counts
    row, j = list_positions(counts)
    j += 1
    left = (size[row] - j).astype(np.float64)
    logs = -betaln(pos[row], left - pos[row] + 2) - np.log(left + 1)
    # The first is the most probable.
    chances = np.exp(logs - logs[starts][row])
    place = above[row] + j
    parts = np.where(place <= last, chances / place, 0.0)
    total = np.add.reduceat(chances, starts)
    return np.asarray(np.add.reduceat(parts, starts) / total)
