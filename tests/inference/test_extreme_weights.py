"""Weights of any size: a number, or nan with its warning, and no other warning."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from fuzzing.calls import FEW_PROCESSED, TELLS_LITTLE
from inference_cases import JUMPS, SMOOTH, each, sample
from looped import case
from skrate import compare, estimate

Y, A = sample(0, n=24, shift=2)
B = np.round(A + np.random.default_rng(1).normal(size=24), 1)
WEIGHTS = {
    "all great": np.full(24, 1e100),
    "rare positives": np.where(Y == 1, 1e-17, 1.0),
    "next to no negatives": np.where(Y == 1, 1e-90, 1e90),
    "one case for all": np.where(np.arange(24) == 5, 1e17, 1.0),
    "all powers of ten": 10.0 ** np.linspace(99, -99, 24),
    "one case is a class": np.where(np.arange(24) == 2, 1e99, 1e-99),
}


def numbers(result):
    if isinstance(result, np.ndarray):
        return result.ravel()
    return np.array([result.value, result.standard_error, *result.confidence_interval])


@each((SMOOTH + JUMPS)[::2])
@pytest.mark.parametrize(
    "method",
    [
        "delta",
        *(pytest.param(m, marks=pytest.mark.slow) for m in ("bootstrap", "jackknife")),
    ],
)
def test_there_is_a_number_or_nan_with_a_warning(metric, kwargs, method):
    if "k" in kwargs:
        kwargs = {"rate": 0.2}
    for name, weight in WEIGHTS.items():
        with case(name):
            check_weight(metric, kwargs, weight, method)


def check_weight(metric, kwargs, weight, method):
    options = {"sample_weight": weight, "weights": "sampling", **kwargs}
    drawn = {"method": method, "n_resamples": 20, "random_state": 0}
    calls = [lambda: estimate(metric, Y, A, **drawn, **options)]
    if method == "delta":
        calls.append(lambda: estimate(metric, Y, A, **options).influence)
        models = {"a": A, "b": B}
        calls.append(lambda: compare(metric, Y, models, **options).covariance)
    if method != "jackknife":
        calls.append(lambda: compare(metric, Y, A, B, **drawn, **options))
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = call()
        # Beside these, 24 cases are few for some rates.
        caught = [w for w in caught if not FEW_PROCESSED.match(str(w.message))]
        # That a sample tells too little may be said of any value.
        caught = [w for w in caught if not TELLS_LITTLE.search(str(w.message))]
        assert {w.category for w in caught} <= {UndefinedMetricWarning}
        assert caught or np.isfinite(numbers(result)).all()
