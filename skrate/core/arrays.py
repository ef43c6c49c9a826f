"""Names for the types that signatures share, and how scalars leave."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntArray: TypeAlias = npt.NDArray[np.intp]
ArrayLike: TypeAlias = npt.ArrayLike


def float_or_array(values: Array) -> Any:
    """Return a scalar array as a builtin float, any other as it is."""
    return float(values) if values.ndim == 0 else values
