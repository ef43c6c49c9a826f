"""The rate that a recall asks for, of a consensus curve."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from guarantees import binomial_tolerance, simulations
from looped import looped
from simulated_folds import SETTINGS
from simulated_recall import consensus_misses
from skrate import estimate, rate_at_recall_score, rate_averaged_roc_curve


def sample(seed=0, n_folds=4):
    rng = np.random.default_rng(seed)
    y = [np.repeat([1, 0], [20, 60])] * n_folds
    return y, [rng.normal(size=80) + 1.5 * fold for fold in y]


@looped("recall", [0.3, 0.8, 0.95, 1])
@looped("bounds", ["exact", "parametric", "bootstrap"])
def test_that_of_one_fold_is_that_of_its_ranking(recall, bounds):
    (y_true,), (y_score,) = sample(n_folds=1)
    options = {"bounds": bounds, "n_resamples": 50, "random_state": 0}
    curve = rate_averaged_roc_curve([y_true], [y_score], rates=[0.5, 1], **options)
    found = curve.rate_at_recall(recall)
    alone = estimate(
        rate_at_recall_score, y_true, y_score, recall=recall, stratify=True
    )
    assert found.value == pytest.approx(alone.value, abs=1e-12)
    ends = found.confidence_interval, alone.confidence_interval
    assert_allclose(*ends, rtol=0, atol=1e-9)


def test_nothing_must_be_processed_for_no_recall():
    y, scores = sample()
    found = rate_averaged_roc_curve(y, scores).rate_at_recall(0)
    assert found.value == 0
    assert found.confidence_interval.low == 0


# The short form takes a third of the settings.
CHOSEN = list(SETTINGS) if simulations(10) > 1 else list(SETTINGS)[::3]


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOSEN)
def test_few_reviewers_stop_too_early(name):
    n_simulations = simulations(300)
    for recall in (0.8, 0.95):
        found = consensus_misses(SETTINGS[name], recall, n_simulations)
        assert found.below <= 0.03 + binomial_tolerance(0.03, n_simulations)
        assert found.above <= 0.05 + binomial_tolerance(0.05, n_simulations)
