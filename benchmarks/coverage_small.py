"""Intervals and errors where few lists, samples or positives decide.

    python benchmarks/coverage_small.py [--only PART ...] [--simulations 500]

lists: for rankers hardly better than chance and 8, 15, 30 and 100 lists, the coverage
of 95 % intervals, and how often one-sided 95 % intervals are below the true mean.
little: the same for lists that vary little, and how often one-sided intervals are above
the mean, with the width relative to Student's t with the true standard deviation. few:
the standard error with one to four processed samples, divided by the standard
deviation, and how often it is 0 without the added samples. report: the coverage of lift
and precision by few positives, by estimate and by budget_report. band: the coverage of
ROC bands of normal scores with an AUC of 0.96.
"""

import argparse
import warnings
from functools import partial
from itertools import product

import numpy as np
from scipy import stats

import skrate
from skrate import estimate, rates
from skrate.metrics import recall

POPULATION = 400_000
# Items, relevant items, mean and standard deviation of the quality of lists.
LISTS = (20, 1, 0.0, 0.3), (60, 3, 0.3, 0.6), (100, 1, 0.0, 0.5), (250, 4, 0.2, 1.0)
LIST_METRICS = {
    "MAP": skrate.mean_average_precision_score,
    "reciprocal rank, k=10": partial(skrate.reciprocal_rank_score, k=10),
    "NDCG": skrate.ndcg_score,
}
# Lists that vary little: metric, k, items, relevant items, mean and standard deviation
# of the quality.
LITTLE = {
    ("precision_at_rate", 100): (222, 2, 0.8, 0.2),
    ("precision_at_rate", 40): (120, 66, 1.5, 0.3),
    ("mean_average_precision", 1): (80, 8, 0.5, 0.3),
    ("ranking_auc", None): (150, 40, 1.3, 0.12),
}
AT_RATE = "recall_at_rate", "precision_at_rate"
# Samples, positives, how many are first, shift of the others, rate.
REPORTS = {
    ("lift", 500, 10, 0, 1.0): rates.beta(1.2, 30),
    ("lift", 500, 10, 0, 2.0): rates.beta(1.2, 30),
    ("lift", 500, 10, 0, 3.0): rates.beta(1.2, 30),
    ("lift", 500, 10, 5, 1.0): rates.beta(1.2, 30),
    ("precision", 500, 50, 25, 0.0): rates.interval(0.04, 0.08),
    ("precision", 500, 50, 25, 1.0): rates.interval(0.04, 0.08),
    ("precision", 1_000, 50, 25, 1.0): rates.interval(0.04, 0.08),
}


def draw_lists(rng, n_lists, n_items, n_relevant, mean, spread):
    y_true = np.tile(np.arange(n_items) < n_relevant, n_lists)
    quality = np.repeat(rng.normal(mean, spread, n_lists), n_items)
    scores = rng.normal(size=len(y_true)) + quality * y_true
    return y_true, scores, np.repeat(np.arange(n_lists), n_items)


def show_lists(rng, n):
    for design, (name, score) in product(LISTS, LIST_METRICS.items()):
        cells = []
        truths = []
        for _ in range(20):
            *data, groups = draw_lists(rng, POPULATION // design[0], *design)
            truths.append(score(*data, groups=groups))
        truth = np.mean(truths)
        for n_lists in (8, 15, 30, 100):
            rows = []
            for _ in range(n):
                *data, groups = draw_lists(rng, n_lists, *design)
                call = partial(estimate, score, *data, groups=groups)
                low, high = call().confidence_interval
                top = call(alternative="less").confidence_interval.high
                rows.append((low <= truth <= high, top < truth))
            cells.append("{:.3f} {:.3f}".format(*np.mean(rows, axis=0)))
        print(*design, name, f"{truth:.3f}:", " | ".join(cells), flush=True)


def show_little(rng, n):
    for (name, k), design in LITTLE.items():
        score, cells = partial(getattr(skrate, f"{name}_score"), k=k), []
        *data, groups = draw_lists(rng, POPULATION // design[0], *design)
        values = skrate.group_scores(score, *data, groups=groups).values
        for n_lists in (10, 25, 90):
            t = stats.t.ppf(0.975, n_lists - 1)
            ideal, rows = 2 * t * values.std() / n_lists**0.5, []
            for _ in range(n):
                *data, groups = draw_lists(rng, n_lists, *design)
                call = partial(estimate, score, *data, groups=groups)
                low, high = call().confidence_interval
                below, above = call(confidence_level=0.9).confidence_interval
                missed = below > values.mean(), above < values.mean()
                is_in = low <= values.mean() <= high
                rows.append((is_in, *missed, (high - low) / ideal))
            cells.append("{:.3f} {:.3f} {:.3f} {:.2f}".format(*np.mean(rows, axis=0)))
        print(name, k, *design, f"{values.mean():.3f}:", " | ".join(cells), flush=True)


def show_few(rng, n):
    n_samples = 100
    for prevalence, shift in product((0.1, 0.3), (0.0, 1, 2.5)):
        for k, metric in product((1, 2, 4), AT_RATE):
            rows = []
            for _ in range(n):
                n_pos = max(rng.binomial(n_samples, prevalence), 2)
                y_true = np.arange(n_samples) < n_pos
                scores = rng.normal(size=n_samples) + shift * y_true
                call = partial(estimate, metric, y_true, scores, rate=k / n_samples)
                found, recall.FEW_PROCESSED = call(), 0
                rows.append((found.value, found.standard_error, call().standard_error))
                recall.FEW_PROCESSED = 5
            values, errors, plain = np.transpose(rows)
            ratios, zero = errors / values.std(), np.mean(plain < 1e-9)
            print(metric, k, prevalence, shift, end=": ")
            print(
                f"mean {ratios.mean():.2f} min {ratios.min():.2f} zero {zero:.2f}",
                flush=True,
            )


def show_report(rng, n):
    def draw(n_samples, n_pos, n_first, shift):
        n_drawn = max(rng.binomial(n_samples, n_pos / n_samples), 2)
        y_true = np.arange(n_samples) < n_drawn
        is_first = y_true & (rng.random(n_samples) < n_first / n_pos)
        return y_true, rng.normal(size=n_samples) + shift * y_true + 9 * is_first

    for (name, *sizes, shift), rate in REPORTS.items():
        large, rows = np.array(sizes) * (POPULATION // sizes[0]), []
        metric = f"{name}_at_rate"
        truth = estimate(metric, *draw(*large, shift), rate=rate).value
        for _ in range(n):
            data = draw(*sizes, shift)
            frame = skrate.budget_report(*data, rate=rate).to_frame()
            row = frame[frame["quantity"] == name].iloc[0]
            ends = estimate(metric, *data, rate=rate).confidence_interval
            both = ends, (row["low"], row["high"])
            rows.append([low <= truth <= high for low, high in both])
        print(name, *sizes, shift, f"{truth:.3f}:", *np.mean(rows, axis=0), flush=True)


def show_band(rng, n):
    cuts = np.linspace(40, -40, 20_001)
    shift = 2.476  # The AUC is 0.96.
    fpr, tpr = stats.norm.sf(cuts), stats.norm.sf(cuts - shift)
    for n_pos in (25, 100, 500):
        rows = []
        for _ in range(n):
            y_true = rng.random(round(n_pos / 0.3)) < 0.3
            scores = rng.normal(size=len(y_true)) + shift * y_true
            band = skrate.curve_band(y_true, scores, metric="roc", random_state=rng)
            true = np.interp(band.at, fpr, tpr)
            rows.append((band.low <= true + 1e-6) & (true - 1e-6 <= band.high))
        print(n_pos, np.mean(np.all(rows, axis=1)), flush=True)


def main():
    parts = {
        name.removeprefix("show_"): part
        for name, part in globals().items()
        if name.startswith("show_")
    }
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", choices=parts, default=list(parts))
    parser.add_argument("--simulations", type=int, default=500)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for part in options.only:
        print(f"\n{part}, {options.simulations} simulations")
        parts[part](np.random.default_rng(0), options.simulations)


if __name__ == "__main__":
    main()
