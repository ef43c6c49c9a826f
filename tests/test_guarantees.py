"""What intervals and tests promise, by simulation: see CONTRIBUTING.md.

The tolerance is three binomial standard errors of the number that was really run.
"""

import numpy as np
import pytest

from guarantees import binomial_tolerance, simulations
from simulated_intervals import METRICS, SETTINGS, SHIFTS, Setting, coverage, draw
from skrate import compare, estimate

pytestmark = pytest.mark.slow

LOW, HIGH = 0.93, 0.97
# Where 95 % intervals cover less, as the documentation says: next to no errors in the
# sample, or 10 positives.
BAD = {
    Setting("AUC", 100, 0.1, "strong"): 0.88,
    Setting("rAUC, beta(3, 19)", 100, 0.5, "strong"): 0.80,
    Setting("average precision", 100, 0.1, "weak"): 0.89,
    Setting("average precision", 100, 0.5, "weak"): 0.92,
    Setting("average precision", 100, 0.5, "strong"): 0.91,
}
# More than it should: few values are possible.
WIDE = {Setting("recall at 0.2", 100, 0.1, strength) for strength in SHIFTS}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: "-".join(map(str, s)))
def test_intervals_cover_the_truth(setting):
    n_simulations = simulations(1000)
    found, _, _ = coverage(setting, n_simulations)
    slack = binomial_tolerance(0.95, n_simulations)
    assert found >= BAD.get(setting, LOW) - slack
    if setting not in WIDE:
        assert found <= HIGH + slack


def test_clusters_keep_what_independence_would_not():
    n_simulations = simulations(1000)
    generator = np.random.default_rng(0)
    covers = np.zeros((n_simulations, 2), dtype=bool)
    for i in range(n_simulations):
        # 80 clusters of 5 cases: scores share a part, the class is the cluster's.
        y_true = np.repeat(generator.random(80) < 0.4, 5).astype(int)
        shared = np.repeat(generator.normal(size=80), 5)
        y_score = y_true + 0.8 * shared + 0.6 * generator.normal(size=400)
        for j, groups in enumerate((np.arange(400) // 5, None)):
            low, high = estimate(
                "roc_auc", y_true, y_score, groups=groups
            ).confidence_interval
            # The scores have variance 1: the AUC is that of a shift by 1.
            covers[i, j] = low <= 0.760250 <= high
    by_cluster, by_case = covers.mean(axis=0)
    assert by_cluster >= LOW - binomial_tolerance(0.95, n_simulations)
    assert by_case < 0.85


@pytest.mark.parametrize("stratify", [True, False])
def test_sampling_weights_stand_for_the_population(stratify):
    n_simulations = simulations(1000)
    generator = np.random.default_rng(1)
    errors, values = [], []
    for _ in range(n_simulations):
        y_true, y_score = draw(generator, 3000, 0.3, "weak")
        # Those of high scores were sampled more often.
        probability = np.where(y_score > 0.5, 0.5, 0.1)
        taken = generator.random(3000) < probability
        result = estimate(
            "roc_auc",
            y_true[taken],
            y_score[taken],
            sample_weight=1 / probability[taken],
            weights="sampling",
            stratify=stratify,
        )
        values.append(result.value)
        errors.append(result.standard_error)
    spread = np.std(values)
    # The standard error of a standard deviation, three times.
    slack = 3 / np.sqrt(2 * n_simulations)
    assert np.mean(values) == pytest.approx(
        0.638163, abs=3 * spread / np.sqrt(n_simulations) + 0.002
    )
    assert np.mean(errors) == pytest.approx(spread, rel=slack + 0.03)


@pytest.mark.parametrize("metric", ["AUC", "rAUC, beta(3, 19)", "average precision"])
@pytest.mark.parametrize("method", ["delta", "permutation"])
def test_paired_tests_keep_their_level_and_have_power(metric, method):
    n_simulations = simulations(500)
    options = {"n_resamples": 200} if method == "permutation" else {}
    function, kwargs = METRICS[metric]
    generator = np.random.default_rng(2)
    rejected = np.zeros((n_simulations, 2), dtype=bool)
    for i in range(n_simulations):
        y_true = (generator.random(400) < 0.3).astype(int)
        shared = y_true + generator.normal(size=400)
        for j, loss in enumerate((1.0, 4.0)):
            a = shared + generator.normal(size=400)
            b = shared + loss * generator.normal(size=400)
            found = compare(
                function, y_true, a, b, method=method, random_state=i,
                **options, **kwargs,
            )  # fmt: skip
            rejected[i, j] = found.pvalue <= 0.05
    level, power = rejected.mean(axis=0)
    slack = binomial_tolerance(0.05, n_simulations)
    # 0.02 for samples of this size, beyond chance.
    assert 0.05 - 0.02 - slack <= level <= 0.05 + 0.02 + slack
    assert power > 0.6


@pytest.mark.parametrize("metric", ["AUC", "rAUC, beta(3, 19)"])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(5, 50), (5, 200), (10, 100), (50, 200)])
def test_paired_tests_keep_their_level_with_few_positives(metric, n_pos, n_neg):
    n_simulations = simulations(2000)
    function, kwargs = METRICS[metric]
    generator = np.random.default_rng([n_pos, n_neg])
    y_true = np.repeat([1, 0], [n_pos, n_neg])
    rejected = np.zeros(n_simulations, dtype=bool)
    by_normal = np.zeros(n_simulations, dtype=bool)
    for i in range(n_simulations):
        shared = y_true + generator.normal(size=len(y_true))
        a, b = shared + generator.normal(size=(2, len(y_true)))
        found = compare(function, y_true, a, b, **kwargs)
        rejected[i] = found.pvalue <= 0.05
        by_normal[i] = abs(found.statistic) > 1.96
    slack = binomial_tolerance(0.05, n_simulations)
    # With few positives it is a little shy.
    assert 0.05 - 0.025 - slack <= rejected.mean() <= 0.05 + slack
    if n_pos == 5:
        # What the normal distribution would make of the same statistics.
        assert by_normal.mean() > 1.3 * rejected.mean()
