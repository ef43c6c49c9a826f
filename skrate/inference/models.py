"""Evaluations of models on the same samples or folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from skrate.data.arrays import BoolArray, FloatArray
from skrate.data.checks import warn, warn_undefined
from skrate.data.folds import UNDEFINED_IN_FOLDS
from skrate.inference.cautions import (
    CLASSES,
    ONE_GROUP,
    imbalance_reason,
    no_inference_reason,
    warn_purpose_mismatch,
    warn_small_budget,
    warn_small_sample,
    warn_unreliable_value,
)
from skrate.inference.evaluation import Evaluation
from skrate.inference.options import Plan
from skrate.inference.rankings import Rankings, evaluate_ranking
from skrate.inference.units import Units
from skrate.metrics.metric import Metric, MetricLike, find_metric, warn_undefined_folds
from skrate.rates.distributions import fixed_rate


def evaluate(
    metrics: Sequence[Metric],
    samples: Sequence[Rankings],
    plan: Plan,
    *,
    are_paired: bool = True,
    are_warned: bool = True,
    are_compared: bool = False,
    units: Units | None = None,
) -> list[Evaluation]:
    """Return metrics of samples, and warn if their uncertainty is unknown.

    If a metric is undefined on a fold, all metrics exclude it. Paired evaluations have
    the same ``units``, by default the units of the first.
    """
    first = samples[0].rankings[0]
    are_sampled = first.kind == "sampling"
    if are_sampled and all(metric.ignores_prevalence for metric in metrics):
        samples = [
            sample._replace(rankings=[ranked.balanced for ranked in sample.rankings])
            for sample in samples
        ]
        each = [ranked for sample in samples for ranked in sample.rankings]
        if all(np.abs(ranked.row_weights - 1).max() < 1e-12 for ranked in each):
            # Weights that are constant within each class have no information.
            samples = [
                sample._replace(
                    rankings=[ranked.unweighted for ranked in sample.rankings]
                )
                for sample in samples
            ]
    if samples[0].folds is not None:
        return _evaluate_folds(metrics, samples, plan)
    evaluations: list[Evaluation] = []
    if are_warned and first.estimated is not None:
        is_difference = are_compared or len(metrics) > 1
        warn_purpose_mismatch(metrics[0], first, is_difference=is_difference)
    cautioned: set[type[Metric]] = set()
    for metric, sample in zip(metrics, samples, strict=True):
        one = evaluate_ranking(metric, sample.rankings[0])
        if one.ranked.gains is not None or one.ranked.estimated is not None:
            plan.check(one.ranked)
        reason = no_inference_reason(one.ranked, one.metric)
        is_known = reason is None and not np.isnan(one.value)
        # Warn once of several rankings of the same samples.
        kind, is_first = type(one.metric), not (are_paired and evaluations)
        if are_warned and (is_first or reason is None):
            is_cautioned = kind in cautioned
            if warn_unreliable_value(*one, reason, is_cautioned=is_cautioned):
                cautioned.add(kind)
        params = metric.params
        if units is None or not are_paired:
            units = Units([one.ranked], plan)
        evaluations.append(
            Evaluation(one.metric, [one], units, is_known=is_known, params=params)
        )
    return evaluations


def _evaluate_folds(
    metrics: Sequence[Metric], samples: Sequence[Rankings], plan: Plan
) -> list[Evaluation]:
    """Return metrics of rankings of the same samples in the same folds."""
    by_metric = []
    for metric, sample in zip(metrics, samples, strict=True):
        assert sample.folds is not None
        metric.check_fold_rankings(sample.folds)
        by_metric.append(
            [evaluate_ranking(metric, ranked) for ranked in sample.rankings]
        )
    scores = np.array([[fold.value for fold in row] for row in by_metric])
    are_defined = np.asarray(~np.isnan(scores).any(axis=0))
    rankings, folds = samples[0]
    assert folds is not None
    name = by_metric[0][0].metric.name
    has_both = np.array([min(ranked.sizes) > 0 for ranked in rankings])
    complete = np.flatnonzero(are_defined & has_both).tolist()
    lacking = np.flatnonzero(are_defined & ~has_both).tolist()
    units, models = Units.make_fold_units(rankings, folds, complete, lacking, plan), []
    for metric, singles in zip(metrics, by_metric, strict=True):
        kept, partial = ([singles[i] for i in chosen] for chosen in (complete, lacking))
        models.append(
            Evaluation(
                (kept or partial or singles)[0].metric,
                kept,
                units,
                one_class=partial,
                params=metric.params,
            )
        )
    if not are_defined.any():
        warn_undefined(name, UNDEFINED_IN_FOLDS)
        return [replace(model, is_known=False) for model in models]
    warn_undefined_folds(by_metric[0][0].metric, are_defined, folds)
    has_groups = bool(complete) and units.samples.are_fold_groups
    if not has_groups:
        _check_class_sizes(models[0])
    reason = next(filter(None, map(imbalance_reason, units.rankings)), None)
    if has_groups and units.samples.n_units < 2:
        reason = reason or ONE_GROUP
    if reason is not None:
        warn_undefined(f"The uncertainty of the {name}", reason)
        return [replace(model, is_known=False) for model in models]
    for model in models:
        _warn_first_fold(model)
    return models


def _check_class_sizes(model: Evaluation) -> None:
    """Raise an error if no fold with both classes has 2 units of a class."""
    are_known: BoolArray = np.zeros(2, dtype=bool)
    most: FloatArray = np.zeros(2)
    unit = ""
    if model.rankings:
        sizes, factors, _ = model.units.class_units
        are_known = np.asarray(np.isfinite(factors).any(axis=0))
        most = np.asarray(sizes.max(axis=0))
        unit = (
            "clusters of like size with " if model.units.has_all_clusters.any() else ""
        )
    for is_known, size, name in zip(are_known, most, CLASSES, strict=True):
        if not is_known:
            raise ValueError(
                f"y_true must have at least 2 {unit}{name} samples in a fold with both "
                f"classes, got at most {size:.3g}: use fewer folds, or stratified folds"
                f", because the variance of the {model.metric.name} is unknown."
            )


def _warn_first_fold(model: Evaluation) -> None:
    """Warn of the first fold on which the metric or its uncertainty is unreliable."""
    rate = fixed_rate(model.metric.distribution)
    for metric, fold, _ in model.rankings:
        if rate is not None and warn_small_budget(metric, rate, fold):
            return
        caution = metric.caution(fold.table, fold.sizes)
        if caution is not None:
            warn(("In a fold: " if model.units.n_rankings > 1 else "") + caution)
            return


def evaluate_models(
    meant: tuple[MetricLike, dict[str, Any]], samples: list[Rankings], plan: Plan
) -> list[Evaluation]:
    """Return the metric of each model; warnings about the samples are issued once."""
    metric = find_metric(*meant)
    if samples[0].folds is not None:
        return evaluate([metric] * len(samples), samples, plan)
    units = Units(samples[0].rankings, plan)

    def fill(sample: Rankings) -> Evaluation:
        first = sample is samples[0]
        (model,) = evaluate(
            [metric], [sample], plan, are_warned=first, are_compared=True, units=units
        )
        if model.is_known:
            if first:
                warn_small_sample(model.rankings)
            model.influence  # noqa: B018
        if plan.method == "delta":
            # The next model can reuse this memory without clearing it.
            model.samples.forget()
        return model

    # Always threads, because they write into the same memory.
    run = Parallel(n_jobs=plan.n_jobs, require="sharedmem")
    return list(run(map(delayed(fill), samples)))
