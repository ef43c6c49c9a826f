"""What tables and folds ask of metrics, which are defined above them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from skrate.data.arrays import FloatArray


class TableMetric(Protocol):
    """A metric with its parameters, as far as tables and folds use it."""

    def error_bound(self, table: Any) -> float:
        """Return how far the metric may be from its value on the samples of a table."""

    def fold_scores(self, rankings: Any) -> FloatArray:
        """Return the metric within each fold."""


Lookup = Callable[[Any, dict[str, Any]], TableMetric]
_registered: list[Lookup] = []


def register_lookup(lookup: Lookup) -> None:
    """Let a function find metrics by their names, score functions or scorers."""
    _registered[:] = [lookup]


def find_table_metric(metric: Any, params: dict[str, Any]) -> TableMetric:
    """Return the metric that a name, a score function or a scorer stands for."""
    return _registered[0](metric, params)
