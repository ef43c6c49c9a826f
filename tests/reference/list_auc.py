"""The AUC within lists, pair by pair, in exact fractions, list by list.

Tied items at a cut are put into every order, literally.
"""

from fractions import Fraction
from itertools import permutations


def lists_of(y_true, y_score, groups, weights=None):
    """Return {label: [(score, is positive, weight), ...]}, without weight zero."""
    weights = [1] * len(y_true) if weights is None else weights
    lists = {}
    for label, score, group, weight in zip(
        y_true, y_score, groups, weights, strict=True
    ):
        items = lists.setdefault(group, [])
        if weight:
            items.append((score, label == 1, Fraction(float(weight))))
    return lists


def pairs(items):
    """Return (weight of pairs in order, weight of all pairs)."""
    ordered = total = Fraction(0)
    for score, is_pos, weight in items:
        for other, other_is_pos, other_weight in items:
            if is_pos and not other_is_pos:
                total += weight * other_weight
                half_points = 2 if score > other else int(score == other)
                ordered += Fraction(half_points, 2) * weight * other_weight
    return ordered, total


def auc(items):
    """Return the AUC of a list, None where it has one class."""
    ordered, total = pairs(items)
    return ordered / total if total else None


def tops(items, k):
    """Return the first k items of each order of the tied, places instead of scores."""
    found = []
    for order in permutations(items):
        scores = [item[0] for item in order]
        if scores == sorted(scores, reverse=True):
            found.append(
                [(-place, item[1], item[2]) for place, item in enumerate(order[:k])]
            )
    return found


def top_auc(items, k):
    """Return the mean AUC over the orders with one, and the share of those."""
    values = [auc(top) for top in tops(items, k)]
    defined = [value for value in values if value is not None]
    share = Fraction(len(defined), len(values))
    return (sum(defined) / len(defined) if defined else None), share


def top_pairs(items, k):
    """Return the mean numbers of pairs in order, and of all pairs."""
    found = [pairs(top) for top in tops(items, k)]
    return tuple(sum(part) / len(found) for part in zip(*found, strict=True))
