"""Compare the results of two installed versions of skrate, call by call.

    python benchmarks/compare_versions.py OLD_PYTHON NEW_PYTHON [--samples 12]

OLD_PYTHON and NEW_PYTHON are the interpreters of two environments, each with its own
skrate and the same versions of NumPy, SciPy and scikit-learn. Both make the same calls
of the public functions on random samples (ties, weights, clusters, folds, lists,
estimated labels), and every number of every result is compared. A number differs if the
relative difference is above 1e-12 and the absolute one above 1e-14.

The exit status is 1 if a number differs, if a call fails in one version only, or if the
type of an error or warning differs. ``--allow REGEX`` lists calls that are expected to
differ; they are counted apart.
"""

import argparse
import collections
import dataclasses
import inspect
import json
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

RELATIVE, ABSOLUTE = 1e-12, 1e-14
METRICS = {
    "roc_auc": {},
    "average_precision": {},
    "average_precision_adjusted": {"adjusted": True},
    "average_precision_prevalence": {"prevalence": 0.1},
    "rate_weighted_auc": {"rate": "beta"},
    "expected_recall": {"rate": "beta"},
    "recall_at_rate": {"rate": 0.2},
    "recall_at_rate_k": {"k": 7},
    "precision_at_rate": {"rate": 0.2},
    "lift_at_rate": {"rate": 0.2},
    "partial_auc": {"fpr": (0, 0.3)},
    "partial_auc_tpr": {"tpr": (0.5, 1)},
    "rate_at_recall": {"recall": 0.8},
    "fpr_at_recall": {"recall": 0.8},
    "precision_at_recall": {"recall": 0.8},
    "recall_at_fpr": {"fpr": 0.2},
    "recall_at_precision": {"precision": 0.5},
    "work_saved": {"recall": 0.8},
    "expected_gain": {"gain": "gain", "rate": "beta"},
}
LIST_METRICS = {
    "ranking_auc": {},
    "mean_average_precision": {},
    "ndcg": {},
    "ndcg_k": {"k": 5},
    "reciprocal_rank": {},
    "precision_at_rate_k": {"k": 3},
    "recall_at_rate_k": {"k": 3},
}
SUFFIX = re.compile(r"_(adjusted|prevalence|k|tpr)$")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--samples", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--allow", action="append", default=[], metavar="REGEX")
    parser.add_argument("--record", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record:
        record(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("old", "new")]
        runs = [
            subprocess.Popen(
                [python, "-P", Path(__file__).resolve(), "-", "--record", path,
                 "--samples", str(options.samples), "--seed", str(options.seed)],
                cwd=folder,
            )
            for python, path in zip((options.old, options.new), paths, strict=True)
        ]  # fmt: skip
        statuses = [run.wait() for run in runs]
        if any(statuses):
            sys.exit("A version could not make the calls.")
        old, new = (json.loads(path.read_text()) for path in paths)
    sys.exit(report(old, new, options.allow))


def report(old, new, allowed):
    """Print the differences by function, and return the exit status."""
    differences, expected, n_numbers = collections.defaultdict(list), 0, 0
    for name in old.keys() | new.keys():
        if name not in old or name not in new:
            found = [f"only made by the {'old' if name in old else 'new'} version"]
        else:
            found, n_compared = compare_results(old[name], new[name])
            n_numbers += n_compared
        if found and any(re.search(pattern, name) for pattern in allowed):
            expected += 1
        elif found:
            differences[name.split("/")[0]].append(f"{name}: {'; '.join(found[:3])}")
    made = collections.Counter(name.split("/")[0] for name in old)
    raised = sum("error" in result for result in old.values())
    for function in sorted(differences):
        for line in sorted(differences[function])[:5]:
            print(line)
    n_different = sum(map(len, differences.values()))
    print(
        f"{len(old):,} calls of {len(made)} functions ({raised:,} raise an error), "
        f"{n_numbers:,} numbers: {n_different:,} calls differ, {expected:,} more "
        "differ as expected."
    )
    return int(n_different > 0)


def compare_results(old, new):
    """Return the differences of two results, and how many numbers were compared."""
    n_compared = 0
    kinds = [key for key in ("error", "warnings") if old.get(key) != new.get(key)]
    found = [f"{key} {old.get(key)} -> {new.get(key)}" for key in kinds]
    for path in old["numbers"].keys() & new["numbers"].keys():
        a, b = (np.array(one["numbers"][path], dtype=float) for one in (old, new))
        if a.shape != b.shape:
            found.append(f"{path}: shape {a.shape} -> {b.shape}")
            continue
        n_compared += a.size
        is_close = np.isclose(b, a, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True)
        if not is_close.all():
            at = np.unravel_index(np.argmin(is_close), is_close.shape)
            found.append(f"{path}: {a[at]!r} -> {b[at]!r}")
    if "error" not in old and "error" not in new:
        missing = old["numbers"].keys() - new["numbers"].keys()
        if missing:
            found.append(f"no longer there: {', '.join(sorted(missing)[:4])}")
    return found, n_compared


def record(options):
    """Make all calls in this interpreter, and write what they return."""
    import skrate

    results = {}
    for number in range(options.samples):
        rng = np.random.default_rng([options.seed, number])
        sample = draw_sample(rng)
        for name, call in calls(skrate, sample, number):
            results[f"{name}/{number}"] = outcome(call)
    Path(options.record).write_text(json.dumps(results))


def outcome(call):
    """Return the numbers that a call returns, its error, and its warnings."""
    result = {"numbers": {}}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            collect_numbers(call(), "", result["numbers"])
        except Exception as error:
            result["error"] = type(error).__name__
    result["warnings"] = sorted({each.category.__name__ for each in caught})
    return result


def collect_numbers(value, path, numbers):
    """Add the numbers of a result to ``numbers``, by their path in it."""
    if isinstance(value, str | bytes | type(None)):
        return
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elif dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        value = {name: getattr(value, name) for name in names if name[0] != "_"}
    if isinstance(value, Mapping):
        for name, each in value.items():
            collect_numbers(each, f"{path}.{name}", numbers)
        return
    try:
        numbers[path or "."] = np.asarray(value, dtype=float).tolist()
    except (TypeError, ValueError):
        if isinstance(value, list | tuple):
            for number, each in enumerate(value):
                collect_numbers(each, f"{path}[{number}]", numbers)


@dataclasses.dataclass
class Sample:
    """Labels, scores of three models, and columns that describe the samples."""

    y: np.ndarray
    scores: dict
    weights: np.ndarray
    clusters: np.ndarray
    folds: np.ndarray
    lists: np.ndarray
    grades: np.ndarray


def draw_sample(rng):
    """Draw one sample, with or without ties, heavy tails and rare positives."""
    n = int(rng.choice([12, 40, 120, 400], p=[0.15, 0.3, 0.35, 0.2]))
    y = (rng.random(n) < rng.choice([0.05, 0.2, 0.5, 0.8])).astype(int)
    y[:2] = 0, 1
    latent = rng.normal(size=n) + rng.choice([0.0, 1.0, 2.0]) * y
    if rng.random() < 0.2:
        latent = latent**3
    scores = {}
    for name in ("a", "b", "c"):
        score = latent + rng.normal(size=n)
        if rng.random() < 0.4:
            score = np.round(score * rng.choice([1, 3]))
        scores[name] = score
    return Sample(
        y=y,
        scores=scores,
        weights=rng.choice([1.0, 2.0, 3.0], size=n)
        if rng.random() < 0.5
        else rng.gamma(2.0, size=n),
        clusters=rng.integers(0, max(n // 4, 4), n),
        folds=rng.permutation(np.arange(n) % 3),
        lists=rng.integers(0, max(n // 8, 3), n),
        grades=rng.integers(0, 4, n) * y,
    )


def calls(skrate, sample, number):
    """Return the calls made on a sample, by name."""
    y, a, rng = sample.y, sample.scores["a"], np.random.default_rng(number)
    distributions = rate_distributions(skrate, rng)
    drawn = {"beta": distributions["beta"], "gain": rng.gamma(2.0, size=len(y))}
    folds = {
        name: skrate.FoldRankings(y, score, sample.folds)
        for name, score in sample.scores.items()
    }
    metrics = {
        name: {
            key: drawn.get(value, value) if isinstance(value, str) else value
            for key, value in params.items()
        }
        for name, params in METRICS.items()
    }
    made = {}
    for name, params in metrics.items():
        add_metric_calls(made, skrate, sample, folds, name, params, number)
    for name, params in LIST_METRICS.items():
        add_list_calls(made, skrate, sample, name, params)
    for name, rate in distributions.items():
        made[f"rate_weighted_auc_score/{name}"] = partial(
            skrate.rate_weighted_auc_score, y, a, rate=rate
        )
        made[f"rates/{name}"] = partial(describe_rate, rate)
        made[f"convert_rauc/{name}"] = partial(
            skrate.convert_rauc, 0.7, to="expected_recall", rate=rate, prevalence=0.2
        )
        for of in ("positives", "negatives"):
            made[f"expected_recall/{name}/{of}"] = partial(
                expected_recall, skrate, y, a, rate=rate, of=of
            )
    add_curve_calls(made, skrate, sample, folds)
    add_label_calls(made, skrate, sample)
    if number % 10 == 0:
        add_model_calls(made, skrate, rng)
    return made.items()


def add_metric_calls(made, skrate, sample, folds, name, params, number):
    """Add calls of a metric, and of inference about it."""
    y, w, scores = sample.y, sample.weights, sample.scores
    a, b = scores["a"], scores["b"]
    metric = SUFFIX.sub("", name)
    if metric == "average_precision":
        params = {**params, **empirical_tail(skrate)}
    if metric not in ("roc_auc", "expected_recall"):
        score = getattr(skrate, f"{metric}_score")
        made[f"{metric}_score/{name}"] = partial(score, y, a, **params)
        weighted = {**params, "sample_weight": w}
        made[f"{metric}_score/{name}/weights"] = partial(score, y, a, **weighted)
    given = {
        "": {},
        "clusters": {"clusters": sample.clusters},
        "weights": {"sample_weight": w, "weights": "sampling"},
        "one-sided": {"alternative": "greater"},
        "stratify": {"stratify": True},
        "bootstrap": {"method": "bootstrap", "n_resamples": 50, "random_state": 0},
        "wald": {"interval": "wald"},
    }
    for key, options in given.items():
        null = {"null_value": 0.6} if key == "one-sided" else {}
        made[f"estimate/{name}/{key}"] = partial(
            skrate.estimate, metric, y, a, **params, **options, **null
        )
        made[f"compare/{name}/{key}"] = partial(
            skrate.compare, metric, y, a, b, **params, **options
        )
    made[f"estimate/{name}/folds"] = partial(
        skrate.estimate, metric, folds["a"], **params
    )
    made[f"compare/{name}/folds"] = partial(
        skrate.compare, metric, folds["a"], folds["b"], **params
    )
    made[f"compare/{name}/several"] = partial(
        skrate.compare, metric, y, scores, **params
    )
    table = skrate.RankTable.from_arrays(y, a)
    made[f"estimate/{name}/table"] = partial(skrate.estimate, metric, table, **params)
    if number % 3 == 0 and name != "recall_at_rate_k":
        made[f"select_best/{name}"] = partial(
            skrate.select_best,
            metric,
            **params,
            **of_models(skrate.select_best, y, scores),
            n_resamples=50,
            random_state=0,
        )
        made[f"sample_size/{name}"] = partial(
            skrate.sample_size, metric, y, a, **params, half_width=0.1
        )
        made[f"sample_size/{name}/difference"] = partial(
            skrate.sample_size, metric, y, a, b, **params, difference=0.1
        )


def of_models(function, y_true, scores):
    """Return the arguments of several models, named ``models`` before version 0.1."""
    is_old = "models" in inspect.signature(function).parameters
    return {"y_true": y_true, "models" if is_old else "y_score": scores}


def add_list_calls(made, skrate, sample, name, params):
    """Add calls of a metric that is a mean over lists."""
    metric = SUFFIX.sub("", name)
    score = getattr(skrate, f"{metric}_score")
    y, scores, grades = sample.y, sample.scores, sample.grades
    a, b = scores["a"], scores["b"]
    params = {**params, "groups": sample.lists}
    made[f"{metric}_score/lists/{name}"] = partial(score, y, a, **params)
    made[f"estimate/lists/{name}"] = partial(skrate.estimate, metric, y, a, **params)
    made[f"compare/lists/{name}"] = partial(skrate.compare, metric, y, a, b, **params)
    made[f"compare/lists/{name}/several"] = partial(
        skrate.compare, metric, y, scores, **params
    )
    made[f"compare/lists/{name}/permutation"] = partial(
        skrate.compare,
        metric,
        y,
        a,
        b,
        **params,
        method="permutation",
        n_resamples=50,
        random_state=0,
    )
    clusters = {**params, "clusters": sample.lists // 2}
    made[f"estimate/lists/{name}/clusters"] = partial(
        skrate.estimate, metric, y, a, **clusters
    )
    if metric not in ("precision_at_rate", "recall_at_rate"):
        sized = {**params, "average": "size"}
        made[f"{metric}_score/lists/{name}/size"] = partial(score, y, a, **sized)
    if name.startswith("ndcg"):
        graded = {**params, "gain": "exponential"}
        made[f"ndcg_score/lists/{name}/grades"] = partial(score, grades, a, **graded)

    def values(**options):
        return skrate.group_scores(metric, y, a, **options).values

    made[f"group_scores/{name}"] = partial(values, **params)


def add_curve_calls(made, skrate, sample, folds):
    """Add calls of curves, reports, subgroups, certificates and moments."""
    y, w = sample.y, sample.weights
    a, b = sample.scores["a"], sample.scores["b"]
    drawn = {"n_resamples": 100, "random_state": 0}
    clusters = {"clusters": sample.clusters}
    for name, options in {"": {}, "weights": {"sample_weight": w}}.items():
        made[f"hit_curve/{name}"] = partial(skrate.hit_curve, y, a, **options)
    for name, options in {"": {}, "clusters": clusters}.items():
        for metric in ("recall", "precision"):
            made[f"compare_curves/{metric}/{name}"] = partial(
                skrate.compare_curves, y, a, b, metric=metric, **drawn, **options
            )
        made[f"budget_report/{name}"] = partial(
            skrate.budget_report, y, a, rate=0.2, n_items=500, **options
        )
        made[f"subgroup_scores/{name}"] = partial(
            skrate.subgroup_scores,
            "recall",
            y,
            a,
            by=sample.lists % 3,
            rate=0.3,
            **options,
        )
        made[f"curve_band/{name}"] = partial(
            skrate.curve_band, y, a, **drawn, **options
        )
    made["budget_report/models"] = partial(
        skrate.budget_report,
        **of_models(skrate.budget_report, y, sample.scores),
        rate=0.2,
        reference="a",
    )
    made["budget_report/folds"] = partial(skrate.budget_report, folds["a"], rate=0.2)
    parts = [np.flatnonzero(sample.folds == fold) for fold in range(3)]
    for bounds in ("exact", "bootstrap"):
        made[f"rate_averaged_roc_curve/{bounds}"] = partial(
            skrate.rate_averaged_roc_curve,
            [y[part] for part in parts],
            [a[part] for part in parts],
            bounds=bounds,
            rates=np.linspace(0, 1, 21),
            **drawn,
        )
    made["QuasiConcaveHitCurve"] = lambda: skrate.QuasiConcaveHitCurve(
        0.9, 0.6, 0.2
    ).hits(np.linspace(0, 1, 9))
    n_pos, n_neg = int(y.sum()), int((1 - y).sum())
    errors = min(n_pos, n_neg, 3)
    moments = skrate.error_rate.auc_moments
    made["auc_moments"] = partial(moments, n_pos, n_neg, errors)
    ranges = skrate.error_rate.auc_range_from_errors
    made["auc_range_from_errors"] = partial(ranges, n_pos, n_neg, errors)
    certificate = skrate.review.recall_certificate
    made["recall_certificate"] = partial(certificate, n_pos, 10 * n_neg, n_neg, 1)
    plan = skrate.review.certificate_sample_size
    made["certificate_sample_size"] = partial(plan, n_pos + 40, 10 * n_neg)
    values = np.random.default_rng(n_pos).normal(0.8, 0.05, (2, 5))
    made["compare_folds"] = partial(
        skrate.compare_folds, *tuple(values), n_train=4, n_test=1
    )


def add_label_calls(made, skrate, sample):
    """Add calls with estimated labels of each kind."""
    y, a, b = sample.y, sample.scores["a"], sample.scores["b"]
    rng, labels = np.random.default_rng(len(y)), skrate.labels
    is_known = rng.random(len(y)) < 0.7
    guess = np.clip(0.5 * y + 0.5 * rng.random(len(y)), 0.01, 0.99)
    sources = {
        "sampled": lambda: labels.sampled(np.where(is_known, y, np.nan), 0.7),
        "prediction": lambda: labels.sampled(
            np.where(is_known, y, np.nan), 0.7, prediction=guess
        ),
        "predicted": lambda: labels.predicted(guess),
        "noisy": lambda: labels.noisy(y, 0.9, 0.95, validation=(50, 50)),
        "censored": lambda: labels.censored(rng.exponential(size=len(y)), y, 0.5),
    }
    metrics = {
        "roc_auc": {}, "average_precision": {}, "recall_at_rate": {"rate": 0.2},
    }  # fmt: skip
    for source, make in sources.items():
        for metric, params in metrics.items():
            made[f"labels/{source}/estimate/{metric}"] = partial(
                lambda m, make=make, **kw: skrate.estimate(m, make(), a, **kw),
                metric,
                **params,
            )
            made[f"labels/{source}/compare/{metric}"] = partial(
                lambda m, make=make, **kw: skrate.compare(m, make(), a, b, **kw),
                metric,
                **params,
            )
    made["labels/plan_labels"] = partial(
        labels.plan_labels,
        {"a": a, "b": b},
        10,
        metric="recall_at_rate",
        rate=0.2,
        compare=("a", "b"),
        probability=guess,
        random_state=0,
    )


def add_model_calls(made, skrate, rng):
    """Add calls that train models."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, cross_validate

    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0.8).astype(int)
    model = LogisticRegression()
    scorers = {
        "rauc": skrate.RateWeightedAUCScorer(rate=skrate.rates.beta(2, 8)),
        "ap": skrate.AveragePrecisionScorer(),
        "ranking": skrate.make_ranking_scorer("recall_at_rate", rate=0.2),
    }
    for name, scorer in scorers.items():
        made[f"scorers/{name}"] = partial(
            lambda s: cross_validate(model, X, y, scoring=s)["test_score"], scorer
        )
    made["cross_val_rankings"] = lambda: skrate.estimate(
        "roc_auc", skrate.cross_val_rankings(model, X, y)
    )

    def search():
        grid = {"C": [0.01, 1.0]}
        fitted = GridSearchCV(model, grid, refit=skrate.refit_best()).fit(X, y)
        rankings = skrate.search_rankings(fitted, X, y)
        return skrate.compare("roc_auc", dict(rankings)), fitted.best_index_

    made["search_rankings"] = search
    for name, limit in {"rate": {"rate": 0.2}, "recall": {"recall": 0.8}}.items():

        def threshold(limit=limit):
            found = skrate.ConstrainedThresholdClassifier(
                model, confidence=0.9, random_state=0, **limit
            ).fit(X, y)
            return found.threshold_, found.expected_rate_, found.predict(X)

        made[f"ConstrainedThresholdClassifier/{name}"] = threshold

    def boost():
        boosted = skrate.RankBoostClassifier(n_estimators=10, random_state=0)
        return boosted.fit(X, y).decision_function(X)

    made["RankBoostClassifier"] = boost
    monitor = skrate.eval_metric("recall_at_rate", library="lightgbm", rate=0.2)
    made["eval_metric"] = lambda: monitor(y, X[:, 0])[1]


def empirical_tail(skrate):
    """Return the option of an early version that takes the article's formula."""
    names = inspect.signature(skrate.average_precision_score).parameters
    return {"tail": "empirical"} if "tail" in names else {}


def expected_recall(skrate, y_true, y_score, *, rate, of):
    """Return the expected recall, whatever its function is called."""
    if hasattr(skrate, "expected_recall_score"):
        found = skrate.expected_recall_score(y_true, y_score, rate=rate, of=of)
        return found if of == "positives" else 1 - found
    return skrate.recall_at_rate_score(y_true, y_score, rate=rate, of=of)


def describe_rate(rate):
    """Return what a distribution says of itself."""
    grid = np.linspace(0, 1, 11)
    return rate.mean(), rate.survival(grid), rate.limited_mean(grid), rate.ppf(grid)


def rate_distributions(skrate, rng):
    """Return a distribution of each kind."""
    rates = skrate.rates
    low, high = np.sort(rng.uniform(0.05, 0.6, 2)).tolist()
    return {
        "uniform": rates.uniform(),
        "beta": rates.beta(*rng.uniform(0.5, 8, 2).tolist()),
        "fixed": rates.fixed(low),
        "interval": rates.interval(low, high),
        "empirical": rates.empirical(rng.random(6)),
        "exponential": rates.exponential(20.0),
        "from_quantiles": rates.from_quantiles({0.05: low, 0.95: high}),
        "from_counts": rates.from_counts(20, 60, 400),
        "from_budget": rates.from_budget((1000, 1500), 400, (6, 20)),
        "log_discount": rates.log_discount(50),
        "mixture": rates.mixture([rates.beta(2, 9), rates.fixed(high)], [0.3, 0.7]),
    }


if __name__ == "__main__":
    main()
