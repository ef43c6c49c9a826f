"""Checked samples with labels and scores, and their groups of ties."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
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

# "relative" weights have no scale, "frequency" weights are numbers of repetitions, and
# "sampling" weights are inverse probabilities of being sampled.
Kind = Literal["relative", "frequency", "sampling"]


@dataclass(frozen=True)
class Sample:
    """Checked samples with labels, and optional scores, weights and clusters."""

    is_pos: BoolArray
    scores: Array | None = None  # None if absent, or not added yet.
    weights: FloatArray | None = None  # Above 0; None if all are equal.
    clusters: IntArray | None = None  # Cluster numbers, from 0.
    # Which of the given samples have weight; None if all have.
    kept: BoolArray | None = None
    kind: Kind = "relative"
    # Estimates of the labels; with estimates `is_pos` has no meaning.
    estimated: EstimatedLabels | None = None

    def drop_zero_weights(self) -> Self:
        """Return the samples that have weight; ``kept`` is their mask."""
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
        """Return the same samples with scores; errors name them ``name``."""
        scores = check_scores(name, y_score)
        warn_class_scores(name, scores)
        return self._with_scores(self.select(name, scores))

    def select(self, name: str, column: Array) -> Array:
        """Return a column of the samples with weight, after a check of its length."""
        labels = self.is_pos if self.kept is None else self.kept
        check_equal_length(**{"y_true": labels, name: column})
        return column if self.kept is None else column[self.kept]

    def _with_scores(self, scores: Array) -> Self:
        """Return the samples with checked scores, which can calibrate predictions."""
        if self.estimated is None:
            return replace(self, scores=scores)
        estimated = self.estimated.for_scores(scores)
        return replace(
            self, is_pos=estimated.pos > 0, scores=scores, estimated=estimated
        )

    @property
    def n_input(self) -> int:
        """Number of samples, including samples without weight."""
        return len(self.is_pos if self.kept is None else self.kept)

    @property
    def row_weights(self) -> FloatArray:
        """The weight of each sample, 1 if all are equal."""
        return np.ones(len(self.is_pos)) if self.weights is None else self.weights

    @property
    def are_repetitions(self) -> bool:
        """Whether weights are numbers of repetitions."""
        return self.kind == "frequency"

    @property
    def has_sampling_weights(self) -> bool:
        """Whether there are weights that are not numbers of repetitions."""
        return self.weights is not None and not self.are_repetitions

    @cached_property
    def total(self) -> float:
        """Number of samples; repetitions count."""
        if self.weights is not None and self.are_repetitions:
            return float(self.weights.sum())
        return float(len(self.is_pos))

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """Number of positives and of negatives; repetitions count."""
        if self.estimated is not None:
            return float(self.estimated.pos.sum()), float(self.estimated.neg.sum())
        if self.weights is not None and self.are_repetitions:
            pos, neg = self.weights[self.is_pos], self.weights[~self.is_pos]
            return float(pos.sum()), float(neg.sum())
        n_pos = np.count_nonzero(self.is_pos)
        return float(n_pos), float(len(self.is_pos) - n_pos)

    def columns(self, order: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights of samples as positives and as negatives, in ``order``."""
        if self.estimated is not None:
            pos, weight = self.estimated.pos.take(order), self.estimated.weight
            return pos, (1.0 if weight is None else weight.take(order)) - pos
        # The sign is the class, so one indexing orders both columns.
        weights = self.row_weights
        signed = np.where(self.is_pos, weights, -weights)[order]
        pos = np.maximum(signed, 0.0)
        return pos, pos - signed

    def ranking(self) -> tuple[IntArray, BoolArray]:
        """Return the samples, best first, and where groups of equal scores begin.

        Every group has weight: samples that are lost by censoring join a neighbour.
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
        """Number of clusters, or of samples without clusters."""
        if self.clusters is None:
            return len(self.is_pos)
        return int(self.clusters.max(initial=-1)) + 1

    @cached_property
    def effective_sizes(self) -> tuple[float, float]:
        """Effective number of samples of each class: (sum w)^2 / sum w^2.

        The w are weights of samples or, with clusters, of the clusters in the class.
        """
        if self.estimated is not None:
            # A label that counts several times was observed only once.
            squares = [dot(x, x) for x in (self.estimated.pos, self.estimated.neg)]
            numbers = [
                min(size, size**2 / square) if square > 0 else 0.0
                for size, square in zip(self.sizes, squares, strict=True)
            ]
            return numbers[0], numbers[1]
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
    """Return scores, or raise with the ``__skrate_hint__`` of ``y_true``."""
    if y_score is None:
        hint = getattr(type(y_true), "__skrate_hint__", "")
        raise ValueError(
            "y_score is missing: give the scores of the samples, or a RankTable as "
            "y_true instead of labels and scores; y_true is of the type "
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
    """Return the samples that have weight, with scores and relative weights.

    Equal weights are dropped, because no metric depends on their scale; with
    ``keep_scale`` only weights of 1. Estimated labels are accepted if
    ``takes_estimates``, or if all labels are known after all.
    """
    y_score = require_scores(y_score, y_true)
    labelled = check_labelled(
        y_true, sample_weight, pos_label, takes_estimates=takes_estimates
    )
    scores = check_scores("y_score", y_score, takes_unreturned=takes_unreturned)
    check_equal_length(y_true=labelled.is_pos, y_score=scores)
    warn_class_scores("y_score", scores)
    weights = labelled.weights
    sample = Sample(labelled.is_pos, weights=weights, estimated=labelled.estimated)
    sample = sample._with_scores(scores)
    if weights is None:
        return sample
    sample = sample.drop_zero_weights()
    left = sample.weights
    assert left is not None
    # The ends first, because they usually differ.
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
    """Return all samples with their labels and weights, without scores."""
    if not isinstance(y_true, EstimatedLabels):
        is_pos = check_labels(check_vector("y_true", y_true), pos_label)
        if sample_weight is None:
            return Sample(is_pos)
        weights = check_weights("sample_weight", sample_weight)
        check_equal_length(y_true=is_pos, sample_weight=weights)
        return Sample(is_pos, weights=weights)
    excluded = {"sample_weight": sample_weight, "pos_label": pos_label}
    for name, passed in excluded.items():
        if passed is not None:
            raise ValueError(
                f"{name} must be None if y_true holds estimated labels: leave it out. "
                "These have the weight of each sample and the positive class."
            )
    if y_true.known is not None:
        return Sample(y_true.known)
    if not takes_estimates:
        # Raises, with the functions that accept estimates.
        check_vector("y_true", y_true)
    return Sample(y_true.pos > 0, estimated=y_true)
