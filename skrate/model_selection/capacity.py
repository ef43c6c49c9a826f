"""How many of the next cases can be processed, as a threshold is told of it."""

from dataclasses import dataclass
from typing import Any

from skrate.core.elicitation import check_rate
from skrate.core.rates import Fixed, RateDistribution
from skrate.core.validation import check_count, check_fraction
from skrate.inference.batch_law import number_within, place_kept, place_of_mean


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
