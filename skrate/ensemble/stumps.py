"""Threshold rankers at work: the scores of new cases."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from skrate.data.arrays import Array, BoolArray, FloatArray

# One row for each round of boosting: its ranker lifts a case by ``weight`` if
# x[feature] > threshold, or if x[feature] is missing and missing_above is true.
STUMP = np.dtype(
    [
        ("feature", np.intp),
        ("threshold", np.float64),
        ("missing_above", np.bool_),
        ("weight", np.float64),
    ]
)


def stump_scores(stumps: Array, X: Array) -> FloatArray:
    """Return the sum of the weights of the rankers above whose threshold a case lies.

    Rankers of one feature are looked up together, so the cost grows with the number
    of features used and hardly with the number of rankers.
    """
    scores = np.zeros(X.shape[0])
    for feature in np.unique(stumps["feature"]):
        own = stumps[stumps["feature"] == feature]
        own = own[np.argsort(own["threshold"], kind="stable")]
        values = np.ascontiguousarray(X[:, feature], dtype=np.float64)
        running = np.concatenate([[0.0], np.cumsum(own["weight"])])
        gain = running[np.searchsorted(own["threshold"], values)]
        is_missing = np.isnan(values)
        gain[is_missing] = own["weight"][own["missing_above"]].sum()
        scores += gain
    return scores


def staged_stump_scores(stumps: Array, X: Array) -> Iterator[FloatArray]:
    """Yield the scores after each ranker; each is an array of its own."""
    scores = np.zeros(X.shape[0])
    for stump in stumps:
        scores = scores + stump["weight"] * is_above(stump, X)
        yield scores


def is_above(stump: Array, X: Array) -> BoolArray:
    """Return which cases one ranker lifts."""
    values = X[:, stump["feature"]].astype(np.float64)
    above = values > stump["threshold"]
    if stump["missing_above"]:
        above |= np.isnan(values)
    return np.asarray(above)
