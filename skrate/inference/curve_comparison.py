"""What a comparison of two curves over the rate returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from skrate.core.arrays import FloatArray
from skrate.core.question import Question, question_text
from skrate.core.results import Result
from skrate.inference.curve_process import CurveBounds

Stretch = tuple[float, float]


class WinningRates(NamedTuple):
    """Intervals of rates at which one model is better beyond doubt, or it is open.

    Attributes
    ----------
    a, b : list of tuple (low, high)
        Where model a, and where model b, has the greater curve.
    open : list of tuple (low, high)
        All between: where the sample does not tell.
    """

    a: list[Stretch]
    b: list[Stretch]
    open: list[Stretch]


@dataclass(frozen=True, eq=False)
class CurveComparison(Result):
    """Two curves over the rate, as :func:`skrate.compare_curves` returns them.

    Attributes
    ----------
    metric : str
        Name of the metric.
    rates : array of shape (n_rates,)
        Shares of all cases that are processed, increasing.
    value_a, value_b : array of shape (n_rates,)
        The metric of each model.
    difference : array of shape (n_rates,)
        The values of a minus those of b.
    standard_error : array of shape (n_rates,)
        Estimated standard deviation of the difference over samples.
    confidence_interval : CurveBounds
        Of the difference at a single rate; ``.low`` and ``.high`` are arrays.
    band : CurveBounds
        Of the difference at all rates at once, or at a single one, as it was asked
        for.
    kind : str
        Which of these the band is: "simultaneous" or "pointwise".
    confidence_level : float
        Level of both.
    n_pos, n_neg : float
        Number of positives and of negatives; repetitions count.
    params : dict
        Parameters of the metric: "benefit" and "cost", where it has them.

    See Also
    --------
    skrate.compare_curves : Makes it.

    Examples
    --------
    >>> from skrate import compare_curves
    >>> y_true, a, b = [1, 0, 1, 0, 0], [5, 3, 4, 2, 1], [1, 2, 3, 4, 5]
    >>> result = compare_curves(y_true, a, b, random_state=0)
    >>> result.rates.tolist(), result.difference.tolist()
    ([0.2, 0.4, 0.6, 0.8], [0.5, 1.0, 0.5, 0.5])
    >>> result.winning_rates().open
    [(0.2, 0.8)]
    """

    metric: str
    rates: FloatArray
    value_a: FloatArray
    value_b: FloatArray
    difference: FloatArray
    standard_error: FloatArray
    confidence_interval: CurveBounds
    band: CurveBounds
    kind: str
    confidence_level: float
    n_pos: float
    n_neg: float
    params: Question = field(default_factory=dict)

    def winning_rates(self) -> WinningRates:
        """Return where a is better than b beyond doubt, where b is, and what is open.

        An interval goes from a rate at which the band leaves 0 out to the last one in a
        row of such; between two neighbours among ``rates`` the curves are taken to run
        as they do at both. A single rate is an interval without length. All else from
        the first to the last rate is open.

        Returns
        -------
        intervals : WinningRates
            Lists ``a``, ``b`` and ``open`` of pairs (low, high) of rates. With a
            simultaneous band one in twenty samples, at the level 0.95, claims any rate
            wrongly.
        """
        # 1 where a wins, -1 where b does, 0 where it is open, and where it is unknown.
        winner = (self.band.low > 0).astype(int) - (self.band.high < 0).astype(int)
        found = WinningRates([], [], [])
        rates = self.rates.tolist()
        # Each run of one winner, as its first and its last place.
        turns = np.flatnonzero(np.diff(winner)) + 1
        firsts, lasts = [0, *turns.tolist()], [*(turns - 1).tolist(), len(rates) - 1]
        reached = rates[0]
        for first, last in zip(firsts, lasts, strict=True):
            if winner[first] == 0:
                continue
            if rates[first] > reached:
                found.open.append((reached, rates[first]))
            stretches = found.a if winner[first] > 0 else found.b
            stretches.append((rates[first], rates[last]))
            reached = rates[last]
        if not winner[-1]:
            found.open.append((reached, rates[-1]))
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CurveComparison):
            return NotImplemented
        mine, others = self.to_dict(), other.to_dict()
        return list(mine) == list(others) and all(
            one == two if isinstance(one, str) else _are_same(one, two)
            for one, two in zip(mine.values(), others.values(), strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.metric, self.kind, self.rates.tobytes()))

    def __repr__(self) -> str:
        first, last = self.rates[[0, -1]]
        text = (
            f"CurveComparison({self.metric}{question_text(self.params)} at "
            f"{len(self.rates)} rates from {first:.4g} to {last:.4g}: "
        )
        if np.isnan(self.difference).all():
            return f"{text}undefined)"
        least, most = np.argmin(self.difference), np.argmax(self.difference)
        won = self.winning_rates()
        return (
            f"{text}a - b from {self.difference[least]:.4f} at "
            f"{self.rates[least]:.4g} to {self.difference[most]:.4f} at "
            f"{self.rates[most]:.4g}; by the {self.kind} "
            f"{100 * self.confidence_level:g} % band a is better "
            f"{_where(won.a)}, b {_where(won.b)})"
        )


def _are_same(one: Any, two: Any) -> bool:
    """Return whether numbers are the same, where nan is nan."""
    return np.array_equal(np.asarray(one), np.asarray(two), equal_nan=True)


def _where(stretches: list[Stretch]) -> str:
    """Return in words where a model wins."""
    if not stretches:
        return "nowhere"
    return "at " + ", ".join(
        f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
        for low, high in stretches
    )
