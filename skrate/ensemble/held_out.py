"""When to stop: the score on cases that are held out."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from skrate.core.arrays import Array, FloatArray, IntArray
from skrate.ensemble.cases import Cases
from skrate.ensemble.link import Link, fit_link
from skrate.ensemble.stumps import is_above, stump_scores
from skrate.metrics.ranking_auc import ranking_auc_score


def split_cases(
    cases: Cases, has_lists: bool, fraction: float, seed: int
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
        if np.isnan(score):
            # No round would ever be better, nor the run end.
            raise ValueError(
                f"The score of the {len(self._y)} held-out cases is nan in round "
                f"{len(self.scores) + 1}: early stopping needs a number. Set another "
                "scoring, a larger validation_fraction or n_iter_no_change=None."
            )
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
