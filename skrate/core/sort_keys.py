"""Keys of score and label: sorting them in place of an index is many times quicker."""

import math

import numpy as np

from skrate.core.arrays import Array, BoolArray, FloatArray

# Scores whose keys are made at a time: they stay in the cache of a core.
CACHED = 2**14

LABEL_BIT, _SIGN_BIT = np.uint64(1), np.uint64(2**63)


def sort_keys(scores: Array, is_pos: BoolArray) -> FloatArray | None:
    """Return floats that order cases by score, then by label, which is the last bit.

    No digit of a score is lost, so that equal scores share all other bits, and values
    can be sorted in place of an index. Floats, as many processors sort them quicker
    than integers. None where a score has no bit to spare: integers that span 2**61,
    floats of more than 64 bits, tiny ones next to others of above 1.
    """
    keys = np.empty(len(scores))
    if scores.dtype.kind != "f":
        lowest = int(scores.min())
        if int(scores.max()) - lowest >= 2**61:
            return None
        for part in parts(len(scores)):
            _write_integer_keys(scores[part], is_pos[part], lowest, keys[part])
        return keys
    if scores.dtype.itemsize > 8:
        return None
    low, high = float(scores.min()), float(scores.max())
    top = max(high, -low)
    # Of numbers up to 1 the bits after the sign can move up by one.
    scale = 1.0 if top <= 1 else 2.0 ** -math.frexp(top)[1]
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


def _write_integer_keys(
    scores: Array, is_pos: BoolArray, lowest: int, keys: FloatArray
) -> None:
    """Write the distances to the lowest score as the bits of floats above 0."""
    bits = keys.view(np.uint64)
    # Differences wrap around to what they are, whatever the scores themselves do.
    bits[:] = scores
    # So far from 0 that none is subnormal: some processors are told to ignore these.
    bits -= np.uint64((lowest - 2**52) % 2**64)
    bits <<= LABEL_BIT
    bits |= is_pos.view(np.uint8)


def _write_keys(
    scores: Array, is_pos: BoolArray, scale: float, has_below: bool, keys: FloatArray
) -> None:
    """Write scaled scores with all bits but the sign moved up."""
    # Adding zero turns -0.0 into 0.0, which it ties with.
    np.add(scores, 0.0, out=keys, dtype=np.float64)
    if scale != 1:
        keys *= scale
    bits = keys.view(np.uint64)
    if has_below:
        sign = bits & _SIGN_BIT
        bits <<= LABEL_BIT
        bits |= sign
        # A greater last bit makes a negative number less.
        bits |= (is_pos ^ sign.astype(bool)).view(np.uint8)
    else:
        bits <<= LABEL_BIT
        bits |= is_pos.view(np.uint8)
