"""Two published tables of different samples."""

from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from inference_cases import JUMPS, SMOOTH, each
from skrate import RankTable, compare, recall_at_rate_score

A, B = RankTable([30, 20, 10], [5, 25, 50]), RankTable([20, 20, 20], [5, 25, 50])
BETTER = RankTable([55, 4, 1], [5, 25, 50])


def samples_of(table):
    """Return labels and scores that make the table."""
    scores = np.arange(table.n_groups)[::-1]
    groups = [np.repeat(scores, part.astype(int)) for part in (table.pos, table.neg)]
    return np.repeat([1, 0], [len(part) for part in groups]), np.concatenate(groups)


# A number of cases to process is for cases, not for tables.
SHARES = [case for case in SMOOTH + JUMPS if "k" not in case[1]]


@each(SHARES)
@pytest.mark.parametrize("stratify", [False, True])
def test_tables_are_unpaired_samples(metric, kwargs, stratify):
    options = {"stratify": stratify, **kwargs}
    (y_true, a), (y_true_b, b) = samples_of(A), samples_of(BETTER)
    expected = compare(metric, y_true, a, b, y_true_b=y_true_b, **options)
    found = compare(metric, A, y_true_b=BETTER, **options)
    for name in ("value", "value_a", "value_b", "standard_error", "statistic"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    ends = expected.confidence_interval
    assert found.confidence_interval == pytest.approx(ends, rel=1e-9)
    mixed = compare(metric, A, None, b, y_true_b=y_true_b, **options)
    assert mixed.standard_error == pytest.approx(expected.standard_error, rel=1e-9)


def test_too_few_cases_are_undefined():
    with pytest.warns(UndefinedMetricWarning, match=r"y_true.*1 positive"):
        result = compare("roc_auc", RankTable([1, 0], [2, 3]), y_true_b=A)
    assert np.isnan([result.pvalue, *result.confidence_interval]).all()


RECALL = partial(recall_at_rate_score, rate=0.5)


@pytest.mark.parametrize(
    ("metric", "arguments", "kwargs", "message"),
    [
        ("roc_auc", (A, B), {}, r"y_true.*RankTable.*scores of both models"),
        ("roc_auc", (A, None), {}, r"y_true.*RankTable.*scores of both models"),
        ("roc_auc", ([1, 0], B), {}, r"y_score_a.*RankTable.*scores of both models"),
        ("roc_auc", (A, [1, 0]), {"y_true_b": B}, r"y_score.*None"),
        ("roc_auc", (A, None, [1, 0]), {"y_true_b": B}, r"y_score.*None"),
        ("roc_auc", (A,), {"y_true_b": B, "clusters": [1, 0]}, "clusters"),
        ("roc_auc", (A,), {"y_true_b": B, "sample_weight": [1]}, "sample_weight"),
        ("roc_auc", (A,), {"y_true_b": B, "pos_label": 1}, r"pos_label.*None"),
        ("roc_auc", (A,), {"y_true_b": B, "method": "permutation"}, "permutation"),
        (("roc_auc", RECALL), (A, B), {}, r"RankTable.*scores of both models"),
        (("roc_auc", RECALL), (A,), {"y_true_b": B}, "metric"),
        ("roc_auc", (RankTable([1.5, 2], [1, 2]),), {"y_true_b": B}, r"Table.*1\.5"),
    ],
)
def test_bad_input_is_named(metric, arguments, kwargs, message):
    with pytest.raises(ValueError, match=message):
        compare(metric, *arguments, **kwargs)


def test_errors_of_the_second_sample_name_its_arguments():
    y_true, y_score = [0, 1, 0, 1], [1.0, 2, 3, 4]
    for options, names in (
        ({"y_score_b": [1.0, 2, 3], "y_true_b": y_true}, "y_true_b has 4, y_score_b"),
        ({"y_score_b": [np.nan, 2, 3, 4], "y_true_b": y_true}, "y_score_b contains"),
        ({"y_score_b": y_score, "y_true_b": [1, 2, 1, 2]}, "ambiguous for y_true_b"),
    ):
        with pytest.raises(ValueError, match=names):
            compare("roc_auc", y_true, y_score, **options)
