"""A hit curve of two straight pieces: momentum, then what is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skrate.data.arrays import ArrayLike
from skrate.data.checks import check_fraction

# Stamina computed from its bound, prevalence / momentum, may miss it by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class QuasiConcaveHitCurve:
    r"""The hit curve of a test that finds at one pace, then at a slower one.

    Two tests of the same AUC may differ in kind: one finds quickly and soon runs out of
    breath, the other is steady. In this model the first share of the ranking, the
    *stamina*, has a precision equal to the *momentum*, and the rest a lower one. The
    AUC sees the product of the two only, the average precision rewards momentum.

    Attributes
    ----------
    momentum : float
        Initial precision (the paper's beta), from the prevalence, of a random test,
        to 1.
    stamina : float
        Rate down to which the initial precision lasts (alpha), from 0 to ``prevalence
        / momentum``, where all positives have been found.
    prevalence : float
        Share of the positives, in (0, 1).

    Raises
    ------
    ValueError
        If ``prevalence`` is not in (0, 1), ``momentum`` not between it and 1, or
        ``stamina`` not between 0 and ``prevalence / momentum``.

    See Also
    --------
    hit_curve : The hit curve of labels and scores.
    estimate : The two parameters of labels and scores, as the metrics "momentum" and
        "stamina".

    Notes
    -----
    With momentum :math:`\beta`, stamina :math:`\alpha` and prevalence p, equation 6 of
    [1]_ is :math:`h(t) = \beta t` up to :math:`t = \alpha` and from there a straight
    line to h(1) = p.

    References
    ----------
    .. [1] Su, Yuan and Zhu (2015), Threshold-free evaluation of medical tests for
       classification and prediction: average precision versus area under the ROC
       curve, :doi:`10.48550/arXiv.1310.5103`.

    Examples
    --------
    A quick test and a steady one, of the same AUC:

    >>> from skrate import QuasiConcaveHitCurve
    >>> quick = QuasiConcaveHitCurve(
    ...     momentum=0.9, stamina=0.05, prevalence=0.1
    ... )
    >>> steady = QuasiConcaveHitCurve(
    ...     momentum=0.3, stamina=0.2, prevalence=0.1
    ... )
    >>> round(quick.auc, 3), round(steady.auc, 3)
    (0.722, 0.722)
    >>> (
    ...     round(quick.average_precision, 3),
    ...     round(steady.average_precision, 3),
    ... )
    (0.51, 0.24)
    """

    momentum: float
    stamina: float
    prevalence: float

    def __post_init__(self) -> None:
        prevalence = check_fraction("prevalence", self.prevalence)
        momentum = check_fraction("momentum", self.momentum, include_one=True)
        if momentum < prevalence:
            raise ValueError(
                f"momentum must be between the prevalence, {prevalence:g}, and 1, got "
                f"{momentum:g}: the test would be worse than a random one."
            )
        stamina = check_fraction(
            "stamina", self.stamina, include_zero=True, include_one=True
        )
        most = prevalence / momentum
        if stamina > most * (1 + _ROUNDING):
            raise ValueError(
                f"stamina must be between 0 and prevalence / momentum = {most:g}, got "
                f"{stamina:g}: there all positives have been found."
            )
        for name, value in (
            ("momentum", momentum),
            ("stamina", min(stamina, most)),
            ("prevalence", prevalence),
        ):
            object.__setattr__(self, name, value)

    def hits(self, rate: ArrayLike) -> Any:
        """Return the share of all cases that is processed and positive.

        Parameters
        ----------
        rate : float or array-like
            Share of all cases that is processed, in [0, 1].

        Returns
        -------
        hits : float or array
            Equation 6, in the shape of ``rate``.

        Raises
        ------
        ValueError
            If a rate is not in [0, 1].
        """
        rates = np.asarray(rate, dtype=np.float64)
        if not np.all((rates >= 0) & (rates <= 1)):
            raise ValueError(f"rate must be in [0, 1], got {rates}.")
        first = self.momentum * np.minimum(rates, self.stamina)
        found = first + self._later_precision * np.maximum(rates - self.stamina, 0.0)
        return float(found) if found.ndim == 0 else found

    @property
    def auc(self) -> float:
        """Area under the ROC curve: equation 8, exact."""
        p = self.prevalence
        return (self.momentum - p) * self.stamina / (2 * p * (1 - p)) + 0.5

    @property
    def average_precision(self) -> float:
        """Average precision, exact."""
        p, alpha, beta = self.prevalence, self.stamina, self.momentum
        if alpha == 0 or beta == p:
            return p
        slope = self._later_precision
        # The last integral before equation 10: precision in the second piece is
        # slope + (beta - slope) alpha / t.
        second = slope**2 * (1 - alpha)
        second -= slope * (beta - slope) * alpha * np.log(alpha)
        return float((beta**2 * alpha + second) / p)

    @property
    def approximate_average_precision(self) -> float:
        """Average precision by equation 10, which takes log(x) for x - 1.

        It underlies theorem 2: adjusted for chance, the average precision is about the
        momentum times the adjusted AUC, 2 AUC - 1.
        """
        p, beta = self.prevalence, self.momentum
        return beta / p * (beta - p) * self.stamina + p

    @property
    def _later_precision(self) -> float:
        """Slope of the second piece."""
        if self.stamina == 1:  # then momentum is prevalence: there is no second piece
            return 0.0
        left = self.prevalence - self.stamina * self.momentum
        return max(left, 0.0) / (1 - self.stamina)
