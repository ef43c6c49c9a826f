"""Sets of distributions of the rate: all that agree with what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from skrate.data.arrays import FloatArray, dot
from skrate.data.checks import check_choice, shown
from skrate.data.show import html_of
from skrate.rates.laws import (
    Interval,
    ManyDistributions,
    Mixture,
    RateDistribution,
    check_rate,
)

End = Literal["low", "high"]
ENDS: tuple[End, ...] = get_args(End)
# A law is in the set if what is known of it is right to this much.
SLACK = 1e-9
_NEAR = 1e-12
# Of a probability.
_ROUNDING = 1e-12
# Rates at which the distribution function of a law is looked at.
_RATES = 1001


class ModeRange(NamedTuple):
    """Modes that are possible in one of the intervals between quantiles."""

    interval: int
    low: float
    high: float


def possible_modes(edges: FloatArray, masses: FloatArray) -> list[ModeRange]:
    """Return where distributions with these masses between these edges can have a mode.

    The mean density must rise before the interval of the mode and fall after it, where
    it is at least that of the neighbours and must not take more than there is.
    """
    widths = np.diff(edges)
    with np.errstate(divide="ignore"):
        density = masses / widths
    found = []
    for i, (start, width) in enumerate(zip(edges, widths, strict=False)):
        before, after = density[:i], density[i + 1 :]
        if not np.isfinite([*before, *after]).all():
            continue
        if (np.diff(before) < -SLACK).any() or (np.diff(after) > SLACK).any():
            continue
        rise = before[-1] if i else 0.0
        fall = after[0] if len(after) else 0.0
        spare, tilt = masses[i] - fall * width, rise - fall
        low, high = 0.0, width
        if tilt > 0:
            high = min(width, spare / tilt)
        elif tilt < 0:
            low = max(0.0, spare / tilt)
        elif spare < -SLACK:
            continue
        if low <= high + SLACK:
            high = max(low, high)
            found.append(ModeRange(i, float(start + low), float(start + high)))
    return found


def has_mode(law: RateDistribution, low: float, high: float) -> bool:
    """Return whether a distribution has one mode, in a range, to nine digits."""
    points, masses = law.point_masses()
    points, masses = points[masses > SLACK], masses[masses > SLACK]
    if len(points) > 1:
        return False
    edges = np.concatenate([np.linspace(0, 1, _RATES), law.table.knots(), [low, high]])
    edges = np.unique(np.append(edges, points))
    edges = edges[np.append(True, np.diff(edges) > SLACK)]
    up_to = 1.0 - np.asarray(law.survival(edges))
    for point, mass in zip(points, masses, strict=True):
        up_to -= mass * (edges >= point - SLACK)
    widths = np.diff(edges)
    density = np.diff(up_to) / widths
    change = np.diff(density)
    rounding = _ROUNDING * (1 / widths[1:] + 1 / widths[:-1]) + SLACK * density.max()
    rises, falls = np.flatnonzero(change > rounding), np.flatnonzero(change < -rounding)
    first = edges[rises[-1] + 1] if len(rises) else 0.0
    last = edges[falls[0] + 1] if len(falls) else 1.0
    # The density may change either way at a point mass, which is then the mode.
    low, high = max(low, first, *points), min(high, last, *points)
    return bool(low <= high + SLACK)


@dataclass(frozen=True, repr=False)
class RateSet(ManyDistributions):
    """All distributions of the rate that agree with what is known of it.

    Make it with :func:`skrate.rates.between`, and give it to :func:`skrate.compare`.

    Attributes
    ----------
    quantiles : tuple of pairs
        Probabilities and the rates at them, both increasing.
    mean : tuple (low, high) or None
        Range of the mean; None where nothing is known of it.
    support : tuple (low, high)
        Bounds of the rate.
    mode : tuple (low, high) or None
        Range of the mode; None where the distributions need not have one mode.

    Examples
    --------
    >>> from skrate import rates
    >>> known = rates.between({0.25: 0.2, 0.75: 0.6}, mean=(0.3, 0.5))
    >>> known.contains(rates.from_quantiles({0.25: 0.2, 0.75: 0.6}))
    True
    >>> known.contains(0.4)
    False
    """

    quantiles: tuple[tuple[float, float], ...]
    mean: tuple[float, float] | None
    support: tuple[float, float]
    mode: tuple[float, float] | None = None

    _kind = "between"

    def contains(self, rate: Any) -> bool:
        """Return whether a distribution, or whatever ``rate=`` accepts, is in the set.

        A rate q is a quantile at the probability p if P(R < q) <= p <= P(R <= q), to
        nine digits. Modes are distinguished to a thousandth.
        """
        law = check_rate(rate)
        low, high = self.support
        for probability, q in (*self.quantiles, (0.0, low), (1.0, high)):
            # Rates next to q are q to rounding.
            up_to = 1 - law.survival(min(q + _NEAR, 1.0))
            below = 0.0 if q <= _NEAR else 1 - law.survival(q - _NEAR)
            if not below - SLACK <= probability <= up_to + SLACK:
                return False
        if self.mode is not None and not has_mode(law, *self.mode):
            return False
        if self.mean is None:
            return True
        least, most = self.mean
        return least - SLACK <= law.mean() <= most + SLACK

    def _repr_html_(self) -> str:
        quantiles = {f"{100 * p:g} %": rate for p, rate in self.quantiles}
        ranges = {"mean": self.mean, "mode": self.mode, "support": self.support}
        told = {name: ends for name, ends in ranges.items() if ends is not None}
        return html_of("All distributions of the rate with", quantiles | told)

    def __call__(self, rate: Any) -> bool:
        """Return whether a distribution is in the set, as ``contains`` does."""
        return self.contains(rate)

    @cached_property
    def edges(self) -> FloatArray:
        """Bounds of the intervals that are known to hold so much of the probability."""
        low, high = self.support
        return np.array([low, *(rate for _, rate in self.quantiles), high])

    @cached_property
    def masses(self) -> FloatArray:
        """Probability that each interval holds."""
        return np.diff([0.0, *(p for p, _ in self.quantiles), 1.0])

    @cached_property
    def mode_ranges(self) -> list[ModeRange]:
        """Modes that are possible with the quantiles, interval by interval."""
        assert self.mode is not None
        low, high = self.mode
        return [
            ModeRange(i, min(max(first, low), high), max(min(last, high), low))
            for i, first, last in possible_modes(self.edges, self.masses)
            if first <= high + SLACK and last >= low - SLACK
        ]

    def __repr__(self) -> str:
        told = []
        if self.quantiles:
            pairs = (f"{p:g}: {rate:g}" for p, rate in self.quantiles)
            told.append(f"{{{', '.join(pairs)}}}")
        for name, ends in (("mean", self.mean), ("mode", self.mode)):
            if ends is not None:
                low, high = ends
                text = f"{low:g}" if low == high else f"({low:g}, {high:g})"
                told.append(f"{name}={text}")
        if self.support != (0, 1) or not told:
            told.append(f"support=({self.support[0]:g}, {self.support[1]:g})")
        return f"between({', '.join(told)})"


def check_rate_or_set(rate: Any, worst: End | None) -> RateDistribution | RateSet:
    """Return what ``rate`` stands for; of a set ``worst`` says which end is taken."""
    check_choice("worst", worst, ENDS, or_none=True)
    if isinstance(rate, RateSet):
        if worst is None:
            raise ValueError(
                f"rate is a set of distributions, {rate!r}: worst='low' gives the "
                "least value over the set, and compare the range of a difference."
            )
        return rate
    if worst is not None:
        raise ValueError(
            f"worst={worst!r} is for a set of distributions, which rates.between "
            f"makes: leave it out for rate={shown(rate)}."
        )
    return check_rate(rate)


class RateCurve(NamedTuple):
    """What a metric is at every rate: straight between knots from 0 to 1.

    Under a distribution of the rate it is the mean of ``values``, divided by that of
    ``widths``, if there are any, which are not negative.
    """

    rates: FloatArray
    values: FloatArray
    widths: FloatArray | None = None

    def changed(
        self, rates: FloatArray, change: Callable[[FloatArray], FloatArray]
    ) -> RateCurve:
        """Return the curve at other rates, with values and widths changed alike."""
        widths = None if self.widths is None else change(self.widths)
        return RateCurve(rates, change(self.values), widths)

    def top(self, law: RateDistribution) -> float:
        """Return the mean of the values under a distribution that ends a range."""
        if isinstance(law, Interval):
            return self._mean_over(law.low, law.high)
        if isinstance(law, Mixture):
            parts = zip(law.weights, law.components, strict=True)
            return float(sum(weight * self.top(part) for weight, part in parts))
        points, masses = law.point_masses()
        return float(dot(masses, np.interp(points, self.rates, self.values)))

    def under(self, law: RateDistribution) -> float:
        """Return the metric under a distribution that ends a range."""
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

    found = a.changed(rates, lambda of: np.interp(rates, a.rates, of))
    return found._replace(values=found.values - np.interp(rates, b.rates, b.values))


def with_knots(curve: RateCurve, rates: FloatArray) -> RateCurve:
    """Return the same curve with knots at increasing ``rates`` as well."""
    after = np.searchsorted(curve.rates, rates)
    found = curve.rates.take(after, mode="clip")
    new, after = rates[found != rates], after[found != rates]

    def filled(of: FloatArray) -> FloatArray:
        return np.insert(of, after, np.interp(new, curve.rates, of))

    return curve.changed(np.insert(curve.rates, after, new), filled)
