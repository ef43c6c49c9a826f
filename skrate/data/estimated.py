"""Labels that are estimates: what each case counts as, and how far that may be off."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, Self, get_args

import numpy as np

from skrate.data.arrays import BoolArray, FloatArray, lazy
from skrate.data.checks import check_choice

Scope = Literal["population", "batch"]
SCOPES: tuple[Scope, ...] = get_args(Scope)


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedLabels:
    """Labels as the functions of :mod:`skrate.labels` return them, for ``y_true``.

    Scores, :func:`skrate.estimate` and :func:`skrate.compare` take them. A case counts
    ``pos`` as a positive and ``neg`` as a negative: their expectations are 1 and 0, or
    0 and 1, as the true label is, though they may be below 0 or above 1 themselves.

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
    """

    pos: FloatArray
    noise: FloatArray
    source: str
    scope: Scope = "population"
    weight: FloatArray | None = None
    purpose: str | None = field(default=None, kw_only=True)

    __skrate_hint__ = (
        ": estimated labels, which scores of one ranking, scorers, estimate, compare, "
        "influence, compare_curves, curve_band, select_best and budget_report take; "
        "here, or with these arguments, known labels are needed"
    )

    def __post_init__(self) -> None:
        check_choice("scope", self.scope, SCOPES)

    def __len__(self) -> int:
        return len(self.pos)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self):,} cases, of which {self.pos.sum():.4g} "
            f"positive; {self.source}, of the {self.scope})"
        )

    def for_batch(self) -> Self:
        """Return the same labels, for the metric of these very cases."""
        return replace(self, scope="batch")

    @lazy
    def neg(self) -> FloatArray:
        """What each case counts as a negative."""
        return np.asarray((1.0 if self.weight is None else self.weight) - self.pos)

    @lazy
    def known(self) -> BoolArray | None:
        """Which cases are positive, if all labels are known after all; else None."""
        is_pos = self.pos == 1
        are_known = self.scope == "population" and self.weight is None
        are_known = are_known and bool((is_pos | (self.pos == 0)).all())
        return is_pos if are_known and not self.noise.any() else None

    @property
    def as_expected(self) -> EstimatedLabels | None:
        """The same labels, whose influence is that expected of them; None if unknown.

        If few labels count for many cases, the rarest may not have been drawn yet, and
        the spread of the labels is then too small.
        """
        return None

    @property
    def are_exact(self) -> bool:
        """Whether the metric of these very cases is known without an error."""
        return self.scope == "batch" and not self.noise.any()

    def influence(self, of_pos: FloatArray, of_neg: FloatArray) -> FloatArray:
        """Return what each case contributes, from what it would as either class.

        Entries beyond the cases are errors that all cases share.
        """
        if self.scope == "batch":
            return self.noise * (of_pos - of_neg)
        return self.pos * of_pos + self.neg * of_neg
