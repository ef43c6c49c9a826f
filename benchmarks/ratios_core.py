"""The speed and the memory of the rate-weighted AUC beside their targets.

    python benchmarks/ratios_core.py

One run, the same data for all, which take turns; the median of each counts. What
happens once in a process (an import, a first call) is measured in fresh ones.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV

from bench_core import RATE, SIZES, labelled_scores
from skrate import RateWeightedAUCScorer, rate_weighted_auc_score

FIRST_CALL = """
import sys, time
sys.path[:0] = {paths!r}
from bench_core import labelled_scores
from sklearn.metrics import roc_auc_score
from skrate import rate_weighted_auc_score, rates
data = labelled_scores(1_000_000, {prevalence})
start = time.perf_counter()
{call}
print(time.perf_counter() - start)
"""
OURS = "rate_weighted_auc_score(*data, rate=rates.beta(3, 19))"
THEIRS = "roc_auc_score(*data)"
IMPORT = """
import sys, time
sys.path[:0] = {paths!r}
import sklearn.metrics
start = time.perf_counter()
import skrate
print(time.perf_counter() - start)
"""


def main():
    report("", "skrate", "peer", "ratio", "target", "met")
    beside_roc_auc()
    first_calls()
    beside_sort()
    float32_beside_float64()
    peak_memory()
    grid_search()
    import_time()


def report(what, ours, theirs, ratio, target, is_met):
    print(f"{what:44}{ours:>12}{theirs:>12}{ratio:>9}  {target:12}{is_met}", flush=True)


def compare(what, ours, theirs, target, *, at_least):
    """Print two times in seconds and their ratio beside its target."""
    ratio = theirs / ours if at_least else ours / theirs
    is_met = ratio >= target if at_least else ratio <= target
    report(
        what,
        f"{1e3 * ours:.3f} ms",
        f"{1e3 * theirs:.3f} ms",
        f"{ratio:.2f}",
        f"{'>=' if at_least else '<='} {target:g}",
        "yes" if is_met else "NO",
    )


def medians(*calls, repeats):
    """Return the median time of each call; they take turns."""
    times = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(repeats):
        for call, found in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            found.append(time.perf_counter() - start)
    return [statistics.median(found) for found in times]


def beside_roc_auc():
    for prevalence in (0.5, 0.01):
        for n_cases in SIZES:
            data = labelled_scores(n_cases, prevalence)
            ours, theirs = medians(
                lambda data=data: rate_weighted_auc_score(*data, rate=RATE),
                lambda data=data: roc_auc_score(*data),
                repeats=max(9, min(301, 10**6 // n_cases)),
            )
            what = f"roc_auc_score, n={n_cases:,}, prevalence {prevalence}"
            compare(what, ours, theirs, 10, at_least=True)


def in_fresh_processes(program, **values):
    """Return the median of what a program prints, each time in a fresh process.

    Compiled modules are kept in a folder of their own, as an installed package has
    them, whatever the environment says; the first run, which compiles, is left out.
    """
    code = program.format(paths=sys.path, **values)
    with tempfile.TemporaryDirectory() as compiled:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        found = [
            float(
                subprocess.run(
                    [sys.executable, "-c", code],
                    env=environment,
                    capture_output=True,
                    check=True,
                    text=True,
                ).stdout
            )
            for _ in range(8)
        ]
    return statistics.median(found[1:])


def first_calls():
    for prevalence in (0.5, 0.01):
        ours, theirs = (
            in_fresh_processes(FIRST_CALL, call=call, prevalence=prevalence)
            for call in (OURS, THEIRS)
        )
        what = f"roc_auc_score, first call, 1,000,000, {prevalence}"
        compare(what, ours, theirs, 10, at_least=True)


def beside_sort():
    for dtype in ("float64", "float32"):
        data = labelled_scores(1_000_000, dtype=dtype)
        ours, theirs = medians(
            lambda data=data: rate_weighted_auc_score(*data, rate=RATE),
            lambda data=data: np.sort(data[1]),
            repeats=15,
        )
        if dtype == "float64":
            compare("numpy.sort, n=1,000,000", ours, theirs, 4, at_least=False)
        else:
            # For information: the target is for float64.
            ratio = f"{ours / theirs:.2f}"
            times = f"{1e3 * ours:.3f} ms", f"{1e3 * theirs:.3f} ms"
            report("numpy.sort of float32, n=1,000,000", *times, ratio, "", "")


def float32_beside_float64():
    for n_cases in SIZES:
        y_true, y_score = labelled_scores(n_cases)
        single = y_score.astype(np.float32)
        kinds = {"": (single, y_score), " same values": (single, single.astype(float))}
        for kind, (narrow, wide) in kinds.items():
            ours, theirs = medians(
                lambda s=narrow, y=y_true: rate_weighted_auc_score(y, s, rate=RATE),
                lambda s=wide, y=y_true: rate_weighted_auc_score(y, s, rate=RATE),
                repeats=max(25, min(301, 10**6 // n_cases)),
            )
            what = f"float32 beside float64{kind}, n={n_cases:,}"
            compare(what, ours, theirs, 1, at_least=False)


def peak_memory():
    for n_cases in SIZES[1:]:
        for dtype in ("float64", "float32"):
            data = labelled_scores(n_cases, dtype=dtype)
            rate_weighted_auc_score(*data, rate=RATE)
            tracemalloc.start()
            rate_weighted_auc_score(*data, rate=RATE)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            ratio = peak / data[1].nbytes
            report(
                f"bytes of the scores, {dtype}, n={n_cases:,}",
                f"{peak / 1e6:.2f} MB",
                f"{data[1].nbytes / 1e6:.2f} MB",
                f"{ratio:.2f}",
                "<= 5",
                "yes" if ratio <= 5 else "NO",
            )


def grid_search():
    X, y = make_classification(5_000, 20, random_state=0)

    def search(scoring):
        grid = {"C": [0.01, 0.1, 1, 10]}
        GridSearchCV(LogisticRegression(), grid, scoring=scoring, cv=5).fit(X, y)

    ours, theirs = medians(
        lambda: search(RateWeightedAUCScorer(rate=RATE)),
        lambda: search("roc_auc"),
        repeats=11,
    )
    compare('GridSearchCV with "roc_auc"', ours, theirs, 1, at_least=False)


def import_time():
    seconds = in_fresh_processes(IMPORT)
    is_met = "yes" if seconds <= 0.05 else "NO"
    added = f"{1e3 * seconds:.1f} ms"
    report("import skrate after sklearn.metrics", added, "", "", "<= 50 ms", is_met)


if __name__ == "__main__":
    main()
