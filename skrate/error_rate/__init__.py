"""The AUC of rankings of which only the number of errors is known.

It is handed on by ``skrate``: ``skrate.error_rate.auc_moments`` and so on.
"""

from skrate.error_rate.moments import AUCFromErrors, auc_moments, auc_range_from_errors

__all__ = ["AUCFromErrors", "auc_moments", "auc_range_from_errors"]
