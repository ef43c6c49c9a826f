"""Lists in batches: which rows belong together, and that no list is cut in two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

import numpy as np

from skrate.core.arrays import Array, ArrayLike, IntArray, Label
from skrate.core.batches import columns_of, naming_batch
from skrate.core.conversion import shown
from skrate.core.grouping import check_present
from skrate.core.list_table import ListValues
from skrate.core.part_labels import Seen, seen_with
from skrate.core.validation import check_equal_length, check_vector

# y_true, y_score, groups and, in every batch or in none, sample_weight.
ListBatches = Iterable[
    tuple[ArrayLike, ArrayLike, ArrayLike]
    | tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]
]
Columns = tuple[Array, Array, Array, Array | None]


def whole_lists(
    batches: ListBatches, pos_label: Label, *, is_graded: bool
) -> Iterator[tuple[int, Columns]]:
    """Yield rows of whole lists, with the number of the batch that completed them.

    The list of a batch's last row is held back: it may go on in the next.
    """
    names = ("y_true", "y_score", "groups", "sample_weight")
    seen: Seen = {}
    held: list[Array] | None = None
    number = 0
    for number, columns in columns_of(batches, *names[:3]):
        with naming_batch(number):
            rows = [
                check_vector(name, column)
                for name, column in zip(names, columns, strict=True)
                if column is not None
            ]
            check_equal_length(**dict(zip(names, rows, strict=False)))
            check_present("groups", rows[2])
            if not is_graded:
                seen = seen_with(seen, f"batch {number}", rows[0], pos_label)
            if held is not None:
                pairs = zip(names, held, rows, strict=False)
                rows = [_together(*pair) for pair in pairs]
        is_last = np.asarray(rows[2] == rows[2][-1])
        held = [column[is_last] for column in rows]
        if not is_last.all():
            yield number, _columns([column[~is_last] for column in rows])
    assert held is not None
    yield number, _columns(held)


def _together(name: str, before: Array, new: Array) -> Array:
    kinds = [_kind(column) for column in (before, new)]
    both = np.concatenate([before, new]) if kinds[0] == kinds[1] else None
    # Integers of two ranges would become floats, which cannot tell all apart.
    if both is None or (
        both.dtype.kind == "f" and "f" not in (new.dtype.kind, before.dtype.kind)
    ):
        raise ValueError(
            f"{name} of dtype {new.dtype} follows one of {before.dtype}: use one type "
            "in all batches."
        )
    return both


def _kind(column: Array) -> str:
    kind = column.dtype.kind
    return "number" if kind in "biuf" else "object" if kind in "UO" else kind


def _columns(rows: list[Array]) -> Columns:
    return rows[0], rows[1], rows[2], rows[3] if len(rows) == 4 else None


def check_apart(labels: Array) -> None:
    """Raise where one of the sorted ``labels`` comes twice."""
    again = np.flatnonzero(labels[1:] == labels[:-1])
    if len(again):
        where = int(again[0])
        raise ValueError(
            f"groups holds {shown(labels[where])} in batches that do not follow each "
            "other: sort rows by list, or put each list into one batch."
        )


def joined_values(parts: list[ListValues], order: IntArray) -> ListValues:
    """Return the values of all lists in this order."""
    columns = []
    for field in fields(ListValues):
        values = np.concatenate([getattr(part, field.name) for part in parts])
        columns.append(values[order] if len(values) else values)
    return ListValues(*columns)
