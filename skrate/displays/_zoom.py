"""What part of the axes is shown: all of it, or where the budget lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray
from skrate.data.checks import check_scores
from skrate.rates.laws import RateDistribution

Zoom = Literal["rate"]
ZOOMS: tuple[Zoom, ...] = get_args(Zoom)
# Limits of an axis that goes from 0 to 1.
WHOLE = (-0.01, 1.01)
# A budget is shown between these quantiles, with so much more on both sides: of their
# distance, or of the upper one where they are close.
_QUANTILES = 0.01, 0.99
_BESIDE, _BESIDE_KNOWN = 0.5, 0.2
# Above and below what is drawn, as a share of it.
_ROOM = 0.05


class Limits(NamedTuple):
    """Those of both axes."""

    x: tuple[float, float]
    y: tuple[float, float]


def limits_of(ax: Any) -> Limits | None:
    """Return what part of the axes was chosen before; None where none was."""
    limits = Limits(ax.get_xlim(), ax.get_ylim())
    return None if not ax.lines or WHOLE in limits[:1] else limits


def likely_rates(rate: RateDistribution) -> tuple[float, float]:
    """Return between which rates the budget lies, with some room."""
    low, high = (float(rate.ppf(q)) for q in _QUANTILES)
    room = max(_BESIDE * (high - low), _BESIDE_KNOWN * high)
    low, high = max(low - room, 0.0), min(high + room, 1.0)
    # Where next to no budget is above 0, all rates are shown.
    return (low, high) if high > low else (0.0, 1.0)


def check_xlim(xlim: ArrayLike | None) -> tuple[float, float] | None:
    """Return the ends of the horizontal axis, in their order."""
    if xlim is None:
        return None
    ends = np.asarray(check_scores("xlim", xlim), dtype=np.float64)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise ValueError(
            f"xlim must be two numbers, the lower one first, got {xlim!r}."
        )
    return float(ends[0]), float(ends[1])


def set_limits(
    ax: Any,
    xlim: tuple[float, float],
    curves: Sequence[tuple[FloatArray, FloatArray]],
    before: Limits | None,
) -> None:
    """Show what curves are within ``xlim``, and what was seen ``before``."""
    low, high = xlim
    heights = [np.interp(xlim, *curve) for curve in curves]
    heights += [y[(x >= low) & (x <= high)] for x, y in curves]
    found = np.concatenate(heights)
    bottom, top = float(found.min()), float(found.max())
    room = _ROOM * (top - bottom) or _ROOM
    bottom, top = max(bottom - room, WHOLE[0]), min(top + room, WHOLE[1])
    if before is not None:
        low, high = min(low, before.x[0]), max(high, before.x[1])
        bottom, top = min(bottom, before.y[0]), max(top, before.y[1])
    # So that a curve that begins at 0 is not cut in half.
    low = low - 0.01 * (high - low) if low == 0 else low
    ax.set(xlim=(low, high), ylim=(bottom, top))
