"""Functions that make rate distributions, from parameters or from expectations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from scipy import optimize, special, stats

from skrate.data.arrays import ArrayLike
from skrate.data.checks import (
    as_float64,
    check_choice,
    check_count,
    check_equal_length,
    check_fraction,
    check_positive,
    check_scores,
    check_weights,
    shown,
    warn,
)
from skrate.rates.laws import (
    FROM_COUNTS,
    UNIFORM,
    Beta,
    Exponential,
    Fixed,
    Interval,
    LogDiscount,
    Mixture,
    RateDistribution,
    RateLike,
    check_rate,
    count_hint,
    from_masses,
    from_scipy,
    is_row,
)


def uniform() -> RateDistribution:
    """Return the uniform rate on [0, 1], under which the rAUC is the AUC.

    Returns
    -------
    rate : RateDistribution
        All rates are equally likely.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.uniform().mean()
    0.5
    """
    return UNIFORM


def beta(a: float, b: float) -> RateDistribution:
    """Return a beta distribution over the rate.

    Parameters
    ----------
    a, b : float
        Shape parameters, above 0; the mean is ``a / (a + b)``.

    Returns
    -------
    rate : RateDistribution
        The distribution; equal distributions have the same table.

    Warns
    -----
    UserWarning
        If both parameters are below 0.5, because they are then usually meant as the
        mean and the standard deviation.

    See Also
    --------
    from_quantiles : The beta distribution through two quantiles.

    Examples
    --------
    >>> from skrate import rates
    >>> rate = rates.beta(3, 19)
    >>> rate
    beta(3, 19)
    >>> round(rate.mean(), 4)
    0.1364
    """
    a, b = check_positive("a", a), check_positive("b", b)
    if max(a, b) < 0.5:
        # Shape parameters of a beta distribution with this mean and standard deviation.
        size = a * (1 - a) / b**2 - 1
        hint = ""
        if size > 0:
            hint = f" For the mean {a:g} and the standard deviation {b:g} pass beta("
            hint += f"{a * size:.4g}, {(1 - a) * size:.4g})."
        warn(
            f"beta({a:g}, {b:g}) has the mean {a / (a + b):.3g} and most of its mass "
            f"near 0 and 1: a and b are shape parameters.{hint}"
        )
    return Beta(a, b)


def interval(low: float, high: float) -> RateDistribution:
    """Return a uniform distribution over the rates between two bounds.

    Parameters
    ----------
    low, high : float
        Bounds of the rate, ``0 <= low < high <= 1``.

    Returns
    -------
    rate : RateDistribution
        All rates between the bounds are equally likely.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.interval(0.125, 0.375).survival([0.1, 0.25]).tolist()
    [1.0, 0.5]
    """
    low, high = (
        check_fraction(
            name,
            bound,
            include_zero=True,
            include_one=True,
            hint=count_hint(bound, FROM_COUNTS),
        )
        for name, bound in (("low", low), ("high", high))
    )
    if low >= high:
        raise ValueError(f"low must be below high, got low={low:g} and high={high:g}.")
    return Interval(low, high)


def fixed(r: float) -> RateDistribution:
    """Return a single certain rate: a point mass.

    Parameters
    ----------
    r : float
        The rate, in (0, 1].

    Returns
    -------
    rate : RateDistribution
        Expected recall under it is the recall at this rate.

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
        Observed rates, mostly at most 1. A rate above 1 means that all samples were
        processed, and counts as 1.
    weights : array-like of shape (n_samples,), default=None
        Relative weights; None means equal weights.

    Returns
    -------
    rate : RateDistribution
        A point mass at each distinct sample.

    Raises
    ------
    ValueError
        If samples are negative, or if they seem to be counts or percentages: whole
        numbers with a maximum above 1, or numbers that are mostly above 1.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.empirical([0.1, 0.1, 0.4]).mean().__round__(6)
    0.2
    """
    points = as_float64("samples", check_scores("samples", samples))
    if points.min() < 0:
        raise ValueError(f"samples are rates and at least 0, got {points.min():g}.")
    if points.max() > 1 and (points == np.rint(points)).all():
        raise ValueError(
            "samples are rates, fractions of all items: divide counts by the number of "
            f"items; got whole numbers up to {points.max():g}."
        )
    masses = np.ones(len(points))
    if weights is not None:
        masses = check_weights("weights", weights)
        check_equal_length(samples=points, weights=masses)
    above = np.average(points > 1, weights=masses)
    if above > 0.5:
        raise ValueError(
            f"samples are rates, fractions of all items, but {100 * above:.0f} % are "
            f"above 1, up to {points.max():g}: divide percentages by 100, and counts "
            "by the number of items."
        )
    return from_masses(points, masses)


def mixture(
    rates: Sequence[RateLike], weights: ArrayLike | None = None
) -> RateDistribution:
    """Return a mixture of rate distributions.

    Parameters
    ----------
    rates : sequence
        Rates in any form that ``rate=`` accepts, at least one.
    weights : array-like of shape (n_rates,), default=None
        Relative weights; None means equal weights.

    Returns
    -------
    rate : RateDistribution
        Each of ``rates``, with a probability proportional to its weight.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.mixture([rates.beta(3, 19), 0.8], weights=[0.9, 0.1])
    mixture(0.9: beta(3, 19), 0.1: fixed(0.8))
    """
    rate_list = list(rates) if np.iterable(rates) and not isinstance(rates, str) else []
    if not rate_list:
        raise ValueError(
            "rates must be a sequence of at least one rate, as for rate=, got "
            f"{shown(rates)}."
        )
    components = []
    for i, rate in enumerate(rate_list):
        try:
            components.append(check_rate(rate))
        except ValueError as error:
            raise ValueError(f"rates[{i}]: {error}") from None
    masses = np.ones(len(components))
    if weights is not None:
        masses = check_weights("weights", weights)
        check_equal_length(rates=np.empty(len(components)), weights=masses)
    return Mixture(tuple(components), tuple((masses / masses.sum()).tolist()))


def exponential(alpha: float) -> RateDistribution:
    """Return an exponential rate, the weighting of RIE and BEDROC.

    Parameters
    ----------
    alpha : float
        Rate of decay, above 0: a sample at rate u is processed with probability
        ``exp(-alpha * u)``. Mass above 1 processes all samples.

    Returns
    -------
    rate : RateDistribution
        Under it the rAUC is BEDROC [1]_, and expected recall divided by the mean rate
        is RIE, if there are no ties.

    References
    ----------
    .. [1] Truchon and Bayly (2007), Evaluating virtual screening methods,
       J. Chem. Inf. Model. 47(2), :doi:`10.1021/ci600426e`.

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
        Number of ranked samples, at most 100,000,000.
    base : float, default=2
        Base of the logarithm, above 1. The sample at position i is processed with
        probability ``min(1, 1 / log_base(i + 1))``.

    Returns
    -------
    rate : RateDistribution
        With base 2, expected recall relative to the perfect ranking is NDCG with binary
        relevance [1]_, if there are no ties.

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
    if n > 10**8:  # Arrays with a number for each position take 5 GB.
        raise ValueError(f"n must be at most 100,000,000, got {n}.")
    base = check_positive("base", base)
    if base <= 1:
        raise ValueError(f"base must be above 1, got {base:g}.")
    return LogDiscount(n, base)


# Two distributions with equal quantiles agree if their means differ by at most this.
_SAME_MEAN = 0.05


def from_quantiles(quantiles: Mapping[float, float]) -> RateDistribution:
    """Return the beta distribution through two quantiles of the rate.

    Parameters
    ----------
    quantiles : dict of float to float
        Two entries ``{probability: rate}``, all in (0, 1), with the greater rate at the
        greater probability.

    Returns
    -------
    rate : RateDistribution
        The beta distribution, solved to a relative precision of 1e-10.

    Raises
    ------
    ValueError
        If there are not two entries, all in (0, 1) and increasing, or no beta
        distribution fits them numerically.

    See Also
    --------
    skrate.compare_curves : Bands over a range of rates, without a distribution.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`.

    Examples
    --------
    The rate is almost surely between 6.4 % and 28.8 % [1]_:

    >>> from skrate import rates
    >>> rates.from_quantiles({0.025: 0.064, 0.975: 0.288})
    beta(6.22614, 32.7909)
    """
    if not isinstance(quantiles, Mapping) or len(quantiles) != 2:
        raise ValueError(
            "quantiles must be a dict of two entries {probability: rate}, got "
            f"{quantiles!r}."
        )
    (p_low, q_low), (p_high, q_high) = sorted(
        (
            check_fraction("a probability of quantiles", p),
            check_fraction("a rate of quantiles", q, hint=count_hint(q, FROM_COUNTS)),
        )
        for p, q in quantiles.items()
    )
    if q_low >= q_high:
        raise ValueError(f"quantiles must increase with probability, got {quantiles}.")

    # Solve for the logit of the mean, given the smaller shape parameter. Then solve for
    # this parameter, because its size does not depend on the size of the rates.
    def at(logit: float, least: float) -> tuple[float, float]:
        greater = least * float(np.exp(abs(logit)))
        return (least, greater) if logit < 0 else (greater, least)

    def miss_below(logit: float, least: float) -> float:
        return float(special.betainc(*at(logit, least), q_low)) - p_low

    def shapes(log_least: float) -> tuple[float, float]:
        least = float(np.exp(log_least))
        root = optimize.brentq(miss_below, -60, 60, (least,), xtol=1e-14, rtol=1e-14)
        return at(float(root), least)

    def miss_above(log_least: float) -> float:
        return float(special.betainc(*shapes(log_least), q_high)) - p_high

    try:
        solution = optimize.brentq(miss_above, -12, 24, xtol=1e-13, rtol=1e-13)
    except ValueError:
        raise ValueError(
            f"No beta distribution fits the quantiles {quantiles}: use less extreme "
            "ones, or ones that are further from each other."
        ) from None
    return Beta(*shapes(solution))


def from_counts(
    low: float, high: float, n_items: int, confidence: float = 0.95
) -> RateDistribution:
    """Return the beta rate of a number of items between two bounds.

    Parameters
    ----------
    low, high : float
        Bounds of the number of processed items, ``0 < low < high < n_items``.
    n_items : int
        Number of items that will be ranked, not of samples in an evaluation.
    confidence : float, default=0.95
        Probability that the number lies between the bounds.

    Returns
    -------
    rate : RateDistribution
        The beta distribution with central quantiles ``low / n_items`` and
        ``high / n_items``.

    Raises
    ------
    ValueError
        If the bounds are not above 0, in order and below ``n_items``, ``high`` is below
        1, ``confidence`` is outside (0, 1), or no beta distribution fits numerically.

    Examples
    --------
    Between 200 and 400 of 5,000 articles will be read:

    >>> from skrate import rates
    >>> rate = rates.from_counts(200, 400, n_items=5_000)
    >>> print(rate.describe())
    5.8 % of the samples will be processed on average, between 4.0 % and 8.0 %
    with \
probability 0.95
    """
    low, high = check_positive("low", low), check_positive("high", high)
    n_items = check_count("n_items", n_items)
    confidence = check_fraction("confidence", confidence)
    if low >= high:
        raise ValueError(f"low must be below high, got low={low:g} and high={high:g}.")
    if high < 1:
        raise ValueError(
            f"low and high are numbers of items, got low={low:g} and high={high:g}: "
            "for fractions use skrate.rates.from_quantiles."
        )
    if high >= n_items:
        raise ValueError(
            f"high must be below n_items={n_items}, got {high:g}: if all items may be "
            "processed, use skrate.rates.interval."
        )
    return _through(low / n_items, high / n_items, confidence)


def from_budget(
    total: float | tuple[float, float],
    n_items: int,
    cost: float | tuple[float, float],
    confidence: float = 0.95,
    law: Literal["beta", "lognormal"] | None = None,
) -> RateDistribution:
    r"""Return the rate of a budget if it or the average cost of an item is uncertain.

    Parameters
    ----------
    total : float or tuple (low, high)
        The budget, in any unit, or its bounds.
    n_items : int
        Number of ranked items.
    cost : tuple (low, high) or float
        Bounds of the *average* cost of an item, in the unit of ``total``; one number if
        it is certain.
    confidence : float, default=0.95
        Probability that the cost is between its bounds, and the same for the total.
    law : {"beta", "lognormal"}, default=None
        The distribution with these quantiles. None means beta, or log-normal if the
        upper quantile is 1 or more, which is impossible for a beta distribution.

    Returns
    -------
    rate : RateDistribution
        The distribution with the rates ``total / (n_items * cost)`` as central
        quantiles [1]_. The probability that all are processed is a point mass at 1.

    Raises
    ------
    ValueError
        If bounds are not above 0 and in order, total and cost are both certain,
        ``confidence`` is outside (0, 1), ``law`` is unknown, or ``law="beta"`` has an
        upper quantile of 1 or more.

    Warns
    -----
    UserWarning
        If even the lower quantile is 1 or more, because all samples are then processed,
        or if no ``law`` is given and the two means differ by more than 0.05.

    Notes
    -----
    If both have bounds, these are central quantiles of independent log-normal amounts:
    with budgets T, costs C of one item and N items, the quantiles of the rate are

    .. math:: \frac{\sqrt{T_1 T_2}}{N \sqrt{C_1 C_2}}
              \exp\left( \pm \frac{1}{2} \sqrt{\log^2 \frac{T_2}{T_1}
              + \log^2 \frac{C_2}{C_1}} \right).

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`.

    Examples
    --------
    120 hours for 2,500 articles that take 10 to 45 minutes each:

    >>> from skrate import rates
    >>> rate = rates.from_budget(7_200, 2_500, cost=(10, 45))
    >>> rate
    beta(6.22614, 32.7909)
    >>> rate.ppf([0.025, 0.975]).round(3).tolist()
    [0.064, 0.288]
    """
    check_choice("law", law, ("beta", "lognormal"), or_none=True)
    n_items = check_count("n_items", n_items)
    confidence = check_fraction("confidence", confidence)
    least, most = _bounds("total", total)
    low, high = _bounds("cost", cost)
    if (least, low) == (most, high):
        raise ValueError(
            f"cost must be a pair (low, high), got {shown(cost)}: with a single total, "
            f"use the rate {least / (n_items * low):.6g}."
        )
    # If only one has bounds, they determine the bounds of the rate.
    first, last = least / (n_items * high), most / (n_items * low)
    if least < most and low < high:
        middle = np.sqrt(first) * np.sqrt(last)
        reach = np.exp(np.hypot(np.log(most / least), np.log(high / low)) / 2)
        first, last = float(middle / reach), float(middle * reach)
    if first >= 1:
        warn(
            f"All {n_items} items will be processed, and every ranking is equally "
            f"good: at the maximum cost of {high:g} an item, the minimum budget of "
            f"{least:g} pays for {least / high:.0f} of {n_items} items."
        )
    if law == "beta":
        if last >= 1:
            raise ValueError(
                f'law="beta" cannot have an upper quantile of {last:.4g}, because the '
                'budget may cover all items: use law="lognormal", or leave it out.'
            )
        return _through(first, last, confidence)
    sigma = np.log(last / first) / (2 * float(special.ndtri((1 + confidence) / 2)))
    frozen = stats.lognorm(sigma, scale=np.sqrt(first) * np.sqrt(last))
    # All mass above 1 is at 1.
    lognormal = from_scipy(frozen, most_above=1.0)
    if law == "lognormal" or last >= 1:
        return lognormal
    rate = _through(first, last, confidence)
    if abs(rate.mean() - lognormal.mean()) > _SAME_MEAN:
        warn(
            'Choose law="beta" or law="lognormal", because the shape of the '
            f"distribution between the quantiles {first:.4g} and {last:.4g} matters: "
            f"the mean is {rate.mean():.3g} for the beta distribution, which is used, "
            f"and {lognormal.mean():.3g} for the log-normal distribution."
        )
    return rate


def _bounds(name: str, ends: Any) -> tuple[float, float]:
    """Return the bounds of an amount above 0, both equal if it is one number."""
    if not is_row(ends):
        amount = check_positive(name, ends)
        return amount, amount
    if len(ends) != 2:
        hint = ": bounds of the average over items" if name == "cost" else ""
        raise ValueError(f"{name} must be a pair (low, high), got {shown(ends)}{hint}.")
    low = check_positive(f"{name}[0]", ends[0])
    high = check_positive(f"{name}[1]", ends[1])
    if low > high or (name == "cost" and low == high):
        raise ValueError(
            f"{name} must be (low, high) with low < high, got {shown(ends)}."
        )
    return low, high


def _through(low: float, high: float, confidence: float) -> RateDistribution:
    """Return the beta distribution with two rates as central quantiles."""
    tail = (1 - confidence) / 2
    return from_quantiles({tail: low, 1 - tail: high})
