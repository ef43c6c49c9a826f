"""The weak ranker that orders the weighted pairs best."""

from typing import NamedTuple

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.ensemble.columns import Column

# Rankers whose |r| differ by less count as equally good, and the first is taken:
# rounding must not decide, or the order of the rows would.
TIE = 1e-10


class WeakRanker(NamedTuple):
    """The ranker that is 1 above a threshold and 0 elsewhere."""

    column: int
    candidate: int
    missing_above: bool
    r: float


def best_ranker(columns: list[Column], signed: FloatArray) -> WeakRanker | None:
    """Return the ranker with the largest absolute r, None if there is no threshold.

    Of equally good ones the first counts: lower feature, lower threshold, missing
    values below.
    """
    reach = np.array([_largest(*column.below(signed)) for column in columns])
    if not len(reach):
        return None
    enough = reach.max() - TIE
    index = int(np.argmax(reach >= enough))
    below, missing = columns[index].below(signed)
    # All weights together are zero, so what lies above is minus what lies below.
    r_missing_below, r_missing_above = -(below + missing), -below
    is_best = np.abs(r_missing_below) >= enough
    candidate = int(np.argmax(is_best | (np.abs(r_missing_above) >= enough)))
    missing_above = not is_best[candidate]
    r = (r_missing_above if missing_above else r_missing_below)[candidate]
    return WeakRanker(index, candidate, bool(missing_above), float(r))


def _largest(below: FloatArray, missing: float) -> float:
    """Return the largest |r| of one feature, whichever side missing values take."""
    low, high = float(below.min()), float(below.max())
    return max(high, -low, high + missing, -low - missing)
