"""The jackknife: what the metric would be without each case, or each cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from skrate.data.arrays import Array, FloatArray, dot
from skrate.data.checks import warn_undefined
from skrate.inference.resampling import keep_class_weights, unit_rows
from skrate.inference.sample import Ranked, counted

_BATCH = 2**20


def jackknife_variance(
    statistic: Callable[[Array], FloatArray],
    ranked: Sequence[Ranked],
    *,
    stratify: bool,
) -> float:
    """Return the jackknife variance of a statistic of rows of weights per group.

    With ``stratify`` each class is a sample of its own, and the prevalence is kept:
    the others of the class then weigh as much as all did.
    """
    if len(ranked) == 1 and ranked[0].is_plain:
        # Ranked of one class and group are left out once for all of them.
        ranked = [counted(ranked[0].table.merged.table)]
    cases = ranked[0]
    units = unit_rows(ranked)
    n_units = np.ones(units.shape[0])
    if cases.clusters is None and cases.weights is not None and cases.are_repetitions:
        n_units = cases.weights
    whole = np.asarray(units.T @ n_units, dtype=np.float64)
    values = np.empty(len(n_units))
    size = max(1, _BATCH // len(whole))
    for first in range(0, len(values), size):
        rows = whole - units[first : first + size].toarray()
        if stratify:
            keep_class_weights(rows, ranked)
        values[first : first + size] = statistic(rows)
    if np.isnan(values).any():
        return warn_undefined(
            "The standard error by the jackknife",
            "so is the metric where one case or cluster is left out",
        )
    if not stratify:
        return _sum_of_squares(values, n_units)
    is_pos = cases.is_pos
    return _sum_of_squares(values[is_pos], n_units[is_pos]) + _sum_of_squares(
        values[~is_pos], n_units[~is_pos]
    )


def _sum_of_squares(values: FloatArray, n_units: FloatArray) -> float:
    """Return (n - 1) / n times the sum of squares about the mean."""
    n = n_units.sum()
    deviations = values - dot(n_units, values) / n
    return float((n - 1) / n * dot(n_units, deviations**2))
