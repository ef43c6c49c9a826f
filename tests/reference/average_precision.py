"""Average precision as a mean over positives, in exact fractions, by comparing pairs.

Copying cases, which is what prevalence stands for, is done literally.
"""

from fractions import Fraction


def average_precision(y_true, y_score, sample_weight=None):
    """Return the weighted mean over positives of the precision at their score."""
    weights = [1] * len(y_true) if sample_weight is None else sample_weight
    cases = [
        (Fraction(float(weight)), score, label == 1)
        for weight, score, label in zip(weights, y_score, y_true, strict=True)
    ]
    total = Fraction(0)
    for weight, score, is_pos in cases:
        if is_pos and weight:
            above = [case for case in cases if case[1] >= score]
            found = sum(case[0] for case in above if case[2])
            total += weight * found / sum(case[0] for case in above)
    return total / sum(case[0] for case in cases if case[2])
