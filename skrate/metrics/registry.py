"""The registry of metrics: a line here makes the names in ``__all__`` of a file public.

:func:`skrate.metrics.metric.find_metric` returns the metric of a public function.
"""

# Momentum and stamina are available only by their names.
from skrate.metrics import momentum as _momentum  # noqa: F401
from skrate.metrics.at_rate import *
from skrate.metrics.at_recall import *
from skrate.metrics.auc import *
from skrate.metrics.average_precision import *
from skrate.metrics.gain import *
from skrate.metrics.partial_auc import *
from skrate.metrics.rate_weighted_auc import *
from skrate.metrics.retrieval import *
