"""Checked input: cases with the scores of models, in one ranking or those of folds."""

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
# The arguments of public functions that say what cases are.
OF_CASES = ("sample_weight", "clusters", "pos_label")
MEAN_OVER_LISTS = "a mean over lists, whose units are the lists"


@dataclass(frozen=True)
class Ranked(Sample):
    """Scored cases as a table, and the group of ties of each case.

    ``counts`` has one case per class and group, with its count as its weight, and no
    scores. ``by_case`` says that groups of cases will be asked for, so that one sort
    does for both. ``worth`` is what each case is worth, where its class does not say.
    ``given`` are sampling weights before they were scaled to a mean of 1. ``folds``
    number the fold of each case: the table is then that of the consensus, what is found
    if the same share of each fold is processed. ``fold_groups`` number the group of
    folds of each cluster: no two groups share a cluster. ``group_factors`` say how
    often the squares of a group count, or of a cluster if there are no groups, and
    ``are_fold_groups`` whether the clusters are these groups. ``has_all_clusters`` says
    which folds hold all clusters of their group, and are centred class by class.
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
        """How often the square of each cluster counts, because centring reduces it."""
        if self.are_fold_groups:
            # Each group counts by its folds.
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
        """Number of independent cases of each class, or of groups if they are units."""
        if self.are_fold_groups:
            return float(self.n_units), float(self.n_units)
        return super().effective_sizes

    @property
    def unit_dof(self) -> float:
        """The degrees of freedom of the independent cases of the rarer class."""
        return max(min(self.effective_sizes) - self.n_groups, 1.0)

    def score(self, metric: Metric) -> float:
        """Return what the score function does, to the last digit."""
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
        """Whether counts per group of ties say all; in folds ties lie across groups."""
        return self.folds is None and self.are_exchangeable

    @property
    def are_exchangeable(self) -> bool:
        """Whether each label could be that of any other case: none is like another."""
        is_known = self.worth is None and self.estimated is None
        return is_known and super().is_plain

    @lazy
    def table(self) -> RankTable:
        """The table; its weights are numbers of cases, or average 1."""
        if self.counts is not None:
            return self.counts
        if self.folds is not None:
            return Folds(tuple(part.table for _, part in self._parts)).pooled
        assert self.scores is not None
        if self.worth is None and self.estimated is None and not self.by_case:
            return build_table(self)
        table = build_ranked_table(self, *self._ranking)
        if self.worth is None:
            return table
        return GainTable.of(table, self.group, self.worth, self.weights)

    @lazy
    def group(self) -> IntArray:
        """The group of ties that each case is in, best first."""
        order, begins = self._ranking
        group = np.empty_like(order)
        group[order] = np.cumsum(begins) - 1
        return group

    def forget(self) -> None:
        """Give back the memory of what is only for single cases, or found again."""
        for name in ("_ranking", "group"):
            vars(self).pop(name, None)
        vars(self.table).pop("merged", None)

    def expand_classes(
        self, smaller: Merged, by_neg: FloatArray, by_pos: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what each class has in the group of each case, in a merged table."""
        order = self._ranking[0]
        of_neg, of_pos = np.empty((2, len(order)))
        of_neg[order], of_pos[order] = self._repeated(smaller, by_neg, by_pos)
        return of_neg, of_pos

    def of_cases(
        self, smaller: Merged, by_neg: FloatArray, by_pos: FloatArray
    ) -> FloatArray:
        """Return the same of the class that each case is known to be of."""
        if self.folds is not None:
            return self._expand_folds(smaller, by_neg, by_pos)
        order = self._ranking[0]
        if self.table.labels is None:
            of_neg, of_pos = self._repeated(smaller, by_neg, by_pos)
            ranked = np.where(self.is_pos.take(order), of_pos, of_neg)
        else:
            # Without ties all cases of a group are of one class.
            of_group = np.where(smaller.pos > 0, by_pos, by_neg)
            (ranked,) = self._repeated(smaller, of_group)
        values = np.empty_like(ranked)
        values[order] = ranked
        return values

    def _repeated(self, smaller: Merged, *of_groups: Array) -> list[Array]:
        """Return what groups of a merged table have for each case, best first."""
        order, begins = self._ranking
        if len(smaller.starts) == len(order):
            return [*of_groups]
        starts = np.flatnonzero(begins)[smaller.starts]
        sizes = np.diff(starts, append=len(order))
        return [np.repeat(each, sizes) for each in of_groups]

    def _expand_folds(
        self, smaller: Merged, by_neg: FloatArray, by_pos: FloatArray
    ) -> FloatArray:
        """Return for each case the mean of what its class has where it is in its fold.

        The mean is over the rates that the case and its ties take up there, minus the
        mean of all cases of the fold: each is cut separately.
        """
        rates = np.append(self.table.rates[smaller.starts], 1.0)
        # Integrals from the rate 0 on, straight within groups.
        sums = [
            np.append(0.0, np.cumsum(np.diff(rates) * of_class))
            for of_class in (by_neg, by_pos)
        ]
        values = np.empty(len(self.is_pos))
        for places, part in self._parts:
            edges = part.table.rates
            at_cuts = [np.interp(edges, rates, of_class) for of_class in sums]
            means = np.diff(at_cuts, axis=1) / np.diff(edges)
            own = means[part.is_pos.astype(np.intp), part.group]
            if not self.are_fold_groups:
                own -= np.average(own, weights=part.weights)
            values[places] = own
        return values

    @lazy
    def _parts(self) -> list[tuple[Any, Ranked]]:
        """The places of the cases of each fold, and their ranking."""
        return split_folds(self, self.folds)

    @lazy
    def _ranking(self) -> tuple[IntArray, BoolArray]:
        """The cases, best first, and where groups of ties begin among them."""
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
    """Return the cases behind labels, weights and clusters, without scores."""
    kind = check_choice("weights", weights, WEIGHTS)
    if isinstance(y_true, RankTable):
        raise ValueError(
            "y_true is a RankTable, whose groups know no single cases, so that models "
            "are not paired by them: give the labels of the cases and the scores of "
            "each model; two tables are for compare."
        )
    found = check_labelled(
        y_true, sample_weight, pos_label, takes_estimates=takes_estimates
    )
    if found.weights is not None and kind == "frequency":
        _check_repetitions(found.weights)
    codes = None
    if clusters is not None:
        codes = check_groups("clusters", clusters).codes
        check_equal_length(y_true=found.is_pos, clusters=codes)
    sample = Ranked(
        found.is_pos,
        weights=found.weights,
        clusters=codes,
        kind=kind,
        estimated=found.estimated,
    ).drop_zero_weights()
    if sample.weights is not None and kind == "sampling":
        own = sample.weights
        sample = replace(sample, weights=own / own.mean(), given=own)
    if sample.clusters is None:
        return sample
    codes = np.unique(sample.clusters, return_inverse=True)[1]
    if not codes.any():
        raise ValueError(
            "clusters puts all cases in one cluster: nothing can be said about the "
            "variation between clusters."
        )
    return replace(sample, clusters=codes)


def _check_repetitions(weights: FloatArray) -> None:
    """Raise for weights that are no numbers of repetitions."""
    otherwise = 'for weights of another kind use weights="sampling"'
    _check_whole("sample_weight", weights, otherwise)
    with np.errstate(over="ignore"):
        total = weights.sum()
    if total > 2**53:
        raise ValueError(
            f"sample_weight stands for {total:g} repetitions, more than float64 can "
            f"count: {otherwise}."
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
    """Return the cases with clusters and their groups of folds, or these as clusters.

    Groups are connected components of folds and clusters. They are the units if asked
    for, or if one of them has a single cluster, which shows no variation. With
    ``by_class`` a metric is centred within the classes of each fold: groups whose folds
    have all their clusters then leave the factor to the classes.
    """
    codes = np.unique(clusters, return_inverse=True)[1]
    nodes = folds, int(folds.max()) + 1 + codes
    graph = sparse.coo_array(
        (np.ones(len(folds)), nodes), (int(nodes[1].max()) + 1,) * 2
    )
    found = csgraph.connected_components(graph, directed=False)[1][nodes[1]]
    of_row = np.unique(found, return_inverse=True)[1]
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

    Cluster j, a share s_jf of fold f, adds s_jf u_j to its mean, if its independent
    effect u_j is alike in its folds, and loses s_jf sum_l s_lf u_l by centring. The
    factor is the ratio of the expected squares without and with the loss.
    """
    counts = sparse.coo_array((weights, (codes, folds))).tocsr()
    totals = counts.sum(axis=0)
    shares = counts.multiply(1 / totals).tocsr()
    own, lost = shares.sum(axis=1), shares.multiply(shares).sum(axis=1)
    of_fold = np.empty(len(totals), dtype=np.intp)
    of_fold[folds] = of_cluster[codes]
    left = np.bincount(of_cluster, own * (own - 2 * lost))
    products = shares.T @ shares
    left += np.bincount(of_fold, products.multiply(products).sum(axis=0))
    return np.asarray(np.bincount(of_cluster, own**2) / left)


def check_sample(
    y_true: ArrayLike | RankTable, y_score: ArrayLike | None, **case_arguments: Any
) -> Ranked:
    """Return the scored cases behind labels and scores, or behind a table of counts."""
    if isinstance(y_true, RankTable):
        return _table_rankings(y_true, y_score, case_arguments)
    scores = require_scores(y_score, y_true)
    return check_cases(y_true, **case_arguments).add_scores("y_score", scores)


class Rankings(NamedTuple):
    """A sample, however it was given: its one ranking, or one of each of the folds."""

    each: list[Ranked]
    folds: FoldRankings | None = None


def find_rankings(
    y_true: Any, y_score: ArrayLike | None = None, **case_arguments: Any
) -> Rankings:
    """Return the sample behind labels and scores, a table of counts, or folds."""
    if not isinstance(y_true, FoldRankings):
        case_arguments["takes_estimates"] = True
        return Rankings([check_sample(y_true, y_score, **case_arguments)])
    kind = case_arguments.pop("weights", "frequency")
    check_choice("weights", kind, WEIGHTS)
    check_alone(y_true, y_score=y_score, **case_arguments)
    each = []
    for is_pos, scores, weight in y_true:
        if weight is None:
            cases = Ranked(is_pos, kind=kind)
        else:
            cases = check_cases(is_pos, sample_weight=weight, weights=kind)
        scores = scores if cases.kept is None else scores[cases.kept]
        each.append(replace(cases, scores=scores, by_case=True))
    return Rankings(each, y_true)


def scored(
    cases: Ranked, name: str, y_score: ArrayLike, *, by_case: bool = True
) -> Ranked:
    """Return ``cases`` with the scores of one of several models."""
    if isinstance(y_score, RankTable):
        raise ValueError(
            f"{name} is a RankTable, which does not tell which case is which, so that "
            "it is not paired with another model: give scores; two tables alone are "
            "for compare, with their correlation."
        )
    found = cases.add_scores(name, y_score)
    return replace(found, by_case=True) if by_case else found


def check_metric(metric: Metric, cases: Ranked) -> Metric:
    """Return the metric that was asked for, as it is on a sample of these cases."""
    check_takes_estimates(metric, cases)
    if cases.counts is not None:
        return on_table(metric, cases.counts)
    return metric.bind_sample_size(cases.total, is_weighted=cases.weights is not None)


def add_gains(ranked: Ranked, metric: Metric) -> Ranked:
    """Return the sample with what its cases are worth, where that matters."""
    if ranked.counts is not None and ranked.worth is None:
        return ranked
    worth = metric.sample_gains(ranked)
    return ranked if worth is None else replace(ranked, worth=worth)


class Frame(Protocol):
    """A data frame, as far as its columns are read."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


# Of one model, or of several in columns or by name.
ScoresOfModels: TypeAlias = ArrayLike | Mapping[Any, ArrayLike] | Frame
RankingsOfModels: TypeAlias = Mapping[Any, FoldRankings] | Sequence[FoldRankings]


def are_columns(y_score: Any) -> bool:
    """Return whether scores are several, in columns or entries of a mapping."""
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
    """Raise for the first option that is not as it is by default."""
    for name, (value, default) in options.items():
        is_default = value is None if default is None else value == default
        if not is_default:
            raise ValueError(f"{name} has no meaning for {what}: leave it out.")


def model_columns(
    name: str, y_scores: ArrayLike | Mapping[Any, ArrayLike], n_samples: int
) -> dict[Any, ArrayLike]:
    """Return the scores of several models by their names, or numbers of columns."""
    frame: Any = y_scores
    if hasattr(frame, "collect"):
        raise ValueError(f"{name} is a lazy frame: pass {name}.collect().")
    if hasattr(frame, "columns"):
        # The columns of pyarrow's tables are arrays.
        is_arrow = hasattr(type(frame), "column_names")
        columns = list(frame.column_names if is_arrow else frame.columns)
        if len(set(columns)) < len(columns):
            raise ValueError(
                f"{name} must hold each model under another name; found the "
                f"columns {columns}."
            )
        return {column: frame[column] for column in columns}
    if isinstance(y_scores, Mapping):
        return dict(y_scores)
    first = y_scores[0] if isinstance(y_scores, list | tuple) and y_scores else None
    if isinstance(first, tuple) and first and isinstance(first[0], str):
        raise ValueError(f"{name} holds pairs of a name and scores: pass dict({name}).")
    table = as_array(name, y_scores)
    if table.ndim != 2 or table.shape[1] == 0:
        found = f"an array of shape {table.shape}"
        if table.ndim == 0:
            kind = type(y_scores).__name__
            found = f"an object of type {kind}: pass a dict of names and scores"
        raise ValueError(f"{name} must have one column per model, found {found}.")
    is_pair = table.shape[1] == 2 and table.dtype.kind == "f"
    if is_pair and (np.abs(table.sum(axis=1) - 1) < 1e-6).all():
        raise ValueError(
            f"{name} has two columns that add up to 1, as predict_proba returns them: "
            "pass that of the positive class."
        )
    if len(table) != n_samples == table.shape[1]:
        raise ValueError(
            f"{name} must have one row per case and one column per model, found an "
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
    """Return the sample that a table of whole counts stands for."""
    of_pos, of_neg = _cells(table)
    is_pos = np.arange(len(of_pos) + len(of_neg)) < len(of_pos)
    counts = np.concatenate([table.pos[of_pos], table.neg[of_neg]])
    return Ranked(is_pos, weights=counts, kind="frequency", counts=table)


def _check_whole(name: str, counts: FloatArray, otherwise: str) -> None:
    if (counts != np.rint(counts)).any():
        found = counts[counts != np.rint(counts)][0]
        raise ValueError(
            f"{name} must be whole numbers of repetitions, found {found:g}; "
            f"{otherwise}."
        )


def pool_folds(rankings: FoldRankings, weights: Weights = "frequency") -> Ranked:
    """Return rankings as a sample, in which a case of several repeats counts once."""
    clusters, n_repeats = rankings.clusters, rankings.n_repeats
    if clusters is None and n_repeats > 1:
        clusters = rankings.indices
    cases = check_cases(
        rankings.is_pos, sample_weight=rankings.sample_weight, weights=weights
    ).add_scores("y_score", rankings.y_score)
    if n_repeats > 1 and not cases.are_repetitions:
        raise ValueError(
            f'weights="sampling" is not known of {n_repeats} repeats: make the '
            "FoldRankings of one."
        )
    if n_repeats > 1:
        # Of all repeats they are those of one.
        cases = replace(cases, weights=cases.row_weights / n_repeats)
    kept: Any = slice(None) if cases.kept is None else cases.kept
    folds = fold_numbers(rankings)[kept]
    cases = replace(cases, folds=folds)
    if clusters is None:
        return cases
    units = check_groups("clusters", clusters).codes[kept]
    are_repeated = n_repeats > 1 and rankings.clusters is not None
    return add_fold_groups(cases, units, folds, are_repeated=are_repeated)


def fold_numbers(rankings: FoldRankings) -> IntArray:
    """Return the number of the fold of each row."""
    folds = np.empty(len(rankings.y_true), dtype=np.intp)
    for number, rows in enumerate(rankings.rows()):
        folds[rows] = number
    return folds


def split_folds(model: Ranked, folds: IntArray | None) -> list[tuple[Any, Ranked]]:
    """Return the cases of each fold, as their places and as a sample."""
    if folds is None:
        return [(slice(None), model)]
    order = np.argsort(folds, kind="stable")
    ends = np.cumsum(np.bincount(folds))[:-1]
    parts = []
    for chosen in np.split(order, ends):
        part = Ranked(
            model.is_pos[chosen],
            None if model.scores is None else model.scores[chosen],
            None if model.weights is None else model.weights[chosen],
            kind=model.kind,
            by_case=model.by_case,
        )
        parts.append((chosen, part))
    return parts
