"""Two models at every rate, by the public function."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from fold_cases import both_rankings, drawn_folds
from looped import case, looped
from reference import curve_process as literal
from skrate import FoldRankings, compare, compare_curves, recall_at_rate_score
from skrate.inference.compare_curves import CurveComparison
from skrate.inference.curve_evaluation import CurveBounds

RATES = [0.05, 0.1, 0.3, 0.5, 0.8]


def sample(seed=0, n=200):
    generator = np.random.default_rng(seed)
    y_true = (generator.random(n) < 0.3).astype(int)
    a, b = y_true + generator.standard_t(5, size=(2, n))
    return y_true, np.round(a, 1), b


def rankings(y_true, *scores, **given):
    """Return the rankings of models, of lists with an array for each fold."""
    fold = np.repeat(np.arange(len(y_true)), [len(each) for each in y_true])
    joined = {name: np.concatenate(values) for name, values in given.items()}
    return [
        FoldRankings(np.concatenate(y_true), np.concatenate(each), fold, **joined)
        for each in scores
    ]


def same(found, expected, rtol=1e-9):
    """Assert that two comparisons are of the same numbers."""
    for name in ("rates", "value_a", "value_b", "difference", "standard_error"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), atol=1e-12
        )
    np.testing.assert_allclose(found.confidence_interval, expected.confidence_interval)
    np.testing.assert_allclose(found.band, expected.band, rtol=rtol)


def test_a_difference_is_that_of_compare_at_each_rate():
    y_true, a, b = sample()
    found = compare_curves(y_true, a, b, rates=RATES, random_state=0)
    for place, rate in enumerate(RATES):
        one = compare(recall_at_rate_score, y_true, a, b, rate=rate)
        assert found.value_a[place] == pytest.approx(one.value_a)
        assert found.value_b[place] == pytest.approx(one.value_b)
        assert found.difference[place] == pytest.approx(one.value, abs=1e-12)
        assert found.standard_error[place] == pytest.approx(one.standard_error)
    assert (found.n_pos, found.n_neg) == (y_true.sum(), 200 - y_true.sum())


def test_standard_errors_are_those_of_ash_and_hughes_oliver():
    # Confidence bands and hypothesis tests for hit enrichment curves (2022), without
    # the cases that they add: variances and covariance of two recalls by their counts.
    y_true, _, b = sample(11, n=400)
    a = y_true + np.random.default_rng(12).normal(size=400)
    n_pos = y_true.sum()
    p = n_pos / 400
    rates = np.array([40, 100, 240]) / 400
    found = compare_curves(y_true, a, b, rates=rates)
    for place, rate in enumerate(rates):
        above = [np.argsort(np.argsort(-s)) < round(400 * rate) for s in (a, b)]
        whole = [(y_true, s, np.ones(400)) for s in (a, b)]
        lost = [literal.share_at([one], rate) for one in whole]
        recalls = [y_true[chosen].sum() / n_pos for chosen in above]
        variances = [
            k * (1 - k) * (1 - 2 * share) / n_pos
            + share**2 * rate * (1 - rate) / (400 * p**2)
            for k, share in zip(recalls, lost, strict=True)
        ]
        both = above[0] & above[1]
        k12, r12 = y_true[both].sum() / n_pos, both.mean()
        covariance = p * (k12 - recalls[0] * recalls[1]) * (1 - sum(lost))
        covariance += (r12 - rate**2) * lost[0] * lost[1]
        variance = sum(variances) - 2 * covariance / (400 * p**2)
        assert found.standard_error[place] == pytest.approx(np.sqrt(variance))


@looped("metric", ["precision", "lift", "hits", "gain"])
def test_other_metrics_are_the_recall_in_other_units(metric):
    y_true, a, b = sample()
    p, rates = y_true.mean(), np.array(RATES)
    gains = {"benefit": 5, "cost": 2} if metric == "gain" else {}
    found = compare_curves(y_true, a, b, rates=rates, metric=metric, **gains)
    recall = compare_curves(y_true, a, b, rates=rates)
    by = {"precision": p / rates, "lift": 1 / rates, "hits": p, "gain": 5 * p}[metric]
    less = 2 * rates if metric == "gain" else 0
    assert found.value_a == pytest.approx(by * recall.value_a - less)
    assert found.difference == pytest.approx(by * recall.difference)


@looped("design", ["plain", "sampling", "clusters"])
def test_folds_are_cut_each_on_its_own(design):
    y_true, a, b = sample(2)
    fold = np.random.default_rng(0).integers(0, 4, size=200)
    # No two folds have comparable scores.
    a, b = a + 10 * fold, b - 3 * fold
    generator = np.random.default_rng(1)
    weights, clusters, given, kinds = np.ones(200), None, {}, {}
    if design == "sampling":
        weights = generator.uniform(0.5, 2, size=200)
        weights /= weights.mean()
        given, kinds = {"sample_weight": weights}, {"weights": "sampling"}
    if design == "clusters":
        clusters = generator.integers(0, 60, size=200)
        given = {"clusters": clusters}
    pair = both_rankings((y_true, a, b, fold), **given)
    found = compare_curves(*pair, rates=RATES, **kinds)
    rates = np.array(RATES)
    (of_a, psi_a), (of_b, psi_b) = (
        literal.curve("recall", y_true, score, weights, rates, fold) for score in (a, b)
    )
    kind = kinds.get("weights", "frequency")
    variance = np.diag(literal.covariance(psi_a - psi_b, weights, kind, clusters))
    assert found.value_a == pytest.approx(of_a)
    assert found.difference == pytest.approx(of_a - of_b)
    assert found.standard_error == pytest.approx(np.sqrt(variance))


def test_weights_are_relative_to_those_of_the_folds_that_count():
    y_true, a, b = sample(3)
    weights = np.random.default_rng(0).uniform(0.5, 3, size=200)
    folds = [[values[:80], values[80:]] for values in (y_true, a, b, weights)]
    one_class = [np.zeros(40, dtype=int), np.arange(40), np.arange(40), np.full(40, 9)]
    more = [
        [first, extra, last]
        for (first, last), extra in zip(folds, one_class, strict=True)
    ]
    options = {"weights": "sampling", "rates": RATES, "random_state": 0}
    match = "1 of 3 folds"
    with pytest.warns(UndefinedMetricWarning, match=match) as caught:
        found = compare_curves(*rankings(*more[:3], sample_weight=more[3]), **options)
    assert caught[0].filename == __file__
    expected = rankings(*folds[:3], sample_weight=folds[3])
    same(found, compare_curves(*expected, **options))


def comparison(low, high):
    """Return a comparison at the rates 1, 2, ... of which the band is given."""
    rates, zeros = np.arange(1.0, len(low) + 1), np.zeros(len(low))
    band = CurveBounds(np.array(low, dtype=float), np.array(high, dtype=float))
    return CurveComparison(
        metric="recall",
        rates=rates,
        value_a=zeros,
        value_b=zeros,
        difference=zeros,
        standard_error=zeros,
        confidence_interval=band,
        band=band,
        kind="simultaneous",
        confidence_level=0.95,
        n_pos=10,
        n_neg=10,
    )


@looped(
    "low, high, a, b, is_open",
    [
        ([1], [2], [(1, 1)], [], []),
        ([-1], [2], [], [], [(1, 1)]),
        ([-2, -1, -1, -2], [-1, 1, 1, -1], [], [(1, 1), (4, 4)], [(1, 4)]),
        ([-1, -1, -1], [1, 1, 1], [], [], [(1, 3)]),
        ([1, 1, 1], [2, 2, 2], [(1, 3)], [], []),
        ([1, 1, -1], [2, 2, 1], [(1, 2)], [], [(2, 3)]),
        ([-1, 1, -1], [1, 2, 1], [(2, 2)], [], [(1, 2), (2, 3)]),
        ([1, -2, -1], [2, -1, 1], [(1, 1)], [(2, 2)], [(1, 2), (2, 3)]),
        ([-2, -1, 1], [-1, 1, 2], [(3, 3)], [(1, 1)], [(1, 3)]),
        ([-2, -2, -2], [-1, 0, -1], [], [(1, 1), (3, 3)], [(1, 3)]),
        ([np.nan] * 3, [np.nan] * 3, [], [], [(1, 3)]),
    ],
)
def test_winning_rates_go_from_rate_to_rate(low, high, a, b, is_open):
    assert comparison(low, high).winning_rates() == (a, b, is_open)


@looped(
    "max_gap, a, b, is_open",
    [
        (0, [(2, 2), (4, 4), (7, 7)], [(9, 9)], [(1, 2), (2, 4), (4, 7), (7, 9)]),
        (2, [(2, 4), (7, 7)], [(9, 9)], [(1, 2), (4, 7), (7, 9)]),
        (9, [(2, 7)], [(9, 9)], [(1, 2), (7, 9)]),
    ],
)
def test_short_gaps_between_winning_rates_are_joined(max_gap, a, b, is_open):
    low = np.array([-1, 1, -1, 1, -1, -1, 1, -1, -2])
    found = comparison(low, low + 1.5).winning_rates(max_gap=max_gap)
    assert found == (a, b, is_open)


def test_it_says_who_wins_where():
    y_true, a, b = sample(10, n=1000)
    text = repr(compare_curves(y_true, 3 * y_true + b, a, rates=RATES, random_state=0))
    assert text.startswith("CurveComparison(recall at 5 rates from 0.05 to 0.8: a - b ")
    assert "by the simultaneous 95 % band a is better at 0.05 to 0.8" in text
    assert text.endswith("b nowhere)")


def test_too_few_cases_of_a_class_give_nan_with_a_warning():
    message = "The comparison of the recall is undefined: y_true .* 1 positive"
    with pytest.warns(UndefinedMetricWarning, match=message):
        found = compare_curves([1, 0, 0, 0], [1, 2, 3, 4], [4, 3, 2, 1])
    assert np.isnan(found.difference).all()
    assert np.isnan(found.band).all()
    assert found.winning_rates() == ([], [], [(0.25, 0.75)])
    assert repr(found).endswith("from 0.25 to 0.75: undefined)")


MODELS, ONE = {"new": [1, 2, 3, 4], "old": [4, 3, 2, 1]}, {"y_score_b": None}


@looped(
    "options, message",
    [
        ({"metric": "auc"}, "metric"),
        ({"band": "uniform"}, "band"),
        ({"rates": [0, 0.5]}, r"rates.*0.*1.*0"),
        ({"rates": [0.5, 0.2]}, r"rates.*0\.2.*0\.5"),
        ({"rates": [0.5, 1.2]}, "rates"),
        ({"rates": np.linspace(0.1, 0.9, 2001)}, r"rates.*2000.*2001"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"cost": 1}, r"cost.*metric='gain'"),
        ({"benefit": 1}, r"benefit.*metric='gain'"),
        ({"metric": "gain"}, r"metric='gain'.*cost"),
        ({"metric": "gain", "cost": -1}, r"cost.*-1"),
        ({"metric": "gain", "cost": 1, "benefit": 0}, "benefit"),
        ({"y_score_a": [1, 2, np.nan, 4]}, "y_score_a"),
        ({"y_score_b": [1, 2, 3]}, r"y_score_b.*3"),
        ({"clusters": [1, 1, 1, 1]}, "clusters"),
        ({"y_score_b": [[1, 2], [3, 4]]}, "y_score_b"),
        ({"y_score_b": None}, "y_score_b"),
        ({"y_score_a": None}, "y_score_a"),
        ({"y_score_a": MODELS}, "y_score_a"),
        ({"y_score_a": {**MODELS, "c": [1, 2, 3, 4]}, **ONE}, r"y_score_a.*3.*'c'"),
        ({"y_score_a": {"c": [1, 2, 3, 4]}, **ONE}, r"y_score_a.*1.*'c'"),
        ({"y_score_a": {"c": [1, 2, 3, 4], "d": [1, 2]}, **ONE}, r"y_score_a\['d'\]"),
    ],
)
def test_what_cannot_be_is_refused_by_name(options, message):
    given = {"y_score_a": [1, 2, 3, 4], "y_score_b": [4, 3, 2, 1]} | options
    with pytest.raises(ValueError, match=message):
        compare_curves([0, 1, 0, 1], **given)


def test_one_cluster_that_is_left_of_the_folds_is_undefined():
    folds = [[0, 1, 0, 1], [0, 0, 0]], [[1, 3, 2, 4], [1, 2, 3]]
    with (
        pytest.warns(UndefinedMetricWarning, match="1 of 2"),
        pytest.warns(UndefinedMetricWarning, match="clusters puts all folds"),
    ):
        found = compare_curves(
            *rankings(*folds, folds[1], clusters=[[1, 1, 1, 1], [1, 2, 2]]),
            rates=[0.25, 0.5],
        )
    assert np.isnan(found.standard_error).all()


# --- Rankings of folds ---------------------------------------------------------------


@looped("given", ["nothing", "weights", "sampling", "clusters"])
def test_repeats_that_are_all_alike_tell_what_one_tells(given):
    y_true, a, b, fold = drawn_folds()
    rng = np.random.default_rng(1)
    times, cluster = rng.integers(0, 3, 240), 10 * fold + rng.integers(0, 10, 240)
    of_samples = {
        "nothing": {},
        "weights": {"sample_weight": times},
        "sampling": {"sample_weight": 0.1 + rng.random(240)},
        "clusters": {"clusters": cluster, "sample_weight": times},
    }[given]
    options = {"weights": "sampling"} if given == "sampling" else {}

    def found(n):
        more = {name: np.tile(v, n) for name, v in of_samples.items()}
        more["indices"] = np.tile(np.arange(240), n)
        folds = (fold + 10 * np.arange(n)[:, None]).ravel()
        pair = (
            FoldRankings(np.tile(y_true, n), np.tile(scores, n), folds, **more)
            for scores in (a, b)
        )
        return compare_curves(*pair, rates=RATES, random_state=0, **options)

    once, again = found(1), found(2)
    # The root of what is singular has half of the digits.
    same(again, once, rtol=1e-6)
    assert (again.n_pos, again.n_neg) == (once.n_pos, once.n_neg)


def test_rankings_that_do_not_match_are_refused():
    y_true, a, b, fold = drawn_folds()
    one, other = both_rankings((y_true, a, b, fold))
    elsewhere = FoldRankings(y_true, b, (fold + 1) % 3)
    weights = {"sample_weight": np.ones(240)}
    lone = rankings([[0, 0], [1, 1, 1]], *[[[1, 2], [3, 4, 5]]] * 2)
    for given, options, message in (
        ((one, elsewhere), {}, r"y_score_a.*y_true"),
        ((one, b), {}, r"y_score_a.*FoldRankings"),
        ((y_true, other), {}, "y_true"),
        ((one, other, b), {}, r"y_score_b.*None.*y_true"),
        ((y_true,), {}, r"y_score_a.*compare_curves\(a, b\)"),
        (({"a": one, "b": elsewhere},), {}, r"y_true\['b'\].*y_true\['a'\]"),
        (({"a": one, "b": b},), {}, r"y_true\['b'\].*FoldRankings"),
        (({"a": one, "b": other, "c": one},), {}, r"y_true.*3.*'c'"),
        (({"a": one, "b": other}, a), {}, r"y_score_a.*None.*y_true"),
        (({"a": one, "b": other}, None, b), {}, r"y_score_b.*None.*y_true"),
        ((one, other), weights, r"sample_weight.*None.*y_true"),
        (lone, {}, "None of the 2"),
    ):
        with case(message), pytest.raises(ValueError, match=message):
            compare_curves(*given, **options)


def test_curves_include_the_heavy_samples_that_may_be_missing_as_compare_does():
    # One positive in ten has a sampling weight of 20, like most negatives.
    rng = np.random.default_rng(0)
    y_true = np.arange(60) % 3 == 0
    a, b = rng.normal(size=(2, 60)) + y_true
    weight = np.where(y_true & (np.arange(60) % 30 > 0), 1.0, 20.0)
    weight[1:6:2] = 1.0
    rates, options = np.array([0.1, 0.4, 0.8]), {"weights": "sampling"}
    curves = compare_curves(
        y_true, a, b, metric="recall", rates=rates, sample_weight=weight, **options
    )
    errors = [
        compare(
            "recall_at_rate", y_true, a, b, rate=rate, sample_weight=weight, **options
        ).standard_error
        for rate in rates
    ]
    np.testing.assert_allclose(curves.standard_error, errors, rtol=1e-9)
