"""Polynomials through values at Chebyshev's nodes.

All sums run in one fixed order, so that no processor rounds them differently: a matrix
product would be the business of BLAS, and rounds as its kernel does.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev

from skrate.core.arrays import FloatArray, frozen


@lru_cache(maxsize=4)
def nodes(n: int) -> FloatArray:
    """Return n nodes between -1 and 1: the zeros of Chebyshev's polynomial."""
    return frozen(np.asarray(chebyshev.chebpts1(n), dtype=np.float64))


def at_places(coefficients: FloatArray, places: FloatArray) -> FloatArray:
    """Return each row's polynomial at all places, by Clenshaw's recurrence."""
    return np.asarray(chebyshev.chebval(places, coefficients.T))


def to_chebyshev(values: FloatArray) -> FloatArray:
    """Return for each row of values at the nodes the coefficients in T_0, T_1, ...

    The nodes are where the polynomials are orthogonal, so these are means.
    """
    means = _means_of_nodes(values.shape[1])
    return np.asarray(np.einsum("ij,kj->ik", values, means))


def to_powers(coefficients: FloatArray) -> FloatArray:
    """Return for each row of coefficients in T_0, T_1, ... those of powers.

    The factors are whole numbers up to hundreds. They enlarge the rounding of values
    only where the values themselves are rough, as the coefficients of a smooth function
    fall as fast as the factors rise.
    """
    powers = _powers(coefficients.shape[1])
    return np.asarray(np.einsum("ij,kj->ik", coefficients, powers))


@lru_cache(maxsize=4)
def _means_of_nodes(n: int) -> FloatArray:
    means = np.full((n, n), 1 / n)
    means[1:] = chebyshev.chebvander(nodes(n), n - 1).T[1:] * (2 / n)
    return frozen(means)


@lru_cache(maxsize=4)
def _powers(n: int) -> FloatArray:
    powers = np.zeros((n, n))
    for degree, unit in enumerate(np.eye(n)):
        powers[: degree + 1, degree] = chebyshev.cheb2poly(unit)[: degree + 1]
    return frozen(powers)
