"""An urn by counting its draws: the law, tests turned round, confidence.

In fractions, straight from the definitions, over every number of positives.
"""

from fractions import Fraction
from functools import cache
from math import comb, lgamma, log


@cache
def chance(x: int, n: int, n_pos: int, n_all: int) -> Fraction:
    """Return the share of the draws of n that hold x positives."""
    if not 0 <= x <= n:
        return Fraction(0)
    return Fraction(comb(n_pos, x) * comb(n_all - n_pos, n - x), comb(n_all, n))


def at_most(x: int, n: int, n_pos: int, n_all: int) -> Fraction:
    return sum((chance(j, n, n_pos, n_all) for j in range(x + 1)), Fraction(0))


def at_least(x: int, n: int, n_pos: int, n_all: int) -> Fraction:
    return sum((chance(j, n, n_pos, n_all) for j in range(x, n + 1)), Fraction(0))


def possible(x: int, n: int, n_all: int) -> range:
    """Return the numbers of positives in the urn of which x may be drawn."""
    return range(x, n_all - n + x + 1)


def most(x: int, n: int, n_all: int, alpha: Fraction) -> int:
    return max(k for k in possible(x, n, n_all) if at_most(x, n, k, n_all) > alpha)


def fewest(x: int, n: int, n_all: int, alpha: Fraction) -> int:
    return min(k for k in possible(x, n, n_all) if at_least(x, n, k, n_all) > alpha)


def missed(found: int, total: int, target: Fraction) -> bool:
    """Return whether the recall is below the target."""
    return total > 0 and Fraction(found, total) < target


def pvalue(found: int, urn: tuple[int, int, int], target: Fraction) -> Fraction:
    """Return the greatest chance of so few hits, over all ways to miss the target."""
    x, n, n_all = urn
    ways = [k for k in range(n_all + 1) if missed(found + x, found + k, target)]
    return max((at_most(x, n, k, n_all) for k in ways if k >= x), default=Fraction(0))


def odds(x: int, n: int, n_pos: int, n_all: int, prior: tuple[float, float]) -> float:
    """Return the chance of x over its mean over beta-binomial numbers of positives."""
    a, b = prior
    log_mean = log(comb(n, x)) + lgamma(a + x) + lgamma(b + n - x) - lgamma(a + b + n)
    log_mean += lgamma(a + b) - lgamma(a) - lgamma(b)
    own = chance(x, n, n_pos, n_all)
    return 0.0 if own == 0 else 2.718281828459045 ** (log(own) - log_mean)
