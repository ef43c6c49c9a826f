"""AUC moments by listing every ranking and every threshold, in rational numbers."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb


def auc_counts(n_pos, n_neg, n_errors=None, errors_apart=None):
    """Count AUCs over all (order of labels, threshold) with the errors asked for.

    ``errors_apart`` is (false positives, false negatives).
    """
    size = n_pos + n_neg
    counts = Counter()
    for places in combinations(range(size), n_pos):
        is_pos = [place in places for place in range(size)]
        auc = _auc(is_pos)
        for cut in range(size + 1):
            false_pos = sum(not label for label in is_pos[:cut])
            false_neg = sum(is_pos[cut:])
            if errors_apart is not None:
                matches = (false_pos, false_neg) == errors_apart
            else:
                matches = false_pos + false_neg == n_errors
            if matches:
                counts[auc] += 1
    return counts


def moments(counts):
    """Mean and variance of a table of counts, as fractions."""
    total = sum(counts.values())
    mean = sum(value * count for value, count in counts.items()) / Fraction(total)
    square = sum(value**2 * count for value, count in counts.items()) / Fraction(total)
    return mean, square - mean**2


def _auc(is_pos):
    """Share of pairs with the positive in front, pair by pair."""
    pairs = [
        (i, j)
        for i, pos in enumerate(is_pos)
        for j, other in enumerate(is_pos)
        if pos and not other
    ]
    return Fraction(sum(i < j for i, j in pairs), len(pairs))


def moments_by_counting(n_pos, n_neg, n_errors):
    """Mean and variance from whole numbers of orders, for any size.

    Follows the propositions, not the pairs: of N cases above the threshold x are
    negative, and the sum of their ranks has the mean x (N + 1) / 2 and a known second
    moment (lemma 3 of Cortes and Mohri 2003).
    """
    total, first, second = 0, Fraction(0), Fraction(0)
    for x in range(max(0, n_errors - n_pos), min(n_errors, n_neg) + 1):
        y = n_errors - x
        above, under = n_pos - y + x, n_neg - x + y
        orders = comb(above, x) * comb(under, y)
        a, a_square = _rank_sum(above, x)
        b, b_square = _rank_sum(under, y)
        # Equation 6: pairs in order are D minus the two sums of ranks.
        d = n_pos * n_neg + Fraction((n_errors - 2 * x) ** 2 + n_errors, 2)
        total += orders
        first += orders * (d - a - b)
        second += orders * (d * d - 2 * d * (a + b) + a_square + 2 * a * b + b_square)
    mean = first / total
    pairs = n_pos * n_neg
    return mean / pairs, (second / total - mean**2) / pairs**2


def _rank_sum(size, x):
    """Mean and mean square of the sum of x ranks out of ``size``."""
    mean = Fraction(x * (size + 1), 2)
    square = Fraction(x * (size + 1) * (3 * size * x + 2 * x + size), 12)
    return mean, square
