"""Metrics of a ranking, computed within each list."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from skrate.core.arrays import Array, FloatArray
from skrate.core.elicitation import check_rate
from skrate.core.list_table import ListTable, check_top, list_table
from skrate.core.rates import RateDistribution
from skrate.core.validation import (
    check_choice,
    check_fraction,
    warn_undefined,
)
from skrate.metrics.list_auc import list_auc
from skrate.metrics.list_average import (
    ListAverage,
    Policy,
    by_label,
    check_average,
    check_undefined,
    list_weights,
)
from skrate.metrics.rate_weighted_auc import has_range

_AT_CUT = ("precision", "recall")
_WITH_RATE = ("expected_recall", "rauc")
Metric = Literal[
    "auc", "average_precision", "expected_recall", "rauc", "precision", "recall"
]
METRICS: tuple[Metric, ...] = get_args(Metric)
MeanAverage = Literal["macro", "positives", "size"]
MEAN_AVERAGES: tuple[MeanAverage, ...] = get_args(MeanAverage)


@dataclass(frozen=True, eq=False)
class GroupScores:
    """A metric within each list.

    Attributes
    ----------
    metric : str
        What was computed.
    groups : array of shape (n_lists,)
        The labels of the lists, increasing.
    scores : array of shape (n_lists,)
        The value of each list; nan where it is undefined.
    n_items : array of shape (n_lists,)
        Number (or weight) of the items of each list.
    n_pos : array of shape (n_lists,)
        Number (or weight) of its relevant items.

    See Also
    --------
    group_scores : Makes it.

    Examples
    --------
    >>> from skrate import group_scores
    >>> group_scores("recall", [1, 1, 0, 1], [4, 3, 2, 1], groups=[7, 7, 8, 8], k=1)
    GroupScores('recall', 2 lists, mean=0.25)
    """

    metric: str
    groups: Array
    scores: FloatArray
    n_items: FloatArray
    n_pos: FloatArray

    def mean(
        self,
        average: MeanAverage | Iterable[float] = "macro",
        undefined: Policy | float = "skip",
    ) -> float:
        """Return the average over the lists.

        Parameters
        ----------
        average : {"macro", "positives", "size"} or array-like, default="macro"
            How much a list counts: all the same, by its relevant items, by its items,
            or by these weights, in the order of ``groups``.
        undefined : {"skip", "nan"} or float, default="skip"
            What to do with a list that is undefined: leave it out, return nan, or
            count this number.

        Returns
        -------
        score : float
            The weighted mean; nan if no list counts.

        Raises
        ------
        ValueError
            If an argument is not one of the choices.

        Warns
        -----
        UndefinedMetricWarning
            If the mean is nan.
        """
        score = self._average(average, undefined).score
        if np.isnan(score):
            is_undefined = np.isnan(self.scores[self.n_items > 0])
            reason = f"{is_undefined.sum()} of {len(is_undefined)} lists are undefined"
            return warn_undefined(f"The mean of {self.metric!r}", reason)
        return score

    def _average(self, average: Any, undefined: Any) -> ListAverage:
        average = check_average(average, MEAN_AVERAGES)
        undefined = check_undefined(undefined)
        lists = np.flatnonzero(self.n_items)
        scores = self.scores[lists]
        if isinstance(average, str) and average != "macro":
            weights = (self.n_pos if average == "positives" else self.n_items)[lists]
        else:
            weights = list_weights(average, self.groups, lists)
        if not isinstance(undefined, str):
            scores = np.where(np.isnan(scores), undefined, scores)
        elif undefined == "skip":
            weights, scores = weights[~np.isnan(scores)], scores[~np.isnan(scores)]
        return ListAverage(weights * scores, weights)

    def __repr__(self) -> str:
        mean = self._average("macro", "skip").score
        return (
            f"GroupScores({self.metric!r}, {len(self.groups)} lists, mean={mean:.6g})"
        )


def group_scores(
    metric: Metric,
    y_true: Any,
    y_score: Any,
    *,
    groups: Any,
    k: int | None = None,
    rate: Any = None,
    sample_weight: Any = None,
    relevance_threshold: float | None = None,
    pos_label: Any = None,
) -> GroupScores:
    r"""Compute a metric within each list, all lists in one pass.

    What a loop over users or queries would give, list by list, without the loop. See
    :func:`ranking_auc_score` for the AUC with all its averages.

    Parameters
    ----------
    metric : str
        What to compute in each list:

        - "auc": pairs of a relevant and an irrelevant item in the right order;
        - "average_precision": as :func:`average_precision_score`;
        - "expected_recall", "rauc": as :func:`expected_recall_score` and
          :func:`rate_weighted_auc_score`, for ``rate``;
        - "recall", "precision": of the first ``k`` items, or of the share ``rate`` of
          each list.
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items.
    groups : array-like of shape (n_samples,)
        The list of each row: integers, strings or other labels, in any order of rows.
    k : int, default=None
        How many items of each list are seen, for "auc", "recall" and "precision"; of a
        shorter list, all are. Not with ``sample_weight``.
    rate : "uniform", float or distribution, default=None
        The share of each list that is seen: a number in (0, 1] for "recall" and
        "precision"; for "expected_recall" and "rauc" also a distribution, and None
        means "uniform".
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the rows; None means equal ones.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades and those from it on are relevant.
    pos_label : int, float, bool or str, default=None
        The label of relevant items; None takes the greater of {0, 1}, {-1, 1} or
        booleans.

    Returns
    -------
    scores : GroupScores
        ``groups`` and ``scores`` per list, and ``mean()`` over them. A list without
        relevant items is nan (but its precision is 0); for "auc" and "rauc" so is one
        without irrelevant items.

    Raises
    ------
    ValueError
        If ``metric`` is unknown, ``k`` or ``rate`` does not fit it or is out of range,
        labels, scores or weights cannot be ranked, or ``groups`` has another length or
        missing labels.

    See Also
    --------
    ranking_auc_score : The AUC within lists, averaged.
    average_precision_score : The metrics of a single list.

    Notes
    -----
    Where a cut falls among items of one score, the value is the expectation over the
    choice of those above it; for "auc" with ``k``, as in :func:`ranking_auc_score`.
    Precision is relative to the items that are seen, which in a list of fewer than
    ``k`` are all of it. Cost: one sort of 64-bit integers, O(n log n), at any number
    of lists.

    Examples
    --------
    >>> from skrate import group_scores
    >>> y_true, y_score = [1, 0, 0, 1, 0], [0.9, 0.2, 0.7, 0.5, 0.3]
    >>> user = ["a", "a", "b", "b", "b"]
    >>> group_scores("precision", y_true, y_score, groups=user, k=2).scores.tolist()
    [0.5, 0.5]
    >>> scores = group_scores("average_precision", y_true, y_score, groups=user)
    >>> scores.scores.tolist(), scores.mean()
    ([1.0, 0.5], 0.75)
    """
    kernel = _kernel(check_choice("metric", metric, METRICS), k, rate, sample_weight)
    table = list_table(
        y_true, y_score, groups, sample_weight, relevance_threshold, pos_label
    )
    return GroupScores(
        metric,
        table.labels,
        by_label(kernel(table), table, np.nan),
        by_label(table.unscaled(table.n_pos + table.n_neg), table, 0.0),
        by_label(table.unscaled(table.n_pos), table, 0.0),
    )


def _kernel(
    metric: str, k: Any, rate: Any, sample_weight: Any
) -> Callable[[ListTable], FloatArray]:
    """Return the metric as a function of a table of lists."""
    if k is not None:
        if metric not in ("auc", *_AT_CUT):
            raise ValueError(f"k={k!r} has no meaning for {metric!r}: leave it out.")
        k = check_top(k, sample_weight)
    if metric in _WITH_RATE:
        known = check_rate("uniform" if rate is None else rate)
        kernel = _expected_recall if metric == "expected_recall" else _rauc
        return lambda table: kernel(table, known)
    if metric in _AT_CUT:
        if (k is None) == (rate is None):
            raise ValueError(f"metric={metric!r} needs k or rate, and not both.")
        share = None if rate is None else check_fraction("rate", rate, include_one=True)
        return lambda table: _at_cut(table, metric, k, share)
    if rate is not None:
        raise ValueError(f"rate={rate!r} has no meaning for {metric!r}: leave it out.")
    if metric == "auc":
        return lambda table: list_auc(table, k).scores
    return _average_precision


def _average_precision(table: ListTable) -> FloatArray:
    found = table.cum_pos
    return _share(table.sum(table.pos * (found / table.ends)), table.n_pos)


def _at_cut(
    table: ListTable, metric: str, k: int | None, rate: float | None
) -> FloatArray:
    """Return recall or precision of the items seen, within ties as an expectation."""
    n_seen = np.minimum(k or 0, table.sizes) if rate is None else rate * table.sizes
    cut = table.spread(n_seen)
    # Rows that end at the cut are seen whole, whatever the rounding of their weight.
    seen = (table.ends <= cut).astype(np.float64)
    is_cut = (table.begins < cut) & (cut < table.ends)
    begins = table.begins[is_cut]
    seen[is_cut] = (cut[is_cut] - begins) / (table.ends[is_cut] - begins)
    found = table.sum(table.pos * seen)
    return _share(found, n_seen if metric == "precision" else table.n_pos)


def _expected_recall(table: ListTable, rate: RateDistribution) -> FloatArray:
    return _share(table.sum(table.pos * _processed(table, rate)), table.n_pos)


def _processed(table: ListTable, rate: RateDistribution) -> FloatArray:
    """Return the probability of being processed for the cases of each row."""
    n_items = table.spread(table.sizes)
    return rate.table.mean(table.begins / n_items, table.ends / n_items)


def _rauc(table: ListTable, rate: RateDistribution) -> FloatArray:
    """Return the rAUC: expected recall between that of worst and best ranking."""
    scores = np.full(len(table.lists), np.nan)
    mixed = np.flatnonzero((table.n_pos > 0) & (table.n_neg > 0))
    n_pos, n_neg = table.n_pos[mixed], table.n_neg[mixed]
    # Of the rarer class: that of the other hardly depends on the ranking if it is
    # nearly all there is.
    is_rare = n_pos <= n_neg
    share = np.minimum(n_pos, n_neg) / (n_pos + n_neg)
    zero, one = np.zeros_like(share), np.ones_like(share)
    worst = rate.table.mean(1 - share, one)
    best = rate.table.mean(zero, share)
    matters = has_range(worst, best)
    processed = _processed(table, rate)
    of_pos = table.sum(table.pos * processed)[mixed] / n_pos
    of_neg = table.sum(table.neg * processed)[mixed] / n_neg
    above = np.where(is_rare, of_pos - worst, best - of_neg)
    values = np.full(len(mixed), np.nan)
    np.divide(above, best - worst, out=values, where=matters)
    scores[mixed] = np.clip(values, 0, 1)
    return scores


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return part / whole; nan where the whole is nothing."""
    shares = np.full(len(part), np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares
