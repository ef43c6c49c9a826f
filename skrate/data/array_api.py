"""Arrays of other libraries, maybe on another device, such as PyTorch's tensors.

With scikit-learn's ``array_api_dispatch``, cases that lie on a GPU are checked and
ranked there, by the array API standard. All others, and input that is not fine, go to
numpy, which sorts faster and is checked with the same messages as ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config

from skrate.data.arrays import Array, BoolArray, FloatArray


class Ranking(NamedTuple):
    """Cases in the order of their ranking."""

    is_pos: BoolArray
    begins: BoolArray  # Where groups of ties begin.
    scores: Array | None
    weights: FloatArray | None


def as_numpy(values: Any) -> Array:
    """Return what ``numpy.asarray`` does, from another device if dispatch is on."""
    if not is_dispatched(values):
        return np.asarray(values)
    compat = _compat()
    if compat.is_torch_array(values):
        values = values.detach().cpu()
        # Which numpy does not know; float32 holds each of its numbers.
        is_short = str(values.dtype) == "torch.bfloat16"
        return np.asarray(values.float() if is_short else values)
    xp = compat.array_namespace(values)
    if compat.is_array_api_strict_namespace(xp):
        return np.asarray(xp.asarray(values, device=xp.Device("CPU_DEVICE")))
    return np.asarray(compat.to_device(values, "cpu"))


def brought(values: Any) -> Any:
    """Return an array of another library as one of numpy, anything else as it is."""
    return as_numpy(values) if is_dispatched(values) else values


def is_dispatched(values: Any) -> bool:
    """Return whether ``values`` are an array of another library, and dispatch is on."""
    # numpy's own first: they are asked for with every call.
    return (
        not isinstance(values, np.ndarray)
        and values is not None
        and hasattr(values, "__dlpack__")
        and bool(get_config()["array_api_dispatch"])
        and _compat() is not None
        and bool(_compat().is_array_api_obj(values))
    )


def is_elsewhere(values: Any) -> bool:
    """Return whether ``values`` lie on a device where they will be ranked."""
    return is_dispatched(values) and "cpu" not in _device(values).lower()


def check_one_place(**arrays: Any) -> None:
    """Raise if dispatch is on and arrays are of two libraries, or on two devices."""
    if not any(map(is_dispatched, arrays.values())):
        return
    places = {name: place for name in arrays if (place := _place(arrays[name]))}
    (first, place), *others = places.items()
    for name, other in others:
        if other != place:
            raise ValueError(
                f"{first} is an array of {place}, {name} is one of {other}: with "
                "array_api_dispatch all must be of one library and on one device, so "
                "convert one of them."
            )


def _place(values: Any) -> str:
    """Return the library and device of numbers; "" for lists, tables and strings."""
    if isinstance(values, np.ndarray):
        return "numpy on cpu" if values.dtype.kind in "biuf" else ""
    if not is_dispatched(values):
        return ""
    library = _compat().array_namespace(values).__name__
    library = library.removeprefix("array_api_compat.").split(".")[0]
    return f"{library} on {_device(values)}"


def _device(values: Any) -> str:
    return str(_compat().device(values))


def advice(name: str, values: Any) -> str:
    """Return what to do about an array of another library that numpy cannot read."""
    if not hasattr(values, "__dlpack__"):
        return ""
    steps = ".detach()" if getattr(values, "requires_grad", False) else ""
    if "cpu" not in str(getattr(values, "device", "cpu")).lower():
        steps += ".cpu()" if hasattr(values, "cpu") else ", moved to the CPU"
    if str(values.dtype) == "torch.bfloat16":
        steps += ".float()"
    if not steps:
        return ""
    switch = "call sklearn.set_config(array_api_dispatch=True)"
    if get_config()["array_api_dispatch"]:
        switch = "install array-api-compat, which array_api_dispatch needs here"
    return f". Pass {name}{steps}, or {switch}"


def ranked_elsewhere(
    y_true: Any,
    y_score: Any,
    sample_weight: Any,
    positive: Callable[[list[Any]], Any],
    *,
    keep_scale: bool,
) -> Ranking | None:
    """Return the cases ranked on their own device, None where numpy has to do it.

    ``positive`` chooses one of at most two labels. Scores come with ``keep_scale``.
    """
    given = [y_true, y_score]
    if sample_weight is not None:
        given.append(sample_weight)
    if not all(map(is_elsewhere, given)):
        return None
    xp = _compat().array_namespace(*given)
    labels, scores, *others = map(_column, given)
    weights = others[0] if others else None
    for array in (labels, scores, *others):
        if array.ndim != 1 or array.shape != labels.shape or not array.shape[0]:
            return None
    found = _distinct(xp, labels) if _is_fine(xp, scores) else None
    if found is None:
        return None
    label = positive(found)
    # A label that is 1 may be True.
    is_pos = labels != labels if label is None else labels == found[found.index(label)]
    if weights is not None:
        if not _is_fine(xp, weights):
            return None
        lowest, highest = float(xp.min(weights)), float(xp.max(weights))
        if highest <= 0:
            return None
        if lowest == 0:
            # As in `Sample.with_weight`.
            kept = weights > 0
            is_pos, scores, weights = is_pos[kept], scores[kept], weights[kept]
            lowest = float(xp.min(weights))
        # Negative, or refused: as in `checks.check_range`.
        if lowest < 1e-100 or highest > 1e100:
            return None
        if lowest == highest and (lowest == 1 or not keep_scale):
            weights = None
    # Zero and minus zero tie, which not every sort by bits knows.
    scores = xp.where(scores == 0, xp.zeros_like(scores), scores)
    order = xp.flip(xp.argsort(scores, stable=True))
    scores = xp.take(scores, order, axis=0)
    begins = xp.concat([xp.ones_like(is_pos[:1]), scores[1:] != scores[:-1]])
    # One byte a case is all that unweighted ones send.
    flags = xp.astype(xp.take(is_pos, order, axis=0), xp.uint8)
    flags = as_numpy(xp.where(begins, flags + 2, flags))
    if weights is not None:
        weights = as_numpy(xp.take(weights, order, axis=0))
        weights = weights.astype(np.float64, copy=False)
    known = as_numpy(scores) if keep_scale else None
    return Ranking((flags & 1).astype(bool), flags > 1, known, weights)


def _is_fine(xp: Any, values: Any) -> bool:
    """Return whether an array holds finite numbers of a type that sorts everywhere."""
    if xp.isdtype(values.dtype, "real floating"):
        return bool(xp.all(xp.isfinite(values)))
    return _is_integer(xp, values)


def _is_integer(xp: Any, values: Any) -> bool:
    return bool(xp.isdtype(values.dtype, "signed integer") or values.dtype == xp.uint8)


def _distinct(xp: Any, labels: Any) -> list[Any] | None:
    """Return the labels in sorted order; None if there are more than two."""
    if xp.isdtype(labels.dtype, "bool"):
        return sorted({bool(xp.all(labels)), bool(xp.any(labels))})
    if not _is_fine(xp, labels):
        return None
    kind = int if _is_integer(xp, labels) else float
    low, high = kind(xp.min(labels)), kind(xp.max(labels))
    is_known = (labels == low) | (labels == high)
    return sorted({low, high}) if bool(xp.all(is_known)) else None


def _column(values: Any) -> Any:
    """Return a vector, without gradients; a column is flattened."""
    if hasattr(values, "detach"):
        values = values.detach()
    is_column = values.ndim == 2 and values.shape[1] == 1
    return values[:, 0] if is_column else values


def _compat() -> Any:
    """Return what bridges the libraries and the standard, None if not installed."""
    try:
        import array_api_compat
    except ModuleNotFoundError:
        return None
    return array_api_compat
