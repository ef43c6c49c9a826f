"""Evaluate, select and compare models that rank under a constraint on the rate.

The *rate* is the predicted positive rate: the share of all cases that will be
processed. Start with :func:`rate_weighted_auc_score` and
:class:`RateWeightedAUCScorer`.
"""

import importlib as _importlib
import typing as _typing

__version__ = "0.1.0"

# Where each public name lives. A module is imported when a name of it is first asked
# for, so that `import skrate` costs next to nothing; __init__.pyi tells type checkers
# and editors the same, and a test compares the two.
_HOMES = {
    "AUCErrorRateDisplay": "skrate.displays.auc_error_rate",
    "AUCIntervalFromErrors": "skrate.inference.auc_interval",
    "AUCMoments": "skrate.inference.auc_moments",
    "AveragePrecisionScorer": "skrate.model_selection.scorers",
    "Comparison": "skrate.core.results",
    "Comparisons": "skrate.core.results",
    "ConsensusCurve": "skrate.curves.consensus_curve",
    "Estimate": "skrate.core.results",
    "FoldSummaries": "skrate.model_selection.summary",
    "FoldSummary": "skrate.model_selection.summary",
    "GroupScores": "skrate.metrics.group_scores",
    "HitCurveDisplay": "skrate.displays.hit_curve",
    "MomentumAndStamina": "skrate.inference.momentum",
    "QuasiConcaveHitCurve": "skrate.curves.quasi_concave",
    "RankBoostClassifier": "skrate.ensemble.rankboost",
    "RankTable": "skrate.core.rank_table",
    "RankingAUCReport": "skrate.metrics.ranking_auc",
    "RankingAUCScorer": "skrate.model_selection.ranking_scorer",
    "RateAveragedROC": "skrate.displays.rate_averaged_roc",
    "RateWeightedAUCScorer": "skrate.model_selection.scorers",
    "ScoreReport": "skrate.model_selection.score_report",
    "auc_interval_from_errors": "skrate.inference.auc_interval",
    "auc_moments": "skrate.inference.auc_moments",
    "average_precision_score": "skrate.metrics.average_precision",
    "compare": "skrate.inference.compare",
    "compare_all": "skrate.inference.compare_all",
    "compare_folds": "skrate.model_selection.fold_comparison",
    "covariance": "skrate.inference.compare_all",
    "estimate": "skrate.inference.estimate",
    "expected_recall_from_rauc": "skrate.metrics.rate_weighted_auc",
    "expected_recall_score": "skrate.metrics.expected_recall",
    "group_scores": "skrate.metrics.group_scores",
    "hit_curve": "skrate.curves.hit_curve",
    "influence": "skrate.inference.influence",
    "lift_at_rate_score": "skrate.metrics.budget",
    "momentum_and_stamina": "skrate.inference.momentum",
    "precision_at_rate_score": "skrate.metrics.budget",
    "ranking_auc_report": "skrate.metrics.ranking_auc",
    "ranking_auc_score": "skrate.metrics.ranking_auc",
    "rate_averaged_roc_curve": "skrate.curves.rate_averaged",
    "rate_weighted_auc_score": "skrate.metrics.rate_weighted_auc",
    "rates": "skrate.rates",
    "rauc_from_expected_recall": "skrate.metrics.rate_weighted_auc",
    "recall_at_rate_score": "skrate.metrics.budget",
    "refit_best": "skrate.model_selection.refit",
    "refit_one_standard_error": "skrate.model_selection.refit",
    "summarize": "skrate.model_selection.summary",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> _typing.Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _importlib.import_module(_HOMES[name])
    value = module if name == "rates" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
