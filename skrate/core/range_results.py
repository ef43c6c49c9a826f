"""What is said of a difference over a set of distributions of the rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from skrate.core.question import question_text
from skrate.core.rate_sets import RateSet
from skrate.core.rates import Empirical, Mixture
from skrate.core.results import Comparison, ConfidenceInterval, interval_text


class Range(NamedTuple):
    """The least and the greatest value over a set of distributions.

    Attributes
    ----------
    low, high : float
        Its ends.
    """

    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class ComparisonRange(Comparison):
    """A difference over a set of distributions of the rate, with its test.

    It is the comparison under that distribution of the set which says least, with the
    range over all of them.

    Attributes
    ----------
    metric : str
        Name of the metric.
    value, value_a, value_b : float
        The difference, a less b, and the metric of each, under ``law``.
    standard_error : float
        Of the difference under ``law``, or what that is at most.
    statistic : float
        The difference over its standard error: the least in favour of the alternative
        over the set; 0 where a two-sided one finds differences of both signs.
    pvalue : float
        Of the hypothesis that under some distribution of the set there is no difference
        such as the alternative says.
    confidence_interval : ConfidenceInterval
        It holds the differences under all distributions of the set at once.
    alternative : str
        "two-sided": the same model has the greater metric under every distribution;
        "greater": a has it, "less": b.
    method : str
        "delta".
    confidence_level : float
        Level of the interval.
    correlation, least_significant_correlation : None
        They are for tables.
    rate : RateSet
        The set of distributions.
    range : Range
        The least and the greatest difference over it in the sample, ``.low`` and
        ``.high``.
    range_a, range_b : Range
        The same of the metric of each model.
    law : RateDistribution
        The distribution of the set that says least.
    law_low, law_high : RateDistribution
        Distributions of the set that attain the ends of ``range``: with ``points`` and
        ``masses``, or, with a mode, mixtures of the mode and of uniform distributions
        from it.
    params : dict
        Parameters of the metric other than the rate.
    of, confidence_interval_retrained : None
        Of folds nothing is known here.
    greater : str or None
        "a" or "b", if it has the greater metric under every distribution of the set
        with a p-value below 1 less the confidence level; else None.

    See Also
    --------
    skrate.compare : Makes it.

    Examples
    --------
    >>> from skrate import compare, expected_recall_score, rates
    >>> known = rates.between({0.1: 0.25, 0.9: 0.5})
    >>> y_true, model_a, model_b = (
    ...     [1, 1, 0, 0, 0],
    ...     [5, 4, 3, 2, 1],
    ...     [5, 3, 4, 2, 1],
    ... )
    >>> result = compare(
    ...     expected_recall_score, y_true, model_a, model_b, rate=known
    ... )
    >>> round(result.range.low, 4), round(result.range.high, 4)
    (0.1, 0.4375)
    >>> result.law_high.points.tolist()
    [0.25, 0.4, 0.5]
    """

    rate: RateSet
    range: Range
    range_a: Range
    range_b: Range
    law: Empirical | Mixture
    law_low: Empirical | Mixture
    law_high: Empirical | Mixture
    greater: str | None

    def describe(self) -> str:
        """Return the result in a sentence: which model is better, and by how much."""
        low, high = self.range
        ends, first, other = self.confidence_interval, "a", "b"
        if self.greater == "b" or (self.greater is None and low + high < 0):
            first, other, low, high = other, first, -high, -low
            ends = ConfidenceInterval(-ends.high, -ends.low)
        name, level = _in_text(self.metric), f"{100 * self.confidence_level:g} %"
        if self.greater is None:
            return (
                f"Under the distributions of the set the {name} of {first} minus "
                f"{other} is from {_points(low, high)} in the sample, and with {level} "
                f"confidence from {_points(*ends)}: neither is significantly greater "
                "under all of them"
            )
        return (
            f"The {name} of {first} is greater than that of {other} under every "
            f"distribution of the set: by {_points(low, high)} in the sample, and "
            f"with {level} confidence by {_points(*ends)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers, strings and lists.

        Returns
        -------
        values : dict
            As that of other results; of the distributions that attain the ends it has
            the points and masses, or of those with a mode what they are mixtures of.
        """
        flat = super().to_dict()
        flat["rate"] = repr(self.rate)
        for name in ("law", "law_low", "law_high"):
            del flat[name]
            law = getattr(self, name)
            if not isinstance(law, Empirical):
                flat[name] = repr(law)
                continue
            flat[f"{name}_points"] = law.points.tolist()
            flat[f"{name}_masses"] = law.masses.tolist()
        return flat

    def __float__(self) -> float:
        raise TypeError(
            "ComparisonRange has no single value that could be its number: the "
            "difference is from range.low to range.high."
        )

    def _difference_text(self) -> str:
        return f"{self.range.low:8.4f} to {self.range.high:8.4f}"

    def __repr__(self) -> str:
        return (
            f"ComparisonRange({self.metric}{question_text(self.params)}, a less b: "
            f"{self.range.low:.4f} to {self.range.high:.4f} over {self.rate!r}, "
            f"{interval_text(self.confidence_level, self.confidence_interval)} for "
            f"all of it, p = {self.pvalue:.3g} ({self.alternative}))"
        )


def _in_text(name: str) -> str:
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def _points(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f} points"
