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
            law = BatchDistribution(n, place, m)
            found, exact = law.probabilities, np.array(expected, float)
            np.testing.assert_allclose(found, exact, atol=1e-14)


def test_the_interval_of_a_small_law_by_hand():
    # The number above the lesser of two: 0, 1 or 2 in 1, 2 and 3 of 6 orders.
    law = BatchDistribution(2, 2, 2)
    np.testing.assert_allclose(law.probabilities, [1 / 6, 2 / 6, 3 / 6])
    assert law.interval(0.9) == (0, 1)
    assert law.interval(0.5) == (0.5, 1)
    assert BatchDistribution(2, 0, 2).interval(0.9) == (0, 0)
    assert BatchDistribution(2, 3, 2).interval(0.9) == (1, 1)


@looped("risk", [Fraction(1, 20), Fraction(1, 4), Fraction(1, 2)])
@looped("n", [1, 4, 19, 30])
def test_the_place_is_the_greatest_that_keeps_the_capacity(n, risk):
    for m in (1, 3, 7):
        for c in range(1, m + 1):
            law = [(Fraction(c, m), Fraction(1))]
            found = Capacity(rates.fixed(c / m), m, float(1 - risk)).place(n)
            assert found == best_place(n, m, law, risk), (m, c)


def test_on_average_no_more_than_the_rate():
    for n in (1, 9, 99, 1000):
        for share in (Fraction(29, 100), Fraction(1, 3), Fraction(1)):
            place = Capacity(rates.fixed(float(share)), None, None).place(n)
            assert Fraction(place, n + 1) <= share < Fraction(place + 1, n + 1)


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
