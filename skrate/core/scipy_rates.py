"""Rate distributions from frozen ``scipy.stats`` distributions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.rates import (
    Beta,
    Exponential,
    Interval,
    RateDistribution,
    from_masses,
)
from skrate.core.survival import SurvivalTable


def is_scipy_distribution(rate: Any) -> bool:
    """Return whether ``rate`` is a frozen distribution, of the old or the new kind."""
    is_frozen = hasattr(rate, "dist") and hasattr(rate, "sf") and hasattr(rate, "ppf")
    is_random_variable = hasattr(rate, "ccdf") and hasattr(rate, "icdf")
    return is_frozen or is_random_variable


@lru_cache(maxsize=64)
def from_scipy(frozen: Any) -> RateDistribution:
    """Return the rate distribution of a frozen ``scipy.stats`` distribution.

    The last few are kept, so that their tables are built once.
    """
    if not hasattr(frozen, "dist"):
        return _as_continuous(frozen, frozen.ccdf)
    if not hasattr(frozen.dist, "pdf"):
        return _discrete(frozen)
    shapes = _shape_values(frozen)
    rate = _as_continuous(frozen, frozen.sf)
    loc, scale = shapes["loc"], shapes["scale"]
    match frozen.dist.name:
        case "beta" if (loc, scale) == (0, 1):
            return Beta(shapes["a"], shapes["b"])
        case "uniform" if 0 <= loc < loc + scale <= 1:
            return Interval(loc, loc + scale)
        case "expon" if loc == 0:
            return Exponential(1 / scale)
    return rate


def _shape_values(frozen: Any) -> dict[str, float]:
    """Return the parameters of a frozen distribution by name."""
    shapes = frozen.dist.shapes
    names = [name.strip() for name in shapes.split(",")] if shapes else []
    values = {"loc": 0.0, "scale": 1.0, **frozen.kwds}
    values.update(zip([*names, "loc", "scale"], frozen.args, strict=False))
    if not all(np.ndim(value) == 0 for value in values.values()):
        raise ValueError(f"rate must be one distribution, got several: {values}.")
    return {name: float(value) for name, value in values.items()}


def _discrete(frozen: Any) -> RateDistribution:
    """Return the point masses of a discrete distribution, clipped to [0, 1]."""
    loc = _shape_values(frozen)["loc"]
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
    if not np.isclose(masses.sum(), 1):
        raise ValueError(
            "rate is a discrete distribution whose masses do not sum to 1: "
            f"{masses.sum():g}."
        )
    return from_masses(points, masses)


def _as_continuous(
    frozen: Any, survival: Callable[[FloatArray], FloatArray]
) -> RateDistribution:
    at = np.asarray(survival(np.linspace(0, 1, 17)), dtype=np.float64)
    if at.shape != (17,) or not np.isfinite(at).all():
        raise ValueError(f"rate has no finite survival function on [0, 1]: {frozen!r}.")
    return ScipyRate(_name(frozen), tuple(at.tolist()), frozen)


def _name(frozen: Any) -> str:
    if not hasattr(frozen, "dist"):
        return repr(frozen)
    given = [f"{value:g}" for value in frozen.args]
    given += [f"{name}={value:g}" for name, value in frozen.kwds.items()]
    return f"{frozen.dist.name}({', '.join(given)})"


@dataclass(frozen=True, repr=False)
class ScipyRate(RateDistribution):
    """A continuous ``scipy.stats`` distribution, clipped to [0, 1].

    Two are equal when name, parameters and the values at 17 rates are.
    """

    name: str
    values: tuple[float, ...]
    frozen: Any = field(compare=False)

    @cached_property
    def _table(self) -> SurvivalTable:
        return SurvivalTable.fit(self._survival)

    def _survival(self, x: FloatArray) -> FloatArray:
        sf = self.frozen.sf if hasattr(self.frozen, "sf") else self.frozen.ccdf
        return np.asarray(sf(x), dtype=np.float64)

    def _ppf(self, q: FloatArray) -> FloatArray:
        ppf = self.frozen.ppf if hasattr(self.frozen, "ppf") else self.frozen.icdf
        return np.asarray(ppf(q), dtype=np.float64)

    def __repr__(self) -> str:
        return self.name
