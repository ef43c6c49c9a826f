"""Evaluate, select and compare models that rank under a constraint on the rate.

The *rate* is the predicted positive rate: the share of all cases that will be
processed. Start with :func:`rate_weighted_auc_score` and
:class:`RateWeightedAUCScorer`.
"""

__version__ = "0.1.0"

__all__: list[str] = []
