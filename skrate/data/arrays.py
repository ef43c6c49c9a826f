"""Types that signatures share, sums, and attributes that are found when asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Element = TypeVar("Element", bound=np.generic)
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


# What rounding may leave of a share that is reached.
ROUNDING = 1e-12
# Products of so many terms, and keys of so many scores, stay in the cache of a core;
# so many weights are summed one after the other.
_TERMS, CACHED, _ROW = 2**13, 2**14, 2**6


def as_numpy(values: Any) -> Array:
    """Return ``values`` as numpy reads them, copied from another device if needed."""
    is_dlpack = hasattr(values, "__dlpack__") and not hasattr(values, "__array__")
    read: Callable[[Any], Array] = np.from_dlpack if is_dlpack else np.asarray
    # Of PyTorch and CuPy. A dtype that numpy lacks, such as bfloat16, fits in float32.
    for step in ("detach", "cpu", "get", "float"):
        if hasattr(values, step):
            with suppress(BufferError, RuntimeError, TypeError):
                return read(values)
            values = getattr(values, step)()
    return read(values)


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


def reverse_cumsum(values: FloatArray) -> FloatArray:
    """Return for each entry the sum of it and all that follow, within its row."""
    sums = np.empty_like(values)
    np.cumsum(values[..., ::-1], axis=-1, out=sums[..., ::-1])
    return sums


def ratio(part: Array, whole: Array) -> FloatArray:
    """Return ``part / whole``, 0 where ``whole`` is 0 (and so is ``part``)."""
    least = 1 if whole.dtype.kind == "i" else np.finfo(np.float64).tiny
    return np.asarray(part / np.maximum(whole, least))


def divide_or_nan(part: Array, whole: Array) -> FloatArray:
    """Return ``part / whole``; nan where the whole is nothing."""
    shares = np.full(len(part), np.nan)
    np.divide(part, whole, out=shares, where=whole > 0)
    return shares


def effective_number(weights: Array) -> float:
    """Return how many equal weights tell as much: (sum w)^2 / sum w^2, 0 of none."""
    if not len(weights):
        return 0.0
    # Relative to the greatest, whose square is a number.
    scaled = weights / weights.max()
    return float(scaled.sum() ** 2 / dot(scaled, scaled))


def centring_factors(sizes: Array, groups: IntArray | None = None) -> FloatArray:
    """Return how often squares of clusters' sums count, because centring reduces them.

    One number for each group. If effects are alike within clusters and independent
    between them, cluster j with the share h_j of its group loses h_j of its own effect
    and those of others: squares count S / sum h_j^2 (1 - 2 h_j + S) times, S = sum
    h_l^2, which is k / (k - 1) of k clusters of one size.
    """
    groups = np.zeros(len(sizes), dtype=np.intp) if groups is None else groups
    totals = np.bincount(groups, sizes)[groups]
    squares, rest = (sizes / totals) ** 2, (totals - sizes) / totals
    sums = np.bincount(groups, squares)
    # 1 - 2 h + S, as a sum of squares.
    left = rest**2 + np.maximum(sums[groups] - squares, 0)
    return np.asarray(sums / np.bincount(groups, squares * left))


def parts(n: int) -> list[slice]:
    """Return slices of the ``n`` cases that stay in the cache, one after the other."""
    return [slice(first, first + CACHED) for first in range(0, n, CACHED)]


def frozen(array: npt.NDArray[Element]) -> npt.NDArray[Element]:
    """Return the array itself, from now on read-only."""
    array.flags.writeable = False
    return array


def cumulated(weights: FloatArray | BoolArray) -> FloatArray:
    """Return the sums of the first 0, 1, ... weights, none of which is negative.

    In extended precision, where there is one: the rounding of 100,000 additions would
    show in the twelfth digit. Many are summed in rows, which takes a third of the time.
    """
    sums = np.zeros(len(weights) + 1)
    if weights.dtype.kind == "b":
        np.cumsum(weights, out=sums[1:])
        return sums
    n_rows = len(weights) // _ROW
    if n_rows < _ROW:
        sums[1:] = weights.cumsum(dtype=np.longdouble)
        return sums
    size = n_rows * _ROW
    rows = sums[1 : size + 1].reshape(n_rows, _ROW)
    np.cumsum(weights[:size].reshape(rows.shape), axis=1, out=rows)
    starts = cumulated(rows[:, -1])[:, None]
    rows += starts[:-1]
    # Rounding must not let sums fall where the next row starts.
    np.minimum(rows, starts[1:], out=rows)
    sums[size + 1 :] = sums[size] + np.cumsum(weights[size:])
    return sums


def total(weights: FloatArray) -> float:
    """Return the sum, which is the last of those that are cumulated."""
    return float(cumulated(weights)[-1])


if TYPE_CHECKING or sys.version_info >= (3, 12):
    lazy = cached_property
else:

    class lazy(cached_property):
        """A cached property without a lock for all instances, as until Python 3.12."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            known = vars(instance)
            if self.attrname not in known:
                known[self.attrname] = self.func(instance)
            return known[self.attrname]
