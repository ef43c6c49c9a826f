"""How often a statistical guarantee (marked ``slow``) is simulated.

``SKRATE_GUARANTEES=short`` runs a tenth of the simulations, ``full`` (the default)
all of them. A tolerance is three binomial standard errors of the number that was
really run, so that the short form is weaker and not wrong.
"""

import math
import os

import numpy as np
import pytest

SHARES = {"full": 1.0, "short": 0.1}


def simulations(full: int) -> int:
    """Return how many simulations to run where ``full`` is the whole number."""
    form = os.environ.get("SKRATE_GUARANTEES", "full")
    if form not in SHARES:
        raise ValueError(
            f"SKRATE_GUARANTEES must be one of {sorted(SHARES)}, found {form!r}."
        )
    return max(1, math.ceil(full * SHARES[form]))


def binomial_tolerance(probability: float, n_simulations: int) -> float:
    """Return three binomial standard errors of a share of ``n_simulations``."""
    return 3 * math.sqrt(probability * (1 - probability) / n_simulations)


def simulated(full, simulate):
    """Return ``simulate(0)`` and so on, where ``full`` is the whole number."""
    return [simulate(i) for i in range(simulations(full))]


def held(found, truth):
    """Return which intervals, or those of which results, hold the truth."""
    ends = [getattr(one, "confidence_interval", one) for one in found]
    low, high = np.moveaxis(np.array(ends), -1, 0)
    return (low <= truth) & (truth <= high)


def assert_share(events, *, at_least=0.0, at_most=1.0):
    """Assert in which share of simulations something, or each of a row, happens."""
    shares, n = np.mean(events, axis=0), len(events)
    assert np.all(shares >= at_least - binomial_tolerance(at_least, n)), shares
    assert np.all(shares <= at_most + binomial_tolerance(at_most, n)), shares


def assert_errors_are_the_spread(found, slack):
    """Assert that standard errors are the standard deviation of the values."""
    values, errors = np.transpose([(one.value, one.standard_error) for one in found])
    # The standard error of a standard deviation, three times.
    slack += 3 / math.sqrt(2 * len(found))
    assert math.sqrt(np.mean(errors**2)) == pytest.approx(np.std(values), rel=slack)


def assert_level_and_power(test, full, labels, shift, losses, at_least=0.03):
    """Assert that a paired test keeps its level, and has power against a worse model.

    ``test(y_true, a, b, seed)`` is of models that add noise to the same scores, by the
    first of the ``losses`` and by either; ``labels(rng)`` draws the classes. The level
    is 0.05, but for 0.02 in samples of such sizes.
    """
    rng = np.random.default_rng(2)

    def rejects(seed):
        y_true = labels(rng)
        shared = shift * y_true + rng.normal(size=len(y_true))
        found = []
        for loss in losses:
            noise = rng.normal(size=(2, len(y_true)))
            a, b = shared + np.array([[losses[0]], [loss]]) * noise
            found.append(test(y_true, a, b, seed).pvalue <= 0.05)
        return found

    level, power = np.transpose(simulated(full, rejects))
    assert_share(level, at_least=at_least, at_most=0.07)
    assert np.mean(power) > 0.6
