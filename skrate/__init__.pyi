from skrate import rates as rates
from skrate.core.rank_table import RankTable
from skrate.core.results import Comparison, Comparisons, Estimate
from skrate.curves.consensus_curve import ConsensusCurve
from skrate.curves.hit_curve import hit_curve
from skrate.curves.quasi_concave import QuasiConcaveHitCurve
from skrate.curves.rate_averaged import rate_averaged_roc_curve
from skrate.displays.auc_error_rate import AUCErrorRateDisplay
from skrate.displays.hit_curve import HitCurveDisplay
from skrate.displays.rate_averaged_roc import RateAveragedROC
from skrate.ensemble.rankboost import RankBoostClassifier
from skrate.inference.auc_interval import (
    AUCIntervalFromErrors,
    auc_interval_from_errors,
)
from skrate.inference.auc_moments import AUCMoments, auc_moments
from skrate.inference.compare import compare
from skrate.inference.compare_all import compare_all, covariance
from skrate.inference.estimate import estimate
from skrate.inference.influence import influence
from skrate.inference.momentum import MomentumAndStamina, momentum_and_stamina
from skrate.metrics.average_precision import average_precision_score
from skrate.metrics.budget import (
    lift_at_rate_score,
    precision_at_rate_score,
    recall_at_rate_score,
)
from skrate.metrics.expected_recall import expected_recall_score
from skrate.metrics.group_scores import GroupScores, group_scores
from skrate.metrics.ranking_auc import (
    RankingAUCReport,
    ranking_auc_report,
    ranking_auc_score,
)
from skrate.metrics.rate_weighted_auc import (
    expected_recall_from_rauc,
    rate_weighted_auc_score,
    rauc_from_expected_recall,
)
from skrate.model_selection.fold_comparison import compare_folds
from skrate.model_selection.ranking_scorer import RankingAUCScorer
from skrate.model_selection.refit import refit_best, refit_one_standard_error
from skrate.model_selection.score_report import ScoreReport
from skrate.model_selection.scorers import AveragePrecisionScorer, RateWeightedAUCScorer
from skrate.model_selection.summary import FoldSummaries, FoldSummary, summarize

__version__: str

__all__ = [
    "AUCErrorRateDisplay",
    "AUCIntervalFromErrors",
    "AUCMoments",
    "AveragePrecisionScorer",
    "Comparison",
    "Comparisons",
    "ConsensusCurve",
    "Estimate",
    "FoldSummaries",
    "FoldSummary",
    "GroupScores",
    "HitCurveDisplay",
    "MomentumAndStamina",
    "QuasiConcaveHitCurve",
    "RankBoostClassifier",
    "RankTable",
    "RankingAUCReport",
    "RankingAUCScorer",
    "RateAveragedROC",
    "RateWeightedAUCScorer",
    "ScoreReport",
    "auc_interval_from_errors",
    "auc_moments",
    "average_precision_score",
    "compare",
    "compare_all",
    "compare_folds",
    "covariance",
    "estimate",
    "expected_recall_from_rauc",
    "expected_recall_score",
    "group_scores",
    "hit_curve",
    "influence",
    "lift_at_rate_score",
    "momentum_and_stamina",
    "precision_at_rate_score",
    "ranking_auc_report",
    "ranking_auc_score",
    "rate_averaged_roc_curve",
    "rate_weighted_auc_score",
    "rates",
    "rauc_from_expected_recall",
    "recall_at_rate_score",
    "refit_best",
    "refit_one_standard_error",
    "summarize",
]
