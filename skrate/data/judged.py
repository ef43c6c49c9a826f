"""Labels of some lists by people, and of all lists by a judge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skrate.data.arrays import Array, BoolArray
from skrate.data.checks import check_equal_length, shown
from skrate.data.ranking import check_groups


@dataclass(frozen=True, eq=False, repr=False)
class JudgedLabels:
    """Labels of some lists by people, and of all lists by a judge.

    :func:`skrate.labels.judged` returns them. :func:`skrate.estimate`,
    :func:`skrate.compare` and :func:`skrate.select_best` accept them as ``y_true``,
    with the ``groups`` of a metric within lists.

    Attributes
    ----------
    y_true : array of shape (n_samples,)
        The labels by people, and labels by the judge for the other samples.
    y_judge : array of shape (n_samples,)
        The labels by the judge.
    is_labelled : array of shape (n_samples,)
        Whether people labelled each sample.

    Examples
    --------
    >>> from skrate import labels
    >>> labels.judged([1, 0, None, None], [1, 1, 0, 1])
    JudgedLabels(4 samples, 2 labelled by people)
    """

    y_true: Array
    y_judge: Array
    is_labelled: BoolArray

    def __len__(self) -> int:
        return len(self.y_true)

    def __repr__(self) -> str:
        n_labelled = np.count_nonzero(self.is_labelled)
        return f"JudgedLabels({len(self):,} samples, {n_labelled:,} labelled by people)"

    @property
    def shape(self) -> tuple[int]:
        """The shape of a vector of labels."""
        return (len(self),)

    @cached_property
    def is_complete(self) -> bool:
        """Whether people labelled all samples: the judge is then not needed."""
        return bool(self.is_labelled.all())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if not self.is_complete:
            raise ValueError(
                "labels.judged has labels for lists: pass groups= to estimate, compare "
                "or select_best, without resampling, because only these combine people "
                "and a judge. Known labels are needed here."
            )
        return np.array(self.y_true, dtype)

    def labelled_lists(self, groups: Any) -> BoolArray:
        """Return whether people labelled each list, in the order of the list labels."""
        lists = check_groups("groups", groups)
        check_equal_length(y_true=self.is_labelled, groups=lists.codes)
        n_labelled = np.bincount(lists.codes, self.is_labelled, len(lists.sizes))
        is_partial = (n_labelled > 0) & (n_labelled < lists.sizes)
        if is_partial.any():
            at = int(is_partial.argmax())
            raise ValueError(
                "y_true of labels.judged must have labels for all items of a list, or "
                f"for none, got {n_labelled[at]:g} of {lists.sizes[at]} for the list "
                f"{shown(lists.labels[at])}: label the others, pass 0 if items without "
                "a label count as irrelevant, or remove the labels of this list."
            )
        n_lists = np.count_nonzero(n_labelled)
        if n_lists < 3:
            raise ValueError(
                "y_true of labels.judged must have labels for 3 or more lists, got "
                f"{n_lists}: label more lists, because the errors of the judge are "
                "unknown."
            )
        return np.asarray(n_labelled > 0)
