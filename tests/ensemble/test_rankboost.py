"""RankBoost against the pair matrix, and as a classifier of scikit-learn."""

import warnings

import numpy as np
import pytest
import sklearn
from scipy.special import expit
from sklearn.utils.estimator_checks import parametrize_with_checks

from looped import looped
from reference.rankboost_pairs import boost, sample
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
@looped("seed", range(2))
@looped("n_values", [None, 6])
@looped("share_missing", [0.0, 0.2])
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


@looped("seed", range(2))
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


def test_constant_features_give_the_prevalence():
    X, y = np.ones((5, 2)), [0, 0, 0, 1, 1]
    model = RankBoostClassifier().fit(X, y)
    assert model.stop_reason_ == "no_gain"
    assert model.n_estimators_ == 0
    np.testing.assert_allclose(model.predict_proba(X), [[0.6, 0.4]] * 5)
    assert model.predict(X).tolist() == [0] * 5
    assert model.feature_importances_.tolist() == [0.0, 0.0]
    assert list(model.staged_decision_function(X)) == []


def test_neither_rounding_nor_the_order_of_rows_or_bytes_chooses_a_ranker():
    X, y, rng = sample(26, n=400, n_features=1)
    # The same thresholds in four guises, summed in different orders.
    X, weights = np.column_stack([X, -X, np.exp(X), -np.exp(X)]), rng.uniform(size=400)
    model = RankBoostClassifier().fit(X, y, weights)
    assert set(model.estimators_["feature"]) == {0}
    order = rng.permutation(400)
    swapped = [each.astype(each.dtype.newbyteorder()) for each in (X, y, weights)]
    for other in ([X[order], y[order], weights[order]], swapped):
        again = RankBoostClassifier().fit(*other)
        thresholds = [each.estimators_["threshold"] for each in (model, again)]
        np.testing.assert_array_equal(*thresholds)
        found, expected = again.predict_proba(X), model.predict_proba(X)
        np.testing.assert_allclose(found, expected, rtol=1e-8)


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


@looped("dtype", [np.float32, np.float64])
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
    X = np.r_[0.0, [1.0] * 10, 1.1, 1.4, [1.5] * 10, 2.0][:, None]
    y = np.r_[0, [1] * 10, 0, 1, [0] * 10, 1]
    groups = np.repeat([0, 1, 2], [11, 2, 11])
    model = RankBoostClassifier(n_estimators=20).fit(X, y, groups=groups)
    scores = model.decision_function(X)
    assert scores[y == 1].mean() < scores[y == 0].mean()
    assert model.slope_ > 0
    assert np.isfinite(model.predict_proba(X)).all()
    lifted = model.decision_function(np.array([[0.0], [1.0], [1.45], [2.0]]))
    assert (np.diff(lifted) > 0).all()


@looped(
    "parameters, message",
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"max_bins": 1}, "max_bins"),
        ({"max_bins": 256}, r"max_bins.*255"),
        ({"n_iter_no_change": 0}, "n_iter_no_change"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"tol": -1.0}, "tol"),
        ({"n_iter_no_change": 2, "random_state": -1}, "random_state"),
    ],
)
def test_refuses_parameters_out_of_range(parameters, message):
    X, y, _ = sample(23)
    with pytest.raises(ValueError, match=message):
        RankBoostClassifier(**parameters).fit(X, y)


@looped(
    "name, value, message",
    [
        ("y", [0, 1, 2, 1], "Only binary classification"),
        ("y", [1, 1, 1, 1], r"^y .*1"),
        ("y", np.ma.array([0, 1, 0, 1], mask=[0, 0, 0, 1]), r"\by\b"),
        ("y", ["a", "b", "a", float("nan")], r"^y .*NaN"),
        ("y", np.array(["2020", "NaT"] * 2, "M8[Y]"), r"\by\b"),
        ("sample_weight", [1, 0, 1, 0], r"^y .*0"),
        ("sample_weight", [1, -1, 1, 1], "sample_weight"),
        ("sample_weight", [1, 1, 1], r"sample_weight.*3"),
        ("sample_weight", ["1"] * 4, "sample_weight"),
        ("groups", [1, 1, 1], r"groups.*3"),
        ("groups", [0, 1, 0, 1], "groups"),
        ("groups", ["a", "a", "a", float("nan")], r"groups.*NaN"),
        ("X", [[np.inf], [1], [2], [3]], "infinity"),
        ("X", np.ma.array([[1], [1], [2], [3]], mask=[[1], [0], [0], [0]]), r"\bX\b"),
    ],
)
def test_refuses_bad_samples(name, value, message):
    sample = {"X": [[1.0], [2.0], [3.0], [4.0]], "y": [0, 1, 0, 1], name: value}
    with pytest.raises(ValueError, match=message):
        RankBoostClassifier().fit(**sample)
