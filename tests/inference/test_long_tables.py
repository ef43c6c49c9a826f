"""Variances part by part: those of the whole table."""

import numpy as np
import pytest

from inference_cases import JUMPS, SMOOTH, each, sample
from skrate import estimate, rate_weighted_auc_score, rates
from skrate.core import table_parts
from skrate.core.metric import find_metric

# Of rates that are looked up the parts are as near as the grid is.
EXACT, LOOKED_UP = 1e-11, 1e-6
CASES = [case for case in SMOOTH if find_metric(*case).has_parts]


def both(monkeypatch, *args, **kwargs):
    """Return an estimate of the whole table, and part by part."""
    whole = estimate(*args, **kwargs)
    monkeypatch.setattr(table_parts, "LONG", 0)
    monkeypatch.setattr(table_parts, "_GROUPS", 7)
    return whole, estimate(*args, **kwargs)


def test_there_are_metrics_with_parts():
    kinds = {type(find_metric(*case)).__name__ for case in CASES}
    assert kinds == {"RateWeightedAUC", "AveragePrecision"}
    # Of a rate with a jump within (0, 1) there is no slope part by part.
    assert not any(
        find_metric(*case).has_parts for case in JUMPS if {"rate", "k"} & {*case[1]}
    )


@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.parametrize("prevalence", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("stratify", [False, True])
@each(CASES)
def test_intervals_are_those_of_the_whole_table(
    metric, kwargs, decimals, prevalence, stratify, monkeypatch
):
    y_true, y_score = sample(6, n=300, decimals=decimals, prevalence=prevalence)
    whole, found = both(
        monkeypatch, metric, y_true, y_score, stratify=stratify, **kwargs
    )
    tolerance = LOOKED_UP if kwargs.get("rate", "uniform") != "uniform" else EXACT
    assert found.value == whole.value
    assert found.standard_error == pytest.approx(whole.standard_error, rel=tolerance)
    np.testing.assert_allclose(
        found.confidence_interval, whole.confidence_interval, rtol=tolerance
    )


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_intervals_of_weights_are_those_of_the_whole_table(metric, monkeypatch):
    y_true, y_score = sample(7, n=300)
    weight = np.random.default_rng(0).integers(1, 4, size=300)
    whole, found = both(monkeypatch, metric, y_true, y_score, sample_weight=weight)
    assert found.standard_error == pytest.approx(whole.standard_error, rel=EXACT)
    np.testing.assert_allclose(
        found.confidence_interval, whole.confidence_interval, rtol=EXACT
    )


def test_a_perfect_ranking_has_the_interval_of_the_whole_table(monkeypatch):
    y_true = np.arange(200) >= 150
    whole, found = both(monkeypatch, "roc_auc", y_true, np.arange(200.0))
    np.testing.assert_allclose(
        found.confidence_interval, whole.confidence_interval, rtol=EXACT
    )
    assert found.confidence_interval.low < 1


def test_where_the_rate_bends_the_table_is_asked(monkeypatch):
    # All of it lies in one cell of the grid.
    y_true, y_score = sample(8, n=300)
    options = {"rate": rates.beta(2, 1e6)}
    whole, found = both(
        monkeypatch, rate_weighted_auc_score, y_true, y_score, **options
    )
    assert found.standard_error == pytest.approx(whole.standard_error, rel=LOOKED_UP)
