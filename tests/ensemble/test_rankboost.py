"""RankBoost against the pair matrix, and as a classifier of scikit-learn."""

import warnings

import numpy as np
import pytest
import sklearn
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from looped import looped
from reference.rankboost_pairs import boost, ranking_loss, sample
from skrate import RankBoostClassifier

# Before 1.7, this check makes three classes into two by the first label it meets, in
# the weighted and the repeated sample each on its own: it compares two different
# tasks. test_integer_weights_are_repeated_rows does without.
FLAWED_CHECKS = {
    "check_sample_weight_equivalence_on_dense_data": "compares two different tasks"
}


@parametrize_with_checks(
    [RankBoostClassifier(), RankBoostClassifier(max_bins=7)],
    expected_failed_checks=lambda _: (
        FLAWED_CHECKS if sklearn.__version__.startswith("1.6.") else {}
    ),
)
def test_is_a_classifier_to_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        # The checks pass frames and columns that warn on purpose.
        warnings.simplefilter("ignore")
        check(estimator)


def assert_same_rounds(model, rounds):
    found = model.estimators_
    expected = np.array(
        [stump[:4] for stump in rounds],
        dtype=[("feature", int), ("threshold", float), ("side", bool), ("a", float)],
    )
    assert model.n_estimators_ == len(rounds)
    np.testing.assert_array_equal(found["feature"], expected["feature"])
    np.testing.assert_array_equal(found["threshold"], expected["threshold"])
    np.testing.assert_allclose(found["weight"], expected["a"], atol=1e-10)
    np.testing.assert_allclose(model.normalisers_, [z[4] for z in rounds], atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("n_values", [None, 6])
@pytest.mark.parametrize("share_missing", [0.0, 0.2])
def test_equals_the_pair_matrix(seed, n_values, share_missing):
    X, y, _ = sample(seed, n_values=n_values, share_missing=share_missing)
    rounds, scores = boost(X, y, 12)
    model = RankBoostClassifier(n_estimators=12).fit(X, y)
    assert_same_rounds(model, rounds)
    if share_missing:
        sides = [stump[2] for stump in rounds]
        np.testing.assert_array_equal(model.estimators_["missing_above"], sides)
    ranking_score = model.decision_function(X) + model.offset_
    np.testing.assert_allclose(ranking_score, scores, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_equals_the_pair_matrix_with_weights_and_lists(seed):
    X, y, rng = sample(seed, n=45, share_missing=0.1)
    weights, groups = rng.integers(1, 5, size=45) / 2, rng.integers(0, 6, size=45)
    # A list without positives, and one without negatives, hold no pair.
    groups[y == 0], groups[:4] = groups[y == 0], 7
    y[:4] = 1
    rounds, scores = boost(X, y, 10, weights, groups)
    model = RankBoostClassifier(n_estimators=10).fit(X, y, weights, groups=groups)
    assert_same_rounds(model, rounds)
    ranking_score = model.decision_function(X) + model.offset_
    np.testing.assert_allclose(ranking_score, scores, atol=1e-10)


@looped("n", [255, 256, 257, 600])
def test_columns_of_many_values_search_like_columns_of_few(n):
    # Up to 255 values have codes of one byte.
    rng = np.random.default_rng(n)
    value = rng.permutation(n).astype(float)
    y = (value + rng.normal(scale=n / 3, size=n) > n / 2).astype(int)
    X = np.column_stack([value, np.repeat(value, 2)[:n], value])
    X[rng.random(n) < 0.1, 2] = np.nan
    weights = rng.uniform(0.5, 2, size=n)
    model = RankBoostClassifier(n_estimators=3).fit(X, y, weights)
    signed = np.where(y == 1, weights, -weights)
    signed /= np.where(y == 1, signed[y == 1].sum(), -signed[y == 0].sum())
    best = 0.0
    for feature in range(3):
        column = X[:, feature]
        for threshold in [-np.inf, *np.unique(column[~np.isnan(column)])]:
            above = column > threshold
            missing = np.isnan(column)
            best = max(
                best, abs(signed[above].sum()), abs(signed[above | missing].sum())
            )
    r = np.tanh(model.estimators_["weight"][0])
    assert abs(r) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("lists", [False, True])
def test_product_of_normalisers_bounds_the_ranking_loss(lists):
    X, y, rng = sample(5, n=60)
    weights = rng.uniform(0.2, 3, size=60)
    groups = rng.integers(0, 4, size=60) if lists else np.zeros(60, dtype=int)
    model = RankBoostClassifier(n_estimators=40).fit(X, y, weights, groups=groups)
    bounds = np.cumprod(model.normalisers_)
    assert (model.normalisers_ < 1).all()
    staged = list(model.staged_decision_function(X))
    assert len(staged) == len(bounds) == 40
    for scores, bound in zip(staged, bounds, strict=True):
        assert ranking_loss(y, scores, weights, groups) <= bound + 1e-12


def test_separable_sample_stops_at_once_with_a_finite_weight():
    X = np.array([[1.0, 5], [2, 3], [3, 4], [4, 1]])
    model = RankBoostClassifier().fit(X, [0, 0, 1, 1])
    assert model.stop_reason_ == "separable"
    assert model.estimators_["feature"].tolist() == [0]
    assert model.estimators_["threshold"].tolist() == [2.5]
    # 0.5 ln(2e10)
    assert model.estimators_["weight"][0] == pytest.approx(11.859, abs=1e-3)
    assert np.isfinite(model.predict_log_proba(X)).all()
    assert model.predict(X).tolist() == [0, 0, 1, 1]


def test_constant_features_give_the_prevalence():
    X, y = np.ones((5, 2)), [0, 0, 0, 1, 1]
    model = RankBoostClassifier().fit(X, y)
    assert model.stop_reason_ == "no_gain"
    assert model.n_estimators_ == 0
    np.testing.assert_allclose(model.predict_proba(X), [[0.6, 0.4]] * 5)
    assert model.predict(X).tolist() == [0] * 5
    assert model.feature_importances_.tolist() == [0.0, 0.0]
    assert list(model.staged_decision_function(X)) == []


def test_order_of_rows_does_not_matter():
    X, y, rng = sample(7, n=300)
    order = rng.permutation(300)
    one = RankBoostClassifier().fit(X, y)
    other = RankBoostClassifier().fit(X[order], y[order])
    np.testing.assert_array_equal(
        one.estimators_["threshold"], other.estimators_["threshold"]
    )
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-8)


def test_rounding_does_not_choose_between_equal_rankers():
    X, y, rng = sample(26, n=400, n_features=1)
    # The same thresholds in four guises, summed in different orders.
    X = np.column_stack([X, -X, np.exp(X), -np.exp(X)])
    model = RankBoostClassifier().fit(X, y, rng.uniform(size=400))
    assert set(model.estimators_["feature"]) == {0}


@pytest.mark.parametrize("max_bins", [None, 12])
@pytest.mark.parametrize("lists", [False, True])
def test_integer_weights_are_repeated_rows(max_bins, lists):
    X, y, rng = sample(8, n=120, share_missing=0.05)
    weights, groups = rng.integers(0, 4, size=120), rng.integers(0, 5, size=120)
    rows = np.repeat(np.arange(120), weights)
    model = RankBoostClassifier(n_estimators=30, max_bins=max_bins)
    given = {"groups": groups} if lists else {}
    weighted = clone(model).fit(X, y, weights, **given)
    given = {"groups": groups[rows]} if lists else {}
    repeated = clone(model).fit(X[rows], y[rows], **given)
    np.testing.assert_array_equal(
        weighted.estimators_["threshold"], repeated.estimators_["threshold"]
    )
    np.testing.assert_allclose(
        weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-8
    )


def test_missing_values_go_to_the_learned_side():
    nan = np.nan
    X = np.array([[nan], [nan], [nan], [2], [1], [0], [3], [4.0]])
    y = np.array([1, 1, 1, 0, 0, 0, 1, 1])
    model = RankBoostClassifier().fit(X, y)
    assert model.stop_reason_ == "separable"
    assert model.estimators_[["threshold", "missing_above"]].tolist() == [(2.5, True)]
    assert model.predict(X).tolist() == y.tolist()


def test_unseen_missing_values_join_the_larger_side():
    X = np.array([[1.0], [2], [3], [4], [5]])
    low = RankBoostClassifier().fit(X, [0, 0, 0, 1, 1])
    high = RankBoostClassifier().fit(X, [0, 0, 1, 1, 1])
    assert low.predict([[np.nan]]).tolist() == [0]
    assert high.predict([[np.nan]]).tolist() == [1]


def test_bins_cut_at_values_and_keep_few_values_whole():
    X, y, _ = sample(10, n=2000)
    model = RankBoostClassifier(n_estimators=200, max_bins=4).fit(X, y)
    for feature in range(3):
        own = model.estimators_["feature"] == feature
        used = np.unique(model.estimators_["threshold"][own])
        assert len(used) <= 3
        quartiles = np.quantile(X[:, feature], [0.25, 0.5, 0.75])
        for threshold in used:
            assert abs(quartiles - threshold).min() < 0.01
    few = np.floor(X)
    exact = RankBoostClassifier().fit(few, y)
    binned = RankBoostClassifier(max_bins=255).fit(few, y)
    np.testing.assert_array_equal(exact.estimators_, binned.estimators_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_thresholds_part_the_very_values_they_were_made_from(dtype):
    # The mean of these neighbours is rounded to the upper one.
    lower = np.nextafter(dtype(1), dtype(2))
    upper = np.nextafter(lower, dtype(2))
    X = np.array([lower, upper, dtype(2), dtype(0)])[:, None]
    model = RankBoostClassifier(n_estimators=1).fit(X, [0, 1, 1, 0])
    assert model.predict(X).tolist() == [0, 1, 1, 0]


def test_probability_is_the_documented_link():
    X, y, _ = sample(11, n=500)
    model = RankBoostClassifier(n_estimators=20).fit(X, y)
    scores = model.decision_function(X)
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability[:, 1], expit(model.slope_ * scores))
    np.testing.assert_array_equal(model.predict(X), scores > 0)
    np.testing.assert_allclose(np.log(probability), model.predict_log_proba(X))
    # A logistic fit with an intercept has the mean of the sample.
    assert probability[:, 1].mean() == pytest.approx(y.mean(), abs=1e-9)


def test_link_stays_increasing_where_lists_contradict_the_whole():
    # Within each list the higher values are positive; but most positives are in the
    # list of low values, and most negatives in that of high ones.
    lists = [([0.0], [1.0] * 10), ([1.1], [1.4]), ([1.5] * 10, [2.0])]
    values, y, groups = [], [], []
    for number, (negatives, positives) in enumerate(lists):
        values += negatives + positives
        y += [0] * len(negatives) + [1] * len(positives)
        groups += [number] * len(negatives + positives)
    X = np.array(values)[:, None]
    model = RankBoostClassifier(n_estimators=20).fit(X, y, groups=groups)
    scores = model.decision_function(X)
    assert scores[np.array(y) == 1].mean() < scores[np.array(y) == 0].mean()
    assert model.slope_ > 0
    assert np.isfinite(model.predict_proba(X)).all()
    lifted = model.decision_function(np.array([[0.0], [1.0], [1.45], [2.0]]))
    assert (np.diff(lifted) > 0).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators must be"),
        ({"learning_rate": 0.0}, "learning_rate must be"),
        ({"max_bins": 1}, "max_bins must be"),
        ({"max_bins": 256}, "max_bins must be at most 255"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be"),
        ({"validation_fraction": 1.0}, "validation_fraction must be"),
        ({"tol": -1.0}, "tol must be"),
        ({"verbose": "loud"}, "verbose must be"),
        ({"n_iter_no_change": 2, "random_state": -1}, "random_state must be"),
    ],
)
def test_refuses_parameters_out_of_range(parameters, message):
    X, y, _ = sample(23)
    with pytest.raises(ValueError, match=message):
        RankBoostClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [0, 1, 2, 1]}, "Only binary classification"),
        ({"y": [1, 1, 1, 1]}, "one class"),
        ({"sample_weight": [1, 0, 1, 0]}, "one class"),
        ({"sample_weight": [1, -1, 1, 1]}, "sample_weight must not be negative"),
        ({"sample_weight": [1, 1, 1]}, "sample_weight has 3"),
        ({"groups": [1, 1, 1]}, "groups has 3"),
        ({"groups": [0, 1, 0, 1]}, "no list holds both classes"),
        ({"X": [[np.inf], [1], [2], [3]]}, "infinity"),
    ],
)
def test_refuses_bad_samples(arguments, message):
    sample = {"X": [[1.0], [2.0], [3.0], [4.0]], "y": [0, 1, 0, 1], **arguments}
    with pytest.raises(ValueError, match=message):
        RankBoostClassifier().fit(**sample)


@pytest.mark.parametrize(
    ("name", "spoil", "message"),
    [
        ("X", lambda X: np.ma.array(X, mask=X > 1), "X is a masked array with"),
        ("y", lambda y: np.ma.array(y, mask=y == 0), "y is a masked array with"),
        ("y", lambda y: ["a"] * 39 + [float("nan")], "Input contains NaN"),
        ("y", lambda y: np.array(["2020", "NaT"] * 20, "M8[Y]"), "y must hold labels"),
        ("groups", lambda y: ["a"] * 39 + [float("nan")], "groups contains NaN"),
        ("sample_weight", lambda y: ["1"] * 40, "sample_weight must be numeric"),
    ],
)
def test_what_cannot_be_learnt_from_is_named(name, spoil, message):
    rng = np.random.default_rng(4)
    given = {"X": rng.standard_normal((40, 2)), "y": np.arange(40) % 2}
    given[name] = spoil(given.get(name, given["y"]))
    with pytest.raises(ValueError, match=message):
        RankBoostClassifier(n_estimators=2).fit(**given)


def test_byte_order_never_changes_a_model():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((40, 2))
    y, weights, groups = np.arange(40) % 2, rng.random(40), np.arange(40) % 3
    given = (X, y, weights, groups)
    swapped = [array.astype(array.dtype.newbyteorder()) for array in given]
    scores = [
        RankBoostClassifier(n_estimators=5).fit(*data).decision_function(data[0])
        for data in (given, swapped)
    ]
    assert scores[0].tolist() == scores[1].tolist()
