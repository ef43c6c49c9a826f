"""Metrics of labels that are estimates, and their variance, straight from sums."""

from fractions import Fraction
from itertools import combinations, product


def counts(y_true, probability, prediction, chosen):
    """Return what each case counts as a positive, if these were labelled."""
    return [
        m + (y - m) / p if i in chosen else m
        for i, (y, p, m) in enumerate(zip(y_true, probability, prediction, strict=True))
    ]


def independent_samples(probability):
    """Yield all sets of labelled cases, each with its probability."""
    n = len(probability)
    for drawn in product([False, True], repeat=n):
        chance = Fraction(1)
        for p, is_in in zip(probability, drawn, strict=True):
            chance *= p if is_in else 1 - p
        yield {i for i in range(n) if drawn[i]}, chance


def samples_of_size(n, k):
    """Yield all sets of k of n cases, which are equally likely."""
    found = list(combinations(range(n), k))
    for chosen in found:
        yield set(chosen), Fraction(1, len(found))


def samples_of_two_strata(first, second):
    """Yield all sets of k of the first n cases, and of j of m others."""
    (n, k), (m, j) = first, second
    for chosen, chance in samples_of_size(n, k):
        for others, of_others in samples_of_size(m, j):
            yield chosen | {n + i for i in others}, chance * of_others


def ordered_pairs(pos, neg, scores):
    """Return the pairs of two cases in the right order, half of those that tie."""
    found = Fraction(0)
    for i, a in enumerate(scores):
        for j, b in enumerate(scores):
            if i != j and a >= b:
                found += pos[i] * neg[j] * (1 if a > b else Fraction(1, 2))
    return found


def all_pairs(pos, neg):
    """Return the pairs of two cases."""
    n = len(pos)
    return sum(pos[i] * neg[j] for i in range(n) for j in range(n) if i != j)


def summed_precision(pos, scores):
    """Return the sum over positives of the precision down to each of them."""
    found = Fraction(0)
    for i, a in enumerate(scores):
        seen = [j for j, b in enumerate(scores) if b >= a]
        found += pos[i] * Fraction(1, len(seen))
        found += sum(pos[i] * pos[j] for j in seen if j != i) / Fraction(len(seen))
    return found


def found_at(pos, scores, rate):
    """Return what is found where this share of the cases is processed."""
    left, found = rate * len(scores), Fraction(0)
    for score in sorted(set(scores), reverse=True):
        tied = [i for i, other in enumerate(scores) if other == score]
        part = min(max(left / len(tied), Fraction(0)), Fraction(1))
        found += part * sum(pos[i] for i in tied)
        left -= len(tied)
    return found
