"""Calibrated predictions of sampled labels, and the weight of the predictions."""

from __future__ import annotations

import numpy as np

from skrate.data.arrays import BoolArray, FloatArray, IntArray
from skrate.inference.cautions import count_heavy


def calibrated(
    is_labelled: BoolArray,
    is_pos: BoolArray,
    proba: FloatArray,
    prediction: FloatArray,
    scores: FloatArray | None = None,
) -> FloatArray:
    """Return E[y | prediction] by isotonic regression, without each sample's own label.

    ``prediction`` must be in [0, 1]. Samples with equal predictions share a value, up
    to their own label. It is 0 if no other sample has a label.

    With ``scores``, the result is ``prediction`` times an increasing function of the
    scores, at most 1: the isotonic regression of the ratio of labels to predictions.
    """
    weight, factor = is_labelled / proba, 1.0 if scores is None else prediction
    columns = np.stack([weight * factor, weight * is_pos, is_labelled])
    values = prediction if scores is None else scores
    bins = _make_bins(values, prediction * (1 - prediction))
    return np.minimum(factor * _fit_others(bins, columns), 1.0)


def _make_bins(values: FloatArray, spread: FloatArray) -> IntArray:
    """Return the bin of each sample, in the order of values; ties share a bin.

    If there are many values, bins are small where samples or their expected variances,
    ``spread``, are frequent: otherwise, few positives would share a bin with many
    negatives.
    """
    max_bins = 64
    distinct, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(distinct) <= max_bins:
        return np.asarray(codes)
    position = np.cumsum(counts) / len(values)
    spreads = np.cumsum(np.bincount(codes, spread))
    if spreads[-1] > 0:
        position = (position + spreads / spreads[-1]) / 2
    of_value = np.ceil(max_bins * position - 1e-9)
    return np.asarray(np.unique(of_value, return_inverse=True)[1][codes])


def _fit_others(bins: IntArray, columns: FloatArray) -> FloatArray:
    """Return the isotonic fit at the bin of each sample, without this sample.

    ``columns`` are weights, weights of positives and whether samples have a label.
    """
    sums = [np.append(0.0, np.cumsum(np.bincount(bins, row))) for row in columns]
    totals, is_labelled = np.stack(sums), columns[2] > 0
    without_label, fit = np.empty(len(totals[0]) - 1), np.empty(len(bins))
    for number in range(len(without_label)):
        rows = np.flatnonzero((bins == number) & is_labelled)
        own, which = np.unique(columns[:, rows], axis=1, return_inverse=True)
        # The first column is that of samples without a label.
        own = np.append(np.zeros((3, 1)), own, axis=1)
        parts = np.array_split(own, len(own[0]) // 500 + 1, axis=1)
        fits = np.concatenate([_fit_without(totals, number, part) for part in parts])
        without_label[number], fit[rows] = fits[0], fits[1:][which.ravel()]
    return np.where(is_labelled, fit, without_label[bins])


def _fit_without(totals: FloatArray, number: int, removed: FloatArray) -> FloatArray:
    """Return isotonic fits at a bin, each without the columns of one sample.

    The fit is the maximum over first bins of the minimum over last bins of the mean.
    Each mean includes a quarter of a label more, the average label, because the
    probability is not 0 if no positive was drawn. ``totals`` are the sums of columns
    below each bin.
    """
    below, above = totals[:, : number + 1], totals[:, number + 1 :]
    rest = (above[:, None, :] - below[:, :, None])[..., None] - removed[:, None, None]
    others = totals[:, -1, None] - removed
    average = others[:2] / np.maximum(4 * others[2], 4)
    weight, pos = rest[:2] + average[:, None, None]
    means = np.full(weight.shape, np.inf)
    np.divide(pos, weight, out=means, where=(rest[2] > 0) & (average[1] > 0))
    low = means.min(axis=1)
    fit = np.where(np.isinf(low), -np.inf, low).max(axis=0)
    return np.maximum(np.where(np.isinf(fit), 0.0, fit), 0.0)


def prediction_weight(
    is_labelled: BoolArray, is_pos: BoolArray, proba: FloatArray, fitted: FloatArray
) -> float:
    """Return the weight of predictions, from 0 to 1, that is best for a mean label.

    The best weight minimises the variance. It is the smaller one of the slopes of the
    labels by the predictions through the origin, and with an intercept, because a fixed
    number of labels removes a constant.
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
    return float(np.clip(min(slopes), 0, 1))


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
    return raise_bounding(prediction, np.minimum(scale * prediction, 1.0), fitted)


def raise_bounding(
    prediction: FloatArray, bounding: FloatArray, fitted: FloatArray
) -> FloatArray:
    """Return the larger one of two bounds, between 0 and 1 if ``prediction`` is."""
    largest = np.maximum(bounding, fitted)
    # Only predictions of 0 and 1 are taken as certain by ``drawn_errors``.
    return np.where(prediction % 1 > 0, np.clip(largest, 1e-9, 1 - 1e-9), largest)
