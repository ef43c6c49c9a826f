"""Polynomials through values at Chebyshev's nodes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.polynomial import chebyshev
from numpy.testing import assert_allclose

from skrate.rates.survival import chebyshev_nodes, to_chebyshev, to_powers


def chebyshev_polynomial(degree, x):
    """Return T_degree(x), for a fraction as one."""
    before, found = 1, x
    for _ in range(degree):
        before, found = found, 2 * x * found - before
    return before


@pytest.mark.parametrize("n", [1, 2, 10, 12])
def test_powers_have_the_same_value_as_the_polynomials_of_chebyshev(n):
    coefficients = np.random.default_rng(n).random((3, n))
    powers = to_powers(coefficients)
    for x in (Fraction(-1), Fraction(-2, 7), Fraction(1, 3), Fraction(1)):
        for of_chebyshev, of_powers in zip(coefficients, powers, strict=True):
            expected = sum(
                Fraction(value) * chebyshev_polynomial(degree, x)
                for degree, value in enumerate(of_chebyshev)
            )
            found = sum(Fraction(value) * x**j for j, value in enumerate(of_powers))
            # Half of the last digit of each power, which is rounded n times at most.
            rounding = n * 2**-53 * np.abs(to_powers(np.ones((1, n)))).sum() * n
            assert abs(found - expected) <= rounding
        assert_allclose(
            chebyshev.chebval(float(x), coefficients.T),
            [
                math.fsum(v * chebyshev_polynomial(j, float(x)) for j, v in row)
                for row in map(enumerate, coefficients)
            ],
            rtol=1e-13,
        )


@pytest.mark.parametrize("n", [1, 2, 10, 12])
def test_a_polynomial_is_found_from_its_values(n):
    coefficients = np.random.default_rng(n).normal(size=(4, n))
    values = chebyshev.chebval(chebyshev_nodes(n), coefficients.T)
    assert_allclose(to_chebyshev(values), coefficients, rtol=0, atol=n * 1e-15)
