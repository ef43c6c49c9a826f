"""Properties of all bounds, and the analytic ones against enumeration."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from looped import looped
from reference.count_law import (
    central_interval,
    convolved,
    count_law,
    pooled_distribution,
)
from reference.shared_curve import HALF, expected_count, shared_cells
from simulated_folds import high_of, low_of
from skrate import rate_averaged_roc_curve
from skrate.curves import bounds as pooled_bounds
from skrate.curves.fold_tables import Folds
from skrate.data.table import rank_table
from strategies import ranked_samples

ALL = ["exact", "parametric", "bootstrap", "bootstrap-adjusted", "normal", "beta"]
several_folds = st.lists(ranked_samples(max_size=12), min_size=2, max_size=4)


def curve_of(folds, bounds, **kwargs):
    kwargs = {"n_resamples": 50, "random_state": 0, **kwargs}
    y_trues, y_scores = zip(*[(f[0], f[1]) for f in folds], strict=True)
    return rate_averaged_roc_curve(y_trues, y_scores, bounds=bounds, **kwargs)


def random_folds(seed, n_folds, n_pos, n_neg):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_neg])
    return [(y, rng.normal(size=len(y)) + y) for _ in range(n_folds)]


@settings(max_examples=8)
@given(folds=several_folds)
@looped("bounds", ALL)
def test_bounds_hold_the_consensus_and_lie_within_what_is_reachable(folds, bounds):
    curve = curve_of(folds, bounds, rates=np.linspace(0, 1, 14), confidence_level=0.5)
    least, most = np.zeros(14), np.zeros(14)
    for y, *_ in folds:
        processed = curve.rates * len(y)
        least += np.maximum(processed - np.sum(y == 0), 0)
        most += np.minimum(processed, np.sum(y))
    low, high = curve.confidence_interval
    assert np.all(low.tpr <= curve.tpr + 1e-12)
    assert np.all(high.tpr >= curve.tpr - 1e-12)
    p, n_pos = curve.prevalence, sum(np.sum(y) for y, *_ in folds)
    for bound in (low, high):
        # On the isometrics, which meet at both ends.
        assert p * bound.tpr + (1 - p) * bound.fpr == pytest.approx(curve.rates)
        ends = bound.tpr[[0, -1]], bound.fpr[[0, -1]]
        assert np.allclose(ends, [0, 1], rtol=0, atol=1e-12)
        # "normal" may leave what is reachable, which its documentation says.
        if bounds != "normal":
            assert np.all(bound.tpr >= least / n_pos - 1e-9)
            assert np.all(bound.tpr <= most / n_pos + 1e-9)
            assert np.all((bound.fpr >= -1e-9) & (bound.fpr <= 1 + 1e-9))


def with_one_more(masses):
    """Return the cases of a class by cell: one more, half before and half behind."""
    return [HALF, *masses.tolist(), HALF]


@looped("level", [0.5, 0.95])
@looped(
    "n_folds, n_pos, n_neg, part",
    [(3, 2, 3, 0), (2, 3, 4, 0), (3, 3, 2, Fraction(1, 4)), (1, 2, 4, Fraction(1, 2))],
)
def test_exact_bounds_are_those_of_the_enumeration(n_folds, n_pos, n_neg, part, level):
    folds = random_folds(2, n_folds, n_pos, n_neg)
    n = n_pos + n_neg
    ks = np.arange(n + (part == 0)) + float(part)
    curve = curve_of(folds, "exact", rates=ks / n, confidence_level=level)
    ranked = np.sum([y[np.argsort(-s)] for y, s in folds], axis=0)
    pos, neg = with_one_more(ranked), with_one_more(n_folds - ranked)
    total = n_folds * n_pos
    for i, k in enumerate(ks.astype(int)):
        distribution = pooled_distribution(
            count_law(pos, neg, n_pos, n_neg, int(k)), n_folds, part
        )
        low, high = central_interval(
            distribution, Fraction(level).limit_denominator(100)
        )
        found = curve.tpr[i] * total
        assert low_of(curve)[i] * total == pytest.approx(min(float(low), found))
        assert high_of(curve)[i] * total == pytest.approx(max(float(high), found))


@looped("level", [0.5, 0.95])
@looped("orders", ["1000 0110", "0100 1110", "0001 1101 0011"])
def test_exact_bounds_of_folds_of_several_prevalences_are_moved_to_the_consensus(
    orders, level
):
    labels = [[int(label) for label in order] for order in orders.split()]
    folds = [[(label, 1 - label) for label in own] for own in labels]
    curve = curve_of(
        [(own, [4, 3, 2, 1]) for own in labels], "exact", confidence_level=level
    )
    assert curve.rates.tolist() == [0, 0.25, 0.5, 0.75, 1]
    pos, neg = shared_cells(folds)
    total = sum(map(sum, labels))
    for k in range(1, 4):
        distribution = {Fraction(0): Fraction(1)}
        for own in labels:
            single = count_law(pos, neg, sum(own), 4 - sum(own), k)
            distribution = convolved(distribution, pooled_distribution(single, 1))
        low, high = central_interval(
            distribution, Fraction(level).limit_denominator(100)
        )
        found = sum(sum(own[:k]) for own in labels)
        move = found - expected_count(folds, Fraction(k, 4))
        low, high = low + move, high + move
        # The end that came nearer stays behind by up to a case.
        low = low - min(max(move, 0), 1)
        high = high - max(min(move, 0), -1)
        least = sum(max(0, k - 4 + sum(own)) for own in labels)
        most = sum(min(k, sum(own)) for own in labels)
        low, high = max(low, least), min(high, most)
        assert low_of(curve)[k] * total == pytest.approx(float(min(low, found)))
        assert high_of(curve)[k] * total == pytest.approx(float(max(high, found)))


NEW_FOLDS = ["exact", "parametric", "bootstrap", "bootstrap-adjusted"]


@looped("bounds", NEW_FOLDS)
def test_where_no_case_is_added_a_perfect_ranking_has_no_width(bounds):
    folds = [(np.repeat([1, 0], [30, 70]), np.arange(100, 0, -1))] * 10
    curve = curve_of(folds, bounds, augment=False)
    # To the quadrature of the law.
    assert low_of(curve) == pytest.approx(curve.tpr, abs=1e-6)
    assert high_of(curve) == pytest.approx(curve.tpr, abs=1e-6)
    # Other bounds of its folds have the case, unless they are told as well.
    again = rate_averaged_roc_curve(curve.folds, bounds=bounds, random_state=0)
    assert np.all((high_of(again) - low_of(again))[1:-1] > 0)


def test_normal_bounds_by_hand():
    folds = [([1, 1, 0, 0], [4, 3, 2, 1]), ([1, 1, 0, 0], [4, 2, 3, 1])]
    curve = curve_of(folds, "normal", rates=[0.5])
    # Recalls 1 and 1/2: equation 8 gives (1/16 + 1/16) / (2 * 1).
    margin = stats.norm.ppf(0.975) * np.sqrt(1 / 16)
    assert low_of(curve)[0] == pytest.approx(0.75 - margin)
    assert high_of(curve)[0] == pytest.approx(0.75 + margin)


@looped("n, is_divided", [(60, True), (40_007, False)])
def test_a_long_fold_is_not_divided_into_parts(n, is_divided):
    tables = tuple(rank_table(y, s) for y, s in random_folds(6, 2, n, n))
    ends = pooled_bounds.exact_bounds(
        Folds(tables), np.array([0.3301, 0.4203]), 0.95, n_jobs=None
    )
    assert (np.round(ends) != ends).any() == is_divided
