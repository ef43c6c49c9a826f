"""The expected gain of a ranking of cases that are worth something each."""

from __future__ import annotations

import numpy as np

from skrate.core.arrays import FloatArray, dot
from skrate.core.ranking import ranking
from skrate.core.rates import RateDistribution
from skrate.core.sample import Sample
from skrate.core.worth import GroupWorth
from skrate.metrics.expected_recall import sum_over_places
from skrate.metrics.recall_test import ROUNDING

# Groups at a time, which stay in the cache.
_GROUPS = 8_192


def gain_of_places(gain: FloatArray, sample: Sample, rate: RateDistribution) -> float:
    """Return the expected gain of cases that all take the same of the budget."""
    assert sample.scores is not None
    order, begins = ranking(sample.scores)
    gain = gain[order]
    if not begins.all():
        starts = np.flatnonzero(begins)
        sizes = np.diff(starts, append=len(gain))
        gain = np.repeat(np.add.reduceat(gain, starts) / sizes, sizes)
    return sum_over_places(gain, rate)


def gain_of_groups(worth: GroupWorth, rate: RateDistribution) -> float:
    """Return the sum of gains times the mean survival over the cost of each group."""
    if not worth.cost.any():
        # As of a resample of cases that are free.
        return float("nan")
    edges, found = worth.shares, 0.0
    for sign in (1.0, -1.0):
        groups = np.flatnonzero(sign * worth.gain > 0)
        for first in range(0, len(groups), _GROUPS):
            part = groups[first : first + _GROUPS]
            gains = sign * worth.gain[part]
            low, high = edges[part], edges[part + 1]
            found += sign * rate.table.sum_of_means(low, high, gains)
    return found + float(dot(worth.gain, just_reached(worth, rate)))


def just_reached(worth: GroupWorth, rate: RateDistribution) -> FloatArray:
    """Return the probability that a budget ends just where a free group begins.

    What costs nothing is processed as soon as all above it is: with P(R >= u), of which
    the survival function has P(R > u).
    """
    found = np.zeros(len(worth.cost))
    points, masses = rate.point_masses()
    # At 1 the survival function has it, too.
    points, masses = points[points < 1], masses[points < 1]
    is_free = worth.cost == 0
    if len(points) and is_free.any():
        shares, below = worth.shares[:-1][is_free], np.append(0.0, np.cumsum(masses))
        start = np.searchsorted(points, shares * (1 - ROUNDING), side="left")
        end = np.searchsorted(points, shares, side="right")
        found[is_free] = below[end] - below[start]
    return found
