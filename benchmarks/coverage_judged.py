"""Coverage if people label some lists, and a judge labels all (``labels.judged``).

    python benchmarks/coverage_judged.py [--simulations N] [--short]

For each design, judge and number of labelled lists, over three metrics, for the value
of model a ("A") and for the difference from model b ("A - B"): the minimum, mean and
maximum coverage of 95 % intervals, the fraction of warnings, the minimum coverage
without a warning (of cells with at least half of the samples), the fraction of labels
saved (1 minus the ratio of the mean squared standard errors with and without the
judge), and the coverage with the judge alone. ``--short`` takes a tenth of the
simulations.
"""

import argparse
import warnings

import numpy as np

from skrate import compare, estimate, labels

METRICS = {"ndcg": {"k": 10}, "precision_at_rate": {"k": 5}, "reciprocal_rank": {}}
JUDGES = ("good", "lenient", "biased", "noisy")
# Numbers of lists and of labelled lists, and options of ``draw_lists``.
DESIGNS = {
    "issue": (400, (60,), {"sizes": (50, 50)}),
    "short, rare": (200, (10, 20, 60), {"sizes": (3, 30), "prevalence": 0.03}),
    "grades": (100, (10, 20, 60), {"sizes": (10, 40), "is_graded": True}),
    "common, equal": (300, (10, 30), {"sizes": (5, 60), "prevalence": 0.3, "gap": 0}),
    "long, rare": (60, (10, 20), {"sizes": (1000, 1000), "prevalence": 0.01}),
}


def draw_lists(rng, n_lists, judge, *, sizes, prevalence=0.1, gap=0.3, is_graded=False):
    """Return labels by people and by the judge, two models, and the lists."""
    n_items = rng.integers(sizes[0], sizes[1] + 1, n_lists)
    groups = np.repeat(np.arange(n_lists), n_items)
    n = len(groups)
    log_odds = np.log(prevalence / (1 - prevalence)) + 0.8 * rng.normal(size=n_lists)
    truth = (rng.random(n) < 1 / (1 + np.exp(-log_odds[groups]))).astype(int)
    # Each list has a relevant item.
    first = np.append(0, np.cumsum(n_items)[:-1])
    truth[first[np.add.reduceat(truth, first) == 0]] = 1
    quality, common = 1.3 + 0.6 * rng.normal(size=n_lists), rng.normal(size=n)
    a = common + rng.normal(size=n) + (quality[groups] + gap) * truth
    b = common + rng.normal(size=n) + quality[groups] * truth
    is_relevant = truth > 0
    chance = {
        "good": np.where(is_relevant, 0.9, 0.03),
        "lenient": np.where(is_relevant, 0.97, 0.25),
        "biased": np.where(is_relevant, 0.9, 0.03 + 0.5 * (a - b > 1.2)),
        "noisy": np.where(is_relevant, 0.6, 0.15),
    }[judge]
    by_judge = (rng.random(n) < chance).astype(int)
    if is_graded:
        truth *= rng.integers(1, 4, n)
        near = np.clip(truth + rng.integers(-1, 2, n), 1, 3)
        by_judge *= np.where(is_relevant, near, rng.integers(1, 3, n))
    return truth, by_judge, a, b, groups


def evaluate_both(y_true, a, b, groups):
    """Return the estimates and differences of all metrics, and whether they warn."""
    found = []
    for metric, params in METRICS.items():
        options = {**params, "groups": groups}
        if metric != "ndcg":
            options["relevance_threshold"] = 1
        for call, scores in ((estimate, (a,)), (compare, (a, b))):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = call(metric, y_true, *scores, **options)
            is_warned = any("reversed" not in str(one.message) for one in caught)
            ends = result.confidence_interval
            found.append((result.value, *ends, result.standard_error, is_warned))
    return np.array(found)


def simulate(design, judge, n_labelled, n_simulations, seed):
    """Return arrays of results with the judge, by people only and by the judge only."""
    n_lists, _, options = DESIGNS[design]
    rng, rows = np.random.default_rng(seed), []
    for _ in range(n_simulations):
        y, by_judge, a, b, groups = draw_lists(rng, n_lists, judge, **options)
        few = groups < n_labelled
        y_judged = labels.judged(np.where(few, y, np.nan), by_judge)
        rows.append(
            [
                evaluate_both(y_judged, a, b, groups),
                evaluate_both(y[few], a[few], b[few], groups[few]),
                evaluate_both(by_judge, a, b, groups),
            ]
        )
    return np.moveaxis(np.array(rows), 1, 0)


def summarize(found, truth, which):
    """Return the columns of a row for estimates (0) or for differences (1)."""
    truth = truth[which::2]
    judged, people, alone = (one[:, which::2] for one in found)
    covers, by_judge = (
        (one[..., 1] <= truth + 1e-12) & (truth <= one[..., 2] + 1e-12)
        for one in (judged, alone)
    )
    coverage, warned = covers.mean(axis=0), judged[..., 4].astype(bool)
    quiet = [
        covers[~warned[:, i], i].mean()
        for i in range(len(METRICS))
        if warned[:, i].mean() <= 0.5
    ]
    saved = 1 - (judged[..., 3] ** 2).mean(axis=0) / (people[..., 3] ** 2).mean(axis=0)
    return [
        *(coverage.min(), coverage.mean(), coverage.max()),
        *(warned.mean(), min(quiet, default=np.nan)),
        *(saved.min(), saved.max()),
        *(by_judge.mean(axis=0).min(), by_judge.mean(axis=0).max()),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS))
    args = parser.parse_args()
    n = max(args.simulations // 10, 2) if args.short else args.simulations
    print(
        "design, judge, labelled, of: coverage min mean max; warned, min if not; "
        "saved min max; judge alone min max"
    )
    for design in args.designs:
        _, numbers, options = DESIGNS[design]
        size = 4_000 if options["sizes"][1] >= 1000 else 40_000
        for judge in JUDGES:
            rng = np.random.default_rng(1)
            y, _, a, b, groups = draw_lists(rng, size, judge, **options)
            truth = evaluate_both(y, a, b, groups)[:, 0]
            for n_labelled in numbers:
                found = simulate(design, judge, n_labelled, n, seed=0)
                for which, name in enumerate(("A", "A - B")):
                    row = summarize(found, truth, which)
                    shown = " ".join(f"{x:6.3f}" for x in row)
                    cell = f"{design}, {judge}, {n_labelled}, {name}"
                    print(f"{cell}: {shown}", flush=True)


if __name__ == "__main__":
    main()
