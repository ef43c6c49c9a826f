"""Tables of more cases than fit in memory, from batches of them."""

from collections.abc import Iterable
from typing import Any

from skrate.core.arrays import ArrayLike, Label
from skrate.core.cells import Cells, compressed, merged_cells, settled
from skrate.core.rank_table import RankTable, table_of_cells
from skrate.core.validation import (
    check_count,
    check_labels,
    check_vector,
    distinct_labels,
)

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
    if not isinstance(batches, Iterable):
        raise ValueError(
            "batches must be an iterable of tuples (y_true, y_score), found a "
            f"{type(batches).__name__}."
        )
    classes = Classes(pos_label)
    gathered = _Gathered(max_groups, verbose)
    n_columns = None
    for number, batch in enumerate(batches):
        try:
            columns = _columns(batch, n_columns)
            classes.add(columns[0])
            weights = columns[2] if len(columns) == 3 else None
            table = RankTable.from_arrays(
                columns[0],
                columns[1],
                sample_weight=weights,
                pos_label=classes.positive,
            )
            cells = table.cells
        except ValueError as error:
            raise ValueError(f"Batch {number} (from 0): {error}") from error
        n_columns = len(columns)
        gathered.add(cells)
    if n_columns is None:
        raise ValueError("batches is empty: at least one batch is needed.")
    return gathered.table()


def _columns(batch: Any, n_before: int | None) -> tuple[Any, ...]:
    """Return labels, scores and maybe weights of a batch."""
    if not isinstance(batch, tuple | list) or len(batch) not in (2, 3):
        raise ValueError(
            "a batch must be a tuple (y_true, y_score) or (y_true, y_score, "
            f"sample_weight), found a {type(batch).__name__}"
            f"{f' of {len(batch)}' if hasattr(batch, '__len__') else ''}."
        )
    if n_before is not None and len(batch) != n_before:
        weighted = {2: "without", 3: "with"}
        raise ValueError(
            f"it comes {weighted[len(batch)]} sample_weight, unlike those before: "
            "weight all cases, or none."
        )
    return tuple(batch)


class Classes:
    """The labels of several parts of a sample, and which is positive."""

    def __init__(self, pos_label: Label = None) -> None:
        self.positive: Label = pos_label
        self._found: list[Any] = []

    def add(self, y_true: ArrayLike) -> None:
        """Take in the labels of another part; raise if they do not fit the others."""
        labels = check_vector("y_true", y_true)
        new = [label for label in distinct_labels(labels) if label not in self._found]
        if not new:
            return
        known = self._found + new
        try:
            fits = len(known) <= 2
            check_labels(check_vector("y_true", sorted(known)), self.positive)
        except (TypeError, ValueError):
            fits = False
        if self._found and not fits:
            raise ValueError(
                f"y_true holds {new}, but those before {sorted(self._found)}: the "
                "labels must be the same two in all."
            )
        self._found = known


class _Gathered:
    """Cells of batches, which are merged when there are many."""

    def __init__(self, max_groups: int, verbose: int) -> None:
        self.max_groups, self.verbose = max_groups, verbose
        self.parts: list[Cells] = []
        self.n_groups = self.n_batches = 0
        self.is_compressed = False

    def add(self, cells: Cells) -> None:
        self.n_batches += 1
        if self.is_compressed:
            most = _ROOM / self.max_groups
            self.parts[0], cells = settled(self.parts[0], cells, most)
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
            total = cells.pos.sum() + cells.neg.sum()
            line = f"{self.n_batches} batches, weight {total:g}, {self.n_groups} groups"
            print(line)  # noqa: T201
        return cells

    def table(self) -> RankTable:
        return table_of_cells(self.merge())
