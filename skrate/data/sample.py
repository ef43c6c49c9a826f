"""Labelled and scored cases, checked, and the groups of ties that they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    dot,
    effective_number,
    lazy,
)
from skrate.data.checks import (
    check_equal_length,
    check_labels,
    check_scores,
    check_vector,
    check_weights,
    warn_class_scores,
)
from skrate.data.estimated import EstimatedLabels
from skrate.data.ranking import ranking

# What weights are: "relative" ones have no scale; others are whole numbers of
# repetitions, or inverse probabilities of being sampled.
Kind = Literal["relative", "frequency", "sampling"]


@dataclass(frozen=True)
class Sample:
    """Cases with a label, and maybe a score, a weight and a cluster, all checked."""

    is_pos: BoolArray
    scores: Array | None = None  # None where they are not known, or not yet.
    weights: FloatArray | None = None  # Above zero; None where all count the same.
    clusters: IntArray | None = None  # Number of the cluster of each, from 0.
    # Which of the cases that were given have weight; None where all have.
    kept: BoolArray | None = None
    kind: Kind = "relative"
    # What cases count as where that is not known; `is_pos` then has no meaning.
    estimated: EstimatedLabels | None = None

    def drop_zero_weights(self) -> Self:
        """Return the cases that have weight; ``kept`` says which."""
        if self.weights is None or self.weights.all():
            return self
        kept = self.weights > 0
        return replace(
            self,
            is_pos=self.is_pos[kept],
            scores=None if self.scores is None else self.scores[kept],
            weights=self.weights[kept],
            clusters=None if self.clusters is None else self.clusters[kept],
            kept=kept,
        )

    def add_scores(self, name: str, y_score: ArrayLike) -> Self:
        """Return the same cases with scores, which are checked under ``name``."""
        scores = check_scores(name, y_score)
        warn_class_scores(name, scores)
        if len(scores) != self.n_input:
            raise ValueError(
                f"Unequal numbers of cases: y_true has {self.n_input}, {name} has "
                f"{len(scores)}."
            )
        return replace(self, scores=scores if self.kept is None else scores[self.kept])

    @property
    def n_input(self) -> int:
        """Number of cases before those without weight were left out."""
        return len(self.is_pos if self.kept is None else self.kept)

    @property
    def row_weights(self) -> FloatArray:
        """The weight of each case, 1 where all count the same."""
        return np.ones(len(self.is_pos)) if self.weights is None else self.weights

    @property
    def are_repetitions(self) -> bool:
        """Whether a case counts as often as its weight says."""
        return self.kind == "frequency"

    @property
    def is_plain(self) -> bool:
        """Whether counts per group of ties say all there is to know."""
        return self.clusters is None and (self.weights is None or self.are_repetitions)

    @lazy
    def total(self) -> float:
        """Number of cases; repetitions count."""
        if self.weights is not None and self.are_repetitions:
            return float(self.weights.sum())
        return float(len(self.is_pos))

    @lazy
    def sizes(self) -> tuple[float, float]:
        """Number of positives and of negatives; repetitions count."""
        if self.estimated is not None:
            return float(self.estimated.pos.sum()), float(self.estimated.neg.sum())
        return self._count(self.is_pos), self._count(~self.is_pos)

    def _count(self, chosen: BoolArray) -> float:
        if self.weights is not None and self.are_repetitions:
            return float(self.weights[chosen].sum())
        return float(np.count_nonzero(chosen))

    def columns(self, order: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return what each sample counts as a positive, and as a negative, in order."""
        if self.estimated is not None:
            pos, weight = self.estimated.pos.take(order), self.estimated.weight
            return pos, (1.0 if weight is None else weight.take(order)) - pos
        # With a sign for the class, so that they are put in order once.
        weights = self.row_weights
        signed = np.where(self.is_pos, weights, -weights)[order]
        pos = np.maximum(signed, 0.0)
        return pos, pos - signed

    def ranking(self) -> tuple[IntArray, BoolArray]:
        """Return the samples, best first, and where groups of equal scores begin.

        No group is without weight: lost cases of censored labels join the next one.
        """
        assert self.scores is not None
        order, begins = ranking(self.scores)
        if self.estimated is not None and self.estimated.weight is not None:
            starts = np.flatnonzero(begins)
            weights = np.add.reduceat(self.estimated.weight[order], starts)
            begins[starts] = weights > 0
            begins[np.argmax(begins)], begins[0] = False, True
        return order, begins

    @property
    def n_units(self) -> int:
        """Number of clusters; of cases where there are none."""
        if self.clusters is None:
            return len(self.is_pos)
        return int(self.clusters.max(initial=-1)) + 1

    @lazy
    def effective_sizes(self) -> tuple[float, float]:
        """Number of independent cases of each class: (sum w)^2 / sum w^2 of weights.

        Or of the weights of clusters in the class.
        """
        if self.estimated is not None:
            # What is counted several times is known as often as it is seen.
            squares = [dot(x, x) for x in (self.estimated.pos, self.estimated.neg)]
            found = [
                min(size, size**2 / square) if square > 0 else 0.0
                for size, square in zip(self.sizes, squares, strict=True)
            ]
            return found[0], found[1]
        chosen = (self.is_pos, ~self.is_pos)
        if self.clusters is not None:
            n_pos, n_neg = (
                effective_number(np.bincount(self.clusters[c], self.row_weights[c]))
                for c in chosen
            )
        elif self.weights is None or self.are_repetitions:
            n_pos, n_neg = self.sizes
        else:
            n_pos, n_neg = (effective_number(self.weights[c]) for c in chosen)
        return n_pos, n_neg


def require_scores(y_score: ArrayLike | None, y_true: object) -> ArrayLike:
    """Return scores if there are any; ``__skrate_hint__`` of what was given helps."""
    if y_score is None:
        hint = getattr(type(y_true), "__skrate_hint__", "")
        raise ValueError(
            "y_score is missing: give the scores of the cases, or a RankTable as "
            "y_true, which takes the place of both; y_true is of the type "
            f"{type(y_true).__name__}{hint}."
        )
    return y_score


def check_ranking(
    y_true: ArrayLike,
    y_score: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label = None,
    *,
    keep_scale: bool = False,
    takes_estimates: bool = False,
    takes_unreturned: bool = False,
) -> Sample:
    """Return the cases that count, with scores and relative weights.

    Weights that are all equal are dropped, as their scale is free for every metric;
    with ``keep_scale`` only weights of one. Labels that are estimates are taken where
    they are, or all are known after all.
    """
    y_score = require_scores(y_score, y_true)
    found = check_labelled(
        y_true, sample_weight, pos_label, takes_estimates=takes_estimates
    )
    scores = check_scores("y_score", y_score, takes_unreturned=takes_unreturned)
    check_equal_length(y_true=found.is_pos, y_score=scores)
    warn_class_scores("y_score", scores)
    weights = found.weights
    sample = Sample(found.is_pos, scores, weights, estimated=found.estimated)
    if weights is None:
        return sample
    sample = sample.drop_zero_weights()
    left = sample.weights
    assert left is not None
    # The ends first: most often they tell.
    are_equal = bool(left[0] == left[-1] and left.min() == left.max())
    if are_equal and not (keep_scale and left[0] != 1):
        return replace(sample, weights=None)
    return sample


def check_labelled(
    y_true: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: Label,
    *,
    takes_estimates: bool,
) -> Sample:
    """Return all samples behind labels and weights, without scores."""
    if not isinstance(y_true, EstimatedLabels):
        is_pos = check_labels(check_vector("y_true", y_true), pos_label)
        if sample_weight is None:
            return Sample(is_pos)
        weights = check_weights("sample_weight", sample_weight)
        check_equal_length(y_true=is_pos, sample_weight=weights)
        return Sample(is_pos, weights=weights)
    others = {"sample_weight": sample_weight, "pos_label": pos_label}
    for name, value in others.items():
        if value is not None:
            raise ValueError(
                f"{name} must be None where y_true holds estimated labels, which say "
                "what each case counts and which class is positive: leave it out."
            )
    if y_true.known is not None:
        return Sample(y_true.known)
    if not takes_estimates:
        # It raises, and says what takes them.
        check_vector("y_true", y_true)
    return Sample(y_true.pos > 0, estimated=y_true)
