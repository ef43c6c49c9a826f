"""The extremes of the mean of a function of the rate over a set of distributions.

The formulas stand in the notes of :func:`skrate.rates.between`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from skrate.data.arrays import FloatArray, IntArray, Number, dot
from skrate.data.checks import check_fraction, shown
from skrate.rates.laws import Empirical, Mixture, from_masses, is_row
from skrate.rates.sets import SLACK, End, RateCurve, RateSet, possible_modes
from skrate.rates.unimodal import UnimodalParts, mixed, mode_of

# What is gained by a further step is rounding, if it is less than this share.
_ROUNDING = 1e-14
# Both iterations end by themselves; rounding must not keep them from it.
_MOST_STEPS = 200


class Extreme(NamedTuple):
    """An end of the range over a set, and a distribution that attains it."""

    value: float
    law: Empirical | Mixture


def extreme(among: RateSet, curve: RateCurve, end: End) -> Extreme:
    """Return an end of a metric's range over a set: nan where it may be undefined."""
    return _end(_parts(among, curve), curve, end)


def extremes(among: RateSet, curve: RateCurve) -> tuple[Extreme, Extreme]:
    """Return both ends, the lower one first."""
    parts = _parts(among, curve)
    return _end(parts, curve, "low"), _end(parts, curve, "high")


def _parts(among: RateSet, curve: RateCurve) -> _Parts | UnimodalParts:
    return (_Parts if among.mode is None else UnimodalParts).of(among, curve)


def _end(parts: _Parts | UnimodalParts, curve: RateCurve, end: End) -> Extreme:
    """Return an end of the range, of a ratio of two means by Dinkelbach's steps.

    The greatest ratio t is the one at which the greatest mean of values - t widths is
    0; each step goes on from the ratio under the distribution of the one before
    (:doi:`10.1287/mnsc.13.7.492`).
    """
    sign = 1.0 if end == "high" else -1.0
    _, values, widths = parts.curve
    if curve.widths is None or widths is None:
        law = parts.greatest(sign * values)
        return Extreme(curve.under(law), law)
    law = parts.greatest(-widths)
    if curve._replace(values=curve.widths).top(law) <= _ROUNDING * widths.max():
        return Extreme(float("nan"), law)
    value = curve.under(law)
    for _ in range(_MOST_STEPS):
        better = parts.greatest(sign * (values - value * widths))
        reached = curve.under(better)
        gain = sign * (reached - value)
        is_last = gain <= parts.exactness * abs(value)
        if gain > 0:
            law, value = better, reached
        if is_last:
            break
    return Extreme(value, law)


def law_of_zero(
    among: RateSet, curve: RateCurve, ends: tuple[Extreme, Extreme]
) -> Empirical | Mixture:
    """Return a distribution of the set with mean 0, if the ends lie around it.

    It lies between two distributions of either sign with the same mode, if modes are
    given.
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
    """Return the mixture of two distributions under which the mean is 0."""
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
    """A distribution with a rate per interval, its mean, and the mean of values."""

    points: FloatArray
    mean: float
    value: float


class _Parts(NamedTuple):
    """The knots within each interval of a set, its ends among them."""

    among: RateSet
    curve: RateCurve
    starts: list[int]  # of the intervals among the knots, and the end of the last

    @property
    def exactness(self) -> float:
        """Share of a greatest mean that is rounding."""
        return _ROUNDING

    @classmethod
    def of(cls, among: RateSet, curve: RateCurve) -> _Parts:
        first = np.searchsorted(curve.rates, among.edges, side="left")
        # What is within the support, and each edge twice: where an interval ends, and
        # where the next one starts.
        inside = slice(first[0], first[-1])
        edges = np.repeat(among.edges, 2)[1:-1]
        where = np.repeat(first, 2)[1:-1] - first[0]
        ends = where[1::2] + np.arange(2, len(edges) + 1, 2)

        def with_edges(of: FloatArray) -> FloatArray:
            return np.insert(of[inside], where, np.interp(edges, curve.rates, of))

        rates = np.insert(curve.rates[inside], where, edges)
        return cls(among, curve.changed(rates, with_edges), [0, *ends.tolist()])

    def greatest(self, values: FloatArray) -> Empirical:
        """Return a distribution of the set that maximises the mean of ``values``.

        The best value is a concave function of the mean, whose corners are vertices:
        what is farthest above the chord between two of them replaces one.
        """
        masses, mean = self.among.masses, self.among.mean
        best = self._vertex(values)
        wanted = best.mean if mean is None else min(max(best.mean, mean[0]), mean[1])
        if wanted == best.mean:
            return from_masses(best.points, masses)
        starts = np.array(self.starts)
        low = high = best
        if wanted < best.mean:
            low = self._at(starts[:-1], values)
        else:
            high = self._at(starts[1:] - 1, values)
        for _ in range(_MOST_STEPS):
            if high.mean <= low.mean:
                break
            slope = (high.value - low.value) / (high.mean - low.mean)
            found = self._vertex(values, slope)
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
        return from_masses(points, np.append((1 - share) * masses, share * masses))

    def _vertex(self, values: FloatArray, slope: float = 0.0) -> _Vertex:
        """Return the best distribution where a unit of the mean costs ``slope``."""
        net = values - slope * self.curve.rates
        best = [
            start + int(np.argmax(net[start:end]))
            for start, end in pairwise(self.starts)
        ]
        return self._at(np.array(best), values)

    def _at(self, places: IntArray, values: FloatArray) -> _Vertex:
        points, masses = self.curve.rates[places], self.among.masses
        return _Vertex(
            points, float(dot(masses, points)), float(dot(masses, values[places]))
        )


def between(
    quantiles: Mapping[float, float] | None = None,
    *,
    mean: Number | tuple[float, float] | None = None,
    mode: Number | tuple[float, float] | None = None,
    support: tuple[float, float] | None = None,
) -> RateSet:
    r"""Return the set of all distributions of the rate with what is known of it.

    A conclusion that holds for all of them does not depend on a family, such as the
    beta distributions, which :func:`from_quantiles` adds.

    Parameters
    ----------
    quantiles : dict of float to float, default=None
        Entries ``{probability: rate}``, as many as are known: probabilities in (0, 1),
        rates in [0, 1], the greater rate at the greater probability.
    mean : float or tuple (low, high), default=None
        The mean rate, or bounds of it.
    mode : float or tuple (low, high), default=None
        The most likely rate, or bounds of it, such as (0, 1), for distributions with
        one mode only. None allows all shapes.
    support : tuple (low, high), default=None
        The rates that are possible at all; None means those from 0 to 1.

    Returns
    -------
    rate : RateSet
        What :func:`skrate.compare` takes as ``rate=``, to answer with the range over
        the set, and scores that have ``worst=``.

    Raises
    ------
    ValueError
        If nothing is given, a number is out of range, quantiles do not increase, or no
        distribution agrees with everything given.

    See Also
    --------
    from_quantiles : The one beta distribution with two quantiles.

    Notes
    -----
    With the rates q_j at the probabilities p_j, including the ends of the support at 0
    and 1, these are the distributions that put the probability
    w_j = p_(j+1) - p_j on [q_j, q_(j+1)], for each j. The greatest mean of a function f
    of the rate over the set is, with a mean m of the rate if one is known,

    .. math::

        \min_\lambda \; \lambda m
        + \sum_j w_j \max_{q_j \le x \le q_{j+1}} (f(x) - \lambda x),

    and with lambda = 0 without. The recall is linear between the cuts of a ranking, so
    that each inner maximum is at a cut or at a q_j [1]_. A distribution with the mode m
    is a mixture of uniform ones between m and x, over x, and of m itself [2]_, whose
    best shares solve a linear program; modes are sought until less than 1e-8 of the
    range of f is gained.

    References
    ----------
    .. [1] Smith (1995), Generalized Chebychev inequalities: theory and applications in
       decision analysis, Oper. Res. 43(5), :doi:`10.1287/opre.43.5.807`.
    .. [2] Popescu (2005), A semidefinite programming approach to optimal-moment bounds
       for convex classes of distributions, Math. Oper. Res. 30(3),
       :doi:`10.1287/moor.1040.0137`.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.between({0.025: 0.064, 0.975: 0.288}, mode=(0.1, 0.2))
    between({0.025: 0.064, 0.975: 0.288}, mode=(0.1, 0.2))

    Half of the budgets are below 15 %, their mean is between 15 and 20 %, and nobody
    could process more than half of the cases:

    >>> rates.between({0.5: 0.15}, mean=(0.15, 0.2), support=(0, 0.5))
    between({0.5: 0.15}, mean=(0.15, 0.2), support=(0, 0.5))
    """
    if quantiles is None and mean is None and mode is None and support is None:
        raise ValueError(
            "Nothing is known of the rate: give quantiles, mean, mode or support; all "
            "rates are support=(0, 1)."
        )
    known = () if quantiles is None else _check_quantiles(quantiles)
    bounds = (0.0, 1.0) if support is None else _check_range("support", support)
    if bounds[0] == bounds[1]:
        otherwise = f": give it as rate={bounds[0]}"
        if bounds[0] == 0:
            otherwise = ", at which nothing is processed: give a greater bound"
        raise ValueError(f"support={shown(support)} is a single rate{otherwise}.")
    for probability, q in known:
        if not bounds[0] <= q <= bounds[1]:
            raise ValueError(
                f"quantiles contradict support: the rate {q:g} at probability "
                f"{probability:g} is not in support=({bounds[0]:g}, {bounds[1]:g})."
            )
    found = RateSet(
        known,
        None if mean is None else _check_bounds("mean", mean),
        bounds,
        None if mode is None else _check_bounds("mode", mode),
    )
    _check_mode(found, mode)
    _check_mean(found, mean)
    return found


def _check_quantiles(quantiles: Any) -> tuple[tuple[float, float], ...]:
    if not isinstance(quantiles, Mapping) or not quantiles:
        raise ValueError(
            "quantiles must be a dict of entries {probability: rate}, got "
            f"{shown(quantiles)}."
        )
    pairs = sorted(
        (
            check_fraction("a probability of quantiles", p),
            check_fraction(
                "a rate of quantiles", q, include_zero=True, include_one=True
            ),
        )
        for p, q in quantiles.items()
    )
    if any(before >= after for (_, before), (_, after) in pairwise(pairs)):
        raise ValueError(
            f"quantiles must increase with probability, got {shown(quantiles)}."
        )
    return tuple(pairs)


def _check_bounds(name: str, given: Any) -> tuple[float, float]:
    """Return a number twice, or a pair."""
    if is_row(given):
        return _check_range(name, given)
    value = check_fraction(name, given, include_zero=True, include_one=True)
    return value, value


def _check_range(name: str, ends: Any) -> tuple[float, float]:
    """Return a pair of rates that do not fall."""
    if not (is_row(ends) and len(ends) == 2):
        raise ValueError(f"{name} must be a pair (low, high), got {shown(ends)}.")
    low, high = (
        check_fraction(f"{name}[{i}]", end, include_zero=True, include_one=True)
        for i, end in enumerate(ends)
    )
    if low > high:
        raise ValueError(f"{name} must be (low, high) with low <= high, got {ends}.")
    return low, high


def _check_mean(found: RateSet, mean: Any) -> None:
    """Raise where no distribution with all else that is given has such a mean."""
    if found.mean is None:
        return
    rate = np.array([0.0, 1.0])
    ends = extremes(replace(found, mean=None), RateCurve(rate, rate))
    least, most = (end.value for end in ends)
    low, high = found.mean
    # What is told of the mean may have been computed, and be rounded.
    if low > most + SLACK or high < least - SLACK:
        known = {"quantiles": found.quantiles, "mode": found.mode, "support": True}
        others = " and ".join(name for name in known if known[name])
        raise ValueError(
            f"mean contradicts {others}: with them it lies between {least:.6g} and "
            f"{most:.6g}, got mean={shown(mean)}."
        )


def _check_mode(found: RateSet, mode: Any) -> None:
    """Raise where no distribution with the quantiles has such a mode."""
    if found.mode is None or found.mode_ranges:
        return
    ranges = possible_modes(found.edges, found.masses)
    others = "quantiles and support" if found.quantiles else "support"
    if not ranges:
        raise ValueError(
            f"mode contradicts {others}: between them the mean density rises after it "
            f"fell, so that no distribution has one mode, got mode={shown(mode)}."
        )
    raise ValueError(
        f"mode contradicts {others}: with them it lies between {ranges[0].low:.6g} and "
        f"{ranges[-1].high:.6g}, got mode={shown(mode)}."
    )
