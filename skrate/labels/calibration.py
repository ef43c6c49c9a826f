"""Calibrated predictions of sampled labels, and the weight of the predictions."""

from __future__ import annotations

import numpy as np

from skrate.data.arrays import BoolArray, FloatArray, IntArray
from skrate.inference.cautions import count_heavy

_MAX_BINS = 64
# Metrics weight samples differently than the mean: the best weight for an AUC is lower.
# 0.96 of the reduction of the variance of the mean remains.
_CAUTION = 0.8


def calibrated(
    is_labelled: BoolArray, is_pos: BoolArray, proba: FloatArray, prediction: FloatArray
) -> FloatArray:
    """Return E[y | prediction] by isotonic regression, without each sample's own label.

    ``prediction`` must be in [0, 1]. Samples with equal predictions share a value, up
    to their own label. It is 0 if no other sample has a label.
    """
    bins = _prediction_bins(prediction)
    columns = np.stack([is_labelled / proba, is_labelled * is_pos / proba, is_labelled])
    sums = [np.append(0.0, np.cumsum(np.bincount(bins, row))) for row in columns]
    totals, fitted = np.stack(sums), np.empty(len(bins))
    # The weight of each sample, with the sign of its label.
    signed = np.where(is_pos, columns[0], -columns[0])
    for number in range(len(totals[0]) - 1):
        rows = np.flatnonzero(bins == number)
        own, which = np.unique(signed[rows], return_inverse=True)
        fitted[rows] = _fit_without(totals, number, own)[which]
    return fitted


def _prediction_bins(prediction: FloatArray) -> IntArray:
    """Return the bin of each sample, in the order of predictions; ties share a bin.

    If there are many values, bins are small where samples or their expected variances
    are frequent: otherwise, few positives would share a bin with many negatives.
    """
    values, codes, counts = np.unique(
        prediction, return_inverse=True, return_counts=True
    )
    if len(values) <= _MAX_BINS:
        return np.asarray(codes)
    position = np.cumsum(counts) / len(prediction)
    spread = np.cumsum(counts * values * (1 - values))
    if spread[-1] > 0:
        position = (position + spread / spread[-1]) / 2
    of_value = np.ceil(_MAX_BINS * position - 1e-9)
    return np.asarray(np.unique(of_value, return_inverse=True)[1][codes])


def _fit_without(totals: FloatArray, number: int, own: FloatArray) -> FloatArray:
    """Return isotonic fits at a bin, without a sample of a given signed weight.

    The fit is the maximum over first bins of the minimum over last bins of the mean.
    ``totals`` are weights, weights of positives and numbers of labels below each bin.
    """
    below, above = totals[:, : number + 1], totals[:, number + 1 :]
    removed = np.stack([np.abs(own), np.maximum(own, 0), own != 0])
    rest = (above[:, None, :] - below[:, :, None])[..., None] - removed[:, None, None]
    weight, pos, n_labels = rest
    means = np.full(weight.shape, np.inf)
    np.divide(pos, weight, out=means, where=n_labels > 0)
    low = means.min(axis=1)
    fit = np.where(np.isinf(low), -np.inf, low).max(axis=0)
    return np.clip(np.where(np.isinf(fit), 0.0, fit), 0, 1)


def prediction_weight(
    is_labelled: BoolArray, is_pos: BoolArray, proba: FloatArray, fitted: FloatArray
) -> float:
    """Return the weight of predictions, 0.8 times the best weight for a mean label.

    The best weight minimises the variance, and is at most 1. It is the smaller one of
    the slopes of the labels by the predictions through the origin, and with an
    intercept, because a fixed number of labels removes a constant.
    """
    squares = is_labelled * (1 - proba) / proba**2
    total = squares.sum()
    if total == 0:
        return 0.0
    slopes = []
    for centre in (0.0, (squares * fitted).sum() / total):
        away = squares * (fitted - centre)
        variance = (away * (fitted - centre)).sum()
        # Equal predictions differ from their mean by rounding.
        is_constant = variance <= 1e-20 * total
        slopes.append(0.0 if is_constant else (away * is_pos).sum() / variance)
    return float(_CAUTION * np.clip(min(slopes), 0, 1))


def bounding_prediction(
    is_labelled: BoolArray,
    is_pos: BoolArray,
    proba: FloatArray,
    prediction: FloatArray,
    fitted: FloatArray,
) -> FloatArray | None:
    """Return predictions for a lower bound of the variance, or None if not needed.

    They are needed if too few positives with heavy weights were drawn to show their
    variance. Predictions of 0 and 1 do not say how labels vary.
    """
    weight = 1 / proba
    drawn = np.where(is_labelled & is_pos, weight, 0.0)
    if count_heavy(weight, drawn) is None or not (prediction % 1).any():
        return None
    # Scaled to the estimated number of positives, because they may not be calibrated.
    predicted = (is_labelled * prediction * weight).sum()
    scale = drawn.sum() / predicted if predicted > 0 else 0.0
    bounding = np.maximum(np.minimum(scale * prediction, 1.0), fitted)
    # Only predictions of 0 and 1 are taken as certain by ``drawn_errors``.
    return np.where(prediction % 1 > 0, np.clip(bounding, 1e-9, 1 - 1e-9), bounding)
