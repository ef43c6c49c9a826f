"""Every job beside its peers and its target, on the same data in the same run.

    python benchmarks/ratios.py [pattern ...] [--short] [--markdown]

A pattern selects the jobs whose name contains it. ``--short`` runs each once, at a
small size, to see that it works. ``--markdown`` prints a page, with the machine and the
versions. A job is a row, one `Job` of `jobs`.

A ratio says how many times faster than the peer we are, or, where its target is at most
a number ("<="), how many times what the peer takes we take. Without a ratio the target
is for what we take ourselves.
"""

import argparse
import multiprocessing
import operator
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn import ensemble
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits

import common
import skrate
import timing
from common import METRICS, RATE, SIZES, labelled_scores, rauc

COLUMNS = {
    "job": 40, "size": 10, "unit": 10, "ours": 9, "peer": 31, "theirs": 9, "ratio": 7,
    "target": 8, "met": 4,
}  # fmt: skip
CPU = {"cpu ms": ""}
ONE_THREAD = {"units": CPU, "threads": 1}


@dataclass(frozen=True)
class Peer:
    name: str
    # A function of the job's data. A peer that cannot be imported is left out.
    call: Callable[..., Any] | str
    # Of the ratio: ">= 10", at least ten times faster; "<= 3", at most three times.
    target: str = ""
    # The part of the work that the call does, by the size; its time is scaled.
    share: Callable[[int], float] = lambda size: 1
    # A function of the job's data that must return what the call does.
    equals: Callable[..., float] | None = None


@dataclass(frozen=True)
class Job:
    name: str
    sizes: Sequence[int]
    # A function of the size that returns the arguments of all calls. Where it is text,
    # so are the calls: statements, run in fresh processes after this set-up.
    data: Callable[[int], Any] | str
    ours: Callable[..., Any] | str
    peers: Sequence[Peer] = ()
    # What is measured, and targets of our own: "wall ms", "cpu ms" (of all threads),
    # "traced MB" of a call, "process MB" of a process of its own, the "result".
    units: dict[str, str] = field(default_factory=lambda: {"wall ms": ""})
    short: int = 1_000
    threads: int | None = None


def jobs():
    """Yield the rows of the table."""
    at_once = Peer("roc_auc_score", "common.roc_auc_score(*data)", ">= 10")
    for p in (0.5, 0.01):
        data = partial(labelled_scores, prevalence=p)
        peer = Peer("roc_auc_score", roc_auc_score, ">= 10")
        yield Job(f"rAUC, prevalence {p}", SIZES, data, rauc, [peer])
        name, ours = f"rAUC, first call, prevalence {p}", "common.rauc(*data)"
        setup = f"import common; data = common.labelled_scores({{}}, {p})"
        yield Job(name, [1_000_000], setup, ours, [at_once])
    for dtype, target in (("float64", "<= 4"), ("float32", "<=")):
        data = partial(labelled_scores, dtype=dtype)
        peer = Peer("numpy.sort", of(np.sort, 1), target)
        yield Job(f"rAUC of {dtype}", [1_000_000], data, rauc, [peer])
        peer = Peer("copy of the scores", of(np.copy, 1), "<= 5")
        units = {"traced MB": ""}
        yield Job(f"rAUC of {dtype}, memory", SIZES[1:], data, rauc, [peer], units)
    for kind in ("", ", same values"):
        data = partial(single_and_double, rounded=bool(kind))
        peer = Peer("float64", of(rauc, 0, 2), "<= 1")
        yield Job(f"rAUC of float32{kind}", SIZES, data, of(rauc, 0, 1), [peer])
    data = partial(make_classification, random_state=0)
    ours = partial(search, skrate.RateWeightedAUCScorer(rate=RATE))
    peer = Peer('scoring="roc_auc"', partial(search, "roc_auc"), "<= 1")
    yield Job("rAUC in GridSearchCV", [5_000], data, ours, [peer], short=200)
    name, units = "import after sklearn.metrics", {"wall ms": "<= 50"}
    yield Job(name, [0], "import sklearn.metrics", "import skrate", units=units)

    score, peer_score = map(with_options, METRICS["AP"][:2])
    peer = Peer("average_precision_score", peer_score, ">= 10", equals=score)
    sizes = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
    for kind in common.KINDS:
        data = partial(common.sample_of_kind, kind=kind, prevalence=0.1)
        yield Job(f"AP, {kind}", sizes, data, score, [peer])

    for name, metric in METRICS.items():
        alone = Peer("the metric", metric.score, "<= 3")
        title, loop = f"{metric.peer.__name__}, loop", partial(in_loop, metric.peer)
        loop = Peer(title, loop, ">= 50", share=lambda size: 25 / 2_000)
        bootstrap = partial(metric.estimate, method="bootstrap", n_resamples=2_000)
        for p in (0.1, 0.5):
            data = partial(labelled_scores, prevalence=p)
            title = f"bootstrap of {name}, prevalence {p}"
            yield Job(title, [10_000], data, bootstrap, [loop], **ONE_THREAD)
            title = f"delta of {name}, prevalence {p}"
            yield Job(title, [1_000_000], data, metric.estimate, [alone], **ONE_THREAD)
        peer = Peer("the metric of one", of(metric.score, 0, 2), "<= 25")
        title, ours = f"covariance of 20 models, {name}", of(metric.covariance, 0, 1)
        yield Job(title, [100_000], twenty_models, ours, [peer], **ONE_THREAD)

    # For orientation: a bootstrapped band of one curve (2,000 replicates) by pROC (R)
    # needs 1,000 ms at 1,000 cases, and 6,400 at 10,000.
    for bounds, p, targets in (
        ("exact", 0.5, {50: "<= 100", 10_000: "<= 1000"}),
        ("exact", 0.05, {10_000: "<= 1000"}),
        ("parametric", 0.5, {50: "", 10_000: ""}),
        ("bootstrap", 0.5, {50: "<= 500", 1_000: "", 10_000: "<= 15000"}),
        ("bootstrap-adjusted", 0.5, {50: "", 10_000: ""}),
    ):
        data, ours = partial(folds, prevalence=p), partial(consensus, bounds=bounds)
        name = f"curve, {bounds}, prevalence {p}"
        for n_cases, target in targets.items():
            units = {"cpu ms": target, "process MB": "<= 1024"}
            yield Job(name, [n_cases], data, ours, units=units, short=50)
    sorts = [Peer("numpy.argsort", of(np.argsort, 2), "<= 3")]
    sorts += [Peer("numpy.sort", of(np.sort, 2), "<=")]
    yield Job("curve alone", [1_000, 10_000, 100_000], folds, consensus, sorts, CPU)

    ours, catboost = of(list_auc, 0, 1, 2), of(catboost_auc, 3, 4, 5)
    # A list of one class counts 0 for CatBoost.
    by_catboost = partial(ours, undefined=0)
    share = lambda size: min(1, 2_000 / size)  # noqa: E731
    peers = [
        Peer("roc_auc_score, loop", of(list_loop, 3, 4), ">= 300", share),
        Peer("numpy.lexsort", lambda *columns: np.lexsort(columns[1:3]), ">= 2"),
        Peer("CatBoost, lists in order", catboost, ">= 1", equals=by_catboost),
    ]
    for kind in ("no ties", "ties"):
        name, data = f"lists of 20, {kind}", partial(lists_in_both_orders, kind=kind)
        yield Job(name, [100_000], data, ours, peers, short=100)
    name, units = "lists of 20, memory", {"process MB": "<= 3000"}
    yield Job(name, [1_000_000], common.shown_lists, ours, units=units)

    data, model = common.ranked_features, skrate.RankBoostClassifier()
    of_bins = skrate.RankBoostClassifier(max_bins=255)
    boosters = {
        "AdaBoost, stumps": ensemble.AdaBoostClassifier(n_estimators=100),
        "gradient boosting, stumps": ensemble.GradientBoostingClassifier(max_depth=1),
        "hist. gradient boosting, stumps": ensemble.HistGradientBoostingClassifier(
            max_leaf_nodes=2, early_stopping=False
        ),
        "RankBoost, max_bins=255": of_bins,
    }
    fits = [
        Peer(name, booster.fit, ">= 10" if name.startswith("Ada") else "")
        for name, booster in boosters.items()
    ]
    units = {"wall ms": "", "cpu ms": ""}
    yield Job("RankBoost, 100 rounds", [20_000], data, model.fit, fits, units, 200)
    peers = [
        Peer(name, partial(auc_of_new_cases, booster))
        for name, booster in boosters.items()
    ]
    name, ours = "RankBoost, AUC of as many new", partial(auc_of_new_cases, model)
    yield Job(name, [40_000], data, ours, peers, {"result": ""}, short=200)
    sizes, wide = [10_000, 20_000, 40_000], partial(data, n_features=60)
    yield Job("RankBoost, growth, 30 features", sizes, data, model.fit, units=CPU)
    yield Job("RankBoost, growth, 60 features", [20_000], wide, model.fit, units=CPU)
    units = {"wall ms": "<= 60000", "cpu ms": "", "process MB": "<= 2000"}
    yield Job("RankBoost, max_bins=255", [1_000_000], data, of_bins.fit, units=units)
    data, units = error_settings, {"wall ms": "<= 10000"}
    yield Job("auc_moments", [10_000], data, skrate.auc_moments, units=units)


def of(function, *places):
    """Return the function of some of the data."""
    return lambda *data, **options: function(*map(data.__getitem__, places), **options)


def single_and_double(n_cases, rounded):
    """Return scores in both types, those of the wider one rounded like the other's."""
    y_true, y_score = labelled_scores(n_cases)
    single = y_score.astype(np.float32)
    return y_true, single, single.astype(float) if rounded else y_score


def search(scoring, X, y):
    grid = {"C": [0.01, 0.1, 1, 10]}
    GridSearchCV(LogisticRegression(), grid, scoring=scoring, cv=5).fit(X, y)


def with_options(score):
    return lambda y_true, y_score, options: score(y_true, y_score, **options)


def in_loop(metric, y_true, y_score):
    """Score 25 bootstrap samples of the 2,000."""
    rng = np.random.default_rng(0)
    for drawn in rng.integers(len(y_true), size=(25, len(y_true))):
        metric(y_true[drawn], y_score[drawn])


def twenty_models(n_cases):
    """Return labels, the scores of all models, and those of the first."""
    y_true, y_scores = labelled_scores(n_cases, prevalence=0.1, n_models=20)
    return y_true, y_scores, y_scores[:, 0].copy()


def folds(n_cases, prevalence=0.5):
    """Return the labels and scores of ten folds, and the scores in one array."""
    y_trues, y_scores = common.scored_folds(*[n_cases] * 10, prevalence=prevalence)
    return y_trues, y_scores, np.concatenate(y_scores)


def consensus(y_trues, y_scores, all_scores, bounds=None):
    options = {"rates": common.RATES, "bounds": bounds, "random_state": 0}
    skrate.rate_averaged_roc_curve(y_trues, y_scores, **options)


def lists_in_both_orders(n_lists, kind):
    """Return rows in random order, and list by list, by a sort that is not timed."""
    shown = common.shown_lists(n_lists, kind)[:3]
    order = np.argsort(shown[2], kind="stable")
    return *shown, *(column[order] for column in shown)


def list_auc(y_true, y_score, groups, **options):
    return skrate.ranking_auc_score(y_true, y_score, groups=groups, **options)


def list_loop(y_true, y_score):
    """Score the first 2,000 lists of 20."""
    for labels, scores in zip(
        y_true[:40_000].reshape(-1, 20), y_score[:40_000].reshape(-1, 20), strict=True
    ):
        if 0 < labels.mean() < 1:
            roc_auc_score(labels, scores)


def catboost_auc(y_true, y_score, groups):
    from catboost.utils import eval_metric

    return eval_metric(y_true, y_score, "QueryAUC", group_id=groups, thread_count=2)[0]


def auc_of_new_cases(model, X, y):
    half = len(y) // 2
    model.fit(X[:half], y[:half])
    return roc_auc_score(y[half:], model.decision_function(X[half:]))


def error_settings(n_settings):
    return 300, 700, np.arange(n_settings) % 1_001


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("patterns", nargs="*", metavar="pattern", default=[""])
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    if not any(part in job.name for job in jobs() for part in options.patterns):
        parser.error("no job has such a name: " + "; ".join(job.name for job in jobs()))
    if options.markdown:
        print(about_the_machine(), end="\n\n")
    write(dict(zip(COLUMNS, COLUMNS, strict=True)), options.markdown)
    if options.markdown:
        print("|---" * len(COLUMNS) + "|")
    # A process is used once, so that it holds nothing of another job.
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1, maxtasksperchild=None if options.short else 1) as pool:
        for place, job in enumerate(jobs()):
            if any(part in job.name for part in options.patterns):
                for size in [job.short] if options.short else job.sizes:
                    titles = {"job": job.name, "size": f"{size:,}" if size else ""}
                    apart = partial(pool.apply, process_megabytes, (place, size))
                    with threadpool_limits(1 if options.short else job.threads):
                        for row in rows(job, size, apart, is_short=options.short):
                            write(titles | row, options.markdown)


def about_the_machine():
    packages = ("skrate", "numpy", "scipy", "scikit-learn")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"
    return f"{machine}; Python {platform.python_version()}, {versions}."


def rows(job, size, apart, *, is_short):
    """Yield the rows of a job at one size."""
    found, peers = {}, []
    if isinstance(job.ours, str):
        statements = [job.ours, *(peer.call for peer in job.peers)]
        setup, turns = job.data.format(size), 0 if is_short else 7
        found["wall ms"] = timing.fresh_milliseconds(setup, statements, turns)
        peers = job.peers
    elif set(job.units) != {"process MB"}:
        data, start = job.data(size), time.perf_counter()
        found["result"] = [job.ours(*data)]
        for peer in job.peers:
            try:
                result = peer.call(*data)
            except ImportError as error:
                yield {"peer": peer.name, "met": f"skipped: {error}"}
                continue
            if peer.equals:
                np.testing.assert_allclose(result, peer.equals(*data), rtol=1e-9)
            peers.append(peer)
            found["result"].append(result)
        calls = [partial(each, *data) for each in (job.ours, *(p.call for p in peers))]
        if timing.CLOCKS.keys() & job.units.keys():
            budget = 0 if is_short else 4
            least = 3 if time.perf_counter() - start < budget else 1
            found |= timing.milliseconds(calls, budget=budget, least=least)
        if "traced MB" in job.units:
            found["traced MB"] = [*map(timing.traced_megabytes, calls)]
    for unit, target in job.units.items():
        if unit == "process MB":
            before, peak = apart()
            row = judged(unit, peak, target, "before the call")
            yield row | {"theirs": digits(before)}
            continue
        ours, *theirs = found[unit]
        if target or not theirs:
            yield judged(unit, ours, target)
        for peer, value in zip(peers, theirs, strict=True):
            yield judged(unit, ours, peer.target, peer.name, value / peer.share(size))


def process_megabytes(place, size):
    """Return what this process holds before a call of a job and at the most."""
    job = list(jobs())[place]
    data = job.data(size)
    before = timing.process_megabytes()
    with threadpool_limits(job.threads):
        job.ours(*data)
    return before, timing.process_megabytes()


def judged(unit, ours, target, peer="", theirs=None):
    """Return the texts of a row whose target is of the ratio, or else of ours."""
    direction, _, limit = target.partition(" ")
    ratio = None
    if theirs:
        ratio = ours / theirs if direction == "<=" else theirs / ours
    texts = {"unit": unit, "ours": digits(ours), "peer": peer}
    texts |= {"theirs": digits(theirs), "ratio": digits(ratio)}
    if limit:
        holds = {">=": operator.ge, "<=": operator.le}[direction]
        met = holds(ours if ratio is None else ratio, float(limit))
        texts |= {"target": target, "met": "yes" if met else "NO"}
    return texts


def digits(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def write(row, is_markdown):
    texts = [row.get(column, "") for column in COLUMNS]
    if is_markdown:
        line = f"| {' | '.join(texts)} |"
    else:
        widths = zip(texts, COLUMNS.values(), strict=True)
        line = " ".join(f"{text:{width}}" for text, width in widths).rstrip()
    print(line, flush=True)


if __name__ == "__main__":
    main()
