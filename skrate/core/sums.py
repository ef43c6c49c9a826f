"""Sums of many weights that are exact to about the last digit, and whole ones fully."""

from __future__ import annotations

import numpy as np

from skrate.core.arrays import Array, FloatArray
from skrate.core.sort_keys import CACHED

# Weights of a row are summed in double precision, and rows in extended precision where
# there is one: the rounding of 100,000 additions would show in the twelfth digit.
_ROW = 64
# Up to here all are summed in extended precision, which takes fewer calls.
_SHORT = 1024 if np.finfo(np.longdouble).nmant > 52 else 0


def total(weights: FloatArray) -> float:
    """Return the sum, which is the last of those that are cumulated."""
    if is_short(weights):
        return float(weights.cumsum(dtype=np.longdouble)[-1])
    return float(_edges(weights)[-1])


def cumulated(weights: FloatArray) -> FloatArray:
    """Return the sums of the first 0, 1, ... weights, none of which is negative.

    They never fall, and rise only where a weight is above zero.
    """
    if is_short(weights):
        sums = np.zeros(len(weights) + 1)
        sums[1:] = weights.cumsum(dtype=np.longdouble)
        return sums
    edges = _edges(weights)
    starts = edges.astype(np.float64)
    remainders = (edges - starts).astype(np.float64)
    sums = np.empty(len(weights) + 1)
    sums[0] = 0.0
    n_full = len(weights) // _ROW
    step = CACHED // _ROW
    for first in range(0, n_full, step):
        rows = slice(first, min(first + step, n_full))
        cases = slice(rows.start * _ROW, rows.stop * _ROW)
        found = sums[1:][cases].reshape(-1, _ROW)
        np.cumsum(weights[cases].reshape(-1, _ROW), axis=1, out=found)
        _add_start(found, starts[rows], remainders[rows], starts[1:][rows])
    rest = sums[1 + n_full * _ROW :].reshape(1, -1)
    if rest.size:
        np.cumsum(weights[n_full * _ROW :], out=rest[0])
        _add_start(rest, starts[-2:-1], remainders[-2:-1], starts[-1:])
    return sums


def is_short(weights: FloatArray) -> bool:
    """Return whether cumulated sums take hardly more than the last of them."""
    return 0 < len(weights) <= _SHORT


def _edges(weights: FloatArray) -> Array:
    """Return the sums of the first 0, 1, ... rows, the last of which may be short."""
    n = len(weights) // _ROW * _ROW
    of_rows = weights[:n].reshape(-1, _ROW).sum(axis=1)
    sums = np.zeros(len(of_rows) + 2, dtype=np.longdouble)
    np.cumsum(of_rows, out=sums[1:-1])
    sums[-1] = sums[-2] + weights[n:].sum()
    return sums


def _add_start(
    sums: FloatArray, starts: FloatArray, remainders: FloatArray, ends: FloatArray
) -> None:
    """Add to each row where it starts, in two parts, and end it where it should."""
    # From the last weight above zero on, to the digit.
    is_end = sums == sums[:, -1:]
    sums += remainders[:, None]
    sums += starts[:, None]
    np.minimum(sums, ends[:, None], out=sums)
    np.copyto(sums, ends[:, None], where=is_end)
