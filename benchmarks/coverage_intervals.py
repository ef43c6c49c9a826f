"""Coverage of 95 % intervals in every setting, as a table for the user guide.

    python benchmarks/coverage_intervals.py [n_simulations] [method]

Prints a list-table: two normal classes, labels at random by the prevalence.
"""

import sys
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulated_intervals import METRICS, PREVALENCES, SHIFTS, SIZES, Setting, coverage


def main():
    n_simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    options = {"method": sys.argv[2], "n_resamples": 500} if len(sys.argv) > 2 else {}
    columns = list(product(SIZES, PREVALENCES, SHIFTS))
    print(".. list-table::\n   :header-rows: 1\n")
    head = [f"n={n}, p={p}, {strength}" for n, p, strength in columns]
    print("\n".join(["   * - metric", *(f"     - {title}" for title in head)]))
    for metric in METRICS:
        print(f"   * - {metric}")
        for column in columns:
            found, _, _ = coverage(Setting(metric, *column), n_simulations, **options)
            print(f"     - {found:.3f}", flush=True)


if __name__ == "__main__":
    main()
