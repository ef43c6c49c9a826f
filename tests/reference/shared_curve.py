"""The curve that folds of several prevalences share, in fractions.

A fold is a list of (positives, negatives) of its groups of tied cases, best first.
"""

from fractions import Fraction
from itertools import accumulate, pairwise

HALF = Fraction(1, 2)


def shared_cells(folds):
    """Return the positives and the negatives of all folds by cell of the shared curve.

    Each fold is stretched until it has the prevalence of all: a positive is as wide as
    that says, and so is a negative. Cases are then laid over each other, and one more
    of each class is put half before them and half behind.
    """
    placed = [group for fold in folds for group in stretched(fold, folds)]
    cuts = sorted({cut for start, end, *_ in placed for cut in (start, end)})
    cells = [(HALF, HALF)]
    for low, high in pairwise(cuts):
        inside = [
            ((min(high, end) - max(low, start)) / (end - start), pos, neg)
            for start, end, pos, neg in placed
            if start < high and low < end
        ]
        cells.append(
            (
                sum(share * pos for share, pos, _ in inside),
                sum(share * neg for share, _, neg in inside),
            )
        )
    return [list(masses) for masses in zip(*cells, (HALF, HALF), strict=True)]


def stretched(fold, folds):
    """Return (start, end, positives, negatives) of the groups of a fold."""
    n_pos, n_neg = (Fraction(n) for n in totals(fold))
    all_pos, all_neg = (sum(each) for each in zip(*map(totals, folds), strict=True))
    p = Fraction(all_pos, all_pos + all_neg)
    widths = [p * pos / n_pos + (1 - p) * neg / n_neg for pos, neg in fold]
    ends = list(accumulate(widths))
    groups = zip([Fraction(0), *ends], ends, fold, strict=False)
    return [(start, end, *group) for start, end, group in groups]


def expected_count(folds, rate):
    """Return what folds of these sizes find on the shared curve at a rate of each."""
    pos, neg = (masses[1:-1] for masses in shared_cells(folds))
    total = Fraction(0)
    for fold in folds:
        n_pos, n_neg = totals(fold)
        left = Fraction(rate) * (n_pos + n_neg)
        for own_pos, own_neg in zip(pos, neg, strict=True):
            # What the fold has of the cell, on average.
            own_pos, own_neg = own_pos * n_pos / sum(pos), own_neg * n_neg / sum(neg)
            width = own_pos + own_neg
            total += own_pos * (min(left, width) / width)
            left -= min(left, width)
    return total


def totals(fold):
    return tuple(sum(each) for each in zip(*fold, strict=True))
