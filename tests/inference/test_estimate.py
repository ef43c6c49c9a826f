"""Estimates: standard errors against oracles and each other, intervals, bad input."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from inference_cases import AVERAGES, SMOOTH, SOME, each, evaluate, sample
from looped import case, looped
from reference.delong import auc as oracle_auc
from reference.delong import covariance as oracle_covariance
from reference.su_variance import average_precision_variance
from skrate import (
    FoldRankings,
    RankTable,
    average_precision_score,
    compare,
    estimate,
    rate_weighted_auc_score,
)
from skrate.metrics.momentum import stamina_score
from strategies import ranked_samples

DMIST = RankTable([10, 18, 25, 85, 49, 25, 122], [1, 11, 44, 976, 2175, 6563, 32466])


def enough(y_true):
    return min(sum(y_true), len(y_true) - sum(y_true)) >= 2


@given(ranked_samples(min_size=6))
def test_auc_by_the_delta_method_is_delongs(ranked):
    y_true, y_score, _ = ranked
    if not enough(y_true):
        return
    result = estimate("roc_auc", y_true, y_score)
    expected = float(oracle_covariance(y_true, y_score, y_score))
    assert result.value == pytest.approx(float(oracle_auc(y_true, y_score)), abs=1e-12)
    assert result.standard_error**2 == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("pos", "neg"),
    [([5, 3, 2], [1, 4, 20]), ([9, 1, 4, 1], [2, 2, 30, 60]), ([3, 30], [40, 7])],
)
def test_average_precision_variance_is_that_of_the_paper(pos, neg):
    found = estimate(average_precision_score, RankTable(pos, neg)).standard_error
    # The oracle's slopes are differences, good to about 1e-10.
    expected = average_precision_variance(pos, neg)
    assert found**2 == pytest.approx(expected, rel=1e-7)


def test_dmist_gives_table_5():
    found = estimate(average_precision_score, DMIST)
    assert round(found.value, 3) == 0.144
    assert round(found.standard_error, 4) == 0.0197
    assert round(estimate("roc_auc", DMIST).value, 3) == 0.753
    assert (found.n_pos, found.n_neg) == (334, 42236)


@each(AVERAGES)
@pytest.mark.parametrize("stratify", [True, False])
def test_methods_agree(metric, kwargs, stratify):
    y_true, y_score = sample(0, n=600)
    by_delta, by_bootstrap, by_jackknife = (
        estimate(
            metric, y_true, y_score, method=method, stratify=stratify, random_state=0,
            **kwargs,
        ).standard_error
        for method in ("delta", "bootstrap", "jackknife")
    )  # fmt: skip
    # 2,000 replicates have a standard error of 1.6 %; delta is of first order.
    assert by_bootstrap == pytest.approx(by_delta, rel=0.06)
    assert by_jackknife == pytest.approx(by_delta, rel=0.03)


@each(SMOOTH)
@pytest.mark.parametrize("method", ["delta", "bootstrap", "jackknife"])
def test_frequency_weights_are_repeated_rows(metric, kwargs, method):
    y_true, y_score = sample(5, n=80)
    weight = np.random.default_rng(0).integers(0, 4, 80)
    options = {"method": method, "random_state": 0, "n_resamples": 99, **kwargs}
    weighted = estimate(metric, y_true, y_score, sample_weight=weight, **options)
    repeated = estimate(
        metric, np.repeat(y_true, weight), np.repeat(y_score, weight), **options
    )
    assert weighted.standard_error == pytest.approx(repeated.standard_error, rel=1e-9)
    assert weighted.confidence_interval == pytest.approx(repeated.confidence_interval)
    assert weighted.n_pos == repeated.n_pos
    # Equal weights say how many cases there are.
    twice = estimate(metric, y_true, y_score, sample_weight=np.full(80, 2), **options)
    assert twice.n_pos == 2 * y_true.sum()


@each(SOME)
@pytest.mark.parametrize("arguments", ["weights", "clusters"])
def test_methods_agree_with_sampling_weights_and_with_clusters(
    metric, kwargs, arguments
):
    y_true, y_score = sample(7, n=900)
    generator = np.random.default_rng(0)
    if arguments == "weights":
        options = {"sample_weight": generator.exponential(size=900) + 0.2}
        options["weights"] = "sampling"
    else:
        options = {"clusters": generator.integers(0, 300, 900)}
    found = [
        estimate(
            metric, y_true, y_score, method=method, stratify=False, random_state=0,
            **options, **kwargs,
        ).standard_error
        for method in ("delta", "bootstrap", "jackknife")
    ]  # fmt: skip
    assert found[1] == pytest.approx(found[0], rel=0.06)
    assert found[2] == pytest.approx(found[0], rel=0.03)


@each(AVERAGES)
def test_a_few_clusters_vary_about_their_mean_with_one_less_of_freedom(metric, kwargs):
    y_true, y_score = sample(8, n=40)
    clusters = np.arange(40) % 5
    values = estimate(metric, y_true, y_score, **kwargs).influence / 40
    sums = np.bincount(clusters, values)
    # A sum of 5 independent terms with mean 0: 5 times their variance.
    expected = np.sqrt(5 * np.var(sums, ddof=1))
    found = estimate(
        metric, y_true, y_score, clusters=clusters, **kwargs
    ).standard_error
    assert found == pytest.approx(expected, rel=1e-9)
    models = {"one": y_score, "other": -y_score}
    matrix = compare(metric, y_true, models, clusters=clusters, **kwargs).covariance
    assert matrix[0, 0] == pytest.approx(expected**2, rel=1e-9)


def leave_out(metric, y_true, y_score, units, **kwargs):
    """Return the metric without each of the units."""
    return [
        evaluate(metric, y_true[units != unit], y_score[units != unit], **kwargs)
        for unit in np.unique(units)
    ]


def jackknifed(values):
    """Return (n - 1) / n times the sum of squares about the mean."""
    n = len(values)
    return (n - 1) / n * np.sum((np.array(values) - np.mean(values)) ** 2)


@each(AVERAGES)
@pytest.mark.parametrize("design", ["cases", "repeated", "clusters"])
def test_the_jackknife_leaves_out_one_by_one(metric, kwargs, design):
    y_true, y_score = sample(9, n=14)
    options, rows, units = {}, np.arange(14), np.arange(14)
    if design == "repeated":
        options["sample_weight"] = np.arange(14) % 3 + 1
        rows = np.repeat(rows, options["sample_weight"])
        units = np.arange(len(rows))
    if design == "clusters":
        units = options["clusters"] = np.arange(14) % 4
    left_out = leave_out(metric, y_true[rows], y_score[rows], units, **kwargs)
    found = estimate(
        metric, y_true, y_score, method="jackknife", **options, **kwargs
    ).standard_error
    assert found == pytest.approx(np.sqrt(jackknifed(left_out)), rel=1e-9)


def test_the_jackknife_of_fixed_class_sizes_leaves_out_by_class():
    y_true, y_score = sample(9, n=14)
    left_out = np.array(leave_out("roc_auc", y_true, y_score, np.arange(14)))
    expected = sum(jackknifed(left_out[y_true == label]) for label in (0, 1))
    found = estimate("roc_auc", y_true, y_score, method="jackknife", stratify=True)
    assert found.standard_error == pytest.approx(np.sqrt(expected), rel=1e-9)


@pytest.mark.parametrize("method", ["delta", "bootstrap", "jackknife"])
@pytest.mark.parametrize("y_true", [[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]])
def test_fewer_than_two_cases_in_a_class_have_a_value_alone(y_true, method):
    with pytest.warns(UndefinedMetricWarning, match="y_true"):
        result = estimate("roc_auc", y_true, [4, 3, 2, 1], method=method)
    # Where there are both classes, as of a score, and of one fold.
    np.testing.assert_equal(result.value, 1.0 if any(y_true) else np.nan)
    assert np.isnan(result.standard_error)
    assert np.isnan(result.confidence_interval).all()
    with pytest.warns(UndefinedMetricWarning, match="y_true"):
        assert np.isnan(estimate("roc_auc", y_true, [4, 3, 2, 1]).influence).all()


def test_a_metric_without_a_value_is_undefined():
    with pytest.warns(UndefinedMetricWarning, match=r"rAUC.*fixed\(1\)"):
        result = estimate(rate_weighted_auc_score, *sample(16), rate=1.0)
    assert np.isnan(result.value)


def test_replicates_of_one_class_are_left_out_with_a_warning():
    y_true = [1, 1, 0, 0, 0, 0]
    with pytest.warns(UndefinedMetricWarning, match=r"AUC.*2000"):
        result = estimate(
            "roc_auc", y_true, [6, 3, 4, 2, 5, 1], method="parametric", random_state=0
        )
    assert np.isfinite(result.standard_error)


Y, S = [1, 0, 1, 0], [4, 3, 2, 1]


@pytest.mark.parametrize(
    ("arguments", "kwargs", "message"),
    [
        ((Y, S[:3]), {}, r"y_true.*4.*y_score.*3"),
        ((Y,), {}, "y_score"),
        ((Y, S), {"method": "jacknife"}, "method"),
        ((Y, S), {"interval": "bca"}, "interval"),
        ((Y, S), {"interval": "percentile"}, "interval="),
        ((Y, S), {"confidence_level": 95}, "confidence_level"),
        ((Y, S), {"n_resamples": 0}, r"n_resamples.*1"),
        ((Y, S), {"clusters": [1, 2]}, r"y_true.*4.*2"),
        ((Y, S), {"clusters": [1, 1, 1, 1]}, "clusters"),
        (
            (Y, S),
            {"clusters": [1, 1, 2, 2], "stratify": True},
            r"stratify=True.*clusters",
        ),
        (
            (Y, S),
            {"method": "parametric", "stratify": True},
            r"stratify=True.*method='parametric'",
        ),
        ((Y, S), {"method": "parametric", "clusters": [1, 1, 2, 2]}, "clusters"),
        ((Y, S), {"sample_weight": [1, 2, 0.5, 1]}, r"0\.5"),
        ((Y, S), {"sample_weight": [1, 2]}, r"sample_weight.*2"),
        ((Y, S), {"weights": "cases"}, "weights"),
        ((Y, S), {"random_state": "a"}, "random_state"),
        ((["a", "b", "a", "b"], S), {}, "pos_label=None"),
        ((DMIST, S), {}, r"y_score.*None"),
        ((DMIST,), {"clusters": Y}, r"clusters.*None"),
        ((RankTable([1.5, 2], [1, 2]),), {}, "RankTable"),
    ],
)
def test_bad_input_is_named(arguments, kwargs, message):
    with pytest.raises(ValueError, match=r"metric.*y_true"):
        estimate(np.array(Y), S, "roc_auc")
    options = {"method": "bootstrap"} if "random_state" in kwargs else {}
    with pytest.raises(ValueError, match=message):
        estimate("roc_auc", *arguments, **{**options, **kwargs})


@pytest.mark.parametrize("n_resamples", [1, 2])
def test_without_two_defined_replicates_there_is_no_interval(n_resamples):
    y_true, y_score = [0, 1, 0, 0, 1], [1, 4, 4, 2, 2]
    arguments = {"method": "parametric", "interval": "percentile"}
    arguments["n_resamples"] = n_resamples
    n_without = 0
    for seed in range(30):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = estimate(
                stamina_score, y_true, y_score, random_state=seed, null_value=0.5,
                **arguments,
            )  # fmt: skip
        if caught:
            n_without += 1
            assert np.isnan(result.pvalue)
            assert {w.category for w in caught} == {UndefinedMetricWarning}
            assert np.isnan(result.confidence_interval).all()
            assert np.isnan(result.standard_error)
    assert n_without > 0


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("method", ["delta", "bootstrap", "jackknife"])
def test_a_class_of_next_to_no_weight_is_undefined(label, method):
    y_true, y_score = sample(17, n=40)
    weight = np.where(y_true == label, 1e-99, 1e99)
    options = {"sample_weight": weight, "weights": "sampling", "method": method}
    with pytest.warns(UndefinedMetricWarning, match="sample_weight"):
        found = estimate("average_precision", y_true, y_score, **options)
    assert np.isnan(found.standard_error)
    score = average_precision_score(y_true, y_score, sample_weight=weight)
    assert found.value == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize("exponent", [-90, -3, 4])
@each(
    [
        ("average_precision", {"prevalence": 0.2}),
        ("roc_auc", {}),
        ("partial_auc", {"fpr": (0.1, 0.5), "tpr": (0.2, 0.9)}),
        ("partial_auc", {"fpr": stats.beta(1, 8)}),
        ("partial_auc", {"tpr": stats.beta(8, 1)}),
        ("fpr_at_recall", {"recall": 0.8}),
        ("recall_at_fpr", {"fpr": 0.1}),
    ]
)
def test_the_weight_of_a_class_changes_nothing_where_only_its_scores_count(
    metric, kwargs, exponent
):
    generator = np.random.default_rng(5)
    y_true, a = sample(17, n=120)
    b = np.round(generator.normal(size=120) + y_true, 1)
    weight = generator.choice([1.0, 2.0, 3.5], size=120)

    def numbers(own):
        options = {"sample_weight": own, "weights": "sampling", **kwargs}
        groups = np.arange(120) % 30
        folds = FoldRankings(y_true, a, groups % 3, sample_weight=own)
        found = [
            compare(metric, y_true, a, b, **options),
            estimate(metric, folds, weights="sampling", null_value=0.5, **kwargs),
        ]
        options["null_value"] = 0.5
        found.append(estimate(metric, y_true, a, clusters=groups, **options))
        found += [
            estimate(metric, y_true, a, interval=interval, **options)
            for interval in ("wilson", "wald")
        ]
        return np.array(
            [
                [one.value, one.standard_error, *one.confidence_interval, one.pvalue]
                for one in found
            ]
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for label in (0, 1):
            factor = np.where(y_true == label, 10.0**exponent, 1.0)
            found, expected = numbers(weight * factor), numbers(weight)
            assert found == pytest.approx(expected, abs=1e-9)


@looped(
    "name, cuts, expected",
    # Positives at ranks 1, 2, 4 and 7 of ten samples.
    [
        ("k", [1, 4, 9], [1 / 4, 3 / 4, 1]),
        ("k", np.array([2]), [2 / 4]),
        ("rate", (0.2, 0.45), [2 / 4, 3 / 4]),
    ],
)
@pytest.mark.filterwarnings("ignore:The Recall at rate")
def test_several_cuts_have_a_row_each(name, cuts, expected):
    y_true, y_score = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0], range(10, 0, -1)
    options = {"null_value": 0.4, "alternative": "greater"}
    rows = estimate("recall_at_rate", y_true, y_score, **{name: cuts}, **options)
    assert rows.kind == name
    assert rows.names == tuple(map(str, cuts))
    assert [row.value for row in rows] == pytest.approx(expected, rel=1e-12)
    alone = [
        estimate("recall_at_rate", y_true, y_score, **{name: cut}, **options)
        for cut in cuts
    ]
    assert list(map(repr, rows)) == list(map(repr, alone))
    assert rows[cuts[0]].value == alone[0].value
    # Holm's method: the smallest p-value is multiplied by the number of rows.
    smallest = min(row.pvalue for row in alone)
    assert min(rows.adjusted_pvalues) == pytest.approx(min(len(cuts) * smallest, 1))
    assert rows.to_dict()[name] == list(cuts)


def test_what_several_cuts_exclude_is_named():
    y_true, y_score = [1, 1, 0, 0], [4, 2, 3, 1]
    models = {"a": y_score, "b": y_score}
    for call, message in (
        (lambda: estimate("recall_at_rate", y_true, y_score, k=[]), r"^k .*none"),
        (
            lambda: estimate("recall_at_rate", y_true, models, k=[1, 2]),
            r"^k .*\[1, 2\]",
        ),
        (
            lambda: compare("recall_at_rate", y_true, y_score, y_score, k=[1, 2]),
            r"^k must be an integer .*\[1, 2\]: call the function for each",
        ),
        (
            lambda: compare("recall_at_rate", y_true, y_score, y_score, rate=[0.1, 1]),
            r"^rate must be one rate, got \[0.1, 1\]: call the function for each",
        ),
    ):
        with case(message), pytest.raises(ValueError, match=message):
            call()
