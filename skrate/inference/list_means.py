"""Means over lists, which are the independent units, and differences of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from skrate.data.arrays import Array, ArrayLike, FloatArray, IntArray, dot, lazy
from skrate.data.checks import check_equal_length, shown, warn, warn_undefined
from skrate.data.ranking import check_groups
from skrate.inference.evaluation import Difference, Evaluation
from skrate.inference.intervals import Augmented, augmented_mean, wilson_interval
from skrate.inference.options import Plan
from skrate.inference.rankings import Ranked
from skrate.inference.resampling import Draw
from skrate.inference.units import Units
from skrate.inference.variance import Parts, influence_parts
from skrate.metrics.hypothesis_tests import Null, t_test
from skrate.metrics.list_scores import (
    Average,
    ListScores,
    ListSums,
    Policy,
    average_sums,
)
from skrate.metrics.result_types import (
    Comparison,
    ConfidenceInterval,
    Estimate,
    Question,
    rendered,
    t_interval,
)

# All flips are tried where there are no more than 2 to this number of them.
_MOST_LISTS = 20
_FEW_LISTS = 10


@dataclass(eq=False)
class ListMean(Evaluation):
    """The mean of a metric over lists, which takes the place of one over rankings.

    ``influence`` is how far the value of each list is from the mean; the weights of
    lists are in the ``units``.
    """

    _: KW_ONLY
    scores: ListScores
    sums: ListSums
    undefined: Policy | float

    def __post_init__(self) -> None:
        super().__post_init__()
        self.value = self.sums.value

    def __sub__(self, other: Evaluation) -> ListDifference:
        super().__sub__(other)
        assert isinstance(other, ListMean)
        return ListDifference(self, other)

    @property
    def name(self) -> str:
        """The name of the metric, and that it is one of lists."""
        return f"{self.metric.name} within lists"

    @property
    def of(self) -> str:
        """How many lists these are, and of how many clusters, in words."""
        n_lists, n_units = len(self.sums.parts), self.cases.n_units
        clusters = f" in {n_units} clusters" if n_units < n_lists else ""
        return f"{n_lists} lists{clusters}"

    @lazy
    def cases(self) -> Ranked:
        """The lists, as cases of one class."""
        return self.units.cases

    @lazy
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest mean."""
        return self.sums.limits

    @property
    def chance(self) -> float:
        """The AUC of scores that say nothing, if all lists of the mean have one."""
        is_auc = self.metric.name == "AUC" and isinstance(self.undefined, str)
        return 0.5 if is_auc else float("nan")

    @property
    def auc(self) -> float:
        """The mean, which is only asked for if it is one of the AUC."""
        return self.value

    @property
    def class_sizes(self) -> tuple[float, float]:  # type: ignore[override]
        """The number (or weight) of relevant items and of others."""
        lists = self.scores._lists
        return float(lists.n_pos.sum()), float(lists.n_neg.sum())

    @property
    def unit_dof(self) -> float:
        """The degrees of freedom of independent lists."""
        return self.freedom(self.parts)

    @lazy
    def influence(self) -> FloatArray:
        """How far the value of each list is from the mean, in all that share units."""
        parts, weights, *_ = self.sums
        shares = self.cases.row_weights / len(parts)
        away = (parts - self.value * weights) / weights.sum()
        found = np.zeros(len(away))
        np.divide(away, shares, out=found, where=shares > 0)
        return found

    @lazy
    def parts(self) -> Parts:
        """The variance, of which lists are one source."""
        return influence_parts(self.influence, self.cases)

    def interval(
        self,
        *_: Any,
        error: float | None = None,
        level: float | None = None,
        value: float | None = None,
        **__: Any,
    ) -> ConfidenceInterval:
        """Return Wilson's interval, or Student's if the metric has no bounds."""
        level = self.plan.confidence_level if level is None else level
        value = self.value if value is None else value
        error = self.parts.standard_error if error is None else error
        bounds = self.bounds
        if np.isfinite(bounds).all():
            mean = self._augmented(error**2, value=value)
            return wilson_interval(value, bounds, level, mean)
        return t_interval(value, error, level, bounds, self.freedom(self.parts))

    def _augmented(
        self, variance: float, factor: float = 1.0, value: float | None = None
    ) -> Augmented:
        """Return the mean with a tenth of a list added, half of it at each bound."""
        value, n_lists = (
            self.value if value is None else value,
            self.cases.effective_sizes[0],
        )
        mean = augmented_mean(
            value, factor**2 * variance, n_lists, self.bounds, self.bounds
        )
        return mean._replace(freedom=self.freedom(mean.parts))

    def test(self, x: float, *_: Any, **__: Any) -> tuple[float, float]:
        """Return the statistic and the p-value of x, by the interval."""
        error, alternative = self.parts.standard_error, self.plan.alternative
        statistic, pvalue = self.wilson_test(x, alternative, error)
        if not np.isnan(pvalue):
            return statistic, pvalue
        freedom = self.freedom(self.parts)
        return t_test(self.value, error, [Null(x, alternative)], freedom)

    def estimate(self, null_value: float | None = None) -> Estimate:
        """Return the mean with its uncertainty."""
        if not self.is_known:
            warn_undefined(self.name, self.scores._reason(self.undefined))
        return replace(super().estimate(null_value), method="lists")


def evaluate_lists(
    scores: Sequence[ListScores],
    plan: Plan,
    average: Average | Iterable[float] | None = None,
    undefined: Policy | float = "skip",
    clusters: ArrayLike | None = None,
) -> list[ListMean]:
    """Return the means of models over the same lists, skipped for one or for all."""
    for one in scores[1:]:
        for name in ("groups", "n_items", "n_pos"):
            if not np.array_equal(getattr(scores[0], name), getattr(one, name)):
                raise ValueError(
                    f"scores_a and scores_b differ in the {name} of their lists: give "
                    "both models the same y_true, groups and sample_weight."
                )
    among = np.all([one._lists.defined > 0 for one in scores], axis=0)
    sums = [average_sums(one, average, undefined, among) for one in scores]
    codes = check_list_clusters(clusters, scores[0])
    units = Units([_list_samples(sums, codes)], plan)
    of_mean = average_options(scores[0], average, undefined)
    return [
        ListMean(
            metric=one._metric,
            each=[],
            units=units,
            is_known=not np.isnan(own.value),
            question=one.params | of_mean,
            scores=one,
            sums=own,
            undefined=undefined,
        )
        for one, own in zip(scores, sums, strict=True)
    ]


def _list_samples(sums: Sequence[ListSums], codes: IntArray | None) -> Ranked:
    """Return lists as cases of one class, each a cluster if no clusters are given.

    Weights are the mean of those of all models. A unit with the share h of the weight
    pulls the mean to itself, so that squares count 1 / (1 - h) times: m / (m - 1) for m
    of equal weight.
    """
    kept, weights, factors = sums[0].kept, None, None
    n_lists = np.count_nonzero(kept)
    units = np.arange(n_lists)
    if codes is not None:
        units = np.unique(codes[kept], return_inverse=True)[1]
    if not np.isnan([own.value for own in sums]).any():
        shares = np.mean([own.weights / own.weights.sum() for own in sums], axis=0)
        weights, left = n_lists * shares, 1 - np.bincount(units, shares)
        # If one has all the weight, the variation of others is unknown.
        is_known = left.min() > 1e-12
        factors = 1 / left if is_known else np.full(len(left), np.nan)
    return Ranked(
        np.ones(n_lists, dtype=bool),
        weights=weights,
        clusters=units,
        kind="sampling",
        group_factors=factors,
    )


@dataclass(frozen=True)
class ListDifference(Difference):
    """The mean of one model minus that of another, over the same lists."""

    a: ListMean
    b: ListMean
    combines_intervals = False

    @property
    def name(self) -> str:
        """The name of the metric, or of both, and that they are of lists."""
        return f"{super().name} within lists"

    def comparison(self, plan: Plan) -> Comparison:
        """Return the comparison of both, with warnings of what is hardly known."""
        self._warn_undefined_lists()
        found = super().comparison(plan)
        if np.isnan(found.value):
            warn_undefined(self.name, "no list that counts is defined")
        else:
            if np.isnan(found.statistic):
                reason = "there is one list"
                if self.a.cases.n_units > 1:
                    reason = "all lists have the same difference: method='permutation' "
                    reason += "has a p-value"
                warn_undefined(f"t of the {self.name}", reason)
            self._warn_equal_lists()
        method = "permutation" if plan.method == "permutation" else "t"
        return replace(found, method=method, of=self.a.of)

    def _warn_undefined_lists(self) -> None:
        """Warn of lists that are left out because they are undefined for one model."""
        of_a, of_b = (one.scores._lists.defined > 0 for one in (self.a, self.b))
        n_of_one = np.count_nonzero(of_a ^ of_b)
        if self.a.undefined == "skip" and n_of_one:
            warn(
                f"{n_of_one} of {len(self.a.scores.is_defined)} lists are undefined "
                "for one of the models and are left out of both, so that value_a and "
                "value_b are not the scores of all lists: give undefined=0.5, or "
                "another number, to count them."
            )

    def _warn_equal_lists(self) -> None:
        """Warn if few lists say how models differ: the spread of most is then 0."""
        a, b = (one.sums.parts / one.sums.weights.sum() for one in (self.a, self.b))
        n_units, n_differ = (
            self.a.cases.n_units,
            np.count_nonzero(self._sum_units(a - b)),
        )
        if n_differ < min(_FEW_LISTS, n_units / 2):
            warn(
                f"The models differ in {n_differ} of {n_units} lists: with fewer than "
                f"{_FEW_LISTS} the interval may be far too short. Take more lists, or "
                "a metric that sees more of them."
            )

    def _sum_units(self, of_lists: FloatArray) -> FloatArray:
        """Return the sums over the lists of each unit."""
        units = self.a.cases.clusters
        assert units is not None
        return np.bincount(units, of_lists).astype(np.float64, copy=False)

    def replicates(self, plan: Plan) -> FloatArray:
        """Return the difference with the models exchanged in some of the lists."""
        a, b = self.a.sums, self.b.sums
        parts, weights = (
            self._sum_units(of_b - of_a)
            for of_a, of_b in ((a.parts, b.parts), (a.weights, b.weights))
        )
        have_own, n = weights.any(), len(parts)

        def statistic(rows: Array) -> FloatArray:
            flips = rows.astype(np.float64)
            moved = dot(flips, parts)
            more = dot(flips, weights) if have_own else 0.0
            of_a = (a.parts.sum() + moved) / (a.weights.sum() + more)
            of_b = (b.parts.sum() - moved) / (b.weights.sum() - more)
            return np.asarray(of_a - of_b)

        if n <= _MOST_LISTS and 2**n - 1 <= plan.n_resamples:
            # The lists as they are make one more.
            numbers = np.arange(1, 2**n)
            return statistic(numbers[:, None] >> np.arange(n) & 1)

        def flips(generator: np.random.Generator, size: int) -> Array:
            return generator.integers(2, size=(size, n), dtype=np.uint8)

        return plan.replicates("difference", Draw(n, flips), statistic)


def average_options(
    scores: ListScores,
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


def check_list_clusters(
    clusters: ArrayLike | None, scores: ListScores
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


def find_list_clusters(
    groups: ArrayLike, clusters: ArrayLike | None
) -> IntArray | None:
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
