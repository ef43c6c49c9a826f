"""The AUC has many names: one value, one standard error, one interval."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from looped import looped
from reference.delong import auc as oracle_auc
from skrate import RankTable, compare, estimate, rate_weighted_auc_score, rates
from skrate.metrics.rate_weighted_auc import RateWeightedAUC
from strategies import ranked_samples

# Each of them is the uniform law on [0, 1].
UNIFORM = {
    "by name": "uniform",
    "skrate": rates.uniform(),
    "interval": rates.interval(0, 1),
    "beta": rates.beta(1, 1),
    "scipy": stats.uniform(),
    "scipy beta": stats.beta(1, 1),
}
each_uniform = pytest.mark.parametrize("rate", UNIFORM.values(), ids=UNIFORM.keys())


def drawn(seed, n=60, decimals=1):
    generator = np.random.default_rng(seed)
    y_true = (np.arange(n) % 4 == 0).astype(int)
    y_score = np.round(generator.standard_t(3, size=n) + y_true, decimals)
    return y_true, y_score, generator


def parts(result):
    return (
        result.value,
        result.standard_error,
        result.confidence_interval,
        result.n_pos,
        result.n_neg,
    )


@each_uniform
@pytest.mark.parametrize("method", ["delta", "bootstrap", "jackknife"])
@looped("design", ["cases", "repeated", "sampling", "clusters"])
@looped("decimals", [0, 12])
def test_a_uniform_rate_gives_the_auc_in_every_digit(rate, method, design, decimals):
    y_true, y_score, generator = drawn(0, decimals=decimals)
    options = {
        "cases": {},
        "repeated": {"sample_weight": generator.integers(1, 4, 60)},
        "sampling": {"sample_weight": generator.random(60), "weights": "sampling"},
        "clusters": {"clusters": np.arange(60) // 3},
    }[design]
    options |= {"method": method, "random_state": 0, "n_resamples": 9}
    by_name = estimate("roc_auc", y_true, y_score, **options)
    by_rate = estimate(rate_weighted_auc_score, y_true, y_score, rate=rate, **options)
    assert parts(by_name) == parts(by_rate)
    if "clusters" not in options:
        weight = options.get("sample_weight")
        found = rate_weighted_auc_score(
            y_true, y_score, rate=rate, sample_weight=weight
        )
        assert found == pytest.approx(by_name.value, abs=1e-15)


def test_the_two_names_do_not_differ():
    y_true, y_score, generator = drawn(1)
    rauc = partial(rate_weighted_auc_score, rate=rates.beta(1, 1))
    result = compare(("roc_auc", rauc), y_true, y_score)
    assert (result.value, result.standard_error, result.pvalue) == (0, 0, 1)
    other = y_score + generator.normal(size=60)
    found = [
        compare(metric, y_true, y_score, other)
        for metric in ("roc_auc", rate_weighted_auc_score)
    ]
    assert found[0].confidence_interval == found[1].confidence_interval
    assert found[0].pvalue == found[1].pvalue
    matrices = [
        compare(metric, y_true, {"a": y_score, "b": other}).covariance
        for metric in ("roc_auc", rate_weighted_auc_score)
    ]
    assert matrices[0].tolist() == matrices[1].tolist()
    values = [
        estimate(metric, y_true, y_score).influence
        for metric in ("roc_auc", rate_weighted_auc_score)
    ]
    assert values[0].tolist() == values[1].tolist()


@given(ranked_samples(weighted=True))
def test_the_score_is_the_share_of_all_pairs_in_every_digit(ranked):
    y_true, y_score, weight = ranked
    times = weight.astype(int)
    rows = [np.repeat(values, times) for values in (y_true, y_score)]
    expected = float(oracle_auc(*rows))
    assert rate_weighted_auc_score(*rows) == expected
    assert rate_weighted_auc_score(y_true, y_score, sample_weight=weight) == expected


@pytest.mark.parametrize("scale", [1e-90, 1e-50, 1e-5, 1e50, 1e90])
def test_the_scale_of_the_weights_of_a_class_changes_nothing(scale):
    pos, neg = np.array([3.0, 1, 2]), np.array([1.0, 2, 4])
    uniform = rates.uniform()
    rauc = RateWeightedAUC(uniform)
    plain = rauc.compute(RankTable(pos, neg))
    for table in (RankTable(scale * pos, neg), RankTable(scale * pos, scale * neg)):
        assert rauc.compute(table) == pytest.approx(plain, abs=1e-15)
