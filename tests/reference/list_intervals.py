"""Wilson's interval of a mean over lists, to which a tenth of a list is added."""

import math


def wilson_moments(value, variance, n_lists):
    """Return the mean with half of a tenth at 0 and at 1, and its variance."""
    size = n_lists + 0.1
    mean = (n_lists * value + 0.05) / size
    squares = 0.05 * (mean**2 + (1 - mean) ** 2) + n_lists * (value - mean) ** 2
    return mean, (n_lists**2 * variance + squares) / size**2


def wilson_interval(value, variance, n_lists, t):
    """Return all x at most t standard errors from the value, if x were true."""
    mean, variance = wilson_moments(value, variance, n_lists)
    k = t**2 * variance / (mean * (1 - mean))
    half = math.sqrt(k * value * (1 - value) + k**2 / 4)
    return (value + k / 2 - half) / (1 + k), (value + k / 2 + half) / (1 + k)


def wilson_statistic(value, variance, n_lists, x):
    """Return how many standard errors the value is from x, if x were true."""
    mean, variance = wilson_moments(value, variance, n_lists)
    return (value - x) / math.sqrt(variance * x * (1 - x) / (mean * (1 - mean)))
