"""The hypergeometric law, its tails and what they exclude, against counted draws."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from reference import urn as oracle
from skrate.review import certificate as urn

LARGEST = 9
ALPHA = Fraction(1, 5)


def all_urns(largest):
    """Return hits, cases drawn, positives and cases of all urns, as columns."""
    rows = [
        (x, n, n_pos, n_all)
        for n_all in range(largest + 1)
        for n, n_pos in product(range(n_all + 1), repeat=2)
        for x in range(n + 1)
    ]
    return rows, np.array(rows).T


def test_chances_and_tails_of_all_small_urns():
    rows, columns = all_urns(LARGEST)
    assert urn.hypergeometric_pmf(*columns) == pytest.approx(
        [float(oracle.chance(*row)) for row in rows], rel=1e-12, abs=0
    )
    tails = [float(oracle.at_most(*row)) for row in rows]
    found = [urn.hypergeometric_cdf(*row) for row in rows]
    assert found == pytest.approx(tails, rel=1e-13, abs=1e-14)


def test_a_tail_keeps_its_digits_in_an_urn_of_ten_millions():
    n, n_all = 100_000, 10_000_000
    none = prod(Fraction(n_all - n - i, n_all - i) for i in range(300))
    found = urn.hypergeometric_cdf(0, n, 300, n_all)
    assert found == pytest.approx(float(none), rel=1e-11)


def test_what_is_excluded_is_what_counting_excludes():
    rows = [
        (x, n, n_all)
        for n_all in range(LARGEST + 1)
        for n in range(n_all + 1)
        for x in range(n + 1)
    ]
    # A float that no tail of so few cases comes near to, next to the fraction.
    alpha = ALPHA + Fraction(1, 10**9)
    for row in rows:
        assert urn.max_positives(*row, float(alpha)) == oracle.most(*row, alpha)
        assert urn.min_positives(*row, float(alpha)) == oracle.fewest(*row, alpha)


def test_odds_are_chances_over_their_mean_over_the_prior():
    rows, columns = all_urns(6)
    expected = [oracle.odds(*row, urn._PRIOR) for row in rows]
    assert urn.odds_against(*columns) == pytest.approx(expected, rel=1e-11)


def test_most_and_least_ever_are_the_ends_of_what_the_odds_do_not_exclude():
    for n_all in range(7):
        for n in range(n_all + 1):
            for x in range(n + 1):
                known = oracle.possible(x, n, n_all)
                odds = [oracle.odds(x, n, k, n_all, urn._PRIOR) for k in known]
                kept = [k for k, o in zip(known, odds, strict=True) if o > 0.3]
                given = x, n, n_all
                assert urn.anytime_range(*given, 0.3) == (kept[0], kept[-1])
                for k in range(n_all + 2):
                    more = max([o for j, o in zip(known, odds, strict=True) if j >= k],
                               default=0.0)  # fmt: skip
                    found = urn.max_odds_against(x, n, k, n_all)
                    assert found == pytest.approx(min(more, 1.0), rel=1e-11)
