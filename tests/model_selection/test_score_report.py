"""Reports per fold, their summary, and the rule of one standard error."""

import pickle
from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_validate
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from looped import case, looped
from optional import require
from scores_as_they_are import FirstColumn, fitted
from skrate import (
    AveragePrecisionScorer,
    FoldRankings,
    RateWeightedAUCScorer,
    ScoreReport,
    average_precision_score,
    cross_val_rankings,
    estimate,
    expected_gain_score,
    make_ranking_scorer,
    negative_recall_score,
    precision_at_rate_score,
    rate_weighted_auc_score,
    recall_at_rate_score,
    refit_one_standard_error,
    summarize,
)

X, Y = make_classification(300, weights=[0.8], random_state=0)
METRICS = {
    "auc": "roc_auc",
    "ap": average_precision_score,
    "rauc": partial(rate_weighted_auc_score, rate=0.2),
    "by_scorer": RateWeightedAUCScorer(rate=0.2),
}


def test_a_report_is_what_estimate_says_and_predicts_once():
    model, n_calls = LogisticRegression().fit(X, Y), []
    scores = model.decision_function(X)
    model.decision_function = lambda X: n_calls.append(1) or scores
    report = ScoreReport(METRICS)(model, X, Y)
    for name, metric in [("auc", "roc_auc"), ("ap", average_precision_score)]:
        expected = estimate(metric, Y, scores)
        assert report[name] == expected.value
        assert report[f"{name}_standard_error"] == expected.standard_error
    assert report["by_scorer"] == report["rauc"]
    assert (report["n_pos"], report["n_neg"]) == (Y.sum(), 300 - Y.sum())
    assert len(n_calls) == 1
    copy = pickle.loads(pickle.dumps(clone(ScoreReport(METRICS, pos_label=1))))
    assert copy.get_params()["pos_label"] == 1
    assert copy(model, X, Y) == report


def test_labels_may_be_strings_and_the_positive_class_chosen():
    labels = np.where(Y == 1, "b", "a")
    model = LogisticRegression().fit(X, labels)
    plain = ScoreReport(METRICS)(LogisticRegression().fit(X, Y), X, Y)
    assert ScoreReport(METRICS, pos_label="b")(model, X, labels) == plain
    other = ScoreReport({"auc": "roc_auc"}, pos_label="a")(model, X, labels)
    assert other["auc"] == pytest.approx(plain["auc"], abs=1e-12)
    assert other["n_pos"] == plain["n_neg"]


def test_weights_are_repetitions_unless_they_are_not():
    model = LogisticRegression().fit(X, Y)
    weight = np.arange(300) % 3
    report = ScoreReport({"auc": "roc_auc"})(model, X, Y, sample_weight=weight)
    rows = np.repeat(np.arange(300), weight)
    repeated = ScoreReport({"auc": "roc_auc"})(model, X[rows], Y[rows])
    assert report == pytest.approx(repeated)
    sampling = ScoreReport({"auc": "roc_auc"}, weights="sampling")
    assert sampling(model, X, Y, sample_weight=weight / 2)["n_pos"] < report["n_pos"]


def test_reports_land_in_the_results_of_a_search():
    search = GridSearchCV(
        LogisticRegression(),
        {"C": [0.01, 1]},
        scoring=ScoreReport(METRICS),
        refit="auc",
    ).fit(X, Y)
    for name in METRICS:
        assert f"mean_test_{name}_standard_error" in search.cv_results_
    assert search.cv_results_["split0_test_n_pos"].tolist() == [13, 13]
    table = summarize(search.cv_results_)
    assert [row.model for row in table] == ["C=0.01"] * 4 + ["C=1"] * 4
    assert table[0].value == pytest.approx(search.cv_results_["mean_test_auc"][0])
    assert table[0].n_folds == 5
    assert "C=0.01" in repr(table)


def test_what_is_undefined_is_counted_and_not_averaged():
    order = np.argsort(Y, kind="stable")
    report = ScoreReport({"auc": "roc_auc"})
    with pytest.warns(UndefinedMetricWarning):
        results = cross_validate(
            LogisticRegression(), X[order], Y[order], cv=KFold(5), scoring=report
        )
    (row,) = summarize(results)
    assert (row.n_undefined, row.value) == (4, 1)
    # One positive case has a value, but no standard error.
    model = LogisticRegression().fit(X, Y)
    rows = [np.flatnonzero(Y == 1)[0], *np.flatnonzero(Y == 0)[:9]]
    found = report(model, X[rows], Y[rows])
    assert np.isfinite(found["auc"])
    assert np.isnan(found["auc_standard_error"])


@looped(
    "metrics, message",
    [
        ({}, "metrics must be a dict"),
        ("auc", "metrics must be a dict"),
        ({"n_pos": "roc_auc"}, "the name 'n_pos'"),
        ({"x_standard_error": "roc_auc"}, "the name 'x_standard_error'"),
        ({1: "roc_auc"}, "the name 1"),
        (
            {"x": RateWeightedAUCScorer(rate={0: 0.1, 1: 0.2})},
            r"metrics\['x'\] has a rate for each class",
        ),
        ({"a": "accuracy"}, "metric='accuracy' is not one"),
        ({"a": recall_at_rate_score}, "needs the keyword 'rate'"),
    ],
)
def test_bad_metrics_are_named(metrics, message):
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(ValueError, match=message):
        ScoreReport(metrics)(model, X, Y)


# --- Scorers in a report -------------------------------------------------------------


def test_a_scorer_scores_as_it_does_alone():
    labels = np.where(Y == 1, "buyer", "other")
    model = SVC().fit(X, labels)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, labels)
    scorers = {
        "first": RateWeightedAUCScorer(rate=0.3, pos_label="buyer"),
        "second": RateWeightedAUCScorer(rate=0.3, pos_label="other"),
        "ap": AveragePrecisionScorer(prevalence=0.01, pos_label="buyer"),
        "predicted": AveragePrecisionScorer(
            pos_label="buyer", response_method="predict"
        ),
    }
    for ranks in (model, tree):
        report = ScoreReport(scorers)(ranks, X, labels)
        for name, scorer in scorers.items():
            assert report[name] == pytest.approx(scorer(ranks, X, labels)), name
        assert report["first"] != report["second"]
        # Every scorer names a class: the counts are of the first one's.
        assert (report["n_pos"], report["n_neg"]) == (Y.sum(), 300 - Y.sum())


def test_what_a_scorer_does_not_say_the_report_does():
    labels = np.where(Y == 1, "buyer", "other")
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, labels)
    metrics = {"function": average_precision_score, "scorer": AveragePrecisionScorer()}
    options = {"pos_label": "buyer", "response_method": "predict"}
    report = ScoreReport(metrics, **options)(tree, X, labels)
    expected = AveragePrecisionScorer(**options)(tree, X, labels)
    assert report["function"] == report["scorer"] == pytest.approx(expected)
    # The counts are the report's, whatever a scorer names.
    metrics = {"other": RateWeightedAUCScorer(pos_label="other"), **metrics}
    assert ScoreReport(metrics, **options)(tree, X, labels)["n_pos"] == Y.sum()


# --- Lists ---------------------------------------------------------------------------


# Lists of the AUC 1, 1/2 and 0, and one without a negative item. The precision of the
# first item is 1, 1, 0 and 1.
SHOWN = [
    (1, 4, "a"), (0, 3, "a"), (0, 2, "a"),
    (1, 9, "b"), (0, 5, "b"), (1, 1, "b"),
    (0, 7, "c"), (1, 6, "c"),
    (1, 8, "d"),
]  # fmt: skip
CLICKED, SHOWN_SCORES, USERS = (list(column) for column in zip(*SHOWN, strict=True))
LISTS_X = np.c_[SHOWN_SCORES, np.zeros(9)]


def mean_and_error(values):
    return {
        "value": np.mean(values),
        "error": np.std(values, ddof=1) / np.sqrt(len(values)),
    }


def found_of(report, name):
    found = {"value": report[name], "error": report[f"{name}_standard_error"]}
    return {key: pytest.approx(value, abs=1e-15) for key, value in found.items()}


def test_scorers_of_lists_give_the_mean_over_lists_by_hand():
    pandas = require("pandas")
    frame = pandas.DataFrame({"score": SHOWN_SCORES, "user": USERS})
    made = {
        "named": ("ranking_auc", {}),
        "series": ("roc_auc", {"groups": frame["user"]}),
        "precision": (precision_at_rate_score, {"k": 1}),
        "counted": ("ranking_auc", {"undefined": 0.25}),
        "less": (negative_recall_score, {"rate": 0.5, "undefined": "skip"}),
    }
    expected = {
        "named": [1, 1 / 2, 0],
        "series": [1, 1 / 2, 0],
        "precision": [1, 1, 0, 1],
        "counted": [1, 1 / 2, 0, 1 / 4],
        # Half of a list is 1.5, 1.5 or 1 items; less is better: negated.
        "less": [-0.5 / 2, -0.5, -1],
    }
    metrics = {
        name: make_ranking_scorer(metric, **{"groups": "user", **options})
        for name, (metric, options) in made.items()
    }
    model = fitted()
    report = ScoreReport(metrics | {"all": "roc_auc"})(model, frame, CLICKED)
    for name, values in expected.items():
        with case(name):
            assert found_of(report, name) == mean_and_error(values)
            assert report[name] == metrics[name](model, frame, CLICKED)
    alone = estimate("roc_auc", CLICKED, SHOWN_SCORES)
    assert report["all"] == alone.value
    assert report["all_standard_error"] == alone.standard_error
    assert (report["n_pos"], report["n_neg"]) == (5, 4)
    # Grades are relevant from a threshold on.
    grades = [4 if label else i % 3 for i, label in enumerate(CLICKED)]
    options = {"groups": "user", "relevance_threshold": 3}
    report = ScoreReport({"auc": make_ranking_scorer("ranking_auc", **options)})(
        model, frame, grades
    )
    assert found_of(report, "auc") == mean_and_error([1, 1 / 2, 0])
    assert (report["n_pos"], report["n_neg"]) == (5, 4)


def test_lists_reach_a_report_by_routing(routing):
    made = make_ranking_scorer(average_precision_score)
    metrics = {
        "lists": make_ranking_scorer("ranking_auc").set_score_request(groups=True),
        "made": made.set_score_request(groups="users"),
        "all": "roc_auc",
    }
    data = np.tile(LISTS_X, (2, 1)), CLICKED * 2
    given = {"cv": KFold(2), "params": {"groups": USERS * 2, "users": USERS * 2}}
    results = cross_validate(
        FirstColumn(), *data, scoring=ScoreReport(metrics), **given
    )
    for fold in range(2):
        found = {name: values[fold] for name, values in results.items()}
        assert found_of(found, "test_lists") == mean_and_error([1, 1 / 2, 0])
        # (1/1 + 2/3) / 2 for the second list, 1/2 for the third.
        assert found_of(found, "test_made") == mean_and_error([1, 5 / 6, 1 / 2, 1])
        alone = estimate("roc_auc", CLICKED, SHOWN_SCORES)
        assert found["test_all"] == alone.value


# --- Metadata routing ----------------------------------------------------------------

WEIGHT = np.random.default_rng(0).integers(0, 4, 300)
FOLDS = StratifiedKFold(3)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def by_hand(weight):
    """Return the AUC of folds, of models that were fitted with weights."""
    found = []
    for train, test in FOLDS.split(X, Y):
        model = LogisticRegression().fit(X[train], Y[train], WEIGHT[train])
        of_test = {} if weight is None else {"sample_weight": weight[test]}
        y_score = model.decision_function(X[test])
        found.append(rate_weighted_auc_score(Y[test], y_score, **of_test))
    return pytest.approx(np.array(found))


def test_weights_that_a_report_requests_reach_all_its_metrics(routing):
    metrics = {"auc": "roc_auc", "rauc": RateWeightedAUCScorer()}
    model = LogisticRegression().set_fit_request(sample_weight=True)
    given = {"cv": FOLDS, "params": {"sample_weight": WEIGHT}}
    for is_requested, weight in ((True, WEIGHT), (False, None)):
        report = ScoreReport(metrics).set_score_request(sample_weight=is_requested)
        results = cross_validate(model, X, Y, scoring=clone(report), **given)
        assert results["test_auc"] == by_hand(weight)
        assert results["test_rauc"] == by_hand(weight)
        of_cases = np.ones(300) if weight is None else weight
        positives = [of_cases[test] @ Y[test] for _, test in FOLDS.split(X, Y)]
        assert results["test_n_pos"].tolist() == positives


RESULTS = {
    "test_a": np.array([0.6, 0.7, 0.8, 0.9]),
    "test_a_standard_error": np.array([0.1, 0.1, 0.2, 0.2]),
    "test_n_pos": np.array([10, 10, 20, 20]),
    "test_n_neg": np.array([10, 10, 20, 20]),
    "fit_time": np.zeros(4),
}


def test_a_summary_by_hand():
    (row,) = summarize(RESULTS)
    assert (row.metric, row.value, row.n_folds) == ("a", pytest.approx(0.75), 4)
    # Variance 1 / 60 of the values, 1 / 3 for n_test / n_train.
    assert row.standard_error == pytest.approx(np.sqrt((1 / 4 + 1 / 3) / 60))
    # Weights 5, 5, 10, 10 of 30.
    assert row.pooled == pytest.approx((3 + 3.5 + 8 + 9) / 30)
    assert row.pooled_standard_error == pytest.approx(
        np.sqrt(2 * 25 * 0.01 + 2 * 100 * 0.04) / 30
    )
    low, high = row.confidence_interval
    assert low + high == pytest.approx(1.5)
    # Student's t with 3 degrees of freedom.
    assert high - row.value == pytest.approx(3.182446 * row.standard_error)


def test_one_standard_error_selects_the_simplest_of_the_best():
    # The best mean is 0.8, its standard error 0.1 / sqrt(3) = 0.058.
    scores = [[0.5] * 3, [0.75] * 3, [0.7, 0.8, 0.9], [0.76] * 3]
    simplest = [
        ("depth", 1),
        ("-depth", 3),
        (lambda params: params["depth"] % 3, 3),
        # Equally simple: the best mean.
        (lambda params: 0, 2),
    ]
    for complexity, depth in simplest:
        assert one_se(range(4), scores, complexity) == depth


def one_se(values, scores=None, complexity="depth", **kwargs):
    """Return the value that the rule selects, where all candidates are as good."""
    scores = np.full((len(values), 3), 0.5) if scores is None else np.array(scores)
    results = {f"split{j}_test_score": column for j, column in enumerate(scores.T)}
    results["params"] = [{"depth": value} for value in values]
    index = refit_one_standard_error(complexity=complexity, **kwargs)(results)
    return values[index]


def test_no_limit_is_the_most_complex():
    for order in (1, -1):
        values = [None, 2, 10**9, np.inf, None][::order]
        assert one_se(values) == 2
        assert one_se(values, complexity="-depth") == np.inf
        assert one_se(values, complexity=lambda params: params["depth"]) == 2
    assert one_se([None, None]) is None


@looped("values", [["sqrt", "log2"], ["sqrt", 0.5], [2, "3", None]])
@looped("complexity", ["depth", "-depth", lambda p: p["depth"]])
def test_what_has_no_order_is_named(values, complexity):
    with pytest.raises(ValueError, match=r"complexity.*'(sqrt|3)' .*Pass a function"):
        one_se(values, complexity=complexity)


@looped(
    "kwargs, message",
    [
        ({"complexity": 3}, "complexity must be the name"),
        ({"complexity": "width"}, "complexity='width' is not a parameter"),
        ({"complexity": "depth", "min_defined": 2}, "min_defined"),
        ({"complexity": "depth", "metric": "auc"}, "metric='auc' is not in"),
    ],
)
def test_bad_rules_are_named(kwargs, message):
    with pytest.raises(ValueError, match=message):
        one_se([0, 1], **kwargs)


# --- Rankings of folds ---------------------------------------------------------------


@looped("weights", ["whole", "sampling"])
def test_rankings_are_scored_as_cross_validate_scores_their_models(weights):
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    report, given = ScoreReport(METRICS), {}
    rng = np.random.default_rng(0)
    if weights == "whole":
        given = {"sample_weight": rng.integers(0, 3, len(Y))}
    elif weights == "sampling":
        given = {"sample_weight": rng.uniform(1, 2, len(Y))}
        report = ScoreReport(METRICS, weights="sampling")
    rankings = cross_val_rankings(LogisticRegression(), X, Y, cv=cv, **given)
    found = report.score_rankings(rankings)
    expected = []
    for train, test in cv.split(X, Y):
        model = LogisticRegression().fit(X[train], Y[train])
        of_fold = {name: values[test] for name, values in given.items()}
        expected.append(report(model, X[test], Y[test], **of_fold))
    assert list(found) == [f"test_{name}" for name in expected[0]]
    for name in expected[0]:
        values = [scores[name] for scores in expected]
        assert found[f"test_{name}"] == pytest.approx(values, rel=1e-12)
    assert "rauc" in repr(summarize({"logistic": found}))


def test_rankings_have_no_lists_and_no_worth_of_cases():
    rankings = FoldRankings(Y, X[:, 0], np.arange(300) % 3)
    of_lists = make_ranking_scorer("ranking_auc", groups="user")
    worth = make_ranking_scorer(expected_gain_score, gain="worth")
    for metric, data, message in (
        (of_lists, rankings, "'m'.* is a mean over lists"),
        (worth, rankings, "gain or cost per"),
        ("roc_auc", Y, "must be what cross_val_rankings returns"),
    ):
        with pytest.raises(ValueError, match=message):
            ScoreReport({"m": metric}).score_rankings(data)
