"""Metrics of a ranking, computed within each list, and averages over lists."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np

from skrate.data.arrays import Array, ArrayLike, BoolArray, FloatArray, IntArray, Label
from skrate.data.checks import (
    as_array,
    check_choice,
    check_equal_length,
    check_fraction,
    check_number,
    check_scores,
    check_weights,
    shown,
    warn_undefined,
)
from skrate.data.compressed import naming_batch
from skrate.data.folds import FoldRankings
from skrate.data.lists import (
    ListBatches,
    ListTable,
    ListValues,
    check_top,
    list_table,
    whole_lists,
)
from skrate.data.ranking import check_groups
from skrate.data.table import RankTable
from skrate.metrics.base import Metric, MetricLike, find_in_lists
from skrate.metrics.gain import ExpectedGain
from skrate.metrics.hypothesis_tests import (
    Alternative,
    Null,
    check_null,
    t_test,
    told_alternative,
    two_sided_level,
)
from skrate.metrics.results import (
    ConfidenceInterval,
    Estimate,
    Question,
    Rows,
    as_columns,
    one_sided,
    question_text,
    rendered,
    t_interval,
)

Average = Literal["macro", "pooled", "pairs", "positives", "size"]
AVERAGES: tuple[Average, ...] = get_args(Average)
Policy = Literal["skip", "nan"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
_OTHERS = "use one of ['macro', 'positives', 'size'], or weights."
_ROUNDING = 1e-12
_UNKNOWN = {
    "pairs": f"average='pairs' is known of the AUC only: {_OTHERS}",
    "pooled": (
        "average='pooled', which groups= means here, needs k, or rate as a number: "
        "leave out groups, or give group_scores average='macro', 'positives' or "
        "'size'. The AUC, gain, and recall and precision at a known cut are pooled."
    ),
}


def group_scores(
    metric: MetricLike,
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    groups: ArrayLike,
    entities: ArrayLike | None = None,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    relevance_threshold: float | None = None,
    pos_label: Label = None,
    **metric_kwargs: Any,
) -> GroupScores:
    r"""Compute a metric within each list, all lists in one pass.

    What a loop over users or queries would give, list by list, without the loop. See
    :func:`ranking_auc_score` for the AUC with all its averages. Each list has
    another cut; :func:`subgroup_scores` is for groups of people in one queue.

    Parameters
    ----------
    metric : callable or str
        What to compute in each list: a score of this package, such as
        :func:`average_precision_score` or :func:`recall_at_rate_score`, or its name,
        a :func:`functools.partial` of one, or scikit-learn's function or name of the
        same.
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``, or with the
        ``gain`` of :func:`ndcg_score`.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items.
    groups : array-like of shape (n_samples,)
        The list of each row: integers, strings or other labels, in any order of rows.
    entities : array-like of shape (n_samples,), default=None
        What each row is about, such as its card or customer, of which each counts once
        in a list: with the greatest score of its rows there, and as relevant if one of
        them is. Items are then entities. Not with ``sample_weight`` or a gain per case.
    k : int, default=None
        How many items of each list are seen, for the AUC, recall, precision, lift and
        gain, and what goes by places; of a shorter list, all are. Not with
        ``sample_weight``.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the rows; None means equal ones.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades and those from it on are relevant.
    pos_label : int, float, bool or str, default=None
        The label of relevant items; None takes the greater of {0, 1}, {-1, 1} or
        booleans.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``: the share of each list that is seen.

    Returns
    -------
    scores : GroupScores
        ``groups`` and ``values`` per list, ``mean()`` over them and ``estimate()`` with
        its standard error. A list without relevant items is nan (but its precision is
        0); for the AUC and the rAUC so is one without irrelevant items.

    Raises
    ------
    ValueError
        If ``metric`` or a parameter is unknown, ``k`` does not fit or is out of range,
        labels, scores or weights cannot be ranked, or ``groups`` or ``entities`` have
        another length or missing labels.

    See Also
    --------
    ranking_auc_score : The AUC within lists, averaged.
    average_precision_score : The metrics of a single list.

    Notes
    -----
    Where a cut falls within tied items, the value is the expectation over the choice of
    items above it; for the AUC with ``k``, as in :func:`ranking_auc_score`.
    Precision is relative to the items that are seen, which in a list of fewer than
    ``k`` are all of it. Cost: one sort, O(n log n), at any number of lists.

    Examples
    --------
    The AUC of each list, their mean, and how sure it is:

    >>> from skrate import group_scores
    >>> y_true, y_score = [1, 0, 0, 1, 0], [0.9, 0.2, 0.7, 0.5, 0.3]
    >>> user = ["a", "a", "b", "b", "b"]
    >>> scores = group_scores("roc_auc", y_true, y_score, groups=user)
    >>> scores.values.tolist(), scores.mean()
    ([1.0, 0.5], 0.75)
    >>> scores.estimate().standard_error
    0.25
    """
    found, (k, relevance_threshold) = find_in_lists(
        metric, metric_kwargs, k=k, relevance_threshold=relevance_threshold
    )
    k = check_items(found, k, sample_weight)
    of_rows = (y_true, y_score, groups, sample_weight, relevance_threshold)
    gain = found.gain_of_cases if isinstance(found, ExpectedGain) else None
    table = list_table(
        *of_rows, pos_label, keep_scale=found.is_sum, gain=gain,
        grade_gain=found.grade_gain, entities=entities,
    )  # fmt: skip
    return scores_of(found, table, k)


@dataclass(frozen=True, eq=False, repr=False)
class GroupScores(Rows):
    """A metric within each list, and its mean over the lists.

    Attributes
    ----------
    metric : str
        Name of the metric.
    groups : array of shape (n_lists,)
        The labels of the lists, increasing.
    values : array of shape (n_lists,)
        The value of each list; nan where it is undefined.
    n_items : array of shape (n_lists,)
        Number (or weight) of the items of each list; 0 where all rows have weight zero.
    n_pos : array of shape (n_lists,)
        Number (or weight) of its relevant items.

    See Also
    --------
    group_scores : Makes it.

    Examples
    --------
    >>> from skrate import group_scores
    >>> group_scores("roc_auc", [1, 0, 0], [4, 3, 5], groups=[7, 7, 7])
    GroupScores(AUC, 1 of 1 lists defined, mean 0.5)
    """

    metric: str
    _index = "group"
    groups: Array
    values: FloatArray
    n_items: FloatArray
    n_pos: FloatArray
    _metric: Metric
    _k: int | None
    _lists: ListValues

    @classmethod
    def from_batches(
        cls,
        metric: MetricLike,
        batches: ListBatches,
        *,
        k: int | None = None,
        relevance_threshold: float | None = None,
        pos_label: Label = None,
        **metric_kwargs: Any,
    ) -> GroupScores:
        """Compute a metric within lists that do not all fit in memory.

        Parameters
        ----------
        metric : callable or str
            What to compute in each list: a score of this package, such as
            :func:`average_precision_score` or :func:`recall_at_rate_score`, or its
            name, a :func:`functools.partial` of one, or scikit-learn's function or name
            of the same.
        batches : iterable of tuples
            Of ``(y_true, y_score, groups)``, or with ``sample_weight`` as a fourth, all
            of the same kind. The rows of a list must be in one batch, in any order; the
            list of the last row of a batch may go on in the next. So rows that are
            sorted by list may be cut anywhere.
        k : int, default=None
            How many items of each list are seen, for the AUC, recall, precision, lift
            and gain, and what goes by places; of a shorter list, all are. Not with
            ``sample_weight``.
        relevance_threshold : float, default=None
            If given, ``y_true`` are grades and those from it on are relevant.
        pos_label : int, float, bool or str, default=None
            The label of relevant items; None takes the greater of {0, 1}, {-1, 1} or
            booleans.
        **metric_kwargs : dict
            Parameters of the metric, such as ``rate``: the share of each list that is
            seen.

        Returns
        -------
        scores : GroupScores
            Of all lists.

        Raises
        ------
        ValueError
            As :func:`group_scores`, naming the batch; if there is none, or a list is in
            batches where it should be in one.

        Notes
        -----
        Memory: a batch, and some ten numbers per list.

        Examples
        --------
        >>> from skrate.results import GroupScores
        >>> batches = [
        ...     ([1, 0, 0], [0.9, 0.2, 0.7], ["a", "a", "b"]),
        ...     ([1, 0], [0.5, 0.3], ["b", "b"]),
        ... ]
        >>> GroupScores.from_batches("roc_auc", batches).values.tolist()
        [1.0, 0.5]
        """
        found, (k, relevance_threshold) = find_in_lists(
            metric, metric_kwargs, k=k, relevance_threshold=relevance_threshold
        )
        parts, grade_gain = [], found.grade_gain
        is_graded = relevance_threshold is not None or grade_gain is not None
        for number, rows in whole_lists(batches, pos_label, is_graded=is_graded):
            with naming_batch(number):
                y_true, y_score, groups, weights = rows
                top = check_items(found, k, weights)
                if weights is not None and not weights.any():
                    check_scores("y_score", y_score)
                    parts.append(_without_weight(found, groups))
                    continue
                of_rows = (y_true, y_score, groups, weights, relevance_threshold)
                table = list_table(
                    *of_rows, pos_label, keep_scale=True, grade_gain=grade_gain
                )
                parts.append(scores_of(found, table, top))
        if not any(part._counts.any() for part in parts):
            raise ValueError("sample_weight: no batch holds a case that has weight.")
        return _joined(parts)

    @property
    def params(self) -> Question:
        """Parameters of the metric, such as "rate", as numbers and text."""
        of_lists = {} if self._k is None else {"k": self._k}
        return self._metric.question | of_lists

    @property
    def _counts(self) -> BoolArray:
        """Which lists have weight; others do not exist for any mean."""
        return self.n_items > 0

    @property
    def is_defined(self) -> BoolArray:
        """Whether the metric is defined, or may be, in each list that has weight."""
        return self._lists.defined[self._counts] > 0

    @property
    def n_defined(self) -> int:
        """Number of lists in which the metric is defined."""
        return int(np.count_nonzero(self.is_defined))

    @property
    def n_all_positive(self) -> int:
        """Number of lists with relevant items only, of those that count."""
        return int(np.count_nonzero(self._counts & (self._lists.n_neg == 0)))

    @property
    def n_all_negative(self) -> int:
        """Number of lists with irrelevant items only, of those that count."""
        return int(np.count_nonzero(self._counts & (self._lists.n_pos == 0)))

    @property
    def n_empty(self) -> int:
        """Number of lists all of whose rows have weight zero."""
        return int(np.count_nonzero(~self._counts))

    def mean(
        self,
        average: Average | Iterable[float] | None = None,
        undefined: Policy | float = "skip",
    ) -> float:
        """Return the average over the lists.

        Parameters
        ----------
        average : {"macro", "pooled", "pairs", "positives", "size"} or array-like
            How much a list counts: all the same; pooled, as if what is seen of all
            lists were seen of one (for the AUC, recall, precision and gain); by its
            pairs of a relevant and an irrelevant item (for the AUC only), by its
            relevant items, by its items, seen or not, or by these weights, in the order
            of ``groups``. By default "pooled" for recall and precision at ``k`` or a
            known rate, else "macro".
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
        score = average_of(self, average, undefined).value
        if np.isnan(score):
            return warn_undefined(
                f"{self.metric} within lists", self._reason(undefined)
            )
        return score

    def estimate(
        self,
        average: Average | Iterable[float] | None = None,
        undefined: Policy | float = "skip",
        confidence_level: float = 0.95,
        clusters: ArrayLike | None = None,
        *,
        null_value: float | None = None,
        alternative: Alternative = "two-sided",
    ) -> Estimate:
        r"""Return the average over the lists with its standard error and interval.

        Parameters
        ----------
        average : {"macro", "pooled", "pairs", "positives", "size"} or array-like
            How much a list counts: all the same; pooled, as if what is seen of all
            lists were seen of one (for the AUC, recall, precision and gain); by its
            pairs of a relevant and an irrelevant item (for the AUC only), by its
            relevant items, by its items, seen or not, or by these weights, in the order
            of ``groups``. By default "pooled" for recall and precision at ``k`` or a
            known rate, else "macro".
        undefined : {"skip", "nan"} or float, default="skip"
            What to do with a list that is undefined: leave it out, return nan, or
            count this number.
        confidence_level : float, default=0.95
            Level of the interval, in (0, 1).
        clusters : array-like of shape (n_lists,), default=None
            The cluster of each list, in the order of ``groups``, such as the patient
            whose lists they are: clusters are independent, lists within one need not
            be.
        null_value : float, default=None
            The mean that is tested; None tests nothing.
        alternative : {"two-sided", "less", "greater"}, default="two-sided"
            What a small p-value speaks for, and the side of the interval: "greater"
            leaves it the lower end.

        Returns
        -------
        estimate : Estimate
            Of the mean over lists that are drawn as these were, for a model that was
            not fitted to them. nan where it is undefined; so is the standard error of
            a single list.

        Raises
        ------
        ValueError
            If an argument is not one of the choices.

        Warns
        -----
        UndefinedMetricWarning
            If the mean is nan.

        Notes
        -----
        With parts a_i and weights w_i, so that the mean is the ratio A of their sums,
        and :math:`h_i = w_i / \sum_j w_j`, the squared standard error of m lists, or of
        the sums over clusters, follows from a ratio estimator,

        .. math:: \sum_i \frac{(a_i - A w_i)^2}{(1 - h_i) (\sum_j w_j)^2},

        for equal weights the variance of the values over m. The interval is Student's
        with :math:`1 / \sum_i h_i^2 - 1` degrees of freedom, at least one, cut to the
        range of the metric, which a number for ``undefined`` beyond it widens.
        """
        level = check_fraction("confidence_level", confidence_level)
        two_sided = two_sided_level(level, alternative)
        if null_value is not None:
            name = f"{self.metric} within lists"
            null_value = check_null(null_value, name, self._metric.bounds())
        units = check_clusters_of_lists(clusters, self)
        mean = average_of(self, average, undefined, clusters=units)
        if np.isnan(mean.value):
            warn_undefined(f"{self.metric} within lists", self._reason(undefined))
        error, freedom = mean.standard_error, np.inf
        if not np.isnan(error):
            freedom = freedom_of_sums(mean.shares)
        statistic = pvalue = None
        if null_value is not None:
            null = Null(null_value, alternative)
            statistic, pvalue = t_test(mean.value, error, [null], freedom)
        return Estimate(
            metric=f"{self.metric} within lists",
            value=mean.value,
            standard_error=error,
            confidence_interval=one_sided(
                mean.interval(two_sided, freedom), alternative, mean.limits
            ),
            n_pos=float(self._lists.n_pos.sum()),
            n_neg=float(self._lists.n_neg.sum()),
            method="lists",
            confidence_level=level,
            params=self.params | question_of_mean(self, average, undefined),
            of=mean.units_text,
            alternative=told_alternative(alternative, null_value),
            null_value=null_value,
            statistic=statistic,
            pvalue=pvalue,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per list, with the metric's parameters."""
        columns = {
            "group": self.groups, "value": self.values, "n_items": self.n_items,
            "n_pos": self.n_pos,
        }  # fmt: skip
        return as_columns(columns, **self.params)

    def _reason(self, undefined: Policy | float) -> str:
        """Return why the mean is nan."""
        n_defined, n_lists = self.n_defined, np.count_nonzero(self._counts)
        needs_both = len(self._metric.needs) == 2
        if undefined == "nan" and n_defined:
            what = "hold one class only" if needs_both else "are undefined"
            return f"{n_lists - n_defined} of {n_lists} lists {what}"
        if n_defined or not isinstance(undefined, str):
            return "no list that counts has a weight"
        if needs_both and self._k is not None:
            first = f"among its first {self._k}"
            return f"no list holds a positive and a negative case {first}"
        for name in self._metric.needs:
            count = self._lists.n_pos if name == "positive" else self._lists.n_neg
            if not count.any():
                return f"y_true holds no {name} case, or only of sample_weight 0"
        if needs_both:
            return "no list holds a positive and a negative case"
        return f"{n_lists} of {n_lists} lists are undefined"

    def __repr__(self) -> str:
        mean = average_of(self, None, "skip").value
        name = "pooled mean" if self._metric.default_average == "pooled" else "mean"
        return (
            f"GroupScores({self.metric}{question_text(self.params)}, "
            f"{self.n_defined} of {len(self.groups)} lists "
            f"defined, {name} {mean:.6g})"
        )


def average_of(
    scores: GroupScores,
    average: Average | Iterable[float] | None,
    undefined: Policy | float,
    among: BoolArray | None = None,
    clusters: IntArray | None = None,
) -> ListAverage:
    """Return the average over lists, which may be in clusters, or ``among`` some."""
    metric, lists, counts = scores._metric, scores._lists, scores._counts
    average = check_average(metric.default_average if average is None else average)
    undefined = check_undefined(undefined)
    limits = (-np.inf, np.inf) if metric.is_sum else metric.bounds()
    if not isinstance(undefined, str):
        limits = min(limits[0], undefined), max(limits[1], undefined)
    is_defined = lists.defined > 0
    if among is not None:
        is_defined &= among
    if undefined == "nan" and not is_defined[counts].all():
        return ListAverage(np.full(1, np.nan), np.ones(1), None, limits)
    kept = is_defined if isinstance(undefined, str) else counts
    if isinstance(average, str) and average in ("pairs", "pooled"):
        if metric.is_sum and average == "pooled":
            kept, parts = counts, lists.values
            weights = np.full(len(parts), 1 / np.count_nonzero(counts))
        elif np.isnan(lists.whole).any() or (
            average == "pairs" and not metric.is_two_sample
        ):
            raise ValueError(_UNKNOWN[average])
        else:
            parts, weights = np.where(is_defined, [lists.part, lists.whole], 0.0)
    else:
        if not isinstance(average, str):
            n = len(scores.groups)
            if len(average) != n:
                raise ValueError(
                    f"average must have one weight for each of the {n} lists, got "
                    f"{len(average)}."
                )
            weights = average
        elif average == "macro":
            weights = np.ones(len(counts))
        else:
            weights = scores.n_items if average == "size" else scores.n_pos
        values = lists.values
        if not isinstance(undefined, str):
            values = np.where(is_defined, lists.defined * values, 0.0)
            values = values + (1 - lists.defined) * undefined
        parts = weights * values
    units = None if clusters is None else clusters[kept]
    return ListAverage(parts[kept], weights[kept], units, limits)


def question_of_mean(
    scores: GroupScores,
    average: Average | Iterable[float] | None,
    undefined: Policy | float,
) -> Question:
    """Return how lists are averaged, if not by default."""
    given = {"average": average, "undefined": undefined}
    defaults = (None, scores._metric.default_average), ("skip",)
    return {
        name: rendered(value)
        for (name, value), usual in zip(given.items(), defaults, strict=True)
        if not (value is None or isinstance(value, str)) or value not in usual
    }


def check_clusters_of_lists(
    clusters: ArrayLike | None, scores: GroupScores
) -> IntArray | None:
    """Return the number of the cluster of each list."""
    if clusters is None:
        return None
    codes = check_groups("clusters", clusters).codes
    if len(codes) != len(scores.groups):
        raise ValueError(
            "clusters must have one entry for each list here, in the order of the "
            f"groups of the scores: {len(scores.groups)}, not {len(codes)}."
        )
    if len(np.unique(codes)) < 2:
        raise ValueError(
            "clusters puts all lists in one cluster: nothing can be said about the "
            "variation between clusters."
        )
    return codes


def clusters_of_lists(groups: ArrayLike, clusters: ArrayLike | None) -> IntArray | None:
    """Return the cluster of each list, in the order of labels, by that of rows."""
    if clusters is None:
        return None
    lists, codes = check_groups("groups", groups), check_groups("clusters", clusters)
    check_equal_length(groups=lists.codes, clusters=codes.codes)
    of_list = np.empty(len(lists.labels), dtype=np.intp)
    of_list[lists.codes] = codes.codes
    differs = of_list[lists.codes] != codes.codes
    if differs.any():
        label = lists.labels[lists.codes[differs][0]]
        raise ValueError(
            f"clusters puts rows of the list {shown(label)} in several clusters: all "
            "rows of a list must be in one. Give lists that share such rows the same "
            "cluster; or leave out groups, for one ranking of all cases in clusters."
        )
    return of_list[lists.sizes > 0]


def check_items(
    metric: Metric, k: int | None, sample_weight: ArrayLike | None
) -> int | None:
    """Return ``k``; weights are no items, for what goes by the places of items."""
    if metric.counts_places and sample_weight is not None:
        raise ValueError(
            f"sample_weight has no meaning for the {metric.name}, which counts the "
            "places of items: leave it out, or repeat rows."
        )
    return check_top(k, sample_weight)


def scores_of(metric: Metric, table: ListTable, k: int | None = None) -> GroupScores:
    """Return the metric within the lists of a table."""
    lists = metric.per_list(table, k)
    lists = lists._replace(values=metric.clip(lists.values))
    columns = [*lists, table.n_pos + table.n_neg, table.n_pos]
    if len(table.lists) < len(table.labels):
        # A list without weight is undefined and empty.
        n_lists = len(table.labels)
        of_all = [np.full(n_lists, np.nan), *(np.zeros(n_lists) for _ in columns[1:])]
        for filled, column in zip(of_all, columns, strict=True):
            filled[table.lists] = column
        columns = of_all
    return _scores(metric, k, table.labels, columns)


def _scores(
    metric: Metric, k: int | None, labels: Array, columns: list[FloatArray]
) -> GroupScores:
    """Return scores by the columns of :class:`ListValues`, and items and positives."""
    *of_lists, n_items, n_pos = columns
    lists = ListValues(*of_lists)
    return GroupScores(
        metric=metric.name,
        groups=labels,
        values=lists.values,
        n_items=n_items,
        n_pos=n_pos,
        _metric=metric,
        _k=k,
        _lists=lists,
    )


def mean_of_lists(
    metric: Metric,
    rows: tuple[Any, ...],
    k: int | None,
    average: Average | Iterable[float],
    undefined: Policy | float,
) -> float:
    """Return the average of a metric over lists of rows, as for :func:`list_table`."""
    check_undefined(undefined), check_average(average)
    shape: tuple[int, ...] = getattr(rows[0], "shape", ())
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"y_true has the shape {shape} of lists in rows: pass np.ravel(y_true), "
            f"np.ravel(y_score), groups=np.repeat(range({shape[0]}), {shape[1]})."
        )
    k = check_top(k, rows[3])
    table = list_table(*rows, grade_gain=metric.grade_gain)
    return scores_of(metric, table, k).mean(average, undefined)


def of_queues(
    metric: Metric,
    y_true: ArrayLike | RankTable | FoldRankings,
    y_score: ArrayLike | None,
    groups: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: Label,
) -> float:
    """Return the metric of what is seen of all lists together."""
    k = check_items(metric, None, sample_weight)
    table = list_table(y_true, y_score, groups, sample_weight, None, pos_label)
    return scores_of(metric, table, k).mean("pooled")


def _without_weight(metric: Metric, groups: Array) -> GroupScores:
    """Return the scores of lists all of whose rows have weight zero."""
    labels = np.unique(groups)
    zeros = np.zeros(len(labels))
    return _scores(metric, None, labels, [np.full(len(labels), np.nan), *[zeros] * 7])


def _joined(parts: list[GroupScores]) -> GroupScores:
    """Return the scores of lists that were scored apart."""
    labels = np.concatenate([part.groups for part in parts])
    order = np.argsort(labels, kind="stable")
    labels = labels[order]
    again = np.flatnonzero(labels[1:] == labels[:-1])
    if len(again):
        raise ValueError(
            f"groups holds {shown(labels[int(again[0])])} in batches that do not "
            "follow each other: sort rows by list, or put each list into one batch."
        )
    columns = zip(
        *([*one._lists, one.n_items, one.n_pos] for one in parts), strict=True
    )
    in_order = [np.concatenate(column)[order] for column in columns]
    return _scores(parts[0]._metric, parts[0]._k, labels, in_order)


class ListAverage(NamedTuple):
    """A ratio of two sums over the lists that count, which may be in clusters."""

    parts: FloatArray
    weights: FloatArray
    clusters: IntArray | None = None
    limits: tuple[float, float] = (-np.inf, np.inf)

    @property
    def value(self) -> float:
        """The average; nan where no list has weight."""
        total = self.weights.sum()
        if not total > 0:
            return float("nan")
        return float(np.clip(self.parts.sum() / total, *self.limits))

    @property
    def n_units(self) -> int:
        """Number of lists, or of clusters of lists, that are independent."""
        return len(self.summed(self.weights))

    @property
    def units_text(self) -> str:
        """How many lists these are, and of how many clusters, in words."""
        clusters = "" if self.clusters is None else f" in {self.n_units} clusters"
        return f"{len(self.parts)} lists{clusters}"

    @property
    def residuals(self) -> FloatArray:
        """What each independent unit adds to the average, centred."""
        parts = (self.parts - self.value * self.weights) / self.weights.sum()
        return self.summed(parts)

    @property
    def shares(self) -> FloatArray:
        """The share of each independent unit in the weight."""
        return np.asarray(self.summed(self.weights) / self.weights.sum())

    def summed(self, of_lists: FloatArray) -> FloatArray:
        """Return the sums over the lists of each independent unit."""
        if self.clusters is None:
            return of_lists
        codes = np.unique(self.clusters, return_inverse=True)[1]
        return np.asarray(np.bincount(codes, weights=of_lists), np.float64)

    @property
    def standard_error(self) -> float:
        """Its standard error if units were drawn independently; nan for one."""
        if self.n_units < 2 or not self.weights.sum() > 0:
            return float("nan")
        return spread_of_sums(self.residuals, self.shares)

    def interval(self, level: float, freedom: float) -> ConfidenceInterval:
        """Return Student's interval, cut to the limits."""
        error = self.standard_error
        if np.isnan(error):
            return ConfidenceInterval(error, error)
        return t_interval(self.value, error, level, self.limits, freedom)


def spread_of_sums(residuals: FloatArray, shares: FloatArray) -> float:
    """Return the standard error of an average of units with these shares of the weight.

    A unit pulls the average to itself, so that its residual has lost its share: for m
    of equal weight, squares count m / (m - 1) times.
    """
    left = 1 - shares
    # Where one has all the weight, how others vary is not known.
    if not left.min() > _ROUNDING:
        return float("nan")
    return float(np.sqrt(np.add.reduce(residuals**2 / left)))


def freedom_of_sums(shares: FloatArray) -> float:
    """Return how many units of equal weight know as much of the variance, less one."""
    return float(max(1 / np.add.reduce(shares**2) - 1, 1.0))


def check_average(average: Any) -> Average | FloatArray:
    """Return one of ``AVERAGES``, or an array of list weights."""
    if isinstance(average, str):
        return check_choice("average", cast(Average, average), AVERAGES)
    if average is None or as_array("average", average).ndim != 1:
        raise ValueError(
            f"average must be one of {sorted(AVERAGES)} or an array with a weight per "
            f"list, got {shown(average)}."
        )
    return check_weights("average", average)


def check_undefined(undefined: Any) -> Policy | float:
    """Return "skip", "nan" or the number that stands for an undefined list."""
    if isinstance(undefined, numbers.Real) and not isinstance(undefined, bool):
        return check_number("undefined", undefined)
    if isinstance(undefined, str) and undefined in POLICIES:
        return undefined
    raise ValueError(
        f"undefined must be one of {sorted(POLICIES)} or a number, got {undefined!r}."
    )
