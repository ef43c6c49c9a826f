"""What cases are worth when they are processed, and what processing them costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray, IntArray, cumulated, lazy
from skrate.data.checks import (
    as_float64,
    check_finite,
    check_number,
    check_vector,
    shown,
)
from skrate.data.ranking import ranking
from skrate.data.sample import Sample
from skrate.data.table import Merged, RankTable

# One number per case, or one per class.
GainLike: TypeAlias = ArrayLike | Mapping[str, float]
CLASSES = ("positive", "negative")
NO_CASES = (
    "gain or cost per case is of single cases, which are not known of a RankTable, of "
    "batches or of a sample that is planned: give labels and scores alone, or a gain "
    "per class, {'positive': ..., 'negative': ...}, without cost."
)


class ClassGain(NamedTuple):
    """The gain of a positive and of a negative that is processed."""

    positive: float
    negative: float


class Worth(NamedTuple):
    """The gain and the cost of each case; ``cost`` is None where all cost the same."""

    gain: FloatArray
    cost: FloatArray | None


def check_gain(gain: Any) -> ClassGain | FloatArray:
    """Return the gain per class, or per case."""
    if isinstance(gain, ClassGain):
        return gain
    if not isinstance(gain, Mapping):
        return _check_per_case("gain", gain)
    unknown = [key for key in gain if key not in CLASSES]
    if unknown or not gain:
        found = f"found {shown(unknown[0])}" if unknown else "found none"
        raise ValueError(
            "gain per class has the keys 'positive' and 'negative', of which one may "
            f"be left out for 0, {found}: pos_label says which class is positive."
        )
    named = {f"gain[{key!r}]": gain[key] for key in CLASSES if key in gain}
    given = {name: check_number(name, value) for name, value in named.items()}
    return ClassGain(*(given.get(f"gain[{key!r}]", 0.0) for key in CLASSES))


def check_cost(cost: Any) -> FloatArray | None:
    """Return the cost per case, None where all cost the same."""
    if cost is None:
        return None
    costs = _check_per_case("cost", cost)
    least = costs.min()
    if least < 0:
        raise ValueError(
            f"cost must not be negative, found {least:g}: what comes back is a gain."
        )
    if not costs.any():
        raise ValueError(
            "cost is zero for every case: leave it out where all cost the same."
        )
    return costs


def _check_per_case(name: str, values: Any) -> FloatArray:
    numbers = as_float64(name, check_vector(name, values))
    check_finite(name, numbers)
    return numbers


def worth_of(
    gain: ClassGain | FloatArray, cost: FloatArray | None, sample: Sample
) -> Worth:
    """Return the worth of the cases of a sample that have weight."""
    given: dict[str, FloatArray] = {}
    for name, values in (("gain", gain), ("cost", cost)):
        if values is None or isinstance(values, ClassGain):
            continue
        if len(values) != sample.n_given:
            raise ValueError(
                f"Unequal numbers of cases: y_true has {sample.n_given}, {name} has "
                f"{len(values)}."
            )
        given[name] = values if sample.kept is None else values[sample.kept]
    if isinstance(gain, ClassGain):
        given["gain"] = np.where(sample.is_pos, *gain)
    found = Worth(given["gain"], given.get("cost"))
    if found.cost is not None and not found.cost.any():
        raise ValueError("cost is zero for every case that has weight: leave it out.")
    return found


@dataclass(frozen=True)
class GroupWorth:
    """The sums of gain and of cost over groups of ties, best group first."""

    gain: FloatArray
    cost: FloatArray

    @lazy
    def shares(self) -> FloatArray:
        """Share of the cost above each cut, from 0 to 1."""
        spent = cumulated(self.cost)
        return np.asarray(spent / spent[-1])


def weighted_worth(worth: Worth, weights: FloatArray | None) -> GroupWorth:
    """Return what cases with weights gain and cost, each a group of its own."""
    gain, cost = worth
    if cost is None:
        cost = np.ones(len(gain))
    if weights is None:
        return GroupWorth(gain, cost)
    return GroupWorth(weights * gain, weights * cost)


def ranked_worth(worth: Worth, sample: Sample) -> GroupWorth:
    """Return the worth of the groups of ties of a sample with scores."""
    assert sample.scores is not None
    order, begins = ranking(sample.scores)
    cost = None if worth.cost is None else worth.cost[order]
    weights = None if sample.weights is None else sample.weights[order]
    found = weighted_worth(Worth(worth.gain[order], cost), weights)
    if begins.all():
        return found
    starts = np.flatnonzero(begins)
    gain, cost = (np.add.reduceat(each, starts) for each in (found.gain, found.cost))
    return GroupWorth(gain, cost)


class WorthTable(RankTable):
    """A table of cases that also knows what they are worth."""

    worth: GroupWorth

    @classmethod
    def of(
        cls,
        table: RankTable,
        group: IntArray,
        worth: Worth,
        weights: FloatArray | None,
    ) -> WorthTable:
        """Return a table with the worth of its cases, each in its group of ties."""
        found = cls.__new__(cls)
        vars(found).update(vars(table))
        cases = weighted_worth(worth, weights)
        gain, cost = (
            np.bincount(group, each, minlength=table.n_groups).astype(np.float64)
            for each in (cases.gain, cases.cost)
        )
        vars(found)["worth"] = GroupWorth(gain, cost)
        return found

    @lazy
    def merged(self) -> Merged:
        """The groups as they are: none is like another."""
        return Merged(self.pos, self.neg, np.arange(self.n_groups))
