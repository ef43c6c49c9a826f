"""Data and calls of skrate for the table of ratios."""

import numpy as np

import common
import skrate
from common import METRICS, labelled_scores


def of(function, *places):
    """Return the function of some of the data."""
    return lambda *data, **options: function(*map(data.__getitem__, places), **options)


def single_and_double(n_samples, rounded):
    """Return scores in both types; the wider ones may be rounded like the others."""
    y_true, y_score = labelled_scores(n_samples)
    single = y_score.astype(np.float32)
    return y_true, single, single.astype(float) if rounded else y_score


def five_classes(n_samples):
    """Return the classes of cases, and the probabilities of each class."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 5, n_samples)
    y_true[:5] = range(5)
    odds = np.exp(rng.normal(size=(n_samples, 5)) + np.eye(5)[y_true])
    return y_true, odds / odds.sum(axis=1, keepdims=True)


def class_by_class(score, y_true, y_score):
    return np.mean([score(y_true == i, y_score[:, i]) for i in range(5)])


def all_and_a_tenth(n_samples):
    """Return labels and scores, then labels and scores of a tenth as many cases."""
    return *labelled_scores(n_samples), *labelled_scores(n_samples // 10)


def cases_and_batches(n_samples):
    """Return labels and scores, and ten batches of them."""
    y_true, y_score = labelled_scores(n_samples)
    batches = zip(np.array_split(y_true, 10), np.array_split(y_score, 10), strict=True)
    return y_true, y_score, list(batches)


def cases_and_tables(n_samples):
    """Return scores, and the tables of ten batches, each compressed."""
    _, y_score, batches = cases_and_batches(n_samples)
    return y_score, [compressed(*batch) for batch in batches]


def worths(n_samples):
    """Return labels and scores, gains of both signs, costs and weights."""
    y_true, y_score = labelled_scores(n_samples, prevalence=0.1)
    rng = np.random.default_rng(1)
    gain = np.where(y_true, rng.lognormal(size=n_samples), -0.1)
    return y_true, y_score, gain, rng.random(n_samples) + 0.1, rng.random(n_samples)


def expected_gain(y_true, y_score, gain, cost=None, sample_weight=None):
    return skrate.expected_gain_score(
        y_true, y_score, gain=gain, cost=cost, rate=common.RATE,
        sample_weight=sample_weight,
    )  # fmt: skip


def weighted_rauc(y_true, y_score, sample_weight):
    return common.rauc(y_true, y_score, sample_weight=sample_weight)


def labels_table_scores(n_samples):
    """Return labels, the compressed table of them and the scores, and the scores."""
    y_true, y_score = labelled_scores(n_samples)
    return y_true, compressed(y_true, y_score), y_score


def sum_of_tables(tables):
    return sum(tables).compress(2**16)


def compressed(y_true, y_score):
    return skrate.RankTable.from_arrays(y_true, y_score).compress(2**16)


def delong_error(y_true, y_score):
    return METRICS["AUC"].estimate(y_true, y_score).standard_error


def delong_test(y_true, y_score, other_score):
    return METRICS["AUC"].compare(y_true, y_score, other_score).standard_error


def two_models(n_samples):
    """Return labels and the scores of two models."""
    y_true, y_scores = labelled_scores(n_samples, prevalence=0.1, n_models=2)
    return y_true, *y_scores.T.copy()


def band_of_curves(y_true, y_score, other_score):
    """Return the width of the band of a difference, of 200 rates and 2,000 draws."""
    found = skrate.compare_curves(
        y_true, y_score, other_score, rates=np.arange(1, 201) / 200, random_state=0
    )
    return float(np.mean(found.band.high - found.band.low))


def twenty_models(n_samples):
    """Return labels, the scores of all models, and the scores of the first."""
    y_true, y_scores = labelled_scores(n_samples, prevalence=0.1, n_models=20)
    return y_true, y_scores, y_scores[:, 0].copy()


def folds(n_samples, prevalence=0.5):
    """Return the labels and scores of ten folds, and the scores in one array."""
    y_trues, y_scores = common.scored_folds(*[n_samples] * 10, prevalence=prevalence)
    return y_trues, y_scores, np.concatenate(y_scores)


def consensus(y_trues, y_scores, all_scores, bounds=None):
    options = {"rates": common.RATES, "bounds": bounds, "random_state": 0}
    skrate.rate_averaged_roc_curve(y_trues, y_scores, **options)


def lists_in_both_orders(n_lists, kind):
    """Return rows in random order, and list by list, by a sort that is not timed."""
    shown = common.shown_lists(n_lists, kind)[:3]
    order = np.argsort(shown[2], kind="stable")
    return *shown, *(column[order] for column in shown)


def list_auc(y_true, y_score, groups, **options):
    return skrate.ranking_auc_score(y_true, y_score, groups=groups, **options)


OF_PLACES = (
    skrate.ndcg_score,
    skrate.mean_average_precision_score,
    skrate.reciprocal_rank_score,
)


def list_score(score, y_true, y_score, groups):
    return score(y_true, y_score, groups=groups)


def precision_of_queues(y_true, y_score, groups):
    return skrate.precision_at_rate_score(y_true, y_score, k=5, groups=groups)


def error_settings(n_settings):
    return 300, 700, np.arange(n_settings) % 1_001


def ndcg(y_true, y_score):
    """Return the expected recall under the logarithmic discount, by the greatest."""
    rate = skrate.rates.log_discount(len(y_true))
    best = skrate.convert_rauc(
        1, to="expected_recall", rate=rate, prevalence=y_true.mean()
    )
    return skrate.recall_at_rate_score(y_true, y_score, rate=rate) / best
