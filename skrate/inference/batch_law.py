"""How many of the next cases score above the j-th largest score of those at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize, special

from skrate.core.arrays import FloatArray, dot
from skrate.core.rates import RateDistribution
from skrate.core.results import ConfidenceInterval

# Budgets that stand for their distribution, where the batch is no number of cases.
_POINTS = 1024
# A rate of 29/100 is 29 of 100 cases, whatever floats make of the product.
_ROUNDING = 1e-12
# What is equal to a probability but for rounding does not exceed it.
_UP_TO = 1 + 1e-9


@dataclass(frozen=True)
class BatchLaw:
    """The law of the number N of the next ``n_items`` cases above a held-out score.

    The score is the ``place``-th largest of ``n`` exchangeable ones without ties: N is
    beta-binomial(n_items, place, n - place + 1). At place 0 nothing is above, and at
    n + 1 everything. Without ``n_items`` it is the law of the share in the long run,
    beta(place, n - place + 1).

    Examples
    --------
    Of three held-out cases and a new one, any is the largest as often as another:

    >>> BatchLaw(3, 1, 1).probabilities.round(12).tolist()
    [0.75, 0.25]
    """

    n: int
    place: int
    n_items: int | None

    @property
    def mean(self) -> float:
        """The expected share above."""
        return self.place / (self.n + 1)

    @cached_property
    def probabilities(self) -> FloatArray:
        """P(N = k) for k = 0, ..., n_items."""
        m = self.n_items
        assert m is not None
        if self._is_certain:
            return np.asarray(np.eye(1, m + 1, 0 if self.place == 0 else m)[0])
        k = np.arange(m + 1)
        a, b = self.place, self.n - self.place + 1
        log_choices = special.gammaln(m + 1) - special.gammaln(k + 1)
        log_choices -= special.gammaln(m - k + 1)
        logs = log_choices + special.betaln(k + a, m - k + b) - special.betaln(a, b)
        chances = np.exp(logs)
        return np.asarray(chances / chances.sum())

    def interval(self, level: float) -> ConfidenceInterval:
        """Return the central interval of the share above."""
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if self._is_certain:
            low = high = self.mean
        elif self.n_items is None:
            low, high = special.betaincinv(self.place, self.n - self.place + 1, tails)
        else:
            reached = np.cumsum(self.probabilities)
            ends = np.searchsorted(reached, tails * (1 - _ROUNDING))
            low, high = np.minimum(ends, self.n_items) / self.n_items
        return ConfidenceInterval(float(low), float(high))

    def pvalue(self, n_above: int, n_from: int) -> float:
        """Return the two-sided p-value of a batch with ``n_above`` above the score.

        ``n_from`` are those from the score on, more where cases tie with it. Whatever
        order chance would have put tied ones in, the count is between the two, so that
        neither tail is too small.
        """
        upper = self.probabilities[n_above:].sum()
        lower = self.probabilities[: n_from + 1].sum()
        return float(min(1.0, 2 * min(upper, lower)))

    @property
    def _is_certain(self) -> bool:
        return self.place in (0, self.n + 1)


def place_of_mean(n: int, rate: RateDistribution) -> int:
    """Return the greatest place above which no more is expected than the rate's mean.

    Examples
    --------
    >>> from skrate import rates
    >>> place_of_mean(99, rates.fixed(0.29))
    29
    """
    return int(np.floor(rate.mean() * (n + 1) * (1 + _ROUNDING)))


def place_kept(
    n: int, rate: RateDistribution, n_items: int | None, confidence: float
) -> int:
    """Return the greatest place that keeps to the rate with that probability.

    By bisection, as the number above can only grow with the place.

    Examples
    --------
    One of the next is to be above with a probability of at most 5 %:

    >>> from skrate import rates
    >>> place_kept(39, rates.fixed(0.5), 1, confidence=0.95)
    2
    """
    exceeds = chance_of_more(n, rate, n_items)
    risk = (1 - confidence) * _UP_TO
    low, high = 0, n + 1
    while low < high:
        middle = (low + high + 1) // 2
        if exceeds(middle) <= risk:
            low = middle
        else:
            high = middle - 1
    return low


def chance_of_more(
    n: int, rate: RateDistribution, n_items: int | None
) -> Callable[[int], float]:
    """Return what tells for a place how likely more are above than the rate allows.

    That is the probability of N > R n_items, with a rate R that is independent of N.
    """
    if n_items is not None:
        short = chance_below(rate, np.arange(n_items + 1) / n_items)
        return lambda place: float(
            dot(BatchLaw(n, place, n_items).probabilities, short)
        )
    shares = np.asarray(rate.ppf((np.arange(_POINTS) + 0.5) / _POINTS))

    def exceeds(place: int) -> float:
        if place in (0, n + 1):
            return float(np.mean(shares < place / (n + 1)))
        return float(np.mean(special.betaincc(place, n - place + 1, shares)))

    return exceeds


def share_kept(
    rate: RateDistribution, n_items: int | None, confidence: float | None
) -> float:
    """Return the greatest share of all cases that keeps to the rate, if it is marked.

    With that confidence of the next ``n_items``, or on average.

    Examples
    --------
    Both of the next two cases are marked with a probability of 1/4:

    >>> from skrate import rates
    >>> round(share_kept(rates.fixed(0.5), 2, confidence=0.75), 9)
    0.5
    """
    if confidence is None:
        return float(rate.mean())
    if n_items is None:
        return float(rate.ppf(1 - confidence))
    # P(N > R m) is the sum of P(N >= k) P((k - 1) / m <= R < k / m).
    short = np.diff(chance_below(rate, np.arange(n_items + 1) / n_items))
    last = np.flatnonzero(short)
    if short.sum() <= 1 - confidence:
        return 1.0

    def risk(share: float) -> float:
        reached = special.betainc(last + 1.0, n_items - last, share)
        return float(dot(reached, short[last])) - (1 - confidence)

    return float(optimize.brentq(risk, 0.0, 1.0))


def chance_of_reaching(n_marked: int, n_items: int, share: float) -> float:
    """Return P(N >= n_marked) of cases each of which is marked with a probability.

    Examples
    --------
    >>> chance_of_reaching(2, 2, 0.5), chance_of_reaching(0, 2, 0.5)
    (0.25, 1.0)
    """
    if n_marked == 0:
        return 1.0
    return float(special.betainc(n_marked, n_items - n_marked + 1, share))


def number_within(rate: RateDistribution, n_items: int, risk: float | None) -> int:
    """Return how many of ``n_items`` the rate allows, or all but for that risk.

    Without a risk, those of the mean rate.

    Examples
    --------
    >>> from skrate import rates
    >>> number_within(rates.fixed(0.29), 100, risk=None)
    29
    """
    if risk is None:
        return int(np.floor(rate.mean() * n_items * (1 + _ROUNDING)))
    short = chance_below(rate, np.arange(n_items + 1) / n_items)
    return int(np.flatnonzero(short <= risk * _UP_TO)[-1])


def chance_below(rate: RateDistribution, shares: FloatArray) -> FloatArray:
    """Return the probability that the rate is below each of the shares."""
    shares = shares * (1 - _ROUNDING)
    return np.asarray(np.where(shares > 0, 1 - rate.survival(shares), 0.0))
