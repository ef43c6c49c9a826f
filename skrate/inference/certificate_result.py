"""The certificate of a recall: its fields, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skrate.core.results import ConfidenceInterval, Result


@dataclass(frozen=True)
class RecallCertificate(Result):
    """The recall that was reached, as :func:`skrate.recall_certificate` returns it.

    Attributes
    ----------
    value : float
        The recall reached, as the sample estimates it; nan where it cannot.
    confidence_interval : ConfidenceInterval
        Of the recall, two-sided; its ends are ``.low`` and ``.high``.
    lower_bound : float
        The certificate: the recall is at least this, with the confidence level.
    pvalue : float
        Of "the recall is below the target", adjusted for the looks: where it is at
        most 1 less the confidence level, the lower bound is the target or more, or
        there is no positive at all: 0 then, as nothing was missed.
    target : float
        The recall that is to be reached.
    left : float
        Positives among the cases that are still unread, as the sample estimates them.
    left_interval : ConfidenceInterval
        Of their number, two-sided.
    most_left : int
        They are at most as many, with the confidence level.
    n_found, n_unread : int
        Positives found, and cases that were unread, *before* the sample was drawn: as
        they were given.
    n_sampled, n_hits : int
        Cases drawn from these, and positives among them.
    n_found_in_all : int
        Positives found after the sample was read: ``n_found + n_hits``.
    n_still_unread : int
        Cases unread after it: ``n_unread - n_sampled``.
    is_reached : bool
        Whether the target is reached, with the confidence level.
    confidence_level : float
        Level of the bound and of the interval, over all looks.
    looks : int or str
        Looks that share the error; "any" for any number of them.

    See Also
    --------
    skrate.recall_certificate : Makes it.

    Examples
    --------
    >>> from skrate import recall_certificate
    >>> result = recall_certificate(95, 1_000, 500, 0)
    >>> result.n_found_in_all, result.n_still_unread, result.most_left
    (95, 500, 4)
    >>> result.is_reached
    True
    """

    value: float
    confidence_interval: ConfidenceInterval
    lower_bound: float
    pvalue: float
    target: float
    left: float
    left_interval: ConfidenceInterval
    most_left: int
    n_found: int
    n_unread: int
    n_sampled: int
    n_hits: int
    confidence_level: float
    looks: int | str

    @property
    def n_found_in_all(self) -> int:
        """Positives found after the sample was read."""
        return self.n_found + self.n_hits

    @property
    def n_still_unread(self) -> int:
        """Cases unread after the sample was read."""
        return self.n_unread - self.n_sampled

    @property
    def is_reached(self) -> bool:
        """Whether the target is reached, with the confidence level.

        It is where everything is read, and where there was nothing to find.
        """
        return self.pvalue <= 1 - self.confidence_level

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings, and what follows of them.

        Returns
        -------
        values : dict
            The fields, with the ends of intervals as "low" and "high", and
            "n_found_in_all", "n_still_unread" and "is_reached".
        """
        names = "n_found_in_all", "n_still_unread", "is_reached"
        return super().to_dict() | {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        low, high = self.confidence_interval
        level = f"{100 * self.confidence_level:g} %"
        verdict = "reached" if self.is_reached else "not shown to be reached"
        if self.n_found + self.most_left == 0:
            verdict = "not missed, as there is nothing to find"
        number = "any number of" if self.looks == "any" else self.looks
        looks = "" if self.looks == 1 else f" over {number} looks"
        return (
            f"RecallCertificate(recall {self.value:.4f}, at least "
            f"{self.lower_bound:.4f} with {level} confidence{looks}, {level} interval "
            f"[{low:.4f}, {high:.4f}]; target {self.target:g} {verdict}, p = "
            f"{self.pvalue:.3g}; {self.n_found:,} found, then {self.n_hits:,} of "
            f"{self.n_sampled:,} drawn from {self.n_unread:,} unread, at most "
            f"{self.most_left:,} left among {self.n_still_unread:,})"
        )
