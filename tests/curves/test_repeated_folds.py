"""Repeated cross-validation: more repeats do not make the bounds narrower."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, held, simulated
from looped import looped
from simulated_folds import high_of, low_of
from skrate import rate_averaged_roc_curve

METHODS = ["exact", "parametric", "bootstrap", "bootstrap-adjusted", "normal", "beta"]
RATES = np.linspace(0, 1, 21)


def repeated_folds(seed, n_repeats, n_folds=5, n=100):
    """Return labels and scores of the same cases, divided anew in each repeat."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [2 * n // 5, n - 2 * n // 5])
    scores = rng.normal(size=n) + y
    y_trues, y_scores = [], []
    for _ in range(n_repeats):
        # Stratified: a part of each class in each fold.
        fold = np.empty(n, dtype=int)
        for label in (0, 1):
            rows = rng.permutation(np.flatnonzero(y == label))
            fold[rows] = np.arange(len(rows)) % n_folds
        # Models of other folds differ a little.
        noisy = scores + 0.2 * rng.normal(size=n)
        y_trues += [y[fold == i] for i in range(n_folds)]
        y_scores += [noisy[fold == i] for i in range(n_folds)]
    return y_trues, y_scores


def width(curve):
    return float(np.mean(high_of(curve) - low_of(curve)))


@looped("bounds", METHODS)
def test_eight_repeats_are_as_wide_as_one(bounds):
    y_trues, y_scores = repeated_folds(0, 8)
    options = {"rates": RATES, "bounds": bounds, "n_resamples": 500, "random_state": 0}
    repeated = rate_averaged_roc_curve(y_trues, y_scores, repeats=8, **options)
    single = [
        rate_averaged_roc_curve(y_trues[i : i + 5], y_scores[i : i + 5], **options)
        for i in range(0, 40, 5)
    ]
    # The mean of their widths, but for the randomness of a bootstrap.
    assert width(repeated) == pytest.approx(np.mean(list(map(width, single))), rel=0.03)
    pooled = rate_averaged_roc_curve(y_trues, y_scores, **options)
    assert width(pooled) < 0.45 * width(repeated)


@looped("bounds", ["exact", "parametric", "normal", "beta"])
def test_bounds_are_the_mean_of_those_of_the_repeats(bounds):
    folds = repeated_folds(1, 3)
    options = {"rates": RATES, "bounds": bounds}
    labels = np.repeat(["a", "b", "c"], 5)
    repeated = rate_averaged_roc_curve(*folds, repeats=labels, **options)
    single = [
        rate_averaged_roc_curve(*(e[i : i + 5] for e in folds), **options).to_dict()
        for i in (0, 5, 10)
    ]
    for name, values in repeated.to_dict().items():
        mean = np.mean([curve[name] for curve in single], axis=0)
        assert values == pytest.approx(mean), name
    assert repeated.n_repeats == 3
    assert "15 folds in 3 repeats" in repr(repeated)


def test_weights_stay_with_their_repeats():
    folds = repeated_folds(9, 2)
    rng = np.random.default_rng(0)
    weights = [rng.uniform(0.5, 2, len(y)) for y in folds[0]]
    options = {"rates": RATES, "bounds": "beta"}
    curve = rate_averaged_roc_curve(*folds, sample_weight=weights, repeats=2, **options)
    assert all(own.has_weights for own in curve.folds.split_repeats)
    lower = 0
    for part in (slice(0, 5), slice(5, 10)):
        own = [each[part] for each in folds]
        single = rate_averaged_roc_curve(*own, sample_weight=weights[part], **options)
        lower += low_of(single) * single.folds.n_pos
    assert low_of(curve) == pytest.approx(lower / curve.folds.n_pos)


def test_a_fold_that_is_left_out_keeps_the_others_in_their_repeats():
    folds = repeated_folds(6, 2)
    rest = [each[:2] + each[3:] for each in folds]
    expected = rate_averaged_roc_curve(*rest, repeats=[0] * 4 + [1] * 5)
    folds[0][2] = np.zeros_like(folds[0][2])
    with pytest.warns(UndefinedMetricWarning, match=r"1.*10"):
        found = rate_averaged_roc_curve(*folds, repeats=2)
    assert low_of(found).tolist() == low_of(expected).tolist()


def test_bad_repeats_are_named():
    folds = repeated_folds(7, 1)
    for bounds in ("normal", "beta"):
        with pytest.raises(ValueError, match="bounds="):
            rate_averaged_roc_curve(*folds, repeats=[0, 0, 0, 0, 1], bounds=bounds)
    with pytest.raises(ValueError, match=r"repeats=2.*5"):
        rate_averaged_roc_curve(*folds, repeats=2)


@pytest.mark.slow
def test_bounds_of_repeated_folds_cover_the_curve_of_the_population():
    rng, shown = np.random.default_rng(99), [0.2, 0.4, 0.6]
    # The score of case and noise, as repeated_folds draws it, in a large sample.
    y = np.repeat([1, 0], [40_000, 60_000])
    order = np.argsort(-(rng.normal(size=100_000) * np.hypot(1, 0.2) + y))
    truth = np.interp(shown, np.arange(1, 100_001) / 1e5,
                      np.cumsum(y[order]) / 40_000)  # fmt: skip

    def drawn(seed):
        y_trues, y_scores = repeated_folds(seed, 8)
        curves = [
            rate_averaged_roc_curve(
                y_trues[: 5 * n], y_scores[: 5 * n], repeats=n, rates=shown,
                bounds="parametric",
            )
            for n in (1, 8)
        ]  # fmt: skip
        return [np.transpose([low_of(c), high_of(c)]) for c in curves]

    assert_share(held(simulated(100, drawn), truth), at_least=0.95)
