"""scikit-learn's own invariance tests of metrics, run over ours.

Checked on scikit-learn 1.6.0 and 1.9.1. Its test module reads the metrics from
dictionaries and lists when it is imported; ours take the place of what is there, and
its test functions are called with the names of ours.
"""

import importlib
import inspect
from functools import wraps

import numpy as np
import pytest
from sklearn.utils import check_consistent_length

from looped import case, looped
from metric_registry import METRICS
from optional import skip_or_fail

try:
    common = importlib.import_module("sklearn.metrics.tests.test_common")
except ImportError:
    skip_or_fail("needs the tests of scikit-learn, which are not installed")


def as_registered(metric):
    """Return a metric as scikit-learn's tests call it.

    They ask for scikit-learn's words where lengths are unequal; ours name the argument.
    """

    @wraps(metric.function)
    def score(y_true, y_score, sample_weight=None, **kwargs):
        if sample_weight is not None:
            kwargs["sample_weight"] = sample_weight
        try:
            return metric.function(y_true, y_score, **metric.kwargs, **kwargs)
        except ValueError as error:
            if str(error).startswith("Unequal numbers of cases"):
                check_consistent_length(y_true, y_score, sample_weight)
            raise

    return score


# Metrics that need something per case, or are undefined for a ranking that is worse
# than chance, have no place there.
OURS = {
    f"skrate: {metric.name}": as_registered(metric)
    for metric in METRICS
    if not metric.per_case and not metric.is_partial
}

# Those that take a row for a case of several labels.
OF_LABELS = {
    f"skrate: {metric.name}"
    for metric in METRICS
    if "labels" in inspect.signature(metric.function).parameters
} & OURS.keys()

# Those that take no weights, and one that on the sample of the test is 0 with and
# without them, where it asks for two values.
UNWEIGHTED = {f"skrate: {m.name}" for m in METRICS if not m.takes_weights}
UNWEIGHTED |= {"skrate: its area"}

# Test of scikit-learn: with 1.6.0's name where it differs.
INVARIANCES = [
    "test_sample_order_invariance",
    # Lists, arrays, columns and mixtures of them.
    "test_format_invariance_with_1d_vectors",
    ("test_continuous_classification_invariance_string_vs_numbers_labels",
     "test_thresholded_invariance_string_vs_numbers_labels"),
    # Zero weight is removal, an integer weight is repetition, the scale is free.
    "test_binary_sample_weight_invariance",
    "test_single_sample",
    # The result is a float (from 1.7 on).
    "test_returned_value_consistency",
]  # fmt: skip

# Not run:
# - test_symmetric_metric, test_not_symmetric_metric: exchange y_true and y_pred, which
#   are labels and scores here and cannot be exchanged.
# - test_classification_*, *_normalize_option_*, *_averaging_*: for predicted labels.
# - test_regression_*, *_multioutput_*, *_multilabel_*, test_multiclass_*: most of ours
#   take binary targets only; metrics/test_classes.py checks those that take more.
# - test_array_api_*, test_mixed_array_api_*: the array API is not supported.
# - test_metrics_consistent_type_error, test_metrics_pos_label_error_str: their
#   messages are scikit-learn's; ours are in test_common_metrics.py.
# - test_metrics_dataframe_series: in test_common_metrics.py, with labels too.


def function_of(test):
    """Return a test function of the installed release, None if it has none."""
    for name in (test,) if isinstance(test, str) else test:
        if hasattr(common, name):
            return getattr(common, name)
    return None


@pytest.fixture
def registered(monkeypatch):
    """Our metrics in all the registers of scikit-learn where they belong."""
    continuous = (
        "CONTINUOUS_CLASSIFICATION_METRICS"
        if hasattr(common, "CONTINUOUS_CLASSIFICATION_METRICS")
        else "THRESHOLDED_METRICS"
    )
    for register in ("ALL_METRICS", continuous):
        both = {**getattr(common, register), **OURS}
        monkeypatch.setattr(common, register, both)
    of_labels = (
        "CONTINUOUS_MULTILABEL_METRICS"
        if hasattr(common, "CONTINUOUS_MULTILABEL_METRICS")
        else "THRESHOLDED_MULTILABEL_METRICS"
    )
    monkeypatch.setattr(common, of_labels, getattr(common, of_labels) | OF_LABELS)
    with_pos_label = common.METRICS_WITH_POS_LABEL | set(OURS)
    monkeypatch.setattr(common, "METRICS_WITH_POS_LABEL", with_pos_label)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("test", INVARIANCES, ids=str)
@pytest.mark.usefixtures("registered")
def test_invariance_of_scikit_learn(test):
    function = function_of(test)
    if function is None:
        pytest.skip("this release of scikit-learn has no such test")
    assert list(inspect.signature(function).parameters) == ["name"]
    of_weights = test == "test_binary_sample_weight_invariance"
    for name in OURS.keys() - (UNWEIGHTED if of_weights else set()):
        with case(name):
            function(name)


@looped("name", OURS)
def test_scikit_learn_s_bad_scores_are_refused(name):
    for y_true, y_score in common.invalids_nan_inf:
        if np.ndim(y_true) == 1 and np.isfinite(y_true).all():
            with pytest.raises(ValueError, match=r"y_score contains|must be numeric"):
                OURS[name](y_true, y_score)


@looped(
    "test, spoilt",
    [
        (
            "test_sample_order_invariance",
            lambda y_true, y_score: float(np.arange(len(y_true)) @ y_score),
        ),
        (
            "test_binary_sample_weight_invariance",
            lambda y_true, y_score, sample_weight=None: (
                float(np.mean(y_score))
                + (0.0 if sample_weight is None else float(np.max(sample_weight)))
            ),
        ),
    ],
)
def test_the_tests_see_a_metric_that_is_not_invariant(monkeypatch, test, spoilt):
    monkeypatch.setattr(common, "ALL_METRICS", {**common.ALL_METRICS, "spoilt": spoilt})
    with pytest.raises(AssertionError):
        getattr(common, test)("spoilt")
