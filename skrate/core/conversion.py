"""What is given as an array becomes one, and nothing changes on the way.

Missing values stay missing, different numbers stay different, and labels of several
types stay apart; whatever cannot be had without loss is a ``ValueError``.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from skrate.core.array_api import advice, as_numpy
from skrate.core.arrays import Array, FloatArray

# Above this, float64 no longer holds every integer.
_EXACT = 2**53
_RANKS = "pass integers of 64 bits, or the ranks of the values"
_SHIFT = "subtract a number from the whole column, or pass the ranks of its values"
_INTEGERS = (np.iinfo(np.int64), np.iinfo(np.uint64))


def as_array(name: str, values: Any) -> Array:
    """Return ``values`` as a plain array of any shape, in native byte order."""
    if type(values) is np.ndarray and values.dtype.kind in "biuf":
        # Most often there is nothing to do; few cases take no longer than the asking.
        return values if values.dtype.isnative else _native(values)
    check_unmasked(name, values)
    array = _read(name, values)
    if array.dtype.names is not None:
        raise ValueError(
            f"{name} is a structured array with the fields {list(array.dtype.names)}: "
            f"pass one of them, such as {name}[{array.dtype.names[0]!r}]."
        )
    if not (hasattr(values, "dtype") or hasattr(values, "__array__")):
        array = _undo_coercion(array, values)
    if array.dtype.kind == "T":
        # As strings and missing values, which this dtype may hold side by side.
        return array.astype(object)
    return array if array.dtype.isnative else _native(array)


def _native(array: Array) -> Array:
    return array.astype(array.dtype.newbyteorder("="))


def check_unmasked(name: str, values: Any) -> None:
    """Raise where ``values``, or what a list holds, is an array with masked entries."""
    if not isinstance(values, np.ma.MaskedArray):
        for where in _masked_items(values):
            raise ValueError(
                f"{name} holds masked entries (first at position {where}): remove "
                "these cases from all arguments first."
            )
        return
    is_masked = np.ma.getmaskarray(values)
    # That of a structured array has fields of its own.
    if is_masked.dtype.names is None and is_masked.any():
        where = int(np.argwhere(is_masked)[0][0]) if is_masked.ndim else 0
        raise ValueError(
            f"{name} is a masked array with {np.count_nonzero(is_masked)} masked "
            f"entries (first at position {where}): remove these cases from all "
            "arguments first."
        )


def _masked_items(values: Any) -> Iterator[int]:
    """Yield where a list, or a list within, holds something masked."""
    if not isinstance(values, list | tuple):
        return
    # Types first: a long list holds few.
    kinds = set(map(type, values))
    if any(issubclass(kind, np.ma.MaskedArray | list | tuple) for kind in kinds):
        for where, item in enumerate(values):
            if isinstance(item, np.ma.MaskedArray):
                if np.ma.getmaskarray(item).any():
                    yield where
            elif any(True for _ in _masked_items(item)):
                yield where


def as_real(name: str, values: Any, *, missing: bool = False) -> FloatArray:
    """Return numbers in an array of any shape, rounded to float64.

    NaN stays NaN; with ``missing`` so do entries that are missing otherwise (masked,
    None or pandas.NA), without it they are an error.
    """
    array = as_array(name, _unmasked(values) if missing else values)
    flat = array.ravel()
    if missing and flat.dtype.kind == "O":
        cells = [float("nan") if is_missing(cell) else cell for cell in flat.tolist()]
        flat = np.empty(len(cells), dtype=object)
        flat[:] = cells
    if flat.dtype.kind != "O":
        return as_float64(name, flat).reshape(array.shape)
    # A NaN among objects is a number here, unlike what as_float64 says of it.
    cells = flat.tolist()
    is_nan = np.array([isinstance(c, numbers.Real) and c != c for c in cells], bool)
    floats = np.full(len(flat), np.nan)
    floats[~is_nan] = as_float64(name, flat[~is_nan])
    return floats.reshape(array.shape)


def _unmasked(values: Any) -> Any:
    """Return values with None in place of masked entries, in lists as well."""
    if isinstance(values, np.ma.MaskedArray):
        is_masked = np.ma.getmaskarray(values)
        if not is_masked.any() or is_masked.dtype.names is not None:
            return values
        cells = np.ma.getdata(values).astype(object)
        cells[is_masked] = None
        return cells
    if isinstance(values, list | tuple):
        return [_unmasked(item) for item in values]
    return values


def as_numbers(name: str, values: Array) -> Array:
    """Return numeric ``values``, those of objects without making any two equal."""
    if values.dtype.kind in "fiub":
        return values
    if values.dtype.kind != "O":
        _raise_not_numeric(name, values)
    cells = _real_cells(name, values)
    if all(isinstance(cell, numbers.Integral) for cell in cells):
        low, high = min(cells), max(cells)
        for integers in _INTEGERS:
            if integers.min <= low and high <= integers.max:
                return np.array(cells, dtype=integers.dtype)
    floats = _as_floats(name, cells)
    is_exact = all(
        found == cell for found, cell in zip(floats.tolist(), cells, strict=True)
    )
    if not is_exact:
        _check_apart(name, cells)
    return floats


def as_float64(name: str, values: Array) -> FloatArray:
    """Return numeric ``values`` as float64: rounded, but never to infinity or zero."""
    if values.dtype.kind == "O":
        return _as_floats(name, _real_cells(name, values))
    if values.dtype.kind not in "fiub":
        _raise_not_numeric(name, values)
    if values.dtype.itemsize <= 8:
        return values.astype(np.float64, copy=False)
    with np.errstate(over="ignore", under="ignore"):
        floats = values.astype(np.float64)
    is_lost = (np.isinf(floats) & np.isfinite(values)) | ((floats == 0) & (values != 0))
    if is_lost.any():
        _raise_beyond(name, values[int(np.argmax(is_lost))])
    return floats


def joined_scores(first: Array, second: Array) -> Array:
    """Return scores of two samples in one array, of a type that holds them all."""
    scores = np.concatenate([first, second])
    for given, found in ((first, scores[: len(first)]), (second, scores[len(first) :])):
        with np.errstate(invalid="ignore"):
            is_same = np.array_equal(found.astype(given.dtype), given)
        if not is_same:
            raise ValueError(
                f"Scores of dtype {first.dtype} and {second.dtype} cannot be compared "
                f"without rounding some to {scores.dtype}: use one dtype."
            )
    return scores


def check_columns_apart(name: str, table: Any) -> None:
    """Raise where float64 ties different numbers in a column of a table."""
    if hasattr(table, "toarray"):
        return
    if hasattr(table, "columns"):
        items = table.items() if hasattr(table, "items") else table
        columns = [as_array(name, i[1] if isinstance(i, tuple) else i) for i in items]
    else:
        array = as_array(name, table)
        columns = list(array.T) if array.ndim == 2 else []
    for values in columns:
        if values.dtype.kind == "O":
            _check_objects_apart(name, values.ravel().tolist())
        elif values.dtype.kind in "iuf" and values.dtype.itemsize >= 8:
            _check_numbers_apart(name, values)


def _check_objects_apart(name: str, objects: list[Any]) -> None:
    if any(cell is np.ma.masked for cell in objects):
        raise ValueError(f"{name} holds masked entries: remove these cases first.")
    cells = [cell.item() if isinstance(cell, np.generic) else cell for cell in objects]
    cells = [
        cell
        for cell in cells
        if isinstance(cell, numbers.Real | Decimal) and not is_missing(cell)
    ]
    floats = _as_floats(name, cells).tolist()
    if any(found != cell for found, cell in zip(floats, cells, strict=True)):
        _check_apart(name, cells, _SHIFT)


def _check_numbers_apart(name: str, values: Array) -> None:
    if values.dtype == np.float64 or not values.size:
        return
    if values.dtype.kind != "f" and values.min() >= -_EXACT and values.max() <= _EXACT:
        return
    distinct = np.unique(values)
    floats = as_float64(name, distinct)
    is_tied = floats[1:] == floats[:-1]
    if is_tied.any():
        where = int(np.argmax(is_tied))
        _raise_tied(name, distinct[where], distinct[where + 1], _SHIFT)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, masked, or one that does not equal itself."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, tuple):
        return any(map(is_missing, value))
    try:
        return bool(value != value)
    except (TypeError, ValueError, ArithmeticError):
        # pandas.NA will not say whether it differs, nor a signalling NaN of decimal.
        return True


def first_missing(cells: list[Any]) -> int | None:
    """Return the position of the first missing value, None if there is none."""
    return next((i for i, cell in enumerate(cells) if is_missing(cell)), None)


def shown(value: Any) -> str:
    """Return a value as it stands in a message, in one line of bounded length."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        text = " ".join(repr(value).split())
    except ValueError:
        # Python refuses to write out an integer of thousands of digits.
        return f"an {type(value).__name__} of many digits"
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"


def _read(name: str, values: Any) -> Array:
    try:
        return as_numpy(values)
    except MemoryError:
        raise
    except Exception as error:
        # Whatever a container raises that cannot become an array: rows of unequal
        # lengths, or tensors that are elsewhere.
        reason = " ".join(str(error).split())
        raise ValueError(
            f"{name} of type {type(values).__name__} cannot be read as an array: "
            f"{reason.rstrip('.')}{advice(name, values)}."
        ) from error


def _undo_coercion(array: Array, values: Any) -> Array:
    """Return lists as objects where numpy would have changed what they hold.

    It writes numbers and NaN among strings as strings, and rounds integers beyond
    2**53 among floats, or among integers of another range.
    """
    if array.dtype.kind in "US":
        wanted: type = str if array.dtype.kind == "U" else bytes
        cells = np.array(values, dtype=object)
        if not all(isinstance(cell, wanted) for cell in cells.ravel()):
            return cells
    elif array.dtype == np.float64 and array.size and np.abs(array).max() >= _EXACT:
        cells = np.array(values, dtype=object)
        if not all(_is_exact(cell) for cell in cells.ravel()):
            return cells
    return array


def _is_exact(cell: Any) -> bool:
    return not isinstance(cell, numbers.Integral) or int(float(cell)) == cell


def _real_cells(name: str, values: Array) -> list[Any]:
    """Return objects as real numbers of Python."""
    cells: list[Any] = []
    for where, cell in enumerate(values.tolist()):
        if is_missing(cell):
            raise ValueError(
                f"{name} contains NaN or another missing value (first at position "
                f"{where}): remove or impute these cases first."
            )
        number = cell.item() if isinstance(cell, np.generic) else cell
        if not isinstance(number, numbers.Real | Decimal):
            raise ValueError(
                f"{name} must be numeric, found dtype object with a "
                f"{type(cell).__name__} ({shown(cell)} at position {where}): convert "
                "it to numbers first."
            )
        cells.append(number)
    return cells


def _as_floats(name: str, cells: Iterable[Any]) -> FloatArray:
    floats = []
    for cell in cells:
        try:
            number = float(cell)
        except OverflowError:
            _raise_beyond(name, cell)
        if number != cell and (np.isinf(number) or number == 0):
            _raise_beyond(name, cell)
        floats.append(number)
    return np.array(floats, dtype=np.float64)


def _check_apart(name: str, cells: list[Any], hint: str = _RANKS) -> None:
    """Raise where float64 makes two different numbers equal."""
    distinct = sorted(set(cells))
    for low, high in pairwise(distinct):
        if float(low) == float(high):
            _raise_tied(name, low, high, hint)


def _raise_tied(name: str, low: Any, high: Any, hint: str) -> NoReturn:
    raise ValueError(
        f"{name} holds different numbers that are equal in float64, {shown(low)} and "
        f"{shown(high)}: {hint}."
    )


def _raise_beyond(name: str, value: Any) -> NoReturn:
    raise ValueError(
        f"{name} holds {shown(value)}, which is beyond the range of float64: rescale "
        "the values."
    )


def _raise_not_numeric(name: str, values: Array) -> NoReturn:
    kind = values.dtype.kind
    if kind in "mM":
        first = str(values.ravel()[0])
        hint = f"pass their integers, {name}.astype('int64')"
    else:
        first = shown(values[:1].tolist()[0])
        hint = "convert it to numbers first"
    raise ValueError(
        f"{name} must be numeric, found dtype {values.dtype} (first value {first}): "
        f"{hint}."
    )
