"""Averaging at equal rate: the curve, reading it, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from looped import looped
from skrate import (
    FoldRankings,
    RankTable,
    rate_averaged_roc_curve,
    recall_at_rate_score,
)
from strategies import ranked_samples

Y = [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]]
S = [[0.9, 0.8, 0.4, 0.3, 0.1], [0.7, 0.6, 0.5, 0.2, 0.1]]

TABLES = [RankTable.from_arrays(*fold) for fold in zip(Y, S, strict=True)]
LARGE = [RankTable([5 * 10**9] * 2, [0, 10**9])] * 2


def fold_lists(**kwargs):
    return st.lists(ranked_samples(**kwargs), min_size=1, max_size=4)


def random_folds(seed, sizes, shift=1.0):
    rng = np.random.default_rng(seed)
    y = [np.repeat([1, 0], size) for size in sizes]
    return y, [rng.normal(size=len(fold)) + shift * fold for fold in y]


@looped(
    "y_trues, y_scores, expected_rates, tpr, fpr",
    [
        (Y, S, np.arange(6) / 5,
         [0, 2 / 4, 3 / 4, 4 / 4, 1, 1], [0, 0, 1 / 6, 2 / 6, 4 / 6, 1]),
        # Three cases tie.
        ([[1, 0, 1, 0]], [[1, 1, 1, 0]], np.arange(5) / 4,
         [0, 1 / 3, 2 / 3, 1, 1], [0, 1 / 6, 2 / 6, 3 / 6, 1]),
        # A half of the positive of the first fold, one of two of the second.
        ([[1, 0], [1, 1, 0, 0]], [[2, 1], [2, 4, 3, 1]], [0.0, 0.25, 0.5, 1.0],
         [0, (0.5 + 1) / 3, (1 + 1) / 3, 1], [0, 0, (0 + 1) / 3, 1]),
    ],
)  # fmt: skip
def test_curve_by_hand(y_trues, y_scores, expected_rates, tpr, fpr):
    curve = rate_averaged_roc_curve(
        y_trues, y_scores, rates=expected_rates, bounds=None
    )
    assert curve.rates == pytest.approx(expected_rates)
    assert curve.tpr == pytest.approx(tpr)
    assert curve.fpr == pytest.approx(fpr)
    assert curve.confidence_interval is None


@given(fold_lists())
def test_curve_pools_the_recall_of_the_folds(folds):
    rates, n_pos = np.array([0.1, 0.5, 0.77]), sum(f.y_true.sum() for f in folds)
    y_trues, y_scores, _ = zip(*folds, strict=True)
    curve = rate_averaged_roc_curve(y_trues, y_scores, rates=rates, bounds=None)
    for rate, tpr in zip(rates, curve.tpr, strict=True):
        found = sum(
            recall_at_rate_score(f.y_true, f.y_score, rate=rate) * f.y_true.sum()
            for f in folds
        )
        assert tpr == pytest.approx(found / n_pos)
    p = curve.prevalence
    assert p * curve.tpr + (1 - p) * curve.fpr == pytest.approx(rates)


def test_default_rates_are_one_per_case_up_to_200():
    y, scores = random_folds(3, [(5, 15)] * 2)
    assert rate_averaged_roc_curve(y, scores).rates.tolist() == [
        k / 20 for k in range(21)
    ]
    uneven = rate_averaged_roc_curve(*random_folds(3, [(5, 15), (5, 16)]), bounds=None)
    long = rate_averaged_roc_curve(*random_folds(3, [(50, 250)]), bounds=None)
    for curve in (uneven, long):
        assert curve.rates.tolist() == [k / 200 for k in range(201)]


def test_default_rates_are_finer_at_the_end_where_the_rare_class_is():
    rates_of = [
        rate_averaged_roc_curve(*random_folds(3, [sizes]), bounds=None).rates
        for sizes in ((4, 396), (396, 4))
    ]
    for found, end in zip(rates_of, (0.01, 0.99), strict=True):
        finer = np.linspace(end - 0.01, end + 0.01, 21)
        assert np.abs(found[:, None] - finer).min(axis=0).max() < 1e-12
    assert np.allclose(rates_of[1], 1 - rates_of[0][::-1], rtol=0, atol=1e-12)


def test_the_curve_is_read_in_both_directions():
    y, scores = random_folds(4, [(20, 30)] * 5)
    curve = rate_averaged_roc_curve(
        y, scores, band="simultaneous", n_resamples=200, random_state=0
    )
    recall = curve.recall_at_rate(0.3)
    assert recall.value == curve.tpr[15]
    low, high = (bound.tpr for bound in curve.confidence_interval)
    assert recall.confidence_interval == (low[15], high[15])
    between = curve.recall_at_rate(0.31).confidence_interval
    assert between.low == pytest.approx(np.mean(low[15:17]))
    for asked in (0.0, 0.5, 0.95, 1.0):
        rate = curve.rate_at_recall(asked)
        sooner, later = rate.confidence_interval
        assert sooner <= rate.value <= later
        assert curve.recall_at_rate(rate.value).value == pytest.approx(asked)
        assert np.interp(later, curve.rates, low) >= asked - 1e-9
        if sooner > 0:
            assert np.interp(sooner - 1e-6, curve.rates, high) < asked


def test_reading_back_takes_the_first_rate_of_a_flat_piece():
    curve = rate_averaged_roc_curve([[1, 0, 0, 1]], [[4, 3, 2, 1]], bounds=None)
    rate = curve.rate_at_recall(0.5)
    assert rate.value == 0.25
    assert np.isnan(rate.confidence_interval).all()
    assert np.isnan(curve.recall_at_rate(0.5).confidence_interval).all()


def test_bounds_are_not_read_where_there_are_none():
    y, scores = random_folds(4, [(20, 30)] * 5)
    curve = rate_averaged_roc_curve(y, scores, rates=[0.1, 0.2], bounds="beta")
    assert np.isnan(curve.recall_at_rate(0.5).confidence_interval.low)
    assert np.isnan(curve.rate_at_recall(1).confidence_interval.high)


def test_a_fold_of_one_class_is_left_out_with_a_warning():
    y_trues, y_scores = [*Y, [0, 0]], [*S, [1, 2]]
    with pytest.warns(UndefinedMetricWarning, match="1 of 3"):
        curve = rate_averaged_roc_curve(y_trues, y_scores)
    assert curve.tpr.tolist() == rate_averaged_roc_curve(Y, S).tpr.tolist()
    assert curve.n_folds == 2


@looped(
    "change, match",
    [
        ({"augment": 2}, r"augment.*True.*False.*2"),
        ({"y_scores": S[:1]}, r"y_scores.*1.*2"),
        ({"sample_weight": [[1] * 5]}, r"sample_weight.*1.*2"),
        ({"sample_weight": [[1] * 5, [1] * 4]}, r"1.*sample_weight.*4"),
        ({"sample_weight": [[1] * 5, [-1] * 5]}, r"Fold 1.*sample_weight.*-1"),
        ({"y_trues": Y[0], "y_scores": S[0]}, "y_true"),
        ({"sample_weight": np.array(1)}, "sample_weight"),
        ({"y_trues": "ab"}, "y_trues"),
        ({"y_trues": [], "y_scores": []}, "y_trues"),
        ({"y_trues": [Y[0], []], "y_scores": [S[0], []]}, r"1.*y_true"),
        ({"y_scores": [S[0], [1, 2]]}, r"Fold 1.*y_true.*5.*y_score.*2"),
        ({"y_scores": [S[0], [np.nan] * 5]}, r"1.*y_score.*NaN"),
        ({"y_trues": [[1] * 5, [0] * 5]}, "None of the 2"),
        ({"rates": [0.1, 1.2]}, r"rates.*0.*1.*1\.2"),
        ({"rates": [-0.1, 0.2]}, r"rates.*0.*1.*-0\.1"),
        ({"rates": [0.1, 0.3, 0.2]}, r"rates.*0\.2.*0\.3"),
        ({"rates": [0.1, 0.1]}, "rates"),
        ({"rates": []}, "rates"),
        ({"rates": [np.nan]}, r"rates.*NaN"),
        ({"bounds": "exakt"}, r"bounds.*'exakt'"),
        ({"y_trues": TABLES}, r"y_scores.*None.*y_trues.*RankTable"),
        ({"y_trues": [TABLES[0], Y[1]]}, r"y_trues.*2.*1"),
        ({"y_trues": TABLES[0]}, r"y_trues.*RankTable"),
        ({"y_trues": TABLES, "y_scores": None, "pos_label": 1},
         r"pos_label.*None.*y_trues.*RankTable"),
        ({"y_trues": [*TABLES, RankTable([0.5, 1], [1, 2])], "y_scores": None},
         r"bounds='exact'.*RankTable"),
        ({"y_trues": LARGE, "y_scores": None}, r"bounds='exact'.*22,000,000,000"),
        ({"y_trues": LARGE, "y_scores": None, "bounds": "parametric"}, "parametric"),
        ({"y_trues": LARGE[:1], "y_scores": None, "bounds": "bootstrap"}, "bootstrap"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"n_resamples": 0}, r"n_resamples.*1"),
        ({"random_state": "x"}, "random_state"),
        ({"sample_weight": [[1, 2, 1, 1, 1]] * 2}, "bounds='exact'"),
        ({"y_trues": Y[:1], "y_scores": S[:1], "bounds": "normal"},
         "bounds='normal'"),
    ],
)  # fmt: skip
def test_bad_input_is_named(change, match):
    arguments = {"y_trues": Y, "y_scores": S, **change}
    with pytest.raises(ValueError, match=match):
        rate_averaged_roc_curve(**arguments)


def drawn_folds(weighted):
    rng = np.random.default_rng(11)
    y, scores = random_folds(5, [(8, 12), (9, 20), (7, 13)])
    scores = [np.round(fold, 1) for fold in scores]
    weights = [rng.uniform(1, 3, len(fold)) for fold in y] if weighted else None
    each = zip(y, scores, weights or [None] * 3, strict=True)
    tables = [RankTable.from_arrays(a, b, sample_weight=w) for a, b, w in each]
    return (y, scores, weights), tables


@looped(
    "options",
    [
        {},
        {"bounds": "parametric"},
        {"bounds": "bootstrap", "n_resamples": 50, "random_state": 0},
        {"band": "simultaneous", "n_resamples": 50, "random_state": 0},
        {"bounds": "beta", "repeats": [0, 0, 0]},
    ],
)
def test_tables_and_rankings_of_folds_have_the_curve_of_their_cases(options):
    (y, scores, _), tables = drawn_folds(weighted=False)
    expected = rate_averaged_roc_curve(y, scores, **options).to_dict()
    assert rate_averaged_roc_curve(tables, **options).to_dict() == expected
    if "repeats" not in options:
        fold = np.repeat([0, 1, 2], list(map(len, y)))
        rankings = FoldRankings(np.concatenate(y), np.concatenate(scores), fold)
        assert rate_averaged_roc_curve(rankings, **options).to_dict() == expected
