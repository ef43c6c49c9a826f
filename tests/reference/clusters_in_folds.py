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


def centring_factor(sizes):
    """Return the expected squares of sums over clusters, without and with centring.

    Effects of clusters are independent, and their mean by size is subtracted.
    """
    sizes = np.asarray(sizes, dtype=float)
    if len(sizes) == 1:
        return 1.0
    mean = np.tile(sizes / sizes.sum(), (len(sizes), 1))
    centred = np.diag(sizes) @ (np.eye(len(sizes)) - mean)
    return np.sum(sizes**2) / np.sum(centred**2)


def auc_and_influence(y_true, y_score, clusters=None):
    """Return DeLong's AUC, and what each row adds to it, by clusters if given."""
    pos, neg = y_score[y_true == 1], y_score[y_true == 0]
    pairs = (pos[:, None] > neg) + (pos[:, None] == neg) / 2
    auc, added = pairs.mean(), np.empty(len(y_true))
    for label, own in ((1, pairs.mean(axis=1)), (0, pairs.mean(axis=0))):
        rows = y_true == label
        n = np.count_nonzero(rows)
        sizes = np.ones(n)
        if clusters is not None:
            sizes = np.unique(clusters[rows], return_counts=True)[1]
        added[rows] = (own - auc) / n * np.sqrt(centring_factor(sizes))
    return auc, added


def mean_auc(y_true, y_score, folds, clusters):
    """Return the mean AUC over folds, its standard error and degrees of freedom.

    Sums per cluster are centred in each class of a fold that shares no cluster, and in
    each group of other folds. If a group has one cluster, the groups are the units.
    """
    names = sorted(set(folds))
    groups = groups_of_folds(folds, clusters)
    values, sums, members, totals = {}, {}, {}, {}
    for fold in names:
        rows = np.flatnonzero(folds == fold)
        group = [i for i in range(len(folds)) if groups[i] == groups[rows[0]]]
        pairs = {(folds[i], clusters[i]) for i in group}
        n_folds, n_clusters = (len(set(own[group])) for own in (folds, clusters))
        is_alone = len(pairs) == n_folds * n_clusters and len(names) > 1
        own_clusters = clusters[rows] if is_alone else None
        values[fold], added = auc_and_influence(
            y_true[rows], y_score[rows], own_clusters
        )
        for row, own in zip(rows, added, strict=True):
            sums[clusters[row]] = sums.get(clusters[row], 0.0) + own / len(names)
            group = members.setdefault(groups[row], (is_alone, {}))[1]
            group[clusters[row]] = group.get(clusters[row], 0) + 1
    mean = sum(values.values()) / len(names)
    for fold in names:
        group = groups[np.flatnonzero(folds == fold)[0]]
        own = (values[fold] - mean) / len(names)
        totals[group] = totals.get(group, 0.0) + own
    if min(len(own) for _, own in members.values()) > 1:
        variance = 0.0
        for is_alone, own in members.values():
            factor = 1 if is_alone else centring_factor(list(own.values()))
            variance += factor * sum(sums[cluster] ** 2 for cluster in own)
        return mean, np.sqrt(variance), len(sums) - len(members)
    n = len(totals)
    variance = n / (n - 1) * sum(own**2 for own in totals.values())
    return mean, np.sqrt(variance), n - 1
