"""The order of scores, and where they tie, by one sort of values."""

from __future__ import annotations

import numpy as np

from skrate.core.arrays import Array, BoolArray, IntArray
from skrate.core.grouping import begins_group
from skrate.core.sort_keys import parts

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
