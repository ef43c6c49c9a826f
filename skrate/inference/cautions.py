"""Warnings of what says little, and why nothing can be inferred."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skrate.data.arrays import dot, effective_number
from skrate.data.checks import warn, warn_undefined
from skrate.inference.rankings import Ranked, check_metric
from skrate.metrics.metric import Metric, undefined_reason, warn_unreliable
from skrate.metrics.recall import FEW_PROCESSED, is_small_budget
from skrate.metrics.result_types import question_text
from skrate.rates.laws import fixed_rate

CLASSES = ("positive", "negative")
# Gains worth fewer equal ones leave the spread of their sum unknown.
_FEW_GAINS = 10
# As few cases of a class in the stratum that was sampled most rarely, too, if that is
# at least such a share of the sample.
FEW_OF_STRATUM = 6
_LEAST_STRATUM = 0.2
# A few cases that were next to never labelled do not define that stratum.
_NEARLY_ALL = 0.99
# Effective cases in the window of a partial AUC.
_FEW_IN_WINDOW = 8
# Standard errors to which estimated labels should know the number of positives.
_ENOUGH_ERRORS = 5
# Positives that either of two models misses: fewer show no difference.
_FEW_MISSED = 1
# Of the weights of the classes: beyond, the squares of slopes are no numbers.
_LEAST_RATIO = 1e-75


def warn_purpose_mismatch(
    metric: Metric, cases: Ranked, *, is_difference: bool
) -> None:
    """Warn where labels were chosen for another metric."""
    purpose = cases.estimated and cases.estimated.purpose
    if purpose is None:
        return
    name = check_metric(metric, cases).name
    asked = f"{name}{question_text(metric.question)}"
    if is_difference:
        asked = f"difference in {asked}"
    if asked != purpose:
        warn(
            f"y_true holds labels of cases that were chosen for the {purpose}: they "
            f"may say little about the {asked}. Look at its interval, or plan labels "
            "for it."
        )


def no_inference_reason(cases: Ranked, metric: Metric | None = None) -> str | None:
    """Return why nothing can be inferred from these cases, None where it can.

    Estimates of a class that the metric does not need may be below 0, but not 0, up to
    rounding, as slopes are divided by it.
    """
    needs = CLASSES if cases.estimated is None or metric is None else metric.needs
    nothing = 0.0 if cases.estimated is None else 1e-12 * cases.total
    for found, name in zip(cases.sizes, CLASSES, strict=True):
        if (found < 2 and name in needs) or abs(found) < nothing:
            holds = "holds" if cases.estimated is None else "is estimated to hold"
            return (
                f"y_true {holds} {found:g} {name} cases (those of sample_weight 0 do "
                "not count), and at least 2 are needed"
            )
    if cases.estimated is not None:
        return None
    return imbalance_reason(cases) or single_group_reason(cases)


def single_group_reason(cases: Ranked) -> str | None:
    """Return that groups of folds are the units, and there is one, or None."""
    if cases.are_fold_groups and cases.n_units < 2:
        return "clusters puts all folds into one group, and at least 2 are needed"
    return None


def imbalance_reason(cases: Ranked) -> str | None:
    """Return why weights leave nothing to be inferred, None where they do not."""
    n_pos, n_neg = cases.table.n_pos, cases.table.n_neg
    if not _LEAST_RATIO < n_pos / n_neg < 1 / _LEAST_RATIO:
        return "sample_weight gives next to all weight to one class"
    return None


def defined_value(metric: Metric, ranked: Ranked) -> float:
    """Return the metric, or nan with a warning where nothing can be inferred."""
    reason = no_inference_reason(ranked, metric)
    value = ranked.score(metric) if reason is None else float("nan")
    warn_unreliable_value(metric, ranked, value, reason)
    return value


def warn_unreliable_value(
    metric: Metric,
    ranked: Ranked,
    value: float,
    reason: str | None,
    again: bool = False,
) -> None:
    """Warn of the reason why nothing can be inferred, or why a value says little.

    Not ``again`` where another ranking of the same cases was said to say little.
    """
    if ranked.estimated is not None and ranked.worth is None:
        _warn_impossible_value(metric, value, ranked.sizes)
    if reason is not None:
        warn_undefined(f"The uncertainty of the {metric.name}", reason)
    elif np.isnan(value):
        warn_undefined(metric.name, undefined_reason(metric, ranked.table))
    else:
        rate = None if metric.law is None else fixed_rate(metric.law)
        if rate is not None:
            warn_small_budget(metric, rate, ranked)
        if not again:
            warn_unreliable(metric, ranked.table, ranked.sizes)


def _warn_impossible_value(
    metric: Metric, value: float, sizes: tuple[float, float]
) -> None:
    """Warn of a value by estimated labels that no true labels could give."""
    low, high = metric.bounds()
    # Up to rounding.
    if value < low - 1e-9 or value > high + 1e-9:
        warn(
            f"The {metric.name} is estimated as {value:.4g}, outside {low:g} to "
            f"{high:g}: estimated labels leave {sizes[0]:.4g} positive and "
            f"{sizes[1]:.4g} negative cases. Do not use this value: label more cases, "
            "or check the error rates of the labels."
        )


def warn_unreliable_difference(
    metrics: Sequence[Metric], ranked: Sequence[Ranked], method: str
) -> None:
    """Warn, once, if the standard error is a bad guide to whether two values differ."""
    if method == "permutation":
        return
    for metric, one in zip(metrics, ranked, strict=True):
        caution = metric.caution(one.table, one.sizes, is_compared=True)
        if caution is not None:
            warn(caution)
            return


def warn_small_sample(metrics: Sequence[Metric], ranked: Sequence[Ranked]) -> None:
    """Warn, once, if the variance depends on too few cases to be known."""
    pairs = list(zip(metrics, ranked, strict=True))
    found = [(metric.name, why(metric, one)) for metric, one in pairs for why in FEW]
    missed = [_missed(*pair) for pair in pairs] if len(pairs) > 1 else [np.inf]
    # Of models that are compared, both have to miss few.
    if abs(max(missed)) < _FEW_MISSED:
        a, b = (f"{abs(of):.2f}" for of in missed)
        reason = (
            "both rankings are next to perfect where cases are processed, and miss "
            f"{a} and {b} of the positives that a perfect one finds. If neither misses "
            f"{_FEW_MISSED}, a true difference is often left out. Take more cases."
        )
        found.append(("difference", reason))
    for name, cause in found:
        if cause is not None:
            warn(f"The interval of the {name} may be too short: {cause}")
            return


def _missed(metric: Metric, ranked: Ranked) -> float:
    """Return how many positives a perfect ranking would find in addition."""
    if ranked.estimated is not None:
        return np.inf
    return metric.lost_recall(ranked.table) * ranked.sizes[0]


def _small_window_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return that sampling weights leave few cases in the window of a partial AUC."""
    weights = ranked.weights
    if weights is None or ranked.are_repetitions:
        return None
    of_classes = weights[ranked.is_pos], weights[~ranked.is_pos]
    name, n_least = metric.min_window_class(*map(effective_number, of_classes))
    if n_least >= _FEW_IN_WINDOW:
        return None
    return (
        f"by their sample_weight the {name} in the window count as {n_least:.2g} of "
        f"equal weight, and at least {_FEW_IN_WINDOW} are needed. Take more {name}, "
        "or a wider window."
    )


def _dominant_gains_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return that a few gains make up most of them, None where they do not."""
    if ranked.worth is None:
        return None
    gains = np.abs(ranked.worth.gain)
    if ranked.weights is not None:
        gains = ranked.weights * gains
    total = np.add.reduce(gains)
    n_alike = total**2 / np.add.reduce(gains**2) if total > 0 else 0.0
    if n_alike >= _FEW_GAINS:
        return None
    return (
        f"a few gains make up most of the sum, as {n_alike:.2g} equal ones would, and "
        f"at least {_FEW_GAINS} are needed. Take more cases, or cap the gains."
    )


def _small_stratum_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return that a class has few cases where cases were sampled rarely."""
    weights = ranked.given
    if weights is None:
        return None
    is_heavy = weights > weights.max() / 2
    classes = ranked.is_pos, ~ranked.is_pos
    heavy = [np.count_nonzero(is_heavy & chosen) for chosen in classes]
    sizes = [np.count_nonzero(chosen) for chosen in classes]
    is_mixed = any(0 < few < of for few, of in zip(heavy, sizes, strict=True))
    if not is_mixed or sum(heavy) < _LEAST_STRATUM * len(weights):
        return None
    for few, of, name in zip(heavy, sizes, CLASSES, strict=True):
        if few < min(FEW_OF_STRATUM, of / 2):
            return (
                f"only {few} of {of} {name} cases have a sample_weight above half the "
                f"greatest, and at least {FEW_OF_STRATUM} are needed. Sample more "
                f"{name} cases where few were sampled."
            )
    return None


def _uncertain_size_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return that estimated labels leave the size of a class open."""
    labels = ranked.estimated
    if labels is None:
        return None
    # Errors of the number of positives of these very cases: those of censored labels
    # cancel in part, and those that all labels share are in the interval.
    adds = labels.for_batch().influence(np.ones(len(labels)), np.zeros(len(labels)))
    error = float(np.sqrt(min(dot(adds, adds), dot(labels.noise, labels.noise))))
    for size, name in zip(ranked.sizes, CLASSES, strict=True):
        if name in metric.needs and size < _ENOUGH_ERRORS * error:
            return (
                f"estimated labels leave {size:.4g} {name} cases with a standard error "
                f"of {error:.3g}, and the number should be {_ENOUGH_ERRORS} times its "
                "error at least. Label more cases, or give better predictions."
            )
    return None


def _heavy_labels_reason(metric: Metric, ranked: Ranked) -> str | None:
    """Return that few positives were drawn where a label stands for many samples."""
    labels = ranked.estimated
    if labels is None:
        return None
    weights, errors = labels.drawn_errors
    rate = None if metric.needs else fixed_rate(metric.law)
    if rate is not None:
        # Only labels above the cut count in a precision.
        is_above = ranked.table.rates.take(ranked.group) < rate
        weights, errors = weights[is_above], errors[is_above]
    half = np.quantile(weights, _NEARLY_ALL, method="lower") / 2
    n_heavy = np.count_nonzero(errors > half)
    if half == 0 or n_heavy >= FEW_OF_STRATUM or weights.min() > half:
        return None
    return (
        "pass prediction= to labels.sampled, as probabilities, or label more cases "
        f"that had a low probability. Only {n_heavy} labelled positive cases (or "
        f"labels that differ from the prediction) stand for more than {half:.3g} cases "
        f"each, half the maximum, and at least {FEW_OF_STRATUM} are needed."
    )


# Why a variance may be too small, of a metric and the cases of one ranking.
FEW = (
    _dominant_gains_reason,
    _small_stratum_reason,
    _small_window_reason,
    _uncertain_size_reason,
    _heavy_labels_reason,
)


def warn_small_budget(metric: Metric, rate: float, ranked: Ranked) -> bool:
    """Warn, and return True, where a known rate processes too few cases."""
    n, points = ranked.total, np.array([rate])
    if not is_small_budget([ranked.table], points).any():
        return False
    warn(
        f"The {metric.name} at rate={rate:g} depends on the best {rate * n:.3g} of "
        f"{n:.5g} cases: of fewer than {FEW_PROCESSED} its standard error and interval "
        "are rough, and widened for it. Take at least "
        f"{np.ceil(FEW_PROCESSED / rate):g} cases, or a rate of at least "
        f"{min(FEW_PROCESSED / n, 1):.2g}."
    )
    return True
