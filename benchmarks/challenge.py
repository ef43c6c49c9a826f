"""How often `Challenge` errs over all weeks, and how soon it decides.

    python benchmarks/challenge.py --simulations 300
    python benchmarks/challenge.py --power

Histories of weeks: the champion's top is processed, and labelled for that; some more
labels are planned by `Challenge`, drawn at random (``floor=1``), or all cases are
labelled. Prevalence and scores drift. Prints for each design the share of histories
with a decision, the share that preferred the challenger, and the mean number of weeks
to it, undecided histories counted whole, each with its standard error. A decision
between models that are equally good is an error: at most 0.05 of them, and at most
0.025 preferred the challenger.
"""

import argparse
import warnings

import numpy as np

from skrate import compare
from skrate.inference.compare_batches import error_of_look, sequence_of_looks
from skrate.labels import Challenge

# Metric, rate, weeks, cases a week, labels a week, prevalence, how much it rises over
# all weeks, and the distance of the classes for the champion and the challenger.
NULL = (
    ("recall_at_rate", 0.05, 12, 2_000, 60, 0.02, 0.03, 2.0, 2.0),
    ("precision_at_rate", 0.05, 12, 2_000, 60, 0.02, 0.03, 2.0, 2.0),
    ("recall_at_rate", 0.1, 12, 5_000, 300, 0.02, 0.0, 1.5, 1.5),
    ("recall_at_rate", 0.1, 52, 2_000, 100, 0.1, -0.05, 1.5, 1.5),
    ("precision_at_rate", 0.1, 52, 2_000, 60, 0.03, 0.03, 2.0, 2.0),
)
POWER = (
    ("recall_at_rate", 0.05, 26, 4_000, 100, 0.03, 0.0, 1.5, 2.1),
    ("precision_at_rate", 0.05, 26, 4_000, 100, 0.03, 0.03, 1.5, 2.1),
    ("recall_at_rate", 0.1, 26, 4_000, 300, 0.05, -0.02, 1.5, 1.8),
)
WAYS = ("planned", "random", "all")


def week_of(rng, design, week):
    """Return labels, and scores of the champion and the challenger."""
    _, _, n_weeks, n, _, prevalence, rise, *distances = design
    y_true = rng.random(n) < prevalence + rise * week / n_weeks
    shared, *apart = 0.7 * rng.normal(size=(3, n))
    level = np.sin(week) + shared
    return y_true, *(
        level + own + distance * y_true
        for own, distance in zip(apart, distances, strict=True)
    )


def decided(design, seed, way):
    """Return the decision of a history, and after how many weeks."""
    metric, rate, n_weeks, _, n_labels, *_ = design
    rng = np.random.default_rng(seed)
    if way == "all":
        pairs, sizes = [], []
        for week in range(n_weeks):
            y_true, champion, challenger = week_of(rng, design, week)
            pairs.append(compare(metric, y_true, challenger, champion, rate=rate))
            sizes.append(len(y_true))
        differences = np.array([pair.value for pair in pairs])
        errors = np.array([error_of_look(pair) for pair in pairs])
        _, low, high, _ = sequence_of_looks(
            np.array(sizes), differences, errors, 0.05, n_weeks
        )
        out = np.flatnonzero((low > 0) | (high < 0))
        if not len(out):
            return "go on", n_weeks
        return "replace" if low[out[0]] > 0 else "keep", 1 + out[0]
    challenge = Challenge(
        metric, n_labels, n_weeks=n_weeks, floor=1.0 if way == "random" else 0.1,
        random_state=seed, rate=rate,
    )  # fmt: skip
    for week in range(n_weeks):
        y_true, champion, challenger = week_of(rng, design, week)
        top = champion >= np.quantile(champion, 1 - rate)
        plan = challenge.plan(champion, challenger, known=np.where(top, y_true, np.nan))
        challenge.update(np.where(top | plan.is_drawn, y_true, np.nan))
        if challenge.decision != "go on":
            break
    return challenge.decision, week + 1


def main():
    """Print a line for each design and way of labelling."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--power", action="store_true")
    parser.add_argument("--ways", nargs="+", default=WAYS, choices=WAYS)
    parser.add_argument("--designs", nargs="+", type=int)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    designs = POWER if options.power else NULL
    for place in options.designs or range(len(designs)):
        design = designs[place]
        for way in options.ways:
            found = [decided(design, seed, way) for seed in range(options.simulations)]
            decisions, weeks = zip(*found, strict=True)
            events = {
                "decided": [one != "go on" for one in decisions],
                "replaced": [one == "replace" for one in decisions],
                "weeks": weeks,
            }
            columns = [
                f"{name} {np.mean(each):.3f} ± {np.std(each) / len(each) ** 0.5:.3f}"
                for name, each in events.items()
            ]
            print(*design, f"{way}:", *columns, flush=True)


if __name__ == "__main__":
    main()
