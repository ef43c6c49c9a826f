"""How often reading stops below the target: the table of the page "In production".

    python benchmarks/stopping_errors.py [--short]

There are 2,000 cases, 100 of them positive. A ranking draws one case after the other, a
positive with odds of 1, 5 or 20 to 1 against a negative; "late" has odds of 20, but 1/3
for 15 of its positives, which come later than at random. Reading stops at the first
look with a p-value of at most 0.05 for a recall of 0.95. After a ranking of the first
600 cases, random cases are read until the exact test allows stopping, or until the
p-value of a single sample does, which is not corrected for the many looks.

The second table is of random cases only, with a look after each: some positives were
found before, and a sample is drawn from the rest case by case.
"""

import argparse

import numpy as np

from skrate.review.certificate import least_total, lower_tail, odds_against_more
from skrate.review.stopping import Windows

N_CASES, N_POS, TARGET, LEVEL = 2_000, 100, 0.95, 0.95
N_LATE, LATE_ODDS, N_RANKED = 15, 1 / 3, 600
# Cases, positives among them, those found before, and the target.
SAMPLED = [
    (2_000, 40, 60, 0.8),
    (2_000, 40, 360, 0.95),
    (5_000, 200, 300, 0.7),
    (5_000, 500, 0, 0.5),
    (5_000, 60, 540, 0.95),
    (5_000, 240, 160, 0.5),
]
ODDS = {"random": 1.0, "weak": 5.0, "good": 20.0, "late": 20.0}


def draw_order(design: str, rng: np.random.Generator) -> np.ndarray:
    """Return labels in the order of reading: exponential races of given odds."""
    odds = np.ones(N_CASES)
    odds[:N_POS] = ODDS[design]
    if design == "late":
        odds[:N_LATE] = LATE_ODDS
    return (np.argsort(rng.exponential(size=N_CASES) / odds) < N_POS).astype(int)


def stop(y: np.ndarray, rule: str) -> int:
    """Return the cases read at the first look with a p-value that is low enough.

    The p-values are stopping_curve's, without its bounds, which take longer.
    """
    if "sample" in rule:
        n_read, before = np.arange(N_RANKED, N_CASES + 1), int(y[:N_RANKED].sum())
        found = np.cumsum(y)[n_read - 1]
        excluded = least_total(found, TARGET) - before
        test = lower_tail if rule == "sample, uncorrected" else odds_against_more
        pvalues = test(found - before, n_read - N_RANKED, excluded, N_CASES - N_RANKED)
    else:
        n_read = np.arange(int(rule), N_CASES + 1, int(rule))
        windows = Windows(y == 1, n_read, N_CASES)
        looks = np.arange(len(n_read))
        pvalues = windows.least(looks, least_total(windows.found, TARGET))[0]
    return int(n_read[np.flatnonzero(pvalues <= 1 - LEVEL)[0]])


def stops(design: str, rule: str, n_runs: int) -> np.ndarray:
    """Return the cases read and the recall reached of each run."""
    rng, runs = np.random.default_rng(0), []
    for _ in range(n_runs):
        y = draw_order(design, rng)
        if "sample" in rule:
            y[N_RANKED:] = rng.permutation(y[N_RANKED:])
        n_read = stop(y, rule)
        runs.append((n_read, y[:n_read].sum() / N_POS))
    return np.array(runs)


def sampled(design: tuple[int, int, int, float], n_runs: int) -> str:
    """Return a row of the second table."""
    n_all, n_pos, before, target = design
    rng, n_read = np.random.default_rng(0), np.arange(1, n_all + 1)
    tests = {"uncorrected": lower_tail, "any looks": odds_against_more}
    below, read = dict.fromkeys(tests, 0), dict.fromkeys(tests, 0)
    for _ in range(n_runs):
        hits = np.cumsum(rng.permutation(n_all) < n_pos)
        excluded = least_total(before + hits, target) - before
        for name, test in tests.items():
            pvalues = test(hits, n_read, excluded, n_all)
            n = int(n_read[np.flatnonzero(pvalues <= 1 - LEVEL)[0]])
            below[name] += (before + hits[n - 1]) / (before + n_pos) < target
            read[name] += n
    return f"{design}: " + ", ".join(
        f"{name} below {100 * below[name] / n_runs:.1f} %, "
        f"read {read[name] / n_runs / n_all:.3f}"
        for name in tests
    )


def main() -> None:
    """Print a row per design and rule."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="a tenth of the runs")
    share = 0.1 if parser.parse_args().short else 1.0
    runs = {"200": 1_000, "20": 1_000, "2": 300}
    runs |= {"sample": 1_000, "sample, uncorrected": 1_000}
    for design in ODDS:
        for rule, n_runs in runs.items():
            found = stops(design, rule, int(share * n_runs))
            below = (found[:, 1] < TARGET).mean()
            print(
                f"{design:8} {rule:20} below {100 * below:5.1f} %  recall "
                f"{found[:, 1].mean():.3f}  read {found[:, 0].mean() / N_CASES:.3f}",
                flush=True,
            )
    for sampling in SAMPLED:
        print(sampled(sampling, int(share * 1_000)), flush=True)


if __name__ == "__main__":
    main()
