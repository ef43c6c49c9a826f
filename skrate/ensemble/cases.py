"""The cases that an estimator learns from, checked."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from skrate.core.arrays import Array, ArrayLike, BoolArray, FloatArray, IntArray
from skrate.core.grouping import check_groups
from skrate.core.validation import check_equal_length, check_weights


class Cases(NamedTuple):
    """Cases to learn from, all of positive weight; ``lists`` are codes from 0."""

    X: Array
    is_pos: BoolArray
    weights: FloatArray
    lists: IntArray

    def take(self, rows: Any) -> "Cases":
        """Return some of the cases."""
        return Cases(*(array[rows] for array in self))

    def has_pairs(self) -> BoolArray:
        """Return for each list whether it holds both classes."""
        n_lists = int(self.lists.max()) + 1
        n_pos = np.bincount(self.lists, weights=self.is_pos, minlength=n_lists)
        n_all = np.bincount(self.lists, minlength=n_lists)
        return np.asarray((n_pos > 0) & (n_pos < n_all))

    def with_pairs(self) -> "Cases":
        """Return the cases whose list holds both classes, lists renumbered."""
        has_pairs = self.has_pairs()
        if has_pairs.all():
            return self
        kept = self.take(has_pairs[self.lists])
        number = np.cumsum(has_pairs) - 1
        return kept._replace(lists=number[kept.lists])


def check_cases(
    X: Array, y: Array, sample_weight: ArrayLike | None, groups: ArrayLike | None
) -> tuple[Cases, Array, Array]:
    """Return the cases of positive weight, their labels, and the two classes."""
    if y.dtype.kind in "mM":
        raise ValueError(f"y must hold labels of two classes, found dtype {y.dtype}.")
    check_classification_targets(y)
    n = len(y)
    weights, lists = np.ones(n), np.zeros(n, dtype=np.intp)
    if sample_weight is not None:
        weights = check_weights("sample_weight", sample_weight)
        check_equal_length(X=X, sample_weight=weights)
    if groups is not None:
        lists = check_groups("groups", groups).codes
        check_equal_length(X=X, groups=lists)
    counts = weights > 0
    if not counts.all():
        X, y, weights, lists = X[counts], y[counts], weights[counts], lists[counts]
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}."
        )
    if len(classes) < 2:
        raise ValueError(
            "y must hold two classes of positive weight, found one class: "
            f"{classes[0]!r}."
        )
    cases = Cases(X, y == classes[1], weights, lists)
    if not cases.has_pairs().any():
        raise ValueError("groups leaves no pair to order: no list holds both classes.")
    return cases, y, classes
