"""Estimated labels that are certain: every number is that of plain labels."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from looped import looped
from skrate import (
    RateWeightedAUCScorer,
    average_precision_score,
    budget_report,
    compare,
    compare_curves,
    curve_band,
    estimate,
    expected_gain_score,
    hit_curve,
    labels,
    rate_weighted_auc_score,
    select_best,
)

RNG = np.random.default_rng(0)
N = 60
Y = (RNG.random(N) < 0.4).astype(int)
A, B = RNG.normal(size=(2, N)).round(1) + Y
MODELS = {"a": A, "b": B}
THREE = {"clusters": np.repeat([0, 1, 2], N // 3)}
PAIRS = {"clusters": np.arange(N) // 2}
METRICS = [
    ("roc_auc", {}),
    ("average_precision", {}),
    ("recall_at_rate", {"rate": 0.3}),
    ("precision_at_rate", {"rate": 0.3}),
    ("rate_weighted_auc", {"rate": 0.3}),
    ("recall_at_fpr", {"fpr": 0.3}),
    ("rate_at_recall", {"recall": 0.7}),
    ("work_saved", {"recall": 0.7}),
    ("partial_auc", {"fpr": (0, 0.4)}),
    ("partial_auc", {"fpr": (0.13, 0.83), "tpr": (0.23, 1)}),
    ("expected_gain", {"rate": 0.3, "gain": {"positive": 2, "negative": -1}}),
]
SOURCES = {
    "all drawn": labels.sampled(Y, 1.0),
    "never wrong": labels.noisy(Y, 1.0, 1.0),
    "predicted": labels.predicted(Y.astype(float)),
}


def calls(y_true):
    """Return what each function says of labels."""
    found = {}
    for clusters in ({}, THREE, PAIRS):
        for metric, kwargs in METRICS:
            both = kwargs | clusters
            found[metric, *clusters] = [
                estimate(metric, y_true, A, **both),
                estimate(metric, y_true, MODELS, null_value=0.4, **both),
                compare(metric, y_true, A, B, **both),
                select_best(metric, y_true, MODELS, random_state=0, **both),
            ]
        found["curves", *clusters] = [
            compare_curves(y_true, A, B, rates=[0.1, 0.5], random_state=0, **clusters),
            curve_band(
                y_true, A, metric="recall", at=[0.1, 0.5], random_state=0, **clusters
            ),
            budget_report(y_true, MODELS, rate=0.3, **clusters),
        ]
    found["scores"] = [
        average_precision_score(y_true, A),
        rate_weighted_auc_score(y_true, A, rate=0.3),
        expected_gain_score(y_true, A, rate=0.3, gain={"positive": 2}),
        hit_curve(y_true, A),
        RateWeightedAUCScorer(rate=0.3)(Scores(), A[:, None], y_true),
    ]
    return found


class Scores(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose scores are its input."""

    classes_ = np.array([0, 1])

    def decision_function(self, X):
        return X[:, 0]


@pytest.mark.filterwarnings("ignore::UserWarning")
@looped("clusters", [{}, THREE, PAIRS])
@looped("metric, kwargs", METRICS)
def test_nearly_certain_labels_have_nearly_the_same_standard_error(
    metric, kwargs, clusters
):
    nearly = labels.noisy(Y, 1 - 1e-9, 1 - 1e-9)
    assert nearly.known is None
    for function, scores in ((estimate, [A]), (compare, [A, B])):
        expected = function(metric, Y, *scores, **kwargs, **clusters)
        found = function(metric, nearly, *scores, **kwargs, **clusters)
        assert found.value == pytest.approx(expected.value, rel=1e-6)
        error = expected.standard_error
        assert found.standard_error == pytest.approx(error, rel=1e-6)
