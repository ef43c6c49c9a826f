"""Recall, precision and lift at a rate, of one ranking and of queues."""

from fractions import Fraction
from functools import partial
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, held, simulated
from list_strategies import ranked_lists
from looped import looped
from metric_cases import Case
from reference import tables
from reference.rate_law import Density, Mixed, Points
from skrate import (
    estimate,
    expected_gain_score,
    group_scores,
    lift_at_rate_score,
    precision_at_rate_score,
    rates,
    recall_at_rate_score,
)
from skrate.metrics.at_rate import check_rate_parameter
from skrate.rates.distributions import check_rate
from skrate.rates.inverse import InverseWeightedRate

# Three days: one of three cases, one of two, and one of a single case.
Y_TRUE = [1, 0, 1, 0, 1, 1]
Y_SCORE = [3, 2, 1, 9, 8, 5]
DAY = ["mo", "mo", "mo", "tu", "tu", "we"]
AMOUNT = [100, -1, 900, -2, 50, 30]
PLACES = np.array([1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.7, 0.99, 1.0])


def found_at(groups, rate):
    """Return the recall at a rate."""
    return float(tables.found_at(groups, Fraction(rate)))


def precision_under(distribution):
    """Return the oracle of the expected precision."""

    def oracle(groups, rate):
        return tables.expected_precision(groups, distribution) if groups.n_pos else 0.0

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
NORMAL = stats.norm(0.15, 0.09), Density.of(stats.norm(0.15, 0.09))
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
NEVER = rates.empirical([0])
each_law = looped("rate, distribution", LAWS.values())

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
        "precision at a prevalence",
        precision_at_rate_score,
        {"rate": 0.25, "prevalence": 0.1},
        slopes="jump",
    ),
    Case(
        "expected lift at a prevalence",
        lift_at_rate_score,
        {"rate": BETA[0], "prevalence": 0.1},
        slopes="smooth",
    ),
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
each_score = looped("score", SCORES)


@looped(
    "y_true, y_score, rate, recall, precision",
    [
        ("1010", "4321", 0.25, 1 / 2, 1),
        ("1010", "4321", {"k": 1}, 1 / 2, 1),
        ("1010", "4321", 1.0, 1, 1 / 2),
        ("1010", "4321", {"k": 4}, 1, 1 / 2),
        ("1010", "4321", 0.125, 1 / 4, 1),
        ("1010", "4441", {"k": 1}, 1 / 3, 2 / 3),
        ("0011", "4321", {"k": 2}, 0, 0),
        ("1010", "4321", rates.empirical([0.25, 0.5]), 1 / 2, 3 / 4),
        ("1000", "4321", rates.empirical([0, 0.5, 1]), 2 / 3, 3 / 8),
    ],
)
def test_by_hand(y_true, y_score, rate, recall, precision):
    y_true = [int(label) for label in y_true]
    y_score = [int(score) for score in y_score]
    budget = rate if isinstance(rate, dict) else {"rate": rate}
    found = [score(y_true, y_score, **budget) for score in SCORES]
    lift = precision / np.mean(y_true)
    assert_allclose(found, [recall, precision, lift], rtol=0, atol=1e-15)


def test_negatives_in_queues_by_hand():
    y_true, y_score, day = [1, 0, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1], [1, 2, 2, 2, 1, 1]
    # Of three negatives one is first on day 2, and none on day 1.
    options = {"groups": day, "of": "negatives"}
    assert recall_at_rate_score(y_true, y_score, k=1, **options) == 1 / 3
    # Two thirds of three cases on both days: 5 and 4 of day 2.
    found = recall_at_rate_score(y_true, y_score, rate=2 / 3, **options)
    assert found == pytest.approx(2 / 3, abs=1e-15)
    with pytest.raises(ValueError, match="labels"):
        recall_at_rate_score(y_true, y_score, k=1, labels=[0, 1], **options)


def test_a_count_of_several_classes_is_of_each_queue():
    y_true = np.array(["a", "b", "c", "a", "b", "c"])
    y_score = np.array(
        [[6, 1, 2], [5, 6, 1], [1, 2, 6], [4, 3, 3], [3, 5, 5], [2, 4, 4]]
    )
    found = recall_at_rate_score(y_true, y_score, k=2, average=None)
    alone = [
        recall_at_rate_score(y_true == label, column, k=2)
        for label, column in zip("abc", y_score.T, strict=True)
    ]
    assert found.tolist() == alone == [1 / 2, 1, 1 / 2]
    # The best class of each case, one of two in the last two.
    found = recall_at_rate_score(y_true, y_score, k=1, average="samples")
    assert found == pytest.approx(5 / 6, abs=1e-15)


@each_score
@looped(
    "budget, message",
    [
        ({"k": 0}, r"\bk\b.*1.*0"),
        ({"k": 0.5}, r"\bk\b.*1.*0\.5"),
        ({"k": 5}, r"k=5.*4"),
        ({"rate": 0}, r"rate.*0.*1.*0"),
        ({"rate": 1.5}, r"rate.*0.*1.*1\.5"),
        ({"rate": True}, r"rate.*'uniform'.*True"),
        ({"rate": "wide"}, "rate='wide'"),
        ({"rate": stats.beta}, r"rate.*'uniform'"),
        ({"rate": 1}, r"rate=1.*rate=1\.0"),
        ({"rate": np.float32(400)}, r"400.*400.*k=400"),
        ({"k": 2, "sample_weight": [1, 2, 1, 1]}, "k=2"),
        ({}, "rate"),
        ({"rate": 0.5, "k": 2}, r"k=2.*rate=0\.5"),
    ],
)
def test_a_bad_budget_is_named(score, budget, message):
    with pytest.raises(ValueError, match=message):
        score([1, 0, 1, 0], [4, 3, 2, 1], **budget)


# --- Distributions -------------------------------------------------------------------


@each_law
@looped("weighted", [False, True])
def test_a_law_is_the_mean_over_its_rates(rate, distribution, weighted):
    generator = np.random.default_rng(5)
    y_true = generator.random(150) < 0.3
    y_score = np.round(generator.normal(size=150) + y_true, 1)
    weights = generator.exponential(size=150) if weighted else None
    options = {"rate": rate, "sample_weight": weights}
    groups = tables.Groups(y_true, y_score, weights)
    expected = tables.expected_precision(groups, distribution)
    found = precision_at_rate_score(y_true, y_score, **options)
    assert_allclose(found, expected, rtol=0, atol=1e-10)
    lift = lift_at_rate_score(y_true, y_score, **options)
    assert_allclose(lift, expected / groups.prevalence, rtol=0, atol=1e-9)
    recall = recall_at_rate_score(y_true, y_score, **options)
    by_law = recall_at_rate_score(y_true, y_score, **options)
    assert_allclose(recall, by_law, rtol=1e-14)


@pytest.mark.slow
@looped("score", [precision_at_rate_score, lift_at_rate_score])
@looped("rate", [BETA[0], "uniform"])
def test_intervals_of_expected_precision_and_lift_cover_the_truth(score, rate):
    generator = np.random.default_rng(4)

    def drawn(n):
        y_true = generator.random(n) < 0.2
        return y_true, generator.normal(size=n) + 1.5 * y_true

    truth = np.mean([score(*drawn(200_000), rate=rate) for _ in range(3)])
    found = simulated(1000, lambda _: estimate(score, *drawn(150), rate=rate))
    assert_share(held(found, truth), at_least=0.93)


def seen_in_all_orders(y_true, y_score, groups, k):
    """Yield the rows that are seen, for each order of the tied of all the queues."""
    tops = []
    for label in sorted(set(groups)):
        rows = [i for i, group in enumerate(groups) if group == label]
        orders = [
            order
            for order in permutations(rows)
            if [y_score[i] for i in order] == sorted(y_score[i] for i in rows)[::-1]
        ]
        tops.append([order[:k] for order in orders])
    for chosen in product(*tops):
        yield [i for top in chosen for i in top]


@given(
    lists=ranked_lists(max_size=9, n_scores=2), k=st.integers(1, 3),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_it_is_the_mean_over_the_orders_of_the_tied(lists, k, seed):
    rows = slice(0, 7)
    y_true, y_score, groups = (column[rows].tolist() for column in lists[:3])
    gain = np.random.default_rng(seed).integers(-3, 9, len(y_true)).tolist()
    orders = list(seen_in_all_orders(y_true, y_score, groups, k))
    found = Fraction(sum(y_true[i] for seen in orders for i in seen), len(orders))
    options = {"groups": groups, "k": k}
    n_seen, n_pos = len(orders[0]), sum(y_true)
    precision = precision_at_rate_score(y_true, y_score, **options)
    assert precision == pytest.approx(float(found / n_seen), abs=1e-14)
    if n_pos:
        recall = recall_at_rate_score(y_true, y_score, **options)
        assert recall == pytest.approx(float(found / n_pos), abs=1e-14)
    gained = Fraction(sum(gain[i] for seen in orders for i in seen), len(orders))
    by_list = group_scores(
        expected_gain_score, y_true, y_score, groups=groups, gain=gain, k=k
    )
    assert by_list.mean("pooled") == pytest.approx(float(gained), abs=1e-12)


@looped(
    "score, options, message",
    [
        (partial(recall_at_rate_score, k=3), {"k": 2}, r"k=2.*k=3"),
        (
            recall_at_rate_score,
            {"k": 2, "sample_weight": [1] * 6},
            r"k=2.*sample_weight",
        ),
        (expected_gain_score, {"gain": [1, 2], "k": 1}, r"gain.*2"),
        (expected_gain_score, {"gain": AMOUNT, "cost": AMOUNT}, "cost"),
        (expected_gain_score, {"gain": AMOUNT, "cost": [1] * 6}, "cost"),
        (expected_gain_score, {"gain": AMOUNT, "rate": 0.1, "k": 1}, "k=1"),
        (expected_gain_score, {"k": 1}, "gain"),
    ],
)
def test_bad_input_is_named(score, options, message):
    with pytest.raises(ValueError, match=message):
        group_scores(score, Y_TRUE, Y_SCORE, groups=DAY, **options)


def share_within(rate, x=PLACES):
    """Return E[min(1, x / R) | R > 0]."""
    distribution = InverseWeightedRate(check_rate(rate))
    return distribution.mean_inverse * distribution.table.limited_mean(x)


def of_beta(a, b, x):
    """Return the same of a beta distribution, by its recurrence in a."""
    below, above = special.betainc(a, b, x), special.betaincc(a, b, x)
    edge = x ** (a - 1) * (1 - x) ** b / special.beta(a, b)
    return below + x * ((a + b - 1) * above - edge) / (a - 1)


@looped(
    "a, b", [(3, 19), (50, 2), (1.1, 3), (400, 600), (0.5, 0.5), (0.1, 1), (1e4, 3)]
)
def test_a_beta_is_its_closed_form(a, b):
    found, expected = share_within(rates.beta(a, b)), of_beta(a, b, PLACES)
    assert_allclose(found, expected, rtol=0, atol=3e-12)


@looped(
    "rate, points, masses",
    [
        (0.3, [0.3], [1]),
        (rates.empirical([0.1, 0.5, 1.4], [1, 2, 1]), [0.1, 0.5, 1], [1, 2, 1]),
        (rates.empirical([0, 0.1, 0.5]), [0.1, 0.5], [1, 1]),
        (rates.mixture([0.1, rates.empirical([0, 0.4])]), [0.1, 0.4], [2, 1]),
        (rates.mixture([rates.empirical([0]), 0.2]), [0.2], [1]),
        (rates.empirical([1e-9, 0.5]), [1e-9, 0.5], [1, 1]),
        (
            rates.log_discount(3),
            [1 / 3, 2 / 3, 1],
            [1 - 1 / np.log2(3), 1 / np.log2(3) - 0.5, 0.5],
        ),
    ],
)
def test_points_are_sums(rate, points, masses):
    at = np.minimum(1, PLACES[:, None] / np.array(points))
    expected = np.average(at, axis=1, weights=masses)
    assert_allclose(share_within(rate), expected, rtol=1e-13, atol=1e-14)


@looped(
    "rate, sf",
    [
        (stats.norm(0.2, 0.12), stats.norm(0.2, 0.12).sf),
        (stats.lognorm(0.7, scale=0.1), stats.lognorm(0.7, scale=0.1).sf),
        (stats.gamma(2.5, scale=1e-4), stats.gamma(2.5, scale=1e-4).sf),
        (stats.uniform(-0.02, 0.42), stats.uniform(-0.02, 0.42).sf),
        ("uniform", stats.uniform().sf),
        (rates.interval(0.1, 0.4), stats.uniform(0.1, 0.3).sf),
    ],
)
def test_other_laws_are_integrated_literally(rate, sf):
    # E[min(1, x / R)] = S(0) - x times the integral of S(u) / u^2 above x, given R > 0.
    knots = [1e-5, 1e-4, 3e-4, 1e-3, 0.01, 0.1, 0.3, 0.4]
    distribution = Density(sf, knots)
    ends = np.ones_like(PLACES)
    beyond = distribution.inverse_squares(PLACES, ends)
    expected = 1 - PLACES * beyond / sf(0)
    assert_allclose(share_within(rate), expected, rtol=0, atol=1e-10)


def test_a_mixture_weighs_its_parts_by_how_often_they_are_above_zero():
    parts = [rates.beta(3, 19), stats.norm(0.05, 0.03), 0.8]
    shares = [0.5, 0.3, 0.2]
    positive = [1, stats.norm.cdf(5 / 3), 1]
    weights = np.multiply(shares, positive)
    expected = np.average([share_within(p) for p in parts], axis=0, weights=weights)
    found = share_within(rates.mixture(parts, shares))
    assert_allclose(found, expected, rtol=0, atol=1e-13)


def test_the_mean_inverse_is_that_of_the_law():
    distribution = InverseWeightedRate(rates.beta(3, 19))
    assert_allclose(distribution.mean_inverse, 21 / 2, rtol=1e-8)
    assert distribution.is_bounded
    for unbounded in ("uniform", rates.beta(0.5, 3), rates.exponential(3)):
        assert not InverseWeightedRate(check_rate(unbounded)).is_bounded
    for nothing in (rates.empirical([0]), rates.mixture([NEVER])):
        assert np.isnan(InverseWeightedRate(check_rate(nothing)).mean_inverse)
    for score in SCORES[1:]:
        with pytest.warns(UndefinedMetricWarning, match=r"rate.*0"):
            assert np.isnan(score([1, 0], [2, 1], rate=NEVER))


@looped("score", [recall_at_rate_score, precision_at_rate_score, lift_at_rate_score])
@looped("rate", [0.1, 0.35, BETA[0]])
def test_a_prevalence_weights_the_classes(score, rate):
    rng = np.random.default_rng(0)
    for n in (5, 20, 300):
        y_true = np.r_[1, 0, rng.random(n) < 0.4]
        y_score = np.round(rng.normal(size=n + 2) + y_true, 1)
        weight = np.where(y_true, 0.02 / y_true.sum(), 0.98 / (1 - y_true).sum())
        expected = score(y_true, y_score, rate=rate, sample_weight=weight)
        value = score(y_true, y_score, rate=rate, prevalence=0.02)
        assert value == pytest.approx(expected, rel=1e-10)


def test_a_known_prevalence_has_no_error():
    # The recall at a rate, times the prevalence over the rate.
    rng = np.random.default_rng(1)
    y_true = np.arange(400) % 2
    y_score = rng.normal(size=400) + y_true
    options = {"rate": 0.1, "prevalence": 0.05}
    recall = estimate("recall_at_rate", y_true, y_score, **options)
    precision = estimate("precision_at_rate", y_true, y_score, **options)
    assert precision.standard_error == pytest.approx(recall.standard_error / 2)
    draws = estimate(
        "precision_at_rate",
        y_true,
        y_score,
        **options,
        method="bootstrap",
        stratify=True,
        random_state=0,
    )
    assert precision.standard_error == pytest.approx(draws.standard_error, rel=0.2)
    with pytest.raises(ValueError, match=r"prevalence=.*rate="):
        precision_at_rate_score(y_true, y_score, k=5, prevalence=0.05)
    with pytest.raises(ValueError, match=r"prevalence.*groups"):
        precision_at_rate_score(
            y_true, y_score, groups=y_score > 0, rate=0.2, prevalence=0.05
        )


@looped("score", [recall_at_rate_score, precision_at_rate_score])
def test_no_number_of_samples_is_named(score):
    with pytest.raises(ValueError, match=r"^k .*none"):
        score(Y_TRUE, Y_SCORE, k=[])


def test_a_number_of_samples_as_rate_is_k_only_for_metrics_that_have_it():
    for rate in (1, 3, 50):
        with pytest.raises(ValueError, match=rf"rate.*k={rate}\b"):
            check_rate_parameter(rate, has_k=True)
        with pytest.raises(ValueError, match=r"rate.*/N") as raised:
            check_rate_parameter(rate)
        assert "k=" not in str(raised.value)
