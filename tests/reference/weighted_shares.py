"""Metrics of weighted cases in exact fractions, whatever the sizes of the weights.

For a uniform rate, or one that is known.
"""

from fractions import Fraction
from itertools import pairwise

from reference.tied_groups import tied_groups


class Shares:
    """The groups of a ranking: where they begin and end, and their classes."""

    def __init__(self, y_true, y_score, sample_weight=None):
        groups = tied_groups(y_true, y_score, sample_weight)
        self.pos = [pos for _, pos, _ in groups]
        self.neg = [neg for _, _, neg in groups]
        self.n_pos, self.n_neg = sum(self.pos), sum(self.neg)
        self.total = self.n_pos + self.n_neg
        self.edges = [Fraction(0)]
        for pos, neg in zip(self.pos, self.neg, strict=True):
            self.edges.append(self.edges[-1] + (pos + neg) / self.total)


def processed(low, high, rate):
    """Return the mean chance of being processed between two places in [0, 1]."""
    if rate == "uniform":
        return 1 - (low + high) / 2
    return (min(high, rate) - min(low, rate)) / (high - low)


def expected_recall(shares, rate, of="positives"):
    weights = shares.pos if of == "positives" else shares.neg
    return sum(
        weight * processed(low, high, rate)
        for weight, (low, high) in zip(weights, pairwise(shares.edges), strict=True)
    ) / sum(weights)


def rauc(shares, rate):
    prevalence = shares.n_pos / shares.total
    worst = processed(1 - prevalence, Fraction(1), rate)
    best = processed(Fraction(0), prevalence, rate)
    return (expected_recall(shares, rate) - worst) / (best - worst)


def average_precision(shares, prevalence=None, adjusted=False):
    p = shares.n_pos / shares.total if prevalence is None else Fraction(prevalence)
    above_pos = above_neg = mean = Fraction(0)
    for pos, neg in zip(shares.pos, shares.neg, strict=True):
        above_pos += pos / shares.n_pos
        above_neg += neg / shares.n_neg
        if pos:
            precision = p * above_pos / (p * above_pos + (1 - p) * above_neg)
            mean += pos / shares.n_pos * precision
    return (mean - p) / (1 - p) if adjusted else mean


def found_at(shares, rate):
    """Return the positives within a share of the ranking, as a share of all cases."""
    found = Fraction(0)
    for pos, (low, high) in zip(shares.pos, pairwise(shares.edges), strict=True):
        if low < rate:
            found += pos * (min(high, rate) - low) / (high - low)
    return found / shares.total


def momentum(shares):
    """Return momentum and stamina."""
    p = shares.n_pos / shares.total
    advantage = 2 * rauc(shares, "uniform") - 1
    beta = average_precision(shares, adjusted=True) / advantage
    return beta, min(p * (1 - p) * advantage / (beta - p), Fraction(1))
