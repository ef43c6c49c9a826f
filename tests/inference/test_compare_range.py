"""Two models over a set of distributions: ranges, laws at their ends, statements."""

import pickle
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from threadpoolctl import threadpool_limits

from guarantees import assert_share, held, simulated
from looped import looped
from optional import require
from reference.rate_programs import end_of_range
from set_strategies import sets_of_laws
from skrate import (
    RankTable,
    RateWeightedAUCScorer,
    compare,
    estimate,
    expected_recall_score,
    lift_at_rate_score,
    negative_recall_score,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
)
from skrate.metrics.recall import ExpectedRecall
from skrate.rates.extremes import extremes
from skrate.rates.sets import difference
from strategies import ranked_samples

KNOWN = rates.between({0.025: 0.064, 0.975: 0.288})
METRICS = {
    "expected recall": expected_recall_score,
    "of the negatives": partial(expected_recall_score, of="negatives"),
    "negative recall": negative_recall_score,
    "rAUC": rate_weighted_auc_score,
}
each_metric = looped("metric", METRICS.values())


def sample(seed, n=300, prevalence=0.2, gain=1.0):
    """Return labels and scores of two models, of which b ranks better by a gain."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < prevalence
    shared = rng.normal(size=n) + y_true
    noise = 0.8 * rng.normal(size=(2, n))
    return y_true, shared + noise[0], shared + noise[1] + gain * y_true


def test_by_hand():
    # Recall of a rises from 0 to 1 up to the rate 0.4, that of b up to 0.2 to a half,
    # and to 1 from 0.4 to 0.6.
    y_true, a, b = [1, 1, 0, 0, 0], [5, 4, 3, 2, 1], [5, 3, 4, 2, 1]
    known = rates.between({0.1: 0.3, 0.9: 0.5})
    result = compare(expected_recall_score, y_true, a, b, rate=known)
    # At 0.3, 0.4, 0.5 the difference is 0.25, 0.5, 0.25, and 0 outside of (0.2, 0.6).
    assert_allclose(result.range.high, 0.1 * 0.25 + 0.8 * 0.5 + 0.1 * 0.25)
    assert_allclose(result.range.low, 0.8 * 0.25)
    assert result.law_high.points.tolist() == [0.3, 0.4, 0.5]
    assert_allclose(result.law_high.masses, [0.1, 0.8, 0.1])
    assert_allclose(result.range_a, (0.8 * 0.75 + 0.1 * 1, 0.1 * 0.75 + 0.8 + 0.1))
    assert_allclose(result.range_b, (0.8 * 0.5 + 0.1 * 0.75, 0.05 + 0.6 + 0.1))


@given(cases=ranked_samples(weighted=True, min_size=4), known=sets_of_laws())
def test_the_range_is_that_of_linear_programs(cases, known):
    y_true, a, weights = cases
    b = np.roll(a, 1)
    assume(min(weights @ y_true, weights @ (1 - y_true)) > 1)
    result = compare(
        expected_recall_score, y_true, a, b, rate=known, sample_weight=weights
    )
    knots = np.unique(np.concatenate([edges_of(one, weights) for one in (a, b)]))
    recall = [recall_at(y_true, one, weights, knots) for one in (a, b)]
    for end, value in zip(("low", "high"), result.range, strict=True):
        expected = end_of_range(known, knots, recall[0] - recall[1], end=end)
        assert_allclose(value, expected, rtol=0, atol=1e-9)


def edges_of(scores, weights):
    """Return the rates between groups of tied scores."""
    total = weights.sum()
    return [0.0, *(weights[scores >= score].sum() / total for score in set(scores))]


def recall_at(y_true, scores, weights, knots):
    """Return recall at each rate, literally: by expectation over a tied group."""
    found = []
    for rate in knots:
        budget, recall = rate * weights.sum(), 0.0
        for score in sorted(set(scores), reverse=True):
            group = scores == score
            share = min(max(budget, 0) / max(weights[group].sum(), 1e-300), 1.0)
            recall += share * (weights * y_true)[group].sum()
            budget -= weights[group].sum()
        found.append(recall / (weights @ y_true))
    return np.array(found)


@each_metric
def test_laws_at_the_ends_attain_them(metric):
    y_true, a, b = sample(1)
    for known in (KNOWN, rates.between({0.1: 0.05, 0.5: 0.2}, mean=(0.2, 0.3))):
        result = compare(metric, y_true, a, b, rate=known)
        for value, law in zip(
            result.range, (result.law_low, result.law_high), strict=True
        ):
            assert known.contains(law)
            of_each = [metric(y_true, one, rate=law) for one in (a, b)]
            assert_allclose(value, of_each[0] - of_each[1], rtol=0, atol=1e-12)


@each_metric
def test_distributions_of_all_kinds_are_within_the_range(metric):
    y_true, a, b = sample(3)
    known = {0.1: 0.1, 0.9: 0.4}
    result = compare(metric, y_true, a, b, rate=rates.between(known))
    beta = rates.from_quantiles(known)
    normal = stats.norm(0.25, 0.15 / stats.norm.ppf(0.9))
    pieces = [rates.interval(0, 0.1), rates.interval(0.1, 0.4), rates.interval(0.4, 1)]
    for law in (beta, normal, rates.mixture(pieces, weights=[0.1, 0.8, 0.1])):
        value = compare(metric, y_true, a, b, rate=law).value
        assert result.range.low < value < result.range.high
        low, high = result.confidence_interval
        assert low < value < high


def test_the_ratio_is_the_best_of_charnes_and_cooper():
    y_true, a, b = sample(4, n=40)
    known = rates.between({0.2: 0.1, 0.7: 0.45}, mean=0.3)
    result = compare(rate_weighted_auc_score, y_true, a, b, rate=known)
    p = y_true.mean()
    knots = np.unique(np.append(np.arange(41) / 40, [p, 1 - p]))
    ones = np.ones(40)
    tops = recall_at(y_true, a, ones, knots) - recall_at(y_true, b, ones, knots)
    widths = np.minimum(knots / p, 1) - np.maximum(knots - (1 - p), 0) / p
    for end, value in zip(("low", "high"), result.range, strict=True):
        expected = end_of_range(known, knots, tops, widths, end=end)
        assert_allclose(value, expected, rtol=0, atol=1e-9)


def test_one_distribution_alone_is_compared_as_it_is():
    y_true, a, b = sample(5, n=2_000, gain=0.4)
    narrow = rates.between(support=(0.2, 0.2 + 1e-9))
    result = compare(expected_recall_score, y_true, a, b, rate=narrow)
    alone = compare(expected_recall_score, y_true, a, b, rate=0.2)
    assert_allclose(result.range, [alone.value] * 2, rtol=0, atol=1e-6)
    assert_allclose(result.confidence_interval, alone.confidence_interval, atol=2e-3)
    assert_allclose(result.pvalue, alone.pvalue, rtol=0.1)


MODES = {
    "mode": rates.between({0.025: 0.064, 0.975: 0.288}, mode=(0.1, 0.2)),
    "mode, mean": rates.between({0.1: 0.05, 0.9: 0.3}, mode=0.1, mean=(0.12, 0.16)),
}


@each_metric
@looped("known", MODES.values())
def test_with_a_mode_the_laws_are_mixtures_that_attain_the_ends(metric, known):
    y_true, a, b = sample(19, n=200)
    result = compare(metric, y_true, a, b, rate=known)
    free = rates.between(dict(known.quantiles), mean=known.mean)
    outer = compare(metric, y_true, a, b, rate=free)
    assert outer.range.low < result.range.low < result.range.high < outer.range.high
    ends = zip(result.range, (result.law_low, result.law_high), strict=True)
    for value, law in ends:
        assert known.contains(law)
        of_each = [metric(y_true, one, rate=law) for one in (a, b)]
        assert_allclose(value, of_each[0] - of_each[1], rtol=0, atol=1e-12)
    low, high = result.confidence_interval
    assert low < result.range.low < result.range.high < high
    flat = result.to_dict()
    assert flat["law_low"] == repr(result.law_low)
    assert pickle.loads(pickle.dumps(result)) == result


@looped("seed, known", [*enumerate([KNOWN, KNOWN, KNOWN]), *enumerate(MODES.values())])
@looped("gain", [0, 0.5, 2])
def test_interval_and_pvalue_agree(seed, gain, known):
    y_true, a, b = sample(seed, n=200, gain=gain)
    result = compare(expected_recall_score, y_true, a, b, rate=known)
    low, high = result.confidence_interval
    assert low <= result.range.low <= result.range.high <= high
    assert (result.pvalue < 0.05) == (low > 0 or high < 0)
    assert result.greater == ("b" if high < 0 else "a" if low > 0 else None)
    mirrored = compare(expected_recall_score, y_true, b, a, rate=known)
    assert_allclose(mirrored.range, [-result.range.high, -result.range.low])
    assert_allclose(mirrored.confidence_interval, [-high, -low])
    assert_allclose(mirrored.pvalue, result.pvalue)


def test_alternatives_take_the_side_that_is_asked_for():
    y_true, a, b = sample(6, n=800)
    kinds = ("two-sided", "less", "greater")
    either, less, greater = (
        compare(expected_recall_score, y_true, a, b, rate=KNOWN, alternative=kind)
        for kind in kinds
    )
    assert_allclose(less.pvalue, either.pvalue / 2)
    assert greater.pvalue > 0.5
    assert (either.greater, less.greater, greater.greater) == ("b", "b", None)


@looped("metric", [expected_recall_score, rate_weighted_auc_score])
def test_whole_weights_are_repetitions(metric):
    y_true, a, b = sample(8)
    times = np.random.default_rng(8).integers(0, 3, len(y_true))
    weighted = compare(metric, y_true, a, b, rate=KNOWN, sample_weight=times)
    repeated = [np.repeat(one, times) for one in (y_true, a, b)]
    assert_allclose(
        *(
            [*one.range, *one.confidence_interval, one.pvalue]
            for one in (weighted, compare(metric, *repeated, rate=KNOWN))
        ),
        rtol=0,
        atol=1e-12,
    )


def test_ties_clusters_and_labels_are_taken_as_anywhere():
    pd = require("pandas")
    y_true, a, b = sample(9)
    a, b = np.round(a, 1), np.round(b, 1)
    plain = compare(expected_recall_score, y_true, a, b, rate=KNOWN)
    frame = pd.DataFrame({"y": np.where(y_true, "ill", "well"), "a": a, "b": b})
    named = compare(
        expected_recall_score, frame["y"], frame["a"], b.tolist(), rate=KNOWN,
        pos_label="ill",
    )  # fmt: skip
    assert named == plain
    # Each case four times, as one cluster, is no more than once.
    four = [np.tile(one, 4) for one in (y_true, a, b)]
    places = np.tile(np.arange(len(a)), 4)
    clustered = compare(expected_recall_score, *four, rate=KNOWN, clusters=places)
    assert_allclose(clustered.range, plain.range)
    assert_allclose(clustered.confidence_interval, plain.confidence_interval, atol=0.01)


def test_partials_and_scorers_tell_the_set():
    y_true, a, b = sample(10)
    expected = compare(rate_weighted_auc_score, y_true, a, b, rate=KNOWN)
    for metric in (
        partial(rate_weighted_auc_score, rate=KNOWN),
        RateWeightedAUCScorer(rate=KNOWN),
    ):
        assert compare(metric, y_true, a, b) == expected


def test_each_model_at_its_worst_is_a_number():
    y_true, a, b = sample(11)
    result = compare(rate_weighted_auc_score, y_true, a, b, rate=KNOWN, worst="low")
    for value, scores in ((result.value_a, a), (result.value_b, b)):
        expected = rate_weighted_auc_score(y_true, scores, rate=KNOWN, worst="low")
        assert_allclose(value, expected, rtol=0, atol=1e-12)


@each_metric
def test_its_value_is_that_under_the_distribution_that_says_least(metric):
    for gain in (0.0, 2.0):
        y_true, a, b = sample(17, gain=gain)
        result = compare(metric, y_true, a, b, rate=KNOWN)
        assert KNOWN.contains(result.law)
        alone = compare(metric, y_true, a, b, rate=result.law)
        for name in ("value", "value_a", "value_b"):
            expected = getattr(alone, name)
            assert_allclose(getattr(result, name), expected, rtol=0, atol=1e-12)
        assert result.value == result.value_a - result.value_b
        expected = result.value / result.standard_error
        assert_allclose(result.statistic, expected, rtol=1e-9, atol=1e-12)
        # As the distribution has several rates, it is less than the mean of their
        # standard errors.
        assert alone.standard_error < 1.1 * result.standard_error
    assert_allclose(abs(alone.statistic), abs(result.statistic), rtol=0.3)


@each_metric
@looped("n", [100, 4_000])
def test_equal_models_are_open_and_no_surer_than_under_one_distribution(metric, n):
    y_true, a, _ = sample(12, n=n)
    result = compare(metric, y_true, a, a, rate=KNOWN)
    assert (result.range, result.pvalue, result.greater) == ((0, 0), 1, None)
    low, high = result.confidence_interval
    for law in (result.law_low, result.law_high, result.law):
        alone = compare(metric, y_true, a, a, rate=law).confidence_interval
        assert low <= alone.low < 0 < alone.high <= high


def test_where_all_is_processed_there_is_no_difference():
    y_true, a, b = sample(12)
    for metric in (*list(METRICS.values())[:3], lift_at_rate_score):
        assert compare(metric, y_true, a, b, rate=1.0).confidence_interval == (0, 0)
        found = estimate(metric, y_true, a, rate=1.0)
        assert found.confidence_interval == (found.value, found.value)


def test_one_class_is_undefined():
    for y_true in ([1, 1, 1], [1, 0, 0]):
        with pytest.warns(UndefinedMetricWarning, match="y_true holds") as caught:
            result = compare(
                expected_recall_score, y_true, [3, 2, 1], [1, 2, 3], rate=KNOWN
            )
        assert len(caught) == 1
        ends = [*result.range, *result.confidence_interval]
        assert np.isnan([*ends, result.pvalue]).all()
        assert result.greater is None


def test_a_ratio_is_undefined_where_a_distribution_processes_all_or_none():
    y_true, a, b = sample(13)
    known = rates.between({0.5: 0.2})
    with pytest.warns(UndefinedMetricWarning, match="say more of the rate"):
        result = compare(rate_weighted_auc_score, y_true, a, b, rate=known)
    assert np.isnan([*result.range, result.pvalue]).all()


TABLE = RankTable([3, 2], [1, 4])


@looped(
    "options, message",
    [
        ({"y_true": TABLE, "y_score_a": TABLE, "y_score_b": None}, "y_true is a RankT"),
        ({"y_score_a": {"a": [3, 2, 1], "b": [1, 2, 3]}, "y_score_b": None,
          "worst": "low"}, r"worst='low' .* pair by pair"),
        ({"method": "bootstrap"}, "method has no meaning for a set"),
        ({"stratify": True}, "stratify has no meaning for a set"),
        ({"y_true_b": [1, 0, 1]}, "y_true_b excludes a set of distributions"),
        ({"y_true_b": [1, 0, 1], "metric": ["roc_auc"] * 2}, "must be one, no pair"),
        ({"metric": recall_at_rate_score}, "metric=recall_at_rate_score is none of"),
        ({"metric": "average_precision"}, "average_precision_score is none of"),
        ({"metric": "roc_auc"}, "has no parameter 'rate'"),
        ({"y_score_b": [1.0, float("nan"), 2.0]}, "y_score_b contains NaN"),
        ({"y_score_b": None}, "y_score_b is missing"),
        ({"confidence_level": 1.0}, "confidence_level must be"),
    ],
)  # fmt: skip
def test_what_a_set_does_not_have_is_refused(options, message):
    given = {
        "metric": expected_recall_score, "y_true": [1, 0, 1],
        "y_score_a": [3, 2, 1], "y_score_b": [1, 2, 3], "rate": KNOWN,
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        compare(**{**given, **options})


@each_metric
def test_all_pairs_are_those_compared_alone(metric):
    y_true, a, b = sample(16)
    scores = {"a": a, "b": b, "c": a + b}
    found = compare(metric, y_true, scores, rate=KNOWN, alternative="less")
    alone = [
        compare(metric, y_true, *pair, rate=KNOWN, alternative="less")
        for pair in combinations(scores.values(), 2)
    ]
    assert list(found.pairs) == alone
    assert found.adjusted_pvalues[0] >= alone[0].pvalue
    assert np.isnan(found.covariance).all()
    low, high = alone[0].range
    assert f"a - b  {low:8.4f} to {high:8.4f}  [" in repr(found)
    assert found.to_dict()["range_low"] == [pair.range.low for pair in alone]


def test_the_result_reads_and_pickles():
    y_true, a, b = sample(15, n=2_000)
    result = compare(expected_recall_score, y_true, a, b, rate=KNOWN)
    assert pickle.loads(pickle.dumps(result)) == result
    assert repr(result).startswith("ComparisonRange(Expected recall, a - b: -0.")
    assert "over between({0.025: 0.064, 0.975: 0.288})" in repr(result)
    text = result.describe()
    assert text.startswith("The expected recall of b is greater than that of a under ")
    assert f"by {-100 * result.range.high:.1f} to {-100 * result.range.low:.1f}" in text
    swapped = compare(expected_recall_score, y_true, b, a, rate=KNOWN)
    assert swapped.describe() == text.replace("of b", "of A").replace(
        "of a ", "of b "
    ).replace("of A", "of a")
    flat = result.to_dict()
    assert flat["range_low"] == result.range.low
    assert flat["high"] == result.confidence_interval.high
    assert flat["law_low_points"] == result.law_low.points.tolist()
    still_open = compare(expected_recall_score, y_true, a, a, rate=KNOWN)
    assert "neither is significantly greater under all of them" in still_open.describe()


def population(gain, prevalence):
    """Return the table of all there are of a model of ``sample``, in thin slices."""
    spread = np.hypot(1, 0.8)
    cuts = np.concatenate([[np.inf], np.linspace(12, -9, 20_001), [-np.inf]])
    pos = np.diff(stats.norm.sf((cuts - 1 - gain) / spread))
    neg = np.diff(stats.norm.sf(cuts / spread))
    return RankTable(prevalence * pos, (1 - prevalence) * neg)


@pytest.fixture
def one_thread():
    """Keep products of small matrices from a second thread, which waits for work."""
    with threadpool_limits(1):
        yield


SETS = [
    KNOWN,
    rates.between({0.025: 0.064, 0.975: 0.288}, mean=0.16),
    rates.between({0.1: 0.05, 0.25: 0.1, 0.5: 0.15, 0.75: 0.2, 0.9: 0.3}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "gain"), [(300, 0.7), (2_000, 0.7), (500, 0.0)])
@pytest.mark.usefixtures("one_thread")
def test_the_statement_holds_for_all_distributions_at_once(n, gain):
    curve = ExpectedRecall(0.5).by_rate
    truth = difference(*(curve(population(one, 0.2)) for one in (0.0, gain)))
    reach = [[end.value for end in extremes(known, truth)] for known in SETS]

    def drawn(seed):
        cases = sample(seed, n=n, gain=gain)
        return [compare(expected_recall_score, *cases, rate=known) for known in SETS]

    found = simulated(300, drawn)
    ends = [[one.confidence_interval for one in row] for row in found]
    least, most = np.transpose(reach)
    # No less, and more where several rates are nearly the least.
    assert_share(held(ends, least) & held(ends, most), at_least=0.95)
    if not gain:
        called = [[one.greater is not None for one in row] for row in found]
        assert_share(called, at_most=0.05)
