"""The report card of a budget: its rows, and how they are printed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from skrate.core.notebook import html_row, html_table, html_title
from skrate.core.question import rendered
from skrate.core.rates import RateDistribution
from skrate.core.results import ConfidenceInterval, Result, data_frame
from skrate.inference.curve_process import CurveProcess
from skrate.metrics.recall_slopes import rate_of

Quantity = Literal[
    "found", "missed", "false alarms", "recall", "precision", "lift", "number needed"
]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)
COUNTS = QUANTITIES[:3]
# Of a number in the table: those of the width of its interval, and digits at most.
_FIGURES, _MOST_DIGITS = 2, 9
_PVALUE = "p is the probability that a random order finds as much."
_MEANS = (
    "Precision and lift are means over budgets; the number needed is the cases\n"
    "processed for each found, of all budgets together."
)


@dataclass(frozen=True)
class BudgetRow(Result):
    """One quantity of one model: a row of :func:`skrate.budget_report`.

    Attributes
    ----------
    model : str
        The model.
    quantity : str
        "found", "missed" or "false alarms", which are counts, "recall", "precision",
        "lift" or "number needed".
    value : float
        Its expectation over the budget.
    confidence_interval : ConfidenceInterval
        Of the expectation; its ends are ``.low`` and ``.high``.
    chance : float
        What a random ranking gives, at the prevalence of the sample.
    pvalue : float
        Probability that a random ranking finds as much; it is that of the model, the
        same in all its rows.
    prediction_interval : ConfidenceInterval or None
        Of the count in the next batch; None without ``n_items``, and for what is no
        count.

    See Also
    --------
    skrate.budget_report : Makes it.

    Examples
    --------
    >>> from skrate import budget_report
    >>> y_true, y_score = (
    ...     [1, 1, 0, 1, 0, 0, 1, 0, 0, 0],
    ...     range(10, 0, -1),
    ... )
    >>> row = budget_report(y_true, y_score, rate=0.5)["found"]
    >>> round(row.value, 9), row.chance
    (3.0, 2.0)
    """

    model: str
    quantity: Quantity
    value: float
    confidence_interval: ConfidenceInterval
    chance: float
    pvalue: float
    prediction_interval: ConfidenceInterval | None = None


@dataclass(frozen=True)
class BudgetReport(Result):
    """What a budget will find, as :func:`skrate.budget_report` returns it.

    It prints as a table, has a length, and its rows are found by position, by the
    quantity (of the one model), by the model and the quantity, or in a loop.

    Attributes
    ----------
    rows : tuple of BudgetRow
        One per model and quantity.
    rate : RateDistribution
        The distribution of the rate.
    n_cases : float
        What counts are of: the next batch, else the cases at hand.
    n_items : int or None
        Size of the next batch.
    confidence_level : float
        Level of all intervals.
    prevalence : float
        Share of the positives among the cases at hand.
    curves : tuple of CurveProcess
        The hits of each model at some rates, per case, for the picture; none where
        nothing is defined.

    See Also
    --------
    skrate.budget_report : Makes it.
    BudgetReportDisplay : Draws it.

    Examples
    --------
    >>> from skrate import budget_report
    >>> y_true, y_score = (
    ...     [1, 1, 0, 1, 0, 0, 1, 0, 0, 0],
    ...     range(10, 0, -1),
    ... )
    >>> report = budget_report(y_true, y_score, rate=0.5)
    >>> len(report), report[0].quantity, report["lift"].value
    (7, 'found', 1.5)
    """

    rows: tuple[BudgetRow, ...]
    rate: RateDistribution
    n_cases: float
    n_items: int | None
    confidence_level: float
    prevalence: float
    curves: tuple[CurveProcess, ...] = field(compare=False)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(dict.fromkeys(row.model for row in self.rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[BudgetRow]:
        return iter(self.rows)

    def __getitem__(self, which: int | str | tuple[str, str]) -> BudgetRow:
        if isinstance(which, int):
            return self.rows[which]
        models = self.models
        if isinstance(which, str):
            if len(models) > 1 and which in (*QUANTITIES, *models):
                told, pair = (
                    f"one row of each of {len(models)} models",
                    (models[0], which),
                )
                if which in models:
                    told, pair = "a model", (which, QUANTITIES[0])
                raise KeyError(f"{which!r} is {told}: ask for {list(pair)}.")
            if len(models) == 1:
                which = (models[0], which)
        for row in self.rows:
            if (row.model, row.quantity) == which:
                return row
        raise KeyError(
            f"{which!r} is no row: the models are {list(models)}, the quantities "
            f"{list(QUANTITIES)}."
        )

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name, as ``pandas.DataFrame`` takes them.

        Returns
        -------
        columns : dict of list
            "model", "quantity", "value", "low", "high", "chance", "pvalue" and "rate";
            with ``n_items`` also "prediction_interval_low" and
            "prediction_interval_high", None for what is no count.
        """
        rows = [row.to_dict() for row in self.rows]
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: [row.get(name) for row in rows] for name in names}
        return columns | {"rate": [rendered(self.rate)] * len(rows)}

    def to_frame(self) -> Any:
        """Return the rows as a data frame of pandas, which must be installed.

        Returns
        -------
        frame : pandas.DataFrame
            With the columns of ``to_dict``.

        Raises
        ------
        ImportError
            If pandas is not installed; ``to_dict`` does without it.
        """
        return data_frame(self.to_dict())

    def __repr__(self) -> str:
        blocks = [line for block in self._blocks() for line in block]
        table = "\n".join(_aligned([self._head(), *blocks]))
        return "\n".join([self._budget(), "", table, *self._notes()])

    def _repr_html_(self) -> str:
        head = self._head()
        lines = [html_row(head, "th")]
        for model, *rows in self._blocks():
            lines.append(html_title(model[0], len(head)))
            lines += map(html_row, rows)
        return html_table(lines, " ".join([self._budget(), *self._notes()]))

    def _budget(self) -> str:
        """Return in words how many cases will be processed, and of which."""
        level, n = self.confidence_level, self.n_cases
        low, high = self.rate.ppf([(1 - level) / 2, (1 + level) / 2])
        which = "at hand" if self.n_items is None else "of the next batch"
        text = f"Of the {n:,.0f} cases {which}, {n * self.rate.mean():,.0f} will be "
        if low == high:
            return f"{text}processed."
        between = f"between {n * low:,.0f} and {n * high:,.0f}"
        return f"{text}processed on average,\n{between} with probability {level:g}."

    def _notes(self) -> list[str]:
        return [_PVALUE] if rate_of(self.rate) is not None else [_PVALUE, _MEANS]

    def _head(self) -> list[str]:
        level = f"{100 * self.confidence_level:g} %"
        head = ["", "expected", f"{level} interval", "by chance"]
        return head if self.n_items is None else [*head, f"next batch, {level}"]

    def _blocks(self) -> Iterator[list[list[str]]]:
        """Yield for each model the cells of a line that names it, and of its rows."""
        width = len(self._head())
        for model in self.models:
            rows = [row for row in self.rows if row.model == model]
            pvalue = rows[0].pvalue
            text = "p < 1e-300" if pvalue == 0 else f"p = {pvalue:.2g}"
            name = " ".join(model.splitlines())
            head = [f"{name} ({text})", *[""] * (width - 1)]
            yield [head, *(_cells(row)[:width] for row in rows)]


def _cells(row: BudgetRow) -> list[str]:
    """Return a row as text, with the digits that its interval and chance need."""
    low, high = row.confidence_interval
    digits = _digits(high - low)
    if digits is None:
        digits = _digits(row.value) or 0
    value, *ends = (f"{number:,.{digits}f}" for number in (row.value, low, high))
    # Of less than what the interval is about there would be nothing to see.
    chance = f"{row.chance:,.{max(digits, _digits(row.chance) or 0)}f}"
    batch = ""
    if row.prediction_interval is not None:
        batch = "{:,.0f} to {:,.0f}".format(*row.prediction_interval)
    return [f"  {row.quantity}", value, " to ".join(ends), chance, batch]


def _digits(number: float) -> int | None:
    """Return the digits behind the point that show two figures of a number, if any."""
    if not 0 < number < math.inf:
        return None
    digits = _FIGURES - 1 - math.floor(math.log10(number))
    return min(max(digits, 0), _MOST_DIGITS)


def _aligned(lines: list[list[str]]) -> list[str]:
    """Return lines of cells as columns, the first to the left and others right.

    A line with one cell only may be longer.
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
