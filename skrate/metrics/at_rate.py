"""What recall, precision and lift of the processed share have in common."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from dataclasses import field, replace
from typing import Any, Self, TypeVar

import numpy as np

from skrate.core.arrays import Array, FloatArray, ratio, share_of
from skrate.core.elicitation import check_rate, count_hint
from skrate.core.list_table import ListTable, ListValues
from skrate.core.metric import NEEDED, Facts, Metric, SumOverGroups, missing_parameters
from skrate.core.rank_table import RankTable
from skrate.core.rates import Fixed, RateDistribution
from skrate.core.validation import check_count, check_fraction
from skrate.metrics.expected_recall import (
    expected_recall,
    processed_rows,
    recall_of_tables,
)
from skrate.metrics.list_places import RelevantRows
from skrate.metrics.recall_slopes import UnderRate, rate_of

# Of one table, or of many.
Value = TypeVar("Value", float, FloatArray)

# Beyond it products of weights and shares would be subnormal or nothing.
_LEAST = 1e-250


class AtRate(UnderRate, SumOverGroups, Metric):
    """What the three share: all are multiples of the recall at a rate.

    ``rate`` is a share of all cases where it is known, and a law where several are
    possible. ``k`` is a number of cases, of each list or, until ``of_sample``, of all.
    """

    rate: Any = field(default=None, metadata=NEEDED)
    k: int | None = field(default=None, metadata=NEEDED)

    def __post_init__(self) -> None:
        if self.rate is not None and self.k is not None:
            raise ValueError(
                f"k={self.k!r} and rate={self.rate!r} both say how much is processed: "
                "leave out one of them."
            )
        if self.rate is not None:
            object.__setattr__(self, "rate", check_share(self.rate))
        if self.k is not None:
            object.__setattr__(self, "k", check_count("k", self.k))

    def of_sample(self, n_cases: float | None, *, is_weighted: bool) -> Self:
        """Return the metric at the share that a number of cases stands for."""
        if missing_parameters(self):
            raise ValueError(
                "rate is missing: give the share that is processed, or a distribution "
                "of it; or k, how many of the cases at hand are."
            )
        if self.k is None:
            return self
        whole = 0 if n_cases is None else int(n_cases)
        share = share_of_items(self.k, whole, is_weighted)
        return replace(self, rate=share, k=None)

    @property
    def law(self) -> RateDistribution:
        """The rate as a distribution."""
        return self.rate if self.is_uncertain else Fixed(self.rate)

    @property
    def is_uncertain(self) -> bool:
        """Whether several rates are possible."""
        return isinstance(self.rate, RateDistribution)

    def value(self, table: RankTable) -> float:
        if not self.is_uncertain:
            return super().value(table)
        law, factor = self.weighting
        if table.n_pos == 0:
            return 0.0 * factor
        found = factor * expected_recall(table, law)
        return float(self._of_mean(found, table.prevalence))

    def values(self, pos: Array, neg: Array) -> FloatArray:
        if self.is_uncertain:
            law, factor = self.weighting
            n_pos = pos.sum(axis=1)
            found = factor * recall_of_tables(pos, neg, law)
            prevalence = n_pos / (n_pos + neg.sum(axis=1))
            return np.asarray(self._of_mean(found, prevalence))
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

    @property
    def facts(self) -> Facts:
        # What is processed of all lists at a known rate can be put together.
        return Facts(
            counts_places=self.k is not None, is_of_queues=not self.is_uncertain
        )

    def per_list(self, lists: ListTable, k: int | None = None) -> ListValues:
        if self.k is not None:
            if k is not None and k != self.k:
                raise ValueError(
                    f"k={k} and k={self.k} of the metric both say how many items of "
                    "each list are seen: leave out one of them."
                )
            k = self.k
        if (k is None) == (self.rate is None):
            raise ValueError(f"metric: {self.name} needs k or rate, and not both.")
        if self.is_uncertain:
            return ListValues.of(self.list_values(lists), lists)
        n_seen = self.rate * lists.sizes if k is None else np.minimum(k, lists.sizes)
        if k is not None and lists.cases is not None:
            # No cases tie: it takes a look at the positives alone.
            rows = RelevantRows.of(lists)
            found = rows.sum(rows.seen(k))
        else:
            found = lists.sum(lists.pos * seen_rows(lists, n_seen))
        with np.errstate(invalid="ignore", divide="ignore"):
            values = self._scaled(found, lists.n_pos, n_seen, lists.sizes)
        return ListValues.of(values, lists, found, self._whole(lists.n_pos, n_seen))

    def list_values(self, lists: ListTable) -> FloatArray:
        law, factor = self.weighting
        found = lists.sum(lists.pos * processed_rows(lists, law))
        mean = factor * share_of(found, lists.n_pos)
        return np.asarray(self._of_mean(mean, lists.n_pos / lists.sizes))

    def undefined_value(self, table: RankTable) -> str:
        return "the rate is 0, so that nothing is processed"

    @property
    @abstractmethod
    def weighting(self) -> tuple[RateDistribution, float]:
        """The law of which the expected recall is meant, and what it is times."""

    @abstractmethod
    def _of_mean(self, found: Any, prevalence: Any) -> Any:
        """Return the metric from that multiple of the expected recall."""

    def _whole(self, n_pos: FloatArray, seen: FloatArray) -> FloatArray | None:
        """Return what those found are a share of, None where it is a ratio of such."""
        return None

    @abstractmethod
    def _scaled(self, found: Value, n_pos: Value, seen: Value, total: Value) -> Value:
        """Return the metric from the positives found among those seen."""


def seen_rows(lists: ListTable, n_seen: FloatArray) -> FloatArray:
    """Return the share of each row that is in the first ``n_seen`` of its list."""
    cut = lists.spread(n_seen)
    # Rows that end at the cut are seen whole, whatever rounding does to weights.
    seen = (lists.ends <= cut).astype(np.float64)
    is_cut = (lists.begins < cut) & (cut < lists.ends)
    begins = lists.begins[is_cut]
    seen[is_cut] = (cut[is_cut] - begins) / (lists.ends[is_cut] - begins)
    return seen


def found_at(table: RankTable, rate: float) -> float:
    """Return the weight of positives within the share ``rate`` of the ranking."""
    if table.cases is not None or table.n_pos == 0:
        return float(np.interp(rate, table.rates, table.cum_pos))
    # By shares: the slope of large weights over a short step is not finite.
    return table.n_pos * float(np.interp(rate, table.rates, table.tpr))


def check_share(rate: Any) -> float | RateDistribution:
    """Return a rate that is known as a float, and one that is not as its law.

    A number of cases is refused: it could be one of the cases at hand, or of those
    that they stand for.
    """
    if isinstance(rate, numbers.Real) and not isinstance(rate, bool):
        check_not_one_case(rate, "k=1 is one of the cases at hand")
        hint = count_hint(
            rate,
            "{n} of the cases at hand are k={n}, and {n} of N cases that these stand "
            "for rate={n}/N",
        )
        return check_fraction("rate", rate, include_one=True, hint=hint)
    law = check_rate(rate)
    return rate_of(law) or law


def check_not_one_case(rate: Any, otherwise: str) -> None:
    """Raise for the whole number 1, and say how one case is given ``otherwise``."""
    is_whole = isinstance(rate, numbers.Integral) and not isinstance(rate, bool)
    if is_whole and rate == 1:
        raise ValueError(
            f"rate=1 may be one case or all of them: {otherwise}, rate=1.0 is "
            "everything."
        )


def share_of_items(k: int, n_cases: int, is_weighted: bool = False) -> float:
    """Return the share of ``n_cases`` that a number of them is."""
    if is_weighted:
        raise ValueError(
            f"k={k} is a number of cases, which sample_weight, or a RankTable of "
            "weights that are not whole, leaves without a meaning: give the share of "
            "all weight as rate."
        )
    if k > n_cases:
        raise ValueError(
            f"k={k} is more than the {n_cases} cases there are: for a number of "
            f"others, of which these are a sample, rate={k}/N with their number N."
        )
    return k / n_cases
