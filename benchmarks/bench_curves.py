"""How long the consensus curve and its bounds take."""

from common import RATES, scored_folds
from skrate import rate_averaged_roc_curve

BOUNDS = (
    None, "normal", "beta", "parametric", "exact", "bootstrap", "bootstrap-adjusted",
)  # fmt: skip


class Bounds:
    params = ((50, 1_000, 10_000), BOUNDS)
    param_names = ("n_samples", "bounds")
    timeout = 300

    def setup(self, n_samples, bounds):
        self.data = scored_folds(*[n_samples] * 10)

    def time_bounds(self, n_samples, bounds):
        rate_averaged_roc_curve(*self.data, rates=RATES, bounds=bounds, random_state=0)

    peakmem_bounds = time_bounds


class UnequalFolds:
    """Folds of ten sizes, hence ten distributions at each rate."""

    params = (("parametric", "exact"),)
    param_names = ("bounds",)

    def setup(self, bounds):
        self.data = scored_folds(*range(990, 1_010, 2))

    def time_bounds(self, bounds):
        rate_averaged_roc_curve(*self.data, rates=RATES, bounds=bounds)
