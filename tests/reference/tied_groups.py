"""Groups of tied scores by comparing exact numbers, one case with another."""

from fractions import Fraction
from typing import Any


def exact(number: Any) -> Fraction:
    """Return the exact value of a number of any type, in any byte order."""
    if hasattr(number, "as_integer_ratio"):  # floats, extended precision too
        return Fraction(*number.as_integer_ratio())
    return Fraction(int(number))


def tied_groups(y_true, y_score, sample_weight=None):
    """Return (score, weight of positives, weight of negatives), best score first."""
    weights = [1] * len(y_true) if sample_weight is None else sample_weight
    groups: dict[Fraction, list[Fraction]] = {}
    for label, score, weight in zip(y_true, y_score, weights, strict=True):
        if weight:
            group = groups.setdefault(exact(score), [Fraction(0), Fraction(0)])
            group[0 if label else 1] += exact(weight)
    return [(score, *groups[score]) for score in sorted(groups, reverse=True)]
