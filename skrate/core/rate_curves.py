"""What a metric is at every rate, and its mean under a distribution of the rate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skrate.core.arrays import FloatArray, dot
from skrate.core.rates import Empirical, Fixed, Interval, Mixture, RateDistribution


class RateCurve(NamedTuple):
    """What a metric is at every rate: straight between knots from 0 to 1.

    Under a distribution of the rate it is the mean of ``values``, divided by that of
    ``widths``, if there are any, which are not negative.
    """

    rates: FloatArray
    values: FloatArray
    widths: FloatArray | None = None

    def top(self, law: RateDistribution) -> float:
        """Return the mean of the values under a law that ends a range."""
        if isinstance(law, Empirical):
            return float(
                dot(law.masses, np.interp(law.points, self.rates, self.values))
            )
        if isinstance(law, Interval):
            return self._mean_over(law.low, law.high)
        if isinstance(law, Fixed):
            return float(np.interp(law.r, self.rates, self.values))
        assert isinstance(law, Mixture)
        parts = zip(law.weights, law.components, strict=True)
        return float(sum(weight * self.top(part) for weight, part in parts))

    def under(self, law: RateDistribution) -> float:
        """Return the metric under a law that ends a range."""
        if self.widths is None:
            return self.top(law)
        return self.top(law) / self._replace(values=self.widths).top(law)

    def _mean_over(self, low: float, high: float) -> float:
        """Return the mean of the values over the rates between two."""
        inner = slice(*np.searchsorted(self.rates, [low, high]))
        ends = np.interp([low, high], self.rates, self.values)
        rates = np.concatenate([[low], self.rates[inner], [high]])
        values = np.concatenate([ends[:1], self.values[inner], ends[1:]])
        means = (values[1:] + values[:-1]) / 2
        return float((means * np.diff(rates)).sum() / (high - low))


def difference(a: RateCurve, b: RateCurve) -> RateCurve:
    """Return the difference of two curves with the same widths, if any."""
    if np.array_equal(a.rates, b.rates):
        return a._replace(values=a.values - b.values)
    # Two runs in order are merged, not sorted, by the stable kind. Weights may be so
    # small that a rate is there twice.
    both = np.sort(np.concatenate([a.rates, b.rates]), kind="stable")
    rates = np.asarray(both[np.append(True, both[1:] > both[:-1])])

    def at(curve: RateCurve, of: FloatArray) -> FloatArray:
        return np.asarray(np.interp(rates, curve.rates, of))

    widths = None if a.widths is None else at(a, a.widths)
    return RateCurve(rates, at(a, a.values) - at(b, b.values), widths)


def with_knots(curve: RateCurve, rates: FloatArray) -> RateCurve:
    """Return the same curve with knots at increasing ``rates`` as well."""
    after = np.searchsorted(curve.rates, rates)
    found = curve.rates.take(after, mode="clip")
    new, after = rates[found != rates], after[found != rates]

    def filled(of: FloatArray) -> FloatArray:
        return np.insert(of, after, np.interp(new, curve.rates, of))

    widths = None if curve.widths is None else filled(curve.widths)
    return RateCurve(np.insert(curve.rates, after, new), filled(curve.values), widths)
