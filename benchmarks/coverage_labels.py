"""Coverage of intervals by labels that are estimates, of the population and a batch.

    python benchmarks/coverage_labels.py [--simulations N] [--short] [--only NAME ...]

Draws samples, hides their labels in the ways of ``tests/simulated_sources.py``, and
prints by design and metric: the coverage of 95 % intervals of the metric in the
population, of the metric of the batch with its true labels, and of the population by
the labels as they are seen; then the standard errors of both scopes over the spread,
and the bias in standard deviations. No test uses these designs.
``--short`` takes a hundredth of the simulations.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulated_intervals import Setting
from simulated_sources import METRICS, SOURCES, coverage

DESIGNS = [
    Setting("normal", 0.7, 400, 0.3),
    Setting("normal", 0.9, 2000, 0.05),
    Setting("Student t3", 0.75, 600, 0.15),
    Setting("Student t3", 0.9, 3000, 0.08),
    Setting("lognormal", 0.8, 300, 0.4),
    Setting("lognormal", 0.85, 1500, 0.1),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", choices=SOURCES, default=SOURCES)
    options = parser.parse_args()
    n = max(options.simulations // (100 if options.short else 1), 2)
    print(f"{'population, batch, as seen; ratios; bias':47}", *METRICS, sep=" | ")
    for source in options.only:
        for setting in DESIGNS:
            found = coverage(source, setting, n, options.seed)
            cells = [" ".join(f"{x:.3f}" for x in row) for row in np.transpose(found)]
            where = f"{setting.distribution}, {setting.auc}, {setting.n}, "
            where += f"{setting.prevalence}"
            print(f"{source:22} {where:24}", *cells, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
