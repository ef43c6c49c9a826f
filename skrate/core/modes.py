"""Laws of the rate with one mode: where it can be, and whether a law has it there.

A law is unimodal about m if its distribution function is convex below m and concave
above; at m there may be a point mass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.rates import RateDistribution

_SLACK = 1e-9
# Of a probability.
_ROUNDING = 1e-12
# Rates at which the distribution function of a law is looked at.
_RATES = 1001


class ModeRange(NamedTuple):
    """Modes that are possible in one of the intervals between quantiles."""

    interval: int
    low: float
    high: float


def possible_modes(edges: FloatArray, masses: FloatArray) -> list[ModeRange]:
    """Return where laws that put these masses between these edges can have a mode.

    The mean density must rise over the intervals before that of the mode and fall over
    those after it. Within it, the density is at least that of the neighbour on either
    side of the mode, which must not take more than there is.
    """
    widths = np.diff(edges)
    with np.errstate(divide="ignore"):
        density = masses / widths
    found = []
    for i, (start, width) in enumerate(zip(edges, widths, strict=False)):
        before, after = density[:i], density[i + 1 :]
        if not np.isfinite([*before, *after]).all():
            continue
        if (before[1:] < before[:-1] - _SLACK).any():
            continue
        if (after[1:] > after[:-1] + _SLACK).any():
            continue
        rise = before[-1] if i else 0.0
        fall = after[0] if len(after) else 0.0
        spare, tilt = masses[i] - fall * width, rise - fall
        low, high = 0.0, width
        if tilt > 0:
            high = min(width, spare / tilt)
        elif tilt < 0:
            low = max(0.0, spare / tilt)
        elif spare < -_SLACK:
            continue
        if low <= high + _SLACK:
            high = max(low, high)
            found.append(ModeRange(i, float(start + low), float(start + high)))
    return found


def has_mode(law: RateDistribution, low: float, high: float) -> bool:
    """Return whether a law is unimodal, to nine digits, with a mode between two rates.

    They are told apart to a thousandth.
    """
    points, masses = law.point_masses()
    points, masses = points[masses > _SLACK], masses[masses > _SLACK]
    if len(points) > 1:
        return False
    edges = np.concatenate([np.linspace(0, 1, _RATES), law.table.knots(), [low, high]])
    edges = np.unique(np.append(edges, points))
    edges = edges[np.append(True, np.diff(edges) > _SLACK)]
    up_to = 1.0 - np.asarray(law.survival(edges))
    for point, mass in zip(points, masses, strict=True):
        up_to -= mass * (edges >= point - _SLACK)
    widths = np.diff(edges)
    density = np.diff(up_to) / widths
    change = np.diff(density)
    rounding = _ROUNDING * (1 / widths[1:] + 1 / widths[:-1]) + _SLACK * density.max()
    rises, falls = np.flatnonzero(change > rounding), np.flatnonzero(change < -rounding)
    first = edges[rises[-1] + 1] if len(rises) else 0.0
    last = edges[falls[0] + 1] if len(falls) else 1.0
    if len(points):
        # The density may change either way at a point mass, which is then the mode.
        at = float(points[0])
        return _is_within(at, low, high) and _is_within(at, first, last)
    return bool(first <= last and first <= high + _SLACK and low - _SLACK <= last)


def _is_within(x: float, low: float, high: float) -> bool:
    return low - _SLACK <= x <= high + _SLACK
