"""What a budget finds, read literally: rate by rate and case by case, in fractions.

Of the cases that tie at the cut any are as likely to be processed. ``budget`` lists
rates with their probabilities.
"""

from fractions import Fraction
from itertools import combinations


def processed(y_score, rate):
    """Return for each case the probability that it is among the best ``rate`` n."""
    shares = []
    for score in y_score:
        above = sum(other > score for other in y_score)
        tied = sum(other == score for other in y_score)
        left = Fraction(rate) * len(y_score) - above
        shares.append(min(max(left / tied, Fraction(0)), Fraction(1)))
    return shares


def found_at(y_true, y_score, rate):
    """Return how many positives are expected among the best ``rate`` n cases."""
    shares = processed(y_score, rate)
    return sum(share for pos, share in zip(y_true, shares, strict=True) if pos)


def found_in_folds(y_trues, y_scores, rate):
    """Return the same if the same share of each fold is processed, of all together."""
    pairs = zip(y_trues, y_scores, strict=True)
    return sum((found_at(*fold, rate) for fold in pairs), Fraction(0))


def card(y_true, y_score, budget):
    """Return the quantities of the report, in its order, by name."""
    return card_of_folds([y_true], [y_score], budget)


def card_of_folds(y_trues, y_scores, budget):
    """Return the same of folds, each of which is cut at the rate on its own."""
    n, n_pos = (sum(map(count, y_trues)) for count in (len, _number_of_positives))
    found, seen, precision, lift, open_for = (Fraction(0) for _ in range(5))
    for rate, mass in budget:
        here, mass = found_in_folds(y_trues, y_scores, rate), Fraction(mass)
        found += mass * here
        seen += mass * Fraction(rate) * n
        if rate > 0:
            precision += mass * here / (Fraction(rate) * n)
            lift += mass * here / n_pos / Fraction(rate)
            open_for += mass
    return {
        "found": found,
        "missed": n_pos - found,
        "false alarms": seen - found,
        "recall": found / n_pos,
        "precision": precision / open_for,
        "lift": lift / open_for,
        "number needed": seen / found if found else float("inf"),
    }


def _number_of_positives(y_true):
    return sum(map(bool, y_true))


def by_all_labels(y_score, n_pos, budget):
    """Return what is found under each choice of the positives, on average."""
    samples = range(len(y_score))
    shares = [
        sum(Fraction(mass) * processed(y_score, rate)[i] for rate, mass in budget)
        for i in samples
    ]
    return [sum(shares[i] for i in chosen) for chosen in combinations(samples, n_pos)]
