"""Several models within lists, and how many lists a test set needs."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, simulated
from looped import case, looped
from skrate import (
    RankTable,
    compare,
    estimate,
    group_scores,
    ndcg_score,
    ranking_auc_score,
    recall_at_rate_score,
    sample_size,
)

METRICS = [
    partial(ndcg_score, k=5),
    partial(recall_at_rate_score, k=3),
    partial(ranking_auc_score, average="pairs"),
    partial(ranking_auc_score, undefined=0.5),
]
few_differ = pytest.mark.filterwarnings("ignore:The models differ in")


def shown(rng, n_lists=40, shifts=(1.2, 0.8, 0.8), sizes=(4, 12)):
    """Return labels, scores of models, lists and the patient of each list's rows."""
    groups = np.repeat(np.arange(n_lists), rng.integers(*sizes, n_lists))
    n = len(groups)
    y_true = (rng.random(n) < 0.3).astype(int)
    common = rng.normal(size=n)
    models = {
        f"model {shift} {i}": np.round(common + rng.normal(size=n) + shift * y_true, 1)
        for i, shift in enumerate(shifts)
    }
    return y_true, models, groups, groups // 3


@looped("metric", METRICS)
@looped("reference", [None, 1])
@looped("options", [{}, {"method": "permutation", "n_resamples": 200}, {"units": 3}])
def test_several_models_are_pairs_one_by_one_with_holm(metric, reference, options):
    rng = np.random.default_rng(0)
    y_true, models, groups, patient = shown(rng)
    how = {"groups": groups, "random_state": 5, **options}
    if how.pop("units", None):
        how["clusters"] = patient
    names = list(models)
    base = None if reference is None else names[reference]
    found = compare(metric, y_true, models, reference=base, **how)
    places = [(0, 1), (0, 2), (1, 2)] if base is None else [(0, 1), (2, 1)]
    each = [
        compare(metric, y_true, models[names[i]], models[names[j]], **how)
        for i, j in places
    ]
    assert found.names == tuple(names)
    assert len(found.pairs) == len(found) == len(each)
    for pair, alone in zip(found.pairs, each, strict=True):
        if pair is not found.pairs[0] and pair.method == "permutation":
            # Each pair has its own draws.
            assert pair.pvalue == pytest.approx(alone.pvalue, abs=0.15)
            ends = {"confidence_interval": alone.confidence_interval}
            pair = replace(pair, pvalue=alone.pvalue, **ends)
        assert pair == alone
    pvalues = [pair.pvalue for pair in found.pairs]
    running, expected = 0.0, dict.fromkeys(range(len(pvalues)))
    for rank, place in enumerate(np.argsort(pvalues, kind="stable")):
        running = max(running, (len(pvalues) - rank) * pvalues[place])
        expected[place] = min(running, 1.0)
    assert found.adjusted_pvalues == pytest.approx(list(expected.values()))
    contrast = np.array([1.0, -1.0, 0.0])
    squared = contrast @ found.covariance @ contrast
    assert np.sqrt(squared) == pytest.approx(found.pairs[0].standard_error, rel=1e-9)
    units = how.get("clusters")
    for i, scores in enumerate(models.values()):
        one = estimate(metric, y_true, scores, groups=groups, clusters=units)
        error = np.sqrt(found.covariance[i, i])
        assert error == pytest.approx(one.standard_error, rel=1e-9)
    assert "Holm" in repr(found)


def test_what_several_models_within_lists_do_not_have_is_refused():
    rng = np.random.default_rng(3)
    y_true, models, groups, _ = shown(rng)
    metric, of = partial(ndcg_score, k=5), ndcg_score
    a, b, _ = models.values()
    within = group_scores(ndcg_score, y_true, a, groups=groups, k=5)
    for call, message in (
        (partial(compare, metric, y_true, models, groups=groups, method="bootstrap"),
         "method='bootstrap'"),
        (partial(compare, metric, y_true, models, groups=groups, stratify=True),
         "stratify"),
        (partial(compare, metric, y_true, models, groups=groups, reference="d"),
         "reference='d'"),
        (partial(compare, metric, y_true, {"a": a}, groups=groups), r"y_score_a.*2.*1"),
        (partial(compare, of, {"a": within}), r"y_true.*2.*1"),
        (partial(compare, of, {"a": within, "b": b}), "group_scores"),
        (partial(compare, of, [within, within], a), r"y_score_a.*None"),
        (partial(compare, "roc_auc", y_true, models, groups=groups), "sample_size"),
    ):  # fmt: skip
        with case(message), pytest.raises(ValueError, match=message):
            call()


# --- Planning -------------------------------------------------------------------------


@looped("is_difference", [False, True])
def test_lists_of_equal_length_take_what_students_t_says(is_difference):
    rng = np.random.default_rng(4)
    y_true, models, groups, _ = shown(rng, n_lists=50, sizes=(10, 11))
    y_true[::10] = 1
    a, b, _ = models.values()
    metric = partial(ndcg_score, k=5)
    values = group_scores(ndcg_score, y_true, a, groups=groups, k=5).values
    if is_difference:
        values = values - group_scores(ndcg_score, y_true, b, groups=groups, k=5).values
    spread = values.std(ddof=1)

    def half(m):
        return stats.t.ppf(0.975, m - 1) * spread / np.sqrt(m)

    scores = (a, b) if is_difference else (a,)
    found = sample_size(metric, y_true, *scores, groups=groups, half_width=0.04)
    if is_difference:
        assert half(found.n_lists) <= 0.04 < half(found.n_lists - 1)
    assert 10 * (found.n_lists - 1) < found.n <= 10 * found.n_lists
    assert found.metric == "NDCG within lists"
    assert found.params["k"] == 5
    assert f" in {found.n_lists} lists (" in repr(found)
    shown_by = sample_size(metric, y_true, *scores, groups=groups, n_samples=500)
    if is_difference:
        assert shown_by.half_width == pytest.approx(half(50), rel=1e-9)
    else:
        one = estimate(metric, y_true, a, groups=groups)
        width = np.ptp(one.confidence_interval) / 2
        assert shown_by.half_width == pytest.approx(width, rel=1e-9)


@looped("metric", METRICS)
@looped("units", [None, "patients"])
def test_as_many_lists_as_the_pilot_are_as_sure_as_compare(metric, units):
    rng = np.random.default_rng(5)
    y_true, models, groups, patient = shown(rng, n_lists=60)
    a, b, _ = models.values()
    clusters = None if units is None else patient
    how = {"groups": groups, "clusters": clusters}
    known = compare(metric, y_true, a, b, **how)
    found = sample_size(metric, y_true, a, b, n_samples=len(y_true), **how)
    half = np.ptp(known.confidence_interval) / 2
    assert found.half_width == pytest.approx(half, rel=1e-6)
    assert found.difference == known.value
    assert found.n_lists == 60
    assert found.n_clusters == (None if units is None else 20)
    # Nor does the order of rows matter, nor which model is the first.
    order = rng.permutation(len(y_true))
    how = {name: None if one is None else one[order] for name, one in how.items()}
    again = sample_size(
        metric, y_true[order], b[order], a[order], n_samples=len(y_true), **how
    )
    assert again.power == pytest.approx(found.power, rel=1e-9)
    assert again.n_lists == found.n_lists


def test_values_within_lists_are_a_pilot_and_undefined_lists_are_counted():
    rng = np.random.default_rng(6)
    y_true, models, groups, _ = shown(rng, n_lists=80, sizes=(2, 6))
    a, b, _ = models.values()
    within = [group_scores("roc_auc", y_true, one, groups=groups) for one in (a, b)]
    assert within[0].n_defined < 80
    found = sample_size("roc_auc", *within, n_samples=len(y_true))
    assert found.n_lists == 80
    known = compare("roc_auc", *within)
    half = np.ptp(known.confidence_interval) / 2
    assert found.half_width == pytest.approx(half, rel=1e-9)
    by_rows = sample_size(
        ranking_auc_score, y_true, a, b, groups=groups, n_samples=len(y_true)
    )
    assert by_rows == found
    alone = sample_size("roc_auc", within[0], half_width=0.03)
    assert alone == sample_size(
        ranking_auc_score, y_true, a, groups=groups, half_width=0.03
    )


def test_what_cannot_be_planned_of_lists_is_refused_or_undefined():
    rng = np.random.default_rng(7)
    y_true, models, groups, _ = shown(rng)
    a, b, _ = models.values()
    metric, of = partial(ndcg_score, k=5), ndcg_score
    within = group_scores(ndcg_score, y_true, a, groups=groups, k=5)
    plan = partial(sample_size, metric, y_true, a, groups=groups, half_width=0.05)
    for call, message in (
        (partial(plan, stratify=True), "stratify"),
        (partial(plan, planned_prevalence=0.1), "planned_prevalence"),
        (partial(sample_size, of, within, y_score_b=b), r"y_score_b.*None"),
        (partial(sample_size, of, within, a), r"y_score_a.*group_scores"),
        (partial(sample_size, of, within), "half_width"),
        (partial(sample_size, "roc_auc", y_true, a, groups=groups), "sample_size"),
        (partial(sample_size, of, RankTable([1], [1]), a, groups=groups), "RankTable"),
    ):  # fmt: skip
        with case(message), pytest.raises(ValueError, match=message):
            call()
    first = groups == groups[y_true == 1][0]
    with pytest.warns(UndefinedMetricWarning, match="two lists"):
        found = sample_size(
            metric, y_true[first], a[first], groups=groups[first], half_width=0.1
        )
    assert np.isnan([found.n, found.n_lists, found.half_width]).all()
    with pytest.warns(UndefinedMetricWarning, match="no variation"):
        found = sample_size(metric, y_true, a, a, groups=groups)
    assert np.isnan(found.n)


@few_differ
@pytest.mark.slow
@looped("metric", METRICS[:3])
def test_the_power_is_that_of_simulated_lists(metric):
    rng = np.random.default_rng(8)
    shifts = (1.3, 0.9)
    y_true, models, groups, _ = shown(rng, 40_000, shifts)
    plan = sample_size(metric, y_true, *models.values(), groups=groups)
    assert plan.power == pytest.approx(0.8, abs=0.01)

    def is_found(_):
        y_true, models, groups, _ = shown(rng, plan.n_lists, shifts)
        return compare(metric, y_true, *models.values(), groups=groups).pvalue < 0.05

    assert_share(simulated(400, is_found), at_least=0.78, at_most=0.82)
