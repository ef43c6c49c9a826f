"""The least and the greatest mean of a function of the rate over a set of laws.

The formulas stand in the notes of :func:`skrate.rates.between`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np

from skrate.core.arrays import FloatArray, IntArray, dot
from skrate.core.rate_curves import RateCurve
from skrate.core.rate_sets import RateSet
from skrate.core.rates import Empirical, Mixture, from_masses
from skrate.core.unimodal_laws import UnimodalParts, mixed, mode_of

End = Literal["low", "high"]
ENDS: tuple[End, ...] = get_args(End)
# What is gained by a further step is rounding, if it is less than this share.
_ROUNDING = 1e-14
# Both iterations end by themselves; rounding must not keep them from it.
_MOST_STEPS = 200


class Extreme(NamedTuple):
    """An end of the range over a set, and a distribution that attains it."""

    value: float
    law: Empirical | Mixture


def extreme(among: RateSet, curve: RateCurve, end: End) -> Extreme:
    """Return an end of a metric's range over a set, and a law that attains it.

    The value is nan where the metric is undefined under a law of the set.
    """
    return _end(_parts(among, curve), among, curve, end)


def extremes(among: RateSet, curve: RateCurve) -> tuple[Extreme, Extreme]:
    """Return both ends, the lower one first."""
    parts = _parts(among, curve)
    return _end(parts, among, curve, "low"), _end(parts, among, curve, "high")


def _parts(among: RateSet, curve: RateCurve) -> _Parts | UnimodalParts:
    return (_Parts if among.mode is None else UnimodalParts).of(among, curve)


def _end(
    parts: _Parts | UnimodalParts, among: RateSet, curve: RateCurve, end: End
) -> Extreme:
    if curve.widths is not None:
        return _end_of_ratio(parts, among, curve, end)
    sign = 1.0 if end == "high" else -1.0
    law = parts.greatest(sign * parts.values, among.mean)
    return Extreme(curve.under(law), law)


def _end_of_ratio(
    parts: _Parts | UnimodalParts, among: RateSet, curve: RateCurve, end: End
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
        gain = sign * (reached - value)
        if gain > 0:
            law, value = better, reached
        if gain <= parts.exactness * abs(value):
            break
    return Extreme(value, law)


def law_of_zero(
    among: RateSet, curve: RateCurve, ends: tuple[Extreme, Extreme]
) -> Empirical | Mixture:
    """Return a law of the set under which the mean is 0, if the ends are about it.

    Between two laws of either sign there is one, if they have the same mode or none is
    told. Otherwise there is a mode that has both.
    """
    low, high = ends
    if isinstance(low.law, Empirical) or isinstance(high.law, Empirical):
        return _between(curve, low.law, high.law)
    first, last = mode_of(low.law, among), mode_of(high.law, among)
    for mode in (last, first):
        low, high = extremes(replace(among, mode=(mode, mode)), curve)
        if low.value <= 0 <= high.value:
            return _between(curve, low.law, high.law)
    for _ in range(_MOST_STEPS):
        mode = (first + last) / 2
        low, high = extremes(replace(among, mode=(mode, mode)), curve)
        if low.value <= 0 <= high.value:
            break
        first, last = (mode, last) if high.value < 0 else (first, mode)
    return _between(curve, low.law, high.law)


def _between(
    curve: RateCurve, low: Empirical | Mixture, high: Empirical | Mixture
) -> Empirical | Mixture:
    """Return the mixture of two laws under which the mean is 0."""
    below, above = -curve.top(low), curve.top(high)
    share = above / (below + above) if below + above > 0 else 1.0
    if isinstance(low, Mixture) and isinstance(high, Mixture):
        return mixed(low, high, share)
    assert isinstance(low, Empirical)
    assert isinstance(high, Empirical)
    points = np.append(low.points, high.points)
    masses = np.append(share * low.masses, (1 - share) * high.masses)
    return from_masses(points, masses)


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

    @property
    def exactness(self) -> float:
        """Share of a greatest mean that is rounding."""
        return _ROUNDING

    @classmethod
    def of(cls, among: RateSet, curve: RateCurve) -> _Parts:
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
            float(dot(self.masses, points)),
            float(dot(self.masses, values[places])),
        )
