"""Metrics of the rankings of folds with their uncertainty, and differences of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from skrate.data.arrays import FloatArray
from skrate.data.folds import FoldRankings, check_same_folds
from skrate.inference.compare_range import set_of
from skrate.inference.delta import Parts, influence_parts
from skrate.inference.fold_sample import FoldSample, fold_samples
from skrate.inference.intervals import Interval, hybrid_interval
from skrate.inference.paired import ExchangeDraw, conclude, exchanged_difference
from skrate.inference.plan import AnyDraw, Plan, warn_of_difference
from skrate.inference.resampling import (
    condensed,
    jackknife_variance,
    resample_draw,
    spread,
    statistic_of,
)
from skrate.inference.sample import Ranked, Weights, repeated
from skrate.inference.turned import folds_model, warn_of_turned
from skrate.metrics.base import Metric, find_metric, question_of
from skrate.metrics.results import Comparison, ConfidenceInterval, Estimate

_NAN = float("nan")
_NONE = ConfidenceInterval(_NAN, _NAN)
# A draw from a fold, and the statistic of what is drawn.
Drawn = tuple[AnyDraw, Callable[[Any], FloatArray]]


def estimate_folds(
    metric: Any,
    rankings: FoldRankings,
    plan: Plan,
    interval: Interval,
    weights: Weights,
    metric_kwargs: dict[str, Any],
) -> Estimate:
    """Return the mean of a metric over folds with its uncertainty."""
    found = fold_samples([(metric, metric_kwargs)], [rankings], weights)
    sizes = rankings.n_pos, rankings.n_neg
    if found is None:
        of = find_metric(metric, metric_kwargs)
        return Estimate(
            of.name, _NAN, _NAN, _NONE, *sizes, plan.method, plan.confidence_level,
            question_of(of),
        )  # fmt: skip
    (sample,) = found
    sample.warn_of_few_positives()
    if sample.why_unknown is not None:
        return Estimate(
            sample.metric.name, sample.value, _NAN, _NONE, *sizes, plan.method,
            plan.confidence_level, question_of(sample.metric),
        )  # fmt: skip
    is_stratified = plan.is_stratified(sample.cases)
    parts = influence_parts(sample.influence(stratify=is_stratified), sample.cases)
    error, draws = _spread_of(sample, plan, parts, is_stratified)
    ends = sample.interval(
        interval, parts, error, plan.confidence_level,
        stratify=is_stratified, draws=draws,
    )  # fmt: skip
    warn_of_turned([folds_model("y_true", sample, plan, ends)])
    again, factor = None, retraining(rankings)
    if factor is not None:
        again = sample.interval(
            interval, parts, error, plan.confidence_level,
            stratify=is_stratified, draws=draws, factor=factor,
        )  # fmt: skip
    if sample.cases.are_repetitions and rankings.n_repeats == 1:
        sizes = sample.class_sizes
    return Estimate(
        sample.metric.name, sample.value, error, ends, *sizes, plan.method,
        plan.confidence_level, question_of(sample.metric),
        of="these models" if sample.n_all > 1 else None,
        confidence_interval_retrained=again,
        bias=sample.bias if abs(sample.bias) > 0 else None,
    )  # fmt: skip


def retraining(rankings: FoldRankings) -> float | None:
    """Return how much greater standard errors are if models are trained again.

    By the correction of Nadeau and Bengio, with the variance of test cases in place of
    that between the scores of folds. None if it is not a cross-validation.
    """
    n_folds = rankings.n_folds / rankings.n_repeats
    if rankings.indices is None or n_folds < 2:
        return None
    return float(np.sqrt(1 + n_folds / (n_folds - 1)))


def influence_of_folds(
    metric: Any, rankings: FoldRankings, weights: Weights, metric_kwargs: dict[str, Any]
) -> FloatArray:
    """Return what each row contributes to the mean over folds."""
    given = np.zeros(len(rankings.y_true))
    found = fold_samples([(metric, metric_kwargs)], [rankings], weights)
    if found is None or found[0].why_unknown is not None:
        return np.full_like(given, np.nan)
    (sample,) = found
    rows = np.concatenate(sample.rows)
    weight = rankings.sample_weight
    # Their variance is over the number of all rows, also those of other folds.
    share = len(rows) / len(given)
    if weight is not None:
        share = weight[rows].sum() / weight.sum()
    given[rows] = sample.row_influence(stratify=False) / share
    return given


def _spread_of(
    sample: FoldSample, plan: Plan, parts: Parts, is_stratified: bool
) -> tuple[float, FloatArray | None]:
    """Return the standard error by the method, and the replicates if any."""
    if plan.method == "delta":
        return parts.standard_error, None
    folds = zip(sample.metrics, sample.alone(), strict=True)
    small = [(metric, condensed(metric, fold)) for metric, fold in folds]
    widening = sample.widening(stratify=is_stratified)
    if plan.method == "jackknife":
        squared = [
            jackknife_variance(
                statistic_of([metric], [fold]), [fold], stratify=is_stratified
            )
            for metric, fold in small
        ]
        return float(np.sqrt(np.sum(squared)) / sample.n_all * widening), None
    is_parametric = plan.method == "parametric"
    draws = _mean_draws(
        sample.metric.name,
        plan,
        [
            (
                resample_draw(
                    [fold], stratify=is_stratified, is_parametric=is_parametric
                ),
                statistic_of([metric], [fold]),
            )
            for metric, fold in small
        ],
    )
    draws = sample.mean_with(draws)
    draws = draws.mean() + widening * (draws - draws.mean())
    return spread(draws), draws


def _mean_draws(name: str, plan: Plan, folds: Sequence[Drawn]) -> FloatArray:
    """Return replicates of the mean over folds, each of which is drawn on its own."""
    found = [
        share.replicates(name, *drawn)
        for share, drawn in zip(plan.split(len(folds)), folds, strict=True)
    ]
    # Undefined ones are left out, of some folds more.
    n_all = min(map(len, found))
    return np.asarray(np.mean([draws[:n_all] for draws in found], axis=0))


def compare_rankings(
    metric: Any,
    rankings: tuple[Any, Any],
    plan: Plan,
    weights: Weights,
    metric_kwargs: dict[str, Any],
) -> Comparison:
    """Compare the rankings of two models by the same cases in the same folds.

    A pair of metrics compares two of one model, whose rankings come alone.
    """
    check_no_set(metric, metric_kwargs)
    meant: list[tuple[Any, dict[str, Any]]]
    if isinstance(metric, tuple | list):
        meant = [(one, {}) for one in metric]
        both = [rankings[0], rankings[0]]
    else:
        meant, both = [(metric, metric_kwargs)] * 2, list(rankings)
        check_same_folds({"y_true": both[0], "y_score_a": both[1]})
    found = fold_samples(meant, both, weights)
    if found is None:
        return undefined_difference([find_metric(*one) for one in meant], plan)
    if found[0].why_unknown is not None:
        return unknown_difference(found, plan)
    named = zip(("y_true", "y_score_a"), found, strict=True)
    models = [folds_model(name, one, plan, None) for name, one in named]
    warn_of_turned(models[:1] if both[0] is both[1] else models)
    return paired_folds(found, plan, retraining(both[0]))


def undefined_difference(metrics: Sequence[Metric], plan: Plan) -> Comparison:
    """Return the comparison of values that are undefined."""
    nothing = [(_NAN, _NAN)] * 2
    return conclude(
        metrics, [_NAN, _NAN], _NAN, plan, _NAN, None, nothing, lambda: lambda _: _NONE
    )


def unknown_difference(models: Sequence[FoldSample], plan: Plan) -> Comparison:
    """Return the comparison of two values whose uncertainty is not known."""
    a, b = (model.value for model in models)
    nothing = undefined_difference([model.metric for model in models], plan)
    return replace(nothing, value=a - b, value_a=a, value_b=b)


def paired_folds(
    models: Sequence[FoldSample],
    plan: Plan,
    factor: float | None,
    influences: Sequence[FloatArray] | None = None,
) -> Comparison:
    """Compare two metrics of the same folds; influences that are known are given.

    ``factor`` is how much greater standard errors are if models are trained again.
    """
    cases = models[0].cases
    is_stratified = plan.is_stratified(cases)
    metrics = [metric for model in models for metric in model.metrics]
    warn_of_difference(metrics, [f for m in models for f in m.folds], plan.method)
    if influences is None:
        influences = [model.influence(stratify=is_stratified) for model in models]
    parts = influence_parts(influences[0] - influences[1], cases)
    error, draws = parts.standard_error, None
    if plan.method != "delta":
        make = _exchanged if plan.method == "permutation" else _resampled
        alone = zip(*(model.alone() for model in models), strict=True)
        metrics_of = zip(*(model.metrics for model in models), strict=True)
        folds = [
            make(list(metrics), list(both), is_stratified)
            for metrics, both in zip(metrics_of, alone, strict=True)
        ]
        first, second = models
        widening = first.widening(stratify=is_stratified)
        draws = _mean_draws("difference", plan, folds) * len(folds) / first.n_all
        center = 0.0 if plan.method == "permutation" else draws.mean()
        draws = center + widening * (draws - center)
        if plan.method == "bootstrap":
            draws = draws + first.constant - second.constant
        error = spread(draws) if plan.method == "bootstrap" else error

    def find_apart(factor: float) -> Callable[[float], ConfidenceInterval]:
        of_each = [influence_parts(values, cases) for values in influences]

        def interval_at(level: float) -> ConfidenceInterval:
            of_a, of_b = (
                model.interval(
                    "wilson",
                    parts,
                    parts.standard_error,
                    level,
                    stratify=is_stratified,
                    factor=factor,
                )
                for model, parts in zip(models, of_each, strict=True)
            )
            return hybrid_interval((models[0].value, models[1].value), (of_a, of_b))

        return interval_at

    def concluded(factor: float) -> Comparison:
        """Return the comparison with standard errors so many times as great."""
        wider = draws
        if draws is not None:
            center = 0.0 if plan.method == "permutation" else draws.mean()
            wider = center + factor * (draws - center)
        return conclude(
            [model.metric for model in models],
            [model.value for model in models],
            factor * error,
            plan,
            models[0].freedom(parts),
            wider,
            [model.bounds for model in models],
            partial(find_apart, factor),
        )

    again = None if factor is None else concluded(factor).confidence_interval
    of = "these models" if models[0].n_all > 1 else None
    return replace(concluded(1), of=of, confidence_interval_retrained=again)


def _resampled(metrics: list[Metric], both: list[Ranked], is_stratified: bool) -> Drawn:
    draw = resample_draw(both, stratify=is_stratified)
    return draw, statistic_of(metrics, both)


def _exchanged(metrics: list[Metric], both: list[Ranked], _: bool) -> Drawn:
    return ExchangeDraw.of(*map(repeated, both)), partial(exchanged_difference, metrics)


def check_no_set(metric: Any, params: dict[str, Any]) -> None:
    """Raise for a set of distributions of the rate, over which folds are not known."""
    if not isinstance(metric, tuple | list) and set_of(metric, params) is not None:
        raise ValueError(
            "rate is a set of distributions, over which FoldRankings are not known to "
            "be compared: give one distribution, or compare one fold at a time."
        )
