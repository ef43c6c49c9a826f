"""The p-value of the positives under a budget, relative to a random ranking."""

from __future__ import annotations

import numpy as np
from scipy import special

from skrate.data.arrays import FloatArray, dot
from skrate.data.table import Merged, RankTable, build_weight_table
from skrate.inference.evaluation import Evaluation
from skrate.inference.rankings import Ranked
from skrate.inference.variance import square_factors
from skrate.metrics.hypothesis_tests import t_pvalue
from skrate.rates.distributions import RateDistribution, rate_cuts

# Smaller steps are rounding errors.
_STEP = 1e-9


def chance_pvalue(recall: Evaluation, distribution: RateDistribution) -> float:
    """Return the probability that a random ranking finds at least the observed sum.

    Sampling weights reduce the number of samples to their effective number. Clusters
    widen the p-value by their design effect. With estimated labels, the p-value is the
    level for which Wilson's interval of ``recall`` begins at the recall of a random
    ranking.
    """
    ranked = recall.samples
    if ranked.are_exchangeable:
        return permuted_pvalue(ranked.table, distribution)
    if ranked.estimated is not None:
        error = recall.parts.standard_error
        _, pvalue = recall.wilson_test(distribution.mean(), "greater", error)
        # nan if all samples are processed, or none: the order does not matter.
        return 1.0 if np.isnan(pvalue) else pvalue
    by_weight, effect = design_effects(ranked, distribution)
    # Weights were checked already: relative weights may be smaller than valid input.
    table = build_weight_table(
        ranked.table.pos / by_weight, ranked.table.neg / by_weight
    )
    pvalue = permuted_pvalue(table, distribution)
    if effect <= 1:
        return pvalue
    # The number of clusters limits the precision of the contribution of pairs.
    dof = (ranked.n_units - 1) * (effect / (effect - 1)) ** 2
    # A p-value of 0 has no finite distance.
    distance = -float(special.ndtri(max(pvalue, 1e-300)))
    return t_pvalue(distance / np.sqrt(effect), "greater", dof)


def design_effects(
    ranked: Ranked, distribution: RateDistribution
) -> tuple[float, float]:
    """Return the factors of a random variance by weights, and by clusters.

    It is the variance of the sum of weight * label * processed, about their means. In a
    random ranking label and processed are independent: means of squares, or means over
    pairs in a cluster, multiply.
    """
    table, weights = ranked.table, ranked.row_weights
    processed = distribution.table.mean(table.rates[:-1], table.rates[1:])
    groups = Merged(table.pos, table.neg, np.arange(table.n_groups))
    centred = np.array(
        [ranked.is_pos, ranked.expand_groups(groups, processed, processed)]
    )
    centred -= np.average(centred, weights=weights, axis=1)[:, None]
    rows = [np.ones(len(weights)), *centred]
    single = np.array([dot(weights * row, row) for row in rows])
    squares = np.array(
        [dot(square_factors(weights, ranked) * row, row) for row in rows]
    )
    if not single.min() > _STEP:
        return 1.0, 1.0
    by_weight = squares / single
    weighted = float(by_weight[1] * by_weight[2] / by_weight[0])
    clusters = np.arange(len(weights)) if ranked.clusters is None else ranked.clusters
    sums = [np.bincount(clusters, weights * row) for row in rows]
    pairs = np.array([dot(row, row) for row in sums]) - squares
    if not pairs[0] > _STEP * single[0]:
        return weighted, 1.0
    by_pairs = pairs / squares
    return weighted, 1 + float(by_pairs[1] * by_pairs[2] / by_pairs[0])


def permuted_pvalue(table: RankTable, distribution: RateDistribution) -> float:
    """Return the p-value of :func:`chance_pvalue` over all orders of the labels.

    The statistic is a sum over the positives of the probability of being processed. If
    a class has 15 samples or fewer, the distribution of the sum is counted. Otherwise
    its first three moments determine a shifted gamma distribution or, if it is skewed
    to the left, a normal distribution.
    """
    processed = distribution.table.mean(table.rates[:-1], table.rates[1:])
    is_whole = not (table.pos % 1).any() and not (table.neg % 1).any()
    if min(table.n_pos, table.n_neg) <= 15 and is_whole:
        return counted_pvalue(processed, table)
    mean, variance, skewness = permuted_moments(processed, table)
    if variance <= 0:
        return 1.0
    total = _correct_continuity(processed, table, distribution)
    distance = float((total - mean) / np.sqrt(variance))
    # With almost no skewness, the gamma distribution is normal.
    if skewness < 1e-3:
        return float(special.ndtr(-distance))
    shape = 4 / skewness**2
    return float(special.gammaincc(shape, max(shape + 2 * distance / skewness, 0.0)))


def counted_pvalue(processed: FloatArray, table: RankTable) -> float:
    """Return the fraction of all choices of the positives with at least this sum.

    Each value is rounded to an integer number x of steps, so sums are integers. With
    z^x for a sample, the number of choices of k of n samples with a sum of s is the
    coefficient of z^s in the k-th elementary symmetric polynomial. Newton's identities
    derive it from the sums of powers z^(j x), which are one Fourier transform at the
    j-fold frequency.
    """
    chosen, chances = table.pos, processed
    if table.n_pos > table.n_neg:
        # The sums over positives and over negatives have a fixed total.
        chosen, chances = table.neg, -processed
    k, low = round(float(chosen.sum())), float(chances.min())
    width = float(chances.max()) - low
    if width <= _STEP:
        return 1.0
    # About 2^15 different sums.
    steps = np.rint((chances - low) * (2**15 / k / width)).astype(np.intp)
    n_sums = k * int(steps.max()) + 1
    sizes = table.pos + table.neg
    transform = np.fft.fft(np.bincount(steps, sizes, minlength=n_sums)) / table.total
    frequency = np.arange(n_sums // 2 + 1)
    powers = [transform[j * frequency % n_sums] for j in range(1, k + 1)]
    # Divided by n^m, because numbers of choices may overflow.
    symmetric = [np.ones(len(frequency), dtype=np.complex128)]
    for m in range(1, k + 1):
        terms = [
            symmetric[m - j] * powers[j - 1] * (-1) ** (j - 1) / table.total ** (j - 1)
            for j in range(1, m + 1)
        ]
        symmetric.append(np.sum(terms, axis=0) / m)
    choices = np.fft.irfft(symmetric[k], n_sums)
    observed = round(float(dot(chosen, steps.astype(np.float64))))
    least = 1 / float(special.binom(table.total, k))
    # If many terms cancel, the remainder is rounding: bound it by one choice.
    fraction = float(choices[observed:].sum() / choices.sum())
    return min(max(fraction, least), 1.0)


def _correct_continuity(
    processed: FloatArray, table: RankTable, distribution: RateDistribution
) -> float:
    """Return the observed sum, minus half a step if it changes in steps.

    If a cut divides a single sample or a small group, the sum changes by a fraction of
    a sample. Such a sample is rarely a positive: the steps are due to other samples.
    """
    total = float(dot(table.pos, processed))
    edges, cuts = table.rates, rate_cuts(distribution)
    at = np.searchsorted(edges, cuts, side="left") - 1
    n_above = (cuts - edges[at]) * table.total
    size = (table.pos + table.neg)[at]
    is_seldom = size <= max(1.0, 0.5 / table.prevalence)
    is_inner = (at > 0) & (at < table.n_groups - 1)
    is_divided = (n_above > _STEP) & (n_above < size - _STEP)
    at = np.unique(at[is_inner & is_seldom & is_divided])
    steps = np.abs(np.diff(np.delete(processed, at)))
    steps = steps[steps > _STEP]
    if not len(steps):
        return total
    half = float(steps.min()) / 2
    total -= float(dot(table.pos[at], processed[at] - processed[at + 1]))
    return total + half if table.pos[at].any() else total - half


def permuted_moments(
    processed: FloatArray, table: RankTable
) -> tuple[float, float, float]:
    """Return mean, variance and skewness of the sum over random positives."""
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
    return n_pos * mean, variance, skewness
