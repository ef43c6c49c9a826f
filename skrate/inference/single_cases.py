"""Folds with a single case of a class, which show nothing of how the class varies."""

from __future__ import annotations

import numpy as np

from skrate.data.arrays import BoolArray, FloatArray


def are_compared(sizes: FloatArray, n_repeats: int = 1) -> BoolArray:
    """Return of which folds and classes single cases are compared over folds.

    They are where that has more degrees of freedom than the folds with more cases: the
    number of folds with one, less their mean, beside those of all cases of the others,
    less a mean each. ``sizes`` are those of the classes, of shape (n_folds, 2), in all
    of ``n_repeats``, each with a mean of its own.

    Examples
    --------
    Four folds have one positive, and the fifth has three:

    >>> are_compared(
    ...     np.array([[1, 9], [1, 9], [1, 9], [1, 9], [3, 9]])
    ... )[:, 0].tolist()
    [True, True, True, True, False]
    >>> are_compared(
    ...     np.array([[1, 9], [1, 9], [1, 9], [1, 9], [4, 9]])
    ... )[:, 0].tolist()
    [False, False, False, False, False]
    """
    is_single = sizes < 2
    within = np.where(is_single, 0.0, sizes - 1).sum(axis=0)
    return np.asarray(is_single & (is_single.sum(axis=0) - n_repeats > within))


def from_others(
    values: FloatArray, weights: FloatArray, sizes: FloatArray, n_repeats: int = 1
) -> FloatArray:
    """Return the influence of single cases by how far their folds are from others.

    Squares sum up to the variance of the values of these folds, which holds that of the
    other class and of the models, too. Where both classes of a fold are single, each
    has one half. ``weights`` and ``sizes`` are those of the classes in each fold.

    Examples
    --------
    By hand: two folds at 0.2 either side of their mean, where the variance is twice
    0.2 ** 2, in each of which the positive is a tenth of the cases.

    >>> sizes = np.array([[1.0, 9.0], [1.0, 9.0]])
    >>> found = from_others(np.array([0.5, 0.9]), sizes, sizes)
    >>> (found**2).round(6).tolist()
    [[8.0, 0.0], [8.0, 0.0]]
    """
    is_compared = are_compared(sizes, n_repeats)
    shares = weights / weights.sum(axis=1, keepdims=True)
    n_single = np.maximum(is_compared.sum(axis=1), 1)
    influence = np.zeros(sizes.shape)
    for of_class in range(2):
        own = is_compared[:, of_class]
        n = np.count_nonzero(own) / n_repeats
        if n > 0:
            away = (values[own] - values[own].mean()) * np.sqrt(n / (n - 1))
            away *= np.sqrt(sizes[own, of_class] / n_single[own])
            influence[own, of_class] = away / shares[own, of_class]
    return influence
