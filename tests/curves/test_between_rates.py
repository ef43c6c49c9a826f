"""Bounds that are read between the rates at which they were computed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from looped import looped
from simulated_folds import high_of, low_of
from skrate import rate_averaged_roc_curve
from skrate.curves.consensus import METHODS
from strategies import ranked_samples

COARSE = [0, 0.1, 0.2, 1]
ALIKE, UNEQUAL = [(150, 1350)] * 5, [(150, 1350), (240, 760), (80, 400)]
INNER, IN_REPEATS = [0.05, 0.25, 0.45, 0.95], {"repeats": [0, 0, 1, 1, 1]}
POINTWISE = [
    (ALIKE, COARSE, {}),
    (UNEQUAL, COARSE, {}),
    (ALIKE, INNER, {}),
    (ALIKE, COARSE, IN_REPEATS),
    (ALIKE, COARSE, {"bounds": "parametric"}),
]
BASELINES = [(ALIKE, COARSE, {"bounds": bounds}) for bounds in ("beta", "normal")]
BAND = {"band": "simultaneous", "n_resamples": 200, "random_state": 0}
# Those of which the rate of a recall is read off the bounds.
READ = [(sizes, rates, BAND | more) for sizes, rates, more in POINTWISE[:4]] + BASELINES


def folds_of(sizes, shift=1.5):
    rng = np.random.default_rng(0)
    y = [np.repeat([1, 0], size) for size in sizes]
    return y, [rng.normal(size=len(fold)) + shift * fold for fold in y]


def miss(found, expected):
    """Return how far two ends are from those expected, in widths of these."""
    found, expected = np.array(found), np.array(expected)
    return np.abs(found - expected).max() / np.ptp(expected)


def test_default_rates_do_not_end_an_interval_at_its_value():
    folds = folds_of([(1000, 9000)] * 10, shift=2)
    found = rate_averaged_roc_curve(*folds).recall_at_rate(0.0025)
    exact = rate_averaged_roc_curve(*folds, rates=[0.0025]).recall_at_rate(0.0025)
    ends = found.confidence_interval, exact.confidence_interval
    assert miss(*ends) < 0.3


@settings(max_examples=10)
@given(
    st.lists(ranked_samples(), min_size=2, max_size=3),
    st.lists(st.integers(0, 20), min_size=1, max_size=4, unique=True),
    st.sampled_from(METHODS),
)
def test_bounds_between_rates_rise_hold_the_curve_and_can_be_reached(
    samples, steps, bounds
):
    grid = np.sort(steps) / 20
    curve = rate_averaged_roc_curve(
        [s.y_true for s in samples],
        [s.y_score for s in samples],
        rates=grid,
        bounds=bounds,
        n_resamples=50,
        random_state=0,
    )
    asked = np.linspace(grid[0], grid[-1], 23)
    points = [curve.recall_at_rate(rate) for rate in asked]
    values = np.array([point.value for point in points])
    lower, upper = np.array([point.confidence_interval for point in points]).T
    assert (lower <= values).all()
    assert (values <= upper).all()
    for rate, low, high in zip(grid, low_of(curve), high_of(curve), strict=True):
        ends = curve.recall_at_rate(rate).confidence_interval
        assert ends == pytest.approx((low, high), abs=1e-12)
    if bounds == "normal":
        return
    processed = asked / curve.prevalence
    for recalls in (lower, upper):
        assert recalls.min() >= 0
        assert recalls.max() <= 1
        assert (recalls <= processed + 1e-9).all()
        if bounds != "beta":
            assert (np.diff(recalls) >= -1e-9).all()
            assert (np.diff(processed - recalls) >= -1e-9).all()


@looped("sizes, rates, options", READ)
def test_both_directions_read_the_same_bounds(sizes, rates, options):
    curve = rate_averaged_roc_curve(*folds_of(sizes), rates=rates, **options)
    for recall in (0.52, 0.75, 0.92):
        sooner, later = curve.rate_at_recall(recall).confidence_interval
        for side, rate in (("high", sooner), ("low", later)):
            ends = curve.recall_at_rate(rate).confidence_interval
            assert getattr(ends, side) == pytest.approx(recall, abs=1e-9)
