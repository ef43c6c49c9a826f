"""Plain data: what JSON, and programs that keep results by parameters, can hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return a value as numbers, strings, lists and dicts of Python's own."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist()) if value.dtype == object else value.tolist()
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return value
