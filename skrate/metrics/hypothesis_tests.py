"""What is tested: null hypotheses of a side and a margin, and Student's t of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy import special

from skrate.data.checks import check_choice, check_number

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
# Standard errors below are rounding: the sample shows no variation at all.
NEGLIGIBLE = 1e-12


class Null(NamedTuple):
    """A value that is not to be true, and the side on which what is found must lie."""

    value: float
    alternative: Alternative


def null_hypotheses(alternative: Alternative, margin: float | None) -> tuple[Null, ...]:
    """Return what a test of a difference must reject.

    With a margin it is the end that the difference must be beyond: of a two-sided one,
    which is equivalence, both ends (two one-sided tests).
    """
    if margin is None:
        return (Null(0.0, alternative),)
    ends = Null(-margin, "greater"), Null(margin, "less")
    return tuple(one for one in ends if alternative in ("two-sided", one.alternative))


def two_sided_level(
    level: float, alternative: Alternative, margin: float | None = None
) -> float:
    """Return the level of the two-sided interval with the ends of one-sided ones.

    Two-sided tests of no margin have their own level.
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    if alternative == "two-sided" and margin is None:
        return level
    if level <= 0.5:
        of = "margin" if alternative == "two-sided" else f"alternative={alternative!r}"
        raise ValueError(
            f"confidence_level must be above 0.5 with {of}, whose intervals have a "
            f"level for each end, got {level:g}."
        )
    return 2 * level - 1


def check_null(value: float, name: str, bounds: tuple[float, float]) -> float:
    """Return the value of a metric that is tested, within its bounds."""
    value, (low, high) = check_number("null_value", value), bounds
    if not low < value < high:
        raise ValueError(
            f"null_value={value:g} is beyond all values of the {name}, or at their "
            f"end: it must be between {low:g} and {high:g}."
        )
    return value


def exceeds(probability: float, level: float) -> bool:
    """Return whether a probability is above a level, beyond rounding.

    As a float, 1 - 0.9 is below 0.1. Probabilities have ten digits or more.
    """
    return bool(probability > level * (1 + 1e-9))


def describe_alternative(
    alternative: Alternative, null_value: float | None
) -> Alternative | None:
    """Return the alternative of an estimate, None without a test and a side."""
    is_plain = null_value is None and alternative == "two-sided"
    return None if is_plain else alternative


def standardised(difference: float, standard_error: float) -> float:
    """Return the difference in standard errors: 0 for none, nan where it is unknown."""
    if standard_error > NEGLIGIBLE:
        return difference / standard_error
    return 0.0 if abs(difference) < NEGLIGIBLE else float("nan")


def t_pvalue(statistic: float, alternative: Alternative, freedom: float) -> float:
    """Return the p-value of a statistic with Student's t distribution."""
    if alternative == "less":
        return float(special.stdtr(freedom, statistic))
    if alternative == "greater":
        return float(special.stdtr(freedom, -statistic))
    return float(2 * special.stdtr(freedom, -abs(statistic)))


def t_test(
    value: float, standard_error: float, nulls: Sequence[Null], freedom: float
) -> tuple[float, float]:
    """Return the statistic and the p-value of Student's t against all nulls."""
    found = []
    for null in nulls:
        statistic = standardised(value - null.value, standard_error)
        found.append((statistic, t_pvalue(statistic, null.alternative, freedom)))
    return max_pvalue_test(found)


def max_pvalue_test(found: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the statistic and the p-value of the test that rejects least; nan wins."""
    return max(found, key=lambda one: np.inf if np.isnan(one[1]) else one[1])


def sided_pvalue(
    two_sided: float, difference: float, alternative: Alternative
) -> float:
    """Return the p-value of a side from that of both, of equal tails."""
    if alternative == "two-sided":
        return two_sided
    is_towards = (alternative == "greater") == (difference > 0)
    return two_sided / 2 if is_towards else 1 - two_sided / 2


def hypothesis_text(what: str, nulls: Sequence[Null]) -> str:
    """Return what a small p-value speaks for."""
    if len(nulls) == 2:
        return f"{nulls[0].value:g} < {what} < {nulls[1].value:g}"
    signs = {"greater": ">", "less": "<", "two-sided": "!="}
    return f"{what} {signs[nulls[0].alternative]} {nulls[0].value:g}"
