"""How long RankBoost, and the AUC for a known number of errors, take."""

import numpy as np

from common import ranked_features
from skrate import RankBoostClassifier
from skrate.error_rate import auc_moments, auc_range_from_errors


class RankBoostFit:
    """Fitting 100 rounds."""

    params = ((1_000, 20_000), (None, 255))
    param_names = ("n_samples", "max_bins")

    def setup(self, n_samples, max_bins):
        self.data = ranked_features(n_samples)
        self.model = RankBoostClassifier(max_bins=max_bins)

    def time_fit(self, n_samples, max_bins):
        self.model.fit(*self.data)

    peakmem_fit = time_fit


class RankBoostPredict:
    """Scoring new cases with 100 rankers."""

    params = (1_000, 100_000)
    param_names = ("n_samples",)

    def setup(self, n_samples):
        self.X, y = ranked_features(n_samples)
        self.model = RankBoostClassifier(max_bins=255).fit(self.X, y)

    def time_decision_function(self, n_samples):
        self.model.decision_function(self.X)


class ErrorMoments:
    """Settings of 1,000 cases, all numbers of errors in turn."""

    params = (100, 10_000)
    param_names = ("n_settings",)

    def setup(self, n_settings):
        self.n_errors = np.arange(n_settings) % 1_001

    def time_auc_moments(self, n_settings):
        auc_moments(300, 700, self.n_errors)


class ErrorInterval:
    """The exact distribution, at the largest size "auto" takes it for."""

    params = (20, 100)
    param_names = ("n_pos",)

    def time_auc_range_from_errors(self, n_pos):
        auc_range_from_errors(n_pos, n_pos, n_pos // 2, method="exact")
