"""The law of Mann and Whitney's U with ties, if every order of the labels is as likely.

The AUC is U as a share of all pairs of a positive and a negative.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from skrate.data.arrays import FloatArray, IntArray
from skrate.data.table import RankTable
from skrate.inference.chance import permuted_moments
from skrate.inference.delta import NEGLIGIBLE

# Terms that are counted for one law at most; a ranking with more groups than the square
# root of them has more.
MOST_TERMS = 2**17
# By how much of itself a normal p-value may be off.
_MOST_OFF = 0.1
# The p-value is asked to be right at this many standard deviations at least.
_LEAST_DISTANCE = 2.0


def law_of_auc(table: RankTable) -> tuple[FloatArray, FloatArray] | None:
    """Return the values of the AUC and their probabilities; None if that costs much.

    From group to group the numbers of cases of the rarer class, and the sums of their
    ranks, have probabilities: by the hypergeometric law of how many of those that are
    left tie here. What is left is in the largest group. All terms are positive, so the
    least probabilities are as exact as the greatest.

    Examples
    --------
    One positive among three, of which two tie first:

    >>> values, weights = law_of_auc(RankTable([1, 0], [1, 1]))
    >>> values.tolist(), weights.round(12).tolist()
    ([0.75, 0.0], [0.666666666667, 0.333333333333])
    """
    if table.n_groups**2 > MOST_TERMS:
        return None
    sizes, middles = _sizes_and_middles(table)
    n, n_few = int(sizes.sum()), round(min(table.n_pos, table.n_neg))
    last = int(sizes.argmax())
    steps = middles - middles[last]
    unit = max(int(np.gcd.reduce(steps)), 1)
    others = np.delete(np.arange(len(sizes)), last)
    sizes, steps = sizes[others], steps[others] // unit
    if _n_terms(sizes, steps, n_few) > MOST_TERMS:
        return None
    found, sums = np.zeros(1, np.intp), np.zeros(1, np.intp)
    shares: FloatArray = np.ones(1)
    left = n
    for size, step in zip(sizes.tolist(), steps.tolist(), strict=True):
        here = np.arange(min(size, n_few) + 1)
        rest = (n_few - found)[:, None]
        is_possible = (here <= rest) & (rest - here <= left - size)
        chance = np.exp(
            _log_choices(size, here)
            + _log_choices(left - size, np.where(is_possible, rest - here, 0))
            - _log_choices(left, rest)
        )
        keys = (sums[:, None] + here * step) * (n_few + 1) + found[:, None] + here
        different, places = np.unique(keys[is_possible], return_inverse=True)
        terms = (shares[:, None] * chance)[is_possible]
        shares = np.bincount(places, terms).astype(np.float64)
        sums, found = np.divmod(different, n_few + 1)
        left -= size
    # In units of half a pair, of what lies above the cases of the rarer class.
    above = sums * unit + n_few * int(middles[last]) - n_few**2
    values = above / (2 * n_few * (n - n_few))
    return (1 - values if n_few == table.n_pos else values), shares


def distance_of_auc(table: RankTable, value: float) -> float:
    """Return how many standard deviations a value is off, 0 if all cases tie."""
    deviation = _deviation(table)
    return (value - 0.5) / deviation if deviation > 0 else 0.0


def is_normal(table: RankTable, distance: float) -> bool:
    """Say whether the law of the AUC is normal as far as a distance from its mean.

    Without ties it is, with lighter tails. With ties it may be skew, have heavy tails
    or steps. The first terms of Edgeworth's series say what share of the tail that is.
    """
    deviation = _deviation(table)
    if table.labels is not None or deviation <= 0:
        return True
    sizes, middles = _sizes_and_middles(table)
    n, share = table.total, table.prevalence
    moments = permuted_moments(middles.astype(np.float64), table)
    # Of the ranks, and of the mean of those that are drawn without replacement.
    centred = middles - float(sizes.sum())
    second = float((sizes * centred**2).sum()) / n
    fourth = float((sizes * centred**4).sum()) / n / second**2
    product = share * table.negative_share
    excess = ((1 - 6 * product) * fourth - 3 * (1 - 4 * product)) / (n * product)
    largest = np.argsort(sizes)[-2:]
    # Two groups with most of the cases have steps though others lie between.
    is_most = sizes[largest].sum() > n / 2
    unit = np.diff(middles[largest])[0] if is_most else np.gcd.reduce(np.diff(middles))
    step = abs(float(unit)) / np.sqrt(moments.variance)
    far = max(abs(distance), _LEAST_DISTANCE)
    off = abs(moments.skewness) * far**3 / 6 + max(excess, 0.0) * far**4 / 24
    return bool(off + step * far / 2 <= _MOST_OFF)


def _sizes_and_middles(table: RankTable) -> tuple[IntArray, IntArray]:
    """Return the numbers of cases that tie, and twice the middles of their places."""
    sizes = np.rint(table.pos + table.neg).astype(np.intp)
    return sizes, 2 * sizes.cumsum() - sizes


def _n_terms(sizes: IntArray, steps: IntArray, n_few: int) -> float:
    """Return the most terms that there may be: of all numbers, or of all their sums."""
    if not len(sizes):
        return 0.0
    most = np.minimum(sizes, n_few)
    numbers = np.log1p(most).cumsum()
    so_far = np.minimum(sizes.cumsum(), n_few).astype(np.float64)
    span = np.maximum.accumulate(np.maximum(steps, 0)) - np.minimum.accumulate(
        np.minimum(steps, 0)
    )
    sums = np.log1p(so_far) + np.log1p(so_far * span)
    states = np.concatenate([[1.0], np.exp(np.minimum(numbers, sums)[:-1])])
    return float((states * (most + 1)).sum())


def _log_choices(n: int, k: IntArray) -> FloatArray:
    of_all = special.gammaln(n + 1)
    return np.asarray(of_all - special.gammaln(k + 1) - special.gammaln(n - k + 1))


def _deviation(table: RankTable) -> float:
    """Return the standard deviation of the AUC by chance, ties allowed for."""
    n, n_pairs = table.total, table.n_pos * table.n_neg
    tied = 0.0
    if table.labels is None:
        sizes = table.pos + table.neg
        tied = float(((sizes**3 - sizes) / (n * (n - 1))).sum())
    deviation = float(np.sqrt(max(n + 1 - tied, 0.0) / (12 * n_pairs)))
    return deviation if deviation > NEGLIGIBLE else 0.0
