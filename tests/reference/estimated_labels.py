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


def calibrated(y_true, probability, prediction, chosen, expected=None):
    """Return isotonic fits of the labels of the other labelled cases, or 0.

    Of a case: the maximum over a of the minimum over c of the weighted mean of labels
    with predictions from a to c, around its own prediction. Each mean includes a
    quarter of the average label. With ``expected``, labels are divided by these values.
    """
    values = sorted(set(prediction))
    weights = [(expected[i] if expected else 1) / p for i, p in enumerate(probability)]
    gains = [Fraction(y) / p for y, p in zip(y_true, probability, strict=True)]
    fits = []
    for i, own in enumerate(prediction):
        others, low = [j for j in chosen if j != i], []
        if not any(y_true[j] for j in others):
            fits.append(Fraction(0))
            continue
        for a in (value for value in values if value <= own):
            means = []
            for c in (value for value in values if value >= own):
                rows = [j for j in others if a <= prediction[j] <= c]
                sums = [
                    sum(column[j] for j in rows)
                    + sum(column[j] for j in others) / Fraction(4 * len(others))
                    for column in (gains, weights)
                ]
                means += [sums[0] / sums[1]] if rows else []
            low += [min(means)] if means else []
        fits.append(max(low, default=Fraction(0)))
    if expected:
        return [min(m * f, 1) for m, f in zip(expected, fits, strict=True)]
    return [min(f, 1) for f in fits]


def prediction_weight(y_true, probability, fitted, chosen):
    """Return the smaller slope of labels by predictions, limited to 0 to 1.

    One line passes through the origin, the other through the means. Squares have the
    weight with which they are in the variance of a sum.
    """
    times = {i: (1 - probability[i]) / probability[i] ** 2 for i in chosen}
    centre = sum(times[i] * fitted[i] for i in chosen) / sum(times.values())
    slopes = []
    for c in (0, centre):
        moment = sum(times[i] * (fitted[i] - c) * y_true[i] for i in chosen)
        square = sum(times[i] * (fitted[i] - c) ** 2 for i in chosen)
        slopes.append(moment / square if square else Fraction(0))
    return min(max(min(slopes), Fraction(0)), Fraction(1))
