"""A billion cases in batches: time, peak memory, and the bound on the error.

    python benchmarks/billion.py [n_samples ...] [--short]

Cases are made a million at a time and never kept together. Prints for each number of
cases, in a fresh process: the processor's seconds to make the cases, and to make the
table from them, the groups of the table, the peak memory of the process, and each
metric with the bound on its error; up to a hundred million cases, also the exact
value.
"""

import argparse
import multiprocessing
import time

import numpy as np

import skrate
import timing

SIZES = (10_000_000, 100_000_000, 1_000_000_000)
# Beyond it the exact value would need tens of gigabytes.
MOST_EXACT = 100_000_000
BATCH = 1_000_000
METRICS = {
    "AUC": (skrate.rate_weighted_auc_score, {"rate": "uniform"}),
    "rAUC": (skrate.rate_weighted_auc_score, {"rate": skrate.rates.beta(2, 18)}),
    "AP": (skrate.average_precision_score, {}),
    "recall at 0.001": (skrate.recall_at_rate_score, {"rate": 0.001}),
    "recall at 0.5": (skrate.recall_at_rate_score, {"rate": 0.5}),
}


def batches(n_samples, prevalence=0.1):
    """Yield labels and scores in [0, 1], as of a model of probabilities."""
    for number, first in enumerate(range(0, n_samples, BATCH)):
        rng = np.random.Generator(np.random.SFC64(number))
        n_here = min(BATCH, n_samples - first)
        y_true = rng.random(n_here, dtype=np.float32) < prevalence
        scores = rng.standard_normal(n_here)
        scores += 1.5 * y_true - 2
        # A logistic curve.
        np.negative(scores, out=scores)
        np.exp(scores, out=scores)
        scores += 1
        yield y_true, np.reciprocal(scores, out=scores)


def measure(n_samples, max_groups):
    """Return seconds of making cases and of the table, its peak, and what it says."""
    made = timed(lambda: sum(len(y_true) for y_true, _ in batches(n_samples)))
    start = time.perf_counter()
    built = timed(
        lambda: skrate.RankTable.from_batches(batches(n_samples), max_groups=max_groups)
    )
    elapsed = time.perf_counter() - start
    peak, table = timing.process_megabytes(), built[1]
    read = timed(lambda: {name: of_table(table, *METRICS[name]) for name in METRICS})
    seconds = (made[0], built[0] - made[0], read[0])
    return seconds, elapsed, peak, table.n_groups, read[1]


def timed(call):
    """Return the seconds of the processor that a call takes, and its result."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def of_table(table, metric, options):
    """Return a metric of a table, and how far it may be off."""
    value = skrate.estimate(metric, table, **options).value
    return value, table.max_error(metric, **options)


def exact(n_samples):
    """Return the metrics of all cases at once."""
    y_true, y_score = map(np.concatenate, zip(*batches(n_samples), strict=True))
    return {
        name: m(y_true, y_score, **options) for name, (m, options) in METRICS.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--max-groups", type=int, default=2**20)
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    sizes, max_groups = options.sizes, options.max_groups
    if options.short:
        sizes, max_groups = (20_000, 40_000), 2**10
    spawn = multiprocessing.get_context("spawn")
    for n_samples in sizes:
        # A process is used once, so that its memory is that of one size.
        with spawn.Pool(1) as pool:
            found = pool.apply(measure, (n_samples, max_groups))
        seconds, elapsed, peak, n_groups, values = found
        making, building, reading = seconds
        print(
            f"{n_samples:,} cases: made in {making:.1f} s, table in {building:.1f} s "
            f"more ({elapsed:.1f} s by the clock), {len(METRICS)} metrics with bounds "
            f"in {reading:.1f} s; "
            f"{n_groups:,} groups, {peak:,.0f} MB at the peak"
        )
        known = {}
        if n_samples <= MOST_EXACT:
            with spawn.Pool(1) as pool:
                known = pool.apply(exact, (n_samples,))
        for name, (value, error) in values.items():
            beside = ""
            if known:
                off = abs(known[name] - value)
                beside = f", exact {known[name]:.9f}, off {off:.1e}"
            print(f"    {name:16} {value:.9f}, at most {error:.1e} off{beside}")
        print(end="", flush=True)


if __name__ == "__main__":
    main()
