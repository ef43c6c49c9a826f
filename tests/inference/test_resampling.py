"""Resamples of tables with fewer groups."""

import numpy as np
import pytest

from inference_cases import JUMPS, SMOOTH, each, sample
from skrate.core.metric import find_metric
from skrate.core.rank_table import RankTable
from skrate.inference.resampling import condensed
from skrate.inference.sample import check_sample


@each(SMOOTH + JUMPS)
@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.parametrize("prevalence", [0.1, 0.5])
def test_resamples_of_a_condensed_table_have_the_same_values(
    metric, kwargs, decimals, prevalence
):
    y_true, y_score = sample(0, n=200, decimals=decimals, prevalence=prevalence)
    table = RankTable.from_arrays(y_true, y_score)
    found = find_metric(metric, kwargs).of_sample(table.n_cases, is_weighted=False)
    smaller = found.facts.condensed(table)
    assert len(smaller.pos) < table.n_groups or decimals == 1
    # Of single cases some are not drawn, others several times.
    drawn = [
        np.random.default_rng(0).multinomial(n, weights / n, size=20)
        for n, weights in ((table.n_pos, table.pos), (table.n_neg, table.neg))
    ]
    expected = found.values(*drawn)
    assert np.isfinite(expected).all()
    rows = [np.add.reduceat(counts, smaller.starts, axis=1) for counts in drawn]
    np.testing.assert_allclose(found.values(*rows), expected, rtol=1e-12)


def test_cases_that_are_not_plain_are_not_condensed():
    y_true, y_score = sample(0, n=50)
    ranked = check_sample(y_true, y_score, clusters=np.arange(50) // 2)
    assert condensed(find_metric("roc_auc"), ranked) is ranked
