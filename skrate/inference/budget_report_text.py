"""The texts of a budget report: sentences, definitions and the cells of its table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from skrate.data.representations import html_definitions, html_text
from skrate.rates.distributions import fixed_rate

if TYPE_CHECKING:
    from skrate.inference.budget_report import BudgetReport, BudgetRow
    from skrate.metrics.hypothesis_tests import ConfidenceInterval

_COLUMNS = (
    "mean over many batches",
    "contains this mean with the stated confidence",
    "mean if samples are processed in a random order",
    "contains the count of a single batch with the stated probability",
)
_QUANTITIES = {
    "found": "positives among the processed samples",
    "missed": "positives among the other samples",
    "false alarms": "negatives among the processed samples",
    "recall": "fraction of the positives that is found",
    "precision": "fraction of the processed samples that is positive",
    "lift": "recall divided by the recall of a random order",
    "number needed": "processed samples per positive that is found",
    "more found": "positives found, minus those that the reference finds",
    "more false alarms": "false alarms, minus those of the reference",
}


def definitions_html(report: BudgetReport, columns: list[str]) -> str:
    """Return the definitions of the columns and quantities of a report."""
    found = {row.quantity for row in report}
    terms = {name: text for name, text in _QUANTITIES.items() if name in found}
    return html_definitions(terms | dict(zip(columns, _COLUMNS, strict=False)))


def result_html(report: BudgetReport) -> str:
    """Return the result in words: the number found, or more than by the reference."""
    base, models = report.reference, report.models
    first = models[0] if base is None else base
    others = [name for name in models if name != first]
    is_pair = base is not None and len(others) == 1
    model = others.pop() if is_pair else first
    row = report[model, "more found" if is_pair else "found"]
    number, interval, batch = count_texts(row)
    of = f"of {report.n_samples * report.prevalence:,.0f} positives"
    of = f"positives than {base}" if is_pair else of
    name = "the model" if models == ("model",) else model
    text = f"{_condition(report)}, {name} is expected to find {number} {of}"
    text += f" ({100 * report.confidence_level:g} % interval {interval})."
    if batch:
        text += f" For this batch alone, the interval is {batch}."
    if is_pair and row.confidence_interval.low <= 0 <= row.confidence_interval.high:
        text += " The samples do not show which of the two finds more."
    if others:
        text += " Other models:" if base is None else " Compared with it:"
    lines = [text]
    for name in others:
        row = report[name, "found" if base is None else "more found"]
        lines.append(f"{name}: {{}} ({{}})".format(*count_texts(row)))
    return "".join(map(html_text, lines))


def _condition(report: BudgetReport) -> str:
    which = "the" if report.n_items is None else "the next"
    average = "" if fixed_rate(report.rate) is not None else " on average"
    text = f"{processed_text(report)} of {which} {report.n_samples:,.0f} samples"
    return f"If {text} are processed{average}"


def count_texts(row: BudgetRow) -> tuple[str, str, str]:
    """Return a count, its interval and the interval of the batch, "" without one."""
    digits, batch = _row_digits(row), row.prediction_interval
    number, is_more = f"{abs(row.value):,.{digits}f}", row.quantity == "more found"
    if is_more:
        number += " fewer" if row.value < 0 else " more"
    interval = _range_text(row.confidence_interval, digits, is_more)
    return number, interval, "" if batch is None else _range_text(batch, 0, is_more)


def _range_text(ends: ConfidenceInterval, digits: int, is_signed: bool) -> str:
    """Return both ends without signs; in words if they are different."""
    if math.isnan(ends.low):
        return "unknown"
    low, high = (f"{abs(end):,.{digits}f}" for end in ends)
    if is_signed and ends.low < 0 < ends.high:
        return f"{low} fewer to {high} more"
    return f"{high} to {low}" if ends.low < 0 else f"{low} to {high}"


def processed_text(report: BudgetReport) -> str:
    """Return the mean number of samples that will be processed."""
    mean = report.n_samples * report.rate.mean()
    digits = 0 if mean >= 10 or mean == round(mean) else 1
    return f"{mean:,.{digits}f}"


def table_cells(row: BudgetRow) -> list[str]:
    """Return the cells of a row, with two significant digits of the interval width."""
    digits = _row_digits(row)
    numbers = row.value, *row.confidence_interval
    # Adding 0.0 makes -0.0 positive.
    center, *ends = (f"{round(x, digits) + 0.0:,.{digits}f}" for x in numbers)
    # More decimals if the chance value is smaller than the interval width.
    chance = ""
    if row.chance is not None:
        chance = f"{row.chance:,.{max(digits, _digits(row.chance) or 0)}f}"
    batch = ""
    if row.prediction_interval is not None:
        batch = "{:,.0f} to {:,.0f}".format(*row.prediction_interval)
    return [f"  {row.quantity}", center, " to ".join(ends), chance, batch]


def _row_digits(row: BudgetRow) -> int:
    """Return the decimals that show two significant digits of the interval width."""
    low, high = row.confidence_interval
    digits = _digits(high - low)
    return _digits(row.value) or 0 if digits is None else digits


def _digits(number: float) -> int | None:
    """Return the decimals that show two significant digits, None for 0 or infinity."""
    # Numbers below 1e-9 are rounding errors.
    if not 1e-9 < number < math.inf:
        return None
    return min(max(1 - math.floor(math.log10(number)), 0), 9)


def align_columns(lines: list[list[str]]) -> list[str]:
    """Return lines of cells as text columns, the first left and the rest right aligned.

    A line with a single cell does not widen its column.
    """
    rows = [line for line in lines if any(line[1:])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
