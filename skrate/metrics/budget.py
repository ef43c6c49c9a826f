"""Recall, precision and lift of the share of the ranking that is processed."""

import numbers
from abc import abstractmethod
from dataclasses import replace
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from skrate.core.arrays import Array, ArrayLike, FloatArray, Label, Number, ratio
from skrate.core.list_table import ListTable, ListValues
from skrate.core.metric import Metric, Slopes, score
from skrate.core.rank_table import RankTable
from skrate.core.rates import Fixed, RateDistribution
from skrate.core.validation import check_count, check_fraction
from skrate.metrics.recall_slopes import UnderRate, recall_slopes

# Of one table, or of many.
Value = TypeVar("Value", float, FloatArray)

# Beyond it products of weights and shares would be subnormal or nothing.
_LEAST = 1e-250

__all__ = ["lift_at_rate_score", "precision_at_rate_score", "recall_at_rate_score"]


def recall_at_rate_score(
    y_true: ArrayLike | RankTable,
    y_score: ArrayLike | None = None,
    *,
    rate: Number,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    """Compute the share of the positives in the processed part of the ranking.

    If the best-scored tenth (or 50) of all cases is processed, which share of the
    positives is found? It is the expected recall of a rate that is known.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or RankTable
        True labels of two classes; or a table, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    rate : float or int
        What is processed: a float in (0, 1] is a share of all cases, an int of at
        least 1 a number of cases (not with ``sample_weight``, nor of a table whose
        weights are not whole).
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Recall in [0, 1]: the rate for random scores, ``min(1, rate / prevalence)``
        for a perfect ranking; nan where undefined.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, a rate outside (0, 1] or
        a number that is not between 1 and the number of cases.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive case.

    See Also
    --------
    sklearn.metrics.recall_score : The same for predicted labels.
    expected_recall_score : For a rate known as a distribution.

    Notes
    -----
    Where the cut falls among cases of one score, it is the expectation over random
    orders of these cases: recall rises linearly within them. Cost: one sort.

    Examples
    --------
    >>> from skrate import recall_at_rate_score
    >>> recall_at_rate_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=0.5)
    0.5
    >>> recall_at_rate_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=3)
    1.0
    """
    return score(RecallAtRate(rate), y_true, y_score, sample_weight, pos_label)


def precision_at_rate_score(
    y_true: ArrayLike | RankTable,
    y_score: ArrayLike | None = None,
    *,
    rate: Number,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    """Compute the share of positives among the cases that are processed.

    If the best-scored tenth (or 50) of all cases is processed, which share of them is
    positive? With a number of cases it is what search calls precision at k.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or RankTable
        True labels of two classes; or a table, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    rate : float or int
        What is processed: a float in (0, 1] is a share of all cases, an int of at
        least 1 a number of cases (not with ``sample_weight``, nor of a table whose
        weights are not whole).
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Precision in [0, 1]: the prevalence for random scores,
        ``min(1, prevalence / rate)`` for a perfect ranking.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, a rate outside (0, 1] or
        a number that is not between 1 and the number of cases.

    See Also
    --------
    sklearn.metrics.precision_score : The same for predicted labels.
    lift_at_rate_score : Relative to the prevalence.

    Notes
    -----
    Where the cut falls among cases of one score, it is the expectation over random
    orders of these cases. It is always defined: 0 without positives. Cost: one sort.

    Examples
    --------
    >>> from skrate import precision_at_rate_score
    >>> precision_at_rate_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=0.25)
    1.0
    >>> precision_at_rate_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=2)
    0.5
    """
    return score(PrecisionAtRate(rate), y_true, y_score, sample_weight, pos_label)


def lift_at_rate_score(
    y_true: ArrayLike | RankTable,
    y_score: ArrayLike | None = None,
    *,
    rate: Number,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> float:
    """Compute how many times more positives are found than in a random order.

    Precision of the processed part over the prevalence: the height of a lift chart.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or RankTable
        True labels of two classes; or a table, without ``y_score``.
    y_score : array-like of shape (n_samples,), default=None
        Scores, higher for the positive class.
    rate : float or int
        What is processed: a float in (0, 1] is a share of all cases, an int of at
        least 1 a number of cases (not with ``sample_weight``, nor of a table whose
        weights are not whole).
    sample_weight : array-like of shape (n_samples,), default=None
        Relative weights of the cases; None means equal ones.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    score : float
        Lift, at least 0: 1 for random scores, ``min(1 / rate, 1 / prevalence)`` for a
        perfect ranking; nan where undefined.

    Raises
    ------
    ValueError
        For labels, scores or weights that cannot be ranked, a rate outside (0, 1] or
        a number that is not between 1 and the number of cases.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive case.

    See Also
    --------
    sklearn.metrics.class_likelihood_ratios : Ratios for predicted labels.
    recall_at_rate_score : Lift times the rate.

    Notes
    -----
    Where the cut falls among cases of one score, it is the expectation over random
    orders of these cases. Cost: one sort.

    Examples
    --------
    >>> from skrate import lift_at_rate_score
    >>> lift_at_rate_score([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rate=0.25)
    2.0
    """
    return score(LiftAtRate(rate), y_true, y_score, sample_weight, pos_label)


class _AtRate(UnderRate, Metric):
    """What the three share: all are multiples of the recall at a known rate.

    ``rate`` is a share of all cases, or a number of cases until ``of_sample``.
    """

    rate: Any = None

    def of_sample(self, n_cases: float | None, *, is_weighted: bool) -> Self:
        """Return the metric at the share that a number of cases stands for."""
        whole = 0 if n_cases is None else int(n_cases)
        return replace(self, rate=check_budget(self.rate, whole, is_weighted))

    def values(self, pos: Array, neg: Array) -> FloatArray:
        weight = pos + neg
        ends = np.cumsum(weight, axis=1)
        total = ends[:, -1:]
        begins = np.zeros_like(ends)
        begins[:, 1:] = ends[:, :-1]
        n_pos = pos.sum(axis=1)
        seen = self.rate * total
        # Cut off before it is divided: a group may be empty.
        part = ratio(np.clip(seen - begins, 0, weight), weight)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.rate * min(1.0, total.min()) < _LEAST:
                # In units of the rate: products of small shares would be nothing.
                share = ratio(weight, total)
                part = ratio(np.clip(self.rate - begins / total, 0, share), share)
                found = np.einsum("ij,ij->i", pos, part / self.rate)
                whole = total[:, 0]
                return np.asarray(self._unit * self._scaled(found, n_pos, whole, whole))
            found = np.einsum("ij,ij->i", pos, part)
            return np.asarray(self._scaled(found, n_pos, seen[:, 0], total[:, 0]))

    @property
    def _unit(self) -> float:
        """What it is multiplied with if what is found is given per rate."""
        return 1.0

    def value(self, table: RankTable) -> float:
        if table.cases is None and table.n_pos > 0:
            return self._of_cut(cut_at(table, self.rate))
        found = found_at(table, self.rate)
        return float(
            self._scaled(found, table.n_pos, self.rate * table.total, table.total)
        )

    def per_list(self, lists: ListTable, k: int | None = None) -> ListValues:
        if (k is None) == (self.rate is None):
            raise ValueError(f"metric: {self.name} needs k or rate, and not both.")
        if k is not None:
            n_seen = np.minimum(k, lists.sizes)
        else:
            share = check_fraction("rate", self.rate, include_one=True)
            n_seen = share * lists.sizes
        cut = lists.spread(n_seen)
        # Rows that end at the cut are seen whole, whatever rounding does to weights.
        seen = (lists.ends <= cut).astype(np.float64)
        is_cut = (lists.begins < cut) & (cut < lists.ends)
        begins = lists.begins[is_cut]
        seen[is_cut] = (cut[is_cut] - begins) / (lists.ends[is_cut] - begins)
        found = lists.sum(lists.pos * seen)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = self._scaled(found, lists.n_pos, n_seen, lists.sizes)
        return ListValues.of(values, lists)

    def is_sum_over_groups(self, table: RankTable) -> bool:
        return True

    @abstractmethod
    def _of_cut(self, cut: "Cut") -> float:
        """Return the metric of a weighted table from where its ranking is cut."""

    @abstractmethod
    def _scaled(self, found: Value, n_pos: Value, seen: Value, total: Value) -> Value:
        """Return the metric from the positives found among those seen."""

    @property
    def law(self) -> RateDistribution:
        """The rate as the one that is possible."""
        return Fixed(self.rate)


class RecallAtRate(_AtRate, score=recall_at_rate_score):
    """The share of the positives that is found."""

    name = "Recall"
    needs = ("positive",)

    @property
    def _unit(self) -> float:
        return float(self.rate)

    def slopes(self, table: RankTable) -> Slopes:
        return recall_slopes(table, Fixed(self.rate))[0]

    def _of_cut(self, cut: "Cut") -> float:
        return cut.tpr + cut.share * cut.part

    def _scaled(self, found: Value, n_pos: Value, seen: Value, total: Value) -> Value:
        return found / n_pos


class PrecisionAtRate(_AtRate, score=precision_at_rate_score):
    """The share of positives among those seen: recall times prevalence over rate."""

    name = "Precision"
    needs = ()

    def slopes(self, table: RankTable) -> Slopes:
        at_rate = found_at(table, self.rate) / table.n_pos / self.rate
        factor = table.prevalence / self.rate
        return recall_slopes(table, Fixed(self.rate))[0].scaled(factor, at_rate)

    def _of_cut(self, cut: "Cut") -> float:
        return min(float(cut.found / self.rate + cut.purity * cut.last), 1.0)

    def _scaled(self, found: Value, n_pos: Value, seen: Value, total: Value) -> Value:
        return found / total / (seen / total)


class LiftAtRate(_AtRate, score=lift_at_rate_score):
    """How many times more is found than in a random order: recall over rate."""

    name = "Lift"
    needs = ("positive",)

    def slopes(self, table: RankTable) -> Slopes:
        return recall_slopes(table, Fixed(self.rate))[0].scaled(1 / self.rate)

    @property
    def limits(self) -> tuple[float, float]:
        """Its range: as the rate, without a bound above where lists have their own."""
        return 0.0, np.inf if self.rate is None else 1 / self.rate

    def _of_cut(self, cut: "Cut") -> float:
        return float(cut.tpr / self.rate + cut.share / cut.width * cut.last)

    def _scaled(self, found: Value, n_pos: Value, seen: Value, total: Value) -> Value:
        return found / n_pos / (seen / total)


class Cut(NamedTuple):
    """Where a share of the weight ends in the ranking, in a group of tied cases.

    All are shares, and no product of a small rate and a small weight is among them:
    that would be beyond what floats hold.
    """

    tpr: float  # Positives in the groups above, of the positives
    found: float  # and of all cases.
    share: float  # Positives in the group, of all positives
    purity: float  # and of the group.
    width: float  # The group, of all cases.
    part: float  # What is processed of the group, of the group
    last: float  # and of all that is processed.


def cut_at(table: RankTable, rate: float) -> Cut:
    """Return where the share ``rate`` of a weighted ranking with positives ends."""
    edges = table.rates
    k = min(int(np.searchsorted(edges, rate, side="left")), len(edges) - 1) - 1
    while edges[k + 1] == edges[k]:
        # A group whose weight is lost in that of the others.
        k -= 1
    start, width = float(edges[k]), float(edges[k + 1] - edges[k])
    pos, neg = float(table.pos[k]), float(table.neg[k])
    return Cut(
        tpr=float(table.tpr[k]),
        found=float(table.cum_pos[k]) / table.total,
        share=pos / table.n_pos,
        purity=pos / (pos + neg),
        width=width,
        part=min((rate - start) / width, 1.0),
        last=(rate - start) / rate,
    )


def found_at(table: RankTable, rate: float) -> float:
    """Return the weight of positives within the share ``rate`` of the ranking."""
    if table.cases is not None or table.n_pos == 0:
        return float(np.interp(rate, table.rates, table.cum_pos))
    # By shares: the slope of large weights over a short step is not finite.
    return table.n_pos * float(np.interp(rate, table.rates, table.tpr))


def check_budget(rate: Any, n_cases: int, is_weighted: bool = False) -> float:
    """Return the share of ``n_cases`` that a share or a number of cases stands for."""
    if not isinstance(rate, numbers.Integral) or isinstance(rate, bool):
        return check_fraction("rate", rate, include_one=True)
    if is_weighted:
        raise ValueError(
            f"rate={rate} is a number of cases, which sample_weight, or a RankTable of "
            "weights that are not whole, leaves without a meaning: give the share of "
            "all weight as a float."
        )
    count = check_count("rate", rate)
    if count > n_cases:
        raise ValueError(f"rate={count} is more than the {n_cases} cases there are.")
    return count / n_cases
