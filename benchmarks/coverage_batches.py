"""How often intervals batch after batch cover the difference of two models.

    python benchmarks/coverage_batches.py --simulations 300
    python benchmarks/coverage_batches.py --power

Prints for each design how often an interval of any look left the true difference out;
how often 0 was left out by any look, by the one planned comparison of all cases, and by
a comparison of all cases so far at any look, uncorrected; how often a drift of the
prevalence was found; and at which look the intervals began. The true difference is the
mean over 2,000 looks, or 0 of models that are alike. In half of the designs prevalence
and scores drift.
"""

import argparse
import warnings

import numpy as np

from skrate import compare, compare_batches

RATE = {"rate": 0.1}
# Metric, looks, cases of a batch, prevalence, noise, distance of the classes for both
# models, and how much the prevalence rises over all looks.
DESIGNS = (
    ("roc_auc", 10, 40, 0.5, "logistic", 1.0, 1.0, 0.0),
    ("roc_auc", 50, 100, 0.15, "t2", 1.0, 1.0, 0.3),
    ("average_precision", 10, 50, 0.3, "gamma", 1.0, 1.0, 0.0),
    ("average_precision", 50, 60, 0.25, "logistic", 1.5, 1.5, 0.4),
    ("recall_at_rate", 10, 400, 0.03, "gamma", 1.0, 1.0, 0.0),
    ("recall_at_rate", 50, 70, 0.3, "t2", 1.5, 1.5, 0.3),
    ("precision_at_rate", 10, 80, 0.25, "t2", 1.0, 1.0, 0.0),
    ("precision_at_rate", 50, 80, 0.4, "logistic", 1.0, 1.0, -0.2),
    ("roc_auc", 200, 40, 0.5, "gamma", 0.5, 0.5, 0.0),
)
POWER = (
    ("roc_auc", 10, 200, 0.2, "logistic", 1.5, 1.1, 0.0),
    ("roc_auc", 50, 100, 0.15, "gamma", 1.0, 0.8, 0.0),
    ("average_precision", 10, 300, 0.2, "logistic", 1.5, 1.0, 0.0),
    ("recall_at_rate", 20, 300, 0.1, "t2", 2.0, 1.5, 0.0),
    ("precision_at_rate", 20, 100, 0.3, "logistic", 3.0, 1.5, 0.0),
)


def noise(rng, kind, shape):
    if kind == "t2":
        return rng.standard_t(2, size=shape)
    if kind == "gamma":
        return rng.gamma(0.5, 1.5, size=shape)
    return rng.logistic(scale=0.6, size=shape)


def arrived(rng, looks, size, prevalence, kind, of_a, of_b, rise):
    """Return labels, both models' scores, and the batch of each case."""
    batch = np.repeat(np.arange(looks), size)
    is_pos = rng.random(len(batch)) < prevalence + rise * batch / looks
    shared, *apart = noise(rng, kind, (3, len(batch)))
    level = 3 * np.sin(batch) * (rise != 0)
    a, b = (
        level + shared + own + shift * is_pos
        for own, shift in zip(apart, (of_a, of_b), strict=True)
    )
    return is_pos, a, b, batch


def truth_of(metric, design, params):
    """Return the mean difference of looks, by their sizes."""
    _, *rest = design
    if rest[3] == rest[4]:
        return 0.0
    given = arrived(np.random.default_rng(1), 2_000, *rest)
    *models, batch = given
    found = compare_batches(metric, *models, batches=batch, **params)
    return found.values[-1]


def main():
    """Print a line for each design."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--power", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for metric, *design in POWER if options.power else DESIGNS:
        params = RATE if metric.endswith("at_rate") else {}
        truth, rng = truth_of(metric, design, params), np.random.default_rng(0)
        rows = []
        for _ in range(options.simulations):
            *models, batch = arrived(rng, *design)
            found = compare_batches(
                metric, *models, batches=batch, n_batches=design[0], **params
            )
            planned = compare(metric, *models, **params)
            # Of the looks so far, as an interval of each would be.
            total = np.cumsum(found.n_cases)
            error = np.cumsum((found.n_cases * found.standard_errors) ** 2) ** 0.5
            peeked = np.abs(found.values) > 1.96 * error / total
            out = (found.low > truth) | (found.high < truth)
            rows.append(
                [
                    *(out.any(), found.pvalues[-1] <= 0.05, planned.pvalue <= 0.05),
                    *(peeked.any(), found.prevalence_pvalue <= 0.05),
                    1 + np.isnan(found.low).sum(),
                ]
            )
        missed, any_look, once, peeked, drift, began = np.mean(rows, axis=0)
        print(
            metric, *design, f"missed {missed:.3f}; 0 left out by any look "
            f"{any_look:.3f}, planned {once:.3f}, uncorrected {peeked:.3f}; drift "
            f"{drift:.3f}; from look {began:.1f}", flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
