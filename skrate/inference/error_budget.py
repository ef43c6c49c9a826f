"""An account of the error that several statements share."""

from __future__ import annotations

import math

from skrate.data.checks import check_fraction, shown

# A share of the error that only the rounding of sums leaves.
_ROUNDING = 1e-9


class ErrorBudget:
    r"""The error that several statements share, so that all of them hold together.

    A project makes several statements, each with its own confidence level: how good
    the selected model is, what its threshold keeps, which recall was reached. This
    gives each a part of one error, and refuses what would overspend it.

    Parameters
    ----------
    error : float
        The probability, in (0, 1), with which any statement at all may be false, such
        as 0.05.

    Attributes
    ----------
    error : float
        The error that may be spent in all.
    spent : dict of str and float
        What was spent on each statement, in the order of spending.

    See Also
    --------
    select_best : Its ``confidence_level`` is a first part.
    ConstrainedThresholdClassifier : Takes another as its ``confidence``.
    skrate.review.recall_certificate : Divides its part over ``looks``.

    Notes
    -----
    Statement i is false with a probability of at most :math:`\alpha_i`. However they
    depend on each other, by Bonferroni's inequality

    .. math:: P(\text{all are true}) \ge 1 - \sum_i \alpha_i,

    so that a sum of at most ``error`` suffices. The parts are chosen before the data
    are seen. A statement that is left out because of its result has spent its part.

    Examples
    --------
    >>> from skrate import ErrorBudget
    >>> budget = ErrorBudget(0.05)
    >>> budget.spend("selection", 0.02)
    0.98
    >>> budget.spend("threshold", 0.01)
    0.99
    >>> budget
    ErrorBudget(0.05, 0.02 left:
      selection  0.02, at 98 %
      threshold  0.01, at 99 %
      together   0.03, at 97 %)
    """

    def __init__(self, error: float) -> None:
        self.error = check_fraction("error", error)
        if self.error >= 0.5:
            raise ValueError(
                f"error={error} looks like a confidence level: for a level of 95 % "
                "give 0.05."
            )
        self.spent: dict[str, float] = {}

    @property
    def left(self) -> float:
        """The error that is not spent yet."""
        left = self.error - math.fsum(self.spent.values())
        return left if left > _ROUNDING * self.error else 0.0

    def spend(self, name: str, error: float) -> float:
        """Return the confidence level of a statement that may be false with an error.

        Parameters
        ----------
        name : str
            The statement, which is entered under this name.
        error : float
            Its part of the error, at most what is ``left``.

        Returns
        -------
        confidence_level : float
            1 - ``error``, for the function that makes the statement.

        Raises
        ------
        ValueError
            If the name is entered already, or the error is out of range or more than
            is left.
        """
        name, part = str(name), check_fraction("error", error)
        if name in self.spent:
            raise ValueError(
                f"{shown(name)} is entered already, with {self.spent[name]:g}: give "
                "another statement another name."
            )
        if part > self.left + _ROUNDING * self.error:
            entries = [f"{spent:g} on {which!r}" for which, spent in self.spent.items()]
            raise ValueError(
                f"error={part:g} for {shown(name)} is more than the {self.left:g} left "
                f"of {self.error:g}, after {', '.join(entries) or 'none'}: spend less, "
                "or plan smaller parts before the data are seen."
            )
        self.spent[name] = part
        return 1 - part

    def __repr__(self) -> str:
        rows = self.spent | {"together": math.fsum(self.spent.values())}
        width = max(map(len, rows))
        lines = [
            f"\n  {name:{width}}  {part:.4g}, at {100 * (1 - part):.6g} %"
            for name, part in rows.items()
        ]
        return f"ErrorBudget({self.error:g}, {self.left:.4g} left:{''.join(lines)})"
