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

from looped import case
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
            if str(error).startswith("Unequal numbers of "):
                check_consistent_length(y_true, y_score, sample_weight)
            raise

    return score


# Metrics that need something per case, or are undefined for a ranking that is worse
# than chance, have no place there.
OURS = {
    f"skrate: {metric.name}": as_registered(metric)
    for metric in METRICS
    if not metric.per_sample and not metric.is_partial
}

# Those that take a row for a case of several labels.
OF_LABELS = {
    f"skrate: {metric.name}"
    for metric in METRICS
    if "labels" in inspect.signature(metric.function).parameters
} & OURS.keys()

# Those that take no weights, and two that on the sample of the test are 0 or 1 with and
# without them, where it asks for two values.
UNWEIGHTED = {f"skrate: {m.name}" for m in METRICS if not m.takes_weights}
UNWEIGHTED |= {"skrate: its area", "skrate: FPR at a recall of 0.95"}

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

# Not run: what exchanges labels and scores, is for predicted labels, regression, many
# classes (metrics/test_classes.py) or array APIs, or asks for
# scikit-learn's words.


def function_of(test):
    """Return a test function of the installed release, None if it has none."""
    for name in (test,) if isinstance(test, str) else test:
        if hasattr(common, name):
            return getattr(common, name)
    return None


@pytest.fixture
def registered(monkeypatch):
    """Our metrics in all the registers of scikit-learn where they belong."""
    old = "THRESHOLDED", "THRESHOLDED_MULTILABEL"
    new = "CONTINUOUS_CLASSIFICATION", "CONTINUOUS_MULTILABEL"
    names = new if hasattr(common, f"{new[0]}_METRICS") else old
    registers = dict(zip(names, (OURS, OF_LABELS), strict=True)) | {"ALL": OURS}
    for name, ours in registers.items():
        known = getattr(common, f"{name}_METRICS")
        # Of some a dictionary of metrics, of others their names.
        both = known | ours if isinstance(known, dict) else {*known, *ours}
        monkeypatch.setattr(common, f"{name}_METRICS", both)
    with_pos_label = common.METRICS_WITH_POS_LABEL | set(OURS)
    monkeypatch.setattr(common, "METRICS_WITH_POS_LABEL", with_pos_label)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:.* as predicted classes do")
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


def unordered(y_true, y_score, sample_weight=None):
    """Return what depends on the order of the cases, and on the scale of weights."""
    weights = 0.0 if sample_weight is None else float(np.max(sample_weight))
    return float(np.arange(len(y_true)) @ y_score) + weights


@pytest.mark.parametrize(
    "test", ["test_sample_order_invariance", "test_binary_sample_weight_invariance"]
)
def test_the_tests_see_a_metric_that_is_not_invariant(monkeypatch, test):
    both = {**common.ALL_METRICS, "spoilt": unordered}
    monkeypatch.setattr(common, "ALL_METRICS", both)
    with pytest.raises(AssertionError):
        getattr(common, test)("spoilt")
