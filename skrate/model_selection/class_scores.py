"""How an estimator scores cases for each of more than two classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from skrate.data.array_api import as_numpy
from skrate.data.arrays import Array, ArrayLike, BoolArray, Label
from skrate.data.checks import check_vector, class_masks, find_label, is_label, shown
from skrate.metrics.classes import has_columns, indicators
from skrate.model_selection.responses import (
    DEFAULT_RESPONSE,
    ResponseMethod,
    UndefinedResponse,
    check_response_method,
    method_name,
)

# How deep pipelines and searches are within one another.
_MOST_WITHIN = 9


class ClassScores(NamedTuple):
    """The true classes of some cases, and an estimator's scores of each class.

    ``y_score`` has a column for each of ``labels``; ``y_true`` is as it was given, and
    ``by`` the name of the estimator.
    """

    y_true: Any
    y_score: Array
    labels: list[Any]
    by: str

    def against_rest(self, pos_label: Label, user: str) -> tuple[BoolArray, Array]:
        """Return which cases are of one class, and its scores."""
        label = find_label(pos_label, self.labels)
        if label is None:
            raise ValueError(
                f"pos_label={shown(pos_label)} of {user} is not one of the classes "
                f"{shown(self.labels)}."
            )
        column = self.labels.index(label)
        if has_columns(self.y_true):
            is_pos = indicators(self.y_true)[:, column]
        else:
            is_pos = is_label(check_vector("y_true", self.y_true), label)
        return is_pos, self.y_score[:, column]

    def check_all_known(self) -> None:
        """Raise where cases are of a class that the estimator was not trained on."""
        if has_columns(self.y_true):
            return
        given = check_vector("y_true", self.y_true)
        for label in class_masks(given, len(self.labels)):
            if find_label(label, self.labels) is None:
                raise UndefinedResponse(
                    f"{self.by} was not trained on the class {shown(label)}, which "
                    "y_true holds"
                )


def has_several_classes(estimator: Any, y_true: Any) -> bool:
    """Return whether a target has more than two classes, or several labels a case."""
    if has_columns(y_true):
        return True
    classes = getattr(estimator, "classes_", None)
    return classes is not None and np.ndim(classes[0]) == 0 and len(classes) > 2


def class_scores(
    estimator: Any,
    X: Any,
    y_true: ArrayLike,
    response_method: ResponseMethod,
    labels: ArrayLike | None,
    *,
    user: str,
    call: Callable[..., Any],
) -> ClassScores:
    """Return the scores of ``X``, a column for each class.

    ``call(estimator, method, X)`` may know them already. Decision values of one class
    are compared with those of the others, and not over cases: probabilities come
    first, if it is not said otherwise.
    """
    methods = check_response_method(response_method)
    if methods == DEFAULT_RESPONSE:
        methods = methods[::-1]
    method, name = method_name(estimator, methods, user), type(estimator).__name__
    if has_columns(y_true):
        found = getattr(estimator, method)(X)
        y_score = _of_labels(found) if isinstance(found, list) else as_numpy(found)
        n_labels = np.shape(y_true)[1]
        names = range(n_labels) if labels is None else labels
        known = check_vector("labels", names).tolist()
        what = f"{n_labels} labels"
    else:
        if len(estimator.classes_) == 1:
            only = shown(as_numpy(estimator.classes_).tolist()[0])
            raise UndefinedResponse(f"{name} was trained on one class only, {only}")
        if method == "decision_function" and len(estimator.classes_) > 2:
            _check_no_pairs(estimator, user)
        y_score = as_numpy(call(estimator, method, X))
        known = as_numpy(estimator.classes_).tolist()
        if y_score.ndim == 1 and len(known) == 2 and method != "predict":
            # Only their order counts.
            y_score = np.column_stack([-y_score, y_score])
        _check_same(labels, known, user, name)
        what = f"the classes {shown(known)}"
    if y_score.ndim != 2 or y_score.shape[1] != len(known):
        raise ValueError(
            f"{user} needs a score for each of {what}, but {method} of {name} returned "
            f"an array of shape {y_score.shape}."
        )
    return ClassScores(y_true, y_score, known, name)


def _check_no_pairs(estimator: Any, user: str) -> None:
    """Raise where decision values are of pairs of classes, also of a model within."""
    inner = estimator
    for _ in range(_MOST_WITHIN):
        if hasattr(inner, "best_estimator_"):
            inner = inner.best_estimator_
        elif getattr(inner, "steps", None):
            inner = inner.steps[-1][1]
    if getattr(inner, "decision_function_shape", None) == "ovo":
        raise ValueError(
            f"{user} needs a score for each class, but those of {type(inner).__name__} "
            "are of pairs of classes: fit it with decision_function_shape='ovr'."
        )


def _of_labels(found: list[Any]) -> Array:
    """Return the probability of each label, of which some estimators make a list."""
    return np.column_stack([as_numpy(each)[:, -1] for each in found])


def _check_same(
    labels: ArrayLike | None, known: list[Any], user: str, name: str
) -> None:
    """Raise where classes are named that are not those of the estimator."""
    if labels is None:
        return
    named = check_vector("labels", labels).tolist()
    for label in named:
        if find_label(label, known) is None:
            raise ValueError(
                f"labels of {user} holds {shown(label)}, which is not a class of "
                f"{name}, which knows {shown(known)}."
            )
    for label in known:
        if find_label(label, named) is None:
            raise ValueError(
                f"labels of {user} lacks {shown(label)}, a class of {name}: name all, "
                "or leave it out."
            )
