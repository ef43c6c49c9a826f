"""The command line: ``python -m skrate report scores.csv --label y --score model``."""

from __future__ import annotations

import argparse
import codecs
import csv
import gzip
import io
import math
import os
import re
import sys
import warnings
import zlib
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import numpy as np

from skrate import budget_report, compare, compare_curves, rate_weighted_auc_score
from skrate.data.arrays import BoolArray, FloatArray
from skrate.displays import CurveComparisonDisplay
from skrate.inference.budget_report import BudgetReport
from skrate.metrics.result_types import Comparisons
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
_WIDE = ",;\t"
_FRAMES = (".parquet", ".pq", ".xlsx")
_MISSING = {"", "nan", "na", "n/a", "<na>", "nat", "null"}
# Two labels of which the second is positive.
_KNOWN = (["0", "1"], ["-1", "1"], ["False", "True"])
Cells: TypeAlias = Sequence[Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; what is wrong with its input ends it with status 2."""
    given = _parsed(arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            y_true, scores = _read(given)
            results = _computed(given, y_true, scores)
            text = "\n\n".join(str(one) for one in results if one is not None)
            if given.html is not None:
                if given.html.exists() and given.html.samefile(given.file):
                    _stop(
                        f"--html would replace the input, {given.file}: "
                        "give another name."
                    )
                label = f"{given.label} = {given.pos_label}"
                cases = f"{len(y_true):,} labelled cases of {given.file.name}; "
                cases += f"{y_true.sum():,} have the positive label, {label}."
                others = {"Cases": cases}
                others |= _others(given, y_true, scores, results[1])
                if caught:
                    others["Notes"] = " ".join(_notes(caught))
                title = f"Budget report: {given.file.name}"
                page = results[0].to_html(title=title, others=others)
                try:
                    given.html.write_text(page, encoding="utf-8")
                except OSError as error:
                    _stop(f"--html cannot be written: {error}.")
        except UnicodeDecodeError as error:
            _stop(
                f"{given.file} is no text in UTF-8 or Windows-1252: {error}. Save it "
                "as such."
            )
        except (OSError, ValueError, TypeError, ImportError) as error:
            _stop(str(error))
    print(text)
    for note in _notes(caught):
        print(f"note: {note}", file=sys.stderr)
    if given.html is not None:
        print(f"\nThe page is in {given.html}.")


def _notes(caught: list[warnings.WarningMessage]) -> list[str]:
    """Return each warning once, in words of the command line."""
    found = []
    for each in caught:
        text = re.sub(
            r"y_score(?:_a)?\[(['\"])(.*?)\1\]", r"--score \2", str(each.message)
        )
        found.append(re.sub(r"\b(pos|n)_(label|items)\b", r"--\1-\2", text))
    return list(dict.fromkeys(found))


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m skrate")
    commands = parser.add_subparsers(required=True, metavar="report")
    report = commands.add_parser(
        "report",
        help="report what a budget finds, from a file of labels and scores",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_columns(report)
    _add_options(report)
    given, others = parser.parse_known_args(arguments)
    if others:
        hint = "" if others[0].startswith("-") else ": repeat --score for each model"
        parser.error(f"unrecognized arguments: {' '.join(map(repr, others))}{hint}")
    return given


def rate(text: str) -> float:
    """Return a rate; the errors of argparse show the name of this function."""
    if text.rstrip().endswith("%"):
        share = float(text.rstrip(" %")) / 100
        raise argparse.ArgumentTypeError(f"{text} is the share {share:g}")
    if "," in text:
        raise argparse.ArgumentTypeError(f"{text}: write a decimal point")
    return float(text)


def _add_columns(report: argparse.ArgumentParser) -> None:
    """Add the arguments that have to be given: the file, its columns and the rate."""
    add = report.add_argument
    add(
        "file",
        type=Path,
        help="a table with a header: .csv, .csv.gz, .xlsx or .parquet",
    )
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
        type=rate,
        metavar="SHARE",
        help="share of the cases that will be processed, in (0, 1]; two numbers are "
        "the ends of its 95 %% range",
    )


def _add_options(report: argparse.ArgumentParser) -> None:
    """Add the arguments that have a default."""
    add = report.add_argument
    add("--pos-label", metavar="LABEL", help="the positive label, if not 1 or True")
    add(
        "--lower-is-better",
        action="store_true",
        help="lower scores mean positive, as ranks and distances do",
    )
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
    add(
        "--clusters",
        metavar="COLUMN",
        help="what several cases belong to, such as their patient",
    )
    add(
        "--confidence-level",
        type=float,
        default=0.95,
        metavar="LEVEL",
        help="of intervals and bands: 0.95 by default",
    )
    add(
        "--decimal",
        choices=[".", ","],
        default=".",
        metavar="MARK",
        help="how scores of a .csv are written: 0.5 by default, or 0,5",
    )
    add("--html", type=Path, metavar="FILE", help="write a page with pictures as well")


def _stop(message: str) -> NoReturn:
    print(f"skrate report: {message}", file=sys.stderr)
    raise SystemExit(2)


def _read(given: argparse.Namespace) -> tuple[BoolArray, dict[str, FloatArray]]:
    """Return which cases are positive, and the scores by model."""
    names = [given.label, *given.score]
    names += [] if given.clusters is None else [given.clusters]
    if len(set(names)) < len(names):
        raise ValueError(
            f"--label, --score and --clusters must be different columns, got {names}."
        )
    read = _read_frame if given.file.suffix.lower() in _FRAMES else _read_csv
    columns = read(given.file, names)
    labels, option = columns[given.label], f"--label {given.label}"
    is_pos, given.pos_label = _positives(option, labels, given.pos_label)
    if given.clusters is not None:
        name, column = f"--clusters {given.clusters}", columns[given.clusters]
        _check_complete(name, column)
        given.clusters = [str(cell).strip() for cell in column]
    sign = -1 if given.lower_is_better else 1
    return is_pos, {
        name: sign * _numbers(f"--score {name}", columns[name], given.decimal)
        for name in given.score
    }


def _read_csv(path: Path, names: list[str]) -> dict[str, Cells]:
    rows = _rows(path)
    _, header = next(rows, (1, []))
    _check_columns(path, names, header)
    places = [header.index(name) for name in names]
    cells: list[list[str]] = []
    for line, row in rows:
        if row and len(row) != len(header):
            raise ValueError(
                f"{path}, line {line}: {len(row)} cells under {len(header)} names. "
                "Quote cells that contain delimiters."
            )
        if row:
            cells.append([row[place] for place in places])
    if not cells:
        raise ValueError(f"{path} has no rows below its header.")
    return dict(zip(names, zip(*cells, strict=True), strict=True))


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row, and the number of its first line."""
    opened: Any = gzip.open if path.suffix.lower() == ".gz" else open
    line = 1
    # Columns that are not read may hold long texts.
    csv.field_size_limit(2**31 - 1)
    try:
        with opened(path, "rb") as file:
            encoding = _encoding(file)
        with opened(path, "rt", newline="", encoding=encoding) as file:
            first = file.readline()
            delimiter = max(_WIDE, key=first.count)
            # Without strict, all rows after a quote that is not closed are one cell.
            rows = csv.reader(chain([first], file), delimiter=delimiter, strict=True)
            for row in rows:
                yield line, row
                line = rows.line_num + 1
    except csv.Error as error:
        raise ValueError(
            f"{path}, line {line}: a quote is not closed, or not doubled within a "
            f"cell: {error}."
        ) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path}, line {line}: damaged .gz: {error}.") from error


def _encoding(file: Any) -> str:
    """Return UTF-8, or what programs for Windows write."""
    if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    file.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        while part := file.read(2**20):
            decoder.decode(part)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def _read_frame(path: Path, names: list[str]) -> dict[str, Cells]:
    is_parquet = path.suffix.lower() in (".parquet", ".pq")
    engine = "pyarrow" if is_parquet else "openpyxl"
    try:
        import pandas as pd

        path.stat()
        # Cells of a sheet stay the text that is seen.
        frame = pd.read_parquet(path) if is_parquet else pd.read_excel(path, dtype=str)
    except ImportError as error:
        raise ImportError(
            f'{path.suffix} is read by pandas: "pip install pandas {engine}", or save '
            "the table as a .csv."
        ) from error
    frame.columns = list(map(str, frame.columns))
    _check_columns(path, names, list(frame.columns))
    if not len(frame):
        raise ValueError(f"{path} has no rows.")
    return {name: frame[name].tolist() for name in names}


def _check_columns(path: Path, names: list[str], header: list[str]) -> None:
    for name in names:
        if header.count(name) != 1:
            found = "more than one" if name in header else "no"
            raise ValueError(f"{path} has {found} column {name!r}; it has {header}.")


def _check_complete(option: str, column: Cells) -> None:
    """Refuse a column with missing values."""
    missing = [
        i
        for i, cell in enumerate(column)
        if cell is None or str(cell).strip().lower() in _MISSING
    ]
    if missing:
        raise ValueError(
            f"{option}: {len(missing)} of {len(column)} rows are empty, the first is "
            f"row {missing[0] + 1}. Remove or impute such cases first."
        )


def _text(cell: Any) -> str:
    """Return a label as text; 1 and 1.0 are one label, 1_0 is none of 10."""
    text = str(cell).strip()
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        return text.capitalize() if text.lower() in ("true", "false") else text
    is_exact = number.is_integer() and abs(number) < 2**53
    return str(int(number)) if is_exact else text


def _positives(
    option: str, column: Cells, pos_label: str | None
) -> tuple[BoolArray, str]:
    """Return which cases have the positive of two labels, and this label."""
    _check_complete(option, column)
    labels: Any = np.array([_text(cell) for cell in column])
    names, first = np.unique(labels, return_index=True)
    found, cells = names.tolist(), [str(column[row]) for row in first]
    if len(found) != 2:
        shown = f"{cells[:5]}"[1:-1] + ", ..." * (len(found) > 5)
        raise ValueError(
            f"{option} must hold two different labels, such as 0 and 1, found {shown}."
        )
    if pos_label is None and found in _KNOWN:
        pos_label = found[1]
    if pos_label is None or _text(pos_label) not in found:
        given = "" if pos_label is None else f", and no {pos_label!r}"
        raise ValueError(
            f"{option} has the labels {cells[0]!r} and {cells[1]!r}{given}: say which "
            f"is positive, by --pos-label {found[0]} or --pos-label {found[1]}."
        )
    return np.asarray(labels == _text(pos_label)), _text(pos_label)


def _numbers(option: str, column: Cells, decimal: str) -> FloatArray:
    """Return a column of scores as numbers; name the first cell that is none."""
    _check_complete(option, column)
    found = []
    for i, cell in enumerate(column):
        text = cell
        if decimal == "," and isinstance(cell, str):
            # A point in such a file parts thousands, and is refused.
            text = cell.translate(str.maketrans(",.", ".,"))
        try:
            number = math.nan if "_" in str(cell) else float(text)
        except (ValueError, TypeError):
            number = math.nan
        if not math.isfinite(number):
            advice = "Remove or impute such cases first."
            if "," in str(cell) and decimal == ".":
                advice = 'Does the file have decimal commas? Then add --decimal ",".'
            raise ValueError(
                f"{option}: row {i + 1} holds {str(cell)!r}, which is no finite "
                f"number. {advice}"
            )
        found.append(number)
    return np.array(found)


def _computed(
    given: argparse.Namespace, y_true: BoolArray, scores: dict[str, FloatArray]
) -> tuple[BudgetReport, Comparisons | None]:
    """Return the report, and of several models how their rAUCs compare."""
    low, high = given.rate[0], given.rate[-1]
    if len(given.rate) == 1 and 0 < low <= 1:
        given.rate = low
    elif len(given.rate) == 2 and 0 < low < high < 1:
        given.rate = from_quantiles({0.025: low, 0.975: high})
    else:
        got, hint = " ".join(f"{each:g}" for each in given.rate), ""
        for n in dict.fromkeys((given.n_items or 0, 100)):
            if all(1 < each <= n for each in given.rate):
                shares = " ".join(f"{each / n:g}" for each in given.rate)
                hint += f" {got} of {n} is --rate {shares}."
        raise ValueError(
            "--rate takes a share in (0, 1], or two that increase, such as 0.05 0.2; "
            f"got {got}.{hint}"
        )
    given.reference = given.reference or given.score[0]
    if given.reference not in scores:
        raise ValueError(
            f"--reference {given.reference} must be one of the models, {given.score}."
        )
    options: dict[str, Any] = {
        "rate": given.rate,
        "clusters": given.clusters,
        "confidence_level": given.confidence_level,
    }
    is_one = len(scores) == 1
    report = budget_report(
        y_true,
        scores,
        n_items=given.n_items,
        reference=None if is_one else given.reference,
        **options,
    )
    if is_one:
        return report, None
    metric, reference = rate_weighted_auc_score, given.reference
    return report, compare(metric, y_true, scores, reference=reference, **options)


def _others(
    given: argparse.Namespace,
    y_true: BoolArray,
    scores: dict[str, FloatArray],
    comparisons: Comparisons | None,
) -> dict[str, Any]:
    """Return what the page shows below the report, by headings."""
    others: dict[str, Any] = {}
    if comparisons is not None:
        others["Which ranks better where the budget is?"] = comparisons
    reference = given.reference
    for name in [name for name in scores if name != reference]:
        difference = compare_curves(
            y_true,
            {name: scores[name], reference: scores[reference]},
            clusters=given.clusters,
            confidence_level=given.confidence_level,
            random_state=0,
        )
        heading = f"{name} or {reference}: which finds more at which rate?"
        if not np.isnan(difference.difference).all():
            others[heading] = CurveComparisonDisplay(difference, rate=given.rate)
    return others


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names of columns may hold letters that the terminal lacks.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        main()
        print(end="", flush=True)
    except OSError as error:
        # At exit what is left is written again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # The reader, such as head, may be gone.
        if not isinstance(error, BrokenPipeError):
            _stop(f"the report cannot be written: {error}.")
