"""Sums over ranges of scores are the metrics of the whole table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from metric_cases import sample
from metric_registry import CASES
from skrate import RankTable
from skrate.engines.dask_tables import (
    cut_points,
    outline,
    refined,
    split,
    value_of_parts,
)
from skrate.engines.pieces import Piece
from skrate.metrics.base import METRICS, SumOverGroups, find_metric
from strategies import ranked_samples

OF_TABLES = [
    pytest.param(case, id=case.name) for case in CASES if case.function in METRICS
]


def value_by_ranges(metric, table, cuts):
    """Return a metric by the formula, range by range."""
    parts = [p for p in split(table, cuts, len(cuts) + 1) if p is not None]
    lumps = RankTable([p.n_pos for p in parts], [p.n_neg for p in parts])
    if not (isinstance(metric, SumOverGroups) and metric.is_sum_over_groups(lumps)):
        return None
    values = [refined(metric, lumps, i, part) for i, part in enumerate(parts)]
    return value_of_parts(metric, lumps, np.array(values))


@pytest.mark.parametrize("case", OF_TABLES)
@settings(max_examples=20)
@given(ranked=ranked_samples(n_scores=9), data=st.data())
def test_a_sum_over_ranges_is_the_value_of_the_table(case, ranked, data):
    table = RankTable.from_arrays(ranked.y_true, ranked.y_score)
    kwargs = dict(case.kwargs)
    if "k" in kwargs:
        kwargs["k"] = min(kwargs["k"], len(ranked.y_true))
    metric = find_metric(case.function, kwargs)
    metric = metric.of_sample(table.total, is_weighted=False)
    cuts = data.draw(st.lists(st.integers(-4, 5), max_size=5, unique=True))
    cuts = np.array(sorted(cuts, reverse=True)) / 4
    value = value_by_ranges(metric, table, cuts)
    if value is not None:
        assert_allclose(value, metric.value(table), rtol=0, atol=1e-13)


def test_what_rounding_adds_stays_within_the_range():
    # Both parts are in order, and each of their values is a last digit off.
    off, metric = np.full(2, 2.0**-52), find_metric("roc_auc")
    assert value_of_parts(metric, RankTable([2, 0], [0, 2]), 1 + off) == 1
    assert value_of_parts(metric, RankTable([0, 2], [2, 0]), -off) == 0


# Quotients of sums, and what is read off the curve where it reaches a height.
NO_SUMS = {
    "Momentum",
    "Stamina",
    "Rate at recall",
    "Work saved",
    "Precision at recall",
    "Recall at precision",
}


@pytest.mark.parametrize("case", OF_TABLES)
def test_what_is_no_sum_says_so(case):
    # Few lumps would give another value: a claim to be a sum is tested above.
    metric = find_metric(case.function, dict(case.kwargs))
    y_true, y_score = sample(seed=1, n=2000)
    table = RankTable.from_arrays(y_true, y_score)
    metric = metric.of_sample(table.total, is_weighted=False)
    is_sum = value_by_ranges(metric, table, np.array([2.0, 1.0, 0.0])) is not None
    is_rarer = getattr(metric, "prevalence", None) or 1
    is_shrunk = is_rarer < table.prevalence and metric.tail == "binormal"
    assert is_sum == (metric.name not in NO_SUMS and not is_shrunk)


def test_the_ranges_hold_about_as_many_groups_each():
    generator = np.random.default_rng(0)
    chunks = [generator.normal(size=n) * scale for n, scale in ((5000, 1), (2000, 5))]
    tables = [RankTable(np.ones(len(c)), 0 * c, np.sort(c)[::-1]) for c in chunks]
    outlines = [outline(Piece(table, {}, len(table.pos))) for table in tables]
    outlines.append(outline(Piece(None, {}, 0)))
    cuts = cut_points(outlines, 7)
    assert (np.diff(cuts) < 0).all()
    sizes = np.zeros(7)
    for table in tables:
        parts = split(table, cuts, 7)
        sizes += [part.n_groups for part in parts]
        assert np.array_equal(
            np.concatenate([part.thresholds for part in parts]), table.thresholds
        )
        for i, part in enumerate(parts):
            assert i == 0 or part.thresholds.max() < cuts[i - 1]
            assert i == 6 or part.thresholds.min() >= cuts[i]
    # A sampled score stands for 10 groups of the first chunk and 4 of the second.
    assert_allclose(sizes, 1000, atol=2 * (10 + 4))


def test_a_score_that_is_all_there_is_takes_one_range():
    table = RankTable([1.0], [2.0], [0.5])
    cuts = cut_points([outline(Piece(table, {}, 3))] * 3, 3)
    parts = split(table, cuts, 3)
    assert [part is not None for part in parts].count(True) == 1
    assert split(None, cuts, 3) == [None, None, None]
    assert len(cut_points([outline(Piece(None, {}, 0))], 3)) == 0
