"""Rate distributions from frozen ``scipy.stats`` distributions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import joblib
import numpy as np
from scipy import stats

from skrate.core.arrays import ArrayLike, FloatArray
from skrate.core.kept import kept
from skrate.core.rates import (
    Beta,
    Exponential,
    Fitted,
    Interval,
    RateDistribution,
    from_masses,
)
from skrate.core.survival import SurvivalTable

# Of a rate no more of the probability is above 1, where all is processed.
_MOST_ABOVE = 0.5


def is_scipy_distribution(rate: Any) -> bool:
    """Return whether ``rate`` is a frozen distribution, of the old or the new kind."""
    is_frozen = hasattr(rate, "dist") and hasattr(rate, "sf") and hasattr(rate, "ppf")
    is_random_variable = hasattr(rate, "ccdf") and hasattr(rate, "icdf")
    return is_frozen or is_random_variable


def from_scipy(frozen: Any) -> RateDistribution:
    """Return the rate distribution of a frozen ``scipy.stats`` distribution.

    Those of late are kept, so that their tables are built once.
    """
    return _converted(_Law(frozen, _law(frozen)))


def clipped(frozen: Any) -> RateDistribution:
    """Return the same where most of it, or all, may be above 1: that is at 1."""
    return _clipped(_Law(frozen, _law(frozen)))


@dataclass(frozen=True)
class _Law:
    """A frozen distribution, equal to those that are the same law."""

    frozen: Any = field(compare=False)
    law: Hashable

    def __reduce__(self) -> Any:
        # A distribution of scipy holds a random state, too: without it, what equal
        # laws are pickled as is the same.
        if isinstance(self.law, _Itself):
            return _Law, (self.frozen, self.law)
        return _from_parameters, (self.frozen.dist.name, _shape_values(self.frozen))

    @property
    def nbytes(self) -> int:
        """Memory taken."""
        return _nbytes_of(self.frozen)


def _from_parameters(name: str, values: dict[str, Any]) -> _Law:
    frozen = getattr(stats, name)(**values)
    return _Law(frozen, _law(frozen))


def _law(frozen: Any) -> Hashable:
    """Return what tells the law: type and parameters, or else the object itself.

    Only scipy's own distributions are determined by their parameters. Histograms,
    samples and whatever users derive hold more, so that one is equal to itself alone.
    """
    dist: Any = getattr(frozen, "dist", None)
    known: Any = getattr(stats, str(getattr(dist, "name", "")), None)
    if dist is None or type(known) is not type(dist):
        return _Itself(frozen)
    if (dist.a, dist.b) != (known.a, known.b):
        return _Itself(frozen)
    names, values = zip(*sorted(_shape_values(frozen).items()), strict=True)
    return type(dist), names, values


class _Itself:
    """Equal for the same object only, whatever the object's own equality says."""

    def __init__(self, it: Any) -> None:
        self.it = it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self.it is other.it

    def __hash__(self) -> int:
        return id(self.it)


@kept
def _converted(law: _Law) -> RateDistribution:
    rate = _clipped(law)
    _check_is_of_shares(law.frozen)
    return rate


def _check_is_of_shares(frozen: Any) -> None:
    """Raise for what is mostly above 1, as counts are: clipped, it would be 1."""
    sf = frozen.sf if hasattr(frozen, "sf") else frozen.ccdf
    above = float(sf(1.0))
    if above > _MOST_ABOVE:
        raise ValueError(
            "rate is a share of all items; the distribution given, "
            f"{scipy_name(frozen)}, is above 1 with probability {above:.3g}: divide "
            "counts by the number of items, as skrate.rates.from_counts(low, high, "
            "n_items) does."
        )


def _clipped(law: _Law) -> RateDistribution:
    frozen = law.frozen
    if not hasattr(frozen, "dist"):
        if _is_on_whole_numbers(frozen):
            return _bernoulli(frozen.cdf(0), frozen.ccdf(0))
        return _with_table(_as_continuous(law))
    if not hasattr(frozen.dist, "pdf"):
        return _discrete(frozen)
    shapes = {name: float(value) for name, value in _shape_values(frozen).items()}
    rate = _as_continuous(law)
    loc, scale = shapes["loc"], shapes["scale"]
    match frozen.dist.name if not isinstance(law.law, _Itself) else None:
        case "beta" if (loc, scale) == (0, 1):
            return Beta(shapes["a"], shapes["b"])
        case "uniform" if 0 <= loc < loc + scale <= 1:
            return Interval(loc, loc + scale)
        case "expon" if loc == 0:
            return Exponential(1 / scale)
    return _with_table(rate)


def _shape_values(frozen: Any) -> dict[str, Any]:
    """Return the parameters of a frozen distribution by name."""
    shapes = frozen.dist.shapes
    names = [name.strip() for name in shapes.split(",")] if shapes else []
    values = {"loc": 0.0, "scale": 1.0, **frozen.kwds}
    values.update(zip([*names, "loc", "scale"], frozen.args, strict=False))
    if not all(np.ndim(value) == 0 for value in values.values()):
        raise ValueError(f"rate must be one distribution, got several: {values}.")
    return {name: np.asarray(value)[()] for name, value in values.items()}


def _is_on_whole_numbers(variable: Any) -> bool:
    """Return whether a new random variable is discrete.

    All such live on whole numbers, and scipy interpolates their ``ccdf`` between
    these, so that it does not show.
    """
    return any(kind.__name__ == "DiscreteDistribution" for kind in type(variable).mro())


def _bernoulli(at_zero: ArrayLike, above: ArrayLike) -> RateDistribution:
    """Return a law on whole numbers, of which those above 0 process everything."""
    masses = np.array([at_zero, above], dtype=np.float64)
    if masses.shape != (2,):
        raise ValueError(f"rate must be one distribution, got several: {at_zero!r}.")
    return _checked_masses(np.array([0.0, 1.0]), masses)


def _discrete(frozen: Any) -> RateDistribution:
    """Return the point masses of a discrete distribution, clipped to [0, 1]."""
    loc = float(_shape_values(frozen)["loc"])
    if hasattr(frozen.dist, "xk"):
        points = np.asarray(frozen.dist.xk, dtype=np.float64) + loc
        return from_masses(points, np.asarray(frozen.dist.pk, dtype=np.float64))
    # Other discrete distributions live on whole numbers, shifted by loc.
    inner = np.array([loc - np.floor(loc)])
    inner = inner[inner > 0]
    points = np.concatenate([[0.0], inner, [1.0]])
    masses = np.concatenate(
        [[frozen.cdf(0)], frozen.pmf(inner), [frozen.sf(np.nextafter(1, 0))]]
    )
    return _checked_masses(points, masses)


def _checked_masses(points: FloatArray, masses: FloatArray) -> RateDistribution:
    if not np.isclose(masses.sum(), 1):
        raise ValueError(
            "rate is a discrete distribution whose masses do not sum to 1: "
            f"{masses.sum():g}."
        )
    return from_masses(points, masses)


def _as_continuous(law: _Law) -> ScipyRate:
    rate = ScipyRate(scipy_name(law.frozen), law)
    at = rate._survival(np.linspace(0, 1, 17))
    if at.shape != (17,) or not np.isfinite(at).all():
        raise ValueError(
            f"rate has no finite survival function on [0, 1]: {law.frozen!r}."
        )
    return rate


def _with_table(rate: ScipyRate) -> RateDistribution:
    """Return the rate, whose survival function is checked as its table is made."""
    assert rate.table is not None
    return rate


def scipy_name(frozen: Any) -> str:
    """Return a frozen distribution by its name and parameters, as it was written."""
    if not hasattr(frozen, "dist"):
        return repr(frozen)
    given = [_parameter(value) for value in frozen.args]
    given += [f"{name}={_parameter(value)}" for name, value in frozen.kwds.items()]
    name = frozen.dist.name or type(frozen.dist).__name__
    return f"{name}({', '.join(given)})"


def _parameter(value: Any) -> str:
    return f"{value:g}" if np.ndim(value) == 0 else f"array of {np.size(value)}"


def _nbytes_of(value: Any, depth: int = 4) -> int:
    """Return the memory of the arrays in an object, in what it holds, and so on."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if depth == 0:
        return 0
    if isinstance(value, dict):
        parts = list(value.values())
    elif isinstance(value, list | tuple):
        # A long list holds numbers, each of them an object.
        parts = list(value) if len(value) < 64 else []
        if not parts:
            return 40 * len(value)
    else:
        parts = list(getattr(value, "__dict__", {}).values())
    return sum(_nbytes_of(part, depth - 1) for part in parts)


@dataclass(frozen=True, repr=False)
class ScipyRate(Fitted):
    """A ``scipy.stats`` distribution that is not discrete, clipped to [0, 1].

    Two are equal when they are the same law.
    """

    name: str = field(compare=False)
    law: _Law

    @cached_property
    def nbytes(self) -> int:
        return self.law.nbytes

    def to_dict(self) -> dict[str, Any]:
        """Return the distribution by name and its parameters, as plain data.

        What holds more than parameters, such as a histogram, is told by a hash of the
        survival function.
        """
        known = {"distribution": f"scipy.stats.{self.name}"}
        if isinstance(self.law.law, _Itself):
            parts = self.table.breaks, self.table.coefficients
            return {**known, "hash": joblib.hash(parts)}
        values = _shape_values(self.law.frozen)
        return known | {name: float(values[name]) for name in sorted(values)}

    def _survival(self, x: FloatArray) -> FloatArray:
        frozen = self.law.frozen
        sf = frozen.sf if hasattr(frozen, "sf") else frozen.ccdf
        # Far out in a tail scipy divides by 0 and takes logarithms of it.
        with np.errstate(all="ignore"):
            return np.asarray(sf(x), dtype=np.float64)

    def _below(self, x: FloatArray) -> FloatArray:
        frozen = self.law.frozen
        if not _has_own_cdf(frozen):
            return super()._below(x)
        with np.errstate(all="ignore"):
            return np.asarray(frozen.cdf(x), dtype=np.float64)

    def _ppf(self, q: FloatArray) -> FloatArray:
        frozen = self.law.frozen
        ppf = frozen.ppf if hasattr(frozen, "ppf") else frozen.icdf
        with np.errstate(all="ignore"):
            return np.asarray(ppf(q), dtype=np.float64)

    def _fit(self) -> SurvivalTable:
        knots = _knots(self.law.frozen)
        return SurvivalTable.fit(self._survival, knots, name=f"rate={self!r}")

    def __repr__(self) -> str:
        return self.name


def _has_own_cdf(frozen: Any) -> bool:
    """Return whether P(R <= x) is a formula of its own, and agrees with P(R > x).

    Else scipy integrates a density, which it may have to differentiate.
    """
    dist = getattr(frozen, "dist", None)
    if dist is not None and type(dist)._cdf is stats.rv_continuous._cdf:
        return False
    x = np.linspace(0, 1, 17)
    with np.errstate(all="ignore"):
        below = np.asarray(frozen.cdf(x))
        above = np.asarray((frozen.sf if dist else frozen.ccdf)(x))
    return bool(np.allclose(below + above, 1, rtol=0, atol=1e-9))


def _knots(frozen: Any) -> FloatArray:
    """Return where the density is known to change abruptly: a support and its bins.

    They save halving towards these places; the survival function decides.
    """
    edges = list(np.atleast_1d(frozen.support()))
    if hasattr(frozen, "dist") and hasattr(frozen.dist, "_hbins"):
        shapes = _shape_values(frozen)
        edges += list(shapes["loc"] + shapes["scale"] * frozen.dist._hbins)
    return np.asarray(edges, dtype=np.float64)
