"""The order of scores and where they tie, and which rows belong together."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np

from skrate.data.arrays import Array, BoolArray, IntArray, parts
from skrate.data.checks import check_vector, distinct_objects, is_missing, raise_missing

# Integer labels that span no more than the rows, or this, need no ranking.
_SMALL_RANGE = 1024
# The index of so few scores is sorted before keys are made.
_SHORT = 2048
# The bits of the least float that keeps all its digits.
_LEAST = 1 << 52


class Grouping(NamedTuple):
    """Which list each row belongs to.

    ``codes`` of shape (n_rows,) index ``labels``, which increase. ``sizes`` counts the
    rows of each label.
    """

    codes: IntArray
    labels: Array
    sizes: IntArray


def check_groups(name: str, values: Any) -> Grouping:
    """Return list labels as codes: integers, floats, strings, dates or objects."""
    labels = check_vector(name, values)
    if labels.dtype.kind in "USO":
        # Hashing them is far quicker than comparing them.
        found = distinct_objects(name, labels)
        index = {label: code for code, label in enumerate(found)}
        codes = np.fromiter(map(index.__getitem__, labels.tolist()), np.intp)
        distinct = np.empty(len(found), dtype=object)
        distinct[:] = found
        distinct = distinct.astype(labels.dtype)
    else:
        check_present(name, labels)
        small = _small_groups(labels)
        if small is not None:
            return small
        codes, distinct = dense_ranks(labels)
    return Grouping(codes, distinct, np.bincount(codes))


def sort_naturally(groups: Grouping) -> Grouping:
    """Return the groups with names ordered by the numbers in them."""
    names = groups.labels.tolist()
    if not all(isinstance(name, str) for name in names):
        return groups

    def natural_key(place: int) -> list[str | int]:
        # Text and digits in turn, so that like is compared with like.
        parts = re.split(r"(\d+)", names[place])
        return [int(part) if i % 2 else part for i, part in enumerate(parts)]

    order = np.array(sorted(range(len(names)), key=natural_key), dtype=np.intp)
    return Grouping(
        np.argsort(order)[groups.codes], groups.labels[order], groups.sizes[order]
    )


def check_present(name: str, labels: Array) -> None:
    """Raise where a label is missing, naming the first such place."""
    if labels.dtype.kind == "O":
        missing = np.array(list(map(is_missing, labels.tolist())))
    else:
        missing = labels != labels
    if missing.any():
        raise_missing(name, int(np.argmax(missing)))


def _small_groups(labels: Array) -> Grouping | None:
    """Return the groups of integers that need no sorting, else None."""
    if labels.dtype.kind not in "iub":
        return None
    # Of the widest type, whose differences do not overflow here.
    kind = np.int64 if labels.dtype.kind == "i" else np.uint64
    wide = labels.astype(kind, copy=False)
    low = wide.min()
    if int(wide.max()) - int(low) >= max(len(labels), _SMALL_RANGE):
        return None
    codes = (wide - low).astype(np.intp, copy=False)
    sizes = np.bincount(codes)
    found = np.flatnonzero(sizes)
    if len(found) < len(sizes):
        ranks = np.zeros(len(sizes), dtype=np.intp)
        ranks[found] = np.arange(len(found))
        codes, sizes = ranks[codes], sizes[found]
    distinct = (found.astype(wide.dtype) + low).astype(labels.dtype)
    return Grouping(codes, distinct, sizes)


def dense_ranks(values: Array) -> tuple[IntArray, Array]:
    """Return the rank of each value among the distinct ones, and these, increasing."""
    order = np.argsort(values)
    in_order = values[order]
    is_first = begins_group(in_order)
    ranks = np.empty(len(values), dtype=np.intp)
    ranks[order] = np.cumsum(is_first) - 1
    return ranks, in_order[is_first]


def begins_group(values: Array) -> BoolArray:
    """Return where groups of equal values begin in sorted ``values``."""
    begins = np.empty(len(values), dtype=bool)
    begins[0] = True
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins


def n_distinct(values: Array) -> int:
    """Return the number of distinct values."""
    return int(np.count_nonzero(begins_group(np.sort(values))))


def segment_cumsum(values: Array, starts: IntArray) -> Array:
    """Return cumulative sums that begin anew at each of ``starts``.

    Whole numbers are summed in one go. Others would lose digits to earlier segments:
    each takes up the sum of the 1, 2, 4, ... values before it, within its segment.
    """
    sums = np.cumsum(values)
    if len(starts) == 1:
        return np.asarray(sums)
    sizes = np.diff(starts, append=len(values))
    is_whole = values.dtype.kind == "i"
    if is_whole or (sums[-1] < 2**53 and np.array_equal(values, np.rint(values))):
        sums -= np.repeat(sums[starts] - values[starts], sizes)
        return sums
    places = np.arange(len(values)) - np.repeat(starts, sizes)
    sums, rows, step = values.copy(), np.flatnonzero(places >= 1), 1
    while len(rows):
        sums[rows] += sums[rows - step]
        step *= 2
        rows = rows[places[rows] >= step]
    return sums


def ranking(scores: Array) -> tuple[IntArray, BoolArray]:
    """Return the cases, best first, and where groups of equal scores begin.

    Equal scores come in the order in which they were given: sums of weights over them
    must not depend on how a processor sorts. An index is sorted only of cases that
    rounding has made equal.
    """
    order, begins = _sort_rounded(scores)
    is_unsure = ~begins
    is_unsure[:-1] |= is_unsure[1:]
    n_unsure = np.count_nonzero(is_unsure)
    if n_unsure:
        # All of them where most are: no rows are picked.
        are_most = 4 * n_unsure > len(order)
        rows: Any = slice(None) if are_most else np.flatnonzero(is_unsure)
        cases = order[rows]
        ranked = scores.take(cases)
        if (ranked[1:] > ranked[:-1]).any():
            found = np.argsort(ranked)[::-1]
            ranked = ranked[found]
            is_first = begins_group(ranked)
            if not is_first.all():
                first = len(found) * np.cumsum(is_first)
                found = np.sort(first + found) - first
            order[rows] = cases[found]
        begins[rows] = begins_group(ranked)
    return order, begins


def _sort_rounded(scores: Array) -> tuple[IntArray, BoolArray]:
    """Return the cases, best first except for rounding, and where another score begins.

    Scores are rounded to integers above the place of their case, as sorting values
    takes a fraction of the time of sorting an index. Where that does not pay, all cases
    are as one.
    """
    n, high = len(scores), np.float64(scores.max())
    n_bits = (n - 1).bit_length()
    with np.errstate(all="ignore"):
        scale = 2.0 ** (62 - n_bits) / (high - np.float64(scores.min()))
    if scores.dtype.itemsize > 8 or not 0 < scale < np.inf:
        return np.arange(n, dtype=np.intp), np.zeros(n, dtype=bool)
    keys = np.arange(_LEAST, _LEAST + n, dtype=np.int64)
    for part in parts(n):
        below = scale * np.subtract(high, scores[part], dtype=np.float64)
        keys[part] += below.astype(np.int64) << n_bits
    # The bits of positive floats, which many processors sort quicker.
    keys.view(np.float64).sort()
    begins = begins_group(keys >> n_bits)
    keys &= (1 << n_bits) - 1
    return keys, begins


def ranked_labels(scores: Array, is_pos: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Return which cases are positive, best first, and where groups of ties begin.

    One sort of keys, whose last bit is the label and whose other bits are the score,
    takes a fraction of the time of sorting an index.
    """
    keys = _keys(scores, is_pos) if len(scores) > _SHORT else None
    if keys is None:
        order = np.argsort(scores)[::-1]
        return is_pos[order], begins_group(scores[order])
    keys.sort()
    bits, labels = keys.view(f"u{keys.itemsize}"), np.empty(len(keys), dtype=bool)
    for part in parts(len(keys)):
        # A greater last bit made a negative number less.
        sign = bits[part] >> (8 * keys.itemsize - 1)
        np.not_equal(bits[part] & 1, sign, out=labels[part])
        bits[part] >>= 1
    return labels, begins_group(bits)


def _keys(scores: Array, is_pos: BoolArray) -> Array | None:
    """Return floats that order cases, best first; the last bit of each is the label.

    No digit of a score is lost. Floats, as many processors sort them quicker than
    integers. None where a score has no bit to spare.
    """
    if scores.dtype.kind != "f":
        if int(scores.max()) - int(scores.min()) >= 2**53:
            return None
        # Differences wrap around to what they are, whatever the integers do.
        wide = scores.astype(np.int64)
        scores = wide - wide[np.argmin(scores)]
    elif scores.dtype.itemsize > 8:
        return None
    is_short = scores.dtype.kind == "f" and scores.dtype.itemsize <= 4
    top = max(float(scores.max()), -float(scores.min()))
    # Of numbers up to 1 the bits after the sign can move up by one.
    scale = -(2.0 ** -math.frexp(top)[1]) if top > 1 else -1.0
    keys: Array = np.empty(len(scores), np.float32 if is_short else np.float64)
    bits: Array = keys.view(np.uint32 if is_short else np.uint64)
    for part in parts(len(keys)):
        try:
            with np.errstate(under="raise"):
                np.multiply(scores[part], scale, out=keys[part], dtype=keys.dtype)
        except FloatingPointError:
            return None
        # Adding zero turns -0.0 into 0.0, which it ties with.
        keys[part] += 0.0
        moved = bits[part]
        sign = moved & (1 << (8 * keys.itemsize - 1))
        moved <<= 1
        moved |= sign
        moved |= is_pos[part] ^ (sign > 0)
    return keys
