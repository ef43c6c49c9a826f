"""Sums and products of vectors."""

import math

import numpy as np
import pytest

from skrate.data import arrays
from skrate.data.arrays import dot, reverse_cumsum


@pytest.mark.parametrize("n", [1, 5, 6, 7, 20])
def test_a_product_of_long_vectors_is_that_of_its_pieces(n, monkeypatch):
    monkeypatch.setattr(arrays, "_TERMS", 6)
    first, second = np.random.default_rng(0).random((2, n))
    expected = math.fsum(a * b for a, b in zip(first, second, strict=True))
    assert dot(first, second) == pytest.approx(expected, rel=1e-15)
    assert dot(first > 0.5, second) == pytest.approx(math.fsum(second[first > 0.5]))
    rows = np.stack([first, second])
    expected = [math.fsum(row * second) for row in rows]
    np.testing.assert_allclose(dot(rows, second), expected, rtol=1e-15)
    assert list(dot(rows, second)) == [dot(row, second) for row in rows]


def test_sums_from_the_right_are_those_of_what_follows():
    values = np.random.default_rng(0).random(9)
    expected = [math.fsum(values[i:]) for i in range(9)]
    np.testing.assert_allclose(reverse_cumsum(values), expected, rtol=1e-15)
