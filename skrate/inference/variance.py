"""The delta method: variances from slopes, in one pass over the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from skrate.data.arrays import Array, BoolArray, FloatArray, dot
from skrate.data.table import Merged, MergedGroups, RankTable, merge_except_cuts
from skrate.inference.rankings import Ranked
from skrate.metrics.gain import GainTable
from skrate.metrics.hypothesis_tests import NEGLIGIBLE
from skrate.metrics.metric import Metric


class Parts(NamedTuple):
    """A variance by its sources: the two classes, and the prevalence."""

    by_pos: float
    by_neg: float
    by_prevalence: float

    @property
    def total(self) -> float:
        """The variance, at least 0, because rounding may make the sum negative."""
        return max(sum(self), 0.0)

    @property
    def standard_error(self) -> float:
        """The square root of the variance."""
        return float(np.sqrt(self.total))


def merged_for(metric: Metric, table: RankTable, groups: MergedGroups) -> Merged:
    """Return a merged table, without groups that span a rate at which slopes jump."""
    return merge_except_cuts(table, metric.cut_rates(table), groups)


def is_zero_variance(variance: float) -> bool:
    """Return whether a variance is zero up to rounding."""
    return variance < NEGLIGIBLE**2


def influence_parts(values: FloatArray, cases: Ranked) -> Parts:
    """Return the variance of a metric with these influence values, by its sources."""
    if cases.estimated is not None or not cases.sizes[1]:
        # With estimated labels, or lists, the classes are not separate sources.
        return Parts(0.0, 0.0, float(covariance([values], cases)[0, 0]))
    is_neg = ~cases.is_pos
    by_pos = _class_variance(values[cases.is_pos], cases, cases.is_pos)
    by_neg = _class_variance(values[is_neg], cases, is_neg)
    whole = float(covariance([values], cases)[0, 0])
    if cases.clusters is not None:
        # A cluster may have both classes: divide the variance between the sources in
        # the same proportions as for independent samples.
        independent = covariance([values], replace(cases, clusters=None))
        between = max(float(independent[0, 0]) - by_pos - by_neg, 0.0)
        either = by_pos + by_neg + between
        ratio = whole / either if either > 0 else 0.0
        return Parts(by_pos * ratio, by_neg * ratio, between * ratio)
    # With sampling weights the sources are correlated: the last one may be negative.
    return Parts(by_pos, by_neg, whole - by_pos - by_neg)


def degrees_of_freedom(
    *sources: tuple[Parts, Ranked],
    n_means: float = 1.0,
    class_dofs: tuple[float, float] = (np.inf, np.inf),
) -> float:
    """Return the degrees of freedom of Student's t for a variance, or for a sum.

    Each class estimates its part of the variance with its size minus 1 (Brunner and
    Munzel 2000, equation 9, as :func:`estimate` cites it), or minus ``n_means`` if it
    was centred at this number of means. With clusters, the size of a class is its
    effective number of clusters, minus 1 for each group of folds. If groups are the
    units, it is their number minus 1. A class has at most its entry of ``class_dofs``,
    such as its degrees of freedom by its kurtosis.
    """
    total, squares, most = 0.0, 0.0, np.inf
    for variance, cases in sources:
        n_pos, n_neg = cases.effective_sizes
        if cases.clusters is not None:
            n_means = float(cases.n_groups)
            most = cases.n_units - n_means
        sizes = zip((n_pos, n_neg, n_pos + n_neg), (*class_dofs, np.inf), strict=True)
        for component, (size, limit) in zip(variance, sizes, strict=True):
            squares += component**2 / max(min(size - n_means, limit), 1)
        total += variance.total
    # Without variation, return the minimum.
    return min(max(total**2 / squares, 1.0), most) if squares > 0 else 1.0


def kurtosis_dof(metric: Metric, table: RankTable) -> tuple[float, float]:
    """Return the degrees of freedom of each class by the kurtosis of its slopes.

    The variance of m values with kurtosis k has 2 m / (k - 1): m if they are normal,
    and a small number if a small number of values decides the variance.
    """
    table = merged_for(metric, table, metric.groups).table
    slopes = metric.slopes(table)
    of_pos = _weighted_kurtosis_dof(slopes.by_pos, table.pos)
    return of_pos, _weighted_kurtosis_dof(slopes.by_neg, table.neg)


def sample_kurtosis_dof(metric: Metric, cases: Ranked) -> tuple[float, float]:
    """Return ``kurtosis_dof`` for samples with sampling weights or gains."""
    if cases.clusters is not None:
        return np.inf, np.inf
    return influence_kurtosis_dof(influence_values(metric, cases, stratify=True), cases)


def influence_kurtosis_dof(adds: FloatArray, cases: Ranked) -> tuple[float, float]:
    """Return the degrees of freedom of each class by the kurtosis of its influence."""
    times = np.ones(len(adds))
    if cases.weights is not None and cases.are_repetitions:
        times = cases.weights
    elif cases.weights is not None:
        adds = cases.weights * adds
    of_pos, of_neg = (
        _weighted_kurtosis_dof(adds[chosen], times[chosen])
        for chosen in (cases.is_pos, ~cases.is_pos)
    )
    return of_pos, of_neg


def estimated_label_dof(influence: FloatArray, cases: Ranked) -> float:
    """Return the degrees of freedom of a variance by labels that are estimates.

    They follow from the kurtosis of the sums of independent units, because a small
    number of units may decide the variance.
    """
    sums = sum_units(influence, cases)
    squares = sums**2
    total = np.add.reduce(squares)
    if is_zero_variance(total / len(sums) ** 2):
        return 1.0
    dof = 2 / (np.add.reduce(squares**2) / total**2 - 1 / len(sums))
    return float(np.clip(dof, 1.0, len(sums) - 1))


def sum_units(values: FloatArray, cases: Ranked) -> FloatArray:
    """Return sums over independent units: samples or clusters, and common errors."""
    if cases.clusters is None:
        return values
    n_shared = len(values) - len(cases.clusters)
    units = np.append(cases.clusters, cases.n_units + np.arange(n_shared))
    if cases.weights is not None:
        values = cases.weights * values
    return np.asarray(np.bincount(units, values), dtype=np.float64)


def scaled_units(values: FloatArray, cases: Ranked) -> FloatArray:
    """Return sums over clusters, scaled by the roots of their factors.

    Errors that are common to labels have the factor 1. So have the errors of a batch,
    because their mean is 0.
    """
    sums = sum_units(values, cases)
    if cases.estimated is None or cases.estimated.scope == "population":
        sums[: cases.n_units] *= np.sqrt(cases.unit_factors)
    return sums


def _weighted_kurtosis_dof(values: FloatArray, weights: FloatArray) -> float:
    """Return 2 m / (k - 1) for values that are repeated by their weights."""
    total = np.add.reduce(weights)
    squares = (values - np.add.reduce(weights * values) / total) ** 2
    variance = np.add.reduce(weights * squares) / total
    if is_zero_variance(variance):
        return float("inf")
    # The kurtosis minus 1 is the variance of the squares, in units of their mean.
    excess = np.add.reduce(weights * (squares / variance - 1) ** 2)
    return float(2 * total**2 / excess) if excess > 0 else float("inf")


def table_variance(
    metric: Metric,
    table: RankTable,
    *,
    stratify: bool = False,
    sizes: tuple[float, float] | None = None,
    is_merged: bool = False,
) -> Parts:
    """Return the variance by weights per group, for ``sizes`` independent samples."""
    sizes = sizes or (table.n_pos, table.n_neg)
    if not is_merged:
        table = merged_for(metric, table, metric.groups).table
    slopes = metric.slopes(table)
    divisors = _class_divisors(metric, sizes)
    by_pos = _spread(slopes.by_pos, table.pos) / divisors[0]
    by_neg = _spread(slopes.by_neg, table.neg) / divisors[1]
    if stratify:
        return Parts(by_pos, by_neg, 0.0)
    binomial = table.prevalence * table.negative_fraction / sum(sizes)
    by_prevalence = slopes.by_prevalence**2 * binomial
    return Parts(by_pos, by_neg, float(by_prevalence))


def _class_divisors(metric: Metric, sizes: tuple[float, float]) -> tuple[float, float]:
    """Return n for a sum, n - 1 (at least n / 2) for a U-statistic such as the AUC."""
    if not metric.is_two_sample:
        return sizes
    n_pos, n_neg = sizes
    return max(n_pos - 1, n_pos / 2), max(n_neg - 1, n_neg / 2)


def influence_rows(metric: Metric, ranked: Ranked) -> list[FloatArray]:
    """Return the influence, and if predictions imply it the expected influence.

    The variance is the larger one of the variances of these rows.
    """
    assert ranked.estimated is not None
    of_neg, of_pos = ranked.expand_classes(
        *_class_influence(metric, ranked, stratify=False)
    )
    scale = ranked.total / ranked.table.total
    return [scale * row for row in ranked.estimated.influence_rows(of_pos, of_neg)]


def max_variance_row(rows: Sequence[FloatArray], cases: Ranked) -> FloatArray:
    """Return the row of influence values with the largest variance."""
    variances = [covariance([row], cases)[0, 0] for row in rows]
    return rows[int(np.argmax(variances))]


def influence_values(
    metric: Metric, ranked: Ranked, *, stratify: bool = False
) -> FloatArray:
    """Return n times the contribution of each sample's weight 1 / n to the metric.

    Their weighted mean is 0 and the mean of their squares, over n, is the variance. For
    a U-statistic they are scaled to give DeLong's variance.
    """
    if ranked.worth is not None:
        return _gain_influence(metric, ranked, stratify=stratify)
    if ranked.estimated is not None:
        return influence_rows(metric, ranked)[0]
    return ranked.expand_groups(*_class_influence(metric, ranked, stratify=stratify))


def _class_influence(
    metric: Metric, ranked: Ranked, *, stratify: bool
) -> tuple[Merged, FloatArray, FloatArray]:
    """Return a merged table, and the influence of a negative and positive per group."""
    # Not fewer groups: each sample, and folds elsewhere, are in one of these.
    smaller = merged_for(metric, ranked.table, "merged")
    table = smaller.table
    by_pos, by_neg, by_prevalence = metric.slopes(table)
    by_pos = by_pos - dot(table.pos, by_pos) / table.n_pos
    by_neg = by_neg - dot(table.neg, by_neg) / table.n_neg
    p, q = table.prevalence, table.negative_fraction
    by_pos /= p
    by_neg /= q
    if metric.is_two_sample:
        sizes = ranked.sizes
        divisors = _class_divisors(metric, sizes)
        by_pos *= np.sqrt(sizes[0] / divisors[0])
        by_neg *= np.sqrt(sizes[1] / divisors[1])
    if not stratify:
        by_pos += q * by_prevalence
        by_neg -= p * by_prevalence
    return smaller, by_neg, by_pos


def _gain_influence(metric: Metric, ranked: Ranked, *, stratify: bool) -> FloatArray:
    """Return the centred influence of samples that have gains and costs."""
    table, worth = ranked.table, ranked.worth
    assert isinstance(table, GainTable)
    assert worth is not None
    by_gain, by_cost = metric.gain_slopes(table)
    influence = worth.gain * by_gain.take(ranked.group)
    of_cost = by_cost.take(ranked.group)
    influence += of_cost if worth.cost is None else worth.cost * of_cost
    strata = (ranked.is_pos, ~ranked.is_pos) if stratify else (slice(None),)
    for chosen in strata:
        weights = None if ranked.weights is None else ranked.weights[chosen]
        influence[chosen] -= np.average(influence[chosen], weights=weights)
    return influence


def covariance(influence: Sequence[FloatArray], cases: Ranked) -> FloatArray:
    """Return the covariances of metrics from their influence values, shape (m, n)."""
    if cases.clusters is not None:
        return unit_covariance([scaled_units(row, cases) for row in influence], cases)
    weighted, weights = influence, cases.weights
    if weights is not None:
        weighted = [multiples(weights, cases) * row for row in influence]
    return np.asarray(_products(weighted, influence) / cases.total**2)


def unit_covariance(rows: Sequence[FloatArray], cases: Ranked) -> FloatArray:
    """Return the covariances of metrics from scaled sums over clusters."""
    return np.asarray(_products(rows, rows) / cases.total**2)


def _products(first: Sequence[Array], second: Sequence[Array]) -> FloatArray:
    """Return the sums of products of rows, equal for rows that are equal."""
    products = np.empty((len(first), len(second)))
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            is_known = first is second and j < i
            products[i, j] = products[j, i] if is_known else dot(a, b)
    return products


def _class_variance(values: FloatArray, cases: Ranked, chosen: BoolArray) -> float:
    """Return the variance due to the chosen samples, with these values."""
    weights = None if cases.weights is None else cases.weights[chosen]
    centred = values - np.average(values, weights=weights)
    times = 1.0 if weights is None else multiples(weights, cases)
    return float(dot(times * centred, centred) / cases.total**2)


def multiples(weights: FloatArray, cases: Ranked) -> FloatArray:
    """Return the factors of squares: w for w repetitions, else w^2 for a weight w."""
    return weights if cases.are_repetitions else weights**2


def _spread(slopes: FloatArray, weights: FloatArray) -> float:
    """Return the variance of slopes over the samples of a class."""
    total = weights.sum()
    squares = slopes - (weights * slopes).sum() / total
    squares *= squares
    squares *= weights
    return float(squares.sum() / total)
