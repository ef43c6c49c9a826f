"""Numbers that functions take: all are read in one place, or an error names them."""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

import skrate
from looped import looped
from optional import require
from skrate import RankBoostClassifier, RankTable, rates

BETA = rates.beta(2, 3)
FOLDS = [0.7, 0.8]


def refitted(scores):
    results = {f"split{i}_test_score": [score, 0.1] for i, score in enumerate(scores)}
    return skrate.refit_best()(results)


def simplest(scores):
    results = {f"split{i}_test_score": [score, 0.1] for i, score in enumerate(scores)}
    results["params"] = [{"depth": 1}, {"depth": 2}]
    rule = skrate.refit_best(rule="one_standard_error", complexity="depth")
    return rule(results)


# Those that take an array of shares, by the name of the argument.
OF_SHARES = {
    "survival": ("x", BETA.survival),
    "limited_mean": ("x", BETA.limited_mean),
    "density": ("x", BETA.density),
    "ppf": ("q", BETA.ppf),
    "mean_survival, low": ("low", lambda x: BETA.mean_survival(x, 1.0)),
    "mean_survival, high": ("high", lambda x: BETA.mean_survival(0.0, x)),
    "convert_rauc to expected recall": (
        "value",
        partial(skrate.convert_rauc, to="expected_recall", rate=0.5, prevalence=0.2),
    ),
    "convert_rauc": (
        "value",
        partial(skrate.convert_rauc, to="rauc", rate="uniform", prevalence=0.2),
    ),
}
OTHERS = {
    "pos": ("pos", lambda x: RankTable(x, [1, 2])),
    "neg": ("neg", lambda x: RankTable([1, 2], x)),
    "thresholds": ("thresholds", lambda x: RankTable([1, 2], [1, 2], x)),
    "a": ("a", lambda x: skrate.compare_folds(x, FOLDS)),
    "b": ("b", lambda x: skrate.compare_folds(FOLDS, x)),
    "refit_best": ("split", refitted),
    "one_standard_error": ("split", simplest),
}
OF_FOLDS = ["a", "b", "refit_best", "one_standard_error"]
ALL = OF_SHARES | OTHERS


def pandas_na():
    return [require("pandas").NA, 0.3]


def pandas_nat():
    return [require("pandas").NaT, 0.3]


NO_NUMBERS = {
    "text": lambda: ["0.7", "0.3"],
    "bytes": lambda: np.array([b"0.7", b"0.3"]),
    "text as objects": lambda: np.array(["0.7", 0.3], dtype=object),
    "too large": lambda: [10**400, 0.3],
    "too small": lambda: [-(10**400), 0.3],
    "complex": lambda: [1j, 0.3],
    "a dict": lambda: [{}, 0.3],
    "dates": lambda: np.array(["2020-01-01", "2019-01-01"], dtype="M8[D]"),
    "ragged": lambda: [[0.7], [0.3, 0.2]],
    "records": lambda: np.array([(0.7, 0.3)] * 2, dtype=[("u", float), ("v", float)]),
}
MISSING = {
    "masked": lambda: np.ma.array([0.7, 0.3], mask=[True, False]),
    "masked objects": lambda: np.ma.array([0.7, 0.3], mask=[1, 0], dtype=object),
    "None": lambda: [None, 0.3],
    "pandas.NA": pandas_na,
    "pandas.NaT": pandas_nat,
}


@looped("kind", NO_NUMBERS)
@looped("name", ALL)
def test_what_is_no_number_is_an_error_that_names_it(name, kind):
    argument, function = ALL[name]
    with pytest.raises(ValueError, match=argument):
        function(NO_NUMBERS[kind]())


@pytest.mark.parametrize("kind", MISSING)
@looped("name", [name for name in ALL if name not in OF_FOLDS])
def test_a_missing_number_is_an_error_that_names_it(name, kind):
    argument, function = ALL[name]
    with pytest.raises(ValueError, match=argument):
        function(MISSING[kind]())


@looped("value", ["0.3", 10**400, None, 1j, {}])
@looped("name", OF_SHARES)
def test_one_number_is_read_as_many_are(name, value):
    argument, function = OF_SHARES[name]
    with pytest.raises(ValueError, match=argument):
        function(value)


@looped("name", OF_SHARES)
def test_nothing_masked_is_no_reason_to_refuse(name):
    function = OF_SHARES[name][1]
    values = [0.3, 0.4]
    found = function(np.ma.array(values, mask=False))
    assert found.tolist() == np.asarray(function(values)).tolist()


@pytest.mark.parametrize("kind", ["None", "pandas.NA", "pandas.NaT", "nan"])
def test_a_fold_without_a_score_is_left_out(kind):
    first = {"nan": lambda: [np.nan, 0.3]}.get(kind) or MISSING[kind]
    scores = [*first(), 0.6, 0.5]
    other = [0.1, 0.2, 0.4, 0.1]
    sizes = {"n_train": 3, "n_test": 1}
    with pytest.warns(UndefinedMetricWarning, match="1 of 4"):
        found = skrate.compare_folds(scores, other, **sizes)
    expected = skrate.compare_folds([0.3, 0.6, 0.5], other[1:], **sizes)
    assert found.value == expected.value
    assert found.pvalue == expected.pvalue


@looped("extreme", [np.inf, -np.inf, 1e151])
def test_a_score_whose_square_is_no_number_is_an_error(extreme):
    scores = [0.7, extreme, 0.6]
    with pytest.raises(ValueError, match=r"^a .*1e\+150"):
        skrate.compare_folds(scores, [0.1, 0.2, 0.3])


@looped("infinite", [np.inf, -np.inf, np.nan])
def test_a_candidate_without_a_finite_score_is_not_selected(infinite):
    results = {
        "split0_test_score": [0.5, infinite, 0.6],
        "split1_test_score": [0.5, 0.9, 0.6],
    }
    with pytest.warns(UndefinedMetricWarning, match="without 1"):
        assert skrate.refit_best()(results) == 2


def fitted(**parameters):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = (X[:, 0] + np.random.default_rng(1).normal(size=40) > 0).astype(int)
    return RankBoostClassifier(**parameters).fit(X, y)


@looped("scoring", [False, 0, {}, (), [], 1.5])
def test_a_scorer_is_a_name_or_a_function(scoring):
    with pytest.raises(ValueError, match="scoring"):
        fitted(scoring=scoring, n_iter_no_change=2)


@looped("tol", [-1e-9, np.nan, "0", None, {}, 10**400])
def test_the_tolerance_is_a_number_from_0_on(tol):
    with pytest.raises(ValueError, match="tol"):
        fitted(tol=tol)


def test_a_learning_rate_is_no_more_than_floats_allow():
    for rate in (1e308, 51):
        with pytest.raises(ValueError, match=r"learning_rate.*50"):
            fitted(learning_rate=rate)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fitted(learning_rate=50)
    assert np.isfinite(model.estimators_["weight"]).all()


def flags():
    y_true, y_score = [1, 0, 1, 0], [4, 3, 2, 1]
    return {
        "adjusted": partial(skrate.average_precision_score, y_true, y_score),
        "stratify": partial(skrate.estimate, "roc_auc", y_true, y_score),
    }


@looped("value", ["yes", 2, 1.0, np.nan, {}, ()])
@looped("name", flags())
def test_an_option_is_true_or_false(name, value):
    with pytest.raises(ValueError, match=rf"{name}.*True.*False"):
        flags()[name](**{name: value})


@looped(
    "given, hint",
    [
        (
            stats.rv_histogram(([1, 2], [0, 0.5, 1])),
            r"rate.*rv_histogram\(\.\.\.\)\(\)",
        ),
        (stats.rv_discrete(values=([0, 1], [0.5, 0.5])), r"rate.*rv_sample.*freeze"),
        (stats.uniform, "rate"),
        (stats.beta, "beta"),
    ],
)
def test_a_distribution_that_is_not_frozen_is_told_how(given, hint):
    with pytest.raises(ValueError, match=hint):
        skrate.recall_at_rate_score([1, 0], [2, 1], rate=given)


@looped("level", [1 - 1e-16, 1e-300])
def test_a_level_may_be_extreme(level):
    y_true, y_score = [1, 0, 1, 0, 1, 0], [3, 2, 1, 2, 3, 1]
    groups = [0, 0, 1, 1, 2, 2]
    lists = skrate.group_scores("roc_auc", [1, 0] * 3, [2, 1] * 3, groups=groups)
    spread = skrate.group_scores("roc_auc", y_true, y_score, groups=groups)
    for found in (
        lists.estimate(confidence_level=level),
        spread.estimate(confidence_level=level),
        skrate.estimate("roc_auc", y_true, y_score, confidence_level=level),
        skrate.compare_folds([0.5, 0.5, 0.5], [0.5] * 3, confidence_level=level),
        skrate.compare_folds([0.5, 0.6, 0.5], [0.5] * 3, confidence_level=level),
    ):
        low, high = found.confidence_interval
        assert low <= found.value <= high
