"""The hit curve, as points."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given

from fold_cases import by_fold, drawn_folds
from looped import looped
from skrate import FoldRankings, RankTable, hit_curve
from strategies import ranked_samples


@looped(
    "y_true, y_score, rates, hits",
    [
        ([1, 0], [2, 1], [0, 0.5, 1], [0, 0.5, 0.5]),
        ([0, 1], [2, 1], [0, 0.5, 1], [0, 0, 0.5]),
        ([1, 0, 0, 1], [3, 3, 3, 3], [0, 1], [0, 0.5]),
        ([1, 0, 1, 0], [3, 2, 2, 1], [0, 0.25, 0.75, 1], [0, 0.25, 0.5, 0.5]),
        ([0, 0], [2, 1], [0, 0.5, 1], [0, 0, 0]),
    ],
)
def test_by_hand(y_true, y_score, rates, hits):
    found = hit_curve(y_true, y_score)
    assert np.array_equal(found, (rates, hits))


@looped(
    "options, rates, gains",
    [
        ({"gain": [8, -4, 2, 2]}, [0, 0.25, 0.75, 1], [0, 2, 1.5, 2]),
        ({"gain": {"positive": 8, "negative": -4}}, [0, 0.25, 0.75, 1], [0, 2, 3, 2]),
        ({"cost": [1, 0, 2, 1]}, [0, 0.25, 0.75, 1], [0, 0.25, 0.5, 0.5]),
        ({"gain": [8, 1, 2, 3], "cost": [0, 1, 3, 0]}, [0, 0, 1, 1], [0, 2, 2.75, 3.5]),
        ({"gain": [8, 1, 2, 3], "sample_weight": [3, 0, 0, 3]},
         [0, 0.5, 1], [0, 4, 5.5]),
    ],
)  # fmt: skip
def test_gain_by_hand(options, rates, gains):
    found = hit_curve([1, 0, 1, 0], [3, 2, 2, 1], **options)
    assert found[0].tolist() == rates
    assert found[1].tolist() == gains


def mean_of_folds(folds, curve):
    """Return the rates at which a fold has a point, and the mean of their curves."""
    curves = [curve(*fold) for fold in folds]
    rates = sorted({rate for points, _ in curves for rate in points})
    sizes = [len(labels) for labels, *_ in folds]
    pairs = list(zip(sizes, curves, strict=True))
    means = [
        sum(n * np.interp(rate, *points) for n, points in pairs) / sum(sizes)
        for rate in rates
    ]
    return np.array(rates), np.array(means)


def test_of_folds_it_is_their_mean_at_equal_rate():
    y_true, a, _, fold = drawn_folds()
    # A fold of one class, whose curve is known as well.
    y_true[fold == 3] = False
    rankings = FoldRankings(y_true, a, fold)
    folds = list(zip(*by_fold(fold, y_true, a), strict=True))
    rates, hits = mean_of_folds(folds, hit_curve)
    found = hit_curve(rankings)
    assert len(found[0]) == len(rates)
    assert np.allclose(found, (rates, hits), rtol=0, atol=1e-12)
    gain = {"positive": 5, "negative": -2}
    rates, gains = mean_of_folds(folds, partial(hit_curve, gain=gain))
    found = hit_curve(rankings, gain=gain)
    assert np.allclose(found, (rates, gains), rtol=0, atol=1e-12)


@given(ranked_samples(weighted=True))
def test_one_fold_is_a_ranking_and_weights_count_within_and_between_folds(sample):
    y_true, y_score, weights = sample
    options = {"sample_weight": weights}
    one = FoldRankings(y_true, y_score, np.zeros(len(y_true)), **options)
    expected = hit_curve(y_true, y_score, **options)
    assert np.allclose(hit_curve(one), expected, rtol=0, atol=1e-12)
    parts = [np.tile(values, 2) for values in (y_true, y_score)]
    fold = np.repeat([0, 1], len(y_true))
    both = FoldRankings(*parts, fold, sample_weight=np.append(weights, 3 * weights))
    assert np.allclose(hit_curve(both), expected, rtol=0, atol=1e-12)


def test_gains_and_costs_of_cases_are_not_known_of_folds():
    rankings = FoldRankings([1, 0, 1, 0], range(4), [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"y_score.*None.*y_true"):
        hit_curve(RankTable([1, 0], [0, 1]), [2, 1])
    with pytest.raises(ValueError, match="y_score"):
        hit_curve([1, 0])
    for options in ({"gain": [1, 2, 3, 4]}, {"cost": [1, 2, 3, 4]}):
        with pytest.raises(ValueError, match="gain"):
            hit_curve(rankings, **options)
    with pytest.raises(ValueError, match=r"y_score.*None.*y_true"):
        hit_curve(rankings, [1, 2, 3, 4])
