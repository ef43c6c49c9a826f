"""Coverage of 95 % bands of the difference of two models at every rate, as a table.

    python benchmarks/coverage_curves.py [--simulations 1000] [--short]

For each setting and number of cases prints a row of a list-table for the guide: how
often the band covers the population's difference of recall at all 199 rates, how often
the band of the 59 rates up to 0.3 does, how often the band of one model covers its
curve, the mean coverage of the intervals at single rates, and how often b, or any
model, wins somewhere (for equal models this is the level). ``--short`` takes a tenth of
the simulations.
"""

import argparse
import sys
from itertools import product
from pathlib import Path

from joblib import Parallel, delayed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulated_curves import SETTINGS, coverage

SIZES = (500, 2000)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    n_simulations = max(options.simulations // (10 if options.short else 1), 1)
    cells = list(product(SETTINGS, SIZES))
    rows = Parallel(n_jobs=options.jobs, return_as="generator")(
        delayed(coverage)(SETTINGS[name], n, n_simulations) for name, n in cells
    )
    for (name, n), row in zip(cells, rows, strict=True):
        print(f"   * - {name}\n     - {n:,}")
        for value in row:
            print(f"     - {value:.3f}", flush=True)


if __name__ == "__main__":
    main()
