"""Momentum and stamina by equations 14 and 8 of Su, Yuan and Zhu, from pairs."""

import numpy as np

from reference.average_precision import average_precision


def momentum_and_stamina(y_true, y_score):
    """Return both as floats, nan where the ranking is not better than random."""
    y_true, y_score = np.asarray(y_true), np.asarray(y_score)
    pos, neg = y_score[y_true == 1], y_score[y_true == 0]
    auc = (np.greater.outer(pos, neg) + np.equal.outer(pos, neg) / 2).mean()
    p = y_true.mean()
    if auc < 0.5 + 1e-9:
        return np.nan, np.nan
    adjusted = (float(average_precision(y_true, y_score)) - p) / (1 - p)
    beta = adjusted / (2 * auc - 1)
    if beta < p + 1e-9:
        return np.nan, np.nan
    # Equation 8, AUC = (beta - p) alpha / (2 p (1 - p)) + 1 / 2.
    # As a rate, at most 1.
    return beta, min((auc - 0.5) * 2 * p * (1 - p) / (beta - p), 1.0)
