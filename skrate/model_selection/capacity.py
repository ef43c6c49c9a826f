"""The place of a threshold that keeps a capacity, and the law of what it marks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import optimize, special, stats

from skrate.data.arrays import Array, FloatArray, dot
from skrate.data.checks import check_count, check_fraction
from skrate.metrics.results import ConfidenceInterval
from skrate.rates.laws import Fixed, RateDistribution, check_rate

# A capacity of which ties leave less than this share is worth a word.
_USED = 0.9
# Budgets that stand for their distribution, where the batch is no number of cases.
_POINTS = 1024
# A rate of 29/100 is 29 of 100 cases, whatever floats make of the product.
_ROUNDING = 1e-12
# What is equal to a probability but for rounding does not exceed it.
_UP_TO = 1 + 1e-9


@dataclass(frozen=True)
class Capacity:
    """The share of the next ``n_items`` that is processed, and how surely it is kept.

    ``number`` is set where the capacity was given as a number of cases.
    """

    rate: RateDistribution
    n_items: int | None
    confidence: float | None
    number: int | None = None

    def place(self, n: int) -> int:
        """Return the greatest place among ``n`` held-out scores that keeps it.

        By bisection, as the number above can only grow with the place.
        """
        if self.confidence is None:
            return self._of_mean(n + 1)
        exceeds = chance_of_more(n, self.rate, self.n_items)
        risk = (1 - self.confidence) * _UP_TO
        places = range(1, n + 2)
        return bisect_left(places, True, key=lambda place: exceeds(place) > risk)

    def share(self) -> float:
        """Return the greatest share of all cases with which it is kept."""
        rate, n_items, confidence = self.rate, self.n_items, self.confidence
        if confidence is None:
            return float(rate.mean())
        if n_items is None:
            return float(rate.ppf(1 - confidence))
        # P(N > R m) is the sum of P(N >= k) P((k - 1) / m <= R < k / m).
        short = np.diff(_chance_below(rate, np.arange(n_items + 1) / n_items))
        last = np.flatnonzero(short)
        if short.sum() <= 1 - confidence:
            return 1.0

        def risk(share: float) -> float:
            reached = special.betainc(last + 1.0, n_items - last, share)
            return float(dot(reached, short[last])) - (1 - confidence)

        return float(optimize.brentq(risk, 0.0, 1.0))

    def of_batch(self, n_items: int) -> int:
        """Return how many are processed of a batch that is at hand."""
        if self.number is not None:
            return min(self.number, n_items)
        if self.confidence is None:
            return self._of_mean(n_items)
        short = _chance_below(self.rate, np.arange(n_items + 1) / n_items)
        return int(np.flatnonzero(short <= (1 - self.confidence) * _UP_TO)[-1])

    def _of_mean(self, n: int) -> int:
        """Return how many of n the mean rate allows."""
        return int(np.floor(self.rate.mean() * n * (1 + _ROUNDING)))


def check_capacity(rate: Any, capacity: Any, n_items: Any, confidence: Any) -> Capacity:
    """Return what the parameters of a threshold say of the capacity."""
    if n_items is not None:
        n_items = check_count("n_items", n_items)
    if confidence is not None:
        confidence = check_fraction("confidence", confidence)
    if capacity is None:
        if rate is None:
            raise ValueError(
                "How many cases will be processed? Give rate=, their share as a number "
                "or a distribution from skrate.rates, or capacity= and n_items=, their "
                "number among the next n_items."
            )
        return Capacity(check_rate(rate), n_items, confidence)
    if rate is not None:
        raise ValueError(
            f"rate={rate!r} and capacity={capacity!r} both say how many cases will be "
            "processed: give one of them."
        )
    number = check_count("capacity", capacity)
    if n_items is None:
        raise ValueError(
            f"capacity={number} needs n_items=, the number of new cases of which it "
            "is; a share of all cases is given by rate=."
        )
    if number > n_items:
        raise ValueError(
            f"capacity={number} is above n_items={n_items}: all of the batch can be "
            "processed, without a threshold. Give capacity=n_items, or a larger batch."
        )
    return Capacity(Fixed(number / n_items), n_items, confidence, number)


@dataclass(frozen=True)
class Cut:
    """Where held-out scores are cut: right above one of them.

    ``at`` is the score of the ``place``, of which ``n`` are the number; ``n_above``
    scores are greater, and ``n_tied`` are equal. ``threshold`` is the next number
    above it in the precision of the scores.
    """

    n: int
    place: int
    at: float
    threshold: float
    n_above: int
    n_tied: int

    @property
    def expected(self) -> float:
        """The share that is expected to be marked: of ties, none.

        Without any it is that above the place. A score that many have is one that new
        cases have, too: what is then above it is the share above in the sample.
        """
        if self.n_tied > 1:
            return self.n_above / self.n
        return self.law_without_ties(None).mean

    def interval(self, n_items: int | None, level: float) -> ConfidenceInterval:
        """Return the central interval of the share marked of the next cases.

        Above a score that ties are no fewer than above the next better one, and no more
        than if those that tie came in some order.
        """
        least = self.n_above if self.n_tied > 1 else self.place
        most = min(self.place, self.n_above + 1)
        low, high = (
            BatchLaw(self.n, place, n_items).interval(level) for place in (least, most)
        )
        return ConfidenceInterval(low.low, high.high)

    def law_without_ties(self, n_items: int | None) -> BatchLaw:
        """Return the law of the place, which bounds the number marked."""
        return BatchLaw(self.n, self.place, n_items)

    def waste(self) -> str:
        """Return what to tell where capacity is left unused, else nothing."""
        if self.place == 0:
            return (
                f"Nothing will be marked: no threshold on {self.n} held-out scores "
                "keeps so small a capacity. Give more cases, a greater rate or "
                "capacity, or a lower confidence."
            )
        could = self.law_without_ties(None).mean
        # The first of those that tie is no loss: above it the place could be, too.
        if min(self.place, self.n_above + 1) >= _USED * self.place:
            return ""
        return (
            f"{self.n_tied} of {self.n} held-out cases tie at the threshold. None of "
            "such cases is marked, as all of them would be too many: "
            f"{self.expected:.3g} of new ones will be where {could:.3g} could. Take an "
            "estimator with finer scores, or predict_batch, which draws among ties."
        )


def find_cut(scores: Array, capacity: Capacity) -> Cut:
    """Return the cut of held-out scores that keeps the capacity."""
    n = len(scores)
    place = capacity.place(n)
    if place in (0, n + 1):
        end = np.inf if place == 0 else -np.inf
        return Cut(n, place, end, end, 0 if place == 0 else n, 0)
    at = np.partition(scores, n - place)[n - place]
    # In the precision of the scores, so that either precision compares alike.
    threshold = np.nextafter(at, scores.dtype.type(np.inf))
    n_above, n_tied = np.count_nonzero(scores > at), np.count_nonzero(scores == at)
    return Cut(n, place, float(at), float(threshold), int(n_above), int(n_tied))


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
        a, b = self.place, self.n - self.place + 1
        chances = stats.betabinom.pmf(np.arange(m + 1), m, a, b)
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


def chance_of_more(
    n: int, rate: RateDistribution, n_items: int | None
) -> Callable[[int], float]:
    """Return what tells for a place how likely more are above than the rate allows.

    That is the probability of N > R n_items, with a rate R that is independent of N.
    """
    if n_items is not None:
        short = _chance_below(rate, np.arange(n_items + 1) / n_items)
        return lambda place: float(
            dot(BatchLaw(n, place, n_items).probabilities, short)
        )
    shares = np.asarray(rate.ppf((np.arange(_POINTS) + 0.5) / _POINTS))

    def exceeds(place: int) -> float:
        if place in (0, n + 1):
            return float(np.mean(shares < place / (n + 1)))
        return float(np.mean(special.betaincc(place, n - place + 1, shares)))

    return exceeds


def _chance_below(rate: RateDistribution, shares: FloatArray) -> FloatArray:
    """Return the probability that the rate is below each of the shares."""
    shares = shares * (1 - _ROUNDING)
    return np.asarray(np.where(shares > 0, 1 - rate.survival(shares), 0.0))
