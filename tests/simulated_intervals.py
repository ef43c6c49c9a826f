"""Samples of two normal classes with known metrics, for coverage of intervals."""

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy import special

import skrate
from skrate import RankTable, rates
from skrate.core.metric import find_metric

# As in the paper of the rAUC, a budget of about 14 % of the cases.
METRICS = {
    "AUC": ("roc_auc", {}),
    "rAUC, beta(3, 19)": (
        skrate.rate_weighted_auc_score,
        {"rate": rates.beta(3, 19)},
    ),
    "expected recall, beta(3, 19)": (
        skrate.expected_recall_score,
        {"rate": rates.beta(3, 19)},
    ),
    "average precision": (skrate.average_precision_score, {}),
    "recall at 0.2": (skrate.recall_at_rate_score, {"rate": 0.2}),
}
SIZES = (100, 1000)
PREVALENCES = (0.1, 0.5)
# Distance of the classes in standard deviations: an AUC of 0.64 and of 0.92.
SHIFTS = {"weak": 0.5, "strong": 2.0}


class Setting(NamedTuple):
    """What a sample is drawn from, and what is computed of it."""

    metric: str
    n: int
    prevalence: float
    strength: str


SETTINGS = [Setting(*parts) for parts in product(METRICS, SIZES, PREVALENCES, SHIFTS)]


def draw(
    generator: np.random.Generator, n: int, prevalence: float, strength: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return labels, at random by the prevalence, and scores."""
    y_true = (generator.random(n) < prevalence).astype(int)
    return y_true, generator.normal(size=n) + SHIFTS[strength] * y_true


def true_value(setting: Setting) -> float:
    """Return the metric of the population: of a table of 100,000 thin slices."""
    edges = np.linspace(9 + SHIFTS[setting.strength], -9, 100_001)
    pos = np.diff(special.ndtr(SHIFTS[setting.strength] - edges))
    neg = np.diff(special.ndtr(-edges))
    p = setting.prevalence
    metric, kwargs = METRICS[setting.metric]
    table = RankTable(p * pos, (1 - p) * neg)
    found = find_metric(metric, kwargs).of_sample(setting.n, is_weighted=False)
    return found.value(table)


def coverage(
    setting: Setting, n_simulations: int, seed: int = 0, **options: Any
) -> tuple[float, float, float]:
    """Return how often the interval covers, misses above, and its mean width."""
    truth = true_value(setting)
    metric, kwargs = METRICS[setting.metric]
    generator = np.random.default_rng([seed, SETTINGS.index(setting)])
    ends = np.empty((n_simulations, 2))
    for i in range(n_simulations):
        y_true = np.zeros(1)
        while not 2 <= y_true.sum() <= setting.n - 2:
            y_true, y_score = draw(generator, *setting[1:])
        found = skrate.estimate(metric, y_true, y_score, **options, **kwargs)
        ends[i] = found.confidence_interval
    covers = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    width = float(np.mean(ends[:, 1] - ends[:, 0]))
    return float(covers.mean()), float(np.mean(ends[:, 0] > truth)), width
