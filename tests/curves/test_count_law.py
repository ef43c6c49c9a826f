"""The law of the positives among the first cases of a new fold."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from looped import looped
from reference.count_law import count_law, count_law_by_orders, pooled_distribution
from reference.shared_curve import HALF, shared_cells
from skrate.curves.bounds import FoldSource
from skrate.curves.fold_tables import Folds
from skrate.data.table import RankTable, rank_table

# Gauss-Legendre quadrature of polynomials, one panel a cell, and tails of 1e-14.
QUADRATURE = 1e-10


def random_folds(seed, n_folds, n_pos, n_neg, *, n_scores):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_neg])
    tables = [
        rank_table(y, rng.integers(n_scores, size=len(y)) + y) for _ in range(n_folds)
    ]
    return Folds(tuple(tables))


def cells(folds):
    """Return the positives and negatives of all folds by cell, as fractions.

    With the cases that are added, half before all others and half behind.
    """
    ends = [HALF] * folds.added
    n = round(folds.tables[0].total)
    table = folds.pooled
    edges = [round(rate * n) for rate in table.rates]
    assert np.allclose(table.rates * n, edges)
    return [
        [*ends, *(Fraction(mass).limit_denominator(1000) for mass in masses), *ends]
        for masses in (table.pos, table.neg)
    ]


def assert_same_law(distribution, expected, atol):
    found = dict.fromkeys(expected, 0.0)
    for i, (sure, partial) in enumerate(
        zip(distribution.sure, distribution.partial, strict=True)
    ):
        for key, p in (
            ((distribution.first + i, False), sure),
            (
                (
                    distribution.first + i + (distribution.fraction == 1),
                    distribution.fraction < 1,
                ),
                partial,
            ),
        ):
            if p > atol:
                found[key] = found.get(key, 0) + p
    for key, p in found.items():
        assert p == pytest.approx(float(expected.get(key, 0)), abs=atol)


def test_the_oracle_agrees_with_every_order_of_every_placement():
    pos, neg = [2, 1, 0], [0, 1, 3]
    for k in range(5):
        by_cells = count_law(pos, neg, 2, 2, k)
        assert by_cells == count_law_by_orders(pos, neg, 2, 2, k)
        assert sum(by_cells.values()) == 1


@looped(
    "n_folds, n_pos, n_neg, n_scores",
    [(3, 2, 3, 50), (3, 3, 4, 3), (2, 1, 6, 50), (1, 3, 3, 50)],
)
@looped("added", [1, 0])
def test_law_is_that_of_the_oracle(n_folds, n_pos, n_neg, n_scores, added):
    folds = random_folds(0, n_folds, n_pos, n_neg, n_scores=n_scores)
    folds = replace(folds, added=added)
    pos, neg = cells(folds)
    source = FoldSource.of(folds, n_pos, n_neg)
    for k in range(n_pos + n_neg):
        expected = count_law(pos, neg, n_pos, n_neg, k)
        assert_same_law(source.distribution(k + 0.25), expected, QUADRATURE)
        whole = {}
        for (found, _), p in expected.items():
            whole[found, False] = whole.get((found, False), 0) + p
        assert_same_law(source.distribution(k), whole, QUADRATURE)


def test_law_is_that_of_the_oracle_where_new_folds_have_another_prevalence():
    folds = random_folds(1, 3, 4, 4, n_scores=50)
    pos, neg = cells(folds)
    distribution = FoldSource.of(folds, 2, 5).distribution(3.5)
    assert_same_law(distribution, count_law(pos, neg, 2, 5, 3), QUADRATURE)


def of_groups(*groups):
    """Return the table of a fold by the positives and negatives of its groups."""
    return RankTable(*zip(*groups, strict=True))


@looped(
    "folds",
    [
        [[(1, 0), (0, 3)], [(2, 0), (0, 1), (1, 1)]],
        [[(0, 2), (1, 1)], [(1, 0), (2, 1)], [(1, 1)]],
        [[(1, 0), (0, 1)], [(2, 0), (0, 2)]],
    ],
)
def test_folds_of_several_prevalences_share_the_curve_of_the_oracle(folds):
    pos, neg = shared_cells(folds)
    tables = Folds(tuple(of_groups(*fold) for fold in folds))
    for n_pos, n_neg in tables.sizes:
        source = FoldSource.of(tables, n_pos, n_neg)
        for k in range(n_pos + n_neg):
            expected = count_law(pos, neg, n_pos, n_neg, k)
            assert_same_law(source.distribution(k + 0.25), expected, QUADRATURE)


def test_moments_are_those_of_the_oracle():
    folds = random_folds(3, 3, 3, 4, n_scores=50)
    pos, neg = cells(folds)
    distribution = FoldSource.of(folds, 3, 4).distribution(2.75)
    expected = pooled_distribution(count_law(pos, neg, 3, 4, 2), 1, Fraction(3, 4))
    mean = sum(value * p for value, p in expected.items())
    variance = sum((value - mean) ** 2 * p for value, p in expected.items())
    assert distribution.moments() == pytest.approx(
        (float(mean), float(variance)), abs=1e-9
    )
