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
from skrate.rates.distributions import (
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
    """Return the uniform distribution on [0, 1]: all rates are equally likely.

    It is the same as ``rate="uniform"``. With it, the rate-weighted AUC is the AUC.

    Returns
    -------
    rate : RateDistribution
        The distribution.

    Examples
    --------
    >>> from skrate import rates
    >>> rates.uniform().mean()
    0.5
    """
    return UNIFORM


def beta(a: float, b: float) -> RateDistribution:
    """Return a beta distribution of the rate, the fraction of samples to be processed.

    Parameters
    ----------
    a, b : float
        Shape parameters, above 0. The mean is ``a / (a + b)``.

    Returns
    -------
    rate : RateDistribution
        The distribution. Pass it as ``rate=`` to a metric.

    Raises
    ------
    ValueError
        If a parameter is not a finite number above 0.

    Warns
    -----
    UserWarning
        If both parameters are below 0.5, because they may be meant as mean and standard
        deviation. The warning contains the ``a`` and ``b`` with these.

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

    Raises
    ------
    ValueError
        If the bounds are not in [0, 1], or ``low`` is not below ``high``.

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
    """Return a fixed rate, as a distribution with one value.

    Parameters
    ----------
    r : float
        The rate, in (0, 1].

    Returns
    -------
    rate : RateDistribution
        The distribution. The expected recall is then the recall at this rate.

    Raises
    ------
    ValueError
        If ``r`` is not in (0, 1].

    Examples
    --------
    >>> from skrate import rates
    >>> rates.fixed(0.2).limited_mean([0.1, 0.5]).tolist()
    [0.1, 0.2]
    """
    hint = count_hint(r, "{n} of N items are the rate {n}/N")
    return Fixed(check_fraction("r", r, include_one=True, hint=hint))


def empirical(samples: ArrayLike, weights: ArrayLike | None = None) -> RateDistribution:
    """Return the distribution of rates that were observed in the past.

    Parameters
    ----------
    samples : array-like of shape (n_samples,)
        Observed rates, at least 0. A rate above 1, such as a budget for more samples
        than there were, counts as 1.
    weights : array-like of shape (n_samples,), default=None
        Relative weights of the observations; None means equal weights.

    Returns
    -------
    rate : RateDistribution
        Each distinct rate has a probability proportional to its total weight.

    Raises
    ------
    ValueError
        If a rate is negative, or if the rates seem to be counts or percentages: they
        are whole numbers and some are above 1, or most of them are above 1.

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
    """Return a mixture of several distributions of the rate.

    Parameters
    ----------
    rates : sequence
        One or more rates in any form that ``rate=`` accepts: numbers, "uniform" or
        distributions.
    weights : array-like of shape (n_rates,), default=None
        Relative weights; None means equal weights.

    Returns
    -------
    rate : RateDistribution
        The rate comes from one of ``rates``, which is drawn with a probability
        proportional to its weight.

    Raises
    ------
    ValueError
        If ``rates`` is empty or contains an invalid rate, or weights are invalid.

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
    """Return an exponential distribution of the rate, which gives RIE and BEDROC.

    RIE (robust initial enhancement) and BEDROC [1]_ are metrics of virtual screening.
    With this rate and without ties, :func:`~skrate.rate_weighted_auc_score` is BEDROC,
    and :func:`~skrate.recall_at_rate_score` divided by the mean of the rate is RIE.

    Parameters
    ----------
    alpha : float
        Above 0. A sample is processed with the probability ``exp(-alpha * u)``, where u
        is the fraction of the samples that are ranked above it. The mean rate is about
        ``1 / alpha``.

    Returns
    -------
    rate : RateDistribution
        The distribution. All samples are processed with the probability
        ``exp(-alpha)``.

    Raises
    ------
    ValueError
        If ``alpha`` is not a finite number above 0.

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
    """Return the distribution of the rate that gives NDCG, on 1/n, 2/n, ..., 1.

    With this rate, base 2 and no ties, the expected recall divided by the expected
    recall of a perfect ranking is NDCG with binary relevance [1]_.

    Parameters
    ----------
    n : int
        Number of ranked samples, at most 100,000,000.
    base : float, default=2
        Base of the logarithm, above 1. The sample at rank i = 1, 2, ... is processed
        with the probability ``min(1, 1 / log_base(i + 1))``.

    Returns
    -------
    rate : RateDistribution
        The distribution.

    Raises
    ------
    ValueError
        If ``n`` is not an integer from 1 to 100,000,000, or ``base`` is not above 1.

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


def from_quantiles(quantiles: Mapping[float, float]) -> RateDistribution:
    """Return the beta distribution of the rate with two given quantiles.

    Parameters
    ----------
    quantiles : dict of float to float
        Two entries ``{probability: rate}``: the rate is at most this value with this
        probability. All numbers are in (0, 1), and the higher probability has the
        higher rate.

    Returns
    -------
    rate : RateDistribution
        The beta distribution, with a relative precision of 1e-10.

    Raises
    ------
    ValueError
        If there are not two entries; if a number is not in (0, 1); if the rates do not
        increase with the probability; or if no beta distribution fits numerically.

    See Also
    --------
    from_counts : From bounds of the number of samples that are processed.
    skrate.compare_curves : Bands over a range of rates, without a distribution.

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`.

    Examples
    --------
    The rate is between 6.4 % and 28.8 % with probability 0.95, as in [1]_:

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

    def shapes(log_least: float) -> tuple[float, float]:
        least = float(np.exp(log_least))

        def miss(logit: float) -> float:
            return float(special.betainc(*at(logit, least), q_low)) - p_low

        root = optimize.brentq(miss, -60, 60, xtol=1e-14, rtol=1e-14)
        return at(float(root), least)

    def miss(log_least: float) -> float:
        return float(special.betainc(*shapes(log_least), q_high)) - p_high

    try:
        solution = optimize.brentq(miss, -12, 24, xtol=1e-13, rtol=1e-13)
    except ValueError:
        raise ValueError(
            f"No beta distribution fits the quantiles {quantiles}: use less extreme "
            "ones, or ones that are further from each other."
        ) from None
    return Beta(*shapes(solution))


def from_counts(
    low: float, high: float, n_items: int, confidence: float = 0.95
) -> RateDistribution:
    """Return the distribution of the rate, from bounds of a number of samples.

    Parameters
    ----------
    low, high : float
        Bounds of the number of samples that will be processed,
        ``0 < low < high < n_items``.
    n_items : int
        Number of samples that will be ranked in use (not in the evaluation).
    confidence : float, default=0.95
        Probability that the number is between the bounds, in (0, 1). It is below
        ``low`` and above ``high`` with equal probabilities.

    Returns
    -------
    rate : RateDistribution
        The beta distribution with the quantiles ``low / n_items`` and
        ``high / n_items``.

    Raises
    ------
    ValueError
        If the bounds are not above 0, in order and below ``n_items``; if ``high`` is
        below 1; if ``confidence`` is outside (0, 1); or if no beta distribution fits
        numerically.

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
    distribution: Literal["beta", "lognormal"] | None = None,
) -> RateDistribution:
    r"""Return the distribution of the rate, from bounds of a budget or of costs.

    A budget, such as 120 hours, pays for the fraction budget / (n_items * cost) of all
    samples. Give the bounds of what is uncertain: the budget, the average cost of a
    sample, or both.

    Parameters
    ----------
    total : float or tuple (low, high)
        The budget, in any unit, or its bounds.
    n_items : int
        Number of samples that will be ranked.
    cost : tuple (low, high) or float
        The *average* cost of a sample in the unit of ``total``, or its bounds.
    confidence : float, default=0.95
        Probability that the cost is between its bounds, and the same for the budget, in
        (0, 1).
    distribution : {"beta", "lognormal"}, default=None
        The family of the distribution. None means "beta", or "lognormal" if the upper
        quantile is 1 or more, which is impossible for a beta distribution.

    Returns
    -------
    rate : RateDistribution
        The distribution whose central quantiles, with the probability ``confidence``
        between them, are the lowest and highest rate [1]_. Rates above 1 count as 1.

    Raises
    ------
    ValueError
        If bounds are not above 0 and in order; if budget and cost both have no bounds;
        if ``confidence`` is outside (0, 1); if ``distribution`` is unknown; or if it is
        "beta" and the upper quantile is 1 or more.

    Warns
    -----
    UserWarning
        If even the lower quantile is 1 or more, because all samples are then processed;
        or if ``distribution`` is None, and the means of both families differ by more
        than 0.05.

    Notes
    -----
    If budget and cost both have bounds, they are assumed to be independent and
    log-normal. With the bounds :math:`T_1`, :math:`T_2` of the budget and :math:`C_1`,
    :math:`C_2` of the cost of one sample, and N samples, the quantiles of the rate are

    .. math:: \frac{\sqrt{T_1 T_2}}{N \sqrt{C_1 C_2}}
              \exp\left( \pm \frac{1}{2} \sqrt{\log^2 \frac{T_2}{T_1}
              + \log^2 \frac{C_2}{C_1}} \right).

    References
    ----------
    .. [1] Millard, Flach and Higgins (2014), Rate-constrained ranking and the
       rate-weighted AUC, :doi:`10.1007/978-3-662-44851-9_25`.

    Examples
    --------
    120 hours (7,200 minutes) for 2,500 articles, which take 10 to 45 minutes on
    average:

    >>> from skrate import rates
    >>> rate = rates.from_budget(7_200, 2_500, cost=(10, 45))
    >>> rate
    beta(6.22614, 32.7909)
    >>> rate.ppf([0.025, 0.975]).round(3).tolist()
    [0.064, 0.288]
    """
    check_choice("distribution", distribution, ("beta", "lognormal"), or_none=True)
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
    if distribution == "beta":
        if last >= 1:
            raise ValueError(
                f'distribution="beta" cannot have an upper quantile of {last:.4g}, '
                "because the budget may cover all items: use "
                'distribution="lognormal", or leave it out.'
            )
        return _through(first, last, confidence)
    sigma = np.log(last / first) / (2 * float(special.ndtri((1 + confidence) / 2)))
    frozen = stats.lognorm(sigma, scale=np.sqrt(first) * np.sqrt(last))
    # All mass above 1 is at 1.
    lognormal = from_scipy(frozen, most_above=1.0)
    if distribution == "lognormal" or last >= 1:
        return lognormal
    rate = _through(first, last, confidence)
    if abs(rate.mean() - lognormal.mean()) > 0.05:
        warn(
            'Choose distribution="beta" or distribution="lognormal", because the shape '
            f"between the quantiles {first:.4g} and {last:.4g} matters: "
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
