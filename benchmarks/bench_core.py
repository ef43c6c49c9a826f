"""How long the rate-weighted AUC and its parts take."""

import numpy as np
from scipy import stats

from common import RATE, SCORES, SIZES, labelled_scores, rauc, sample_of_kind
from skrate import (
    RankTable,
    estimate,
    precision_at_rate_score,
    rates,
    recall_at_rate_score,
)
from skrate.rates.distributions import Beta


class RateWeightedAUC:
    params = (SIZES, (0.5, 0.01), ("float64", "float32"))
    param_names = ("n_samples", "prevalence", "dtype")

    def setup(self, n_samples, prevalence, dtype):
        self.data = labelled_scores(n_samples, prevalence, dtype)

    def time_rate_weighted_auc(self, n_samples, prevalence, dtype):
        rauc(*self.data)

    peakmem_rate_weighted_auc = time_rate_weighted_auc


class Scores:
    """Every registered metric, and its standard error."""

    params = ((10_000, 1_000_000), tuple(SCORES))
    param_names = ("n_samples", "metric")

    def setup(self, n_samples, metric):
        self.data = labelled_scores(n_samples)

    def time_score(self, n_samples, metric):
        SCORES[metric](*self.data)

    def time_estimate(self, n_samples, metric):
        estimate(SCORES[metric], *self.data)


class Kinds:
    """Data that leave the quick way: ties, weights, neighbours in the last bit."""

    params = (SIZES, ("ties", "weights", "neighbours", "string labels"))
    param_names = ("n_samples", "kind")

    def setup(self, n_samples, kind):
        *self.data, self.options = sample_of_kind(n_samples, kind)

    def time_rate_weighted_auc(self, n_samples, kind):
        rauc(*self.data, **self.options)

    def time_recall_at_rate(self, n_samples, kind):
        recall_at_rate_score(*self.data, rate=0.1, **self.options)


RATES = {
    "uniform": rates.uniform(),
    "beta(0.5, 0.5)": rates.beta(0.5, 0.5),
    "empirical": rates.empirical(np.random.default_rng(0).beta(3, 19, 1000)),
    "mixture": rates.mixture([RATE, 0.8]),
    "log_discount": rates.log_discount(1_000),
    "scipy": stats.triang(0.2),
}


class Rates:
    """Every kind of rate, and building the table of a beta."""

    params = ((1_000, 100_000), tuple(RATES))
    param_names = ("n_samples", "rate")

    def setup(self, n_samples, rate):
        self.data = labelled_scores(n_samples)

    def time_rate_weighted_auc(self, n_samples, rate):
        rauc(*self.data, rate=RATES[rate])

    def time_expected_precision(self, n_samples, rate):
        precision_at_rate_score(*self.data, rate=RATES[rate])

    def time_new_beta(self, n_samples, rate):
        rauc(*self.data, rate=Beta(3, 19))


class Tables:
    params = SIZES
    param_names = ("n_samples",)

    def setup(self, n_samples):
        self.data = labelled_scores(n_samples)
        self.table = RankTable.from_arrays(*self.data)

    def time_from_arrays(self, n_samples):
        RankTable.from_arrays(*self.data)

    def time_merge(self, n_samples):
        self.table + self.table
