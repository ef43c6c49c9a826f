"""Labels that are estimates: sampled, censored, noisy or predicted."""

from skrate.data.estimated import EstimatedLabels
from skrate.labels.challenge import Challenge
from skrate.labels.plan import LabelPlan, plan_labels
from skrate.labels.sampled import sampled

__all__ = ["Challenge", "EstimatedLabels", "LabelPlan", "plan_labels", "sampled"]
