"""NDCG, MAP and reciprocal rank: by hand, in every order of ties, against others."""

import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from list_strategies import ranked_lists
from looped import looped
from metric_cases import Case
from optional import require
from reference import list_places as reference
from scores_as_they_are import fitted
from skrate import (
    GroupScores,
    average_precision_score,
    estimate,
    group_scores,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    reciprocal_rank_score,
)


def discounts(first, last):
    """Return the sum of the discounts of places ``first`` to ``last``."""
    return sum(1 / math.log2(i + 1) for i in range(first, last + 1))


def constant_map(n_pos, n_neg):
    n = n_pos + n_neg
    # Down to place i there is the item itself, and of those above as many as chance.
    others = (n_pos - 1) / max(n - 1, 1)
    return sum((1 + (i - 1) * others) / i for i in range(1, n + 1)) / n


def constant_rank(n_pos, n_neg):
    n = n_pos + n_neg
    ways = [math.comb(n - j, n_pos - 1) / j for j in range(1, n_neg + 2)]
    return sum(ways) / math.comb(n, n_pos)


CASES = [
    Case(
        "NDCG",
        ndcg_score,
        constant=lambda m, q: m / (m + q) * discounts(1, m + q) / discounts(1, m),
        worst=lambda m, q: discounts(q + 1, q + m) / discounts(1, m),
        by_counts=True,
        takes_weights=False,
    ),
    Case(
        "MAP",
        mean_average_precision_score,
        constant=constant_map,
        worst=lambda m, q: sum(j / (q + j) for j in range(1, m + 1)) / m,
        by_counts=True,
        takes_weights=False,
    ),
    Case(
        "reciprocal rank",
        reciprocal_rank_score,
        constant=constant_rank,
        worst=lambda m, q: 1 / (q + 1),
        by_counts=True,
        takes_weights=False,
    ),
    Case(
        "NDCG of the top",
        ndcg_score,
        {"k": 1},
        constant=lambda p: p,
        per_case={"groups": lambda n: np.full(n, "a list")},
        takes_weights=False,
    ),
]
ORACLES = {
    ndcg_score: reference.ndcg,
    mean_average_precision_score: reference.average_precision,
    reciprocal_rank_score: reference.reciprocal_rank,
}
each_score = looped("score", [*ORACLES])

# Of six items the first, the third and the sixth are relevant.
LABELS, SCORES = [1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1]


@looped(
    "score, k, expected",
    [
        (ndcg_score, None, (1 + 1 / 2 + 1 / math.log2(7)) / (1.5 + 1 / math.log2(3))),
        (ndcg_score, 2, 1 / (1 + 1 / math.log2(3))),
        (ndcg_score, 9, (1 + 1 / 2 + 1 / math.log2(7)) / (1.5 + 1 / math.log2(3))),
        (mean_average_precision_score, None, (1 + 2 / 3 + 3 / 6) / 3),
        (mean_average_precision_score, 3, (1 + 2 / 3) / 3),
        (mean_average_precision_score, 2, 1 / 3),
        (reciprocal_rank_score, None, 1),
        (reciprocal_rank_score, 1, 1),
    ],
)
def test_by_hand(score, k, expected):
    assert score(LABELS, SCORES, k=k) == pytest.approx(expected, abs=1e-15)


@looped(
    "score, k, expected",
    [
        # One relevant item of three that tie, below one that is not: place 2, 3 or 4.
        (reciprocal_rank_score, None, (1 / 2 + 1 / 3 + 1 / 4) / 3),
        (reciprocal_rank_score, 3, (1 / 2 + 1 / 3) / 3),
        (reciprocal_rank_score, 1, 0),
        (mean_average_precision_score, None, (1 / 2 + 1 / 3 + 1 / 4) / 3),
        (ndcg_score, 3, (1 / math.log2(3) + 1 / 2) / 3),
    ],
)
def test_a_tie_by_hand(score, k, expected):
    found = score([0, 0, 1, 0], [2, 1, 1, 1], k=k)
    assert found == pytest.approx(expected, abs=1e-15)


@each_score
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@given(lists=ranked_lists(max_size=12, n_scores=3), k=st.none() | st.integers(1, 4))
def test_each_list_is_the_mean_over_all_orders(score, lists, k):
    found = group_scores(score, *lists[:2], groups=lists.groups, k=k)
    values = []
    for label, value in zip(found.groups, found.values, strict=True):
        rows = np.flatnonzero(lists.groups == label)[:5]
        if len(rows) < np.sum(lists.groups == label):
            # Too many orders: of the first of its items alone.
            value = score(lists.y_true[rows], lists.y_score[rows], k=k)
        labels, scores = lists.y_true[rows].tolist(), lists.y_score[rows].tolist()
        expected = reference.mean_over_orders(ORACLES[score], labels, scores, k)
        assert value == pytest.approx(expected, abs=1e-14, nan_ok=True)
    values = found.values[~np.isnan(found.values)]
    mean = score(*lists[:2], groups=lists.groups, k=k)
    expected = values.mean() if len(values) else math.nan
    assert mean == pytest.approx(expected, abs=1e-15, nan_ok=True)


@pytest.fixture(scope="module")
def many():
    """Return 80 lists of one to sixty items, full of ties, and their rows by list."""
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(80), rng.integers(1, 60, 80))
    rng.shuffle(groups)
    y_true = rng.random(len(groups)) < 0.2
    y_score = np.round(rng.normal(size=len(groups)) + y_true, 1)
    return y_true, y_score, groups, [groups == label for label in range(80)]


@looped("k", [None, 1, 5, 20])
def test_ndcg_is_scikit_learns_ties_included(many, k):
    y_true, y_score, groups, lists = many
    found = group_scores(ndcg_score, y_true, y_score, groups=groups, k=k)
    for rows, value in zip(lists, found.values, strict=True):
        if y_true[rows].any() and rows.sum() > 1:
            expected = sklearn.metrics.ndcg_score([y_true[rows]], [y_score[rows]], k=k)
            assert value == pytest.approx(expected, abs=1e-13)


def test_map_without_ties_is_the_mean_average_precision(many):
    y_true, y_score, groups, _ = many
    untied = y_score + np.random.default_rng(0).permutation(len(y_score)) / 1e6
    found = mean_average_precision_score(y_true, untied, groups=groups)
    expected = group_scores(average_precision_score, y_true, untied, groups=groups)
    assert found == pytest.approx(expected.mean(), abs=1e-14)
    # Tied items in the worst order would be less, in the best one more.
    found = mean_average_precision_score(y_true, y_score, groups=groups)
    ends = [
        mean_average_precision_score(
            y_true, y_score + sign * y_true / 1e6, groups=groups
        )
        for sign in (-1, 1)
    ]
    assert ends[0] < found < ends[1]


def test_long_ties_keep_their_digits():
    # One relevant item of n that tie is anywhere: the mean of 1 / i.
    n = 20_000
    y_true = np.arange(n) == 7
    expected = sum(1 / i for i in range(1, n + 1)) / n
    for score in (reciprocal_rank_score, mean_average_precision_score):
        assert score(y_true, np.zeros(n)) == pytest.approx(expected, rel=1e-12)
    # Of many relevant ones the first is among the first few.
    found = reciprocal_rank_score(np.arange(n) % 2, np.zeros(n))
    # Nearly the mean of 1 / J for a geometric J: log 2.
    assert found == pytest.approx(math.log(2), abs=1e-4)


@each_score
def test_a_list_without_relevant_items_counts_as_told(score):
    options = {"groups": [1, 1, 2]}
    assert score([1, 0, 0], [2, 1, 3], **options) == 1
    assert score([1, 0, 0], [2, 1, 3], undefined=0, **options) == 0.5
    with pytest.warns(UndefinedMetricWarning, match="1 of 2 lists are undefined"):
        assert math.isnan(score([1, 0, 0], [2, 1, 3], undefined="nan", **options))
    with pytest.warns(UndefinedMetricWarning, match="no positive case"):
        assert math.isnan(score([0, 0], [2, 1]))


@each_score
def test_grades_are_relevant_from_the_threshold_on(score):
    grades = [3, 0, 2, 1, 0, 2]
    found = score(grades, SCORES, relevance_threshold=2)
    assert found == score(LABELS, SCORES)


@each_score
def test_bad_input_is_named(score):
    with pytest.raises(
        ValueError, match=r"shape \(2, 3\) .*np.repeat\(range\(2\), 3\)"
    ):
        ndcg_score(np.array([[1, 0, 1], [0, 1, 0]]), np.ones((2, 3)))
    with pytest.raises(ValueError, match="average='pairs' is known of the AUC only"):
        score(LABELS, SCORES, average="pairs")
    with pytest.raises(ValueError, match="sample_weight has no meaning for the"):
        group_scores(score, LABELS, SCORES, groups=SCORES, sample_weight=SCORES)
    with pytest.raises(
        ValueError, match=r"a mean over lists, .*group_scores\(\.\.\.\)"
    ):
        estimate(score, LABELS, SCORES)


@each_score
def test_batches_and_estimates_take_it(score, many):
    y_true, y_score, groups, _ = many
    order = np.argsort(groups, kind="stable")
    columns = [column[order] for column in (y_true, y_score, groups)]
    batches = list(zip(*(np.array_split(c, 7) for c in columns), strict=True))
    found = GroupScores.from_batches(score, batches, k=5)
    expected = group_scores(score, y_true, y_score, groups=groups, k=5)
    assert np.array_equal(found.values, expected.values, equal_nan=True)
    estimate = found.estimate()
    defined = found.values[~np.isnan(found.values)]
    error = defined.std(ddof=1) / math.sqrt(len(defined))
    assert estimate.standard_error == pytest.approx(error, rel=1e-12)
    with pytest.raises(ValueError, match=r"Batch 0 .*: sample_weight has no"):
        GroupScores.from_batches(score, [([1, 0], [1, 2], [1, 1], [1, 1])])


@each_score
@looped("library", ["pandas", "polars"])
def test_scorers_find_the_lists_in_a_column(score, library, many):
    frames = require(library)
    y_true, y_score, groups, _ = many
    X = frames.DataFrame({"score": y_score, "query": groups})

    scorer = make_ranking_scorer(score, groups="query", k=5, average="size")
    expected = score(y_true, y_score, groups=groups, k=5, average="size")
    assert scorer(fitted([False, True]), X, y_true) == expected
    with pytest.raises(ValueError, match="found no groups"):
        make_ranking_scorer(score)(fitted([False, True]), X, y_true)
