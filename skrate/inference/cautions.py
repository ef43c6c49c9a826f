"""Warnings about unreliable estimates, and reasons why inference is impossible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from skrate.data.arrays import ROUNDING, FloatArray, dot, effective_number
from skrate.data.checks import warn, warn_undefined
from skrate.inference.rankings import OnRanking, Ranked, check_metric
from skrate.metrics.hypothesis_tests import ConfidenceInterval
from skrate.metrics.metric import Metric, undefined_reason
from skrate.metrics.recall import FEW_PROCESSED, is_small_budget
from skrate.metrics.result_types import params_text
from skrate.rates.distributions import fixed_rate

CLASSES = ("positive", "negative")
# The reason if all folds are in a single group, which is the unit.
ONE_GROUP = "clusters puts all folds into one group, and at least 2 are needed"
# With fewer effective gains, the variance of their sum is unknown.
_FEW_GAINS = 10
# The minimum number of samples of a class in the stratum that was sampled most rarely,
# if this stratum is at least the fraction ``_LEAST_STRATUM`` of the sample.
MIN_HEAVY_SAMPLES = 6
_LEAST_STRATUM = 0.2
# Labels are heavy above half of this quantile of the weights. The maximum would depend
# on single labels.
_HEAVY_QUANTILE = 0.99
# The minimum effective number of samples in the window of a partial AUC.
_FEW_IN_WINDOW = 8
# The minimum size of a class by estimated labels, in standard errors.
_ENOUGH_ERRORS = 5
# The minimum effective number of events in censored labels.
_MIN_EVENTS = 12
# The minimum number of negatives above a cut at a false positive rate. With fewer, the
# interval of the recall often begins at 0.
_FEW_ABOVE = 3
# At least one of two models should miss this number of positives.
_FEW_MISSED = 1
# The squares of slopes overflow if the ratio of the class weights is smaller.
_LEAST_RATIO = 1e-75


def warn_purpose_mismatch(
    metric: Metric, samples: Ranked, *, is_difference: bool
) -> None:
    """Warn if labels were chosen for another metric."""
    if samples.estimated is None or samples.estimated.purpose is None:
        return
    purpose = samples.estimated.purpose
    name = check_metric(metric, samples).name
    target = f"{name}{params_text(metric.params)}"
    if is_difference:
        target = f"difference in {target}"
    if target != purpose:
        warn(
            f"Look at the interval of the {target}, or plan labels for it: y_true has "
            f"labels of samples that were chosen for the {purpose}, and may give "
            f"a wide interval of the {target}."
        )


def no_inference_reason(samples: Ranked, metric: Metric | None = None) -> str | None:
    """Return why inference is impossible for these samples, None if it is possible.

    By estimated labels, the size of a class that the metric does not need may be
    negative. It must not be 0 up to rounding, because slopes are divided by it.
    """
    needs = CLASSES if samples.estimated is None or metric is None else metric.needs
    rounding = 0.0 if samples.estimated is None else 1e-12 * samples.total
    for size, name in zip(samples.sizes, CLASSES, strict=True):
        if (size < 2 and name in needs) or abs(size) < rounding:
            has = "has" if samples.estimated is None else "is estimated to have"
            return (
                f"y_true {has} {size:g} {name} samples with sample_weight above 0, "
                "and at least 2 are needed"
            )
    if samples.estimated is not None:
        return None
    is_one_group = samples.are_fold_groups and samples.n_units < 2
    return imbalance_reason(samples) or (ONE_GROUP if is_one_group else None)


def imbalance_reason(samples: Ranked) -> str | None:
    """Return the reason if one class has almost all weight, or None."""
    n_pos, n_neg = samples.table.n_pos, samples.table.n_neg
    if not _LEAST_RATIO < n_pos / n_neg < 1 / _LEAST_RATIO:
        return "sample_weight gives almost all weight to one class"
    return None


def warn_unreliable_value(
    metric: Metric,
    ranked: Ranked,
    value: float,
    reason: str | None,
    *,
    is_cautioned: bool = False,
) -> bool:
    """Warn if inference is impossible for a ``reason``, or if a value is unreliable.

    Return whether the metric has a caution. If it ``is_cautioned``, the caution was
    already issued, for another ranking of the same samples.
    """
    if ranked.estimated is not None and ranked.gains is None:
        _warn_impossible_value(metric, value, ranked)
    if reason is not None:
        warn_undefined(f"The uncertainty of the {metric.name}", reason)
    elif np.isnan(value):
        warn_undefined(metric.name, undefined_reason(metric, ranked.table))
    else:
        distribution = metric.distribution
        rate = None if distribution is None else fixed_rate(distribution)
        if rate is not None:
            warn_small_budget(metric, rate, ranked)
        n_neg = ranked.sizes[1]
        n_above = metric.count_cut_negatives(n_neg)
        if 0 < n_above < _FEW_ABOVE * (1 - ROUNDING):
            fpr = n_above / n_neg
            warn(
                f"The {metric.name} ({fpr:g}) depends on the {n_above:.3g} highest of "
                f"{n_neg:g} negatives, and its interval often begins at 0. Take at "
                f"least {np.ceil(_FEW_ABOVE / fpr):g} negatives, or fpr of at least "
                f"{min(_FEW_ABOVE / n_neg, 1):.2g}."
            )
        if is_cautioned:
            return True
        caution = metric.caution(ranked.table, ranked.sizes)
        if caution is not None:
            warn(caution)
            return True
    return False


def _warn_impossible_value(metric: Metric, value: float, ranked: Ranked) -> None:
    """Warn if estimated labels give a value that true labels cannot give."""
    (low, high), sizes = metric.bounds(), ranked.sizes
    if metric.is_sum:
        low, high = ranked.total * low, ranked.total * high
    # Allow for rounding.
    if value < low - 1e-9 or value > high + 1e-9:
        warn(
            f"The {metric.name} of {value:.6g} is outside {low:g} to {high:g}: label "
            "more samples, most of all likely positives, and check given error rates. "
            "Estimates are right on average, and may exceed the range by chance if few "
            f"labels are known: these give {sizes[0]:.4g} positive and {sizes[1]:.4g} "
            "negative samples."
        )


def warn_unreliable_difference(
    metrics: Sequence[Metric], ranked: Sequence[Ranked], method: str
) -> None:
    """Warn, once, if the standard error is unreliable for a test of two values."""
    if method == "permutation":
        return
    for metric, sample in zip(metrics, ranked, strict=True):
        caution = metric.difference_caution(sample.table, sample.sizes)
        if caution is not None:
            warn(caution)
            return


def warn_unequal_sizes(a: Ranked, b: Ranked) -> None:
    """Warn if a test of models with different samples can reject too often."""
    size_a, size_b = min(a.sizes), min(b.sizes)
    smaller, larger = sorted((size_a, size_b))
    # The skewness of small classes cancels in part if they have similar sizes.
    if smaller >= (10 if larger <= 2 * smaller else 30):
        return
    warn(
        "The models have different samples: compare them on the same samples, use 30 "
        "or more samples of each class, or consider only p-values up to 0.01 as "
        f"evidence. The rarer classes have {size_a:g} and {size_b:g} samples. With "
        "such sizes, tests at a level of 0.05 rejected the hypothesis of equal models "
        "with a probability of up to 0.15, although it was true."
    )


def warn_small_sample(
    rankings: Sequence[OnRanking], *, is_wilson: bool = False
) -> None:
    """Warn, once, if the variance depends on too small a number of samples.

    Wilson's interval adds variance for rarely sampled strata, and needs no warning of
    these.
    """
    reasons = [
        (metric.name, find_reason(metric, sample))
        for metric, sample, _ in rankings
        if not sample.are_exchangeable
        for find_reason in SMALL_SAMPLE_REASONS
        if not (is_wilson and find_reason is _small_stratum_reason)
    ]
    # It is sufficient if one of two compared models has enough misses.
    if len(rankings) > 1 and all(_count_missed(*x) < _FEW_MISSED for x in rankings):
        a, b = (f"{abs(_count_missed(*x)):.2f}" for x in rankings)
        reason = (
            "both rankings are next to perfect. Take more samples: compared to a "
            f"perfect ranking, they miss {a} and {b} positives. If neither misses "
            f"{_FEW_MISSED}, the interval often excludes the true difference."
        )
        reasons.append(("difference", reason))
    for name, cause in reasons:
        if cause is not None:
            warn(f"The interval of the {name} may be too short: {cause}")
            return


def _count_missed(metric: Metric, ranked: Ranked, value: float) -> float:
    """Return the number of positives that a perfect ranking finds in addition."""
    if ranked.estimated is not None:
        return np.inf
    return metric.lost_recall(ranked.table, value) * ranked.sizes[0]


def _small_window_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return the reason if sampling weights leave too small a window, or None."""
    weights = ranked.weights
    if weights is None or ranked.are_repetitions:
        return None
    class_weights = weights[ranked.is_pos], weights[~ranked.is_pos]
    name, n_in_window = metric.min_window_class(*map(effective_number, class_weights))
    if n_in_window >= _FEW_IN_WINDOW:
        return None
    return (
        f"take more {name}, or a wider window. By their sample_weight, the {name} in "
        f"the window count as {n_in_window:.2g} of equal weight, and at least "
        f"{_FEW_IN_WINDOW} are needed."
    )


def _dominant_gains_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return the reason if the sum depends on too small a number of gains, or None."""
    if ranked.gains is None:
        return None
    gains = np.abs(ranked.gains.gain)
    if ranked.weights is not None:
        gains = ranked.weights * gains
    total = np.add.reduce(gains)
    n_effective = total**2 / np.add.reduce(gains**2) if total > 0 else 0.0
    if n_effective >= _FEW_GAINS:
        return None
    return (
        f"take more samples, or cap the gains. They vary so much that they count as "
        f"{n_effective:.2g} equal gains, and at least {_FEW_GAINS} are needed."
    )


def _small_stratum_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return the reason if a class is rare where samples were drawn rarely, or None."""
    weights = ranked.given
    if weights is None:
        return None
    is_heavy = weights > weights.max() / 2
    classes = ranked.is_pos, ~ranked.is_pos
    heavy = [np.count_nonzero(is_heavy & in_class) for in_class in classes]
    sizes = [np.count_nonzero(in_class) for in_class in classes]
    is_mixed = any(0 < n < size for n, size in zip(heavy, sizes, strict=True))
    if not is_mixed or sum(heavy) < _LEAST_STRATUM * len(weights):
        return None
    for n, size, name in zip(heavy, sizes, CLASSES, strict=True):
        if n < min(MIN_HEAVY_SAMPLES, size / 2):
            return (
                f"draw more {name} samples where the sampling probability is low. Only "
                f"{n} of {size} have a sample_weight above half the maximum, and at "
                f"least {MIN_HEAVY_SAMPLES} are needed."
            )
    return None


def _uncertain_size_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return the reason if estimated labels leave the size of a class unknown."""
    labels = ranked.estimated
    if labels is None:
        return None
    # The standard error of the number of positives among these samples: errors of
    # censored labels cancel in part, and errors in common are in the interval.
    terms = labels.for_batch().influence(np.ones(len(labels)), np.zeros(len(labels)))
    error = float(np.sqrt(min(dot(terms, terms), dot(labels.noise, labels.noise))))
    for size, name in zip(ranked.sizes, CLASSES, strict=True):
        if name in metric.needs and size < _ENOUGH_ERRORS * error:
            return (
                "label more samples, or pass better predictions. Estimated labels give "
                f"{size:.4g} {name} samples with a standard error of {error:.3g}, and "
                f"the number should be at least {_ENOUGH_ERRORS} standard errors."
            )
    return None


def _few_events_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return the reason if few events were observed before censoring, or None."""
    labels = ranked.estimated
    if labels is None or labels.source != "censored" or "positive" not in metric.needs:
        return None
    n_events = effective_number(labels.pos)
    if n_events >= _MIN_EVENTS:
        return None
    return (
        "follow more samples, or take a later time. The events count as "
        f"{n_events:.3g} of equal weight, and at least {_MIN_EVENTS} are needed: with "
        "5 to 9, 95 % intervals of the AUC covered 62 to 94 %."
    )


def _heavy_labels_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return the reason if heavy labels show too small a number of errors, or None."""
    labels = ranked.estimated
    if labels is None:
        return None
    weights, errors = labels.drawn_errors
    rate = None if metric.needs else fixed_rate(metric.distribution)
    if rate is not None:
        # Only labels above the cut count in a precision.
        is_above = ranked.table.rates.take(ranked.group) < rate
        weights, errors = weights[is_above], errors[is_above]
    heavy = count_heavy(weights, errors, labels.min_heavy)
    if heavy is None:
        return None
    n_heavy, half = heavy
    return (
        "pass prediction= to labels.sampled, as probabilities, or label more samples "
        f"that had a low probability. Only {n_heavy} labelled samples stand for more "
        f"than {half:.3g} samples each, about half the maximum, and at least "
        f"{labels.min_heavy} are needed. With predictions of 0 and 1, with "
        "calibrate=False, or if none of these samples is positive, only positives or "
        "wrong predictions count."
    )


def count_heavy(
    weights: FloatArray, errors: FloatArray, least: int = MIN_HEAVY_SAMPLES
) -> tuple[int, float] | None:
    """Return the number of errors above a bound, and the bound; None if enough."""
    half = float(np.quantile(weights, _HEAVY_QUANTILE, method="lower") / 2)
    n_heavy = int(np.count_nonzero(errors > half))
    if half == 0 or n_heavy >= least or weights.min() > half:
        return None
    return n_heavy, half


# Functions that return why the variance of a metric may be too small, or None.
SMALL_SAMPLE_REASONS = (
    _dominant_gains_reason,
    _small_stratum_reason,
    _small_window_reason,
    _uncertain_size_reason,
    _few_events_reason,
    _heavy_labels_reason,
)


def warn_small_budget(metric: Metric, rate: float, ranked: Ranked) -> bool:
    """Warn, and return True, if a fixed rate does not process enough samples."""
    n, points = ranked.total, np.array([rate])
    if not is_small_budget([ranked.table], points).any():
        return False
    warn(
        f"The {metric.name} at rate={rate:g} depends on the best {rate * n:.3g} of "
        f"{n:.5g} samples. Take at least {np.ceil(FEW_PROCESSED / rate):g} samples, or "
        f"a rate of at least {min(FEW_PROCESSED / n, 1):.2g}. With fewer than "
        f"{FEW_PROCESSED}, the standard error and interval are rough, and made wider."
    )
    return True


def warn_small_folds(model: Any) -> None:
    """Warn if folds are so small that the bias of the mean over them is large.

    ``model`` is an evaluation.
    """
    metric, is_known = model.metric, not np.isnan(model.bias)
    enough: float = metric.least_positives if is_known else metric.enough_positives
    ranked = model.clustered_rankings
    sizes = np.mean([ranking.effective_sizes for ranking in ranked], axis=0)
    has_clusters = model.units.clusters is not None
    counted_unit = "clusters with positives" if has_clusters else "positives"
    n_counted = float(sizes[0])
    in_window, n_in_window = metric.min_window_class(*sizes.tolist())
    if n_in_window < np.inf:
        counted_unit, n_counted = f"{in_window} in the window", n_in_window
        enough = 10
    if n_counted >= enough:
        return
    is_corrected = is_known and metric.enough_positives > 0
    corrects = "corrects only a part of" if is_corrected else "does not correct"
    warn(
        f"The {metric.name} of {len(model.rankings)} folds is biased, because the "
        "folds are small: use fewer folds, or a metric without this bias, such as the "
        "AUC or the recall at a rate. On average, a fold has "
        f"{n_counted:.3g} {counted_unit}, fewer than {enough:g}. With fewer "
        f"{counted_unit} the bias is larger, and the interval {corrects} the bias."
    )


def warn_reversed_scores(
    models: Iterable[tuple[str, Any, ConfidenceInterval | None]],
) -> None:
    """Warn once if the interval of a model is worse than the value of equal scores.

    ``models`` has the argument with the scores of each model, its evaluation, and its
    interval (None to compute it here). The AUC must also be below 0.5: even a good
    ranking can have a low value if its first samples include only a small number of
    positives.
    """
    reversed_models = []
    for argument, model, known_interval in models:
        sign, chance = (1 if model.metric.greater_is_better else -1), model.chance
        if not (sign * model.value < sign * chance and model.auc < 0.5):
            continue
        interval = model.interval() if known_interval is None else known_interval
        if sign * (interval.high if sign > 0 else interval.low) < sign * chance:
            reversed_models.append((argument, model.metric, interval, chance))
    if not reversed_models:
        return
    _, metric, interval, chance = reversed_models[0]
    names = " and ".join(dict.fromkeys(argument for argument, *_ in reversed_models))
    side = "below" if metric.greater_is_better else "above"
    warn(
        f"Scores may be reversed in {names}: change the sign of the scores, pass the "
        "positive label as pos_label, or reverse the order of the categories of a "
        "table. Positive samples should have high scores or be in the first "
        f"categories. The interval of the {metric.name}, [{interval.low:.4g}, "
        f"{interval.high:.4g}], is {side} {chance:.4g}, the value of uninformative "
        "scores."
    )
