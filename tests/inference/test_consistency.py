"""One model has one value and one standard error, whoever computes them."""

import numpy as np
import pytest

from inference_cases import JUMPS, SMOOTH, SOME, each, sample
from skrate import compare, estimate, expected_recall_score, influence

Y, A = sample(0, n=60, shift=2)
B = np.round(A + np.random.default_rng(1).normal(size=60), 1)
GENERATOR = np.random.default_rng(2)
DESIGNS = {
    "cases": {},
    "fixed sizes": {"stratify": True},
    "repeated": {"sample_weight": GENERATOR.integers(0, 4, 60)},
    "sampling": {
        "sample_weight": GENERATOR.exponential(size=60),
        "weights": "sampling",
    },
    "sampling, fixed sizes": {
        "sample_weight": GENERATOR.exponential(size=60),
        "weights": "sampling",
        "stratify": True,
    },
    "clusters": {"clusters": GENERATOR.integers(0, 20, 60)},
    "weighted clusters": {
        "sample_weight": GENERATOR.exponential(size=60),
        "weights": "sampling",
        "clusters": GENERATOR.integers(0, 20, 60),
    },
}
each_design = pytest.mark.parametrize("design", DESIGNS)


def fitted(kwargs, design):
    """Return the options of a metric; with weights a count has no meaning as a rate."""
    if "k" in kwargs:
        kwargs = {"rate": 0.4}
    if "prevalence" in kwargs and design == "repeated":
        kwargs = {**kwargs, "tail": "empirical"}
    return {**kwargs, **DESIGNS[design]}


# Of 16 positives, which is the same for all of them.
@pytest.mark.filterwarnings("ignore:.* its standard error may be far too small")
@each(SMOOTH + JUMPS)
@each_design
def test_the_delta_method_gives_a_model_one_standard_error(metric, kwargs, design):
    options = fitted(kwargs, design)
    one, other = (estimate(metric, Y, score, **options) for score in (A, B))
    both = compare(metric, Y, A, B, **options)
    assert (both.value_a, both.value_b) == (one.value, other.value)
    of_all = compare(metric, Y, {"a": A, "b": B}, **options)
    assert of_all.pairs == (both,)
    matrix = of_all.covariance
    expected = [one.standard_error**2, other.standard_error**2]
    np.testing.assert_allclose(np.diag(matrix), expected, rtol=1e-9)
    of_difference = np.array([1, -1]) @ matrix @ [1, -1]
    assert both.standard_error**2 == pytest.approx(of_difference, rel=1e-6)
    if "clusters" in options or "stratify" in options:
        return
    # A case of weight 0 has influence 0.
    values = influence(metric, Y, A, **options)
    weight = np.asarray(options.get("sample_weight", np.ones(60)), dtype=float)
    is_sampling = "weights" in options
    squares = (weight**2 if is_sampling else weight) @ values**2 / weight.sum() ** 2
    assert squares == pytest.approx(one.standard_error**2, rel=1e-9)


@each([SOME[-1], (expected_recall_score, {"rate": 0.25})])
@each_design
@pytest.mark.parametrize("method", ["delta", "bootstrap", "permutation"])
def test_a_model_does_not_differ_from_itself(metric, kwargs, design, method):
    options = fitted(kwargs, design)
    options |= {"method": method, "random_state": 0, "n_resamples": 30}
    result = compare(metric, Y, A, 2 * A, **options)
    assert (result.value, result.standard_error) == (0, 0)
    assert (result.statistic, result.pvalue) == (0, 1)
    low, high = result.confidence_interval
    assert low < 0 < high
    by_all = compare(metric, Y, {"a": A, "2 a": 2 * A}, **options)
    assert by_all.pairs[0].pvalue == 1
