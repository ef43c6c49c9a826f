"""Classes of the results that the functions of skrate return.

Use them in type hints and ``isinstance``, and to look up their attributes; you need not
construct them. A result is frozen, prints a summary, is a table in notebooks, and has
``to_dict()``, ``to_frame()`` and ``to_html()``. Results with a display have ``plot()``.
If a result is a single number, ``float()`` and format strings use this number.
"""

from skrate.curves.consensus import ConsensusCurve
from skrate.inference.budget_report import BudgetReport, BudgetRow
from skrate.inference.compare_curves import CurveComparison
from skrate.inference.curve_band import CurveBand
from skrate.inference.group_scores import GroupScores
from skrate.inference.sample_size import SampleSize
from skrate.inference.select_best import BestModel
from skrate.inference.subgroups import SubgroupScores
from skrate.metrics.result_types import (
    Comparison,
    Comparisons,
    EqualBudget,
    Estimate,
    Estimates,
)

__all__ = [
    "BestModel",
    "BudgetReport",
    "BudgetRow",
    "Comparison",
    "Comparisons",
    "ConsensusCurve",
    "CurveBand",
    "CurveComparison",
    "EqualBudget",
    "Estimate",
    "Estimates",
    "GroupScores",
    "SampleSize",
    "SubgroupScores",
]
