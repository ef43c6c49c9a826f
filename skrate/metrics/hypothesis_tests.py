"""Null hypotheses, tests and confidence intervals with Student's t."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import special

from skrate.data.checks import check_number

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
# Smaller standard errors are rounding errors: the sample has no variation.
NEGLIGIBLE = 1e-12
_TINY = float(np.finfo(np.float64).tiny)


class Null(NamedTuple):
    """A null value, and the side on which the alternative lies."""

    value: float
    alternative: Alternative


def null_hypotheses(alternative: Alternative, margin: float | None) -> tuple[Null, ...]:
    """Return the null hypotheses that a test of a difference must reject.

    With a margin, the null value of "greater" is -margin, and of "less" it is margin.
    "two-sided" is then equivalence, with both of these (two one-sided tests).
    """
    if margin is None:
        return (Null(0.0, alternative),)
    ends = Null(-margin, "greater"), Null(margin, "less")
    return tuple(x for x in ends if alternative in ("two-sided", x.alternative))


def two_sided_level(
    level: float, alternative: Alternative, margin: float | None = None
) -> float:
    """Return the level of the two-sided interval whose ends are one-sided bounds.

    A two-sided test without a margin has the same level.
    """
    if alternative == "two-sided" and margin is None:
        return level
    if level <= 0.5:
        kind = (
            "margin" if alternative == "two-sided" else f"alternative={alternative!r}"
        )
        raise ValueError(
            f"confidence_level must be above 0.5 with {kind}, got {level:g}: it is the "
            "level of each end of the interval."
        )
    return 2 * level - 1


def check_null(value: float, name: str, bounds: tuple[float, float]) -> float:
    """Return the tested value of a metric, which must be within its bounds."""
    null_value, (low, high) = check_number("null_value", value), bounds
    if not low < null_value < high:
        raise ValueError(
            f"null_value={null_value:g} must be strictly between {low:g} and {high:g}, "
            f"the ends of the range of the {name}."
        )
    return null_value


def exceeds(probability: float, level: float) -> bool:
    """Return whether a probability is above a level by more than rounding.

    As a float, 1 - 0.9 is below 0.1. Probabilities have at least ten correct digits.
    """
    return bool(probability > level * (1 + 1e-9))


def standardised(difference: float, standard_error: float) -> float:
    """Return the difference in standard errors.

    If the standard error is 0, return 0 for a difference of 0, otherwise nan.
    """
    if standard_error > NEGLIGIBLE:
        return difference / standard_error
    return 0.0 if abs(difference) < NEGLIGIBLE else float("nan")


def t_pvalue(statistic: float, alternative: Alternative, dof: float) -> float:
    """Return the p-value of a statistic with Student's t distribution."""
    if alternative == "less":
        return float(special.stdtr(dof, statistic))
    if alternative == "greater":
        return float(special.stdtr(dof, -statistic))
    return float(2 * special.stdtr(dof, -abs(statistic)))


def t_test(
    value: float, standard_error: float, nulls: Sequence[Null], dof: float
) -> tuple[float, float]:
    """Return the statistic and p-value of the t-test that rejects all nulls."""
    tests = []
    for null in nulls:
        statistic = standardised(value - null.value, standard_error)
        tests.append((statistic, t_pvalue(statistic, null.alternative, dof)))
    return tests[0] if len(tests) == 1 else max_pvalue_test(tests)


def max_pvalue_test(found: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the statistic and p-value with the maximum p-value; nan comes first."""
    return max(found, key=lambda test: np.inf if np.isnan(test[1]) else test[1])


def sided_pvalue(
    two_sided: float, difference: float, alternative: Alternative
) -> float:
    """Return the p-value of a side from the two-sided p-value with equal tails."""
    if alternative == "two-sided":
        return two_sided
    is_towards = (alternative == "greater") == (difference > 0)
    return two_sided / 2 if is_towards else 1 - two_sided / 2


def hypothesis_text(what: str, nulls: Sequence[Null]) -> str:
    """Return the alternative hypothesis as a formula."""
    if len(nulls) == 2:
        return f"{nulls[0].value:g} < {what} < {nulls[1].value:g}"
    signs = {"greater": ">", "less": "<", "two-sided": "!="}
    return f"{what} {signs[nulls[0].alternative]} {nulls[0].value:g}"


class ConfidenceInterval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


def t_quantile(level: float, dof: float = np.inf) -> float:
    """Return t with P(-t < T < t) = ``level`` for Student's T, normal by default."""
    # The lower tail is precise at levels near 1.
    tail = (1 - level) / 2
    lower = special.ndtri(tail) if np.isinf(dof) else special.stdtrit(dof, tail)
    # At levels near 0, rounding may leave it above 0.
    return max(-float(lower), 0.0)


def t_interval(
    value: float,
    standard_error: float,
    level: float,
    limits: tuple[float, float],
    dof: float = np.inf,
) -> ConfidenceInterval:
    """Return the interval by Student's t, clipped to limits; nan if an end is nan."""
    half = t_quantile(level, dof) * standard_error
    return clip_interval(value - half, value + half, limits)


def one_sided(
    ends: ConfidenceInterval, alternative: str, limits: tuple[float, float]
) -> ConfidenceInterval:
    """Return the interval of a one-sided alternative.

    "greater" keeps the lower end, and the upper end becomes the limit.

    Two-sided intervals, and intervals with an end that is nan, are unchanged.
    """
    if alternative == "two-sided" or np.isnan(ends).any():
        return ends
    if alternative == "greater":
        return ends._replace(high=float(limits[1]))
    return ends._replace(low=float(limits[0]))


def clip_interval(
    low: float, high: float, limits: tuple[float, float]
) -> ConfidenceInterval:
    """Return the interval, clipped to the limits."""
    low, high = np.clip([low, high], *limits)
    return ConfidenceInterval(float(low), float(high))


def wilson_ends(value: Any, bounds: tuple[Any, Any], k: Any) -> tuple[Any, Any]:
    """Return the roots x of (x - v)^2 = k x (1 - x), for one value or for many.

    x and v are the relative positions of the end and the value between the bounds. For
    a fraction of n samples, k is z^2 / n, with the normal quantile z.
    """
    low, high = bounds
    # A larger k excludes no value, and its square may be infinite.
    is_boundless = k > 1e100
    k = np.where(is_boundless, 1.0, k)
    # Each distance is computed by itself: near a bound, 1 - other would be rounding.
    above, below = (value - low) / (high - low), (high - value) / (high - low)
    half = np.sqrt(k * above * below + k**2 / 4)
    # The distances of the roots from the bounds.
    from_low = above + k / 2 + half
    from_high = below + k / 2 + half
    low_end = _bound_value(
        above**2 / np.maximum(from_low, _TINY), from_high / (1 + k), bounds
    )
    high_end = _bound_value(
        from_low / (1 + k), below**2 / np.maximum(from_high, _TINY), bounds
    )
    # Rounding must not exclude the value from a narrow interval.
    return (
        np.where(is_boundless, low, np.minimum(low_end, value)),
        np.where(is_boundless, high, np.maximum(high_end, value)),
    )


def _bound_value(above: Any, below: Any, bounds: tuple[Any, Any]) -> Any:
    """Return the point at relative distances from the bounds, by the nearer one."""
    low, high = bounds
    width = high - low
    return np.where(above < below, low + width * above, high - width * below)
