"""Labels that are estimates: sampled, censored, noisy or predicted."""

from skrate.data.estimated import EstimatedLabels
from skrate.labels.censored import censored
from skrate.labels.label_plan import LabelPlan, plan_labels
from skrate.labels.noisy import noisy
from skrate.labels.predicted import predicted
from skrate.labels.sampled import sampled

__all__ = [
    "EstimatedLabels",
    "LabelPlan",
    "censored",
    "noisy",
    "plan_labels",
    "predicted",
    "sampled",
]
