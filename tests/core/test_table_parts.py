"""Long tables part by part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skrate import RankTable
from skrate.core import table_parts
from skrate.core.merged import with_ends
from skrate.core.rank_table import rank_table
from skrate.core.table_parts import LongTable, is_long
from strategies import ranked_samples


@pytest.fixture(scope="module", autouse=True)
def _short_parts():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_parts, "_GROUPS", 3)
        yield


def check(table, added):
    """Check that the parts are the groups of the table between the added ones."""
    whole = with_ends(table, *added) if any(added) else table
    parts = list(LongTable(table, added).parts())
    for i, name in enumerate(("pos", "neg")):
        total = getattr(whole, f"cum_{name}")[-1]
        above = 0.0
        for part in parts:
            cuts = getattr(part, f"cum_{name}")
            assert cuts[0] == pytest.approx(above, abs=1e-12)
            np.testing.assert_allclose(np.diff(cuts), getattr(part, name), atol=1e-12)
            assert (part.n_pos, part.n_neg)[i] == pytest.approx(total, abs=1e-12)
            above = cuts[-1]
        assert above == pytest.approx(total, abs=1e-12)
    # Where a part has a positive, the curve has the same corner.
    corners = set(zip(whole.cum_pos.round(9), whole.cum_neg.round(9), strict=True))
    for part in parts:
        cum_pos, cum_neg = part.cum_pos.round(9), part.cum_neg.round(9)
        found = set(zip(cum_pos, cum_neg, strict=True))
        assert found <= corners
        np.testing.assert_allclose(
            part.rates, (cum_pos + cum_neg) / part.total, atol=1e-9
        )
        np.testing.assert_allclose(part.tpr * part.n_pos, cum_pos, atol=1e-9)
        np.testing.assert_allclose(part.fpr * part.n_neg, cum_neg, atol=1e-9)
        assert np.array_equal(part.swapped.tpr, part.fpr)
    missing = corners - {
        corner
        for part in parts
        for corner in zip(part.cum_pos.round(9), part.cum_neg.round(9), strict=True)
    }
    # Left out are corners within a run of groups without a positive alone.
    of_pos = dict.fromkeys(corner[0] for corner in missing)
    for pos in of_pos:
        assert sum(corner[0] == pos for corner in corners) > 2
    return parts


@given(ranked_samples(weighted=True), st.sampled_from([(0.0, 0.0), (0.5, 0.25)]))
def test_parts_of_groups(ranked, added):
    y_true, y_score, weight = ranked
    check(RankTable.from_arrays(y_true, y_score, sample_weight=weight), added)


@given(
    st.lists(st.booleans(), min_size=2, max_size=40),
    st.sampled_from([(0.0, 0.0), (0.5, 0.25)]),
)
def test_parts_of_cases_that_do_not_tie(labels, added):
    if len(set(labels)) == 2:
        check(rank_table(np.array(labels), -np.arange(len(labels))), added)


def test_parts_hold_so_many_groups():
    # Of few positives a part is many cases, merged.
    labels = np.zeros(1000, dtype=bool)
    labels[[0, 500, 501]] = True
    parts = check(rank_table(labels, -np.arange(1000)), (0.0, 0.0))
    assert [part.pos.tolist() for part in parts[:2]] == [[1, 0], [0, 1, 1, 0]]
    labels = np.arange(10) % 2 == 0
    parts = check(rank_table(labels, -np.arange(10)), (0.0, 0.0))
    assert [len(part.pos) for part in parts] == [3, 3, 3, 1]


def test_a_table_is_long_by_what_does_not_merge(monkeypatch):
    monkeypatch.setattr(table_parts, "LONG", 10)
    n = 100
    assert is_long(rank_table(np.arange(n) % 2, np.arange(n)))
    assert not is_long(rank_table(np.arange(n) == 7, np.arange(n)))
    assert not is_long(rank_table(np.arange(n) % 2, np.arange(n) // 20))


def test_the_classes_are_those_of_the_table():
    table = LongTable(RankTable([1, 2], [3, 4]), (0.5, 0.25))
    assert table.classes == RankTable([4, 0], [0, 7.5])
