"""What is gained when a share of the cost of all cases is spent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray, Label
from skrate.data.sample import check_ranking
from skrate.data.table import RankTable, rank_table
from skrate.metrics.base import OF_CASES_IN_FOLDS
from skrate.metrics.gain import (
    NO_CASES,
    ClassGain,
    GainLike,
    GroupWorth,
    check_cost,
    check_gain,
    ranked_worth,
    weighted_worth,
    worth_of_sample,
)


class GainCurve(NamedTuple):
    """Gain per case at shares of the cost, and that of the best order of the cases.

    ``total`` is the weight of all cases.
    """

    rates: FloatArray
    gains: FloatArray
    best_rates: FloatArray
    best_gains: FloatArray
    total: float


def gain_curve(
    y_true: ArrayLike | RankTable,
    y_score: ArrayLike | None = None,
    *,
    gain: GainLike | None = None,
    cost: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
) -> GainCurve:
    """Return the curve of cases, or of classes; without ``gain``, of positives found.

    The best order is that by gain per cost.
    """
    worth_each = ClassGain(1.0, 0.0) if gain is None else check_gain(gain)
    cost_each = check_cost(cost)
    if isinstance(y_true, RankTable):
        table = rank_table(y_true, y_score, sample_weight, pos_label)
        if cost_each is not None or not isinstance(worth_each, ClassGain):
            raise ValueError(NO_CASES)
        of_pos, of_neg = worth_each
        gains = of_pos * table.pos + of_neg * table.neg
        ranked = GroupWorth(gains, table.pos + table.neg)
        sums = np.array([table.n_pos, table.n_neg])
        cases = GroupWorth(sums * worth_each, sums)
        total = table.total
    else:
        sample = check_ranking(
            y_true, y_score, sample_weight, pos_label, keep_order=True
        )
        worth = worth_of_sample(worth_each, cost_each, sample)
        ranked = ranked_worth(worth, sample)
        cases = weighted_worth(worth, sample.weights)
        weights = sample.weights
        total = float(len(cases.gain) if weights is None else weights.sum())
    best = _points(_best_first(cases), total)
    return GainCurve(*_points(ranked, total), *best, total)


def check_class_gain(gain: GainLike | None, cost: ArrayLike | None) -> None:
    """Raise for gains and costs of single cases, of rankings whose cases have none."""
    is_of_cases = gain is not None and not isinstance(check_gain(gain), ClassGain)
    if is_of_cases or cost is not None:
        raise ValueError(OF_CASES_IN_FOLDS)


def _points(worth: GroupWorth, total: float) -> tuple[FloatArray, FloatArray]:
    return worth.shares, np.append(0.0, np.cumsum(worth.gain)) / total


def _best_first(worth: GroupWorth) -> GroupWorth:
    """Return the worth of cases in the order of their gain per cost."""
    per_cost = np.copysign(np.inf, worth.gain)
    np.divide(worth.gain, worth.cost, out=per_cost, where=worth.cost > 0)
    order = np.argsort(-per_cost, kind="stable")
    return GroupWorth(worth.gain[order], worth.cost[order])
