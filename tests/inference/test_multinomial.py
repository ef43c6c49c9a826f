"""Multinomial counts: their law, and what they are made of."""

from itertools import product
from math import factorial

import numpy as np
import pytest
from scipy import stats

from skrate.inference import multinomial
from skrate.inference.multinomial import MultinomialDraw
from skrate.inference.resampling import CountDraw

# Below it a law would be doubted; all seeds are fixed.
LEAST_PVALUE = 1e-3


def exact_law(repeats):
    """Return every outcome with its probability, straight from the formula."""
    n = sum(repeats)
    law = {}
    for outcome in product(range(n + 1), repeat=len(repeats)):
        if sum(outcome) == n:
            ways = factorial(n)
            probability = 1.0
            for count, weight in zip(outcome, repeats, strict=True):
                ways //= factorial(count)
                probability *= (weight / n) ** count
            law[outcome] = ways * probability
    return law


def pvalue(observed, expected):
    """Return that of a chi-square test; outcomes that are few are taken together."""
    few = expected < 10
    observed = np.append(observed[~few], observed[few].sum())
    expected = np.append(expected[~few], expected[few].sum())
    if expected[-1] < 10:
        observed, expected = observed[:-1], expected[:-1]
    statistic = ((observed - expected) ** 2 / expected).sum()
    return stats.chi2.sf(statistic, len(expected) - 1)


# With a small margin most is drawn by bytes, and many rows are drawn anew; with a
# great one all is drawn case by case.
@pytest.mark.parametrize("margin", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("most", [32, 1])
@pytest.mark.parametrize("repeats", [[1, 1, 1, 1], [4, 1, 2], [1, 6]])
def test_the_law_is_exactly_multinomial(repeats, most, margin, monkeypatch):
    monkeypatch.setattr(multinomial, "_MARGIN", margin)
    monkeypatch.setattr(multinomial, "_MOST", most)
    n_draws = 100_000
    generator = np.random.default_rng(0)
    drawn = MultinomialDraw(np.array(repeats))(generator, n_draws)
    found, times = np.unique(drawn, axis=1, return_counts=True)
    law = exact_law(repeats)
    observed = dict(zip(map(tuple, found.T.tolist()), times.tolist(), strict=True))
    assert observed.keys() <= law.keys()
    counts = np.array([observed.get(outcome, 0) for outcome in law])
    expected = n_draws * np.array(list(law.values()))
    assert pvalue(counts, expected) > LEAST_PVALUE


@pytest.mark.parametrize("mean", [0.0, 1e-3, 0.4, 0.99, 7.5, 31.9])
def test_bytes_and_what_is_left_over_make_up_the_poisson_law(mean):
    # Without chance: each count has its bytes, and its share of the other draw.
    thresholds, left = multinomial._slots(mean)
    numbers = np.arange(256)
    counts = (numbers[:, None] >= thresholds).sum(axis=1)
    n_beyond = np.count_nonzero(counts == len(thresholds))
    assert n_beyond > 0
    of_bytes = np.bincount(counts[counts < len(thresholds)], minlength=len(left))
    shares = np.diff(left, prepend=0.0) / left[-1]
    found = (of_bytes + n_beyond * shares) / 256
    expected = stats.poisson.pmf(np.arange(len(left)), mean)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


def test_units_of_few_and_of_many_cases_are_drawn_alike():
    repeats = np.array([1, 3, 70, 5, 200, 1])
    n_draws = 40_000
    drawn = MultinomialDraw(repeats)(np.random.default_rng(1), n_draws)
    assert (drawn.sum(axis=0) == repeats.sum()).all()
    for unit, n_cases in enumerate(repeats):
        counts = np.bincount(drawn[unit], minlength=repeats.sum() + 1)
        law = stats.binom(repeats.sum(), n_cases / repeats.sum())
        expected = n_draws * law.pmf(np.arange(repeats.sum() + 1))
        assert pvalue(counts, expected) > LEAST_PVALUE


def test_strata_go_to_their_columns_and_others_stay_empty():
    strata = [np.array([1, 2, 1]), np.array([3])]
    draw = CountDraw(strata, [np.array([4, 0, 2]), np.array([5])], 7)
    rows = draw(np.random.default_rng(2), 50_000)
    assert not rows[:, [1, 3, 6]].any()
    assert (rows[:, 5] == 3).all()
    assert (rows[:, [0, 2, 4]].sum(axis=1) == 4).all()
    means = rows.mean(axis=0)
    assert means[[4, 0, 2]] == pytest.approx([1, 2, 1], abs=0.02)
