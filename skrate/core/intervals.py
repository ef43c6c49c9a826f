"""The interval that results carry."""

from typing import NamedTuple


class ConfidenceInterval(NamedTuple):
    """Bounds of a confidence interval, as in the results of scipy.stats."""

    low: float
    high: float
