"""Labels that are estimates: what each case counts as, and how far that may be off."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np

from skrate.data.arrays import BoolArray, FloatArray, IntArray, lazy
from skrate.data.checks import check_unmasked, shown

Scope = Literal["population", "batch"]
# Attributes with an entry per case, where labels have them.
_PER_CASE = ["pos", "noise", "weight", "is_labelled", "share", "prediction", "shared"]


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedLabels:
    """Labels as the functions of :mod:`skrate.labels` return them, for ``y_true``.

    Scores, :func:`skrate.estimate` and :func:`skrate.compare` take them. A case counts
    ``pos`` as a positive and ``neg`` as a negative: their expectations are 1 and 0, or
    0 and 1, as the true label is, though they may be below 0 or above 1 themselves.

    ``labels[rows]`` are the labels of some cases, by a mask, a slice or positions; not
    of rows that were chosen by whether they have a label.

    Attributes
    ----------
    pos : array of shape (n_samples,)
        What each case counts as a positive.
    noise : array of shape (n_samples,)
        How far ``pos`` is from the truth: its square is an estimate of the variance
        with the case given.
    source : str
        The function that made them.
    scope : {"population", "batch"}
        What is estimated: the metric of cases like these, or of these very cases.
    weight : array of shape (n_samples,) or None
        What each case counts in all; None where each counts 1.
    purpose : str or None
        The metric for which cases were chosen; of others less is known.

    Examples
    --------
    >>> from skrate import labels, recall_at_rate_score
    >>> y_true = [1, float("nan"), 0, 1, float("nan"), 0]
    >>> found = labels.sampled(y_true, 0.5)
    >>> found.pos.tolist()
    [2.0, 0.0, 0.0, 2.0, 0.0, 0.0]
    >>> recall_at_rate_score(found, [6, 5, 4, 3, 2, 1], rate=0.5)
    0.5
    >>> recall_at_rate_score(found[:4], [6, 5, 4, 3], rate=0.5)
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
            f"{type(self).__name__}({len(self):,} cases, of which {self.pos.sum():.4g} "
            f"positive; {self.source}, of the {self.scope})"
        )

    @property
    def shape(self) -> tuple[int]:
        """The number of cases, as of an array; scikit-learn splits what has it."""
        return (len(self),)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.known is None:
            raise ValueError(
                f"{type(self).__name__} hold estimates, which scores of one ranking, "
                "scorers, estimate, compare, compare_curves, curve_band, hit_curve, "
                "select_best, budget_report and their displays take as y_true; here, "
                "or with these arguments, known labels are needed. Fit models to known "
                "labels, then call scorer(model, X_test, labels)."
            )
        return np.array(self.known, dtype)

    def __iter__(self) -> Any:
        return iter(np.asarray(self))

    def __getitem__(self, rows: Any) -> EstimatedLabels:
        return self._taken(self._index(rows))

    def _index(self, rows: Any) -> IntArray:
        """Return the positions of rows, none of them twice."""
        check_unmasked("rows", rows)
        index: Any = None
        with suppress(IndexError, TypeError, ValueError):
            index = np.arange(len(self))[rows]
        if np.ndim(index) != 1 or len(np.unique(index)) < len(index):
            raise ValueError(
                "rows of labels must be a mask, a slice or positions of different ones "
                f"of the {len(self)} cases, got {shown(rows)}: estimates are of many "
                "cases, each once."
            )
        return np.asarray(index)

    def _taken(self, index: IntArray) -> EstimatedLabels:
        """Return the labels of some cases, whose errors the others do not share."""
        given = {name: getattr(self, name, None) for name in _PER_CASE}
        own = {name: v[..., index] for name, v in given.items() if v is not None}
        return replace(self, **own)

    def for_batch(self) -> Self:
        """Return the same labels, for the metric of these very cases."""
        return replace(self, scope="batch")

    @lazy
    def neg(self) -> FloatArray:
        """What each case counts as a negative."""
        return np.asarray((1.0 if self.weight is None else self.weight) - self.pos)

    @property
    def is_complete(self) -> bool:
        """Whether no label is missing, so that without noise all are known."""
        return True

    @lazy
    def known(self) -> BoolArray | None:
        """Which cases are positive, if all labels are known after all; else None."""
        is_pos = self.pos == 1
        are_sure = bool((is_pos | (self.pos == 0)).all()) and not self.noise.any()
        is_plain = self.scope == "population" and self.weight is None
        return is_pos if are_sure and is_plain and self.is_complete else None

    @property
    def drawn_errors(self) -> FloatArray:
        """Where only draws show errors: inverse probabilities, and errors times these.

        Of shape (2, n_samples), and 0 where the variance is known otherwise.
        """
        return np.zeros((2, len(self)))

    @property
    def are_exact(self) -> bool:
        """Whether the metric of these very cases is known without an error."""
        if self.scope == "population" or self.noise.any() or not self.is_complete:
            return False
        # An error may be that of all.
        slope = np.ones(len(self))
        return not self.influence(slope, 0 * slope).any()

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        """Return what each case contributes, from what it would as either class.

        Entries beyond the cases are errors that all cases share.
        """
        if self.scope == "batch":
            return self.noise * (of_pos - of_neg)
        return self.pos * of_pos + self.neg * of_neg

    def influence_rows(
        self, of_pos: FloatArray, of_neg: FloatArray
    ) -> list[FloatArray]:
        """Return the influence, and the one that is expected if predictions say it.

        If few labels count for many cases, the rarest may not have been drawn yet, and
        the spread of the labels is then too small.
        """
        return [self.influence(of_pos, of_neg)]


@dataclass(frozen=True, eq=False, repr=False)
class TakenLabels(EstimatedLabels):
    """Labels of some cases, with errors that depend on others of the ``whole``."""

    whole: EstimatedLabels = None  # type: ignore[assignment]
    rows: IntArray = None  # type: ignore[assignment]

    @classmethod
    def of(cls, whole: EstimatedLabels, index: IntArray) -> TakenLabels:
        """Return the labels of these cases."""
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

    def _taken(self, index: IntArray) -> EstimatedLabels:
        return replace(self.whole, scope=self.scope)._taken(self.rows[index])

    @property
    def is_complete(self) -> bool:
        return self.whole.is_complete

    @property
    def known(self) -> BoolArray | None:
        return None if self.whole.known is None else self.whole.known[self.rows]

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
