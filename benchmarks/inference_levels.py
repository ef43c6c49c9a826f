"""Do the intervals and tests of skrate keep their levels?

    python inference_levels.py --functions estimate,compare --replicates 500

A cell is a design (distribution of scores, positives, prevalence, AUC, correlation of
the models, clusters) and a metric. The truth is computed from the distribution
functions of both classes; --check-truth compares it with samples of a million cases.
An interval shall cover in 0.90 to 0.985 of the samples without a warning, and a test at
5 % reject in 0.02 to 0.08; cells that miss this are printed.
"""

import argparse
import csv
import itertools
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache

import numpy as np
from scipy import optimize, special, stats

import skrate
from skrate import compare, estimate, labels, rates, sample_size, select_best

RATE, FPR, RECALL = 0.2, 0.1, 0.9
METRICS = {
    "roc_auc": {},
    "average_precision": {},
    "partial_auc": {"tpr": (0.8, 1)},
    "rate_weighted_auc": {"rate": rates.beta(3, 19)},
    "recall_at_rate": {"rate": RATE},
    "recall_at_fpr": {"fpr": FPR},
    "precision_at_recall": {"recall": RECALL},
    "work_saved": {"recall": RECALL},
    "momentum": {},
    "expected_gain": {"rate": RATE},
}
COMPARED = [name for name in METRICS if name not in ("work_saved", "expected_gain")]
SPREAD, LOSS = 0.7, 0.3  # lognormal gains of positives, exponential losses of negatives
SCORE_ICC, LABEL_ICC, OUTLIERS = 0.4, 0.3, 0.05
DISTRIBUTIONS = [
    "normal",
    "t3",
    "cauchy",
    "lognormal",
    "exponential",
    "grades3",
    "grades5",
]
DISTRIBUTIONS += ["grades7", "contaminated negatives", "contaminated positives"]
COLUMNS = ("n_pos", "prevalence", "auc", "correlation", "cluster")
SETTINGS = [  # with the correlation of two models and the cases of a cluster
    (10, 0.01, 0.85, 0.5, 1),
    (12, 0.05, 0.70, 0.0, 1),
    (20, 0.30, 0.80, 0.7, 1),
    (30, 0.70, 0.90, 0.5, 1),
    (40, 0.15, 0.75, 0.8, 4),
    (100, 0.05, 0.85, 0.6, 1),
    (300, 0.50, 0.80, 0.9, 4),
    (30, 0.30, 0.96, 0.3, 1),
]
GRID = list(itertools.product(DISTRIBUTIONS, SETTINGS))  # shuffled for --cells
GRID = [GRID[i] for i in np.random.default_rng(0).permutation(len(GRID))]

# The score that a standard normal z becomes, and its distribution function.
NORMAL = lambda z: z, special.ndtr
SCALES = {
    "t3": (
        lambda z: special.stdtrit(3, special.ndtr(z)),
        lambda x: special.stdtr(3, x),
    ),
    "cauchy": (
        lambda z: np.tan(np.pi * (special.ndtr(z) - 0.5)),
        lambda x: 0.5 + np.arctan(x) / np.pi,
    ),
    "lognormal": (np.exp, lambda x: special.ndtr(np.log(np.maximum(x, 1e-300)))),
    "exponential": (
        lambda z: -special.log_ndtr(-z),
        lambda x: -np.expm1(-np.maximum(x, 0)),
    ),
}


def outlier_shifts(name, shift):
    """How far outliers among negatives and positives are from the rest of them."""
    negatives, positives = (
        name == f"contaminated {each}" for each in ("negatives", "positives")
    )
    return (shift + 2) * negatives, -(shift + 2) * positives


def cuts(name, shift):
    return shift / 2 + np.linspace(-1.2, 1.2, int(name[-1]) - 1)


def table(name, shift, size=20001):
    """Probabilities of groups of scores, best first, of positives and negatives."""
    quantile, probability = SCALES.get(name, NORMAL)
    up, down = outlier_shifts(name, shift)
    base, moves = quantile(np.linspace(-8, 8, size)), (0, shift, shift + down, up)
    inner = (
        cuts(name, shift) if "grades" in name else np.unique([base + m for m in moves])
    )
    points = np.r_[-np.inf, inner, np.inf]
    places, share = ((shift, shift + down), (0, up)), (1 - OUTLIERS, OUTLIERS)
    return [
        np.diff(share @ probability(points - np.reshape(m, (2, 1))))[::-1]
        for m in places
    ]


def auc(classes):
    return classes[1] @ (np.cumsum(classes[0]) - classes[0] / 2)


@lru_cache(None)
def shift_for(name, target):
    """The shift between classes that has this AUC, or nearly the greatest there is."""
    target = min(target, 0.5 + 0.95 * (auc(table(name, 8, 2001)) - 0.5))
    return optimize.brentq(lambda shift: auc(table(name, shift, 2001)) - target, 0, 8)


@lru_cache(None)
def truth(name, shift, prevalence):
    """Every metric in the population; the expected gain is that of a case."""
    p, q = table(name, shift)
    tpr, fpr = (np.r_[0, np.cumsum(each)] for each in (p, q))
    rate = prevalence * tpr + (1 - prevalence) * fpr
    area, some = auc((p, q)), rate[1:] > 0
    ap = np.sum(p[some] * prevalence * tpr[1:][some] / rate[1:][some])
    # McClish's partial AUC: the mean specificity at recalls above 0.8; by chance 0.1
    across = np.interp(np.linspace(0.8, 1, 200001), tpr, fpr)
    specificity = 1 - np.mean((across[1:] + across[:-1]) / 2)
    # The hits beside the fewest and the most that there can be, over the budgets
    budget = stats.beta(3, 19).ppf((np.arange(20000) + 0.5) / 20000)
    hits = prevalence * np.interp(budget, rate, tpr).mean()
    fewest = np.maximum(0, budget - 1 + prevalence).mean()
    most = np.minimum(budget, prevalence).mean()
    found, alarms = np.interp(RATE, rate, tpr), np.interp(RATE, rate, fpr)
    needed = np.interp(RECALL, tpr, rate)
    gained = prevalence * found * np.exp(SPREAD**2 / 2)
    return {
        "roc_auc": area,
        "average_precision": ap,
        "partial_auc": 0.5 * (1 + (specificity - 0.1) / (1 - 0.1)),
        "rate_weighted_auc": (hits - fewest) / (most - fewest),
        "recall_at_rate": found,
        "recall_at_fpr": np.interp(FPR, fpr, tpr),
        "precision_at_recall": prevalence * RECALL / needed,
        "work_saved": RECALL - needed,
        "momentum": (ap - prevalence) / (1 - prevalence) / (2 * area - 1),
        "expected_gain": gained - (1 - prevalence) * alarms * LOSS,
    }


def correlated(n, size, icc, rng):
    """Standard normal numbers that share a part within clusters of a size."""
    own = rng.normal(size=n)
    shared = own if size == 1 else np.repeat(rng.normal(size=-(-n // size)), size)[:n]
    return own if size == 1 else np.sqrt(icc) * shared + np.sqrt(1 - icc) * own


def draw(cell, rng, levels, n=None):
    """Labels, scores and truth of a model for each AUC, clusters or None, and gains."""
    name, (n_pos, prevalence, _, rho, size) = cell
    n = n or round(n_pos / prevalence)
    y = np.zeros(n, bool)
    while min(y.sum(), n - y.sum()) < 2:  # labels of two cases of each class
        y = correlated(n, size, LABEL_ICC, rng) < special.ndtri(prevalence)
    common, scores = correlated(n, size, SCORE_ICC, rng), []
    shifts = [shift_for(name, level) for level in levels]
    for shift in shifts:
        z = np.sqrt(rho) * common + np.sqrt(1 - rho) * correlated(
            n, size, SCORE_ICC, rng
        )
        moves = np.where(y, *outlier_shifts(name, shift)[::-1])
        x = (
            SCALES.get(name, NORMAL)[0](z)
            + shift * y
            + moves * (rng.random(n) < OUTLIERS)
        )
        scores.append(np.searchsorted(cuts(name, shift), x) if "grades" in name else x)
    gain = np.where(y, rng.lognormal(0, SPREAD, n), -LOSS * rng.exponential(size=n))
    clusters = None if size == 1 else np.arange(n) // size
    return y, scores, [truth(name, s, prevalence) for s in shifts], clusters, gain


# Judges: whether the result is as the cell asks for, and the width of its interval.
def covers(result, value):
    low, high = result.confidence_interval
    return low - 1e-9 <= value <= high + 1e-9, high - low


def above(result, value):
    return result.confidence_interval[0] > value + 1e-9, np.nan


def rejects(result, _):
    return result.pvalue < 0.05, np.nan


class Tally(dict):
    """What is found of each (kind, metric): rows of (hit, width, warned) and more."""

    def __call__(self, kind, metric, value, judge, function, *args, **options):
        found = self.setdefault(
            (kind, metric), {"truth": value, "error": "", "rows": []}
        )
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                outcome = *judge(function(*args, **options), value), bool(warned)
            except (ValueError, ArithmeticError) as error:  # counts as a warning
                outcome, found["error"] = (False, np.nan, True), repr(error)[:90]
        found["rows"].append(outcome)


# Simulations of one replicate: each adds what it finds to the tally.
def run_estimate(add, rng, cell, turn):
    y, (s,), (true,), clusters, gain = draw(cell, rng, [cell[1][2]])
    for metric, options in METRICS.items():
        value, options = true[metric], {**options, "clusters": clusters}
        if metric == "expected_gain":
            options, value = {**options, "gain": gain}, value * len(y)
        add("coverage", metric, value, covers, estimate, metric, y, s, **options)
        if turn % 2 == 0:
            options["alternative"] = "greater"
            add("one-sided", metric, value, above, estimate, metric, y, s, **options)


def run_compare(add, rng, cell, turn):
    level = cell[1][2]
    y, (s, equal, low), true, clusters, _ = draw(
        cell, rng, [level, level, 0.7 * level + 0.15]
    )
    for metric in COMPARED:
        options = {**METRICS[metric], "clusters": clusters}
        add("equal", metric, 0, rejects, compare, metric, y, s, equal, **options)
        if turn % 2 == 0:
            value = true[0][metric] - true[2][metric]
            add(
                "difference",
                metric,
                value,
                covers,
                compare,
                metric,
                y,
                s,
                low,
                **options,
            )


def run_margin(add, rng, cell, turn):
    y, (low, s), true, clusters, _ = draw(
        cell, rng, [0.85 * cell[1][2] + 0.075, cell[1][2]]
    )
    for metric in ("roc_auc", "average_precision", "partial_auc", "recall_at_rate"):
        margin, options = true[1][metric] - true[0][metric], METRICS[metric]
        add(
            "margin",
            metric,
            margin,
            rejects,
            compare,
            metric,
            y,
            low,
            s,
            margin=margin,
            alternative="greater",
            clusters=clusters,
            **options,
        )


def run_select(add, rng, cell, turn):
    levels = [cell[1][2]] * 3 + [0.8 * cell[1][2] + 0.1]
    y, scores, true, clusters, _ = draw(cell, rng, levels)
    margin = true[0]["roc_auc"] - true[3]["roc_auc"]
    options = {"clusters": clusters, "n_resamples": 300, "random_state": 0}
    equal, mixed = (dict(zip("abc", s, strict=True)) for s in (scores[:3], scores[1:]))
    add(
        "in set",
        "roc_auc",
        np.nan,
        lambda r, _: ("a" in list(r.set), np.nan),
        select_best,
        "roc_auc",
        y,
        equal,
        **options,
    )
    add(
        "false equivalence",
        "roc_auc",
        margin,
        lambda r, _: ("c" in list(r.equivalent), np.nan),
        select_best,
        "roc_auc",
        y,
        mixed,
        margin=margin,
        **options,
    )


def run_labels(add, rng, cell, turn):
    y, (s,), (true,), clusters, _ = draw(cell, rng, [cell[1][2]])
    n, value = len(y), true["roc_auc"]
    seen = np.where(rng.random(n) < np.where(y, 0.9, 0.05), 1, 0)
    share = np.where(s > np.quantile(s, 0.7), 0.8, 0.3)  # two phases, by the score
    drawn = rng.random(n) < share
    event = np.where(y, rng.random(n), 1 + rng.exponential(size=n))
    lost = 2 * rng.random(n)
    estimated = {
        "noisy": lambda: labels.noisy(seen, 0.9, 0.95),
        "censored": lambda: labels.censored(
            np.minimum(event, lost), event <= lost, 1.0
        ),
        "sampled": lambda: labels.sampled(np.where(drawn, y, np.nan), share),
    }
    for kind, make in estimated.items():
        add(
            kind,
            "roc_auc",
            value,
            covers,
            lambda made=make: estimate("roc_auc", made(), s, clusters=clusters),
        )
    kept = None if clusters is None else clusters[drawn]
    add(
        "weights",
        "roc_auc",
        value,
        covers,
        estimate,
        "roc_auc",
        y[drawn],
        s[drawn],
        sample_weight=1 / share[drawn],
        weights="sampling",
        clusters=kept,
    )


def run_lists(add, rng, cell, turn):
    cell, lists = (cell[0], (*cell[1][:4], 1)), {"groups": np.arange(600) // 20}
    y, (s, t), (true, _), _, _ = draw(cell, rng, [cell[1][2]] * 2, n=600)
    add(
        "coverage",
        "ranking_auc",
        true["roc_auc"],
        covers,
        estimate,
        "ranking_auc",
        y,
        s,
        **lists,
    )
    add("equal", "ranking_auc", 0, rejects, compare, "ranking_auc", y, s, t, **lists)


@lru_cache(None)
def planned_size(cell, half_width):
    """The size that a plan from a very large pilot has."""
    y, (s,), _, clusters, _ = draw(
        cell, np.random.default_rng(GRID.index(cell)), [cell[1][2]], n=60000
    )
    return sample_size("roc_auc", y, s, half_width=half_width, clusters=clusters).n


@lru_cache(None)
def planned_test(cell):
    """The plan of a test, from a very large pilot."""
    rng = np.random.default_rng(GRID.index(cell))
    y, (s,), (true,), clusters, _ = draw(cell, rng, [cell[1][2]], n=60000)
    goal = {"null_value": true["roc_auc"] - 0.05, "difference": 0.05}
    return sample_size(
        "roc_auc", y, s, clusters=clusters, alternative="greater", **goal
    )


def run_size(add, rng, cell, turn):
    half_width = 0.06
    size = planned_size(cell, half_width)
    plan = planned_test(cell)
    y, (s,), _, clusters, _ = draw(cell, rng, [cell[1][2]], n=plan.n)
    add(
        "planned power",
        "roc_auc",
        0.8,
        rejects,
        estimate,
        "roc_auc",
        y,
        s,
        clusters=clusters,
        null_value=plan.null_value,
        alternative="greater",
    )
    y, (s,), _, clusters, _ = draw(cell, rng, [cell[1][2]], n=size)
    add(
        "planned interval",
        "roc_auc",
        2 * half_width,  # its width over the planned one
        lambda r, width: (True, np.diff(r.confidence_interval)[0] / width),
        estimate,
        "roc_auc",
        y,
        s,
        clusters=clusters,
    )


FUNCTIONS = {
    "estimate": run_estimate,
    "compare": run_compare,
    "margin": run_margin,
    "select_best": run_select,
    "sample_size": run_size,
    "labels": run_labels,
    "lists": run_lists,
}
RULES = dict.fromkeys(["one-sided", "equal", "margin"], (0.02, 0.08))
RULES |= {
    "false equivalence": (0, 0.08),
    "in set": (0.9, 1),
    "planned interval": (1, 1),
    "planned power": (0.72, 0.88),
}


def run_cell(task):
    """A row for each kind of result and metric of a cell."""
    function, index, replicates, seed = task
    tally, (name, setting) = Tally(), GRID[index]
    rng = np.random.default_rng([seed, list(FUNCTIONS).index(function), index])
    for turn in range(replicates):
        FUNCTIONS[function](tally, rng, GRID[index], turn)
    rows = []
    for (kind, metric), found in tally.items():
        hit, width, warned = np.array(found["rows"], float).T
        low, high = RULES.get(kind, (0.9, 0.985))
        silent = hit[warned == 0].mean() if np.sum(warned == 0) >= 50 else np.nan
        rows.append(
            {
                "function": function,
                "kind": kind,
                "metric": metric,
                "cell": index,
                "distribution": name,
                **dict(zip(COLUMNS, setting, strict=True)),
                "truth": found["truth"],
                "replicates": len(hit),
                "silent": int(np.sum(warned == 0)),
                "share_all": hit.mean(),
                "share_silent": silent,
                "warned": warned.mean(),
                "width": np.nan if np.isnan(width).all() else np.nanmean(width),
                "keeps": "" if np.isnan(silent) else int(low <= silent <= high),
                "error": found["error"],
            }
        )
    return rows


def check_truth(cells):
    """Print where a sample of a million cases is at odds with the computed truth."""
    for index, (name, setting) in enumerate(GRID[:cells]):
        cell = name, (*setting[:4], 1)
        y, (s,), (true,), _, gain = draw(
            cell, np.random.default_rng(9), [setting[2]], n=10**6
        )
        for metric, value in true.items():
            gains = {"gain": gain / len(y)} if metric == "expected_gain" else {}
            found = estimate(metric, y, s, **METRICS[metric], **gains)
            if not abs(found.value - value) < 4.5 * found.standard_error + 1e-6 * abs(
                value
            ):
                print(f"truth? {index} {cell} {metric}: {value:.5g}, sample {found}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--functions", default=",".join(FUNCTIONS))
    for option, default in (
        ("replicates", 500),
        ("cells", 24),
        ("seed", 0),
        ("processes", 1),
    ):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--output", default="inference_levels.csv")
    parser.add_argument("--check-truth", action="store_true")
    args = parser.parse_args()
    print(f"skrate {skrate.__version__}")
    if args.check_truth:
        check_truth(args.cells)
    tasks = [
        (function, index, args.replicates, args.seed)
        for function in args.functions.split(",")
        for index in range(args.cells)
    ]
    with ProcessPoolExecutor(args.processes) as pool:
        rows = [row for done in pool.map(run_cell, tasks) for row in done]
    with open(args.output, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        if row["keeps"] == 0 or row["error"]:
            text = (
                "{function:11} {kind:17} {metric:19} {distribution:22} pos {n_pos:3} of"
                " share {prevalence} auc {auc} cluster {cluster}: silent"
                " {share_silent:.3f}, all {share_all:.3f}, warned {warned:.2f} {error}"
            )
            print(text.format(**row))
    for function in args.functions.split(","):
        judged = [
            row for row in rows if row["function"] == function and row["keeps"] != ""
        ]
        kept, warned = (sum(row[key] for row in judged) for key in ("keeps", "warned"))
        share = warned / max(1, len(judged))
        print(f"{function}: {kept} of {len(judged)} cells keep it; warned {share:.3f}")


if __name__ == "__main__":
    main()
