"""Long tables part by part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skrate import RankTable
from skrate.core import table_parts
from skrate.core.rank_table import rank_table
from skrate.core.table_parts import LongTable, is_long
from strategies import ranked_samples


@pytest.fixture(scope="module", autouse=True)
def _short_parts():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_parts, "_GROUPS", 3)
        yield


def groups_of(table, added):
    """Return the rows of groups with positives, and of what is below them."""
    pos, neg = table.pos.tolist(), table.neg.tolist()
    if any(added):
        pos, neg = [added[0], *pos, added[0]], [added[1], *neg, added[1]]
    rows, above, gap = [], [0.0, 0.0], 0.0
    for of_pos, of_neg in zip(pos, neg, strict=True):
        if of_pos:
            rows.append([of_pos, of_neg, gap, *above])
            gap = 0.0
        else:
            gap += of_neg
        above = [above[0] + of_pos, above[1] + of_neg]
    return rows if any(added) else [*rows, [0.0, 0.0, gap, *above]]


def in_runs(rows):
    """Return the same with positives that are neighbours as one."""
    joined = [list(rows[0])]
    for row in rows[1:]:
        is_run = joined[-1][1] == row[1] == row[2] == 0 and row[0] > 0
        if is_run:
            joined[-1][0] += row[0]
        else:
            joined.append(list(row))
    return joined


def check(table, added, *, by_run=False):
    """Check that the parts are the groups of the table between the added ones."""
    parts = list(LongTable(table, added).parts(by_run=by_run))
    found = []
    for part in parts:
        assert part.n_pos == pytest.approx(table.n_pos + 2 * added[0])
        assert part.n_neg == pytest.approx(table.n_neg + 2 * added[1])
        assert np.array_equal(part.below_pos, part.above_pos + part.pos)
        tied = np.zeros(len(part.pos)) if part.tied is None else part.tied
        assert np.array_equal(part.below_neg, part.above_neg + tied)
        columns = part.pos, tied, part.gap, part.above_pos, part.above_neg
        found += np.transpose(columns).tolist()
    expected = groups_of(table, added)
    if by_run:
        found, expected = in_runs(found), in_runs(expected)
    np.testing.assert_allclose(found, expected, atol=1e-12)
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
        table = rank_table(np.array(labels), -np.arange(len(labels)))
        for by_run in (False, True):
            check(table, added, by_run=by_run)


def test_parts_hold_so_many_groups():
    # Of few positives a part is many cases, merged.
    labels = np.zeros(1000, dtype=bool)
    labels[[0, 500, 501]] = True
    parts = check(rank_table(labels, -np.arange(1000)), (0.0, 0.0))
    assert [part.gap.tolist() for part in parts] == [[0, 499, 0], [498]]
    parts = check(rank_table(labels, -np.arange(1000)), (0.0, 0.0), by_run=True)
    assert [part.pos.tolist() for part in parts] == [[1, 2], [0]]
    # No more than are asked for, also where they are close.
    labels = np.arange(100) < 20
    parts = check(rank_table(labels, -np.arange(100)), (0.0, 0.0))
    assert [len(part.pos) for part in parts] == [3, 3, 3, 3, 3, 3, 2, 1]


def test_swapped_the_negatives_are_the_positives():
    tied = LongTable(RankTable([1, 2], [3, 4]), (0.5, 0.25)).swapped
    assert tied.table == RankTable([3, 4], [1, 2])
    assert tied.added == (0.25, 0.5)
    single = LongTable(rank_table([1, 0, 0], [3, 2, 1])).swapped
    assert single.table.labels.tolist() == [False, True, True]


def test_a_table_is_long_by_what_does_not_merge(monkeypatch):
    monkeypatch.setattr(table_parts, "LONG", 10)
    n = 100
    assert is_long(rank_table(np.arange(n) % 2, np.arange(n)))
    assert not is_long(rank_table(np.arange(n) == 7, np.arange(n)))
    assert not is_long(rank_table(np.arange(n) % 2, np.arange(n) // 20))


def test_the_classes_are_those_of_the_table():
    table = LongTable(RankTable([1, 2], [3, 4]), (0.5, 0.25))
    assert table.classes == RankTable([4, 0], [0, 7.5])
