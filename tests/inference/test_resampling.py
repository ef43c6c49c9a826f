"""How resamples are drawn, and resamples of tables with fewer groups."""

import numpy as np
import pytest
from scipy import stats

from inference_cases import JUMPS, LATE, SMOOTH, each, sample
from skrate import estimate
from skrate.data.table import RankTable
from skrate.inference.resampling import count_draw
from skrate.metrics.metric import find_metric


@each(SMOOTH + JUMPS)
@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.parametrize("prevalence", [0.1, 0.5])
def test_resamples_of_a_condensed_table_have_the_same_values(
    metric, kwargs, decimals, prevalence
):
    y_true, y_score = sample(0, n=200, decimals=decimals, prevalence=prevalence)
    table = RankTable.from_arrays(y_true, y_score)
    found = find_metric(metric, kwargs).bind_sample_size(
        table.n_samples, is_weighted=False
    )
    smaller = getattr(table, found.groups)
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


@pytest.mark.parametrize(
    "repeats", [[1, 1, 1, 1], [4, 1, 2], [1, 6], [30, 10, 5], [40, 2, 1], [90, 30, 20]]
)
def test_the_law_of_counts_is_multinomial(repeats):
    # Case by case, by Poisson counts of few or many cases, and unit by unit.
    repeats, n_draws = np.array(repeats), 20_000
    n = repeats.sum()
    draw = count_draw([repeats])
    drawn = draw(np.random.default_rng(0), n_draws)
    outcomes, times = np.unique(drawn, axis=0, return_counts=True)
    assert (outcomes.sum(axis=1) == n).all()
    expected = n_draws * stats.multinomial(n, repeats / n).pmf(outcomes)
    is_often = expected >= 10
    observed = np.append(times[is_often], n_draws - times[is_often].sum())
    expected = np.append(expected[is_often], n_draws - expected[is_often].sum())
    if expected[-1] < 10:
        observed, expected = observed[:-1], expected[:-1]
    statistic = ((observed - expected) ** 2 / expected).sum()
    # Below it a law would be doubted; all seeds are fixed.
    assert stats.chi2.sf(statistic, len(expected) - 1) > 1e-3


@each(JUMPS + LATE)
def test_slopes_at_a_cut_agree_with_the_bootstrap(metric, kwargs):
    # Finite differences do not exist there.
    ratios = []
    for seed in range(4):
        generator = np.random.default_rng(seed)
        y_true = generator.random(300) < 0.3
        y_score = generator.normal(size=300) + y_true
        by_delta, by_draws = (
            estimate(metric, y_true, y_score, **kwargs, **options).standard_error
            for options in (
                {},
                {"method": "bootstrap", "stratify": False, "random_state": 0},
            )
        )
        ratios.append(by_delta / by_draws)
    assert 0.85 < np.exp(np.mean(np.log(ratios))) < 1.15
