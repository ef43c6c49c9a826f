"""The law of the positives found in new folds, in fractions, by enumeration.

New folds are drawn from a curve that is given by cells of the rate axis: a positive
falls into cell c with probability ``pos[c] / sum(pos)``, a negative with probability
``neg[c] / sum(neg)``, and within a cell all orders are equally likely.
"""

from fractions import Fraction
from itertools import pairwise, permutations, product
from math import comb, factorial


def count_law(pos, neg, n_pos, n_neg, k):
    """Return {(positives among the first k, whether the next is positive): P}.

    By the cell that the cut after case k lies in, the numbers of both classes before
    it and those within it. Where k is the number of cases, the next is not positive.
    """
    if k == n_pos + n_neg:
        return {(n_pos, False): Fraction(1)}
    distribution = {}
    for cell in range(len(pos)):
        in_pos = parts(pos, cell)
        in_neg = parts(neg, cell)
        for above_pos, within_pos in pairs(n_pos):
            p_pos = trinomial(n_pos, above_pos, within_pos, in_pos)
            for above_neg, within_neg in pairs(n_neg):
                p = p_pos * trinomial(n_neg, above_neg, within_neg, in_neg)
                taken = k - above_pos - above_neg
                within = within_pos + within_neg
                if not p or not 0 <= taken < within:
                    continue
                for found in range(min(taken, within_pos) + 1):
                    ways = comb(within_pos, found) * comb(within_neg, taken - found)
                    drawn = p * Fraction(ways, comb(within, taken))
                    next_pos = Fraction(within_pos - found, within - taken)
                    key = above_pos + found
                    distribution[key, True] = (
                        distribution.get((key, True), 0) + drawn * next_pos
                    )
                    distribution[key, False] = distribution.get(
                        (key, False), 0
                    ) + drawn * (1 - next_pos)
    return {key: p for key, p in distribution.items() if p}


def count_law_by_orders(pos, neg, n_pos, n_neg, k):
    """Return the same from every placement of every case, and every order of it."""
    n = n_pos + n_neg
    distribution = {}
    labels = [True] * n_pos + [False] * n_neg
    for cells in product(range(len(pos)), repeat=n):
        p = Fraction(1)
        for label, cell in zip(labels, cells, strict=True):
            masses = pos if label else neg
            p *= Fraction(masses[cell]) / sum(map(Fraction, masses))
        if not p:
            continue
        orders = [
            order
            for order in permutations(range(n))
            if all(cells[a] <= cells[b] for a, b in pairwise(order))
        ]
        for order in orders:
            found = sum(labels[case] for case in order[:k])
            key = (found, k < n and labels[order[k]])
            distribution[key] = distribution.get(key, 0) + p / len(orders)
    return distribution


def pooled_distribution(distribution, n_folds, fraction=Fraction(0)):
    """Return {sum over folds of positives found: P}, with a part of the next case."""
    single = {}
    for (found, is_next), p in distribution.items():
        value = found + fraction * is_next
        single[value] = single.get(value, 0) + p
    pooled = {Fraction(0): Fraction(1)}
    for _ in range(n_folds):
        pooled = convolved(pooled, single)
    return pooled


def convolved(first, second):
    distribution = {}
    for (a, p), (b, q) in product(first.items(), second.items()):
        distribution[a + b] = distribution.get(a + b, 0) + p * q
    return distribution


def central_interval(distribution, level):
    """Return the shortest interval with at most (1 - level) / 2 on either side."""
    tail = (1 - Fraction(level)) / 2
    values = sorted(distribution)
    low = max(
        v for v in values if sum(distribution[u] for u in values if u < v) <= tail
    )
    high = min(
        v for v in values if sum(distribution[u] for u in values if u > v) <= tail
    )
    return low, high


def parts(masses, cell):
    """Return the shares of a class before a cell, within it and after it."""
    masses = [Fraction(mass) for mass in masses]
    total = sum(masses)
    before, within = sum(masses[:cell]) / total, masses[cell] / total
    return before, within, 1 - before - within


def pairs(n):
    return ((a, b) for a in range(n + 1) for b in range(n + 1 - a))


def trinomial(n, first, second, shares):
    third = n - first - second
    ways = factorial(n) // factorial(first) // factorial(second) // factorial(third)
    return ways * shares[0] ** first * shares[1] ** second * shares[2] ** third
