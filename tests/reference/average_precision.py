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


def jackknife_bias(y_true, y_score, prevalence):
    """Return (m - 1) times (mean without one case - value), summed over the classes.

    Each of the m cases of a class is left out in turn, at the same prevalence.
    """
    cases = list(zip(y_true, y_score, strict=True))
    of_class = {1: prevalence, 0: 1 - prevalence}

    def value(kept):
        sizes = {label: sum(y == label for y, _ in kept) for label in of_class}
        weights = [of_class[y] / sizes[y] for y, _ in kept]
        return average_precision(*zip(*kept, strict=True), weights)

    total = 0.0
    for label in of_class:
        places = [i for i, (y, _) in enumerate(cases) if y == label]
        without = [value(cases[:i] + cases[i + 1 :]) for i in places]
        mean = sum(without) / len(places)
        total += (len(places) - 1) * float(mean - value(cases))
    return total
