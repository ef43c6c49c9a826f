"""Whether scores are probably turned round, so that small ones mean positive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from skrate.data.checks import warn
from skrate.data.table import table_of_weights
from skrate.inference.delta import (
    degrees_of_freedom,
    influence_parts,
    variance_parts,
)
from skrate.inference.fold_sample import FoldSample
from skrate.inference.intervals import metric_interval
from skrate.inference.plan import Plan
from skrate.inference.sample import Ranked
from skrate.metrics.auc import AUC
from skrate.metrics.base import Metric
from skrate.metrics.lists import GroupScores, Policy
from skrate.metrics.results import ConfidenceInterval, Estimate


class Model(NamedTuple):
    """A model, by the argument that ranks, with its value and that of equal scores.

    What costs more is found if it is worse than these.
    """

    argument: str
    metric: Metric
    value: float
    chance: float
    find_auc: Callable[[], float]
    find_interval: Callable[[], ConfidenceInterval]


def warn_of_turned(models: Sequence[Model]) -> None:
    """Warn, once, of models whose interval is worse than scores that say nothing.

    Their AUC must be so, too: at the top of a good ranking there may be few positives.
    """
    turned = []
    for model in models:
        sign = 1 if model.metric.greater_is_better else -1
        if not (sign * model.value < sign * model.chance and model.find_auc() < 0.5):
            continue
        ends = model.find_interval()
        if sign * (ends.high if sign > 0 else ends.low) < sign * model.chance:
            turned.append((model, ends))
    if not turned:
        return
    model, ends = turned[0]
    names = " and ".join(dict.fromkeys(one.argument for one, _ in turned))
    side = "below" if model.metric.greater_is_better else "above"
    warn(
        f"Scores may be turned round in {names}: the {model.metric.name} has the "
        f"interval [{ends.low:.4g}, {ends.high:.4g}], all {side} the "
        f"{model.chance:.4g} of scores that say nothing. High scores, and the first "
        "categories of a table, must mean positive: name that label by pos_label, or "
        "change the sign of the scores."
    )


def model_in_lists(
    argument: str, scores: GroupScores, mean: Estimate, undefined: Policy | float
) -> list[Model]:
    """Return a model within lists if what ranks these is the AUC, whose chance is 0.5.

    Of other metrics it would be found beside them, at twice the cost.
    """
    metric = AUC()
    if scores.metric != metric.name or not isinstance(undefined, str):
        return []
    ends = mean.confidence_interval
    return [Model(argument, metric, mean.value, 0.5, lambda: mean.value, lambda: ends)]


def chance_of(metric: Metric, ranked: Ranked) -> float:
    """Return the value of scores that are all equal; nan where none is known."""
    n_pos, n_neg = ranked.table.n_pos, ranked.table.n_neg
    if ranked.worth is not None or not min(n_pos, n_neg) > 0:
        return float("nan")
    return metric.value(table_of_weights(np.array([n_pos]), np.array([n_neg])))


def ranked_model(
    argument: str,
    metric: Metric,
    ranked: Ranked,
    value: float,
    plan: Plan,
    *,
    chance: float | None = None,
    ends: ConfidenceInterval | None = None,
) -> Model:
    """Return a model with one ranking; what is known of it is given."""

    def find_interval() -> ConfidenceInterval:
        if ends is not None:
            return ends
        is_stratified = plan.is_stratified(ranked)
        parts = variance_parts(metric, ranked, stratify=is_stratified)
        return metric_interval(
            "wilson", value, parts.standard_error, plan.confidence_level, metric,
            ranked, stratify=is_stratified,
            freedom=degrees_of_freedom((parts, ranked)),
            independent=parts.total if ranked.is_plain else None,
        )  # fmt: skip

    if chance is None:
        chance = chance_of(metric, ranked)
    return Model(
        argument,
        metric,
        value,
        chance,
        lambda: AUC().value(ranked.table),
        find_interval,
    )


def folds_model(
    argument: str, sample: FoldSample, plan: Plan, ends: ConfidenceInterval | None
) -> Model:
    """Return a model with a ranking for each fold."""

    def find_auc() -> float:
        return float(np.mean([AUC().value(fold.table) for fold in sample.folds]))

    def find_interval() -> ConfidenceInterval:
        if ends is not None:
            return ends
        is_stratified = plan.is_stratified(sample.cases)
        influence = sample.influence(stratify=is_stratified)
        parts = influence_parts(influence, sample.cases)
        return sample.interval(
            "wilson", parts, parts.standard_error, plan.confidence_level,
            stratify=is_stratified,
        )  # fmt: skip

    pairs = zip(sample.metrics, sample.folds, strict=True)
    chance = np.mean([chance_of(*pair) for pair in pairs])
    return Model(
        argument, sample.metric, sample.value, float(sample.mean_with(chance)),
        find_auc, find_interval,
    )  # fmt: skip
