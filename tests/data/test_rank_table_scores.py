"""Scores of every type are ranked and tied exactly, and quickly where they can be."""

import math
import pickle
import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from looped import looped
from reference.tied_groups import tied_groups
from skrate import RankTable
from skrate.data.list_table import list_table
from skrate.data.ranking import ranking
from skrate.data.table import rank_table

FLOATS = ["f2", "f4", "f8", "g"]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
ORDERS = ["<", ">"]


def check(y_true, scores):
    """Check the tables of one list and of two against exact comparisons."""
    y_true = np.asarray(y_true).astype(bool)
    expected = tied_groups(y_true, scores)
    with warnings.catch_warnings():
        # Small numbers and booleans are as classes.
        warnings.simplefilter("ignore", UserWarning)
        check_tables(y_true, scores, expected)


def check_tables(y_true, scores, expected):
    quick, whole = rank_table(y_true, scores), RankTable.from_arrays(y_true, scores)
    in_list = list_table(y_true, scores)
    for table in (quick, pickle.loads(pickle.dumps(quick)), whole, in_list):
        assert table.pos.tolist() == [pos for _, pos, _ in expected]
        assert table.neg.tolist() == [neg for _, _, neg in expected]
    assert (quick.labels is None) == any(pos + neg > 1 for _, pos, neg in expected)
    # The same cases in two lists, far from each other.
    many = np.concatenate([scores, scores[::-1]])
    groups = np.repeat([0, 2**40], len(scores))
    both = list_table(np.concatenate([y_true, y_true[::-1]]), many, groups)
    assert both.pos.tolist() == 2 * [pos for _, pos, _ in expected]
    assert both.neg.tolist() == 2 * [neg for _, _, neg in expected]


def full_precision(dtype, n, rng):
    """Return random scores that use all the bits of a type."""
    if dtype == "?":
        return rng.integers(0, 2, n).astype(bool)
    if dtype not in FLOATS:
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, n, np.dtype(dtype), endpoint=True)
    kind = np.finfo(dtype)
    # Every digit that the type has, of numbers of all sizes.
    digits = rng.random(n).astype(dtype) + rng.random(n).astype(dtype) * kind.eps
    sizes = rng.integers(kind.minexp // 2, kind.maxexp // 2, n)
    return np.ldexp(digits, sizes) * np.where(rng.random(n) < 0.5, -1, 1).astype(dtype)


def shuffled_ties(scores, rng):
    """Return the scores with some of them repeated, and random labels."""
    scores = np.concatenate([scores, rng.choice(scores, len(scores) // 2)])
    return rng.integers(0, 2, len(scores)), rng.permutation(scores)


@looped("order", ORDERS)
@looped("dtype", FLOATS + INTEGERS)
def test_random_scores_of_all_types_and_byte_orders(dtype, order):
    rng = np.random.default_rng(0)
    for n in (2, 80):
        for scores in (
            full_precision(dtype, n, rng),
            (9 * rng.random(n)).astype(dtype),
            np.unique(rng.normal(scale=4, size=n).astype(dtype)),
        ):
            labels, tied = shuffled_ties(scores, rng)
            foreign = tied.astype(np.dtype(dtype).newbyteorder(order))
            check(labels, foreign)
            assert foreign.tolist() == tied.tolist()
            places, begins = ranking(foreign)
            # Ties stay in the order in which they came.
            assert (np.diff(places)[~begins[1:]] > 0).all()


LARGEST, LEAST_NORMAL = np.finfo(float).max, np.finfo(float).tiny


@given(
    scores=st.lists(
        st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9
    )
)
def test_any_floats_are_told_apart(scores):
    nearby = [min(math.nextafter(x, math.inf), LARGEST) for x in scores]
    check(*shuffled_ties(np.array(scores + nearby), np.random.default_rng(5)))
