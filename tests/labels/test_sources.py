"""What holds of labels from every source: known ones, order, sums and coverage."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import guarantees
import skrate
from looped import case, looped
from reference import estimated_labels as literal
from simulated_intervals import Setting
from simulated_sources import METRICS, SOURCES, coverage
from skrate import compare, estimate, labels
from skrate.data.table import rank_table
from skrate.metrics.partial_auc import PartialAUC, _interpolate_curve

SCORES = [6, 5, 4, 4, 3, 1]
TRUTH = [1, 0, 1, 0, 1, 0]
SUMS = {
    "pairs": lambda pos, neg: literal.ordered_pairs(pos, neg, SCORES),
    "all pairs": literal.all_pairs,
    "precision": lambda pos, _: literal.summed_precision(pos, SCORES),
    "found": lambda pos, _: literal.found_at(pos, SCORES, Fraction(2, 5)),
}


def drawn(n=400, seed=0):
    """Return labels and the scores of two models."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < 0.3
    a = rng.normal(size=n) + y_true
    return rng, y_true, a, 0.7 * a + rng.normal(size=n)


def known_labels(y_true, rng):
    """Return labels that each source knows after all."""
    time = np.where(y_true, 3.0, rng.uniform(5, 9, len(y_true)))
    each = np.stack([y_true, y_true], axis=1).astype(float)
    each[rng.random(len(y_true)) < 0.5, 0] = np.nan
    each[::9, :] = y_true[::9, None]
    return {
        "censored": labels.censored(time, y_true, 5),
        "noisy": labels.noisy(y_true, 1, 1.0),
        "annotators": labels.noisy(each, 1, [1, 1]),
        "one is right": labels.noisy(each, [0.8, 1], [0.9, 1]),
        "predicted": labels.predicted(y_true.astype(float)),
    }


def test_known_batches_have_no_error():
    rng, y_true, a, _ = drawn()
    for source, found in known_labels(y_true, rng).items():
        for name, params in METRICS.values():
            with case(f"{source}, {name}"):
                batch = estimate(name, found.for_batch(), a, **params)
                whole = estimate(name, y_true, a, **params).value
                assert batch.value == pytest.approx(whole, rel=1e-12)
                assert batch.standard_error == 0


def outcomes(source):
    """Yield what each source may make of the true labels, with its probability."""
    if source == "noisy":
        chances = [0.7 if y else 0.2 for y in TRUTH]
    else:
        chances = [0.4 * y for y in TRUTH]
    for seen in product([0, 1], repeat=len(TRUTH)):
        each = [c if z else 1 - c for z, c in zip(seen, chances, strict=True)]
        chance = float(np.prod(each))
        if chance > 0 and source == "noisy":
            yield labels.noisy(seen, 0.7, 0.8, pos_label=1), chance
        elif chance > 0:
            yield labels.noisy(seen, 0.4, 1, pos_label=1), chance


@pytest.mark.parametrize("source", ["noisy", "some positives"])
def test_sums_and_variances_are_unbiased_over_all_outcomes(source):
    found = [(one, chance) for one, chance in outcomes(source)]
    assert sum(chance for _, chance in found) == pytest.approx(1)
    is_neg = [1 - y for y in TRUTH]
    for name, of in SUMS.items():
        with case(name):
            mean = sum(p * of(one.pos.tolist(), one.neg.tolist()) for one, p in found)
            assert float(mean) == pytest.approx(float(of(TRUTH, is_neg)), rel=1e-12)
    spread = sum(p * (one.pos - TRUTH) ** 2 for one, p in found)
    noise = sum(p * one.noise**2 for one, p in found)
    np.testing.assert_allclose(noise, spread, rtol=1e-12, atol=1e-15)


def test_predictions_give_the_sums_that_they_expect():
    chances = [0.9, 0.2, 0.5, 0.3, 0.6, 0.1]
    found = labels.predicted(chances)
    for name, of in SUMS.items():
        mean = 0.0
        for seen in product([0, 1], repeat=len(chances)):
            each = [c if y else 1 - c for y, c in zip(seen, chances, strict=True)]
            mean += float(np.prod(each)) * float(of(seen, [1 - y for y in seen]))
        with case(name):
            value = of(found.pos.tolist(), found.neg.tolist())
            assert float(value) == pytest.approx(mean, rel=1e-12)
    np.testing.assert_allclose(
        found.noise**2, np.array(chances) * (1 - np.array(chances))
    )


DESIGNS = [
    Setting("normal", 0.8, 1000, 0.1),
    Setting("Student t3", 0.8, 300, 0.4),
    Setting("lognormal", 0.8, 3000, 0.05),
]


@pytest.mark.slow
@looped("source", SOURCES)
def test_intervals_cover(source):
    n = guarantees.simulations(200)
    # A validation sample as small says too little where 5 % are positive: it is warned.
    for setting in DESIGNS[: 2 if source == "noisy, validated" else 3]:
        found = coverage(source, setting, n)
        # The average precision is biased, by known labels as well: here it shows.
        of_population = slice(2 if source == "predicted" else 3)
        # The package promises 0.9, which the average precision comes close to.
        least = np.array([0.93, 0.93, 0.9])
        least -= [guarantees.binomial_tolerance(share, n) for share in least]
        with case(setting):
            population = found.population >= least
            assert population[of_population].all(), found
            assert (found.batch >= least).all(), found
            errors = np.array([found.error_population, found.error_batch])
            slack = 3 / np.sqrt(2 * n)
            assert (errors * (1 + slack) > 0.9).all(), found
            assert (errors * (1 - slack) < 1.25).all(), found


@pytest.mark.slow
def test_the_error_of_average_precision_is_the_spread_over_labelled_positives():
    # One batch, of which other positives are labelled each time.
    rng, y_true, score, _ = drawn(1000, seed=3)
    y_true &= rng.random(1000) < 0.5

    def simulate(_):
        seen = y_true & (rng.random(1000) < 0.4)
        found = labels.noisy(seen, 0.4, 1).for_batch()
        return estimate("average_precision", found, score)

    found = guarantees.simulated(400, simulate)
    guarantees.assert_errors_are_the_spread(found, slack=0.05)


def one_class(label):
    """Return labels by which a class is estimated to have no case, up to rounding."""
    seen = np.where(np.arange(200) % 10 < 3, label, np.nan)
    return {
        "sampled": labels.sampled(seen, 0.3, pos_label=1),
        "predicted": labels.predicted(np.full(200, float(label))),
    }


@pytest.mark.parametrize("scope", ["population", "batch"])
def test_an_estimated_class_of_no_cases_leaves_the_uncertainty_undefined(scope):
    score = np.random.default_rng(0).permutation(200)
    metrics = {
        "precision_at_rate": {"rate": 0.3}, "average_precision": {},
        "expected_gain": {"gain": {"positive": 3, "negative": -1}, "rate": 0.4},
    }  # fmt: skip
    # 60 or 80 of 200 cases are processed; a positive gains 3 and a negative loses 1.
    for label, name in ((0, "positive"), (1, "negative")):
        for source, found in one_class(label).items():
            found = replace(found, scope=scope)
            pos = found.pos.tolist()
            precision = literal.found_at(pos, score.tolist(), Fraction(3, 10)) / 60
            average = np.nan
            if label:
                average = literal.summed_precision(pos, score.tolist()) / sum(pos)
            gain = 4 * literal.found_at(pos, score.tolist(), Fraction(2, 5))
            values = precision, average, gain - 80
            pairs = zip(metrics.items(), values, strict=True)
            for (metric, params), value in pairs:
                with case((label, source, metric)):
                    message = rf"0 {name}|e-\d\d {name}"
                    with pytest.warns(UserWarning, match=message):
                        one = estimate(metric, found, score, **params)
                    assert one.value == pytest.approx(float(value), nan_ok=True)
                    assert np.isnan(one.standard_error)
                    with pytest.warns(UserWarning, match=message):
                        compare(metric, found, score, -score, **params)


SOME, ALL = [1, 0, None, 1, 0, None, 1, 0], [1, 0, 1, 1, 0, 0, 1, 0]
TIMES, RANKED = np.arange(1.0, 9.0), np.arange(8.0)


def planned(y_scores=RANKED, n_labels=2, **options):
    """Return a plan for the AUC of eight cases."""
    given = {"metric": "roc_auc", "probability": 0.5, "random_state": 0, **options}
    return labels.plan_labels(y_scores, n_labels, **given)


# By the argument that an ill-formed value stands for.
CALLS = {
    "y_true": (
        lambda bad: labels.sampled(bad, 0.75),
        lambda bad: labels.noisy(bad, 0.9, 0.9),
        lambda bad: planned().labels(bad),
    ),
    "probability": (
        lambda bad: labels.sampled(SOME, bad),
        labels.predicted,
        lambda bad: planned(probability=bad),
    ),
    "prediction": (lambda bad: labels.sampled(SOME, 0.75, prediction=bad),),
    "design": (lambda bad: labels.sampled(SOME, 0.75, design=bad),),
    "pos_label": (
        lambda bad: labels.sampled(SOME, 0.75, pos_label=bad),
        lambda bad: labels.noisy(ALL, 0.9, 0.9, pos_label=bad),
        lambda bad: planned(n_labels=6).labels(ALL, pos_label=bad),
        lambda bad: planned(known=SOME, pos_label=bad),
    ),
    "time": (lambda bad: labels.censored(bad, ALL, 4),),
    "event": (lambda bad: labels.censored(TIMES, bad, 4),),
    "horizon": (lambda bad: labels.censored(TIMES, ALL, bad),),
    "sensitivity": (lambda bad: labels.noisy(ALL, bad, 0.9),),
    "specificity": (lambda bad: labels.noisy(ALL, 0.9, bad),),
    "validation": (lambda bad: labels.noisy(ALL, 0.9, 0.9, validation=bad),),
    "y_scores": (planned,),
    "n_labels": (lambda bad: planned(n_labels=bad),),
    "compare": (lambda bad: planned({"a": TIMES, "b": RANKED}, compare=bad),),
    "known": (lambda bad: planned(known=bad),),
    "known_probability": (lambda bad: planned(known=SOME, known_probability=bad),),
    "floor": (lambda bad: planned(floor=bad),),
    "rows": (lambda bad: labels.sampled(SOME, 0.75)[bad],),
}
NOT_MISSING = {
    "nan": np.nan, "infinity": np.inf, "negative": -1, "text": "abc", "bytes": b"x",
    "Decimal": Decimal("0.5"), "sNaN": Decimal("sNaN"), "empty array": np.array([]),
    "two columns": np.full((8, 2), 0.5), "no column": np.zeros((8, 0)),
    "short": [0.5] * 3, "texts": ["a"] * 7 + ["b"], "sNaNs": [Decimal("sNaN")] * 8,
    "masked": np.ma.masked_array([0.5] * 8, mask=[1] + [0] * 7), "dict": {"c": 0.5},
    "object": object(), "complex": 1j, "ragged": [[1], [2, 3]], "inf": [np.inf] * 8,
    "negatives": [-1.0] * 8, "long": [0.5] * 20, "beyond float": [10**400] * 8,
    "long double": np.array([np.longdouble(1e308) * 10] * 8), "function": len,
}  # fmt: skip
# What is not ill-formed, for which argument.
TAKEN = {
    "infinity": ("rows",), "texts": ("design",), "inf": ("design",),
    "negatives": ("y_true", "design", "y_scores"), "beyond float": ("design",),
    "long double": ("design", "y_scores"), "short": ("probability", "y_scores"),
    "long": ("probability", "y_scores"), "nan": (), "negative": ("rows",),
}  # fmt: skip


@looped("argument", CALLS)
def test_ill_formed_arguments_are_named(argument):
    for name, bad in NOT_MISSING.items():
        for i, call in enumerate(CALLS[argument]):
            if argument in TAKEN.get(name, ()):
                continue
            with case((name, i)), pytest.raises(ValueError, match=argument):
                call(bad)


@looped("level", [0.8, 0.95])
def test_rates_in_the_interval_are_those_that_may_have_the_recall(level):
    rng = np.random.default_rng(0)
    y_true = rng.random(2_000) < 0.2
    scores = rng.normal(size=2_000) + 1.5 * y_true
    given = labels.sampled(np.where(rng.random(2_000) < 0.2, y_true, np.nan), 0.2)
    options = {"confidence_level": level}
    found = estimate("rate_at_recall", given, scores, recall=0.8, **options)
    low, high = found.confidence_interval
    at_low, at_high = (
        estimate("recall_at_rate", given, scores, rate=rate, **options)
        for rate in (low, high)
    )
    assert at_low.confidence_interval.high == pytest.approx(0.8, abs=1e-4)
    assert at_high.confidence_interval.low == pytest.approx(0.8, abs=1e-4)
    saved = estimate("work_saved", given, scores, recall=0.8, **options)
    assert saved.confidence_interval == pytest.approx((0.8 - high, 0.8 - low))


def test_the_partial_auc_of_the_whole_curve_is_the_auc():
    # Predictions are smaller than the labels, so that no sum is outside of [0, 1].
    rng = np.random.default_rng(0)
    found = labels.predicted(rng.uniform(0.1, 0.9, 50))
    for scores in (rng.normal(size=50), rng.integers(0, 5, 50)):
        whole = estimate("partial_auc", found, scores, fpr=(0, 1))
        auc = estimate("roc_auc", found, scores)
        assert whole.value == pytest.approx(auc.value, rel=1e-12)
        assert whole.standard_error == pytest.approx(auc.standard_error, rel=1e-12)


def test_the_expected_partial_auc_has_no_pair_of_a_sample_with_itself():
    chances, ranks = np.array([0.9, 0.2, 0.5, 0.3]), np.arange(4)
    options = {"fpr": (0, 1), "standardize": None}
    found = skrate.partial_auc_score(labels.predicted(chances), -ranks, **options)
    pairs = np.outer(chances, 1 - chances)
    ordered = sum(pairs[i, j] for i in ranks for j in ranks if i < j)
    both = sum(pairs[i, j] for i in ranks for j in ranks if i != j)
    assert found == pytest.approx(float(ordered / both), rel=1e-12)


def test_a_curve_of_estimated_labels_enters_the_window_where_it_first_can():
    # It reaches 0.4 after four fifths of the first segment, and again after the second.
    along, across = np.array([0.0, 0.5, 0.3, 1.0]), np.array([0.0, 0.2, 0.6, 1.0])
    found = _interpolate_curve(along, 0.4, across, (0.0, 1.0))
    assert found == pytest.approx(0.8 * 0.2)


def test_the_jackknife_does_not_remove_estimated_labels():
    _, y_true, scores, _ = drawn(60)
    metric = PartialAUC(fpr=(0, 0.3))
    assert metric.excess(rank_table(y_true, scores)) != 0
    given = labels.noisy(y_true, 0.9, 0.9)
    table = rank_table(given, scores, takes_estimates=True)
    assert metric.excess(table) == 0


def test_bands_of_several_models_take_estimated_labels():
    rng = np.random.default_rng(0)
    given, scores = labels.predicted(rng.random(50)), rng.normal(size=50)
    found = skrate.curve_band(given, {"a": scores}, n_resamples=9, random_state=0)
    alone = skrate.curve_band(given, scores, n_resamples=9, random_state=0)
    np.testing.assert_array_equal(found["a"].high, alone.high)
