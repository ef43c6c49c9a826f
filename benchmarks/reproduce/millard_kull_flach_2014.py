"""Reproduce figure 4 of Millard, Kull and Flach (2014), and what it does not show.

    python benchmarks/reproduce/millard_kull_flach_2014.py --tests 100 --draw 4.png

Positives score N(0, 1) and negatives N(1, 1), lower for the positive class; a ROC
table has 10 samples of 50 cases. For each of 100 tests and each method, the share of
1,000 new tables drawn from the test's own table, as it is, whose consensus lies
within the bounds, rate by rate: its mean and variance over tests. A method "..., as
printed" is the paper's, without the case that skrate adds to each class. Then follows
how often the bounds cover the *true* curve, at 50 and at 1,000 cases.
"""

import argparse
import time
from dataclasses import replace

import numpy as np
from scipy import optimize, stats

from skrate import rate_averaged_roc_curve
from skrate.curves.bounds import bootstrap_counts

BASELINES = ("normal", "beta")
METHODS = (
    *BASELINES, "parametric", "bootstrap", "bootstrap-adjusted", "exact",
)  # fmt: skip
AS_PRINTED = ", as printed"
BOTH = (
    *BASELINES,
    *(method + end for method in METHODS[2:] for end in ("", AS_PRINTED)),
)
# The panels of figure 4 whose negatives score N(1, 1).
PANELS = {
    "normal": "4a",
    "beta": "4b",
    "parametric" + AS_PRINTED: "4c",
    "bootstrap" + AS_PRINTED: "4d",
    "bootstrap-adjusted" + AS_PRINTED: "4e",
}
N_SAMPLES = 10
N_TESTS, N_TABLES = 100, 1_000
SHOWN = (0.02, 0.04, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.96, 0.98)
# Counts over whole numbers of cases, so that only rounding is between them.
ROUNDING = 1e-9


def main() -> None:
    options = parse()
    print(f"{options.tests} tests, {options.tables} new tables each\n")
    coverage = self_coverage(options.tests, options.tables, variance=1.0)
    print_coverage("New tables from the sample, 50 cases (figure 4, a to e)", coverage)
    methods = ("bootstrap" + AS_PRINTED, "bootstrap", "exact")
    narrow = self_coverage(options.tests, options.tables, variance=0.2, methods=methods)
    print_coverage("The same, negatives N(1, 0.2) (figure 4f)", narrow)
    for n in (50, 1000):
        found = true_coverage(n, options.tests)
        print_coverage(f"The true curve, {n} cases", found)
    if options.draw:
        shares = {title(name): share for name, share in coverage.items()}
        draw(shares | {f"4f: {methods[0]}": narrow[methods[0]]}, options.draw)


def title(method):
    """Return the method, after the paper's panel that shows it."""
    return f"{PANELS[method]}: {method}" if method in PANELS else method


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", type=int, default=N_TESTS)
    parser.add_argument("--tables", type=int, default=N_TABLES)
    parser.add_argument("--draw", metavar="FILE", help="draw figure 4 to a file")
    return parser.parse_args()


def sample(rng, n, variance=1.0):
    """Return labels and scores, higher for positives, of a table's samples."""
    y = np.repeat([1, 0], n // 2)
    spread = np.where(y == 1, 1.0, np.sqrt(variance))
    scores = [-rng.normal(1 - y, spread) for _ in range(N_SAMPLES)]
    return [y] * N_SAMPLES, scores


def self_coverage(n_tests, n_tables, *, variance, methods=BOTH, n=50):
    """Return by method the share within the bounds, of shape (n_tests, n + 1)."""
    shares = {method: np.empty((n_tests, n + 1)) for method in methods}
    for test in range(n_tests):
        rng = np.random.default_rng([2014, test])
        table = sample(rng, n, variance)
        for method in methods:
            curve = rate_averaged_roc_curve(
                *table,
                bounds=method.removesuffix(AS_PRINTED),
                augment=not method.endswith(AS_PRINTED),
                random_state=rng,
            )
            source = replace(curve.folds, added=0)
            counts = bootstrap_counts(
                source, curve.rates, n_tables, np.random.default_rng([7, test])
            )
            recall = counts / curve.folds.n_pos
            shares[method][test] = is_within(curve, recall).mean(axis=0)
    return shares


def true_coverage(n, n_tests):
    """Return by method how often the bounds cover the true recall at each rate."""
    rates = np.arange(51) / 50
    truth = true_recall(rates)
    held = {method: np.empty((n_tests, len(rates))) for method in METHODS}
    for test in range(n_tests):
        rng = np.random.default_rng([2015, n, test])
        table = sample(rng, n)
        for method in METHODS:
            curve = rate_averaged_roc_curve(
                *table, bounds=method, rates=rates, random_state=rng
            )
            held[method][test] = is_within(curve, truth)
    return held


def is_within(curve, recall):
    above = recall >= curve.confidence_interval.low.tpr - ROUNDING
    return above & (recall <= curve.confidence_interval.high.tpr + ROUNDING)


def true_recall(rates):
    """Return the recall of the two normal densities, half of the cases positive."""

    def recall(rate):
        def miss(t):
            return (stats.norm.cdf(t) + stats.norm.cdf(t, 1)) / 2 - rate

        return stats.norm.cdf(optimize.brentq(miss, -40, 40))

    return np.array([0.0, *map(recall, rates[1:-1]), 1.0])


def print_coverage(heading, shares):
    print(heading)
    rates = np.arange(51) / 50
    where = [round(50 * rate) for rate in SHOWN]
    print("method".ljust(20) + "".join(f"{rate:8.2f}" for rate in SHOWN), end="")
    print("   0.1-0.9: mean    min    max")
    middle = (rates > 0.099) & (rates < 0.901)
    for method, share in shares.items():
        mean, variance = share.mean(axis=0), share.var(axis=0)
        print(method.ljust(34) + "".join(f"{mean[i]:8.3f}" for i in where), end="")
        inner = mean[middle]
        print(f"{inner.mean():16.3f}{inner.min():7.3f}{inner.max():7.3f}")
        if len(np.unique(share)) > 2:
            line = "".join(f"{variance[i]:8.4f}" for i in where)
            print("  variance".ljust(34) + line)
    print(flush=True)


def draw(coverage, path):
    """Return the figure of one panel for each entry, saved to a file."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    n_columns = 4
    n_rows = -(-len(coverage) // n_columns)
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=(14, 3 * n_rows), sharey=True, layout="tight"
    )
    rates = np.arange(51) / 50
    panels, unused = np.split(axes.ravel(), [len(coverage)])
    for ax, (heading, share) in zip(panels, coverage.items(), strict=True):
        ax.plot(rates, share.mean(axis=0), label="mean over tests")
        low, high = np.quantile(share, [0.05, 0.95], axis=0)
        ax.fill_between(rates, low, high, alpha=0.2, label="90 % of tests")
        ax.axhline(0.95, color="0.5", linewidth=0.8)
        ax.set(title=heading, xlabel="Rate", ylim=(0.5, 1.01))
    panels[0].legend(loc="lower right")
    for ax in unused:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_ylabel("Share within the bounds")
    figure.savefig(path, dpi=100)
    return figure


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s")
