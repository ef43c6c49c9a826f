"""Early stopping of XGBoost, LightGBM and CatBoost chooses the best round."""

import inspect
import pickle
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

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
METRICS = [
    (recall_at_rate_score, {"rate": 0.2}),
    (rate_at_recall_score, {"recall": 0.7}),
]
OF_LISTS = [(ndcg_score, {"k": 5}), ("roc_auc", {})]
metrics = pytest.mark.parametrize(
    ("metric", "options"), METRICS, ids=lambda each: getattr(each, "__name__", "")
)
metrics_of_lists = pytest.mark.parametrize(("metric", "options"), OF_LISTS)
weighting = pytest.mark.parametrize("is_weighted", [False, True])
# numpy says where CatBoost was built with an older one.
of_catboost = pytest.mark.filterwarnings(
    "ignore:numpy.* size changed:RuntimeWarning",
)
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


def weights_of(data, is_weighted):
    return data.weights if is_weighted else None


@metrics
@weighting
def test_xgboost_stops_where_its_classifier_is_best(data, metric, options, is_weighted):
    xgboost = require("xgboost")
    weight = weights_of(data, is_weighted)
    model = xgboost.XGBClassifier(
        n_estimators=N_ROUNDS, max_depth=3, learning_rate=0.5, n_jobs=1
    )
    booster = model.fit(data.X, data.y).get_booster()
    matrix = xgboost.DMatrix(data.X_new, nthread=1)
    staged = [
        metric(
            data.y_new,
            booster.predict(matrix, iteration_range=(0, i + 1)),
            sample_weight=weight,
            **options,
        )
        for i in range(N_ROUNDS)
    ]
    monitor = eval_metric(metric, library="xgboost", **options)
    params = {"eval_metric": monitor, "early_stopping_rounds": PATIENCE}
    stopped = clone(model.set_params(**params)).fit(
        data.X,
        data.y,
        eval_set=[(data.X_new, data.y_new)],
        sample_weight_eval_set=[weight] if is_weighted else None,
        verbose=False,
    )
    name = metric.__name__
    is_less_better = metric is rate_at_recall_score
    sign, name = (1, name) if is_less_better else (-1, f"neg_{name}")
    logged = sign * np.array(stopped.evals_result()["validation_0"][name])
    # XGBoost keeps six decimals.
    expected = {"is_less_better": is_less_better, "digits": 6}
    check_best(stopped.best_iteration, logged, staged, **expected)

    evaluated = xgboost.DMatrix(data.X_new, data.y_new, weight=weight, nthread=1)
    history = {}
    native = xgboost.train(
        {"objective": "binary:logistic", "max_depth": 3, "eta": 0.5, "nthread": 1},
        xgboost.DMatrix(data.X, data.y, nthread=1),
        N_ROUNDS,
        evals=[(evaluated, "valid")],
        custom_metric=monitor,
        early_stopping_rounds=PATIENCE,
        evals_result=history,
        verbose_eval=False,
    )
    assert native.best_iteration == stopped.best_iteration
    assert history["valid"][name] == stopped.evals_result()["validation_0"][name]
    # To all digits, for predictions in single precision.
    last = booster.predict(matrix)
    assert monitor(last, evaluated) == (name, sign * staged[-1])


@metrics_of_lists
@weighting
def test_xgboost_stops_where_lists_are_best(data, metric, options, is_weighted):
    xgboost = require("xgboost")
    params = {"objective": "rank:pairwise", "max_depth": 3, "eta": 0.2, "nthread": 1}
    train = xgboost.DMatrix(data.X, data.y, qid=data.groups, nthread=1)
    weight = data.of_lists if is_weighted else None
    evaluated = xgboost.DMatrix(
        data.X_new, data.y_new, qid=data.groups, weight=weight, nthread=1
    )
    booster = xgboost.train(params, train, N_ROUNDS)
    staged = [
        group_scores(
            metric,
            data.y_new,
            booster.predict(evaluated, iteration_range=(0, i + 1)),
            groups=data.groups,
            **options,
        ).mean(weight)
        for i in range(N_ROUNDS)
    ]
    history = {}
    monitor = eval_metric(metric, library="xgboost", average="macro", **options)
    stopped = xgboost.train(
        params,
        train,
        N_ROUNDS,
        evals=[(evaluated, "valid")],
        custom_metric=monitor,
        early_stopping_rounds=PATIENCE,
        evals_result=history,
        verbose_eval=False,
    )
    logged = -np.array(history["valid"][monitor.__name__])
    check_best(stopped.best_iteration, logged, staged, digits=6)


@metrics_of_lists
def test_an_xgboost_ranker_averages_lists_by_their_sizes(data, metric, options):
    xgboost = require("xgboost")
    # Of those with one item XGBoost adds 1, in what it minimises, without a call.
    sizes = np.tile([1, 4, 10, 5], 30)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    given = {"undefined": 0.0} | options
    model = xgboost.XGBRanker(
        objective="rank:pairwise",
        n_estimators=N_ROUNDS,
        max_depth=3,
        learning_rate=0.6,
        n_jobs=1,
        eval_metric=eval_metric(metric, library="xgboost", **given),
        early_stopping_rounds=PATIENCE,
    )
    made = {"qid": groups, "eval_set": [(data.X_new, data.y_new)], "verbose": False}
    stopped = model.fit(data.X, data.y, eval_qid=[groups], **made)
    plain = clone(model).set_params(eval_metric=None, early_stopping_rounds=None)
    booster = plain.fit(data.X, data.y, qid=groups).get_booster()
    matrix = xgboost.DMatrix(data.X_new, nthread=1)
    staged = []
    for i in range(N_ROUNDS):
        scores = booster.predict(matrix, iteration_range=(0, i + 1))
        found = group_scores(metric, data.y_new, scores, groups=groups, **options)
        values = np.where(sizes == 1, -1, np.nan_to_num(found.values))
        staged.append(np.average(values, weights=sizes))
    name = f"neg_{getattr(metric, '__name__', metric)}"
    logged = -np.array(stopped.evals_result()["validation_0"][name])
    check_best(stopped.best_iteration, logged, staged, digits=6)


def evaluated_by_lightgbm(model, data, **more):
    """Return the keywords of the data to evaluate, which releases call differently."""
    named = inspect.signature(model.fit).parameters
    if "eval_X" in named:
        return {"eval_X": (data.X_new,), "eval_y": (data.y_new,), **more}
    return {"eval_set": [(data.X_new, data.y_new)], **more}


@metrics
@weighting
@of_lightgbm
def test_lightgbm_stops_where_its_classifier_is_best(
    data, metric, options, is_weighted
):
    lightgbm = require("lightgbm")
    weight = weights_of(data, is_weighted)
    params = {"learning_rate": 0.3, "num_leaves": 7, "verbose": -1, "metric": "None"}
    model = lightgbm.LGBMClassifier(n_estimators=N_ROUNDS, n_jobs=1, **params)
    plain = clone(model).fit(data.X, data.y)
    staged = [
        metric(
            data.y_new,
            plain.predict_proba(data.X_new, num_iteration=i + 1)[:, 1],
            sample_weight=weight,
            **options,
        )
        for i in range(N_ROUNDS)
    ]
    monitor = eval_metric(metric, library="lightgbm", **options)
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    stopped = model.fit(
        data.X,
        data.y,
        eval_metric=monitor,
        callbacks=[stop],
        **evaluated_by_lightgbm(
            model, data, eval_sample_weight=[weight] if is_weighted else None
        ),
    )
    expected = {"is_less_better": metric is rate_at_recall_score}
    logged = stopped.evals_result_["valid_0"][metric.__name__]
    check_best(stopped.best_iteration_ - 1, logged, staged, **expected)

    train = lightgbm.Dataset(data.X, data.y)
    history = {}
    native = lightgbm.train(
        {"objective": "binary", "num_threads": 1, **params},
        train,
        N_ROUNDS,
        valid_sets=[train.create_valid(data.X_new, data.y_new, weight=weight)],
        feval=monitor,
        callbacks=[stop, lightgbm.record_evaluation(history)],
    )
    assert native.best_iteration == stopped.best_iteration_
    assert history["valid_0"][metric.__name__] == logged


@metrics_of_lists
@weighting
@of_lightgbm
def test_lightgbm_stops_where_lists_are_best(data, metric, options, is_weighted):
    lightgbm = require("lightgbm")
    params = {"learning_rate": 0.2, "num_leaves": 7, "verbose": -1, "metric": "None"}
    model = lightgbm.LGBMRanker(n_estimators=N_ROUNDS, n_jobs=1, **params)
    sizes = np.full(60, 10)
    plain = clone(model).fit(data.X, data.y, group=sizes)
    weight = data.of_lists if is_weighted else None
    staged = [
        group_scores(
            metric,
            data.y_new,
            plain.predict(data.X_new, num_iteration=i + 1),
            groups=data.groups,
            **options,
        ).mean(weight)
        for i in range(N_ROUNDS)
    ]
    monitor = eval_metric(metric, library="lightgbm", **options)
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    of_rows = np.repeat(weight, 10) if is_weighted else None
    stopped = model.fit(
        data.X,
        data.y,
        group=sizes,
        eval_metric=monitor,
        callbacks=[stop],
        **evaluated_by_lightgbm(
            model,
            data,
            eval_group=[sizes],
            eval_sample_weight=[of_rows] if is_weighted else None,
        ),
    )
    name = getattr(metric, "__name__", metric)
    logged = stopped.evals_result_["valid_0"][name]
    check_best(stopped.best_iteration_ - 1, logged, staged)

    train = lightgbm.Dataset(data.X, data.y, group=sizes)
    valid = train.create_valid(data.X_new, data.y_new, weight=of_rows, group=sizes)
    native = lightgbm.train(
        {"objective": "lambdarank", "num_threads": 1, **params},
        train,
        N_ROUNDS,
        valid_sets=[valid],
        feval=monitor,
        callbacks=[stop],
    )
    assert native.best_iteration == stopped.best_iteration_


@metrics
@weighting
@of_catboost
def test_catboost_stops_where_its_classifier_is_best(
    data, metric, options, is_weighted
):
    catboost = require("catboost")
    weight = weights_of(data, is_weighted)
    params = {
        "iterations": N_ROUNDS, "depth": 3, "learning_rate": 0.5, "thread_count": 1,
        "verbose": False, "allow_writing_files": False, "random_seed": 0,
    }  # fmt: skip
    plain = catboost.CatBoostClassifier(**params).fit(data.X, data.y)
    staged = [
        metric(data.y_new, scores, sample_weight=weight, **options)
        for scores in plain.staged_predict(data.X_new, prediction_type="RawFormulaVal")
    ]
    monitor = eval_metric(metric, library="catboost", **options)
    evaluated = catboost.Pool(data.X_new, data.y_new, weight=weight)
    params |= {"eval_metric": monitor, "early_stopping_rounds": PATIENCE}
    stopped = clone(catboost.CatBoostClassifier(**params))
    stopped.fit(data.X, data.y, eval_set=evaluated)
    expected = {"is_less_better": metric is rate_at_recall_score}
    logged = stopped.evals_result_["validation"][metric.__name__]
    check_best(stopped.best_iteration_, logged, staged, **expected)

    native = catboost.train(
        catboost.Pool(data.X, data.y),
        {"loss_function": "Logloss", **params},
        eval_set=evaluated,
    )
    assert native.best_iteration_ == stopped.best_iteration_
    assert native.evals_result_["validation"][metric.__name__] == logged


@of_catboost
@pytest.mark.parametrize("is_of_model", [True, False])
def test_catboost_evaluates_by_class_weights_only_with_a_warning(data, is_of_model):
    catboost = require("catboost")
    # Those of the model weigh the data evaluated, too, and of the training cases not.
    params = {
        "iterations": 12, "depth": 3, "learning_rate": 0.5, "thread_count": 1,
        "verbose": False, "allow_writing_files": False, "random_seed": 0,
    }  # fmt: skip
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
    warns = pytest.warns(UserWarning, match="multiplies the weights of all data by cl")
    with warns if is_of_model else nullcontext():
        model.fit(data.X, data.y, eval_set=(data.X_new, data.y_new), **fit)
    logged = model.evals_result_["validation"][metric.__name__]
    assert np.allclose(logged, staged) is not is_of_model
    if not is_of_model:
        assert model.best_iteration_ == np.argmax(staged)


@pytest.mark.parametrize("package", ["xgboost", "lightgbm", "catboost"])
@of_catboost
@of_lightgbm
def test_models_with_a_metric_are_searched_over_and_pickled(data, package):
    boosting = require(package)
    monitor = eval_metric(recall_at_rate_score, library=package, rate=0.2)
    if package == "catboost":
        model = boosting.CatBoostClassifier(
            iterations=3, eval_metric=monitor, verbose=False, allow_writing_files=False
        )
        fit = {"eval_set": (data.X_new, data.y_new)}
    elif package == "xgboost":
        model = boosting.XGBClassifier(n_estimators=3, n_jobs=1, eval_metric=monitor)
        fit = {"eval_set": [(data.X_new, data.y_new)], "verbose": False}
    else:
        model = boosting.LGBMClassifier(n_estimators=3, n_jobs=1, verbose=-1)
        fit = evaluated_by_lightgbm(model, data, eval_metric=monitor)
    search = GridSearchCV(model, {"learning_rate": [0.1, 0.5]}, cv=2)
    search.fit(data.X, data.y, **fit)
    loaded = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(loaded.predict(data.X), search.predict(data.X))


def monitors():
    names = ("xgboost", "lightgbm", "catboost")
    return {
        name: eval_metric(recall_at_rate_score, library=name, rate=0.2)
        for name in names
    }


@of_catboost
@pytest.mark.parametrize("of", ["xgboost", "lightgbm"])
def test_catboost_is_told_of_a_metric_for_another_library(data, of):
    catboost = require("catboost")
    model = catboost.CatBoostClassifier(
        iterations=2,
        thread_count=1,
        eval_metric=monitors()[of],
        verbose=False,
        allow_writing_files=False,
    )
    message = f"made for library='{of}', and CatBoost called.*library='catboost'"
    with pytest.raises(catboost.CatBoostError, match=message):
        model.fit(data.X, data.y, eval_set=(data.X_new, data.y_new))


@of_lightgbm
# It does not number the labels of what takes its place.
@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
@pytest.mark.parametrize(("pos_label", "label"), [(None, "stay"), (0, "leave")])
def test_labels_that_are_strings_are_numbered_in_their_order(data, pos_label, label):
    lightgbm = require("lightgbm")
    y, y_new = (np.where(labels, "stay", "leave") for labels in (data.y, data.y_new))
    monitor = eval_metric(
        recall_at_rate_score, library="LightGBM", rate=0.2, pos_label=pos_label
    )
    model = lightgbm.LGBMClassifier(
        n_estimators=3, metric="None", verbose=-1, num_threads=1
    )
    model.fit(data.X, y, eval_set=[(data.X_new, y_new)], eval_metric=monitor)
    column = model.classes_.tolist().index(label)
    scores = model.predict_proba(data.X_new)[:, column]
    expected = recall_at_rate_score(y_new, scores, rate=0.2, pos_label=label)
    logged = model.evals_result_["valid_0"]["recall_at_rate_score"]
    assert logged[-1] == pytest.approx(expected, abs=1e-12)
