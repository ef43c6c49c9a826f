"""Comparisons: DeLong's test, bootstrap, permutation, several models, bad input."""

import pickle
import warnings
from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from numpy.testing import assert_allclose
from scipy import special, stats

from looped import looped
from reference.delong import auc as oracle_auc
from reference.delong import covariance as oracle_covariance
from reference.delong import placements
from skrate import (
    RankTable,
    average_precision_score,
    compare,
    estimate,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
)
from skrate.inference.intervals import permutation_pvalue
from skrate.inference.rankings import add_model_scores, check_samples
from skrate.inference.resampling import exchange_draw


def two_models(seed, n=200, gain=0.5):
    """Return labels and the scores of two correlated models, full of ties."""
    generator = np.random.default_rng(seed)
    y_true = (generator.random(n) < 0.3).astype(int)
    shared = generator.normal(size=n) + y_true
    own = generator.normal(size=(2, n))
    own[0] += gain * y_true
    return y_true, *np.round(shared + own, 1)


def oracle_freedom(y_true, a, b):
    """Return Welch's degrees of freedom of the differences of placement values."""
    parts = []
    for of_a, of_b in zip(placements(y_true, a), placements(y_true, b), strict=True):
        differences = np.array([x - y for x, y in zip(of_a, of_b, strict=True)], float)
        n = len(differences)
        parts.append((np.var(differences, ddof=1) / n, n))
    whole = sum(part for part, _ in parts)
    return whole**2 / sum(part**2 / (n - 1) for part, n in parts)


def assert_freedom(result, df):
    """Assert that the p-value and the interval are those of so many of freedom."""
    pvalue = 2 * special.stdtr(df, -abs(result.statistic))
    assert result.pvalue == pytest.approx(pvalue, rel=1e-9)
    half = special.stdtrit(df, 0.975) * result.standard_error
    ends = result.value - half, result.value + half
    assert result.confidence_interval == pytest.approx(ends, rel=1e-9)


@given(st.data())
def test_paired_auc_is_delongs_test(data):
    n = data.draw(st.integers(6, 20))
    labels = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    y_true = [1, 1, 0, 0, *data.draw(labels)]
    scores = st.lists(st.integers(0, 4), min_size=n + 4, max_size=n + 4)
    a, b = data.draw(scores), data.draw(scores)
    variance = float(
        oracle_covariance(y_true, a, a)
        + oracle_covariance(y_true, b, b)
        - 2 * oracle_covariance(y_true, a, b)
    )
    if variance < 1e-9:
        return
    result = compare("roc_auc", y_true, a, b)
    difference = float(oracle_auc(y_true, a) - oracle_auc(y_true, b))
    z = difference / np.sqrt(variance)
    assert result.value == pytest.approx(difference, abs=1e-12)
    assert result.standard_error**2 == pytest.approx(variance, abs=1e-12)
    assert result.statistic == pytest.approx(z, abs=1e-9)
    df = oracle_freedom(y_true, a, b)
    assert result.pvalue == pytest.approx(2 * special.stdtr(df, -abs(z)), abs=1e-9)
    low, high = result.confidence_interval
    half = special.stdtrit(df, 0.975) * np.sqrt(variance)
    assert low == pytest.approx(max(difference - half, -1), abs=1e-9)
    assert high == pytest.approx(min(difference + half, 1), abs=1e-9)


@pytest.mark.parametrize("stratify", [False, True])
def test_two_metrics_of_one_table(stratify):
    pos, neg = [30, 20, 10], [5, 25, 50]
    y_true = np.repeat([1] * 3 + [0] * 3, pos + neg)
    y_score = np.repeat([3, 2, 1] * 2, pos + neg)
    metrics = ("roc_auc", partial(recall_at_rate_score, k=40))
    compared = partial(compare, metrics, stratify=stratify)
    found, expected = compared(RankTable(pos, neg)), compared(y_true, y_score)
    for name in ("value", "value_a", "value_b", "standard_error", "pvalue"):
        known = getattr(expected, name)
        assert getattr(found, name) == pytest.approx(known, rel=1e-9)
    assert found.confidence_interval == pytest.approx(expected.confidence_interval)
    drawn = compared(RankTable(pos, neg), method="bootstrap", random_state=0)
    # Of 2000 resamples, whose standard deviation is known to about 1.6 %.
    of_samples = compared(y_true, y_score, method="bootstrap", random_state=1)
    assert drawn.standard_error == pytest.approx(of_samples.standard_error, rel=0.1)


def test_unpaired_variances_add():
    y_true, a, _ = two_models(5)
    y_true_b, _, b = two_models(6, n=300)
    result = compare(average_precision_score, y_true, a, b, y_true_b=y_true_b)
    each_error = [
        estimate(average_precision_score, *both).standard_error
        for both in ((y_true, a), (y_true_b, b))
    ]
    assert result.standard_error == pytest.approx(np.hypot(*each_error))
    boot = compare(
        average_precision_score, y_true, a, b, y_true_b=y_true_b, method="bootstrap",
        stratify=False, random_state=0,
    )  # fmt: skip
    assert boot.standard_error == pytest.approx(result.standard_error, rel=0.06)


def test_a_permutation_exchanges_ranks_within_cases():
    y_true = np.array([1, 0, 1, 0, 0])
    a, b = np.array([5, 4, 3, 2, 1]), np.array([20, 50, 40, 10, 30])
    samples = check_samples(y_true)
    draw, _ = exchange_draw(
        add_model_scores(samples, "a", a), add_model_scores(samples, "b", b)
    )
    ranks = np.array([[1, 2, 3, 4, 5], [4, 1, 2, 5, 3]])
    for exchanged in product([False, True], repeat=5):
        generator = SimpleNamespace(
            integers=lambda *_, of=exchanged, **__: np.array([of])
        )
        rows = draw(generator, 1).reshape(2, 2, 5)
        for model in (0, 1):
            chosen = np.where(exchanged, ranks[1 - model], ranks[model])
            for label, counts in zip((1, 0), rows[model], strict=True):
                expected = np.bincount(chosen[y_true == label], minlength=6)[1:]
                assert counts.tolist() == expected.tolist()


def test_a_permutation_exchanges_clusters_as_a_whole():
    y_true = np.array([1, 0, 1, 0])
    samples = check_samples(y_true, clusters=[0, 0, 1, 1])
    draw, _ = exchange_draw(
        *(add_model_scores(samples, "a", s) for s in ([4, 3, 2, 1], [1, 2, 3, 4]))
    )
    # Of the first model the positives are at the first and the third rank.
    pos, neg = np.hsplit(draw(np.random.default_rng(0), 50)[:, :8], 2)
    assert np.array_equal(pos[:, 0], neg[:, 1])
    assert np.array_equal(pos[:, 2], neg[:, 3])
    assert not np.array_equal(pos[:, 0], pos[:, 2])


@looped("sizes", [(2, 2), (3, 4), (50, 60)])
@looped("other", [0, -1])
@looped("is_paired", [True, False])
def test_a_difference_without_variation_has_a_p_value_that_its_interval_agrees_with(
    sizes, other, is_paired
):
    y_true = np.repeat([1, 0], sizes)
    options = {} if is_paired else {"y_true_b": y_true}
    result = compare("roc_auc", y_true, 2 * y_true, other * y_true, **options)
    assert (result.value, result.standard_error) == ((1 - other) / 2, 0)
    assert 0 < result.pvalue < 1
    low, high = result.confidence_interval
    assert low < result.value <= high
    options["confidence_level"] = 1 - result.pvalue
    if result.pvalue > 1e-14:
        # The interval at this level just leaves 0 out.
        touching = compare("roc_auc", y_true, 2 * y_true, other * y_true, **options)
        assert touching.confidence_interval.low == pytest.approx(0, abs=1e-6)
    del options["confidence_level"]
    one_sided = [
        compare(
            "roc_auc", y_true, 2 * y_true, other * y_true, alternative=side, **options
        )
        for side in ("greater", "less")
    ]
    assert one_sided[0].pvalue == pytest.approx(result.pvalue / 2, rel=1e-6)
    assert one_sided[0].pvalue + one_sided[1].pvalue == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["delta", "bootstrap", "permutation"])
@pytest.mark.parametrize("decimals", [1, 12])
def test_jobs_change_nothing_of_several_models(method, decimals):
    rng = np.random.default_rng(3)
    y_true = rng.random(300) < 0.2
    y_scores = (rng.normal(size=(300, 5)) + y_true[:, None]).round(decimals)

    def found(n_jobs):
        return compare(
            rate_weighted_auc_score, y_true, y_scores, rate=rates.beta(2, 9),
            method=method, n_resamples=50, random_state=0, n_jobs=n_jobs,
        )  # fmt: skip

    one, two = found(1), found(2)
    with parallel_config("loky", n_jobs=2):
        elsewhere = found(None)
    assert one == two == elsewhere
    influences = np.stack(
        [estimate(rate_weighted_auc_score, y_true, s, rate=rates.beta(2, 9)).influence
         for s in y_scores.T]
    )  # fmt: skip
    for result in (two, elsewhere):
        # Equality of results leaves arrays out.
        assert (result.covariance == one.covariance).all()
    if method == "delta":
        expected = influences @ influences.T / 300**2
        assert_allclose(one.covariance, expected, rtol=1e-12, atol=1e-18)


@pytest.mark.parametrize("method", ["bootstrap", "permutation"])
@pytest.mark.parametrize("source", [int, np.random.default_rng, np.random.RandomState])
def test_the_first_pair_is_drawn_as_compare_draws_it(method, source):
    y_true, a, b = two_models(18, n=60, gain=0)
    models = {"a": a, "b": b, "again a": a, "again b": b}
    options = {"method": method, "n_resamples": 1000}
    result = compare("roc_auc", y_true, models, random_state=source(7), **options)
    alone = compare("roc_auc", y_true, a, b, random_state=source(7), **options)
    assert result.pairs[0] == alone
    # The same models once more, of which other resamples are drawn.
    field = "standard_error" if method == "bootstrap" else "pvalue"
    same = [getattr(pair, field) for pair in (result[0], result[2], result[5])]
    assert len(set(same)) == 3


def test_a_margin_beyond_all_differences_is_refused_by_the_call():
    y_true, a, b = two_models(10)
    with pytest.raises(ValueError, match="margin=5"):
        compare("roc_auc", y_true, {"a": a, "b": b}, margin=5)
    # As floats, windows of the width 0.3 are a little narrower or wider.
    for window in ((0, 0.3), (0.4, 0.7), (0.7, 1)):
        metric = partial(compare, "partial_auc", y_true, a, b, fpr=window)
        with pytest.raises(ValueError, match=r"margin=0\.3.*0\.3"):
            metric(standardize=None, margin=0.3)
        metric(standardize=None, margin=0.3 - 1e-9)


@pytest.mark.parametrize("method", ["delta", "bootstrap"])
def test_a_reference_is_compared_with_each_other_model(method):
    y_true, a, b = two_models(3)
    scores = {"A": a, "B": b, "C": a + 2 * b}
    options = {"method": method, "n_resamples": 50, "random_state": 0}
    found = compare("roc_auc", y_true, scores, reference="B", adjust="bh", **options)
    assert len(found) == len(found.pairs) == 2
    assert found.pairs[0] == compare("roc_auc", y_true, a, b, **options)
    if method == "delta":
        assert found.pairs[1] == compare("roc_auc", y_true, scores["C"], b, **options)
    pvalues = [pair.pvalue for pair in found.pairs]
    expected = stats.false_discovery_control(pvalues, method="bh")
    assert_allclose(found.adjusted_pvalues, expected)
    table = found.to_dict()
    assert (table["a"], table["b"]) == (["A", "C"], ["B", "B"])
    assert "C - B" in repr(found)
    assert "Benjamini and Hochberg" in repr(found)
    again = pickle.loads(pickle.dumps(found))
    assert (again.reference, again.adjust) == ("B", "bh")
    # Of an array models are named by their columns.
    matrix = np.stack(list(scores.values()), axis=1)
    by_number = compare("roc_auc", y_true, matrix, reference=1, **options)
    assert by_number.pairs == found.pairs


@pytest.mark.parametrize(
    ("alternative", "expected"),
    # Beyond 0.5 are four of five in size, four below, two above; and the sample.
    [("two-sided", 5 / 6), ("less", 5 / 6), ("greater", 3 / 6)],
)
def test_permutation_pvalues_count_the_sample_in(alternative, expected):
    permuted = np.array([-2.0, -1.0, 0.0, 0.5, 1.0])
    assert permutation_pvalue(0.5, permuted, alternative) == pytest.approx(expected)


def test_repetitions_are_cases_and_sampling_weights_count_by_effective_size():
    y_true, a, b = two_models(15, n=40)
    generator = np.random.default_rng(0)
    repeats = generator.integers(1, 4, 40)
    rows = [np.repeat(values, repeats) for values in (y_true, a, b)]
    weighted = compare("roc_auc", y_true, a, b, sample_weight=repeats)
    assert_freedom(weighted, oracle_freedom(*rows))
    # Weights that are equal within a class: as many cases as rows.
    weight = np.where(y_true == 1, 3.0, 0.5)
    options = {"weights": "sampling", "stratify": True}
    result = compare("roc_auc", y_true, a, b, sample_weight=weight, **options)
    assert_freedom(result, oracle_freedom(y_true, a, b))
    # Uneven ones: by (sum w)^2 / sum w^2 cases of a class.
    weight = generator.exponential(size=40)
    result = compare("roc_auc", y_true, a, b, sample_weight=weight, weights="sampling")
    first, second = (
        estimate(
            "roc_auc", y_true, score, sample_weight=weight, weights="sampling"
        ).influence
        for score in (a, b)
    )
    terms = (weight / weight.sum() * (first - second)) ** 2
    parts, sizes = [], []
    for label in (1, 0):
        of_class = weight[y_true == label]
        parts.append(terms[y_true == label].sum())
        sizes.append(of_class.sum() ** 2 / (of_class @ of_class))
    squares = sum(part**2 / (n - 1) for part, n in zip(parts, sizes, strict=True))
    assert_freedom(result, sum(parts) ** 2 / squares)


@pytest.mark.filterwarnings("ignore:The models have different samples")
def test_unpaired_samples_have_the_freedom_of_all_their_parts():
    y_true, a, _ = two_models(16, n=40)
    y_true_b, _, b = two_models(17, n=24)
    result = compare("roc_auc", y_true, a, b, y_true_b=y_true_b)
    parts = []
    for labels, scores in ((y_true, a), (y_true_b, b)):
        for values in placements(labels, scores):
            n = len(values)
            parts.append((np.var(np.array(values, float), ddof=1) / n, n))
    whole = sum(part for part, _ in parts)
    df = whole**2 / sum(part**2 / (n - 1) for part, n in parts)
    assert_freedom(result, df)
    boot = compare(
        "roc_auc", y_true, a, b, y_true_b=y_true_b, method="bootstrap", random_state=0
    )
    assert_freedom(boot, df)


Y, A, B = [1, 0, 1, 0], [4, 3, 2, 1], [1, 2, 3, 4]
TABLE, PAIR = RankTable.from_arrays(Y, A), ("roc_auc", "average_precision")
RECALL = partial(recall_at_rate_score, rate=0.5)


@pytest.mark.parametrize(
    ("metric", "arguments", "kwargs", "message"),
    [
        ("roc_auc", (Y, A, B[:3]), {}, r"y_true.*4.*y_score_b.*3"),
        ("roc_auc", (Y,), {}, "y_score_a"),
        (Y, (A, B, "roc_auc"), {}, r"metric.*y_true"),
        ("roc_auc", (Y, A), {}, "y_score_b"),
        ("roc_auc", (Y, A, TABLE), {}, r"y_score_b.*RankTable"),
        ("roc_auc", (TABLE,), {}, r"y_true.*RankTable"),
        (PAIR, (TABLE,), {"method": "permutation"}, "method='permutation'"),
        (PAIR, (TABLE,), {"clusters": Y}, r"clusters.*None.*y_true"),
        (PAIR, (TABLE,), {"rate": 0.5}, "rate"),
        (PAIR, (TABLE, None, A), {}, r"y_score_b.*None"),
        (PAIR, (RankTable([0.5, 1], [1, 2]),), {}, r"RankTable.*0\.5"),
        ("roc_auc", (Y, A), {"y_true_b": Y}, r"y_score_b.*y_true_b"),
        ("roc_auc", (Y, A, B), {"method": "t"}, "method"),
        ("roc_auc", (Y, A, B), {"alternative": "a"}, "alternative"),
        ("roc_auc", (Y, A, B), {"interval": "wilson"}, "interval"),
        ("roc_auc", (Y, A, B), {"interval": "percentile"}, "interval="),
        ("roc_auc", (Y, A, B), {"confidence_level": 1}, "confidence_level"),
        ("roc_auc", (Y, A, B), {"n_resamples": 0}, "n_resamples"),
        ("roc_auc", (Y, A, B), {"y_true_b": Y, "method": "permutation"}, "y_true_b"),
        ("roc_auc", (Y, A, B), {"y_true_b": Y, "clusters": Y}, "clusters"),
        (("roc_auc", RECALL), (Y, A, B), {}, r"y_score_b.*None"),
        (("roc_auc",), (Y, A), {}, r"metric.*1"),
        (("roc_auc", RECALL), (Y, A), {"rate": 0.1}, "rate"),
        (
            ("roc_auc", RECALL),
            (Y, A),
            {"method": "permutation"},
            "method='permutation'",
        ),
    ],
)
def test_bad_input_is_named(metric, arguments, kwargs, message):
    with pytest.raises(ValueError, match=message):
        compare(metric, *arguments, **kwargs)


@pytest.mark.parametrize(
    ("y_scores", "message"),
    [
        (A, "y_score_b"),
        ({"a": A}, r"y_score_a.*2.*1"),
        ({"a": A, "b": B[:3]}, r"y_score_a.*'b'.*3"),
        ({"a": A, "b": [1, 2, 3, np.nan]}, r"y_score_a.*'b'.*NaN"),
    ],
)
def test_bad_scores_of_models_are_named(y_scores, message):
    with pytest.raises(ValueError, match=message):
        compare("roc_auc", Y, y_scores)


def test_several_models_are_not_compared_by_tables():
    with pytest.raises(ValueError, match=r"y_true.*RankTable"):
        compare("roc_auc", TABLE, {"a": A, "b": B})
    with pytest.raises(ValueError, match=r"y_score_a.*'b'.*RankTable"):
        compare("roc_auc", Y, {"a": A, "b": TABLE})


# Positives of a, and of b; 100 negatives each.
@pytest.mark.parametrize(
    ("sizes", "is_warned"),
    [((9, 9), True), ((10, 20), False), ((10, 21), True), ((30, 90), False)],
)
def test_unpaired_samples_with_few_cases_of_a_class_are_warned_of(sizes, is_warned):
    rng = np.random.default_rng(0)
    labels = [np.repeat([1, 0], [n_pos, 100]) for n_pos in sizes]
    a, b = (y_true + rng.normal(size=len(y_true)) for y_true in labels)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compare("roc_auc", labels[0], a, b, y_true_b=labels[1])
    assert len(found) == is_warned
    assert all(f"have {sizes[0]} and {sizes[1]}" in str(one.message) for one in found)
    assert all(one.filename == __file__ for one in found)


def test_two_columns_of_predict_proba_are_not_two_models():
    y_true, a, _ = two_models(3)
    probability = 1 / (1 + np.exp(-a))
    both = np.column_stack([1 - probability, probability])
    for call in (compare, estimate):
        with pytest.raises(ValueError, match=r"1.*predict_proba"):
            call("roc_auc", y_true, both)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y, a, b: compare("roc_auc", y, a, b, reference="a"), "reference"),
        (lambda y, a, b: compare("roc_auc", y, a, b, adjust="bh"), "adjust"),
        (lambda y, a, b: compare("roc_auc", y, {"a": a}, b), "y_score_b has no|must"),
        (lambda y, a, b: estimate("roc_auc", y, a, adjust="bh"), "adjust"),
        (lambda y, a, b: estimate("roc_auc", y, {"a": a}, adjust="bh"), "adjust"),
    ],
)
def test_what_is_of_several_models_only_is_refused_elsewhere(call, message):
    with pytest.raises(ValueError, match=message):
        call(*two_models(3))


@pytest.mark.parametrize("name", ["momentum", "average_precision"])
def test_few_clusters_determine_the_variance_of_a_difference(name):
    # The degrees of freedom of n squares q are 2 / (sum of q^2 / (sum of q)^2 - 1 / n).
    rng = np.random.default_rng(0)
    y_true = rng.random(300) < 0.1
    a, b = 1.5 * y_true + rng.normal(size=(2, 300))
    clusters = np.arange(300) // 10
    found = compare(name, y_true, a, b, clusters=clusters)
    influence = np.zeros(300)
    for sign, scores in ((1, a), (-1, b)):
        influence += sign * estimate(name, y_true, scores).influence
    squares = np.bincount(clusters, influence) ** 2
    dof = 2 / (np.sum(squares**2) / np.sum(squares) ** 2 - 1 / len(squares))
    assert dof < 20 < len(squares)
    expected = 2 * stats.t.sf(abs(found.statistic), dof)
    assert found.pvalue == pytest.approx(expected, rel=1e-9)
