"""Ends of ranges over sets of laws: by hand, against linprog, against random laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from reference.rate_programs import end_of_range
from set_strategies import random_law, sets_of_laws
from skrate import rates
from skrate.rates.extremes import extreme
from skrate.rates.sets import ENDS, RateCurve, difference


@st.composite
def curves(draw, *, wide=None):
    """Draw a curve over the rate with knots at random, and at times widths."""
    inner = draw(st.lists(st.integers(1, 99), max_size=12, unique=True).map(sorted))
    knots = np.array([0, *inner, 100]) / 100
    # The solver of linear programs takes what is below 1e-7 for nothing.
    numbers = st.integers(-3, 3) | st.floats(-1, 1).map(lambda x: round(x, 4))
    size = {"min_size": len(knots), "max_size": len(knots)}
    values = np.array(draw(st.lists(numbers, **size)), dtype=float)
    if wide is None:
        wide = draw(st.booleans())
    widths = draw(st.lists(st.floats(0.1, 2), **size)) if wide else None
    return RateCurve(knots, values, None if widths is None else np.array(widths))


@given(known=sets_of_laws(), curve=curves())
def test_the_ends_are_those_of_linear_programs(known, curve):
    for end in ENDS:
        expected = end_of_range(known, *curve, end=end)
        assert_allclose(extreme(known, curve, end).value, expected, rtol=0, atol=1e-9)


@given(known=sets_of_laws(), curve=curves())
def test_the_ends_are_attained_by_laws_of_the_set(known, curve):
    for end in ENDS:
        value, law = extreme(known, curve, end)
        assert known.contains(law)
        assert value == curve.under(law)
        assert len(law.points) <= 2 * len(known.masses)


@given(known=sets_of_laws(), curve=curves(), seed=st.integers(0, 99))
def test_no_random_law_of_the_set_is_outside(known, curve, seed):
    law = random_law(np.random.default_rng(seed), known)
    assert known.contains(law)
    low, high = (extreme(known, curve, end).value for end in ENDS)
    assert low - 1e-12 <= curve.under(law) <= high + 1e-12


def test_by_hand():
    curve = RateCurve(np.array([0, 0.2, 0.6, 1]), np.array([0, 1, -1, 0]))
    known = rates.between({0.25: 0.4})
    # A quarter below 0.4, where the curve is from 0 to 1, the rest above, where it is
    # from -1 to 0.
    value, law = extreme(known, curve, "high")
    assert value == 0.25 * 1 + 0.75 * 0
    assert law.points.tolist() == [0.2, 0.4]
    assert law.masses.tolist() == [0.25, 0.75]
    value, law = extreme(known, curve, "low")
    assert value == 0.25 * 0 + 0.75 * -1
    assert law.points.tolist() == [0.0, 0.6]
    # A mean of 0.5 takes 0.05 from each: 0.25 * 0.2 + 0.75 * 0.6 = 0.5.
    value, law = extreme(rates.between({0.25: 0.4}, mean=0.5), curve, "low")
    assert_allclose(law.masses @ law.points, 0.5, rtol=0, atol=1e-15)
    assert_allclose(value, end_of_range(rates.between({0.25: 0.4}, mean=0.5), *curve))


def test_with_a_mean_the_best_law_mixes_neighbouring_corners():
    curve = RateCurve(np.array([0, 0.5, 1]), np.array([0.0, 1.0, 0.0]))
    value, law = extreme(rates.between(mean=0.25), curve, "high")
    assert value == 0.5
    assert law.points.tolist() == [0.0, 0.5]
    value, law = extreme(rates.between(mean=(0.25, 0.75)), curve, "high")
    assert (value, law.points.tolist()) == (1.0, [0.5])
    value, law = extreme(rates.between(mean=(0.25, 0.3)), curve, "low")
    assert (value, law.points.tolist()) == (0.0, [0.0, 1.0])


def test_a_ratio_without_a_width_is_nan():
    curve = RateCurve(np.array([0, 0.5, 1]), np.zeros(3), np.array([0.0, 1.0, 0.0]))
    assert np.isnan(extreme(rates.between({0.5: 0.2}), curve, "low").value)
    known = rates.between({0.5: 0.2}, support=(0.1, 0.9))
    assert extreme(known, curve, "low").value == 0


@given(first=curves(wide=False), second=curves(wide=False))
def test_a_difference_has_the_knots_of_both(first, second):
    both = difference(first, second)
    assert both.rates.tolist() == sorted({*first.rates, *second.rates})
    for x in both.rates:
        expected = np.interp(x, *first[:2]) - np.interp(x, *second[:2])
        assert_allclose(np.interp(x, *both[:2]), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("mean", [None, 0.16])
def test_many_knots_need_few_steps(mean, monkeypatch):
    rng = np.random.default_rng(0)
    walk = np.append(0, np.cumsum(rng.normal(size=20_000))) / 100
    curve = RateCurve(np.linspace(0, 1, len(walk)), walk, np.ones(len(walk)))
    known = rates.between({0.025: 0.064, 0.975: 0.288}, mean=mean)
    with monkeypatch.context() as few:
        few.setattr("skrate.rates.extremes._MOST_STEPS", 30)
        found = [extreme(known, curve, end).value for end in ENDS]
    assert found == [extreme(known, curve, end).value for end in ENDS]
