"""What draws the results of other functions; most are made by a result's ``plot()``.

It is handed on by ``skrate``: ``skrate.displays.EstimatesDisplay`` and so on.
``RateAveragedROC`` and ``HitCurveDisplay`` are in ``skrate`` itself.
"""

from skrate.displays.auc_error_rate import AUCErrorRateDisplay
from skrate.displays.curve_displays import (
    BudgetReportDisplay,
    CurveBandDisplay,
    CurveComparisonDisplay,
    SampleSizeDisplay,
)
from skrate.displays.forest_plots import (
    BestModelDisplay,
    ComparisonsDisplay,
    EstimatesDisplay,
    SubgroupDisplay,
)

__all__ = [
    "AUCErrorRateDisplay",
    "BestModelDisplay",
    "BudgetReportDisplay",
    "ComparisonsDisplay",
    "CurveBandDisplay",
    "CurveComparisonDisplay",
    "EstimatesDisplay",
    "SampleSizeDisplay",
    "SubgroupDisplay",
]
