"""P-values of many tests, adjusted for their number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from scipy import stats

from skrate.data.arrays import FloatArray

Adjust = Literal["holm", "bh", "by"]
ADJUSTMENTS: tuple[Adjust, ...] = get_args(Adjust)


def adjusted(pvalues: FloatArray, adjust: Adjust) -> FloatArray:
    """Return p-values adjusted for the number of those that are known; nan stays."""
    found = np.full(len(pvalues), np.nan)
    is_known = ~np.isnan(pvalues)
    if is_known.any():
        found[is_known] = _METHODS[adjust](pvalues[is_known])
    return found


def holm(pvalues: FloatArray) -> FloatArray:
    """Return p-values adjusted so that the chance of any false finding is kept."""
    order = np.argsort(pvalues)
    factors = np.arange(len(pvalues), 0, -1)
    found = np.empty(len(pvalues))
    found[order] = np.maximum.accumulate(pvalues[order] * factors)
    return np.minimum(found, 1.0)


def _benjamini_hochberg(pvalues: FloatArray) -> FloatArray:
    return np.asarray(stats.false_discovery_control(pvalues, method="bh"))


def _benjamini_yekutieli(pvalues: FloatArray) -> FloatArray:
    return np.asarray(stats.false_discovery_control(pvalues, method="by"))


_METHODS: dict[Adjust, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "bh": _benjamini_hochberg,
    "by": _benjamini_yekutieli,
}
