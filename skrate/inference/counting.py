"""P-values that count replicates of a difference, and intervals that agree with them.

An interval of level 1 - alpha leaves 0 out where the p-value is below alpha, and
nowhere else; and it holds the difference itself.
"""

from __future__ import annotations

import numpy as np

from skrate.core.results import ConfidenceInterval, clipped_interval
from skrate.data.arrays import FloatArray
from skrate.inference.intervals import Alternative

# Differences that are equal but for rounding count as equal.
SLACK = 1e-12


def bootstrap_pvalue(
    difference: float, draws: FloatArray, alternative: Alternative
) -> float:
    """Return the p-value by the share of replicates beyond 0, as the difference is not.

    The sample is one of them: it is never 0.

    Examples
    --------
    One of 39 replicates is below 0, and so may be the next:

    >>> round(
    ...     bootstrap_pvalue(0.1, np.arange(-1, 38) + 0.5, "two-sided"),
    ...     4,
    ... )
    0.1
    """
    if abs(difference) <= SLACK:
        two_sided = 1.0
    else:
        n_beyond = np.count_nonzero(np.copysign(1, difference) * draws <= SLACK)
        two_sided = _pvalue(n_beyond, len(draws), sides=2)
    if alternative == "two-sided":
        return two_sided
    is_towards = (alternative == "greater") == (difference > 0)
    return two_sided / 2 if is_towards else 1 - two_sided / 2


def bootstrap_interval(
    difference: float, draws: FloatArray, level: float, bounds: tuple[float, float]
) -> ConfidenceInterval:
    """Return the interval between replicates, of which as many are beyond either end.

    Where these are biased it reaches to the difference.
    """
    n_outside = _most_beyond(level, len(draws), sides=2)
    low, high = bounds
    if n_outside > 0:
        ordered = np.sort(np.where(np.abs(draws) <= SLACK, 0.0, draws))
        low, high = ordered[n_outside - 1], ordered[-n_outside]
    low, high = clipped_interval(low, high, bounds)
    return ConfidenceInterval(min(low, difference), max(high, difference))


def permutation_pvalue(
    difference: float, permuted: FloatArray, alternative: Alternative
) -> float:
    """Return the share of differences as far off, the observed one among them.

    Counting it in keeps the level at any number of permutations.
    """
    if alternative == "less":
        n_beyond = np.count_nonzero(permuted <= difference + SLACK)
    elif alternative == "greater":
        n_beyond = np.count_nonzero(permuted >= difference - SLACK)
    else:
        n_beyond = np.count_nonzero(np.abs(permuted) >= abs(difference) - SLACK)
    return _pvalue(n_beyond, len(permuted))


def permutation_interval(
    difference: float, permuted: FloatArray, level: float, bounds: tuple[float, float]
) -> ConfidenceInterval:
    """Return the differences from which this one is no further than permuted ones.

    That is what the test does not reject if a true difference moves all others by as
    much.
    """
    n_outside = _most_beyond(level, len(permuted))
    reach = np.inf
    if n_outside > 0:
        reach = np.sort(np.abs(permuted))[-n_outside]
        if reach >= abs(difference) - SLACK:
            reach = max(reach, abs(difference))
    return clipped_interval(difference - reach, difference + reach, bounds)


def _pvalue(n_beyond: int | np.intp, n: int, *, sides: int = 1) -> float:
    return float(min(sides * (n_beyond + 1) / (n + 1), 1.0))


def _most_beyond(level: float, n: int, *, sides: int = 1) -> int:
    """Return how many values of ``n_beyond`` have a p-value below 1 - ``level``."""
    found = min(int((1 - level) * (n + 1) / sides) + 1, n)
    # By the p-value itself, so that rounding does not tell them apart.
    while found > 0 and not _pvalue(found - 1, n, sides=sides) < 1 - level:
        found -= 1
    return found
