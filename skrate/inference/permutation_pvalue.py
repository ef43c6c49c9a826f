"""The probability that a random ranking finds as many positives under a budget."""

from __future__ import annotations

import numpy as np
from scipy import special

from skrate.data.arrays import FloatArray, dot
from skrate.data.table import Merged, RankTable, build_weight_table
from skrate.inference.evaluation import Evaluation, OnRanking
from skrate.inference.rankings import Ranked
from skrate.inference.units import Units
from skrate.inference.variance import multiples
from skrate.metrics.hypothesis_tests import t_pvalue
from skrate.metrics.metric import Metric
from skrate.rates.laws import RateDistribution, rate_cuts

# With so few cases of a class what a random order finds is counted.
_FEW = 15
# Sums of so many steps are told apart.
_SUMS = 2**15
# Steps below are rounding.
_STEP = 1e-9
# The least p-value that is widened.
_TINY = 1e-300
# Of less skewness a gamma distribution is a normal one.
_SYMMETRIC = 1e-3


def chance_pvalue(recall: Metric, law: RateDistribution, ranked: Ranked) -> float:
    """Return the probability that a random ranking finds at least as much.

    Sampling weights count as the cases that they are worth, and clusters widen the
    p-value by their design effect. By estimated labels it is the level at which
    Wilson's interval of ``recall`` begins at what a random ranking finds.
    """
    if ranked.are_exchangeable:
        return permuted_pvalue(ranked.table, law)
    if ranked.estimated is not None:
        single = OnRanking(recall, ranked, recall.value(ranked.table))
        model = Evaluation(recall, [single], Units.make_ranking_units(ranked, 0.95))
        _, found = model.wilson_test(law.mean(), "greater", model.parts.standard_error)
        # nan where all is processed or nothing, whatever the order.
        return 1.0 if np.isnan(found) else found
    by_weight, effect = design_effects(ranked, law)
    # Of weights that are checked: relative ones may be smaller than a user's.
    table = build_weight_table(
        ranked.table.pos / by_weight, ranked.table.neg / by_weight
    )
    found = permuted_pvalue(table, law)
    if effect <= 1:
        return found
    # What pairs of cases add is known as the number of clusters allows.
    freedom = (ranked.n_units - 1) * (effect / (effect - 1)) ** 2
    distance = -float(special.ndtri(max(found, _TINY)))
    return t_pvalue(distance / np.sqrt(effect), "greater", freedom)


def design_effects(ranked: Ranked, law: RateDistribution) -> tuple[float, float]:
    """Return how many times as great weights, and clusters, make a random variance.

    It is of the sum of weight * label * processed, about their means. By chance they
    are independent: means of squares, or over pairs of a cluster, multiply.
    """
    table, weights = ranked.table, ranked.row_weights
    processed = law.table.mean(table.rates[:-1], table.rates[1:])
    each = Merged(table.pos, table.neg, np.arange(table.n_groups))
    values = np.array([ranked.is_pos, ranked.of_cases(each, processed, processed)])
    values -= np.average(values, weights=weights, axis=1)[:, None]
    rows = [np.ones(len(weights)), *values]
    alone = np.array([dot(weights * row, row) for row in rows])
    squares = np.array([dot(multiples(weights, ranked) * row, row) for row in rows])
    if not alone.min() > _STEP:
        return 1.0, 1.0
    by_weight = squares / alone
    weighted = float(by_weight[1] * by_weight[2] / by_weight[0])
    clusters = np.arange(len(weights)) if ranked.clusters is None else ranked.clusters
    sums = [np.bincount(clusters, weights * row) for row in rows]
    pairs = np.array([dot(row, row) for row in sums]) - squares
    if not pairs[0] > _STEP * alone[0]:
        return weighted, 1.0
    like = pairs / squares
    return weighted, 1 + float(like[1] * like[2] / like[0])


def permuted_pvalue(table: RankTable, law: RateDistribution) -> float:
    """Return the p-value of :func:`chance_pvalue` over all orders of the labels.

    What is found is a sum over the positives of the probability of being processed.
    With few cases of a class its distribution is counted. Else, by three moments, it is
    taken for a gamma distribution, moved, or, if it is skew to the left, for a normal
    one.
    """
    processed = law.table.mean(table.rates[:-1], table.rates[1:])
    is_whole = not (table.pos % 1).any() and not (table.neg % 1).any()
    if min(table.n_pos, table.n_neg) <= _FEW and is_whole:
        return counted_pvalue(processed, table)
    mean, variance, skewness = permuted_moments(processed, table)
    if variance <= 0:
        return 1.0
    found = _correct_continuity(processed, table, law)
    distance = float((found - mean) / np.sqrt(variance))
    if skewness < _SYMMETRIC:
        return float(special.ndtr(-distance))
    shape = 4 / skewness**2
    return float(special.gammaincc(shape, max(shape + 2 * distance / skewness, 0.0)))


def counted_pvalue(processed: FloatArray, table: RankTable) -> float:
    """Return the share of all choices of the positives with as great a sum.

    Each value is rounded to a step x, so that sums are whole numbers. With z^x for a
    case, the choices of k of n cases with a sum of s are the coefficient of z^s in the
    k-th elementary symmetric polynomial. By Newton's identities it comes of the sums of
    powers z^(j x), which are one Fourier transform at the j-fold frequency.
    """
    chosen, values = table.pos, processed
    if table.n_pos > table.n_neg:
        # What positives find is what negatives leave.
        chosen, values = table.neg, -processed
    k, low = round(float(chosen.sum())), float(values.min())
    width = float(values.max()) - low
    if width <= _STEP:
        return 1.0
    steps = np.rint((values - low) * (_SUMS / k / width)).astype(np.intp)
    n_sums = k * int(steps.max()) + 1
    sizes = table.pos + table.neg
    transform = np.fft.fft(np.bincount(steps, sizes, minlength=n_sums)) / table.total
    frequency = np.arange(n_sums // 2 + 1)
    powers = [transform[j * frequency % n_sums] for j in range(1, k + 1)]
    # Divided by n^m, as numbers of choices may be too great.
    symmetric = [np.ones(len(frequency), dtype=np.complex128)]
    for m in range(1, k + 1):
        terms = [
            symmetric[m - j] * powers[j - 1] * (-1) ** (j - 1) / table.total ** (j - 1)
            for j in range(1, m + 1)
        ]
        symmetric.append(np.sum(terms, axis=0) / m)
    choices = np.fft.irfft(symmetric[k], n_sums)
    found = round(float(dot(chosen, steps.astype(np.float64))))
    least = 1 / float(special.binom(table.total, k))
    # What is left of many terms that cancel is rounding.
    share = float(choices[found:].sum() / choices.sum())
    return min(max(share, least), 1.0)


def _correct_continuity(
    processed: FloatArray, table: RankTable, law: RateDistribution
) -> float:
    """Return what is found, less half a step where it moves in steps.

    A case that a cut divides, alone or in a group of few, moves it by a part of itself,
    but seldom is it a positive: the steps are those of the other cases.
    """
    found = float(dot(table.pos, processed))
    edges, cuts = table.rates, rate_cuts(law)
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
