"""How often intervals hold the expected gain, and how often a test of none rejects."""

import numpy as np
import pytest

from guarantees import binomial_tolerance, simulations
from skrate import compare, estimate, expected_gain_score, rates

LEVEL = 0.9
RATES = ["uniform", 0.2, rates.beta(3, 9)]


def audited(rng, n_cases):
    """Return labels, scores of two equal models, gains and costs that go with both."""
    y_true = rng.random(n_cases) < 0.3
    a, b = rng.normal(size=(2, n_cases)) + y_true
    gain = np.where(y_true, rng.lognormal(0, 0.7, n_cases), -0.2)
    # What gains more costs more.
    return y_true, a, b, gain, rng.lognormal(0, 0.5, n_cases) * (1 + 0.3 * np.abs(gain))


@pytest.mark.slow
@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("n_cases", [100, 400])
def test_intervals_cover_and_tests_keep_their_level(rate, n_cases):
    rng = np.random.default_rng(9)
    y_true, a, _, gain, cost = audited(rng, 1_000_000)
    options = {"rate": rate, "normalize": True}
    truth = expected_gain_score(y_true, a, gain=gain, cost=cost, **options)
    n_simulations = simulations(3000)
    n_covered = n_rejected = 0
    values, errors = [], []
    for _ in range(n_simulations):
        y_true, a, b, gain, cost = audited(rng, n_cases)
        options |= {"gain": gain, "cost": cost}
        found = estimate(
            expected_gain_score, y_true, a, confidence_level=LEVEL, **options
        )
        low, high = found.confidence_interval
        n_covered += low <= truth <= high
        values.append(found.value)
        errors.append(found.standard_error)
        test = compare(expected_gain_score, y_true, a, b, **options)
        n_rejected += test.pvalue < 1 - LEVEL
    tolerance = binomial_tolerance(LEVEL, n_simulations)
    # Sums of skewed gains are skewed: two hundredths for that.
    assert n_covered / n_simulations == pytest.approx(LEVEL, abs=tolerance + 0.02)
    assert n_rejected / n_simulations == pytest.approx(1 - LEVEL, abs=tolerance + 0.01)
    spread = np.std(values) / np.sqrt(np.mean(np.square(errors)))
    assert spread == pytest.approx(1, abs=0.03 + 3 / np.sqrt(2 * n_simulations))


@pytest.mark.slow
def test_the_test_of_uplift_keeps_its_level():
    """Without heterogeneity a priority gains nothing over treating at random."""
    rng = np.random.default_rng(10)
    n_simulations, n_rejected = simulations(3000), 0
    for _ in range(n_simulations):
        treated = rng.random(300) < 0.5
        outcome = rng.standard_exponential(300) + 0.3 * treated
        score = outcome * np.where(treated, 2, -2)
        found = compare(
            expected_gain_score, treated, rng.normal(size=300), np.zeros(300),
            gain=score, normalize=True,
        )  # fmt: skip
        n_rejected += found.pvalue < 1 - LEVEL
    tolerance = binomial_tolerance(LEVEL, n_simulations)
    assert n_rejected / n_simulations == pytest.approx(1 - LEVEL, abs=tolerance + 0.01)
