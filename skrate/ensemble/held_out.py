"""When to stop: the score on cases that are held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer_names

from skrate.data.arrays import Array, ArrayLike, FloatArray, IntArray
from skrate.ensemble.boosting import TrainingCases
from skrate.ensemble.link import LinkedClasses, fit_link
from skrate.ensemble.stumps import is_above, stump_scores
from skrate.metrics.auc import ranking_auc_score
from skrate.metrics.base import meant_name, named
from skrate.metrics.monitored import Monitored, is_known, monitored


def split_cases(
    cases: TrainingCases, has_lists: bool, fraction: float, seed: int
) -> tuple[IntArray, IntArray]:
    """Return the rows to train on and the rows held out, whole lists if there are.

    Both parts hold both classes, or a list of both: what lacks a class has no pair to
    learn from, or to score. Cases are drawn within the classes, lists within those that
    hold both classes and those that do not.
    """
    rng = np.random.default_rng(seed)
    kinds, what = cases.is_pos, "case of each class"
    if has_lists:
        # Some codes have no cases.
        lists, list_of_case = np.unique(cases.lists, return_inverse=True)
        kinds, what = cases.has_pairs()[lists], "list of both classes"
    n_kinds = [int(np.count_nonzero(kinds == kind)) for kind in (True, False)]
    # Lists of one class may all be on one side, or lack.
    n_needed = n_kinds[0] if has_lists else min(n_kinds)
    if n_needed < 2:
        raise ValueError(
            f"Early stopping holds out at least one {what} and trains on at least one, "
            f"but there is {n_needed}: set n_iter_no_change=None, or give more cases."
        )
    is_out = np.zeros(len(kinds), dtype=bool)
    for kind, n_kind in zip((True, False), n_kinds, strict=True):
        n_out = round(fraction * n_kind)
        if kind or not has_lists:
            n_out = min(max(n_out, 1), n_kind - 1)
        is_out[rng.permutation(np.flatnonzero(kinds == kind))[:n_out]] = True
    if has_lists:
        is_out = is_out[list_of_case]
    return np.flatnonzero(~is_out), np.flatnonzero(is_out)


def check_held_out_scoring(
    estimator: Any, scoring: Any, *, has_lists: bool
) -> Callable[..., float] | Monitored:
    """Return a scorer, or a score function of this package with its parameters."""
    function = scoring = named(scoring)
    while isinstance(function, partial):
        function = function.func
    if not is_known(function):
        if isinstance(scoring, str) and scoring not in get_scorer_names():
            raise ValueError(
                f"scoring={scoring!r} is the name of no metric of this package and no "
                f"scorer{meant_name(scoring, get_scorer_names())}"
            )
        scorer: Callable[..., float] = check_scoring(estimator, scoring=scoring)
        return partial(_numbered, scorer) if isinstance(scoring, str) else scorer
    found = monitored(scoring, {})
    if found.needs_lists and not has_lists:
        raise ValueError(
            f"scoring={function.__name__} is a mean over lists: pass groups to fit, or "
            "score a single ranking."
        )
    return found


def _numbered(
    scorer: Callable[..., float],
    model: PartialModel,
    X: Array,
    y: Array,
    **options: Any,
) -> float:
    """Return the score by a name of scikit-learn's, for which 1 is the positive label.

    Some of its scorers know no other one, and the names no way to tell them.
    """
    numbered = PartialModel(np.array([0, 1]), model.X, model.scores)
    numbered.slope_, numbered.offset_ = model.slope_, model.offset_
    return scorer(numbered, X, (y == model.classes_[1]).astype(int), **options)


@dataclass
class StoppingRule:
    """Scores the model after each round, and says when it no longer improves.

    ``stumps`` are the rankers found before, ``scorer(estimator, X, y)`` None for the
    share of held-out pairs in order, or a metric of scores, and ``patience`` is the
    number of rounds without a gain of more than ``tol`` after which the run ends.
    """

    train: TrainingCases
    held_out: TrainingCases
    classes: Array
    stumps: Array
    scorer: Callable[..., float] | Monitored | None
    has_weights: bool
    has_lists: bool
    patience: int
    tol: float

    def __post_init__(self) -> None:
        self._train_scores = stump_scores(self.stumps, self.train.X)
        found = stump_scores(self.stumps, self.held_out.X)
        self._model = PartialModel(self.classes, self.held_out.X, found)
        self.scores: list[float] = []

    def add(self, stump: Array) -> float:
        """Add a ranker, and return the score of the model with it."""
        model, train, held_out = self._model, self.train, self.held_out
        model.scores = model.scores + stump["weight"] * is_above(stump, held_out.X)
        if self.scorer is None:
            score = ranking_auc_score(
                held_out.is_pos,
                model.scores,
                groups=held_out.lists,
                average="pairs",
                sample_weight=held_out.weights,
            )
        elif isinstance(self.scorer, Monitored):
            score = self._metric_of(self.scorer, model.scores)
        else:
            self._train_scores += stump["weight"] * is_above(stump, train.X)
            model.slope_, model.offset_ = fit_link(
                self._train_scores, train.is_pos, train.weights
            )
            weights = {"sample_weight": held_out.weights} if self.has_weights else {}
            score = self.scorer(model, held_out.X, held_out.y, **weights)
        if np.isnan(score):
            # No round would ever be better, nor the run end.
            raise ValueError(
                f"The score of the {len(held_out.y)} held-out cases is nan in round "
                f"{len(self.scores) + 1}: early stopping needs a number. Set another "
                "scoring, a larger validation_fraction or n_iter_no_change=None."
            )
        self.scores.append(float(score))
        return self.scores[-1]

    def _metric_of(self, metric: Monitored, scores: FloatArray) -> float:
        """Return a metric of the held-out cases, greater where it is better."""
        held_out = self.held_out
        weights = held_out.weights if self.has_weights else None
        if self.has_lists:
            rows = held_out.is_pos, scores, held_out.lists, weights
            value = metric.within(*rows)
        else:
            value = metric.of_ranking(held_out.is_pos, scores, weights)
        return value if metric.greater_is_better else -value

    def is_over(self) -> bool:
        """Return whether none of the last rounds beat the best before by ``tol``."""
        if len(self.scores) <= self.patience:
            return False
        before = max(self.scores[: -self.patience])
        return max(self.scores[-self.patience :]) <= before + self.tol


class PartialModel(LinkedClasses, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The model so far as a scorer sees it: it knows the held-out cases only."""

    slope_, offset_ = 1.0, 0.0

    def __init__(self, classes: Array, X: Array, scores: FloatArray) -> None:
        self.classes_ = classes
        self.X = X
        self.scores = scores

    def decision_function(self, X: ArrayLike) -> FloatArray:
        if X is not self.X:
            raise ValueError("A scorer for early stopping must pass X as it got it.")
        return self.scores - self.offset_
