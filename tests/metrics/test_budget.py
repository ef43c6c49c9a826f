"""Recall, precision and lift at a rate or a count."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import binomial_tolerance, simulations
from metric_cases import Case
from reference import tables
from reference.rate_law import Density, Mixed, Points
from skrate import (
    RankTable,
    estimate,
    expected_recall_score,
    group_scores,
    influence,
    lift_at_rate_score,
    precision_at_rate_score,
    rates,
    recall_at_rate_score,
)
from skrate.core.metric import find_metric
from strategies import ranked_samples


def found_at(groups, rate):
    """Return the recall at a rate."""
    return float(tables.found_at(groups, Fraction(rate)))


def precision_under(law):
    """Return the oracle of the expected precision."""

    def oracle(groups, rate):
        return tables.expected_precision(groups, law) if groups.n_pos else 0.0

    return oracle


# Rates that are known roughly, with their laws.
BETA = rates.beta(3, 19), Density.of(stats.beta(3, 19))
UNIFORM = "uniform", Density(lambda u: 1 - u, [])
STEPS = (
    rates.empirical([0.1, 0.3, 0.3, 0]),
    Points(np.array([0.1, 0.3, 0]), np.array([1, 2, 1])),
)
SOME = (
    rates.mixture([BETA[0], STEPS[0], 0.8], [5, 3, 2]),
    Mixed([BETA[1], STEPS[1], Points(np.array([0.8]), np.ones(1))], [0.5, 0.3, 0.2]),
)
NORMAL = stats.norm(0.1, 0.1), Density.of(stats.norm(0.1, 0.1))
EXPONENTIAL = rates.exponential(20), Density(stats.expon(scale=0.05).sf, [0.05])
LAWS = {
    "beta": BETA,
    "uniform": UNIFORM,
    "steps": STEPS,
    "mixture": SOME,
    "normal": NORMAL,
    "exponential": EXPONENTIAL,
    "unbounded": (rates.beta(0.5, 3), Density.of(stats.beta(0.5, 3))),
    "interval": (
        rates.interval(0.1, 0.4),
        Density(stats.uniform(0.1, 0.3).sf, [0.1, 0.4]),
    ),
    "one point": (rates.empirical([0.3]), Points(np.array([0.3]), np.ones(1))),
}
# Elsewhere the share of positives at a cut is averaged over a bandwidth.
SMOOTH = {name: r for name, (r, law) in LAWS.items() if isinstance(law, Density)}
each_law = pytest.mark.parametrize(("rate", "law"), LAWS.values(), ids=LAWS)

CASES = [
    Case(
        "recall at rate",
        recall_at_rate_score,
        {"rate": 0.3},
        constant=lambda p: 0.3,
        perfect=lambda p: min(1, 0.3 / p),
        worst=lambda p: max(0, (p - 0.7) / p),
        oracle=found_at,
    ),
    Case(
        "precision at rate",
        precision_at_rate_score,
        {"rate": 0.3},
        constant=lambda p: p,
        perfect=lambda p: min(1, p / 0.3),
        worst=lambda p: max(0, (p - 0.7) / 0.3),
        oracle=lambda groups, rate: (
            found_at(groups, rate) * groups.prevalence / rate if groups.n_pos else 0.0
        ),
        needs_positives=False,
    ),
    Case(
        "lift at rate",
        lift_at_rate_score,
        {"rate": 0.3},
        constant=lambda p: 1.0,
        perfect=lambda p: min(1 / 0.3, 1 / p),
        worst=lambda p: max(0, (p - 0.7) / p / 0.3),
        oracle=lambda groups, rate: found_at(groups, rate) / rate,
    ),
    Case("lift at a quarter", lift_at_rate_score, {"rate": 0.25}, slopes="jump"),
    Case("precision at 40", precision_at_rate_score, {"k": 40}, slopes="jump"),
    Case("recall at a quarter", recall_at_rate_score, {"rate": 0.25}, slopes="jump"),
    Case(
        "expected precision",
        precision_at_rate_score,
        {"rate": BETA[0]},
        constant=lambda p: p,
        perfect=lambda p: float(law_of_precision(p)),
        worst=None,
        oracle=precision_under(BETA[1]),
        slopes="smooth",
        needs_positives=False,
    ),
    Case(
        "expected lift",
        lift_at_rate_score,
        {"rate": SOME[0]},
        oracle=lambda groups, rate: (
            tables.expected_precision(groups, SOME[1]) / groups.prevalence
            if groups.n_pos
            else np.nan
        ),
        slopes="jump",
    ),
    Case(
        "uniform precision",
        precision_at_rate_score,
        {"rate": "uniform"},
        constant=lambda p: p,
        perfect=lambda p: p - p * np.log(p),
        worst=None,
        oracle=precision_under(UNIFORM[1]),
        slopes="steep",
        needs_positives=False,
    ),
    Case(
        "recall under a law",
        recall_at_rate_score,
        {"rate": BETA[0]},
        oracle=lambda groups, rate: tables.expected_recall(groups, BETA[1]),
    ),
]


def law_of_precision(p):
    """Return E[min(1, p / R)] of the beta distribution."""
    return stats.beta(3, 19).cdf(p) + p * 21 / 2 * stats.beta(2, 19).sf(p)


SCORES = [recall_at_rate_score, precision_at_rate_score, lift_at_rate_score]
each_score = pytest.mark.parametrize("score", SCORES, ids=lambda s: s.__name__)


@pytest.mark.parametrize(
    ("y_true", "y_score", "rate", "recall", "precision"),
    [
        pytest.param("1010", "4321", 0.25, 1 / 2, 1, id="a quarter"),
        pytest.param("1010", "4321", {"k": 1}, 1 / 2, 1, id="one case"),
        pytest.param("1010", "4321", 1.0, 1, 1 / 2, id="everything"),
        pytest.param("1010", "4321", {"k": 4}, 1, 1 / 2, id="all four cases"),
        pytest.param("1010", "4321", 0.125, 1 / 4, 1, id="half a case"),
        pytest.param("1010", "4441", {"k": 1}, 1 / 3, 2 / 3, id="one of three"),
        pytest.param("0011", "4321", {"k": 2}, 0, 0, id="none found"),
        pytest.param(
            "1010", "4321", rates.empirical([0.25, 0.5]), 1 / 2, 3 / 4, id="two rates"
        ),
        pytest.param(
            "1000", "4321", rates.empirical([0, 0.5, 1]), 2 / 3, 3 / 8, id="maybe none"
        ),
    ],
)
def test_by_hand(y_true, y_score, rate, recall, precision):
    y_true = [int(label) for label in y_true]
    y_score = [int(score) for score in y_score]
    budget = rate if isinstance(rate, dict) else {"rate": rate}
    found = [score(y_true, y_score, **budget) for score in SCORES]
    lift = precision / np.mean(y_true)
    assert_allclose(found, [recall, precision, lift], rtol=0, atol=1e-15)


@given(
    cases=ranked_samples(max_size=6, n_scores=3, both_classes=False),
    count=st.integers(1, 6),
)
def test_a_tie_at_the_cut_is_the_mean_over_all_orders_of_the_tied(cases, count):
    y_true, y_score, _ = cases
    count = min(count, len(y_true))
    found = []
    for order in permutations(range(len(y_true))):
        order = np.array(order)
        if np.all(np.diff(y_score[order]) <= 0):
            found.append(y_true[order[:count]].sum())
    precision = precision_at_rate_score(y_true, y_score, k=count)
    assert_allclose(precision, np.mean(found) / count, rtol=0, atol=1e-12)
    if y_true.any():
        recall = recall_at_rate_score(y_true, y_score, k=count)
        assert_allclose(recall, np.mean(found) / y_true.sum(), rtol=0, atol=1e-12)


@each_score
@given(cases=ranked_samples())
def test_a_count_is_its_share_of_the_cases(score, cases):
    n = len(cases.y_true)
    share = score(*cases[:2], rate=1 / n)
    assert_allclose(score(*cases[:2], k=1), share, rtol=0, atol=1e-12)
    assert score(*cases[:2], k=np.int64(1)) == score(*cases[:2], k=1)


@given(cases=ranked_samples(weighted=True), rate=st.floats(0.01, 1))
def test_lift_is_recall_over_rate_and_precision_over_prevalence(cases, rate):
    kwargs = {"rate": rate, "sample_weight": cases.sample_weight}
    recall, precision, lift = [score(*cases[:2], **kwargs) for score in SCORES]
    prevalence = np.average(cases.y_true, weights=cases.sample_weight)
    assert_allclose(lift, recall / rate, rtol=1e-12)
    assert_allclose(lift, precision / prevalence, rtol=1e-12)


@each_score
@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({"k": 0}, "k must be an integer >= 1, got 0"),
        ({"k": -2}, "k must be an integer >= 1, got -2"),
        ({"k": 0.5}, r"k must be an integer >= 1, got 0\.5"),
        ({"k": 5}, "k=5 is more than the 4 cases there are"),
        ({"rate": 0}, r"rate must be a number in \(0, 1\], got 0"),
        ({"rate": -2}, r"rate must be a number in \(0, 1\], got -2"),
        ({"rate": 0.0}, r"rate must be a number in \(0, 1\], got 0.0"),
        ({"rate": 1.5}, r"rate must be a number in \(0, 1\], got 1.5"),
        ({"rate": np.nan}, r"rate must be a number in \(0, 1\], got nan"),
        ({"rate": True}, "rate must be 'uniform', a number .* got True"),
        ({"rate": "wide"}, "rate='wide' is unknown"),
        ({"rate": stats.beta}, "rate must be 'uniform', a number .* freeze it"),
        ({}, "rate is missing: give the share .* or k"),
        ({"rate": 0.5, "k": 2}, "k=2 and rate=0.5 both say .* leave out"),
    ],
)
def test_a_bad_budget_is_named(score, budget, message):
    with pytest.raises(ValueError, match=message):
        score([1, 0, 1, 0], [4, 3, 2, 1], **budget)


@each_score
@pytest.mark.parametrize("rate", [400, 400.0, np.int64(400), np.float32(400)])
def test_a_count_for_a_rate_is_told_both_things_it_may_mean(score, rate):
    message = r"got .*400.*: 400 of the cases at hand are k=400, .* rate=400/N\."
    with pytest.raises(ValueError, match=message):
        score([1, 0, 1, 0], [4, 3, 2, 1], rate=rate)


@each_score
@pytest.mark.parametrize("rate", [1, np.int64(1), np.uint8(1)])
def test_the_integer_one_may_be_one_case_or_all(score, rate):
    with pytest.raises(ValueError, match=r"rate=1 may be one case or all .* rate=1\.0"):
        score([1, 0, 1, 0], [4, 3, 2, 1], rate=rate)


@each_score
def test_a_count_has_no_meaning_with_weights(score):
    message = "k=2 is a number of cases, which sample_"
    with pytest.raises(ValueError, match=message):
        score([1, 0, 1], [3, 2, 1], k=2, sample_weight=[1, 2, 1])


@each_score
def test_a_count_is_that_of_each_list(score):
    data = {"y_true": [1, 0, 1], "y_score": [3, 2, 1], "groups": [0, 0, 1]}
    found = group_scores(score, **data, k=2)
    assert found.values.tolist() == group_scores(score, **data, k=2).values.tolist()
    assert found.mean() == 1 if score is not precision_at_rate_score else 2 / 3


# --- Distributions -------------------------------------------------------------------


@each_law
@pytest.mark.parametrize("weighted", [False, True])
def test_a_law_is_the_mean_over_its_rates(rate, law, weighted):
    generator = np.random.default_rng(5)
    y_true = generator.random(150) < 0.3
    y_score = np.round(generator.normal(size=150) + y_true, 1)
    weights = generator.exponential(size=150) if weighted else None
    options = {"rate": rate, "sample_weight": weights}
    groups = tables.Groups(y_true, y_score, weights)
    expected = tables.expected_precision(groups, law)
    found = precision_at_rate_score(y_true, y_score, **options)
    assert_allclose(found, expected, rtol=0, atol=1e-10)
    lift = lift_at_rate_score(y_true, y_score, **options)
    assert_allclose(lift, expected / groups.prevalence, rtol=0, atol=1e-9)
    recall = recall_at_rate_score(y_true, y_score, **options)
    by_law = expected_recall_score(y_true, y_score, **options)
    assert_allclose(recall, by_law, rtol=1e-14)


@given(cases=ranked_samples(weighted=True, both_classes=False))
def test_any_sample_has_the_mean_over_a_discrete_law(cases):
    points, masses = np.array([0.05, 0.2, 0.7, 1.0]), np.array([1, 3, 2, 1])
    kwargs = {"sample_weight": cases.sample_weight}
    if not np.any(np.multiply(cases.y_true, cases.sample_weight)):
        return
    for score in SCORES:
        each = [score(*cases[:2], rate=point, **kwargs) for point in points.tolist()]
        found = score(*cases[:2], rate=rates.empirical(points, masses), **kwargs)
        assert_allclose(found, np.average(each, weights=masses), rtol=1e-12)


@each_score
@pytest.mark.parametrize(
    "known", [rates.fixed(0.3), rates.empirical([0.3, 0.3]), rates.mixture([0.3])]
)
def test_a_point_mass_is_its_rate_to_the_last_bit(score, known):
    y_true, y_score = metric_sample()
    assert score(y_true, y_score, rate=known) == score(y_true, y_score, rate=0.3)
    of_law = estimate(score, y_true, y_score, rate=known)
    assert of_law == estimate(score, y_true, y_score, rate=0.3)


def metric_sample(n=3000):
    generator = np.random.default_rng(2)
    y_true = generator.random(n) < 0.2
    return y_true, generator.normal(size=n) + y_true


@each_law
def test_a_long_ranking_by_place_is_the_same_by_group(rate, law):
    y_true, y_score = metric_sample(20_000)
    by_place = precision_at_rate_score(y_true, y_score, rate=rate)
    groups = tables.Groups(y_true, y_score)
    expected = tables.expected_precision(groups, law)
    assert_allclose(by_place, expected, rtol=0, atol=1e-10)
    twos = np.full(len(y_true), 2.0)
    by_group = precision_at_rate_score(y_true, y_score, rate=rate, sample_weight=twos)
    assert_allclose(by_group, by_place, rtol=0, atol=1e-11)


@each_law
@pytest.mark.parametrize("score", [precision_at_rate_score, lift_at_rate_score])
def test_many_tables_have_the_values_of_each(score, rate, law):
    generator = np.random.default_rng(8)
    pos, neg = generator.integers(0, 3, (2, 20, 15))
    metric = find_metric(score, {"rate": rate})
    expected = [
        score(RankTable(p, q), rate=rate) for p, q in zip(pos, neg, strict=True)
    ]
    assert_allclose(metric.values(pos, neg), expected, rtol=1e-12)


@pytest.mark.parametrize("rate", SMOOTH.values(), ids=SMOOTH)
@each_score
def test_influence_is_how_the_value_changes(score, rate):
    y_true, y_score = metric_sample(400)
    y_score = np.round(y_score, 1)
    values = influence(score, y_true, y_score, rate=rate)
    step = 1e-6
    for case in (0, 7, 30, int(np.argmax(y_score)), int(np.argmin(y_score))):
        weights = np.ones(len(y_true))
        moved = []
        for change in (step, -step):
            weights[case] = 1 + change
            moved.append(score(y_true, y_score, rate=rate, sample_weight=weights))
        slope = (moved[0] - moved[1]) / (2 * step) * len(y_true)
        assert_allclose(values[case], slope, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("score", [precision_at_rate_score, lift_at_rate_score])
def test_within_lists_it_is_that_of_each_list(score):
    y_true, y_score = metric_sample(60)
    lists = np.arange(60) % 4
    found = group_scores(score, y_true, y_score, groups=lists, rate=BETA[0])
    alone = [
        score(y_true[lists == i], y_score[lists == i], rate=BETA[0]) for i in range(4)
    ]
    assert_allclose(found.values, alone, rtol=1e-12)


@pytest.mark.parametrize("score", [precision_at_rate_score, lift_at_rate_score])
def test_where_nothing_is_ever_processed_there_is_no_precision(score):
    with pytest.warns(UndefinedMetricWarning, match="the rate is 0, so that nothing"):
        assert np.isnan(score([1, 0], [2, 1], rate=rates.empirical([0])))


def test_it_is_not_the_ratio_of_the_means():
    y_true, y_score = metric_sample()
    rate = rates.beta(3, 19)
    hits = expected_recall_score(y_true, y_score, rate=rate) * y_true.mean()
    ratio = hits / rate.mean()
    assert precision_at_rate_score(y_true, y_score, rate=rate) > ratio + 0.01


@pytest.mark.parametrize(
    ("score", "name"), [(recall_at_rate_score, "Recall"), (lift_at_rate_score, "Lift")]
)
def test_without_positives_recall_and_lift_are_undefined(score, name):
    message = f"{name} is undefined: y_true holds no positive case"
    with pytest.warns(UndefinedMetricWarning, match=message):
        assert np.isnan(score([0, 0], [2, 1], rate=0.5))


def test_precision_without_positives_is_zero():
    assert precision_at_rate_score([0, 0], [2, 1], rate=0.5) == 0


@pytest.mark.slow
@pytest.mark.parametrize("score", [precision_at_rate_score, lift_at_rate_score])
@pytest.mark.parametrize("rate", [BETA[0], "uniform"], ids=repr)
def test_intervals_of_expected_precision_and_lift_cover_the_truth(score, rate):
    generator = np.random.default_rng(4)

    def drawn(n):
        y_true = generator.random(n) < 0.2
        return y_true, generator.normal(size=n) + 1.5 * y_true

    truth = np.mean([score(*drawn(200_000), rate=rate) for _ in range(3)])
    n_simulations = simulations(1000)
    held = 0
    for _ in range(n_simulations):
        low, high = estimate(score, *drawn(150), rate=rate).confidence_interval
        held += low <= truth <= high
    assert held / n_simulations >= 0.93 - binomial_tolerance(0.93, n_simulations)
