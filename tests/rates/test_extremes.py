"""Ends of ranges over sets of laws: by hand, by linear programs, by random laws."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from looped import looped
from reference.rate_programs import end_of_range
from reference.unimodal_programs import greatest_mean
from set_strategies import random_law, sets_of_laws
from skrate import rates
from skrate.rates.extremes import extreme, extremes, law_of_zero
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


@looped("mean", [None, 0.16])
def test_many_knots_need_few_steps(mean, monkeypatch):
    rng = np.random.default_rng(0)
    walk = np.append(0, np.cumsum(rng.normal(size=20_000))) / 100
    curve = RateCurve(np.linspace(0, 1, len(walk)), walk, np.ones(len(walk)))
    known = rates.between({0.025: 0.064, 0.975: 0.288}, mean=mean)
    with monkeypatch.context() as few:
        few.setattr("skrate.rates.extremes._MOST_STEPS", 30)
        found = [extreme(known, curve, end).value for end in ENDS]
    assert found == [extreme(known, curve, end).value for end in ENDS]


TENT = RateCurve(np.array([0, 0.5, 1]), np.array([0.0, 1.0, 0.0]))


def random_curve(rng, *, wide=False):
    inner = np.sort(rng.choice(np.arange(1, 100), rng.integers(0, 12), replace=False))
    knots = np.array([0, *inner, 100]) / 100
    values = np.round(rng.uniform(-1, 1, len(knots)), 4)
    return RateCurve(knots, values, rng.uniform(0.1, 2, len(knots)) if wide else None)


def unimodal_law(rng):
    """Return a mode and a law that has it."""
    mode, shares = rng.uniform(0.05, 0.95), rng.dirichlet(np.ones(5))
    ends = rng.uniform(0, 1, 4)
    parts = [rates.interval(min(mode, x), max(mode, x)) for x in ends]
    return mode, rates.mixture([*parts, rates.fixed(mode)], weights=shares)


def set_around(rng, mode, law):
    """Return a set that holds a law: by some of its quantiles, and at times its mean.

    Where a point mass is at a quantile any probability between does.
    """
    known = np.unique(rng.uniform(*law.ppf([0.01, 0.99]), rng.integers(0, 4)))
    if len(known) and rng.random() < 0.3:
        known[rng.integers(len(known))] = mode
    known = np.unique(known)
    levels = 1 - law.survival(known)
    pairs = zip(levels.tolist(), known.tolist(), strict=True)
    quantiles = {level: q for level, q in pairs if 0.001 < level < 0.999}
    mean = law.mean() + np.array([0, rng.choice([0, 0.1])])
    off = rng.choice([0, 0.05, 0.3]) * rng.uniform(0, 1, 2)
    low, high = np.clip(mode + off * [-1, 1], 0, 1)
    return rates.between(
        quantiles or None,
        mean=tuple(mean.clip(0, 1)) if rng.random() < 0.4 else None,
        mode=(low, high),
    )


def test_the_ends_are_those_of_linear_programs_with_one_mode():
    rng = np.random.default_rng(0)
    known, curve = set_around(rng, *unimodal_law(rng)), random_curve(rng)
    for end, sign in zip(ENDS, (-1, 1), strict=True):
        found = extreme(known, curve, end)
        expected = sign * greatest_mean(known, curve.rates, sign * curve.values)
        assert_allclose(found.value, expected, rtol=0, atol=1e-6)
        assert known.contains(found.law)
        assert found.value == curve.under(found.law)


@looped("wide", [False, True])
def test_no_random_law_is_outside_with_one_mode(wide):
    rng = np.random.default_rng(0)
    for _ in range(5):
        mode, law = unimodal_law(rng)
        known, curve = set_around(rng, mode, law), random_curve(rng, wide=wide)
        assert known.contains(law)
        low, high = extremes(known, curve)
        assert low.value - 1e-7 <= curve.under(law) <= high.value + 1e-7
        for end in (low, high):
            assert known.contains(end.law)
            assert end.value == curve.under(end.law)


def test_by_hand_with_one_mode():
    low, high = extremes(rates.between(mode=0.5), TENT)
    # All at the mode, or evenly to one side of it.
    assert_allclose((low.value, high.value), (0.5, 1.0), rtol=0, atol=1e-9)
    assert repr(high.law) == "mixture(1: fixed(0.5))"
    low, high = extremes(rates.between(mode=(0, 1)), TENT)
    assert_allclose((low.value, high.value), (0.0, 1.0), rtol=0, atol=1e-9)
    # Half below 0.2 and half above: at it or as far as may be.
    line = RateCurve(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    low, high = extremes(rates.between({0.5: 0.2}, mode=0.2), line)
    assert_allclose(low.value, 0.5 * 0.1 + 0.5 * 0.2, rtol=0, atol=1e-9)
    assert_allclose(high.value, 0.5 * 0.2 + 0.5 * 0.6, rtol=0, atol=1e-9)
    assert repr(high.law) == "mixture(0.5: fixed(0.2), 0.5: interval(0.2, 1))"


@looped("end", [0.0, 1.0])
def test_a_quantile_at_the_end_of_the_support_is_a_point_mass(end):
    known = rates.between({0.2 if end == 0 else 0.8: end}, mode=(0, 1))
    low, high = extremes(known, TENT)
    assert known.contains(low.law)
    assert known.contains(high.law)
    # The mode is there, and what is left evenly between it and x: x = sqrt(1/2) from
    # there is best, where the mean is (1/2 - (1 - x)^2) / x.
    best = 0.8 * (2 - np.sqrt(2))
    assert_allclose((low.value, high.value), (0, best), rtol=0, atol=1e-8)


def rough_curve(seed, n):
    """Return the difference of two recalls of n cases each."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < 0.2
    orders = (np.argsort(-rng.normal(size=n) - y_true) for _ in range(2))
    recall = [np.append(0, np.cumsum(y_true[order])) / y_true.sum() for order in orders]
    return RateCurve(np.arange(n + 1) / n, recall[0] - recall[1])


# Of these, modes far from the best of a coarse grid are better.
@looped("seed", [32, 57])
@looped("mean", [None, (0.14, 0.16)])
def test_no_mode_at_or_between_cuts_is_better(seed, mean):
    curve = rough_curve(seed, 300)
    told = {0.025: 0.064, 0.975: 0.288}
    known = rates.between(told, mode=(0.06, 0.3), mean=mean)
    found = extreme(known, curve, "high").value
    cuts = np.arange(36, 174, 9) / 600
    of_modes = [extreme(replace(known, mode=(m, m)), curve, "high") for m in cuts]
    assert max(of.value for of in of_modes if known.contains(of.law)) <= found + 1e-7


@looped("mode", [0.5, (0.2, 0.8), (0.0, 1.0)])
def test_between_the_ends_is_a_law_of_zero(mode):
    curve = RateCurve(np.array([0, 0.4, 0.6, 1.0]), np.array([-1.0, -0.5, 0.5, 1.0]))
    known = rates.between({0.3: 0.3, 0.7: 0.7}, mode=mode)
    law = law_of_zero(known, curve, extremes(known, curve))
    assert known.contains(law)
    assert_allclose(curve.top(law), 0, rtol=0, atol=1e-12)


def test_a_law_of_zero_has_a_mode_that_is_told():
    # The top is below all modes, so that the best law reaches down from the least.
    curve = RateCurve(np.array([0, 0.3, 1.0]), np.array([-1.0, 1.0, -1.0]))
    known = rates.between(mode=(0.4, 0.6))
    ends = extremes(known, curve)
    assert ends[0].value < 0 < ends[1].value
    law = law_of_zero(known, curve, ends)
    assert known.contains(law)
    assert_allclose(curve.top(law), 0, rtol=0, atol=1e-12)
