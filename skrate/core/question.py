"""The question that a number answers: parameters, rendered so that people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from skrate.data.checks import shown
from skrate.rates.laws import Fixed, is_scipy_distribution, scipy_name

# Parameters by name, as numbers and text.
Question: TypeAlias = dict[str, Any]
# Entries of a sequence that are written out.
_ENTRIES = 4


def written(value: Any) -> str:
    """Return a parameter in one line: distributions and functions by name.

    Examples
    --------
    >>> from scipy import stats
    >>> written({"a": stats.beta(3, 9), "b": 0.5}), written("low")
    ("{'a': beta(3, 9), 'b': 0.5}", "'low'")
    """
    if isinstance(value, type):
        return value.__name__
    if is_scipy_distribution(value):
        return scipy_name(value)
    if isinstance(value, Mapping):
        pairs = (f"{key!r}: {written(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, tuple | list) and len(value) <= _ENTRIES:
        inner = ", ".join(map(written, value))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if not isinstance(value, str) and np.ndim(getattr(value, "shape", 0)):
        return f"{type(value).__name__} of shape {tuple(value.shape)}"
    # Scorers have a name, too, which leaves their parameters out.
    is_object = isinstance(value, BaseEstimator)
    return str((not is_object and getattr(value, "__name__", None)) or shown(value))


def rendered(value: Any) -> Any:
    """Return a parameter as a number or as text; a rate that is known is a number."""
    if isinstance(value, Fixed):
        value = value.r
    if isinstance(value, np.generic):
        value = value.item()
    is_plain = isinstance(value, bool | int | float | str)
    return value if is_plain else written(value)


def question_of_both(questions: Sequence[Question]) -> Question:
    """Return what two metrics are asked, by their names and "_a" or "_b" if it differs.

    Examples
    --------
    >>> question_of_both([{"rate": 0.1}, {"rate": 0.1}])
    {'rate': 0.1}
    >>> question_of_both([{"rate": 0.1}, {}])
    {'rate_a': 0.1}
    """
    first = questions[0]
    if all(one == first for one in questions):
        return first
    return {
        f"{name}_{which}": value
        for which, one in zip("ab", questions, strict=True)
        for name, value in one.items()
    }


def question_text(question: Question) -> str:
    """Return parameters as they follow the name of a metric, "" without any."""
    if not question:
        return ""
    pairs = (
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in question.items()
    )
    return f" ({', '.join(pairs)})"
