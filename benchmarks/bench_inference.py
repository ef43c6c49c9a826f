"""How long standard errors, intervals and comparisons take."""

import numpy as np

from skrate import (
    average_precision_score,
    compare,
    covariance,
    estimate,
    rate_weighted_auc_score,
    rates,
)

METRICS = {
    "auc": ("auc", {}),
    "rauc": (rate_weighted_auc_score, {"rate": rates.beta(3, 19)}),
    "ap": (average_precision_score, {}),
}


def scored(n_cases, n_models=1, prevalence=0.1, seed=0):
    """Labels and the scores of some models, one column each."""
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n_cases) < prevalence).astype(int)
    return y_true, rng.normal(size=(n_cases, n_models)) + y_true[:, None]


class Estimate:
    params = (tuple(METRICS), (1_000, 100_000, 1_000_000))
    param_names = ("metric", "n_cases")

    def setup(self, metric, n_cases):
        self.y_true, y_scores = scored(n_cases)
        self.y_score = y_scores[:, 0].copy()
        self.metric, self.kwargs = METRICS[metric]

    def time_delta(self, metric, n_cases):
        estimate(self.metric, self.y_true, self.y_score, **self.kwargs)

    def peakmem_delta(self, metric, n_cases):
        estimate(self.metric, self.y_true, self.y_score, **self.kwargs)


class Bootstrap:
    params = (tuple(METRICS), (1_000, 10_000), (0.1, 0.5))
    param_names = ("metric", "n_cases", "prevalence")
    timeout = 300

    def setup(self, metric, n_cases, prevalence):
        self.y_true, y_scores = scored(n_cases, prevalence=prevalence)
        self.y_score = y_scores[:, 0].copy()
        self.metric, self.kwargs = METRICS[metric]

    def time_bootstrap(self, metric, n_cases, prevalence):
        estimate(
            self.metric, self.y_true, self.y_score, method="bootstrap", random_state=0,
            **self.kwargs,
        )  # fmt: skip

    def peakmem_bootstrap(self, metric, n_cases, prevalence):
        self.time_bootstrap(metric, n_cases, prevalence)


class Models:
    params = ((1_000, 100_000),)
    param_names = ("n_cases",)

    def setup(self, n_cases):
        self.y_true, self.y_scores = scored(n_cases, n_models=20)

    def time_covariance(self, n_cases):
        covariance("auc", self.y_true, self.y_scores)


class Pair:
    params = (("delta", "bootstrap", "permutation"), (1_000,))
    param_names = ("method", "n_cases")

    def setup(self, method, n_cases):
        self.y_true, y_scores = scored(n_cases, n_models=2)
        self.y_score_a, self.y_score_b = y_scores.T.copy()

    def time_compare(self, method, n_cases):
        compare(
            "auc", self.y_true, self.y_score_a, self.y_score_b, method=method,
            random_state=0,
        )  # fmt: skip
