"""How values, results, rates and scorers are shown: as plain data, and in notebooks.

Tables without colours of their own are read in light and in dark alike, and nothing is
loaded from anywhere.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])
_TITLE, _NEXT = "Parameters\n----------\n", "Returns\n-------\n"


def described_like(source: Callable[..., Any]) -> Callable[[Function], Function]:
    """Return a decorator that describes parameters as the docstring of ``source`` does.

    Those that a function describes itself stay; all are in the order of its signature.
    """

    def fill(function: Function) -> Function:
        if function.__doc__ and source.__doc__:
            text = inspect.cleandoc(function.__doc__)
            known = _described(inspect.cleandoc(source.__doc__)) | _described(text)
            names = inspect.signature(function).parameters
            own = dict.fromkeys(known[name] for name in names if name in known)
            listed = "\n".join(own)
            before, _, after = text.partition(_NEXT)
            summary = before.partition(_TITLE)[0]
            function.__doc__ = f"{summary}{_TITLE}{listed}\n\n{_NEXT}{after}\n"
        return function

    return fill


def _described(text: str) -> dict[str, str]:
    """Return the entries of the parameters in a docstring by their names."""
    listed = text.partition(_TITLE)[2].partition(_NEXT)[0].strip()
    entries = re.split(r"\n(?=\S)", listed)
    return {
        name.lstrip("*"): entry
        for entry in entries
        for name in entry.partition(" : ")[0].split(", ")
    }


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


_LEFT, _RIGHT = 'style="text-align: left"', 'style="text-align: right"'
_BELOW = 'style="caption-side: bottom; text-align: left"'
# Rows of a table that are shown, and entries of a list in one cell.
_ROWS, _ENTRIES = 10, 4


def html_table(lines: Sequence[str], caption: str = "") -> str:
    """Return lines as a table, with a text below it."""
    below = f"<caption {_BELOW}>{escape(caption)}</caption>" if caption else ""
    return f"<table>{below}{''.join(lines)}</table>"


def html_title(title: str, width: int) -> str:
    """Return a line that names what follows it."""
    return f'<tr><th colspan="{width}" {_LEFT}>{escape(title)}</th></tr>'


def html_row(cells: Sequence[str], tag: str = "td") -> str:
    """Return a line of a text and of numbers, or of the names above them."""
    name, *numbers = (escape(cell.strip()) for cell in cells)
    right = "".join(f"<{tag} {_RIGHT}>{number}</{tag}>" for number in numbers)
    return f"<tr><{tag} {_LEFT}>{name}</{tag}>{right}</tr>"


def html_of(title: str, values: Mapping[str, Any], caption: str = "") -> str:
    """Return plain data as a table: a line for each entry, or for each row of columns.

    They are columns where all are lists of the same length.
    """
    columns = list(values.values())
    lengths = {len(one) if isinstance(one, list) else None for one in columns}
    if len(lengths) == 1 and None not in lengths:
        return _of_columns(title, values)
    lines = [html_row([name, _text(value)]) for name, value in values.items()]
    return html_table([html_title(title, 2), *lines], caption)


def _of_columns(title: str, columns: Mapping[str, list[Any]]) -> str:
    n_rows = len(next(iter(columns.values())))
    same = [name for name in columns if n_rows > 1 and _is_one_text(columns[name])]
    shown = {name: each[:_ROWS] for name, each in columns.items() if name not in same}
    notes = [f"{name}: {columns[name][0]}" for name in same]
    if n_rows > _ROWS:
        notes.insert(0, f"the first {_ROWS} of {n_rows:,} rows")
    rows = zip(*shown.values(), strict=True)
    lines = [html_row([_text(value) for value in row]) for row in rows]
    head = [html_title(title, len(shown)), html_row(list(shown), "th")]
    return html_table([*head, *lines], ", ".join(notes))


def _is_one_text(column: list[Any]) -> bool:
    """Return whether a column says the same in words in each of its rows."""
    return isinstance(column[0], str) and len(set(column)) == 1


def _text(value: Any) -> str:
    """Return a value as it stands in a cell."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        shown = [_text(one) for one in value[:_ENTRIES]]
        more = [f"... ({len(value):,} in all)"] if len(value) > _ENTRIES else []
        return ", ".join([*shown, *more])
    return "" if value is None else str(value)
