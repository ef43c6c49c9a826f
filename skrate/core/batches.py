"""Tables of more cases than fit in memory, from batches of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from skrate.core.arrays import ArrayLike, Label
from skrate.core.cells import Cells, compressed, merged_cells, settled
from skrate.core.part_labels import Seen, seen_with
from skrate.core.rank_table import RankTable, table_of_cells
from skrate.core.validation import check_count, check_summable, check_vector

# y_true, y_score and, in every batch or in none, sample_weight.
Batches = Iterable[tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]]

# So many times the groups of the table are gathered before they are compressed, which
# costs as much as sorting them.
_GATHERED = 4
# So many times an equal share of a class a cell may hold that takes more cases.
_ROOM = 4


def table_of_batches(
    batches: Batches, max_groups: int, pos_label: Label, verbose: int
) -> RankTable:
    """Return the table of all batches, as :meth:`RankTable.from_batches` has it."""
    max_groups = check_count("max_groups", max_groups)
    if not isinstance(verbose, bool):
        check_count("verbose", verbose, minimum=0)
    seen: Seen = {}
    gathered = _Gathered(max_groups, verbose)
    for number, (y_true, y_score, weights) in columns_of(batches, "y_true", "y_score"):
        with naming_batch(number):
            labels = check_vector("y_true", y_true)
            seen = seen_with(seen, f"batch {number}", labels, pos_label)
            # Checked by itself: a batch may have no weight, as long as another has.
            is_empty = (
                weights is not None and not check_vector("sample_weight", weights).any()
            )
            table = RankTable.from_arrays(
                y_true,
                y_score,
                sample_weight=None if is_empty else weights,
                pos_label=pos_label,
            )
            cells = table.cells
        if not is_empty:
            gathered.add(cells)
    if not gathered.parts:
        raise ValueError("sample_weight: no batch holds a case that has weight.")
    return gathered.table()


def columns_of(
    batches: Iterable[Any], *names: str
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the number of each batch and its columns, the last are weights or None."""
    if not isinstance(batches, Iterable):
        raise ValueError(
            f"batches must be an iterable of tuples ({', '.join(names)}), found a "
            f"{type(batches).__name__}."
        )
    is_weighted = None
    for number, batch in enumerate(batches):
        with naming_batch(number):
            has_weights = _has_weights(batch, names)
            if is_weighted is not None and has_weights != is_weighted:
                found = "with" if has_weights else "without"
                raise ValueError(
                    f"it comes {found} sample_weight, unlike those before: weight all "
                    "cases, or none."
                )
            is_weighted = has_weights
        yield number, tuple(batch) if has_weights else (*batch, None)
    if is_weighted is None:
        raise ValueError(
            "batches is empty: at least one batch is needed, and a generator can be "
            "gone through only once."
        )


def _has_weights(batch: Any, names: Sequence[str]) -> bool:
    if not isinstance(batch, tuple | list) or len(batch) - len(names) not in (0, 1):
        size = f" of {len(batch)}" if hasattr(batch, "__len__") else ""
        raise ValueError(
            f"a batch must be a tuple ({', '.join(names)}), or with sample_weight "
            f"after these, found a {type(batch).__name__}{size}."
        )
    return len(batch) > len(names)


@contextmanager
def naming_batch(number: int) -> Iterator[None]:
    """Let errors say which batch they are about."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"Batch {number} (from 0): {error}") from error


class _Gathered:
    """Cells of batches, which are merged when there are many."""

    def __init__(self, max_groups: int, verbose: int) -> None:
        self.max_groups, self.verbose = max_groups, verbose
        self.parts: list[Cells] = []
        self.n_groups = self.n_batches = 0
        # The weight of all positives, and of all negatives.
        self.totals = np.zeros(2)
        self.is_compressed = False

    def add(self, cells: Cells) -> None:
        self.n_batches += 1
        more = np.array([cells.pos.sum(), cells.neg.sum()])
        check_summable("the weights of the tables", np.append(self.totals, more))
        self.totals += more
        if self.is_compressed:
            with np.errstate(over="ignore"):
                # Beyond all floats it is room for all.
                for_pos, for_neg = (_ROOM / self.max_groups * self.totals).tolist()
            self.parts[0], cells = settled(self.parts[0], cells, (for_pos, for_neg))
        self.parts.append(cells)
        self.n_groups += len(cells.keys)
        if self.n_groups > (_GATHERED + 1) * self.max_groups:
            self.merge()

    def merge(self) -> Cells:
        cells = merged_cells(self.parts)
        self.is_compressed |= len(cells.keys) > self.max_groups
        cells = compressed(cells, self.max_groups)
        self.parts, self.n_groups = [cells], len(cells.keys)
        if self.verbose > 0:
            total = self.totals.sum()
            line = f"{self.n_batches} batches, weight {total:g}, {self.n_groups} groups"
            print(line)  # noqa: T201
        return cells

    def table(self) -> RankTable:
        return table_of_cells(self.merge())
