"""The one place where arguments are checked.

Every ``check_*`` returns what it checked, ready for use, or raises a ``ValueError``
that names the argument, says what was found and what to do.
"""

from __future__ import annotations

import numbers
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.data.arrays import (
    Array,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    RandomState,
    as_numpy,
)

# The largest count that the integers of an array index hold.
_MOST = np.iinfo(np.intp).max
# With its last separator: a file of a user beside it may begin with the same name.
_PACKAGE = str(Path(__file__).parents[1] / "_").removesuffix("_")
_UNRETURNED = (
    " A score of -inf means 'not returned'. It is accepted within lists (groups=) by "
    "NDCG, MAP, reciprocal rank, hit rate, average precision, and recall at k or at a "
    "rate; also in a single ranking by their score functions."
)


Choice = TypeVar("Choice", bound=str | None)

# Products of weights in this range, and sums of these, are numbers of float64.
LEAST_WEIGHT, GREATEST_WEIGHT = 1e-100, 1e100


# What an argument is checked by: its choices, or a function of its name and value.
Check = Collection[str] | Callable[[str, Any], Any]


def check_arguments(
    checks: Mapping[str, Check], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call, of which those that a table names are checked."""
    checked = dict(given)
    for name, check in checks.items():
        if callable(check):
            checked[name] = check(name, given[name])
        else:
            check_choice(name, given[name], check)
    return checked


def or_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    """Return a check that lets None pass."""
    return lambda name, value: None if value is None else check(name, value)


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
        found, hint = f"an array of shape {array.shape}", ""
        if array.ndim == 0:
            found = f"a single object of type {type(values).__name__}"
            # Whatever a function does not take in place of labels and scores.
            hint = getattr(values, "__skrate_hint__", "")
            if isinstance(values, Mapping):
                hint = "; of several models estimate, compare, select_best, "
                hint += "budget_report and from_models of displays take it, and others "
                hint += "one after another"
            elif hasattr(values, "predict"):
                hint = ": pass its scores, such as model.predict_proba(X)[:, 1]"
            hint = hint or "; pass a list or an array with one entry per case"
        elif array.ndim == 2 and array.shape[1] == 2 and "score" in name:
            hint = (
                f"; pass the column of the positive class, {name}[:, i] with "
                "classes_[i] == pos_label"
            )
        else:
            hint = (
                "; pass one entry per case in a flat array, and with groups= which "
                "list each is of, if there are lists"
            )
        raise ValueError(f"{name} must be one-dimensional, found {found}{hint}.")
    if array.size == 0:
        raise ValueError(f"{name} is empty: at least one case is needed.")
    return array


def check_scores(name: str, values: Any, *, takes_unreturned: bool = False) -> Array:
    """Return ``values`` as a finite numeric vector in the precision it came in.

    If ``takes_unreturned``, scores may be -inf, which means "not returned".
    """
    given = check_vector(name, values)
    scores = as_numbers(name, given)
    if takes_unreturned and scores.dtype.kind == "f":
        check_finite(name, np.where(scores == -np.inf, 0, scores))
    else:
        check_finite(name, scores, if_negative=_UNRETURNED)
    if given.dtype.kind == "O" and len(set(given)) > len(set(scores.tolist())):
        raise ValueError(
            f"{name} holds unequal numbers that float64 would make equal: give "
            "integers of 64 bits, or ranks."
        )
    return scores


def warn_class_scores(name: str, scores: Array) -> None:
    """Warn of 10 or more whole numbers that are all 0 or 1, or -1 or 1, as classes are.

    Probabilities of 0 and 1 are those of a tree: floating point numbers are scores.
    """
    if scores.dtype.kind == "f" or len(scores) < 10 or abs(scores[:10]).max() > 1:
        return
    low, high = scores.min(), scores.max()
    if high == 1 and low in (0, -1) and ((scores == low) | (scores == high)).all():
        warn(
            f"{name} holds {low:g} and {high:g} alone, as predicted classes do, which "
            "rank nothing within a class: pass model.predict_proba(X)[:, 1] or "
            "model.decision_function(X)."
        )


def check_weights(name: str, values: Any) -> FloatArray:
    """Return ``values`` as non-negative float64 weights, not all zero."""
    weights = as_float64(name, check_vector(name, values))
    check_finite(name, weights)
    check_range(name, weights)
    if weights[0] == 0 and not weights.any():
        raise ValueError(f"{name} is zero for every case: no case is left.")
    return weights


def check_finite(name: str, values: Array, if_negative: str = "") -> None:
    """Raise where ``values`` holds NaN or infinity, with a hint for -infinity."""
    finite = np.isfinite(values) if values.dtype.kind == "f" else np.True_
    if not finite.all():
        where = int(np.argmin(finite))
        found = "NaN" if np.isnan(values[where]) else "infinity"
        raise ValueError(
            f"{name} contains {found} (first at position {where}): "
            "remove or impute these cases first."
            + (if_negative if values[where] == -np.inf else "")
        )


def check_equal_length(**arrays: Array) -> None:
    """Raise unless all the named arrays have the same length."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        sizes, hint = np.asarray(arrays.get("groups", ())), ""
        if sizes.dtype.kind in "iu" and sizes.sum() == max(lengths.values()):
            hint = ": of the sizes of lists make np.repeat(range(len(sizes)), sizes)"
        raise ValueError(f"Unequal numbers of cases: {found}{hint}.")


def check_labels(labels: Array, pos_label: Label = None) -> BoolArray:
    """Return which cases are positive; a sample of one class is fine."""
    masks = _two_class_masks(labels)
    positive = positive_label(list(masks), pos_label)
    return np.zeros(len(labels), bool) if positive is None else masks[positive]


def is_label(labels: Array, label: Any) -> BoolArray:
    """Return which of the labels are equal to a label."""
    if labels.dtype.kind == "O":
        # One by one: a label may itself be a tuple, which numpy would spread out.
        return np.array([other == label for other in labels.tolist()], dtype=bool)
    return np.asarray(labels == label, dtype=bool)


def distinct_labels(labels: Array) -> list[Any]:
    """Return the labels in sorted order, at most two."""
    return list(_two_class_masks(labels))


def _two_class_masks(labels: Array) -> dict[Any, BoolArray]:
    masks = class_masks(labels, 2)
    if len(masks) > 2:
        found = np.unique(labels).tolist()
        is_score = labels.dtype.kind == "f" and bool((labels % 1 != 0).any())
        # Labels of several classes, or grades in halves, have seldom more than 10.
        if len(found) > 10 and (is_score or 2 * len(found) > len(labels)):
            raise ValueError(
                "Are y_true and y_score swapped? y_true must hold two classes, found "
                f"{len(found)} labels, such as {shown(found[0])}."
            )
        more = ", ..." if len(found) > 6 else ""
        raise ValueError(
            f"y_true must hold two classes, found {len(found)} labels, "
            f"{', '.join(map(shown, found[:6]))}{more}: for grades pass y_true >= "
            "grade, or relevance_threshold=grade in lists (ndcg_score takes grades as "
            "they are); for several classes pass y_true == label and the scores of "
            "this label (score functions with average= take all of them)."
        )
    return masks


def class_masks(labels: Array, most: int) -> dict[Any, BoolArray]:
    """Return which cases have each of the labels, in sorted order.

    Where there are more labels than ``most``, one more than that is returned.
    """
    if labels.dtype.kind not in "biufUSO":
        raise ValueError(
            "y_true must hold numbers, booleans or strings, found dtype "
            f"{labels.dtype}: binarise y_true first, for example y_true == label."
        )
    check_finite("y_true", labels)
    masks: dict[Any, BoolArray] = {}
    if labels.dtype.kind == "O":
        for label in distinct_objects("y_true", labels)[: most + 1]:
            masks[label] = is_label(labels, label)
    else:
        # One class after the other: quicker than to sort all cases by class.
        rest = np.ones(len(labels), dtype=bool)
        first = 0
        while rest[first] and len(masks) <= most:
            mask = masks[labels[first].item()] = np.asarray(labels == labels[first])
            rest &= ~mask
            first = int(rest.argmax())
    if "nan" in masks:
        raise ValueError(
            "y_true contains the text 'nan', which is what becomes of a missing label "
            f"among strings (first at position {int(masks['nan'].argmax())}): remove "
            "the cases without a label, or pass booleans."
        )
    return {label: masks[label] for label in sorted(masks)}


def distinct_objects(name: str, labels: Array) -> list[Any]:
    """Return the distinct labels among objects or strings, in sorted order."""
    cells = labels.tolist()
    try:
        distinct = dict.fromkeys(cells)
        if not any(map(is_missing, distinct)):
            return sorted(distinct)
    except (TypeError, ArithmeticError):
        kinds = sorted({type(label).__name__ for label in cells})
        raise ValueError(
            f"{name} mixes labels of the types {kinds}: use numbers, booleans or "
            "strings, of one type, and remove missing labels."
        ) from None
    raise_missing(name, first_missing(cells) or 0)


def raise_missing(name: str, where: int) -> NoReturn:
    """Raise for a label that is missing at a position."""
    raise ValueError(
        f"{name} contains NaN or another missing label (first at position {where}): "
        "remove the cases without a label."
    )


def has_default_positive(found: list[Any]) -> bool:
    """Return whether labels are of {0, 1}, {-1, 1} or booleans: 1 is positive."""
    return set(found) <= {0, 1} or set(found) <= {-1, 1}


def check_no_missing(name: str, values: Any) -> None:
    """Raise where objects hold a missing label."""
    cells = as_array(name, values)
    if cells.dtype.kind == "O" and cells.ndim:
        where = first_missing(cells.tolist())
        if where is not None:
            raise_missing(name, where)


def positive_label(found: list[Any], pos_label: Label) -> Any:
    """Return the label that counts as positive, None if no case carries it.

    ``found`` are the labels of ``y_true``, one or two, in sorted order.
    """
    if pos_label is None:
        if not has_default_positive(found):
            choices = " or ".join(f"pos_label={shown(label)}" for label in found)
            raise ValueError(
                f"pos_label=None is ambiguous for y_true with {_listed(found)}: pass "
                f"{choices}{', or the label that is not here' * (len(found) == 1)}."
            )
        return 1 if 1 in found else None
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
    if is_missing(pos_label):
        return False
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
    """Return ``value`` as a float between 0 and 1, with bounds as given.

    The error ends with the ``hint``.
    """
    number = float(within_rounding(_as_float(value)))
    is_end = (include_zero and number == 0) or (include_one and number == 1)
    is_inside = 0 < number < 1 or is_end
    if not is_inside:
        between = "[" if include_zero else "("
        between += "0, 1" + ("]" if include_one else ")")
        if not hint and 1 < number <= 100:
            hint = f": did you mean {number / 100:g}"
        hint += "?" if "did you mean" in hint else "."
        raise ValueError(
            f"{name} must be a number in {between}, got {shown(value)}{hint}"
        )
    return number


def within_rounding(values: Any, low: float = 0.0, high: float = 1.0) -> FloatArray:
    """Return numbers, with the limit in place of one that is beyond it by rounding."""
    ends = np.clip(values, low, high)
    # Sums and products of fractions are off by less.
    return np.asarray(np.where(np.abs(values - ends) < 1e-12, ends, values))


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
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        with suppress(OverflowError, TypeError):
            return float(value)
    return float("nan")


def _is_whole(value: Any) -> bool:
    # numpy counts durations among the integers.
    is_other = isinstance(value, bool | np.timedelta64)
    return isinstance(value, numbers.Integral) and not is_other


def check_flag(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False, of Python or numpy."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {shown(value)}.")
    return bool(value)


def check_fractions(
    name: str,
    values: Any,
    low: float = 0.0,
    high: float = 1.0,
    *,
    allow_nan: bool = False,
) -> FloatArray:
    """Return ``values``, one number or an array of them, all in [low, high]."""
    array = within_rounding(as_real(name, values), low, high)
    is_inside = (array >= low) & (array <= high)
    if allow_nan:
        is_inside |= np.isnan(array)
    if not is_inside.all():
        first = float(array[~is_inside].ravel()[0])
        raise ValueError(f"{name} must lie in [{low:.6g}, {high:.6g}], found {first}.")
    return array


def check_count(name: str, value: Any, *, minimum: int = 1) -> int:
    """Return ``value`` as an int of at least ``minimum``, which an array can index."""
    if not _is_whole(value) or value < minimum:
        raise ValueError(f"{name} must be an integer >= {minimum}, got {shown(value)}.")
    if value > _MOST:
        raise ValueError(f"{name} must be at most {_MOST}, got {shown(value)}.")
    return int(value)


def check_n_jobs(name: str, value: Any) -> int | None:
    """Return a number of jobs as joblib takes it."""
    if value is None:
        return None
    if not _is_whole(value) or value == 0:
        raise ValueError(
            f"{name} must be None or an integer other than 0, got {shown(value)}: -1 "
            "uses all processors."
        )
    return int(value)


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


def check_choice(
    name: str, value: Choice, choices: Collection[str], *, or_none: bool = False
) -> Choice:
    """Return ``value`` if it is one of ``choices``."""
    is_none = or_none and value is None
    if not is_none and not (isinstance(value, str) and value in choices):
        allowed = f"{sorted(choices)}{' or None' if or_none else ''}"
        meant = ""
        if isinstance(value, str) and value.lower() == "delong" and "delta" in choices:
            meant = " ('delta' is DeLong's variance for the AUC)"
        raise ValueError(f"{name} must be one of {allowed}{meant}, got {shown(value)}.")
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
    check_unmasked(name, values)
    try:
        array = as_numpy(values)
    except Exception as error:
        # Whatever a container raises that cannot become an array: rows of unequal
        # lengths, or tensors that are elsewhere.
        reason = " ".join(str(error).split())
        raise ValueError(
            f"{name} of type {type(values).__name__} cannot be read as an array: "
            f"{reason.rstrip('.')}."
        ) from error
    if array.dtype.kind == "V":
        fields = array.dtype.names
        hint = f": pass a field, such as {name}[{fields[0]!r}]" if fields else ""
        raise ValueError(f"{name} is an array of dtype {array.dtype}{hint}.")
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        # numpy writes numbers and NaN as strings, and drops NUL at the end of one.
        cells = np.array(values, dtype=object)
        if cells.tolist() != array.tolist():
            return cells
    is_list = array.dtype.kind in "fc" and not hasattr(values, "__array__")
    if is_list and (np.abs(array) >= 2**53).any():
        # numpy rounds integers among floats, or that no integer type holds together.
        cells = np.array(values, dtype=object)
        if any(_is_whole(cell) and cell != int(float(cell)) for cell in cells.flat):
            return cells
    if array.dtype.kind == "T":
        # As strings and missing values, which this dtype may hold side by side.
        return array.astype(object)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def check_unmasked(name: str, values: Any) -> None:
    """Raise where ``values`` are an array with masked entries."""
    if isinstance(values, np.ma.MaskedArray):
        is_masked = np.ma.getmaskarray(values)
        if is_masked.any():
            raise ValueError(
                f"{name} is a masked array with {np.count_nonzero(is_masked)} masked "
                f"entries (first at position {int(is_masked.argmax())}): remove these "
                "cases from all arguments first."
            )


def as_real(name: str, values: Any, *, missing: bool = False) -> FloatArray:
    """Return an array of float64; with ``missing`` None and pandas.NA become NaN."""
    array = as_array(name, values)
    if missing and array.dtype.kind == "O":
        cells = [np.nan if is_missing(cell) else cell for cell in array.ravel()]
        array = as_array(name, cells).reshape(array.shape)
    return as_float64(name, array)


def as_numbers(name: str, values: Array) -> Array:
    """Return numeric ``values``, of objects those that they are."""
    kind = values.dtype.kind
    if kind in "fiub":
        return values
    if kind in "mM":
        raise ValueError(
            f"{name} must be numeric, found dtype {values.dtype} (first value "
            f"{values.ravel()[0]}): pass numpy.asarray({name}).astype('int64')."
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


def joined(name: str, first: Array, second: Array) -> Array:
    """Return two columns in one array, of a type that holds all values."""
    both = np.concatenate([first, second])
    pieces = np.split(both, [len(first)])
    for given, found in zip((first, second), pieces, strict=True):
        with np.errstate(invalid="ignore"):
            is_same = np.array_equal(found.astype(given.dtype), given)
        if given.dtype.kind in "biu" and not is_same:
            raise ValueError(
                f"{name} of dtype {first.dtype} and {second.dtype} cannot be compared "
                f"without rounding some to {both.dtype}: use one dtype."
            )
    return both


def is_missing(value: Any) -> bool:
    """Return whether a value is None, or one that does not equal itself."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except Exception:
        # pandas.NA will not say whether it differs, nor will Decimal("sNaN").
        return True


def first_missing(cells: list[Any]) -> int | None:
    """Return the position of the first missing value, None if there is none."""
    return next((i for i, cell in enumerate(cells) if is_missing(cell)), None)


def shown(value: Any) -> str:
    """Return a value as it stands in a message, in one line of bounded length."""
    if isinstance(value, np.generic):
        value = value.item()
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"


# Labels, each with the part of the sample where it was first seen.
Seen = dict[Any, str]


def merge_labels(parts: Iterable[Seen]) -> Seen:
    """Return the labels of all parts, each with the first of these that holds it."""
    seen: Seen = {}
    for part in parts:
        for label, where in part.items():
            seen.setdefault(label, where)
    return seen


def update_labels(
    before: Seen, where: str, labels: Array, pos_label: Label = None
) -> Seen:
    """Return the labels seen before and in one more part; raise if they do not fit."""
    seen = merge_labels([before, dict.fromkeys(distinct_labels(labels), where)])
    if len(seen) > len(before):
        check_merged_labels(seen, pos_label)
    return seen


def check_merged_labels(seen: Seen, pos_label: Label) -> None:
    """Raise unless the labels of all parts are those of one problem of two classes."""
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
