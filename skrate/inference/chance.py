"""The test of a ranking under a budget against one that is random."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from skrate.data.arrays import FloatArray, dot
from skrate.data.table import RankTable
from skrate.inference.measured import of_ranking
from skrate.inference.sample import Ranked
from skrate.metrics.base import Metric
from skrate.metrics.recall import cuts_of
from skrate.rates.laws import RateDistribution

# With so few cases of a class what a random order finds is counted.
_FEW = 15
# Sums of so many steps are told apart.
_SUMS = 2**15
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
    if ranked.are_exchangeable:
        return permuted_pvalue(ranked.table, law)
    model = of_ranking(recall, ranked, recall.value(ranked.table), 0.95)
    found = model.pvalue(law.mean(), "greater", model.parts.standard_error)
    # nan where all is processed or nothing, whatever the order.
    return 1.0 if np.isnan(found) else found


def permuted_pvalue(table: RankTable, law: RateDistribution) -> float:
    """Return the same over all orders of the labels.

    What is found on average is a sum over the positives of the probability of being
    processed. With few cases of a class its law is counted. Else, by three moments, it
    is taken for a gamma distribution, moved, which is skew as it is; if it is skew to
    the left, for a normal one, whose upper tail is heavier. Where few budgets are
    possible it moves in steps, of which half counts (a known rate finds a whole number,
    but for a case that it cuts).
    """
    processed = law.table.mean(table.rates[:-1], table.rates[1:])
    is_whole = not (table.pos % 1).any() and not (table.neg % 1).any()
    if min(table.n_pos, table.n_neg) <= _FEW and is_whole:
        return counted_pvalue(processed, table)
    mean, variance, skewness = permuted_moments(processed, table)
    if variance <= 0:
        return 1.0
    found = _least_as_good(processed, table, law)
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
    """Return the moments of the sum of ``processed`` over positives.

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
