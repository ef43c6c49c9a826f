"""The ends of Wilson's interval, of a share or of a value between any two bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

_BOUNDLESS = 1e100
_TINY = float(np.finfo(np.float64).tiny)


def wilson_ends(value: Any, bounds: tuple[Any, Any], k: Any) -> tuple[Any, Any]:
    """Return the roots x of (x - v)^2 = k x (1 - x), for one value or for many.

    x and v are the shares that the end and the value are of the way between bounds. Of
    a share in n cases k is z^2 / n, with the normal quantile z.

    Examples
    --------
    >>> low, high = wilson_ends(0.1, (0, 1), 1.96**2 / 400)
    >>> float(low.round(4)), float(high.round(4))
    (0.0743, 0.1333)
    """
    low, high = bounds
    # Of a greater k nothing is left out, and its square may be infinite.
    is_boundless = k > _BOUNDLESS
    k = np.where(is_boundless, 1.0, k)
    # Each distance as such: of a far bound 1 less the other would be all rounding.
    above, below = (value - low) / (high - low), (high - value) / (high - low)
    half = np.sqrt(k * above * below + k**2 / 4)
    # Each root as its distance from either bound.
    from_low = above + k / 2 + half
    from_high = below + k / 2 + half
    least = _at(above**2 / np.maximum(from_low, _TINY), from_high / (1 + k), bounds)
    most = _at(from_low / (1 + k), below**2 / np.maximum(from_high, _TINY), bounds)
    # Rounding must not leave the value outside of a narrow one.
    return (
        np.where(is_boundless, low, np.minimum(least, value)),
        np.where(is_boundless, high, np.maximum(most, value)),
    )


def _at(above: Any, below: Any, bounds: tuple[Any, Any]) -> Any:
    """Return what lies these shares of the way from the bounds, by the nearer one."""
    low, high = bounds
    width = high - low
    return np.where(above < below, low + width * above, high - width * below)
