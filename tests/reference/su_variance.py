"""The variance of average precision by the matrices of Su, Yuan and Zhu, appendix B.

Defined where the last group holds both classes.
"""

import numpy as np


def average_precision_variance(pos, neg):
    """Return grad' J^-1 grad with K - 1 free shares per class and the prevalence."""
    pos, neg = np.asarray(pos, float), np.asarray(neg, float)
    n1, n0 = pos.sum(), neg.sum()
    prevalence = n1 / (n1 + n0)
    start = np.concatenate([pos[:-1] / n1, neg[:-1] / n0, [prevalence]])
    k = len(pos) - 1
    information = np.zeros((2 * k + 1, 2 * k + 1))
    for first, counts, n in ((0, pos, n1), (k, neg, n0)):
        share = counts / n
        for i in range(k):
            for j in range(k):
                entry = counts[-1] / share[-1] ** 2
                if i == j:
                    entry += counts[i] / share[i] ** 2 if share[i] else np.inf
                information[first + i, first + j] = entry
    information[-1, -1] = n1 / prevalence**2 + n0 / (1 - prevalence) ** 2
    gradient = np.array([_slope(start, i, k) for i in range(len(start))])
    return gradient @ np.linalg.inv(information) @ gradient


def _slope(at, i, k):
    """Return a central difference of equation 24, good to about 1e-10."""
    step = 1e-5
    up, down = at.copy(), at.copy()
    up[i] += step
    down[i] -= step
    return (_average_precision(up, k) - _average_precision(down, k)) / (2 * step)


def _average_precision(theta, k):
    p, q, prevalence = theta[:k], theta[k : 2 * k], theta[-1]
    p, q = [*p, 1 - sum(p)], [*q, 1 - sum(q)]
    total = 0.0
    for j in range(k + 1):
        found = prevalence * sum(p[: j + 1])
        total += p[j] * found / (found + (1 - prevalence) * sum(q[: j + 1]))
    return total
