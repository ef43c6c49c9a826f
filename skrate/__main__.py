"""The command line: ``python -m skrate report scores.csv --label y --score model``."""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from skrate import budget_report, compare, compare_curves, rate_weighted_auc_score
from skrate.data.arrays import Array
from skrate.data.show import html_page
from skrate.inference.budget_report import BudgetReport
from skrate.metrics.results import Comparisons
from skrate.rates import from_quantiles

_ABOUT = """\
Report what a budget finds when cases are processed from the highest score down.

The file has a row per case: its label, and a score by each model. The report says in
counts how many positives each model finds and misses, with intervals, and with two or
more models which of them finds more.
"""
_EXAMPLES = """\
examples:
  python -m skrate report scores.csv --label y --score model --rate 0.1
      one model; the top 10 % of the cases will be processed

  python -m skrate report scores.csv --label y --score new --score old \\
      --rate 0.05 0.2 --n-items 5000 --reference old --html report.html
      two models; between 5 % and 20 % of the next 5,000 cases will be processed
      (with probability 95 %); tables and pictures go to a page
"""
# Rows of numbers that are drawn at random are the same in each report.
_SEED = 0
_WIDE = ",;\t"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; what is wrong with its input ends it with status 2."""
    given = _parser().parse_args(arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            y_true, scores = _read(given)
            report, comparisons = _computed(given, y_true, scores)
            notes = list(dict.fromkeys(str(each.message) for each in caught))
            if given.html is not None:
                page = _page(given, y_true, scores, (report, comparisons), notes)
                given.html.write_text(page, encoding="utf-8")
        except (OSError, ValueError, TypeError, ImportError) as error:
            _stop(str(error))
    shown = [report] if comparisons is None else [report, comparisons]
    print("\n\n".join(map(str, shown)))
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    if given.html is not None:
        print(f"\nThe page is in {given.html}.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m skrate")
    commands = parser.add_subparsers(required=True, metavar="report")
    report = commands.add_parser(
        "report",
        help="report what a budget finds, from a file of labels and scores",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = report.add_argument
    add("file", type=Path, help="a table: .csv with a header, or .parquet")
    add("--label", required=True, metavar="COLUMN", help="column of the true labels")
    add(
        "--score",
        required=True,
        action="append",
        metavar="COLUMN",
        help="column of a model's scores; higher means positive. Once per model",
    )
    add(
        "--rate",
        required=True,
        nargs="+",
        type=float,
        metavar="SHARE",
        help="share of the cases that will be processed, in (0, 1]; two numbers are "
        "the ends of its 95 %% range",
    )
    add("--pos-label", metavar="LABEL", help="the positive label, if not 1 of 0 and 1")
    add(
        "--n-items",
        type=int,
        metavar="N",
        help="size of the next batch, for counts and prediction intervals",
    )
    add(
        "--reference",
        metavar="COLUMN",
        help="the model that others are compared with; the first by default",
    )
    add("--confidence-level", type=float, default=0.95, help="of intervals: 0.95")
    add("--html", type=Path, metavar="FILE", help="write a page with pictures as well")
    return parser


def _stop(message: str) -> NoReturn:
    print(f"skrate report: {message}", file=sys.stderr)
    raise SystemExit(2)


def _read(given: argparse.Namespace) -> tuple[Array, dict[str, Array]]:
    """Return the labels, and the scores by model."""
    names = list(dict.fromkeys([given.label, *given.score]))
    is_parquet = given.file.suffix.lower() in (".parquet", ".pq")
    columns = (_read_parquet if is_parquet else _read_csv)(given.file, names)
    labels = columns[given.label]
    if labels.dtype.kind in "UO":
        try:
            labels = labels.astype(float)
        except (ValueError, TypeError):
            labels = labels.astype(str)
    if labels.dtype.kind == "f" and np.all(labels == np.trunc(labels)):
        labels = labels.astype(int)
    return labels, {name: _numbers(name, columns[name]) for name in given.score}


def _read_csv(path: Path, names: list[str]) -> dict[str, Array]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        delimiter = max(_WIDE, key=file.readline().count)
        file.seek(0)
        rows = csv.reader(file, delimiter=delimiter)
        header = next(rows, [])
        _check_columns(path, names, header)
        places = [header.index(name) for name in names]
        cells: list[list[str]] = []
        for row in rows:
            if row and len(row) != len(header):
                raise ValueError(
                    f"{path}, line {rows.line_num}: {len(row)} cells under "
                    f"{len(header)} names. Quote cells that contain {delimiter!r}."
                )
            if row:
                cells.append([row[place] for place in places])
    if not cells:
        raise ValueError(f"{path} has no rows below its header.")
    return dict(zip(names, map(np.array, zip(*cells, strict=True)), strict=True))


def _read_parquet(path: Path, names: list[str]) -> dict[str, Array]:
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            'Parquet is read by pandas: "pip install pandas pyarrow", or use a .csv.'
        ) from error
    frame = pd.read_parquet(path)
    _check_columns(path, names, list(map(str, frame.columns)))
    return {name: frame[name].to_numpy() for name in names}


def _check_columns(path: Path, names: list[str], header: list[str]) -> None:
    for name in names:
        if header.count(name) != 1:
            found = "more than one" if name in header else "no"
            raise ValueError(f"{path} has {found} column {name!r}; it has {header}.")


def _numbers(name: str, column: Array) -> Array:
    """Return a column of scores as numbers; name the first cell that is none."""
    try:
        return column.astype(float)
    except (ValueError, TypeError):
        for i, cell in enumerate(column):
            try:
                float(cell)
            except (ValueError, TypeError):
                raise ValueError(
                    f"--score {name}: row {i + 1} holds {str(cell)!r}, which is no "
                    "number. Remove or impute such cases first."
                ) from None
        raise


def _computed(
    given: argparse.Namespace, y_true: Array, scores: dict[str, Array]
) -> tuple[BudgetReport, Comparisons | None]:
    """Return the report, and of several models how their rAUCs compare."""
    if len(given.rate) > 2:
        raise ValueError(f"--rate takes a share, or two, got {len(given.rate)}.")
    low, high = given.rate[0], given.rate[-1]
    is_known = len(given.rate) == 1
    given.rate = low if is_known else from_quantiles({0.025: low, 0.975: high})
    given.reference = given.reference or given.score[0]
    if given.reference not in scores:
        raise ValueError(
            f"--reference {given.reference} must be one of the models, {given.score}."
        )
    if given.pos_label is not None and y_true.dtype.kind in "if":
        labels = {str(label): label for label in np.unique(y_true).tolist()}
        if given.pos_label not in labels:
            raise ValueError(
                f"--pos-label {given.pos_label} must be one of the labels in column "
                f"{given.label!r}, {list(labels)[:5]}."
            )
        given.pos_label = labels[given.pos_label]
    options: dict[str, Any] = {
        "rate": given.rate,
        "pos_label": given.pos_label,
        "confidence_level": given.confidence_level,
    }
    is_one = len(scores) == 1
    report = budget_report(
        y_true,
        models=scores,
        n_items=given.n_items,
        reference=None if is_one else given.reference,
        **options,
    )
    if is_one:
        return report, None
    metric, reference = rate_weighted_auc_score, given.reference
    return report, compare(metric, y_true, scores, reference=reference, **options)


def _page(
    given: argparse.Namespace,
    y_true: Array,
    scores: dict[str, Array],
    results: tuple[BudgetReport, Comparisons | None],
    notes: list[str],
) -> str:
    """Return the page: tables, the curves with their bands, and the differences."""
    report, comparisons = results
    parts = [report._repr_html_(), report._display._image(report)]
    if comparisons is not None:
        parts.append(comparisons._repr_html_())
    reference = given.reference
    for name in [name for name in scores if name != reference]:
        difference = compare_curves(
            y_true,
            scores[name],
            scores[reference],
            pos_label=given.pos_label,
            confidence_level=given.confidence_level,
            random_state=_SEED,
        )
        names = (name, reference)
        image = difference._display._image(difference, names=names, rate=given.rate)
        title = escape(f"{name} or {reference}: which finds more at which rate?")
        parts.append(f"<h2>{title}</h2>{image}")
    parts += [f"<p>Note: {escape(note)}</p>" for note in notes]
    return html_page(f"Budget report: {given.file.name}", parts)


if __name__ == "__main__":
    main()
