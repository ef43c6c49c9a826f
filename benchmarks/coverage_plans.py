"""How far planned labels are off, and how often their intervals cover the truth.

    python benchmarks/coverage_plans.py --simulations 200

The top 5 % of 20,000 cases, ranked by model a, are labelled, and 300 more labels are
drawn, by `plan_labels` or at random (``floor=1``). Prints for each design and metric
the root mean square error of the difference b - a, against all labels of the batch, the
errors reported, how often 95 % intervals cover it, and the same of the AUC by labels
that were planned for the recall, of which estimates warn.
"""

import argparse
import warnings

import numpy as np

from skrate import compare
from skrate.labels import plan_labels

N_CASES, N_LABELS, RATE = 20_000, 300, 0.05
METRICS = {
    "recall_at_rate": {"rate": RATE}, "precision_at_rate": {"rate": RATE}
}  # fmt: skip
# Name, what a and b have in common, and what the log-odds are multiplied by and moved.
DESIGNS = (
    ("true probabilities", 0.7, 1.0, 0.0),
    ("learnt by the labelled top", 0.7, None, None),
    ("too sure, too few", 0.7, 2.0, -1.0),
    ("b has more to go on", 0.3, 1.0, 0.0),
)


def batch(rng, shared, scale, move):
    """Return labels, scores of both models, and what is known of the probability."""
    y_true = rng.random(N_CASES) < 0.03
    common = rng.normal(size=N_CASES)
    a, b = (
        shared * common
        + np.sqrt(1 - shared**2) * rng.normal(size=N_CASES)
        + distance * y_true
        for distance in (1.5, 1.8)
    )
    if scale is None:
        return y_true, a, b, None
    # The probability of a positive by the score of a alone.
    log_odds = 1.5 * a - 1.5**2 / 2 + np.log(0.03 / 0.97)
    return y_true, a, b, 1 / (1 + np.exp(-scale * log_odds - move))


def result(metric, plan, y_true, a, b, options):
    """Return the error of the difference, the reported one, and a covered truth."""
    truth = compare(metric, y_true, b, a, **options).value
    found = compare(metric, plan.labels(y_true).for_batch(), b, a, **options)
    low, high = found.confidence_interval
    return found.value - truth, found.standard_error, low <= truth <= high


def main():
    """Print a line for each design, metric and way of drawing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=200)
    n_simulations = parser.parse_args().simulations
    warnings.simplefilter("ignore")
    for name, *design in DESIGNS:
        found = {}
        for seed in range(n_simulations):
            rng = np.random.default_rng(seed)
            y_true, a, b, chance = batch(rng, *design)
            known = np.where(a >= np.quantile(a, 1 - RATE), y_true, np.nan)
            for metric, options in METRICS.items():
                for way, floor in (("planned", 0.1), ("random", 1.0)):
                    plan = plan_labels(
                        {"a": a, "b": b}, N_LABELS, metric=metric, compare=("b", "a"),
                        known=known, probability=chance, floor=floor,
                        random_state=rng, **options,
                    )  # fmt: skip
                    row = result(metric, plan, y_true, a, b, options)
                    found.setdefault((metric, way), []).append(row)
                    if metric == "recall_at_rate":
                        row = result("roc_auc", plan, y_true, a, b, {})
                        found.setdefault(("roc_auc", way), []).append(row)
        for key, rows in found.items():
            error, reported, covered = np.transpose(rows)
            rms, share = np.sqrt(np.mean(error**2)), np.mean(covered)
            print(
                f"{name}: {' '.join(key)}: error {rms:.4f} ± "
                f"{rms / np.sqrt(2 * len(error)):.4f}, reported "
                f"{np.sqrt(np.mean(reported**2)):.4f}, covered {share:.3f} ± "
                f"{np.sqrt(share * (1 - share) / len(error)):.3f}", flush=True,
            )  # fmt: skip


if __name__ == "__main__":
    main()
