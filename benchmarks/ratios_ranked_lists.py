"""The AUC within lists here and elsewhere, on the same data in the same run.

    python benchmarks/ratios_ranked_lists.py [number of lists]

The peers are a loop of scikit-learn's roc_auc_score (timed on a sample of the lists
and scaled), one numpy.lexsort by list and score, which any way of sorting an index
needs, and CatBoost's QueryAUC, if it is installed. The last line is the peak of
memory at ten times the lists, twenty million rows by default, where there is a way to
ask for it.
"""

import subprocess
import sys
import time

import numpy as np
from sklearn.metrics import roc_auc_score

from bench_ranked_lists import shown
from skrate import ranking_auc_score

N_LOOPED = 2_000


def main(n_lists=100_000):
    for kind in ("no ties", "ties"):
        compare(kind, n_lists)
    if sys.platform == "linux":
        print(f"peak of memory, {10 * n_lists * 20:,} rows: {peak(10 * n_lists)} MB")


def compare(kind, n_lists):
    y_true, y_score, groups, _ = shown(n_lists, kind=kind)
    seconds = fastest(lambda: ranking_auc_score(y_true, y_score, groups=groups))
    print(f"{n_lists:,} lists of 20, {kind}: skrate {1e3 * seconds:.0f} ms")
    in_loop, n_looped = timed_loop(y_true, y_score, groups)
    report("loop of roc_auc_score", in_loop * n_lists / n_looped, seconds)
    report("numpy.lexsort", fastest(lambda: np.lexsort((y_score, groups))), seconds)
    compare_catboost(y_true, y_score, groups, seconds)


def report(name, seconds, ours):
    print(f"    {name:24}{1e3 * seconds:>12,.0f} ms {seconds / ours:>9,.1f} times")


def fastest(call, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def timed_loop(y_true, y_score, groups):
    """Seconds of the loop over some lists that are split up, and how many."""
    some = groups < N_LOOPED
    y_true, y_score, groups = y_true[some], y_score[some], groups[some]
    rows = np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups)))
    rows = rows[:-1]
    values = []
    start = time.perf_counter()
    for of_list in rows:
        labels = y_true[of_list]
        if labels.min() < labels.max():
            values.append(roc_auc_score(labels, y_score[of_list]))
    seconds = time.perf_counter() - start
    assert (
        abs(np.mean(values) - ranking_auc_score(y_true, y_score, groups=groups)) < 1e-12
    )
    return seconds, len(rows)


def compare_catboost(y_true, y_score, groups, our_seconds):
    try:
        from catboost.utils import eval_metric
    except ImportError:
        print("    CatBoost is not installed")
        return
    # It wants lists in one piece, a sort that is not counted here.
    order = np.argsort(groups, kind="stable")
    data = [y_true[order], y_score[order]]

    def theirs():
        return eval_metric(*data, "QueryAUC", group_id=groups[order], thread_count=2)[0]

    # A list of one class counts 0 there.
    expected = ranking_auc_score(y_true, y_score, groups=groups, undefined=0)
    assert abs(theirs() - expected) < 1e-9
    report("CatBoost, lists in order", fastest(theirs, 3), our_seconds)


def peak(n_lists):
    """Return the peak of memory, in MB, of a process that scores lists of 20."""
    program = f"""
import resource, sys
import numpy as np
from skrate import ranking_auc_score
rng = np.random.default_rng(0)
n_rows = {n_lists} * 20
groups = rng.integers(0, {n_lists}, n_rows)
y_true = (rng.random(n_rows) < 0.2).astype(np.int64)
ranking_auc_score(y_true, rng.random(n_rows), groups=groups)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    return int(done.stdout)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
