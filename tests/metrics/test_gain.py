"""Expected gain."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guarantees import assert_errors_are_the_spread, assert_share, held, simulated
from looped import looped
from metric_cases import Case, sample
from reference import expected_gain as reference
from reference.rate_law import Points
from skrate import (
    RankTable,
    compare,
    estimate,
    expected_gain_score,
    hit_curve,
    precision_at_rate_score,
    rates,
    sample_size,
)
from skrate.inference.rankings import check_sample, evaluate_ranking
from skrate.inference.resampling import make_statistic, table_widths, unit_rows
from skrate.metrics.metric import find_metric
from skrate.results import GroupScores
from strategies import ranked_samples

BETA = rates.beta(3, 19)
# Net benefit at a threshold of 0.2.
NET = {"positive": 1, "negative": -0.25}
LEVEL = 0.9
GUARANTEED_RATES = ["uniform", 0.2, rates.beta(3, 9)]
SLOPES_BETA = rates.beta(3, 19)
SLOPES_RATES = [
    0.3,
    1.0,
    "uniform",
    SLOPES_BETA,
    rates.mixture([rates.fixed(0.4), SLOPES_BETA]),
]


def at(rate):
    return Points(np.array([rate]), np.ones(1))


def oracle(groups, gain, rate, normalize):
    assert normalize
    return reference.of_classes(groups, gain, at(rate))


CASES = [
    Case(
        "net benefit",
        expected_gain_score,
        {"gain": NET, "rate": 0.25, "normalize": True},
        constant=lambda p: 0.25 * (p - 0.25 * (1 - p)),
        perfect=lambda p: min(0.25, p) - 0.25 * max(0.25 - p, 0),
        worst=lambda p: max(p - 0.75, 0) - 0.25 * min(0.25, 1 - p),
        oracle=oracle,
        slopes="jump",
        needs_positives=False,
    ),
    Case(
        "net benefit by a beta",
        expected_gain_score,
        {"gain": NET, "rate": BETA, "normalize": True},
        slopes="smooth",
    ),
]

Y_TRUE, Y_SCORE = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]


GAIN = [100, -10, 900, 0]


@looped(
    "options, expected",
    [
        ({"rate": 0.5}, 100 - 10),
        ({"rate": 1}, 990),
        ({"rate": 0.625}, 90 + 900 / 2),
        ({}, (7 * 100 - 5 * 10 + 3 * 900) / 8),
        ({"cost": [1, 1, 3, 1], "rate": 0.5}, 90 + 300),
        ({"cost": [0, 1, 0, 1], "rate": 0.25}, 100 - 5),
        ({"cost": [0, 1, 0, 1], "rate": 0.75}, 990),
        ({"cost": [0, 0, 1, 0], "rate": 1}, 990),
        ({"cost": [1, 1, 0, 2], "rate": 0.5}, 990),
        ({"cost": [1, 2, 0, 7], "rate": 0.3}, 990),
        (
            {"cost": [1, 1, 0, 2], "rate": rates.empirical([0.2, 0.5, 0.5, 1])},
            (80 + 3 * 100) / 4 - 3 * 10 / 4 + 3 * 900 / 4,
        ),
        ({"cost": [0, 1, 1, 1], "rate": rates.empirical([0])}, 100),
        ({"cost": [1, 1, 1, 0], "rate": 1}, 990),
        ({"rate": 0.5, "normalize": True}, 90 / 4),
        ({"sample_weight": [1, 0, 3, 1], "rate": 0.4}, 1000),
    ],
)
def test_by_hand(options, expected):
    found = expected_gain_score(Y_TRUE, Y_SCORE, gain=GAIN, **options)
    assert type(found) is float
    assert found == pytest.approx(expected, rel=1e-14)


def worths(seed, n_samples, *, free=True):
    """Return gains of both signs, and costs, some of them none."""
    rng = np.random.default_rng(seed)
    gain = rng.normal(size=n_samples) * rng.choice([1, 100], n_samples)
    cost = rng.integers(0 if free else 1, 6, n_samples).astype(float)
    cost[0] = 2
    return gain, cost


RATES = [0.3, 1.0, "uniform", BETA, rates.mixture([rates.fixed(0.4), BETA])]


@given(ranked=ranked_samples(), seed=st.integers(0, 99), data=st.data())
def test_what_is_free_is_processed_as_soon_as_all_above_it_is(ranked, seed, data):
    y_score = np.random.default_rng(seed).permutation(len(ranked.y_true))
    gain, cost = worths(seed, len(y_score))
    # Most often the budget ends between two cases.
    spent = data.draw(st.integers(1, int(cost.sum())))
    options = {"gain": gain, "cost": cost, "rate": spent / cost.sum()}
    expected = reference.spent_on(
        y_score.tolist(), gain, cost, Fraction(spent, int(cost.sum()))
    )
    found = expected_gain_score(ranked.y_true, y_score, **options)
    assert found == pytest.approx(expected, abs=1e-9)
    del options["rate"]
    at_shares, gained = hit_curve(ranked.y_true, y_score, **options)
    last = np.flatnonzero(at_shares <= spent / cost.sum() * (1 + 1e-12))[-1]
    if at_shares[last] == pytest.approx(spent / cost.sum(), rel=1e-12):
        assert gained[last] * len(cost) == pytest.approx(expected, abs=1e-9)


@looped("rate", RATES)
@looped("decimals", [1, 9])
def test_classes_are_worth_what_their_cases_are(rate, decimals):
    y_true, y_score = sample(1, decimals=decimals)
    gain = np.where(y_true, 1, -0.25)
    for normalize in (False, True):
        options = {"rate": rate, "normalize": normalize}
        found = expected_gain_score(y_true, y_score, gain=NET, **options)
        alone = expected_gain_score(y_true, y_score, gain=gain, **options)
        assert found == pytest.approx(alone, rel=1e-12)
        # So are their errors, of which one comes from tables and one from cases.
        for stratify in (False, True):
            a, b = (
                estimate(
                    expected_gain_score, y_true, y_score, gain=each, stratify=stratify,
                    **options,
                )
                for each in (NET, gain)
            )  # fmt: skip
            assert a.value == pytest.approx(found, rel=1e-12)
            assert a.standard_error == pytest.approx(b.standard_error, rel=1e-9)
    table = RankTable.from_arrays(y_true, y_score)
    found = expected_gain_score(table, gain=NET, rate=rate)
    alone = expected_gain_score(y_true, y_score, gain=NET, rate=rate)
    assert found == pytest.approx(alone, rel=1e-12)


def test_the_sum_goes_by_weights_and_the_mean_does_not():
    y_true, y_score = sample(2)
    gain, cost = worths(2, 200)
    weights = np.random.default_rng(2).uniform(0.5, 2, 200)
    for each in ({"gain": gain, "cost": cost}, {"gain": gain}, {"gain": NET}):
        score = partial(expected_gain_score, y_true, y_score, rate=BETA, **each)
        found, mean = (
            score(sample_weight=weights, normalize=normalize)
            for normalize in (False, True)
        )
        assert found == pytest.approx(mean * weights.sum(), rel=1e-12)
        doubled = score(sample_weight=2 * weights)
        assert doubled == pytest.approx(2 * found, rel=1e-13)
        equal = score(sample_weight=np.full(200, 0.5))
        assert equal == pytest.approx(score() / 2, rel=1e-13)


BAD = {
    "a gain that is missing": ({"gain": None}, "gain is missing: give one number"),
    "NaN": ({"gain": [1, np.nan, 2, 3]}, "gain contains NaN .first at position 1"),
    "infinity": ({"gain": [1, 2, -np.inf, 3]}, "gain contains infinity"),
    "too short": ({"gain": [1, 2]}, "y_true has 4, gain has 2"),
    "one number": ({"gain": 100}, "gain must be one-dimensional"),
    "words": ({"gain": list("abcd")}, "gain must be numeric"),
    "a class that is none": (
        {"gain": {"positive": 1, "neg": 0}},
        "gain.*'negative'.* 'neg'.*pos_label",
    ),
    "a label for a class": ({"gain": {1: 1}}, r"gain.*'positive'.* 1\b"),
    "no class": ({"gain": {}}, "gain.*none"),
    "a gain of a class that is none": (
        {"gain": {"positive": np.nan}},
        r"gain\['positive'\] must be a finite number, got",
    ),
    "a cost below 0": ({"cost": [1, -2, 1, 1]}, "cost.*negative.*-2"),
    "no cost": ({"cost": [0, 0, 0, 0]}, "cost is zero"),
    "NaN in costs": ({"cost": [1, 1, 1, np.nan]}, "cost contains NaN"),
    "short costs": ({"cost": [1]}, "cost has 1"),
    "no cost of weight": (
        {"cost": [1, 0, 0, 0], "sample_weight": [0, 1, 1, 1]},
        "cost is zero.*weight",
    ),
    "a sum beyond all floats": (
        {"gain": [1e308] * 4, "rate": 1},
        "gain.*sample_weight",
    ),
    "costs beyond all floats": ({"cost": [1e308] * 4}, "cost.*sample_weight"),
    "a budget in money": ({"rate": 5000}, "rate must be a number in"),
    "a word for a flag": ({"normalize": "yes"}, "normalize must be True or False"),
}


@looped("name", BAD)
def test_bad_input_is_named(name):
    options, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        expected_gain_score(Y_TRUE, Y_SCORE, **{"gain": GAIN, **options})


@looped("options", [{"gain": GAIN}, {"gain": NET, "cost": [1] * 4}])
def test_tables_know_no_single_cases(options):
    table = RankTable([3, 2, 0], [0, 2, 5])
    for call in (
        partial(expected_gain_score, table),
        partial(estimate, expected_gain_score, table),
        partial(table.max_error, expected_gain_score),
        partial(GroupScores.from_batches, expected_gain_score, [(Y_TRUE,) * 3]),
    ):
        with pytest.raises(ValueError, match="gain"):
            call(**options)


def test_a_sample_is_planned_for_the_gain_per_case():
    y_true, y_score = sample(6, 300)
    plan = partial(sample_size, expected_gain_score, y_true, y_score, half_width=0.02)
    options = {"gain": NET, "rate": 0.3}
    found = plan(normalize=True, **options)
    pilot = estimate(expected_gain_score, y_true, y_score, normalize=True, **options)
    expected = (1.96 * pilot.standard_error / 0.02) ** 2 * 300
    assert found.n == pytest.approx(expected, rel=0.1)
    with pytest.raises(ValueError, match="normalize=True"):
        plan(**options)
    with pytest.raises(ValueError, match=r"gain.*RankTable"):
        plan(gain=np.ones(300), normalize=True)


@looped("stratify", [False, True])
@looped("n_found", [20, 19, 3])
def test_at_a_known_rate_the_interval_is_that_of_precision_in_units_of_gain(
    n_found, stratify
):
    # So many of the first 20 are positive.
    counts = [n_found, 20 - n_found, 50 - n_found, 30 + n_found]
    y_true = np.repeat([1, 0, 1, 0], counts)
    options = {"rate": 0.2, "stratify": stratify}
    expected = estimate(precision_at_rate_score, y_true, -np.arange(100), **options)
    for normalize, n_samples in ((True, 1), (False, 100)):
        found = estimate(
            expected_gain_score, y_true, -np.arange(100), gain=NET,
            normalize=normalize, **options,
        )  # fmt: skip
        ends = np.array(expected.confidence_interval)
        in_gain = n_samples * 0.2 * (1.25 * ends - 0.25)
        np.testing.assert_allclose(found.confidence_interval, in_gain, atol=1e-12)


def audited(rng, n_samples):
    """Return labels, scores of two equal models, gains and costs that go with both."""
    y_true = rng.random(n_samples) < 0.3
    a, b = rng.normal(size=(2, n_samples)) + y_true
    gain = np.where(y_true, rng.lognormal(0, 0.7, n_samples), -0.2)
    # What gains more costs more.
    return (
        y_true,
        a,
        b,
        gain,
        rng.lognormal(0, 0.5, n_samples) * (1 + 0.3 * np.abs(gain)),
    )


@pytest.mark.slow
@looped("rate", GUARANTEED_RATES)
@looped("n_samples", [100, 400])
def test_intervals_cover_and_tests_keep_their_level(rate, n_samples):
    rng, score = np.random.default_rng(9), expected_gain_score
    y_true, a, _, gain, cost = audited(rng, 1_000_000)
    options = {"rate": rate, "normalize": True}
    truth = score(y_true, a, gain=gain, cost=cost, **options)

    def drawn(_):
        y_true, a, b, gain, cost = audited(rng, n_samples)
        given = options | {"gain": gain, "cost": cost}
        test = compare(score, y_true, a, b, **given)
        return estimate(score, y_true, a, confidence_level=LEVEL, **given), test.pvalue

    found, pvalues = zip(*simulated(3000, drawn), strict=True)
    # Sums of skewed gains are skewed: two hundredths for that.
    assert_share(held(found, truth), at_least=LEVEL - 0.02, at_most=LEVEL + 0.02)
    rejected = np.array(pvalues) < 1 - LEVEL
    assert_share(rejected, at_least=0.99 - LEVEL, at_most=1.01 - LEVEL)
    assert_errors_are_the_spread(found, slack=0.03)


def drawn(seed, n_samples, decimals=9):
    y_true, y_score = sample(seed, n_samples, decimals=decimals)
    rng = np.random.default_rng(seed)
    gain = np.where(y_true, rng.lognormal(3, 1, n_samples), -4)
    return y_true, y_score, gain, rng.lognormal(size=n_samples)


def test_free_cases_have_the_influence_of_nearly_free_ones():
    y_true, y_score, gain, cost = drawn(5, 60)
    cost[::5] = 0
    options = {"gain": gain, "rate": SLOPES_BETA}
    found, near = (
        estimate(expected_gain_score, y_true, y_score, cost=each, **options).influence
        for each in (cost, np.where(cost > 0, cost, 1e-7))
    )
    np.testing.assert_allclose(found, near, rtol=1e-4, atol=1e-4 * np.abs(near).max())


@looped("rate", SLOPES_RATES)
@looped("decimals", [0, 9])
@looped("normalize", [False, True])
def test_what_cases_add_and_what_is_resampled_is_the_value(rate, decimals, normalize):
    y_true, y_score, gain, cost = drawn(12, 90, decimals)
    if decimals:
        # A budget of 0.3 ends where a free case is next.
        cost = np.ones(90)
        cost[np.argsort(-y_score)[[24, 50]]] = 3, 0
        cost[np.argsort(-y_score)[25]] = 0
    else:
        cost[::7] = 0
    options = {"gain": gain, "cost": cost, "rate": rate, "normalize": normalize}
    value = expected_gain_score(y_true, y_score, **options)
    ranked = check_sample(y_true, y_score)
    metric, ranked, _ = evaluate_ranking(
        find_metric(expected_gain_score, options), ranked
    )
    by_gain, by_cost = metric.gain_slopes(ranked.table)
    added = gain * by_gain[ranked.group] + cost * by_cost[ranked.group]
    assert added.mean() == pytest.approx(value, rel=1e-9)
    # No unit of the cost is in it.
    assert cost @ by_cost[ranked.group] == pytest.approx(0, abs=1e-9 * added.sum())
    # Each case once.
    rows = np.ones((1, 90)) @ unit_rows([ranked])
    found = make_statistic([metric], table_widths([ranked]))(rows)
    assert found == pytest.approx(value, rel=1e-12)


@pytest.mark.slow
@looped("rate", SLOPES_RATES[:1] + SLOPES_RATES[2:])
def test_the_delta_method_agrees_with_the_bootstrap(rate):
    y_true, a, gain, cost = drawn(6, 400)
    b = a + np.random.default_rng(0).normal(size=400)
    options = {"gain": gain, "cost": cost, "rate": rate, "stratify": False}
    again = {"method": "bootstrap", "random_state": 0, "n_resamples": 400}
    one = estimate(expected_gain_score, y_true, a, **options)
    resampled = estimate(expected_gain_score, y_true, a, **options, **again)
    value = expected_gain_score(y_true, a, gain=gain, cost=cost, rate=rate)
    assert one.value == pytest.approx(value, rel=1e-14)
    assert resampled.standard_error == pytest.approx(one.standard_error, rel=0.15)
    # Symmetric only if it is asked for: gains are skewed.
    (low, high), middle = one.confidence_interval, one.value
    assert high - middle > 1.1 * (middle - low)
    symmetric = estimate(expected_gain_score, y_true, a, interval="wald", **options)
    low, high = symmetric.confidence_interval
    assert high - middle == pytest.approx(middle - low)
    two = compare(expected_gain_score, y_true, a, b, **options)
    resampled = compare(expected_gain_score, y_true, a, b, **options, **again)
    assert two.value_a == one.value
    assert resampled.standard_error == pytest.approx(two.standard_error, rel=0.15)
    both = compare(expected_gain_score, y_true, {"a": a, "b": b}, **options)
    assert both.pairs[0] == two
    assert both.covariance[0, 0] == pytest.approx(one.standard_error**2)


def test_repeated_cases_and_clusters_are_what_they_are():
    y_true, y_score, gain, cost = drawn(7, 80)
    times = np.random.default_rng(7).integers(1, 4, 80)
    each = np.repeat(np.arange(80), times)
    score = partial(estimate, expected_gain_score, rate=SLOPES_BETA)
    weighted = score(y_true, y_score, gain=gain, cost=cost, sample_weight=times)
    rows = score(y_true[each], y_score[each], gain=gain[each], cost=cost[each])
    assert weighted.value == pytest.approx(rows.value, rel=1e-12)
    assert weighted.standard_error == pytest.approx(rows.standard_error, rel=1e-9)
    # Clusters of equal cases are the cases themselves.
    twice = np.tile(np.arange(80), 2)
    alone = score(y_true, y_score, gain=gain, cost=cost, normalize=True)
    clustered = score(
        y_true[twice], y_score[twice], gain=gain[twice], cost=cost[twice],
        clusters=twice, normalize=True,
    )  # fmt: skip
    expected = alone.standard_error * np.sqrt(80 / 79)
    assert clustered.standard_error == pytest.approx(expected, rel=1e-9)
    # A constant weight is no weight.
    shares = score(
        y_true, y_score, gain=gain, cost=cost, normalize=True, weights="sampling",
        sample_weight=np.full(80, 0.3),
    )  # fmt: skip
    assert shares.standard_error == pytest.approx(alone.standard_error, rel=1e-9)


@looped(
    "options, message",
    [
        ({"method": "jackknife"}, "method='jackknife'"),
        ({"method": "parametric"}, "method='parametric'"),
        ({"method": "bootstrap", "clusters": np.arange(80) // 2}, "method='bootstrap'"),
        (
            {"weights": "sampling", "sample_weight": np.linspace(1, 2, 80)},
            r"normalize=False.*normalize=True",
        ),
    ],
)
def test_what_knows_nothing_of_the_gain_is_refused(options, message):
    y_true, y_score, gain, _ = drawn(8, 80)
    with pytest.raises(ValueError, match=message):
        estimate(expected_gain_score, y_true, y_score, gain=gain, **options)
    score = partial(compare, expected_gain_score, y_true, y_score, -y_score, gain=gain)
    with pytest.raises(ValueError, match="method='permutation'"):
        score(method="permutation")
    with pytest.raises(ValueError, match=r"y_true_b.*gain"):
        score(y_true_b=y_true)


# --- Uplift: the gain is a doubly robust score ------------------------------------


@pytest.mark.filterwarnings("ignore:The interval of the")
@pytest.mark.parametrize(
    ("gain", "score", "autoc", "qini"),
    [
        # Means of the first k minus that of all: 3, 2, 1, 0.
        ([4, 2, 0, -2], [4, 3, 2, 1], 6 / 4, (3 + 2 * 2 + 3 * 1) / 16),
        # Those that tie have their mean: 3, 3, 1, 0.
        ([6, 2, 0, -4], [2, 2, 1, 1], 7 / 4, (3 + 2 * 3 + 3 * 1) / 16),
    ],
)
def test_rank_weighted_effects_are_the_sums_of_grf(gain, score, autoc, qini):
    # As its test "agrees with plain brute-force calculation" has them: the mean over k
    # of the effect of the first k, and that sum with the weights k / n.
    k = np.arange(1, 5)
    asked = "expected_gain", [1, 0, 1, 0], score, np.zeros(4)
    of_gain = {"gain": np.array(gain, float), "normalize": True}
    found = compare(*asked, **of_gain)
    assert found.value == pytest.approx(qini, rel=1e-12)
    found = compare(*asked, rate=rates.empirical(k / 4, weights=1 / k), **of_gain)
    assert found.value * np.sum(1 / k) == pytest.approx(autoc, rel=1e-12)
