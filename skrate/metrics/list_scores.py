"""Averages of a metric over lists, such as the lists of queries or users."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, cast, get_args

import numpy as np

from skrate.data.arrays import Array, ArrayLike, BoolArray, FloatArray
from skrate.data.checks import (
    as_array,
    check_choice,
    check_count,
    check_number,
    check_weights,
    shown,
    warn_undefined,
)
from skrate.data.list_table import ListTable, ListValues, RelevantCounts, list_table
from skrate.metrics.metric import Metric
from skrate.metrics.result_types import Params

Average = Literal["macro", "pooled", "pairs", "positives", "size"]
AVERAGES: tuple[Average, ...] = get_args(Average)
Policy = Literal["skip", "nan"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
_OTHERS = "use one of ['macro', 'positives', 'size'], or weights."
_UNKNOWN = {
    "pairs": f"average='pairs' is defined only for the AUC: {_OTHERS}",
    "pooled": (
        "groups= (average='pooled') needs k, or rate as a number: pass one, leave out "
        "groups, or use group_scores(...).mean('macro'), 'positives' or 'size'. Only "
        "the AUC, gain, and recall and precision at a fixed cut can be pooled."
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class ListScores:
    """A metric within each list, and its mean over the lists."""

    metric: str
    groups: Array
    values: FloatArray
    n_items: FloatArray
    n_pos: FloatArray
    _metric: Metric
    _k: int | None
    _lists: ListValues
    # The scores of the same lists by the labels of a judge, if people labelled some.
    _by_judge: ListScores | None = None

    @classmethod
    def _score_rows(
        cls, metric: Metric, rows: tuple[Any, ...], k: int | None, **options: Any
    ) -> Self:
        """Return the metric within the lists of rows, as for :func:`list_table`."""
        k = check_items(metric, k, rows[3])
        if rows[4] is None and rows[5] is None:
            metric = metric.bind_labels(rows[0])
        takes_unreturned = metric.takes_unreturned
        if options.get("n_relevant") is not None and not takes_unreturned:
            raise ValueError(
                f"n_relevant has no meaning for the {metric.name}, which is undefined "
                "for items that were not returned: leave it out."
            )
        options["grade_gain"] = metric.grade_gain
        table = list_table(*rows, takes_unreturned=takes_unreturned, **options)
        return cls._score_table(metric, table, k)

    @classmethod
    def _score_table(
        cls, metric: Metric, table: ListTable, k: int | None = None
    ) -> Self:
        """Return the metric within the lists of a table."""
        lists = metric.score_lists(table, k)
        if table.unreturned is None:
            lists = lists._replace(values=metric.clip(lists.values))
        columns = [*lists, table.n_pos + table.n_neg, table.n_pos]
        if len(table.lists) < len(table.labels):
            of_all = no_scores(len(table.labels))
            for filled, column in zip(of_all, columns, strict=True):
                filled[table.lists] = column
            columns = of_all
        return cls._assemble_scores(metric, k, table.labels, columns)

    @classmethod
    def _assemble_scores(
        cls, metric: Metric, k: int | None, labels: Array, columns: list[FloatArray]
    ) -> Self:
        """Return scores by the columns of ListValues, and items and positives."""
        *of_lists, n_items, n_pos = columns
        lists = ListValues(*of_lists)
        return cls(
            metric=metric.name,
            groups=labels,
            values=lists.values,
            n_items=n_items,
            n_pos=n_pos,
            _metric=metric,
            _k=k,
            _lists=lists,
        )

    def _select_lists(self, chosen: BoolArray) -> Self:
        """Return the scores of the chosen lists; the others have no weight."""
        columns = [*self._lists, self.n_items, self.n_pos]
        selected = [
            np.where(chosen, *pair)
            for pair in zip(columns, no_scores(len(chosen)), strict=True)
        ]
        return self._assemble_scores(self._metric, self._k, self.groups, selected)

    @property
    def params(self) -> Params:
        """Parameters of the metric, such as "rate", as numbers and text."""
        if self._k is None:
            return self._metric.params
        # With k, the rate of a gain has its default, which is not used.
        params = {n: v for n, v in self._metric.params.items() if n != "rate"}
        return params | {"k": self._k}

    @property
    def _counts(self) -> BoolArray:
        """Whether each list has weight; means ignore lists without weight."""
        return self.n_items > 0

    @property
    def is_defined(self) -> BoolArray:
        """Whether the metric is defined, or may be, in each list that has weight."""
        return self._lists.defined[self._counts] > 0

    @property
    def n_defined(self) -> int:
        """Number of lists in which the metric is defined."""
        return int(np.count_nonzero(self.is_defined))

    def mean(
        self,
        average: Average | Iterable[float] | None = None,
        undefined: Policy | float = "skip",
    ) -> float:
        """Return the average over the lists.

        Parameters
        ----------
        average : {"macro", "pooled", "pairs", "positives", "size"} or array-like
            The weight of each list, see Notes: a name, or an array in the order of
            ``groups``. By default "pooled" for recall and precision at ``k`` or a fixed
            rate, and "macro" for other metrics.
        undefined : {"skip", "nan"} or float, default="skip"
            How to treat an undefined list: "skip" leaves it out, "nan" makes the mean
            nan, and a number is used as its value.

        Returns
        -------
        score : float
            The weighted mean; nan if no list counts.

        Raises
        ------
        ValueError
            If an argument is not one of the choices.

        Warns
        -----
        UndefinedMetricWarning
            If the mean is nan.

        Notes
        -----
        The items of a list that are ranked up to the cut (``k`` or a rate) are "seen".

        - "macro": equal weights of all lists.
        - "pooled": the sums over the seen items of all lists, as if they were from one
          list. For the AUC, recall, precision and gain.
        - "pairs": the number of pairs of a relevant and an irrelevant item. For the
          AUC.
        - "positives", "size": the number of relevant items, or of all items, also if
          they are not seen.
        """
        score = average_sums(self, average, undefined).value
        if np.isnan(score):
            return warn_undefined(
                f"{self.metric} within lists", self._reason(undefined)
            )
        return score

    def _reason(self, undefined: Policy | float) -> str:
        """Return why the mean is nan."""
        n_defined, n_lists = self.n_defined, np.count_nonzero(self._counts)
        needs_both = len(self._metric.needs) == 2
        if undefined == "nan" and n_defined:
            state = "hold one class only" if needs_both else "are undefined"
            return f"{n_lists - n_defined} of {n_lists} lists {state}"
        if n_defined or not isinstance(undefined, str):
            return "all lists that count have weight 0"
        if needs_both and self._k is not None:
            first = f"among its first {self._k}"
            return f"no list holds a positive and a negative sample {first}"
        for name in self._metric.needs:
            count = self._lists.n_pos if name == "positive" else self._lists.n_neg
            if not count.any():
                return f"y_true holds no {name} sample, or only of sample_weight 0"
        if needs_both:
            return "no list holds a positive and a negative sample"
        return f"{n_lists} of {n_lists} lists are undefined"


def no_scores(n_lists: int) -> list[FloatArray]:
    """Return the columns of lists without weight, which are undefined and empty."""
    return [np.full(n_lists, np.nan), *np.zeros((len(ListValues._fields) + 1, n_lists))]


class ListSums(NamedTuple):
    """The terms and the weights of lists in an average, which is a ratio of sums.

    ``kept`` is True for lists that count, and ``limits`` are the bounds of the average.
    """

    parts: FloatArray
    weights: FloatArray
    kept: BoolArray
    limits: tuple[float, float]

    @property
    def value(self) -> float:
        """The average; nan if no list has weight."""
        total = self.weights.sum()
        if not total > 0:
            return float("nan")
        low, high = self.limits
        return min(max(float(self.parts.sum() / total), low), high)


def average_sums(
    scores: ListScores,
    average: Average | Iterable[float] | None = None,
    undefined: Policy | float = "skip",
    among: BoolArray | None = None,
) -> ListSums:
    """Return the sums of an average; with "skip", only of the lists ``among``."""
    metric, lists, counts = scores._metric, scores._lists, scores._counts
    average = check_average(metric.default_average if average is None else average)
    undefined = check_undefined(undefined)
    limits = (-np.inf, np.inf) if metric.is_sum else metric.bounds()
    is_defined = lists.defined > 0
    if undefined == "skip":
        counts = is_defined if among is None else is_defined & among
    elif undefined != "nan":
        limits = min(limits[0], undefined), max(limits[1], undefined)
    if isinstance(average, str) and average in ("pairs", "pooled"):
        terms, weights = _pooled(scores, average)
    else:
        list_values, weights = lists.values, _list_weights(scores, average)
        if not isinstance(undefined, str):
            list_values = np.where(is_defined, lists.defined * list_values, 0.0)
            list_values = list_values + (1 - lists.defined) * undefined
        terms = weights * list_values
    low, high = limits
    if low == high and not (lists.values[is_defined] == low).all():
        # Items that were not returned are not found, even if all items are processed.
        limits = 0.0, max(high, 1.0)
    if undefined == "nan" and not is_defined[counts].all():
        terms = np.full(len(terms), np.nan)
    return ListSums(terms[counts], weights[counts], counts, limits)


def _pooled(scores: ListScores, average: str) -> tuple[FloatArray, FloatArray]:
    """Return the terms and weights of pooled lists, or of their pairs."""
    metric, lists = scores._metric, scores._lists
    if metric.is_sum and average == "pooled":
        n_lists = np.count_nonzero(scores._counts)
        return lists.values, np.full(len(lists.values), 1 / n_lists)
    is_known = not np.isnan(lists.whole).any()
    if not is_known or (average == "pairs" and not metric.is_two_sample):
        raise ValueError(_UNKNOWN[average])
    terms, weights = np.where(lists.defined > 0, [lists.part, lists.whole], 0.0)
    return terms, weights


def _list_weights(scores: ListScores, average: str | FloatArray) -> FloatArray:
    """Return the weight of each list."""
    n_lists = len(scores.groups)
    if isinstance(average, str):
        sizes = {"size": scores.n_items, "positives": scores.n_pos}
        return np.ones(n_lists) if average == "macro" else sizes[average]
    if len(average) != n_lists:
        raise ValueError(
            f"average must have one weight for each of the {n_lists} lists, got "
            f"{len(average)}."
        )
    return average


def check_items(
    metric: Metric, k: int | None, sample_weight: ArrayLike | None
) -> int | None:
    """Return ``k``; raise for sample_weight if items are counted."""
    if metric.counts_places and sample_weight is not None:
        raise ValueError(
            f"sample_weight has no meaning for the {metric.name}, which depends on "
            "the ranks of items: leave it out, or repeat rows."
        )
    if k is None:
        return None
    n_items = check_count("k", k)
    if sample_weight is not None:
        raise ValueError(
            f"k={n_items} and sample_weight exclude each other: leave out one, because "
            "k is a number of items."
        )
    return n_items


def mean_list_score(
    metric: Metric,
    rows: tuple[Any, ...],
    k: int | Sequence[int] | None = None,
    average: Average | Iterable[float] = "pooled",
    undefined: Policy | float = "skip",
    n_relevant: RelevantCounts | None = None,
) -> float:
    """Return the average of a metric over lists of rows, as for :func:`list_table`.

    Several ``k`` give an array.
    """
    check_undefined(undefined), check_average(average)
    shape: tuple[int, ...] = getattr(rows[0], "shape", ())
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"y_true has the shape {shape} of lists in rows: pass np.ravel(y_true), "
            f"np.ravel(y_score), groups=np.repeat(range({shape[0]}), {shape[1]})."
        )

    def score(k: int | None) -> float:
        scores = ListScores._score_rows(metric, rows, k, n_relevant=n_relevant)
        return scores.mean(average, undefined)

    return score_each_k(k, score)


def score_each_k(k: Any, score: Callable[[Any], float]) -> float:
    """Return the score at ``k``, or the array of scores at several ``k``."""
    if isinstance(k, str) or np.ndim(k) == 0:
        return score(k)
    if not len(k):
        raise ValueError("k must be an integer or have one or more of them, got none.")
    return cast(float, np.array([score(cut) for cut in k]))


def find_unreturned(y_score: Any) -> tuple[Any, bool]:
    """Return the scores, lists as arrays, and whether a ranking has scores of -inf."""
    if isinstance(y_score, list):
        # Once, because this takes longer than to look for -inf.
        y_score = as_array("y_score", y_score)
    if not isinstance(y_score, np.ndarray) and not hasattr(y_score, "to_numpy"):
        return y_score, False
    scores = np.asarray(y_score)
    if scores.ndim != 1 or scores.dtype.kind != "f":
        return y_score, False
    return y_score, bool(scores.min(initial=0) == -np.inf)


def check_average(average: Any) -> Average | FloatArray:
    """Return one of ``AVERAGES``, or an array of list weights."""
    if isinstance(average, str):
        return check_choice("average", cast(Average, average), AVERAGES)
    if average is None or as_array("average", average).ndim != 1:
        raise ValueError(
            f"average must be one of {sorted(AVERAGES)} or an array with a weight per "
            f"list, got {shown(average)}."
        )
    return check_weights("average", average)


def check_undefined(undefined: Any) -> Policy | float:
    """Return "skip", "nan" or the number that replaces an undefined list."""
    if isinstance(undefined, numbers.Real) and not isinstance(undefined, bool):
        return check_number("undefined", undefined)
    if isinstance(undefined, str) and undefined in POLICIES:
        return undefined
    raise ValueError(
        f"undefined must be one of {sorted(POLICIES)} or a number, got {undefined!r}."
    )
