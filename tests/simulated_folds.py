"""Folds drawn from two normal classes, and how bounds hold the population's curve."""

from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

from skrate import rate_averaged_roc_curve

SHOWN = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
RATES = np.union1d(np.arange(51) / 50, SHOWN)
# Counts are whole: only rounding is between them.
ROUNDING = 1e-9


def low_of(curve):
    return curve.confidence_interval.low.tpr


def high_of(curve):
    return curve.confidence_interval.high.tpr


class Setting(NamedTuple):
    """Folds by their sizes and prevalences, and how far apart their classes are."""

    sizes: tuple[int, ...]
    prevalences: tuple[float, ...]
    shifts: tuple[float, ...]

    @classmethod
    def alike(cls, n_folds, size, prevalence, shift):
        return cls((size,) * n_folds, (prevalence,) * n_folds, (shift,) * n_folds)

    def sample(self, rng):
        """Return labels and scores by fold; prevalences are those of the sample."""
        y_trues, y_scores = [], []
        for n, p, shift in zip(*self, strict=True):
            y_trues.append((np.arange(n) < round(n * p)).astype(int))
            y_scores.append(rng.normal(size=n) + shift * y_trues[-1])
        return y_trues, y_scores

    def recall(self, rate):
        """Return the recall of endless folds of these shares."""
        n_pos = [round(n * p) for n, p, _ in zip(*self, strict=True)]
        folds = zip(self.sizes, n_pos, self.shifts, strict=True)
        recalls = [recall_at(rate, found / n, shift) for n, found, shift in folds]
        return np.average(recalls, weights=n_pos)


def recall_at(rate, prevalence, shift):
    if rate in (0, 1):
        return rate

    def missed(cut):
        found = prevalence * stats.norm.sf(cut, shift)
        return found + (1 - prevalence) * stats.norm.sf(cut) - rate

    return stats.norm.sf(optimize.brentq(missed, -40, 40), shift)


FOUR = (0.1, 0.1, 0.5, 0.5)
SETTINGS = {
    "4 of 100, prevalences 0.1 0.1 0.5 0.5": Setting((100,) * 4, FOUR, (2.3,) * 4),
    "60 140 100 300, prevalences 0.1 0.3 0.2 0.4": Setting(
        (60, 140, 100, 300), (0.1, 0.3, 0.2, 0.4), (2.3,) * 4
    ),
    "3 of 200, prevalences 0.02 0.02 0.5": Setting(
        (200,) * 3, (0.02, 0.02, 0.5), (2.0,) * 3
    ),
    "4 of 1,000, prevalences 0.1 0.1 0.5 0.5, two curves": Setting(
        (1000,) * 4, FOUR, (3.0, 3.0, 1.0, 1.0)
    ),
    "10 of 50, unstratified, prevalence 0.2": Setting(
        (50,) * 10,
        (0.2, 0.16, 0.3, 0.14, 0.2, 0.26, 0.12, 0.22, 0.18, 0.2),
        (2.0,) * 10,
    ),
    "10 of 50, prevalence 0.5, overlapping": Setting.alike(10, 50, 0.5, 1.0),
    "10 of 100, prevalence 0.5": Setting.alike(10, 100, 0.5, 2.3),
    "10 of 100, prevalence 0.2, nearly perfect": Setting.alike(10, 100, 0.2, 4.0),
    "5 of 40, prevalence 0.1": Setting.alike(5, 40, 0.1, 2.0),
    "1 of 100, prevalence 0.3": Setting.alike(1, 100, 0.3, 2.0),
}  # fmt: skip

# The method of the bounds, and what they are to hold.
KINDS = (
    ("exact", "pointwise"),
    ("exact", "simultaneous"),
    ("parametric", "pointwise"),
    ("bootstrap", "pointwise"),
    ("bootstrap-adjusted", "pointwise"),
    ("normal", "pointwise"),
)


class Coverage(NamedTuple):
    """Shares of samples whose bounds hold the truth, at each rate and as a whole."""

    covered: list[float]
    width: list[float]
    whole: float
    # Whose bounds hold the curve that they were made for.
    own: float


def coverage(setting, n_simulations, kinds=KINDS):
    """Return the coverage by kind, of those that the setting allows."""
    truth = np.array([setting.recall(rate) for rate in RATES])
    if len(setting.sizes) == 1:
        kinds = [kind for kind in kinds if kind[0] != "normal"]
    found = {kind: [] for kind in kinds}
    for seed in range(n_simulations):
        data = setting.sample(np.random.default_rng([3, seed]))
        for bounds, band in kinds:
            curve = rate_averaged_roc_curve(
                *data, rates=RATES, bounds=bounds, band=band, n_resamples=500,
                random_state=seed,
            )  # fmt: skip
            low, high = low_of(curve), high_of(curve)
            is_own = (low <= curve.tpr + ROUNDING) & (curve.tpr <= high + ROUNDING)
            held = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
            found[bounds, band].append((held, high - low, held.all(), is_own.all()))
    return {
        kind: Coverage(
            *(np.mean(part, axis=0).tolist() for part in zip(*each, strict=True))
        )
        for kind, each in found.items()
    }
