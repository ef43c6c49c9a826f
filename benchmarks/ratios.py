"""Every job beside its peers and its target, on the same data in the same run.

    python benchmarks/ratios.py [pattern ...] [--large] [--short]

A pattern selects the jobs whose name contains it. ``--large`` adds the sizes that take
minutes or more than 8 GB of memory. ``--short`` runs each job once, at a small size, to
check that it works. (The page of the documentation is written by speed.py.)

A `Job` of `jobs` has a row for each peer. A ratio is the peer's time over ours, or, if
its target is at most a number ("<="), our time over the peer's. Without a ratio the
target is for our time. "MB" is the most memory that a call takes beyond its arguments,
where it can be traced.
"""

import argparse
import multiprocessing
from functools import partial

import numpy as np
import scipy.stats
from sklearn import ensemble
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

import common
import peers
import ratio_samples as samples
import ratio_table
import skrate
import timing
from common import METRICS, RATE, SIZES, labelled_scores, rauc
from ratio_samples import of
from ratio_table import CPU, ONE_THREAD, Job, Peer

TENFOLD = 10_000_000
MILLIONS = [1_000_000, TENFOLD]
LARGE = [100_000_000]
TORCH_NAMES = {"AUC": "binary_auroc", "AP": "binary_average_precision"}


def jobs():
    """Yield the jobs of the table."""
    for some in THEMES:
        yield from some()


def metric_jobs():
    """Yield metrics beside scikit-learn's, a sort, and other programs."""
    for name in METRICS:
        for kind in common.KINDS:
            data = partial(common.sample_of_kind, kind=kind, prevalence=0.1)
            score = peers.with_options(METRICS[name].score)
            beside, sizes, large = list(metric_peers(name, kind)), SIZES, ()
            if kind == "no ties":
                sizes, large = [*SIZES, TENFOLD], LARGE
            yield Job(f"{name}, {kind}", sizes, data, score, beside, large=large)
    for p in (0.5, 0.01):
        data = partial(labelled_scores, prevalence=p)
        peer = Peer("roc_auc_score", roc_auc_score, ">= 15")
        yield Job(f"rAUC, prevalence {p}", [1_000_000], data, rauc, [peer])
    setup = "import common; data = common.labelled_scores({}, 0.01)"
    peer = Peer("roc_auc_score", "common.roc_auc_score(*data)", ">= 10")
    yield Job("rAUC, first call", [1_000_000], setup, "common.rauc(*data)", [peer])
    for dtype in ("float64", "float32"):
        data = partial(labelled_scores, dtype=dtype)
        peer = Peer("copy of the scores", of(np.copy, 1), "<= 5")
        units = {"traced MB": ""}
        yield Job(f"rAUC of {dtype}, memory", SIZES[1:], data, rauc, [peer], units)
    for kind in ("", ", same values"):
        data = partial(samples.single_and_double, rounded=bool(kind))
        beside = [Peer("float64", of(rauc, 0, 2), "<= 1")]
        beside += [Peer("numpy.sort of float32", of(np.sort, 1), "<=")]
        yield Job(f"rAUC of float32{kind}", SIZES, data, of(rauc, 0, 1), beside)
    for name, metric in METRICS.items():
        peer = Peer("a tenth of the cases", of(metric.score, 2, 3), "<= 13")
        data, ours = samples.all_and_a_tenth, of(metric.score, 0, 1)
        yield Job(f"growth of {name}", [TENFOLD], data, ours, [peer], large=LARGE)
    yield from gain_jobs()
    yield from partial_area_jobs()
    yield from class_jobs()
    yield from virtual_screening_jobs()
    yield from fixed_recall_jobs()
    name, units = "import after sklearn.metrics", {"wall ms": "<= 50"}
    statements = "import sklearn.metrics", "import skrate"
    yield Job(name, [0], *statements, units=units, short=0)


def metric_peers(name, kind):
    """Yield the peers of a metric; what is asked of it is the same for all metrics."""
    target = {
        "no ties": ">= 15",
        "ties": ">= 12",
        "weights": lambda size: ">= 8" if size <= 10_000 else ">= 4.5",
    }[kind]
    ours, theirs = METRICS[name][:2]
    equals = None if name == "rAUC" else peers.with_options(ours)
    their_equals = equals if theirs is roc_auc_score else None
    their_score = peers.with_options(roc_auc_score)
    yield Peer("roc_auc_score", their_score, target, equals=their_equals)
    if theirs is not roc_auc_score:
        their_score, options = peers.with_options(theirs), {"most": TENFOLD}
        yield Peer(theirs.__name__, their_score, ">= 10", equals=equals, **options)
    if kind == "no ties":
        limit = lambda size: "<= 2.5" if size >= 1_000_000 else "<="  # noqa: E731
        yield Peer("numpy.sort", of(np.sort, 1), limit)
    if name in TORCH_NAMES and kind != "weights":
        # It sums in single precision.
        options = {"equals": equals, "rtol": 1e-3, "most": TENFOLD, "is_traced": False}
        call = partial(peers.torchmetrics_score, TORCH_NAMES[name])
        yield Peer("torchmetrics, CPU", call, **options)


def gain_jobs():
    """Yield expected gain beside the rAUC of the same ranking."""
    data, alike = samples.worths, of(rauc, 0, 1)
    weighted = of(samples.weighted_rauc, 0, 1, 4)
    for kind, n_columns, peer in (
        ("", 3, Peer("rAUC", alike, "<= 2")),
        (", costs", 4, Peer("weighted rAUC", weighted, "<= 2")),
        (", costs and weights", 5, Peer("weighted rAUC", weighted, "<= 2")),
    ):
        ours = of(samples.expected_gain, *range(n_columns))
        yield Job(f"expected gain{kind}", SIZES, data, ours, [peer])


def partial_area_jobs():
    """Yield areas under parts of the ROC curve, beside the rAUC of the same cases."""
    croc = scipy.stats.truncexpon(b=7, scale=1 / 7)
    early = peers.with_options(partial(roc_auc_score, max_fpr=0.1))
    for name, window in (
        ("fpr", {"fpr": (0, 0.1)}),
        ("tpr", {"tpr": (0.8, 1)}),
        ("two-way", {"fpr": (0, 0.5), "tpr": (0.5, 1)}),
        ("CROC", {"fpr": croc}),
    ):
        ours = peers.with_options(partial(skrate.partial_auc_score, **window))
        for kind in common.KINDS:
            data = partial(common.sample_of_kind, kind=kind, prevalence=0.1)
            beside = [Peer("rAUC", peers.with_options(rauc), "<= 2")]
            if name == "fpr":
                beside += [Peer("roc_auc_score, max_fpr", early, equals=ours)]
            yield Job(f"partial AUC, {name}, {kind}", SIZES[2:], data, ours, beside)


def class_jobs():
    """Yield five classes beside one after the other, and beside scikit-learn."""
    data = samples.five_classes
    for name, metric in METRICS.items():
        one = partial(samples.class_by_class, metric.score)
        peer = Peer("one class at a time", one, "<= 1.2", equals=metric.score)
        yield Job(f"{name} of five classes", SIZES[1:], data, metric.score, [peer])
    ours, theirs = METRICS["AUC"].score, partial(roc_auc_score, multi_class="ovr")
    peer = Peer("roc_auc_score, ovr", theirs, ">= 10", equals=ours)
    yield Job("AUC, each of five classes", SIZES[1:], data, ours, [peer])


def virtual_screening_jobs():
    """Yield what RDKit and NDCG measure of a ranking."""
    data = partial(labelled_scores, prevalence=0.1)
    bedroc = partial(METRICS["AUC"].score, rate=skrate.rates.exponential(20))
    lift = partial(skrate.lift_at_rate_score, rate=0.05)
    for name, ours, call, options in (
        ("AUC", METRICS["AUC"].score, "CalcAUC", []),
        ("BEDROC", bedroc, "CalcBEDROC", [20]),
        ("enrichment at 5 %", lift, "CalcEnrichment", [[0.05]]),
    ):
        theirs = partial(peers.rdkit_score, call, options)
        peer = Peer(f"RDKit, {call}", theirs, equals=ours, rtol=1e-6)
        yield Job(f"{name} of actives", SIZES[:3], data, ours, [peer])
    peer = Peer("ndcg_score", peers.ndcg, equals=samples.ndcg)
    yield Job("NDCG of a long list", SIZES[:3], data, samples.ndcg, [peer])


def fixed_recall_jobs():
    """Yield what fixes the recall or the precision, beside the rAUC."""
    data, peer = partial(labelled_scores, prevalence=0.1), Peer("rAUC", rauc, "<= 2")
    for score, options in (
        (skrate.rate_at_recall_score, {}),
        (skrate.work_saved_score, {}),
        (skrate.precision_at_recall_score, {}),
        (skrate.recall_at_precision_score, {"precision": 0.5}),
    ):
        name = score.__name__.removesuffix("_score").replace("_", " ")
        yield Job(name, [1_000_000], data, partial(score, **options), [peer])


def table_jobs():
    """Yield tables of more cases than fit in memory, beside one sort of all scores."""
    sorted_at_once = Peer("numpy.sort", of(np.sort, 1), "<=")
    at_once = Peer(
        "RankTable.from_arrays", of(skrate.RankTable.from_arrays, 0, 1), "<="
    )
    data, beside = samples.cases_and_batches, [sorted_at_once, at_once]
    ours = of(skrate.RankTable.from_batches, 2)
    yield Job("table of ten batches", MILLIONS, data, ours, beside)
    title, data = "table, compressed to 65,536 groups", labelled_scores
    yield Job(title, MILLIONS, data, samples.compressed, beside[:1])
    title, ours = "sum of ten tables, compressed", of(samples.sum_of_tables, 1)
    of_scores = Peer("numpy.sort", of(np.sort, 0), "<=")
    yield Job(title, MILLIONS, samples.cases_and_tables, ours, [of_scores])
    title, ours = "metric of a compressed table", of(METRICS["AUC"].score, 1)
    peer = Peer("the metric of the cases", of(METRICS["AUC"].score, 0, 2), "<=")
    yield Job(title, MILLIONS, samples.labels_table_scores, ours, [peer])


def inference_jobs():
    """Yield intervals, tests and covariances beside loops, and beside the metric."""
    share = lambda size: peers.FEW_RESAMPLES / 2_000  # noqa: E731
    for name, metric in METRICS.items():
        peer = Peer("the metric", metric.score, "<= 2.5")
        for p in (0.01, 0.1, 0.5):
            data = partial(labelled_scores, prevalence=p)
            title = f"delta of {name}, prevalence {p}"
            yield Job(title, [1_000_000], data, metric.estimate, [peer], **ONE_THREAD)
        call = partial(peers.bootstrap_loop, metric.peer)
        loop = Peer(f"{metric.peer.__name__}, loop", call, ">= 60", share=share)
        call = partial(peers.scipy_bootstrap, metric.peer)
        scipy = Peer("scipy.stats.bootstrap", call, share=share)
        for p in (0.1, 0.5):
            data = partial(labelled_scores, prevalence=p)
            title = f"bootstrap of {name}, prevalence {p}"
            ours = partial(metric.estimate, method="bootstrap", n_resamples=2_000)
            yield Job(title, [10_000], data, ours, [loop, scipy], **ONE_THREAD)
        peer = Peer("the metric of one", of(metric.score, 0, 2), "<= 40")
        title, ours = f"covariance of 20 models, {name}", of(metric.covariance, 0, 1)
        yield Job(title, [100_000], samples.twenty_models, ours, [peer], **ONE_THREAD)
    title, units = "band of two models at 200 rates", {"wall ms": "<= 5000"}
    sizes, ours = [SIZES[2], MILLIONS[0]], samples.band_of_curves
    yield Job(title, sizes, samples.two_models, ours, units=units)
    yield from two_thread_jobs()
    yield from delong_jobs()


def two_thread_jobs():
    """Yield what is large enough for two threads, beside one."""
    data, metric = partial(labelled_scores, prevalence=0.1), METRICS["AUC"]
    # A tenth of the replicates that are usual, as one of so many cases takes long.
    bootstrap = partial(metric.estimate, method="bootstrap", n_resamples=200)
    peer = Peer("one thread", bootstrap, ">= 1.7")
    ours = partial(bootstrap, n_jobs=2)
    title = "bootstrap of AUC, two threads"
    yield Job(title, [1_000_000], data, ours, [peer], threads=1)
    peer = Peer("one thread", of(metric.covariance, 0, 1), ">= 1.7")
    ours = of(partial(metric.covariance, n_jobs=2), 0, 1)
    title = "covariance of 20 models, two threads"
    yield Job(title, [100_000], samples.twenty_models, ours, [peer], threads=1)


def delong_jobs():
    """Yield DeLong's standard error of one AUC, and his test of two."""
    data, ours = partial(labelled_scores, prevalence=0.1), samples.delong_error
    # It ranks in single precision.
    options = {"equals": ours, "rtol": 1e-3}
    peer = Peer("confidenceinterval", peers.confidenceinterval_delong, **options)
    yield Job("DeLong's standard error", SIZES[:3], data, ours, [peer])
    data, ours = samples.two_models, samples.delong_test
    peer = Peer("MLstatkit", peers.mlstatkit_delong, equals=ours, rtol=1e-6)
    yield Job("DeLong's test", SIZES[:3], data, ours, [peer])


def curve_jobs():
    """Yield consensus curves, with and without bounds."""
    # For orientation: a bootstrapped band of one curve (2,000 replicates) by pROC (R)
    # needs 1,000 ms at 1,000 cases, and 6,400 at 10,000.
    for bounds, p, targets in (
        ("exact", 0.5, {50: "<= 100", 10_000: "<= 1000"}),
        ("exact", 0.05, {10_000: "<= 1000"}),
        ("parametric", 0.5, {50: "", 10_000: ""}),
        ("bootstrap", 0.5, {50: "<= 500", 1_000: "", 10_000: "<= 15000"}),
        ("bootstrap-adjusted", 0.5, {50: "", 10_000: ""}),
    ):
        data = partial(samples.folds, prevalence=p)
        ours = partial(samples.consensus, bounds=bounds)
        name = f"curve, {bounds}, prevalence {p}"
        for n_samples, target in targets.items():
            units = {"cpu ms": target, "process MB": "<= 1024"}
            yield Job(name, [n_samples], data, ours, units=units, short=50)
    sorts = [Peer("numpy.argsort", of(np.argsort, 2), "<= 3")]
    sorts += [Peer("numpy.sort", of(np.sort, 2), "<=")]
    data, ours = samples.folds, samples.consensus
    yield Job("curve alone", SIZES[:3], data, ours, sorts, CPU)


def decision_jobs():
    """Yield what a decision takes."""
    data = partial(labelled_scores, prevalence=0.1)
    ours = partial(skrate.budget_report, rate=RATE, n_items=5_000)
    units = {"cpu ms": "<= 1000"}
    name, one = "report card of a budget", {"units": units, "threads": 1}
    yield Job(name, [1_000_000], data, ours, **one)


def list_jobs():
    """Yield the AUC within many short lists."""
    ours, catboost = of(samples.list_auc, 0, 1, 2), of(peers.catboost_list_auc, 3, 4, 5)
    # A list of one class counts 0 for CatBoost.
    by_catboost = {"equals": partial(ours, undefined=0), "is_traced": False}
    share = lambda size: min(1, peers.FEW_LISTS / size)  # noqa: E731
    beside = [
        Peer("roc_auc_score, loop", of(peers.list_loop, 3, 4), ">= 300", share),
        Peer("numpy.lexsort", lambda *columns: np.lexsort(columns[1:3]), ">= 2"),
        Peer("CatBoost, lists in order", catboost, ">= 1", **by_catboost),
    ]
    for kind in ("no ties", "ties"):
        data = partial(samples.lists_in_both_orders, kind=kind)
        yield Job(f"lists of 20, {kind}", [100_000], data, ours, beside, short=100)
        for score in samples.OF_PLACES:
            call = of(partial(samples.list_score, score), 0, 1, 2)
            peer = Peer("AUC within lists", ours, "<= 2")
            name = f"{score.__name__}, lists of 20, {kind}"
            yield Job(name, [100_000], data, call, [peer])
        call = of(samples.precision_of_queues, 0, 1, 2)
        yield Job(f"precision of queues of 20, {kind}", [100_000], data, call, [peer])
    name, units = "lists of 20, memory", {"process MB": "<= 3000"}
    yield Job(name, [1_000_000], common.shown_lists, ours, units=units)


def training_jobs():
    """Yield RankBoost beside other boosters, and the search for a model."""
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
    beside = [
        Peer(name, partial(peers.auc_of_new_cases, booster))
        for name, booster in boosters.items()
    ]
    name, ours = "RankBoost, AUC of as many new", partial(peers.auc_of_new_cases, model)
    yield Job(name, [40_000], data, ours, beside, {"result": ""}, short=200)
    sizes, wide = [10_000, 20_000, 40_000], partial(data, n_features=60)
    yield Job("RankBoost, growth, 30 features", sizes, data, model.fit, units=CPU)
    yield Job("RankBoost, growth, 60 features", [20_000], wide, model.fit, units=CPU)
    units = {"wall ms": "<= 60000", "cpu ms": "", "process MB": "<= 2000"}
    yield Job("RankBoost, max_bins=255", [1_000_000], data, of_bins.fit, units=units)
    data = partial(make_classification, random_state=0)
    ours = partial(peers.search, skrate.RateWeightedAUCScorer(rate=RATE))
    peer = Peer('scoring="roc_auc"', partial(peers.search, "roc_auc"), "<= 1")
    yield Job("rAUC in GridSearchCV", [5_000], data, ours, [peer], short=200)
    data, units = samples.error_settings, {"wall ms": "<= 10000"}
    yield Job("auc_moments", [10_000], data, skrate.error_rate.auc_moments, units=units)


THEMES = (
    metric_jobs,
    table_jobs,
    inference_jobs,
    curve_jobs,
    decision_jobs,
    list_jobs,
    training_jobs,
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("patterns", nargs="*", metavar="pattern", default=[""])
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    chosen = [job for job in jobs() if any(p in job.name for p in options.patterns)]
    if not chosen:
        parser.error("no job has such a name: " + "; ".join(job.name for job in jobs()))
    print(ratio_table.plain_line(ratio_table.HEADER))
    # A process is used once, so that it holds nothing of another job.
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1, maxtasksperchild=None if options.short else 1) as pool:
        for job in chosen:
            print_rows(job, pool, options)


def print_rows(job, pool, options):
    """Measure a job and print its rows."""
    sizes = [*job.sizes, *(job.large if options.large else ())]
    for size in [job.short] if options.short else sizes:
        apart = partial(pool.apply, process_megabytes, (job.name, size))
        titles = {"job": job.name, "size": f"{size:,}" if size else ""}
        for row in ratio_table.rows(job, size, apart, is_short=options.short):
            print(ratio_table.plain_line(titles | row), flush=True)


def process_megabytes(name, size):
    """Return what this process holds before a call of a job and at the most."""
    job = next(job for job in jobs() if job.name == name)
    data = job.data(size)
    before = timing.process_megabytes()
    with threadpool_limits(job.threads):
        job.ours(*data)
    return before, timing.process_megabytes()


if __name__ == "__main__":
    main()
