"""Metrics within lists, and averages over lists."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import skrate
from looped import case, looped
from optional import require
from scores_as_they_are import fitted
from skrate import (
    average_precision_score,
    compare,
    estimate,
    eval_metric,
    group_scores,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    precision_at_rate_score,
    ranking_auc_score,
    rate_weighted_auc_score,
    recall_at_rate_score,
    reciprocal_rank_score,
)
from skrate.metrics import momentum
from skrate.metrics.list_scores import average_sums
from skrate.results import GroupScores
from strategies import in_parts, ranked_samples

# Two lists in another order of rows: relevant items at places 1 and 3, and at 2.
Y_TRUE = [1, 0, 1, 1, 0, 0]
Y_SCORE = [5, 9, 1, 8, 3, 2]
GROUPS = ["a", "b", "a", "b", "a", "b"]
BY_HAND = [
    (recall_at_rate_score, {"k": 1}, [1 / 2, 0]),
    (recall_at_rate_score, {"k": 2}, [1 / 2, 1]),
    (recall_at_rate_score, {"k": 9}, [1, 1]),
    (recall_at_rate_score, {"rate": 1 / 2}, [1 / 2, 1 / 2]),
    (precision_at_rate_score, {"k": 2}, [1 / 2, 1 / 2]),
    (precision_at_rate_score, {"k": 9}, [2 / 3, 1 / 3]),
    (precision_at_rate_score, {"rate": 1 / 3}, [1, 0]),
    ("roc_auc", {}, [1 / 2, 1 / 2]),
    ("roc_auc", {"k": 2}, [1, 0]),
    (average_precision_score, {}, [(1 + 2 / 3) / 2, 1 / 2]),
    (recall_at_rate_score, {"rate": 1 / 3}, [1 / 2, 0]),
    (recall_at_rate_score, {"rate": "uniform"}, [(5 / 6 + 1 / 6) / 2, 1 / 2]),
    (rate_weighted_auc_score, {}, [1 / 2, 1 / 2]),
]
COLUMNS = ("y_true", "y_score", "groups")


@looped("metric, options, expected", BY_HAND)
def test_by_hand(metric, options, expected):
    result = group_scores(metric, Y_TRUE, Y_SCORE, groups=GROUPS, **options)
    assert result.groups.tolist() == ["a", "b"]
    assert result.values == pytest.approx(expected, abs=1e-15)
    assert (result.n_items.tolist(), result.n_pos.tolist()) == ([3, 3], [2, 1])


@looped(
    "arguments, expected",
    [
        ({}, (1 + 0) / (1 + 1)),
        ({"average": "macro"}, (1 + 0) / 2),
        ({"average": "macro", "undefined": 1}, (1 + 0 + 1) / 3),
        ({"average": "size"}, (2 * 1 + 1 * 0) / 3),
        ({"average": "positives"}, (1 * 1 + 1 * 0) / 2),
        ({"average": [3, 1, 5]}, 3 / 4),
    ],
)
def test_the_mean_counts_lists_as_told(arguments, expected):
    # Recall at 1 of one list is 1, of one 0 (half of a tie is not), of one undefined.
    result = group_scores(
        recall_at_rate_score,
        [1, 0, 0, 1, 0],
        [2, 1, 2, 1, 1],
        groups=[0, 0, 1, 1, 2],
        k=1,
    )
    assert np.array_equal(result.values, [1, 0, np.nan], equal_nan=True)
    if arguments.get("average") == "size":
        expected = (2 * 1 + 2 * 0) / 4
    score = result.mean(**arguments)
    assert type(score) is float
    assert score == pytest.approx(expected, abs=1e-15)


@looped(
    "metric, options",
    [
        *((name, {}) for name in ("roc_auc", "recall_at_rate", "precision_at_rate")),
        *((name, {}) for name in ("lift_at_rate", "ndcg", "mean_average_precision")),
        ("reciprocal_rank", {}),
        ("expected_gain", {"gain": {"positive": 3, "negative": -1}}),
    ],
)
def test_with_a_cut_lists_count_by_all_of_their_items(metric, options):
    # Three lists, of which the first three items are seen.
    y_true = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1]
    y_score = [9, 8, 7, 6, 5, 4, 9, 8, 7, 9, 8, 7]
    groups = list("aaaaaabbbccc")
    result = group_scores(metric, y_true, y_score, groups=groups, k=3, **options)
    a, b, c = result.values.tolist()
    assert len({a, b, c}) > 1
    assert result.mean("size") == pytest.approx((6 * a + 3 * b + 3 * c) / 12)
    assert result.mean("positives") == pytest.approx((3 * a + b + c) / 5)


def test_an_undefined_mean_is_nan_with_a_warning():
    result = group_scores(recall_at_rate_score, [1, 0], [1, 2], groups=[0, 1], k=1)
    with pytest.warns(UndefinedMetricWarning, match="1 of 2"):
        assert math.isnan(result.mean(undefined="nan"))
    assert result.mean() == 1
    result = group_scores("roc_auc", [1, 0], [1, 2], groups=[0, 1])
    with pytest.warns(UndefinedMetricWarning, match="no list"):
        assert math.isnan(result.mean())


@looped(
    "metric, options, message",
    [
        ("mrr", {}, "metric='mrr'"),
        (recall_at_rate_score, {}, r"metric.*\bk\b.*rate"),
        (recall_at_rate_score, {"k": 1, "rate": 0.5}, r"metric.*\bk\b.*rate"),
        (recall_at_rate_score, {"k": 0}, r"\bk\b.*1"),
        (recall_at_rate_score, {"rate": 2}, r"rate.*0.*1"),
        (precision_at_rate_score, {"k": 1, "sample_weight": [1] * 6}, "k=1"),
        (rate_weighted_auc_score, {"k": 1, "rate": 0.3}, "k=1"),
        (average_precision_score, {"k": 1}, "k=1"),
        ("roc_auc", {"rate": 0.1}, "'rate'"),
        (recall_at_rate_score, {"rate": 2.0}, "rate"),
        ("roc_auc", {"groups": [1]}, r"y_true.*6.*1"),
    ],
)
def test_bad_input_is_named(metric, options, message):
    with pytest.raises(ValueError, match=message):
        group_scores(metric, Y_TRUE, Y_SCORE, **{"groups": GROUPS, **options})


GRADES = [2, 0, 1, 3, 2, 0]
OF_LISTS = [
    (function, options)
    for function in (
        ndcg_score,
        ranking_auc_score,
        mean_average_precision_score,
        reciprocal_rank_score,
    )
    for options in (
        {"k": 2},
        {"relevance_threshold": 2},
        {"k": 2, "relevance_threshold": 2},
    )
] + [(ndcg_score, {"gain": "linear"}), (ndcg_score, {"gain": "linear", "k": 2})]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@looped("function, options", OF_LISTS)
def test_keywords_of_lists_may_be_in_a_partial(function, options):
    labels = Y_TRUE if options.keys() == {"k"} else GRADES
    rows = {"y_true": labels, "y_score": Y_SCORE, "groups": GROUPS}
    expected = function(**rows, **options)
    each = group_scores(function, **rows, **options)
    batches = [[rows[name] for name in COLUMNS]]
    frame = require("pandas").DataFrame({"score": Y_SCORE, "user": GROUPS})
    in_order = np.argsort(GROUPS, kind="stable")
    metric = partial(function, **options)
    scores = group_scores(metric, **rows)
    assert scores.params == each.params
    np.testing.assert_array_equal(scores.values, each.values)
    parts = GroupScores.from_batches(metric, batches)
    np.testing.assert_array_equal(parts.values, each.values)
    assert estimate(metric, **rows).value == expected
    found = compare(metric, labels, Y_SCORE, Y_SCORE, groups=GROUPS)
    assert found.value_a == expected
    scorer = make_ranking_scorer(metric, groups="user")
    assert scorer(fitted(), frame, labels) == expected
    monitor = eval_metric(metric, library="lightgbm")
    columns = (np.array(one)[in_order] for one in (labels, Y_SCORE))
    assert monitor(*columns, None, [3, 3])[1] == expected


def test_what_is_unknown_within_lists_is_named():
    with pytest.raises(ValueError, match=r"metric.*Momentum"):
        group_scores(momentum.momentum_score, Y_TRUE, Y_SCORE, groups=GROUPS)


def test_how_the_mean_is_taken_is_no_part_of_the_metric_within_lists():
    for name, value in ("average", "size"), ("undefined", 0.0):
        metric = partial(ndcg_score, **{name: value})
        with case(name), pytest.raises(ValueError, match=rf"{name}"):
            group_scores(metric, Y_TRUE, Y_SCORE, groups=GROUPS)


def test_the_mean_has_no_pairs():
    result = group_scores(recall_at_rate_score, [1, 0], [1, 2], groups=[0, 0], k=1)
    with pytest.raises(ValueError, match="average='pairs'"):
        result.mean(average="pairs")
    with pytest.raises(ValueError, match="undefined"):
        result.mean(undefined="zero")


# --- Entities ------------------------------------------------------------------------


def card_precision(days, cards, y_true, y_score, k):
    """Return what the Fraud detection handbook calls that, of each day, in its steps.

    Detected cards are not removed.
    """
    found = []
    for day in sorted(set(days)):
        greatest = {}
        for d, card, y, score in zip(days, cards, y_true, y_score, strict=True):
            if d == day:
                before = greatest.get(card, (-math.inf, 0))
                greatest[card] = max(before[0], score), max(before[1], y)
        best = sorted(greatest.values(), reverse=True)[:k]
        found.append(sum(y for _, y in best) / k)
    return found


def test_precision_of_entities_is_the_card_precision_of_the_handbook():
    rng = np.random.default_rng(4)
    days, cards = rng.integers(0, 5, 600), rng.integers(0, 80, 600)
    y_true, y_score = (rng.random(600) < 0.1).astype(int), rng.normal(size=600)
    found = group_scores(
        precision_at_rate_score, y_true, y_score, groups=days, entities=cards, k=20
    )
    expected = card_precision(days, cards, y_true, y_score, 20)
    assert found.values == pytest.approx(expected, abs=1e-15)
    assert found.n_items.tolist() == [len({*cards[days == day]}) for day in range(5)]
    assert found.mean() == pytest.approx(np.mean(expected), abs=1e-15)
    by_name = group_scores(
        precision_at_rate_score, y_true, y_score, groups=days, k=20,
        entities=[f"card {card}" for card in cards],
    )  # fmt: skip
    assert np.array_equal(by_name.values, found.values)


def test_a_gain_per_case_counts_by_its_weight():
    rng = np.random.default_rng(3)
    y_true, groups = rng.integers(0, 2, 60), rng.integers(0, 4, 60)
    scores, gain = rng.integers(0, 9, 60), rng.normal(size=60)
    times = rng.integers(1, 4, 60)
    metric, rows = skrate.expected_gain_score, np.repeat(np.arange(60), times)
    weighted = group_scores(
        metric, y_true, scores, groups=groups, gain=gain, sample_weight=times
    )
    repeated = group_scores(
        metric, y_true[rows], scores[rows], groups=groups[rows], gain=gain[rows]
    )
    assert weighted.values == pytest.approx(repeated.values, abs=1e-12)


def test_what_entities_have_no_meaning_for_is_named():
    options = {"groups": GROUPS, "entities": GROUPS}
    with pytest.raises(ValueError, match="entities"):
        group_scores("roc_auc", Y_TRUE, Y_SCORE, sample_weight=[1] * 6, **options)
    with pytest.raises(ValueError, match="entities"):
        group_scores(
            skrate.expected_gain_score, Y_TRUE, Y_SCORE, gain=Y_SCORE, **options
        )
    options["entities"] = [1, 2]
    with pytest.raises(ValueError, match=r"y_true.*6.*2"):
        group_scores("roc_auc", Y_TRUE, Y_SCORE, **options)
    options["entities"] = [1, None] * 3
    with pytest.raises(ValueError, match=r"entities.*NaN"):
        group_scores("roc_auc", Y_TRUE, Y_SCORE, **options)


def in_order(n_pos, n_neg, n_ordered):
    """Return the labels of a list, best first, with so many pairs in order."""
    full, rest = divmod(n_ordered, n_neg)
    if full == n_pos:
        return [1] * n_pos + [0] * n_neg
    last = [0] * (n_neg - rest) + [1] + [0] * rest
    return [1] * full + last + [1] * (n_pos - full - 1)


def assert_same(found, expected):
    for name in ("groups", "values", "n_items", "n_pos"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert repr(found) == repr(expected)
    for average in ("macro", "size", "positives"):
        for undefined in ("skip", 0.5):
            one, other = (
                average_sums(s, average, undefined) for s in (found, expected)
            )
            np.testing.assert_allclose(one.value, other.value, rtol=1e-14)
    counts = ("n_defined", "n_all_positive", "n_all_negative", "n_empty")
    assert [getattr(found, c) for c in counts] == [getattr(expected, c) for c in counts]


@given(
    sample=ranked_samples(weighted=True, both_classes=False),
    groups=st.lists(st.integers(-3, 3), min_size=30, max_size=30),
    sizes=st.lists(st.integers(1, 7), max_size=8),
    is_weighted=st.booleans(),
    as_text=st.booleans(),
)
def test_sorted_rows_may_be_cut_anywhere(sample, groups, sizes, is_weighted, as_text):
    groups = np.array(groups[: len(sample.y_true)])
    groups = groups.astype(str) if as_text else groups
    order = np.argsort(groups, kind="stable")
    arrays = [sample.y_true, sample.y_score, groups]
    # Without weight there is nothing to rank, in a batch as in all.
    weights = sample.sample_weight + 1 if is_weighted else None
    arrays = [array[order] for array in (*arrays, *([weights] if is_weighted else []))]
    found = GroupScores.from_batches("roc_auc", in_parts(arrays, sizes))
    weights = arrays[3] if is_weighted else None
    expected = group_scores(
        "roc_auc", *arrays[:2], groups=arrays[2], sample_weight=weights
    )
    assert_same(found, expected)


def test_a_batch_of_lists_without_weight_is_known_to_be_empty():
    without = ([1, 0, 1], [1, 2, 3], [1, 1, 5], [0, 0, 0])
    batches = [([1, 0], [2, 1], [0, 0], [1, 1]), without, ([1], [1], [9], [0])]
    scores = GroupScores.from_batches("roc_auc", batches)
    with pytest.raises(ValueError, match="sample_weight"):
        GroupScores.from_batches("roc_auc", [without])
    columns = [np.concatenate(column) for column in zip(*batches, strict=True)]
    expected = group_scores(
        "roc_auc", *columns[:2], groups=columns[2], sample_weight=columns[3]
    )
    assert_same(scores, expected)


GOOD = ([1, 0], [0.5, 0.2], ["a", "a"])


@looped(
    "second, message",
    [
        (([1, 0], [0.5, np.nan], ["b", "b"]), r"y_score.*NaN"),
        (([1, 0], [0.5, 0.1], ["b", None]), r"groups.*1"),
        (([1, 0], [0.5, 0.1], ["b", "b", "b"]), r"groups.*3"),
        (([1, 2], [0.5, 0.1], ["b", "b"]), r"2 in batch 1"),
        (([1, 0], [0.5, 0.1], [1, 1]), "one type"),
        (([1, 0], [0.5], ["b", "b"]), r"y_score.*1"),
        (([1, 0], [0.5, 0.1]), r"\(y_true, y_score, groups\)"),
        (([1, 0], [0.5, 0.1], ["b", "b"], [1, 1]), "sample_weight"),
        (([], [], []), "y_true"),
    ],
)
def test_what_is_wrong_names_the_batch(second, message):
    third = ([1, 0], [0.5, 0.2], ["c", "c"])
    with pytest.raises(ValueError, match=rf"Batch [12] .*{message}"):
        GroupScores.from_batches("roc_auc", [GOOD, second, third])


def test_batches_of_which_numpy_would_round_a_column_are_refused():
    high = np.array([2**60, 2**60 + 1, 2**60 + 1])
    first, second = ([1, 0, 1], [3, 1, 2], [1, 1, 2]), ([0, 1], [0.5, 1], [2.0, 3.5])
    found = GroupScores.from_batches("roc_auc", [first, second])
    assert found.groups.tolist() == [1, 2, 3.5]
    np.testing.assert_array_equal(found.values, [1, 1, np.nan])
    for name, before in {
        "groups": (first[0], first[1], high),
        "y_score": (first[0], high, first[2]),
    }.items():
        with pytest.raises(ValueError, match=rf"Batch 1 .*{name}.*int64.*float64"):
            GroupScores.from_batches("roc_auc", [before, second])


def test_a_list_in_two_places_is_refused():
    other = ([1, 0], [0.5, 0.2], ["b", "b"])
    with pytest.raises(ValueError, match=r"groups.*'a'"):
        GroupScores.from_batches("roc_auc", [GOOD, other, GOOD])


def test_no_batch_is_refused():
    with pytest.raises(ValueError, match="batches"):
        GroupScores.from_batches("roc_auc", [])


def test_the_parameters_of_a_mean_at_k_have_no_rate():
    gain = {"positive": 2, "negative": -1}
    options = {"groups": GROUPS, "gain": gain}
    at_k = group_scores("expected_gain", Y_TRUE, Y_SCORE, k=2, **options)
    assert at_k.params == at_k.estimate().params == {"gain": "(2.0, -1.0)", "k": 2}
    # One hit and one miss in each list.
    assert at_k.values.tolist() == [1, 1]
    at_rate = group_scores("expected_gain", Y_TRUE, Y_SCORE, rate=0.5, **options)
    assert at_rate.params["rate"] == 0.5
