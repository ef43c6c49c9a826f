"""Averages over lists, and their standard error."""

import numbers
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import stats

from skrate.core.arrays import Array, FloatArray
from skrate.core.list_table import ListTable
from skrate.core.validation import (
    check_choice,
    check_equal_length,
    check_number,
    check_weights,
    summable,
)

Average = Literal["macro", "pairs", "positives", "size"]
AVERAGES: tuple[Average, ...] = get_args(Average)
Policy = Literal["skip", "nan"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


class ListAverage(NamedTuple):
    """A ratio of two sums over lists; every average is one.

    ``parts`` and ``weights`` have an entry per list that counts.
    """

    parts: FloatArray
    weights: FloatArray

    @property
    def score(self) -> float:
        """The average; nan where no list has weight."""
        total = self.weights.sum()
        return float(self.parts.sum() / total) if total > 0 else float("nan")

    @property
    def standard_error(self) -> float:
        """Its standard error if lists were drawn independently; nan for one list."""
        n = len(self.weights)
        total = self.weights.sum()
        if n < 2 or not total > 0:
            return float("nan")
        residuals = (self.parts - self.score * self.weights) / total
        return float(np.sqrt(n / (n - 1) * (residuals @ residuals)))

    def interval(
        self, confidence_level: float, undefined: str | float = "skip"
    ) -> tuple[float, float]:
        """Return Student's interval, cut to [0, 1] and what stands for undefined."""
        error = self.standard_error
        if np.isnan(error):
            return float("nan"), float("nan")
        quantile = stats.t.ppf((1 + confidence_level) / 2, len(self.weights) - 1)
        number = 0.0 if isinstance(undefined, str) else float(undefined)
        ends = self.score + np.array([-quantile, quantile]) * error
        low, high = np.clip(ends, min(0.0, number), max(1.0, number))
        return float(low), float(high)


def check_average(average: Any, choices: tuple[str, ...] = AVERAGES) -> Any:
    """Return one of ``choices``, or an array of list weights."""
    if isinstance(average, str):
        return check_choice("average", average, choices)
    if average is None or np.ndim(average) != 1:
        raise ValueError(
            f"average must be one of {sorted(choices)} or an array with a weight per "
            f"list, got {average!r}."
        )
    return summable("average", check_weights("average", average))


def check_undefined(undefined: Any) -> Any:
    """Return "skip", "nan" or the number that stands for an undefined list."""
    if isinstance(undefined, numbers.Real) and not isinstance(undefined, bool):
        return check_number("undefined", undefined)
    if not isinstance(undefined, str) or undefined not in POLICIES:
        raise ValueError(
            f"undefined must be one of {sorted(POLICIES)} or a number, "
            f"got {undefined!r}."
        )
    return undefined


def list_weights(average: Any, labels: Array, lists: Array) -> FloatArray:
    """Return the weights of ``lists`` for "macro" or an array with one per label."""
    if isinstance(average, str):
        return np.ones(len(lists))
    check_equal_length(average=average, distinct_groups=labels)
    return np.asarray(average[lists])


def by_label(values: FloatArray, table: ListTable, fill: float) -> FloatArray:
    """Return list ``values`` for all labels; a list without weight has ``fill``."""
    if len(values) == len(table.labels):
        return values
    filled: Array = np.full(len(table.labels), fill)
    filled[table.lists] = values
    return filled
