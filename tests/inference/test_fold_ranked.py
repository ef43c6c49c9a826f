"""Folds as one sample, each cut at the same rate: report cards by literal loops."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarantees import assert_share, held, simulated
from reference.budget_card import card_of_folds
from simulated_intervals import Setting, draw, population
from skrate import FoldRankings, budget_report, rates
from skrate.inference.curve_evaluation import curve_process
from skrate.inference.prediction import ExpectedHits
from skrate.inference.rankings import add_fold_groups, check_samples, pool_folds
from skrate.inference.variance import class_influence, influence_parts, influence_values
from skrate.metrics.at_rate import LiftAtRate, PrecisionAtRate, RecallAtRate
from strategies import ranked_samples

BUDGET = [(Fraction(1, 8), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 2))]
RATE = rates.empirical([0.125, 0.5])
POINTS, MASSES = np.array([0.125, 0.5]), np.array([0.5, 0.5])
AT_RATE = {
    "hits": ExpectedHits,
    "recall": RecallAtRate,
    "precision": PrecisionAtRate,
    "lift": LiftAtRate,
}


def drawn(n=300, n_folds=4, seed=0, tied=False):
    """Return labels, scores that no two folds compare, and folds of other sizes."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < 0.2
    y_score = rng.normal(size=n) + 1.5 * y_true
    if tied:
        y_score = np.round(y_score)
    fold = rng.integers(0, n_folds, size=n) // rng.integers(1, 3, size=n)
    return y_true, y_score + 10 * fold, fold


def same_report(one, other, rel=1e-9):
    for row, expected in zip(one, other, strict=True):
        assert row.value == pytest.approx(expected.value, rel=rel)
        assert row.chance == pytest.approx(expected.chance, rel=rel)
        assert row.pvalue == pytest.approx(expected.pvalue, rel=1e-6)
        ends = expected.confidence_interval
        assert row.confidence_interval == pytest.approx(ends, rel=rel)
        assert row.prediction_interval == expected.prediction_interval


@pytest.mark.filterwarnings("ignore:.* cuts each fold by itself")
@given(ranked_samples(min_size=8), st.integers(0, 2**16))
def test_quantities_are_those_of_a_loop_over_folds(ranked, seed):
    y_true, y_score, _ = ranked
    if min(y_true.sum(), (1 - y_true).sum()) < 2:
        return
    # Some folds hold one class, or one case.
    fold = np.random.default_rng(seed).integers(0, 3, len(y_true))
    sizes = np.bincount(fold)
    if np.mean(RATE.mean() * sizes[sizes > 0] < 0.5) > 0.5:
        return
    report = budget_report(FoldRankings(y_true, y_score, fold), rate=RATE)
    parts = [
        [values[fold == number].tolist() for number in np.unique(fold)]
        for values in (y_true, y_score)
    ]
    for quantity, expected in card_of_folds(*parts, BUDGET).items():
        row = report[quantity]
        assert row.value == pytest.approx(float(expected), abs=1e-12)
        low, high = row.confidence_interval
        assert low <= row.value <= high


@pytest.mark.parametrize("metric", AT_RATE)
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("design", ["cases", "frequency", "sampling", "clusters"])
def test_the_error_is_that_of_the_curve_with_each_fold_cut_alone(metric, tied, design):
    y_true, y_score, fold = drawn(tied=tied)
    rng = np.random.default_rng(1)
    given = {
        "cases": {},
        "frequency": {"sample_weight": rng.integers(0, 3, 300)},
        "sampling": {"sample_weight": rng.random(300)},
        "clusters": {"clusters": rng.integers(0, 60, 300)},
    }[design]
    kind = {"weights": "sampling"} if design == "sampling" else {}
    samples = check_samples(y_true, **given, **kind).add_scores("y_score", y_score)
    sample = pool_folds(FoldRankings(y_true, y_score, fold, **given), **kind)
    if design == "clusters":
        samples = add_fold_groups(samples, samples.clusters, sample.folds)
    curve = curve_process(metric, [replace(samples, folds=sample.folds)], POINTS)
    found = AT_RATE[metric](RATE)
    assert found.value(sample.table) == pytest.approx(curve.values @ MASSES)
    variance = influence_parts(influence_values(found, sample), sample).total
    assert variance == pytest.approx(MASSES @ curve.covariance @ MASSES, rel=1e-9)


def test_a_case_of_several_repeats_counts_once():
    y_true, y_score, fold = drawn(n=120)
    twice = FoldRankings(
        np.tile(y_true, 2),
        np.tile(y_score, 2),
        np.append(fold, 10 + fold),
        indices=np.tile(np.arange(120), 2),
    )
    once = FoldRankings(y_true, y_score, fold, clusters=np.arange(120))
    options = {"rate": rates.beta(3, 19), "n_items": 500}
    found, expected = (budget_report(one, **options) for one in (twice, once))
    same_report(found, expected)
    assert budget_report(twice, rate=0.2).n_samples == 120
    weighted = FoldRankings(
        twice.y_true,
        twice.y_score,
        twice.fold,
        indices=twice.indices,
        sample_weight=np.tile(np.linspace(1, 2, 120), 2),
    )
    with pytest.raises(ValueError, match=r"weights.*'?sampling.*2"):
        budget_report(weighted, rate=0.2, weights="sampling")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda one, _: ((one, [1, 2]), {}), r"y_score.*None.*y_true"),
        (lambda one, _: ((one,), {"clusters": [1]}), r"clusters.*None"),
        (lambda one, other: ((one, {"b": other}), {}), r"y_score.*None.*y_true"),
        (lambda one, _: ((one.y_true, {"a": one}), {}), r"y_score\['a'\].*Rankings"),
        (
            lambda one, other: (({"a": one, "b": other},), {}),
            r"y_true.*'b'.*y_true.*'a'",
        ),
        (lambda one, _: (({"a": one, "b": [1, 2]},), {}), r"y_true.*'b'.*FoldRankings"),
        (lambda one, _: (({1: one, "1": one},), {}), r"y_true.*'1', '1'"),
    ],
)
def test_what_does_not_go_with_rankings_is_refused(call, message):
    y_true, y_score, fold = drawn()
    one = FoldRankings(y_true, y_score, fold)
    args, keywords = call(one, FoldRankings(y_true, y_score, (fold + 1) % 3))
    with pytest.raises(ValueError, match=message):
        budget_report(*args, rate=0.2, **keywords)


@pytest.mark.slow
@pytest.mark.parametrize("distribution", [rates.fixed(0.2), rates.beta(3, 19)])
def test_intervals_of_counts_hold_what_one_queue_of_many_finds(distribution):
    generator, setting = np.random.default_rng(0), Setting("normal", 0.8, 500, 0.1)
    hits = ExpectedHits(distribution).value(population(setting))
    truth = np.array([hits, setting.prevalence - hits, hits / setting.prevalence])

    def drawn(_):
        y_true, y_score = draw(generator, setting)
        fold = np.empty(len(y_true), dtype=int)
        for label in (0, 1):
            chosen = np.flatnonzero(y_true == label)
            fold[chosen] = np.arange(len(chosen)) % 5
        rankings = FoldRankings(y_true, y_score - 10 * fold, fold)
        report = budget_report(rankings, rate=distribution, n_items=1)
        rows = [report[name] for name in ("found", "missed", "recall")]
        return [row.confidence_interval for row in rows]

    assert_share(held(simulated(400, drawn), truth), at_least=0.92)


def test_influence_of_either_class_in_folds():
    y_true, y_score, fold = drawn(tied=True)
    weight = np.random.default_rng(1).choice([1.0, 20.0], len(fold), p=[0.95, 0.05])
    rankings = FoldRankings(y_true, y_score, fold, sample_weight=weight)
    sample = pool_folds(rankings, weights="sampling")
    as_neg, as_pos = class_influence(RecallAtRate(RATE), sample)
    np.testing.assert_allclose(
        np.where(y_true, as_pos, as_neg),
        influence_values(RecallAtRate(RATE), sample),
        rtol=1e-12,
        atol=1e-12,
    )
    # Few samples of each class are heavy: some may be missing.
    options = {"rate": RATE, "reference": "a", "weights": "sampling"}
    other = FoldRankings(y_true, -y_score, fold, sample_weight=weight)
    report = budget_report({"a": rankings, "b": other}, **options)
    assert np.isfinite(report.rows[-1].confidence_interval).all()
