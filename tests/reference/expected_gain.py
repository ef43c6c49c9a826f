"""The expected gain, literally: groups of equal scores, the best one first."""

import math
from fractions import Fraction

import numpy as np


def by_groups(y_score, gain, cost, distribution, weights=None):
    """Return the sum over groups of gain times the mean survival over their cost."""
    weights = [1] * len(y_score) if weights is None else weights
    sums = {}
    for score, gains, price, weight in zip(y_score, gain, cost, weights, strict=True):
        if weight:
            entry = sums.setdefault(score, [Fraction(0), Fraction(0)])
            entry[0] += Fraction(float(gains)) * Fraction(float(weight))
            entry[1] += Fraction(float(price)) * Fraction(float(weight))
    spent = sum(price for _, price in sums.values())
    above, parts = Fraction(0), []
    for score in sorted(sums, reverse=True):
        gains, price = sums[score]
        low, high = float(above / spent), float((above + price) / spent)
        mean = distribution.mean_survival(np.array([low]), np.array([high]))[0]
        parts.append(float(gains) * float(mean))
        above += price
    return math.fsum(parts)


def of_classes(groups, gain, distribution, *, per_sample=True):
    """Return the same of a gain per class, where all cases cost the same."""
    edges = groups.edges
    means = distribution.mean_survival(edges[:-1], edges[1:])
    of_pos, of_neg = (Fraction(gain.get(c, 0)) for c in ("positive", "negative"))
    # Exact, as whole weights may be beyond all floats.
    found = sum(
        (of_pos * pos + of_neg * neg) * Fraction(float(mean))
        for pos, neg, mean in zip(groups.pos, groups.neg, means, strict=True)
    )
    return float(found / groups.total if per_sample else found)


def spent_on(y_score, gain, cost, rate):
    """Return the gain of a budget that is spent case by case, the last one in part.

    No scores may tie.
    """
    left = Fraction(rate) * sum(map(Fraction, cost))
    found = Fraction(0)
    for case in sorted(range(len(y_score)), key=lambda case: -y_score[case]):
        price = Fraction(cost[case])
        if price > left:
            # The last one in part, and nothing after it, be it free.
            found += left / price * Fraction(gain[case])
            break
        found += Fraction(gain[case])
        left -= price
    return float(found)
