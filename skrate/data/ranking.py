"""The order of scores and where they tie, and which rows belong together."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from skrate.data.arrays import Array, BoolArray, FloatArray, IntArray
from skrate.data.checks import check_vector, first_missing, is_missing

# Integer labels that span no more than the rows, or this, need no ranking.
_SMALL_RANGE = 1024


class Grouping(NamedTuple):
    """Which list each row belongs to.

    ``codes`` of shape (n_rows,) index ``labels``, which increase. ``sizes`` counts the
    rows of each label; a label without rows is only there to keep codes simple.
    """

    codes: IntArray
    labels: Array
    sizes: IntArray


def check_groups(name: str, values: Any) -> Grouping:
    """Return list labels as codes: integers, floats, strings, dates or objects."""
    labels = check_vector(name, values)
    kind = labels.dtype.kind
    if kind == "b":
        labels, kind = labels.view(np.uint8), "u"
    if kind in "iu":
        low, high = int(labels.min()), int(labels.max())
        if high - low < max(len(labels), _SMALL_RANGE):
            return _ranged(labels, low, high)
    elif kind in "fcmM":
        check_present(name, labels)
    else:
        return _hashed(name, labels)
    codes, distinct = dense_ranks(labels)
    return Grouping(codes, distinct, np.bincount(codes))


def in_natural_order(groups: Grouping) -> Grouping:
    """Return the groups with names ordered by the numbers in them.

    Examples
    --------
    >>> names = ["fold_10", "fold_9", "fold_10"]
    >>> groups = in_natural_order(check_groups("fold", names))
    >>> groups.codes.tolist(), groups.labels.tolist(), groups.sizes.tolist()
    ([1, 0, 1], ['fold_9', 'fold_10'], [1, 2])
    """
    names = groups.labels.tolist()
    if not all(isinstance(name, str) for name in names):
        return groups

    def by_numbers(place: int) -> list[str | int]:
        # Text and digits in turn, so that like is compared with like.
        parts = re.split(r"(\d+)", names[place])
        return [int(part) if i % 2 else part for i, part in enumerate(parts)]

    order = np.array(sorted(range(len(names)), key=by_numbers), dtype=np.intp)
    return Grouping(
        np.argsort(order)[groups.codes], groups.labels[order], groups.sizes[order]
    )


def check_present(name: str, labels: Array) -> None:
    """Raise where a label is missing, naming the first such place."""
    kind = labels.dtype.kind
    if kind in "fcmM":
        missing = np.isnat(labels) if kind in "mM" else np.isnan(labels)
        if missing.any():
            _raise_missing(name, int(np.argmax(missing)))
    elif kind == "O":
        where = first_missing(labels.tolist())
        if where is not None:
            _raise_missing(name, where)


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


def segment_cumsum(values: FloatArray, starts: IntArray) -> FloatArray:
    """Return cumulative sums that begin anew at each of ``starts``.

    Whole numbers are summed in one go, which is exact. Others are not: what the
    segments before sum to would take digits from the later ones. There each value
    takes up the sum of the 1, 2, 4, ... values before it, within its segment.
    """
    sums = np.cumsum(values)
    if len(starts) == 1:
        return np.asarray(sums)
    sizes = np.diff(starts, append=len(values))
    if sums[-1] < 2**53 and np.array_equal(values, np.rint(values)):
        before = sums[starts] - values[starts]
        return np.asarray(sums - np.repeat(before, sizes))
    places = np.arange(len(values)) - np.repeat(starts, sizes)
    sums, rows, step = values.copy(), np.flatnonzero(places >= 1), 1
    while len(rows):
        sums[rows] += sums[rows - step]
        step *= 2
        rows = rows[places[rows] >= step]
    return sums


def _ranged(labels: Array, low: int, high: int) -> Grouping:
    # Differences wrap around to what they are, whatever the labels themselves do.
    offset = np.array(low).astype(labels.dtype).astype(np.int64)
    codes = labels.astype(np.int64, copy=False) - offset
    spanned = np.arange(high - low + 1, dtype=np.int64) + offset
    sizes = np.bincount(codes, minlength=high - low + 1)
    return Grouping(codes, spanned.astype(labels.dtype), sizes)


def _hashed(name: str, labels: Array) -> Grouping:
    """Group strings and objects: hashing them is far quicker than comparing them."""
    cells = labels.tolist()
    try:
        distinct = list(dict.fromkeys(cells))
    except TypeError:
        raise ValueError(f"{name} must hold hashable labels.") from None
    if any(map(is_missing, distinct)):
        _raise_missing(name, first_missing(cells) or 0)
    try:
        distinct.sort()
    except TypeError:
        kinds = sorted({type(label).__name__ for label in distinct})
        raise ValueError(
            f"{name} mixes labels of the types {kinds}: use one type."
        ) from None
    index = {label: code for code, label in enumerate(distinct)}
    codes = np.fromiter(map(index.__getitem__, cells), np.intp, len(cells))
    known = np.empty(len(distinct), dtype=object)
    known[:] = distinct
    if labels.dtype.kind != "O":
        known = known.astype(labels.dtype)
    return Grouping(codes, known, np.bincount(codes))


def _raise_missing(name: str, where: int) -> None:
    raise ValueError(
        f"{name} contains NaN or another missing label (first at position {where}): "
        "remove these rows, or give them a list of their own."
    )


def by_score(scores: Array) -> IntArray:
    """Return the cases, best first, in any order where they tie."""
    if scores.dtype.kind != "f" or scores.dtype.itemsize > 4:
        return np.argsort(scores)[::-1]
    # Floats of few bits are sorted above their places: it takes a third of the time.
    bits = (scores.astype(np.float32) + np.float32(0)).view(np.int32)
    keys = np.where(bits < 0, -(2**31) - bits, bits).astype(np.int64) << 32
    keys += np.arange(len(scores))
    keys.sort()
    return keys[::-1] & 0xFFFFFFFF


def ranking(scores: Array) -> tuple[IntArray, BoolArray]:
    """Return the cases, best first, and where groups of equal scores begin.

    Equal scores come in the order in which they were given: sums over them must not
    depend on how a processor sorts.
    """
    order = by_score(scores)
    begins = begins_group(scores[order])
    if not begins.all():
        first = len(scores) * np.cumsum(begins)
        order = np.sort(first + order) - first
    return order, begins
