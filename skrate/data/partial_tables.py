"""Tables of parts of the samples, and their sum: the table of all samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from skrate.data.arrays import Array, ArrayLike, Label
from skrate.data.checks import (
    Seen,
    as_float64,
    check_equal_length,
    check_merged_labels,
    check_vector,
    distinct_labels,
    merge_labels,
    positive_label,
)
from skrate.data.compressed import compressed, merged_cells
from skrate.data.table import RankTable, build_cell_table

# The number of samples from small batches that are ranked at once.
_GATHERED = 2**20


@dataclass(frozen=True)
class Piece:
    """The table of some samples, and their labels."""

    table: RankTable | None  # None if no sample has weight.
    labels: Seen  # Each label with the first chunk that has it.


def make_piece(where: str, columns: Sequence[ArrayLike], pos_label: Label) -> Piece:
    """Return the piece of one chunk, which may be empty.

    ``columns`` are labels, scores and optional weights. The positive label is chosen as
    if there were no other chunk; :func:`whole_table` raises if chunks disagree.
    """
    if all(np.shape(column)[:1] == (0,) for column in columns):
        return Piece(None, {})
    y_true, y_score, *optional = columns
    try:
        labels = check_vector("y_true", y_true)
        seen = dict.fromkeys(distinct_labels(labels), where)
        try:
            positive_label(list(seen), pos_label)
        except ValueError:
            # Other chunks may determine the positive label, or the error.
            return Piece(None, seen)
        weights, has_weight = None, True
        if optional:
            weights = check_vector("sample_weight", optional[0])
            weights = as_float64("sample_weight", weights)
            check_equal_length(y_true=labels, sample_weight=weights)
            has_weight = bool(weights.any())
        # Samples without weight do not count, but their scores are checked.
        table = RankTable.from_arrays(
            labels,
            y_score,
            sample_weight=weights if has_weight else None,
            pos_label=pos_label,
        )
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    return Piece(table if has_weight else None, seen)


def make_batch_piece(
    where: str, batches: Iterable[Sequence[Array]], pos_label: Label, max_groups: int
) -> Piece:
    """Return the piece of samples that come in small batches of columns."""
    pieces: list[Piece] = []
    gathered: list[Sequence[Array]] = []

    def add_gathered() -> None:
        columns = [np.concatenate(column) for column in zip(*gathered, strict=True)]
        pieces.append(make_piece(where, columns, pos_label))
        gathered.clear()

    for batch in batches:
        gathered.append(batch)
        if sum(len(columns[0]) for columns in gathered) >= _GATHERED:
            add_gathered()
        # This limits the number of tables in memory.
        if len(pieces) == 8:
            pieces[:] = [sum_pieces(pieces, max_groups)]
    if gathered:
        add_gathered()
    return sum_pieces(pieces, max_groups)


def sum_pieces(pieces: Sequence[Piece], max_groups: int = 2**20) -> Piece:
    """Return the piece of all samples, compressed to at most ``max_groups`` groups.

    Tables are added in the order of the pieces: sums are the same to the last bit.
    """
    seen = merge_labels(piece.labels for piece in pieces)
    tables = [piece.table for piece in pieces if piece.table is not None]
    if sum(table.n_groups for table in tables) > max_groups:
        # All at once, because this takes a single sort.
        cells = merged_cells([table.cells for table in tables])
        return Piece(build_cell_table(compressed(cells, max_groups)), seen)
    while len(tables) > 1:
        odd = tables[-1:] if len(tables) % 2 else []
        pairs = zip(tables[:-1:2], tables[1::2], strict=True)
        tables = [first + second for first, second in pairs] + odd
    return Piece(tables[0] if tables else None, seen)


def whole_table(piece: Piece, pos_label: Label) -> RankTable:
    """Return the table of all samples, or raise if labels or weights do not fit."""
    check_merged_labels(piece.labels, pos_label)
    if piece.table is None:
        raise ValueError("sample_weight is 0 for all samples: use positive weights.")
    return piece.table
