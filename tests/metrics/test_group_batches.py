"""Scores of lists from batches: the same as from all rows at once."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skrate import GroupScores, group_scores, recall_at_rate_score
from skrate.metrics.group_scores import average_of
from strategies import ranked_samples

COLUMNS = ("y_true", "y_score", "groups")


def in_parts(arrays, sizes):
    """Return the arrays in consecutive parts."""
    ends = np.cumsum([*sizes])
    parts = np.split(np.arange(len(arrays[0])), ends[ends < len(arrays[0])])
    return [tuple(array[part] for array in arrays) for part in parts if len(part)]


def assert_same(found, expected):
    for name in ("groups", "values", "n_items", "n_pos"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert repr(found) == repr(expected)
    for average in ("macro", "size", "positives"):
        for undefined in ("skip", 0.5):
            one, other = (average_of(s, average, undefined) for s in (found, expected))
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


def test_lists_without_weight_and_in_any_order_of_labels():
    columns = {
        "y_true": [1, 0, 1, 0, 1, 0, 0, 1],
        "y_score": [1, 2, 3, 4, 5, 6, 7, 8],
        "groups": [9, 2, 9, 2, 5, 5, 1, 1],
        "sample_weight": [1, 2, 2, 2, 0, 0, 3, 3],
    }
    columns = [np.array(column) for column in columns.values()]
    found = GroupScores.from_batches("average_precision", in_parts(columns, [4, 3, 1]))
    expected = group_scores(
        "average_precision", *columns[:2], groups=columns[2], sample_weight=columns[3]
    )
    assert_same(found, expected)
    assert found.n_empty == 1


def test_a_batch_of_lists_without_weight_is_known_to_be_empty():
    without = ([1, 0, 1], [1, 2, 3], [1, 1, 5], [0, 0, 0])
    batches = [([1, 0], [2, 1], [0, 0], [1, 1]), without, ([1], [1], [9], [0])]
    scores = GroupScores.from_batches("roc_auc", batches)
    with pytest.raises(ValueError, match="no batch holds a case that has weight"):
        GroupScores.from_batches("roc_auc", [without])
    columns = [np.concatenate(column) for column in zip(*batches, strict=True)]
    expected = group_scores(
        "roc_auc", *columns[:2], groups=columns[2], sample_weight=columns[3]
    )
    assert_same(scores, expected)


def test_the_scale_of_weights_is_kept_between_batches():
    batches = [([1, 0], [2, 1], [0, 0], [4, 4]), ([1, 0], [1, 2], [1, 1], [1, 1])]
    scores = GroupScores.from_batches("roc_auc", batches)
    assert scores.n_items.tolist() == [8, 2]
    assert scores.mean("size") == 0.8


def test_metrics_with_parameters_and_a_cut():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, 399), rng.normal(size=399).round(1), np.arange(399) // 7
    parts = in_parts(rows, [33] * 12)
    for options in ({"rate": 0.3}, {"rate": 0.9}, {"k": 3}):
        found = GroupScores.from_batches(recall_at_rate_score, parts, **options)
        expected = group_scores(
            recall_at_rate_score, *rows[:2], groups=rows[2], **options
        )
        assert_same(found, expected)
    grades = rng.integers(0, 5, 399), *rows[1:]
    found = GroupScores.from_batches(
        "roc_auc", in_parts(grades, [50] * 8), relevance_threshold=3
    )
    expected = group_scores(
        "roc_auc", *grades[:2], groups=grades[2], relevance_threshold=3
    )
    assert_same(found, expected)


GOOD = ([1, 0], [0.5, 0.2], ["a", "a"])


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (([1, 0], [0.5, np.nan], ["b", "b"]), "y_score contains NaN"),
        (([1, 0], [0.5, 0.1], ["b", None]), "missing label (first at position 1)"),
        (([1, 0], [0.5, 0.1], ["b", "b", "b"]), "Unequal numbers of cases"),
        (([1, 2], [0.5, 0.1], ["b", "b"]), "2 in batch 1."),
        (([1, 0], [0.5, 0.1], [1, 1]), "use one type in all batches"),
        (([1, 0], [0.5], ["b", "b"]), "Unequal numbers of cases"),
        (([1, 0], [0.5, 0.1]), "a batch must be a tuple (y_true, y_score, groups)"),
        (([1, 0], [0.5, 0.1], ["b", "b"], [1, 1]), "it comes with sample_weight"),
        (([], [], []), "y_true is empty"),
    ],
)
def test_what_is_wrong_names_the_batch(second, message):
    third = ([1, 0], [0.5, 0.2], ["c", "c"])
    with pytest.raises(ValueError, match=r"Batch [12] \(from 0\): ") as found:
        GroupScores.from_batches("roc_auc", [GOOD, second, third])
    assert re.search(re.escape(message), str(found.value))


def test_a_list_in_two_places_is_refused():
    other = ([1, 0], [0.5, 0.2], ["b", "b"])
    with pytest.raises(ValueError, match="groups holds 'a' in batches that do not f"):
        GroupScores.from_batches("roc_auc", [GOOD, other, GOOD])


def test_no_batch_is_refused():
    with pytest.raises(ValueError, match="batches is empty"):
        GroupScores.from_batches("roc_auc", [])
