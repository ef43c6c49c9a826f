"""How much the average precision of few cases is above that of many, by jackknife."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from skrate.core.arrays import FloatArray, dot
from skrate.core.metric import Metric
from skrate.core.rank_table import RankTable


@singledispatch
def excess(metric: Metric, table: RankTable) -> float:
    """Return how much more a metric of so few cases is than of many, on average.

    nan where that is not known.
    """
    return float("nan") if metric.facts.enough_positives else 0.0


def precision_excess(table: RankTable, prevalence: float) -> float:
    """Return the bias of the average precision by the jackknife of both classes.

    With the prevalence kept, each of the m cases of a class is left out in turn: m - 1
    times what the mean of these values is above the value, summed over the classes. A
    positive at which t positives and f negatives are reached has t / (t + r f); without
    one of the positives above it, or tied with it, t - 1 takes the place of t, and so
    with the negatives, so that no case has to be left out. nan where a class has fewer
    than two cases. O(n).

    Examples
    --------
    Without either positive the mean is that of all, 5 / 6; without the first negative
    it is 1, and without the second 3 / 4:

    >>> table = RankTable([1, 0, 1, 0], [0, 1, 0, 1])
    >>> round(precision_excess(table, 0.5), 6), round(1 / 24, 6)
    (0.041667, 0.041667)
    """
    n_pos, n_neg = table.n_pos, table.n_neg
    if min(n_pos, n_neg) < 2:
        return float("nan")
    groups = table.pos > 0
    pos = table.pos[groups]
    found, lost = table.cum_pos[1:][groups], table.cum_neg[1:][groups]
    # What a negative weighs in units of what a positive does.
    ratio = (1 - prevalence) / prevalence * n_pos / n_neg
    rest_pos, rest_neg = n_pos - 1, n_neg - 1

    def mean(
        found: FloatArray, lost: FloatArray, ratio: float, of: FloatArray
    ) -> float:
        with np.errstate(invalid="ignore"):
            precision = np.where(found > 0, found / (found + ratio * lost), 0.0)
        return float(dot(pos * of, precision)) / n_pos

    value = mean(found, lost, ratio, np.ones_like(pos))
    by_pos = ratio * rest_pos / n_pos
    without_pos = mean(found, lost, by_pos, (n_pos - found) / rest_pos)
    without_pos += mean(found - 1, lost, by_pos, (found - 1) / rest_pos)
    by_neg = ratio * n_neg / rest_neg
    without_neg = mean(found, lost, by_neg, (n_neg - lost) / n_neg)
    without_neg += mean(found, np.maximum(lost - 1, 0), by_neg, lost / n_neg)
    return rest_pos * (without_pos - value) + rest_neg * (without_neg - value)
