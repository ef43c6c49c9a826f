"""What intervals and tests promise, by simulation: see CONTRIBUTING.md.

The tolerance is three binomial standard errors of the number that was really run.
"""

import numpy as np
import pytest

from guarantees import (
    assert_errors_are_the_spread,
    assert_level_and_power,
    assert_share,
    binomial_tolerance,
    held,
    simulated,
    simulations,
)
from simulated_intervals import METRICS, SETTINGS, coverage
from skrate import compare, estimate

pytestmark = pytest.mark.slow

# Floors of the coverage of 95 % intervals, by how many positives are expected: where
# six are, and where fewer are.
FLOORS = dict.fromkeys(METRICS, (0.89, 0.86)) | {
    "average precision": (0.86, 0.78),
    # At the prevalence, where the ranking is all but perfect: see the guide.
    "recall at 0.2": (0.67, 0.67),
}
# A tenth of the settings is a fair sample of them: neighbours differ in all respects.
CHOSEN = SETTINGS if simulations(10) > 1 else SETTINGS[::10]


@pytest.mark.parametrize("setting", CHOSEN, ids=lambda s: "-".join(map(str, s)))
def test_intervals_cover_the_truth(setting):
    n_simulations = simulations(1000)
    found = coverage(setting, n_simulations)
    expects_enough = setting.n * setting.prevalence > 6 - 1e-9
    for (metric, _), result in found.items():
        floor = FLOORS[metric][0 if expects_enough else 1]
        assert result.covered >= floor - binomial_tolerance(floor, n_simulations)


def test_clusters_keep_what_independence_would_not():
    generator, clusters = np.random.default_rng(0), np.arange(400) // 5

    def drawn(_):
        # 80 clusters of 5 cases: scores share a part, the class is the cluster's.
        y_true = np.repeat(generator.random(80) < 0.4, 5).astype(int)
        shared = np.repeat(generator.normal(size=80), 5)
        samples = y_true, y_true + 0.8 * shared + 0.6 * generator.normal(size=400)
        return [
            estimate("roc_auc", *samples, clusters=given).confidence_interval
            for given in (clusters, None)
        ]

    # The scores have variance 1: the AUC is that of a shift by 1.
    by_cluster, needs_groups = held(simulated(1000, drawn), 0.760250).T
    assert_share(by_cluster, at_least=0.94)
    assert np.mean(needs_groups) < 0.85


@pytest.mark.parametrize("stratify", [True, False])
def test_sampling_weights_stand_for_the_population(stratify):
    generator = np.random.default_rng(1)

    def drawn(_):
        y_true = (generator.random(3000) < 0.3).astype(int)
        y_score = generator.normal(size=3000) + 0.5 * y_true
        # Those of high scores were sampled more often.
        probability = np.where(y_score > 0.5, 0.5, 0.1)
        taken = generator.random(3000) < probability
        return estimate(
            "roc_auc", y_true[taken], y_score[taken], weights="sampling",
            sample_weight=1 / probability[taken], stratify=stratify,
        )  # fmt: skip

    found = simulated(1000, drawn)
    assert_errors_are_the_spread(found, slack=0.03)
    values = [one.value for one in found]
    slack = 3 * np.std(values) / np.sqrt(len(found)) + 0.002
    assert np.mean(values) == pytest.approx(0.638163, abs=slack)


@pytest.mark.parametrize("metric", ["AUC", "rAUC, beta(3, 19)", "average precision"])
@pytest.mark.parametrize("method", ["delta", "permutation"])
def test_paired_tests_keep_their_level_and_have_power(metric, method):
    function, kwargs = METRICS[metric]
    options = kwargs | {"method": method}
    options |= {"n_resamples": 200} if method == "permutation" else {}

    def test(y_true, a, b, seed):
        return compare(function, y_true, a, b, random_state=seed, **options)

    def labels(rng):
        return (rng.random(400) < 0.3).astype(int)

    assert_level_and_power(test, 500, labels, 1.0, (1.0, 4.0))


@pytest.mark.parametrize("metric", ["AUC", "rAUC, beta(3, 19)"])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(5, 50), (5, 200), (10, 100), (50, 200)])
def test_paired_tests_keep_their_level_with_few_positives(metric, n_pos, n_neg):
    function, kwargs = METRICS[metric]
    generator = np.random.default_rng([n_pos, n_neg])
    y_true = np.repeat([1, 0], [n_pos, n_neg])

    def rejects(_):
        shared = y_true + generator.normal(size=len(y_true))
        a, b = shared + generator.normal(size=(2, len(y_true)))
        found = compare(function, y_true, a, b, **kwargs)
        return found.pvalue <= 0.05, abs(found.statistic) > 1.96

    rejected, by_normal = np.transpose(simulated(2000, rejects))
    # With few positives it is a little shy.
    assert_share(rejected, at_least=0.025, at_most=0.05)
    if n_pos == 5:
        # What the normal distribution would make of the same statistics.
        assert np.mean(by_normal) > 1.3 * np.mean(rejected)
