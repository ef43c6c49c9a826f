"""The default interval: against its definition, and what it must never do."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from scipy import optimize, special, stats
from sklearn.exceptions import UndefinedMetricWarning

from guarantees import assert_share, simulated
from skrate import (
    RankTable,
    average_precision_score,
    compare,
    estimate,
    expected_gain_score,
    partial_auc_score,
    rate_weighted_auc_score,
    rates,
    recall_at_rate_score,
)
from skrate.inference import evaluation
from skrate.inference.evaluation import Difference
from skrate.inference.intervals import hybrid_interval, unseen_variance
from skrate.inference.models import evaluate
from skrate.inference.options import Plan
from skrate.inference.rankings import check_sample, find_rankings
from skrate.inference.variance import class_influence
from skrate.metrics.hypothesis_tests import ConfidenceInterval
from skrate.metrics.metric import find_metric
from skrate.metrics.momentum import momentum_score
from strategies import ranked_samples

RATE = rates.beta(3, 19)
METRICS = [
    ("roc_auc", {}),
    (rate_weighted_auc_score, {"rate": RATE}),
    (rate_weighted_auc_score, {"rate": rates.beta(2, 2)}),
    (recall_at_rate_score, {"rate": RATE}),
    (average_precision_score, {}),
    (average_precision_score, {"adjusted": True}),
]


def literal_wilson_of_the_auc(y_true, y_score, level, clusters=None):
    """Return the interval by pairs of weighted cases, and a search for its ends.

    A tenth of a case of each class is added, half of it above and half below all.
    """
    y_true, y_score = np.asarray(y_true, bool), np.asarray(y_score, float)
    pos, neg = y_score[y_true], y_score[~y_true]
    beyond = [y_score.max() + 1, y_score.min() - 1]
    sizes = np.array([len(pos), len(neg)])
    of_pos = np.concatenate([np.ones(len(pos)), [0.05, 0.05]])
    of_neg = np.concatenate([np.ones(len(neg)), [0.05, 0.05]])
    pos, neg = np.concatenate([pos, beyond]), np.concatenate([neg, beyond])
    wins = (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)
    by_pos = wins @ of_neg / of_neg.sum()
    by_neg = of_pos @ wins / of_pos.sum()
    center = of_pos @ by_pos / of_pos.sum()
    parts = [
        weight @ (placed - center) ** 2 / weight.sum() / (weight.sum() - 1)
        for weight, placed in ((of_pos, by_pos), (of_neg, by_neg))
    ]
    variance = sum(parts)
    dof = variance**2 / sum(np.square(parts) / (sizes - 1))
    quantile = special.stdtrit(max(dof, 1), (1 + level) / 2)
    value = wins[:-2, :-2].mean()

    def excess(x):
        return (x - value) ** 2 - quantile**2 * variance * x * (1 - x) / (
            center * (1 - center)
        )

    # At 0 and 1 the value itself is a root, too.
    inner = min(max(value, 1e-9), 1 - 1e-9)
    low = 0.0 if value == 0 else optimize.brentq(excess, 0, inner, xtol=1e-14)
    high = 1.0 if value == 1 else optimize.brentq(excess, inner, 1, xtol=1e-14)
    return low, high


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_interval_of_the_auc_is_its_definition(seed, level):
    generator = np.random.default_rng(seed)
    y_true = np.repeat([1, 0], [4 + seed, 15])
    # From hopeless to perfect, with ties.
    y_score = (generator.normal(size=len(y_true)) + seed * y_true).round(1)
    found = estimate("roc_auc", y_true, y_score, confidence_level=level)
    expected = literal_wilson_of_the_auc(y_true, y_score, level)
    assert found.confidence_interval == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("metric", "kwargs"), METRICS)
@given(ranked=ranked_samples(weighted=True))
def test_it_holds_the_value_and_keeps_to_the_range(metric, kwargs, ranked):
    y_true, y_score, weight = ranked
    sizes = np.bincount(np.asarray(y_true, int), minlength=2, weights=weight)
    assume(min(sizes) >= 2)
    weight = np.asarray(weight).astype(int)
    result = estimate(metric, y_true, y_score, sample_weight=weight, **kwargs)
    assume(not np.isnan(result.value))
    low, high = result.confidence_interval
    assert low <= result.value <= high
    assert low < high
    assert high <= 1
    wider = estimate(
        metric, y_true, y_score, sample_weight=weight, confidence_level=0.99, **kwargs
    ).confidence_interval
    assert wider.low <= low
    assert wider.high >= high


def literal_influence(metric, pos, neg):
    """Return the derivatives by the shares of both classes and by the prevalence."""
    step, n_pos, n_neg = 1e-6, pos.sum(), neg.sum()

    def value(pos, neg):
        return metric(RankTable(pos, neg))

    by_class = []
    for own, is_pos in ((pos, True), (neg, False)):
        influence = np.zeros(len(own))
        for i in np.flatnonzero(own):
            moved = [
                own * (1 - s) + s * own.sum() * (np.arange(len(own)) == i)
                for s in (step, -step)
            ]
            high, low = (value(*((m, neg) if is_pos else (pos, m))) for m in moved)
            influence[i] = (high - low) / (2 * step)
        by_class.append(influence)
    n = n_pos + n_neg
    ends = [
        value(pos * (1 + sign * n / n_pos), neg * (1 - sign * n / n_neg))
        for sign in (step, -step)
    ]
    return *by_class, (ends[0] - ends[1]) / (2 * step)


def literal_freedom(influence, weights):
    """Return 2 m / (kurtosis - 1)."""
    of = np.average(influence**4, weights=weights)
    kurtosis = of / np.average(influence**2, weights=weights) ** 2
    return 2 * weights.sum() / (kurtosis - 1)


@pytest.mark.parametrize(
    ("function", "kwargs", "top", "less"),
    [
        (momentum_score, {}, None, 0),
        (partial_auc_score, {"tpr": (0.8, 1), "standardize": None}, 0.2, 1),
        (partial_auc_score, {"fpr": (0, 0.1), "standardize": None}, 0.1, 1),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_what_a_few_cases_decide_has_degrees_of_freedom_by_kurtosis(
    function, kwargs, top, less, seed
):
    generator = np.random.default_rng(seed)
    y_true = generator.permutation(np.repeat([1, 0], [15, 45]))
    y_score = np.round(2 * (generator.normal(size=60) + y_true))
    shown = RankTable.from_arrays(y_true, y_score)
    found = estimate(function, y_true, y_score, **kwargs)

    def metric(table):
        return function(table, **kwargs)

    # A tenth of a case of each class, half of it above and half below all.
    pos, neg = (np.array([0.05, *each, 0.05]) for each in (shown.pos, shown.neg))
    *more, by_prevalence = literal_influence(metric, pos, neg)
    few = literal_influence(metric, shown.pos, shown.neg)[:2]
    u, v = metric(RankTable(pos, neg)), metric(shown)
    p, n = pos.sum() / (pos.sum() + neg.sum()), pos.sum() + neg.sum()
    parts = [
        np.average(of**2, weights=weights) / (weights.sum() - less)
        for of, weights in zip(more, (pos, neg), strict=True)
    ]
    parts.append(by_prevalence**2 * p * (1 - p) / n)
    dofs = [
        (literal_freedom(own, before) + literal_freedom(of, after)) / 2
        for own, of, before, after in zip(
            few, more, (shown.pos, shown.neg), (pos, neg), strict=True
        )
    ]
    least = 3 if function is momentum_score else 1
    dofs = [max(min(a, b), least) for a, b in zip(dofs, (14, 44), strict=True)]
    squares = np.array(parts) ** 2 / [*dofs, 59]
    t = stats.t.ppf(0.975, sum(parts) ** 2 / sum(squares))
    # Momentum may exceed 1, by the approximation that it is.
    top, top_of_more = (top, top) if top else (1.25 * max(1, x) for x in (v, u))
    k = t**2 * sum(parts) / (u * (top_of_more - u))

    def excess(x):
        # As shares of the range.
        return (v - x) ** 2 / top**2 - k * x * (top - x) / top**2

    low, high = found.confidence_interval
    luck = literal_bias(metric, shown)
    if function is momentum_score:
        # By the adjusted average precision, which the AUC divides.
        adjusted = find_metric("average_precision", {"adjusted": True})
        luck = adjusted.excess(shown) / (2 * find_metric("roc_auc").value(shown) - 1)
    below = max(optimize.brentq(excess, 0, v) - max(luck, 0.0), 0.0)
    assert low == pytest.approx(below, rel=1e-6)
    assert high == pytest.approx(optimize.brentq(excess, v, top), rel=1e-6)


def literal_bias(metric, table):
    """Return the bias by the jackknife, with each case of a class left out in turn."""
    value, bias = metric(table), 0.0
    for of_class in range(2):
        lacking = []
        for group, weight in enumerate((table.pos, table.neg)[of_class]):
            counts = [table.pos.copy(), table.neg.copy()]
            counts[of_class][group] -= 1
            if weight:
                lacking += [metric(RankTable(*counts))] * int(weight)
        bias += (len(lacking) - 1) * (np.mean(lacking) - value)
    return bias


@pytest.mark.parametrize("alternative", ["less", "greater", "two-sided"])
@pytest.mark.parametrize("interval", ["wilson", "wald"])
@pytest.mark.parametrize(
    ("function", "kwargs"),
    [(average_precision_score, {}), (partial_auc_score, {"tpr": (0.8, 1)})],
)
def test_pvalues_agree_with_lower_ends_that_are_lowered(
    function, kwargs, interval, alternative
):
    generator = np.random.default_rng(3)
    y_true = generator.random(90) < 0.2
    y_score = generator.normal(size=90) + y_true
    options = {"alternative": alternative, "interval": interval, **kwargs}
    found = estimate(function, y_true, y_score, **options)
    low, high = found.confidence_interval
    ends = {"less": [high], "greater": [low]}.get(alternative, [low, high])
    for end in ends:
        tested = estimate(function, y_true, y_score, null_value=end, **options)
        assert tested.pvalue == pytest.approx(0.05, rel=1e-6)
    symmetric = estimate(function, y_true, y_score, interval="wald", **kwargs)
    low, high = symmetric.confidence_interval
    # The upper end is where it was.
    assert symmetric.value - low > high - symmetric.value + 1e-3


def test_without_a_standard_error_there_is_no_interval():
    # The positives are all in one cluster, without which there are none.
    with pytest.warns(UndefinedMetricWarning):
        result = estimate(
            "roc_auc", [1, 1, 0, 0, 0, 0], [1] * 6, clusters=[0, 0, 1, 1, 2, 2],
            method="jackknife",
        )  # fmt: skip
    assert result.value == 0.5
    assert np.isnan(result.standard_error)
    assert np.isnan(result.confidence_interval).all()


def test_gains_that_may_be_lost_have_an_interval_without_their_skewness():
    generator = np.random.default_rng(8)
    y_true = np.repeat([1, 0], [60, 90])
    y_score = generator.normal(size=150) + y_true
    gain = np.where(y_true, generator.exponential(size=150), 0) - 0.01
    metric = {"metric": expected_gain_score, "gain": gain, "rate": "uniform"}
    plain = estimate(y_true=y_true, y_score=y_score, interval="wald", **metric)
    found = estimate(y_true=y_true, y_score=y_score, **metric)
    # The ends x of Student's interval, t = (value - x) / error, are those of Hall's
    # cubic function of t (1992, The bootstrap and Edgeworth expansion, equation 3.76).
    adds = found.influence
    a = stats.skew(adds) / np.sqrt(len(adds))
    ends = np.array(found.confidence_interval)
    t = (found.value - ends) / found.standard_error
    cubic = t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6
    low, high = plain.confidence_interval
    most = (high - low) / 2 / plain.standard_error
    assert cubic == pytest.approx([most, -most])
    assert found.value - ends[0] < ends[1] - found.value


def test_no_interval_of_gains_is_above_the_greatest_of_all():
    y_true, y_score = np.repeat([1, 0], 20), -np.arange(40)
    gain = np.where(np.arange(40) == 0, 1e6, 1.0)
    metric = {"metric": expected_gain_score, "gain": gain, "normalize": True}
    options = {"rate": 0.5, "confidence_level": 0.99}
    with pytest.warns(UserWarning, match="cap the gains"):
        found = estimate(y_true=y_true, y_score=y_score, **options, **metric)
    assert found.confidence_interval.high == 1e6


def test_a_few_gains_that_make_up_most_of_the_sum_are_warned_of():
    y_true, y_score = np.repeat([1, 0], 20), -np.arange(40)
    even = np.where(y_true, 1.0, 0.0)
    estimate(expected_gain_score, y_true, y_score, gain=even, rate=0.5)
    with pytest.warns(UserWarning, match=r"2.*10"):
        estimate(
            expected_gain_score, y_true, y_score, rate=0.5,
            gain=even + 1e9 * (np.arange(40) < 2),
        )  # fmt: skip


@pytest.mark.parametrize("n_rare", [2, 5, 6, 20])
def test_few_cases_of_a_class_where_few_were_sampled_are_warned_of(n_rare):
    generator = np.random.default_rng(9)
    y_true = np.repeat([1, 0], [40, 60])
    y_score = generator.normal(size=100) + 2 * y_true
    weight = np.where(y_true, 1.0, np.arange(100) % 2 * 9.0 + 1)
    weight[:n_rare] = 10
    models = {"sample_weight": weight, "weights": "sampling"}
    # Wilson's interval allows for it.
    estimate("roc_auc", y_true, y_score, **models)
    models["pos_label"] = 1
    calls = [
        lambda y: estimate("roc_auc", y, y_score, **models, interval="wald"),
        lambda y: compare("roc_auc", y, y_score, y_score**3, **models),
        lambda y: estimate("roc_auc", 1 - y, -y_score, **models, interval="wald"),
    ]
    for call, name in zip(calls, ("positive", "positive", "negative"), strict=True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(y_true)
        expected = rf"AUC may .*{name} samples.* {n_rare} of 40 have a sample_weight"
        assert len(caught) == (n_rare < 6)
        assert all(re.search(expected, str(one.message)) for one in caught)
        assert all(one.filename == __file__ for one in caught)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("roc_auc", {}),
        ("partial_auc", {"fpr": (0, 0.3)}),
        ("average_precision", {"prevalence": 0.02}),
    ],
)
def test_weights_that_are_constant_in_each_class_have_no_effect(name, options):
    rng = np.random.default_rng(3)
    y_true = np.repeat([1, 0], [12, 40])
    scores = rng.normal(size=(2, 52)) + 2.5 * y_true
    weighted = {"sample_weight": np.where(y_true, 0.3, 20.0), "weights": "sampling"}
    for function, arguments in ((estimate, scores[:1]), (compare, scores)):
        plain, same = (
            function(name, y_true, *arguments, **options, **extra)
            for extra in ({}, weighted)
        )
        assert same.value == pytest.approx(plain.value, rel=1e-12)
        assert same.standard_error == pytest.approx(plain.standard_error, rel=1e-9)
        expected = pytest.approx(plain.confidence_interval, rel=1e-9)
        assert same.confidence_interval == expected


def test_positives_of_a_rarely_sampled_stratum_may_be_unseen():
    y_true = np.array([1, 0, 1, 0, 0, 1])
    y_score = np.arange(6, 0, -1.0)
    weight = np.array([1, 10, 1, 1, 10, 1.0])
    metric = find_metric("roc_auc")

    def unseen(weight):
        options = {"sample_weight": weight, "weights": "sampling", "pos_label": 1}
        # The AUC does not depend on the weights' sums: they are balanced by class.
        samples = check_sample(y_true, y_score, **options).balanced
        return unseen_variance(samples, lambda: class_influence(metric, samples))

    # Negatives of weight 21 are beaten with 1, 11 / 21 and 0: their values at the
    # negatives of weight 10, 1 and 10 (ties count half) are those of a positive there.
    of_pos = np.array([1, 11 / 21, 0])
    at_neg = np.array([16, 10.5, 5]) / 21
    of_other = np.average((at_neg - of_pos.mean()) ** 2, weights=[10, 1, 10])
    of_own = np.mean((of_pos - of_pos.mean()) ** 2)
    # A quarter of a positive with the scores of each class.
    share = (10 - 1) / (3 + 0.5 * (10 - 1))
    # DeLong's factor of 3 positives is 3 / 2.
    assert unseen(weight) == pytest.approx(
        0.25 * share**2 * (of_other + of_own) * 3 / 2
    )
    assert unseen(np.where(y_true, 1e4 * weight, weight)) == pytest.approx(
        unseen(weight), rel=1e-12
    )
    # Nothing is added if weights depend on the class alone, or are equal.
    assert unseen(np.where(y_true, 1.0, 20.0)) == 0
    assert unseen(np.ones(6)) == 0


@pytest.mark.filterwarnings("ignore:.*may be too short")
@pytest.mark.parametrize("n_heavy", [0, 2, 12])
def test_differences_allow_for_unseen_positives(n_heavy):
    generator = np.random.default_rng(9)
    y_true = np.repeat([1, 0], [14, 24])
    weight = np.repeat([1.0, 1.0, 9.0], [14, 12, 12])
    weight[:n_heavy] = 9
    scores = generator.normal(size=(2, 38)) + y_true
    options = {"sample_weight": weight, "weights": "sampling"}
    result = compare("roc_auc", y_true, {"a": scores[0], "b": scores[1]}, **options)
    (pair,), matrix = result.pairs, result.covariance
    # How a positive with each pair of scores differs from the mean positive.
    of_pos, of_neg = weight[:14], weight[14:]
    beaten = np.sign(scores[:, :, None] - scores[:, None, 14:]) / 2 + 0.5
    terms = beaten @ of_neg / of_neg.sum()
    terms -= np.average(terms[:, :14], axis=1, weights=of_pos)[:, None]
    # Half a positive of weight 9 with the scores of each class if none was seen, and
    # nothing if twelve were seen.
    n = 1 - n_heavy / 12
    factor = n / 2 * (8 / (of_pos.sum() + 8 * n)) ** 2 * 14 / 13

    def unseen(values):
        squares = np.average(values[:14] ** 2, weights=of_pos)
        return factor * (squares + np.average(values[14:] ** 2, weights=of_neg))

    seen = matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1]
    found = pair.standard_error**2 - seen
    assert found == pytest.approx(unseen(terms[0] - terms[1]), abs=1e-12)
    assert pair.statistic == pytest.approx(pair.value / pair.standard_error)
    # Models with different samples have different missing samples.
    unpaired = Difference(*(_evaluation(y_true, s, options) for s in scores))
    found = unpaired.error_and_draws(unpaired.a.plan)[0] ** 2 - np.trace(matrix)
    assert found == pytest.approx(sum(map(unseen, terms)), abs=1e-12)


def _evaluation(y_true, y_score, options):
    """Return the evaluation of an AUC."""
    rankings = find_rankings(y_true, y_score, **options)
    return evaluate([find_metric("roc_auc")], [rankings], Plan())[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*may be too short")
def test_equal_models_are_seldom_rejected_if_one_chose_the_labelled_samples():
    def rejects(seed):
        generator = np.random.default_rng(seed)
        y_true = generator.random(1500) < 0.06
        a, b = generator.normal(size=(2, 1500)) + 1.5 * y_true
        is_first = a >= np.quantile(a, 0.75)
        drawn = is_first | (generator.random(1500) < 0.06)
        options = {"sample_weight": np.where(is_first, 1, 1 / 0.06)[drawn]}
        options["weights"] = "sampling"
        return compare("roc_auc", y_true[drawn], a[drawn], b[drawn], **options).pvalue

    assert_share(np.array(simulated(500, rejects)) < 0.05, at_most=0.08)


@pytest.mark.filterwarnings("ignore:.*may be too short")
@pytest.mark.parametrize("n_heavy", [0, 5, 6])
def test_unseen_positives_widen_intervals_unless_six_were_seen(n_heavy, monkeypatch):
    generator = np.random.default_rng(9)
    y_true = np.repeat([1, 0], [40, 160])
    y_score = generator.normal(size=200) + 2 * y_true
    weight = np.where(np.arange(200) % 2, 10.0, 1.0)
    weight[:40] = 1
    weight[:n_heavy] = 10

    def distance():
        """Return the k of (value - x)^2 = k x (1 - x) at both ends."""
        options = {"sample_weight": weight, "weights": "sampling", "pos_label": 1}
        result = estimate("roc_auc", y_true, y_score, **options)
        ends = result.confidence_interval
        k = [(result.value - x) ** 2 / (x * (1 - x)) for x in ends]
        assert k[0] == pytest.approx(k[1])
        return k[0]

    found = distance()
    monkeypatch.setattr(evaluation, "unseen_variance", lambda *_: 0.0)
    assert (found > 1.001 * distance()) == (n_heavy < 6)
    assert found >= distance()


def test_the_ends_of_a_difference_are_by_the_far_ends_of_both():
    # The square-and-add limits of Newcombe (1998): to the low end of one and the high
    # end of the other, and the other way round.
    of_a, of_b = ConfidenceInterval(0.6, 0.95), ConfidenceInterval(0.25, 0.7)
    low, high = hybrid_interval((0.9, 0.3), (of_a, of_b))
    assert low == pytest.approx(0.6 - 0.5)
    assert high == pytest.approx(0.6 + np.hypot(0.05, 0.05))


def test_lift_without_variance_has_no_maximum_of_one():
    # A uniform rate has no minimum, so the lift has no maximum.
    for rate in ("uniform", 0.5):
        one = estimate("lift_at_rate", [1, 0, 0] * 4, [1] * 12, rate=rate)
        assert one.value == pytest.approx(1)
        assert one.confidence_interval.low < 0.9
        assert one.confidence_interval.high > 1.1
