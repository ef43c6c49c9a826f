"""The law of new cases above a held-out score: all orders, counted exactly."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from guarantees import assert_share, simulated
from looped import case, looped
from reference.batch_law import best_place, counted, enumerated
from skrate import rates
from skrate.model_selection.threshold import BatchDistribution, Constraint

Capacity = partial(Constraint, "rate")
SMALL = [(n, j, m) for n in range(1, 6) for j in range(n + 2) for m in range(1, 5)]


def test_the_law_counts_all_orders():
    for n, place, m in SMALL:
        with case((n, place, m)):
            expected = enumerated(n, place, m)
            assert counted(n, place, m) == expected
            distribution = BatchDistribution(n, place, m)
            found, exact = distribution.probabilities, np.array(expected, float)
            np.testing.assert_allclose(found, exact, atol=1e-14)


@looped("risk", [Fraction(1, 20), Fraction(1, 4), Fraction(1, 2)])
@looped("n", [1, 4, 19, 30])
def test_the_place_is_the_greatest_that_keeps_the_capacity(n, risk):
    for m in (1, 3, 7):
        for c in range(1, m + 1):
            distribution = [(Fraction(c, m), Fraction(1))]
            found = Capacity(rates.fixed(c / m), m, float(1 - risk)).place(n)
            assert found == best_place(n, m, distribution, risk), (m, c)


@pytest.mark.slow
def test_a_capacity_is_kept_as_often_as_promised():
    # 200 held-out cases, 300 new ones, room for 45 of them.
    n, m, capacity = 200, 300, 45
    rng = np.random.default_rng(0)
    place = Capacity(rates.fixed(capacity / m), m, 0.95).place(n)

    def is_kept(_):
        held_out, new = rng.normal(size=n), rng.normal(size=m)
        obvious = np.quantile(held_out, 1 - capacity / m)
        cuts = np.sort(held_out)[n - place], obvious
        return [np.count_nonzero(new > cut) <= capacity for cut in cuts]

    kept, plain = np.transpose(simulated(20_000, is_kept))
    assert_share(kept, at_least=0.95)
    # Of whole places, the next would keep it in less than 95 %.
    assert np.mean(kept) < 0.975
    assert np.mean(plain) < 0.58


def test_no_place_is_below_a_rate_of_0_and_none_beyond_a_rate_of_1():
    tells = Capacity(rates.empirical([0.0, 1.0]), None, 0.9).exceedance(10)
    assert (tells(0), tells(11)) == (0.0, 0.5)
