"""How values, results, rates and scorers are shown: as plain data, and in notebooks.

Tables set no colours, so they are readable in light and in dark themes. They load no
external files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from importlib.metadata import distributions
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return a value as builtin numbers, strings, lists and dicts."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist()) if value.dtype == object else value.tolist()
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [plain(entry) for entry in value]
    return value


_LEFT, _RIGHT = 'style="text-align: left"', 'style="text-align: right"'
_BELOW = 'style="caption-side: bottom; text-align: left"'
# Rows of a table that are shown, and entries of a list in one cell.
_ROWS, _ENTRIES = 10, 4


def html_table(lines: Sequence[str], caption: str = "") -> str:
    """Return rows as a table, with a caption below it."""
    below = f"<caption {_BELOW}>{escape(caption)}</caption>" if caption else ""
    return f"<table>{below}{''.join(lines)}</table>"


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 sans-serif; margin: 2em auto; max-width: 48em; padding: 0 1em }}
h1, h2, p, dd, th[colspan] {{ overflow-wrap: anywhere }}
section {{ overflow-x: auto; margin: 2em 0 }}
table {{ border-collapse: collapse; margin: 1em 0 }}
td, th {{ padding: 0.1em 0.7em }}
dl {{ display: grid; grid-template-columns: auto 1fr; gap: 0 1em }}
dd {{ margin: 0 }}
img {{ width: 100%; max-width: 38em; background: white }}
@media (max-width: 48em) {{
table, dl {{ font-size: 13px }}
td, th {{ padding: 0.1em 0.25em }}
td + td {{ white-space: nowrap }}
}}
</style>
</head>
<body>
<h1>{title}</h1>
{parts}
<footer>{date}, skrate {version}</footer>
</body>
</html>
"""


def package_version() -> str:
    """Return the version of the installed package."""
    # The build reads it from a git tag. A checkout without installation has none.
    packages = distributions(name="scikit-rate")
    return next((package.version for package in packages), "0+unknown")


def html_page(title: str, parts: Sequence[str]) -> str:
    """Return a page with a section for each part, the date and the version."""
    return _PAGE.format(
        title=escape(title),
        parts="\n".join(f"<section>{content}</section>" for content in parts),
        date=date.today().isoformat(),
        version=escape(package_version()),
    )


def html_text(text: str, tag: str = "p") -> str:
    """Return a paragraph, or a heading."""
    return f"<{tag}>{escape(text)}</{tag}>"


def html_definitions(definitions: Mapping[str, str]) -> str:
    """Return terms with their definitions."""
    pairs = definitions.items()
    texts = (html_text(term, "dt") + html_text(text, "dd") for term, text in pairs)
    return f"<dl>{''.join(texts)}</dl>"


def html_title(title: str, width: int) -> str:
    """Return a row with the title of the rows below it."""
    return f'<tr><th colspan="{width}" {_LEFT}>{escape(title)}</th></tr>'


def html_row(cells: Sequence[str], tag: str = "td") -> str:
    """Return a row of a name and numbers, or of the column names."""
    name, *numbers = (escape(cell.strip()) for cell in cells)
    right = "".join(f"<{tag} {_RIGHT}>{number}</{tag}>" for number in numbers)
    return f"<tr><{tag} {_LEFT}>{name}</{tag}>{right}</tr>"


def render_html(title: str, values: Mapping[str, Any], caption: str = "") -> str:
    """Return plain data as a table: by entry, or by row if all are equal lists."""
    columns = list(values.values())
    lengths = {len(column) if isinstance(column, list) else None for column in columns}
    if len(lengths) != 1 or None in lengths:
        lines = [html_row([name, _text(entry)]) for name, entry in values.items()]
        return html_table([html_title(title, 2), *lines], caption)
    n_rows = len(columns[0])
    # Columns with the same text in each row.
    same = [
        name
        for name, cells in values.items()
        if n_rows > 1 and isinstance(cells[0], str) and len(set(cells)) == 1
    ]
    shown = {name: cells[:_ROWS] for name, cells in values.items() if name not in same}
    notes = [f"{name}: {values[name][0]}" for name in same]
    if n_rows > _ROWS:
        notes.insert(0, f"the first {_ROWS} of {n_rows:,} rows")
    rows = zip(*shown.values(), strict=True)
    lines = [html_row([_text(cell) for cell in row]) for row in rows]
    head = [html_title(title, len(shown)), html_row(list(shown), "th")]
    return html_table([*head, *lines], ", ".join(notes))


def _text(value: Any) -> str:
    """Return a value as the text of a cell."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        shown = [_text(entry) for entry in value[:_ENTRIES]]
        more = [f"... ({len(value):,} in all)"] if len(value) > _ENTRIES else []
        return ", ".join([*shown, *more])
    return "" if value is None else str(value)
