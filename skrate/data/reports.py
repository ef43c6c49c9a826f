"""Reports of skore in place of labels and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from skrate.data.folds import FoldRankings

Function = TypeVar("Function", bound=Callable[..., Any])


def accept_reports(function: Function) -> Function:
    """Return a function that reads a report of skore wherever it takes FoldRankings."""

    @wraps(function)
    def read(*args: Any, **kwargs: Any) -> Any:
        named = {name: read_report(value) for name, value in kwargs.items()}
        return function(*map(read_report, args), **named)

    return cast(Function, read)


def read_report(value: Any) -> Any:
    """Return the FoldRankings of a report, by name for several; others as they are."""
    if isinstance(value, Mapping) and any(
        hasattr(entry, "get_predictions") for entry in value.values()
    ):
        return {name: read_report(entry) for name, entry in value.items()}
    # A report has this public method, which no array has.
    if not hasattr(value, "get_predictions"):
        return value
    reports = getattr(value, "reports_", [value])
    if isinstance(reports, Mapping):
        return read_report(reports)
    labels, scores = zip(*map(_test_columns, reports), strict=True)
    folds = np.repeat(np.arange(len(labels)), list(map(len, labels)))
    tests = [test for _, test in getattr(value, "split_indices", ())]
    indices = np.concatenate(tests) if tests else None
    return FoldRankings(
        np.concatenate(labels), np.concatenate(scores), folds, indices=indices
    )


def _test_columns(report: Any) -> tuple[Any, Any]:
    """Return whether each test sample is positive, and its score."""
    model = report.estimator_
    classes = model.classes_.tolist()
    if len(classes) != 2:
        raise ValueError(
            f"The report of {type(model).__name__} must be for two classes, got "
            f"{len(classes)}: {classes}."
        )
    positive = classes[1] if report.pos_label is None else report.pos_label
    has_proba = hasattr(model, "predict_proba")
    method = "predict_proba" if has_proba else "decision_function"
    scores = report.get_predictions(data_source="test", response_method=method)
    if scores.ndim == 2:
        scores = scores[:, classes.index(positive)]
    return np.asarray(report.y_test) == positive, scores
