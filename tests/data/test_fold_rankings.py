"""Rankings of folds: what they hold, what they refuse, and every metric of them."""

import json
from dataclasses import FrozenInstanceError
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

from looped import case, looped
from metric_cases import sample
from metric_registry import METRICS
from skrate import (
    FoldRankings,
    average_precision_score,
    budget_report,
    compare,
    compare_curves,
    curve_band,
    estimate,
    expected_gain_score,
    ndcg_score,
    ranking_auc_score,
    rates,
    recall_at_rate_score,
)
from skrate.metrics.metric import METRICS as REGISTERED

# Some metrics are undefined on some rankings; others warn of few negatives.
quiet = pytest.mark.filterwarnings("ignore")


def drawn(seed=0, n_folds=4, n=50, weighted=False):
    """Return folds of other sizes, prevalences and scales of scores."""
    generator = np.random.default_rng(seed)
    parts = [
        sample(seed + i, n + 7 * i, prevalence=0.2 + 0.1 * i) for i in range(n_folds)
    ]
    fold = np.repeat(np.arange(n_folds), [len(y_true) for y_true, _ in parts])
    y_true = np.concatenate([y_true for y_true, _ in parts])
    y_score = np.concatenate([y_score for _, y_score in parts]) + 10 * fold
    order = generator.permutation(len(fold))
    weights = generator.integers(0, 4, len(fold)) if weighted else None
    return FoldRankings(
        y_true[order], y_score[order], fold[order], sample_weight=weights
    )


registered = looped("metric", [m for m in METRICS if m.function in REGISTERED])


@quiet
@registered
@looped("weighted", [False, True])
def test_a_metric_is_the_mean_over_folds(metric, weighted):
    rankings = drawn(weighted=weighted)
    values = []
    for fold in range(4):
        rows = rankings.fold == fold
        weights = {"sample_weight": rankings.sample_weight[rows]} if weighted else {}
        values.append(metric(rankings.y_true[rows], rankings.y_score[rows], **weights))
    found = metric.function(rankings, **metric.kwargs)
    assert type(found) is float
    assert found == pytest.approx(np.nanmean(values), abs=1e-12)


def test_a_metric_undefined_on_all_folds_is_nan():
    rankings = FoldRankings([1, 1], [1, 2], [0, 1])
    with (
        pytest.warns(UndefinedMetricWarning, match=r"FPR.*pooled\(\)"),
        pytest.warns(UserWarning, match=r"rate.*\b0\.5\b"),
    ):
        assert np.isnan(recall_at_rate_score(rankings, rate=0.5, of="negatives"))


def test_sampling_weights_tell_no_sum_of_gains_of_folds():
    rankings = FoldRankings(
        [1, 0, 1, 0], [2, 1, 1, 2], [0, 0, 1, 1], sample_weight=[2, 2.5, 3, 3]
    )
    call = partial(
        estimate, expected_gain_score, gain={"positive": 1}, weights="sampling"
    )
    with pytest.raises(ValueError, match="normalize=False"):
        call(rankings)
    with pytest.raises(ValueError, match="normalize=False"):
        call([1, 0], [2, 1], sample_weight=[2, 2.5])


def test_rows_are_given_by_fold():
    rankings = FoldRankings(
        ["b", "a", "b", "a"], [1, 2, 3, 4], [7, 3, 3, 7],
        sample_weight=[1, 2, 3, 4], pos_label="b",
    )  # fmt: skip
    assert rankings.names == ("3", "7")
    assert [rows.tolist() for rows in rankings.rows()] == [[1, 2], [0, 3]]
    y_true, y_score, weight = next(iter(rankings))
    assert y_true.tolist() == [False, True]
    assert y_score.tolist() == [2, 3]
    assert weight.tolist() == [2, 3]
    assert len(rankings) == rankings.n_folds == 2
    assert [table.n_pos for table in rankings.tables()] == [3, 1]


def test_it_cannot_be_changed():
    scores = np.array([1.0, 2.0])
    rankings = FoldRankings([0, 1], scores, [0, 0])
    scores[0] = 5
    assert rankings.y_score[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        rankings.y_score[0] = 3
    with pytest.raises(FrozenInstanceError):
        rankings.fold = [1, 1]


def test_repeats_are_noticed():
    # Two repeats of two folds over four cases.
    rankings = FoldRankings(
        [1, 0, 1, 0, 1, 1, 0, 0], np.arange(8), np.repeat([0, 1, 2, 3], 2),
        indices=[0, 1, 2, 3, 0, 2, 1, 3],
    )  # fmt: skip
    assert rankings.repeats.tolist() == [0, 0, 1, 1]
    assert repr(rankings) == (
        "FoldRankings(4 samples in 4 folds of 2 repeats, n_pos=2, n_neg=2)"
    )


def test_numbered_names_are_in_the_order_of_their_numbers():
    # As text "fold_10" and "fold_11" would stand among the folds of the first repeat.
    numbers = np.repeat(np.arange(12), 2)
    indices = np.tile(np.arange(12), 2)
    y_true, y_score = np.tile([1, 0], 12), np.arange(24)
    named, numbered = (
        FoldRankings(y_true, y_score, fold, indices=indices)
        for fold in ([f"fold_{i}" for i in numbers], numbers)
    )
    assert named.names == tuple(f"fold_{i}" for i in range(12))
    assert named.repeats.tolist() == numbered.repeats.tolist() == [0] * 6 + [1] * 6
    for found, expected in zip(named.rows(), numbered.rows(), strict=True):
        assert found.tolist() == expected.tolist()


TWO = {"y_true": [1, 0, 1, 0], "y_score": [4, 3, 2, 1], "fold": [0, 0, 1, 1]}
TWICE = {"indices": [0, 1, 0, 1]}


@looped(
    "given, message",
    [
        ({"y_true": [1, 0, 2, 0]}, r"y_true.*0, 1, 2"),
        ({"y_true": ["a", "b", "a", "b"]}, "pos_label=None"),
        ({"y_score": [1, 2, np.nan, 3]}, r"y_score.*NaN"),
        ({"y_score": [1, 2, 3]}, r"y_true.*4.*y_score.*3"),
        ({"fold": [0, 0, 1]}, r"fold.*3"),
        ({"fold": [0, np.nan, 1, 1]}, r"fold.*NaN"),
        ({"sample_weight": [1, 1, 0, 0]}, r"sample_weight.*fold 1"),
        ({"sample_weight": [1, 1, -1, 1]}, r"sample_weight.*-1"),
        ({"clusters": [1, 1, 2]}, r"clusters.*3"),
        ({"clusters": [1, 1, np.nan, 2]}, r"clusters.*NaN"),
        ({"indices": [0, 1, 0, 1.5]}, "indices"),
        ({"indices": [0, 0, 1, 2]}, r"fold.*0.*0.*2"),
        ({"indices": [0, 1, 2, 0]}, r"indices.*0.*y_true"),
        (TWICE | {"clusters": [0, 1, 1, 1]}, r"indices.*0.*clusters"),
        (TWICE | {"sample_weight": [1, 1, 1, 2]}, r"indices.*1.*sample_weight"),
        ({"indices": [0, 1, 0, 2]}, r"0.*1.*0"),
        ({"repeats": 2}, "indices"),
        ({"indices": [0, 1, 0, 2], "repeats": 1}, r"repeats.*0"),
        ({"estimators": [1]}, "estimators"),
    ],
)
def test_what_does_not_fit_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        FoldRankings(**(TWO | given))


@looped(
    "function, given, message",
    [
        (average_precision_score, {"y_score": [1]}, r"y_score.*None"),
        (average_precision_score, {"sample_weight": [1]}, "FoldRankings"),
        (recall_at_rate_score, {"y_score": [[1, 2]]}, r"y_score.*None"),
        (recall_at_rate_score, {"labels": [1, 2]}, r"labels.*None"),
        (expected_gain_score, {"gain": [1, 2, 3, 4]}, "FoldRankings"),
        (expected_gain_score, {"gain": {"positive": 1}, "pos_label": 1}, "pos_label"),
        (ndcg_score, {"groups": [1]}, "FoldRankings"),
    ],
)
def test_what_says_something_about_cases_is_refused_beside_it(function, given, message):
    with pytest.raises(ValueError, match=message):
        function(FoldRankings(**TWO), **given)


@looped(
    "given, message",
    [
        ({"k": 2}, r"k=2.*FoldRankings.*rate="),
        ({"groups": [1, 1, 2, 2]}, r"groups.*None"),
        ({"average": "pairs"}, r"average.*'macro'"),
        ({"average": [1, 2]}, r"average.*'macro'"),
        ({"undefined": 0.5}, r"undefined.*'skip'"),
    ],
)
def test_its_auc_is_no_other_mean(given, message):
    with pytest.raises(ValueError, match=message):
        ranking_auc_score(FoldRankings(**TWO), **given)


def test_folds_of_one_sample_are_ranked_as_one_list_or_not_at_all():
    rng = np.random.default_rng(0)
    y_true = rng.permutation(np.repeat([1, 0], [60, 240]))
    y_score = rng.normal(size=300) + 2 * y_true
    clusters, folds = np.arange(300) // 3, np.arange(300)
    single = FoldRankings(y_true, y_score, folds, clusters=clusters, indices=folds)
    taking = {
        "score": lambda r: recall_at_rate_score(r, rate=0.1),
        "estimate": lambda r: estimate("recall_at_rate", r, rate=0.1).value,
        "compare": lambda r: compare("recall_at_rate", r, r, rate=0.1).value_a,
        "report": lambda r: budget_report(r, rate=0.1)["model", "recall"].value,
    }
    expected = recall_at_rate_score(y_true, y_score, rate=0.1)
    # Within folds it would be the rate.
    assert expected > 0.4
    distribution = rates.interval(0.08, 0.12)
    for function in (recall_at_rate_score, budget_report):
        with pytest.raises(ValueError, match=r"rate=0.1 cuts each fold by itself"):
            function(single, rate=distribution)
    with pytest.warns(UserWarning, match="curve at rate=0.5 cuts each fold"):
        curve_band(single, random_state=0, n_resamples=9)
    with pytest.raises(ValueError, match="None of the 300 folds has both classes"):
        compare_curves(single, single, random_state=0, n_resamples=9)
    for name, function in taking.items():
        with case(name):
            with pytest.raises(ValueError, match=r"rate=0\.1 .*pooled\(\).* 0\.1,"):
                function(single)
            assert function(single.pooled()) == pytest.approx(expected, rel=1e-12)
    found, same = (
        estimate("roc_auc", *given, **options)
        for given, options in (
            ([single.pooled()], {}),
            ([y_true, y_score], {"clusters": clusters}),
        )
    )
    assert found.standard_error == pytest.approx(same.standard_error, rel=1e-9)
    # Of two samples each, half of one is enough to go on with a warning.
    pairs = FoldRankings(np.tile([1, 0], 150), y_score, folds // 2)
    with pytest.warns(UserWarning, match=r"rate=0\.3 cuts .*\b2\b.* 0\.6\b"):
        recall_at_rate_score(pairs, rate=0.3)


def test_all_folds_of_a_repeat_are_pooled():
    one = drawn()
    n = len(one.y_true)
    twice = FoldRankings(
        np.tile(one.y_true, 2), np.concatenate([one.y_score, -one.y_score]),
        np.concatenate([one.fold, one.fold + 9]), indices=np.tile(np.arange(n), 2),
    )  # fmt: skip
    pooled = twice.pooled()
    assert (pooled.n_folds, pooled.n_repeats) == (2, 2)
    expected = [ranking_auc_score(one.y_true, sign * one.y_score) for sign in (1, -1)]
    assert_allclose(pooled.scores("roc_auc"), expected, rtol=1e-12)


def test_it_is_shown_by_numbers_of_cases():
    labels = np.array(["no", "yes", "no", "yes"])
    rankings = FoldRankings(labels, [4, 3, 2, 1], [0, 0, 1, 1], pos_label=labels[1])
    told = {"n_samples": 4, "n_folds": 2, "n_repeats": 1, "n_pos": 2, "n_neg": 2}
    assert rankings.to_dict() == told | {"pos_label": "yes"}
    assert json.loads(json.dumps(rankings.to_dict())) == rankings.to_dict()
    assert repr(rankings) == (
        "FoldRankings(4 samples in 2 folds, n_pos=2, n_neg=2, pos_label='yes')"
    )
    html = rankings._repr_html_()
    assert html.startswith("<table>")
    assert "n_samples" in html
