"""How long average precision and the hit curve take."""

from common import KINDS, SIZES, sample_of_kind
from skrate import average_precision_score, hit_curve


class AveragePrecision:
    params = (SIZES, KINDS)
    param_names = ("n_samples", "kind")

    def setup(self, n_samples, kind):
        *self.data, self.options = sample_of_kind(n_samples, kind, prevalence=0.1)

    def time_average_precision(self, n_samples, kind):
        average_precision_score(*self.data, **self.options)

    def time_at_a_prevalence(self, n_samples, kind):
        average_precision_score(*self.data, prevalence=0.01, **self.options)

    peakmem_average_precision = time_average_precision


class HitCurve:
    params = ((1_000, 1_000_000), ("no ties", "ties"))
    param_names = ("n_samples", "kind")

    def setup(self, n_samples, kind):
        *self.data, _ = sample_of_kind(n_samples, kind, prevalence=0.1)

    def time_hit_curve(self, n_samples, kind):
        hit_curve(*self.data)
