"""Write a page of Markdown for Sphinx: headings, paragraphs and tables, no more."""

import csv
import io
import itertools
from pathlib import Path

UNDERLINES = {"#": "=", "##": "-"}
# Tables of more columns are set small, by _static/tables.css.
MANY = 6


def write_markdown_page(source: Path, target: Path) -> None:
    """Write the page at ``source`` as reStructuredText."""
    target.write_text(restructured(source.read_text("utf-8")), encoding="utf-8")


def restructured(text: str) -> str:
    """Return Markdown as reStructuredText; single backticks are code in both."""
    blocks = itertools.groupby(text.splitlines(), lambda line: line.startswith("|"))
    return "\n".join(
        table(list(lines)) if is_table else "\n".join(map(heading, lines))
        for is_table, lines in blocks
    )


def heading(line: str) -> str:
    """Return a line, underlined where it is a heading."""
    marks, _, title = line.partition(" ")
    if marks not in UNDERLINES:
        return line
    return f"{title}\n{UNDERLINES[marks] * len(title)}\n"


def table(lines: list[str]) -> str:
    """Return a table of pipes as one of commas."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([rows[0], *rows[2:]])
    body = "\n".join("   " + line for line in text.getvalue().splitlines())
    options = "   :class: many-columns\n" if len(rows[0]) > MANY else ""
    return f".. csv-table::\n{options}   :header-rows: 1\n\n{body}\n"
