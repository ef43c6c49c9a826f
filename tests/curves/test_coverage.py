"""What the bounds promise, by simulation: the experiment of the paper, in short.

benchmarks/reproduce/millard_kull_flach_2014.py prints the whole table.
"""

import numpy as np
import pytest

from guarantees import binomial_tolerance, simulations
from simulated_folds import RATES as ALL_RATES
from simulated_folds import SETTINGS, SHOWN, coverage, high_of, low_of, recall_at
from skrate import rate_averaged_roc_curve
from skrate.curves.bounds import bootstrap_counts

pytestmark = pytest.mark.slow

N_TABLES = 1000
RATES = np.arange(51) / 50
MIDDLE = (RATES > 0.099) & (RATES < 0.901)
# The short form takes a third of the settings, from all kinds of them.
CHOSEN = list(SETTINGS) if simulations(10) > 1 else list(SETTINGS)[::3]
# Counts are whole: only rounding is between them.
ROUNDING = 1e-9


def sample(rng, n):
    y = np.repeat([1, 0], n // 2)
    return [y] * 10, [rng.normal(size=n) + y for _ in range(10)]


def held(curve, recall):
    above = recall >= low_of(curve) - ROUNDING
    return above & (recall <= high_of(curve) + ROUNDING)


def share_of_new_tables(bounds, n_tests):
    """Return the share of new consensus curves within the bounds, by rate."""
    shares = []
    for seed in range(n_tests):
        rng = np.random.default_rng([1, seed])
        curve = rate_averaged_roc_curve(*sample(rng, 50), bounds=bounds)
        counts = bootstrap_counts(curve.folds, RATES, N_TABLES, rng)
        shares.append(held(curve, counts / 250).mean(axis=0))
    return np.mean(shares, axis=0)


def test_exact_bounds_hold_at_every_rate():
    n_tests = simulations(100)
    shares = share_of_new_tables("exact", n_tests)
    assert np.all(shares >= 0.95 - binomial_tolerance(0.95, n_tests * N_TABLES))
    # No more than whole counts ask for.
    assert np.all(shares[MIDDLE] <= 0.975)


def test_parametric_bounds_hold_but_at_the_ends():
    shares = share_of_new_tables("parametric", simulations(100))
    assert 0.94 < shares[MIDDLE].mean() < 0.96
    assert shares[2] < 0.93


@pytest.mark.parametrize("name", CHOSEN)
def test_bounds_hold_the_population_whatever_the_folds(name):
    n_tests = simulations(100)
    kinds = [("exact", "pointwise"), ("bootstrap", "pointwise")]
    kinds += [("exact", "simultaneous")]
    found = coverage(SETTINGS[name], n_tests, kinds)
    places = np.searchsorted(ALL_RATES, SHOWN)
    slack = binomial_tolerance(0.95, n_tests)
    for bounds in ("exact", "bootstrap"):
        result = found[bounds, "pointwise"]
        assert result.own == 1
        # Few positives: the truth may lie between the counts that are possible.
        assert np.all(np.array(result.covered)[places] >= 0.93 - slack)
    band = found["exact", "simultaneous"]
    assert band.whole >= 0.94 - slack
    assert np.mean(band.width) < 1.6 * np.mean(found["exact", "pointwise"].width)


@pytest.mark.parametrize("n", [50, 1000])
def test_exact_bounds_hold_the_true_curve(n):
    n_tests = simulations(200)
    inner = np.array([5, 15, 25, 35, 45])
    truth = [recall_at(rate, 0.5, 1) for rate in RATES[inner]]
    found = np.zeros(len(inner))
    for seed in range(n_tests):
        data = sample(np.random.default_rng([2, n, seed]), n)
        curve = rate_averaged_roc_curve(*data, rates=RATES[inner])
        found += held(curve, truth)
    assert np.all(found / n_tests >= 0.95 - binomial_tolerance(0.95, n_tests))
