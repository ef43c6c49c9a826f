"""How many of the next cases can be processed, and the score that keeps to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skrate.core.arrays import Array
from skrate.core.elicitation import check_rate
from skrate.core.rates import Fixed, RateDistribution
from skrate.core.results import ConfidenceInterval
from skrate.core.validation import check_count, check_fraction
from skrate.inference.batch_law import (
    BatchLaw,
    number_within,
    place_kept,
    place_of_mean,
    share_kept,
)

# A capacity of which ties leave less than this share is worth a word.
_USED = 0.9


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
        """Return of ``n`` held-out scores the place of that which keeps it."""
        if self.confidence is None:
            return place_of_mean(n, self.rate)
        return place_kept(n, self.rate, self.n_items, self.confidence)

    def share(self) -> float:
        """Return the greatest share of all cases with which it is kept."""
        return share_kept(self.rate, self.n_items, self.confidence)

    def of_batch(self, n_items: int) -> int:
        """Return how many are processed of a batch that is at hand."""
        if self.number is not None:
            return min(self.number, n_items)
        risk = None if self.confidence is None else 1 - self.confidence
        return number_within(self.rate, n_items, risk)


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
