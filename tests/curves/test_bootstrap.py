"""New folds drawn from the consensus curve."""

from dataclasses import replace

import numpy as np
import pytest

from looped import looped
from skrate.curves.bounds import FoldSource, bootstrap_counts
from skrate.curves.fold_tables import Folds
from skrate.data.table import rank_table


def random_folds(seed, sizes, *, n_scores=None):
    rng = np.random.default_rng(seed)
    tables = []
    for size in sizes:
        y = np.repeat([1, 0], size)
        scores = rng.normal(size=len(y)) + y
        if n_scores:
            scores = np.round(scores * n_scores)
        tables.append(rank_table(y, scores))
    return Folds(tuple(tables))


@looped("sizes", [[(20, 30)] * 3, [(10, 30), (12, 35), (10, 30)], [(1, 9)] * 4])
@looped("added", [1, 0])
def test_counts_have_the_moments_of_the_law(sizes, added):
    folds = replace(random_folds(2, sizes, n_scores=3), added=added)
    rates = np.array([0.0, 0.033, 0.21, 0.5, 0.77, 1.0])
    n_drawn = 8_000
    counts = bootstrap_counts(folds, rates, n_drawn, np.random.default_rng(3))
    for i, rate in enumerate(rates):
        moments = [
            np.multiply(
                n, FoldSource.of(folds, *size).distribution(rate * sum(size)).moments()
            )
            for size, n in folds.sizes.items()
        ]
        mean, variance = np.sum(moments, axis=0)
        error = np.sqrt(variance / n_drawn)
        assert counts[:, i].mean() == pytest.approx(mean, abs=4 * error + 1e-9)
        # The standard error of a variance; a rare event has the kurtosis 1 / variance.
        error = np.sqrt((5 * variance**2 + variance) / n_drawn)
        assert counts[:, i].var() == pytest.approx(variance, abs=4 * error + 1e-9)


def test_adjusting_stretches_the_cases_of_a_class(monkeypatch):
    y = [1, 0, 0, 1]
    folds = Folds((rank_table(y, [4, 3, 2, 1]),))

    class Fixed(np.random.Generator):
        def binomial(self, n, p, size):
            return np.full(size, 1)

    monkeypatch.setattr(
        "skrate.curves.bounds._Places.ranked_labels",
        lambda self, n_pos, n_samples, rng: np.array([[0, 1, 0, 0]], dtype=np.uint8),
    )
    rates = np.array([0.1, 1 / 6, 0.5, 2 / 3, 0.9, 1])
    counts = bootstrap_counts(
        folds, rates, 1, Fixed(np.random.PCG64(0)), is_adjusted=True
    )
    # One positive stands for two, three negatives for two: widths 2/3, 2, 2/3, 2/3.
    expected = [0, 0, 4 / 3, 2, 2, 2]
    assert counts[0] == pytest.approx(expected)
