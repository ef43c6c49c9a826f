"""What the benchmarks share: samples, and the metrics beside their nearest peers."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn import metrics
from sklearn.metrics import roc_auc_score

import skrate
from skrate.metrics import metric as registry

SIZES = (1_000, 10_000, 100_000, 1_000_000)
KINDS = ("no ties", "ties", "weights")
RATE = skrate.rates.beta(3, 19)
# Of the points of consensus curves.
RATES = np.linspace(0, 1, 201)


class Metric(NamedTuple):
    score: Callable[..., float]
    # Scikit-learn's, or the nearest that it has.
    peer: Callable[..., float]

    def estimate(self, y_true, y_score, **options):
        return skrate.estimate(self.score, y_true, y_score, random_state=0, **options)

    def compare(self, y_true, *y_scores, **options):
        return skrate.compare(self.score, y_true, *y_scores, random_state=0, **options)

    def covariance(self, y_true, y_scores, **options):
        return skrate.compare(self.score, y_true, y_scores, **options).covariance


rauc = partial(skrate.rate_weighted_auc_score, rate=RATE)
METRICS = {
    "AUC": Metric(skrate.rate_weighted_auc_score, roc_auc_score),
    "rAUC": Metric(rauc, roc_auc_score),
    "AP": Metric(skrate.average_precision_score, metrics.average_precision_score),
}


# What a score is called with where it needs it.
NEEDED = {
    "rate": 0.1,
    "precision": 0.5,
    "fpr": 0.1,
    "recall": 0.8,
    "gain": {"positive": 1, "negative": -0.1},
}


def with_needed(score):
    """Return a score as it is called, with what it needs."""
    parameters = inspect.signature(score).parameters
    needed = {
        name: value
        for name, value in NEEDED.items()
        if name in parameters
        and parameters[name].default in (None, inspect.Parameter.empty)
        # For a part of an area, these are its windows.
        and not (score is skrate.partial_auc_score and name in ("fpr", "recall"))
    }
    return partial(score, **needed) if needed else score


# Every registered metric by name; and those that are known within lists.
SCORES = {
    score.__name__.removesuffix("_score"): with_needed(score)
    for score in registry.METRICS
}
LIST_SCORES = [name for name in SCORES if name not in ("momentum", "stamina")]


def labelled_scores(n_samples, prevalence=0.5, dtype="float64", n_models=None):
    """Labels of both classes and normal scores, a column each for several models."""
    rng = np.random.default_rng(0)
    y_true = (rng.random(n_samples) < prevalence).astype(int)
    y_true[:2] = 0, 1
    y_score = rng.normal(size=(n_models or 1, n_samples)) + y_true
    return y_true, (y_score.T.copy() if n_models else y_score[0]).astype(dtype)


def sample_of_kind(n_samples, kind, prevalence=0.5):
    """Labels, scores and the keywords that some kinds of samples need."""
    y_true, y_score = labelled_scores(n_samples, prevalence)
    if kind == "ties":
        return y_true, y_score.round(2), {}
    if kind == "weights":
        return (
            y_true,
            y_score,
            {"sample_weight": np.random.default_rng(1).random(n_samples)},
        )
    if kind == "neighbours":
        y_score[1] = np.nextafter(y_score[0], np.inf)
    if kind == "string labels":
        return np.where(y_true == 1, "ill", "well"), y_score, {"pos_label": "ill"}
    return y_true, y_score, {}


def shown_lists(n_lists, kind="no ties", size=20):
    """Clicks (one in five), scores, lists and weights, rows in random order."""
    rng = np.random.default_rng(0)
    n_rows = n_lists * size
    groups = rng.permutation(np.repeat(np.arange(n_lists), size))
    y_true = (rng.random(n_rows) < 0.2).astype(int)
    y_score = rng.normal(size=n_rows) + y_true
    if kind == "ties":
        y_score = y_score.round(1)
    if kind == "strings":
        groups = groups.astype(str)
    return y_true, y_score, groups, rng.random(n_rows) if kind == "weights" else None


def scored_folds(*sizes, prevalence=0.5):
    """Labels and scores of folds of these sizes."""
    rng = np.random.default_rng(0)
    y_trues = [(np.arange(n) < prevalence * n).astype(int) for n in sizes]
    return y_trues, [rng.normal(size=len(y)) + y for y in y_trues]


def ranked_features(n_samples, n_features=30):
    """Features, and labels that depend on the first ten of them with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    signal = X[:, :10] @ rng.normal(size=min(10, n_features)) + np.sin(3 * X[:, 0])
    y = (signal + 2 * rng.normal(size=n_samples) > 0).astype(int)
    return X, y
