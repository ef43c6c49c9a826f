"""The one place where arguments are checked.

Every ``check_*`` returns what it checked, ready for use, or raises a ``ValueError``
that names the argument, says what was found and what to do.
"""

import numbers
import warnings
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.core.arrays import Array, BoolArray, FloatArray, IntArray


class RankedSample(NamedTuple):
    """Cases with a label, a score and maybe a weight, all checked."""

    is_pos: BoolArray
    scores: Array
    weights: FloatArray | None


def check_ranked(
    y_true: Any,
    y_score: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    *,
    keep_scale: bool = False,
) -> RankedSample:
    """Return labels, scores and weights of the cases that count.

    Cases of weight zero are left out, and weights that are all equal are dropped, as
    their scale is free for every metric; with ``keep_scale`` only weights of one.
    """
    labels = check_vector("y_true", y_true)
    scores = check_scores("y_score", y_score)
    check_equal_length(y_true=labels, y_score=scores)
    is_pos = check_labels(labels, pos_label)
    if sample_weight is None:
        return RankedSample(is_pos, scores, None)
    weights = check_weights("sample_weight", sample_weight)
    check_equal_length(y_true=labels, sample_weight=weights)
    counts = weights > 0
    if not counts.all():
        is_pos, scores, weights = is_pos[counts], scores[counts], weights[counts]
    are_equal = bool(weights.min() == weights.max())
    if are_equal and not (keep_scale and weights[0] != 1):
        return RankedSample(is_pos, scores, None)
    return RankedSample(is_pos, scores, weights)


def check_vector(name: str, values: Any) -> Array:
    """Return ``values`` as an array of shape (n,), n >= 1; a column is flattened."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        hint = ""
        if array.ndim == 2 and array.shape[1] == 2:
            hint = f"; pass the column of the positive class, {name}[:, 1]"
        raise ValueError(
            f"{name} must be one-dimensional, found an array of shape "
            f"{array.shape}{hint}."
        )
    if array.size == 0:
        raise ValueError(f"{name} is empty: at least one case is needed.")
    return array


def check_scores(name: str, values: Any) -> Array:
    """Return ``values`` as a finite numeric vector in the precision it came in."""
    scores = check_vector(name, values)
    if scores.dtype.kind not in "fiub":
        scores = _as_float(name, scores)
    check_finite(name, scores)
    return scores


def check_weights(name: str, values: Any) -> FloatArray:
    """Return ``values`` as non-negative float64 weights, not all zero."""
    weights = _as_float(name, check_vector(name, values))
    check_finite(name, weights)
    smallest = weights.min()
    if smallest < 0:
        raise ValueError(f"{name} must not be negative, found {smallest:g}.")
    if not weights.any():
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


def check_labels(labels: Array, pos_label: Any = None) -> BoolArray:
    """Return which cases are positive.

    ``pos_label=None`` takes the greater label of {0, 1}, {-1, 1} or booleans; other
    labels must be told apart by name. A sample of one class is fine: whether a metric
    is defined on it is for the metric to say.
    """
    positive = _positive_label(distinct_labels(labels), pos_label)
    if positive is None:
        return np.zeros(len(labels), dtype=bool)
    return np.asarray(labels == positive, dtype=bool)


def distinct_labels(labels: Array) -> list[Any]:
    """Return the labels in sorted order, at most two."""
    if labels.dtype.kind in "biuf":
        return _two_extremes(labels)
    return _distinct_objects(labels)


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
    try:
        found: list[Any] = np.unique(labels).tolist()
    except TypeError:
        kinds = sorted({type(label).__name__ for label in labels.tolist()})
        raise ValueError(
            f"y_true mixes labels of the types {kinds}: use one type, and remove "
            "missing labels."
        ) from None
    if any(label != label for label in found):
        raise ValueError("y_true contains NaN: remove the cases without a label.")
    if len(found) > 2:
        _raise_many_labels(found)
    return found


def _raise_many_labels(found: list[Any]) -> None:
    shown = ", ".join(repr(label) for label in found[:6])
    more = ", ..." if len(found) > 6 else ""
    raise ValueError(
        f"y_true must hold two classes, found {len(found)} labels: {shown}{more}. "
        "Multiclass targets are not supported; binarise y_true first, for example "
        "y_true == label."
    )


def _positive_label(found: list[Any], pos_label: Any) -> Any:
    """Return the label that counts as positive, None if no case carries it."""
    if pos_label is None:
        if not says_its_positive(found):
            raise ValueError(
                f"pos_label=None is ambiguous for y_true with the labels {found}: "
                f"say which is positive, for example pos_label={found[-1]!r}."
            )
        return 1 if 1 in found else None
    for label in found:
        if isinstance(label, str) == isinstance(pos_label, str) and label == pos_label:
            return label
    if len(found) == 2:
        raise ValueError(
            f"pos_label={pos_label!r} is not a label of y_true, which holds {found}."
        )
    return None


def _as_float(name: str, values: Array) -> FloatArray:
    try:
        # From a complex number the cast would take a half, with no more than a warning.
        if values.dtype.kind == "c":
            raise TypeError
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be numeric, found dtype {values.dtype} (first value "
            f"{values[:1].tolist()[0]!r})."
        ) from None


def check_fraction(
    name: str, value: Any, *, include_zero: bool = False, include_one: bool = False
) -> float:
    """Return ``value`` as a float between 0 and 1, bounds as told."""
    left, right = "[" if include_zero else "(", "]" if include_one else ")"
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    is_inside = is_number and (
        0 < value < 1 or (include_zero and value == 0) or (include_one and value == 1)
    )
    if not is_inside:
        bounds = f"{left}0, 1{right}"
        raise ValueError(f"{name} must be a number in {bounds}, got {value!r}.")
    return float(value)


def check_number(name: str, value: Any) -> float:
    """Return ``value`` as a finite float."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a finite number, got {value!r}.")
    return float(value)


def check_positive(name: str, value: Any) -> float:
    """Return ``value`` as a finite float above zero."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0 < value < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}.")
    return float(value)


def check_count(name: str, value: Any, *, minimum: int = 1) -> int:
    """Return ``value`` as an int of at least ``minimum``."""
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or value < minimum:
        raise ValueError(f"{name} must be an integer >= {minimum}, got {value!r}.")
    return int(value)


def check_counts(name: str, values: Any, *, minimum: int = 0) -> IntArray:
    """Return ``values``, one count or an array of them, as integers >= ``minimum``."""
    counts = np.asarray(values)
    if counts.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must hold integers, found dtype {counts.dtype} ({values!r})."
        )
    if counts.size and counts.min() < minimum:
        raise ValueError(f"{name} must be at least {minimum}, found {counts.min()}.")
    return counts.astype(np.intp)


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {sorted(choices)}, got {value!r}.")
    return value


def check_generator(random_state: Any) -> np.random.Generator:
    """Return a generator from None, an int, a Generator or a RandomState."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, 4, dtype=np.uint32))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be None, an integer >= 0, a numpy Generator or a "
            f"RandomState, got {random_state!r}."
        ) from None


def warn_undefined(metric: str, reason: str) -> float:
    """Warn that ``metric`` is undefined and return nan."""
    warnings.warn(
        f"{metric} is undefined: {reason}. nan is returned.",
        UndefinedMetricWarning,
        stacklevel=3,
    )
    return float("nan")
