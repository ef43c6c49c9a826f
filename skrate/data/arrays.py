"""Types that signatures share, sums, and attributes that are found when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.intp]
# What numpy says that it reads, and lists of other objects: dates, decimals, None.
ArrayLike: TypeAlias = npt.ArrayLike | Sequence[Any]
# One of these for each fold.
ArraysByFold: TypeAlias = Sequence[ArrayLike] | Array
Number: TypeAlias = float | np.floating[Any] | np.integer[Any]
# A class of y_true; None where the labels say themselves which one is meant.
Label: TypeAlias = bool | float | str | np.generic | None
# What a source of randomness may be; None is a new one each time.
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


# Products of so many terms, and keys of so many scores, stay in the cache of a core.
_TERMS, CACHED = 2**13, 2**14


def float_or_array(values: Array) -> float | FloatArray:
    """Return a scalar array as a builtin float, any other as it is."""
    return float(values) if values.ndim == 0 else values


def dot(first: Array, second: Array) -> Any:
    """Return ``first @ second`` for a vector ``second``, the same on every processor.

    BLAS would add the products in an order that depends on the processor and on its
    threads, with errors that take what must be in a range out of it.
    """
    n = len(second)
    if n <= _TERMS:
        return np.add.reduce(first * second, axis=-1)
    ends = [(i, i + _TERMS) for i in range(0, n, _TERMS)]
    sums = [dot(first[..., low:high], second[low:high]) for low, high in ends]
    return np.add.reduce(sums, axis=0)


def sum_from_right(values: FloatArray) -> FloatArray:
    """Return for each entry the sum of it and all that follow."""
    sums = np.empty_like(values)
    np.cumsum(values[::-1], out=sums[::-1])
    return sums


def ratio(part: Array, whole: Array) -> FloatArray:
    """Return ``part / whole``, 0 where ``whole`` is 0 (and so is ``part``)."""
    least = 1 if whole.dtype.kind == "i" else np.finfo(np.float64).tiny
    return np.asarray(part / np.maximum(whole, least))


def share_of(part: Array, whole: Array) -> FloatArray:
    """Return ``part / whole``; nan where the whole is nothing."""
    shares = np.full(len(part), np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares


def parts(n: int) -> list[slice]:
    """Return slices of the ``n`` cases that stay in the cache, one after the other."""
    return [slice(first, first + CACHED) for first in range(0, n, CACHED)]


def frozen(array: FloatArray) -> FloatArray:
    """Return the array itself, from now on read-only."""
    array.flags.writeable = False
    return array


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


if TYPE_CHECKING:
    lazy = cached_property
else:

    class lazy(cached_property):
        """A cached property without a lock.

        Until Python 3.12 it has one lock for all instances: threads that each rank a
        sample of their own would wait for each other. Two that ask the same instance
        at once may both compute, and find the same.
        """

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            known = vars(instance)
            if self.attrname not in known:
                known[self.attrname] = self.func(instance)
            return known[self.attrname]
