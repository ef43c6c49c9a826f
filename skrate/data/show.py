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
_TITLE = "Parameters\n----------\n"
_TITLES = ("Raises", "Warns", "See Also", "Notes", "References", "Examples")
_HEADER = re.compile(r"^\S[^\n]*\n---", re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*) : (.*\n(?:[ \n].*\n)*)", re.MULTILINE)


def described_like(
    source: Callable[..., Any], *titles: str
) -> Callable[[Function], Function]:
    """Return a decorator that describes parameters as the docstring of ``source``.

    Sections with these ``titles``, in numpydoc's order, are taken over whole.
    """

    def fill(function: Function) -> Function:
        if function.__doc__:
            text = described(function, parameter_texts(source))
            for title in titles:
                section = _section(inspect.cleandoc(source.__doc__ or ""), title)
                later = _TITLES[_TITLES.index(title) + 1 :]
                at = text.index(
                    next(s for each in later if (s := _section(text, each)))
                )
                text = f"{text[:at]}{section.rstrip()}\n\n{text[at:]}"
            function.__doc__ = text
        return function

    return fill


def described(function: Any, known: Mapping[str, str], returns: str = "") -> str:
    """Return a docstring with all parameters, those it lacks from ``known`` texts."""
    before, title, own, after = _parts(function)
    known = {**known, **_texts(own)}
    entries: list[tuple[str, str]] = []
    for parameter in inspect.signature(function).parameters.values():
        bare = parameter.replace(annotation=parameter.empty, default=parameter.empty)
        head, text = str(bare), known.get(parameter.name, "")
        if text and entries and entries[-1][1] == text:
            entries[-1] = (f"{entries[-1][0]}, {head}", text)
        elif text:
            entries.append((head, text))
    listed = "\n".join(f"{head} : {text}" for head, text in entries)
    if "Returns\n-------\n" not in after:
        after = returns + after
    return f"{before}{title}{listed}{after}\n"


def _section(text: str, title: str) -> str:
    """Return a section of a docstring, "" without it."""
    _, head, rest = text.partition(f"{title}\n{'-' * len(title)}\n")
    found = _HEADER.search(rest)
    return head + (rest if found is None else rest[: found.start()])


def parameter_texts(function: Any) -> dict[str, str]:
    """Return what a docstring says of parameters, by name, without footnotes."""
    return {
        name: re.sub(r"\[\d+\]_", "the reference", text)
        for name, text in _texts(_parts(function)[2]).items()
    }


def _parts(function: Any) -> tuple[str, str, str, str]:
    """Return what stands before the parameters, their title, these, and what follows.

    For a result they are its attributes.
    """
    text = inspect.cleandoc(function.__doc__ or "")
    title = _TITLE
    if isinstance(function, type):
        title = title.replace("Parameters", "Attributes")
    before, found, rest = text.partition(title)
    if not found:
        before, rest = "", text
    header = _HEADER.search(rest)
    at = len(rest) if header is None else header.start()
    after = f"\n\n{rest[at:]}" if rest[at:] else ""
    if not found:
        return f"{rest[:at].rstrip()}\n\n", title, "", after
    return before, title, rest[:at].rstrip("\n") + "\n", after


def _texts(section: str) -> dict[str, str]:
    return {
        name.lstrip("*"): text.rstrip()
        for head, text in _ENTRY.findall(section)
        for name in head.split(", ")
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


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }}
section {{ overflow-x: auto; margin: 2em 0 }}
table {{ border-collapse: collapse }}
td, th {{ padding: 0.1em 0.7em }}
img {{ max-width: 100%; background: white }}
</style>
</head>
<body>
<h1>{title}</h1>
{parts}
</body>
</html>
"""


def html_page(title: str, parts: Sequence[str]) -> str:
    """Return a page of parts in HTML, complete in itself."""
    sections = "\n".join(f"<section>{part}</section>" for part in parts)
    return _PAGE.format(title=escape(title), parts=sections)


def html_text(text: str, tag: str = "p") -> str:
    """Return a paragraph, or a heading."""
    return f"<{tag}>{escape(text)}</{tag}>"


def html_title(title: str, width: int) -> str:
    """Return a line that names what follows it."""
    return f'<tr><th colspan="{width}" {_LEFT}>{escape(title)}</th></tr>'


def html_row(cells: Sequence[str], tag: str = "td") -> str:
    """Return a line of a text and of numbers, or of the names above them."""
    name, *numbers = (escape(cell.strip()) for cell in cells)
    right = "".join(f"<{tag} {_RIGHT}>{number}</{tag}>" for number in numbers)
    return f"<tr><{tag} {_LEFT}>{name}</{tag}>{right}</tr>"


def html_of(title: str, values: Mapping[str, Any], caption: str = "") -> str:
    """Return plain data as a table: by entry, or by row if all are equal lists."""
    columns = list(values.values())
    lengths = {len(one) if isinstance(one, list) else None for one in columns}
    if len(lengths) == 1 and None not in lengths:
        return _of_columns(title, values)
    lines = [html_row([name, _text(value)]) for name, value in values.items()]
    return html_table([html_title(title, 2), *lines], caption)


def _of_columns(title: str, columns: Mapping[str, list[Any]]) -> str:
    n_rows = len(next(iter(columns.values())))
    # What says the same in words in each row.
    same = [
        name
        for name, each in columns.items()
        if n_rows > 1 and isinstance(each[0], str) and len(set(each)) == 1
    ]
    shown = {name: each[:_ROWS] for name, each in columns.items() if name not in same}
    notes = [f"{name}: {columns[name][0]}" for name in same]
    if n_rows > _ROWS:
        notes.insert(0, f"the first {_ROWS} of {n_rows:,} rows")
    rows = zip(*shown.values(), strict=True)
    lines = [html_row([_text(value) for value in row]) for row in rows]
    head = [html_title(title, len(shown)), html_row(list(shown), "th")]
    return html_table([*head, *lines], ", ".join(notes))


def _text(value: Any) -> str:
    """Return a value as it stands in a cell."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        shown = [_text(one) for one in value[:_ENTRIES]]
        more = [f"... ({len(value):,} in all)"] if len(value) > _ENTRIES else []
        return ", ".join([*shown, *more])
    return "" if value is None else str(value)
