"""Evaluate, select and compare models that rank under a constraint on the rate.

The *rate* is the predicted positive rate: the fraction of all samples that will be
processed. Start with :func:`rate_weighted_auc_score` and
:class:`RateWeightedAUCScorer`.
"""

from skrate import displays, error_rate, labels, rates, results, review
from skrate.curves.consensus import rate_averaged_roc_curve
from skrate.curves.hit_curve import QuasiConcaveHitCurve, hit_curve
from skrate.data.folds import FoldRankings
from skrate.data.representations import package_version as _package_version
from skrate.data.table import RankTable
from skrate.data.trec import read_trec
from skrate.displays.hit_curve_display import HitCurveDisplay
from skrate.displays.rate_averaged_roc import RateAveragedROC
from skrate.ensemble.rankboost import RankBoostClassifier
from skrate.inference.budget_report import budget_report
from skrate.inference.compare import compare
from skrate.inference.compare_curves import compare_curves
from skrate.inference.curve_band import curve_band
from skrate.inference.estimate import estimate
from skrate.inference.group_scores import group_scores
from skrate.inference.sample_size import sample_size
from skrate.inference.select_best import select_best
from skrate.inference.subgroups import subgroup_scores
from skrate.metrics.registry import (
    average_precision_score,
    convert_rauc,
    expected_gain_score,
    fpr_at_recall_score,
    hit_rate_score,
    lift_at_rate_score,
    mean_average_precision_score,
    ndcg_score,
    partial_auc_score,
    precision_at_rate_score,
    precision_at_recall_score,
    ranking_auc_score,
    rate_at_recall_score,
    rate_weighted_auc_score,
    recall_at_fpr_score,
    recall_at_precision_score,
    recall_at_rate_score,
    reciprocal_rank_score,
    work_saved_score,
)
from skrate.model_selection.cross_validation import compare_folds, cross_val_rankings
from skrate.model_selection.eval_metric import eval_metric
from skrate.model_selection.scorers import (
    AveragePrecisionScorer,
    RateWeightedAUCScorer,
    make_ranking_scorer,
)
from skrate.model_selection.search import refit_best, search_rankings
from skrate.model_selection.threshold import ConstrainedThresholdClassifier

__version__ = _package_version()

# An explicit list, because type checkers need it. A test compares the metrics with the
# registry.
__all__ = [
    "AveragePrecisionScorer",
    "ConstrainedThresholdClassifier",
    "FoldRankings",
    "HitCurveDisplay",
    "QuasiConcaveHitCurve",
    "RankBoostClassifier",
    "RankTable",
    "RateAveragedROC",
    "RateWeightedAUCScorer",
    "average_precision_score",
    "budget_report",
    "compare",
    "compare_curves",
    "compare_folds",
    "convert_rauc",
    "cross_val_rankings",
    "curve_band",
    "displays",
    "error_rate",
    "estimate",
    "eval_metric",
    "expected_gain_score",
    "fpr_at_recall_score",
    "group_scores",
    "hit_curve",
    "hit_rate_score",
    "labels",
    "lift_at_rate_score",
    "make_ranking_scorer",
    "mean_average_precision_score",
    "ndcg_score",
    "partial_auc_score",
    "precision_at_rate_score",
    "precision_at_recall_score",
    "ranking_auc_score",
    "rate_at_recall_score",
    "rate_averaged_roc_curve",
    "rate_weighted_auc_score",
    "rates",
    "read_trec",
    "recall_at_fpr_score",
    "recall_at_precision_score",
    "recall_at_rate_score",
    "reciprocal_rank_score",
    "refit_best",
    "results",
    "review",
    "sample_size",
    "search_rankings",
    "select_best",
    "subgroup_scores",
    "work_saved_score",
]


def __dir__() -> list[str]:
    # For completion.
    return [*__all__, "__version__"]


def __getattr__(name: str) -> object:
    # For a name of another module, the message contains the module.
    for module in (displays, error_rate, labels, rates, results, review):
        if name in getattr(module, "__all__", ()):
            hint = f": it is {module.__name__}.{name}"
            break
    else:
        hint = ""
    raise AttributeError(f"module 'skrate' has no attribute {name!r}{hint}")
