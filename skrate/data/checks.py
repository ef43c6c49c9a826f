"""Checks of arguments that several modules share.

Most ``check_*`` return the checked argument, ready for use; some only raise. A
``ValueError`` names the argument and says which values are accepted.
"""

from __future__ import annotations

import numbers
import sys
import warnings
from collections.abc import Callable, Collection, Mapping
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
)

# The maximum of the integers that index an array.
_MOST = np.iinfo(np.intp).max
# With the last separator, because a user's file next to it may start with the name.
_PACKAGE = str(Path(__file__).parents[1] / "_").removesuffix("_")
# The remedies for missing values of some arguments, and of all others.
_REMEDIES = {
    "y_true": "remove samples without a label, or pass skrate.labels.sampled(y, p), or "
    "with groups= skrate.labels.judged(y, y_judge).",
    "y": "remove the samples without a label.",
    "probability": "each sample needs its probability of being labelled.",
}
_OTHER_REMEDY = "remove these samples from all arguments, or replace the values."
_UNRETURNED = (
    " A score of -inf means 'not returned'. It is accepted within lists (groups=) by "
    "NDCG, MAP, reciprocal rank, hit rate, average precision, and recall at k or at a "
    "rate; also in a single ranking by their score functions."
)

Choice = TypeVar("Choice", bound=str | None)
# The check of an argument: its choices, or a function of its name and value.
Check = Collection[str] | Callable[[str, Any], Any]


def check_arguments(
    checks: Mapping[str, Check], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call, some after ``checks``."""
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
    """Raise if weights are negative, or not 0 and so small or large that sums fail.

    nan passes.
    """
    # Products of weights in this range, and sums of products, fit in float64.
    least, greatest = 1e-100, 1e100
    lowest, highest = weights.min(), weights.max()
    if lowest < 0:
        raise ValueError(f"{name} must not be negative, got {lowest:g}.")
    if lowest < least:
        lowest = np.min(weights, where=weights > 0, initial=np.inf)
    if lowest < least or highest > greatest:
        extreme = lowest if lowest < least else highest
        raise ValueError(
            f"{name} holds {extreme:.3g}: weights other than 0 must be from "
            f"{least:g} to {greatest:g}, so divide all by one number."
        )


def check_vector(name: str, values: Any) -> Array:
    """Return ``values`` as an array of shape (n,), n >= 1; a column is flattened.

    Its byte order is native, and all values are unchanged.
    """
    vector = as_array(name, values)
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector[:, 0]
    if vector.ndim != 1:
        actual, hint = f"an array of shape {vector.shape}", ""
        if vector.ndim == 0:
            actual = f"a single object of type {type(values).__name__}"
            # For objects that some functions accept instead of labels and scores.
            hint = getattr(values, "__skrate_hint__", "")
            if isinstance(values, Mapping):
                hint = "; pass one model at a time here, or all models to estimate, "
                hint += "compare, select_best, budget_report or from_models of displays"
            elif hasattr(values, "predict"):
                hint = ": pass its scores, such as model.predict_proba(X)[:, 1]"
            hint = hint or "; pass a list or an array with one entry per sample"
        elif vector.ndim == 2 and vector.shape[1] == 2 and "score" in name:
            column = f"{name}{'.iloc' if hasattr(values, 'iloc') else ''}[:, i]"
            hint = (
                f"; pass the column of the positive class, {column} with "
                "classes_[i] == pos_label"
            )
        else:
            hint = (
                "; pass a flat array with one entry per sample, and the list of each "
                "sample as groups= if there are lists"
            )
        raise ValueError(f"{name} must be one-dimensional, got {actual}{hint}.")
    if vector.size == 0:
        raise ValueError(f"{name} is empty: at least one sample is needed.")
    return vector


def check_scores(name: str, values: Any, *, takes_unreturned: bool = False) -> Array:
    """Return ``values`` as a finite numeric vector in their own precision.

    If ``takes_unreturned``, scores may be -inf, which means "not returned".
    """
    vector = check_vector(name, values)
    scores = as_numbers(name, vector)
    if takes_unreturned and scores.dtype.kind == "f":
        check_finite(name, np.where(scores == -np.inf, 0, scores))
    else:
        check_finite(name, scores, if_negative=_UNRETURNED)
    if vector.dtype.kind == "O" and len(set(vector)) > len(set(scores.tolist())):
        raise ValueError(
            f"{name} holds unequal numbers that float64 would make equal: give "
            "integers of 64 bits, or ranks."
        )
    return scores


def warn_class_scores(name: str, scores: Array) -> None:
    """Warn of 10 or more integers that are all 0 or 1, or all -1 or 1, as classes are.

    Floating point numbers pass, because a tree can have the probabilities 0 and 1.
    """
    if scores.dtype.kind == "f" or len(scores) < 10 or abs(scores[:10]).max() > 1:
        return
    low, high = scores.min(), scores.max()
    if high == 1 and low in (0, -1) and ((scores == low) | (scores == high)).all():
        warn(
            f"{name} holds only {low:g} and {high:g}, as predicted classes do: pass "
            "model.predict_proba(X)[:, 1] or model.decision_function(X), which also "
            "rank the samples within a class."
        )


def check_weights(name: str, values: Any) -> FloatArray:
    """Return ``values`` as non-negative float64 weights, not all zero."""
    weights = as_float64(name, check_vector(name, values))
    check_finite(name, weights)
    check_range(name, weights)
    if weights[0] == 0 and not weights.any():
        raise ValueError(f"{name} is zero for every sample: use positive weights.")
    return weights


def check_finite(name: str, values: Array, if_negative: str = "") -> None:
    """Raise if ``values`` holds NaN or infinity, with a hint for -infinity."""
    finite = np.isfinite(values) if values.dtype.kind == "f" else np.True_
    if not finite.all():
        where = int(np.argmin(finite))
        invalid = "NaN" if np.isnan(values[where]) else "infinity"
        raise ValueError(
            f"{name} contains {invalid} (first at position {where}): "
            + _REMEDIES.get(name, _OTHER_REMEDY)
            + (if_negative if values[where] == -np.inf else "")
        )


def check_equal_length(**arrays: Array) -> None:
    """Raise unless all the named arrays have the same length."""
    lengths = {name: len(column) for name, column in arrays.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        sizes, hint = np.asarray(arrays.get("groups", ())), ""
        if sizes.dtype.kind in "iu" and sizes.sum() == max(lengths.values()):
            hint = ": replace sizes of lists by np.repeat(range(len(sizes)), sizes)"
        raise ValueError(f"Unequal numbers of samples: {listed}{hint}.")


def find_index(values: Any) -> Any:
    """Return the index of a pandas object, or this index; None for other objects."""
    index = getattr(values, "index", values)
    return index if hasattr(index, "get_indexer") else None


def check_index(y_true: Any, /, **columns: Any) -> None:
    """Raise if a pandas column has the index of ``y_true`` in a different order.

    Rows are matched by position, as in scikit-learn. Instead of ``y_true`` pass its
    index.
    """
    index = find_index(y_true)
    for column, values in columns.items() if index is not None else ():
        other = find_index(values)
        if other is None or other is index or len(other) != len(index):
            continue
        if index.equals(other) or not (index.is_unique and other.is_unique):
            continue
        # Numbers with other ends are no permutation; finding them would take longer.
        is_number = index.dtype.kind in "iu" and other.dtype.kind in "iu"
        if is_number and (index.min(), index.max()) != (other.min(), other.max()):
            continue
        positions = index.get_indexer(other)
        if positions.min() >= 0 and (np.diff(positions) != 1).any():
            raise ValueError(
                f"{column} has the index of y_true in another order: pass "
                f"{column}.loc[y_true.index], or {column}.to_numpy() if rows already "
                "match by position."
            )


def check_labels(labels: Array, pos_label: Label = None) -> BoolArray:
    """Return which samples are positive; labels of one class pass."""
    masks = _two_class_masks(labels)
    known = list(masks)
    if pos_label is None:
        if not has_default_positive(known):
            choices = " or ".join(f"pos_label={shown(label)}" for label in known)
            raise ValueError(
                f"pos_label=None is ambiguous for y_true with {_listed(known)}: pass "
                f"{choices}{', or the label that is absent' * (len(known) == 1)}."
            )
        positive = 1
    else:
        positive = find_label(pos_label, known)
        # If there is only one class, the other may be the positive one.
        is_other = len(known) == 1 and _are_alike(known[0], pos_label)
        if positive is None and not is_other:
            raise ValueError(
                f"pos_label={shown(pos_label)} is not a label of y_true, which has "
                f"{_listed(known)}."
            )
    return masks.get(positive, np.zeros(len(labels), dtype=bool))


def is_label(labels: Array, label: Any) -> BoolArray:
    """Return which of the labels are equal to a label."""
    if labels.dtype.kind == "O":
        # One by one, because numpy would expand labels that are tuples.
        return np.array([entry == label for entry in labels.tolist()], dtype=bool)
    return np.asarray(labels == label, dtype=bool)


def distinct_labels(labels: Array) -> list[Any]:
    """Return the labels in sorted order, at most two."""
    return list(_two_class_masks(labels))


def _two_class_masks(labels: Array) -> dict[Any, BoolArray]:
    masks = class_masks(labels, 2)
    if len(masks) > 2:
        distinct = np.unique(labels).tolist()
        is_score = labels.dtype.kind == "f" and bool((labels % 1 != 0).any())
        # Several classes, or grades in steps of 0.5, rarely have more than 10 labels.
        if len(distinct) > 10 and (is_score or 2 * len(distinct) > len(labels)):
            raise ValueError(
                "Are y_true and y_score swapped? y_true must hold two classes, got "
                f"{len(distinct)} labels, such as {shown(distinct[0])}."
            )
        more = ", ..." if len(distinct) > 6 else ""
        raise ValueError(
            f"y_true must hold two classes, got {len(distinct)} labels, "
            f"{', '.join(map(shown, distinct[:6]))}{more}: for grades pass y_true >= "
            "grade, or relevance_threshold=grade in lists (ndcg_score accepts grades); "
            "for several classes pass y_true == label and the scores of this label "
            "(score functions with average= accept several classes)."
        )
    return masks


def class_masks(labels: Array, most: int) -> dict[Any, BoolArray]:
    """Return a mask of the samples of each label, in sorted order of the labels.

    If there are more labels than ``most``, only ``most + 1`` of them are returned.
    """
    if labels.dtype.kind not in "biufUSO":
        raise ValueError(
            "y_true must hold numbers, booleans or strings, got dtype "
            f"{labels.dtype}: binarise y_true first, for example y_true == label."
        )
    check_finite("y_true", labels)
    masks: dict[Any, BoolArray] = {}
    if labels.dtype.kind == "O":
        for label in distinct_objects("y_true", labels)[: most + 1]:
            masks[label] = is_label(labels, label)
    else:
        # One class after the other, which is faster than sorting all samples.
        remaining = np.ones(len(labels), dtype=bool)
        first = 0
        while remaining[first] and len(masks) <= most:
            mask = masks[labels[first].item()] = np.asarray(labels == labels[first])
            remaining &= ~mask
            first = int(remaining.argmax())
    if "nan" in masks:
        raise ValueError(
            "y_true contains the text 'nan' (first at position "
            f"{int(masks['nan'].argmax())}): remove the samples without a label, or "
            "pass booleans. A missing label among strings becomes this text."
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
    raise_missing(name, int(are_missing(labels).argmax()))


def raise_missing(name: str, where: int) -> NoReturn:
    """Raise for a missing value at the position ``where``."""
    raise ValueError(
        f"{name} contains NaN or another missing value (first at position {where}): "
        + _REMEDIES.get(name, _OTHER_REMEDY)
    )


def has_default_positive(labels: list[Any]) -> bool:
    """Return whether labels are in {0, 1}, {-1, 1} or booleans: 1 is positive."""
    return set(labels) <= {0, 1} or set(labels) <= {-1, 1}


def check_no_missing(name: str, values: Any) -> None:
    """Raise if a label is missing, with the first position."""
    missing = are_missing(as_array(name, values))
    if missing.ndim == 1 and missing.any():
        raise_missing(name, int(missing.argmax()))


def find_label(label: Any, known: list[Any]) -> Any:
    """Return which of the ``known`` labels equals ``label``, None if there is none."""
    alike = (entry for entry in known if _are_alike(entry, label))
    return next((entry for entry in alike if entry == label), None)


def _listed(labels: list[Any]) -> str:
    texts = ", ".join(map(shown, labels))
    return f"the labels [{texts}]" if len(labels) > 1 else f"the one label {texts}"


def _are_alike(label: Any, pos_label: Label) -> bool:
    """Return whether both are numbers, or one has the type of the other."""
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
    """Return ``value`` as a float between 0 and 1, with or without the ends.

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
    """Return numbers, clipped to the limits if they exceed them only by rounding."""
    ends = np.clip(values, low, high)
    # Rounding errors of sums and products of fractions are smaller.
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
    """Return a real number as a float; nan for another object or a too large one."""
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
    """Return ``values``, one number or an array of numbers, all in [low, high]."""
    fractions = within_rounding(as_real(name, values), low, high)
    is_inside = (fractions >= low) & (fractions <= high)
    if allow_nan:
        is_inside |= np.isnan(fractions)
    if not is_inside.all():
        first = float(fractions[~is_inside].ravel()[0])
        hint = f": did you mean {first / 100:g}?" if high == 1 < first <= 100 else "."
        raise ValueError(f"{name} must lie in [{low:g}, {high:g}], got {first}{hint}")
    return fractions


def check_count(name: str, value: Any, *, minimum: int = 1) -> int:
    """Return ``value`` as an int of at least ``minimum`` that can index an array."""
    if not _is_whole(value) or value < minimum:
        hint = "."
        if isinstance(value, list | tuple | np.ndarray):
            hint = ": call the function for each."
        raise ValueError(
            f"{name} must be an integer >= {minimum}, got {shown(value)}{hint}"
        )
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
    """Return ``values``, a count or an array of counts, as integers >= ``minimum``."""
    counts = as_array(name, values)
    if counts.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must hold integers, got dtype {counts.dtype} ({shown(values)})."
        )
    if counts.size and counts.min() < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {counts.min()}.")
    if counts.size and counts.max() > _MOST:
        raise ValueError(f"{name} must be at most {_MOST}, got {counts.max()}.")
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
    """Issue a warning for the line that called this package, also through joblib."""
    level, outside, frame = 1, 1, sys._getframe()
    while frame.f_back is not None:
        if frame.f_code.co_filename.startswith(_PACKAGE):
            outside = level + 1
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=outside)


def warn_undefined(metric: str, reason: str) -> float:
    """Warn that ``metric`` is undefined and return nan."""
    message = f"{metric} is undefined: {reason}. nan is returned."
    warn(message, UndefinedMetricWarning)
    return float("nan")


def as_array(name: str, values: Any) -> Array:
    """Return ``values`` as a plain array of any shape, in native byte order."""
    if isinstance(values, np.ma.MaskedArray):
        check_unmasked(name, values)
    try:
        array = as_numpy(values)
    except Exception as error:
        # Containers that cannot become an array raise various errors, for example for
        # tensors on another device.
        _check_no_lists(name, values)
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
        # numpy converts numbers and NaN to strings, and drops NUL at their end.
        cells = np.array(values, dtype=object)
        if cells.tolist() != array.tolist():
            return cells
    is_list = array.dtype.kind in "fc" and not hasattr(values, "__array__")
    if is_list and (np.abs(array) >= 2**53).any():
        # numpy rounds integers among floats, or integers without a common type.
        cells = np.array(values, dtype=object)
        if any(_is_whole(cell) and cell != int(float(cell)) for cell in cells.flat):
            return cells
    if array.dtype.kind == "O" and array.ndim == 1:
        _check_no_lists(name, array)
    if array.dtype.kind == "T":
        # This dtype may hold strings and missing values side by side.
        return array.astype(object)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _check_no_lists(name: str, rows: Any) -> None:
    """Raise if rows are lists of unequal lengths, with the arguments to pass."""
    # In an array, tuples are labels.
    kinds: Any = (list, np.ndarray, *([] if isinstance(rows, np.ndarray) else [tuple]))
    if not isinstance(rows, kinds) or not all(
        isinstance(row, kinds) and getattr(row, "ndim", 1) for row in rows
    ):
        return
    lengths = list(map(len, rows))
    if len(set(lengths)) > 1:
        raise ValueError(
            f"{name} has {len(rows)} lists: pass np.concatenate({name}), the same for "
            f"all arguments, and groups=np.repeat(range({len(rows)}), lengths), with "
            f"lengths = list(map(len, {name})), here {shown(lengths)}."
        )


def as_numpy(values: Any) -> Array:
    """Return ``values`` as numpy reads them, copied from another device if needed."""
    is_dlpack = hasattr(values, "__dlpack__") and not hasattr(values, "__array__")
    read: Callable[[Any], Array] = np.from_dlpack if is_dlpack else np.asarray
    # Methods of PyTorch and CuPy. Dtypes that numpy lacks (bfloat16) fit in float32.
    for step in ("detach", "cpu", "get", "float"):
        if hasattr(values, step):
            with suppress(BufferError, RuntimeError, TypeError):
                return read(values)
            values = getattr(values, step)()
    return read(values)


def check_unmasked(name: str, values: Any) -> None:
    """Raise if ``values`` is an array with masked entries."""
    if isinstance(values, np.ma.MaskedArray):
        is_masked = np.ma.getmaskarray(values)
        if is_masked.any():
            raise ValueError(
                f"{name} is a masked array with {np.count_nonzero(is_masked)} masked "
                f"entries (first at position {int(is_masked.argmax())}): remove these "
                "samples from all arguments first."
            )


def as_real(name: str, values: Any, *, missing: bool = False) -> FloatArray:
    """Return an array of float64; with ``missing`` None and pandas.NA become NaN."""
    reals = as_array(name, values)
    if missing and reals.dtype.kind == "O":
        cells = [np.nan if is_missing(cell) else cell for cell in reals.ravel()]
        reals = as_array(name, cells).reshape(reals.shape)
    return as_float64(name, reals)


def as_numbers(name: str, values: Array) -> Array:
    """Return numeric ``values``; objects that are numbers become numbers."""
    kind = values.dtype.kind
    if kind in "fiub":
        return values
    if kind in "mM":
        raise ValueError(
            f"{name} must be numeric, got dtype {values.dtype} (first value "
            f"{values.ravel()[0]}): pass numpy.asarray({name}).astype('int64')."
        )
    cells = values.ravel().tolist()
    for where, cell in enumerate(cells):
        if kind == "O" and is_missing(cell):
            raise_missing(name, where)
        if not isinstance(cell, numbers.Real | np.bool_):
            raise ValueError(
                f"{name} must be numeric, got dtype {values.dtype} with a "
                f"{type(cell).__name__} ({shown(cell)} at position {where}): pass "
                + (
                    "scores, such as model.predict_proba(X)[:, 1], not predicted "
                    "classes."
                    if "score" in name
                    else "numbers."
                )
            )
    with suppress(OverflowError):
        numeric = np.array(cells)
        numeric = numeric.astype(np.float64) if numeric.dtype.kind == "O" else numeric
        return numeric.reshape(values.shape)
    raise ValueError(
        f"{name} holds numbers outside the range of float64: rescale the values."
    )


def as_float64(name: str, values: Array) -> FloatArray:
    """Return numeric ``values`` as float64."""
    # A longdouble outside the range becomes infinite, which later checks report.
    with np.errstate(over="ignore", under="ignore"):
        return as_numbers(name, values).astype(np.float64, copy=False)


def joined(name: str, first: Array, second: Array) -> Array:
    """Return two columns in one array, of a type that represents all values."""
    column = np.concatenate([first, second])
    pieces = np.split(column, [len(first)])
    for before, after in zip((first, second), pieces, strict=True):
        with np.errstate(invalid="ignore"):
            is_same = np.array_equal(after.astype(before.dtype), before)
        if before.dtype.kind in "biu" and not is_same:
            raise ValueError(
                f"{name} of dtype {first.dtype} and {second.dtype} cannot be compared "
                f"without rounding some to {column.dtype}: use one dtype."
            )
    return column


def is_missing(value: Any) -> bool:
    """Return whether a value is None, or does not equal itself, as NaN does not."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except Exception:
        # pandas.NA and Decimal("sNaN") cannot be compared.
        return True


def are_missing(labels: Array) -> BoolArray:
    """Return which labels are missing."""
    if labels.dtype.kind == "O":
        is_nan = [is_missing(label) for label in labels.ravel().tolist()]
        return np.array(is_nan, dtype=bool).reshape(labels.shape)
    return np.asarray(labels != labels)


def shown(value: Any) -> str:
    """Return a value as text for a message, in one line of bounded length."""
    if isinstance(value, np.generic):
        value = value.item()
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"


# Labels, each with the first part of the data that has it.
Seen = dict[Any, str]


def update_labels(
    before: Seen, where: str, labels: Array, pos_label: Label = None
) -> Seen:
    """Return the labels seen before and in a further part; raise if they do not fit."""
    new = [label for label in distinct_labels(labels) if label not in before]
    seen = before | dict.fromkeys(new, where)
    if new:
        # One by one, because numpy would expand labels that are tuples.
        distinct = np.empty(len(seen), dtype=object)
        distinct[:] = list(seen)
        try:
            check_labels(distinct, pos_label)
        except ValueError as error:
            first = ", ".join(f"{label!r} in {part}" for label, part in seen.items())
            raise ValueError(f"{error} First seen: {first}.") from error
    return seen
