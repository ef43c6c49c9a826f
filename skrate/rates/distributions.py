"""Distributions of the rate, the fraction of all samples that will be processed."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

import joblib
import numpy as np
from scipy import special, stats

from skrate.data.arrays import ArrayLike, FloatArray, Number, float_or_array
from skrate.data.checks import check_count, check_fraction, check_fractions, shown, warn
from skrate.data.representations import plain, render_html
from skrate.rates.survival import Survival, SurvivalMixture, SurvivalTable, kept, summed


class RateDistribution(ABC):
    """Distribution of the rate R, the fraction of all samples that is processed.

    Metrics accept it as ``rate=``, if it is uncertain which fraction of a ranking will
    be processed. Values of R above 1 mean that all samples are processed, and values
    below 0 that none is: all methods refer to R clipped to [0, 1]. The functions of
    :mod:`skrate.rates` return distributions.

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
        """The survival function P(R > x) as piecewise polynomials."""

    def survival(self, x: ArrayLike) -> Any:
        """Return P(R > x) for rates ``x`` in [0, 1], as an array of this shape."""
        rates = check_fractions("x", x)
        return float_or_array(np.where(rates >= 1, 0.0, self._survival(rates)))

    def __call__(self, x: ArrayLike) -> Any:
        """Return P(R > x), as ``survival`` does: the weight of a sample at ``x``."""
        return self.survival(x)

    def limited_mean(self, x: ArrayLike) -> Any:
        """Return E[min(R, x)] for rates ``x`` in [0, 1], as an array of this shape."""
        return float_or_array(self.table.limited_mean(check_fractions("x", x)))

    def mean(self) -> float:
        """Return E[R], the mean of the processed fraction (R clipped to [0, 1])."""
        return float(self.table.limited_mean(np.ones(1))[0])

    def ppf(self, q: ArrayLike) -> Any:
        """Return the quantiles of R at probabilities ``q`` in [0, 1]."""
        probabilities = check_fractions("q", q)
        return float_or_array(np.clip(self._ppf(probabilities), 0, 1))

    @cached_property
    def mirrored(self) -> RateDistribution:
        """The distribution of 1 - R, with full precision of rates near 1."""
        if self.table.is_discrete:
            points, masses = self.point_masses()
            return from_masses(1 - points, masses)
        return Mirrored(self)

    def mean_survival(self, low: ArrayLike, high: ArrayLike) -> Any:
        """Return the mean of P(R > u) over u in [low, high], for arrays of both ends.

        This is the probability that a sample is processed, if its position in the
        ranking is random between the rates ``low`` and ``high``.
        """
        low, high = check_fractions("low", low), check_fractions("high", high)
        if not np.all(low < high):
            raise ValueError("low must be below high in every cell.")
        low, high = np.broadcast_arrays(low, high)
        return float_or_array(self.table.mean(low, high))

    def density(self, x: ArrayLike) -> Any:
        """Return the density of R at rates ``x``, without the point masses."""
        return float_or_array(
            np.maximum(self.table.density(check_fractions("x", x)), 0.0)
        )

    def point_masses(self) -> tuple[FloatArray, FloatArray]:
        """Return the rates with a positive probability, and these probabilities."""
        return self.table.point_masses()

    def instance_weights(self, n: int) -> FloatArray:
        """Return the probability that each of ``n`` ranked samples is processed.

        The first entry is for the sample with the highest score. The values do not
        increase, and their mean is ``mean()``.
        """
        edges = np.arange(check_count("n", n) + 1) / n
        return self.table.mean(edges[:-1], edges[1:])

    def threshold_weights(self, n: int) -> FloatArray:
        """Return the probability that each of ``n`` ranked samples is processed last.

        It is the weight of a threshold at this sample. The sum is 1 minus the
        probability that no sample is processed.
        """
        return -np.diff(self.instance_weights(n), append=0.0)

    def describe(self, confidence_level: float = 0.95) -> str:
        """Return the rate in words: its mean and central interval, in percent."""
        level = check_fraction("confidence_level", confidence_level)
        low, high = self.ppf([(1 - level) / 2, (1 + level) / 2])
        mean = f"{_percent(self.mean())} of the samples"
        if low == high:
            return f"{mean} will be processed"
        return (
            f"{mean} will be processed on average, between {_percent(low)} and "
            f"{_percent(high)} with probability {level:g}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the name and parameters as plain data, equal for equal distributions.

        Returns
        -------
        values : dict
            Numbers, strings, lists and None, as in JSON; "distribution" is the name.
        """
        return {"distribution": self._kind, **plain(self.__getstate__())}

    def _repr_html_(self) -> str:
        quantiles = (0.025, 0.25, 0.5, 0.75, 0.975)
        names = [f"{100 * q:g} %" for q in quantiles]
        rates = self.ppf(quantiles).tolist()
        summary = {"mean": self.mean(), **dict(zip(names, rates, strict=True))}
        return render_html(repr(self), summary, f"{self.describe()}.")

    # The kernels: arrays within [0, 1], without checks.

    def _survival(self, x: FloatArray) -> FloatArray:
        return self.table.survival(x)

    def _below(self, x: FloatArray) -> FloatArray:
        """Return P(R <= x), with full precision if a subclass has a formula."""
        return 1.0 - self._survival(x)

    def _ppf(self, q: FloatArray) -> FloatArray:
        """Return the minimum x with P(R <= x) >= q, by bisection."""
        # Rounding in P(R <= x) must not push a probability to the next point mass.
        target = q - np.minimum(np.maximum(1e-14 * q, 4e-16), q / 2)
        # Positive floats are in the order of their bits. Bisection of all bits gives a
        # rate of 1e-12 the same relative precision as a rate of 0.1.
        low = np.zeros(q.shape, dtype=np.int64)
        high = np.full_like(low, np.float64(1).view(np.int64))
        reached_at_zero = 1.0 - self._survival(np.zeros_like(q)) >= target
        for _ in range(62):
            middle = (low + high) // 2
            reached = 1.0 - self._survival(middle.view(np.float64)) >= target
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        return np.where(reached_at_zero, 0.0, high.view(np.float64))

    @property
    def _kind(self) -> str:
        return type(self).__name__.lower()

    def __getstate__(self) -> dict[str, Any]:
        # Values derived from the fields are computed again on demand.
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"{self._kind}({', '.join(map(_number, self.__getstate__().values()))})"


class FrozenDistribution(Protocol):
    """The common interface of old and new frozen distributions of ``scipy.stats``."""

    def cdf(self, x: Any, /) -> Any:
        """Return P(R <= x)."""

    def support(self) -> Any:
        """Return the minimum and the maximum."""


# Types that are accepted as a rate; `check_rate` converts them to a distribution.
RateLike: TypeAlias = (
    Literal["uniform"] | Number | RateDistribution | FrozenDistribution
)


class Fitted(RateDistribution):
    """A rate with a formula of its survival function, which its table interpolates."""

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
        breaks = np.unique([0.0, self.low, self.high, 1.0])
        probs = self._survival(breaks)
        lines = np.stack([probs[:-1] + probs[1:], np.diff(probs)], axis=1) / 2
        return SurvivalTable(breaks, lines)

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
    """A fixed rate; see :func:`skrate.rates.fixed`."""

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

    def _ppf(self, q: FloatArray) -> FloatArray:
        reached = np.cumsum(self.masses)
        # Rounding in the sum must not push a probability to the next point.
        where = np.searchsorted(reached * (1 + 1e-14), q)
        return self.points[np.minimum(where, len(self.points) - 1)]

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Empirical)
            and np.array_equal(self.points, other.points)
            and np.array_equal(self.masses, other.masses)
        )

    def __hash__(self) -> int:
        return hash((self.points.tobytes(), self.masses.tobytes()))

    def __repr__(self) -> str:
        return (
            f"empirical({len(self.points)} rates from {self.points[0]:.6g} to "
            f"{self.points[-1]:.6g}, mean {self.mean():.6g})"
        )


# One shared object, because its table is computed only once.
UNIFORM = Interval(0.0, 1.0)


def is_uniform(rate: RateDistribution) -> bool:
    """Return whether a rate is uniform on [0, 1], also as a beta distribution."""
    return rate in (UNIFORM, Beta(1.0, 1.0))


def from_masses(points: FloatArray, masses: FloatArray) -> Empirical:
    """Return a discrete rate from finite points, clipped to [0, 1], and masses."""
    points, masses = summed(np.clip(points, 0, 1), masses)
    masses = masses / masses.sum()
    for column in (points, masses):
        column.flags.writeable = False
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
        # With a base below 2, the first sample is not always processed.
        masses = -np.diff(processed, prepend=1.0, append=0.0)
        is_jump = masses > 0
        return SurvivalTable(
            breaks, processed[:, None], breaks[is_jump], masses[is_jump]
        )

    def __repr__(self) -> str:
        return f"{self._kind}({self.n}, base={_number(self.base)})"


@dataclass(frozen=True, repr=False)
class Mixture(RateDistribution):
    """Mixture of distributions; see :func:`skrate.rates.mixture`."""

    components: tuple[RateDistribution, ...]
    weights: tuple[float, ...]

    @cached_property
    def table(self) -> SurvivalMixture:
        tables = [component.table for component in self.components]
        return SurvivalMixture(tables, self.weights)

    @cached_property
    def mirrored(self) -> RateDistribution:
        components = tuple(component.mirrored for component in self.components)
        return Mixture(components, self.weights)

    def _survival(self, x: FloatArray) -> FloatArray:
        return self.table.weighted(c._survival(x) for c in self.components)

    def __repr__(self) -> str:
        terms = ", ".join(
            f"{_number(weight)}: {component!r}"
            for weight, component in zip(self.weights, self.components, strict=True)
        )
        return f"mixture({terms})"


@dataclass(frozen=True, repr=False)
class Mirrored(Fitted):
    """The distribution of 1 - R, computed from P(R <= x)."""

    of: RateDistribution

    @cached_property
    def mirrored(self) -> RateDistribution:
        return self.of

    def _survival(self, x: FloatArray) -> FloatArray:
        return self.of._below(1 - x)

    def _fit(self) -> SurvivalTable:
        # 1 - x has the rounding error of numbers near 1, even if x is small.
        spacing = float(np.spacing(0.5))
        knots = 1 - self.of.table.breaks
        return SurvivalTable.fit(self._survival, knots, spacing=spacing)

    def __repr__(self) -> str:
        return f"1 - {self.of!r}"


@kept
def _fitted(rate: Fitted) -> SurvivalTable:
    """Return the table of a rate, the same object for equal rates."""
    return rate._fit()


def _percent(rate: float) -> str:
    """Return a rate in percent, with significant digits of the rate and of 1 - rate."""
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
    # A number next to 1 is not shown as 1.
    return repr(value) if 1 - 5e-7 <= value < 1 else f"{value:.6g}"


def is_scipy_distribution(rate: Any) -> bool:
    """Return whether ``rate`` is a frozen distribution, of the old or the new kind."""
    is_frozen = hasattr(rate, "dist") and hasattr(rate, "sf") and hasattr(rate, "ppf")
    is_random_variable = hasattr(rate, "ccdf") and hasattr(rate, "icdf")
    return is_frozen or is_random_variable


def from_scipy(frozen: Any, most_above: float = 0.5) -> RateDistribution:
    """Return the rate distribution of a frozen ``scipy.stats`` distribution.

    An error is raised if a value above 1, such as a count, is too likely: if its
    probability exceeds ``most_above``.
    """
    return _converted(_named(frozen), most_above)[0]


@kept
def _converted(rate: ScipyRate, most_above: float) -> tuple[RateDistribution, str]:
    """Return the distribution within [0, 1], and a warning if much is below 0."""
    clipped = _clipped(rate)
    above = float(rate._sf(1.0))
    if above > most_above:
        raise ValueError(
            f"rate must be a fraction of all items, but {rate!r} is above 1 with "
            f"probability {above:.3g}: divide counts by the number of items, as "
            "skrate.rates.from_counts(low, high, n_items) does."
        )
    # In a discrete distribution, 0 itself is not below 0.
    below = 1 - float(rate._sf(np.nextafter(0, -1)))
    if below <= 0.05:
        return clipped, ""
    return clipped, (
        f"{100 * below:.0f} % of {rate!r} is below 0 and counts as the rate 0: use "
        "skrate.rates.from_quantiles or a distribution on [0, 1], such as "
        f"scipy.stats.beta. The mean rate is now {clipped.mean():.3g}."
    )


def _clipped(rate: ScipyRate) -> RateDistribution:
    """Return an equal rate of another class if possible, or ``rate`` with a table."""
    frozen = rate.frozen
    dist: Any = getattr(frozen, "dist", None)
    # All new discrete random variables are on whole numbers. scipy interpolates their
    # ccdf between these, which hides that they are discrete.
    kinds = {kind.__name__ for kind in type(frozen).mro()}
    if "DiscreteDistribution" in kinds or not (dist is None or hasattr(dist, "pdf")):
        return _discrete(rate)
    at = rate._survival(np.linspace(0, 1, 17))
    if at.shape != (17,) or not np.isfinite(at).all():
        raise ValueError(f"rate has no finite survival function on [0, 1]: {frozen!r}.")
    if isinstance(rate.distribution, tuple):
        params = _parameters(frozen)
        loc, scale = params.pop("loc"), params.pop("scale")
        if dist.name == "beta" and (loc, scale) == (0, 1):
            return Beta(**params)
        if dist.name == "uniform" and 0 <= loc < loc + scale <= 1:
            return Interval(loc, loc + scale)
        if dist.name == "expon" and loc == 0:
            return Exponential(1 / scale)
    # Raises an error unless it is a survival function.
    _fitted(rate)
    return rate


def _discrete(rate: ScipyRate) -> RateDistribution:
    """Return the point masses of a discrete distribution, clipped to [0, 1]."""
    frozen = rate.frozen
    loc = _parameters(frozen)["loc"] if hasattr(frozen, "dist") else 0.0
    if hasattr(frozen, "dist") and hasattr(frozen.dist, "xk"):
        return from_masses(np.add(frozen.dist.xk, loc), np.asarray(frozen.dist.pk))
    # Other discrete distributions are on whole numbers, shifted by loc.
    inner = [loc % 1] if loc % 1 else []
    below, above = frozen.cdf(0), rate._sf(np.nextafter(1, 0) if inner else 0)
    if np.ndim(below):
        raise ValueError(f"rate must be one distribution, got several: {below!r}.")
    masses = np.array([below, *map(frozen.pmf, inner), above], dtype=np.float64)
    if not np.isclose(masses.sum(), 1):
        raise ValueError(
            "rate must be a discrete distribution with masses that sum to 1, got the "
            f"sum {masses.sum():g}."
        )
    return from_masses(np.array([0.0, *inner, 1.0]), masses)


def _parameters(frozen: Any) -> dict[str, float]:
    """Return the parameters of a frozen distribution by name."""
    shapes = frozen.dist.shapes
    names = [name.strip() for name in shapes.split(",")] if shapes else []
    params = {"loc": 0.0, "scale": 1.0, **frozen.kwds}
    params.update(zip([*names, "loc", "scale"], frozen.args, strict=False))
    if not all(np.ndim(param) == 0 for param in params.values()):
        raise ValueError(f"rate must be one distribution, got several: {params}.")
    return {name: float(param) for name, param in sorted(params.items())}


def scipy_name(frozen: Any) -> str:
    """Return a frozen distribution as text, with its parameters as written."""
    if not hasattr(frozen, "dist"):
        return repr(frozen)

    def text(param: Any) -> str:
        return f"{param:g}" if np.ndim(param) == 0 else f"array of {np.size(param)}"

    arguments = [text(param) for param in frozen.args]
    arguments += [f"{name}={text(param)}" for name, param in frozen.kwds.items()]
    name = frozen.dist.name or type(frozen.dist).__name__
    return f"{name}({', '.join(arguments)})"


def _named(frozen: Any) -> ScipyRate:
    """Return a frozen distribution as a rate with a key for comparisons.

    Only distributions of scipy are determined by their parameters; any other is only
    equal to itself.
    """
    dist: Any = getattr(frozen, "dist", None)
    known: Any = getattr(stats, str(getattr(dist, "name", "")), None)
    is_known = dist is not None and type(known) is type(dist)
    if not (is_known and (dist.a, dist.b) == (known.a, known.b)):
        return ScipyRate(frozen, id(frozen))
    return ScipyRate(frozen, (type(dist), *_parameters(frozen).items()))


def _refreeze(name: str, args: tuple[Any, ...], kwds: dict[str, Any]) -> ScipyRate:
    return _named(getattr(stats, name)(*args, **kwds))


@dataclass(frozen=True, repr=False)
class ScipyRate(Fitted):
    """A ``scipy.stats`` distribution that is not discrete, clipped to [0, 1].

    Rates are equal if they have the same type and parameters, or are the same object.
    """

    frozen: Any = field(compare=False)
    distribution: tuple[Any, ...] | int

    def __reduce__(self) -> Any:
        # A distribution of scipy contains a random state. Without it, equal
        # distributions have equal pickles.
        if isinstance(self.distribution, tuple):
            frozen = self.frozen
            return _refreeze, (frozen.dist.name, frozen.args, frozen.kwds)
        return _named, (self.frozen,)

    def to_dict(self) -> dict[str, Any]:
        """Return the name, and the parameters or a hash of the survival function."""
        known = {"distribution": f"scipy.stats.{self!r}"}
        if isinstance(self.distribution, tuple):
            return known | _parameters(self.frozen)
        table = self.table.breaks, self.table.coefficients
        return known | {"hash": joblib.hash(table)}

    @property
    def _sf(self) -> Any:
        return self.frozen.sf if hasattr(self.frozen, "sf") else self.frozen.ccdf

    def _survival(self, x: FloatArray) -> FloatArray:
        return _call_scipy(self._sf, x)

    def _below(self, x: FloatArray) -> FloatArray:
        return _call_scipy(self.frozen.cdf, x) if self._has_cdf else super()._below(x)

    @cached_property
    def _has_cdf(self) -> bool:
        """Whether P(R <= x) is a formula, not an integral, and agrees with P(R > x)."""
        dist = getattr(self.frozen, "dist", None)
        if dist is not None and type(dist)._cdf is stats.rv_continuous._cdf:
            return False
        x = np.linspace(0, 1, 17)
        whole = _call_scipy(self.frozen.cdf, x) + self._survival(x)
        return bool(np.allclose(whole, 1, rtol=0, atol=1e-9))

    def _ppf(self, q: FloatArray) -> FloatArray:
        has_ppf = hasattr(self.frozen, "ppf")
        return _call_scipy(self.frozen.ppf if has_ppf else self.frozen.icdf, q)

    def _fit(self) -> SurvivalTable:
        # The density can change abruptly at the ends of its support and of its bins.
        knots = np.ravel(self.frozen.support())
        dist: Any = getattr(self.frozen, "dist", None)
        if hasattr(dist, "_hbins"):
            params = _parameters(self.frozen)
            knots = np.append(knots, params["loc"] + params["scale"] * dist._hbins)
        return SurvivalTable.fit(
            self._survival, knots.astype(np.float64), name=f"rate={self!r}"
        )

    def __repr__(self) -> str:
        return scipy_name(self.frozen)


def _call_scipy(function: Any, x: FloatArray) -> FloatArray:
    # Far out in a tail, scipy divides by 0 and takes logarithms of 0.
    with np.errstate(all="ignore"):
        return np.asarray(function(x), dtype=np.float64)


FROM_COUNTS = (
    "for counts use skrate.rates.from_counts(low, high, n_items), which returns rates"
)


def check_rate(rate: Any) -> RateDistribution:
    """Return the distribution of any ``rate`` that metrics accept."""
    if isinstance(rate, RateDistribution):
        return rate
    if isinstance(rate, str):
        if rate == "uniform":
            return UNIFORM
        remedy = "pass a number (10 % is rate=0.1), a distribution or 'uniform'"
        raise ValueError(f"rate={rate!r} is unknown: {remedy}.")
    if isinstance(rate, numbers.Real) and not isinstance(rate, bool):
        hint = count_hint(
            rate,
            "{n} of N samples are rate={n}/N (with cost=, a budget of {n} is "
            "rate={n}/cost.sum())",
        )
        return Fixed(check_fraction("rate", rate, include_one=True, hint=hint))
    if is_scipy_distribution(rate):
        converted, caution = _converted(_named(rate), 0.5)
        if caution:
            warn(caution)
        return converted
    if isinstance(rate, Mapping):
        raise ValueError(
            "rate must be a single rate, for the positive class, got a dict of rates "
            f"by class, {shown(rate)}."
        )
    if is_row(rate):
        raise ValueError(
            f"rate must be one rate, got {shown(rate)}: call the function for each, or "
            "if it is uncertain pass a distribution such as rates.empirical(rates), "
            "rates.interval(low, high) or rates.from_quantiles."
        )
    raise ValueError(
        "rate must be 'uniform', a number in (0, 1], a frozen scipy.stats distribution "
        f"or one from skrate.rates, got {shown(rate)}{_conversion_hint(rate)}."
    )


def fixed_rate(rate: RateDistribution | None) -> float | None:
    """Return the rate if only one is possible, None if there are several."""
    if rate is None:
        return None
    points = rate.point_masses()[0]
    is_known = rate.table.is_discrete and len(points) == 1
    return float(points[0]) if is_known else None


def rate_cuts(rate: RateDistribution | None) -> FloatArray:
    """Return the rates within (0, 1) with a positive probability.

    They increase; slopes jump at these rates from one sample to the next.
    """
    if rate is None:
        return np.empty(0)
    points = rate.point_masses()[0]
    # Rates of 0 and 1 do not cut the ranking.
    return points[(points > 0) & (points < 1)]


def count_hint(value: Any, meant: str) -> str:
    """Return a hint for a whole number "{n}" above 1 that was given as a fraction."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    # Greater numbers are not numbers of items.
    if not (is_number and 1 < value < np.inf and value == int(value) < 10**15):
        return ""
    percent = f"{value:g} % is {value / 100:g}, and " if value <= 100 else ""
    return f": {percent}{meant.replace('{n}', str(int(value)))}"


def is_row(value: Any) -> bool:
    """Return whether a value is a sequence, but not text."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _conversion_hint(rate: Any) -> str:
    """Return a hint for an object that is almost a distribution."""
    if not (callable(rate) and hasattr(rate, "sf") and hasattr(rate, "ppf")):
        return ""
    name = type(rate).__name__
    if getattr(rate, "shapes", None):
        return f": freeze it by a call with its parameters, {rate.name}({rate.shapes})"
    call = f"{name}(...)()" if name in ("rv_histogram", "rv_discrete") else "rate()"
    return f": freeze it by a call, {call}"
