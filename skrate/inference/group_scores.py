"""A metric within each list, and its mean over the lists with a standard error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from skrate.data.arrays import ArrayLike, BoolArray, Label
from skrate.data.checks import Check, check_arguments, check_scores, shown
from skrate.data.compressed import naming_batch
from skrate.data.judged import JudgedLabels
from skrate.data.list_table import ListBatches, RelevantCounts, whole_lists
from skrate.data.table import check_alone
from skrate.inference.list_means import evaluate_lists, find_list_clusters
from skrate.inference.options import ARGUMENTS, Plan
from skrate.metrics.hypothesis_tests import Alternative
from skrate.metrics.list_scores import (
    Average,
    ListScores,
    Policy,
    average_sums,
    check_items,
    no_scores,
)
from skrate.metrics.metric import (
    GROUPS_ARE_LISTS,
    MetricLike,
    find_list_metric,
    find_metric,
    function_parameters,
    is_known,
    metric_class,
    unwrap,
)
from skrate.metrics.rate_weighted_auc import RateWeightedAUC
from skrate.metrics.result_types import Estimate, Rows, params_text, plain_columns

_ARGUMENTS: dict[str, Check] = {
    name: ARGUMENTS[name] for name in ("confidence_level", "alternative")
}
# The parameters of a list metric that concern the mean over lists.
OF_MEAN = ("average", "undefined")


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
    n_relevant: RelevantCounts | None = None,
    pos_label: Label = None,
    **metric_kwargs: Any,
) -> GroupScores:
    r"""Compute a metric within each list, all lists in one pass.

    The result equals that of a loop over users or queries, without the loop. See
    :func:`ranking_auc_score` for the AUC with all its averages. Each list has its own
    cut; :func:`subgroup_scores` is for groups of people in one queue.

    Parameters
    ----------
    metric : callable or str
        The metric of each list: a score of this package, such as
        :func:`average_precision_score` or :func:`recall_at_rate_score`, its name, a
        :func:`functools.partial` of it, or scikit-learn's function or name of the same
        metric.
    y_true : array-like of shape (n_samples,)
        True labels of two classes, or grades with ``relevance_threshold``, or with the
        ``gain`` of :func:`ndcg_score`.
    y_score : array-like of shape (n_samples,)
        Scores, higher for relevant items; -inf for items that were not returned,
        which the average precision, recall and metrics of positions accept.
    groups : array-like of shape (n_samples,)
        An identifier of each row's list, such as an integer or a string, in any order.
    entities : array-like of shape (n_samples,), default=None
        The entity of each row, such as its card or customer. Each entity counts once in
        a list: with the maximum score of its rows there, and as relevant if one of
        these rows is relevant. Items are then entities. Not with ``sample_weight`` or a
        gain per sample.
    k : int, default=None
        The number of items of each list that are seen, for the AUC, recall, precision,
        lift, gain and metrics of positions. Shorter lists are seen completely. Not with
        ``sample_weight``.
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the rows; None means equal weights.
    relevance_threshold : float, default=None
        If given, ``y_true`` are grades, and grades of at least this number are
        relevant.
    n_relevant : dict, pandas.Series, array-like or int, default=None
        The number of relevant items of each list, by its label (or in the order of
        ``numpy.unique(groups)``), if relevant items that were not returned have no row.
        Lists without rows can be included, and count 0.
    pos_label : int, float, bool or str, default=None
        The label of relevant items. If None, the labels must be {0, 1}, {-1, 1} or
        booleans, and the larger one is relevant.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``: the fraction of each list that is
        seen.

    Returns
    -------
    scores : GroupScores
        ``groups`` and ``values`` per list, ``mean()`` over the lists and ``estimate()``
        with its standard error. The value of a list without relevant items is nan (its
        precision is 0). For the AUC and the rAUC, a list without irrelevant items is
        nan, too.

    Raises
    ------
    ValueError
        If ``metric`` or a parameter is unknown, ``k`` does not fit the metric or is out
        of range, labels, scores or weights are invalid, or ``groups`` or ``entities``
        have a different length or missing labels.

    See Also
    --------
    ranking_auc_score : The AUC within lists, averaged.
    average_precision_score : The metrics of a single list.

    Notes
    -----
    If a cut is within tied items, the value is the expectation over the choice of items
    above the cut; for the AUC with ``k``, as in :func:`ranking_auc_score`. Precision is
    relative to the items that are seen, which are all items of a list with fewer than
    ``k``. Cost: one sort, O(n log n), for any number of lists.

    Examples
    --------
    The AUC of each list, their mean, and its standard error:

    >>> from skrate import group_scores
    >>> y_true, y_score = [1, 0, 0, 1, 0], [0.9, 0.2, 0.7, 0.5, 0.3]
    >>> user = ["a", "a", "b", "b", "b"]
    >>> scores = group_scores("roc_auc", y_true, y_score, groups=user)
    >>> scores.values.tolist(), scores.mean()
    ([1.0, 0.5], 0.75)
    >>> scores.estimate().standard_error
    0.25
    """
    bound, (k, relevance_threshold) = find_list_metric(
        metric, metric_kwargs, k=k, relevance_threshold=relevance_threshold
    )
    rows = y_true, y_score, groups, sample_weight, relevance_threshold, pos_label
    options = {"entities": entities, "gain": bound.list_gain, "n_relevant": n_relevant}
    return GroupScores._score_rows(bound, rows, k, **options, keep_scale=bound.is_sum)


@dataclass(frozen=True, eq=False, repr=False)
class GroupScores(ListScores, Rows):
    """A metric within each list, and its mean over the lists.

    Attributes
    ----------
    metric : str
        Name of the metric.
    groups : array of shape (n_lists,)
        The labels of the lists, increasing.
    values : array of shape (n_lists,)
        The value of each list; nan where undefined.
    n_items : array of shape (n_lists,)
        Number (or weight) of the items of each list; 0 if all rows have weight zero.
    n_pos : array of shape (n_lists,)
        Number (or weight) of its relevant items.

    See Also
    --------
    group_scores : Computes it.

    Examples
    --------
    >>> from skrate import group_scores
    >>> group_scores("roc_auc", [1, 0, 0], [4, 3, 5], groups=[7, 7, 7])
    GroupScores(AUC, 1 of 1 lists defined, mean 0.5)
    """

    _index = "group"
    __skrate_hint__ = ": call its method estimate(), or pass it to compare"

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
            The metric of each list: a score of this package, such as
            :func:`average_precision_score` or :func:`recall_at_rate_score`, its name, a
            :func:`functools.partial` of it, or scikit-learn's function or name of the
            same metric.
        batches : iterable of tuples
            Tuples ``(y_true, y_score, groups)``, or with ``sample_weight`` as a fourth
            entry, all of the same kind. The rows of a list must be in one batch, in any
            order. Only the list of the last row of a batch can continue in the next
            one. Therefore rows that are sorted by list can be split anywhere.
        k : int, default=None
            The number of items of each list that are seen, for the AUC, recall,
            precision, lift, gain and metrics of positions. Shorter lists are seen
            completely. Not with ``sample_weight``.
        relevance_threshold : float, default=None
            If given, ``y_true`` are grades, and grades of at least this number are
            relevant.
        pos_label : int, float, bool or str, default=None
            The label of relevant items. If None, the labels must be {0, 1}, {-1, 1} or
            booleans, and the larger one is relevant.
        **metric_kwargs : dict
            Parameters of the metric, such as ``rate``: the fraction of each list
            that is seen.

        Returns
        -------
        scores : GroupScores
            The scores of all lists.

        Raises
        ------
        ValueError
            As for :func:`group_scores`, with the number of the batch. If there is no
            batch, or a list is in several batches, except if it continues.

        Notes
        -----
        Memory: one batch, and about ten numbers per list.

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
        bound, (k, relevance_threshold) = find_list_metric(
            metric, metric_kwargs, k=k, relevance_threshold=relevance_threshold
        )
        is_graded = relevance_threshold is not None or bound.grade_gain is not None
        scores = []
        for number, rows in whole_lists(batches, pos_label, is_graded=is_graded):
            with naming_batch(number):
                *columns, weights = rows
                if weights is not None and not weights.any():
                    check_items(bound, k, weights)
                    check_scores("y_score", columns[1])
                    labels = np.unique(columns[2])
                    none = no_scores(len(labels))
                    scores.append(cls._assemble_scores(bound, None, labels, none))
                    continue
                row_data = *columns, weights, relevance_threshold, pos_label
                scores.append(cls._score_rows(bound, row_data, k, keep_scale=True))
        if not any(batch_scores._counts.any() for batch_scores in scores):
            raise ValueError("sample_weight must be above 0 in some row of a batch.")
        return _joined(scores)

    @property
    def n_all_positive(self) -> int:
        """Number of lists with only relevant items, without lists of weight zero."""
        return int(np.count_nonzero(self._counts & (self._lists.n_neg == 0)))

    @property
    def n_all_negative(self) -> int:
        """Number of lists with only irrelevant items, without lists of weight zero."""
        return int(np.count_nonzero(self._counts & (self._lists.n_pos == 0)))

    @property
    def n_empty(self) -> int:
        """Number of lists of weight zero (in all rows)."""
        return int(np.count_nonzero(~self._counts))

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
            The weight of each list, as in :meth:`mean`. By default "pooled" for recall
            and precision at ``k`` or a fixed rate, and "macro" (equal weights) for
            other metrics.
        undefined : {"skip", "nan"} or float, default="skip"
            How to treat an undefined list: "skip" leaves it out, "nan" makes the mean
            nan, and a number is used as its value.
        confidence_level : float, default=0.95
            Level of the interval, in (0, 1).
        clusters : array-like of shape (n_lists,), default=None
            The cluster of each list, in the order of ``groups``, such as its patient.
            Clusters are independent, lists within a cluster need not be.
        null_value : float, default=None
            The mean under the null hypothesis; None means no test.
        alternative : {"two-sided", "less", "greater"}, default="two-sided"
            The alternative hypothesis, and the side of the interval: with "greater"
            the interval has only a lower end.

        Returns
        -------
        estimate : Estimate
            The mean over the population of lists that these were drawn from, for a
            model that was not fitted to them. nan where undefined. The standard error
            of a single list is nan, too.

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
        The mean A is the ratio of the sums of the numerators a_i and of the weights w_i
        of the lists. With :math:`h_i = w_i / \sum_j w_j`, the squared standard error
        for m lists, or for the sums over clusters, follows from a ratio estimator,

        .. math:: \sum_i \frac{(a_i - A w_i)^2}{(1 - h_i) (\sum_j w_j)^2},

        which for equal weights is the variance of the values divided by m. The interval
        is Wilson's between the bounds of the metric, or Student's if there are none,
        with :math:`1 / \sum_i h_i^2 - 1` degrees of freedom, at least 1. A number for
        ``undefined`` outside of the bounds widens them.
        """
        plan = Plan.of(check_arguments(_ARGUMENTS, locals()))
        (mean,) = evaluate_lists([self], plan, average, undefined, clusters)
        return mean.estimate(null_value)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per list, with the metric's parameters."""
        columns = {
            "group": self.groups,
            "value": self.values,
            "n_items": self.n_items,
            "n_pos": self.n_pos,
        }
        return plain_columns(columns, **self.params)

    def __repr__(self) -> str:
        mean = average_sums(self).value
        name = "pooled mean" if self._metric.default_average == "pooled" else "mean"
        return (
            f"GroupScores({self.metric}{params_text(self.params)}, "
            f"{self.n_defined} of {len(self.groups)} lists "
            f"defined, {name} {mean:.6g})"
        )


def _joined(batches: list[GroupScores]) -> GroupScores:
    """Return the scores of the lists of several batches."""
    labels = np.concatenate([scores.groups for scores in batches])
    order = np.argsort(labels, kind="stable")
    labels = labels[order]
    again = np.flatnonzero(labels[1:] == labels[:-1])
    if len(again):
        raise ValueError(
            f"groups has {shown(labels[int(again[0])])} in batches that do not "
            "follow each other: sort rows by list, or put each list into one batch."
        )
    columns = zip(
        *([*scores._lists, scores.n_items, scores.n_pos] for scores in batches),
        strict=True,
    )
    in_order = [np.concatenate(column)[order] for column in columns]
    return GroupScores._assemble_scores(
        batches[0]._metric, batches[0]._k, labels, in_order
    )


def compute_list_scores(
    metric: Any,
    params: dict[str, Any],
    y_true: Any,
    models: Mapping[Any, Any],
    groups: ArrayLike | None,
    samples: dict[str, Any],
) -> tuple[dict[Any, GroupScores], dict[str, Any]]:
    """Return the scores within lists of each model, and the options of their mean.

    Without ``groups``, the models are such scores, and the clusters are of lists.
    """
    clusters, row_options = samples["clusters"], samples | {"clusters": None}
    if groups is None:
        check_alone(GroupScores, **row_options)
        _check_group_scores(metric, params, models)
        return dict(models), {**params, "clusters": clusters}
    if isinstance(metric, tuple | list):
        raise ValueError(GROUPS_ARE_LISTS)
    function, bound = unwrap(metric, params)
    if not is_known(function):
        # It raises an error that suggests a name.
        find_metric(function, bound, in_lists=True)
    if "groups" not in function_parameters(function):
        raise ValueError(GROUPS_ARE_LISTS)
    of_mean = {name: bound.pop(name) for name in OF_MEAN if name in bound}
    del row_options["clusters"]
    options = {**bound, **row_options, "groups": groups}
    compute: Any = group_scores
    if isinstance(y_true, JudgedLabels) and not y_true.is_complete:
        compute = partial(_compute_judged, y_true.labelled_lists(groups))
    scores = {
        name: compute(function, y_true, y_score, **options)
        for name, y_score in models.items()
    }
    return scores, {**of_mean, "clusters": find_list_clusters(groups, clusters)}


def _compute_judged(
    is_labelled: BoolArray,
    function: Any,
    labels: JudgedLabels,
    y_score: Any,
    **options: Any,
) -> GroupScores:
    """Return the scores of the lists that people labelled, with those by the judge."""
    if options.get("n_relevant") is not None:
        raise ValueError(
            "n_relevant excludes labels.judged, because people and the judge find "
            "different numbers: add rows with the score -inf."
        )
    values = np.unique(np.concatenate([labels.y_true, labels.y_judge]))
    is_free = all(options.get(n) is None for n in ("relevance_threshold", "pos_label"))
    if len(values) > 2 and is_free:
        if "gain" not in function_parameters(function):
            raise ValueError(
                "relevance_threshold is needed, because y_true and y_judge of "
                f"labels.judged have {len(values)} different labels, such as "
                f"{shown(values[1])}: pass a grade, or 0.5 for probabilities."
            )
        # People or the judge may have used only two of the grades.
        options["gain"] = options.get("gain") or "linear"
    by_people, by_judge = (
        group_scores(function, y, y_score, **options)
        for y in (labels.y_true, labels.y_judge)
    )
    return replace(by_people._select_lists(is_labelled), _by_judge=by_judge)


def _check_group_scores(
    metric: Any, params: dict[str, Any], named: Mapping[Any, Any]
) -> None:
    """Raise if a model is not GroupScores, or has another metric."""
    for name, scores in named.items():
        if not isinstance(scores, GroupScores):
            raise ValueError(
                f"{name} must be GroupScores from group_scores, like the other model, "
                f"got {type(scores).__name__}."
            )
    unknown = [name for name in params if name not in OF_MEAN]
    if unknown:
        raise ValueError(
            f"{unknown[0]} must be passed to group_scores, because GroupScores have "
            "the values of the lists already."
        )
    function, bound = unwrap(metric, {})
    kind = metric_class(function)
    for name, scores in named.items():
        # Another package's function, or the rAUC (uniform rate), may be the AUC.
        is_auc = (
            scores.metric == "AUC" and not bound and kind in (None, RateWeightedAUC)
        )
        if not (is_auc or (kind is not None and isinstance(scores._metric, kind))):
            raise ValueError(
                f"metric={metric!r} must be the metric of {name}, the {scores.metric}."
            )
