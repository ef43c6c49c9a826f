"""Labels of a sample in place of all: values, variances and what they are refused."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, special, stats

import guarantees
import skrate
from looped import case
from optional import require
from reference import estimated_labels as literal
from skrate import (
    RankTable,
    budget_report,
    compare,
    compare_curves,
    curve_band,
    estimate,
    labels,
    select_best,
)

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
SCORES = [8, 7, 6, 5, 5, 4, 3, 3]
SHARES = [Fraction(p, 10) for p in (2, 5, 9, 4, 3, 5, 7, 6)]
PREDICTED = [Fraction(m, 10) for m in (9, 5, 4, 4, 7, 2, 1, 0)]
METRICS = {
    "roc_auc": {}, "average_precision": {}, "recall_at_rate": {"rate": 0.3},
    "precision_at_rate": {"k": 20}, "lift_at_rate": {"rate": 0.1},
    "expected_recall": {"rate": skrate.rates.beta(2, 5)},
    "rate_weighted_auc": {"rate": 0.2},
    "recall_at_fpr": {"fpr": 0.3}, "rate_at_recall": {"recall": 0.7},
    "work_saved": {"recall": 0.6},
    "partial_auc": {"fpr": (0, 0.3), "tpr": (0.2, 1)},
    "recall_at_rate_score": {"rate": 0.3, "of": "negatives"},
    "expected_gain": {"gain": {"positive": 3, "negative": -1}, "rate": 0.4},
}  # fmt: skip


def drawn(chosen, design="independent", shares=SHARES, **options):
    """Return the labels of a sample of the eight cases."""
    given = [y if i in chosen else np.nan for i, y in enumerate(LABELS)]
    return labels.sampled(
        given, np.array(shares, float), prediction=np.array(PREDICTED, float),
        design=design, calibrate=False, **options,
    )  # fmt: skip


def simulated(n=400, seed=0, share=0.5):
    """Return labels, their sample, scores of two models, and predictions."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < 0.3
    a = rng.normal(size=n) + y_true
    b = 0.7 * a + rng.normal(size=n)
    predicted = 1 / (1 + np.exp(1.35 - a))
    given = np.where(rng.random(n) < share, y_true, np.nan)
    return y_true, given, a, b, predicted


def test_values_are_those_of_the_sums_over_pairs_of_two_cases():
    n, half = len(LABELS), [0, 2, 3, 5, 6]
    pos = literal.counts(LABELS, SHARES, PREDICTED, half)
    neg = [1 - x for x in pos]
    found = drawn(half)
    np.testing.assert_allclose(found.pos, np.array(pos, float), rtol=1e-14)
    pairs = literal.ordered_pairs(pos, neg, SCORES) / literal.all_pairs(pos, neg)
    value = skrate.rate_weighted_auc_score(found, SCORES)
    assert value == pytest.approx(float(pairs), rel=1e-13)
    value = skrate.average_precision_score(found, SCORES)
    exact = literal.summed_precision(pos, SCORES) / sum(pos)
    assert value == pytest.approx(float(exact), rel=1e-13)
    for k in range(1, n + 1):
        at = Fraction(k, n) - Fraction(1, 16)
        exact = literal.found_at(pos, SCORES, at) / sum(pos)
        value = skrate.recall_at_rate_score(found, SCORES, rate=float(at))
        assert value == pytest.approx(float(exact), rel=1e-13)


def test_sums_are_unbiased_over_all_samples():
    is_pos = [Fraction(y) for y in LABELS]
    is_neg = [1 - y for y in is_pos]
    sums = {
        "pairs": lambda pos, neg: literal.ordered_pairs(pos, neg, SCORES),
        "all pairs": literal.all_pairs,
        "precision": lambda pos, _: literal.summed_precision(pos, SCORES),
        "found": lambda pos, _: literal.found_at(pos, SCORES, Fraction(2, 5)),
    }
    for name, of in sums.items():
        mean = Fraction(0)
        for chosen, chance in literal.independent_samples(SHARES):
            pos = literal.counts(LABELS, SHARES, PREDICTED, chosen)
            mean += chance * of(pos, [1 - x for x in pos])
        with case(name):
            assert mean == of(is_pos, is_neg)


@pytest.mark.parametrize("design", ["fixed", "strata"])
def test_of_fixed_numbers_sums_are_unbiased_and_pairs_are_off_by_covariances(design):
    strata, sizes = [0] * 8, [(8, 3)]
    samples = literal.samples_of_size(8, 3)
    if design == "strata":
        strata, sizes = [0] * 3 + [1] * 5, [(3, 2), (5, 2)]
        samples = literal.samples_of_two_strata((3, 2), (5, 2))
    shares = [Fraction(sizes[h][1], sizes[h][0]) for h in strata]
    is_pos = [Fraction(y) for y in LABELS]
    away = [y - m for y, m in zip(is_pos, PREDICTED, strict=True)]

    def covariance(i, j):
        n, k = sizes[strata[i]]
        joint = Fraction(k - 1, n - 1) / Fraction(k, n) - 1
        return away[i] * away[j] * joint if strata[i] == strata[j] else 0

    pairs = [(i, j) for i in range(8) for j in range(8) if i != j]
    n_down = [sum(b >= a for b in SCORES) for a in SCORES]
    sums = {
        "pairs": (
            lambda pos, neg: literal.ordered_pairs(pos, neg, SCORES),
            lambda i, j: (
                -Fraction((SCORES[i] > SCORES[j]) + (SCORES[i] >= SCORES[j]), 2)
            ),
        ),
        "all pairs": (literal.all_pairs, lambda i, j: -1),
        "precision": (
            lambda pos, _: literal.summed_precision(pos, SCORES),
            lambda i, j: Fraction(int(SCORES[j] >= SCORES[i]), n_down[i]),
        ),
        "found": (
            lambda pos, _: literal.found_at(pos, SCORES, Fraction(2, 5)),
            lambda i, j: 0,
        ),
    }
    samples = list(samples)
    for name, (of, times) in sums.items():
        mean = Fraction(0)
        for chosen, chance in samples:
            pos = literal.counts(LABELS, shares, PREDICTED, chosen)
            mean += chance * of(pos, [1 - x for x in pos])
        bias = sum(times(i, j) * covariance(i, j) for i, j in pairs)
        with case(name):
            assert mean == of(is_pos, [1 - y for y in is_pos]) + bias
            assert (bias == 0) == (name == "found")


@pytest.mark.parametrize("design", ["independent", "fixed", "strata"])
def test_the_variance_of_a_batch_is_unbiased_over_all_samples(design):
    # Of a sum, whose slopes by the labels are known: found minus a third of the missed.
    slope = np.array([1, 1, 1, 0.6, 0.6, -1 / 3, -1 / 3, -1 / 3])
    shares, strata = SHARES, design
    if design == "independent":
        samples = literal.independent_samples(SHARES)
    elif design == "fixed":
        shares = [Fraction(3, 8)] * 8
        samples = literal.samples_of_size(8, 3)
    else:
        shares, strata = [Fraction(2, 3)] * 3 + [Fraction(2, 5)] * 5, [0] * 3 + [1] * 5
        samples = literal.samples_of_two_strata((3, 2), (5, 2))
    true = float(slope @ LABELS)
    variance, mean, found = 0.0, 0.0, 0.0
    for chosen, chance in samples:
        if not chosen:
            value = float(slope @ np.array(PREDICTED, float))
            variance += float(chance) * (value - true) ** 2
            mean += float(chance) * value
            continue
        batch = drawn(chosen, strata, shares).for_batch()
        value = float(slope @ batch.pos)
        rows = batch.influence(slope, np.zeros(8))
        variance += float(chance) * (value - true) ** 2
        mean += float(chance) * value
        found += float(chance) * float(rows @ rows)
    assert mean == pytest.approx(true, rel=1e-12)
    assert found == pytest.approx(variance, rel=1e-12)


def test_known_labels_give_the_numbers_of_labels():
    y_true, _, a, b, predicted = simulated()
    known = labels.sampled(y_true, 1.0, prediction=predicted)
    for name, params in METRICS.items():
        with case(name):
            assert repr(estimate(name, known, a, **params)) == repr(
                estimate(name, y_true, a, **params)
            )
            assert compare(name, known, a, b, **params) == compare(
                name, y_true, a, b, **params
            )
    assert RankTable.from_arrays(known, a) == RankTable.from_arrays(y_true, a)


def test_influence_is_the_change_by_one_more_label():
    # A little more of each label moves the value by the slope of its case, but for
    # what products of its label with itself do, which is 1 / n_pos of it.
    _, given, a, _, predicted = simulated(600)
    found = labels.sampled(given, 0.5, prediction=predicted, calibrate=False)
    step = 1e-6
    for name, options in (("roc_auc", {}), ("expected_recall", {"rate": "uniform"})):
        rows = estimate(name, found, a, **options).influence
        assert rows.mean() == pytest.approx(0, abs=1e-12)
        values = []
        for i in (3, 17, 40):
            moved = found.pos.copy()
            moved[i] += step
            more = labels.EstimatedLabels(moved, found.noise, "moved")
            before, after = (
                estimate(name, each, a, **options).value for each in (found, more)
            )
            values.append((after - before) / step * len(a))
        is_labelled = ~np.isnan(given)
        slopes = np.zeros(len(a))
        batch = estimate(name, found.for_batch(), a, **options).influence
        seen = is_labelled & (found.noise != 0)
        slopes[seen] = batch[seen] / found.noise[seen]
        for i, value in zip((3, 17, 40), values, strict=True):
            if seen[i]:
                with case(f"{name}, case {i}"):
                    assert slopes[i] == pytest.approx(value, rel=0.02)


def test_what_is_made_of_estimates_agrees_with_them():
    _, given, a, b, predicted = simulated(1000)
    found = labels.sampled(given, 0.5, prediction=predicted)
    curves = compare_curves(found, a, b, rates=[0.1, 0.4], band="pointwise")
    pair = compare("recall_at_rate", found, a, b, rate=0.4)
    assert curves.difference[1] == pytest.approx(pair.value, rel=1e-9)
    assert curves.standard_error[1] == pytest.approx(pair.standard_error, rel=0.02)
    band = curve_band(found, a, metric="precision", at=[0.1, 0.4], band="pointwise")
    one = estimate("precision_at_rate", found, a, rate=0.4)
    assert band.value[1] == pytest.approx(one.value, rel=1e-9)
    report = budget_report(found, {"a": a, "b": b}, rate=0.4)
    recall = next(
        row for row in report.rows if (row.model, row.quantity) == ("a", "recall")
    )
    expected = estimate("recall_at_rate", found, a, rate=0.4).value
    assert recall.value == pytest.approx(expected, rel=1e-12)
    best = select_best("roc_auc", found, {"a": a, "b": b}, random_state=0)
    assert best.value == max(estimate("roc_auc", found, one).value for one in (a, b))


def test_what_takes_no_estimates_says_so():
    _, given, a, *_ = simulated()
    found = labels.sampled(given, 0.5)
    refused = {
        "does not support": lambda: estimate("momentum", found, a),
        "delta": lambda: estimate("roc_auc", found, a, method="bootstrap"),
        "sample_weight": lambda: estimate("roc_auc", found, a, sample_weight=a + 9),
        "known labels are needed": lambda: skrate.ndcg_score(found, a, groups=a > 0),
        "metric='roc'": lambda: curve_band(found, a, metric="roc"),
        "n_items": lambda: budget_report(found, a, rate=0.1, n_items=50),
        "stratify": lambda: estimate("roc_auc", found, a, stratify=True),
    }  # fmt: skip
    for message, call in refused.items():
        with case(message), pytest.raises(ValueError, match=message):
            call()


def test_few_labels_of_a_class_are_warned_of():
    rng = np.random.default_rng(0)
    y_true = rng.random(1_000) < 0.05
    given = np.where(rng.random(1_000) < 0.2, y_true, np.nan)
    found = labels.sampled(given, 0.2)
    with pytest.warns(UserWarning, match="(?i)estimated labels"):
        estimate("roc_auc", found, y_true + rng.normal(size=1_000))


def heavy_positives(n_heavy):
    """Return labels, of which some positives stand for 20 cases, and scores."""
    share = np.repeat([1.0, 0.05], [500, 4_000])
    y_true = np.full(4_500, np.nan)
    y_true[:500] = np.arange(500) % 2
    y_true[500:700] = np.arange(200) < n_heavy
    return y_true, share, -np.arange(4_500.0)


def test_few_positives_that_stand_for_many_cases_are_warned_of():
    y_true, share, score = heavy_positives(5)
    few = labels.sampled(y_true, share, calibrate=False)
    design = share == 1
    taken = labels.sampled(y_true, share, calibrate=False, design=design)[:4_400]
    for found in (few, taken):
        own = score[: len(found)]
        for each in (found, found.for_batch()):
            with pytest.warns(UserWarning, match=r"AUC.*prediction=.* 5 .* 10 .* 6 "):
                estimate("roc_auc", each, own)
        with pytest.warns(UserWarning, match=r"Recall.*prediction=.* 5 .* 10 .* 6 "):
            compare("recall_at_rate", found, own, -own, rate=0.3)
    # The labels are known above this cut; below it, 5 positives count 20 times.
    estimate("precision_at_rate", few, score, rate=0.1)
    # The first 100 below the cut tie.
    tied = np.where((score <= -500) & (score > -600), -500, score)
    estimate("precision_at_rate", few, tied, rate=500 / 4_500)
    with pytest.warns(UserWarning, match="Precision.*prediction="):
        estimate("precision_at_rate", few, score, rate=0.3)
    # Predictions of 0 and 1 do not say how labels vary: 2 of these are wrong.
    guess = np.nan_to_num(y_true)
    guess[500:502] = 0
    for calibrate, n_heavy in ((True, 5), (False, 2)):
        certain = labels.sampled(y_true, share, prediction=guess, calibrate=calibrate)
        message = f"AUC.*prediction=.* {n_heavy} .* 10 .* 6 "
        with pytest.warns(UserWarning, match=message):
            estimate("roc_auc", certain, score)


def test_labels_are_not_known_because_no_other_positive_was_drawn():
    y_true, share, score = heavy_positives(0)
    for design in ("independent", share == 1):
        found = labels.sampled(y_true, share, design=design, calibrate=False)
        with pytest.raises(ValueError, match="SampledLabels"):
            np.asarray(found)
        with pytest.warns(UserWarning, match="AUC.*prediction=.* 0 .* 10 .* 6 "):
            estimate("roc_auc", found, score)
        # Each of 200 labels outside the known cases could have been positive.
        with pytest.warns(UserWarning, match="AUC.*prediction=.* 0 .* 10 .* 6 "):
            batch = estimate("roc_auc", found.for_batch(), score)
        assert batch.confidence_interval.high - batch.confidence_interval.low > 0.01
    independent = labels.sampled(y_true, share)[:500]
    assert np.asarray(independent).tolist() == y_true[:500].tolist()


def test_scores_predict_labels_without_predictions():
    y_true, share, score = heavy_positives(2)
    found = labels.sampled(y_true, share)
    plain = labels.sampled(y_true, share, calibrate=False)
    # Before the scores are known, each label counts by its probability.
    assert found.pos.tolist() == plain.pos.tolist()
    error = estimate("roc_auc", found, score).standard_error
    with pytest.warns(UserWarning, match="prediction="):
        assert error > 1.1 * estimate("roc_auc", plain, score).standard_error
    # Less than 12 labels do not show how those of many samples vary.
    rows = np.r_[:511, 700:900]
    with pytest.warns(UserWarning, match=r"AUC.*prediction=.* 11 .* 10 .* 12 "):
        estimate("roc_auc", found[rows], score[rows])


@pytest.mark.filterwarnings("ignore:The AUC of .* is outside")
def test_scores_predict_labels_of_a_part_of_a_fixed_number():
    y_true, _, score, _, _ = simulated(2_000)
    drawn_rows = np.random.default_rng(0).permutation(2_000) < 400
    seen, score = np.where(drawn_rows, y_true, np.nan), score + 5 * y_true
    errors = [
        estimate(
            "roc_auc", labels.sampled(seen, 0.2, design=design)[:1_500], score[:1_500]
        ).standard_error
        for design in ("independent", "fixed")
    ]
    # The minimum of the variance by the predictions decides.
    assert errors[1] == pytest.approx(errors[0], rel=1e-6)


def test_a_batch_whose_labels_are_all_known_has_no_error():
    y_true, _, a, b, _ = simulated()
    batch = labels.sampled(y_true, 1.0).for_batch()
    value = estimate("roc_auc", y_true, a).value
    result = estimate("roc_auc", batch, a)
    assert result.standard_error == 0
    assert result.confidence_interval == pytest.approx((value, value), rel=1e-12)
    pair = compare("roc_auc", batch, a, b)
    assert pair.confidence_interval == pytest.approx((pair.value,) * 2, rel=1e-12)
    assert pair.pvalue < 1e-9


def test_missing_labels_of_nullable_arrays():
    pd = require("pandas")
    given = pd.array([1, pd.NA, 0, 1], dtype="Int64")
    assert labels.sampled(given, 0.5).pos.tolist() == [2, 0, 0, 2]


def test_bad_input_is_named():
    drawn = [1, 0] * 100
    wrong = {
        "probability.* 1 for 1 ": lambda: labels.sampled([1, None], 1.0),
        "probability.* 10 labels.*y_true has 200": lambda: labels.sampled(drawn, 0.05),
        "y_true is a masked array": lambda: labels.sampled(
            np.ma.masked_array([1, 0], mask=[False, True]), 0.5
        ),
        "probability.*got 0": lambda: labels.sampled([1, None, 0], [0.5, 0, 1]),
        "probability.* 2 samples, got 3": lambda: labels.sampled([1, 0], [1, 1, 1]),
        "prediction must be": lambda: labels.sampled([1, None], 0.5, prediction=[2, 0]),
        "calibrate must be": lambda: labels.sampled([1, 0], 1, calibrate="yes"),
        "y_true.*missing": lambda: labels.sampled([None, None], 0.5),
        "design.*'independent'": lambda: labels.sampled(
            [1, 0, None, None], 0.1, design="fixed"
        ),
        "design.* 2 labels": lambda: labels.sampled(
            [1, None, 0, None], 0.5, design=[0, 0, 1, 1]
        ),
        "design must be": lambda: labels.sampled([1, 0], 1.0, design="random"),
    }
    for message, call in wrong.items():
        with case(message), pytest.raises(ValueError, match=message):
            call()


@pytest.mark.slow
@pytest.mark.parametrize("scope", ["population", "batch"])
def test_intervals_cover(scope):
    rng = np.random.default_rng(7)
    n_samples = guarantees.simulations(400)
    params = {"roc_auc": {}, "recall_at_rate": {"rate": 0.1}}

    def draw(n):
        y_true = rng.random(n) < 0.1
        scores = rng.standard_t(5, size=n) + 1.5 * y_true
        return y_true, scores, 1 / (1 + np.exp(3.3 - 1.3 * scores))

    y_all, s_all, _ = draw(400_000)
    truth = {m: estimate(m, y_all, s_all, **k).value for m, k in params.items()}
    covered = dict.fromkeys(params, 0)
    for _ in range(n_samples):
        y_true, scores, predicted = draw(2_000)
        share = 0.05 + 0.5 / (1 + np.exp(-2 * (scores - 1.5)))
        given = np.where(rng.random(2_000) < share, y_true, np.nan)
        found = labels.sampled(given, share, prediction=predicted)
        if scope == "batch":
            found = found.for_batch()
        for metric, options in params.items():
            low, high = estimate(metric, found, scores, **options).confidence_interval
            true = truth[metric]
            if scope == "batch":
                true = estimate(metric, y_true, scores, **options).value
            covered[metric] += low <= true <= high
    for metric, count in covered.items():
        with case(metric):
            least = 0.95 - guarantees.binomial_tolerance(0.95, n_samples)
            assert count / n_samples >= least


@pytest.mark.slow
def test_few_heavy_positives_are_warned_of_or_predicted():
    # Cases outside both top tenths have a probability of 0.05: of 4,000 cases about 2
    # such positives are drawn. Scores of the challenger are normal in each class.
    shift, spread, prevalence = 2.15, np.sqrt(1.09), 0.05
    cut = optimize.brentq(
        lambda x: (
            prevalence * stats.norm.sf(x, shift, spread)
            + (1 - prevalence) * stats.norm.sf(x, 0, spread) - 0.1
        ), 0, 5,
    )  # fmt: skip
    samples = {
        "recall_at_rate": ({"rate": 0.1}, stats.norm.sf(cut, shift, spread)),
        "roc_auc": ({}, stats.norm.cdf(shift / spread / np.sqrt(2))),
    }
    rng, n_samples = np.random.default_rng(0), guarantees.simulations(200)
    is_right, (is_warned, without_heavy) = np.zeros((2, 2)), np.zeros((2, 2))
    for _ in range(n_samples):
        y_true = rng.random(4_000) < prevalence
        a = rng.normal(size=4_000) + 1.5 * y_true
        b = 0.3 * a + rng.normal(size=4_000) + 1.7 * y_true
        share = np.where(b >= np.quantile(b, 0.9), 0.25, 0.05)
        share[a >= np.quantile(a, 0.9)] = 1
        seen = np.where(rng.random(4_000) < share, y_true, np.nan)
        log_odds = special.logit(prevalence) + 1.5 * a - 1.125 + 1.7 * (b - 0.3 * a)
        known = special.expit(log_odds - 1.445)
        for i, (metric, (params, truth)) in enumerate(samples.items()):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                plain = labels.sampled(seen, share, calibrate=False)
                estimate(metric, plain, b, **params)
            is_warned[i] += len(caught) > 0
            for j, prediction in enumerate([known, None]):
                found = labels.sampled(seen, share, prediction=prediction)
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    low, high = estimate(metric, found, b, **params).confidence_interval
                is_right[i, j] += low <= truth <= high
                # Without predictions, at least one heavy positive must be labelled.
                has_heavy = (seen[share < 0.1] == 1).any()
                assert (len(caught) > 0) == (prediction is None and not has_heavy)
                without_heavy[i] += len(caught) > 0
    # With plain inverse probabilities, intervals cover the truth in 0.80 and 0.73.
    assert (is_warned / n_samples > 0.9).all()
    assert (without_heavy / n_samples < 0.25).all()
    least = 0.95 - guarantees.binomial_tolerance(0.95, n_samples)
    assert (is_right / n_samples > least).all()


def test_the_interval_at_a_rate_does_not_depend_on_other_rates():
    _, given, a, b, _ = simulated()
    found = labels.sampled(given, 0.5)
    ends = []
    for rates in ([0.5], [0.005, 0.5]):
        options = {"band": "pointwise", "random_state": 0}
        pair = compare_curves(found, a, b, rates=rates, **options)
        one = curve_band(found, a, metric="recall", at=rates, **options)
        ends.append(
            [each[-1] for each in (*pair.confidence_interval, one.low, one.high)]
        )
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)


def test_scores_as_predictions_need_a_positive_with_a_high_weight():
    n = 2_000
    scores = -np.arange(n)
    probability = np.where(np.arange(n) < 300, 0.5, 0.06)
    given = np.full(n, np.nan)
    given[:300:2], given[:300:4], given[300::17] = 1, 0, 0
    with pytest.warns(UserWarning, match="Only 0 labelled samples"):
        estimate("roc_auc", labels.sampled(given, probability), scores)
    given[317] = 1
    estimate("roc_auc", labels.sampled(given, probability), scores)
