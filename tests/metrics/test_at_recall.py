"""What a recall costs, and the recall at a precision or a false positive rate."""

import math
import warnings
from bisect import bisect_right
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from guarantees import (
    assert_errors_are_the_spread,
    assert_level_and_power,
    assert_share,
    binomial_tolerance,
    simulated,
    simulations,
)
from looped import looped
from metric_cases import Case, sample
from reference.recall_curve import (
    fpr_at_recall,
    rate_at_recall,
    recall_at_fpr,
    recall_at_precision,
)
from simulated_recall import DESIGNS, Design, misses
from skrate import (
    RankTable,
    compare,
    estimate,
    fpr_at_recall_score,
    precision_at_recall_score,
    rate_at_recall_score,
    recall_at_fpr_score,
    recall_at_precision_score,
    work_saved_score,
)
from skrate.metrics.metric import find_metric

ALL = [
    (rate_at_recall_score, {"recall": 0.8}),
    (work_saved_score, {"recall": 0.8}),
    (precision_at_recall_score, {"recall": 0.8}),
    (recall_at_precision_score, {"precision": 0.6}),
    (fpr_at_recall_score, {"recall": 0.8}),
    (recall_at_fpr_score, {"fpr": 0.2}),
]
each_metric = looped("metric, kwargs", ALL)


def rate_of(groups, recall=0.95):
    return float(rate_at_recall(groups, recall))


def saved(groups, recall=0.95):
    return float(Fraction(str(recall)) - rate_at_recall(groups, recall))


CASES = [
    Case(
        "rate at recall",
        rate_at_recall_score,
        constant=lambda p: 0.95,
        perfect=lambda p: 0.95 * p,
        worst=lambda p: 1 - 0.05 * p,
        oracle=rate_of,
    ),
    Case(
        "rate at half of the recall",
        rate_at_recall_score,
        {"recall": 0.5},
        constant=lambda p: 0.5,
        perfect=lambda p: 0.5 * p,
        worst=lambda p: 1 - 0.5 * p,
        oracle=rate_of,
        slopes="jump",
    ),
    Case(
        "work saved",
        work_saved_score,
        constant=lambda p: 0.0,
        perfect=lambda p: 0.95 * (1 - p),
        worst=lambda p: -0.05 * (1 - p),
        oracle=saved,
    ),
    Case("work saved at 0.6", work_saved_score, {"recall": 0.6}, slopes="jump"),
]


@looped(
    "y_true, y_score, recall, expected",
    [
        ("1010", "4321", 0.5, 1 / 4),
        ("1010", "4321", 1, 3 / 4),
        ("1010", "4321", 0.75, 5 / 8),
        ("1010", "4321", 0.25, 1 / 8),
        ("1001", "4331", 1, 1),
        ("1010", "3333", 0.3, 0.3),
        ("0110", "3222", 0.5, 1 / 4 + 1 / 2 * 3 / 4),
        ("1" * 19 + "0" * 20 + "1", range(40, 0, -1), 0.95, 19 / 40),
    ],
)
def test_by_hand(y_true, y_score, recall, expected):
    y_true, y_score = [int(y) for y in y_true], [int(s) for s in y_score]
    found = rate_at_recall_score(y_true, y_score, recall=recall)
    assert found == pytest.approx(expected, abs=1e-15)
    saved = work_saved_score(y_true, y_score, recall=recall)
    assert saved == pytest.approx(recall - expected, abs=1e-15)
    precision = precision_at_recall_score(y_true, y_score, recall=recall)
    assert precision == pytest.approx(recall * np.mean(y_true) / expected, abs=1e-15)


def precision_of(groups, recall=0.95):
    if not groups.n_pos:
        return np.nan
    return recall * groups.prevalence / float(rate_at_recall(groups, recall))


def recall_of(groups, precision):
    return float(recall_at_precision(groups, precision))


def is_reached(p, precision):
    return float(p >= precision - 1e-12)


CASES += [
    Case(
        "precision at recall",
        precision_at_recall_score,
        constant=lambda p: p,
        worst=lambda p: 0.95 * p / (1 - 0.05 * p),
        oracle=precision_of,
    ),
    Case(
        "precision at half of the recall",
        precision_at_recall_score,
        {"recall": 0.5},
        constant=lambda p: p,
        worst=lambda p: 0.5 * p / (1 - 0.5 * p),
        oracle=precision_of,
        slopes="jump",
    ),
    Case(
        "recall at precision",
        recall_at_precision_score,
        {"precision": 0.6},
        constant=lambda p: is_reached(p, 0.6),
        worst=lambda p: is_reached(p, 0.6),
        oracle=recall_of,
        slopes="jump",
    ),
]


@each_metric
@looped("value", [0, 1.01, 60, np.nan, "all", True])
def test_a_bad_target_is_named(metric, kwargs, value):
    (name,) = kwargs
    value, span = (
        (1, r"\[0, 1\)") if name == "fpr" and value == 0 else (value, ".0, 1.")
    )
    with pytest.raises(ValueError, match=rf"{name}.*{span}"):
        metric([1, 0, 1, 0], [4, 3, 2, 1], **{name: value})
    for score, name in (
        (recall_at_precision_score, "precision"),
        (recall_at_fpr_score, "fpr"),
    ):
        with pytest.raises(ValueError, match=rf"{name}"):
            score([0, 0, 0], [3, 2, 1])


# --- On the ROC curve ---------------------------------------------------------------

CASES += [
    Case(
        f"recall at an FPR of {fpr}",
        recall_at_fpr_score,
        {"fpr": fpr},
        constant=lambda p, fpr=fpr: fpr,
        oracle=lambda groups, fpr: float(recall_at_fpr(groups, fpr)),
        slopes="jump" if fpr == 0.2 else None,
        needs_negatives=True,
    )
    for fpr in (0.2, 0.05)
]
CASES += [
    Case(
        f"FPR at a recall of {recall}",
        fpr_at_recall_score,
        {"recall": recall},
        constant=lambda p, recall=recall: recall,
        perfect=lambda *_: 0.0,
        worst=lambda *_: 1.0,
        oracle=lambda groups, recall: float(fpr_at_recall(groups, recall)),
        slopes="jump" if recall == 0.5 else None,
        needs_negatives=True,
    )
    for recall in (0.5, 0.95)
]


@looped("seed", range(6))
def test_points_of_the_curve_are_means_over_the_orders_of_ties(seed):
    rng = np.random.default_rng(seed)
    y_true, y_score = np.array([1, 0, 1, 0, 0, 1]), rng.integers(0, 3, 6)
    orders = [
        y_true[list(order)]
        for order in permutations(range(6))
        if (np.diff(y_score[list(order)]) <= 0).all()
    ]
    found = np.cumsum(np.mean(orders, axis=0)) / 3
    passed = np.cumsum(1 - np.mean(orders, axis=0)) / 3
    for k in range(6):
        if passed[k] < 1 - 1e-9:
            highest = found[np.isclose(passed, passed[k])].max()
            at = recall_at_fpr_score(y_true, y_score, fpr=passed[k])
            assert at == pytest.approx(highest, abs=1e-12)
        if found[k] > 1e-9:
            least = passed[np.isclose(found, found[k])].min()
            at = fpr_at_recall_score(y_true, y_score, recall=min(found[k], 1.0))
            assert at == pytest.approx(least, abs=1e-12)


# --- The test that is turned round, literally ----------------------------------------


class Curve:
    """The recall curve of untied cases, by counting."""

    def __init__(self, y_true, y_score):
        order = sorted(range(len(y_true)), key=lambda case: -y_score[case])
        self.places = [k for k, case in enumerate(order) if y_true[case]]
        self.n, self.n_pos = len(y_true), len(self.places)
        self.p = self.n_pos / self.n

    def recall(self, rate):
        """Return the share of the positives found, of one that is cut a part."""
        seen = rate * self.n
        whole = bisect_right(self.places, seen - 1)
        part = 0.0
        if whole < self.n_pos:
            part = min(max(seen - self.places[whole], 0.0), 1.0)
        return (whole + part) / self.n_pos

    def deviation(self, rate, recall, own_rate, found_at, are_fixed):
        """Return how many standard errors the recall is above a true one."""
        p, n_neg = self.p, self.n - self.n_pos
        share = 0.0
        if rate != found_at:
            gain = p * (self.recall(rate) - self.recall(found_at))
            share = min(max(gain / (rate - found_at), 0), 1)
        excess, recall = self.recall(rate) - recall, min(recall, 1.0)
        fpr = min(max((rate - p * recall) / (1 - p), 0), 1)
        variance = (1 - share) ** 2 * recall * (1 - recall) / self.n_pos
        variance += (share * (1 - p) / p) ** 2 * fpr * (1 - fpr) / n_neg
        if not are_fixed:
            moved = share / p * (own_rate + fpr - recall)
            variance += moved**2 * p * (1 - p) / self.n
        if variance == 0:
            return math.copysign(math.inf, excess) if excess else 0.0
        return excess / math.sqrt(variance)


def rates_not_rejected(curve, recall, found_at, quantile, of_precision, are_fixed):
    """Return the first and the last of many rates that are not left out."""
    kept = []
    for k in range(1, 10_001):
        rate = k / 10_000
        own = rate / curve.p if of_precision else 0.0
        found = curve.deviation(rate, recall, own, found_at, are_fixed)
        kept.append((rate, found))
    first = min(rate for rate, found in kept if found >= -quantile)
    return first, max(rate for rate, found in kept if found <= quantile)


def untied(seed, n=120, prevalence=0.4):
    return sample(seed, n=n, prevalence=prevalence, decimals=15)


@looped("seed, recall", [(0, 0.3), (1, 0.8), (0, 0.95)])
@looped("are_fixed", [False, True])
def test_the_interval_is_the_test_turned_round(seed, recall, are_fixed, monkeypatch):
    monkeypatch.setattr("skrate.inference.evaluation.t_quantile", lambda *_: 1.96)
    y_true, y_score = untied(seed)
    curve, options = Curve(y_true, y_score), {"recall": recall, "stratify": are_fixed}
    rate = rate_at_recall_score(y_true, y_score, recall=recall)
    arguments = curve, recall, rate, 1.96
    low, high = rates_not_rejected(*arguments, False, are_fixed)
    found = estimate(rate_at_recall_score, y_true, y_score, **options)
    # As fine as the rates that were gone through.
    assert_allclose(found.confidence_interval, [low, high], rtol=0, atol=3e-4)
    saved = estimate(work_saved_score, y_true, y_score, **options)
    # With fixed class sizes no ranking is worse than one with all negatives first.
    least = recall - (1 - np.mean(y_true) * (1 - recall)) if are_fixed else -1
    expected = [max(recall - high, least), recall - low]
    assert_allclose(saved.confidence_interval, expected, rtol=0, atol=3e-4)
    first, last = rates_not_rejected(*arguments, True, are_fixed)
    expected = [min(curve.p * recall / end, 1) for end in (last, first)]
    if last == 1 and not are_fixed:
        # All are processed: what is left is the prevalence, by Wilson's interval.
        centre = (curve.n_pos + 1.96**2 / 2) / (curve.n + 1.96**2)
        root = math.sqrt(curve.n_pos * (1 - curve.p) + 1.96**2 / 4)
        expected[0] = recall * (centre - 1.96 * root / (curve.n + 1.96**2))
    found = estimate(precision_at_recall_score, y_true, y_score, **options)
    assert_allclose(found.confidence_interval, expected, rtol=0, atol=1e-3)


@looped("seed, precision", [(0, 0.3), (1, 0.5), (0, 0.7), (1, 0.99)])
def test_the_interval_of_a_recall_is_the_test_turned_round(
    seed, precision, monkeypatch
):
    monkeypatch.setattr("skrate.inference.evaluation.t_quantile", lambda *_: 1.96)
    y_true, y_score = untied(seed)
    curve = Curve(y_true, y_score)
    value = recall_at_precision_score(y_true, y_score, precision=precision)
    found_at = min(value * curve.p / precision, 1)
    low = high = 0.0
    for k in range(1, 10_001):
        rate = k / 10_000
        recall = precision * rate / curve.p
        found = curve.deviation(rate, recall, rate / curve.p, found_at, False)
        low = min(recall, 1.0) if found >= 1.96 else low
        high = min(recall, 1.0) if found >= -1.96 else high
    high = 1.0 if high == min(precision / curve.p, 1) else high
    found = estimate(
        recall_at_precision_score, y_true, y_score, precision=precision
    ).confidence_interval
    assert_allclose(found, [min(low, value), max(high, value)], rtol=0, atol=5e-4)


@looped("seed, share", [(0, 0.1), (1, 0.3), (0, 0.8)])
@looped("are_fixed", [False, True])
def test_on_the_roc_curve_it_is_that_of_fixed_class_sizes(
    seed, share, are_fixed, monkeypatch
):
    monkeypatch.setattr("skrate.inference.evaluation.t_quantile", lambda *_: 1.96)
    y_true, y_score = untied(seed)
    curve = Curve(y_true, y_score)
    rate = rate_at_recall_score(y_true, y_score, recall=share)
    ends = rates_not_rejected(curve, share, rate, 1.96, False, True)
    expected = [(end - curve.p * share) / (1 - curve.p) for end in ends]
    found = estimate(
        fpr_at_recall_score, y_true, y_score, recall=share, stratify=are_fixed
    )
    assert_allclose(found.confidence_interval, expected, rtol=0, atol=5e-4)
    other = estimate(
        recall_at_fpr_score, 1 - y_true, -y_score, fpr=1 - share, stratify=are_fixed
    )
    assert other.standard_error == pytest.approx(found.standard_error, rel=1e-9)
    # Student's t is of the degrees of freedom of the positives.
    assert_allclose(1 - np.array(other.confidence_interval)[::-1], expected, atol=5e-4)


@pytest.mark.slow
def test_the_prevalence_varies_where_all_may_have_to_be_processed():
    design = Design(400, 0.1, 0.7)
    n_simulations = 150
    found = misses(precision_at_recall_score, design, n_simulations, recall=0.95)
    assert found.above <= 0.025 + binomial_tolerance(0.025, n_simulations)


# --- Slopes --------------------------------------------------------------------------


@each_metric
def test_slopes_are_derivatives_where_the_neighbours_of_the_cut_tie(metric, kwargs):
    # Groups are far wider than the bandwidth.
    pos = np.array([4e6, 3e6, 2e6, 1e6])
    neg = np.array([1e6, 3e6, 8e6, 20e6])
    of = find_metric(metric, kwargs)
    table = RankTable(pos, neg)
    slopes = of.slopes(table)
    p, n_pos, n_neg = table.prevalence, pos.sum(), neg.sum()
    by_pos = (slopes.by_pos - slopes.by_pos @ pos / n_pos) / n_pos
    by_pos += slopes.by_prevalence * (1 - p) / table.total
    by_neg = (slopes.by_neg - slopes.by_neg @ neg / n_neg) / n_neg
    by_neg -= slopes.by_prevalence * p / table.total
    for k in range(4):
        step = 100.0 * (np.arange(4) == k)
        of_pos = of.value(RankTable(pos + step, neg)) - of.value(
            RankTable(pos - step, neg)
        )
        of_neg = of.value(RankTable(pos, neg + step)) - of.value(
            RankTable(pos, neg - step)
        )
        assert by_pos[k] == pytest.approx(of_pos / 200, rel=1e-5, abs=1e-14)
        assert by_neg[k] == pytest.approx(of_neg / 200, rel=1e-5, abs=1e-14)


def test_where_everything_is_needed_nothing_moves_the_rate():
    y_true, y_score = np.repeat([0, 1], [30, 20]), -np.arange(50)
    full = estimate(rate_at_recall_score, y_true, y_score, recall=1)
    assert full.value == 1
    assert full.standard_error == 0
    assert full.confidence_interval.high == 1
    assert full.confidence_interval.low > 0.9
    for precision, value in ((0.2, 1.0), (0.5, 0.0)):
        found = estimate(
            recall_at_precision_score, y_true, y_score, precision=precision
        )
        assert (found.value, found.standard_error) == (value, 0)
        assert found.confidence_interval.low < found.confidence_interval.high


# --- Guarantees ----------------------------------------------------------------------

# The short form takes every third design.
CHOSEN = list(DESIGNS) if simulations(10) > 1 else list(DESIGNS)[::3]


@pytest.mark.slow
@looped("name", CHOSEN)
def test_few_reviewers_stop_too_early(name):
    n_simulations = simulations(500)
    for recall in (0.8, 0.95):
        found = misses(
            rate_at_recall_score, DESIGNS[name], n_simulations, recall=recall
        )
        # The upper end is below the true rate.
        assert found.below <= 0.03 + binomial_tolerance(0.03, n_simulations)
        assert found.above <= 0.05 + binomial_tolerance(0.05, n_simulations)


@pytest.mark.slow
@looped("name", CHOSEN)
def test_intervals_on_the_roc_curve_cover(name):
    design, n_simulations = DESIGNS[name], simulations(500)
    for metric, options in (
        (recall_at_fpr_score, {"fpr": 0.05}),
        (recall_at_fpr_score, {"fpr": 0.2}),
        (fpr_at_recall_score, {"recall": 0.8}),
    ):
        found = misses(metric, design, n_simulations, **options)
        assert found.below + found.above <= 0.06 + binomial_tolerance(
            0.06, n_simulations
        )


@pytest.mark.slow
@each_metric
def test_the_standard_error_is_the_spread_over_samples(metric, kwargs):
    rng = np.random.default_rng(3)

    def drawn(_):
        y_true = rng.random(2000) < 0.2
        return estimate(metric, y_true, rng.normal(size=2000) + 1.5 * y_true, **kwargs)

    # What the bandwidth blurs.
    assert_errors_are_the_spread(simulated(400, drawn), slack=0.1)


@pytest.mark.slow
@each_metric
def test_paired_tests_keep_their_level_and_have_power(metric, kwargs):
    def test(*samples):
        return compare(metric, *samples[:3], **kwargs)

    labels, losses = (lambda rng: rng.random(1000) < 0.3), (0.5, 3.0)
    assert_level_and_power(test, 400, labels, 1.5, losses, at_least=0)


def a_pair(seed, n, shift):
    """Return labels and scores of two models that are equally good."""
    rng = np.random.default_rng(seed)
    y_true = np.arange(n) % 2
    common, *own = rng.normal(size=(3, n)) + shift * y_true / 2
    return y_true, *(common + one for one in own)


# Of 600 cases some 280 positives are above the cut, with 2.8 negatives or 31.
@looped("precision, is_warned", [(0.99, True), (0.9, False)])
@looped("method", ["delta", "bootstrap", "permutation"])
def test_few_negatives_above_the_cut_are_warned_of(precision, is_warned, method):
    samples = a_pair(0, 600, 4)
    options = {"precision": precision, "method": method, "n_resamples": 20}
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compare(recall_at_precision_score, *samples, random_state=0, **options)
    about = [one for one in found if " negatives above the cut" in str(one.message)]
    assert len(about) == (is_warned and method != "permutation")
    assert all("method='permutation'" in str(one.message) for one in about)
    assert all(one.filename == __file__ for one in about)


# 79 positives leave 7.9 of them, 80 leave 8; so does a recall of 0.1.
@looped("recall", [0.9, 0.1])
@looped("n_pos", [79, 80])
@looped("metric", [rate_at_recall_score, precision_at_recall_score])
def test_few_positives_beside_the_cut_are_warned_of(metric, n_pos, recall):
    rng = np.random.default_rng(n_pos)
    y_true = np.repeat([1, 0], [n_pos, 200])
    a, b = rng.normal(size=(2, len(y_true))) + y_true
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compare(metric, y_true, a, b, recall=recall)
        compare(
            metric, y_true, a, b, recall=recall, method="permutation", n_resamples=9
        )
    assert len(found) == (n_pos == 79)
    side = "missed" if recall == 0.9 else "found"
    assert all(f"7.9 of 79 positives are {side}" in str(o.message) for o in found)
    assert all(one.filename == __file__ for one in found)


# 160 negatives leave 8 above the cut.
@looped("n_neg", [159, 160])
def test_few_negatives_beside_the_cut_are_warned_of(n_neg):
    rng = np.random.default_rng(n_neg)
    y_true = np.repeat([1, 0], [100, n_neg])
    a, b = rng.normal(size=(2, len(y_true))) + y_true
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compare(recall_at_fpr_score, y_true, a, b, fpr=0.05)
    about = "7.95 of 159 negatives are above the cut (fewer than 8)"
    assert [about in str(one.message) for one in found] == [True] * (n_neg == 159)


@looped("n_neg, is_warned", [(299, True), (300, False)])
def test_fewer_than_three_negatives_above_the_cut_are_warned_of(n_neg, is_warned):
    y_true = np.arange(n_neg + 20) < 20
    y_score = np.random.default_rng(0).normal(size=n_neg + 20) + y_true
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimate("recall_at_fpr", y_true, y_score, fpr=0.01)
        recall_at_fpr_score(y_true, y_score, fpr=0.01)
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == is_warned
    if is_warned:
        assert "2.99" in messages[0]
        assert "300" in messages[0]


@pytest.mark.slow
def test_permutations_keep_the_level_where_few_negatives_are_above_the_cut():
    options = {"precision": 0.99, "method": "permutation", "n_resamples": 200}

    def rejects(seed):
        pair, score = a_pair(seed, 300, 4), recall_at_precision_score
        return compare(score, *pair, random_state=seed, **options).pvalue < 0.05

    assert_share(simulated(400, rejects), at_most=0.05)


def test_a_share_at_the_cut_that_is_the_precision_but_for_rounding():
    y_true, y_score = [1, 0, 0, 1, 0], [3, 2, 0, 1, 2]
    found = estimate("recall_at_precision", y_true, y_score, precision=0.5)
    jackknife = estimate(
        "recall_at_precision", y_true, y_score, precision=0.5, method="jackknife"
    )
    assert found.value == 1
    assert found.standard_error < jackknife.standard_error
