"""The legend, below the axes or within them."""

from __future__ import annotations

import textwrap
from typing import Any

# Letters of a line, beyond which an entry takes several.
_LETTERS = 40
# How far below the axes, whose labels are in between, in sizes of the font; and in how
# many columns, the first that fit.
_BELOW = 4.2
_COLUMNS = 4, 3, 2, 1
# Of the axes, before their labels have their place.
_WIDTH = 1.2
_COMPACT = {
    "fontsize": "small", "title_fontsize": "small", "labelspacing": 0.3,
    "handlelength": 1.6, "handletextpad": 0.6, "columnspacing": 1.2,
}  # fmt: skip
# The attribute of lines that follow those of models in the legend.
_REFERENCE = "is_skrate_reference"


def entry(*parts: str) -> str:
    """Return an entry of the legend: a line, or if it is long, lines for each part."""
    line = " ".join(parts)
    if len(line) <= _LETTERS:
        return line
    return "\n".join(textwrap.fill(part, _LETTERS) for part in parts)


def as_reference(line: Any) -> Any:
    """Mark a line as one that follows those of models in the legend."""
    setattr(line, _REFERENCE, True)
    return line


def draw_legend(ax: Any, over: dict[Any, Any] | None = None, **options: Any) -> Any:
    """Draw the legend: models, references, then areas.

    A layout of the figure makes room for it below the axes; without one it is where
    matplotlib finds most room within them. ``over`` are artists, and what their swatch
    lies over, as they do.
    """
    from matplotlib.lines import Line2D

    def kind(pair: tuple[Any, str]) -> int:
        handle, _ = pair
        return int(hasattr(handle, _REFERENCE)) if isinstance(handle, Line2D) else 2

    entries = sorted(zip(*ax.get_legend_handles_labels(), strict=True), key=kind)
    options = _COMPACT | options
    options["labels"] = [label for _, label in entries]
    options["handles"] = [
        (over[handle], handle) if over and handle in over else handle
        for handle, _ in entries
    ]
    if ax.figure.get_layout_engine() is None:
        return ax.legend(loc="best", **options)
    options |= {"loc": "upper center", "bbox_to_anchor": (0.5, 0)}
    for n_columns in _COLUMNS:
        legend = ax.legend(ncols=n_columns, borderaxespad=_BELOW, **options)
        if legend.get_window_extent().width <= _WIDTH * ax.bbox.width:
            break
    return legend
