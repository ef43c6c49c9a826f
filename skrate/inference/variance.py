"""The delta method: the variance of a metric from the influence of each sample.

Influence is computed from slopes: the derivatives of the metric with respect to the
fractions of positives and negatives in each group of ties, and to the prevalence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from skrate.data.arrays import Array, BoolArray, FloatArray, dot
from skrate.data.table import Merged, RankTable, merge_except_cuts
from skrate.inference.rankings import Ranked
from skrate.metrics.gain import GainTable
from skrate.metrics.hypothesis_tests import NEGLIGIBLE
from skrate.metrics.metric import Metric


class Parts(NamedTuple):
    """The parts of a variance: due to positives, to negatives and to the prevalence.

    ``by_pos`` is due to the random selection of the positives, ``by_neg`` of the
    negatives, and ``by_prevalence`` to the random number of positives. A variance
    without classes is in ``by_prevalence``.
    """

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

    def times(self, factor: float) -> Parts:
        """Return the parts of ``factor`` times the variance."""
        by_pos, by_neg, by_prevalence = self
        return Parts(factor * by_pos, factor * by_neg, factor * by_prevalence)


def is_zero_variance(variance: float) -> bool:
    """Return whether a variance is zero up to rounding."""
    return variance < NEGLIGIBLE**2


def influence_parts(values: FloatArray, samples: Ranked) -> Parts:
    """Return the parts of the variance of a metric with these influence values."""
    variance = influence_variance(values, samples)
    if samples.estimated is not None or not samples.sizes[1]:
        # The classes of samples are uncertain if labels are estimated; lists have none.
        return Parts(0.0, 0.0, variance)
    by_pos = _class_variance(values, samples, samples.is_pos)
    by_neg = _class_variance(values, samples, ~samples.is_pos)
    if samples.clusters is not None:
        # A cluster can have both classes. Therefore, divide the variance in the same
        # proportions as for independent samples.
        independent = influence_variance(values, replace(samples, clusters=None))
        by_prevalence = max(independent - by_pos - by_neg, 0.0)
        total = by_pos + by_neg + by_prevalence
        ratio = variance / total if total > 0 else 0.0
        return Parts(by_pos, by_neg, by_prevalence).times(ratio)
    # With sampling weights the parts are correlated, so the last can be negative.
    return Parts(by_pos, by_neg, variance - by_pos - by_neg)


def degrees_of_freedom(
    *sources: tuple[Parts, Ranked],
    n_means: float = 1.0,
    class_dofs: tuple[float, float] = (np.inf, np.inf),
    scale: float = 1.0,
) -> float:
    """Return the degrees of freedom of Student's t for a variance.

    ``sources`` are the parts and the samples of a variance, or of each term of a sum of
    independent variances. Brunner and Munzel (2000, equation 9, as :func:`estimate`
    cites it) combine the degrees of freedom (dof) of the parts. The dof of a part are
    the number of its samples minus ``n_means``, the number of means at which influence
    is centred. With clusters, the number of samples is the effective number of clusters
    with the class, and ``n_means`` is the number of groups of folds. If the groups are
    the units, the dof are the number of groups minus 1. ``class_dofs`` are the maximum
    dof of both classes, such as ``kurtosis_dof``. ``scale`` multiplies numbers of
    samples and maximum dof, see ``Units``.
    """
    total, squares, max_dof = 0.0, 0.0, np.inf
    for parts, samples in sources:
        n_pos, n_neg = samples.effective_sizes
        if samples.clusters is not None:
            n_means = float(samples.n_groups)
            max_dof = scale * samples.n_units - n_means
        sizes = zip((n_pos, n_neg, n_pos + n_neg), (*class_dofs, np.inf), strict=True)
        for part, (size, max_part_dof) in zip(parts, sizes, strict=True):
            dof = min(scale * size - n_means, scale * max_part_dof)
            squares += part**2 / max(dof, 1)
        total += parts.total
    # Without variance, return the minimum, 1.
    return min(max(total**2 / squares, 1.0), max_dof) if squares > 0 else 1.0


def kurtosis_dof(metric: Metric, table: RankTable) -> tuple[float, float]:
    """Return the degrees of freedom of each class by the kurtosis of its slopes.

    The variance of m values with kurtosis k has 2 m / (k - 1) degrees of freedom. This
    is m for normal values (k = 3), and less if a small number of values dominates the
    variance.
    """
    table = merge_except_cuts(table, metric.cut_rates(table), metric.groups).table
    slopes = metric.slopes(table)
    pos_dof = _weighted_kurtosis_dof(slopes.by_pos, table.pos)
    return pos_dof, _weighted_kurtosis_dof(slopes.by_neg, table.neg)


def sample_kurtosis_dof(metric: Metric, samples: Ranked) -> tuple[float, float]:
    """Return ``kurtosis_dof`` for samples that have sampling weights or gains.

    With clusters, return infinity, because ``degrees_of_freedom`` counts clusters.
    """
    if samples.clusters is not None:
        return np.inf, np.inf
    return influence_kurtosis_dof(
        influence_values(metric, samples, stratify=True), samples
    )


def influence_kurtosis_dof(
    influence: FloatArray, samples: Ranked
) -> tuple[float, float]:
    """Return the degrees of freedom of each class by the kurtosis of its influence."""
    counts = np.ones(len(influence))
    if samples.weights is not None and samples.are_repetitions:
        counts = samples.weights
    elif samples.weights is not None:
        influence = samples.weights * influence
    pos_dof, neg_dof = (
        _weighted_kurtosis_dof(influence[in_class], counts[in_class])
        for in_class in (samples.is_pos, ~samples.is_pos)
    )
    return pos_dof, neg_dof


def unit_kurtosis_dof(influence: FloatArray, samples: Ranked) -> float:
    """Return the degrees of freedom of a variance with clusters or estimated labels.

    They follow from the kurtosis of the influence of independent units, because a small
    number of units can dominate the variance.
    """
    return squares_dof(sum_units(influence, samples))


def squares_dof(sums: FloatArray) -> float:
    """Return the degrees of freedom of a mean square, by the kurtosis of ``sums``."""
    squares = sums**2
    total = np.add.reduce(squares)
    if is_zero_variance(total / len(sums) ** 2):
        return 1.0
    excess = np.add.reduce(squares**2) / total**2 - 1 / len(sums)
    # ``excess`` is (k - 1) / m for m sums with kurtosis k, so 0 for equal squares.
    dof = 2 / excess if excess > 0 else np.inf
    return float(np.clip(dof, 1.0, len(sums) - 1))


def sum_units(values: FloatArray, samples: Ranked) -> FloatArray:
    """Return the sums of values over each unit: a sample or a cluster.

    Estimated labels can have errors that are common to all samples. Each such error is
    a unit, and its value comes after the values of the samples.
    """
    if samples.clusters is None:
        return values
    n_common_errors = len(values) - len(samples.clusters)
    units = np.append(samples.clusters, samples.n_units + np.arange(n_common_errors))
    if samples.weights is not None:
        values = samples.weights * values
    return np.asarray(np.bincount(units, values), dtype=np.float64)


def scaled_units(values: FloatArray, samples: Ranked) -> FloatArray:
    """Return sums over clusters, times the square root of each cluster's factor.

    The factor corrects squares for centring. Errors of labels have the mean 0 and are
    not centred, so their factor is 1. These are the errors that are common to all
    labels and, if the metric is estimated for exactly these samples, all values.
    """
    sums = sum_units(values, samples)
    if samples.estimated is None or samples.estimated.scope == "population":
        sums[: samples.n_units] *= np.sqrt(samples.unit_factors)
    return sums


def _weighted_kurtosis_dof(values: FloatArray, weights: FloatArray) -> float:
    """Return 2 m / (k - 1) for values with kurtosis k and a total weight of m."""
    total = np.add.reduce(weights)
    squares = (values - np.add.reduce(weights * values) / total) ** 2
    variance = np.add.reduce(weights * squares) / total
    if is_zero_variance(variance):
        return float("inf")
    # The kurtosis minus 1 is the variance of the squares, if their mean is 1.
    kurtosis_sum = np.add.reduce(weights * (squares / variance - 1) ** 2)
    return float(2 * total**2 / kurtosis_sum) if kurtosis_sum > 0 else float("inf")


def table_variance(
    metric: Metric,
    table: RankTable,
    *,
    stratify: bool = False,
    sizes: tuple[float, float] | None = None,
    is_merged: bool = False,
) -> Parts:
    """Return the parts of the variance of a metric, from a table.

    ``sizes`` are the numbers of independent samples of both classes, by default the
    totals of the table. ``stratify`` says whether the design fixes them.
    """
    sizes = sizes or (table.n_pos, table.n_neg)
    if not is_merged:
        # Fewer groups, with the same values and slopes of the metric.
        table = merge_except_cuts(table, metric.cut_rates(table), metric.groups).table
    divisors = _class_divisors(metric, sizes)
    slopes = metric.slopes(table)
    by_pos = _weighted_variance(slopes.by_pos, table.pos) / divisors[0]
    by_neg = _weighted_variance(slopes.by_neg, table.neg) / divisors[1]
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
    """Return the rows of influence values of a metric with estimated labels.

    The first row is computed from the labels and, if predictions are available, the
    second row from the predictions. The variance of the metric is the larger of the
    variances by both rows.
    """
    assert ranked.estimated is not None
    as_neg, as_pos = ranked.expand_classes(
        *_class_influence(metric, ranked, stratify=False)
    )
    scale = ranked.total / ranked.table.total
    return [scale * row for row in ranked.estimated.influence_rows(as_pos, as_neg)]


def max_variance_row(rows: Sequence[FloatArray], samples: Ranked) -> FloatArray:
    """Return the row of influence values with the largest variance."""
    variances = [influence_variance(row, samples) for row in rows]
    return rows[int(np.argmax(variances))]


def influence_values(
    metric: Metric, ranked: Ranked, *, stratify: bool = False
) -> FloatArray:
    """Return the influence of each sample on the metric.

    This is the influence function: the derivative of the metric if the data change
    towards this sample only. The mean of n values is 0, and the mean of their squares,
    divided by n, is the variance. U-statistics have a factor for DeLong's variance.
    """
    if ranked.gains is not None:
        return _gain_influence(metric, ranked, stratify=stratify)
    if ranked.estimated is not None:
        return influence_rows(metric, ranked)[0]
    return ranked.expand_groups(*_class_influence(metric, ranked, stratify=stratify))


def class_influence(
    metric: Metric, ranked: Ranked, *, stratify: bool = False
) -> FloatArray:
    """Return the influence of each sample if it were negative, and if positive."""
    # Do not merge a run of negatives: positives would differ in influence within it.
    by_class = _group_influence(metric, ranked, ranked.table, stratify=stratify)
    if ranked.folds is not None:
        return ranked.expand_folds(ranked.table.rates, *by_class)
    return np.stack(by_class)[:, ranked.group]


def _class_influence(
    metric: Metric, ranked: Ranked, *, stratify: bool
) -> tuple[Merged, FloatArray, FloatArray]:
    """Return a merged table, and the influence of a negative and a positive per group.

    With estimated labels, a group can have fractions of both classes.
    """
    # Without ties, ``expand_groups`` needs groups of one class, as in "merged".
    merged = merge_except_cuts(ranked.table, metric.cut_rates(ranked.table), "merged")
    return merged, *_group_influence(metric, ranked, merged.table, stratify=stratify)


def _group_influence(
    metric: Metric, ranked: Ranked, table: RankTable, *, stratify: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the influence of a negative and a positive in each group of a table."""
    divisors = _class_divisors(metric, ranked.sizes)
    by_pos, by_neg, by_prevalence = metric.slopes(table)
    by_pos = by_pos - (table.pos * by_pos).sum() / table.n_pos
    by_neg = by_neg - (table.neg * by_neg).sum() / table.n_neg
    p, q = table.prevalence, table.negative_fraction
    by_pos /= p
    by_neg /= q
    if metric.is_two_sample:
        by_pos *= np.sqrt(ranked.sizes[0] / divisors[0])
        by_neg *= np.sqrt(ranked.sizes[1] / divisors[1])
    if not stratify:
        by_pos += q * by_prevalence
        by_neg -= p * by_prevalence
    return by_neg, by_pos


def _gain_influence(metric: Metric, ranked: Ranked, *, stratify: bool) -> FloatArray:
    """Return the influence of samples with their own gains and costs, centred at 0."""
    table, gains = ranked.table, ranked.gains
    assert isinstance(table, GainTable)
    assert gains is not None
    by_gain, by_cost = metric.gain_slopes(table)
    influence = gains.gain * by_gain.take(ranked.group)
    cost_slopes = by_cost.take(ranked.group)
    influence += cost_slopes if gains.cost is None else gains.cost * cost_slopes
    strata = (ranked.is_pos, ~ranked.is_pos) if stratify else (slice(None),)
    for stratum in strata:
        weights = None if ranked.weights is None else ranked.weights[stratum]
        influence[stratum] -= np.average(influence[stratum], weights=weights)
    return influence


def influence_variance(values: FloatArray, samples: Ranked) -> float:
    """Return the variance of a metric with these influence values."""
    weighted = values
    if samples.clusters is not None:
        weighted = values = scaled_units(values, samples)
    elif samples.weights is not None:
        weighted = square_factors(samples.weights, samples) * values
    return float((weighted * values).sum() / samples.total**2)


def covariance(influence: Sequence[FloatArray], samples: Ranked) -> FloatArray:
    """Return the covariances of m metrics, from their influence of shape (m, n)."""
    if samples.clusters is not None:
        return unit_covariance(
            [scaled_units(row, samples) for row in influence], samples
        )
    weighted, weights = influence, samples.weights
    if weights is not None:
        weighted = [square_factors(weights, samples) * row for row in influence]
    return np.asarray(_products(weighted, influence) / samples.total**2)


def unit_covariance(rows: Sequence[FloatArray], samples: Ranked) -> FloatArray:
    """Return the covariances of metrics from the ``scaled_units`` of each."""
    return np.asarray(_products(rows, rows) / samples.total**2)


def _products(first: Sequence[Array], second: Sequence[Array]) -> FloatArray:
    """Return the sums of products of each pair of rows.

    Equal rows have exactly equal sums, without differences by rounding.
    """
    products = np.empty((len(first), len(second)))
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            is_known = first is second and j < i
            products[i, j] = products[j, i] if is_known else dot(a, b)
    return products


def _class_variance(values: FloatArray, samples: Ranked, in_class: BoolArray) -> float:
    """Return the variance due to a class of samples with these influence values."""
    weights = None if samples.weights is None else samples.weights[in_class]
    centred = values[in_class] - np.average(values[in_class], weights=weights)
    squares = centred * centred
    if weights is not None:
        squares *= square_factors(weights, samples)
    return float(squares.sum() / samples.total**2)


def square_factors(weights: FloatArray, samples: Ranked) -> FloatArray:
    """Return the factors of squares: the weight w for repetitions, otherwise w^2."""
    return weights if samples.are_repetitions else weights**2


def _weighted_variance(slopes: FloatArray, weights: FloatArray) -> float:
    """Return the variance of slopes over the samples of a class, with divisor n."""
    total = weights.sum()
    squares = slopes - (weights * slopes).sum() / total
    squares *= squares
    squares *= weights
    return float(squares.sum() / total)
