"""Areas under parts of the ROC curve, literally, in fractions.

The curve is a function of the false positive rate, straight between its corners. An
integrand that is straight between knots is summed by its value in the middle of each
piece, where a vertical piece of the curve is never asked for.
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from scipy import integrate

NAN = float("nan")


def corners(groups):
    """Return the corners of the curve: false and true positive rates, in order."""
    return [
        (Fraction(lost, groups.n_neg), Fraction(found, groups.n_pos))
        for lost, found in zip(groups.cum_neg, groups.cum_pos, strict=True)
    ]


def height(curve, f):
    """Return the true positive rate at a false positive rate between corners."""
    for (f_low, t_low), (f_high, t_high) in pairwise(curve):
        if f_low < f < f_high:
            return t_low + (t_high - t_low) * (f - f_low) / (f_high - f_low)
    raise AssertionError(f"{f} is a corner")


def crossings(curve, distance):
    """Return where a straight function of the corners is 0 within a piece."""
    for low, high in pairwise(curve):
        a, b = distance(*low), distance(*high)
        if a * b < 0:
            share = a / (a - b)
            yield low[0] + share * (high[0] - low[0])


def integral(curve, knots, integrand):
    """Return the integral over [0, 1] of what is straight between corners and knots."""
    edges = sorted({f for f, _ in curve} | {f for f in knots if 0 <= f <= 1})
    return sum(
        (high - low) * integrand((low + high) / 2, height(curve, (low + high) / 2))
        for low, high in pairwise(edges)
    )


def partial_area(groups, fpr=None, tpr=None):
    """Return the area in a window, below the curve."""
    (a, b), (c, d) = (
        (Fraction(0), Fraction(1)) if ends is None else map(Fraction, ends)
        for ends in (fpr, tpr)
    )
    curve = corners(groups)
    knots = {a, b}
    for level in (c, d):
        knots |= set(crossings(curve, lambda f, t, level=level: t - level))
    return integral(
        curve, knots, lambda f, t: min(max(t, c), d) - c if a < f < b else 0
    )


def partial_auc(groups, fpr=None, tpr=None, standardize="mcclish"):
    """Return the area, or what it is between that of the diagonal and of all."""
    if not groups.n_pos or not groups.n_neg:
        return NAN
    area = partial_area(groups, fpr, tpr)
    if standardize is None:
        return float(area)
    diagonal = type(groups)([1, 0], [1, 1])
    least = partial_area(diagonal, fpr, tpr)
    most = math.prod(
        1 if ends is None else Fraction(ends[1]) - Fraction(ends[0])
        for ends in (fpr, tpr)
    )
    return float((1 + (area - least) / (most - least)) / 2)


def weighted_height(groups, density):
    """Return the integral of the curve times a density, by numerical quadrature."""
    if not groups.n_pos or not groups.n_neg:
        return NAN
    total = 0.0
    for (f_low, t_low), (f_high, t_high) in pairwise(corners(groups)):
        if f_low == f_high:
            continue
        low, high = float(f_low), float(f_high)
        slope = float((t_high - t_low) / (f_high - f_low))
        start = float(t_low)
        total += integrate.quad(
            lambda f, low=low, slope=slope, start=start: (
                (start + slope * (f - low)) * density(f)
            ),
            low,
            high,
            epsabs=1e-14,
            epsrel=1e-12,
        )[0]
    return total


def croc_area(y_true, y_score, alpha):
    """Return the area under the concentrated ROC curve of a ranking without ties.

    Swamidass and others (2010): the false positive rate x becomes
    (1 - exp(-alpha x)) / (1 - exp(-alpha)).
    """
    order = np.argsort(-np.asarray(y_score))
    ranked = np.asarray(y_true)[order]
    n_neg = int((ranked == 0).sum())
    area, found, lost = 0.0, 0, 0
    for is_pos in ranked:
        if is_pos:
            found += 1
            continue
        ends = [
            (1 - math.exp(-alpha * k / n_neg)) / (1 - math.exp(-alpha))
            for k in (lost, lost + 1)
        ]
        area += (ends[1] - ends[0]) * found / (len(ranked) - n_neg)
        lost += 1
    return area
