"""Parts of the cases, and what they have to agree on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from looped import looped
from skrate import RankTable
from skrate.data.partial_tables import (
    make_batch_piece,
    make_piece,
    sum_pieces,
    whole_table,
)
from strategies import ranked_samples


def pieces_of(chunks, pos_label=None):
    """Return a piece per (y_true, y_score[, sample_weight])."""
    return [
        make_piece(f"chunk {i}", chunk, pos_label) for i, chunk in enumerate(chunks)
    ]


def whole(chunks, pos_label=None):
    return whole_table(sum_pieces(pieces_of(chunks, pos_label)), pos_label)


@given(ranked_samples(weighted=True, both_classes=False), st.data())
def test_the_sum_of_pieces_is_the_table_of_all(ranked, data):
    n = len(ranked.y_true)
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=4)))
    chunks = list(zip(*(np.split(array, cuts) for array in ranked), strict=True))
    if not ranked.sample_weight.any():
        with pytest.raises(ValueError, match="sample_weight"):
            whole(chunks)
        return
    expected = RankTable.from_arrays(
        ranked.y_true, ranked.y_score, sample_weight=ranked.sample_weight
    )
    assert whole(chunks) == expected


@looped("gathered", [1, 7, 10**6])
def test_small_batches_are_gathered(monkeypatch, gathered):
    monkeypatch.setattr("skrate.data.partial_tables._GATHERED", gathered)
    generator = np.random.default_rng(0)
    y_true, y_score = generator.integers(0, 2, 60), generator.integers(0, 9, 60) / 4
    weight = generator.integers(0, 3, 60).astype(float)
    for columns in ([y_true, y_score], [y_true, y_score, weight]):
        batches = zip(*(np.split(c, [0, 3, 10, 11, 30]) for c in columns), strict=True)
        piece = make_batch_piece("partition 0", batches, None, 100)
        weights = columns[2] if len(columns) == 3 else None
        table = RankTable.from_arrays(y_true, y_score, sample_weight=weights)
        assert whole_table(piece, None) == table
        batches = zip(*(np.split(c, [10, 30]) for c in columns), strict=True)
        small = make_batch_piece("partition 0", batches, None, 4)
        assert small.table.n_groups <= 4


@looped(
    "labels, pos_label, message",
    [
        ([[0, 1], [1, 2], [0, 1]], None, r"y_true.*3.*2.*1"),
        ([[1, 2], [2, 1]], None, r"pos_label=None.*2.*0"),
        ([[0, 1], [1, 2]], 0, r"y_true.*3.*2.*1"),
        ([[0, 1], [1], [-1]], None, r"3.*0.*0.*-1.*2"),
        ([[0], [-1]], None, r"pos_label=None.*0.*0.*-1.*1"),
        ([["a"], ["b"], ["c"]], "a", r"3.*'c'.*2"),
        ([["a"], ["b"]], "c", r"pos_label='c'.*y_true"),
        ([["b", "c"], ["c"]], "a", r"pos_label='a'.*'c'.*0"),
        ([["a"], ["b", "c"]], "a", r"y_true.*3.*'c'.*1"),
        ([["a"], [1]], "a", r"y_true.*'a'.*0.*1"),
        ([[], []], None, "y_true"),
    ],
)
def test_labels_that_differ_between_chunks_are_refused(labels, pos_label, message):
    chunks = [(found, np.arange(float(len(found)))) for found in labels]
    with pytest.raises(ValueError, match=message):
        whole(chunks, pos_label)


@looped(
    "chunk, message",
    [
        (([0, 1], [np.nan, 1]), r"1.*y_score.*NaN"),
        (([0, np.nan], [1, 1]), r"1.*y_true.*NaN"),
        (([0, 1], [1, 2], [1, -1]), r"1.*sample_weight"),
        (([0, 1], [1, 2], [0, np.nan]), r"1.*sample_weight.*NaN"),
        (([0, 1], [np.inf, 2], [0, 0]), r"1.*y_score"),
        (([0, 1], [1, 2, 3]), r"chunk 1.*y_score.*3"),
        (([0, 1], []), r"1.*y_score"),
        (([0, 1], [1, 2], [0, 0, 0]), r"chunk 1.*sample_weight.*3"),
    ],
)
def test_what_is_wrong_in_a_chunk_names_it(chunk, message):
    with pytest.raises(ValueError, match=message):
        pieces_of([([0, 1], [1, 2]), chunk])
