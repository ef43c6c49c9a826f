"""Two published tables: at a correlation, and at all that there can be."""

from functools import partial

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from inference_cases import JUMPS, SMOOTH, each
from skrate import (
    RankTable,
    average_precision_score,
    compare,
    estimate,
    recall_at_rate_score,
)
from skrate.inference.options import Plan
from skrate.inference.published_tables import Results

# Digital mammography in the DMIST trial, and what Su, Yuan and Zhu (2013, table 5) give
# of both kinds: AP and its asymptotic standard error.
DIGITAL = RankTable([10, 18, 25, 85, 49, 25, 122], [1, 11, 44, 976, 2175, 6563, 32466])
PUBLISHED = {"film": (0.166, 0.0219), "digital": (0.144, 0.0197)}
# Degrees of freedom: of the 334 cancers, to which next to all of the variance is due.
OF_CANCERS = (333.0, 333.0)

A, B = RankTable([30, 20, 10], [5, 25, 50]), RankTable([20, 20, 20], [5, 25, 50])
BETTER = RankTable([55, 4, 1], [5, 25, 50])
PERFECT = RankTable([20, 0], [0, 30])


def cases_of(table):
    """Return labels and scores that make the table."""
    scores = np.arange(table.n_groups)[::-1]
    groups = [np.repeat(scores, part.astype(int)) for part in (table.pos, table.neg)]
    return np.repeat([1, 0], [len(part) for part in groups]), np.concatenate(groups)


def tables():
    """Draw tables with both classes, three groups and some variation."""
    counts = st.lists(st.integers(1, 12), min_size=3, max_size=3)
    return st.builds(RankTable, counts, counts)


def test_the_standard_errors_of_section_5_2():
    results = Results((0.166, 0.144), (0.02, 0.02), OF_CANCERS)
    found = results.standard_error(np.array([0.5, 0.7, 0.9]))
    assert np.round(found, 3).tolist() == [0.020, 0.015, 0.009]


@pytest.mark.parametrize("digital", ["published", "by its table"])
def test_film_and_digital_differ_above_a_correlation_of_0_86(digital):
    film, other = PUBLISHED.values()
    if digital == "by its table":
        found = estimate(average_precision_score, DIGITAL)
        other = found.value, found.standard_error
    results = Results(*zip(film, other, strict=True), OF_CANCERS)
    least = results.min_significant_correlation(
        Plan("delta", 0.95, "wald", 1, None, None, None)
    )
    assert round(least, 2) == 0.86
    # The formula by hand, with the normal distribution, as the paper has it.
    (a, s_a), (b, s_b) = film, other
    by_hand = (s_a**2 + s_b**2 - ((a - b) / 1.96) ** 2) / (2 * s_a * s_b)
    assert least == pytest.approx(by_hand, abs=0.002)


# A number of cases to process is for cases, not for tables.
SHARES = [case for case in SMOOTH + JUMPS if "k" not in case[1]]


@each(SHARES)
@pytest.mark.parametrize("stratify", [False, True])
def test_without_correlation_tables_are_unpaired_samples(metric, kwargs, stratify):
    options = {"stratify": stratify, **kwargs}
    (y_true, a), (y_true_b, b) = cases_of(A), cases_of(BETTER)
    expected = compare(metric, y_true, a, b, y_true_b=y_true_b, **options)
    found = compare(metric, A, BETTER, correlation=0, **options)
    for name in ("value", "value_a", "value_b", "standard_error", "statistic"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    ends = expected.confidence_interval
    assert found.confidence_interval == pytest.approx(ends, rel=1e-9)


@each(SMOOTH)
def test_at_the_correlation_of_the_cases_the_standard_error_is_the_paired_one(
    metric, kwargs
):
    generator = np.random.default_rng(0)
    y_true = np.repeat([1, 0], [40, 90])
    shared = generator.normal(size=130) + y_true
    models = np.round(shared[:, None] + generator.normal(size=(130, 2)), 1)
    matrix = compare(metric, y_true, models, **kwargs).covariance
    correlation = matrix[0, 1] / np.sqrt(matrix[0, 0] * matrix[1, 1])
    both = [RankTable.from_arrays(y_true, model) for model in models.T]
    expected = compare(metric, y_true, *models.T, **kwargs)
    found = compare(metric, *both, correlation=correlation, **kwargs)
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-9)


def test_the_interval_at_all_correlations_is_that_of_the_sum_of_errors():
    result = compare("roc_auc", A, B)
    at_least = compare("roc_auc", A, B, correlation=-1)
    assert result.confidence_interval == at_least.confidence_interval
    errors = [estimate("roc_auc", table).standard_error for table in (A, B)]
    assert at_least.standard_error == pytest.approx(sum(errors))
    unpaired = compare("roc_auc", A, B, correlation=0)
    assert result.pvalue == unpaired.pvalue
    assert result.standard_error == unpaired.standard_error


@pytest.mark.parametrize(
    ("correlation", "expected"),
    # Two standard errors that are equal, each known with 9 degrees of freedom: Welch's
    # number without correlation, that of a paired test where it is whole.
    [(0.0, 18), (-1.0, 9), (0.5, 18 / 1.25)],
)
def test_degrees_of_freedom_by_hand(correlation, expected):
    results = Results((0.8, 0.7), (0.1, 0.1), (9.0, 9.0))
    assert results.freedom(np.array(correlation)) == pytest.approx(expected)


def test_a_perfect_table_has_a_standard_error_too():
    result = compare("roc_auc", PERFECT, A)
    low = estimate("roc_auc", PERFECT).confidence_interval.low
    stand_in = (1 - low) / special.ndtri(0.975)
    expected = np.hypot(stand_in, estimate("roc_auc", A).standard_error)
    assert result.standard_error == pytest.approx(expected)
    same = compare("roc_auc", PERFECT, PERFECT)
    assert same.pvalue == 1
    assert same.confidence_interval.low < 0 < same.confidence_interval.high


def test_a_correlation_that_leaves_no_variation_has_no_p_value():
    turned = RankTable(A.pos[::-1], A.neg[::-1])
    with pytest.warns(UndefinedMetricWarning, match="p-value"):
        result = compare("roc_auc", A, turned, correlation=1)
    assert np.isnan(result.pvalue)
    assert result.min_significant_correlation == -1


def test_too_few_cases_are_undefined():
    with pytest.warns(UndefinedMetricWarning, match=r"y_true.*1 positive"):
        result = compare("roc_auc", RankTable([1, 0], [2, 3]), A)
    assert np.isnan([result.value, result.pvalue, *result.confidence_interval]).all()
    assert np.isnan(result.min_significant_correlation)


def test_the_result_reads_well():
    unknown, known = compare("roc_auc", A, B), compare("roc_auc", A, B, correlation=0.5)
    assert "(two-sided, delta, correlation 0.5), significant" in repr(known)
    assert "at any" not in repr(known)
    flat = known.to_dict()
    assert flat["correlation"] == 0.5
    assert flat["min_significant_correlation"] == known.min_significant_correlation
    assert "correlation" not in unknown.to_dict()
    y_true, scores = cases_of(A)
    of_cases = compare("roc_auc", y_true, scores, -scores)
    assert of_cases.min_significant_correlation is None
    assert "correlation" not in repr(of_cases)
    assert not [name for name in of_cases.to_dict() if "correlation" in name]


RECALL = partial(recall_at_rate_score, rate=0.5)


@pytest.mark.parametrize(
    ("metric", "arguments", "kwargs", "message"),
    [
        ("roc_auc", (A, None), {}, r"y_score_a.*RankTable.*y_true"),
        ("roc_auc", ([1, 0], B), {}, r"y_true.*RankTable.*y_score_a"),
        ("roc_auc", (A, B, [1, 0]), {}, r"y_score_b.*None.*y_true"),
        ("roc_auc", (A, B), {"y_true_b": A}, r"y_true_b.*None"),
        ("roc_auc", (A, B), {"clusters": [1, 0]}, r"clusters.*None"),
        ("roc_auc", (A, B), {"sample_weight": [1, 0]}, r"sample_weight.*None"),
        ("roc_auc", (A, B), {"pos_label": 1}, r"pos_label.*None"),
        ("roc_auc", (A, B), {"weights": "some"}, "weights"),
        ("roc_auc", (A, B), {"method": "bootstrap"}, r"method.*'delta'"),
        ("roc_auc", (A, B), {"method": "permutation"}, r"method.*'delta'"),
        ("roc_auc", (A, B), {"interval": "percentile"}, "interval="),
        ("roc_auc", (A, B), {"correlation": 1.01}, r"-1.*1.*1\.01"),
        ("roc_auc", (A, B), {"correlation": "high"}, "correlation"),
        ("roc_auc", (A, B), {"correlation": float("nan")}, "correlation"),
        (("roc_auc", RECALL), (A, B), {}, "metric"),
        ("roc_auc", (RankTable([1.5, 2], [1, 2]), B), {}, r"RankTable.*1\.5"),
        (
            "roc_auc",
            ([1, 0, 1, 0], [4, 3, 2, 1], [1, 2, 3, 4]),
            {"correlation": 0.5},
            "correlation",
        ),
    ],
)
def test_bad_input_is_named(metric, arguments, kwargs, message):
    with pytest.raises(ValueError, match=message):
        compare(metric, *arguments, **kwargs)
