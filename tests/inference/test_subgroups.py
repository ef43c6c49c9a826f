"""Groups of people in one queue: values by enumeration, errors by the bootstrap."""

import pickle
import tracemalloc
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, simulated
from looped import case, looped
from optional import require
from reference.subgroups import subgroup_value
from skrate import (
    compare,
    estimate,
    precision_at_rate_score,
    rates,
    recall_at_rate_score,
    subgroup_scores,
)
from skrate.inference.subgroups import SHARES

ALL = list(SHARES)
Y_TRUE = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 1]
Y_SCORE = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
BY = list("aabbbaabaabb")
# One of them is drawn towards the top, and another one is small.
DESIGNS = {
    "alike": {"n": 600, "shares": [0.6, 0.3, 0.1], "prevalences": [0.1, 0.25, 0.4]},
    "rare": {"n": 2000, "shares": [0.8, 0.15, 0.05], "prevalences": [0.03, 0.06, 0.12]},
    "shifted": {"n": 500, "shares": [0.5, 0.3, 0.2], "prevalences": [0.3, 0.2, 0.1],
                "shifts": [0.0, 0.5, -0.5]},
}  # fmt: skip


def draw(rng, n, shares, prevalences, shifts=(0.0, 0.0, 0.0), *, decimals=None):
    by = rng.choice(len(shares), n, p=shares)
    y_true = rng.random(n) < np.array(prevalences)[by]
    y_score = rng.normal(size=n) + 1.3 * y_true + np.array(shifts)[by]
    return y_true, y_score if decimals is None else y_score.round(decimals), by


def test_a_group_that_is_one_cluster_is_told_to_be_that():
    site = np.repeat(["a", "b"], 20)
    y_true, y_score = np.arange(40) % 2, np.arange(40) % 7
    with pytest.warns(UndefinedMetricWarning, match=r"nan.* 2 clusters .*pos"):
        scores = subgroup_scores(
            "recall", y_true, y_score, by=site, rate=0.5, clusters=site
        )
    assert np.isnan(scores.standard_errors).all()


@looped("seed", range(30))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_values_are_those_of_all_orders_of_the_tied(seed):
    rng = np.random.default_rng(seed)
    # A weight is a repetition: all of its orders are tried.
    n, is_weighted = int(rng.integers(2, 7)), seed % 2 == 0
    times = rng.integers(1, 3, n) if is_weighted else np.ones(n, int)
    y_true, y_score = rng.random(n) < 0.5, rng.integers(0, n, n)
    by = rng.permutation(np.arange(n) % 2)
    distribution = {float(rng.integers(1, 16)) / 16: 1.0}
    rate = next(iter(distribution))
    if seed % 3 == 0:
        distribution = {0.125: 0.5, 0.625: 0.5}
        rate = rates.empirical(list(distribution))
    weights = {"sample_weight": times} if is_weighted else {}
    found = subgroup_scores(ALL, y_true, y_score, by=by, rate=rate, **weights)
    rows = np.repeat(np.arange(n), times)
    samples = list(
        zip(y_true[rows], y_score[rows], [1] * len(rows), by[rows], strict=True)
    )
    for share, group, value in zip(
        found.metrics, found.groups, found.values, strict=True
    ):
        expected = subgroup_value(share, samples, group, distribution)
        with case((share, group)):
            if expected is None:
                assert np.isnan(value)
            else:
                assert value == pytest.approx(float(expected), abs=1e-14)


@looped("rate", [0.2, rates.beta(3, 9)])
def test_a_recall_is_that_of_a_queue_where_only_the_group_is_positive(rate):
    rng = np.random.default_rng(0)
    y_true, y_score, by = draw(rng, **DESIGNS["shifted"], decimals=1)
    clusters, weights = rng.integers(0, 150, len(by)), rng.integers(0, 4, len(by))
    of_class = {"processed": y_true | True, "recall": y_true, "fpr": ~y_true}
    for options in [{}, {"clusters": clusters}, {"sample_weight": weights}]:
        scores = subgroup_scores(
            list(of_class), y_true, y_score, by=by, rate=rate, **options
        )
        rows = zip(scores.metrics, scores.groups, strict=True)
        for i, (share, group) in enumerate(rows):
            labels = of_class[share] & (by == group)
            one = estimate("recall_at_rate", labels, y_score, rate=rate, **options)
            with case((share, group, list(options))):
                assert scores.values[i] == pytest.approx(one.value, rel=1e-13)
                error = scores.standard_errors[i]
                assert error == pytest.approx(one.standard_error, rel=1e-6)
                # Degrees of freedom are those of the group alone.
                off = scores.intervals[i] - one.confidence_interval
                assert np.abs(off).max() < 0.25 * error


def test_the_precision_of_all_groups_is_that_of_the_queue():
    y_true, y_score, by = draw(np.random.default_rng(1), **DESIGNS["alike"])
    scores = subgroup_scores("precision", y_true, y_score, by=by, rate=0.2)
    expected = precision_at_rate_score(y_true, y_score, rate=0.2)
    assert scores.overall["precision"] == pytest.approx(expected, rel=1e-12)
    # And of a queue that is processed whole it is the prevalence of each.
    with np.errstate(all="raise"):
        scores = subgroup_scores(ALL, y_true, y_score, by=by, rate=1.0)
    shares = [y_true[by == g].mean() for g in range(3)]
    assert scores.values.tolist() == pytest.approx([*[1] * 6, *shares, *[1] * 3])
    certain = np.array(scores.metrics) != "precision"
    assert (scores.intervals[certain] == 1).all()
    assert scores.differences("recall").pairs[0].pvalue == 1


def test_order_of_rows_scale_and_repetitions_do_not_matter():
    rng = np.random.default_rng(3)
    y_true, y_score, by = draw(rng, **DESIGNS["shifted"], decimals=1)
    score = partial(subgroup_scores, ALL, rate=rates.beta(3, 9))
    expected = score(y_true, y_score, by=by)
    order, times = rng.permutation(len(by)), rng.integers(0, 3, len(by))
    others = [
        score(y_true[order], y_score[order], by=by[order]),
        score(y_true, y_score, by=by.astype(str)),
    ]
    for found in others:
        assert found.values.tolist() == expected.values.tolist()
        assert np.allclose(found.covariance, expected.covariance, rtol=1e-9, atol=0)
    rows = np.repeat(np.arange(len(by)), times)
    one = score(y_true[rows], y_score[rows], by=by[rows])
    other = score(y_true, y_score, by=by, sample_weight=times)
    assert np.allclose(one.values, other.values, rtol=1e-12)
    assert np.allclose(one.covariance, other.covariance, rtol=1e-9)
    assert one.n_pos.tolist() == other.n_pos.tolist()


def test_a_group_without_positives_is_nan_with_one_warning():
    by = [*"aabbbaabaabb", "c", "c", "d"]
    labels, scores = [*Y_TRUE, 0, 0, 1], [*Y_SCORE, 0.5, 0.4, 0.3]
    message = r"nan.* positive .*\['c'\].* 2 positive .*\['d'\]"
    with pytest.warns(UndefinedMetricWarning, match=message) as caught:
        found = subgroup_scores(["recall", "processed"], labels, scores, by=by, k=8)
    assert len(caught) == 1
    assert np.isnan(found.values).tolist() == [False, False, True, *[False] * 5]
    is_known = ~np.isnan(found.standard_errors)
    assert is_known.tolist() == [True, True, False, False, True, True, True, False]
    pairs = found.differences("recall")
    assert [np.isnan(pair.pvalue) for pair in pairs] == [False, *[True] * 5]
    assert pairs.adjusted_pvalues[0] == pairs[0].pvalue


def test_differences_are_tested_and_adjusted():
    y_true, y_score, by = draw(np.random.default_rng(4), **DESIGNS["shifted"])
    names = np.array(["young", "middle", "old"])[by]
    scores = subgroup_scores(["recall", "fpr"], y_true, y_score, by=names, rate=0.3)
    found = scores.differences("recall")
    assert found.names == ("middle", "old", "young")
    for (i, j), pair in zip(combinations(range(3), 2), found, strict=True):
        assert pair.value == scores.values[i] - scores.values[j]
        contrast = np.zeros(6)
        contrast[[i, j]] = 1, -1
        variance = contrast @ scores.covariance @ contrast
        assert pair.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)
        low, high = pair.confidence_interval
        assert low < pair.value < high
        assert (pair.pvalue < 0.05) == (low > 0 or high < 0)
    pvalues = sorted(pair.pvalue for pair in found)
    holm = np.maximum.accumulate(np.minimum(np.array(pvalues) * [3, 2, 1], 1))
    assert sorted(found.adjusted_pvalues) == pytest.approx(holm.tolist())
    others = scores.differences("recall", reference="old", alternative="greater")
    assert [pair.value for pair in others] == [found[0].value, -found[2].value]
    assert others[0].pvalue == pytest.approx(found[0].pvalue / 2)
    assert np.array_equal(others.covariance, scores.covariance[:3, :3])


def test_the_correlation_is_that_of_rows_with_a_tenth_of_a_sample_more():
    # Group a has 3 positives and b has 6; 1 and 3 of them are among the first five.
    y_true, by = [1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1], list("abbbbaabbabb")
    scores = subgroup_scores("recall", y_true, range(12, 0, -1), by=by, k=5)
    assert scores.values.tolist() == pytest.approx([1 / 3, 3 / 6], abs=1e-15)
    own, shared = scores.covariance.diagonal(), scores.covariance[0, 1]
    assert abs(shared) > 0.1 * np.sqrt(own.prod())
    # Half of the tenth is certain to be processed, half is not. A sum over n varies
    # by n**2 the variance of its mean, and by what is added.
    v, n, total = scores.values, np.array([3, 6]), np.array([3.1, 6.1])
    mean = (n * v + 0.05) / total
    added = 0.05 * (1 - mean) ** 2 + 0.05 * mean**2 + n * (v - mean) ** 2
    variance = (n**2 * own + added) / total**2
    covariance = n.prod() * shared / total.prod()
    # Zou and Donner: the correlation that the interval of the difference shows.
    (pair,) = scores.differences()
    (low_a, _), (_, high_b) = scores.intervals
    below, above = v[0] - low_a, high_b - v[1]
    reach = pair.value - pair.confidence_interval.low
    shown = (below**2 + above**2 - reach**2) / (2 * below * above)
    assert shown == pytest.approx(covariance / np.sqrt(variance.prod()), rel=1e-9)


def test_results_are_plain_data():
    scores = subgroup_scores(["recall", "fpr"], Y_TRUE, Y_SCORE, by=BY, k=6)
    columns = scores.to_dict()
    assert columns["metric"] == ["recall", "recall", "fpr", "fpr"]
    assert columns["k"] == [6] * 4
    assert columns["low"] == scores.intervals[:, 0].tolist()
    assert "recall     a  0.6667  [0.0" in repr(scores)
    again = pickle.loads(pickle.dumps(scores))
    assert again.to_dict() == columns
    frame = require("pandas") and scores.to_frame()
    assert frame.index.tolist() == list("abab")
    assert frame.loc["b", "value"].tolist() == scores.values[1::2].tolist()


@looped("options, message", [
    ({"metric": "roc_auc"}, "metric='roc_auc'"),
    ({"metric": []}, "metric"),
    ({"metric": [partial(recall_at_rate_score, rate=0.1),
                 partial(recall_at_rate_score, rate=0.2, of="negatives")], "k": None},
     r"metric.*rate.*\bk\b"),
    ({"metric": partial(recall_at_rate_score, groups=BY)}, "groups"),
    ({"k": None}, "rate"),
    ({"rate": 0.2}, r"k=6.*rate=0\.2"),
    ({"k": 13}, r"k=13.*12"),
    ({"by": [1] * 12}, r"\bby\b.*2.*\[1\]"),
    ({"by": [1, 2]}, r"y_true.*12.*\bby\b.*2"),
    ({"by": [None, *BY[1:]]}, r"^by .*0"),
    ({"confidence_level": 1}, "confidence_level"),
    ({"y_score": None}, "y_score"),
])  # fmt: skip
def test_what_does_not_fit_is_named(options, message):
    given = {"metric": "recall", "y_true": Y_TRUE, "y_score": Y_SCORE, "by": BY, "k": 6}
    with pytest.raises(ValueError, match=message):
        subgroup_scores(**given | options)


def test_a_metric_of_rankings_is_that_of_each_group():
    y_true, y_score, by = draw(np.random.default_rng(5), **DESIGNS["alike"])
    weight = np.random.default_rng(6).integers(1, 3, 600)
    for name, params in (("roc_auc", {}), ("rate_weighted_auc", {"rate": 0.2})):
        scores = subgroup_scores(
            name, y_true, y_score, by=by, sample_weight=weight, **params
        )
        alone = [
            estimate(
                name, y_true[own], y_score[own], sample_weight=weight[own], **params
            )
            for own in (by == g for g in range(3))
        ]
        assert scores.values.tolist() == [one.value for one in alone]
        ends = [one.confidence_interval for one in alone]
        np.testing.assert_allclose(scores.intervals, ends, rtol=1e-12)
        errors = [one.standard_error for one in alone]
        np.testing.assert_allclose(scores.standard_errors, errors, rtol=1e-12)
        overall = estimate(name, y_true, y_score, sample_weight=weight, **params)
        assert scores.overall == {overall.metric: overall.value}
    plain = subgroup_scores("roc_auc", y_true, y_score, by=by)
    first, second = ((y_true[by == g], y_score[by == g]) for g in (0, 1))
    expected = compare("roc_auc", *first, y_true_b=second[0], y_score_b=second[1])
    assert plain.differences()[0] == expected
    assert pickle.loads(pickle.dumps(plain)).intervals.tolist()


def test_what_rankings_of_groups_lack_is_named():
    y_true, y_score, by = draw(np.random.default_rng(5), **DESIGNS["alike"])
    score = partial(subgroup_scores, y_score=y_score, by=by)
    with pytest.warns(UndefinedMetricWarning, match=r"AUC .* nan.*\[1\]"):
        found = score("roc_auc", y_true & (by != 1))
    assert np.isnan(found.intervals[1]).all()
    assert not np.isnan(found.intervals[0]).any()
    with pytest.raises(ValueError, match=r"clusters .*AUC"):
        score("roc_auc", y_true, clusters=np.arange(600) // 2)
    with pytest.raises(ValueError, match=r"metric='roc_auc' .*'fpr'"):
        score(["roc_auc", "recall"], y_true, rate=0.2)
    with pytest.raises(ValueError, match="'roc_auc' has no parameter 'rate'"):
        score("roc_auc", y_true, rate=0.2)


def test_what_differences_do_not_know_is_named():
    scores = subgroup_scores(["recall", "fpr"], Y_TRUE, Y_SCORE, by=BY, k=6)
    for options, message in [
        ({}, "metric"),
        ({"metric": "precision"}, "metric"),
        ({"metric": "fpr", "reference": "c"}, "reference='c'"),
        ({"metric": "fpr", "adjust": "no"}, "adjust"),
        ({"metric": "fpr", "alternative": "more"}, "alternative"),
    ]:
        with case(options), pytest.raises(ValueError, match=message):
            scores.differences(**options)


# --- Guarantees -------------------------------------------------------------------


@pytest.mark.slow
@looped("name", DESIGNS)
def test_the_covariance_is_that_of_the_bootstrap(name):
    rng = np.random.default_rng(5)
    y_true, y_score, by = draw(rng, **DESIGNS[name] | {"n": 4000})
    rate = rates.beta(4, 16) if name == "shifted" else 0.2
    scores = subgroup_scores(ALL, y_true, y_score, by=by, rate=rate)

    def resampled(_):
        rows = rng.integers(0, len(by), len(by))
        samples = y_true[rows], y_score[rows]
        return subgroup_scores(ALL, *samples, by=by[rows], rate=rate).values

    draws = np.array(simulated(1000, resampled))
    expected = np.cov(draws.T)
    spread, n = np.sqrt(expected.diagonal()), len(draws)
    slack = 0.06 + 3 / np.sqrt(2 * n)
    assert scores.standard_errors == pytest.approx(spread, rel=slack)
    off = (scores.covariance - expected) / np.outer(spread, spread)
    assert np.abs(off).max() < 0.1 + 4.5 / np.sqrt(n)


@pytest.mark.slow
@looped("name", DESIGNS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_intervals_cover_and_tests_keep_their_level(name):
    rng, rate = np.random.default_rng(6), 0.05 if name == "rare" else 0.2
    y_true, y_score, by = draw(rng, **DESIGNS[name] | {"n": 2_000_000})
    truth = subgroup_scores(ALL, y_true, y_score, by=by, rate=rate).values
    apart = np.array([truth[::3] - truth[1::3], truth[::3] - truth[2::3],
                      truth[1::3] - truth[2::3]]).T  # fmt: skip

    def one(_):
        y_true, y_score, by = draw(rng, **DESIGNS[name])
        scores = subgroup_scores(ALL, y_true, y_score, by=by, rate=rate)
        low, high = scores.intervals.T
        found = [scores.differences(share) for share in ALL]
        ends = np.array([[pair.confidence_interval for pair in of] for of in found])
        pvalues = [np.nanmin(of.adjusted_pvalues) for of in found]
        return (
            # What is unknown covers.
            ~((low > truth) | (truth > high)),
            ~((ends[..., 0] > apart) | (apart > ends[..., 1])).ravel(),
            np.array(pvalues) <= 0.05,
        )

    covers, differ, rejects = map(np.array, zip(*simulated(600, one), strict=True))
    assert_share(covers, at_least=0.94)
    assert_share(differ, at_least=0.94)
    if name != "shifted":
        # Positives are alike in all groups, and negatives: precisions are not.
        assert_share(rejects[:, [1, 3]], at_most=0.05)


def test_groups_of_true_and_false_keep_their_labels():
    by = np.arange(40) % 3 == 0
    scores = subgroup_scores("recall", np.arange(40) % 2, range(40), by=by, rate=0.5)
    assert scores.groups.dtype == bool
    assert scores.differences(reference=True)[0].value == pytest.approx(
        scores.values[0] - scores.values[1]
    )


@pytest.mark.slow
def test_memory_is_one_number_per_sample_class_and_group():
    n, n_groups = 200_000, 20
    rng = np.random.default_rng(0)
    y_true = rng.random(n) < 0.1
    y_score, by = rng.normal(size=n) + y_true, rng.integers(0, n_groups, n)
    tracemalloc.start()
    subgroup_scores(
        ["recall", "processed", "precision"], y_true, y_score, by=by,
        rate=rates.beta(2, 8),
    )  # fmt: skip
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Two classes of 20 groups, and as much for everything else.
    assert peak < 2 * 2 * n_groups * n * 8
