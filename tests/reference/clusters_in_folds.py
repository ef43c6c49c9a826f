"""The mean AUC of folds and its standard error by clusters, in loops."""

from __future__ import annotations

import numpy as np


def groups_of_folds(folds, clusters):
    """Return the group of each row: folds that share a cluster are in one group."""
    groups = list(range(len(folds)))
    while True:
        before = list(groups)
        for i in range(len(folds)):
            for j in range(len(folds)):
                if folds[i] == folds[j] or clusters[i] == clusters[j]:
                    groups[i] = groups[j] = min(groups[i], groups[j])
        if groups == before:
            return groups


def auc_and_influence(y_true, y_score):
    """Return DeLong's AUC, and what each row adds to it."""
    pos, neg = y_score[y_true == 1], y_score[y_true == 0]
    pairs = (pos[:, None] > neg) + (pos[:, None] == neg) / 2
    auc, n_pos, n_neg = pairs.mean(), len(pos), len(neg)
    added = np.empty(len(y_true))
    added[y_true == 1] = (pairs.mean(axis=1) - auc) / n_pos
    added[y_true == 1] *= np.sqrt(n_pos / (n_pos - 1))
    added[y_true == 0] = (pairs.mean(axis=0) - auc) / n_neg
    added[y_true == 0] *= np.sqrt(n_neg / (n_neg - 1))
    return auc, added


def mean_auc(y_true, y_score, folds, clusters):
    """Return the mean AUC over folds, its standard error and degrees of freedom.

    In a group of folds with k clusters the sums per cluster count k / (k - 1) times.
    If a group has one cluster, the groups are the units.
    """
    names = sorted(set(folds))
    groups = groups_of_folds(folds, clusters)
    values, sums, members, totals = {}, {}, {}, {}
    for fold in names:
        rows = np.flatnonzero(folds == fold)
        values[fold], added = auc_and_influence(y_true[rows], y_score[rows])
        for row, own in zip(rows, added, strict=True):
            sums[clusters[row]] = sums.get(clusters[row], 0.0) + own / len(names)
            members.setdefault(groups[row], set()).add(clusters[row])
    mean = sum(values.values()) / len(names)
    for fold in names:
        group = groups[np.flatnonzero(folds == fold)[0]]
        own = (values[fold] - mean) / len(names)
        totals[group] = totals.get(group, 0.0) + own
    if min(len(own) for own in members.values()) > 1:
        variance = 0.0
        for own in members.values():
            k = len(own)
            variance += k / (k - 1) * sum(sums[cluster] ** 2 for cluster in own)
        return mean, np.sqrt(variance), len(sums) - len(members)
    n = len(totals)
    variance = n / (n - 1) * sum(own**2 for own in totals.values())
    return mean, np.sqrt(variance), n - 1
