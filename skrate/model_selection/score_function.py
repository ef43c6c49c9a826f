"""The function that other programs take out of a scorer, to call it themselves."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import numpy as np

from skrate.data.array_api import as_numpy
from skrate.data.arrays import ArrayLike
from skrate.data.checks import shown


class ScoreFunction:
    """A metric, for callers that ask the estimator in their own way.

    LogisticRegressionCV, threshold tuners and the reports of skore leave the scorer
    out, and call its function with what they predicted.
    """

    def __init__(
        self,
        metric: Callable[..., float],
        name: str,
        of_lists: bool,
        is_told: bool,
        ranks_by_labels: bool,
    ) -> None:
        self._made_of = metric, name, of_lists, is_told, ranks_by_labels
        update_wrapper(self, metric)
        signature = inspect.signature(metric)
        # LogisticRegressionCV makes a scorer of its own of a function with ``labels``.
        others = [p for p in signature.parameters.values() if p.name != "labels"]
        self.__signature__ = signature.replace(parameters=others)

    def __call__(self, y_true: ArrayLike, y_score: ArrayLike, **params: Any) -> float:
        """Return the metric, of the second of two columns as of a single one."""
        metric, name, of_lists, is_told, ranks_by_labels = self._made_of
        if of_lists and params.get("groups") is None:
            raise ValueError(
                f"{name} scores lists, which whoever calls its function does not know: "
                "hand over a function in its place, def score(estimator, X, y): return "
                "scorer(estimator, X, y)."
            )
        if not ranks_by_labels:
            _check_no_labels(y_true, y_score, name)
        n_columns = np.shape(y_score)[1] if np.ndim(y_score) == 2 else 1
        if np.ndim(y_true) == 1 and n_columns == 2 and params.get("pos_label") is None:
            # Without a name the positive label is the greater, whose column is last.
            y_score = np.asarray(y_score)[:, 1]
        elif n_columns > 2 and not is_told:
            raise ValueError(
                f"{name} takes probabilities of several classes, and whoever calls its "
                "function may take other scores: name them by "
                f'{name}(response_method="predict_proba").'
            )
        return metric(y_true, y_score, **params)

    def __reduce__(self) -> tuple[Any, ...]:
        return ScoreFunction, self._made_of

    def __repr__(self) -> str:
        return self._made_of[0].__name__


def _check_no_labels(y_true: ArrayLike, y_score: ArrayLike, name: str) -> None:
    """Raise where the scores are predicted classes, or warn where they may be.

    A threshold tuner cuts the scores at each threshold, and hands on the classes.
    """
    labels, scores = as_numpy(y_true), as_numpy(y_score)
    if scores.ndim != 1 or not scores.size:
        return
    is_number = scores.dtype.kind == "f"
    if (is_number and labels.dtype.kind != "f") or not np.isin(scores, labels).all():
        return
    message = (
        f"{name} was given predicted classes in the place of scores, "
        f"{shown(scores[0].item())} and the like, as TunedThresholdClassifierCV does "
        "at each threshold: how two groups are ordered does not say where to cut. "
        "RateThresholdClassifier(estimator, rate=...) finds the threshold that marks "
        "the share of cases that will be processed. To rank by predictions, name "
        'response_method="predict".'
    )
    if not is_number:
        raise ValueError(message)
    warnings.warn(message, UserWarning, stacklevel=3)
