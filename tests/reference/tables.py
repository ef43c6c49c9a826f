"""The metrics of a weighted ranking, literally, with whole numbers for weights.

Weights that are floats are ratios of whole numbers with powers of two below the line,
so that a common factor makes all of them whole: sums are exact, and each share is the
nearest float to what it is, however far the weights are apart.
"""

import math
from fractions import Fraction

import numpy as np
from scipy import optimize

NAN = float("nan")
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(60)


class Groups:
    """Groups of equal scores, best first, with whole weights of both classes."""

    def __init__(self, is_pos, scores, weights=None):
        whole = [1] * len(scores) if weights is None else whole_numbers(weights)
        sums = {}
        for pos, score, weight in zip(is_pos, scores, whole, strict=True):
            if weight:
                entry = sums.setdefault(score, [0, 0])
                entry[0 if pos else 1] += weight
        self.thresholds = sorted(sums, reverse=True)
        self.pos = [sums[score][0] for score in self.thresholds]
        self.neg = [sums[score][1] for score in self.thresholds]
        self.n_pos, self.n_neg = sum(self.pos), sum(self.neg)
        self.total = self.n_pos + self.n_neg
        # Rows that count; where weights are repetitions, they are to be set to these.
        self.n_samples = sum(weight > 0 for weight in whole)
        self.cum_pos, self.cum_neg = sums_of(self.pos), sums_of(self.neg)

    @property
    def prevalence(self):
        return self.n_pos / self.total

    @property
    def edges(self):
        """Return the rates between the groups, each rounded once."""
        both = zip(self.cum_pos, self.cum_neg, strict=True)
        return np.array([(a + b) / self.total for a, b in both])


def whole_numbers(weights):
    """Return whole numbers in the proportions of the weights."""
    if all(isinstance(weight, int) for weight in weights):
        return list(weights)
    ratios = [float(weight).as_integer_ratio() for weight in weights]
    common = max(below for _, below in ratios)
    return [above * (common // below) for above, below in ratios]


def sums_of(values):
    """Return the sums of the first 0, 1, ... values."""
    sums = [0]
    for value in values:
        sums.append(sums[-1] + value)
    return sums


def auc(groups):
    """Return the share of pairs in order, ties one half."""
    halves = sum(
        neg * (2 * above + pos)
        for pos, neg, above in zip(
            groups.pos, groups.neg, groups.cum_pos[:-1], strict=True
        )
    )
    pairs = groups.n_pos * groups.n_neg
    return halves / (2 * pairs) if pairs else NAN


def average_precision(groups, prevalence=None, adjusted=False):
    """Return the mean over positives of the precision down to them."""
    if not groups.n_pos:
        return NAN
    if not groups.n_neg and (adjusted or prevalence is not None):
        return NAN
    parts = []
    for pos, found, lost in zip(
        groups.pos, groups.cum_pos[1:], groups.cum_neg[1:], strict=True
    ):
        if not pos:
            continue
        precision = found / (found + lost)
        if prevalence is not None:
            above = prevalence * (found / groups.n_pos)
            below = (1 - prevalence) * (lost / groups.n_neg)
            # Shares that are no floats weigh nothing either.
            precision = above / (above + below) if above else 0.0
        parts.append(pos / groups.n_pos * precision)
    score = math.fsum(parts)
    if not adjusted:
        return score
    chance = groups.prevalence if prevalence is None else prevalence
    against = groups.n_neg / groups.total if prevalence is None else 1 - prevalence
    return (score - chance) / against


def found_at(groups, rate):
    """Return the share of the positives above the cut, for a rate as a Fraction."""
    cut, found = rate * groups.total, Fraction(0)
    for pos, neg, before in zip(
        groups.pos,
        groups.neg,
        map(sum, zip(groups.cum_pos, groups.cum_neg, strict=True)),
        strict=False,
    ):
        found += pos * min(max((cut - before) / (pos + neg), Fraction(0)), Fraction(1))
    return found / groups.n_pos if groups.n_pos else NAN


def expected_recall(groups, distribution, of="positives", slip=0.0):
    """Return the mean of P(processed) over positives or negatives.

    With ``slip`` the rates between the groups are moved by that share of themselves:
    what a rate with jumps may make of the last digit.
    """
    n_samples = groups.n_pos if of == "positives" else groups.n_neg
    if not n_samples:
        return NAN
    edges = np.clip(groups.edges * (1 + slip), 0, 1)
    processed = distribution.mean_survival(edges[:-1], edges[1:])
    counts = groups.pos if of == "positives" else groups.neg
    return math.fsum(
        count / n_samples * share
        for count, share in zip(counts, processed.tolist(), strict=True)
    )


def expected_precision(groups, distribution, slip=0.0):
    """Return the mean of found over processed, given that something is processed.

    In group k the precision at rate r is h + c / r, so that it falls by c / r^2; its
    mean is where it begins less all that it falls by, each fall as often as R is above.
    """
    positive = float(distribution.survival(np.zeros(1))[0])
    if not positive > 0:
        return NAN
    exact = groups.edges
    edges = np.clip(exact * (1 + slip), 0, 1)
    # What is too light to have a width as floats is no part of what is processed.
    kept = np.flatnonzero(exact[1:] > exact[:-1])
    shares = [groups.pos[k] / (groups.pos[k] + groups.neg[k]) for k in kept]
    excess = [
        groups.cum_pos[k] / groups.total - exact[k] * share
        for k, share in zip(kept, shares, strict=True)
    ]
    falls = distribution.inverse_squares(edges[kept[1:]], edges[kept[1:] + 1])
    lost = math.fsum((np.array(excess[1:]) * falls).tolist())
    return shares[0] - lost / positive


def reachable(groups, distribution, slip=0.0):
    """Return the expected recall of the worst and of the best ranking."""
    p, q = groups.n_pos / groups.total, groups.n_neg / groups.total
    low = np.clip(np.array([q, 0.0]) * (1 + slip), 0, 1)
    high = np.clip(np.array([1.0, p]) * (1 + slip), 0, 1)
    worst, best = distribution.mean_survival(low, high)
    return float(worst), float(best)


def rate_weighted_auc(groups, distribution, slip=0.0):
    """Return expected recall between that of the worst and of the best ranking."""
    if not groups.n_pos or not groups.n_neg:
        return NAN
    worst, best = reachable(groups, distribution, slip)
    if best <= worst:
        return NAN
    return (expected_recall(groups, distribution, slip=slip) - worst) / (best - worst)


def momentum_and_stamina(groups):
    """Return equations 14 and 8 of Su, Yuan and Zhu; nan where not above chance."""
    advantage = 2 * auc(groups) - 1
    adjusted = average_precision(groups, adjusted=True)
    p = groups.prevalence
    if not advantage > 1e-9:
        return NAN, NAN
    momentum = adjusted / advantage
    if momentum - p < 1e-9:
        return NAN, NAN
    return momentum, min(p * (1 - p) * advantage / (momentum - p), 1.0)


def exact_momentum_and_stamina(groups):
    """Return the two pieces of a hit curve with the AUC and the AP, by integration."""
    p, advantage = groups.prevalence, 2 * auc(groups) - 1
    if not advantage > 1e-9:
        return NAN, NAN
    product = p * (1 - p) * advantage  # (momentum - p) stamina, equation 8
    wanted = p + average_precision(groups, adjusted=True) * (1 - p)

    def excess(stamina):
        momentum = p + product / stamina
        later = (p - stamina * momentum) / (1 - stamina)
        # Precision times h'(t) dt, with t = exp(x).
        width = -math.log(stamina)
        rates = np.exp(width * (NODES - 1) / 2)
        found = stamina * momentum + later * (rates - stamina)
        second = width / 2 * np.dot(NODE_WEIGHTS, found * later)
        return (momentum**2 * stamina + second) / p - wanted

    low, high = product / 100 / (1 + wanted / (1 - p) / advantage), 1 - 1e-6
    if excess(high) > -1e-9:
        return NAN, NAN
    stamina = optimize.brentq(excess, low, high, xtol=1e-15, rtol=1e-14)
    return p + product / stamina, stamina
