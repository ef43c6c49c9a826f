"""Checked input: samples with the scores of models, in one ranking or in folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, get_args

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from skrate.curves.fold_tables import Folds
from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    as_numpy,
    centring_factors,
    lazy,
)
from skrate.data.checks import as_array, check_choice, check_equal_length
from skrate.data.folds import FoldRankings
from skrate.data.ranking import begins_group, check_groups
from skrate.data.sample import Sample, check_labelled, require_scores
from skrate.data.table import (
    Merged,
    RankTable,
    build_ranked_table,
    build_table,
    check_alone,
)
from skrate.metrics.gain import GainTable, SampleGains
from skrate.metrics.metric import Metric, check_takes_estimates, on_table

Weights = Literal["frequency", "sampling"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
# The arguments of public functions that describe the samples.
OF_CASES = ("sample_weight", "clusters", "pos_label")
MEAN_OVER_LISTS = "a mean over lists, because lists are the units"


@dataclass(frozen=True)
class Ranked(Sample):
    """Scored samples as a table, and the group of ties of each sample.

    With ``counts`` there is one sample per class and group, with its count as its
    weight, and without scores. ``by_case`` says that groups of samples will be needed,
    because one sort gives both. ``worth`` has the gain and the cost of each sample, if
    they do not follow from its class. ``given`` has the sampling weights before they
    were scaled to a mean of 1. ``folds`` has the number of the fold of each sample: the
    table is then the consensus table, which processes the same fraction of each fold.
    ``fold_groups`` has the number of the group of folds of each cluster: no two groups
    have a cluster in common. ``group_factors`` has the factor of squares of each group,
    or of each cluster if there are no groups, and ``are_fold_groups`` says whether the
    clusters are these groups. ``has_all_clusters`` says which folds have all clusters
    of their group; they are centred class by class.
    """

    counts: RankTable | None = None
    by_case: bool = False
    worth: SampleGains | None = None
    given: FloatArray | None = None
    folds: IntArray | None = None
    fold_groups: IntArray | None = None
    group_factors: FloatArray | None = None
    are_fold_groups: bool = False
    has_all_clusters: BoolArray | None = None

    @property
    def n_groups(self) -> int:
        """Number of groups in which influence values sum to 0."""
        return 1 if self.fold_groups is None else int(self.fold_groups.max()) + 1

    @property
    def unit_factors(self) -> FloatArray:
        """The factor of the square of each cluster, because centring reduces it."""
        if self.are_fold_groups:
            # A group counts by its folds, not by its samples.
            return np.full(self.n_units, self.n_units / (self.n_units - 1))
        if self.group_factors is None:
            assert self.clusters is not None
            sizes = np.bincount(self.clusters, self.row_weights)
            return np.full(self.n_units, centring_factors(sizes))
        if self.fold_groups is None:
            return self.group_factors
        return self.group_factors.take(self.fold_groups)

    @lazy
    def effective_sizes(self) -> tuple[float, float]:
        """Number of independent samples per class, or of groups if they are units."""
        if self.are_fold_groups:
            return float(self.n_units), float(self.n_units)
        return super().effective_sizes

    @property
    def unit_dof(self) -> float:
        """The degrees of freedom of the independent samples of the rarer class."""
        return max(min(self.effective_sizes) - self.n_groups, 1.0)

    def score(self, metric: Metric) -> float:
        """Return exactly the value of the score function."""
        weights = self.given
        if weights is None:
            return metric.value(self.table)
        as_given = None if weights.min() == weights.max() else weights
        return metric.value(replace(self, weights=as_given, by_case=False).table)

    @property
    def balanced(self) -> Ranked:
        """The sample with sampling weights that average 1 within each class."""
        if self.weights is None or self.kind != "sampling":
            return self
        weights = self.weights.copy()
        for chosen in filter(np.any, (self.is_pos, ~self.is_pos)):
            weights[chosen] /= weights[chosen].mean()
        return replace(self, weights=weights)

    @property
    def is_plain(self) -> bool:
        """Whether counts per group of ties suffice; in folds, ties span groups."""
        return self.folds is None and self.are_exchangeable

    @property
    def are_exchangeable(self) -> bool:
        """Whether labels are exchangeable: samples are independent and alike."""
        is_known = self.worth is None and self.estimated is None
        return is_known and super().is_plain

    @lazy
    def table(self) -> RankTable:
        """The table; its weights are numbers of samples, or average 1."""
        if self.counts is not None:
            return self.counts
        if self.folds is not None:
            return Folds(tuple(fold.table for _, fold in self._parts)).pooled
        assert self.scores is not None
        if self.worth is None and self.estimated is None and not self.by_case:
            return build_table(self)
        table = build_ranked_table(self, *self._ranking)
        if self.worth is None:
            return table
        return GainTable.of(table, self.group, self.worth, self.weights)

    @lazy
    def group(self) -> IntArray:
        """The number of the group of ties of each sample, best first."""
        order, begins = self._ranking
        group = np.empty_like(order)
        group[order] = np.cumsum(begins) - 1
        return group

    def forget(self) -> None:
        """Release memory for single samples, and memory that can be computed again."""
        for name in ("_ranking", "group"):
            vars(self).pop(name, None)
        vars(self.table).pop("merged", None)

    def expand_classes(
        self, smaller: Merged, by_neg: FloatArray, by_pos: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the values of both classes at the merged group of each sample."""
        order = self._ranking[0]
        of_neg, of_pos = np.empty((2, len(order)))
        of_neg[order], of_pos[order] = self._repeated(smaller, by_neg, by_pos)
        return of_neg, of_pos

    def of_cases(
        self, smaller: Merged, by_neg: FloatArray, by_pos: FloatArray
    ) -> FloatArray:
        """Return the value of the known class of each sample at its merged group."""
        if self.folds is not None:
            return self._expand_folds(smaller, by_neg, by_pos)
        order = self._ranking[0]
        if self.table.labels is None:
            of_neg, of_pos = self._repeated(smaller, by_neg, by_pos)
            ranked = np.where(self.is_pos.take(order), of_pos, of_neg)
        else:
            # Without ties all samples of a group are in one class.
            of_group = np.where(smaller.pos > 0, by_pos, by_neg)
            (ranked,) = self._repeated(smaller, of_group)
        per_sample = np.empty_like(ranked)
        per_sample[order] = ranked
        return per_sample

    def _repeated(self, smaller: Merged, *of_groups: Array) -> list[Array]:
        """Return the values of merged groups for each sample, best first."""
        order, begins = self._ranking
        if len(smaller.starts) == len(order):
            return [*of_groups]
        starts = np.flatnonzero(begins)[smaller.starts]
        sizes = np.diff(starts, append=len(order))
        return [np.repeat(by_group, sizes) for by_group in of_groups]

    def _expand_folds(
        self, smaller: Merged, by_neg: FloatArray, by_pos: FloatArray
    ) -> FloatArray:
        """Return for each sample the mean of the values of its class, in its own fold.

        The mean is over the rates that the sample and its ties occupy in the fold,
        minus the mean of all samples of the fold, because folds are cut separately.
        """
        rates = np.append(self.table.rates[smaller.starts], 1.0)
        # Integrals from the rate 0 on, linear within groups.
        sums = [
            np.append(0.0, np.cumsum(np.diff(rates) * of_class))
            for of_class in (by_neg, by_pos)
        ]
        per_sample = np.empty(len(self.is_pos))
        for rows, fold in self._parts:
            edges = fold.table.rates
            at_cuts = [np.interp(edges, rates, of_class) for of_class in sums]
            means = np.diff(at_cuts, axis=1) / np.diff(edges)
            terms = means[fold.is_pos.astype(np.intp), fold.group]
            if not self.are_fold_groups:
                terms -= np.average(terms, weights=fold.weights)
            per_sample[rows] = terms
        return per_sample

    @lazy
    def _parts(self) -> list[tuple[Any, Ranked]]:
        """The rows of the samples of each fold, and their ranking."""
        return split_folds(self, self.folds)

    @lazy
    def _ranking(self) -> tuple[IntArray, BoolArray]:
        """The order of the samples, best first, and whether each begins a group."""
        if self.scores is not None:
            return self.ranking()
        group = np.concatenate(_cells(self.table))
        order = np.argsort(group, kind="stable")
        return order, begins_group(group[order])


def _cells(table: RankTable) -> tuple[IntArray, IntArray]:
    return np.flatnonzero(table.pos), np.flatnonzero(table.neg)


def check_cases(
    y_true: ArrayLike | RankTable,
    *,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    clusters: ArrayLike | None = None,
    pos_label: Label = None,
    takes_estimates: bool = False,
) -> Ranked:
    """Return the samples from labels, weights and clusters, without scores."""
    kind = check_choice("weights", weights, WEIGHTS)
    if isinstance(y_true, RankTable):
        raise ValueError(
            "y_true must be the labels of the samples, with the scores of each model, "
            "got a RankTable: without single samples, models are not paired. Two "
            "tables are for compare."
        )
    labelled = check_labelled(
        y_true, sample_weight, pos_label, takes_estimates=takes_estimates
    )
    if labelled.weights is not None and kind == "frequency":
        _check_repetitions(labelled.weights)
    codes = None
    if clusters is not None:
        codes = check_groups("clusters", clusters).codes
        check_equal_length(y_true=labelled.is_pos, clusters=codes)
    sample = Ranked(
        labelled.is_pos,
        weights=labelled.weights,
        clusters=codes,
        kind=kind,
        estimated=labelled.estimated,
    ).drop_zero_weights()
    if sample.weights is not None and kind == "sampling":
        original = sample.weights
        sample = replace(sample, weights=original / original.mean(), given=original)
    if sample.clusters is None:
        return sample
    codes = np.unique(sample.clusters, return_inverse=True)[1]
    if not codes.any():
        raise ValueError(
            "clusters must have at least 2 different clusters, got 1: without a second "
            "cluster, the variation between clusters is unknown."
        )
    return replace(sample, clusters=codes)


def _check_repetitions(weights: FloatArray) -> None:
    """Raise an error for weights that are not numbers of repetitions."""
    otherwise = 'for weights of another kind use weights="sampling"'
    _check_whole("sample_weight", weights, otherwise)
    with np.errstate(over="ignore"):
        total = weights.sum()
    if total > 2**53:
        raise ValueError(
            "sample_weight must have a sum of at most 2**53 repetitions, got "
            f"{total:g}: {otherwise}."
        )


def add_fold_groups(
    cases: Ranked,
    clusters: IntArray,
    folds: IntArray,
    *,
    are_units: bool = False,
    are_repeated: bool = False,
    by_class: bool = False,
) -> Ranked:
    """Return the samples with clusters and groups of folds, or groups as clusters.

    Groups are connected components of folds and clusters. They are the units if
    ``are_units``, or if a group has a single cluster, which shows no variation. With
    ``by_class`` a metric is centred within the classes of each fold: groups with all
    their clusters in each fold then leave the factor to the classes.
    """
    codes = np.unique(clusters, return_inverse=True)[1]
    nodes = folds, int(folds.max()) + 1 + codes
    graph = sparse.coo_array(
        (np.ones(len(folds)), nodes), (int(nodes[1].max()) + 1,) * 2
    )
    component = csgraph.connected_components(graph, directed=False)[1][nodes[1]]
    of_row = np.unique(component, return_inverse=True)[1]
    of_cluster = np.empty(int(codes.max()) + 1, dtype=np.intp)
    of_cluster[codes] = of_row
    if are_units or np.bincount(of_cluster).min() < 2:
        return replace(cases, clusters=of_row, are_fold_groups=True)
    factors = centring_factors(np.bincount(codes, cases.row_weights), of_cluster)
    if are_repeated:
        factors = _repeat_factors(codes, folds, of_cluster, cases.row_weights)
    cases = replace(
        cases, clusters=codes, fold_groups=of_cluster, group_factors=factors
    )
    if not by_class:
        return cases
    group_of_fold = np.empty(int(folds.max()) + 1, dtype=np.intp)
    group_of_fold[folds] = of_row
    n_codes = len(of_cluster)
    n_in_fold = np.bincount(np.unique(folds * n_codes + codes) // n_codes)
    lacks_some = n_in_fold < np.bincount(of_cluster)[group_of_fold]
    are_whole = np.bincount(group_of_fold, lacks_some) == 0
    factors, is_in_whole = np.where(are_whole, 1.0, factors), are_whole[group_of_fold]
    return replace(cases, group_factors=factors, has_all_clusters=is_in_whole)


def _repeat_factors(
    codes: IntArray, folds: IntArray, of_cluster: IntArray, weights: FloatArray
) -> FloatArray:
    """Return the factor of each group of folds of several repeats.

    Cluster j, a fraction s_jf of fold f, adds s_jf u_j to the mean of the fold, if its
    independent effect u_j is the same in its folds, and loses s_jf sum_l s_lf u_l by
    centring. The factor is the ratio of the expected squares without and with the loss.
    """
    counts = sparse.coo_array((weights, (codes, folds))).tocsr()
    totals = counts.sum(axis=0)
    fractions = counts.multiply(1 / totals).tocsr()
    sums, lost = fractions.sum(axis=1), fractions.multiply(fractions).sum(axis=1)
    of_fold = np.empty(len(totals), dtype=np.intp)
    of_fold[folds] = of_cluster[codes]
    left = np.bincount(of_cluster, sums * (sums - 2 * lost))
    products = fractions.T @ fractions
    left += np.bincount(of_fold, products.multiply(products).sum(axis=0))
    return np.asarray(np.bincount(of_cluster, sums**2) / left)


def check_sample(
    y_true: ArrayLike | RankTable, y_score: ArrayLike | None, **case_arguments: Any
) -> Ranked:
    """Return the scored samples from labels and scores, or from a table of counts."""
    if isinstance(y_true, RankTable):
        return _table_rankings(y_true, y_score, case_arguments)
    scores = require_scores(y_score, y_true)
    return check_cases(y_true, **case_arguments).add_scores("y_score", scores)


class Rankings(NamedTuple):
    """A sample in any input form: its one ranking, or one ranking per fold."""

    each: list[Ranked]
    folds: FoldRankings | None = None


def find_rankings(
    y_true: Any, y_score: ArrayLike | None = None, **case_arguments: Any
) -> Rankings:
    """Return the sample from labels and scores, a table of counts, or folds."""
    if not isinstance(y_true, FoldRankings):
        case_arguments["takes_estimates"] = True
        return Rankings([check_sample(y_true, y_score, **case_arguments)])
    kind = case_arguments.pop("weights", "frequency")
    check_choice("weights", kind, WEIGHTS)
    check_alone(y_true, y_score=y_score, **case_arguments)
    rankings = []
    for is_pos, scores, weight in y_true:
        if weight is None:
            cases = Ranked(is_pos, kind=kind)
        else:
            cases = check_cases(is_pos, sample_weight=weight, weights=kind)
        scores = scores if cases.kept is None else scores[cases.kept]
        rankings.append(replace(cases, scores=scores, by_case=True))
    return Rankings(rankings, y_true)


def scored(
    cases: Ranked, name: str, y_score: ArrayLike, *, by_case: bool = True
) -> Ranked:
    """Return ``cases`` with the scores of one of several models."""
    if isinstance(y_score, RankTable):
        raise ValueError(
            f"{name} must be scores, got a RankTable: without single samples, models "
            "are not paired. Two tables, without other models, are for compare, with "
            "their correlation."
        )
    ranked = cases.add_scores(name, y_score)
    return replace(ranked, by_case=True) if by_case else ranked


def check_metric(metric: Metric, cases: Ranked) -> Metric:
    """Return the metric with its options for this table, or for a sample this size."""
    check_takes_estimates(metric, cases)
    if cases.counts is not None:
        return on_table(metric, cases.counts)
    return metric.bind_sample_size(cases.total, is_weighted=cases.weights is not None)


def add_gains(ranked: Ranked, metric: Metric) -> Ranked:
    """Return the sample with gains and costs, if the metric depends on them."""
    if ranked.counts is not None and ranked.worth is None:
        return ranked
    worth = metric.sample_gains(ranked)
    return ranked if worth is None else replace(ranked, worth=worth)


class Frame(Protocol):
    """A data frame: only its columns are used."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


# The scores of one model, or of several models in columns or by name.
ScoresOfModels: TypeAlias = ArrayLike | Mapping[Any, ArrayLike] | Frame
RankingsOfModels: TypeAlias = Mapping[Any, FoldRankings] | Sequence[FoldRankings]


def are_columns(y_score: Any) -> bool:
    """Return whether there are scores of several models, in columns or a mapping."""
    if isinstance(y_score, Mapping) or hasattr(type(y_score), "columns"):
        return True
    if isinstance(y_score, list | tuple) and len(y_score):
        row = y_score[0]
        if isinstance(row, np.ndarray):
            return row.size > 1
        return isinstance(row, list | tuple) and len(row) > 1
    if not hasattr(y_score, "shape") and (
        hasattr(y_score, "__array__") or hasattr(y_score, "__dlpack__")
    ):
        y_score = as_numpy(y_score)
    shape: tuple[int, ...] = getattr(y_score, "shape", ())
    return len(shape) == 2 and shape[1] > 1


def check_left_out(what: str, **options: tuple[Any, Any]) -> None:
    """Raise an error for the first option that differs from its default."""
    for name, (option, default) in options.items():
        is_default = option is None if default is None else option == default
        if not is_default:
            raise ValueError(f"{name} has no meaning for {what}: leave it out.")


def model_columns(
    name: str, y_scores: ArrayLike | Mapping[Any, ArrayLike], n_samples: int
) -> dict[Any, ArrayLike]:
    """Return the scores of several models by name, or by number of the column."""
    frame: Any = y_scores
    if hasattr(frame, "collect"):
        raise ValueError(f"{name} is a lazy frame: pass {name}.collect().")
    if hasattr(frame, "columns"):
        # The columns of pyarrow's tables are arrays.
        is_arrow = hasattr(type(frame), "column_names")
        columns = list(frame.column_names if is_arrow else frame.columns)
        if len(set(columns)) < len(columns):
            raise ValueError(
                f"{name} must have a different name for each model, got the columns "
                f"{columns}."
            )
        return {column: frame[column] for column in columns}
    if isinstance(y_scores, Mapping):
        return dict(y_scores)
    first = y_scores[0] if isinstance(y_scores, list | tuple) and y_scores else None
    if isinstance(first, tuple) and first and isinstance(first[0], str):
        raise ValueError(f"{name} has pairs of a name and scores: pass dict({name}).")
    table = as_array(name, y_scores)
    if table.ndim != 2 or table.shape[1] == 0:
        shape = f"an array of shape {table.shape}"
        if table.ndim == 0:
            kind = type(y_scores).__name__
            shape = f"an object of type {kind}: pass a dict of names and scores"
        raise ValueError(f"{name} must have one column per model, got {shape}.")
    is_pair = table.shape[1] == 2 and table.dtype.kind == "f"
    if is_pair and (np.abs(table.sum(axis=1) - 1) < 1e-6).all():
        raise ValueError(
            f"{name} has two columns that add up to 1, as predict_proba returns them: "
            "pass the column of the positive class."
        )
    if len(table) != n_samples == table.shape[1]:
        raise ValueError(
            f"{name} must have one row per sample and one column per model, got an "
            f"array of shape {table.shape}: transpose it, or pass a dict of names and "
            "scores."
        )
    by_model = np.ascontiguousarray(table.T)
    return {str(j): scores for j, scores in enumerate(by_model)}


def _table_rankings(
    table: RankTable, y_score: ArrayLike | None, case_arguments: dict[str, Any]
) -> Ranked:
    check_choice("weights", case_arguments.pop("weights", "frequency"), WEIGHTS)
    case_arguments.pop("takes_estimates", None)
    check_alone(table, y_score=y_score, **case_arguments)
    for counts in (table.pos, table.neg):
        _check_whole(
            "the counts of the RankTable",
            counts,
            "with other weights give labels, scores and sample_weight",
        )
    return counted(table)


def counted(table: RankTable) -> Ranked:
    """Return the sample that a table of whole counts represents."""
    of_pos, of_neg = _cells(table)
    is_pos = np.arange(len(of_pos) + len(of_neg)) < len(of_pos)
    counts = np.concatenate([table.pos[of_pos], table.neg[of_neg]])
    return Ranked(is_pos, weights=counts, kind="frequency", counts=table)


def _check_whole(name: str, counts: FloatArray, otherwise: str) -> None:
    if (counts != np.rint(counts)).any():
        fractional = counts[counts != np.rint(counts)][0]
        raise ValueError(
            f"{name} must be whole numbers of repetitions, got {fractional:g}; "
            f"{otherwise}."
        )


def pool_folds(rankings: FoldRankings, weights: Weights = "frequency") -> Ranked:
    """Return rankings as a sample, in which a sample with repeats counts once."""
    clusters, n_repeats = rankings.clusters, rankings.n_repeats
    if clusters is None and n_repeats > 1:
        clusters = rankings.indices
    cases = check_cases(
        rankings.is_pos, sample_weight=rankings.sample_weight, weights=weights
    ).add_scores("y_score", rankings.y_score)
    if n_repeats > 1 and not cases.are_repetitions:
        raise ValueError(
            'weights must be "frequency" for repeated folds, got "sampling" with '
            f"{n_repeats} repeats: make the FoldRankings of one repeat."
        )
    if n_repeats > 1:
        # The weights of all repeats then have the sum of the weights of one repeat.
        cases = replace(cases, weights=cases.row_weights / n_repeats)
    rows: Any = slice(None) if cases.kept is None else cases.kept
    folds = fold_numbers(rankings)[rows]
    cases = replace(cases, folds=folds)
    if clusters is None:
        return cases
    units = check_groups("clusters", clusters).codes[rows]
    are_repeated = n_repeats > 1 and rankings.clusters is not None
    return add_fold_groups(cases, units, folds, are_repeated=are_repeated)


def fold_numbers(rankings: FoldRankings) -> IntArray:
    """Return the number of the fold of each row."""
    folds = np.empty(len(rankings.y_true), dtype=np.intp)
    for number, rows in enumerate(rankings.rows()):
        folds[rows] = number
    return folds


def split_folds(model: Ranked, folds: IntArray | None) -> list[tuple[Any, Ranked]]:
    """Return the rows of each fold, and its samples."""
    if folds is None:
        return [(slice(None), model)]
    order = np.argsort(folds, kind="stable")
    ends = np.cumsum(np.bincount(folds))[:-1]
    by_fold = []
    for chosen in np.split(order, ends):
        fold = Ranked(
            model.is_pos[chosen],
            None if model.scores is None else model.scores[chosen],
            None if model.weights is None else model.weights[chosen],
            kind=model.kind,
            by_case=model.by_case,
        )
        by_fold.append((chosen, fold))
    return by_fold
