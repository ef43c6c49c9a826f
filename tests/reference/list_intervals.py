"""Wilson's interval of a mean over lists, to which parts of lists are added."""

import math
from collections import Counter

from scipy import stats


def wilson_moments(value, variance, n_lists, added=(0.05, 0.05), top=1.0):
    """Return the mean and its variance with lists added at 0 and at the top."""
    at_0, at_top = added
    size = n_lists + at_0 + at_top
    mean = (n_lists * value + at_top * top) / size
    squares = at_0 * mean**2 + at_top * (top - mean) ** 2
    squares += n_lists * (value - mean) ** 2
    return mean, (n_lists**2 * variance + squares) / size**2


def wilson_end(value, variance, n_lists, t, sign, *added):
    """Return the x at t standard errors from the value, if x were true."""
    mean, variance = wilson_moments(value, variance, n_lists, *added)
    k = t**2 * variance / (mean * (1 - mean))
    half = math.sqrt(k * value * (1 - value) + k**2 / 4)
    return (value + k / 2 + sign * half) / (1 + k)


def wilson_interval(value, variance, n_lists, t, below=(), above=()):
    """Return both ends; ``below`` and ``above`` are the added lists of each."""
    low = wilson_end(value, variance, n_lists, t, -1, *below)
    return low, wilson_end(value, variance, n_lists, t, 1, *above)


def wilson_statistic(value, variance, n_lists, x, *added):
    """Return how many standard errors the value is from x, if x were true."""
    mean, variance = wilson_moments(value, variance, n_lists, *added)
    return (value - x) / math.sqrt(variance * x * (1 - x) / (mean * (1 - mean)))


def count_added(values, value, variance, n_lists, *, upper=False, pooled=False):
    """Return the lists added at 0 and at the top, by the values of the lists."""
    ratio = n_lists * variance / (value * (1 - value))
    if ratio >= 1:
        return 0.05, 0.05
    few = max(0, 1 - count_different(values)[1] / min(10, len(values) / 2))
    fraction, extra = max(math.sqrt(ratio), few), 0
    if not pooled:
        distance = value - min(values) if upper else max(values) - value
        close = 2.5 - distance / math.sqrt(n_lists * variance)
        close = min(max(close, 0), 1)
        fraction = max(close + (1 - close) * math.sqrt(ratio), few)
        if upper:
            position = (value - min(values)) / (1 - min(values))
            extra = close * max(1 - 2 * position, 0) * (1 - ratio)
            extra *= math.sqrt(n_lists) / 5
    return 0.05 * fraction, 0.05 * fraction + extra


def count_different(values):
    """Return the most frequent value, and the number of lists with another."""
    frequent, count = Counter(round(value, 9) for value in values).most_common(1)[0]
    return frequent, len(values) - count


def rare_end(values, value, tail):
    """Return the value with the exact lower limit of the lists that differ."""
    frequent, n = count_different(values)
    return frequent - (frequent - value) * stats.gamma.ppf(tail, n) / n
