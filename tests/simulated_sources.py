"""Samples whose labels are censored, noisy or predicted, and coverage.

The truth is that of :mod:`simulated_intervals`; a source hides labels of it.
"""

import warnings
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import stats

from simulated_intervals import ALL_LAWS, draw, population, shift_of
from skrate import estimate, labels
from skrate.metrics.metric import find_metric

METRICS = {
    "AUC": ("roc_auc", {}),
    "recall at 0.1": ("recall_at_rate", {"rate": 0.1}),
    "average precision": ("average_precision", {}),
}
HORIZON = 5.0
# How far a second score, on which predictions rest as well, moves up positives.
_SECOND = 1.0


@cache
def truths(setting):
    """Return each metric in the population."""
    table = population(setting)
    return [
        find_metric(metric, kwargs).value(table) for metric, kwargs in METRICS.values()
    ]


def sampled(rng, setting, y_true, y_score):
    """Return labels of cases drawn one by one, more of those with high scores."""
    share = np.where(y_score > np.quantile(y_score, 0.8), 0.7, 0.25)
    seen = np.where(rng.random(len(y_true)) < share, y_true, np.nan)
    return labels.sampled(seen, share), seen == 1


def stratified(rng, setting, y_true, y_score):
    """Return as many labels of the cases with high scores as of the others."""
    is_high = y_score > np.quantile(y_score, 0.8)
    n_labels, share = 2 + round(0.15 * len(y_true)), np.empty(len(y_true))
    seen = np.full(len(y_true), np.nan)
    for part in (is_high, ~is_high):
        drawn = rng.permutation(np.flatnonzero(part))[:n_labels]
        seen[drawn] = y_true[drawn]
        share[part] = len(drawn) / np.count_nonzero(part)
    return labels.sampled(seen, share, design=is_high), seen == 1


def censored(rng, setting, y_true, y_score):
    """Return events that come earlier if scores are high, with half followed up."""
    is_high = y_score > np.median(y_score[y_true])
    within = HORIZON * rng.random(len(y_true)) ** np.where(is_high, 2, 0.5)
    times = np.where(y_true, within, HORIZON + rng.exponential(size=len(y_true)))
    lost = rng.exponential(1.4 * HORIZON, size=len(y_true))
    event = times <= lost
    found = labels.censored(np.minimum(times, lost), event, HORIZON)
    return found, event & (times <= HORIZON)


def noisy(rng, setting, y_true, y_score):
    """Return labels of one test with known errors."""
    seen = _tested(rng, y_true, 0.85, 0.95)
    return labels.noisy(seen, 0.85, 0.95), seen


def validated(rng, setting, y_true, y_score):
    """Return labels of a test whose errors are estimated by another sample."""
    sizes, actual = np.array([80, 300]), np.array([0.85, 0.95])
    seen = _tested(rng, y_true, *actual)
    estimates = rng.binomial(sizes, actual) / sizes
    return labels.noisy(seen, *estimates, validation=sizes), seen


def annotated(rng, setting, y_true, y_score):
    """Return labels of two annotators, of whom the better saw half of the cases."""
    found, wrong = [0.8, 0.95], [0.9, 0.97]
    seen = np.stack(
        [_tested(rng, y_true, *pair) for pair in zip(found, wrong, strict=True)], axis=1
    ).astype(float)
    seen[rng.random(len(y_true)) < 0.5, 1] = np.nan
    return labels.noisy(seen, found, wrong), seen[:, 0]


def _tested(rng, y_true, sensitivity, specificity):
    share = np.where(y_true, sensitivity, 1 - specificity)
    return rng.random(len(y_true)) < share


def predicted(rng, setting, y_true, y_score):
    """Return the probability of a positive, by the score and another one."""
    distribution, shift = (
        ALL_LAWS[setting.distribution],
        shift_of(setting.distribution, setting.auc),
    )
    second = rng.normal(_SECOND * y_true)
    odds = setting.prevalence / (1 - setting.prevalence)
    odds *= stats.norm.pdf(second - _SECOND) / stats.norm.pdf(second)
    with np.errstate(divide="ignore"):
        odds = odds * distribution.pdf(y_score - shift) / distribution.pdf(y_score)
    share = np.where(np.isinf(odds), 1.0, odds / (1 + odds))
    return labels.predicted(share), share > 0.5


SOURCES = {
    "sampled": sampled,
    "sampled, strata": stratified,
    "censored": censored,
    "noisy": noisy,
    "noisy, validated": validated,
    "noisy, two annotators": annotated,
    "predicted": predicted,
}


class Coverage(NamedTuple):
    """By metric: coverage of 95 % intervals, standard errors over the spread, bias."""

    population: np.ndarray
    batch: np.ndarray
    uncorrected: np.ndarray
    error_population: np.ndarray
    error_batch: np.ndarray
    bias: np.ndarray


def coverage(source, setting, n_simulations, seed=0):
    """Return how often intervals hold what they are of, with labels of a source."""
    rng, truth = np.random.default_rng([seed, setting.n]), truths(setting)
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n_simulations):
            y_true, y_score = draw(rng, setting)
            found, uncorrected = SOURCES[source](rng, setting, y_true, y_score)
            rows.append(
                [
                    _row(metric, y_true, y_score, found, uncorrected, actual)
                    for metric, actual in zip(METRICS.values(), truth, strict=True)
                ]
            )
    within, errors = np.moveaxis(np.array(rows), 2, 0)[:3], np.array(rows)[:, :, 3:]
    of_population, of_batch, error_population, error_batch = np.moveaxis(errors, 2, 0)
    return Coverage(
        *within.mean(axis=1),
        np.sqrt(np.mean(error_population**2, axis=0)) / of_population.std(axis=0),
        np.sqrt(np.mean(error_batch**2, axis=0) / np.mean(of_batch**2, axis=0)),
        of_population.mean(axis=0) / of_population.std(axis=0),
    )


def _row(metric, y_true, y_score, found, uncorrected, actual):
    name, kwargs = metric
    whole = estimate(name, found, y_score, **kwargs)
    batch = estimate(name, found.for_batch(), y_score, **kwargs)
    own = estimate(name, y_true, y_score, **kwargs).value
    try:
        other = estimate(name, uncorrected, y_score, **kwargs)
    except ValueError:
        other = None
    return (
        _holds(whole, actual), _holds(batch, own),
        other is not None and _holds(other, actual),
        whole.value - actual, batch.value - own,
        whole.standard_error, batch.standard_error,
    )  # fmt: skip


def _holds(found, truth):
    low, high = found.confidence_interval
    return low <= truth <= high
