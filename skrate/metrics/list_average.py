"""Averages over lists, and their standard error."""

from __future__ import annotations

import numbers
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np

from skrate.core.arrays import Array, BoolArray, FloatArray, IntArray
from skrate.core.list_table import ListTable, ListValues
from skrate.core.results import ConfidenceInterval, t_interval
from skrate.core.validation import (
    check_choice,
    check_equal_length,
    check_number,
    check_weights,
    summable,
)

Average = Literal["macro", "pooled", "pairs", "positives", "size"]
AVERAGES: tuple[Average, ...] = get_args(Average)
Policy = Literal["skip", "nan"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
_OTHERS = "use one of ['macro', 'positives', 'size'], or weights."
_ROUNDING = 1e-12
_UNKNOWN = {
    "pairs": f"average='pairs' is known of the AUC only: {_OTHERS}",
    "pooled": (
        "average='pooled' is known of the AUC, of recall and precision at k "
        f"or a known rate, and of gain: {_OTHERS}"
    ),
}


class ListAverage(NamedTuple):
    """A ratio of two sums over lists; every average is one.

    ``parts`` and ``weights`` have an entry per list that counts, and rounding does not
    take it out of ``limits``; ``clusters`` number the cluster of each list, where lists
    are not independent.
    """

    parts: FloatArray
    weights: FloatArray
    clusters: IntArray | None = None
    limits: tuple[float, float] = (-np.inf, np.inf)

    @property
    def value(self) -> float:
        """The average; nan where no list has weight."""
        total = self.weights.sum()
        if not total > 0:
            return float("nan")
        return float(np.clip(self.parts.sum() / total, *self.limits))

    @property
    def n_units(self) -> int:
        """Number of lists, or of clusters of lists, that are independent."""
        return len(self.summed(self.weights))

    @property
    def units_text(self) -> str:
        """How many lists these are, and of how many clusters, in words."""
        clusters = "" if self.clusters is None else f" in {self.n_units} clusters"
        return f"{len(self.parts)} lists{clusters}"

    @property
    def residuals(self) -> FloatArray:
        """What each independent unit adds to the average, centred."""
        parts = (self.parts - self.value * self.weights) / self.weights.sum()
        return self.summed(parts)

    @property
    def shares(self) -> FloatArray:
        """The share of each independent unit in the weight."""
        return np.asarray(self.summed(self.weights) / self.weights.sum())

    def summed(self, of_lists: FloatArray) -> FloatArray:
        """Return the sums over the lists of each independent unit."""
        if self.clusters is None:
            return of_lists
        codes = np.unique(self.clusters, return_inverse=True)[1]
        return np.asarray(np.bincount(codes, weights=of_lists), np.float64)

    @property
    def standard_error(self) -> float:
        """Its standard error if units were drawn independently; nan for one."""
        if self.n_units < 2 or not self.weights.sum() > 0:
            return float("nan")
        return spread_of_sums(self.residuals, self.shares)

    def interval(self, confidence_level: float) -> ConfidenceInterval:
        """Return Student's interval, cut to the limits."""
        error = self.standard_error
        if np.isnan(error):
            return ConfidenceInterval(error, error)
        freedom = freedom_of_sums(self.shares)
        return t_interval(self.value, error, confidence_level, self.limits, freedom)


def spread_of_sums(residuals: FloatArray, shares: FloatArray) -> float:
    """Return the standard error of an average of units with these shares of the weight.

    A unit pulls the average to itself, so that its residual has lost its share: for m
    of equal weight, squares count m / (m - 1) times.

    Examples
    --------
    >>> found = spread_of_sums(np.array([0.3, -0.2, -0.1]), np.full(3, 1 / 3))
    >>> round(found**2, 12) == round(1.5 * 0.14, 12)
    True
    """
    left = 1 - shares
    # Where one has all the weight, how others vary is not known.
    if not left.min() > _ROUNDING:
        return float("nan")
    return float(np.sqrt(np.add.reduce(residuals**2 / left)))


def freedom_of_sums(shares: FloatArray) -> float:
    """Return how many units of equal weight know as much of the variance, less one.

    Examples
    --------
    Two lists with most of the weight count for little more than two:

    >>> freedom_of_sums(np.full(4, 1 / 4))
    3.0
    >>> round(freedom_of_sums(np.array([0.45, 0.45, 0.05, 0.05])), 2)
    1.44
    """
    return float(max(1 / np.add.reduce(shares**2) - 1, 1.0))


def check_average(average: Any) -> Average | FloatArray:
    """Return one of ``AVERAGES``, or an array of list weights."""
    if isinstance(average, str):
        return check_choice("average", cast(Average, average), AVERAGES)
    if average is None or np.ndim(average) != 1:
        raise ValueError(
            f"average must be one of {sorted(AVERAGES)} or an array with a weight per "
            f"list, got {average!r}."
        )
    return summable("average", check_weights("average", average))


def check_undefined(undefined: Any) -> Policy | float:
    """Return "skip", "nan" or the number that stands for an undefined list."""
    if isinstance(undefined, numbers.Real) and not isinstance(undefined, bool):
        return check_number("undefined", undefined)
    if isinstance(undefined, str) and undefined in POLICIES:
        return undefined
    raise ValueError(
        f"undefined must be one of {sorted(POLICIES)} or a number, got {undefined!r}."
    )


def list_average(
    lists: ListValues,
    labels: Array,
    places: IntArray,
    sizes: dict[str, FloatArray],
    average: Average | FloatArray,
    undefined: Policy | float,
    *,
    among: BoolArray | None = None,
    clusters: IntArray | None = None,
    is_sum: bool = False,
    has_pairs: bool = False,
) -> ListAverage:
    """Return the average over the lists that count, whose ``labels`` are at places.

    ``sizes`` are the weights of the averages by "size" and "positives", of whole lists.
    ``clusters`` number the cluster of each of the ``labels``. Pooled, a metric that
    ``is_sum`` is summed over the lists. One that ``has_pairs`` is a share of pairs.
    """
    is_defined = lists.defined > 0
    if among is not None:
        is_defined &= among
    units = None if clusters is None else clusters[places]
    if undefined == "nan" and not is_defined.all():
        return ListAverage(np.full(1, np.nan), np.ones(1))
    if isinstance(average, str) and average in ("pairs", "pooled"):
        if is_sum and average == "pooled":
            n_lists = len(lists.values)
            return ListAverage(lists.values, np.full(n_lists, 1 / n_lists), units)
        if not len(lists.whole) or (average == "pairs" and not has_pairs):
            raise ValueError(_UNKNOWN[average])
        # A list without weight stays, so that two models have the same lists.
        counts = is_defined if isinstance(undefined, str) else np.ones_like(is_defined)
        part, whole = (
            np.where(is_defined, each, 0.0)[counts]
            for each in (lists.part, lists.whole)
        )
        return ListAverage(part, whole, None if units is None else units[counts])
    if not isinstance(average, str):
        check_equal_length(average=average, distinct_groups=labels)
        weights = np.asarray(average[places])
    elif average == "macro":
        weights = np.ones(len(places))
    else:
        weights = sizes[average][places]
    values = lists.values
    if not isinstance(undefined, str):
        values = np.where(is_defined, lists.defined * values, 0.0)
        values = values + (1 - lists.defined) * undefined
        is_defined = np.ones_like(is_defined)
    weights = weights[is_defined]
    units = None if units is None else units[is_defined]
    return ListAverage(weights * values[is_defined], weights, units)


def by_label(values: FloatArray, table: ListTable, fill: float) -> FloatArray:
    """Return list ``values`` for all labels; a list without weight has ``fill``."""
    if len(values) == len(table.labels):
        return values
    filled: Array = np.full(len(table.labels), fill)
    filled[table.lists] = values
    return filled
