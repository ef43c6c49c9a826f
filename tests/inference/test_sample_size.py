"""Sample sizes and power: by hand, against formulas, and against what is simulated."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

import reference.sample_size as oracle
from guarantees import binomial_tolerance, simulated, simulations
from looped import looped
from skrate import (
    RankTable,
    average_precision_score,
    compare,
    estimate,
    precision_at_rate_score,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
    sample_size,
)

BUDGET = rates.beta(3, 19)
METRICS = [
    ("roc_auc", {}),
    (average_precision_score, {}),
    (rate_weighted_auc_score, {"rate": BUDGET}),
    (precision_at_rate_score, {"rate": BUDGET}),
    (recall_at_rate_score, {"rate": 0.2}),
]
each_metric = looped("metric, kwargs", METRICS)


def drawn(generator, n, prevalence=0.3, shifts=(1.5, 1.2)):
    """Return labels and the scores of two models, whose errors correlate."""
    y_true = generator.random(n) < prevalence
    y_true[:4] = [True, True, False, False]
    shared, *own = generator.normal(size=(3, n))
    scores = [
        0.8 * shared + 0.6 * one + shift * y_true
        for one, shift in zip(own, shifts, strict=True)
    ]
    return y_true, *scores


PILOT = drawn(np.random.default_rng(3), 120)


def parts_of(metric, kwargs, y_true, *scores):
    values = [estimate(metric, y_true, score, **kwargs).influence for score in scores]
    return oracle.parts_per_case(values[0] - sum(values[1:]), y_true)


# --- Against formulas ----------------------------------------------------------------


def on_a_grid(auc, n_pos, n_neg):
    """Return a pilot of two normal laws, at the quantiles of each."""
    middles = [stats.norm.ppf((np.arange(n) + 0.5) / n) for n in (n_pos, n_neg)]
    y_true = np.repeat([True, False], [n_pos, n_neg])
    shift = np.sqrt(2) * stats.norm.ppf(auc)
    return y_true, np.concatenate([middles[0] + shift, middles[1]])


@looped("n_neg_per_pos", [1, 4])
@looped("auc", [0.6, 0.7, 0.9])
def test_the_auc_of_two_normal_laws_takes_what_formulas_say(auc, n_neg_per_pos):
    pilot = on_a_grid(auc, 1000, 1000 * n_neg_per_pos)
    found = sample_size("roc_auc", *pilot, half_width=0.02, stratify=True)
    asked = auc, n_neg_per_pos, 0.02
    exact = oracle.positives_of_binormal_auc(*asked)
    # Wilson's interval and Student's t are a little wider than 1.96 standard errors.
    assert 0.995 * exact - 1 < found.n_pos < 1.03 * exact + 1
    # Her variance leaves out the covariance of two parameters, which is 0 at 0.5.
    published = oracle.positives_by_obuchowski(*asked)
    assert found.n_pos < 1.03 * published
    if auc == 0.6:
        assert found.n_pos > 0.97 * published
    # With it, it is the variance of the maximum likelihood: a little less.
    joint = oracle.positives_by_obuchowski(*asked, joint=True)
    assert 0.97 * joint < found.n_pos < 1.07 * joint
    assert found.n_neg == pytest.approx(n_neg_per_pos * found.n_pos, abs=n_neg_per_pos)


@each_metric
@looped("alternative", ["two-sided", "greater"])
def test_the_size_is_the_least_that_has_the_power(metric, kwargs, alternative):
    parts, share = parts_of(metric, kwargs, *PILOT), PILOT[0].mean()
    goal = {"difference": 0.07, "alternative": alternative}
    found = sample_size(metric, *PILOT, power=0.9, **goal, **kwargs)
    at = partial(oracle.power, parts, share, **goal)
    assert found.power >= 0.9 > at(found.n - 1)
    assert_allclose(found.power, at(found.n), rtol=1e-5)
    # Of one side it is how far the end of that side is off.
    level = 0.95 if alternative == "two-sided" else 0.9
    width = oracle.half_width(parts, share, found.n, level)
    assert_allclose(found.half_width, width, rtol=1e-8)
    assert found.difference == 0.07


@each_metric
def test_the_size_is_the_least_whose_interval_is_so_narrow(metric, kwargs):
    y_true, first, _ = PILOT
    found = sample_size(metric, y_true, first, half_width=0.05, **kwargs)
    fewer = sample_size(metric, y_true, first, n_samples=found.n - 1, **kwargs)
    assert found.half_width <= 0.05 < fewer.half_width
    both = sample_size(metric, *PILOT, half_width=0.05, **kwargs)
    parts = parts_of(metric, kwargs, *PILOT)
    at = partial(oracle.half_width, parts, y_true.mean())
    assert at(both.n) <= 0.05 < at(both.n - 1)


# A recall at a rate uses another bandwidth for a larger sample.
@looped(
    "metric, kwargs", [*METRICS[:4], ("momentum", {}), ("work_saved", {"recall": 0.8})]
)
def test_the_interval_of_a_plan_is_that_of_copies_of_the_pilot(metric, kwargs):
    y_true, first, _ = PILOT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sample_size(metric, y_true, first, n_samples=600, **kwargs)
        copies = {"sample_weight": np.full(120, 5)}
        expected = estimate(metric, y_true, first, **copies, **kwargs)
    # DeLong divides by one less than the class sizes, 5 times as many for the copies,
    # and the bias by the jackknife of copies is only about a fifth.
    rtol = {"roc_auc": 0.5 / (y_true.sum() - 1), "momentum": 0.01}.get(metric, 1e-3)
    width = np.ptp(expected.confidence_interval)
    assert_allclose(2 * found.half_width, width, rtol=rtol)


@looped("groups", [None, np.arange(120) // 6])
def test_the_interval_of_clusters_or_lists_is_that_of_copies_of_the_pilot(groups):
    data, units = (
        [PILOT[0], PILOT[1]],
        {"clusters": np.arange(120) // 3} if groups is None else {"groups": groups},
    )
    metric = "roc_auc" if groups is None else "ranking_auc"
    found = sample_size(metric, *data, n_samples=600, **units)
    ((name, codes),) = units.items()
    copies = np.concatenate([codes + 120 * i for i in range(5)])
    expected = estimate(metric, *(np.tile(x, 5) for x in data), **{name: copies})
    # Centring divides the variance of m units by (m - 1) / m, with 20 units or more.
    width = np.ptp(expected.confidence_interval)
    assert_allclose(2 * found.half_width, width, rtol=0.5 / 19)


@each_metric
@looped("design", ["plain", "fixed", "clusters", "repeated"])
def test_at_the_size_of_the_pilot_the_interval_is_that_of_the_pilot(
    metric, kwargs, design
):
    options = {
        "plain": {},
        "fixed": {"stratify": True},
        "clusters": {"clusters": np.arange(120) // 3},
        "repeated": {"sample_weight": 1 + np.arange(120) % 3},
    }[design]
    found = compare(metric, *PILOT, **options, **kwargs)
    n = int(np.sum(options.get("sample_weight", np.ones(120))))
    given = None if found.value else 0.1
    goal = {"n_samples": n, "difference": given}
    planned = sample_size(metric, *PILOT, **goal, **options, **kwargs)
    low, high = found.confidence_interval
    assert_allclose(planned.half_width, (high - low) / 2, rtol=1e-9)
    assert planned.difference == pytest.approx(found.value or given, abs=1e-12)


# Of a recall at a rate the share at the cut is averaged over another bandwidth.
@looped("metric, kwargs", METRICS[1:4])
def test_another_prevalence_is_that_of_a_pilot_that_has_it(metric, kwargs):
    # Each negative three times: the same laws, with fewer positives.
    rows = np.repeat(np.arange(120), np.where(PILOT[0], 1, 3))
    rarer = [array[rows] for array in PILOT]
    share = rarer[0].mean()
    given = dict(planned_prevalence=share, **kwargs)
    found = sample_size(metric, *PILOT, difference=0.05, **given)
    expected = sample_size(metric, *rarer, difference=0.05, **kwargs)
    assert found.n == pytest.approx(expected.n, abs=1)
    one = sample_size(metric, *PILOT[:2], half_width=0.05, **given)
    expected = sample_size(metric, *rarer[:2], half_width=0.05, **kwargs)
    assert one.n == pytest.approx(expected.n, abs=1)
    assert one.n_pos == round(one.n * share)
    # The difference of the pilot is that at the prevalence to come.
    found = sample_size(metric, *PILOT, n_samples=500, **given).difference
    assert_allclose(found, compare(metric, *rarer, **kwargs).value, atol=1e-12)


def test_its_own_prevalence_changes_nothing():
    share = PILOT[0].mean()
    plain = sample_size("roc_auc", *PILOT, difference=0.05)
    same = sample_size("roc_auc", *PILOT, difference=0.05, planned_prevalence=share)
    assert same.n == plain.n


# --- Pilots without errors or variation ----------------------------------------------


def test_a_perfect_pilot_is_planned_with_the_rare_errors_that_it_has_not_seen():
    y_true = np.arange(60) < 20
    found = sample_size("roc_auc", y_true, -np.arange(60), half_width=0.02)
    assert found.n > 60


@looped(
    "scores, options, message",
    [
        (PILOT[1:2] * 2, {}, "no variation"),
        (PILOT[1:2] * 2, {"difference": 0.1}, "no variation"),
        (PILOT[1:], {"difference": 0}, "to detect is 0"),
    ],
)
def test_a_pilot_that_says_nothing_is_nan(scores, options, message):
    with pytest.warns(UndefinedMetricWarning, match=message):
        found = sample_size("roc_auc", PILOT[0], *scores, **options)
    assert np.isnan([found.n, found.n_pos, found.power]).all()
    with pytest.warns(UndefinedMetricWarning, match=message):
        found = sample_size("roc_auc", PILOT[0], *scores, n_samples=100, **options)
    assert np.isnan(found.power)
    assert found.n == 100


# --- Form ----------------------------------------------------------------------------


def test_results_read_well_and_become_dicts():
    found = sample_size("roc_auc", *PILOT, difference=0.05)
    text = repr(found)
    assert re.match(
        r"SampleSize\(AUC, n=\d+ \(\d+ positive, \d+ negative\), half width 0\.\d+ at "
        r"95 %, power 0\.8\d* for 0\.05\)$",
        text,
    )
    values = found.to_dict()
    assert values["n"] == found.n
    assert "n_clusters" not in values
    most = sample_size("roc_auc", *PILOT, n_samples=10**18, difference=0.05)
    assert f"n={10**18} " in repr(most)
    for value in (found.n, found.n_pos, found.n_neg):
        assert type(value) is int


@looped(
    "data, options, message",
    [
        (PILOT[:2], {}, "half_width"),
        (PILOT, {"half_width": 0.1, "difference": 0.1}, "half_width"),
        (PILOT, {"half_width": 0}, r"half_width.*0.*0"),
        (PILOT, {"half_width": 0.1, "power": 0.9}, "half_width"),
        (PILOT, {"n_samples": 90, "half_width": 0.1}, r"half_width.*n_samples"),
        (PILOT[:2], {"n_samples": 90, "difference": 0.1}, "y_score_b"),
        (PILOT[:2], {"half_width": 1e-9}, r"half_width=1.*-09"),
        (PILOT, {"difference": np.nan}, r"difference.*nan"),
        (PILOT, {"difference": 5}, "difference=5"),
        (PILOT, {"half_width": 1.1}, r"half_width=1\.1"),
        (PILOT[:2], {"half_width": 0.6}, r"half_width=0\.6"),
        (PILOT, {"power": 1}, r"power.*0.*1.*1"),
        (PILOT, {"power": 0.05}, r"power.*1.*confidence_level.*0\.05"),
        (PILOT, {"confidence_level": 0}, "confidence_level"),
        (PILOT, {"alternative": "more"}, "alternative"),
        (PILOT, {"alternative": "less", "difference": 0.1}, r"difference=0\.1"),
        (PILOT, {"planned_prevalence": 0}, "planned_prevalence"),
        (PILOT, {"planned_prevalence": 0.1, "clusters": np.arange(120) // 2},
         "planned_prevalence"),
        (PILOT, {"stratify": True, "clusters": np.arange(120) // 2},
         "stratify=True"),
        (PILOT, {"stratify": 1}, r"stratify.*True.*False"),
        (PILOT, {"rate": 0.1}, "'rate'"),
        ((PILOT[0], None, PILOT[1]), {}, "y_score_a"),
        ((PILOT[0], PILOT[1][:-1], PILOT[2]), {}, r"y_score_a.*119"),
        ((PILOT[0], PILOT[1], PILOT[2] * np.nan), {}, r"y_score_b.*NaN"),
        ((RankTable([3, 2], [1, 4]), PILOT[1], PILOT[2]), {}, r"y_true.*RankTable"),
        (PILOT, {"n_samples": 10.5}, r"n_samples.*1.*10\.5"),
        (PILOT, {"n_samples": 3}, "n_samples=3"),
        (PILOT, {"alternative": "greater", "difference": -0.1, "n_samples": 90},
         r"difference=-0\.1.*alternative='greater'"),
        (PILOT[:2], {"metric": recall_at_rate_score, "half_width": 0.1, "k": 12},
         "k=12"),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_named(data, options, message):
    options = {"metric": "roc_auc", **options}
    with pytest.raises(ValueError, match=message):
        sample_size(options.pop("metric"), *data, **options)


# --- Against what is simulated -------------------------------------------------------

SETTINGS = [
    ("roc_auc", {}, 450, 0.3, "two-sided"),
    ("roc_auc", {}, 120, 0.1, "two-sided"),
    (rate_weighted_auc_score, {"rate": BUDGET}, 600, 0.3, "greater"),
    (precision_at_rate_score, {"rate": BUDGET}, 900, 0.3, "two-sided"),
    (recall_at_rate_score, {"rate": BUDGET}, 900, 0.1, "two-sided"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "kwargs", "n", "prevalence", "alternative"), SETTINGS
)
def test_the_power_is_how_often_the_test_finds_the_difference(
    metric, kwargs, n, prevalence, alternative
):
    generator = np.random.default_rng(11)
    pilot = drawn(generator, 10_000, prevalence)
    n_simulations = simulations(2000)
    options = {"alternative": alternative, **kwargs}
    found = [
        compare(metric, *drawn(generator, n, prevalence), **options)
        for _ in range(n_simulations)
    ]
    # The difference that there is, as these samples have it on average.
    goal = {"n_samples": n, "difference": float(np.mean([one.value for one in found]))}
    planned = sample_size(metric, *pilot, **goal, **options).power
    rejected = np.mean([one.pvalue < 0.05 for one in found])
    room = max(0.03, binomial_tolerance(planned, n_simulations))
    assert abs(rejected - planned) <= room


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "kwargs"), METRICS[:4])
def test_half_widths_are_realised_on_average(metric, kwargs):
    generator = np.random.default_rng(12)
    pilot = drawn(generator, 10_000)
    n = sample_size(metric, *pilot[:2], half_width=0.05, **kwargs).n
    found = simulated(
        200, lambda _: estimate(metric, *drawn(generator, n)[:2], **kwargs)
    )
    widths = [np.ptp(one.confidence_interval) / 2 for one in found]
    # Three standard errors of the mean of these simulations.
    slack = 3 * np.std(widths) / np.sqrt(len(widths))
    assert_allclose(np.mean(widths), 0.05, rtol=0.05, atol=slack)


@looped("options", [{"half_width": 0.1}, {}])
def test_the_size_for_a_cut_that_the_ranking_decides_is_said_to_be_rough(options):
    rng = np.random.default_rng(0)
    y_true = np.arange(200) % 5 == 0
    a, b = rng.normal(size=(2, 200)) + np.outer([2, 0.5], y_true)
    scores = (a,) if options else (a, b)
    with pytest.warns(UserWarning, match="near one point") as found:
        sample_size("work_saved", y_true, *scores, recall=0.8, **options)
    assert [one.filename for one in found] == [__file__]


def test_a_pilot_of_one_class_says_nothing_of_another_prevalence():
    scores = np.arange(8.0), np.arange(8.0)[::-1]
    with pytest.warns(UndefinedMetricWarning, match="at least 2"):
        found = sample_size("roc_auc", [False] * 8, *scores, planned_prevalence=0.2)
    assert np.isnan(found.n)


@pytest.mark.parametrize("n_pos", [24, 25])
def test_a_pilot_with_few_positives_in_the_window_is_warned_of(n_pos):
    y_true = np.repeat([1, 0], [n_pos, 100])
    y_score = np.random.default_rng(0).normal(size=n_pos + 100) + y_true
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sample_size("partial_auc", y_true, y_score, tpr=(0.8, 1), half_width=0.1)
    assert ["at least 5 positives" in str(one.message) for one in caught] == (
        [True] if n_pos == 24 else []
    )
