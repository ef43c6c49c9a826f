"""How long the consensus curve and its bounds take."""

import numpy as np

from skrate import rate_averaged_roc_curve

RATES = np.linspace(0, 1, 201)
BOUNDS = (
    None, "normal", "beta", "parametric", "exact", "bootstrap", "bootstrap-adjusted",
)  # fmt: skip


def cross_validated(n_cases, n_folds=10, seed=0, prevalence=0.5):
    """Labels and scores of folds of one size."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n_cases) < prevalence * n_cases).astype(int)
    return [y] * n_folds, [rng.normal(size=n_cases) + y for _ in range(n_folds)]


class Bounds:
    params = ((50, 1_000, 10_000), BOUNDS)
    param_names = ("n_cases", "bounds")
    timeout = 300

    def setup(self, n_cases, bounds):
        self.data = cross_validated(n_cases)

    def time_bounds(self, n_cases, bounds):
        rate_averaged_roc_curve(*self.data, rates=RATES, bounds=bounds, random_state=0)

    def peakmem_bounds(self, n_cases, bounds):
        rate_averaged_roc_curve(*self.data, rates=RATES, bounds=bounds, random_state=0)


class UnequalFolds:
    """Each fold of a size of its own: ten laws at each rate instead of one."""

    params = (("parametric", "exact"),)
    param_names = ("bounds",)

    def setup(self, bounds):
        sizes = range(990, 1_010, 2)
        folds = [cross_validated(n, n_folds=1, seed=n) for n in sizes]
        self.data = [y for (y,), _ in folds], [scores for _, (scores,) in folds]

    def time_bounds(self, bounds):
        rate_averaged_roc_curve(*self.data, rates=RATES, bounds=bounds)
