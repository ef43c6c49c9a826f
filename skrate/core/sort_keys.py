"""Keys of score and label: sorting them in place of an index is many times quicker."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from skrate.core.arrays import Array, BoolArray

# Scores whose keys are made at a time: they stay in the cache of a core.
CACHED = 2**14


def sort_keys(scores: Array, is_pos: BoolArray) -> Array | None:
    """Return floats that order cases by score, then by label, which is the last bit.

    No digit of a score is lost, so that equal scores share all other bits, and values
    can be sorted in place of an index. Floats, as many processors sort them quicker
    than integers, of 32 bits where these do, as half the bytes are sorted in less time.
    None where a score has no bit to spare: integers that span 2**61, floats of more
    than 64 bits, tiny ones next to others of above 1.
    """
    if scores.dtype.kind != "f":
        return _integer_keys(scores, is_pos)
    if scores.dtype.itemsize > 8:
        return None
    keys = None
    if scores.dtype.itemsize <= 4:
        keys = _float_keys(scores, is_pos, np.dtype(np.float32))
    return _float_keys(scores, is_pos, np.dtype(np.float64)) if keys is None else keys


def as_bits(keys: Array) -> Array:
    """Return keys read as unsigned integers."""
    dtype: type[Any] = np.uint32 if keys.itemsize == 4 else np.uint64
    bits: Array = keys.view(dtype)
    return bits


def _integer_keys(scores: Array, is_pos: BoolArray) -> Array | None:
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


def _float_keys(
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


def parts(n: int) -> list[slice]:
    """Return slices of the ``n`` cases that stay in the cache, one after the other."""
    return [slice(first, first + CACHED) for first in range(0, n, CACHED)]


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
