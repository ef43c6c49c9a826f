"""NDCG, average precision and reciprocal rank: by the definition, in every order."""

import math
from fractions import Fraction
from itertools import permutations
from math import comb


def orders(y_true, y_score):
    """Return the labels in each order that the scores allow, one per order of items."""
    places = range(len(y_true))
    found = []
    for order in permutations(places):
        scores = [y_score[i] for i in order]
        if scores == sorted(scores, reverse=True):
            found.append([y_true[i] for i in order])
    return found


def ndcg(labels, k, best=None):
    gain = sum(y / math.log2(i + 2) for i, y in enumerate(labels[:k]))
    best = (best or sorted(labels, reverse=True))[:k]
    return gain / sum(y / math.log2(i + 2) for i, y in enumerate(best))


def gains_of(grades, gain):
    """Return what grades gain: by themselves, by 2 to their power, or by a dict."""
    if gain == "linear":
        return [float(grade) for grade in grades]
    if gain == "exponential":
        return [2.0**grade - 1 for grade in grades]
    return [gain[grade] for grade in grades]


def graded_ndcg(gains, scores, k=None):
    """Return the NDCG of items of which those that tie share their mean gain."""
    places = sorted(range(len(scores)), key=lambda i: scores[i], reverse=True)
    shared = []
    for i in places:
        tied = [gains[j] for j in places if scores[j] == scores[i]]
        shared.append(math.fsum(tied) / len(tied))
    return ndcg(shared, k, sorted(gains, reverse=True)) if any(gains) else math.nan


def average_precision(labels, k):
    found = 0.0
    for i, y in enumerate(labels[:k]):
        if y:
            found += sum(labels[: i + 1]) / (i + 1)
    return found / sum(labels)


def reciprocal_rank(labels, k):
    for i, y in enumerate(labels[:k]):
        if y:
            return 1 / (i + 1)
    return 0.0


def hit_rate(labels, k):
    return float(any(labels[:k]))


def mean_over_orders(of_order, y_true, y_score, k=None):
    """Return the mean over the orders; nan without a relevant item."""
    if not any(y_true):
        return math.nan
    values = [of_order(labels, k) for labels in orders(y_true, y_score)]
    return math.fsum(values) / len(values)


def of_groups(name, groups, k=None):
    """Return a metric of groups of ties by the chances of what each place holds."""
    if not groups.n_pos:
        return math.nan
    last = groups.total if k is None else min(k, groups.total)
    gain = precision = Fraction(0)
    discounted, rank = 0.0, None
    place = found = 0
    for pos, neg in zip(groups.pos, groups.neg, strict=True):
        n = pos + neg
        for j in range(1, n + 1):
            if place + j > last:
                break
            others = Fraction(pos - 1, max(n - 1, 1))
            down = found + 1 + (j - 1) * others
            precision += Fraction(pos, n) * down / (place + j)
            discounted += pos / n / math.log2(place + j + 1)
            if pos and not found and rank is None:
                gain += Fraction(comb(n - j, pos - 1), comb(n, pos)) / (place + j)
        if pos and not found:
            rank = gain
        place, found = place + n, found + pos
    if name == "ndcg_score":
        best = sum(1 / math.log2(i + 2) for i in range(min(last, groups.n_pos)))
        return discounted / best
    if name == "mean_average_precision_score":
        return float(precision / groups.n_pos)
    if name == "hit_rate_score":
        return 1 - chance_of_no_hit(groups, last)
    return float(rank or 0)


def chance_of_no_hit(groups, last):
    """Return the probability that the first places have no relevant item."""
    place = 0
    for pos, neg in zip(groups.pos, groups.neg, strict=True):
        n_seen = min(max(last - place, 0), pos + neg)
        if pos:
            return comb(neg, n_seen) / comb(pos + neg, n_seen)
        place += neg
    return 1.0
