"""Means over lists, the independent units, and differences of two means."""

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

# For at most this number of lists, all 2^n exchanges of the models can be tried.
_MOST_LISTS = 20
_FEW_LISTS = 10


@dataclass(eq=False)
class ListMean(Evaluation):
    """The mean of a metric over lists, as an evaluation with lists as the samples.

    ``influence`` is the deviation of the value of each list from the mean. The weights
    of lists are in the ``units``.
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
        """The name of the metric, followed by "within lists"."""
        return f"{self.metric.name} within lists"

    @property
    def of(self) -> str:
        """The numbers of lists and of their clusters, in words."""
        n_lists, n_units = len(self.sums.parts), self.cases.n_units
        clusters = f" in {n_units} clusters" if n_units < n_lists else ""
        return f"{n_lists} lists{clusters}"

    @lazy
    def cases(self) -> Ranked:
        """The lists, as samples of one class."""
        return self.units.cases

    @lazy
    def bounds(self) -> tuple[float, float]:
        """The minimum and the maximum of the mean."""
        return self.sums.limits

    @property
    def chance(self) -> float:
        """The mean AUC of random scores; nan if a number replaces undefined lists."""
        is_auc = self.metric.name == "AUC" and isinstance(self.undefined, str)
        return 0.5 if is_auc else float("nan")

    @property
    def auc(self) -> float:
        """The mean; used only if the metric is the AUC."""
        return self.value

    @property
    def class_sizes(self) -> tuple[float, float]:  # type: ignore[override]
        """The number (or weight) of relevant and of irrelevant items."""
        lists = self.scores._lists
        return float(lists.n_pos.sum()), float(lists.n_neg.sum())

    @property
    def unit_dof(self) -> float:
        """The degrees of freedom of independent lists."""
        return self.freedom(self.parts)

    @lazy
    def influence(self) -> FloatArray:
        """The deviation of each list from the mean, over its fraction of the weight."""
        parts, weights, *_ = self.sums
        fractions = self.cases.row_weights / len(parts)
        deviations = (parts - self.value * weights) / weights.sum()
        scaled = np.zeros(len(deviations))
        np.divide(deviations, fractions, out=scaled, where=fractions > 0)
        return scaled

    @lazy
    def parts(self) -> Parts:
        """The variance, with lists as the only source."""
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

    def test(self, null_value: float, *_: Any, **__: Any) -> tuple[float, float]:
        """Return the statistic and the p-value that agree with the interval."""
        error, alternative = self.parts.standard_error, self.plan.alternative
        statistic, pvalue = self.wilson_test(null_value, alternative, error)
        if not np.isnan(pvalue):
            return statistic, pvalue
        freedom = self.freedom(self.parts)
        return t_test(self.value, error, [Null(null_value, alternative)], freedom)

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
    """Return each model's mean over lists, skipped for all models if for one."""
    for second in scores[1:]:
        for name in ("groups", "n_items", "n_pos"):
            if not np.array_equal(getattr(scores[0], name), getattr(second, name)):
                raise ValueError(
                    f"scores_a and scores_b must have lists with the same {name}: pass "
                    "the same y_true, groups and sample_weight for both models."
                )
    among = np.all([model._lists.defined > 0 for model in scores], axis=0)
    sums = [average_sums(model, average, undefined, among) for model in scores]
    codes = check_list_clusters(clusters, scores[0])
    units = Units([_list_samples(sums, codes)], plan)
    of_mean = average_options(scores[0], average, undefined)
    return [
        ListMean(
            metric=model._metric,
            each=[],
            units=units,
            is_known=not np.isnan(total.value),
            question=model.params | of_mean,
            scores=model,
            sums=total,
            undefined=undefined,
        )
        for model, total in zip(scores, sums, strict=True)
    ]


def _list_samples(sums: Sequence[ListSums], codes: IntArray | None) -> Ranked:
    """Return lists as samples of one class, each a cluster if no clusters are given.

    Weights are the mean of the weights by all models. A unit with the fraction h of the
    weight pulls the mean to itself. Therefore its square is multiplied by 1 / (1 - h),
    which is m / (m - 1) for m units of equal weight.
    """
    kept, weights, factors = sums[0].kept, None, None
    n_lists = np.count_nonzero(kept)
    units = np.arange(n_lists)
    if codes is not None:
        units = np.unique(codes[kept], return_inverse=True)[1]
    if not np.isnan([s.value for s in sums]).any():
        fractions = np.mean([s.weights / s.weights.sum() for s in sums], axis=0)
        weights, remaining = n_lists * fractions, 1 - np.bincount(units, fractions)
        # If one unit has all the weight, the variation between units is unknown.
        is_known = remaining.min() > 1e-12
        factors = 1 / remaining if is_known else np.full(len(remaining), np.nan)
    return Ranked(
        np.ones(n_lists, dtype=bool),
        weights=weights,
        clusters=units,
        kind="sampling",
        group_factors=factors,
    )


@dataclass(frozen=True)
class ListDifference(Difference):
    """The mean of model a minus the mean of model b, over the same lists."""

    a: ListMean
    b: ListMean
    combines_intervals = False

    @property
    def name(self) -> str:
        """The name of the metric, or of both, followed by "within lists"."""
        return f"{super().name} within lists"

    def comparison(self, plan: Plan) -> Comparison:
        """Return the comparison of both, and warn if it is undefined or uncertain."""
        self._warn_undefined_lists()
        comparison = super().comparison(plan)
        if np.isnan(comparison.value):
            warn_undefined(self.name, "no list with weight is defined")
        else:
            if np.isnan(comparison.statistic):
                reason = "there is one list"
                if self.a.cases.n_units > 1:
                    reason = "all lists have the same difference: method='permutation' "
                    reason += "has a p-value"
                warn_undefined(f"t of the {self.name}", reason)
            self._warn_equal_lists()
        method = "permutation" if plan.method == "permutation" else "t"
        return replace(comparison, method=method, of=self.a.of)

    def _warn_undefined_lists(self) -> None:
        """Warn of lists that are left out because one model is undefined there."""
        of_a, of_b = (mean.scores._lists.defined > 0 for mean in (self.a, self.b))
        n_skipped = np.count_nonzero(of_a ^ of_b)
        if self.a.undefined == "skip" and n_skipped:
            warn(
                f"{n_skipped} of {len(self.a.scores.is_defined)} lists are undefined "
                "for one of the models: pass undefined=0.5, or another number, to "
                "count them. They are left out for both models, and therefore value_a "
                "and value_b are not the scores of all lists."
            )

    def _warn_equal_lists(self) -> None:
        """Warn if models differ in a small number of lists, with a variance near 0."""
        a, b = (mean.sums.parts / mean.sums.weights.sum() for mean in (self.a, self.b))
        n_units, n_differ = (
            self.a.cases.n_units,
            np.count_nonzero(self._sum_units(a - b)),
        )
        if n_differ < min(_FEW_LISTS, n_units / 2):
            warn(
                f"The models differ in {n_differ} of {n_units} lists: use more lists, "
                "or a metric that depends on more items. With fewer than "
                f"{_FEW_LISTS} differences, the interval may be far too short."
            )

    def _sum_units(self, of_lists: FloatArray) -> FloatArray:
        """Return the sums over the lists of each unit."""
        units = self.a.cases.clusters
        assert units is not None
        return np.bincount(units, of_lists).astype(np.float64, copy=False)

    def replicates(self, plan: Plan) -> FloatArray:
        """Return the differences after exchanging the models in some of the lists."""
        a, b = self.a.sums, self.b.sums
        numerators, weights = (
            self._sum_units(of_b - of_a)
            for of_a, of_b in ((a.parts, b.parts), (a.weights, b.weights))
        )
        have_own, n = weights.any(), len(numerators)

        def statistic(rows: Array) -> FloatArray:
            flips = rows.astype(np.float64)
            moved = dot(flips, numerators)
            more = dot(flips, weights) if have_own else 0.0
            of_a = (a.parts.sum() + moved) / (a.weights.sum() + more)
            of_b = (b.parts.sum() - moved) / (b.weights.sum() - more)
            return np.asarray(of_a - of_b)

        if n <= _MOST_LISTS and 2**n - 1 <= plan.n_resamples:
            # Without 0, which exchanges no list and is the observed difference.
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
    """Return ``average`` and ``undefined``, without defaults."""
    options = {"average": average, "undefined": undefined}
    defaults = (None, scores._metric.default_average), ("skip",)
    return {
        name: rendered(option)
        for (name, option), usual in zip(options.items(), defaults, strict=True)
        if not (option is None or isinstance(option, str)) or option not in usual
    }


def check_list_clusters(
    clusters: ArrayLike | None, scores: ListScores
) -> IntArray | None:
    """Return the cluster number of each list."""
    if clusters is None:
        return None
    codes = check_groups("clusters", clusters).codes
    if len(codes) != len(scores.groups):
        raise ValueError(
            f"clusters must have an entry for each of the {len(scores.groups)} lists, "
            f"in the order of the groups of the scores, got {len(codes)}."
        )
    if len(np.unique(codes)) < 2:
        raise ValueError(
            "clusters must have at least two clusters of lists, to estimate the "
            "variation between clusters, got 1."
        )
    return codes


def find_list_clusters(
    groups: ArrayLike, clusters: ArrayLike | None
) -> IntArray | None:
    """Return the cluster of each list, by label, from the clusters of rows."""
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
            f"clusters must have one cluster for all rows of a list, got several for "
            f"{shown(label)}: put lists with common clusters into one cluster, or "
            "leave out groups, for one ranking of all samples in clusters."
        )
    return of_list[lists.sizes > 0]
