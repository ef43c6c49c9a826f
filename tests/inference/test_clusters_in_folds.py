"""Clusters within folds: one degree of freedom is lost in each group of folds."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut

from guarantees import assert_errors_are_the_spread, assert_share, held, simulated
from reference.clusters_in_folds import centring_factor, groups_of_folds, mean_auc
from skrate import (
    FoldRankings,
    budget_report,
    compare,
    cross_val_rankings,
    estimate,
    precision_at_rate_score,
)
from skrate.inference.rankings import pool_folds


def drawn(fold, cluster, seed=0, n_models=1):
    """Return models' rankings of these folds and clusters, with ties."""
    generator = np.random.default_rng(seed)
    fold, cluster = np.asarray(fold), np.asarray(cluster)
    y_true = np.arange(len(fold)) % 3 % 2
    level = generator.normal(size=cluster.max() + 1)[cluster]
    found = []
    for _ in range(n_models):
        scores = np.round(y_true + level + generator.normal(size=len(fold)), 1)
        found.append(FoldRankings(y_true, scores, fold, clusters=cluster))
    return found


def literal(rankings):
    return mean_auc(rankings.y_true, rankings.y_score, rankings.fold, rankings.clusters)


def literal_groups(rankings):
    return groups_of_folds(rankings.fold, rankings.clusters)


ROWS = np.arange(120)
FOLD = np.repeat([0, 1, 2, 3], [18, 30, 36, 36])
# Folds, clusters, degrees of freedom: clusters without those of each group.
DESIGNS = {
    "2, 3, 2 and 6 clusters": (
        FOLD, np.repeat(np.arange(13), [12, 6, 6, 6, 18, 18, 18, *[6] * 6]), 9,
    ),
    "two of four folds share": (
        FOLD, np.where(FOLD < 2, ROWS % 5, 5 + FOLD % 2 * 3 + ROWS // 3 % 3), 8,
    ),
    "all span folds": (FOLD, ROWS % 7, 6),
    "a chain": (FOLD, 2 * FOLD + ROWS % 4, 9),
    "one cluster each": (FOLD, FOLD, 3),
    "one in one fold": (FOLD, np.where(FOLD < 1, 0, 1 + ROWS % 4 + 4 * FOLD), 3),
    "pairs of folds": (np.arange(120) // 20, np.arange(120) // 40, 2),
    "two of three share one": (np.arange(120) // 40, np.arange(120) // 80, 1),
}  # fmt: skip


@pytest.mark.parametrize("design", DESIGNS)
def test_the_standard_error_is_that_of_sums_per_cluster(design):
    fold, cluster, n_free = DESIGNS[design]
    a, b = drawn(fold, cluster, n_models=2)
    value, error, dof = literal(a)
    assert dof == n_free
    found = estimate("roc_auc", a)
    assert found.value == pytest.approx(value, rel=1e-12)
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    if n_free == len(set(literal_groups(a))) - 1:
        expected = stats.t.interval(0.95, n_free, value, error)
        ends = np.clip(expected, 0, 1)
        assert found.confidence_interval == pytest.approx(tuple(ends), rel=1e-9)
    both = compare("roc_auc", [a, b, a])
    assert both.covariance[0, 0] == pytest.approx(error**2, rel=1e-12)
    assert both.covariance[1, 1] == pytest.approx(literal(b)[1] ** 2, rel=1e-12)
    assert both.covariance[0, 2] == pytest.approx(error**2, rel=1e-12)
    variance = np.array([1, -1, 0]) @ both.covariance @ np.array([1, -1, 0])
    pair = compare("roc_auc", a, b)
    assert pair.standard_error**2 == pytest.approx(variance, rel=1e-9)
    names = replace(a, clusters=np.array(list("qwertyuiopasdfghj"))[cluster])
    assert estimate("roc_auc", names).standard_error == pytest.approx(error, rel=1e-12)


@pytest.fixture(scope="module")
def sites():
    """Return good and random scores of six sites of 200 patients, each left out."""
    generator = np.random.default_rng(0)
    site = np.repeat(np.arange(6), 200)
    X = generator.normal(size=(1200, 3))
    y = (generator.random(1200) < 1 / (1 + np.exp(2 - 1.5 * X[:, 0]))).astype(int)
    how = {"cv": LeaveOneGroupOut(), "clusters": site}
    return [
        cross_val_rankings(LogisticRegression(), rows, y, **how)
        for rows in (X, X[:, 1:])
    ]


def test_sites_that_are_left_out_are_the_units(sites):
    good, noise = sites
    aucs, others = (one.scores("roc_auc") for one in sites)
    np.testing.assert_allclose(
        aucs, [0.808, 0.775, 0.775, 0.787, 0.838, 0.786], atol=6e-4
    )
    found = estimate("roc_auc", good, null_value=0.75)
    error = np.std(aucs, ddof=1) / np.sqrt(6)
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    assert error == pytest.approx(0.01005, abs=5e-6)
    expected = stats.t.interval(0.95, 5, aucs.mean(), error)
    assert found.confidence_interval == pytest.approx(expected, rel=1e-9)
    assert found.confidence_interval == pytest.approx((0.769, 0.821), abs=6e-4)
    test = stats.ttest_1samp(aucs, 0.75)
    assert found.statistic == pytest.approx(test.statistic, rel=1e-9)
    assert found.pvalue == pytest.approx(test.pvalue, rel=1e-9)
    # What rows contribute: all of a site alike, with the same variance.
    sums = found.influence.reshape(6, 200).sum(axis=1) / 1200
    np.testing.assert_allclose(sums, (aucs - aucs.mean()) / 6, atol=1e-15)
    pair, test = compare("roc_auc", good, noise), stats.ttest_rel(aucs, others)
    assert pair.pvalue == pytest.approx(test.pvalue, rel=1e-9)
    ends = test.confidence_interval(0.95)
    assert pair.confidence_interval == pytest.approx((ends.low, ends.high), rel=1e-9)


def test_hits_of_clusters_in_folds_count_clusters_of_each_fold():
    fold, cluster, _ = DESIGNS["2, 3, 2 and 6 clusters"]
    (rankings,) = drawn(fold, cluster)
    sample = pool_folds(rankings)
    # Of clusters of 12 and 6 samples, of 6, 6 and 18, and of equal sizes.
    factors = [centring_factor([12, 6]), centring_factor([6, 6, 18]), 2, 6 / 5]
    np.testing.assert_allclose(
        sample.unit_factors, np.repeat(factors, [2, 3, 2, 6]), rtol=1e-12
    )
    # Shares of 2/3 and 1/3: S = 5/9, and (4 (1 - 4/3 + S) + 1 - 2/3 + S) / 9 = 16/81.
    assert factors[0] == pytest.approx(5 / 9 * 81 / 16)
    # The effective number of clusters of the rarer class, less 1 for each group.
    sizes = np.bincount(cluster, rankings.is_pos)
    n_alike = sizes.sum() ** 2 / np.sum(sizes**2)
    assert sample.unit_dof == pytest.approx(n_alike - 4)
    spanning = pool_folds(replace(rankings, clusters=ROWS % 7))
    factor = centring_factor(np.bincount(ROWS % 7))
    np.testing.assert_allclose(spanning.unit_factors, np.full(7, factor), rtol=1e-12)


def test_sites_without_a_class_count_with_their_value():
    y_true = np.append(np.tile([1, 1, 0, 0, 0], 4), np.zeros(5, dtype=int))
    y_score = np.append(np.tile([5, 3, 4, 2, 1], 4), np.arange(5))
    y_score[5:10] = [1, 2, 3, 4, 5]
    site = np.arange(25) // 5
    rankings = FoldRankings(y_true, y_score, site, clusters=site)
    # The best two of five: one positive, none, one, one; of the last site none.
    values = np.array([0.5, 0, 0.5, 0.5, 0])
    with pytest.warns(UserWarning, match="rate"):
        found = estimate(precision_at_rate_score, rankings, rate=0.4)
    assert found.value == pytest.approx(values.mean(), rel=1e-12)
    error = np.std(values, ddof=1) / np.sqrt(5)
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    np.testing.assert_allclose(
        found.influence.reshape(5, 5).sum(axis=1) / 25, (values - 0.3) / 5, atol=1e-15
    )


def test_one_cluster_in_all_folds_says_nothing():
    (one,) = drawn(FOLD, 0 * FOLD)
    with pytest.warns(UndefinedMetricWarning, match="clusters.*group"):
        found = estimate("roc_auc", one, null_value=0.5)
    assert found.value == pytest.approx(np.mean(one.scores("roc_auc")), rel=1e-12)
    assert np.isnan([found.standard_error, *found.confidence_interval]).all()
    assert np.isnan(found.pvalue)
    with pytest.warns(UndefinedMetricWarning, match="clusters.*group"):
        assert np.isnan(compare("roc_auc", one, one).pvalue)
    with pytest.warns(UndefinedMetricWarning, match="clusters.*group"):
        report = budget_report(one, rate=0.2)
    assert np.isnan(report[0].confidence_interval).all()


@pytest.mark.parametrize("method", ["bootstrap", "jackknife"])
def test_replicates_lose_a_cluster_in_each_fold(method):
    fold = np.repeat(np.arange(20), 12)
    (rankings,) = drawn(fold, np.arange(240) // 6)
    expected = estimate("roc_auc", rankings).standard_error
    how = {"method": method, "n_resamples": 4000, "random_state": 0}
    found = estimate("roc_auc", rankings, **how).standard_error
    assert found == pytest.approx(expected, rel=0.15)


def test_clusters_of_repeats_are_unbiased_if_they_are_alike_in_all_folds():
    generator, n, n_repeats = np.random.default_rng(0), 12, 3
    fold = np.append([0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3], np.zeros(24, dtype=int))
    for repeat in range(1, n_repeats):
        fold[repeat * n :][:n] = 4 * repeat + generator.permutation(fold[:n])
    cluster = np.tile(np.arange(n), n_repeats)
    shares = np.zeros((n, 12))
    shares[cluster, fold] = 1 / np.bincount(fold)[fold]
    # What cluster i adds is u_i, by its shares, minus the mean of u in each fold.
    added = np.diag(shares.sum(axis=1))
    for f in range(12):
        added = added - np.outer(shares[:, f], shares[:, f])
    y_true = np.repeat(np.arange(36) % 2, 4)
    rankings = FoldRankings(
        y_true, np.arange(144.0), np.repeat(fold, 4), clusters=np.repeat(cluster, 4),
        indices=np.tile(np.arange(48), 3), repeats=np.arange(12) // 4,
    )  # fmt: skip
    factors = pool_folds(rankings).unit_factors
    # The sum of the variances of the columns is that of clusters that are not centred.
    expected = (shares.sum(axis=1) ** 2).sum()
    assert (factors[:, None] * added**2).sum() == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("n_in_fold", [1, 2, 8])
def test_intervals_and_tests_of_clusters_in_folds_hold_their_level(n_in_fold):
    # Two equal models, 40 patients of 8 images, of which some are easier than others.
    patient = np.repeat(np.arange(40), 8)
    generator = np.random.default_rng(n_in_fold)

    def drawn(_):
        share, *levels = generator.normal(size=(3, 40))
        y_true = (generator.random(320) < special.expit(share[patient])).astype(int)
        scores = [
            y_true + 0.7 * level[patient] + generator.normal(size=320)
            for level in levels
        ]
        fold = generator.permutation(40)[patient] // n_in_fold
        a, b = (FoldRankings(y_true, one, fold, clusters=patient) for one in scores)
        with warnings.catch_warnings():
            # A patient may have images of one class only.
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return estimate("roc_auc", a), compare("roc_auc", a, b)

    estimates, pairs = zip(*simulated(1000, drawn), strict=True)
    truth = np.mean([one.value for one in estimates])
    assert_share(held(estimates, truth), at_least=0.93)
    assert_share(held(pairs, 0.0), at_least=0.93)
    assert_errors_are_the_spread(estimates, slack=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
@pytest.mark.parametrize("n_folds", [1, 3])
def test_clusters_of_unequal_sizes_hold_their_level(metric, n_folds):
    # Two equal models whose scores depend on the cluster.
    sizes = np.array([400, 250, 150, 100, 60, 40, 30, 25, 20, 20, 15, 15])
    if n_folds > 1:
        sizes = np.tile([120, 30, 20, 10], n_folds)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    fold = cluster * n_folds // len(sizes)
    generator = np.random.default_rng(n_folds)

    def drawn(_):
        y_true = (generator.random(len(cluster)) < 0.15).astype(int)
        effects = 1 + 0.4 * generator.normal(size=(2, len(sizes)))
        scores = 1.4 * y_true * effects[:, cluster]
        scores += generator.normal(size=scores.shape)
        models = [FoldRankings(y_true, s, fold, clusters=cluster) for s in scores]
        with warnings.catch_warnings():
            # Of folds with few positives.
            warnings.simplefilter("ignore", UserWarning)
            return compare(metric, *models)

    pairs = simulated(600, drawn)
    assert_share(held(pairs, 0.0), at_least=0.92, at_most=0.985)
    assert_errors_are_the_spread(pairs, slack=0.1)


def test_one_positive_cluster_in_each_fold_tells_nothing():
    y_true, cluster = np.repeat(np.tile([1, 0, 0, 0], 10), 6), np.arange(240) // 6
    y_score = np.random.default_rng(0).normal(size=240) + y_true
    rankings = FoldRankings(y_true, y_score, np.arange(240) // 24, clusters=cluster)
    with pytest.raises(ValueError, match="at least 2 clusters of like size with pos"):
        estimate("roc_auc", rankings)
