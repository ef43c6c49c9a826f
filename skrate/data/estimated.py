"""Estimated labels: weights of each sample as both classes, and their errors."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from skrate.data.arrays import BoolArray, FloatArray, IntArray
from skrate.data.checks import check_unmasked, shown

Scope = Literal["population", "batch"]
# Attributes with an entry per sample, if the labels have them.
_PER_SAMPLE = ["pos", "noise", "weight", "is_labelled", "share", "prediction", "shared"]
_PER_SAMPLE.append("fitted")


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedLabels:
    """Estimated labels for ``y_true``, from the functions of :mod:`skrate.labels`.

    Scores, :func:`skrate.estimate` and :func:`skrate.compare` accept them. A sample
    counts ``pos`` as a positive and ``neg`` as a negative. Their expectations are 1 and
    0, or 0 and 1, like the true label; they may themselves be below 0 or above 1.

    ``labels[rows]`` are the labels of some samples, by a mask, a slice or positions.
    Do not choose rows by whether they have a label.

    Attributes
    ----------
    pos : array of shape (n_samples,)
        Weight of each sample as a positive.
    noise : array of shape (n_samples,)
        Error of ``pos``: its square is an estimate of the variance given the sample.
    source : str
        The function that returned the labels.
    scope : {"population", "batch"}
        Whether the metric is estimated for samples like these, or for exactly these.
    weight : array of shape (n_samples,) or None
        Total weight of each sample; None if each counts 1.
    purpose : str or None
        The metric for which samples were chosen; other metrics are less precise.

    Examples
    --------
    >>> from skrate import labels, recall_at_rate_score
    >>> y_true = [1, float("nan"), 0, 1, float("nan"), 0]
    >>> estimates = labels.sampled(y_true, 0.5)
    >>> estimates.pos.tolist()
    [2.0, 0.0, 0.0, 2.0, 0.0, 0.0]
    >>> recall_at_rate_score(estimates, [6, 5, 4, 3, 2, 1], rate=0.5)
    0.5
    >>> recall_at_rate_score(estimates[:4], [6, 5, 4, 3], rate=0.5)
    0.5
    """

    pos: FloatArray
    noise: FloatArray
    source: str
    scope: Scope = "population"
    weight: FloatArray | None = None
    purpose: str | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return len(self.pos)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self):,} samples, {self.pos.sum():.4g} "
            f"positive; {self.source}, of the {self.scope})"
        )

    @property
    def shape(self) -> tuple[int]:
        """The shape of a vector of labels, which scikit-learn needs to split them."""
        return (len(self),)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.known is None:
            raise ValueError(
                f"{type(self).__name__} are estimates, but known labels are needed "
                "here, or with these arguments: fit models to known labels, then call "
                "scorer(model, X_test, labels). Estimates are accepted as y_true by "
                "scores of one ranking, scorers, estimate, compare, compare_curves, "
                "curve_band, hit_curve, select_best, budget_report and their displays."
            )
        return np.array(self.known, dtype)

    def __iter__(self) -> Any:
        return iter(np.asarray(self))

    def __getitem__(self, rows: Any) -> EstimatedLabels:
        return self._select(self._index(rows))

    def _index(self, rows: Any) -> IntArray:
        """Return the positions of rows, after a check that they are distinct."""
        check_unmasked("rows", rows)
        index: Any = None
        with suppress(IndexError, TypeError, ValueError):
            index = np.arange(len(self))[rows]
        if np.ndim(index) != 1 or len(np.unique(index)) < len(index):
            raise ValueError(
                "rows of labels must be a mask, a slice or distinct positions among "
                f"{len(self)} samples, got {shown(rows)}: select each sample once at "
                "most, and single samples by a list."
            )
        return np.asarray(index)

    def _select(self, index: IntArray) -> EstimatedLabels:
        """Return the labels of some samples, with errors of these samples only."""
        columns = {name: getattr(self, name, None) for name in _PER_SAMPLE}
        selected = {name: v[..., index] for name, v in columns.items() if v is not None}
        return replace(self, **selected)

    def for_batch(self) -> Self:
        """Return the same labels, for the metric of exactly these samples."""
        return replace(self, scope="batch")

    def for_scores(self, scores: FloatArray) -> Self:
        """Return the same labels, with predictions calibrated for these scores."""
        return self

    @cached_property
    def neg(self) -> FloatArray:
        """Weight of each sample as a negative."""
        return np.asarray((1.0 if self.weight is None else self.weight) - self.pos)

    @property
    def is_complete(self) -> bool:
        """Whether no label is missing; without noise all labels are then exact."""
        return True

    @cached_property
    def known(self) -> BoolArray | None:
        """Which samples are positive, if all labels are certain; else None."""
        is_pos = self.pos == 1
        are_sure = bool((is_pos | (self.pos == 0)).all()) and not self.noise.any()
        is_plain = self.scope == "population" and self.weight is None
        return is_pos if are_sure and is_plain and self.is_complete else None

    @property
    def min_heavy(self) -> int:
        """How many samples with a large weight and an error are needed."""
        return 6

    @property
    def drawn_errors(self) -> FloatArray:
        """Inverse probabilities, and errors times these, if only draws show errors.

        The shape is (2, n_samples). Entries are 0 if the variance has another source.
        """
        return np.zeros((2, len(self)))

    @property
    def are_exact(self) -> bool:
        """Whether the metric is estimated for exactly these samples, without error."""
        if self.scope == "population" or self.noise.any() or not self.is_complete:
            return False
        # All samples may have an error in common.
        slope = np.ones(len(self))
        return not self.influence(slope, 0 * slope).any()

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        """Return the influence of each sample, from its influence as either class.

        Entries after the samples are errors that all samples have in common.
        """
        if self.scope == "batch":
            return self.noise * (of_pos - of_neg)
        return self.pos * of_pos + self.neg * of_neg

    def influence_rows(
        self, of_pos: FloatArray, of_neg: FloatArray
    ) -> list[FloatArray]:
        """Return the influence, and if predictions imply it the expected influence.

        If each label counts for many samples, the rarest may not have been drawn yet,
        and the spread of the labels is then too small.
        """
        return [self.influence(of_pos, of_neg)]


@dataclass(frozen=True, eq=False, repr=False)
class SelectedLabels(EstimatedLabels):
    """Labels of some samples, with errors that depend on the rest of ``whole``."""

    whole: EstimatedLabels = None  # type: ignore[assignment]
    rows: IntArray = None  # type: ignore[assignment]

    @classmethod
    def of(cls, whole: EstimatedLabels, index: IntArray) -> SelectedLabels:
        """Return the labels of the samples at ``index``."""
        weight = None if whole.weight is None else whole.weight[index]
        return cls(
            whole.pos[index],
            whole.noise[index],
            whole.source,
            whole.scope,
            weight,
            purpose=whole.purpose,
            whole=whole,
            rows=index,
        )

    def _select(self, index: IntArray) -> EstimatedLabels:
        return replace(self.whole, scope=self.scope)._select(self.rows[index])

    def for_scores(self, scores: FloatArray) -> Self:
        part = EstimatedLabels._select(self.whole, self.rows)
        calibrated = part.for_scores(scores)
        if calibrated is part:
            return self
        columns = {}
        for name in ("pos", "noise", "prediction"):
            column = getattr(self.whole, name)
            if column is not None:
                columns[name] = column.copy()
                columns[name][self.rows] = getattr(calibrated, name)
        whole = replace(self.whole, **columns)
        return replace(self, pos=calibrated.pos, noise=calibrated.noise, whole=whole)

    @property
    def is_complete(self) -> bool:
        return self.whole.is_complete

    @property
    def known(self) -> BoolArray | None:
        return None if self.whole.known is None else self.whole.known[self.rows]

    @property
    def min_heavy(self) -> int:
        return self.whole.min_heavy

    @property
    def drawn_errors(self) -> FloatArray:
        return self.whole.drawn_errors[:, self.rows]

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        return self.influence_rows(of_pos, of_neg)[0]

    def influence_rows(
        self, of_pos: FloatArray, of_neg: FloatArray
    ) -> list[FloatArray]:
        slopes = np.zeros((2, len(self.whole)))
        slopes[:, self.rows] = of_pos, of_neg
        rows = replace(self.whole, scope=self.scope).influence_rows(*slopes)
        return [np.append(r[self.rows], np.delete(r, self.rows)) for r in rows]
