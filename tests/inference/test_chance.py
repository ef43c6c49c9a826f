"""Many markers at once: values, errors, tests against chance, and their adjustment."""

import math
import warnings
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import binomial_tolerance, simulations
from inference_cases import JUMPS, SMOOTH, each, sample
from optional import require
from skrate import (
    average_precision_score,
    estimate,
    expected_gain_score,
    expected_recall_score,
    partial_auc_score,
    precision_at_recall_score,
    rates,
    recall_at_rate_score,
)
from skrate.data.table import rank_table
from skrate.inference import chance as module
from skrate.inference.chance import Drawn, is_normal, law_of_auc
from skrate.inference.intervals import adjusted
from skrate.metrics.base import find_metric
from skrate.metrics.momentum import momentum_score

RESULTS = ("values", "standard_errors", "pvalues", "adjusted_pvalues")


def markers(n=60, n_models=5, *, seed=0, ties=False):
    """Return labels, and markers of which the second tells something of them."""
    generator = np.random.default_rng(seed)
    y_true = (np.arange(n) % 3 == 0).astype(int)
    y_scores = generator.normal(size=(n, n_models))
    y_scores[:, 1] += y_true
    return y_true, np.round(y_scores, 1) if ties else y_scores


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
        for name in RESULTS
    )


@each(SMOOTH)
def test_each_column_is_what_estimate_finds(metric, kwargs):
    y_true, first = sample(3)
    noise = np.random.default_rng(0).normal(scale=0.1, size=len(first))
    y_scores = np.stack([first, first + noise, np.round(first)], axis=1)
    options = {"n_resamples": 20, "random_state": 0} | kwargs
    found = estimate(metric, y_true, y_scores, **options)
    for j, column in enumerate(y_scores.T):
        one = estimate(metric, y_true, column, **kwargs)
        assert found.values[j] == one.value
        assert found.standard_errors[j] == one.standard_error
    assert (found.metric, found.n_pos, found.n_neg) == (
        one.metric,
        one.n_pos,
        one.n_neg,
    )


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_chance_has_mann_and_whitneys_law_of_the_auc(ties, alternative):
    y_true, y_scores = markers(ties=ties)
    found = estimate("roc_auc", y_true, y_scores, alternative=alternative)
    expected = stats.mannwhitneyu(
        y_scores[y_true == 1],
        y_scores[y_true == 0],
        use_continuity=False,
        alternative=alternative,
        method="asymptotic",
    )
    assert_allclose(found.pvalues, expected.pvalue, rtol=1e-10)
    assert found.chance == 0.5


@pytest.mark.parametrize("n_pos", [2, 3, 5, 8])
@pytest.mark.parametrize("n_grades", [2, 3, 5, 1000])
def test_chance_of_the_auc_is_all_orders_of_the_labels(n_pos, n_grades):
    generator = np.random.default_rng(n_pos)
    y_true = (np.arange(10) < n_pos).astype(int)
    columns = generator.integers(n_grades, size=(10, 8))
    places = np.array(list(combinations(range(10), n_pos)))
    ranks = stats.rankdata(columns, axis=0)
    sums = ranks[places].sum(axis=1)
    above = (sums >= sums[0]).mean(axis=0)
    below = (sums <= sums[0]).mean(axis=0)
    for alternative, expected in (
        ("greater", above),
        ("less", below),
        ("two-sided", np.minimum(2 * np.minimum(above, below), 1)),
    ):
        found = estimate("roc_auc", y_true, columns, alternative=alternative)
        assert_allclose(found.pvalues, expected, rtol=1e-11)


@pytest.mark.parametrize("n_pos", [5, 20, 60])
def test_chance_of_the_auc_of_two_grades_is_hypergeometric(n_pos):
    n, sizes = 80, np.arange(1, 21)
    y_true = np.arange(n) < n_pos
    # Of the cases at which a marker is positive, half are, or as many as there are.
    first = np.where(sizes % 2, 0, n_pos - sizes // 2).clip(0)
    place = np.arange(n)[:, None]
    columns = (first <= place) & (place < first + sizes)
    found = estimate("roc_auc", y_true, columns.astype(int), alternative="greater")
    both = (columns & y_true[:, None]).sum(axis=0)
    expected = stats.hypergeom.sf(both - 1, n, n_pos, sizes)
    assert_allclose(found.pvalues, expected, rtol=1e-10)


@pytest.mark.slow
def test_chance_of_the_auc_is_counted_where_ties_make_it_skew(monkeypatch):
    n, n_pos = 400, 20
    generator = np.random.default_rng(0)
    y_true = np.arange(n) < n_pos
    order = generator.permuted(np.mgrid[:n, :4][0], axis=0)
    columns = np.maximum(order + 100 * y_true[:, None], 300)
    tables = [rank_table(y_true, column) for column in columns.T]
    assert not any(is_normal(table, 2.5) for table in tables)
    assert all(law_of_auc(table) is None for table in tables)
    found = estimate(
        "roc_auc", y_true, columns, alternative="greater",
        n_resamples=20_000, random_state=0,
    )  # fmt: skip
    # The exact law, whatever it costs.
    monkeypatch.setattr(module, "_MOST_TERMS", 2**30)
    for j, table in enumerate(tables):
        values, weights = law_of_auc(table)
        expected = weights[values >= found.values[j] - 1e-12].sum()
        # A tenth of the orders lean as far, of which more than 100 count.
        assert found.pvalues[j] == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize(
    ("metric", "kwargs"),
    [
        (average_precision_score, {}),
        (expected_recall_score, {"rate": rates.beta(2, 5)}),
        (recall_at_rate_score, {"rate": 0.3}),
        (partial_auc_score, {"fpr": (0, 0.4), "standardize": None}),
        (partial_auc_score, {"tpr": (0.5, 1)}),
    ],
)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.filterwarnings("ignore:The Recall at .* depends on the best")
def test_chance_of_other_metrics_is_all_orders_of_the_labels(metric, kwargs, ties):
    y_true = np.array([1, 0, 1, 1, 0, 0, 0, 0, 0, 0])
    scores = np.array([9, 7, 7, 5, 4, 4, 4, 2, 1, 1]) if ties else np.arange(10)[::-1]
    orders = []
    for places in combinations(range(10), 3):
        labels = np.zeros(10, dtype=int)
        labels[list(places)] = 1
        orders.append(metric(labels, scores, **kwargs))
    value = metric(y_true, scores, **kwargs)
    n = 4000
    for alternative, beyond in (
        ("greater", np.array(orders) >= value - 1e-12),
        ("less", np.array(orders) <= value + 1e-12),
    ):
        found = estimate(
            metric, y_true, {"a": scores}, alternative=alternative,
            n_resamples=n, random_state=0, **kwargs,
        )  # fmt: skip
        expected = np.mean(beyond)
        tolerance = binomial_tolerance(expected, n) + 1 / n
        assert found.pvalues[0] == pytest.approx(expected, abs=tolerance)
    assert found.chance == pytest.approx(metric(y_true, np.zeros(10), **kwargs))


def test_few_random_rankings_are_beyond_a_strong_marker():
    # All positives first: of all orders 1 in C(60, 20), or 2.4e-16, is.
    y_true, _ = markers()
    perfect = y_true + np.arange(60) / 100
    found = estimate(
        "average_precision", y_true, {"a": perfect}, n_resamples=1000, random_state=0
    )
    assert found.values[0] == 1
    assert 1 / math.comb(60, 20) < found.pvalues[0] < 1e-11


def test_a_marker_that_no_drawn_ranking_reaches_has_the_least_pvalue():
    # Of numbers of cases with ties orders are drawn as by chance: 1 of 19 + 1, and
    # twice that on both sides.
    y_true, times = np.repeat([1, 0], 30), np.tile([1, 2], 30)
    for alternative, expected in (("greater", 1 / 20), ("two-sided", 2 / 20)):
        found = estimate(
            average_precision_score, y_true, {"perfect": y_true}, sample_weight=times,
            alternative=alternative, n_resamples=19, random_state=0,
        )  # fmt: skip
        assert found.pvalues[0] == pytest.approx(expected, rel=1e-12)


def test_pvalues_of_draws_by_hand():
    drawn = Drawn(np.array([0.1, 0.3]), np.array([3.0, 2.0]))
    # The one that was found counts by its weight: 2 + 1 of 5 + 1.
    assert drawn.pvalue(0.3, 1.0, "greater") == 3 / 6
    assert drawn.pvalue(0.3, 1.0, "less") == 1
    assert drawn.pvalue(0.2, 1.0, "less") == 4 / 6
    assert drawn.pvalue(0.4, 0.01, "greater") == 0.01 / 5.01
    assert drawn.pvalue(0.4, 0.01, "two-sided") == 0.02 / 5.01
    assert drawn.pvalue(0.1, 1.0, "two-sided") == 1
    nothing = Drawn(np.empty(0), np.empty(0))
    assert nothing.pvalue(0.5, 1.0, "greater") == 1


@each((SMOOTH + JUMPS)[::2])
@pytest.mark.filterwarnings("ignore")
def test_pvalues_are_the_shares_of_all_orders_of_the_labels(metric, kwargs):
    n, n_resamples = 13, 1000
    places = np.array(list(combinations(range(n), 4)))
    labels = np.zeros((len(places), n), dtype=int)
    np.put_along_axis(labels, places, 1, axis=1)
    # A number of cases that there are.
    kwargs = {name: 5 if value == 40 else value for name, value in kwargs.items()}
    known = find_metric(metric, kwargs).of_sample(n, is_weighted=False)
    values = known.values(labels, 1 - labels)
    tried = np.arange(len(places))[::58]
    # A column ranks the four positives, which come first, at its places.
    columns = np.empty((n, len(tried)))
    for j, order in enumerate(labels[tried]):
        columns[:4, j], columns[4:, j] = (-np.flatnonzero(order == i) for i in (1, 0))
    for alternative, sign in (("greater", 1), ("less", -1)):
        found = estimate(
            metric, np.arange(n) < 4, columns, alternative=alternative,
            n_resamples=n_resamples, random_state=0, **kwargs,
        )  # fmt: skip
        defined = sign * values[~np.isnan(values)]
        for j in np.flatnonzero(~np.isnan(found.values)):
            exact = np.mean(defined >= sign * found.values[j] - 1e-12)
            # Two in five are drawn as by chance.
            error = 5 * np.sqrt(exact * (1 - exact) / (0.4 * n_resamples))
            # All sums of ranks are counted.
            error = 1e-12 if found.metric == "AUC" else error + 5 / n_resamples
            assert found.pvalues[j] == pytest.approx(exact, abs=error)


def test_adjusted_pvalues_are_those_of_scipy():
    pvalues = np.array([0.01, np.nan, 0.04, 0.03, 0.5])
    known = pvalues[[0, 2, 3, 4]]
    # 4 x 0.01, 3 x 0.03, the same as it is no less, 1 x 0.5.
    assert_allclose(adjusted(pvalues, "holm"), [0.04, np.nan, 0.09, 0.09, 0.5])
    for method in ("bh", "by"):
        found = adjusted(pvalues, method)
        expected = stats.false_discovery_control(known, method=method)
        assert_array_equal(found[[0, 2, 3, 4]], expected)
        assert np.isnan(found[1])
        y_true, y_scores = markers()
        result = estimate("roc_auc", y_true, y_scores, adjust=method)
        expected = stats.false_discovery_control(result.pvalues, method=method)
        assert_array_equal(result.adjusted_pvalues, expected)
    assert np.isnan(adjusted(np.array([np.nan]), "bh")).all()


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_result_does_not_depend_on_threads_or_container(metric):
    y_true, y_scores = markers(n_models=70)
    y_scores[:, 40:] = np.round(y_scores[:, 40:], 1)
    call = partial(estimate, metric, y_true, n_resamples=50, random_state=0)
    expected = call(y_scores)
    assert same(call(y_scores, n_jobs=2), expected)
    with parallel_config(backend="loky", n_jobs=2):
        assert same(call(y_scores), expected)
    assert same(call(np.asfortranarray(y_scores)), expected)
    assert same(call(y_scores.tolist()), expected)
    named = call({f"m{j}": column for j, column in enumerate(y_scores.T)})
    assert same(named, expected)
    assert named.names[:2] == ("m0", "m1")
    assert expected.names[:2] == ("0", "1")
    assert len(expected) == 70
    assert "and 62 more" in repr(expected)


def test_takes_and_makes_data_frames():
    pd = require("pandas")
    y_true, y_scores = markers()
    frame = pd.DataFrame(y_scores, columns=list("ABCDE"))
    found = estimate("roc_auc", y_true, frame)
    assert found.names == tuple("ABCDE")
    table = found.to_frame()
    assert list(table.index) == list("ABCDE")
    assert table.loc["B", "value"] == found.values[1]
    assert list(table) == ["value", "standard_error", "pvalue", "adjusted_pvalue"]


def test_repetitions_are_rows():
    y_true, y_scores = markers(ties=True)
    times = np.arange(60) % 4
    rows = np.repeat(np.arange(60), times)
    for metric in ("roc_auc", "average_precision"):
        call = partial(estimate, metric, n_resamples=10_000, random_state=0)
        weighted = call(y_true, y_scores, sample_weight=times)
        repeated = call(y_true[rows], y_scores[rows])
        assert_allclose(weighted.values, repeated.values, rtol=1e-12)
        assert_allclose(weighted.standard_errors, repeated.standard_errors, rtol=1e-9)
        # Of the average precision both are drawn, in two ways, and doubled.
        atol = 0 if metric == "roc_auc" else 8**0.5 * binomial_tolerance(0.25, 10_000)
        assert_allclose(weighted.pvalues, repeated.pvalues, rtol=1e-9, atol=atol)


def test_clusters_and_sampling_weights_have_the_test_of_their_interval():
    y_true, y_scores = markers(ties=True)
    clusters, weights = np.arange(60) // 3, 1 + np.arange(60) % 3 / 2
    for options in (
        {"clusters": clusters},
        {"sample_weight": weights, "weights": "sampling"},
    ):
        found = estimate("roc_auc", y_true, y_scores, **options)
        for j, column in enumerate(y_scores.T):
            one = estimate("roc_auc", y_true, column, **options)
            assert found.standard_errors[j] == one.standard_error
            # It ends at chance where its level is 1 less the p-value.
            level = 1 - found.pvalues[j]
            ends = estimate(
                "roc_auc", y_true, column, confidence_level=level, **options
            ).confidence_interval
            assert min(abs(end - 0.5) for end in ends) < 1e-6


def test_gains_per_case_have_no_test():
    y_true, y_scores = markers()
    gain = np.random.default_rng(2).random(60)
    found = estimate(expected_gain_score, y_true, y_scores, gain=gain, rate=0.5)
    assert not np.isnan(found.standard_errors).any()
    assert np.isnan(found.pvalues).all()


def test_what_is_undefined_is_told_once():
    y_true, y_scores = markers()
    y_scores[:, 3:] = -y_scores[:, 1:2]
    y_scores[:, 0] = y_scores[:, 2] = y_scores[:, 1]
    with pytest.warns(UndefinedMetricWarning, match=r"'3'\] and of 1 more") as caught:
        found = estimate(momentum_score, y_true, y_scores, random_state=0)
    assert len([one for one in caught if "'3'" in str(one.message)]) == 1
    for name in RESULTS:
        assert np.isnan(getattr(found, name)[3:]).all()
    assert np.isnan(found.chance)
    with pytest.warns(UndefinedMetricWarning, match="holds 1 positive") as caught:
        found = estimate("roc_auc", [1, 0, 0], [[3, 1], [2, 2], [1, 3]])
    assert len(caught) == 1
    assert np.isnan(found.values).all()


@pytest.mark.parametrize(
    ("y_scores", "options", "message"),
    [
        (
            {"A": [1, 2, 3, 4], "B": [1, np.nan, 3, 4]},
            {},
            r"y_score\['B'\] contains NaN",
        ),
        (
            np.array([[1, 2], [3, 4], [5, 6], [7, np.inf]]),
            {},
            r"y_score\['1'\] contains",
        ),
        ({"A": [1, 2]}, {}, "has 4, y_score\\['A'\\] has 2"),
        ({}, {}, "y_score holds no column"),
        ([[1, 2]] * 4, {"adjust": "bonferroni"}, "adjust must be one of"),
        ([[1, 2]] * 4, {"alternative": "more"}, "alternative must be one of"),
        ([[1, 2]] * 4, {"n_resamples": 0}, "n_resamples must be"),
    ],
)
def test_bad_input_is_named(y_scores, options, message):
    with pytest.raises(ValueError, match=message):
        estimate("roc_auc", [0, 1, 0, 1], y_scores, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "kwargs"),
    [
        ("roc_auc", {}),
        ("average_precision", {}),
        (expected_recall_score, {"rate": rates.beta(3, 19)}),
        (recall_at_rate_score, {"rate": 0.1}),
        (partial_auc_score, {"fpr": (0, 0.1)}),
        (precision_at_recall_score, {"recall": 0.5}),
        (momentum_score, {}),
    ],
)
@pytest.mark.parametrize(("n_pos", "n_neg"), [(83, 82), (30, 100), (8, 200)])
def test_tests_against_chance_keep_their_level(metric, kwargs, n_pos, n_neg):
    n = simulations(20_000)
    generator = np.random.default_rng(0)
    y_true = np.repeat([1, 0], [n_pos, n_neg])
    y_scores = generator.normal(size=(n_pos + n_neg, n))
    with warnings.catch_warnings():
        # Half of the random rankings have no momentum.
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found = estimate(
            metric, y_true, y_scores, n_resamples=10_000, random_state=1, **kwargs
        )
    # What moves in steps, or has a least value that many have, cannot reach its level.
    is_continuous = metric in ("roc_auc", "average_precision", expected_recall_score)
    for level in (0.05, 0.01, 0.001):
        rejected = np.mean(found.pvalues <= level)
        assert rejected <= level + binomial_tolerance(level, n) + 0.1 * level
        if is_continuous and level == 0.05:
            assert rejected >= level - binomial_tolerance(level, n) - 0.1 * level


def test_a_window_without_the_curve_leaves_the_pvalue_of_clusters_unknown():
    y_true = np.arange(20) % 2
    found = estimate(
        "partial_auc", y_true, {"perfect": y_true, "same": 1 - y_true},
        clusters=np.arange(20) // 4, fpr=(0.1, 0.3), tpr=(0.2, 0.6),
    )  # fmt: skip
    assert found.values[0] == 1
    assert np.isnan(found.pvalues).all()
