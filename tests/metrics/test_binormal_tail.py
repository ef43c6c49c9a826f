"""Average precision at a rarer prevalence: false positive rates shrunk to a line."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from sklearn.metrics import average_precision_score as sklearn_average_precision

from guarantees import assert_share, held, simulated
from looped import looped
from reference import tables
from skrate import RankTable, average_precision_score, compare, estimate, group_scores
from skrate.inference.delta import table_variance
from skrate.metrics.base import find_metric


def two_normal(seed, n_pos=60, n_neg=80, shift=1.0, decimals=9):
    rng = np.random.default_rng(seed)
    y_true = np.repeat([1, 0], [n_pos, n_neg])
    return y_true, np.round(rng.normal(size=len(y_true)) + shift * y_true, decimals)


def metric_of(n_cases, **options):
    return find_metric(average_precision_score, options).of_sample(
        n_cases, is_weighted=False
    )


def oracle(y_true, y_score, weights=None, **options):
    groups = tables.Groups(y_true.tolist(), y_score.tolist(), weights)
    return tables.average_precision(groups, **options)


@looped("prevalence", [0.3, 1e-6])
@looped("adjusted", [False, True])
@looped("decimals", [0, 9])
@looped("is_weighted", [False, True])
def test_agrees_with_the_oracle(prevalence, adjusted, decimals, is_weighted):
    for seed in range(2):
        y_true, y_score = two_normal(seed, decimals=decimals)
        rng = np.random.default_rng(seed)
        weights = rng.random(len(y_true)) * 2 if is_weighted else None
        options = {"prevalence": prevalence, "adjusted": adjusted}
        found = average_precision_score(
            y_true, y_score, sample_weight=weights, **options
        )
        assert found == pytest.approx(
            oracle(y_true, y_score, weights, **options), abs=1e-11
        )
        if decimals == 9 and not is_weighted:
            # There is a line, and it matters.
            seen = average_precision_score(y_true, y_score, tail="empirical", **options)
            assert abs(found - seen) > 1e-9


def test_by_hand():
    # Six positives with 0, 3, 3, 4, 4 and 5 controls of 100 above them.
    pos = [1, 0, 2, 0, 2, 0, 1, 0]
    neg = [0, 3, 0, 1, 0, 1, 0, 95]
    above = np.array([0, 3, 3, 4, 4, 5])
    # Those that tie are found together.
    found = np.array([1, 3, 3, 5, 5, 6])
    x, y = stats.norm.ppf(found / 7), stats.norm.ppf((above + 0.5) / 101)
    line = np.polynomial.Polynomial.fit(x[1:], y[1:], 1)
    # A control stands for 0.99 / 0.01 * 6 / 100 cases.
    added = (1 - 0.01 / 0.99 * 100 / 6) / 2
    rates = (above + added) / (100 + added / stats.norm.cdf(line(x)))
    expected = np.mean(0.01 * found / 6 / (0.01 * found / 6 + 0.99 * rates))
    value = metric_of(106, prevalence=0.01).value(RankTable(pos, neg))
    assert value == pytest.approx(expected, abs=1e-13)


@given(st.integers(0, 1000), st.integers(10, 60))
def test_at_the_prevalence_of_the_sample_it_is_scikit_learns(seed, n_pos):
    y_true, y_score = two_normal(seed, n_pos, decimals=1)
    value = average_precision_score(y_true, y_score, prevalence=y_true.mean())
    theirs = sklearn_average_precision(y_true, y_score)
    assert value == pytest.approx(theirs, abs=1e-12)
    # Above it nothing is shrunk.
    above = {"prevalence": 0.9}
    assert average_precision_score(y_true, y_score, **above) == average_precision_score(
        y_true, y_score, tail="empirical", **above
    )


@looped(
    "pos, neg",
    [
        ([50, 0], [0, 50]),
        ([0, 50], [50, 0]),
        ([50], [50]),
        ([40, 10], [2, 48]),
        ([1, 0, 1, 0, 1, 0], [0, 5, 0, 5, 0, 90]),
        ([20, 0, 20, 0], [0, 2, 0, 1]),
    ],
)
def test_without_a_line_it_is_as_seen(pos, neg):
    table = RankTable(pos, neg)
    values = [
        metric_of(table.total, prevalence=0.01, tail=tail).value(table)
        for tail in ("binormal", "empirical")
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-15)


def test_lists_and_many_tables_are_one_after_the_other():
    y_true, y_score = two_normal(2, 200, 300, decimals=2)
    groups = np.arange(len(y_true)) % 3
    weights = np.random.default_rng(0).random(len(y_true))
    options = {"prevalence": 0.01, "sample_weight": weights}
    lists = group_scores(
        average_precision_score, y_true, y_score, groups=groups, **options
    )
    for label, value in zip(lists.groups, lists.values, strict=True):
        rows = groups == label
        alone = average_precision_score(
            y_true[rows], y_score[rows], prevalence=0.01, sample_weight=weights[rows]
        )
        assert value == pytest.approx(alone, abs=1e-12)
        seen = average_precision_score(
            y_true[rows], y_score[rows], prevalence=0.01, tail="empirical",
            sample_weight=weights[rows],
        )  # fmt: skip
        assert abs(value - seen) > 1e-6


@looped("shift", [1.0, 2.5])
def test_repetitions_are_cases_where_weights_are_said_to_be(shift):
    y_true, y_score = two_normal(3, shift=shift)
    times = np.random.default_rng(0).integers(1, 4, len(y_true))
    options = {"prevalence": 0.01, "stratify": True}
    table = RankTable.from_arrays(y_true, y_score, sample_weight=times)
    found = estimate(average_precision_score, table, **options)
    repeated = estimate(
        average_precision_score,
        np.repeat(y_true, times),
        np.repeat(y_score, times),
        **options,
    )
    assert found.value == pytest.approx(repeated.value, abs=1e-12)
    assert found.standard_error == pytest.approx(repeated.standard_error, rel=1e-9)


@looped("prevalence", [0.01, 0.2])
@looped("is_weighted", [False, True])
def test_slopes_are_those_of_finite_differences(prevalence, is_weighted):
    # Weights come between whole numbers of controls, where positives begin to count.
    y_true, y_score = two_normal(4, decimals=1, shift=1.5)
    weights = np.random.default_rng(7).random(len(y_true)) * 2 if is_weighted else None
    table = RankTable.from_arrays(y_true, y_score, sample_weight=weights).merged.table
    of = metric_of(len(y_true), prevalence=prevalence)
    slopes = of.slopes(table)
    pos, neg, p = table.pos / table.n_pos, table.neg / table.n_neg, table.prevalence

    def value(pos, neg, p):
        return of.value(RankTable(p * pos, (1 - p) * neg))

    def difference(at):
        return (at(1e-6) - at(-1e-6)) / 2e-6

    for shares, by, is_pos in ((pos, slopes.by_pos, True), (neg, slopes.by_neg, False)):
        places = np.flatnonzero(shares)
        for j in places[:-1]:
            move = np.zeros(len(shares))
            move[[j, places[-1]]] = 1, -1

            def at(step, move=move, is_pos=is_pos):
                both = (pos + step * move, neg) if is_pos else (pos, neg + step * move)
                return value(*both, p)

            assert by[j] - by[places[-1]] == pytest.approx(difference(at), abs=1e-6)
    by_p = difference(lambda step: value(pos, neg, p + step))
    assert slopes.by_prevalence == pytest.approx(by_p, abs=1e-6)


def test_the_adjusted_value_has_the_error_of_its_scale():
    # At a given prevalence p it is (value - p) / (1 - p).
    rng = np.random.default_rng(3)
    y_true = rng.random(200) < 0.4
    scores = rng.normal(size=200) + y_true
    options = {"prevalence": 0.1, "tail": "binormal"}
    plain = estimate("average_precision", y_true, scores, **options)
    adjusted = estimate("average_precision", y_true, scores, adjusted=True, **options)
    assert adjusted.value == pytest.approx((plain.value - 0.1) / 0.9)
    assert adjusted.standard_error == pytest.approx(plain.standard_error / 0.9)


def test_the_variance_counts_controls_that_happen_to_be_missing():
    y_true, y_score = two_normal(5, 500, 500, shift=2.0)
    table = RankTable.from_arrays(y_true, y_score)
    of = metric_of(1000, prevalence=0.01)
    factors = of.slopes(table).factors
    assert factors[0] == 1
    assert factors[1] > 1
    parts = table_variance(of, table, stratify=True)
    small = table.merged.table
    by_neg = of.slopes(small).by_neg
    plain = np.cov(by_neg, fweights=small.neg.astype(int), ddof=0) / small.n_neg
    assert parts.by_neg == pytest.approx(factors[1] * plain, rel=1e-12)
    # As seen, nothing is missing.
    seen = metric_of(1000, prevalence=0.01, tail="empirical")
    assert seen.slopes(table).factors == (1, 1)
    # By case it is the same variance.
    found = estimate(
        average_precision_score, y_true, y_score, prevalence=0.01, stratify=True
    )
    assert found.standard_error == pytest.approx(math.sqrt(parts.total), rel=1e-9)
    none = compare(average_precision_score, y_true, y_score, y_score, prevalence=0.01)
    assert none.standard_error == 0


def test_too_few_controls_are_told_how_many_are_needed():
    y_true, y_score = two_normal(6, 150, 150, shift=3.0)
    message = r"prevalence 0\.001: 150 .* about \d[\d,]* negatives would be needed\."
    for call in (
        lambda **kwargs: average_precision_score(y_true, y_score, **kwargs),
        lambda **kwargs: estimate(average_precision_score, y_true, y_score, **kwargs),
    ):
        with pytest.warns(UserWarning, match=message) as caught:
            call(prevalence=0.001)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        needed = str(caught[0].message).split("about ")[1].split(" ")[0]
        assert 1000 < float(needed.replace(",", "")) <= 10_000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        average_precision_score(y_true, y_score)
        average_precision_score(y_true, y_score, prevalence=0.5)
        average_precision_score(y_true, y_score, prevalence=0.2)
        y_true, y_score = two_normal(6, 300, 3000, shift=1.5)
        average_precision_score(y_true, y_score, prevalence=0.01)


def test_tail_is_one_of_two():
    with pytest.raises(ValueError, match=r"tail must be one of \['binormal', 'emp"):
        average_precision_score([0, 1], [0, 1], tail="normal")


def true_value(shift, prevalence):
    def precision(tpr):
        fpr = stats.norm.sf(stats.norm.isf(tpr) + shift)
        return prevalence * tpr / (prevalence * tpr + (1 - prevalence) * fpr)

    return integrate.quad(precision, 0, 1, points=[1e-4, 1e-2, 0.1], limit=200)[0]


@pytest.mark.slow
@looped("shift", [1.5, 3.0])
@looped("n_pos, n_neg", [(300, 3000), (2000, 2000)])
def test_at_a_hundredth_it_is_unbiased_and_intervals_cover(shift, n_pos, n_neg):
    truth, options = true_value(shift, 0.01), {"prevalence": 0.01, "stratify": True}

    def drawn(seed):
        cases = two_normal(seed, n_pos, n_neg, shift=shift)
        return estimate(average_precision_score, *cases, **options)

    found = simulated(500, drawn)
    values = [one.value for one in found]
    # A sixth of what it was as seen, and the error of the simulation.
    noise = 3 * np.std(values) / math.sqrt(len(found))
    assert abs(np.mean(values) - truth) < 0.05 * truth + noise
    assert_share(held(found, truth), at_least=0.9)


@pytest.mark.parametrize("shift", [(2, 2.5), (0, 3), (3, 0)])
def test_a_comparison_says_once_that_controls_are_too_few(shift):
    rng = np.random.default_rng(1)
    y_true = np.repeat([1, 0], [40, 80])
    models = rng.normal(size=(2, 120)) + y_true * np.array(shift)[:, None]
    with pytest.warns(UserWarning, match="80 negatives are too few") as caught:
        compare(average_precision_score, y_true, *models, prevalence=0.001)
    (message,) = [str(one.message) for one in caught]
    assert "nor a comparison: report the AUC or a partial AUC, or collect" in message
