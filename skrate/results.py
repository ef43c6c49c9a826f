"""What the functions of skrate return.

For type hints and ``isinstance``, and for their members' documentation: nobody makes
them by hand. Each is frozen and prints in words, is a table in notebooks, and has
``to_dict()``, ``to_frame()`` and ``to_html()``. Results with a display have ``plot()``;
``float()`` and a format take the number of a result that has one.
"""

from skrate.curves.consensus import ConsensusCurve
from skrate.inference.budget_report import BudgetReport, BudgetRow
from skrate.inference.compare_curves import CurveComparison
from skrate.inference.curve_band import CurveBand
from skrate.inference.group_scores import GroupScores
from skrate.inference.sample_size import SampleSize
from skrate.inference.select_best import BestModel
from skrate.inference.subgroups import SubgroupScores
from skrate.metrics.result_types import Comparison, Comparisons, Estimate, Estimates

__all__ = [
    "BestModel",
    "BudgetReport",
    "BudgetRow",
    "Comparison",
    "Comparisons",
    "ConsensusCurve",
    "CurveBand",
    "CurveComparison",
    "Estimate",
    "Estimates",
    "GroupScores",
    "SampleSize",
    "SubgroupScores",
]
