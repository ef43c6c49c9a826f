"""Averages of ROC curves of folds at equal rate, fpr, tpr or threshold; their band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from skrate.curves.fold_tables import Folds
from skrate.data.arrays import FloatArray
from skrate.data.table import RankTable, build_weight_table

Average = Literal["rate", "fpr", "tpr", "threshold"]
AVERAGES: tuple[Average, ...] = get_args(Average)
# The fpr and tpr of a curve.
Points: TypeAlias = tuple[FloatArray, FloatArray]


def averaged(tables: Sequence[RankTable], average: Average) -> Points:
    """Return the average of the curves of folds, at full resolution."""
    fprs, tprs = [table.fpr for table in tables], [table.tpr for table in tables]
    if average == "fpr":
        return _mean_curve(fprs, tprs)
    if average == "tpr":
        return _mean_curve(tprs, fprs)[::-1]
    if average == "rate":
        pooled = Folds(tuple(tables)).pooled
        return pooled.fpr, pooled.tpr
    scores = [table.thresholds for table in tables if table.thresholds is not None]
    if len(scores) < len(tables):
        raise ValueError(
            "average='threshold' needs scores of every fold: pass arrays of labels and "
            "scores, or tables built by RankTable.from_arrays. Got "
            f"{len(tables) - len(scores)} of {len(tables)} tables without scores."
        )
    cuts = np.unique(np.concatenate(scores))[::-1]
    above = [len(fold) - np.searchsorted(fold[::-1], cuts) for fold in scores]
    fpr, tpr = (
        np.mean([y[n] for y, n in zip(ys, above, strict=True)], axis=0)
        for ys in (fprs, tprs)
    )
    return np.append(0.0, fpr), np.append(0.0, tpr)


def _mean_curve(xs: list[FloatArray], ys: list[FloatArray]) -> Points:
    """Return the mean of y at every x, before and after the jumps there."""
    knots, curves = np.unique(np.concatenate(xs)), list(zip(xs, ys, strict=True))
    # Of equal x, np.interp uses the last; in reversed arrays this is the first.
    before = np.mean([np.interp(-knots, -x[::-1], y[::-1]) for x, y in curves], axis=0)
    after = np.mean([np.interp(knots, x, y) for x, y in curves], axis=0)
    return np.repeat(knots, 2), np.column_stack([before, after]).ravel()


def fixed_width(
    folds: Folds,
    average: Average,
    level: float,
    n_resamples: int,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """Return the distance of a band from the average curve, in fpr and in tpr.

    The band contains a fraction ``level`` of the averages of resampled folds. The
    distance is a mean over repeats.
    """
    slope, widths = float(np.sqrt(folds.n_neg / folds.n_pos)), []
    for repeat in folds.split_repeats:
        middle, distances = averaged(repeat.tables, average), []
        for _ in range(n_resamples):
            resampled = [_resample(table, generator) for table in repeat.tables]
            distances.append(_distance(middle, averaged(resampled, average), slope))
        widths.append(np.quantile(distances, level, method="inverted_cdf"))
    width = float(np.mean(widths))
    return width / slope, width


def _resample(table: RankTable, generator: np.random.Generator) -> RankTable:
    # Groups without drawn samples stay in the table: they do not change averages.
    pos, neg = (
        generator.multinomial(round(n), weights / n).astype(np.float64)
        for n, weights in ((table.n_pos, table.pos), (table.n_neg, table.neg))
    )
    return build_weight_table(pos, neg, table.thresholds)


def _distance(a: Points, b: Points, slope: float) -> float:
    """Return the maximum difference in tpr of two curves along lines of -``slope``.

    Every curve meets such a falling line once.
    """
    positions = [slope * fpr + tpr for fpr, tpr in (a, b)]
    tprs = [
        np.interp(np.concatenate(positions), position, tpr)
        for position, (_, tpr) in zip(positions, (a, b), strict=True)
    ]
    return float(np.abs(np.subtract(*tprs)).max())
