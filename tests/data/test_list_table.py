"""Scores become places without a loss, or a loss that is told; keys sort lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from looped import looped
from skrate.data.list_table import _places, list_table

finite = st.floats(allow_nan=False, allow_infinity=False)


def order_of(values):
    """Return every comparison of two values: -1, 0 or 1."""
    values = np.asarray(values)
    greater = values[:, None] > values
    return greater.astype(int) - greater.T


@looped("n_free", [63, 40, 8])
@given(scores=st.lists(finite, min_size=1, max_size=30))
def test_places_reverse_the_order_of_floats(n_free, scores):
    places, n_bits, is_exact = _places(np.array(scores), n_free)
    assert n_bits <= n_free
    assert all(int(place).bit_length() <= n_bits for place in places)
    found, expected = order_of(places), -order_of(scores)
    if is_exact:
        assert np.array_equal(found, expected)
    else:
        # Ties may be new; nothing changes sides.
        assert ((found == expected) | (found == 0)).all()
        assert (found == 0)[expected == 0].all()


@given(
    scores=st.lists(
        st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(2**63 - 9, 2**63 - 1)),
        min_size=1,
    )
)
def test_places_reverse_the_order_of_integers(scores):
    places, _, is_exact = _places(np.array(scores, dtype=np.int64), 64)
    assert is_exact
    assert np.array_equal(order_of(places), -order_of(scores))
    unsigned = np.array([score % 2**64 for score in scores], dtype=np.uint64)
    places, _, is_exact = _places(unsigned, 64)
    assert is_exact
    assert np.array_equal(order_of(places), -order_of(unsigned))


def test_the_table_lists_ties_list_after_list():
    table = list_table(
        [1, 0, 1, 0, 1, 0],
        [2, 2, 1, 9, 3, 3],
        ["b", "b", "b", "a", "b", "c"],
        sample_weight=[1, 2, 3, 4, 5, 0],
    )
    assert table.labels.tolist() == ["a", "b", "c"]
    assert table.lists.tolist() == [0, 1]
    assert table.starts.tolist() == [0, 1]
    assert table.pos.tolist() == [0, 5, 1, 3]
    assert table.neg.tolist() == [4, 0, 2, 0]
    assert table.cum_pos.tolist() == [0, 5, 6, 9]
    assert table.n_neg.tolist() == [4, 2]
