"""Early stopping of XGBoost, LightGBM and CatBoost chooses the best round."""

import inspect
import pickle
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from looped import case, looped
from optional import require
from skrate import (
    eval_metric,
    group_scores,
    ndcg_score,
    precision_at_rate_score,
    rate_at_recall_score,
    recall_at_rate_score,
)

N_ROUNDS, PATIENCE = 30, 6
CATBOOST = {
    "iterations": N_ROUNDS, "depth": 3, "learning_rate": 0.5, "thread_count": 1,
    "verbose": False, "allow_writing_files": False, "random_seed": 0,
}  # fmt: skip
# numpy says where CatBoost was built with an older one.
of_catboost = pytest.mark.filterwarnings("ignore:numpy.* size changed:RuntimeWarning")
# Its older releases name the columns of arrays, and then miss the names.
of_lightgbm = pytest.mark.filterwarnings("ignore:X does not have valid feature names")


@pytest.fixture(scope="module")
def data():
    """Return cases to train on and to evaluate, which are also 60 lists of 10."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(1_200, 5))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=1_200)
    y = (signal > 1).astype(int)
    half = slice(600), slice(600, None)
    # Libraries keep them in single precision.
    weights = rng.random(600).astype(np.float32)
    of_lists = rng.random(60).astype(np.float32)
    return SimpleNamespace(
        X=X[half[0]], y=y[half[0]], X_new=X[half[1]], y_new=y[half[1]],
        weights=weights, of_lists=of_lists, groups=np.repeat(np.arange(60), 10),
    )  # fmt: skip


def check_best(chosen, logged, staged, *, is_less_better=False, digits=12):
    """Check the round that was chosen, and what was logged, against scores by round."""
    staged = np.array(staged)
    n_made = len(logged)
    np.testing.assert_allclose(logged, staged[:n_made], rtol=0, atol=10.0**-digits)
    compared = np.round(staged[:n_made], digits) if digits < 12 else staged[:n_made]
    best = np.argmin(compared) if is_less_better else np.argmax(compared)
    assert chosen == best
    # The round is neither the first nor the last, so that either could not be taken
    # for it, and training ended as soon as it had been patient.
    assert 0 < best < N_ROUNDS - 1
    assert n_made == min(best + 1 + PATIENCE, N_ROUNDS)
    # By the wrong sign another one would have been chosen.
    assert best != (np.argmax(compared) if is_less_better else np.argmin(compared))


# What training by a library says: ``scores`` are those of each round without stopping;
# with it, ``best`` is the round chosen, by its estimator and by its own interface, and
# ``logged`` are the values.
Run = SimpleNamespace


def run_of_xgboost(data, monitor, weight, is_of_lists):
    xgboost = require("xgboost")
    lists = {"qid": data.groups} if is_of_lists else {}
    params = {"max_depth": 3, "nthread": 1}
    params |= (
        {"objective": "rank:pairwise", "eta": 0.2}
        if is_of_lists
        else {"objective": "binary:logistic", "eta": 0.5}
    )
    train = xgboost.DMatrix(data.X, data.y, nthread=1, **lists)
    evaluated = xgboost.DMatrix(
        data.X_new, data.y_new, weight=weight, nthread=1, **lists
    )
    booster, history = xgboost.train(params, train, N_ROUNDS), {}
    scores = [
        booster.predict(evaluated, iteration_range=(0, i + 1)) for i in range(N_ROUNDS)
    ]
    native = xgboost.train(
        params, train, N_ROUNDS, evals=[(evaluated, "valid")], custom_metric=monitor,
        early_stopping_rounds=PATIENCE, evals_result=history, verbose_eval=False,
    )  # fmt: skip
    sign = -1 if monitor.__name__.startswith("neg_") else 1
    logged = sign * np.array(history["valid"][monitor.__name__])
    # To all digits, for predictions in single precision.
    value = sign * monitor(scores[-1], evaluated)[1]
    best = [native.best_iteration]
    if not is_of_lists:
        stopped = xgboost.XGBClassifier(
            n_estimators=N_ROUNDS, max_depth=3, learning_rate=0.5, n_jobs=1,
            eval_metric=monitor, early_stopping_rounds=PATIENCE,
        )  # fmt: skip
        stopped = clone(stopped).fit(
            data.X, data.y, eval_set=[(data.X_new, data.y_new)], verbose=False,
            sample_weight_eval_set=None if weight is None else [weight],
        )  # fmt: skip
        of_estimator = stopped.evals_result()["validation_0"][monitor.__name__]
        assert of_estimator == history["valid"][monitor.__name__]
        best.append(stopped.best_iteration)
    return Run(scores=scores, best=best, logged=logged, last=value)


def run_of_lightgbm(data, monitor, weight, is_of_lists):
    lightgbm = require("lightgbm")
    params = {"num_leaves": 7, "verbose": -1, "metric": "None"}
    kind, objective, params["learning_rate"] = (
        (lightgbm.LGBMRanker, "lambdarank", 0.2)
        if is_of_lists
        else (lightgbm.LGBMClassifier, "binary", 0.3)
    )
    model = kind(n_estimators=N_ROUNDS, n_jobs=1, **params)
    lists = {"group": np.full(60, 10)} if is_of_lists else {}
    plain = clone(model).fit(data.X, data.y, **lists)
    scores = [
        plain.predict(data.X_new, num_iteration=i + 1)
        if is_of_lists
        else plain.predict_proba(data.X_new, num_iteration=i + 1)[:, 1]
        for i in range(N_ROUNDS)
    ]
    if weight is not None and is_of_lists:
        weight = np.repeat(weight, 10)
    more = {"eval_sample_weight": None if weight is None else [weight]}
    more |= {"eval_group": [lists["group"]]} if is_of_lists else {}
    stop, history = lightgbm.early_stopping(PATIENCE, verbose=False), {}
    more = evaluated_by_lightgbm(model, data, **more)
    stopped = model.fit(
        data.X, data.y, eval_metric=monitor, callbacks=[stop], **lists, **more
    )
    train = lightgbm.Dataset(data.X, data.y, **lists)
    native = lightgbm.train(
        {"objective": objective, "num_threads": 1, **params}, train, N_ROUNDS,
        valid_sets=[train.create_valid(data.X_new, data.y_new, weight, **lists)],
        feval=monitor, callbacks=[stop, lightgbm.record_evaluation(history)],
    )  # fmt: skip
    logged = stopped.evals_result_["valid_0"][monitor.name]
    assert history["valid_0"][monitor.name] == logged
    best = [stopped.best_iteration_ - 1, native.best_iteration - 1]
    return Run(scores=scores, best=best, logged=logged)


def run_of_catboost(data, monitor, weight, is_of_lists):
    catboost = require("catboost")
    plain = catboost.CatBoostClassifier(**CATBOOST).fit(data.X, data.y)
    staged = plain.staged_predict(data.X_new, prediction_type="RawFormulaVal")
    evaluated = catboost.Pool(data.X_new, data.y_new, weight=weight)
    params = {"eval_metric": monitor, "early_stopping_rounds": PATIENCE, **CATBOOST}
    stopped = clone(catboost.CatBoostClassifier(**params))
    stopped.fit(data.X, data.y, eval_set=evaluated)
    native = catboost.train(
        catboost.Pool(data.X, data.y),
        {"loss_function": "Logloss", **params},
        eval_set=evaluated,
    )
    logged = stopped.evals_result_["validation"][monitor.name]
    assert native.evals_result_["validation"][monitor.name] == logged
    best = [stopped.best_iteration_, native.best_iteration_]
    return Run(scores=list(staged), best=best, logged=logged)


RUNS = {
    "xgboost": run_of_xgboost,
    "lightgbm": run_of_lightgbm,
    "catboost": run_of_catboost,
}


@of_catboost
@of_lightgbm
@looped("library", RUNS)
def test_training_stops_where_a_classifier_is_best(data, library):
    for metric, options, weight in (
        (recall_at_rate_score, {"rate": 0.2}, data.weights),
        (rate_at_recall_score, {"recall": 0.7}, None),
    ):
        with case(metric.__name__):
            monitor = eval_metric(metric, library=library, **options)
            run = RUNS[library](data, monitor, weight, False)
            staged = [
                metric(data.y_new, scores, sample_weight=weight, **options)
                for scores in run.scores
            ]
            check_run(library, run, staged, metric is rate_at_recall_score)


@of_lightgbm
@looped("library", ["xgboost", "lightgbm"])
def test_training_stops_where_lists_are_best(data, library):
    for metric, options, weight in (
        (ndcg_score, {"k": 5}, data.of_lists),
        ("roc_auc", {}, None),
    ):
        with case(metric):
            more = {"average": "macro"} if library == "xgboost" else {}
            monitor = eval_metric(metric, library=library, **options, **more)
            run = RUNS[library](data, monitor, weight, True)
            lists = {"groups": data.groups, **options}
            staged = [
                group_scores(metric, data.y_new, scores, **lists).mean(weight)
                for scores in run.scores
            ]
            check_run(library, run, staged)


def check_run(library, run, staged, is_less_better=False):
    # XGBoost keeps six decimals.
    digits = 6 if library == "xgboost" else 12
    expected = {"is_less_better": is_less_better, "digits": digits}
    check_best(run.best[0], run.logged, staged, **expected)
    assert set(run.best) == {run.best[0]}
    if library == "xgboost":
        assert run.last == staged[-1]


@pytest.mark.slow
def test_an_xgboost_ranker_averages_lists_by_their_sizes(data):
    xgboost = require("xgboost")
    # Of those with one item XGBoost adds 1, in what it minimises, without a call.
    sizes = np.tile([1, 4, 10, 5], 30)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    model = xgboost.XGBRanker(
        objective="rank:pairwise", n_estimators=N_ROUNDS, max_depth=3, n_jobs=1,
        learning_rate=0.6, early_stopping_rounds=PATIENCE,
        eval_metric=eval_metric("roc_auc", library="xgboost", undefined=0.0),
    )  # fmt: skip
    made = {"qid": groups, "eval_set": [(data.X_new, data.y_new)], "verbose": False}
    stopped = model.fit(data.X, data.y, eval_qid=[groups], **made)
    plain = clone(model).set_params(eval_metric=None, early_stopping_rounds=None)
    booster = plain.fit(data.X, data.y, qid=groups).get_booster()
    matrix = xgboost.DMatrix(data.X_new, nthread=1)
    staged = []
    for i in range(N_ROUNDS):
        scores = booster.predict(matrix, iteration_range=(0, i + 1))
        found = group_scores("roc_auc", data.y_new, scores, groups=groups)
        values = np.where(sizes == 1, -1, np.nan_to_num(found.values))
        staged.append(np.average(values, weights=sizes))
    logged = -np.array(stopped.evals_result()["validation_0"]["neg_roc_auc"])
    check_best(stopped.best_iteration, logged, staged, digits=6)


def evaluated_by_lightgbm(model, data, **more):
    """Return the keywords of the data to evaluate, which releases call differently."""
    named = inspect.signature(model.fit).parameters
    if "eval_X" in named:
        return {"eval_X": (data.X_new,), "eval_y": (data.y_new,), **more}
    return {"eval_set": [(data.X_new, data.y_new)], **more}


@of_catboost
@looped("is_of_model", [True, False])
def test_catboost_evaluates_by_class_weights_only_with_a_warning(data, is_of_model):
    catboost = require("catboost")
    # Those of the model weigh the data evaluated, too, and of the training cases not.
    params = CATBOOST | {"iterations": 6}
    metric, options = precision_at_rate_score, {"rate": 0.2}
    monitor = eval_metric(metric, library="catboost", **options)
    by_class = {"class_weights": [1, 8]} if is_of_model else {}
    fit = {} if is_of_model else {"sample_weight": np.where(data.y == 1, 8, 1)}
    plain = catboost.CatBoostClassifier(**params, **by_class).fit(data.X, data.y, **fit)
    staged = [
        metric(data.y_new, scores, **options)
        for scores in plain.staged_predict(data.X_new, prediction_type="RawFormulaVal")
    ]
    model = catboost.CatBoostClassifier(**params, **by_class, eval_metric=monitor)
    warns = pytest.warns(UserWarning, match="class_weights")
    with warns if is_of_model else nullcontext():
        model.fit(data.X, data.y, eval_set=(data.X_new, data.y_new), **fit)
    logged = model.evals_result_["validation"][metric.__name__]
    assert np.allclose(logged, staged) is not is_of_model
    if not is_of_model:
        assert model.best_iteration_ == np.argmax(staged)


@of_catboost
@of_lightgbm
@looped("package", RUNS)
def test_models_with_a_metric_are_searched_over_and_pickled(data, package):
    boosting = require(package)
    monitor = eval_metric(recall_at_rate_score, library=package, rate=0.2)
    fit = {"eval_set": [(data.X_new, data.y_new)], "verbose": False}
    if package == "catboost":
        params = CATBOOST | {"iterations": 3, "learning_rate": None}
        model = boosting.CatBoostClassifier(**params, eval_metric=monitor)
    elif package == "xgboost":
        model = boosting.XGBClassifier(n_estimators=3, n_jobs=1, eval_metric=monitor)
    else:
        model = boosting.LGBMClassifier(n_estimators=3, n_jobs=1, verbose=-1)
        fit = evaluated_by_lightgbm(model, data, eval_metric=monitor)
    search = GridSearchCV(model, {"learning_rate": [0.1, 0.5]}, cv=2)
    search.fit(data.X, data.y, **fit)
    loaded = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(loaded.predict(data.X), search.predict(data.X))


@of_catboost
@looped("of", ["xgboost", "lightgbm"])
def test_catboost_is_told_of_a_metric_for_another_library(data, of):
    catboost = require("catboost")
    monitor = eval_metric(recall_at_rate_score, library=of, rate=0.2)
    model = catboost.CatBoostClassifier(**CATBOOST | {"iterations": 2})
    message = rf"library='catboost'.*CatBoost.*library='{of}'"
    with pytest.raises(catboost.CatBoostError, match=message):
        model.set_params(eval_metric=monitor).fit(
            data.X, data.y, eval_set=(data.X_new, data.y_new)
        )
