"""Checked input: the scored samples of models, in one ranking or in folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeAlias, get_args

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
    centring_factors,
)
from skrate.data.checks import (
    as_array,
    as_numpy,
    check_equal_length,
    check_index,
    check_vector,
)
from skrate.data.estimated import EstimatedLabels
from skrate.data.folds import (
    FoldRankings,
    are_fold_rankings,
    check_no_labels,
    check_same_folds,
)
from skrate.data.judged import JudgedLabels
from skrate.data.ranking import (
    Sample,
    begins_group,
    check_groups,
    check_labelled,
    require_scores,
)
from skrate.data.table import (
    Merged,
    RankTable,
    build_ranked_table,
    build_table,
    check_alone,
)
from skrate.metrics.gain import GainTable, SampleGains, rank_gains
from skrate.metrics.metric import Metric, check_takes_estimates, is_defined, on_table

Weights = Literal["frequency", "sampling"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
# The arguments of public functions that describe the samples.
SAMPLE_ARGUMENTS = ("sample_weight", "clusters", "pos_label")
MEAN_OVER_LISTS = "a mean over lists, because lists are the units"


@dataclass(frozen=True)
class Ranked(Sample):
    """Samples with scores, their table, and the group of tied samples of each sample.

    Fields in addition to :class:`Sample`:

    - ``counts``: the published table, if there are no data of samples. One sample
      without a score then stands for each class in each group; its weight is the count.
    - ``needs_groups``: whether the group of each sample is needed later, so that one
      sort should compute both the table and the groups.
    - ``gains``: the gain and cost of each sample; None if its class determines them.
    - ``given``: the sampling weights before they were scaled to a mean of 1.
    - ``folds``: the number of the fold of each sample. The table is then the consensus
      table, in which the same fraction of each fold is processed.
    - ``fold_groups``: the number of the group of folds of each cluster. Folds with a
      cluster in common are in the same group.
    - ``group_factors``: the factors of squared influence, because it is centred: one
      for each group of folds or, without such groups, for each cluster.
    - ``are_fold_groups``: whether ``clusters`` are groups of folds.
    - ``has_all_clusters``: for each fold, whether all folds of its group have all
      clusters of the group. If so, influence is centred within each class of the fold.
    """

    counts: RankTable | None = None
    needs_groups: bool = False
    gains: SampleGains | None = None
    given: FloatArray | None = None
    folds: IntArray | None = None
    fold_groups: IntArray | None = None
    group_factors: FloatArray | None = None
    are_fold_groups: bool = False
    has_all_clusters: BoolArray | None = None

    @property
    def n_groups(self) -> int:
        """The number of groups of folds, or 1. Influence values of a group sum to 0."""
        return 1 if self.fold_groups is None else int(self.fold_groups.max()) + 1

    @property
    def unit_factors(self) -> FloatArray:
        """The factor of the squared influence of each cluster, due to centring."""
        if self.are_fold_groups:
            # The mean over folds weights a group by its folds, not by its samples.
            return np.full(self.n_units, self.n_units / (self.n_units - 1))
        if self.group_factors is None:
            assert self.clusters is not None
            sizes = np.bincount(self.clusters, self.row_weights)
            return np.full(self.n_units, centring_factors(sizes))
        if self.fold_groups is None:
            return self.group_factors
        return self.group_factors.take(self.fold_groups)

    @cached_property
    def effective_sizes(self) -> tuple[float, float]:
        """Effective number of samples of each class, or number of groups of folds."""
        if self.are_fold_groups:
            return float(self.n_units), float(self.n_units)
        return super().effective_sizes

    @property
    def unit_dof(self) -> float:
        """The degrees of freedom: the smaller effective size, minus ``n_groups``."""
        return max(min(self.effective_sizes) - self.n_groups, 1.0)

    def score(self, metric: Metric) -> float:
        """Return the value of the public score function, with the same rounding."""
        weights = self.given
        if weights is None:
            return metric.value(self.table)
        as_given = None if weights.min() == weights.max() else weights
        return metric.value(replace(self, weights=as_given, needs_groups=False).table)

    @property
    def balanced(self) -> Ranked:
        """The samples, with sampling weights whose mean is 1 in each class."""
        if self.weights is None or self.kind != "sampling":
            return self
        weights = self.weights.copy()
        for in_class in filter(np.any, (self.is_pos, ~self.is_pos)):
            weights[in_class] /= weights[in_class].mean()
        return replace(self, weights=weights)

    @property
    def unweighted(self) -> Ranked:
        """The samples without weights."""
        return replace(self, weights=None, given=None, kind="frequency")

    def class_factors(self, prevalence: float) -> FloatArray:
        """Return factors that scale the weights of each class to a given sum.

        The sum is ``prevalence`` for positives, and 1 - ``prevalence`` for negatives.
        """
        n_pos, n_neg = (
            self.row_weights[rows].sum() for rows in (self.is_pos, ~self.is_pos)
        )
        factors = np.where(self.is_pos, prevalence / n_pos, (1 - prevalence) / n_neg)
        return np.asarray(factors)

    @cached_property
    def is_plain(self) -> bool:
        """Whether the table has all information about the samples.

        The table of folds has not, because a sample is in several of its groups.
        """
        return self.folds is None and self.are_exchangeable

    @cached_property
    def are_exchangeable(self) -> bool:
        """Whether samples are independent and differ only in their class and score."""
        is_known = self.gains is None and self.estimated is None
        is_weighted = self.weights is not None and self.kind != "frequency"
        return is_known and self.clusters is None and not is_weighted

    @cached_property
    def table(self) -> RankTable:
        """The table of the samples; sampling weights have the mean 1."""
        if self.counts is not None:
            return self.counts
        if self.folds is not None:
            return Folds(tuple(fold.table for _, fold in self._fold_rankings)).pooled
        assert self.scores is not None
        if self.gains is None and self.estimated is None and not self.needs_groups:
            return build_table(self)
        table = build_ranked_table(self, *self._ranking)
        if self.gains is None:
            return table
        gains = rank_gains(self.gains, self.weights, *self._ranking)
        return GainTable.of(table, gains)

    @cached_property
    def group(self) -> IntArray:
        """The number of the group of each sample, 0 for the best group."""
        order, begins = self._ranking
        group = np.empty_like(order)
        group[order] = np.cumsum(begins) - 1
        return group

    def copy_data(self) -> Self:
        """Return a copy, without cached values, that a caller cannot change."""
        copies: dict[str, Any] = {"index": None}
        for name in ("scores", "weights", "given"):
            array = getattr(self, name)
            if array is not None:
                copies[name] = array.copy()
        return replace(self, **copies)

    def forget(self) -> None:
        """Release the memory of arrays that can be computed again."""
        for name in ("_ranking", "group"):
            vars(self).pop(name, None)
        vars(self.table).pop("merged", None)

    def expand_classes(
        self, merged: Merged, by_neg: FloatArray, by_pos: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the values of both classes in the merged group of each sample."""
        order = self._ranking[0]
        as_neg, as_pos = np.empty((2, len(order)))
        as_neg[order], as_pos[order] = self._repeat_values(merged, by_neg, by_pos)
        return as_neg, as_pos

    def expand_groups(
        self, merged: Merged, by_neg: FloatArray, by_pos: FloatArray
    ) -> FloatArray:
        """Return the value of the merged group of each sample, for its own class."""
        if self.folds is not None:
            rates = np.append(self.table.rates[merged.starts], 1.0)
            as_neg, as_pos = self.expand_folds(rates, by_neg, by_pos)
            return np.asarray(np.where(self.is_pos, as_pos, as_neg))
        order = self._ranking[0]
        if self.table.labels is None:
            as_neg, as_pos = self._repeat_values(merged, by_neg, by_pos)
            ranked = np.where(self.is_pos.take(order), as_pos, as_neg)
        else:
            # Without ties, the samples of a merged group are in one class.
            by_group = np.where(merged.pos > 0, by_pos, by_neg)
            (ranked,) = self._repeat_values(merged, by_group)
        per_sample = np.empty_like(ranked)
        per_sample[order] = ranked
        return per_sample

    def _repeat_values(self, merged: Merged, *group_values: Array) -> list[Array]:
        """Return values of merged groups for each sample, in order of the ranking."""
        order, begins = self._ranking
        if len(merged.starts) == len(order):
            return [*group_values]
        starts = np.flatnonzero(begins)[merged.starts]
        sizes = np.diff(starts, append=len(order))
        return [np.repeat(by_group, sizes) for by_group in group_values]

    def expand_folds(
        self, rates: FloatArray, by_neg: FloatArray, by_pos: FloatArray
    ) -> FloatArray:
        """Return, for each sample, the mean value of either class over its rates.

        The result has a row per class, negatives first. ``by_neg`` and ``by_pos`` are
        the values between neighbouring ``rates``. The rates of a sample are between the
        cut above its group of ties in its fold, and the cut below. The mean over the
        samples of a fold is subtracted, because the cut has the same rate in each fold,
        except if groups of folds are the units.
        """
        # Integrals over rates from 0, which are linear within groups.
        integrals = [
            np.append(0.0, np.cumsum(np.diff(rates) * class_values))
            for class_values in (by_neg, by_pos)
        ]
        per_sample = np.empty((2, len(self.is_pos)))
        for rows, fold in self._fold_rankings:
            edges = fold.table.rates
            integrals_at_cuts = [
                np.interp(edges, rates, class_values) for class_values in integrals
            ]
            means = np.diff(integrals_at_cuts, axis=1) / np.diff(edges)
            terms = means[:, fold.group]
            if not self.are_fold_groups:
                class_terms = np.where(fold.is_pos, terms[1], terms[0])
                terms -= np.average(class_terms, weights=fold.weights)
            per_sample[:, rows] = terms
        return per_sample

    @cached_property
    def _fold_rankings(self) -> list[tuple[Any, Ranked]]:
        """The row numbers and the ranking of each fold."""
        return split_folds(self, self.folds)

    @cached_property
    def _ranking(self) -> tuple[IntArray, BoolArray]:
        """The order of the samples, best first, and whether each begins a group."""
        if self.scores is not None:
            return self.ranking()
        group = np.concatenate(_find_nonempty_groups(self.table))
        order = np.argsort(group, kind="stable")
        return order, begins_group(group[order])


def _find_nonempty_groups(table: RankTable) -> tuple[IntArray, IntArray]:
    """Return the groups with positives, and the groups with negatives."""
    return np.flatnonzero(table.pos), np.flatnonzero(table.neg)


def check_samples(
    y_true: ArrayLike | RankTable,
    *,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    clusters: ArrayLike | None = None,
    pos_label: Label = None,
    takes_estimates: bool = False,
) -> Ranked:
    """Return the checked labels, weights and clusters of samples, without scores."""
    if isinstance(y_true, RankTable):
        raise ValueError(
            "y_true must be the labels of the samples, got a RankTable: pass labels, "
            "because a table does not show which samples the models have in common."
        )
    labelled = check_labelled(
        y_true, sample_weight, pos_label, takes_estimates=takes_estimates
    )
    if labelled.weights is not None and weights == "frequency":
        _check_repetitions(labelled.weights)
    codes = None
    if clusters is not None:
        check_index(labelled.index, clusters=clusters)
        codes = check_groups("clusters", clusters).codes
        check_equal_length(y_true=labelled.is_pos, clusters=codes)
    sample = Ranked(
        labelled.is_pos,
        weights=labelled.weights,
        clusters=codes,
        kind=weights,
        estimated=labelled.estimated,
        index=labelled.index,
    ).drop_zero_weights()
    if sample.weights is not None and weights == "sampling":
        original = sample.weights
        sample = replace(sample, weights=original / original.mean(), given=original)
    if sample.clusters is None:
        return sample
    codes = np.unique(sample.clusters, return_inverse=True)[1]
    if not codes.any():
        raise ValueError(
            "clusters must have at least 2 different values, got 1: the variation "
            "between clusters is unknown. Leave it out if samples are independent."
        )
    return replace(sample, clusters=codes)


def _check_repetitions(weights: FloatArray) -> None:
    """Raise an error if weights are not whole numbers, or if their sum is too large."""
    remedy = 'for weights of another kind use weights="sampling"'
    _check_whole("sample_weight", weights, remedy)
    with np.errstate(over="ignore"):
        total = weights.sum()
    if total > 2**53:
        raise ValueError(
            "sample_weight must have a sum of at most 2**53 repetitions, got "
            f"{total:g}: {remedy}."
        )


def add_fold_groups(
    samples: Ranked,
    clusters: IntArray,
    folds: IntArray,
    *,
    are_units: bool = False,
    are_repeated: bool = False,
    by_class: bool = False,
) -> Ranked:
    """Return the samples with their clusters and groups of folds.

    Folds with a cluster in common are in the same group: groups are connected
    components. The groups replace the clusters if ``are_units``, or if a group has a
    single cluster, which shows no variation. If ``by_class``, the influence is centred
    within the classes of each fold. The factor of a group in which each fold has all
    clusters is then 1, because ``Units.class_units`` has a factor for each class.
    """
    codes = np.unique(clusters, return_inverse=True)[1]
    nodes = folds, int(folds.max()) + 1 + codes
    graph = sparse.coo_array(
        (np.ones(len(folds)), nodes), (int(nodes[1].max()) + 1,) * 2
    )
    component = csgraph.connected_components(graph, directed=False)[1][nodes[1]]
    group_of_row = np.unique(component, return_inverse=True)[1]
    group_of_cluster = np.empty(int(codes.max()) + 1, dtype=np.intp)
    group_of_cluster[codes] = group_of_row
    if are_units or np.bincount(group_of_cluster).min() < 2:
        return replace(samples, clusters=group_of_row, are_fold_groups=True)
    factors = centring_factors(
        np.bincount(codes, samples.row_weights), group_of_cluster
    )
    if are_repeated:
        factors = _repeat_factors(codes, folds, group_of_cluster, samples.row_weights)
    samples = replace(
        samples, clusters=codes, fold_groups=group_of_cluster, group_factors=factors
    )
    if not by_class:
        return samples
    group_of_fold = np.empty(int(folds.max()) + 1, dtype=np.intp)
    group_of_fold[folds] = group_of_row
    n_clusters = len(group_of_cluster)
    n_in_fold = np.bincount(np.unique(folds * n_clusters + codes) // n_clusters)
    lacks_clusters = n_in_fold < np.bincount(group_of_cluster)[group_of_fold]
    are_complete = np.bincount(group_of_fold, lacks_clusters) == 0
    factors = np.where(are_complete, 1.0, factors)
    has_all_clusters = are_complete[group_of_fold]
    return replace(samples, group_factors=factors, has_all_clusters=has_all_clusters)


def _repeat_factors(
    codes: IntArray, folds: IntArray, group_of_cluster: IntArray, weights: FloatArray
) -> FloatArray:
    """Return the factor of each group of folds, if samples are in several folds.

    Let s_jf be the fraction of fold f that is in cluster j, and u_j the effect of the
    cluster, which is the same in all its folds and independent of other clusters. The
    cluster adds s_jf u_j to the mean of the fold; centring subtracts s_jf sum_l s_lf
    u_l from this. The factor is the expected square of the sum over folds without
    centring, divided by the expected square with centring, both summed over clusters.
    """
    counts = sparse.coo_array((weights, (codes, folds))).tocsr()
    totals = counts.sum(axis=0)
    fractions = counts.multiply(1 / totals).tocsr()
    sums, squares = fractions.sum(axis=1), fractions.multiply(fractions).sum(axis=1)
    group_of_fold = np.empty(len(totals), dtype=np.intp)
    group_of_fold[folds] = group_of_cluster[codes]
    centred = np.bincount(group_of_cluster, sums * (sums - 2 * squares))
    products = fractions.T @ fractions
    centred += np.bincount(group_of_fold, products.multiply(products).sum(axis=0))
    return np.asarray(np.bincount(group_of_cluster, sums**2) / centred)


def check_sample(
    y_true: ArrayLike | RankTable, y_score: ArrayLike | None, **sample_arguments: Any
) -> Ranked:
    """Return the scored samples from labels and scores, or from a table of counts."""
    if isinstance(y_true, RankTable):
        sample_options = {name: sample_arguments.get(name) for name in SAMPLE_ARGUMENTS}
        check_alone(y_true, y_score=y_score, **sample_options)
        remedy = "for other weights pass labels, scores and sample_weight"
        for counts in (y_true.pos, y_true.neg):
            _check_whole("the counts of the RankTable", counts, remedy)
        return make_table_samples(y_true)
    if y_score is None:
        y_score = require_scores(y_score, y_true)
    return check_samples(y_true, **sample_arguments).add_scores("y_score", y_score)


class Rankings(NamedTuple):
    """The data of a model: its only ranking, or one ranking per fold."""

    rankings: list[Ranked]
    folds: FoldRankings | None = None


def find_rankings(
    y_true: Any, y_score: ArrayLike | None = None, **sample_arguments: Any
) -> Rankings:
    """Return the rankings from labels and scores, a table of counts, or folds."""
    if not isinstance(y_true, FoldRankings):
        sample_arguments["takes_estimates"] = True
        return Rankings([check_sample(y_true, y_score, **sample_arguments)])
    kind = sample_arguments.pop("weights", "frequency")
    check_alone(y_true, y_score=y_score, **sample_arguments)
    rankings = []
    for is_pos, scores, weight in y_true:
        if weight is None:
            samples = Ranked(is_pos, kind=kind)
        else:
            samples = check_samples(is_pos, sample_weight=weight, weights=kind)
        scores = scores if samples.kept is None else scores[samples.kept]
        rankings.append(replace(samples, scores=scores, needs_groups=True))
    return Rankings(rankings, y_true)


def add_model_scores(
    samples: Ranked, name: str, y_score: ArrayLike, *, needs_groups: bool = True
) -> Ranked:
    """Return ``samples`` with the scores of one of several models."""
    if isinstance(y_score, RankTable):
        raise ValueError(
            f"{name} must be scores, got a RankTable: pass the score of each sample, "
            "because a table does not show which samples the models have in common."
        )
    ranked = samples.add_scores(name, y_score)
    return replace(ranked, needs_groups=True) if needs_groups else ranked


def check_metric(metric: Metric, samples: Ranked) -> Metric:
    """Return the metric, bound to this table or to this number of samples."""
    if samples.estimated is not None:
        check_takes_estimates(metric, samples)
    if samples.counts is not None:
        return on_table(metric, samples.counts)
    return metric.bind_sample_size(
        samples.total, is_weighted=samples.weights is not None
    )


class OnRanking(NamedTuple):
    """A metric with its parameters, a ranking, and the value of the metric on it."""

    metric: Metric
    ranked: Ranked
    value: float


def evaluate_ranking(metric: Metric, ranked: Ranked) -> OnRanking:
    """Return a metric of a ranking, with gains and costs if the metric needs them.

    The value is nan if the ranking lacks a class that the metric needs.
    """
    metric = check_metric(metric, ranked)
    if ranked.counts is None or ranked.gains is not None:
        gains = metric.sample_gains(ranked)
        if gains is not None:
            ranked = replace(ranked, gains=gains)
    value, table = float("nan"), ranked.table
    if is_defined(metric, table):
        value = metric.value(table) if ranked.given is None else ranked.score(metric)
    return OnRanking(metric, ranked, value)


class Frame(Protocol):
    """A data frame: only its columns are used."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


# The scores of one model, or of several models in columns or by name.
ScoresOfModels: TypeAlias = ArrayLike | Mapping[Any, ArrayLike] | Frame
RankingsOfModels: TypeAlias = Mapping[Any, FoldRankings] | Sequence[FoldRankings]


def are_columns(y_score: Any) -> bool:
    """Return whether these are scores of several models, in columns or a mapping."""
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


def check_left_out(situation: str, **options: tuple[Any, Any]) -> None:
    """Raise an error if an option is not its default; ``options`` has pairs of both."""
    for name, (option, default) in options.items():
        is_default = option is None if default is None else option == default
        if not is_default:
            raise ValueError(f"{name} has no meaning for {situation}: leave it out.")


def model_columns(
    name: str,
    y_scores: ArrayLike | Mapping[Any, ArrayLike],
    n_samples: int | None = None,
) -> dict[Any, ArrayLike]:
    """Return a dict of the scores of several models; columns are named by numbers."""
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


def find_model_rankings(
    argument: str,
    scores: Any,
    y_true: Any,
    options: dict[str, Any],
    weights: Weights,
    *,
    least: int = 2,
    needs_groups: bool = True,
) -> dict[str, Rankings]:
    """Return the rankings of several models by their names.

    ``scores`` is the value of this ``argument``. Rankings of folds are in ``y_true``.
    """
    if are_fold_rankings(y_true):
        check_alone(FoldRankings, **{argument: scores}, **options)
        folds = check_several("y_true", name_models(y_true), least)
        check_same_folds({f"y_true[{name!r}]": model for name, model in folds.items()})
        return {
            str(name): find_rankings(model, weights=weights)
            for name, model in folds.items()
        }
    samples = check_samples(y_true, weights=weights, takes_estimates=True, **options)
    models = model_columns(argument, scores, samples.n_input)
    rankings = {}
    for name, column in check_several(argument, models, least).items():
        scored = add_model_scores(
            samples, f"{argument}[{name!r}]", column, needs_groups=needs_groups
        )
        rankings[str(name)] = Rankings([scored])
    return rankings


def find_two_rankings(
    y_true: Any,
    y_score_a: Any,
    y_score_b: Any,
    weights: Weights = "frequency",
    **options: Any,
) -> dict[str, Rankings]:
    """Return the rankings of two models by the names of their arguments.

    With folds, the rankings of b are the argument ``y_score_a``.
    """
    named = {"y_score_a": y_score_a, "y_score_b": y_score_b}
    if isinstance(y_true, FoldRankings) or isinstance(y_score_a, FoldRankings):
        check_no_labels(y_true, "y_score_a")
        check_alone(y_true, y_score_b=y_score_b, **options)
        folds = {"y_true": y_true, "y_score_a": y_score_a}
        check_same_folds(folds)
        return {
            name: find_rankings(model, weights=weights) for name, model in folds.items()
        }
    for name, scores in named.items():
        if scores is None:
            raise ValueError(f"{name} is missing: give the scores of both models.")
    samples = check_samples(y_true, weights=weights, takes_estimates=True, **options)
    return {
        name: Rankings([add_model_scores(samples, name, one)])
        for name, one in named.items()
    }


def check_model_columns(
    argument: str, scores: Any, y_true: Any, *, least: int = 2
) -> dict[Any, Any]:
    """Return the scores of ``least`` or more models by their names."""
    has_length = isinstance(y_true, EstimatedLabels | JudgedLabels)
    labels = y_true if has_length else check_vector("y_true", y_true)
    models = model_columns(argument, scores, len(labels))
    return check_several(argument, models, least)


def several_models(
    argument: str, y_true: Any, scores: Any
) -> dict[str, tuple[Any, Any]] | None:
    """Return labels and scores, or folds, of several models, None for one model."""
    if are_fold_rankings(y_true):
        folds = check_several("y_true", name_models(y_true), 1)
        return {str(name): (rankings, None) for name, rankings in folds.items()}
    if scores is None or not are_columns(scores):
        return None
    columns = check_model_columns(argument, scores, y_true, least=1)
    return {str(name): (y_true, column) for name, column in columns.items()}


def name_models(models: Any) -> Mapping[Any, Any]:
    """Return models of a mapping, or of a list by their numbers."""
    return models if isinstance(models, Mapping) else dict(enumerate(models))


def check_several(
    argument: str, models: Mapping[Any, Any], least: int = 2
) -> dict[Any, Any]:
    """Return models by name, and check that there are ``least`` or more."""
    names = [str(name) for name in models]
    if len(names) < least or len({*names}) < len(names):
        raise ValueError(
            f"{argument} must have {least} or more models with different names, got "
            f"{len(names)}: {names}."
        )
    return dict(models)


def make_table_samples(table: RankTable) -> Ranked:
    """Return the samples of a table of whole counts: one per class and group."""
    with_pos, with_neg = _find_nonempty_groups(table)
    is_pos = np.arange(len(with_pos) + len(with_neg)) < len(with_pos)
    counts = np.concatenate([table.pos[with_pos], table.neg[with_neg]])
    return Ranked(is_pos, weights=counts, kind="frequency", counts=table)


def _check_whole(name: str, counts: FloatArray, remedy: str) -> None:
    if (counts != np.rint(counts)).any():
        fractional = counts[counts != np.rint(counts)][0]
        raise ValueError(
            f"{name} must be whole numbers of repetitions, got {fractional:g}; "
            f"{remedy}."
        )


def pool_folds(rankings: FoldRankings, weights: Weights = "frequency") -> Ranked:
    """Return the samples of all folds; a sample in several folds counts once."""
    clusters, n_repeats = rankings.clusters, rankings.n_repeats
    if clusters is None and n_repeats > 1:
        clusters = rankings.indices
    samples = check_samples(
        rankings.is_pos, sample_weight=rankings.sample_weight, weights=weights
    ).add_scores("y_score", rankings.y_score)
    if n_repeats > 1 and not samples.are_repetitions:
        raise ValueError(
            'weights must be "frequency" for repeated folds, got "sampling" with '
            f"{n_repeats} repeats: pass the FoldRankings of a single repeat."
        )
    if n_repeats > 1:
        # The weights then have the same sum as the weights of a single repeat.
        samples = replace(samples, weights=samples.row_weights / n_repeats)
    rows: Any = slice(None) if samples.kept is None else samples.kept
    folds = np.empty(len(rankings.y_true), dtype=np.intp)
    for number, rows_of_fold in enumerate(rankings.rows()):
        folds[rows_of_fold] = number
    folds = folds[rows]
    samples = replace(samples, folds=folds)
    if clusters is None:
        return samples
    units = check_groups("clusters", clusters).codes[rows]
    are_repeated = n_repeats > 1 and rankings.clusters is not None
    return add_fold_groups(samples, units, folds, are_repeated=are_repeated)


def split_folds(model: Ranked, folds: IntArray | None) -> list[tuple[Any, Ranked]]:
    """Return the row numbers and the samples of each fold."""
    if folds is None:
        return [(slice(None), model)]
    order = np.argsort(folds, kind="stable")
    ends = np.cumsum(np.bincount(folds))[:-1]
    by_fold = []
    for rows in np.split(order, ends):
        fold = Ranked(
            model.is_pos[rows],
            None if model.scores is None else model.scores[rows],
            None if model.weights is None else model.weights[rows],
            kind=model.kind,
            needs_groups=model.needs_groups,
        )
        by_fold.append((rows, fold))
    return by_fold
