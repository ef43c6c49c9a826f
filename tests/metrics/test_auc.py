"""The AUC of one ranking and within lists."""

import math

import numpy as np
import pytest
import sklearn.datasets
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, held, simulated
from list_strategies import ranked_lists
from looped import looped
from metric_cases import Case
from reference import list_auc as reference
from reference import tables
from reference.list_intervals import wilson_interval
from skrate import FoldRankings, group_scores, ranking_auc_score

CASES = [
    Case(
        "ranking AUC, one list",
        ranking_auc_score,
        constant=lambda p: 0.5,
        oracle=tables.auc,
        needs_negatives=True,
        negates=True,
        swaps=True,
    ),
    Case(
        "ranking AUC, groups",
        ranking_auc_score,
        {"average": "pairs"},
        constant=lambda p: 0.5,
        per_sample={"groups": lambda n: np.full(n, "a list")},
        needs_negatives=True,
        negates=True,
        swaps=True,
    ),
]
# Two lists: "a" in order, "b" with one of two pairs in order, "c" of one class.
Y_TRUE = [1, 0, 0, 1, 0, 1]
Y_SCORE = [0.9, 0.2, 0.7, 0.5, 0.3, 0.4]
GROUPS = list("aabbbc")
LEVEL = 0.9


def report(*data, groups=None, **options):
    """Return the AUC of each list, and its mean with its standard error."""
    names = ("average", "undefined", "confidence_level")
    mean = {name: options.pop(name) for name in names if name in options}
    scores = group_scores("roc_auc", *data, groups=groups, **options)
    return scores, scores.estimate(**mean)


BY_HAND = [
    ({}, (1 + 1 / 2) / 2),
    ({"average": "pairs"}, (1 + 1) / (1 + 2)),
    ({"average": "positives"}, (1 * 1 + 1 / 2) / 2),
    ({"average": "size"}, (2 * 1 + 3 / 2) / 5),
    ({"average": [1, 3, 9]}, (1 + 3 / 2) / 4),
    ({"undefined": 0.5}, (1 + 1 / 2 + 1 / 2) / 3),
    ({"undefined": 0}, (1 + 1 / 2) / 3),
    ({"undefined": 1, "average": "size"}, (2 + 3 / 2 + 1) / 6),
    ({"undefined": 1, "average": "positives"}, (1 + 1 / 2 + 1) / 3),
    ({"undefined": 0, "average": "pairs"}, 2 / 3),
    ({"k": 2}, (1 + 0) / 2),
    ({"k": 3}, (1 + 1 / 2) / 2),
    ({"k": 2, "average": "pairs"}, 1 / 2),
    ({"k": 2, "average": "size"}, 2 / 5),
    ({"groups": None}, (3 + 2 + 2) / 9),
    ({"sample_weight": [1, 1, 1, 1, 2, 1]}, (1 + 2 / 3) / 2),
    ({"sample_weight": [1, 1, 1, 1, 2, 1], "average": "size"}, (2 + 4 * 2 / 3) / 6),
    ({"sample_weight": [0, 0, 1, 1, 1, 1]}, 1 / 2),
]  # fmt: skip


@looped("options, expected", BY_HAND)
def test_by_hand(options, expected):
    score = ranking_auc_score(Y_TRUE, Y_SCORE, **{"groups": GROUPS, **options})
    assert type(score) is float
    assert score == pytest.approx(expected, abs=1e-15)


def averaged(values, weights):
    """Return the weighted mean of values that are not None, nan of none."""
    known = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None]
    total = sum(weight for _, weight in known)
    return float(sum(v * w for v, w in known) / total) if total else math.nan


def weight_of(items, average):
    if average == "macro":
        return 1
    return sum(w for _, is_pos, w in items if is_pos or average == "size")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@given(
    lists=st.one_of(ranked_lists(), ranked_lists(weighted=True)),
    average=st.sampled_from(["macro", "positives", "size"]),
    undefined=st.sampled_from(["skip", 0.5, 0.25]),
)
def test_agrees_with_the_pair_by_pair_oracle(lists, average, undefined):
    items = [part for part in reference.lists_of(*lists).values() if part]
    values = [reference.auc(part) for part in items]
    if undefined != "skip":
        values = [undefined if value is None else value for value in values]
    expected = averaged(values, [weight_of(part, average) for part in items])
    score = ranking_auc_score(
        lists.y_true,
        lists.y_score,
        groups=lists.groups,
        sample_weight=lists.sample_weight,
        average=average,
        undefined=undefined,
    )
    assert score == pytest.approx(expected, abs=1e-14, nan_ok=True)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@given(
    lists=ranked_lists(max_size=9, n_scores=3),
    k=st.integers(1, 5),
    undefined=st.sampled_from(["skip", 0.5]),
)
def test_a_cut_among_ties_is_the_mean_over_all_orders(lists, k, undefined):
    # All orders of at most six items are tried.
    groups = np.minimum(np.arange(len(lists.y_true)) // 6, 1)
    items = reference.lists_of(lists.y_true, lists.y_score, groups).values()
    cut = [reference.top_auc(part, k) for part in items]
    values = [value for value, _ in cut]
    if undefined != "skip":
        values = [(v or 0) * share + (1 - share) * undefined for v, share in cut]
    expected = averaged(values, [1] * len(values))
    options = {"groups": groups, "k": k}
    score = ranking_auc_score(*lists[:2], undefined=undefined, **options)
    assert score == pytest.approx(expected, abs=1e-14, nan_ok=True)
    ordered, total = map(
        sum, zip(*(reference.top_pairs(part, k) for part in items), strict=True)
    )
    score = ranking_auc_score(*lists[:2], average="pairs", **options)
    expected = float(ordered / total) if total else math.nan
    assert score == pytest.approx(expected, abs=1e-14, nan_ok=True)


SCORES = {
    "distinct": lambda rng, n: rng.normal(size=n),
    "tied": lambda rng, n: np.round(rng.normal(size=n), 1) / 3,
    "nearly tied": lambda rng, n: 1 + rng.integers(0, 9, n) * np.finfo(float).eps,
    # Too wide for a key: places tie what scores do not.
    "wide and nearly tied": lambda rng, n: np.where(
        rng.random(n) < 0.1, 1e-300, 1 + rng.integers(0, 9, n) * np.finfo(float).eps
    ),
    "of all sizes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.uniform(-99, 99, n),
    "32 bits": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "16 bits": lambda rng, n: rng.normal(size=n).astype(np.float16),
    "extended": lambda rng, n: np.round(rng.normal(size=n), 1).astype(np.longdouble),
    "integers": lambda rng, n: rng.integers(-5, 5, n),
    "wide integers": lambda rng, n: rng.integers(-(2**63), 2**63 - 1, n),
    "unsigned": lambda rng, n: rng.integers(0, 2**64 - 1, n, dtype=np.uint64),
    "close unsigned": lambda rng, n: (
        np.uint64(2**64 - 1) - rng.integers(0, 3, n).astype(np.uint64)
    ),
    "booleans": lambda rng, n: rng.random(n) < 0.5,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.* as predicted classes do")
@pytest.mark.slow
@looped("kind", SCORES)
@looped("is_weighted", [False, True])
def test_macro_is_the_mean_of_roc_auc_score_over_many_lists(kind, is_weighted):
    rng = np.random.default_rng(7)
    n_rows = 1_000
    groups = rng.permutation(np.minimum(rng.geometric(0.02, n_rows), 300))
    y_true, y_score = rng.random(n_rows) < 0.4, SCORES[kind](rng, n_rows)
    weight = rng.random(n_rows) if is_weighted else np.ones(n_rows)
    values = []
    for label in np.unique(groups):
        rows = groups == label
        if 0 < y_true[rows].sum() < rows.sum():
            # Ranks, since scikit-learn makes 64-bit floats of scores.
            ranks = np.unique(y_score[rows], return_inverse=True)[1]
            values.append(
                sklearn.metrics.roc_auc_score(
                    y_true[rows], ranks, sample_weight=weight[rows]
                )
            )
    assert len(values) > 50
    score = ranking_auc_score(
        y_true, y_score, groups=groups, sample_weight=weight if is_weighted else None
    )
    assert score == pytest.approx(np.mean(values), abs=1e-13)


def test_the_standard_error_of_macro_is_that_of_a_mean():
    # Lists of AUC 1, 1/2 and 0.
    y_true, groups = [1, 0] * 3, [0, 0, 1, 1, 2, 2]
    _, mean = report(y_true, [2, 1, 1, 1, 1, 2], groups=groups)
    assert mean.value == 1 / 2
    assert mean.standard_error == pytest.approx(math.sqrt(0.25 / 3), abs=1e-15)
    # 4.3027 is the 0.975 quantile of Student's t with two degrees of freedom.
    expected = wilson_interval(0.5, 0.25 / 3, 3, 4.302653)
    assert mean.confidence_interval == pytest.approx(expected, abs=1e-6)
    _, mean = report(y_true, [2, 1, 1, 1, 1, 2], groups=groups, confidence_level=0.5)
    expected = wilson_interval(0.5, 0.25 / 3, 3, 0.816497)
    assert mean.confidence_interval == pytest.approx(expected, abs=1e-6)


@looped(
    "y_true, options, message",
    [
        ([1, 1, 0, 0], {}, "no list"),
        ([1, 1, 1, 1], {}, "y_true"),
        ([0, 0, 0, 0], {"average": "pairs"}, "y_true"),
        ([1, 0, 1, 0], {"k": 1}, "first 1"),
        ([0, 0, 0, 0], {"average": "positives", "undefined": 0.5}, "weight"),
        ([1, 0, 0, 0], {"average": [0, 1]}, "weight"),
    ],
)
def test_no_defined_list_is_nan_with_a_warning(y_true, options, message):
    options = {"groups": [0, 0, 1, 1], **options}
    with pytest.warns(UndefinedMetricWarning, match=message):
        assert math.isnan(ranking_auc_score(y_true, [1, 2, 3, 4], **options))
    with pytest.warns(UndefinedMetricWarning, match=message):
        assert math.isnan(report(y_true, [1, 2, 3, 4], **options)[1].value)


@looped(
    "options, message",
    [
        ({"groups": [1, 2]}, r"y_true.*6.*2"),
        ({"groups": [1, 2, np.nan, 1, 2, 1]}, r"groups.*NaN.*2"),
        ({"groups": ["a", None, "b"] * 2}, r"groups.*NaN.*1"),
        ({"groups": np.ones((6, 2))}, "groups"),
        ({"groups": ["a", 1, "b"] * 2}, r"groups.*'int', 'str'"),
        ({"groups": np.array(["a", 1, "b"] * 2, object)}, r"groups.*'int', 'str'"),
        ({"k": 0}, r"\bk\b.*1.*0"),
        ({"k": 2.5}, r"\bk\b.*1.*2\.5"),
        ({"k": 2, "sample_weight": [1] * 6}, "k=2"),
        ({"undefined": "zero"}, r"undefined.*'zero'"),
        ({"undefined": None}, "undefined"),
        ({"undefined": math.nan}, "undefined"),
        ({"average": "mean"}, "average"),
        ({"average": [1, 2]}, r"average.*3.*2"),
        ({"average": [1, -1, 1]}, "average"),
        ({"relevance_threshold": 1, "pos_label": 1}, "pos_label=1"),
        ({"relevance_threshold": "1"}, "relevance_threshold"),
    ],
)
def test_bad_input_is_named(options, message):
    options = {"groups": GROUPS, **options}
    with pytest.raises(ValueError, match="average"):
        ranking_auc_score(Y_TRUE, Y_SCORE, groups=GROUPS, average=None)
    for function in (ranking_auc_score, report):
        with pytest.raises(ValueError, match=message):
            function(Y_TRUE, Y_SCORE, **options)


def test_grades_must_be_numbers():
    with pytest.raises(ValueError, match="y_true"):
        ranking_auc_score(["a", "b"], [1, 2], relevance_threshold=1)


def test_folds_have_no_cut():
    rankings = FoldRankings([1, 0, 1, 0], [4, 3, 2, 1], [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"k=2.*rate="):
        ranking_auc_score(rankings, k=2)


def lists_of(rng, n_lists):
    """Return labels, scores and lists; lists differ in size, level and difficulty."""
    sizes = rng.integers(3, 25, n_lists)
    groups = np.repeat(np.arange(n_lists), sizes)
    level, skill = rng.normal(-1, 1, n_lists), rng.uniform(0, 2, n_lists)
    y_true = rng.random(len(groups)) < 1 / (1 + np.exp(-level[groups]))
    y_score = rng.normal(size=len(groups)) + skill[groups] * y_true
    return y_true, np.round(y_score, 1), groups


@pytest.mark.slow
@looped("average", ["macro", "pairs", "positives", "size"])
def test_the_interval_over_lists_covers(average):
    rng = np.random.default_rng(8)

    def scores(n):
        *data, groups = lists_of(rng, n)
        return group_scores("roc_auc", *data, groups=groups)

    truth, options = scores(200_000).mean(average), {"confidence_level": LEVEL}
    found = simulated(4000, lambda _: scores(150).estimate(average, **options))
    # A ratio of sums over 150 lists is a little skewed: one hundredth for that.
    assert_share(held(found, truth), at_least=LEVEL - 0.01, at_most=LEVEL + 0.01)
