"""Bands for the whole curve: bounds that hold it at all rates at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from looped import looped
from simulated_folds import high_of, low_of
from skrate import rate_averaged_roc_curve
from skrate.curves.bounds import bootstrap_counts, joint_range, pointwise_range

WHOLE = ["exact", "bootstrap", "bootstrap-adjusted"]
RATES = np.arange(51) / 50
# Counts over whole numbers of cases: only rounding is between them.
ROUNDING = 1e-9


def sample(seed, n_folds=10, n=50):
    rng = np.random.default_rng([12, seed])
    y = np.repeat([1, 0], n // 2)
    return [y] * n_folds, [rng.normal(size=n) + y for _ in range(n_folds)]


def holds(curve, recall):
    """Return whether each curve of recalls lies within the bounds at all rates."""
    is_within = recall >= low_of(curve) - ROUNDING
    is_within &= recall <= high_of(curve) + ROUNDING
    return is_within.all(axis=-1)


@looped("bounds", WHOLE)
def test_the_band_holds_its_share_of_new_curves(bounds):
    band = rate_averaged_roc_curve(
        *sample(2), bounds=bounds, band="simultaneous", confidence_level=0.8,
        n_resamples=4000, random_state=0,
    )  # fmt: skip
    counts = bootstrap_counts(
        band.folds, RATES, 4000, np.random.default_rng(1),
        is_adjusted=bounds == "bootstrap-adjusted",
    )  # fmt: skip
    share = holds(band, counts / 250).mean()
    # Both were drawn 4,000 times, and only whole counts are left out.
    assert 0.8 - 3 * np.sqrt(2 * 0.8 * 0.2 / 4000) < share < 0.83


@given(
    st.lists(
        st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=12
    ),
    st.sampled_from([0.25, 0.5, 0.75]),
)
def test_the_range_of_whole_rows_is_the_narrowest_of_ordered_ones(rows, level):
    counts = np.array(rows, dtype=float)
    ordered = np.sort(counts, axis=0)
    pointwise = pointwise_range(counts, level)
    enough = []
    for n_out in range((len(rows) + 1) // 2):
        low, high = ordered[n_out], ordered[len(rows) - 1 - n_out]
        held = np.mean(np.all((counts >= low) & (counts <= high), axis=1))
        is_wide = np.all(low <= pointwise[0]) and np.all(high >= pointwise[1])
        if held >= level and is_wide:
            enough.append((low.tolist(), high.tolist()))
    found = tuple(side.tolist() for side in joint_range(counts, level))
    assert found == enough[-1]


def test_other_bounds_make_no_band():
    for bounds in ("parametric", "normal", "beta", None):
        message = f"bounds={bounds!r} does not support band="
        with pytest.raises(ValueError, match=message):
            rate_averaged_roc_curve(*sample(0), bounds=bounds, band="simultaneous")


def test_where_the_first_rate_finds_more_the_interval_begins_at_zero():
    y_true = [0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1]
    curve = rate_averaged_roc_curve(
        [y_true], [[2 * y for y in y_true]], rates=[0.3, 0.5, 0.8],
        band="simultaneous", n_resamples=50, random_state=0,
    )  # fmt: skip
    needed = curve.rate_at_recall(0.34)
    assert needed.confidence_interval.low == 0
    assert needed.confidence_interval.high >= needed.value
