"""Rates of all kinds, no two of them the same law, some to the last digit only."""

import numpy as np
from scipy import stats

from skrate import rates

LAWS = [
    rates.beta(3, 19),
    rates.beta(3, np.nextafter(19, 20)),
    rates.beta(19, 3),
    rates.interval(0.1, 0.2),
    rates.interval(0.1, np.nextafter(0.2, 1)),
    rates.exponential(20),
    rates.exponential(20).mirrored,
    rates.empirical([0.1, 0.2]),
    rates.empirical([0.1, 0.2, 0.2]),
    rates.log_discount(10),
    rates.log_discount(10, base=1.5),
    rates.mixture([rates.beta(3, 19), rates.fixed(0.5)]),
    rates.mixture([rates.beta(3, 19), rates.fixed(0.5)], weights=[0.4, 0.6]),
    stats.norm(0.15, 0.05),
    stats.norm(0.15, 0.05 + 1e-12),
    stats.rv_histogram(([1, 2], [0, 0.1, 0.2]))(),
    stats.rv_histogram(([2, 1], [0, 0.1, 0.2]))(),
]
