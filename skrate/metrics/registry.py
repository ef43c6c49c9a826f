"""The metrics, a line each: what a file of this folder lists is public by its line.

What is known of each is found by :func:`skrate.core.metric.find_metric`.
"""

from skrate.metrics.average_precision import *
from skrate.metrics.budget import *
from skrate.metrics.expected_gain import *
from skrate.metrics.expected_recall import *
from skrate.metrics.momentum import *
from skrate.metrics.negative_recall import *
from skrate.metrics.operating_points import *
from skrate.metrics.partial_auc import *
from skrate.metrics.ranking_auc import *
from skrate.metrics.rate_weighted_auc import *
from skrate.metrics.retrieval import *
from skrate.metrics.stopping import *
