"""Survival S(x) = P(R > x) and G(x) = E[min(R, x)] of rates, in closed form.

In decimals of 60 digits or from the error function, never by interpolation, so that a
mean rate of 1e-9 is as exact as one of 0.1. ``x`` is one number in [0, 1].
"""

import math
from decimal import Decimal, getcontext

getcontext().prec = 60


def beta_survival(a, b, x):
    """Return S of a beta with whole shapes: a binomial has fewer than ``a`` hits."""
    x, n = Decimal(float(x)), a + b - 1
    if x == 1:
        return Decimal(0)
    term, total = Decimal(1), Decimal(0)
    for j in range(a):
        total += term * x**j * ((n - j) * (1 - x).ln()).exp()
        term = term * (n - j) / (j + 1)
    return total


def beta_limited_mean(a, b, x):
    """Return G: the part of the mean below x, and x where the rate is above."""
    mean = Decimal(a) / Decimal(a + b)
    below = 1 - beta_survival(a + 1, b, x)
    return float(mean * below + Decimal(float(x)) * beta_survival(a, b, x))


def gamma_survival(shape, scale, x):
    """Return S of a gamma with a whole shape: a Poisson count is below it."""
    x = Decimal(float(x)) / Decimal(float(scale))
    return (-x).exp() * sum(x**j / math.factorial(j) for j in range(shape))


def gamma_limited_mean(shape, scale, x):
    """Return G of a gamma; shape 1 is the exponential."""
    mean = shape * Decimal(float(scale))
    below = 1 - gamma_survival(shape + 1, scale, x)
    above = Decimal(float(x)) * gamma_survival(shape, scale, x)
    return float(mean * below + above)


def normal_limited_mean(loc, scale, x):
    """Return G of a normal that is clipped at 0."""

    def area_above(u):
        """Return the integral of S from u to infinity."""
        z = (u - loc) / scale
        density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        return scale * (density - z * math.erfc(z / math.sqrt(2)) / 2)

    return area_above(0) - area_above(x)


def lognormal_limited_mean(sigma, scale, x):
    """Return G of a lognormal with median ``scale``."""

    def below(z):
        return math.erfc(-z / math.sqrt(2)) / 2

    z = math.log(x / scale) / sigma
    mean = scale * math.exp(sigma**2 / 2)
    return mean * below(z - sigma) + x * below(-z)


def histogram_limited_mean(edges, shares, x):
    """Return G of a rate that is uniform within bins."""
    total = 0.0
    for low, high, share in zip(edges[:-1], edges[1:], shares, strict=True):
        if x >= high:
            total += share * (low + high) / 2
        elif x <= low:
            total += share * x
        else:
            inside = (x - low) / (high - low)
            total += share * (inside * (low + x) / 2 + (1 - inside) * x)
    return total
