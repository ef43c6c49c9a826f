"""What groups get of one queue, in fractions, by trying all orders of tied cases."""

from fractions import Fraction
from itertools import groupby, permutations, product

from reference.tied_groups import exact


def processed_by_order(scores, weights, rate):
    """Yield for each order of the tied which share of each case is processed."""
    rows = sorted(range(len(scores)), key=lambda i: exact(scores[i]), reverse=True)
    ties = [list(same) for _, same in groupby(rows, key=lambda i: exact(scores[i]))]
    for orders in product(*map(permutations, ties)):
        left, shares = exact(rate) * sum(weights), {}
        for i in (i for order in orders for i in order):
            shares[i] = min(left, weights[i]) / weights[i]
            left -= shares[i] * weights[i]
        yield [shares[i] for i in range(len(scores))]


def subgroup_value(share, samples, group, distribution):
    """Return a share of a group, None if undefined; cases: (label, score, weight, by).

    ``law`` maps rates to probabilities. Sums are expected over rates and orders before
    one is divided by another.
    """
    labels, scores, weights, by = zip(*samples, strict=True)
    weights = [exact(weight) for weight in weights]
    found = processed = whole = Fraction(0)
    for rate, mass in distribution.items():
        orders = list(processed_by_order(scores, weights, rate))
        for shares in orders:
            for label, one, weight, of in zip(labels, shares, weights, by, strict=True):
                part = exact(mass) * weight / len(orders)
                if of == group:
                    is_one = {"recall": label, "fpr": not label}.get(share, True)
                    whole += part * is_one
                    processed += part * one * is_one
                    found += part * one * label
    if share == "precision":
        return found / processed if processed else None
    return processed / whole if whole else None
