"""Values, slopes and batches of tables, for every metric that inference knows."""

from functools import partial
from typing import get_args

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from inference_cases import JUMPS, SMOOTH, each, sample
from looped import looped
from skrate import (
    RankTable,
    average_precision_score,
    compare,
    curve_band,
    estimate,
    eval_metric,
    make_ranking_scorer,
    rate_averaged_roc_curve,
    rate_weighted_auc_score,
    recall_at_rate_score,
    sample_size,
)
from skrate.data.table import merge_except_cuts
from skrate.metrics.auc import AUC
from skrate.metrics.metric import (
    ALIASES,
    METRICS,
    SCORES,
    SYNONYMS,
    MetricName,
    find_metric,
)
from skrate.metrics.recall import bandwidth


def bound(metric, kwargs, n_samples=200):
    return find_metric(metric, kwargs).bind_sample_size(n_samples, is_weighted=False)


def test_every_metric_of_the_registry_is_among_the_cases():
    covered = {type(find_metric(*case)) for case in SMOOTH + JUMPS}
    # The AUC is the rAUC without parameters.
    missing = [kind.__name__ for kind in set(METRICS.values()) - covered]
    where = "CASES with slopes= of tests/metrics/test_<file of the metric>.py"
    assert not missing, f"add to {where}: {missing}"
    assert covered - {AUC} <= set(METRICS.values())


@each(SMOOTH + JUMPS)
@looped("decimals", [0, 1, 9])
def test_merging_groups_without_a_positive_changes_nothing(metric, kwargs, decimals):
    y_true, y_score = sample(1, decimals=decimals)
    table = RankTable.from_arrays(y_true, y_score)
    of = bound(metric, kwargs)
    small = merge_except_cuts(table, of.cut_rates(table), "merged")
    assert of.value(small.table) == pytest.approx(of.value(table), abs=1e-12)
    group = small.map_groups(table.n_groups)
    assert np.bincount(group, table.pos).tolist() == small.pos.tolist()
    assert np.bincount(group, table.neg).tolist() == small.neg.tolist()
    if (metric, kwargs) in SMOOTH:
        assert small is table.merged
        assert not np.any((small.pos[1:] == 0) & (small.pos[:-1] == 0))
    # A slope counts where its class is.
    fine, coarse = of.slopes(table), of.slopes(small.table)
    for by, weight in (("by_pos", table.pos), ("by_neg", table.neg)):
        here = weight > 0
        expected = getattr(fine, by)[here]
        found = getattr(coarse, by).take(group)[here]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert coarse.by_prevalence == pytest.approx(fine.by_prevalence, abs=1e-9)


@each(SMOOTH)
@looped("decimals", [0, 1])
def test_slopes_are_those_of_finite_differences(metric, kwargs, decimals):
    y_true, y_score = sample(2, decimals=decimals)
    table = RankTable.from_arrays(y_true, y_score)
    of = bound(metric, kwargs)
    slopes = of.slopes(table)
    pos, neg, p = table.pos / table.n_pos, table.neg / table.n_neg, table.prevalence

    def value(pos, neg, p):
        return of.value(RankTable(p * pos, (1 - p) * neg))

    step = 1e-5
    for j in range(table.n_groups):
        # From the last group to group j, so that shares still sum to 1.
        move = -np.eye(table.n_groups)[-1] + np.eye(table.n_groups)[j]
        for shares, by in ((pos, slopes.by_pos), (neg, slopes.by_neg)):
            if min(shares[j], shares[-1]) == 0:
                continue
            ends = [
                value(shares + h * move, neg, p)
                if by is slopes.by_pos
                else value(pos, shares + h * move, p)
                for h in (step, -step)
            ]
            slope = (ends[0] - ends[1]) / (2 * step)
            assert by[j] - by[-1] == pytest.approx(slope, abs=1e-6)
    by_p = (value(pos, neg, p + step) - value(pos, neg, p - step)) / (2 * step)
    assert slopes.by_prevalence == pytest.approx(by_p, abs=1e-6)


@each(SMOOTH + JUMPS)
@looped("dtype", [int, float])
def test_a_batch_of_tables_is_one_table_after_the_other(metric, kwargs, dtype):
    generator = np.random.default_rng(3)
    # Rows with empty groups; the first two have one total, the others do not.
    pos = generator.integers(0, 3, size=(20, 9))
    neg = generator.integers(0, 3, size=(20, 9))
    pos[:, 3] += 1
    neg[:, 4] += 1
    pos, neg = pos.astype(dtype), neg.astype(dtype)
    if kwargs.get("rate") == 40:
        kwargs = {"rate": 0.2}
    of = bound(metric, kwargs)
    found = of.values(pos, neg)
    expected = [of.value(RankTable(*rows)) for rows in zip(pos, neg, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    same = np.tile(pos[:1], (3, 1)), np.tile(neg[:1], (3, 1))
    np.testing.assert_allclose(of.values(*same), expected[0], rtol=0, atol=1e-12)


def test_the_bandwidth_is_hall_and_sheathers_at_a_level_of_5_percent():
    # The cube root of z^2 1.5 phi(x)^2 / (2 x^2 + 1) / n, with z = 1.959964: at the
    # median x = 0 and phi^2 = 1 / (2 pi), at a tenth x = -1.281552 and phi = 0.175498.
    at_median = (1.959964**2 * 1.5 / (2 * np.pi) / 1000) ** (1 / 3)
    at_tenth = (1.959964**2 * 1.5 * 0.175498**2 / (2 * 1.281552**2 + 1) / 1000) ** (
        1 / 3
    )
    found = bandwidth(np.array([0.5, 0.1]), 1000)
    assert found == pytest.approx([at_median, at_tenth], rel=1e-5)


@looped(
    "metric, kwargs, message",
    [
        (len, {}, "metric="),
        ("roc", {}, r"metric='roc'.*'roc_auc'"),
        ("recal_at_rate", {}, "'recall_at_rate'"),
        ("skrate_lift_at_rate", {}, "'lift_at_rate'"),
        ([], {}, "metric="),
        (recall_at_rate_score, {"rte": 1}, "'rte'"),
        (recall_at_rate_score, {"n_samples": 1}, "'n_samples'"),
        ("roc_auc", {"rate": 0.1}, "'rate'"),
    ],
)
def test_what_is_no_metric_is_named(metric, kwargs, message):
    with pytest.raises(ValueError, match=message):
        bound(metric, kwargs)


def test_type_checkers_know_the_names():
    short = {*SCORES, *(name for name in ALIASES if isinstance(name, str))}
    names = short | {f"{name}_score" for name in short} | {"expected_recall"}
    assert set(get_args(MetricName)) == names


@looped(
    "score, options",
    [
        (recall_at_rate_score, {"rate": 0.3}),
        (average_precision_score, {"prevalence": 0.1}),
        (average_precision_score, {"adjusted": True}),
    ],
)
def test_a_name_is_taken_with_its_parameters_wherever_a_metric_is(score, options):
    y_true, y_score = sample(0)
    models = {"a": y_score, "b": y_score[::-1]}
    expected, name = score(y_true, y_score, **options), score.__name__
    for of in (name, name.removesuffix("_score")):
        assert estimate(of, y_true, y_score, **options).value == expected
        assert estimate(of, y_true, models, **options)["a"].value == expected
        assert compare(of, y_true, *models.values(), **options).value_a == expected
        assert compare(of, y_true, models, **options).pairs[0].value_a == expected
        planned = sample_size(of, y_true, y_score, half_width=0.1, **options)
        assert planned.metric == estimate(of, y_true, y_score, **options).metric
        assert eval_metric(of, library="lightgbm", **options)(y_true, y_score)[1] == (
            expected
        )
        for scorer in (
            make_ranking_scorer(of, **options),
            make_ranking_scorer([of], **options)[of],
        ):
            assert scorer._score_func(y_true, y_score, **scorer._kwargs) == expected


def test_synonyms_are_of_known_names():
    assert set(SYNONYMS.values()) <= {*SCORES, *ALIASES}


def test_positives_of_weight_0_are_named():
    samples, weights = ([1, 0, 0, 1], [4, 3, 2, 1]), {"sample_weight": [0, 1, 1, 0]}
    for call in (
        rate_weighted_auc_score,
        average_precision_score,
        partial(estimate, "roc_auc"),
        curve_band,
    ):
        message = r"positive (cases?|samples?)\b.*sample_weight"
        with pytest.warns(UndefinedMetricWarning, match=message):
            call(*samples, **weights)
    with pytest.raises(ValueError, match=r"weights? above 0"):
        rate_averaged_roc_curve(
            *([one] for one in samples), sample_weight=[[0, 1, 1, 0]]
        )
