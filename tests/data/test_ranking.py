"""The order of scores of any type and spread, against exact comparisons."""

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from looped import looped
from reference.tied_groups import exact
from skrate.data.ranking import ranking

FLOATS = ["f2", "f4", "f8", "g"]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
LARGEST, LEAST = np.finfo(float).max, 5e-324


def check(scores):
    """Check order and ties by comparing exact numbers."""
    scores = np.asarray(scores)
    given = scores.tolist()
    # Python compares floats and integers exactly, too, but knows none of 80 bits.
    is_long = scores.dtype == np.longdouble
    numbers = [exact(score) for score in scores] if is_long else given
    expected = sorted(range(len(given)), key=lambda case: (-numbers[case], case))
    in_order = [numbers[case] for case in expected]
    is_first = [True] + [a != b for a, b in itertools.pairwise(in_order)]
    order, begins = ranking(scores)
    assert order.tolist() == expected
    assert begins.tolist() == is_first
    assert scores.tolist() == given


def neighbours(value, n):
    """Return a float and the n next ones on both sides of it."""
    found = [float(value)]
    for _ in range(n):
        found.append(math.nextafter(found[-1], math.inf))
        found.insert(0, math.nextafter(found[0], -math.inf))
    return [x for x in found if math.isfinite(x)]


def shuffled(scores):
    """Return scores twice each, in random order."""
    return np.random.default_rng(0).permutation(np.concatenate([scores, scores]))


@looped("dtype", FLOATS + INTEGERS)
@looped("n", [1, 2, 60, 600])
def test_random_scores_of_all_types(dtype, n):
    rng = np.random.default_rng(n)
    if dtype == "?":
        check(rng.random(n) < 0.5)
        return
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        check(rng.integers(info.min, info.max, n, np.dtype(dtype), endpoint=True))
        check(rng.integers(0, 9, n).astype(dtype))
        return
    kind = np.finfo(dtype)
    digits = rng.random(n).astype(dtype) + rng.random(n).astype(dtype) * kind.eps
    sizes = rng.integers(kind.minexp // 2, kind.maxexp // 2, n)
    signs = np.where(rng.random(n) < 0.5, -1, 1).astype(dtype)
    # Of all sizes, of one size, some that are equal, and all equal.
    for scores in (np.ldexp(digits, sizes) * signs, digits, digits - digits[0]):
        check(scores)
        check(shuffled(scores[: n // 2 + 1]))
    check(np.full(n, digits[0]))


EDGES = {
    "around one": neighbours(1, 3),
    "around minus one": neighbours(-1, 3),
    "around zero": [*neighbours(0, 3), -0.0],
    "zeros": [0.0, -0.0],
    "least and greatest": [LEAST, -LEAST, LARGEST, -LARGEST, 0.0, -0.0],
    "the greatest": neighbours(LARGEST, 3) + neighbours(-LARGEST, 3),
    "subnormal": neighbours(1e-310, 3) + neighbours(-1e-310, 3),
    "powers of two": [2.0**e for e in range(-1074, 1024, 61)],
}


@looped("name", EDGES)
def test_floats_that_are_hard_to_tell_apart(name):
    check(shuffled(EDGES[name]))


@given(
    scores=st.lists(
        st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9
    )
)
def test_any_floats(scores):
    nearby = [min(math.nextafter(x, math.inf), LARGEST) for x in scores]
    check(shuffled(scores + nearby))
