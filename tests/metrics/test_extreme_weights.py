"""Weights may differ by any factor: between cases, classes and lists."""

from fractions import Fraction

import numpy as np
import pytest

import skrate
from looped import looped
from reference import weighted_shares as reference
from reference.list_auc import auc as list_auc
from reference.list_auc import lists_of, pairs
from reference.weighted_shares import Shares
from skrate import RankTable, rates
from skrate.metrics import momentum as momentum_module
from skrate.metrics.base import find_metric

# (weight of the positives, weight of the negatives)
RATIOS = [
    *((w, 1.0) for w in (1e-12, 1e-17, 1e-90, 1e17, 1e90)),
    *((1e-90, 1e90), (1e90, 1e-90), (1e-90, 1e-90), (1e90, 1e90)),
]
Y_TRUE = np.array([1, 0, 1, 1, 0, 0, 1, 0])
Y_SCORE = np.array([8.0, 7, 6, 5, 5, 3, 2, 1])
OWN = np.array([1.0, 2, 3, 1, 1.5, 2.5, 1, 2])


def weights_of(ratio):
    return OWN * np.where(Y_TRUE == 1, *ratio)


def close(expected):
    return pytest.approx(float(expected), rel=1e-12, abs=1e-13)


@pytest.fixture(params=RATIOS, ids="{0[0]:g} to {0[1]:g}".format)
def sample(request):
    weights = weights_of(request.param)
    return weights, Shares(Y_TRUE, Y_SCORE, weights)


RATES = [
    ("uniform", "uniform"),
    (rates.mixture(["uniform", "uniform"]), "uniform"),
    (0.3, Fraction(0.3)),
]


@looped("rate, exact", RATES)
def test_expected_recall_and_rauc_are_exact(sample, rate, exact):
    weights, shares = sample
    for of in ("positives", "negatives"):
        value = skrate.expected_recall_score(
            Y_TRUE, Y_SCORE, rate=rate, of=of, sample_weight=weights
        )
        assert value == close(reference.expected_recall(shares, exact, of))
    value = skrate.rate_weighted_auc_score(
        Y_TRUE, Y_SCORE, rate=rate, sample_weight=weights
    )
    assert value == close(reference.rauc(shares, exact))


BUDGET = [
    skrate.recall_at_rate_score,
    skrate.precision_at_rate_score,
    skrate.lift_at_rate_score,
]


@looped("prevalence", [None, 0.01, 1e-17, 1e-300, 1 - 1e-12])
@looped("adjusted", [False, True])
def test_average_precision_is_exact(sample, prevalence, adjusted):
    weights, shares = sample
    value = skrate.average_precision_score(
        Y_TRUE, Y_SCORE, prevalence=prevalence, adjusted=adjusted, sample_weight=weights
    )
    assert value == close(reference.average_precision(shares, prevalence, adjusted))


@looped("rate", [1e-9, 0.3, 1.0])
def test_budget_metrics_are_exact(sample, rate):
    weights, shares = sample
    found = reference.found_at(shares, Fraction(rate))
    prevalence = shares.n_pos / shares.total
    for function, expected in (
        (skrate.recall_at_rate_score, found / prevalence),
        (skrate.precision_at_rate_score, found / Fraction(rate)),
        (skrate.lift_at_rate_score, found / prevalence / Fraction(rate)),
    ):
        value = function(Y_TRUE, Y_SCORE, rate=rate, sample_weight=weights)
        assert value == pytest.approx(float(expected), rel=1e-12, abs=1e-13)


@looped("rate", [1e-150, 1e-20])
@looped("function", BUDGET)
@looped(
    "weights, y_score",
    [
        ([1e-44, 1e-26, 3e-26], [0.0, 3.0, 1.0]),
        ([1e-26, 1e-44, 3e-26], [0.0, 3.0, 1.0]),
        ([1e-26, 1e-44, 3e-26], [3.0, 3.0, 1.0]),
        ([1.0, 1e-20, 3.0], [3.0, 3.0, 1.0]),
        ([1e-26, 5e-26, 1e-44], [0.0, 3.0, 5.0]),
    ],
)
def test_budget_metrics_of_tiny_rates_keep_their_digits(
    function, weights, y_score, rate
):
    # The positive is the second; every rate ends in the first group, or the second.
    y_true = [0, 1, 0]
    shares = Shares(y_true, y_score, weights)
    found = reference.found_at(shares, Fraction(rate))
    prevalence = shares.n_pos / shares.total
    expected = {
        skrate.recall_at_rate_score: found / prevalence,
        skrate.precision_at_rate_score: found / Fraction(rate),
        skrate.lift_at_rate_score: found / prevalence / Fraction(rate),
    }[function]
    value = function(y_true, y_score, rate=rate, sample_weight=weights)
    assert value == pytest.approx(float(expected), rel=1e-13, abs=0)
    table = RankTable.from_arrays(y_true, y_score, sample_weight=weights)
    metric = find_metric(function, {"rate": rate})
    of_tables = metric.values(table.pos[None], table.neg[None])
    assert of_tables[0] == pytest.approx(float(expected), rel=1e-13, abs=0)


TINY = [1e-100, 1e-240, 1e-300]


@looped("prevalence", TINY)
def test_average_precision_of_a_tiny_prevalence_is_in_proportion_to_it(prevalence):
    # One negative of two is above the positive: p / (p + (1 - p) / 2).
    y_true, y_score = [0, 0, 1], [0.9, 0.05, 0.6]
    average_precision = skrate.average_precision_score
    expected = pytest.approx(2 * prevalence, rel=1e-8 if prevalence < 1e-307 else 1e-14)
    assert average_precision(y_true, y_score, prevalence=prevalence) == expected
    for weights in ([1, 1, 1e-90], [2, 2, 1e90]):
        value = average_precision(
            y_true, y_score, prevalence=prevalence, sample_weight=weights
        )
        assert value == expected
    lists = skrate.group_scores(
        average_precision, y_true, y_score, groups=[7, 7, 7], prevalence=prevalence
    )
    assert lists.values.tolist() == [expected]
    metric = find_metric(average_precision, {"prevalence": prevalence})
    pos, neg = np.array([[0, 1, 0]]), np.array([[1, 0, 1]])
    assert metric.values(pos, neg).tolist() == [expected]


def test_momentum_and_stamina_are_exact(sample):
    weights, _ = sample
    y_score = np.where(Y_TRUE == 1, Y_SCORE + 3.25, Y_SCORE)
    shares = Shares(Y_TRUE, y_score, weights)
    table = RankTable.from_arrays(Y_TRUE, y_score, sample_weight=weights)
    beta, alpha = reference.momentum(shares)
    assert momentum_module.Momentum().value(table) == close(beta)
    assert momentum_module.Stamina().value(table) == close(alpha)


def test_a_table_of_counts_knows_the_share_of_each_class():
    table = RankTable([1, 0, 1], [0, 1e17, 1e17])
    assert table.prevalence == 2 / 2e17
    table = RankTable([0, 1e17, 1e17], [1, 0, 1])
    assert table.negative_share == 2 / 2e17
    assert table.prevalence == 1
    auc = skrate.estimate(skrate.rate_weighted_auc_score, table).value
    assert auc == pytest.approx(0.375, abs=1e-15)
    value = skrate.estimate(
        skrate.rate_weighted_auc_score, table, rate=rates.interval(0, 1)
    ).value
    assert value == pytest.approx(0.375, abs=1e-15)


@looped("factors", [(1, 1e9), (1e9, 1), (1e17, 1), (1, 1e17)])
@looped("rate", ["uniform", rates.beta(3, 9), 0.3])
def test_errors_are_those_of_the_rare_class(factors, rate):
    pos = np.array([3, 0, 2, 5, 1, 0, 4.0])
    neg = np.array([0, 2, 2, 1, 5, 3, 6.0])
    table = RankTable(pos * factors[0], neg * factors[1])
    result = skrate.estimate(skrate.rate_weighted_auc_score, table, rate=rate)
    assert 0 < result.standard_error < 1
    assert 0 <= result.confidence_interval.low < result.value


# --- Lists ---------------------------------------------------------------------------

SCALES = [1e-90, 1e-60, 1e-20, 1.0, 1e30, 1e60, 1e90]
LISTS = np.repeat(np.arange(len(SCALES)), 8)


def many_lists():
    """Return lists that differ by the scale of their weights and by their order."""
    rng = np.random.default_rng(0)
    n = len(LISTS)
    labels = np.tile(Y_TRUE, len(SCALES))
    scores = rng.integers(0, 5, n) / 4
    weights = rng.integers(1, 5, n) * np.repeat(SCALES, 8)
    return labels, scores, weights


LIST_METRICS = [
    ("roc_auc", {}),
    (skrate.average_precision_score, {}),
    (skrate.average_precision_score, {"prevalence": 0.1}),
    (skrate.expected_recall_score, {"rate": rates.beta(3, 9)}),
    (skrate.rate_weighted_auc_score, {"rate": rates.beta(3, 9)}),
    (skrate.recall_at_rate_score, {"rate": 0.3}),
    (skrate.precision_at_rate_score, {"rate": 0.3}),
]


@looped("metric, options", LIST_METRICS)
def test_a_list_does_not_depend_on_the_scale_of_its_weights(metric, options):
    labels, scores, weights = many_lists()
    found = skrate.group_scores(
        metric, labels, scores, groups=LISTS, sample_weight=weights, **options
    )
    whole = np.rint(weights / np.repeat(SCALES, 8))
    plain = skrate.group_scores(
        metric, labels, scores, groups=LISTS, sample_weight=whole, **options
    )
    np.testing.assert_allclose(found.values, plain.values, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(found.n_items / found.n_items[3], plain_sizes(weights))


def plain_sizes(weights):
    sizes = [sum(map(Fraction, weights[i == LISTS])) for i in range(len(SCALES))]
    return [float(size / sizes[3]) for size in sizes]


@looped("alone, options", LIST_METRICS[1:])
@looped("ratio", RATIOS)
def test_a_list_of_classes_of_any_weight_is_as_if_alone(alone, options, ratio):
    weights = np.concatenate([weights_of(ratio), OWN])
    both = skrate.group_scores(
        alone,
        np.tile(Y_TRUE, 2),
        np.tile(Y_SCORE, 2),
        groups=np.repeat([0, 1], 8),
        sample_weight=weights,
        **options,
    )
    for score, weight in zip(both.values, (weights[:8], OWN), strict=True):
        expected = alone(Y_TRUE, Y_SCORE, sample_weight=weight, **options)
        assert score == pytest.approx(expected, rel=1e-12, abs=1e-13)


@looped("average", ["macro", "pairs", "positives", "size"])
def test_averages_weigh_lists_by_their_true_weights(average):
    labels, scores, weights = many_lists()
    lists = lists_of(labels, scores, LISTS, weights)
    # The reference takes floats, which are exact.
    top = bottom = Fraction(0)
    for items in lists.values():
        ordered, all_pairs = pairs(items)
        own = {
            "macro": Fraction(1),
            "pairs": all_pairs,
            "positives": sum(w for _, is_pos, w in items if is_pos),
            "size": sum(w for _, _, w in items),
        }[average]
        assert list_auc(items) == ordered / all_pairs
        top += own * ordered / all_pairs
        bottom += own
    options = {"groups": LISTS, "sample_weight": weights}
    value = skrate.ranking_auc_score(labels, scores, average=average, **options)
    assert value == pytest.approx(float(top / bottom), rel=1e-13)
    found = skrate.group_scores("roc_auc", labels, scores, **options).estimate(average)
    assert found.value == value
    # One list has all the weight: how others vary is not known.
    assert (average == "macro") == (0 <= found.standard_error < 1)
