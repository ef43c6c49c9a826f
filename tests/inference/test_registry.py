"""Which metrics inference takes, those of scikit-learn among them, and which not."""

from functools import partial

import numpy as np
import pytest
from sklearn import metrics

from inference_cases import sample
from skrate import average_precision_score, compare, estimate

Y, A = sample(0, n=80)
B = np.round(A + np.random.default_rng(1).normal(size=80), 1)
SAME = [
    (metrics.roc_auc_score, "roc_auc"),
    (metrics.average_precision_score, average_precision_score),
    (partial(metrics.roc_auc_score, average="macro", max_fpr=None), "roc_auc"),
    (partial(metrics.roc_auc_score, multi_class="raise", labels=None), "roc_auc"),
    (
        partial(metrics.average_precision_score, average="macro", pos_label=1),
        average_precision_score,
    ),
    (
        partial(metrics.average_precision_score, sample_weight=None),
        average_precision_score,
    ),
]
each_same = pytest.mark.parametrize(("theirs", "ours"), SAME)


@each_same
def test_scikit_learns_functions_are_the_same_metrics(theirs, ours):
    found = estimate(theirs, Y, A)
    assert found == estimate(ours, Y, A)
    assert found.value == pytest.approx(theirs(Y, A), abs=1e-14)
    assert compare(theirs, Y, A, B) == compare(ours, Y, A, B)
    assert compare((theirs, "roc_auc"), Y, A) == compare((ours, "roc_auc"), Y, A)
    models = {"a": A, "b": B}
    found, expected = compare(theirs, Y, models), compare(ours, Y, models)
    assert found == expected
    assert found.covariance.tolist() == expected.covariance.tolist()
    assert (
        estimate(theirs, Y, A).influence.tolist()
        == estimate(ours, Y, A).influence.tolist()
    )


@pytest.mark.parametrize(
    ("metric", "kwargs", "message"),
    [
        (metrics.roc_auc_score, {"max_fpr": 0.1}, r"0\.1"),
        (metrics.roc_auc_score, {"multi_class": "ovr"}, "'raise'"),
        (metrics.roc_auc_score, {"average": "micro"}, "average='macro'"),
        (metrics.roc_auc_score, {"average": None}, "average='macro'"),
        (metrics.roc_auc_score, {"labels": [0, 1]}, "labels=None"),
        (metrics.roc_auc_score, {"rate": 0.1}, "'rate'"),
        (partial(metrics.average_precision_score, pos_label=0), {}, "pos_label"),
        (partial(metrics.roc_auc_score, sample_weight=[1.0] * 80), {}, "sample_weight"),
        (
            metrics.average_precision_score,
            {"prevalence": 0.1},
            r"average_precision_score.*'prevalence'",
        ),
    ],
)
def test_options_that_change_the_number_are_refused(metric, kwargs, message):
    for call in (
        partial(estimate, metric, Y, A),
        partial(compare, metric, Y, A, B),
        partial(compare, metric, Y, {"a": A, "b": B}),
    ):
        with pytest.raises(ValueError, match=message):
            call(**kwargs)
