"""Average precision here and in scikit-learn, on the same data in the same run.

    python benchmarks/ratios_average_precision.py

The two take turns, and the fastest time of each counts.
"""

import time

import sklearn.metrics

from bench_average_precision import KINDS, screened
from skrate import average_precision_score

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


def main():
    print(f"{'':10}{'cases':>10}{'skrate':>12}{'scikit-learn':>15}{'ratio':>8}")
    for kind in KINDS:
        for n_cases in SIZES:
            y_true, y_score, weights = screened(n_cases, kind)
            calls = [
                lambda f=f, y=y_true, s=y_score, w=weights: f(y, s, sample_weight=w)
                for f in (
                    average_precision_score,
                    sklearn.metrics.average_precision_score,
                )
            ]
            assert abs(calls[0]() - calls[1]()) < 1e-12
            ours, theirs = fastest(calls, repeats=max(7, min(200, 10**6 // n_cases)))
            print(
                f"{kind:10}{n_cases:>10,}{1e3 * ours:>9.3f} ms{1e3 * theirs:>12.3f} ms"
                f"{theirs / ours:>8.1f}"
            )


def fastest(calls, repeats):
    """Seconds of the fastest run of each call; they take turns."""
    times = [[] for _ in calls]
    for _ in range(repeats):
        for call, found in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            found.append(time.perf_counter() - start)
    return [min(found) for found in times]


if __name__ == "__main__":
    main()
