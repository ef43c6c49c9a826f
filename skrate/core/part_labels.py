"""The labels of one sample, of which each part of it shows some."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from skrate.core.arrays import Array, Label
from skrate.core.validation import check_labels, distinct_labels

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
