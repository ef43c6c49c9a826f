"""A sample drawn from an urn without putting back: its tails, and what they exclude.

Throughout, an urn of N cases holds K positives, and x of n cases drawn at random are
positive. Numbers may be arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from skrate.data.arrays import BoolArray, FloatArray, IntArray

# Stirling's formula is off by a series that has its digits from here on.
_LARGE = 16
_SMALL = np.arange(_LARGE, dtype=np.float64)
with np.errstate(divide="ignore", invalid="ignore"):
    _ERRORS = special.gammaln(_SMALL + 1) - special.xlogy(_SMALL, _SMALL) + _SMALL
_ERRORS -= 0.5 * np.log(2 * np.pi * np.maximum(_SMALL, 1))
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
# Deviances of numbers that are nearer to each other are summed as a series.
_NEAR, _TERMS = 0.1, 10
# Bounds of a tail are of blocks, each of a part of its width.
_PART, _PARTS = 0.5, 8
# Terms of a tail at a time, at first, and what they may add that is not seen.
_BLOCK, _MOST_TERMS, _UNSEEN = 32, 2**14, 1e-17
# Counts beyond which floats skip some.
_MOST = 2.0**52
# The prior of the confidence sequence: most weight is on few positives.
_PRIOR = 0.1, 1.0


def chance_of_hits(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return P(X = x) of the hypergeometric law, to 12 digits or so.

    It is a product of binomial probabilities, by Loader's method, as logarithms of
    large factorials would cancel.

    Examples
    --------
    >>> float(chance_of_hits(1, 2, 2, 4).round(12)) == round(4 / 6, 12)
    True
    """
    x, n, n_pos, n_all = np.broadcast_arrays(
        *(np.asarray(value, dtype=np.float64) for value in (x, n, n_pos, n_all))
    )
    n_neg = n_all - n_pos
    is_possible = (x >= 0) & (x <= np.minimum(n, n_pos)) & (n - x <= n_neg)
    x = np.where(is_possible, x, np.maximum(n - n_neg, 0))
    share = n / np.maximum(n_all, 1)
    logs = (
        _log_binomial(x, n_pos, share)
        + _log_binomial(n - x, n_neg, share)
        - _log_binomial(n, n_all, share)
    )
    return np.where(is_possible, np.exp(np.minimum(logs, 0.0)), 0.0)


def _log_binomial(x: FloatArray, n: FloatArray, share: FloatArray) -> FloatArray:
    """Return the logarithm of the binomial probability of x out of n."""
    rest = n - x
    inner = (x > 0) & (rest > 0)
    one, other, both = (np.where(inner, value, 1.0) for value in (x, rest, n))
    logs = (
        _stirling_error(both) - _stirling_error(one) - _stirling_error(other)
        - _deviance(one, both * share) - _deviance(other, both * (1 - share))
        - 0.5 * np.log(2 * np.pi * one * (other / both))
    )  # fmt: skip
    # 0 log 0 is 0: a share of 0 draws none, of 1 all.
    edge = special.xlogy(x, share) + special.xlog1py(rest, -share)
    return np.where(inner, logs, edge)


def _stirling_error(n: FloatArray) -> FloatArray:
    """Return log n! less Stirling's formula, for whole numbers above 0."""
    inverse = 1 / np.maximum(n, 1.0)
    square = inverse * inverse
    series = np.zeros_like(inverse)
    for coefficient in reversed(_SERIES):
        series = series * square + coefficient
    small = _ERRORS[np.minimum(n, _LARGE - 1).astype(np.intp)]
    return np.where(n < _LARGE, small, series * inverse)


def _deviance(x: FloatArray, mean: FloatArray) -> FloatArray:
    """Return x log(x / mean) + mean - x, without cancellation near the mean."""
    with np.errstate(divide="ignore", invalid="ignore"):
        far = special.xlogy(x, x / mean) + mean - x
    gap = (x - mean) / (x + mean)
    power, series = gap * gap, np.zeros_like(gap)
    # (x - m) v + 2 x (v^3 / 3 + v^5 / 5 + ...) with v = (x - m) / (x + m).
    for i in range(_TERMS, 0, -1):
        series = (series + 1 / (2 * i + 1)) * power
    near = (x - mean) * gap + 2 * x * gap * series
    return np.where(np.abs(gap) < _NEAR, near, far)


def lower_tail(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return P(X <= x): the fewer hits, the smaller, and the more positives.

    Examples
    --------
    >>> lower_tail(0, 10, 1, 20).round(12).tolist()
    [0.5]
    """
    x, n, n_pos, n_all = (
        np.ravel(part).astype(np.float64)
        for part in np.broadcast_arrays(x, n, n_pos, n_all)
    )
    # More positives than the sample leaves room for are impossible.
    least = np.where(n_pos > n_all, np.inf, np.maximum(n + n_pos - n_all, 0))
    tail = np.where(x < least, 0.0, 1.0)
    some = np.flatnonzero((x >= least) & (x < np.minimum(n, n_pos)))
    x, n, n_pos, n_all = (part[some] for part in (x, n, n_pos, n_all))
    is_below, first, urn = _away_from_mean(x, n, n_pos, n_all)
    part = first * _sum_of_ratios(*urn)
    tail[some] = np.clip(np.where(is_below, part, 1 - part), 0.0, 1.0)
    return tail


def _away_from_mean(
    x: FloatArray, n: FloatArray, n_pos: FloatArray, n_all: FloatArray
) -> tuple[BoolArray, FloatArray, tuple[FloatArray, ...]]:
    """Return whether x is below the mean, the first term of a tail, and its urn.

    That tail is P(X <= x), whose terms get smaller only, or the one of the hits among
    the negatives, which is 1 - P(X <= x).
    """
    is_below = x * n_all < n * n_pos
    first = chance_of_hits(np.where(is_below, x, x + 1), n, n_pos, n_all)
    x = np.where(is_below, x, n - x - 1)
    return is_below, first, (x, n, np.where(is_below, n_pos, n_all - n_pos), n_all)


def tail_bounds(
    x: Any, n: Any, n_pos: Any, n_all: Any
) -> tuple[FloatArray, FloatArray]:
    """Return what P(X <= x) is at least, and at most.

    The terms of the tail are taken in blocks, whose ratios are between their first and
    their last.

    Examples
    --------
    >>> [float(bound[()].round(2)) for bound in tail_bounds(40, 100, 500, 1_000)]
    [0.02, 0.02]
    """
    x, n, n_pos, n_all = (np.asarray(part, float) for part in (x, n, n_pos, n_all))
    is_none, is_all = x < n - (n_all - n_pos), x >= np.minimum(n, n_pos)
    is_below, first, (x, n, n_pos, n_all) = _away_from_mean(x, n, n_pos, n_all)

    def fall(i: Any) -> tuple[FloatArray, FloatArray]:
        """Return 1 - r, and r**length - 1, of the ratio r of term i + 1 to term i."""
        j = np.maximum(x - i, 0.0)
        under = (n_pos - j + 1) * (n - j + 1)
        gap = np.minimum(((n_pos + 1) * (n + 1) - j * (n_all + 2)) / under, 1.0)
        return gap, np.expm1(length * np.log1p(-gap))

    with np.errstate(divide="ignore", invalid="ignore"):
        length = np.asarray(1.0)
        steepness = np.sqrt((n_all + 2) / ((n_pos - x + 1) * (n - x + 1)))
        length = np.ceil(_PART / (fall(0)[0] + steepness))
        low_term, high_term = first, first
        low, high = np.zeros((2, *first.shape))
        for i in range(_PARTS):
            gap, power = fall(i * length)
            high = high - high_term * power / gap
            high_term = high_term * (1 + power)
            gap, power = fall((i + 1) * length - 1)
            low = low - low_term * power / gap
            low_term = low_term * (1 + power)
        high = high + high_term / fall(_PARTS * length)[0]
    low, high = np.where(is_below, low, 1 - high), np.where(is_below, high, 1 - low)
    low, high = (np.where(is_all, 1.0, np.clip(end, 0.0, 1.0)) for end in (low, high))
    return np.where(is_none, 0.0, low), np.where(is_none, 0.0, high)


def _sum_of_ratios(
    x: FloatArray, n: FloatArray, n_pos: FloatArray, n_all: FloatArray
) -> FloatArray:
    """Return the sum of P(X = j) over P(X = x), of all j up to x."""
    total, last = np.ones_like(x), np.ones_like(x)
    waiting, first, length = np.arange(len(x)), 0, _BLOCK
    while len(waiting):
        for i in range(0, len(waiting), _MOST_TERMS // length):
            some = waiting[i : i + _MOST_TERMS // length]
            j = np.maximum(x[some, None] - np.arange(first, first + length), 0.0)
            # Of the negatives those that are not in the sample.
            rest = np.maximum(j + (n_all - n_pos - n)[some, None], 0.0)
            under = ((n_pos + 1)[some, None] - j) * ((n + 1)[some, None] - j)
            terms = np.cumprod(j * rest / under, axis=1)
            terms *= last[some, None]
            total[some] += terms.sum(axis=1)
            last[some] = terms[:, -1]
        waiting = waiting[last[waiting] > _UNSEEN * total[waiting]]
        first, length = first + length, min(2 * length, _MOST_TERMS)
    return total


def most_positives(x: Any, n: Any, n_all: Any, alpha: float) -> IntArray:
    """Return the most positives K with P(X <= x) above alpha.

    Examples
    --------
    >>> most_positives(0, 10, 20, 0.2).tolist()
    [2]
    """
    x, n, n_all = _counts(x, n, n_all)
    return _greatest(
        x, n_all - n + x, lambda n_pos: lower_tail(x, n, n_pos, n_all) > alpha
    )


def least_positives(x: Any, n: Any, n_all: Any, alpha: float) -> IntArray:
    """Return the fewest positives K with P(X >= x) above alpha."""
    x, n, n_all = _counts(x, n, n_all)
    # The negatives of the same sample are fewer than more of them would bring.
    fewest: IntArray = n_all - most_positives(n - x, n, n_all, alpha)
    return fewest


def odds_against(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return P(X = x) over what it is on average over a prior of K.

    The chance that it is ever alpha or less, while a sample grows case by case, is at
    most alpha, as its reciprocal is a martingale.

    Examples
    --------
    >>> odds_against(0, 0, 3, 10).tolist()
    1.0
    """
    a, _ = _PRIOR
    x, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    # Of a beta prior with b = 1 factorials cancel to two ratios of gamma functions.
    average = a / (special.poch(n + 1, a) * special.poch(x + a, 1 - a))
    return np.where(n > 0, chance_of_hits(x, n, n_pos, n_all) / average, 1.0)


def most_positives_ever(x: Any, n: Any, n_all: Any, alpha: float) -> IntArray:
    """Return the most positives that the odds do not exclude."""
    x, n, n_all = _counts(x, n, n_all)
    return _greatest(
        likeliest(x, n, n_all), n_all - n + x,
        lambda n_pos: odds_against(x, n, n_pos, n_all) > alpha,
    )  # fmt: skip


def least_positives_ever(x: Any, n: Any, n_all: Any, alpha: float) -> IntArray:
    """Return the fewest positives that the odds do not exclude."""
    x, n, n_all = _counts(x, n, n_all)
    most_negatives = _greatest(
        n_all - likeliest(x, n, n_all), n_all - x,
        lambda n_neg: odds_against(x, n, n_all - n_neg, n_all) > alpha,
    )  # fmt: skip
    fewest: IntArray = n_all - most_negatives
    return fewest


def odds_against_more(x: Any, n: Any, n_pos: Any, n_all: Any) -> FloatArray:
    """Return the greatest odds of K positives or more, 1 at most."""
    x, n, n_all = _counts(x, n, n_all)
    odds = np.minimum(odds_against(x, n, np.minimum(n_pos, n_all), n_all), 1.0)
    odds = np.where(n_pos > n_all, 0.0, odds)
    return np.where(n_pos <= likeliest(x, n, n_all), 1.0, odds)


def likeliest(x: IntArray, n: IntArray, n_all: IntArray) -> IntArray:
    """Return the positives under which x hits are likeliest."""
    share = x / np.maximum(n, 1)
    guess = np.floor((n_all + 1.0) * share).astype(np.int64)
    return np.clip(guess, x, n_all - n + x)


def least_total(found: IntArray, target: float) -> IntArray:
    """Return the fewest positives in all of which those found are too small a share.

    What is "too small" floats decide, so that 19 of 20 are 0.95.

    Examples
    --------
    >>> least_total(np.array([0, 19, 20]), 0.95).tolist()
    [1, 21, 22]
    """
    ratio = np.minimum(found / target, _MOST)
    total = np.floor(ratio).astype(np.int64) + 1
    # Rounding of the ratio may be off by one, either way.
    with np.errstate(divide="ignore", invalid="ignore"):
        total -= found / (total - 1) < target
    return total + ~(found / total < target)


def _counts(*values: Any) -> tuple[IntArray, ...]:
    return tuple(np.atleast_1d(np.asarray(value, dtype=np.int64)) for value in values)


def _greatest(
    low: IntArray, high: IntArray, holds: Callable[[IntArray], Any]
) -> IntArray:
    """Return the greatest numbers between two for which something holds.

    It holds for the lower, and for all below a number for which it does.
    """
    low, high = (np.array(end) for end in np.broadcast_arrays(low, high))
    while (low < high).any():
        middle = low + (high - low + 1) // 2
        does = holds(middle)
        low, high = np.where(does, middle, low), np.where(does, high, middle - 1)
    return low
