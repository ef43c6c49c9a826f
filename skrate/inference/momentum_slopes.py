"""Momentum and stamina, as inference sees them."""

import numpy as np

from skrate.core.arrays import Array, FloatArray
from skrate.core.rank_table import RankTable
from skrate.inference.auc import auc_metric
from skrate.inference.precision import average_precision_metric
from skrate.inference.table_metric import Gradients, TableMetric
from skrate.metrics.momentum import LEAST_ADVANTAGE, momentum, stamina

_AUC = auc_metric()
_PRECISION = average_precision_metric(adjusted=True)
_UNDEFINED = "the ranking is not better than a random one"


def momentum_metric() -> TableMetric:
    """Return the initial precision that AP and AUC imply."""
    return TableMetric(
        "Momentum",
        momentum,
        _momentum_gradients,
        lambda pos, neg: _resampled(pos, neg)[0],
        bounds=_positive,
        undefined=_UNDEFINED,
    )


def stamina_metric() -> TableMetric:
    """Return the rate down to which it lasts."""
    return TableMetric(
        "Stamina",
        stamina,
        _stamina_gradients,
        lambda pos, neg: _resampled(pos, neg)[1],
        bounds=_positive,
        undefined=_UNDEFINED,
    )


def _positive(table: RankTable) -> tuple[float, float]:
    # Equation 14 is an approximation, which may exceed 1.
    return 0.0, np.inf


def _momentum_gradients(table: RankTable) -> Gradients:
    """Return the slopes of (adjusted AP) / (2 AUC - 1)."""
    advantage = 2 * _AUC.value(table) - 1
    return _combined(
        (1 / advantage, _PRECISION.gradients(table)),
        (-2 * momentum(table) / advantage, _AUC.gradients(table)),
    )


def _stamina_gradients(table: RankTable) -> Gradients:
    """Return the slopes of p (1 - p) (2 AUC - 1) / (momentum - p)."""
    p, rest = table.prevalence, table.negative_share
    advantage = 2 * _AUC.value(table) - 1
    distance, alpha = momentum(table) - p, stamina(table)
    by_pos, by_neg, by_prevalence = _combined(
        (2 * p * rest / distance, _AUC.gradients(table)),
        (-alpha / distance, _momentum_gradients(table)),
    )
    by_prevalence += ((rest - p) * advantage + alpha) / distance
    return Gradients(by_pos, by_neg, by_prevalence)


def _combined(*parts: tuple[float, Gradients]) -> Gradients:
    """Return the sum of slopes times factors."""
    factors = np.array([factor for factor, _ in parts])
    by_pos, by_neg, by_prevalence = zip(*(slopes for _, slopes in parts), strict=True)
    return Gradients(
        factors @ np.stack(by_pos),
        factors @ np.stack(by_neg),
        float(factors @ np.array(by_prevalence)),
    )


def _resampled(pos: Array, neg: Array) -> tuple[FloatArray, FloatArray]:
    n_pos, n_neg = pos.sum(axis=1), neg.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, rest = n_pos / (n_pos + n_neg), n_neg / (n_pos + n_neg)
        advantage = 2 * _AUC.resampled(pos, neg) - 1
        beta = _PRECISION.resampled(pos, neg) / advantage
        alpha = p * rest * advantage / (beta - p)
    is_better = (advantage > LEAST_ADVANTAGE) & (beta - p > LEAST_ADVANTAGE)
    return np.where(is_better, beta, np.nan), np.where(is_better, alpha, np.nan)
