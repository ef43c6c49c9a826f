"""Checked input: labels and scores of the same cases, by one or several models."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from skrate.core.arrays import Array, BoolArray, FloatArray, IntArray
from skrate.core.grouping import begins_group, check_groups
from skrate.core.rank_table import (
    RankTable,
    table_of,
    table_of_labels,
    table_of_weights,
)
from skrate.core.validation import (
    RankedSample,
    check_choice,
    check_equal_length,
    check_labels,
    check_scores,
    check_vector,
    check_weights,
)

Weights = Literal["frequency", "sampling"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
_MOST_REPETITIONS = 2**53


@dataclass(frozen=True)
class Cases:
    """Who the cases are: their class, weight and cluster; those of weight 0 are out.

    Parameters
    ----------
    is_pos : array of shape (n_cases,)
        Whether each is positive.
    weights : array of shape (n_cases,) or None
        Repetitions, or sampling weights scaled to a mean of 1.
    are_repetitions : bool
        Which of both the weights are.
    clusters : array of shape (n_cases,) or None
        Number of the cluster that each belongs to, from 0.
    kept : array of shape (n_given,) or None
        Which of the cases that were given have weight.
    """

    is_pos: BoolArray
    weights: FloatArray | None = None
    are_repetitions: bool = True
    clusters: IntArray | None = None
    kept: BoolArray | None = None

    @property
    def is_weighted(self) -> bool:
        """Whether weights were given."""
        return self.weights is not None

    @property
    def is_plain(self) -> bool:
        """Whether counts per group of ties say all there is to know."""
        return self.clusters is None and (self.weights is None or self.are_repetitions)

    @cached_property
    def total(self) -> float:
        """Number of cases; repetitions count."""
        return self._count(np.ones_like(self.is_pos))

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """Number of positives and of negatives; repetitions count."""
        return self._count(self.is_pos), self._count(~self.is_pos)

    def _count(self, chosen: BoolArray) -> float:
        if self.weights is not None and self.are_repetitions:
            return float(self.weights[chosen].sum())
        return float(np.count_nonzero(chosen))

    @property
    def n_clusters(self) -> int:
        """Number of clusters; cases where there are none."""
        if self.clusters is None:
            return len(self.is_pos)
        return int(self.clusters.max()) + 1

    @cached_property
    def effective_sizes(self) -> tuple[float, float]:
        """Number of independent positives and negatives that are worth as much.

        Clusters count once, and sampling weights by (sum w)^2 / sum w^2.
        """
        chosen = (self.is_pos, ~self.is_pos)
        if self.clusters is not None:
            clusters = self.clusters
            n_pos, n_neg = (float(len(np.unique(clusters[c]))) for c in chosen)
        elif self.weights is None or self.are_repetitions:
            n_pos, n_neg = self.sizes
        else:
            # Relative to the greatest, whose square is a number.
            found = [self.weights[c] / self.weights[c].max() for c in chosen]
            n_pos, n_neg = (float(w.sum() ** 2 / (w @ w)) for w in found)
        return n_pos, n_neg


@dataclass(frozen=True)
class Ranked:
    """Scored cases as a table, and the group of ties of each case.

    ``scores`` is None where only counts per group are known; then there is one case
    per class and group, with its count as its weight. ``by_case`` says that groups of
    cases will be asked for, so that one sort does for both.
    """

    cases: Cases
    scores: Array | None = None
    counts: RankTable | None = None
    by_case: bool = False

    @cached_property
    def table(self) -> RankTable:
        """The table; its weights are numbers of cases, or average 1."""
        if self.counts is not None:
            return self.counts
        assert self.scores is not None
        weights = self.cases.weights
        if self.by_case and weights is None:
            return self._table_by_case
        return table_of(RankedSample(self.cases.is_pos, self.scores, weights))

    @cached_property
    def group(self) -> IntArray:
        """The group of ties that each case is in, best first."""
        if self.scores is None:
            of_pos, of_neg = _cells(self.table)
            return np.concatenate([of_pos, of_neg])
        order, begins = self._ranking
        group = np.empty_like(order)
        group[order] = np.cumsum(begins) - 1
        return group

    @cached_property
    def _ranking(self) -> tuple[IntArray, BoolArray]:
        """The cases, best first, and where groups of ties begin among them."""
        assert self.scores is not None
        order = np.argsort(self.scores)[::-1]
        return order, begins_group(self.scores[order])

    @property
    def _table_by_case(self) -> RankTable:
        order, begins = self._ranking
        labels = self.cases.is_pos[order]
        starts = np.flatnonzero(begins)
        if len(starts) == len(labels):
            return table_of_labels(labels)
        pos = np.add.reduceat(labels, starts, dtype=np.float64)
        return table_of_weights(pos, np.diff(starts, append=len(labels)) - pos)


def _cells(table: RankTable) -> tuple[IntArray, IntArray]:
    return np.flatnonzero(table.pos), np.flatnonzero(table.neg)


def check_cases(
    y_true: Any,
    *,
    sample_weight: Any = None,
    weights: Weights = "frequency",
    groups: Any = None,
    pos_label: Any = None,
) -> Cases:
    """Return the cases behind labels, weights and groups."""
    are_repetitions = check_choice("weights", weights, WEIGHTS) == "frequency"
    if isinstance(y_true, RankTable):
        raise ValueError(
            "y_true is a RankTable, whose groups know no single cases: to compare, "
            "give the labels of the cases and the scores of each model, as the "
            "correlation of two tables is unknown."
        )
    labels = check_vector("y_true", y_true)
    is_pos = check_labels(labels, pos_label)
    clusters = None
    if groups is not None:
        clusters = check_groups("groups", groups).codes
        check_equal_length(y_true=labels, groups=clusters)
    kept = None
    weight = None
    if sample_weight is not None:
        weight = check_weights("sample_weight", sample_weight)
        check_equal_length(y_true=labels, sample_weight=weight)
        if are_repetitions:
            _check_repetitions(weight)
        else:
            # By a power of two, which changes no digit: their sum could be infinite.
            weight = np.ldexp(weight, -np.frexp(weight.max())[1])
        if not weight.all():
            kept = weight > 0
            weight, is_pos = weight[kept], is_pos[kept]
            clusters = clusters[kept] if clusters is not None else None
        if not are_repetitions:
            weight = weight / weight.mean()
    if clusters is not None:
        found, clusters = np.unique(clusters, return_inverse=True)
        if len(found) < 2:
            raise ValueError(
                "groups puts all cases in one cluster: nothing can be said about the "
                "variation between clusters."
            )
    return Cases(is_pos, weight, are_repetitions, clusters, kept)


def check_sample(y_true: Any, y_score: Any, **case_arguments: Any) -> Ranked:
    """Return the scored cases behind labels and scores, or behind a table of counts."""
    if isinstance(y_true, RankTable):
        return _from_counts(y_true, y_score, case_arguments)
    if y_score is None:
        raise ValueError(
            "y_score is missing: give scores, or a RankTable of counts as y_true."
        )
    cases = check_cases(y_true, **case_arguments)
    return scored(cases, "y_score", y_score, by_case=False)


def scored(cases: Cases, name: str, y_score: Any, *, by_case: bool = True) -> Ranked:
    """Return ``cases`` with scores, which are checked under ``name``."""
    scores = check_scores(name, y_score)
    n_given = len(cases.is_pos) if cases.kept is None else len(cases.kept)
    if len(scores) != n_given:
        raise ValueError(
            f"Unequal numbers of cases: y_true has {n_given}, {name} has {len(scores)}."
        )
    kept = scores if cases.kept is None else scores[cases.kept]
    return Ranked(cases, kept, by_case=by_case)


def repeated(ranked: Ranked) -> Ranked:
    """Return the sample with repeated cases written out one by one."""
    cases = ranked.cases
    if cases.weights is None or not cases.are_repetitions or ranked.scores is None:
        return ranked
    times = np.rint(cases.weights).astype(np.intp)
    clusters = None if cases.clusters is None else np.repeat(cases.clusters, times)
    one_by_one = Cases(np.repeat(cases.is_pos, times), clusters=clusters)
    return Ranked(one_by_one, np.repeat(ranked.scores, times))


def _from_counts(
    table: RankTable, y_score: Any, case_arguments: dict[str, Any]
) -> Ranked:
    check_choice("weights", case_arguments.pop("weights", "frequency"), WEIGHTS)
    given = {"y_score": y_score, **case_arguments}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"{name} must be None where y_true is a RankTable: its groups know no "
                "single cases."
            )
    _check_whole("the counts of the RankTable", np.concatenate([table.pos, table.neg]))
    return counted(table)


def counted(table: RankTable) -> Ranked:
    """Return the sample that a table of whole counts stands for."""
    of_pos, of_neg = _cells(table)
    is_pos = np.arange(len(of_pos) + len(of_neg)) < len(of_pos)
    counts = np.concatenate([table.pos[of_pos], table.neg[of_neg]])
    return Ranked(Cases(is_pos, counts), counts=table)


def _check_repetitions(weights: FloatArray) -> None:
    _check_whole("sample_weight", weights)
    with np.errstate(over="ignore"):
        total = weights.sum()
    if total > _MOST_REPETITIONS:
        raise ValueError(
            f"sample_weight stands for {total:g} repetitions, more than float64 can "
            'count: for weights of another kind use weights="sampling".'
        )


def _check_whole(name: str, counts: FloatArray) -> None:
    if (counts != np.rint(counts)).any():
        found = counts[counts != np.rint(counts)][0]
        raise ValueError(
            f"{name} must be whole numbers of repetitions, found {found:g}; for "
            'weights of another kind use weights="sampling".'
        )
