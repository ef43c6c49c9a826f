"""The one place where arguments are checked.

Every ``check_*`` returns what it checked, ready for use, or raises a ``ValueError``
that names the argument, says what was found and what to do.
"""

from __future__ import annotations

import numbers
import sys
import warnings
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.data.array_api import advice, as_numpy
from skrate.data.arrays import (
    Array,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    RandomState,
)

# The largest count that the integers of an array index hold.
_MOST = np.iinfo(np.intp).max
_PACKAGE = str(Path(__file__).parents[1])

Choice = TypeVar("Choice", bound=str)

# Products of weights in this range, and sums of these, are numbers of float64.
LEAST_WEIGHT, GREATEST_WEIGHT = 1e-100, 1e100


def check_range(name: str, weights: FloatArray) -> None:
    """Raise where weights are negative, or not 0 and so small or great that sums fail.

    nan is none of these.
    """
    lowest, highest = weights.min(), weights.max()
    if lowest < 0:
        raise ValueError(f"{name} must not be negative, found {lowest:g}.")
    if lowest < LEAST_WEIGHT:
        lowest = np.min(weights, where=weights > 0, initial=np.inf)
    if lowest < LEAST_WEIGHT or highest > GREATEST_WEIGHT:
        found = lowest if lowest < LEAST_WEIGHT else highest
        raise ValueError(
            f"{name} holds {found:.3g}: weights other than 0 must be from "
            f"{LEAST_WEIGHT:g} to {GREATEST_WEIGHT:g}, so divide all by one number."
        )


def check_vector(name: str, values: Any) -> Array:
    """Return ``values`` as an array of shape (n,), n >= 1; a column is flattened.

    Its byte order is native, and no value was changed on the way.
    """
    array = as_array(name, values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, found {_shape_found(name, values, array)}"
        )
    if array.size == 0:
        raise ValueError(f"{name} is empty: at least one case is needed.")
    return array


def _shape_found(name: str, values: Any, array: Array) -> str:
    """Return what was found instead of a vector, and what to do about it."""
    if array.ndim:
        hint = ""
        if array.ndim == 2 and array.shape[1] == 2:
            hint = (
                f"; pass the column of the positive class, {name}[:, i] with "
                "classes_[i] == pos_label"
            )
        return f"an array of shape {array.shape}{hint}."
    hint = ""
    if hasattr(values, "toarray"):
        hint = f"; pass {name}.toarray().ravel()"
    elif hasattr(values, "__skrate_hint__"):
        # Of what a function does not take in place of labels and scores.
        hint = values.__skrate_hint__
    elif hasattr(values, "__iter__") and not isinstance(values, str | bytes):
        hint = "; pass a list or an array with one entry per case"
    return f"a single object of type {type(values).__name__}{hint}."


def check_scores(name: str, values: Any) -> Array:
    """Return ``values`` as a finite numeric vector in the precision it came in."""
    scores = as_numbers(name, check_vector(name, values))
    check_finite(name, scores)
    return scores


def check_weights(name: str, values: Any) -> FloatArray:
    """Return ``values`` as non-negative float64 weights, not all zero."""
    weights = as_float64(name, check_vector(name, values))
    check_finite(name, weights)
    check_range(name, weights)
    if weights[0] == 0 and not weights.any():
        raise ValueError(f"{name} is zero for every case: no case is left.")
    return weights


def check_finite(name: str, values: Array) -> None:
    """Raise where ``values`` holds NaN or infinity."""
    if values.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    # One pass that allocates nothing; only a sum that overflowed needs a second.
    if np.isfinite(total):
        return
    finite = np.isfinite(values)
    if not finite.all():
        where = int(np.argmin(finite))
        found = "NaN" if np.isnan(values[where]) else "infinity"
        raise ValueError(
            f"{name} contains {found} (first at position {where}): "
            "remove or impute these cases first."
        )


def check_equal_length(**arrays: Array) -> None:
    """Raise unless all the named arrays have the same length."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"Unequal numbers of cases: {found}.")


def check_labels(labels: Array, pos_label: Label = None) -> BoolArray:
    """Return which cases are positive.

    ``pos_label=None`` takes the greater label of {0, 1}, {-1, 1} or booleans; other
    labels must be told apart by name. A sample of one class is fine: whether a metric
    is defined on it is for the metric to say.
    """
    positive = positive_label(distinct_labels(labels), pos_label)
    if positive is None:
        return np.zeros(len(labels), dtype=bool)
    return is_label(labels, positive)


def is_label(labels: Array, label: Any) -> BoolArray:
    """Return which of the labels are equal to one."""
    if labels.dtype.kind == "O":
        # One by one: a label may itself be a tuple, which numpy would spread out.
        return np.array([other == label for other in labels.tolist()], dtype=bool)
    return np.asarray(labels == label, dtype=bool)


def distinct_labels(labels: Array) -> list[Any]:
    """Return the labels in sorted order, at most two."""
    if labels.dtype.kind in "biuf":
        return _two_extremes(labels)
    _check_kind(labels)
    distinct = _distinct_objects(labels)
    if len(distinct) > 2:
        _raise_many_labels(distinct)
    return distinct


def class_masks(labels: Array, most: int) -> dict[Any, BoolArray]:
    """Return which cases have each of the labels, in sorted order.

    Where there are more labels than ``most``, one more than that is returned.
    """
    if labels.dtype.kind == "O":
        found = _distinct_objects(labels)[: most + 1]
        return {label: is_label(labels, label) for label in found}
    if labels.dtype.kind in "biuf":
        check_finite("y_true", labels)
    _check_kind(labels)
    masks: dict[Any, BoolArray] = {}
    # One class after the other: quicker than to sort all cases by class.
    rest = np.ones(len(labels), dtype=bool)
    first = 0
    while rest[first] and len(masks) <= most:
        label = labels[first]
        mask = masks[label.item()] = np.asarray(labels == label)
        rest &= ~mask
        first = int(rest.argmax())
    _check_no_missing_text(masks, labels)
    return {label: masks[label] for label in sorted(masks)}


def _check_kind(labels: Array) -> None:
    if labels.dtype.kind not in "biufUSO":
        raise ValueError(
            "y_true must hold numbers, booleans or strings, found dtype "
            f"{labels.dtype}: binarise y_true first, for example y_true == label."
        )


def says_its_positive(found: list[Any]) -> bool:
    """Return whether labels are of {0, 1}, {-1, 1} or booleans: 1 is positive."""
    return set(found) <= {0, 1} or set(found) <= {-1, 1}


def _two_extremes(labels: Array) -> list[Any]:
    """Return the distinct numeric labels, at most two, without sorting."""
    check_finite("y_true", labels)
    low, high = labels.min().item(), labels.max().item()
    if low == high:
        return [low]
    # Between two neighbouring integers, or booleans, there is no third.
    if labels.dtype.kind == "f" or high - low > 1:
        n_known = np.count_nonzero(labels == low) + np.count_nonzero(labels == high)
        if n_known < len(labels):
            _raise_many_labels(np.unique(labels).tolist())
    return [low, high]


def _distinct_objects(labels: Array) -> list[Any]:
    """Return the distinct labels that are strings or objects, in sorted order."""
    cells = labels.tolist() if labels.dtype.kind == "O" else np.unique(labels).tolist()
    try:
        distinct = list(dict.fromkeys(cells))
    except TypeError:
        _raise_mixed_labels(cells)
    if first_missing(distinct) is not None:
        raise ValueError(
            "y_true contains NaN or another missing label (first at position "
            f"{first_missing(cells)}): remove the cases without a label."
        )
    try:
        distinct.sort()
    except TypeError:
        _raise_mixed_labels(cells)
    _check_no_missing_text(distinct, labels)
    return distinct


def _check_no_missing_text(distinct: Collection[Any], labels: Array) -> None:
    if "nan" in distinct:
        raise ValueError(
            "y_true contains the text 'nan', which is what becomes of a missing label "
            f"among strings (first at position {labels.tolist().index('nan')}): remove "
            "the cases without a label, or pass booleans."
        )


def _raise_mixed_labels(cells: list[Any]) -> NoReturn:
    kinds = sorted({type(label).__name__ for label in cells})
    if len(kinds) == 1:
        raise ValueError(
            f"y_true must hold numbers, booleans or strings, found labels of the type "
            f"{kinds[0]}."
        )
    raise ValueError(
        f"y_true mixes labels of the types {kinds}: use one type, and remove "
        "missing labels."
    )


def _raise_many_labels(found: list[Any]) -> NoReturn:
    more = ", ..." if len(found) > 6 else ""
    raise ValueError(
        f"y_true must hold two classes, found {len(found)} labels: "
        f"{', '.join(map(shown, found[:6]))}{more}. "
        "Binarise y_true, for example by y_true == label with the scores of it, or "
        "grades by y_true >= grade, which is relevance_threshold= of lists. Several "
        "classes at once, a column of scores for each, are for scores that have "
        "average=; estimate and compare take one at a time."
    )


def positive_label(found: list[Any], pos_label: Label) -> Any:
    """Return the label that counts as positive, None if no case carries it.

    ``found`` are the labels of ``y_true``, one or two, in sorted order.
    """
    if pos_label is None:
        if not says_its_positive(found):
            choices = " or ".join(f"pos_label={shown(label)}" for label in found)
            raise ValueError(
                f"pos_label=None is ambiguous for y_true with {_listed(found)}: pass "
                f"{choices}{', or the label that is not here' * (len(found) == 1)}."
            )
        return 1 if 1 in found else None
    if is_missing(pos_label):
        raise ValueError(
            f"pos_label={shown(pos_label)} is no label: pass one of y_true, which has "
            f"{_listed(found)}."
        )
    label = find_label(pos_label, found)
    # Where there is one class the other may be the positive one.
    if label is None and (len(found) == 2 or not _are_alike(found[0], pos_label)):
        raise ValueError(
            f"pos_label={shown(pos_label)} is not a label of y_true, which has "
            f"{_listed(found)}."
        )
    return label


def find_label(label: Any, known: list[Any]) -> Any:
    """Return which of the ``known`` labels equals ``label``, None if there is none."""
    alike = (other for other in known if _are_alike(other, label))
    return next((other for other in alike if other == label), None)


def _listed(labels: list[Any]) -> str:
    texts = ", ".join(map(shown, labels))
    return f"the labels [{texts}]" if len(labels) > 1 else f"the one label {texts}"


def _are_alike(label: Any, pos_label: Label) -> bool:
    """Return whether both are numbers, or one is of the type of the other."""
    kinds = (numbers.Number, np.bool_)
    if isinstance(label, kinds) and isinstance(pos_label, kinds):
        return True
    return isinstance(label, type(pos_label)) or isinstance(pos_label, type(label))


def check_fraction(
    name: str,
    value: Any,
    *,
    include_zero: bool = False,
    include_one: bool = False,
    hint: str = "",
) -> float:
    """Return ``value`` as a float between 0 and 1, bounds as told.

    The error ends with the ``hint``.
    """
    number = _as_float(value)
    is_inside = (
        0 < number < 1
        or (include_zero and number == 0)
        or (include_one and number == 1)
    )
    if not is_inside:
        left, right = "[" if include_zero else "(", "]" if include_one else ")"
        bounds = f"{left}0, 1{right}"
        found = f"got {shown(value)}{hint}"
        raise ValueError(f"{name} must be a number in {bounds}, {found}.")
    return number


def check_number(name: str, value: Any) -> float:
    """Return ``value`` as a finite float."""
    number = _as_float(value)
    if not np.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {shown(value)}.")
    return number


def check_positive(name: str, value: Any) -> float:
    """Return ``value`` as a finite float above zero."""
    number = _as_float(value)
    if not 0 < number < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {shown(value)}.")
    return number


def _as_float(value: Any) -> float:
    """Return a real number as a float; nan for another object, or one too large."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("nan")


def check_flag(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False, of Python or numpy."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {shown(value)}.")
    return bool(value)


def check_shares(
    name: str,
    values: Any,
    low: float = 0.0,
    high: float = 1.0,
    *,
    allow_nan: bool = False,
) -> FloatArray:
    """Return ``values``, one number or an array of them, all in [low, high]."""
    array = as_real(name, values)
    is_inside = (array >= low) & (array <= high)
    if allow_nan:
        is_inside |= np.isnan(array)
    if not is_inside.all():
        first = float(array[~is_inside].ravel()[0])
        raise ValueError(f"{name} must lie in [{low:.6g}, {high:.6g}], found {first}.")
    return array


def check_count(name: str, value: Any, *, minimum: int = 1) -> int:
    """Return ``value`` as an int of at least ``minimum``, which an array can index."""
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or value < minimum:
        raise ValueError(f"{name} must be an integer >= {minimum}, got {shown(value)}.")
    if value > _MOST:
        raise ValueError(f"{name} must be at most {_MOST}, got {shown(value)}.")
    return int(value)


def check_n_jobs(value: Any) -> int | None:
    """Return a number of jobs as joblib takes it."""
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if value is None or (is_whole and value != 0):
        return None if value is None else int(value)
    raise ValueError(
        f"n_jobs must be None or an integer other than 0, got {shown(value)}: -1 uses "
        "all processors."
    )


def check_counts(name: str, values: Any, *, minimum: int = 0) -> IntArray:
    """Return ``values``, one count or an array of them, as integers >= ``minimum``."""
    counts = as_array(name, values)
    if counts.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must hold integers, found dtype {counts.dtype} ({shown(values)})."
        )
    if counts.size and counts.min() < minimum:
        raise ValueError(f"{name} must be at least {minimum}, found {counts.min()}.")
    if counts.size and counts.max() > _MOST:
        raise ValueError(f"{name} must be at most {_MOST}, found {counts.max()}.")
    return counts.astype(np.intp)


def check_choice(name: str, value: Choice, choices: Collection[str]) -> Choice:
    """Return ``value`` if it is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"{name} must be one of {sorted(choices)}, got {shown(value)}."
        )
    return value


def check_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator from None, an int, a Generator or a RandomState."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, 4, dtype=np.uint32))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, an integer >= 0, a numpy Generator or a "
            f"RandomState, got {shown(random_state)}."
        ) from None


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of the line outside of this package that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_undefined(metric: str, reason: str) -> float:
    """Warn that ``metric`` is undefined and return nan."""
    message = f"{metric} is undefined: {reason}. nan is returned."
    warn(message, UndefinedMetricWarning)
    return float("nan")


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
    if array.dtype.kind in "US" and not hasattr(values, "dtype"):
        # Among strings numpy writes numbers and NaN as strings.
        cells = np.array(values, dtype=object)
        if not all(isinstance(cell, str | bytes) for cell in cells.ravel()):
            return cells
    if array.dtype.kind == "T":
        # As strings and missing values, which this dtype may hold side by side.
        return array.astype(object)
    return array if array.dtype.isnative else _native(array)


def _native(array: Array) -> Array:
    return array.astype(array.dtype.newbyteorder("="))


def check_unmasked(name: str, values: Any) -> None:
    """Raise where ``values`` are an array with masked entries."""
    if isinstance(values, np.ma.MaskedArray) and values.dtype.names is None:
        is_masked = np.ma.getmaskarray(values)
        if is_masked.any():
            raise ValueError(
                f"{name} is a masked array with {np.count_nonzero(is_masked)} masked "
                f"entries (first at position {int(is_masked.argmax())}): remove these "
                "cases from all arguments first."
            )


def as_real(name: str, values: Any, *, missing: bool = False) -> FloatArray:
    """Return numbers in an array of any shape, rounded to float64.

    NaN stays NaN; with ``missing`` so do None and pandas.NA, without it they are an
    error.
    """
    array = as_array(name, values)
    if array.dtype.kind != "O":
        return as_float64(name, array)
    cells = array.ravel().tolist()
    is_nan = [
        is_missing(cell) if missing else isinstance(cell, float) and cell != cell
        for cell in cells
    ]
    given = np.where(is_nan, 0.0, array.ravel())
    floats = np.where(is_nan, np.nan, as_float64(name, given))
    return np.asarray(floats.reshape(array.shape))


def as_numbers(name: str, values: Array) -> Array:
    """Return numeric ``values``; of objects integers if they all are, else floats."""
    kind = values.dtype.kind
    if kind in "fiub":
        return values
    if kind in "mM":
        raise ValueError(
            f"{name} must be numeric, found dtype {values.dtype} (first value "
            f"{values.ravel()[0]}): pass their integers, {name}.astype('int64')."
        )
    cells = values.ravel().tolist()
    for where, cell in enumerate(cells):
        if kind == "O" and is_missing(cell):
            raise ValueError(
                f"{name} contains NaN or another missing value (first at position "
                f"{where}): remove or impute these cases first."
            )
        if not isinstance(cell, numbers.Real | np.bool_):
            raise ValueError(
                f"{name} must be numeric, found dtype {values.dtype} with a "
                f"{type(cell).__name__} ({shown(cell)} at position {where}): convert "
                "it to numbers first."
            )
    are_whole = all(isinstance(cell, numbers.Integral | np.bool_) for cell in cells)
    # All that fit are told apart.
    for dtype in (np.int64, np.uint64)[: 2 * are_whole]:
        with suppress(OverflowError):
            return np.array(cells, dtype=dtype).reshape(values.shape)
    with suppress(OverflowError):
        found = np.array(cells)
        found = found.astype(np.float64) if found.dtype.kind == "O" else found
        return found.reshape(values.shape)
    raise ValueError(
        f"{name} holds numbers beyond the range of float64: rescale the values."
    )


def as_float64(name: str, values: Array) -> FloatArray:
    """Return numeric ``values`` as float64."""
    # What is beyond its range becomes infinite, and is told as such.
    with np.errstate(over="ignore", under="ignore"):
        return as_numbers(name, values).astype(np.float64, copy=False)


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


def is_missing(value: Any) -> bool:
    """Return whether a value is None, or one that does not equal itself."""
    if value is None:
        return True
    if isinstance(value, tuple):
        return any(map(is_missing, value))
    try:
        return bool(value != value)
    except (TypeError, ValueError, ArithmeticError):
        # pandas.NA will not say whether it differs.
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


# Labels, each with the part of the sample where it was first seen.
Seen = dict[Any, str]


def seen_in(where: str, labels: Array) -> Seen:
    """Return the labels of the part that is called ``where``."""
    return dict.fromkeys(distinct_labels(labels), where)


def seen_in_all(parts: Iterable[Seen]) -> Seen:
    """Return the labels of all parts, each with the first of these that holds it."""
    seen: Seen = {}
    for part in parts:
        for label, where in part.items():
            seen.setdefault(label, where)
    return seen


def seen_with(before: Seen, where: str, labels: Array, pos_label: Label = None) -> Seen:
    """Return the labels seen before and in one more part; raise if they do not fit."""
    seen = seen_in_all([before, seen_in(where, labels)])
    if len(seen) > len(before):
        check_seen(seen, pos_label)
    return seen


def check_seen(seen: Seen, pos_label: Label) -> None:
    """Raise unless the labels of all parts are those of one problem of two classes.

    Examples
    --------
    >>> try:
    ...     check_seen({"a": "chunk 0", "b": "chunk 3"}, pos_label="c")
    ... except ValueError as error:
    ...     print(str(error).partition(". ")[2])
    First seen: 'a' in chunk 0, 'b' in chunk 3.
    """
    if not seen:
        raise ValueError("y_true is empty: at least one case is needed.")
    # One by one: a label may itself be a tuple, which numpy would spread out.
    found = np.empty(len(seen), dtype=object)
    found[:] = list(seen)
    try:
        check_labels(found, pos_label)
    except ValueError as error:
        where = ", ".join(f"{label!r} in {part}" for label, part in seen.items())
        raise ValueError(f"{error} First seen: {where}.") from error
