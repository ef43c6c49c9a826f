"""How long the rate-weighted AUC and what it stands on take."""

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score

from skrate import RankTable, rate_weighted_auc_score, rates, recall_at_rate_score
from skrate.core.rates import Beta

SIZES = (1_000, 10_000, 100_000, 1_000_000)
RATE = rates.beta(3, 19)


def labelled_scores(n_cases, prevalence=0.5, dtype="float64", seed=0):
    """Return labels of both classes and normal scores without ties but by rounding."""
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n_cases) < prevalence).astype(int)
    y_true[:2] = 0, 1
    return y_true, rng.normal(y_true, 1).astype(dtype)


class RateWeightedAUC:
    """Beside scikit-learn's AUC, and numpy's sort of the scores."""

    params = (SIZES, (0.5, 0.01), ("float64", "float32"))
    param_names = ("n_cases", "prevalence", "dtype")

    def setup(self, n_cases, prevalence, dtype):
        self.data = labelled_scores(n_cases, prevalence, dtype)
        rate_weighted_auc_score(*self.data, rate=RATE)

    def time_rate_weighted_auc(self, n_cases, prevalence, dtype):
        rate_weighted_auc_score(*self.data, rate=RATE)

    def time_roc_auc(self, n_cases, prevalence, dtype):
        roc_auc_score(*self.data)

    def time_sort(self, n_cases, prevalence, dtype):
        np.sort(self.data[1])

    def peakmem_rate_weighted_auc(self, n_cases, prevalence, dtype):
        rate_weighted_auc_score(*self.data, rate=RATE)


class Kinds:
    """Data that leave the quick way: ties, weights, neighbours in the last bit."""

    params = (SIZES, ("ties", "weights", "neighbours", "string labels"))
    param_names = ("n_cases", "kind")

    def setup(self, n_cases, kind):
        y_true, y_score = labelled_scores(n_cases)
        self.kwargs = {"rate": RATE}
        if kind == "ties":
            y_score = y_score.round(2)
        elif kind == "weights":
            self.kwargs["sample_weight"] = np.random.default_rng(1).random(n_cases)
        elif kind == "neighbours":
            y_score[1] = np.nextafter(y_score[0], np.inf)
        else:
            y_true = np.where(y_true == 1, "ill", "well")
            self.kwargs["pos_label"] = "ill"
        self.data = y_true, y_score

    def time_rate_weighted_auc(self, n_cases, kind):
        rate_weighted_auc_score(*self.data, **self.kwargs)

    def time_recall_at_rate(self, n_cases, kind):
        recall_at_rate_score(*self.data, **{**self.kwargs, "rate": 0.1})


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
    param_names = ("n_cases", "rate")

    def setup(self, n_cases, rate):
        self.data = labelled_scores(n_cases)

    def time_rate_weighted_auc(self, n_cases, rate):
        rate_weighted_auc_score(*self.data, rate=RATES[rate])

    def time_new_beta(self, n_cases, rate):
        rate_weighted_auc_score(*self.data, rate=Beta(3, 19))


class Tables:
    params = SIZES
    param_names = ("n_cases",)

    def setup(self, n_cases):
        self.data = labelled_scores(n_cases)
        self.table = RankTable.from_arrays(*self.data)

    def time_from_arrays(self, n_cases):
        RankTable.from_arrays(*self.data)

    def time_merge(self, n_cases):
        self.table + self.table
