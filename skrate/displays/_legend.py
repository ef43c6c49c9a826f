"""Where a legend has room: in a corner of the axes, or below them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

_CORNERS = ("upper right", "upper left", "lower right", "lower left")
# Of the width and height of the axes, about what stands in a corner.
_MARGIN = 0.02
# Pixels that are left at the edges of a figure.
_EDGE = 3
# Columns below the axes, at most, and sizes of the font there, the first that fits.
_COLUMNS = 4
_SIZES = "small", "x-small", "xx-small"
# Of the height of the axes, which is left to them at least.
_LEAST_HEIGHT = 0.4
# Of a letter, in sizes of the font; letters in a line at least and at most; and the
# room beside them, in letters.
_LETTER = 0.5
_LETTERS = 24, 40
_SWATCH = 5
# The attribute of lines that follow those of models in the legend.
_REFERENCE = "is_skrate_reference"
_COMPACT = {
    "labelspacing": 0.3,
    "handlelength": 1.6,
    "handletextpad": 0.6,
    "columnspacing": 1.2,
}


def letters_in_line(ax: Any) -> int:
    """Return how long a line of a legend is, which takes half of the axes."""
    points = ax.get_window_extent().width * 72 / ax.figure.dpi
    least, most = _LETTERS
    return min(
        max(int(points / 2 / (_LETTER * _font_size(_SIZES[0]))) - _SWATCH, least), most
    )


def entry(ax: Any, *parts: str) -> str:
    """Return an entry of a legend: in a line if it is short.

    Of a longer one each part is wrapped, and begins where the last one ends if there is
    room for it, else in a line of its own.
    """
    length = letters_in_line(ax)
    lines = textwrap.wrap(parts[0], length) or [""]
    for part in parts[1:]:
        if len(f"{lines[-1]} {part}") <= length:
            lines[-1] += f" {part}"
        else:
            lines += textwrap.wrap(part, length)
    return "\n".join(lines)


def as_reference(line: Any) -> Any:
    """Mark a line as one that follows those of models in the legend."""
    setattr(line, _REFERENCE, True)
    return line


def draw_legend(
    ax: Any,
    together: dict[Any, tuple[Any, ...]] | None = None,
    *,
    frame: Sequence[Any] = (),
    side_by_side: bool = False,
    **options: Any,
) -> Any:
    """Draw a legend that covers nothing: in a corner, or below where none is free.

    Axes whose figure has no layout of its own make room for it, others are given it.

    Parameters
    ----------
    ax : matplotlib Axes
        With all that is drawn, and its labels.
    together : dict, default=None
        Artists whose swatch is that of several.
    frame : sequence of artists, default=()
        Lines along the edges of the axes, which may be covered.
    side_by_side : bool, default=False
        Whether several are shown so, or over each other, as they are drawn.
    **options : dict
        Passed to matplotlib's ``legend``.

    Returns
    -------
    legend : matplotlib Legend
        The legend.
    """
    from matplotlib.legend_handler import HandlerTuple

    together = together or {}
    handles, labels = _entries(ax)
    options |= _COMPACT | {
        "handles": [together.get(handle, handle) for handle in handles],
        "labels": labels,
        "handler_map": {tuple: HandlerTuple(None if side_by_side else 1)},
    }
    layout = ax.figure.get_layout_engine()
    if layout is not None:
        # Not before is known how large the axes are.
        layout.execute(ax.figure.figure)
    ax.apply_aspect()
    for corner in _CORNERS:
        legend = ax.legend(loc=corner, **_sized(_SIZES[0]), **options)
        if _is_free(ax, legend.get_window_extent(), frame):
            return legend
    return _draw_below(ax, options)


def _entries(ax: Any) -> tuple[list[Any], list[str]]:
    """Return what stands in the legend: models, references, then areas."""
    from matplotlib.lines import Line2D

    handles, labels = ax.get_legend_handles_labels()
    kinds = [
        int(hasattr(handle, _REFERENCE)) if isinstance(handle, Line2D) else 2
        for handle in handles
    ]
    order = sorted(range(len(kinds)), key=lambda i: kinds[i])
    return [handles[i] for i in order], [labels[i] for i in order]


def _is_free(ax: Any, box: Any, frame: Sequence[Any] = ()) -> bool:
    """Return whether nothing that is drawn on the axes lies in a box of pixels."""
    from matplotlib.collections import Collection
    from matplotlib.transforms import Bbox

    inside = ax.get_window_extent()
    x, y = _MARGIN * inside.width, _MARGIN * inside.height
    box = Bbox([[box.x0 - x, box.y0 - y], [box.x1 + x, box.y1 + y]])
    if box.width > inside.width or box.height > inside.height:
        return False
    for artist in (*ax.lines, *ax.patches, *ax.collections):
        if artist in frame:
            continue
        is_area = artist not in ax.lines
        paths = (
            artist.get_paths()
            if isinstance(artist, Collection)
            else [artist.get_path()]
        )
        for path in paths:
            if not np.size(path.vertices):
                # There for the sake of its entry.
                continue
            drawn = path.transformed(artist.get_transform())
            if not is_area and artist.get_linestyle() == "None":
                # Points, with nothing between them.
                if box.count_contains(drawn.vertices):
                    return False
                continue
            if drawn.intersects_bbox(box, filled=is_area):
                return False
    return True


def _draw_below(ax: Any, options: dict[str, Any]) -> Any:
    """Draw a legend below the axes, in as many columns as there is room for."""
    from matplotlib.transforms import blended_transform_factory

    figure = ax.figure
    layout = figure.get_layout_engine()
    ax.get_legend().remove()
    if layout is None:
        _make_room(ax)
    inside, labels = ax.get_window_extent(), ax.xaxis.get_tightbbox()
    foot = inside.y0 if labels is None else min(labels.y0, inside.y0)
    # Without a layout the labels of one may lie on the axes beside them.
    room = inside if layout is None else ax.get_tightbbox()
    if layout is None and len(figure.axes) == 1:
        room = figure.bbox.padded(-_EDGE)
    middle, across = ((room.x0 + room.x1) / 2 - inside.x0) / inside.width, ax.transAxes
    if len(figure.axes) == 1:
        # Wherever a layout puts the axes, the legend is within the figure.
        middle, across = 0.5, figure.transSubfigure
    anchor = blended_transform_factory(across, ax.transAxes)
    most = (1 - _LEAST_HEIGHT) * inside.height
    for size in _SIZES:
        pad = (inside.y0 - foot) * 72 / figure.dpi / _font_size(size) + 0.5
        for n in range(min(_COLUMNS, len(options["labels"])) or 1, 0, -1):
            legend = ax.legend(
                loc="upper center", bbox_to_anchor=(middle, 0.0),
                bbox_transform=anchor, borderaxespad=pad, ncols=n,
                **_sized(size), **options,
            )  # fmt: skip
            box = legend.get_window_extent()
            if box.width <= room.width:
                break
        if box.height <= most:
            break
    legend.get_tightbbox = partial(_box_in_layout, legend)
    if layout is None:
        _make_room(ax, foot if len(figure.axes) > 1 else -math.inf)
    else:
        # Beside one that is too high no room would be left.
        legend.set_in_layout(box.height <= most)
        layout.execute(figure.figure)
    label = ax.yaxis.label
    if label.get_window_extent().y1 > figure.bbox.y1:
        # It would be cut, while there is room beside the legend.
        ax.set_ylabel(label.get_text(), loc="top")
    return legend


def _box_in_layout(legend: Any, renderer: Any = None) -> Any:
    """Return the room that a legend takes below its axes, in pixels.

    A tight layout takes the axes for where the grid puts them, wherever they are, and
    finds no room for a legend below those that were moved. So there it is the legend
    below that place, and no wider, as it fits the width of the figure.
    """
    from matplotlib.layout_engine import TightLayoutEngine
    from matplotlib.transforms import Bbox

    box, ax = legend.get_window_extent(renderer), legend.axes
    cell = ax.get_subplotspec()
    if cell is None or not isinstance(ax.figure.get_layout_engine(), TightLayoutEngine):
        return box
    place = cell.get_position(ax.figure).transformed(ax.figure.transSubfigure)
    foot = ax.get_window_extent().y0 - place.y0
    return Bbox([[place.x0, box.y0 - foot], [place.x1, box.y1 - foot]])


def _make_room(ax: Any, floor: float = -math.inf) -> None:
    """Make the axes smaller, so that neither legend nor labels are cut.

    Nor do they reach below a floor, in pixels, where other axes may be.
    """
    whole, drawn = ax.figure.bbox, ax.get_tightbbox().padded(_EDGE)
    left, right = max(whole.x0 - drawn.x0, 0.0), max(drawn.x1 - whole.x1, 0.0)
    up = max(max(whole.y0, floor) - drawn.y0, 0.0) / whole.height
    down = max(drawn.y1 - whole.y1, 0.0) / whole.height
    left, right = left / whole.width, right / whole.width
    place = ax.get_position()
    up = min(up, (1 - _LEAST_HEIGHT) * place.height)
    width, height = place.width - left - right, place.height - up - down
    ax.set_position((place.x0 + left, place.y0 + up, width, height))
    # A layout that is asked for later includes them again.
    ax.set_in_layout(True)


def _sized(size: str) -> dict[str, Any]:
    return {"fontsize": size, "title_fontsize": size}


def _font_size(size: str) -> float:
    """Return the size of a font in points."""
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=size).get_size_in_points())
