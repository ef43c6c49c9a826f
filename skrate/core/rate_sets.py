"""Sets of distributions of the rate: all that agree with what is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from skrate.core.arrays import FloatArray, Number, dot
from skrate.core.conversion import shown
from skrate.core.modes import ModeRange, has_mode, possible_modes
from skrate.core.notebook import html_of
from skrate.core.plain import plain
from skrate.core.rates import RateDistribution
from skrate.core.validation import check_fraction

# A law is in the set if what is known of it is right to this much.
_SLACK = 1e-9
_NEAR = 1e-12


@dataclass(frozen=True, repr=False)
class RateSet:
    """All distributions of the rate that agree with what is known of it.

    It is no distribution, and nothing is assumed beyond what was told: whoever answers
    under it answers for each distribution that could be meant. Make it with
    :func:`skrate.rates.between`, and give it to :func:`skrate.compare`.

    Attributes
    ----------
    quantiles : tuple of pairs
        Probabilities and the rates at them, both increasing.
    mean : tuple (low, high) or None
        Range of the mean; None where nothing was told of it.
    support : tuple (low, high)
        Bounds of the rate.
    mode : tuple (low, high) or None
        Range of the mode; None where the distributions need not have one mode.

    See Also
    --------
    skrate.rates.between : Makes it.

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

    def contains(self, rate: Any) -> bool:
        """Return whether a distribution is in the set, to nine digits.

        Parameters
        ----------
        rate : "uniform", float or distribution
            Whatever ``rate=`` accepts.

        Returns
        -------
        is_in : bool
            A rate q is a quantile of R at the probability p if P(R < q) is at most p
            and P(R <= q) at least p. Modes are told apart to a thousandth.
        """
        # Where any rate becomes a distribution, sets are told apart.
        from skrate.core.elicitation import check_rate

        law = check_rate(rate)
        low, high = self.support
        for probability, q in (*self.quantiles, (0.0, low), (1.0, high)):
            up_to, below = _probabilities(law, q)
            if not below - _SLACK <= probability <= up_to + _SLACK:
                return False
        if self.mode is not None and not has_mode(law, *self.mode):
            return False
        if self.mean is None:
            return True
        least, most = self.mean
        return least - _SLACK <= law.mean() <= most + _SLACK

    def to_dict(self) -> dict[str, Any]:
        """Return what is known by name, as plain data.

        Returns
        -------
        values : dict
            Numbers, strings, lists and None; "distribution" is "between".
        """
        values = {one.name: plain(getattr(self, one.name)) for one in fields(self)}
        return {"distribution": "between", **values}

    def _repr_html_(self) -> str:
        quantiles = {f"{100 * p:g} %": rate for p, rate in self.quantiles}
        ranges = {"mean": self.mean, "mode": self.mode, "support": self.support}
        told = {name: ends for name, ends in ranges.items() if ends is not None}
        return html_of("All distributions of the rate with", quantiles | told)

    def __call__(self, rate: Any) -> bool:
        """Return whether a distribution is in the set, as ``contains`` does.

        Programs that keep results by parameters tell functions by what they hold.
        """
        return self.contains(rate)

    def __getstate__(self) -> dict[str, Any]:
        # What is derived from the fields is found again on demand.
        return {one.name: getattr(self, one.name) for one in fields(self)}

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
            if first <= high + _SLACK and last >= low - _SLACK
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


def _probabilities(law: RateDistribution, q: float) -> tuple[float, float]:
    """Return P(R <= q) and P(R < q), where rates next to q are q to rounding."""
    below, above = max(q - _NEAR, 0.0), min(q + _NEAR, 1.0)
    up_to = 1 - float(law.survival(above))
    return up_to, 0.0 if q <= _NEAR else 1 - float(law.survival(below))


def between(
    quantiles: Mapping[float, float] | None = None,
    *,
    mean: Number | tuple[float, float] | None = None,
    mode: Number | tuple[float, float] | None = None,
    support: tuple[float, float] | None = None,
) -> RateSet:
    r"""Return the set of all distributions of the rate with what is known of it.

    Two quantiles are what a user can defend; that they belong to a beta distribution
    is what :func:`from_quantiles` adds. A conclusion that holds for all distributions
    of the set does not depend on it.

    Parameters
    ----------
    quantiles : dict of float to float, default=None
        Entries ``{probability: rate}``, as many as are known: probabilities in (0, 1),
        rates in [0, 1], the greater rate at the greater probability.
    mean : float or tuple (low, high), default=None
        The mean rate, or bounds of it.
    mode : float or tuple (low, high), default=None
        The most likely rate, or bounds of it, such as (0, 1): then only distributions
        with one mode are meant, whose density rises up to a rate between these bounds
        and falls from it on. None allows distributions of all shapes.
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
        If nothing is told, a number is out of range, quantiles do not increase, or no
        distribution agrees with all that is told; the message says what contradicts
        what.

    See Also
    --------
    from_quantiles : The one beta distribution with two quantiles.

    Notes
    -----
    With the rates q_j at the probabilities p_j, the ends of the support q_0 and
    q_(J+1), p_0 = 0 and p_(J+1) = 1, these are the distributions that put the
    probability w_j = p_(j+1) - p_j on [q_j, q_(j+1)], for each j (a point mass at a q_j
    may belong to either side). For a function f of the rate, E[f(R)] is linear in the
    distribution, so that its greatest value over the set is

    .. math:: \max_F E_F[f(R)] = \sum_j w_j \max_{q_j \le x \le q_{j+1}} f(x),

    and with a mean m, by its multiplier,

    .. math::

        \min_\lambda \; \lambda m
        + \sum_j w_j \max_{q_j \le x \le q_{j+1}} (f(x) - \lambda x).

    The recall is linear between the cuts of a ranking, so that each inner maximum is at
    a cut or at a q_j: no program needs to be solved. The distribution that attains it
    has one rate per interval, or two with a mean [1]_. Of bounds of the mean the one
    counts that is nearer to the mean without it.

    A distribution with the mode m is a mixture of uniform ones between m and x, over
    x, and of m itself [2]_. For one mode its best shares solve a linear program with a
    row for each thing that is known: with the prices of these rows, each cell between
    cuts has its best x in closed form, and such x are added until none gains more than
    1e-9 of the range of f. Modes are sought on a grid, with the best cut in each of its
    cells, and on finer ones around the best three, until less than 1e-8 of the range
    is gained. What is found is attained by a mixture of a few uniform distributions
    and the mode.

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
    >>> rates.between({0.025: 0.064, 0.975: 0.288})
    between({0.025: 0.064, 0.975: 0.288})

    Half of the budgets are below 15 %, their mean is between 15 and 20 %, and nobody
    could process more than half of the cases:

    >>> rates.between({0.5: 0.15}, mean=(0.15, 0.2), support=(0, 0.5))
    between({0.5: 0.15}, mean=(0.15, 0.2), support=(0, 0.5))

    Few are in two minds: the density has one top, somewhere from 10 to 20 %:

    >>> rates.between({0.025: 0.064, 0.975: 0.288}, mode=(0.1, 0.2))
    between({0.025: 0.064, 0.975: 0.288}, mode=(0.1, 0.2))

    A mean of 0.6 is not possible with a median of 0.15:

    >>> rates.between({0.5: 0.15}, mean=0.6)
    Traceback (most recent call last):
    ...
    ValueError: mean contradicts quantiles and support: with them it lies
    between 0.075
    and 0.575, got mean=0.6.
    """
    if quantiles is None and mean is None and mode is None and support is None:
        raise ValueError(
            "Nothing is told of the rate: give quantiles, mean, mode or support; all "
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
    if found.mode is not None:
        _check_mode(found, mode)
    if found.mean is not None:
        _check_agreement(found, mean)
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
    if _is_row(given):
        return _check_range(name, given)
    value = check_fraction(name, given, include_zero=True, include_one=True)
    return value, value


def _is_row(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _check_range(name: str, ends: Any) -> tuple[float, float]:
    """Return a pair of rates that do not fall."""
    if not (_is_row(ends) and len(ends) == 2):
        raise ValueError(f"{name} must be a pair (low, high), got {shown(ends)}.")
    low, high = (
        check_fraction(f"{name}[{i}]", end, include_zero=True, include_one=True)
        for i, end in enumerate(ends)
    )
    if low > high:
        raise ValueError(f"{name} must be (low, high) with low <= high, got {ends}.")
    return low, high


def _check_agreement(found: RateSet, mean: Any) -> None:
    """Raise where no distribution with the quantiles has a mean as told."""
    assert found.mean is not None
    least, most = _range_of_mean(found)
    low, high = found.mean
    # What is told of the mean may have been computed, and be rounded.
    if low > most + _SLACK or high < least - _SLACK:
        told = [
            "quantiles" if found.quantiles else "",
            "mode" if found.mode else "",
            "support",
        ]
        others = " and ".join(filter(None, told))
        raise ValueError(
            f"mean contradicts {others}: with them it lies between {least:.6g} and "
            f"{most:.6g}, got mean={shown(mean)}."
        )


def _range_of_mean(found: RateSet) -> tuple[float, float]:
    """Return the least and the greatest mean with all else that is told."""
    if found.mode is None:
        ends = found.edges[:-1], found.edges[1:]
        least, most = (float(dot(found.masses, end)) for end in ends)
        return least, most
    # Where ends of ranges are found, sets are taken apart.
    from skrate.core.extreme_laws import extremes
    from skrate.core.rate_curves import RateCurve

    rate = np.array([0.0, 1.0])
    low, high = extremes(replace(found, mean=None), RateCurve(rate, rate))
    return low.value, high.value


def _check_mode(found: RateSet, mode: Any) -> None:
    """Raise where no distribution with the quantiles has a mode as told."""
    if found.mode_ranges:
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
