"""P-values: of a standardised difference, of replicates under a null, of many tests."""

from typing import Literal, get_args

import numpy as np
from scipy import special

from skrate.core.arrays import FloatArray
from skrate.core.results import ConfidenceInterval
from skrate.inference.intervals import NEGLIGIBLE

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)


def t_pvalue(statistic: float, alternative: Alternative, freedom: float) -> float:
    """Return the p-value of a statistic with Student's t distribution."""
    if alternative == "less":
        return float(special.stdtr(freedom, statistic))
    if alternative == "greater":
        return float(special.stdtr(freedom, -statistic))
    return float(2 * special.stdtr(freedom, -abs(statistic)))


def permutation_pvalue(
    difference: float, permuted: FloatArray, alternative: Alternative
) -> float:
    """Return the share of differences as far off, the observed one among them.

    Counting it in keeps the level at any number of permutations. Differences that are
    equal but for rounding count as equal.
    """
    slack = 1e-12
    if alternative == "less":
        n_beyond = np.count_nonzero(permuted <= difference + slack)
    elif alternative == "greater":
        n_beyond = np.count_nonzero(permuted >= difference - slack)
    else:
        n_beyond = np.count_nonzero(np.abs(permuted) >= abs(difference) - slack)
    return float((n_beyond + 1) / (len(permuted) + 1))


def standardised(difference: float, standard_error: float) -> float:
    """Return the difference in standard errors: 0 for none, nan where it is unknown."""
    if standard_error > NEGLIGIBLE:
        return difference / standard_error
    return 0.0 if abs(difference) < NEGLIGIBLE else float("nan")


def hybrid_interval(
    values: tuple[float, float],
    intervals: tuple[ConfidenceInterval, ConfidenceInterval],
) -> ConfidenceInterval:
    """Return the interval of a difference from one of each value, without correlation.

    For samples that show no variation; it is wider than with the correlation of paired
    models.

    References
    ----------
    .. [1] Zou and Donner (2008), Construction of confidence limits about effect
       measures: a general approach, :doi:`10.1002/sim.3095`.

    Examples
    --------
    >>> one = ConfidenceInterval(0.7, 1.0), ConfidenceInterval(0.6, 0.9)
    >>> low, high = hybrid_interval((1.0, 0.8), one)
    >>> round(low, 4), round(high, 4)
    (-0.1162, 0.4)
    """
    (a, b), (of_a, of_b) = values, intervals
    low = a - b - np.hypot(a - of_a.low, of_b.high - b)
    high = a - b + np.hypot(of_a.high - a, b - of_b.low)
    return ConfidenceInterval(float(low), float(high))


def holm(pvalues: FloatArray) -> FloatArray:
    """Return p-values adjusted so that the chance of any false finding is kept.

    References
    ----------
    .. [1] Holm (1979), A simple sequentially rejective multiple test procedure,
       Scandinavian Journal of Statistics 6, 65-70.
    """
    order = np.argsort(pvalues)
    factors = np.arange(len(pvalues), 0, -1)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.maximum.accumulate(pvalues[order] * factors)
    return np.minimum(adjusted, 1.0)
