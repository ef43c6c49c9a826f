"""One question has one number: each way to a metric gives what its score gives."""

import inspect
import re
from functools import partial

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose

import skrate
from looped import looped
from metric_cases import Case, sample
from metric_registry import CASES
from scores_as_they_are import fitted
from skrate.metrics.average_precision import average_precision_score
from skrate.metrics.metric import LIST_METRICS, METRICS

pytestmark = pytest.mark.filterwarnings("ignore")

Y, A = sample(3, n=90, prevalence=0.4)
B = np.round(A + np.random.default_rng(4).normal(size=90), 1)
WEIGHT = 1.0 + np.arange(90) % 3
LISTS_OF = np.sort(np.arange(90) % 11)
SIZES = np.bincount(LISTS_OF)
NAMES = np.where(Y, "ill", "healthy")

# What a score of one ranking takes beyond what its cases in CASES are given.
MORE = [
    Case("recall at k", skrate.recall_at_rate_score, {"k": 7}),
    Case("precision at k", skrate.precision_at_rate_score, {"k": 7}),
    Case("lift at k", skrate.lift_at_rate_score, {"k": 7}),
    Case("AP at 0.1", average_precision_score, {"prevalence": 0.1}),
    Case("AP adjusted", average_precision_score, {"adjusted": True}),
    Case("AUC", skrate.ranking_auc_score),
    Case("total gain", skrate.expected_gain_score,
         {"gain": {"positive": 3.0, "negative": -1.0}, "rate": 0.3}),
]  # fmt: skip
LISTS = [
    Case("recall at k", skrate.recall_at_rate_score, {"k": 3}),
    Case("precision at k", skrate.precision_at_rate_score, {"k": 3}),
    Case("recall at rate", skrate.recall_at_rate_score, {"rate": 0.3}),
    Case("precision at rate", skrate.precision_at_rate_score, {"rate": 0.3}),
    Case("AUC", skrate.ranking_auc_score),
    Case("AUC at k", skrate.ranking_auc_score, {"k": 6}),
    Case("AUC by pairs", skrate.ranking_auc_score, {"average": "pairs"}),
    Case("AUC pooled", skrate.ranking_auc_score, {"average": "pooled", "k": 5}),
    Case("AUC undefined", skrate.ranking_auc_score, {"undefined": 0.5, "k": 2}),
    Case("NDCG", skrate.ndcg_score, {"k": 4, "average": "size"}),
    Case("MAP", skrate.mean_average_precision_score, {"average": "positives"}),
    Case("RR", skrate.reciprocal_rank_score, {"k": 2}),
]


# One of each function.
FIRST = list({case.function: case for case in reversed(CASES)}.values())


def scored(metric, options, labels, scores, pos_label, **metadata):
    """Return what a scorer gives, with the sign of the score."""
    scorer = skrate.make_ranking_scorer(metric, pos_label=pos_label, **options)
    X, model = np.reshape(scores, (-1, 1)), fitted(np.unique(labels))
    with sklearn.config_context(enable_metadata_routing=True):
        scorer.set_score_request(**dict.fromkeys(metadata, True))
        found = scorer(model, X, labels, **metadata)
    return scorer._sign * found


# Each returns the values that it has of the scores a, and of b if it has one.
def by_estimate(case, options, labels, a, b, given):
    return [skrate.estimate(case.function, labels, a, **options, **given).value], []


def by_partial(case, options, labels, a, b, given):
    metric = partial(case.function, **options)
    return [skrate.estimate(metric, labels, a, **given).value], []


def by_name(case, options, labels, a, b, given):
    name = case.function.__name__
    found = skrate.estimate(name, labels, a, **options, **given).value
    short = name.removesuffix("_score")
    return [found, skrate.estimate(short, labels, a, **options, **given).value], []


def by_compare(case, options, labels, a, b, given):
    found = skrate.compare(case.function, labels, a, b, **options, **given)
    return [found.value_a], [found.value_b]


def by_compare_all(case, options, labels, a, b, given):
    found = skrate.compare(case.function, labels, {"a": a, "b": b}, **options, **given)
    return [found.pairs[0].value_a], [found.pairs[0].value_b]


def by_scorer(case, options, labels, a, b, given):
    rest = dict(given)
    pos_label = rest.pop("pos_label", None)
    per_sample = {name: options[name] for name in case.per_sample}
    own = {name: value for name, value in options.items() if name not in per_sample}
    return [scored(case.function, own, labels, a, pos_label, **rest, **per_sample)], []


def by_eval_metric(case, options, labels, a, b, given):
    numbers = (labels == given.get("pos_label", 1)).astype(int)
    weights = [given["sample_weight"]] if "sample_weight" in given else []
    monitor = skrate.eval_metric(case.function, library="lightgbm", **options)
    return [monitor(numbers, a, *weights)[1]], []


def by_one_fold(case, options, labels, a, b, given):
    one, other = (
        skrate.FoldRankings(labels, scores, np.zeros(len(labels)), **given)
        for scores in (a, b)
    )
    return [
        case.function(one, **options),
        skrate.estimate(case.function, one, **options).value,
        one.scores(case.function, **options)[0],
        skrate.compare(case.function, one, other, **options).value_a,
    ], [skrate.compare(case.function, one, other, **options).value_b]


def by_table(case, options, labels, a, b, given):
    tables = [
        skrate.RankTable.from_arrays(labels, scores, **given) for scores in (a, b)
    ]
    found = [case.function(tables[0], **options)]
    if all((table.pos % 1 == 0).all() for table in tables):
        found.append(skrate.estimate(case.function, tables[0], **options).value)
        both = skrate.compare(case.function, tables[0], y_true_b=tables[1], **options)
        found.append(both.value_a)
    return found, []


WAYS = [
    by_estimate, by_partial, by_name, by_compare, by_compare_all, by_scorer,
    by_eval_metric, by_one_fold, by_table,
]  # fmt: skip
# Those that take a name, or several scores, whatever the parameters are.
FOR_FIRST = [by_partial, by_name, by_compare_all]
# Why some ways have no such number, by what they say.
ALWAYS = [
    "is a mean over lists",
    r"k=\d+ .*sample_weight",
    "goes by numbers of cases: weights",
]
REFUSALS = {
    "by_one_fold": "pass rate=|gain or cost of each case|has no lists|groups must be",
    "by_table": "no single samples|which has no lists",
    "by_eval_metric": "must be a dict.*in training|groups= are lists",
    "by_scorer": "needs groups",
    "by_compare_all": "means another distribution|groups= are lists",
}


def expected(case, way, options, labels, scores, given):
    """Return what the score function gives, of a table if its weights are counts."""
    if way is by_table and "sample_weight" in given:
        labels = skrate.RankTable.from_arrays(labels, scores, **given)
        return case.function(labels, **options)
    return case.function(labels, scores, **options, **given)


def answer(way, case, options, labels, given):
    """Return the numbers of a way, None where it says why it has none."""
    reasons = "|".join([REFUSALS.get(way.__name__, "nothing"), *ALWAYS])
    try:
        return way(case, options, labels, A, B, given)
    except ValueError as error:
        if re.search(reasons, str(error)) is None:
            raise
        return None, None


def same(found, value):
    """Return whether two numbers are the same, nan included."""
    return np.array_equal(found, value, equal_nan=True)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@looped("design", ["plain", "weights", "names"])
@looped("case", [*CASES, *MORE])
def test_each_way_gives_the_number_of_the_score(case, way, design):
    if case not in FIRST and (design != "plain" or way in FOR_FIRST):
        return
    options = dict(case.kwargs)
    options |= {name: make(len(Y)) for name, make in case.per_sample.items()}
    labels = NAMES if design == "names" else Y
    given = {"weights": {"sample_weight": WEIGHT}, "names": {"pos_label": "ill"}}
    given = given.get(design, {})
    try:
        a, b = (expected(case, way, options, labels, s, given) for s in (A, B))
    except (TypeError, ValueError):
        # It counts places, which weights leave without a meaning: for no way a number.
        has_places = case.function in LIST_METRICS or "k" in options
        with pytest.raises((TypeError, ValueError) if has_places else ()):
            way(case, options, labels, A, B, given)
        return
    of_a, of_b = answer(way, case, options, labels, given)
    if of_a is None:
        return
    # A table adds up the weights of its groups, not single cases.
    rtol = 1e-13 if way is by_table else 0
    for value, numbers in ((a, of_a), (b, of_b)):
        for found in numbers:
            assert_allclose(found, value, rtol=rtol, atol=0)


def drawn(seed):
    """Return labels, scores with few or no ties, and weights of one kind or another."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 150))
    y_true = np.arange(n) % 3 == 0
    a, b = np.round(y_true + rng.normal(size=(2, n)), rng.choice([0, 1, 15]))
    kinds = [np.full(n, 0.1), 0.5 * rng.integers(1, 5, n), 0.01 + rng.random(n)]
    return y_true, a, b, kinds[seed % 3]


@looped("way", [by_estimate, by_compare, by_compare_all])
def test_weights_by_sampling_change_no_digit_of_the_score(way):
    n_found = 0
    for seed, case in enumerate(FIRST if way in FOR_FIRST else [*CASES, *MORE]):
        labels, a, b, weights = drawn(seed)
        options = dict(case.kwargs)
        options |= {name: make(len(labels)) for name, make in case.per_sample.items()}
        given = {"sample_weight": weights}
        try:
            values = [case.function(labels, s, **options, **given) for s in (a, b)]
            found = way(case, options, labels, a, b, {**given, "weights": "sampling"})
        except (TypeError, ValueError):
            continue
        n_found += 1
        for value, numbers in zip(values, found, strict=True):
            assert all(same(number, value) for number in numbers), (case.name, seed)
    assert n_found > len(FIRST) / 2


@looped("design", ["plain", "weights", "names", "clusters"])
@looped("case", LISTS)
def test_each_way_to_lists_gives_the_number_of_the_score(case, design):
    labels = NAMES if design == "names" else Y
    given = {"pos_label": "ill"} if design == "names" else {}
    takes_weights = "sample_weight" in inspect.signature(case.function).parameters
    if design == "weights":
        if not takes_weights or "k" in case.kwargs:
            return
        given = {"sample_weight": WEIGHT}
    extra = {"clusters": LISTS_OF // 2} if design == "clusters" else {}
    options = {**case.kwargs, "groups": LISTS_OF, **given}
    a, b = (case.function(labels, scores, **options) for scores in (A, B))
    assert same(skrate.estimate(case.function, labels, A, **options, **extra).value, a)
    both = skrate.compare(case.function, labels, A, B, **options, **extra)
    assert same([both.value_a, both.value_b], [a, b])
    by_name = skrate.estimate(case.function.__name__, labels, A, **options).value
    assert same(by_name, a)
    rest = {name: given[name] for name in given if name != "pos_label"}
    found = scored(
        case.function, case.kwargs, labels, A, given.get("pos_label"),
        groups=LISTS_OF, **rest,
    )  # fmt: skip
    assert same(found, a)
    if design == "plain":
        monitor = skrate.eval_metric(case.function, library="lightgbm", **case.kwargs)
        assert same(monitor(Y, A, None, SIZES)[1], a)
        mean = {n: case.kwargs[n] for n in ("average", "undefined") if n in case.kwargs}
        own = {n: v for n, v in case.kwargs.items() if n not in mean}
        lists = skrate.group_scores(case.function, Y, A, groups=LISTS_OF, **own)
        assert same([lists.mean(**mean), lists.estimate(**mean).value], [a, a])


@looped("function", METRICS)
def test_lists_are_refused_where_the_score_takes_none(function):
    if function in LIST_METRICS or "groups" in inspect.signature(function).parameters:
        return
    (case, *_) = [case for case in CASES if case.function is function]
    options = dict(case.kwargs)
    options |= {name: make(len(Y)) for name, make in case.per_sample.items()}
    with pytest.raises(ValueError, match="clusters="):
        skrate.estimate(function, Y, A, groups=LISTS_OF, **options)
