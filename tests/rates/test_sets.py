"""Sets of distributions: what they hold, their modes, what is refused."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from looped import looped
from reference.unimodal_programs import best_for_mode
from skrate import rates
from skrate.rates.laws import Fixed, from_scipy
from skrate.rates.sets import has_mode, possible_modes


def test_a_set_holds_what_agrees_with_all_that_is_told():
    known = rates.between({0.025: 0.064, 0.975: 0.288})
    through_both = rates.from_quantiles({0.025: 0.064, 0.975: 0.288})
    assert known.contains(through_both)
    assert not known.contains(rates.beta(6, 33))
    assert not known.contains(0.2)
    assert not known.contains("uniform")
    of_mean = rates.between({0.025: 0.064, 0.975: 0.288}, mean=(0.1, 0.15))
    assert not of_mean.contains(through_both)
    bounded = rates.between({0.025: 0.064, 0.975: 0.288}, support=(0.05, 0.3))
    assert not bounded.contains(through_both)
    assert rates.between({0.25: 0.25, 0.5: 0.5}, mean=0.5).contains("uniform")
    assert rates.between(mean=0.5).contains(stats.beta(3, 3))
    of_mode = rates.between(dict(known.quantiles), mode=(0.1, 0.2))
    assert of_mode.contains(through_both)
    assert not of_mode.contains(rates.empirical([0.064, 0.15, 0.288], [1, 38, 1]))
    assert not rates.between(dict(known.quantiles), mode=0.2).contains(through_both)


def test_a_point_mass_at_a_quantile_belongs_to_either_side():
    known = rates.between({0.5: 0.2})
    assert known.contains(0.2)
    assert known.contains(rates.empirical([0.1, 0.3]))
    assert known.contains(rates.empirical([0.1, 0.2, 0.2]))
    assert not known.contains(rates.empirical([0.1, 0.1, 0.3]))
    assert not known.contains(0.3)


def test_sets_are_equal_by_what_they_are_told():
    known = rates.between({0.975: 0.288, 0.025: 0.064}, mean=np.float32(0.25))
    assert known == rates.between({0.025: 0.064, 0.975: 0.288}, mean=(0.25, 0.25))
    assert hash(known) == hash(pickle.loads(pickle.dumps(known)))
    assert known == pickle.loads(pickle.dumps(known))
    assert known != rates.between({0.025: 0.064, 0.975: 0.288})


@looped(
    "told, text",
    [
        ({"quantiles": {0.5: 0.2}}, "between({0.5: 0.2})"),
        ({"mean": 0.2}, "between(mean=0.2)"),
        ({"mean": [0.1, 0.2]}, "between(mean=(0.1, 0.2))"),
        ({"support": (0, 1)}, "between(support=(0, 1))"),
        ({"mode": (0, 1)}, "between(mode=(0, 1))"),
        ({"mean": 0.3, "mode": 0.2}, "between(mean=0.3, mode=0.2)"),
        (
            {"quantiles": {0.5: 0.2}, "support": (0.1, 1)},
            "between({0.5: 0.2}, support=(0.1, 1))",
        ),
    ],
)
def test_the_text_is_the_call(told, text):
    assert repr(rates.between(**told)) == text


TOLD = {"quantiles": {0.1: 0.05, 0.9: 0.3}}
HALF = {"quantiles": {0.5: 0.2}}
TWICE = {"quantiles": {0.4: 0.2, 0.5: 0.6, 0.8: 0.7}}


@looped(
    "told, message",
    [
        ({}, "Nothing is known of the rate"),
        ({"quantiles": {}}, "quantiles must be a dict"),
        ({"quantiles": [0.1, 0.2]}, "quantiles must be a dict"),
        ({"quantiles": {1.0: 0.2}}, r"a probability of quantiles .* in \(0, 1\)"),
        ({"quantiles": {0.5: 1.2}}, r"a rate of quantiles .* in \[0, 1\]"),
        ({"quantiles": {0.5: float("nan")}}, "a rate of quantiles"),
        ({"quantiles": {0.5: 0.2, 0.9: 0.2}}, "quantiles must increase"),
        ({"quantiles": {0.5: 0.3, 0.9: 0.2}}, "quantiles must increase"),
        ({"mean": 1.5}, r"mean must be a number in \[0, 1\]"),
        ({"mean": "half"}, "mean must be a number"),
        ({"mean": (0.1, 0.2, 0.3)}, "mean must be a pair"),
        ({"mean": (0.2, 0.1)}, "mean must be .low, high. with low <= high"),
        ({"mean": (0.2, float("nan"))}, r"mean\[1\] must be a number"),
        ({"support": 0.3}, "support must be a pair"),
        ({"support": "ab"}, "support must be a pair"),
        ({"support": (0.3, 0.3)}, "support=.* is a single rate: give it as rate=0.3"),
        ({"support": (1, 1)}, "is a single rate: give it as rate=1.0"),
        ({"support": (0, 0)}, "at which nothing is processed: give a greater bound"),
        (TOLD | {"support": (0.1, 0.5)}, "the rate 0.05 at probability 0.1 is"),
        (TOLD | {"mean": 0.5}, "with them .* 0.07 and 0.345, got mean=0.5"),
        ({"support": (0.1, 0.3), "mean": (0.4, 0.5)}, "mean contradicts support"),
        ({"mode": 1.5}, r"mode must be a number in \[0, 1\]"),
        ({"mode": (0.2, 0.1)}, "mode must be .low, high. with low <= high"),
        (HALF | {"mode": (0.5, 0.6)}, "mode contradicts quantiles .* 0 and 0.4, got"),
        (TWICE | {"mode": (0, 1)}, "mode contradicts .* no distribution has one mode"),
        ({"support": (0.1, 0.3), "mode": 0.4}, "mode contradicts support: .* 0.1 and"),
        # From half of it on [0, 0.2] to half on [0.2, 1].
        (HALF | {"mode": 0.2, "mean": 0.1}, "quantiles and mode and .* 0.15 and 0.4"),
    ],
)
def test_what_cannot_be_is_refused(told, message):
    with pytest.raises(ValueError, match=message):
        rates.between(**told)


def test_a_mean_at_the_edge_of_what_can_be_is_kept():
    for mean in (0.07, 0.345):
        rates.between({0.1: 0.05, 0.9: 0.3}, mean=mean)
    for mean in (0.15, 0.4):
        rates.between({0.5: 0.2}, mode=0.2, mean=mean)


def test_a_set_is_no_distribution():
    known = rates.between({0.5: 0.2})
    with pytest.raises(ValueError, match="rate is a set of distributions, between"):
        rates.mixture([known, 0.3])


@looped(
    "edges, masses, expected",
    [
        ([0, 1], [1], [(0, 0, 1)]),
        # The density is 0.5, and then 1.125: the mode is where that is, or before it
        # where 1.125 (0.2 - m) is at most 0.1.
        ([0, 0.2, 1], [0.1, 0.9], [(0, 0.1 / 0.9, 0.2), (1, 0.2, 1)]),
        # Down, up and down again.
        ([0, 0.1, 0.2, 0.3, 0.4, 1], [0.3, 0.1, 0.3, 0.1, 0.2], []),
        # A probability of its own is at the mode.
        ([0.1, 0.1, 1], [0.2, 0.8], [(0, 0.1, 0.1)]),
    ],
)
def test_modes_that_are_possible(edges, masses, expected):
    found = possible_modes(np.array(edges, float), np.array(masses, float))
    assert len(found) == len(expected)
    assert_allclose(np.ravel(found), np.ravel(expected), rtol=0, atol=1e-12)


@looped("seed", range(4))
def test_they_are_those_with_which_a_program_has_a_solution(seed):
    rng = np.random.default_rng(seed)
    known = np.sort(rng.uniform(0, 1, 3))
    levels = np.sort(rng.uniform(0, 1, 3))
    if seed % 2:
        levels = np.cumsum(np.diff([0, *known, 1]) * [0.5, 1, 1.4, 0.7])[:3] / 1.2
    told = rates.between(dict(zip(levels, known, strict=True)))
    found = possible_modes(told.edges, told.masses)
    ends = np.append(told.edges, np.linspace(0, 1, 9))
    for mode in np.linspace(0.01, 0.99, 12):
        value, _ = best_for_mode(told, mode, ends, [0, 1], [0, 0])
        assert (value == 0) == any(low <= mode <= high for _, low, high in found)


UNIFORM, LEFT = rates.uniform(), rates.interval(0, 0.3)


@looped(
    "law, low, high, expected",
    [
        (rates.beta(3, 9), 0.2, 0.2, True),
        (rates.beta(3, 9), 0.1, 0.3, True),
        (rates.beta(3, 9), 0.0, 0.19, False),
        (rates.beta(3, 9), 0.21, 1, False),
        (rates.beta(0.5, 0.5), 0, 1, False),
        (rates.beta(0.5, 2), 0, 0, True),
        (from_scipy(stats.triang(0.3)), 0.3, 0.3, True),
        (UNIFORM, 0.7, 0.7, True),
        (Fixed(0.2), 0.2, 0.3, True),
        (Fixed(0.2), 0.21, 0.3, False),
        (rates.empirical([0.2, 0.3]), 0, 1, False),
        (rates.mixture([UNIFORM, LEFT]), 0.3, 0.3, True),
        (rates.mixture([UNIFORM, LEFT]), 0.31, 1, False),
        (rates.mixture([UNIFORM, LEFT, 0.3]), 0.3, 0.3, True),
        (rates.mixture([UNIFORM, LEFT, 0.2]), 0.2, 0.2, True),
        (rates.mixture([UNIFORM, LEFT, 0.4]), 0, 1, False),
        (rates.mixture([LEFT, rates.interval(0.6, 0.7)]), 0, 1, False),
    ],
)
def test_a_law_has_its_mode(law, low, high, expected):
    assert has_mode(law, low, high) == expected
