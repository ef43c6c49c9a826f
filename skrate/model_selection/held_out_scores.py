"""Scores of cases that the model which scores them has not seen."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, check_cv
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from skrate.data.arrays import Array, IntArray, Label, RandomState
from skrate.data.checks import (
    check_equal_length,
    check_generator,
    check_n_jobs,
    check_scores,
    check_vector,
    distinct_labels,
    is_label,
    shown,
)
from skrate.data.folds import check_unseen, rows_of_part
from skrate.model_selection.responses import (
    check_response_method,
    choose_label,
    cut_to,
    method_name,
    n_rows,
    rows_of,
    tell_second_class,
)

Split = tuple[IntArray, IntArray]
# As FixedThresholdClassifier has it: a threshold is then a probability, where it can.
_AUTO = ("predict_proba", "decision_function")
_USER = "RateThresholdClassifier"
# Scores are coarse where there are fewer levels than this share of the cases, and those
# of folds apart where there are more of them than this many times those of one.
_COARSE, _APART = 0.5, 1.5


class HeldOut(NamedTuple):
    """Scores of held-out cases, and the model that will score the new ones."""

    scores: Array
    estimator: Any


class Learner(NamedTuple):
    """What is trained: an estimator, what its ``fit`` is given, and what it is asked.

    The scores are those of the class ``label``, by the first of ``methods``.
    """

    estimator: Any
    fit_params: Mapping[str, Any]
    methods: tuple[str, ...]
    label: Label
    n_jobs: int | None

    def held_out(self, X: Any, y: Any, splits: list[Split]) -> HeldOut:
        """Score the cases of each test part by a model of the training part.

        New cases are scored by a model of all cases; where there is a single split, by
        the one that was tested.
        """
        if len(splits) == 1:
            ((train, test),) = splits
            model = self._fitted(X, y, train)
            return HeldOut(self.scores_of(model, rows_of(X, test)), model)
        parts = Parallel(n_jobs=check_n_jobs(self.n_jobs))(
            delayed(self._scored)(X, y, train, test) for train, test in splits
        )
        parts = list(parts)
        _warn_of_levels(parts)
        return HeldOut(np.concatenate(parts), self._fitted(X, y, None))

    def scores_of(self, model: Any, X: Any) -> Array:
        """Return finite scores, higher for the positive class."""
        name = method_name(model, self.methods, _USER)
        response = np.asarray(getattr(model, name)(X))
        is_positive = is_label(np.asarray(model.classes_), self.label)
        if response.ndim == 2 and response.shape[1] == 2:
            response = response[:, int(is_positive.argmax())]
        elif not is_positive[-1]:
            response = -response
        scores = check_scores(f"{name} of {type(model).__name__}", response)
        return scores if scores.dtype == np.float32 else scores.astype(np.float64)

    def _scored(self, X: Any, y: Any, train: IntArray, test: IntArray) -> Array:
        return self.scores_of(self._fitted(X, y, train), rows_of(X, test))

    def _fitted(self, X: Any, y: Any, rows: IntArray | None) -> Any:
        """Return a clone that is fitted on some rows, or on all."""
        if rows is None:
            return clone(self.estimator).fit(X, y, **self.fit_params)
        n = n_rows(X)
        params = {
            name: cut_to(values, rows, n) for name, values in self.fit_params.items()
        }
        return clone(self.estimator).fit(rows_of(X, rows), rows_of(y, rows), **params)


def _warn_of_levels(parts: list[Array]) -> None:
    """Warn where scores tie within folds, at levels that are others in each fold."""
    levels = [np.unique(scores) for scores in parts]
    n_levels, most = len(np.unique(np.concatenate(levels))), max(map(len, levels))
    are_coarse = sum(map(len, levels)) < _COARSE * sum(map(len, parts))
    if are_coarse and n_levels > _APART * most:
        warnings.warn(
            f"Scores tie in each fold, at {most} levels or fewer, and these differ "
            f"from fold to fold ({n_levels} in all): those of the model of all cases "
            "will differ as well, and keep the capacity less often than promised. "
            "Hold out a part, as cv=0.3 does, or take finer scores.",
            UserWarning,
            stacklevel=4,
        )


def check_target(y: Any, estimator: Any, pos_label: Label) -> Label:
    """Return the label that is marked, by ``y`` or by what was taught already.

    ``estimator`` is None unless it is fitted, and needs no ``y`` then.
    """
    of = "a label of y, which holds"
    if estimator is not None:
        check_is_fitted(estimator)
        known = np.asarray(estimator.classes_).tolist()
        kind = "binary" if len(known) < 3 else "multiclass"
        of = f"a class of {type(estimator).__name__}, which knows"
    elif y is None:
        raise ValueError(
            f"{_USER} requires y to be passed, but the target y is None: only "
            "cv='prefit' does without."
        )
    else:
        kind = type_of_target(y, input_name="y")
        known = distinct_labels(check_vector("y", y)) if kind == "binary" else []
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. Unknown label type: {kind}."
        )
    if len(known) < 2:
        raise ValueError(f"y holds one class only, {known[0]!r}: two are needed.")
    label, is_chosen = choose_label(known, pos_label, _USER, of)
    if is_chosen:
        tell_second_class(_USER, known)
    return label  # type: ignore[no-any-return]


def check_methods(response_method: Any) -> tuple[str, ...]:
    """Return the methods, the first of which that an estimator has gives its scores."""
    if isinstance(response_method, str) and response_method == "auto":
        return _AUTO
    methods = check_response_method(response_method)
    unknown = [name for name in methods if name not in _AUTO]
    if unknown:
        raise ValueError(
            f"response_method must be 'auto', or of {list(_AUTO)}, got "
            f"{shown(response_method)}."
        )
    return methods


def check_splits(
    cv: Any,
    X: Any,
    y: Any,
    random_state: RandomState,
    split_params: Mapping[str, Any],
    sample_weight: Any,
) -> list[Split]:
    """Return the training and test rows of each fold, tested once at most.

    A row without weight is none.
    """
    labels, weight = check_vector("y", y), None
    if sample_weight is not None:
        weight = check_vector("sample_weight", sample_weight)
        check_equal_length(y=labels, sample_weight=weight)
    if isinstance(cv, float | np.floating) and 0 < cv < 1:
        # By chance alone: held-out cases are then as exchangeable with new ones as
        # the law of the threshold has it, which a split by class would not quite be.
        seed = int(check_generator(random_state).integers(2**31))
        splitter = ShuffleSplit(1, test_size=float(cv), random_state=seed)
    else:
        splitter = check_cv(cv, y, classifier=True)
    splits = []
    for i, parts in enumerate(splitter.split(X, y, **split_params)):
        rows = (rows_of_part(part, len(labels), i) for part in parts)
        train, test = (_with_weight(part, weight) for part in rows)
        if test.size:
            splits.append((train, test))
    if not splits:
        raise ValueError("cv tests no case that has a weight: give folds that do.")
    tested = np.concatenate([test for _, test in splits])
    cases, times = np.unique(tested, return_counts=True)
    if times.max() > 1:
        raise ValueError(
            f"cv tests case {cases[times.argmax()]} {times.max()} times, and the law "
            "of the threshold counts each case once: give folds that do not overlap."
        )
    for i, (train, test) in enumerate(splits):
        check_unseen(train, test, i)
        known = distinct_labels(labels[train])
        if len(known) < 2:
            which = "" if sample_weight is None else " where sample_weight is not 0"
            raise ValueError(
                f"The training part of fold {i} holds one class only{which}, "
                f"{known[0]!r}: give fewer folds, folds that keep both classes, or "
                "cv='prefit' with a fitted estimator."
            )
    return splits


def _with_weight(rows: IntArray, weight: Array | None) -> IntArray:
    return rows if weight is None else rows[weight[rows] != 0]
