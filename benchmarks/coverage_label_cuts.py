"""Coverage of metrics at a recall or an FPR, and the partial AUC, of sampled labels.

Prints, for each design, the fraction of 95 % intervals that contain the true value. The
predictions are calibrated, biased, used to choose the labels, or missing.
"""

import argparse
import warnings

import numpy as np
from scipy.stats import norm

from skrate import estimate, labels

SHIFT, FPR, RECALL = 1.5, 0.1, 0.8
DESIGNS = [(2_000, 0.1, 0.2), (1_500, 0.3, 0.15)]  # Samples, prevalence, fraction.
PREDICTIONS = ["calibrated", "biased", "chosen", "none"]


def true_values(prevalence):
    """Return the value of each metric in the population."""
    cut = norm.isf(RECALL) + SHIFT
    rate = prevalence * RECALL + (1 - prevalence) * norm.sf(cut)
    # The mean recall up to the FPR, by the midpoint rule.
    fprs = (np.arange(100_000) + 0.5) * FPR / 100_000
    area = np.mean(norm.sf(norm.isf(fprs) - SHIFT))
    return {
        "recall_at_fpr": norm.sf(norm.isf(FPR) - SHIFT),
        "rate_at_recall": rate,
        "partial_auc": (1 + (area - FPR / 2) / (1 - FPR / 2)) / 2,
    }


def draw(rng, n_samples, prevalence, fraction, prediction):
    """Return sampled labels and the scores of a model."""
    y_true = rng.random(n_samples) < prevalence
    y_score = rng.normal(size=n_samples) + SHIFT * y_true
    logit = SHIFT * y_score - SHIFT**2 / 2 + np.log(prevalence / (1 - prevalence))
    predicted = 1 / (1 + np.exp(-logit))
    if prediction == "biased":
        predicted = np.clip(0.5 * predicted + 0.1, 0, 1)
    probability = np.full(n_samples, fraction)
    if prediction == "chosen":
        weights = np.sqrt(predicted * (1 - predicted) + 0.01)
        probability = np.clip(fraction * weights / weights.mean(), 0.02, 1)
    given = np.where(rng.random(n_samples) < probability, y_true, np.nan)
    options = {} if prediction == "none" else {"prediction": predicted}
    return labels.sampled(given, probability=probability, **options), y_score


def main():
    """Print a row for each design."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=200)
    n_simulations = parser.parse_args().simulations
    metrics = {
        "recall_at_fpr": {"fpr": FPR},
        "rate_at_recall": {"recall": RECALL},
        "partial_auc": {"fpr": (0, FPR)},
    }
    warnings.simplefilter("ignore")
    for design in DESIGNS:
        truth = true_values(design[1])
        for prediction in PREDICTIONS:
            rng, covered = np.random.default_rng(0), dict.fromkeys(metrics, 0)
            for _ in range(n_simulations):
                sample = draw(rng, *design, prediction)
                for metric, options in metrics.items():
                    low, high = estimate(metric, *sample, **options).confidence_interval
                    covered[metric] += low <= truth[metric] <= high
            shares = [f"{n / n_simulations:.3f}" for n in covered.values()]
            print(*design, prediction, *shares)


if __name__ == "__main__":
    main()
