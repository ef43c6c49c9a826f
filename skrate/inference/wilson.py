"""Wilson's interval for any metric, by a table to which a tenth of a case is added."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skrate.core.results import ConfidenceInterval, t_quantile, wilson_ends
from skrate.data.arrays import FloatArray
from skrate.data.table import RankTable, merged_but_at, table_of_weights, with_ends
from skrate.inference.delta import (
    Parts,
    degrees_of_freedom,
    freedoms_by_kurtosis,
    freedoms_of_cases,
    is_rounding,
    table_variance,
)
from skrate.inference.sample import Ranked
from skrate.metrics.base import Metric
from skrate.metrics.recall import cuts_of

# Cases of each class that are added, half of them at either end of the ranking.
ADDED = 0.1
_ROUNDING = 1e-9
# How far above a perfect ranking, or the value, is what an approximation may reach.
_ROOM = 1.25
# Of less room than this between bounds, a square has lost its digits.
_LEAST_ROOM = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)


class Augmented(NamedTuple):
    """A metric on a table where some misranking is always seen.

    ``parts`` is its variance as of independent cases, as many as those of the sample
    are worth; the variance of the design is ``effect`` times as great. ``freedoms`` are
    the most degrees of freedom that each class has.
    """

    value: float
    parts: Parts
    bounds: tuple[float, float]
    effect: float
    freedom: float
    freedoms: tuple[float, float] = (np.inf, np.inf)

    @property
    def variance(self) -> float:
        """The variance under the design of the sample."""
        return self.parts.total * self.effect


def augmented(
    metric: Metric,
    ranked: Ranked,
    variance: float | None = None,
    *,
    stratify: bool = False,
    independent: float | None = None,
    added: float = ADDED,
) -> Augmented:
    """Return a metric on the augmented table of a sample.

    Parameters
    ----------
    metric : Metric
        The metric, which is defined on the sample.
    ranked : Ranked
        The sample.
    variance : float, default=None
        What the sample shows by the design that is meant: clusters, weights, or a
        bootstrap. None for independent cases, whose variance also stands for one that
        is rounding.
    stratify : bool, default=False
        Whether class sizes are fixed.
    independent : float, default=None
        What the sample shows if its cases are independent, if that is known already.
    added : float, default=0.1
        Cases of each class that are added; a part of them to each of several folds.

    Examples
    --------
    A positive above a negative, which has shown no variation:

    >>> from skrate.metrics.base import find_metric
    >>> cases = Ranked(np.array([True, False]), np.array([2.0, 1.0]))
    >>> found = augmented(find_metric("roc_auc"), cases)
    >>> round(found.value, 4), found.variance > 0
    (0.9132, True)
    """
    sizes = ranked.effective_sizes
    more = (sizes[0] + added, sizes[1] + added)
    table = augmented_table(ranked, cuts_of(metric.law), added)
    parts = table_variance(metric, table, stratify=stratify, sizes=more)
    value = metric.value(table)
    effect = 1.0
    if variance is not None and not is_rounding(variance):
        if independent is None:
            independent = table_variance(
                metric, ranked.table, stratify=stratify, sizes=sizes
            ).total
        # Without variation there is nothing to compare.
        if np.isnan(variance) or not is_rounding(independent):
            effect = variance / (independent or 1.0)
    freedoms = _freedoms(metric, ranked, table)
    freedom = degrees_of_freedom((parts, ranked), freedoms=freedoms)
    bounds = with_room(metric, range_of(metric, table, stratify=stratify), value)
    return Augmented(value, parts, bounds, effect, freedom, freedoms)


def _freedoms(
    metric: Metric, ranked: Ranked, augmented: RankTable
) -> tuple[float, float]:
    """Return the most degrees of freedom that each class has.

    A sample of few misrankings seldom shows how heavy their tail is, and the augmented
    one has the heaviest: the mean of both.
    """
    is_weighted = ranked.weights is not None and not ranked.are_repetitions
    if ranked.clusters is None and is_weighted:
        return freedoms_of_cases(metric, ranked)
    if not metric.facts.rests_on_few:
        return np.inf, np.inf
    tables = ranked.table, augmented
    both = [freedoms_by_kurtosis(metric, table) for table in tables]
    of_pos, of_neg = np.add.reduce(both) / 2
    return float(of_pos), float(of_neg)


def range_of(
    metric: Metric, table: RankTable, *, stratify: bool
) -> tuple[float, float]:
    """Return the range of a metric: of all there are, or of rankings of these cases.

    Where class sizes are fixed, a perfect ranking may be all that a rate can find: what
    is left above it, no sample reaches.
    """
    low, high = metric.bounds(table)
    if not stratify or not np.isfinite([low, high]).all():
        return low, high
    first, last = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    worst, best = (
        metric.value(table_of_weights(table.n_pos * pos, table.n_neg * pos[::-1]))
        for pos in (last, first)
    )
    if np.isnan(worst):
        # Momentum and stamina are of rankings that are better than random.
        worst = low
    # Most metrics reach their bound by a perfect ranking, whatever the class sizes.
    is_reached = not best < high - _ROUNDING
    return (low, high) if is_reached or best - worst < _ROUNDING else (worst, best)


def augmented_table(
    ranked: Ranked, cuts: FloatArray, added: float = ADDED
) -> RankTable:
    """Return the table with a group at each end that holds half of what is added.

    A case weighs what an independent case of its class does. Groups are merged but at
    the ``cuts``, since there they count one by one.

    Examples
    --------
    >>> cases = Ranked(np.array([True, False]), np.array([2.0, 1.0]))
    >>> table = augmented_table(cases, np.empty(0))
    >>> table.pos.tolist(), table.neg.tolist()
    ([0.05, 1.0, 0.0, 0.05], [0.05, 0.0, 1.0, 0.05])
    """
    table = ranked.table
    n_pos, n_neg = ranked.effective_sizes
    pos, neg = added / 2 * table.n_pos / n_pos, added / 2 * table.n_neg / n_neg
    # Where a rate of the augmented table cuts this one.
    of_this = (cuts * (table.total + 2 * (pos + neg)) - (pos + neg)) / table.total
    merged = merged_but_at(table, of_this[(of_this > 0) & (of_this < 1)])
    return with_ends(merged.table, pos, neg)


def with_room(
    metric: Metric, bounds: tuple[float, float], value: float
) -> tuple[float, float]:
    """Return a range with a greatest value, where an approximation has none."""
    perfect = metric.facts.value_of_perfect
    return bounds if perfect is None else (bounds[0], _ROOM * max(perfect, value))


def wilson_interval(
    value: float, bounds: tuple[float, float], level: float, found: Augmented
) -> ConfidenceInterval:
    """Return all x that are not too far from the value, if x were true.

    If x is true, the variance is taken for x (1 - x) times a constant, which the
    augmented table says; x and the value are shares of the way between the bounds.
    """
    bottom, top = found.bounds
    up, down = found.value - bottom, top - found.value
    if np.isnan(up * found.variance):
        return ConfidenceInterval(float("nan"), float("nan"))
    k = np.inf
    # Of bounds that are too close together, no variance is known: nothing is left out.
    if up > 0 and down > 0 and up * down > _LEAST_ROOM:
        k = t_quantile(level, found.freedom) ** 2 * found.variance / (up * down)
    ends = wilson_ends(value, bounds, k)
    return ConfidenceInterval(float(ends[0]), float(ends[1]))
