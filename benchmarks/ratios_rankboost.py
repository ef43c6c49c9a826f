"""Fitting times of RankBoost and of its peers, in one run.

    python benchmarks/ratios_rankboost.py [--large]

Prints the time of each peer as a multiple of RankBoost's, how the time grows with
cases and features, and the time for 10,000 settings of `auc_moments`. ``--large``
adds a million cases with ``max_bins=255``, and the memory at the peak. Times are of the
fastest of three calls, by the clock and of the processor (all threads together), which
a busy machine disturbs less.
"""

import resource
import sys
import time

import numpy as np
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
)
from sklearn.metrics import roc_auc_score

from bench_rankboost import ranked_features
from skrate import RankBoostClassifier, auc_moments

N_CASES, N_FEATURES = 20_000, 30


def main(is_large):
    if is_large:
        fit_a_million()
    compare_with_peers()
    show_growth()
    time_moments()


def compare_with_peers():
    X, y = ranked_features(2 * N_CASES, N_FEATURES)
    X, X_new, y, y_new = X[:N_CASES], X[N_CASES:], y[:N_CASES], y[N_CASES:]
    models = {
        "RankBoost": RankBoostClassifier(),
        "RankBoost, max_bins=255": RankBoostClassifier(max_bins=255),
        "AdaBoost, stumps": AdaBoostClassifier(n_estimators=100),
        "gradient boosting, stumps": GradientBoostingClassifier(max_depth=1),
        "hist. gradient boosting, stumps": HistGradientBoostingClassifier(
            max_leaf_nodes=2, early_stopping=False
        ),
    }
    print(f"{N_CASES:,} x {N_FEATURES}, 100 rounds")
    print(f"{'':33}{'clock':>8}{'ratio':>7}{'CPU':>8}{'ratio':>7}{'AUC, new':>10}")
    reference = None
    for name, model in models.items():
        clock, cpu = fastest(lambda model=model: model.fit(X, y))
        reference = reference or (clock, cpu)
        auc = roc_auc_score(y_new, model.decision_function(X_new))
        print(
            f"{name:33}{clock:8.2f}{clock / reference[0]:7.1f}"
            f"{cpu:8.2f}{cpu / reference[1]:7.1f}{auc:10.4f}"
        )


def show_growth():
    print("\nRankBoost, 100 rounds: CPU seconds, and the same per 1e8 cases x features")
    for n_cases, n_features in ((10_000, 30), (20_000, 30), (40_000, 30), (20_000, 60)):
        X, y = ranked_features(n_cases, n_features)
        _, cpu = fastest(lambda X=X, y=y: RankBoostClassifier().fit(X, y))
        unit = cpu / (n_cases * n_features / 1e8)
        print(f"{n_cases:>7,} x {n_features}: {cpu:5.2f} s, {unit:5.0f} s")


def time_moments():
    n_errors = np.arange(10_000) % 1_001
    seconds, _ = fastest(lambda: auc_moments(300, 700, n_errors))
    print(f"\nauc_moments, 10,000 settings of 1,000 cases: {seconds:.2f} s")


def fit_a_million():
    X, y = ranked_features(1_000_000, N_FEATURES)
    before = peak_memory()
    model = RankBoostClassifier(max_bins=255)
    clock, cpu = fastest(lambda: model.fit(X, y), repeats=1)
    print(f"1,000,000 x {N_FEATURES}, max_bins=255, 100 rounds:")
    print(f"  {clock:.1f} s by the clock, {cpu:.1f} s of the processor,")
    print(f"  {peak_memory():.2f} GB at the peak, {before:.2f} GB before the fit\n")


def fastest(call, repeats=3):
    """Seconds by the clock and of the processor, each the least of some calls."""
    times = []
    for _ in range(repeats):
        clock, cpu = time.perf_counter(), time.process_time()
        call()
        times.append((time.perf_counter() - clock, time.process_time() - cpu))
    clocks, cpus = zip(*times, strict=True)
    return min(clocks), min(cpus)


def peak_memory():
    """Gigabytes that the process has held at most (kilobytes are counted on Linux)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main("--large" in sys.argv[1:])
