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
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np

from skrate import (
    budget_report,
    compare,
    compare_curves,
    estimate,
    rate_at_recall_score,
    rate_weighted_auc_score,
)
from skrate.data.arrays import BoolArray, FloatArray
from skrate.displays import CurveComparisonDisplay
from skrate.metrics.result_types import Comparisons
from skrate.rates import from_quantiles

_ABOUT = """\
Report what a budget finds if samples are processed from the highest score down.

The file has a row per sample, with its label and a score of each model. The report
gives the numbers of positives that each model finds and misses, with intervals. It
compares two or more models.
"""
_EXAMPLES = """\
examples:
  python -m skrate report scores.csv --label y --score model --rate 0.1
      one model; the top 10 % of the samples will be processed

  python -m skrate report scores.csv --label y --score new --score old \\
      --rate 0.05 0.2 --n-items 5000 --reference old --html report.html
      two models; between 5 % and 20 % of the next 5,000 samples will be processed
      (with probability 95 %); tables and figures are written to a page

  python -m skrate report scores.csv --label-file labels.csv --id pmid \\
      --label relevant --score model --recall 0.95 --n-items 5000
      which fraction of 5,000 articles must be read to find 95 % of the relevant ones
"""
_WIDE = ",;\t"
_FRAMES = (".parquet", ".pq", ".xlsx")
_MISSING = {"", "nan", "na", "n/a", "<na>", "nat", "null"}
# Pairs of labels with the positive label in the second position.
_KNOWN = (["0", "1"], ["-1", "1"], ["False", "True"])
Cells: TypeAlias = Sequence[Any]
# Optional arguments, and the types of their values.
_OPTIONS = {
    "--pos-label": ("LABEL", "the positive label, if not 1 or True"),
    "--label-file": ("FILE", "another file with the labels"),
    "--id": ("COLUMN", "column of both files that identifies a sample"),
    "--n-items": ("N", "size of the next batch, for counts and prediction intervals"),
    "--reference": ("COLUMN", "the model to compare with; by default the first"),
    "--clusters": ("COLUMN", "clusters of samples, such as the samples of one patient"),
    "--confidence-level": ("LEVEL", "of intervals and bands: 0.95 by default"),
    "--html": ("FILE", "write a page with pictures as well"),
}
_TYPES: dict[str, Any] = {"FILE": Path, "N": int, "LEVEL": float}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command. Invalid input ends it with a message and status 2."""
    args = _parsed(arguments)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            y_true, scores = _read(args)
            reports = _computed(args, y_true, scores)
            text = "\n\n".join(str(report) for report in reports if report is not None)
            if args.html is not None:
                if args.recall is not None:
                    raise ValueError("--html needs --rate: leave one of them out.")
                for file in filter(None, (args.file, args.label_file)):
                    if args.html.exists() and args.html.samefile(file):
                        raise ValueError(
                            f"--html would replace the input {file}: pass another name."
                        )
                label = f"{args.label} = {args.pos_label}"
                samples = f"{len(y_true):,} labelled samples of {args.file.name}; "
                samples += f"{y_true.sum():,} have the positive label, {label}."
                sections = {"Samples": samples, **_differences(args, y_true, scores)}
                if caught:
                    sections["Notes"] = " ".join(_notes(caught))
                title = f"Budget report: {args.file.name}"
                options = {"title": title, "pos_label": label}
                page = reports[0].to_html(others=sections, **options)
                try:
                    args.html.write_text(page, encoding="utf-8")
                except OSError as error:
                    _stop(f"--html cannot be written: {error}.")
        except UnicodeDecodeError as error:
            _stop(
                f"{args.file} must be saved as text in UTF-8 or Windows-1252, "
                f"got another encoding: {error}."
            )
        except (OSError, ValueError, TypeError, ImportError) as error:
            _stop(str(error))
    print(text)
    for note in _notes(caught):
        print(f"note: {note}", file=sys.stderr)
    if args.html is not None:
        print(f"\nThe page is in {args.html}.")


def _notes(caught: list[warnings.WarningMessage]) -> list[str]:
    """Return each warning once, with names of options instead of arguments."""
    notes = []
    for warning in caught:
        text = re.sub(
            r"y_score(?:_a)?\[(['\"])(.*?)\1\]", r"--score \2", str(warning.message)
        )
        notes.append(re.sub(r"\b(pos|n)_(label|items)\b", r"--\1-\2", text))
    return list(dict.fromkeys(notes))


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
    add = report.add_argument
    text = "a table with a header: .csv, .csv.gz, .xlsx or .parquet"
    add("file", type=Path, help=text)
    add("--label", required=True, metavar="COLUMN", help="column of the true labels")
    text = "column of a model's scores; higher means positive. Once per model"
    add("--score", required=True, action="append", metavar="COLUMN", help=text)
    amount = report.add_mutually_exclusive_group(required=True)
    text = "fraction of the samples that will be processed, in (0, 1]; two numbers are "
    text += "the ends of its 95 %% range"
    amount.add_argument("--rate", nargs="+", type=rate, metavar="FRACTION", help=text)
    text = "instead of --rate: report which fraction must be processed to find this "
    text += "fraction of the positives, such as 0.95"
    amount.add_argument("--recall", type=rate, metavar="FRACTION", help=text)
    for option, (metavar, text) in _OPTIONS.items():
        add(option, metavar=metavar, type=_TYPES.get(metavar, str), help=text)
    text = "lower scores mean positive, as ranks and distances do"
    add("--lower-is-better", action="store_true", help=text)
    text = "decimal mark of the scores of a .csv: 0.5 by default, or 0,5"
    add("--decimal", choices=[".", ","], default=".", metavar="MARK", help=text)
    report.set_defaults(confidence_level=0.95)
    args, unknown = parser.parse_known_args(arguments)
    if unknown:
        hint = "" if unknown[0].startswith("-") else ": repeat --score for each model"
        parser.error(f"unrecognized arguments: {' '.join(map(repr, unknown))}{hint}")
    return args


def rate(text: str) -> float:
    """Return a rate. Messages of argparse contain the name of this function."""
    if text.rstrip().endswith("%"):
        fraction = float(text.rstrip(" %")) / 100
        raise argparse.ArgumentTypeError(f"{text} is the fraction {fraction:g}")
    if "," in text:
        raise argparse.ArgumentTypeError(f"{text}: write a decimal point")
    return float(text)


def _stop(message: str) -> NoReturn:
    print(f"skrate report: {message}", file=sys.stderr)
    raise SystemExit(2)


def _read(args: argparse.Namespace) -> tuple[BoolArray, dict[str, FloatArray]]:
    """Return which samples are positive, and the scores of each model."""
    names = [args.label, *args.score]
    names += [] if args.clusters is None else [args.clusters]
    if len(set(names)) < len(names):
        raise ValueError(
            f"--label, --score and --clusters must be different columns, got {names}."
        )
    if (args.label_file is None) != (args.id is None):
        raise ValueError("--label-file and --id belong together: add the other one.")
    columns = _joined(args, names) if args.id else _read_columns(args.file, names)
    labels, option = columns[args.label], f"--label {args.label}"
    is_pos, args.pos_label = _positives(option, labels, args.pos_label)
    if args.clusters is not None:
        column = columns[args.clusters]
        _check_complete(f"--clusters {args.clusters}", column)
        args.clusters = [str(cell).strip() for cell in column]
    sign = -1 if args.lower_is_better else 1
    return is_pos, {
        name: sign * _numbers(f"--score {name}", columns[name], args.decimal)
        for name in args.score
    }


def _joined(args: argparse.Namespace, names: list[str]) -> dict[str, Cells]:
    """Return the columns of the samples that are in both files."""
    others = [name for name in names if name != args.label]
    scores = _read_columns(args.file, list(dict.fromkeys([args.id, *others])))
    labels = _read_columns(args.label_file, [args.id, args.label])
    rows = []
    for path, columns in ((args.file, scores), (args.label_file, labels)):
        _check_complete(f"--id {args.id} of {path}", columns[args.id])
        rows_by_id = {_text(cell): row for row, cell in enumerate(columns[args.id])}
        if len(rows_by_id) < len(columns[args.id]):
            raise ValueError(f"--id {args.id}: {path} has a value more than once.")
        rows.append(rows_by_id)
    shared = [sample for sample in rows[0] if sample in rows[1]]
    if not shared:
        raise ValueError(f"--id {args.id}: no value is in both files.")
    n_single = len(rows[0]) + len(rows[1]) - 2 * len(shared)
    if n_single:
        warnings.warn(
            f"{n_single} rows are left out, because the other file lacks their "
            f"{args.id}; {len(shared)} samples remain.",
            stacklevel=2,
        )
    is_labelled = np.array([sample in rows[1] for sample in rows[0]])
    for name in args.score:
        # Only the scores of labelled rows must be complete.
        with suppress(ValueError):
            _warn_selection(name, _numbers("", scores[name], args.decimal), is_labelled)
    joined = {n: [scores[n][rows[0][sample]] for sample in shared] for n in others}
    return joined | {args.label: [labels[args.label][rows[1][s]] for s in shared]}


def _warn_selection(name: str, scores: FloatArray, is_labelled: BoolArray) -> None:
    """Warn if the scores of the rows with a label are not a random sample."""
    if min(np.bincount(is_labelled, minlength=2)) < 2:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = estimate("roc_auc", is_labelled, scores, null_value=0.5)
    # Random samples are rarely so different.
    if cast(float, found.pvalue) < 1e-4:
        order = "higher" if found.value > 0.5 else "lower"
        warnings.warn(
            f"The report is for rows like the labelled ones, not for all rows: their "
            f"--score {name} is {order} than of the others, with probability "
            f"{max(found.value, 1 - found.value):.2f}. Label a random sample of all "
            "rows, or see skrate.labels.sampled if chances of a label differed.",
            stacklevel=2,
        )


def _read_columns(path: Path, names: list[str]) -> dict[str, Cells]:
    read = _read_frame if path.suffix.lower() in _FRAMES else _read_csv
    return read(path, names)


def _read_csv(path: Path, names: list[str]) -> dict[str, Cells]:
    rows = _rows(path)
    _, header = next(rows, (1, []))
    _check_columns(path, names, header)
    positions = [header.index(name) for name in names]
    cells: list[list[str]] = []
    for line, row in rows:
        if row and len(row) != len(header):
            raise ValueError(
                f"{path}, line {line}: {len(row)} cells under {len(header)} names. "
                "Quote cells that contain delimiters."
            )
        if row:
            cells.append([row[position] for position in positions])
    if not cells:
        raise ValueError(f"{path} has no rows below its header.")
    return dict(zip(names, zip(*cells, strict=True), strict=True))


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line of each row, and its cells."""
    opened: Any = gzip.open if path.suffix.lower() == ".gz" else open
    line = 1
    # Unused columns may contain long texts.
    csv.field_size_limit(2**31 - 1)
    try:
        encoding = _encoding(opened, path)
        with opened(path, "rt", newline="", encoding=encoding) as file:
            first = file.readline()
            delimiter = max(_WIDE, key=first.count)
            # Without strict, all rows after an open quote would be one cell.
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


def _encoding(opened: Any, path: Path) -> str:
    """Return the encoding: UTF-8, or UTF-16 or Windows-1252 as written by Windows."""
    with opened(path, "rb") as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
    try:
        with opened(path, "rt", encoding="utf-8-sig") as file:
            while file.read(2**20):
                pass
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def _read_frame(path: Path, names: list[str]) -> dict[str, Cells]:
    is_parquet = path.suffix.lower() in (".parquet", ".pq")
    engine = "pyarrow" if is_parquet else "openpyxl"
    try:
        import pandas as pd

        path.stat()
        # Cells of a spreadsheet are read as the displayed text.
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
            count = "more than one" if name in header else "no"
            raise ValueError(f"{path} has {count} column {name!r}; it has {header}.")


def _check_complete(option: str, column: Cells) -> None:
    """Raise a ValueError if a column has missing values."""
    is_missing = np.array(
        [cell is None or str(cell).strip().lower() in _MISSING for cell in column]
    )
    if is_missing.any():
        raise ValueError(
            f"{option}: {is_missing.sum()} of {len(column)} rows are empty, the first "
            f"is row {is_missing.argmax() + 1}. Remove or impute such samples first."
        )


def _text(cell: Any) -> str:
    """Return a label as text. 1 and 1.0 are the same label; 1_0 and 10 are not."""
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
    """Return which samples have the positive label, and this label."""
    _check_complete(option, column)
    labels: Any = np.array([_text(cell) for cell in column])
    names, first = np.unique(labels, return_index=True)
    words, cells = names.tolist(), [str(column[row]) for row in first]
    if len(words) != 2:
        shown = f"{cells[:5]}"[1:-1] + ", ..." * (len(words) > 5)
        raise ValueError(
            f"{option} must have two different labels, such as 0 and 1, got {shown}."
        )
    if pos_label is None and words in _KNOWN:
        pos_label = words[1]
    if pos_label is None or _text(pos_label) not in words:
        wrong = "" if pos_label is None else f", and no {pos_label!r}"
        raise ValueError(
            f"{option} has the labels {cells[0]!r} and {cells[1]!r}{wrong}: select the "
            f"positive one by --pos-label {words[0]} or --pos-label {words[1]}."
        )
    return np.asarray(labels == _text(pos_label)), _text(pos_label)


def _numbers(option: str, column: Cells, decimal: str) -> FloatArray:
    """Return a column of scores as numbers, or raise for the first other cell."""
    _check_complete(option, column)
    numbers = []
    for i, cell in enumerate(column):
        text = cell
        if decimal == "," and isinstance(cell, str):
            # A point is then a separator of thousands, which is not supported.
            text = cell.translate(str.maketrans(",.", ".,"))
        try:
            number = math.nan if "_" in str(cell) else float(text)
        except (ValueError, TypeError):
            number = math.nan
        if not math.isfinite(number):
            advice = "Remove or impute such samples first."
            if "," in str(cell) and decimal == ".":
                advice = 'Does the file have decimal commas? Then add --decimal ",".'
            raise ValueError(
                f"{option}: row {i + 1} has {str(cell)!r}, which is not a finite "
                f"number. {advice}"
            )
        numbers.append(number)
    return np.array(numbers)


def _computed(
    args: argparse.Namespace, y_true: BoolArray, scores: dict[str, FloatArray]
) -> tuple[Any, Comparisons | None]:
    """Return the report and, for several models, their comparisons.

    The report is by ``--rate``, with rAUCs compared, or by ``--recall``.
    """
    options: dict[str, Any] = {"clusters": args.clusters}
    options["confidence_level"] = args.confidence_level
    args.reference = args.reference or args.score[0]
    reference = args.reference if len(scores) > 1 else None
    report: Any
    metric: Any = rate_at_recall_score
    if args.recall is not None:
        options["recall"] = args.recall
        report = _recall_text(args, y_true, scores, options)
    else:
        args.rate = _find_rate(args)
        if args.reference not in scores:
            raise ValueError(
                f"--reference {args.reference} must be one of the models, {args.score}."
            )
        options["rate"], metric = args.rate, rate_weighted_auc_score
        numbers = {"n_items": args.n_items, "reference": reference}
        report = budget_report(y_true, scores, **numbers, **options)
    if reference is None:
        return report, None
    return report, compare(metric, y_true, scores, reference=reference, **options)


def _recall_text(
    args: argparse.Namespace,
    y_true: BoolArray,
    scores: dict[str, FloatArray],
    options: dict[str, Any],
) -> str:
    """Return a text with the rate at the recall for each model."""
    models: Any = scores if len(scores) > 1 else next(iter(scores.values()))
    estimates = estimate(rate_at_recall_score, y_true, models, **options)
    text = f"Fraction to process for a recall of {args.recall:g}:\n{estimates}"
    rows = [estimates] if len(scores) == 1 else estimates
    for name, model in zip(scores, rows, strict=True):
        if args.n_items is not None and model.value == model.value:
            low, high = (args.n_items * end for end in model.confidence_interval)
            text += (
                f"\n{name}: about {args.n_items * model.value:,.0f} of "
                f"{args.n_items:,} samples ({low:,.0f} to {high:,.0f})"
            )
    return text


def _find_rate(args: argparse.Namespace) -> Any:
    """Return the rate, or the distribution with the range of two rates."""
    low, high = args.rate[0], args.rate[-1]
    if len(args.rate) == 1 and 0 < low <= 1:
        return low
    if len(args.rate) == 2 and 0 < low < high < 1:
        return from_quantiles({0.025: low, 0.975: high})
    got, hint = " ".join(f"{number:g}" for number in args.rate), ""
    for n in dict.fromkeys((args.n_items or 0, 100)):
        if all(1 < number <= n for number in args.rate):
            fractions = " ".join(f"{number / n:g}" for number in args.rate)
            hint += f" {got} of {n} is --rate {fractions}."
    raise ValueError(
        "--rate must be a fraction in (0, 1], or two that increase, such as "
        f"0.05 0.2; got {got}.{hint}"
    )


def _differences(
    args: argparse.Namespace, y_true: BoolArray, scores: dict[str, FloatArray]
) -> dict[str, Any]:
    """Return the difference of each model to the reference, by headings of the page."""
    sections: dict[str, Any] = {}
    reference = args.reference
    for name in [name for name in scores if name != reference]:
        pair = {name: scores[name], reference: scores[reference]}
        level, clusters = args.confidence_level, args.clusters
        options = {"confidence_level": level, "clusters": clusters, "random_state": 0}
        difference = compare_curves(y_true, pair, **options)
        heading = f"{name} or {reference}: which finds more at each rate?"
        if not np.isnan(difference.difference).all():
            sections[heading] = CurveComparisonDisplay(difference, rate=args.rate)
    return sections


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The terminal may lack letters of column names.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        main()
        print(end="", flush=True)
    except OSError as error:
        # At exit, Python tries again to write the buffered output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # The reader, such as head, may have stopped.
        if not isinstance(error, BrokenPipeError):
            _stop(f"the report cannot be written: {error}.")
