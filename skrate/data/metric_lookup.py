"""Interface through which tables and folds use metrics, without importing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from skrate.data.arrays import FloatArray


class TableMetric(Protocol):
    """The methods of a metric with its parameters that tables and folds use."""

    def error_bound(self, table: Any) -> float:
        """Return a bound of the error of the metric due to compression of the table."""

    def fold_scores(self, rankings: Any) -> FloatArray:
        """Return the metric within each fold."""


Lookup = Callable[[Any, dict[str, Any]], TableMetric]
_registered: list[Lookup] = []


def register_lookup(lookup: Lookup) -> None:
    """Set the function that finds metrics by names, score functions or scorers."""
    _registered[:] = [lookup]


def find_table_metric(metric: Any, params: dict[str, Any]) -> TableMetric:
    """Return the metric of a name, a score function or a scorer."""
    return _registered[0](metric, params)
