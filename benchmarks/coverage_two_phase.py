"""Coverage of differences and estimates under two-phase sampling weights.

    python coverage_two_phase.py --designs 16 --replicates 500

All samples at the top of a screening score get a label, and a small random fraction of
the others. Few positives then have a high sampling weight. The screening score is the
score of model a, depends mostly on it, on both models, or on neither. Both models are
equally good, or a is better. A line has, for all data sets and for those without a
warning, the coverage of 95 % intervals of the difference and of the value of model b.
The test at 5 % rejects equal models in 1 - coverage of a difference of 0.
"""

import argparse
import warnings

import numpy as np

from skrate import compare, estimate, rates
from skrate.inference.rankings import check_sample
from skrate.metrics.metric import find_metric

METRICS = {
    "roc_auc": {},
    "rate_weighted_auc": {"rate": rates.beta(3, 19)},
    "average_precision": {},
    "recall_at_rate": {"rate": 0.2},
}
# Weights of model a, model b and a third model in the screening score.
SCREENS = {"a": (1, 0, 0), "mostly a": (0.7, 0, 0.5), "a + b": (0.5, 0.5, 0)}
SCREENS["third"] = (0, 0, 1)
TAILS = ("normal", "t3", "lognormal", "normal")
BETTER = 0.4  # added to the scores of a's positives


def draw_design(seed, screen=None):
    """Return a random design in which 1 to 15 heavy positives are expected."""
    rng = np.random.default_rng(seed)
    while True:
        design = {
            "screen": screen or list(SCREENS)[seed % 16 // 4],
            "tails": TAILS[seed % 4],
            "strata": 3 if seed % 8 == 3 else 2,
            "prevalence": np.exp(rng.uniform(np.log(0.02), np.log(0.3))),
            "shift": rng.uniform(0.7, 2.0),
            "correlation": rng.uniform(0.3, 0.95),
            "top": rng.uniform(0.04, 0.35),
            "probability": np.exp(rng.uniform(np.log(0.02), np.log(0.1))),
            "n": int(np.exp(rng.uniform(np.log(800), np.log(5000)))),
        }
        draws = [draw(design, rng, 0.0) for _ in range(15)]
        heavy = np.mean([np.sum(y & (w > w.max() / 2)) for y, _, w in draws])
        if 1 <= heavy <= 15 and draws[-1][0].sum() >= 12:
            return {**design, "heavy": heavy}


def draw_population(design, rng, better, n):
    """Return the labels, and the scores of models a and b and of a third model."""
    y, correlation = rng.random(n) < design["prevalence"], design["correlation"]
    noise = np.sqrt(correlation) * rng.normal(size=(n, 1))
    noise = noise + np.sqrt(1 - correlation) * rng.normal(size=(n, 3))
    if design["tails"] == "t3":
        noise /= np.sqrt(rng.chisquare(3, (n, 1)) / 3)
    if design["tails"] == "lognormal":
        noise = np.exp(0.7 * noise)
    shifts = design["shift"] + better * np.array([1, 0, 0])
    return y, noise + y[:, None] * shifts


def draw(design, rng, better):
    """Return the labels, scores and weights of the samples with a label."""
    y, scores = draw_population(design, rng, better, design["n"])
    position = (scores @ SCREENS[design["screen"]]).argsort().argsort() / len(y)
    top, probability = design["top"], design["probability"]
    chance = np.where(position >= 1 - top, 1.0, probability)
    if design["strata"] == 3:
        is_second = (position < 1 - top) & (position >= 1 - 2 * top)
        chance[is_second] = np.sqrt(probability)
    kept = rng.random(len(y)) < chance
    return y[kept], scores[kept, :2], 1 / chance[kept]


def call(function, *args, **options):
    """Return the result, and whether its interval may be too short by a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args, **options, weights="sampling")
    return result, any("too short" in str(one.message) for one in caught)


def simulate(design, seed, better, n_replicates):
    """Return, per metric, rows of two coverages and two warnings."""
    rng = np.random.default_rng(seed)
    y, scores = draw_population(design, rng, better, 600_000)
    metrics = {name: find_metric(name, kwargs) for name, kwargs in METRICS.items()}
    truth = {
        name: [metric.value(check_sample(y, s).table) for s in scores[:, :2].T]
        for name, metric in metrics.items()
    }
    rows = {name: [] for name in METRICS}
    for _ in range(n_replicates):
        y, scores, weight = draw(design, rng, better)
        if y.sum() < 3:
            continue
        for name, kwargs in METRICS.items():
            options = {"sample_weight": weight, **kwargs}
            both, is_warned = call(compare, name, y, *scores.T, **options)
            one, is_one_warned = call(estimate, name, y, scores[:, 1], **options)
            difference = truth[name][0] - truth[name][1] if better else 0.0
            intervals = both.confidence_interval, one.confidence_interval
            values = difference, truth[name][1]
            covered = [
                low <= value <= high
                for (low, high), value in zip(intervals, values, strict=True)
            ]
            rows[name].append((*covered, is_warned, is_one_warned))
    return {name: np.array(row, bool) for name, row in rows.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=16)
    parser.add_argument("--replicates", type=int, default=500)
    parser.add_argument("--first-seed", type=int, default=200)
    parser.add_argument("--screen", choices=SCREENS)
    parser.add_argument("--rate", type=float, default=0.2)
    options = parser.parse_args()
    METRICS["recall_at_rate"]["rate"] = options.rate
    warnings.simplefilter("ignore")
    for seed in range(options.first_seed, options.first_seed + options.designs):
        design = draw_design(seed, options.screen)
        print(
            seed,
            *(
                f"{k}={v:.3g}" if k != "screen" and k != "tails" else v
                for k, v in design.items()
            ),
        )
        for better in (0.0, BETTER):
            rows = simulate(design, seed, better, options.replicates)
            for name, row in rows.items():
                for what, (covered, warned) in {
                    f"difference {'> 0' if better else '= 0'}": row.T[[0, 2]],
                    "value of b": row.T[[1, 3]],
                }.items():
                    silent = covered[~warned].mean() if not warned.all() else np.nan
                    print(
                        f"  {name:18} {what:15} all {covered.mean():.3f}, without a "
                        f"warning {silent:.3f}, warned {warned.mean():.2f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
