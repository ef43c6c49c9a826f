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


@looped("value", [-0.1, 1.5, 3.0, np.inf, [[0.1, -1e-8]]])
@looped("name", OF_SHARES)
def test_a_share_lies_between_none_and_all(name, value):
    argument, function = OF_SHARES[name]
    with pytest.raises(ValueError, match=rf"{argument}"):
        function(value)


@looped("name", OF_SHARES)
def test_nothing_masked_is_no_reason_to_refuse(name):
    function = OF_SHARES[name][1]
    values = [0.3, 0.4]
    found = function(np.ma.array(values, mask=False))
    assert found.tolist() == np.asarray(function(values)).tolist()


def test_an_expected_recall_that_no_ranking_has_is_refused():
    convert = partial(skrate.convert_rauc, to="rauc", rate=0.1, prevalence=0.2)
    assert convert([0, 0.25, 0.5]).tolist() == [0, 0.5, 1]
    with pytest.raises(ValueError, match=r"value.*0.*0\.5"):
        convert(0.6)
    # By rounding only: it is the best there is.
    assert convert(0.5 * (1 + 1e-14)) == 1


@looped("to", ["expected_recall", "rauc"])
def test_what_is_undefined_stays_so(to):
    found = skrate.convert_rauc([0.5, np.nan], to=to, rate="uniform", prevalence=0.2)
    assert np.isnan(found).tolist() == [False, True]


def test_thresholds_without_a_sign_decrease_all_the_same():
    assert RankTable([1, 2], [1, 2], np.array([3, 1], dtype="u1")).n_groups == 2


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


@looped("exponent", [-300, 300])
def test_the_unit_of_scores_is_free(exponent):
    a, b = np.array([0.75, 0.5, 1.0]), np.array([0.25, 0.5, 0.125])
    unit = 2.0**exponent
    plain, far = skrate.compare_folds(a, b), skrate.compare_folds(a * unit, b * unit)
    assert far.pvalue == plain.pvalue
    for name in ("value", "value_a", "value_b", "standard_error"):
        assert getattr(far, name) == getattr(plain, name) * unit


@looped("score_range", [("0", 1), (0, 10**400), (None, {}), (1j, 2)])
def test_the_ends_of_a_range_are_numbers(score_range):
    with pytest.raises(ValueError, match="score_range"):
        skrate.compare_folds(FOLDS, [0.5, 0.6], score_range=score_range)


def test_large_integers_that_float64_tells_apart_are_fine():
    X = np.array([[2**53], [2**53 + 2], [2**60], [4]])
    assert RankBoostClassifier().fit(X, [0, 1, 0, 1]).n_estimators_


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
        model = fitted(learning_rate=50, verbose=0)
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


@looped("name", flags())
def test_booleans_of_numpy_are_options(name):
    flags()[name](**{name: np.bool_(False)})


def boosted(value):
    X = SCORES[:, None]
    model = RankBoostClassifier(5, learning_rate=value, random_state=0).fit(X, LABELS)
    return model.decision_function(X).tolist()


LABELS = np.arange(200) * 7919 % 200 < 80
SCORES = LABELS + np.arange(200) * 104729 % 200 / 60
# What is computed with one number, which may be of few bits or of many.
OF_NUMBERS = {
    "precision": lambda value: skrate.average_precision_score(
        LABELS, SCORES, prevalence=value
    ),
    "adjusted": lambda value: skrate.average_precision_score(
        LABELS, SCORES, prevalence=value, adjusted=True
    ),
    "recall": lambda value: skrate.recall_at_rate_score(LABELS, SCORES, rate=value),
    "rauc": lambda value: skrate.rate_weighted_auc_score(LABELS, SCORES, rate=value),
    "estimate": lambda value: skrate.estimate(
        "roc_auc", LABELS, SCORES, confidence_level=value
    ),
    "compare": lambda value: (
        skrate.compare(
            "roc_auc", LABELS, SCORES, -SCORES, confidence_level=value
        ).confidence_interval
    ),
    "boosting": boosted,
}


@looped("dtype", [np.float16, np.float32, np.longdouble])
@looped("name", OF_NUMBERS)
def test_a_number_counts_whatever_its_bits(name, dtype):
    function, value = OF_NUMBERS[name], dtype(0.013)
    assert repr(function(value)) == repr(function(float(value)))


def test_a_number_of_few_bits_counts_resamples():
    few, plain = (
        skrate.estimate(
            "roc_auc", LABELS, SCORES, method="bootstrap", n_resamples=n, random_state=0
        )
        for n in (np.int8(100), 100)
    )
    assert repr(few) == repr(plain)


@looped("points", [(), np.float32(0.3), np.array(0.3), {}, None, 0.5])
def test_what_is_no_curve_is_named(points):
    require("matplotlib")
    with pytest.raises(ValueError, match="rates"):
        skrate.HitCurveDisplay(points, [0, 0.5])
    with pytest.raises(ValueError, match="hits"):
        skrate.HitCurveDisplay([0, 1], points)


def test_points_are_a_curve_whatever_their_index():
    require("matplotlib")
    pandas = require("pandas")
    rate = pandas.Series([0, 1.0], index=[5, 6])
    assert skrate.HitCurveDisplay(rate, [0, 0.5]).prevalence == 0.5
    both = np.array([[0, 1.0], [0, 1.0]])
    assert len(skrate.HitCurveDisplay(both, both / 2).curves) == 2


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
