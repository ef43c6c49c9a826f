"""A metric within each list, its mean over the lists, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skrate.data.arrays import ArrayLike, Label
from skrate.data.checks import Check, check_arguments, check_scores, shown
from skrate.data.compressed import naming_batch
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
from skrate.metrics.result_types import Estimate, Rows, plain_columns, question_text

_ARGUMENTS: dict[str, Check] = {
    name: ARGUMENTS[name] for name in ("confidence_level", "alternative")
}
# What a metric of lists is told of their mean.
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
        Scores, higher for relevant items; -inf for items that were not returned, which
        the average precision, recall and metrics of places take.
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
    n_relevant : dict, pandas.Series, array-like or int, default=None
        The number of relevant items of each list, by its label (or in the order of
        ``numpy.unique(groups)``), if those that were not returned have no row. Lists of
        which no row was returned may be named, too, and count 0.
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
    found, (k, relevance_threshold) = find_list_metric(
        metric, metric_kwargs, k=k, relevance_threshold=relevance_threshold
    )
    rows = y_true, y_score, groups, sample_weight, relevance_threshold, pos_label
    options = {"entities": entities, "gain": found.list_gain, "n_relevant": n_relevant}
    return GroupScores._score_rows(found, rows, k, **options, keep_scale=found.is_sum)


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

    _index = "group"

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
        found, (k, relevance_threshold) = find_list_metric(
            metric, metric_kwargs, k=k, relevance_threshold=relevance_threshold
        )
        is_graded = relevance_threshold is not None or found.grade_gain is not None
        parts = []
        for number, rows in whole_lists(batches, pos_label, is_graded=is_graded):
            with naming_batch(number):
                *columns, weights = rows
                if weights is not None and not weights.any():
                    check_items(found, k, weights)
                    check_scores("y_score", columns[1])
                    labels = np.unique(columns[2])
                    none = no_scores(len(labels))
                    parts.append(cls._assemble_scores(found, None, labels, none))
                    continue
                given = *columns, weights, relevance_threshold, pos_label
                parts.append(cls._score_rows(found, given, k, keep_scale=True))
        if not any(part._counts.any() for part in parts):
            raise ValueError("sample_weight: no batch holds a case that has weight.")
        return _joined(parts)

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
            f"GroupScores({self.metric}{question_text(self.params)}, "
            f"{self.n_defined} of {len(self.groups)} lists "
            f"defined, {name} {mean:.6g})"
        )


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
    return GroupScores._assemble_scores(parts[0]._metric, parts[0]._k, labels, in_order)


def compute_list_scores(
    metric: Any,
    params: dict[str, Any],
    y_true: Any,
    models: Mapping[Any, Any],
    groups: ArrayLike | None,
    cases: dict[str, Any],
) -> tuple[dict[Any, GroupScores], dict[str, Any]]:
    """Return models' values within lists, and the options of their mean.

    Without ``groups`` the models are such values, and clusters those of lists.
    """
    clusters, others = cases["clusters"], cases | {"clusters": None}
    if groups is None:
        check_alone(GroupScores, **others)
        _check_group_scores(metric, params, models)
        return dict(models), {**params, "clusters": clusters}
    if isinstance(metric, tuple | list):
        raise ValueError(GROUPS_ARE_LISTS)
    function, own = unwrap(metric, params)
    if not is_known(function):
        # It raises, and says which name may be meant.
        find_metric(function, own, in_lists=True)
    if "groups" not in function_parameters(function):
        raise ValueError(GROUPS_ARE_LISTS)
    of_mean = {name: own.pop(name) for name in OF_MEAN if name in own}
    del others["clusters"]
    options = {**own, **others, "groups": groups}
    scores = {
        name: group_scores(function, y_true, y_score, **options)
        for name, y_score in models.items()
    }
    return scores, {**of_mean, "clusters": find_list_clusters(groups, clusters)}


def _check_group_scores(
    metric: Any, params: dict[str, Any], named: Mapping[Any, Any]
) -> None:
    """Raise for what is no scores of lists, or those of another metric."""
    for name, one in named.items():
        if not isinstance(one, GroupScores):
            raise ValueError(
                f"{name} must be what group_scores returns, as that of the other model "
                f"is; got a {type(one).__name__}."
            )
    unknown = [name for name in params if name not in OF_MEAN]
    if unknown:
        raise ValueError(
            f"{unknown[0]} has no meaning for GroupScores, which hold the values of "
            "the lists: give it to group_scores."
        )
    function, given = unwrap(metric, {})
    kind = metric_class(function)
    for name, one in named.items():
        # Names of others, and those with a uniform rate, stand for the AUC.
        is_auc = one.metric == "AUC" and not given and kind in (None, RateWeightedAUC)
        if not (is_auc or (kind is not None and isinstance(one._metric, kind))):
            raise ValueError(
                f"metric={metric!r} is another than that of {name}, the {one.metric}."
            )
