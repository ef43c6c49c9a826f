"""The order of scores, their ties, and groups of rows."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np

from skrate.data.arrays import Array, BoolArray, IntArray, parts
from skrate.data.checks import check_no_missing, check_vector, distinct_objects

# The bits of the smallest float that has full precision.
_LEAST = 1 << 52


class Grouping(NamedTuple):
    """The list, or another group, of each row.

    ``codes`` of shape (n_rows,) index ``labels``, which increase. ``sizes`` counts the
    rows of each label.
    """

    codes: IntArray
    labels: Array
    sizes: IntArray


def check_groups(name: str, values: Any) -> Grouping:
    """Return the codes of labels: integers, floats, strings, dates or objects."""
    labels = check_vector(name, values)
    if labels.dtype.kind in "USO":
        # Hashing them is far faster than comparing them.
        objects = distinct_objects(name, labels)
        index = {label: code for code, label in enumerate(objects)}
        codes = np.fromiter(map(index.__getitem__, labels.tolist()), np.intp)
        distinct = np.empty(len(objects), dtype=object)
        distinct[:] = objects
        distinct = distinct.astype(labels.dtype)
    else:
        check_no_missing(name, labels)
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
    # Text and digits alternate, so numbers are compared with numbers.
    tokens = [re.split(r"(\d+)", name) for name in names]
    keys = [[int(t) if i % 2 else t for i, t in enumerate(row)] for row in tokens]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
    return Grouping(
        np.argsort(order)[groups.codes], groups.labels[order], groups.sizes[order]
    )


def _small_groups(labels: Array) -> Grouping | None:
    """Return the groups of integers that need no sorting, else None."""
    if labels.dtype.kind not in "iub":
        return None
    # Differences of the widest type do not overflow here.
    kind = np.int64 if labels.dtype.kind == "i" else np.uint64
    wide = labels.astype(kind, copy=False)
    low = wide.min()
    # Counting takes the time of the range, so it is short beside the number of rows.
    if int(wide.max()) - int(low) >= max(len(labels), 1024):
        return None
    codes = (wide - low).astype(np.intp, copy=False)
    sizes = np.bincount(codes)
    present = np.flatnonzero(sizes)
    if len(present) < len(sizes):
        ranks = np.zeros(len(sizes), dtype=np.intp)
        ranks[present] = np.arange(len(present))
        codes, sizes = ranks[codes], sizes[present]
    distinct = (present.astype(wide.dtype) + low).astype(labels.dtype)
    return Grouping(codes, distinct, sizes)


def dense_ranks(values: Array) -> tuple[IntArray, Array]:
    """Return the ranks among the distinct values, and these in increasing order."""
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
    """Return cumulative sums that restart at each of ``starts``.

    Integers are summed in one pass. Other numbers would lose digits to earlier
    segments. Therefore each adds the sum of the 1, 2, 4, ... values before it, within
    its segment.
    """
    sums = np.cumsum(values)
    if len(starts) == 1:
        return np.asarray(sums)
    sizes = np.diff(starts, append=len(values))
    is_whole = values.dtype.kind == "i"
    if is_whole or (sums[-1] < 2**53 and np.array_equal(values, np.rint(values))):
        sums -= np.repeat(sums[starts] - values[starts], sizes)
        return sums
    positions = np.arange(len(values)) - np.repeat(starts, sizes)
    sums, rows, step = values.copy(), np.flatnonzero(positions >= 1), 1
    while len(rows):
        sums[rows] += sums[rows - step]
        step *= 2
        rows = rows[positions[rows] >= step]
    return sums


def ranking(scores: Array) -> tuple[IntArray, BoolArray]:
    """Return the samples, best first, and where groups of equal scores begin.

    Equal scores stay in the given order, because sums of their weights must not depend
    on how a processor sorts. An index is sorted only for samples that rounding made
    equal.
    """
    order, begins = _sort_rounded(scores)
    is_unsure = ~begins
    is_unsure[:-1] |= is_unsure[1:]
    n_unsure = np.count_nonzero(is_unsure)
    if n_unsure:
        # If most rows are unsure, all are sorted, which saves selecting rows.
        are_most = 4 * n_unsure > len(order)
        rows: Any = slice(None) if are_most else np.flatnonzero(is_unsure)
        samples = order[rows]
        ranked = scores.take(samples)
        if (ranked[1:] > ranked[:-1]).any():
            index = np.argsort(ranked)[::-1]
            ranked = ranked[index]
            is_first = begins_group(ranked)
            if not is_first.all():
                first = len(index) * np.cumsum(is_first)
                index = np.sort(first + index) - first
            order[rows] = samples[index]
        begins[rows] = begins_group(ranked)
    return order, begins


def _sort_rounded(scores: Array) -> tuple[IntArray, BoolArray]:
    """Return the samples by rounded scores, best first, and where groups begin.

    Keys have the rounded score in the high bits and the sample's position in the low
    bits, because sorting values takes a fraction of the time of sorting an index. If
    scores cannot be rounded to such integers, all samples form one group.
    """
    n, high = len(scores), np.float64(scores.max())
    n_bits = (n - 1).bit_length()
    with np.errstate(all="ignore"):
        scale = 2.0 ** (62 - n_bits) / (high - np.float64(scores.min()))
    if scores.dtype.itemsize > 8 or not 0 < scale < np.inf:
        return np.arange(n, dtype=np.intp), np.zeros(n, dtype=bool)
    keys = np.arange(_LEAST, _LEAST + n, dtype=np.int64)
    for chunk in parts(n):
        below = scale * np.subtract(high, scores[chunk], dtype=np.float64)
        keys[chunk] += below.astype(np.int64) << n_bits
    # These are the bits of positive floats, which many processors sort faster.
    keys.view(np.float64).sort()
    begins = begins_group(keys >> n_bits)
    keys &= (1 << n_bits) - 1
    return keys, begins


def ranked_labels(scores: Array, is_pos: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Return which samples are positive, best first, and where groups of ties begin.

    The last bit of a key is the label, the other bits are the score. Sorting keys takes
    a fraction of the time of sorting an index.
    """
    # Sorting an index is faster than making keys for few scores.
    keys = _keys(scores, is_pos) if len(scores) > 2048 else None
    if keys is None:
        order = np.argsort(scores)[::-1]
        return is_pos[order], begins_group(scores[order])
    keys.sort()
    bits, labels = keys.view(f"u{keys.itemsize}"), np.empty(len(keys), dtype=bool)
    for chunk in parts(len(keys)):
        # The label bit of a negative key is inverted.
        sign = bits[chunk] >> (8 * keys.itemsize - 1)
        np.not_equal(bits[chunk] & 1, sign, out=labels[chunk])
        bits[chunk] >>= 1
    return labels, begins_group(bits)


def _keys(scores: Array, is_pos: BoolArray) -> Array | None:
    """Return floats that order samples, best first; the last bit of each is the label.

    No digit of a score is lost. Keys are floats, because many processors sort floats
    faster than integers. None if a score has no free bit.
    """
    if scores.dtype.kind != "f":
        if int(scores.max()) - int(scores.min()) >= 2**53:
            return None
        # Differences are correct even if the integers overflow.
        wide = scores.astype(np.int64)
        scores = wide - wide[np.argmin(scores)]
    elif scores.dtype.itemsize > 8:
        return None
    is_short = scores.dtype.kind == "f" and scores.dtype.itemsize <= 4
    top = max(float(scores.max()), -float(scores.min()))
    # In numbers up to 1 the bits after the sign can be shifted by one.
    scale = -(2.0 ** -math.frexp(top)[1]) if top > 1 else -1.0
    keys: Array = np.empty(len(scores), np.float32 if is_short else np.float64)
    bits: Array = keys.view(np.uint32 if is_short else np.uint64)
    for chunk in parts(len(keys)):
        try:
            with np.errstate(under="raise"):
                np.multiply(scores[chunk], scale, out=keys[chunk], dtype=keys.dtype)
        except FloatingPointError:
            return None
        # Adding zero turns -0.0 into 0.0, because they tie.
        keys[chunk] += 0.0
        moved = bits[chunk]
        sign = moved & (1 << (8 * keys.itemsize - 1))
        moved <<= 1
        moved |= sign
        # A set last bit makes a negative number smaller: invert it.
        moved |= is_pos[chunk] ^ (sign > 0)
    return keys
