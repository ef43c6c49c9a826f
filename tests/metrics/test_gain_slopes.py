"""How sure an expected gain is: influence, errors, what is refused, and uplift."""

from functools import partial

import numpy as np
import pytest

from metric_cases import sample
from skrate import (
    compare,
    compare_all,
    estimate,
    expected_gain_score,
    influence,
    rates,
)
from skrate.inference.plan import check_metric
from skrate.inference.resampling import statistic_of, unit_rows
from skrate.inference.sample import check_sample, with_worth

BETA = rates.beta(3, 19)
RATES = [0.3, 1.0, "uniform", BETA, rates.mixture([rates.fixed(0.4), BETA])]
per_case = partial(expected_gain_score, normalize=True)


def drawn(seed, n_cases, decimals=9):
    y_true, y_score = sample(seed, n_cases, decimals=decimals)
    rng = np.random.default_rng(seed)
    gain = np.where(y_true, rng.lognormal(3, 1, n_cases), -4)
    return y_true, y_score, gain, rng.lognormal(size=n_cases)


@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize("rate", ["uniform", BETA, rates.interval(0.1, 0.4)], ids=str)
def test_the_influence_is_that_of_one_more_case(rate, decimals):
    y_true, y_score, gain, cost = drawn(4, 60, decimals)
    found = influence(
        expected_gain_score, y_true, y_score, gain=gain, cost=cost, rate=rate,
        normalize=True,
    )  # fmt: skip

    def value(weights):
        return per_case(
            y_true, y_score, gain=gain, cost=cost, rate=rate, sample_weight=weights
        )

    for case in range(0, 60, 7):
        move, step = np.eye(60)[case], 1e-4
        slope = (value(1 + step * move) - value(1 - step * move)) / (2 * step)
        assert found[case] / 60 == pytest.approx(slope, rel=1e-4, abs=1e-5)
    total = influence(
        expected_gain_score, y_true, y_score, gain=gain, cost=cost, rate=rate
    )
    np.testing.assert_allclose(total, 60 * found, rtol=1e-12, atol=1e-12)


def test_free_cases_have_the_influence_of_nearly_free_ones():
    y_true, y_score, gain, cost = drawn(5, 60)
    cost[::5] = 0
    options = {"gain": gain, "rate": BETA}
    found, near = (
        influence(expected_gain_score, y_true, y_score, cost=each, **options)
        for each in (cost, np.where(cost > 0, cost, 1e-7))
    )
    np.testing.assert_allclose(found, near, rtol=1e-4, atol=1e-4 * np.abs(near).max())


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("decimals", [0, 9])
@pytest.mark.parametrize("normalize", [False, True])
def test_what_cases_add_and_what_is_resampled_is_the_value(rate, decimals, normalize):
    y_true, y_score, gain, cost = drawn(12, 90, decimals)
    if decimals:
        # A budget of 0.3 ends where a free case is next.
        cost = np.ones(90)
        cost[np.argsort(-y_score)[[24, 50]]] = 3, 0
        cost[np.argsort(-y_score)[25]] = 0
    else:
        cost[::7] = 0
    options = {"gain": gain, "cost": cost, "rate": rate, "normalize": normalize}
    value = expected_gain_score(y_true, y_score, **options)
    ranked = check_sample(y_true, y_score)
    metric = check_metric(expected_gain_score, options, ranked)
    ranked = with_worth(ranked, metric)
    by_gain, by_cost = metric.worth_slopes(ranked.table)
    added = gain * by_gain[ranked.group] + cost * by_cost[ranked.group]
    assert added.mean() == pytest.approx(value, rel=1e-9)
    # No unit of the cost is in it.
    assert cost @ by_cost[ranked.group] == pytest.approx(0, abs=1e-9 * added.sum())
    # Each case once.
    rows = np.ones((1, 90)) @ unit_rows([ranked])
    found = statistic_of([metric], [ranked])(rows)
    assert found == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("rate", RATES[:1] + RATES[2:], ids=str)
def test_the_delta_method_agrees_with_the_bootstrap(rate):
    y_true, a, gain, cost = drawn(6, 400)
    b = a + np.random.default_rng(0).normal(size=400)
    options = {"gain": gain, "cost": cost, "rate": rate, "stratify": False}
    again = {"method": "bootstrap", "random_state": 0, "n_resamples": 400}
    one = estimate(expected_gain_score, y_true, a, **options)
    resampled = estimate(expected_gain_score, y_true, a, **options, **again)
    value = expected_gain_score(y_true, a, gain=gain, cost=cost, rate=rate)
    assert one.value == pytest.approx(value, rel=1e-14)
    assert resampled.standard_error == pytest.approx(one.standard_error, rel=0.15)
    # Symmetric, as nothing bounds a gain.
    low, high = one.confidence_interval
    assert high - one.value == pytest.approx(one.value - low)
    two = compare(expected_gain_score, y_true, a, b, **options)
    resampled = compare(expected_gain_score, y_true, a, b, **options, **again)
    assert two.value_a == one.value
    assert resampled.standard_error == pytest.approx(two.standard_error, rel=0.15)
    both = compare_all(expected_gain_score, y_true, {"a": a, "b": b}, **options)
    assert both.pairs[0] == two
    assert both.covariance[0, 0] == pytest.approx(one.standard_error**2)


def test_repeated_cases_and_clusters_are_what_they_are():
    y_true, y_score, gain, cost = drawn(7, 80)
    times = np.random.default_rng(7).integers(1, 4, 80)
    each = np.repeat(np.arange(80), times)
    score = partial(estimate, expected_gain_score, rate=BETA)
    weighted = score(y_true, y_score, gain=gain, cost=cost, sample_weight=times)
    rows = score(y_true[each], y_score[each], gain=gain[each], cost=cost[each])
    assert weighted.value == pytest.approx(rows.value, rel=1e-12)
    assert weighted.standard_error == pytest.approx(rows.standard_error, rel=1e-9)
    # Clusters of equal cases are the cases themselves.
    twice = np.tile(np.arange(80), 2)
    alone = score(y_true, y_score, gain=gain, cost=cost, normalize=True)
    clustered = score(
        y_true[twice], y_score[twice], gain=gain[twice], cost=cost[twice],
        clusters=twice, normalize=True,
    )  # fmt: skip
    expected = alone.standard_error * np.sqrt(80 / 79)
    assert clustered.standard_error == pytest.approx(expected, rel=1e-9)
    # A constant weight is no weight.
    shares = score(
        y_true, y_score, gain=gain, cost=cost, normalize=True, weights="sampling",
        sample_weight=np.full(80, 0.3),
    )  # fmt: skip
    assert shares.standard_error == pytest.approx(alone.standard_error, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "jackknife"}, "method='jackknife' knows nothing of gain or cost"),
        ({"method": "parametric"}, "method='parametric' excludes|knows nothing"),
        (
            {"method": "bootstrap", "clusters": np.arange(80) // 2},
            "method='bootstrap' excludes clusters and sampling weights with gain",
        ),
        (
            {"weights": "sampling", "sample_weight": np.linspace(1, 2, 80)},
            "normalize=False is a sum over cases, .* use normalize=True",
        ),
    ],
)
def test_what_knows_nothing_of_the_gain_is_refused(options, message):
    y_true, y_score, gain, _ = drawn(8, 80)
    with pytest.raises(ValueError, match=message):
        estimate(expected_gain_score, y_true, y_score, gain=gain, **options)


def test_a_comparison_of_other_cases_or_by_exchange_is_refused():
    y_true, y_score, gain, _ = drawn(8, 80)
    score = partial(compare, expected_gain_score, y_true, y_score, -y_score, gain=gain)
    with pytest.raises(ValueError, match="method='permutation' knows nothing of gain"):
        score(method="permutation")
    with pytest.raises(ValueError, match="gain or cost per case excludes y_true_b"):
        score(y_true_b=y_true)


def test_a_gain_that_does_not_vary_has_an_interval_of_no_width():
    found = estimate(expected_gain_score, [1, 0] * 10, range(20), gain=[2] * 20, rate=1)
    assert found.value == 40
    assert found.confidence_interval == (40, 40)
    same = compare(expected_gain_score, *drawn(9, 60)[:2], *drawn(9, 60)[1:2],
                   gain=drawn(9, 60)[2])  # fmt: skip
    assert (same.value, same.pvalue) == (0, 1)


# --- Uplift: the gain is a doubly robust score ------------------------------------


def test_uplift_is_the_rank_weighted_average_treatment_effect():
    """Yadlowsky et al. (2021): QINI and AUTOC, by their definition."""
    rng = np.random.default_rng(10)
    n = 300
    effect = rng.normal(0.3, 1, n)
    treated = rng.random(n) < 0.5
    outcome = rng.normal(size=n) + effect * treated
    # Known propensity, no model of the outcome: the inverse-propensity score.
    scores = outcome * np.where(treated, 2, -2)
    priority = effect + rng.normal(size=n)
    ranked = scores[np.argsort(-priority)]
    toc = np.cumsum(ranked) / np.arange(1, n + 1) - scores.mean()
    qini = np.mean(np.arange(1, n + 1) / n * toc)
    found = compare(
        expected_gain_score, treated, priority, np.zeros(n), gain=scores,
        normalize=True,
    )  # fmt: skip
    # The mean over n steps and the integral differ by half a step of the gain.
    assert found.value == pytest.approx(qini, abs=np.abs(scores).max() / n)
    steps = np.arange(1, n + 1)
    harmonic = np.sum(1 / steps)
    each = rates.empirical(steps / n, weights=1 / steps)
    found = compare(
        expected_gain_score, treated, priority, np.zeros(n), gain=scores, rate=each,
        normalize=True,
    )  # fmt: skip
    assert harmonic * found.value == pytest.approx(np.mean(toc), rel=1e-10)
