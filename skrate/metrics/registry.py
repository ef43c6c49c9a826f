"""The metrics, a line each: what a file of this folder lists is public by its line.

What is known of each is found by :func:`skrate.metrics.metric.find_metric`.
"""

# Known by their names alone.
from skrate.metrics import momentum as _momentum  # noqa: F401
from skrate.metrics.at_rate import *
from skrate.metrics.at_recall import *
from skrate.metrics.auc import *
from skrate.metrics.average_precision import *
from skrate.metrics.gain import *
from skrate.metrics.partial_auc import *
from skrate.metrics.rate_weighted_auc import *
from skrate.metrics.retrieval import *
