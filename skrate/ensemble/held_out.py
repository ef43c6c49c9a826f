"""When to stop: the score on cases that are held out."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from skrate.core.arrays import Array, FloatArray, IntArray
from skrate.ensemble.cases import Cases
from skrate.ensemble.link import Link, fit_link
from skrate.ensemble.stumps import is_above, stump_scores
from skrate.metrics.ranking_auc import ranking_auc_score


def split_cases(
    cases: Cases, has_lists: bool, fraction: float, seed: int
) -> tuple[IntArray, IntArray]:
    """Return the rows to train on and the rows held out, whole lists if there are."""
    rows = np.arange(len(cases.is_pos))
    if not has_lists:
        train, held_out = train_test_split(
            rows, test_size=fraction, stratify=cases.is_pos, random_state=seed
        )
        return train, held_out
    splitter = GroupShuffleSplit(1, test_size=fraction, random_state=seed)
    train, held_out = next(splitter.split(rows, groups=cases.lists))
    for part, name in ((train, "trained on"), (held_out, "held out")):
        if not cases.take(part).has_pairs().any():
            raise ValueError(
                f"With validation_fraction={fraction!r} no list {name} holds both "
                "classes: change it, or random_state."
            )
    return train, held_out


class StoppingRule:
    """Scores the model after each round, and says when it no longer improves.

    Parameters
    ----------
    train, held_out : Cases
    y : array of shape (n_held_out,)
        Labels of the held-out cases as the user gave them.
    classes : array of shape (2,)
    scorer : None or callable ``scorer(estimator, X, y)``
        None is the share of held-out pairs in order.
    scorer_kwargs : dict
    stumps : array of the rankers found before
    patience : int
        Rounds without a gain after which the run ends.
    tol : float
    """

    def __init__(
        self,
        train: Cases,
        held_out: Cases,
        y: Array,
        classes: Array,
        scorer: Callable[..., float] | None,
        scorer_kwargs: dict[str, Any],
        stumps: Array,
        patience: int,
        tol: float,
    ) -> None:
        self._train, self._held_out = train, held_out
        self._y = y
        self._scorer = scorer
        self._scorer_kwargs = scorer_kwargs
        self._train_scores = stump_scores(stumps, train.X)
        self._model = PartialModel(classes, held_out.X)
        self._model.scores = stump_scores(stumps, held_out.X)
        self._patience, self._tol = patience, tol
        self.scores: list[float] = []

    def add(self, stump: Array) -> float:
        """Add a ranker, and return the score of the model with it."""
        model, held_out = self._model, self._held_out
        model.scores = model.scores + stump["weight"] * is_above(stump, held_out.X)
        if self._scorer is None:
            score = ranking_auc_score(
                held_out.is_pos,
                model.scores,
                groups=held_out.lists,
                average="pairs",
                sample_weight=held_out.weights,
            )
        else:
            train = self._train
            self._train_scores += stump["weight"] * is_above(stump, train.X)
            model.link = fit_link(self._train_scores, train.is_pos, train.weights)
            score = self._scorer(model, held_out.X, self._y, **self._scorer_kwargs)
        self.scores.append(float(score))
        return self.scores[-1]

    def is_over(self) -> bool:
        """Return whether none of the last rounds beat the best before by ``tol``."""
        if len(self.scores) <= self._patience:
            return False
        before = max(self.scores[: -self._patience])
        return max(self.scores[-self._patience :]) <= before + self._tol


class PartialModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The model so far as a scorer sees it: it knows the held-out cases only."""

    def __init__(self, classes: Array, X: Array) -> None:
        self.classes_ = classes
        self.X = X
        self.scores: FloatArray = np.zeros(0)
        self.link = Link(1.0, 0.0)

    def decision_function(self, X: Array) -> FloatArray:
        """Return the scores of the held-out cases."""
        if X is not self.X:
            raise ValueError("A scorer for early stopping must pass X as it got it.")
        return self.scores - self.link.offset

    def predict_proba(self, X: Array) -> FloatArray:
        """Return the probabilities of both classes."""
        margin = self.link.slope * self.decision_function(X)
        return np.column_stack([expit(-margin), expit(margin)])

    def predict(self, X: Array) -> Array:
        """Return the more probable class."""
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(int)])
