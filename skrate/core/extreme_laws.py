"""The least and the greatest mean of a function of the rate over a set of laws.

The formulas stand in the notes of :func:`skrate.rates.between`.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np

from skrate.core.arrays import FloatArray, IntArray
from skrate.core.rate_sets import RateSet
from skrate.core.rates import Empirical, from_masses

End = Literal["low", "high"]
ENDS: tuple[End, ...] = get_args(End)
# What is gained by a further step is rounding, if it is less than this share.
_ROUNDING = 1e-14
# Both iterations end by themselves; rounding must not keep them from it.
_MOST_STEPS = 200


class RateCurve(NamedTuple):
    """What a metric is at every rate: straight between knots from 0 to 1.

    Under a distribution of the rate it is the mean of ``values``, divided by that of
    ``widths``, if there are any, which are not negative.
    """

    rates: FloatArray
    values: FloatArray
    widths: FloatArray | None = None

    def top(self, law: Empirical) -> float:
        """Return the mean of the values under a discrete distribution of the rate."""
        return float(law.masses @ np.interp(law.points, self.rates, self.values))

    def under(self, law: Empirical) -> float:
        """Return the metric under a discrete distribution of the rate."""
        if self.widths is None:
            return self.top(law)
        return self.top(law) / self._replace(values=self.widths).top(law)


class Extreme(NamedTuple):
    """An end of the range over a set, and a distribution that attains it."""

    value: float
    law: Empirical


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


def extreme(among: RateSet, curve: RateCurve, end: End) -> Extreme:
    """Return an end of a metric's range over a set, and a law that attains it.

    The value is nan where the metric is undefined under a law of the set.
    """
    return _end(_Parts.of(among, curve), among, curve, end)


def extremes(among: RateSet, curve: RateCurve) -> tuple[Extreme, Extreme]:
    """Return both ends, the lower one first."""
    parts = _Parts.of(among, curve)
    return _end(parts, among, curve, "low"), _end(parts, among, curve, "high")


def _end(parts: "_Parts", among: RateSet, curve: RateCurve, end: End) -> Extreme:
    if curve.widths is not None:
        return _end_of_ratio(parts, among, curve, end)
    sign = 1.0 if end == "high" else -1.0
    law = parts.greatest(sign * parts.values, among.mean)
    return Extreme(curve.under(law), law)


def _end_of_ratio(
    parts: "_Parts", among: RateSet, curve: RateCurve, end: End
) -> Extreme:
    """Return an end of the range of a ratio of two means, by Dinkelbach's steps.

    The greatest ratio t is the one at which the greatest mean of values - t widths is
    0; each step goes on from the ratio under the law of the one before [1]_.

    References
    ----------
    .. [1] Dinkelbach (1967), On nonlinear fractional programming,
       :doi:`10.1287/mnsc.13.7.492`.
    """
    assert curve.widths is not None
    assert parts.widths is not None
    narrowest = parts.greatest(-parts.widths, among.mean)
    least = curve._replace(values=curve.widths).top(narrowest)
    if least <= _ROUNDING * float(parts.widths.max()):
        return Extreme(float("nan"), narrowest)
    sign = 1.0 if end == "high" else -1.0
    law, value = narrowest, curve.under(narrowest)
    for _ in range(_MOST_STEPS):
        better = parts.greatest(
            sign * (parts.values - value * parts.widths), among.mean
        )
        reached = curve.under(better)
        if sign * (reached - value) <= _ROUNDING * abs(value):
            break
        law, value = better, reached
    return Extreme(value, law)


class _Vertex(NamedTuple):
    """A law with one rate per interval: its rates, their mean, and that of values."""

    points: FloatArray
    mean: float
    value: float


class _Parts(NamedTuple):
    """The knots within each interval of a set, its ends among them."""

    points: FloatArray
    values: FloatArray
    widths: FloatArray | None
    starts: list[int]  # of the intervals among the knots, and the end of the last
    masses: FloatArray

    @classmethod
    def of(cls, among: RateSet, curve: RateCurve) -> "_Parts":
        edges = among.edges
        first = np.searchsorted(curve.rates, edges, side="left")
        # What is within the support, and each edge twice: where an interval ends, and
        # where the next one starts.
        inside = slice(first[0], first[-1])
        doubled = np.repeat(np.arange(len(edges)), 2)[1:-1]
        where = np.repeat(first, 2)[1:-1] - first[0]
        points = np.insert(curve.rates[inside], where, edges[doubled])
        values, widths = (
            None if of is None else np.insert(
                of[inside], where, np.interp(edges, curve.rates, of)[doubled]
            )
            for of in (curve.values, curve.widths)
        )  # fmt: skip
        assert values is not None
        ends = where[1::2] + np.arange(2, len(doubled) + 1, 2)
        return cls(points, values, widths, [0, *ends.tolist()], among.masses)

    def greatest(
        self, values: FloatArray, mean: tuple[float, float] | None
    ) -> Empirical:
        """Return a law of the set under which the mean of ``values`` is greatest."""
        best = self._vertex(values)
        if mean is None:
            return from_masses(best.points, self.masses)
        wanted = min(max(best.mean, mean[0]), mean[1])
        if wanted == best.mean:
            return from_masses(best.points, self.masses)
        starts = np.array(self.starts)
        at_end = starts[:-1] if wanted < best.mean else starts[1:] - 1
        end = self._at(at_end, values)
        low, high = (end, best) if wanted < best.mean else (best, end)
        return self._mixed(low, high, wanted, lambda slope: self._vertex(values, slope))

    def _mixed(
        self,
        low: _Vertex,
        high: _Vertex,
        wanted: float,
        vertex: Callable[[float], _Vertex],
    ) -> Empirical:
        """Return the best law of a mean between those of two vertices.

        The best value is a concave function of the mean, whose corners are vertices:
        what is farthest above the chord between two of them replaces one.
        """
        for _ in range(_MOST_STEPS):
            if high.mean <= low.mean:
                break
            slope = (high.value - low.value) / (high.mean - low.mean)
            found = vertex(slope)
            above = found.value - low.value - slope * (found.mean - low.mean)
            scale = max(abs(low.value), abs(high.value), abs(found.value))
            if above <= _ROUNDING * scale or not low.mean < found.mean < high.mean:
                break
            if found.mean <= wanted:
                low = found
            else:
                high = found
        width = high.mean - low.mean
        share = min(max((wanted - low.mean) / width, 0.0), 1.0) if width > 0 else 0.0
        points = np.concatenate([low.points, high.points])
        shares = np.concatenate([(1 - share) * self.masses, share * self.masses])
        return from_masses(points, shares)

    def _vertex(self, values: FloatArray, slope: float = 0.0) -> _Vertex:
        """Return the law that is best where a unit of the mean costs ``slope``."""
        net = values if slope == 0 else values - slope * self.points
        best = [
            start + int(np.argmax(net[start:end]))
            for start, end in pairwise(self.starts)
        ]
        return self._at(np.array(best), values)

    def _at(self, places: IntArray, values: FloatArray) -> _Vertex:
        points = self.points[places]
        return _Vertex(
            points,
            float(self.masses @ points),
            float(self.masses @ values[places]),
        )
