"""Seconds and memory of consensus curves with bounds, beside their targets.

    python benchmarks/ratios_curves.py

Each row is measured in a process of its own, whose greatest memory counts, imports
included; seconds of the processor, the better of two calls. For orientation: pROC (R)
needs 1.0 s for a bootstrapped band of one curve of 1,000 cases (2,000 replicates), and
6.4 s at 10,000.
"""

import multiprocessing
import resource
import time

import numpy as np

from bench_curves import cross_validated
from skrate import rate_averaged_roc_curve

# Bounds, cases in each of 10 folds, prevalence, target in seconds.
ROWS = (
    ("exact", 50, 0.5, 0.1),
    ("exact", 10_000, 0.5, 1.0),
    ("exact", 10_000, 0.05, 1.0),
    ("parametric", 50, 0.5, None),
    ("parametric", 10_000, 0.5, None),
    ("bootstrap", 50, 0.5, 0.5),
    ("bootstrap", 1_000, 0.5, None),
    ("bootstrap", 10_000, 0.5, 15.0),
    ("bootstrap-adjusted", 50, 0.5, None),
    ("bootstrap-adjusted", 10_000, 0.5, None),
)
RATES = np.arange(201) / 200
MEMORY_TARGET = 1024


def main():
    print(
        f"{'bounds':20}{'cases':>8}{'prevalence':>12}{'seconds':>10}{'target':>8}",
        end="",
    )
    print(f"{'MB':>7}{'target':>8}")
    for bounds, n_cases, prevalence, target in ROWS:
        seconds, memory = apart(measure_bounds, bounds, n_cases, prevalence)
        shown = "" if target is None else f"{target:g}"
        print(
            f"{bounds:20}{n_cases:8,}{prevalence:12}{seconds:10.3f}{shown:>8}", end=""
        )
        print(f"{memory:7.0f}{MEMORY_TARGET:8}", flush=True)
    print("\nThe curve alone, in sorts of all scores (target: 3)")
    for n_cases in (1_000, 10_000, 100_000):
        curve, sort, argsort = apart(measure_curve, n_cases)
        print(
            f"{n_cases:8,} cases in each of 10 folds: {1e3 * curve:.2f} ms; "
            f"{curve / argsort:.2f} numpy.argsort, {curve / sort:.2f} numpy.sort"
        )


def apart(function, *args):
    """Call in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, args)


def measure_bounds(bounds, n_cases, prevalence):
    """Return the seconds of the better of two calls, and the greatest memory in MB."""
    data = cross_validated(n_cases, prevalence=prevalence)

    def call():
        rate_averaged_roc_curve(*data, rates=RATES, bounds=bounds, random_state=0)

    seconds = fastest(call, repeats=2)
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_curve(n_cases):
    """Return the fastest times of the curve and of both ways to sort."""
    y_trues, y_scores = cross_validated(n_cases)
    all_scores = np.concatenate(y_scores)
    calls = (
        lambda: rate_averaged_roc_curve(y_trues, y_scores, rates=RATES, bounds=None),
        lambda: np.sort(all_scores),
        lambda: np.argsort(all_scores),
    )
    return [fastest(call, repeats=15) for call in calls]


def fastest(call, repeats):
    """Return the least seconds of the processor of a call."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


if __name__ == "__main__":
    main()
