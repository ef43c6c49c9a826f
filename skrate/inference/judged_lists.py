"""Means over lists, if people labelled some lists, and a judge labelled all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from skrate.data.arrays import (
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    dot,
    effective_number,
)
from skrate.data.checks import warn
from skrate.inference.evaluation import Evaluation
from skrate.inference.list_means import (
    ListDifference,
    ListMean,
    average_options,
    check_list_clusters,
    sum_lists,
)
from skrate.inference.list_means import evaluate_lists as evaluate_known_lists
from skrate.inference.options import Plan
from skrate.inference.rankings import Ranked
from skrate.inference.units import Units
from skrate.inference.variance import is_zero_variance, squares_dof
from skrate.metrics.list_scores import Average, ListScores, ListSums, Policy
from skrate.metrics.result_types import Estimate


class _Mean(NamedTuple):
    """A ratio of sums, what each unit adds to it, and the fraction of its weight."""

    value: float
    terms: FloatArray
    fractions: FloatArray

    @classmethod
    def of(cls, sums: ListSums) -> _Mean:
        """Return the mean of these sums; 0 if no unit has weight."""
        total = float(sums.weights.sum())
        if not total > 0:
            return cls(0.0, np.zeros(len(sums.parts)), np.zeros(len(sums.parts)))
        value = float(sums.parts.sum()) / total
        fractions = sums.weights / total
        return cls(value, sums.parts / total - value * fractions, fractions)


class JudgeWeight(NamedTuple):
    """The weight of the judge, the influence of each unit on it, and HC2 factors."""

    value: float
    influence: FloatArray
    stretch: FloatArray

    @classmethod
    def fit(
        cls, by_people: FloatArray, by_judge: FloatArray, fractions: FloatArray
    ) -> JudgeWeight:
        """Return the slope of the regression of people on the judge.

        It is 0 if one unit has more than half of the variance of the judge.
        """
        total, leverages = dot(by_judge, by_judge), fractions
        slope, influence = 0.0, np.zeros(len(by_judge))
        if not is_zero_variance(total) and (by_judge**2).max() < 0.501 * total:
            slope = dot(by_people, by_judge) / total
            influence = (by_people - slope * by_judge) * by_judge / total
            leverages = fractions + by_judge**2 / total
        # A residual of the leverage 1 is 0. With a single unit, nothing is known.
        stretch = 1 / np.sqrt(1 - np.minimum(leverages, 0.9))
        stretch[fractions > 1 - 1e-12] = np.nan
        return cls(slope, influence, stretch)


@dataclass(eq=False)
class JudgedMean(ListMean):
    """The mean over lists that people labelled, corrected by a judge of all lists.

    All sums are over the lists of each unit: ``sums`` by people, ``judge_sums`` by the
    judge of the same lists, and ``all_sums`` by the judge of all lists. ``n_lists`` has
    the numbers of all lists and of those that people labelled. Without a
    ``judge_weight``, it is the optimal one for this mean.
    """

    _: KW_ONLY
    judge_sums: ListSums
    all_sums: ListSums
    n_lists: tuple[int, int]
    judge_weight: JudgeWeight | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        sums = self.sums, self.judge_sums, self.all_sums
        self.by_people, self.by_judge, self.of_all = map(_Mean.of, sums)
        self.shift = self.of_all.value - self.by_judge.value
        weight = self.judge_weight
        self.fitted = weight or JudgeWeight.fit(
            self.by_people.terms, self.by_judge.terms, self.by_people.fractions
        )
        self.value += self.fitted.value * self.shift
        if weight is None:
            self.value = float(np.clip(self.value, *self.bounds))

    def __sub__(self, other: Evaluation) -> ListDifference:
        super().__sub__(other)
        assert isinstance(other, JudgedMean)
        weight = JudgeWeight.fit(
            self.by_people.terms - other.by_people.terms,
            self.by_judge.terms - other.by_judge.terms,
            (self.by_people.fractions + other.by_people.fractions) / 2,
        )
        a, b = (replace(mean, judge_weight=weight) for mean in (self, other))
        return ListDifference(a, b)

    @property
    def of(self) -> str:
        """The numbers of lists, of their clusters, and of labelled lists, in words."""
        n_lists, n_labelled = self.n_lists
        n_units = len(self.sums.parts)
        clusters_text = f" in {n_units} clusters" if n_units < n_lists else ""
        return f"{n_lists} lists{clusters_text}, {n_labelled} labelled by people"

    @property
    def n_units(self) -> int:
        """The number of independent units with a list that people labelled."""
        return int(np.count_nonzero(self.sums.weights))

    @property
    def min_different_units(self) -> float:
        """If the values of fewer units differ, the interval may be too short."""
        return 8

    @property
    def n_effective(self) -> float:
        """The effective number of units that people labelled."""
        return effective_number(self.sums.weights) if self.n_units else 0.0

    @cached_property
    def influence(self) -> FloatArray:
        """The influence of each unit, including the influence on the judge's weight."""
        weight, of_all = self.fitted, self.of_all
        residuals = self.by_people.terms - weight.value * self.by_judge.terms
        residuals = weight.stretch * (residuals + self.shift * weight.influence)
        by_all = of_all.terms / np.sqrt(1 - np.minimum(of_all.fractions, 0.9))
        return np.asarray(len(residuals) * (residuals + weight.value * by_all))

    def dof(
        self, parts: Any, dofs: Any = None, influence: FloatArray | None = None
    ) -> float:
        """Return the degrees of freedom, by the labelled units and their kurtosis."""
        influence = self.influence if influence is None else influence
        dof = squares_dof(influence[self.sums.weights > 0])
        # The mean and the slope of the judge are estimated.
        return float(max(min(dof, self.n_effective - 2), 1.0))

    def estimate(self, null_value: float | None = None) -> Estimate:
        """Return the mean with its uncertainty, and warn if few lists differ."""
        if self.is_known and self.n_different < self.min_different_units:
            warn(
                "Label more lists, or use a metric that depends on more items: people "
                f"labelled {self.n_units} independent lists, and the "
                f"{self.metric.name} of only {self.n_different} of them differs from "
                f"the others. With fewer than {self.min_different_units:g}, the "
                "interval may be too short."
            )
        return super().estimate(null_value)


def evaluate_lists(
    scores: Sequence[ListScores],
    plan: Plan,
    average: Average | Iterable[float] | None = None,
    undefined: Policy | float = "skip",
    clusters: ArrayLike | None = None,
) -> list[ListMean]:
    """Return each model's mean over lists, corrected by a judge if there is one."""
    judges = [model._by_judge for model in scores if model._by_judge is not None]
    if not judges:
        return evaluate_known_lists(scores, plan, average, undefined, clusters)
    if plan.method != "delta":
        raise ValueError(
            f"method={plan.method!r} does not support labels.judged: use 'delta', "
            "which is Student's t over the lists."
        )
    is_labelled = scores[0]._counts
    codes = check_list_clusters(clusters, scores[0])
    codes = np.arange(len(is_labelled)) if codes is None else codes
    by_people = sum_lists(scores, average, undefined)
    # Lists that are undefined only by the judge do not make the mean undefined.
    policy = "skip" if undefined == "nan" else undefined
    by_judge = sum_lists(judges, average, policy)
    n_lists = int(judges[0]._counts.sum()), int(by_people[0].kept.sum())
    # Factors of squares are in the influence.
    n_units = int(codes.max()) + 1
    samples = Ranked(
        np.ones(n_units, dtype=bool),
        clusters=np.arange(n_units),
        kind="sampling",
        group_factors=np.ones(n_units),
    )
    units = Units([samples], plan)
    of_mean = average_options(scores[0], average, undefined)
    return [
        JudgedMean(
            metric=model._metric,
            rankings=[],
            units=units,
            is_known=not np.isnan(sums.value),
            params=model.params | of_mean,
            scores=model,
            sums=_merge_units(sums, codes, is_labelled),
            undefined=undefined,
            judge_sums=_merge_units(judge_sums, codes, is_labelled),
            all_sums=_merge_units(judge_sums, codes, np.ones_like(is_labelled)),
            n_lists=n_lists,
        )
        for model, sums, judge_sums in zip(scores, by_people, by_judge, strict=True)
    ]


def _merge_units(sums: ListSums, codes: IntArray, chosen: BoolArray) -> ListSums:
    """Return the sums over the chosen lists of each unit."""
    is_kept = chosen[sums.kept]
    units = codes[sums.kept][is_kept]
    parts, weights = (
        np.bincount(units, column[is_kept], codes.max() + 1).astype(np.float64)
        for column in (sums.parts, sums.weights)
    )
    return sums._replace(parts=parts, weights=weights)
