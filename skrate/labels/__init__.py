"""Labels that are estimates: sampled, censored, noisy, predicted or judged."""

from skrate.data.estimated import EstimatedLabels
from skrate.data.judged import JudgedLabels
from skrate.labels.censored import censored
from skrate.labels.judged import judged
from skrate.labels.label_plan import LabelPlan, plan_labels
from skrate.labels.noisy import noisy
from skrate.labels.predicted import predicted
from skrate.labels.sampled import sampled

__all__ = [
    "EstimatedLabels",
    "JudgedLabels",
    "LabelPlan",
    "censored",
    "judged",
    "noisy",
    "plan_labels",
    "predicted",
    "sampled",
]
