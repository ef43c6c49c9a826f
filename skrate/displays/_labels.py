"""Names beside points, where they cover neither each other nor the points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from skrate.data.arrays import FloatArray

# How far from its point a name may stand, in points; farther ones have a line to it.
_DISTANCES = (5, 14, 24, 36, 50, 66, 84, 104)
_ADJACENT = 5
# Where from its point: left and up first, then right and down, on both sides of a cloud
# that rises.
_ANGLES = np.radians([180, 135, 90, 0, 315, 270, 157.5, 112.5, 337.5, 292.5, 45, 225])
# Size of the names, the smaller one in axes that are narrower than so many inches.
_SIZE, _SMALL, _NARROW = 8.0, 6.5, 4.0
# Pixels around a name, and how much worse than a point it is to cover a name, to leave
# the axes, or to cross the line of a name.
_MARGIN = 1.5
_OVER_NAME, _OUTSIDE, _CROSSED = 50, 200, 3
# Pixels between a line and a point that it seems to lead to.
_NEAR = 6
_LINE = {
    "arrowstyle": "-",
    "color": "0.6",
    "linewidth": 0.5,
    "shrinkA": 0,
    "shrinkB": 2,
}


def label_points(
    ax: Any,
    x: FloatArray,
    y: FloatArray,
    names: Sequence[str],
    others: FloatArray,
    covered: Sequence[Any] = (),
) -> list[Any]:
    """Write names beside points, each where it covers least, and return the texts.

    ``others`` are all points, of shape (n, 2), and ``covered`` artists, of which
    nothing shall be covered.
    """
    if not names:
        return []
    # So that all that has a place is in it.
    ax.figure.figure.draw_without_rendering()
    others = ax.transData.transform(others[~np.isnan(others).any(axis=1)])
    boxes = [artist.get_window_extent() for artist in covered]
    lines: list[Any] = []
    named = ax.transData.transform(np.stack([x, y], axis=1))
    return [
        _write(ax, name, at, others, named, boxes, lines)
        for name, at in zip(names, zip(x, y, strict=True), strict=True)
    ]


def _write(
    ax: Any,
    name: str,
    at: tuple[float, float],
    others: FloatArray,
    named: FloatArray,
    boxes: list[Any],
    lines: list[Any],
) -> Any:
    """Write one name where it covers least; boxes and lines then hold it as well."""
    from matplotlib.path import Path
    from matplotlib.patheffects import withStroke

    is_narrow = ax.get_window_extent().width < _NARROW * ax.figure.dpi
    words: dict[str, Any] = {
        "textcoords": "offset points",
        "fontsize": _SMALL if is_narrow else _SIZE,
    }
    # Legible over points and lines, where there is no other room.
    words["path_effects"] = [withStroke(linewidth=2, foreground="white")]
    text = ax.annotate(name, at, (0, 0), **words)
    point = ax.transData.transform(at)
    least = np.inf
    for distance, angle in product(_DISTANCES, _ANGLES):
        _move(text, distance, angle)
        box = text.get_window_extent()
        end = np.clip(point, [box.x0, box.y0], [box.x1, box.y1])
        line = Path(np.stack([point, end]))
        cost = _cost(box, ax.get_window_extent(), others, boxes, lines)
        if distance > _ADJACENT:
            cost += _CROSSED * sum(line.intersects_bbox(other) for other in boxes)
            cost += _CROSSED * _n_passed(line, named)
        if cost < least:
            least, best = cost, (distance, angle, box, line)
        if cost == 0:
            break
    distance, angle, box, line = best
    _move(text, distance, angle)
    boxes.append(box)
    if distance > _ADJACENT:
        lines.append(line)
        # From where the name is closest to its point.
        start = (np.asarray(line.vertices)[1] - box.min) / box.size
        arrow = _LINE | {"relpos": tuple(start)}
        words |= {"ha": text.get_ha(), "va": text.get_va(), "arrowprops": arrow}
        shift = text.get_position()
        text.remove()
        text = ax.annotate(name, at, shift, **words)
    return text


def _n_passed(line: Any, points: FloatArray) -> int:
    """Return how many points a line touches, apart from its own."""
    own, end = line.vertices
    step = end - own
    along = np.clip((points - own) @ step / max(step @ step, 1.0), 0, 1)
    gaps = np.linalg.norm(points - own - along[:, None] * step, axis=1)
    return int(np.count_nonzero((gaps < _NEAR) & (along > 0)))


def _move(text: Any, distance: float, angle: float) -> None:
    """Move a text so far from its point in a direction."""
    across, up = np.cos(angle), np.sin(angle)
    text.set_position((distance * across, distance * up))
    # Beside the point, or above or below its middle.
    ha = "center" if abs(across) < 0.1 else "left" if across > 0 else "right"
    va = "center" if abs(up) < 0.1 else "bottom" if up > 0 else "top"
    text.set(ha=ha, va=va)


def _cost(
    box: Any, within: Any, others: FloatArray, boxes: list[Any], lines: list[Any]
) -> float:
    """Return how much a name covers, or whether it lies outside of the axes."""
    n_names = sum(bool(box.overlaps(other)) for other in boxes)
    n_lines = sum(bool(line.intersects_bbox(box)) for line in lines)
    is_outside = not (
        within.x0 <= box.x0 <= box.x1 <= within.x1
        and within.y0 <= box.y0 <= box.y1 <= within.y1
    )
    n_points = box.padded(_MARGIN).count_contains(others)
    cost = _OVER_NAME * n_names + _CROSSED * n_lines + _OUTSIDE * is_outside
    return float(cost + n_points)
