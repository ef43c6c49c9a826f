"""The candidates of a search, ranked in its folds, and the best score corrected."""

import sys
import warnings
from math import sqrt

import numpy as np
import pytest
import sklearn
from joblib import parallel_config
from scipy.special import ndtr
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning, UndefinedMetricWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from guarantees import simulations
from looped import looped
from optional import require
from skrate import (
    RateWeightedAUCScorer,
    cross_val_rankings,
    make_ranking_scorer,
    search_rankings,
    select_best,
)

X, Y = make_classification(200, 5, flip_y=0.4, weights=[0.6], random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 4], "max_features": [2, 5]}


def grid_search(**given):
    return GridSearchCV(TREE, GRID, scoring="roc_auc", **given)


def split_scores(search, metric="score"):
    """Return the scores that a search keeps, a row for each candidate."""
    results, n = search.cv_results_, search.n_splits_
    return np.transpose([results[f"split{i}_test_{metric}"] for i in range(n)])


@looped(
    "search",
    [
        grid_search(cv=3),
        grid_search(cv=StratifiedKFold(3, shuffle=True, random_state=0), refit=False),
        grid_search(
            cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)
        ),
        GridSearchCV(TREE, [{"max_depth": [1, 3]}, GRID], scoring="roc_auc", cv=3),
        RandomizedSearchCV(TREE, GRID, n_iter=4, scoring="roc_auc", random_state=0),
    ],
)
def test_the_scores_of_folds_are_the_search_s_before_and_after_it(search):
    before = search_rankings(search, X, Y)
    search.fit(X, Y)
    after = search_rankings(search, X, Y, n_jobs=1)
    assert list(before) == list(after)
    names = map(str, search.cv_results_["params"])
    scores = dict(zip(names, split_scores(search), strict=True))
    for name, params in after.params.items():
        for found in (before, after):
            own = found[name].scores("roc_auc")
            np.testing.assert_allclose(own, scores[str(params)], rtol=1e-12)
    best = select_best("roc_auc", after, random_state=0)
    assert best.value == pytest.approx(np.max(search.cv_results_["mean_test_score"]))
    assert before.params == after.params
    if search.refit:
        assert after.params[best.best] == search.best_params_
        assert best.value == pytest.approx(search.best_score_, rel=1e-12)
    assert best.corrected_value < best.value


def test_the_positive_class_is_the_scorer_s():
    scorer = RateWeightedAUCScorer(rate=0.2, pos_label=0)
    search = GridSearchCV(TREE, GRID, scoring=scorer, cv=3).fit(X, Y)
    rankings = search_rankings(search, X, Y)
    best = select_best("rate_weighted_auc", rankings, rate=0.2, random_state=0)
    assert best.value == pytest.approx(search.best_score_, rel=1e-12)
    both = {"a": scorer, "b": RateWeightedAUCScorer(rate=0.2, pos_label=1)}
    search = GridSearchCV(TREE, GRID, scoring=both, refit="a", cv=3)
    with pytest.raises(ValueError, match=r"pos_label.*0.*1"):
        search_rankings(search, X, Y)
    assert search_rankings(search, X, Y, pos_label=1).popitem()[1].pos_label == 1


def test_nothing_depends_on_the_number_of_jobs():
    with parallel_config(backend="threading"):
        search = grid_search(cv=3, n_jobs=2)
        two = search_rankings(search, X, Y)
    one = search_rankings(search.set_params(n_jobs="two"), X, Y, n_jobs=1)
    with pytest.raises(ValueError, match="n_jobs"):
        search_rankings(search, X, Y)
    for name in one:
        np.testing.assert_array_equal(one[name].y_score, two[name].y_score)


def test_folds_are_drawn_once_or_those_of_the_search():
    shuffled = KFold(3, shuffle=True)
    rankings = search_rankings(grid_search(cv=shuffled), X, Y)
    first, *others = [one.indices for one in rankings.values()]
    assert all(np.array_equal(first, other) for other in others)
    for cv in (shuffled, KFold(3, shuffle=True, random_state=np.random.RandomState(0))):
        search = grid_search(cv=cv).fit(X, Y)
        with pytest.raises(ValueError, match=r"\bcv\b"):
            search_rankings(search, X, Y)
    splits = list(shuffled.split(X))
    search = grid_search(cv=iter(splits)).fit(X, Y)
    with pytest.raises(ValueError, match=r"\bcv\b.*random_state"):
        search_rankings(search, X, Y)
    rankings = search_rankings(grid_search(cv=splits).fit(X, Y), X, Y)
    assert len(rankings) == 6


class _Fails(ClassifierMixin, BaseEstimator):
    """Ranks by the first column, or raises an error that cannot be pickled."""

    def __init__(self, how="not"):
        self.how = how

    def fit(self, X, y):
        if self.how == "fit":
            raise _Unpickled("no", lambda: None)
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        if self.how == "ask":
            raise RuntimeError("nothing to say")
        return X[:, 0]


class _Unpickled(Exception):
    def __init__(self, message, unpickled):
        super().__init__(message)
        self.unpickled = unpickled


@looped("how", ["fit", "ask"])
def test_candidates_that_fail_are_left_out_with_a_warning(how):
    search = GridSearchCV(_Fails(), {"how": [how, "not"]}, scoring="roc_auc", cv=3)
    message = f"1 of 2 candidates failed: how='{how}': .*, and are left out"
    with pytest.warns(FitFailedWarning, match=message):
        rankings = search_rankings(search, X, Y)
    assert rankings.params == {"how='not'": {"how": "not"}}
    assert list(rankings) == ["how='not'"]
    search.set_params(error_score="raise")
    with pytest.raises((_Unpickled, RuntimeError)):
        search_rankings(search, X, Y)
    search = GridSearchCV(_Fails(), {"how": [how]}, cv=3)
    with pytest.raises(ValueError, match=r"1 of 1.*how="):
        search_rankings(search, X, Y)


@pytest.mark.slow
def test_failures_come_back_from_other_processes():
    # Other processes need not find this file. Newer releases of joblib import it.
    try:
        from joblib.externals import cloudpickle
    except ImportError:
        import cloudpickle
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    search = GridSearchCV(_Fails(), {"how": ["fit", "not"]}, cv=3, n_jobs=2)
    with parallel_config(backend="loky"), pytest.warns(FitFailedWarning, match="1 of"):
        assert list(search_rankings(search, X, Y)) == ["how='not'"]


def test_a_fold_undefined_for_one_candidate_is_left_out_of_all_with_one_warning():
    splits = [(np.flatnonzero(Y == 0)[2:], np.flatnonzero(Y == 0)[:2])]
    splits.append((np.arange(100), np.arange(100, 200)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        models = [LinearRegression(), DecisionTreeClassifier()]
        scorer = make_ranking_scorer(
            "roc_auc", response_method=("predict_proba", "predict")
        )
        pipeline = Pipeline([("model", TREE)])
        rankings = search_rankings(
            GridSearchCV(pipeline, {"model": models}, scoring=scorer, cv=splits), X, Y
        )
    assert [one.category for one in told] == [UndefinedMetricWarning]
    assert told[0].filename == __file__
    assert [one.names for one in rankings.values()] == [("1",)] * 2


def test_clusters_and_weights_go_where_they_belong():
    clusters, weights = np.arange(200) // 4, np.linspace(0.1, 3, 200)
    model = LogisticRegression()
    search = GridSearchCV(model, {"C": [0.1, 1]}, scoring="roc_auc", cv=GroupKFold(3))
    given = {"clusters": clusters, "params": {"sample_weight": weights}}
    plain = search_rankings(search, X, Y, **given)
    # Scorers of newer releases of scikit-learn weigh the test cases as well.
    search.set_params(scoring=_unweighted_auc)
    search.fit(X, Y, groups=clusters, sample_weight=weights)
    own = [one.scores("roc_auc") for one in plain.values()]
    np.testing.assert_allclose(own, split_scores(search), rtol=1e-12)
    np.testing.assert_array_equal(plain["C=1"].clusters, clusters[plain["C=1"].indices])
    with sklearn.config_context(enable_metadata_routing=True):
        search.set_params(estimator=model.set_fit_request(sample_weight="train"))
        given["params"] = {"train": weights}
        routed = search_rankings(search, X, Y, **given)
    np.testing.assert_array_equal(routed["C=1"].y_score, plain["C=1"].y_score)


def _unweighted_auc(model, X, y, sample_weight=None):
    scores = model.decision_function(X)
    return np.mean(np.subtract.outer(scores[y == 1], scores[y == 0]) > 0)


def test_all_candidates_of_a_halving_search_are_ranked_on_all_cases():
    search = HalvingGridSearchCV(TREE, GRID, cv=3, scoring="roc_auc", random_state=0)
    with pytest.warns(UserWarning, match="HalvingGridSearchCV"):
        assert len(search_rankings(search, X, Y)) == 6
    search.fit(X, Y)
    assert len(search.cv_results_["params"]) > 6
    with pytest.warns(UserWarning, match=r"HalvingGridSearchCV.*6"):
        rankings = search_rankings(search, X, Y)
    plain = search_rankings(grid_search(cv=3), X, Y)
    assert list(rankings) == list(plain)
    for name, one in rankings.items():
        np.testing.assert_array_equal(one.y_score, plain[name].y_score)


def test_what_is_no_search_is_refused():
    with pytest.raises(ValueError, match=r"search.*DecisionTreeClassifier"):
        search_rankings(TREE, X, Y)
    for given in (grid_search(), grid_search(cv=3).fit(X, Y)):
        for labels in (None, Y):
            with pytest.raises(ValueError, match="search_rankings"):
                select_best("roc_auc", given, labels)


def test_the_recipe_for_optuna_has_a_ranking_of_each_trial():
    optuna = require("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rankings, folds = {}, StratifiedKFold(3, shuffle=True, random_state=0)

    def objective(trial):
        tree = DecisionTreeClassifier(
            max_depth=trial.suggest_int("max_depth", 1, 8), random_state=0
        )
        ranked = cross_val_rankings(tree, X, Y, cv=folds)
        rankings[str(trial.number)] = ranked
        return ranked.scores("roc_auc").mean()

    study = optuna.create_study(direction="maximize")
    study.optimize(objective, n_trials=5)
    best = select_best("roc_auc", rankings)
    assert best.value == pytest.approx(study.best_value, rel=1e-12)
    assert study.trials[int(best.best)].value == study.best_value


class _Subset(ClassifierMixin, BaseEstimator):
    """Scores by the difference of means in two features, which a seed picks."""

    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        picked = np.random.default_rng(self.seed).permutation(X.shape[1])[:2]
        self.weights_ = np.zeros(X.shape[1])
        self.weights_[picked] = (X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))[
            picked
        ]
        return self

    def decision_function(self, X):
        return X @ self.weights_


@pytest.mark.slow
def test_the_corrected_value_is_near_the_truth_where_the_best_score_is_too_high():
    n_simulations = simulations(60)
    found = np.array([_simulated(seed) for seed in range(n_simulations)])
    best_score, corrected = found.mean(axis=0)
    errors = 3 * found.std(axis=0, ddof=1) / sqrt(n_simulations)
    assert best_score - errors[0] > 0
    assert abs(corrected) < min(0.25 * best_score + errors[1], 0.5 * best_score)


def _simulated(seed):
    """Return by how much both are above the AUC of the winner's models."""
    rng = np.random.default_rng(seed)
    mean = 0.2 * (np.arange(12) < 6)
    y = (np.arange(120) < 50).astype(int)
    X = rng.normal(size=(120, 12)) + mean * y[:, None]
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(_Subset(), {"seed": range(20)}, scoring="roc_auc", cv=cv)
    search.fit(X, y)
    rankings = search_rankings(search, X, y)
    best = select_best("roc_auc", rankings, random_state=0, n_resamples=500)
    winner = search.estimator.set_params(**rankings.params[best.best])
    models = cross_val_rankings(winner, X, y, cv=cv, return_estimator=True).estimators
    # The AUC of a weighted sum of normal features.
    weights = [model.weights_ for model in models]
    truth = np.mean([ndtr(w @ mean / sqrt(2 * w @ w)) for w in weights])
    return search.best_score_ - truth, best.corrected_value - truth
