"""Where laws of the rate can have their only mode, and whether they have it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from reference.unimodal_programs import best_for_mode
from skrate import rates
from skrate.rates.laws import Fixed, from_scipy
from skrate.rates.sets import has_mode, possible_modes


@pytest.mark.parametrize(
    ("edges", "masses", "expected"),
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


@pytest.mark.parametrize("seed", range(12))
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


@pytest.mark.parametrize(
    ("law", "low", "high", "expected"),
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
