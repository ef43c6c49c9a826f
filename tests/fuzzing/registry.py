"""Every public name, and what draws its calls; the one place to add a function to."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import skrate
from fuzzing import (
    budget_calls,
    class_calls,
    curve_calls,
    fold_calls,
    inference_calls,
    list_calls,
    metric_calls,
    subgroup_calls,
    threshold_calls,
)
from fuzzing.calls import Call
from fuzzing.ill_formed import spoilt
from metric_registry import CASES
from skrate.metrics.metric import METRICS

Draw = Callable[[np.random.Generator], Call]


class Entry(NamedTuple):
    """What draws calls of public names, how often, and whether to spoil some."""

    names: tuple[str, ...]
    draw: Draw
    share: float
    may_spoil: bool = False


ENTRIES = [
    Entry(
        ("rate_weighted_auc_score",), metric_calls.rate_weighted_auc, 14, may_spoil=True
    ),
    Entry(("recall_at_rate_score",), metric_calls.expected_recall, 10, may_spoil=True),
    Entry(
        ("average_precision_score",), metric_calls.average_precision, 10, may_spoil=True
    ),
    Entry(tuple(class_calls.NAMES), class_calls.several_classes, 4),
    *(
        Entry((name,), metric_calls.at_rate(name), 3, may_spoil=True)
        for name in (
            "lift_at_rate_score",
            "precision_at_rate_score",
            "recall_at_rate_score",
        )
    ),
    Entry(
        ("expected_gain_score",),
        metric_calls.of_samples(skrate.expected_gain_score),
        3,
        may_spoil=True,
    ),
    Entry(("hit_curve",), metric_calls.hit_curve, 3, may_spoil=True),
    Entry(("RankTable",), metric_calls.table_from_arrays, 5, may_spoil=True),
    Entry(("RankTable",), metric_calls.table, 0.5),
    *(
        Entry(("convert_rauc",), metric_calls.conversion(to), 1)
        for to in ("expected_recall", "rauc")
    ),
    Entry(("ranking_auc_score",), list_calls.ranking_auc_score, 9, may_spoil=True),
    *(
        Entry((name,), list_calls.of_places(name), 2)
        for name in (
            "hit_rate_score",
            "mean_average_precision_score",
            "ndcg_score",
            "reciprocal_rank_score",
        )
    ),
    Entry(("ndcg_score",), list_calls.of_grades, 2),
    Entry(("compare",), list_calls.compare_groups, 1),
    Entry(("compare",), list_calls.compare_judged, 1),
    *(
        Entry((name,), list_calls.of_queues(name), 1)
        for name in ("precision_at_rate_score", "recall_at_rate_score")
    ),
    Entry(("group_scores",), list_calls.of_entities, 1),
    Entry(("group_scores",), list_calls.list_estimate, 3, may_spoil=True),
    Entry(("group_scores",), list_calls.group_scores, 8, may_spoil=True),
    Entry(("estimate",), inference_calls.estimate, 9, may_spoil=True),
    Entry(("estimate",), inference_calls.influence, 3),
    Entry(("compare",), inference_calls.compare, 5, may_spoil=True),
    Entry(("compare",), inference_calls.compare_several, 3),
    Entry(("compare_curves",), curve_calls.compare_curves, 2, may_spoil=True),
    Entry(("ConstrainedThresholdClassifier",), threshold_calls.threshold, 2),
    Entry(("curve_band",), curve_calls.curve_band, 2, may_spoil=True),
    Entry(("budget_report",), budget_calls.budget_report, 3),
    Entry(("subgroup_scores",), subgroup_calls.subgroup_scores, 2, may_spoil=True),
    Entry(("rates",), metric_calls.rate_methods, 4),
    Entry(("estimate", "FoldRankings"), fold_calls.estimate_folds, 2),
    Entry(("cross_val_rankings", "FoldRankings"), fold_calls.cross_val_rankings, 2),
    Entry(("hit_curve", "budget_report"), fold_calls.drawn_of_folds, 1),
    Entry(("rate_averaged_roc_curve",), curve_calls.rate_averaged_roc_curve, 0.7),
]
# A metric of which nothing is drawn above: its cases, with their oracle.
DRAWN = {name for entry in ENTRIES for name in entry.names}
ENTRIES += [
    Entry((function.__name__,), metric_calls.of_samples(function), 3, may_spoil=True)
    for function in dict.fromkeys(case.function for case in CASES if case.oracle)
    if function.__name__ not in DRAWN
]
# What takes a table in place of labels and scores is also drawn with one.
TAKE_TABLES = {"hit_curve", *(score.__name__ for score in METRICS)}
ENTRIES += [
    Entry(entry.names, metric_calls.of_table(entry.draw), entry.share / 4)
    for entry in ENTRIES
    if entry.may_spoil and TAKE_TABLES.issuperset(entry.names)
]
# So is each metric with folds.
ENTRIES += [
    Entry(entry.names, fold_calls.of_folds(entry.draw), entry.share / 8)
    for entry in ENTRIES
    if entry.may_spoil and {score.__name__ for score in METRICS}.issuperset(entry.names)
]


SHARES = np.array([entry.share for entry in ENTRIES])
# Draws what others compute; or its own tests compare it with the same oracle, or, as
# scorers, with the score (test_ways_to_a_metric.py).
NOT_DRAWN = {
    "displays", "HitCurveDisplay", "RateAveragedROC", "RankBoostClassifier",
    "refit_best", "search_rankings",
    "labels", "select_best",
    "QuasiConcaveHitCurve", "error_rate", "review", "sample_size", "compare_folds",
    "results", "eval_metric", "make_ranking_scorer", "read_trec",
    "AveragePrecisionScorer", "RateWeightedAUCScorer",
}  # fmt: skip


def draw_call(seed: int, number: int) -> Call:
    """Return call ``number`` of a seed, always the same."""
    rng = np.random.default_rng([seed, number])
    entry = ENTRIES[rng.choice(len(ENTRIES), p=SHARES / SHARES.sum())]
    call = entry.draw(rng)
    if entry.may_spoil and rng.random() < 0.12:
        return spoilt(rng, call)
    return call


def fuzzed_names() -> set[str]:
    """Return the public names of which calls are drawn; two metrics have none."""
    names = {name for entry in ENTRIES for name in entry.names}
    return names - {"momentum_score", "stamina_score"}
