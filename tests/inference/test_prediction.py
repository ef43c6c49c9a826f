"""Prediction intervals: exact where all is known, and held by simulated batches."""

import numpy as np
import pytest
from scipy import stats

from guarantees import binomial_tolerance, simulations
from simulated_batches import DESIGNS, Design, coverage, predicted
from skrate import FoldRankings, RankTable, budget_report, rates
from skrate.inference.prediction import Spread, _shares
from skrate.inference.rankings import check_sample

# A fourth of the designs is a fair sample of them.
CHOSEN = DESIGNS if simulations(10) > 1 else DESIGNS[::4]
# So many cases that nothing is left to be estimated, a fifth of them positive.
KNOWN = RankTable([2e11] * 20, [8e11] * 20)


def bounds(report):
    return [tuple(row.prediction_interval) for row in report.rows[:3]]


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize(("rate", "n_items"), [(0.1, 70), (0.5, 3), (0.25, 400)])
def test_counts_of_a_random_order_are_binomial(rate, n_items, level):
    report = budget_report(KNOWN, rate=rate, n_items=n_items, confidence_level=level)
    n_seen = round(rate * n_items)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    expected = [
        stats.binom(n_seen, 0.2).ppf(tails),
        stats.binom(n_items - n_seen, 0.2).ppf(tails),
        stats.binom(n_seen, 0.8).ppf(tails),
    ]
    # A share that is known to 1e-6 may move a quantile at its edge.
    assert np.abs(np.array(bounds(report)) - expected).max() <= 1


def test_a_batch_comes_in_clusters_as_the_sample_did():
    rng = np.random.default_rng(2)
    # Whole clusters of ten are positive, and tie: a batch of 200 has 20 of them.
    y_true, y_score = np.repeat(rng.random((2, 3000)) < 0.3, 10, axis=1) * 1.0
    options = {"rate": 0.5, "n_items": 200}
    alone = bounds(budget_report(y_true, y_score, **options))
    clusters = np.arange(30_000) // 10
    clustered = bounds(budget_report(y_true, y_score, clusters=clusters, **options))
    for narrow, wide in zip(alone, clustered, strict=True):
        # By the root of ten, of whole numbers that are no less than 0.
        assert 2 < np.diff(wide) / np.diff(narrow) < 4


def of_alike_labels(rng, n_clusters=100, per_cluster=10):
    """Return labels that are alike within a cluster, scores that are not, clusters."""
    clusters = np.repeat(np.arange(n_clusters), per_cluster)
    latent = 0.9 * rng.normal(size=n_clusters)[clusters]
    y_true = latent + 0.45 * rng.normal(size=len(clusters)) < -0.5
    return y_true, rng.normal(size=len(clusters)) + y_true, clusters


@pytest.mark.parametrize("n_items", [100, 1000, 10**6])
@pytest.mark.parametrize("kind", ["cases", "clusters", "weights", "folds", "perfect"])
def test_a_batch_is_no_surer_than_its_expectation(kind, n_items):
    y_true, y_score, clusters = of_alike_labels(np.random.default_rng(7), 40, 5)
    options = {"rate": 0.15, "n_items": n_items}
    given = (y_true, y_score)
    if kind == "perfect":
        given = (y_true, y_score + 9 * y_true)
    if kind in ("clusters", "perfect"):
        options["clusters"] = clusters
    elif kind == "weights":
        options |= {"sample_weight": 1.0 + clusters % 3, "weights": "sampling"}
    elif kind == "folds":
        given = (FoldRankings(*given, clusters % 4, clusters=clusters),)
    for row in budget_report(*given, **options).rows[:3]:
        (low, high), (least, most) = row.prediction_interval, row.confidence_interval
        # Ends at all that is processed are whole but for rounding.
        assert low <= least + 1e-9 * n_items
        assert high >= most - 1e-9 * n_items


@pytest.mark.slow
def test_intervals_hold_what_follows_a_sample_by_weights():
    # Negatives are sampled one in twenty, and weighted for it.
    generator, distribution, held = (
        np.random.default_rng(3),
        rates.fixed(0.1),
        np.zeros(3),
    )
    n_simulations = 60

    def drawn(n):
        is_pos = generator.random(n) < 0.3
        return is_pos, generator.normal(size=n) + 1.5 * is_pos

    for _ in range(n_simulations):
        is_pos, scores = drawn(2200)
        kept = generator.random(2200) < np.where(is_pos, 0.35, 0.35 / 20)
        weights = np.where(is_pos, 1.0, 20.0)[kept]
        ranked = check_sample(
            is_pos[kept], scores[kept], sample_weight=weights, weights="sampling"
        )
        low, high = np.transpose(predicted(ranked, distribution, 1000))
        for _ in range(4):
            is_pos, scores = drawn(1000)
            found = np.count_nonzero(is_pos[np.argsort(-scores)[:100]])
            counts = found, np.count_nonzero(is_pos) - found, 100 - found
            held += (low <= counts) & (counts <= high)
    # Batches of one sample are not independent.
    slack = binomial_tolerance(0.95, n_simulations)
    assert (held / (4 * n_simulations) > 0.95 - slack).all()


def test_intervals_hold_the_counts_of_new_batches():
    found, _ = coverage(Design("beta(3, 19)", 200, 500, 0.3), 30)
    # Batches of one sample are not independent: 30 of them are.
    assert (found > 0.95 - 0.02 - binomial_tolerance(0.95, 30)).all()


@pytest.mark.slow
@pytest.mark.parametrize("design", CHOSEN, ids=lambda d: "-".join(map(str, d)))
def test_intervals_hold_their_level(design):
    n_simulations = simulations(500)
    held, below = coverage(design, n_simulations)
    slack = binomial_tolerance(0.95, n_simulations)
    assert (held >= 0.95 - 0.02 - slack).all()
    assert (below <= 0.025 + 0.02 + binomial_tolerance(0.025, n_simulations)).all()
    if design.n_items >= 1000 and design.shift < 4:
        # Smaller counts are whole numbers with few to choose from.
        assert (held <= 0.95 + 0.025 + slack).all()


def test_the_share_of_positives_has_jeffreys_posterior():
    # Of 3 positives of 10, where all is processed: then no cut adds to it.
    ones = np.ones(1024)
    found = _shares(0.3 * ones, ones, 0.3 * ones, 10**12, Spread(10.0))
    quantiles = (np.arange(1024) + 0.5) * (np.sqrt(5) - 1) / 2 % 1
    expected = stats.beta(3.5, 7.5).ppf(quantiles)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
