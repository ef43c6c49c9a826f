"""Labels that are estimates: sampled, censored, noisy or predicted."""

from skrate.data.estimated import EstimatedLabels
from skrate.labels.censored import censored
from skrate.labels.sampled import sampled

__all__ = ["EstimatedLabels", "censored", "sampled"]
