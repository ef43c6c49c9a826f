"""Distributions over the rate, the share of all cases that will be processed.

What a metric accepts as ``rate=``: "uniform", a number, a frozen ``scipy.stats``
distribution, or what the functions here return. Sets of distributions, made by
:func:`between`, are for :func:`skrate.compare`, and for scores that have ``worst=``.
"""

from skrate.core.elicitation import (
    beta,
    empirical,
    exponential,
    fixed,
    from_budget,
    from_counts,
    from_quantiles,
    interval,
    log_discount,
    mixture,
    uniform,
)
from skrate.core.extreme_laws import between
from skrate.core.rate_sets import RateSet
from skrate.core.rates import RateDistribution

__all__ = [
    "RateDistribution",
    "RateSet",
    "beta",
    "between",
    "empirical",
    "exponential",
    "fixed",
    "from_budget",
    "from_counts",
    "from_quantiles",
    "interval",
    "log_discount",
    "mixture",
    "uniform",
]
