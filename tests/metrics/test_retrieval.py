"""NDCG, MAP and reciprocal rank: by hand, in every order of ties, against others."""

import math
from functools import partial

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, held, simulated
from list_strategies import ranked_lists
from looped import looped
from metric_cases import Case
from optional import require
from reference import list_places as reference
from scores_as_they_are import fitted
from skrate import (
    average_precision_score,
    estimate,
    eval_metric,
    group_scores,
    hit_rate_score,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    precision_at_rate_score,
    recall_at_fpr_score,
    recall_at_rate_score,
    reciprocal_rank_score,
)
from skrate.data import list_table as list_tables
from skrate.results import GroupScores


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
        "hit rate",
        hit_rate_score,
        {"k": 1},
        constant=lambda p: p,
        per_sample={"groups": lambda n: np.full(n, "a list")},
        takes_weights=False,
    ),
    Case(
        "NDCG of the top",
        ndcg_score,
        {"k": 1},
        constant=lambda p: p,
        per_sample={"groups": lambda n: np.full(n, "a list")},
        takes_weights=False,
    ),
]
ORACLES = {
    ndcg_score: reference.ndcg,
    mean_average_precision_score: reference.average_precision,
    reciprocal_rank_score: reference.reciprocal_rank,
    hit_rate_score: reference.hit_rate,
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
        (hit_rate_score, None, 1),
        (hit_rate_score, 1, 1),
    ],
)
def test_by_hand(score, k, expected):
    assert score(LABELS, SCORES, k=k) == pytest.approx(expected, abs=1e-15)


def test_capped_metrics_are_1_for_perfect_lists_of_more_relevant_items_than_k():
    y_true, y_score, groups = [1, 1, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1], [0] * 4 + [1] * 2
    options = {"groups": groups, "k": 2}
    for capped, expected in ((False, (2 / 3 + 1 / 2) / 2), (True, (1 + 1 / 2) / 2)):
        score = mean_average_precision_score(y_true, y_score, **options, capped=capped)
        assert score == pytest.approx(expected, rel=1e-15)
    # Pooled: 2 of 3 and 1 of 1; capped, 2 of min(2, 3).
    for capped, expected in ((False, 3 / 4), (True, 1)):
        score = recall_at_rate_score(y_true, y_score, **options, capped=capped)
        assert score == pytest.approx(expected, rel=1e-15)
    assert recall_at_rate_score([1, 1, 0], [3, 2, 1], k=1, capped=True) == 1
    with pytest.raises(ValueError, match=r"capped.*k"):
        recall_at_rate_score(y_true, y_score, rate=0.5, capped=True)
    with pytest.raises(ValueError, match=r"capped.*groups"):
        estimate("recall_at_rate", y_true, y_score, k=2, capped=True)


@looped("score", [*ORACLES, recall_at_rate_score, precision_at_rate_score])
def test_several_k_give_an_array(score):
    scores = score(LABELS, SCORES, k=[1, 3, 5])
    assert scores.tolist() == [score(LABELS, SCORES, k=k) for k in (1, 3, 5)]
    groups = [0, 0, 0, 1, 1, 1]
    scores = score(LABELS, SCORES, groups=groups, k=np.array([1, 2]))
    expected = [score(LABELS, SCORES, groups=groups, k=k) for k in (1, 2)]
    assert scores.tolist() == expected


def test_items_that_a_single_ranking_did_not_return_add_nothing():
    # Relevant items at positions 1 and 3, and two more that were not returned.
    y_true, y_score = [1, 0, 1, 1, 1, 0], [4, 3, 2, -math.inf, -math.inf, -math.inf]
    score = average_precision_score(y_true, y_score)
    assert score == pytest.approx((1 + 2 / 3) / 4, rel=1e-15)
    assert recall_at_rate_score(y_true, y_score, k=5) == 2 / 4
    assert recall_at_rate_score(y_true[:3], y_score[:3], k=3, n_relevant=4) == 2 / 4
    # Other metrics do not know their order.
    for score in (precision_at_rate_score, recall_at_fpr_score):
        option = {"k": 3} if score is precision_at_rate_score else {"fpr": 0.5}
        with pytest.raises(ValueError, match=r"y_score.*infinity"):
            score(y_true, y_score, **option)


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


@each_score
def test_bad_input_is_named(score):
    with pytest.raises(ValueError, match=r"2.*3.*2.*3"):
        ndcg_score(np.array([[1, 0, 1], [0, 1, 0]]), np.ones((2, 3)))
    with pytest.raises(ValueError, match="average='pairs'"):
        score(LABELS, SCORES, average="pairs")
    with pytest.raises(ValueError, match="sample_weight"):
        group_scores(score, LABELS, SCORES, groups=SCORES, sample_weight=SCORES)
    with pytest.raises(ValueError, match="group_scores"):
        estimate(score, LABELS, SCORES)


# --- Grades --------------------------------------------------------------------------

WORTH = {0: 0.5, 1: 0.0, 2: 7.0, 3: 7.0, 4: 1e-3}
GAINS = ["linear", "exponential", WORTH]
each_gain = looped("gain", GAINS)
# The second best item is first, the best third.
GRADES = [1, 0, 3, 0]


@looped(
    "gain, k, expected",
    [
        ("linear", None, (1 + 3 / 2) / (3 + 1 / math.log2(3))),
        ("exponential", None, (1 + 7 / 2) / (7 + 1 / math.log2(3))),
        ("exponential", 2, 1 / (7 + 1 / math.log2(3))),
        ("linear", 1, 1 / 3),
        ({0: 0, 1: 0, 3: 5}, None, 1 / 2),
        ({0: 2, 1: 2, 3: 2.0, 9: 8}, 3, 1),
    ],
)
def test_grades_by_hand(gain, k, expected):
    found = ndcg_score(GRADES, [9, 8, 7, 6], gain=gain, k=k)
    assert found == pytest.approx(expected, abs=1e-15)
    # A tie of the first three: each has the mean gain of them.
    of_grade = reference.gains_of(GRADES, gain)
    tied = sum(of_grade[:3]) / 3 * discounts(1, 3) + of_grade[3] / math.log2(5)
    best = sorted(of_grade, reverse=True)
    perfect = sum(of / math.log2(i + 2) for i, of in enumerate(best))
    found = ndcg_score(GRADES, [9, 9, 9, 6], gain=gain)
    assert found == pytest.approx(tied / perfect, abs=1e-15)


@st.composite
def graded_lists(draw):
    """Draw lists with grades 0 to 4 in place of labels."""
    lists = draw(ranked_lists(max_size=12, n_scores=3))
    n = len(lists.y_true)
    grades = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return lists._replace(y_true=np.array(grades))


@each_gain
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@given(lists=graded_lists(), k=st.none() | st.integers(1, 4))
def test_graded_lists_are_the_mean_over_all_orders(gain, lists, k):
    found = group_scores(ndcg_score, *lists[:2], groups=lists.groups, k=k, gain=gain)
    of_samples = np.array(reference.gains_of(lists.y_true, gain))
    for label, value in zip(found.groups, found.values, strict=True):
        rows = np.flatnonzero(lists.groups == label)
        given = of_samples[rows].tolist(), lists.y_score[rows].tolist()
        expected = reference.graded_ndcg(*given, k)
        assert value == pytest.approx(expected, abs=1e-14, nan_ok=True)
        if len(rows) <= 5:
            # The mean of ratios of one ideal is the ratio of the means.
            expected = reference.mean_over_orders(reference.ndcg, *given, k)
            assert value == pytest.approx(expected, abs=1e-14, nan_ok=True)


@looped("k", [None, 1, 5, 20])
def test_graded_ndcg_is_scikit_learns_ties_included(many, k):
    y_true, y_score, groups, lists = many
    grades = y_true * np.random.default_rng(3).integers(1, 5, len(y_true))
    for gain in GAINS:
        found = group_scores(ndcg_score, grades, y_score, groups=groups, k=k, gain=gain)
        of_samples = np.array(reference.gains_of(grades, gain))
        for rows, value in list(zip(lists, found.values, strict=True))[::6]:
            if of_samples[rows].any() and rows.sum() > 1:
                given = [of_samples[rows]], [y_score[rows]]
                expected = sklearn.metrics.ndcg_score(*given, k=k)
                assert value == pytest.approx(expected, abs=1e-13)


def graded(seed=0, n=4000, n_lists=90):
    """Return grades, scores that are tied and that are not, and lists."""
    rng = np.random.default_rng(seed)
    grades = rng.choice(5, n, p=[0.5, 0.2, 0.15, 0.1, 0.05])
    scores = grades + 2 * rng.normal(size=n)
    return grades, scores.round(), scores, rng.integers(0, n_lists, n)


def test_grades_of_many_values_are_sorted_alike(monkeypatch):
    grades, tied, scores, groups = graded()
    grades = grades * np.random.default_rng(4).random(len(grades))
    for each in (tied, scores):
        found = group_scores("ndcg", grades, each, groups=groups, gain="linear")
        monkeypatch.setattr(list_tables, "_KEY_BITS", 24)
        again = group_scores("ndcg", grades, each, groups=groups, gain="linear")
        monkeypatch.undo()
        assert np.array_equal(found.values, again.values)
        expected = reference.graded_ndcg(
            grades[groups == 0].tolist(), each[groups == 0].tolist()
        )
        assert found.values[0] == pytest.approx(expected, rel=1e-13)


@looped(
    "grades, options, message",
    [
        (
            [0, 1, 2],
            {"pos_label": 2},
            r"y_true >= grade.*relevance_threshold=.*ndcg_score",
        ),
        (np.linspace(0, 1, 11), {}, "Are y_true and y_score swapped"),
        ([0, 1, -1], {}, r"0.*gain='linear'.*-1"),
        ([0, 1], {"gain": "exp"}, r"gain.*'linear'.*'exp'"),
        ([0, 1], {"gain": {}}, "gain"),
        ([0, 1], {"gain": {0: -1}}, r"gain.*0.*-1"),
        ([0, 1], {"gain": {0: math.nan}}, r"gain.*0"),
        ([0, 1], {"gain": {0: 1}}, r"1.*y_true"),
        ([0, -2], {"gain": "linear"}, r"0.*gain='linear'.*-2"),
        (["a", "b"], {"gain": "linear"}, r"'a'.*0"),
        ([0, None], {"gain": "linear"}, r"y_true.*NaN.*1"),
        ([0, math.nan], {"gain": WORTH}, r"y_true.*NaN.*1"),
        ([0, math.inf], {"gain": "linear"}, "y_true"),
        ([0, 1024], {"gain": "exponential"}, r"y_true.*1024"),
        ([0, 1], {"gain": "linear", "pos_label": 1}, "pos_label=1"),
        ([0, 1], {"gain": "linear", "relevance_threshold": 1}, "relevance_threshold=1"),
    ],
)
def test_bad_grades_are_named(grades, options, message):
    with pytest.raises(ValueError, match=message):
        ndcg_score(grades, range(len(grades)), **options)


def test_grades_are_gains_by_default_as_in_scikit_learn():
    rng = np.random.default_rng(0)
    for grades in (rng.integers(0, 4, (30, 8)), rng.integers(0, 5, (30, 8)) / 2):
        y_score = rng.normal(size=grades.shape)
        rows = {"y_true": grades.ravel(), "y_score": y_score.ravel()}
        rows["groups"] = np.repeat(np.arange(30), 8)
        expected = sklearn.metrics.ndcg_score(grades, y_score)
        assert ndcg_score(**rows) == pytest.approx(expected, rel=1e-12)
        found = estimate("ndcg", **rows)
        assert found.params["gain"] == "linear"
        assert found.value == ndcg_score(**rows)
        assert found == estimate("ndcg", **rows, gain="linear")
    # Two classes gain 1 and 0, whatever they are called.
    assert ndcg_score(["x", "y"], [2, 1], pos_label="x") == 1


def test_other_metrics_and_weights_refuse_grades_by_name():
    for score in (mean_average_precision_score, average_precision_score):
        with pytest.raises(ValueError, match=r"y_true >= grade.*ndcg_score"):
            score([0, 1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="'gain'"):
        group_scores("reciprocal_rank", [0, 1], [1, 2], groups=[1, 1], gain="linear")
    with pytest.raises(ValueError, match="sample_weight"):
        group_scores(
            "ndcg", [0, 2], [1, 2], groups=[1, 1], gain="linear", sample_weight=[1, 1]
        )


def test_batches_reports_and_training_take_grades():
    pandas = require("pandas")
    grades, y_score, _, groups = graded(n_lists=40)
    options = {"k": 5, "gain": "exponential"}
    expected = group_scores("ndcg", grades, y_score, groups=groups, **options)
    order = np.argsort(groups, kind="stable")
    rows = [column[order] for column in (grades, y_score, groups)]
    batches = zip(*(np.array_split(column, 7) for column in rows), strict=True)
    found = GroupScores.from_batches("ndcg", batches, **options)
    assert np.array_equal(found.values, expected.values)

    X = pandas.DataFrame({"score": y_score, "query": groups})
    scorer = make_ranking_scorer("ndcg", groups="query", **options)
    assert "gain='exponential'" in repr(scorer)
    assert scorer(fitted(), X, grades) == expected.mean()

    monitor = eval_metric("ndcg", library="lightgbm", **options)
    sizes = np.bincount(groups)
    value = monitor(*rows[:2], None, sizes)[1]
    assert value == pytest.approx(expected.mean(), abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("gain", ["linear", "exponential"])
def test_intervals_of_graded_lists_hold_the_mean(gain):
    options = {"gain": gain, "k": 10}

    def drawn(seed, n_lists):
        # Lists of log-normal size, with grades that few items have.
        rng = np.random.default_rng(seed)
        sizes = np.maximum(np.exp(rng.normal(2.7, 0.6, n_lists)).astype(int), 2)
        groups = np.repeat(np.arange(n_lists), sizes)
        grades = rng.choice(5, len(groups), p=[0.55, 0.2, 0.15, 0.07, 0.03])
        quality = np.repeat(rng.exponential(1, n_lists), sizes)
        scores = (quality * grades + rng.standard_t(4, len(groups))).round(1)
        return group_scores("ndcg", grades, scores, groups=groups, **options)

    truth = drawn(0, 100_000).mean()
    for n_lists in (20, 60):
        found = simulated(1000, lambda i, n=n_lists: drawn(i + 1, n).estimate())
        assert_share(held(found, truth), at_least=0.94, at_most=0.97)


def scores_of_one_run(relevant, scores, k=None):
    """Return NDCG, MAP, reciprocal rank and recall of returned items, as trec_eval."""
    n = len(relevant) if k is None else k
    order = np.argsort(-scores, kind="stable")
    found = (relevant[order] * np.isfinite(scores[order]))[:n]
    discounts = 1 / np.log2(np.arange(2, len(relevant) + 2))
    best = np.sum(discounts[: min(n, relevant.sum())])
    precision = np.cumsum(found) / np.arange(1, len(found) + 1)
    first = np.flatnonzero(found)
    return [
        np.sum(found * discounts[: len(found)]) / best,
        np.sum(found * precision) / relevant.sum(),
        1 / (first[0] + 1) if len(first) else 0,
        found.sum() / relevant.sum(),
    ]


@looped("k", [None, 3])
def test_items_that_were_not_returned_add_nothing(k):
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(1, 9))
        relevant = rng.integers(0, 2, n)
        scores = rng.permutation(n) * 1.0
        scores[rng.random(n) < 0.4] = -np.inf
        if not relevant.any():
            continue
        expected = scores_of_one_run(relevant, scores, k)
        # Where the relevant ones among them have no rows, their number says the same.
        kept = np.isfinite(scores) | (relevant == 0)
        counted = {"groups": np.zeros(kept.sum(), int), "n_relevant": [relevant.sum()]}
        of_places = ndcg_score, mean_average_precision_score, reciprocal_rank_score
        for score, value in zip(of_places, expected, strict=False):
            assert score(relevant, scores, k=k) == pytest.approx(value, abs=1e-12)
            if kept.any() and n <= (k or n):
                again = score(relevant[kept], scores[kept], k=k, **counted)
                assert again == pytest.approx(value, abs=1e-12)
        by_list = {"groups": np.zeros(n, int)}
        if k is not None:
            recall = group_scores("recall_at_rate", relevant, scores, k=k, **by_list)
            assert recall.values[0] == pytest.approx(expected[3], abs=1e-12)
        else:
            one = group_scores("average_precision", relevant, scores, **by_list)
            assert one.values[0] == pytest.approx(expected[1], abs=1e-12)


def test_lists_of_which_nothing_relevant_was_returned_count_0():
    rows = {"y_true": [1, 0, 0, 0], "y_score": [4, 3, 2, 1], "groups": list("aabb")}
    for score in (ndcg_score, mean_average_precision_score, reciprocal_rank_score):
        assert score(**rows) == 1
        assert score(**rows, n_relevant={"a": 1, "b": 2, "c": 1}) == pytest.approx(
            1 / 3
        )
    found = estimate("ndcg", **rows, n_relevant={"a": 1, "b": 2, "c": 1})
    assert found.of == "3 lists"
    assert found.value == pytest.approx(1 / 3)


@looped(
    "options, message",
    [
        ({"n_relevant": {"a": 1}}, "no entry for the list 'b'"),
        ({"n_relevant": {"a": 0, "b": 1}}, "has 0 for the list 'a'.* 1 "),
        ({"n_relevant": [1, 1, 1]}, "n_relevant must be a dict .* 2 lists"),
        ({"n_relevant": [1.5, 1]}, "n_relevant must be a dict .* whole numbers"),
        ({"y_score": [np.inf, 3, 2, 1]}, "y_score contains infinity"),
    ],
)
def test_what_does_not_say_how_many_are_relevant_is_named(options, message):
    rows = {"y_true": [1, 0, 0, 1], "y_score": [4, 3, 2, 1], "groups": list("aabb")}
    for score in (ndcg_score, partial(group_scores, "average_precision")):
        with pytest.raises(ValueError, match=message):
            score(**rows | options)


def test_the_grades_of_missing_items_are_not_guessed():
    rows = {"y_score": [2, 1], "groups": ["a", "a"]}
    for grades, gain in (
        ([1, 2], "linear"),
        ([0, 0], "linear"),
        ([1, 2], {1: 1, 2: 3}),
    ):
        with pytest.raises(ValueError, match=r"does not say which grades .* -inf"):
            ndcg_score(grades, gain=gain, n_relevant={"a": 3}, **rows)
    # One gain of relevant items is that of the missing ones.
    found = ndcg_score([2, 0], gain="linear", n_relevant={"a": 2}, **rows)
    assert found == pytest.approx(1 / (1 + 1 / np.log2(3)))


def test_other_metrics_do_not_take_what_was_not_returned():
    rows = {"y_true": [1, 0], "y_score": [1, -np.inf], "groups": [1, 1]}
    for metric in ("roc_auc", "rate_weighted_auc"):
        with pytest.raises(ValueError, match="-inf means 'not returned'"):
            group_scores(metric, **rows)
    with pytest.raises(ValueError, match="n_relevant has no meaning for the AUC"):
        group_scores("roc_auc", [1, 0], [2, 1], groups=[1, 1], n_relevant=[1])


def test_lists_without_rows_and_without_relevant_items_do_not_count():
    # As many lists as rows: the sizes of lists are those of their items.
    groups, y_true, y_score = np.repeat(np.arange(50), 2), [0, 1] * 50, [2.0, 1.0] * 50
    known = {**dict.fromkeys(range(50), 1), **dict.fromkeys(range(1000, 1050), 0)}
    options = {"groups": groups, "n_relevant": known}
    assert hit_rate_score(y_true, y_score, k=1, **options) == 0
    assert mean_average_precision_score(y_true, y_score, **options) == 1 / 2
    counts = {"groups": ["a"], "n_relevant": {"a": 2, "b": 1, "c": 0}}
    scores = group_scores("hit_rate", [1], [1.0], **counts, pos_label=1)
    assert scores.values.tolist()[:2] == [1, 0]
    assert math.isnan(scores.values[2])
    with pytest.warns(UndefinedMetricWarning):
        hit_rate_score([0, 0], [2, 1], n_relevant=0, pos_label=1)


def test_items_that_were_not_returned_are_not_found_at_a_rate_of_1():
    y_true, y_score = [1, 0, 1, 0], [2, 1, -math.inf, -math.inf]
    groups = [0, 0, 0, 0]
    for options in ({"rate": 1.0}, {"k": 4}):
        assert recall_at_rate_score(y_true, y_score, **options) == 1 / 2
        assert recall_at_rate_score(y_true, y_score, groups=groups, **options) == 1 / 2
    assert recall_at_rate_score([1, 0], [2, 1], rate=1.0, n_relevant=4) == 1 / 4
    rng = np.random.default_rng(0)
    y_true, groups = rng.random(60) < 0.4, np.repeat(np.arange(12), 5)
    y_score = rng.normal(size=60)
    estimates = [
        estimate("recall_at_rate", y_true, each, groups=groups, rate=1.0)
        for each in (y_score, np.where(y_score < -1, -math.inf, y_score))
    ]
    assert estimates[0].confidence_interval == (1, 1)
    assert estimates[1].confidence_interval.low < estimates[1].value < 1


def test_half_stars_are_grades():
    rng = np.random.default_rng(0)
    grades, groups = rng.integers(0, 11, 300) / 2, np.repeat(np.arange(30), 10)
    y_score = rng.normal(size=300)
    expected = ndcg_score(grades, y_score, groups=groups, gain="linear")
    assert ndcg_score(grades, y_score, groups=groups) == expected
