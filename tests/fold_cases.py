"""Rankings of folds that are of other sizes, prevalences and scales of scores."""

import numpy as np

from skrate import FoldRankings


def drawn_folds(n=240, n_folds=4, seed=0):
    """Return labels, scores of two models and folds, by case; with ties."""
    rng = np.random.default_rng(seed)
    fold = rng.integers(0, n_folds, size=n)
    y_true = rng.random(n) < 0.2 + 0.05 * fold
    a, b = np.round(rng.normal(size=(2, n)) + 1.5 * y_true, 1)
    return y_true, a + 10 * fold, b * 2.0**-fold, fold


def by_fold(fold, *columns):
    """Return each column as a list with an array for each fold."""
    return [
        [values[fold == number] for number in np.unique(fold)] for values in columns
    ]


def both_rankings(samples, **given):
    """Return the rankings of both models."""
    y_true, *scores, fold = samples
    return tuple(FoldRankings(y_true, score, fold, **given) for score in scores)
