"""The standard error, interval and paired test of the partial AUC, by simulation."""

import numpy as np
import pytest
from scipy import integrate, stats

from guarantees import binomial_tolerance, simulations
from skrate import compare, estimate, partial_auc_score

pytestmark = pytest.mark.slow

SHIFT = 1.5
WINDOWS = {
    "early": {"fpr": (0, 0.1)},
    "sensitive": {"tpr": (0.7, 1)},
    "two-way": {"fpr": (0, 0.5), "tpr": (0.5, 1)},
    "CROC": {"fpr": stats.truncexpon(b=7, scale=1 / 7)},
}
each_window = pytest.mark.parametrize("name", WINDOWS)


def height(f):
    """Return the curve of two normal classes, ``SHIFT`` apart."""
    return stats.norm.sf(stats.norm.isf(f) - SHIFT)


def true_area(fpr=(0, 1), tpr=(0, 1)):
    """Return the area under that curve, by quadrature."""
    if not isinstance(fpr, tuple):
        return integrate.quad(lambda f: height(f) * fpr.pdf(f), 0, 1)[0]
    bends = stats.norm.sf(stats.norm.isf(tpr) + SHIFT)
    bends = [f for f in bends if fpr[0] < f < fpr[1]] or None
    return integrate.quad(
        lambda f: np.clip(height(f), *tpr) - tpr[0], *fpr, points=bends
    )[0]


@each_window
def test_the_standard_error_is_the_spread_and_the_interval_covers(name):
    window, n_simulations = WINDOWS[name], simulations(1000)
    rng = np.random.default_rng(0)
    y_true = np.repeat([1, 0], [60, 240])
    truth, n_covered = true_area(**window), 0
    values, errors = np.empty(n_simulations), np.empty(n_simulations)
    for i in range(n_simulations):
        y_score = rng.normal(size=300) + SHIFT * y_true
        found = estimate(
            partial_auc_score, y_true, y_score, standardize=None, stratify=True,
            **window,
        )  # fmt: skip
        values[i], errors[i] = found.value, found.standard_error
        low, high = found.confidence_interval
        n_covered += low <= truth <= high
    # Three standard errors of a standard deviation, and what a sample of this size is
    # off: the mean may be higher, since curves are steps.
    slack = 3 / np.sqrt(2 * n_simulations)
    assert np.sqrt((errors**2).mean()) == pytest.approx(values.std(), rel=slack + 0.06)
    error_of_mean = values.std() / np.sqrt(n_simulations)
    assert values.mean() == pytest.approx(truth, rel=0.03, abs=3 * error_of_mean)
    floor = 0.92
    assert n_covered / n_simulations >= floor - binomial_tolerance(floor, n_simulations)


@each_window
def test_the_paired_test_keeps_its_level_and_has_power(name):
    n_simulations = simulations(500)
    rng = np.random.default_rng(1)
    y_true = np.repeat([1, 0], [80, 320])
    rejected = np.zeros((n_simulations, 2), dtype=bool)
    for i in range(n_simulations):
        shared = rng.normal(size=400) + SHIFT * y_true
        for j, loss in enumerate((0.8, 2.5)):
            a = shared + 0.8 * rng.normal(size=400)
            b = shared + loss * rng.normal(size=400)
            found = compare(partial_auc_score, y_true, a, b, **WINDOWS[name])
            rejected[i, j] = found.pvalue <= 0.05
    level, power = rejected.mean(axis=0)
    slack = binomial_tolerance(0.05, n_simulations)
    assert 0.05 - 0.02 - slack <= level <= 0.05 + 0.02 + slack
    assert power > 0.6
