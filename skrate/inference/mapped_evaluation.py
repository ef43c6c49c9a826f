"""Increasing functions of evaluations, such as the logarithm for a ratio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skrate.data.arrays import FloatArray
from skrate.inference.evaluation import Evaluation
from skrate.inference.variance import Parts
from skrate.metrics.hypothesis_tests import ConfidenceInterval


def map_evaluation(
    source: Evaluation,
    function: Callable[[float], float],
    derivative: Callable[[float], float],
) -> MappedEvaluation:
    """Return the evaluation of an increasing function of the value.

    The uncertainty is unknown if the function or its derivative is not finite.
    """
    if source.plan.method != "delta":
        raise ValueError(
            "method must be 'delta' for functions of metrics, got "
            f"{source.plan.method!r}."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = float(derivative(np.float64(source.value)))
    return MappedEvaluation(
        source.metric,
        source.rankings,
        source.units,
        one_class=source.one_class,
        is_known=source.is_known,
        params=source.params,
        source=source,
        function=function,
        slope=slope,
    )


@dataclass(eq=False)
class MappedEvaluation(Evaluation):
    """An increasing function of an evaluation, by the delta method.

    Use it only in differences, because ``estimate`` and ``test`` do not apply the
    function to all values.
    """

    _: KW_ONLY
    source: Evaluation
    function: Callable[[float], float]
    slope: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self.value = self._map_values(self.source.value)[0]
        is_finite = np.isfinite([self.value, self.slope]).all()
        self.is_known = self.is_known and bool(is_finite)

    def _map_values(self, *values: float) -> tuple[float, ...]:
        """Return the function of each value."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return tuple(float(self.function(np.float64(value))) for value in values)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The function of the bounds."""
        low, high = self._map_values(*self.source.bounds)
        return low, high

    @cached_property
    def influence(self) -> FloatArray:
        """The influence of each sample on the function."""
        return self.slope * self.source.influence

    @cached_property
    def class_influence(self) -> FloatArray:
        """The influence on the function, of each sample in each class."""
        return self.slope * self.source.class_influence

    @cached_property
    def influence_rows(self) -> list[FloatArray]:
        """The influence on the function, by labels and by predictions if available."""
        return [self.slope * row for row in self.source.influence_rows]

    @cached_property
    def parts(self) -> Parts:
        """The parts of the variance of the function."""
        return self.source.parts.times(self.slope**2)

    def interval(self, *args: Any, **options: Any) -> ConfidenceInterval:
        """Return the function of the ends of the interval."""
        interval = self.source.interval(*args, **options)
        return ConfidenceInterval(*self._map_values(*interval))
