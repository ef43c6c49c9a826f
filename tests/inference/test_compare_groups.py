"""Two models within the same lists: t and all flips of signs, done differently."""

import math
from itertools import product

import numpy as np
import pytest
import scipy.stats
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, simulated
from looped import looped
from skrate import (
    compare,
    estimate,
    expected_gain_score,
    group_scores,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    precision_at_rate_score,
    ranking_auc_score,
    recall_at_rate_score,
    reciprocal_rank_score,
)


def two_models(seed, n_lists=30, shift=0.3):
    """Return labels, lists, and scores of two models of which a is better."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_lists), rng.integers(3, 12, n_lists))
    y_true = (rng.random(len(groups)) < 0.3).astype(int)
    noise = rng.normal(size=(3, len(groups)))
    a, b = noise[0] + noise[1] + (1 + shift) * y_true, noise[0] + noise[2] + y_true
    return y_true, groups, np.round(a, 1), np.round(b, 1)


METRIC_OF = {
    "AUC": "roc_auc",
    "NDCG": ndcg_score,
    "MAP": mean_average_precision_score,
    "Reciprocal rank": reciprocal_rank_score,
    "Recall": recall_at_rate_score,
    "Precision": precision_at_rate_score,
    "Expected gain": expected_gain_score,
}


def compare_groups(a, b, **options):
    """Return the comparison of what group_scores returned."""
    return compare(METRIC_OF[a.metric], a, b, **{"n_resamples": 9999, **options})


def scores_of(metric, y_true, groups, *models, **options):
    return [
        group_scores(metric, y_true, model, groups=groups, **options)
        for model in models
    ]


METRICS = [ndcg_score, mean_average_precision_score, reciprocal_rank_score, "roc_auc"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_the_mean_over_lists_is_scipys_paired_t(metric, alternative):
    a, b = scores_of(metric, *two_models(1))
    found = compare_groups(a, b, alternative=alternative, confidence_level=0.9)
    defined = ~np.isnan(a.values)
    values = a.values[defined], b.values[defined]
    expected = scipy.stats.ttest_rel(*values, alternative=alternative)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert found.value_a == a.mean()
    # scipy's other end is infinite, here it is the greatest difference.
    ends = np.clip(expected.confidence_interval(0.9), -1, 1)
    assert found.confidence_interval == pytest.approx(ends, abs=1e-12)


CASES = [
    ("roc_auc", {}, {}),
    ("roc_auc", {}, {"average": "pairs"}),
    # Models differ in the pairs that they show, so that lists differ in weight.
    ("roc_auc", {"k": 5}, {"average": "pooled"}),
    ("roc_auc", {"k": 3}, {"undefined": 0.5}),
    (ndcg_score, {"k": 3}, {"average": "size"}),
    (recall_at_rate_score, {"k": 2}, {}),
    (precision_at_rate_score, {"k": 2}, {}),
    (expected_gain_score, {"gain": {"positive": 3}, "k": 2}, {"average": "pooled"}),
    (reciprocal_rank_score, {}, {"average": np.arange(1, 7)}),
]


@looped("metric, options, mean", CASES)
def test_permutation_is_all_exchanges_of_lists(metric, options, mean):
    y_true, groups, a, b = two_models(2, n_lists=6)
    scores = scores_of(metric, y_true, groups, a, b, **options)
    if metric == "roc_auc" and mean == {"average": "pooled"}:
        # A list may be undefined for one model only: then it is left out of both.
        kept = scores[0].is_defined & scores[1].is_defined
        rows = np.isin(groups, np.flatnonzero(kept))
        y_true, groups, a, b = (column[rows] for column in (y_true, groups, a, b))
        scores = scores_of(metric, y_true, groups, a, b, **options)
    found = compare_groups(*scores, method="permutation", **mean)
    labels = np.unique(groups)
    differences = []
    for flips in product([False, True], repeat=len(labels)):
        is_flipped = np.isin(groups, labels[np.array(flips)])
        exchanged = np.where(is_flipped, b, a), np.where(is_flipped, a, b)
        of_a, of_b = scores_of(metric, y_true, groups, *exchanged, **options)
        differences.append(of_a.mean(**mean) - of_b.mean(**mean))
    assert found.value == pytest.approx(differences[0], abs=1e-12)
    expected = np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12)
    assert found.pvalue == pytest.approx(expected, abs=1e-12)
    less = compare_groups(*scores, method="permutation", alternative="less", **mean)
    expected = np.mean(np.array(differences) <= differences[0] + 1e-12)
    assert less.pvalue == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:.* lists are undefined for one of the")
@pytest.mark.parametrize("metric", [ndcg_score, ranking_auc_score])
def test_compare_and_estimate_know_lists_by_their_groups(metric):
    y_true, groups, a, b = two_models(6)
    scores = scores_of(metric, y_true, groups, a, b, k=4)
    options = {"groups": groups, "k": 4, "average": "size"}
    found = compare(metric, y_true, a, b, **options)
    assert found == compare_groups(*scores, average="size")
    found = compare(
        metric, y_true, a, b, method="permutation", random_state=1, **options
    )
    assert found.method == "permutation"
    one = estimate(metric, y_true, a, confidence_level=0.9, **options)
    assert one == scores[0].estimate("size", confidence_level=0.9)
    for call, wrong in (
        (compare, {"method": "bootstrap"}),
        (compare, {"stratify": True}),
        (compare, {"interval": "percentile"}),
        (compare, {"y_true_b": y_true}),
        (estimate, {"method": "jackknife"}),
    ):
        models = (a, b) if call is compare else (a,)
        with pytest.raises(ValueError, match=next(iter(wrong))):
            call(metric, y_true, *models, groups=groups, **wrong)
    with pytest.raises(ValueError, match=r"y_score_a.*y_score_b"):
        compare(metric, y_true, a, groups=groups)
    with pytest.raises(ValueError, match="'rate'"):
        compare(metric, y_true, a, b, groups=groups, rate=0.1)
    scorer = make_ranking_scorer(metric, groups="query")
    with pytest.raises(ValueError, match="make_ranking_scorer"):
        compare(scorer, y_true, a, b, groups=groups)


def test_without_variation_there_is_no_t():
    y_true, groups, a, b = [1, 0, 0, 1], [1, 1, 2, 2], [2, 1, 1, 2], [1, 2, 2, 1]
    scores = scores_of(ndcg_score, y_true, groups, a, b)
    with pytest.warns(UndefinedMetricWarning, match="method='permutation'"):
        assert math.isnan(compare_groups(*scores).pvalue)
    assert compare_groups(*scores, method="permutation").pvalue == 0.5
    same = compare_groups(scores[0], scores[0])
    assert (same.value, same.statistic, same.pvalue) == (0, 0, 1)
    one = scores_of(ndcg_score, [1, 0], [3, 3], [2, 1], [1, 2])
    with pytest.warns(UndefinedMetricWarning, match="one list"):
        assert math.isnan(compare_groups(*one).pvalue)
    none = scores_of(ndcg_score, [0, 0], [3, 4], [2, 1], [1, 2])
    with pytest.warns(UndefinedMetricWarning, match="no list"):
        assert math.isnan(compare_groups(*none).value)


def test_bad_input_is_named():
    y_true, groups, a, b = two_models(7)
    of_a, of_b = scores_of(ndcg_score, y_true, groups, a, b)
    with pytest.raises(ValueError, match=r"y_score_a.*group_scores"):
        compare_groups(of_a, b)
    with pytest.raises(ValueError, match="lists with the same groups"):
        compare_groups(of_a, *scores_of(ndcg_score, y_true, groups + 1, b))
    with pytest.raises(ValueError, match="n_pos"):
        compare_groups(of_a, *scores_of(ndcg_score, 1 - y_true, groups, b))
    with pytest.raises(ValueError, match="method='bootstrap'"):
        compare_groups(of_a, of_b, method="bootstrap")
    with pytest.raises(ValueError, match="y_true"):
        compare("roc_auc", of_a, of_b)
    with pytest.raises(ValueError, match=r"\bk\b.*GroupScores"):
        compare(ndcg_score, of_a, of_b, k=3)
    with pytest.raises(ValueError, match=r"pos_label.*None"):
        compare(ndcg_score, of_a, of_b, pos_label=1)
    with pytest.raises(ValueError, match="interval"):
        compare(ndcg_score, of_a, of_b, interval="percentile")
    with pytest.raises(ValueError, match="alternative"):
        compare_groups(of_a, of_b, alternative="more")
    with pytest.raises(ValueError, match="average='pairs'"):
        compare_groups(of_a, of_b, average="pairs")


@pytest.mark.slow
@pytest.mark.parametrize("metric", [ndcg_score, precision_at_rate_score])
def test_equal_models_seldom_differ(metric):
    options = {"k": 3} if metric is precision_at_rate_score else {}

    def rejects(seed):
        scores = scores_of(metric, *two_models(seed, shift=0.0), **options)
        return compare_groups(*scores).pvalue < 0.05

    assert_share(simulated(1000, rejects), at_least=0.05, at_most=0.05)
