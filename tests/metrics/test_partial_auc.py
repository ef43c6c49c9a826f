"""The partial AUC."""

import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import integrate, stats
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import (
    assert_errors_are_the_spread,
    assert_level_and_power,
    assert_share,
    held,
    simulated,
)
from looped import looped
from metric_cases import Case, sample
from reference import partial_auc as oracle
from reference.tables import Groups
from skrate import RankTable, compare, estimate, partial_auc_score, rates
from strategies import ranked_samples

EARLY = {"fpr": (0, 0.3)}
BOTH = {"fpr": (0.1, 0.6), "tpr": (0.35, 0.95)}
SHIFT = 1.5
WINDOWS = {
    "early": {"fpr": (0, 0.1)},
    "sensitive": {"tpr": (0.7, 1)},
    "two-way": {"fpr": (0, 0.5), "tpr": (0.5, 1)},
    "CROC": {"fpr": stats.truncexpon(b=7, scale=1 / 7)},
}
each_window = looped("name", WINDOWS)


def _falling(groups, fpr, standardize="mcclish"):
    """Return the mean height under the density 2 (1 - f), whose mean is 1/3."""
    area = oracle.weighted_height(groups, lambda f: 2 * (1 - f))
    return area if standardize is None else (1 + (area - 1 / 3) / (2 / 3)) / 2


def _rising(groups, tpr):
    """Return the mean to the right of the curve under the density 2 t."""
    # Swapped classes have the curve with its axes swapped.
    pos, neg = groups.pos, groups.neg
    labels = [1, 0] * len(pos)
    scores = np.repeat(np.arange(len(pos))[::-1], 2).tolist()
    weights = [w for both in zip(neg, pos, strict=True) for w in both]
    area = 1 - oracle.weighted_height(Groups(labels, scores, weights), lambda t: 2 * t)
    return (1 + (area - 1 / 3) / (2 / 3)) / 2


def case(name, options, oracle=oracle.partial_auc, **known):
    return Case(
        name, partial_auc_score, options, oracle=oracle, slopes="smooth",
        needs_negatives=True, **known,
    )  # fmt: skip


HALF = {"constant": lambda p: 0.5}
CASES = [
    # Of nothing, where the diagonal has 0.3^2 / 2 of 0.3.
    case("partial AUC", EARLY, worst=lambda p: (1 - 0.045 / 0.255) / 2, **HALF),
    case(
        "its area",
        {"tpr": (0.8, 1.0), "standardize": None},
        # Over the sensitivities from 0.8 to 1 the diagonal leaves 0.2 to 0.
        constant=lambda p: 0.02,
        perfect=lambda p: 0.2,
    ),
    # The diagonal has the triangle from 0.35 to 0.6 of a rectangle.
    case("two-way", BOTH, worst=lambda p: (1 - 0.03125 / 0.26875) / 2, **HALF),
    case(
        "a weight on the false positive rate",
        {"fpr": rates.beta(1, 2)},
        _falling,
        worst=lambda p: 0.25,
        **HALF,
    ),
    case(
        "a weight on the true positive rate",
        {"tpr": rates.beta(2, 1)},
        _rising,
        worst=lambda p: 0.25,
        **HALF,
    ),
]

# Corners at (0, 1/2), (1/2, 1/2), (1/2, 1) and (1, 1).
Y_TRUE, Y_SCORE = [1, 0, 1, 0], [4, 3, 2, 1]


@looped(
    "window, expected",
    [
        ({}, 3 / 4),
        ({"fpr": (0, 1 / 4)}, 1 / 4 * 1 / 2),
        ({"fpr": (1 / 4, 3 / 4)}, 1 / 8 + 1 / 4),
        ({"tpr": (0, 1 / 2)}, 1 / 2 * 1),
        ({"tpr": (3 / 4, 1)}, 1 / 4 * 1 / 2),
        ({"fpr": (1 / 4, 1), "tpr": (1 / 4, 1)}, 1 / 4 * 1 / 4 + 1 / 2 * 3 / 4),
        ({"fpr": (0, 1 / 2), "tpr": (1 / 2, 1)}, 0),
        ({"fpr": (1 / 2, 1), "tpr": (0, 1 / 2)}, 1 / 4),
    ],
)
def test_by_hand(window, expected):
    found = partial_auc_score(Y_TRUE, Y_SCORE, standardize=None, **window)
    assert found == pytest.approx(expected, abs=1e-15)


def ends():
    """Draw windows, some of whose ends are where curves of few cases have corners."""
    end = st.one_of(
        st.floats(0, 1), st.sampled_from([0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 1])
    )
    window = st.tuples(end, end).filter(lambda ends: ends[1] - ends[0] > 1e-3)
    return st.one_of(st.none(), window)


@given(sample=ranked_samples(weighted=True), fpr=ends(), tpr=ends())
def test_any_window_is_that_of_fractions(sample, fpr, tpr):
    groups = Groups(*map(list, sample))
    options = {"fpr": fpr, "tpr": tpr, "standardize": None}
    found = partial_auc_score(*sample[:2], sample_weight=sample[2], **options)
    assert found == pytest.approx(oracle.partial_auc(groups, **options), abs=1e-14)


# Outcome after aneurysmal subarachnoid haemorrhage (Turck and others 2010), 1 if poor:
# by the grade of the World Federation of Neurological Surgeons from 5 to 1, and of each
# patient in decreasing order of a marker, NDKA, ties in brackets.
WFNS = RankTable([18, 8, 1, 12, 2], [4, 8, 3, 20, 37])
IN_ORDER = (
    "101010100111100010011110000100011(10)001101100100(10)0100000100101110000001001000"
    "0(10)10(00)01001100000010000000001110010"
)
GROUPS = re.findall(r"\d|\(\d+\)", IN_ORDER)
NDKA = RankTable(*([group.count(label) for group in GROUPS] for label in "10"))
# What pROC gives, see tests/data/README.md: the area and that by McClish's standard.
PROC = [
    (WFNS, {"fpr": (0, 0.1)}, 0.0334417344173442, 0.649693339038653),
    (WFNS, {"fpr": (0.1, 0.2)}, 0.0598373983739837, 0.763749402199904),
    (WFNS, {"fpr": (0.5, 1)}, 0.488134475939354, 0.952537903757416),
    (WFNS, {"fpr": (0, 1)}, 0.823678861788618, 0.823678861788618),
    (WFNS, {"tpr": (0.9, 1)}, 0.0400999322493225, 0.68473648552275),
    (WFNS, {"tpr": (0.8, 0.9)}, 0.0609953703703703, 0.770561002178649),
    (WFNS, {"tpr": (0, 0.5)}, 0.483358739837398, 0.933434959349593),
    (NDKA, {"fpr": (0, 0.1)}, 0.0107046070460705, 0.530024247610897),
    (NDKA, {"fpr": (0.1, 0.2)}, 0.0277777777777778, 0.575163398692811),
    (NDKA, {"fpr": (0.5, 1)}, 0.416836043360434, 0.667344173441734),
    (NDKA, {"tpr": (0.8, 0.9)}, 0.0242547425474255, 0.554439662043679),
    (NDKA, {"tpr": (0, 0.5)}, 0.428523035230352, 0.714092140921409),
]


@looped("table, window, area, standardized", PROC)
def test_it_is_what_proc_gives(table, window, area, standardized):
    # To the 15 digits that are known of it.
    found = partial_auc_score(table, standardize=None, **window)
    assert found == pytest.approx(area, abs=1e-14)
    assert partial_auc_score(table, **window) == pytest.approx(standardized, abs=1e-14)


def test_below_the_diagonal_it_is_a_number_where_proc_has_none():
    window = {"tpr": (0.9, 1)}
    area = partial_auc_score(NDKA, standardize=None, **window)
    assert area == pytest.approx(0.0037940379403794, abs=1e-14)
    # The diagonal has 0.1^2 / 2.
    expected = (1 + (area - 0.005) / (0.1 - 0.005)) / 2
    assert partial_auc_score(NDKA, **window) == pytest.approx(expected, abs=1e-14)
    assert expected < 0.5


@given(ranked_samples())
def test_the_slopes_of_the_whole_square_are_those_of_the_auc(ranked):
    with warnings.catch_warnings():
        # Of a class of one case no variance is known.
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        expected = estimate("roc_auc", *ranked[:2])
        for options in ({}, {"fpr": "uniform"}, {"tpr": "uniform"}):
            found = estimate(partial_auc_score, *ranked[:2], **options)
            assert_allclose(
                [found.standard_error, *found.confidence_interval],
                [expected.standard_error, *expected.confidence_interval],
                rtol=0,
                atol=1e-12,
            )


@looped(
    "options",
    [
        EARLY,
        BOTH,
        {"tpr": (0.2, 0.9)},
        {"fpr": rates.beta(2, 9)},
        {"tpr": rates.beta(2, 1)},
    ],
)
@looped("n_samples", [300, 60_000])
def test_cases_and_groups_are_two_ways_to_one_area(options, n_samples):
    rng = np.random.default_rng(6)
    y_true = rng.random(n_samples) < 0.4
    y_score = rng.normal(size=n_samples) + y_true
    # Halves are no cases.
    table = RankTable.from_arrays(
        y_true, y_score, sample_weight=np.full(n_samples, 0.5)
    )
    assert table.labels is None
    found = partial_auc_score(y_true, y_score, **options)
    assert found == pytest.approx(partial_auc_score(table, **options), abs=1e-13)


@looped("distribution", [(0.5, 3), (3, 0.1)])
def test_a_weight_of_unbounded_density_has_a_standard_error(distribution):
    y_true, y_score = sample(5, n=400, shift=2, decimals=9)
    # A positive is at either end, where all negatives are on one side of it.
    y_score[np.flatnonzero(y_true)[:2]] = -9, 9
    delta, bootstrap = (
        estimate(
            partial_auc_score, y_true, y_score, fpr=rates.beta(*distribution),
            method=method, n_resamples=400, random_state=0,
        ).standard_error
        for method in ("delta", "bootstrap")
    )  # fmt: skip
    # Three standard errors of a standard deviation over 400 resamples.
    assert delta == pytest.approx(bootstrap, rel=3 / np.sqrt(2 * 400))


ALPHA = 7.0


@given(ranked_samples(n_scores=40))
def test_croc_is_an_exponential_weight(ranked):
    y_true, y_score, _ = ranked
    y_score = y_score + np.arange(len(y_score)) / 1e3
    expected = oracle.croc_area(y_true, y_score, ALPHA)
    distribution = stats.truncexpon(b=ALPHA, scale=1 / ALPHA)
    found = partial_auc_score(y_true, y_score, fpr=distribution, standardize=None)
    assert found == pytest.approx(expected, abs=1e-12)
    # Its part beyond 1 adds the same to every ranking, which the standard takes out.
    found = partial_auc_score(y_true, y_score, fpr=rates.exponential(ALPHA))
    chance = 1 / ALPHA - 1 / math.expm1(ALPHA)
    standardized = 1 - (1 - expected) / (1 - chance) / 2
    assert found == pytest.approx(standardized, abs=1e-12)


BAD = {
    "reversed": ({"fpr": (0.2, 0.1)}, r"fpr must be .* got \(0.2, 0.1\), which is rev"),
    "empty": ({"tpr": (0.5, 0.5)}, r"tpr must be .* got \(0.5, 0.5\), which is empty"),
    "beyond 1": ({"fpr": (0, 10)}, r"fpr must be .* 0 <= low < high <= 1, got \(0, 10"),
    "a number": ({"fpr": 0.1}, r"fpr must be .* got 0.1: .*fpr=\(0, 0.1\)"),
    "three numbers": ({"tpr": (0, 0.1, 0.2)}, r"tpr must be a window \(low, high\)"),
    "a word": ({"fpr": "early"}, "fpr must be a window .* got 'early'"),
    "a fixed rate": ({"fpr": rates.fixed(0.1)}, "fpr must be a distribution with"),
    "a law on both": (
        {"fpr": "uniform", "tpr": (0, 1)}, "fpr is .*leave out tpr"
    ),
    "a law beside a window": (
        {"fpr": (0, 1), "tpr": "uniform"}, "tpr is .*leave out fpr"
    ),
    "below the diagonal": (
        {"fpr": (0.6, 1), "tpr": (0, 0.5)}, r"fpr=\(0.6, 1.0\) and tpr=.* below the"
    ),
    "all at the end of fpr": (
        {"fpr": rates.beta(1e16, 1)}, "fpr.* 1: .*standardize=None"
    ),
    "all at the end of tpr": (
        {"tpr": stats.norm(-0.139, 0.0146)}, "tpr.* 0: .*standardize=None"
    ),
    "too narrow": ({"fpr": (0, 1e-320)}, "fpr=.* is too narrow"),
    "mass below 0": (
        {"fpr": stats.norm(0.1, 0.1)},
        "fpr has 0.159 of its probability at or below 0, .* such as stats.truncnorm",
    ),
    "mass above 1": (
        {"tpr": stats.norm(0.9, 0.1)},
        "tpr has 0.159 of its probability at or above 1, .* such as stats.truncnorm",
    ),
    "another standard": ({"standardize": "max"}, "standardize must be one of"),
}  # fmt: skip


@looped("name", BAD)
def test_what_is_no_part_of_the_square_is_refused(name):
    options, message = BAD[name]
    for call in (
        lambda: partial_auc_score(Y_TRUE, Y_SCORE, **options),
        lambda: estimate(partial_auc_score, Y_TRUE, Y_SCORE, **options),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@looped("axis, mean, cut", [("fpr", 0.9, (-9, 1)), ("tpr", 0.1, (-1, 9))])
def test_mass_at_the_other_end_counts_alike_for_all_rankings(axis, mean, cut):
    y_true, y_score = [1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1]
    whole, part = stats.norm(mean, 0.1), stats.truncnorm(*cut, mean, 0.1)
    assert partial_auc_score([1, 0], [2, 1], **{axis: whole}) == 1
    found = [
        partial_auc_score(y_true, y_score, **{axis: distribution})
        for distribution in (whole, part)
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-9)


@looped(
    "window, least",
    [({"tpr": (0.8, 1)}, "4 positives"), ({"fpr": (0, 0.1)}, "4 negatives")],
)
def test_a_window_of_few_cases_is_warned_of_where_models_are_compared(window, least):
    rng = np.random.default_rng(0)

    def sample(n_pos, n_neg):
        y_true = np.repeat([1, 0], [n_pos, n_neg])
        return y_true, *(rng.normal(size=len(y_true)) + y_true for _ in "ab")

    with pytest.warns(UserWarning, match=rf"{least}"):
        compare(partial_auc_score, *sample(20, 40), **window)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(partial_auc_score, *sample(25, 50), **window)
        compare(partial_auc_score, *sample(5, 5))
        permuted = {"method": "permutation", "n_resamples": 9}
        compare(partial_auc_score, *sample(20, 40), **window, **permuted)


def height(f):
    """Return the curve of two normal classes, ``SHIFT`` apart."""
    return stats.norm.sf(stats.norm.isf(f) - SHIFT)


def true_area(fpr=(0, 1), tpr=(0, 1)):
    """Return the area under that curve, by quadrature."""
    if not isinstance(fpr, tuple):
        return integrate.quad(lambda f: height(f) * fpr.pdf(f), 0, 1)[0]
    bends = stats.norm.sf(stats.norm.isf(tpr) + SHIFT)
    bends = [f for f in bends if fpr[0] < f < fpr[1]] or None
    return integrate.quad(
        lambda f: np.clip(height(f), *tpr) - tpr[0], *fpr, points=bends
    )[0]


@pytest.mark.slow
@each_window
def test_the_standard_error_is_the_spread_and_the_interval_covers(name):
    rng, y_true = np.random.default_rng(0), np.repeat([1, 0], [60, 240])
    options = WINDOWS[name] | {"standardize": None, "stratify": True}

    def drawn(_):
        y_score = rng.normal(size=300) + SHIFT * y_true
        return estimate(partial_auc_score, y_true, y_score, **options)

    found, truth = simulated(1000, drawn), true_area(**WINDOWS[name])
    # The mean may be higher in a sample of this size, since curves are steps.
    assert_errors_are_the_spread(found, slack=0.06)
    values = [one.value for one in found]
    error_of_mean = np.std(values) / np.sqrt(len(found))
    assert np.mean(values) == pytest.approx(truth, rel=0.03, abs=3 * error_of_mean)
    assert_share(held(found, truth), at_least=0.92)


@pytest.mark.slow
@each_window
def test_the_paired_test_keeps_its_level_and_has_power(name):
    def test(*samples):
        return compare(partial_auc_score, *samples[:3], **WINDOWS[name])

    y_true = np.repeat([1, 0], [80, 320])
    assert_level_and_power(test, 500, lambda rng: y_true, SHIFT, (0.8, 2.5))
