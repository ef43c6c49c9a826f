"""Distributions of the rate, the fraction of all samples that will be processed.

Metrics accept as ``rate=``: a number in (0, 1], "uniform" (all rates from 0 to 1 are
equally likely), a frozen ``scipy.stats`` distribution, or a distribution that a
function of this module returns.
"""

from skrate.rates.distributions import RateDistribution
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
