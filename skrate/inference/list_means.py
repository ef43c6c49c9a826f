"""The mean of a metric over independent lists, and the difference of two means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import gammainc, gammaincinv

from skrate.data.arrays import Array, ArrayLike, FloatArray, IntArray, dot
from skrate.data.checks import check_equal_length, shown, warn, warn_undefined
from skrate.data.ranking import check_groups
from skrate.inference.evaluation import Difference, Evaluation
from skrate.inference.intervals import ADDED, Augmented, augmented_mean, wilson_interval
from skrate.inference.options import Plan
from skrate.inference.rankings import Ranked
from skrate.inference.resampling import Draw
from skrate.inference.units import Units
from skrate.inference.variance import Parts, influence_parts, is_zero_variance
from skrate.metrics.hypothesis_tests import ConfidenceInterval, Null, t_interval, t_test
from skrate.metrics.list_scores import (
    Average,
    ListScores,
    ListSums,
    Policy,
    average_sums,
)
from skrate.metrics.result_types import Comparison, Estimate, Params, rendered

# With at most this number n of units, the permutation test can try all 2^n exchanges.
_MAX_EXACT_UNITS = 20
# If fewer units differ between the models, the interval may be far too short.
_MIN_DIFFERENT_UNITS = 10
# An exact limit (see ``_rare_end``) has this multiple of alpha, because the error of
# limits of a discrete number is mostly below their level.
_RELIEF = 1.5


@dataclass(eq=False)
class ListMean(Evaluation):
    """The mean of a metric over lists: an evaluation in which a list is a sample.

    The units are the lists or, if ``clusters`` are given, clusters of lists. ``units``
    includes the weights of the lists. ``undefined`` says how to treat lists on which
    the metric is undefined.
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
        """The number of lists, and of their clusters if there are fewer, in words."""
        n_lists, n_units = len(self.sums.parts), self.samples.n_units
        clusters_text = f" in {n_units} clusters" if n_units < n_lists else ""
        return f"{n_lists} lists{clusters_text}"

    @cached_property
    def samples(self) -> Ranked:
        """The lists, as samples of one class."""
        return self.units.samples

    @property
    def n_units(self) -> int:
        """The number of independent lists, or clusters of lists."""
        return self.samples.n_units

    @property
    def min_different_units(self) -> float:
        """If fewer units differ between models, the interval may be too short."""
        return min(_MIN_DIFFERENT_UNITS, self.n_units / 2)

    @property
    def n_effective(self) -> float:
        """The effective number of independent units."""
        return self.samples.effective_sizes[0]

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The minimum and maximum value of the mean."""
        return self.sums.limits

    def value_range(self, *_: Any) -> tuple[float, float]:
        """Return the same as ``bounds``."""
        return self.bounds

    @property
    def chance(self) -> float:
        """The mean AUC of random scores: 0.5.

        It is nan for other metrics, or if a number replaces undefined values.
        """
        is_auc = self.metric.name == "AUC" and isinstance(self.undefined, str)
        return 0.5 if is_auc else float("nan")

    @property
    def auc(self) -> float:
        """The mean; it is used only if the metric is the AUC, see ``chance``."""
        return self.value

    @property
    def class_sizes(self) -> tuple[float, float]:  # type: ignore[override]
        """The number of relevant and of irrelevant items, or their weights."""
        lists = self.scores._lists
        return float(lists.n_pos.sum()), float(lists.n_neg.sum())

    @property
    def unit_dof(self) -> float:
        """The degrees of freedom of the mean over lists."""
        return self.degrees_of_freedom

    @cached_property
    def influence(self) -> FloatArray:
        """The contribution of each list to the error of the mean, rescaled.

        It is divided by the fraction of the total weight of ``samples`` that the list
        has, because variances multiply it by this fraction.
        """
        parts, weights, *_ = self.sums
        fractions = self.samples.row_weights / len(parts)
        deviations = (parts - self.value * weights) / weights.sum()
        scaled = np.zeros(len(deviations))
        np.divide(deviations, fractions, out=scaled, where=fractions > 0)
        return scaled

    @cached_property
    def parts(self) -> Parts:
        """The variance, as a single part, because lists have no classes."""
        parts = influence_parts(self.influence, self.samples)
        return parts.times(1 / self.units.scale)

    def interval(
        self,
        *_: Any,
        error: float | None = None,
        level: float | None = None,
        value: float | None = None,
        **__: Any,
    ) -> ConfidenceInterval:
        """Return Wilson's interval, or Student's t interval if the mean has no bounds.

        If most units have the same value, it also contains the limit of ``_rare_end``.
        ``error`` is the standard error, by default by the delta method. ``value`` is by
        default the mean; a caller can pass a corrected value.
        """
        level = self.plan.confidence_level if level is None else level
        value = self.value if value is None else value
        error = self.parts.standard_error if error is None else error
        bounds = self.bounds
        if np.isfinite(bounds).all() and bounds[0] < bounds[1]:
            lower, upper = (
                wilson_interval(value, bounds, level, augmented_value)
                for augmented_value in (
                    self.augmented(error**2, value=value),
                    self.augmented(error**2, value=value, is_upper=True),
                )
            )
            tail = _RELIEF * (1 - level) / (1 if self.plan.is_two_sided else 2)
            ends = self._rare_end(value, tail), *self._equal_ends(value, tail)
            return ConfidenceInterval(min(lower.low, *ends), max(upper.high, *ends))
        return t_interval(value, error, level, bounds, self.degrees_of_freedom)

    def augmented_against(self, null_value: float, variance: float) -> Augmented:
        """Return ``augmented`` for the end of the interval on the side of the null."""
        return self.augmented(variance, is_upper=null_value > self.value)

    def augmented(
        self,
        variance: float,
        factor: float = 1.0,
        value: float | None = None,
        *,
        is_upper: bool = False,
    ) -> Augmented:
        """Return the mean with parts of lists added at both bounds.

        ``factor`` multiplies the standard error. If ``is_upper``, lists are added for
        the upper end of the interval: at the maximum value that a list can have instead
        of the upper bound.
        """
        value = self.value if value is None else value
        n_lists, bounds = self.units.scale * self.n_effective, self.bounds
        variance *= factor**2
        added, extra = self._count_added(value, variance, n_lists, is_upper=is_upper)
        augmented_value = augmented_mean(
            value,
            variance,
            n_lists,
            (bounds[0], self._list_maximum if is_upper else bounds[1]),
            bounds,
            added=added,
            extra=extra,
        )
        return augmented_value._replace(dof=self.dof(augmented_value.parts))

    @cached_property
    def unit_values(self) -> FloatArray:
        """The mean over the lists of each unit that has weight."""
        units = self.samples.clusters
        assert units is not None
        parts, weights = (
            np.bincount(units, column)
            for column in (self.sums.parts, self.sums.weights)
        )
        return np.asarray(parts[weights > 0] / weights[weights > 0])

    @cached_property
    def _most_frequent(self) -> tuple[float, int]:
        """The most frequent value of units, and the number of units that differ."""
        values, counts = np.unique(self.unit_values.round(9), return_counts=True)
        i = int(counts.argmax())
        return float(values[i]), len(self.unit_values) - int(counts[i])

    @property
    def n_different(self) -> int:
        """The number of units that do not have the most frequent value."""
        return self._most_frequent[1]

    @property
    def _are_equal_inside(self) -> bool:
        """Whether all units have the same value, and it is not a bound."""
        low, high = self.bounds
        return not self.n_different and low < self.value < high

    def _rare_end(self, value: float, tail: float) -> float:
        """Return the exact end of the interval towards the most frequent value.

        The number of units that differ from it is a Poisson variable. Its expectation
        is at least the quantile ``tail`` of a gamma distribution (Garwood 1936). If all
        units are equal or many differ, there is no such end: return ``value``.
        """
        frequent, n_different = self._most_frequent
        if not 0 < n_different < self.min_different_units:
            return value
        fraction = gammaincinv(n_different, min(tail, 1.0)) / n_different
        return frequent - (frequent - value) * min(float(fraction), 1.0)

    def _equal_ends(self, value: float, tail: float) -> tuple[float, float]:
        """Return the exact ends of the interval if all units are equal.

        Units with the value of either bound may be missing from the data. Their
        fraction is at most ``-log(tail) / n`` for n units. If the units have the value
        of a bound, the added lists are sufficient: return ``value`` twice.
        """
        if not self._are_equal_inside:
            return value, value
        low, high = self.bounds
        fraction = min(-np.log(min(tail, 1.0)) / self.samples.n_units, 1.0)
        return value - fraction * (value - low), value + fraction * (high - value)

    def _rare_pvalue(self, null_value: float) -> float:
        """Return the p-value that agrees with the exact ends, 0 if none applies."""
        frequent, n_different = self._most_frequent
        if self._are_equal_inside:
            bound = self.bounds[int(null_value >= self.value)]
            fraction = (null_value - self.value) / (bound - self.value)
            return float(np.exp(-fraction * self.samples.n_units)) / _RELIEF
        to_null, to_value = frequent - null_value, frequent - self.value
        is_between = 0 <= to_null * to_value < to_value**2
        if not (is_between and 0 < n_different < self.min_different_units):
            return 0.0
        fraction = to_null / to_value
        return float(gammainc(n_different, n_different * fraction)) / _RELIEF

    @cached_property
    def _list_maximum(self) -> float:
        """The maximum value that a list can have."""
        high, scores = self.bounds[1], self.scores
        if not isinstance(self.undefined, str):
            return high
        maxima = scores._metric.list_maxima(scores.n_pos[scores._counts], scores._k)
        return high if maxima is None else min(float(np.nanmax(maxima)), high)

    def _count_added(
        self, value: float, variance: float, n_lists: float, *, is_upper: bool
    ) -> tuple[float, float]:
        """Return the number of lists to add at the bounds, and at the maximum.

        If lists have the variance of a proportion, a tenth of a list is added at the
        bounds. If they vary less, a list is like several samples, and the tenth is
        multiplied by a factor: ``spread``, the standard deviation of lists relative to
        a proportion, or ``few``, which is larger if fewer units differ.

        Rare lists with other values may be missing from the data. This is plausible if
        the mean is ``close`` to the minimum of all lists, for the upper end, or to the
        maximum, for the lower end. The tenth is then not reduced, and the upper end
        allows for further lists at their possible maximum. Metrics that are pooled by
        default, such as recall, do not need this, because they are sums of proportions.
        The constants are from simulations.
        """
        (low, high), list_variance = self.bounds, n_lists * variance
        max_variance = (value - low) * (high - value)
        if is_zero_variance(variance) or not list_variance < max_variance:
            return ADDED, 0.0
        spread = float(np.sqrt(list_variance / max_variance))
        few = max(1 - self.n_different / self.min_different_units, 0.0)
        if self.metric.default_average == "pooled":
            return ADDED * max(spread, few), 0.0
        minimum, maximum = self.unit_values.min(), self.unit_values.max()
        distance = value - minimum if is_upper else maximum - value
        close = float(np.clip(2.5 - distance / np.sqrt(list_variance), 0.0, 1.0))
        extra = 0.0
        if is_upper:
            lowness = max(1 - 2 * (value - minimum) / (high - minimum), 0.0)
            extra = close * lowness * (1 - spread**2) * float(np.sqrt(n_lists)) / 5
        return ADDED * max(close + (1 - close) * spread, few), float(extra)

    def test(self, null_value: float, *_: Any, **__: Any) -> tuple[float, float]:
        """Return the statistic and the p-value that agree with the interval."""
        error, alternative = self.parts.standard_error, self.plan.alternative
        statistic, pvalue = self.wilson_test(null_value, alternative, error)
        if not np.isnan(pvalue):
            return statistic, max(pvalue, self._rare_pvalue(null_value))
        dof = self.degrees_of_freedom
        return t_test(self.value, error, [Null(null_value, alternative)], dof)

    def estimate(self, null_value: float | None = None) -> Estimate:
        """Return the mean with its interval; warn if the mean is undefined."""
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
    """Return the mean over lists of each model, with the same units.

    If ``undefined`` is "skip", a list on which any model is undefined is skipped for
    all models.
    """
    may_omit_items = all(model._metric.takes_unreturned for model in scores)
    # Search systems may have returned different numbers of irrelevant items.
    counts_items = isinstance(average, str) and average == "size"
    sizes = ["n_pos"] if may_omit_items and not counts_items else ["n_items", "n_pos"]
    for model in scores[1:]:
        for name in ("groups", *sizes):
            if not np.array_equal(getattr(scores[0], name), getattr(model, name)):
                raise ValueError(
                    f"All models must have lists with the same {name}: compute their "
                    "scores with the same y_true, groups and sample_weight."
                )
    sums = sum_lists(scores, average, undefined)
    codes = check_list_clusters(clusters, scores[0])
    units = Units([_list_samples(sums, codes)], plan)
    mean_options = average_options(scores[0], average, undefined)
    return [
        ListMean(
            metric=model._metric,
            rankings=[],
            units=units,
            is_known=not np.isnan(model_sums.value),
            params=model.params | mean_options,
            scores=model,
            sums=model_sums,
            undefined=undefined,
        )
        for model, model_sums in zip(scores, sums, strict=True)
    ]


def sum_lists(
    scores: Sequence[ListScores],
    average: Average | Iterable[float] | None,
    undefined: Policy | float,
) -> list[ListSums]:
    """Return the sums of each model; "skip" skips the same lists for all models."""
    are_defined = np.all([model._lists.defined > 0 for model in scores], axis=0)
    return [average_sums(model, average, undefined, are_defined) for model in scores]


def _list_samples(sums: Sequence[ListSums], codes: IntArray | None) -> Ranked:
    """Return lists as samples of one class.

    ``codes`` has the cluster of each list; if it is None, each list is a cluster. The
    weight of a list is its mean weight over the models. A unit with the fraction h of
    the total weight also moves the mean, which reduces its deviation. Therefore, the
    square of the deviation is multiplied by 1 / (1 - h). For m units of equal weight
    this factor is m / (m - 1).
    """
    kept, weights, factors = sums[0].kept, None, None
    n_lists = np.count_nonzero(kept)
    units = np.arange(n_lists)
    if codes is not None:
        units = np.unique(codes[kept], return_inverse=True)[1]
    if not np.isnan([model_sums.value for model_sums in sums]).any():
        fractions = np.mean(
            [model_sums.weights / model_sums.weights.sum() for model_sums in sums],
            axis=0,
        )
        weights, remaining = n_lists * fractions, 1 - np.bincount(units, fractions)
        # If one unit has all the weight, the variance between units is unknown.
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
        """The name of the metric, or of both metrics, followed by "within lists"."""
        return f"{super().name} within lists"

    def comparison(self, plan: Plan) -> Comparison:
        """Return the comparison of a and b; warn if it is undefined or unreliable."""
        self._warn_undefined_lists()
        comparison = super().comparison(plan)
        if np.isnan(comparison.value):
            warn_undefined(self.name, "no list with a weight has a value")
        else:
            if np.isnan(comparison.statistic):
                reason = "there is only one list or cluster of lists"
                if self.a.n_units > 1:
                    reason = (
                        "all lists have the same difference: use method='permutation' "
                        "to get a p-value"
                    )
                warn_undefined(f"t of the {self.name}", reason)
            self._warn_equal_lists()
        method = "permutation" if plan.method == "permutation" else "t"
        return replace(comparison, method=method, of=self.a.of)

    def _warn_undefined_lists(self) -> None:
        """Warn of lists that are skipped because one model has no value there."""
        is_defined_a, is_defined_b = (
            mean.scores._lists.defined > 0 for mean in (self.a, self.b)
        )
        n_skipped = np.count_nonzero(is_defined_a ^ is_defined_b)
        if self.a.undefined == "skip" and n_skipped:
            warn(
                f"{n_skipped} of {len(self.a.scores.is_defined)} lists are undefined "
                "for one of the models: pass a number, such as undefined=0.5, as the "
                "value of undefined lists. By default, value_a and value_b are means "
                "without these lists."
            )

    def _warn_equal_lists(self) -> None:
        """Warn if only a small number of units differ between the models."""
        terms_a, terms_b = (
            mean.sums.parts / mean.sums.weights.sum() for mean in (self.a, self.b)
        )
        n_units = self.a.n_units
        n_differ = np.count_nonzero(self._sum_units(terms_a - terms_b))
        if n_differ < self.a.min_different_units:
            warn(
                f"The models differ in {n_differ} of {n_units} independent lists or "
                "clusters of lists: use more lists, or a metric that depends on more "
                f"items. With fewer than {_MIN_DIFFERENT_UNITS} differences, the "
                "interval may be far too short."
            )

    def _sum_units(self, list_values: FloatArray) -> FloatArray:
        """Return the sum over the lists of each unit."""
        units = self.a.samples.clusters
        assert units is not None
        return np.bincount(units, list_values).astype(np.float64, copy=False)

    def replicates(self, plan: Plan) -> FloatArray:
        """Return the differences after exchanging the models in some of the units."""
        a, b = self.a.sums, self.b.sums
        term_changes = self._sum_units(b.parts - a.parts)
        weight_changes = self._sum_units(b.weights - a.weights)
        weights_differ, n_units = weight_changes.any(), len(term_changes)

        def statistic(exchanges: Array) -> FloatArray:
            is_exchanged = exchanges.astype(np.float64)
            terms = dot(is_exchanged, term_changes)
            weights = dot(is_exchanged, weight_changes) if weights_differ else 0.0
            means_a = (a.parts.sum() + terms) / (a.weights.sum() + weights)
            means_b = (b.parts.sum() - terms) / (b.weights.sum() - weights)
            return np.asarray(means_a - means_b)

        if n_units <= _MAX_EXACT_UNITS and 2**n_units - 1 <= plan.n_resamples:
            # The bits of a number say which units are exchanged. The number 0 is
            # excluded: it exchanges no unit and gives the observed difference.
            numbers = np.arange(1, 2**n_units)
            return statistic(numbers[:, None] >> np.arange(n_units) & 1)

        def draw_exchanges(generator: np.random.Generator, size: int) -> Array:
            return generator.integers(2, size=(size, n_units), dtype=np.uint8)

        return plan.replicates("difference", Draw(n_units, draw_exchanges), statistic)


def average_options(
    scores: ListScores,
    average: Average | Iterable[float] | None,
    undefined: Policy | float,
) -> Params:
    """Return the options that differ from their defaults, by name."""
    options = {"average": average, "undefined": undefined}
    defaults = (None, scores._metric.default_average), ("skip",)
    return {
        name: rendered(option)
        for (name, option), default in zip(options.items(), defaults, strict=True)
        if not (option is None or isinstance(option, str)) or option not in default
    }


def check_list_clusters(
    clusters: ArrayLike | None, scores: ListScores
) -> IntArray | None:
    """Return the number of the cluster of each list; None without clusters."""
    if clusters is None:
        return None
    codes = check_groups("clusters", clusters).codes
    if len(codes) != len(scores.groups):
        raise ValueError(
            f"clusters must have one entry for each of the {len(scores.groups)} "
            "lists, in the order of the groups attribute of the scores, got "
            f"{len(codes)} entries."
        )
    if len(np.unique(codes)) < 2:
        raise ValueError(
            "clusters must have at least 2 different clusters, got 1: leave out "
            "clusters, or use more data, because the variance between clusters is "
            "unknown."
        )
    return codes


def find_list_clusters(
    groups: ArrayLike, clusters: ArrayLike | None
) -> IntArray | None:
    """Return the cluster of each list from the cluster of each row.

    Lists are in the order of their labels; lists without rows are left out.
    """
    if clusters is None:
        return None
    lists, codes = check_groups("groups", groups), check_groups("clusters", clusters)
    check_equal_length(groups=lists.codes, clusters=codes.codes)
    list_clusters = np.empty(len(lists.labels), dtype=np.intp)
    list_clusters[lists.codes] = codes.codes
    differs = list_clusters[lists.codes] != codes.codes
    if differs.any():
        label = lists.labels[lists.codes[differs][0]]
        raise ValueError(
            "clusters must have one cluster for all rows of a list, got several for "
            f"the list {shown(label)}: merge the clusters of each list, or leave out "
            "groups to rank all samples together."
        )
    return list_clusters[lists.sizes > 0]
