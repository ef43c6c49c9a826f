"""Lists and queues as units of estimate and compare, and clusters of lists."""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy import stats

import skrate
from guarantees import assert_share, simulated
from looped import looped
from reference.list_intervals import count_added, count_different, rare_end, wilson_end
from skrate import (
    FoldRankings,
    RankTable,
    compare,
    estimate,
    group_scores,
    lift_at_rate_score,
    mean_average_precision_score,
    ndcg_score,
    precision_at_rate_score,
    ranking_auc_score,
    recall_at_rate_score,
    sample_size,
)
from skrate.inference.list_means import evaluate_lists
from skrate.inference.options import Plan

EACH = [
    partial(recall_at_rate_score, k=3),
    partial(precision_at_rate_score, k=3),
    partial(recall_at_rate_score, rate=0.25),
    partial(ranking_auc_score, average="pairs"),
    partial(ndcg_score, k=4),
    mean_average_precision_score,
]
NAMES = [one.func.__name__ if isinstance(one, partial) else "map" for one in EACH]
each = pytest.mark.parametrize("metric", EACH, ids=NAMES)


def shown(seed=0, n_lists=60, n_patients=15):
    """Return labels, two models' scores, lists of unlike length and their patients."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 9, n_lists)
    of_list = rng.integers(0, n_patients, n_lists)
    order = rng.permutation(sizes.sum())
    groups = np.repeat(np.arange(n_lists), sizes)[order]
    patient = of_list[groups]
    y_true = (rng.random(len(groups)) < 0.15 + 0.4 * (patient % 3) / 2).astype(int)
    scores = [np.round(rng.normal(size=len(groups)) + y_true, 1) for _ in range(2)]
    return y_true, *scores, np.array([f"list {i:03}" for i in groups]), patient


def parts_of(metric, y_true, y_score, groups):
    """Return numerator and denominator of each list, by what each list is alone."""
    function = metric.func if isinstance(metric, partial) else metric
    options = dict(metric.keywords) if isinstance(metric, partial) else {}
    parts = []
    for label in np.unique(groups):
        rows = groups == label
        labels, scores = y_true[rows], y_score[rows]
        n, n_pos = len(labels), labels.sum()
        if n_pos == 0 and function is recall_at_rate_score:
            # A list without a positive says nothing.
            continue
        if function in (recall_at_rate_score, precision_at_rate_score):
            rate = min(options.get("k", 0) / n, 1.0) or options["rate"]
            found = recall_at_rate_score(labels, scores, rate=rate) if n_pos else 0.0
            whole = n_pos if function is recall_at_rate_score else rate * n
            parts.append((found * n_pos, whole))
            continue
        n_pairs = n_pos * (n - n_pos)
        is_auc = function is ranking_auc_score
        if (n_pairs if is_auc else n_pos) == 0:
            continue
        weight = n_pairs if is_auc else 1
        cut = {"k": options["k"]} if "k" in options else {}
        parts.append((weight * function(labels, scores, **cut), weight))
    return np.array(parts).T


def kept(metric, y_true, groups):
    """Return the labels of the lists that count."""
    function = metric.func if isinstance(metric, partial) else metric
    labels = []
    for label in np.unique(groups):
        n_pos = y_true[groups == label].sum()
        n_neg = (groups == label).sum() - n_pos
        counts = function is precision_at_rate_score
        is_auc = function is ranking_auc_score
        if counts or n_pos * (n_neg if is_auc else 1):
            labels.append(label)
    return np.array(labels)


def literal_error(parts, units, other=(None, None)):
    """Return a ratio and its standard error by the sums of independent units.

    A unit pulls the ratio to itself: its square is divided by 1 less its share of the
    weight, on average that of both models.
    """
    terms, shares = 0.0, []
    for sign, (above, below) in ((1, parts), (-1, other)):
        if above is not None:
            value = above.sum() / below.sum()
            terms = terms + sign * (above - value * below) / below.sum()
            shares.append(below / below.sum())
    share = np.mean(shares, axis=0)
    each = [units == unit for unit in np.unique(units)]
    squares = [terms[one].sum() ** 2 / (1 - share[one].sum()) for one in each]
    return parts[0].sum() / parts[1].sum(), np.sqrt(np.sum(squares))


@each
def test_lists_of_one_patient_are_added_up(metric):
    y_true, y_score, other, groups, patient = shown()
    found = estimate(metric, y_true, y_score, groups=groups, clusters=patient)
    assert found.value == metric(y_true, y_score, groups=groups)
    units = np.array(
        [patient[groups == label][0] for label in kept(metric, y_true, groups)]
    )
    a, b = (parts_of(metric, y_true, s, groups) for s in (y_score, other))
    assert found.standard_error == pytest.approx(literal_error(a, units)[1], rel=1e-12)
    low, high = found.confidence_interval
    assert low < found.value < high
    alone = estimate(metric, y_true, y_score, groups=groups, clusters=groups)
    lists = estimate(metric, y_true, y_score, groups=groups)
    assert alone.standard_error == pytest.approx(lists.standard_error, rel=1e-12)

    compared = compare(metric, y_true, y_score, other, groups=groups, clusters=patient)
    expected = literal_error(a, units, b)[1]
    assert compared.standard_error == pytest.approx(expected, rel=1e-12)
    assert compared.value_a == metric(y_true, y_score, groups=groups)
    assert compared.value_b == metric(y_true, other, groups=groups)


def test_the_influence_of_a_list_is_how_far_it_is_from_the_mean():
    y_true, y_score, other, groups, _ = shown()
    a, b = (
        group_scores("average_precision", y_true, s, groups=groups)
        for s in (y_score, other)
    )
    means = evaluate_lists([a, b], Plan())
    for scores, mean in zip((a, b), means, strict=True):
        expected = scores.values[scores.is_defined]
        assert mean.value == pytest.approx(expected.mean(), rel=1e-14)
        assert mean.influence == pytest.approx(expected - expected.mean(), abs=1e-14)
        (alone,) = evaluate_lists([scores], Plan())
        assert alone.parts.standard_error == pytest.approx(
            np.std(expected, ddof=1) / np.sqrt(len(expected)), rel=1e-13
        )
    away = a.values - b.values
    found = (means[0] - means[1]).parts.standard_error
    assert found == pytest.approx(stats.sem(away[a.is_defined]), rel=1e-12)
    with pytest.raises(ValueError, match="same units"):
        means[0] - alone


def test_a_permutation_exchanges_a_patient_as_a_whole():
    y_true = [1, 0] * 8
    a, b = [2, 1] * 8, [1, 2] * 8
    groups = np.arange(16) // 2
    scores = [group_scores("roc_auc", y_true, model, groups=groups) for model in (a, b)]
    by_list = compare("roc_auc", *scores, method="permutation")
    assert by_list.pvalue == 2 / 2**8
    patients = [0, 0, 0, 1, 1, 1, 2, 2]
    by_patient = compare("roc_auc", *scores, method="permutation", clusters=patients)
    assert by_patient.pvalue == 2 / 2**3
    assert by_patient.value == by_list.value


Y, S, G = [1, 0, 1, 0], [4, 3, 2, 1], [1, 1, 2, 2]
RANKINGS = FoldRankings(Y, S, G)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimate("roc_auc", Y, S, groups=G), "clusters="),
        (lambda: estimate(lift_at_rate_score, Y, S, rate=0.5, groups=G), "clusters="),
        (lambda: compare("roc_auc", Y, S, S, groups=G), "clusters="),
        (
            lambda: compare(("roc_auc", "average_precision"), Y, S, groups=G),
            "clusters=",
        ),
        (lambda: estimate("roc_auc", Y, {"a": S}, groups=G), "clusters="),
        (
            lambda: compare("roc_auc", Y, {"a": S, "b": S}, groups=G),
            r"ranking_auc_score.*sample_size",
        ),
        (lambda: estimate(recall_at_rate_score, Y, S, k=1, group=G), "groups="),
        (lambda: compare("roc_auc", Y, S, S, cluster=G), "clusters="),
        (lambda: sample_size("roc_auc", Y, S, half_width=0.1, groups=G), "clusters="),
        (
            lambda: estimate(recall_at_rate_score, RANKINGS, k=1, groups=G),
            r"y_true.*FoldRankings",
        ),
        (
            lambda: estimate(
                recall_at_rate_score, RankTable([1], [1]), rate=0.5, groups=G
            ),
            "RankTable",
        ),
        (
            lambda: estimate(ndcg_score, Y, S, groups=G, clusters=[1, 2, 3, 3]),
            r"rows.*1",
        ),
        (lambda: estimate(ndcg_score, Y, S, groups=G, clusters=[1] * 4), "clusters"),
        (
            lambda: estimate(ndcg_score, Y, S, groups=G, clusters=[1] * 3),
            r"groups.*4.*3",
        ),
        (
            lambda: group_scores("roc_auc", Y, S, groups=G).estimate(clusters=[1]),
            r"clusters.*2.*1",
        ),
        (
            lambda: estimate(
                partial(recall_at_rate_score, rate=0.5),
                Y,
                S,
                groups=G,
                method="bootstrap",
            ),
            "method",
        ),
        (lambda: estimate(recall_at_rate_score, RANKINGS, k=1), "rate="),
        (lambda: compare(recall_at_rate_score, RANKINGS, RANKINGS, k=1), "rate="),
        (lambda: RANKINGS.scores(recall_at_rate_score, k=1), "rate="),
        (lambda: recall_at_rate_score(RANKINGS, k=1), "rate="),
    ],
)
def test_what_has_no_lists_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_lists_that_are_undefined_for_one_model_are_left_out_with_a_warning():
    y_true, groups = [0, 0, 1, 1, 0, 0, 0, 1, 0], np.repeat([0, 1, 2], 3)
    a, b = [3, 2, 1, 3, 2, 1, 1, 3, 2], [1, 2, 3, 3, 2, 1, 1, 3, 2]
    options = {"groups": groups, "k": 2}
    with pytest.warns(UserWarning, match="1 of 3"):
        found = skrate.compare("ranking_auc", y_true, a, b, **options)
    assert (found.value_a, found.value_b) == (1.0, 1.0)
    found = skrate.compare("ranking_auc", y_true, a, b, undefined=0.5, **options)
    of_a = skrate.ranking_auc_score(y_true, a, undefined=0.5, **options)
    assert found.value_a == pytest.approx(of_a, rel=1e-15) != 1.0


def test_lists_that_seldom_differ_are_warned_of():
    y_true, groups = np.tile([1, 0, 0], 30), np.repeat(np.arange(30), 3)
    a = np.tile([3, 2, 1], 30)
    few, many = a.copy(), a.copy()
    few[:9] = np.tile([1, 2, 3], 3)
    many[:60] = np.tile([1, 2, 3], 20)
    options = {"groups": groups, "k": 1}
    with pytest.warns(UserWarning, match=r"3.*30") as told:
        compare(precision_at_rate_score, y_true, a, few, **options)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(precision_at_rate_score, y_true, a, many, **options)


def test_patients_that_are_given_as_lists_are_noticed():
    groups, y_true = np.arange(60) // 2, np.tile([1, 0, 0], 20)
    with pytest.warns(UserWarning, match=r"less than half an item.*clusters="):
        group_scores("recall_at_rate", y_true, np.arange(60), groups=groups, rate=0.1)
    group_scores("recall_at_rate", y_true, np.arange(60), groups=groups, rate=0.3)


RR, MAP = skrate.reciprocal_rank_score, mean_average_precision_score


@looped(
    "metric, k, n_relevant, ranks",
    [
        # Rare lists with high values may be missing.
        (RR, None, 1, [20, 19, 17, 15, 14, 12, 11, 10, 9, 8, 7, 6, 5, 4, 2]),
        # Proportions have the maximum variance.
        (RR, 1, 1, [1, 1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2]),
        # The mean is far from the minimum.
        (RR, None, 1, [1, 1, 1, 1, 1, 2, 2, 3]),
        # A list has at most a fifth; one list differs, for both ends.
        (MAP, 1, 5, [1, 1, 1, 2, 2, 2, 2, 1, 2, 2]),
        (MAP, 1, 5, [1] * 19 + [2]),
        (MAP, 1, 5, [2] * 19 + [1]),
        # Sums of proportions.
        (precision_at_rate_score, 10, 3, [1, 9, 3, 9, 2, 10, 15, 20, 8, 9, 10, 12]),
        (precision_at_rate_score, 15, 10, [1, 9, 3, 5, 2, 8, 6, 4, 8, 7]),
    ],
)
def test_the_ends_of_means_over_lists_are_those_of_the_formula(
    metric, k, n_relevant, ranks
):
    # The relevant items have this rank and the next ones, of 20 items.
    n, position = len(ranks), np.arange(20)
    first = np.array(ranks)[:, None] - 1
    y_true = (position >= first) & (position < first + n_relevant)
    y_true[:, -1] |= y_true.sum(axis=1) < n_relevant
    options = {} if k is None else {"k": k}
    rows = {"groups": np.repeat(np.arange(n), 20), **options}
    data = y_true.ravel(), np.tile(-position, n)
    values = group_scores(metric, *data, **rows).values
    mean, variance = values.mean(), values.var(ddof=1) / n
    is_pooled, top = metric is precision_at_rate_score, 0.2 if metric is MAP else 1.0
    found = estimate(partial(metric, **options), *data, groups=rows["groups"])
    ends = []
    for sign, high in ((-1, 1.0), (1, top)):
        moments = mean, variance, n
        added = count_added(values, *moments, upper=sign > 0, pooled=is_pooled)
        end = wilson_end(*moments, stats.t.ppf(0.975, n - 1), sign, added, high)
        if count_different(values)[1] < min(10, n / 2):
            rare = rare_end(values, mean, 0.075)
            end = sign * max(sign * end, sign * rare)
        ends.append(end)
    np.testing.assert_allclose(found.confidence_interval, ends, rtol=1e-8)
    call = partial(estimate, partial(metric, **options), *data, groups=rows["groups"])
    for end in found.confidence_interval:
        assert call(null_value=end).pvalue == pytest.approx(0.05, rel=1e-6)
    one_sided = call(alternative="greater")
    low = one_sided.confidence_interval.low
    tested = call(null_value=low, alternative="greater")
    assert tested.pvalue == pytest.approx(0.05, rel=1e-6)


@pytest.mark.slow
def test_intervals_of_random_rankings_hold():
    # Without the lists that are added at the upper end, 13 % of intervals are below.
    rng = np.random.default_rng(0)
    groups, y_true = np.repeat(np.arange(15), 20), np.tile(np.arange(20) == 0, 15)
    truth = np.mean(1 / np.arange(1, 21))

    def is_held(_):
        metric = skrate.reciprocal_rank_score
        found = estimate(metric, y_true, rng.random(300), groups=groups)
        return truth <= found.confidence_interval.high

    assert_share(simulated(600, is_held), at_least=0.95)


def test_lists_with_equal_values_allow_for_other_lists():
    y_true, y_score = np.tile([0, 1], 60), np.tile([2.0, 1.0], 60)
    scores = group_scores(
        "average_precision", y_true, y_score, groups=np.repeat(np.arange(60), 2)
    )
    low, high = scores.estimate().confidence_interval
    # 60 of 60 lists have the value 0.5, instead of 0 or 1.
    assert (low, high) == pytest.approx((0.5 + np.log(0.075) / 120, 1 - low))
    assert scores.estimate(null_value=high).pvalue == pytest.approx(0.05)
