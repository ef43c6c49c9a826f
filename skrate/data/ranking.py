"""The order of scores and where they tie, and which rows belong together."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np

from skrate.data.arrays import Array, BoolArray, FloatArray, IntArray, parts
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


def sort_keys(scores: Array, is_pos: BoolArray) -> Array | None:
    """Return floats that order cases by score, then by label, which is the last bit.

    No digit of a score is lost, so that equal scores share all other bits, and values
    can be sorted in place of an index. Floats, as many processors sort them quicker
    than integers, of 32 bits where these do, as half the bytes are sorted in less time.
    None where a score has no bit to spare: integers that span 2**61, floats of more
    than 64 bits, tiny ones next to others of above 1.
    """
    if scores.dtype.kind != "f":
        return _integer_sort_keys(scores, is_pos)
    if scores.dtype.itemsize > 8:
        return None
    keys = None
    if scores.dtype.itemsize <= 4:
        keys = _float_sort_keys(scores, is_pos, np.dtype(np.float32))
    return (
        _float_sort_keys(scores, is_pos, np.dtype(np.float64)) if keys is None else keys
    )


def as_bits(keys: Array) -> Array:
    """Return keys read as unsigned integers."""
    dtype: type[Any] = np.uint32 if keys.itemsize == 4 else np.uint64
    bits: Array = keys.view(dtype)
    return bits


def _integer_sort_keys(scores: Array, is_pos: BoolArray) -> Array | None:
    """Return the distances to the lowest score as the bits of floats above 0."""
    lowest = int(scores.min())
    span = int(scores.max()) - lowest
    if span >= 2**61:
        return None
    dtype: type[Any] = np.float32 if span < 2**29 else np.float64
    keys = np.empty(len(scores), dtype)
    bits = as_bits(keys)
    # So far from 0 that none is subnormal: some processors are told to ignore these.
    shift = 2 ** np.finfo(dtype).nmant
    offset = bits.dtype.type((lowest - shift) % 2 ** (8 * bits.itemsize))
    for part in parts(len(scores)):
        found = bits[part]
        # Differences wrap around to what they are, whatever the scores themselves do.
        found[:] = scores[part]
        found -= offset
        found <<= 1
        found |= is_pos[part].view(np.uint8)
    return keys


def _float_sort_keys(
    scores: Array, is_pos: BoolArray, dtype: np.dtype[np.floating[Any]]
) -> Array | None:
    """Return keys of this type, or None where a score would lose digits."""
    low, high = float(scores.min()), float(scores.max())
    top = max(high, -low)
    # Of numbers up to 1 the bits after the sign can move up by one.
    scale = 1.0 if top <= 1 else 2.0 ** -math.frexp(top)[1]
    keys = np.empty(len(scores), dtype)
    try:
        # Underflow is a loss of digits.
        with np.errstate(under="raise"):
            for part in parts(len(scores)):
                _write_keys(scores[part], is_pos[part], scale, low < 0, keys[part])
    except FloatingPointError:
        return None
    return keys


def _write_keys(
    scores: Array, is_pos: BoolArray, scale: float, has_below: bool, keys: Array
) -> None:
    """Write scaled scores with all bits but the sign moved up."""
    # Adding zero turns -0.0 into 0.0, which it ties with.
    np.add(scores, 0.0, out=keys, dtype=keys.dtype)
    if scale != 1:
        keys *= scale
    bits = as_bits(keys)
    if has_below:
        sign = bits & bits.dtype.type(2 ** (8 * bits.itemsize - 1))
        bits <<= 1
        bits |= sign
        # A greater last bit makes a negative number less.
        bits |= (is_pos ^ sign.astype(bool)).view(np.uint8)
    else:
        bits <<= 1
        bits |= is_pos.view(np.uint8)


# Of the 62 bits of a key: at least so many for the place of the case, so that nothing
# is left of what a score was added to.
_LEAST_PLACE_BITS, _ALL_BITS = 12, 62

# Sorting the index of so few takes less than the calls that write and read keys; of
# the first ones it is seen whether many tie.
_SHORT, _FIRST = 2048, 64


def ranking(scores: Array) -> tuple[IntArray, BoolArray]:
    """Return the cases, best first, and where groups of equal scores begin.

    Equal scores come in the order in which they were given.

    A key of 62 bits holds a rounded score above the place of its case: sorting these
    values takes a quarter of the time of sorting an index. Where rounding has made two
    scores equal, which is seldom, the scores themselves decide.
    """
    untied = order_of_few(scores)
    if untied is not None:
        return untied, np.ones(len(scores), dtype=bool)
    is_float = scores.dtype.kind == "f"
    n_bits = max(_LEAST_PLACE_BITS, (len(scores) - 1).bit_length())
    write = _float_keys if is_float else _integer_keys
    keys = write(scores, _ALL_BITS - n_bits - 1)
    if keys is not None:
        order, begins = _by_keys(keys, n_bits)
        if begins.all() or _settle(scores, order, begins):
            return order, begins
    if is_float and scores.dtype.itemsize <= 8:
        # Next to a few that are far away, most scores were rounded to the same.
        return ranking(_ordered_integers(scores))
    return _by_index(scores)


def order_of_few(scores: Array) -> IntArray | None:
    """Return the cases, best first, if there are few of them and no two tie."""
    if len(scores) > _SHORT:
        return None
    first = scores[:_FIRST].tolist()
    if len(set(first)) < len(first):
        return None
    order = np.argsort(scores)[::-1]
    ranked = scores[order]
    return None if (ranked[1:] == ranked[:-1]).any() else order


def _float_keys(scores: Array, n_bits: int) -> Array | None:
    """Return integers of ``n_bits`` and a leading one that increase as floats fall.

    They are distances to the highest: subtracting, multiplying and rounding may tie
    numbers, but never swap them. None where floats cannot hold the distances.
    """
    low, high = scores.min(), scores.max()
    # At least as wide as doubles, in which those that are narrower have no overflow.
    dtype = np.result_type(scores, np.float64)
    with np.errstate(over="ignore", divide="ignore"):
        width = np.float64(np.subtract(high, low, dtype=dtype))
        factor = (2.0**n_bits - 1) / width if width else np.float64(0)
    if not (np.isfinite(width) and np.isfinite(factor)):
        return None
    keys = np.empty(len(scores))
    with np.errstate(under="ignore"):
        for part in parts(len(scores)):
            found = keys[part]
            np.subtract(high, scores[part], out=found, dtype=dtype, casting="same_kind")
            found *= factor
            # Above 2**52, the last bits of a float are an integer.
            found += 2.0**52 + 2.0**n_bits
    return keys.view(np.uint64)


def _integer_keys(scores: Array, n_bits: int) -> Array:
    """Return the same of integers: distances to the highest without the last bits."""
    low, high = int(scores.min()), int(scores.max())
    n_drop = np.uint64(max(0, (high - low).bit_length() - n_bits))
    keys = np.empty(len(scores), np.uint64)
    for part in parts(len(scores)):
        found = keys[part]
        # Differences wrap around to what they are, whatever the scores themselves do.
        found[:] = scores[part]
        np.subtract(np.uint64(high % 2**64), found, out=found)
        found >>= n_drop
        found |= np.uint64(2**n_bits)
    return keys


def _by_keys(keys: Array, n_bits: int) -> tuple[IntArray, BoolArray]:
    """Return the order of keys, and where they begin to differ; uses their memory."""
    for part in parts(len(keys)):
        keys[part] <<= np.uint64(n_bits)
        last = min(part.stop, len(keys))
        keys[part] |= np.arange(part.start, last, dtype=np.uint64)
    # With their leading one they are normal floats, which sort quicker than integers.
    keys.view(np.float64).sort()
    begins = np.empty(len(keys), dtype=bool)
    begins[0] = True
    last_place = np.uint64((1 << n_bits) - 1)
    for part in parts(len(keys) - 1):
        changed = keys[1:][part] ^ keys[:-1][part]
        np.greater(changed, last_place, out=begins[1:][part])
    keys &= last_place
    return keys.view(np.intp), begins


def _settle(scores: Array, order: IntArray, begins: BoolArray) -> bool:
    """Put cases with the same key in order, and say where their scores differ.

    False where there are too many for it, and nothing is done.
    """
    is_close = ~begins
    is_close[:-1] |= is_close[1:]
    n_close = np.count_nonzero(is_close)
    places = slice(None) if 2 * n_close > len(order) else np.flatnonzero(is_close)
    cases = order[places]
    ranked = scores[cases]
    # Those of different keys are in order already.
    if (ranked[1:] > ranked[:-1]).any():
        if 4 * n_close > len(order):
            return False
        by_score = _by_index(ranked)[0]
        order[places], ranked = cases[by_score], ranked[by_score]
    begins[places] = begins_group(ranked)
    return True


def _ordered_integers(scores: Array) -> IntArray:
    """Return integers in the order of floats of at most 64 bits, zeros alike.

    Read as integers floats keep their order, but the negative ones reversed.
    """
    ordered = scores.astype(np.float64).view(np.int64)
    lowest = np.iinfo(np.int64).min
    return np.subtract(lowest, ordered, out=ordered, where=ordered < 0)


def _by_index(scores: Array) -> tuple[IntArray, BoolArray]:
    order = len(scores) - 1 - np.argsort(scores[::-1], kind="stable")[::-1]
    return order, begins_group(scores[order])
