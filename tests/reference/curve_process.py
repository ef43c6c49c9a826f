"""Curves over the rate and the influence of each case on them, case by case.

With u the places of a case in its ranking, from the share of all weight above it to
that with all its ties, m(r) is the part of them above the rate r. On the hits
h(r) = E[y m(r)] a case has the influence y m - h - L (m - r), with L the share of
positives within a bandwidth around the rate. Nothing is sorted.
"""

import numpy as np
from scipy.stats import norm

from reference.clusters_in_folds import centring_factor


def above(y_score, weights, rates):
    """Return the part of each case above each rate, of shape (n, n_rates)."""
    total = sum(weights)
    parts = []
    for score in y_score:
        better = sum(w for s, w in zip(y_score, weights, strict=True) if s > score)
        tied = sum(w for s, w in zip(y_score, weights, strict=True) if s == score)
        parts.append([min(max((r * total - better) / tied, 0), 1) for r in rates])
    return np.array(parts)


def width(rate, n):
    """Return the bandwidth of Hall and Sheather around a rate."""
    if rate in (0, 1):
        return 0.0
    at = norm.ppf(rate)
    factor = norm.ppf(0.975) ** (2 / 3) * n ** (-1 / 3)
    found = factor * (1.5 * norm.pdf(at) ** 2 / (2 * at**2 + 1)) ** (1 / 3)
    return min(found, rate, 1 - rate)


def share_at(folds, rate):
    """Return the share of positives around the rate in (labels, scores, weights)."""
    n = sum(weights.sum() for _, _, weights in folds)
    half = width(rate, n)
    if half == 0:
        return 0.0
    found = seen = 0.0
    for y_true, y_score, weights in folds:
        ends = above(y_score, weights, [rate - half, rate + half])
        found += float(np.sum(weights * y_true * (ends[:, 1] - ends[:, 0])))
        is_seen = above(y_score, weights, [rate])[:, 0] > 0
        seen += float(weights[is_seen].sum())
    added = 2 if seen < 5 - 1e-9 else 0
    return (found + added) / (2 * half * n + 2 * added)


def curve(metric, y_true, y_score, weights, rates, folds, benefit=1, cost=0):
    """Return the curve of a model, and the influence of each case at each rate."""
    parts = [
        (y_true[folds == fold], y_score[folds == fold], weights[folds == fold])
        for fold in np.unique(folds)
    ]
    total, prevalence = weights.sum(), np.average(y_true, weights=weights)
    hits = np.zeros(len(rates))
    psi = np.zeros((len(y_true), len(rates)))
    lost = np.array([share_at(parts, rate) for rate in rates])
    of_fold = dict(zip(np.unique(folds), parts, strict=True))
    for fold, (labels, scores, own) in of_fold.items():
        m = above(scores, own, rates)
        h = np.average(labels[:, None] * m, axis=0, weights=own)
        hits += own.sum() / total * h
        psi[folds == fold] = labels[:, None] * m - h - lost * (m - rates)
    if metric in ("recall", "lift"):
        recall = hits / prevalence
        for fold, (labels, _, own) in of_fold.items():
            centred = labels - np.average(labels, weights=own)
            psi[folds == fold] -= centred[:, None] * recall
        hits, psi = recall, psi / prevalence
    if metric in ("precision", "lift"):
        hits, psi = hits / rates, psi / rates
    if metric == "gain":
        hits, psi = benefit * hits - cost * rates, benefit * psi
    return hits, psi


def covariance(psi, weights, kind, groups=None):
    """Return the covariance of what has these influences, by a sum over cases."""
    n = weights.sum()
    if groups is not None:
        sums = [
            sum(
                w * row
                for w, row, g in zip(weights, psi, groups, strict=True)
                if g == c
            )
            for c in set(groups)
        ]
        squares = sum(np.outer(s, s) for s in sums)
        sizes = [weights[groups == c].sum() for c in set(groups)]
        return squares * centring_factor(sizes) / n**2
    times = weights if kind == "frequency" else weights**2
    return sum(t * np.outer(row, row) for t, row in zip(times, psi, strict=True)) / n**2


def largest(psi, n, error, n_draws, generator):
    """Return the largest studentised deviation, of multipliers that are drawn."""
    found = []
    for _ in range(n_draws):
        multipliers = generator.normal(size=len(psi))
        drawn = multipliers @ psi / n
        found.append(
            max(abs(d) / s for d, s in zip(drawn, error, strict=True) if s > 0)
        )
    return np.array(found)
