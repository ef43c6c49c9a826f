"""One value and one standard error, and p-values that agree with intervals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference_cases import JUMPS, SMOOTH, SOME, each, sample
from skrate import compare, estimate, recall_at_rate_score
from skrate.inference.intervals import (
    bootstrap_interval,
    bootstrap_pvalue,
    permutation_interval,
    permutation_pvalue,
)

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
    return {**kwargs, **DESIGNS[design]}


# Of 16 positives, which is the same for all of them.
@pytest.mark.filterwarnings("ignore:.*the standard error may be far too small")
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
    if design.startswith("sampling"):
        # Differences allow for samples of high weight that were not drawn.
        assert both.standard_error**2 > of_difference * (1 - 1e-6)
    else:
        assert both.standard_error**2 == pytest.approx(of_difference, rel=1e-6)
    if "clusters" in options or "stratify" in options:
        return
    # A case of weight 0 has influence 0.
    values = estimate(metric, Y, A, **options).influence
    weight = np.asarray(options.get("sample_weight", np.ones(60)), dtype=float)
    is_sampling = "weights" in options
    squares = (weight**2 if is_sampling else weight) @ values**2 / weight.sum() ** 2
    assert squares == pytest.approx(one.standard_error**2, rel=1e-9)


@each([SOME[-1], (recall_at_rate_score, {"rate": 0.25})])
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


LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99]
BOUNDS = (-1.0, 1.0)
METHODS = [
    ("delta", "wald"),
    ("bootstrap", "wald"),
    ("bootstrap", "percentile"),
    ("permutation", "wald"),
]
each_method = pytest.mark.parametrize(("method", "interval"), METHODS)


def assert_agreement(result):
    """Assert that 0 is outside of the interval where p is small, and the value not."""
    low, high = result.confidence_interval
    assert low <= result.value <= high
    is_outside = not low <= 0 <= high
    assert is_outside == (result.pvalue < 1 - result.confidence_level)


@pytest.mark.filterwarnings("ignore:The .* is undefined on .* resamples")
@pytest.mark.filterwarnings("ignore:.*the standard error may be far too small")
@each(SMOOTH + JUMPS)
@each_method
def test_zero_is_outside_where_the_p_value_is_small(metric, kwargs, method, interval):
    generator = np.random.default_rng(0)
    y_true = np.repeat([1, 0], [12, 48])
    a = np.round(generator.normal(size=60) + y_true, 1)
    b = np.round(a + generator.normal(size=60), 1)
    options = {"method": method, "interval": interval, **kwargs}
    if method != "delta":
        options |= {"n_resamples": 99, "random_state": 0}
    for level in (0.8, 0.95, 0.99):
        result = compare(metric, y_true, a, b, confidence_level=level, **options)
        assert_agreement(result)


# Full of ties, with one another, with 0 and with the difference.
VALUES = st.integers(-20, 20).map(lambda number: number / 20)
DRAWS = st.lists(VALUES, min_size=2, max_size=120).map(np.array)


@given(VALUES, DRAWS, st.sampled_from(LEVELS))
def test_bootstrap_p_values_and_intervals_agree(difference, draws, level):
    pvalue = bootstrap_pvalue(difference, draws, "two-sided")
    low, high = bootstrap_interval(difference, draws, level, BOUNDS)
    assert (pvalue < 1 - level) == (not low <= 0 <= high)
    assert low <= difference <= high


@given(VALUES, DRAWS, st.sampled_from(LEVELS))
def test_permutation_p_values_and_intervals_agree(difference, permuted, level):
    pvalue = permutation_pvalue(difference, permuted, "two-sided")
    low, high = permutation_interval(difference, permuted, level, BOUNDS)
    assert (pvalue < 1 - level) == (not low <= 0 <= high)
    assert low <= difference <= high


def test_bootstrap_by_hand():
    # Of 99 replicates two are at or below 0: p = 2 (2 + 1) / 100.
    draws = np.arange(-1, 98) / 100
    assert bootstrap_pvalue(0.5, draws, "two-sided") == pytest.approx(0.06)
    # At 90 % an end has up to 4 beyond it, as 2 (3 + 1) / 100 is below 0.1 and
    # 2 (4 + 1) / 100 is not.
    found = bootstrap_interval(0.5, draws, 0.9, BOUNDS)
    assert found == pytest.approx((0.02, 0.94))


def test_permutation_by_hand():
    # Of 19 none is as far off as 0.5: p = 1 / 20; the furthest is 0.4.
    permuted = np.linspace(-0.4, 0.4, 19)
    assert permutation_pvalue(0.5, permuted, "two-sided") == 0.05
    found = permutation_interval(0.5, permuted, 0.9, BOUNDS)
    assert found == pytest.approx((0.1, 0.9))
    # 19 can tell nothing at 96 %.
    assert permutation_interval(0.5, permuted, 0.96, BOUNDS) == BOUNDS


@pytest.mark.parametrize("n", [9, 19, 99])
def test_a_pvalue_equal_to_the_error_keeps_the_value_in(n):
    # The k-th of n differences has the p-value k / (n + 1), which at the exact level
    # 1 - k / (n + 1) is not below the error, whatever floats make of it.
    permuted = np.arange(1.0, n + 1)
    for k in range(1, n + 1):
        level = float(1 - Fraction(k, n + 1))
        low, high = permutation_interval(0.0, permuted, level, (-200.0, 200.0))
        # Of the largest k - 1 the p-value is below the error.
        reach = n - (k - 2) if k > 1 else 200.0
        assert (low, high) == (-reach, reach)
