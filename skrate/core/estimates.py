"""What many estimates on the same cases have in common: a table of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.question import Question, question_text
from skrate.core.results import Result, data_frame

# Rows that are printed.
_SHOWN = 8


@dataclass(frozen=True)
class Estimates(Result):
    """A metric of many rankings, as :func:`skrate.estimate_all` returns it.

    Attributes
    ----------
    metric : str
        Name of the metric.
    names : tuple of str
        Names of the columns.
    values : array of shape (n_models,)
        The metric of each; nan where it is undefined.
    standard_errors : array of shape (n_models,)
        Estimated standard deviation of each over samples.
    pvalues : array of shape (n_models,)
        Probability of a value as far off if scores and labels had nothing to do with
        each other; not adjusted.
    adjusted_pvalues : array of shape (n_models,)
        The p-values, adjusted for their number.
    chance : float
        The metric of constant scores; nan if it has none.
    n_pos, n_neg : float
        Number of positives and of negatives; repetitions count.
    alternative : str
        The hypothesis that a small p-value speaks for.
    adjust : str
        How the p-values were adjusted.
    params : dict
        Parameters of the metric, such as "rate", as numbers and text.

    See Also
    --------
    skrate.estimate_all : Makes it.

    Examples
    --------
    >>> from skrate import estimate_all
    >>> markers = {"A": [4, 2, 3, 1], "B": [4, 3, 1, 2]}
    >>> result = estimate_all("roc_auc", [1, 1, 0, 0], markers)
    >>> result.names, result.values.tolist()
    (('A', 'B'), [0.75, 1.0])
    """

    metric: str
    names: tuple[str, ...]
    values: FloatArray = field(compare=False)
    standard_errors: FloatArray = field(compare=False)
    pvalues: FloatArray = field(compare=False)
    adjusted_pvalues: FloatArray = field(compare=False)
    chance: float
    n_pos: float
    n_neg: float
    alternative: str
    adjust: str
    params: Question = field(default_factory=dict, hash=False)

    def __len__(self) -> int:
        return len(self.names)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per model, as ``pandas.DataFrame`` does.

        Returns
        -------
        columns : dict of list
            "name", "value", "standard_error", "pvalue" and "adjusted_pvalue", and the
            parameters of the metric, the same in all rows.
        """
        columns = {
            "name": list(self.names),
            "value": self.values.tolist(),
            "standard_error": self.standard_errors.tolist(),
            "pvalue": self.pvalues.tolist(),
            "adjusted_pvalue": self.adjusted_pvalues.tolist(),
        }
        return columns | {name: [v] * len(self) for name, v in self.params.items()}

    def to_frame(self) -> Any:
        """Return the rows as a data frame of pandas, which must be installed.

        Returns
        -------
        frame : pandas.DataFrame
            With the columns of ``to_dict``, "name" as its index.

        Raises
        ------
        ImportError
            If pandas is not installed; ``to_dict`` does without it.
        """
        return data_frame(self.to_dict()).set_index("name")

    def __repr__(self) -> str:
        # Greatest first; nan is last.
        order = np.argsort(-self.values, kind="stable")[:_SHOWN]
        width = max(len(self.names[i]) for i in order)
        lines = [
            f"  {self.names[i]:<{width}}  {self.values[i]:8.4f}  standard error "
            f"{self.standard_errors[i]:.4f}  p = {self.adjusted_pvalues[i]:.3g}"
            for i in order
        ]
        n_more = len(self.names) - len(lines)
        if n_more:
            lines.append(f"  and {n_more} more")
        head = (
            f"Estimates({self.metric}{question_text(self.params)} of "
            f"{len(self.names)}, chance {self.chance:.4g}, "
            f"p-values adjusted by {self.adjust!r}, n_pos={self.n_pos:g}, "
            f"n_neg={self.n_neg:g}:"
        )
        return "\n".join([head, *lines]) + ")"
