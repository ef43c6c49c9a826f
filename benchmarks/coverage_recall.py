"""How often an interval of the rate of a recall misses the true one, and on which side.

    python benchmarks/coverage_recall.py [--simulations 2000] [--short] [--seed SEED]
                                         [--only PART ...]

For each design and recall prints how often the 95 % interval of
``rate_at_recall_score`` ends below the true rate (a reviewer would stop too early), how
often it begins above it, and its median width; then the same for
``precision_at_recall_score`` and ``recall_at_precision_score`` (at the population's
precision at the recall), and for ``rate_at_recall`` of consensus curves. Last come the
levels of paired tests at 0.05 of equally good models. ``--short`` takes a hundredth.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import skrate
from simulated_folds import SETTINGS
from simulated_recall import DESIGNS, consensus_misses, draw, misses, population

RECALLS = (0.5, 0.8, 0.9, 0.95)
PARTS = ["rate", "precision", "recall", "consensus", "level"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    n = max(options.simulations // (100 if options.short else 1), 1)
    tables = {
        "rate": (skrate.rate_at_recall_score, at_recall),
        "precision": (skrate.precision_at_recall_score, at_recall),
        "recall": (skrate.recall_at_precision_score, at_precision),
    }
    for name, (metric, parameter) in tables.items():
        if name in options.only:
            show(metric.__name__, n, options.seed, metric, parameter)
    if "consensus" in options.only:
        print("\nrate_at_recall of consensus curves")
        for name, setting in SETTINGS.items():
            rows = [consensus_misses(setting, recall, n) for recall in RECALLS]
            print_row(name, rows)
    if "level" in options.only:
        print("\nlevels of paired tests")
        for name, design in DESIGNS.items():
            found = [level(design, recall, n, options.seed) for recall in RECALLS]
            print(f"{name:46}", *(f"{share:.3f}" for share in found), flush=True)


def show(title, n, seed, metric, parameter):
    """Print a row per design of a metric."""
    print(f"\n{title}: below, above, width at recalls {RECALLS}")
    for name, design in DESIGNS.items():
        rows = [
            misses(metric, design, n, seed=seed, **parameter(design, recall))
            for recall in RECALLS
        ]
        print_row(name, rows)


def print_row(name, rows):
    """Print the misses at all recalls."""
    parts = (f"{r.below:.3f} {r.above:.3f} {r.width:.3f}" for r in rows)
    print(f"{name:46}", " | ".join(parts), flush=True)


def at_recall(design, recall):
    """Return the parameter of what is taken at a recall."""
    return {"recall": recall}


def at_precision(design, recall):
    """Return the precision that the population has at a recall."""
    whole = population(design)
    precision = skrate.precision_at_recall_score(whole, recall=recall)
    return {"precision": precision}


def level(design, recall, n, seed):
    """Return how often a test finds two noisy copies of the same scores different."""
    rng = np.random.default_rng([seed, 7])
    rejected = 0
    for _ in range(n):
        y_true, scores = draw(rng, design)
        a, b = (scores + rng.normal(size=len(scores)) for _ in range(2))
        found = skrate.compare(skrate.rate_at_recall_score, y_true, a, b, recall=recall)
        rejected += found.pvalue <= 0.05
    return rejected / n


if __name__ == "__main__":
    main()
