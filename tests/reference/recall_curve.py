"""Where the curves of a weighted ranking meet a recall, a precision or an FPR.

Exactly, and a group at a time: what is asked for is the number as it is written, so
that 0.95 of 20 positives are 19.
"""

import math
from fractions import Fraction


def rate_at_recall(groups, recall):
    """Return the least rate with a recall, as a fraction; nan without positives."""
    if not groups.n_pos:
        return math.nan
    needed, seen = Fraction(str(recall)) * groups.n_pos, Fraction(0)
    for pos, neg in zip(groups.pos, groups.neg, strict=True):
        if pos and needed <= pos:
            return (seen + needed / pos * (pos + neg)) / groups.total
        needed -= pos
        seen += pos + neg
    raise AssertionError("The recall of everything is 1.")


def recall_at_precision(groups, precision):
    """Return the greatest recall with a precision; nan without positives."""
    if not groups.n_pos:
        return math.nan
    target, best = Fraction(str(precision)), Fraction(0)
    found, seen = Fraction(0), Fraction(0)
    for pos, neg in zip(groups.pos, groups.neg, strict=True):
        # Found less what must be: it changes linearly within the group.
        excess, change = found - target * seen, pos - target * (pos + neg)
        if excess + change >= 0:
            best = max(best, found + pos)
        elif excess >= 0:
            best = max(best, found + excess / -change * pos)
        found += pos
        seen += pos + neg
    return best / groups.n_pos


def recall_at_fpr(groups, fpr):
    """Return the recall where more negatives would be too many; nan without a class."""
    if not groups.n_pos or not groups.n_neg:
        return math.nan
    allowed, found = Fraction(str(fpr)) * groups.n_neg, Fraction(0)
    for pos, neg in zip(groups.pos, groups.neg, strict=True):
        if neg > allowed:
            return (found + allowed / neg * pos) / groups.n_pos
        allowed -= neg
        found += pos
    raise AssertionError("The false positive rate of everything is 1.")


def fpr_at_recall(groups, recall):
    """Return the share of the negatives passed for a recall; nan without a class."""
    if not groups.n_pos or not groups.n_neg:
        return math.nan
    needed, passed = Fraction(str(recall)) * groups.n_pos, Fraction(0)
    for pos, neg in zip(groups.pos, groups.neg, strict=True):
        if pos and needed <= pos:
            return (passed + needed / pos * neg) / groups.n_neg
        needed -= pos
        passed += neg
    raise AssertionError("The recall of everything is 1.")
