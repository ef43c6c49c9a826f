"""Oracle of thresholds on held-out scores: all orders counted, exact fractions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb


def parts(pooled: Sequence[float], n: int) -> Iterator[tuple[list, list]]:
    """Yield every choice of n held-out scores among the pooled, and the others."""
    for chosen in combinations(range(len(pooled)), n):
        held_out = [pooled[i] for i in chosen]
        yield held_out, [s for i, s in enumerate(pooled) if i not in chosen]


def enumerated(n: int, place: int, m: int) -> list[Fraction]:
    """Return P(N = k), k = 0, ..., m, by going through all orders of n + m scores."""
    counts = Counter(
        above(new, kept_above(held_out, place))
        for held_out, new in parts(range(n + m), n)
    )
    return [Fraction(counts[k], comb(n + m, n)) for k in range(m + 1)]


def kept_above(held_out: Sequence[float], place: int) -> float:
    """Return the score of a place, that nothing is above at 0, and all at n + 1."""
    return [float("inf"), *sorted(held_out, reverse=True), -float("inf")][place]


def above(scores: Sequence[float], cut: float) -> int:
    return sum(score > cut for score in scores)


def counted(n: int, place: int, m: int) -> list[Fraction]:
    """Return the same from the number of orders.

    Up to the held-out score of the place come k new ones in any order with the others,
    and after it the rest.
    """
    if place in (0, n + 1):
        return [Fraction(k == (m if place else 0)) for k in range(m + 1)]
    return [
        Fraction(
            comb(place - 1 + k, k) * comb(n - place + m - k, m - k), comb(n + m, m)
        )
        for k in range(m + 1)
    ]


def exceeding(
    n: int, place: int, m: int, rates: Sequence[tuple[Fraction, Fraction]]
) -> Fraction:
    """Return P(N > R m) for a rate R with a probability for each of its values."""
    return sum(
        chance * probability
        for k, chance in enumerate(counted(n, place, m))
        for rate, probability in rates
        if k > rate * m
    )


def best_place(
    n: int, m: int, rates: Sequence[tuple[Fraction, Fraction]], risk: Fraction
) -> int:
    """Return the greatest place that exceeds the rate with at most that risk."""
    return max(j for j in range(n + 2) if exceeding(n, j, m, rates) <= risk)


def chance_of_less(n: int, place: int, recall: Fraction) -> Fraction:
    """Return P(share < recall) of new scores at or above the place-th smallest of n.

    The share is less where fewer than ``place`` of the n lie in the lowest 1 - recall
    of all scores: beta and binomial distributions are two ways to count the same.
    """
    low = 1 - recall
    return sum(comb(n, i) * low**i * recall ** (n - i) for i in range(place))


def best_smallest(n: int, recall: Fraction, risk: Fraction) -> int:
    """Return the greatest place from below that keeps the recall in the long run."""
    return max(j for j in range(n + 1) if chance_of_less(n, j, recall) <= risk)
