"""Inference beside the metrics it is about and a loop over scikit-learn's, in one run.

    python benchmarks/ratios_inference.py

Seconds of the processor on one core. The loop draws cases with replacement and calls
the metric of scikit-learn, a few times, and is scaled to 2,000; it takes the AUC for
the rAUC, which scikit-learn has not.
"""

import os

# Before numpy is loaded: one thread, for what is compared uses one.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time

import numpy as np
from sklearn import metrics as peer

from bench_inference import METRICS, scored
from skrate import covariance, estimate, rate_weighted_auc_score

N_RESAMPLES = 2_000
PEERS = {
    "auc": peer.roc_auc_score,
    "rauc": peer.roc_auc_score,
    "ap": peer.average_precision_score,
}


def seconds(call, n_calls=5):
    """Return the least time of some calls, after one that fills the caches."""
    call()
    least = np.inf
    for _ in range(n_calls):
        start = time.process_time()
        call()
        least = min(least, time.process_time() - start)
    return least


def value(name, y_true, y_score):
    metric, kwargs = METRICS[name]
    if metric == "auc":
        return rate_weighted_auc_score(y_true, y_score)
    return metric(y_true, y_score, **kwargs)


def bootstrap_row(name, prevalence, n_cases=10_000, n_loops=25):
    y_true, y_scores = scored(n_cases, prevalence=prevalence)
    y_score = y_scores[:, 0].copy()
    metric, kwargs = METRICS[name]
    rng = np.random.default_rng(0)

    def loop():
        for _ in range(n_loops):
            drawn = rng.integers(n_cases, size=n_cases)
            PEERS[name](y_true[drawn], y_score[drawn])

    ours = seconds(
        lambda: estimate(
            metric, y_true, y_score, method="bootstrap", n_resamples=N_RESAMPLES,
            random_state=0, **kwargs,
        )
    )  # fmt: skip
    theirs = seconds(loop, 2) * N_RESAMPLES / n_loops
    print(
        f"bootstrap of {name:5} n=10,000 prevalence={prevalence}: {ours:.3f} s, loop "
        f"{theirs:.2f} s, {theirs / ours:.0f} times faster (target: 50)",
        flush=True,
    )


def delta_row(name, prevalence, n_cases=1_000_000):
    y_true, y_scores = scored(n_cases, prevalence=prevalence)
    y_score = y_scores[:, 0].copy()
    metric, kwargs = METRICS[name]
    ours = seconds(lambda: estimate(metric, y_true, y_score, **kwargs))
    alone = seconds(lambda: value(name, y_true, y_score))
    print(
        f"delta of {name:5} n=1,000,000 prevalence={prevalence}: {ours:.3f} s, metric "
        f"{alone:.3f} s, ratio {ours / alone:.1f} (target: at most 3)",
        flush=True,
    )


def covariance_row(name, n_cases=100_000, n_models=20):
    y_true, y_scores = scored(n_cases, n_models)
    y_score = y_scores[:, 0].copy()
    metric, kwargs = METRICS[name]
    ours = seconds(lambda: covariance(metric, y_true, y_scores, **kwargs))
    alone = seconds(lambda: value(name, y_true, y_score))
    print(
        f"covariance of 20 models of {name:5} n=100,000: {ours:.3f} s, metric "
        f"{alone:.4f} s, ratio {ours / alone:.0f} (target: at most 25)",
        flush=True,
    )


def main():
    for name in METRICS:
        for prevalence in (0.1, 0.5):
            bootstrap_row(name, prevalence)
    for name in METRICS:
        for prevalence in (0.1, 0.5):
            delta_row(name, prevalence)
    for name in METRICS:
        covariance_row(name)


if __name__ == "__main__":
    main()
