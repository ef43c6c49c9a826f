"""The level of paired tests of two models that are equally good, as a table.

    python benchmarks/levels.py [--simulations 500] [--negatives 200]

Prints a list-table for the user guide: how often a test at 5 % rejects. Both models see
half of the signal, with independent errors; class sizes are fixed.
"""

import argparse
import sys
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulated_intervals import METRICS
from skrate import compare

COMPARED = ["AUC", "rAUC, beta(3, 19)", "average precision", "recall at 0.2"]
METHODS = {
    "delta": {},
    "bootstrap": {"n_resamples": 400},
    "permutation": {"n_resamples": 400},
}
POSITIVES = (5, 10, 50)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument("--negatives", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    cells = list(product(COMPARED, METHODS, POSITIVES))
    levels = Parallel(n_jobs=options.jobs)(
        delayed(level)(*cell, options.negatives, options.simulations) for cell in cells
    )
    found = dict(zip(cells, levels, strict=True))
    print(".. list-table::\n   :header-rows: 1\n\n   * - metric\n     - test")
    print("\n".join(f"     - {n} positives" for n in POSITIVES))
    for metric, method in product(COMPARED, METHODS):
        print(f"   * - {metric}\n     - {method}")
        for n_pos in POSITIVES:
            print(f"     - {found[metric, method, n_pos]:.3f}")


def level(metric, method, n_pos, n_neg, n_simulations):
    """Return how often equally good models seem to differ."""
    function, kwargs = METRICS[metric]
    generator = np.random.default_rng([n_pos, n_neg])
    y_true = np.repeat([1, 0], [n_pos, n_neg])
    rejected = 0
    for i in range(n_simulations):
        shared = 1.5 * y_true + generator.normal(size=len(y_true))
        a, b = shared + generator.normal(size=(2, len(y_true)))
        result = compare(
            function, y_true, a, b, method=method, random_state=i, stratify=None,
            **METHODS[method], **kwargs,
        )  # fmt: skip
        rejected += result.pvalue <= 0.05
    return rejected / n_simulations


if __name__ == "__main__":
    main()
