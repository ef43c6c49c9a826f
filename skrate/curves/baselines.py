"""Bounds from the spread of recall over folds alone, for comparison."""

from __future__ import annotations

import numpy as np
from scipy import special

from skrate.curves.folds import Folds
from skrate.curves.pooled_bounds import scaled_beta_interval
from skrate.data.arrays import FloatArray, dot


def normal_bounds(
    folds: Folds, rates: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return normal bounds of the pooled count.

    Millard, Kull and Flach (2014), equation 8; they may leave what is reachable.
    """
    mean, variance = _mean_and_variance(folds, folds.tpr_at(rates))
    margin = -special.ndtri((1 - level) / 2) * np.sqrt(variance)
    return folds.n_pos * (mean - margin), folds.n_pos * (mean + margin)


def beta_bounds(
    folds: Folds, rates: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the pooled count from a beta on the reachable range.

    Each fold's recall is rescaled to its own reachable range first (section 3.1 of
    the same paper).
    """
    n_pos = np.array([[table.n_pos] for table in folds.tables])
    n_neg = np.array([[table.n_neg] for table in folds.tables])
    processed = rates * (n_pos + n_neg)
    least = np.maximum(processed - n_neg, 0.0) / n_pos
    width = np.minimum(processed / n_pos, 1.0) - least
    is_open = width > 0
    scaled = (folds.tpr_at(rates) - least) / np.where(is_open, width, 1.0)
    scaled = np.where(is_open, np.clip(scaled, 0, 1), 0.0)
    means, variances = _mean_and_variance(folds, scaled)
    intervals = [
        scaled_beta_interval(mean, variance, 0.0, 1.0, level)
        for mean, variance in zip(means, variances, strict=True)
    ]
    low, high = np.array(intervals).T
    bottom, top = folds.reachable(rates)
    return bottom + (top - bottom) * low, bottom + (top - bottom) * high


def _mean_and_variance(
    folds: Folds, recalls: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mean over folds, each by its positives, and the mean's variance."""
    weights = np.array([table.n_pos for table in folds.tables]) / folds.n_pos
    mean = dot(recalls.T, weights)
    n_folds = len(weights)
    variance = dot((recalls - mean).T ** 2, weights**2) * n_folds / (n_folds - 1)
    return np.asarray(mean), np.asarray(variance)
