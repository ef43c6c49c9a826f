"""From ranking scores to probabilities: one slope and one offset."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit

from skrate.data.arrays import Array, ArrayLike, BoolArray, FloatArray

# On the squared slope for scores of unit deviation, against the mean loss of a case:
# moves an ordinary slope by a thousandth, and keeps a separable sample's finite.
_PENALTY = 1e-4
_SMALLEST_SLOPE = 1e-3


class Link(NamedTuple):
    """P(positive) = expit(slope (score - offset))."""

    slope: float
    offset: float


class LinkedClasses:
    """Probabilities and classes from a ranking score and its link."""

    classes_: Array
    slope_: float

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the ranking score, minus the score of probability one half."""
        raise NotImplementedError

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probability of each class by the fitted link.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense; NaN is a missing value.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, 2)
            In the order of `classes_`; expit(`slope_` * `decision_function`) in the
            second column.
        """
        margin = self._margin(X)
        return np.column_stack([expit(-margin), expit(margin)])

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense; NaN is a missing value.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, 2)
            In the order of `classes_`; finite however extreme the score.
        """
        margin = self._margin(X)
        return np.column_stack([log_expit(-margin), log_expit(margin)])

    def predict(self, X: ArrayLike) -> Array:
        """Return the class: the second where `decision_function` is above 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense; NaN is a missing value.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Labels out of `classes_`.
        """
        is_second = self.decision_function(X) > 0
        return np.asarray(self.classes_[is_second.astype(int)])

    def _margin(self, X: ArrayLike) -> FloatArray:
        """Return the log odds of the second class."""
        scores = self.decision_function(X)
        return np.asarray(self.slope_ * scores)


def fit_link(scores: FloatArray, is_pos: BoolArray, weights: FloatArray) -> Link:
    """Fit a logistic regression of the class on the score, slope above zero.

    Only shares of weight enter: neither the scale of the weights nor repeating the
    sample changes the result.
    """
    shares = weights / weights.sum()
    prevalence = _sum(shares * is_pos)
    center = _sum(shares * scores)
    spread = float(np.sqrt(_sum(shares * (scores - center) ** 2)))
    if spread <= 1e-12 * max(1.0, abs(center)):
        return Link(1.0, center - float(logit(prevalence)))
    standard = (scores - center) / spread
    slope, intercept = _logistic(standard, is_pos, shares, prevalence)
    if slope < _SMALLEST_SLOPE:
        # Pairs within lists say nothing on lists against each other, so this occurs.
        slope, intercept = _SMALLEST_SLOPE, float(logit(prevalence))
    return Link(slope / spread, center - spread * intercept / slope)


def _logistic(
    scores: FloatArray, is_pos: BoolArray, shares: FloatArray, prevalence: float
) -> tuple[float, float]:
    """Return slope and intercept that minimise the mean log loss and the penalty."""

    def loss(parameters: Array) -> tuple[float, Array]:
        margin = parameters[0] * scores + parameters[1]
        value = _sum(shares * (np.logaddexp(0, margin) - is_pos * margin))
        residual = shares * (expit(margin) - is_pos)
        slope_part = _sum(residual * scores) + _PENALTY * parameters[0]
        gradient = np.array([slope_part, residual.sum()])
        return value + _PENALTY / 2 * float(parameters[0]) ** 2, gradient

    def curvature(parameters: Array) -> Array:
        probability = expit(parameters[0] * scores + parameters[1])
        weight = shares * probability * (1 - probability)
        cross = _sum(weight * scores)
        first = _sum(weight * scores**2) + _PENALTY
        return np.array([[first, cross], [cross, weight.sum()]])

    start = np.array([0.0, float(logit(prevalence))])
    found = minimize(
        loss,
        start,
        jac=True,
        hess=curvature,
        method="trust-exact",
        options={"gtol": 1e-8},
    )
    # Newton's step from there doubles the digits: repeated rows and integer weights,
    # summed in different orders, must agree to more than the tolerance.
    last = found.x - np.linalg.solve(curvature(found.x), loss(found.x)[1])
    return float(last[0]), float(last[1])


def _sum(values: FloatArray) -> float:
    """Return the sum; a product of vectors would start the threads of the BLAS."""
    return float(values.sum())
