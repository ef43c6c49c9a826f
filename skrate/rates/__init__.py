"""Distributions over the rate, the share of all cases that will be processed.

What a metric accepts as ``rate=``: "uniform", a number, a frozen ``scipy.stats``
distribution, or what the functions here return.
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
from skrate.rates.laws import RateDistribution

__all__ = [
    "RateDistribution",
    "beta",
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
