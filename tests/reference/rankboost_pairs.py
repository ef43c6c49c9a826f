"""RankBoost as in the book: a matrix of pairs, every threshold tried one by one."""

import math
from itertools import pairwise

import numpy as np

# Rankers whose |r| differ by less count as equally good, and the first is taken.
TIE = 1e-10


def sample(seed, n=40, n_features=3, n_values=None, share_missing=0.0):
    """Cases whose label depends on the features; few values make ties."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    y = (X[:, 0] + 0.5 * X[:, -1] + rng.normal(size=n) > 0.3).astype(int)
    if n_values:
        X = np.floor(X * n_values / 4)
    X[rng.random(X.shape) < share_missing] = np.nan
    return X, y, rng


def boost(X, y, n_rounds, weights=None, groups=None):
    """Return rounds (feature, threshold, missing_above, alpha, Z) and the scores."""
    n = len(y)
    weights = [1.0] * n if weights is None else weights
    groups = [0] * n if groups is None else groups
    pairs = {
        (i, j): weights[i] * weights[j]
        for i in range(n)
        for j in range(n)
        if y[i] == 1 and y[j] == 0 and groups[i] == groups[j]
    }
    pairs = normalised(pairs)
    usable = sorted({case for pair in pairs for case in pair})
    rounds, scores = [], np.zeros(n)
    for _ in range(n_rounds):
        rankers = list(all_rankers(X, usable))
        values = [correlation(pairs, X, ranker) for ranker in rankers]
        best = max(map(abs, values))
        if best <= TIE:
            break
        index = next(k for k, r in enumerate(values) if abs(r) >= best - TIE)
        ranker, r = rankers[index], values[index]
        is_perfect = abs(r) > 1 - TIE
        if is_perfect:
            r = math.copysign(1 - TIE, r)
        alpha = 0.5 * math.log((1 + r) / (1 - r))
        output = [ranks(X[case], ranker) for case in range(n)]
        pairs = {
            (i, j): weight * math.exp(-alpha * (output[i] - output[j]))
            for (i, j), weight in pairs.items()
        }
        normaliser = sum(pairs.values())
        pairs = normalised(pairs)
        scores += alpha * np.array(output)
        rounds.append((*ranker, alpha, normaliser))
        if is_perfect:
            break
    return rounds, scores


def all_rankers(X, usable):
    """Every (feature, threshold, missing_above) between two values that occur."""
    for feature in range(X.shape[1]):
        column = [X[case, feature] for case in usable]
        present = sorted({value for value in column if not math.isnan(value)})
        sides = [False]
        if len(present) < len(set(map(str, column))):
            sides = [False, True]
            if present:
                yield feature, -math.inf, False
        for lower, upper in pairwise(present):
            for side in sides:
                yield feature, (lower + upper) / 2, side


def ranks(row, ranker):
    """Output of a ranker, 0 or 1."""
    feature, threshold, missing_above = ranker
    value = row[feature]
    return int(missing_above) if math.isnan(value) else int(value > threshold)


def correlation(pairs, X, ranker):
    """Weighted mean of h(positive) - h(negative) over the pairs."""
    return math.fsum(
        weight * (ranks(X[i], ranker) - ranks(X[j], ranker))
        for (i, j), weight in pairs.items()
    )


def normalised(pairs):
    total = math.fsum(pairs.values())
    return {pair: weight / total for pair, weight in pairs.items()}


def ranking_loss(y, scores, weights, groups):
    """Weighted share of pairs in the wrong order or tied."""
    wrong = total = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            if y[i] == 1 and y[j] == 0 and groups[i] == groups[j]:
                total += weights[i] * weights[j]
                wrong += weights[i] * weights[j] * (scores[i] <= scores[j])
    return wrong / total
