"""What takes labels that are estimates, and what everything else says."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)

import skrate
from looped import case, looped
from optional import require
from skrate import (
    AveragePrecisionScorer,
    HitCurveDisplay,
    RateWeightedAUCScorer,
    displays,
    estimate,
    hit_curve,
    labels,
)

require("matplotlib.pyplot")
pd = require("pandas")

N = 200
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.35
A = RNG.normal(size=N) + Y
B = 0.7 * A + RNG.normal(size=N)
X = np.column_stack([A, B])
GROUPS = np.repeat(np.arange(4), 50)
MODEL = LogisticRegression().fit(X, Y)
PARTS = [(np.flatnonzero(g != GROUPS), np.flatnonzero(g == GROUPS)) for g in range(4)]
SCORE = MODEL.decision_function(X)
FOLDS = cross_validate(MODEL, X, Y, return_estimator=True, return_indices=True)


def found_by_sources():
    """Return labels of the same cases by each source."""
    rng = np.random.default_rng(1)
    share = rng.uniform(0.3, 0.8, N)
    lost, time = rng.exponential(8, N), np.where(Y, 5 * rng.random(N), 6.0)
    seen = rng.random(N) < np.where(Y, 0.85, 0.1)
    return {
        "sampled": labels.sampled(np.where(rng.random(N) < share, Y, np.nan), share),
        "censored": labels.censored(np.minimum(time, lost), time <= lost, 5),
        "noisy": labels.noisy(seen, 0.85, 0.9, validation=(200, 200)),
        "predicted": labels.predicted(1 / (1 + np.exp(1 - A))),
    }


SOURCES = found_by_sources()
KNOWN = {
    "sampled": labels.sampled(Y, 1.0),
    "censored": labels.censored(np.where(Y, 3.0, 9.0), Y, 5),
    "noisy": labels.noisy(Y, 1, 1),
    "predicted": labels.predicted(Y.astype(float)),
}


def quiet(call, found):
    """Return what a call returns, without warnings of few cases."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(found)


def drawn_points(display):
    """Return all points of the lines that a display drew."""
    return [line.get_xydata().tolist() for line in display.ax_.lines]


# Each needs labels that are known: by a metric of lists, by a model that is fitted,
# by folds, by the order of a review, or as there is no class behind the number.
REFUSE = {
    "ndcg": lambda y: skrate.ndcg_score(y, A, groups=GROUPS),
    "lists": lambda y: skrate.precision_at_rate_score(y, A, k=5, groups=GROUPS),
    "group_scores": lambda y: skrate.group_scores("ndcg", y, A, groups=GROUPS),
    "table": lambda y: skrate.RankTable.from_arrays(y, A),
    "FoldRankings": lambda y: skrate.FoldRankings(y, A, fold=GROUPS),
    "consensus": lambda y: skrate.rate_averaged_roc_curve([y, y], [A, B]).tpr.tolist(),
    "sample_size": lambda y: skrate.sample_size("roc_auc", y, A, half_width=0.02),
    "subgroups": lambda y: skrate.subgroup_scores(
        "recall_at_rate", y, A, by=GROUPS, rate=0.3
    ),
    "gain curve": lambda y: [each.tolist() for each in hit_curve(y, A, cost=GROUPS)],
    "again": lambda y: labels.noisy(y, 0.9, 0.9).pos.tolist(),
    "weights": lambda y: skrate.recall_at_rate_score(Y, A, rate=0.4, sample_weight=y),
    "scores": lambda y: skrate.recall_at_rate_score(Y, y, rate=0.4),
    "cross_val_rankings": lambda y: repr(skrate.cross_val_rankings(MODEL, X, y)),
    "threshold": lambda y: repr(
        skrate.ConstrainedThresholdClassifier(MODEL, recall=0.8).fit(X, y)
    ),
    "RankBoost": lambda y: (
        skrate.RankBoostClassifier(n_estimators=2)
        .fit(X, y)
        .decision_function(X)
        .tolist()
    ),
    "from_cv_results": lambda y: drawn_points(
        HitCurveDisplay.from_cv_results(FOLDS, X, y)
    ),
    "RateAveragedROC": lambda y: drawn_points(
        skrate.RateAveragedROC.from_estimator(MODEL, X, y)
    ),
    "AUCErrorRateDisplay": lambda y: drawn_points(
        displays.AUCErrorRateDisplay.from_estimator(MODEL, X, y)
    ),
    "numpy": lambda y: np.asarray(y).tolist(),
    "floats": lambda y: np.asarray(y, dtype=float).tolist(),
    "concatenate": lambda y: np.concatenate([y, y]).tolist(),
    "pandas": lambda y: pd.Series(y).tolist(),
    "column": lambda y: pd.DataFrame({"y": y}).y.tolist(),
    "list": lambda y: [bool(each) for each in y],
    "fit": lambda y: LogisticRegression().fit(X, y).coef_.tolist(),
    "accuracy": lambda y: MODEL.score(X, y),
    "roc_auc_score": lambda y: roc_auc_score(y, A),
    "stratified folds": lambda y: [
        test.tolist() for _, test in StratifiedKFold(2).split(X, y)
    ],
    "cross_val_predict": lambda y: cross_val_predict(MODEL, X, y).tolist(),
    "cross_val_score": lambda y: cross_val_score(
        MODEL, X, y, scoring=RateWeightedAUCScorer()
    ).tolist(),
    "without strata": lambda y: cross_val_score(
        MODEL, X, y, scoring=RateWeightedAUCScorer(), cv=PARTS
    ).tolist(),
    "search": lambda y: (
        GridSearchCV(MODEL, {"C": [0.1, 1]}, scoring=RateWeightedAUCScorer())
        .fit(X, y)
        .best_score_
    ),
}


@looped("name", REFUSE)
def test_what_needs_known_labels_says_so(name):
    for source, found in SOURCES.items():
        with case(source), pytest.raises(ValueError, match="known labels"):
            quiet(REFUSE[name], found)


@looped("name", REFUSE)
def test_known_labels_are_as_good_as_an_array(name):
    expected = repr(quiet(REFUSE[name], Y))
    assert repr(quiet(REFUSE[name], KNOWN["censored"])) == expected


@looped("source", SOURCES)
def test_the_hit_curve_is_precision_times_rate(source):
    found = SOURCES[source]
    for score in (A, np.round(A)):
        rate, hits = hit_curve(found, score)
        assert rate[0] == hits[0] == 0
        for at, value in list(zip(rate, hits, strict=True))[1::7]:
            precision = quiet(
                lambda y, at=at, score=score: skrate.precision_at_rate_score(
                    y, score, rate=at
                ),
                found,
            )
            assert value == pytest.approx(precision * at, rel=1e-9, abs=1e-12)
        display = HitCurveDisplay.from_predictions(found, score, metric="recall")
        recall = np.interp(0.3, *display.line_.get_data())
        by_score = skrate.recall_at_rate_score(found, score, rate=0.3)
        assert recall == pytest.approx(by_score, rel=1e-9)
        value = skrate.average_precision_score(found, score)
        assert f"AP = {value:.2f}" in display.line_.get_label()
    with pytest.raises(ValueError, match="plot_momentum=True"):
        HitCurveDisplay.from_predictions(found, A, plot_momentum=True)


@looped("source", SOURCES)
def test_scorers_give_the_numbers_of_estimates(source):
    found = SOURCES[source]
    auc = quiet(lambda y: estimate("roc_auc", y, SCORE), found)
    ap = quiet(lambda y: estimate("average_precision", y, SCORE), found)
    assert RateWeightedAUCScorer()(MODEL, X, found) == auc.value
    assert AveragePrecisionScorer()(MODEL, X, found) == ap.value
    plain = make_scorer(
        skrate.rate_weighted_auc_score, response_method="decision_function"
    )
    assert plain(MODEL, X, found) == auc.value
    by_name = RateWeightedAUCScorer(pos_label=True)
    assert quiet(lambda y: by_name(MODEL, X, y), found) == auc.value
