"""The density of a rate, and the rates that have a probability of their own."""

import numpy as np
import pytest
from scipy import stats

from skrate import rates
from skrate.rates.laws import check_rate

X = np.linspace(0.01, 0.99, 37)
LOG_3_OF_2 = np.log(2) / np.log(3)


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (rates.beta(3, 19), stats.beta(3, 19).pdf(X)),
        (rates.beta(6.23, 32.8), stats.beta(6.23, 32.8).pdf(X)),
        (rates.interval(0.2, 0.7), np.where((X > 0.2) & (X < 0.7), 2, 0)),
        (rates.uniform(), np.ones(37)),
        (rates.exponential(5), stats.expon(scale=0.2).pdf(X)),
        (
            rates.mixture([rates.beta(2, 2), rates.uniform(), 0.3], [2, 1, 1]),
            stats.beta(2, 2).pdf(X) / 2 + 1 / 4,
        ),
        (rates.fixed(0.3), np.zeros(37)),
    ],
    ids=repr,
)
def test_density_is_that_of_the_distribution(rate, expected):
    # The derivative of polynomials that are exact to 2e-14 on panels of about 0.01.
    assert rate.density(X) == pytest.approx(expected, abs=1e-8)
    assert rate.density(0.5) == pytest.approx(
        np.interp(0.5, X, rate.density(X)), abs=1e-2
    )


@pytest.mark.parametrize(
    ("rate", "points", "masses"),
    [
        (rates.fixed(0.3), [0.3], [1]),
        (rates.fixed(1), [1], [1]),
        (rates.empirical([0.1, 0.1, 0.4, 1.2]), [0.1, 0.4, 1], [0.5, 0.25, 0.25]),
        (rates.exponential(2), [1], [np.exp(-2)]),
        (rates.mixture([rates.beta(2, 2), 0.5, 0.5]), [0.5], [2 / 3]),
        (rates.log_discount(2), [0.5, 1], [1 - LOG_3_OF_2, LOG_3_OF_2]),
        (rates.beta(3, 19), [], []),
        (rates.beta(0.5, 0.5), [], []),
        (rates.interval(0.2, 1), [], []),
        (check_rate(stats.norm(0.5, 0.3)), [0, 1], stats.norm.sf([5 / 3] * 2)),
    ],
    ids=repr,
)  # fmt: skip
def test_point_masses_are_what_has_no_density(rate, points, masses):
    found_points, found_masses = rate.point_masses()
    assert found_points == pytest.approx(points)
    assert found_masses == pytest.approx(masses)


def test_density_and_point_masses_come_to_one():
    rate = rates.mixture([rates.beta(3, 19), 0.8, rates.exponential(3)])
    edges = np.linspace(0, 1, 20_001)
    area = rate.density((edges[1:] + edges[:-1]) / 2).mean()
    assert area + rate.point_masses()[1].sum() == pytest.approx(1, abs=1e-6)


def test_density_outside_of_the_rates_is_refused():
    with pytest.raises(ValueError, match=r"x must lie in \[0, 1\]"):
        rates.uniform().density(1.5)
