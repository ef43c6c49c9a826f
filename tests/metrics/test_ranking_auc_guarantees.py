"""The interval of the AUC within lists covers the truth as often as it says."""

import numpy as np
import pytest

from guarantees import binomial_tolerance, simulations
from skrate import group_scores

LEVEL = 0.9


def lists_of(rng, n_lists):
    """Return labels, scores and lists; lists differ in size, level and difficulty."""
    sizes = rng.integers(3, 25, n_lists)
    groups = np.repeat(np.arange(n_lists), sizes)
    level, skill = rng.normal(-1, 1, n_lists), rng.uniform(0, 2, n_lists)
    y_true = rng.random(len(groups)) < 1 / (1 + np.exp(-level[groups]))
    y_score = rng.normal(size=len(groups)) + skill[groups] * y_true
    return y_true, np.round(y_score, 1), groups


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "pairs", "positives", "size"])
def test_the_interval_over_lists_covers(average):
    rng = np.random.default_rng(8)
    *data, groups = lists_of(rng, 200_000)
    truth = group_scores("roc_auc", *data, groups=groups).mean(average)
    n_simulations = simulations(4000)
    n_covered = 0
    for _ in range(n_simulations):
        *data, groups = lists_of(rng, 150)
        scores = group_scores("roc_auc", *data, groups=groups)
        found = scores.estimate(average, confidence_level=LEVEL)
        low, high = found.confidence_interval
        n_covered += low <= truth <= high
    # A ratio of sums over 150 lists is a little skewed: one hundredth for that.
    tolerance = binomial_tolerance(LEVEL, n_simulations) + 0.01
    assert n_covered / n_simulations == pytest.approx(LEVEL, abs=tolerance)
