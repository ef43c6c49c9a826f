"""Metrics of tensors on their device, beside torchmetrics and beside numpy arrays.

    python benchmarks/array_api.py [--short] [--sizes 100000 1000000]

Prints one table: milliseconds of our metrics of float32 tensors on the CPU and on a
GPU, if there is one; of torchmetrics on the same device; of our metrics of numpy
arrays; and how many times faster the first is than either. All calls of a row take
turns, and end with a number on the CPU. ``--short`` takes 1,000 cases.
"""

import argparse
import os
from functools import partial

# Asked for by scikit-learn before it dispatches, and read when SciPy is imported.
os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import sklearn
import torch
from scipy.special import expit
from torchmetrics.functional.classification import (
    binary_auroc,
    binary_average_precision,
)

import skrate
import timing
from common import labelled_scores

SIZES = (100_000, 1_000_000, 10_000_000)
METRICS = {
    "AUC": (skrate.rate_weighted_auc_score, binary_auroc),
    "AP": (skrate.average_precision_score, binary_average_precision),
}
HEAD = ("metric", "device", "cases", "ours", "torchmetrics", "ratio", "numpy", "ratio")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    sklearn.set_config(array_api_dispatch=True)
    devices = ["cpu"] + ["cuda"] * torch.cuda.is_available()
    gpu = torch.cuda.get_device_name() if "cuda" in devices else "no GPU"
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {gpu}; ms")
    print(("{:<6} {:<6}" + " {:>12}" * 6).format(*HEAD))
    for n_cases in [1_000] if options.short else options.sizes:
        for name in METRICS:
            for device in devices:
                row(name, device, n_cases, budget=0 if options.short else 10)


def row(name, device, n_cases, budget):
    """Print what a metric takes, and check that all agree on it."""
    ours, theirs = METRICS[name]
    y_true, y_score = labelled_scores(n_cases, prevalence=0.1)
    # As probabilities: torchmetrics would make them of other numbers.
    y_score = expit(y_score).astype(np.float32)
    labels, scores = (torch.asarray(a, device=device) for a in (y_true, y_score))
    calls = [
        partial(ours, labels, scores),
        lambda: theirs(scores, labels).item(),
        partial(ours, y_true, y_score),
    ]
    # Once before, which fills caches. They sum in single precision.
    values = [call() for call in calls]
    np.testing.assert_allclose(values[0], values[2], rtol=1e-12)
    np.testing.assert_allclose(values[1], values[2], rtol=1e-3)
    tensor, peer, array = timing.milliseconds(calls, budget=budget)["wall ms"]
    found = (tensor, peer, peer / tensor, array, array / tensor)
    print(
        f"{name:<6} {device:<6} {n_cases:>12}" + "".join(f" {x:>12.4g}" for x in found)
    )


if __name__ == "__main__":
    main()
