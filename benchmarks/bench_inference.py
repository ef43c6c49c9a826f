"""How long standard errors, intervals and comparisons take."""

from common import METRICS, labelled_scores


class Estimate:
    params = (tuple(METRICS), (1_000, 100_000, 1_000_000))
    param_names = ("metric", "n_samples")

    def setup(self, metric, n_samples):
        self.data = labelled_scores(n_samples, prevalence=0.1)

    def time_delta(self, metric, n_samples):
        METRICS[metric].estimate(*self.data)

    peakmem_delta = time_delta


class Bootstrap:
    params = (
        tuple(METRICS), (1_000, 10_000), (0.1, 0.5), ("bootstrap", "parametric")
    )  # fmt: skip
    param_names = ("metric", "n_samples", "prevalence", "method")
    timeout = 300

    def setup(self, metric, n_samples, prevalence, method):
        self.data = labelled_scores(n_samples, prevalence)

    def time_bootstrap(self, metric, n_samples, prevalence, method):
        METRICS[metric].estimate(*self.data, method=method)

    peakmem_bootstrap = time_bootstrap


class Models:
    params = (1_000, 100_000)
    param_names = ("n_samples",)

    def setup(self, n_samples):
        self.data = labelled_scores(n_samples, prevalence=0.1, n_models=20)

    def time_covariance(self, n_samples):
        METRICS["AUC"].covariance(*self.data)


class Pair:
    params = (("delta", "bootstrap", "permutation"), (1_000,))
    param_names = ("method", "n_samples")

    def setup(self, method, n_samples):
        y_true, y_scores = labelled_scores(n_samples, prevalence=0.1, n_models=2)
        self.data = y_true, *y_scores.T.copy()

    def time_compare(self, method, n_samples):
        METRICS["AUC"].compare(*self.data, method=method)
