"""Distributions over the rate, the share of all cases that will be processed.

What a metric accepts as ``rate=``: "uniform", a number, a frozen ``scipy.stats``
distribution, or what the functions here return. Sets of distributions, made by
:func:`between`, are for :func:`skrate.compare`, and for scores that have ``worst=``.
"""

from skrate.rates.elicit import (
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
from skrate.rates.extremes import between
from skrate.rates.laws import RateDistribution
from skrate.rates.sets import RateSet

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
