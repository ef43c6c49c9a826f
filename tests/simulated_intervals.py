"""Samples from laws with known metrics, and how often intervals hold these.

Scores of negatives follow a law, those of positives the same law moved up; labels are
at random by the prevalence. With five categories two normal laws are cut at four
points.
"""

import warnings
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy import optimize, special, stats

import skrate
from skrate import RankTable, rates
from skrate.metrics.hypothesis_tests import ConfidenceInterval
from skrate.metrics.metric import find_metric
from skrate.metrics.result_types import Estimate

# The last as in the paper of the rAUC, a budget of about 14 % of the cases.
METRICS = {
    "AUC": ("roc_auc", {}),
    "rAUC, beta(3, 19)": (skrate.rate_weighted_auc_score, {"rate": rates.beta(3, 19)}),
    "rAUC, beta(2, 2)": (skrate.rate_weighted_auc_score, {"rate": rates.beta(2, 2)}),
    "expected recall, beta(3, 19)": (
        skrate.recall_at_rate_score,
        {"rate": rates.beta(3, 19)},
    ),
    "average precision": (skrate.average_precision_score, {}),
    "recall at 0.2": (skrate.recall_at_rate_score, {"rate": 0.2}),
}
LAWS = {
    "normal": stats.norm(),
    "Student t3": stats.t(3),
    "exponential": stats.expon(),
    "five categories": stats.norm(),
}
ALL_LAWS = LAWS | {"lognormal": stats.lognorm(1)}
AUCS = (0.6, 0.8, 0.9, 0.95, 0.99)
SHAPES = [
    *product((30, 50, 100, 200), (0.05, 0.1, 0.2, 0.5)),
    # Rare positives in a larger sample.
    (1000, 0.01),
]
# Draws of a size of which there are fewer are done again.
_LEAST_PER_CLASS = 2


class Setting(NamedTuple):
    """What samples are drawn from."""

    distribution: str
    auc: float
    n: int
    prevalence: float


SETTINGS = [
    Setting(distribution, auc, *shape)
    for distribution, auc, shape in product(LAWS, AUCS, SHAPES)
]


@cache
def shift_of(distribution: str, auc: float) -> float:
    """Return how far the positives are moved up for an AUC, before scores are cut."""
    chosen = ALL_LAWS[distribution]
    middles = (np.arange(100_000) + 0.5) / 100_000
    neg = chosen.ppf(middles)

    def excess(shift: float) -> float:
        # A positive beats a negative if it is less than the shift below it.
        return float(np.mean(chosen.cdf(neg + shift))) - auc

    return float(optimize.brentq(excess, 0, 60))


def cuts_of(shift: float) -> np.ndarray:
    """Return the four scores at which two normal laws are cut into five categories."""
    return np.array([-0.5, 0.25 + shift / 4, 0.5 + shift / 2, 0.75 + 3 * shift / 4])


def draw(generator: np.random.Generator, setting: Setting) -> tuple[np.ndarray, ...]:
    """Return labels and scores of a sample that holds two cases of each class."""
    n = setting.n
    y_true = np.zeros(n, dtype=bool)
    while not _LEAST_PER_CLASS <= y_true.sum() <= n - _LEAST_PER_CLASS:
        y_true = generator.random(n) < setting.prevalence
    shift = shift_of(setting.distribution, setting.auc)
    y_score = (
        ALL_LAWS[setting.distribution].rvs(n, random_state=generator) + shift * y_true
    )
    if setting.distribution == "five categories":
        y_score = np.searchsorted(cuts_of(shift), y_score).astype(float)
    return y_true, y_score


def slices(distribution, shift: float) -> np.ndarray:
    """Return scores between which few negatives are, and few positives."""
    tail = np.geomspace(1e-12, 1e-4, 2_000)
    levels = np.concatenate([tail, np.linspace(1e-4, 1 - 1e-4, 60_000), 1 - tail])
    of_neg = distribution.ppf(levels)
    return np.unique(np.concatenate([of_neg, of_neg + shift]))


def population(setting: Setting) -> RankTable:
    """Return the table of all there are, in thin slices."""
    distribution, shift = (
        ALL_LAWS[setting.distribution],
        shift_of(setting.distribution, setting.auc),
    )
    is_cut = setting.distribution == "five categories"
    edges = cuts_of(shift) if is_cut else slices(distribution, shift)
    edges = np.concatenate([[np.inf], edges[::-1], [-np.inf]])
    pos, neg = np.diff(distribution.sf(edges - shift)), np.diff(distribution.sf(edges))
    p = setting.prevalence
    return RankTable(p * pos, (1 - p) * neg)


def true_values(setting: Setting) -> dict[str, float]:
    """Return the metrics of the population."""
    table = population(setting)
    return {
        name: find_metric(metric, kwargs)
        .bind_sample_size(setting.n, is_weighted=False)
        .value(table)
        for name, (metric, kwargs) in METRICS.items()
    }


def by_default(found: Estimate, table: RankTable, metric: str) -> ConfidenceInterval:
    """Return the default interval of a metric."""
    return found.confidence_interval


def by_logit(found: Estimate, table: RankTable, metric: str) -> ConfidenceInterval:
    """Return the interval that is symmetric in the log odds, by the normal quantile.

    Of the AUC it is DeLong's on the logit scale, as pROC has it: a sample without
    variation has an interval without width.
    """
    value, error = found.value, found.standard_error
    if error < 1e-12 or not 0 < value < 1:
        return ConfidenceInterval(value, value)
    half = special.ndtri(0.975) * error / (value * (1 - value))
    low, high = special.expit(special.logit(value) + np.array([-half, half]))
    return ConfidenceInterval(float(low), float(high))


def by_percentiles(
    found: Estimate, table: RankTable, metric: str
) -> ConfidenceInterval:
    """Return the percentiles of 200 bootstrap replicates of the cases."""
    function, kwargs = METRICS[metric]
    with warnings.catch_warnings():
        # Some replicates lack a class.
        warnings.simplefilter("ignore")
        return skrate.estimate(
            function, table, method="bootstrap", interval="percentile",
            n_resamples=200, random_state=0, stratify=False, **kwargs,
        ).confidence_interval  # fmt: skip


INTERVALS: dict[str, Callable[[Estimate, RankTable, str], ConfidenceInterval]] = {
    "wilson": by_default,
    "DeLong, logit": by_logit,
    "percentile": by_percentiles,
}


class Coverage(NamedTuple):
    """How intervals of a kind did: shares of samples, and their median width."""

    covered: float
    above: float
    width: float


def coverage(
    setting: Setting, n_simulations: int, kinds: tuple[str, ...] = ("wilson",)
) -> dict[tuple[str, str], Coverage]:
    """Return how often each metric's interval of each kind holds the truth.

    All see the same samples. ``above`` is how often the interval lies above the truth.
    """
    truth = true_values(setting)
    generator = np.random.default_rng(SETTINGS.index(setting))
    ends = {key: np.empty((n_simulations, 2)) for key in product(METRICS, kinds)}
    for i in range(n_simulations):
        table = RankTable.from_arrays(*draw(generator, setting))
        for metric, (function, kwargs) in METRICS.items():
            result = skrate.estimate(function, table, **kwargs)
            for kind in kinds:
                ends[metric, kind][i] = INTERVALS[kind](result, table, metric)
    found = {}
    # What rounding leaves between the truth and the end of an interval is no miss.
    slack = 1e-9
    for (metric, kind), (low, high) in ((key, pair.T) for key, pair in ends.items()):
        is_above, is_below = (low > truth[metric] + slack, high < truth[metric] - slack)
        found[metric, kind] = Coverage(
            float(1 - np.mean(is_above | is_below)),
            float(np.mean(is_above)),
            float(np.median(high - low)),
        )
    return found
