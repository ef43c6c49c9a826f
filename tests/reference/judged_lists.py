"""Means over lists that people labelled, corrected by a judge, straight from sums.

The regression estimator of double sampling, with a mean over the n lists that people
labelled (f by people, g by the judge), and G the mean of the judge over all lists:

    estimate = mean(f) + b (G - mean(g)),  b = cov(f, g) / var(g)

With c = b / (1 + n / m), this is the formula of issue 48 for m other lists. For ratios
of sums, f and g are the influence of the lists on them.
"""

import math


def ratio(parts, weights):
    """Return a ratio of sums, what each list adds, and its fraction of the weight."""
    value, total = sum(parts) / sum(weights), sum(weights)
    pairs = list(zip(parts, weights, strict=True))
    return (
        value,
        [(a - value * w) / total for a, w in pairs],
        [w / total for w in weights],
    )


def judged_mean(people, judge, others):
    """Return the mean of people, corrected by the judge, and its standard error.

    Each argument has the terms and the weights of lists: by people and by the judge of
    the lists that people labelled, and by the judge of the others.
    """
    of_all = [a + b for a, b in zip(judge, others, strict=True)]
    return combined(*(ratio(*sums) for sums in (people, judge, of_all)))


def judged_difference(a, b):
    """Return the same of the difference of two models, with one slope."""
    pairs = []
    for people, judge, others in (a, b):
        of_all = [x + y for x, y in zip(judge, others, strict=True)]
        pairs.append([ratio(*sums) for sums in (people, judge, of_all)])
    differences = []
    for (x, f, v), (y, g, w) in zip(*pairs, strict=True):
        terms = [p - q for p, q in zip(f, g, strict=True)]
        differences.append(
            (x - y, terms, [(p + q) / 2 for p, q in zip(v, w, strict=True)])
        )
    return combined(*differences)


def combined(people, judge, of_all):
    """Return the estimate and its standard error; labelled lists come first."""
    (value, f, fractions), (mean, g, _), (mean_all, g_all, fractions_all) = (
        people,
        judge,
        of_all,
    )
    squares = sum(y * y for y in g)
    # A slope that one list decides is unknown.
    if max(y * y for y in g) > 0.501 * squares or squares < 1e-24:
        g, squares = [0.0] * len(g), 1.0
    slope = sum(x * y for x, y in zip(f, g, strict=True)) / squares
    shift, total = mean_all - mean, 0.0
    for i, (y, h) in enumerate(zip(g_all, fractions_all, strict=True)):
        influence = slope * y / math.sqrt(1 - h)
        if i < len(f):
            # The error of the slope moves the estimate by its distance from the mean.
            residual = (f[i] - slope * g[i]) * (1 + shift * g[i] / squares)
            leverage = min(fractions[i] + g[i] ** 2 / squares, 0.9)
            influence += residual / math.sqrt(1 - leverage)
        total += influence**2
    return value + slope * shift, math.sqrt(total)
