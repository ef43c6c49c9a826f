"""Constructors of rate distributions, and their elicitation from what users know."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from skrate.core.arrays import ArrayLike
from skrate.core.conversion import shown
from skrate.core.extreme_laws import ENDS, End
from skrate.core.rate_sets import RateSet
from skrate.core.rates import (
    Beta,
    Exponential,
    Fixed,
    Interval,
    LogDiscount,
    Mixture,
    RateDistribution,
    RateLike,
    from_masses,
)
from skrate.core.scipy_rates import from_scipy, is_scipy_distribution
from skrate.core.validation import (
    check_choice,
    check_count,
    check_equal_length,
    check_fraction,
    check_positive,
    check_scores,
    check_weights,
)

# Of more nobody means a number of items.
_MOST_ITEMS = 10**15
FROM_COUNTS = (
    "counts are for skrate.rates.from_counts(low, high, n_items), which makes rates of "
    "them"
)


def check_rate(rate: Any) -> RateDistribution:
    """Return the distribution that ``rate`` stands for, as metrics take it."""
    if isinstance(rate, RateDistribution):
        return rate
    if isinstance(rate, str):
        if rate == "uniform":
            return uniform()
        raise ValueError(f"rate={rate!r} is unknown: the only name is 'uniform'.")
    if isinstance(rate, numbers.Real) and not isinstance(rate, bool):
        hint = count_hint(
            rate,
            "{n} of N items are the rate {n}/N, and with cost= a budget of {n} is "
            "{n} / cost.sum()",
        )
        return Fixed(check_fraction("rate", rate, include_one=True, hint=hint))
    if is_scipy_distribution(rate):
        return from_scipy(rate)
    if isinstance(rate, RateSet):
        raise ValueError(
            f"rate is a set of distributions, {rate!r}, and here one is needed: sets "
            "are for compare, and for scores that have worst=."
        )
    if isinstance(rate, Mapping):
        raise ValueError(
            f"rate is a dict of one for each class, {shown(rate)}, and here one is "
            "needed: that of the positive class."
        )
    raise ValueError(
        "rate must be 'uniform', a number in (0, 1], a frozen scipy.stats distribution "
        f"or one from skrate.rates, got {shown(rate)}{_freezing(rate)}."
    )


def count_hint(value: Any, meant: str) -> str:
    """Return what is ``meant`` by a whole number above 1 that is given for a share.

    In the text n stands for the number.
    """
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not (is_number and 1 < value < _MOST_ITEMS and value == int(value)):
        return ""
    return ": " + meant.replace("{n}", str(int(value)))


def check_rate_or_set(rate: Any, worst: End | None) -> RateDistribution | RateSet:
    """Return what ``rate`` stands for; of a set ``worst`` says which end is meant."""
    if worst is not None:
        check_choice("worst", worst, ENDS)
    if isinstance(rate, RateSet):
        if worst is None:
            raise ValueError(
                f"rate is a set of distributions, {rate!r}: worst='low' gives the "
                "least value over the set, and compare the range of a difference."
            )
        return rate
    if worst is not None:
        raise ValueError(
            f"worst={worst!r} is for a set of distributions, which rates.between "
            f"makes: leave it out for rate={shown(rate)}."
        )
    return check_rate(rate)


def _freezing(rate: Any) -> str:
    """Return how what is nearly a distribution becomes one."""
    if not (callable(rate) and hasattr(rate, "sf") and hasattr(rate, "ppf")):
        return ""
    name = type(rate).__name__
    if getattr(rate, "shapes", None):
        return f": freeze it by a call with its parameters, {rate.name}({rate.shapes})"
    call = f"{name}(...)()" if name in ("rv_histogram", "rv_discrete") else "rate()"
    return f": freeze it by a call, {call}"


@lru_cache(maxsize=1)
def uniform() -> RateDistribution:
    """Return the uniform rate on [0, 1], under which the rAUC is the AUC.

    Returns
    -------
    rate : RateDistribution
        Every share of the ranking is as likely to be processed as any other.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.uniform().mean()
    0.5
    """
    return Interval(0.0, 1.0)


def beta(a: float, b: float) -> RateDistribution:
    """Return a beta distribution over the rate.

    Parameters
    ----------
    a, b : float
        Shape parameters, above 0; the mean is ``a / (a + b)``.

    Returns
    -------
    rate : RateDistribution
        The distribution; its tables are kept, so that equal betas share them.

    See Also
    --------
    from_quantiles : The beta distribution through two quantiles.
    from_counts : That of a number of items between two bounds.
    from_budget : That of a budget and a cost per item.

    Examples
    --------
    >>> from skrate import rates
    >>> rate = rates.beta(3, 19)
    >>> rate
    beta(3, 19)
    >>> round(rate.mean(), 4)
    0.1364
    """
    return Beta(check_positive("a", a), check_positive("b", b))


def interval(low: float, high: float) -> RateDistribution:
    """Return a uniform distribution over the rates between two bounds.

    Parameters
    ----------
    low, high : float
        Bounds of the rate, ``0 <= low < high <= 1``.

    Returns
    -------
    rate : RateDistribution
        All rates between the bounds are equally likely, others impossible.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.interval(0.1, 0.3).survival([0.1, 0.2, 0.3]).round(
    ...     3
    ... ).tolist()
    [1.0, 0.5, 0.0]
    """
    low, high = (
        check_fraction(
            name, value, include_zero=True, include_one=True,
            hint=count_hint(value, FROM_COUNTS),
        )
        for name, value in (("low", low), ("high", high))
    )  # fmt: skip
    if low >= high:
        raise ValueError(f"low must be below high, got low={low:g} and high={high:g}.")
    return Interval(low, high)


def fixed(r: float) -> RateDistribution:
    """Return a rate that is known: a point mass.

    Parameters
    ----------
    r : float
        The rate, in (0, 1].

    Returns
    -------
    rate : RateDistribution
        Expected recall under it is the recall at that rate.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.fixed(0.2).limited_mean([0.1, 0.5]).tolist()
    [0.1, 0.2]
    """
    hint = count_hint(r, "{n} of N items are the rate {n}/N")
    return Fixed(check_fraction("r", r, include_one=True, hint=hint))


def empirical(samples: ArrayLike, weights: ArrayLike | None = None) -> RateDistribution:
    """Return the distribution of rates observed in the past.

    Parameters
    ----------
    samples : array-like of shape (n_samples,)
        Observed rates. Those above 1 processed everything and count as 1.
    weights : array-like of shape (n_samples,), default=None
        Relative weights; None means equal ones.

    Returns
    -------
    rate : RateDistribution
        A point mass at every distinct sample.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.empirical([0.1, 0.1, 0.4]).mean().__round__(6)
    0.2
    """
    points = check_scores("samples", samples).astype(np.float64)
    if points.min() < 0:
        raise ValueError(f"samples are rates, at least 0; found {points.min():g}.")
    if points.max() > 1 and (points == np.rint(points)).all():
        raise ValueError(
            f"samples are rates, shares of all items; found whole numbers up to "
            f"{points.max():g}: divide counts by the number of items."
        )
    masses = np.ones(len(points))
    if weights is not None:
        masses = check_weights("weights", weights)
        check_equal_length(samples=points, weights=masses)
    return from_masses(points, masses)


def mixture(
    rates: Sequence[RateLike], weights: ArrayLike | None = None
) -> RateDistribution:
    """Return a mixture of rate distributions.

    Parameters
    ----------
    rates : sequence
        Whatever ``rate=`` accepts, at least one.
    weights : array-like of shape (n_rates,), default=None
        Relative weights; None means equal ones.

    Returns
    -------
    rate : RateDistribution
        With probability proportional to its weight, each of ``rates``.

    Examples
    --------
    A small team most of the time, everybody in one week of ten:

    >>> from skrate import rates
    >>> rate = rates.mixture(
    ...     [rates.beta(3, 19), 0.8], weights=[0.9, 0.1]
    ... )
    >>> rate
    mixture(0.9: beta(3, 19), 0.1: fixed(0.8))
    """
    try:
        given = list(rates)
    except TypeError:
        given = None
    if given is None or isinstance(rates, str):
        raise ValueError(
            f"rates must be a sequence of what rate= accepts, got {rates!r}."
        )
    components = []
    for i, one in enumerate(given):
        try:
            components.append(check_rate(one))
        except ValueError as error:
            raise ValueError(f"rates[{i}]: {error}") from None
    if not components:
        raise ValueError("rates is empty: a mixture needs at least one distribution.")
    shares = np.ones(len(components))
    if weights is not None:
        shares = check_weights("weights", weights)
        check_equal_length(rates=np.empty(len(components)), weights=shares)
    return Mixture(tuple(components), tuple((shares / shares.sum()).tolist()))


def exponential(alpha: float) -> RateDistribution:
    """Return an exponential rate, the weighting of RIE and BEDROC.

    Parameters
    ----------
    alpha : float
        Rate of decay, above 0: a case at rate u is processed with probability
        ``exp(-alpha * u)``. Mass above 1 processes everything.

    Returns
    -------
    rate : RateDistribution
        Under it the rAUC is BEDROC [1]_, and expected recall divided by the mean rate
        is RIE [2]_, without ties.

    References
    ----------
    .. [1] Truchon and Bayly (2007), Evaluating virtual screening methods,
       J. Chem. Inf. Model. 47(2), :doi:`10.1021/ci600426e`.
    .. [2] Sheridan et al. (2001), Protocols for bridging the peptide to nonpeptide
       gap in topological similarity searches, J. Chem. Inf. Comput. Sci. 41(5),
       :doi:`10.1021/ci0100144`.

    Examples
    --------
    >>> from skrate import rates
    >>> round(rates.exponential(20).ppf(0.8), 4)
    0.0805
    """
    return Exponential(check_positive("alpha", alpha))


def log_discount(n: int, base: float = 2) -> RateDistribution:
    """Return the discrete rate on 1/n, ..., 1 that is the weighting of NDCG.

    Parameters
    ----------
    n : int
        Number of ranked cases.
    base : float, default=2
        Base of the logarithm, above 1. The case at position i is processed with
        probability ``min(1, 1 / log_base(i + 1))``, so that a base above 2 leaves the
        first positions undiscounted; in NDCG without that limit the base cancels.

    Returns
    -------
    rate : RateDistribution
        With base 2, expected recall over that of the perfect ranking is NDCG with
        binary relevance [1]_, without ties.

    References
    ----------
    .. [1] Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR
       techniques, ACM Trans. Inf. Syst. 20(4), :doi:`10.1145/582415.582418`.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.log_discount(3).instance_weights(3).round(4).tolist()
    [1.0, 0.6309, 0.5]
    """
    n = check_count("n", n)
    base = check_positive("base", base)
    if base <= 1:
        raise ValueError(f"base must be above 1, got {base:g}.")
    return LogDiscount(n, base)
