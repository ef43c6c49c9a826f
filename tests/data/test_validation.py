"""The checks of arguments: what passes, and each message."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import skrate
from looped import case, looped
from optional import require
from skrate.curves.fold_tables import check_rates
from skrate.curves.hit_curve import QuasiConcaveHitCurve
from skrate.data import checks as v


def one_dimensional(*cells):
    """Return objects as an array, tuples included."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


@looped(
    "labels, pos_label, expected",
    [
        ([0, 1], None, [False, True]),
        ([-1, 1], None, [False, True]),
        ([False, True], None, [False, True]),
        ([0.0, 1.0], None, [False, True]),
        ([1, 1], None, [True, True]),
        ([0, 0], None, [False, False]),
        ([-1, -1], None, [False, False]),
        ([0, 1], 0, [True, False]),
        ([0, 1], False, [True, False]),
        (["a", "b"], "a", [True, False]),
        (["a", "a"], "b", [False, False]),
        ([3, 3], 7, [False, False]),
        (np.array(["a", "b"], dtype=object), "b", [False, True]),
        (np.array([0, 1], dtype=object), None, [False, True]),
        (np.array([b"n", b"y"]), b"y", [False, True]),
        (np.array([True, False], dtype=object), None, [True, False]),
        (np.array([True, 0], dtype=object), 1, [True, False]),
        (np.array([0, 1], dtype=">i4"), 1, [False, True]),
        ([0, 1], np.int64(1), [False, True]),
        ([0, 1], np.bool_(True), [False, True]),
        ([0, 1], 1.0, [False, True]),
        ([False, True], 1, [False, True]),
        (["a", "b"], np.str_("b"), [False, True]),
        (np.array(["a", np.str_("b")], dtype=object), "b", [False, True]),
        ([3, 3], Fraction(7, 2), [False, False]),
        (one_dimensional((0, 1), (1, 0)), (1, 0), [False, True]),
    ],
)
def test_positive_cases_are_found(labels, pos_label, expected):
    assert v.check_labels(np.asarray(labels), pos_label).tolist() == expected


@looped(
    "labels, pos_label, message",
    [
        ([0, 2], None, r"0.*2.*pos_label=0.*pos_label=2"),
        ([2, 2], None, r"2.*pos_label=2"),
        ([0, 1, -1], None, r"y_true.*3.*-1.*0.*1"),
        (range(9), None, r"9.*0.*1.*2.*3.*4.*5.*y_true"),
        (range(9), None, "relevance_threshold="),
        (np.arange(40) / 7, None, r"y_true.*y_score.*40"),
        (range(11), None, r"y_true.*y_score"),
        ([*range(11)] * 3, None, r"11.*y_true"),
        (np.arange(10) / 2, None, r"10.*y_true"),
        (list("abc"), "a", r"3.*'a'.*'b'.*'c'"),
        (["a", "b"], None, r"pos_label='a'.*pos_label='b'"),
        ([0, 1], 2, r"pos_label=2.*0.*1"),
        ([0, 1], "1", r"pos_label='1'.*y_true"),
        (["0", "1"], 1, r"pos_label=1.*y_true"),
        ([0.0, np.nan], None, r"y_true.*NaN.*1"),
        ([0.0, np.inf], None, r"y_true.*1"),
        (np.array(["a", None], object), "a", r"y_true.*NaN.*1"),
        (np.array(["a", np.nan], object), "a", r"y_true.*NaN.*1"),
        (np.array(["b", np.nan]), "b", r"'nan'.*1"),
        (np.array([1j, 0]), 0, r"y_true.*complex128"),
        (np.array([{}, {}], object), 0, "'dict'"),
        (np.array(["2020"], "M8[s]"), 0, r"y_true.*datetime64\[s\]"),
        ([0, 0], "b", r"pos_label='b'.*y_true"),
        (["a", "a"], 1, r"pos_label=1.*y_true.*'a'"),
        (["a", "a"], b"a", r"pos_label=.*'a'.*y_true"),
        ([0, 0], [0], r"pos_label=.*0"),
        ([0, 1], float("nan"), r"pos_label=nan.*y_true"),
        (np.array(["a", 1], object), "a", r"'int'.*'str'"),
        (["a", b"a"], "a", r"'bytes'.*'str'"),
        ([2**60, 2**60 + 1, 0.5], 0.5, r"3.*1152921504606846977"),
        (np.array([0, np.nan], object), None, r"y_true.*NaN"),
    ],
)
def test_bad_labels_are_named(labels, pos_label, message):
    with pytest.raises(ValueError, match=message):
        v.check_labels(v.check_vector("y_true", labels), pos_label)


@looped(
    "value, options, bounds",
    [
        (0, {}, r"\(0, 1\)"),
        (1, {}, r"\(0, 1\)"),
        (0, {"include_one": True}, r"\(0, 1\]"),
        (1.5, {"include_one": True}, r"\(0, 1\]"),
        (1, {"include_zero": True}, r"\[0, 1\)"),
        (-1e-9, {"include_zero": True, "include_one": True}, r"\[0, 1\]"),
        (True, {"include_one": True}, r"\(0, 1\]"),
        ("0.5", {}, r"\(0, 1\)"),
        (None, {}, r"\(0, 1\)"),
        (float("nan"), {}, r"\(0, 1\)"),
        (10**400, {}, r"\(0, 1\)"),
        (Fraction(1, 10**400), {}, r"\(0, 1\)"),
        (Fraction(10**20 - 1, 10**20), {}, r"\(0, 1\)"),
        (Decimal("0.5"), {}, r"\(0, 1\)"),
        (np.array([0.5]), {}, r"\(0, 1\)"),
    ],
)
def test_bad_fractions_are_named(value, options, bounds):
    with pytest.raises(ValueError, match=rf"name.*{bounds}"):
        v.check_fraction("name", value, **options)
    assert v.check_fraction("name", 0, include_zero=True) == 0
    assert v.check_fraction("name", 1, include_one=True) == 1


def test_what_is_beyond_0_or_1_by_rounding_is_0_or_1():
    above, below = np.arange(0.1, 1.01, 0.05)[-1], 0.3 - 0.2 - 0.1
    assert above > 1
    assert below < 0
    y_true, scores = np.repeat([0, 1], 10), np.arange(20) % 7
    calls = [
        lambda one, _: v.check_fraction("x", one, include_one=True),
        lambda _, zero: v.check_fraction("x", zero, include_zero=True),
        lambda one, zero: v.check_fractions("x", [zero, one]).tolist(),
        lambda one, _: skrate.recall_at_rate_score(y_true, scores, rate=one),
        lambda one, _: skrate.fpr_at_recall_score(y_true, scores, recall=one),
        lambda one, zero: skrate.partial_auc_score(y_true, scores, fpr=(zero, one)),
        lambda one, zero: check_rates("x", [zero, one]).tolist(),
        lambda one, zero: (
            QuasiConcaveHitCurve(0.8, 0.25, 0.3).hits([zero, one]).tolist()
        ),
        lambda one, zero: skrate.labels.noisy(y_true, one, 1 - zero).pos.tolist(),
    ]
    for call in calls:
        assert call(above, below) == call(1.0, 0.0)
    # A test that is as good as random: it finds the prevalence of what is processed.
    assert QuasiConcaveHitCurve(0.3, 0.1, 0.1 + 0.2).hits(0.5) == pytest.approx(0.15)
    with pytest.raises(ValueError, match=r"x.*1\.000001"):
        v.check_fraction("x", 1.000001, include_one=True)


BAD = {
    "must be an integer >= 1": (v.check_count, [0, -1, 2.0, "2", None, True]),
    "must be a finite number above 0": (
        v.check_positive,
        [0, -1.0, np.inf, np.nan, "1", None, True, 10**400, Fraction(1, 10**400), 1j],
    ),
    "must be a finite number": (v.check_number, [np.inf, np.nan, "1", None, True]),
    r"must be one of \['a', 'b'\]": (
        lambda name, value: v.check_choice(name, value, ("b", "a")),
        ["c", 1, None, ["a"]],
    ),
    "name must be None or an integer other than 0": (
        v.check_n_jobs,
        [np.inf, np.nan, 0, 1.5, "two", True],
    ),
    "must be None, an integer >= 0": (
        lambda _, value: v.check_generator(value),
        [-1, "seed", 1.5],
    ),
}


@looped("message", BAD)
def test_bad_values_are_named(message):
    check, values = BAD[message]
    for value in values:
        with case(value), pytest.raises(ValueError, match=rf"{message}"):
            check("name", value)


def test_counts_pass():
    assert v.check_count("name", np.int64(3)) == 3
    assert v.check_count("name", 0, minimum=0) == 0
    with pytest.raises(ValueError, match=r"name.*2.*1"):
        v.check_count("name", 1, minimum=2)
    with pytest.raises(ValueError, match=r"name.*1000"):
        v.check_count("name", 10**30)
    assert [v.check_n_jobs("name", n) for n in (None, -1, np.int8(2))] == [None, -1, 2]
    assert v.check_choice("name", "a", ("b", "a")) == "a"


def test_generators_come_from_anything_that_seeds_one():
    generator = np.random.default_rng(0)
    assert v.check_generator(generator) is generator
    assert v.check_generator(3).random() == np.random.default_rng(3).random()
    assert v.check_generator(None).random() != v.check_generator(None).random()
    old = [v.check_generator(np.random.RandomState(3)).random() for _ in range(2)]
    assert old[0] == old[1]
    state = np.random.RandomState(3)
    assert v.check_generator(state).random() != v.check_generator(state).random()


def test_counts_are_integers_of_a_least_size():
    assert v.check_counts("name", 3).tolist() == 3
    assert v.check_counts("name", [[0, 2]]).tolist() == [[0, 2]]
    assert v.check_counts("name", np.array([2], np.uint8)).dtype == np.intp
    with pytest.raises(ValueError, match="name"):
        v.check_counts("name", [1.0])
    with pytest.raises(ValueError, match=r"name.*2.*1"):
        v.check_counts("name", [3, 1], minimum=2)
    with pytest.raises(ValueError, match="name"):
        v.check_counts("name", np.array([2**63], np.uint64))
    with pytest.raises(ValueError, match="name"):
        v.check_counts("name", np.ma.array([1, 2], mask=[0, 1]))


@looped("given", [list, tuple, np.array])
def test_what_numpy_makes_of_missing_labels_is_no_label(given):
    for missing in (float("nan"), np.nan, None):
        labels = v.check_vector("y_true", given(["b", missing, "b"]))
        with pytest.raises(ValueError, match=r"y_true.*1"):
            v.check_labels(labels, "b")


@looped(
    "cells, dtype",
    [
        ([-(2**63), 2**63 - 1], np.int64),
        ([2**64 - 2, 2**64 - 1], np.uint64),
        ([-1, 2**64], np.float64),
        ([2**63 + 1, -1, 2**70], np.float64),
        ([1, 0.5], np.float64),
        ([0.1, Fraction(1, 3)], np.float64),
        ([np.bool_(True), 2], np.int64),
    ],
)
def test_objects_are_scores_of_the_dtype_that_tells_them_apart(cells, dtype):
    scores = v.check_scores("name", np.array(cells, dtype=object))
    assert scores.dtype == dtype
    assert scores.tolist() == [dtype(cell) for cell in cells]


@looped(
    "cells",
    [
        [10**30, 10**30 + 1],
        [2**53, 2**53 + 1, 0.5],
        [2**64 - 1, 2**64 - 2, -1],
        [Fraction(1, 3), Fraction(10**20 + 1, 3 * 10**20)],
    ],
)
def test_objects_that_floats_would_make_equal_are_refused(cells):
    for given in (np.array(cells, dtype=object), cells):
        with pytest.raises(ValueError, match="y_score"):
            v.check_scores("y_score", given)


Y6, S6 = [0, 1, 0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
SNAN, HUGE = Decimal("sNaN"), 10**400
FOLD, RAGGED = [0, 0, 0, 1, 1, 1], [[1], [2, 3]]
TOO_LARGE = np.full(6, np.longdouble("1e4000"))


def with_cell(values, cell):
    """Return values as objects, the third of which is another."""
    return one_dimensional(*values[:2], cell, *values[3:])


def scorer_of(y):
    model = LogisticRegression().fit(np.c_[S6], Y6)
    return skrate.RateWeightedAUCScorer()(model, np.c_[S6], y)


# Each with what was raised or warned of before: numpy's or decimal's own.
ILL = {
    "a label beyond float64": (
        lambda: skrate.average_precision_score(with_cell(np.ones(6), HUGE), S6),
        "y_true",
    ),
    "a positive label without equality": (
        lambda: skrate.average_precision_score(Y6, S6, pos_label=SNAN), "pos_label",
    ),
    "positive labels": (
        lambda: skrate.average_precision_score(Y6, S6, pos_label=np.arange(2)),
        "pos_label",
    ),
    "complex ends of a window": (
        lambda: skrate.partial_auc_score(Y6, S6, fpr=np.array([0, 0.5j])), "fpr",
    ),
    "rates beyond float64": (
        lambda: skrate.curve_band(Y6, S6, at=TOO_LARGE), r"\bat\b.*inf",
    ),
    "samples of rates beyond float64": (
        lambda: skrate.rates.empirical(TOO_LARGE), "samples.*inf",
    ),
    "groups of raw bytes": (
        lambda: skrate.ranking_auc_score(Y6, S6, groups=np.zeros(6, "V4")),
        r"groups.*V4",
    ),
    "ragged weights of lists": (
        lambda: skrate.ranking_auc_score(Y6, S6, groups=FOLD, average=RAGGED),
        "average",
    ),
    "ragged repeats": (
        lambda: skrate.FoldRankings(Y6, S6, FOLD, repeats=RAGGED), "repeats",
    ),
    "a number as the models of folds": (
        lambda: skrate.FoldRankings(Y6, S6, FOLD, estimators=3), "estimators",
    ),
    "lists among the scores of folds": (
        lambda: skrate.compare_folds([0.1, 0.2], one_dimensional(0.1, [1])), r"\bb\b",
    ),
    "a cost in words": (
        lambda: skrate.select_best(
            "roc_auc", Y6, {"a": S6, "b": S6[::-1]}, margin=0.1, cost={"a": "x", "b": 1}
        ),
        "cost.*'x'",
    ),
    "a cost without a value": (
        lambda: skrate.select_best(
            "roc_auc", Y6, {"a": S6, "b": S6}, margin=0.1, cost={"a": SNAN, "b": 1}
        ),
        "cost",
    ),
    "a duration as a number": (
        lambda: skrate.rates.beta(np.timedelta64(3, "s"), 2), r"\ba\b",
    ),
    "a duration as a count": (
        lambda: skrate.recall_at_rate_score(Y6, S6, k=np.timedelta64(3, "s")), r"\bk\b",
    ),
    "labels to train on": (
        lambda: skrate.RankBoostClassifier().fit(np.c_[S6], with_cell(Y6, SNAN)),
        r"\by\b",
    ),
    "labels to choose a threshold by": (
        lambda: skrate.ConstrainedThresholdClassifier(
            LogisticRegression(), rate=0.5
        ).fit(np.c_[S6], with_cell(Y6, SNAN)),
        r"\by\b",
    ),
    "labels of a scorer": (lambda: scorer_of(with_cell(Y6, SNAN)), "y_true"),
    "a number as a curve": (lambda: skrate.RateAveragedROC(3), "curve"),
    "a number as ratios": (
        lambda: skrate.displays.AUCErrorRateDisplay.from_class_ratios(0.1),
        "class_ratios",
    ),
}  # fmt: skip


@looped("what", list(ILL))
def test_what_numpy_cannot_take_is_named(what):
    call, message = ILL[what]
    with pytest.raises(ValueError, match=message):
        call()


def test_missing_values_of_pandas_and_lazy_frames_are_named():
    pandas = require("pandas")
    with pytest.raises(ValueError, match="y_true"):
        scorer_of(with_cell(Y6, pandas.NA))
    lazy = require("polars").LazyFrame({"a": S6, "b": S6})
    with pytest.raises(ValueError, match=r"y_score.*y_score\.collect\(\)"):
        skrate.select_best("roc_auc", Y6, lazy)


def test_what_messages_suggest_works():
    days = [np.datetime64("2020-01-01") + np.timedelta64(i, "D") for i in range(6)]
    rows, more = np.array([[1, 0, 1], [0, 1, 0]]), [[1, 2, 3], [3, 2, 1]]
    records = np.array([(x, x) for x in S6], dtype=[("a", float), ("b", float)])
    for given, function, y_true, y_score in (
        ("days", skrate.rate_weighted_auc_score, Y6, days),
        ("records", skrate.rate_weighted_auc_score, Y6, records),
        ("rows", skrate.ranking_auc_score, rows, more),
    ):
        with case(given), pytest.raises(ValueError, match=": pass ") as found:
            function(y_true, y_score)
        advice = re.search(r": pass (?:a field, such as )?(.*)\.$", str(found.value))[1]
        names = {"np": np, "numpy": np, "y_true": y_true, "y_score": y_score}
        arguments = advice if "y_true" in advice else f"y_true, {advice}"
        assert 0 <= eval(f"score({arguments})", names | {"score": function}) <= 1
    with pytest.raises(ValueError, match=r"pass skrate\.select_best\("):
        skrate.displays.BestModelDisplay(S6)


CLASSES = np.array([0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1])
TRUE = np.array([0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0])
TAKING_SCORES = {
    "score function": lambda s: skrate.rate_weighted_auc_score(TRUE, s),
    "list score": lambda s: skrate.mean_average_precision_score(TRUE, s),
    "estimate": lambda s: skrate.estimate("roc_auc", TRUE, s),
    "compare": lambda s: skrate.compare("roc_auc", TRUE, np.arange(12), s),
    "models": lambda s: skrate.estimate("roc_auc", TRUE, {"a": np.arange(12), "b": s}),
    "budget_report": lambda s: skrate.budget_report(TRUE, s, rate=0.5),
    "folds": lambda s: skrate.FoldRankings(TRUE, s, np.arange(12) % 2),
}


@looped("name", TAKING_SCORES)
def test_predicted_classes_are_no_scores(name):
    for classes in (CLASSES, CLASSES == 1, 2 * CLASSES - 1):
        with pytest.warns(UserWarning, match=r"y_score.* as predicted classes.*proba"):
            TAKING_SCORES[name](classes)
    # Probabilities of a tree, ranks and few cases.
    v.warn_class_scores("y_score", CLASSES * 1.0)
    v.warn_class_scores("y_score", CLASSES + 1)
    v.warn_class_scores("y_score", np.append(CLASSES, 2))
    v.warn_class_scores("y_score", CLASSES[:9])


MEANT = {
    "alpha": ({"alpha": 0.05}, "confidence_level=, 1 - alpha"),
    "n_boot": ({"n_boot": 99}, "n_resamples="),
    "seed": ({"seed": 1}, "random_state="),
    "a percentage": ({"confidence_level": 95}, r"mean 0\.95\?"),
    "a power": ({"method": "delong"}, "'delta' is DeLong's variance"),
    "an estimator": ({"y_score_a": LogisticRegression()}, "y_score_a.*predict_proba"),
}


@looped("name", MEANT)
def test_what_is_meant_is_named(name):
    given, message = MEANT[name]
    scores = {"y_score_a": np.arange(12), "y_score_b": -np.arange(12)} | given
    with pytest.raises(ValueError, match=message):
        skrate.compare("roc_auc", TRUE, **scores)


def test_the_sizes_of_lists_are_no_groups():
    message = (
        r"y_true has 12, groups has 3: .*np.repeat\(range\(len\(sizes\)\), sizes\)"
    )
    for function in (skrate.ndcg_score, skrate.ranking_auc_score):
        with pytest.raises(ValueError, match=message):
            function(TRUE, np.arange(12), groups=[4, 6, 2])
        with pytest.raises(ValueError, match=r"groups has 3\.$"):
            function(TRUE, np.arange(12), groups=[4, 6, 3])


@looped(
    "rows",
    [
        [[1, 0], [0, 1, 0]],
        ([1, 0], [0, 1, 0]),
        [(1, 0), (0, 1, 0)],
        [np.array([1, 0]), np.array([0, 1, 0])],
        one_dimensional([1, 0], [0, 1, 0]),
    ],
)
def test_lists_of_unequal_lengths_are_told_how_to_be_passed(rows):
    scores = [[0.9, 0.8], [0.1, 0.2, 0.3]]
    message = r"^y_\w+ has 2 lists: pass np.concatenate\(y_\w+\), .* groups=.*\[2, 3\]"
    for call in (
        lambda: skrate.ndcg_score(rows, scores),
        lambda: skrate.recall_at_rate_score(rows, scores, k=1),
        lambda: skrate.estimate("roc_auc", rows, scores),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    # As the message says; one of two positives is the first of its list.
    groups = np.repeat(range(2), list(map(len, rows)))
    flat = np.concatenate(rows), np.concatenate(scores)
    assert skrate.recall_at_rate_score(*flat, k=1, groups=groups) == 1 / 2
