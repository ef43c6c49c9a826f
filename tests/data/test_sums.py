"""Sums of weights, against exact ones."""

import itertools
from fractions import Fraction

import numpy as np

from looped import looped
from skrate.data.table import cumulated, total

SIZES = [1, 2, 65, 2000]


def weights_of(kind, n, rng):
    """Return weights, many of them zero."""
    found = {
        "whole": rng.integers(0, 2**30, n).astype(float),
        "uniform": rng.random(n),
        "of all sizes": np.exp2(rng.integers(-700, 700, n)) * rng.random(n),
        "falling": 0.9 ** np.arange(n),
        "rising": 0.9 ** np.arange(n)[::-1],
        "alike": np.full(n, 0.1),
    }[kind]
    return np.where(rng.random(n) < 0.5, found, 0.0)


@looped("n", SIZES)
@looped("kind", ["whole", "uniform", "of all sizes", "falling", "rising", "alike"])
def test_sums_are_exact_to_rounding_and_rise_where_weights_do(kind, n):
    weights = weights_of(kind, n, np.random.default_rng(n))
    with np.errstate(under="ignore"):
        sums = cumulated(weights)
    exact = itertools.accumulate(map(Fraction, weights.tolist()), initial=Fraction(0))
    tolerance = 0 if kind == "whole" else Fraction(1, 2**53) * 66
    for found, expected in zip(sums.tolist(), exact, strict=True):
        assert abs(Fraction(found) - expected) <= tolerance * expected
    steps = np.diff(sums)
    assert (steps >= 0).all()
    assert (steps[weights == 0] == 0).all()
    assert sums[-1] == total(weights)
