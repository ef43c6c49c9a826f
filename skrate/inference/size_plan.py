"""The size of a test set, searched by what a pilot tells, and what it will show."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from skrate.core.metric import Metric
from skrate.core.question import Question, question_text
from skrate.core.results import ConfidenceInterval, Result, t_quantile
from skrate.inference.intervals import Alternative
from skrate.inference.pilot import Pilot

_NAN = float("nan")
_UNKNOWN = ConfidenceInterval(_NAN, _NAN)


@dataclass(frozen=True)
class SampleSize(Result):
    """A test set of a size, and what it will show.

    Attributes
    ----------
    metric : str
        Name of the metric.
    n : int
        Number of cases; nan where it is unknown.
    n_pos, n_neg : int
        How many of them are expected to be positive and negative.
    half_width : float
        Half the width of the interval that is expected: of the metric, or of the
        difference of two models.
    difference : float or None
        The difference that is to be found; None where no test is planned.
    power : float or None
        The probability that it is found; None where no test is planned.
    confidence_level : float
        Level of the interval; 1 less that of the test.
    n_interval : ConfidenceInterval or None
        What ``n`` may be, as far as the pilot tells; None where it was given.
    power_interval : ConfidenceInterval or None
        The same of the power, where ``n`` was given.
    n_clusters : int or None
        Number of clusters, where the pilot has some.
    params : dict
        Parameters of the metric, such as "rate", as numbers and text.

    See Also
    --------
    sample_size : Makes it, for what is to be shown.
    power : Makes it, for a number of cases.

    Examples
    --------
    >>> from skrate import RankTable, sample_size
    >>> pilot = RankTable([30, 20, 10], [5, 25, 50])
    >>> sample_size("roc_auc", pilot, half_width=0.05)
    SampleSize(AUC, n=288 (123 positive, 165 negative), half width 0.04996 at 95
    %; by
    this pilot 212 to 391)
    """

    metric: str
    n: float
    n_pos: float
    n_neg: float
    half_width: float
    difference: float | None
    power: float | None
    confidence_level: float
    n_interval: ConfidenceInterval | None = None
    power_interval: ConfidenceInterval | None = None
    n_clusters: float | None = None
    params: Question = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        clusters = "" if self.n_clusters is None else f" in {self.n_clusters} clusters"
        parts = [
            f"{self.metric}{question_text(self.params)}, n={self.n}{clusters} "
            f"({self.n_pos} positive, {self.n_neg} negative)",
            f"half width {self.half_width:.4g} at {100 * self.confidence_level:g} %",
        ]
        if self.power is not None:
            parts.append(f"power {self.power:.3f} for {self.difference:.4g}")
        found = self.n_interval or self.power_interval
        text = ", ".join(parts)
        if found is None:
            return f"SampleSize({text})"
        digits = ".0f" if self.n_interval else ".3f"
        return (
            f"SampleSize({text}; by this pilot {found.low:{digits}} to "
            f"{found.high:{digits}})"
        )


@dataclass(frozen=True)
class SizePlan:
    """What is planned with: a pilot, None where it says nothing, and a test."""

    metric: Metric
    pilot: Pilot | None
    level: float
    alternative: Alternative
    # The difference that there is, and where it may lie; None with one model.
    difference: float | None
    difference_interval: ConfidenceInterval | None
    is_test: bool
    has_clusters: bool

    def of_half_width(self, half_width: float) -> SampleSize:
        """Return the size at which the interval is so wide."""
        pilot = self.pilot
        if pilot is None:
            return self.at(_NAN, n_interval=_UNKNOWN)
        n = pilot.least_cases(lambda n: pilot.half_width(n) <= half_width)
        if n is None:
            raise ValueError(
                f"half_width={half_width:g} takes more cases than can be counted."
            )
        reach = _factor(self._of_variance)
        return self.at(n, n_interval=pilot.sizes_between(n / reach, n * reach))

    def of_power(self, needed: float) -> SampleSize:
        """Return the size at which the test has the power."""
        pilot, difference = self.pilot, self.difference
        if pilot is None or difference is None:
            return self.at(_NAN, n_interval=_UNKNOWN)
        self._check_side(difference)
        n = pilot.least_cases(lambda n: self.power_at(n) >= needed)
        if n is None:
            return self.at(_NAN, n_interval=_UNKNOWN)
        low, high = self._factors
        # Unknown ends stay unknown.
        most = np.inf if low == 0 else n / low / low
        ends = pilot.sizes_between(n / high / high, most)
        return self.at(n, n_interval=ends)

    def of_cases(self, n: int) -> SampleSize:
        """Return what so many cases will show."""
        if self.pilot is None or self.difference is None:
            return self.at(n, power_interval=_UNKNOWN)
        self._check_side(self.difference)
        ends = ConfidenceInterval(*(self.power_at(n, f) for f in self._factors))
        return self.at(n, power_interval=ends)

    def _check_side(self, difference: float) -> None:
        """Raise for a difference that the test does not look for."""
        sides = {"less": -difference, "greater": difference}
        if sides.get(self.alternative, 1.0) <= 0:
            raise ValueError(
                f"difference={difference:g} is not what alternative="
                f"{self.alternative!r} looks for: no number of cases would show it."
            )

    def power_at(self, n: float, factor: float = 1.0) -> float:
        """Return the power of n cases, for a difference that is ``factor`` as great."""
        assert self.pilot is not None
        assert self.difference is not None
        difference = factor * self.difference
        return self.pilot.power(n, difference, self.level, self.alternative)

    def at(self, n: float, **ends: ConfidenceInterval) -> SampleSize:
        """Return the result for n cases, nan where the pilot does not tell."""
        pilot, difference = self.pilot, self.difference
        share = _NAN if pilot is None else pilot.prevalence
        is_known = pilot is not None and n == n
        n_pos = round(n * share) if is_known else _NAN
        found = None
        if self.is_test:
            is_known_power = is_known and difference is not None
            found = self.power_at(n) if is_known_power else _NAN
            difference = _NAN if difference is None else difference
        n_clusters = None
        if self.has_clusters:
            n_clusters = (
                math.ceil(n / pilot.cases_per_unit) if pilot and n == n else _NAN
            )
        return SampleSize(
            self.metric.name,
            n,
            n_pos,
            n - n_pos,
            pilot.half_width(n) if pilot is not None and is_known else _NAN,
            difference,
            found,
            self.level,
            n_clusters=n_clusters,
            params=self.metric.question,
            **ends,
        )

    @property
    def _of_variance(self) -> float:
        """How far the logarithm of the variance may be off, by the pilot."""
        assert self.pilot is not None
        return t_quantile(self.level, self.pilot.freedom) * self.pilot.spread

    @property
    def _factors(self) -> tuple[float, float]:
        """How much less and more standard errors the difference may be.

        Where it is that of the pilot its own interval is combined with that of the
        variance: the distances of their ends are legs of a right angle.
        """
        of_variance = self._of_variance / 2
        if self.difference_interval is None:
            return _factor(-of_variance), _factor(of_variance)
        assert self.difference is not None
        ends = [abs(end) for end in self.difference_interval]
        least, most = min(ends) / abs(self.difference), max(ends) / abs(self.difference)
        low, high = self.difference_interval
        below = 0.0
        if low * high > 0:
            below = _factor(-np.hypot(of_variance, np.log(least)))
        return below, _factor(np.hypot(of_variance, np.log(most)))


def _factor(logarithm: float) -> float:
    """Return what has this logarithm: of few cases at a high level it is no number."""
    with np.errstate(over="ignore"):
        return float(np.exp(logarithm))
