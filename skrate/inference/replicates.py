"""The metrics of resampled tables."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.core.arrays import Array, FloatArray
from skrate.core.metric import Metric
from skrate.inference.resampling import (
    replicates,
    split_rows,
    widths_of,
)
from skrate.inference.sample import Ranked


class AnyDraw(Protocol):
    """What draws rows, and says how long they are."""

    @property
    def width(self) -> int:
        """Entries of what is in memory per row."""

    def __call__(self, generator: np.random.Generator, size: int) -> Array:
        """Return rows of shape (size, n_columns)."""


def defined_replicates(
    name: str,
    draw: AnyDraw,
    statistic: Callable[[Array], FloatArray],
    *,
    n_resamples: int,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the statistic of the resamples on which it is defined."""
    values = replicates(
        draw,
        statistic,
        width=draw.width,
        n_resamples=n_resamples,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    is_defined = np.isfinite(values)
    n_left_out = int(len(values) - np.count_nonzero(is_defined))
    if n_left_out:
        warnings.warn(
            f"The {name} is undefined on {n_left_out} of {len(values)} resamples, "
            "which are left out.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    return values[is_defined]


def spread(values: FloatArray) -> float:
    """Return the standard deviation of replicates, nan for fewer than two."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")


def statistic_of(
    metrics: Sequence[Metric], ranked: Sequence[Ranked]
) -> Callable[[Array], FloatArray]:
    """Return the function from rows to the first metric, less the second if any."""
    widths = widths_of(ranked)

    def statistic(rows: Array) -> FloatArray:
        parts = split_rows(rows, widths)
        values = [
            metric.values(*part) for metric, part in zip(metrics, parts, strict=True)
        ]
        return values[0] if len(values) == 1 else values[0] - values[1]

    return statistic
