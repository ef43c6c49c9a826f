"""Reports of skore with our scorers, and with our metrics by make_scorer."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from looped import looped
from optional import require
from rate_laws import LAWS
from skrate import (
    AveragePrecisionScorer,
    RateWeightedAUCScorer,
    average_precision_score,
    compare,
    cross_val_rankings,
    estimate,
    make_ranking_scorer,
    rates,
    recall_at_rate_score,
)

with warnings.catch_warnings():
    # Next to an old joblib it tells what it does without.
    warnings.simplefilter("ignore", UserWarning)
    skore = require("skore")
pandas = require("pandas")

RATE = rates.beta(3, 19)
SCORERS = {
    "beta": RateWeightedAUCScorer(rate=RATE),
    "number": RateWeightedAUCScorer(rate=0.2),
    "scipy": RateWeightedAUCScorer(rate=stats.truncnorm(-2, 3, loc=0.2, scale=0.1)),
    "empirical": RateWeightedAUCScorer(rate=rates.empirical([0.1, 0.2, 0.3])),
    "mixture": RateWeightedAUCScorer(rate=rates.mixture([RATE, rates.fixed(0.5)])),
    "precision": AveragePrecisionScorer(prevalence=0.1),
    "other_class": RateWeightedAUCScorer(rate=RATE, pos_label=0),
    "any_metric": make_ranking_scorer(recall_at_rate_score, rate=0.2),
    "a_name": make_ranking_scorer("roc_auc"),
}


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(300, weights=[0.7], flip_y=0.2, random_state=0)
    return pandas.DataFrame(X).rename(columns=str), y


def added(report, scorer, name="ours", **options):
    """Return what a report shows of a scorer."""
    report.metrics.add(scorer, name=name)
    return np.asarray(report.metrics.get(name, **options), dtype=float)


@looped("name", SCORERS)
def test_reports_show_what_the_scorer_returns(data, name):
    scorer = SCORERS[name]
    report = skore.evaluate(LogisticRegression(), *data, splitter=0.3)
    expected = scorer(report.estimator_, report.X_test, report.y_test)
    assert added(report, scorer) == expected
    summary = report.metrics.summarize(metric="ours").frame()
    assert dict(summary) == {"ours": expected}
    # Of folds the mean, and the deviation.
    report = skore.evaluate(GaussianNB(), *data, splitter=2)
    values = [scorer(r.estimator_, r.X_test, r.y_test) for r in report.reports_]
    mean, deviation = added(report, scorer).ravel()
    assert mean == pytest.approx(np.mean(values), rel=1e-14)
    assert deviation == pytest.approx(np.std(values, ddof=1), rel=1e-12)


def test_the_kept_results_of_different_rates_are_different(data):
    report = skore.evaluate(GaussianNB(), *data, splitter=0.3, pos_label=1)
    report.metrics.add(RateWeightedAUCScorer(), name="ours")
    for rate in LAWS:
        scorer = RateWeightedAUCScorer(rate=rate)
        expected = scorer(report.estimator_, report.X_test, report.y_test)
        for _ in range(2):
            assert float(report.metrics.get("ours", **scorer._kwargs)) == expected
    kept = [key for key in report._cache if key[2] == "ours"]
    assert len(kept) == len(LAWS)


def test_several_classes_take_the_response_that_is_named(data):
    X, y = make_classification(300, n_classes=3, n_informative=6, random_state=0)
    report = skore.evaluate(LogisticRegression(), X, y, splitter=0.3)
    scorer = RateWeightedAUCScorer(rate=RATE, response_method="predict_proba")
    expected = scorer(report.estimator_, report.X_test, report.y_test)
    assert added(report, scorer) == expected
    with pytest.raises(ValueError, match="response_method="):
        added(report, RateWeightedAUCScorer(rate=RATE), "unnamed")


@looped("metric", ["ranking_auc", average_precision_score])
def test_lists_come_by_a_function_and_are_never_left_out(data, metric):
    X, y = data
    X = X.assign(user=np.arange(len(y)) % 20)
    report = skore.evaluate(GaussianNB(), X, y, splitter=0.3)
    scorer = make_ranking_scorer(metric, groups="user")

    def within_users(estimator, X, y):
        return scorer(estimator, X, y)

    expected = scorer(report.estimator_, report.X_test, report.y_test)
    assert added(report, within_users) == expected
    with pytest.raises(ValueError, match="make_ranking_scorer"):
        added(report, scorer, "lists")


@pytest.mark.filterwarnings("ignore")
def test_reports_replace_labels_and_scores(data):
    models = {"logistic": LogisticRegression(), "svm": LinearSVC()}
    reports = {
        name: skore.evaluate(m, *data, splitter=0.3) for name, m in models.items()
    }
    report = reports["logistic"]
    scores = {
        "logistic": report.estimator_.predict_proba(report.X_test)[:, 1],
        "svm": reports["svm"].estimator_.decision_function(report.X_test),
    }
    expected = compare("roc_auc", report.y_test, scores)
    for given in (reports, skore.compare(reports)):
        found = compare("roc_auc", given)
        assert found.names == ("logistic", "svm")
        assert found[0].pvalue == pytest.approx(expected[0].pvalue)
    alone = estimate("average_precision", report.y_test, scores["svm"])
    found = estimate("average_precision", reports["svm"])
    assert found.to_dict() == pytest.approx(alone.to_dict())
    other = skore.evaluate(LogisticRegression(), *data, splitter=0.3, pos_label=0)
    assert estimate("average_precision", other).n_pos == alone.n_neg


@pytest.mark.filterwarnings("ignore")
def test_cross_validation_reports_are_rankings_of_folds(data):
    report = skore.evaluate(LogisticRegression(), *data, splitter=4)
    folds = cross_val_rankings(LogisticRegression(), *data, cv=report.split_indices)
    found, expected = (estimate("roc_auc", given) for given in (report, folds))
    assert found.to_dict() == pytest.approx(expected.to_dict())


def test_reports_of_three_classes_are_refused():
    X, y = make_classification(90, n_classes=3, n_informative=4, random_state=0)
    report = skore.evaluate(GaussianNB(), X, y, splitter=0.3)
    with pytest.raises(ValueError, match=r"GaussianNB.*two classes.*3"):
        estimate("roc_auc", report)
