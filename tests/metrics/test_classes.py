"""More than two classes: each against the rest, and averages, by each metric."""

import warnings
from functools import partial

import numpy as np
import pytest
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning

from looped import looped
from optional import require
from reference import one_vs_rest as reference
from reference import tables
from reference.rate_law import Points
from reference.recall_curve import fpr_at_recall, recall_at_fpr
from skrate import (
    RankTable,
    average_precision_score,
    estimate,
    fpr_at_recall_score,
    rate_weighted_auc_score,
    rates,
    recall_at_fpr_score,
    recall_at_rate_score,
)

AVERAGES = ["macro", "weighted", "micro", "samples", None]
LABELS = ["ape", "bee", "cat"]


def of_two(function, *options):
    """Return an oracle of two classes."""
    return lambda *samples: function(tables.Groups(*samples), *options)


def points(*rates):
    return Points(np.array(rates), np.ones(len(rates)))


# By name: our function with its keywords, and what it is of two classes.
METRICS = {
    "average precision": (average_precision_score, of_two(tables.average_precision)),
    "AUC": (rate_weighted_auc_score, of_two(tables.auc)),
    "rAUC": (
        partial(rate_weighted_auc_score, rate=0.3),
        of_two(tables.rate_weighted_auc, points(0.3)),
    ),
    "expected recall": (
        partial(recall_at_rate_score, rate=rates.mixture([0.2, 0.7])),
        of_two(tables.expected_recall, points(0.2, 0.7)),
    ),
    "expected recall of the negatives": (
        partial(recall_at_rate_score, rate=0.4, of="negatives"),
        of_two(tables.expected_recall, points(0.4), "negatives"),
    ),
    "recall at an FPR": (
        partial(recall_at_fpr_score, fpr=0.3),
        of_two(recall_at_fpr, 0.3),
    ),
    "FPR at a recall": (
        partial(fpr_at_recall_score, recall=0.8),
        of_two(fpr_at_recall, 0.8),
    ),
}
each_metric = looped("name", METRICS)
each_average = looped("average", AVERAGES)


def multiclass(seed, n=14, n_classes=3):
    """Return classes, all of them, scores full of ties, and small whole weights."""
    generator = np.random.default_rng(seed)
    y_true = np.append(np.arange(n_classes), generator.integers(0, n_classes, n))
    y_score = generator.integers(0, 5, (len(y_true), n_classes)) / 4
    return y_true, y_score, generator.integers(1, 4, len(y_true))


def multilabel(seed, n=14):
    """Return labels of which each case has one or two of three, and the same."""
    y_true, y_score, weights = multiclass(seed, n)
    indicators = np.eye(3, dtype=int)[y_true]
    also = np.random.default_rng(seed).integers(0, 3, len(y_true))
    indicators[np.arange(len(also)), also] = 1
    return indicators, y_score, weights


def literal(y_true, y_score, weights=None):
    """Return cases as the oracle takes them, their labels numbered."""
    y_true, y_score = np.asarray(y_true), np.asarray(y_score)
    if y_true.ndim == 1:
        y_true = np.eye(y_score.shape[1], dtype=int)[y_true]
    return [
        (set(np.flatnonzero(own).tolist()), dict(enumerate(scores.tolist())), weight)
        for own, scores, weight in zip(
            y_true,
            y_score,
            np.ones(len(y_true), int).tolist() if weights is None else weights.tolist(),
            strict=True,
        )
    ]


def expected(value, average, samples):
    labels = sorted(samples[0][1])
    kind = reference.of_each if average is None else getattr(reference, average)
    # The average precision is a fraction.
    return np.asarray(kind(value, samples, labels), dtype=float)


# --- Against the oracle, and scikit-learn ---------------------------------------------


@each_metric
@each_average
@looped("kind", [multiclass, multilabel])
@looped("is_weighted", [False, True])
def test_an_average_is_what_it_says(name, average, kind, is_weighted):
    ours, theirs = METRICS[name]
    for seed in range(2):
        y_true, y_score, weights = kind(seed)
        weight = weights if is_weighted else None
        found = ours(y_true, y_score, average=average, sample_weight=weight)
        samples = literal(y_true, y_score, weight)
        np.testing.assert_allclose(
            found, expected(theirs, average, samples), rtol=1e-9, atol=1e-12
        )


def test_by_hand():
    # Each class has two cases; "cat" alone is not ranked perfectly: c, b, c are first.
    y_true = ["ape", "ape", "bee", "bee", "cat", "cat"]
    y_score = [[3, 0, 0], [2, 0, 0], [0, 3, 2], [0, 2, 0], [0, 0, 3], [0, 0, 1]]
    found = average_precision_score(y_true, y_score, average=None)
    assert found.tolist() == [1, 1, (1 + 2 / 3) / 2]
    assert average_precision_score(y_true, y_score) == pytest.approx((2 + 5 / 6) / 3)
    # Three of 18 pairs are processed: those of score 3, all of them right.
    assert recall_at_rate_score(y_true, y_score, rate=1 / 6, average="micro") == 0.5
    # Within each case its own class is first.
    assert average_precision_score(y_true, y_score, average="samples") == 1.0


@looped("is_weighted", [False, True])
@looped("kind", ["multiclass", "strings", "multilabel"])
@each_average
def test_average_precision_is_scikit_learn_s(average, kind, is_weighted):
    for seed in range(2):
        draw = multilabel if kind == "multilabel" else multiclass
        y_true, y_score, _ = draw(seed, n=40)
        if kind == "strings":
            y_true = np.array(LABELS)[y_true]
        weight = np.random.default_rng(seed).random(len(y_true))
        options = {"average": average, "sample_weight": weight if is_weighted else None}
        found = average_precision_score(y_true, y_score, pos_label=1, **options)
        theirs = sklearn.metrics.average_precision_score
        wanted = theirs(y_true, y_score, pos_label=1, **options)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@each_average
@looped("kind", ["multiclass", "multilabel"])
def test_the_uniform_rate_is_scikit_learn_s_auc(average, kind):
    draw = multilabel if kind == "multilabel" else multiclass
    y_true, y_score, weights = draw(0, n=100)
    # It asks for probabilities of classes.
    y_score = (y_score + 0.25) / (y_score + 0.25).sum(axis=1, keepdims=True)
    if average == "samples" and kind == "multiclass":
        return
    for weight in (None, weights / 7):
        options = {"average": average, "sample_weight": weight}
        found = rate_weighted_auc_score(y_true, y_score, **options)
        theirs = sklearn.metrics.roc_auc_score
        wanted = theirs(y_true, y_score, multi_class="ovr", **options)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
        assert isinstance(found, np.ndarray if average is None else float)
    # Two classes have no average.
    found = average_precision_score(Y > 1, S[:, 0], average=average, labels=[0, 1])
    assert found == average_precision_score(Y > 1, S[:, 0])


@pytest.mark.slow
def test_the_error_of_a_macro_mean_follows_from_influences():
    generator = np.random.default_rng(0)
    y_true, y_score, _ = multiclass(0, n=300)
    y_score = (
        y_score + 0.5 * np.eye(3)[y_true] + generator.normal(0, 0.1, y_score.shape)
    )
    score = partial(rate_weighted_auc_score, rate=rates.beta(3, 9))
    on_each = [estimate(score, y_true == i, y_score[:, i]).influence for i in range(3)]
    error = np.sqrt(np.mean(np.mean(on_each, axis=0) ** 2) / len(y_true))
    drawn = generator.integers(len(y_true), size=(1000, len(y_true)))
    bootstrap = np.std([score(y_true[rows], y_score[rows]) for rows in drawn])
    # Three standard errors of the latter are 7 %.
    assert error == pytest.approx(bootstrap, rel=0.1)


# --- A rate for each class, and a name for each column --------------------------------


def test_each_class_may_have_a_rate_of_its_own():
    y_true, y_score, _ = multiclass(2)
    names = np.array(LABELS)[y_true]
    budget = {"cat": rates.beta(2, 8), "ape": 0.5, "bee": "uniform"}
    for score in (rate_weighted_auc_score, recall_at_rate_score):
        found = score(names, y_score, rate=budget, average=None)
        assert found.tolist() == [
            score(y_true == i, y_score[:, i], rate=budget[label])
            for i, label in enumerate(LABELS)
        ]


@looped("kind", ["pandas", "polars"])
@looped("labels", [None, LABELS])
@looped("y_true", [["ape", "cat", "bee"], [0, 2, 1], "indicators"])
def test_columns_named_in_another_order_are_an_error(kind, labels, y_true):
    frame, classes = require(kind).DataFrame, LABELS
    if y_true == "indicators":
        y_true = frame(
            {name: [i == j for j in (0, 2, 1)] for i, name in enumerate(LABELS)}
        )
    elif 0 in y_true:
        classes = [0, 1, 2]
        labels = labels and classes
    columns = {
        str(name): [0.1 * (i == j) for j in (0, 2, 1)] for i, name in enumerate(classes)
    }
    assert rate_weighted_auc_score(y_true, frame(columns), labels=labels) == 1
    turned = frame(dict(reversed(columns.items())))
    with pytest.raises(ValueError, match="y_score"):
        rate_weighted_auc_score(y_true, turned, labels=labels)
    # Names that are no classes say nothing of the order.
    others = frame({f"of {name}": column for name, column in columns.items()})
    rate_weighted_auc_score(y_true, others, labels=labels)


def test_labels_name_those_that_cases_may_have():
    y_true, y_score, _ = multilabel(5)
    budget = dict(zip(LABELS, [0.1, 0.2, 0.3], strict=True))
    named = recall_at_rate_score(y_true, y_score, rate=budget, labels=LABELS)
    numbered = recall_at_rate_score(
        y_true, y_score, rate=dict(enumerate(budget.values()))
    )
    assert named == numbered


# --- What is undefined ----------------------------------------------------------------


def test_an_absent_class_is_nan_and_named():
    y_true, y_score, _ = multiclass(7)
    kept = y_true != 1
    samples = np.array(LABELS)[y_true[kept]], y_score[kept]
    for score in (
        rate_weighted_auc_score,
        partial(recall_at_rate_score, rate="uniform"),
        average_precision_score,
    ):
        message = "of the class 'bee' is undefined: y_true has no positive"
        with pytest.warns(UndefinedMetricWarning, match=message):
            each = score(*samples, labels=LABELS, average=None)
        assert np.isnan(each).tolist() == [False, True, False]
        with pytest.warns(UndefinedMetricWarning, match=message):
            assert np.isnan(score(*samples, labels=LABELS))
        # It weighs nothing.
        mean = score(*samples, labels=LABELS, average="weighted")
        shares = [np.mean(samples[0] == label) for label in ("ape", "cat")]
        assert mean == pytest.approx(np.dot(shares, each[[0, 2]]), rel=1e-12)


def test_the_warning_is_at_the_call():
    y_true, y_score, _ = multiclass(8)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for average in ("macro", None):
            rate_weighted_auc_score(
                y_true, np.c_[y_score, y_score[:, 0]], labels=range(4), average=average
            )
        average_precision_score(np.zeros((3, 2)), np.ones((3, 2)), average="weighted")
        average_precision_score(np.zeros((3, 2)), np.ones((3, 2)), average="micro")
        average_precision_score(np.zeros((3, 2)), np.ones((3, 2)), average="samples")
    assert {warning.filename for warning in caught} == {__file__}
    assert len(caught) == 5


def test_a_case_without_a_label_is_undefined_unless_it_has_no_weight():
    y_true = [[1, 0, 0], [0, 0, 0], [0, 1, 1]]
    y_score = [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]
    with pytest.warns(UndefinedMetricWarning, match="1 of 3"):
        assert np.isnan(average_precision_score(y_true, y_score, average="samples"))
    found = average_precision_score(
        y_true, y_score, average="samples", sample_weight=[1, 0, 3]
    )
    assert found == pytest.approx((1 + 3 * (1 / 2 + 2 / 3) / 2) / 4)


# --- Bad input ------------------------------------------------------------------------

Y, S, _ = multiclass(9)
BAD = {
    "more labels than columns": (
        {"labels": [0, 1, 2, 3]},
        r"labels.*4.*\[0, 1, 2, 3\].*y_score.*3",
    ),
    "a label twice": ({"labels": [0, 1, 1]}, r"labels.*1 twice"),
    "a label is missing": ({"labels": [0, 1, None]}, r"labels.*missing"),
    "a class that is not in labels": (
        {"labels": [0, 1, 3]},
        r"y_true.*2.*labels=\[0, 1, 3\]",
    ),
    "too few columns": ({"y_score": S[:, :2]}, r"y_score.*2.*y_true.*\[0, 1, 2\]"),
    "too many columns": (
        {"y_score": np.c_[S, S]},
        r"y_score.*6.*y_true.*\[0, 1, 2\].*labels=",
    ),
    "one column": ({"y_score": S[:, 0]}, r"y_true.*3"),
    "one column and three labels": (
        {"y_true": Y > 1, "y_score": S[:, 0], "labels": [0, 1, 2]},
        r"labels.*3.*\[0, 1, 2\].*y_score",
    ),
    "a table and labels": (
        {"y_true": RankTable([1, 1], [1, 0]), "y_score": None, "labels": [0, 1]},
        r"labels.*None.*y_true.*RankTable",
    ),
    "two columns of two classes": (
        {"y_true": Y > 1, "y_score": S[:, :2]},
        r"y_score.*\(\d+, 2\)",
    ),
    "an unknown average": ({"average": "mean"}, r"average.*'macro'.*None.*'mean'"),
    "a positive class": ({"pos_label": 2}, "pos_label=2"),
    "fewer cases": ({"y_true": Y[1:]}, r"y_true.*16"),
    "a score is NaN": ({"y_score": np.where(S > 0.9, np.nan, S)}, r"y_score.*NaN"),
    "labels that are numbers": ({"y_true": np.eye(3)[Y] * 2}, r"y_true.*0.*1"),
    "fewer labels of cases": (
        {"y_true": np.eye(3)[Y][:, :2]},
        r"y_score.*3.*y_true.*2",
    ),
    "a table": ({"y_true": RankTable([1, 1], [1, 0])}, r"y_score.*None"),
}
BAD_RATES = {
    "a class that does not exist": (
        {"rate": {0: 0.1, 1: 0.2, "no": 0.3}},
        r"rate.*'no'.*\[0, 1, 2\]",
    ),
    "a class that lacks": ({"rate": {0: 0.1, 1: 0.2}}, r"rate.*2"),
    "a rate for each in a shared queue": (
        {"rate": {0: 0.1, 1: 0.2, 2: 0.3}, "average": "micro"},
        r"rate.*average='micro'",
    ),
    "no rate": ({"rate": {0: 0.1, 1: 0.2, 2: 7}}, r"rate.*\(0, 1\]"),
    "rates of two classes": (
        {"y_true": Y > 1, "y_score": S[:, 0], "rate": {True: 0.1}},
        r"rate.*dict",
    ),
}


@looped("score", [average_precision_score, rate_weighted_auc_score])
@looped("name", BAD)
def test_bad_input_is_named(score, name):
    options, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        score(**{"y_true": Y, "y_score": S} | options)


@looped("score", [recall_at_rate_score, rate_weighted_auc_score])
@looped("name", BAD_RATES)
def test_bad_rates_are_named(score, name):
    options, message = BAD_RATES[name]
    with pytest.raises(ValueError, match=message):
        score(**{"y_true": Y, "y_score": S} | options)
