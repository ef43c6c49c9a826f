"""Modalities compared by several readers."""

import csv
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import binomial_tolerance, simulations
from looped import case, looped
from optional import data_file
from reference import delong, readers
from skrate import compare, compare_readers, rates
from skrate.results import ReaderComparison

# What MRMCaov 0.3.0 gives for the data of Van Dyke et al. (1993); the AUCs are those of
# five readers by two modalities, and Cov2 and Cov3 DeLong's.
AUCS = [
    [0.9196457, 0.8587762, 0.9038647, 0.9731079, 0.8297907],
    [0.9478261, 0.9053140, 0.9217391, 0.9993559, 0.9299517],
]
COV2, COV3 = 0.000339526531, 0.000235849653


def study(scores, y_true):
    """Return keyword arguments for scores of shape (modalities, readers, cases)."""
    modality, reader, of_case = (one.ravel() for one in np.indices(np.shape(scores)))
    return {
        "y_true": np.asarray(y_true)[of_case],
        "y_score": np.ravel(scores),
        "reader": np.array(["r2", "r10", "r1", "r3", "r4", "r5"])[reader],
        "modality": np.array(["CT", "MRI", "US"])[modality],
        "case": of_case + 100,
    }


def drawn(seed, t=2, r=3, n=24):
    """Return ratings full of ties, in which readers and cases differ."""
    generator = np.random.default_rng(seed)
    y_true = np.arange(n) % 3 == 0
    latent = y_true * 1.2 + generator.normal(size=n)
    noise = generator.normal(size=(t, r, n)) * generator.uniform(0.3, 2, (t, r, 1))
    return np.round(latent + noise), y_true.astype(int)


def test_published_values_follow_from_published_components():
    statistic, df, pvalue, intervals = readers.analysis(
        AUCS, lambda i, j, k, m: COV2 if i == k else COV3
    )
    assert statistic == pytest.approx(4.484854, abs=2e-5)
    assert df == pytest.approx(15.0661, abs=1e-3)
    assert pvalue == pytest.approx(0.0512330, abs=1e-6)
    assert intervals[0, 1] == pytest.approx((-0.0878672, 0.0002666), abs=1e-6)


def van_dyke():
    """Return the data, of which the file has a row for each reading."""
    path = data_file("") / "vandyke" / "vandyke.csv"
    if not path.exists():
        # From the R package MRMCaov, whose licence (GPL-3) keeps them out of here.
        pytest.skip(
            "needs vandyke/vandyke.csv in the data folder: VanDyke of the R package "
            "MRMCaov, with the columns reader, treatment, case, truth and rating"
        )
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return {
        "y_true": np.array(columns["truth"], dtype=int),
        "y_score": np.array(columns["rating"], dtype=int),
        "reader": columns["reader"],
        "modality": columns["treatment"],
        "case": columns["case"],
    }


def test_van_dyke_has_the_digits_of_mrmcaov():
    given = van_dyke()
    found = compare_readers("roc_auc", **given)
    assert found.values == pytest.approx(np.array(AUCS), abs=1e-7)
    assert found.components["Cov2"] == pytest.approx(COV2, abs=1e-12)
    assert found.components["Cov3"] == pytest.approx(COV3, abs=1e-12)
    assert found.statistic == pytest.approx(4.484854, abs=1e-6)
    assert found.df == (1, pytest.approx(15.0661, abs=1e-4))
    assert found.pvalue == pytest.approx(0.0512330, abs=1e-7)
    ends = found.differences[0].confidence_interval
    assert ends == pytest.approx((-0.0878672, 0.0002666), abs=1e-7)
    precision = compare_readers("average_precision", **given)
    assert precision.pvalue == pytest.approx(0.0178, abs=5e-5)


@looped("fixed", [None, "cases"])
def test_results_are_the_printed_formulas_with_delongs_covariances(fixed):
    for seed, (t, r) in enumerate([(2, 2), (2, 5), (3, 3)], 21):
        scores, y_true = drawn(seed, t, r, n=18)

        @cache
        def covariance(i, j, k, m, scores=scores, y_true=y_true):
            return float(delong.covariance(y_true, scores[i][j], scores[k][m]))

        values = [[float(delong.auc(y_true, one)) for one in row] for row in scores]
        statistic, df, pvalue, intervals = readers.analysis(
            values, covariance, random_cases=fixed is None
        )
        # Readers in the order of the numbers in their names.
        order = np.argsort([2, 10, 1, 3, 4][:r])
        found = compare_readers("roc_auc", **study(scores, y_true), fixed=fixed)
        with case((t, r)):
            assert found.readers == tuple(
                np.array(["r2", "r10", "r1", "r3", "r4"])[order]
            )
            assert found.values == pytest.approx(np.array(values)[:, order])
            assert found.statistic == pytest.approx(statistic)
            assert found.df == (t - 1, pytest.approx(df))
            assert found.pvalue == pytest.approx(pvalue)
            for pair, ends in zip(found.differences, intervals.values(), strict=True):
                assert pair.confidence_interval == pytest.approx(np.clip(ends, -1, 1))
            for i, one in enumerate(found.means if fixed is None else ()):
                ends = np.clip(readers.interval_of_mean(values, covariance, i), 0, 1)
                assert one.confidence_interval == pytest.approx(ends)


METRICS = [
    ("roc_auc", {}),
    ("average_precision", {}),
    ("rate_weighted_auc", {"rate": rates.beta(2, 5)}),
    ("recall_at_rate", {"rate": 0.3}),
    ("partial_auc", {"fpr": (0, 0.5)}),
]


@looped("metric, options", METRICS)
@pytest.mark.filterwarnings("ignore:.* depends on the best:UserWarning")
def test_covariances_are_those_of_the_comparison_of_all(metric, options):
    scores, y_true = drawn(4, r=3)
    named = {f"{i}{j}": scores[i, j] for i, j in product(range(2), range(3))}
    matrix = compare(metric, y_true, named, **options).covariance.reshape(2, 3, 2, 3)
    found = compare_readers(metric, **study(scores, y_true), **options).components
    others = [(j, m) for j in range(3) for m in range(3) if j != m]
    expected = {
        "Var": np.mean([matrix[i, j, i, j] for i in range(2) for j in range(3)]),
        "Cov1": np.mean([matrix[i, j, 1 - i, j] for i in range(2) for j in range(3)]),
        "Cov2": np.mean([matrix[i, j, i, m] for i in range(2) for j, m in others]),
        "Cov3": np.mean([matrix[i, j, 1 - i, m] for i in range(2) for j, m in others]),
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-15)


def test_one_reader_is_the_paired_test():
    scores, y_true = drawn(5, r=1, n=40)
    with pytest.warns(UserWarning, match="one reader, 'r2', who says nothing"):
        found = compare_readers("average_precision", **study(scores, y_true))
    assert found.fixed == "readers"
    expected = compare("average_precision", y_true, scores[0, 0], scores[1, 0])
    pair = found.differences[0]
    for name in ("value", "standard_error", "statistic", "pvalue"):
        assert getattr(pair, name) == pytest.approx(getattr(expected, name))
    assert pair.confidence_interval == pytest.approx(expected.confidence_interval)
    assert found.pvalue == pytest.approx(expected.pvalue)


def test_readers_who_agree_leave_the_cases():
    scores, y_true = drawn(5, r=1, n=40)
    found = compare_readers("roc_auc", **study(np.repeat(scores, 3, axis=1), y_true))
    expected = compare("roc_auc", y_true, scores[0, 0], scores[1, 0])
    assert found.df[1] > 1e12
    assert found.differences[0].standard_error == pytest.approx(expected.standard_error)
    assert found.pvalue == pytest.approx(stats.chi2.sf(expected.statistic**2, 1))


def test_fixed_readers_have_the_variance_of_the_mean_difference():
    scores, y_true = drawn(6, t=3, r=4)
    found = compare_readers("roc_auc", **study(scores, y_true), fixed="readers")
    parts = found.components
    below = parts["Var"] - parts["Cov1"] + 3 * (parts["Cov2"] - parts["Cov3"])
    assert found.statistic == pytest.approx(parts["MS(T)"] / below)
    for pair in found.differences:
        assert pair.standard_error == pytest.approx((2 * below / 4) ** 0.5)
    # The covariance has each pair by itself; their mean is what all have.
    matrix = found.differences.covariance
    each = [
        matrix[i, i] + matrix[j, j] - 2 * matrix[i, j]
        for i, j in [(0, 1), (0, 2), (1, 2)]
    ]
    assert np.mean(each) == pytest.approx(2 * below / 4)


@looped("fixed", [None, "readers", "cases"])
def test_two_modalities_have_one_test_and_the_errors_of_the_covariance(fixed):
    scores, y_true = drawn(7, r=4, n=60)
    found = compare_readers("roc_auc", **study(scores, y_true), fixed=fixed)
    assert found.differences[0].pvalue == pytest.approx(found.pvalue)
    matrix = found.differences.covariance
    variance = matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1]
    assert found.differences[0].standard_error ** 2 == pytest.approx(variance)


def test_order_of_rows_names_and_repetitions_do_not_matter():
    scores, y_true = drawn(8)
    given = study(scores, y_true)
    found = compare_readers("average_precision", **given)
    order = np.random.default_rng(0).permutation(len(given["case"]))
    shuffled = {name: list(one[order]) for name, one in given.items()}
    assert repr(compare_readers("average_precision", **shuffled)) == repr(found)
    # A case of weight 2 is two cases.
    twice = np.repeat(np.arange(len(y_true)), np.where(y_true == 1, 2, 1))
    weight = np.where(given["y_true"] == 1, 2, 1)
    weighted = compare_readers("average_precision", **given, sample_weight=weight)
    repeated = compare_readers(
        "average_precision", **study(scores[..., twice], y_true[twice])
    )
    assert weighted.pvalue == pytest.approx(repeated.pvalue)
    assert weighted.statistic == pytest.approx(repeated.statistic)


def test_clusters_of_one_case_are_none_and_clusters_widen():
    scores, y_true = drawn(9, r=2, n=60)
    given = study(scores, y_true)
    of_case = given["case"]
    alone = compare_readers("average_precision", **given, clusters=of_case).components[
        "Var"
    ]
    plain = compare_readers("average_precision", **given).components["Var"]
    assert alone == pytest.approx(plain, rel=0.05)
    # Lesions that are copies of each other say no more than one.
    copied = study(np.tile(scores, 2), np.tile(y_true, 2))
    patient = (copied["case"] - 100) % 60
    found = compare_readers("average_precision", **copied, clusters=patient).components[
        "Var"
    ]
    assert found == pytest.approx(alone)


def test_sensitivity_at_a_cut_is_an_auc_with_the_cut_as_the_negatives():
    scores, y_true = drawn(10, r=3, n=60)
    given = study(scores, y_true)
    is_ill = given["y_true"] == 1
    given["y_score"] = np.where(is_ill, given["y_score"], 0.5)
    found = compare_readers("roc_auc", **given)
    marked = (scores > 0.5)[..., y_true == 1]
    assert found.values == pytest.approx(marked.mean(-1)[:, [2, 0, 1]])
    assert found.components["Var"] == pytest.approx(
        np.mean(marked.var(-1, ddof=1)) / (y_true == 1).sum()
    )


def test_result_is_a_table_and_prints():
    scores, y_true = drawn(11, t=3)
    found = compare_readers("recall_at_rate", **study(scores, y_true), rate=0.5)
    assert isinstance(found, ReaderComparison)
    assert len(found) == 3
    columns = found.to_dict()
    assert list(columns["modality"]) == ["CT", "MRI", "US"]
    assert list(columns["value"]) == [one.value for one in found.means]
    assert list(columns["reader r10"]) == found.values[:, 2].tolist()
    text = repr(found)
    for part in (
        "Recall",
        "rate=0.5",
        "3 readers",
        f"F(2, {found.df[1]:.4g})",
        "CT - US",
    ):
        assert part in text
    pairs = found.differences
    assert max(np.subtract(pairs.adjusted_pvalues, [one.pvalue for one in pairs])) > 0


def test_undefined_is_nan_and_says_so():
    scores, y_true = drawn(12)
    with pytest.warns(UndefinedMetricWarning):
        found = compare_readers("roc_auc", **study(scores, np.arange(24) == 0))
    assert np.isnan([found.pvalue, found.statistic, found.differences[0].value]).all()
    perfect = np.broadcast_to(y_true, scores.shape)
    with pytest.warns(UndefinedMetricWarning) as caught:
        found = compare_readers("roc_auc", **study(perfect, y_true))
    texts = [str(one.message).split(" is undefined")[0] for one in caught]
    assert texts == ["The interval of CT", "The interval of MRI", "F"]
    assert np.isnan(found.pvalue)
    for one in (*found.means, *found.differences):
        assert np.isnan(one.confidence_interval).all()
    assert found.means[0].value == 1.0
    assert found.differences[0].value == 0.0


def test_one_perfect_modality_has_no_interval_of_its_own():
    scores, y_true = drawn(13)
    scores = np.array(scores, dtype=float)
    scores[0] = y_true
    with pytest.warns(UndefinedMetricWarning, match="interval of CT"):
        found = compare_readers("roc_auc", **study(scores, y_true))
    assert found.means[0].value == 1.0
    assert np.isnan(found.means[0].confidence_interval).all()
    assert np.isfinite(found.means[1].confidence_interval).all()
    assert np.isfinite([*found.differences[0].confidence_interval, found.pvalue]).all()


WRONG = [
    (lambda d: {name: one[1:] for name, one in d.items()},
     r"'r2' has no reading of case 100 with modality 'CT'; readings are missing in 1 "),
    (lambda d: {name: one[2:] for name, one in d.items()}, "are missing in 2 places"),
    (lambda d: {name: np.append(one, one[-1]) for name, one in d.items()},
     "'r1' has several readings of case 123 with modality 'MRI'"),
    (lambda d: d | {"y_true": np.append(1 - d["y_true"][0], d["y_true"][1:])},
     "y_true must be the same in all readings of a case, found .* case 100"),
    (lambda d: d | {"clusters": np.arange(len(d["case"]))}, "clusters must be"),
    (lambda d: d | {"modality": ["CT"] * len(d["case"])}, "at least 2 modalities"),
    (lambda d: d | {"reader": d["reader"][1:]}, "reader"),
    (lambda d: d | {"y_score": d["y_score"][1:]}, "y_score"),
    (lambda d: d | {"y_score": d["y_score"] * np.nan}, "y_score"),
    (lambda d: d | {"fixed": "reader"}, "fixed must be one of"),
    (lambda d: d | {"rate": rates.between({0.1: 0.5})}, "rate"),
]  # fmt: skip


@looped("change, message", WRONG)
def test_wrong_studies_are_refused_by_name(change, message):
    with pytest.raises(ValueError, match=message):
        compare_readers("rate_weighted_auc", **change(study(*drawn(13))))


def test_one_reader_cannot_have_fixed_cases():
    with pytest.raises(ValueError, match="fixed='cases' cannot"):
        compare_readers("roc_auc", **study(*drawn(14, r=1)), fixed="cases")


# Roe and Metz (1997), table 1: variances of readers, of cases, cases by modalities,
# cases by readers, and the rest; the first letter is for correlation between readings.
ROE_METZ = {
    "HL": (0.0055, 0.3, 0.3, 0.2, 0.2),
    "LL": (0.0055, 0.1, 0.1, 0.2, 0.6),
    "HH": (0.03, 0.3, 0.3, 0.2, 0.2),
    "LH": (0.03, 0.1, 0.1, 0.2, 0.6),
}


def roe_metz(generator, structure, r, n_pos, n_neg, shift):
    """Return a study of two modalities that are alike, shape (2, r, n)."""
    of_reader, *of_cases = np.sqrt(ROE_METZ[structure])
    y_true = np.repeat([1, 0], [n_pos, n_neg])
    normal, n = generator.normal, n_pos + n_neg
    # Readers, and readers by modalities, differ by class.
    readers = normal(size=(1, r, 2)) + normal(size=(2, r, 2))
    shapes = [(1, 1, n), (2, 1, n), (1, r, n), (2, r, n)]
    scores = shift * y_true + (of_reader * readers)[..., y_true]
    for spread, shape in zip(of_cases, shapes, strict=True):
        scores = scores + spread * normal(size=shape)
    return scores, y_true


@pytest.mark.slow
@looped("structure, r, sizes, metric", [
    ("HL", 5, (25, 25), "roc_auc"),
    ("LL", 3, (50, 50), "roc_auc"),
    ("HH", 5, (50, 50), "average_precision"),
    ("LH", 10, (25, 75), "roc_auc"),
])  # fmt: skip
def test_test_keeps_its_level_under_the_model_of_roe_and_metz(
    structure, r, sizes, metric
):
    generator = np.random.default_rng(0)
    n = simulations(1000)
    found = [
        compare_readers(
            metric, **study_of_many(*roe_metz(generator, structure, r, *sizes, 1.5))
        )
        for _ in range(n)
    ]
    share = np.mean([one.pvalue < 0.05 for one in found])
    # In 4,000 other samples: 0.041 to 0.050 with 5 or 10 readers, 0.062 to 0.069
    # with three.
    most = 0.07 if r == 3 else 0.055
    assert 0.03 - binomial_tolerance(0.03, n) <= share
    assert share <= most + binomial_tolerance(most, n)
    covered = np.mean([
        one.differences[0].confidence_interval.low <= 0
        <= one.differences[0].confidence_interval.high for one in found
    ])  # fmt: skip
    assert covered == pytest.approx(1 - share)


def study_of_many(scores, y_true):
    """Return a study whose readers have numbers."""
    modality, reader, of_case = (one.ravel() for one in np.indices(scores.shape))
    return {
        "y_true": y_true[of_case], "y_score": scores.ravel(),
        "modality": modality, "reader": reader, "case": of_case,
    }  # fmt: skip
