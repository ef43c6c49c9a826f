"""Test samples, the batches that follow, and how often intervals hold their counts."""

from typing import NamedTuple

import numpy as np

from skrate import rates
from skrate.inference.models import evaluate
from skrate.inference.options import Plan
from skrate.inference.prediction import ExpectedHits, predict_counts
from skrate.inference.rankings import Rankings, check_sample
from skrate.metrics.hypothesis_tests import ConfidenceInterval

LAWS = {"a tenth": rates.fixed(0.1), "beta(3, 19)": rates.beta(3, 19)}
# Batches drawn after each sample.
N_BATCHES = 4


class Design(NamedTuple):
    """What samples and batches are drawn from: normal scores, those of positives up."""

    distribution: str
    n_test: int
    n_items: int
    prevalence: float
    shift: float = 1.5
    step: float | None = None
    per_cluster: int = 1

    def draw(self, generator, n):
        """Return classes and scores, which are a cluster's own part and one of each."""
        is_pos = np.repeat(
            generator.random(n // self.per_cluster) < self.prevalence, self.per_cluster
        )
        of_cluster = generator.normal(size=n // self.per_cluster)
        scores = generator.normal(size=n)
        if self.per_cluster > 1:
            shared = np.repeat(of_cluster, self.per_cluster)
            scores = 0.6 * scores + 0.8 * shared
        scores += self.shift * is_pos
        if self.step is not None:
            scores = np.round(scores / self.step) * self.step
        return is_pos, scores


DESIGNS = [
    Design(distribution, n_test, n_items, prevalence)
    for distribution in LAWS
    for n_test in (200, 1000)
    for n_items in (100, 5000)
    for prevalence in (0.05, 0.3)
]
# Nearly perfect, with ties, and in clusters.
DESIGNS += [
    Design("beta(3, 19)", 400, 1000, 0.1, shift=4),
    Design("a tenth", 400, 1000, 0.2, step=0.5),
    Design("beta(3, 19)", 1000, 1000, 0.2, per_cluster=5),
    # Without a budget that is unknown, clusters are what counts.
    Design("a tenth", 2000, 2000, 0.2, per_cluster=5),
]


# Narrower than any prediction interval.
EMPTY = ConfidenceInterval(np.inf, -np.inf)


def predicted(ranked, distribution, n_items, expected=(EMPTY,) * 3):
    """Return the prediction intervals of a batch, which contain the expected ones."""
    models = [
        evaluate([metric], [Rankings([ranked])], Plan(), are_warned=False)[0]
        for metric in (
            ExpectedHits(distribution),
            ExpectedHits(distribution, missed=True),
        )
    ]
    return predict_counts(*models, n_items, expected)


def coverage(design, n_simulations, seed=0):
    """Return the shares of batches whose counts are held and are below, by count."""
    generator = np.random.default_rng(seed)
    distribution, n_items = LAWS[design.distribution], design.n_items
    held, below = np.zeros((2, 3))
    for _ in range(n_simulations):
        is_pos, scores = design.draw(generator, design.n_test)
        clusters = None
        if design.per_cluster > 1:
            clusters = np.arange(design.n_test) // design.per_cluster
        ranked = check_sample(is_pos, scores, clusters=clusters)
        bounds = np.array(predicted(ranked, distribution, n_items))
        for rate in distribution.ppf(generator.random(N_BATCHES)):
            counts = _counts(generator, design, int(np.rint(n_items * rate)))
            held += (bounds[:, 0] <= counts) & (counts <= bounds[:, 1])
            below += counts < bounds[:, 0]
    n_batches = N_BATCHES * n_simulations
    return held / n_batches, below / n_batches


def _counts(generator, design, n_processed):
    """Return what a batch holds: found, missed and false alarms."""
    is_pos, scores = design.draw(generator, design.n_items)
    # Those that tie are processed in any order.
    order = np.lexsort([generator.random(design.n_items), -scores])
    found = np.count_nonzero(is_pos[order[:n_processed]])
    return np.array([found, np.count_nonzero(is_pos) - found, n_processed - found])
