"""The cells of a nested grid that replace the scores of a compressed table.

The bits of a float, read as an integer, increase with it. A cell is the set of integers
with the same first bits. Its ``shift`` is the number of free last bits; 0 means an
exact score. Two cells of any two tables are disjoint, or one lies within the other, as
in a q-digest [1]_. Therefore tables that were compressed separately can be merged, and
each sample stays within its cell.

References
----------
.. [1] Shrivastava, Buragohain, Agrawal and Suri (2004), Medians and beyond: new
   aggregation techniques for sensor networks, :doi:`10.1145/1031495.1031524`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrate.data.arrays import Array, ArrayLike, FloatArray, reverse_cumsum
from skrate.data.checks import shown
from skrate.data.ranking import begins_group

Keys = NDArray[np.uint64]

_ONE, _SIGN, _ALL = np.uint64(1), np.uint64(2**63), np.uint64(2**64 - 1)


class Cells(NamedTuple):
    """Cells and the weights in them, in increasing order of their middles, the keys."""

    keys: Keys
    shifts: NDArray[np.uint8]
    pos: FloatArray
    neg: FloatArray

    @property
    def lowest(self) -> Keys:
        """The minimum key in each cell."""
        return self.keys & ~free_bits(self.shifts)

    @property
    def highest(self) -> Keys:
        """The maximum key in each cell."""
        return self.keys | free_bits(self.shifts)

    @property
    def is_exact(self) -> NDArray[np.bool_]:
        """Whether each cell is a single exact score."""
        return np.asarray(self.shifts == 0)


def encode_scores(scores: Array) -> Keys:
    """Return integers in the order of finite scores, equal for equal scores."""
    floats = scores.astype(np.float64)
    with np.errstate(invalid="ignore"):
        is_same = np.array_equal(floats.astype(scores.dtype), scores)
    if not is_same or (scores.dtype.kind in "iu" and np.abs(floats).max() > 2.0**53):
        raise ValueError(
            f"Scores of dtype {scores.dtype} are not all numbers of float64: subtract "
            "a number from all scores first, or round them to float64. A table that is "
            "compressed needs such scores."
        )
    # Adding zero turns -0.0 into 0.0, because they tie.
    bits = (floats + 0.0).view(np.uint64)
    is_below = bits >= _SIGN
    return np.where(is_below, ~bits, bits | _SIGN)


def decode_scores(keys: Keys) -> FloatArray:
    """Return the scores of keys, clipped to the range of finite scores."""
    ends = encode_scores(np.array([np.finfo(np.float64).min, np.finfo(np.float64).max]))
    keys = np.clip(keys, *ends)
    return np.where(keys >= _SIGN, keys ^ _SIGN, ~keys).view(np.float64)


def free_bits(shifts: Array) -> Keys:
    """Return integers with the last 0 to 64 bits set."""
    # An integer of 64 bits cannot be shifted by 64: the first bit is made separately.
    is_any = shifts > 0
    halves = np.left_shift(_ONE, (shifts - is_any).astype(np.uint64))
    return np.where(is_any, (halves - _ONE) | halves, np.uint64(0))


def merged_cells(tables: list[Cells]) -> Cells:
    """Return the cells of all ``tables``, with equal cells merged."""
    keys, shifts = (np.concatenate([table[i] for table in tables]) for i in (0, 1))
    # A stable sort is fast for runs in order, and weights are then summed in the order
    # of the tables. An exact score in the middle of a cell has the cell's key, and
    # comes above it.
    order = np.lexsort((shifts == 0, keys))
    keys, shifts = keys[order], shifts[order]
    is_new = begins_group(keys)
    is_new[1:] |= shifts[1:] != shifts[:-1]
    starts = np.flatnonzero(is_new)
    sums = []
    for column in (2, 3):
        weights = np.concatenate([table[column] for table in tables])[order]
        is_whole = len(starts) == len(keys)
        sums.append(weights if is_whole else np.add.reduceat(weights, starts))
    return Cells(keys[starts], shifts[starts], *sums)


def compressed(cells: Cells, max_groups: int) -> Cells:
    """Return at most ``max_groups`` cells, merged to be as equal as possible.

    Neighbours stay divided if the smallest cell around both has a large measure.
    """
    if len(cells.keys) <= max_groups:
        return cells
    # The smallest cell around each two neighbours.
    shifts = _shifts_around(cells.keys[1:], cells.keys[:-1])
    shifts = np.maximum(shifts, np.maximum(cells.shifts[1:], cells.shifts[:-1]))
    measures = _measures(cells, shifts)
    n_joined = len(cells.keys) - max_groups
    # A cell measures at least as much as a cell within it. Therefore no neighbours
    # are divided within an undivided cell.
    limit = np.partition(measures, n_joined - 1)[n_joined - 1]
    is_divided = measures > limit
    starts = np.flatnonzero(np.append(True, is_divided))
    joint = np.append(np.uint8(0), np.where(is_divided, np.uint8(0), shifts))
    shifts = np.maximum.reduceat(np.maximum(cells.shifts, joint), starts)
    return Cells(
        _middles(cells.keys[starts], shifts),
        shifts,
        np.add.reduceat(cells.pos, starts),
        np.add.reduceat(cells.neg, starts),
    )


def cells_around(
    lowest: FloatArray, highest: FloatArray, pos: FloatArray, neg: FloatArray
) -> Cells:
    """Return the smallest cells that contain two scores each, equal ones merged."""
    keys = encode_scores(lowest)
    shifts = _shifts_around(keys, encode_scores(highest))
    return merged_cells([Cells(_middles(keys, shifts), shifts, pos, neg)])


def _shifts_around(first: Keys, second: Keys) -> NDArray[np.uint8]:
    """Return the shift of the smallest cell around each two keys."""
    differing = first ^ second
    # The number of bits. Only the first bit of each run is set, so rounding to a float
    # cannot increase this number.
    shifts = np.frexp((differing & ~(differing >> _ONE)).astype(np.float64))[1]
    return shifts.astype(np.uint8)


def _middles(keys: Keys, shifts: Array) -> Keys:
    """Return the keys of the cells around ``keys``."""
    free = free_bits(shifts)
    return keys & ~free | (free ^ free >> _ONE)


def _measures(cells: Cells, shifts: NDArray[np.uint8]) -> FloatArray:
    """Return the measure of the cell around each two neighbours.

    It is the sum of the cell's fractions of the positives, of the negatives, and of
    log(rate), which keeps the top fine, times weights.
    """
    free = free_bits(shifts)
    lowest, highest = cells.keys[1:] & ~free, cells.keys[1:] | free
    # An outer cell with its middle at the start of this cell counts; it does no harm.
    first = np.searchsorted(cells.keys, lowest)
    end = np.searchsorted(cells.keys, highest, side="right")
    pos, neg = _above(cells.pos), _above(cells.neg)
    rates = (pos + neg) / (pos[0] + neg[0])
    # Below this rate the top of the ranking is not resolved more finely.
    least = 1e-6
    measure = 0.2 * np.log(rates + least) / -np.log(least)
    for above in (pos, neg):
        if above[0] > 0:
            measure += 0.4 / above[0] * above
    return np.asarray(measure[first] - measure[end])


def _above(weights: FloatArray) -> FloatArray:
    """Return the weight of each cell and all cells above it, and 0 after the last."""
    return np.append(reverse_cumsum(weights), 0.0)


def extreme_order(cells: Cells, *, is_best: bool) -> tuple[FloatArray, FloatArray]:
    """Return positives and negatives, best group first, in the best or worst order.

    In the best order, positives go to the upper end of their cell and negatives to the
    lower end. Samples with the same exact score stay tied.
    """
    lowest, highest = cells.lowest, cells.highest
    is_exact = cells.is_exact
    up, down = (cells.pos, cells.neg) if is_best else (cells.neg, cells.pos)
    is_up, is_down = (up > 0) & ~is_exact, (down > 0) & ~is_exact
    keys = np.concatenate([lowest[is_exact], highest[is_up], lowest[is_down]])
    # At the key of an exact score, upper ends rank above the score, lower ends below.
    rank = np.repeat([1, 2, 0], [is_exact.sum(), is_up.sum(), is_down.sum()])
    order = np.lexsort((rank, keys))[::-1]
    zeros_up, zeros_down = np.zeros(is_up.sum()), np.zeros(is_down.sum())
    of_up = np.concatenate([up[is_exact], up[is_up], zeros_down])[order]
    of_down = np.concatenate([down[is_exact], zeros_up, down[is_down]])[order]
    return (of_up, of_down) if is_best else (of_down, of_up)


class Reach(NamedTuple):
    """Bounds of the weights above the samples of each cell; exact samples tie."""

    pos_most: FloatArray
    neg_least: FloatArray
    pos_least: FloatArray
    neg_most: FloatArray


def reach(cells: Cells) -> Reach:
    """Return the maximum and the minimum weight that may be above each cell."""
    lowest, highest = cells.lowest, cells.highest
    by_low, by_high = np.argsort(lowest), np.argsort(highest)
    may_reach = np.searchsorted(highest[by_high], lowest, side="left")
    # The weight that is certainly above; for an exact score, ties with it included.
    above = np.searchsorted(lowest[by_low], highest, side="right")
    tied = np.searchsorted(lowest[by_low], highest, side="left")
    surely = np.where(cells.is_exact, tied, above)
    return Reach(
        _above(cells.pos[by_high])[may_reach],
        _above(cells.neg[by_low])[surely],
        _above(cells.pos[by_low])[surely],
        _above(cells.neg[by_high])[may_reach],
    )


# y_true, y_score and, in every batch or in none, sample_weight.
Batches = Iterable[tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]]


def iterate_columns(
    batches: Iterable[Any], *names: str
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the number and the columns of each batch, at the end weights or None."""
    if not isinstance(batches, Iterable):
        raise ValueError(
            f"batches must be an iterable of tuples ({', '.join(names)}), got a "
            f"{type(batches).__name__}."
        )
    is_weighted = None
    for number, batch in enumerate(batches):
        with naming_batch(number):
            extra = len(batch) - len(names) if isinstance(batch, tuple | list) else -1
            if extra not in (0, 1):
                raise ValueError(
                    f"a batch must be a tuple ({', '.join(names)}), with or without "
                    f"sample_weight at the end, got {shown(batch)}."
                )
            has_weights = extra == 1
            if is_weighted is not None and has_weights != is_weighted:
                form = "with" if has_weights else "without"
                raise ValueError(
                    f"it comes {form} sample_weight, unlike the batches before: give "
                    "weights in all batches or in none."
                )
            is_weighted = has_weights
        yield number, tuple(batch) if has_weights else (*batch, None)
    if is_weighted is None:
        raise ValueError(
            "batches is empty: give at least one batch. A generator can be read only "
            "a single time."
        )


@contextmanager
def naming_batch(number: int) -> Iterator[None]:
    """Put the number of the batch in front of error messages."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"Batch {number} (from 0): {error}") from error
