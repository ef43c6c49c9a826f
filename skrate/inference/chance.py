"""The test of a ranking under a budget against one that is random."""

from typing import NamedTuple

import numpy as np
from scipy import special

from skrate.core.arrays import FloatArray, dot
from skrate.core.metric import Metric
from skrate.core.rank_table import RankTable
from skrate.core.rates import RateDistribution
from skrate.inference.delta import variance_parts
from skrate.inference.intervals import t_pvalue
from skrate.inference.sample import Ranked
from skrate.inference.wilson import augmented
from skrate.metrics.recall_slopes import cuts_of

# Steps below are rounding.
_STEP = 1e-9
# Of less skewness a gamma distribution is a normal one.
_SYMMETRIC = 1e-3


class Moments(NamedTuple):
    """Of a sum over the positives, if every order of the labels is as likely."""

    mean: float
    variance: float
    skewness: float


def chance_pvalue(recall: Metric, law: RateDistribution, ranked: Ranked) -> float:
    """Return the probability that a random ranking finds as much.

    ``recall`` is the expected recall under the law. With clusters or sampling weights
    the labels cannot be put in another order: then it is the level at which Wilson's
    interval begins at what a random ranking finds, by Student's t.
    """
    if ranked.is_plain:
        return permuted_pvalue(ranked.table, law)
    variance = variance_parts(recall, ranked).total
    found = augmented(recall, ranked, variance)
    by_chance = law.mean()
    if not (0 < by_chance < 1 and found.variance > 0):
        # All is processed or nothing, whatever the order.
        return 1.0
    scale = by_chance * (1 - by_chance) / (found.value * (1 - found.value))
    error = np.sqrt(found.variance * scale)
    distance = recall.value(ranked.table) - by_chance
    return t_pvalue(float(distance / error), "greater", found.freedom)


def permuted_pvalue(table: RankTable, law: RateDistribution) -> float:
    """Return the same over all orders of the labels, by three moments.

    What is found on average is a sum over the positives of the probability of being
    processed. Its law is taken for a gamma distribution, moved, which is skew as it
    is; of a distribution that is skew to the left, for a normal one, whose upper tail
    is heavier. Where few budgets are possible it moves in steps, of which half counts
    (a known rate finds a whole number, but for a case that it cuts).
    """
    processed = law.table.mean(table.rates[:-1], table.rates[1:])
    mean, variance, skewness = permuted_moments(processed, table)
    if variance <= 0:
        return 1.0
    found = _least_as_good(processed, table, law)
    distance = (found - mean) / np.sqrt(variance)
    if skewness < _SYMMETRIC:
        return float(special.ndtr(-distance))
    shape = 4 / skewness**2
    return float(special.gammaincc(shape, max(shape + 2 * distance / skewness, 0.0)))


def _least_as_good(
    processed: FloatArray, table: RankTable, law: RateDistribution
) -> float:
    """Return what is found, less half a step where it moves in steps.

    A case that a cut divides, alone or in a group of few, moves it by a part of itself.
    But seldom is such a case a positive: the steps are those of the other cases, and
    only with it does what is found lie between two of them.
    """
    found = float(dot(table.pos, processed))
    edges, cuts = table.rates, cuts_of(law)
    at = np.searchsorted(edges, cuts, side="left") - 1
    part = (cuts - edges[at]) * table.total
    size = (table.pos + table.neg)[at]
    is_seldom = size <= max(1.0, 0.5 / table.prevalence)
    is_inner = (at > 0) & (at < table.n_groups - 1)
    is_divided = (part > _STEP) & (part < size - _STEP)
    at = np.unique(at[is_inner & is_seldom & is_divided])
    steps = np.abs(np.diff(np.delete(processed, at)))
    steps = steps[steps > _STEP]
    if not len(steps):
        return found
    half = float(steps.min()) / 2
    found -= float(dot(table.pos[at], processed[at] - processed[at + 1]))
    return found + half if table.pos[at].any() else found - half


def permuted_moments(processed: FloatArray, table: RankTable) -> Moments:
    """Return the moments of the sum of ``processed`` over positives drawn at random.

    They are drawn without replacement from the cases of all groups.
    """
    sizes, n, n_pos = table.pos + table.neg, table.total, table.n_pos
    mean = float(dot(sizes, processed)) / n
    centred = processed - mean
    second = float(dot(sizes * centred, centred)) / n
    third = float(dot(sizes * centred**2, centred)) / n
    variance = n_pos * (n - n_pos) / (n - 1) * second
    skewness = 0.0
    if n > 2 and variance > 0:
        of_sum = n_pos * (n - n_pos) * (n - 2 * n_pos) / ((n - 1) * (n - 2)) * third
        skewness = of_sum / variance**1.5
    return Moments(n_pos * mean, variance, skewness)
