"""A review in progress, look by look: its fields, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skrate.core.arrays import FloatArray, IntArray
from skrate.core.results import Result, data_frame


@dataclass(frozen=True)
class StoppingCurve(Result):
    """What each look at a review says, as :func:`skrate.stopping_curve` returns it.

    Of a ranking (``n_ranked=None``) it holds under an assumption: that among those
    unread the share of positives is no larger than among the last that were read.

    Attributes
    ----------
    n_read : array of shape (n_looks,)
        Cases read at each look.
    n_found : array of shape (n_looks,)
        Positives among them.
    pvalues : array of shape (n_looks,)
        Of "the recall is below the target", in [0, 1].
    lower_bounds : array of shape (n_looks,)
        The recall is at least this, with the confidence level; nan where no positive
        is found and none can be left.
    most_left : array of shape (n_looks,)
        As many positives at most are unread, with the confidence level.
    n_items : int
        All cases, read and unread.
    target : float
        The recall that is to be reached.
    confidence_level : float
        Level of the bounds.
    n_ranked : int or None
        Cases read before the random ones began; None where all are of a ranking.

    See Also
    --------
    skrate.stopping_curve : Makes it.
    StoppingCurveDisplay : Draws it.

    Examples
    --------
    >>> from skrate import stopping_curve
    >>> curve = stopping_curve(
    ...     [1] * 20 + [0] * 80, n_items=110, step=20
    ... )
    >>> curve.n_read.tolist(), curve.most_left.tolist(), curve.n_stop
    ([20, 40, 60, 80, 100], [90, 11, 4, 2, 1], 100)
    """

    n_read: IntArray = field(compare=False)
    n_found: IntArray = field(compare=False)
    pvalues: FloatArray = field(compare=False)
    lower_bounds: FloatArray = field(compare=False)
    most_left: IntArray = field(compare=False)
    n_items: int
    target: float
    confidence_level: float
    n_ranked: int | None

    @property
    def n_stop(self) -> int | None:
        """Cases read at the first look that shows the target reached; None if none."""
        shown = np.flatnonzero(self.pvalues <= 1 - self.confidence_level)
        return int(self.n_read[shown[0]]) if len(shown) else None

    def __len__(self) -> int:
        return len(self.n_read)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per look, as ``pandas.DataFrame`` does.

        Returns
        -------
        columns : dict of list
            "n_read", "n_found", "pvalue", "lower_bound" and "most_left", and "target",
            the same in all rows.
        """
        return {
            "n_read": self.n_read.tolist(),
            "n_found": self.n_found.tolist(),
            "pvalue": self.pvalues.tolist(),
            "lower_bound": self.lower_bounds.tolist(),
            "most_left": self.most_left.tolist(),
            "target": [self.target] * len(self),
        }

    def to_frame(self) -> Any:
        """Return the looks as a data frame of pandas, which must be installed.

        Returns
        -------
        frame : pandas.DataFrame
            With the columns of ``to_dict``, "n_read" as its index.

        Raises
        ------
        ImportError
            If pandas is not installed; ``to_dict`` does without it.
        """
        return data_frame(self.to_dict()).set_index("n_read")

    def __repr__(self) -> str:
        level = f"{100 * self.confidence_level:g} %"
        order, given = "in the order of a ranking", ", if the unread are no richer"
        if self.n_ranked is not None:
            order, given = f"at random after the first {self.n_ranked:,}", ""
        verdict = f"recall {self.target:g} is not shown to be reached"
        if self.n_stop is not None:
            verdict = f"recall {self.target:g} is shown at {self.n_stop:,}"
        looks = f"{len(self):,} look{'s' * (len(self) > 1)}"
        return (
            f"StoppingCurve({looks} at {self.n_read[-1]:,} of "
            f"{self.n_items:,} cases, read {order}: {self.n_found[-1]:,} found, "
            f"at most {self.most_left[-1]:,} left, "
            f"recall at least {self.lower_bounds[-1]:.4f} "
            f"with {level} confidence{given}; {verdict})"
        )
