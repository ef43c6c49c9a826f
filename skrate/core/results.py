"""What inference returns: frozen, with fields named as in :mod:`scipy.stats`."""

from dataclasses import dataclass
from typing import NamedTuple


class ConfidenceInterval(NamedTuple):
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Its ends.
    """

    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """A metric with its uncertainty, as :func:`skrate.estimate` returns it.

    Attributes
    ----------
    metric : str
        Name of the metric.
    value : float
        The metric on the sample.
    standard_error : float
        Estimated standard deviation of the metric over samples.
    confidence_interval : ConfidenceInterval
        Its ends are ``.low`` and ``.high``.
    n_pos, n_neg : float
        Number of positives and of negatives; repetitions count.
    method : str
        How the standard error was found.
    level : float
        Confidence level of the interval.

    See Also
    --------
    skrate.estimate : Makes it.

    Examples
    --------
    >>> from skrate import estimate
    >>> result = estimate("auc", [1, 0, 1, 0, 0], [0.9, 0.5, 0.4, 0.3, 0.1])
    >>> result.value, result.n_pos
    (0.8333333333333334, 2)
    """

    metric: str
    value: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    n_pos: float
    n_neg: float
    method: str
    level: float

    def __repr__(self) -> str:
        return (
            f"Estimate({self.metric} {self.value:.4f}, "
            f"{_interval(self.level, self.confidence_interval)}, "
            f"standard error {self.standard_error:.4g}; n_pos={self.n_pos:g}, "
            f"n_neg={self.n_neg:g}, {self.method})"
        )


def _interval(level: float, interval: ConfidenceInterval) -> str:
    return f"{100 * level:g} % interval [{interval.low:.4f}, {interval.high:.4f}]"
