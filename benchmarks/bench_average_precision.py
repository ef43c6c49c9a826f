"""How long average precision and the hit curve take."""

import numpy as np

from skrate import average_precision_score, estimate, hit_curve

KINDS = ("no ties", "ties", "weights")


def screened(n_cases, kind="no ties", seed=0):
    """Labels (one in ten positive), scores and weights of a screening test."""
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n_cases) < 0.1).astype(int)
    y_score = rng.normal(size=n_cases) + y_true
    if kind == "ties":
        y_score = np.round(y_score, 2)
    weights = rng.random(n_cases) if kind == "weights" else None
    return y_true, y_score, weights


class AveragePrecision:
    params = ((1_000, 10_000, 100_000, 1_000_000), KINDS)
    param_names = ("n_cases", "kind")

    def setup(self, n_cases, kind):
        *self.data, self.weights = screened(n_cases, kind)

    def time_average_precision(self, n_cases, kind):
        average_precision_score(*self.data, sample_weight=self.weights)

    def time_at_a_prevalence(self, n_cases, kind):
        average_precision_score(*self.data, prevalence=0.01, sample_weight=self.weights)

    def peakmem_average_precision(self, n_cases, kind):
        average_precision_score(*self.data, sample_weight=self.weights)


class HitCurve:
    params = ((1_000, 1_000_000), ("no ties", "ties"))
    param_names = ("n_cases", "kind")

    def setup(self, n_cases, kind):
        *self.data, _ = screened(n_cases, kind)

    def time_hit_curve(self, n_cases, kind):
        hit_curve(*self.data)


class StandardError:
    params = ((1_000, 100_000), ("delta", "parametric", "bootstrap"))
    param_names = ("n_cases", "method")

    def setup(self, n_cases, method):
        *self.data, _ = screened(n_cases)

    def time_estimate(self, n_cases, method):
        estimate(
            average_precision_score,
            *self.data,
            method=method,
            n_resamples=200,
            random_state=0,
        )
