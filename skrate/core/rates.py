"""Distributions of the rate: the share of all cases that will be processed."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from scipy import special

from skrate.core.arrays import ArrayLike, FloatArray, Number, float_or_array
from skrate.core.kept import kept
from skrate.core.notebook import html_of
from skrate.core.plain import plain
from skrate.core.survival import Survival, SurvivalMixture, SurvivalTable
from skrate.core.validation import check_count, check_fraction, check_shares

# Probabilities whose quantiles a notebook shows.
_SHOWN_QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)


class RateDistribution(ABC):
    """A distribution over the rate R, the share of all cases processed.

    A rate above 1 processes everything and one below 0 nothing: all quantities are
    those of R clipped to [0, 1]. Make one with the functions of :mod:`skrate.rates`.

    Examples
    --------
    >>> from skrate import rates
    >>> rate = rates.beta(3, 9)
    >>> isinstance(rate, rates.RateDistribution)
    True
    >>> rate.survival([0.1, 0.3]).round(4).tolist()
    [0.9104, 0.3127]
    >>> round(rate.limited_mean(0.25), 4)
    0.2016
    """

    @property
    @abstractmethod
    def table(self) -> Survival:
        """The survival function as piecewise polynomials: what all else is read off."""

    @property
    def nbytes(self) -> int:
        """Memory that the parameters take, and what is derived from them."""
        return 0

    def survival(self, x: ArrayLike) -> Any:
        """Return P(R > x) for rates ``x`` in [0, 1], in the shape of ``x``."""
        rates = check_shares("x", x)
        return float_or_array(np.where(rates >= 1, 0.0, self._survival(rates)))

    def __call__(self, x: ArrayLike) -> Any:
        """Return P(R > x), as ``survival`` does: the weight of a case at place ``x``.

        Programs that keep results by parameters tell functions by what they hold.
        """
        return self.survival(x)

    def limited_mean(self, x: ArrayLike) -> Any:
        """Return E[min(R, x)] for rates ``x`` in [0, 1], in the shape of ``x``."""
        return float_or_array(self.table.limited_mean(check_shares("x", x)))

    def mean(self) -> float:
        """Return E[R], the share processed on average (R clipped to [0, 1])."""
        return float(self.table.limited_mean(np.ones(1))[0])

    def ppf(self, q: ArrayLike) -> Any:
        """Return the quantiles of R at probabilities ``q`` in [0, 1]."""
        probabilities = check_shares("q", q)
        return float_or_array(np.clip(self._ppf(probabilities), 0, 1))

    @cached_property
    def mirrored(self) -> RateDistribution:
        """The distribution of 1 - R.

        It is told by its own parameters, or by P(R <= x), and never by 1 minus the
        survival function: of a rate next to 1 that would be all rounding.
        """
        return Mirrored(self)

    def mean_survival(self, low: ArrayLike, high: ArrayLike) -> Any:
        """Return the mean of P(R > u) over u in [low, high], cell by cell.

        This is the probability that a case is processed whose place in the ranking,
        as a rate, is uniform on [low, high].
        """
        low, high = check_shares("low", low), check_shares("high", high)
        if not np.all(low < high):
            raise ValueError("low must be below high in every cell.")
        low, high = np.broadcast_arrays(low, high)
        return float_or_array(self.table.mean(low, high))

    def density(self, x: ArrayLike) -> Any:
        """Return the density of R at rates ``x`` in [0, 1], in the shape of ``x``.

        It is that of the continuous part: see ``point_masses`` for the rest.
        """
        return float_or_array(np.maximum(self.table.density(check_shares("x", x)), 0.0))

    def point_masses(self) -> tuple[FloatArray, FloatArray]:
        """Return the rates that have a probability of their own, and that probability.

        Both are empty where R has a density. Mass above 1 is at 1, and below 0 at 0.
        """
        return self.table.point_masses()

    def instance_weights(self, n: int) -> FloatArray:
        """Return the probability of being processed for each of ``n`` ranked cases.

        Entry i - 1 belongs to the case at position i (the paper's figure 3a); the
        values fall from at most 1 and average ``mean()``.
        """
        edges = np.arange(check_count("n", n) + 1) / n
        return self.table.mean(edges[:-1], edges[1:])

    def threshold_weights(self, n: int) -> FloatArray:
        """Return the probability of being the last processed of ``n`` ranked cases.

        The instance weights are their sums from the right (the paper's equation 17);
        what they lack to 1 is the probability that no case is processed.
        """
        return -np.diff(self.instance_weights(n), append=0.0)

    def describe(self, confidence_level: float = 0.95) -> str:
        """Return the rate in words: its mean and central interval, in percent."""
        level = check_fraction("confidence_level", confidence_level)
        low, high = self.ppf([(1 - level) / 2, (1 + level) / 2])
        mean = f"{_percent(self.mean())} of the cases"
        if low == high:
            return f"{mean} will be processed"
        return (
            f"{mean} will be processed on average, between {_percent(low)} and "
            f"{_percent(high)} with probability {level:g}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the distribution by name and its parameters, as plain data.

        Two rates are equal if their dicts are: numbers keep all their digits.

        Returns
        -------
        values : dict
            Numbers, strings and lists, which JSON takes; "distribution" names it.
        """
        values = {f.name: plain(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]
        return {"distribution": self._kind, **values}

    def _repr_html_(self) -> str:
        shares = [f"{100 * q:g} %" for q in _SHOWN_QUANTILES]
        rates = self.ppf(_SHOWN_QUANTILES).tolist()
        values = {"mean": self.mean(), **dict(zip(shares, rates, strict=True))}
        return html_of(repr(self), values, f"{self.describe()}.")

    @property
    def _kind(self) -> str:
        return type(self).__name__.lower()

    # The kernels: arrays within [0, 1], nothing checked.

    def _survival(self, x: FloatArray) -> FloatArray:
        return self.table.survival(x)

    def _below(self, x: FloatArray) -> FloatArray:
        """Return P(R <= x), to its own digits where the law knows it."""
        return 1.0 - self._survival(x)

    def _ppf(self, q: FloatArray) -> FloatArray:
        """Return the least x with P(R <= x) >= q, by bisection."""
        # Rounding in P(R <= x) must not push a probability to the next point mass.
        target = q - np.minimum(np.maximum(1e-14 * q, 4e-16), q / 2)
        # Positive numbers are in the order of their bits: all of them are bisected,
        # so that a rate of 1e-12 is found as exactly as one of 0.1.
        low = np.zeros(q.shape, dtype=np.int64)
        high = np.full_like(low, np.float64(1).view(np.int64))
        reached_at_zero = 1.0 - self._survival(np.zeros_like(q)) >= target
        for _ in range(62):
            middle = (low + high) // 2
            reached = 1.0 - self._survival(middle.view(np.float64)) >= target
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        return np.where(reached_at_zero, 0.0, high.view(np.float64))

    def __getstate__(self) -> dict[str, Any]:
        # What is derived from the fields is built again on demand.
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def __repr__(self) -> str:
        values = [getattr(self, f.name) for f in fields(self)]  # type: ignore[arg-type]
        return f"{self._kind}({', '.join(_number(value) for value in values)})"


class ManyDistributions:
    """A set of distributions, which most functions do not take for one."""


class FrozenDistribution(Protocol):
    """What frozen distributions of ``scipy.stats`` share, the old and the new ones."""

    def cdf(self, x: Any, /) -> Any:
        """Return P(R <= x)."""

    def support(self) -> Any:
        """Return the least and the greatest value."""


# What may be given for a rate; `check_rate` makes a distribution of it.
RateLike: TypeAlias = (
    Literal["uniform"] | Number | RateDistribution | FrozenDistribution
)


class Fitted(RateDistribution):
    """A rate that knows its survival function, which its table interpolates."""

    @cached_property
    def table(self) -> SurvivalTable:
        return _fitted(self)

    def _fit(self) -> SurvivalTable:
        return SurvivalTable.fit(self._survival)


@dataclass(frozen=True, repr=False)
class Beta(Fitted):
    """Beta distribution; see :func:`skrate.rates.beta`."""

    a: float
    b: float

    @cached_property
    def mirrored(self) -> RateDistribution:
        return Beta(self.b, self.a)

    def _survival(self, x: FloatArray) -> FloatArray:
        return np.asarray(special.betaincc(self.a, self.b, x))

    def _below(self, x: FloatArray) -> FloatArray:
        return np.asarray(special.betainc(self.a, self.b, x))

    def _ppf(self, q: FloatArray) -> FloatArray:
        return np.asarray(special.betaincinv(self.a, self.b, q))


@dataclass(frozen=True, repr=False)
class Exponential(Fitted):
    """Exponential distribution; see :func:`skrate.rates.exponential`."""

    alpha: float

    def _survival(self, x: FloatArray) -> FloatArray:
        return np.asarray(np.exp(-self.alpha * x))

    def _below(self, x: FloatArray) -> FloatArray:
        return np.asarray(-np.expm1(-self.alpha * x))

    def _ppf(self, q: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(np.minimum(-np.log1p(-q) / self.alpha, 1.0))


@dataclass(frozen=True, repr=False)
class Interval(RateDistribution):
    """Uniform distribution on an interval; see :func:`skrate.rates.interval`."""

    low: float
    high: float

    @cached_property
    def table(self) -> SurvivalTable:
        inner = [edge for edge in (self.low, self.high) if 0 < edge < 1]
        breaks = np.array([0.0, *inner, 1.0])
        # P(R > u) falls from 1 to 0 over the one panel inside.
        inside = (breaks[:-1] >= self.low) & (breaks[1:] <= self.high)
        slopes = np.where(inside, -0.5, 0.0)
        levels = np.where(inside, 0.5, np.where(breaks[1:] <= self.low, 1.0, 0.0))
        return SurvivalTable(breaks, np.stack([levels, slopes], 1))

    @cached_property
    def mirrored(self) -> RateDistribution:
        low, high = 1 - self.high, 1 - self.low
        return Interval(low, high) if low < high else Fixed(low)

    def _survival(self, x: FloatArray) -> FloatArray:
        width = self.high - self.low
        return np.clip(self.high - x, 0, width) / width

    def _below(self, x: FloatArray) -> FloatArray:
        width = self.high - self.low
        return np.clip(x - self.low, 0, width) / width

    def _ppf(self, q: FloatArray) -> FloatArray:
        return self.low + q * (self.high - self.low)

    def __repr__(self) -> str:
        if (self.low, self.high) == (0, 1):
            return "uniform()"
        return super().__repr__()


@dataclass(frozen=True, repr=False)
class Fixed(RateDistribution):
    """A known rate; see :func:`skrate.rates.fixed`."""

    r: float

    @cached_property
    def table(self) -> SurvivalTable:
        return SurvivalTable.from_steps(np.array([self.r]), np.ones(1))

    @cached_property
    def mirrored(self) -> RateDistribution:
        return Fixed(1 - self.r)

    def _ppf(self, q: FloatArray) -> FloatArray:
        return np.full_like(q, self.r)


@dataclass(frozen=True, repr=False, eq=False)
class Empirical(RateDistribution):
    """Discrete distribution; see :func:`skrate.rates.empirical`.

    ``points`` increase and lie in [0, 1]; ``masses`` are above 0 and sum to 1.
    """

    points: FloatArray
    masses: FloatArray

    @cached_property
    def table(self) -> SurvivalTable:
        return SurvivalTable.from_steps(self.points, self.masses)

    @cached_property
    def mirrored(self) -> RateDistribution:
        return from_masses(1 - self.points, self.masses)

    def _ppf(self, q: FloatArray) -> FloatArray:
        reached = np.cumsum(self.masses)
        # Rounding in the sum must not push a probability to the next point.
        where = np.searchsorted(reached * (1 + 1e-14), q)
        return self.points[np.minimum(where, len(self.points) - 1)]

    @property
    def nbytes(self) -> int:
        return 12 * self.points.nbytes

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Empirical)
        return self is other or (
            np.array_equal(self.points, other.points)
            and np.array_equal(self.masses, other.masses)
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.points.tobytes(), self.masses.tobytes()))

    def __repr__(self) -> str:
        return (
            f"empirical({len(self.points)} rates from {self.points[0]:.6g} to "
            f"{self.points[-1]:.6g}, mean {self.mean():.6g})"
        )


_UNIFORM = Interval(0.0, 1.0), Beta(1.0, 1.0)


def is_uniform(rate: RateDistribution) -> bool:
    """Return whether a rate is uniform on [0, 1], by whatever name."""
    return rate in _UNIFORM


def from_masses(points: FloatArray, masses: FloatArray) -> Empirical:
    """Return a discrete rate from finite points, clipped to [0, 1], and masses."""
    points, where = np.unique(np.clip(points, 0, 1) + 0.0, return_inverse=True)
    masses = np.asarray(np.bincount(where, masses), dtype=np.float64)
    points, masses = points[masses > 0], masses[masses > 0] / masses.sum()
    for array in (points, masses):
        array.flags.writeable = False
    return Empirical(points, masses)


@dataclass(frozen=True, repr=False)
class LogDiscount(RateDistribution):
    """The weighting of NDCG; see :func:`skrate.rates.log_discount`."""

    n: int
    base: float

    _kind = "log_discount"

    @cached_property
    def table(self) -> SurvivalTable:
        positions = np.arange(1, self.n + 1)
        # P(R >= i / n): the discount of position i, at most 1.
        processed = np.minimum(np.log(self.base) / np.log1p(positions), 1.0)
        breaks = np.append(0, positions) / self.n
        masses = -np.diff(processed, append=0.0)
        is_jump = masses > 0
        return SurvivalTable(
            breaks, processed[:, None], breaks[1:][is_jump], masses[is_jump]
        )

    @cached_property
    def mirrored(self) -> RateDistribution:
        points, masses = self.table.point_masses()
        # A base below 2 does not always process the first case.
        at_zero = 1 - self.table.survival(np.zeros(1))
        return from_masses(np.append(1 - points, 1.0), np.append(masses, at_zero))

    @property
    def nbytes(self) -> int:
        return 64 * self.n

    def __repr__(self) -> str:
        return f"{self._kind}({self.n}, base={_number(self.base)})"


@dataclass(frozen=True, repr=False)
class Mixture(RateDistribution):
    """Mixture of distributions; see :func:`skrate.rates.mixture`."""

    components: tuple[RateDistribution, ...]
    weights: tuple[float, ...]

    @cached_property
    def table(self) -> SurvivalMixture:
        parts = [component.table for component in self.components]
        return SurvivalMixture(parts, self.weights)

    @cached_property
    def mirrored(self) -> RateDistribution:
        parts = tuple(component.mirrored for component in self.components)
        return Mixture(parts, self.weights)

    @property
    def nbytes(self) -> int:
        return sum(component.nbytes for component in self.components)

    def _survival(self, x: FloatArray) -> FloatArray:
        parts = (component._survival(x) for component in self.components)
        return np.asarray(
            sum(w * part for w, part in zip(self.weights, parts, strict=True))
        )

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{_number(weight)}: {component!r}"
            for weight, component in zip(self.weights, self.components, strict=True)
        )
        return f"mixture({parts})"


@dataclass(frozen=True, repr=False)
class Mirrored(Fitted):
    """The distribution of 1 - R, read off P(R <= x)."""

    of: RateDistribution

    @cached_property
    def mirrored(self) -> RateDistribution:
        return self.of

    @property
    def nbytes(self) -> int:
        return self.of.nbytes

    def _survival(self, x: FloatArray) -> FloatArray:
        return self.of._below(1 - x)

    def _fit(self) -> SurvivalTable:
        # 1 - x is rounded as numbers next to 1 are, however small x is.
        spacing = float(np.spacing(0.5))
        knots = 1 - self.of.table.knots()
        return SurvivalTable.fit(self._survival, knots, spacing=spacing)

    def __repr__(self) -> str:
        return f"1 - {self.of!r}"


@kept
def _fitted(rate: Fitted) -> SurvivalTable:
    """Return the table of a rate; equal ones share it."""
    return rate._fit()


def _percent(rate: float) -> str:
    """Return a rate in percent, with some digits of it and of what it lacks to 1."""
    percent = 100 * rate
    least = min(percent, 100 - percent)
    if least == 0 or least >= 0.95:
        return f"{percent:.1f} %"
    if percent == least:
        return f"{percent:#.3g} %"
    n_decimals = 1 - math.floor(math.log10(least))
    return f"{percent:.{n_decimals}f} %"


def _number(value: Any) -> str:
    if not isinstance(value, float):
        return repr(value)
    # What is next to 1 is not called 1.
    return repr(value) if 1 - 5e-7 <= value < 1 else f"{value:.6g}"
