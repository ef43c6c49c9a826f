"""The threshold that keeps a capacity, and the classifier that marks by it."""

import copy
import warnings
from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest
import sklearn
from joblib import parallel_config
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from looped import case, looped
from optional import require
from reference.batch_law import above, best_place, kept_above, parts
from scores_as_they_are import FirstColumn, column, fitted
from skrate import RateThresholdClassifier, rates

X, Y = make_classification(300, 4, weights=[0.7], random_state=0)
X_NEW, X, Y = X[200:], X[:200], Y[:200]
# As of scikit-learn's own threshold classifiers.
OWN_THRESHOLD = {"check_classifiers_train": "0.5 is not the threshold"}


@pytest.mark.slow
@parametrize_with_checks(
    [RateThresholdClassifier(LogisticRegression(), rate=0.25, cv=2)],
    expected_failed_checks=lambda _: OWN_THRESHOLD,
)
def test_is_a_classifier_to_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        # The second of two classes is taken, and few cases keep no small capacity.
        warnings.simplefilter("ignore")
        check(estimator)


# --- The threshold ----------------------------------------------------------------


@looped(
    "pooled",
    [[1.5, 2, 3, 4, 5, 6, 7, 8], [1, 2, 2, 2, 3, 4, 4, 5], [0, 0, 0, 0, 0, 1, 1, 1]],
)
@looped("capacity", [1, 2])
@pytest.mark.filterwarnings("ignore:Nothing will be marked|.*tie at the threshold")
def test_of_all_orders_few_exceed_the_capacity(pooled, capacity):
    n, m, risk = 5, 3, Fraction(1, 4)
    law = [(Fraction(capacity, m), Fraction(1))]
    model = RateThresholdClassifier(
        fitted(), capacity=capacity, n_items=m, confidence=0.75, cv="prefit"
    )
    n_exceeding = 0
    for held_out, new in parts(pooled, n):
        marked = model.fit(column(held_out)).predict(column(new))
        cut = kept_above(held_out, best_place(n, m, law, risk))
        assert marked.sum() == above(new, cut)
        n_exceeding += marked.sum() > capacity
    assert Fraction(int(n_exceeding), comb(n + m, n)) <= risk


def test_the_threshold_by_hand():
    held_out = np.arange(1.0, 20)
    model = RateThresholdClassifier(fitted(), rate=0.25, cv="prefit")
    model.fit(column(held_out))
    # 5 of 20: above the fifth largest of 19.
    assert model.threshold_ == np.nextafter(15, 16)
    assert model.expected_rate_ == 5 / 20
    assert model.predict(column([15, 15.5, 16, 3])).tolist() == [0, 1, 1, 0]
    assert model.rate_interval_.low < 0.25 < model.rate_interval_.high
    assert model.n_held_out_ == 19
    model.set_params(rate=1.0).fit(column(held_out))
    assert model.threshold_ == -np.inf
    assert model.predict(column([-1e9])).tolist() == [1]


def test_where_nothing_keeps_the_capacity_nothing_is_marked():
    model = RateThresholdClassifier(fitted(), rate=0.1, confidence=0.9, cv="prefit")
    with pytest.warns(UserWarning, match="Nothing will be marked: no threshold on 5"):
        model.fit(column([1.0, 2, 3, 4, 5]))
    assert (model.threshold_, model.expected_rate_) == (np.inf, 0)
    assert model.predict(column([9.0])).tolist() == [0]
    assert model.achieved_rate(column([9.0])).pvalue == 1


def test_ties_are_told_and_never_exceed_the_capacity():
    scores = np.repeat([0.0, 1.0], [50, 50])
    model = RateThresholdClassifier(fitted(), rate=0.3, cv="prefit")
    with pytest.warns(UserWarning, match="50 of 100 held-out cases tie"):
        model.fit(column(scores))
    assert model.predict(column([1.0, 1.0])).tolist() == [0, 0]
    # No case scores above 1, and none ever may.
    assert model.expected_rate_ == 0
    assert model.rate_interval_.low == 0 < model.rate_interval_.high
    achieved = model.achieved_rate(column(scores))
    assert (achieved.rate_interval.low, achieved.expected_rate) == (0, 0)
    assert model.predict_batch(column(scores[::5])).n_marked == 6
    # That ties leave out cases is no drift.
    assert model.achieved_rate(column(scores)).pvalue == 1
    # With room for all of them they are marked.
    model.set_params(rate=0.55).fit(column(scores))
    assert model.predict(column([1.0, 0.0])).tolist() == [1, 0]
    assert model.expected_rate_ == 0.5
    # As the interval of Clopper and Pearson for 50 of 100.
    tails = stats.beta([50, 51], [51, 50]).ppf([0.025, 0.975])
    assert tuple(model.rate_interval_) == pytest.approx(tuple(tails), rel=1e-9)


def test_a_distribution_of_the_rate_is_taken_at_its_mean():
    uncertain = RateThresholdClassifier(GaussianNB(), rate=rates.beta(3, 9)).fit(X, Y)
    known = RateThresholdClassifier(GaussianNB(), rate=0.25).fit(X, Y)
    assert uncertain.threshold_ == known.threshold_
    known.set_params(confidence=0.9).fit(X, Y)
    uncertain.set_params(confidence=0.9).fit(X, Y)
    assert uncertain.threshold_ > known.threshold_


# --- Where held-out scores come from ----------------------------------------------


def test_folds_give_out_of_fold_scores_and_a_model_of_all_cases():
    model = RateThresholdClassifier(LogisticRegression(), rate=0.3, cv=4).fit(X, Y)
    scores = cross_val_predict(
        LogisticRegression(), X, Y, cv=4, method="predict_proba"
    )[:, 1]
    # 0.3 * 201 = 60.3
    assert model.threshold_ == np.nextafter(np.sort(scores)[-60], 2)
    whole = LogisticRegression().fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    np.testing.assert_array_equal(model.classes_, [0, 1])
    assert model.n_features_in_ == X.shape[1]
    with parallel_config("threading"):
        in_parallel = clone(model).set_params(n_jobs=2).fit(X, Y)
    assert in_parallel.threshold_ == model.threshold_


def test_a_single_split_keeps_the_model_that_was_tested():
    splitter = ShuffleSplit(1, test_size=0.3, random_state=1)
    model = RateThresholdClassifier(LogisticRegression(), rate=0.3, cv=splitter)
    model.fit(X, Y)
    (train, test), = splitter.split(X)  # fmt: skip
    tested = LogisticRegression().fit(X[train], Y[train])
    np.testing.assert_array_equal(model.predict_proba(X), tested.predict_proba(X))
    prefit = RateThresholdClassifier(tested, rate=0.3, cv="prefit").fit(X[test])
    assert prefit.threshold_ == model.threshold_
    assert model.n_held_out_ == 60


@looped("seed", [1, np.random.default_rng(1), np.random.RandomState(1)])
def test_a_share_is_held_out_at_random(seed):
    thresholds = []
    for state in (copy.deepcopy(seed), seed, 2):
        model = RateThresholdClassifier(GaussianNB(), rate=0.3, cv=0.3)
        model.set_params(random_state=state).fit(X, Y)
        assert model.n_held_out_ == 60
        thresholds.append(model.threshold_)
    assert thresholds[0] == thresholds[1] != thresholds[2]


def test_folds_without_a_case_of_weight_are_none():
    weight, first, second = np.repeat([0.0, 1.0], 100), np.arange(100), slice(100, 200)
    splits = [(np.r_[second], first), (np.r_[100:150], np.r_[150:200])]
    model = RateThresholdClassifier(LogisticRegression(), rate=0.3, cv=splits)
    assert model.fit(X, Y, sample_weight=weight).n_held_out_ == 50
    with pytest.raises(ValueError, match="cv tests no case that has a weight"):
        model.set_params(cv=splits[:1]).fit(X, Y, sample_weight=weight)


def test_folds_that_overlap_are_refused():
    model = RateThresholdClassifier(LogisticRegression(), rate=0.3)
    own = "Fold 0 of cv tests cases that it trains on"
    for cv, message in (
        (ShuffleSplit(4, random_state=0), r"cv tests case .* times.*do not overlap"),
        ([(np.arange(150), np.arange(149, 200))], own),
        ([(np.arange(1, 150), [150, -200, 1 - 200])], own),
    ):
        with pytest.raises(ValueError, match=message):
            model.set_params(cv=cv).fit(X, Y)
    with pytest.raises(ValueError, match=r"Unequal numbers.*sample_weight has 5"):
        model.set_params(cv=5).fit(X, Y, sample_weight=np.ones(5))
    # A mask is as good as the numbers, and not all cases need a test.
    is_train = np.arange(200) < 120
    assert model.set_params(cv=[(is_train, ~is_train)]).fit(X, Y).n_held_out_ == 80


# --- Classes, scores and containers -----------------------------------------------


@looped("method", ["predict_proba", "decision_function"])
def test_the_positive_label_is_marked(method):
    named = np.where(Y == 1, "yes", "no")
    options = {"rate": 0.3, "response_method": method}
    model = RateThresholdClassifier(LogisticRegression(), **options)
    expected = clone(model).fit(X, Y).predict(X_NEW)
    with pytest.warns(UserWarning, match="takes 'yes' for the positive class"):
        second = clone(model).fit(X, named).predict(X_NEW)
    np.testing.assert_array_equal(second == "yes", expected == 1)
    first = model.set_params(pos_label="no").fit(X, named)
    assert first.pos_label_ == "no"
    # The reverse order of the same scores: 0.3 * 201 is 60 of 200.
    scores = cross_val_predict(LogisticRegression(), X, named, method=method)
    scores = scores[:, 0] if method == "predict_proba" else -scores
    assert first.threshold_ == np.nextafter(np.sort(scores)[-60], np.inf)
    assert 10 < (first.predict(X_NEW) == "no").sum() < 50


def test_any_container_gives_the_same():
    names = [f"x{i}" for i in range(X.shape[1])]
    expected = RateThresholdClassifier(LogisticRegression(), rate=0.3).fit(X, Y)
    given = {"list": (X.tolist(), Y.tolist()), "sparse": (sparse.coo_array(X), Y)}
    for library in ("pandas", "polars"):
        frame = require(library).DataFrame(dict(zip(names, X.T, strict=True)))
        given[library] = frame, require(library).Series(Y)
    for container, data in given.items():
        with case(container):
            model = RateThresholdClassifier(LogisticRegression(), rate=0.3).fit(*data)
            assert model.threshold_ == pytest.approx(expected.threshold_, rel=1e-6)
            if container in ("pandas", "polars"):
                assert model.feature_names_in_.tolist() == names


def test_missing_values_are_left_to_the_estimator():
    with_missing = X.copy()
    with_missing[::7, 0] = np.nan
    trees = DecisionTreeClassifier(max_depth=3)
    model = RateThresholdClassifier(trees, rate=0.3, cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few leaves tie
        model.fit(with_missing, Y)
    assert model.predict(with_missing).shape == (200,)
    assert model.__sklearn_tags__().input_tags.allow_nan
    scores = np.array([[0.5], [np.nan]])
    with pytest.raises(ValueError, match=r"decision_function of FirstColumn.*NaN"):
        RateThresholdClassifier(FirstColumn(), rate=0.5, cv=2).fit(
            np.tile(scores, (4, 1)), [0, 0, 1, 1] * 2
        )


def test_has_the_methods_that_the_estimator_has():
    model = RateThresholdClassifier(GaussianNB(), rate=0.3)
    assert not hasattr(model, "decision_function")
    linear = RateThresholdClassifier(LogisticRegression(), rate=0.3)
    for each, name in ((model, "predict_log_proba"), (linear, "decision_function")):
        each.fit(X, Y)
        expected = getattr(each.estimator_, name)(X_NEW)
        np.testing.assert_array_equal(getattr(each, name)(X_NEW), expected)


# --- Weights and groups -----------------------------------------------------------


def test_weights_train_and_cases_without_weight_are_none():
    weight = np.where(np.arange(200) < 150, 1.0 + Y, 0.0)
    splits = list(StratifiedKFold(3).split(X[:150], Y[:150]))
    (first, tested), *others = splits
    others = [(np.r_[train, 150:200], test) for train, test in others]
    cv = [(first, np.r_[tested, 150:200]), *others]
    model = RateThresholdClassifier(LogisticRegression(), rate=0.3, cv=cv)
    model.fit(X, Y, sample_weight=weight)
    model_of_150 = clone(model).set_params(cv=3)
    model_of_150.fit(X[:150], Y[:150], sample_weight=weight[:150])
    assert model.n_held_out_ == model_of_150.n_held_out_ == 150
    assert model.threshold_ == pytest.approx(model_of_150.threshold_, rel=1e-3)
    unweighted = clone(model_of_150).fit(X[:150], Y[:150])
    assert unweighted.threshold_ != pytest.approx(model_of_150.threshold_, rel=0.05)


@looped("is_routed", [False, True])
def test_clusters_go_to_the_folds_and_weights_to_the_estimator(is_routed):
    clusters, weight = np.arange(200) // 10, 1.0 + Y
    inner = LogisticRegression()
    with sklearn.config_context(enable_metadata_routing=is_routed):
        if is_routed:
            inner.set_fit_request(sample_weight=True)
        model = RateThresholdClassifier(inner, rate=0.3, cv=GroupKFold(4))
        model.fit(X, Y, clusters=clusters, sample_weight=weight)
        if is_routed:
            named = clone(model).fit(X, Y, groups=clusters, sample_weight=weight)
            assert named.threshold_ == model.threshold_
    splits = list(GroupKFold(4).split(X, Y, clusters))
    expected = RateThresholdClassifier(LogisticRegression(), rate=0.3, cv=splits)
    expected.fit(X, Y, sample_weight=weight)
    assert model.threshold_ == expected.threshold_


# --- Batches ----------------------------------------------------------------------


def test_the_top_of_a_batch_is_marked_and_ties_are_drawn():
    model = RateThresholdClassifier(fitted(), rate=0.5, cv="prefit")
    model.fit(column(np.arange(9.0)))
    scores = column([5.0, 3, 1, 3, 3, 0, 0, 0])
    batch = model.predict_batch(scores)
    assert (batch.n_marked, batch.n_tied, batch.n_drawn) == (4, 3, 3)
    assert batch.labels.tolist() == [1, 1, 0, 1, 1, 0, 0, 0]
    model.set_params(rate=0.375).fit(column(np.arange(9.0)))
    drawn = set()
    for seed in range(30):
        batch, again = (
            model.predict_batch(scores, random_state=seed) for _ in range(2)
        )
        assert batch.labels.tolist() == again.labels.tolist()
        assert (batch.n_marked, batch.n_tied, batch.n_drawn) == (3, 3, 2)
        assert (batch.rate, batch.threshold) == (0.375, 3)
        assert batch.is_marked[0]
        drawn.add(tuple(np.flatnonzero(batch.is_marked[1:5])))
    assert drawn == {(0, 2), (0, 3), (2, 3)}
    assert "2 drawn of 3 tied" in repr(batch)


def test_how_much_of_a_batch_is_marked():
    held_out, batch = column(np.arange(99.0)), column(np.arange(200.0))

    def n_marked(X, **params):
        model = RateThresholdClassifier(fitted(), cv="prefit", **params)
        return model.fit(held_out).predict_batch(X).n_marked

    assert n_marked(batch, rate=0.29) == 58
    assert n_marked(batch, capacity=30, n_items=100) == 30
    assert n_marked(batch[:20], capacity=30, n_items=100) == 20
    assert n_marked(batch, rate=rates.empirical([0.1, 0.2, 0.3])) == 40
    law = rates.empirical(np.arange(1, 21) / 40)
    # 2/40 or more with probability 19/20.
    assert n_marked(batch, rate=law, confidence=0.95) == 10
    assert n_marked(batch[:3], rate=0.29) == 0


def test_drift_is_seen_and_its_absence_is_not():
    rng = np.random.default_rng(0)
    model = RateThresholdClassifier(fitted(), rate=0.2, cv="prefit")
    model.fit(column(rng.normal(size=500)))
    same, more, fewer = (
        model.achieved_rate(column(rng.normal(shift, size=400)))
        for shift in (0, 0.5, -0.5)
    )
    assert same.n_items == 400
    assert same.rate == same.n_marked / 400
    low, high = same.rate_interval
    assert low <= same.rate <= high < more.rate
    assert fewer.rate < low
    assert same.pvalue > 0.05
    assert max(more.pvalue, fewer.pvalue) < 1e-4


def test_an_unlucky_sample_is_seen_by_the_capacity_alone():
    # Of these scores more than a tenth are above most thresholds of the sample.
    rng = np.random.default_rng(0)
    model = RateThresholdClassifier(
        fitted(), capacity=45, n_items=300, confidence=0.95, cv="prefit"
    ).fit(column(rng.normal(size=200)))
    model.threshold_ = float(stats.norm.isf(0.13))
    model._cut = replace(model._cut, at=model.threshold_, threshold=model.threshold_)
    year = model.achieved_rate(column(rng.normal(size=52 * 300)))
    assert year.pvalue > 0.05
    # A share of 0.1201 has P(N > 45) = 0.05 in 300 cases.
    assert stats.binom.sf(45, 300, 0.12012186740492753) == pytest.approx(0.05)
    expected = stats.binom.sf(year.n_marked - 1, 52 * 300, 0.12012186740492753)
    assert year.capacity_pvalue == pytest.approx(expected, rel=1e-6)
    assert year.capacity_pvalue < 0.001


# --- What is refused --------------------------------------------------------------


@looped(
    "params, message",
    [
        ({}, r"How many cases will be processed\? Give rate=, .* or capacity="),
        ({"rate": 0.1, "capacity": 3}, "rate=0.1 and capacity=3 both say"),
        ({"rate": 1.5}, r"rate must be a number in \(0, 1\], got 1.5"),
        ({"capacity": 4}, "capacity=4 needs n_items="),
        ({"capacity": 0, "n_items": 4}, "capacity must be an integer >= 1, got 0"),
        ({"capacity": 5, "n_items": 4}, "capacity=5 is above n_items=4: all"),
        ({"rate": 0.1, "n_items": 0}, "n_items must be an integer >= 1, got 0"),
        ({"rate": 0.1, "confidence": 1}, r"confidence must be .* \(0, 1\), got 1"),
        ({"rate": 0.1, "confidence": 0.0}, r"confidence must be .* \(0, 1\), got 0.0"),
        ({"rate": 0.1, "response_method": "predict"}, "response_method must be 'auto'"),
        ({"rate": 0.1, "pos_label": 7}, "pos_label=7 of RateThresholdClassifier is"),
        ({"rate": 0.1, "cv": "none"}, "cv"),
    ],
)
def test_bad_parameters_are_refused_by_name(params, message):
    with pytest.raises(ValueError, match=message):
        RateThresholdClassifier(LogisticRegression(), **params).fit(X, Y)


def test_bad_targets_are_refused():
    linear, refused = LogisticRegression(), "Only binary classification is supported"
    three = clone(linear).fit(X, np.arange(200) % 3)
    model = RateThresholdClassifier(linear, rate=0.3)
    for estimator, cv, y, message in (
        (linear, 5, np.ones(200, dtype=int), "one class only, 1"),
        (linear, 5, np.arange(200) % 3, refused),
        (linear, 5, None, "only cv='prefit' does without"),
        (three, "prefit", None, refused),
    ):
        with pytest.raises(ValueError, match=message):
            clone(model).set_params(estimator=estimator, cv=cv).fit(X, y)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        model.predict(X)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        model.set_params(cv="prefit").fit(X)


def test_levels_that_differ_between_folds_are_told():
    tree = DecisionTreeClassifier(min_samples_leaf=10, random_state=0)
    model = RateThresholdClassifier(tree, rate=0.3)
    with pytest.warns(UserWarning, match="these differ from fold to fold .* in all"):
        model.fit(X, Y)
    # A model that was trained already has the same levels in all folds.
    half = clone(tree).fit(X[:100], Y[:100])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*tie at the threshold")
        model.set_params(estimator=FrozenEstimator(half)).fit(X[100:], Y[100:])
