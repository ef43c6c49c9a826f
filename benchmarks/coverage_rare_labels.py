"""Coverage by sampled labels of which some stand for many samples, and by pilots.

    python benchmarks/coverage_rare_labels.py [--simulations N] [--short]

First, for designs with unequal probabilities: how often 95 % intervals of the recall at
0.1, the AUC and the precision at 0.1 cover the population's value; in how many samples
each of them warns that it may be too short; and the coverage in the other samples.
Then, for a pilot of random labels and planned ones: the root mean square error of a
batch and the coverage, by the pilot alone, by labels that are only ``known``, by as
many random labels, and with ``known_probability``.
``--short`` takes a hundredth of the simulations.
"""

import argparse
import warnings

import numpy as np
from scipy import special

from skrate import compare, estimate, labels

PREVALENCE, RATE = 0.05, 0.1
METRICS = {
    "recall_at_rate": {"rate": RATE},
    "roc_auc": {},
    "precision_at_rate": {"rate": RATE},
}
# Of the champion and the challenger, whether they are in their top tenth and where.
DESIGNS = {
    "guide": lambda top_a, top_b, _: np.where(top_a, 1, np.where(top_b, 0.25, 0.05)),
    "random": lambda top_a, *_: np.full(len(top_a), 0.1),
    "top fifth": lambda *tops: np.where(tops[2] >= 0.8, 0.7, 0.25),
    "rank": lambda *tops: 0.01 + 0.5 * tops[2] ** 6,
    "other's top": lambda top_a, *_: np.where(top_a, 1, 0.02),
}
PREDICTIONS = ("none", "true", "log-odds twice as large", "0 or 1")
# Metric, whether of a difference, and the prevalence.
PILOTS = (
    ("recall_at_rate", {"rate": RATE}, True, 0.05),
    ("recall_at_rate", {"rate": RATE}, False, 0.05),
    ("roc_auc", {}, True, 0.05),
    ("roc_auc", {}, False, 0.2),
)  # fmt: skip


def champion_and_challenger(rng, n):
    """Return labels, the scores of two models, and the log-odds of a positive."""
    y_true = rng.random(n) < PREVALENCE
    a = rng.normal(size=n) + 1.5 * y_true
    b = 0.3 * a + rng.normal(size=n) + 1.7 * y_true
    log_odds = special.logit(PREVALENCE) + 1.5 * a - 1.5**2 / 2
    return y_true, a, b, log_odds + 1.7 * (b - 0.3 * a) - 1.7**2 / 2


def predictions(log_odds, kind):
    """Return predictions of a kind."""
    if kind == "none":
        return None
    if kind == "0 or 1":
        return (log_odds > 0).astype(float)
    return special.expit(log_odds * (1 if kind == "true" else 2))


def rare_labels(design, n, kind, n_simulations):
    """Return by metric whether intervals cover the truth, and whether they warn."""
    y_true, _, b, _ = champion_and_challenger(np.random.default_rng(99), 1_000_000)
    truth = {m: estimate(m, y_true, b, **params).value for m, params in METRICS.items()}
    rng, rows = np.random.default_rng(0), []
    for _ in range(n_simulations):
        y_true, a, b, log_odds = champion_and_challenger(rng, n)
        tops = [score >= np.quantile(score, 0.9) for score in (a, b)]
        share = DESIGNS[design](*tops, np.argsort(np.argsort(b)) / n)
        seen = np.where(rng.random(n) < share, y_true, np.nan)
        found = labels.sampled(seen, share, prediction=predictions(log_odds, kind))
        row = []
        for metric, params in METRICS.items():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                low, high = estimate(metric, found, b, **params).confidence_interval
            is_warned = any("too short" in str(one.message) for one in caught)
            row.append((low <= truth[metric] <= high, is_warned))
        rows.append(row)
    return np.moveaxis(np.array(rows), 2, 0)


def pilots(metric, params, is_difference, prevalence, sizes, n_simulations):
    """Return by way of labelling the errors of a batch, and whether intervals cover."""
    (n, n_pilot), n_labels, rows = sizes, 300, {}
    for seed in range(n_simulations):
        rng = np.random.default_rng(seed)
        y_true = rng.random(n) < prevalence
        a = rng.normal(size=n) + 2 * y_true
        b = 0.5 * a + rng.normal(size=n) + 1.5 * y_true
        models = (a, b) if is_difference else (a,)
        evaluate = compare if is_difference else estimate
        order, share = rng.permutation(n), n_pilot / n
        known = np.where(order < n_pilot, y_true, np.nan)
        even = np.where(order < n_pilot + n_labels, y_true, np.nan)
        options = {"metric": metric, "known": known, "random_state": seed, **params}
        if is_difference:
            options["compare"] = ("a", "b")
        scores = {"a": a, "b": b} if is_difference else a
        plain = labels.plan_labels(scores, n_labels, **options)
        plan = labels.plan_labels(scores, n_labels, known_probability=share, **options)
        truth = evaluate(metric, y_true, *models, **params).value
        ways = {
            "pilot": labels.sampled(known, share),
            "known": plain.labels(y_true),
            "random": labels.sampled(even, (n_pilot + n_labels) / n),
            "known_probability": plan.labels(y_true),
        }
        for way, found in ways.items():
            one = evaluate(metric, found.for_batch(), *models, **params)
            low, high = one.confidence_interval
            rows.setdefault(way, []).append((one.value - truth, low <= truth <= high))
    return {way: np.transpose(found) for way, found in rows.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=1_000)
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    n_simulations = max(options.simulations // (100 if options.short else 1), 2)
    warnings.simplefilter("ignore")
    samples = [(name, 4_000, "none") for name in DESIGNS]
    samples += [(name, 10_000, "none") for name in ("guide", "rank", "other's top")]
    samples += [("guide", n, kind) for kind in PREDICTIONS[1:] for n in (4_000, 10_000)]
    for case in samples:
        covered, warned = rare_labels(*case, n_simulations)
        n_left = (~warned).sum(axis=0)
        left = (covered & ~warned).sum(axis=0) / np.maximum(n_left, 1)
        cells = np.transpose([covered.mean(axis=0), warned.mean(axis=0), left])
        texts = [" ".join(f"{x:.3f}" for x in cell) for cell in cells]
        print(*case, *texts, sep=" | ", flush=True)
    for sizes in ((4_000, 300), (10_000, 1_000)):
        for pilot in PILOTS:
            found = pilots(*pilot, sizes, max(n_simulations // 5, 2))
            for way, (errors, covered) in found.items():
                error = np.sqrt(np.mean(errors**2))
                name = " ".join([pilot[0], "difference" * pilot[2]])
                text = f"{error:.4f} {covered.mean():.3f}"
                print(*sizes, name, way, text, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
