"""Colours and line styles of models, told apart by whoever sees fewer colours, too."""

from __future__ import annotations

from typing import Any

# Okabe and Ito's, each in the place of the one of matplotlib's cycle that it resembles.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "black")
# As many as are told apart, and a number that does not divide the one of the colours.
LINE_STYLES: tuple[Any, ...] = (
    "-", (0, (5, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (2, 1)), (0, (8, 1.5, 2, 1.5))
)  # fmt: skip


def model_color(place: int) -> str:
    """Return the colour of a model by its place; a cycle of the user's own is kept."""
    from matplotlib.colors import to_hex

    return COLORS[place % len(COLORS)] if _is_cycle_default() else to_hex(f"C{place}")


def style_model(line: Any, given: dict[str, Any]) -> None:
    """Give a line that took the next colour of the axes that of a model, and a style.

    What is ``given`` is kept, by the names of matplotlib, and so is a colour that is
    none of the cycle's, or a line style that the cycle has.
    """
    import matplotlib as mpl
    from matplotlib.colors import to_rgba

    cycle = mpl.rcParams["axes.prop_cycle"].by_key()
    colors = [to_rgba(color) for color in cycle.get("color", [])]
    color = to_rgba(line.get_color())
    if "color" in given or color not in colors:
        return
    place = colors.index(color)
    if _is_cycle_default():
        line.set_color(model_color(place))
    if "linestyle" not in given and "linestyle" not in cycle:
        line.set_linestyle(LINE_STYLES[place % len(LINE_STYLES)])


def _is_cycle_default() -> bool:
    import matplotlib as mpl

    default = mpl.rcParamsDefault["axes.prop_cycle"]
    return bool(mpl.rcParams["axes.prop_cycle"] == default)
