"""Cases of several folds, joined, whose scores are comparable within a fold only."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrate.core.arrays import Array, BoolArray, IntArray
from skrate.core.conversion import joined_scores
from skrate.core.validation import check_scores, check_vector
from skrate.inference.curve_influence import RepeatedCases
from skrate.inference.sample import Ranked


def is_by_fold(y_true: Any) -> bool:
    """Return whether labels are given as a list of arrays, one for each fold.

    Examples
    --------
    >>> (
    ...     is_by_fold([[1, 0], [0, 1, 1]]),
    ...     is_by_fold([1, 0]),
    ...     is_by_fold(["yes", "no"]),
    ... )
    (True, False, False)
    """
    is_list = isinstance(y_true, list | tuple) and len(y_true) > 0
    return is_list and np.ndim(y_true[0]) > 0


def joined_folds(
    y_trues: Any, by_fold: dict[str, Any]
) -> tuple[Array, dict[str, Any], IntArray]:
    """Return labels and what else is given of all folds as arrays, and their folds."""
    labels = _vectors("y_true", y_trues)
    sizes = [len(fold) for fold in labels]
    joined = dict.fromkeys(by_fold)
    for name, values in by_fold.items():
        if values is None:
            continue
        found = _vectors(name, values)
        if len(found) != len(labels):
            raise ValueError(
                f"{name} must hold as many arrays as y_true, one for each fold: found "
                f"{len(found)} and {len(labels)}."
            )
        for i, (fold, size) in enumerate(zip(found, sizes, strict=True)):
            if len(fold) != size:
                raise ValueError(
                    f"Fold {i}: Unequal numbers of cases: y_true has {size}, {name} "
                    f"has {len(fold)}."
                )
        joined[name] = _one_array(name, found)
    return np.concatenate(labels), joined, np.repeat(np.arange(len(sizes)), sizes)


def with_both_classes(
    models: Sequence[Ranked], folds: IntArray, indices: IntArray | None
) -> tuple[list[Ranked], IntArray, IntArray | None]:
    """Return the cases of the folds that hold both classes, and warn of the others."""
    cases = models[0]
    if cases.kept is not None:
        folds = folds[cases.kept]
        indices = None if indices is None else indices[cases.kept]
    of_pos, of_neg = (
        np.bincount(folds[chosen], minlength=folds.max() + 1)
        for chosen in (cases.is_pos, ~cases.is_pos)
    )
    has_both = (of_pos > 0) & (of_neg > 0)
    n_given = np.count_nonzero(of_pos + of_neg)
    n_left = np.count_nonzero(has_both)
    if n_left == 0:
        raise ValueError(
            f"None of the {n_given} folds holds both classes. Use stratified or fewer "
            "folds."
        )
    kept = has_both[folds]
    # A fold may have no case of weight: numbers have no gaps.
    numbers = np.unique(folds[kept], return_inverse=True)[1]
    if n_left == n_given:
        return list(models), numbers, indices
    warnings.warn(
        f"{n_given - n_left} of {n_given} folds hold one class only and are left out.",
        UndefinedMetricWarning,
        stacklevel=3,
    )
    indices = None if indices is None else indices[kept]
    return [_part(model, kept) for model in models], numbers, indices


def repeated_cases(rows: Ranked, indices: IntArray) -> RepeatedCases:
    """Return which case each row tests, with each case once."""
    _, firsts, case = np.unique(indices, return_index=True, return_inverse=True)
    return RepeatedCases(_part(rows, firsts), case)


def _vectors(name: str, values: Any) -> list[Array]:
    are_rows = isinstance(values, np.ndarray) and values.ndim == 2
    if not (are_rows or is_by_fold(values)):
        raise ValueError(
            f"{name} must be a list with one array for each fold, as y_true is; found "
            f"{type(values).__name__}."
        )
    vectors = []
    for i, fold in enumerate(values):
        try:
            check = check_scores if name.startswith("y_score") else check_vector
            vectors.append(check(name, fold))
        except ValueError as error:
            raise ValueError(f"Fold {i}: {error}") from None
    return vectors


def _one_array(name: str, by_fold: list[Array]) -> Array:
    # Of scores none may be rounded; labels of clusters are objects of any kind.
    if name.startswith("y_score"):
        return reduce(joined_scores, by_fold)
    return np.concatenate(by_fold)


def _part(model: Ranked, chosen: BoolArray | IntArray) -> Ranked:
    """Return some of the cases, as a sample of their own."""
    assert model.scores is not None
    weights, clusters = model.weights, model.clusters
    if weights is not None:
        weights = weights[chosen]
        if not model.are_repetitions:
            weights = weights / weights.mean()
    if clusters is not None:
        found, clusters = np.unique(clusters[chosen], return_inverse=True)
        if len(found) < 2:
            raise ValueError(
                "clusters puts all cases of the folds that hold both classes in one "
                "cluster: nothing can be said about the variation between clusters."
            )
    return replace(
        model,
        is_pos=model.is_pos[chosen],
        scores=model.scores[chosen],
        weights=weights,
        clusters=clusters,
        kept=None,
    )
