"""What inference returns: frozen, with fields named as in :mod:`scipy.stats`."""

from dataclasses import dataclass
from itertools import combinations
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


@dataclass(frozen=True)
class Comparison:
    """A difference of two metrics with its test, as :func:`skrate.compare` returns it.

    Attributes
    ----------
    metric : str
        Name of the metric, or of both.
    values : tuple of float
        The metric of a and that of b.
    difference : float
        The first less the second.
    standard_error : float
        Estimated standard deviation of the difference over samples.
    statistic : float
        The difference over its standard error; the difference itself where the
        p-value is by permutation.
    pvalue : float
        Probability of a statistic as far off, if there were no difference.
    confidence_interval : ConfidenceInterval
        Of the difference; its ends are ``.low`` and ``.high``.
    alternative : str
        The hypothesis that a small p-value speaks for.
    method : str
        How the p-value was found.
    level : float
        Confidence level of the interval.

    See Also
    --------
    skrate.compare : Makes it.

    Examples
    --------
    >>> from skrate import compare
    >>> result = compare("auc", [1, 1, 0, 0], [4, 2, 3, 1], [4, 3, 1, 2])
    >>> result.values, result.difference
    ((0.75, 1.0), -0.25)
    """

    metric: str
    values: tuple[float, float]
    difference: float
    standard_error: float
    statistic: float
    pvalue: float
    confidence_interval: ConfidenceInterval
    alternative: str
    method: str
    level: float

    def __repr__(self) -> str:
        a, b = self.values
        return (
            f"Comparison({self.metric} {a:.4f} - {b:.4f} = {self.difference:.4f}, "
            f"{_interval(self.level, self.confidence_interval)}, "
            f"p = {self.pvalue:.3g} ({self.alternative}, {self.method}))"
        )


@dataclass(frozen=True)
class Comparisons:
    """All pairs of several models, as :func:`skrate.compare_all` returns them.

    Attributes
    ----------
    names : tuple of str
        Names of the models.
    pairs : tuple of Comparison
        One comparison per pair, (0, 1), (0, 2), ..., (1, 2), ...; their p-values are
        not adjusted.
    adjusted_pvalues : tuple of float
        The p-value of each pair, adjusted by Holm's method.

    See Also
    --------
    skrate.compare_all : Makes it.

    Examples
    --------
    >>> from skrate import compare_all
    >>> y_scores = {"A": [4, 2, 3, 1], "B": [4, 1, 3, 2], "C": [4, 1, 2, 3]}
    >>> compare_all("auc", [1, 1, 0, 0], y_scores).names
    ('A', 'B', 'C')
    """

    names: tuple[str, ...]
    pairs: tuple[Comparison, ...]
    adjusted_pvalues: tuple[float, ...]

    def __repr__(self) -> str:
        labels = [f"{a} - {b}" for a, b in combinations(self.names, 2)]
        width = max(len(label) for label in labels)
        lines = [
            f"  {label:<{width}}  {pair.difference:8.4f}  "
            f"[{pair.confidence_interval.low:8.4f}, "
            f"{pair.confidence_interval.high:8.4f}]  p = {pvalue:.3g}"
            for label, pair, pvalue in zip(
                labels, self.pairs, self.adjusted_pvalues, strict=True
            )
        ]
        first = self.pairs[0]
        head = (
            f"Comparisons({first.metric}, {100 * first.level:g} % intervals, p-values "
            "adjusted by Holm's method:"
        )
        return "\n".join([head, *lines]) + ")"
